//! `while (t < steps) { ..; t++; }` as a loop that counts.
//!
//! In: a `while` loop whose body ends with the step of a variable that gets a number before the loop, or begins with it and
//! does not see the variable behind it, whatever else ends it. Out: the same as `for`.

use super::numbers;
use super::peel::jumps_or_calls;
use super::scalars;
use super::tree;
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, UnaryOp, Unit};
use std::collections::HashMap;

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

/// The same of the loops in a body that count with variables of the function, or down to zero; whether there were any.
pub(super) fn inner(unit: &mut Unit, all: &mut [Stmt]) -> bool {
    let mut found = false;
    for at in 0..all.len() {
        let (before, rest) = all.split_at_mut(at);
        let stmt = &mut rest[0];
        if let StmtKind::Compound(all) = &mut stmt.kind {
            found |= inner(unit, all);
            continue;
        }
        for stmt in walk::inner_mut(stmt) {
            found |= inner(unit, std::slice::from_mut(stmt));
        }
        let is_of_function = match &stmt.kind {
            StmtKind::While { cond, .. } => compared(cond).iter().all(|id| is_own(unit, *id)),
            _ => false,
        };
        found |= is_of_function && counted(unit, before, stmt);
        found |= counted_down(unit, stmt).is_some();
    }
    found
}

/// Makes `for (int j = n - 1; j >= 0; j--)` of `for (int j = n; j--;)`; `None` of other loops.
fn counted_down(unit: &mut Unit, stmt: &mut Stmt) -> Option<()> {
    let StmtKind::For {
        init: Some(init),
        cond: Some(cond),
        step: step @ None,
        body,
    } = &mut stmt.kind
    else {
        return None;
    };
    let ExprKind::Unary(UnaryOp::PostDecrement, of) = &tree::plain(cond).kind else {
        return None;
    };
    let (id, of) = (tree::variable_of(of)?, (**of).clone());
    let has_sign = numbers::range(unit, unit[id].ty)?.contains(&-1);
    let is_it = walk::declared(init) == [id] && has_sign && is_own(unit, id);
    if !is_it || super::inline::changes(unit, body, id) {
        return None;
    }
    let first = unit[id].init.clone()?;
    let one = tree::int(&of, 1);
    *cond = tree::binary(BinaryOp::GreaterEqual, of.clone(), tree::int(&of, 0));
    let kind = ExprKind::Unary(UnaryOp::PostDecrement, Box::new(of.clone()));
    *step = Some(Expr { kind, ..of.clone() });
    // The loop as it was has the other variable.
    let other = tree::copied(unit, id);
    unit[other].init = Some(tree::binary(BinaryOp::Sub, first, one));
    let meant = HashMap::from([(id, tree::var(unit, other, of.span))]);
    super::inline::rename(unit, stmt, &meant);
    Some(())
}

/// Whether a variable is a whole number that its function alone has.
pub(super) fn is_own(unit: &Unit, id: DeclId) -> bool {
    let decl = &unit[id];
    scalars::is_automatic(unit, id)
        && scalars::is_integer(unit, decl.ty)
        && !super::globals(unit).contains(&decl.first)
        && !scalars::is_pointed_to(unit, id)
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
