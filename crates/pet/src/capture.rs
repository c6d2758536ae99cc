//! Reads what a C library writes to standard error.

use std::{
    fs::File,
    io::{self, Read, Seek},
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
};

/// Standard error redirected into memory; dropping it restores standard error.
///
/// File descriptor 2 belongs to the process, so at most one of these may exist
/// at a time and other threads' messages land in it as well.
pub struct StderrCapture {
    saved: OwnedFd,
    sink: File,
}

impl StderrCapture {
    /// Starts redirecting.
    pub fn start() -> io::Result<StderrCapture> {
        let sink = memory()?;
        let saved = duplicate(libc::STDERR_FILENO)?;
        redirect(sink.as_raw_fd(), libc::STDERR_FILENO)?;
        Ok(StderrCapture { saved, sink })
    }

    /// Stops redirecting and returns what was written.
    pub fn finish(mut self) -> io::Result<String> {
        redirect(self.saved.as_raw_fd(), libc::STDERR_FILENO)?;
        let mut bytes = Vec::new();
        self.sink.rewind()?;
        self.sink.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for StderrCapture {
    fn drop(&mut self) {
        // A failure here could only be reported on standard error.
        let _ = redirect(self.saved.as_raw_fd(), libc::STDERR_FILENO);
    }
}

/// An empty file in memory, closed on exec.
pub fn memory() -> io::Result<File> {
    // SAFETY: memfd_create only reads the name, a C string literal.
    let file = unsafe { libc::memfd_create(c"hexcc-pet".as_ptr(), libc::MFD_CLOEXEC) };
    check(file)?;
    // SAFETY: the descriptor was just created and nothing else owns it.
    Ok(unsafe { File::from_raw_fd(file) })
}

/// A new descriptor for what `fd` refers to, closed on exec.
pub fn duplicate(fd: i32) -> io::Result<OwnedFd> {
    // SAFETY: F_DUPFD_CLOEXEC touches no memory; the result is checked.
    let copy = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3) };
    check(copy)?;
    // SAFETY: the descriptor was just created and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// Makes `to` refer to what `from` refers to.
pub fn redirect(from: i32, to: i32) -> io::Result<()> {
    // SAFETY: dup2 touches no memory; the result is checked.
    check(unsafe { libc::dup2(from, to) })
}

fn check(result: i32) -> io::Result<()> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}
