//! Overlapped tiling, streamed (Holewinski, Pouchet, Sadayappan, ICS 2012, section 4).
//!
//! A launch advances all fields by several time steps. Every tile reads what its
//! results depend on, a halo that grows with every step, and computes all of it
//! itself: tiles overlap, do not wait for each other, and write to other storage
//! than they read from.
//!
//! Inside a tile the time steps form a pipeline along one space dimension, the
//! streamed one. Field F after step q - 1 is its *level* q; level 0 is what the launch
//! starts from. In iteration n of the pipeline, level q of F produces row
//!
//! ```text
//! n - (q P + lag_F)
//! ```
//!
//! where P, the lag of a time step, and lag_F are the smallest for which every row that
//! is read exists by then. Rows are held until the last reader has had them.
//!
//! [`verify`] proves for one tile what Holewinski's algorithm 1 computes: every
//! instance that a result depends on is computed by the tile, from values that
//! the pipeline holds.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use hexcc_isl::{Ctx, Map, Set};

/// A read of a field by a stage: of level q + 1 - age by level q + 1, `offset` away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Field read.
    pub field: usize,
    /// 0 for what the same step has computed, 1 for the step before, ..
    pub age: i64,
    /// Element read minus element computed, per space dimension.
    pub offset: Vec<i64>,
}

/// What computes one field from level to level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Reads; of age 0 only of fields before this one.
    pub pulls: Vec<Pull>,
    /// The number of time buffers.
    pub buffers: i64,
    /// Age of what elements keep that no statement writes: `buffers`, the former content of the
    /// same storage, or 1 where all buffers hold the same there.
    pub kept: i64,
    /// It has no elements: what it computes of the cells of a step is folded into one number, and no stage reads it.
    pub is_record: bool,
}

impl Stage {
    /// The reads, and the former content, which elements that no statement writes keep.
    fn pulls_and_kept(&self, field: usize, n_space: usize) -> impl Iterator<Item = Pull> + '_ {
        let kept = Pull {
            field,
            age: self.kept,
            offset: vec![0; n_space],
        };
        let kept = (!self.is_record).then_some(kept);
        self.pulls.iter().cloned().chain(kept)
    }
}

/// A pipeline of fields, in the order in which a time step computes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// One per field.
    pub stages: Vec<Stage>,
    /// Number of space dimensions.
    pub n_space: usize,
    /// The dimension along which rows stream, if there is one.
    pub stream: Option<usize>,
    /// The dimension along which warps share a tile, if they do. What one warp reads of another's
    /// is there one iteration after it is made.
    pub shared: Option<usize>,
    /// P: iterations between a level and the next.
    pub step_lag: i64,
    /// Iterations by which levels above 1 wait longer, each for the one before.
    pub wait: i64,
    /// Iterations by which level 0 of a field follows the first row.
    pub lag: Vec<i64>,
    /// Rows of a level that are held, the newest included.
    pub depth: Vec<i64>,
    /// Levels that a launch must have handed on: 0, -1, ..
    pub live: Vec<i64>,
}

/// How far a tile of so many time steps reads and runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Per space dimension, elements before and after the results that they depend on.
    pub halo: Vec<(i64, i64)>,
    /// Iterations before the one whose row 0 of level 0 is the first result's.
    pub before: i64,
    /// Iterations in excess of the rows of results.
    pub extra: i64,
}

/// Largest lag of a time step that is tried.
const MAX_STEP_LAG: i64 = 64;

impl Pipeline {
    /// Finds the lags; `None` where a field needs later rows of itself in the same
    /// time step, or lags are absurd.
    pub fn new(
        stages: Vec<Stage>,
        n_space: usize,
        stream: Option<usize>,
        shared: Option<usize>,
    ) -> Option<Pipeline> {
        let n = stages.len();
        let mut p = Pipeline {
            stages,
            n_space,
            stream,
            shared,
            step_lag: 0,
            wait: 0,
            lag: vec![0; n],
            depth: vec![1; n],
            live: vec![0; n],
        };
        p.step_lag = (0..=MAX_STEP_LAG).find(|&step_lag| {
            p.step_lag = step_lag;
            p.find_lags()
        })?;
        for f in 0..n {
            // A launch of one step completes the time buffers.
            p.live[f] = p.live[f].max(p.stages[f].buffers - 1);
            for pull in p.stages[f].pulls_and_kept(f, n_space).collect::<Vec<_>>() {
                let held = p.back(f, &pull) + 1;
                p.depth[pull.field] = p.depth[pull.field].max(held);
            }
            for pull in &p.stages[f].pulls {
                p.live[pull.field] = p.live[pull.field].max(pull.age);
            }
        }
        Some(p)
    }

    /// The pipeline of one field that streams along the first of three dimensions through a
    /// block. A level lags `step_lag` planes behind the one before, and levels above 1
    /// `wait` planes more. Elements that no statement writes keep what level 0 holds.
    pub fn of_blocks(pulls: Vec<Pull>, step_lag: i64, wait: i64) -> Pipeline {
        let mut p = Pipeline {
            stages: vec![Stage {
                pulls,
                buffers: 1,
                kept: 1,
                is_record: false,
            }],
            n_space: 3,
            stream: Some(0),
            shared: None,
            step_lag,
            wait,
            lag: vec![0],
            depth: vec![1],
            live: vec![1],
        };
        let pulls = p.stages[0].pulls_and_kept(0, 3);
        let held = pulls.map(|pull| p.back(0, &pull) + wait * pull.age + 1);
        p.depth = vec![held.max().unwrap_or(1)];
        p
    }

    /// Longest paths in the graph of reads; `false` where there is none.
    fn find_lags(&mut self) -> bool {
        self.lag.fill(0);
        for _ in 0..=self.stages.len() {
            let mut changed = false;
            for f in 0..self.stages.len() {
                for pull in self.stages[f].pulls_and_kept(f, self.n_space) {
                    let wanted = self.lag[pull.field]
                        + self.row_of(&pull.offset)
                        + i64::from(self.crosses(&pull))
                        - pull.age * self.step_lag;
                    if wanted > self.lag[f] {
                        self.lag[f] = wanted;
                        changed = true;
                    }
                }
            }
            if !changed {
                return true;
            }
        }
        false
    }

    fn row_of(&self, offset: &[i64]) -> i64 {
        self.stream.map_or(0, |d| offset[d])
    }

    /// Whether a pull reads what another warp may have made.
    pub fn crosses(&self, pull: &Pull) -> bool {
        self.shared.is_some_and(|d| pull.offset[d] != 0)
    }

    /// Iterations by which level `q` of a field lags behind.
    pub fn lag_of(&self, field: usize, q: i64) -> i64 {
        q * self.step_lag + self.lag[field] + self.wait * (q - 1).max(0)
    }

    /// How many rows before the newest of its level a pull of `reader` lies; for a source
    /// above level 0, [`Pipeline::wait`] times its age more.
    pub fn back(&self, reader: usize, pull: &Pull) -> i64 {
        self.lag[reader] - self.lag[pull.field] + pull.age * self.step_lag
            - self.row_of(&pull.offset)
    }

    /// The levels at and below 0 that exist for a field: those handed on, and those
    /// whose storage later levels share.
    pub fn below(&self, field: usize) -> i64 {
        self.live[field].max(self.stages[field].kept)
    }

    /// What a tile of `steps` time steps needs for one row and column of results.
    pub fn reach(&self, steps: i64) -> Reach {
        let n = self.stages.len();
        // Levels from -below + 1 to steps, per field and dimension.
        let lowest = (0..n).map(|f| 1 - self.below(f)).min().unwrap_or(0);
        let index = |q: i64| (q - lowest) as usize;
        let levels = index(steps) + 1;
        let empty: Option<Vec<(i64, i64)>> = None;
        let mut need = vec![vec![empty; levels]; n];
        for (f, levels) in need.iter_mut().enumerate() {
            // In three space dimensions the last launch, of one step, writes all buffers.
            let all = (self.n_space > 2 && steps == 1).then_some(self.stages[f].buffers);
            let n_wanted = match self.stages[f].is_record {
                true => steps,
                false => self.below(f).max(all.unwrap_or(0)).min(steps - lowest + 1),
            };
            for q in steps - n_wanted + 1..=steps {
                levels[index(q)] = Some(vec![(0, 0); self.n_space]);
            }
        }
        for q in (1..=steps).rev() {
            for f in (0..n).rev() {
                let Some(wanted) = need[f][index(q)].clone() else {
                    continue;
                };
                for pull in self.stages[f].pulls_and_kept(f, self.n_space) {
                    let source = &mut need[pull.field][index(q - pull.age)];
                    let hull = source.get_or_insert_with(|| {
                        (wanted.iter().zip(&pull.offset))
                            .map(|(w, o)| (w.0 + o, w.1 + o))
                            .collect()
                    });
                    for ((h, w), o) in hull.iter_mut().zip(&wanted).zip(&pull.offset) {
                        *h = (h.0.min(w.0 + o), h.1.max(w.1 + o));
                    }
                }
            }
        }
        let mut reach = Reach {
            halo: vec![(0, 0); self.n_space],
            before: 0,
            extra: 0,
        };
        for (f, levels) in need.iter().enumerate() {
            for (at, wanted) in levels.iter().enumerate() {
                let Some(wanted) = wanted else { continue };
                for (halo, w) in reach.halo.iter_mut().zip(wanted) {
                    *halo = (halo.0.max(-w.0), halo.1.max(w.1));
                }
                let q = at as i64 + lowest;
                let first = self.stream.map_or(0, |d| wanted[d].0);
                reach.before = reach.before.max(-first - self.lag_of(f, q));
            }
        }
        let last = (0..n).map(|f| self.lag_of(f, steps)).max().unwrap_or(0);
        reach.extra = reach.before + last;
        reach
    }
}

/// That a pipeline computes what the program does. Only [`verify`] makes one.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PipelineProof {
    /// Number of sets that isl has compared.
    pub n_checks: usize,
}

/// Why a pipeline is not proven.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// A stage does not read what the program does.
    #[error(
        "field {target} depends on field {source_field} at a distance that its stage does not read"
    )]
    UnknownFlow {
        /// Field written.
        source_field: usize,
        /// Field whose stage reads it.
        target: usize,
    },
    /// A row is read before it exists or after it is gone.
    #[error("the stage of field {target} reads a row of field {source_field} that is not held")]
    RowNotHeld {
        /// Field read.
        source_field: usize,
        /// Field whose stage reads it.
        target: usize,
    },
    /// A tile's results depend on something outside what the tile computes.
    #[error("results depend on elements of field {field} that the tile does not compute")]
    NotComputed {
        /// The field.
        field: usize,
    },
    /// isl failed, so nothing is proved.
    #[error("isl failed: {0}")]
    Isl(#[from] hexcc_isl::Error),
}

/// A flow dependence between fields, as distances `[dt, ds..]` in time steps and space.
pub struct Flow {
    /// Field written.
    pub source: usize,
    /// Field whose stage reads it.
    pub target: usize,
    /// Target minus source.
    pub distances: Set,
}

impl Flow {
    /// Whether the target's stage reads all of these distances.
    ///
    /// # Errors
    /// isl's.
    pub fn is_pulled(&self, ctx: &Ctx, target: &Stage) -> hexcc_isl::Result<bool> {
        let pulls: Vec<String> = (target.pulls.iter())
            .filter(|p| p.field == self.source)
            .map(|p| {
                let ds: Vec<String> = p.offset.iter().map(|o| (-o).to_string()).collect();
                format!("[{}, {}]", p.age, ds.join(", "))
            })
            .collect();
        if pulls.is_empty() {
            return self.distances.is_empty();
        }
        // Those of a box stencil are a few boxes.
        let pulls = Set::read(ctx, &format!("{{ {} }}", pulls.join("; ")))?.coalesce()?;
        self.distances.is_subset(&pulls)
    }
}

/// A tile: per space dimension, the elements that it computes and those of them that are
/// results. Along the streamed dimension both are as long as the user likes.
pub struct Tile {
    /// Elements loaded: those of levels up to 0 that the tile holds.
    pub loaded: Vec<Range<i64>>,
    /// Elements computed.
    pub computed: Vec<Range<i64>>,
    /// Results.
    pub results: Vec<Range<i64>>,
}

/// Proves that tiles of `steps` time steps are right:
///
/// * every flow distance of the program is a pull of the target's stage;
/// * every pull lies within the rows held, and one of age 0 in a stage before;
/// * all instances that results depend on, found by applying the pulls `steps` times,
///   are among the elements that the tile computes, and among the rows that its
///   iterations load or compute.
///
/// That instances of one statement and time step do not depend on each other is the
/// canonical form's du >= 1.
///
/// # Errors
/// What does not hold, or isl's own.
pub fn verify(
    ctx: &Ctx,
    pipeline: &Pipeline,
    flows: &[Flow],
    steps: i64,
    tile: &Tile,
) -> Result<PipelineProof, PipelineError> {
    let mut n_checks = 0;
    for flow in flows {
        n_checks += 1;
        if !flow.is_pulled(ctx, &pipeline.stages[flow.target])? {
            return Err(PipelineError::UnknownFlow {
                source_field: flow.source,
                target: flow.target,
            });
        }
    }
    for (f, stage) in pipeline.stages.iter().enumerate() {
        for pull in stage.pulls_and_kept(f, pipeline.n_space) {
            let back = pipeline.back(f, &pull);
            let most = back + pipeline.wait * pull.age;
            let made = i64::from(pipeline.crosses(&pull));
            let held = made <= back && most < pipeline.depth[pull.field];
            if !held || (pull.age == 0 && pull.field >= f) {
                return Err(PipelineError::RowNotHeld {
                    source_field: pull.field,
                    target: f,
                });
            }
        }
    }
    let reach = pipeline.reach(steps);
    let names: Vec<String> = (0..pipeline.n_space).map(|d| format!("s{d}")).collect();
    let space = names.join(", ");
    // A tile of ROWS rows; more would be more of the same.
    const ROWS: i64 = 5;
    let bounds = |ranges: &[Range<i64>]| -> Vec<String> {
        (ranges.iter().enumerate())
            .filter(|(d, _)| pipeline.stream != Some(*d))
            .map(|(d, r)| format!("{} <= s{d} < {}", r.start, r.end))
            .collect()
    };
    let read =
        |parts: &[String]| Set::read(ctx, &format!("{{ [{space}] : {} }}", parts.join(" and ")));
    let mut results = bounds(&tile.results);
    if let Some(d) = pipeline.stream {
        results.push(format!("0 <= s{d} < {ROWS}"));
    }
    let results = read(&results)?;
    // The elements of every level that results depend on, or a box around them.
    let mut needed: Vec<BTreeMap<i64, Set>> = (0..pipeline.stages.len())
        .map(|f| {
            let stored = steps - pipeline.below(f) + 1..=steps;
            stored.map(|q| (q, results.clone())).collect()
        })
        .collect();
    let mut reaches = Vec::new();
    for (f, stage) in pipeline.stages.iter().enumerate() {
        reaches.push(stage_reach(ctx, stage, f, pipeline.n_space)?);
    }
    for q in (1..=steps).rev() {
        for f in (0..needed.len()).rev() {
            let Some(elements) = needed[f].get(&q).cloned() else {
                continue;
            };
            for ((field, age), map) in &reaches[f] {
                let sources = elements.apply(map)?;
                let level = needed[*field].entry(q - age);
                match level {
                    Entry::Vacant(level) => {
                        level.insert(sources);
                    }
                    Entry::Occupied(mut level) => {
                        if !sources.is_subset(level.get())? {
                            let hull = level.get().union(&sources)?.simple_hull()?;
                            level.insert(hull);
                        }
                    }
                }
            }
        }
    }
    for (field, levels) in needed.iter().enumerate() {
        for (&q, elements) in levels {
            let mut parts = bounds(if q <= 0 { &tile.loaded } else { &tile.computed });
            if let Some(d) = pipeline.stream {
                // Produced by an iteration from the first to the last.
                let shift = pipeline.lag_of(field, q) + reach.before;
                let last = ROWS + reach.extra;
                parts.push(format!("0 <= s{d} + {shift} < {last}"));
            }
            n_checks += 1;
            if !elements.is_subset(&read(&parts)?)? {
                return Err(PipelineError::NotComputed { field });
            }
        }
    }
    Ok(PipelineProof { n_checks })
}

/// From an element that a stage computes to those it reads of each level, given as field and
/// age, and with them to all others of the box around them.
fn stage_reach(
    ctx: &Ctx,
    stage: &Stage,
    field: usize,
    n_space: usize,
) -> hexcc_isl::Result<BTreeMap<(usize, i64), Map>> {
    let mut boxes: BTreeMap<(usize, i64), Vec<(i64, i64)>> = BTreeMap::new();
    for pull in stage.pulls_and_kept(field, n_space) {
        let around = (boxes.entry((pull.field, pull.age)))
            .or_insert_with(|| pull.offset.iter().map(|&o| (o, o)).collect());
        for (range, &offset) in around.iter_mut().zip(&pull.offset) {
            *range = (range.0.min(offset), range.1.max(offset));
        }
    }
    let names =
        |letter: &str| -> Vec<String> { (0..n_space).map(|d| format!("{letter}{d}")).collect() };
    let (from, to) = (names("s").join(", "), names("r").join(", "));
    let map_of = |around: &Vec<(i64, i64)>| {
        let bounds: Vec<String> = (around.iter().enumerate())
            .map(|(d, (lo, hi))| format!("s{d} + {lo} <= r{d} <= s{d} + {hi}"))
            .collect();
        Map::read(
            ctx,
            &format!("{{ [{from}] -> [{to}] : {} }}", bounds.join(" and ")),
        )
    };
    (boxes.iter())
        .map(|(level, around)| Ok((*level, map_of(around)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn star(wait: i64) -> Pipeline {
        let offsets = [
            [-1, 0, 0],
            [0, -1, 0],
            [0, 0, -1],
            [0, 0, 1],
            [0, 1, 0],
            [1, 0, 0],
        ];
        let pulls = offsets.map(|o| Pull {
            field: 0,
            age: 1,
            offset: o.to_vec(),
        });
        Pipeline::of_blocks(pulls.to_vec(), 1, wait)
    }

    #[test]
    fn levels_of_blocks_lag_and_wait() {
        for (wait, lags, depth) in [(0, [0, 1, 2, 3], 3), (1, [0, 1, 3, 5], 4)] {
            let p = star(wait);
            assert_eq!([0, 1, 2, 3].map(|q| p.lag_of(0, q)), lags, "wait {wait}");
            assert_eq!(p.depth, [depth], "wait {wait}");
            let reach = p.reach(3);
            assert_eq!((reach.before, reach.extra), (3, 3 + lags[3]), "wait {wait}");
        }
    }

    #[test]
    fn what_crosses_warps_waits() {
        let ctx = Ctx::new().expect("isl starts");
        let pull = |offset: [i64; 3]| Pull {
            field: 0,
            age: 1,
            offset: offset.to_vec(),
        };
        let stage = |pulls: &[[i64; 3]]| Stage {
            pulls: pulls.iter().copied().map(pull).collect(),
            buffers: 2,
            kept: 1,
            is_record: false,
        };
        let star = stage(&[[-1, 0, 0], [0, -1, 0], [0, 1, 0], [1, 0, 0]]);
        let corner = stage(&[[1, 1, 0], [0, 0, 1]]);
        let tile = Tile {
            loaded: vec![0..1, 0..16, 0..32],
            computed: vec![0..1, 0..16, 0..32],
            results: vec![0..1, 2..14, 2..30],
        };
        // Rows of the plane before the newest are there; those of the newest are not yet.
        for (stage, lag) in [(star, 1), (corner, 2)] {
            let pipeline = Pipeline::new(vec![stage], 3, Some(0), Some(1)).expect("there are lags");
            assert_eq!(pipeline.step_lag, lag);
            assert!(verify(&ctx, &pipeline, &[], 2, &tile).is_ok());
            let hasty = Pipeline {
                step_lag: lag - 1,
                ..pipeline
            };
            assert!(verify(&ctx, &hasty, &[], 2, &tile).is_err());
        }
    }

    #[test]
    fn results_of_blocks_need_the_halo() {
        let ctx = Ctx::new().expect("isl starts");
        let tile = |rows: Range<i64>, columns: Range<i64>| Tile {
            loaded: vec![0..1, -1..9, 0..32],
            computed: vec![0..1, 0..8, 0..32],
            results: vec![0..1, rows, columns],
        };
        let proven = |rows, columns| verify(&ctx, &star(1), &[], 2, &tile(rows, columns)).is_ok();
        assert!(proven(1..7, 2..30));
        assert!(!proven(0..7, 2..30));
        assert!(!proven(1..8, 2..30));
        assert!(!proven(1..7, 1..30));
        assert!(!proven(1..7, 2..31));
    }
}
