//! Every program of the testsuite, of bench/apps and some random ones, read by clang and printed again.
//!
//! The printed program has the assembly of the original, or prints the same in all runs.
//! HEXCC_ROUND_TRIP=N takes N random programs in place of 40.

mod common;

use common::ledger::{self, Ledger};
use common::{Program, in_parallel, output, root, say, succeed};
use hexcc_clang::ast::Unit;
use hexcc_clang::{Clang, ParseRequest, parse};
use hexcc_front_c::normalize::Rewritten;
use hexcc_fuzz::forms;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const FLAGS: [&str; 3] = ["-O1", "-ffp-contract=off", "-w"];

/// A program to print again.
struct Job {
    name: String,
    text: String,
    /// Where its own headers are.
    folder: PathBuf,
    /// The arguments of each run; none for a file that is no program.
    runs: Vec<Vec<String>>,
    /// Whether a C compiler refuses it.
    may_be_wrong: bool,
}

impl Job {
    fn of(program: Program, may_be_wrong: bool) -> Job {
        let runs = program.runs.iter();
        Job {
            runs: runs
                .map(|run| run.iter().map(i64::to_string).collect())
                .collect(),
            folder: program
                .path
                .parent()
                .expect("a file is in a folder")
                .to_path_buf(),
            name: program.path.display().to_string(),
            text: program.text,
            may_be_wrong,
        }
    }
}

/// The programs of testsuite/real, with the arguments of their list.
fn real() -> Vec<Job> {
    let folder = common::testsuite().join("real");
    let list = fs::read_to_string(folder.join("programs.txt")).expect("programs.txt can be read");
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let job = |line: &str| {
        let mut fields = line.split('\t');
        let (name, arguments) = (fields.next()?, fields.next()?);
        let path = folder.join(name).with_extension("c");
        let words = arguments.split_whitespace().filter(|w| *w != "-");
        common::is_wanted(&path).then(|| Job {
            name: path.display().to_string(),
            text: fs::read_to_string(&path).expect("a listed program can be read"),
            folder: folder.clone(),
            runs: vec![words.map(str::to_string).collect()],
            may_be_wrong: false,
        })
    };
    lines.filter_map(job).collect()
}

fn random() -> Vec<Job> {
    let n = std::env::var("HEXCC_ROUND_TRIP")
        .ok()
        .and_then(|n| n.parse().ok());
    let plan = forms::Plan {
        hexcc: PathBuf::new(),
        seed: 7,
        first: 0,
        programs: n.unwrap_or(40),
        jobs: 1,
        nvcc: 0,
        sanitize: 0,
        filter: Default::default(),
        shrink: 0,
        out: None,
        alike: 0,
        for_gpu: None,
    };
    let programs = (0..plan.programs).map(|index| forms::program(&plan, index));
    let job = |(name, program): (String, hexcc_fuzz::whole::Whole)| Job {
        name,
        text: program.text,
        folder: PathBuf::from("."),
        runs: program.runs,
        may_be_wrong: false,
    };
    programs.map(job).collect()
}

fn jobs() -> Vec<Job> {
    let programs = [
        common::programs(),
        common::stepwise_programs(),
        common::applications(),
    ]
    .concat();
    let mut jobs: Vec<Job> = programs.into_iter().map(|p| Job::of(p, false)).collect();
    jobs.extend(
        common::refused_programs()
            .into_iter()
            .map(|p| Job::of(p, true)),
    );
    jobs.extend(real());
    let constructs = root().join("crates/front-c/tests/data/constructs.c");
    jobs.push(Job {
        name: constructs.display().to_string(),
        text: fs::read_to_string(&constructs).expect("the constructs can be read"),
        folder: PathBuf::from("."),
        runs: vec![Vec::new()],
        may_be_wrong: false,
    });
    jobs.extend(random());
    jobs
}

fn gcc(job: &Job, further: &[&str], source: &Path, to: &Path) -> Result<(), String> {
    let mut command = Command::new("gcc");
    command.args(FLAGS).args(further).arg("-I").arg(&job.folder);
    command.arg(source).arg("-o").arg(to);
    succeed(command.arg("-lm")).map(|_| ())
}

/// The tree of a program, which is written to a file.
fn unit_of(clang: &Clang, job: &Job, source: &Path) -> Result<Unit, String> {
    fs::write(source, &job.text).map_err(|e| e.to_string())?;
    let request = ParseRequest {
        file: source.to_path_buf(),
        include_dirs: vec![job.folder.clone()],
        ..ParseRequest::default()
    };
    parse(clang, &request).map_err(|e| e.to_string())
}

/// Prints a program again and compares the two, unless these two texts are known to be equal.
fn round_trip(
    clang: &Clang,
    ledger: &Ledger,
    job: &Job,
    sources: &[PathBuf; 2],
    read: &AtomicUsize,
) -> Result<(), String> {
    let begin = Instant::now();
    let unit = unit_of(clang, job, &sources[0])?;
    let text = hexcc_front_c::emit::unit(&unit);
    read.fetch_add(begin.elapsed().as_micros() as usize, Ordering::Relaxed);
    if unit.has_errors() {
        return match job.may_be_wrong {
            true => Ok(()),
            false => Err(format!("clang has errors: {:?}", unit.messages)),
        };
    }
    fs::write(&sources[1], &text).map_err(|e| e.to_string())?;
    let unknown = || {
        let unknown = unit.unknown.iter();
        let texts = unknown.map(|u| format!("{} `{}`", u.name, unit.text(u.span)));
        texts.collect::<Vec<_>>().join(", ")
    };
    ledger.verify(&[&job.text, &text], || {
        let assembly = sources.clone().map(|source| source.with_extension("s"));
        match gcc(job, &["-S"], &sources[0], &assembly[0]) {
            Err(_) if job.may_be_wrong => return Ok(()),
            built => built.map_err(|e| format!("the original: {e}"))?,
        }
        gcc(job, &["-S"], &sources[1], &assembly[1])
            .map_err(|e| format!("{e}; unknown: {}", unknown()))?;
        let text = |path: &PathBuf| fs::read(path).unwrap_or_default();
        match text(&assembly[0]) == text(&assembly[1]) {
            true => Ok(()),
            false => compare(job, sources),
        }
    })
}

/// Writes the time loops of a program again, as the passes of the front end do, and compares the two programs.
fn rewritten(
    clang: &Clang,
    ledger: &Ledger,
    job: &Job,
    sources: &[PathBuf; 2],
) -> Result<usize, String> {
    let unit = unit_of(clang, job, &sources[0])?;
    let forms = hexcc_front_c::normalize::time_loops(&unit);
    if forms.is_empty() || job.may_be_wrong {
        return Ok(0);
    }
    let starts: BTreeSet<usize> = forms.iter().map(|form| form.range.start).collect();
    let is_of = |start: usize| move |form: &&Rewritten| form.range.start == start;
    let texts = [false, true].map(|last| {
        let mut text = job.text.clone();
        for start in starts.iter().rev() {
            let mut of = forms.iter().filter(is_of(*start));
            if let Some(form) = if last { of.next_back() } else { of.next() } {
                text.replace_range(form.range.clone(), &form.text);
            }
        }
        text
    });
    for text in BTreeSet::from(texts) {
        ledger.verify(&[&job.text, &text, "rewritten"], || {
            fs::write(&sources[1], &text).map_err(|e| e.to_string())?;
            compare(job, sources)
        })?;
    }
    Ok(starts.len())
}

/// Runs both.
fn compare(job: &Job, sources: &[PathBuf; 2]) -> Result<(), String> {
    // What is no program is compiled only.
    if job.runs.is_empty() {
        return Ok(());
    }
    let programs = sources.clone().map(|source| source.with_extension("out"));
    for (source, program) in sources.iter().zip(&programs) {
        gcc(job, &[], source, program)?;
    }
    for arguments in &job.runs {
        let [original, again] = programs.each_ref().map(|program| {
            output(
                Command::new("timeout")
                    .arg("60")
                    .arg(program)
                    .args(arguments),
            )
        });
        let (original, again) = (original?, again?);
        if original.status.code() != again.status.code() || original.stdout != again.stdout {
            return Err(format!("prints something else with {arguments:?}"));
        }
    }
    Ok(())
}

/// Asks something of all programs, each with two places for its texts, whose names are one: they stand in the assembly.
/// What is asked has to hold of all.
fn of_all<T: Send>(
    kind: &'static str,
    otherwise: &str,
    ask: impl Fn(&Ledger, &Job, &[PathBuf; 2]) -> Result<T, String> + Sync,
) -> Vec<T> {
    let (jobs, ledger) = (jobs(), Ledger::open(kind, "HEXCC_ROUND_TRIP_ALL"));
    let place =
        tempfile::tempdir_in(common::scratch(kind)).expect("the build directory can be written");
    let serial = AtomicUsize::new(0);
    let results = in_parallel(&jobs, |job| {
        let number = serial.fetch_add(1, Ordering::Relaxed).to_string();
        let work = place.path().join(number);
        let sources = ["a", "b"].map(|folder| work.join(folder).join("program.c"));
        for folder in ["a", "b"] {
            fs::create_dir_all(work.join(folder)).map_err(|e| e.to_string())?;
        }
        let found = ask(&ledger, job, &sources);
        let _ = fs::remove_dir_all(work);
        found
    });
    ledger::close(ledger);
    let failures: Vec<String> = (jobs.iter().zip(&results))
        .filter_map(|(job, result)| Some(format!("{}: {}", job.name, result.as_ref().err()?)))
        .collect();
    common::assert_none(otherwise, &failures);
    results.into_iter().flatten().collect()
}

#[test]
fn printed_programs_do_the_same() {
    let begin = Instant::now();
    let clang = Clang::find(&root().join("vendor")).expect("scripts/setup fetches libclang");
    let loaded = begin.elapsed();
    let read = AtomicUsize::new(0);
    let otherwise = "programs are something else when they are printed again";
    let n = of_all("round_trip", otherwise, |ledger, job, sources| {
        round_trip(&clang, ledger, job, sources, &read)
    })
    .len();
    say(format!(
        "round trip: {n} programs; libclang is loaded in {:.1} ms, a program read and printed in {:.1} ms; {:.1} s",
        loaded.as_secs_f64() * 1e3,
        Duration::from_micros(read.into_inner() as u64).as_secs_f64() * 1e3 / n as f64,
        begin.elapsed().as_secs_f64()
    ));
}

#[test]
fn rewritten_loops_do_the_same() {
    let clang = Clang::find(&root().join("vendor")).expect("scripts/setup fetches libclang");
    let otherwise = "programs are something else with other time loops";
    let all = of_all("rewritten", otherwise, |ledger, job, sources| {
        rewritten(&clang, ledger, job, sources)
    });
    let n: usize = all.iter().sum();
    say(format!("{n} time loops written again"));
    assert!(n > 60, "{n} loops");
}
