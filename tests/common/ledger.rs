//! Which translations have been seen to do what C does: tests/golden/verified.txt.
//!
//! A test asks for each translation that it has made, by the hash of everything that its result
//! depends on but compilers. What the ledger does not know is run, and of what it knows an eighth,
//! chosen by the commit. HEXCC_LEDGER=update adds what has passed and drops what no test has asked
//! for; otherwise the ledger stays as it is. HEXCC_LEDGER=trust runs nothing of what it knows. What has passed is also remembered below the build
//! directory, for these compilers, so that nothing runs twice there; HEXCC_E2E_FRESH=1 forgets that.

use super::{root, say, scratch};
use hexcc_tuner::hash::fnv;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// What the file begins with.
const HEAD: &str = "\
# Translations that were seen to do what C does: the test, and the hash (FNV-1a, 64 bits) of
# everything that the result depends on but compilers. `tools` is the hash of the emulation and of
# what compares results; with another one, nothing below it counts. Written by tests only:
#   HEXCC_LEDGER=update cargo test --release
# docs/architecture.md tells what is run of this.
";

/// One of so many known translations is run all the same.
const SAMPLE: u64 = 8;

/// Tests of one program write one after the other; programs of tests do not run at the same time.
static WRITING: Mutex<()> = Mutex::new(());

/// The hash of several texts, which do not run into each other.
pub fn hash_of(parts: &[&str]) -> u64 {
    let mut all = String::new();
    for part in parts {
        let _ = write!(all, "{}:{part}", part.len());
    }
    fnv(&all)
}

/// The file as it is read: lines of a test and a hash.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    tools: u64,
    passed: BTreeSet<(String, u64)>,
}

impl Lines {
    /// The lines of a file, none where they were made with other tools.
    pub fn read(text: &str, tools: u64) -> Lines {
        let mut found = None;
        let mut passed = BTreeSet::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((kind, hash)) = line.split_once(' ') else {
                continue;
            };
            let Ok(hash) = u64::from_str_radix(hash, 16) else {
                continue;
            };
            match kind {
                "tools" => found = Some(hash),
                _ => drop(passed.insert((kind.to_string(), hash))),
            }
        }
        if found != Some(tools) {
            passed.clear();
        }
        Lines { tools, passed }
    }

    pub fn text(&self) -> String {
        let mut text = format!("{HEAD}tools {:016x}\n", self.tools);
        for (kind, hash) in &self.passed {
            let _ = writeln!(text, "{kind} {hash:016x}");
        }
        text
    }
}

/// What is run of what the ledger knows.
#[derive(Clone, Copy, PartialEq)]
pub enum KnownRuns {
    None,
    Sample,
    All,
}

/// What is done of what was asked for.
#[derive(Default)]
struct Done {
    /// All that was asked for.
    asked: BTreeSet<u64>,
    /// What has passed, now or before with the same compilers.
    passed: BTreeSet<u64>,
    failed: BTreeSet<u64>,
    /// What was run, and what of it the ledger knew.
    n_run: usize,
    n_sampled: usize,
}

/// The ledger of one test.
pub struct Ledger {
    kind: &'static str,
    file: PathBuf,
    tools: u64,
    known: BTreeSet<u64>,
    /// What has passed here, and where that is kept.
    local: BTreeSet<u64>,
    local_file: PathBuf,
    commit: String,
    /// How much of what the ledger knows is run, too.
    known_runs: KnownRuns,
    update: bool,
    done: Mutex<Done>,
}

impl Ledger {
    /// The ledger of the repository. HEXCC_E2E, HEXCC_E2E_ALL=1 and `all`, another such variable, let
    /// everything run that has not passed here.
    pub fn open(kind: &'static str, all: &str) -> Ledger {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|v| v == "1");
        let (update, trust) = match std::env::var("HEXCC_LEDGER").as_deref() {
            Ok("update") => (true, false),
            Ok("trust") => (false, true),
            Ok(other) => panic!("HEXCC_LEDGER is `{other}`, neither `update` nor `trust`"),
            Err(_) => (false, false),
        };
        let head = Command::new("git")
            .current_dir(root())
            .args(["rev-parse", "HEAD"])
            .output();
        let commit = head.map_or(String::new(), |out| {
            String::from_utf8_lossy(&out.stdout).trim().to_string()
        });
        let local = scratch("verified").join(format!("{:016x}", compilers()));
        let mut ledger = Ledger::at(
            kind,
            &root().join("tests/golden/verified.txt"),
            &local,
            tools(),
            &commit,
        );
        ledger.update = update;
        let named = std::env::var_os("HEXCC_E2E").is_some();
        if named || is_set("HEXCC_E2E_ALL") || is_set(all) {
            ledger.known_runs = KnownRuns::All;
        } else if trust {
            ledger.known_runs = KnownRuns::None;
        }
        if is_set("HEXCC_E2E_FRESH") {
            ledger.local.clear();
        }
        ledger
    }

    /// A ledger in a file, beside another of what has passed here.
    pub fn at(
        kind: &'static str,
        file: &Path,
        local_file: &Path,
        tools: u64,
        commit: &str,
    ) -> Ledger {
        let of_kind = |path: &Path| {
            let text = fs::read_to_string(path).unwrap_or_default();
            let lines = Lines::read(&text, tools).passed.into_iter();
            lines.filter(|(k, _)| k == kind).map(|(_, h)| h).collect()
        };
        Ledger {
            kind,
            known: of_kind(file),
            local: of_kind(local_file),
            file: file.to_path_buf(),
            local_file: local_file.to_path_buf(),
            tools,
            commit: commit.to_string(),
            known_runs: KnownRuns::Sample,
            update: false,
            done: Mutex::default(),
        }
    }

    /// Lets more or less run of what the ledger knows.
    pub fn known_runs(mut self, known_runs: KnownRuns) -> Ledger {
        self.known_runs = known_runs;
        self
    }

    /// Lets `close` write the file.
    pub fn updating(mut self) -> Ledger {
        self.update = true;
        self
    }

    /// Whether a known translation is among those that this commit runs.
    pub fn is_sampled(&self, hash: u64) -> bool {
        // The lower bits of this hash mix little.
        let chosen = fnv(&format!("{} {hash:016x} {}", self.kind, self.commit));
        (chosen >> 32).is_multiple_of(SAMPLE)
    }

    /// Runs `check` unless what `inputs` describe is known to pass.
    pub fn verify(
        &self,
        inputs: &[&str],
        check: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let hash = hash_of(inputs);
        let is_known = self.known.contains(&hash);
        let sampled = is_known
            && match self.known_runs {
                KnownRuns::None => false,
                KnownRuns::Sample => self.is_sampled(hash),
                KnownRuns::All => true,
            };
        let passed_here = self.local.contains(&hash);
        let runs = !passed_here && (sampled || !is_known);
        let is_new = {
            let mut done = self.done.lock().expect("no thread panics here");
            done.n_run += usize::from(runs);
            done.n_sampled += usize::from(runs && is_known);
            if passed_here {
                done.passed.insert(hash);
            }
            done.asked.insert(hash)
        };
        if !runs {
            return Ok(());
        }
        let result = check();
        let mut done = self.done.lock().expect("no thread panics here");
        match &result {
            Ok(()) => drop(done.passed.insert(hash)),
            Err(_) => drop(done.failed.insert(hash)),
        }
        if result.is_ok() && is_new {
            self.remember(hash);
        }
        result
    }

    /// Adds a line to the file of this build directory, at once: a test that is interrupted goes on there.
    fn remember(&self, hash: u64) {
        let mut line = format!("{} {hash:016x}\n", self.kind);
        if !self.local_file.exists() {
            line = format!("tools {:016x}\n{line}", self.tools);
        }
        let mut options = fs::OpenOptions::new();
        let file = options.append(true).create(true).open(&self.local_file);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.expect("the build directory can be written");
    }

    /// Says what was run and, where all was asked for, what the ledger lacks; writes it where it shall.
    pub fn close(self, is_all: bool) -> String {
        let done = self.done.into_inner().expect("no thread panics here");
        let lacks = done.passed.difference(&self.known).count();
        let mut said = format!(
            "{} translations, {} in the ledger; run: {}, {} of them to see whether the ledger is right",
            done.asked.len(),
            done.asked.intersection(&self.known).count(),
            done.n_run,
            done.n_sampled,
        );
        if self.update {
            let _writing = WRITING.lock().expect("nobody panics while writing");
            let text = fs::read_to_string(&self.file).unwrap_or_default();
            let mut lines = Lines::read(&text, self.tools);
            let kind = self.kind;
            let passed = done.passed.iter().map(|hash| (kind.to_string(), *hash));
            lines.passed.extend(passed);
            let stays =
                |hash: &u64| (!is_all || done.asked.contains(hash)) && !done.failed.contains(hash);
            (lines.passed).retain(|(k, hash)| k != kind || stays(hash));
            if lines.text() != text {
                let new = self.file.with_extension("txt.new");
                fs::write(&new, lines.text()).expect("the ledger can be written");
                fs::rename(&new, &self.file).expect("the ledger can be written");
            }
            let _ = write!(said, "; {lacks} added to the ledger");
        } else if lacks > 0 {
            let _ = write!(
                said,
                "; the ledger lacks {lacks} that pass, HEXCC_LEDGER=update adds them"
            );
        }
        said
    }
}

/// Closes a ledger and says what came of it.
pub fn close(ledger: Ledger) {
    let kind = ledger.kind;
    let is_all = std::env::var_os("HEXCC_E2E").is_none();
    say(format!("{kind}: {}", ledger.close(is_all)));
}

/// The hash of what results depend on beside texts and compilers: the emulation and the comparison.
fn tools() -> u64 {
    let emulation = root().join("crates/compiler/runtime/emu");
    let entries = fs::read_dir(emulation).expect("the emulation's headers");
    let mut files: Vec<PathBuf> = entries
        .map(|e| e.expect("a folder can be listed").path())
        .collect();
    files.sort();
    files.push(root().join("scripts/emucc"));
    files.push(root().join("crates/tuner/src/compare.rs"));
    let texts: Vec<String> = files
        .iter()
        .map(|file| fs::read_to_string(file).expect("the emulation can be read"))
        .collect();
    hash_of(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The hash of the compilers that are here.
pub fn compilers() -> u64 {
    let mut all = Vec::new();
    for compiler in ["cc", "c++"] {
        let version = Command::new(compiler)
            .arg("--version")
            .output()
            .expect("a C and a C++ compiler");
        all.push(String::from_utf8_lossy(&version.stdout).into_owned());
    }
    for variable in ["CC", "CXX"] {
        all.push(format!("{:?}", std::env::var_os(variable)));
    }
    all.push(format!("{:016x}", tools()));
    hash_of(&all.iter().map(String::as_str).collect::<Vec<_>>())
}
