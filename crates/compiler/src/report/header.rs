//! The comment at the head of generated code.

use crate::compiled::{Compiled, Stepwise, Unit};
use crate::interface::Interface;
use crate::kernel::blocks::{BlocksIr, Order};
use crate::kernel::stream::StreamIr;
use crate::kernel::warps::Shared;
use crate::kernel::{self, CopyOut, KernelArray, KernelIr, KernelStmt, Reuse, Schema, Stencil};
use crate::options::Language;
use crate::quotient::Form;
use crate::scop::Around;
use crate::tiling::hybrid::Hybrid;
use crate::tiling::overlapped::StreamKernel;

/// The comment at the head of a namespace with a kernel of hybrid tiling.
pub(crate) fn of_hybrid(
    around: Around,
    compiled: &Compiled,
    unit: &Unit,
    hybrid: &Hybrid,
    version: &str,
) -> Vec<String> {
    let ir = &hybrid.kernel;
    let mut lines = vec![
        origin(around, unit.analysis.chunk.span.start, version),
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
        let (delta0, delta1) = (unit.analysis.cone.delta0[j], unit.analysis.cone.delta1[j]);
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
    let c = hybrid.counts;
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
    lines.extend(exactness(around, &ir.stencil));
    lines
}

/// The comment at the head of a namespace with a kernel of overlapped tiling.
pub(crate) fn of_overlapped(
    around: Around,
    compiled: &Compiled,
    unit: &Unit,
    kernel: &StreamKernel,
    version: &str,
) -> Vec<String> {
    let at = unit.analysis.chunk.span.start;
    let mut lines = vec![origin(around, at, version), String::new()];
    lines.extend(tiles_of(kernel));
    lines.extend(compiled.tuned.iter().map(|tuned| format!("  {tuned}")));
    if unit.rounds().is_some() {
        lines.extend(sums("Tiles have parts of sums, which are added"));
    }
    lines.extend(exactness(around, kernel.stencil()));
    lines
}

/// The tiles of overlapped tiling, in words.
pub(crate) fn tiles_of(kernel: &StreamKernel) -> Vec<String> {
    let mut lines = vec![
        "Overlapped tiling, streamed (Holewinski et al., ICS 2012): a launch advances all tiles by several".to_string(),
        "time steps; each computes the halo that its results depend on itself. isl has proven that it does.".to_string(),
    ];
    lines.extend(match kernel {
        StreamKernel::Rows(ir) => rows(ir),
        StreamKernel::Planes(ir) => planes(ir),
    });
    lines.push(format!("  tile: {}", kernel.tile()));
    if let StreamKernel::Rows(ir) = kernel
        && let Some(around) = &ir.around
    {
        let dims = ir.stencil.dims.iter().skip(1).zip(&around.beside);
        let beside: Vec<String> = (dims.filter(|(_, beside)| **beside > 0))
            .map(|(dim, beside)| format!("{beside} cells on either side of {dim}"))
            .collect();
        lines.push("The domain goes around. Every array has the domain's own cells beside it once more, and they are filled before".to_string());
        lines.push(format!(
            "each launch: {}; launches of device arrays expect room for them.",
            beside.join(", ")
        ));
    }
    lines
}

/// Of a warp that streams rows, or planes of its patch.
fn rows(ir: &StreamIr) -> Vec<String> {
    let mut lines = Vec::new();
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
    if let Some(warps) = &ir.warps {
        let tile = &warps.tile;
        lines.push(format!("  tile of launches of less steps: {}", ir.tile));
        let (steps, name) = (tile.steps(), tile.shared.name());
        let (width, results) = (tile.width(), warps.results(ir));
        let of_block = match tile.shared {
            Shared::Columns => {
                let levels = tile.levels;
                format!(
                    "a block has {width} columns, {results} of them results, and a warp {levels} levels"
                )
            }
            Shared::Steps => {
                let (rows, [_, of_results]) = (tile.rows * tile.warps, warps.patch_rows());
                format!("of {rows} rows and {width} columns {of_results} and {results} are results")
            }
        };
        lines.push(format!(
            "  most launches: {steps} steps, {name}; {of_block}"
        ));
    }
    lines
}

/// Of a block that streams planes.
fn planes(ir: &BlocksIr) -> Vec<String> {
    let [_, i, j, k] = &ir.stencil.dims[..] else {
        return Vec::new();
    };
    let (columns, rows) = ir.extent();
    let (k_results, j_results) = ir.results(ir.tile.steps);
    let order = match ir.order {
        Order::Ripple => "a new row goes through all levels at once",
        Order::Late => "the last level comes first",
        Order::Chain(_) => "values are summed up plane by plane",
    };
    vec![
        format!("  {i}: streamed, a plane in each step of a block; {order}"),
        format!("  {j}: {rows} rows a block, {j_results} of them results; a warp has {}, and those of others come through shared memory", ir.tile.rows),
        format!("  {k}: {columns} columns a block, {k_results} of them results; columns of other lanes come by shuffles"),
        "Level t: values t time steps after the first; 0 is loaded, T stored, those between live in registers.".to_string(),
    ]
}

/// Where a kernel comes from, for the comment at its head.
fn origin(around: Around, at: usize, version: &str) -> String {
    if let Some(name) = around.name {
        return format!("Generated by hexcc {version} from the stencil `{name}`.");
    }
    let line = around.source.line(at);
    let path = &around.source.path;
    let path = path.rsplit('/').next().unwrap_or(path);
    format!("Generated by hexcc {version} from {path}, line {line}.")
}

/// What arrays are in the program whose planes it has behind several pointers.
pub(crate) fn swapped(interface: &Interface) -> Vec<String> {
    let arrays = interface.arrays.iter().filter(|a| !a.parts.is_empty());
    let line = |array: &KernelArray| {
        let (name, pointers) = (&array.name, array.parts.join(", "));
        let n = array.parts.len() - 1;
        format!(
            "{name}: planes 0 to {n} are what {pointers} point to at first; the program swaps these after each step."
        )
    };
    arrays.map(line).collect()
}

/// How exact results are.
fn exactness(around: Around, stencil: &Stencil) -> Vec<String> {
    let products = "Quotients of a float and a constant are products in double, which round to the same float.";
    let forms: Vec<Form> = stencil
        .stmts
        .iter()
        .flat_map(KernelStmt::quotients)
        .collect();
    let mut lines = swapped(stencil);
    lines.push(bits(around, stencil));
    lines.extend((forms.contains(&Form::Product)).then(|| products.to_string()));
    let fused = forms.iter().any(|form| matches!(form, Form::Fused(_)));
    let parts = "Quotients by constants are two products, proven to be equal to a division's for every operand.";
    lines.extend(fused.then(|| parts.to_string()));
    lines
}

/// Whether results are those of C, or of what a program has built, to the last bit.
fn bits(around: Around, interface: &Interface) -> String {
    match (around.name, interface.exact) {
        (None, true) => "Built with `nvcc -fmad=false` the results equal the C program's bit for bit.",
        (None, false) => "Library functions differ from the host's by a few ulps; all else equals C (`nvcc -fmad=false`).",
        (Some(_), true) => "Built with `nvcc -fmad=false` every operation rounds as in C, in the order of the stencil.",
        (Some(_), false) => "Library functions differ from a host's by a few ulps; all else rounds as in C (`nvcc -fmad=false`).",
    }
    .to_string()
}

/// The comment at the head of a namespace with single steps.
pub(crate) fn of_steps(around: Around, part: &Stepwise, version: &str) -> Vec<String> {
    vec![
        origin(around, part.span.start, version),
        String::new(),
        "Single steps: a kernel for each nest of parallel loops, launched in the order of the program.".to_string(),
        "isl has proven that no two threads of a launch touch an element that one of them writes.".to_string(),
    ]
    .into_iter()
    .chain(sums_of_all(part))
    .chain(swapped(&part.interface))
    .chain([bits(around, &part.interface)])
    .collect()
}

/// What is said of sums that all threads compute.
fn sums_of_all(part: &Stepwise) -> impl Iterator<Item = String> + use<> {
    let all = (part.plan.rounds()).map(|_| sums("All threads compute sums together,"));
    all.into_iter().flatten()
}

/// What is said of sums of which several have parts.
fn sums(who: &str) -> [String; 2] {
    [
        format!("{who} in an order that is the same in every run but not C's:"),
        "these round in other places.".to_string(),
    ]
}

/// Of the loops of a part of the region in a program that stays C.
pub(crate) fn of_loops(
    around: Around,
    part: &Stepwise,
    (version, language): (&str, Language),
) -> Vec<String> {
    let mut lines = vec![origin(around, part.span.start, version), String::new()];
    let what = match &part.tiles {
        None => [
            "Single steps: parallel loops in the order of the program. isl has proven that no two"
                .to_string(),
            "threads of a loop touch an element that one of them writes.".to_string(),
        ],
        Some(tiles) => [
            format!(
                "Hybrid hexagonal/classical tiling (Grosser et al., CGO 2014), {}; isl has",
                tiles.sizes()
            ),
            "proven that every instance runs once and every dependence is kept.".to_string(),
        ],
    };
    lines.extend(what);
    lines.extend(sums_of_all(part));
    let equal = match (language, part.interface.exact) {
        (Language::OpenCl, true) => [
            "Built with `cc -O2 -ffp-contract=off .. -lOpenCL` the results equal the C program's bit",
            "for bit.",
        ],
        (Language::OpenCl, false) => [
            "Library functions differ from the host's by a few ulps; all else equals C, built with",
            "`cc -O2 -ffp-contract=off .. -lOpenCL`.",
        ],
        _ => [
            "Built with `cc -O3 -march=native -fopenmp -ffp-contract=off` the results equal the C",
            "program's bit for bit.",
        ],
    };
    lines.extend(equal.map(String::from));
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
