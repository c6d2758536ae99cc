//! Variables that have one number whenever a region runs.
//!
//! In: `int n = 40; for (i = 0; i < n; i++) ..`, the region, `n = 3;`. Out: `n` is 40.

use super::{around, life};
use crate::normalize::{inline, numbers, settled, walk};
use hexcc_clang::ast::{DeclId, DeclKind, FunctionId, Item, Stmt, StmtKind, Unit};
use std::collections::HashSet;
use std::ops::Range;

/// The variables that are visible at a region, by its bytes, and their numbers.
pub(super) fn sizes(unit: &Unit, region: &Range<usize>) -> Vec<(String, i64)> {
    let around = around(unit, region).filter(|_| !unit.has_errors());
    let Some((function, body)) = around else {
        return Vec::new();
    };
    let visible = visible(unit, (function, body), region.start);
    let mut seen = HashSet::new();
    let inner_first = visible.into_iter().rev();
    let named = inner_first.filter(|id| seen.insert(&unit[*id].name));
    let known = named.filter_map(|id| {
        let number = number(unit, function, (body, region), id)?;
        Some((unit[id].name.clone(), number.try_into().ok()?))
    });
    known.collect()
}

/// The variables that are visible at an offset in a function, the innermost last.
pub(in crate::normalize) fn visible(
    unit: &Unit,
    (function, body): (FunctionId, &Stmt),
    offset: usize,
) -> Vec<DeclId> {
    let is_before = |id: &DeclId| {
        let span = unit[*id].span;
        span.file.0 != 0 || (span.start as usize) < offset
    };
    let of_file = unit.items.iter().filter_map(declared);
    let mut visible: Vec<DeclId> = of_file.filter(is_before).collect();
    visible.extend(&unit[function].params);
    declared_around(body, offset, &mut visible);
    visible
}

fn declared(item: &Item) -> Option<DeclId> {
    match item {
        Item::Decl(id) => Some(*id),
        _ => None,
    }
}

/// Adds what the blocks around an offset declare before it.
fn declared_around(stmt: &Stmt, offset: usize, visible: &mut Vec<DeclId>) {
    let before = |stmt: &&Stmt| (stmt.span.start as usize) < offset;
    for inner in walk::inner(stmt).into_iter().filter(before) {
        if let StmtKind::Decl(items) = &inner.kind {
            visible.extend(items.iter().filter_map(declared));
        } else if offset < inner.span.end as usize {
            declared_around(inner, offset, visible);
        }
    }
}

fn number(
    unit: &Unit,
    function: FunctionId,
    (body, region): (&Stmt, &Range<usize>),
    id: DeclId,
) -> Option<i128> {
    let decl = &unit[id];
    if decl.kind == DeclKind::Variable && numbers::is_constant(unit, decl.ty) {
        let number = numbers::value(unit, decl.init.as_ref()?)?;
        let may_be = numbers::range(unit, decl.ty)?;
        return may_be.contains(&number).then_some(number);
    }
    let stays = !match life::has_jumps(body) {
        true => inline::changes(unit, body, id),
        false => changes_before(unit, body, region, id),
    };
    stays.then(|| settled::first(unit, function, id))?
}

/// Whether a statement changes a variable before some region, or before that runs once more.
fn changes_before(unit: &Unit, stmt: &Stmt, region: &Range<usize>, id: DeclId) -> bool {
    use StmtKind as K;
    let (start, end) = (stmt.span.start as usize, stmt.span.end as usize);
    let is_around = start < region.start && region.end <= end;
    match &stmt.kind {
        _ if region.start <= start => false,
        K::Compound(all) if is_around => (all.iter()).any(|s| changes_before(unit, s, region, id)),
        _ => inline::changes(unit, stmt, id),
    }
}
