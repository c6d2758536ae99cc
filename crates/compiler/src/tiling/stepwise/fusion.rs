//! Neighbouring launches over the same cells as one: loop fusion (Kennedy and McKinley, LCPC 1993).
//!
//! A thread of the fused launch runs what its cell had in the first launch, then what it had in the second.
//! That is C's order for every element where, by isl's proof, no cell of one launch touches what another cell
//! of the other one writes. The launches need the same loops of the host around them, and the same cells: then no
//! thread tests which of the statements it has.

use super::{Nest, Order, Plan, Step, Walk, position};
use crate::diag::{Diagnostic, Result};
use crate::scop::Scop;
use crate::tiling::coarsen;
use hexcc_isl::{DimType, Set};
use std::collections::{BTreeMap, BTreeSet};

impl Plan {
    /// The plan with neighbouring launches fused where that is legal, unless threads would have had several
    /// cells otherwise.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub(super) fn fused(mut self, scop: &Scop) -> Result<Plan> {
        let mut steps: Vec<Step> = Vec::new();
        for next in std::mem::take(&mut self.steps) {
            let fused = match steps.last() {
                Some(last) => self.of_two(scop, last, &next)?,
                None => None,
            };
            match (fused, steps.last_mut()) {
                (Some(fused), Some(last)) => *last = fused,
                _ => steps.push(next),
            }
        }
        Ok(Plan { steps, ..self })
    }

    /// Two launches as one.
    fn of_two(&self, scop: &Scop, a: &Step, b: &Step) -> Result<Option<Step>> {
        if !(is_nest(a) && is_nest(b) && have_same_loops(a, b) && cells(a)?.is_equal(&cells(b)?)?) {
            return Ok(None);
        }
        let fused = Step {
            stmts: a.stmts.iter().chain(&b.stmts).copied().collect(),
            orders: a
                .orders
                .clone()
                .into_iter()
                .chain(b.orders.clone())
                .collect(),
            ..a.clone()
        };
        let nest = Nest::new(scop, &fused.stmts, &self.expected)?;
        let walk = Walk {
            nest: &nest,
            private: &self.private,
            reductions: &BTreeMap::new(),
            in_place: false,
        };
        let touched = walk.touched(&fused.stmts, 0, &BTreeMap::new())?;
        let mut fixed = a.host.clone();
        for &d in &a.spread {
            if !touched.is_parallel(d, &fixed)? {
                return Ok(None);
            }
            fixed.push(d);
        }
        let has_cells = |step: &Step| -> Result<bool> {
            Ok(coarsen::cells(scop, self, step, &step.stmts)?.is_ok())
        };
        let is_loss = !has_cells(&fused)? && (has_cells(a)? || has_cells(b)?);
        Ok((!is_loss).then_some(fused))
    }
}

/// Whether a launch is of parallel loops around statements, and nothing else.
fn is_nest(step: &Step) -> bool {
    !step.spread.is_empty()
        && step.reductions.is_empty()
        && step.free.is_empty()
        && step.hyperplanes.is_none()
}

/// Whether the loops around two launches, and those that their threads share, are the same dimensions.
fn have_same_loops(a: &Step, b: &Step) -> bool {
    let around = a.host.last().map_or(0, |last| last + 1);
    let places = |step: &Step| -> BTreeSet<Vec<Option<i64>>> {
        let place = |order: &Order| order.constants.iter().take(around).copied().collect();
        step.orders.values().map(place).collect()
    };
    (&a.host, &a.spread) == (&b.host, &b.spread) && places(a) == places(b) && places(a).len() == 1
}

/// Iterations of the loops of the host and of those that threads share at which a launch runs statements.
fn cells(step: &Step) -> Result<Set> {
    let mut all: Option<Set> = None;
    for order in step.orders.values() {
        let mut times = order.schedule.range()?;
        for d in (0..order.constants.len()).rev() {
            if !(step.host.contains(&d) || step.spread.contains(&d)) {
                times = times.project_out(DimType::Set, position(d), 1)?;
            }
        }
        all = Some(match all {
            Some(all) => all.union(&times)?,
            None => times,
        });
    }
    all.ok_or_else(|| Box::new(Diagnostic::bug("a launch of nothing")))
}
