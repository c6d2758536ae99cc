//! Tuned tile sizes, kept per GPU, scop and options.
//!
//! One small file per entry, replaced in one rename: two runs at the same time
//! cannot damage it. A file that cannot be read counts as absent.

use crate::error::{Result, of_file};
use crate::files;
use crate::hash::fnv;
use crate::variant::Variant;
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::diag;
use hexcc_compiler::kernel::warps::Shared;
use hexcc_compiler::known::Known;
use hexcc_compiler::options::{Options, Tiling};
use hexcc_compiler::pipeline;
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::target::{Target, Targets};
use hexcc_isl::Ctx;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What a tuning found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuned {
    /// Format version; see [`FORMAT`].
    pub format: u32,
    /// The GPU's name.
    pub gpu: String,
    /// The best sizes.
    #[serde(flatten)]
    pub variant: Variant,
    /// Billions of cells per second measured with them.
    pub gcells: f64,
    /// The problem they were measured on, such as `N=16384,T=1000`.
    pub problem: String,
    /// Version of hexcc that measured.
    pub version: String,
}

/// The format this build reads and writes.
pub const FORMAT: u32 = 2;

/// The folder of the cache: `HEXCC_CACHE_DIR`, or `hexcc` in the user's cache
/// directory; `None` where the environment names none.
pub fn folder() -> Option<PathBuf> {
    let variable = |name: &str| {
        let value = std::env::var_os(name).filter(|v| !v.is_empty());
        value.map(PathBuf::from)
    };
    variable("HEXCC_CACHE_DIR").or_else(|| {
        let caches = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
        Some(caches?.join("hexcc"))
    })
}

/// Sizes tuned for a scop, where there is no doubt which: one GPU's, or those of
/// the GPU that `present` names. It is asked only if there are several.
pub fn find(
    folder: &Path,
    saved: &SavedScop,
    options: &Options,
    present: impl FnOnce() -> Option<String>,
) -> Option<Tuned> {
    let prefix = key(saved, options);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder.join("tuned")).ok()?.flatten() {
        let name = entry.file_name();
        let is_mine = name
            .to_str()
            .is_some_and(|n| n.starts_with(&prefix) && n.ends_with(".json"));
        if !is_mine {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        if let Ok(tuned) = serde_json::from_str::<Tuned>(&text)
            && tuned.format == FORMAT
            && tuned.variant.is_valid()
        {
            found.push(tuned);
        }
    }
    if found.len() > 1 {
        let gpu = present()?;
        found.retain(|tuned| tuned.gpu == gpu);
    }
    if found.len() == 1 { found.pop() } else { None }
}

/// Which entries of the cache a translation may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The cache; see [`folder`].
    pub folder: PathBuf,
    /// Only sizes that were tuned on the GPU that the options name.
    pub same_gpu: bool,
}

impl Lookup {
    /// What tuning found for a region, unless the options say otherwise.
    fn find(&self, saved: &SavedScop, options: &Options) -> Option<Tuned> {
        if options.tile.is_some() || options.stream_tile.is_some() {
            return None;
        }
        let tuned = find(&self.folder, saved, options, gpu_name)?;
        let asked = Shared::of(options.kernel);
        if asked.is_some() && tuned.variant.shared() != asked {
            return None;
        }
        if options.keep_tiles && tuned.variant == Variant::STEPS {
            return None;
        }
        let sizes: Vec<&str> = tuned.problem.split(',').collect();
        let same_sizes = (options.sizes.iter())
            .all(|(name, value)| sizes.contains(&format!("{name}={value}").as_str()));
        let same_gpu = !self.same_gpu
            || (Targets::built_in().for_device(&tuned.gpu))
                .is_some_and(|t| t.name == options.target.name);
        (same_sizes && same_gpu).then_some(tuned)
    }
}

/// The name of the GPU that is present. The driver, which takes a while to start,
/// is asked once.
pub fn gpu_name() -> Option<String> {
    static NAME: OnceLock<Option<String>> = OnceLock::new();
    NAME.get_or_init(hexcc_gpu::device_name).clone()
}

/// Compiles a region. Where the options give no sizes, those are taken that tuning found for it, if they
/// still work; [`Compiled::tuned`] says so. Nests may be known from before.
///
/// # Errors
/// Those of [`pipeline::compile`].
pub fn compile(
    ctx: &Ctx,
    saved: &SavedScop,
    options: &Options,
    lookup: Option<&Lookup>,
    known: &Known,
) -> diag::Result<Compiled> {
    let compile = |options: &Options| {
        ctx.reset_operations();
        pipeline::compile_with(ctx, saved, options, known)
    };
    let tuned = lookup.and_then(|lookup| lookup.find(saved, options));
    if let Some(tuned) = tuned
        && let Ok(mut compiled) = compile(&tuned.variant.options(options))
    {
        compiled.tuned = Some(tuned.to_string());
        return Ok(compiled);
    }
    compile(options)
}

impl std::fmt::Display for Tuned {
    /// What was tuned, on which GPU and with which sizes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.variant {
            Variant::Steps { .. } => "",
            Variant::Hybrid { .. } | Variant::Overlapped { .. } => "tile sizes ",
        };
        let (variant, gpu, problem) = (&self.variant, &self.gpu, &self.problem);
        write!(f, "{what}{variant} were tuned on {gpu} with {problem}")
    }
}

/// Keeps an entry.
///
/// # Errors
/// [`Error::Cache`](crate::Error::Cache).
pub fn store(
    folder: &Path,
    saved: &SavedScop,
    options: &Options,
    tuned: &Tuned,
) -> Result<PathBuf> {
    let folder = folder.join("tuned");
    std::fs::create_dir_all(&folder).map_err(of_file(&folder))?;
    let path = folder.join(entry_name(saved, options, &tuned.gpu));
    let text = serde_json::to_string_pretty(tuned).map_err(|e| of_file(&path)(e.into()))?;
    files::replace(&path, (text + "\n").as_bytes()).map_err(of_file(&path))?;
    Ok(path)
}

/// Removes the entry for a GPU if it was measured on the same problem, and says which
/// file it was; `None` where there is none.
///
/// # Errors
/// [`Error::Cache`](crate::Error::Cache).
pub fn remove(
    folder: &Path,
    saved: &SavedScop,
    options: &Options,
    (gpu, problem): (&str, &str),
) -> Result<Option<PathBuf>> {
    let path = (folder.join("tuned")).join(entry_name(saved, options, gpu));
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let entry = serde_json::from_str::<Tuned>(&text).ok();
    if entry.is_none_or(|entry| entry.problem != problem) {
        return Ok(None);
    }
    std::fs::remove_file(&path).map_err(of_file(&path))?;
    Ok(Some(path))
}

/// The file of an entry.
fn entry_name(saved: &SavedScop, options: &Options, gpu: &str) -> String {
    let gpu: String = (gpu.chars())
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("{}{gpu}.json", key(saved, options))
}

/// What the name of an entry starts with: hashes of all that the best sizes
/// depend on, without the tile sizes themselves.
fn key(saved: &SavedScop, options: &Options) -> String {
    let scop = &saved.scop;
    let text = &saved.source.text;
    let region = text.get(scop.span.start..scop.span.end).unwrap_or(text);
    let arrays: String = (scop.arrays.iter())
        .map(|a| format!("{} {} {};", a.name, a.element_type, a.extent))
        .collect();
    let shape = Options {
        tile: None,
        stream_tile: None,
        tiling: searched_tiling(options),
        name: None,
        keep_tiles: false,
        isl_quota: 0,
        target: Target::default(),
        sizes: Vec::new(),
        // What is spelt out is what it would be otherwise.
        copy_out: None,
        aligned_loads: None,
        reuse: None,
        unroll: None,
        ..options.clone()
    };
    let switches = options.switches().ok();
    format!(
        "{:016x}-{:016x}-",
        fnv(&format!("{region}\n{}\n{arrays}", scop.context)),
        fnv(&format!("{shape:?} {switches:?}"))
    )
}

/// The tiling that is searched for the best sizes: options that only one tiling has decide,
/// but the sizes themselves.
pub fn searched_tiling(options: &Options) -> Tiling {
    let free = Options {
        tile: None,
        stream_tile: None,
        ..options.clone()
    };
    free.wanted_tiling()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexcc_compiler::kernel::{CopyOut, Reuse};
    use hexcc_compiler::sched::TileSizes;

    fn saved() -> SavedScop {
        let text = include_str!("../../compiler/tests/data/jacobi2d.scop.json");
        serde_json::from_str(text).expect("a saved scop")
    }

    fn tuned(gpu: &str, tile: &str) -> Tuned {
        Tuned {
            format: FORMAT,
            gpu: gpu.to_string(),
            variant: Variant::Hybrid {
                tile: tile.to_string(),
                threads: 128,
                wavefront: None,
            },
            gcells: 1.0,
            problem: "N=64,T=8".to_string(),
            version: "0".to_string(),
        }
    }

    #[test]
    fn round_trip() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let (saved, options) = (saved(), Options::default());
        let nobody = || panic!("asked for the GPU without need");
        assert!(find(folder.path(), &saved, &options, nobody).is_none());

        let first = tuned("GPU 1", "h=3,w=6:64");
        assert!(store(folder.path(), &saved, &options, &first).is_ok());
        assert_eq!(find(folder.path(), &saved, &options, nobody), Some(first));
        let removed = |problem: &str| {
            let path = remove(folder.path(), &saved, &options, ("GPU 1", problem));
            path.is_ok_and(|path| path.is_some())
        };
        assert!(!removed("N=65,T=8") && removed("N=64,T=8") && !removed("N=64,T=8"));
        assert!(find(folder.path(), &saved, &options, nobody).is_none());
        let first = tuned("GPU 1", "h=3,w=6:64");
        assert!(store(folder.path(), &saved, &options, &first).is_ok());

        // With two GPUs the one that is present decides.
        let second = tuned("GPU/2", "h=7,w=6:32");
        assert!(store(folder.path(), &saved, &options, &second).is_ok());
        let present = |name: &str| {
            let name = name.to_string();
            find(folder.path(), &saved, &options, || Some(name))
        };
        assert_eq!(present("GPU/2"), Some(second));
        assert_eq!(present("GPU 3"), None);
        assert!(find(folder.path(), &saved, &options, || None).is_none());
    }

    #[test]
    fn other_programs_and_options_have_other_entries() {
        let (mut saved, mut options) = (saved(), Options::default());
        let original = key(&saved, &options);
        options.tile = Some(TileSizes {
            h: 1,
            w: vec![3, 8],
        });
        assert_eq!(key(&saved, &options), original);
        options.threads = Some(128);
        assert_ne!(key(&saved, &options), original);
        let other = [
            Options {
                copy_out: Some(CopyOut::Interleaved),
                ..Options::default()
            },
            Options {
                aligned_loads: Some(false),
                ..Options::default()
            },
            Options {
                reuse: Some(Reuse::None),
                ..Options::default()
            },
            Options {
                full_tiles: false,
                ..Options::default()
            },
            Options {
                unroll: Some(false),
                ..Options::default()
            },
        ];
        for options in other {
            assert_ne!(key(&saved, &options), original);
        }
        // What is spelt out is what the hybrid tiling has by default.
        let same = Options {
            reuse: Some(Reuse::Dynamic),
            ..Options::default()
        };
        let hybrid = Options {
            tiling: Tiling::Hybrid,
            ..Options::default()
        };
        assert_eq!(key(&saved, &same), key(&saved, &hybrid));
        assert_ne!(key(&saved, &same), original);
        let options = Options::default();
        saved.source.text = saved.source.text.replace("0.2f *", "0.3f *");
        assert_ne!(key(&saved, &options), original);
    }

    #[test]
    fn damaged_entries_are_ignored() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let (saved, options) = (saved(), Options::default());
        let entry = tuned("GPU", "h=three");
        assert!(store(folder.path(), &saved, &options, &entry).is_ok());
        let path = folder
            .path()
            .join(format!("tuned/{}X.json", key(&saved, &options)));
        std::fs::write(path, "{").expect("the directory can be written");
        assert!(find(folder.path(), &saved, &options, || None).is_none());
    }
}
