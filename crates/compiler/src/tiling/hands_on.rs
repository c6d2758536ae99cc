//! Whether the iterations of a loop hand values on, as the steps of a time loop do.

use crate::diag::{Diagnostic, Result};
use crate::scop::{ArrayId, Scop, Statement, are_apart, planes, schedule_of, writes_to};
use hexcc_isl::{DimType, Map, PwAff, UnionMap, compute_flow};
use std::collections::BTreeSet;

/// Whether an iteration of the outermost loop of a region reads an array where an earlier one has
/// written it. Variables do not count: every loop may add something up.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn hands_on(scop: &Scop) -> Result<bool> {
    among(scop, &Vec::from_iter(&scop.stmts))
}

/// The same of the outermost loop around some statements.
pub(crate) fn among(scop: &Scop, stmts: &[&Statement]) -> Result<bool> {
    let Some(outermost) = outermost_loop(stmts)? else {
        return Ok(false);
    };
    let of_array = |id: &ArrayId| !scop.array(*id).is_variable();
    let written: BTreeSet<ArrayId> = stmts.iter().map(|s| s.write.array).collect();
    for id in written.into_iter().filter(of_array) {
        let writers = Writers::of(id, stmts)?;
        for reader in stmts {
            for read in reader.reads.iter().filter(|r| r.array == id) {
                if writers.are_before((reader, &read.map), outermost)? {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// The statements that write an array, with the constants among their subscripts.
struct Writers<'a> {
    array: ArrayId,
    all: Vec<(&'a Statement, Vec<Option<i64>>)>,
}

impl<'a> Writers<'a> {
    fn of(array: ArrayId, stmts: &[&'a Statement]) -> Result<Writers<'a>> {
        let writers = stmts.iter().filter(|s| s.write.array == array);
        let with_planes = writers.map(|s| Ok((*s, planes(&s.write.map)?)));
        let all = with_planes.collect::<Result<_>>()?;
        Ok(Writers { array, all })
    }

    /// Whether what a read takes has been written in an earlier iteration of a loop.
    fn are_before(&self, (reader, read): (&Statement, &Map), outermost: usize) -> Result<bool> {
        let at = planes(read)?;
        let writers = self
            .all
            .iter()
            .filter(|(_, planes)| !are_apart(planes, &at));
        let writers: Vec<&Statement> = writers.map(|(writer, _)| *writer).collect();
        let ctx = read.ctx();
        let writes = writes_to(ctx, self.array, writers.iter().copied())?;
        let schedule = schedule_of(ctx, writers.iter().copied().chain([reader]))?;
        let (sink, nothing) = (UnionMap::from_map(read)?, UnionMap::empty(ctx)?);
        let flow = compute_flow(&sink, &writes, &nothing, &schedule)?;
        for map in flow.may.maps()? {
            let name = map.tuple_name(DimType::In)?.unwrap_or_default();
            let writer = writers.iter().find(|s| s.name == name);
            let writer = writer.ok_or_else(|| Diagnostic::bug("a value from nowhere"))?;
            let times = map.apply_domain(&writer.schedule)?;
            let times = times.apply_range(&reader.schedule)?;
            let d = outermost as u32;
            let same = times.equate(DimType::In, d, DimType::Out, d)?;
            if !times.is_subset(&same)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The first dimension of the schedules that is a loop.
fn outermost_loop(stmts: &[&Statement]) -> Result<Option<usize>> {
    let mut found: Option<usize> = None;
    for stmt in stmts {
        let is_loop = |f: &PwAff| Ok(f.as_constant()?.is_none());
        let times = stmt.schedule.to_pw_affs()?;
        let loops: Vec<bool> = times.iter().map(is_loop).collect::<Result<_>>()?;
        let first = loops.iter().position(|is_loop| *is_loop);
        found = match (found, first) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    Ok(found)
}
