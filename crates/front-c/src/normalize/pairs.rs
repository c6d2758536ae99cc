//! Two indices of time planes, of which one is the other one's complement, as indices that are exchanged.
//!
//! In: `now = next; next = 1 - now;`, where `now` and `next` begin as 0 and 1 or the other way round. Out: `held = now; now = next;
//! next = held;`, which is the same as long as nothing else changes them.

use super::counter::{self, Known};
use super::inline;
use super::planes;
use super::toggle;
use super::tree::{self, Namer, Path};
use super::trips;
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, TypeKind, Unit};

/// Exchanges such indices in a loop, given what stands before it in its block; whether there were any.
pub(super) fn pairs(
    unit: &mut Unit,
    namer: &mut Namer,
    known: &Known,
    (before, head, body): (&[Stmt], &Stmt, &mut Vec<Stmt>),
) -> bool {
    let found = (0..body.len().saturating_sub(1)).find_map(|at| {
        let pair = exchanged(unit, &body[at], &body[at + 1])?;
        let others = [&body[..at], &body[at + 2..]].concat();
        is_known(unit, known, (before, head, &others), pair).then_some((at, pair))
    });
    let Some((at, pair)) = found else {
        return false;
    };
    let exchange = planes::rotation(unit, namer, &pair, body[at].span);
    body.splice(at..at + 2, exchange);
    true
}

/// The variable that a statement gives a value, and the value.
fn assigned(stmt: &Stmt) -> Option<(DeclId, Option<BinaryOp>, &Expr)> {
    let (op, to, value) = tree::assigns(stmt)?;
    Some((tree::variable_of(to)?, op, value))
}

/// The variables that two statements exchange, if they are 0 and 1.
fn exchanged(unit: &Unit, first: &Stmt, second: &Stmt) -> Option<[DeclId; 2]> {
    let (a, b) = (assigned(first)?, assigned(second)?);
    let pair = [a.0, b.0];
    // Whether each is what the first one was.
    let mut is_first = [true, false];
    for (to, op, value) in [a, b] {
        let at = pair.iter().position(|id| *id == to)?;
        let of = |expr: &Expr| {
            let named = |n: usize| Path {
                root: pair[n],
                through_pointer: false,
                fields: Vec::new(),
            };
            let is_it = |n: &usize| tree::is_var(expr, pair[*n]);
            let is_other = |n: &usize| toggle::is_other(unit, expr, &named(*n));
            let same = (0..2).find(is_it).map(|n| is_first[n]);
            same.or_else(|| (0..2).find(is_other).map(|n| !is_first[n]))
        };
        is_first[at] = match op {
            None => of(value)?,
            Some(BinaryOp::BitXor) if tree::is_number(value, 1) => !is_first[at],
            _ => return None,
        };
    }
    (pair[0] != pair[1] && is_first == [false, true]).then_some(pair)
}

/// Whether two variables begin as 0 and 1, and nothing else changes or sees them otherwise.
fn is_known(
    unit: &Unit,
    known: &Known,
    (before, head, others): (&[Stmt], &Stmt, &[Stmt]),
    pair: [DeclId; 2],
) -> bool {
    let start = |id| trips::start(unit, before, id).map(|start| tree::plain(&start).kind.clone());
    let begins = |id, number| matches!(start(id), Some(ExprKind::Int(n)) if n == number);
    let [a, b] = pair;
    let types = pair.map(|id| &unit.canonical(unit[id].ty).kind);
    let skips = |stmt: &Stmt| walk::jumps(stmt, |kind| matches!(kind, StmtKind::Continue));
    let is_alone = |id: &DeclId| {
        let mut all = std::iter::once(head).chain(others);
        counter::is_alone(unit, known, *id)
            && !counter::has_address(unit, known, *id)
            && !all.any(|stmt| inline::changes(unit, stmt, *id))
    };
    (begins(a, 0) && begins(b, 1) || begins(a, 1) && begins(b, 0))
        && types[0] == types[1]
        && matches!(types[0], TypeKind::Builtin(_))
        && pair.iter().all(is_alone)
        && !others.iter().any(skips)
}
