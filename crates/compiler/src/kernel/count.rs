//! Exact counts of a full tile (CGO'14 section 3.7): what it computes, and what
//! it moves between registers, shared memory, L2 and DRAM.
//!
//! The tile sets are boxes (see [`super::footprint`]), so every count is a sum
//! of lengths of intervals. Nothing here knows times or a GPU; that is
//! [`crate::model`].
//!
//! **Shared memory.** A thread computes all points that a row has along the
//! hexagonal dimension for one point of the classical dimensions, its *column*,
//! and computes all values of a row before it stores one. Accesses that differ in
//! the hexagonal offset only therefore read one column of elements: n points with
//! offsets -1, 0, 1 take n + 2 loads and not 3 n.
//!
//! **L2.** Copies and stores in 32-byte sectors, summed over the tile.
//!
//! **DRAM.** A launch executes the tiles of one phase, which are translates of
//! one another by the pitch and the widths, so whatever is the same for every
//! tile can be counted on the torus of one pitch times the widths. What
//! neighbouring tiles load both comes from DRAM once: hexagons of a phase run
//! side by side, and a block's next tile comes soon after. What a tile loads after
//! an earlier tile of the block has written it comes from L2. So an element costs
//! a read if the first tile that touches it loads it. Tiles of a block run in
//! increasing S_i (not those along a wavefront, which run in different launches
//! and share nothing), so that is the tile in whose coordinates the element lies
//! furthest to the right. A written element costs one write, however many
//! stores it gets.
//!
//! Sectors are those of arrays whose rows start at a multiple of 128 bytes.

use super::footprint::{NeededRow, touched};
use super::{Interval, KernelArray, KernelStmt, Read, Row, SharedBox, SharedDim, Sub};
use crate::ctype::CType;
use crate::quotient::{Divisions, Form};
use crate::sched::HybridSchedule;
use crate::scop::Expr;
use std::collections::HashSet;

/// Bytes of a sector, the unit of traffic of L2 and DRAM.
pub const SECTOR: i64 = 32;

/// Lanes of a warp.
const WARP: i64 = 32;

/// Widest asynchronous copy, bytes.
const CHUNK: i64 = 16;

/// How a kernel moves data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// Copies are 16 bytes wide where widths allow.
    pub aligned: bool,
    /// Only elements that the previous tile of the block does not hold are
    /// copied in (CGO'14 section 4.2.2), along the innermost dimension.
    pub reuse: bool,
    /// Values that no other tile reads are not stored.
    pub live_out_only: bool,
}

impl Default for Moves {
    fn default() -> Self {
        Moves {
            aligned: true,
            reuse: true,
            live_out_only: true,
        }
    }
}

/// What is counted.
pub struct Tile<'a> {
    /// The statements.
    pub stmts: &'a [KernelStmt],
    /// The rows.
    pub rows: &'a [Row],
    /// The arrays, with boxes.
    pub arrays: &'a [KernelArray],
    /// What the tile needs from outside, per array, slice and row of the box.
    pub needed: &'a [Vec<Vec<NeededRow>>],
    /// Instances whose value needs no store, per statement and row of the tile.
    pub keep: &'a [Vec<Vec<Interval>>],
    /// The tiling.
    pub schedule: &'a HybridSchedule,
    /// Distance of neighbouring tiles per space dimension: the pitch of the
    /// hexagons, the widths of the classical tiles.
    pub period: &'a [i64],
    /// How data moves.
    pub moves: Moves,
    /// Threads that share the points of a row along the hexagonal dimension.
    pub hex_threads: i64,
}

/// Counts of one full tile. A *lane* is one thread's part of an instruction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// Points of the tile: per logical time step, whatever the statements.
    pub points: i64,
    /// Statement instances.
    pub iterations: i64,
    /// Rows, each with a barrier after it.
    pub rows: i64,
    /// Columns along the innermost classical dimension and the number of those
    /// along all others together; 1 and 1 in one dimension, where threads run
    /// along the hexagon.
    pub columns: [i64; 2],
    /// Arithmetic, in issue slots of a lane.
    pub operations: i64,
    /// Accesses and operations as the source has them, see [`KernelStmt::work`].
    pub source_work: i64,
    /// The part of it that needs the double-precision units.
    pub double_operations: i64,
    /// Lanes that load from shared memory.
    pub shared_loads: i64,
    /// Lanes that store to shared memory.
    pub shared_stores: i64,
    /// 4-byte words of the two together.
    pub shared_words: i64,
    /// Lanes that load from global memory while computing.
    pub global_loads: i64,
    /// Elements copied in.
    pub loads: i64,
    /// Copy instructions, of one lane each.
    pub copies: i64,
    /// 4-byte words they write to shared memory.
    pub copy_words: i64,
    /// Sectors they read.
    pub load_sectors: i64,
    /// Elements stored to global memory.
    pub stores: i64,
    /// Lanes of the store instructions issued, those without an element to
    /// store included.
    pub store_lanes: i64,
    /// Sectors the stores write, warp by warp.
    pub store_sectors: i64,
    /// Sectors read from DRAM per tile, if a launch is larger than L2.
    pub dram_load_sectors: i64,
    /// Sectors written to DRAM per tile.
    pub dram_store_sectors: i64,
    /// Registers, in words, of the values of the widest row of one column.
    pub value_words: i64,
    /// Registers, in words, of the longest column of elements such a row loads.
    pub operand_words: i64,
    /// Dependent operations of the longest statement.
    pub chain: i64,
    /// Issue slots of divisions and calls: long chains of their own, with branches that
    /// keep them from mixing with those of other points.
    pub slow_operations: i64,
    /// Registers per thread that the kernel is compiled for.
    pub registers_wanted: i64,
    /// Shared memory, bytes.
    pub shared_bytes: i64,
}

impl Work {
    /// [`Work::columns`] of a schedule.
    pub fn columns_of(schedule: &HybridSchedule) -> [i64; 2] {
        match schedule.classical.split_last() {
            Some((inner, outer)) => [
                inner.w,
                (outer.iter()).fold(1, |n, c| i64::saturating_mul(n, c.w)),
            ],
            None => [1, 1],
        }
    }

    /// All columns.
    pub fn n_columns(&self) -> i64 {
        self.columns[0] * self.columns[1]
    }

    /// The same tile of a kernel that accesses global memory throughout.
    pub fn in_global_memory(self) -> Work {
        Work {
            global_loads: self.global_loads + self.shared_loads,
            shared_loads: 0,
            shared_stores: 0,
            shared_words: 0,
            copies: 0,
            copy_words: 0,
            shared_bytes: 0,
            ..self
        }
    }
}

/// Counts a tile.
pub fn count(tile: &Tile) -> Work {
    let mut work = Work {
        rows: tile.rows.len() as i64,
        columns: Work::columns_of(tile.schedule),
        ..Work::default()
    };
    let slots = tile.rows.iter().map(|r| r.slot).max().unwrap_or(0) + 1;
    let slots: Vec<Slot> = (0..slots).map(|slot| Slot::new(tile, slot)).collect();
    for row in tile.rows {
        if let Some(slot) = slots.get(row.slot as usize) {
            count_row(tile, row, slot, &mut work);
        }
    }
    work.chain = slots.iter().map(|s| s.chain).max().unwrap_or(0);
    for (index, array) in tile.arrays.iter().enumerate() {
        if let Some(shared) = &array.shared {
            Lines::new(tile, index, array.elem, shared).count(tile, &mut work);
        }
    }
    count_stores(tile, &mut work);
    work
}

fn volume(points: &[Interval]) -> i64 {
    points.iter().map(|p| p.len()).product()
}

/// Elements that one column of a row reads together.
struct Column<'a> {
    array: usize,
    subs: &'a [Sub],
    /// Offsets along the hexagonal dimension, ascending; a single 0 where the
    /// element does not depend on it.
    offsets: Vec<i64>,
    varies: bool,
}

/// What the rows of one slot have in common.
struct Slot<'a> {
    columns: Vec<Column<'a>>,
    operations: i64,
    source_work: i64,
    double_operations: i64,
    slow_operations: i64,
    /// `(array, words)` written, per statement.
    writes: Vec<(usize, i64)>,
    chain: i64,
}

fn words(ty: CType) -> i64 {
    (ty.size() as i64 + 3) / 4
}

impl<'a> Slot<'a> {
    fn new(tile: &Tile<'a>, slot: i64) -> Slot<'a> {
        let mut result = Slot {
            columns: Vec::new(),
            operations: 0,
            source_work: 0,
            double_operations: 0,
            slow_operations: 0,
            writes: Vec::new(),
            chain: 0,
        };
        let active = |s: &&KernelStmt| s.slot == slot && !s.partial_only;
        let mut known = HashSet::new();
        for stmt in tile.stmts.iter().filter(active) {
            for access in stmt.elements() {
                result.add(access.array, &access.subs, tile.schedule.hex_dim);
            }
            let slots = Slots::of(stmt, &mut known, &fixed_parts(stmt));
            result.source_work += stmt.work() as i64;
            result.operations += slots.all;
            result.double_operations += slots.double;
            result.slow_operations += slots.slow;
            result.chain = result.chain.max(slots.all);
            let array = stmt.write.array;
            let elem = tile.arrays.get(array).map_or(1, |a| words(a.elem));
            result.writes.push((array, elem));
        }
        for column in &mut result.columns {
            column.offsets.sort_unstable();
            column.offsets.dedup();
        }
        result
    }

    fn add(&mut self, array: usize, subs: &'a [Sub], hex_dim: usize) {
        let hex = |sub: &Sub| match sub {
            Sub::Space { dim, offset } if *dim == hex_dim => Some(*offset),
            _ => None,
        };
        let same = |a: &Sub, b: &Sub| hex(a).is_some() && hex(b).is_some() || a == b;
        let found = (self.columns.iter_mut()).find(|c| {
            c.array == array
                && c.subs.len() == subs.len()
                && c.subs.iter().zip(subs).all(|(a, b)| same(a, b))
        });
        let offset = subs.iter().find_map(hex);
        match found {
            Some(column) => column.offsets.push(offset.unwrap_or(0)),
            None => {
                let general = |s: &Sub| matches!(s, Sub::General { .. });
                self.columns.push(Column {
                    array,
                    subs,
                    offsets: vec![offset.unwrap_or(0)],
                    varies: offset.is_some() || subs.iter().any(general),
                });
            }
        }
    }
}

impl Column<'_> {
    /// Elements that n neighbouring points read.
    fn n_elements(&self, n: i64) -> i64 {
        if !self.varies {
            return n.min(1);
        }
        let steps = self.offsets.windows(2).map(|o| (o[1] - o[0]).min(n));
        n + steps.sum::<i64>()
    }
}

fn count_row(tile: &Tile, row: &Row, slot: &Slot, work: &mut Work) {
    let n_points = volume(&row.points);
    let n = row.points[tile.schedule.hex_dim].len();
    // Points of a thread, and how many threads have them; one has the rest.
    let threads = tile.hex_threads.max(1);
    let part = (n + threads - 1) / threads;
    let n_parts = n.checked_div(part).unwrap_or(0);
    let rest = n - n_parts * part;
    let columns = work.n_columns();
    let one_dimensional = tile.period.len() == 1;
    work.points += n_points;
    work.iterations += n_points * slot.writes.len() as i64;
    work.operations += n_points * slot.operations;
    work.source_work += n_points * slot.source_work;
    work.double_operations += n_points * slot.double_operations;
    work.slow_operations += n_points * slot.slow_operations;
    let mut operands = 0;
    for column in &slot.columns {
        // In one dimension the points of a row belong to different threads.
        let elements = if one_dimensional {
            n * column.offsets.len() as i64
        } else {
            n_parts * column.n_elements(part) + column.n_elements(rest)
        };
        let Some(array) = tile.arrays.get(column.array) else {
            continue;
        };
        if array.shared.is_some() {
            work.shared_loads += elements * columns;
            work.shared_words += elements * columns * words(array.elem);
        } else {
            work.global_loads += elements * columns;
        }
        let mine = if one_dimensional {
            elements
        } else {
            column.n_elements(part)
        };
        operands = operands.max(mine * words(array.elem));
    }
    let mut values = 0;
    for &(array, elem) in &slot.writes {
        values += part * elem;
        if tile.arrays.get(array).is_some_and(|a| a.shared.is_some()) {
            work.shared_stores += n_points;
            work.shared_words += n_points * elem;
        }
    }
    if values >= work.value_words {
        work.value_words = values;
        work.operand_words = operands;
    }
}

/// Issue slots of a quotient that is a product in `double`; the conversions take longer than
/// other instructions.
const PRODUCT_SLOTS: i64 = 4;

/// Of one that is two products, with the test of each cell and the branch, which keeps cells from being
/// computed at the same time.
const FUSED_SLOTS: i64 = 14;

/// Issue slots of expressions.
struct Slots {
    all: i64,
    double: i64,
    slow: i64,
    divisions: Divisions,
}

impl Slots {
    /// Those of a statement; intermediate values whose names are `known` are there already, and so are the parts that are
    /// `fixed`.
    fn of<'a>(
        stmt: &'a KernelStmt,
        known: &mut HashSet<&'a str>,
        fixed: &HashSet<*const Expr>,
    ) -> Slots {
        Slots::where_new(stmt, fixed, |name| known.insert(name))
    }

    /// The same where only the names of statements before are `known`: a loop that is unrolled has a value of the same name
    /// for each of its iterations.
    fn after<'a>(
        stmt: &'a KernelStmt,
        known: &mut HashSet<&'a str>,
        fixed: &HashSet<*const Expr>,
    ) -> Slots {
        let slots = Slots::where_new(stmt, fixed, |name| !known.contains(name));
        known.extend(stmt.locals.iter().map(|l| l.0.as_str()));
        slots
    }

    /// Those of the intermediate values whose names are new, and of the value of a statement.
    fn where_new<'a>(
        stmt: &'a KernelStmt,
        fixed: &HashSet<*const Expr>,
        mut is_new: impl FnMut(&'a str) -> bool,
    ) -> Slots {
        let mut slots = Slots {
            all: 0,
            double: 0,
            slow: 0,
            divisions: stmt.divisions,
        };
        let locals = stmt.locals.iter().filter(|l| is_new(&l.0));
        for value in locals.map(|l| &l.2).chain([&stmt.value]) {
            slots.add(value, fixed);
        }
        slots
    }

    fn add(&mut self, expr: &Expr, fixed: &HashSet<*const Expr>) {
        expr.visit_typed(&mut |e, ty| {
            if fixed.contains(&std::ptr::from_ref(e)) {
                return;
            }
            let n = match self.divisions.form(e) {
                Some(Form::Product) => PRODUCT_SLOTS,
                Some(Form::Fused(_)) => FUSED_SLOTS,
                None => slots_of(e, ty),
            };
            self.all += n;
            if n > 4 {
                self.slow += n;
            }
            if ty == CType::Double {
                self.double += n;
            }
        });
    }
}

/// Issue slots of the operations of statements that one thread runs; intermediate values of several statements that have the
/// same name count once.
pub fn operation_slots<'a>(stmts: impl Iterator<Item = &'a KernelStmt>) -> i64 {
    let mut known = HashSet::new();
    stmts
        .map(|stmt| Slots::after(stmt, &mut known, &HashSet::new()).all)
        .sum()
}

/// Issue slots of the operations of statements for a cell of a thread that has many: in all, and of these those of roots,
/// quotients and functions.
pub fn operation_slots_of_many(stmts: &[&KernelStmt]) -> [i64; 2] {
    let mut known = HashSet::new();
    let all = stmts.iter().map(|stmt| {
        let slots = Slots::after(stmt, &mut known, &fixed_parts(stmt));
        [slots.all, slots.slow]
    });
    all.fold([0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
}

/// The quotients among a statement's values, with what they are part of, that are made of numbers and scalars alone: where a
/// thread has many cells, the compiler computes them before its loops.
pub fn fixed_parts(stmt: &KernelStmt) -> HashSet<*const Expr> {
    let (mut fixed, mut locals) = (HashSet::new(), Vec::new());
    for (_, _, value) in &stmt.locals {
        let is_fixed = mark_fixed((&stmt.reads, &locals), value, &mut fixed);
        locals.push(is_fixed);
    }
    mark_fixed((&stmt.reads, &locals), &stmt.value, &mut fixed);
    fixed
}

fn mark_fixed(of: (&[Read], &[bool]), expr: &Expr, fixed: &mut HashSet<*const Expr>) -> bool {
    let (reads, locals) = of;
    let mut all = |args: &[&Expr]| {
        let others = args.iter().filter(|arg| !mark_fixed(of, arg, fixed));
        others.count() == 0
    };
    let is_fixed = match expr {
        Expr::Int { .. } | Expr::Float { .. } => true,
        Expr::Read(i, _) => matches!(reads.get(*i), Some(Read::Scalar(_))),
        Expr::Local(i, _) => locals.get(*i).copied().unwrap_or(false),
        Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => all(&[arg]),
        Expr::Binary { lhs, rhs, .. } => all(&[lhs, rhs]),
        Expr::Cond { cond, yes, no } => all(&[cond, yes, no]),
        // Functions have branches, over which nothing moves.
        Expr::Call { args, .. } | Expr::Cell { args, .. } => {
            all(&args.iter().collect::<Vec<_>>());
            false
        }
        Expr::Affine { .. } => false,
    };
    if !is_fixed {
        return false;
    }
    let mut divides = false;
    expr.visit(&mut |e| divides |= matches!(e, Expr::Binary { op: "/", .. }));
    if divides {
        expr.visit(&mut |e| {
            fixed.insert(std::ptr::from_ref(e));
        });
    }
    true
}

/// Whether a call is a single instruction.
pub fn is_cheap_call(expr: &Expr) -> bool {
    matches!(expr, Expr::Call { .. }) && slots_of(expr, CType::Float) == 1
}

/// Issue slots of one operation, its operands not included, as compiled for
/// round-to-nearest arithmetic. A sign is a modifier of the instruction that uses
/// the value.
fn slots_of(expr: &Expr, ty: CType) -> i64 {
    let double = ty == CType::Double;
    match expr {
        Expr::Int { .. } | Expr::Float { .. } | Expr::Read(..) | Expr::Local(..) => 0,
        Expr::Affine { .. } | Expr::Cast { .. } | Expr::Cond { .. } => 1,
        Expr::Unary { op, .. } => i64::from(*op != "-"),
        Expr::Binary { op: "/", .. } => match ty {
            CType::Double => 20,
            CType::Float => 9,
            _ => 20,
        },
        Expr::Binary { op: "%", .. } => 20,
        Expr::Binary { .. } => 1,
        Expr::Cell { .. } => 100,
        Expr::Call { name, .. } => {
            let base = name.strip_suffix('f').unwrap_or(name);
            let single = match base {
                "fabs" | "fab" | "copysign" | "abs" => 1,
                "fmin" | "fmax" | "floor" | "ceil" | "trunc" | "rint" | "fma" | "fm" => 1,
                "round" | "fdim" => 4,
                "sqrt" => 10,
                "exp" | "exp2" => 10,
                "log" | "log2" | "log10" => 16,
                "pow" | "atan2" | "hypot" | "fmod" => 50,
                _ => 25,
            };
            if double && single > 4 {
                2 * single
            } else {
                single
            }
        }
    }
}

/// Sorted, disjoint intervals.
#[derive(Clone, Debug, Default, PartialEq)]
struct Union(Vec<Interval>);

impl Union {
    fn insert(&mut self, new: Interval) {
        if new.is_empty() {
            return;
        }
        let mut merged = new;
        self.0.retain(|i| {
            let touches = i.lo <= merged.hi + 1 && merged.lo <= i.hi + 1;
            if touches {
                merged = merged.hull(*i);
            }
            !touches
        });
        let at = self.0.partition_point(|i| i.lo < merged.lo);
        self.0.insert(at, merged);
    }

    fn remove(&mut self, gone: Interval) {
        if gone.is_empty() || self.0.iter().all(|i| i.intersect(gone).is_empty()) {
            return;
        }
        let mut rest = Vec::with_capacity(self.0.len() + 1);
        for i in &self.0 {
            let left = Interval {
                lo: i.lo,
                hi: i.hi.min(gone.lo - 1),
            };
            let right = Interval {
                lo: i.lo.max(gone.hi + 1),
                hi: i.hi,
            };
            rest.extend([left, right].into_iter().filter(|i| !i.is_empty()));
        }
        self.0 = rest;
    }

    fn len(&self) -> i64 {
        self.0.iter().map(|i| i.len()).sum()
    }

    /// Units of `size` elements that hold an element; positions are multiples
    /// of a unit where `aligned`, anywhere (and the most there can be) otherwise.
    fn units(&self, size: i64, aligned: bool) -> i64 {
        let mut next = i64::MIN;
        let mut n = 0;
        for i in &self.0 {
            if aligned {
                let first = i.lo.div_euclid(size).max(next);
                let last = i.hi.div_euclid(size);
                n += (last - first + 1).max(0);
                next = next.max(last + 1);
            } else {
                n += (i.len() + size - 2) / size + 1;
            }
        }
        n
    }
}

/// Units of `size` elements that an interval touches; see [`Union::units`].
fn units_of(i: Interval, size: i64, aligned: bool) -> i64 {
    if i.is_empty() {
        0
    } else if aligned {
        i.hi.div_euclid(size) - i.lo.div_euclid(size) + 1
    } else {
        (i.len() + size - 2) / size + 1
    }
}

/// Elements of a type per 32-byte sector.
fn per_sector(elem: CType) -> i64 {
    (SECTOR / elem.size().max(1) as i64).max(1)
}

/// Stores of a statement in one row, relative to the box of its array.
struct Store {
    slice: i64,
    /// All elements the row writes.
    all: Vec<Interval>,
    /// Those that need no store.
    keep: Option<Vec<Interval>>,
}

impl Store {
    /// Elements stored along the last dimension, for given other coordinates.
    fn on_line(&self, leads: &[i64]) -> [Interval; 2] {
        let last = leads.len();
        let holds = |boxes: &[Interval]| {
            leads
                .iter()
                .zip(boxes)
                .all(|(&c, i)| i.lo <= c && c <= i.hi)
        };
        if !holds(&self.all) {
            return [Interval::EMPTY; 2];
        }
        let all = self.all[last];
        match &self.keep {
            Some(keep) if holds(keep) => without(all, keep[last]),
            _ => [all, Interval::EMPTY],
        }
    }
}

/// What is left of an interval.
fn without(all: Interval, gone: Interval) -> [Interval; 2] {
    let gone = gone.intersect(all);
    if gone.is_empty() {
        return [all, Interval::EMPTY];
    }
    [
        Interval {
            lo: all.lo,
            hi: gone.lo - 1,
        },
        Interval {
            lo: gone.hi + 1,
            hi: all.hi,
        },
    ]
}

/// The keep box of a statement's row, `None` where everything is stored.
fn keep_of<'a>(tile: &Tile<'a>, stmt: usize, row: usize) -> Option<&'a [Interval]> {
    if !tile.moves.live_out_only {
        return None;
    }
    let keep = tile.keep.get(stmt)?.get(row)?.as_slice();
    (!keep.iter().any(|k| k.is_empty())).then_some(keep)
}

/// An array's box as lines along its last dimension.
struct Lines<'a> {
    elem: CType,
    shared: &'a SharedBox,
    needed: &'a [Vec<NeededRow>],
    /// `(space dimension, first subscript relative to the origin, size)`.
    dims: Vec<(usize, i64, i64)>,
    writes: Vec<(i64, Vec<Interval>)>,
    stores: Vec<Store>,
}

/// One line: the elements of a slice with all coordinates but the last fixed.
struct Line {
    slice: i64,
    /// Coordinates modulo the periods: lines of one class are the same memory
    /// in different tiles.
    class: [i64; 3],
    /// Which tile's memory it is, negated: the first tile to touch it comes first.
    order: [i64; 3],
    load: Interval,
    /// Ranges of [`Lines::count`]'s pool.
    writes: (usize, usize),
    stores: (usize, usize),
}

impl<'a> Lines<'a> {
    fn new(tile: &Tile<'a>, array: usize, elem: CType, shared: &'a SharedBox) -> Lines<'a> {
        let dims = (shared.dims.iter())
            .filter_map(|d| match d {
                SharedDim::Space { dim, lo, size } => Some((*dim, *lo, *size)),
                _ => None,
            })
            .collect();
        let mut lines = Lines {
            elem,
            shared,
            needed: tile.needed.get(array).map_or(&[], Vec::as_slice),
            dims,
            writes: Vec::new(),
            stores: Vec::new(),
        };
        for (s, stmt) in tile.stmts.iter().enumerate() {
            if stmt.partial_only || stmt.write.array != array {
                continue;
            }
            for (a, row) in tile
                .rows
                .iter()
                .enumerate()
                .filter(|(_, r)| r.slot == stmt.slot)
            {
                let Some((slice, all)) = touched(shared, &stmt.write, row) else {
                    continue;
                };
                let keep = keep_of(tile, s, a).and_then(|keep| {
                    let mut kept = row.clone();
                    kept.points = keep.to_vec();
                    touched(shared, &stmt.write, &kept).map(|(_, boxes)| boxes)
                });
                lines.writes.push((slice, all.clone()));
                lines.stores.push(Store { slice, all, keep });
            }
        }
        lines
    }

    fn load(&self, slice: usize, leads: &[i64]) -> Interval {
        let row = leads.first().copied().unwrap_or(0);
        let Some(copy) = self
            .needed
            .get(slice)
            .and_then(|rows| rows.get(row as usize))
        else {
            return Interval::EMPTY;
        };
        let Some((last, others)) = copy.columns.split_last() else {
            return Interval::EMPTY;
        };
        let inside = (leads.iter().skip(1).zip(others)).all(|(&c, i)| i.lo <= c && c <= i.hi);
        if inside { *last } else { Interval::EMPTY }
    }

    fn count(&self, tile: &Tile, work: &mut Work) {
        let Some((&(last_dim, last_lo, _), leads)) = self.dims.split_last() else {
            return;
        };
        let (Some(&period), true) = (tile.period.get(last_dim), leads.len() <= 3) else {
            return;
        };
        let is_hex = last_dim == tile.schedule.hex_dim;
        let size = self.elem.size().max(1) as i64;
        let sector = per_sector(self.elem);
        let chunk = (CHUNK / size).max(1);
        let in_sectors = !is_hex && period % sector == 0;
        let in_chunks = tile.moves.aligned && !is_hex && period % chunk == 0;
        let mut pool: Vec<Interval> = Vec::new();
        let mut lines: Vec<Line> = Vec::new();
        let mut at = vec![0; leads.len()];
        for slice in 0..self.shared.n_slices {
            at.fill(0);
            loop {
                let load = self.load(slice as usize, &at);
                // Positions are relative to the origin from here on, which is a
                // multiple of the period along classical dimensions.
                let first_write = pool.len();
                for (_, boxes) in self.writes.iter().filter(|w| w.0 == slice) {
                    if at.iter().zip(boxes).all(|(&c, i)| i.lo <= c && c <= i.hi) {
                        pool.push(boxes[leads.len()].shift(last_lo));
                    }
                }
                let first_store = pool.len();
                for store in self.stores.iter().filter(|s| s.slice == slice) {
                    let stored = store.on_line(&at).into_iter().filter(|i| !i.is_empty());
                    pool.extend(stored.map(|i| i.shift(last_lo)));
                }
                let mut line = Line {
                    slice,
                    class: [0; 3],
                    order: [0; 3],
                    load: if load.is_empty() {
                        load
                    } else {
                        load.shift(last_lo)
                    },
                    writes: (first_write, first_store),
                    stores: (first_store, pool.len()),
                };
                for (d, (&c, &(dim, lo, _))) in at.iter().zip(leads).enumerate() {
                    let p = tile.period.get(dim).copied().unwrap_or(1);
                    // Neighbours along a wavefront run in other launches, between
                    // which L2 has forgotten what they share.
                    let apart = tile.schedule.wavefront.is_some_and(|w| w.dim == dim);
                    line.class[d] = if apart { c } else { (c + lo).rem_euclid(p) };
                    line.order[d] = if apart || dim == tile.schedule.hex_dim {
                        0
                    } else {
                        -(c + lo).div_euclid(p)
                    };
                }
                let held: &[Interval] = &pool[line.writes.0..line.writes.1];
                let mut copied = Union::default();
                copied.insert(line.load);
                work.loads += copied.len();
                if tile.moves.reuse && !is_hex && !copied.0.is_empty() {
                    for i in held.iter().chain([&line.load]) {
                        copied.remove(i.shift(-period));
                    }
                    work.loads -= line.load.len() - copied.len();
                }
                for i in &copied.0 {
                    let copies = if in_chunks {
                        units_of(*i, chunk, true)
                    } else {
                        i.len()
                    };
                    let bytes = if in_chunks { CHUNK.max(size) } else { size };
                    work.copies += copies;
                    work.copy_words += (copies * bytes + 3) / 4;
                    work.load_sectors += units_of(*i, sector, in_sectors);
                }
                let used = !line.load.is_empty() || line.writes.0 < line.stores.1;
                if used {
                    lines.push(line);
                }
                if !advance(&mut at, leads) {
                    break;
                }
            }
        }
        // An array without one of the dimensions is the same memory for all
        // tiles along it, and costs a launch next to nothing.
        let spans_all = (0..tile.period.len()).all(|d| self.dims.iter().any(|x| x.0 == d));
        if spans_all {
            distinct(&mut lines, &pool, period, is_hex, |loads, stores| {
                let sectors = |u: &Union| {
                    if u.len() == period && !in_sectors {
                        (period + sector - 1) / sector
                    } else {
                        u.units(sector, in_sectors)
                    }
                };
                work.dram_load_sectors += sectors(loads);
                work.dram_store_sectors += sectors(stores);
            });
        }
    }
}

/// The next coordinates below the sizes, false after the last.
fn advance(at: &mut [i64], dims: &[(usize, i64, i64)]) -> bool {
    for d in (0..at.len()).rev() {
        at[d] += 1;
        if at[d] < dims[d].2 {
            return true;
        }
        at[d] = 0;
    }
    false
}

/// Calls `done` for every class of lines with the positions modulo `period` that
/// are read from DRAM and those that are written.
fn distinct(
    lines: &mut [Line],
    pool: &[Interval],
    period: i64,
    is_hex: bool,
    mut done: impl FnMut(&Union, &Union),
) {
    lines.sort_unstable_by_key(|l| (l.slice, l.class, l.order));
    for class in lines.chunk_by(|a, b| (a.slice, a.class) == (b.slice, b.class)) {
        let mut untouched = Union::default();
        untouched.insert(Interval {
            lo: 0,
            hi: period - 1,
        });
        let (mut read, mut stored) = (Union::default(), Union::default());
        for same in class.chunk_by(|a, b| a.order == b.order) {
            let span = (same.iter())
                .flat_map(|l| pool[l.writes.0..l.stores.1].iter().chain([&l.load]))
                .fold(Interval::EMPTY, |all, i| all.hull(*i));
            if span.is_empty() {
                continue;
            }
            let windows = span.lo.div_euclid(period)..=span.hi.div_euclid(period);
            let mut touched = Vec::new();
            for k in windows.rev() {
                let window = Interval {
                    lo: k * period,
                    hi: (k + 1) * period - 1,
                };
                for line in same {
                    let load = line.load.intersect(window).shift(-window.lo);
                    for free in &untouched.0 {
                        read.insert(load.intersect(*free));
                    }
                    touched.push(load);
                    let writes = &pool[line.writes.0..line.writes.1];
                    touched.extend(writes.iter().map(|i| i.intersect(window).shift(-window.lo)));
                    for i in &pool[line.stores.0..line.stores.1] {
                        stored.insert(i.intersect(window).shift(-window.lo));
                    }
                }
                // Along the hexagons all tiles are there at the same time.
                if !is_hex {
                    touched.drain(..).for_each(|i| untouched.remove(i));
                }
            }
            touched.drain(..).for_each(|i| untouched.remove(i));
        }
        done(&read, &stored);
    }
}

/// Stores to global memory, per tile.
fn count_stores(tile: &Tile, work: &mut Work) {
    let last = tile.period.len() - 1;
    for (s, stmt) in tile
        .stmts
        .iter()
        .enumerate()
        .filter(|(_, s)| !s.partial_only)
    {
        let Some(array) = tile.arrays.get(stmt.write.array) else {
            continue;
        };
        let sector = per_sector(array.elem);
        let aligned = last != tile.schedule.hex_dim && tile.period[last] % sector == 0;
        let offset = match stmt.write.subs.last() {
            Some(Sub::Space { dim, offset }) if *dim == last => *offset,
            _ => 0,
        };
        let row_is_unused = |r: &Row| r.slot != stmt.slot || r.points.iter().any(|p| p.is_empty());
        for (a, row) in tile
            .rows
            .iter()
            .enumerate()
            .filter(|(_, r)| !row_is_unused(r))
        {
            let keep = keep_of(tile, s, a).filter(|_| array.shared.is_some());
            let points = row.points[last];
            let n_lines = volume(&row.points[..last]);
            let kept = keep.map_or(0, |k| volume(&k[..last]));
            let partly = keep.map_or([Interval::EMPTY; 2], |k| without(points, k[last]));
            let sectors = |i: Interval| -> i64 {
                let first = points.lo;
                let warps = 0..(points.len() + WARP - 1) / WARP;
                (warps.map(|w| Interval {
                    lo: first + w * WARP,
                    hi: first + (w + 1) * WARP - 1,
                }))
                .map(|warp| units_of(warp.intersect(i).shift(offset), sector, aligned))
                .sum()
            };
            let partly_stored: i64 = partly.iter().map(|i| i.len()).sum();
            work.stores += (n_lines - kept) * points.len() + kept * partly_stored;
            work.store_sectors += (n_lines - kept) * sectors(points)
                + kept * partly.iter().map(|i| sectors(*i)).sum::<i64>();
            // A position along the hexagon has a store or has none; which of
            // the lanes take part is decided at run time.
            let classical_kept = keep.is_some_and(|k| {
                (0..=last).all(|d| d == tile.schedule.hex_dim || k[d].contains(row.points[d]))
            });
            let hex = row.points[tile.schedule.hex_dim].len();
            let silent = match keep {
                Some(k) if classical_kept => k[tile.schedule.hex_dim].len(),
                _ => 0,
            };
            work.store_lanes += (hex - silent) * (volume(&row.points) / hex.max(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(lo: i64, hi: i64) -> Interval {
        Interval { lo, hi }
    }

    #[test]
    fn unions_stay_sorted_and_disjoint() {
        let mut u = Union::default();
        for (lo, hi) in [(5, 7), (0, 1), (9, 9), (2, 3), (8, 8)] {
            u.insert(interval(lo, hi));
        }
        assert_eq!(u.0, [interval(0, 3), interval(5, 9)]);
        u.remove(interval(2, 6));
        assert_eq!(u.0, [interval(0, 1), interval(7, 9)]);
        assert_eq!(u.len(), 5);
        u.insert(Interval::EMPTY);
        u.remove(Interval::EMPTY);
        assert_eq!(u.len(), 5);
    }

    #[test]
    fn units_are_counted_once() {
        let mut u = Union::default();
        for (lo, hi) in [(0, 0), (2, 3), (7, 8), (24, 31)] {
            u.insert(interval(lo, hi));
        }
        assert_eq!(u.units(8, true), 3);
        assert_eq!(units_of(interval(-1, 8), 8, true), 3);
        assert_eq!(units_of(interval(0, 7), 8, false), 2);
    }

    #[test]
    fn parts_of_scalars_are_fixed() {
        let ty = CType::Double;
        let binary = |op, lhs, rhs| Expr::Binary {
            op,
            lhs: Box::new(lhs),
            rhs: Box::new(rhs),
        };
        // (k * dt / h) * x, where x changes.
        let (k, dt) = (Expr::Read(0, ty), Expr::Local(0, ty));
        let factor = binary("/", binary("*", k, dt), Expr::Read(1, ty));
        let whole = binary("*", factor, Expr::Local(1, ty));
        let (mut fixed, scalars) = (HashSet::new(), [Read::Scalar(0), Read::Scalar(1)]);
        let is_fixed = mark_fixed((&scalars, &[true, false]), &whole, &mut fixed);
        let Expr::Binary { lhs: factor, .. } = &whole else {
            panic!("a product")
        };
        assert!(!is_fixed && fixed.contains(&std::ptr::from_ref(&**factor)));
        assert_eq!(fixed.len(), 5);
        let exp = Expr::Call {
            name: "exp".to_string(),
            args: vec![Expr::Read(0, ty)],
        };
        assert!(!mark_fixed((&scalars, &[]), &exp, &mut fixed));
    }

    #[test]
    fn neighbouring_points_share_their_loads() {
        let column = |offsets: &[i64]| Column {
            array: 0,
            subs: &[],
            offsets: offsets.to_vec(),
            varies: true,
        };
        assert_eq!(column(&[-1, 0, 1]).n_elements(4), 6);
        assert_eq!(column(&[0]).n_elements(4), 4);
        // Rows shorter than the distance share nothing.
        assert_eq!(column(&[-4, 4]).n_elements(2), 4);
        assert_eq!(column(&[-4, 4]).n_elements(20), 28);
    }

    #[test]
    fn the_first_tile_to_touch_an_element_decides() {
        // Period 8. The tile writes 0..=7 and loads the halo to its right, 8,
        // and to its left, -2..=-1. The left one has been written by the tile
        // before; the right one costs a read, and nothing else does.
        let pool = [interval(0, 7), interval(6, 7)];
        let mut lines = [Line {
            slice: 0,
            class: [0; 3],
            order: [0; 3],
            load: interval(-2, 8),
            writes: (0, 1),
            stores: (1, 2),
        }];
        let mut result = Vec::new();
        distinct(&mut lines, &pool, 8, false, |r, s| {
            result.push((r.clone(), s.clone()));
        });
        // What is inside is loaded before it is written.
        assert_eq!(result[0].0.len(), 8);
        assert_eq!(result[0].1.0, [interval(6, 7)]);
        lines[0].load = interval(-2, -1);
        result.clear();
        distinct(&mut lines, &pool, 8, false, |r, s| {
            result.push((r.clone(), s.clone()));
        });
        assert_eq!(result[0].0.len(), 0);
    }
}
