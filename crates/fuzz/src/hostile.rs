//! Damaged C files and command lines: whatever hexcc gets, it ends in time, with
//! a message or a whole output, and without a panic.

use crate::rng::Rng;
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What to do.
pub struct Plan<'a> {
    /// The command.
    pub hexcc: &'a Path,
    /// C files to damage.
    pub sources: Vec<PathBuf>,
    /// Random numbers.
    pub seed: u64,
    /// Number of runs.
    pub runs: u64,
    /// Number of the first one.
    pub first: u64,
    /// When a run counts as hanging.
    pub patience: Duration,
    /// Where inputs of failures go.
    pub out: Option<PathBuf>,
}

/// The programs of the testsuite, those that are refused as well.
pub fn testsuite() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testsuite");
    let folders = [root.clone(), root.join("errors")];
    let entries = (folders.iter()).flat_map(|f| std::fs::read_dir(f).into_iter().flatten());
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    files
}

/// What happened.
#[derive(Default, Debug)]
pub struct Report {
    /// Runs by exit status and first diagnostic.
    pub counts: BTreeMap<String, u64>,
    /// What must not happen.
    pub failures: Vec<String>,
    /// The longest run.
    pub slowest: Duration,
}

/// One run of a command.
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) wall: Duration,
}

/// Damages files and command lines, and runs the command on them.
pub fn run(plan: &Plan) -> Report {
    let work = tempfile::tempdir().expect("a folder for files");
    let sources: Vec<String> = (plan.sources.iter())
        .filter_map(|p| std::fs::read_to_string(p).ok())
        .collect();
    assert!(!sources.is_empty(), "no sources to damage");
    let mut report = Report::default();
    for number in plan.first..plan.first + plan.runs {
        let mut rng = Rng::new(plan.seed, number);
        let mut bytes = rng.pick(&sources).clone().into_bytes();
        let damaged = rng.chance(85);
        if damaged {
            for _ in 0..1 + rng.weighted(&[60, 20, 10, 10]) {
                damage(&mut rng, &mut bytes, &sources);
            }
        }
        let flags = if !damaged || rng.chance(30) {
            flags(&mut rng)
        } else {
            Vec::new()
        };
        // A folder of its own tells what is left behind.
        let folder = work.path().join(format!("run {number} ü"));
        let input = folder.join(*rng.pick(&["in.c", "in put.c", "ünput.c", "in.h.c"]));
        let output = folder.join("out.cu");
        std::fs::create_dir(&folder).expect("a folder can be made");
        std::fs::write(&input, &bytes).expect("a file can be written");
        let to_stdout = rng.chance(10);
        let mut command = Command::new(plan.hexcc);
        command.arg(&input).args(&flags);
        if !to_stdout {
            command.arg("-o").arg(&output);
        }
        let problem = match finish(&mut command, plan.patience) {
            Err(what) => Some(what),
            Ok(run) => {
                report.slowest = report.slowest.max(run.wall);
                let key = format!("exit status {:?} {}", run.code, code_of(&run.stderr));
                *report.counts.entry(key).or_default() += 1;
                judge(&run, &folder, &output, to_stdout)
            }
        };
        if let Some(what) = problem {
            let text = format!("run {number} of seed {}: {what}; {flags:?}", plan.seed);
            eprintln!("{text}");
            if let Some(out) = &plan.out {
                let _ = std::fs::create_dir_all(out);
                let _ = std::fs::write(out.join(format!("hostile_{number}.c")), &bytes);
            }
            report.failures.push(text);
        }
        let _ = std::fs::remove_dir_all(&folder);
    }
    report
}

/// What is wrong with a finished run.
fn judge(run: &Finished, folder: &Path, output: &Path, to_stdout: bool) -> Option<String> {
    let head: String = run.stderr.lines().take(3).collect::<Vec<_>>().join(" | ");
    if run.stderr.contains("panicked at") {
        return Some(format!("a panic: {head}"));
    }
    if run.stderr.contains("[HX9001]") {
        return Some(format!("an internal error: {head}"));
    }
    let left: Vec<String> = (std::fs::read_dir(folder).into_iter().flatten().flatten())
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    if left.len() > 2 {
        return Some(format!("files are left behind: {left:?}"));
    }
    match run.code {
        None => Some(format!("ended by a signal: {head}")),
        Some(0) if to_stdout => {
            (run.stdout.is_empty()).then(|| "exit status 0 without output".to_string())
        }
        Some(0) => match std::fs::metadata(output) {
            Ok(m) if m.len() > 0 => None,
            _ => Some("exit status 0 without an output file".to_string()),
        },
        Some(code @ 1..=4) => {
            if output.exists() || !run.stdout.is_empty() {
                Some(format!("an error and an output: {head}"))
            } else if code != 2 && !run.stderr.contains("error[HX") {
                Some(format!("exit status {code} without a diagnostic: {head}"))
            } else if run.stderr.trim().is_empty() {
                Some("an error without a message".to_string())
            } else {
                None
            }
        }
        Some(code) => Some(format!("exit status {code}: {head}")),
    }
}

/// The first code of the messages.
pub(crate) fn code_of(stderr: &str) -> String {
    let at = stderr.find("error[HX").map(|at| at + 6);
    at.and_then(|at| stderr.get(at..at + 6))
        .unwrap_or("")
        .to_string()
}

/// Runs a command; what happened, unless it had to be stopped.
pub(crate) fn finish(command: &mut Command, patience: Duration) -> Result<Finished, String> {
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let reader = |from: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut from) = from {
                let _ = from.read_to_end(&mut bytes);
            }
            bytes
        })
    };
    let stdout = reader(child.stdout.take().map(|s| Box::new(s) as _));
    let stderr = reader(child.stderr.take().map(|s| Box::new(s) as _));
    let status = loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break status,
            None if began.elapsed() > patience => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("not finished after {} s", patience.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    Ok(Finished {
        code: status.code(),
        signal: status.signal(),
        stdout: stdout.join().unwrap_or_default(),
        stderr: String::from_utf8_lossy(&stderr.join().unwrap_or_default()).into_owned(),
        wall: began.elapsed(),
    })
}

/// Where tokens of a text begin, in the part that is most worth damaging.
fn tokens(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let find = |what: &[u8]| text.windows(what.len()).position(|w| w == what);
    let start = find(b"static").unwrap_or(0);
    let end = find(b"endscop").map_or(text.len(), |at| at + 8).max(start);
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.' || b >= 0x80;
    let mut found = Vec::new();
    let mut at = start;
    while at < end.min(text.len()) {
        let from = at;
        at += 1;
        if text[from].is_ascii_whitespace() {
            continue;
        }
        while word(text[from]) && at < text.len() && word(text[at]) {
            at += 1;
        }
        found.push(from..at);
    }
    found
}

const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "3",
    "7",
    "2147483647",
    "-2147483648",
    "4294967296",
    "9223372036854775807",
    "99999999999999999999999",
    "1e400",
    "0x7fffffff",
    "0.5",
    "1u",
];

const WORDS: [&str; 26] = [
    "t", "i", "j", "N", "T", "A", "float", "double", "char", "int", "unsigned", "if", "else",
    "for", "while", "break", "return", "%", "/", "*", "-", "<", ">=", "==", "[0]", "(",
];

/// One random change.
pub fn damage(rng: &mut Rng, bytes: &mut Vec<u8>, sources: &[String]) {
    let all = tokens(bytes);
    if all.is_empty() || bytes.is_empty() {
        return;
    }
    let token = rng.pick(&all).clone();
    let other = rng.pick(&all).clone();
    match rng.weighted(&[14, 12, 12, 12, 16, 12, 6, 4, 4, 4, 4]) {
        0 => {
            bytes.drain(token);
        }
        1 => {
            let copy = bytes[token.clone()].to_vec();
            bytes.splice(token.start..token.start, copy);
        }
        2 => {
            let copy = bytes[other].to_vec();
            bytes.splice(token, copy);
        }
        3 => {
            let word = rng.pick(&WORDS).as_bytes().to_vec();
            bytes.splice(token, word);
        }
        4 => {
            let is_number = |r: &&std::ops::Range<usize>| bytes[r.start].is_ascii_digit();
            let numbers: Vec<_> = all.iter().filter(is_number).cloned().collect();
            if !numbers.is_empty() {
                let number = rng.pick(&NUMBERS).as_bytes().to_vec();
                bytes.splice(rng.pick(&numbers).clone(), number);
            }
        }
        5 => {
            // An iterator or size instead of another.
            let name =
                |r: &&std::ops::Range<usize>| r.len() == 1 && bytes[r.start].is_ascii_alphabetic();
            let names: Vec<_> = all.iter().filter(name).cloned().collect();
            if names.len() > 1 {
                let copy = bytes[rng.pick(&names).clone()].to_vec();
                bytes.splice(rng.pick(&names).clone(), copy);
            }
        }
        6 => {
            // A line of another file.
            let lines: Vec<&str> = rng.pick(sources).lines().collect();
            let line = format!("\n{}\n", rng.pick(&lines));
            bytes.splice(token.start..token.start, line.into_bytes());
        }
        7 => {
            let at = rng.below(bytes.len());
            bytes[at] = rng.bits() as u8;
        }
        8 => bytes.truncate(token.start),
        9 => {
            let (a, b) = (token.start.min(other.start), token.end.max(other.end));
            let copy = bytes[a..b].to_vec();
            bytes.splice(a..a, copy);
        }
        _ => {
            let text = *rng.pick(&[
                "\0",
                "\\\n",
                "/*",
                "//",
                "\"",
                "#pragma scop\n",
                "#",
                "ü",
                "{",
                "}",
            ]);
            bytes.splice(token.start..token.start, text.bytes());
        }
    }
}

/// Random arguments, many of them nonsense.
fn flags(rng: &mut Rng) -> Vec<String> {
    let number = |rng: &mut Rng| -> String {
        match rng.chance(60) {
            true => rng.range(-2, 40).to_string(),
            false => (*rng.pick(&NUMBERS)).to_string(),
        }
    };
    let mut flags = Vec::new();
    for _ in 0..1 + rng.below(3) {
        let value = number(rng);
        match rng.below(13) {
            0..=2 => {
                let widths: Vec<String> = (0..1 + rng.below(4)).map(|_| number(rng)).collect();
                flags.push(format!("--tile=h={value},w={}", widths.join(":")));
            }
            3 => flags.push(format!("--threads={value}")),
            4 => flags.push(format!("--hex-dim={value}")),
            5 => flags.push("--memory=global".into()),
            6 => flags.push(format!("--shared-memory={value}")),
            7 => flags.push(format!("--isl-quota={}", rng.range(1, 60_000))),
            8 => flags.push(format!(
                "--name={}",
                rng.pick(&["f", "", "1", "ü", "int", "a b"])
            )),
            9 => flags.push(format!(
                "--function={}",
                rng.pick(&["main", "fill", "", "ü", "x y"])
            )),
            10 => flags.push(format!(
                "--emit={}",
                rng.pick(&["kernel", "scop", "cuda", "", "x"])
            )),
            11 => flags.push(
                (*rng.pick(&[
                    "-DN=3",
                    "-DT",
                    "-D",
                    "-I/nowhere",
                    "-Dfloat=double",
                    "-Dfor=while",
                ]))
                .to_string(),
            ),
            _ => flags.push(
                (*rng.pick(&["--instrument", "-v", "--", "--tile=", "--x", "-", ""])).to_string(),
            ),
        }
    }
    flags
}
