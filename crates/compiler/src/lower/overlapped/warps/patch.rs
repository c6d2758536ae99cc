//! A block whose warps hold a patch of cells in registers for all time steps of a launch: it loads the patch, advances it step by
//! step, and stores what are results.
//!
//! A thread holds rows of several planes of a field: first the one that a step makes, then the newest one and those before.
//! Of each plane it has its own rows, and those of the warps above and below that statements read.

use super::{Lowering, Outer, below, binary, clipped, if_, int, let_, loop_of, not, plus, var};
use crate::diag::Result;
use crate::ir::build::select;
use crate::ir::{Expr, FunctionId, Helper, Own, Stmt, Type, Unroll, VarId, Wide};
use crate::kernel::stream::StreamIr;
use crate::kernel::warps::{
    FieldRead, Param, WarpsIr, at_once, field_reads, handed_on, planes, rows_beside,
};
use crate::lower::affine::Env;

/// What a thread of a patch knows.
#[derive(Clone, Copy)]
struct Thread {
    /// The rows of the block's edges.
    edges: VarId,
    /// Its first column.
    column: VarId,
    /// Its first row.
    row: VarId,
    lane: VarId,
    warp: VarId,
}

/// Rows of planes whose columns beside a lane's own are there: the field, the plane, and from which row to which, before and behind a
/// warp's own.
type Exchanged = Vec<(usize, i64, [i64; 2])>;

impl Lowering<'_> {
    /// Rows that a thread holds of a plane.
    pub(super) fn rows_held(&self, f: usize) -> i64 {
        let (above, below) = rows_beside(self.ir, f);
        above + self.warps.tile.rows + below
    }

    /// A row of a plane, by its number among the warp's own; plane -1 is the one that a step makes.
    pub(super) fn held_row(&self, f: usize, plane: i64, row: Expr) -> Expr {
        let (above, _) = rows_beside(self.ir, f);
        plus(row, (plane + 1) * self.rows_held(f) + above)
    }

    /// Rows of the array in which warps hand on rows: two for each, for steps of even and of odd number.
    pub(super) fn edges(&self) -> i64 {
        2 * self.warps.tile.warps * handed_on(self.ir)
    }

    fn own(&mut self) -> Thread {
        let edges = self.ring();
        let [column, row, lane, warp] =
            ["column", "row", "lane", "warp"].map(|name| self.index(name));
        Thread {
            edges,
            column,
            row,
            lane,
            warp,
        }
    }

    /// The functions and the kernel.
    pub(super) fn patch(&mut self) -> Result<Vec<(VarId, Param)>> {
        let load = self.load_patch()?;
        let advance = self.advance_patch()?;
        let store = self.store_patch()?;
        self.kernel_of_patches([load, advance, store])
    }

    fn all_held(&mut self) -> Vec<VarId> {
        (0..self.n_fields()).map(|f| self.held(f)).collect()
    }

    /// `load_patch`: the newest planes with the rows beside a warp's own.
    fn load_patch(&mut self) -> Result<FunctionId> {
        let outer =
            self.outer(|_, p| matches!(p, Param::In(..) | Param::Pitch(_) | Param::Extent(..)));
        let held = self.all_held();
        let [column, row] = ["column", "row"].map(|name| self.index(name));
        let (lanes, columns) = (WarpsIr::lanes(self.ir), self.warps.tile.columns);
        let mut body = Vec::new();
        for (f, &rows) in held.iter().enumerate() {
            body.push(self.zeros(rows));
            let (above, below) = rows_beside(self.ir, f);
            for age in 0..self.ir.live(f) {
                let [r, x, i, wanted, j, wanted_j] =
                    ["r", "x", "i", "wanted", "j", "wanted_j"].map(|name| self.index(name));
                let [height, width] = [0, 1].map(|d| outer.value(&Param::Extent(f, d)));
                let last = binary("/", plus(width?, -1), int(lanes)).times(int(lanes));
                let load = Wide {
                    memory: outer.get(&Param::In(f, age))?,
                    row: None,
                    index: self.number(&outer, f, var(i), var(j))?,
                    own: rows,
                    own_row: Some(self.held_row(f, age, var(r))),
                    at: plus(var(x), self.ir.fields[f].margin.0),
                    lanes: lanes as u32,
                    constant: false,
                };
                let vectors = vec![
                    let_(wanted_j, var(column).plus(var(x))),
                    let_(j, clipped(wanted_j, last)),
                    Stmt::Load(load),
                ];
                let of_row = vec![
                    let_(wanted, var(row).plus(var(r))),
                    let_(i, clipped(wanted, plus(height?, -1))),
                    loop_of(x, [0, columns, lanes], vectors),
                ];
                let ends = [-above, self.warps.tile.rows + below, 1];
                body.push(loop_of(r, ends, of_row));
            }
        }
        let params = [held, vec![column, row]].concat();
        Ok(self.function("load_patch", "Loads the rows of a warp and those beside them. Rows and columns that do not exist are others: no result depends on them.", (params, &outer), Default::default(), body))
    }

    /// `advance_patch<FULL>`: all time steps.
    fn advance_patch(&mut self) -> Result<FunctionId> {
        let fresh: Vec<usize> = (0..self.n_fields())
            .filter(|f| self.ir.live(*f) == 0)
            .collect();
        let outer = self.outer(|this, p| match p {
            _ if this.of_updates(p) => true,
            Param::Scalar(_) | Param::Domain(..) | Param::Steps => true,
            // Of fields of which no level is handed on, cells that nobody writes are in memory.
            Param::Kept(f, _) | Param::Pitch(f) | Param::Extent(f, _) => fresh.contains(f),
            _ => false,
        });
        let full = self.add("FULL", Type::Flag);
        let own = self.own();
        let held = self.all_held();
        let [before, behind] = ["before", "behind"].map(|name| self.index(name));
        let last = self.warps.tile.warps - 1;
        let is_first = binary("==", var(own.warp), int(0));
        let is_last = binary("==", var(own.warp), int(last));
        let mut body = vec![
            let_(before, select(is_first, int(0), plus(var(own.warp), -1))),
            let_(behind, select(is_last, int(last), plus(var(own.warp), 1))),
        ];
        // So many steps at a time that registers have the same meaning again.
        let at_once = at_once(self.ir);
        let steps = outer.get(&Param::Steps)?;
        let [first, next] = ["first", "next"].map(|name| self.index(name));
        let step = self.index("step");
        let mut one = vec![let_(step, var(first).plus(var(next)))];
        one.extend(self.step(&outer, &held, own, [full, step, before, behind])?);
        body.push(Stmt::For {
            var: first,
            first: int(0),
            cond: binary("<", var(first), var(steps)),
            step: int(at_once),
            any_order: false,
            unroll: Unroll::Never,
            body: vec![loop_of(next, [0, at_once, 1], one)],
        });
        let mut params = vec![full, own.edges];
        params.extend(&held);
        params.extend([own.column, own.row, own.lane, own.warp]);
        Ok(self.function("advance_patch", "Advances a patch by all time steps of a launch. Rows that neighbours need come through shared memory.", (params, &outer), [steps].into(), body))
    }

    /// One time step: all fields in their order. Rows of other warps are there behind a barrier, at most one for all fields that
    /// wait for it.
    fn step(
        &mut self,
        outer: &Outer,
        held: &[VarId],
        own: Thread,
        [full, step, before, behind]: [VarId; 4],
    ) -> Result<Vec<Stmt>> {
        let mut body = Vec::new();
        let mut waiting: Vec<usize> = Vec::new();
        let mut exchanged = Exchanged::new();
        for f in 0..self.n_fields() {
            let needs = |read: &FieldRead| read.reader == f && read.field < f && read.row != 0;
            let mut needed = field_reads(self.ir).filter(needs);
            if needed.any(|read| waiting.contains(&read.field)) {
                body.extend(self.fetch(&waiting, held, own, [step, before, behind]));
                waiting.clear();
            }
            body.extend(self.stage_of_patch(outer, f, held, own, [full, step], &mut exchanged)?);
            body.push(self.shift(f, held[f]));
            for (_, plane, _) in exchanged.iter_mut().filter(|(g, ..)| *g == f) {
                *plane += 1;
            }
            if rows_beside(self.ir, f) != (0, 0) {
                waiting.push(f);
            }
        }
        if !waiting.is_empty() {
            body.extend(self.fetch(&waiting, held, own, [step, before, behind]));
        }
        Ok(body)
    }

    /// The rows of a warp of the next plane of a field. Those that other warps wait for come first.
    fn stage_of_patch(
        &mut self,
        outer: &Outer,
        f: usize,
        held: &[VarId],
        own: Thread,
        [full, step]: [VarId; 2],
        exchanged: &mut Exchanged,
    ) -> Result<Vec<Stmt>> {
        self.reader = f;
        let rows = self.warps.tile.rows;
        let piece = &self.ir.fields[f].pieces[0];
        let stmt = &self.ir.stencil.stmts[piece.stmt];
        let mut body = vec![Stmt::Comment(stmt.comment(&stmt.text))];
        let mut needed = beside(self.ir, f);
        needed.retain(|(g, plane, [first, last])| {
            !exchanged
                .iter()
                .any(|(h, at, [from, to])| (h, at) == (g, plane) && from <= first && last <= to)
        });
        exchanged.extend(needed.iter().copied());
        let (above, below) = rows_beside(self.ir, f);
        let parts = match above + below {
            0 => vec![[0, rows]],
            edges if edges < rows => vec![[rows - above, rows], [0, below], [below, rows - above]],
            _ => vec![[0, rows]],
        };
        for (n, [begin, end]) in parts.iter().copied().enumerate() {
            // The parts before an inner one have the columns beside its first rows and its last ones.
            let is_inner = n == 2;
            if !is_inner {
                body.extend(self.columns_beside(held, &needed, begin));
            }
            let r = self.index("r");
            let mut of_row = self.next_columns(held, &needed, r, is_inner.then_some(end));
            of_row.extend(self.row_of_patch(outer, f, held, own, [full, step, r])?);
            body.push(loop_of(r, [begin, end, 1], of_row));
            if above + below > 0 && (n == 1 || parts.len() == 1) {
                body.extend(self.hand_on(f, held[f], own, step));
            }
        }
        Ok(body)
    }

    /// Columns beside a lane's own of the rows that row `begin` reads, but for the last of them.
    fn columns_beside(&mut self, held: &[VarId], needed: &Exchanged, begin: i64) -> Vec<Stmt> {
        let mut all = Vec::new();
        for &(g, plane, [first, last]) in needed {
            if first < last {
                let d = self.index("d");
                let row = self.held_row(g, plane, plus(var(d), begin));
                let ahead = self.exchange_row(g, held[g], row);
                all.push(loop_of(d, [first, last, 1], ahead));
            }
        }
        all
    }

    /// The same of the last row that row `r` reads; of an inner part, which ends before `end`, where that is not there yet.
    fn next_columns(
        &mut self,
        held: &[VarId],
        needed: &Exchanged,
        r: VarId,
        end: Option<i64>,
    ) -> Vec<Stmt> {
        let mut all = Vec::new();
        for &(g, plane, [first, last]) in needed {
            let row = self.held_row(g, plane, plus(var(r), last));
            let ahead = self.exchange_row(g, held[g], row);
            match end {
                Some(end) if first < last => {
                    all.push(if_(binary("<", var(r), int(end + first - last)), ahead));
                }
                _ => all.extend(ahead),
            }
        }
        all
    }

    /// A row of the next plane of a field.
    fn row_of_patch(
        &mut self,
        outer: &Outer,
        f: usize,
        held: &[VarId],
        own: Thread,
        [full, step, r]: [VarId; 3],
    ) -> Result<Vec<Stmt>> {
        let ir = self.ir;
        let columns = self.warps.tile.columns;
        let (piece, updates) = ir.fields[f].pieces.split_at(1);
        let x = self.index("x");
        let private = Type::Private {
            elem: self.elem,
            rows: 1,
            len: columns as u32,
        };
        let next = self.program.add_var("next", private, false);
        let mut of_row = vec![Stmt::Let {
            var: next,
            value: None,
        }];
        let cells = self.cell(outer, &piece[0], (held, &Env::new()), [next, r, x])?;
        of_row.push(loop_of(x, [0, columns, 1], cells));
        let [level, i] = ["level", "i"].map(|name| self.index(name));
        let vars = [next, held[f], r, level, i, own.column];
        let mut others = Vec::new();
        let of_planes = ir.live(f) == 0 && ir.pipeline.stages[f].buffers > 1;
        if of_planes || !updates.is_empty() && outer.get(&Param::Time).is_ok() {
            others.push(let_(level, plus(var(step), 1)));
        }
        others.push(let_(i, var(own.row).plus(var(r))));
        let written = self.index("written");
        let in_row = outer.value(&Param::Domain(f, 1, 1))?;
        let in_row = select(self.written(outer, f, 0, var(i))?, in_row, int(0));
        others.push(let_(written, in_row));
        others.push(self.keep_columns(outer, f, [0, columns], Some(written), vars)?);
        for update in updates {
            others.extend(self.overwrite(outer, update, held, [next, r, level, i, own.column])?);
        }
        of_row.push(if_(not(var(full)), others));
        let x = self.index("x");
        let at = plus(var(x), ir.fields[f].margin.0);
        let assign = Stmt::Assign {
            target: Expr::element(held[f], Some(self.held_row(f, -1, var(r))), at),
            value: Expr::element(next, None, var(x)),
        };
        of_row.push(loop_of(x, [0, columns, 1], vec![assign]));
        Ok(of_row)
    }

    /// Planes become those of a step before.
    fn shift(&mut self, f: usize, held: VarId) -> Stmt {
        let (left, right) = self.ir.fields[f].margin;
        let [k, x] = ["k", "x"].map(|name| self.index(name));
        let (planes, rows) = (planes(self.ir, f), self.rows_held(f));
        // From the last row of the oldest plane on.
        let row = |by: i64| binary("-", int((planes + 1) * rows - 1 - by), var(k));
        let assign = Stmt::Assign {
            target: Expr::element(held, Some(row(0)), var(x)),
            value: Expr::element(held, Some(row(rows)), var(x)),
        };
        let columns = left + self.warps.tile.columns + right;
        let inner = loop_of(x, [0, columns, 1], vec![assign]);
        loop_of(k, [0, planes * rows, 1], vec![inner])
    }

    /// The row of the edges that a warp hands on: those that others need above their own come first.
    fn edge(&self, f: usize, warp: Expr, step: VarId, k: Expr) -> Expr {
        let (n, warps) = (handed_on(self.ir), self.warps.tile.warps);
        let first: i64 = (0..f)
            .map(|g| rows_beside(self.ir, g))
            .map(|(above, below)| above + below)
            .sum();
        let of_step = binary("%", var(step), int(2)).times(int(warps));
        plus(of_step.plus(warp).times(int(n)).plus(k), first)
    }

    /// A row of the edges to a row of the newest plane, or back.
    fn move_edge(
        &mut self,
        (f, held): (usize, VarId),
        own: Thread,
        [edge, row]: [Expr; 2],
        back: bool,
    ) -> Stmt {
        let lanes = WarpsIr::lanes(self.ir);
        let columns = self.warps.tile.columns;
        let x = self.index("x");
        let wide = Wide {
            memory: own.edges,
            row: Some(edge),
            index: var(own.lane).times(int(columns)).plus(var(x)),
            own: held,
            own_row: Some(row),
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

    /// Hands on the rows that other warps need of the plane that a step makes.
    fn hand_on(&mut self, f: usize, held: VarId, own: Thread, step: VarId) -> Vec<Stmt> {
        let (above, below) = rows_beside(self.ir, f);
        let mut all = Vec::new();
        // The last rows are above those of the next warp.
        for (n, first, place) in [(above, self.warps.tile.rows - above, 0), (below, 0, above)] {
            if n == 0 {
                continue;
            }
            let k = self.index("k");
            let edge = self.edge(f, var(own.warp), step, plus(var(k), place));
            let row = self.held_row(f, -1, plus(var(k), first));
            let one = self.move_edge((f, held), own, [edge, row], true);
            all.push(loop_of(k, [0, n, 1], vec![one]));
        }
        all
    }

    /// Takes the rows that other warps have handed on.
    fn fetch(
        &mut self,
        fields: &[usize],
        held: &[VarId],
        own: Thread,
        [step, before, behind]: [VarId; 3],
    ) -> Vec<Stmt> {
        let mut all = vec![Stmt::Barrier];
        for &f in fields {
            let (above, below) = rows_beside(self.ir, f);
            let rows = self.warps.tile.rows;
            for (n, from, first, place) in
                [(above, before, -above, 0), (below, behind, rows, above)]
            {
                if n == 0 {
                    continue;
                }
                let k = self.index("k");
                let edge = self.edge(f, var(from), step, plus(var(k), place));
                let row = self.held_row(f, 0, plus(var(k), first));
                let one = self.move_edge((f, held[f]), own, [edge, row], false);
                all.push(loop_of(k, [0, n, 1], vec![one]));
            }
        }
        all
    }

    /// `store_patch<FULL>`: the rows and columns of results.
    fn store_patch(&mut self) -> Result<FunctionId> {
        let outer =
            self.outer(|_, p| matches!(p, Param::Out(..) | Param::Pitch(_) | Param::Domain(..)));
        let full = self.add("FULL", Type::Flag);
        let held = self.all_held();
        let [column, row, j_first, i_first, i_end] =
            ["column", "row", "j_first", "i_first", "i_end"].map(|name| self.index(name));
        let (lanes, columns) = (WarpsIr::lanes(self.ir), self.warps.tile.columns);
        let mut body = Vec::new();
        for (f, &rows) in held.iter().enumerate() {
            for age in 0..self.ir.live(f) {
                let [r, x, i, j] = ["r", "x", "i", "j"].map(|name| self.index(name));
                let to = outer.get(&Param::Out(f, age))?;
                let margin = self.ir.fields[f].margin.0;
                let own = (rows, Some(self.held_row(f, age, var(r))), var(x), margin);
                let store = self.store_written(&outer, (f, to), full, own, [i, j])?;
                let results = int(self.warps.results(self.ir));
                let inside = below(binary("-", var(j), var(j_first)), results);
                let vectors = vec![let_(j, var(column).plus(var(x))), if_(inside, vec![store])];
                let is_result = binary(
                    "&&",
                    binary(">=", var(i), var(i_first)),
                    binary("<", var(i), var(i_end)),
                );
                let of_row = vec![
                    let_(i, var(row).plus(var(r))),
                    if_(is_result, vec![loop_of(x, [0, columns, lanes], vectors)]),
                ];
                body.push(loop_of(r, [0, self.warps.tile.rows, 1], of_row));
            }
        }
        let params = [vec![full], held, vec![column, row, j_first, i_first, i_end]].concat();
        Ok(self.function("store_patch", "Stores the results of a warp: rows from i_first to i_end - 1, columns from j_first on.", (params, &outer), Default::default(), body))
    }

    /// The kernel: a block for each patch.
    fn kernel_of_patches(
        &mut self,
        [load, advance, store]: [FunctionId; 3],
    ) -> Result<Vec<(VarId, Param)>> {
        let outer = self.outer(|_, p| !matches!(p, Param::Column(1 | 2)));
        let own = self.own();
        let held = self.all_held();
        let tile = self.warps.tile;
        let [i_first, i_end, j_first, top, left] =
            ["i_first", "i_end", "j_first", "top", "left"].map(|name| self.index(name));
        let tiles = outer.value(&Param::Tiles)?;
        let share = outer.value(&Param::Share)?;
        let number = |op: &'static str| binary(op, Expr::Own(Own::Block), tiles.clone());
        let results = self.warps.results(self.ir);
        let [above, _] = self.warps.patch_rows();
        let [lo, hi] = [0, 1].map(|end| outer.value(&Param::Rows(end)));
        let end = Expr::helper(
            Helper::Lowest,
            var(i_first).plus(share.clone()),
            plus(hi?, 1),
        );
        let mut body = vec![
            Stmt::Let {
                var: own.edges,
                value: None,
            },
            let_(i_first, lo?.plus(number("/").times(share))),
            let_(i_end, end),
            let_(
                j_first,
                outer
                    .value(&Param::Column(0))?
                    .plus(number("%").times(int(results))),
            ),
            Stmt::Comment("The first row and column that the patch has.".to_string()),
            let_(top, plus(var(i_first), -above)),
            let_(left, plus(var(j_first), -self.warps.left(self.ir))),
            let_(own.lane, Expr::Own(Own::Lane)),
            let_(own.warp, Expr::Own(Own::Warp)),
            let_(
                own.column,
                var(left).plus(var(own.lane).times(int(tile.columns))),
            ),
            let_(own.row, var(top).plus(var(own.warp).times(int(tile.rows)))),
        ];
        body.extend(held.iter().map(|&var| Stmt::Let { var, value: None }));
        let arrays: Vec<Expr> = held.iter().map(|id| var(*id)).collect();
        let place = [own.column, own.row].map(Expr::Var);
        body.push(self.call(load, &[&arrays[..], &place].concat(), &outer)?);
        let highest = plus(var(top), tile.rows * tile.warps - 1);
        let is_full = self.is_full(&outer, [var(top), highest, var(left)])?;
        let mut ways = Vec::new();
        for full in [1, 0] {
            let threads = [own.lane, own.warp].map(Expr::Var);
            let results = [j_first, i_first, i_end].map(Expr::Var);
            let first = [int(full), var(own.edges)];
            let steps = [&first[..], &arrays, &place, &threads].concat();
            let stores = [&first[..1], &arrays, &place, &results].concat();
            ways.push(vec![
                self.call(advance, &steps, &outer)?,
                self.call(store, &stores, &outer)?,
            ]);
        }
        let no = ways.pop().unwrap_or_default();
        body.push(Stmt::If {
            cond: is_full,
            yes: ways.pop().unwrap_or_default(),
            no,
        });
        Ok(self.add_kernel("A block for each patch.", outer, body))
    }
}

/// Planes of which a field's statements read columns beside a lane's own, with the first and the last row before and behind the
/// one that is computed.
fn beside(ir: &StreamIr, f: usize) -> Exchanged {
    let mut all = Exchanged::new();
    for read in field_reads(ir).filter(|read| read.reader == f && read.column != 0) {
        let same =
            |(g, plane, _): &&mut (usize, i64, [i64; 2])| (*g, *plane) == (read.field, read.plane);
        match all.iter_mut().find(same) {
            Some((_, _, [first, last])) => {
                (*first, *last) = (read.row.min(*first), read.row.max(*last));
            }
            None => all.push((read.field, read.plane, [read.row, read.row])),
        }
    }
    all
}
