//! `while (t < steps) { ..; t++; }` as a loop that counts.
//!
//! In: a `while` loop whose body ends with the step of a variable that gets a number before the loop. Out: the same as `for`.

use super::tree;
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, Unit};

/// Makes a `for` of a `while`, given what stands before it in its block; whether it has.
pub(super) fn counted(unit: &Unit, before: &[Stmt], stmt: &mut Stmt) -> bool {
    let StmtKind::While { cond, body } = &stmt.kind else {
        return false;
    };
    let ExprKind::Binary(BinaryOp::Less | BinaryOp::LessEqual, a, _) = &tree::plain(cond).kind
    else {
        return false;
    };
    let ExprKind::Var(iterator) = tree::plain(a).kind else {
        return false;
    };
    let mut all = tree::block((**body).clone());
    let Some(step) = all.pop().filter(|step| steps(step, iterator)) else {
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
    let StmtKind::Expr(step) = step.kind else {
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

/// Whether a statement adds one to a variable.
fn steps(stmt: &Stmt, iterator: DeclId) -> bool {
    matches!(&stmt.kind, StmtKind::Expr(expr) if tree::adds_one(expr, iterator))
}

/// The number that a variable has behind some statements.
fn start(unit: &Unit, before: &[Stmt], iterator: DeclId) -> Option<Expr> {
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
