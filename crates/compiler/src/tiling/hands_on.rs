//! Whether the iterations of a loop hand values on, as the steps of a time loop do.

use crate::diag::{Diagnostic, Result};
use crate::scop::{ArrayId, Scop, schedule_of, writes_to};
use hexcc_isl::{DimType, PwAff, UnionMap, compute_flow};
use std::collections::BTreeSet;

/// Whether an iteration of the outermost loop of a region reads an array where an earlier one has
/// written it. Variables do not count: every loop may add something up.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn hands_on(scop: &Scop) -> Result<bool> {
    let Some(outermost) = outermost_loop(scop)? else {
        return Ok(false);
    };
    let of_array = |id: &ArrayId| !scop.array(*id).is_variable();
    let written: BTreeSet<ArrayId> = scop.stmts.iter().map(|s| s.write.array).collect();
    let schedule = schedule_of(&scop.ctx, &scop.stmts)?;
    let nothing = UnionMap::empty(&scop.ctx)?;
    for id in written.into_iter().filter(of_array) {
        let writes = writes_to(&scop.ctx, id, &scop.stmts)?;
        for reader in &scop.stmts {
            for read in reader.reads.iter().filter(|r| r.array == id) {
                let sink = UnionMap::from_map(&read.map)?;
                for map in compute_flow(&sink, &writes, &nothing, &schedule)?
                    .may
                    .maps()?
                {
                    let name = map.tuple_name(DimType::In)?.unwrap_or_default();
                    let writer = scop.stmts.iter().find(|s| s.name == name);
                    let writer =
                        writer.ok_or_else(|| Box::new(Diagnostic::bug("a value from nowhere")))?;
                    let times = map.apply_domain(&writer.schedule)?;
                    let times = times.apply_range(&reader.schedule)?;
                    let d = outermost as u32;
                    let same = times.equate(DimType::In, d, DimType::Out, d)?;
                    if !times.is_subset(&same)? {
                        return Ok(true);
                    }
                }
            }
        }
    }
    Ok(false)
}

/// The first dimension of the schedules that is a loop.
fn outermost_loop(scop: &Scop) -> Result<Option<usize>> {
    let mut found: Option<usize> = None;
    for stmt in &scop.stmts {
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
