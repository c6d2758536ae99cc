//! The passes, top to bottom.

pub use crate::back::Instrument;
use crate::back::{self, Replacement};
use crate::canonical::{self, Canonical};
use crate::carried;
use crate::causes;
use crate::csource;
use crate::deps::{self, DepCone};
use crate::diag::{Diagnostic, Result};
use crate::kernel::blocks::{BlocksIr, Order};
use crate::kernel::stream::{Growths, Refusal, Stream, StreamIr, StreamTile, StreamWork};
use crate::kernel::stream_plan::{self, Instance, StreamRun};
use crate::kernel::{
    self, CopyOut, KernelIr, KernelStmt, LowerOptions, Moves, Prepared, Reuse, Schema, Stencil,
    Switches, TileCounts,
};
use crate::model::Problem;
use crate::reach;
use crate::sched::{self, HybridSchedule, Proof, ScheduleError, TileSizes, VerifyError, Wavefront};
use crate::scop::{self, Chunk, SavedScop, Scop};
use crate::stream_size::{self, StreamChoice};
use crate::target::Target;
use crate::temporaries;
use crate::tile_size::{self, Choice, Limits, RowsError};
use hexcc_isl::Ctx;
use hexcc_pet::deep::deeply;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// What the user may choose.
#[derive(Clone, Debug)]
pub struct Options {
    /// Tile sizes; chosen by counts where absent.
    pub tile: Option<TileSizes>,
    /// Space dimension tiled by hexagons; the outermost where absent.
    pub hex_dim: Option<usize>,
    /// Memory the kernel computes in.
    pub schema: Schema,
    /// Threads per block wanted; chosen by the model where absent.
    pub threads: Option<i64>,
    /// Rows of contiguous points that a thread computes at most; as the block has it
    /// where absent.
    pub rows_per_thread: Option<i64>,
    /// Shared memory a block may use, bytes; what the target allows where absent.
    pub shared_limit: Option<i64>,
    /// The GPU that tile sizes are chosen for.
    pub target: Target,
    /// Values of size parameters that tile sizes are chosen for.
    pub sizes: Vec<(String, i64)>,
    /// When values go to global memory; only live ones, as they are computed,
    /// where absent.
    pub copy_out: Option<CopyOut>,
    /// Copies of 16 bytes where the tile sizes allow it (CGO'14 section 4.2.3);
    /// on where absent.
    pub aligned_loads: Option<bool>,
    /// Tiles reuse the columns of the tile before them (section 4.2.2);
    /// dynamically where absent.
    pub reuse: Option<Reuse>,
    /// Full tiles have code of their own (section 4.3.1).
    pub full_tiles: bool,
    /// Rows and points are unrolled (section 4.3.2); on where absent.
    pub unroll: Option<bool>,
    /// Whether tiles along a classical dimension run in parallel, too.
    pub wavefront: WavefrontChoice,
    /// How time is tiled.
    pub tiling: Tiling,
    /// Sizes of streamed tiles; chosen by the model where absent.
    pub stream_tile: Option<StreamTile>,
    /// The generated program will be built with nvcc's `--use_fast_math`.
    pub fast_math: bool,
    /// Bound on isl's work; 0 for none.
    pub isl_quota: u64,
    /// Namespace of the generated code; `hexcc_` and the function where absent.
    pub name: Option<String>,
}

/// How time is tiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tiling {
    /// As the model predicts.
    Auto,
    /// Hexagons and classical tiles (CGO'14): nothing is computed twice.
    Hybrid,
    /// Overlapped tiles that stream through registers (ICS'12): neighbours
    /// compute their common halo twice.
    Overlapped,
}

/// Whether tiles along a classical dimension run in parallel, in waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WavefrontChoice {
    /// As the model predicts.
    Auto,
    /// Hexagons only, as in the paper.
    None,
    /// Along this space dimension.
    Dim(usize),
}

impl Default for Options {
    fn default() -> Self {
        Options {
            tile: None,
            hex_dim: None,
            schema: Schema::Shared,
            threads: None,
            rows_per_thread: None,
            shared_limit: None,
            target: Target::default(),
            sizes: Vec::new(),
            copy_out: None,
            aligned_loads: None,
            reuse: None,
            full_tiles: true,
            unroll: None,
            wavefront: WavefrontChoice::Auto,
            tiling: Tiling::Auto,
            stream_tile: None,
            fast_math: false,
            isl_quota: 200_000_000,
            name: None,
        }
    }
}

impl Options {
    /// Whether divisions of `float` by constants become products in `double`: on GPUs where
    /// these are fast, and unless divisions are, too.
    fn products(&self) -> bool {
        !self.fast_math && 4.0 * self.target.fp64_lanes >= self.target.fp32_lanes
    }

    /// The optimizations wanted; what is absent is the best that the others
    /// allow.
    ///
    /// # Errors
    /// HX0509 for an option that another one makes useless.
    pub fn switches(&self) -> Result<Switches> {
        self.check_tiling()?;
        let useless = |option: &str, other: &str, why: &str| {
            Err(Box::new(
                Diagnostic::error("HX0509", format!("`{option}` has no effect with `{other}`"))
                    .note(why)
                    .help("leave one of the two away"),
            ))
        };
        if self.schema == Schema::Global {
            let given = [
                ("--copy-out", self.copy_out.is_some()),
                ("--aligned-loads", self.aligned_loads.is_some()),
                ("--reuse", self.reuse.is_some()),
                ("--unroll on", self.unroll == Some(true)),
            ];
            if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
                let why = match *option {
                    "--unroll on" => "rows that compute in global memory are never unrolled",
                    _ => "nothing is copied to or from shared memory",
                };
                return useless(option, "--memory global", why);
            }
        }
        if !self.full_tiles {
            let only = |what: &str| format!("only full tiles with code of their own {what}");
            match self.reuse {
                Some(Reuse::Static) => {
                    return useless("--reuse static", "--full-tiles off", &only("reuse columns"));
                }
                Some(Reuse::Dynamic) => {
                    return useless(
                        "--reuse dynamic",
                        "--full-tiles off",
                        &only("reuse columns"),
                    );
                }
                Some(Reuse::None) | None => {}
            }
            match self.copy_out {
                Some(CopyOut::Separate) => {
                    let why = only("copy out after their last row");
                    return useless("--copy-out separate", "--full-tiles off", &why);
                }
                Some(CopyOut::Live) => {
                    let why = only("leave stores away");
                    return useless("--copy-out live", "--full-tiles off", &why);
                }
                Some(CopyOut::Interleaved) | None => {}
            }
        }
        Ok(Switches {
            copy_out: (self.copy_out).unwrap_or(match self.full_tiles {
                true => CopyOut::Live,
                false => CopyOut::Interleaved,
            }),
            aligned_loads: self.aligned_loads.unwrap_or(true),
            reuse: (self.reuse).unwrap_or(match self.full_tiles {
                true => Reuse::Dynamic,
                false => Reuse::None,
            }),
            full_tiles: self.full_tiles,
            unroll: self.unroll.unwrap_or(true),
        })
    }
}

impl Options {
    /// Options that only the hybrid tiling has, as far as they are given.
    fn hybrid_only(&self) -> Option<&'static str> {
        let given = [
            ("--tile", self.tile.is_some()),
            ("--hex-dim", self.hex_dim.is_some()),
            ("--memory global", self.schema == Schema::Global),
            ("--threads", self.threads.is_some()),
            ("--rows-per-thread", self.rows_per_thread.is_some()),
            ("--shared-memory", self.shared_limit.is_some()),
            ("--copy-out", self.copy_out.is_some()),
            ("--aligned-loads", self.aligned_loads.is_some()),
            ("--reuse", self.reuse.is_some()),
            ("--full-tiles off", !self.full_tiles),
            ("--unroll", self.unroll.is_some()),
            ("--wavefront", self.wavefront != WavefrontChoice::Auto),
        ];
        given
            .iter()
            .find(|(_, given)| *given)
            .map(|(name, _)| *name)
    }

    /// The tiling that the options ask for, [`Tiling::Auto`] where they leave it open.
    pub fn wanted_tiling(&self) -> Tiling {
        match self.tiling {
            Tiling::Auto if self.hybrid_only().is_some() => Tiling::Hybrid,
            Tiling::Auto if self.stream_tile.is_some() => Tiling::Overlapped,
            tiling => tiling,
        }
    }

    /// Refuses options of one tiling together with the other.
    fn check_tiling(&self) -> Result<()> {
        let (option, other) = match (self.tiling, self.hybrid_only(), self.stream_tile) {
            (Tiling::Overlapped, Some(option), _) => (option, "--tiling overlapped"),
            (Tiling::Hybrid, _, Some(_)) => ("--stream-tile", "--tiling hybrid"),
            (Tiling::Auto, Some(option), Some(_)) => (option, "--stream-tile"),
            _ => return Ok(()),
        };
        Err(Box::new(
            Diagnostic::error("HX0509", format!("`{option}` has no effect with `{other}`"))
                .note("hybrid and overlapped tiling have options of their own")
                .help("leave one of the two away"),
        ))
    }
}

/// Candidates that [`Unit::tiles`] keeps.
pub const MAX_TILES: usize = 20;

/// One time loop of the scop, compiled.
pub struct Unit {
    /// Where it was in the source.
    pub chunk: Chunk,
    /// Statements, slots and dependences.
    pub canonical: Canonical,
    /// Slopes of the dependences.
    pub cone: DepCone,
    /// The schedule, proven.
    pub schedule: HybridSchedule,
    /// What the proof took.
    pub proof: Proof,
    /// Counts of a full tile.
    pub counts: TileCounts,
    /// Tile sizes with their predictions, best first; the first is the one
    /// taken, and the only one where the user has given it.
    pub tiles: Vec<Choice>,
    /// The problem that predictions are for.
    pub problem: Problem,
    /// The kernel of the hybrid schedule.
    pub kernel: KernelIr,
    /// The kernel of overlapped tiling, where that is taken instead.
    pub stream: Option<StreamKernel>,
    /// Sizes of overlapped tiles with their predictions, best first.
    pub stream_sizes: Vec<StreamChoice>,
    /// Why overlapped tiling is not taken.
    pub no_stream: Option<Refusal>,
}

impl Unit {
    /// The model's entry for the hybrid kernel.
    pub fn choice(&self) -> Option<&Choice> {
        let wavefront = |s: &HybridSchedule| s.wavefront.map(|w| w.dim);
        (self.tiles.iter()).find(|c| {
            c.sizes == self.schedule.sizes()
                && wavefront(&c.schedule) == wavefront(&self.schedule)
                && c.threads() == self.kernel.block.size()
        })
    }

    /// Predicted updates of points per nanosecond of the kernel that is taken.
    pub fn predicted(&self) -> Option<f64> {
        match &self.stream {
            Some(stream) => (self.stream_sizes.iter())
                .find(|c| c.tile == stream.tile())
                .map(|c| c.gcells),
            None => self.choice().map(Choice::gcells),
        }
    }
}

/// A kernel of overlapped tiling.
pub enum StreamKernel {
    /// One or two space dimensions: a warp streams rows.
    Rows(Box<StreamIr>),
    /// Three: a block streams planes.
    Planes(Box<BlocksIr>),
}

impl StreamKernel {
    /// Sizes of its tiles.
    pub fn tile(&self) -> StreamTile {
        match self {
            StreamKernel::Rows(ir) => ir.tile,
            StreamKernel::Planes(ir) => ir.tile,
        }
    }

    /// Its arrays and statements.
    pub fn stencil(&self) -> &Stencil {
        match self {
            StreamKernel::Rows(ir) => &ir.stencil,
            StreamKernel::Planes(ir) => &ir.stencil,
        }
    }

    /// The instances of the kernel's template that launches are made of.
    pub fn instances(&self) -> Vec<Instance> {
        match self {
            StreamKernel::Rows(ir) => stream_plan::instances_of_rows(ir),
            StreamKernel::Planes(ir) => stream_plan::instances_of_planes(ir),
        }
    }

    /// The launches for given parameters, in the order of [`KernelIr::params`]; `None`
    /// where a number does not fit.
    pub fn plan(&self, params: &[i64]) -> Option<StreamRun> {
        match self {
            StreamKernel::Rows(ir) => StreamRun::of_rows(ir, params),
            StreamKernel::Planes(ir) => StreamRun::of_planes(ir, params),
        }
    }

    /// The time steps of a run of so many launches of T steps, or one more: results are in
    /// the arrays after an even number of launches, of which the last may take a single step.
    pub fn steps_of(&self, launches: i64) -> i64 {
        match self {
            StreamKernel::Rows(ir) if ir.completes() => (launches | 1) * ir.tile.steps + 1,
            StreamKernel::Rows(ir) => (launches + launches % 2) * ir.tile.steps,
            StreamKernel::Planes(ir) => (launches + launches % 2) * ir.tile.steps + 1,
        }
    }
}

/// The result of a compilation.
pub struct Compiled {
    /// The scop.
    pub scop: Scop,
    /// Time loops in textual order; at least one.
    pub units: Vec<Unit>,
    /// Warnings, such as parts of the region left on the host.
    pub warnings: Vec<Diagnostic>,
    /// Passes and their durations.
    pub timings: Vec<(&'static str, Duration)>,
    /// Where the tile sizes come from, for the comment in the generated code;
    /// empty for what the model or the user chose.
    pub tuned: Option<String>,
}

/// Compiles a scop.
///
/// # Errors
/// A diagnostic of any code; see [`crate::diag`].
pub fn compile(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<Compiled> {
    deeply(|| passes(ctx, saved, options)).map_err(|d| placed(saved, or_stopped(ctx, d)))
}

fn placed(saved: &SavedScop, d: Box<Diagnostic>) -> Box<Diagnostic> {
    let span = saved.scop.span;
    causes::placed(&saved.source.text, span.start..span.end, d)
}

/// The reason of a failure: once computations have been stopped, whatever failed after that
/// says nothing about the program.
fn or_stopped(ctx: &Ctx, failure: Box<Diagnostic>) -> Box<Diagnostic> {
    ctx.check().map_or_else(Into::into, |()| failure)
}

fn passes(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<Compiled> {
    let mut clock = Clock::new(ctx);
    ctx.set_max_operations(options.isl_quota);
    clock.begin("scop")?;
    let scop = model(ctx, saved)?;
    if scop.stmts.is_empty() {
        return Err(no_statements(&scop));
    }
    let mut units = Vec::new();
    let mut refused = Vec::new();
    let chunks: Vec<Chunk> = (scop.chunks.iter())
        .filter(|c| !c.stmts.is_empty())
        .cloned()
        .collect();
    for chunk in &chunks {
        match unit(&scop, saved, chunk, units.len(), options, &mut clock) {
            Ok(unit) => units.push(unit),
            Err(d) => refused.push((chunk.clone(), d)),
        }
    }
    // Some errors of isl have a meaning, so a result after a stop may lack something.
    clock.end()?;
    if units.is_empty() {
        // The largest part is the one the user means.
        let worst = (refused.into_iter()).max_by_key(|(chunk, _)| chunk.span.len());
        return Err(worst.map_or_else(|| Box::new(Diagnostic::bug("no chunks")), |(_, d)| d));
    }
    let mut warnings = Vec::new();
    for (chunk, d) in refused {
        // A loop nest without a time loop is set-up code and stays silently.
        if d.code != "HX0201" {
            let line = csource::line_col(&saved.source.text, chunk.span.start).0;
            warnings.push(
                Diagnostic::warning(
                    d.code,
                    format!("the code at line {line} stays on the host: {}", d.message),
                )
                .at(chunk.span, "not tiled"),
            );
        }
    }
    Ok(Compiled {
        scop,
        units,
        warnings,
        timings: clock.laps,
        tuned: None,
    })
}

/// The scop without temporaries.
fn model(ctx: &Ctx, saved: &SavedScop) -> Result<Scop> {
    let mut scop = scop::build(ctx, &saved.source, &saved.scop)?;
    temporaries::substitute(&mut scop, &saved.source, &saved.scop)?;
    carried::into_arrays(&mut scop)?;
    Ok(scop)
}

/// Whether some top-level loop of a scop is a stencil's time loop, as far as dependences say.
///
/// # Errors
/// The refusal of the largest one.
pub fn judge(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<()> {
    judge_chunks(ctx, saved, options).map_err(|d| placed(saved, or_stopped(ctx, d)))
}

fn judge_chunks(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<()> {
    ctx.set_max_operations(options.isl_quota);
    let scop = model(ctx, saved)?;
    let mut refusal: Option<(usize, Box<Diagnostic>)> = None;
    for chunk in scop.chunks.iter().filter(|c| !c.stmts.is_empty()) {
        let size = chunk.span.len();
        match dependences(&scop, saved, chunk, options, &mut Clock::new(ctx)) {
            Ok(_) => return Ok(ctx.check()?),
            Err(_) if refusal.as_ref().is_some_and(|(most, _)| *most >= size) => {}
            Err(d) => refusal = Some((size, d)),
        }
    }
    Err(refusal.map_or_else(|| no_statements(&scop), |(_, d)| d))
}

fn no_statements(scop: &Scop) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("HX0102", "the scop has no statements")
            .at(scop.region.clone(), "nothing to compute here")
            .help("put the time loop between `#pragma scop` and `#pragma endscop`"),
    )
}

fn unit(
    scop: &Scop,
    saved: &SavedScop,
    chunk: &Chunk,
    index: usize,
    options: &Options,
    clock: &mut Clock,
) -> Result<Unit> {
    let (canonical, cone) = dependences(scop, saved, chunk, options, clock)?;
    clock.begin("accesses")?;
    let time_loop = TimeLoop::new(scop, saved, &canonical, &cone, index, options)?;
    let tiled = time_loop.tiled(options, clock)?;
    let hybrid = (tiled.tiles.first())
        .and_then(|choice| choice.prediction.as_ref())
        .map(|p| p.gcells);
    let streamed = time_loop.streamed(options, hybrid, clock)?;
    Ok(Unit {
        chunk: chunk.clone(),
        schedule: tiled.schedule,
        proof: tiled.proof,
        counts: tiled.counts,
        tiles: tiled.tiles,
        problem: tiled.problem,
        kernel: tiled.kernel,
        stream: streamed.kernel,
        stream_sizes: streamed.sizes,
        no_stream: streamed.refusal,
        canonical,
        cone,
    })
}

fn dependences(
    scop: &Scop,
    saved: &SavedScop,
    chunk: &Chunk,
    options: &Options,
    clock: &mut Clock,
) -> Result<(Canonical, DepCone)> {
    let source = &saved.source;
    clock.begin("dependences")?;
    let canonical = canonical::canonicalize(scop, source, chunk)?;
    clock.begin("cone")?;
    let cone = deps::cone(scop, source, &canonical)?;
    let hex_dim = options.hex_dim.unwrap_or(0);
    if hex_dim >= canonical.n_space {
        return Err(Box::new(
            Diagnostic::error(
                "HX0504",
                format!(
                    "`--hex-dim={hex_dim}` names no space dimension: the stencil has {}",
                    canonical.n_space
                ),
            )
            .help(match canonical.n_space {
                1 => format!("0 is the only one ({})", canonical.names[1]),
                n => format!(
                    "0 is the outermost ({}), {} the innermost ({})",
                    canonical.names[1],
                    n - 1,
                    canonical.names[n]
                ),
            }),
        ));
    }
    Ok((canonical, cone))
}

/// A time loop with all that does not depend on tile sizes.
struct TimeLoop<'a> {
    scop: &'a Scop,
    saved: &'a SavedScop,
    canonical: &'a Canonical,
    cone: &'a DepCone,
    prepared: Prepared<'a>,
    distances: Vec<hexcc_isl::Set>,
    /// Among the time loops of the region.
    index: usize,
}

/// What tile sizes make of a time loop.
struct Tiled {
    schedule: HybridSchedule,
    proof: Proof,
    counts: TileCounts,
    tiles: Vec<Choice>,
    problem: Problem,
    kernel: KernelIr,
}

impl<'a> TimeLoop<'a> {
    fn new(
        scop: &'a Scop,
        saved: &'a SavedScop,
        canonical: &'a Canonical,
        cone: &'a DepCone,
        index: usize,
        options: &Options,
    ) -> Result<TimeLoop<'a>> {
        let time_loop = TimeLoop {
            scop,
            saved,
            canonical,
            cone,
            prepared: kernel::prepare(scop, &saved.source, canonical, options.products())?,
            distances: deps::all_distances(canonical)?.into_iter().collect(),
            index,
        };
        match time_loop.too_far(options, None)? {
            Some(d) => Err(d),
            None => Ok(time_loop),
        }
    }

    fn limits(&self, options: &Options) -> Result<Limits> {
        let switches = options.switches()?;
        Ok(Limits {
            shared_bytes: (options.shared_limit).unwrap_or(options.target.shared_per_block),
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
            problem: Problem::new(&self.prepared.extents(&options.sizes)?),
        })
    }

    fn ranked_tiles(&self, options: &Options, limits: &Limits) -> Result<Vec<Choice>> {
        let hex_dim = options.hex_dim.unwrap_or(0);
        let k = self.canonical.k;
        ranked_tiles(&self.prepared, k, hex_dim, self.cone, options, limits)
    }

    /// The refusal of dependences that leave tiles nothing to gain.
    fn too_far(
        &self,
        options: &Options,
        nothing_fits: Option<i64>,
    ) -> Result<Option<Box<Diagnostic>>> {
        let known = self.prepared.extents(&options.sizes)?;
        let ground = reach::Ground {
            known: &known,
            problem: &Problem::new(&known),
            sms: options.target.sms,
            hex_dim: options.hex_dim.unwrap_or(0),
            nothing_fits,
        };
        reach::refusal(
            self.scop,
            &self.saved.source,
            self.canonical,
            self.cone,
            &ground,
        )
    }

    /// Chooses tile sizes, proves the schedule and makes the kernel.
    fn tiled(&self, options: &Options, clock: &mut Clock) -> Result<Tiled> {
        let (scop, distances) = (self.scop, self.distances.as_slice());
        clock.begin("tile sizes")?;
        let limits = self.limits(options)?;
        let mut tiles = self.ranked_tiles(options, &limits)?;
        tiles.truncate(MAX_TILES);
        clock.begin("proof")?;
        let best =
            first_provable(scop, &tiles, distances, self.canonical, options)?.ok_or_else(|| {
                match options.rows_per_thread {
                    Some(_) => no_tile_for_rows(options),
                    None => no_tile(limits.shared_bytes),
                }
            });
        let (best, schedule) = match best {
            Ok(best) => best,
            Err(d) => {
                return Err(self
                    .too_far(options, Some(limits.shared_bytes))?
                    .unwrap_or(d));
            }
        };
        let proof = sched::verify(&scop.ctx, &schedule, distances).map_err(not_proven)?;
        clock.begin("kernel")?;
        let switches = options.switches()?;
        let counts = self.prepared.count(&schedule, &switches);
        let lower = LowerOptions {
            name: unit_name(self.saved, scop, self.index, options),
            schema: options.schema,
            block: best.block,
            rows_per_thread: options.rows_per_thread,
            switches,
        };
        let kernel = kernel::lower(&self.prepared, &schedule, &lower)?;
        Ok(Tiled {
            schedule,
            proof,
            counts,
            tiles,
            problem: limits.problem,
            kernel,
        })
    }
}

impl TimeLoop<'_> {
    /// The kernel of overlapped tiling, if that is wanted and possible.
    fn streamed(
        &self,
        options: &Options,
        hybrid: Option<f64>,
        clock: &mut Clock,
    ) -> Result<Streamed> {
        let tiling = options.wanted_tiling();
        if tiling == Tiling::Hybrid {
            return Ok(Streamed::default());
        }
        clock.begin("stream")?;
        let stream = match self.prepared.stream()? {
            Ok(stream) => stream,
            Err(refusal) if tiling == Tiling::Overlapped => {
                return Err(no_overlapped(self.canonical, self.scop, &refusal));
            }
            Err(refusal) => {
                return Ok(Streamed {
                    refusal: Some(refusal),
                    ..Streamed::default()
                });
            }
        };
        let name = unit_name(self.saved, self.scop, self.index, options);
        if self.canonical.n_space > 2 {
            return self.streamed_planes(&stream, &name, options, hybrid);
        }
        let problem = Problem::new(&self.prepared.extents(&options.sizes)?);
        let work = self.prepared.stream_work(&stream, options.fast_math);
        let (pipeline, target) = (stream.pipeline(), &options.target);
        let given = options.stream_tile.map(|tile| tile.or(StreamTile::OF_ROWS));
        let mut sizes = match given {
            Some(tile) => {
                let growths = Growths::of(pipeline, tile.steps);
                stream_size::predict(pipeline, &work, &growths, tile, target, &problem)
                    .into_iter()
                    .collect()
            }
            None => stream_size::candidates(pipeline, &work, target, &problem),
        };
        sizes.truncate(MAX_TILES);
        let best = sizes.first();
        let slower = |hybrid: f64| best.is_none_or(|s| s.gcells < hybrid);
        if tiling == Tiling::Auto && hybrid.is_some_and(slower) {
            let refusal = "the hybrid tiling is predicted to be faster".to_string();
            return Ok(Streamed {
                kernel: None,
                sizes,
                refusal: Some(refusal),
            });
        }
        let tile = given.or(best.map(|s| s.tile));
        let kernel = match tile {
            Some(tile) => self.prepared.stream_kernel(&stream, &name, tile)?,
            None => None,
        };
        match kernel {
            Some((kernel, _)) => Ok(Streamed {
                kernel: Some(StreamKernel::Rows(Box::new(kernel))),
                sizes,
                refusal: None,
            }),
            None => {
                let refusal = "no tile has results or is full".to_string();
                match tiling {
                    Tiling::Overlapped => Err(no_overlapped(self.canonical, self.scop, &refusal)),
                    _ => Ok(Streamed {
                        refusal: Some(refusal),
                        ..Streamed::default()
                    }),
                }
            }
        }
    }

    /// No kernel of overlapped tiling: an error where the user insists on one.
    fn not_streamed(
        &self,
        options: &Options,
        refusal: &str,
        sizes: Vec<StreamChoice>,
    ) -> Result<Streamed> {
        match options.wanted_tiling() {
            Tiling::Overlapped => Err(no_overlapped(self.canonical, self.scop, refusal)),
            _ => Ok(Streamed {
                kernel: None,
                sizes,
                refusal: Some(refusal.to_string()),
            }),
        }
    }

    /// The kernel of patches, in three space dimensions, for any number of fields.
    fn streamed_patches(
        &self,
        stream: &Stream,
        name: &str,
        options: &Options,
        hybrid: Option<f64>,
    ) -> Result<Streamed> {
        let forced = options.wanted_tiling() == Tiling::Overlapped;
        let refused = |refusal: &str, sizes| self.not_streamed(options, refusal, sizes);
        let work = self.prepared.stream_work(stream, options.fast_math);
        let problem = Problem::new(&self.prepared.extents(&options.sizes)?);
        let mut sizes = self.patch_sizes(stream, name, options, &work, &problem)?;
        // Of the same steps only the best.
        let mut seen = HashSet::new();
        sizes.retain(|choice| seen.insert(choice.tile.steps));
        let best = sizes.first();
        if !forced {
            if work.fields.iter().any(|f| f.precise > 0) {
                return refused(SLOW_IN_PLANES, sizes);
            }
            if hybrid.is_some_and(|hybrid| best.is_none_or(|s| s.gcells < hybrid)) {
                return refused("the hybrid tiling is predicted to be faster", sizes);
            }
        }
        let given = options.stream_tile.map(|t| t.or(StreamTile::OF_PATCHES));
        let kernel = match given.or(best.map(|s| s.tile)) {
            Some(tile) => self.prepared.stream_kernel(stream, name, tile)?,
            None => None,
        };
        match kernel {
            Some((kernel, _)) => Ok(Streamed {
                kernel: Some(StreamKernel::Rows(Box::new(kernel))),
                sizes,
                refusal: None,
            }),
            None if given.is_some() => refused(
                "a tile of these sizes has no results, rows of more than 16 bytes a lane, fewer rows a warp than \
                 the stencil reads beside a cell, or patches of more than 32 cells",
                sizes,
            ),
            None => refused("no tile fits into registers", sizes),
        }
    }

    /// The kernel that streams planes, in three space dimensions.
    fn streamed_planes(
        &self,
        stream: &Stream,
        name: &str,
        options: &Options,
        hybrid: Option<f64>,
    ) -> Result<Streamed> {
        let forced = options.wanted_tiling() == Tiling::Overlapped;
        let refused = |refusal: &str, sizes| self.not_streamed(options, refusal, sizes);
        let target = &options.target;
        let shared = options.shared_limit.unwrap_or(target.shared_per_block);
        let work = self.prepared.stream_work(stream, options.fast_math);
        let problem = Problem::new(&self.prepared.extents(&options.sizes)?);
        let ir = match (self.prepared).blocks(stream, name, options.stream_tile, shared)? {
            Ok(ir) => ir,
            // What that kernel cannot take one of patches can.
            Err(_) => return self.streamed_patches(stream, name, options, hybrid),
        };
        let sizes = vec![stream_size::predict_planes(&ir, &work, target, &problem)];
        if !forced {
            if work.fields.iter().any(|f| f.precise > 0) {
                return refused(SLOW_IN_PLANES, sizes);
            }
            if ir.offsets.len() > MOST_READS_IN_PLANES {
                return refused(MANY_READS_IN_PLANES, sizes);
            }
            if hybrid.is_some_and(|hybrid| sizes[0].gcells < hybrid) {
                return refused("the hybrid tiling is predicted to be faster", sizes);
            }
        }
        self.prepared.prove_blocks(stream, &ir)?;
        Ok(Streamed {
            kernel: Some(StreamKernel::Planes(Box::new(ir))),
            sizes,
            refusal: None,
        })
    }
}

impl TimeLoop<'_> {
    /// Sizes of tiles of patches, the best first: the given one, or those that the model knows.
    fn patch_sizes(
        &self,
        stream: &Stream,
        name: &str,
        options: &Options,
        work: &StreamWork,
        problem: &Problem,
    ) -> Result<Vec<StreamChoice>> {
        let (pipeline, target) = (stream.pipeline(), &options.target);
        if let Some(tile) = options.stream_tile {
            let tile = tile.or(StreamTile::OF_PATCHES);
            let growths = Growths::of(pipeline, tile.steps);
            let choice =
                stream_size::predict_patches(pipeline, work, &growths, tile, target, problem);
            return Ok(choice.into_iter().collect());
        }
        let limit = options.shared_limit.unwrap_or(target.shared_per_block);
        let mut ir = self.prepared.unproven_patches(stream, name)?;
        let mut sizes = stream_size::patch_candidates(pipeline, work, target, problem);
        sizes.retain(|choice| {
            ir.tile = choice.tile;
            let bytes = ir.shared_bytes(choice.tile.steps);
            bytes <= limit && choice.tile.min_blocks * (bytes + 1024) <= target.shared_per_sm
        });
        Ok(sizes)
    }

    /// All sizes of overlapped tiles with their predictions, best first; only the given ones
    /// where there are some, and none where overlapped tiling does not apply.
    fn stream_choices(&self, options: &Options) -> Result<Vec<StreamChoice>> {
        let Ok(stream) = self.prepared.stream()? else {
            return Ok(Vec::new());
        };
        let problem = Problem::new(&self.prepared.extents(&options.sizes)?);
        let work = self.prepared.stream_work(&stream, options.fast_math);
        let (pipeline, target) = (stream.pipeline(), &options.target);
        let mut all = Vec::new();
        if self.canonical.n_space > 2 {
            let shared = options.shared_limit.unwrap_or(target.shared_per_block);
            let name = unit_name(self.saved, self.scop, self.index, options);
            // The default sizes first, then others like them.
            let given = options.stream_tile;
            let default = match (self.prepared).blocks(&stream, &name, given, shared)? {
                Ok(ir) => ir,
                Err(_) => return self.patch_sizes(&stream, &name, options, &work, &problem),
            };
            let others = match given {
                Some(_) => Vec::new(),
                None => stream_size::tiles_of_planes(default.tile),
            };
            all.push(stream_size::predict_planes(
                &default, &work, target, &problem,
            ));
            for tile in others {
                let usable = default.with_tile(tile, shared);
                all.extend(usable.and_then(|ir| {
                    let choice = stream_size::predict_planes(&ir, &work, target, &problem);
                    stream_size::planes_fit(&ir, &choice, target).then_some(choice)
                }));
            }
        } else if let Some(tile) = options.stream_tile {
            let tile = tile.or(StreamTile::OF_ROWS);
            let growths = Growths::of(pipeline, tile.steps);
            let choice = stream_size::predict(pipeline, &work, &growths, tile, target, &problem);
            all.extend(choice);
        } else {
            all = stream_size::all_candidates(pipeline, &work, target, &problem);
        }
        all.sort_by(|a, b| b.gcells.total_cmp(&a.gcells));
        Ok(all)
    }
}

/// Two warps per scheduler do not hide what these take.
const SLOW_IN_PLANES: &str =
    "in three space dimensions precise divisions and functions make it slow";

/// Most reads of a statement for which streamed planes were measured to be fast (j3d27pt). With 125
/// they run at 0.5 of naive speed, where hybrid tiles run at 1.2 (box3d2r, H200).
const MOST_READS_IN_PLANES: usize = 27;

const MANY_READS_IN_PLANES: &str =
    "in three space dimensions more than 27 reads a cell make it slow";

/// What overlapped tiling makes of a time loop.
#[derive(Default)]
struct Streamed {
    kernel: Option<StreamKernel>,
    sizes: Vec<StreamChoice>,
    refusal: Option<Refusal>,
}

fn no_overlapped(canonical: &Canonical, scop: &Scop, refusal: &str) -> Box<Diagnostic> {
    let first = canonical.stmts.first().map(|s| &scop.stmts[s.stmt]);
    let mut d = Diagnostic::error("HX0305", "overlapped tiling does not apply");
    if let Some(stmt) = first {
        d = d.at(stmt.span.clone(), "this stencil");
    }
    Box::new(
        d.note(refusal)
            .help("leave `--tiling overlapped` away: the hybrid hexagonal tiling takes it"),
    )
}

/// A region whose tile sizes are tried out one after the other. What does not
/// depend on them is computed once.
pub struct Exploration<'a> {
    loops: Vec<TimeLoop<'a>>,
    ctx: &'a Ctx,
}

impl Exploration<'_> {
    /// All tile sizes the model knows for the first time loop, best first.
    ///
    /// # Errors
    /// Those of [`compile`].
    pub fn choices(&self, options: &Options) -> Result<Vec<Choice>> {
        self.ctx.reset_operations();
        let first = (self.loops.first()).ok_or_else(|| Box::new(Diagnostic::bug("no chunks")))?;
        first.ranked_tiles(options, &first.limits(options)?)
    }

    /// All sizes of overlapped tiles for the first time loop, the best of the model first;
    /// none where it does not apply.
    ///
    /// # Errors
    /// Those of [`compile`].
    pub fn stream_choices(&self, options: &Options) -> Result<Vec<StreamChoice>> {
        self.ctx.reset_operations();
        let first = (self.loops.first()).ok_or_else(|| Box::new(Diagnostic::bug("no chunks")))?;
        first.stream_choices(options)
    }

    /// The kernels of overlapped tiling of all time loops with the sizes that the options
    /// give.
    ///
    /// # Errors
    /// Those of [`compile`]; HX0305 where it does not apply.
    pub fn stream_kernels(&self, options: &Options) -> Result<Vec<StreamKernel>> {
        self.ctx.reset_operations();
        let options = Options {
            tiling: Tiling::Overlapped,
            ..options.clone()
        };
        let mut clock = Clock::new(self.ctx);
        (self.loops.iter())
            .map(|time_loop| {
                let streamed = time_loop.streamed(&options, None, &mut clock)?;
                let none = || Box::new(Diagnostic::bug("no overlapped tiles"));
                streamed.kernel.ok_or_else(none)
            })
            .collect()
    }

    /// The kernels of all time loops with the given options.
    ///
    /// # Errors
    /// Those of [`compile`].
    pub fn kernels(&self, options: &Options) -> Result<Vec<KernelIr>> {
        self.ctx.reset_operations();
        let mut clock = Clock::new(self.ctx);
        (self.loops.iter())
            .map(|time_loop| Ok(time_loop.tiled(options, &mut clock)?.kernel))
            .collect()
    }
}

/// Analyses a scop and hands it to `work`. Time loops that cannot be tiled are
/// left out, as [`compile`] does.
///
/// # Errors
/// Those of [`compile`].
pub fn explore<R>(
    ctx: &Ctx,
    saved: &SavedScop,
    options: &Options,
    work: impl FnOnce(&Exploration) -> R,
) -> Result<R> {
    deeply(|| explore_here(ctx, saved, options, work))
}

fn explore_here<R>(
    ctx: &Ctx,
    saved: &SavedScop,
    options: &Options,
    work: impl FnOnce(&Exploration) -> R,
) -> Result<R> {
    ctx.set_max_operations(options.isl_quota);
    let mut clock = Clock::new(ctx);
    let scop = model(ctx, saved)?;
    let analyzed: Vec<(Canonical, DepCone)> = (scop.chunks.iter())
        .filter(|c| !c.stmts.is_empty())
        .filter_map(|chunk| dependences(&scop, saved, chunk, options, &mut clock).ok())
        .collect();
    let loops = (analyzed.iter().enumerate())
        .filter_map(|(i, (canonical, cone))| {
            TimeLoop::new(&scop, saved, canonical, cone, i, options).ok()
        })
        .collect();
    Ok(work(&Exploration { loops, ctx }))
}

/// The tile sizes to take and the next best, or the given ones.
fn ranked_tiles(
    prepared: &Prepared,
    k: i64,
    hex_dim: usize,
    cone: &DepCone,
    options: &Options,
    limits: &Limits,
) -> Result<Vec<Choice>> {
    if options.rows_per_thread.is_some() && cone.delta0.len() == 1 {
        return Err(rows_error(RowsError::OneDimension, options));
    }
    let schedule = match &options.tile {
        Some(sizes) => {
            let schedule = tile_size::schedule_for(k, hex_dim, cone, sizes).map_err(tile_error)?;
            let bytes = prepared.shared_bytes(&schedule);
            // Larger ones need not even be counted.
            if limits.use_shared && bytes > limits.target.shared_per_block {
                return Err(shared_exceeded(bytes, limits.target.shared_per_block));
            }
            if let Some(n) = options.rows_per_thread {
                tile_size::check_rows(&schedule, n, options.threads)
                    .map_err(|error| rows_error(error, options))?;
            }
            Some((sizes, schedule))
        }
        None => None,
    };
    check_wavefront(options, hex_dim, cone.delta0.len())?;
    let mut all = Vec::new();
    for dim in wavefronts(options, hex_dim, cone.delta0.len()) {
        let limits = Limits {
            wavefront: dim.map(|dim| Wavefront {
                dim,
                lag: tile_size::USUAL_LAG,
            }),
            ..limits.clone()
        };
        match &schedule {
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

/// The ways to run tiles in parallel that are considered: hexagons alone, or
/// waves along a classical dimension, too. In three dimensions and more the
/// hexagons of a phase are too few for a GPU.
fn wavefronts(options: &Options, hex_dim: usize, n_space: usize) -> Vec<Option<usize>> {
    match options.wavefront {
        WavefrontChoice::None => vec![None],
        WavefrontChoice::Dim(dim) => vec![Some(dim)],
        WavefrontChoice::Auto if n_space < 3 => vec![None],
        WavefrontChoice::Auto => {
            let outermost = (0..n_space).find(|&d| d != hex_dim);
            vec![None, outermost]
        }
    }
}

/// The best of the ranked tiles, with its schedule; a wavefront with the lag
/// that isl proves.
fn first_provable<'a>(
    scop: &Scop,
    tiles: &'a [Choice],
    distances: &[hexcc_isl::Set],
    canonical: &Canonical,
    options: &Options,
) -> Result<Option<(&'a Choice, HybridSchedule)>> {
    for choice in tiles {
        let Some(wavefront) = choice.schedule.wavefront else {
            return Ok(Some((choice, choice.schedule.clone())));
        };
        let proven = sched::with_wavefront(&scop.ctx, &choice.schedule, distances, wavefront.dim)
            .map_err(not_proven)?;
        match proven {
            Some(schedule) => return Ok(Some((choice, schedule))),
            None if options.wavefront == WavefrontChoice::Dim(wavefront.dim) => {
                return Err(no_wavefront(canonical, wavefront.dim));
            }
            None => {}
        }
    }
    Ok(None)
}

fn unit_name(saved: &SavedScop, scop: &Scop, index: usize, options: &Options) -> String {
    let base = options.name.clone().unwrap_or_else(|| {
        let function = csource::enclosing_function(&saved.source.text, scop.region.start);
        format!(
            "hexcc_{}",
            function.map_or_else(|| "scop".to_string(), |f| f.name)
        )
    });
    if index == 0 {
        base
    } else {
        format!("{base}_{}", index + 1)
    }
}

fn tile_error(error: ScheduleError) -> Box<Diagnostic> {
    let code = match error {
        ScheduleError::WidthBelowMinimum { .. } => "HX0301",
        ScheduleError::HeightNotMultiple { .. } => "HX0302",
        _ => "HX0303",
    };
    let d = Diagnostic::error(code, format!("tile sizes do not fit: {error}"));
    if let ScheduleError::HeightNotMultiple { h, k } = error {
        let below = (h + 1) / k * k - 1;
        let legal = if below < 0 {
            format!("{}", k - 1)
        } else {
            format!("{below} or {}", below + k)
        };
        return Box::new(
            d.note("every tile must start with the same statement (CGO'14, section 3.3.2)")
                .help(format!("choose h = {legal}")),
        );
    }
    Box::new(match code {
        "HX0301" => d
            .note("a narrower hexagon would not be convex (CGO'14, equation (1))")
            .help("choose a larger w0, the first width in `--tile h=..,w=w0:..`, or a smaller h"),
        _ => {
            d.help("`--tile h=3,w=8:64` gives h and one width per space dimension, outermost first")
        }
    })
}

fn no_wavefront(canonical: &Canonical, dim: usize) -> Box<Diagnostic> {
    let name = canonical.names.get(dim + 1).map_or("?", String::as_str);
    Box::new(
        Diagnostic::error(
            "HX0304",
            format!("tiles along space dimension {dim} ({name}) cannot run in parallel waves"),
        )
        .note("they must be wider than the slopes of the dependences times the height of a tile")
        .help("choose wider tiles, name another dimension, or leave `--wavefront` away"),
    )
}

/// Refuses a wavefront along a dimension that is not classical.
fn check_wavefront(options: &Options, hex_dim: usize, n_space: usize) -> Result<()> {
    let WavefrontChoice::Dim(dim) = options.wavefront else {
        return Ok(());
    };
    if dim < n_space && dim != hex_dim {
        return Ok(());
    }
    let d = Diagnostic::error(
        "HX0304",
        format!("`--wavefront {dim}` names no classical dimension"),
    );
    let hexagons = format!(
        "along space dimension {hex_dim} tiles are hexagons, which run in parallel already"
    );
    let classical: Vec<String> = (0..n_space)
        .filter(|&d| d != hex_dim)
        .map(|d| d.to_string())
        .collect();
    Err(Box::new(match classical.as_slice() {
        [] => d
            .note(hexagons)
            .help("leave `--wavefront` away: the stencil has one dimension"),
        all => d.note(hexagons).help(format!(
            "choose {}, or leave `--wavefront` away",
            all.join(" or ")
        )),
    }))
}

/// Rows per thread that the given tile, or every one tried, cannot have.
fn rows_error(error: RowsError, options: &Options) -> Box<Diagnostic> {
    let given = format!(
        "`--rows-per-thread {}`",
        options.rows_per_thread.unwrap_or(0)
    );
    Box::new(match error {
        RowsError::OneDimension => Diagnostic::error(
            "HX0509",
            "`--rows-per-thread` has no effect in one dimension".to_string(),
        )
        .note("a tile is one row of contiguous points")
        .help("`--threads` says how many threads share it"),
        RowsError::TooMany(rows) => Diagnostic::error(
            "HX0509",
            format!("{given} has no effect: the tile has {rows} rows of contiguous points"),
        )
        .help(format!("choose {rows} at most, or a larger tile")),
        RowsError::TooFew { thread_rows, least } => {
            let threads = options.threads.unwrap_or(tile_size::MAX_THREADS);
            Diagnostic::error(
                "HX0510",
                format!("{given} needs {thread_rows} rows of threads, more than a block has"),
            )
            .note(format!(
                "a row of threads is a warp of 32 at least, and a block has at most {threads} threads"
            ))
            .help(format!("choose {least} or more rows, or a smaller tile"))
        }
    })
}

/// No tile size that was tried fits.
fn no_tile_for_rows(options: &Options) -> Box<Diagnostic> {
    let n = options.rows_per_thread.unwrap_or(0);
    let threads = options.threads.unwrap_or(tile_size::MAX_THREADS);
    Box::new(
        Diagnostic::error("HX0510", format!("no tile has `--rows-per-thread {n}`"))
            .note(format!(
                "of those tried that fit into shared memory, each has fewer rows, or more than a block of {threads} threads can take"
            ))
            .help("choose another number, or give sizes with `--tile`"),
    )
}

fn no_tile(limit: i64) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(
            "HX0402",
            format!("no tile fits into {limit} bytes of shared memory"),
        )
        .note("a tile holds the elements it reads and writes")
        .help("give sizes with `--tile`, raise `--shared-memory`, or use `--memory global`"),
    )
}

fn shared_exceeded(bytes: i64, limit: i64) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(
            "HX0403",
            format!("the tile needs {bytes} bytes of shared memory"),
        )
        .note(format!("a block can use at most {limit} bytes"))
        .help("choose smaller tile sizes, or `--memory global`"),
    )
}

fn not_proven(error: VerifyError) -> Box<Diagnostic> {
    Box::new(Diagnostic::bug(format!(
        "the schedule could not be proven legal: {error}"
    )))
}

/// The generated program.
///
/// # Errors
/// HX9001 if the source cannot be rewritten.
pub fn print_program(
    saved: &SavedScop,
    compiled: &Compiled,
    version: &str,
    instrument: Instrument,
) -> Result<String> {
    back::program(
        saved,
        &compiled.scop.region,
        &replacements(saved, compiled, version),
        &compiled.scop.unused,
        instrument,
    )
}

/// The C program with the results written to a file, to compare with.
///
/// # Errors
/// HX9001 if the source cannot be rewritten.
pub fn print_reference(saved: &SavedScop, compiled: &Compiled, version: &str) -> Result<String> {
    back::reference_program(
        saved,
        &compiled.scop.region,
        &replacements(saved, compiled, version),
    )
}

/// The text of kernels without comments about their origin, for NVRTC.
pub fn print_kernels(kernels: &[&KernelIr]) -> String {
    let mut text = HEADER_INCLUDES.to_string();
    for kernel in kernels {
        text.push_str(&deeply(|| back::print_kernel(kernel, &[])));
    }
    text
}

/// The text of a streamed kernel without comments about its origin, for NVRTC.
pub fn print_stream_kernel(kernel: &StreamKernel) -> String {
    let text = deeply(|| match kernel {
        StreamKernel::Rows(ir) => back::print_stream(ir, &[]),
        StreamKernel::Planes(ir) => back::print_blocks(ir, &[]),
    });
    // NVRTC does not find what CUDA's own header includes.
    let text = text.replacen("#include <cuda.h>\n", TENSOR_MAP, 1);
    format!("{HEADER_INCLUDES}{text}")
}

const TENSOR_MAP: &str = "struct alignas(128) CUtensorMap { unsigned long long opaque[16]; };\n";

const HEADER_INCLUDES: &str = "#pragma once\n#include <cuda_pipeline.h>\n#ifndef __CUDACC_RTC__\n#include <cuda_runtime.h>\n#include <limits.h>\n#include <math.h>\n#endif\n\n";

/// A header with the kernels and their launch functions on device pointers.
pub fn print_header(saved: &SavedScop, compiled: &Compiled, version: &str) -> String {
    let mut text = HEADER_INCLUDES.to_string();
    for unit in &compiled.units {
        text.push_str(&kernel_text(saved, compiled, unit, version));
        text.push('\n');
    }
    text
}

/// The namespace of a time loop.
fn kernel_text(saved: &SavedScop, compiled: &Compiled, unit: &Unit, version: &str) -> String {
    deeply(|| match &unit.stream {
        Some(StreamKernel::Rows(ir)) => {
            back::print_stream(ir, &stream_header(saved, compiled, unit, ir, version))
        }
        Some(StreamKernel::Planes(ir)) => {
            back::print_blocks(ir, &blocks_header(saved, compiled, unit, ir, version))
        }
        None => back::print_kernel(&unit.kernel, &header(saved, compiled, unit, version)),
    })
}

fn replacements<'a>(
    saved: &SavedScop,
    compiled: &'a Compiled,
    version: &str,
) -> Vec<Replacement<'a>> {
    (compiled.units.iter())
        .map(|unit| Replacement {
            span: unit.chunk.span.clone(),
            stencil: &unit.kernel.stencil,
            kernel: kernel_text(saved, compiled, unit, version),
            names: match &unit.stream {
                Some(StreamKernel::Rows(ir)) => back::stream_names(ir),
                Some(StreamKernel::Planes(ir)) => back::blocks_names(ir),
                None => back::argument_names(&unit.kernel),
            },
            workspaces: match &unit.stream {
                Some(StreamKernel::Rows(ir)) => back::workspaces(ir),
                _ => Vec::new(),
            },
            finals: &unit.chunk.finals,
        })
        .collect()
}

/// The comment at the head of a generated namespace.
fn header(saved: &SavedScop, compiled: &Compiled, unit: &Unit, version: &str) -> Vec<String> {
    let ir = &unit.kernel;
    let mut lines = vec![
        origin(saved, unit, version),
        String::new(),
        "Hybrid hexagonal/classical tiling (Grosser et al., CGO 2014); isl has proven that every"
            .to_string(),
        "instance runs once and every dependence is kept.".to_string(),
        match ir.schedule.k {
            1 => format!(
                "  logical time u = {}, coordinates ({})",
                ir.stencil.dims[0],
                ir.stencil.dims.join(", ")
            ),
            k => format!(
                "  logical time u = {k} {} + slot, coordinates ({})",
                ir.stencil.dims[0],
                ir.stencil.dims.join(", ")
            ),
        },
    ];
    for (j, dim) in ir.stencil.dims[1..].iter().enumerate() {
        let (delta0, delta1) = (unit.cone.delta0[j], unit.cone.delta1[j]);
        lines.push(if j == ir.schedule.hex_dim {
            format!(
                "  {dim}: hexagonal, delta0 = {delta0}, delta1 = {delta1}, h = {}, w0 = {}",
                ir.schedule.hexagon.h, ir.schedule.hexagon.w0
            )
        } else {
            let w = ir.schedule.classical_dim(j).map_or(0, |c| c.w);
            format!("  {dim}: classical, delta1 = {delta1}, w = {w}")
        });
    }
    let c = unit.counts;
    lines.push(match ir.schema {
        Schema::Shared => format!(
            "  a full tile: {} iterations, {} loads, {} stores, {} bytes of shared memory",
            c.iterations, c.loads, c.stores, ir.shared_bytes
        ),
        Schema::Global => format!(
            "  a full tile: {} iterations, all in global memory",
            c.iterations
        ),
    });
    lines.push(format!("  switches: {}", switches(ir)));
    if let Some(tuned) = &compiled.tuned {
        lines.push(format!("  {tuned}"));
    }
    lines.extend(exactness(&ir.stencil));
    lines
}

/// Where a kernel comes from, for the comment at its head.
fn origin(saved: &SavedScop, unit: &Unit, version: &str) -> String {
    let line = csource::line_col(&saved.source.text, unit.chunk.span.start).0;
    let path = &saved.source.path;
    let path = path.rsplit('/').next().unwrap_or(path);
    format!("Generated by hexcc {version} from {path}, line {line}.")
}

/// How exact results are.
fn exactness(stencil: &Stencil) -> Vec<String> {
    let line = if stencil.exact {
        "Built with `nvcc -fmad=false` the results equal the C program's bit for bit."
    } else {
        "Library functions differ from the host's by a few ulps; all else equals C (`nvcc -fmad=false`)."
    };
    let products = "Quotients of a float and a constant are products in double, which round to the same float.";
    let has_products = stencil.stmts.iter().any(KernelStmt::has_products);
    let mut lines = vec![line.to_string()];
    lines.extend(has_products.then(|| products.to_string()));
    lines
}

/// The comment at the head of a namespace with a streamed kernel.
fn stream_header(
    saved: &SavedScop,
    compiled: &Compiled,
    unit: &Unit,
    ir: &StreamIr,
    version: &str,
) -> Vec<String> {
    let mut lines = vec![
        origin(saved, unit, version),
        String::new(),
        "Overlapped tiling, streamed (Holewinski et al., ICS 2012): a launch advances all tiles by several".to_string(),
        "time steps; each computes the halo that its results depend on itself. isl has proven that it does.".to_string(),
    ];
    let (steps, v) = (ir.tile.steps, ir.tile.vector);
    let lanes = ir.result_lanes(steps);
    let (i, j) = ir.dims();
    if ir.has_planes() {
        let rows = ir.tile.rows * ir.tile.warps;
        lines.extend([
            format!(
                "  {}: streamed; a time step lags {} planes, a tile computes {} planes beside its results",
                ir.stencil.dims[1],
                ir.pipeline.step_lag,
                ir.growths.extra.at(steps)
            ),
            format!(
                "  {}: {rows} rows a block, {} of them results; those of other warps come through shared memory",
                ir.stencil.dims[2],
                ir.result_rows(steps)
            ),
            format!(
                "  {j}: {} columns a block, {} of them results; those of other lanes come by shuffles",
                32 * v,
                lanes * v
            ),
        ]);
    } else {
        lines.push(format!(
            "  {j}: {} columns a warp, {} of them results",
            32 * v,
            lanes * v
        ));
    }
    if let Some(i) = i.filter(|_| !ir.has_planes()) {
        lines.push(format!(
            "  {i}: streamed; a time step lags {} rows, a tile computes {} rows beside its results",
            ir.pipeline.step_lag,
            ir.growths.extra.at(steps)
        ));
    }
    lines.push(format!("  tile: {}", ir.tile));
    if let Some(tuned) = &compiled.tuned {
        lines.push(format!("  {tuned}"));
    }
    lines.extend(exactness(&ir.stencil));
    lines
}

/// The comment at the head of a namespace with a kernel that streams planes.
fn blocks_header(
    saved: &SavedScop,
    compiled: &Compiled,
    unit: &Unit,
    ir: &BlocksIr,
    version: &str,
) -> Vec<String> {
    let [_, i, j, k] = &ir.stencil.dims[..] else {
        return Vec::new();
    };
    let (columns, rows) = ir.extent();
    let (k_results, j_results) = ir.results(ir.tile.steps);
    let mut lines = vec![
        origin(saved, unit, version),
        String::new(),
        "Overlapped tiling, streamed (Holewinski et al., ICS 2012): a launch advances all tiles by several".to_string(),
        "time steps; each computes the halo that its results depend on itself. isl has proven that it does.".to_string(),
        format!("  {i}: streamed, a plane in each step of a block; {}", match ir.order {
            Order::Ripple => "a new row goes through all levels at once",
            Order::Late => "the last level comes first",
            Order::Chain(_) => "values are summed up plane by plane",
        }),
        format!("  {j}: {rows} rows a block, {j_results} of them results; a warp has {}, and those of others come through shared memory", ir.tile.rows),
        format!("  {k}: {columns} columns a block, {k_results} of them results; columns of other lanes come by shuffles"),
        "Level t: values t time steps after the first; 0 is loaded, T stored, those between live in registers.".to_string(),
        format!("  tile: {}", ir.tile),
    ];
    if let Some(tuned) = &compiled.tuned {
        lines.push(format!("  {tuned}"));
    }
    lines.extend(exactness(&ir.stencil));
    lines
}

/// The optimizations that a kernel has, for the comment at its head.
fn switches(ir: &KernelIr) -> String {
    let s = &ir.switches;
    let mut words = Vec::new();
    match ir.schema {
        Schema::Global => words.push("no shared memory"),
        Schema::Shared => {
            let is_aligned = |s: &kernel::SharedBox| s.vector > 1;
            let aligned = ir
                .stencil
                .arrays
                .iter()
                .filter_map(|a| a.shared.as_ref())
                .any(is_aligned);
            // Strided loops store as they compute.
            let copies_out = (ir.stencil.arrays.iter())
                .filter_map(|a| a.shared.as_ref())
                .any(|s| s.copy_out.is_some());
            words.push(match s.copy_out {
                CopyOut::Separate if copies_out => "copy-out separate",
                CopyOut::Separate | CopyOut::Interleaved => "copy-out interleaved",
                CopyOut::Live => "copy-out live",
            });
            words.push(if aligned {
                "aligned loads"
            } else {
                "loads not aligned"
            });
            words.push(match s.reuse {
                Reuse::None => "no reuse",
                Reuse::Static => "reuse static",
                Reuse::Dynamic => "reuse dynamic",
            });
        }
    }
    words.push(match (s.full_tiles, &ir.full) {
        (true, Some(_)) => "full tiles separate",
        (true, None) => "no full tiles",
        (false, _) => "full tiles not separate",
    });
    if !s.unroll {
        words.push("nothing unrolled");
    } else if ir.schema == Schema::Shared {
        words.push(match ir.unrolls_rows() {
            true => "rows unrolled",
            false => "points unrolled",
        });
    }
    let mut text = words.join(", ");
    // Of a thread; without the option as many as the threads leave.
    if let (true, Some(dim)) = (ir.rows_wanted, ir.schedule.row_dim()) {
        let n = ir.points_per_thread(dim);
        text += &format!(", {n} rows per thread along {}", ir.stencil.dims[dim + 1]);
    }
    text
}

/// Collects durations of passes; a pass that runs several times adds up.
struct Clock {
    ctx: Ctx,
    laps: Vec<(&'static str, Duration)>,
    /// The pass that runs, and since when.
    running: Option<(&'static str, Instant)>,
}

impl Clock {
    fn new(ctx: &Ctx) -> Clock {
        Clock {
            ctx: ctx.clone(),
            laps: Vec::new(),
            running: None,
        }
    }

    /// Ends the pass that runs and begins another one.
    ///
    /// # Errors
    /// HX0401 where the compilation has been stopped.
    fn begin(&mut self, name: &'static str) -> Result<()> {
        self.end()?;
        self.ctx.stopper().begin(name);
        self.running = Some((name, Instant::now()));
        Ok(())
    }

    /// Ends the pass that runs.
    ///
    /// # Errors
    /// HX0401 where the compilation has been stopped.
    fn end(&mut self) -> Result<()> {
        if let Some((name, since)) = self.running.take() {
            let elapsed = since.elapsed();
            match self.laps.iter_mut().find(|(n, _)| *n == name) {
                Some((_, total)) => *total += elapsed,
                None => self.laps.push((name, elapsed)),
            }
        }
        Ok(self.ctx.check()?)
    }
}
