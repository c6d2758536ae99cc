//! The kernels of [`crate::kernel::warps`] as programs. Of a pipeline: a function that loads a row, one that stores a
//! row, one that advances a warp by a row, one that streams the rows of a piece, and the kernel, which takes
//! its share of all rows of all tiles. Of patches: see [`patch`].

mod blocks;
mod levels;
mod memory;
mod patch;

use crate::ctype::CType;
use crate::diag::{Diagnostic, Result};
use crate::ir::build::{binary, if_, int, let_, not, plus, var};
use crate::ir::verify::verify;
use crate::ir::{
    Block, Expr, Function, FunctionId, Inline, Kernel, Program, Stmt, Type, Unroll, VarId,
};
use crate::kernel::stream::{FIRST_COLUMN, HIGHEST_ROW, LANES, LOWEST_ROW, StreamIr, StreamRead};
use crate::kernel::warps::{self, Param, Shared, WarpsIr};
use crate::lower::affine::{Env, from_isl};
use crate::quotient::Divisions;
use std::collections::BTreeSet;

/// Variables that all functions have in their parameters.
struct Lowering<'a> {
    ir: &'a StreamIr,
    warps: &'a WarpsIr,
    program: Program,
    names: Vec<String>,
    elem: CType,
    /// The parameters of the kernel that each function has behind its own.
    taken: Vec<Vec<Param>>,
    /// The field whose statements are made.
    reader: usize,
}

fn unsigned(x: Expr) -> Expr {
    Expr::Cast {
        ty: CType::UInt(4),
        arg: Box::new(x),
    }
}

/// `x`, or what is next to it from 0 to `last`.
fn clipped(x: VarId, last: Expr) -> Expr {
    let select = |cond: Expr, yes: Expr, no: Expr| Expr::Select {
        cond: Box::new(cond),
        yes: Box::new(yes),
        no: Box::new(no),
    };
    let upper = select(binary("<", var(x), last.clone()), var(x), last);
    select(binary("<", var(x), int(0)), int(0), upper)
}

/// `0 <= x < n` in one test.
fn below(x: Expr, n: Expr) -> Expr {
    binary("<", unsigned(x), unsigned(n))
}

/// A loop over the integers from `first` on, below `end`.
fn loop_of(var: VarId, [first, end, step]: [i64; 3], body: Vec<Stmt>) -> Stmt {
    Stmt::For {
        var,
        first: int(first),
        cond: binary("<", Expr::Var(var), int(end)),
        step: int(step),
        any_order: false,
        unroll: Unroll::Whole,
        body,
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

    fn ids(&self) -> Vec<VarId> {
        self.params.iter().map(|(_, id)| *id).collect()
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
            divisions: Divisions::Plain,
            name: ir.stencil.name.clone(),
            vars: Vec::new(),
            args: Vec::new(),
            functions: Vec::new(),
            layout: Default::default(),
            kernels: Vec::new(),
            narrow: Some(Expr::Int(1)),
            host: Vec::new(),
        },
        names: fields.to_vec(),
        elem,
        taken: Vec::new(),
        reader: 0,
    };
    let of = match warps.tile.shared {
        Shared::Columns => lowering.pipeline()?,
        Shared::Steps => lowering.patch()?,
    };
    match verify(&lowering.program) {
        Ok(()) => Ok((lowering.program, of)),
        Err(wrong) => Err(Box::new(Diagnostic::bug(format!(
            "the kernel of warps that work together: {wrong}"
        )))),
    }
}

impl Lowering<'_> {
    /// Warps that are a pipeline in time.
    fn pipeline(&mut self) -> Result<Vec<(VarId, Param)>> {
        let load = self.load()?;
        let store = self.store()?;
        let advance = self.advance()?;
        let rows = self.rows([load, store, advance])?;
        let piece = self.piece(load, rows)?;
        self.kernel(piece)
    }

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
    fn outer(&mut self, wanted: impl Fn(&Self, &Param) -> bool) -> Outer {
        let mut all = self.all_params();
        all.retain(|param| wanted(self, param));
        let mut params = Vec::new();
        for param in all {
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
            all.extend((0..self.ir.live(f)).map(|age| Param::In(f, age)));
            if self.ir.live(f) == 0 {
                all.extend((0..buffers).map(|age| Param::Kept(f, age)));
            }
            all.extend((0..self.ir.live(f)).map(|age| Param::Out(f, age)));
            all.push(Param::Pitch(f));
            all.extend([Param::Extent(f, 0), Param::Extent(f, 1)]);
            for d in 0..2 {
                all.extend([Param::Domain(f, d, 0), Param::Domain(f, d, 1)]);
            }
        }
        all.extend([Param::Rows(0), Param::Rows(1)]);
        all.extend((0..3).map(Param::Column));
        all.extend([Param::Tiles, Param::Share]);
        all.extend((0..self.ir.stencil.params.len()).map(Param::Size));
        let mut arrays = BTreeSet::new();
        for read in warps::updates(self.ir).flat_map(|piece| &piece.reads) {
            if let StreamRead::Memory(access) = read {
                arrays.insert(access.array);
            }
        }
        all.extend((!arrays.is_empty()).then_some(Param::Time));
        all.extend(arrays.into_iter().map(Param::Array));
        all.extend(self.warps.tile.is_patch().then_some(Param::Steps));
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
            Param::Column(0) => (format!("{columns}_lo"), Type::Index),
            Param::Column(1) => (format!("{columns}_inner"), Type::Index),
            Param::Column(_) => (format!("{columns}_last"), Type::Index),
            Param::Tiles => ("tiles".to_string(), Type::Index),
            Param::Size(p) => (self.ir.stencil.params[*p].clone(), Type::Index),
            Param::Share => ("share".to_string(), Type::Index),
            Param::Time => ("time".to_string(), Type::Number(CType::Int(8))),
            Param::Steps => ("steps".to_string(), Type::Index),
            Param::Array(a) => {
                let array = &self.ir.stencil.arrays[*a];
                let (elem, written) = (array.elem, false);
                (array.name.clone(), Type::Pointer { elem, written })
            }
        }
    }

    /// The array of the block with the rows that warps hand on: those of a field one beside the other.
    fn ring(&mut self) -> VarId {
        let width = self.warps.tile.width();
        let (name, rows, len) = match self.warps.tile.shared {
            Shared::Columns => ("ring", self.slots(), WarpsIr::rows_of_slot(self.ir) * width),
            // An array of one row would have no subscript for it.
            Shared::Steps => ("edges", self.edges().max(2), width),
        };
        let ty = Type::Shared {
            elem: self.elem,
            rows: rows as u32,
            len: len as u32,
        };
        self.add(name, ty)
    }

    /// Where a slot of the ring has level `-age` of a field.
    fn place(&self, f: usize, age: i64) -> i64 {
        let before: i64 = (0..f).map(|g| self.ir.live(g)).sum();
        (before + age) * self.warps.tile.width()
    }

    /// Whether a field's statement writes cells of a row (of a column where `d` is 1).
    fn written(&self, outer: &Outer, f: usize, d: usize, x: Expr) -> Result<Expr> {
        let lo = outer.value(&Param::Domain(f, d, 0))?;
        let n = outer.value(&Param::Domain(f, d, 1))?;
        Ok(below(binary("-", x, lo), n))
    }

    /// Whether a cell exists.
    fn exists(&self, outer: &Outer, f: usize, cell: [Expr; 2]) -> Result<Expr> {
        let [row, column] = cell;
        let inside = |x: Expr, d: usize| -> Result<Expr> {
            let extent = outer.value(&Param::Extent(f, d))?;
            Ok(below(x, extent))
        };
        Ok(binary("&&", inside(row, 0)?, inside(column, 1)?))
    }

    /// The number of a cell that exists in a field's plane: 32 bits, as host code tests.
    fn number(&self, outer: &Outer, f: usize, row: Expr, column: Expr) -> Result<Expr> {
        let pitch = outer.value(&Param::Pitch(f))?;
        Ok(unsigned(row).times(unsigned(pitch)).plus(column))
    }

    fn of_fields(param: &Param) -> bool {
        matches!(
            param,
            Param::Kept(..) | Param::Pitch(_) | Param::Extent(..) | Param::Domain(..)
        )
    }

    fn of_pieces(&self, param: &Param) -> bool {
        Self::of_fields(param)
            || self.of_updates(param)
            || matches!(param, Param::Scalar(_) | Param::In(..) | Param::Out(..))
    }

    /// Whether statements that overwrite cells need a parameter.
    fn of_updates(&self, param: &Param) -> bool {
        warps::updates(self.ir).next().is_some()
            && matches!(param, Param::Size(_) | Param::Time | Param::Array(_))
    }

    /// Whether statements of all fields execute in all columns from the lowest to the highest row, from a column on.
    fn is_full(&self, outer: &Outer, [lowest, highest, column]: [Expr; 3]) -> Result<Expr> {
        let env = [
            (LOWEST_ROW, lowest),
            (HIGHEST_ROW, highest),
            (FIRST_COLUMN, column),
        ];
        let mut env: Env = env.map(|(name, value)| (name.to_string(), value)).into();
        for (p, name) in self.ir.stencil.params.iter().enumerate() {
            env.insert(name.clone(), outer.value(&Param::Size(p))?);
        }
        from_isl(&self.warps.full, &env)
    }

    /// Adds the kernel; what its parameters stand for.
    fn add_kernel(&mut self, lines: &str, outer: Outer, body: Vec<Stmt>) -> Vec<(VarId, Param)> {
        let tile = self.warps.tile;
        self.program.kernels.push(Kernel {
            name: tile.shared.kernel().name().to_string(),
            lines: lines.to_string(),
            params: outer.ids(),
            axes: Vec::new(),
            block: Some(Block {
                threads: (LANES * tile.warps) as u32,
                resident: tile.blocks as u32,
            }),
            launching: None,
            body,
            reductions: Vec::new(),
        });
        let params = outer.params.into_iter();
        params.map(|(param, id)| (id, param)).collect()
    }

    /// Adds a function, of parameters of its own and then those that it has of the kernel.
    fn function(
        &mut self,
        name: &str,
        remark: &str,
        (own, outer): (Vec<VarId>, &Outer),
        uniform: BTreeSet<VarId>,
        body: Vec<Stmt>,
    ) -> FunctionId {
        let taken = outer.params.iter().map(|(param, _)| param.clone());
        self.taken.push(taken.collect());
        self.program.functions.push(Function {
            name: name.to_string(),
            remark: remark.to_string(),
            params: [own, outer.ids()].concat(),
            uniform,
            body,
            inline: Inline::Always,
        });
        FunctionId(self.program.functions.len() as u32 - 1)
    }
}
