//! What the tests of the command share: the testsuite's programs, running
//! `hexcc`, and a work queue.
#![allow(dead_code)] // Each test uses a part.

pub mod building;
pub mod documents;
pub mod emulated;
pub mod ledger;

#[allow(unused_imports)]
pub use building::{PLAIN, cc, run};

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `testsuite/`.
pub fn testsuite() -> PathBuf {
    root().join("testsuite")
}

/// The names of the C files of a folder, without their ending.
pub fn c_files(folder: &Path) -> BTreeSet<String> {
    let files = std::fs::read_dir(folder).expect("the folder can be listed");
    files
        .map(|f| f.expect("the folder can be listed").path())
        .filter(|path| path.extension() == Some(OsStr::new("c")))
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect()
}

/// A folder of this test below the build directory.
pub fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).expect("the build directory can be written");
    path
}

/// Prints a line that the test harness does not keep to itself.
pub fn say(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A program of the testsuite and its `hexcc-test:` line.
#[derive(Clone)]
pub struct Program {
    /// File name without `.c`.
    pub name: String,
    /// The C file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Names of the program's arguments.
    pub args: Vec<String>,
    /// Arguments to run it with.
    pub runs: Vec<Vec<i64>>,
    /// Accepted distance of the results.
    pub ulps: u64,
    /// Values for `--tile`.
    pub tiles: Vec<String>,
    /// Code of the diagnostic wanted instead of a translation.
    pub expect: Option<String>,
    /// Code of the warning wanted beside a translation.
    pub warns: Option<String>,
    /// Further arguments with which the program translates without a word.
    pub instead: Vec<String>,
    /// The line that it is about, which ends with `// here`; counted from 1.
    pub here: Option<usize>,
    /// The program as it translates, from a comment that begins with `fix:`.
    pub fix: Option<String>,
    /// Code of the warning wanted beside the translation of `fix`.
    pub fix_warns: Option<String>,
    /// Further arguments for `hexcc`.
    pub flags: Vec<String>,
    /// Sets of arguments for more translations with the last of `tiles`.
    pub variants: Vec<Vec<String>>,
    /// Values for `--stream-tile`.
    pub streams: Vec<String>,
}

fn parse(path: &Path) -> Result<Program, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let mut program = Program {
        name: path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        path: path.to_path_buf(),
        text: String::new(),
        args: Vec::new(),
        runs: Vec::new(),
        ulps: 0,
        tiles: Vec::new(),
        expect: None,
        warns: None,
        instead: Vec::new(),
        here: None,
        fix: None,
        fix_warns: None,
        flags: Vec::new(),
        variants: Vec::new(),
        streams: Vec::new(),
    };
    let mut headers = text.lines().filter_map(|l| l.split_once("hexcc-test:"));
    let (_, header) = headers.next().ok_or("no `hexcc-test:` line")?;
    if headers.next().is_some() {
        return Err("more than one `hexcc-test:` line".to_string());
    }
    let list = |value: &str, separator: char| {
        value
            .split(separator)
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    let tuple = |value: &str| -> Result<Vec<i64>, String> {
        (value.split(','))
            .map(|n| n.parse().map_err(|_| format!("`{n}` is not a number")))
            .collect()
    };
    let mut seen = Vec::new();
    let mut bench = Vec::new();
    for word in header.split_whitespace() {
        let (key, value) = word
            .split_once('=')
            .ok_or(format!("`{word}` is not KEY=VALUE"))?;
        if value.is_empty() || seen.contains(&key) {
            return Err(format!("`{word}`: no value, or a second one"));
        }
        seen.push(key);
        match key {
            "args" => program.args = list(value, ','),
            "run" => program.runs = value.split(';').map(tuple).collect::<Result<_, _>>()?,
            "bench" => bench = tuple(value)?,
            "ulps" => program.ulps = value.parse().map_err(|_| format!("`{word}`"))?,
            "tile" => program.tiles = list(value, ';'),
            "stream" => program.streams = list(value, ';'),
            "expect" => program.expect = Some(value.to_string()),
            "warns" => program.warns = Some(value.to_string()),
            "fix" => program.fix_warns = Some(value.to_string()),
            "instead" => program.instead = list(value, ','),
            "flags" => program.flags = list(value, ','),
            "variants" => {
                program.variants = value.split(';').map(|set| list(set, ',')).collect();
            }
            _ => return Err(format!("unknown key `{key}`")),
        }
    }
    let n = program.args.len();
    if !bench.is_empty() && bench.len() != n || program.runs.iter().any(|r| r.len() != n) {
        return Err(format!(
            "`run` and `bench` need {n} numbers each, as in `args`"
        ));
    }
    let marked = |line: &str| line.ends_with("// here");
    program.here = text.lines().position(marked).map(|n| n + 1);
    let fix = text.split_once("\n/* fix:\n");
    program.fix = fix.and_then(|(_, rest)| Some(rest.split_once("\n*/")?.0.to_string() + "\n"));
    program.text = text;
    Ok(program)
}

/// The C files of a folder, sorted; anything else in it is an error, but what they include, as is
/// a header that cannot be read.
fn read_folder(folder: &Path, problems: &mut Vec<String>) -> Vec<Program> {
    let entries = std::fs::read_dir(folder).expect("the testsuite is a folder");
    let mut paths: Vec<PathBuf> = entries
        .map(|e| e.expect("a folder can be listed").path())
        .collect();
    paths.sort();
    let mut programs: Vec<Program> = Vec::new();
    let (headers, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        (paths.into_iter()).partition(|p| p.extension().is_some_and(|e| e == "h"));
    for path in paths {
        if path.is_dir()
            && ["errors", "real", "st", "steps"]
                .iter()
                .any(|f| path == testsuite().join(f))
        {
            continue;
        }
        if path.is_dir() || path.extension().is_none_or(|e| e != "c") {
            problems.push(format!("{}: a stray file in the testsuite", path.display()));
            continue;
        }
        match parse(&path) {
            Ok(program) => programs.push(program),
            Err(e) => problems.push(format!("{}: {e}", path.display())),
        }
    }
    for path in headers {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let include = format!("#include \"{name}\"");
        if !programs.iter().any(|p| p.text.contains(&include)) {
            problems.push(format!("{}: no program includes it", path.display()));
        }
    }
    programs
}

/// What is wrong with the testsuite itself.
pub fn problems() -> Vec<String> {
    let mut problems = Vec::new();
    for program in read_folder(&testsuite(), &mut problems) {
        if program.expect.is_some() {
            problems.push(format!(
                "{}: a program with `expect` belongs into errors/",
                program.name
            ));
        } else if program.args.is_empty() || program.runs.is_empty() || program.tiles.is_empty() {
            problems.push(format!(
                "{}: `args`, `run` and `tile` are needed",
                program.name
            ));
        }
    }
    for program in read_folder(&testsuite().join("steps"), &mut problems) {
        if program.expect.is_some() || program.args.is_empty() || program.runs.is_empty() {
            problems.push(format!(
                "steps/{}: `args` and `run` are needed",
                program.name
            ));
        }
    }
    for program in read_folder(&root().join("bench/apps"), &mut problems) {
        if program.args.is_empty() || program.runs.is_empty() {
            problems.push(format!("{}: `args` and `run` are needed", program.name));
        }
    }
    for program in read_folder(&testsuite().join("errors"), &mut problems) {
        if program.expect.is_some() == program.warns.is_some() || !program.runs.is_empty() {
            problems.push(format!(
                "errors/{}: `expect` or `warns` is needed, `run` is not",
                program.name
            ));
        }
    }
    problems
}

/// The programs that translate; those named by HEXCC_E2E where it is set.
pub fn programs() -> Vec<Program> {
    let mut all = read_folder(&testsuite(), &mut Vec::new());
    all.retain(|p| is_wanted(&p.path));
    all
}

/// The programs that run in single steps.
pub fn stepwise_programs() -> Vec<Program> {
    let mut all = read_folder(&testsuite().join("steps"), &mut Vec::new());
    all.retain(|p| is_wanted(&p.path));
    all
}

/// The programs of `bench/apps`.
pub fn applications() -> Vec<Program> {
    let mut all = read_folder(&root().join("bench/apps"), &mut Vec::new());
    all.retain(|p| is_wanted(&p.path));
    all
}

/// Whether HEXCC_E2E, where it is set, names this C file.
pub fn is_wanted(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    match std::env::var("HEXCC_E2E") {
        Ok(only) => only.split(',').any(|name| name == stem),
        Err(_) => true,
    }
}

/// The programs that must be refused, or translated with a warning.
pub fn refused_programs() -> Vec<Program> {
    read_folder(&testsuite().join("errors"), &mut Vec::new())
}

/// The command under test, without the caller's HEXCC variables.
pub fn hexcc() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hexcc"));
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|n| n.starts_with("HEXCC_") && n != "HEXCC_PET_LIB" && n != "HEXCC_NVCC")
        {
            command.env_remove(name);
        }
    }
    // No test depends on what the user has tuned.
    command.env("HEXCC_CACHE_DIR", "/nonexistent");
    command.stdin(Stdio::null());
    command
}

/// Runs a command to its end.
pub fn output(command: &mut Command) -> Result<Output, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.output().map_err(|e| format!("{name}: {e}"))
}

/// Runs a command that must succeed; its standard output.
pub fn succeed(command: &mut Command) -> Result<String, String> {
    let out = output(command)?;
    if out.status.success() {
        return Ok(String::from_utf8_lossy(&out.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&out.stderr);
    let lines: Vec<&str> = stderr.lines().take(6).collect();
    Err(format!("{}: {}", out.status, lines.join("\n      ")))
}

/// Applies `work` to all items on all processors; results in the items' order.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let n_threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..n_threads.min(items.len()) {
            scope.spawn(|| {
                while let Some((at, item)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    items.get(at).map(|item| (at, item))
                } {
                    let result = work(item);
                    results
                        .lock()
                        .expect("no thread panics here")
                        .push((at, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no thread panics here");
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Fails with a list.
pub fn assert_none(what: &str, list: &[String]) {
    assert!(
        list.is_empty(),
        "{} {what}:\n  {}\n",
        list.len(),
        list.join("\n  ")
    );
}
