//! libclang in a process of its own, for it cannot be stopped, and has another LLVM than libpet.
//!
//! A program started with [`CHILD_ARGUMENT`] reads questions, one a line of JSON, and answers each with a
//! line. It is started for the first question, serves all others, and ends when the asking process does.

use crate::ForCplusplus;
use crate::beside::{self, Around};
use crate::branches::{Branches, branches};
use crate::facts::Facts;
use crate::normalize::{Forward, Rewritten, Same, Swaps, Wish};
use crate::signature::Signatures;
use hexcc_clang::ast::Unit;
use hexcc_clang::{Clang, ClangError, ParseRequest, STACK_VARIABLE, deeply, parse};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Write};
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

pub use hexcc_clang::LIBRARY_VARIABLE as LIBCLANG_VARIABLE;

/// The only argument of the process.
pub const CHILD_ARGUMENT: &str = "--clang-child";

/// How long a process with a limit on its processor time is waited for at least: it may have to share
/// the processor.
const PATIENCE: Duration = Duration::from_secs(30);

/// A text of which the facts are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The folder that `scripts/setup` fills.
    pub vendor: PathBuf,
    /// The file that the text is taken for.
    pub file: PathBuf,
    /// The text.
    pub text: String,
    /// Folders for `#include`, searched before the system's.
    pub include_dirs: Vec<PathBuf>,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Processor time that the answer may take.
    pub seconds: Option<u64>,
}

/// What can be asked of a text.
#[derive(Clone, Serialize, Deserialize)]
enum Wanted {
    /// What it declares.
    Facts,
    /// Its time loops in another form.
    TimeLoops,
    /// The heads of loops that macros make.
    Heads,
    /// What a region has in other words.
    Forward(Range<usize>, Wish),
    /// The swap of pointers at the end of the loop that is a region.
    Swaps(Range<usize>),
    /// Which arrays of the nest at an offset are one later.
    Same(usize, Vec<(String, bool)>),
    /// What a C++ program of the file needs.
    ForCplusplus,
    Branches,
    /// Statements beside these parts that could be one with them.
    Neighbours(Vec<Range<usize>>),
    /// What C does around these parts.
    Around(Vec<Range<usize>>),
    /// The functions that it defines.
    Signatures,
}

/// What is answered.
#[derive(Serialize, Deserialize)]
enum Found {
    Facts(Box<Facts>),
    TimeLoops(Vec<Rewritten>),
    Texts(Vec<(Range<usize>, String)>),
    Forward(Forward),
    Swaps(Option<Swaps>),
    Same(Option<Same>),
    ForCplusplus(ForCplusplus),
    Branches(Vec<Branches>),
    Neighbours(Vec<Vec<Range<usize>>>),
    Around(Vec<Around>),
    Signatures(Signatures),
}

/// Why there are no facts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum FactsError {
    /// There is no libclang that can be used.
    #[error("{0}")]
    Library(String),
    /// It was stopped.
    #[error("libclang did not finish within {0} s of processor time")]
    TimedOut(u64),
    /// libclang gave up or crashed.
    #[error("{0}")]
    GaveUp(String),
}

/// What a text declares, or why that is not known.
pub type KnownFacts = Result<std::rc::Rc<Facts>, FactsError>;

impl From<ClangError> for FactsError {
    fn from(error: ClangError) -> FactsError {
        match error {
            ClangError::Missing(_) | ClangError::NotLoaded { .. } | ClangError::TooOld { .. } => {
                FactsError::Library(error.to_string())
            }
            other => FactsError::GaveUp(other.to_string()),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Answer {
    /// Processor time of the process until now, in microseconds.
    micros: u64,
    found: Result<Found, FactsError>,
}

/// Processor time that was used for what has been answered.
pub fn processor_time() -> Duration {
    Duration::from_micros(USED.load(Ordering::Relaxed))
}

static USED: AtomicU64 = AtomicU64::new(0);

/// The process, with the program that it runs, while nobody asks it.
static IDLE: Mutex<Option<(PathBuf, Process)>> = Mutex::new(None);

/// Asks for the facts of a text; `exe` is a program that calls [`run_child`] when its only argument is
/// [`CHILD_ARGUMENT`].
///
/// # Errors
///
/// Where libclang is missing, gives up or takes too long.
pub fn facts(exe: &Path, question: &Question) -> Result<Facts, FactsError> {
    match ask(exe, (Wanted::Facts, question))? {
        Found::Facts(facts) => Ok(*facts),
        _ => Err(other_answer()),
    }
}

/// Asks for the time loops of a text in another form, as [`crate::normalize::time_loops`] has them.
///
/// # Errors
///
/// As [`facts`].
pub fn time_loops(exe: &Path, question: &Question) -> Result<Vec<Rewritten>, FactsError> {
    match ask(exe, (Wanted::TimeLoops, question))? {
        Found::TimeLoops(loops) => Ok(loops),
        _ => Err(other_answer()),
    }
}

/// Asks for the heads of loops that macros of a text make, as [`crate::normalize::heads`] has them, where there may be any.
///
/// # Errors
///
/// As [`facts`].
pub fn heads(exe: &Path, question: &Question) -> Result<Vec<(Range<usize>, String)>, FactsError> {
    if !crate::normalize::may_make_loops(&question.text) {
        return Ok(Vec::new());
    }
    texts(exe, (Wanted::Heads, question))
}

/// Asks for what is to stand in places of a region of a text, as [`crate::normalize::forward`] has it.
///
/// # Errors
///
/// As [`facts`].
pub fn forward(
    exe: &Path,
    question: &Question,
    (region, wish): (Range<usize>, Wish),
) -> Result<Forward, FactsError> {
    match ask(exe, (Wanted::Forward(region, wish), question))? {
        Found::Forward(forward) => Ok(forward),
        _ => Err(other_answer()),
    }
}

/// Asks for the swap of pointers at the end of the loop that is a region, as [`crate::normalize::swaps`] has it.
///
/// # Errors
///
/// As [`facts`].
pub fn swaps(
    exe: &Path,
    (question, region): (&Question, Range<usize>),
) -> Result<Option<Swaps>, FactsError> {
    match ask(exe, (Wanted::Swaps(region), question))? {
        Found::Swaps(swaps) => Ok(swaps),
        _ => Err(other_answer()),
    }
}

/// Asks for arrays of a nest, by where it begins, that are one later, as [`crate::normalize::same_later`] has them.
///
/// # Errors
///
/// As [`facts`].
pub fn same_later(
    exe: &Path,
    question: &Question,
    (nest, arrays): (usize, Vec<(String, bool)>),
) -> Result<Option<Same>, FactsError> {
    match ask(exe, (Wanted::Same(nest, arrays), question))? {
        Found::Same(same) => Ok(same),
        _ => Err(other_answer()),
    }
}

/// Asks for what the host's part of a text needs to be CUDA C++.
///
/// # Errors
///
/// As [`facts`].
pub fn for_cplusplus(exe: &Path, question: &Question) -> Result<ForCplusplus, FactsError> {
    match ask(exe, (Wanted::ForCplusplus, question))? {
        Found::ForCplusplus(all) => Ok(all),
        _ => Err(other_answer()),
    }
}

/// Asks for the parts of a program that conditions of the preprocessor choose.
///
/// # Errors
///
/// As [`facts`].
pub fn chosen(exe: &Path, question: &Question) -> Result<Vec<Branches>, FactsError> {
    match ask(exe, (Wanted::Branches, question))? {
        Found::Branches(all) => Ok(all),
        _ => Err(other_answer()),
    }
}

/// Asks for runs of statements that could be one part with some parts, as [`crate::beside::neighbours`] has them.
///
/// # Errors
///
/// As [`facts`].
pub fn neighbours(
    exe: &Path,
    (question, parts): (&Question, Vec<Range<usize>>),
) -> Result<Vec<Vec<Range<usize>>>, FactsError> {
    match ask(exe, (Wanted::Neighbours(parts), question))? {
        Found::Neighbours(all) => Ok(all),
        _ => Err(other_answer()),
    }
}

/// Asks for what C does around some parts, as [`crate::beside::around`] has it.
///
/// # Errors
///
/// As [`facts`].
pub fn around(
    exe: &Path,
    (question, parts): (&Question, Vec<Range<usize>>),
) -> Result<Vec<Around>, FactsError> {
    match ask(exe, (Wanted::Around(parts), question))? {
        Found::Around(all) => Ok(all),
        _ => Err(other_answer()),
    }
}

/// Asks for the functions that a text defines.
///
/// # Errors
///
/// As [`facts`].
pub fn signatures(exe: &Path, question: &Question) -> Result<Signatures, FactsError> {
    match ask(exe, (Wanted::Signatures, question))? {
        Found::Signatures(signatures) => Ok(signatures),
        _ => Err(other_answer()),
    }
}

/// Asks for what is to stand in places of a text.
fn texts(
    exe: &Path,
    question: (Wanted, &Question),
) -> Result<Vec<(Range<usize>, String)>, FactsError> {
    match ask(exe, question)? {
        Found::Texts(texts) => Ok(texts),
        _ => Err(other_answer()),
    }
}

fn other_answer() -> FactsError {
    FactsError::GaveUp("an answer to another question".to_owned())
}

fn ask(exe: &Path, question: (Wanted, &Question)) -> Result<Found, FactsError> {
    let failed = |error: io::Error| FactsError::GaveUp(format!("{}: {error}", exe.display()));
    tracing::debug!("libclang reads a text");
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut process = match idle {
        Some((program, process)) if program == exe => process,
        _ => Process::start(exe).map_err(failed)?,
    };
    let answer = process.ask(question)?;
    USED.fetch_add(
        answer.micros.saturating_sub(process.micros),
        Ordering::Relaxed,
    );
    process.micros = answer.micros;
    *IDLE.lock().unwrap_or_else(PoisonError::into_inner) = Some((exe.to_owned(), process));
    answer.found
}

struct Process {
    child: Child,
    questions: ChildStdin,
    answers: Receiver<Answer>,
    /// Processor time that it has used.
    micros: u64,
}

impl Process {
    fn start(exe: &Path) -> io::Result<Process> {
        let mut child = Command::new(exe)
            .arg(CHILD_ARGUMENT)
            .env(STACK_VARIABLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        let questions = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let answer = line.ok().and_then(|line| serde_json::from_str(&line).ok());
                if answer.is_none_or(|answer| sender.send(answer).is_err()) {
                    break;
                }
            }
        });
        Ok(Process {
            child,
            questions,
            answers,
            micros: 0,
        })
    }

    fn ask(&mut self, asked: (Wanted, &Question)) -> Result<Answer, FactsError> {
        let question = asked.1;
        let mut line = serde_json::to_vec(&asked)
            .map_err(|error| FactsError::GaveUp(format!("the question: {error}")))?;
        line.push(b'\n');
        // A process that is gone breaks the pipe; its exit status tells why.
        let _ = self.questions.write_all(&line);
        let patience = (question.seconds)
            .map(|seconds| PATIENCE.max(Duration::from_secs(seconds.saturating_mul(4))));
        let answer = match patience {
            Some(patience) => self.answers.recv_timeout(patience),
            None => self.answers.recv().map_err(RecvTimeoutError::from),
        };
        answer.map_err(|_| self.ended(question.seconds))
    }

    /// Why there is no answer.
    fn ended(&mut self, seconds: Option<u64>) -> FactsError {
        // One that waits ends so, and one that has crashed has its status already.
        let crashed = self.child.try_wait().ok().flatten().or_else(|| {
            thread::sleep(Duration::from_millis(50));
            self.child.try_wait().ok().flatten()
        });
        let _ = self.child.kill();
        let _ = self.child.wait();
        match (crashed, seconds) {
            (None, Some(seconds)) => FactsError::TimedOut(seconds),
            (Some(status), Some(seconds)) if status.signal() == Some(libc::SIGXCPU) => {
                FactsError::TimedOut(seconds)
            }
            (status, _) => FactsError::GaveUp(format!(
                "libclang crashed: {}",
                status.map_or("no answer".to_owned(), |status| status.to_string())
            )),
        }
    }
}

/// Answers the questions on standard input; the whole life of the process.
pub fn run_child() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    // A crash is an expected outcome here and deserves no core file.
    limit(libc::RLIMIT_CORE, 0, 0);
    let first = most(libc::RLIMIT_CPU);
    let mut clang: Option<(PathBuf, Result<Clang, FactsError>)> = None;
    // A deep tree would need a deep stack once more, at the end of the process.
    let mut last = ManuallyDrop::new(Last::default());
    for line in io::stdin().lock().lines() {
        let (wanted, question): (Wanted, Question) = serde_json::from_str(&line?)?;
        if clang.as_ref().is_none_or(|(of, _)| *of != question.vendor) {
            let found = Clang::find(&question.vendor).map_err(FactsError::from);
            clang = Some((question.vendor.clone(), found));
        }
        let more = question.seconds.map_or(first, |seconds| {
            used().div_ceil(1_000_000).saturating_add(seconds)
        });
        limit(libc::RLIMIT_CPU, more, first);
        let found = match &clang {
            Some((_, Ok(clang))) => answer(clang, wanted, question, &mut last),
            Some((_, Err(error))) => Err(error.clone()),
            None => continue,
        };
        let answer = Answer {
            micros: used(),
            found,
        };
        let mut stdout = io::stdout().lock();
        serde_json::to_writer(&mut stdout, &answer)?;
        stdout.write_all(b"\n")?;
        stdout.flush()?;
    }
    Ok(())
}

/// What was parsed last, the newest at the end: questions about regions of a text follow each other, with some about what
/// is made of it between them.
#[derive(Default)]
struct Last(Vec<(ParseRequest, Unit)>);

/// Trees that are kept, at most.
const MOST_KEPT: usize = 3;

impl Last {
    fn unit(
        &mut self,
        clang: &Clang,
        request: ParseRequest,
    ) -> Result<&(ParseRequest, Unit), ClangError> {
        let known = self.0.iter().position(|(of, _)| *of == request);
        let last = match known {
            Some(at) => self.0.remove(at),
            None => {
                let unit = parse(clang, &request)?;
                let n_too_many = (self.0.len() + 1).saturating_sub(MOST_KEPT);
                self.0.drain(..n_too_many);
                (request, unit)
            }
        };
        self.0.push(last);
        Ok(&self.0[self.0.len() - 1])
    }
}

fn answer(
    clang: &Clang,
    wanted: Wanted,
    question: Question,
    last: &mut Last,
) -> Result<Found, FactsError> {
    let request = ParseRequest {
        file: question.file,
        text: Some(question.text),
        include_dirs: question.include_dirs,
        defines: question.defines,
    };
    // Trees of a file that is not trusted are deep, and are deep again when they are dropped.
    deeply(|| {
        let (request, unit) = last.unit(clang, request)?;
        Ok(match wanted {
            Wanted::Facts => Found::Facts(Box::new(Facts::of(unit))),
            Wanted::TimeLoops => Found::TimeLoops(crate::normalize::time_loops(unit)),
            Wanted::Heads => Found::Texts(crate::normalize::heads(unit)),
            Wanted::Forward(region, wish) => {
                let again = |text: String| {
                    let text = Some(text);
                    let request = ParseRequest {
                        text,
                        ..request.clone()
                    };
                    parse(clang, &request).ok()
                };
                Found::Forward(crate::normalize::forward(unit, (&region, wish), &again))
            }
            Wanted::Swaps(region) => Found::Swaps(crate::normalize::swaps(unit, &region)),
            Wanted::Same(nest, arrays) => {
                Found::Same(crate::normalize::same_later(unit, nest, &arrays))
            }
            Wanted::ForCplusplus => Found::ForCplusplus(ForCplusplus::of(unit)),
            Wanted::Branches => Found::Branches(branches(unit)),
            Wanted::Neighbours(parts) => Found::Neighbours(beside::neighbours(unit, &parts)),
            Wanted::Around(parts) => Found::Around(beside::around(unit, &parts)),
            Wanted::Signatures => Found::Signatures(Signatures::of(unit)),
        })
    })
}

/// Sets a limit of this process; a tighter one that it was started with stays.
fn limit(what: libc::__rlimit_resource_t, to: u64, first: u64) {
    if let Some(known) = limits(what) {
        let limit = libc::rlimit {
            rlim_cur: to.min(first),
            ..known
        };
        // SAFETY: setrlimit reads one structure.
        unsafe { libc::setrlimit(what, &raw const limit) };
    }
}

/// A limit of this process.
fn most(what: libc::__rlimit_resource_t) -> u64 {
    limits(what).map_or(libc::RLIM_INFINITY, |known| known.rlim_cur)
}

fn limits(what: libc::__rlimit_resource_t) -> Option<libc::rlimit> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: getrlimit writes one structure.
    let is_known = unsafe { libc::getrlimit(what, &raw mut limit) } == 0;
    is_known.then_some(limit)
}

/// Processor time of this process, in microseconds.
fn used() -> u64 {
    // SAFETY: all zeros are a value of this structure of numbers, which getrusage writes.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let micros = |t: libc::timeval| t.tv_sec * 1_000_000 + t.tv_usec;
    u64::try_from(micros(usage.ru_utime) + micros(usage.ru_stime)).unwrap_or(0)
}
