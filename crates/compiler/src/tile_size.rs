//! Tile sizes (CGO'14 section 3.7): exact counts of a full tile for every
//! candidate, and the candidate with the least predicted traffic.
//!
//! The objective is deliberately simple: bytes moved to and from global memory
//! per iteration, plus the cost of a barrier per row spread over the row's
//! iterations, under a limit on shared memory.

use crate::deps::DepCone;
use crate::kernel::{Prepared, TileCounts};
use crate::sched::{Hexagon, HybridSchedule, ScheduleError, TileSizes};

/// Bytes of global traffic that take as long as a row's barrier and the latency
/// it exposes: about 100 cycles at 16 bytes per cycle and multiprocessor.
const BARRIER_BYTES: f64 = 1600.0;

/// What limits the choice.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Shared memory a block may use, bytes.
    pub shared_bytes: i64,
    /// Number of arrays' elements does not matter to schema `global`; only the
    /// shape does.
    pub use_shared: bool,
}

/// A schedule with its counts.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The schedule.
    pub schedule: HybridSchedule,
    /// Counts of its full tile.
    pub counts: TileCounts,
    /// Predicted cost in bytes per iteration; smaller is better.
    pub cost: f64,
}

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
    let delta0 = cone.delta0.get(hex_dim).copied().unwrap_or_else(|| 0.into());
    HybridSchedule::new(k, hex_dim, delta0, &cone.delta1, sizes)
}

/// All candidates that fit, best first.
pub fn candidates(prepared: &Prepared, k: i64, hex_dim: usize, cone: &DepCone, limits: Limits) -> Vec<Choice> {
    let n_space = cone.delta0.len();
    let mut found = Vec::new();
    // Hexagons taller than this need too much shared memory or too many loads.
    let max_h = [15, 11, 5, 3][n_space.clamp(1, 4) - 1];
    for h in (1..=16).map(|m| k * m - 1).filter(|&h| (1..=max_h).contains(&h) || h == k - 1) {
        let min_w0 = Hexagon::min_w0(h, cone.delta0[hex_dim], cone.delta1[hex_dim]);
        for w in widths(n_space, hex_dim, min_w0) {
            let Ok(schedule) = schedule_for(k, hex_dim, cone, &TileSizes { h, w }) else {
                continue;
            };
            let counts = prepared.count(&schedule);
            if limits.use_shared && counts.shared_bytes > limits.shared_bytes || counts.iterations == 0 {
                continue;
            }
            let rows = schedule.hexagon.height() as f64;
            let bytes = (counts.load_bytes + counts.store_bytes) as f64;
            let cost = (bytes + BARRIER_BYTES * rows) / counts.iterations as f64;
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

/// Widths tried, per space dimension in source order. The innermost is a
/// multiple of the warp size; hexagons stay narrow enough for many blocks.
fn widths(n_space: usize, hex_dim: usize, min_w0: i64) -> Vec<Vec<i64>> {
    let (hex, outer, inner): (&[i64], &[i64], &[i64]) = match n_space {
        1 => (&[127, 255, 511], &[], &[]),
        2 => (&[3, 7, 11, 15, 23], &[8, 16], &[32, 64, 128]),
        3 => (&[1, 3, 5, 7], &[4, 8, 12], &[32, 64]),
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
