//! Where threads get the values of what they may have for themselves: dataflow analysis of arrays that
//! may be private.

use super::stepwise::Step;
use crate::diag::{Diagnostic, Result};
use crate::scop::{Access, ArrayId, Scop, schedule_of, writes_to};
use hexcc_isl::{Ctx, DimType, Map, UnionMap, compute_flow};
use std::collections::{BTreeMap, BTreeSet};

/// Reads, given by statement, in as few parts as hold one of each statement: isl's dataflow analysis
/// looks for the last write before an instance, not before each of its reads.
fn sinks<'a>(
    ctx: &Ctx,
    reads: impl Iterator<Item = impl Iterator<Item = &'a Access>>,
) -> Result<Vec<UnionMap>> {
    let mut parts: Vec<UnionMap> = Vec::new();
    for of_stmt in reads {
        let mut seen = BTreeSet::new();
        for read in of_stmt {
            let n = seen.len();
            if !seen.insert(read.map.to_string()) {
                continue;
            }
            if n == parts.len() {
                parts.push(UnionMap::empty(ctx)?);
            }
            parts[n] = parts[n].union(&UnionMap::from_map(&read.map)?)?;
        }
    }
    Ok(parts)
}

/// Where the values of arrays that may be private come from.
pub(super) struct Flows {
    /// Array, writing statement, reading statement, and which instances.
    from: Vec<(ArrayId, usize, usize, Map)>,
    /// Arrays of which something is read that the statements have not written.
    entering: BTreeSet<ArrayId>,
}

impl Flows {
    pub fn new(scop: &Scop, stmts: &[usize], arrays: &BTreeMap<ArrayId, u32>) -> Result<Flows> {
        let mut flows = Flows {
            from: Vec::new(),
            entering: BTreeSet::new(),
        };
        for &id in arrays.keys() {
            flows.of_array(scop, stmts, id)?;
        }
        Ok(flows)
    }

    /// The values of one array.
    fn of_array(&mut self, scop: &Scop, stmts: &[usize], id: ArrayId) -> Result<()> {
        let ctx: &Ctx = &scop.ctx;
        let reads = |s: &usize| scop.stmts[*s].reads.iter().filter(move |r| r.array == id);
        let touches = |s: &&usize| scop.stmts[**s].write.array == id || reads(s).next().is_some();
        let touching = || stmts.iter().filter(touches).map(|&s| &scop.stmts[s]);
        let schedule = schedule_of(ctx, touching())?;
        let writes = writes_to(ctx, id, touching())?;
        let number = |name: Option<String>| {
            let name = name.unwrap_or_default();
            let found = stmts.iter().copied().find(|&s| scop.stmts[s].name == name);
            found.ok_or_else(|| Box::new(Diagnostic::bug("a value from nowhere")))
        };
        for sinks in sinks(ctx, stmts.iter().map(reads))? {
            let flow = compute_flow(&sinks, &writes, &UnionMap::empty(ctx)?, &schedule)?;
            if !flow.may_no_source.is_empty()? {
                self.entering.insert(id);
            }
            for map in flow.may.maps()? {
                let writer = number(map.tuple_name(DimType::In)?)?;
                let reader = number(map.tuple_name(DimType::Out)?)?;
                self.from.push((id, writer, reader, map));
            }
        }
        Ok(())
    }

    /// Whether every value of an array is read by the thread that wrote it.
    pub fn stay_in_threads(&self, id: ArrayId, steps: &[Step]) -> Result<bool> {
        if self.entering.contains(&id) {
            return Ok(false);
        }
        for (_, writer, reader, map) in self.from.iter().filter(|f| f.0 == id) {
            let Some(step) = steps.iter().find(|step| step.stmts.contains(writer)) else {
                return Ok(false);
            };
            let orders = (step.orders.get(writer)).zip(step.orders.get(reader));
            let Some((writes, reads)) = orders else {
                return Ok(false);
            };
            let times = map.apply_domain(&writes.schedule)?;
            let times = times.apply_range(&reads.schedule)?;
            let mut same = times.clone();
            for &e in step.host.iter().chain(&step.spread) {
                same = same.equate(DimType::In, e as u32, DimType::Out, e as u32)?;
            }
            if !times.is_subset(&same)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
