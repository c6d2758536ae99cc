//! Everything about a search that does not depend on the candidate: the baseline, its results, and the
//! arrays that candidates work on.

use super::candidates::Candidate;
use super::workers::Ready;
use super::{CHECK, TIME};
use crate::measure::{Arrays, Baseline, Tiled, Workbench, median_ms};
use crate::problem::{self, Problem};
use crate::report::{Point, Shape};
use crate::single::Single;
use crate::variant::Variant;
use hexcc_compiler::back::Precision;
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::kernel::plan;
use hexcc_compiler::options::Options;
use hexcc_compiler::scop::SavedScop;
use hexcc_gpu::{Flags, GpuError};
use hexcc_isl::Ctx;

/// Wanted duration of a timed run, milliseconds.
const RUN_MS: f64 = 30.0;

/// Everything about the problem that does not depend on the candidate.
pub(super) struct Ground<'a> {
    pub(super) bench: &'a Workbench,
    pub(super) compiled: &'a Compiled,
    pub(super) problem: &'a Problem,
    pub(super) baseline: Baseline,
    /// The baseline's results for [`CHECK`], then for [`FULL`].
    pub(super) reference: Arrays,
    work: Arrays,
    /// Parameters of [`CHECK`].
    pub(super) check: Vec<i64>,
    pub(super) cells_per_step: f64,
    /// Time steps of a timed run, before rounding to time tiles.
    pub(super) wanted_steps: i64,
    pub(super) naive_gcells: f64,
}

impl<'a> Ground<'a> {
    pub(super) fn new(
        bench: &'a Workbench,
        compiled: &'a Compiled,
        problem: &'a Problem,
        choices: &[Candidate],
        flags: Flags,
    ) -> Result<Ground<'a>, GpuError> {
        let first = compiled.units[0].stencil();
        let kernels: Vec<_> = compiled.units.iter().map(|u| u.stencil()).collect();
        // Three time tiles of the tallest candidate.
        let k = first.k;
        let n_check = 3 * choices.iter().map(|c| c.steps(k)).max().unwrap_or(2) + 1;
        let check = problem.with_steps(first, n_check);
        let full = problem.values();
        let sets = [check.clone(), full.clone()];
        let arrays = || Arrays::new(bench, &kernels, &sets, Precision::Source, false);
        let baseline = Baseline::build(bench, compiled, Precision::Source, flags, &full)?;
        let mut ground = Ground {
            bench,
            compiled,
            problem,
            baseline,
            reference: arrays()?,
            work: arrays()?,
            check,
            cells_per_step: 0.0,
            wanted_steps: 0,
            naive_gcells: 0.0,
        };
        ground.measure_baseline()?;
        Ok(ground)
    }

    fn measure_baseline(&mut self) -> Result<(), GpuError> {
        let first = self.compiled.units[0].stencil();
        let steps = problem::steps(first, &self.check).unwrap_or(1).max(1);
        self.fill(&self.reference, &self.check)?;
        let work = (self.baseline).work(self.bench, self.compiled, &self.reference, &self.check)?;
        self.cells_per_step = work.cells / steps as f64;
        let run = || (self.baseline).run(self.bench, self.compiled, &self.work, &self.check);
        self.fill(&self.work, &self.check)?;
        let ms = median_ms(self.bench, 1, 3, &run)?;
        self.naive_gcells = work.cells / ms / 1e6;
        // Tiled kernels are expected to be about three times as fast.
        let wanted = RUN_MS / (ms / steps as f64 / 3.0).max(1e-6);
        self.wanted_steps = (wanted as i64).clamp(1, self.problem.steps(first).max(1));
        (self.baseline).run(self.bench, self.compiled, &self.reference, &self.check)?;
        self.bench.device.synchronize()
    }

    /// Single steps, checked and timed; `None` where they cannot be measured.
    pub(super) fn single_steps(
        &self,
        (ctx, saved, options): (&Ctx, &SavedScop, &Options),
        flags: Flags,
    ) -> Result<Option<Point>, GpuError> {
        let first = self.compiled.units[0].stencil();
        let timed = self.problem.with_steps(first, self.wanted_steps);
        let steps = problem::steps(first, &timed).unwrap_or(0);
        let sets = [self.check.clone(), timed.clone()];
        let Some(single) = Single::new(ctx, saved, options, self.compiled, &sets) else {
            return Ok(None);
        };
        let binary = single.text(flags).compile(&self.bench.compiler)?;
        let loaded = single.load(self.bench, &binary)?;
        loaded.fill(self.bench, self.compiled, &self.work, &self.check)?;
        loaded.run(self.bench, &self.work, CHECK)?;
        let both = (&self.work, &self.reference);
        let different = loaded.different(self.bench, self.compiled, both, &self.check)?;
        let run = || loaded.run(self.bench, &self.work, TIME);
        let ms = median_ms(self.bench, 1, 3, &run)?;
        let predicted = self.compiled.units[0].tiled.steps.map_or(0.0, |s| s.gcells);
        Ok(Some(Point {
            variant: Variant::STEPS,
            shape: Shape::Steps {},
            predicted,
            measured: Some(self.cells_per_step * steps as f64 / ms / 1e6),
            ms: Some(ms),
            steps,
            registers: loaded.resources.registers,
            local_bytes: loaded.resources.local_bytes,
            shared_bytes: 0,
            correct: Some(different == 0),
            error: None,
        }))
    }

    pub(super) fn fill(&self, arrays: &Arrays, params: &[i64]) -> Result<(), GpuError> {
        for unit in &self.compiled.units {
            let layouts = plan::layouts(unit.stencil(), params);
            arrays.fill(self.bench, unit.stencil(), &layouts.unwrap_or_default())?;
        }
        Ok(())
    }

    /// Whether a variant gives the baseline's results.
    pub(super) fn is_right(
        &self,
        tiled: &Tiled,
        (set, params): (usize, &[i64]),
    ) -> Result<bool, GpuError> {
        let bench = self.bench;
        for (i, unit) in self.compiled.units.iter().enumerate() {
            self.work
                .fill(bench, unit.stencil(), tiled.layouts(i, set))?;
        }
        tiled.run(bench, self.compiled, &self.work, (set, params))?;
        let mut n = 0;
        for (i, unit) in self.compiled.units.iter().enumerate() {
            let stencil = unit.stencil();
            let layouts = plan::layouts(stencil, params);
            let expected = layouts.unwrap_or_default();
            let layouts = (tiled.layouts(i, set), expected.as_slice());
            n += (self.work).different(&self.reference, bench, stencil, layouts)?;
        }
        Ok(n == 0)
    }

    /// Checks and times a candidate.
    pub(super) fn measure(&self, ready: &Ready, point: &mut Point) -> Result<(), GpuError> {
        let tiled = Tiled::load(self.bench, &ready.built)?;
        point.registers = tiled.resources.registers;
        point.local_bytes = tiled.resources.local_bytes;
        point.shared_bytes = tiled.resources.shared_bytes;
        let right = self.is_right(&tiled, (CHECK, &self.check))?;
        point.correct = Some(right);
        if right {
            self.time(&tiled, (TIME, &ready.timed), ready.steps, point)?;
        }
        Ok(())
    }

    pub(super) fn time(
        &self,
        tiled: &Tiled,
        set: (usize, &[i64]),
        steps: i64,
        point: &mut Point,
    ) -> Result<(), GpuError> {
        let run = || tiled.run(self.bench, self.compiled, &self.work, set);
        let ms = median_ms(self.bench, 1, 3, &run)?;
        point.steps = steps;
        point.ms = Some(ms);
        point.measured = Some(self.cells_per_step * steps as f64 / ms / 1e6);
        Ok(())
    }
}
