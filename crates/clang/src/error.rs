//! Why there is no tree.

use std::path::PathBuf;

use crate::{LIBRARY_VARIABLE, MAX_DEPTH};

/// Why there is no tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClangError {
    /// There is no library.
    #[error("there is no {}; scripts/setup fetches libclang, {LIBRARY_VARIABLE} names another one", .0.display())]
    Missing(PathBuf),
    /// The library cannot be loaded.
    #[error("{} cannot be loaded: {reason}", path.display())]
    NotLoaded {
        /// The library.
        path: PathBuf,
        /// What the loader says.
        reason: String,
    },
    /// The library lacks a function.
    #[error("{} has no {function}: libclang 17 or newer is needed", path.display())]
    TooOld {
        /// The library.
        path: PathBuf,
        /// The function.
        function: &'static str,
    },
    /// A file name, folder or macro holds a NUL.
    #[error("`{0}` holds a NUL character")]
    Name(String),
    /// The file cannot be read.
    #[error("{} cannot be read", .0.display())]
    NotReadable(PathBuf),
    /// libclang crashed or refused.
    #[error("libclang gave up with code {0}")]
    GaveUp(i32),
    /// Expressions or statements nest too deep.
    #[error("expressions or statements nest deeper than {MAX_DEPTH} levels")]
    TooDeep,
}
