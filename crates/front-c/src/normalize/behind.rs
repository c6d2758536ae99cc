//! Nests behind the moves of pointers, before them.
//!
//! In: `w = u; u = v; v = w; for (..) .. u[i] - v[i] ..`. Out: `for (..) .. v[i] - u[i] ..; w = u; u = v; v = w;`.

use super::scalars;
use super::swaps;
use super::tree;
use super::walk;
use hexcc_clang::ast::{DeclId, Expr, ExprKind, Item, Stmt, StmtKind, Unit};
use std::collections::BTreeMap;
use std::ops::Range;

/// Has pointers move behind the last nest of a body.
pub(super) fn behind(unit: &mut Unit, body: &mut [Stmt]) {
    let Some(last) = (body.iter()).rposition(|stmt| matches!(stmt.kind, StmtKind::For { .. }))
    else {
        return;
    };
    let found = runs(unit, &body[..last])
        .into_iter()
        .find_map(|moves| Some((meant(unit, body, (&moves, last))?, moves)));
    let Some((meant, moves)) = found else {
        return;
    };
    for stmt in &mut body[moves.end..=last] {
        rename(unit, stmt, &meant);
    }
    body[moves.start..=last].rotate_left(moves.len());
}

/// Has a statement use the pointers that others are.
pub(super) fn rename(unit: &mut Unit, stmt: &mut Stmt, meant: &BTreeMap<DeclId, DeclId>) {
    let names: BTreeMap<DeclId, Expr> = (meant.iter())
        .map(|(id, to)| (*id, tree::var(unit, *to, stmt.span)))
        .collect();
    walk::change_all(unit, stmt, &mut |expr| {
        let to = match &expr.kind {
            ExprKind::Var(id) => names.get(id),
            _ => None,
        };
        if let Some(to) = to {
            *expr = Expr {
                span: expr.span,
                ..to.clone()
            };
        }
        true
    });
}

/// The runs of statements that move pointers, one of which outlives the body.
fn runs(unit: &Unit, body: &[Stmt]) -> Vec<Range<usize>> {
    let is_move: Vec<bool> = body.iter().map(|s| moved(unit, s).is_some()).collect();
    let starts = (0..body.len()).filter(|&at| is_move[at] && (at == 0 || !is_move[at - 1]));
    let run = |at: usize| {
        at..(at..body.len())
            .find(|n| !is_move[*n])
            .unwrap_or(body.len())
    };
    let outlives = |run: &Range<usize>| {
        let mut all = body[run.clone()].iter();
        all.any(|stmt| matches!(stmt.kind, StmtKind::Expr(_)))
    };
    starts.map(run).filter(outlives).collect()
}

/// What pointers mean behind their moves, in those from before; `None` where statements up to the last do not allow that
/// they move later.
fn meant(
    unit: &Unit,
    body: &[Stmt],
    (moves, last): (&Range<usize>, usize),
) -> Option<BTreeMap<DeclId, DeclId>> {
    let meant = meaning(unit, &body[moves.clone()])?;
    let all = || meant.iter().flat_map(|(to, from)| [*to, *from]);
    let ids: Vec<DeclId> = all().collect();
    if scalars::are_seen_by_calls(unit, &body[moves.end..=last], &ids) {
        return None;
    }
    let stays = |stmt: &Stmt| {
        let changed = scalars::changed(unit, stmt);
        !all().any(|id| changed.contains(&id)) && !walk::leaves(stmt)
    };
    let is_known = !all().any(|id| scalars::is_pointed_to(unit, id));
    (is_known && body[moves.end..=last].iter().all(stays)).then_some(meant)
}

/// What pointers mean behind moves, in those from before.
pub(super) fn meaning(unit: &Unit, moves: &[Stmt]) -> Option<BTreeMap<DeclId, DeclId>> {
    let all: Option<Vec<_>> = moves.iter().map(|stmt| moved(unit, stmt)).collect();
    Some(swaps::after(all?.into_iter()))
}

/// The pointers of `u = v;` and of `float *u = v;`.
pub(super) fn moved(unit: &Unit, stmt: &Stmt) -> Option<(DeclId, DeclId)> {
    let (to, value) = match &stmt.kind {
        StmtKind::Expr(expr) => match &expr.kind {
            ExprKind::Assign(None, to, value) => match tree::plain(to).kind {
                ExprKind::Var(id) => (id, &**value),
                _ => return None,
            },
            _ => return None,
        },
        StmtKind::Decl(items) => match items.as_slice() {
            [Item::Decl(id)] => (*id, unit[*id].init.as_ref()?),
            _ => return None,
        },
        _ => return None,
    };
    let is_plain = |id: DeclId| {
        let decl = &unit[id];
        let is_volatile = unit[decl.ty].is_volatile || unit.canonical(decl.ty).is_volatile;
        tree::is_pointer(unit, decl.ty) && !is_volatile && !decl.is_thread_local
    };
    match tree::plain(value).kind {
        ExprKind::Var(from) => (is_plain(to) && is_plain(from)).then_some((to, from)),
        _ => None,
    }
}
