//! Pointers that a step moves before its last nest, moved behind it.
//!
//! In: `for (..) v[i] = f(u[i]); w = u; u = v; v = w; for (..) v[i] = g(u[i]); w = u; u = v; v = w;`. Out: `for (..) v[i] = f(u[i]);
//! for (..) u[i] = g(v[i]);`.

use super::behind;
use super::early;
use super::tree::{self, Namer};
use super::{inline, scalars, swaps, walk};
use hexcc_clang::ast::{DeclId, FunctionId, Span, Stmt, StmtKind, Unit};
use std::collections::{BTreeMap, HashSet};

/// Has the pointers of a loop, whose head is given, move at the end of its body; whether some did before.
pub(super) fn halves(
    unit: &mut Unit,
    namer: &mut Namer,
    function: FunctionId,
    (head, body): (&Stmt, &mut Vec<Stmt>),
) -> bool {
    let moves: Vec<_> = (body.iter())
        .map(|stmt| swaps::assignments(unit, stmt))
        .collect();
    let is_nest = |stmt: &Stmt| matches!(stmt.kind, StmtKind::For { .. });
    let Some(last) = body.iter().rposition(is_nest) else {
        return false;
    };
    let own: HashSet<DeclId> = body.iter().flat_map(walk::declared).collect();
    let outlives = |(to, _): &(DeclId, DeclId)| !own.contains(to);
    if !moves[..last].iter().flatten().flatten().any(outlives) {
        return false;
    }
    let all: Vec<(DeclId, DeclId)> = moves.iter().flatten().flatten().copied().collect();
    let Some(cycles) = at_end(unit, function, (head, body), &all) else {
        return false;
    };
    let is_move = |at: usize| moves.get(at).is_some_and(Option::is_some);
    let n_runs = (0..body.len())
        .filter(|&at| is_move(at) && (at == 0 || !is_move(at - 1)))
        .count();
    let (mut rest, mut last_moves, mut n_moved) = (Vec::new(), Vec::new(), 0);
    for (mut stmt, moves) in std::mem::take(body).into_iter().zip(moves) {
        match moves {
            Some(moves) => {
                n_moved += moves.len();
                last_moves.push(stmt);
            }
            None => {
                let now = swaps::after(all[..n_moved].iter().copied());
                behind::rename(unit, &mut stmt, &now);
                rest.push(stmt);
            }
        }
    }
    match n_runs {
        1 => rest.extend(last_moves),
        _ => {
            for cycle in cycles {
                rest.extend(rotation(unit, namer, &cycle, head.span));
            }
        }
    }
    *body = rest;
    true
}

/// The circles that pointers make by the end of a step, as [`swaps::cycles`] has them; `None` where others may see them
/// meanwhile, or where they do not take turns.
fn at_end(
    unit: &Unit,
    function: FunctionId,
    (head, body): (&Stmt, &[Stmt]),
    all: &[(DeclId, DeclId)],
) -> Option<Vec<Vec<DeclId>>> {
    let (swaps, others): (Vec<Stmt>, Vec<Stmt>) =
        (body.iter().cloned()).partition(|stmt| swaps::assignments(unit, stmt).is_some());
    let now = swaps::after(all.iter().copied());
    let moved: Vec<DeclId> = now.keys().copied().collect();
    // What other functions use is more than held.
    let of_file = super::globals(unit);
    let is_held = |id: DeclId| {
        !of_file.contains(&unit[id].first) && early::is_held_alone(unit, function, id, &swaps)
    };
    let is_seen = |id: &DeclId| {
        let changes = others.iter().any(|stmt| inline::changes(unit, stmt, *id));
        let is_reached = scalars::is_pointed_to_beside(unit, *id, (Some(head.span), body));
        changes || is_reached || walk::uses(unit, head, *id)
    };
    let is_own =
        |id: &DeclId| scalars::is_automatic(unit, *id) && tree::is_pointer(unit, unit[*id].ty);
    if !moved.iter().all(is_own)
        || moved.iter().any(is_seen)
        || others.iter().any(walk::leaves)
        || scalars::are_seen_by_calls(unit, body, &moved)
    {
        return None;
    }
    let turned: BTreeMap<DeclId, DeclId> = (now.into_iter())
        .filter(|(to, from)| to != from && !is_held(*to))
        .collect();
    if turned.is_empty() {
        return Some(Vec::new());
    }
    let cycles = swaps::circles(&turned, turned.keys().copied())?;
    let take_turns = cycles.iter().map(Vec::len).sum::<usize>() == turned.len();
    take_turns.then_some(cycles)
}

/// `w = u; u = v; v = w;`
fn rotation(unit: &mut Unit, namer: &mut Namer, cycle: &[DeclId], span: Span) -> Vec<Stmt> {
    let value = tree::var(unit, cycle[0], span);
    let before = tree::pointer_like(unit, namer, (cycle[0], "before"), value);
    let sources = cycle[1..].iter().chain([&before]);
    let moves = cycle.iter().zip(sources).map(|(to, from)| {
        let [to, from] = [to, from].map(|id| tree::var(unit, *id, span));
        tree::assign(to, from)
    });
    std::iter::once(tree::declaration(unit, before))
        .chain(moves)
        .collect()
}
