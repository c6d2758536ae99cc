//! Sizes of streamed tiles, chosen by predicted time.
//!
//! A warp advances one row of every level in each iteration of its pipeline. The model
//! counts what an iteration issues, how many iterations a launch takes with its redundant
//! rows and columns, and the bytes that go to DRAM; the terms are joined by a norm, since
//! each also delays the others. `docs/notes/results.md` compares it with measurements.

use crate::ctype::CType;
use crate::kernel::blocks::{BlocksIr, Order};
use crate::kernel::stream::{self, FieldWork, Growths, LANES, StreamTile, StreamWork, WORD};
use crate::kernel::warps::Shared;
use crate::model::Problem;
use crate::sched::overlapped::Pipeline;
use crate::target::Target;

/// Share of issue slots that warps use which do not wait for memory, by the number of
/// warps per scheduler.
fn issue_share(warps: f64) -> f64 {
    match warps {
        w if w < 2.0 => 0.5,
        w if w < 3.0 => 0.66,
        _ => 0.9,
    }
}

/// How much the terms hide each other.
const NORM: i32 = 3;

/// Where planes stream, instructions for a cell of a level beside the statement's, per word, and
/// more for every row read beside its own. Counted in machine code.
const PLANE_SLOTS: f64 = 2.6;
const PLANE_SLOTS_OF_ROW: f64 = 2.2;

/// Share of issue slots used there by two warps per scheduler, which one barrier a plane joins.
const PLANE_ISSUE_SHARE: f64 = 0.75;

/// Registers there beside planes.
const PLANE_REGISTERS: i64 = 48;

/// Instructions for a cell of a level of patches beside the statement's, per word: keeping cells
/// that are not written, addresses, moves. Counted in machine code (wave3d).
const PATCH_SLOTS: f64 = 6.0;

/// Share of issue slots used there by two warps per scheduler, which a barrier a plane joins.
const PATCH_ISSUE_SHARE: f64 = 0.45;

/// Pointers and bounds of every field there after the first.
const PATCH_FIELD_REGISTERS: i64 = 20;

/// Instructions of a warp for every field there after the first (fdtd3d).
const PATCH_FIELD_SLOTS: f64 = 30.0;

/// What an estimate may come to there.
const MAX_PATCH_REGISTERS: i64 = 236;

/// Registers beside rows and loads in flight: addresses, bounds, temporaries.
const OTHER_REGISTERS: i64 = 46;

/// Cycles from the start of a row's load to its use where DRAM is busy; fitted to kernels with
/// two rows ahead, which wait for nothing else.
const LOAD_CYCLES: f64 = 2650.0;

/// How many times higher tiles are than those at the ends of rows (`END` in the text).
const END_TILES: f64 = 3.0;

/// How many times longer their iterations take. With many rows that is hidden, since they have few of them; with few rows nothing
/// hides the halo above and below, which they stream as well (star2d1r from 1024^2 to 2048^2, H200).
const END_ITERATIONS: f64 = 2.7;

/// What an estimate may come to where a thread can have 255.
const MAX_REGISTERS: i64 = 216;

/// Pointers and bounds of every field after the first.
const FIELD_REGISTERS: i64 = 25;

/// Registers more where rows are not read from the oldest to the newest.
const UNORDERED_REGISTERS: i64 = 10;

/// Conversions between `float` and `double` per multiprocessor and cycle; 16 by the vendor's table,
/// measured with j2d5pt. They have a pipe of their own, behind which all else hides.
pub(crate) const CONVERSION_LANES: f64 = 11.3;

/// Registers more for functions and divisions.
const CALL_REGISTERS: i64 = 26;

/// Bytes of an unrolled loop that run without waiting for instructions.
const MAX_CODE: f64 = 40_000.0;

/// Issue slots that a load of an element costs which is no field's. Two are executed; the rows that
/// the levels of all warps read do not fit the L1 cache, and warps wait (varcoef2d, 598 GCell/s).
const MEMORY_READ_SLOTS: f64 = 5.5;

/// Tile sizes and what is predicted for them.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamChoice {
    /// The sizes.
    pub tile: StreamTile,
    /// What the warps of a block share ([`crate::warp_size`]); nothing where they stream alone.
    pub shared: Option<Shared>,
    /// Columns of results of a warp.
    pub width: i64,
    /// Rows of results of a tile.
    pub rows: i64,
    /// Registers of a thread, estimated.
    pub registers: i64,
    /// Computed elements over results.
    pub redundancy: f64,
    /// Thread-instructions per update of a point.
    pub slots: f64,
    /// Bytes to and from DRAM per update of a point.
    pub dram_bytes: f64,
    /// Picoseconds of the whole GPU per update of a point, by term: issue slots, shared
    /// pipe (shuffles), DRAM, conversions between `float` and `double`.
    pub terms: [f64; 4],
    /// Predicted updates of points per nanosecond.
    pub gcells: f64,
    /// The same where no multiplication is fused into an addition, where the model knows that.
    pub apart: Option<f64>,
}

impl StreamChoice {
    /// The largest term.
    pub fn limit(&self) -> &'static str {
        let names = ["issue", "shared pipe", "DRAM", "conversions"];
        let most = (self.terms.iter().zip(names)).max_by(|a, b| a.0.total_cmp(b.0));
        most.map_or(names[0], |(_, name)| name)
    }
}

/// The sizes that fit into registers, the fastest first; of the same steps and columns only
/// the best.
pub fn candidates(
    pipeline: &Pipeline,
    work: &StreamWork,
    target: &Target,
    problem: &Problem,
) -> Vec<StreamChoice> {
    let mut kept: Vec<StreamChoice> = Vec::new();
    for choice in all_candidates(pipeline, work, target, problem) {
        let same = |k: &StreamChoice| {
            (k.tile.steps, k.tile.vector) == (choice.tile.steps, choice.tile.vector)
        };
        if !kept.iter().any(same) {
            kept.push(choice);
        }
    }
    kept
}

/// All sizes that fit into registers, the fastest first.
pub fn all_candidates(
    pipeline: &Pipeline,
    work: &StreamWork,
    target: &Target,
    problem: &Problem,
) -> Vec<StreamChoice> {
    let words = work
        .fields
        .iter()
        .map(|f| (f.bytes / 4).max(1))
        .max()
        .unwrap_or(1);
    let max_steps = if pipeline.stream.is_some() { 16 } else { 24 };
    let mut all = Vec::new();
    for steps in 1..=max_steps {
        let growths = Growths::of(pipeline, steps);
        // Lanes that need several accesses narrower than 16 bytes touch the same sectors
        // again with each; measured 10% slower in spite of fewer redundant columns.
        let aligned = |v: &i64| v * words % 4 == 0 || v * words <= 2 || pipeline.stream.is_none();
        for vector in (1..=8 / words).filter(aligned) {
            // Two planes or more bring enough loads with two rows.
            let planes: i64 = work.fields.iter().map(|f| f.live).sum();
            for ahead in if planes > 1 { &[4, 2][..] } else { &[4][..] } {
                let ahead = *ahead;
                // A single row needs no other warps to wait for memory.
                let most_blocks = if pipeline.stream.is_some() { 4 } else { 2 };
                for min_blocks in 2..=most_blocks {
                    let tile = StreamTile {
                        rows: 0,
                        steps,
                        vector,
                        ahead,
                        warps: 4,
                        min_blocks,
                    };
                    all.extend(predict(pipeline, work, &growths, tile, target, problem));
                }
            }
        }
    }
    all.sort_by(|a, b| b.gcells.total_cmp(&a.gcells));
    all
}

/// Whether a multiprocessor holds the blocks that a kernel streaming planes is compiled for,
/// going by the estimate of registers.
pub fn planes_fit(ir: &BlocksIr, choice: &StreamChoice, target: &Target) -> bool {
    let StreamTile {
        warps, min_blocks, ..
    } = ir.tile;
    let available = (target.registers_per_sm / (LANES * warps * min_blocks).max(1)).min(254);
    let shared = min_blocks * (ir.bytes() + 1024);
    choice.registers <= available && shared <= target.shared_per_sm
}

/// Sizes of tiles that stream planes, to be tried beside the default one.
pub fn tiles_of_planes(default: StreamTile) -> Vec<StreamTile> {
    let mut all = Vec::new();
    for steps in 1..=6 {
        for vector in 1..=4 {
            for rows in 1..=12 {
                for (warps, min_blocks) in [(8, 1), (12, 1), (4, 2)] {
                    let tile = StreamTile {
                        steps,
                        vector,
                        rows,
                        warps,
                        min_blocks,
                        ..default
                    };
                    all.extend((tile != default).then_some(tile));
                }
            }
        }
    }
    all
}

/// Whether what a lane has of a row is whole words.
fn moves_words(work: &StreamWork, tile: StreamTile) -> bool {
    let mut fields = work.fields.iter();
    fields.all(|field| tile.vector * field.bytes % WORD == 0)
}

/// The prediction for one tile; `None` where it does not fit.
pub fn predict(
    pipeline: &Pipeline,
    work: &StreamWork,
    growths: &Growths,
    tile: StreamTile,
    target: &Target,
    problem: &Problem,
) -> Option<StreamChoice> {
    let (t, v) = (tile.steps as f64, tile.vector as f64);
    let skipped = |columns: i64| (columns + tile.vector - 1) / tile.vector;
    let lanes =
        LANES - skipped(growths.left.at(tile.steps)) - skipped(growths.right.at(tile.steps));
    if lanes < 1 || !moves_words(work, tile) {
        return None;
    }
    // Loads of coefficients are started for many levels at once.
    if tile.steps > 10 && work.fields.iter().any(|f| f.memory_reads > 0) {
        return None;
    }
    let width = lanes * tile.vector;
    let registers = registers(pipeline, work, tile);
    let warps = tile.min_blocks * tile.warps;
    // Schedulers share registers and warps evenly.
    let per_scheduler = (warps + 3) / 4;
    let available = target.registers_per_sm / 4 / per_scheduler / 32 / 8 * 8;
    if registers > available.min(MAX_REGISTERS) {
        return None;
    }

    // Instructions of a warp in one iteration.
    let mut issued = 10.0;
    // And those more where no multiplication is fused.
    let mut apart = 0.0;
    // And those of precise operations that are there, but seldom run.
    let mut seldom = 0.0;
    let mut shuffles = 0.0;
    let mut conversions = 0.0;
    for field in &work.fields {
        let words = (field.bytes as f64 / 4.0).max(1.0);
        let slow = match field.bytes {
            8 => target.issue_lanes / target.fp64_lanes,
            _ => 1.0,
        };
        let exchanged = words * (field.margin.0 + field.margin.1) as f64 * t;
        shuffles += exchanged;
        conversions += t * v * 2.0 * field.products as f64;
        let precise = stream::PRECISE_SLOTS * field.precise as f64;
        let others = field.operations - precise;
        issued += exchanged + t * v * (others + field.precise_slots) * slow;
        apart += t * v * (field.apart - others) * slow;
        seldom += t * v * (precise - field.precise_slots) * slow;
        // Loads of arrays that are not fields.
        issued += t * v * MEMORY_READ_SLOTS * field.memory_reads as f64;
        let pieces = (v * field.bytes as f64 / 16.0).ceil();
        issued += field.live as f64 * (2.0 * pieces + 5.0);
    }
    let unroll = pipeline
        .depth
        .iter()
        .map(|d| d - 1)
        .max()
        .unwrap_or(1)
        .max(tile.ahead);
    if (issued + seldom) * unroll as f64 * 16.0 > MAX_CODE && tile.steps > 1 {
        return None;
    }

    let at_once = (target.sms * warps) as f64;
    let columns = problem.extents.last().copied().unwrap_or(1.0);
    let height: f64 = problem.extents.iter().rev().skip(1).product();
    let tiles = (columns / width as f64).ceil();
    let extra = match pipeline.stream {
        Some(_) => growths.extra.at(tile.steps) as f64,
        None => 0.0,
    };
    // Iterations of a launch, as `plan` in the generated code has them.
    let per_block = tile.warps as f64;
    let (iterations, rows, of_ends) = heights(height)
        .map(|rows| {
            let ends = tiles.min(2.0);
            let end_rows = (rows / END_TILES).max(1.0).floor();
            let n = (tiles - ends) * (height / rows).ceil() + ends * (height / end_rows).ceil();
            let waves = (n / per_block).ceil() * per_block / at_once;
            let n = match pipeline.stream {
                Some(_) => whole_waves(waves),
                None => waves + 2.0,
            };
            let of_ends = match pipeline.stream {
                Some(_) => END_ITERATIONS * n.min(1.0) * (end_rows + extra),
                None => 0.0,
            };
            (n * (rows + extra), rows, of_ends)
        })
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let iterations = iterations.max(of_ends);
    let cells = columns * height * t;
    let resident = warps as f64 / 4.0;
    // A load of a row takes this long, and only so many rows are on their way.
    let waiting = match pipeline.stream {
        Some(_) => LOAD_CYCLES / tile.ahead as f64,
        None => 0.0,
    };
    let seconds_per_cycle = 1e-6 / target.clock_mhz;
    let issuing = |issued: f64| {
        let cycles = iterations * (resident * issued / issue_share(resident)).max(waiting);
        cycles * seconds_per_cycle
    };
    let issue = issuing(issued);
    // Shuffles take the shared pipe 32 / shared_lanes cycles each.
    let shared =
        iterations * warps as f64 * shuffles * 32.0 / target.shared_lanes * seconds_per_cycle / 0.9;
    let converting =
        iterations * warps as f64 * conversions * 32.0 / CONVERSION_LANES * seconds_per_cycle;
    let redundant_rows = (rows + extra) / rows;
    let redundant_columns = (LANES * tile.vector) as f64 / width as f64;
    let redundancy = redundant_rows * redundant_columns;
    let mut bytes = 0.0;
    for field in &work.fields {
        let planes = field.live as f64 * field.bytes as f64;
        // Half of the halo is still in L2.
        bytes += planes * (0.5 + redundancy / 2.0) + planes;
        bytes += field.memory_reads as f64 * 4.0;
    }
    let dram = bytes * columns * height / (target.dram_gbs * 1e9);
    let launch = target.launch_us * 1e-6;
    let seconds = |issue: f64| {
        let norm = [issue, shared, dram].map(|x| x.powi(NORM));
        let norm = norm.iter().sum::<f64>().powf(1.0 / f64::from(NORM));
        norm.max(converting) + launch
    };
    let gcells = |issue: f64| cells / seconds(issue) / 1e9;
    let per_cell = |x: f64| x / cells * 1e12;
    Some(StreamChoice {
        tile,
        shared: None,
        width,
        rows: rows as i64,
        registers,
        redundancy,
        slots: issued * 32.0 / (t * width as f64) * redundant_rows,
        dram_bytes: bytes / t,
        terms: [issue, shared, dram, converting].map(per_cell),
        gcells: gcells(issue),
        apart: Some(gcells(issuing(issued + apart))),
    })
}

/// What so many waves of blocks take, in waves: the blocks that are left for the last one
/// take about half as long as a full one, or more.
fn whole_waves(waves: f64) -> f64 {
    let rest = waves.fract();
    waves.floor() + if rest > 0.0 { 0.45 + 0.55 * rest } else { 0.0 }
}

/// The prediction for a kernel that streams planes, three space dimensions.
pub fn predict_planes(
    ir: &BlocksIr,
    work: &StreamWork,
    target: &Target,
    problem: &Problem,
) -> StreamChoice {
    let (tile, steps) = (ir.tile, ir.tile.steps);
    let (cols, rows) = ir.extent();
    let (vk, vj) = ir.results(steps);
    let [ri, rj, _] = ir.radius;
    let bytes = ir.elem().size() as f64;
    let words = (bytes / 4.0).max(1.0);
    let operations: f64 = work.fields.iter().map(|f| f.operations).sum();
    let slow = match ir.elem() {
        CType::Double => target.issue_lanes / target.fp64_lanes,
        _ => 1.0,
    };
    // Instructions for a cell of a level: of the statement, and those that bring and keep rows.
    let beside_statement = words * (PLANE_SLOTS + PLANE_SLOTS_OF_ROW * rj as f64);
    let per_cell = operations * slow + beside_statement;

    let extent = |d: usize| problem.extents.get(d).copied().unwrap_or(1.0);
    let (height, wide) = (extent(0), extent(2));
    let tiles = (extent(1) / vj as f64).ceil() * (wide / vk as f64).ceil();
    let at_once = (target.sms * tile.min_blocks) as f64;
    let beside = (2 * steps * ri + (steps - 1) * ir.order.late()) as f64;
    // Steps of blocks, as `plan` in the generated code has them.
    let (block_steps, length) = heights(height)
        .map(|length| {
            let blocks = tiles * (height / length).ceil();
            ((blocks / at_once).ceil() * (length + beside), length)
        })
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap_or((height, height));
    let lanes = (tile.rows * tile.vector * steps) as f64; // cells of a lane in a step, all levels
    let warps = (tile.warps * tile.min_blocks) as f64 / 4.0;
    let seconds_per_cycle = 1e-6 / target.clock_mhz;
    let issue = block_steps * warps * lanes * per_cell / PLANE_ISSUE_SHARE * seconds_per_cycle;
    let points = height * extent(1) * wide;
    // The halo comes from L2.
    let dram = 2.0 * bytes * points / (target.dram_gbs * 1e9);
    let cells = points * steps as f64;
    let conversions: f64 = work.fields.iter().map(|f| 2.0 * f.products as f64).sum();
    let per_block = lanes * (tile.warps * tile.min_blocks) as f64;
    let converting =
        block_steps * per_block * conversions * 32.0 / CONVERSION_LANES * seconds_per_cycle;
    let gcells = |issue: f64| {
        let norm = (issue.powi(NORM) + dram.powi(NORM)).powf(1.0 / f64::from(NORM));
        let seconds = norm.max(converting) + target.launch_us * 1e-6;
        cells / seconds / 1e9
    };
    let precise = |f: &FieldWork| f.apart + stream::PRECISE_SLOTS * f.precise as f64;
    let all_apart = work.fields.iter().map(precise).sum::<f64>() * slow + beside_statement;
    let issue_apart = issue * (all_apart / per_cell).max(1.0);
    let computed = block_steps * at_once * (cols * rows * steps) as f64;
    let planes = (ir.held() + i64::from(matches!(ir.order, Order::Chain(_))) * 2 * ri) * steps;
    StreamChoice {
        tile,
        shared: None,
        width: vk,
        rows: length as i64,
        registers: (words as i64 * planes * tile.rows * tile.vector + PLANE_REGISTERS).min(255),
        redundancy: computed / cells,
        slots: computed * per_cell / cells,
        dram_bytes: 2.0 * bytes / steps as f64,
        terms: [issue, 0.0, dram, converting].map(|x| x / cells * 1e12),
        gcells: gcells(issue),
        apart: Some(gcells(issue_apart)),
    }
}

/// All sizes of tiles of patches that fit into registers, the fastest first.
pub fn patch_candidates(
    pipeline: &Pipeline,
    work: &StreamWork,
    target: &Target,
    problem: &Problem,
) -> Vec<StreamChoice> {
    let bytes = work.fields.iter().map(|f| f.bytes).max().unwrap_or(4);
    let mut all = Vec::new();
    // Tiles of one step load and store cell by cell where there are several time buffers.
    let several = pipeline.stages.iter().any(|stage| stage.buffers > 1);
    for steps in 1 + i64::from(several)..=6 {
        let growths = Growths::of(pipeline, steps);
        for rows in 1..=8 {
            for (warps, min_blocks) in [(8, 1), (12, 1), (16, 1), (8, 2)] {
                let tile = StreamTile {
                    steps,
                    vector: 16 / bytes,
                    rows,
                    ahead: 1,
                    warps,
                    min_blocks,
                };
                all.extend(predict_patches(
                    pipeline, work, &growths, tile, target, problem,
                ));
            }
        }
    }
    all.sort_by(|a, b| b.gcells.total_cmp(&a.gcells));
    all
}

/// The prediction for a block of patches, three space dimensions and any number of fields;
/// `None` where the tile does not fit.
pub fn predict_patches(
    pipeline: &Pipeline,
    work: &StreamWork,
    growths: &Growths,
    tile: StreamTile,
    target: &Target,
    problem: &Problem,
) -> Option<StreamChoice> {
    let (steps, v) = (tile.steps, tile.vector);
    let skipped = |columns: i64| (columns + v - 1) / v;
    let lanes = LANES - skipped(growths.left.at(steps)) - skipped(growths.right.at(steps));
    let all_rows = tile.rows * tile.warps;
    let results = all_rows - growths.above.at(steps) - growths.below.at(steps);
    if lanes < 1 || results < 1 || !moves_words(work, tile) {
        return None;
    }
    let width = lanes * v;
    let patch = tile.rows * v;
    let warps = tile.warps * tile.min_blocks;
    let registers = patch_registers(pipeline, work, tile);
    let available = target.registers_per_sm / LANES / warps.max(1) / 8 * 8;
    // Where there are few registers addresses do not fit beside patches.
    let available = if available > 128 {
        available
    } else {
        available - 8
    };
    if registers > available.min(MAX_PATCH_REGISTERS) || patch > 32 {
        return None;
    }
    let (t, cells_of_lane) = (steps as f64, patch as f64);

    // Instructions of a warp in one iteration.
    let mut issued = 40.0 + PATCH_FIELD_SLOTS * (work.fields.len() as f64 - 1.0);
    let mut bytes = 0.0;
    let mut conversions = 0.0;
    for (field, stage) in work.fields.iter().zip(&pipeline.stages) {
        let words = (field.bytes as f64 / 4.0).max(1.0);
        let slow = match field.bytes {
            8 => target.issue_lanes / target.fp64_lanes,
            _ => 1.0,
        };
        let pieces = (v * field.bytes) as f64 / 16.0;
        let per_cell = field.operations * slow + words * PATCH_SLOTS;
        let beside = |d: usize| {
            let far = |o: &dyn Fn(i64) -> i64| {
                let pulls = stage.pulls.iter().map(|p| o(p.offset[d]));
                pulls.max().unwrap_or(0).max(0)
            };
            (far(&|o| o) + far(&|o| -o)) as f64
        };
        let shuffles = words * beside(2) * tile.rows as f64;
        issued += t * (cells_of_lane * per_cell + shuffles + 2.0 * pieces * beside(1));
        let moved = (field.live + field.live) as f64 * tile.rows as f64 * (pieces + 3.0);
        issued += moved;
        issued += t * field.memory_reads as f64 * tile.rows as f64 * (pieces + 3.0);
        conversions += t * cells_of_lane * 2.0 * field.products as f64;
        bytes += (2 * field.live * field.bytes + field.memory_reads as i64 * field.bytes) as f64;
    }
    let extent = |d: usize| problem.extents.get(d).copied().unwrap_or(1.0);
    let depth = extent(0);
    let tiles = (extent(1) / results as f64).ceil() * (extent(2) / width as f64).ceil();
    let at_once = (target.sms * tile.min_blocks) as f64;
    let extra = growths.extra.at(steps) as f64;
    let (block_steps, length) = heights(depth)
        .map(|length| {
            let blocks = tiles * (depth / length).ceil();
            ((blocks / at_once).ceil() * (length + extra), length)
        })
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let seconds_per_cycle = 1e-6 / target.clock_mhz;
    let resident = warps as f64 / 4.0;
    let share = PATCH_ISSUE_SHARE + 0.025 * (resident - 2.0);
    let issue = block_steps * resident * issued / share * seconds_per_cycle;
    let points = depth * extent(1) * extent(2);
    let dram = bytes * points / (target.dram_gbs * 1e9);
    let converting =
        block_steps * warps as f64 * conversions * 32.0 / CONVERSION_LANES * seconds_per_cycle;
    let norm = (issue.powi(NORM) + dram.powi(NORM)).powf(1.0 / f64::from(NORM));
    let seconds = norm.max(converting) + target.launch_us * 1e-6;
    let cells = points * t;
    let computed = block_steps * at_once * (LANES * v * all_rows * steps) as f64;
    Some(StreamChoice {
        tile,
        shared: None,
        width,
        rows: length as i64,
        registers,
        redundancy: computed / cells,
        slots: issued / (cells_of_lane * t) * computed / cells,
        dram_bytes: bytes / t,
        terms: [issue, 0.0, dram, converting].map(|x| x / cells * 1e12),
        gcells: cells / seconds / 1e9,
        apart: None,
    })
}

/// Registers of a thread that holds patches.
fn patch_registers(pipeline: &Pipeline, work: &StreamWork, tile: StreamTile) -> i64 {
    let patch = tile.rows * tile.vector;
    let mut held = vec![0; work.fields.len()];
    for (f, stage) in pipeline.stages.iter().enumerate() {
        for pull in &stage.pulls {
            held[pull.field] = held[pull.field].max(pipeline.back(f, pull));
        }
    }
    let mut all = OTHER_REGISTERS;
    let mut most = 0;
    for (field, held) in work.fields.iter().zip(held) {
        let words = (field.bytes / 4).max(1);
        // Where a launch hands on nothing it still loads what no statement writes.
        let planes = tile.steps * held + field.live.max(1);
        all += words * patch * planes + tile.rows + PATCH_FIELD_REGISTERS;
        most = most.max(2 * words * patch);
        if field.calls {
            all += CALL_REGISTERS;
        }
    }
    all + most - tile.rows - PATCH_FIELD_REGISTERS
}

/// Heights of tiles to consider.
fn heights(height: f64) -> impl Iterator<Item = f64> {
    (1..=256)
        .map(move |n| (height / f64::from(n)).ceil())
        .filter(|rows| *rows >= 1.0)
}

/// Registers of a thread of a full tile.
fn registers(pipeline: &Pipeline, work: &StreamWork, tile: StreamTile) -> i64 {
    let mut all = OTHER_REGISTERS + FIELD_REGISTERS * (work.fields.len() as i64 - 1);
    for field in &work.fields {
        let words = (field.bytes / 4).max(1);
        let beside = if field.exchanged_when_new {
            field.margin.0 + field.margin.1
        } else {
            0
        };
        if pipeline.stream.is_some() {
            all += words * tile.steps * field.held * (tile.vector + beside);
            all += words * field.live * tile.ahead * tile.vector;
        } else {
            all += words * 2 * (tile.vector + beside);
        }
        // Partial sums, and what is on its way from memory. What is computed precisely is so one after the other.
        let others = field.precise.saturating_sub(1) as f64 * stream::PRECISE_SLOTS;
        all += words * ((field.operations - others) / 2.0) as i64;
        all += words * (8 * tile.vector + 1) * field.memory_reads as i64;
        // Many rows in rotation leave gaps, more so where the oldest waits for the newest.
        let gaps = if field.rows_in_order { 2 } else { 12 };
        all += words * gaps * (field.held - 2).max(0);
        if pipeline.stream.is_some() && !field.rows_in_order {
            // Columns of other lanes are fetched long before they are used.
            all += words * tile.steps * (field.margin.0 + field.margin.1 - 2).max(0);
            if field.held <= 2 {
                all += words * UNORDERED_REGISTERS;
            }
        }
        if field.calls {
            all += CALL_REGISTERS;
        }
    }
    all
}
