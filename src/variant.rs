//! What tuning varies, as the command line spells it.

use hexcc_compiler::pipeline::{Options, WavefrontChoice};
use hexcc_compiler::sched::TileSizes;
use hexcc_compiler::tile_size::Choice;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Tile sizes, and what else the model chooses with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// As for `--tile`.
    pub tile: String,
    /// As for `--threads`.
    pub threads: i64,
    /// Dimension of the wavefront, as for `--wavefront`.
    pub wavefront: Option<usize>,
}

impl Variant {
    /// A candidate of the model.
    pub fn of(choice: &Choice) -> Variant {
        Variant {
            tile: choice.sizes.to_string(),
            threads: choice.threads(),
            wavefront: choice.schedule.wavefront.map(|w| w.dim),
        }
    }

    /// The tile sizes; none where they cannot be read.
    pub fn sizes(&self) -> Option<TileSizes> {
        self.tile.parse().ok()
    }

    /// Options with this variant in place of the model's choice.
    pub fn options(&self, options: &Options) -> Options {
        Options {
            tile: self.sizes(),
            threads: Some(self.threads),
            wavefront: match self.wavefront {
                Some(dim) => WavefrontChoice::Dim(dim),
                None => WavefrontChoice::None,
            },
            ..options.clone()
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} --threads {}", self.tile, self.threads)?;
        match self.wavefront {
            Some(dim) => write!(f, " --wavefront {dim}"),
            // The model only considers it in three dimensions and more.
            None if self.tile.matches(':').count() >= 2 => f.write_str(" --wavefront none"),
            None => Ok(()),
        }
    }
}
