//! What a block does: its warps stream the rows of a piece of a tile, and it takes its share of the rows of all
//! tiles.

use super::{Lowering, Outer, binary, if_, int, let_, loop_of, not, plus, var};
use crate::diag::Result;
use crate::ir::{Expr, FunctionId, Helper, Own, Stmt, Type, Unroll, VarId};
use crate::kernel::warps::{COST_OF_ROW, Param};

impl Lowering<'_> {
    /// A call, of arguments that the function has first and the parameters of the kernel it has behind them.
    pub(super) fn call(&self, function: FunctionId, first: &[Expr], outer: &Outer) -> Result<Stmt> {
        let mut args = first.to_vec();
        for param in &self.taken[function.0 as usize] {
            args.push(outer.value(param)?);
        }
        Ok(Stmt::Call { function, args })
    }

    /// `stream_rows`: streams rows through the warps of a block.
    pub(super) fn piece(&mut self, load: FunctionId, rows: FunctionId) -> Result<FunctionId> {
        let outer = self.outer(|this, p| this.of_pieces(p) || matches!(p, Param::Size(_)));
        let ring = self.ring();
        let [i_first, i_end, j_first, stored] =
            ["i_first", "i_end", "j_first", "stored"].map(|name| self.index(name));
        let tile = self.warps.tile;
        let [lane, warp, column, begin, steps] =
            ["lane", "warp", "column", "begin", "steps"].map(|name| self.index(name));
        let held: Vec<VarId> = (0..self.n_fields()).map(|f| self.held(f)).collect();
        let before = self.warps.growths.before.at(tile.steps());
        let mut body = vec![
            let_(lane, Expr::Own(Own::Lane)),
            let_(warp, Expr::Own(Own::Warp)),
            let_(
                column,
                var(j_first).plus(var(lane).times(int(tile.columns))),
            ),
            let_(begin, plus(var(i_first), -before)),
            let_(
                steps,
                plus(binary("-", var(i_end), var(i_first)), self.warps.extra()),
            ),
        ];
        for &rows in &held {
            body.push(Stmt::Let {
                var: rows,
                value: None,
            });
            body.push(self.zeros(rows));
        }
        body.push(Stmt::Comment(
            "What was in the ring has been read.".to_string(),
        ));
        body.push(Stmt::Barrier);
        // Rows before the first iteration.
        let [group, row] = ["group", "row"].map(|name| self.index(name));
        let number = var(group).times(int(tile.rows)).plus(var(row));
        let fetch = self.call(
            load,
            &[
                var(ring),
                number.clone(),
                var(begin).plus(number),
                var(j_first),
            ],
            &outer,
        )?;
        let one = loop_of(row, [0, tile.rows, 1], vec![fetch]);
        let groups = vec![one, Stmt::EndOfGroup];
        body.push(loop_of(group, [0, tile.ahead, 1], groups));
        let [at, done] = ["at", "done"].map(|name| self.program.add_var(name, Type::Index, false));
        body.extend([let_(at, int(0)), let_(done, int(0))]);
        let arrays: Vec<Expr> = [ring].iter().chain(&held).map(|id| var(*id)).collect();
        let same: Vec<Expr> = [begin, i_first, i_end, j_first, stored, column, lane, warp]
            .map(Expr::Var)
            .into();
        let mut loops = Vec::new();
        for full in [false, true] {
            let vars = [at, done, begin, steps, j_first];
            loops.push(self.iterations(rows, full, &outer, [&arrays, &same], vars)?);
        }
        let turn = self.index("turn");
        body.push(Stmt::For {
            var: turn,
            first: int(0),
            cond: binary("<", var(done), var(steps)),
            step: int(1),
            any_order: false,
            unroll: Unroll::Free,
            body: loops,
        });
        body.push(Stmt::Wait(0));
        let params = vec![ring, i_first, i_end, j_first, stored];
        let same = [vec![i_first, i_end, j_first, stored], outer.ids()].concat();
        Ok(self.function("stream_rows", "Streams the rows of results from i_first to i_end - 1 of the tile whose columns start at j_first; it stores those from `stored` on.", (params, &outer), same.into_iter().collect(), body))
    }

    pub(super) fn zeros(&mut self, rows: VarId) -> Stmt {
        let [row, x] = ["row", "x"].map(|name| self.index(name));
        let Type::Private { rows: n, len, .. } = self.program.var(rows).ty else {
            return Stmt::Comment(String::new());
        };
        let target = Expr::element(rows, (n != 1).then(|| var(row)), var(x));
        let value = int(0);
        let inner = loop_of(
            x,
            [0, i64::from(len), 1],
            vec![Stmt::Assign { target, value }],
        );
        loop_of(row, [0, i64::from(n), 1], vec![inner])
    }

    /// Rows that are full, or rows that are not, as far as they go: so many at a time that registers have the same meaning
    /// again.
    pub(super) fn iterations(
        &mut self,
        rows: FunctionId,
        full: bool,
        outer: &Outer,
        [first_args, last_args]: [&[Expr]; 2],
        [at, done, begin, steps, j_first]: [VarId; 5],
    ) -> Result<Stmt> {
        let tile = self.warps.tile;
        let (unroll, slots) = (self.warps.unroll(self.ir), self.slots());
        let p = &self.ir.pipeline;
        let n = self.n_fields();
        let most = (0..n).map(|f| p.lag_of(f, tile.steps())).max().unwrap_or(0);
        let least = (0..n)
            .map(|f| p.lag_of(f, 1 - p.below(f)))
            .min()
            .unwrap_or(0);
        let s = self.index("s");
        let newest = var(begin).plus(var(s));
        let lowest = plus(newest.clone(), -most - tile.warps * tile.rows);
        let highest = plus(newest.clone(), unroll - 1 - least);
        let are_full = self.is_full(outer, [lowest, highest, var(j_first)])?;
        let wanted = match full {
            true => are_full,
            false => not(are_full),
        };
        let given = [var(at), newest];
        let args = [&[int(full.into())], first_args, &given, last_args].concat();
        let next = plus(var(at), unroll);
        let wrapped = Expr::Select {
            cond: Box::new(binary("==", next.clone(), int(slots))),
            yes: Box::new(int(0)),
            no: Box::new(next),
        };
        let assign = |id: VarId, value: Expr| Stmt::Assign {
            target: var(id),
            value,
        };
        Ok(Stmt::For {
            var: s,
            first: var(done),
            cond: binary("&&", binary("<", var(s), var(steps)), wanted),
            step: int(unroll),
            any_order: false,
            unroll: Unroll::Free,
            body: vec![
                self.call(rows, &args, outer)?,
                assign(at, wrapped),
                assign(done, plus(var(s), unroll)),
            ],
        })
    }

    /// `advance_block<FULL>`: all warps advance by so many rows that registers have the same meaning again.
    pub(super) fn rows(&mut self, [load, store, advance]: [FunctionId; 3]) -> Result<FunctionId> {
        let outer = self.outer(Self::of_pieces);
        let full = self.add("FULL", Type::Flag);
        let ring = self.ring();
        let held: Vec<VarId> = (0..self.n_fields()).map(|f| self.held(f)).collect();
        let [
            at,
            newest,
            begin,
            i_first,
            i_end,
            j_first,
            stored,
            column,
            lane,
            warp,
        ] = [
            "at", "newest", "begin", "i_first", "i_end", "j_first", "stored", "column", "lane",
            "warp",
        ]
        .map(|name| self.index(name));
        let tile = self.warps.tile;
        let behind = || var(warp).times(int(tile.rows));
        let results = [j_first, stored, i_first, i_end].map(Expr::Var);
        let mut body = Vec::new();
        for group in (0..self.warps.unroll(self.ir)).step_by(tile.rows as usize) {
            // Slots of a group lie one behind the other.
            let [into, from, own] = ["into", "from", "own"].map(|name| self.index(name));
            let (ahead, done) = (
                group + tile.ahead * tile.rows,
                group - tile.warps * tile.rows,
            );
            let at_slot =
                |this: &Self, by: i64| this.slot(plus(var(at), by.rem_euclid(this.slots())));
            let of_warp = binary("-", plus(var(at), group + self.slots()), behind());
            body.extend([
                Stmt::Wait(tile.ahead as u32 - 1),
                Stmt::Barrier,
                let_(into, at_slot(self, ahead)),
                let_(from, at_slot(self, done)),
                let_(own, self.slot(of_warp)),
            ]);
            for row in 0..tile.rows {
                let slot = |first: VarId| plus(var(first), row);
                let of_row = |by: i64| plus(var(newest), by + row);
                let loads = [var(ring), slot(into), of_row(ahead), var(j_first)];
                body.push(self.call(load, &loads, &outer)?);
                if row + 1 == tile.rows {
                    body.push(Stmt::EndOfGroup);
                }
                let stores = [var(full), var(ring), slot(from), of_row(done)];
                body.push(self.call(store, &[&stores, &results[..]].concat(), &outer)?);
                let mut args = vec![var(full), var(ring)];
                args.extend(held.iter().map(|id| var(*id)));
                args.extend([slot(own), binary("-", of_row(group), behind())]);
                args.extend([begin, column, lane, warp].map(Expr::Var));
                body.push(self.call(advance, &args, &outer)?);
            }
        }
        let mut params = vec![full, ring];
        params.extend(&held);
        params.extend([
            at, newest, begin, i_first, i_end, j_first, stored, column, lane, warp,
        ]);
        Ok(self.function("advance_block", "All warps advance by so many rows that registers have the same meaning again; the first of them takes row `newest` first.", (params, &outer), Default::default(), body))
    }

    /// The kernel: a block takes its share of the rows of all tiles, one tile after the other.
    pub(super) fn kernel(&mut self, piece: FunctionId) -> Result<Vec<(VarId, Param)>> {
        let outer = self.outer(|_, _| true);
        let ring = self.ring();
        let share = outer.value(&Param::Share)?;
        let [end_cost, inner_cost] = COST_OF_ROW;
        let [height, inner, end, from, until, first, last] =
            ["height", "inner", "end", "from", "until", "first", "last"]
                .map(|name| self.index(name));
        let [lo, hi] = [outer.value(&Param::Rows(0))?, outer.value(&Param::Rows(1))?];
        let work = plus(var(height), self.warps.extra());
        let of_ends = || var(end).times(int(2));
        // The tile of the list that a place lies in.
        let place = |at: Expr| {
            let rest = binary("-", at.clone(), of_ends());
            Expr::Select {
                cond: Box::new(binary("<", at.clone(), of_ends())),
                yes: Box::new(binary("/", at, var(end))),
                no: Box::new(plus(binary("/", rest, var(inner)), 2)),
            }
        };
        let number = self.index("number");
        let remark = "All rows of all tiles are one list, of which each block has an equal share. The tiles at both ends \
             come first and take longer for a row; a tile begins with rows that are no results.";
        let mut body = vec![
            Stmt::Let {
                var: ring,
                value: None,
            },
            Stmt::Comment(remark.to_string()),
            let_(height, plus(binary("-", hi, lo), 1)),
            let_(end, work.clone().times(int(end_cost))),
            let_(inner, work.times(int(inner_cost))),
            let_(from, Expr::Own(Own::Block).times(share.clone())),
            let_(until, var(from).plus(share)),
            let_(first, place(var(from))),
            let_(
                last,
                Expr::helper(
                    Helper::Lowest,
                    place(plus(var(until), -1)),
                    plus(outer.value(&Param::Tiles)?, -1),
                ),
            ),
        ];
        body.push(Stmt::For {
            var: number,
            first: var(first),
            cond: binary("<=", var(number), var(last)),
            step: int(1),
            any_order: false,
            unroll: Unroll::Free,
            body: self.of_tile(
                piece,
                &outer,
                [ring, number, height, inner, end, from, until],
            )?,
        });
        Ok(self.add_kernel("A block for each share of the rows.", outer, body))
    }

    /// What a block has of a tile.
    pub(super) fn of_tile(
        &mut self,
        piece: FunctionId,
        outer: &Outer,
        [ring, number, height, inner, end, from, until]: [VarId; 7],
    ) -> Result<Vec<Stmt>> {
        let [end_cost, inner_cost] = COST_OF_ROW;
        let [cost, start, tile, i_first, i_end] =
            ["cost", "start", "tile", "i_first", "i_end"].map(|name| self.index(name));
        let [j_stored, j_first] = ["j_stored", "j_first"].map(|name| self.index(name));
        let tiles = outer.value(&Param::Tiles)?;
        let select = |cond: Expr, yes: Expr, no: Expr| Expr::Select {
            cond: Box::new(cond),
            yes: Box::new(yes),
            no: Box::new(no),
        };
        let at_end = || binary("<", var(number), int(2));
        let is_last = || binary("==", var(number), int(1));
        let after = || plus(var(number), -2).times(var(inner));
        let lo = outer.value(&Param::Rows(0))?;
        let extra = self.warps.extra();
        let row_at = |place: Expr| {
            let before = plus(
                binary("/", binary("-", place, var(start)), var(cost)),
                -extra,
            );
            let clipped = Expr::helper(
                Helper::Lowest,
                Expr::helper(Helper::Highest, before, int(0)),
                var(height),
            );
            lo.clone().plus(clipped)
        };
        let (left, results) = (self.warps.left(self.ir), self.warps.results(self.ir));
        let [lowest, most, last] = [0, 1, 2].map(|n| outer.value(&Param::Column(n)));
        let [lowest, most, last] = [lowest?, most?, last?];
        let column = |tile: Expr| lowest.clone().plus(tile.times(int(results)));
        let inner_at = |x: Expr| Expr::helper(Helper::Lowest, x, most.clone());
        // Columns before are those of the tile before.
        let before_last = plus(inner_at(column(plus(tiles.clone(), -2))), results);
        let stored = Expr::helper(
            Helper::Highest,
            binary("-", var(j_stored), var(j_first)),
            int(left),
        );
        let args = [var(ring), var(i_first), var(i_end), var(j_first), stored];
        let number_of_tile = select(
            is_last(),
            plus(tiles, -1),
            Expr::helper(Helper::Highest, plus(var(number), -1), int(0)),
        );
        Ok(vec![
            let_(cost, select(at_end(), int(end_cost), int(inner_cost))),
            let_(
                start,
                select(
                    at_end(),
                    var(number).times(var(end)),
                    var(end).times(int(2)).plus(after()),
                ),
            ),
            let_(tile, number_of_tile),
            let_(
                i_first,
                row_at(Expr::helper(Helper::Highest, var(from), var(start))),
            ),
            let_(i_end, row_at(var(until))),
            let_(j_stored, select(is_last(), before_last, column(var(tile)))),
            let_(
                j_first,
                plus(select(is_last(), last, inner_at(var(j_stored))), -left),
            ),
            if_(
                binary("<", var(i_first), var(i_end)),
                vec![self.call(piece, &args, outer)?],
            ),
        ])
    }
}
