//! The far side of [`extract`](crate::extract): a process that has libpet loaded.
//!
//! It has a fork of itself answer [`Order`]s, one a line of JSON on standard input, each with a line
//! `STATUS MICROSECONDS LENGTH LENGTH`, one JSON `Result` of the first length, and clang's messages of
//! the second: how the order ended, as `waitpid` says, and the processor time of all until now. Where a
//! fork does not survive an order, this process says so, and the next fork goes on with the next one.

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

/// The exit code of a fork that has answered all orders: one that nothing else ends with.
const ALL_ANSWERED: i32 = 77;

fn serve() -> io::Result<()> {
    // A crash is an expected outcome here and deserves no core file.
    let no_core = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: setrlimit reads one structure.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const no_core) };
    let mut orders = Orders::default();
    // Without an order there is nothing to load.
    let Some(first) = orders.next()? else {
        return Ok(());
    };
    // Where this fails, the forks will say so.
    let _ = ffi::load(&first.request.pet.library);
    let mut first = Some(first);
    let mut messages = capture::memory()?;
    let server = std::process::id();
    let mut limit = no_core;
    // SAFETY: getrlimit writes one structure.
    if unsafe { libc::getrlimit(libc::RLIMIT_CPU, &raw mut limit) } != 0 {
        return Err(io::Error::last_os_error());
    }
    loop {
        let until_now = used(libc::RUSAGE_SELF) + used(libc::RUSAGE_CHILDREN);
        // SAFETY: this process has one thread, so its fork may do anything.
        let fork = unsafe { libc::fork() };
        if fork < 0 {
            return Err(io::Error::last_os_error());
        }
        let first = first.take();
        if fork == 0 {
            let worker = Worker {
                server,
                until_now,
                limit,
                messages,
            };
            std::process::exit(worker.work(first, orders));
        }
        let mut status = 0;
        // SAFETY: waitpid writes one integer.
        if unsafe { libc::waitpid(fork, &raw mut status, 0) } != fork {
            return Err(io::Error::last_os_error());
        }
        if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == ALL_ANSWERED {
            return Ok(());
        }
        let said = all_of(&mut messages)?;
        let micros = used(libc::RUSAGE_SELF) + used(libc::RUSAGE_CHILDREN);
        reply(&mut io::stdout().lock(), status, micros, &[], &said)?;
    }
}

/// The orders that come in. Nothing of the next one is read before one is answered, since nobody sends it.
#[derive(Default)]
struct Orders {
    line: Vec<u8>,
}

impl Orders {
    fn next(&mut self) -> io::Result<Option<Order>> {
        self.line.clear();
        match io::stdin().lock().read_until(b'\n', &mut self.line)? {
            0 => Ok(None),
            _ => Ok(Some(serde_json::from_slice(&self.line)?)),
        }
    }
}

/// A fork that answers orders.
struct Worker {
    server: u32,
    /// Processor time that was used before it.
    until_now: u64,
    /// Seconds of it that a fork may take, as this process was started.
    limit: libc::rlimit,
    /// What clang prints about an order.
    messages: File,
}

impl Worker {
    /// The whole life of a fork: its exit code.
    fn work(mut self, first: Option<Order>, mut orders: Orders) -> i32 {
        // SAFETY: plain system calls.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if u32::try_from(libc::getppid()) != Ok(self.server) {
                return 1;
            }
        }
        match self.answer_all(first, &mut orders) {
            Ok(()) => ALL_ANSWERED,
            Err(error) => {
                eprintln!("hexcc: {}: {error}", crate::CHILD_ARGUMENT);
                1
            }
        }
    }

    fn answer_all(&mut self, mut order: Option<Order>, orders: &mut Orders) -> io::Result<()> {
        let mut replies = File::from(capture::duplicate(libc::STDOUT_FILENO)?);
        for fd in [libc::STDOUT_FILENO, libc::STDERR_FILENO] {
            capture::redirect(self.messages.as_raw_fd(), fd)?;
        }
        loop {
            let next = match order.take() {
                Some(order) => Some(order),
                None => orders.next()?,
            };
            let Some(order) = next else { return Ok(()) };
            self.messages.set_len(0)?;
            self.messages.rewind()?;
            self.bound_processor_time(order.processor_seconds);
            // clang and pet are recursive, too, and know no bound.
            let extracted = || serde_json::to_vec(&extract_uncaptured(&order.request));
            let answer = stacker::grow(STACK, extracted)?;
            let said = all_of(&mut self.messages)?;
            let micros = self.until_now + used(libc::RUSAGE_SELF);
            reply(&mut replies, 0, micros, &answer, &said)?;
        }
    }

    /// Lets the system end this process with SIGXCPU after so many more seconds of processor time. A
    /// tighter limit that it was started with stays.
    fn bound_processor_time(&self, seconds: Option<u64>) {
        let used = used(libc::RUSAGE_SELF).div_ceil(1_000_000);
        let most = seconds.map_or(libc::RLIM_INFINITY, |seconds| used.saturating_add(seconds));
        let limit = libc::rlimit {
            rlim_cur: most.min(self.limit.rlim_cur),
            ..self.limit
        };
        // SAFETY: setrlimit reads one structure.
        unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) };
    }
}

/// What was written to a file.
fn all_of(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn reply(
    to: &mut impl Write,
    status: i32,
    micros: u64,
    answer: &[u8],
    said: &[u8],
) -> io::Result<()> {
    writeln!(to, "{status} {micros} {} {}", answer.len(), said.len())?;
    to.write_all(answer)?;
    to.write_all(said)?;
    to.flush()
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
