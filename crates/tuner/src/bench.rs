//! Benchmarks: what a translation would be beside one thread per cell, and beside what else it could be.

use crate::error::{Result, refused};
use crate::measure::{
    self, Accuracy, Arrays, Baseline, Resources, Text, Tiled, TiledKernel, Work, Workbench,
    median_ms,
};
use crate::problem::Problem;
use crate::profile::Predicted;
use crate::report::BenchRow;
use crate::request::{Prepared, Request};
use crate::single::Single;
use crate::variant::Variant;
use hexcc_compiler::back::Precision;
use hexcc_compiler::compiled::{Compiled, Unit};
use hexcc_compiler::ctype::CType;
use hexcc_compiler::kernel::Stencil;
use hexcc_compiler::kernel::plan::{self, ArrayLayout};
use hexcc_compiler::options::{Options, StepKernel, Tiling};
use hexcc_compiler::step_time::{self, StepTime, StepWork};
use hexcc_compiler::target::Target;
use hexcc_compiler::{pipeline, preference};
use hexcc_gpu::{Binary, Flags, GpuError};
use std::ops::{ControlFlow, Range};

/// Launches of each row that a profiler sees.
const PROFILED: u32 = 6;

/// Runs before the timed ones.
const WARM_UPS: usize = 2;

/// Measures requests, after the kernels of all of them have been compiled. `watch` is told of every row;
/// its [`ControlFlow::Break`] ends the measurements with the rows that there are.
///
/// # Errors
/// [`Error::Refused`](crate::Error::Refused), [`Error::NoTiles`](crate::Error::NoTiles) and
/// [`Error::Sizes`](crate::Error::Sizes) before anything is measured,
/// [`Error::Gpu`](crate::Error::Gpu).
pub fn bench(
    bench: &Workbench,
    requests: &[Prepared],
    watch: &mut dyn FnMut(&BenchRow) -> ControlFlow<()>,
) -> Result<Vec<BenchRow>> {
    let mut jobs = Vec::new();
    let mut texts = Vec::new();
    for prepared in requests {
        let mut job = Job::new(bench, prepared)?;
        for list in job.all_texts() {
            job.texts.push(texts.len()..texts.len() + list.len());
            texts.extend(list);
        }
        jobs.push(job);
    }
    let binaries = measure::compile_all(&bench.compiler, &texts);
    let mut rows = Vec::new();
    for job in jobs {
        for row in job.measure(bench, &binaries)? {
            let told = watch(&row);
            rows.push(row);
            if told.is_break() {
                return Ok(rows);
            }
        }
    }
    Ok(rows)
}

/// What the model expects of each tiling and of one launch per step, where nothing can be measured.
///
/// # Errors
/// As for [`bench()`].
pub fn predict(prepared: &Prepared, memory: u64) -> Result<Vec<Predicted>> {
    let problem = prepared.problem(memory)?;
    let first = prepared.for_problem(&problem)?;
    let others = prepared.all_tilings(&problem, &first);
    let steps = step_time(&first, &prepared.request.options.target);
    let mut rows = vec![Predicted {
        variant: Variant::STEPS.to_string(),
        gcells: steps.gcells,
        of_limit: steps.gcells / steps.limit,
    }];
    for compiled in std::iter::once(&first).chain(&others) {
        let gcells = predicted_gcells(compiled, &steps);
        rows.extend(gcells.map(|gcells| Predicted {
            variant: name_of(compiled),
            gcells,
            of_limit: gcells / steps.limit,
        }));
    }
    Ok(rows)
}

/// A stencil to measure.
struct Job<'a> {
    request: &'a Request,
    /// What a translation would be, and others to compare with.
    variants: Vec<Compiled>,
    /// The same without tiles, where that can be measured, by what threads have.
    singles: Vec<(StepKernel, Single)>,
    /// That is what a translation would be.
    prefers_steps: bool,
    problem: Problem,
    /// Where the texts of the baseline, those of the baseline in double precision, that of single
    /// steps and those of every variant are among all that are compiled.
    texts: Vec<Range<usize>>,
}

impl<'a> Job<'a> {
    fn new(bench: &Workbench, prepared: &'a Prepared) -> Result<Job<'a>> {
        let request = &prepared.request;
        let problem = prepared.problem(bench.device.info.memory)?;
        let first = prepared.for_problem(&problem)?;
        // The other tiling, too, where it applies.
        let units = &first.units;
        let is_streamed = units.iter().any(|u| u.stream().is_some());
        let other = match is_streamed && units.iter().all(|u| u.hybrid().is_some()) {
            _ if request.all_kernels => prepared.all_tilings(&problem, &first),
            true => prepared.hybrid(&problem)?.into_iter().collect(),
            false => Vec::new(),
        };
        let singles = prepared.singles(&first, &problem);
        let steps = preference::over_all_tiles(&first.scop, &first.units);
        let prefers = steps.map_err(refused(&request.stencil))?.is_some();
        Ok(Job {
            request,
            prefers_steps: first.tuned.is_none() && prefers && !singles.is_empty(),
            variants: [first].into_iter().chain(other).collect(),
            singles,
            problem,
            texts: Vec::new(),
        })
    }

    /// Whether there are results to compare with those in double precision.
    fn has_float(&self) -> bool {
        let kernels = self.variants.iter().flat_map(|c| &c.units);
        let mut arrays = kernels.flat_map(|unit| &unit.stencil().arrays);
        arrays.any(|a| a.written && a.elem == CType::Float)
    }

    fn all_texts(&self) -> Vec<Vec<Text>> {
        let flags = self.request.flags();
        let params = self.problem.values();
        let mut all = Vec::new();
        if let Some(first) = self.variants.first() {
            all.push(Baseline::texts(first, Precision::Source, flags, &params));
            all.push(match self.has_float() {
                true => Baseline::texts(first, Precision::Double, Flags::default(), &params),
                false => Vec::new(),
            });
        }
        all.extend(self.singles.iter().map(|(_, s)| vec![s.text(flags)]));
        for compiled in &self.variants {
            let kernels: Vec<_> = compiled.units.iter().map(TiledKernel::of).collect();
            all.push(measure::texts(&kernels, flags));
        }
        all
    }

    /// The compiled texts of one of the above.
    fn binaries(&self, which: usize, compiled: &[Compilation]) -> GpuResult<Vec<Binary>> {
        let range = self.texts.get(which).cloned().unwrap_or_default();
        compiled
            .get(range)
            .unwrap_or_default()
            .iter()
            .cloned()
            .collect()
    }

    /// The baseline, single steps and the tiled kernels.
    fn measure(&self, bench: &Workbench, compiled: &[Compilation]) -> GpuResult<Vec<BenchRow>> {
        let Some(first) = self.variants.first() else {
            return Ok(Vec::new());
        };
        let ground = Ground::new(bench, self, first, compiled)?;
        let mut rows = vec![ground.naive_row()?];
        let results = ground.arrays(Precision::Source)?;
        for (i, (kernel, single)) in self.singles.iter().enumerate() {
            if let [binary] = &self.binaries(2 + i, compiled)?[..] {
                rows.push(ground.single_row((*kernel, single), binary, &results)?);
            }
        }
        for (i, variant) in self.variants.iter().enumerate() {
            let binaries = self.binaries(2 + self.singles.len() + i, compiled)?;
            let row = ground.tiled_row(variant, binaries, &results)?;
            let is_default = i == 0 && !self.prefers_steps;
            rows.push(BenchRow { is_default, ..row });
        }
        Ok(rows)
    }
}

/// What NVRTC makes of a text.
type Compilation = GpuResult<Binary>;

/// What the GPU has done, or why not.
type GpuResult<T> = std::result::Result<T, GpuError>;

impl Prepared {
    /// What a translation would be for the sizes that are measured: the model chooses for them, and
    /// what is given or tuned is predicted for them.
    fn for_problem(&self, problem: &Problem) -> Result<Compiled> {
        let mut options = of_tiles(&self.request.options);
        options.sizes = problem.params.clone();
        options.keep_tiles = true;
        if self.compiled.tuned.is_some() {
            options = chosen(&self.compiled).map_or(options.clone(), |v| v.options(&options));
        }
        let mut again = self.again(&options)?;
        again.tuned.clone_from(&self.compiled.tuned);
        Ok(again)
    }

    /// The hybrid tiling, where the options leave the choice to the model.
    fn hybrid(&self, problem: &Problem) -> Result<Option<Compiled>> {
        let options = &self.request.options;
        if options.wanted_tiling() != Tiling::Auto {
            return Ok(None);
        }
        let options = Options {
            tiling: Tiling::Hybrid,
            sizes: problem.params.clone(),
            ..of_tiles(options)
        };
        self.again(&options).map(Some)
    }

    /// What each tiling would be, but those that are like the first one.
    fn all_tilings(&self, problem: &Problem, first: &Compiled) -> Vec<Compiled> {
        let mut found: Vec<Compiled> = Vec::new();
        for (tiling, kernel) in [
            (Tiling::Hybrid, StepKernel::Auto),
            (Tiling::Overlapped, StepKernel::Auto),
            (Tiling::Overlapped, StepKernel::Pipelined),
            (Tiling::Overlapped, StepKernel::Patches),
        ] {
            let options = Options {
                tiling,
                kernel,
                tile: None,
                stream_tile: None,
                sizes: problem.params.clone(),
                keep_tiles: true,
                ..of_tiles(&self.request.options)
            };
            let Ok(compiled) = self.again(&options) else {
                continue;
            };
            let is_like = |other: &Compiled| chosen(other) == chosen(&compiled);
            if !compiled.units.is_empty() && !is_like(first) && !found.iter().any(is_like) {
                found.push(compiled);
            }
        }
        found
    }

    /// The kernels that make one step a launch, the one that a translation takes first.
    fn singles(&self, first: &Compiled, problem: &Problem) -> Vec<(StepKernel, Single)> {
        let mut kernels = vec![StepKernel::Auto];
        if self.request.all_kernels {
            kernels.extend(StepKernel::OF_STEPS);
        } else if !self.request.options.kernel.is_of_tiles() {
            kernels = vec![self.request.options.kernel];
        }
        let single = |kernel: StepKernel| {
            let options = Options {
                kernel,
                ..self.request.options.clone()
            };
            let sets = [problem.values()];
            let single = Single::new(&self.ctx, &self.request.stencil, &options, first, &sets)?;
            Some((kernel, single))
        };
        kernels.into_iter().filter_map(single).collect()
    }

    fn again(&self, options: &Options) -> Result<Compiled> {
        self.ctx.reset_operations();
        pipeline::compile(&self.ctx, &self.request.stencil, options)
            .map_err(refused(&self.request.stencil))
    }
}

/// The options of tiles: what threads have with one launch per step is none of theirs.
fn of_tiles(options: &Options) -> Options {
    Options {
        kernel: match options.kernel.is_of_tiles() {
            true => options.kernel,
            false => StepKernel::Auto,
        },
        cells: None,
        ..options.clone()
    }
}

/// What the first time loop is compiled with.
fn chosen(compiled: &Compiled) -> Option<Variant> {
    compiled.units.first().and_then(Variant::taken)
}

/// What every row of a stencil is compared with.
struct Ground<'a> {
    bench: &'a Workbench,
    job: &'a Job<'a>,
    /// What a translation would be, in tiles.
    compiled: &'a Compiled,
    params: Vec<i64>,
    /// Of the arrays of every time loop, in the baseline.
    layouts: Vec<Vec<ArrayLayout>>,
    naive: Baseline,
    /// The baseline's results.
    reference: Arrays,
    naive_ms: f64,
    work: Work,
    /// The results in double precision, where there are any and memory suffices.
    exact: Option<Arrays>,
}

impl<'a> Ground<'a> {
    fn new(
        bench: &'a Workbench,
        job: &'a Job,
        compiled: &'a Compiled,
        binaries: &[Compilation],
    ) -> GpuResult<Ground<'a>> {
        let params = job.problem.values();
        let layouts: Vec<_> = (compiled.units.iter())
            .map(|unit| plan::layouts(unit.stencil(), &params).unwrap_or_default())
            .collect();
        let naive = Baseline::load(bench, Precision::Source, job.binaries(0, binaries)?)?;
        let kernels: Vec<&Stencil> = compiled.units.iter().map(|u| u.stencil()).collect();
        let sets = [params.clone()];
        let mut ground = Ground {
            reference: Arrays::new(bench, &kernels, &sets, Precision::Source, false)?,
            bench,
            job,
            compiled,
            params,
            layouts,
            naive,
            naive_ms: 0.0,
            work: Work::default(),
            exact: None,
        };
        ground.measure_baseline()?;
        // Double precision needs twice the memory, beside the arrays of the baseline and the
        // kernels and what streamed ones have for themselves; without it the columns are empty.
        let needed = ground.reference.bytes().saturating_mul(5);
        if job.has_float() && needed <= bench.device.info.memory / 10 * 9 {
            ground.exact = match ground.exact_arrays(job.binaries(1, binaries)?) {
                Ok(exact) => Some(exact),
                Err(GpuError::OutOfMemory(_)) => None,
                Err(e) => return Err(e),
            };
        }
        Ok(ground)
    }

    /// Arrays for all time loops.
    fn arrays(&self, precision: Precision) -> GpuResult<Arrays> {
        let kernels: Vec<&Stencil> = self.compiled.units.iter().map(|u| u.stencil()).collect();
        let sets = [self.params.clone()];
        Arrays::new(self.bench, &kernels, &sets, precision, false)
    }

    fn fill(&self, arrays: &Arrays) -> GpuResult<()> {
        let mut all = self.compiled.units.iter().zip(&self.layouts);
        all.try_for_each(|(unit, layouts)| arrays.fill(self.bench, unit.stencil(), layouts))
    }

    /// Median of the timed runs.
    fn ms(&self, run: &dyn Fn() -> GpuResult<()>) -> GpuResult<f64> {
        median_ms(self.bench, WARM_UPS, self.job.request.samples, run)
    }

    /// Lets a profiler see first launches of a run, behind those that fill arrays, which tell it where a row begins.
    fn profile(
        &self,
        fill: &dyn Fn() -> GpuResult<()>,
        run: &dyn Fn() -> GpuResult<()>,
    ) -> GpuResult<()> {
        if !self.job.request.profiled {
            return Ok(());
        }
        let device = &self.bench.device;
        device.begin_profile()?;
        fill()?;
        device.limit_profile(PROFILED);
        run()?;
        device.end_profile()
    }

    fn measure_baseline(&mut self) -> GpuResult<()> {
        let (bench, compiled, params) = (self.bench, self.compiled, &self.params);
        let run = || (self.naive).run(bench, compiled, &self.reference, params);
        self.fill(&self.reference)?;
        let naive_ms = self.ms(&run)?;
        self.profile(&|| self.fill(&self.reference), &run)?;
        self.fill(&self.reference)?;
        run()?;
        self.work = (self.naive).work(bench, compiled, &self.reference, params)?;
        self.naive_ms = naive_ms;
        Ok(())
    }

    /// The results in double precision.
    fn exact_arrays(&self, binaries: Vec<Binary>) -> GpuResult<Arrays> {
        let baseline = Baseline::load(self.bench, Precision::Double, binaries)?;
        let exact = self.arrays(Precision::Double)?;
        self.fill(&exact)?;
        baseline.run(self.bench, self.compiled, &exact, &self.params)?;
        self.bench.device.synchronize()?;
        Ok(exact)
    }

    /// Error of results against those in double precision.
    fn error(&self, arrays: &Arrays) -> GpuResult<Option<Accuracy>> {
        let mut worst: Option<Accuracy> = None;
        let Some(exact) = &self.exact else {
            return Ok(None);
        };
        for (unit, layouts) in self.compiled.units.iter().zip(&self.layouts) {
            let found = arrays.error(exact, self.bench, unit.stencil(), layouts)?;
            worst = match (worst, found) {
                (Some(a), Some(b)) => Some(Accuracy {
                    rms: a.rms.max(b.rms),
                    largest: a.largest.max(b.largest),
                }),
                (a, b) => a.or(b),
            };
        }
        Ok(worst)
    }

    fn row(
        &self,
        variant: String,
        ms: f64,
        resources: Resources,
        error: Option<Accuracy>,
    ) -> BenchRow {
        let (step_bytes, step_limit) = self.limit_of_steps();
        let work = &self.work;
        BenchRow {
            stencil: self.job.request.name.clone(),
            problem: self.job.problem.to_string(),
            tiling: None,
            is_default: false,
            variant,
            gpu: self.bench.device.info.name.clone(),
            ms,
            gcells: work.cells / ms / 1e6,
            predicted_gcells: None,
            gflops: work.flops / ms / 1e6,
            ratio: self.naive_ms / ms,
            step_bytes,
            step_limit,
            of_limit: work.cells / ms / 1e6 / step_limit,
            registers: resources.registers,
            local_bytes: resources.local_bytes,
            shared_bytes: resources.shared_bytes,
            flops_per_byte: work.flops / work.cells / step_bytes,
            resident: resources.resident,
            different: 0,
            error_rms: error.map(|e| e.rms),
            error_max: error.map(|e| e.largest),
        }
    }

    fn naive_row(&self) -> GpuResult<BenchRow> {
        let (resources, error) = (self.naive.resources, self.error(&self.reference)?);
        Ok(self.row("naive".to_string(), self.naive_ms, resources, error))
    }

    fn single_row(
        &self,
        (kernel, single): (StepKernel, &Single),
        binary: &Binary,
        results: &Arrays,
    ) -> GpuResult<BenchRow> {
        let (bench, compiled, params) = (self.bench, self.compiled, &self.params);
        let loaded = single.load(bench, binary)?;
        let run = || loaded.run(bench, results, 0);
        loaded.fill(bench, compiled, results, params)?;
        let ms = self.ms(&run)?;
        self.profile(&|| loaded.fill(bench, compiled, results, params), &run)?;
        loaded.fill(bench, compiled, results, params)?;
        run()?;
        let both = (results, &self.reference);
        let different = loaded.different(bench, compiled, both, params)?;
        Ok(BenchRow {
            tiling: Some("stepwise"),
            is_default: self.job.prefers_steps && kernel == self.job.singles[0].0,
            predicted_gcells: Some(step_time(compiled, self.target()).gcells),
            different,
            ..self.row(named(kernel), ms, loaded.resources, None)
        })
    }

    fn tiled_row(
        &self,
        compiled: &Compiled,
        binaries: Vec<Binary>,
        results: &Arrays,
    ) -> GpuResult<BenchRow> {
        let (bench, params) = (self.bench, &self.params);
        let kernels: Vec<_> = compiled.units.iter().map(TiledKernel::of).collect();
        let built = measure::assemble(&kernels, binaries, std::slice::from_ref(params))?;
        let tiled = Tiled::load(bench, &built)?;
        let fill_results = || {
            (compiled.units.iter().enumerate())
                .try_for_each(|(i, u)| results.fill(bench, u.stencil(), tiled.layouts(i, 0)))
        };
        let run = || tiled.run(bench, compiled, results, (0, params));
        fill_results()?;
        let ms = self.ms(&run)?;
        self.profile(&fill_results, &run)?;
        fill_results()?;
        run()?;
        let mut different = 0;
        for (i, unit) in compiled.units.iter().enumerate() {
            let both = (tiled.layouts(i, 0), self.layouts[i].as_slice());
            different += results.different(&self.reference, bench, unit.stencil(), both)?;
        }
        let streamed = compiled.units.iter().any(|u| u.stream().is_some());
        Ok(BenchRow {
            tiling: Some(if streamed { "overlapped" } else { "hybrid" }),
            predicted_gcells: predicted_gcells(compiled, &step_time(compiled, self.target())),
            different,
            ..self.row(name_of(compiled), ms, tiled.resources, self.error(results)?)
        })
    }

    fn target(&self) -> &Target {
        &self.job.request.options.target
    }

    /// Bytes a cell of a single step of all time loops, and the limit that DRAM sets.
    fn limit_of_steps(&self) -> (f64, f64) {
        let time = step_time(self.compiled, self.target());
        (time.bytes as f64 / time.updates as f64, time.limit)
    }
}

/// What rows call tiles over time.
fn name_of(compiled: &Compiled) -> String {
    chosen(compiled).map_or_else(|| "tiled".to_string(), |v| v.to_string())
}

/// What is predicted of these, in updates of a cell as one launch per step counts them.
fn predicted_gcells(compiled: &Compiled, steps: &StepTime) -> Option<f64> {
    let points = compiled.units.first().and_then(Unit::predicted);
    points.map(|points| points * steps.updates as f64)
}

/// What rows call kernels that make one step a launch.
fn named(kernel: StepKernel) -> String {
    match kernel {
        StepKernel::Auto => Variant::STEPS.to_string(),
        kernel => format!("{}: {}", Variant::STEPS, kernel.name()),
    }
}

/// What is predicted of single steps of the first time loop.
fn step_time(compiled: &Compiled, target: &Target) -> StepTime {
    let unit = &compiled.units[0];
    step_time::predict(&StepWork::of(unit.stencil()), target, &unit.tiled.problem)
}
