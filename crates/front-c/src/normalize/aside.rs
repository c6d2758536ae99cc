//! Numbers that a time loop counts and that its steps do not read, in a loop of their own.
//!
//! In: `for (n = 0; n < steps; n++) { STEP; t += dt; }`. Out: `for (n = 0; n < steps; n++) { t += dt; }` and the same loop with the
//! steps alone, so that these end with what moves planes.

use super::Normal;
use super::scalars::{self, Scalars};
use super::tree;
use super::walk;
use hexcc_clang::ast::{DeclId, Expr, Stmt, StmtKind, Unit};
use std::collections::HashSet;

/// The statements of a loop that are nothing but such numbers, taken out of it, in a loop like it.
pub(super) fn aside(of: &mut Normal) -> Option<Stmt> {
    let (unit, head) = (&of.unit, &of.head);
    let (init, [cond, step], _) = tree::counted(head)?;
    let scalars = Scalars::of(unit, &of.body)?;
    let (iterator, first) = tree::begins(unit, init)?;
    let is_counted = tree::adds_one(step, iterator)
        && [first, cond].into_iter().all(|e| scalars.is_value(e))
        && !walk::mentions(first, iterator);
    let leaves = of.body.iter().any(walk::leaves);
    let named = of_head([first, cond], iterator);
    let changes = |stmt: &Stmt| {
        let mut changed = scalars::changed(unit, stmt).into_iter();
        changed.any(|id| id == iterator || named.contains(&id))
    };
    if !is_counted || leaves || of.body.iter().any(changes) {
        return None;
    }
    let taken = taken(unit, &scalars, iterator, (head, &of.body));
    let assigns = |at: &usize| !walk::all_declared(&of.body[*at]).is_empty();
    if taken.iter().all(assigns) {
        return None;
    }
    let (mut own, mut rest) = (Vec::new(), Vec::new());
    for (at, stmt) in of.body.iter().enumerate() {
        match taken.contains(&at) {
            true => own.push(stmt.clone()),
            false => rest.push(stmt.clone()),
        }
    }
    let mut counts = head.clone();
    if let StmtKind::For { body, .. } = &mut counts.kind {
        **body = tree::stmt(head.span, StmtKind::Compound(own));
    }
    of.body = rest;
    Some(counts)
}

/// The variables that decide how often a loop runs.
fn of_head(parts: [&Expr; 2], iterator: DeclId) -> HashSet<DeclId> {
    let mut named = HashSet::new();
    for part in parts {
        walk::variables(part, &mut named);
    }
    named.remove(&iterator);
    named
}

/// The statements that assign numbers which no other one and no head reads, and that read no number which another one changes.
fn taken(
    unit: &Unit,
    scalars: &Scalars,
    iterator: DeclId,
    (head, body): (&Stmt, &[Stmt]),
) -> HashSet<usize> {
    let is_number = |stmt: &Stmt| !matches!(stmt.kind, StmtKind::Null) && scalars.is_scalar(stmt);
    let mut taken: HashSet<usize> = (0..body.len()).filter(|at| is_number(&body[*at])).collect();
    loop {
        let others = || {
            let others = (0..body.len()).filter(|at| !taken.contains(at));
            others.map(|at| &body[at]).chain([head])
        };
        let theirs: HashSet<DeclId> = others()
            .flat_map(|stmt| scalars::changed(unit, stmt))
            .filter(|id| *id != iterator)
            .collect();
        let left: Vec<Stmt> = others().cloned().collect();
        let called = walk::called(unit, &left);
        let called = || called.iter().filter_map(|f| unit.body_of(*f));
        let stays = |at: &&usize| {
            let stmt = &body[**at];
            let changed = scalars::changed(unit, stmt);
            let is_read = |id: &DeclId| {
                let mut all = others().chain(called());
                all.any(|other| walk::uses(unit, other, *id)) || scalars::is_pointed_to(unit, *id)
            };
            let reads = |id: &DeclId| walk::uses(unit, stmt, *id);
            changed.iter().any(is_read) || theirs.iter().any(reads)
        };
        let gone: Vec<usize> = taken.iter().filter(stays).copied().collect();
        if gone.is_empty() {
            return taken;
        }
        taken.retain(|at| !gone.contains(at));
    }
}
