//! The passes, top to bottom.

pub use crate::back::Instrument;
use crate::back::{self, Replacement};
use crate::canonical::{self, Canonical};
use crate::csource;
use crate::deps::{self, DepCone};
use crate::diag::{Diagnostic, Result};
use crate::kernel::{self, KernelIr, LowerOptions, Schema, TileCounts};
use crate::sched::{self, HybridSchedule, Proof, ScheduleError, TileSizes, VerifyError};
use crate::scop::{self, Chunk, SavedScop, Scop};
use crate::temporaries;
use crate::tile_size::{self, Limits};
use hexcc_isl::Ctx;
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
    /// Threads per block wanted.
    pub threads: i64,
    /// Shared memory a block may use, bytes.
    pub shared_limit: i64,
    /// Copies of 16 bytes where the tile sizes allow it (CGO'14 section 4.2.3).
    pub aligned_loads: bool,
    /// Tiles reuse the columns of the tile before them (section 4.2.2).
    pub reuse: bool,
    /// Classical dimension whose tiles run in parallel, too.
    pub wavefront: Option<usize>,
    /// Bound on isl's work; 0 for none.
    pub isl_quota: u64,
    /// Namespace of the generated code; `hexcc_` and the function where absent.
    pub name: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            tile: None,
            hex_dim: None,
            schema: Schema::Shared,
            threads: 256,
            shared_limit: DEFAULT_SHARED_LIMIT,
            aligned_loads: true,
            reuse: true,
            wavefront: None,
            isl_quota: 200_000_000,
            name: None,
        }
    }
}

/// Two blocks per multiprocessor of an H200 (228 KiB, 1 KiB reserved per
/// block), rounded down.
pub const DEFAULT_SHARED_LIMIT: i64 = 96 * 1024;

/// The most shared memory a block of the target can ask for (H100, H200).
pub const MAX_SHARED_BYTES: i64 = 227 * 1024;

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
    /// The kernel.
    pub kernel: KernelIr,
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
}

/// Compiles a scop.
///
/// # Errors
/// A diagnostic of any code; see [`crate::diag`].
pub fn compile(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<Compiled> {
    let mut clock = Clock {
        laps: Vec::new(),
        last: Instant::now(),
    };
    ctx.set_max_operations(options.isl_quota);
    let mut scop = scop::build(ctx, &saved.source, &saved.scop)?;
    temporaries::substitute(&mut scop, &saved.source, &saved.scop)?;
    clock.lap("scop");
    if scop.stmts.is_empty() {
        return Err(Box::new(
            Diagnostic::error("HX0102", "the scop has no statements")
                .at(scop.region.clone(), "nothing to compute here")
                .help("put the time loop between `#pragma scop` and `#pragma endscop`"),
        ));
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
    })
}

fn unit(
    scop: &Scop,
    saved: &SavedScop,
    chunk: &Chunk,
    index: usize,
    options: &Options,
    clock: &mut Clock,
) -> Result<Unit> {
    let source = &saved.source;
    let canonical = canonical::canonicalize(scop, source, chunk)?;
    clock.lap("dependences");
    let cone = deps::cone(scop, source, &canonical)?;
    clock.lap("cone");
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
            .help(format!(
                "0 is the outermost ({}), {} the innermost",
                canonical.names[1],
                canonical.n_space - 1
            )),
        ));
    }
    let prepared = kernel::prepare(scop, source, &canonical)?;
    clock.lap("accesses");
    let mut schedule = match &options.tile {
        Some(sizes) => {
            tile_size::schedule_for(canonical.k, hex_dim, &cone, sizes).map_err(tile_error)?
        }
        None => {
            let limits = Limits {
                shared_bytes: options.shared_limit,
                use_shared: options.schema == Schema::Shared,
                threads: options.threads,
            };
            let best = tile_size::candidates(&prepared, canonical.k, hex_dim, &cone, limits);
            best.into_iter()
                .next()
                .map(|c| c.schedule)
                .ok_or_else(|| no_tile(options))?
        }
    };
    clock.lap("tile sizes");
    let distances: Vec<_> = deps::all_distances(&canonical)?.into_iter().collect();
    if let Some(dim) = options.wavefront {
        schedule = sched::with_wavefront(&scop.ctx, &schedule, &distances, dim)
            .map_err(not_proven)?
            .ok_or_else(|| no_wavefront(&canonical, dim))?;
    }
    let proof = sched::verify(&scop.ctx, &schedule, &distances).map_err(not_proven)?;
    clock.lap("proof");
    let counts = prepared.count(&schedule);
    if options.schema == Schema::Shared && counts.shared_bytes > MAX_SHARED_BYTES {
        return Err(shared_exceeded(counts.shared_bytes));
    }
    let lower = LowerOptions {
        name: unit_name(saved, scop, index, options),
        schema: options.schema,
        threads: options.threads,
        aligned_loads: options.aligned_loads,
        reuse: options.reuse,
    };
    let kernel = kernel::lower(&prepared, &schedule, &lower)?;
    clock.lap("kernel");
    Ok(Unit {
        chunk: chunk.clone(),
        canonical,
        cone,
        schedule,
        proof,
        counts,
        kernel,
    })
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
            "HX0305",
            format!("tiles along space dimension {dim} ({name}) cannot run in parallel waves"),
        )
        .note("only classical dimensions with tiles wider than the slopes times the height can")
        .help("name another dimension, choose wider tiles, or leave `--wavefront` away"),
    )
}

fn no_tile(options: &Options) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(
            "HX0402",
            format!(
                "no tile fits into {} bytes of shared memory",
                options.shared_limit
            ),
        )
        .note("a tile holds the elements it reads and writes")
        .help("give sizes with `--tile`, raise `--shared-memory`, or use `--memory global`"),
    )
}

fn shared_exceeded(bytes: i64) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(
            "HX0403",
            format!("the tile needs {bytes} bytes of shared memory"),
        )
        .note(format!("a block can use at most {MAX_SHARED_BYTES} bytes"))
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
        &saved.source,
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
        &saved.source,
        &compiled.scop.region,
        &replacements(saved, compiled, version),
    )
}

/// A header with the kernels and their launch functions on device pointers.
pub fn print_header(saved: &SavedScop, compiled: &Compiled, version: &str) -> String {
    let mut text = String::from(
        "#pragma once\n#include <cuda_pipeline.h>\n#include <cuda_runtime.h>\n#include <math.h>\n\n",
    );
    for unit in &compiled.units {
        text.push_str(&back::print_kernel(
            &unit.kernel,
            &header(saved, unit, version),
        ));
        text.push('\n');
    }
    text
}

fn replacements<'a>(
    saved: &SavedScop,
    compiled: &'a Compiled,
    version: &str,
) -> Vec<Replacement<'a>> {
    (compiled.units.iter())
        .map(|unit| Replacement {
            span: unit.chunk.span.clone(),
            ir: &unit.kernel,
            kernel: back::print_kernel(&unit.kernel, &header(saved, unit, version)),
        })
        .collect()
}

/// The comment at the head of a generated namespace.
fn header(saved: &SavedScop, unit: &Unit, version: &str) -> Vec<String> {
    let line = csource::line_col(&saved.source.text, unit.chunk.span.start).0;
    let path = saved
        .source
        .path
        .rsplit('/')
        .next()
        .unwrap_or(&saved.source.path);
    let ir = &unit.kernel;
    let mut lines =
        vec![
        format!("Generated by hexcc {version} from {path}, line {line}."),
        String::new(),
        "Hybrid hexagonal/classical tiling (Grosser et al., CGO 2014); isl has proven that every"
            .to_string(),
        "instance runs once and every dependence is kept.".to_string(),
        match ir.schedule.k {
            1 => format!("  logical time u = {}, coordinates ({})", ir.dims[0], ir.dims.join(", ")),
            k => format!(
                "  logical time u = {k} {} + slot, coordinates ({})",
                ir.dims[0],
                ir.dims.join(", ")
            ),
        },
    ];
    for (j, dim) in ir.dims[1..].iter().enumerate() {
        let (delta0, delta1) = (unit.cone.delta0[j], unit.cone.delta1[j]);
        lines.push(if j == ir.schedule.hex_dim {
            format!(
                "  {dim}: hexagonal, delta0 = {delta0}, delta1 = {delta1}, h = {}, w0 = {}",
                ir.schedule.hexagon.h, ir.schedule.hexagon.w0
            )
        } else {
            let w = ir
                .schedule
                .classical
                .iter()
                .find(|c| c.dim == j)
                .map_or(0, |c| c.w);
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
    lines.push(if ir.exact {
        "Built with `nvcc -fmad=false` the results equal the C program's bit for bit.".to_string()
    } else {
        "Library functions differ from the host's by a few ulps; all else equals C (`nvcc -fmad=false`).".to_string()
    });
    lines
}

/// Collects durations of passes; a pass that runs several times adds up.
struct Clock {
    laps: Vec<(&'static str, Duration)>,
    last: Instant,
}

impl Clock {
    fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        let elapsed = now - self.last;
        self.last = now;
        match self.laps.iter_mut().find(|(n, _)| *n == name) {
            Some((_, total)) => *total += elapsed,
            None => self.laps.push((name, elapsed)),
        }
    }
}
