//! Threads of several cells: neighbouring elements are loaded at once into arrays of the thread, which
//! become registers once the loops over its cells are unrolled; [`crate::tiling::coarsen`] has the
//! proof that a thread may.
//!
//! Along the innermost loop a thread has two or four cells, whose elements one access of [`WIDE`] bytes and less writes,
//! so the first and the last thread of a row may have cells that do not exist. What they would
//! need is read from elements that do: rows and columns beyond those that cells need are taken to be the
//! last ones. Such cells are computed, and not stored.

mod build;
mod tile;
mod window;

pub(super) use self::tile::MOST_BYTES;
use self::window::{Window, windows};
use super::{Lowering, bounds, statements_in};
use crate::ctype::CType;
use crate::diag::Result;
use crate::ir::{Expr, Helper, Kernel, Stmt, Unroll, VarId, WIDE};
use crate::options::StepKernel;
use crate::scop::ArrayId;
use crate::tiling::coarsen::{self, Cells, Reason};
use crate::tiling::stepwise::Step;
use hexcc_isl::{AstExpr, AstNode};
use std::collections::{BTreeMap, BTreeSet};

/// Planes that a thread of a streamed kernel has, by the number of loops that threads share: of 2 to 256
/// in 3D, and few to many in 2D, the best for acoustic3d on an H200.
const PLANES: [i64; 4] = [0, 0, 64, 16];

/// Registers that what is loaded may take.
const MOST_REGISTERS: usize = 216;

/// How many times more elements the blocks of a coarsened kernel load and store than there are in the
/// planes that they need, from which on planes are kept in registers in 3D: filter25 (3.0) gains a
/// quarter, acoustic3d and star3d2r (2.0) lose 6%.
const MUCH: f64 = 2.5;

/// What threads are asked to have.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The kind of kernel.
    pub kernel: StepKernel,
    /// Cells of a thread along each loop, outermost first.
    pub cells: Option<&'a [u32]>,
    /// Lanes of a warp may store together.
    pub warps: bool,
}

impl Wanted<'_> {
    /// Whether a kernel is wanted at any size.
    pub fn is_by_name(&self) -> bool {
        self.kernel != StepKernel::Auto || self.cells.is_some()
    }

    /// Whether threads can have the numbers of cells along `axes` loops; one along the innermost loop makes
    /// accesses those of one element.
    fn check(&self, cells: &mut Cells, axes: usize) -> std::result::Result<(), Reason> {
        let Some(wanted) = self.cells else {
            return Ok(());
        };
        if wanted.len() != axes {
            let given = wanted.len();
            return Err(format!(
                "`--cells` has {given} numbers, and threads share {axes} loops"
            ));
        }
        if self.kernel.is_streamed() && wanted[0] != 1 {
            return Err(
                "a kernel that streams has one cell at a time in its first loop".to_string(),
            );
        }
        match wanted.last().map(|n| i64::from(*n)) {
            Some(1) => cells.lanes = 1,
            Some(n) if n == cells.lanes => {}
            _ => {
                return Err(format!(
                    "a thread has 1 cell along the innermost loop, or {}",
                    cells.lanes
                ));
            }
        }
        Ok(())
    }
}

/// What a thread has.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// None of [`StepKernel::Auto`], [`StepKernel::Naive`] and [`StepKernel::Pipelined`].
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
    /// Cells from which on it is launched, where it is not asked for by its name.
    pub least: Option<i64>,
}

/// Iterations from one to another.
pub(super) fn length(lo: &Expr, hi: &Expr) -> Expr {
    plus(minus(hi.clone(), lo.clone()), 1)
}

/// The condition that a launch has at least so many cells, unless that is known.
pub(super) fn many_cells(iterations: &[[Expr; 2]], least: i64) -> Option<Expr> {
    let number = |n: i64| Expr::Literal {
        text: format!("{n}.0"),
        ty: CType::Double,
    };
    let (mut known, mut others) = (1i64, None);
    for [lo, hi] in iterations {
        match length(lo, hi) {
            Expr::Int(n) => known = known.saturating_mul(n),
            length => {
                let length = Expr::Cast {
                    ty: CType::Double,
                    arg: Box::new(length),
                };
                others = Some(match others {
                    Some(others) => Expr::binary("*", others, length),
                    None => length,
                });
            }
        }
    }
    match others {
        None if known >= least => None,
        None => Some(Expr::Int(0)),
        Some(others) => {
            let least = number(least.div_euclid(known.max(1)));
            Some(Expr::binary("<=", least, others))
        }
    }
}

/// Cells from which on several of them a thread are faster than one, of all of 37 programs on an H200:
/// with fewer there is less than a thread of a warp for each lane that computes.
const MANY: i64 = 1 << 20;

/// The same for kernels that stream planes: with fewer, those of several cells are faster.
const MANY_STREAMED: i64 = 1 << 24;

impl Shape {
    /// The shapes of a kernel in the order in which they are wanted: of 26 on an H200, the first is
    /// within 5% of the best for seven applications (docs/notes/results.md).
    fn of(kernel: StepKernel, axes: usize, lanes: i64, offset: i64) -> Vec<Shape> {
        // Cells along all loops but the innermost, and threads along all.
        let shapes: &[(&[i64], &[u32])] = match (kernel, axes) {
            (StepKernel::Streamed, 3) => &[(&[1, 2], &[1, 4, 32]), (&[1, 1], &[1, 4, 32])],
            (StepKernel::Streamed, _) => &[(&[1], &[1, 128])],
            (StepKernel::StreamedTiled, 3) => &[(&[1, 1], &[1, 8, 32])],
            (StepKernel::StreamedTiled, _) => &[(&[1], &[1, 128])],
            (StepKernel::Tiled, 3) => &[
                (&[2, 1], &[2, 4, 32]),
                (&[1, 1], &[2, 4, 32]),
                (&[1, 1], &[4, 4, 16]),
            ],
            (StepKernel::Tiled, _) => &[(&[2], &[8, 32]), (&[1], &[8, 32])],
            (_, 3) => &[
                (&[2, 2], &[2, 2, 32]),
                (&[2, 1], &[2, 2, 32]),
                (&[1, 1], &[2, 2, 32]),
            ],
            _ => &[(&[2], &[2, 64]), (&[1], &[2, 64])],
        };
        let shape = |(outer, threads): &(&[i64], &[u32])| Shape {
            kernel,
            cells: outer.iter().copied().chain([lanes]).collect(),
            threads: threads.to_vec(),
            offset,
        };
        shapes.iter().map(shape).collect()
    }

    /// None of [`StepKernel::Auto`], [`StepKernel::Naive`] and [`StepKernel::Pipelined`].
    pub fn kernel(&self) -> StepKernel {
        self.kernel
    }

    /// Leaves tiles away where no thread reads what others of its block read.
    fn without_tiles(&mut self, windows: &[Window]) {
        if windows.iter().any(|w| w.tile.is_some()) {
            return;
        }
        self.kernel = match self.kernel {
            StepKernel::Tiled => StepKernel::Coarsened,
            StepKernel::StreamedTiled => StepKernel::Streamed,
            kernel => kernel,
        };
    }

    fn is_streamed(&self) -> bool {
        self.kernel.is_streamed()
    }

    /// What kernels of its kind are called in programs.
    fn identifier(&self) -> &'static str {
        match self.kernel {
            StepKernel::StreamedTiled => "streamed_tiled",
            kernel => kernel.name(),
        }
    }

    /// Whether the threads of a block share what they load.
    fn is_tiled(&self) -> bool {
        self.kernel.is_tiled()
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

fn all(conditions: Vec<Expr>) -> Option<Expr> {
    let mut conditions = conditions.into_iter();
    let first = conditions.next()?;
    Some(conditions.fold(first, |a, b| Expr::binary("&&", a, b)))
}

/// An unrolled loop over the cells of a thread.
pub(super) fn over_cells(var: VarId, n: i64, body: Vec<Stmt>) -> Stmt {
    Stmt::For {
        var,
        first: Expr::Int(0),
        cond: Expr::binary("<", Expr::Var(var), Expr::Int(n)),
        step: Expr::Int(1),
        any_order: false,
        unroll: Unroll::Whole,
        body,
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
        (
            reads.map(|(_, n)| *n).collect(),
            self.writes.contains_key(&stmt),
        )
    }
}

impl Lowering<'_> {
    /// The kernels of a step with several cells a thread, best first, or why there is none.
    pub(super) fn coarse(
        &mut self,
        step: &Step,
        ranges: &[[AstExpr; 2]],
        node: &AstNode,
        wanted: Wanted<'_>,
    ) -> Result<std::result::Result<Vec<Coarse>, Reason>> {
        if wanted.kernel == StepKernel::Naive {
            return Ok(Err("one cell a thread is asked for".to_string()));
        }
        if !is_straight(node) {
            let why = "not all of its statements run for all of its cells, once each";
            return Ok(Err(why.to_string()));
        }
        let order = statements_in(node, self.plan, &step.stmts);
        let mut cells = match coarsen::cells(self.scop, self.plan, step, &order)? {
            Ok(cells) => cells,
            Err(reason) => return Ok(Err(reason)),
        };
        if let Err(reason) = wanted.check(&mut cells, step.spread.len()) {
            return Ok(Err(reason));
        }
        let conditions = match self.conditions(&cells)? {
            Ok(conditions) => conditions,
            Err(reason) => return Ok(Err(reason)),
        };
        let ends = bounds(ranges, &self.parameters(step).0)?;
        let mut all = Vec::new();
        for kernel in kernels(&cells, step.spread.len(), wanted) {
            let least = match kernel {
                _ if wanted.is_by_name() => None,
                StepKernel::Streamed => Some(MANY_STREAMED),
                _ => Some(MANY),
            };
            let many = least.and_then(|least| many_cells(&ends, least));
            if matches!(many, Some(Expr::Int(0))) {
                continue;
            }
            let shape = match self.choose(&cells, step.spread.len(), (kernel, wanted.cells)) {
                Ok(shape) => shape,
                Err(reason) => return Ok(Err(reason)),
            };
            all.push(Coarse {
                kernel: self.coarse_kernel(
                    step,
                    (&order, &cells),
                    (ranges, node),
                    shape.clone(),
                )?,
                shape,
                conditions: conditions.clone(),
                least,
            });
        }
        Ok(match all.is_empty() {
            true => Err("there are few cells".to_string()),
            false => Ok(all),
        })
    }

    /// The shape of a kernel that is expected to be the fastest, or the one that is asked for.
    fn choose(
        &self,
        cells: &Cells,
        axes: usize,
        (kernel, wanted): (StepKernel, Option<&[u32]>),
    ) -> std::result::Result<Shape, Reason> {
        let offset = cells.writes.values().find_map(|near| near.offset(axes - 1));
        let mut shapes = Shape::of(kernel, axes, cells.lanes, offset.unwrap_or(0));
        if let (Some(wanted), Some(first)) = (wanted, shapes.first()) {
            let mut shape = first.clone();
            shape.cells = wanted.iter().map(|n| i64::from(*n)).collect();
            shapes = vec![shape];
        }
        // Registers that spill are slow, and right.
        let mut spills = None;
        for mut shape in shapes {
            let windows = windows(cells, &shape);
            shape.without_tiles(&windows);
            let fits = self.bytes_shared(&windows, cells.lanes) <= MOST_BYTES;
            if fits && registers(cells, &windows) <= MOST_REGISTERS {
                return Ok(shape);
            }
            spills = fits.then_some(shape);
        }
        match (spills, wanted) {
            (Some(shape), None) => Ok(shape),
            (Some(_), _) => Err("a thread of so many cells has too few registers".to_string()),
            _ => Err("a tile is larger than the shared memory of a block".to_string()),
        }
    }

    /// Under which conditions on the arguments rows begin at multiples of [`WIDE`] bytes.
    fn conditions(&self, cells: &Cells) -> Result<std::result::Result<Vec<Expr>, Reason>> {
        let near = cells.reads.values().chain(cells.writes.values());
        let ids: BTreeSet<ArrayId> = match cells.lanes {
            1 => BTreeSet::new(),
            _ => near.map(|near| near.array).collect(),
        };
        let mut conditions = Vec::new();
        let mut pointers = Vec::new();
        for id in ids {
            let rest = Expr::binary("%", self.columns(id)?, Expr::Int(cells.lanes));
            let whole = match self.columns(id)? {
                Expr::Int(n) if n % cells.lanes == 0 => None,
                Expr::Int(_) => {
                    let name = &self.scop.array(id).name;
                    let lanes = cells.lanes;
                    return Ok(Err(format!(
                        "rows of `{name}` are no multiples of {lanes} elements"
                    )));
                }
                _ => Some(Expr::binary("==", rest, Expr::Int(0))),
            };
            conditions.extend(whole.filter(|e| !conditions.contains(e)));
            pointers.push(Expr::Aligned(self.array(id)?));
        }
        conditions.extend(pointers);
        Ok(Ok(conditions))
    }

    /// Elements of a row of an array.
    fn columns(&self, id: ArrayId) -> Result<Expr> {
        self.extent(id, self.scop.array(id).extents.len() - 1)
    }
}

/// Registers for what a thread loads.
fn registers(cells: &Cells, windows: &[Window]) -> usize {
    let of_access = match cells.lanes {
        1 => 2,
        _ => WIDE as usize / 4,
    };
    windows.iter().map(|w| w.spots.len() * of_access).sum()
}

/// The kernels that are wanted, the one of larger launches first.
fn kernels(cells: &Cells, axes: usize, wanted: Wanted<'_>) -> Vec<StepKernel> {
    match wanted.kernel {
        StepKernel::Auto if wanted.cells.is_some() => vec![StepKernel::Coarsened],
        StepKernel::Auto if axes == 3 && traffic(cells) >= MUCH => {
            vec![StepKernel::Streamed, StepKernel::Coarsened]
        }
        StepKernel::Auto => vec![StepKernel::Coarsened],
        wanted => vec![wanted],
    }
}

/// How many times more elements the blocks of a coarsened kernel in 3D load and store than there are in
/// the planes that they need.
fn traffic(cells: &Cells) -> f64 {
    let block = Shape {
        kernel: StepKernel::Coarsened,
        cells: vec![4, 4, cells.lanes],
        threads: Vec::new(),
        offset: 0,
    };
    let windows = windows(cells, &block);
    let of_block = |w: &Window| {
        let rows: BTreeSet<&Vec<i64>> = w.spots.iter().map(|(at, _)| at).collect();
        rows.len() as f64 / 16.0
    };
    let stores = cells.writes.len() as f64;
    let loads: f64 = windows.iter().map(of_block).sum();
    (loads + stores) / (windows.len() as f64 + stores)
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
