//! Tile sizes (CGO'14 section 3.7): every candidate's full tile is counted
//! exactly, its time predicted, and the fastest taken.
//!
//! The choice depends on the counts, the target and the problem only, so it is
//! the same on every machine.

use crate::deps::DepCone;
use crate::kernel::{FEW_REGISTERS, Moves, Prepared, Work};
use crate::model::{self, Launch, Prediction, Problem};
use crate::sched::{Hexagon, HybridSchedule, ScheduleError, TileSizes, Wavefront};
use crate::target::Target;

/// What limits the choice, and what it is for.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Shared memory a block may use, bytes.
    pub shared_bytes: i64,
    /// Tiles live in shared memory.
    pub use_shared: bool,
    /// Threads per block, if they are not to be chosen.
    pub threads: Option<i64>,
    /// At most so many rows of contiguous points for a thread, if they are not to
    /// follow from the threads.
    pub rows_per_thread: Option<i64>,
    /// How the kernel moves data.
    pub moves: Moves,
    /// Tiles that run at the same time besides the hexagons of a phase.
    pub wavefront: Option<Wavefront>,
    /// The GPU.
    pub target: Target,
    /// The size of the problem.
    pub problem: Problem,
}

/// A schedule and a block with what they promise.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Tile sizes.
    pub sizes: TileSizes,
    /// The schedule.
    pub schedule: HybridSchedule,
    /// Threads along the innermost classical dimension and the next one.
    pub block: [i64; 2],
    /// Counts of a full tile.
    pub work: Work,
    /// What the model says, `None` where a block does not fit on the target.
    pub prediction: Option<Prediction>,
}

impl Choice {
    /// Threads per block.
    pub fn threads(&self) -> i64 {
        self.block[0] * self.block[1]
    }

    /// The predicted speed, in billions of points per second; 0 where a block
    /// does not fit.
    pub fn gcells(&self) -> f64 {
        self.prediction.map_or(0.0, |p| p.gcells)
    }
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
    let delta0 = cone
        .delta0
        .get(hex_dim)
        .copied()
        .unwrap_or_else(|| 0.into());
    HybridSchedule::new(k, hex_dim, delta0, &cone.delta1, sizes)
}

/// Candidates that fit, each with its best block, best first.
///
/// Every combination of height and widths is counted for one width of the
/// innermost classical dimension, and the other widths of that dimension for the
/// `SHORTLIST` best, because it hardly changes their order.
pub fn candidates(
    prepared: &Prepared,
    k: i64,
    hex_dim: usize,
    cone: &DepCone,
    limits: &Limits,
) -> Vec<Choice> {
    let n_space = cone.delta0.len();
    let Some((&delta0, &delta1)) = cone.delta0.get(hex_dim).zip(cone.delta1.get(hex_dim)) else {
        return Vec::new();
    };
    let evaluate = |sizes: TileSizes| {
        let schedule = schedule_for(k, hex_dim, cone, &sizes).ok()?;
        if limits.use_shared && prepared.shared_bytes(&schedule) > limits.shared_bytes {
            return None;
        }
        if let Some(n) = limits.rows_per_thread {
            check_rows(&schedule, n, limits.threads).ok()?;
        }
        let best = choose_threads(prepared, &sizes, &schedule, limits);
        // With many registers, larger blocks would leave one to a multiprocessor.
        let many = best.work.registers_wanted > FEW_REGISTERS;
        let alone = n_space == 2 && many && best.threads() > 256;
        best.prediction
            .filter(|_| !alone || limits.threads.is_some())
            .map(|_| best)
    };
    let innermost = (0..n_space).rev().find(|&d| d != hex_dim);
    let with_inner = |sizes: &TileSizes, width: i64| {
        let mut sizes = sizes.clone();
        if let Some(d) = innermost {
            sizes.w[d] = width;
        }
        sizes
    };
    let mut first = Vec::new();
    for h in heights(n_space, k) {
        let min_w0 = Hexagon::min_w0(h, delta0, delta1);
        for w in widths(n_space, hex_dim, min_w0) {
            let sizes = TileSizes { h, w };
            // The first may be too wide for shared memory.
            let mut tries = typical_first(inner_widths(n_space)).into_iter();
            first.extend(tries.find_map(|width| evaluate(with_inner(&sizes, width))));
        }
    }
    sort(&mut first);
    let mut found = Vec::new();
    for (rank, choice) in first.into_iter().enumerate() {
        if rank < SHORTLIST
            && let Some(d) = innermost
        {
            let others = inner_widths(n_space)
                .iter()
                .filter(|&&w| w != choice.sizes.w[d]);
            found.extend(others.filter_map(|&w| evaluate(with_inner(&choice.sizes, w))));
        }
        found.push(choice);
    }
    sort(&mut found);
    found
}

/// Best first; the order of equals is fixed too.
pub fn sort(choices: &mut [Choice]) {
    choices.sort_by(|a, b| {
        let sizes = |c: &Choice| (c.sizes.h, c.sizes.w.clone(), c.threads());
        (b.gcells().total_cmp(&a.gcells())).then_with(|| sizes(a).cmp(&sizes(b)))
    });
}

/// Combinations of the other sizes for which all innermost widths are tried.
const SHORTLIST: usize = 32;

/// Widths of the innermost classical dimension, multiples of the warp size.
fn inner_widths(n_space: usize) -> &'static [i64] {
    match n_space {
        // There is none; the width is not used.
        1 => &[1],
        2 => &[64, 128, 256, 384, 512],
        3 => &[32, 64, 128],
        _ => &[16, 32],
    }
}

/// The second, which is the most usual, then the first.
fn typical_first(widths: &[i64]) -> Vec<i64> {
    let mut tries: Vec<i64> = widths.iter().take(2).copied().collect();
    tries.reverse();
    tries
}

/// Lag assumed for wavefronts before one is proved.
pub const USUAL_LAG: i64 = 2;

/// The best block for given sizes, whether or not it fits on the target.
pub fn choose_threads(
    prepared: &Prepared,
    sizes: &TileSizes,
    schedule: &HybridSchedule,
    limits: &Limits,
) -> Choice {
    let schedule = HybridSchedule {
        wavefront: limits.wavefront,
        ..schedule.clone()
    };
    let mut tile = counted(prepared, sizes, &schedule, limits);
    // Of equals the first, which has the fewest threads.
    for block in blocks(tile.work.columns, &schedule, limits) {
        let prediction = predict(&tile, block, limits);
        if prediction.map_or(0.0, |p| p.gcells) > tile.gcells() || tile.block == [0, 0] {
            (tile.block, tile.prediction) = (block, prediction);
        }
    }
    tile
}

/// Boxes larger than this are not counted: no GPU holds them, and a kernel in
/// global memory with such tiles leaves nothing to predict.
const MAX_COUNTED_BYTES: i64 = 4 << 20;

/// A tile counted, without a block.
fn counted(
    prepared: &Prepared,
    sizes: &TileSizes,
    schedule: &HybridSchedule,
    limits: &Limits,
) -> Choice {
    let bytes = prepared.shared_bytes(schedule);
    let work = if (0..=MAX_COUNTED_BYTES).contains(&bytes) {
        prepared.work(schedule, limits.moves, limits.rows_per_thread)
    } else {
        Work {
            columns: Work::columns_of(schedule),
            ..Work::default()
        }
    };
    Choice {
        sizes: sizes.clone(),
        schedule: schedule.clone(),
        block: [0, 0],
        work: if limits.use_shared {
            work
        } else {
            work.in_global_memory()
        },
        prediction: None,
    }
}

/// Blocks worth trying, at least one.
fn blocks(columns: [i64; 2], schedule: &HybridSchedule, limits: &Limits) -> Vec<[i64; 2]> {
    let threads = match &limits.threads {
        Some(threads) => std::slice::from_ref(threads),
        None => &THREADS,
    };
    let shape = |&n: &i64| match limits.rows_per_thread {
        Some(rows) => {
            let y = schedule.thread_rows(rows);
            [block_shape([columns[0], 1], n / y)[0], y]
        }
        None => block_shape(columns, n),
    };
    let mut blocks: Vec<_> = threads.iter().map(shape).collect();
    blocks.retain(|[x, y]| x * y <= MAX_THREADS);
    blocks.dedup();
    blocks
}

/// What is wrong with rows per thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsError {
    /// There is one row: the space has one dimension.
    OneDimension,
    /// A tile has no more than so many rows.
    TooMany(i64),
    /// The rows of threads, each a warp at least, are more than a block may have.
    TooFew {
        /// How many there are.
        thread_rows: i64,
        /// How many rows a thread needs at least.
        least: i64,
    },
}

/// Whether a tile can be computed with `rows_per_thread` in blocks of `threads`.
///
/// # Errors
/// What is wrong with it.
pub fn check_rows(
    schedule: &HybridSchedule,
    rows_per_thread: i64,
    threads: Option<i64>,
) -> Result<(), RowsError> {
    if schedule.row_dim().is_none() {
        return Err(RowsError::OneDimension);
    }
    if rows_per_thread > schedule.rows_of_points() {
        return Err(RowsError::TooMany(schedule.rows_of_points()));
    }
    let warps = (threads.unwrap_or(MAX_THREADS) / 32).max(1);
    let thread_rows = schedule.thread_rows(rows_per_thread);
    if thread_rows > warps {
        let least = schedule.thread_rows(warps);
        return Err(RowsError::TooFew { thread_rows, least });
    }
    Ok(())
}

/// Threads of a block at most, on all GPUs.
pub const MAX_THREADS: i64 = 1024;

fn predict(tile: &Choice, block: [i64; 2], limits: &Limits) -> Option<Prediction> {
    let launch = Launch {
        block,
        registers: None,
    };
    let (target, problem) = (&limits.target, &limits.problem);
    model::predict(&tile.work, &tile.schedule, &launch, target, problem)
}

/// Threads per block tried.
const THREADS: [i64; 5] = [64, 128, 256, 512, 1024];

/// Threads along the innermost classical dimension and the next one, about
/// `threads` in all: whole warps, and as even a share of the columns for each
/// as there can be. In one dimension all run along the hexagon.
pub fn block_shape(columns: [i64; 2], threads: i64) -> [i64; 2] {
    let [inner, outer] = columns.map(|n| n.max(1));
    let warps = (threads / 32).max(1);
    if [inner, outer] == [1, 1] {
        return [warps * 32, 1];
    }
    let needed = (inner + 31) / 32;
    let turns = (needed + warps - 1) / warps;
    let x = (needed + turns - 1) / turns;
    let turns = (outer * x + warps - 1) / warps;
    let y = (outer + turns - 1) / turns;
    [x * 32, y.min((warps / x).max(1))]
}

/// Heights tried: h + 1 is a multiple of k. Taller tiles need too much shared
/// memory or too much code; in three dimensions those with h = 4 and 5 were
/// measured a fifth slower than the best, which the model does not foresee.
fn heights(n_space: usize, k: i64) -> Vec<i64> {
    let max = [31, 11, 3, 3][n_space.clamp(1, 4) - 1];
    let k = k.max(1);
    (1..=max + 1)
        .map(|m| k.saturating_mul(m) - 1)
        .filter(|&h| h <= max || h == k - 1)
        .collect()
}

/// Widths tried, per space dimension in source order, none twice; 1 for the
/// innermost classical dimension, which [`inner_widths`] replaces.
fn widths(n_space: usize, hex_dim: usize, min_w0: i64) -> Vec<Vec<i64>> {
    let (hex, outer): (&[i64], &[i64]) = match n_space {
        1 => (&[63, 127, 255, 511, 1023, 2047], &[]),
        2 => (&[1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16], &[]),
        3 => (&[1, 2, 3, 4], &[4, 8, 16, 32]),
        _ => (&[1, 2], &[2, 4, 8]),
    };
    let innermost = (0..n_space).rev().find(|&d| d != hex_dim);
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for d in 0..n_space {
        let mut options: Vec<i64> = if d == hex_dim {
            hex.iter().map(|&w| w.max(min_w0)).collect()
        } else if Some(d) == innermost {
            vec![1]
        } else {
            outer.to_vec()
        };
        options.dedup();
        all = (all.iter())
            .flat_map(|prefix| {
                options
                    .iter()
                    .map(move |&w| [prefix.as_slice(), &[w]].concat())
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_share_columns_evenly() {
        for (columns, threads, block) in [
            ([256, 1], 256, [256, 1]),
            ([256, 1], 128, [128, 1]),
            ([192, 1], 128, [96, 1]),
            ([256, 1], 1024, [256, 1]),
            ([32, 16], 256, [32, 8]),
            ([64, 16], 256, [64, 4]),
            ([64, 5], 1024, [64, 5]),
            ([8, 1], 256, [32, 1]),
            ([1, 1], 256, [256, 1]),
            ([64, 3], 33, [32, 1]),
            ([0, 0], 0, [32, 1]),
        ] {
            assert_eq!(
                block_shape(columns, threads),
                block,
                "{columns:?} {threads}"
            );
        }
    }

    #[test]
    fn rows_per_thread() {
        let schedule = |hex_dim, w: &[i64]| {
            let one = hexcc_isl::Rational::from(1);
            let w = w.to_vec();
            let sizes = TileSizes { h: 1, w };
            let n = sizes.w.len();
            HybridSchedule::new(1, hex_dim, one, &vec![one; n], &sizes).expect("legal sizes")
        };
        // (hexagonal dimension, widths), the dimension of the rows, their number.
        for (hex_dim, w, dim, rows) in [
            (0, &[5][..], None, 1),
            // 5 + 1 points and one more on either side.
            (0, &[5, 64], Some(0), 8),
            (1, &[16, 31], Some(0), 16),
            (0, &[2, 9, 64], Some(1), 9),
            (1, &[9, 2, 64], Some(0), 9),
            (2, &[9, 8, 31], Some(1), 8),
        ] {
            let s = schedule(hex_dim, w);
            assert_eq!(
                (s.row_dim(), s.rows_of_points()),
                (dim, rows),
                "{hex_dim} {w:?}"
            );
        }
        let s = schedule(0, &[5, 64]);
        assert_eq!([1, 3, 4, 7, 8].map(|n| s.thread_rows(n)), [8, 3, 2, 2, 1]);
        let check = |n, threads| check_rows(&s, n, threads);
        assert_eq!(check(8, Some(32)), Ok(()));
        assert_eq!(check(1, None), Ok(()));
        assert_eq!(check(9, None), Err(RowsError::TooMany(8)));
        let too_few = RowsError::TooFew {
            thread_rows: 8,
            least: 3,
        };
        assert_eq!(check(1, Some(127)), Err(too_few));
        let line = check_rows(&schedule(0, &[5]), 1, None);
        assert_eq!(line, Err(RowsError::OneDimension));
    }

    #[test]
    fn heights_are_one_less_than_multiples_of_k() {
        assert_eq!(heights(3, 1), [0, 1, 2, 3]);
        assert_eq!(heights(2, 3), [2, 5, 8, 11]);
        assert_eq!(heights(3, 9), [8]);
    }

    #[test]
    fn widths_respect_the_hexagon_and_are_distinct() {
        let all = widths(2, 0, 5);
        assert!(all.iter().all(|w| w[0] >= 5 && w[1] == 1));
        let mut sorted = all.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), all.len());
        assert!(widths(2, 1, 1).iter().all(|w| w[0] == 1 && w[1] >= 1));
        assert_eq!(typical_first(inner_widths(2)), [128, 64]);
        assert_eq!(widths(1, 0, 100)[0], [100]);
    }
}
