//! libclang, loaded at run time: a C file becomes an [`ast::Unit`], plain data in which all names are resolved.
//!
//! No cursor of libclang leaves this crate. What the tree cannot tell is `Other` with a name, and
//! is listed in [`ast::Unit::unknown`]. libclang survives most crashes of its own but cannot be stopped, so
//! programs that read what they do not trust should call [`parse`] in a process of its own, with
//! [`STACK_VARIABLE`] set.
#![allow(non_upper_case_globals)] // Constants of libclang in patterns.

pub mod ast;
mod error;
mod import;
mod locate;
mod native;

use std::ffi::CString;
use std::path::PathBuf;

pub use error::ClangError;
pub use locate::{INCLUDE_VARIABLE, LIBRARY_VARIABLE};

/// The environment variable that keeps libclang from parsing on a thread with 8 MB of stack.
///
/// Where it is set, to anything, [`parse`] gives libclang a stack that is enough. A process for files that
/// are not trusted should be started with it: a sum of 20,000 terms ends one without it.
pub const STACK_VARIABLE: &str = "LIBCLANG_NOTHREADS";

/// Levels of expressions and statements that a file may have.
pub const MAX_DEPTH: usize = 3000;

/// libclang, and the headers that belong to a compiler.
pub struct Clang {
    library: native::Library,
    headers: Option<PathBuf>,
}

/// What to parse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParseRequest {
    /// The C file.
    pub file: PathBuf,
    /// What stands in it; without this it is read.
    pub text: Option<String>,
    /// Folders for `#include`, searched before the system's.
    pub include_dirs: Vec<PathBuf>,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
}

/// Parses a C file.
///
/// A file with errors gives what clang has made of it; [`ast::Unit::has_errors`] tells.
///
/// # Errors
///
/// If the file cannot be read, if libclang gives up, or if it nests deeper than [`MAX_DEPTH`].
pub fn parse(clang: &Clang, request: &ParseRequest) -> Result<ast::Unit, ClangError> {
    let c_string = |text: &str| CString::new(text).map_err(|_| ClangError::Name(text.to_owned()));
    let file = c_string(&request.file.to_string_lossy())?;
    let mut arguments: Vec<String> = ARGUMENTS.map(str::to_owned).to_vec();
    let dirs = request.include_dirs.iter();
    arguments.extend(dirs.map(|dir| format!("-I{}", dir.display())));
    arguments.extend(request.defines.iter().map(|define| format!("-D{define}")));
    if let Some(headers) = &clang.headers {
        arguments.extend(["-isystem".to_owned(), headers.display().to_string()]);
    }
    let arguments = arguments
        .iter()
        .map(|a| c_string(a))
        .collect::<Result<Vec<_>, _>>()?;
    deeply(|| {
        let parsed =
            native::Parsed::parse(&clang.library, &file, request.text.as_deref(), &arguments);
        let is_missing = request.text.is_none() && !request.file.is_file();
        let parsed = parsed.map_err(|code| match is_missing {
            true => ClangError::NotReadable(request.file.clone()),
            false => ClangError::GaveUp(code),
        })?;
        import::unit(&parsed)
    })
}

/// C as gcc has it by default; what gcc only warns about is no error.
const ARGUMENTS: [&str; 8] = [
    "-xc",
    "-std=gnu17",
    "-nobuiltininc",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-type",
];

/// Stack that is enough for everything that libclang does with what its parser accepts, and for all
/// that is done with trees of [`MAX_DEPTH`] levels; it takes memory only where it is used.
const STACK: usize = 512 << 20;

/// Runs `f` with a stack for trees of [`MAX_DEPTH`] levels.
pub fn deeply<T>(f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK / 2, STACK, f)
}
