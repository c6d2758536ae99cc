//! Threads of several cells: neighbouring elements are loaded at once into arrays of the thread, which
//! become registers once the loops over its cells are unrolled; [`crate::tiling::coarsen`] has the
//! proof that a thread may.
//!
//! Along the innermost loop a thread has the cells whose elements one access of [`WIDE`] bytes writes,
//! so the first and the last thread of a row may have cells that do not exist. What they would
//! need is read from elements that do: rows and columns beyond those that cells need are taken to be the
//! last ones. Such cells are computed, and not stored.

use super::functions::Functions;
use super::{Lowering, bounds, dim_name, iterator, statements_in};
use crate::diag::{Diagnostic, Result};
use crate::ir::{Axis, Expr, Helper, Kernel, Stmt, Type, VarId, WIDE, Wide};
use crate::lower::affine::{Env, from_isl};
use crate::options::StepKernel;
use crate::scop::ArrayId;
use crate::tiling::coarsen::{self, Cells, Near, Reason, Sub};
use crate::tiling::stepwise::Step;
use hexcc_isl::{AstExpr, AstNode};
use std::collections::{BTreeMap, BTreeSet};

/// Planes that a thread of a streamed kernel has, by the number of loops that threads share: of 2 to 256
/// in 3D, and few to many in 2D, the best for acoustic3d on an H200.
const PLANES: [i64; 4] = [0, 0, 64, 16];

/// Registers that what is loaded may take.
const MOST_REGISTERS: usize = 216;

/// Elements along the outermost loop from which on planes are kept in registers by default: acoustic3d,
/// with nine, is the one that gains.
const FAR: i64 = 7;

/// What a thread has.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// [`StepKernel::Coarsened`] or [`StepKernel::Streamed`].
    kernel: StepKernel,
    /// Its cells at a time along each loop, outermost first.
    cells: Vec<i64>,
    /// Threads of a block along each loop.
    threads: Vec<u32>,
    /// The offset of what is written along the innermost loop.
    offset: i64,
}

/// A kernel whose threads have several cells.
pub(super) struct Coarse {
    /// The kernel.
    pub kernel: Kernel,
    /// What its threads have.
    pub shape: Shape,
    /// The conditions on the arguments under which it can be launched.
    pub conditions: Vec<Expr>,
}

impl Shape {
    /// The shapes of a kernel in the order in which they are wanted: of 26 on an H200, the first is
    /// within 5% of the best for seven applications (docs/results.md).
    fn of(kernel: StepKernel, axes: usize, lanes: i64, offset: i64) -> Vec<Shape> {
        let (cells, threads): (&[&[i64]], &[u32]) = match (kernel, axes) {
            (StepKernel::Streamed, 3) => (&[&[1, 2], &[1, 1]], &[1, 4, 32]),
            (StepKernel::Streamed, _) => (&[&[1]], &[1, 128]),
            (_, 3) => (&[&[2, 2], &[2, 1], &[1, 1]], &[2, 2, 32]),
            _ => (&[&[2], &[1]], &[2, 64]),
        };
        let shape = |outer: &&[i64]| Shape {
            kernel,
            cells: outer.iter().copied().chain([lanes]).collect(),
            threads: threads.to_vec(),
            offset,
        };
        cells.iter().map(shape).collect()
    }

    /// [`StepKernel::Coarsened`] or [`StepKernel::Streamed`].
    pub fn kernel(&self) -> StepKernel {
        self.kernel
    }

    fn is_streamed(&self) -> bool {
        self.kernel == StepKernel::Streamed
    }

    fn lanes(&self) -> i64 {
        self.cells.last().copied().unwrap_or(1)
    }

    /// The number of the innermost loop.
    fn inner(&self) -> usize {
        self.cells.len() - 1
    }

    /// Cells that a thread has along a loop.
    fn step(&self, axis: usize) -> i64 {
        match (axis, self.is_streamed()) {
            (0, true) => PLANES[self.cells.len()],
            _ => self.cells[axis],
        }
    }

    /// The first and the last thread along a loop, given its first and last iteration.
    pub fn range(&self, axis: usize, [lo, hi]: [Expr; 2]) -> [Expr; 2] {
        let step = self.step(axis);
        match axis == self.inner() {
            true => [lo, hi].map(|end| quotient(plus(end, self.offset), step)),
            false => [Expr::Int(0), quotient(minus(hi, lo), step)],
        }
    }
}

/// `e + c`.
fn plus(e: Expr, c: i64) -> Expr {
    let (e, c) = match e {
        Expr::Binary { op, lhs, rhs } => match (op, *rhs) {
            ("+", Expr::Int(d)) => (*lhs, c + d),
            ("-", Expr::Int(d)) => (*lhs, c - d),
            (op, rhs) => (Expr::binary(op, *lhs, rhs), c),
        },
        e => (e, c),
    };
    match (e, c) {
        (Expr::Int(value), c) => Expr::Int(value + c),
        (e, 0) => e,
        (e, c) if c < 0 => Expr::binary("-", e, Expr::Int(-c)),
        (e, c) => Expr::binary("+", e, Expr::Int(c)),
    }
}

fn minus(a: Expr, b: Expr) -> Expr {
    match b {
        Expr::Int(c) => plus(a, -c),
        b => Expr::binary("-", a, b),
    }
}

/// The quotient by a positive number, rounded down.
fn quotient(e: Expr, by: i64) -> Expr {
    match (e, by) {
        (e, 1) => e,
        (Expr::Int(value), by) => Expr::Int(value.div_euclid(by)),
        (e, by) => Expr::Helper(Helper::FloorDiv, Box::new([e, Expr::Int(by)])),
    }
}

fn helper(helper: Helper, a: Expr, b: Expr) -> Expr {
    Expr::Helper(helper, Box::new([a, b]))
}

fn all(conditions: Vec<Expr>) -> Option<Expr> {
    let mut conditions = conditions.into_iter();
    let first = conditions.next()?;
    Some(conditions.fold(first, |a, b| Expr::binary("&&", a, b)))
}

fn element(base: VarId, index: Expr) -> Expr {
    Expr::Element {
        base,
        row: None,
        index: Box::new(index),
    }
}

/// An unrolled loop over the cells of a thread.
fn over_cells(var: VarId, n: i64, body: Vec<Stmt>) -> Stmt {
    Stmt::For {
        var,
        first: Expr::Int(0),
        cond: Expr::binary("<", Expr::Var(var), Expr::Int(n)),
        step: Expr::Int(1),
        any_order: false,
        unrolled: true,
        body,
    }
}

/// What a thread loads of a plane of an array.
struct Window {
    /// One of the accesses that read it.
    near: Near,
    /// The statement and the number of that read.
    read: (usize, usize),
    constant: bool,
    /// By loop but the innermost, the least and the largest offset that a cell has.
    offsets: Vec<[i64; 2]>,
    /// What is loaded: by loop but the innermost, the offset from the thread's first cell; and the offset
    /// along the innermost in accesses.
    spots: BTreeSet<(Vec<i64>, i64)>,
    /// The thread's array.
    own: VarId,
}

impl Window {
    fn range(&self, axis: usize) -> [i64; 2] {
        let along = || self.spots.iter().map(|(at, _)| at[axis]);
        [along().min().unwrap_or(0), along().max().unwrap_or(0)]
    }

    fn columns(&self) -> [i64; 2] {
        let along = || self.spots.iter().map(|(_, m)| *m);
        [along().min().unwrap_or(0), along().max().unwrap_or(0)]
    }

    /// By loop, how far elements of neighbouring cells are from each other in the thread's array; then
    /// how many it has.
    fn strides(&self, lanes: i64) -> (Vec<i64>, i64) {
        let length = |[lo, hi]: [i64; 2]| hi - lo + 1;
        let mut size = length(self.columns()) * lanes;
        let mut strides = vec![0; self.offsets.len()];
        for axis in (0..self.offsets.len()).rev() {
            strides[axis] = size;
            size *= length(self.range(axis));
        }
        (strides, size)
    }

    /// The number in the thread's array of the element at an offset from a cell, given how far the cell is
    /// from the first one along each loop.
    fn place(&self, lanes: i64, offsets: &[i64], (cell, lane): (&[Expr], Expr)) -> Expr {
        let (strides, _) = self.strides(lanes);
        let mut place = Expr::Int(0);
        for (axis, stride) in strides.iter().enumerate() {
            let along = plus(cell[axis].clone(), offsets[axis] - self.range(axis)[0]);
            place = place.plus(along.times(Expr::Int(*stride)));
        }
        let inner = offsets[strides.len()] - lanes * self.columns()[0];
        plus_sum(place, plus(lane, inner))
    }

    /// The same of what is loaded at once.
    fn place_of(&self, lanes: i64, (at, m): &(Vec<i64>, i64)) -> Expr {
        let offsets: Vec<i64> = at.iter().copied().chain([m * lanes]).collect();
        let first = vec![Expr::Int(0); at.len()];
        self.place(lanes, &offsets, (&first, Expr::Int(0)))
    }

    /// The columns of planes that are kept, each with the first and the last plane.
    fn queues(&self) -> BTreeMap<(Vec<i64>, i64), [i64; 2]> {
        let mut queues: BTreeMap<(Vec<i64>, i64), [i64; 2]> = BTreeMap::new();
        for (at, m) in &self.spots {
            let queue = queues.entry((at[1..].to_vec(), *m)).or_insert([at[0]; 2]);
            *queue = [queue[0].min(at[0]), queue[1].max(at[0])];
        }
        queues
    }
}

/// `a + b` where `b` may be a sum itself.
fn plus_sum(a: Expr, b: Expr) -> Expr {
    match b {
        Expr::Int(c) => plus(a, c),
        Expr::Binary { op, lhs, rhs } if matches!(a, Expr::Int(0)) => Expr::Binary { op, lhs, rhs },
        Expr::Binary { op, lhs, rhs } => Expr::binary(op, a.plus(*lhs), *rhs),
        b => a.plus(b),
    }
}

/// A kernel that is made.
struct Build<'b> {
    step: &'b Step,
    order: &'b [usize],
    cells: &'b Cells,
    shape: Shape,
    /// By loop, outermost first, its first and last iteration in the kernel.
    ranges: Vec<[Expr; 2]>,
    /// By loop, the first cell of the thread; the cell where there is one at a time.
    vars: Vec<VarId>,
    /// By loop, how far a cell is from the first one.
    at: Vec<Expr>,
    /// Names of isl's for the loops of the host.
    host: Env,
    /// By statement, the values of its iterators in the thread's first cell.
    instances: BTreeMap<usize, Env>,
    windows: Vec<Window>,
    /// Statements that define coordinates, and what they define by loop, offset and bound.
    lets: Vec<Stmt>,
    known: BTreeMap<(usize, i64, String), Expr>,
    /// By statement, the values that it gives to the cells along the innermost loop.
    values: BTreeMap<usize, VarId>,
}

/// What stands for the elements that a statement touches.
#[derive(Default)]
pub(super) struct InCells {
    pub reads: BTreeMap<(usize, usize), Expr>,
    pub writes: BTreeMap<usize, Expr>,
}

impl InCells {
    /// The reads of a statement that have places here, and whether its write has.
    pub fn of(&self, stmt: usize) -> (BTreeSet<usize>, bool) {
        let reads = self.reads.keys().filter(|(s, _)| *s == stmt);
        (reads.map(|(_, n)| *n).collect(), self.writes.contains_key(&stmt))
    }
}

impl Lowering<'_> {
    /// The kernel of a step with several cells a thread, or why there is none.
    pub(super) fn coarse(
        &mut self,
        step: &Step,
        ranges: &[[AstExpr; 2]],
        node: &AstNode,
        wanted: StepKernel,
    ) -> Result<std::result::Result<Coarse, Reason>> {
        if wanted == StepKernel::Naive {
            return Ok(Err("one cell a thread is asked for".to_string()));
        }
        if !is_straight(node) {
            let why = "not all of its statements run for all of its cells, once each";
            return Ok(Err(why.to_string()));
        }
        let order = statements_in(node, self.plan, &step.stmts);
        let cells = match coarsen::cells(self.scop, self.plan, step, &order)? {
            Ok(cells) => cells,
            Err(reason) => return Ok(Err(reason)),
        };
        let conditions = match self.conditions(&cells)? {
            Ok(conditions) => conditions,
            Err(reason) => return Ok(Err(reason)),
        };
        let shape = choose(&cells, step.spread.len(), wanted);
        let kernel = self.coarse_kernel(step, (&order, &cells), (ranges, node), shape.clone())?;
        Ok(Ok(Coarse {
            kernel,
            shape,
            conditions,
        }))
    }

    /// Under which conditions on the arguments rows begin at multiples of [`WIDE`] bytes.
    fn conditions(&self, cells: &Cells) -> Result<std::result::Result<Vec<Expr>, Reason>> {
        let near = cells.reads.values().chain(cells.writes.values());
        let ids: BTreeSet<ArrayId> = near.map(|near| near.array).collect();
        let mut conditions = Vec::new();
        let mut pointers = Vec::new();
        for id in ids {
            let rest = Expr::binary("%", self.columns(id)?, Expr::Int(cells.lanes));
            let whole = match self.columns(id)? {
                Expr::Int(n) if n % cells.lanes == 0 => None,
                Expr::Int(_) => {
                    let name = &self.scop.array(id).name;
                    return Ok(Err(format!("rows of `{name}` are no multiples of {WIDE} bytes")));
                }
                _ => Some(Expr::binary("==", rest, Expr::Int(0))),
            };
            let text = |e: &Expr| format!("{e:?}");
            let is_new = |e: &Expr| conditions.iter().all(|c| text(c) != text(e));
            conditions.extend(whole.filter(is_new));
            pointers.push(Expr::Aligned(self.array(id)?));
        }
        conditions.extend(pointers);
        Ok(Ok(conditions))
    }

    /// Elements of a row of an array.
    fn columns(&self, id: ArrayId) -> Result<Expr> {
        self.extent(id, self.scop.array(id).extents.len() - 1)
    }

    fn array(&self, id: ArrayId) -> Result<VarId> {
        (self.arrays.get(&id).copied())
            .ok_or_else(|| Box::new(Diagnostic::bug("an array from nowhere")))
    }

    fn coarse_kernel(
        &mut self,
        step: &Step,
        (order, cells): (&[usize], &Cells),
        (ranges, node): (&[[AstExpr; 2]], &AstNode),
        shape: Shape,
    ) -> Result<Kernel> {
        let (host, params) = self.parameters(step);
        let mut ends = bounds(ranges, &host)?;
        ends.reverse();
        let vars: Vec<VarId> = (step.spread.iter())
            .map(|&d| self.loop_var(&step.stmts, d))
            .collect();
        let mut axes = Vec::new();
        let mut body = Vec::new();
        for (axis, var) in vars.iter().enumerate() {
            let name = format!("{}_block", self.program.var(*var).name);
            let block = self.program.add_var(&name, Type::Index, true);
            axes.push(Axis {
                var: block,
                range: shape.range(axis, ends[axis].clone()),
                threads: shape.threads[axis],
            });
            let first = Expr::Var(block).times(Expr::Int(shape.step(axis)));
            let first = match axis == shape.inner() {
                true => plus(first, -shape.offset),
                false => ends[axis][0].clone().plus(first),
            };
            if !(axis == 0 && shape.is_streamed()) {
                let value = Some(first);
                body.push(Stmt::Let { var: *var, value });
            } else {
                let name = format!("{}_begin", self.program.var(*var).name);
                let begin = self.program.add_var(&name, Type::Index, true);
                let value = Some(first);
                body.push(Stmt::Let { var: begin, value });
                ends[axis][0] = Expr::Var(begin);
            }
        }
        axes.reverse();
        let mut build = Build {
            step,
            order,
            cells,
            ranges: ends,
            vars,
            at: Vec::new(),
            host,
            instances: BTreeMap::new(),
            windows: Vec::new(),
            lets: Vec::new(),
            known: BTreeMap::new(),
            values: BTreeMap::new(),
            shape,
        };
        body.extend(self.coarse_body(&mut build, node)?);
        let number = self.ranges.len() + 1;
        Ok(Kernel {
            name: format!("step_{number}_{}", build.shape.kernel.name()),
            lines: self.lines(step),
            params,
            axes,
            body,
            reductions: Vec::new(),
        })
    }

    /// What a thread does.
    fn coarse_body(&mut self, build: &mut Build<'_>, node: &AstNode) -> Result<Vec<Stmt>> {
        self.instances(build, node)?;
        self.windows(build);
        let mut body = Vec::new();
        let declare = |var: VarId| Stmt::Let { var, value: None };
        let whole = self.whole(build);
        let mut planes = Vec::new();
        for w in 0..build.windows.len() {
            body.push(declare(build.windows[w].own));
            let (once, each) = self.loads(build, w)?;
            planes.extend(each);
            body.extend(once);
        }
        planes.extend(self.cells_of_thread(build, node, whole.0)?);
        let lets = std::mem::take(&mut build.lets);
        body.splice(0..0, lets.into_iter().chain([whole.1]));
        if !build.shape.is_streamed() {
            body.extend(planes);
            return Ok(body);
        }
        let (var, [first, last]) = (build.vars[0], build.ranges[0].clone());
        let step = build.shape.step(0);
        let end = helper(Helper::Lowest, plus(first.clone(), step - 1), last);
        body.push(Stmt::For {
            var,
            first,
            cond: Expr::binary("<=", Expr::Var(var), end),
            step: Expr::Int(1),
            any_order: false,
            unrolled: false,
            body: planes,
        });
        Ok(body)
    }

    /// Where all cells of a thread along the innermost loop exist.
    fn whole(&mut self, build: &Build<'_>) -> (VarId, Stmt) {
        let inner = build.shape.inner();
        let [lo, hi] = build.ranges[inner].clone();
        let k = || Expr::Var(build.vars[inner]);
        let last = plus(k(), build.shape.lanes() - 1);
        let value = Expr::binary(
            "&&",
            Expr::binary(">=", k(), lo),
            Expr::binary("<=", last, hi),
        );
        let ty = Type::Number(crate::ctype::CType::INT);
        let var = self.program.add_var("whole", ty, true);
        let value = Some(value);
        (var, Stmt::Let { var, value })
    }

    /// The iterators of statements in the first cell.
    fn instances(&mut self, build: &mut Build<'_>, node: &AstNode) -> Result<()> {
        let mut env = build.host.clone();
        for (d, var) in build.step.spread.iter().zip(&build.vars) {
            env.insert(dim_name(*d), Expr::Var(*var));
        }
        let mut found = BTreeMap::new();
        let args = self.args.clone();
        self.node(node, &build.step.stmts, &mut env, &mut |_, name, values| {
            let number = name.strip_prefix('S').and_then(|n| n.parse::<usize>().ok());
            let mut env = args.clone();
            for (i, value) in values.into_iter().enumerate() {
                env.insert(iterator(i), value);
            }
            found.extend(number.map(|s| (s, env)));
            Ok(Vec::new())
        })?;
        build.instances = found;
        Ok(())
    }

    /// What the thread loads.
    fn windows(&mut self, build: &mut Build<'_>) {
        let mut windows = windows(build.cells, &build.shape);
        for window in &mut windows {
            let array = self.scop.array(window.near.array);
            let (_, len) = window.strides(build.shape.lanes());
            let ty = Type::Private {
                elem: array.elem,
                len: u32::try_from(len).unwrap_or(u32::MAX),
            };
            window.own = self.program.add_var(&format!("{}_near", array.name), ty, false);
        }
        build.windows = windows;
    }

    /// The loads of a window: those of a thread, and those of each plane.
    fn loads(&mut self, build: &mut Build<'_>, w: usize) -> Result<(Vec<Stmt>, Vec<Stmt>)> {
        let (mut once, mut each) = (Vec::new(), Vec::new());
        let lanes = build.shape.lanes();
        if !build.shape.is_streamed() {
            for spot in build.windows[w].spots.clone() {
                once.push(self.load(build, w, &spot, None)?);
            }
            return Ok((once, each));
        }
        for ((rest, m), [first, last]) in build.windows[w].queues() {
            let spot = |plane: i64| -> (Vec<i64>, i64) {
                let at = [plane].into_iter().chain(rest.iter().copied());
                (at.collect(), m)
            };
            for plane in first..last {
                // Each plane moves down before the first one is computed.
                let from = plus(build.ranges[0][0].clone(), plane);
                let mut load = self.load(build, w, &spot(plane), Some(from))?;
                if let Stmt::Load(wide) = &mut load {
                    wide.at = build.windows[w].place_of(lanes, &spot(plane + 1));
                }
                once.push(load);
            }
            if first < last {
                let window = &build.windows[w];
                let stride = window.strides(lanes).0[0];
                let to = window.place_of(lanes, &spot(first));
                each.push(self.shift(window.own, (last - first, lanes), (to, stride)));
            }
            each.push(self.load(build, w, &spot(last), None)?);
        }
        Ok((once, each))
    }

    /// Elements that the thread keeps of some planes become those of the planes before.
    fn shift(
        &mut self,
        own: VarId,
        (planes, lanes): (i64, i64),
        (to, stride): (Expr, i64),
    ) -> Stmt {
        let mut var = |name: &str| self.program.add_var(name, Type::Index, true);
        let (plane, lane) = (var("plane"), var("lane"));
        let at = |further: i64| {
            let first = Expr::Var(plane).times(Expr::Int(stride));
            let place = plus_sum(first.plus(Expr::Var(lane)), to.clone());
            element(own, plus(place, further))
        };
        let body = vec![Stmt::Assign {
            target: at(0),
            value: at(stride),
        }];
        over_cells(plane, planes, vec![over_cells(lane, lanes, body)])
    }

    /// A load; of a plane of its own where one is given.
    fn load(
        &mut self,
        build: &mut Build<'_>,
        w: usize,
        spot: &(Vec<i64>, i64),
        plane: Option<Expr>,
    ) -> Result<Stmt> {
        let window = &build.windows[w];
        let (near, (s, n), own, constant) =
            (window.near.clone(), window.read, window.own, window.constant);
        let lanes = build.shape.lanes();
        let at = window.place_of(lanes, spot);
        let most: Vec<i64> = window.offsets.iter().map(|[_, hi]| *hi).collect();
        let same = Functions::of(&self.scop.stmts[s])?.reads.swap_remove(n);
        let columns = self.columns(near.array)?;
        let mut index = Expr::Int(0);
        for (d, sub) in near.subs.iter().enumerate() {
            let value = match sub {
                Sub::Same(_) => from_isl(&same[d], &build.instances[&s])?,
                Sub::Along(0, _) if plane.is_some() => plane.clone().unwrap_or(Expr::Int(0)),
                Sub::Along(axis, _) if *axis == build.shape.inner() => {
                    self.column(build, spot.1, &columns)
                }
                Sub::Along(axis, _) => self.coordinate(build, *axis, spot.0[*axis], most[*axis]),
            };
            if d > 0 {
                index = index.times(self.extent(near.array, d)?);
            }
            index = index.plus(value);
        }
        Ok(Stmt::Load(Wide {
            memory: self.array(near.array)?,
            index,
            own,
            at,
            lanes: lanes as u32,
            constant,
        }))
    }

    /// A variable for a coordinate, one for each that there is.
    fn named(&mut self, build: &mut Build<'_>, (axis, at): (usize, i64), value: Expr) -> Expr {
        let key = (axis, at, format!("{value:?}"));
        if let Some(known) = build.known.get(&key) {
            return known.clone();
        }
        let sign = if at < 0 { "m" } else { "p" };
        let base = &self.program.var(build.vars[axis]).name;
        let name = format!("{base}_{sign}{}", at.abs());
        let var = self.program.add_var(&name, Type::Index, true);
        let value = Some(value);
        build.lets.push(Stmt::Let { var, value });
        build.known.insert(key, Expr::Var(var));
        Expr::Var(var)
    }

    /// How far along a loop a row is, at most as far as cells need.
    fn coordinate(&mut self, build: &mut Build<'_>, axis: usize, at: i64, most: i64) -> Expr {
        let here = plus(Expr::Var(build.vars[axis]), at);
        if axis == 0 && build.shape.is_streamed() {
            return here;
        }
        let last = plus(build.ranges[axis][1].clone(), most);
        match at {
            0 if most >= 0 => here,
            at if at <= most => self.named(build, (axis, at), here),
            at => self.named(build, (axis, at), helper(Helper::Lowest, here, last)),
        }
    }

    /// The first element of an access in a row, which is in the row.
    fn column(&mut self, build: &mut Build<'_>, m: i64, columns: &Expr) -> Expr {
        let axis = build.shape.inner();
        let lanes = build.shape.lanes();
        let k = Expr::Var(build.vars[axis]);
        let here = plus(k.clone(), build.shape.offset + m * lanes);
        let first = build.order.first().and_then(|s| build.cells.writes.get(s));
        let written = first.map(|near| self.columns(near.array));
        let alike = matches!(written, Some(Ok(w)) if format!("{w:?}") == format!("{columns:?}"));
        let mut inside = here;
        if m > 0 || !alike {
            let last = plus(columns.clone(), -lanes);
            inside = helper(Helper::Lowest, inside, last);
        }
        if m < 0 || !alike {
            inside = helper(Helper::Highest, inside, Expr::Int(0));
        }
        match m == 0 && alike {
            true => inside,
            false => self.named(build, (axis, m * lanes), inside),
        }
    }

    /// The loops over the cells of a thread.
    fn cells_of_thread(
        &mut self,
        build: &mut Build<'_>,
        node: &AstNode,
        whole: VarId,
    ) -> Result<Vec<Stmt>> {
        let mut loops = Vec::new();
        for (axis, cells) in build.shape.cells.clone().into_iter().enumerate() {
            let name = format!("d{}", self.program.var(build.vars[axis]).name);
            build.at.push(match cells {
                1 => Expr::Int(0),
                _ => {
                    let var = self.program.add_var(&name, Type::Index, true);
                    loops.push((var, cells));
                    Expr::Var(var)
                }
            });
        }
        let mut body = Vec::new();
        for &s in build.order {
            let array = self.scop.array(self.scop.stmts[s].write.array);
            let Some(_) = build.cells.writes.get(&s) else {
                continue;
            };
            let ty = Type::Private {
                elem: array.elem,
                len: build.shape.lanes() as u32,
            };
            let var = self.program.add_var(&format!("{}_new", array.name), ty, false);
            body.push(Stmt::Let { var, value: None });
            build.values.insert(s, var);
        }
        let lane = loops.pop();
        let (lane, lanes) = lane.ok_or_else(|| Box::new(Diagnostic::bug("no lanes")))?;
        let values = self.values(build, node)?;
        body.push(over_cells(lane, lanes, values));
        body.extend(self.stores(build, (lane, whole))?);
        for (var, cells) in loops.into_iter().rev() {
            body = vec![over_cells(var, cells, body)];
        }
        Ok(body)
    }

    /// The statements of a cell.
    fn values(&mut self, build: &Build<'_>, node: &AstNode) -> Result<Vec<Stmt>> {
        let lanes = build.shape.lanes();
        let (outer, lane) = build.at.split_at(build.shape.inner());
        let mut places = InCells::default();
        for (read, near) in &build.cells.reads {
            let place = match build.cells.stored.get(read) {
                Some(writer) => element(build.values[writer], lane[0].clone()),
                None => {
                    let window = build.windows.iter().find(|w| w.near.plane() == near.plane());
                    let window = window
                        .ok_or_else(|| Box::new(Diagnostic::bug("a read of nothing loaded")))?;
                    let mut offsets: Vec<i64> = offsets_of(near, outer.len());
                    let inner = near.offset(outer.len()).unwrap_or(0);
                    offsets.push(inner - build.shape.offset);
                    let place = window.place(lanes, &offsets, (outer, lane[0].clone()));
                    element(window.own, place)
                }
            };
            places.reads.insert(*read, place);
        }
        for (s, var) in &build.values {
            places.writes.insert(*s, element(*var, lane[0].clone()));
        }
        let mut env = build.host.clone();
        for (axis, d) in build.step.spread.iter().enumerate() {
            env.insert(dim_name(*d), self.cell(build, axis));
        }
        let mut body = Vec::new();
        let mut private = BTreeMap::new();
        for (id, var) in self.private_variables(build.step, &mut body) {
            private.insert(id, var);
        }
        body.extend(self.node(
            node,
            &build.step.stmts,
            &mut env,
            &mut |lowering, name, args| lowering.statement(name, &args, &private, &places),
        )?);
        Ok(body)
    }

    /// The iteration of a loop that a cell is, or the last one.
    fn cell(&self, build: &Build<'_>, axis: usize) -> Expr {
        let var = Expr::Var(build.vars[axis]);
        match &build.at[axis] {
            Expr::Int(_) => var,
            at if axis == build.shape.inner() => Expr::binary("+", var, at.clone()),
            at => {
                let here = Expr::binary("+", var, at.clone());
                helper(Helper::Lowest, here, build.ranges[axis][1].clone())
            }
        }
    }

    /// Stores what exists of the cells along the innermost loop.
    fn stores(&mut self, build: &Build<'_>, (lane, whole): (VarId, VarId)) -> Result<Vec<Stmt>> {
        let inner = build.shape.inner();
        let lanes = build.shape.lanes();
        let [lo, hi] = build.ranges[inner].clone();
        let each = self.program.add_var(&self.program.var(lane).name.clone(), Type::Index, true);
        let (mut at_once, mut one_by_one) = (Vec::new(), Vec::new());
        for (s, own) in &build.values {
            let near = &build.cells.writes[s];
            let memory = self.array(near.array)?;
            let index = self.index_of_write(build, *s, near)?;
            at_once.push(Stmt::Store(Wide {
                memory,
                index: index.clone(),
                own: *own,
                at: Expr::Int(0),
                lanes: lanes as u32,
                constant: false,
            }));
            one_by_one.push(Stmt::Assign {
                target: element(memory, plus_sum(index, Expr::Var(each))),
                value: element(*own, Expr::Var(each)),
            });
        }
        let here = Expr::binary("+", Expr::Var(build.vars[inner]), Expr::Var(each));
        let exists = Expr::binary(
            "&&",
            Expr::binary(">=", here.clone(), lo),
            Expr::binary("<=", here, hi),
        );
        let tested = vec![Stmt::If {
            cond: exists,
            yes: one_by_one,
            no: Vec::new(),
        }];
        let stores = Stmt::If {
            cond: Expr::Var(whole),
            yes: at_once,
            no: vec![over_cells(each, lanes, tested)],
        };
        let mut exist = Vec::new();
        for axis in 0..inner {
            if let at @ Expr::Var(_) = &build.at[axis] {
                let here = Expr::binary("+", Expr::Var(build.vars[axis]), at.clone());
                exist.push(Expr::binary("<=", here, build.ranges[axis][1].clone()));
            }
        }
        Ok(vec![match all(exist) {
            None => stores,
            Some(cond) => Stmt::If {
                cond,
                yes: vec![stores],
                no: Vec::new(),
            },
        }])
    }

    /// The number of what a statement writes in the first of the cells along the innermost loop.
    fn index_of_write(&self, build: &Build<'_>, s: usize, near: &Near) -> Result<Expr> {
        let same = Functions::of(&self.scop.stmts[s])?.write;
        let mut index = Expr::Int(0);
        for (d, sub) in near.subs.iter().enumerate() {
            let value = match sub {
                Sub::Same(_) => from_isl(&same[d], &build.instances[&s])?,
                Sub::Along(axis, offset) => {
                    let var = Expr::Var(build.vars[*axis]);
                    match &build.at[*axis] {
                        at @ Expr::Var(_) if *axis < build.shape.inner() => {
                            plus(Expr::binary("+", var, at.clone()), *offset)
                        }
                        _ => plus(var, *offset),
                    }
                }
            };
            if d > 0 {
                index = index.times(self.extent(near.array, d)?);
            }
            index = index.plus(value);
        }
        Ok(index)
    }
}

/// What a thread of a shape loads, without variables.
fn windows(cells: &Cells, shape: &Shape) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    let lanes = shape.lanes();
    let outer = shape.inner();
    for (read, near) in &cells.reads {
        if cells.stored.contains_key(read) {
            continue;
        }
        let found = windows.iter().position(|w| w.near.plane() == near.plane());
        let offsets = offsets_of(near, outer);
        let window = match found {
            Some(w) => &mut windows[w],
            None => {
                windows.push(Window {
                    near: near.clone(),
                    read: *read,
                    constant: cells.constant.contains(&near.plane()),
                    offsets: offsets.iter().map(|o| [*o; 2]).collect(),
                    spots: BTreeSet::new(),
                    own: VarId(0),
                });
                let last = windows.len() - 1;
                &mut windows[last]
            }
        };
        for (range, o) in window.offsets.iter_mut().zip(&offsets) {
            *range = [range[0].min(*o), range[1].max(*o)];
        }
        let inner = near.offset(outer).unwrap_or(0) - shape.offset;
        let columns: BTreeSet<i64> = (0..lanes).map(|v| (v + inner).div_euclid(lanes)).collect();
        for at in cells_beside(near, &offsets, shape) {
            window.spots.extend(columns.iter().map(|m| (at.clone(), *m)));
        }
    }
    windows
}

/// The offsets of an access along the loops but the innermost, 0 where it does not depend on one.
fn offsets_of(near: &Near, outer: usize) -> Vec<i64> {
    (0..outer).map(|axis| near.offset(axis).unwrap_or(0)).collect()
}

/// The offsets for all cells of a thread.
fn cells_beside(near: &Near, offsets: &[i64], shape: &Shape) -> Vec<Vec<i64>> {
    let mut all = vec![offsets.to_vec()];
    for axis in 0..offsets.len() {
        if near.offset(axis).is_some() {
            let moved = |at: &Vec<i64>| -> Vec<Vec<i64>> {
                let by = |cell: i64| {
                    let mut at = at.clone();
                    at[axis] += cell;
                    at
                };
                (0..shape.cells[axis]).map(by).collect()
            };
            all = all.iter().flat_map(moved).collect();
        }
    }
    all
}

/// Registers for what a thread loads.
fn registers(cells: &Cells, shape: &Shape) -> usize {
    let of_access = WIDE as usize / 4;
    let windows = windows(cells, shape);
    windows.iter().map(|w| w.spots.len() * of_access).sum()
}

/// The shape that is expected to be the fastest of those that are asked for.
fn choose(cells: &Cells, axes: usize, wanted: StepKernel) -> Shape {
    let offset = cells.writes.values().find_map(|near| near.offset(axes - 1));
    let reach = |near: &Near| near.offset(0).unwrap_or(0);
    let far = cells.reads.values().any(|near| {
        let plane = cells.reads.values().filter(|o| o.plane() == near.plane());
        plane.map(reach).any(|o| o - reach(near) + 1 >= FAR)
    });
    let kernel = match wanted {
        StepKernel::Auto if far && axes == 3 => StepKernel::Streamed,
        StepKernel::Auto => StepKernel::Coarsened,
        wanted => wanted,
    };
    let mut shapes = Shape::of(kernel, axes, cells.lanes, offset.unwrap_or(0));
    let fits = |shape: &Shape| registers(cells, shape) <= MOST_REGISTERS;
    let best = shapes.iter().position(fits).unwrap_or(shapes.len() - 1);
    shapes.swap_remove(best)
}

/// Whether a thread runs each statement of a node once.
fn is_straight(node: &AstNode) -> bool {
    match node {
        AstNode::Block(nodes) => nodes.iter().all(is_straight),
        AstNode::If { .. } => false,
        AstNode::For { cond, body, .. } => cond.is_none() && is_straight(body),
        AstNode::User { .. } => true,
    }
}
