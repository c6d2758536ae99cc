//! The generated text of every translation the tests make, pinned by its hash in
//! tests/golden/hashes.txt.
//!
//! Texts lie in `golden` below the build directory, each named by its hash, so that
//! the one before a change is still there after it.

mod kinds;

use crate::common::{
    self, Program, assert_none, hexcc, in_parallel, is_wanted, root, say, succeed,
};
use hexcc_compiler::back::{self, Precision};
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::options::Options;
use hexcc_compiler::output;
use hexcc_compiler::pipeline;
use hexcc_compiler::scop::SavedScop;
use hexcc_isl::Ctx;
use hexcc_tuner::hash::fnv;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The GPU that sizes are chosen for, whichever is present.
pub const GPU: [&str; 2] = ["--gpu", "h200"];

/// How to accept texts.
const UPDATE: &str =
    "HEXCC_GOLDEN=update INSTA_UPDATE=always cargo test --release --test e2e golden";

/// What tests/golden/hashes.txt begins with.
const HEAD: &str = "\
# Hashes (FNV-1a, 64 bits) of generated texts. What follows a hash are the arguments of
# `hexcc --gpu h200` that print the text; in parentheses, a text that `hexcc bench` and
# `hexcc tune` compile at run time. Not edited by hand:
#   HEXCC_GOLDEN=update INSTA_UPDATE=always cargo test --release --test e2e golden
# `tests/golden/diff` shows what has changed since a commit.
";

/// Translations by what makes them: a program below the repository and arguments.
pub type Texts = BTreeMap<String, Result<String, String>>;

/// Hashes by the same.
type Hashes = BTreeMap<String, u64>;

/// Arguments as they are in the file.
pub fn key(path: &Path, arguments: &[String]) -> String {
    let path = path.strip_prefix(root()).unwrap_or(path);
    let mut key = path.display().to_string();
    for argument in arguments {
        key.push(' ');
        key.push_str(argument);
    }
    key
}

/// Scops of programs with tiles, which most of their translations begin with.
pub struct Saved(HashMap<PathBuf, Result<PathBuf, String>>);

impl Saved {
    pub fn new(programs: &[Program]) -> Saved {
        let folder = common::scratch("saved");
        let tiled: Vec<&Program> = programs.iter().filter(|p| !p.tiles.is_empty()).collect();
        let saved = in_parallel(&tiled, |program| {
            let path = folder.join(format!("{}.scop.json", program.name));
            save(&program.path, &program.flags, &path)
        });
        let paths = tiled.iter().map(|program| program.path.clone());
        Saved(paths.zip(saved).collect())
    }

    fn of(&self, program: &Program) -> Result<PathBuf, String> {
        let none = || Err(format!("{} has no tiles", program.name));
        self.0.get(&program.path).cloned().unwrap_or_else(none)
    }

    /// What a translation begins with: the saved scop, whose text is the same, or the program: by default, where it has
    /// options of its own or the loop depends on these, and when texts are accepted.
    pub fn input(&self, program: &Program, flags: &[String]) -> Result<PathBuf, String> {
        let is_default = flags.is_empty() || flags.contains(&"--tiling".to_string());
        let is_read = is_default || !program.flags.is_empty() || is_updated();
        match self.0.get(&program.path) {
            Some(saved) if !is_read => saved.clone(),
            _ => Ok(program.path.clone()),
        }
    }
}

/// Saves the scop of a program.
fn save(program: &Path, flags: &[String], to: &Path) -> Result<PathBuf, String> {
    let mut command = hexcc();
    command.arg(program).args(flags);
    command.args(["--emit", "scop", "-o"]).arg(to);
    succeed(&mut command).map(|_| to.to_path_buf())
}

/// What is printed for these arguments.
fn translate(path: &Path, arguments: &[String]) -> Result<String, String> {
    succeed(hexcc().args(GPU).arg(path).args(arguments))
}

/// Texts that the end-to-end test does not make: headers and what is compiled at run
/// time of the testsuite's programs, and the defaults of the benchmarks.
///
/// `saved` has the scops of the programs.
pub fn further(programs: &[Program], saved: &Saved) -> Texts {
    let of_programs = in_parallel(programs, |program| {
        let emit = words("--emit kernel");
        let header = [program.flags.as_slice(), &emit].concat();
        let text = (saved.input(program, &emit)).and_then(|input| translate(&input, &header));
        let mut texts = vec![(key(&program.path, &header), text)];
        let flags = key(&program.path, &program.flags);
        match saved.of(program).and_then(|saved| at_run_time(&saved)) {
            Ok([baseline, measured]) => {
                texts.push((format!("{flags} (baseline)"), Ok(baseline)));
                texts.push((format!("{flags} (measured)"), Ok(measured)));
            }
            Err(e) => texts.push((format!("{flags} (measured)"), Err(e))),
        }
        texts
    });
    let mut jobs = Vec::new();
    for path in benchmarks().into_iter().filter(|path| is_wanted(path)) {
        jobs.push((path.clone(), Vec::new()));
        jobs.push((path, words("-D REAL=double")));
    }
    let of_benchmarks = in_parallel(&jobs, |(path, flags)| {
        (key(path, flags), translate(path, flags))
    });
    of_programs
        .into_iter()
        .flatten()
        .chain(of_benchmarks)
        .collect()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

fn benchmarks() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("bench/stencils")).expect("the benchmarks");
    entries
        .map(|e| e.expect("a folder can be listed").path())
        .collect()
}

/// The baselines, and the kernels of both tilings as they are measured.
fn at_run_time(saved: &Path) -> Result<[String; 2], String> {
    let scop = fs::read(saved).map_err(|e| e.to_string())?;
    let saved: SavedScop = hexcc_pet::deep::from_json(&scop)?;
    let ctx = Ctx::new().map_err(|e| e.to_string())?;
    let options = Options {
        keep_tiles: true,
        ..Options::default()
    };
    let compiled = pipeline::compile(&ctx, &saved, &options);
    let compiled = compiled.map_err(|d| d.message)?;
    Ok([baselines(&compiled), measured(&compiled)])
}

fn baselines(compiled: &Compiled) -> String {
    let mut text = String::new();
    for unit in &compiled.units {
        for (precision, narrow) in [(Precision::Source, true), (Precision::Double, false)] {
            text.push_str(&back::print_naive(unit.stencil(), precision, narrow).text);
        }
    }
    text
}

fn measured(compiled: &Compiled) -> String {
    let mut text = String::new();
    for unit in &compiled.units {
        if let Some(hybrid) = unit.hybrid() {
            text.push_str(&output::print_kernels(&[&hybrid.kernel]));
        }
        if let Some(stream) = unit.stream() {
            text.push_str(&output::print_stream_kernel(stream));
        }
    }
    text
}

/// Whether HEXCC_GOLDEN says that texts are accepted.
pub fn is_updated() -> bool {
    match std::env::var("HEXCC_GOLDEN").as_deref() {
        Ok("update") => true,
        Ok(other) => panic!("HEXCC_GOLDEN is `{other}`; only `update` means something"),
        Err(_) => false,
    }
}

/// Compares texts with the hashes, or accepts them where that is wanted.
pub fn check(texts: &Texts) {
    let update = is_updated();
    let store = Store(common::scratch("golden"));
    let mut failures = Vec::new();
    let mut found = Hashes::new();
    for (key, text) in texts {
        match text {
            Ok(text) => {
                found.insert(key.clone(), store.keep(text));
            }
            Err(e) => failures.push(format!("{key}: {e}")),
        }
    }
    let golden = root().join("tests/golden/hashes.txt");
    let expected = read(&golden);
    // With HEXCC_E2E the others stay as they are.
    let mut now = expected.clone();
    now.retain(|key, _| !is_wanted(Path::new(key.split(' ').next().unwrap_or_default())));
    now.extend(found.clone());
    write(&store.0.join("now.txt"), &now);
    store.sweep(&expected, &now);
    assert_none("translations fail", &failures);
    if update {
        write(&golden, &now);
        say(format!("golden: {} texts accepted", found.len()));
        return;
    }
    say(format!("golden: {} texts compared", found.len()));
    assert!(
        expected == now,
        "{}\nIf all of this is intended:\n  {UPDATE}\n`tests/golden/diff` shows the differences; the texts are in {}\n",
        differences(&store, &expected, &now),
        store.0.display()
    );
}

/// What has changed, changes that begin with the same line together.
fn differences(store: &Store, expected: &Hashes, now: &Hashes) -> String {
    let keys: BTreeSet<&String> = expected.keys().chain(now.keys()).collect();
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for key in keys {
        let change = match (expected.get(key), now.get(key)) {
            (Some(old), Some(new)) if old == new => continue,
            (Some(old), Some(new)) => store.first_difference(*old, *new),
            (Some(_), None) => "no test translates this any more:".to_string(),
            (None, _) => "new, without a hash:".to_string(),
        };
        groups.entry(change).or_default().push(key);
    }
    let n: usize = groups.values().map(Vec::len).sum();
    let mut text = format!("{n} of {} generated texts have changed.\n", now.len());
    for (change, keys) in groups {
        let _ = writeln!(text, "\n{change}");
        for key in keys {
            let _ = writeln!(text, "    {key}");
        }
    }
    text
}

fn read(path: &Path) -> Hashes {
    let text = fs::read_to_string(path).unwrap_or_default();
    (text.lines())
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let (hash, key) = line.split_once(' ')?;
            Some((key.to_string(), u64::from_str_radix(hash, 16).ok()?))
        })
        .collect()
}

fn write(path: &Path, hashes: &Hashes) {
    let mut text = HEAD.to_string();
    for (key, hash) in hashes {
        let _ = writeln!(text, "{hash:016x} {key}");
    }
    fs::write(path, text).expect("hashes can be written");
}

/// The folder of texts by hash.
struct Store(PathBuf);

impl Store {
    fn path(&self, hash: u64) -> PathBuf {
        self.0.join(format!("{hash:016x}.cu"))
    }

    /// Keeps a text; its hash.
    fn keep(&self, text: &str) -> u64 {
        let hash = fnv(text);
        let path = self.path(hash);
        if !path.exists() {
            fs::write(path, text).expect("the build directory can be written");
        }
        hash
    }

    /// The first line in which two texts differ.
    fn first_difference(&self, old: u64, new: u64) -> String {
        let text = |hash| fs::read_to_string(self.path(hash));
        let (Ok(old), Ok(new)) = (text(old), text(new)) else {
            return "changed; the text before is not in the build directory, `tests/golden/diff` can make it:".to_string();
        };
        let mut lines = old.lines().zip(new.lines());
        match lines.find(|(old, new)| old != new) {
            Some((old, new)) => format!("  - {old}\n  + {new}\nis the first difference of"),
            None => "longer or shorter at the end:".to_string(),
        }
    }

    /// Removes old texts that no hash names.
    fn sweep(&self, expected: &Hashes, now: &Hashes) {
        let long_ago = SystemTime::now() - Duration::from_secs(30 * 24 * 3600);
        let hashes: BTreeSet<u64> = expected.values().chain(now.values()).copied().collect();
        let named: BTreeSet<PathBuf> = hashes.into_iter().map(|h| self.path(h)).collect();
        for entry in fs::read_dir(&self.0).into_iter().flatten().flatten() {
            let modified = entry.metadata().and_then(|m| m.modified());
            if !named.contains(&entry.path()) && modified.is_ok_and(|t| t < long_ago) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
