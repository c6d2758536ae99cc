//! `while (t < steps) { ..; t++; }` as a loop that counts.
//!
//! In: a `while` loop whose body ends with the step of a variable that gets a number before the loop, or begins with it and
//! does not see the variable behind it, whatever else ends it. Out: the same as `for`.

use super::peel::jumps_or_calls;
use super::tree;
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, Unit};

/// Makes a `for` of a `while`, given what stands before it in its block; whether it has.
pub(super) fn counted(unit: &Unit, before: &[Stmt], stmt: &mut Stmt) -> bool {
    let StmtKind::While { cond, body } = &stmt.kind else {
        return false;
    };
    let mut all = tree::block((**body).clone());
    let found = compared(cond)
        .into_iter()
        .find_map(|iterator| Some((iterator, taken_step(unit, &mut all, iterator)?)));
    let Some((iterator, step)) = found else {
        return false;
    };
    let changes = |stmt: &Stmt| super::inline::changes(unit, stmt, iterator);
    let goes_on = all
        .iter()
        .any(|stmt| walk::jumps(stmt, |kind| matches!(kind, StmtKind::Continue)));
    let (Some(start), false, false) = (
        start(unit, before, iterator),
        goes_on,
        all.iter().any(changes),
    ) else {
        return false;
    };
    let init = tree::assign(tree::var(unit, iterator, stmt.span), start);
    stmt.kind = StmtKind::For {
        init: Some(Box::new(init)),
        cond: Some(cond.clone()),
        step: Some(step),
        body: Box::new(tree::stmt(stmt.span, StmtKind::Compound(all))),
    };
    true
}

/// The variables that have to be less than something for a condition to hold.
fn compared(cond: &Expr) -> Vec<DeclId> {
    match &tree::plain(cond).kind {
        ExprKind::Binary(BinaryOp::And, a, b) => [compared(a), compared(b)].concat(),
        ExprKind::Binary(BinaryOp::Less | BinaryOp::LessEqual, a, _) => match tree::plain(a).kind {
            ExprKind::Var(id) => vec![id],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The statement that adds one to a variable, taken out of a body that it ends, or that it begins where nothing behind it, in a
/// function either, sees the variable.
fn taken_step(unit: &Unit, all: &mut Vec<Stmt>, iterator: DeclId) -> Option<Expr> {
    let steps = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Expr(expr) if tree::adds_one(expr, iterator) => Some(expr.clone()),
        _ => None,
    };
    if let Some(step) = all.last().and_then(steps) {
        all.pop();
        return Some(step);
    }
    let (first, rest) = all.split_first()?;
    let step = steps(first)?;
    let sees = |stmt: &Stmt| walk::uses(unit, stmt, iterator) || jumps_or_calls(unit, stmt);
    if rest.iter().any(sees) {
        return None;
    }
    all.remove(0);
    Some(step)
}

/// The number that a variable has behind some statements.
pub(super) fn start(unit: &Unit, before: &[Stmt], iterator: DeclId) -> Option<Expr> {
    for stmt in before.iter().rev() {
        if walk::declared(stmt).contains(&iterator) {
            return number(unit[iterator].init.as_ref()?);
        }
        if let StmtKind::Expr(expr) = &stmt.kind
            && let ExprKind::Assign(None, to, from) = &expr.kind
            && tree::is_var(to, iterator)
        {
            return number(from);
        }
        if super::inline::changes(unit, stmt, iterator) {
            return None;
        }
    }
    None
}

fn number(expr: &Expr) -> Option<Expr> {
    matches!(tree::plain(expr).kind, ExprKind::Int(_)).then(|| tree::plain(expr).clone())
}
