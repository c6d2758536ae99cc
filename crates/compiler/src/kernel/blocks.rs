//! The kernel of overlapped tiling in three space dimensions as data: one field whose planes
//! stream through the registers of a block.
//!
//! A block covers 32 V columns by WARPS R rows and streams along the outermost dimension.
//! Each lane holds V x R cells of a few planes of every level; rows of other warps go
//! through shared memory. See [`crate::sched::overlapped`] for levels and lags.
//!
//! Contract, established by [`Prepared::blocks`]:
//! * the array has two time buffers, and the statement writes one from the other;
//! * the statement executes in a box, the same at every time step;
//! * cells outside of the box keep their value at every level, which is right where both
//!   buffers hold the same there; the host finds out and takes single steps where not;
//! * a level waits one plane longer where it reads rows of other warps in the newest plane
//!   of the level before ([`Order::late`]).

use super::lower::Prepared;
use super::stream::{Around, Domain, LANES, Refusal, Slab, Stream, StreamRead, StreamTile};
use super::{KernelStmt, Read, Stencil, Sub, SymbolicRange};
use crate::ctype::CType;
use crate::diag::{Diagnostic, Result};
use crate::sched::overlapped::{self, Pipeline, PipelineProof, Tile};
use crate::scop::Expr;
use hexcc_isl::{AstExpr, AstOp};
use std::collections::BTreeSet;

/// Distance of a cell read, along i, j and k.
pub type Offset = [i64; 3];

/// The order in which a block computes the levels of a step.
#[derive(Clone, Debug)]
pub enum Order {
    /// A new row goes through all levels at once. Reads of the newest plane are of the
    /// same row.
    Ripple,
    /// From the last level to the first, all rows of a level.
    Late,
    /// As late, with partial sums instead of planes: the value is computed in three parts,
    /// each from the cells of one plane, i - 1, i and i + 1. `Read(n)` of n reads is the
    /// part before.
    Chain([Expr; 3]),
}

impl Order {
    /// Planes that a level waits longer than its reads need.
    pub fn late(&self) -> i64 {
        match self {
            Order::Ripple => 0,
            Order::Late | Order::Chain(_) => 1,
        }
    }
}

/// A block-wide kernel of overlapped tiling, with the host loop around it.
#[derive(Clone, Debug)]
pub struct BlocksIr {
    /// The array and the statement.
    pub stencil: Stencil,
    /// Index in [`Interface::arrays`](crate::interface::Interface::arrays).
    pub array: usize,
    /// Time buffer written at time t: `t + write`, modulo 2.
    pub write: i64,
    /// Where the statement executes, per space dimension.
    pub domain: Vec<SymbolicRange>,
    /// Cells read, in the order of the statement's array reads.
    pub offsets: Vec<Offset>,
    /// How far they lie, at least 1.
    pub radius: Offset,
    /// Order of a step.
    pub order: Order,
    /// Its pipeline.
    pub pipeline: Pipeline,
    /// Tile sizes.
    pub tile: StreamTile,
    /// It is a GPU's share of the planes.
    pub slab: Option<Slab>,
    /// What the buffers have beside a domain that goes around.
    pub around: Option<Around>,
}

/// Largest distance of a read.
const MAX_RADIUS: i64 = 4;
/// Elements along a dimension that TMA moves at once.
const MAX_BOX: i64 = 256;

impl BlocksIr {
    /// The statement.
    pub fn stmt(&self) -> &KernelStmt {
        &self.stencil.stmts[0]
    }

    /// Element type.
    pub fn elem(&self) -> CType {
        self.stencil.arrays[self.array].elem
    }

    /// Whether cells read rows of other warps, of what plane (relative) at most and least.
    fn crossing(&self) -> impl Iterator<Item = i64> + '_ {
        self.offsets.iter().filter(|o| o[1] != 0).map(|o| o[0])
    }

    /// Planes of a level that registers hold between steps.
    pub fn held(&self) -> i64 {
        let ri = self.radius[0];
        let oldest = self.crossing().any(|di| di == -ri);
        match &self.order {
            Order::Chain(_) => 1,
            Order::Late => 2 * ri + 1,
            Order::Ripple => 2 * ri + i64::from(oldest),
        }
    }

    /// Planes before the newest of which level 0 is read in shared memory. At least 1 unless
    /// nothing older is: rows that are read in the step of their plane are so after its barrier.
    pub fn back(&self) -> i64 {
        match &self.order {
            Order::Chain(_) => 0,
            _ => self
                .crossing()
                .map(|di| self.radius[0] - di)
                .max()
                .unwrap_or(0)
                .max(1),
        }
    }

    /// Planes of level 0 in shared memory.
    pub fn stages(&self) -> i64 {
        self.back() + 1 + self.tile.ahead
    }

    /// Columns and rows of a tile.
    pub fn extent(&self) -> (i64, i64) {
        (LANES * self.tile.vector, self.tile.rows * self.tile.warps)
    }

    /// Elements of 16 and of 32 bytes.
    pub fn quad_and_unit(&self) -> (i64, i64) {
        let size = self.elem().size() as i64;
        (16 / size, 32 / size)
    }

    /// Columns and rows before the results of a tile of so many steps.
    pub fn before(&self, steps: i64) -> (i64, i64) {
        let (quad, _) = self.quad_and_unit();
        (
            up(steps * self.radius[2], quad),
            (steps - 1) * self.radius[1],
        )
    }

    /// Columns and rows of results.
    pub fn results(&self, steps: i64) -> (i64, i64) {
        let (cols, rows) = self.extent();
        let (hk, hj) = self.before(steps);
        let (_, unit) = self.quad_and_unit();
        let columns = (cols - hk - steps * self.radius[2]).max(0);
        (columns / unit * unit, rows - 2 * hj)
    }

    /// Warps of the last tile that start behind the domain: what lies there covers the halo.
    pub fn behind(&self, steps: i64) -> i64 {
        let (_, hj) = self.before(steps);
        up(hj, self.tile.rows).max(self.tile.rows) / self.tile.rows
    }

    /// Bytes of shared memory for tiles of so many steps.
    pub fn shared_bytes(&self, steps: i64) -> i64 {
        let size = self.elem().size() as i64;
        let line = 128 / size;
        let (cols, rows) = self.extent();
        let (vk, _) = self.results(steps);
        let (_, hj) = self.before(steps);
        let [_, rj, _] = self.radius;
        let plane = up((rows + 2 * rj) * cols, line);
        let pad = up(hj * vk, line) - hj * vk;
        let out = match steps {
            1 => 0,
            _ => {
                // Lanes with columns of the halo have a word each that is not stored.
                let beside = (cols - vk - 2).div_euclid(self.tile.vector) + 2;
                let not_stored = (self.tile.rows - 1) * vk + self.tile.warps * beside;
                up(pad + rows * vk + not_stored, line)
            }
        };
        let page = (steps - 1) * self.tile.warps * 2 * rj * cols;
        let pages = self.back() + self.order.late() + 1;
        (self.stages() * plane + 3 * out + pages * page) * size + (self.stages() + 1) * 8
    }

    /// The same kernel with other tile sizes, where they work within so many bytes of shared
    /// memory.
    pub fn with_tile(&self, tile: StreamTile, shared: i64) -> Option<BlocksIr> {
        let ir = BlocksIr {
            tile,
            ..self.clone()
        };
        ir.unusable(shared).is_none().then_some(ir)
    }

    /// Bytes of shared memory for tiles of any number of steps.
    pub fn bytes(&self) -> i64 {
        self.shared_bytes(self.tile.steps).max(self.shared_bytes(1))
    }

    /// Why the tile sizes do not work, if they do not.
    fn unusable(&self, shared: i64) -> Option<Refusal> {
        let tile = &self.tile;
        let (cols, rows) = self.extent();
        let [_, rj, _] = self.radius;
        let (hk, hj) = self.before(tile.steps);
        let (vk, vj) = self.results(tile.steps);
        let (_, unit) = self.quad_and_unit();
        if tile.rows < rj {
            return Some(format!(
                "a warp needs {rj} rows: the rows beside them come from the next warp"
            ));
        }
        if tile.warps % 4 != 0 {
            return Some("a block needs a multiple of 4 warps".to_string());
        }
        if tile.ahead < 2 {
            return Some("two planes must be loaded ahead".to_string());
        }
        if cols > MAX_BOX || rows + 2 * rj > MAX_BOX {
            return Some(format!("a tile has more than {MAX_BOX} rows or columns"));
        }
        if vk < hk + unit || vj < tile.rows + hj {
            return Some("tiles have hardly more cells than their halo".to_string());
        }
        let bytes = self.bytes();
        (bytes > shared)
            .then(|| format!("a tile needs {bytes} bytes of shared memory, a block has {shared}"))
    }

    /// Columns of a lane that can lie beside the domain, or be stored with it, bit by bit; and
    /// the column of a lane at which tiles let the domain end, if they can choose.
    pub fn fixed_columns(&self) -> (u64, Option<i64>) {
        let v = self.tile.vector;
        let all = (1u64 << v) - 1;
        let (quad, unit) = self.quad_and_unit();
        let (hk, _) = self.before(self.tile.steps);
        let [.., rk] = self.radius;
        let k = &self.domain[2];
        let AstExpr::Int(lo) = k.lo else {
            return (all, None);
        };
        if v % 2 == 0 || v == 1 {
            return (all, None);
        }
        let bits = |columns: &mut dyn Iterator<Item = i64>| {
            columns.fold(0, |set, c| set | 1u64 << c.rem_euclid(v))
        };
        // Stores start at a multiple of 32 bytes, and end at one of 16.
        let first = lo.rem_euclid(unit);
        let low = bits(&mut (1..=rk.max(first)).map(|q| hk + first - q));
        let n_k = self.stencil.arrays[self.array].extents.last();
        let behind = n_k
            .and_then(|n| difference(n, &k.hi))
            .map_or(quad, |d| d - 1);
        let kept = rk.max(behind.min(quad - 1));
        let with = |high: i64| low | bits(&mut (high..high + kept));
        let high = (0..v)
            .min_by_key(|&high| with(high).count_ones())
            .unwrap_or(0);
        (with(high), Some(high))
    }

    /// Rows of a warp that can lie beside the domain, bit by bit: above it in the first tile,
    /// or below it in the last, which ends with a warp's first row.
    pub fn fixed_rows(&self) -> u64 {
        let (_, hj) = self.before(self.tile.steps);
        (1..=self.radius[1]).fold(0, |set, q| {
            set | 1u64 << (q - 1) | 1u64 << (hj - q).rem_euclid(self.tile.rows)
        })
    }
}

fn up(x: i64, to: i64) -> i64 {
    (x + to - 1) / to * to
}

/// `a - b` where that is a number that the expressions show.
fn difference(a: &AstExpr, b: &AstExpr) -> Option<i64> {
    fn split(e: &AstExpr) -> (Option<&AstExpr>, i64) {
        match e {
            AstExpr::Int(c) => (None, *c),
            AstExpr::Op(op @ (AstOp::Add | AstOp::Sub), args) => match args.as_slice() {
                [x, AstExpr::Int(c)] if *op == AstOp::Add => (Some(x), *c),
                [x, AstExpr::Int(c)] => (Some(x), -c),
                [AstExpr::Int(c), x] if *op == AstOp::Add => (Some(x), *c),
                _ => (Some(e), 0),
            },
            _ => (Some(e), 0),
        }
    }
    let ((a, m), (b, n)) = (split(a), split(b));
    (a == b).then_some(m - n)
}

/// Tile sizes where the user gives none: as many cells as registers hold, of a statement with so
/// many reads.
fn default_tile(order: &Order, elem: CType, radius: Offset, reads: usize) -> StreamTile {
    let words = (elem.size() as i64 + 3) / 4;
    let [ri, rj, _] = radius;
    let planes = |steps: i64| match order {
        Order::Ripple => 2 * ri * steps,
        Order::Late => (2 * ri + 1) * steps + 3,
        Order::Chain(_) => 2 * ri * steps + steps,
    };
    let steps = if matches!(order, Order::Ripple) && ri == 1 {
        4
    } else {
        2
    };
    let budget = match (order, words) {
        (Order::Chain(_), 1) => 180,
        (Order::Chain(_), _) => 120,
        // Products of several cells are under way (125 reads: 2 x 3 cells of 2 x 4 fit).
        (Order::Late, _) => (140 - 2 * (reads as i64 - 27).max(0) / 5).max(1),
        (_, 1) => 168,
        _ => 192,
    };
    let widest = if words == 1 { 3 } else { 2 };
    let rows = |v: i64| (budget / (words * v * planes(steps))).min(10);
    let vector = (1..=widest)
        .rev()
        .find(|&v| rows(v) >= rj.max(3))
        .unwrap_or(1);
    let rows = rows(vector).max(rj).max(1);
    StreamTile {
        // More of a halo than a warp's rows is hardly worth it.
        steps: steps.min(rows / rj + 1),
        vector,
        rows,
        ahead: 2,
        warps: 8,
        min_blocks: 1,
    }
}

impl Prepared<'_> {
    /// Makes the kernel for the tile sizes, or those chosen here for so many bytes of shared
    /// memory, or says what is in the way. [`Prepared::prove_blocks`] has to prove it.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn blocks(
        &self,
        stream: &Stream,
        name: &str,
        tile: Option<StreamTile>,
        shared: i64,
    ) -> Result<std::result::Result<BlocksIr, Refusal>> {
        let refuse = |text: &str| Ok(Err(text.to_string()));
        let ([field], [stage]) = (stream.fields(), stream.pipeline().stages.as_slice()) else {
            return refuse("in three space dimensions it streams stencils of one array");
        };
        let [piece] = field.pieces.as_slice() else {
            return refuse("in three space dimensions it streams stencils of one statement");
        };
        let Domain::Box(domain) = &piece.domain else {
            return refuse("in three space dimensions the statement must execute in a box");
        };
        let stencil = self.stencil(name)?;
        let stmt = &stencil.stmts[piece.stmt];
        if stencil.arrays[field.array].elem.size() < 4 {
            return refuse("in three space dimensions blocks move elements of 4 or 8 bytes");
        }
        let [
            Sub::Time {
                offset: write,
                modulo: Some(2),
            },
        ] = field.plane[..]
        else {
            return refuse(
                "in three space dimensions it streams arrays of two time buffers, `A[2][..][..][..]`",
            );
        };
        if stage.pulls.iter().any(|p| p.age != 1) {
            return refuse(
                "in three space dimensions the statement must read the time step before only",
            );
        }
        if piece
            .reads
            .iter()
            .any(|r| matches!(r, StreamRead::Memory(_)))
        {
            return refuse(
                "in three space dimensions it streams no stencil that reads other arrays",
            );
        }
        let iterators = &stencil.dims;
        if stmt.affine.iter().any(|e| {
            iterators
                .iter()
                .any(|name| e.names().contains(name.as_str()))
        }) {
            return refuse(
                "in three space dimensions the value must not depend on the coordinates",
            );
        }
        let mut offsets = Vec::new();
        for access in stmt.reads.iter().filter_map(|r| match r {
            Read::Element(access) => Some(access),
            Read::Scalar(_) => None,
        }) {
            let mut offset = [0; 3];
            for (o, sub) in offset.iter_mut().zip(&access.subs[access.subs.len() - 3..]) {
                if let Sub::Space { offset, .. } = sub {
                    *o = *offset;
                }
            }
            offsets.push(offset);
        }
        let radius: Offset =
            [0, 1, 2].map(|d| offsets.iter().map(|o| o[d].abs()).max().unwrap_or(0).max(1));
        if radius.iter().any(|r| *r > MAX_RADIUS) {
            return refuse("in three space dimensions reads must lie at most 4 cells away");
        }
        let elem = stencil.arrays[field.array].elem;
        let order = order(stmt, &offsets, radius, elem);
        let pipeline = Pipeline::of_blocks(stage.pulls.clone(), radius[0], order.late());
        let wanted = tile.unwrap_or_default();
        let mut ir = BlocksIr {
            array: field.array,
            write,
            domain: domain.clone(),
            tile: wanted.or(default_tile(&order, elem, radius, offsets.len())),
            stencil,
            offsets,
            radius,
            order,
            pipeline,
            slab: None,
            around: None,
        };
        while wanted.rows == 0 && ir.bytes() > shared && ir.tile.rows > radius[1] {
            ir.tile.rows -= 1;
        }
        if let Some(refusal) = ir.unusable(shared) {
            return Ok(Err(refusal));
        }
        Ok(Ok(ir))
    }

    /// isl proves that the columns and rows of a tile are those that its results depend on.
    ///
    /// # Errors
    /// HX0401 where isl gives up, HX9001 where the proof fails.
    pub fn prove_blocks(&self, stream: &Stream, ir: &BlocksIr) -> Result<PipelineProof> {
        let not_proven = |what: String| {
            Box::new(Diagnostic::bug(format!(
                "the pipeline could not be proven right: {what}"
            )))
        };
        let [ri, rj, _] = ir.radius;
        let late = ir.order.late();
        // What the printed constants say: planes before the first result, and in all.
        for steps in [1, ir.tile.steps] {
            let (reach, lag) = (ir.pipeline.reach(steps), steps * ri + (steps - 1) * late);
            if reach.before > steps * ri
                || reach.extra > steps * ri + lag
                || (1..=steps).any(|q| ir.pipeline.lag_of(0, q) != q * ri + (q - 1) * late)
            {
                return Err(not_proven("planes are missing".to_string()));
            }
        }
        // The last tile starts so many rows before the end of the domain that a warp begins
        // right behind it; its results must reach the end. No other tile has cells there but in
        // the rows that `fixed_rows` names.
        let (steps, rows) = (ir.tile.steps, ir.tile.rows);
        let ((_, hj), (_, vj)) = (ir.before(steps), ir.results(steps));
        let behind = ir.behind(steps);
        if steps > 1 && hj + vj < (ir.tile.warps - behind) * rows {
            return Err(not_proven("results do not reach the end".to_string()));
        }
        if steps > 1 && vj < behind * rows {
            return Err(not_proven("two tiles reach behind the domain".to_string()));
        }
        // Rows of other warps are there one step after they are made.
        let in_time = |o: &Offset| o[1] == 0 || ri - o[0] + late >= 1;
        if !ir.offsets.iter().all(in_time) {
            return Err(not_proven("rows of other warps are not there".to_string()));
        }
        let mut proof = None;
        for steps in [ir.tile.steps, 1] {
            let (cols, rows) = ir.extent();
            let ((hk, hj), (vk, vj)) = (ir.before(steps), ir.results(steps));
            let tile = Tile {
                loaded: vec![0..1, -rj..rows + rj, 0..cols],
                computed: vec![0..1, 0..rows, 0..cols],
                results: vec![0..1, hj..hj + vj, hk..hk + vk],
            };
            let checked =
                overlapped::verify(&self.scop.ctx, &ir.pipeline, stream.flows(), steps, &tile)
                    .map_err(|e| not_proven(e.to_string()))?;
            proof = proof.or(Some(checked));
        }
        proof.ok_or_else(|| not_proven("nothing to prove".to_string()))
    }
}

fn order(stmt: &KernelStmt, offsets: &[Offset], radius: Offset, elem: CType) -> Order {
    if !offsets.iter().any(|o| o[0] == radius[0] && o[1] != 0) {
        return Order::Ripple;
    }
    match chain(stmt, offsets, radius, elem) {
        Some(parts) => Order::Chain(parts),
        None => Order::Late,
    }
}

/// The value in parts, one per plane, if the source's order of operations allows it: on the
/// way down from the root one operand at a time reads other planes than the present one.
fn chain(stmt: &KernelStmt, offsets: &[Offset], radius: Offset, elem: CType) -> Option<[Expr; 3]> {
    if radius[0] != 1 || !stmt.locals.is_empty() || !stmt.affine.is_empty() {
        return None;
    }
    // Reads of elements in order, with their planes; none for scalars.
    let mut elements = offsets.iter();
    let planes: Vec<Option<i64>> = (stmt.reads.iter())
        .map(|r| match r {
            Read::Element(_) => elements.next().map(|o| o[0]),
            Read::Scalar(_) => None,
        })
        .collect();
    let (high, rest) = cut(&stmt.value, 1, &planes, elem)?;
    let (middle, low) = cut(&rest, 0, &planes, elem)?;
    (planes_of(&low, &planes) == BTreeSet::from([-1])).then_some([low, middle, high])
}

fn planes_of(e: &Expr, planes: &[Option<i64>]) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    e.visit(&mut |e| {
        if let Expr::Read(i, _) = e {
            found.extend(planes.get(*i).copied().flatten());
        }
    });
    found
}

/// Splits off the part of an expression that reads plane `plane`: it, with a read in the place
/// of the rest, and the rest, which reads lower planes.
fn cut(e: &Expr, plane: i64, planes: &[Option<i64>], elem: CType) -> Option<(Expr, Expr)> {
    let only = |e: &Expr| planes_of(e, planes).iter().all(|p| *p == plane);
    if only(e) {
        return None;
    }
    if planes_of(e, planes).iter().all(|p| *p < plane) {
        return (e.ty() == elem).then(|| (Expr::Read(planes.len(), elem), e.clone()));
    }
    let inner = |arg: &Expr| cut(arg, plane, planes, elem);
    match e {
        Expr::Unary { op, arg } => {
            let (arg, rest) = inner(arg)?;
            Some((
                Expr::Unary {
                    op,
                    arg: Box::new(arg),
                },
                rest,
            ))
        }
        Expr::Cast { ty, arg } => {
            let (arg, rest) = inner(arg)?;
            Some((
                Expr::Cast {
                    ty: *ty,
                    arg: Box::new(arg),
                },
                rest,
            ))
        }
        Expr::Binary { op, lhs, rhs } if only(rhs) => {
            let (lhs, rest) = inner(lhs)?;
            Some((
                Expr::Binary {
                    op,
                    lhs: Box::new(lhs),
                    rhs: rhs.clone(),
                },
                rest,
            ))
        }
        Expr::Binary { op, lhs, rhs } if only(lhs) => {
            let (rhs, rest) = inner(rhs)?;
            Some((
                Expr::Binary {
                    op,
                    lhs: lhs.clone(),
                    rhs: Box::new(rhs),
                },
                rest,
            ))
        }
        Expr::Call { name, args } => match args.as_slice() {
            [arg] => {
                let (arg, rest) = inner(arg)?;
                Some((
                    Expr::Call {
                        name: name.clone(),
                        args: vec![arg],
                    },
                    rest,
                ))
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_halos_are_no_higher_than_a_warp() {
        for order in [Order::Ripple, Order::Late] {
            for elem in [CType::Float, CType::Double] {
                for ri in 1..=MAX_RADIUS {
                    for rj in 1..=MAX_RADIUS {
                        let tile = default_tile(&order, elem, [ri, rj, 1], 7);
                        assert!(tile.rows >= (tile.steps - 1) * rj, "{tile}, {ri}, {rj}");
                        assert!(tile.rows >= rj && tile.steps >= 1);
                    }
                }
            }
        }
    }
}
