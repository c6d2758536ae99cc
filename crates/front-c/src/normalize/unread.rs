//! Numbers that nothing reads.
//!
//! In: `worst = d;` in the body of a time loop, where `double worst;` is a variable of the function that it only assigns to. Out:
//! nothing, and `if (c) worst = d; else over = 0;` is `if (!c) over = 0;`. What steps count stays: no loop over cells does.

use super::{peel, scalars, walk};
use hexcc_clang::ast::{DeclId, ExprKind, FunctionId, Item, Stmt, StmtKind, TypeKind, Unit};
use std::collections::HashSet;

/// Takes assignments to such variables away; whether there were any.
pub(super) fn unread(
    unit: &Unit,
    function: FunctionId,
    (head, body): (&Stmt, &mut Vec<Stmt>),
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
    peel::remove(unit, body, &unread);
    (body.iter_mut()).for_each(|stmt| undeclare(unit, &unread, stmt));
    !unread.is_empty()
}

/// Whether a variable is a number of a function alone.
fn is_number(unit: &Unit, id: DeclId) -> bool {
    let kind = &unit.canonical(unit[id].ty).kind;
    scalars::is_automatic(unit, id) && matches!(kind, TypeKind::Builtin(_))
}

/// The variable that a statement assigns to and does nothing else.
fn assigned(unit: &Unit, stmt: &Stmt) -> Option<DeclId> {
    peel::assigned(unit, stmt).map(|(id, _)| id)
}

/// Adds the variables to which loops in a statement assign.
fn assigned_in_loops(unit: &Unit, stmt: &Stmt, is_in: bool, found: &mut HashSet<DeclId>) {
    let is_in = is_in || walk::is_loop(stmt);
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

/// Takes the declarations of some variables out of a statement, where their first values do nothing.
fn undeclare(unit: &Unit, unread: &HashSet<DeclId>, stmt: &mut Stmt) {
    let goes = |id: &DeclId| {
        let init = unit[*id].init.as_ref();
        unread.contains(id) && init.is_none_or(|init| peel::is_pure(unit, init))
    };
    if let StmtKind::Decl(items) = &mut stmt.kind {
        items.retain(|item| !matches!(item, Item::Decl(id) if goes(id)));
        if items.is_empty() {
            stmt.kind = StmtKind::Null;
        }
    }
    for inner in walk::inner_mut(stmt) {
        undeclare(unit, unread, inner);
    }
}
