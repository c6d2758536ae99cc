//! The programs of testsuite/real, as people write them, through `hexcc` without options.
//!
//! What comes of each is listed in testsuite/real/programs.txt, with reasons in docs/accepted.md;
//! HEXCC_REAL=update writes both. Those that tests/golden/verified.txt does not know, and some others,
//! with HEXCC_REAL_ALL=1 all, run in three orders and as C with OpenMP. HEXCC_E2E limits the test to
//! the programs that it names.

mod common;

use common::ledger::{self, Ledger};
use common::{assert_none, hexcc, in_parallel, output, root, succeed};
use std::collections::BTreeSet;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Orders of threads and blocks: ascending, descending, random.
const ORDERS: [&str; 3] = ["0", "1", "7"];

/// The programs have no warnings.
const C: [&str; 5] = ["-O1", "-ffp-contract=off", "-std=gnu11", "-Wall", "-Werror"];

/// Nor do their translations, but those that `-Wextra` adds to what people write.
const OPENMP: [&str; 10] = [
    "-O1",
    "-fopenmp",
    "-ffp-contract=off",
    "-std=gnu11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-Wno-unused-function",
    "-Wno-sign-compare",
];

/// Programs of which only the run on a GPU tells what memory there is: rows that may not exist.
const NOT_AS_OPENMP: [&str; 1] = ["tsunami"];

/// Characters of a reason in the table, which is meant to be read.
const LONGEST_REASON: usize = 240;

/// A line of programs.txt.
struct Entry {
    name: String,
    args: Vec<String>,
    work: BTreeSet<usize>,
    verdict: String,
    covers: String,
}

/// What came of a program.
struct Found {
    verdict: String,
    reason: String,
    /// Whether a time loop of it has tiles.
    tiled: bool,
}

/// What a program printed, and how it ended.
#[derive(PartialEq)]
struct Ran {
    printed: Vec<u8>,
    status: Option<i32>,
}

fn folder() -> PathBuf {
    common::testsuite().join("real")
}

fn list() -> PathBuf {
    folder().join("programs.txt")
}

fn source(entry: &Entry) -> PathBuf {
    folder().join(&entry.name).with_extension("c")
}

fn parse(line: &str) -> Entry {
    let fields: Vec<&str> = line.split('\t').collect();
    let [name, args, work, verdict, covers] = fields[..] else {
        panic!("programs.txt: five fields are wanted: {line}");
    };
    let words = args.split_whitespace().filter(|w| *w != "-");
    let number = |n: &str| n.parse().unwrap_or_else(|_| panic!("programs.txt: {line}"));
    Entry {
        name: name.to_string(),
        args: words.map(str::to_string).collect(),
        work: work.split(',').map(number).collect(),
        verdict: verdict.to_string(),
        covers: covers.to_string(),
    }
}

/// The programs, and the comment before them.
fn entries() -> (String, Vec<Entry>) {
    let text = fs::read_to_string(list()).expect("programs.txt can be read");
    let (head, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|l| l.starts_with('#'));
    (
        head.join("\n") + "\n",
        lines.into_iter().map(parse).collect(),
    )
}

fn wanted(entries: &[Entry]) -> Vec<&Entry> {
    let is_wanted = |entry: &&Entry| common::is_wanted(&source(entry));
    entries.iter().filter(is_wanted).collect()
}

#[test]
fn every_program_is_listed() {
    let names: Vec<String> = entries().1.into_iter().map(|e| e.name).collect();
    let sorted: Vec<String> = common::c_files(&folder()).into_iter().collect();
    assert_eq!(names, sorted, "programs.txt lists other programs");
}

#[test]
fn verdicts_are_as_listed() {
    let place = common::scratch("real");
    let place = tempfile::tempdir_in(place).expect("the build directory can be written");
    let (head, entries) = entries();
    let wanted = wanted(&entries);
    let ledger = Ledger::open("real", "HEXCC_REAL_ALL");
    let results = in_parallel(&wanted, |entry| judge(&ledger, entry, place.path()));
    ledger::close(ledger);
    let mut failures = Vec::new();
    let mut found = Vec::new();
    for (entry, result) in wanted.iter().zip(results) {
        match result {
            Ok(result) => found.push((*entry, result)),
            Err(e) => failures.push(format!("{}: {e}", entry.name)),
        }
    }
    assert_none("programs are translated wrongly", &failures);
    if std::env::var_os("HEXCC_REAL").is_some_and(|v| v == "update") {
        assert_eq!(wanted.len(), entries.len(), "HEXCC_E2E limits the programs");
        fs::write(list(), head + &rows(&found)).expect("programs.txt can be written");
        let (_, public) = parts_of_document();
        fs::write(document(), table(&found) + &public).expect("docs/ can be written");
        return;
    }
    let other = found.iter().filter(|(e, found)| e.verdict != found.verdict);
    let other: Vec<String> = other
        .map(|(e, found)| format!("{}: {}, not {}", e.name, found.verdict, e.verdict))
        .collect();
    let help = "programs have other verdicts than listed (HEXCC_REAL=update writes the list)";
    assert_none(help, &other);
    if wanted.len() == entries.len() {
        let is_same = parts_of_document().0 == table(&found);
        assert!(
            is_same,
            "HEXCC_REAL=update brings docs/accepted.md up to date"
        );
    }
}

fn rows(found: &[(&Entry, Found)]) -> String {
    let row = |(entry, found): &(&Entry, Found)| {
        let args = entry.args.join(" ");
        let args = if args.is_empty() { "-" } else { &args };
        let work: Vec<String> = entry.work.iter().map(usize::to_string).collect();
        let fields = [
            &entry.name,
            args,
            &work.join(","),
            &found.verdict,
            &entry.covers,
        ];
        fields.join("\t") + "\n"
    };
    found.iter().map(row).collect()
}

fn document() -> PathBuf {
    root().join("docs/accepted.md")
}

/// What tests write of docs/accepted.md, and what follows: public programs, which are not here.
fn parts_of_document() -> (String, String) {
    let text = fs::read_to_string(document()).unwrap_or_default();
    let at = text.find("\n## Public programs").unwrap_or(text.len());
    let (own, public) = text.split_at(at);
    (own.to_string(), public.to_string())
}

/// What tests write of docs/accepted.md.
fn table(found: &[(&Entry, Found)]) -> String {
    let count = |word: &str| {
        let is_so = |(_, found): &&(&Entry, Found)| found.verdict.starts_with(word);
        found.iter().filter(is_so).count()
    };
    let mut text = format!(
        "# Programs as people write them\n\n\
         What comes of the {} programs of [testsuite/real](../testsuite/real), unmodified and without options:\n\
         {} are accepted, {} in part, {} refused; {} have tiles over time. Accepted: all of the work of the time loop runs in kernels,\n\
         shared by many threads. In part: the program translates, and some of that work does not. Whatever translates prints\n\
         what the C program prints, in the emulation under three orders, and as C with OpenMP. `HEXCC_REAL=update cargo test --release --test real` writes this table.\n\n\
         | program | covers | verdict | tiles | how, or why not |\n|---|---|---|---|---|\n",
        found.len(),
        count("accepted"),
        count("partly"),
        count("refused"),
        found.iter().filter(|(_, found)| found.tiled).count(),
    );
    for (entry, found) in found {
        let name = &entry.name;
        let cells: [&String; 5] = [
            &format!("[{name}](../testsuite/real/{name}.c)"),
            &entry.covers,
            &found.verdict,
            &if found.tiled { "yes" } else { "" }.to_string(),
            &found.reason,
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

/// Relative distance accepted of numbers that depend on sums, which are in float in C.
const SUM_DISTANCE: f64 = 1e-4;

fn prints_the_same(found: &Ran, expected: &Ran) -> bool {
    found == expected
}

/// Whether two runs print the same but for numbers that differ by little.
fn prints_nearly_the_same(found: &Ran, expected: &Ran) -> bool {
    fn words(text: &str) -> Vec<&str> {
        text.split(|c: char| c.is_whitespace() || ",;:=()[]".contains(c))
            .collect()
    }
    let near = |(a, b): (&&str, &&str)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => (x - y).abs() <= SUM_DISTANCE * x.abs().max(y.abs()) || a == b,
        _ => a == b,
    };
    let [a, b] = [found, expected].map(|run| String::from_utf8_lossy(&run.printed));
    let (a, b) = (words(&a), words(&b));
    found.status == expected.status && a.len() == b.len() && a.iter().zip(&b).all(near)
}

/// Translates a program, and compares the translations with C where there are some.
fn judge(ledger: &Ledger, entry: &Entry, place: &Path) -> Result<Found, String> {
    let cuda = place.join(&entry.name).with_extension("cu");
    let (status, said) = translate(entry, &cuda, &[])?;
    if status == 1 {
        return refusal(&said, &cuda);
    }
    // Sums of all threads round in other places than C's.
    let (same, how): (Same, _) = match said.contains("warning[HX0208]") {
        true => (prints_nearly_the_same, "nearly"),
        false => (prints_the_same, "the same"),
    };
    let read = |path: &Path| fs::read_to_string(path).map_err(|e| e.to_string());
    let (c, args) = (read(&source(entry))?, entry.args.join(" "));
    let how_and_what = [include_str!("real.rs"), &c, &args, how];
    let verify = |text: &Path, compare: fn(&Entry, Same, &Path, &Path) -> Result<(), String>| {
        let translated = read(text)?;
        let inputs = [how_and_what.as_slice(), &[translated.as_str()]].concat();
        ledger.verify(&inputs, || compare(entry, same, text, place))
    };
    verify(&cuda, compare_cuda)?;
    if !NOT_AS_OPENMP.contains(&entry.name.as_str()) {
        let openmp = translate_to_openmp(entry, place);
        let openmp = openmp.and_then(|text| verify(&text, compare_openmp));
        openmp.map_err(|e| format!("OpenMP: {e}"))?;
    }
    let left: Vec<String> = (entry.work)
        .difference(&lines_in_kernels(&cuda)?)
        .map(usize::to_string)
        .collect();
    let text = read(&cuda)?;
    let tiled = [
        "// Hybrid hexagonal/classical tiling",
        "// Overlapped tiling",
    ];
    Ok(Found {
        tiled: tiled.iter().any(|head| text.contains(head)),
        ..acceptance(entry, &left, &said)
    })
}

/// Whether two runs count as the same.
type Same = fn(&Ran, &Ran) -> bool;

/// Runs a translation in the emulation in all orders.
fn compare_cuda(entry: &Entry, same: Same, cuda: &Path, place: &Path) -> Result<(), String> {
    let expected = c_program(entry, place)?;
    let program = cuda.with_extension("emu");
    let mut build = Command::new(root().join("scripts/emucc"));
    build.args(["-O1", "-ffp-contract=off", "-w"]);
    succeed(build.arg(cuda).arg("-o").arg(&program)).map_err(|e| format!("emucc: {e}"))?;
    for order in ORDERS {
        if !same(&run(entry, &program, order)?, &expected) {
            return Err(format!("differs from C in order {order}"));
        }
    }
    Ok(())
}

/// Runs C with OpenMP.
fn compare_openmp(entry: &Entry, same: Same, text: &Path, place: &Path) -> Result<(), String> {
    let expected = c_program(entry, place)?;
    let program = text.with_extension("");
    cc(&OPENMP, text, &program)?;
    match same(&run(entry, &program, "0")?, &expected) {
        true => Ok(()),
        false => Err("differs from C".to_string()),
    }
}

/// The exit status, 0 or 1, and the messages of `hexcc`.
fn translate(entry: &Entry, to: &Path, options: &[&str]) -> Result<(i32, String), String> {
    let inner = hexcc();
    let mut command = Command::new("timeout");
    command.arg("200").arg(inner.get_program());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // More time than by default: verdicts are not to depend on how fast the machine is.
    command.args(["--time-limit", "150"]).args(options);
    command.arg(source(entry)).arg("-o").arg(to);
    let out = output(command.stdin(Stdio::null()))?;
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    match out.status.code() {
        Some(status @ (0 | 1)) if !said.contains("panicked") => Ok((status, said)),
        Some(124) => Err("hexcc does not end".to_string()),
        _ => Err(format!("internal error: {said}")),
    }
}

/// The lines of the statements that many threads share, which comments name.
fn lines_in_kernels(text: &Path) -> Result<BTreeSet<usize>, String> {
    let text = fs::read_to_string(text).map_err(|e| e.to_string())?;
    let mut is_shared = true;
    let mut lines = BTreeSet::new();
    for comment in text.lines().filter_map(|l| l.trim().strip_prefix("// ")) {
        if comment.starts_with("Line") {
            is_shared = !comment.ends_with(": one thread.");
        }
        lines.extend(
            lines_of_statement(comment)
                .filter(|_| is_shared)
                .into_iter()
                .flatten(),
        );
    }
    Ok(lines)
}

/// The lines that the comment of a statement names: `S_3, line 20: ..` or `S_3, lines 20 to 24: ..`.
fn lines_of_statement(comment: &str) -> Option<RangeInclusive<usize>> {
    let (_, rest) = comment.strip_prefix("S_")?.split_once(", line")?;
    let (lines, _) = rest.strip_prefix('s').unwrap_or(rest).split_once(':')?;
    let (first, last) = lines.split_once(" to ").unwrap_or((lines, lines));
    Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
}

/// The codes and texts of messages.
fn messages<'a>(said: &'a str, kind: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let message = move |line: &'a str| {
        line.strip_prefix(kind)?
            .strip_prefix('[')?
            .split_once("]: ")
    };
    said.lines().filter_map(message)
}

fn refusal(said: &str, output: &Path) -> Result<Found, String> {
    let Some((code, text)) = messages(said, "error").next() else {
        return Err(format!("refused without a code: {said}"));
    };
    if code.starts_with("HX9") || output.exists() {
        return Err(format!("internal error: {said}"));
    }
    let nests = said.lines().filter_map(|line| {
        let (_, nest) = line.split_once("= note: the nest at ")?;
        let (line, reason) = nest.split_once(" runs in no kernel either: ")?;
        Some(format!("{line}: {reason}"))
    });
    let reasons: Vec<String> = [text.to_string()].into_iter().chain(nests).collect();
    Ok(Found {
        verdict: format!("refused {code}"),
        reason: shortened(reasons.join("; ")),
        tiled: false,
    })
}

fn acceptance(entry: &Entry, left: &[String], said: &str) -> Found {
    let how = match messages(said, "warning").next() {
        Some((code, text)) => format!("{code}: {text}"),
        None => "tiled".to_string(),
    };
    let long = "stays on the CPU, and the nests in it run in kernels";
    let how = shortened(how.replace(long, "stays, its nests run"));
    if left.is_empty() {
        let verdict = "accepted".to_string();
        return Found {
            verdict,
            reason: how,
            tiled: false,
        };
    }
    let n_taken = entry.work.len() - left.len();
    let lines = left.join(", ");
    Found {
        verdict: "partly".to_string(),
        reason: format!("{n_taken} of {}, not {lines}; {how}", entry.work.len()),
        tiled: false,
    }
}

fn shortened(text: String) -> String {
    if text.chars().count() <= LONGEST_REASON {
        return text;
    }
    let kept: String = text.chars().take(LONGEST_REASON).collect();
    kept + " .."
}

/// What the C program does.
fn c_program(entry: &Entry, place: &Path) -> Result<Ran, String> {
    let program = place.join(format!("{}-c", entry.name));
    cc(&C, &source(entry), &program).map_err(|e| format!("the C program: {e}"))?;
    run(entry, &program, "0")
}

fn cc(flags: &[&str], source: &Path, program: &Path) -> Result<(), String> {
    let mut command = Command::new("cc");
    command.args(flags).arg(source).arg("-o").arg(program);
    succeed(command.arg("-lm")).map(|_| ())
}

fn run(entry: &Entry, program: &Path, order: &str) -> Result<Ran, String> {
    let mut command = Command::new("timeout");
    command.arg("60").arg(program).args(&entry.args);
    command
        .env("HEXCC_EMU_SEED", order)
        .env("OMP_NUM_THREADS", "3");
    let out = output(command.stdin(Stdio::null()))?;
    let status = out.status.code();
    if status == Some(124) {
        return Err("the program does not end".to_string());
    }
    let printed = out.stdout;
    Ok(Ran { printed, status })
}

/// The program as C with OpenMP.
fn translate_to_openmp(entry: &Entry, place: &Path) -> Result<PathBuf, String> {
    let text = place.join(format!("{}-openmp.c", entry.name));
    match translate(entry, &text, &["--target=openmp"])? {
        (0, _) => Ok(text),
        (_, said) => Err(format!("refused: {said}")),
    }
}
