//! Files that a translation reads. One of them may be the standard input, and `-MD` names them all.

use crate::bytes;
use std::io::{Error, Read, Result};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// What messages call the standard input.
const STANDARD_INPUT: &str = "<stdin>";

/// The text of the standard input, which can be read once; an error in words.
static INPUT: OnceLock<std::result::Result<Vec<u8>, String>> = OnceLock::new();

/// What has been read so far, in order.
static SEEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file of the command line; `-` is the standard input.
pub fn named(argument: &Path) -> PathBuf {
    if argument != Path::new("-") {
        return argument.to_path_buf();
    }
    INPUT.get_or_init(|| {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|e| e.to_string())
    });
    PathBuf::from(STANDARD_INPUT)
}

/// The text of a C file, whatever its encoding.
pub fn text(path: &Path) -> Result<String> {
    let bytes = match INPUT.get() {
        Some(input) if path == Path::new(STANDARD_INPUT) => input.clone().map_err(Error::other)?,
        _ => {
            let bytes = std::fs::read(path)?;
            see(path);
            bytes
        }
    };
    Ok(bytes::decode(bytes))
}

/// Notes that a file was read.
pub fn see(path: &Path) {
    if let Ok(mut seen) = SEEN.lock()
        && !seen.iter().any(|known| known == path)
    {
        seen.push(path.to_path_buf());
    }
}

/// The files that were read, but for the standard input.
pub fn seen() -> Vec<PathBuf> {
    SEEN.lock().map(|seen| seen.clone()).unwrap_or_default()
}
