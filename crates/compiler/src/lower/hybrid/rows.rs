//! The rows of a tile: loops over its points, and what happens at a point.

use super::elements::{Point, behind};
use super::{Lowering, Tile, section};
use crate::back::text::truncate;
use crate::diag::Result;
use crate::ir::build::{
    INT, assign, binary, comment, define, if_, int, joined, let_, not, select, skip_if, var,
};
use crate::ir::{Definition, Expr, Helper, Own, Pointer, Stmt, Type, Unroll, VarId, used_in};
use crate::kernel::{KernelStmt, Read, Sub};
use crate::lower::affine::{Body, from_isl};

/// Characters of a statement's text in comments, at most.
const SHOWN: usize = 100;

/// By statement and space dimension its first and last instance relative to the tile's origin.
type Bounds = Vec<Vec<[Option<VarId>; 2]>>;

/// The loop over the rows of a tile.
struct Rows {
    /// Number of the row.
    a: VarId,
    t_in: VarId,
    t: VarId,
    /// By space dimension how far the points of a row have moved.
    skews: Vec<Option<VarId>>,
    bounds: Bounds,
}

impl Lowering<'_> {
    pub(super) fn rows(&mut self, tile: &Tile) -> Result<Vec<Stmt>> {
        let ir = self.ir;
        let (mut body, bounds) = self.guard_bounds(tile)?;
        let remark = format!("Row a runs at time t = {}0 + a / K.", ir.stencil.dims[0]);
        body.extend(section(&remark));
        let skews = (0..self.n_space()).map(|j| {
            let c = ir.schedule.classical_dim(j).filter(|c| c.delta1.num != 0);
            c.map(|_| self.int(&format!("skew_{}", self.dim(j))))
        });
        let skews = skews.collect();
        let rows = Rows {
            a: self.int("a"),
            t_in: self.int("t_in"),
            t: self.index(&ir.stencil.dims[0]),
            skews,
            bounds,
        };
        let slots = self.slots(tile, &rows)?;
        let used = used_in(&slots);
        let [a_first, a_end] = tile.params.a.map(var);
        let (a, full) = (|| var(rows.a), || var(tile.params.full));
        let height = || var(self.constants.rows);
        let mut of_row = Vec::new();
        let (first, end) = match ir.unrolls_rows() {
            true => {
                let before = binary("<", a(), a_first);
                let outside = binary("||", before, binary(">=", a(), a_end));
                of_row.push(skip_if(binary("&&", not(full()), outside)));
                (int(0), height())
            }
            false => (
                select(full(), int(0), a_first),
                select(full(), height(), a_end),
            ),
        };
        if used.contains(&rows.t_in) || used.contains(&rows.t) {
            of_row.push(let_(rows.t_in, binary("/", a(), var(self.constants.k))));
        }
        if used.contains(&rows.t) {
            let t = binary("+", var(tile.params.origins[0]), var(rows.t_in));
            of_row.push(let_(rows.t, t));
        }
        for c in &ir.schedule.classical {
            let Some(skew) = rows.skews[c.dim].filter(|skew| used.contains(skew)) else {
                continue;
            };
            let (num, den) = (c.delta1.num, c.delta1.den);
            let product = match num {
                1 => a(),
                n => binary("*", int(n), a()),
            };
            of_row.push(let_(
                skew,
                match den {
                    1 => product,
                    m => binary("/", product, int(m)),
                },
            ));
        }
        of_row.extend(slots);
        let barriers: Vec<usize> = (0..ir.rows.len())
            .filter(|&n| ir.barrier_after(n))
            .collect();
        of_row.push(match barriers.len() == ir.rows.len() {
            true => Stmt::Barrier,
            false => {
                let rows = barriers.iter().map(|n| binary("==", a(), int(*n as i64)));
                if_(joined("||", rows).unwrap_or(int(0)), vec![Stmt::Barrier])
            }
        });
        body.push(Stmt::For {
            var: rows.a,
            first,
            cond: binary("<", a(), end),
            step: int(1),
            any_order: false,
            unroll: match ir.unrolls_rows() {
                true => Unroll::Whole,
                false => Unroll::Never,
            },
            body: of_row,
        });
        Ok(body)
    }

    /// The statements of a row, by slot.
    fn slots(&mut self, tile: &Tile, rows: &Rows) -> Result<Vec<Stmt>> {
        let ir = self.ir;
        let k = ir.schedule.k;
        let mut all = Vec::new();
        for slot in 0..k {
            let mut stmts = Vec::new();
            for (i, stmt) in ir.stencil.stmts.iter().enumerate() {
                if stmt.slot == slot {
                    stmts.extend(self.row_of(tile, rows, (i, stmt))?);
                }
            }
            match k {
                1 => all.extend(stmts),
                _ => {
                    let own = binary("%", var(rows.a), var(self.constants.k));
                    all.push(if_(binary("==", own, int(slot)), stmts));
                }
            }
        }
        Ok(all)
    }

    /// Space dimensions in the order of a row's loops: the hexagonal one last,
    /// so that a thread computes all its points of a row one after the other.
    fn loop_order(&self) -> Vec<usize> {
        let hex = self.hex_dim();
        (0..self.n_space())
            .filter(|&j| j != hex)
            .chain([hex])
            .collect()
    }

    /// A statement in the points of a row.
    fn row_of(
        &mut self,
        tile: &Tile,
        rows: &Rows,
        (index, stmt): (usize, &KernelStmt),
    ) -> Result<Vec<Stmt>> {
        let ir = self.ir;
        let n = self.n_space();
        let text = truncate(&stmt.text, SHOWN);
        let dims = &ir.stencil.dims;
        let relative: Vec<VarId> = (0..n)
            .map(|j| self.int(&format!("{}_r", dims[j + 1])))
            .collect();
        let mut coordinates = vec![rows.t];
        coordinates.extend((0..n).map(|j| self.index(&dims[j + 1])));
        let mut env = self.sizes.clone();
        for (name, coordinate) in dims.iter().zip(&coordinates) {
            env.insert(name.clone(), var(*coordinate));
        }
        let point = Point {
            t_in: rows.t_in,
            env,
            coordinates,
            relative: relative.iter().map(|r| var(*r)).collect(),
        };
        let column = self.store_column(tile, &point, (index, stmt))?;
        let address = column.as_ref().map(|(_, address)| address.clone());
        let at_point = self.point(tile, rows, &point, (index, stmt), address)?;
        let used = used_in(&at_point);
        let mut body = Vec::new();
        for (j, of_point) in relative.iter().enumerate() {
            let coordinate = point.coordinates[j + 1];
            if used.contains(&coordinate) {
                let origin = var(tile.params.origins[j + 1]);
                body.push(let_(coordinate, binary("+", origin, var(*of_point))));
            }
        }
        body.extend(at_point);
        for (depth, &j) in self.loop_order().iter().rev().enumerate() {
            body = self.point_loop(tile, rows, (j, relative[j], depth == 0), body)?;
            if let (0, Some((definition, _))) = (depth, &column) {
                body.splice(0..0, definition.clone());
            }
        }
        let mut all = vec![comment(stmt.comment(&text))];
        let n_of_slot = ir
            .stencil
            .stmts
            .iter()
            .filter(|s| s.slot == stmt.slot)
            .count();
        match (stmt.partial_only, n_of_slot) {
            (true, _) => all.push(if_(not(var(tile.params.full)), body)),
            (false, 1) => all.extend(body),
            (false, _) => all.push(Stmt::Scope(body)),
        }
        Ok(all)
    }

    /// Bounds of the statements relative to the tile's origin.
    fn guard_bounds(&mut self, tile: &Tile) -> Result<(Vec<Stmt>, Bounds)> {
        let ir = self.ir;
        let (mut lets, mut all) = (Vec::new(), Vec::new());
        for stmt in &ir.stencil.stmts {
            let mut of_stmt = vec![[None; 2]; self.n_space()];
            let space = stmt.bounds.iter().flat_map(|bounds| &bounds.space);
            for (j, sides) in space.enumerate() {
                for (end, list) in sides.iter().enumerate() {
                    let (which, inner) = match end {
                        0 => ("lo", Helper::Highest),
                        _ => ("hi", Helper::Lowest),
                    };
                    let values = list.iter().map(|b| from_isl(b, &self.sizes));
                    let values: Vec<Expr> = values.collect::<Result<_>>()?;
                    let value = values.into_iter().reduce(|a, b| Expr::helper(inner, a, b));
                    let Some(value) = value else { continue };
                    let bound = self.int(&format!("{}_{which}_{}", stmt.name, self.dim(j)));
                    let origin = var(tile.params.origins[j + 1]);
                    lets.push(let_(bound, Expr::helper(Helper::Relative, value, origin)));
                    of_stmt[j][end] = Some(bound);
                }
            }
            all.push(of_stmt);
        }
        let mut body = Vec::new();
        if !lets.is_empty() {
            body.extend(section(
                "Where statements have instances, relative to the tile's origin.",
            ));
            body.extend(lets);
        }
        Ok((body, all))
    }

    /// The condition that an instance exists, in 32 bits where it is one of bounds.
    fn guard(&self, rows: &Rows, point: &Point, (i, stmt): (usize, &KernelStmt)) -> Result<Expr> {
        let Some(bounds) = &stmt.bounds else {
            return from_isl(&stmt.guard, &point.env);
        };
        let rest = bounds.rest.as_ref().map(|r| from_isl(r, &point.env));
        let rest = rest.transpose()?;
        let mut parts: Vec<Expr> = rest
            .into_iter()
            .filter(|r| !matches!(r, Expr::Int(1)))
            .collect();
        for (r, ends) in point.relative.iter().zip(&rows.bounds[i]) {
            for (bound, op) in ends.iter().zip([">=", "<="]) {
                parts.extend(bound.map(|bound| binary(op, r.clone(), var(bound))));
            }
        }
        Ok(joined("&&", parts).unwrap_or(int(1)))
    }

    /// One point: its test, its value, and the stores, at `address` where that is known before.
    fn point(
        &mut self,
        tile: &Tile,
        rows: &Rows,
        point: &Point,
        (index, stmt): (usize, &KernelStmt),
        address: Option<Pointer>,
    ) -> Result<Vec<Stmt>> {
        let guard = not(self.guard(rows, point, (index, stmt))?);
        let full = || var(tile.params.full);
        let mut body = Vec::new();
        match stmt.partial_only {
            true => body.push(skip_if(guard)),
            false => {
                body.push(skip_if(binary("&&", not(full()), guard)));
                if let Some(lattice) = &stmt.lattice {
                    let lattice = not(from_isl(lattice, &point.env)?);
                    body.push(skip_if(binary("&&", full(), lattice)));
                }
            }
        }
        let (locals, value) = self.value(tile, point, stmt)?;
        body.extend(locals);
        let array = &self.ir.stencil.arrays[stmt.write.array];
        let target = self.access(tile, point, &stmt.write)?;
        let Some(shared) = &array.shared else {
            body.push(assign(target, value));
            return Ok(body);
        };
        let named = self.add("value", Type::Number(array.elem));
        body.push(let_(named, value));
        body.push(assign(target, var(named)));
        let stored = match address {
            Some(address) => behind(address),
            None => self.stored(tile, point, &stmt.write)?,
        };
        let store = assign(stored, var(named));
        let cond = match shared.copy_out {
            Some(_) => Some(not(full())),
            None => self.kept_out(tile, rows, point, index),
        };
        body.push(match cond {
            Some(cond) => if_(cond, vec![store]),
            None => store,
        });
        Ok(body)
    }

    /// The condition that an instance stores its value; `None` where all do.
    fn kept_out(&self, tile: &Tile, rows: &Rows, point: &Point, index: usize) -> Option<Expr> {
        let ir = self.ir;
        let keep = self.keep_dims(index);
        if keep.is_empty() && !self.keeps_all(index) {
            return None;
        }
        let mut parts = vec![not(var(tile.params.full))];
        for j in keep {
            let beyond = |op: &'static str, table: VarId| {
                let end = Expr::element(table, None, var(rows.a));
                binary(op, point.relative[j].clone(), end)
            };
            let [lo, hi] = self.keeps[index][j];
            let tests = lo.map(|lo| beyond("<", lo)).into_iter();
            let tests: Vec<Expr> = tests.chain(hi.map(|hi| beyond(">", hi))).collect();
            // A row nothing of which is kept has empty intervals in all
            // dimensions, the hexagonal one included.
            match ir.reuses() && ir.chain == Some(j) {
                false => parts.extend(tests),
                true => {
                    let apart = not(var(tile.params.reused));
                    parts.extend(joined("||", tests).map(|test| binary("&&", apart, test)));
                }
            }
        }
        joined("||", parts)
    }

    /// What a statement computes: definitions of its local variables, and the value it writes.
    fn value(
        &mut self,
        tile: &Tile,
        point: &Point,
        stmt: &KernelStmt,
    ) -> Result<(Vec<Stmt>, Expr)> {
        let reads: Vec<Expr> = (stmt.reads.iter())
            .map(|read| match read {
                Read::Scalar(i) => Ok(var(self.scalars[*i])),
                Read::Element(access) => self.access(tile, point, access),
            })
            .collect::<Result<_>>()?;
        let affine = stmt.affine.iter().map(|e| from_isl(e, &point.env));
        let affine: Vec<Expr> = affine.collect::<Result<_>>()?;
        let mut affine = affine.into_iter();
        let (mut definitions, mut locals) = (Vec::new(), Vec::new());
        for (i, (name, ty, value)) in stmt.locals.iter().enumerate() {
            let mut body = Body {
                program: &self.program,
                divisions: stmt.divisions,
                reads: &reads,
                locals: &locals,
                affine,
            };
            let value = body.expr(value)?;
            affine = body.affine;
            // A suffix keeps locals apart from the names of the kernel.
            let local = self.add(&format!("{name}_v{i}"), Type::Number(*ty));
            definitions.push(let_(local, value));
            locals.push(var(local));
        }
        let mut body = Body {
            program: &self.program,
            divisions: stmt.divisions,
            reads: &reads,
            locals: &locals,
            affine,
        };
        let value = body.expr(&stmt.value)?;
        Ok((definitions, value))
    }

    /// A pointer for the stores of a column of points, defined before the loop along
    /// the hexagonal dimension, and the address of a point's store by it. It is for
    /// stores that a classical dimension guards in all rows: with the address almost
    /// at hand nvcc predicates these stores instead of branching around each.
    fn store_column(
        &mut self,
        tile: &Tile,
        point: &Point,
        (index, stmt): (usize, &KernelStmt),
    ) -> Result<Option<([Stmt; 2], Pointer)>> {
        let (ir, hex) = (self.ir, self.hex_dim());
        let array = &ir.stencil.arrays[stmt.write.array];
        let guards = |j: usize| j != hex && !(ir.reuses() && ir.chain == Some(j));
        if array.shared.is_none() || !self.keep_dims(index).into_iter().any(guards) {
            return Ok(None);
        }
        let mut start = stmt.write.clone();
        let is_hex = |sub: &Sub| matches!(sub, Sub::Space { dim, .. } if *dim == hex);
        let Some(at) = start.subs.iter().position(is_hex) else {
            return Ok(None);
        };
        let n = start.subs.len();
        let Sub::Space { offset, .. } = start.subs[at] else {
            return Ok(None);
        };
        if at + 1 == n || start.subs.iter().filter(|s| is_hex(s)).count() > 1 {
            return Ok(None);
        }
        start.subs[at] = Sub::Const(offset);
        let (Some(place), Some(first)) = (
            &tile.places[stmt.write.array],
            self.address(tile, point, &start)?,
        ) else {
            return Ok(None);
        };
        let step = place.steps[at].clone();
        let pointer = Type::Pointer {
            elem: array.elem,
            written: array.written,
        };
        let target = self.program.add_var("target", pointer, true);
        let remark = format!("The stores of a column, from {}_r = 0 on.", self.dim(hex));
        Ok(Some((
            [comment(remark), define(target, Definition::Pointer(first))],
            Pointer::Of(target).row(point.relative[hex].clone(), step),
        )))
    }

    /// The loop over a row's points along space dimension `j`. Trip counts
    /// do not depend on the thread or the row, so that unrolled rows are
    /// straight-line code. A thread with one point along an outer dimension needs no
    /// loop.
    fn point_loop(
        &mut self,
        tile: &Tile,
        rows: &Rows,
        (j, relative, innermost): (usize, VarId, bool),
        inner: Vec<Stmt>,
    ) -> Result<Vec<Stmt>> {
        let ir = self.ir;
        let name = self.dim(j).to_string();
        let is_hex = j == self.hex_dim();
        let classical = ir.schedule.classical_dim(j);
        let skewed = |x: Expr| match rows.skews[j] {
            Some(skew) => binary("-", x, var(skew)),
            None => x,
        };
        let position = ir.block.threads.iter().position(|t| t.0 == j);
        let per_thread = ir.points_per_thread(j);
        let step = self.program.add_var(&format!("{name}_n"), INT, true);
        let shared_hex = is_hex && position == Some(1);
        let part = self.int(&format!("{name}_part"));
        let [column, row] = [Own::Column, Own::Row].map(Expr::Own);
        // From left to right.
        let product = |x: Expr, y: Expr| binary("*", x, y);
        let at = match (position, per_thread) {
            (None, _) => vec![var(step)],
            (Some(1), _) if is_hex => vec![product(row, var(part)), var(step)],
            (Some(0), 1) => vec![column],
            (Some(_), 1) => vec![row],
            (Some(0), _) => vec![product(var(step), var(self.constants.block[0])), column],
            (Some(_), n) => vec![product(row, int(n)), var(step)],
        };
        let from = |first: Option<Expr>| joined("+", first.into_iter().chain(at)).unwrap_or(int(0));
        let all_inside = classical.is_some_and(|c| c.w == ir.block.along(j) * per_thread);
        let (mut before, mut body) = (Vec::new(), Vec::new());
        let end = |table: VarId| Expr::element(table, None, var(rows.a));
        if shared_hex {
            let length = binary("-", end(self.row_hi), end(self.row_lo));
            let threads = var(self.constants.block[1]);
            let up = binary("+", length, threads.clone());
            before.push(comment("Even shares of the row."));
            before.push(let_(part, binary("/", up, threads)));
        }
        if is_hex {
            body.push(let_(relative, from(Some(end(self.row_lo)))));
            let beyond = binary(">", var(relative), end(self.row_hi));
            body.push(skip_if(match shared_hex {
                true => binary("||", binary(">=", var(step), var(part)), beyond),
                false => beyond,
            }));
        } else {
            body.push(let_(relative, skewed(from(None))));
            if !all_inside {
                let width = skewed(self.width(j)?);
                body.push(skip_if(binary(">=", var(relative), width)));
            }
        }
        body.extend(inner);
        let is_loop = innermost || per_thread > 1 || position.is_none() || !all_inside;
        if !is_loop {
            return Ok([before, body].concat());
        }
        let unroll = match (ir.switches.unroll, ir.shared_bytes > 0 && per_thread > 1) {
            (false, _) => Unroll::Never,
            (true, false) => Unroll::Free,
            (true, true) if ir.unrolls_rows() => Unroll::Whole,
            (true, true) => Unroll::Where(tile.params.full, 64),
        };
        before.push(Stmt::For {
            var: step,
            first: int(0),
            cond: binary("<", var(step), int(per_thread)),
            step: int(1),
            any_order: false,
            unroll,
            body,
        });
        Ok(before)
    }

    /// Whether every instance of a statement is kept in full tiles.
    fn keeps_all(&self, i: usize) -> bool {
        let stmt = &self.ir.stencil.stmts[i];
        (self.ir.rows.iter())
            .filter(|r| r.slot == stmt.slot)
            .all(|r| r.stmts[i].keep == r.points)
    }
}
