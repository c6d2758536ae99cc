//! What tuning varies, as the command line spells it.

use hexcc_compiler::compiled::Unit;
use hexcc_compiler::kernel::stream::StreamTile;
use hexcc_compiler::kernel::warps::Shared;
use hexcc_compiler::options::{Options, StepKernel, Tiling, WavefrontChoice};
use hexcc_compiler::sched::TileSizes;
use hexcc_compiler::tile_size::Choice;
use hexcc_compiler::tiling::Kernel;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Tile sizes, and what else the model chooses with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Variant {
    /// Of the hybrid tiling.
    Hybrid {
        /// As for `--tile`.
        tile: String,
        /// As for `--threads`.
        threads: i64,
        /// Dimension of the wavefront, as for `--wavefront`.
        wavefront: Option<usize>,
    },
    /// Of overlapped tiling.
    Overlapped {
        /// As for `--stream-tile`.
        stream_tile: String,
        /// What warps share, as `--kernel` says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shared: Option<Shared>,
    },
    /// No tiles.
    Steps {
        /// As for `--tiling`.
        tiling: Untiled,
    },
}

/// Ways to run without tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Untiled {
    /// Single steps.
    Stepwise,
}

impl Variant {
    /// Single steps.
    pub const STEPS: Variant = Variant::Steps {
        tiling: Untiled::Stepwise,
    };

    /// A candidate of the model for the hybrid tiling.
    pub fn of(choice: &Choice) -> Variant {
        Variant::Hybrid {
            tile: choice.sizes.to_string(),
            threads: choice.threads(),
            wavefront: choice.schedule.wavefront.map(|w| w.dim),
        }
    }

    /// What the warps of a block share.
    pub fn shared(&self) -> Option<Shared> {
        match self {
            Variant::Overlapped { shared, .. } => *shared,
            _ => None,
        }
    }

    /// Sizes of overlapped tiles.
    pub fn streamed(tile: StreamTile, shared: Option<Shared>) -> Variant {
        Variant::Overlapped {
            stream_tile: tile.to_string(),
            shared,
        }
    }

    /// What a time loop was compiled with; `None` for hybrid tiles that the model has not
    /// chosen.
    pub fn taken(unit: &Unit) -> Option<Variant> {
        match &unit.tiled.kernel {
            Kernel::Overlapped(kernel, _) => {
                Some(Variant::streamed(kernel.tile(), kernel.shared()))
            }
            Kernel::Hybrid(hybrid) => hybrid.choice().map(Variant::of),
        }
    }

    /// Whether the sizes can be read.
    pub fn is_valid(&self) -> bool {
        match self {
            Variant::Hybrid { tile, .. } => tile.parse::<TileSizes>().is_ok(),
            Variant::Overlapped { stream_tile, .. } => stream_tile.parse::<StreamTile>().is_ok(),
            Variant::Steps { .. } => true,
        }
    }

    /// The tiling.
    pub fn tiling(&self) -> Tiling {
        match self {
            Variant::Hybrid { .. } => Tiling::Hybrid,
            Variant::Overlapped { .. } => Tiling::Overlapped,
            Variant::Steps { .. } => Tiling::Stepwise,
        }
    }

    /// Options with this variant in place of the model's choice.
    pub fn options(&self, options: &Options) -> Options {
        match self {
            Variant::Hybrid {
                tile,
                threads,
                wavefront,
            } => Options {
                tiling: Tiling::Hybrid,
                kernel: StepKernel::Auto,
                tile: tile.parse().ok(),
                stream_tile: None,
                threads: Some(*threads),
                wavefront: match wavefront {
                    Some(dim) => WavefrontChoice::Dim(*dim),
                    None => WavefrontChoice::None,
                },
                ..options.clone()
            },
            Variant::Overlapped {
                stream_tile,
                shared,
            } => Options {
                tiling: Tiling::Overlapped,
                tile: None,
                stream_tile: stream_tile.parse().ok(),
                kernel: shared.map_or(StepKernel::Auto, Shared::kernel),
                ..options.clone()
            },
            Variant::Steps { .. } => Options {
                tiling: Tiling::Stepwise,
                kernel: untiled(options.kernel),
                tile: None,
                stream_tile: None,
                ..options.clone()
            },
        }
    }
}

/// What a thread of single steps has: kernels of tiles are none.
fn untiled(kernel: StepKernel) -> StepKernel {
    match kernel.is_of_tiles() {
        true => StepKernel::Auto,
        false => kernel,
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tile, threads, wavefront) = match self {
            Variant::Hybrid {
                tile,
                threads,
                wavefront,
            } => (tile, threads, wavefront),
            Variant::Overlapped {
                stream_tile,
                shared,
            } => {
                f.write_str(stream_tile)?;
                return match shared {
                    Some(shared) => write!(f, " --kernel {}", shared.kernel().name()),
                    None => Ok(()),
                };
            }
            Variant::Steps { .. } => return f.write_str("one launch per step"),
        };
        write!(f, "{tile} --threads {threads}")?;
        match wavefront {
            Some(dim) => write!(f, " --wavefront {dim}"),
            // The model only considers it in three dimensions and more.
            None if tile.matches(':').count() >= 2 => f.write_str(" --wavefront none"),
            None => Ok(()),
        }
    }
}
