//! Values chosen by where a cell is, as branches.
//!
//! In: `left = j == 0 ? 25 : c[i * n + j - 1];` in the code of a cell. Out: `if (j == 0) left = 25; else left = c[i * n + j - 1];`, so
//! that the statement that reads has no cells beside the array.

use super::numbers;
use super::tree;
use super::walk;
use hexcc_clang::ast::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, UnaryOp, Unit};

/// Whether there may be such values in a loop.
pub(super) fn are_in(unit: &Unit, body: &[Stmt]) -> bool {
    let is_chosen = |e: &Expr| choice(unit, e).is_some();
    body.iter().any(|stmt| walk::any(unit, stmt, is_chosen))
}

/// Makes branches of such values in the nests of a time loop; whether there were any.
pub(super) fn guards(unit: &mut Unit, body: &mut [Stmt]) -> bool {
    let mut found = false;
    for stmt in body {
        found |= in_statement(unit, stmt);
    }
    found
}

fn in_statement(unit: &mut Unit, stmt: &mut Stmt) -> bool {
    if let Some(branches) = of_assignment(unit, stmt) {
        *stmt = branches;
        in_statement(unit, stmt);
        return true;
    }
    let mut found = false;
    if let StmtKind::Compound(all) = &mut stmt.kind {
        let parted = std::mem::take(all).into_iter();
        *all = parted.flat_map(|stmt| declared(unit, stmt)).collect();
    }
    for inner in walk::inner_mut(stmt) {
        found |= in_statement(unit, inner);
    }
    found
}

/// A variable that is declared with such a value, as one that is assigned to.
fn declared(unit: &mut Unit, stmt: Stmt) -> Vec<Stmt> {
    let id = match &walk::declared(&stmt)[..] {
        [id] if matches!(&stmt.kind, StmtKind::Decl(items) if items.len() == 1) => *id,
        _ => return vec![stmt],
    };
    let is_chosen = |init: &Expr| choice(unit, init).is_some();
    if !unit[id].init.as_ref().is_some_and(is_chosen) {
        return vec![stmt];
    }
    let assigned = tree::assigned_apart(unit, id, stmt.span);
    std::iter::once(stmt).chain(assigned).collect()
}

/// An assignment of such a value as branches.
fn of_assignment(unit: &Unit, stmt: &Stmt) -> Option<Stmt> {
    let StmtKind::Expr(Expr {
        kind: ExprKind::Assign(None, to, value),
        ..
    }) = &stmt.kind
    else {
        return None;
    };
    let (cond, values) = choice(unit, value)?;
    let is_pure = !walk::has(to, |e| tree::target(e).is_some());
    let [then, otherwise] = values.map(|value| Box::new(tree::assign((**to).clone(), value)));
    let kind = StmtKind::If {
        cond,
        then,
        otherwise: Some(otherwise),
    };
    is_pure.then(|| tree::stmt(stmt.span, kind))
}

/// The condition and the values of an expression that reads what an array has at a place only if that is a place of the array.
fn choice(unit: &Unit, value: &Expr) -> Option<(Expr, [Expr; 2])> {
    match &value.kind {
        ExprKind::Cast { value: of, .. } => {
            let (cond, values) = choice(unit, of)?;
            let cast = |inner: Expr| {
                let mut cast = value.clone();
                if let ExprKind::Cast { value, .. } = &mut cast.kind {
                    **value = inner;
                }
                cast
            };
            Some((cond, values.map(cast)))
        }
        ExprKind::Cond(cond, then, otherwise) => {
            let reads = |e: &Expr| walk::has(e, |e| matches!(e.kind, ExprKind::Index(..)));
            let is_guard = is_of_place(unit, cond) && (reads(then) || reads(otherwise));
            is_guard.then(|| ((**cond).clone(), [(**then).clone(), (**otherwise).clone()]))
        }
        _ => None,
    }
}

/// Whether a condition compares sums of iterators and sizes.
fn is_of_place(unit: &Unit, cond: &Expr) -> bool {
    use BinaryOp as B;
    let cond = tree::plain(cond);
    match &cond.kind {
        ExprKind::Binary(B::And | B::Or, a, b) => is_of_place(unit, a) && is_of_place(unit, b),
        ExprKind::Unary(UnaryOp::Not, of) => is_of_place(unit, of),
        ExprKind::Binary(
            B::Less | B::LessEqual | B::Greater | B::GreaterEqual | B::Equal | B::NotEqual,
            a,
            b,
        ) => [a, b].iter().all(|e| numbers::paths(unit, e).is_some()),
        _ => false,
    }
}
