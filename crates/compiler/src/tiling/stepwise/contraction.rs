//! Array contraction (Sarkar and Gao, ICS 1991): an array of which each thread reads just the one element that it has written
//! becomes a variable of the thread, and is not stored.

use super::{Plan, Step, position};
use crate::diag::Result;
use crate::scop::{ArrayId, Scop, Statement};
use crate::tiling::flows::Flows;
use hexcc_isl::DimType;
use std::collections::{BTreeMap, BTreeSet};

impl Plan {
    /// Makes variables of threads of those among some arrays that nothing else sees, in what runs as planned.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn contract(
        &mut self,
        scop: &mut Scop,
        stmts: &[usize],
        arrays: &BTreeSet<ArrayId>,
    ) -> Result<()> {
        for &id in arrays {
            if !self.private.contains_key(&id) && self.is_contracted(scop, stmts, id)? {
                as_variable(scop, id)?;
                self.private.insert(id, 1);
            }
        }
        Ok(())
    }

    /// Whether one launch has all that writes and reads an array, and each of its threads reads the element that it writes.
    fn is_contracted(&self, scop: &Scop, stmts: &[usize], id: ArrayId) -> Result<bool> {
        let uses = |s: &Statement| s.accesses().any(|a| a.array == id);
        let used: Vec<usize> = (stmts.iter().copied())
            .filter(|&s| uses(&scop.stmts[s]))
            .collect();
        let has_all = |step: &&Step| used.iter().all(|s| step.stmts.contains(s));
        let mut writers = (used.iter()).filter(|&&s| scop.stmts[s].write.array == id);
        let (Some(step), Some(&writer), None) = (
            self.steps.iter().find(has_all),
            writers.next(),
            writers.next(),
        ) else {
            return Ok(false);
        };
        let is_plain = step.reductions.is_empty() && step.hyperplanes.is_none();
        let Some(order) = step.orders.get(&writer).filter(|_| is_plain) else {
            return Ok(false);
        };
        let write = &scop.stmts[writer].write.map;
        let mut of_thread = order.schedule.reverse()?.apply_range(write)?;
        for d in (0..self.depth).rev() {
            if !(step.host.contains(&d) || step.spread.contains(&d)) {
                of_thread = of_thread.project_out(DimType::In, position(d), 1)?;
            }
        }
        let flows = Flows::new(scop, stmts, &BTreeMap::from([(id, 1)]))?;
        Ok(of_thread.is_single_valued()? && flows.stay_in_threads(id, &self.steps)?)
    }
}

/// Makes a variable of an array.
fn as_variable(scop: &mut Scop, id: ArrayId) -> Result<()> {
    let array = &mut scop.arrays[id.index()];
    let n = array.extents.len() as u32;
    array.extents.clear();
    array.pointer = false;
    for stmt in &mut scop.stmts {
        let accesses = stmt.reads.iter_mut().chain([&mut stmt.write]);
        for access in accesses.filter(|a| a.array == id) {
            let map = access.map.project_out(DimType::Out, 0, n)?;
            access.map = map.named_as(&access.map)?;
        }
    }
    Ok(())
}
