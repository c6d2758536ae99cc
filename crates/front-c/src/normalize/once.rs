//! What a macro puts into `do { .. } while (0)`.
//!
//! In: such a loop in the body of a time loop. Out: its statements, where what they declare has a name of its own.

use super::tree;
use super::walk;
use hexcc_clang::ast::{Stmt, StmtKind, Unit};
use std::collections::HashMap;

/// Replaces loops that run once; whether there were any.
pub(super) fn once(unit: &Unit, body: &mut Vec<Stmt>) -> bool {
    let mut names: HashMap<String, usize> = HashMap::new();
    for decl in &unit.decls {
        *names.entry(decl.name.clone()).or_default() += 1;
    }
    let before = body.len();
    let mut found = false;
    for at in (0..before).rev() {
        let StmtKind::Do { body: inner, cond } = &body[at].kind else {
            continue;
        };
        let is_alone = |id: &hexcc_clang::ast::DeclId| names.get(&unit[*id].name) == Some(&1);
        let declared = walk::all_declared(inner);
        if tree::is_number(cond, 0) && !jumps(inner) && declared.iter().all(is_alone) {
            let inner = tree::block((**inner).clone());
            body.splice(at..=at, inner);
            found = true;
        }
    }
    found
}

/// Whether a `break` or `continue` is one of the loop that a statement is the body of.
fn jumps(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Do { .. } => false,
        _ => walk::inner(stmt).into_iter().any(jumps),
    }
}
