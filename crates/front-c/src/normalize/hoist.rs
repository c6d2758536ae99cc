//! What stays the same in all steps of a time loop, computed before it.
//!
//! In: `g->nx` and `const double c = k * dt / (h * h);` in the body of a loop that changes none of it. Out: variables of the
//! function with these values, before the loop.

use super::inline;
use super::promote::{self, Around};
use super::scalars;
use super::small;
use super::tree::{self, Namer, Path};
use super::unreached;
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, Builtin, DeclId, Expr, ExprKind, Item, Stmt, StmtKind, Type, TypeKind, Unit,
};
use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Takes members and values out of the body of a loop; `None` where there are none to take.
pub(super) fn hoist(
    unit: &mut Unit,
    namer: &mut Namer,
    globals: &HashSet<DeclId>,
    (head, body): (&mut Stmt, &mut Vec<Stmt>),
) -> Option<Around> {
    let mut around = Around::default();
    body.iter_mut()
        .for_each(|stmt| small::without_zeros(unit, stmt));
    let members = members(unit, head, body);
    let mut variables = Vec::new();
    for (path, place) in &members {
        let ty = tree::unqualified(unit, place.ty);
        let name = namer.fresh(&promote::name_of(unit, path));
        let variable = tree::variable(unit, name, ty, Some(place.clone()), place.span);
        around.before.push(tree::declaration(unit, variable));
        variables.push((path, variable));
    }
    let all = std::iter::once(&mut *head).chain(body.iter_mut());
    promote::replace(unit, all, &variables);
    *body = std::mem::take(body).into_iter().flat_map(apart).collect();
    let mut values: Vec<DeclId> = Vec::new();
    while let Some((at, id)) = (0..body.len())
        .find_map(|at| Some((at, same_in_all_steps(unit, globals, (head, body), at)?)))
    {
        let declaration = body.remove(at);
        // Two functions that are in the body now may compute one length of rows.
        if let Some(same) = values.iter().find(|same| is_same(unit, **same, id)) {
            let meant = HashMap::from([(id, tree::var(unit, *same, declaration.span))]);
            for stmt in std::iter::once(&mut *head).chain(body.iter_mut()) {
                inline::rename(unit, stmt, &meant);
            }
            continue;
        }
        namer.name_alone(unit, id);
        values.push(id);
        around.before.push(declaration);
    }
    (!around.before.is_empty()).then_some(around)
}

/// Whether two variables have one type and get one value.
fn is_same(unit: &Unit, a: DeclId, b: DeclId) -> bool {
    let kind = |id: DeclId| &unit.canonical(unit[id].ty).kind;
    match (&unit[a].init, &unit[b].init) {
        (Some(x), Some(y)) => kind(a) == kind(b) && is_written_alike(unit, x, y),
        _ => false,
    }
}

/// Whether two expressions are the same to the last conversion, so that they have one value of any type.
fn is_written_alike(unit: &Unit, a: &Expr, b: &Expr) -> bool {
    use ExprKind as K;
    let alike = |a, b| is_written_alike(unit, a, b);
    let has_one_type = unit.canonical(a.ty).kind == unit.canonical(b.ty).kind;
    has_one_type
        && match (&a.kind, &b.kind) {
            (K::Int(x), K::Int(y)) | (K::Char(x), K::Char(y)) => x == y,
            (K::Float(x), K::Float(y)) => x == y,
            (K::SizeOf(x), K::SizeOf(y)) => x == y,
            (K::Var(x), K::Var(y)) => x == y,
            (K::Unary(p, x), K::Unary(q, y)) => p == q && alike(x, y),
            (K::Binary(p, x, y), K::Binary(q, z, w)) => p == q && alike(x, z) && alike(y, w),
            (K::Cast { value: x, .. }, K::Cast { value: y, .. }) => alike(x, y),
            _ => false,
        }
}

/// Members of structs that are numbers or pointers, and that nothing in a loop changes.
pub(super) fn members(unit: &Unit, head: &Stmt, body: &[Stmt]) -> BTreeMap<Path, Expr> {
    let all = || std::iter::once(head).chain(body);
    let mut found: BTreeMap<Path, Expr> = BTreeMap::new();
    let mut assigned = Vec::new();
    for (at, stmt) in all().enumerate() {
        walk::all(unit, stmt, &mut |expr| {
            if let Some(to) = tree::target(expr) {
                assigned.push((at, tree::plain(to).clone()));
            }
            if matches!(expr.kind, ExprKind::Cast { .. }) {
                return true;
            }
            match Path::of(unit, expr) {
                Some(path) if !path.fields.is_empty() => {
                    if is_scalar(unit, expr.ty) {
                        found.insert(path, expr.clone());
                    }
                    false
                }
                _ => true,
            }
        });
    }
    let changes = |path: &Path| {
        let is_unreached = LazyCell::new(|| {
            let mut fields = path.fields.iter();
            fields.all(|field| unreached::is_unreached(unit, *field))
        });
        let last = path.fields.last().copied().into_iter().collect();
        let is_it = |(at, to): &(usize, Expr)| match (&to.kind, Path::of(unit, to)) {
            // A struct as a whole, maybe the same one.
            _ if promote::has_member(unit, to.ty, &last) => true,
            (ExprKind::Field(_, field), _) if path.fields.contains(field) => true,
            (ExprKind::Field(..), _) => false,
            (kind, Some(other)) if !matches!(kind, ExprKind::Unary(..)) => other.root == path.root,
            // Through a pointer to numbers, no member that is something else, and none that no such pointer leads to.
            _ => (found.get(path)).is_none_or(|member| {
                tree::may_be_one(unit, to.ty, member.ty)
                    && !(at.checked_sub(1)).is_some_and(|at| is_apart(unit, &body[..=at], to, path))
                    && !*is_unreached
            }),
        };
        assigned.iter().any(is_it)
    };
    let stays = |path: &Path| {
        !changes(path)
            && !tree::is_declared_in(path, head, body)
            && !all().any(|stmt| promote::may_write(unit, stmt, (path, found[path].ty)))
    };
    let kept = found.iter().filter(|(path, _)| stays(path));
    kept.map(|(path, place)| (path.clone(), place.clone()))
        .collect()
}

/// Whether a store of the last of some statements goes through a pointer with `restrict` behind whose declaration a member is
/// read: what that points to is not read otherwise.
fn is_apart(unit: &Unit, body: &[Stmt], store: &Expr, path: &Path) -> bool {
    let ExprKind::Index(base, _) = &store.kind else {
        return false;
    };
    let ExprKind::Var(pointer) = tree::plain(base).kind else {
        return false;
    };
    let Some(declared) = (body.iter()).position(|stmt| walk::declared(stmt).contains(&pointer))
    else {
        return false;
    };
    let ty = unit[pointer].ty;
    let is_restrict = unit[ty].is_restrict && tree::is_pointer(unit, ty);
    let reads = |stmt: &Stmt| {
        walk::declared(stmt)
            .into_iter()
            .any(|id| reads(unit, id, path))
    };
    let moves = |stmt: &Stmt| super::inline::changes(unit, stmt, pointer);
    is_restrict && body[declared + 1..].iter().any(reads) && !body.iter().any(moves)
}

/// Whether what a variable is declared with always reads a member.
fn reads(unit: &Unit, id: DeclId, path: &Path) -> bool {
    let is_choice = |e: &Expr| {
        let op = BinaryOp::And;
        matches!(
            e.kind,
            ExprKind::Cond(..) | ExprKind::Else(..) | ExprKind::SizeOfExpr(_)
        ) || matches!(e.kind, ExprKind::Binary(o, ..) if o == op || o == BinaryOp::Or)
    };
    let is_it = |e: &Expr| Path::of(unit, e).as_ref() == Some(path);
    let init = unit[id].init.as_ref();
    init.is_some_and(|init| walk::has(init, is_it) && !walk::has(init, is_choice))
}

fn is_scalar(unit: &Unit, ty: hexcc_clang::ast::TypeId) -> bool {
    let Type {
        kind, is_volatile, ..
    } = unit.canonical(ty);
    let of_pointer = matches!(kind, TypeKind::Pointer(to) if !tree::is_variable(unit, *to)
        && matches!(unit.canonical(*to).kind, TypeKind::Builtin(_) | TypeKind::Array { .. } | TypeKind::Pointer(_)));
    !is_volatile && (matches!(kind, TypeKind::Builtin(_)) || of_pointer)
}

/// The declarations of one statement, each in its own.
fn apart(stmt: Stmt) -> Vec<Stmt> {
    let StmtKind::Decl(items) = &stmt.kind else {
        return vec![stmt];
    };
    let alone = |item: &Item| Stmt {
        kind: StmtKind::Decl(vec![*item]),
        ..stmt.clone()
    };
    items.iter().map(alone).collect()
}

/// The number that a statement of the body declares alone, where it is the same in all steps.
fn same_in_all_steps(
    unit: &Unit,
    globals: &HashSet<DeclId>,
    (head, body): (&Stmt, &[Stmt]),
    at: usize,
) -> Option<DeclId> {
    let StmtKind::Decl(items) = &body[at].kind else {
        return None;
    };
    let ([_], [id]) = (&items[..], &walk::declared(&body[at])[..]) else {
        return None;
    };
    let decl = &unit[*id];
    let init = decl.init.as_ref()?;
    let all = || std::iter::once(head).chain(body);
    let changes = |id: DeclId| {
        all().any(|stmt| inline::changes(unit, stmt, id))
            || all().any(|stmt| scalars::is_stored_through(unit, stmt, id))
    };
    let declared: HashSet<DeclId> = all().flat_map(walk::all_declared).collect();
    let calls = all().any(|stmt| promote::calls_unknown(unit, stmt));
    let mut same = matches!(unit.canonical(decl.ty).kind, TypeKind::Builtin(_))
        && decl.extents.is_empty()
        && !changes(*id);
    walk::visit(init, &mut |expr| {
        same &= match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Char(_) | ExprKind::SizeOf(_) => true,
            ExprKind::Var(id) => {
                !(changes(*id) || declared.contains(id) || globals.contains(id) && calls)
            }
            ExprKind::Binary(op, _, by) => {
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                !divides
                    || is_float(unit, expr)
                    || matches!(tree::plain(by).kind, ExprKind::Int(n) if n != 0)
            }
            ExprKind::Unary(op, _) => !matches!(
                op,
                hexcc_clang::ast::UnaryOp::Deref | hexcc_clang::ast::UnaryOp::AddressOf
            ),
            ExprKind::Cast { extents, .. } => extents.is_empty(),
            _ => false,
        };
        true
    });
    same.then_some(*id)
}

fn is_float(unit: &Unit, expr: &Expr) -> bool {
    matches!(
        unit.canonical(expr.ty).kind,
        TypeKind::Builtin(Builtin::Float | Builtin::Double)
    )
}
