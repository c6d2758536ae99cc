//! Hybrid hexagonal/classical tiling (CGO'14): from tile sizes to a proven kernel.

use super::{Analysis, MAX_TILES, TimeLoop, refusals};
use crate::clock::Clock;
use crate::diag::Result;
use crate::ir::Program;
use crate::kernel::{
    self, CopyOut, KernelIr, LowerOptions, Moves, Reuse, Schema, Switches, TileCounts,
};
use crate::lower;
use crate::options::{Options, WavefrontChoice};
use crate::sched::{self, HybridSchedule, Proof, Wavefront};
use crate::tile_size::{self, Choice, Limits, RowsError};
use std::ops::Deref;

/// A kernel of hybrid tiling.
pub struct Hybrid {
    /// The schedule, proven.
    pub schedule: HybridSchedule,
    /// What the proof took.
    pub proof: Proof,
    /// Counts of a full tile.
    pub counts: TileCounts,
    /// Tile sizes with their predictions, best first; the first is the one
    /// taken, and the only one where the user has given it.
    pub tiles: Vec<Choice>,
    /// What the tiles do.
    pub kernel: HybridKernel,
}

/// What the tiles do, and as a program.
pub struct HybridKernel {
    /// Rows, boxes, guards.
    pub ir: KernelIr,
    /// Its functions, kernel and launches.
    pub program: Program,
}

impl HybridKernel {
    fn new(ir: KernelIr) -> Result<HybridKernel> {
        let program = lower::hybrid::hybrid(&ir)?;
        Ok(HybridKernel { ir, program })
    }
}

impl Deref for HybridKernel {
    type Target = KernelIr;

    fn deref(&self) -> &KernelIr {
        &self.ir
    }
}

impl Hybrid {
    /// The model's entry for the kernel; `None` for one that the model did not choose.
    pub fn choice(&self) -> Option<&Choice> {
        let wavefront = |s: &HybridSchedule| s.wavefront.map(|w| w.dim);
        (self.tiles.iter()).find(|c| {
            c.sizes == self.schedule.sizes()
                && wavefront(&c.schedule) == wavefront(&self.schedule)
                && c.threads() == self.kernel.block.size()
        })
    }
}

impl TimeLoop<'_> {
    /// Chooses tile sizes, proves the schedule and makes the kernel.
    ///
    /// # Errors
    /// What stands in the way of the sizes or options given, or of any tile.
    pub fn hybrid(&self, name: &str, options: &Options, clock: &mut Clock) -> Result<Hybrid> {
        let canonical = &self.analysis.canonical;
        if let Some(refusal) = canonical.records_nothing(self.scop, self.source) {
            return Err(refusal);
        }
        clock.begin("tile sizes")?;
        let switches = options.switches()?;
        let limits = self.limits(options, &switches)?;
        let mut tiles = self.ranked_tiles(options, &limits)?;
        tiles.truncate(MAX_TILES);
        clock.begin("proof")?;
        let Some((best, schedule)) = self.first_provable(&tiles, options)? else {
            let too_far = self.too_far(options, Some(limits.shared_bytes))?;
            return Err(too_far.unwrap_or_else(|| match options.rows_per_thread {
                Some(_) => refusals::no_tile_for_rows(options),
                None => refusals::no_tile(limits.shared_bytes),
            }));
        };
        let proof = sched::verify(&self.scop.ctx, &schedule, &self.distances)
            .map_err(refusals::not_proven)?;
        clock.begin("kernel")?;
        let counts = self.prepared.count(&schedule, &switches);
        let lower = LowerOptions {
            name: name.to_string(),
            schema: options.schema,
            block: best.block,
            rows_per_thread: options.rows_per_thread,
            switches,
        };
        let kernel = HybridKernel::new(kernel::lower(&self.prepared, &schedule, &lower)?)?;
        Ok(Hybrid {
            schedule,
            proof,
            counts,
            tiles,
            kernel,
        })
    }

    /// All tile sizes the model knows, best first.
    ///
    /// # Errors
    /// Those of [`TimeLoop::hybrid`].
    pub fn hybrid_sizes(&self, options: &Options) -> Result<Vec<Choice>> {
        self.ranked_tiles(options, &self.limits(options, &options.switches()?)?)
    }

    fn limits(&self, options: &Options, switches: &Switches) -> Result<Limits> {
        Ok(Limits {
            shared_bytes: options.shared_bytes(),
            use_shared: options.schema == Schema::Shared,
            threads: options.threads,
            rows_per_thread: options.rows_per_thread,
            moves: Moves {
                aligned: switches.aligned_loads,
                reuse: switches.reuse != Reuse::None,
                live_out_only: switches.copy_out == CopyOut::Live,
            },
            wavefront: None,
            target: options.target.clone(),
            problem: self.problem(options)?,
        })
    }

    /// The tile sizes to take and the next best, or the given ones.
    fn ranked_tiles(&self, options: &Options, limits: &Limits) -> Result<Vec<Choice>> {
        let Analysis {
            canonical, cone, ..
        } = self.analysis;
        let (prepared, k) = (&self.prepared, canonical.k);
        let (hex_dim, n_space) = (options.hex_dim.unwrap_or(0), cone.delta0.len());
        if options.rows_per_thread.is_some() && n_space == 1 {
            return Err(refusals::rows_error(RowsError::OneDimension, options));
        }
        let given = match &options.tile {
            Some(sizes) => Some((sizes, self.given_schedule(sizes, options, limits)?)),
            None => None,
        };
        let mut all = Vec::new();
        for dim in wavefronts(options, hex_dim, n_space)? {
            let limits = Limits {
                wavefront: dim.map(|dim| Wavefront {
                    dim,
                    lag: tile_size::USUAL_LAG,
                }),
                ..limits.clone()
            };
            match &given {
                None => all.extend(tile_size::candidates(prepared, k, hex_dim, cone, &limits)),
                Some((sizes, schedule)) => {
                    all.push(tile_size::choose_threads(
                        prepared, sizes, schedule, &limits,
                    ));
                }
            }
        }
        tile_size::sort(&mut all);
        Ok(all)
    }

    /// The schedule for sizes that the user has given.
    fn given_schedule(
        &self,
        sizes: &sched::TileSizes,
        options: &Options,
        limits: &Limits,
    ) -> Result<HybridSchedule> {
        let (k, cone) = (self.analysis.canonical.k, &self.analysis.cone);
        let hex_dim = options.hex_dim.unwrap_or(0);
        let schedule =
            tile_size::schedule_for(k, hex_dim, cone, sizes).map_err(refusals::tile_error)?;
        let (bytes, most) = (
            self.prepared.shared_bytes(&schedule),
            limits.target.shared_per_block,
        );
        // Larger ones need not even be counted.
        if limits.use_shared && bytes > most {
            return Err(refusals::shared_exceeded(bytes, most));
        }
        if let Some(n) = options.rows_per_thread {
            tile_size::check_rows(&schedule, n, options.threads)
                .map_err(|error| refusals::rows_error(error, options))?;
        }
        Ok(schedule)
    }

    /// The best of the ranked tiles, with its schedule; a wavefront with the lag
    /// that isl proves.
    fn first_provable<'t>(
        &self,
        tiles: &'t [Choice],
        options: &Options,
    ) -> Result<Option<(&'t Choice, HybridSchedule)>> {
        for choice in tiles {
            let Some(wavefront) = choice.schedule.wavefront else {
                return Ok(Some((choice, choice.schedule.clone())));
            };
            let (ctx, dim) = (&self.scop.ctx, wavefront.dim);
            let proven = sched::with_wavefront(ctx, &choice.schedule, &self.distances, dim)
                .map_err(refusals::not_proven)?;
            match proven {
                Some(schedule) => return Ok(Some((choice, schedule))),
                None if options.wavefront == WavefrontChoice::Dim(dim) => {
                    return Err(refusals::no_wavefront(&self.analysis.canonical, dim));
                }
                None => {}
            }
        }
        Ok(None)
    }
}

/// The ways to run tiles in parallel that are considered: hexagons alone, or
/// waves along a classical dimension, too. In three dimensions and more the
/// hexagons of a phase are too few for a GPU.
fn wavefronts(options: &Options, hex_dim: usize, n_space: usize) -> Result<Vec<Option<usize>>> {
    Ok(match options.wavefront {
        WavefrontChoice::None => vec![None],
        WavefrontChoice::Dim(dim) if dim >= n_space || dim == hex_dim => {
            return Err(refusals::not_classical(dim, hex_dim, n_space));
        }
        WavefrontChoice::Dim(dim) => vec![Some(dim)],
        WavefrontChoice::Auto if n_space < 3 => vec![None],
        WavefrontChoice::Auto => {
            let outermost = (0..n_space).find(|&d| d != hex_dim);
            vec![None, outermost]
        }
    })
}
