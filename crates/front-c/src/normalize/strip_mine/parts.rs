//! What the body of a time loop is made of: steps, and what the host does around and between them.

use super::{Ends, TimeLoop, condition};
use crate::normalize::scalars::{self, Scalars};
use crate::normalize::{inline, tree, walk};
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, Storage, TypeId, Unit};
use std::collections::{HashMap, HashSet};

/// Steps below which a segment is not worth the copies for its tiles.
const FEW: i128 = 4;

/// What a body is made of.
#[derive(Default)]
pub(super) struct Parts<'a> {
    /// What the host does before the steps.
    pub before: &'a [Stmt],
    pub steps: &'a [Stmt],
    /// What it does behind them.
    pub behind: &'a [Stmt],
    /// Numbers of the next step.
    pub tail: &'a [Stmt],
    /// A whole step in which the host takes part, where it does so between sweeps.
    pub peeled: &'a [Stmt],
}

impl Parts<'_> {
    pub fn has_events_behind(&self) -> bool {
        !(self.behind.is_empty() && self.peeled.is_empty())
    }

    /// What the host does, outside of peeled steps.
    pub fn outer_events(&self) -> impl Iterator<Item = &Stmt> {
        self.before.iter().chain(self.behind)
    }

    /// What the host does between the sweeps of a peeled step.
    pub fn inner_events(&self, unit: &Unit) -> Vec<&Stmt> {
        let is_event = |stmt: &&Stmt| is_event(unit, stmt, Ends::AtCalls);
        self.peeled.iter().filter(is_event).collect()
    }
}

/// What the host does at both ends of a body, and the steps between.
pub(super) fn parts<'a>(unit: &Unit, body: &'a [Stmt], ends: Ends) -> Option<Parts<'a>> {
    let is_event = |stmt: &&Stmt| is_event(unit, stmt, ends);
    let n_before = body.iter().take_while(is_event).count();
    let (before, rest) = body.split_at(n_before);
    let none = Scalars::of(unit, &[])?;
    let n_tail = (rest.iter().rev())
        .take_while(|stmt| none.is_scalar(stmt))
        .count();
    let (mut rest, mut tail) = rest.split_at(rest.len() - n_tail);
    let n_behind = rest.iter().rev().take_while(is_event).count();
    if n_behind == 0 {
        (rest, tail) = (&body[n_before..], &[]);
    }
    let (steps, behind) = rest.split_at(rest.len() - n_behind);
    let is_rare = |stmt: &Stmt| !matches!(&stmt.kind, StmtKind::If { cond, .. } if is_often(cond));
    before.iter().chain(behind).all(is_rare).then_some(Parts {
        before,
        steps,
        behind,
        tail,
        peeled: &[],
    })
}

/// A body without what the host does between its sweeps; `None` where the host does nothing there.
pub(super) fn without_events(unit: &Unit, body: &[Stmt], ends: Ends) -> Option<Vec<Stmt>> {
    let is_event = |stmt: &Stmt| is_event(unit, stmt, Ends::AtCalls);
    let parts = parts(unit, body, ends).filter(|_| ends == Ends::AtCalls)?;
    let is_rare = |stmt: &Stmt| condition(stmt).is_none_or(|cond| !is_often(&cond));
    if !parts.steps.iter().any(is_event) || !body.iter().all(is_rare) {
        return None;
    }
    Some(
        (body.iter())
            .filter(|stmt| !is_event(stmt))
            .cloned()
            .collect(),
    )
}

/// The statements with variables of their own; `None` where these outlive a step.
pub(in crate::normalize) fn copied(unit: &mut Unit, body: &[Stmt]) -> Option<Vec<Stmt>> {
    let span = body.first()?.span;
    let mut all = tree::stmt(span, StmtKind::Compound(body.to_vec()));
    let mut meant = HashMap::new();
    for id in walk::all_declared(&all) {
        if !matches!(unit[id].storage, Storage::None | Storage::Register) {
            return None;
        }
        let copy = tree::copied(unit, id);
        meant.insert(id, tree::var(unit, copy, span));
    }
    inline::rename(unit, &mut all, &meant);
    Some(tree::block(all))
}

/// Whether a statement is work of the host at some of the steps.
pub(super) fn is_event(unit: &Unit, stmt: &Stmt, ends: Ends) -> bool {
    let Some((_, then)) = tree::conditional(stmt) else {
        return false;
    };
    ends == Ends::AtAll || Scalars::of(unit, std::slice::from_ref(then)).is_none()
}

/// Whether a condition holds in every few steps: `t % 2 == 0`.
fn is_often(cond: &Expr) -> bool {
    let ExprKind::Binary(BinaryOp::Equal, rest, _) = &tree::plain(cond).kind else {
        return false;
    };
    match &tree::plain(rest).kind {
        ExprKind::Binary(BinaryOp::Rem, _, by) => {
            matches!(tree::plain(by).kind, ExprKind::Int(n) if n < FEW)
        }
        _ => false,
    }
}

pub(super) fn sweeps(stmt: &Stmt) -> bool {
    let mut found = false;
    walk::stmts(stmt, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::For { .. })
    });
    found
}

/// Whether the host can go ahead: its numbers depend on nothing that the steps change, and nothing walk::leaves.
pub(super) fn is_known(
    unit: &Unit,
    scalars: &Scalars,
    time_loop: &TimeLoop,
    parts: &Parts,
) -> bool {
    let inner = parts.inner_events(unit);
    let cond =
        |stmt: &Stmt| matches!(&stmt.kind, StmtKind::If { cond, .. } if scalars.is_value(cond));
    let in_steps = || parts.steps.iter().chain(parts.tail);
    let values = time_loop.cond.is_none_or(|cond| scalars.is_value(cond))
        && time_loop.step.is_none_or(|step| scalars.is_step(step))
        && parts.tail.iter().all(|stmt| scalars.is_scalar(stmt))
        && parts.outer_events().all(cond)
        && inner.iter().all(|stmt| cond(stmt));
    let declared: HashSet<DeclId> = in_steps()
        .filter(|stmt| !scalars.is_scalar(stmt))
        .flat_map(walk::declared)
        .collect();
    let uses = |stmt: &Stmt| {
        walk::any(
            unit,
            stmt,
            |e| matches!(e.kind, ExprKind::Var(id) if declared.contains(&id)),
        )
    };
    values
        && !in_steps().any(walk::leaves)
        && !parts.outer_events().any(uses)
        && are_told_before(unit, parts)
        && !are_reached(unit, scalars, time_loop, parts)
}

/// Whether the conditions of a peeled step have their values before it: nothing in it changes what they read.
fn are_told_before(unit: &Unit, parts: &Parts) -> bool {
    let all = || parts.steps.iter().chain(parts.peeled);
    let is_event = |stmt: &&Stmt| is_event(unit, stmt, Ends::AtCalls);
    let others = all().filter(|stmt| !is_event(stmt));
    let changed: HashSet<DeclId> = others
        .flat_map(|stmt| scalars::changed(unit, stmt))
        .collect();
    let reads = |cond: &Expr| {
        walk::has(
            cond,
            |e| matches!(e.kind, ExprKind::Var(id) if changed.contains(&id)),
        )
    };
    let calls = |cond: &Expr| walk::has(cond, |e| matches!(e.kind, ExprKind::Call(..)));
    let conditions = (parts.inner_events(unit).into_iter()).filter_map(condition);
    conditions
        .into_iter()
        .all(|cond| !reads(&cond) && !calls(&cond))
}

/// Whether a store of the steps may change a number of the host through a pointer.
fn are_reached(unit: &Unit, scalars: &Scalars, time_loop: &TimeLoop, parts: &Parts) -> bool {
    let mut stored: Vec<TypeId> = Vec::new();
    let others = parts.steps.iter().filter(|stmt| !scalars.is_scalar(stmt));
    let mut calls = false;
    for stmt in others {
        walk::all(unit, stmt, &mut |expr| {
            if let Some(to) = tree::target(expr)
                && !matches!(tree::plain(to).kind, ExprKind::Var(_))
            {
                stored.push(to.ty);
            }
            calls |= matches!(expr.kind, ExprKind::Call(..));
            true
        });
    }
    let mut read: HashSet<DeclId> = HashSet::new();
    let mut look = |expr: &Expr| walk::variables(expr, &mut read);
    time_loop
        .cond
        .into_iter()
        .chain(time_loop.step)
        .for_each(&mut look);
    for stmt in parts
        .steps
        .iter()
        .chain(parts.tail)
        .filter(|stmt| scalars.is_scalar(stmt))
    {
        walk::stmts(stmt, &mut |stmt| walk::exprs(unit, stmt, &mut look));
    }
    let inner = parts.inner_events(unit);
    for cond in parts.outer_events().chain(inner).filter_map(condition) {
        look(&cond);
    }
    let is_stored = |id: &DeclId| {
        calls
            || stored
                .iter()
                .any(|ty| tree::may_be_one(unit, *ty, unit[*id].ty))
    };
    read.iter()
        .any(|id| is_stored(id) && scalars::is_pointed_to(unit, *id))
}
