//! Sizes of patches that blocks hold in registers ([`crate::kernel::warps`]), and what is predicted for them.
//!
//! Small grids are what they are for: a launch takes as long as it takes to start, to load and to store, and then its steps, which
//! the blocks of a multiprocessor issue at the same time. `docs/notes/results.md` has the measurements.

use crate::kernel::stream::{Growths, PRECISE_SLOTS, StreamIr, StreamWork};
use crate::kernel::warps::{Shared, WarpTile, WarpsIr, handed_on, planes, rows_beside};
use crate::model::Problem;
use crate::stream_size::{CONVERSION_LANES, StreamChoice};
use crate::target::Target;

/// Registers of a thread beside rows: addresses, bounds, conditions, temporaries.
const OTHER_REGISTERS: i64 = 44;

// Fitted to 828 measurements of star2d1r (512^2 to 4096^2, and in `double`), box2d1r, gradient2d and grayscott2d on an H200: what is
// predicted to be fastest is at 0.94 or more of the best in each.

/// Instructions for a cell of a field and step beside the statement's: a move, and what tests of edges come to.
const CELL_SLOTS: f64 = 1.5;

/// The same where a lane has more than one vector of a row.
const WIDE_SLOTS: f64 = 3.8;

/// Instructions that wait for a row of another warp, for each vector of it.
const EDGE_SLOTS: f64 = 2.4;

/// Share of issue slots that are used.
const ISSUE_SHARE: f64 = 0.86;

/// Microseconds of a launch in which nothing but loads and stores is on the way.
const MEMORY_US: f64 = 2.7;

/// The same of each further wave of blocks.
const WAVE_US: f64 = 1.5;

/// Warps of a block, and blocks of a multiprocessor.
const BLOCKS: [(i64, i64); 4] = [(8, 2), (8, 1), (16, 1), (4, 4)];

/// Rows of a warp that are tried.
const ROWS: [i64; 10] = [3, 4, 5, 6, 7, 8, 10, 12, 14, 16];

/// Instructions of a step that run without waiting for instructions: both ways are there, of full patches and others.
const LONG_STEP: f64 = 1800.0;

/// Registers of a thread.
fn registers(ir: &StreamIr, tile: WarpTile) -> i64 {
    let words = (4 / WarpsIr::lanes(ir)).max(1);
    let of_field = |f: usize| {
        let (above, below) = rows_beside(ir, f);
        let held = planes(ir, f) * (above + tile.rows + below) + above + 1;
        held * words * tile.columns
    };
    (0..ir.fields.len()).map(of_field).sum::<i64>() + OTHER_REGISTERS
}

/// Registers that a thread may have.
fn available(tile: WarpTile, target: &Target) -> i64 {
    let threads = 32 * tile.warps * tile.blocks;
    (target.registers_per_sm / threads / 8 * 8).min(255)
}

/// Sizes whose rows fit into registers, with 3 to 16 steps.
pub fn candidates(ir: &StreamIr, target: &Target) -> Vec<WarpTile> {
    let lanes = WarpsIr::lanes(ir);
    let mut all = Vec::new();
    for (warps, blocks) in BLOCKS {
        for columns in [lanes, 2 * lanes] {
            for rows in ROWS {
                for levels in [3, 4, 6, 8, 10, 12, 16] {
                    let tile = WarpTile {
                        shared: Shared::Steps,
                        levels,
                        columns,
                        warps,
                        rows,
                        ahead: 0,
                        blocks,
                    };
                    let fits = tile.fits(ir) && registers(ir, tile) <= available(tile, target);
                    if fits {
                        all.push(tile);
                    }
                }
            }
        }
    }
    all
}

/// The prediction for one size, where nvcc fuses products with sums and where it does not; `None` where it has no results.
pub fn predict(
    ir: &StreamIr,
    tile: WarpTile,
    work: &StreamWork,
    target: &Target,
    problem: &Problem,
) -> Option<StreamChoice> {
    let growths = Growths::of(&tile.pipeline(&ir.pipeline)?, tile.steps());
    let (columns_of, rows_of) = (tile.results(&growths, ir), tile.result_rows(&growths));
    if columns_of < 1 || rows_of < 1 {
        return None;
    }
    let columns = problem.extents.last().copied().unwrap_or(1.0);
    let height: f64 = problem.extents.iter().rev().skip(1).product();
    let blocks = (columns / columns_of as f64).ceil() * (height / rows_of as f64).ceil();
    let [slots, apart] = slots(ir, tile, work, target);
    let of_warp = (tile.rows * tile.columns) as f64;
    if of_warp * slots > LONG_STEP {
        return None;
    }
    // Blocks of a multiprocessor: all that it holds in full waves, fewer in the last one.
    let at_once = (target.sms * tile.blocks) as f64;
    let full = (blocks / at_once).floor();
    let last = ((blocks - full * at_once) / target.sms as f64).ceil();
    let waves = full + last.min(1.0);
    let warps = (full * tile.blocks as f64 + last) * tile.warps as f64 / 4.0;
    let steps = tile.steps() as f64;
    let issuing =
        |slots: f64| steps * warps * of_warp * slots / ISSUE_SHARE * 1e-6 / target.clock_mhz;
    let issue = issuing(slots);
    let cells = columns * height * steps;
    let computed = blocks * (tile.width() * tile.rows * tile.warps) as f64;
    let redundancy = computed / (columns * height);
    let planes: f64 = (work.fields.iter())
        .map(|f| (f.live * f.bytes) as f64)
        .sum();
    let bytes = planes * (1.0 + redundancy);
    let moved = bytes * columns * height / (target.dram_gbs * 1e9);
    let begins = (target.launch_us + MEMORY_US + WAVE_US * (waves - 1.0)) * 1e-6;
    // Quotients that are products in `double` wait for conversions.
    let products: f64 = work.fields.iter().map(|f| f.products as f64).sum();
    let converting = issuing(2.0 * products * target.issue_lanes / CONVERSION_LANES);
    let seconds = |issue: f64| {
        let both = (issue.powi(3) + moved.powi(3)).cbrt();
        both.max(converting) + begins
    };
    Some(StreamChoice {
        tile: tile.into(),
        shared: Some(Shared::Steps),
        width: columns_of,
        rows: rows_of,
        registers: registers(ir, tile),
        redundancy,
        slots: slots * redundancy,
        dram_bytes: bytes / steps,
        terms: [issue, 0.0, moved, converting].map(|x| x / cells * 1e12),
        gcells: cells / seconds(issue) / 1e9,
        apart: Some(cells / seconds(issuing(apart)) / 1e9),
    })
}

/// Instructions for a cell of a step, where products are fused with sums and where they are not.
fn slots(ir: &StreamIr, tile: WarpTile, work: &StreamWork, target: &Target) -> [f64; 2] {
    let cells = (tile.rows * tile.columns) as f64;
    let mut slots = [0.0; 2];
    let mut words = 1.0_f64;
    for (field, of) in work.fields.iter().zip(&ir.fields) {
        words = (field.bytes as f64 / 4.0).max(1.0);
        let slow = match field.bytes {
            8 => target.issue_lanes / target.fp64_lanes,
            _ => 1.0,
        };
        let beside = (of.margin.0 + of.margin.1) as f64 * words;
        let others = CELL_SLOTS + beside / tile.columns as f64 + field.precise_slots * slow;
        let fused = field.fused - PRECISE_SLOTS * field.precise as f64;
        for (slots, operations) in slots.iter_mut().zip([fused, field.apart]) {
            *slots += others + operations * slow;
        }
    }
    let wide = match tile.columns > WarpsIr::lanes(ir) {
        true => WIDE_SLOTS,
        false => 0.0,
    };
    let edges = EDGE_SLOTS * handed_on(ir) as f64 * words * tile.columns as f64 / cells;
    slots.map(|slots| slots + wide + edges)
}
