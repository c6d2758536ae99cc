//! Where libpet and its clang's headers are.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::PetError;

/// The environment variable that names libpet, or a directory that holds it.
pub const LIBRARY_VARIABLE: &str = "HEXCC_PET_LIB";

/// The environment variable that names the directory of clang's own headers.
pub const INCLUDE_VARIABLE: &str = "HEXCC_CLANG_INCLUDE";

/// The files that an extraction needs from the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PetPaths {
    /// The shared library.
    pub library: PathBuf,
    /// The directory of `stddef.h`, `stdarg.h` and the like as clang has them.
    /// Without it only input that includes none of them can be read.
    pub clang_include: Option<PathBuf>,
}

/// Finds libpet and clang's headers.
///
/// The library is `HEXCC_PET_LIB`, else the one in `lib/` of `default_vendor_dir`
/// (which `scripts/setup` fills), else the system's. A variable that is set
/// but names nothing is an error rather than a reason to look elsewhere. The
/// library is not loaded here.
///
/// # Errors
///
/// [`PetError::LibraryMissing`], with every place looked at.
pub fn find_library(default_vendor_dir: Option<&Path>) -> Result<PetPaths, PetError> {
    let library = library(
        env::var_os(LIBRARY_VARIABLE).map(PathBuf::from),
        default_vendor_dir,
        &system_library_dirs(),
    )?;
    let clang_include = clang_include(
        env::var_os(INCLUDE_VARIABLE).map(PathBuf::from),
        &library,
        default_vendor_dir,
    )?;
    Ok(PetPaths {
        library,
        clang_include,
    })
}

fn library(
    variable: Option<PathBuf>,
    vendor: Option<&Path>,
    system: &[PathBuf],
) -> Result<PathBuf, PetError> {
    if let Some(named) = variable.filter(|path| !path.as_os_str().is_empty()) {
        let found = if named.is_dir() {
            libpet_in(&named)
        } else {
            Some(named.clone())
        };
        return found
            .filter(|path| path.is_file())
            .ok_or_else(|| PetError::LibraryMissing {
                searched: vec![format!("{LIBRARY_VARIABLE}={}", named.display())],
            });
    }
    let dirs: Vec<PathBuf> = vendor
        .map(|dir| dir.join("lib"))
        .into_iter()
        .chain(system.iter().cloned())
        .collect();
    dirs.iter()
        .find_map(|dir| libpet_in(dir))
        .ok_or_else(|| PetError::LibraryMissing {
            searched: std::iter::once(format!("{LIBRARY_VARIABLE} (not set)"))
                .chain(dirs.iter().map(|dir| dir.display().to_string()))
                .collect(),
        })
}

/// `libpet.so`, `libpet.so.N` or, in a repaired wheel, `libpet-HASH.so.N`.
fn libpet_in(dir: &Path) -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(dir)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| {
                    (name.starts_with("libpet.so") || name.starts_with("libpet-"))
                        && name.contains(".so")
                })
                && path.is_file()
        })
        .collect();
    found.sort();
    found.into_iter().next()
}

fn system_library_dirs() -> Vec<PathBuf> {
    let path = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    env::split_paths(&path)
        .filter(|dir| !dir.as_os_str().is_empty())
        .chain(
            [
                "/usr/local/lib",
                "/usr/lib/x86_64-linux-gnu",
                "/usr/lib64",
                "/usr/lib",
                "/lib64",
            ]
            .map(PathBuf::from),
        )
        .collect()
}

fn clang_include(
    variable: Option<PathBuf>,
    library: &Path,
    vendor: Option<&Path>,
) -> Result<Option<PathBuf>, PetError> {
    if let Some(named) = variable.filter(|path| !path.as_os_str().is_empty()) {
        return if is_clang_include(&named) {
            Ok(Some(named))
        } else {
            Err(PetError::LibraryMissing {
                searched: vec![format!(
                    "{INCLUDE_VARIABLE}={} (clang's stddef.h is not there)",
                    named.display()
                )],
            })
        };
    }
    let beside = library
        .parent()
        .and_then(Path::parent)
        .map(|dir| dir.join("include"));
    let nearby = beside
        .into_iter()
        .chain(vendor.map(|dir| dir.join("include")));
    Ok(nearby
        .chain(installed_clang_includes())
        .find(|dir| is_clang_include(dir)))
}

/// clang's headers are told from a libc's by a file that only clang has.
fn is_clang_include(dir: &Path) -> bool {
    dir.join("stddef.h").is_file() && dir.join("__stddef_max_align_t.h").is_file()
}

/// Newest first.
fn installed_clang_includes() -> Vec<PathBuf> {
    let children = |dir: PathBuf| -> Vec<PathBuf> {
        fs::read_dir(dir)
            .map(|entries| {
                entries
                    .filter_map(|entry| Some(entry.ok()?.path()))
                    .collect()
            })
            .unwrap_or_default()
    };
    let llvm = children("/usr/lib".into())
        .into_iter()
        .filter(|dir| {
            dir.file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|n| n.starts_with("llvm-"))
        })
        .map(|dir| dir.join("lib/clang"));
    let mut found: Vec<PathBuf> = llvm
        .chain(["/usr/lib/clang".into(), "/usr/lib64/clang".into()])
        .flat_map(children)
        .collect();
    found.sort_by_key(|dir| std::cmp::Reverse(version_of(dir)));
    found.into_iter().map(|dir| dir.join("include")).collect()
}

fn version_of(dir: &Path) -> Vec<u32> {
    let name = dir
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    name.split('.')
        .map(|part| part.parse().unwrap_or(0))
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_wins_and_never_falls_through() {
        let dir = env::temp_dir().join(format!("hexcc-pet-locate-{}", std::process::id()));
        let vendor = dir.join("vendor");
        fs::create_dir_all(vendor.join("lib")).unwrap();
        fs::write(vendor.join("lib/libpet-0.so.10"), "").unwrap();
        fs::write(vendor.join("lib/libpetra.so"), "").unwrap();
        fs::write(dir.join("mine.so"), "").unwrap();

        let in_vendor = vendor.join("lib/libpet-0.so.10");
        assert_eq!(library(None, Some(&vendor), &[]), Ok(in_vendor.clone()));
        assert_eq!(
            library(Some(vendor.join("lib")), None, &[]),
            Ok(in_vendor.clone())
        );
        assert_eq!(library(None, None, &[vendor.join("lib")]), Ok(in_vendor));
        let mine = dir.join("mine.so");
        assert_eq!(library(Some(mine.clone()), Some(&vendor), &[]), Ok(mine));
        for missing in [Some(dir.join("gone.so")), Some(dir.clone())] {
            let result = library(missing, Some(&vendor), &[]);
            assert!(
                matches!(result, Err(PetError::LibraryMissing { .. })),
                "{result:?}"
            );
        }
        let result = library(None, None, std::slice::from_ref(&dir));
        let Err(PetError::LibraryMissing { searched }) = result else {
            panic!("{result:?}")
        };
        assert_eq!(
            searched,
            [
                "HEXCC_PET_LIB (not set)".to_owned(),
                dir.display().to_string()
            ]
        );
        fs::remove_dir_all(dir).unwrap();
    }
}
