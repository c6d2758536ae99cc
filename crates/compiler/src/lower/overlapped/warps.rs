//! The kernel of [`crate::kernel::warps`] as a program: a function that loads a row, one that stores a
//! row, one that advances a warp by a row, one that streams the rows of a piece, and the kernel, which takes
//! its share of all rows of all tiles.

use crate::ctype::CType;
use crate::diag::{Diagnostic, Result};
use crate::ir::verify::verify;
use crate::ir::{
    Block, Expr, Function, FunctionId, Helper, INDEX, Kernel, Own, Program, Stmt, Type, VarId, Wide,
};
use crate::kernel::stream::{
    FIRST_COLUMN, Field, HIGHEST_ROW, LANES, LOWEST_ROW, Piece, StreamIr, StreamRead,
};
use crate::kernel::warps::{COST_OF_ROW, Param, WarpsIr, handed};
use crate::lower::affine::{Body, Env, from_isl};

/// Variables that all functions have in their parameters.
struct Lowering<'a> {
    ir: &'a StreamIr,
    warps: &'a WarpsIr,
    program: Program,
    names: Vec<String>,
    elem: CType,
}

/// Integers that the program computes with.
fn int(value: i64) -> Expr {
    Expr::Int(value)
}

fn var(id: VarId) -> Expr {
    Expr::Var(id)
}

fn binary(op: &'static str, lhs: Expr, rhs: Expr) -> Expr {
    Expr::binary(op, lhs, rhs)
}

/// `a + c`, as a difference where c is negative.
fn plus(a: Expr, c: i64) -> Expr {
    match c {
        c if c < 0 => binary("-", a, int(-c)),
        c => a.plus(int(c)),
    }
}

fn helper(helper: Helper, a: Expr, b: Expr) -> Expr {
    Expr::Helper(helper, Box::new([a, b]))
}

fn not(cond: Expr) -> Expr {
    Expr::Unary {
        op: "!",
        arg: Box::new(cond),
    }
}

fn let_(var: VarId, value: Expr) -> Stmt {
    let value = Some(value);
    Stmt::Let { var, value }
}

fn if_(cond: Expr, yes: Vec<Stmt>) -> Stmt {
    let no = Vec::new();
    Stmt::If { cond, yes, no }
}

/// A loop over the integers from `first` on, below `end`.
fn loop_of(var: VarId, [first, end, step]: [i64; 3], body: Vec<Stmt>) -> Stmt {
    Stmt::For {
        var,
        first: int(first),
        cond: binary("<", Expr::Var(var), int(end)),
        step: int(step),
        any_order: false,
        unrolled: true,
        body,
    }
}

/// An element of a row of an array.
fn element(base: VarId, row: Option<Expr>, index: Expr) -> Expr {
    Expr::Element {
        base,
        row: row.map(Box::new),
        index: Box::new(index),
    }
}

/// What is the same in a function as in its caller.
#[derive(Clone, Default)]
struct Outer {
    /// The parameters of the kernel that the function has, too.
    params: Vec<(Param, VarId)>,
}

impl Outer {
    fn get(&self, wanted: &Param) -> Result<VarId> {
        let found = self.params.iter().find(|(param, _)| param == wanted);
        (found.map(|(_, id)| *id))
            .ok_or_else(|| Box::new(Diagnostic::bug(format!("no parameter {wanted:?}"))))
    }

    fn value(&self, wanted: &Param) -> Result<Expr> {
        self.get(wanted).map(Expr::Var)
    }
}

/// The kernel of a stream and its sizes; `fields` are the names of the fields.
///
/// # Errors
/// HX9001 where the stream is not one that [`crate::kernel::warps::refusal`] lets pass.
pub fn warps(
    ir: &StreamIr,
    warps: &WarpsIr,
    fields: &[String],
) -> Result<(Program, Vec<(VarId, Param)>)> {
    let elem = match ir.fields.first() {
        Some(field) => ir.stencil.arrays[field.array].elem,
        None => return Err(Box::new(Diagnostic::bug("a stream of no field"))),
    };
    let mut lowering = Lowering {
        ir,
        warps,
        program: Program {
            name: ir.stencil.name.clone(),
            vars: Vec::new(),
            args: Vec::new(),
            functions: Vec::new(),
            kernels: Vec::new(),
            narrow: Some(Expr::Int(1)),
            host: Vec::new(),
        },
        names: fields.to_vec(),
        elem,
    };
    let load = lowering.load()?;
    let store = lowering.store()?;
    let advance = lowering.advance()?;
    let rows = lowering.rows([load, store, advance])?;
    let piece = lowering.piece(load, rows)?;
    let of = lowering.kernel(piece)?;
    match verify(&lowering.program) {
        Ok(()) => Ok((lowering.program, of)),
        Err(wrong) => Err(Box::new(Diagnostic::bug(format!(
            "the kernel of pipelined warps: {wrong}"
        )))),
    }
}

impl Lowering<'_> {
    fn n_fields(&self) -> usize {
        self.ir.fields.len()
    }

    fn add(&mut self, name: &str, ty: Type) -> VarId {
        self.program.add_var(name, ty, true)
    }

    fn index(&mut self, name: &str) -> VarId {
        self.add(name, Type::Index)
    }

    /// The number of a slot, where rows have one turn of the ring behind them at most.
    fn slot(&self, row: Expr) -> Expr {
        let slots = int(self.slots());
        Expr::Select {
            cond: Box::new(binary("<", row.clone(), slots.clone())),
            yes: Box::new(row.clone()),
            no: Box::new(binary("-", row, slots)),
        }
    }

    fn slots(&self) -> i64 {
        self.warps.tile.slots(self.warps.unroll(self.ir))
    }

    /// The parameters of the kernel that `wanted` takes, as parameters of a function.
    fn outer(&mut self, wanted: impl Fn(&Param) -> bool) -> Outer {
        let mut params = Vec::new();
        for param in self.all_params().into_iter().filter(|p| wanted(p)) {
            let (name, ty) = self.param(&param);
            params.push((param, self.add(&name, ty)));
        }
        Outer { params }
    }

    fn all_params(&self) -> Vec<Param> {
        let mut all: Vec<Param> = (0..self.ir.stencil.scalars.len())
            .map(Param::Scalar)
            .collect();
        for f in 0..self.n_fields() {
            let buffers = self.ir.pipeline.stages[f].buffers;
            all.extend((0..handed(self.ir, f)).map(|age| Param::In(f, age)));
            all.extend((0..buffers).map(|age| Param::Kept(f, age)));
            all.extend((0..handed(self.ir, f)).map(|age| Param::Out(f, age)));
            all.push(Param::Pitch(f));
            all.extend([Param::Extent(f, 0), Param::Extent(f, 1)]);
            for d in 0..2 {
                all.extend([Param::Domain(f, d, 0), Param::Domain(f, d, 1)]);
            }
        }
        all.extend([Param::Rows(0), Param::Rows(1), Param::Column]);
        all.extend([Param::Tiles(0), Param::Tiles(1), Param::Share]);
        all.extend((0..self.ir.stencil.params.len()).map(Param::Size));
        all
    }

    /// Its name and type.
    fn param(&self, param: &Param) -> (String, Type) {
        let [rows, columns] = [1, 2].map(|d| self.ir.stencil.dims[d].as_str());
        let name = |f: &usize| self.names[*f].as_str();
        let pointer = |written| Type::Pointer {
            elem: self.elem,
            written,
        };
        let dim = |d: &usize| if *d == 0 { rows } else { columns };
        match param {
            Param::Scalar(s) => {
                let (name, ty) = &self.ir.stencil.scalars[*s];
                (name.clone(), Type::Number(*ty))
            }
            Param::In(f, age) => (format!("{}_in_{age}", name(f)), pointer(false)),
            Param::Kept(f, age) => (format!("{}_kept_{age}", name(f)), pointer(false)),
            Param::Out(f, age) => (format!("{}_out_{age}", name(f)), pointer(true)),
            Param::Pitch(f) => (format!("{}_pitch", name(f)), Type::Index),
            Param::Extent(f, 0) => (format!("{}_height", name(f)), Type::Index),
            Param::Extent(f, _) => (format!("{}_width", name(f)), Type::Index),
            Param::Domain(f, d, 0) => (format!("{}_{}_lo", name(f), dim(d)), Type::Index),
            Param::Domain(f, d, _) => (format!("{}_{}_n", name(f), dim(d)), Type::Index),
            Param::Rows(0) => (format!("{rows}_lo"), Type::Index),
            Param::Rows(_) => (format!("{rows}_hi"), Type::Index),
            Param::Column => (format!("{columns}_lo"), Type::Index),
            Param::Tiles(0) => ("tiles".to_string(), Type::Index),
            Param::Tiles(_) => ("ends".to_string(), Type::Index),
            Param::Size(p) => (self.ir.stencil.params[*p].clone(), Type::Index),
            Param::Share => ("share".to_string(), Type::Index),
        }
    }

    /// The array of the block with the rows that warps hand on: those of a field one beside the other.
    fn ring(&mut self) -> VarId {
        let ty = Type::Shared {
            elem: self.elem,
            rows: self.slots() as u32,
            len: (WarpsIr::rows_of_slot(self.ir) * self.warps.tile.width()) as u32,
        };
        self.add("ring", ty)
    }

    /// Where a slot of the ring has level `-age` of a field.
    fn place(&self, f: usize, age: i64) -> i64 {
        let before: i64 = (0..f).map(|g| handed(self.ir, g)).sum();
        (before + age) * self.warps.tile.width()
    }

    /// Whether a field's statement writes a cell.
    fn written(&self, outer: &Outer, f: usize, cell: [Expr; 2]) -> Result<Expr> {
        let ty = CType::UInt(4);
        let unsigned = |e: Expr| Expr::Cast {
            ty,
            arg: Box::new(e),
        };
        let mut tests = Vec::new();
        for (d, x) in cell.into_iter().enumerate() {
            let lo = outer.value(&Param::Domain(f, d, 0))?;
            let n = outer.value(&Param::Domain(f, d, 1))?;
            tests.push(binary("<", unsigned(binary("-", x, lo)), unsigned(n)));
        }
        let columns = tests.pop().unwrap_or(int(1));
        Ok(tests
            .into_iter()
            .fold(columns, |all, rows| binary("&&", rows, all)))
    }

    /// Whether a cell exists.
    fn exists(&self, outer: &Outer, f: usize, cell: [Expr; 2]) -> Result<Expr> {
        let ty = CType::UInt(4);
        let unsigned = |e: Expr| Expr::Cast {
            ty,
            arg: Box::new(e),
        };
        let [row, column] = cell;
        let inside = |x: Expr, d: usize| -> Result<Expr> {
            let extent = outer.value(&Param::Extent(f, d))?;
            Ok(binary("<", unsigned(x), unsigned(extent)))
        };
        Ok(binary("&&", inside(row, 0)?, inside(column, 1)?))
    }

    /// The number of a cell of a field's plane.
    fn number(&self, outer: &Outer, f: usize, row: Expr, column: Expr) -> Result<Expr> {
        let row = Expr::Cast {
            ty: INDEX,
            arg: Box::new(row),
        };
        let pitch = outer.value(&Param::Pitch(f))?;
        Ok(row.times(pitch).plus(column))
    }

    fn of_fields(param: &Param) -> bool {
        matches!(
            param,
            Param::Kept(..) | Param::Pitch(_) | Param::Extent(..) | Param::Domain(..)
        )
    }

    fn of_pieces(param: &Param) -> bool {
        Self::of_fields(param) || matches!(param, Param::Scalar(_) | Param::In(..) | Param::Out(..))
    }

    fn function(&mut self, function: Function) -> FunctionId {
        self.program.functions.push(function);
        FunctionId(self.program.functions.len() as u32 - 1)
    }

    /// For each vector of a row that a thread moves, its column in the block.
    fn over_vectors(
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

    /// `load_row<FULL>`: a row of level 0, and of those below it that are handed on, into a slot.
    fn load(&mut self) -> Result<FunctionId> {
        let outer = self.outer(|p| matches!(p, Param::In(..)) || Self::of_fields(p));
        let full = self.add("FULL", Type::Flag);
        let ring = self.ring();
        let [slot, newest, first] = ["slot", "newest", "j_first"].map(|name| self.index(name));
        let thread = self.index("thread");
        let mut body = vec![let_(thread, Expr::Own(Own::Thread))];
        for f in 0..self.n_fields() {
            for age in 0..handed(self.ir, f) {
                let row = self.index("i");
                let lag = self.ir.pipeline.lag_of(f, -age);
                body.push(let_(row, plus(var(newest), -lag)));
                body.extend(self.over_vectors(thread, |this, at| {
                    this.load_vector(&outer, (f, age), full, [ring, slot, first, row, at])
                })?);
            }
        }
        let mut params = vec![full, ring, slot, newest, first];
        params.extend(outer.params.iter().map(|(_, id)| *id));
        Ok(self.function(Function {
            name: "load_row".to_string(),
            remark: "Begins to load the row that enters in iteration `newest`; what no statement writes comes from where it is kept.".to_string(),
            params,
            uniform: Default::default(),
            body,
        }))
    }

    fn load_vector(
        &mut self,
        outer: &Outer,
        (f, age): (usize, i64),
        full: VarId,
        [ring, slot, first, row, at]: [VarId; 5],
    ) -> Result<Vec<Stmt>> {
        let from = outer.get(&Param::In(f, age))?;
        let kept = outer.get(&Param::Kept(f, age))?;
        let place = self.place(f, age);
        let height = outer.value(&Param::Extent(f, 0))?;
        let clipped = helper(
            Helper::Highest,
            helper(Helper::Lowest, var(row), plus(height, -1)),
            int(0),
        );
        let column = |at: Expr| var(first).plus(at);
        let lanes = WarpsIr::lanes(self.ir);
        let copy = Stmt::Copy {
            lanes: lanes as u32,
            to: element(ring, Some(var(slot)), plus(var(at), place)),
            from: element(from, None, self.number(outer, f, clipped, column(var(at)))?),
        };
        let lane = self.index("v");
        let column = self.index("column");
        let cell = || [var(row), var(column)];
        let number = self.number(outer, f, var(row), var(column))?;
        let one = |from: VarId| Stmt::Copy {
            lanes: 1,
            to: element(ring, Some(var(slot)), plus(var(at).plus(var(lane)), place)),
            from: element(from, None, number.clone()),
        };
        let of_cell = Stmt::If {
            cond: self.written(outer, f, cell())?,
            yes: vec![one(from)],
            no: vec![one(kept)],
        };
        let single = vec![
            let_(column, var(first).plus(var(at)).plus(var(lane))),
            if_(self.exists(outer, f, cell())?, vec![of_cell]),
        ];
        Ok(vec![Stmt::If {
            cond: var(full),
            yes: vec![copy],
            no: vec![loop_of(lane, [0, lanes, 1], single)],
        }])
    }

    /// `store_row<FULL>`: the results of a slot that all warps have had.
    fn store(&mut self) -> Result<FunctionId> {
        let outer =
            self.outer(|p| matches!(p, Param::Out(..) | Param::Pitch(_) | Param::Domain(..)));
        let full = self.add("FULL", Type::Flag);
        let ring = self.ring();
        let [slot, newest, first, i_first, i_end] =
            ["slot", "newest", "j_first", "i_first", "i_end"].map(|name| self.index(name));
        let thread = self.index("thread");
        let steps = self.warps.tile.steps();
        let (left, results) = (self.warps.left(self.ir), self.warps.results(self.ir));
        let mut body = vec![let_(thread, Expr::Own(Own::Thread))];
        for f in 0..self.n_fields() {
            for age in 0..handed(self.ir, f) {
                let row = self.index("i");
                let lag = self.ir.pipeline.lag_of(f, steps - age);
                body.push(let_(row, plus(var(newest), -lag)));
                let vectors = self.over_vectors(thread, |this, at| {
                    let inside = binary(
                        "&&",
                        binary(">=", var(at), int(left)),
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
        let mut params = vec![full, ring, slot, newest, first, i_first, i_end];
        params.extend(outer.params.iter().map(|(_, id)| *id));
        Ok(self.function(Function {
            name: "store_row".to_string(),
            remark: "Stores the results of the row that all warps have had, which entered in iteration `newest`.".to_string(),
            params,
            uniform: Default::default(),
            body,
        }))
    }

    fn store_vector(
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
        let wide = |memory: VarId, row: Option<Expr>, index: Expr| Wide {
            memory,
            row,
            index,
            own: values,
            own_row: None,
            at: int(0),
            lanes: lanes as u32,
            constant: false,
        };
        let place = self.place(f, age);
        let load = wide(ring, Some(var(slot)), plus(var(at), place));
        let number = |this: &Self, column: Expr| this.number(outer, f, var(row), column);
        let whole = wide(to, None, number(self, var(first).plus(var(at)))?);
        let lane = self.index("v");
        let column = self.index("column");
        let single = vec![
            let_(column, var(first).plus(var(at)).plus(var(lane))),
            if_(
                self.written(outer, f, [var(row), var(column)])?,
                vec![Stmt::Assign {
                    target: element(to, None, number(self, var(column))?),
                    value: element(values, None, var(lane)),
                }],
            ),
        ];
        Ok(vec![
            Stmt::Let {
                var: values,
                value: None,
            },
            Stmt::Load(load),
            Stmt::If {
                cond: var(full),
                yes: vec![Stmt::Store(whole)],
                no: vec![loop_of(lane, [0, lanes, 1], single)],
            },
        ])
    }

    /// Rows of a level that are held: what statements read, and the row before in its own place.
    fn depth(&self, f: usize) -> i64 {
        self.ir.pipeline.depth[f].max(self.ir.pipeline.step_lag + 1)
    }

    /// The rows of a field that a warp holds.
    fn held(&mut self, f: usize) -> VarId {
        let (left, right) = self.ir.fields[f].margin;
        let levels = handed(self.ir, f) + self.warps.tile.levels;
        let ty = Type::Private {
            elem: self.elem,
            rows: (levels * self.depth(f)) as u32,
            len: (left + self.warps.tile.columns + right) as u32,
        };
        let name = self.names[f].clone();
        self.program.add_var(&name, ty, false)
    }

    /// `back` rows before the newest of a level, of which 0 is the one that comes from the warp before.
    fn row_of(&self, f: usize, level: Expr, back: i64) -> Expr {
        let depth = self.depth(f);
        let first = (handed(self.ir, f) - 1) * depth;
        plus(level.times(int(depth)), first + back)
    }

    /// Makes place for the newest row of a level.
    fn push(&mut self, f: usize, held: VarId, level: &Expr) -> Vec<Stmt> {
        let depth = self.depth(f);
        let (left, right) = self.ir.fields[f].margin;
        if depth < 2 {
            return Vec::new();
        }
        let [d, x] = ["d", "x"].map(|name| self.index(name));
        let first = self.row_of(f, level.clone(), 0);
        let row = |by: i64| binary("-", plus(first.clone(), depth - 1 + by), var(d));
        let body = vec![Stmt::Assign {
            target: element(held, Some(row(0)), var(x)),
            value: element(held, Some(row(-1)), var(x)),
        }];
        let columns = left + self.warps.tile.columns + right;
        let inner = loop_of(x, [0, columns, 1], body);
        vec![loop_of(d, [0, depth - 1, 1], vec![inner])]
    }

    /// The columns beside a lane's own.
    fn exchange(&mut self, f: usize, held: VarId, level: &Expr) -> Vec<Stmt> {
        let (left, right) = self.ir.fields[f].margin;
        let columns = self.warps.tile.columns;
        let row = self.row_of(f, level.clone(), self.ir.fields[f].exchanged);
        let mut all = Vec::new();
        for (n, by, to, from) in [(left, -1, 0, columns), (right, 1, left + columns, left)] {
            if n == 0 {
                continue;
            }
            let c = self.index("c");
            let at = |first: i64| element(held, Some(row.clone()), plus(var(c), first));
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
    fn advance(&mut self) -> Result<FunctionId> {
        let outer = self.outer(|p| Self::of_fields(p) || matches!(p, Param::Scalar(_)));
        let full = self.add("FULL", Type::Flag);
        let ring = self.ring();
        let held: Vec<VarId> = (0..self.n_fields()).map(|f| self.held(f)).collect();
        let [slot, newest, column, lane, warp] =
            ["slot", "newest", "column", "lane", "warp"].map(|name| self.index(name));
        let mut body = Vec::new();
        for f in 0..self.n_fields() {
            for age in 0..handed(self.ir, f) {
                let level = int(-age);
                body.extend(self.push(f, held[f], &level));
                body.push(self.move_row((f, age), &level, [ring, slot, lane, held[f]], false));
                body.extend(self.exchange(f, held[f], &level));
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
            for age in 0..handed(self.ir, f) {
                let level = int(self.warps.tile.levels - age);
                stores.push(self.move_row((f, age), &level, [ring, slot, lane, rows], true));
            }
        }
        let begin = self.index("begin");
        body.push(if_(binary(">=", var(newest), var(begin)), stores));
        let mut params = vec![full, ring];
        params.extend(&held);
        params.extend([slot, newest, begin, column, lane, warp]);
        params.extend(outer.params.iter().map(|(_, id)| *id));
        Ok(self.function(Function {
            name: "advance_warp".to_string(),
            remark: "A warp takes the row of iteration `newest` from a slot and puts that of its own last level there.".to_string(),
            params,
            uniform: Default::default(),
            body,
        }))
    }

    /// The newest row of a level, from a slot or back to it.
    fn move_row(
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
    fn stage(
        &mut self,
        outer: &Outer,
        f: usize,
        held: &[VarId],
        [full, newest, column, warp, s]: [VarId; 5],
    ) -> Result<Vec<Stmt>> {
        let ir = self.ir;
        let field: &Field = &ir.fields[f];
        let piece: &Piece = &field.pieces[0];
        let stmt = &ir.stencil.stmts[piece.stmt];
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
        let reads: Vec<Expr> = (piece.reads.iter())
            .map(|read| self.read(outer, read, held, s, x))
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
            target: element(next, None, var(x)),
            value,
        });
        body.push(loop_of(x, [0, columns, 1], cells));
        body.push(if_(
            not(var(full)),
            self.keep(outer, f, [next, held[f], newest, column, warp, s])?,
        ));
        let level = var(s).plus(int(1));
        body.extend(self.push(f, held[f], &level));
        let x = self.index("x");
        let target = element(
            held[f],
            Some(self.row_of(f, level.clone(), 0)),
            plus(var(x), field.margin.0),
        );
        let value = element(next, None, var(x));
        body.push(loop_of(
            x,
            [0, columns, 1],
            vec![Stmt::Assign { target, value }],
        ));
        body.extend(self.exchange(f, held[f], &level));
        Ok(body)
    }

    fn body<'b>(&'b self, reads: &'b [Expr], locals: &'b [Expr]) -> Body<'b> {
        Body {
            program: &self.program,
            reads,
            locals,
            affine: Vec::new().into_iter(),
        }
    }

    fn read(
        &self,
        outer: &Outer,
        read: &StreamRead,
        held: &[VarId],
        s: VarId,
        x: VarId,
    ) -> Result<Expr> {
        match read {
            StreamRead::Scalar(i) => outer.value(&Param::Scalar(*i)),
            StreamRead::Field {
                field,
                age,
                back,
                column,
                ..
            } => {
                let row = self.row_of(*field, plus(var(s), 1 - age), *back);
                let at = plus(var(x), self.ir.fields[*field].margin.0 + column);
                Ok(element(held[*field], Some(row), at))
            }
            StreamRead::Memory(_) => Err(Box::new(Diagnostic::bug(
                "an array in memory in a ring of rows",
            ))),
        }
    }

    /// Cells of a row that no statement writes keep what they held a level before; where no level is handed on,
    /// what their plane holds.
    fn keep(
        &mut self,
        outer: &Outer,
        f: usize,
        [next, held, newest, column, warp, s]: [VarId; 6],
    ) -> Result<Vec<Stmt>> {
        let (lag, step) = (self.ir.pipeline.lag[f], self.ir.pipeline.step_lag);
        let levels = self.warps.tile.levels;
        let [level, row, x, j] = ["level", "i", "x", "j"].map(|name| self.index(name));
        let of_level = var(warp).times(int(levels)).plus(var(s)).plus(int(1));
        let row_of_level = binary("-", var(newest), var(level).times(int(step)));
        let cell = || [var(row), var(j)];
        let outside = not(self.written(outer, f, cell())?);
        let (cond, value) = match handed(self.ir, f) {
            0 => {
                let exists = self.exists(outer, f, cell())?;
                let number = self.number(outer, f, var(row), var(j))?;
                (
                    binary("&&", outside, exists),
                    self.kept(outer, f, level, number)?,
                )
            }
            _ => {
                let at = plus(var(x), self.ir.fields[f].margin.0);
                (
                    outside,
                    element(held, Some(self.row_of(f, var(s), step)), at),
                )
            }
        };
        let target = element(next, None, var(x));
        let cells = vec![
            let_(j, var(column).plus(var(x))),
            if_(cond, vec![Stmt::Assign { target, value }]),
        ];
        Ok(vec![
            let_(level, of_level),
            let_(row, plus(row_of_level, -lag)),
            loop_of(x, [0, self.warps.tile.columns, 1], cells),
        ])
    }

    /// What the plane of a level holds.
    fn kept(&self, outer: &Outer, f: usize, level: VarId, number: Expr) -> Result<Expr> {
        let buffers = self.ir.pipeline.stages[f].buffers;
        let mut kept = element(outer.get(&Param::Kept(f, 0))?, None, number.clone());
        for age in 1..buffers {
            // Level q is in the plane of level -age where their difference is a multiple.
            let same = binary("%", plus(var(level), age), int(buffers));
            let of_age = outer.get(&Param::Kept(f, age))?;
            kept = Expr::Select {
                cond: Box::new(binary("==", same, int(0))),
                yes: Box::new(element(of_age, None, number.clone())),
                no: Box::new(kept),
            };
        }
        Ok(kept)
    }

    /// A call, of arguments that the function has first and the parameters of the kernel it has behind them.
    fn call(&self, function: FunctionId, first: &[Expr], outer: &Outer) -> Result<Stmt> {
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
    fn piece(&mut self, load: FunctionId, rows: FunctionId) -> Result<FunctionId> {
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
        let mut params = vec![ring, i_first, i_end, j_first];
        params.extend(outer.params.iter().map(|(_, id)| *id));
        Ok(self.function(Function {
            name: "stream_rows".to_string(),
            remark: "Streams the rows of results from i_first to i_end - 1 of the tile whose columns start at j_first.".to_string(),
            params,
            uniform: [vec![i_first, i_end, j_first], outer.params.iter().map(|(_, id)| *id).collect()]
                .concat()
                .into_iter()
                .collect(),
            body,
        }))
    }

    fn zeros(&mut self, rows: VarId) -> Stmt {
        let [row, x] = ["row", "x"].map(|name| self.index(name));
        let Type::Private { rows: n, len, .. } = self.program.var(rows).ty else {
            return Stmt::Comment(String::new());
        };
        let target = element(rows, (n != 1).then(|| var(row)), var(x));
        let value = int(0);
        let inner = loop_of(
            x,
            [0, i64::from(len), 1],
            vec![Stmt::Assign { target, value }],
        );
        loop_of(row, [0, i64::from(n), 1], vec![inner])
    }

    /// So many rows that registers have the same meaning again, without tests or with them.
    fn iterations(
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
    fn over_rows(
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
    fn rows(&mut self, [load, store, advance]: [FunctionId; 3]) -> Result<FunctionId> {
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
        params.extend(outer.params.iter().map(|(_, id)| *id));
        Ok(self.function(Function {
            name: "advance_block".to_string(),
            remark: "All warps advance by so many rows that registers have the same meaning again; the first of them takes row `newest` first.".to_string(),
            params,
            uniform: Default::default(),
            body,
        }))
    }

    /// The kernel: a block takes its share of the rows of all tiles, one tile after the other.
    fn kernel(&mut self, piece: FunctionId) -> Result<Vec<(VarId, Param)>> {
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
                helper(
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
            params: outer.params.iter().map(|(_, id)| *id).collect(),
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
    fn of_tile(
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
            let clipped = helper(
                Helper::Lowest,
                helper(Helper::Highest, before, int(0)),
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
                row_at(helper(Helper::Highest, var(from), var(start))),
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
