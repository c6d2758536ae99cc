//! Processes that read C, started from one that has libpet loaded.
//!
//! Loading libpet takes most of the time of a small extraction. The *server* loads it once and
//! forks for each request; the *relay* takes the place of the program that
//! [`hexcc_pet::extract`] starts, so that everything around the child stays as it is in hexcc:
//! pipes, time limit, crashes. The relay tells the server its number, the server's fork takes
//! over the relay's standard streams, and the relay ends as that process ended.

use hexcc_pet::Request;
use std::fs::File;
use std::io::{Error, Read, Result, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// The first argument of a server; the socket follows.
pub const SERVER_ARGUMENT: &str = "--pet-server";
/// The variable that names the socket to the relay.
pub const SOCKET_VARIABLE: &str = "HEXCC_PET_SERVER";

/// Seconds of processor time that one extraction may take.
const CPU_SECONDS: u64 = 60;

/// A server that ends with its owner.
pub struct Server(Child);

impl Server {
    /// Starts `exe` as a server and waits until it answers at `socket`.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(exe: &Path, socket: &Path) -> Result<Server> {
        let mut command = Command::new(exe);
        command.arg(SERVER_ARGUMENT).arg(socket);
        let mut server = Server(
            command
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()?,
        );
        let began = Instant::now();
        while !socket.exists() {
            let ended = server.0.try_wait()?.is_some();
            if ended || began.elapsed() > Duration::from_secs(60) {
                return Err(Error::other("the server does not start"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The whole life of a server: it ends when its standard input does.
///
/// # Errors
/// If there is no socket to be had.
pub fn serve(socket: &Path, warm_up: &Request) -> Result<()> {
    // Whatever this file gives, the library is loaded and its tables are built.
    let _ = hexcc_pet::extract_in_process(warm_up);
    let hidden = socket.with_extension("new");
    let listener = UnixListener::bind(&hidden)?;
    std::fs::rename(&hidden, socket)?;
    listener.set_nonblocking(true)?;
    loop {
        let mut ready = [listener.as_raw_fd(), 0].map(|fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        });
        // SAFETY: poll reads and writes the array given.
        unsafe { libc::poll(ready.as_mut_ptr(), 2, 1000) };
        // SAFETY: waitpid without a place for the status; collects what has ended.
        while unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } > 0 {}
        if ready[1].revents != 0 {
            return Ok(());
        }
        let Ok((stream, _)) = listener.accept() else {
            continue;
        };
        // SAFETY: this process has one thread, so the fork may do anything.
        if unsafe { libc::fork() } == 0 {
            drop(listener);
            let done = stream.set_nonblocking(false).and_then(|()| attend(stream));
            std::process::exit(i32::from(done.is_err()));
        }
    }
}

/// Answers one relay: forks once more, and tells it how the child ended.
fn attend(mut stream: UnixStream) -> Result<()> {
    let mut number = [0; 4];
    stream.read_exact(&mut number)?;
    let relay = u32::from_ne_bytes(number);
    // SAFETY: as above.
    let child = unsafe { libc::fork() };
    if child == 0 {
        drop(stream);
        let code = answer(relay);
        std::process::exit(i32::from(code.is_err()));
    }
    let mut status = 0;
    // SAFETY: waitpid writes one integer.
    if unsafe { libc::waitpid(child, &raw mut status, 0) } != child {
        return Err(Error::last_os_error());
    }
    stream.write_all(&status.to_ne_bytes())
}

/// Takes over the relay's streams and does what a pet child does.
fn answer(relay: u32) -> Result<()> {
    for fd in 0..3 {
        let path = format!("/proc/{relay}/fd/{fd}");
        let file = match fd {
            0 => File::open(path)?,
            _ => File::options().write(true).open(path)?,
        };
        // SAFETY: dup2 of two descriptors that are open.
        if unsafe { libc::dup2(file.as_raw_fd(), fd) } < 0 {
            return Err(Error::last_os_error());
        }
    }
    let limit = libc::rlimit {
        rlim_cur: CPU_SECONDS,
        rlim_max: CPU_SECONDS,
    };
    // SAFETY: setrlimit reads one structure.
    unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) };
    match hexcc_pet::run_child() == ExitCode::SUCCESS {
        true => Ok(()),
        false => Err(Error::other("no answer")),
    }
}

/// The whole life of a relay to the server at `socket`.
///
/// # Errors
/// If the server is gone.
pub fn relay(socket: &Path) -> Result<u8> {
    let mut stream = UnixStream::connect(socket)?;
    stream.write_all(&std::process::id().to_ne_bytes())?;
    let mut status = [0; 4];
    stream.read_exact(&mut status)?;
    let status = i32::from_ne_bytes(status);
    if libc::WIFSIGNALED(status) {
        let none = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: plain system calls; the signal's usual action ends this process.
        unsafe {
            libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
            libc::signal(libc::WTERMSIG(status), libc::SIG_DFL);
            libc::raise(libc::WTERMSIG(status));
        }
    }
    Ok(libc::WEXITSTATUS(status) as u8)
}
