//! `hexcc bench`: tiled kernels beside one thread per cell, as a table.

use crate::cli::{self, InputArgs, KernelArgs, TargetArgs};
use crate::emit::{self, Log, Prefix};
use crate::input::Input;
use crate::measure::{self, Accuracy, Arrays, Baseline, Tiled, Workbench, gpu_failure, median_ms};
use crate::problem::Problem;
use crate::render::Failure;
use crate::report::{self, BenchRow};
use crate::variant::Variant;
use clap::Parser;
use hexcc_compiler::back::Precision;
use hexcc_compiler::kernel::plan;
use hexcc_compiler::pipeline::{self, Compiled};
use hexcc_compiler::sched::HybridSchedule;
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::tile_size::Choice;
use hexcc_gpu::{Flags, GpuError};
use hexcc_isl::Ctx;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Measures stencils on the GPU beside a kernel with one thread per cell, and
/// compares the results.
///
/// Every file is measured with the sizes that a translation would take: those
/// of `--tile`, tuned ones, or the model's.
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
    /// Write PREFIX.jsonl and PREFIX.txt
    #[arg(short, long, value_name = "PREFIX", default_value = "bench")]
    output: PathBuf,
}

/// Timed runs.
const WARM_UPS: usize = 2;
const SAMPLES: usize = 5;

impl Bench {
    /// Does it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        // All files are read before the first one is measured.
        let ctx = cli::context()?;
        let mut stencils = Vec::new();
        for file in &self.files {
            let input = InputArgs {
                file: file.clone(),
                function: None,
                include: self.include.clone(),
                define: self.define.clone(),
            };
            let input = input.read()?;
            stencils.push((self.compile(&ctx, &input)?, input.saved));
        }
        let bench = Workbench::open().map_err(gpu_failure)?;
        let prefix = Prefix(self.output.clone());
        let mut log = Log::create(&prefix)?;
        let mut rows = Vec::new();
        let mut equal = true;
        for (compiled, saved) in stencils {
            let memory = bench.device.info.memory;
            let set = self.target_for(&compiled).set;
            let problem = measure::choose_problem(&saved, &compiled, &set, memory)?;
            let compiled = self.for_problem(&ctx, &saved, compiled, &problem)?;
            let flags = Flags { fmad: self.fast };
            let measured = measure_one(&bench, &saved, &compiled, &problem, flags);
            for row in measured.map_err(gpu_failure)? {
                equal &= row.different == 0 || self.fast;
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

    /// What a translation would be.
    fn compile(&self, ctx: &Ctx, input: &Input) -> Result<Compiled, Failure> {
        if self.files.len() == 1 || self.target.set.is_empty() {
            return self.kernel.compile(ctx, input, &self.target);
        }
        // Only the sizes that the stencil has.
        let without = TargetArgs {
            set: Vec::new(),
            ..self.target.clone()
        };
        let quiet = KernelArgs {
            no_cache: true,
            verbose: false,
            ..self.kernel.clone()
        };
        let compiled = quiet.compile(ctx, input, &without)?;
        self.kernel.compile(ctx, input, &self.target_for(&compiled))
    }

    /// The options for a stencil, without the sizes that it lacks where there are
    /// several.
    fn target_for(&self, compiled: &Compiled) -> TargetArgs {
        let params = &compiled.units[0].kernel.stencil.params;
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
        if compiled.tuned.is_some() {
            options = chosen(&compiled).map_or(options.clone(), |v| v.options(&options));
        }
        ctx.reset_operations();
        let again = pipeline::compile(ctx, saved, &options);
        let mut again = again.map_err(|d| Failure {
            diagnostics: vec![*d],
            source: Some(saved.source.clone()),
        })?;
        again.tuned = compiled.tuned;
        Ok(again)
    }
}

/// The model's entry for what was compiled.
fn choice(compiled: &Compiled) -> Option<&Choice> {
    let unit = compiled.units.first()?;
    let wavefront = |s: &HybridSchedule| s.wavefront.map(|w| w.dim);
    (unit.tiles.iter()).find(|c| {
        c.sizes == unit.schedule.sizes()
            && wavefront(&c.schedule) == wavefront(&unit.schedule)
            && c.threads() == unit.kernel.block.size()
    })
}

fn chosen(compiled: &Compiled) -> Option<Variant> {
    choice(compiled).map(Variant::of)
}

/// The baseline and the tiled kernel of one stencil.
fn measure_one(
    bench: &Workbench,
    saved: &SavedScop,
    compiled: &Compiled,
    problem: &Problem,
    flags: Flags,
) -> Result<Vec<BenchRow>, GpuError> {
    let params = problem.values();
    let sets = [params.clone()];
    let kernels: Vec<_> = compiled.units.iter().map(|u| &u.kernel).collect();
    let layouts: Vec<_> = (kernels.iter())
        .map(|ir| plan::allocation(ir, &params).unwrap_or_default())
        .collect();
    let fill = |arrays: &Arrays| {
        let mut all = kernels.iter().zip(&layouts);
        all.try_for_each(|(ir, layouts)| arrays.fill(bench, ir, layouts))
    };
    let arrays = |precision| Arrays::new(bench, &kernels, &sets, precision, false);

    let naive = Baseline::load(bench, compiled, Precision::Source, flags, &params)?;
    let reference = arrays(Precision::Source)?;
    let run = || naive.run(bench, compiled, &reference, &params);
    let naive_ms = median_ms(bench, WARM_UPS, SAMPLES, &run)?;
    fill(&reference)?;
    run()?;
    let work = naive.work(bench, compiled, &reference, &params)?;

    let built = measure::build(&bench.compiler, &kernels, flags, &sets)?;
    let tiled = Tiled::load(bench, &built)?;
    let results = arrays(Precision::Source)?;
    let run = || tiled.run(bench, compiled, &results, (0, &params));
    let tiled_ms = median_ms(bench, WARM_UPS, SAMPLES, &run)?;
    for (i, ir) in kernels.iter().enumerate() {
        results.fill(bench, ir, tiled.layouts(i, 0))?;
    }
    run()?;
    let mut different = 0;
    for (i, ir) in kernels.iter().enumerate() {
        let both = (tiled.layouts(i, 0), layouts[i].as_slice());
        different += results.different(&reference, bench, ir, both)?;
    }

    // Double precision needs twice the memory; without it the columns are empty.
    let errors = match exact_arrays(bench, compiled, &kernels, &sets, &fill, &params) {
        Ok(exact) => {
            let error = |arrays: &Arrays| -> Result<Option<Accuracy>, GpuError> {
                let mut worst: Option<Accuracy> = None;
                for (ir, layouts) in kernels.iter().zip(&layouts) {
                    let found = arrays.error(&exact, bench, ir, layouts)?;
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
            [error(&reference)?, error(&results)?]
        }
        Err(GpuError::OutOfMemory(_)) => [None, None],
        Err(e) => return Err(e),
    };

    let stencil = Path::new(&saved.source.path).file_stem();
    let stencil = stencil.map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let row = |variant: String, ms: f64, resources: measure::Resources, error: Option<Accuracy>| {
        BenchRow {
            stencil: stencil.clone(),
            problem: problem.to_string(),
            variant,
            gpu: bench.device.info.name.clone(),
            ms,
            gcells: work.cells / ms / 1e6,
            predicted_gcells: None,
            gflops: work.flops / ms / 1e6,
            ratio: naive_ms / ms,
            registers: resources.registers,
            local_bytes: resources.local_bytes,
            shared_bytes: resources.shared_bytes,
            different: 0,
            error_rms: error.map(|e| e.rms),
            error_max: error.map(|e| e.largest),
        }
    };
    let variant = chosen(compiled).map_or_else(|| "tiled".to_string(), |v| v.to_string());
    let [naive_error, tiled_error] = errors;
    Ok(vec![
        row("naive".to_string(), naive_ms, naive.resources, naive_error),
        BenchRow {
            predicted_gcells: choice(compiled).map(Choice::gcells),
            different,
            ..row(variant, tiled_ms, tiled.resources, tiled_error)
        },
    ])
}

/// The results in double precision.
fn exact_arrays(
    bench: &Workbench,
    compiled: &Compiled,
    kernels: &[&hexcc_compiler::kernel::KernelIr],
    sets: &[Vec<i64>],
    fill: &dyn Fn(&Arrays) -> Result<(), GpuError>,
    params: &[i64],
) -> Result<Arrays, GpuError> {
    let flags = Flags { fmad: false };
    let baseline = Baseline::load(bench, compiled, Precision::Double, flags, params)?;
    let exact = Arrays::new(bench, kernels, sets, Precision::Double, false)?;
    fill(&exact)?;
    baseline.run(bench, compiled, &exact, params)?;
    bench.device.synchronize()?;
    Ok(exact)
}
