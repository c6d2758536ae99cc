//! One extraction in a child process.
//!
//! The child is a program of hexcc started with [`CHILD_ARGUMENT`]. It reads a
//! [`Request`] as JSON on standard input and answers with one JSON `Result` on
//! standard output; clang's messages reach the parent on standard error, whatever
//! else is printed there. So an assertion, an `exit` or an endless loop inside
//! LLVM, clang, pet or isl is an error value here.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::{
        fd::{AsRawFd, FromRawFd, IntoRawFd},
        unix::process::ExitStatusExt,
    },
    path::Path,
    process::{Child, Command, ExitCode, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use crate::{
    Extraction, PetError, Request, Severity, capture, deep,
    error::parse_messages,
    extract::{extract_uncaptured, with_messages},
};

/// The only argument of the child process.
pub const CHILD_ARGUMENT: &str = "--pet-child";

/// How long [`extract`] waits at least for a child with a limit on its processor time: it may
/// have to share the processor.
const PATIENCE: Duration = Duration::from_secs(30);

/// Stack of the child; it takes memory only where it is used.
const CHILD_STACK: usize = 512 << 20;

/// Extracts a scop in a child process.
///
/// `exe` is a program that calls [`run_child`] when its only argument is
/// [`CHILD_ARGUMENT`]; hexcc passes itself. `limit` bounds the child's processor time, in whole
/// seconds, rounded up; a child that waits instead of working is stopped, too, later.
///
/// # Errors
///
/// Any [`PetError`] but `LibraryMissing`.
pub fn extract(
    exe: &Path,
    request: &Request,
    limit: Option<Duration>,
) -> Result<Extraction, PetError> {
    let seconds = limit.map(|limit| limit.as_secs() + u64::from(limit.subsec_nanos() > 0));
    let patience = seconds.map(|s| PATIENCE.max(Duration::from_secs(s.saturating_mul(4))));
    extract_within(exe, request, seconds, patience)
}

/// As [`extract`], with a bound on the child's processor time and one on the time until it
/// answers.
///
/// # Errors
///
/// Any [`PetError`] but `LibraryMissing`.
pub fn extract_within(
    exe: &Path,
    request: &Request,
    seconds: Option<u64>,
    patience: Option<Duration>,
) -> Result<Extraction, PetError> {
    let ordered = Order {
        request: request.clone(),
        processor_seconds: seconds,
    };
    ask(exe, &ordered, patience).map_err(|error| match (error, seconds) {
        (
            PetError::Crashed {
                signal: Some(libc::SIGXCPU),
                ..
            },
            Some(seconds),
        ) => PetError::TimedOut { seconds },
        (error, _) => error,
    })
}

/// What the child is told.
#[derive(Serialize, Deserialize)]
struct Order {
    request: Request,
    /// Processor time that it may take.
    processor_seconds: Option<u64>,
}

/// Starts the child and awaits its answer until `limit`.
fn ask(exe: &Path, order: &Order, limit: Option<Duration>) -> Result<Extraction, PetError> {
    let started = Instant::now();
    // A deadline that no clock reaches is none.
    let deadline = limit.and_then(|limit| started.checked_add(limit));
    let order = serde_json::to_vec(order)
        .map_err(|error| PetError::Protocol(format!("the request: {error}")))?;
    let broken = |error: io::Error| PetError::Protocol(format!("{}: {error}", exe.display()));
    let mut child = Command::new(exe)
        .arg(CHILD_ARGUMENT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(broken)?;

    if let Some(mut stdin) = child.stdin.take() {
        // A child that dies first breaks the pipe; its exit status tells why.
        thread::spawn(move || stdin.write_all(&order));
    }
    let stdout = child.stdout.take().map(read_all);
    let stderr = child.stderr.take().map(read_all);
    let status = match wait(&mut child, deadline) {
        Ok(status) => status,
        Err(error) => {
            stop(&mut child);
            return Err(broken(error));
        }
    };
    // A grandchild could keep the pipes open, so even a finished child's output is
    // awaited no longer than the deadline.
    let receive = |from: Option<Receiver<Vec<u8>>>| match deadline {
        Some(deadline) => from?
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            .ok(),
        None => from?.recv().ok(),
    };
    let finished = status.and_then(|status| Some((status, receive(stdout)?, receive(stderr)?)));
    let Some((status, stdout, stderr)) = finished else {
        stop(&mut child);
        return Err(PetError::TimedOut {
            seconds: limit.unwrap_or_default().as_secs(),
        });
    };
    tracing::debug!(elapsed = ?started.elapsed(), %status, "pet child finished");

    let stderr = String::from_utf8_lossy(&stderr);
    if !status.success() {
        // It may stumble over what clang has found wrong.
        let messages = parse_messages(&stderr);
        if messages.iter().any(|m| m.severity == Severity::Error) {
            return Err(PetError::Syntax { messages });
        }
        return Err(PetError::Crashed {
            signal: status.signal(),
            code: status.code(),
            stderr: tail(&stderr),
        });
    }
    let result = deep::from_json(&stdout).map_err(|error| {
        PetError::Protocol(format!(
            "{} answered something else: {error}",
            exe.display()
        ))
    })?;
    with_messages(result, &stderr)
}

/// Answers the request on standard input; the whole life of the child process.
///
/// To be called before anything else is printed. The exit code tells whether an
/// answer was written, not whether there is a scop.
pub fn run_child() -> ExitCode {
    match answer() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hexcc: {CHILD_ARGUMENT}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn answer() -> io::Result<()> {
    // Whatever the libraries print goes to standard error, so that standard output
    // carries the answer alone.
    let output = capture::duplicate(io::stdout().as_raw_fd())?;
    capture::redirect(libc::STDERR_FILENO, libc::STDOUT_FILENO)?;
    // A crash is an expected outcome here and deserves no core file.
    let no_core = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: setrlimit reads one structure.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &no_core) };

    let mut input = Vec::new();
    io::stdin().read_to_end(&mut input)?;
    let order: Order = serde_json::from_slice(&input)?;
    if let Some(seconds) = order.processor_seconds {
        bound_processor_time(seconds);
    }
    // clang and pet are recursive, too, and know no bound.
    let answer = stacker::grow(CHILD_STACK, || {
        serde_json::to_vec(&extract_uncaptured(&order.request))
    })?;
    // SAFETY: the descriptor comes from its owner, which gives it up.
    let mut output = unsafe { File::from_raw_fd(output.into_raw_fd()) };
    output.write_all(&answer)
}

/// Lets the system end this process with SIGXCPU after so many seconds of processor time. A
/// tighter limit that it was started with stays.
fn bound_processor_time(seconds: u64) {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: getrlimit writes one structure, which setrlimit reads.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_CPU, &raw mut limit) == 0 {
            limit.rlim_cur = limit.rlim_cur.min(seconds);
            libc::setrlimit(libc::RLIMIT_CPU, &raw const limit);
        }
    }
}

/// Waits for the end of `child`; `None` when the deadline comes first.
fn wait(child: &mut Child, deadline: Option<Instant>) -> io::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = deadline.map_or(pause, |d| d.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Ok(None);
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

/// Kills the child and collects its exit status; both fail only when it is gone.
fn stop(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn read_all(mut from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is still worth having.
        let _ = from.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

/// The end of a text that may be long.
fn tail(text: &str) -> String {
    const MOST: usize = 8 * 1024;
    let mut start = text.len().saturating_sub(MOST);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text[start..].to_owned()
}
