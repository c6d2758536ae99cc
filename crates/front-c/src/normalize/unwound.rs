//! Loops that end between their last nest and the moves of pointers behind it.
//!
//! In: `for (..) .. v[i] = ..; if (err < tol) break; w = u; u = v; v = w;`. Out: `for (..) .. v[i] = ..; w = u; u = v; v = w;
//! if (err < tol) { back = 1; break; }`, and behind the loop `if (back) { .. }`, which undoes these moves.

use super::behind;
use super::converge::{breaks, is_of_cells, says_so};
use super::hosted::Hosted;
use super::scalars;
use super::tree::{self, Namer};
use super::walk;
use hexcc_clang::ast::{Builtin, DeclId, Expr, ExprKind, Span, Stmt, Unit};
use std::ops::Range;

/// What undoes the moves.
pub(super) struct Unwound {
    /// The declaration of the variable that says whether that is to be done.
    pub before: Stmt,
    pub behind: Stmt,
}

/// Has the last moves of a body, the one of the loop at `span`, come before what the host does; `None` where nothing is to be undone.
pub(super) fn unwound(
    unit: &mut Unit,
    namer: &mut Namer,
    (body, span): (&mut [Stmt], Span),
    hosted: &Hosted,
) -> Option<Unwound> {
    let moves = last_moves(unit, hosted, body)?;
    let first = (body[..moves.start].iter()).rposition(|s| is_of_cells(unit, hosted, s))? + 1;
    if !body[first..moves.start].iter().any(breaks) {
        return None;
    }
    let meant = behind::meaning(unit, &body[moves.clone()])?;
    let is_own = |id: DeclId| (body[moves.clone()].iter()).any(|s| walk::declared(s).contains(&id));
    let all: Vec<DeclId> = meant.keys().copied().filter(|id| !is_own(*id)).collect();
    let mut undone = Vec::new();
    for &id in &all {
        let holds = all.iter().find(|other| meant[*other] == id);
        match holds {
            Some(other) => undone.push((id, *other)),
            None if is_read_elsewhere(unit, (body, &moves), span, id) => return None,
            None => {}
        }
    }
    let is_reached = |id: &DeclId| scalars::is_pointed_to(unit, *id);
    if all.iter().any(is_reached) {
        return None;
    }
    let int = tree::whole(unit, Builtin::Int, 4);
    let number = |n| Expr {
        ty: int,
        span,
        kind: ExprKind::Int(n),
    };
    let back = tree::variable(unit, namer.fresh("back"), int, Some(number(0)), span);
    let says = tree::assign(tree::var(unit, back, span), number(1));
    for stmt in &mut body[first..moves.start] {
        says_so(stmt, std::slice::from_ref(&says));
    }
    body[first..moves.end].rotate_right(moves.len());
    let (mut undo, mut given) = (Vec::new(), Vec::new());
    for (id, holds) in undone {
        let value = tree::var(unit, holds, span);
        let copy = tree::pointer_like(unit, namer, (id, "back"), value);
        undo.push(tree::declaration(unit, copy));
        let [to, from] = [id, copy].map(|id| tree::var(unit, id, span));
        given.push(tree::assign(to, from));
    }
    undo.extend(given);
    Some(Unwound {
        before: tree::declaration(unit, back),
        behind: tree::when(tree::var(unit, back, span), undo),
    })
}

/// The moves of pointers that are the last statements about cells.
fn last_moves(unit: &Unit, hosted: &Hosted, body: &[Stmt]) -> Option<Range<usize>> {
    let end = body
        .iter()
        .rposition(|stmt| is_of_cells(unit, hosted, stmt))?
        + 1;
    let n = (body[..end].iter().rev())
        .take_while(|stmt| behind::moved(unit, stmt).is_some())
        .count();
    (n > 0).then_some(end - n..end)
}

/// Whether something but the moves reads a variable, which may be one that outlives the function.
fn is_read_elsewhere(
    unit: &Unit,
    (body, moves): (&[Stmt], &Range<usize>),
    span: Span,
    id: DeclId,
) -> bool {
    let others = body[..moves.start].iter().chain(&body[moves.end..]);
    let mut found =
        !scalars::is_automatic(unit, id) || others.into_iter().any(|s| walk::uses(unit, s, id));
    for stmt in unit.functions.iter().filter_map(|f| f.body.as_ref()) {
        scalars::exprs_beside(unit, stmt, Some(span), &mut |expr| {
            let assigned = match &expr.kind {
                ExprKind::Assign(None, to, value) if tree::is_var(to, id) => Some(value),
                _ => None,
            };
            found |= walk::mentions(assigned.map_or(expr, |value| value), id);
        });
    }
    found
}
