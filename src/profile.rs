//! `hexcc profile`: why kernels are as fast as they are.

use crate::args::STATUSES;
use crate::bench::Bench;
use crate::emit::{self, Log};
use crate::measuring::workbench;
use crate::messages;
use crate::render::Failure;
use clap::Parser;
use hexcc_compiler::ctype::CType;
use hexcc_tuner::profile::{self, Counters};
use hexcc_tuner::{Prepared, predict, report};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Bytes of memory of the GPU that is assumed where there is none.
const MEMORY: u64 = 80_000_000_000;

/// Measures all kinds of kernels of a stencil, and says what limits each of them.
///
/// Where ncu is found, hardware counters tell the traffic of DRAM, hits in caches, and why warps wait.
/// Without ncu their columns are empty. Without a GPU the model's predictions are printed.
#[derive(Debug, Parser)]
#[command(
    name = "hexcc profile",
    bin_name = "hexcc profile",
    arg_required_else_help = true,
    disable_help_flag = true,
    after_help = STATUSES
)]
pub struct Profile {
    #[command(flatten)]
    bench: Bench,
}

impl Profile {
    /// Does it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let requests = self.bench.requests(true)?;
        let Some(request) = requests.first() else {
            return Ok(ExitCode::SUCCESS);
        };
        let Ok(bench) = workbench() else {
            return predicted(request);
        };
        let prefix = self.bench.prefix("profile");
        let mut log = Log::create(&prefix)?;
        let rows = self.bench.rows(&bench, &requests, &mut log)?;
        let counters = self.counters(rows.len());
        if counters.is_none() {
            messages::tell("ncu has told nothing: the profile has times, and no counters");
        }
        let rows = profile::rows(&rows, counters.as_deref());
        let text = profile::markdown(&rows);
        let target = &request.request().options.target;
        let page = profile::page(&rows, (target, is_double(request)));
        let lines: Vec<String> = (rows.iter())
            .map(|row| report::json_line("profile", row))
            .collect();
        emit::write(&prefix.with_added("jsonl"), &lines.concat())?;
        emit::write(&prefix.with_added("html"), &page)?;
        emit::write(&prefix.with_added("md"), &text)?;
        emit::write(Path::new("-"), &text)?;
        Ok(ExitCode::SUCCESS)
    }

    /// What ncu says of each row of a benchmark, if there is one that may read counters.
    fn counters(&self, rows: usize) -> Option<Vec<Counters>> {
        let folder = tempfile::tempdir().ok()?;
        let table = folder.path().join("table.csv");
        let mut command = Command::new(ncu());
        command.args(profile::arguments(&table.to_string_lossy()));
        command.arg(std::env::current_exe().ok()?).arg("bench");
        // The words of this command, which those of the benchmark are, too.
        command.args(words());
        command.args([
            "--kernels",
            "all",
            "--samples",
            "1",
            "--profiled",
            "--output",
        ]);
        command.arg(folder.path().join("bench"));
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let status = command.stderr(Stdio::null()).status().ok()?;
        let read = std::fs::read_to_string(&table).ok()?;
        let counters = profile::read(&read).filter(|found| found.len() == rows);
        counters.filter(|_| status.success())
    }
}

/// The command line behind `profile`.
fn words() -> Vec<OsString> {
    let all = std::env::args_os().skip_while(|word| word != "profile");
    all.skip(1).collect()
}

/// ncu: that of `HEXCC_NCU`, or on the path.
fn ncu() -> OsString {
    std::env::var_os("HEXCC_NCU").unwrap_or_else(|| OsString::from("ncu"))
}

/// What the model says, where nothing can be measured.
fn predicted(prepared: &Prepared) -> Result<ExitCode, Failure> {
    messages::tell("no GPU can be used: these are predictions of the model");
    let mut text = String::from(
        "| kernel | predicted GCell/s | predicted, of the limit of one launch per step |\n| --- | --- | --- |\n",
    );
    for row in predict(prepared, MEMORY)? {
        text.push_str(&format!(
            "| {} | {:.1} | {:.2} |\n",
            row.variant, row.gcells, row.of_limit
        ));
    }
    emit::write(Path::new("-"), &text)?;
    Ok(ExitCode::SUCCESS)
}

/// Whether arrays that are written have numbers of type `double`.
fn is_double(prepared: &Prepared) -> bool {
    let units = prepared.compiled().units.iter();
    let mut arrays = units.flat_map(|unit| &unit.stencil().arrays);
    arrays.any(|array| array.written && array.elem == CType::Double)
}
