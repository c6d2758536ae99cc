//! Structs that are copied as wholes, as their members.
//!
//! In: `fields old = s.now; s.now = s.next; s.next = old;` and `state from = p[k];` in the body of a loop, the members being
//! pointers and numbers. Out: `float *old_u = s.now.u; s.now.u = s.next.u; ..`, one for each member. What `state *from = &p[k];`
//! leads to is written `p[k]` where `k` is the same.

use super::promote;
use super::tree::{self, Namer, Path};
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, DeclId, Expr, ExprKind, FieldId, RecordId, Stmt, Storage, TypeId, TypeKind, UnaryOp,
    Unit,
};
use std::collections::BTreeMap;

/// The members of a struct that are no structs, from the outside.
type Leaves = Vec<Vec<FieldId>>;

/// Makes copies of members of copies of structs; whether there were any.
pub(super) fn split(unit: &mut Unit, namer: &mut Namer, body: &mut Vec<Stmt>) -> bool {
    let mut changed = see_through(unit, body);
    let mut parts: BTreeMap<Path, DeclId> = BTreeMap::new();
    let mut made: BTreeMap<DeclId, Vec<DeclId>> = BTreeMap::new();
    for (id, leaves) in locals(unit, body) {
        for leaf in leaves {
            let variable = part(unit, namer, id, &leaf);
            made.entry(id).or_default().push(variable);
            let path = Path {
                root: id,
                through_pointer: false,
                fields: leaf,
            };
            parts.insert(path, variable);
        }
    }
    changed |= !made.is_empty();
    let mut all = Vec::new();
    for mut stmt in std::mem::take(body) {
        tree::declare_instead(&mut stmt, &|id| made.get(&id).cloned());
        let found = copies(unit, &stmt);
        changed |= found.is_some();
        all.extend(found.unwrap_or_else(|| vec![stmt]));
    }
    *body = all;
    let parts: Vec<(&Path, DeclId)> = parts.iter().map(|(path, id)| (path, *id)).collect();
    promote::replace(unit, body.iter_mut(), &parts);
    changed
}

/// The structs of the body that only copies and uses of members name, with their members.
fn locals(unit: &Unit, body: &[Stmt]) -> BTreeMap<DeclId, Leaves> {
    let mut all: BTreeMap<DeclId, Leaves> = (body.iter().flat_map(walk::declared))
        .filter_map(|id| Some((id, leaves(unit, unit[id].ty)?)))
        .collect();
    loop {
        // Who is copied to one that stays whole stays whole.
        let kept: BTreeMap<DeclId, Leaves> = (all.iter())
            .filter(|(id, _)| is_copied_alone(unit, body, **id, &all))
            .map(|(id, leaves)| (*id, leaves.clone()))
            .collect();
        if kept.len() == all.len() {
            return kept;
        }
        all = kept;
    }
}

/// The members of a type that is a struct of pointers and numbers, or of such structs.
fn leaves(unit: &Unit, ty: TypeId) -> Option<Leaves> {
    let TypeKind::Record(id) = unit.canonical(ty).kind else {
        return None;
    };
    if unit.canonical(ty).is_volatile {
        return None;
    }
    let mut all = Vec::new();
    leaves_of(unit, id, &mut Vec::new(), &mut all).then_some(all)
}

fn leaves_of(unit: &Unit, id: RecordId, outer: &mut Vec<FieldId>, all: &mut Leaves) -> bool {
    let record = &unit[id];
    if record.is_union || !record.is_complete || record.is_anonymous {
        return false;
    }
    for field in &record.fields {
        let ty = unit[*field].ty;
        outer.push(*field);
        let known = match unit.canonical(ty).kind {
            _ if unit[ty].is_volatile || unit[*field].name.is_empty() => false,
            TypeKind::Record(inner) => leaves_of(unit, inner, outer, all),
            TypeKind::Builtin(_) | TypeKind::Enum(_) => {
                all.push(outer.clone());
                unit[*field].bits.is_none()
            }
            TypeKind::Pointer(to) => {
                all.push(outer.clone());
                matches!(
                    unit.canonical(to).kind,
                    TypeKind::Builtin(_) | TypeKind::Array { .. } | TypeKind::Pointer(_)
                ) && !tree::is_variable(unit, to)
            }
            _ => false,
        };
        outer.pop();
        if !known {
            return false;
        }
    }
    true
}

/// Whether a struct of the body is only copied as a whole, and its members are used.
fn is_copied_alone(unit: &Unit, body: &[Stmt], id: DeclId, all: &BTreeMap<DeclId, Leaves>) -> bool {
    let decl = &unit[id];
    let plain = decl.storage == Storage::None && !unit[decl.ty].is_volatile;
    let known = decl.init.as_ref().is_none_or(|init| is_place(unit, init));
    let mut others = 0;
    for stmt in body {
        walk::all(unit, stmt, &mut |expr| {
            if matches!(expr.kind, ExprKind::Var(v) if v == id) {
                others += 1;
            }
            let path = Path::of(unit, expr);
            // A member that is no struct; the whole is not visited then.
            let of_it = path.is_some_and(|path| path.root == id && !path.fields.is_empty());
            !of_it || matches!(unit.canonical(expr.ty).kind, TypeKind::Record(_))
        });
        // What is copied is split there.
        if let Some((to, from)) = copied(unit, stmt) {
            let is_it = |e: &Expr| Path::of(unit, e).is_some_and(|path| path.root == id);
            others -= i32::from(is_it(to)) + i32::from(is_it(from));
        }
        for own in walk::declared(stmt) {
            let init = unit[own].init.as_ref();
            let is_it = |e: &Expr| Path::of(unit, e).is_some_and(|path| path.root == id);
            let splits = all.contains_key(&own) && own != id;
            others -= i32::from(splits && init.is_some_and(is_it));
        }
    }
    let takes = |expr: &Expr| match &expr.kind {
        ExprKind::Unary(UnaryOp::AddressOf, of) => Path::of(unit, of).is_some_and(|p| p.root == id),
        _ => false,
    };
    plain && known && others == 0 && !body.iter().any(|stmt| walk::any(unit, stmt, takes))
}

/// A variable for a member of a struct of the body.
fn part(unit: &mut Unit, namer: &mut Namer, id: DeclId, leaf: &[FieldId]) -> DeclId {
    let path = Path {
        root: id,
        through_pointer: false,
        fields: leaf.to_vec(),
    };
    let name = namer.fresh(&promote::name_of(unit, &path));
    let init = unit[id].init.clone().map(|init| member(unit, &init, leaf));
    let ty = leaf.last().map_or(unit[id].ty, |f| unit[*f].ty);
    let ty = tree::unqualified(unit, ty);
    let span = unit[id].span;
    tree::variable(unit, name, ty, init, span)
}

/// `place.a.b`
fn member(unit: &Unit, place: &Expr, leaf: &[FieldId]) -> Expr {
    leaf.iter()
        .fold(tree::plain(place).clone(), |of, field| Expr {
            ty: unit[*field].ty,
            span: of.span,
            kind: ExprKind::Field(Box::new(of), *field),
        })
}

/// Both sides of a copy of a struct to a place that does not depend on what is copied.
fn copied<'s>(unit: &Unit, stmt: &'s Stmt) -> Option<(&'s Expr, &'s Expr)> {
    let (None, to, from) = tree::assigns(stmt)? else {
        return None;
    };
    leaves(unit, to.ty)?;
    // A subscript that is a member might be copied, too.
    let in_subscript = |expr: &Expr| {
        let ExprKind::Index(_, subscript) = &expr.kind else {
            return false;
        };
        walk::has(subscript, |e| matches!(e.kind, ExprKind::Field(..)))
    };
    let known = Path::of(unit, to).is_some()
        && is_place(unit, from)
        && !walk::any(unit, stmt, in_subscript);
    known.then_some((to, from))
}

/// The copies of members in the place of a copy of a struct.
fn copies(unit: &Unit, stmt: &Stmt) -> Option<Vec<Stmt>> {
    let (to, from) = copied(unit, stmt)?;
    let all = leaves(unit, to.ty)?;
    let copy = |leaf: &Vec<FieldId>| tree::assign(member(unit, to, leaf), member(unit, from, leaf));
    Some(all.iter().map(copy).collect())
}

/// Whether an expression is a path, or an element of one that a plain subscript selects.
fn is_place(unit: &Unit, expr: &Expr) -> bool {
    match &tree::plain(expr).kind {
        ExprKind::Field(base, _) if !tree::is_pointer(unit, tree::plain(base).ty) => {
            is_place(unit, base)
        }
        ExprKind::Index(base, subscript) => {
            Path::of(unit, base).is_some() && is_plain(unit, subscript)
        }
        _ => Path::of(unit, expr).is_some(),
    }
}

/// Whether an expression is a number made of variables and members alone.
fn is_plain(unit: &Unit, expr: &Expr) -> bool {
    let mut plain = true;
    walk::visit(expr, &mut |expr| {
        let is_path = Path::of(unit, expr).is_some();
        plain &= is_path
            || match &expr.kind {
                ExprKind::Int(_) | ExprKind::Cast { implicit: true, .. } => true,
                ExprKind::Unary(op, _) => matches!(op, UnaryOp::Not | UnaryOp::BitNot),
                ExprKind::Binary(op, _, by) => match op {
                    BinaryOp::Div | BinaryOp::Rem => {
                        matches!(tree::plain(by).kind, ExprKind::Int(n) if n > 0)
                    }
                    _ => true,
                },
                _ => false,
            };
        !is_path
    });
    plain
}

/// Writes `p[k].v` for `from->v` where `from` is `&p[k]` as long as it is used; whether it did.
fn see_through(unit: &mut Unit, body: &mut [Stmt]) -> bool {
    let found: Vec<(DeclId, Expr)> = (body.iter().enumerate())
        .flat_map(|(at, stmt)| walk::declared(stmt).into_iter().map(move |id| (at, id)))
        .filter_map(|(at, id)| Some((id, viewed(unit, body, at, id)?)))
        .collect();
    for (id, place) in &found {
        for stmt in body.iter_mut() {
            walk::change_all(unit, stmt, &mut |expr| {
                let is_it = |e: &Expr| tree::is_var(e, *id);
                match &mut expr.kind {
                    ExprKind::Field(base, _) if is_it(base) => **base = place.clone(),
                    ExprKind::Unary(UnaryOp::Deref, base) if is_it(base) => *expr = place.clone(),
                    _ => return true,
                }
                false
            });
        }
    }
    let gone = found.iter().map(|(id, _)| *id).collect();
    super::planes::drop_unused(unit, body, &gone);
    !found.is_empty()
}

/// The element that a variable of a body points to, where that is the same wherever it is used.
fn viewed(unit: &Unit, body: &[Stmt], at: usize, id: DeclId) -> Option<Expr> {
    let ExprKind::Unary(UnaryOp::AddressOf, of) = &tree::plain(unit[id].init.as_ref()?).kind else {
        return None;
    };
    let place = tree::plain(of);
    let ExprKind::Index(..) = &place.kind else {
        return None;
    };
    if !is_place(unit, place)
        || !matches!(unit.canonical(place.ty).kind, TypeKind::Record(_))
        || tree::element(unit, unit[id].ty).map(|ty| &unit.canonical(ty).kind)
            != Some(&unit.canonical(place.ty).kind)
    {
        return None;
    }
    let last = body.iter().rposition(|stmt| walk::uses(unit, stmt, id))?;
    let mut within = body[at..=last.max(at)].iter();
    let mut known = !body.iter().any(|s| super::inline::changes(unit, s, id));
    walk::visit(place, &mut |expr| {
        if let Some(path) = Path::of(unit, expr) {
            known &= within.all(|stmt| !may_change(unit, stmt, &path));
            within = body[at..=last.max(at)].iter();
            return false;
        }
        true
    });
    known.then(|| place.clone())
}

/// Whether a statement may give a path, or what it is reached through, another value.
fn may_change(unit: &Unit, stmt: &Stmt, path: &Path) -> bool {
    let assigns = |expr: &Expr| match tree::target(expr).map(|to| &tree::plain(to).kind) {
        Some(ExprKind::Field(_, field)) => path.fields.contains(field),
        Some(ExprKind::Var(id)) => *id == path.root,
        Some(ExprKind::Unary(UnaryOp::Deref, _)) => true,
        _ => false,
    };
    walk::any(unit, stmt, assigns) || promote::calls_unknown(unit, stmt)
}
