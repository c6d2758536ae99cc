//! Dependences of the parts of a sweep.
//!
//! An update of single cells takes the place of a sweep there ([`crate::updates`]), so that what is left of the sweep has holes.
//! Its parts access at the same time what the sweep as a whole accesses: dataflow analysis sees that, which has none, and
//! each part has the dependences of its instances.

use crate::canonical::Canonical;
use crate::diag::{Diagnostic, Result};
use crate::scop::{Scop, Statement};
use hexcc_isl::{DimType, Map};

/// Statements with sweeps as a whole in the place of their parts: what those access, these access at the same time.
pub(super) fn whole<'a>(
    scop: &'a Scop,
    stmts: impl Iterator<Item = &'a Statement>,
) -> Vec<&'a Statement> {
    let mut all: Vec<&Statement> = Vec::new();
    for stmt in stmts {
        let stmt = (scop.sweeps.get(&stmt.name)).map_or(stmt, |part| &*part.sweep);
        if all.iter().all(|other| other.name != stmt.name) {
            all.push(stmt);
        }
    }
    all
}

/// The first read of a part of a sweep that the sweep does not have.
pub(super) fn first_own_read(scop: &Scop, stmt: &Statement) -> Option<usize> {
    let part = scop.sweeps.get(&stmt.name)?;
    let first = if part.reads {
        part.sweep.reads.len()
    } else {
        0
    };
    (first < stmt.reads.len()).then_some(first)
}

/// The statements that stand for one in dataflow problems: itself, or the parts of a sweep that have some `reads` of it.
pub(super) fn named(
    scop: &Scop,
    c: &Canonical,
    name: &String,
    reads: Option<&Vec<usize>>,
) -> Result<Vec<usize>> {
    let is_it = |i: &usize| {
        let stmt = &scop.stmts[c.stmts[*i].stmt];
        let part = scop.sweeps.get(&stmt.name);
        let is_of_sweep = |r: &usize| part.is_none_or(|p| p.reads && *r < p.sweep.reads.len());
        match part.filter(|part| part.sweep.name == *name) {
            Some(_) => reads.is_none_or(|reads| reads.iter().all(is_of_sweep)),
            None => stmt.name == *name,
        }
    };
    let all: Vec<usize> = (0..c.stmts.len()).filter(is_it).collect();
    let is_known = !all.is_empty() || scop.sweeps.values().any(|p| p.sweep.name == *name);
    match is_known {
        true => Ok(all),
        false => Err(Box::new(Diagnostic::bug(
            "dependence of an unknown statement",
        ))),
    }
}

/// The dependences between two statements, in canonical coordinates, among those between two that may stand for them.
pub(super) fn part_of(
    scop: &Scop,
    c: &Canonical,
    (from, to): (usize, usize),
    map: &Map,
) -> Result<Map> {
    let mut map = map.clone();
    for (i, dims) in [(from, DimType::In), (to, DimType::Out)] {
        let stmt = &scop.stmts[c.stmts[i].stmt];
        if scop.sweeps.contains_key(&stmt.name) {
            map = map.set_tuple_name(dims, &stmt.name)?;
            map = match dims {
                DimType::In => map.intersect_domain(&stmt.domain)?,
                _ => map.intersect_range(&stmt.domain)?,
            };
        }
    }
    let map = map.apply_domain(&c.stmts[from].to_canonical)?;
    Ok(map.apply_range(&c.stmts[to].to_canonical)?.coalesce()?)
}
