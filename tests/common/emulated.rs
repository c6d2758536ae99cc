//! A translation in the emulation of CUDA beside the C program, as tests/e2e.rs does it.
//!
//! The text of this file is part of what tests/golden/verified.txt knows translations by: where it
//! changes, all of them are run again.

use super::ledger::{Ledger, compilers, hash_of};
use super::{Program, output, root, scratch, succeed};
use hexcc_tuner::compare::{self, Tolerance};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

const SEEDS: [u64; 3] = [0, 1, 12345];

/// Blocks of memory that a program shares with kernels before it allocates other device memory, at most.
const MOST_SHARED_BLOCKS: usize = 16;

/// Seconds after which a program counts as hanging.
const PATIENCE: &str = "60";
/// -O1 builds in half the time of -O2 and runs twice as fast as -O0.
const EMUCC_FLAGS: [&str; 2] = ["-O1", "-w"];

/// Where programs are built and what the test has done.
pub struct Bench {
    cache: PathBuf,
    work: tempfile::TempDir,
    /// Compilers and the emulation, whose change makes all builds stale.
    tools: u64,
    fresh: bool,
    serial: AtomicUsize,
    pub n_built: AtomicUsize,
    pub n_runs: AtomicUsize,
    pub n_failing: AtomicUsize,
}

impl Bench {
    pub fn new() -> Bench {
        let cache = scratch("e2e");
        Bench {
            work: tempfile::tempdir_in(&cache).expect("the build directory can be written"),
            cache,
            tools: compilers(),
            fresh: std::env::var_os("HEXCC_E2E_FRESH").is_some_and(|v| v == "1"),
            serial: AtomicUsize::new(0),
            n_built: AtomicUsize::new(0),
            n_runs: AtomicUsize::new(0),
            n_failing: AtomicUsize::new(0),
        }
    }

    /// A path nobody else uses.
    fn temporary(&self, suffix: &str) -> PathBuf {
        let n = self.serial.fetch_add(1, Ordering::Relaxed);
        self.work.path().join(format!("{n}{suffix}"))
    }

    /// A program built from `text`, by `build(source, program)` unless it is known.
    fn build(
        &self,
        suffix: &str,
        text: &str,
        build: impl Fn(&Path, &Path) -> Command,
    ) -> Result<PathBuf, String> {
        let content = [suffix, text, &EMUCC_FLAGS.concat(), &self.tools.to_string()];
        let program = (self.cache).join(format!("program-{:016x}", hash_of(&content)));
        if program.exists() && !self.fresh {
            touch(&program);
            return Ok(program);
        }
        let (source, new) = (self.temporary(suffix), self.temporary(""));
        fs::write(&source, text).map_err(|e| e.to_string())?;
        succeed(&mut build(&source, &new)).map_err(|e| format!("does not build: {e}"))?;
        fs::rename(&new, &program).map_err(|e| e.to_string())?;
        fs::remove_file(&source).map_err(|e| e.to_string())?;
        self.n_built.fetch_add(1, Ordering::Relaxed);
        Ok(program)
    }

    /// A run of a program.
    fn command(&self, program: &Path, args: &[i64], dump: &Path, seed: u64) -> Command {
        let mut command = Command::new("timeout");
        command
            .arg(PATIENCE)
            .arg(program)
            .args(args.iter().map(i64::to_string))
            .stdin(Stdio::null());
        command.env("HEXCC_DUMP", dump).env_remove("HEXCC_TIME");
        command
            .env("HEXCC_EMU_SEED", seed.to_string())
            .env("HEXCC_EMU_LEAKS", "1");
        command
    }

    /// Runs a program; what it printed and its dump.
    fn run(&self, program: &Path, args: &[i64], seed: u64) -> Result<(Output, Vec<u8>), String> {
        self.run_on(program, args, (seed, 1))
    }

    /// The same on so many devices.
    fn run_on(
        &self,
        program: &Path,
        args: &[i64],
        (seed, devices): (u64, u32),
    ) -> Result<(Output, Vec<u8>), String> {
        let dump = self.temporary(".dump");
        let mut command = self.command(program, args, &dump, seed);
        command.env("HEXCC_EMU_DEVICES", devices.to_string());
        let out = output(&mut command)?;
        self.n_runs.fetch_add(1, Ordering::Relaxed);
        let bytes = match fs::read(&dump) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            other => {
                let _ = fs::remove_file(&dump);
                other.map_err(|e| e.to_string())?
            }
        };
        if out.status.success() {
            return Ok((out, bytes));
        }
        let stderr = String::from_utf8_lossy(&out.stderr);
        let last: Vec<&str> = stderr.lines().take(4).collect();
        let status = match out.status.code() {
            Some(124) => format!("not finished after {PATIENCE} s"),
            _ => out.status.to_string(),
        };
        Err(format!("{status}: {}", last.join("\n      ")))
    }

    /// Removes what no test has used for days.
    pub fn sweep(&self) {
        let old = SystemTime::now() - Duration::from_secs(3 * 24 * 3600);
        for entry in fs::read_dir(&self.cache).into_iter().flatten().flatten() {
            let is_old = entry
                .metadata()
                .is_ok_and(|m| m.is_file() && m.modified().is_ok_and(|t| t < old));
            if is_old {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Tells that a file is in use. It is opened for reading: a program that is open for writing cannot be run.
fn touch(path: &Path) {
    if let Ok(file) = fs::File::open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// What a program printed, and its dump.
type Finished = Arc<(Output, Vec<u8>)>;

/// What C programs compute, by program and arguments: translations share them.
#[derive(Default)]
pub struct References {
    results: Mutex<HashMap<(PathBuf, Vec<i64>), Finished>>,
}

impl References {
    fn build(&self, bench: &Bench, text: &str) -> Result<PathBuf, String> {
        bench.build(".c", text, |source, program| {
            let mut command = Command::new("cc");
            command.args(["-O2", "-ffp-contract=off", "-std=gnu11", "-w"]);
            command.arg(source).arg("-o").arg(program).arg("-lm");
            command
        })
    }

    fn result(&self, bench: &Bench, program: &Path, args: &[i64]) -> Result<Finished, String> {
        let key = (program.to_path_buf(), args.to_vec());
        let known = self
            .results
            .lock()
            .expect("no thread panics here")
            .get(&key)
            .cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let result = bench
            .run(program, args, 0)
            .map_err(|e| format!("the C program: {e}"))?;
        let result = Arc::new(result);
        let mut results = self.results.lock().expect("no thread panics here");
        results.insert(key, result.clone());
        Ok(result)
    }
}

/// The arguments to run a translation with, small ones first: those of the
/// header, and numbers of time steps around the height of the tiles.
fn arguments(program: &Program, text: &str) -> Vec<Vec<i64>> {
    let mut all = program.runs.clone();
    let at = program.args.iter().position(|a| a == "T");
    let largest = program.runs.iter().max_by_key(|r| {
        r.iter()
            .enumerate()
            .filter(|(i, _)| Some(*i) != at)
            .map(|(_, n)| *n)
            .product::<i64>()
    });
    if let (Some(at), Some(largest)) = (at, largest) {
        for height in heights(text) {
            for time in [0, 1, height - 1, height, height + 1] {
                let mut args = largest.clone();
                args[at] = time;
                if !all.contains(&args) {
                    all.push(args);
                }
            }
        }
    }
    // Tiles that stream are 32 lanes wide; some shall be full. In three dimensions, where lanes
    // have R rows, those of the tests have few.
    if let (Some(at), Some(largest), Some(_)) = (at, largest, steps_of_a_launch(text)) {
        let planes =
            (text.lines()).any(|l| l.starts_with("constexpr int V = ") && l.contains(", R = "));
        let (more, time) = if planes { (19, 7) } else { (131, 23) };
        let wider = |n: &i64| if *n > 1 { n + more } else { *n };
        let mut args: Vec<i64> = largest.iter().map(wider).collect();
        args[at] = time;
        all.push(args);
    }
    all.sort_by_key(|r| r.iter().map(|n| n + 1).product::<i64>());
    all
}

/// The value of a constant of a generated text.
fn constant(line: &str, name: &str) -> Option<i64> {
    let rest = line
        .trim()
        .strip_prefix("constexpr int ")?
        .strip_prefix(name)?;
    rest.strip_prefix(" = ")?
        .split([';', ','])
        .next()?
        .parse::<i64>()
        .ok()
}

/// Time steps of a launch of a kernel that streams.
fn steps_of_a_launch(text: &str) -> Option<i64> {
    text.lines().find_map(|l| constant(l, "STEPS"))
}

/// Time steps a tile covers, of each kernel of a generated text.
fn heights(text: &str) -> Vec<i64> {
    let rows = text.lines().filter_map(|l| constant(l, "ROWS"));
    let k = text.lines().filter_map(|l| constant(l, "K"));
    let mut heights: Vec<i64> = rows.zip(k).map(|(rows, k)| rows / k).collect();
    heights.extend(steps_of_a_launch(text));
    heights.dedup();
    heights
}

/// Compares a translation, CUDA and C, with the C program, unless it is known to pass.
pub fn check(
    bench: &Bench,
    ledger: &Ledger,
    program: &Program,
    (text, c): (&str, &str),
    references: &References,
) -> Result<(), String> {
    let all = arguments(program, text);
    let tiled = !text.contains("// Single steps: ");
    if tiled && program.args.iter().any(|a| a == "T") && heights(text).is_empty() {
        return Err("no ROWS and K in the generated text".to_string());
    }
    // What those do where memory is short is in tests/fallback.rs.
    let falls_back = program.flags.iter().any(|flag| flag == "--fallback");
    let runs = format!("{all:?} {} {falls_back}", program.ulps);
    ledger.verify(&[include_str!("emulated.rs"), text, c, &runs], || {
        compare_with_c(bench, program, (text, c), &all, references)?;
        match falls_back {
            true => Ok(()),
            false => survives_failures(bench, &built(bench, text)?, &all),
        }
    })
}

fn built(bench: &Bench, text: &str) -> Result<PathBuf, String> {
    bench.build(".cu", text, |source, program| {
        let mut command = Command::new(root().join("scripts/emucc"));
        command.args(EMUCC_FLAGS).arg(source).arg("-o").arg(program);
        command
    })
}

fn compare_with_c(
    bench: &Bench,
    program: &Program,
    (text, c): (&str, &str),
    all: &[Vec<i64>],
    references: &References,
) -> Result<(), String> {
    let built = built(bench, text)?;
    let reference = references.build(bench, c)?;
    for args in all {
        let expected = references.result(bench, &reference, args)?;
        for seed in SEEDS {
            let found = bench.run(&built, args, seed);
            let verdict = found.and_then(|found| compare_runs(&expected, &found, program.ulps));
            verdict.map_err(|e| {
                let args: Vec<_> = (program.args.iter().zip(args))
                    .map(|(name, n)| format!("{name}={n}"))
                    .collect();
                format!("{} seed {seed}: {e}", args.join(" "))
            })?;
        }
    }
    Ok(())
}

/// Compares a translation for several GPUs, CUDA and C, with the C program, unless it is known to pass.
pub fn check_devices(
    bench: &Bench,
    ledger: &Ledger,
    program: &Program,
    (text, c): (&str, &str),
    references: &References,
) -> Result<(), String> {
    let runs = format!("{:?} {} devices", program.runs, program.ulps);
    ledger.verify(&[include_str!("emulated.rs"), text, c, &runs], || {
        let (built, reference) = (built(bench, text)?, references.build(bench, c)?);
        for args in &program.runs {
            let expected = references.result(bench, &reference, args)?;
            for (devices, seed) in (1..=4).zip(SEEDS.iter().cycle()) {
                let found = bench.run_on(&built, args, (*seed, devices));
                let verdict = found.and_then(|found| compare_runs(&expected, &found, program.ulps));
                verdict.map_err(|e| format!("{args:?} on {devices} devices: {e}"))?;
            }
        }
        Ok(())
    })
}

/// Lets one device allocation after the other fail, then the first launch: the program must
/// say so, free what it has on the device and end with status 1.
fn survives_failures(bench: &Bench, program: &Path, all: &[Vec<i64>]) -> Result<(), String> {
    let failing = |args: &[i64], what: &str, nth: usize, says: &str| {
        let dump = bench.temporary(".dump");
        let mut command = bench.command(program, args, &dump, 0);
        let out = output(command.env(what, nth.to_string()))?;
        let _ = fs::remove_file(&dump);
        bench.n_failing.fetch_add(1, Ordering::Relaxed);
        let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
        let told = stderr.contains(says) && !stderr.contains("never freed");
        match out.status.code() {
            Some(0) => Ok(false),
            Some(1) if told => Ok(true),
            _ => Err(format!("{what}={nth}: {}: {stderr}", out.status)),
        }
    };
    let allocation =
        |args: &[i64], nth| failing(args, "HEXCC_EMU_FAIL_MALLOC", nth, ": out of memory");
    // With the smallest arguments there may be nothing to do.
    for args in all {
        // The program does without memory that kernels share, where it does not get it.
        let mut first = None;
        for nth in 1..=MOST_SHARED_BLOCKS {
            if allocation(args, nth)? {
                first = Some(nth);
                break;
            }
        }
        if let Some(first) = first {
            let mut nth = first + 1;
            while allocation(args, nth)? {
                nth += 1;
            }
            return match failing(
                args,
                "HEXCC_EMU_FAIL_LAUNCH",
                1,
                ": launching the kernels: ",
            )? {
                true => Ok(()),
                false => Err("it launches no kernel".to_string()),
            };
        }
    }
    Err("it allocates nothing".to_string())
}

fn compare_runs(
    expected: &(Output, Vec<u8>),
    found: &(Output, Vec<u8>),
    ulps: u64,
) -> Result<(), String> {
    let tolerance = if ulps == 0 {
        Tolerance::Exact
    } else {
        Tolerance::Ulps(ulps)
    };
    let reports = compare::compare(
        &mut expected.1.as_slice(),
        &mut found.1.as_slice(),
        tolerance,
    );
    for report in reports.map_err(|e| e.to_string())? {
        if report.first.is_some() {
            return Err(report.to_string());
        }
    }
    if ulps == 0 && expected.0.stdout != found.0.stdout {
        let text = |out: &Output| String::from_utf8_lossy(&out.stdout).trim_end().to_string();
        return Err(format!(
            "equal arrays, but it prints `{}` for `{}`",
            text(&found.0),
            text(&expected.0)
        ));
    }
    Ok(())
}
