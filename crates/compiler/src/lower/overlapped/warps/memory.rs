//! Rows between device memory and the ring.

use super::{Lowering, Outer, binary, clipped, if_, int, let_, loop_of, plus, var};
use crate::diag::Result;
use crate::ir::{Expr, FunctionId, Own, Stmt, Type, VarId, Wide};
use crate::kernel::stream::LANES;
use crate::kernel::warps::{Param, WarpsIr};

impl Lowering<'_> {
    /// For each vector of a row that a thread moves, its column in the block.
    pub(super) fn over_vectors(
        &mut self,
        thread: VarId,
        body: impl FnOnce(&mut Self, VarId) -> Result<Vec<Stmt>>,
    ) -> Result<Vec<Stmt>> {
        let lanes = WarpsIr::lanes(self.ir);
        let (width, threads) = (self.warps.tile.width(), LANES * self.warps.tile.warps);
        let at = self.index("at");
        let body = body(self, at)?;
        let own = |first: Expr| var(thread).times(int(lanes)).plus(first);
        let inside = binary("<", var(at), int(width));
        if width == threads * lanes {
            return Ok([vec![let_(at, own(int(0)))], body].concat());
        }
        if width < threads * lanes {
            return Ok(vec![let_(at, own(int(0))), if_(inside, body)]);
        }
        let first = self.index("first");
        let inner = vec![let_(at, own(var(first))), if_(inside, body)];
        Ok(vec![loop_of(first, [0, width, threads * lanes], inner)])
    }

    /// `load_row`: a row of level 0, and of those below it that are handed on, into a slot.
    pub(super) fn load(&mut self) -> Result<FunctionId> {
        let outer =
            self.outer(|_, p| matches!(p, Param::In(..) | Param::Pitch(_) | Param::Extent(..)));
        let ring = self.ring();
        let [slot, newest, first] = ["slot", "newest", "j_first"].map(|name| self.index(name));
        let thread = self.index("thread");
        let mut body = vec![let_(thread, Expr::Own(Own::Thread))];
        for f in 0..self.n_fields() {
            for age in 0..self.ir.live(f) {
                let [row, wanted] = ["i", "wanted"].map(|name| self.index(name));
                let lag = self.ir.pipeline.lag_of(f, -age);
                let height = outer.value(&Param::Extent(f, 0))?;
                body.push(let_(wanted, plus(var(newest), -lag)));
                body.push(let_(row, clipped(wanted, plus(height, -1))));
                body.extend(self.over_vectors(thread, |this, at| {
                    this.load_vector(&outer, (f, age), [ring, slot, first, row, at])
                })?);
            }
        }
        let params = vec![ring, slot, newest, first];
        Ok(self.function("load_row", "Begins to load the row that enters in iteration `newest`. Rows and columns that do not exist are others: no result depends on them.", (params, &outer), Default::default(), body))
    }

    pub(super) fn load_vector(
        &mut self,
        outer: &Outer,
        (f, age): (usize, i64),
        [ring, slot, first, row, at]: [VarId; 5],
    ) -> Result<Vec<Stmt>> {
        let from = outer.get(&Param::In(f, age))?;
        let place = self.place(f, age);
        let lanes = WarpsIr::lanes(self.ir);
        let width = outer.value(&Param::Extent(f, 1))?;
        let last = binary("/", plus(width, -1), int(lanes)).times(int(lanes));
        let [column, wanted] = ["column", "wanted"].map(|name| self.index(name));
        let copy = Stmt::Copy {
            lanes: lanes as u32,
            to: Expr::element(ring, Some(var(slot)), plus(var(at), place)),
            from: Expr::element(from, None, self.number(outer, f, var(row), var(column))?),
        };
        Ok(vec![
            let_(wanted, var(first).plus(var(at))),
            let_(column, clipped(wanted, last)),
            copy,
        ])
    }

    /// `store_row<FULL>`: the results of a slot that all warps have had.
    pub(super) fn store(&mut self) -> Result<FunctionId> {
        let outer =
            self.outer(|_, p| matches!(p, Param::Out(..) | Param::Pitch(_) | Param::Domain(..)));
        let full = self.add("FULL", Type::Flag);
        let ring = self.ring();
        let [slot, newest, first, stored, i_first, i_end] =
            ["slot", "newest", "j_first", "stored", "i_first", "i_end"]
                .map(|name| self.index(name));
        let thread = self.index("thread");
        let steps = self.warps.tile.steps();
        let (left, results) = (self.warps.left(self.ir), self.warps.results(self.ir));
        let mut body = vec![let_(thread, Expr::Own(Own::Thread))];
        for f in 0..self.n_fields() {
            for age in 0..self.ir.live(f) {
                let row = self.index("i");
                let lag = self.ir.pipeline.lag_of(f, steps - age);
                body.push(let_(row, plus(var(newest), -lag)));
                let vectors = self.over_vectors(thread, |this, at| {
                    let inside = binary(
                        "&&",
                        binary(">=", var(at), var(stored)),
                        binary("<", var(at), int(left + results)),
                    );
                    let stores =
                        this.store_vector(&outer, (f, age), full, [ring, slot, first, row, at])?;
                    Ok(vec![if_(inside, stores)])
                })?;
                let rows = binary(
                    "&&",
                    binary(">=", var(row), var(i_first)),
                    binary("<", var(row), var(i_end)),
                );
                body.push(if_(rows, vectors));
            }
        }
        let params = vec![full, ring, slot, newest, first, stored, i_first, i_end];
        Ok(self.function("store_row", "Stores the results of the row that all warps have had, which entered in iteration `newest`, from column `stored` of the tile on.", (params, &outer), Default::default(), body))
    }

    pub(super) fn store_vector(
        &mut self,
        outer: &Outer,
        (f, age): (usize, i64),
        full: VarId,
        [ring, slot, first, row, at]: [VarId; 5],
    ) -> Result<Vec<Stmt>> {
        let lanes = WarpsIr::lanes(self.ir);
        let to = outer.get(&Param::Out(f, age))?;
        let values = self.program.add_var(
            "values",
            Type::Private {
                elem: self.elem,
                rows: 1,
                len: lanes as u32,
            },
            false,
        );
        let load = Wide {
            memory: ring,
            row: Some(var(slot)),
            index: plus(var(at), self.place(f, age)),
            own: values,
            own_row: None,
            at: int(0),
            lanes: lanes as u32,
            constant: false,
        };
        let column = self.index("column");
        let stores = self.store_written(
            outer,
            (f, to),
            full,
            (values, None, int(0), 0),
            [row, column],
        )?;
        Ok(vec![
            let_(column, var(first).plus(var(at))),
            Stmt::Let {
                var: values,
                value: None,
            },
            Stmt::Load(load),
            stores,
        ])
    }

    /// Stores neighbouring elements of a thread, of a row of its array from one behind a margin on, as far as a field's statement
    /// writes them.
    pub(super) fn store_written(
        &mut self,
        outer: &Outer,
        (f, to): (usize, VarId),
        full: VarId,
        (own, own_row, at, margin): (VarId, Option<Expr>, Expr, i64),
        [row, column]: [VarId; 2],
    ) -> Result<Stmt> {
        let lanes = WarpsIr::lanes(self.ir);
        let number = |this: &Self, column: Expr| this.number(outer, f, var(row), column);
        let whole = Wide {
            memory: to,
            row: None,
            index: number(self, var(column))?,
            own,
            own_row: own_row.clone(),
            at: plus(at.clone(), margin),
            lanes: lanes as u32,
            constant: false,
        };
        let lane = self.index("v");
        let of_lane = || var(column).plus(var(lane));
        let single = if_(
            self.written(outer, f, 1, of_lane())?,
            vec![Stmt::Assign {
                target: Expr::element(to, None, number(self, of_lane())?),
                value: Expr::element(own, own_row, plus(at.plus(var(lane)), margin)),
            }],
        );
        let rows = self.written(outer, f, 0, var(row))?;
        let ends = [var(column), plus(var(column), lanes - 1)];
        let [begins, ends] = ends.map(|x| self.written(outer, f, 1, x));
        let all = binary("&&", binary("&&", rows.clone(), begins?), ends?);
        Ok(Stmt::If {
            cond: binary("||", var(full), all),
            yes: vec![Stmt::Store(whole)],
            no: vec![if_(rows, vec![loop_of(lane, [0, lanes, 1], vec![single])])],
        })
    }
}
