//! What a program does, by enumeration: instances in the order of C, their
//! cells, and from those the dependences, slots and slopes.
//!
//! Shares nothing with the compiler: no isl, no schedules, no dataflow analysis.

use crate::model::{Access, Cond, Env, Expr, Item, Nest, Program, Size, Stmt, Storage, Sub};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One execution of a statement.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Index into [`Program::stmts`].
    pub stmt: usize,
    /// Number of the time step.
    pub step: i64,
    /// Space coordinates as the compiler documents them: the subscripts of
    /// the element written, or of the cell read where those are more.
    pub place: Vec<i64>,
    /// Space coordinates with the missing ones where the nest lies.
    pub natural: Vec<i64>,
    /// The cell written.
    pub write: usize,
    /// The cells read.
    pub reads: Vec<usize>,
}

/// All instances of a program for given sizes.
pub struct Run {
    /// In the order of C.
    pub instances: Vec<Instance>,
    /// Number of cells of all arrays.
    pub n_cells: usize,
    /// Number of space coordinates: of the field written that has the most.
    pub n_space: usize,
}

/// Enumerates the instances; `None` if there are more than `limit`.
pub fn run(program: &Program, env: &Env, limit: usize) -> Option<Run> {
    let mut bases = Vec::new();
    let mut n_cells = 0;
    for array in &program.arrays {
        bases.push(n_cells as i64);
        n_cells += program.extents(array, env).iter().product::<i64>().max(0) as usize;
    }
    let planes = planes(program);
    let stmts = program.stmts();
    let n_space = stmts.iter().map(|s| n_space(&s.target, &planes));
    let n_space = n_space.max().unwrap_or(0);
    let mut walk = Walk {
        program,
        env,
        bases,
        cells: cells(program, &planes),
        planes,
        n_space,
        t: 0,
        // A time loop of stride 1 counts as it is, others by their steps.
        step: if program.step_stride == 1 {
            program.first_step
        } else {
            0
        },
        iterators: [0; 4],
        instances: Vec::new(),
        limit,
    };
    let end = program.size(program.steps, env);
    let mut t = program.first_step;
    while t < end {
        walk.t = t;
        let mut first = 0;
        for nest in &program.nests {
            walk.nest(nest, 0, first)?;
            first += nest.items.iter().map(n_stmts).sum::<usize>();
        }
        t += program.step_stride;
        walk.step += 1;
    }
    Some(Run {
        instances: walk.instances,
        n_cells,
        n_space,
    })
}

fn n_stmts(item: &Item) -> usize {
    item.then.len() + item.els.len()
}

/// By array: dimensions that only ever have constant subscripts, which tell
/// planes and not places.
fn planes(program: &Program) -> Vec<Vec<bool>> {
    let mut planes: Vec<Vec<bool>> = (program.arrays.iter())
        .map(|a| vec![true; a.dims.len()])
        .collect();
    let mut look = |access: &Access| {
        for (at, sub) in access.subs.iter().enumerate() {
            let fixed = match *sub {
                Sub::First(_) => true,
                Sub::Last(dim, _) => matches!(program.sizes[dim], Size::Const(_)),
                _ => false,
            };
            planes[access.array][at] &= fixed;
        }
    };
    for item in program.nests.iter().flat_map(|n| &n.items) {
        item.locals.iter().for_each(|(_, e)| e.reads(&mut look));
        for stmt in item.then.iter().chain(&item.els) {
            look(&stmt.target);
            stmt.value.reads(&mut look);
        }
    }
    planes
}

/// How many subscripts of an access tell a place.
fn n_space(access: &Access, planes: &[Vec<bool>]) -> usize {
    planes[access.array].iter().filter(|p| !**p).count()
}

/// By statement: the access at whose cell it lies where that has more space coordinates than the element written, which is
/// what it reads first, of the most dimensions, of another field. Both have to tell its instances apart.
fn cells<'a>(program: &'a Program, planes: &[Vec<bool>]) -> Vec<Option<&'a Access>> {
    let n_space = |access: &Access| n_space(access, planes);
    let written: BTreeSet<usize> = program.stmts().iter().map(|s| s.target.array).collect();
    let mut found = Vec::new();
    for nest in &program.nests {
        for item in &nest.items {
            for stmt in item.then.iter().chain(&item.els) {
                let mut reads = Vec::new();
                reads_in_order(&stmt.value, item, &mut reads);
                let others = reads.into_iter().filter(|read| {
                    read.array != stmt.target.array && written.contains(&read.array)
                });
                let mut most: Option<&Access> = None;
                for read in others {
                    if n_space(read) > most.map_or(n_space(&stmt.target), n_space) {
                        most = Some(read);
                    }
                }
                let apart = |access: &Access| tells_apart(program, nest, access, planes);
                found.push(most.filter(|cell| apart(&stmt.target) && apart(cell)));
            }
        }
    }
    found
}

/// What an expression reads, with that of its local variables where they stand.
fn reads_in_order<'a>(expr: &'a Expr, item: &'a Item, reads: &mut Vec<&'a Access>) {
    match expr {
        Expr::Read(access) => reads.push(access),
        Expr::Local(n) => reads_in_order(&item.locals[*n].1, item, reads),
        _ => {}
    }
    for child in expr.children() {
        reads_in_order(child, item, reads);
    }
}

/// Whether a subscript of an access follows each loop around it that has several iterations.
fn tells_apart(program: &Program, nest: &Nest, access: &Access, planes: &[Vec<bool>]) -> bool {
    let follows = |dim| {
        let of_space = access.subs.iter().zip(&planes[access.array]);
        of_space
            .filter(|(_, plane)| !**plane)
            .any(|(sub, _)| matches!(sub, Sub::Iter(d, _) | Sub::Mirror(d) if *d == dim))
    };
    nest.loops.iter().all(|l| {
        let once = matches!(program.sizes[l.dim], Size::Const(n) if n - l.high - l.low <= l.step);
        once || follows(l.dim)
    })
}

struct Walk<'a> {
    program: &'a Program,
    env: &'a Env,
    bases: Vec<i64>,
    planes: Vec<Vec<bool>>,
    cells: Vec<Option<&'a Access>>,
    n_space: usize,
    t: i64,
    step: i64,
    iterators: [i64; 4],
    instances: Vec<Instance>,
    limit: usize,
}

impl Walk<'_> {
    fn nest(&mut self, nest: &Nest, depth: usize, first: usize) -> Option<()> {
        if let Some(l) = nest.loops.get(depth) {
            let end = self.program.extent(l.dim, self.env) - l.high;
            let mut i = l.low;
            while i < end {
                self.iterators[l.dim] = i;
                self.nest(nest, depth + 1, first)?;
                i += l.step;
            }
            return Some(());
        }
        let mut number = first;
        for item in &nest.items {
            let holds = item.cond.as_ref().is_none_or(|c| self.holds(c));
            if holds {
                for (n, stmt) in item.then.iter().enumerate() {
                    self.instance(item, stmt, number + n);
                }
            } else {
                for (n, stmt) in item.els.iter().enumerate() {
                    self.instance(item, stmt, number + item.then.len() + n);
                }
            }
            number += n_stmts(item);
        }
        (self.instances.len() <= self.limit).then_some(())
    }

    fn holds(&self, cond: &Cond) -> bool {
        match cond {
            Cond::Modulo(dims, time, m, r) => {
                let sum: i64 = dims.iter().map(|&d| self.iterators[d]).sum();
                (sum + if *time { self.t } else { 0 }) % m == *r
            }
            Cond::AtLeast(dim, c) => self.iterators[*dim] >= *c,
            Cond::Below(dim, c) => self.iterators[*dim] < self.program.extent(*dim, self.env) - c,
            Cond::Ordered(a, c, b) => self.iterators[*a] + c < self.iterators[*b],
        }
    }

    fn sub(&self, sub: Sub) -> i64 {
        let size = |dim| self.program.extent(dim, self.env);
        match sub {
            Sub::Iter(dim, c) => self.iterators[dim] + c,
            Sub::First(c) => c,
            Sub::Last(dim, c) => size(dim) - 1 - c,
            Sub::Mirror(dim) => size(dim) - 1 - self.iterators[dim],
            Sub::ClampLow(dim, c) => (self.iterators[dim] - c).max(0),
            Sub::ClampHigh(dim, c) => (self.iterators[dim] + c).min(size(dim) - 1),
        }
    }

    fn cell(&self, access: &Access) -> usize {
        let array = &self.program.arrays[access.array];
        let time = match array.storage {
            Storage::Plain => None,
            Storage::Buffer(m) => Some((self.t + access.time) % m),
            Storage::AllSteps(_) => Some(self.t + access.time),
        };
        let subscripts = time
            .into_iter()
            .chain(access.subs.iter().map(|&s| self.sub(s)));
        let mut flat = 0;
        for (x, extent) in subscripts.zip(self.program.extents(array, self.env)) {
            assert!(
                (0..extent).contains(&x),
                "the generator made an access outside its array: {} at t = {}, {:?}",
                self.program.access(access),
                self.t,
                self.iterators
            );
            flat = flat * extent + x;
        }
        (self.bases[access.array] + flat) as usize
    }

    fn instance(&mut self, item: &Item, stmt: &Stmt, number: usize) {
        let mut reads = Vec::new();
        if stmt.accumulate {
            reads.push(self.cell(&stmt.target));
        }
        stmt.value
            .reads(&mut |access| reads.push(self.cell(access)));
        for n in locals_of(&stmt.value) {
            (item.locals[n].1).reads(&mut |access| reads.push(self.cell(access)));
        }
        let array = &self.program.arrays[stmt.target.array];
        let written = stmt.target.subs.iter().map(|&s| self.sub(s));
        let n_dims = self.program.n_dims();
        let cell = self.cells[number].unwrap_or(&stmt.target);
        let mut place: Vec<i64> = (cell.subs.iter().zip(&self.planes[cell.array]))
            .filter(|(_, plane)| !**plane)
            .map(|(&sub, _)| self.sub(sub))
            .collect();
        let mut natural = vec![0; n_dims];
        for (&dim, x) in array.dims.iter().zip(written) {
            natural[dim] = x;
        }
        place.splice(0..0, std::iter::repeat_n(0, self.n_space - place.len()));
        let write = self.cell(&stmt.target);
        self.instances.push(Instance {
            stmt: number,
            step: self.step,
            place,
            natural,
            write,
            reads,
        });
    }
}

fn locals_of(expr: &Expr) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    if let Expr::Local(n) = expr {
        found.insert(*n);
    }
    for child in expr.children() {
        found.extend(locals_of(child));
    }
    found
}

/// Why one instance must wait for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Read after write.
    Flow,
    /// Write after read.
    Anti,
    /// Write after write.
    Output,
}

/// All pairs (source, target) of dependent instances, without those that
/// follow by transitivity: the same ones as an array dataflow analysis finds.
pub fn dependences(run: &Run) -> Vec<(Kind, usize, usize)> {
    let mut found = Vec::new();
    let mut writer: Vec<Option<usize>> = vec![None; run.n_cells];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); run.n_cells];
    for (at, instance) in run.instances.iter().enumerate() {
        for &cell in &instance.reads {
            if let Some(from) = writer[cell] {
                found.push((Kind::Flow, from, at));
            }
        }
        // The own reads come before the own write and need no order.
        for from in std::mem::take(&mut readers[instance.write]) {
            found.push((Kind::Anti, from, at));
        }
        if let Some(from) = writer[instance.write] {
            found.push((Kind::Output, from, at));
        }
        writer[instance.write] = Some(at);
        for &cell in &instance.reads {
            if cell != instance.write {
                readers[cell].push(at);
            }
        }
    }
    found
}

/// A fraction with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    /// Numerator.
    pub num: i64,
    /// Denominator.
    pub den: i64,
}

impl Fraction {
    /// 0.
    pub const ZERO: Fraction = Fraction { num: 0, den: 1 };

    fn less(self, other: Fraction) -> bool {
        self.num * other.den < other.num * self.den
    }

    /// floor(self * n).
    pub fn times_floor(self, n: i64) -> i64 {
        (self.num * n).div_euclid(self.den)
    }
}

/// What the dependences of a program allow.
#[derive(Clone, Debug)]
pub struct Facts {
    /// A statement waits for itself within a time step, or statements wait
    /// for each other, or an instance writes what another of its step wrote.
    pub cyclic: bool,
    /// A value travels from one time step to a later one.
    pub carried: bool,
    /// By statement.
    pub slots: Vec<i64>,
    /// Logical time steps per time step.
    pub k: i64,
    /// max(ds / du), at least 0, by space dimension.
    pub delta0: Vec<Fraction>,
    /// max(-ds / du), at least 0.
    pub delta1: Vec<Fraction>,
}

/// The facts, from the compiler's coordinates or from natural ones.
pub fn facts(program: &Program, run: &Run, natural: bool) -> Facts {
    let all = dependences(run);
    let n_stmts = program.stmts().len();
    let coordinates = |at: usize| -> &[i64] {
        let instance = &run.instances[at];
        if natural {
            &instance.natural
        } else {
            &instance.place
        }
    };
    // Distances are few, pairs are many.
    let mut distances: BTreeSet<(usize, usize, i64, Vec<i64>)> = BTreeSet::new();
    let mut carried = false;
    for &(kind, from, to) in &all {
        let (a, b) = (&run.instances[from], &run.instances[to]);
        let dt = b.step - a.step;
        carried |= kind == Kind::Flow && dt >= 1;
        let ds = (coordinates(from).iter().zip(coordinates(to)))
            .map(|(x, y)| y - x)
            .collect();
        distances.insert((a.stmt, b.stmt, dt, ds));
    }
    let edges: BTreeSet<(usize, usize)> = (distances.iter())
        .filter(|d| d.2 == 0)
        .map(|d| (d.0, d.1))
        .collect();
    let mut slots = vec![0; n_stmts];
    let mut cyclic = edges.iter().any(|(a, b)| a == b) || overwrites(run);
    for round in 0..=n_stmts {
        let mut changed = false;
        for &(a, b) in &edges {
            if slots[b] <= slots[a] && a != b {
                slots[b] = slots[a] + 1;
                changed = true;
            }
        }
        cyclic |= changed && round == n_stmts;
    }
    let k = slots.iter().max().copied().unwrap_or(0) + 1;
    let n = if natural {
        program.n_dims()
    } else {
        run.n_space
    };
    let (mut delta0, mut delta1) = (vec![Fraction::ZERO; n], vec![Fraction::ZERO; n]);
    for (from, to, dt, ds) in &distances {
        let du = k * dt + slots[*to] - slots[*from];
        if du < 1 {
            continue;
        }
        for dim in 0..n {
            for (sign, side) in [(1, &mut delta0), (-1, &mut delta1)] {
                let slope = Fraction {
                    num: sign * ds[dim],
                    den: du,
                };
                if side[dim].less(slope) {
                    side[dim] = slope;
                }
            }
        }
    }
    Facts {
        cyclic,
        carried,
        slots,
        k,
        delta0,
        delta1,
    }
}

/// Whether two instances of one statement and time step write one cell.
fn overwrites(run: &Run) -> bool {
    let mut last: HashMap<(usize, usize), i64> = HashMap::new();
    (run.instances.iter()).any(|i| last.insert((i.stmt, i.write), i.step) == Some(i.step))
}

/// Sizes to look at: `size` for all space parameters, `steps` for the others.
pub fn env(program: &Program, size: i64, steps: i64) -> Vec<i64> {
    (0..program.params.len())
        .map(|p| match program.is_space_param(p) {
            true => size.max(program.min_size),
            false => steps,
        })
        .collect()
}

/// A hash of a value and what it was made of; equal for equal dataflow.
pub fn mix(stmt: usize, values: impl Iterator<Item = u64>) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325 ^ stmt as u64;
    for value in values {
        hash = (hash.rotate_left(23) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 29;
    }
    hash.wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// Executes one instance on a memory of hashes.
pub fn execute(instance: &Instance, memory: &mut [u64]) -> u64 {
    let value = mix(instance.stmt, instance.reads.iter().map(|&c| memory[c]));
    memory[instance.write] = value;
    value
}

/// A memory in which every cell has its own value.
pub fn fresh_memory(n_cells: usize) -> Vec<u64> {
    (0..n_cells)
        .map(|c| mix(usize::MAX, std::iter::once(c as u64)))
        .collect()
}

/// Statements by slot, for reports.
pub fn show_slopes(facts: &Facts) -> String {
    let side = |s: &[Fraction]| -> Vec<String> {
        s.iter().map(|f| format!("{}/{}", f.num, f.den)).collect()
    };
    let by_slot: BTreeMap<i64, usize> =
        facts.slots.iter().fold(BTreeMap::new(), |mut all, slot| {
            *all.entry(*slot).or_default() += 1;
            all
        });
    format!(
        "k = {}, statements by slot {by_slot:?}, delta0 = {}, delta1 = {}",
        facts.k,
        side(&facts.delta0).join(" "),
        side(&facts.delta1).join(" ")
    )
}
