//! Sizes of blocks whose warps are a pipeline in time ([`crate::kernel::warps`]), and what is predicted for them.
//!
//! What a warp issues for a row is counted; DRAM is hardly used. Where nvcc may not fuse products with sums
//! the loop of full rows gets up to twice as long, and kernels that do not fit into the instruction cache run at half
//! their speed: so the length of that loop decides which sizes are taken by default. `docs/notes/results.md` has the measurements.

use crate::ctype::CType;
use crate::kernel::stream::{Field, Growths, LANES, StreamIr, StreamWork};
use crate::kernel::warps::{COST_OF_ROW, Shared, WarpTile, WarpsIr};
use crate::model::Problem;
use crate::stream_size::StreamChoice;
use crate::target::Target;

/// Instructions of a level for a row beside those of cells and exchanges, counted in machine code.
const LEVEL_SLOTS: f64 = 4.0;

/// Instructions for a row that a warp takes, hands on, loads and stores, beside those that move its words.
const ROW_SLOTS: f64 = 22.0;

/// Share of issue slots that two or three warps a scheduler use, which a barrier joins every few rows.
const ISSUE_SHARE: f64 = 0.82;

/// Arithmetic instructions of the loop of full rows up to which nothing waits for instructions (H200: stars and
/// boxes of reaches 1 to 4 in seven sizes).
const LONG_LOOP: f64 = 2600.0;

/// Up to so many the kernel was still ahead of the default one, with a level a warp: 1.07 to 1.27; with 4900 and 5900
/// at half its speed.
const LONGEST_LOOP: f64 = 3500.0;

/// Registers for rows where a block has twelve warps.
const REGISTERS_OF_TWELVE: i64 = 145;

/// Warps of a block, and the registers that a thread then has for rows.
const REGISTERS: [(i64, i64); 3] = [(8, 200), (12, REGISTERS_OF_TWELVE), (16, 100)];

/// Levels of a warp and columns of a lane, at most.
const MOST_LEVELS: i64 = 4;
const MOST_COLUMNS: i64 = 28;

/// Registers beside rows: addresses, bounds, temporaries.
const OTHER_REGISTERS: i64 = 40;

/// Columns of other lanes that all rows hold.
fn beside(ir: &StreamIr) -> i64 {
    let beside = |f: &Field| match f.exchanged {
        0 => f.margin.0 + f.margin.1,
        _ => 0,
    };
    ir.fields.iter().map(beside).max().unwrap_or(0)
}

/// Rows that a level holds, of all fields.
fn held(ir: &StreamIr) -> i64 {
    ir.pipeline.depth.iter().map(|depth| depth - 1).sum()
}

/// Registers for the rows that a warp holds.
fn registers(ir: &StreamIr, tile: WarpTile) -> i64 {
    let words = 4 / WarpsIr::lanes(ir);
    (tile.levels * held(ir) + 1) * words * (tile.columns + beside(ir))
}

/// Sizes where the user gives none: what was fastest for stars and boxes of reaches 1 to 4 on an H200 with FMA, as far as
/// rows fit into registers; the second where the first takes too much shared memory. Columns are an odd number of words, so
/// that lanes meet no bank conflicts.
pub fn usual(ir: &StreamIr) -> [WarpTile; 2] {
    let (held, beside, lanes) = (held(ir), beside(ir), WarpsIr::lanes(ir));
    let words = 4 / lanes;
    let (levels, warps, registers, most) = match (held, beside) {
        (..=2, _) if words == 1 => (3, 8, 200, 20),
        (..=2, 0) => (4, 8, 200, 14),
        (..=2, _) => (2, 8, 200, 14),
        (3..=4, 0) => (2, 8, 200, 20),
        (3..=6, _) if words == 1 => (1, 12, REGISTERS_OF_TWELVE, 20),
        _ => (1, 8, 200, 20),
    };
    let rows_of_words = (levels * held + 1) * words;
    let fitting = (registers / rows_of_words.max(1) - beside).min(most);
    let odd = (fitting / lanes - 1) / 2 * 2 + 1;
    let of = |rows: i64, ahead: i64| WarpTile {
        shared: Shared::Columns,
        levels,
        columns: odd.max(1) * lanes,
        warps,
        rows,
        ahead,
        blocks: 1,
    };
    let single = of(1, 4);
    match WarpsIr::held(ir) {
        held if held <= 5 && warps <= 8 => [of(held, 2), single],
        _ => [single, single],
    }
}

/// The usual sizes, then fewer levels a warp, with shorter loops.
fn shorter(ir: &StreamIr) -> Vec<WarpTile> {
    let [first, second] = usual(ir);
    let fewer = (2..first.levels).rev();
    let mut all = vec![first];
    all.extend(fewer.map(|levels| WarpTile { levels, ..first }));
    all.push(second);
    let single = WarpTile {
        levels: 1,
        warps: 12,
        rows: 1,
        ahead: 4,
        ..first
    };
    if registers(ir, single) <= REGISTERS_OF_TWELVE {
        all.push(single);
    }
    all.retain(|tile| tile.fits(ir));
    all.dedup();
    all
}

/// Sizes to measure: the usual and shorter ones; then for every number of warps and of levels a warp the most columns
/// that fit into registers, and three quarters of these.
pub fn candidates(ir: &StreamIr) -> Vec<WarpTile> {
    let mut all = shorter(ir);
    let lanes = WarpsIr::lanes(ir);
    let (rows, ahead) = match WarpsIr::held(ir) {
        held if held <= 5 => (held, 2),
        _ => (1, 4),
    };
    for (warps, most) in REGISTERS {
        for levels in 1..=MOST_LEVELS {
            let rows_of_words = (levels * held(ir) + 1) * (4 / lanes);
            let fitting = (most / rows_of_words.max(1) - beside(ir)).min(MOST_COLUMNS);
            for columns in [fitting, fitting * 3 / 4] {
                let odd = (columns / lanes - 1) / 2 * 2 + 1;
                let tile = WarpTile {
                    shared: Shared::Columns,
                    levels,
                    columns: odd * lanes,
                    warps,
                    rows,
                    ahead,
                    blocks: 1,
                };
                if tile.fits(ir) && !all.contains(&tile) {
                    all.push(tile);
                }
            }
        }
    }
    all
}

/// Sizes with which the kernel was measured to be ahead of the default one: of one array of two time buffers, whose
/// statement only adds and multiplies. `fused` tells whether nvcc may fuse products with sums.
pub fn chosen(ir: &StreamIr, work: &StreamWork, fused: bool) -> Option<WarpTile> {
    let [field] = &work.fields[..] else {
        return None;
    };
    let elem = ir.fields.first().map(|f| ir.stencil.arrays[f.array].elem);
    let is_real = matches!(elem, Some(CType::Float | CType::Double));
    let only_sums = !field.calls && field.precise == 0 && field.products == 0;
    if !is_real || !only_sums || field.live != 1 {
        return None;
    }
    let operations = if fused { field.fused } else { field.apart };
    let length = |tile: &WarpTile| {
        let rows = tile.unroll(WarpsIr::held(ir)) * tile.levels;
        (rows * tile.columns) as f64 * operations
    };
    let all = shorter(ir);
    let short = all.iter().find(|tile| length(tile) <= LONG_LOOP);
    let single = || (all.iter()).find(|tile| tile.levels == 1 && length(tile) <= LONGEST_LOOP);
    short.or_else(single).copied()
}

/// The prediction for one size, where nvcc fuses products with sums; `None` where it has no results.
pub fn predict(
    ir: &StreamIr,
    tile: WarpTile,
    work: &StreamWork,
    target: &Target,
    problem: &Problem,
) -> Option<StreamChoice> {
    let growths = Growths::of(&ir.pipeline, tile.steps());
    let results = tile.results(&growths, ir);
    if results < 1 {
        return None;
    }
    let issued = issued(ir, tile, work, target);
    let columns = problem.extents.last().copied().unwrap_or(1.0);
    let height: f64 = problem.extents.iter().rev().skip(1).product();
    let extra = (growths.extra.at(tile.steps()) + tile.warps * tile.rows) as f64;
    // Equal shares of the rows of all tiles, as `plan_pipelined` in the generated code has them.
    let tiles = (columns / results as f64).ceil().max(2.0);
    let [end, inner] = COST_OF_ROW.map(|cost| cost as f64);
    let share = (height + extra) * (tiles - 2.0 + 2.0 * end / inner) / target.sms as f64;
    let rows = share + extra;
    let seconds_per_cycle = 1e-6 / target.clock_mhz;
    let warps = tile.warps as f64 / 4.0;
    let issue = rows * warps * issued / ISSUE_SHARE * seconds_per_cycle;
    let steps = tile.steps() as f64;
    let cells = columns * height * steps;
    let redundancy = rows * target.sms as f64 * tile.width() as f64 / (columns * height);
    let planes: f64 = (work.fields.iter())
        .map(|f| (f.live * f.bytes) as f64)
        .sum();
    let bytes = planes * (1.0 + redundancy);
    let dram = bytes * columns * height / (target.dram_gbs * 1e9);
    let seconds = (issue.powi(3) + dram.powi(3)).cbrt() + target.launch_us * 1e-6;
    Some(StreamChoice {
        tile: tile.into(),
        shared: Some(Shared::Columns),
        width: results,
        rows: share as i64,
        registers: registers(ir, tile) + OTHER_REGISTERS,
        redundancy,
        slots: issued * LANES as f64 * warps * 4.0 * rows * target.sms as f64 / cells,
        dram_bytes: bytes / steps,
        terms: [issue, 0.0, dram, 0.0].map(|x| x / cells * 1e12),
        gcells: cells / seconds / 1e9,
        apart: None,
    })
}

/// Issue slots of a warp for a row of each of its levels.
fn issued(ir: &StreamIr, tile: WarpTile, work: &StreamWork, target: &Target) -> f64 {
    let (levels, columns) = (tile.levels as f64, tile.columns as f64);
    let mut issued = ROW_SLOTS;
    for (field, of) in work.fields.iter().zip(&ir.fields) {
        let words = (field.bytes as f64 / 4.0).max(1.0);
        let slow = match field.bytes {
            8 => target.issue_lanes / target.fp64_lanes,
            _ => 1.0,
        };
        let exchanged = words * (of.margin.0 + of.margin.1) as f64;
        issued += levels * (columns * field.fused * slow + exchanged + LEVEL_SLOTS);
        issued += field.live as f64 * 2.0 * words * columns / 4.0;
    }
    issued
}
