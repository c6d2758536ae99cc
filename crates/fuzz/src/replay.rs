//! Executes a program in the order of a schedule and looks whether every
//! instance still gets the values it gets in C.
//!
//! The schedule comes as numbers only. Tiles are derived from them here, from
//! CGO'14 section 3.3 and 3.4 as printed, with the correction of equation (3),
//! and not by the compiler's code.

use crate::brute::{Fraction, Instance, Run, execute, fresh_memory};
use crate::rng::Rng;
use std::collections::BTreeMap;

/// A hybrid schedule as numbers.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Logical time steps per time step.
    pub k: i64,
    /// By statement: its position in the logical time step.
    pub slots: Vec<i64>,
    /// The hexagonal dimension.
    pub hex_dim: usize,
    /// Half height.
    pub h: i64,
    /// Widths by space dimension; w0 at the hexagonal one.
    pub w: Vec<i64>,
    /// Slope of the hexagonal dimension.
    pub delta0: Fraction,
    /// Slopes by space dimension.
    pub delta1: Vec<Fraction>,
    /// Whether the block meets at a barrier after each row.
    pub barriers: Vec<bool>,
    /// Tiles of this classical dimension also run in parallel: those with
    /// equal `lag * (2 T + phase) + S` in one launch.
    pub wavefront: Option<(usize, i64)>,
}

/// Where an instance executes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    /// Launches are in order.
    launch: (i64, i64),
    /// Blocks of a launch are not: (p, S_hex, S_par).
    block: (i64, i64, i64),
    /// Steps of a block are in order: classical tiles, then groups of rows.
    tile: Vec<i64>,
    group: usize,
}

fn floor_div(a: i64, b: i64) -> i64 {
    a.div_euclid(b)
}

impl Schedule {
    /// Constraints (6), (8), (10) and (12), multiplied by the denominators.
    fn in_hexagon(&self, a: i64, b: i64) -> bool {
        let (h, w0) = (self.h, self.w[self.hex_dim]);
        let (d0, d1) = (self.delta0, self.delta1[self.hex_dim]);
        let (f0, f1) = (d0.times_floor(h), d1.times_floor(h));
        let six = d0.num * a - b * d0.den <= (2 * h + 1) * d0.num - f0 * d0.den;
        let eight = d1.num * a + b * d1.den <= (2 * h + 1) * d1.num + (f0 + w0) * d1.den;
        let ten = d1.num * a + b * d1.den >= h * d1.num - (d1.den - 1);
        let twelve = d0.num * a - b * d0.den >= h * d0.num - (f0 + w0 + f1) * d0.den - (d0.den - 1);
        six && eight && ten && twelve
    }

    /// The positions of an instance, one per phase whose hexagon has it.
    fn positions(&self, instance: &Instance) -> Vec<Position> {
        let (h, w0) = (self.h, self.w[self.hex_dim]);
        let (f0, f1) = (
            self.delta0.times_floor(h),
            self.delta1[self.hex_dim].times_floor(h),
        );
        let (rows, pitch) = (2 * h + 2, 2 * w0 + 2 + f0 + f1);
        let u = self.k * instance.step + self.slots[instance.stmt];
        let s = instance.place[self.hex_dim];
        let mut found = Vec::new();
        for phase in 0..2 {
            // (2) and (4), (3) and (5).
            let (du, ds) = match phase {
                0 => (h + 1, f0 + w0 + 1),
                _ => (0, 0),
            };
            let time_tile = floor_div(u + du, rows);
            let a = (u + du).rem_euclid(rows);
            let numerator = s + ds + time_tile * (f1 - f0);
            let (s_hex, b) = (floor_div(numerator, pitch), numerator.rem_euclid(pitch));
            if !self.in_hexagon(a, b) {
                continue;
            }
            let p = 2 * time_tile + phase;
            let mut tile = Vec::new();
            let mut parallel = 0;
            let mut launch = (p, 0);
            for (dim, &w) in self.w.iter().enumerate() {
                if dim == self.hex_dim {
                    continue;
                }
                // (14), with the skew rounded down.
                let skew = self.delta1[dim].times_floor(a);
                let s_i = floor_div(instance.place[dim] + skew, w);
                match self.wavefront {
                    Some((par_dim, lag)) if par_dim == dim => {
                        parallel = s_i;
                        launch = (lag * p + s_i, 0);
                    }
                    _ => tile.push(s_i),
                }
            }
            let group = self.barriers[..a as usize].iter().filter(|b| **b).count();
            found.push(Position {
                launch,
                block: (p, s_hex, parallel),
                tile,
                group,
            });
        }
        found
    }
}

/// Replays a run; what went wrong, if anything did.
pub fn check(schedule: &Schedule, run: &Run, rng: &mut Rng, rounds: usize) -> Option<String> {
    let mut memory = fresh_memory(run.n_cells);
    let expected: Vec<u64> = (run.instances.iter())
        .map(|i| execute(i, &mut memory))
        .collect();
    // launch -> block -> step -> instances
    type Steps = BTreeMap<(Vec<i64>, usize), Vec<usize>>;
    type Blocks = BTreeMap<(i64, i64, i64), Steps>;
    let mut launches: BTreeMap<(i64, i64), Blocks> = BTreeMap::new();
    for (at, instance) in run.instances.iter().enumerate() {
        let positions = schedule.positions(instance);
        if positions.len() != 1 {
            return Some(format!(
                "statement {} at step {}, {:?} lies in {} hexagons",
                instance.stmt,
                instance.step,
                instance.place,
                positions.len()
            ));
        }
        for p in positions {
            (launches.entry(p.launch).or_default())
                .entry(p.block)
                .or_default()
                .entry((p.tile, p.group))
                .or_default()
                .push(at);
        }
    }
    for round in 0..rounds {
        let mut now = fresh_memory(run.n_cells);
        for blocks in launches.values() {
            // Each block is a queue of instances, in order but within a step.
            let mut queues: Vec<Vec<usize>> = (blocks.values())
                .map(|steps| {
                    let mut queue = Vec::new();
                    for instances in steps.values() {
                        let mut instances = instances.clone();
                        match round {
                            0 => {}
                            1 => instances.reverse(),
                            _ => {
                                for i in (1..instances.len()).rev() {
                                    instances.swap(i, rng.below(i + 1));
                                }
                            }
                        }
                        queue.extend(instances);
                    }
                    queue.reverse();
                    queue
                })
                .collect();
            while !queues.is_empty() {
                // Whole blocks in either order first, then interleaved at random.
                let (at, n) = match round {
                    0 => (0, usize::MAX),
                    1 => (queues.len() - 1, usize::MAX),
                    _ => (rng.below(queues.len()), 1 + rng.below(12)),
                };
                for _ in 0..n {
                    let Some(next) = queues[at].pop() else { break };
                    let instance = &run.instances[next];
                    let found = execute(instance, &mut now);
                    if found != expected[next] {
                        return Some(format!(
                            "statement {} at step {}, {:?} gets other values than in C (round {round})",
                            instance.stmt, instance.step, instance.place
                        ));
                    }
                }
                if queues[at].is_empty() {
                    queues.swap_remove(at);
                }
            }
        }
        if now != memory {
            return Some(format!("other results than C's (round {round})"));
        }
    }
    None
}
