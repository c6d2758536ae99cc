//! `hexcc bench`: tiled kernels beside one thread per cell, as a table.

use crate::args::{InputArgs, KernelArgs, STATUSES, TargetArgs};
use crate::compile::context;
use crate::emit::{self, Log, Prefix};
use crate::limit::TimeLimit;
use crate::measuring::workbench;
use crate::messages;
use crate::preprocessor::PreprocessorArgs;
use crate::render::Failure;
use clap::Parser;
use hexcc_tuner::report::{self, BenchRow};
use hexcc_tuner::{Error, Prepared, Request, cache, check_tiles};
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
    after_help = STATUSES
)]
pub struct Bench {
    /// C files, or scops saved with `--emit scop`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    preprocessor: PreprocessorArgs,
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

impl Bench {
    /// Does it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        self.kernel.messages.settle();
        // All files are read before the first one is measured.
        let requests = (self.files.iter())
            .map(|file| self.prepare(file))
            .collect::<Result<Vec<_>, _>>()?;
        let bench = workbench()?;
        let prefix = Prefix(self.output.clone());
        let mut log = Log::create(&prefix)?;
        let mut failure = None;
        let rows = hexcc_tuner::bench(&bench, &requests, &mut |row| match tell(row, &mut log) {
            Ok(()) => ControlFlow::Continue(()),
            Err(why) => {
                failure = Some(why);
                ControlFlow::Break(())
            }
        })?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        let table = report::bench_table(&rows);
        emit::write(&prefix.with_added("txt"), &table)?;
        emit::write(Path::new("-"), &table)?;
        let may_differ = self.fast || self.kernel.fast_math;
        let equal = may_differ || rows.iter().all(|row| row.different == 0);
        Ok(ExitCode::from(u8::from(!equal)))
    }

    /// What a translation of a file would be, in tiles.
    fn prepare(&self, file: &Path) -> Result<Prepared, Failure> {
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
        let mut request = Request {
            options: self.kernel.options(&self.target)?,
            fmad: self.fast,
            lookup,
            samples: self.samples,
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
