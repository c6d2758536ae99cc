//! Why nothing was measured.

use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::scop::{SavedScop, SourceFile};
use hexcc_gpu::GpuError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why something could not be measured or kept.
#[derive(Debug, Error)]
pub enum Error {
    /// The compiler refuses the stencil, or the options.
    #[error("{}", .diagnostic.message)]
    Refused {
        /// What it says.
        diagnostic: Box<Diagnostic>,
        /// The file that its places are in.
        file: Box<SourceFile>,
    },
    /// There are no tiles whose sizes could be chosen.
    #[error("{0}")]
    NoTiles(NoTiles),
    /// The sizes of the problem do not work; this says why.
    #[error("no problem to measure: {0}")]
    Sizes(String),
    /// The GPU or its compiler could not do what was asked.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A file of the cache cannot be written or removed.
    #[error("cannot write `{}`: {error}", .path.display())]
    Cache {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// A value, or why there is none.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a translation has no tiles to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoTiles {
    /// What is tiled are nests in a loop that stays on the CPU, which decides how many steps there are.
    #[error("tiles in a loop that stays on the CPU are not measured")]
    OnHost,
    /// The program runs in single steps.
    #[error("there are no tiles to measure")]
    SingleSteps,
    /// The tiles are those of a CPU.
    #[error("there are no tiles of a GPU to measure")]
    OfCpu,
}

/// Fails for a translation without tiles of a GPU.
///
/// # Errors
/// Why there are none.
pub fn check_tiles(compiled: &Compiled) -> std::result::Result<(), NoTiles> {
    if !compiled.tiled_nests.is_empty() {
        Err(NoTiles::OnHost)
    } else if compiled.stepwise.iter().any(|part| part.tiles.is_some()) {
        Err(NoTiles::OfCpu)
    } else if !compiled.stepwise.is_empty() || compiled.units.is_empty() {
        Err(NoTiles::SingleSteps)
    } else {
        Ok(())
    }
}

/// The error for what the compiler refuses.
pub(crate) fn refused(saved: &SavedScop) -> impl Fn(Box<Diagnostic>) -> Error {
    |diagnostic| Error::Refused {
        diagnostic,
        file: Box::new(saved.source.clone()),
    }
}

/// The error of a file of the cache.
pub(crate) fn of_file(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    |error| Error::Cache { path, error }
}
