//! Indices of time planes that the number of the step gives, written out.
//!
//! In: `int next = (n + 1) % 3;` and `u[next][i] = u[now][i];` in a loop over `n`. Out: `u[(n + 1) % 3][i] = ..`, so that the host,
//! which counts steps ahead, leaves them to the steps.

use super::tree;
use super::walk;
use super::{inline, planes, scalars};
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, Storage, UnaryOp, Unit};
use std::collections::{HashMap, HashSet};

/// Writes such indices out; whether there were any.
pub(super) fn turns(unit: &mut Unit, (head, body): (&Stmt, &mut Vec<Stmt>)) -> bool {
    let Some(iterator) = iterator(unit, head, body) else {
        return false;
    };
    let declared: Vec<DeclId> = body.iter().flat_map(walk::declared).collect();
    let is_it = |id: &DeclId| is_turn(unit, body, *id, iterator);
    let found: HashSet<DeclId> = declared.into_iter().filter(is_it).collect();
    let value = |id: &DeclId| Some((*id, tree::plain(unit[*id].init.as_ref()?).clone()));
    let meant: HashMap<DeclId, Expr> = found.iter().filter_map(value).collect();
    for stmt in body.iter_mut() {
        walk::change_all(unit, stmt, &mut |expr| {
            let value = match expr.kind {
                ExprKind::Var(id) => meant.get(&id),
                _ => None,
            };
            if let Some(value) = value {
                *expr = value.clone();
            }
            value.is_none()
        });
    }
    planes::drop_unused(unit, body, &found);
    !found.is_empty()
}

/// The variable that only the head of a loop changes.
fn iterator(unit: &Unit, head: &Stmt, body: &[Stmt]) -> Option<DeclId> {
    let StmtKind::For {
        step: Some(step), ..
    } = &head.kind
    else {
        return None;
    };
    let ExprKind::Var(id) = tree::plain(tree::target(step)?).kind else {
        return None;
    };
    let changes = |stmt: &Stmt| inline::changes(unit, stmt, id);
    let is_own = !super::globals(unit).contains(&unit[id].first);
    let is_known = tree::adds_one(step, id) && !scalars::is_pointed_to(unit, id) && is_own;
    (is_known && !body.iter().any(changes)).then_some(id)
}

/// Whether a variable is a remainder of the iterator, changes nowhere else, and selects elements.
fn is_turn(unit: &Unit, body: &[Stmt], id: DeclId, iterator: DeclId) -> bool {
    let decl = &unit[id];
    let Some(init) = decl.init.as_ref().map(tree::plain) else {
        return false;
    };
    let is_remainder = matches!(
        init.kind,
        ExprKind::Binary(BinaryOp::Rem | BinaryOp::BitAnd, ..)
    );
    let is_sum = |e: &Expr| match &e.kind {
        ExprKind::Int(_) => true,
        ExprKind::Var(id) => *id == iterator,
        ExprKind::Cast { .. } => scalars::is_integer(unit, e.ty),
        ExprKind::Unary(op, _) => matches!(op, UnaryOp::Plus | UnaryOp::Minus),
        ExprKind::Binary(op, ..) => {
            use BinaryOp as B;
            let is_it = matches!(op, B::Add | B::Sub | B::Rem | B::BitAnd);
            is_it && !scalars::may_fail(unit, e)
        }
        _ => false,
    };
    let selects = |e: &Expr| matches!(&e.kind, ExprKind::Index(_, at) if tree::is_var(at, id));
    is_remainder
        && !walk::has(init, |e| !is_sum(e))
        && matches!(decl.storage, Storage::None | Storage::Register)
        && unit.canonical(decl.ty).kind == unit.canonical(init.ty).kind
        && !unit[decl.ty].is_volatile
        && !body.iter().any(|stmt| inline::changes(unit, stmt, id))
        && body.iter().any(|stmt| walk::any(unit, stmt, selects))
}
