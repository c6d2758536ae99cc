//! Tile sizes (CGO'14 section 3.7): exact counts of a full tile for every
//! candidate, and the candidate with the least predicted traffic.
//!
//! The objective is deliberately simple: issue slots per iteration for compute,
//! copy-in and stores, plus the latency of barriers and copies that the
//! resident blocks cannot hide, at least the time of the bytes moved, over the
//! share of multiprocessors that get a block. All in thread-instructions per
//! iteration on an H200.

use crate::deps::DepCone;
use crate::kernel::{Prepared, TileCounts};
use crate::sched::{Hexagon, HybridSchedule, ScheduleError, TileSizes};

/// Multiprocessors of the target.
const MULTIPROCESSORS: f64 = 132.0;
/// Shared memory of a multiprocessor, bytes.
const SHARED_PER_MULTIPROCESSOR: f64 = 228.0 * 1024.0;
/// Thread-instructions a multiprocessor issues per cycle.
const ISSUE: f64 = 128.0;
/// Thread-instructions the device issues in the time of one byte from DRAM
/// (4.3 TB/s against 132 x 128 x 1.98 GHz).
const SLOTS_PER_BYTE: f64 = 7.8;
/// Cycles a row's barrier and its dependent instructions expose.
const ROW_LATENCY: f64 = 150.0;
/// Cycles the copy-in of a tile exposes.
const COPY_LATENCY: f64 = 1500.0;
/// Thread-instructions per element copied in, and per element stored.
const COPY_SLOTS: f64 = 14.0;
const STORE_SLOTS: f64 = 8.0;
/// Extents assumed for parametric sizes, by number of space dimensions.
const ASSUMED_EXTENT: [f64; 4] = [16_777_216.0, 8192.0, 512.0, 64.0];

/// What limits the choice.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Shared memory a block may use, bytes.
    pub shared_bytes: i64,
    /// Tiles live in shared memory.
    pub use_shared: bool,
    /// Threads per block.
    pub threads: i64,
}

/// A schedule with its counts.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The schedule.
    pub schedule: HybridSchedule,
    /// Counts of its full tile.
    pub counts: TileCounts,
    /// Predicted cost in thread-instructions per iteration; smaller is better.
    pub cost: f64,
}

impl Choice {
    /// The predicted speed, in billions of iterations per second.
    pub fn gcells(&self) -> f64 {
        MULTIPROCESSORS * ISSUE * CLOCK_GHZ / self.cost
    }
}

/// Clock of the multiprocessors.
const CLOCK_GHZ: f64 = 1.98;

/// Builds the schedule for given sizes.
///
/// # Errors
/// Sizes the hexagon does not allow.
pub fn schedule_for(
    k: i64,
    hex_dim: usize,
    cone: &DepCone,
    sizes: &TileSizes,
) -> Result<HybridSchedule, ScheduleError> {
    let delta0 = cone
        .delta0
        .get(hex_dim)
        .copied()
        .unwrap_or_else(|| 0.into());
    HybridSchedule::new(k, hex_dim, delta0, &cone.delta1, sizes)
}

/// All candidates that fit, best first.
pub fn candidates(
    prepared: &Prepared,
    k: i64,
    hex_dim: usize,
    cone: &DepCone,
    limits: Limits,
) -> Vec<Choice> {
    let n_space = cone.delta0.len();
    let mut found = Vec::new();
    // Hexagons taller than this need too much shared memory or too many loads.
    let max_h = [15, 11, 5, 3][n_space.clamp(1, 4) - 1];
    for h in (1..=16)
        .map(|m| k * m - 1)
        .filter(|&h| (1..=max_h).contains(&h) || h == k - 1)
    {
        let min_w0 = Hexagon::min_w0(h, cone.delta0[hex_dim], cone.delta1[hex_dim]);
        for w in widths(n_space, hex_dim, min_w0) {
            let Ok(schedule) = schedule_for(k, hex_dim, cone, &TileSizes { h, w }) else {
                continue;
            };
            let counts = prepared.count(&schedule);
            if limits.use_shared && counts.shared_bytes > limits.shared_bytes
                || counts.iterations == 0
            {
                continue;
            }
            let cost = cost(prepared, &schedule, &counts, limits);
            found.push(Choice {
                schedule,
                counts,
                cost,
            });
        }
    }
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    found
}

fn cost(
    prepared: &Prepared,
    schedule: &HybridSchedule,
    counts: &TileCounts,
    limits: Limits,
) -> f64 {
    let n_space = schedule.n_space.clamp(1, 4);
    let (iterations, rows) = (counts.iterations as f64, schedule.hexagon.height() as f64);
    let blocks = ASSUMED_EXTENT[n_space - 1] / schedule.hexagon.width() as f64;
    let by_shared = SHARED_PER_MULTIPROCESSOR / (counts.shared_bytes as f64 + 1024.0);
    let by_threads = 2048.0 / limits.threads as f64;
    let per_multiprocessor = blocks / MULTIPROCESSORS;
    let resident = by_shared
        .min(by_threads)
        .floor()
        .min(per_multiprocessor)
        .max(1.0);
    // Rows too long to unroll pay for loop control and address arithmetic.
    let work = prepared.work_per_iteration();
    let points_per_thread = iterations / limits.threads as f64;
    let unrolled = points_per_thread * work <= UNROLLED_WORK && rows <= UNROLLED_ROWS;
    let compute = if unrolled {
        work + 4.0
    } else {
        2.0 * work + 12.0
    };
    let copies =
        (counts.loads as f64 * COPY_SLOTS + counts.stores as f64 * STORE_SLOTS) / iterations;
    let latency = (rows * ROW_LATENCY + COPY_LATENCY) * ISSUE / (resident * iterations);
    let bytes = (counts.load_bytes + counts.store_bytes) as f64 / iterations * SLOTS_PER_BYTE;
    (compute + copies + latency).max(bytes) / per_multiprocessor.min(1.0)
}

/// Instructions of an unrolled tile per thread that still fit the instruction
/// cache.
const UNROLLED_WORK: f64 = 900.0;

/// Rows above which tiles are not unrolled.
const UNROLLED_ROWS: f64 = 16.0;

/// Widths tried, per space dimension in source order. The innermost is a
/// multiple of the warp size; hexagons stay narrow enough for many blocks.
fn widths(n_space: usize, hex_dim: usize, min_w0: i64) -> Vec<Vec<i64>> {
    let (hex, outer, inner): (&[i64], &[i64], &[i64]) = match n_space {
        1 => (&[127, 255, 511], &[], &[]),
        2 => (&[3, 4, 5, 7, 11, 15], &[8, 16], &[64, 128, 256]),
        3 => (&[1, 2, 3], &[4, 8, 16], &[32, 64]),
        _ => (&[1, 2, 3], &[2, 4], &[16, 32]),
    };
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for j in 0..n_space {
        let options = if j == hex_dim {
            hex
        } else if j + 1 == n_space {
            inner
        } else {
            outer
        };
        all = (all.iter())
            .flat_map(|prefix| {
                options.iter().map(move |&w| {
                    let w = if j == hex_dim { w.max(min_w0) } else { w };
                    [prefix.as_slice(), &[w]].concat()
                })
            })
            .collect();
    }
    all.dedup();
    all
}
