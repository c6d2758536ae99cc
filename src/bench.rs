//! `hexcc bench`: tiled kernels beside one thread per cell, as a table.

use crate::args::{InputArgs, KernelArgs, STATUSES, TargetArgs, TilingArg};
use crate::compile::context;
use crate::emit::{self, Log, Prefix};
use crate::limit::TimeLimit;
use crate::measuring::workbench;
use crate::messages;
use crate::preprocessor::PreprocessorArgs;
use crate::render::Failure;
use clap::{Parser, ValueEnum};
use hexcc_compiler::options::Tiling;
use hexcc_tuner::report::{self, BenchRow};
use hexcc_tuner::{Error, Prepared, Request, Workbench, cache, check_tiles};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Measures stencils on the GPU beside a kernel with one thread per cell.
///
/// Every file is measured with the tiling and the sizes that a translation would take.
/// One launch per step is measured beside it. Where a translation takes overlapped tiles, the best
/// hexagonal tiles are measured, too.
#[derive(Debug, Parser)]
#[command(
    name = "hexcc bench",
    bin_name = "hexcc bench",
    arg_required_else_help = true,
    disable_help_flag = true,
    args_override_self = true,
    after_help = STATUSES
)]
pub struct Bench {
    /// C files, or scops saved with `--emit scop`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    pub preprocessor: PreprocessorArgs,
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
    /// Which kernels: what a translation takes with its alternatives, or all kinds that there are
    #[arg(long, value_enum, default_value = "usual")]
    kernels: KernelsArg,
    /// Let a profiler see some launches of each kernel: what `hexcc profile` does
    #[arg(long, hide = true)]
    profiled: bool,
    /// Write PREFIX.jsonl and PREFIX.txt, or PREFIX.html and PREFIX.md [default: the command]
    #[arg(short, long, value_name = "PREFIX")]
    output: Option<PathBuf>,
}

/// Which kernels are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KernelsArg {
    /// What a translation takes, one launch per step and hexagonal tiles
    Usual,
    /// Each kind of one launch per step, and each tiling over time
    All,
}

fn parse_samples(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=1000) => Ok(n),
        _ => Err("expected a number from 1 to 1000".to_string()),
    }
}

impl Bench {
    /// Does it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        self.kernel.messages.settle();
        let requests = self.requests(self.kernels == KernelsArg::All)?;
        let bench = workbench()?;
        let prefix = self.prefix("bench");
        let mut log = Log::create(&prefix)?;
        let rows = self.rows(&bench, &requests, &mut log)?;
        let table = report::bench_table(&rows);
        emit::write(&prefix.with_added("txt"), &table)?;
        emit::write(Path::new("-"), &table)?;
        let may_differ = self.fast || self.kernel.fast_math;
        let equal = may_differ || rows.iter().all(|row| row.different == 0);
        Ok(ExitCode::from(u8::from(!equal)))
    }

    /// What translations of the files would be, all of which are read before the first one is measured.
    pub fn requests(&self, all_kernels: bool) -> Result<Vec<Prepared>, Failure> {
        let files = self.files.iter();
        files.map(|file| self.prepare(file, all_kernels)).collect()
    }

    /// What names of results begin with.
    pub fn prefix(&self, default: &str) -> Prefix {
        Prefix(
            self.output
                .clone()
                .unwrap_or_else(|| PathBuf::from(default)),
        )
    }

    /// Measures them, with a line of the log for each row.
    pub fn rows(
        &self,
        bench: &Workbench,
        requests: &[Prepared],
        log: &mut Log,
    ) -> Result<Vec<BenchRow>, Failure> {
        let mut failure = None;
        let rows = hexcc_tuner::bench(bench, requests, &mut |row| match tell(row, log) {
            Ok(()) => ControlFlow::Continue(()),
            Err(why) => {
                failure = Some(why);
                ControlFlow::Break(())
            }
        })?;
        failure.map_or(Ok(rows), Err)
    }

    /// What a translation of a file would be, in tiles.
    fn prepare(&self, file: &Path, all_kernels: bool) -> Result<Prepared, Failure> {
        let input = InputArgs {
            files: vec![file.to_path_buf()],
            function: None,
            line: None,
            preprocessor: self.preprocessor.clone(),
        };
        let limit = TimeLimit::start(self.kernel.time_limit);
        let input = input.read(self.kernel.sums, &limit)?;
        let ctx = context(&limit)?;
        let lookup = cache::folder().and_then(|folder| self.kernel.lookup(&self.target, &folder));
        let mut options = self.kernel.options(&self.target)?;
        // A kernel that makes one step a launch is measured beside tiles.
        if self.kernel.tiling == TilingArg::Auto && options.tiling == Tiling::Stepwise {
            options.tiling = Tiling::Auto;
        }
        let mut request = Request {
            options,
            fmad: self.fast,
            lookup,
            samples: self.samples,
            all_kernels,
            profiled: self.profiled,
            ..Request::new(name_of(file), input.saved)
        };
        if self.files.len() > 1 {
            request.forget_unknown_sizes(&ctx)?;
        }
        let prepared = Prepared::new(&ctx, request)?;
        let (compiled, saved) = (prepared.compiled(), &prepared.request().stencil);
        self.kernel.tell(&input.warnings, saved, compiled)?;
        check_tiles(compiled).map_err(Error::NoTiles)?;
        limit.finish()?;
        Ok(prepared)
    }
}

/// Writes a row to the log.
fn tell(row: &BenchRow, log: &mut Log) -> Result<(), Failure> {
    log.line(&report::json_line("bench", row))?;
    messages::tell(&format!(
        "{} {}: {:.1} GCell/s",
        row.stencil, row.variant, row.gcells
    ));
    Ok(())
}

/// A file's name without directories and what follows the first dot.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_string()
}
