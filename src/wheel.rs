//! What the command needs, where pip has installed it.
//!
//! The package `hexcc` has the command and the emulation of CUDA. Its extra `c` installs libclang, and tadashi, in which libpet comes.

use hexcc_front_c::child;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Variables, and the files that they are to name, in the folder of all packages.
const PLACES: [(&str, &str); 3] = [
    (hexcc_pet::LIBRARY_VARIABLE, "tadashi.libs"),
    (hexcc_pet::INCLUDE_VARIABLE, "tadashi/include"),
    (child::LIBCLANG_VARIABLE, "clang/native/libclang.so"),
];

/// Has variables that are not set name the libraries in packages beside this command, if there are any. Nothing else
/// may run yet.
pub fn provide() {
    let Ok(exe) = env::current_exe() else {
        return;
    };
    let packages = packages(&exe);
    for (variable, inside) in PLACES {
        let is_set = env::var_os(variable).is_some_and(|value| !value.is_empty());
        let mut places = packages.iter().map(|folder| folder.join(inside));
        let found = places.find(|place| !is_set && place.exists());
        if let Some(place) = found {
            // SAFETY: this process has one thread yet.
            unsafe { env::set_var(variable, place) };
        }
    }
}

/// The folder that has `scripts` and the like: `share/hexcc` beside an installed command, else the clone that it was
/// built in.
pub fn root() -> PathBuf {
    let installed = env::current_exe().ok().and_then(|exe| {
        let share = exe.parent()?.parent()?.join("share/hexcc");
        share.join("scripts").is_dir().then_some(share)
    });
    installed.unwrap_or_else(|| PathBuf::from(env!("HEXCC_ROOT")))
}

/// Folders of Python's packages that belong to a command in a `bin`, the newest Python's first.
fn packages(exe: &Path) -> Vec<PathBuf> {
    let Some(prefix) = exe.parent().and_then(Path::parent) else {
        return Vec::new();
    };
    let libraries = fs::read_dir(prefix.join("lib")).into_iter().flatten();
    let versions = libraries.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().ok()?;
        let minor: u32 = name.strip_prefix("python3.")?.parse().ok()?;
        Some((minor, entry.path()))
    });
    let mut versions: Vec<(u32, PathBuf)> = versions.collect();
    versions.sort();
    let both = ["site-packages", "dist-packages"];
    let folders = versions
        .iter()
        .rev()
        .flat_map(|(_, python)| both.map(|name| python.join(name)));
    folders.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_the_newest_python_come_first() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["python3.9", "python3.12", "python2.7", "x86_64-linux-gnu"] {
            fs::create_dir_all(folder.path().join("lib").join(name)).expect("a folder");
        }
        let found = packages(&folder.path().join("bin/hexcc"));
        let lib = folder.path().join("lib");
        assert_eq!(found[0], lib.join("python3.12/site-packages"));
        assert_eq!(found[3], lib.join("python3.9/dist-packages"));
        assert_eq!(found.len(), 4);
        assert_eq!(
            packages(Path::new("/nowhere/bin/hexcc")),
            Vec::<PathBuf>::new()
        );
    }
}
