//! Predicted time of single steps: one thread for each cell, a launch for each logical time step.
//!
//! Architecture invariant: as [`crate::model`], pure functions of counts and of the description of a
//! GPU. Such kernels are bound by neither memory nor arithmetic alone: a thread waits for its loads, and
//! the threads that fit do not hide all of it. So the model is a sum: instructions of a thread, of its
//! loads and of its statements, and the share of the memory's time that these do not hide. The
//! constants are fitted to 41 programs of `bench/stencils`, `bench/apps` and `testsuite` on one H200
//! (docs/notes/results.md, Applications); where a thread has several cells, to 39 programs on an H200 and 12 on an H100
//! (Kinds of kernels, Overtile's ten programs). Of these 51 predictions 49 are within 15%.

use crate::kernel::{
    KernelAccess, KernelStmt, Read, Stencil, Sub, operation_slots, operation_slots_of_many,
};
use crate::model::Problem;
use crate::target::Target;
use std::collections::BTreeSet;

/// Issue slots in which a thread starts, finds its cell and ends, and those that are lost while all
/// threads of a block wait for memory.
const THREAD_SLOTS: f64 = 70.0;

/// Issue slots of a load of a word in one dimension; [`LOAD_SLOTS_OF_DIM`] more for each other one.
const LOAD_SLOTS: f64 = 2.8;
/// See [`LOAD_SLOTS`].
const LOAD_SLOTS_OF_DIM: f64 = 0.57;

/// Issue slots lost for each statement after the first of a launch: its loads wait for the store before
/// it, since nothing tells the compiler that they are of other elements.
const STATEMENT_SLOTS: f64 = 50.0;

/// Share of the memory's time that instructions do not hide.
const EXPOSED: f64 = 0.6;

/// Share of the memory's speed that such a kernel attains where nothing else limits it.
const MEMORY_SHARE: f64 = 0.9;

/// Share of the issue slots that such a kernel attains where nothing else limits it.
const ISSUE_SHARE: f64 = 0.8;

/// Share of L2 that holds data from one launch to the next.
const L2_SHARE: f64 = 0.7;

/// How many times faster than DRAM planes are moved then, at least (14 programs at 2048^2, star3d1r, wave3d and conduct3d at 128^3, H200:
/// with 1.5 they are predicted at 0.83 of what was measured).
const L2_SPEED: f64 = 1.75;

/// Microseconds of a launch in which its first loads and its last stores are on their way (star2d1r from 512^2 to 2048^2, star3d1r
/// from 96^3 to 256^3, H200).
const DRAIN_US: f64 = 1.2;

/// Cells of a launch from which on a thread has several of them, where it may.
pub(crate) const MANY_CELLS: f64 = (1 << 20) as f64;

/// Cells of a block of such threads along each loop but the innermost, by the number of the loops.
const BLOCK: [i64; 2] = [4, 4];

/// Of these, the cells of a thread.
const CELLS: [i64; 2] = [2, 2];

/// Bytes that blocks of such threads load and store in a second, fitted.
const BLOCK_BYTES: f64 = 7.2e12;

/// Bytes that a multiprocessor gets from its cache in a cycle.
const CACHE_BYTES: f64 = 128.0;

/// Issue slots of such a kernel for a cell beside its operations and loads.
const CELL_SLOTS: f64 = 12.0;

/// Share of the issue slots that such a kernel attains, in one or two dimensions and in three: 16 cells of a thread need more
/// registers than eight, so that fewer threads fit.
const WIDE_SHARE: [f64; 2] = [0.8, 0.6];

/// Share of the slots of roots, quotients and functions that such a kernel takes: what cells of a thread have in common is computed
/// once, and the tests for numbers out of the ordinary overlap with what other cells do (gradient2d, peronamalik2d, tv2d).
const LONG_SHARE: f64 = 0.65;

/// How the times of such a kernel join: the largest one counts nearly alone.
const NORM: f64 = 5.0;

/// What the threads of a launch do for a cell where each has several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WideWork {
    /// Bytes that blocks load and store.
    pub block_bytes: f64,
    /// Bytes that threads load.
    pub thread_bytes: f64,
    /// Loads of neighbours at once.
    pub accesses: f64,
    /// Issue slots of operations, of which long ones count by `LONG_SHARE`.
    pub slots: f64,
}

/// What a launch does for a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaunchWork {
    /// Of all planes that it reads or writes.
    pub bytes: i64,
    /// Words of four bytes loaded, by each statement again.
    pub loads: i64,
    /// Statements that run for most cells.
    pub statements: i64,
    /// Issue slots of operations.
    pub slots: f64,
    /// The same where a thread has several cells; `None` where it may not.
    pub wide: Option<WideWork>,
}

/// What single steps do for a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepWork {
    /// Launches of a time step.
    pub launches: Vec<LaunchWork>,
    /// Bytes of all planes that a step finds and leaves: no kernel of a single step moves fewer.
    pub bytes: i64,
    /// Elements of one array that a step updates for a cell, at least 1.
    pub updates: i64,
}

/// What is predicted of single steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepTime {
    /// Updates of points per nanosecond, in all.
    pub gcells: f64,
    /// The same of a kernel that does nothing but move each plane once.
    pub limit: f64,
    /// Bytes of a step for a point: each plane that it finds or leaves once.
    pub bytes: i64,
    /// Elements of one array that a step updates for a point.
    pub updates: i64,
    /// Picoseconds of the whole GPU per update of a point: instructions, memory, starting kernels.
    pub terms: [f64; 3],
}

impl StepTime {
    /// Points per nanosecond, each with all of its updates.
    pub fn points(&self) -> f64 {
        self.gcells / self.updates.max(1) as f64
    }
}

/// An array, or the part of it that constants and the time choose: one element for each point.
type Plane = (usize, Vec<Option<(bool, i64)>>);

/// The plane of an access; `None` for arrays with fewer elements than points.
fn plane(access: &KernelAccess, n_space: usize) -> Option<Plane> {
    let mut along = 0;
    let subs = (access.subs.iter())
        .map(|sub| match sub {
            Sub::Time { offset, .. } => Some((true, *offset)),
            Sub::Const(c) => Some((false, *c)),
            Sub::Space { .. } | Sub::General { .. } => {
                along += 1;
                None
            }
        })
        .collect();
    (along >= n_space).then_some((access.array, subs))
}

impl StepWork {
    /// Counts what the statements of a stencil do that run for most cells.
    pub fn of(stencil: &Stencil) -> StepWork {
        let n_space = stencil.dims.len().saturating_sub(1);
        let size = |array: usize| {
            stencil
                .arrays
                .get(array)
                .map_or(4, |a| a.elem.size() as i64)
        };
        let bytes = |planes: &BTreeSet<Plane>| planes.iter().map(|p| size(p.0)).sum::<i64>();
        let (mut found, mut left) = (BTreeSet::new(), BTreeSet::new());
        let mut work = StepWork::default();
        for stmts in launches(stencil) {
            let of_reads = stmts.iter().flat_map(|s| s.elements());
            let reads: BTreeSet<Plane> = of_reads.filter_map(|a| plane(a, n_space)).collect();
            let of_writes = stmts.iter().filter_map(|s| plane(&s.write, n_space));
            let writes: BTreeSet<Plane> = of_writes.collect();
            found.extend(reads.difference(&left).cloned());
            left.extend(writes.iter().cloned());
            let words = |s: &&KernelStmt| {
                let all = distinct(s).into_iter();
                all.map(|a| (size(a.array) + 3) / 4).sum::<i64>()
            };
            work.launches.push(LaunchWork {
                bytes: bytes(&reads) + bytes(&writes),
                loads: stmts.iter().map(words).sum(),
                statements: stmts.len() as i64,
                slots: operation_slots(stmts.iter().copied()) as f64,
                wide: wide(stencil, &stmts),
            });
        }
        work.bytes = bytes(&found) + bytes(&left);
        work.updates = updates(stencil);
        work
    }
}

/// The statements of each launch of a time step that run for most cells. Those of other domains stand in nests of their own, which
/// are launches of their own: arrays that both read are loaded twice (fdtd3d).
fn launches(stencil: &Stencil) -> Vec<Vec<&KernelStmt>> {
    let mut all = Vec::new();
    for slot in 0..stencil.k.max(1) {
        let mut of_slot: Vec<Vec<&KernelStmt>> = Vec::new();
        for stmt in (stencil.stmts.iter()).filter(|s| s.slot == slot && !s.partial_only) {
            match of_slot.iter_mut().find(|l| l[0].guard == stmt.guard) {
                Some(launch) => launch.push(stmt),
                None => of_slot.push(vec![stmt]),
            }
        }
        if of_slot.is_empty() {
            of_slot.push(Vec::new());
        }
        all.extend(of_slot);
    }
    all
}

/// What threads of several cells load for a cell; `None` where they may not have them, as far as
/// subscripts tell ([`crate::tiling::coarsen`] proves it).
fn wide(stencil: &Stencil, stmts: &[&KernelStmt]) -> Option<WideWork> {
    let n_space = stencil.dims.len().saturating_sub(1);
    let outer = n_space.checked_sub(1).filter(|n| (1..=2).contains(n))?;
    let size = |plane: &Plane| stencil.arrays.get(plane.0).map_or(4, |a| a.elem.size());
    let elements = stmts.iter().flat_map(|s| s.elements().chain([&s.write]));
    let planes = elements.filter_map(|access| plane(access, n_space));
    let lanes = (16 / planes.map(|plane| size(&plane)).max()? as i64).min(4);
    let mut rows: BTreeSet<(Plane, Vec<i64>)> = BTreeSet::new();
    let mut accesses: BTreeSet<(Plane, Vec<i64>, i64)> = BTreeSet::new();
    for stmt in stmts {
        for access in stmt.elements().chain([&stmt.write]) {
            let general = access.subs.iter().any(|s| matches!(s, Sub::General { .. }));
            let Some(plane) = plane(access, n_space) else {
                continue;
            };
            let along = |d: usize| {
                access.subs.iter().find_map(|sub| match sub {
                    Sub::Space { dim, offset } if *dim == d => Some(*offset),
                    _ => None,
                })
            };
            let last = matches!(access.subs.last(), Some(Sub::Space { dim, .. }) if *dim == outer);
            if general || !last {
                return None;
            }
            if std::ptr::eq(access, &stmt.write) {
                continue;
            }
            let at: Vec<i64> = (0..outer).map(along).collect::<Option<_>>()?;
            let inner = along(outer)?;
            for row in beside(&at, &BLOCK) {
                rows.insert((plane.clone(), row));
            }
            for row in beside(&at, &CELLS) {
                for lane in 0..lanes {
                    let m = (lane + inner).div_euclid(lanes);
                    accesses.insert((plane.clone(), row.clone(), m));
                }
            }
        }
    }
    let cells = |of: &[i64; 2]| of[..outer].iter().product::<i64>() as f64;
    let bytes = |plane: &Plane| size(plane) as f64;
    let written = stmts.iter().filter_map(|s| plane(&s.write, n_space));
    let loaded: f64 = rows.iter().map(|(plane, _)| bytes(plane)).sum();
    let stored: f64 = written.map(|plane| bytes(&plane)).sum();
    let thread_bytes: f64 = accesses.iter().map(|(plane, ..)| bytes(plane)).sum();
    let [slots, long] = operation_slots_of_many(stmts).map(|n| n as f64);
    Some(WideWork {
        slots: slots - (1.0 - LONG_SHARE) * long,
        block_bytes: loaded / cells(&BLOCK) + stored,
        thread_bytes: thread_bytes / cells(&CELLS),
        accesses: accesses.len() as f64 / (cells(&CELLS) * lanes as f64),
    })
}

/// The offsets of neighbouring cells, so many along each loop.
fn beside(at: &[i64], cells: &[i64; 2]) -> Vec<Vec<i64>> {
    let mut all = vec![at.to_vec()];
    for (axis, n) in (0..at.len()).zip(cells) {
        let moved = |at: &Vec<i64>| -> Vec<Vec<i64>> {
            let by = |cell: i64| {
                let mut at = at.clone();
                at[axis] += cell;
                at
            };
            (0..*n).map(by).collect()
        };
        all = all.iter().flat_map(moved).collect();
    }
    all
}

/// The elements that a statement reads, each once.
fn distinct(stmt: &KernelStmt) -> Vec<&KernelAccess> {
    let mut all: Vec<&KernelAccess> = Vec::new();
    for read in &stmt.reads {
        if let Read::Element(access) = read
            && !all.contains(&access)
        {
            all.push(access);
        }
    }
    all
}

/// Elements of one array that statements with operations update for a point, of the array with the
/// most; as the measured speed counts them.
fn updates(stencil: &Stencil) -> i64 {
    let mut of_array = vec![0; stencil.arrays.len()];
    for stmt in stencil.stmts.iter().filter(|s| !s.partial_only) {
        let values = stmt.locals.iter().map(|l| &l.2).chain([&stmt.value]);
        let computes = values.map(|e| e.n_operations()).sum::<usize>() > 0;
        if let Some(n) = of_array.get_mut(stmt.write.array) {
            *n += i64::from(computes);
        }
    }
    of_array.into_iter().max().unwrap_or(1).max(1)
}

/// The time of single steps on a GPU.
pub fn predict(work: &StepWork, target: &Target, problem: &Problem) -> StepTime {
    let points = problem.extents.iter().product::<f64>().max(1.0);
    let n_space = problem.extents.len() as f64;
    let share = WIDE_SHARE[usize::from(n_space > 2.0)];
    let slots_per_second = target.sms as f64 * target.issue_lanes * target.clock_mhz * 1e6;
    let stays = work.bytes as f64 * points < L2_SHARE * target.l2_bytes;
    let dram = target.dram_gbs * 1e9;
    let bytes_per_second = match stays {
        true => (L2_SPEED * dram).max(target.l2_gbs * 1e9),
        false => dram,
    };
    let [mut issue, mut memory, mut starting] = [0.0; 3];
    for launch in &work.launches {
        starting += (target.launch_us + DRAIN_US) * 1e-6 / points;
        if launch.statements == 0 {
            continue;
        }
        if let Some(wide) = launch.wide.filter(|_| points >= MANY_CELLS) {
            let loaded = wide.accesses + wide.slots + CELL_SLOTS;
            let cache = target.sms as f64 * target.clock_mhz * 1e6 * CACHE_BYTES;
            let moving = launch.bytes as f64 / bytes_per_second;
            let all = [
                moving,
                wide.block_bytes / BLOCK_BYTES,
                loaded / (share * slots_per_second),
                wide.thread_bytes / cache,
            ];
            let joined = all.iter().map(|t| t.powf(NORM)).sum::<f64>();
            issue += joined.powf(1.0 / NORM) - moving;
            memory += moving;
            continue;
        }
        let load = LOAD_SLOTS + LOAD_SLOTS_OF_DIM * (n_space - 1.0);
        let thread = THREAD_SLOTS
            + load * launch.loads as f64
            + STATEMENT_SLOTS * (launch.statements - 1) as f64;
        let busy = (launch.loads as f64 + launch.slots) / ISSUE_SHARE;
        let moving = launch.bytes as f64 / bytes_per_second;
        let waiting = EXPOSED * moving;
        let thread = thread.max(busy) / slots_per_second;
        issue += thread;
        memory += waiting.max(moving / MEMORY_SHARE - thread);
    }
    let per_update = |seconds: f64| seconds / work.updates.max(1) as f64 * 1e12;
    let terms = [issue, memory, starting].map(per_update);
    let bytes = work.bytes.max(1) as f64 / work.updates.max(1) as f64;
    StepTime {
        gcells: 1e3 / terms.iter().sum::<f64>(),
        limit: target.dram_gbs / bytes,
        bytes: work.bytes,
        updates: work.updates,
        terms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_one(bytes: i64, loads: i64, statements: i64, slots: f64) -> StepWork {
        StepWork {
            launches: vec![LaunchWork {
                bytes,
                loads,
                statements,
                slots,
                wide: None,
            }],
            bytes,
            updates: 1,
        }
    }

    fn gcells(work: &StepWork, extents: &[f64]) -> f64 {
        let problem = Problem {
            extents: extents.to_vec(),
            steps: 100.0,
        };
        predict(work, &Target::default(), &problem).gcells
    }

    /// Measured on an H200, within a seventh.
    #[test]
    fn kernels_of_one_statement() {
        let plane = [16384.0; 2];
        let space = [512.0; 3];
        for (name, extents, bytes, loads, slots, measured) in [
            ("star2d1r", &plane[..], 8, 5, 9.0, 272.0),
            ("star2d4r", &plane, 8, 17, 33.0, 206.8),
            ("binomial2d", &plane, 8, 25, 50.0, 174.5),
            ("hotspot2d", &plane, 12, 6, 15.0, 240.1),
            ("star3d1r", &space, 8, 7, 13.0, 248.0),
            ("heat3d", &space, 8, 27, 27.0, 162.7),
            ("wave3d", &space, 16, 9, 12.0, 193.2),
            ("advect3d", &space, 20, 10, 30.0, 169.7),
            ("acoustic3d", &space, 16, 27, 35.0, 124.5),
            ("faces3d", &space, 24, 14, 28.0, 143.2),
        ] {
            let ratio = gcells(&of_one(bytes, loads, 1, slots), extents) / measured;
            assert!((ratio - 1.0).abs() < 0.15, "{name}: {ratio:.2}");
        }
    }

    /// The same of threads of several cells: bytes of blocks and threads, and slots.
    #[test]
    fn kernels_of_several_cells_a_thread() {
        let (plane, space) = ([8192.0; 2], [384.0; 3]);
        for (name, extents, bytes, wide, measured) in [
            ("gradient2d", &plane[..], 8, [10.0, 16.0, 29.35], 500.1),
            ("peronamalik2d", &plane, 8, [10.0, 16.0, 47.0], 400.3),
            ("binomial2d", &plane, 8, [12.0, 36.0, 50.0], 387.4),
            ("star2d4r", &plane, 8, [16.0, 28.0, 33.0], 369.6),
            ("hotspot2d", &plane, 12, [14.0, 20.0, 15.0], 357.1),
            ("j3d27pt", &space, 8, [13.0, 48.0, 57.0], 285.2),
            ("star3d1r", &space, 8, [12.0, 20.0, 13.0], 457.5),
        ] {
            let [block_bytes, thread_bytes, slots] = wide;
            let mut work = of_one(bytes, 1, 1, slots);
            work.launches[0].wide = Some(WideWork {
                block_bytes,
                thread_bytes,
                accesses: thread_bytes / 16.0,
                slots,
            });
            let ratio = gcells(&work, extents) / measured;
            assert!((ratio - 1.0).abs() < 0.1, "{name}: {ratio:.2}");
        }
    }

    /// More of anything never makes single steps faster.
    #[test]
    fn more_work_is_never_faster() {
        let base = gcells(&of_one(16, 10, 2, 40.0), &[512.0; 3]);
        for more in [
            of_one(32, 10, 2, 40.0),
            of_one(16, 100, 2, 40.0),
            of_one(16, 10, 9, 40.0),
            of_one(16, 10, 2, 4000.0),
        ] {
            assert!(gcells(&more, &[512.0; 3]) < base, "{more:?}");
        }
        assert!(
            gcells(&of_one(16, 10, 2, 40.0), &[32.0; 3]) < base,
            "launches"
        );
    }

    #[test]
    fn no_kernel_moves_fewer_bytes() {
        let problem = Problem {
            extents: vec![512.0; 3],
            steps: 100.0,
        };
        let target = Target::default();
        for bytes in [8, 72, 400] {
            let time = predict(&of_one(bytes, 1, 1, 1.0), &target, &problem);
            assert!(time.gcells < time.limit, "{bytes}");
        }
    }
}
