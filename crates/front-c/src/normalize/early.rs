//! Pointers that a step moves before all else, moved behind it.
//!
//! In: `for (..) { w = u; u = v; v = w; STEP }`. Out: the same before the loop, `for (..) { STEP w = u; u = v; v = w; }`, and what
//! undoes it behind the loop.

use super::promote::Around;
use super::strip_mine::copied;
use super::{inline, scalars, swaps, tree, walk};
use hexcc_clang::ast::{DeclId, FunctionId, Stmt, StmtKind, Unit};

/// Moves the pointers behind a step of a loop, whose head is given; `None` where it moves none first.
pub(super) fn early(
    unit: &mut Unit,
    function: FunctionId,
    (head, body): (&Stmt, &mut Vec<Stmt>),
) -> Option<Around> {
    let moves = |stmt: &&Stmt| is_nothing(unit, stmt) || swaps::assignments(unit, stmt).is_some();
    let n_moves = body.iter().take_while(moves).count();
    let (swap, rest) = body.split_at(n_moves);
    let of = |stmt: &Stmt| swaps::assignments(unit, stmt).unwrap_or_default();
    let assigned: Vec<(DeclId, DeclId)> = swap.iter().flat_map(of).collect();
    let cycles = swaps::cycles(&assigned)?;
    let length = cycles.first()?.len();
    let in_cycle = |id: &DeclId| cycles.iter().flatten().any(|member| member == id);
    let is_moved = |id: &DeclId| match in_cycle(id) {
        true => is_moved_alone(unit, *id, (head, rest)),
        false => is_held_alone(unit, function, *id, swap),
    };
    let is_it = cycles.iter().all(|cycle| cycle.len() == length)
        && assigned.iter().all(|(to, _)| is_moved(to))
        && !rest.iter().any(walk::leaves);
    if !is_it || rest.is_empty() {
        return None;
    }
    let swap = swap.to_vec();
    let mut again = || {
        let all = copied(unit, &swap)?;
        Some(tree::stmt(head.span, StmtKind::Compound(all)))
    };
    // So often it is what undoes it.
    let after: Option<Vec<Stmt>> = (1..length).map(|_| again()).collect();
    let around = Around {
        before: vec![again()?],
        after: after?,
        when: None,
    };
    body.rotate_left(n_moves);
    Some(around)
}

/// Whether a statement does nothing, or declares pointers alone.
fn is_nothing(unit: &Unit, stmt: &Stmt) -> bool {
    let declared = walk::declared(stmt);
    let is_pointer = |id: &DeclId| unit[*id].init.is_none() && tree::is_pointer(unit, unit[*id].ty);
    matches!(stmt.kind, StmtKind::Null) || !declared.is_empty() && declared.iter().all(is_pointer)
}

/// Whether a pointer is the function's own, and neither the rest of a step nor the head of the loop changes or asks it.
fn is_moved_alone(unit: &Unit, id: DeclId, (head, rest): (&Stmt, &[Stmt])) -> bool {
    scalars::is_automatic(unit, id)
        && !scalars::is_pointed_to(unit, id)
        && !walk::uses(unit, head, id)
        && !rest.iter().any(|stmt| inline::changes(unit, stmt, id))
}

/// Whether a variable is used in some statements of a function alone.
pub(super) fn is_held_alone(unit: &Unit, function: FunctionId, id: DeclId, swap: &[Stmt]) -> bool {
    let uses = |stmt: &Stmt| walk::n_uses(unit, stmt, id);
    let all = unit[function].body.as_ref().map_or(0, uses);
    scalars::is_automatic(unit, id) && all <= swap.iter().map(uses).sum()
}
