//! `hexcc bench`: tiled kernels beside one thread per cell, as a table.

use crate::cli::{self, InputArgs, KernelArgs, TargetArgs};
use crate::emit::{self, Log, Prefix};
use crate::input::Input;
use crate::limit::TimeLimit;
use crate::measure::{
    self, Accuracy, Arrays, Baseline, Text, Tiled, TiledKernel, Workbench, gpu_failure, median_ms,
};
use crate::problem::Problem;
use crate::render::Failure;
use crate::report::{self, BenchRow};
use crate::single::Single;
use crate::variant::Variant;
use clap::Parser;
use hexcc_compiler::back::Precision;
use hexcc_compiler::compiled::{Compiled, Unit};
use hexcc_compiler::ctype::CType;
use hexcc_compiler::kernel::{Stencil, plan};
use hexcc_compiler::options::{Options, Tiling};
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::step_time::{self, StepTime, StepWork};
use hexcc_compiler::target::Target;
use hexcc_compiler::{pipeline, preference};
use hexcc_gpu::{Binary, Flags, GpuError};
use hexcc_isl::Ctx;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Measures stencils on the GPU beside a kernel with one thread per cell, and
/// compares the results.
///
/// Every file is measured with the tiling and the sizes that a translation would take:
/// those given, tuned ones, or the model's. Single steps are measured beside it, which a translation
/// takes where the model expects no gain of tiles. Where overlapped tiling is the model's
/// choice, the best sizes of the hybrid tiling are measured, too.
#[derive(Debug, Parser)]
#[command(
    name = "hexcc bench",
    bin_name = "hexcc bench",
    arg_required_else_help = true
)]
pub struct Bench {
    /// C files, or scops saved with `--emit scop`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Directory for `#include`
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Macro, NAME or NAME=VALUE
    #[arg(short = 'D', value_name = "MACRO")]
    define: Vec<String>,
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// Allow fused multiply-add, in the baseline too
    #[arg(long)]
    fast: bool,
    /// Timed runs, of which the median counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = parse_samples)]
    samples: usize,
    /// Write PREFIX.jsonl and PREFIX.txt
    #[arg(short, long, value_name = "PREFIX", default_value = "bench")]
    output: PathBuf,
}

fn parse_samples(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=1000) => Ok(n),
        _ => Err("expected a number from 1 to 1000".to_string()),
    }
}

/// Runs before the timed ones.
const WARM_UPS: usize = 2;

/// A stencil to measure.
struct Job {
    /// The file's name.
    name: String,
    /// What a translation would be, and others to compare with.
    variants: Vec<Compiled>,
    /// The same without tiles, where that can be measured.
    single: Option<Single>,
    /// That is what a translation would be.
    prefers_steps: bool,
    problem: Problem,
    /// Where the texts of the baseline, those of the baseline in double precision, that of single
    /// steps and those of every variant are among all that are compiled.
    texts: Vec<Range<usize>>,
}

impl Job {
    /// Whether there are results to compare with those in double precision.
    fn has_float(&self) -> bool {
        let kernels = self.variants.iter().flat_map(|c| &c.units);
        let mut arrays = kernels.flat_map(|unit| &unit.stencil().arrays);
        arrays.any(|a| a.written && a.elem == CType::Float)
    }

    fn all_texts(&self, flags: Flags) -> Vec<Vec<Text>> {
        let params = self.problem.values();
        let mut all = Vec::new();
        if let Some(first) = self.variants.first() {
            all.push(Baseline::texts(first, Precision::Source, flags, &params));
            all.push(match self.has_float() {
                true => Baseline::texts(first, Precision::Double, Flags::default(), &params),
                false => Vec::new(),
            });
        }
        all.push(self.single.iter().map(|s| s.text(flags)).collect());
        for compiled in &self.variants {
            let kernels: Vec<_> = compiled.units.iter().map(TiledKernel::of).collect();
            all.push(measure::texts(&kernels, flags));
        }
        all
    }

    /// The compiled texts of one of the above.
    fn binaries(
        &self,
        which: usize,
        compiled: &[Result<Binary, GpuError>],
    ) -> Result<Vec<Binary>, GpuError> {
        let range = self.texts.get(which).cloned().unwrap_or_default();
        compiled
            .get(range)
            .unwrap_or_default()
            .iter()
            .cloned()
            .collect()
    }
}

impl Bench {
    /// Does it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        // All files are read before the first one is measured.
        let ctx = cli::context(&TimeLimit::none())?;
        let mut stencils = Vec::new();
        for file in &self.files {
            let input = InputArgs {
                files: vec![file.clone()],
                function: None,
                line: None,
                include: self.include.clone(),
                define: self.define.clone(),
            };
            let limit = TimeLimit::start(self.kernel.time_limit);
            let input = input.read(self.kernel.sums, &limit)?;
            let compiled = self.compile(&cli::context(&limit)?, &input)?;
            limit.finish()?;
            stencils.push((compiled, input.saved, name_of(file)));
        }
        let bench = Workbench::open().map_err(gpu_failure)?;
        let prefix = Prefix(self.output.clone());
        let mut log = Log::create(&prefix)?;
        let fast = self.fast || self.kernel.fast_math;
        let flags = Flags {
            fmad: fast,
            fast_math: self.kernel.fast_math,
        };
        let mut jobs = Vec::new();
        let mut texts = Vec::new();
        for (compiled, saved, name) in stencils {
            let memory = bench.device.info.memory;
            let set = self.target_for(&compiled).set;
            let problem = measure::choose_problem(&saved, &compiled, &set, memory)?;
            let mut variants = vec![self.for_problem(&ctx, &saved, compiled, &problem)?];
            // The other tiling, too, where it applies.
            let units = &variants[0].units;
            let other = units.iter().any(|u| u.stream().is_some());
            if other && units.iter().all(|u| u.hybrid().is_some()) {
                variants.extend(self.hybrid(&ctx, &saved, &problem)?);
            }
            let options = self.kernel.options(&self.target)?;
            let sets = [problem.values()];
            let single = Single::new(&ctx, &saved, &options, &variants[0], &sets);
            let first = &variants[0];
            let why = preference::over_all_tiles(&first.scop, &first.units)
                .map_err(|d| Failure::plain(*d))?;
            let prefers_steps = first.tuned.is_none() && why.is_some();
            let mut job = Job {
                name,
                variants,
                prefers_steps: prefers_steps && single.is_some(),
                single,
                problem,
                texts: Vec::new(),
            };
            for list in job.all_texts(flags) {
                job.texts.push(texts.len()..texts.len() + list.len());
                texts.extend(list);
            }
            jobs.push(job);
        }
        let binaries = measure::compile_all(&bench.compiler, &texts);
        let target = self.kernel.options(&self.target)?.target;
        let mut rows = Vec::new();
        let mut equal = true;
        for job in jobs {
            let measured = self.measure(&bench, &job, (&target, &binaries));
            for row in measured.map_err(gpu_failure)? {
                equal &= row.different == 0 || fast;
                log.line(&report::json_line("bench", &row))?;
                eprintln!("{} {}: {:.1} GCell/s", row.stencil, row.variant, row.gcells);
                rows.push(row);
            }
        }
        let table = report::bench_table(&rows);
        emit::write(&prefix.with_added("txt"), &table)?;
        emit::write(Path::new("-"), &table)?;
        Ok(ExitCode::from(u8::from(!equal)))
    }

    /// What a translation would be, in tiles.
    fn compile(&self, ctx: &Ctx, input: &Input) -> Result<Compiled, Failure> {
        let kernel = KernelArgs {
            keep_tiles: true,
            ..self.kernel.clone()
        };
        if self.files.len() == 1 || self.target.set.is_empty() {
            return cli::tiled(kernel.compile(ctx, input, &self.target)?);
        }
        // Only the sizes that the stencil has.
        let without = TargetArgs {
            set: Vec::new(),
            ..self.target.clone()
        };
        let quiet = KernelArgs {
            no_cache: true,
            verbose: false,
            ..kernel.clone()
        };
        let compiled = cli::tiled(quiet.compile(ctx, input, &without)?)?;
        cli::tiled(kernel.compile(ctx, input, &self.target_for(&compiled))?)
    }

    /// The options for a stencil, without the sizes that it lacks where there are
    /// several.
    fn target_for(&self, compiled: &Compiled) -> TargetArgs {
        let params = &compiled.units[0].stencil().params;
        let mut target = self.target.clone();
        (target.set).retain(|(name, _)| self.files.len() == 1 || params.contains(name));
        target
    }

    /// The same for the sizes that are measured: the model chooses for them, and
    /// what is given or tuned is predicted for them.
    fn for_problem(
        &self,
        ctx: &Ctx,
        saved: &SavedScop,
        compiled: Compiled,
        problem: &Problem,
    ) -> Result<Compiled, Failure> {
        let mut options = self.kernel.options(&self.target)?;
        options.sizes = problem.params.clone();
        options.keep_tiles = true;
        if compiled.tuned.is_some() {
            options = chosen(&compiled).map_or(options.clone(), |v| v.options(&options));
        }
        let mut again = compile_again(ctx, saved, &options)?;
        again.tuned = compiled.tuned;
        Ok(again)
    }

    /// The hybrid tiling, where the options leave the choice to the model.
    fn hybrid(
        &self,
        ctx: &Ctx,
        saved: &SavedScop,
        problem: &Problem,
    ) -> Result<Option<Compiled>, Failure> {
        let options = self.kernel.options(&self.target)?;
        if options.wanted_tiling() != Tiling::Auto {
            return Ok(None);
        }
        let options = Options {
            tiling: Tiling::Hybrid,
            sizes: problem.params.clone(),
            ..options
        };
        compile_again(ctx, saved, &options).map(Some)
    }
}

/// Whether single steps are what a translation takes.
fn compile_again(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<Compiled, Failure> {
    ctx.reset_operations();
    pipeline::compile(ctx, saved, options).map_err(|d| Failure {
        diagnostics: vec![*d],
        source: Some(saved.source.clone()),
    })
}

/// A file's name without directories and what follows the first dot.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_string()
}

/// What the first time loop is compiled with.
fn chosen(compiled: &Compiled) -> Option<Variant> {
    compiled.units.first().and_then(Variant::taken)
}

impl Bench {
    /// The baseline and the tiled kernels of one stencil.
    fn measure(
        &self,
        bench: &Workbench,
        job: &Job,
        (target, compiled_texts): (&Target, &[Result<Binary, GpuError>]),
    ) -> Result<Vec<BenchRow>, GpuError> {
        let Job {
            name,
            variants,
            problem,
            ..
        } = job;
        let Some(compiled) = variants.first() else {
            return Ok(Vec::new());
        };
        let params = problem.values();
        let sets = [params.clone()];
        let kernels: Vec<_> = compiled.units.iter().map(|u| u.stencil()).collect();
        let layouts: Vec<_> = (kernels.iter())
            .map(|stencil| plan::layouts(stencil, &params).unwrap_or_default())
            .collect();
        let fill = |arrays: &Arrays| {
            let mut all = kernels.iter().zip(&layouts);
            all.try_for_each(|(stencil, layouts)| arrays.fill(bench, stencil, layouts))
        };
        let arrays = |precision| Arrays::new(bench, &kernels, &sets, precision, false);

        let binaries = job.binaries(0, compiled_texts)?;
        let naive = Baseline::load(bench, Precision::Source, binaries)?;
        let reference = arrays(Precision::Source)?;
        let run = || naive.run(bench, compiled, &reference, &params);
        fill(&reference)?;
        let naive_ms = median_ms(bench, WARM_UPS, self.samples, &run)?;
        fill(&reference)?;
        run()?;
        let work = naive.work(bench, compiled, &reference, &params)?;

        // Double precision needs twice the memory, beside the arrays of the baseline and the
        // kernels and what streamed ones have for themselves; without it the columns are empty.
        let mut exact = None;
        let fits = reference.bytes().saturating_mul(5) <= bench.device.info.memory / 10 * 9;
        if job.has_float() && fits {
            let binaries = job.binaries(1, compiled_texts)?;
            exact = match exact_arrays(bench, compiled, binaries, &kernels, &sets, &fill) {
                Ok(exact) => Some(exact),
                Err(GpuError::OutOfMemory(_)) => None,
                Err(e) => return Err(e),
            };
        }
        let error = |arrays: &Arrays| -> Result<Option<Accuracy>, GpuError> {
            let mut worst: Option<Accuracy> = None;
            let Some(exact) = &exact else {
                return Ok(None);
            };
            for (stencil, layouts) in kernels.iter().zip(&layouts) {
                let found = arrays.error(exact, bench, stencil, layouts)?;
                worst = match (worst, found) {
                    (Some(a), Some(b)) => Some(Accuracy {
                        rms: a.rms.max(b.rms),
                        largest: a.largest.max(b.largest),
                    }),
                    (a, b) => a.or(b),
                };
            }
            Ok(worst)
        };

        let (step_bytes, step_limit) = limit_of_steps(compiled, target);
        let row =
            |variant: String, ms: f64, resources: measure::Resources, error: Option<Accuracy>| {
                BenchRow {
                    stencil: name.clone(),
                    problem: problem.to_string(),
                    tiling: None,
                    is_default: false,
                    variant,
                    gpu: bench.device.info.name.clone(),
                    ms,
                    gcells: work.cells / ms / 1e6,
                    predicted_gcells: None,
                    gflops: work.flops / ms / 1e6,
                    ratio: naive_ms / ms,
                    step_bytes,
                    step_limit,
                    of_limit: work.cells / ms / 1e6 / step_limit,
                    registers: resources.registers,
                    local_bytes: resources.local_bytes,
                    shared_bytes: resources.shared_bytes,
                    different: 0,
                    error_rms: error.map(|e| e.rms),
                    error_max: error.map(|e| e.largest),
                }
            };
        let naive_error = error(&reference)?;
        let mut rows = vec![row(
            "naive".to_string(),
            naive_ms,
            naive.resources,
            naive_error,
        )];
        let results = arrays(Precision::Source)?;
        if let (Some(single), [binary]) = (&job.single, &job.binaries(2, compiled_texts)?[..]) {
            let loaded = single.load(bench, binary)?;
            let run = || loaded.run(bench, &results, 0);
            loaded.fill(bench, compiled, &results, &params)?;
            let ms = median_ms(bench, WARM_UPS, self.samples, &run)?;
            loaded.fill(bench, compiled, &results, &params)?;
            run()?;
            let both = (&results, &reference);
            let different = loaded.different(bench, compiled, both, &params)?;
            rows.push(BenchRow {
                tiling: Some("stepwise"),
                is_default: job.prefers_steps,
                predicted_gcells: Some(step_time(compiled, target).gcells),
                different,
                ..row(Variant::STEPS.to_string(), ms, loaded.resources, None)
            });
        }
        for (i, compiled) in variants.iter().enumerate() {
            let kernels: Vec<_> = compiled.units.iter().map(TiledKernel::of).collect();
            let binaries = job.binaries(3 + i, compiled_texts)?;
            let built = measure::assemble(&kernels, binaries, &sets)?;
            let tiled = Tiled::load(bench, &built)?;
            let fill_results = || {
                (compiled.units.iter().enumerate())
                    .try_for_each(|(i, u)| results.fill(bench, u.stencil(), tiled.layouts(i, 0)))
            };
            let run = || tiled.run(bench, compiled, &results, (0, &params));
            fill_results()?;
            let ms = median_ms(bench, WARM_UPS, self.samples, &run)?;
            fill_results()?;
            run()?;
            let mut different = 0;
            for (i, unit) in compiled.units.iter().enumerate() {
                let both = (tiled.layouts(i, 0), layouts[i].as_slice());
                different += results.different(&reference, bench, unit.stencil(), both)?;
            }
            let variant = chosen(compiled).map_or_else(|| "tiled".to_string(), |v| v.to_string());
            let streamed = compiled.units.iter().any(|u| u.stream().is_some());
            rows.push(BenchRow {
                tiling: Some(if streamed { "overlapped" } else { "hybrid" }),
                is_default: i == 0 && !job.prefers_steps,
                predicted_gcells: (compiled.units.first().and_then(Unit::predicted))
                    .map(|points| points * step_time(compiled, target).updates as f64),
                different,
                ..row(variant, ms, tiled.resources, error(&results)?)
            });
        }
        Ok(rows)
    }
}

/// What is predicted of single steps of the first time loop.
fn step_time(compiled: &Compiled, target: &Target) -> StepTime {
    let unit = &compiled.units[0];
    step_time::predict(&StepWork::of(unit.stencil()), target, &unit.tiled.problem)
}

/// Bytes a cell of a single step of all time loops, and the limit that DRAM sets.
fn limit_of_steps(compiled: &Compiled, target: &Target) -> (f64, f64) {
    let time = step_time(compiled, target);
    (time.bytes as f64 / time.updates as f64, time.limit)
}

/// The results in double precision.
fn exact_arrays(
    bench: &Workbench,
    compiled: &Compiled,
    binaries: Vec<Binary>,
    kernels: &[&Stencil],
    sets: &[Vec<i64>],
    fill: &dyn Fn(&Arrays) -> Result<(), GpuError>,
) -> Result<Arrays, GpuError> {
    let baseline = Baseline::load(bench, Precision::Double, binaries)?;
    let exact = Arrays::new(bench, kernels, sets, Precision::Double, false)?;
    fill(&exact)?;
    let params = sets.first().map_or(&[][..], Vec::as_slice);
    baseline.run(bench, compiled, &exact, params)?;
    bench.device.synchronize()?;
    Ok(exact)
}
