//! Every program of the testsuite, translated, run in the CPU emulation of CUDA
//! and compared with the C program; its text is compared with tests/golden/hashes.txt.
//!
//! HEXCC_E2E=name,name limits the programs; without it every second translation
//! with given tile sizes runs, with HEXCC_E2E_ALL=1 all. What was built and what
//! has passed is remembered below the build directory by its content;
//! HEXCC_E2E_FRESH=1 forgets it.

mod common;
mod golden;

use common::{
    Program, applications, assert_none, hexcc, in_parallel, output, programs, say,
    stepwise_programs, succeed,
};
use hexcc_tuner::compare::{self, Tolerance};
use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant, SystemTime};

const SEEDS: [u64; 3] = [0, 1, 12345];

/// Blocks of memory that a program shares with kernels before it allocates other device memory, at most.
const MOST_SHARED_BLOCKS: usize = 16;

/// Seconds after which a program counts as hanging.
const PATIENCE: &str = "60";
/// -O1 builds in half the time of -O2 and runs twice as fast as -O0.
const EMUCC_FLAGS: [&str; 2] = ["-O1", "-w"];

#[test]
fn testsuite_is_tidy() {
    assert_none("problems in testsuite/", &common::problems());
}

/// What is run: translations without tile sizes, and of the others every second, unless programs are
/// named or all are asked for.
fn sample(all: &[Translation]) -> Vec<&Translation> {
    let every = std::env::var_os("HEXCC_E2E").is_some()
        || std::env::var_os("HEXCC_E2E_ALL").is_some_and(|v| v == "1");
    let is_given = |t: &Translation| t.arguments.iter().any(|a| a.contains("tile"));
    let chosen = all.iter().enumerate();
    let chosen = chosen.filter(|(i, t)| every || i % 2 == 0 || !is_given(t));
    chosen.map(|(_, t)| t).collect()
}

#[test]
fn results_equal_c() {
    let begin = Instant::now();
    let bench = Bench::new();
    let suite = suite();
    let references = References::default();
    let chosen = sample(&suite.translations);
    let results = in_parallel(&chosen, |translation| {
        let begin = Instant::now();
        let result = check(&bench, translation, &references);
        (result, begin.elapsed())
    });
    let mut failures = Vec::new();
    let mut walls: HashMap<&str, Duration> = HashMap::new();
    for (translation, (result, wall)) in chosen.iter().zip(&results) {
        let name = &translation.program.name;
        *walls.entry(name).or_default() += *wall;
        if let Err(e) = result {
            failures.push(format!("{name} {}: {e}", translation.arguments.join(" ")));
        }
    }
    say(format!(
        "e2e: {} programs, {} translations ({} built, {} known to pass), {} runs and {} with failing allocations or launches in {:.1} s, {} failures",
        suite.programs.len(),
        chosen.len(),
        bench.n_built.load(Ordering::Relaxed),
        bench.n_known.load(Ordering::Relaxed),
        bench.n_runs.load(Ordering::Relaxed),
        bench.n_failing.load(Ordering::Relaxed),
        begin.elapsed().as_secs_f64(),
        failures.len()
    ));
    bench.sweep();
    if !failures.is_empty() {
        let mut walls: Vec<_> = walls.into_iter().collect();
        walls.sort_by_key(|(_, wall)| std::cmp::Reverse(*wall));
        for (name, wall) in walls {
            say(format!("  {:7.2} s {name}", wall.as_secs_f64()));
        }
    }
    assert_none("programs do not do what C does", &failures);
}

#[test]
fn text_is_golden() {
    let tiled: Vec<Program> = (suite().programs.iter())
        .filter(|p| !p.tiles.is_empty())
        .cloned()
        .collect();
    let mut texts = golden::further(&tiled);
    for translation in &suite().translations {
        let text = translation.texts.as_ref().map(|(text, _)| text.clone());
        let key = golden::key(&translation.program.path, &translation.arguments);
        texts.insert(key, text.map_err(Clone::clone));
    }
    // What printers do not know has no name, neither this nor one of another kind.
    let made_up = |text: &str| text.contains("undefined_") || text.contains('\u{fdd0}');
    let unknown = texts
        .iter()
        .filter(|(_, text)| text.as_ref().is_ok_and(|t| made_up(t)));
    let unknown: Vec<String> = unknown.map(|(key, _)| key.clone()).collect();
    assert_none("texts use what nothing defines", &unknown);
    golden::check(&texts);
}

/// The testsuite, translated; the tests share it.
struct Suite {
    programs: &'static [Program],
    translations: Vec<Translation>,
}

struct Translation {
    program: &'static Program,
    /// Arguments that the text depends on.
    arguments: Vec<String>,
    /// CUDA, and the C to compare with.
    texts: Result<(String, String), String>,
}

fn suite() -> &'static Suite {
    static SUITE: OnceLock<Suite> = OnceLock::new();
    SUITE.get_or_init(|| {
        let programs: &'static [Program] = [programs(), stepwise_programs(), applications()]
            .concat()
            .leak();
        let jobs: Vec<_> = (programs.iter())
            .flat_map(|program| variants(program).map(move |flags| (program, flags)))
            .collect();
        let work = tempfile::tempdir_in(common::scratch("e2e"))
            .expect("the build directory can be written");
        let serial = AtomicUsize::new(0);
        let translations = in_parallel(&jobs, |&(program, ref flags)| {
            let n = serial.fetch_add(1, Ordering::Relaxed);
            let arguments = [&program.flags, flags, &["--instrument".to_string()][..]].concat();
            let texts = translate(program, &arguments, &work.path().join(format!("{n}.c")));
            Translation {
                program,
                arguments,
                texts,
            }
        });
        Suite {
            programs,
            translations,
        }
    })
}

fn translate(
    program: &Program,
    arguments: &[String],
    c: &Path,
) -> Result<(String, String), String> {
    let mut command = hexcc();
    command.args(golden::GPU).arg(&program.path).args(arguments);
    command.arg("--reference").arg(c);
    let text = succeed(&mut command).map_err(|e| format!("does not translate: {e}"))?;
    Ok((text, fs::read_to_string(c).map_err(|e| e.to_string())?))
}

/// Flags for each translation of a program.
fn variants(program: &Program) -> impl Iterator<Item = Vec<String>> {
    let tile = |tile: &String| vec!["--tile".to_string(), tile.clone()];
    let global = program.tiles.first().map(|t| {
        let mut flags = tile(t);
        flags.extend(["--memory".to_string(), "global".to_string()]);
        flags
    });
    let tiles: Vec<_> = program.tiles.iter().map(tile).collect();
    let last = program.tiles.last().map(tile).unwrap_or_default();
    let others = (program.variants.iter()).map(move |set| [last.as_slice(), set].concat());
    let streams = (program.streams.iter()).map(|tile| {
        let flags = ["--stream-tile", tile];
        flags.map(str::to_string).to_vec()
    });
    // Applications have kernels of several cells a thread, which small domains do not have by default.
    let kernels: &[&str] = match program.path.starts_with(common::root().join("bench")) {
        true => &["coarsened", "streamed"],
        false => &[],
    };
    let kernels = kernels.iter().map(|kernel| {
        let flags = ["--kernel", kernel];
        flags.map(str::to_string).to_vec()
    });
    // What is tiled runs in single steps, too.
    let steps = (!program.tiles.is_empty()).then(|| {
        let flags = ["--tiling", "stepwise"];
        flags.map(str::to_string).to_vec()
    });
    std::iter::once(Vec::new())
        .chain(steps)
        .chain(tiles)
        .chain(global)
        .chain(others)
        .chain(streams)
        .chain(kernels)
}

/// Where programs are built and what the test has done.
struct Bench {
    cache: PathBuf,
    work: tempfile::TempDir,
    /// Compilers and the emulation, whose change makes all builds stale.
    tools: u64,
    fresh: bool,
    serial: AtomicUsize,
    n_built: AtomicUsize,
    n_known: AtomicUsize,
    n_runs: AtomicUsize,
    n_failing: AtomicUsize,
}

impl Bench {
    fn new() -> Bench {
        let cache = common::scratch("e2e");
        let mut tools = DefaultHasher::new();
        EMUCC_FLAGS.hash(&mut tools);
        let emulation = common::root().join("crates/compiler/runtime/emu");
        let entries = fs::read_dir(emulation).expect("the emulation's headers");
        let mut files: Vec<PathBuf> = entries
            .map(|e| e.expect("a folder can be listed").path())
            .collect();
        files.push(common::root().join("scripts/emucc"));
        files.push(common::root().join("crates/tuner/src/compare.rs"));
        files.sort();
        for file in files {
            fs::read(file)
                .expect("the emulation can be read")
                .hash(&mut tools);
        }
        for compiler in ["cc", "c++"] {
            let version = Command::new(compiler)
                .arg("--version")
                .output()
                .expect("a C and a C++ compiler");
            version.stdout.hash(&mut tools);
        }
        for variable in ["CXX", "CC"] {
            std::env::var_os(variable).hash(&mut tools);
        }
        Bench {
            work: tempfile::tempdir_in(&cache).expect("the build directory can be written"),
            cache,
            tools: tools.finish(),
            fresh: std::env::var_os("HEXCC_E2E_FRESH").is_some_and(|v| v == "1"),
            serial: AtomicUsize::new(0),
            n_built: AtomicUsize::new(0),
            n_known: AtomicUsize::new(0),
            n_runs: AtomicUsize::new(0),
            n_failing: AtomicUsize::new(0),
        }
    }

    /// A path nobody else uses.
    fn temporary(&self, suffix: &str) -> PathBuf {
        let n = self.serial.fetch_add(1, Ordering::Relaxed);
        self.work.path().join(format!("{n}{suffix}"))
    }

    /// The place of a result that depends on `inputs` only.
    fn remembered(&self, kind: &str, inputs: impl Hash) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (self.tools, inputs).hash(&mut hasher);
        self.cache.join(format!("{kind}-{:016x}", hasher.finish()))
    }

    /// A program built from `text`, by `build(source, program)` unless it is known.
    fn build(
        &self,
        suffix: &str,
        text: &str,
        build: impl Fn(&Path, &Path) -> Command,
    ) -> Result<PathBuf, String> {
        let program = self.remembered("program", (suffix, text));
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
        let dump = self.temporary(".dump");
        let out = output(&mut self.command(program, args, &dump, seed))?;
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
    fn sweep(&self) {
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
struct References {
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

fn check(bench: &Bench, translation: &Translation, references: &References) -> Result<(), String> {
    let program = translation.program;
    let (text, c) = translation.texts.as_ref().map_err(Clone::clone)?;
    let all = arguments(program, text);
    let tiled = !text.contains("// Single steps: ");
    if tiled && program.args.iter().any(|a| a == "T") && heights(text).is_empty() {
        return Err("no ROWS and K in the generated text".to_string());
    }
    let passed = bench.remembered("passed", (text, c, &all, program.ulps, SEEDS, "failures"));
    if passed.exists() && !bench.fresh {
        touch(&passed);
        bench.n_known.fetch_add(1, Ordering::Relaxed);
        return Ok(());
    }
    let built = bench.build(".cu", text, |source, program| {
        let mut command = Command::new(common::root().join("scripts/emucc"));
        command.args(EMUCC_FLAGS).arg(source).arg("-o").arg(program);
        command
    })?;
    let reference = references.build(bench, c)?;
    for args in &all {
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
    // What those do is in tests/fallback.rs.
    if !program.flags.iter().any(|flag| flag == "--fallback") {
        survives_failures(bench, &built, &all)?;
    }
    fs::write(&passed, "").map_err(|e| e.to_string())
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
