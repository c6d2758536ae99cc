//! Predicted time of a kernel from the counts of its full tile and the
//! description of a GPU.
//!
//! Architecture invariant: pure functions of numbers. What a tile does is counted
//! exactly in [`crate::kernel`]; what a GPU can do is in [`Target`]; what is
//! neither is a constant below, with the measurement it comes from.
//!
//! For one tile on one multiprocessor: `busy` is the longest of the times of
//! issue slots, arithmetic units and the shared-memory pipe. `alone` is what one
//! block takes for a tile if nothing else runs: as long as its few warps need to
//! issue everything, and the latencies of barriers, of the dependent instructions
//! between them, and of its copy-in. A multiprocessor with r resident blocks
//! finishes one tile of each in about max(r busy, alone); in between, they overlap
//! in part ([`BLOCKS_OVERLAP`]). A launch takes
//! that for every round of resident blocks on the busiest multiprocessor, or the
//! time of its bytes at L2 or DRAM, whichever is longer.
//!
//! A launch is taken as full: edge tiles count [`PARTIAL_TILE`] times, and the
//! two time ends of the program together cost one launch in addition to the
//! 2 T k / H that its rows fill.

use crate::kernel::{
    FEW_REGISTERS, MANY_REGISTERS, SECTOR, SHARED_ROW_REGISTERS, UNROLL_LIMIT, Work, min_blocks,
};
use crate::sched::HybridSchedule;
use crate::target::Target;
use std::fmt;

// Constants without another origin were fitted to the first 524 measurements of
// bench/measured/h200-sweep.jsonl (seven stencils, one H200).

/// Share of the issue slots that kernels attain: 88%, as in the best
/// hand-written 2D kernel (ncu, H200).
pub const EFFICIENCY: f64 = 0.88;

/// Issue slots of a copy of at most 16 bytes to shared memory: index, address,
/// test, the copy, and its share of what a tile does besides its rows.
pub const COPY_SLOTS: f64 = 17.0;

/// Issue slots of a live-out store, address included.
pub const STORE_SLOTS: f64 = 6.0;

/// Issue slots of a load from global memory, address included. Estimated.
pub const GLOBAL_LOAD_SLOTS: f64 = 3.0;

/// How many times as many slots the rows take in more than two dimensions, where
/// less is shared between them.
pub const DEEP_SLOTS: f64 = 1.03;

/// The same for bytes of code.
pub const DEEP_CODE: f64 = 1.12;

/// How many times the issue slots rows take at least that are not unrolled.
pub const ROLLED: f64 = 2.2;

/// Issue slots that an instance takes more there, at least: its bounds and the keep tables come
/// from memory, values that neighbours have loaded are loaded again, and it branches around its
/// store. Fitted to 170 such tiles of fdtd2d, heat2d and laplacian2d, whose instances have few
/// slots of their own: the factor alone overrated them by 1.5 to 2.6.
pub const ROLLED_SLOTS: f64 = 40.0;

/// Issue slots and shared-memory accesses, and resident blocks' needs and one
/// block's latencies, overlap in part: a sum of powers, of which large ones come
/// close to the maximum.
pub const UNITS_OVERLAP: f64 = 2.0;
/// See [`UNITS_OVERLAP`].
pub const BLOCKS_OVERLAP: f64 = 5.0;
/// The same for multiprocessors and memory.
pub const MEMORY_OVERLAP: f64 = 2.1;

/// Cycles from an arithmetic instruction to one that needs its result.
pub const ARITHMETIC_LATENCY: f64 = 4.0;

/// Cycles between two instructions of one warp when nothing else runs: half of
/// them wait for the one before. Estimated.
pub const WARP_CYCLES: f64 = 2.0;

/// How many more there are where all are divisions or calls. Fitted to 93 kernels of
/// gradient3d, of which those with 32 warps were predicted a sixth slower than those
/// with 16.
pub const SLOW_CYCLES: f64 = 4.0;

/// Warp schedulers of a multiprocessor.
const SCHEDULERS: f64 = 4.0;

/// Bytes that one multiprocessor takes from L2 per cycle.
pub const PORT_BYTES: f64 = 64.0;

/// How many times as long a partial tile takes as a full one.
pub const PARTIAL_TILE: f64 = 1.13;

/// Registers of a thread besides values and operands: addresses, coordinates,
/// sizes. From ptxas on the first generation of kernels.
pub const BASE_REGISTERS: i64 = 26;

/// Registers per word of a row's values: the loads of the next are under way.
pub const VALUE_REGISTERS: f64 = 1.54;

/// Registers per word of a row's operands.
pub const OPERAND_REGISTERS: f64 = 1.28;

/// The most registers a thread can have.
pub const MAX_REGISTERS: i64 = 255;

/// By how much the issue time grows if twice the registers that ptxas may take
/// are needed. Estimated.
pub const SPILL_PENALTY: f64 = 2.5;

/// Registers are allocated in multiples of this.
const REGISTER_UNIT: i64 = 8;

/// Bytes of an instruction.
const INSTRUCTION: f64 = 16.0;

/// By how much the issue time grows when the code of a tile is twice what the
/// instruction cache serves without stalls.
pub const FETCH_PENALTY: f64 = 0.81;

/// Blocks in different places of the code need it at the same time; the code
/// counts as this power of their number.
pub const BLOCKS_FETCHING: f64 = 0.44;

/// Share of L2 that holds data from one launch to the next. A launch that
/// touches less needs no DRAM, one that touches twice as much all of it.
pub const L2_SHARE: f64 = 0.7;

/// Extents assumed for parametric sizes, by number of space dimensions.
const ASSUMED_EXTENT: [f64; 4] = [16_777_216.0, 16_384.0, 512.0, 96.0];

/// Time steps assumed for a parametric number.
const ASSUMED_STEPS: f64 = 1000.0;

/// The size of the problem, in points and time steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Points per space dimension.
    pub extents: Vec<f64>,
    /// Time steps.
    pub steps: f64,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let extents: Vec<String> = self.extents.iter().map(f64::to_string).collect();
        write!(f, "{} points, {} steps", extents.join(" x "), self.steps)
    }
}

impl Problem {
    /// A problem with the numbers known, of `t` and of every space dimension,
    /// and those usual in benchmarks for the others.
    pub fn new(known: &[Option<i64>]) -> Problem {
        let or = |known: Option<i64>, assumed: f64| known.map_or(assumed, |n| n.max(1) as f64);
        let space = known.get(1..).unwrap_or_default();
        let assumed = ASSUMED_EXTENT[space.len().clamp(1, 4) - 1];
        Problem {
            extents: space.iter().map(|&n| or(n, assumed)).collect(),
            steps: or(known.first().copied().flatten(), ASSUMED_STEPS),
        }
    }
}

/// How a tile is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Threads along the innermost classical dimension and the next one.
    pub block: [i64; 2],
    /// Registers per thread if they are known from ptxas.
    pub registers: Option<i64>,
}

/// What limits a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Instructions issued.
    Issue,
    /// Floating-point units.
    Arithmetic,
    /// The shared-memory pipe.
    Shared,
    /// Traffic between multiprocessors and L2.
    L2,
    /// Traffic between L2 and DRAM.
    Dram,
    /// Barriers and copies that too few resident blocks cover.
    Latency,
    /// Fewer blocks in a launch than the GPU can hold.
    Blocks,
    /// Starting kernels.
    Launches,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Resource::Issue => "issue",
            Resource::Arithmetic => "arithmetic",
            Resource::Shared => "shared",
            Resource::L2 => "L2",
            Resource::Dram => "DRAM",
            Resource::Latency => "latency",
            Resource::Blocks => "blocks",
            Resource::Launches => "launches",
        })
    }
}

/// Picoseconds of the whole GPU per update of one point, as if nothing else
/// limited it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Instructions issued.
    pub issue: f64,
    /// Floating-point units.
    pub arithmetic: f64,
    /// The shared-memory pipe.
    pub shared: f64,
    /// Bytes at L2.
    pub l2: f64,
    /// Bytes at DRAM.
    pub dram: f64,
    /// Waiting, with the blocks that there are.
    pub latency: f64,
    /// Starting kernels.
    pub launch: f64,
}

/// What the model says of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Time per resource.
    pub terms: Terms,
    /// The one that decides.
    pub limiting: Resource,
    /// Updates of points per nanosecond, in all.
    pub gcells: f64,
    /// DRAM traffic per update of a point.
    pub dram_bytes: f64,
    /// Traffic at L2 per update of a point.
    pub l2_bytes: f64,
    /// Issue slots of a lane per update of a point.
    pub issue_slots: f64,
    /// Registers per thread.
    pub registers: i64,
    /// Blocks that fit on a multiprocessor.
    pub resident_blocks: i64,
    /// Blocks of a launch.
    pub blocks: f64,
    /// Blocks of a launch per block that is resident on the whole GPU.
    pub waves: f64,
    /// Bytes of code of an unrolled full tile.
    pub code_bytes: f64,
}

fn div_ceil(n: i64, d: i64) -> i64 {
    (n + d - 1) / d.max(1)
}

fn round_up(n: i64, unit: i64) -> i64 {
    div_ceil(n, unit) * unit
}

/// Registers per thread, before ptxas says.
pub fn estimated_registers(work: &Work, block: [i64; 2]) -> i64 {
    let per_thread = columns_per_thread(work, block);
    let (values, operands) = if is_one_dimensional(work) {
        // Points of a row are dealt out to the threads one by one.
        (
            div_ceil(work.value_words, block[0]),
            work.operand_words.min(8),
        )
    } else {
        (work.value_words * per_thread, work.operand_words)
    };
    let values = (values as f64 * VALUE_REGISTERS + operands as f64 * OPERAND_REGISTERS) as i64;
    round_up(BASE_REGISTERS + values, REGISTER_UNIT)
}

/// Bytes of code of a full tile with all rows unrolled.
fn unrolled_code(work: &Work, block: [i64; 2]) -> f64 {
    work.source_work as f64 / (block[0] * block[1]) as f64 * INSTRUCTION
}

fn unrolls(code_bytes: f64) -> bool {
    code_bytes <= UNROLL_LIMIT as f64 * INSTRUCTION
}

fn is_one_dimensional(work: &Work) -> bool {
    work.columns == [1, 1]
}

fn columns_per_thread(work: &Work, block: [i64; 2]) -> i64 {
    div_ceil(work.columns[0], block[0]) * div_ceil(work.columns[1], block[1])
}

/// Blocks that fit on a multiprocessor, 0 where one does not.
pub fn resident_blocks(target: &Target, threads: i64, registers: i64, shared_bytes: i64) -> i64 {
    if shared_bytes > target.shared_per_block || registers > MAX_REGISTERS {
        return 0;
    }
    let warps = div_ceil(threads, 32);
    let per_block = warps * 32 * round_up(registers.max(1), REGISTER_UNIT);
    (target.shared_per_sm / (shared_bytes + target.shared_reserved).max(1))
        .min(target.threads_per_sm / (warps * 32).max(1))
        .min(target.registers_per_sm / per_block.max(1))
        .min(target.blocks_per_sm)
}

/// The time of two things that overlap in part, between maximum and sum.
fn both(power: f64, a: f64, b: f64) -> f64 {
    (a.powf(power) + b.powf(power)).powf(1.0 / power)
}

/// What one tile costs on one multiprocessor, in cycles of a single unit.
struct TileCost {
    issue: f64,
    arithmetic: f64,
    shared: f64,
    latency: f64,
    alone: f64,
    slots: f64,
    code_bytes: f64,
}

impl TileCost {
    fn busy(&self) -> f64 {
        both(UNITS_OVERLAP, self.issue.max(self.arithmetic), self.shared)
    }
}

fn tile_cost(work: &Work, launch: &Launch, target: &Target, resident: f64) -> TileCost {
    let threads = (launch.block[0] * launch.block[1]) as f64;
    // Lanes of the last warp of a row that have nothing to do.
    let padding = if is_one_dimensional(work) {
        let mean = work.points as f64 / work.rows.max(1) as f64;
        (mean + 15.5) / mean.max(1.0)
    } else {
        round_up(work.columns[0], 32) as f64 / work.columns[0] as f64
    };
    let mut slots = padding
        * (work.operations as f64
            + (work.shared_loads + work.shared_stores) as f64
            + work.global_loads as f64 * GLOBAL_LOAD_SLOTS
            + work.store_lanes as f64 * STORE_SLOTS);
    let deep = work.columns[1] > 1;
    if deep {
        slots *= DEEP_SLOTS;
    }
    let code_bytes = unrolled_code(work, launch.block);
    if unrolls(code_bytes) {
        let deep_code = if deep { DEEP_CODE } else { 1.0 };
        let fetched = code_bytes * deep_code * resident.powf(BLOCKS_FETCHING);
        slots *= 1.0 + FETCH_PENALTY * (fetched / target.instruction_cache - 1.0).max(0.0);
    } else {
        let more = padding * work.iterations as f64 * ROLLED_SLOTS;
        slots = (slots * ROLLED).max(slots + more);
    }
    slots += work.copies as f64 * COPY_SLOTS;
    let double = work.double_operations as f64;
    let single = work.operations as f64 - double;
    let pipe = (work.shared_words + work.global_loads + work.stores) as f64 * padding;
    let operand = if work.shared_loads > 0 {
        target.shared_latency
    } else {
        target.shared_latency.max(target.l2_latency / 2.0)
    };
    let row = target.barrier_latency + operand + ARITHMETIC_LATENCY * work.chain as f64;
    let transfer = (work.load_sectors * SECTOR) as f64 / PORT_BYTES;
    let copy = target.dram_latency + transfer + target.barrier_latency;
    let mut cost = TileCost {
        issue: slots / target.issue_lanes / EFFICIENCY,
        arithmetic: (single / target.fp32_lanes + double / target.fp64_lanes) * padding
            / EFFICIENCY,
        shared: (pipe + work.copy_words as f64) / target.shared_lanes,
        latency: work.rows as f64 * row + copy,
        alone: 0.0,
        slots,
        code_bytes,
    };
    let warps = (threads / 32.0).max(1.0);
    let slow_share = work.slow_operations as f64 * padding / slots.max(1.0);
    let warp_cycles = WARP_CYCLES + SLOW_CYCLES * slow_share;
    let few_warps = (SCHEDULERS * warp_cycles / warps).max(1.0);
    cost.alone = cost.busy() * few_warps + cost.latency;
    cost
}

/// Predicts a kernel's time, `None` where a block does not fit on a
/// multiprocessor or there is nothing to compute.
pub fn predict(
    work: &Work,
    schedule: &HybridSchedule,
    launch: &Launch,
    target: &Target,
    problem: &Problem,
) -> Option<Prediction> {
    let threads = launch.block[0] * launch.block[1];
    // The kernel's launch bounds cap what ptxas may take. Fitted to kernels that were
    // all compiled for few registers in 2D, whatever they wanted.
    let bounds = match schedule.n_space {
        // y runs along the hexagon.
        2 if launch.block[1] > 1 && work.columns[1] == 1 => SHARED_ROW_REGISTERS,
        ..=2 => FEW_REGISTERS,
        _ => MANY_REGISTERS,
    };
    let fit = min_blocks(bounds, threads);
    let cap = target.registers_per_sm / (fit * threads).max(1) / REGISTER_UNIT * REGISTER_UNIT;
    let cap = cap.min(MAX_REGISTERS);
    let wanted = estimated_registers(work, launch.block);
    // ptxas takes what it may.
    let registers = (launch.registers).unwrap_or(cap);
    let resident = resident_blocks(target, threads, registers, work.shared_bytes);
    if resident < 1 || work.points < 1 || work.columns.iter().any(|&c| c < 1) {
        return None;
    }
    let mut cost = tile_cost(work, launch, target, resident as f64);
    if launch.registers.is_none() && wanted > cap {
        let spilled = SPILL_PENALTY * (wanted - cap) as f64 / cap as f64;
        cost.issue *= 1.0 + spilled;
        cost.alone *= 1.0 + spilled;
    }
    let busy = cost.busy();
    let cells = work.points as f64 / schedule.k as f64;
    let (sms, hertz) = (target.sms as f64, target.hertz());

    // Tiles of one phase, those at the edges included, and their lattice cells,
    // which cover the space once.
    let extent = |d: usize| problem.extents.get(d).copied().unwrap_or(1.0);
    let pitch = schedule.hexagon.width() as f64;
    let height = schedule.hexagon.height();
    let hexagons = (extent(schedule.hex_dim) / pitch).ceil() + 1.0;
    let mut lattice = extent(schedule.hex_dim) / pitch;
    let (mut tiles, mut inner_tiles, mut parallel_tiles) = (1.0, 1.0, 1.0);
    for classical in &schedule.classical {
        let w = classical.w as f64;
        lattice *= extent(classical.dim) / w;
        let n = ((extent(classical.dim) + classical.skew(height - 1) as f64) / w).ceil();
        tiles *= n;
        inner_tiles *= (n - 2.0).max(0.0);
        if (schedule.wavefront).is_some_and(|w| w.dim == classical.dim) {
            parallel_tiles = n;
        }
    }
    let weight = 1.0 + (PARTIAL_TILE - 1.0) * (1.0 - inner_tiles / tiles);
    // A phase has H rows in half of the space.
    let phases = 2.0 * problem.steps * schedule.k as f64 / height as f64 + 1.0;
    let launches = match schedule.wavefront {
        None => phases,
        Some(w) => w.lag.max(1) as f64 * (phases - 1.0) + parallel_tiles,
    };
    let phases_per_launch = phases / launches;
    let blocks = hexagons * parallel_tiles * phases_per_launch;
    let tiles_per_block = tiles / parallel_tiles;

    let round = |r: f64| both(BLOCKS_OVERLAP, r * busy, cost.alone);
    let busiest = (blocks / sms).ceil().max(1.0);
    let (full, rest) = (
        (busiest / resident as f64).floor(),
        busiest % resident as f64,
    );
    let rounds = full * round(resident as f64) + if rest > 0.0 { round(rest) } else { 0.0 };
    // The blocks at the ends have nothing but partial tiles.
    let edge = PARTIAL_TILE * busy + cost.latency;
    let sm_seconds = tiles_per_block * (weight * rounds).max(edge) / hertz;

    let sector = SECTOR as f64;
    let l2_tile =
        (work.load_sectors + work.store_sectors) as f64 * sector + work.global_loads as f64 * 4.0;
    let mut dram_loads = work.dram_load_sectors as f64 * sector;
    let dram_stores = work.dram_store_sectors as f64 * sector;
    let touched = lattice * phases_per_launch * dram_loads.max(dram_stores);
    // Tiles that run together overflow L2 before their neighbours come.
    let resident_bytes = sms * resident as f64 * work.load_sectors as f64 * sector;
    if resident_bytes > target.l2_bytes {
        dram_loads = dram_loads.max(work.load_sectors as f64 * sector);
    }
    let kept = L2_SHARE * target.l2_bytes;
    let missed = ((touched - kept) / kept).clamp(0.0, 1.0);
    let dram_tile = (dram_loads + dram_stores) * missed;
    let bytes_seconds = |bytes: f64, gbs: f64| bytes / (gbs * 1e9);
    let dram_seconds = bytes_seconds(dram_tile, target.dram_gbs);
    let l2_seconds = bytes_seconds(l2_tile, target.l2_gbs);
    let memory_seconds = lattice * phases_per_launch * dram_seconds.max(l2_seconds);

    let launch_seconds = target.launch_us * 1e-6;
    let device_seconds = both(MEMORY_OVERLAP, sm_seconds, memory_seconds);
    let seconds = launches * (device_seconds + launch_seconds);
    let updates = problem.extents.iter().product::<f64>() * problem.steps;

    let per_cell = |seconds: f64| seconds / cells * 1e12;
    let on_all = |cycles: f64| per_cell(cycles / hertz / sms);
    let in_flight = (resident as f64).min(blocks / sms);
    let terms = Terms {
        issue: on_all(cost.issue),
        arithmetic: on_all(cost.arithmetic),
        shared: on_all(cost.shared),
        l2: per_cell(l2_seconds),
        dram: per_cell(dram_seconds),
        latency: on_all(cost.alone / in_flight),
        launch: launches * launch_seconds / updates * 1e12,
    };
    Some(Prediction {
        limiting: limiting(&terms, blocks < sms * resident as f64),
        terms,
        gcells: updates / seconds / 1e9,
        dram_bytes: dram_tile / cells,
        l2_bytes: l2_tile / cells,
        issue_slots: cost.slots / cells,
        registers,
        resident_blocks: resident,
        blocks,
        waves: blocks / (sms * resident as f64),
        code_bytes: cost.code_bytes,
    })
}

fn limiting(terms: &Terms, few_blocks: bool) -> Resource {
    let waiting = if few_blocks {
        Resource::Blocks
    } else {
        Resource::Latency
    };
    let all = [
        (Resource::Issue, terms.issue),
        (Resource::Arithmetic, terms.arithmetic),
        (Resource::Shared, terms.shared),
        (Resource::L2, terms.l2),
        (Resource::Dram, terms.dram),
        (waiting, terms.latency),
        (Resource::Launches, terms.launch),
    ];
    let most = all.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    most.map_or(Resource::Issue, |(resource, _)| resource)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sched::{TileSizes, Wavefront};

    fn schedule() -> HybridSchedule {
        let sizes = TileSizes {
            h: 4,
            w: vec![3, 256],
        };
        HybridSchedule::new(1, 0, 1.into(), &[1.into(), 1.into()], &sizes).expect("legal sizes")
    }

    /// jacobi2d's counts for this schedule.
    fn work() -> Work {
        Work {
            points: 20480,
            iterations: 20480,
            rows: 10,
            columns: [256, 1],
            operations: 102_400,
            shared_loads: 66_560,
            shared_stores: 20_480,
            shared_words: 87_040,
            loads: 6320,
            copies: 1602,
            copy_words: 6408,
            load_sectors: 812,
            stores: 5748,
            store_lanes: 20_480,
            store_sectors: 910,
            dram_load_sectors: 768,
            dram_store_sectors: 708,
            value_words: 12,
            operand_words: 14,
            chain: 5,
            slow_operations: 0,
            registers_wanted: 80,
            shared_bytes: 29_904,
            ..Work::default()
        }
    }

    fn problem(n: f64) -> Problem {
        Problem {
            extents: vec![n, n],
            steps: 1000.0,
        }
    }

    const LAUNCH: Launch = Launch {
        block: [256, 1],
        registers: None,
    };

    fn gcells(work: &Work, launch: &Launch, target: &Target) -> f64 {
        predict(work, &schedule(), launch, target, &problem(16384.0)).map_or(0.0, |p| p.gcells)
    }

    type Field = fn(&mut Work) -> &mut i64;

    /// More of anything that costs time never makes a kernel faster.
    #[test]
    fn more_work_is_never_faster() {
        let target = Target::default();
        let base = gcells(&work(), &LAUNCH, &target);
        let more: [(&str, Field); 14] = [
            ("operations", |w| &mut w.operations),
            ("shared_loads", |w| &mut w.shared_loads),
            ("shared_words", |w| &mut w.shared_words),
            ("global_loads", |w| &mut w.global_loads),
            ("copies", |w| &mut w.copies),
            ("copy_words", |w| &mut w.copy_words),
            ("load_sectors", |w| &mut w.load_sectors),
            ("stores", |w| &mut w.stores),
            ("store_lanes", |w| &mut w.store_lanes),
            ("store_sectors", |w| &mut w.store_sectors),
            ("dram_load_sectors", |w| &mut w.dram_load_sectors),
            ("dram_store_sectors", |w| &mut w.dram_store_sectors),
            ("value_words", |w| &mut w.value_words),
            ("shared_bytes", |w| &mut w.shared_bytes),
        ];
        for (name, field) in more {
            let mut last = base;
            for factor in [2, 8, 64] {
                let mut changed = work();
                let value = field(&mut changed);
                *value = (*value).max(1000) * factor;
                let now = gcells(&changed, &LAUNCH, &target);
                assert!(now <= last, "{name} x {factor}: {now} > {last}");
                last = now;
            }
            assert!(last < base, "{name} costs nothing");
        }
    }

    /// A faster GPU is never slower. (One that holds more blocks can be: the last
    /// round of blocks may then be a short one.)
    #[test]
    fn a_better_gpu_is_never_slower() {
        let base = gcells(&work(), &LAUNCH, &Target::default());
        let better: [fn(&mut Target); 11] = [
            |t| t.clock_mhz *= 2.0,
            |t| t.issue_lanes *= 2.0,
            |t| t.shared_lanes *= 2.0,
            |t| t.fp32_lanes *= 2.0,
            |t| t.dram_gbs *= 2.0,
            |t| t.l2_gbs *= 2.0,
            |t| t.l2_bytes *= 100.0,
            |t| t.dram_latency /= 2.0,
            |t| t.barrier_latency /= 2.0,
            |t| t.launch_us /= 2.0,
            |t| t.instruction_cache *= 2.0,
        ];
        for (i, change) in better.iter().enumerate() {
            let mut target = Target::default();
            change(&mut target);
            assert!(gcells(&work(), &LAUNCH, &target) >= base, "change {i}");
        }
    }

    #[test]
    fn the_scarce_resource_limits() {
        let limiting = |work: &Work, target: &Target, n: f64| {
            predict(work, &schedule(), &LAUNCH, target, &problem(n)).map(|p| p.limiting)
        };
        let target = Target::default();
        let slow = |change: fn(&mut Target)| {
            let mut target = Target::default();
            change(&mut target);
            limiting(&work(), &target, 16384.0)
        };
        assert_eq!(slow(|t| t.shared_lanes = 4.0), Some(Resource::Shared));
        assert_eq!(slow(|t| t.dram_gbs = 100.0), Some(Resource::Dram));
        assert_eq!(slow(|t| t.l2_gbs = 100.0), Some(Resource::L2));
        assert_eq!(slow(|t| t.issue_lanes = 16.0), Some(Resource::Issue));
        assert_eq!(slow(|t| t.barrier_latency = 1e4), Some(Resource::Latency));
        assert_eq!(slow(|t| t.launch_us = 1e6), Some(Resource::Launches));
        assert_eq!(limiting(&work(), &target, 1024.0), Some(Resource::Blocks));
        let double = Work {
            double_operations: 102_400,
            ..work()
        };
        let table = crate::target::Targets::built_in();
        let consumer = table.find("rtx4090").expect("in the table");
        assert_eq!(
            limiting(&double, &consumer, 16384.0),
            Some(Resource::Arithmetic)
        );
    }

    #[test]
    fn a_problem_in_l2_needs_no_dram() {
        let target = Target::default();
        let bytes =
            |n| predict(&work(), &schedule(), &LAUNCH, &target, &problem(n)).map(|p| p.dram_bytes);
        assert_eq!(bytes(1024.0), Some(0.0));
        assert!(bytes(3000.0) < bytes(16384.0));
    }

    #[test]
    fn blocks_that_do_not_fit_are_not_predicted() {
        let target = Target::default();
        let threads = target.threads_per_sm;
        assert_eq!(resident_blocks(&target, threads + 32, 32, 0), 0);
        assert_eq!(resident_blocks(&target, 256, 300, 0), 0);
        assert_eq!(
            resident_blocks(&target, 256, 32, target.shared_per_block + 1),
            0
        );
        assert_eq!(
            resident_blocks(&target, 256, 32, target.shared_per_block),
            1
        );
        assert_eq!(resident_blocks(&target, 256, 32, 0), 8);
        assert_eq!(resident_blocks(&target, 32, 32, 0), 32);
        assert_eq!(resident_blocks(&target, 1024, 64, 0), 1);
        let large = Work {
            shared_bytes: 1 << 20,
            ..work()
        };
        assert_eq!(gcells(&large, &LAUNCH, &target), 0.0);
        assert_eq!(gcells(&Work::default(), &LAUNCH, &target), 0.0);
    }

    #[test]
    fn known_registers_replace_the_estimate() {
        let target = Target::default();
        let with = |registers| Launch {
            registers: Some(registers),
            ..LAUNCH
        };
        let get = |launch: &Launch| {
            let p = predict(&work(), &schedule(), launch, &target, &problem(16384.0));
            p.map(|p| (p.registers, p.resident_blocks))
        };
        assert_eq!(get(&LAUNCH), Some((80, 3)));
        assert_eq!(get(&with(120)), Some((120, 2)));
    }

    /// A wavefront fills a GPU that hexagons alone leave empty.
    #[test]
    fn wavefronts_add_blocks() {
        let target = Target::default();
        let get = |wavefront| {
            let schedule = HybridSchedule {
                wavefront,
                ..schedule()
            };
            predict(&work(), &schedule, &LAUNCH, &target, &problem(1024.0)).expect("it fits")
        };
        let (hexagons, wave) = (get(None), get(Some(Wavefront { dim: 1, lag: 2 })));
        assert_eq!(hexagons.blocks, 65.0);
        // 1024 + 9 columns are 5 tiles, and 5 + 2 * 200 launches run 201 phases.
        let launches = 5.0 + 2.0 * 200.0;
        assert!((wave.blocks - 65.0 * 5.0 * 201.0 / launches).abs() < 1e-9);
        assert!(wave.gcells > hexagons.gcells);
    }
}
