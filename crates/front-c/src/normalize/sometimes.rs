//! Numbers of the cells that the host asks for in every few steps, in each step.
//!
//! In: `if (t % 10 == 0) { err = 0; for (..) err = fmax(err, ..); if (err < tol) break; }`. Out: `double err_now = 0; for (..)
//! err_now = fmax(err_now, ..); if (t % 10 == 0) { err = 0; err = err_now; if (err < tol) break; }`.
//!
//! Such loops change nothing else, so that it is not seen that they run more often; and steps are all the same then.

use super::converge::{begun, is_of_cells, is_of_host, is_plain_step};
use super::hosted::Hosted;
use super::scalars;
use super::tree::{self, Namer};
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, Unit};
use std::collections::{HashMap, HashSet};

/// Takes such loops of a body out of their conditions.
pub(super) fn sometimes(unit: &mut Unit, namer: &mut Namer, body: &mut Vec<Stmt>, hosted: &Hosted) {
    let mut all = Vec::new();
    for stmt in std::mem::take(body) {
        match taken_out(unit, namer, hosted, &stmt) {
            Some(parts) => all.extend(parts),
            None => all.push(stmt),
        }
    }
    *body = all;
}

/// What one statement becomes.
fn taken_out(
    unit: &mut Unit,
    namer: &mut Namer,
    hosted: &Hosted,
    stmt: &Stmt,
) -> Option<Vec<Stmt>> {
    let (cond, then) = tree::conditional(stmt)?;
    let is_rest = |e: &Expr| matches!(e.kind, ExprKind::Binary(BinaryOp::Rem, ..));
    if !is_of_host(unit, hosted, cond) || !walk::has(cond, is_rest) {
        return None;
    }
    let branch = tree::block(then.clone());
    let numbers = numbers(unit, hosted, &branch)?;
    let mut now = HashMap::new();
    let mut all = Vec::new();
    for (id, begins) in numbers {
        let name = namer.fresh(&format!("{}_now", unit[id].name));
        let ty = tree::unqualified(unit, unit[id].ty);
        let other = tree::variable(unit, name, ty, Some(begins), stmt.span);
        all.push(tree::declaration(unit, other));
        now.insert(id, other);
    }
    let mut left = Vec::new();
    for mut part in branch {
        if !is_of_cells(unit, hosted, &part) {
            left.push(part);
            continue;
        }
        let mut own: Vec<DeclId> = scalars::changed(unit, &part)
            .into_iter()
            .filter(|id| now.contains_key(id))
            .collect();
        own.sort_by_key(|id| id.0);
        for id in own {
            let [to, from] = [id, now[&id]].map(|id| tree::var(unit, id, part.span));
            left.push(tree::assign(to, from));
        }
        walk::change_all(unit, &mut part, &mut |expr| {
            if let ExprKind::Var(id) = &mut expr.kind
                && let Some(other) = now.get(id)
            {
                *id = *other;
            }
            true
        });
        all.push(part);
    }
    all.push(Stmt {
        id: stmt.id,
        ..tree::when(cond.clone(), left)
    });
    Some(all)
}

/// The numbers that loops of a branch fold into, each with what it begins with; `None` where there are none, or where the loops do
/// more, or need more of the branch.
fn numbers(unit: &Unit, hosted: &Hosted, branch: &[Stmt]) -> Option<Vec<(DeclId, Expr)>> {
    let is_loop = |stmt: &&Stmt| is_of_cells(unit, hosted, stmt);
    let mut found: Vec<(DeclId, Expr)> = Vec::new();
    for (at, stmt) in branch.iter().enumerate().filter(|(_, s)| is_loop(s)) {
        let own: HashSet<DeclId> = walk::all_declared(stmt).into_iter().collect();
        if !matches!(stmt.kind, StmtKind::For { .. })
            || !is_plain_step(unit, stmt)
            || scalars::stores(unit, stmt)
        {
            return None;
        }
        let changed = scalars::changed(unit, stmt);
        let mut changed: Vec<DeclId> = changed.into_iter().filter(|id| !own.contains(id)).collect();
        changed.sort_by_key(|id| id.0);
        for id in changed {
            let users = branch.iter().filter(is_loop);
            let is_its_own = users.filter(|s| walk::uses(unit, s, id)).count() == 1;
            let begins = (branch[..at].iter().rev()).find_map(|s| begun(unit, s, id))?;
            if !is_its_own {
                return None;
            }
            found.push((id, begins));
        }
        let others = branch.iter().filter(|stmt| !is_loop(stmt));
        let given = others.flat_map(|s| {
            let changed = scalars::changed(unit, s);
            changed.into_iter().chain(walk::all_declared(s))
        });
        let needs_more = given
            .filter(|id| found.iter().all(|(number, _)| number != id))
            .any(|id| walk::uses(unit, stmt, id));
        if needs_more {
            return None;
        }
    }
    (!found.is_empty()).then_some(found)
}
