//! Pointers that a step moves before its last nest, moved behind it.
//!
//! In: `for (..) v[i] = f(u[i]); w = u; u = v; v = w; for (..) v[i] = g(u[i]); w = u; u = v; v = w;`. Out: `for (..) v[i] = f(u[i]);
//! for (..) u[i] = g(v[i]);`.

use super::behind;
use super::early;
use super::tree::{self, Namer};
use super::{inline, scalars, swaps, walk};
use hexcc_clang::ast::{DeclId, DeclKind, FunctionId, Span, Stmt, StmtKind, Storage, Unit};
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
    let Some(end) = End::of(unit, function, (head, body), &all) else {
        return false;
    };
    let is_move = |at: usize| moves.get(at).is_some_and(Option::is_some);
    let n_runs = (0..body.len())
        .filter(|&at| is_move(at) && (at == 0 || !is_move(at - 1)))
        .count();
    let mut now: BTreeMap<DeclId, DeclId> = BTreeMap::new();
    let (mut rest, mut last_moves) = (Vec::new(), Vec::new());
    for (mut stmt, moves) in std::mem::take(body).into_iter().zip(moves) {
        let Some(moves) = moves else {
            behind::rename(unit, &mut stmt, &now);
            rest.push(stmt);
            continue;
        };
        last_moves.push(stmt);
        for (to, from) in moves {
            let value = now.get(&from).copied().unwrap_or(from);
            now.insert(to, value);
        }
    }
    match n_runs {
        1 => rest.extend(last_moves),
        _ => {
            for cycle in end.cycles {
                rest.extend(rotation(unit, namer, &cycle, head.span));
            }
        }
    }
    *body = rest;
    true
}

/// What pointers are at the end of a step.
struct End {
    /// Each is what the next one was before the step.
    cycles: Vec<Vec<DeclId>>,
}

impl End {
    /// `None` where others may see them meanwhile, or where they do not take turns.
    fn of(
        unit: &Unit,
        function: FunctionId,
        (head, body): (&Stmt, &[Stmt]),
        all: &[(DeclId, DeclId)],
    ) -> Option<End> {
        let is_move = |stmt: &&Stmt| swaps::assignments(unit, stmt).is_some();
        let swaps: Vec<Stmt> = body.iter().filter(is_move).cloned().collect();
        let others: Vec<&Stmt> = body.iter().filter(|stmt| !is_move(stmt)).collect();
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
        let mut moved: Vec<DeclId> = all.iter().map(|(to, _)| *to).collect();
        moved.sort_by_key(|id| id.0);
        moved.dedup();
        let is_own =
            |id: &DeclId| scalars::is_automatic(unit, *id) && tree::is_pointer(unit, unit[*id].ty);
        if !moved.iter().all(is_own)
            || moved.iter().any(is_seen)
            || others.iter().any(|s| walk::leaves(s))
            || scalars::are_seen_by_calls(unit, body, &moved)
        {
            return None;
        }
        let now = swaps::after(all.iter().copied());
        let turned: Vec<(DeclId, DeclId)> = (now.into_iter())
            .filter(|(to, from)| to != from && !is_held(*to))
            .collect();
        let cycles = match turned.is_empty() {
            true => Vec::new(),
            false => together(&turned)?,
        };
        Some(End { cycles })
    }
}

/// The circles that pointers make, each of which gets what another one was.
fn together(turned: &[(DeclId, DeclId)]) -> Option<Vec<Vec<DeclId>>> {
    let next: BTreeMap<DeclId, DeclId> = turned.iter().copied().collect();
    let mut cycles: Vec<Vec<DeclId>> = Vec::new();
    for (first, _) in turned {
        if cycles.iter().flatten().any(|id| id == first) {
            continue;
        }
        let mut cycle = vec![*first];
        loop {
            let to = *next.get(cycle.last()?)?;
            if to == *first {
                break;
            }
            if cycle.contains(&to) {
                return None;
            }
            cycle.push(to);
        }
        cycles.push(cycle);
    }
    Some(cycles)
}

/// `w = u; u = v; v = w;`
fn rotation(unit: &mut Unit, namer: &mut Namer, cycle: &[DeclId], span: Span) -> Vec<Stmt> {
    let first = cycle[0];
    let copy = tree::copied(unit, first);
    let name = namer.fresh(&format!("{}_before", unit[first].name));
    let ty = tree::unqualified(unit, unit[first].ty);
    let value = tree::var(unit, first, span);
    let decl = &mut unit[copy];
    (decl.name, decl.ty, decl.init) = (name, ty, Some(value));
    (decl.kind, decl.storage) = (DeclKind::Variable, Storage::None);
    let sources = cycle[1..].iter().chain([&copy]);
    let all = cycle.iter().zip(sources);
    let moves = all
        .map(|(to, from)| tree::assign(tree::var(unit, *to, span), tree::var(unit, *from, span)));
    std::iter::once(tree::declaration(unit, copy))
        .chain(moves)
        .collect()
}
