//! The far side of [`extract`](crate::extract): a process that has libpet loaded.
//!
//! It reads [`Order`]s, one a line of JSON, and has a fork of itself answer each with one JSON `Result`;
//! clang's messages are what the fork prints. For each order it then prints a line, `STATUS MICROSECONDS
//! LENGTH LENGTH`, the answer of the first length and the messages of the second: how the fork ended,
//! as `waitpid` says, and the processor time of all until now.

use std::{
    fs::File,
    io::{self, BufRead, Read, Seek, Write},
    os::fd::AsRawFd,
    process::ExitCode,
};

use serde::{Deserialize, Serialize};

use crate::{Request, capture, extract::extract_uncaptured, ffi};

/// Stack of a fork; it takes memory only where it is used.
const STACK: usize = 512 << 20;

/// What a server is told.
#[derive(Serialize, Deserialize)]
pub struct Order {
    pub request: Request,
    /// Processor time that it may take.
    pub processor_seconds: Option<u64>,
}

/// Answers the orders on standard input; the whole life of the process.
///
/// To be called before anything else is printed, while the process has one thread.
pub fn run_child() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hexcc: {}: {error}", crate::CHILD_ARGUMENT);
            ExitCode::FAILURE
        }
    }
}

fn serve() -> io::Result<()> {
    // A crash is an expected outcome here and deserves no core file.
    let no_core = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: setrlimit reads one structure.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const no_core) };
    let mut orders = io::stdin().lock();
    let mut line = Vec::new();
    while orders.read_until(b'\n', &mut line)? > 0 {
        let order: Order = serde_json::from_slice(&line)?;
        line.clear();
        // Where this fails, the fork will say so.
        let _ = ffi::load(&order.request.pet.library);
        let (mut answer, mut messages) = (capture::memory()?, capture::memory()?);
        let server = std::process::id();
        // SAFETY: this process has one thread, so its fork may do anything.
        let fork = unsafe { libc::fork() };
        match fork {
            0 => std::process::exit(work(server, &order, &mut answer, &messages)),
            _ if fork < 0 => return Err(io::Error::last_os_error()),
            _ => reply(fork, &mut answer, &mut messages)?,
        }
    }
    Ok(())
}

/// The whole life of a fork: its exit code.
fn work(server: u32, order: &Order, answer: &mut File, messages: &File) -> i32 {
    // SAFETY: plain system calls.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if u32::try_from(libc::getppid()) != Ok(server) {
            return 1;
        }
    }
    let done = [libc::STDOUT_FILENO, libc::STDERR_FILENO]
        .into_iter()
        .try_for_each(|fd| capture::redirect(messages.as_raw_fd(), fd));
    if let Some(seconds) = order.processor_seconds {
        bound_processor_time(seconds);
    }
    // clang and pet are recursive, too, and know no bound.
    let extracted = || serde_json::to_vec(&extract_uncaptured(&order.request));
    let written = done.and_then(|()| {
        let bytes = stacker::grow(STACK, extracted)?;
        answer.write_all(&bytes)
    });
    match written {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("hexcc: {}: {error}", crate::CHILD_ARGUMENT);
            1
        }
    }
}

/// Waits for the fork, and passes on what it has written.
fn reply(fork: i32, answer: &mut File, messages: &mut File) -> io::Result<()> {
    let mut status = 0;
    // SAFETY: waitpid writes one integer.
    if unsafe { libc::waitpid(fork, &raw mut status, 0) } != fork {
        return Err(io::Error::last_os_error());
    }
    let micros = used(libc::RUSAGE_SELF) + used(libc::RUSAGE_CHILDREN);
    let mut bytes = Vec::new();
    let mut lengths = [0; 2];
    for (file, length) in [answer, messages].into_iter().zip(&mut lengths) {
        file.rewind()?;
        *length = file.read_to_end(&mut bytes)?;
    }
    let [out, err] = lengths;
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{status} {micros} {out} {err}")?;
    stdout.write_all(&bytes)?;
    stdout.flush()
}

/// Processor time, in microseconds.
fn used(who: libc::c_int) -> u64 {
    // SAFETY: all zeros are a value of this structure of numbers, which getrusage writes.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(who, &raw mut usage);
        usage
    };
    let micros = |t: libc::timeval| t.tv_sec * 1_000_000 + t.tv_usec;
    u64::try_from(micros(usage.ru_utime) + micros(usage.ru_stime)).unwrap_or(0)
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
