//! Whether single steps take the place of tiles that apply: what decides, and what is said of it.
//!
//! Tiles that stay behind one launch per step are worse than none. In three space dimensions they have to be ahead by
//! `ADVANTAGE` of what is expected of single steps: where both are about equal, single steps have less
//! to lose, since they spill nothing and depend on no estimate of registers. In two, tiles that are taken spill nothing
//! either, and gain with more steps: single steps have to be ahead by `LEAD`.

use crate::compiled::Unit;
use crate::ctype::CType;
use crate::diag::{Diagnostic, Result};
use crate::kernel::warps::Shared;
use crate::kernel::{KernelArray, Stencil, Sub};
use crate::model::Resource;
use crate::scop::{Access, Chunk, Scop};
use crate::step_time::{MANY_CELLS, StepTime};
use crate::stream_size::StreamChoice;
use crate::tiling::hybrid::Hybrid;
use crate::tiling::overlapped::StreamKernel;
use crate::tiling::{Kernel, Tiled};
use hexcc_isl::DimType;

/// How many times faster than single steps tiles in three space dimensions are expected to be at least.
const ADVANTAGE: f64 = 1.1;

/// How many times faster than tiles in two space dimensions single steps are expected to be at least.
const LEAD: f64 = 1.1;

/// Measured over predicted speed in three space dimensions, on average, of the programs of
/// `bench/stencils` and `bench/apps` at the sizes that the model chooses (docs/notes/results.md, Applications):
/// of hybrid tiles, and of overlapped ones that stream patches and planes. In one dimension
/// the tiles of all programs measured were ahead of single steps, by 4 at least.
const DEEP_HYBRID: f64 = 0.87;
/// Hybrid tiles that are bound by instructions, of which the model counts too many, or compute in
/// `double` (j3d27pt).
const BUSY_HYBRID: f64 = 1.2;
/// Hybrid tiles in three space dimensions of which no estimate is good, because they spill: the
/// addresses of so many slices of shared memory do not fit into registers.
const CROWDED_HYBRID: f64 = 0.62;
/// Time buffers of an array from which on they are crowded (acoustic3d, levels3d, wave3d).
const MANY_BUFFERS: i64 = 3;
/// The same for arrays (maxwell3d, elastic3d; six of fdtd3d do not spill).
const MANY_ARRAYS: usize = 7;
/// Reach of an access from which on they are crowded (acoustic3d, seismic3d; wide3d on an H200: 197
/// GCell/s with 96 bytes of spills, 247 in single steps at 384^3).
const FAR: i64 = 3;
/// See [`DEEP_HYBRID`]: of nine programs 0.7 (faces3d) to 1.5, the median.
const PATCHES: f64 = 1.2;
/// The same in domains of [`FEW_CELLS`]: of wave3d at 96^3 (0.71) and 128^3 (0.84, 0.89). Smaller ones were not measured.
const FEW_PATCHES: f64 = 0.85;
/// From 80^3 to 192^3.
const FEW_CELLS: std::ops::Range<f64> = 512_000.0..7_077_888.0;
/// See [`DEEP_HYBRID`].
const PLANES: f64 = 0.85;
/// The same of what is predicted without fused multiply-add: of star3d1r (0.99), star3d2r (1.10) and j3d27pt (0.97), with 50 steps.
const PLANES_APART: f64 = 1.05;

/// Measured over predicted speed of hybrid tiles in two space dimensions, where the model takes them: of elastic2d (1.29),
/// peronamalik2d, gradient2d, lbm_d2q9, rician2d and tv2d (0.85) the median.
const FLAT_HYBRID: f64 = 1.03;
/// The same of those that compute in `double`: of gradient2d, rician2d (1.07) and tv2d (1.57).
const FLAT_DOUBLE: f64 = 1.45;
/// The same of overlapped tiles whose warps stream rows, predicted with multiplications fused or apart, as nvcc has them: the
/// median of 16 records of 13 programs without FMA and with 32 to 512 steps (0.72 to 1.24); that of 15 with FMA and 1000 steps is 0.97
/// (0.86 to 1.07). Not among them are fdtd2d and wave2d with 32 steps, which are no multiple of their tiles'.
const ROWS: f64 = 0.95;

/// The same of patches that blocks hold in registers: of 13 programs at 1024^2 and 2048^2 on an H200.
const HELD: f64 = 0.95;

/// The speed that is expected of the tiles of a time loop, given what has been measured of others of
/// their kind; `None` where nothing is predicted, or tiles are always better. In two space dimensions nothing was measured of small
/// grids, whose launches take longer to start than to run.
fn expected(unit: &Unit) -> Option<f64> {
    let extents = &unit.tiled.problem.extents;
    let n_space = extents.len();
    match &unit.tiled.kernel {
        _ if n_space < 2 => None,
        Kernel::Overlapped(kernel, _) if kernel.shared() == Some(Shared::Steps) => {
            Some(of_rows(unit.stream_choice()?, unit.tiled.fuses, extents))
        }
        _ if n_space == 2 && extents.iter().product::<f64>() < MANY_CELLS => None,
        Kernel::Hybrid(hybrid) => of_hybrid(hybrid),
        Kernel::Overlapped(kernel, _) if kernel.shared().is_some() => None,
        Kernel::Overlapped(StreamKernel::Planes(_), _) => {
            Some(of_planes(unit.stream_choice()?, unit.tiled.fuses))
        }
        Kernel::Overlapped(StreamKernel::Rows(_), _) => {
            Some(of_rows(unit.stream_choice()?, unit.tiled.fuses, extents))
        }
    }
}

/// The speed that is expected of hybrid tiles; `None` where none is predicted.
pub(crate) fn of_hybrid(hybrid: &Hybrid) -> Option<f64> {
    let predicted = hybrid.choice().or(hybrid.tiles.first())?.prediction?.gcells;
    Some(match hybrid.schedule.n_space {
        ..2 => predicted,
        2 if is_double(hybrid) => predicted * FLAT_DOUBLE,
        2 => predicted * FLAT_HYBRID,
        _ => predicted * share_of_deep(hybrid),
    })
}

/// The same of overlapped tiles whose warps stream rows, or, in three space dimensions, patches, or whose blocks hold these in
/// registers. `fuses` tells whether nvcc fuses products with sums.
pub(crate) fn of_rows(choice: &StreamChoice, fuses: bool, extents: &[f64]) -> f64 {
    let flat = choice.apart.filter(|_| !fuses).unwrap_or(choice.gcells);
    match extents.len() {
        ..2 => choice.gcells,
        2 if choice.shared == Some(Shared::Steps) => flat * HELD,
        2 => flat * ROWS,
        _ if FEW_CELLS.contains(&extents.iter().product()) => choice.gcells * FEW_PATCHES,
        _ => choice.gcells * PATCHES,
    }
}

/// The same of those whose blocks stream planes.
pub(crate) fn of_planes(choice: &StreamChoice, fuses: bool) -> f64 {
    match choice.apart.filter(|_| !fuses) {
        Some(apart) => apart * PLANES_APART,
        None => choice.gcells * PLANES,
    }
}

/// Whether an array in `double` is computed.
fn is_double(hybrid: &Hybrid) -> bool {
    let wide = |a: &KernelArray| a.written && a.elem == CType::Double;
    hybrid.kernel.stencil.arrays.iter().any(wide)
}

/// Measured over predicted speed of hybrid tiles in three space dimensions.
fn share_of_deep(hybrid: &Hybrid) -> f64 {
    let prediction = hybrid.choice().and_then(|choice| choice.prediction);
    match prediction.map(|p| p.limiting) {
        _ if is_crowded(&hybrid.kernel.stencil) => CROWDED_HYBRID,
        _ if is_double(hybrid) => BUSY_HYBRID,
        Some(Resource::Issue | Resource::Arithmetic) => BUSY_HYBRID,
        _ => DEEP_HYBRID,
    }
}

/// Whether tiles have more slices of shared memory than registers for their addresses.
fn is_crowded(stencil: &Stencil) -> bool {
    let crowds = |sub: &Sub| match sub {
        Sub::Time { modulo, .. } => modulo.is_some_and(|m| m >= MANY_BUFFERS),
        Sub::Space { offset, .. } => offset.abs() >= FAR,
        _ => false,
    };
    let mut accesses = (stencil.stmts.iter()).flat_map(|s| s.elements().chain([&s.write]));
    // A number of each step is no slice.
    let slices = stencil.arrays.iter().filter(|a| a.shared.is_some());
    slices.count() >= MANY_ARRAYS || accesses.any(|a| a.subs.iter().any(crowds))
}

/// Why single steps are better than the tiles of all loops of a region, where that is expected: what
/// is said of the longest one.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn over_all_tiles(scop: &Scop, units: &[Unit]) -> Result<Option<Box<Diagnostic>>> {
    let mut reasons = Vec::new();
    for unit in units {
        match over_tiles(scop, unit)? {
            Some(reason) => reasons.push((unit.analysis.chunk.span.len(), reason)),
            None => return Ok(None),
        }
    }
    let longest = reasons.into_iter().max_by_key(|(length, _)| *length);
    Ok(longest.map(|(_, reason)| reason))
}

/// Why single steps are better than the tiles of a loop, where that is expected.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn over_tiles(scop: &Scop, unit: &Unit) -> Result<Option<Box<Diagnostic>>> {
    let Some(steps) = &unit.tiled.steps else {
        return Ok(None);
    };
    let by_layout = by_layout(scop, &unit.analysis.chunk)?;
    Ok(by_layout.or_else(|| by_time(unit, steps)))
}

fn by_time(unit: &Unit, steps: &StepTime) -> Option<Box<Diagnostic>> {
    let expected = expected(unit)?;
    let per_point = steps.points();
    let (needed, rule) = match unit.tiled.problem.extents.len() {
        2 => (
            per_point / LEAD,
            "one launch per step is taken where it is ahead by a tenth",
        ),
        _ => (
            per_point * ADVANTAGE,
            "tiles are taken where they are ahead by a tenth",
        ),
    };
    if expected >= needed {
        return None;
    }
    let chunk = &unit.analysis.chunk;
    Some(Box::new(
        Diagnostic::error("HX0210", "tiles are not expected to be faster")
            .at(chunk.span.clone(), "this time loop could be tiled")
            .note(format!(
                "expected of {}: {expected:.0} GCell/s; of one launch per step: {per_point:.0}, of {} bytes a cell each",
                tiles(&unit.tiled),
                steps.bytes
            ))
            .note(format!("for {}; {rule}", unit.tiled.problem))
            .help("`--tiling hybrid` or `--tiling overlapped` makes tiles nevertheless; `hexcc tune` measures all of them"),
    ))
}

fn tiles(tiled: &Tiled) -> String {
    match &tiled.kernel {
        Kernel::Hybrid(hybrid) => format!("hybrid tiles, {}", hybrid.schedule.sizes()),
        Kernel::Overlapped(kernel, _) => format!("overlapped tiles, {}", kernel.tile()),
    }
}

/// Why the tiles of a loop are slow: each cell of an array has several numbers in a row, as those
/// of an array of structs do, so that neighbouring threads use elements that lie apart. (Tiles
/// of structs2d were up to 9 times slower; see docs/notes/results.md.)
pub(crate) fn by_layout(scop: &Scop, chunk: &Chunk) -> Result<Option<Box<Diagnostic>>> {
    let stmts = scop.of_chunk(chunk);
    for stmt in &stmts {
        let id = stmt.write.array;
        let of_array = (stmts.iter())
            .flat_map(|stmt| stmt.accesses())
            .filter(|access| access.array == id)
            .map(|access| is_component(scop, access))
            .collect::<Result<Vec<bool>>>()?;
        if of_array.into_iter().all(|is| is) {
            let name = scop.memory(id);
            let d = Diagnostic::error(
                "HX0209",
                format!("each cell of `{name}` has several numbers in a row"),
            )
            .at(stmt.span.clone(), "one of them is computed here")
            .note("neighbouring cells lie apart in memory, with which tiles are slower than one launch per step")
            .help("arrays with one number for each cell have fast tiles; `--tiling hybrid` makes tiles nevertheless");
            return Ok(Some(Box::new(d)));
        }
    }
    Ok(None)
}

/// Why the tiles of all loops are slow, by loop; `None` where those of one may be fast.
pub(crate) fn by_layouts(scop: &Scop, chunks: &[Chunk]) -> Result<Option<Vec<Diagnostic>>> {
    let of = |chunk| Ok(by_layout(scop, chunk)?.map(|slow| *slow));
    chunks.iter().map(of).collect()
}

/// Whether an access is to one of the numbers of a cell, the same in all instances.
fn is_component(scop: &Scop, access: &Access) -> Result<bool> {
    let extents = &scop.array(access.array).extents;
    let (Some(extent), n) = (extents.last(), extents.len() as u32) else {
        return Ok(false);
    };
    let extent = extent.gist_params(&extent.domain()?)?;
    let sized = extent.involves(DimType::Param, 0, extent.dim(DimType::Param)? as u32)?;
    let last = access.map.range()?.project_out(DimType::Set, 0, n - 1)?;
    Ok(n > 1 && !sized && last.is_singleton()?)
}
