//! Writing results: whole files or nothing, but for logs, which keep what was
//! written before an end without warning.

use crate::bytes;
use crate::render::{self, Failure};
use hexcc_compiler::diag::Diagnostic;
use std::fmt::Display;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The failure to write a file.
pub fn cannot_write(path: &Path, error: &dyn Display) -> Failure {
    Failure::plain(Diagnostic::error(
        "HX0503",
        format!("cannot write `{}`: {error}", path.display()),
    ))
}

/// Names of files that differ in what follows a dot.
pub struct Prefix(pub PathBuf);

impl Prefix {
    /// The file's name.
    pub fn with_added(&self, extension: &str) -> PathBuf {
        let mut name = self.0.clone().into_os_string();
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    }
}

/// A file of JSON lines.
pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// An empty one.
    pub fn create(prefix: &Prefix) -> Result<Log, Failure> {
        let path = prefix.with_added("jsonl");
        match File::create(&path) {
            Ok(file) => Ok(Log { path, file }),
            Err(e) => Err(cannot_write(&path, &e)),
        }
    }

    /// Appends a line and hands it to the system at once.
    pub fn line(&mut self, line: &str) -> Result<(), Failure> {
        let done = self.file.write_all(line.as_bytes());
        done.map_err(|e| cannot_write(&self.path, &e))
    }
}

/// Writes a text to a file, atomically, or to the standard output for `-`.
///
/// # Errors
/// It cannot be written, or warnings are errors and there was one.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    render::check()?;
    let failed = |error: std::io::Error| cannot_write(path, &error);
    let bytes = bytes::encode(text);
    if path == Path::new("-") {
        let mut out = std::io::stdout().lock();
        return match out.write_all(&bytes).and_then(|()| out.flush()) {
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(failed(e)),
            _ => Ok(()),
        };
    }
    hexcc_tuner::files::replace(path, &bytes).map_err(failed)
}
