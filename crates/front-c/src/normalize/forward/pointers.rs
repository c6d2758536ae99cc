//! Pointers to cells and rows.
//!
//! In: `float *row = u + i * n; cell *c = &cells[i]; row[j] = c->v;`. Out: `u[i * n + j] = cells[i].v;`. A pointer that
//! keeps its value stands for the place in the array that it points into.

use super::uses;
use super::{Part, Scene};
use crate::normalize::inline::changes;
use crate::normalize::{tree, walk};
use hexcc_clang::ast::{
    BinaryOp, DeclId, Expr, ExprKind, Item, Span, Stmt, StmtKind, Storage, TypeId, UnaryOp, Unit,
};

/// What a pointer points to.
struct Target {
    /// The array or pointer, with its outer subscripts.
    array: Expr,
    /// The innermost subscript, for the address of an element.
    subscript: Option<Expr>,
}

/// Replaces the first pointer that stands for a place in an array, and takes its declaration out.
pub(super) fn pointers(scene: &mut Scene, part: &mut Part) -> bool {
    if !part.is_plain {
        return false;
    }
    for place in part.places() {
        let block = part.block(&place);
        let alone = apart(&scene.unit, &block[place.at]);
        let is_row = |(_, target): (DeclId, Target)| target.subscript.is_some();
        if (alone.iter()).any(|stmt| declared(scene, stmt).is_some_and(is_row)) {
            if let Some(block) = part.block_mut(&place) {
                block.splice(place.at..=place.at, alone);
            }
            return true;
        }
        let Some((id, target)) = declared(scene, &block[place.at]) else {
            continue;
        };
        let rest = &block[place.at + 1..];
        if !keeps_its_place(scene, part, (id, &target), rest) || !has_forms(&scene.unit, rest, id) {
            continue;
        }
        let element = tree::element(&scene.unit, scene.unit[id].ty);
        let (Some(block), Some(element)) = (part.block_mut(&place), element) else {
            continue;
        };
        for stmt in &mut block[place.at + 1..] {
            walk::change_all(&mut scene.unit, stmt, &mut |expr| {
                replace(expr, id, (&target, element));
                true
            });
        }
        block.remove(place.at);
        return true;
    }
    false
}

/// The declarations of a statement that has several, each by itself: where one is of a pointer into rows, `u + i * n`.
fn apart(unit: &Unit, stmt: &Stmt) -> Vec<Stmt> {
    let StmtKind::Decl(items) = &stmt.kind else {
        return Vec::new();
    };
    let ids: Vec<DeclId> = walk::declared(stmt);
    let have_values = ids.iter().all(|id| unit[*id].init.is_some());
    match items.len() {
        n if n > 1 && n == ids.len() && have_values => {
            let each = ids.into_iter();
            each.map(|id| tree::declaration(unit, id)).collect()
        }
        _ => Vec::new(),
    }
}

/// The one pointer that a statement declares, with what it points to.
fn declared(scene: &Scene, stmt: &Stmt) -> Option<(DeclId, Target)> {
    let unit = &scene.unit;
    let StmtKind::Decl(items) = &stmt.kind else {
        return None;
    };
    let [Item::Decl(id)] = items[..] else {
        return None;
    };
    let decl = &unit[id];
    let is_plain = matches!(decl.storage, Storage::None | Storage::Register)
        && tree::is_pointer(unit, decl.ty)
        && !tree::is_somewhere(unit, decl.ty, |ty| ty.is_volatile)
        && !scene.is_pointed_to(id);
    let target = target(unit, tree::plain(decl.init.as_ref()?))?;
    // C converts others with a warning.
    let own = tree::element(unit, decl.ty)?;
    let is_same = tree::element(unit, target.array.ty)
        .is_some_and(|of| unit.canonical(of).kind == unit.canonical(own).kind);
    (is_plain && is_same).then_some((id, target))
}

/// What a value points to: `&a[i]`, `a + i`, or what is an array or a pointer itself.
fn target(unit: &Unit, value: &Expr) -> Option<Target> {
    let value = tree::plain(value);
    match &value.kind {
        ExprKind::Unary(UnaryOp::AddressOf, of) => match &tree::plain(of).kind {
            ExprKind::Index(array, subscript) => {
                let array = tree::plain(array);
                is_place(unit, array).then(|| Target {
                    array: array.clone(),
                    subscript: Some((**subscript).clone()),
                })
            }
            _ => None,
        },
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
            let (pointer, by) = match uses::integer(unit, tree::plain(b).ty) {
                Some(_) => (a, b),
                None if *op == BinaryOp::Add => (b, a),
                None => return None,
            };
            let Target { array, subscript } = target_of_sum(unit, pointer)?;
            let subscript = match subscript {
                Some(first) => tree::binary(*op, first, (**by).clone()),
                None if *op == BinaryOp::Add => (**by).clone(),
                None => return None,
            };
            let subscript = Some(subscript);
            Some(Target { array, subscript })
        }
        _ => is_place(unit, value).then(|| Target {
            array: value.clone(),
            subscript: None,
        }),
    }
}

/// The same of what a number is added to.
fn target_of_sum(unit: &Unit, value: &Expr) -> Option<Target> {
    let is_address = matches!(
        tree::plain(value).kind,
        ExprKind::Unary(UnaryOp::AddressOf, _)
    );
    (!is_address).then(|| target(unit, value)).flatten()
}

/// Whether an expression is a variable with subscripts and members, to which something can be added.
fn is_place(unit: &Unit, expr: &Expr) -> bool {
    let expr = tree::plain(expr);
    tree::element(unit, expr.ty).is_some() && base(expr).is_some()
}

/// The variable of a place.
fn base(expr: &Expr) -> Option<DeclId> {
    match &tree::plain(expr).kind {
        ExprKind::Var(id) => Some(*id),
        ExprKind::Field(of, _) | ExprKind::Index(of, _) => base(of),
        _ => None,
    }
}

/// The subscripts of a place.
fn subscripts<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    match &tree::plain(expr).kind {
        ExprKind::Field(of, _) => subscripts(of, found),
        ExprKind::Index(of, at) => {
            found.push(at);
            subscripts(of, found);
        }
        _ => {}
    }
}

/// Whether what decides where a pointer points stays as it is while the pointer is used.
fn keeps_its_place(
    scene: &Scene,
    part: &Part,
    (id, target): (DeclId, &Target),
    rest: &[Stmt],
) -> bool {
    let unit = &scene.unit;
    let Some(base) = base(&target.array) else {
        return false;
    };
    let mut numbers: Vec<&Expr> = target.subscript.iter().collect();
    subscripts(&target.array, &mut numbers);
    // Elements and members are data; a call may give another value each time.
    let none = std::collections::HashMap::new();
    let is_fixed = |e: &Expr| {
        let is_member = |e: &Expr| matches!(e.kind, ExprKind::Field(..));
        uses::is_value(unit, &none, e) && !walk::has(e, is_member)
    };
    if !numbers.iter().all(|e| is_fixed(e)) {
        return false;
    }
    let reads = scene.reads_of(numbers.into_iter().chain([&target.array]));
    let Some(last) = rest.iter().rposition(|stmt| walk::uses(unit, stmt, id)) else {
        return true;
    };
    let runs = &rest[..=last];
    let bodies = walk::called(unit, runs).into_iter();
    let bodies: Vec<&Stmt> = bodies.filter_map(|f| unit[f].body.as_ref()).collect();
    // Its elements may change, and be pointed to.
    let mut all = runs.iter().chain(bodies.iter().copied());
    !all.any(|stmt| changes(unit, stmt, base))
        && scene.stays(part, &reads.without(&[base]), runs)
        && scene.is_seen(
            &scene.reads_of([&target.array].into_iter().chain(&target.subscript)),
            runs,
        )
}

/// Whether statements use a pointer only in ways that an element can be used in.
fn has_forms(unit: &Unit, all: &[Stmt], id: DeclId) -> bool {
    let (mut n_uses, mut n_forms) = (0, 0);
    for stmt in all {
        walk::all(unit, stmt, &mut |expr| {
            n_uses += usize::from(matches!(expr.kind, ExprKind::Var(v) if v == id));
            n_forms += match &expr.kind {
                ExprKind::Call(_, given) => given.iter().filter(|e| tree::is_var(e, id)).count(),
                _ => usize::from(form(expr, id).is_some()),
            };
            true
        });
    }
    n_uses == n_forms
}

/// What is added to a pointer in an element of its: `p->v`, `p[i]`, `*p`, `*(p + i)`.
enum Form<'e> {
    Member,
    Element(Option<&'e Expr>),
}

fn form(expr: &Expr, id: DeclId) -> Option<Form<'_>> {
    let is_it = |e: &Expr| tree::is_var(e, id);
    match &expr.kind {
        ExprKind::Field(of, _) if is_it(of) => Some(Form::Member),
        ExprKind::Index(of, by) | ExprKind::Index(by, of) if is_it(of) => {
            Some(Form::Element(Some(by)))
        }
        ExprKind::Unary(UnaryOp::Deref, of) => match &tree::plain(of).kind {
            ExprKind::Var(v) if *v == id => Some(Form::Element(None)),
            ExprKind::Binary(BinaryOp::Add, a, b) if is_it(a) => Some(Form::Element(Some(b))),
            ExprKind::Binary(BinaryOp::Add, a, b) if is_it(b) => Some(Form::Element(Some(a))),
            _ => None,
        },
        _ => None,
    }
}

/// Replaces one use.
fn replace(expr: &mut Expr, id: DeclId, (target, ty): (&Target, TypeId)) {
    let span = expr.span;
    if let ExprKind::Call(_, given) = &mut expr.kind {
        for given in given.iter_mut().filter(|e| tree::is_var(e, id)) {
            *given = address(target, (given.ty, ty), given.span);
        }
        return;
    }
    match form(expr, id) {
        Some(Form::Member) => {
            if let ExprKind::Field(of, _) = &mut expr.kind {
                **of = element(target, None, (ty, span));
            }
        }
        Some(Form::Element(by)) => *expr = element(target, by.cloned(), (ty, span)),
        None => {}
    }
}

/// What is given for a pointer.
fn address(target: &Target, (ty, of): (TypeId, TypeId), span: Span) -> Expr {
    match target.subscript {
        None => target.array.clone(),
        Some(_) => Expr {
            ty,
            span,
            kind: ExprKind::Unary(
                UnaryOp::AddressOf,
                Box::new(element(target, None, (of, span))),
            ),
        },
    }
}

/// The element that some number is added for.
fn element(target: &Target, by: Option<Expr>, (ty, span): (TypeId, Span)) -> Expr {
    let subscript = match (target.subscript.clone(), by) {
        (Some(own), Some(by)) => tree::binary(BinaryOp::Add, own, by),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => tree::int(&target.array, 0),
    };
    let kind = ExprKind::Index(Box::new(target.array.clone()), Box::new(subscript));
    Expr { ty, span, kind }
}
