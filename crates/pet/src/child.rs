//! Extractions in child processes.
//!
//! A program of hexcc started with [`CHILD_ARGUMENT`] is a [server](crate::server): it loads libpet,
//! which takes longer than most extractions, and has a process of its own answer each [`Request`]. So
//! an assertion, an `exit` or an endless loop inside LLVM, clang, pet or isl is an error value here.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    Extraction, PetError, Request, Severity, deep, error::parse_messages, extract::with_messages,
    server::Order,
};

/// The only argument of the child process.
pub const CHILD_ARGUMENT: &str = "--pet-child";

/// How long [`extract`] waits at least for a child with a limit on its processor time: it may
/// have to share the processor.
const PATIENCE: Duration = Duration::from_secs(30);

/// Extracts a scop in a child process.
///
/// `exe` is a program that calls [`run_child`](crate::run_child) when its only argument is
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

/// Processor time that the servers of this process have used for what they have answered.
pub fn processor_time() -> Duration {
    Duration::from_micros(USED.load(Ordering::Relaxed))
}

static USED: AtomicU64 = AtomicU64::new(0);

/// Servers that have nothing to do, each with its program and its library.
static IDLE: Mutex<Vec<(Kind, Server)>> = Mutex::new(Vec::new());

/// A program and a library.
type Kind = (PathBuf, PathBuf);

/// Has a server answer until `limit`.
fn ask(exe: &Path, order: &Order, limit: Option<Duration>) -> Result<Extraction, PetError> {
    let started = Instant::now();
    // A deadline that no clock reaches is none.
    let deadline = limit.and_then(|limit| started.checked_add(limit));
    let kind = (exe.to_owned(), order.request.pet.library.clone());
    let mut order = serde_json::to_vec(order)
        .map_err(|error| PetError::Protocol(format!("the request: {error}")))?;
    order.push(b'\n');
    let mut server = match idle(&kind) {
        Some(server) => server,
        None => Server::start(exe)
            .map_err(|error| PetError::Protocol(format!("{}: {error}", exe.display())))?,
    };
    // A server that is gone breaks the pipe; its exit status tells why.
    let _ = server.orders.write_all(&order);
    let reply = match deadline {
        Some(deadline) => {
            (server.replies).recv_timeout(deadline.saturating_duration_since(Instant::now()))
        }
        None => server.replies.recv().map_err(RecvTimeoutError::from),
    };
    let reply = match reply {
        Ok(reply) => reply,
        Err(RecvTimeoutError::Timeout) => {
            return Err(PetError::TimedOut {
                seconds: limit.unwrap_or_default().as_secs(),
            });
        }
        Err(RecvTimeoutError::Disconnected) => return server.end(exe, deadline),
    };
    tracing::debug!(elapsed = ?started.elapsed(), status = %reply.status, "pet has answered");
    USED.fetch_add(
        reply.micros.saturating_sub(server.micros),
        Ordering::Relaxed,
    );
    server.micros = reply.micros;
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    idle.push((kind, server));
    drop(idle);
    reply.extraction(exe)
}

/// A server that has nothing to do.
fn idle(kind: &Kind) -> Option<Server> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let at = idle.iter().position(|(of, _)| of == kind)?;
    Some(idle.swap_remove(at).1)
}

/// A process that has libpet loaded; it ends when this does.
struct Server {
    child: Child,
    orders: ChildStdin,
    replies: Receiver<Reply>,
    /// What it prints itself.
    stderr: Receiver<Vec<u8>>,
    /// Processor time that it has used, in microseconds.
    micros: u64,
}

/// What a server says of an order.
struct Reply {
    /// How the process that did it ended.
    status: ExitStatus,
    /// Processor time of the server and all of its processes until now.
    micros: u64,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Server {
    fn start(exe: &Path) -> io::Result<Server> {
        let mut child = Command::new(exe)
            .arg(CHILD_ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        let orders = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let (sender, replies) = mpsc::channel();
        thread::spawn(move || {
            let mut from = BufReader::new(stdout);
            while let Some(reply) = Reply::read(&mut from)
                && sender.send(reply).is_ok()
            {}
        });
        Ok(Server {
            child,
            orders,
            replies,
            stderr: read_all(stderr),
            micros: 0,
        })
    }

    /// Why there is no answer from a server that has closed its output, or has said something else.
    fn end(mut self, exe: &Path, deadline: Option<Instant>) -> Result<Extraction, PetError> {
        let broken = |error: io::Error| PetError::Protocol(format!("{}: {error}", exe.display()));
        let status = wait(&mut self.child, deadline).map_err(broken)?;
        let stderr = self.stderr.recv_timeout(PATIENCE).unwrap_or_default();
        match status {
            Some(status) if !status.success() => failed(status, &stderr),
            _ => Err(PetError::Protocol(format!(
                "{} answered something else",
                exe.display()
            ))),
        }
    }
}

impl Drop for Server {
    /// Kills it and collects its exit status; both fail only when it is gone.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    /// The next reply: a line of numbers, then what was printed; `None` at the end, or for anything
    /// else.
    fn read(from: &mut impl BufRead) -> Option<Reply> {
        let mut line = String::new();
        from.read_line(&mut line).ok()?;
        let mut words = line.split_whitespace();
        let status = words.next()?.parse().ok()?;
        let mut number = || words.next()?.parse::<u64>().ok();
        let (micros, out, err) = (number()?, number()?, number()?);
        let mut bytes = |n: u64| {
            let mut bytes = Vec::new();
            let read = from.by_ref().take(n).read_to_end(&mut bytes).ok()?;
            (read as u64 == n).then_some(bytes)
        };
        Some(Reply {
            status: ExitStatus::from_raw(status),
            micros,
            stdout: bytes(out)?,
            stderr: bytes(err)?,
        })
    }

    fn extraction(self, exe: &Path) -> Result<Extraction, PetError> {
        if !self.status.success() {
            return failed(self.status, &self.stderr);
        }
        let result = deep::from_json(&self.stdout).map_err(|error| {
            PetError::Protocol(format!(
                "{} answered something else: {error}",
                exe.display()
            ))
        })?;
        with_messages(result, &String::from_utf8_lossy(&self.stderr))
    }
}

/// What a process that has ended without an answer printed.
fn failed(status: ExitStatus, stderr: &[u8]) -> Result<Extraction, PetError> {
    let stderr = String::from_utf8_lossy(stderr);
    // It may stumble over what clang has found wrong.
    let messages = parse_messages(&stderr);
    if messages.iter().any(|m| m.severity == Severity::Error) {
        return Err(PetError::Syntax { messages });
    }
    Err(PetError::Crashed {
        signal: status.signal(),
        code: status.code(),
        stderr: tail(&stderr),
    })
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
