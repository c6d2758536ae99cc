//! `hexcc bench`: tiled kernels beside one thread per cell, as a table.

use crate::cli::{self, InputArgs, KernelArgs};
use crate::emit;
use crate::measure::{self, Accuracy, Arrays, Baseline, Tiled, Workbench, gpu_failure, median_ms};
use crate::problem::{self, Problem};
use crate::render::Failure;
use crate::report::{self, BenchRow};
use clap::Parser;
use hexcc_compiler::back::Precision;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::kernel::plan;
use hexcc_compiler::pipeline::{self, Compiled};
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::tile_size::Choice;
use hexcc_gpu::{Flags, GpuError};
use std::io::Write;
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
    kernel: KernelArgs,
    /// Sizes of the problem, `N=16384,T=1000`
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = problem::parse_sizes)]
    set: Vec<(String, i64)>,
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
            ctx.reset_operations();
            let compiled = self.kernel.compile(&ctx, &input)?;
            ctx.reset_operations();
            // A prediction is a courtesy; without one the column is empty.
            let choices = pipeline::candidates(&ctx, &input.saved, &self.kernel.options());
            let sizes = compiled.units[0].schedule.sizes();
            let mut choices = choices.unwrap_or_default().into_iter();
            let choice = choices.find(|c| c.schedule.sizes() == sizes);
            let predicted = choice.as_ref().map(Choice::gcells);
            stencils.push((input.saved, compiled, predicted));
        }
        let bench = Workbench::open().map_err(gpu_failure)?;
        let path = |extension: &str| {
            let mut name = self.output.clone().into_os_string();
            name.push(extension);
            PathBuf::from(name)
        };
        let lines = path(".jsonl");
        let mut file = std::fs::File::create(&lines).map_err(|e| cannot_write(&lines, &e))?;
        let mut rows = Vec::new();
        let mut equal = true;
        for (saved, compiled, predicted) in &stencils {
            let memory = bench.device.info.memory;
            let problem =
                measure::choose_problem(saved, compiled, &self.set_for(compiled), memory)?;
            let flags = Flags { fmad: self.fast };
            let measured = measure_one(&bench, saved, compiled, &problem, flags, *predicted);
            for row in measured.map_err(gpu_failure)? {
                equal &= row.different == 0 || self.fast;
                let line = report::json_line("bench", &row);
                file.write_all(line.as_bytes())
                    .map_err(|e| cannot_write(&lines, &e))?;
                eprintln!("{} {}: {:.1} GCell/s", row.stencil, row.variant, row.gcells);
                rows.push(row);
            }
        }
        let table = report::bench_table(&rows);
        emit::write(&path(".txt"), &table)?;
        emit::write(Path::new("-"), &table)?;
        Ok(ExitCode::from(u8::from(!equal)))
    }

    /// The sizes given, without those that this stencil lacks where there are
    /// several stencils.
    fn set_for(&self, compiled: &Compiled) -> Vec<(String, i64)> {
        let params = &compiled.units[0].kernel.params;
        (self.set.iter())
            .filter(|(name, _)| self.files.len() == 1 || params.contains(name))
            .cloned()
            .collect()
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(Diagnostic::error(
        "HX0503",
        format!("cannot write `{}`: {error}", path.display()),
    ))
}

/// The baseline and the tiled kernel of one stencil.
fn measure_one(
    bench: &Workbench,
    saved: &SavedScop,
    compiled: &Compiled,
    problem: &Problem,
    flags: Flags,
    predicted: Option<f64>,
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

    let naive = Baseline::load(bench, compiled, Precision::Source, flags)?;
    let reference = arrays(Precision::Source)?;
    let run = || naive.run(bench, compiled, &reference, &params);
    let naive_ms = median_ms(bench, WARM_UPS, SAMPLES, &run)?;
    fill(&reference)?;
    run()?;
    let work = naive.work(bench, compiled, &reference, &params)?;

    let built = measure::build(&bench.compiler, saved, compiled, flags, &sets)?;
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
    let schedule = &compiled.units[0].schedule;
    let sizes = match schedule.wavefront {
        Some(w) => format!("{} --wavefront {}", schedule.sizes(), w.dim),
        None => schedule.sizes().to_string(),
    };
    let [naive_error, tiled_error] = errors;
    Ok(vec![
        row("naive".to_string(), naive_ms, naive.resources, naive_error),
        BenchRow {
            predicted_gcells: predicted,
            different,
            ..row(sizes, tiled_ms, tiled.resources, tiled_error)
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
    let baseline = Baseline::load(bench, compiled, Precision::Double, flags)?;
    let exact = Arrays::new(bench, kernels, sets, Precision::Double, false)?;
    fill(&exact)?;
    baseline.run(bench, compiled, &exact, params)?;
    bench.device.synchronize()?;
    Ok(exact)
}
