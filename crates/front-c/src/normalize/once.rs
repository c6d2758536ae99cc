//! What macros swap: the passes print what they expand to.
//!
//! In: `SWAP(u, v);` in the body of a time loop, with or without `do { .. } while (0)`. Out: a block, or the statements.

use super::tree;
use super::walk;
use hexcc_clang::ast::{ExprKind, Stmt, StmtKind, Unit};

/// Makes blocks of loops that run once; whether a macro assigns to pointers.
pub(super) fn once(unit: &Unit, body: &mut [Stmt]) -> bool {
    let mut found = false;
    for stmt in body {
        found |= stmt.span.expansion.is_some() && moves_pointers(unit, stmt);
        let StmtKind::Do { body: inner, cond } = &stmt.kind else {
            continue;
        };
        if tree::is_number(cond, 0) && !walk::leaves(inner) && moves_pointers(unit, inner) {
            *stmt = (**inner).clone();
            found = true;
        }
    }
    found
}

fn moves_pointers(unit: &Unit, stmt: &Stmt) -> bool {
    walk::any(
        unit,
        stmt,
        |expr| matches!(&expr.kind, ExprKind::Assign(_, to, _) if tree::is_pointer(unit, to.ty)),
    )
}
