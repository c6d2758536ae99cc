//! Numbers that nothing reads.
//!
//! In: `worst = d;` in the body of a time loop, where `double worst;` is a variable of the function that it only assigns to. Out:
//! nothing, and `if (c) worst = d; else over = 0;` is `if (!c) over = 0;`. What steps count stays: no loop over cells does.

use super::helpers::{DEEPEST, is_pure};
use super::tree;
use super::walk;
use hexcc_clang::ast::{
    DeclId, DeclKind, ExprKind, FunctionId, Item, Stmt, StmtKind, Storage, TypeKind, UnaryOp, Unit,
};
use std::collections::HashSet;

/// Takes assignments to such variables away; whether there were any.
pub(super) fn unread(
    unit: &Unit,
    function: FunctionId,
    (head, body): (&Stmt, &mut [Stmt]),
) -> bool {
    let Some(all) = &unit[function].body else {
        return false;
    };
    let mut read = HashSet::new();
    let is_plain = [all, head]
        .into_iter()
        .chain(body.iter())
        .all(|stmt| reads(unit, stmt, &mut read));
    let own = std::iter::once(all).chain(body.iter());
    let mut in_loops = HashSet::new();
    (body.iter()).for_each(|stmt| assigned_in_loops(unit, stmt, false, &mut in_loops));
    let unread: HashSet<DeclId> = (own.flat_map(walk::all_declared))
        .filter(|id| is_plain && in_loops.contains(id))
        .filter(|id| !read.contains(id) && is_number(unit, *id))
        .collect();
    let mut found = false;
    for stmt in body.iter_mut() {
        found |= without(unit, &unread, stmt);
    }
    found
}

/// Whether a variable is a number of a function alone.
fn is_number(unit: &Unit, id: DeclId) -> bool {
    let decl = &unit[id];
    let is_plain = decl.kind == DeclKind::Variable
        && matches!(decl.storage, Storage::None | Storage::Register)
        && !tree::is_somewhere(unit, decl.ty, |ty| ty.is_volatile);
    is_plain && matches!(unit.canonical(decl.ty).kind, TypeKind::Builtin(_))
}

/// The variable that a statement assigns to and does nothing else.
fn assigned(unit: &Unit, stmt: &Stmt) -> Option<DeclId> {
    let StmtKind::Expr(expr) = &stmt.kind else {
        return None;
    };
    let id = tree::variable_of(tree::target(expr)?)?;
    let value = match &expr.kind {
        ExprKind::Assign(_, _, value) => Some(&**value),
        _ => None,
    };
    value
        .is_none_or(|value| is_pure(unit, value, DEEPEST))
        .then_some(id)
}

/// Adds the variables to which loops in a statement assign.
fn assigned_in_loops(unit: &Unit, stmt: &Stmt, is_in: bool, found: &mut HashSet<DeclId>) {
    use StmtKind as K;
    let is_in = is_in || matches!(stmt.kind, K::For { .. } | K::While { .. } | K::Do { .. });
    found.extend(assigned(unit, stmt).filter(|_| is_in));
    for inner in walk::inner(stmt) {
        assigned_in_loops(unit, inner, is_in, found);
    }
}

/// Adds the variables that a statement reads; whether it is plain enough to tell.
fn reads(unit: &Unit, stmt: &Stmt, read: &mut HashSet<DeclId>) -> bool {
    let mut is_plain = !matches!(stmt.kind, StmtKind::Other(_));
    walk::exprs(unit, stmt, &mut |expr| {
        is_plain &= !walk::has(expr, |e| {
            matches!(e.kind, ExprKind::Statements(_) | ExprKind::Other(_))
        });
        match (assigned(unit, stmt), &expr.kind) {
            (Some(_), ExprKind::Assign(_, _, value)) => walk::variables(value, read),
            (Some(_), _) => {}
            (None, _) => walk::variables(expr, read),
        }
    });
    (walk::inner(stmt).into_iter()).fold(is_plain, |all, inner| reads(unit, inner, read) && all)
}

/// Takes what assigns to some variables out of a statement; whether there was any.
fn without(unit: &Unit, unread: &HashSet<DeclId>, stmt: &mut Stmt) -> bool {
    let mut found = false;
    for inner in walk::inner_mut(stmt) {
        found |= without(unit, unread, inner);
    }
    if assigned(unit, stmt).is_some_and(|id| unread.contains(&id)) {
        stmt.kind = StmtKind::Null;
        return true;
    }
    let goes = |id: &DeclId| {
        let init = unit[*id].init.as_ref();
        unread.contains(id) && init.is_none_or(|init| is_pure(unit, init, DEEPEST))
    };
    if let StmtKind::Decl(items) = &mut stmt.kind {
        let before = items.len();
        items.retain(|item| !matches!(item, Item::Decl(id) if goes(id)));
        found |= items.len() < before;
        if items.is_empty() {
            stmt.kind = StmtKind::Null;
        }
    }
    if found {
        simplified(unit, stmt);
    }
    found
}

/// Writes a condition under which nothing is done any more in other words.
fn simplified(unit: &Unit, stmt: &mut Stmt) {
    let StmtKind::If {
        cond,
        then,
        otherwise,
    } = &mut stmt.kind
    else {
        return;
    };
    otherwise.take_if(|otherwise| is_nothing(otherwise));
    if !is_nothing(then) {
        return;
    }
    match otherwise.take() {
        Some(other) => {
            let not = ExprKind::Unary(UnaryOp::Not, Box::new(cond.clone()));
            (cond.kind, **then) = (not, *other);
        }
        None if is_pure(unit, cond, DEEPEST) => stmt.kind = StmtKind::Null,
        None => {}
    }
}

fn is_nothing(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Null => true,
        StmtKind::Compound(all) => all.iter().all(is_nothing),
        _ => false,
    }
}
