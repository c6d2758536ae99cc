//! Constants of the program by their numbers, where a condition multiplies by them.
//!
//! In: `const int N = 64;` and `if (i * N + j != x * N + y) ..`, a product of two variables. Out: `i * 64 + j != x * 64 + y`, and
//! 64 in all of the loop.

use super::{numbers, scalars, tree, walk};
use hexcc_clang::ast::{BinaryOp, DeclKind, Expr, ExprKind, Stmt, StmtKind, UnaryOp, Unit};

/// Puts numbers in the place of constants; whether a condition of the loop multiplies by one.
pub(super) fn constants(unit: &mut Unit, head: &mut Stmt, body: &mut [Stmt]) -> bool {
    let mut found = false;
    for stmt in body.iter() {
        walk::stmts(stmt, &mut |stmt| {
            if let StmtKind::If { cond, .. } = &stmt.kind {
                found |= walk::has(cond, |expr| multiplies(unit, expr));
            }
        });
    }
    if !found {
        return false;
    }
    let known = unit.clone();
    let mut number = |expr: &mut Expr| {
        if is_constant(&known, expr)
            && let Some(value) = numbers::value(&known, expr)
        {
            *expr = tree::int(expr, value);
        }
        !matches!(expr.kind, ExprKind::Unary(UnaryOp::AddressOf, _))
    };
    for stmt in std::iter::once(head).chain(body) {
        walk::change_all(unit, stmt, &mut number);
    }
    true
}

/// Whether an expression multiplies a constant of the program by something that is none.
fn multiplies(unit: &Unit, expr: &Expr) -> bool {
    let ExprKind::Binary(BinaryOp::Mul, a, b) = &expr.kind else {
        return false;
    };
    let is_constant = |e: &Expr| is_constant(unit, numbers::unwidened(unit, e));
    let varies = |e: &Expr| numbers::value(unit, e).is_none();
    is_constant(a) && varies(b) || is_constant(b) && varies(a)
}

/// Whether an expression is a variable that is a constant number.
fn is_constant(unit: &Unit, expr: &Expr) -> bool {
    let ExprKind::Var(id) = expr.kind else {
        return false;
    };
    unit[id].kind == DeclKind::Variable
        && scalars::is_integer(unit, unit[id].ty)
        && numbers::value(unit, expr).is_some()
}
