//! Where libclang and the headers of a compiler are.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::{Clang, ClangError, native::Library};

/// The environment variable that names a libclang of 17 or newer, or a folder that holds it.
pub const LIBRARY_VARIABLE: &str = "HEXCC_LIBCLANG";

/// The environment variable that names the folder of clang's own headers.
pub const INCLUDE_VARIABLE: &str = "HEXCC_CLANG_INCLUDE";

impl Clang {
    /// Finds libclang and loads it.
    ///
    /// It is the one that `HEXCC_LIBCLANG` names, else that in `clang/lib` of `vendor`, which
    /// `scripts/setup` fills. Headers are those that `HEXCC_CLANG_INCLUDE` names, else those in
    /// `pet/include` of `vendor`, else those of an installed clang or gcc.
    ///
    /// # Errors
    ///
    /// If there is none, if it cannot be loaded, or if it is older than 17.
    pub fn find(vendor: &Path) -> Result<Clang, ClangError> {
        let named = |variable: &str| {
            env::var_os(variable)
                .filter(|v| !v.is_empty())
                .map(PathBuf::from)
        };
        let path = match named(LIBRARY_VARIABLE) {
            Some(path) if path.is_dir() => path.join("libclang.so"),
            Some(path) => path,
            None => vendor.join("clang/lib/libclang.so"),
        };
        if !path.is_file() {
            return Err(ClangError::Missing(path));
        }
        Ok(Clang {
            library: Library::load(&path)?,
            headers: named(INCLUDE_VARIABLE).or_else(|| headers(vendor)),
        })
    }
}

/// The first folder that has a compiler's `stddef.h`.
fn headers(vendor: &Path) -> Option<PathBuf> {
    let installed = [
        "/usr/lib/clang",
        "/usr/lib64/clang",
        "/usr/lib/gcc/x86_64-linux-gnu",
    ];
    let versions = installed
        .iter()
        .flat_map(|folder| children(Path::new(folder)));
    let own = [vendor.join("pet/include")].into_iter();
    own.chain(versions.map(|version| version.join("include")))
        .find(|folder| folder.join("stddef.h").is_file())
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    found.sort();
    found.reverse();
    found
}
