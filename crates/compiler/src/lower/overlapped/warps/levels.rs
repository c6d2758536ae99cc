//! What a warp does with a row: it computes a row of each of its levels.

use super::{Lowering, Outer, below, binary, if_, int, let_, loop_of, not, plus, var};
use crate::diag::{Diagnostic, Result};
use crate::ir::{Expr, FunctionId, Stmt, Type, VarId, Wide};
use crate::kernel::Sub;
use crate::kernel::stream::{Domain, Field, Piece, StreamRead};
use crate::kernel::warps::{FieldRead, Param, Shared, WarpsIr, planes};
use crate::lower::affine::{Body, Env, from_isl};
use hexcc_isl::{AstExpr, AstOp};

impl Lowering<'_> {
    /// Rows of a level that are held: what statements read, and the row before in its own place.
    pub(super) fn depth(&self, f: usize) -> i64 {
        self.ir.pipeline.depth[f].max(self.ir.pipeline.step_lag + 1)
    }

    /// The rows of a field that a warp holds.
    pub(super) fn held(&mut self, f: usize) -> VarId {
        let (left, right) = self.ir.fields[f].margin;
        let rows = match self.warps.tile.shared {
            Shared::Columns => (self.ir.live(f) + self.warps.tile.levels) * self.depth(f),
            Shared::Steps => (planes(self.ir, f) + 1) * self.rows_held(f),
        };
        // An array of one row would have no subscript for it.
        let rows = rows.max(2);
        let ty = Type::Private {
            elem: self.elem,
            rows: rows as u32,
            len: (left + self.warps.tile.columns + right) as u32,
        };
        let name = self.names[f].clone();
        self.program.add_var(&name, ty, false)
    }

    /// `back` rows before the newest of a level, of which 0 is the one that comes from the warp before.
    pub(super) fn row_of(&self, f: usize, level: Expr, back: i64) -> Expr {
        let depth = self.depth(f);
        let first = (self.ir.live(f) - 1) * depth;
        plus(level.times(int(depth)), first + back)
    }

    /// Makes place for the newest row of a level.
    pub(super) fn push(&mut self, f: usize, held: VarId, level: &Expr) -> Vec<Stmt> {
        let depth = self.depth(f);
        let (left, right) = self.ir.fields[f].margin;
        if depth < 2 {
            return Vec::new();
        }
        let [d, x] = ["d", "x"].map(|name| self.index(name));
        let first = self.row_of(f, level.clone(), 0);
        let row = |by: i64| binary("-", plus(first.clone(), depth - 1 + by), var(d));
        let body = vec![Stmt::Assign {
            target: Expr::element(held, Some(row(0)), var(x)),
            value: Expr::element(held, Some(row(-1)), var(x)),
        }];
        let columns = left + self.warps.tile.columns + right;
        let inner = loop_of(x, [0, columns, 1], body);
        vec![loop_of(d, [0, depth - 1, 1], vec![inner])]
    }

    /// The columns beside a lane's own.
    pub(super) fn exchange(&mut self, f: usize, held: VarId, level: &Expr) -> Vec<Stmt> {
        let row = self.row_of(f, level.clone(), self.ir.fields[f].exchanged);
        self.exchange_row(f, held, row)
    }

    /// The same of a row that is held.
    pub(super) fn exchange_row(&mut self, f: usize, held: VarId, row: Expr) -> Vec<Stmt> {
        let (left, right) = self.ir.fields[f].margin;
        let columns = self.warps.tile.columns;
        let mut all = Vec::new();
        for (n, by, to, from) in [(left, -1, 0, columns), (right, 1, left + columns, left)] {
            if n == 0 {
                continue;
            }
            let c = self.index("c");
            let at = |first: i64| Expr::element(held, Some(row.clone()), plus(var(c), first));
            let value = Expr::Exchange {
                value: Box::new(at(from)),
                by,
            };
            let body = vec![Stmt::Assign {
                target: at(to),
                value,
            }];
            all.push(loop_of(c, [0, n, 1], body));
        }
        all
    }

    /// `advance_warp<FULL>`: a warp takes a row and hands one on.
    pub(super) fn advance(&mut self) -> Result<FunctionId> {
        let fields = 0..self.n_fields();
        let fresh: Vec<usize> = fields.filter(|f| self.ir.live(*f) == 0).collect();
        let outer = self.outer(|this, p| match p {
            _ if this.of_updates(p) => true,
            Param::Scalar(_) => true,
            // Of fields of which no level is handed on, cells that nobody writes are in memory.
            Param::Kept(f, _) | Param::Pitch(f) | Param::Extent(f, _) => fresh.contains(f),
            Param::Domain(..) => true,
            _ => false,
        });
        let full = self.add("FULL", Type::Flag);
        let ring = self.ring();
        let held: Vec<VarId> = (0..self.n_fields()).map(|f| self.held(f)).collect();
        let [slot, newest, column, lane, warp] =
            ["slot", "newest", "column", "lane", "warp"].map(|name| self.index(name));
        let mut body = Vec::new();
        for (f, &rows) in held.iter().enumerate() {
            for age in 0..self.ir.live(f) {
                let level = int(-age);
                body.extend(self.push(f, rows, &level));
                body.push(self.move_row((f, age), &level, [ring, slot, lane, rows], false));
                body.extend(self.exchange(f, rows, &level));
            }
        }
        let s = self.index("s");
        let mut stages = Vec::new();
        for f in 0..self.n_fields() {
            stages.extend(self.stage(&outer, f, &held, [full, newest, column, warp, s])?);
        }
        body.push(loop_of(s, [0, self.warps.tile.levels, 1], stages));
        let mut stores = Vec::new();
        for (f, &rows) in held.iter().enumerate() {
            for age in 0..self.ir.live(f) {
                let level = int(self.warps.tile.levels - age);
                stores.push(self.move_row((f, age), &level, [ring, slot, lane, rows], true));
            }
        }
        let begin = self.index("begin");
        body.push(if_(binary(">=", var(newest), var(begin)), stores));
        let mut params = vec![full, ring];
        params.extend(&held);
        params.extend([slot, newest, begin, column, lane, warp]);
        Ok(self.function("advance_warp", "A warp takes the row of iteration `newest` from a slot and puts that of its own last level there.", (params, &outer), Default::default(), body))
    }

    /// The newest row of a level, from a slot or back to it.
    pub(super) fn move_row(
        &mut self,
        (f, age): (usize, i64),
        level: &Expr,
        [ring, slot, lane, held]: [VarId; 4],
        back: bool,
    ) -> Stmt {
        let lanes = WarpsIr::lanes(self.ir);
        let columns = self.warps.tile.columns;
        let x = self.index("x");
        let first = var(lane).times(int(columns)).plus(var(x));
        let wide = Wide {
            memory: ring,
            row: Some(var(slot)),
            index: plus(first, self.place(f, age)),
            own: held,
            own_row: Some(self.row_of(f, level.clone(), 0)),
            at: plus(var(x), self.ir.fields[f].margin.0),
            lanes: lanes as u32,
            constant: false,
        };
        let stmt = match back {
            true => Stmt::Store(wide),
            false => Stmt::Load(wide),
        };
        loop_of(x, [0, columns, lanes], vec![stmt])
    }

    /// One row of the next level of a field.
    pub(super) fn stage(
        &mut self,
        outer: &Outer,
        f: usize,
        held: &[VarId],
        [full, newest, column, warp, s]: [VarId; 5],
    ) -> Result<Vec<Stmt>> {
        let ir = self.ir;
        let field: &Field = &ir.fields[f];
        let (piece, updates) = field.pieces.split_at(1);
        let stmt = &ir.stencil.stmts[piece[0].stmt];
        let columns = self.warps.tile.columns;
        let mut body = vec![Stmt::Comment(stmt.comment(&stmt.text))];
        let next = self.program.add_var(
            "next",
            Type::Private {
                elem: self.elem,
                rows: 1,
                len: columns as u32,
            },
            false,
        );
        body.push(Stmt::Let {
            var: next,
            value: None,
        });
        let x = self.index("x");
        let cells = self.cell(outer, &piece[0], (held, &Env::new()), [next, s, x])?;
        body.push(loop_of(x, [0, columns, 1], cells));
        let of_cells = [next, held[f], newest, column, warp, s];
        let (mut others, [level, row]) = self.keep(outer, f, of_cells)?;
        for update in updates {
            others.extend(self.overwrite(outer, update, held, [next, s, level, row, column])?);
        }
        body.push(if_(not(var(full)), others));
        let level = var(s).plus(int(1));
        body.extend(self.push(f, held[f], &level));
        let x = self.index("x");
        let target = Expr::element(
            held[f],
            Some(self.row_of(f, level.clone(), 0)),
            plus(var(x), field.margin.0),
        );
        let value = Expr::element(next, None, var(x));
        body.push(loop_of(
            x,
            [0, columns, 1],
            vec![Stmt::Assign { target, value }],
        ));
        body.extend(self.exchange(f, held[f], &level));
        Ok(body)
    }

    /// A statement at a cell of the row `next`; `env` is what stands for isl's names. `s` is the number of the level among the
    /// warp's, or of the row in a patch.
    pub(super) fn cell(
        &mut self,
        outer: &Outer,
        piece: &Piece,
        (held, env): (&[VarId], &Env),
        [next, s, x]: [VarId; 3],
    ) -> Result<Vec<Stmt>> {
        let stmt = &self.ir.stencil.stmts[piece.stmt];
        let reads: Vec<Expr> = (piece.reads.iter())
            .map(|read| self.read(outer, read, (held, env), [s, x]))
            .collect::<Result<_>>()?;
        let mut cells = Vec::new();
        let mut locals = Vec::new();
        for (name, ty, value) in &stmt.locals {
            let value = self.body(&reads, &locals).expr(value)?;
            let local = self.add(name, Type::Number(*ty));
            cells.push(let_(local, value));
            locals.push(Expr::Var(local));
        }
        let value = self.body(&reads, &locals).expr(&stmt.value)?;
        cells.push(Stmt::Assign {
            target: Expr::element(next, None, var(x)),
            value,
        });
        Ok(cells)
    }

    /// A statement that overwrites some cells of a row that is not full.
    pub(super) fn overwrite(
        &mut self,
        outer: &Outer,
        update: &Piece,
        held: &[VarId],
        [next, s, level, row, column]: [VarId; 5],
    ) -> Result<Vec<Stmt>> {
        let ir = self.ir;
        let stmt = &ir.stencil.stmts[update.stmt];
        let [x, j] = ["x", "j"].map(|name| self.index(name));
        let mut env = Env::new();
        for (p, name) in ir.stencil.params.iter().enumerate() {
            env.insert(name.clone(), outer.value(&Param::Size(p))?);
        }
        let [time, rows, columns] = [0, 1, 2].map(|d| ir.stencil.dims[d].clone());
        env.insert(rows.clone(), var(row));
        env.insert(columns.clone(), var(j));
        if let Ok(first) = outer.value(&Param::Time) {
            env.insert(time, plus(first.plus(var(level)), -1));
        }
        // Nearly all rows have none of these cells, and need no test for each.
        let [mut of_row, mut of_cell] = [Vec::new(), Vec::new()];
        match &update.domain {
            Domain::Any(guard) => {
                for test in tests(guard) {
                    let tests = match test.names().contains(columns.as_str()) {
                        true => &mut of_cell,
                        false => &mut of_row,
                    };
                    tests.push(from_isl(test, &env)?);
                }
            }
            Domain::Box(ranges) => {
                let own = [(row, &mut of_row), (j, &mut of_cell)];
                for (range, (x, tests)) in ranges.iter().zip(own) {
                    let [lo, hi] = [&range.lo, &range.hi].map(|e| from_isl(e, &env));
                    tests.extend([binary(">=", var(x), lo?), binary("<=", var(x), hi?)]);
                }
            }
        }
        let [of_row, of_cell] = [of_row, of_cell].map(|tests| {
            let all = tests.into_iter().reduce(|a, b| binary("&&", a, b));
            all.unwrap_or(int(1))
        });
        let cells = self.cell(outer, update, (held, &env), [next, s, x])?;
        let own = let_(j, var(column).plus(var(x)));
        let body = vec![own, if_(of_cell, cells)];
        let all = loop_of(x, [0, self.warps.tile.columns, 1], body);
        let comment = Stmt::Comment(stmt.comment(&stmt.text));
        Ok(vec![comment, if_(of_row, vec![all])])
    }

    pub(super) fn body<'b>(&'b self, reads: &'b [Expr], locals: &'b [Expr]) -> Body<'b> {
        Body {
            program: &self.program,
            divisions: self.program.divisions,
            reads,
            locals,
            affine: Vec::new().into_iter(),
        }
    }

    pub(super) fn read(
        &self,
        outer: &Outer,
        read: &StreamRead,
        (held, env): (&[VarId], &Env),
        [s, x]: [VarId; 2],
    ) -> Result<Expr> {
        match read {
            StreamRead::Scalar(i) => outer.value(&Param::Scalar(*i)),
            StreamRead::Recorded => Err(Box::new(Diagnostic::bug("a record in such warps"))),
            StreamRead::Field {
                field,
                age,
                back,
                column,
                ..
            } => {
                let row = match self.warps.tile.shared {
                    Shared::Columns => self.row_of(*field, plus(var(s), 1 - age), *back),
                    Shared::Steps => {
                        let read = FieldRead::of(self.ir, self.reader, read);
                        let read = read.ok_or_else(|| Diagnostic::bug("a read of no field"))?;
                        self.held_row(*field, read.plane, plus(var(s), read.row))
                    }
                };
                let at = plus(var(x), self.ir.fields[*field].margin.0 + column);
                Ok(Expr::element(held[*field], Some(row), at))
            }
            StreamRead::Memory(access) => {
                let number = match access.subs.as_slice() {
                    [Sub::Const(number)] => Some(int(*number)),
                    [
                        Sub::Time {
                            modulo: Some(1), ..
                        },
                    ] => Some(int(0)),
                    [Sub::General { expr, .. }] => Some(from_isl(expr, env)?),
                    [
                        Sub::Time {
                            offset,
                            modulo: None,
                        },
                    ] => {
                        let time = env.get(&self.ir.stencil.dims[0]);
                        time.map(|time| plus(time.clone(), *offset))
                    }
                    _ => None,
                };
                let array = outer.get(&Param::Array(access.array))?;
                let number = number.ok_or_else(|| Diagnostic::bug("an array in a ring of rows"))?;
                Ok(Expr::element(array, None, number))
            }
        }
    }

    /// Cells of a row that no statement writes keep what they held a level before; where no level is handed on,
    /// what their plane holds. Of columns only those that [`WarpsIr::tested`] names. With the variables that have the number of the
    /// level and of its row.
    fn keep(
        &mut self,
        outer: &Outer,
        f: usize,
        [next, held, newest, column, warp, s]: [VarId; 6],
    ) -> Result<(Vec<Stmt>, [VarId; 2])> {
        let (lag, step) = (self.ir.pipeline.lag[f], self.ir.pipeline.step_lag);
        let levels = self.warps.tile.levels;
        let [level, row] = ["level", "i"].map(|name| self.index(name));
        let of_level = var(warp).times(int(levels)).plus(var(s)).plus(int(1));
        let row_of_level = binary("-", var(newest), var(level).times(int(step)));
        let vars = [next, held, s, level, row, column];
        let all = self.keep_columns(outer, f, [0, self.warps.tile.columns], None, vars)?;
        let rows = not(self.written(outer, f, 0, var(row))?);
        let mut body = vec![
            let_(level, of_level),
            let_(row, plus(row_of_level, -lag)),
            if_(rows, vec![all]),
        ];
        let written = outer.get(&Param::Domain(f, 1, 1))?;
        for run in self.warps.tested[f].clone() {
            body.push(self.keep_columns(outer, f, run, Some(written), vars)?);
        }
        Ok((body, [level, row]))
    }

    /// So many of a lane's columns; where there is a number of columns that are written, those that are not among them.
    pub(super) fn keep_columns(
        &mut self,
        outer: &Outer,
        f: usize,
        [first, end]: [i64; 2],
        written: Option<VarId>,
        [next, held, s, level, row, column]: [VarId; 6],
    ) -> Result<Stmt> {
        let [x, j] = ["x", "j"].map(|name| self.index(name));
        let mut conds = Vec::new();
        if let Some(written) = written {
            let lo = outer.value(&Param::Domain(f, 1, 0))?;
            conds.push(not(below(binary("-", var(j), lo), var(written))));
        }
        let value = match self.ir.live(f) {
            0 => {
                conds.push(self.exists(outer, f, [var(row), var(j)])?);
                let number = self.number(outer, f, var(row), var(j))?;
                self.kept(outer, f, level, number)?
            }
            _ => {
                let at = plus(var(x), self.ir.fields[f].margin.0);
                let former = match self.warps.tile.shared {
                    Shared::Columns => self.row_of(f, var(s), self.ir.pipeline.step_lag),
                    Shared::Steps => self.held_row(f, 0, var(s)),
                };
                Expr::element(held, Some(former), at)
            }
        };
        let assign = vec![Stmt::Assign {
            target: Expr::element(next, None, var(x)),
            value,
        }];
        let own = let_(j, var(column).plus(var(x)));
        let cond = conds.into_iter().reduce(|a, b| binary("&&", a, b));
        let body = match cond {
            Some(cond) => vec![own, if_(cond, assign)],
            None => assign,
        };
        Ok(loop_of(x, [first, end, 1], body))
    }

    /// What the plane of a level holds.
    pub(super) fn kept(&self, outer: &Outer, f: usize, level: VarId, number: Expr) -> Result<Expr> {
        let buffers = self.ir.pipeline.stages[f].buffers;
        let mut kept = Expr::element(outer.get(&Param::Kept(f, 0))?, None, number.clone());
        for age in 1..buffers {
            // Level q is in the plane of level -age where their difference is a multiple.
            let same = binary("%", plus(var(level), age), int(buffers));
            let of_age = outer.get(&Param::Kept(f, age))?;
            kept = Expr::Select {
                cond: Box::new(binary("==", same, int(0))),
                yes: Box::new(Expr::element(of_age, None, number.clone())),
                no: Box::new(kept),
            };
        }
        Ok(kept)
    }
}

/// The conditions that all have to hold for one to do so.
fn tests(cond: &AstExpr) -> Vec<&AstExpr> {
    match cond {
        AstExpr::Op(AstOp::And | AstOp::AndThen, all) => all.iter().flat_map(tests).collect(),
        one => vec![one],
    }
}
