//! What a block does: its warps stream the rows of a piece of a tile, and it takes its share of the rows of all
//! tiles.

use super::{Lowering, Outer, binary, if_, int, let_, loop_of, plus, var};
use crate::diag::{Diagnostic, Result};
use crate::ir::{Block, Expr, FunctionId, Helper, Kernel, Own, Stmt, Type, VarId};
use crate::kernel::stream::{FIRST_COLUMN, HIGHEST_ROW, LANES, LOWEST_ROW};
use crate::kernel::warps::{COST_OF_ROW, Param};
use crate::lower::affine::{Env, from_isl};

impl Lowering<'_> {
    /// A call, of arguments that the function has first and the parameters of the kernel it has behind them.
    pub(super) fn call(&self, function: FunctionId, first: &[Expr], outer: &Outer) -> Result<Stmt> {
        let called = &self.program.functions[function.0 as usize];
        let mut args = first.to_vec();
        for param in &called.params[first.len()..] {
            let name = &self.program.var(*param).name;
            let mut known = outer.params.iter();
            let same = known.find(|(_, id)| &self.program.var(*id).name == name);
            let (_, id) =
                same.ok_or_else(|| Box::new(Diagnostic::bug(format!("no argument for `{name}`"))))?;
            args.push(Expr::Var(*id));
        }
        Ok(Stmt::Call { function, args })
    }

    /// `stream_rows`: streams rows through the warps of a block.
    pub(super) fn piece(&mut self, load: FunctionId, rows: FunctionId) -> Result<FunctionId> {
        let outer = self.outer(|p| Self::of_pieces(p) || matches!(p, Param::Size(_)));
        let ring = self.ring();
        let [i_first, i_end, j_first] =
            ["i_first", "i_end", "j_first"].map(|name| self.index(name));
        let tile = self.warps.tile;
        let unroll = self.warps.unroll(self.ir);
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
                int(0),
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
        let s = self.index("s");
        let at = self.program.add_var("at", Type::Index, false);
        body.push(let_(at, int(0)));
        let arrays: Vec<Expr> = [ring].iter().chain(&held).map(|id| var(*id)).collect();
        let same: Vec<Expr> = [begin, i_first, i_end, j_first, column, lane, warp]
            .map(Expr::Var)
            .into();
        let iterations =
            self.iterations(rows, &outer, [&arrays, &same], [s, at, begin, j_first])?;
        body.push(Stmt::For {
            var: s,
            first: int(0),
            cond: binary("<", var(s), var(steps)),
            step: int(unroll),
            any_order: false,
            unrolled: false,
            body: iterations,
        });
        body.push(Stmt::Wait(0));
        let params = vec![ring, i_first, i_end, j_first];
        let same = [vec![i_first, i_end, j_first], outer.ids()].concat();
        Ok(self.function("stream_rows", "Streams the rows of results from i_first to i_end - 1 of the tile whose columns start at j_first.", (params, &outer), same.into_iter().collect(), body))
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

    /// So many rows that registers have the same meaning again, without tests or with them.
    pub(super) fn iterations(
        &mut self,
        rows: FunctionId,
        outer: &Outer,
        [first_args, last_args]: [&[Expr]; 2],
        [s, at, begin, j_first]: [VarId; 4],
    ) -> Result<Vec<Stmt>> {
        let tile = self.warps.tile;
        let (unroll, slots) = (self.warps.unroll(self.ir), self.slots());
        let p = &self.ir.pipeline;
        let n = self.n_fields();
        let most = (0..n).map(|f| p.lag_of(f, tile.steps())).max().unwrap_or(0);
        let least = (0..n)
            .map(|f| p.lag_of(f, 1 - p.below(f)))
            .min()
            .unwrap_or(0);
        let [low, high] = ["i_low", "i_high"].map(|name| self.index(name));
        let newest = var(begin).plus(var(s));
        let ahead = (tile.ahead + 1) * tile.rows + unroll;
        let env = [
            (LOWEST_ROW, var(low)),
            (HIGHEST_ROW, var(high)),
            (FIRST_COLUMN, var(j_first)),
        ];
        let mut env: Env = env.map(|(name, value)| (name.to_string(), value)).into();
        for (p, name) in self.ir.stencil.params.iter().enumerate() {
            env.insert(name.clone(), outer.value(&Param::Size(p))?);
        }
        let full = from_isl(&self.warps.full, &env)?;
        let call = |flag: i64| {
            let given = [var(at), newest.clone()];
            let args = [&[int(flag)], first_args, &given, last_args].concat();
            self.call(rows, &args, outer)
        };
        let (yes, no) = (vec![call(1)?], vec![call(0)?]);
        let next = plus(var(at), unroll);
        let wrapped = Expr::Select {
            cond: Box::new(binary("==", next.clone(), int(slots))),
            yes: Box::new(int(0)),
            no: Box::new(next),
        };
        Ok(vec![
            let_(low, plus(newest.clone(), -most - tile.warps * tile.rows)),
            let_(high, plus(newest.clone(), ahead - least)),
            Stmt::If {
                cond: full,
                yes,
                no,
            },
            Stmt::Assign {
                target: var(at),
                value: wrapped,
            },
        ])
    }

    /// A function for each row between two barriers: the one that enters the ring `by` rows behind `newest`.
    pub(super) fn over_rows(
        &mut self,
        function: FunctionId,
        by: i64,
        [first_args, last_args]: [&[Expr]; 2],
        [at, newest]: [VarId; 2],
        outer: &Outer,
    ) -> Result<Stmt> {
        let n = self.warps.tile.rows;
        let b = self.index("b");
        let of = |first: Expr, by: i64| match n {
            1 => plus(first, by),
            _ => plus(first.plus(var(b)), by),
        };
        let slot = self.slot(of(var(at), by.rem_euclid(self.slots())));
        let given = [slot, of(var(newest), by)];
        let args = [first_args, &given, last_args].concat();
        let call = self.call(function, &args, outer)?;
        Ok(match n {
            1 => call,
            n => loop_of(b, [0, n, 1], vec![call]),
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
            column,
            lane,
            warp,
        ] = [
            "at", "newest", "begin", "i_first", "i_end", "j_first", "column", "lane", "warp",
        ]
        .map(|name| self.index(name));
        let tile = self.warps.tile;
        let behind = || var(warp).times(int(tile.rows));
        let mut body = Vec::new();
        for u in 0..self.warps.unroll(self.ir) {
            let first_args = [var(full), var(ring)];
            if u % tile.rows == 0 {
                body.extend([Stmt::Wait(tile.ahead as u32 - 1), Stmt::Barrier]);
                let by = [u + tile.ahead * tile.rows, u - tile.warps * tile.rows];
                let results = [j_first, i_first, i_end].map(Expr::Var);
                let place = [at, newest];
                body.push(self.over_rows(
                    load,
                    by[0],
                    [&first_args, &results[..1]],
                    place,
                    &outer,
                )?);
                body.push(Stmt::EndOfGroup);
                body.push(self.over_rows(store, by[1], [&first_args, &results], place, &outer)?);
            }
            let slot = self.slot(binary("-", plus(var(at), u + self.slots()), behind()));
            let row = binary("-", plus(var(newest), u), behind());
            let mut args = first_args.to_vec();
            args.extend(held.iter().map(|id| var(*id)));
            args.extend([slot, row]);
            args.extend([begin, column, lane, warp].map(Expr::Var));
            body.push(self.call(advance, &args, &outer)?);
        }
        let mut params = vec![full, ring];
        params.extend(&held);
        params.extend([
            at, newest, begin, i_first, i_end, j_first, column, lane, warp,
        ]);
        Ok(self.function("advance_block", "All warps advance by so many rows that registers have the same meaning again; the first of them takes row `newest` first.", (params, &outer), Default::default(), body))
    }

    /// The kernel: a block takes its share of the rows of all tiles, one tile after the other.
    pub(super) fn kernel(&mut self, piece: FunctionId) -> Result<Vec<(VarId, Param)>> {
        let outer = self.outer(|_| true);
        let ring = self.ring();
        let share = outer.value(&Param::Share)?;
        let [end_cost, inner_cost] = COST_OF_ROW;
        let [height, inner, end, from, until, first, last] =
            ["height", "inner", "end", "from", "until", "first", "last"]
                .map(|name| self.index(name));
        let [lo, hi] = [outer.value(&Param::Rows(0))?, outer.value(&Param::Rows(1))?];
        let work = plus(var(height), self.warps.extra());
        let of_ends = outer.value(&Param::Tiles(1))?.times(var(end));
        // The tile of the list that a place lies in.
        let place = |at: Expr| -> Result<Expr> {
            let rest = binary("-", at.clone(), of_ends.clone());
            Ok(Expr::Select {
                cond: Box::new(binary("<", at.clone(), of_ends.clone())),
                yes: Box::new(binary("/", at, var(end))),
                no: Box::new(
                    outer
                        .value(&Param::Tiles(1))?
                        .plus(binary("/", rest, var(inner))),
                ),
            })
        };
        let number = self.index("number");
        let remark = "All rows of all tiles are one list, of which each block has an equal share. The tiles at both ends, \
             whose cells are tested, come first and take longer for a row; a tile begins with rows that are no results.";
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
            let_(first, place(var(from))?),
            let_(
                last,
                Expr::helper(
                    Helper::Lowest,
                    place(plus(var(until), -1))?,
                    plus(outer.value(&Param::Tiles(0))?, -1),
                ),
            ),
        ];
        body.push(Stmt::For {
            var: number,
            first: var(first),
            cond: binary("<=", var(number), var(last)),
            step: int(1),
            any_order: false,
            unrolled: false,
            body: self.of_tile(
                piece,
                &outer,
                of_ends,
                [ring, number, height, inner, end, from, until],
            )?,
        });
        self.program.kernels.push(Kernel {
            name: "pipelined".to_string(),
            lines: "A block for each share of the rows.".to_string(),
            params: outer.ids(),
            axes: Vec::new(),
            block: Some(Block {
                threads: (LANES * self.warps.tile.warps) as u32,
                resident: 1,
            }),
            body,
            reductions: Vec::new(),
        });
        Ok(outer
            .params
            .into_iter()
            .map(|(param, id)| (id, param))
            .collect())
    }

    /// What a block has of a tile.
    pub(super) fn of_tile(
        &mut self,
        piece: FunctionId,
        outer: &Outer,
        of_ends: Expr,
        [ring, number, height, inner, end, from, until]: [VarId; 7],
    ) -> Result<Vec<Stmt>> {
        let [end_cost, inner_cost] = COST_OF_ROW;
        let [cost, start, tile, i_first, i_end, j_first] =
            ["cost", "start", "tile", "i_first", "i_end", "j_first"].map(|name| self.index(name));
        let [tiles, ends] = [
            outer.value(&Param::Tiles(0))?,
            outer.value(&Param::Tiles(1))?,
        ];
        let at_end = || binary("<", var(number), ends.clone());
        let by_end = |yes: Expr, no: Expr| Expr::Select {
            cond: Box::new(at_end()),
            yes: Box::new(yes),
            no: Box::new(no),
        };
        let after = || binary("-", var(number), ends.clone());
        let last_ones = Expr::Select {
            cond: Box::new(binary("==", var(number), int(0))),
            yes: Box::new(int(0)),
            no: Box::new(tiles.plus(after())),
        };
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
        let results = self.warps.results(self.ir);
        let column = outer
            .value(&Param::Column)?
            .plus(var(tile).times(int(results)));
        let args = [var(ring), var(i_first), var(i_end), var(j_first)];
        Ok(vec![
            let_(cost, by_end(int(end_cost), int(inner_cost))),
            let_(
                start,
                by_end(
                    var(number).times(var(end)),
                    of_ends.plus(after().times(var(inner))),
                ),
            ),
            let_(tile, by_end(last_ones, plus(after(), 1))),
            let_(
                i_first,
                row_at(Expr::helper(Helper::Highest, var(from), var(start))),
            ),
            let_(i_end, row_at(var(until))),
            let_(j_first, plus(column, -self.warps.left(self.ir))),
            if_(
                binary("<", var(i_first), var(i_end)),
                vec![self.call(piece, &args, outer)?],
            ),
        ])
    }
}
