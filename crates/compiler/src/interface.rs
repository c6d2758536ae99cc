//! What the surrounding program and generated code hand each other: sizes, scalars and arrays,
//! and the conditions under which they may.

use crate::cost::Work;
use crate::ctype::{CType, math_function};
use crate::diag::Result;
use crate::kernel::KernelArray;
use crate::rows::Rows;
use crate::scop::{ArrayId, Expr, Scop, Statement, bounds};
use crate::tiling::results::Results;
use hexcc_isl::{AstBuild, AstExpr, AstOp, Set};
use hexcc_pet::data::{Cell, Member};

/// What a replaced part of a program takes and leaves.
#[derive(Clone, Debug)]
pub struct Interface {
    /// Prefix of every generated identifier at file scope.
    pub name: String,
    /// Integer parameters of the scop.
    pub params: Vec<String>,
    /// Scalars read by the statements, passed by value: name and type.
    pub scalars: Vec<(String, CType)>,
    /// Arrays with at least one dimension.
    pub arrays: Vec<KernelArray>,
    /// Those of them that are members of structs.
    pub members: Vec<Member>,
    /// Functions of the program that the statements call.
    pub cells: Vec<Cell>,
    /// Parameter values for which C and the kernel are known to do the same.
    pub assumed: AstExpr,
    /// Parameter values that are expected: the program runs C's own text for others.
    pub expected: AstExpr,
    /// Condition on the parameters that there is anything to do.
    pub nonempty: AstExpr,
    /// By array, the condition that then any statement touches it. The program's array may
    /// else be smaller than `extents`, which count all time buffers and constant subscripts.
    pub touched: Vec<AstExpr>,
    /// By array, how many planes the outermost subscript selects where that is a time buffer or
    /// a constant. Partial tiles copy from all of them, whether the statement that reads them
    /// runs or not: the device has them all, even where `extents` depend on sizes and are less.
    pub planes: Vec<Option<i64>>,
    /// By array, what is left in it where nothing is taken from it: it is not copied to the device, and just
    /// that is copied back. Empty where none is known.
    pub results: Vec<Option<Results>>,
    /// Every math function called is exact, so results equal C's bit for bit.
    pub exact: bool,
    /// What the program goes by when it decides where the loops run; empty where isl finds no bounds.
    pub work: Vec<Work>,
}

impl Interface {
    /// The interface of some statements that use the arrays `ids`; `arrays` are these as kernels
    /// have them, without extents. What the program may undo, [`Rows::new`] says. What work they are is for the tiling to say.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn new(
        scop: &Scop,
        name: &str,
        (stmts, undone): (&[&Statement], &[&str]),
        (ids, arrays): (&[ArrayId], Vec<KernelArray>),
        scalars: Vec<(String, CType)>,
    ) -> Result<Interface> {
        let build = AstBuild::from_context(&scop.context)?;
        let context = scop.context.params()?;
        let sizes = sizes_of(scop, stmts.iter().copied())?;
        let touches = |s: &Statement, id: ArrayId| {
            s.write.array == id || s.reads.iter().any(|read| read.array == id)
        };
        let touched = (ids.iter())
            .map(|&id| {
                let own = sizes_of(scop, stmts.iter().copied().filter(|s| touches(s, id)))?;
                let own = own.gist_params(&sizes)?.gist_params(&context)?;
                Ok(build.expr_from_set(&own.coalesce()?)?)
            })
            .collect::<Result<_>>()?;
        let mut with_extents = Vec::new();
        for (id, array) in ids.iter().zip(arrays) {
            let extents = (scop.array(*id).extents.iter())
                .map(|e| Ok(build.expr_from_pw_aff(e)?))
                .collect::<Result<_>>()?;
            with_extents.push(KernelArray {
                extents,
                memory: scop.memory(*id).to_string(),
                rows: Rows::new(scop, *id, stmts, undone)?,
                ..array
            });
        }
        let is_used = |name: &String| {
            scop.params.contains(name)
                || scalars.iter().any(|(scalar, _)| scalar == name)
                || with_extents
                    .iter()
                    .any(|array: &KernelArray| array.name == *name)
        };
        let members = scop.members.iter().filter(|m| is_used(&m.name));
        Ok(Interface {
            members: members.cloned().collect(),
            cells: scop.cells.clone(),
            name: name.to_string(),
            params: scop.params.clone(),
            scalars,
            planes: vec![None; with_extents.len()],
            results: Vec::new(),
            arrays: with_extents,
            assumed: condition(&bounds::assumed(scop)?.gist_params(&scop.expected)?)?,
            expected: condition(&scop.expected)?,
            nonempty: build.expr_from_set(&sizes.gist_params(&context)?)?,
            touched,
            work: Vec::new(),
            exact: stmts.iter().flat_map(|s| s.expressions()).all(is_exact)
                && (scop.cells.iter().flat_map(|cell| &cell.calls))
                    .all(|name| math_function(name).is_some_and(|m| m.exact)),
        })
    }
}

impl Interface {
    /// The same with the arrays that the program has: in the place of one whose planes it has apart, these.
    pub fn handed_over(&self) -> Interface {
        let mut program = Interface {
            arrays: Vec::new(),
            touched: Vec::new(),
            planes: Vec::new(),
            results: Vec::new(),
            ..self.clone()
        };
        for ((array, touched), planes) in (self.arrays.iter().zip(&self.touched)).zip(&self.planes)
        {
            let part = |name: &String| KernelArray {
                name: name.clone(),
                memory: name.clone(),
                extents: array.extents.iter().skip(1).cloned().collect(),
                pitched: false,
                parts: Vec::new(),
                shared: None,
                ..array.clone()
            };
            let (arrays, planes) = match array.parts.is_empty() {
                true => (vec![array.clone()], *planes),
                false => (array.parts.iter().map(part).collect(), None),
            };
            for array in arrays {
                program.arrays.push(array);
                program.touched.push(touched.clone());
                program.planes.push(planes);
            }
        }
        program
    }

    /// Adds conditions on the sizes.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn expect(&mut self, conditions: &[Set]) -> Result<()> {
        for sizes in conditions {
            let more = condition(sizes)?;
            let before = std::mem::replace(&mut self.expected, AstExpr::Int(1));
            self.expected = match before {
                AstExpr::Int(1) => more,
                before => AstExpr::Op(AstOp::And, vec![before, more]),
            };
        }
        Ok(())
    }

    /// Takes elements to exist of arrays that are used where they are and that no other may lie in.
    pub fn trust_lone_arrays(&mut self) {
        let arrays = self.arrays.clone();
        for (i, array) in self.arrays.iter_mut().enumerate() {
            let mut others = arrays.iter().enumerate().filter(|(j, _)| *j != i);
            array.doubtful &= others.any(|(_, other)| may_share_memory(array, other));
        }
    }

    /// Whether it is made for all sizes and all memory, so that nothing of C's text is left.
    pub fn suits_all(&self) -> bool {
        self.suits_all_sizes() && !self.arrays.iter().any(|a| a.doubtful)
    }

    /// Whether it is made for all sizes.
    pub fn suits_all_sizes(&self) -> bool {
        matches!(self.expected, AstExpr::Int(1))
    }

    /// Whether elements may not exist of an array in the memory of the one with an index, which is
    /// the first of them.
    pub fn is_memory_doubtful(&self, home: usize) -> bool {
        let mut tenants = self.tenants(home).into_iter();
        tenants.any(|i| self.arrays[i].doubtful)
    }

    /// Whether what the program hands over may not do: sizes for which something is not known, or
    /// memory in common.
    pub fn may_be_refused(&self) -> bool {
        let in_rows = |a: &KernelArray| a.rows.is_some();
        let arrays = self.handed_over().arrays;
        let one_memory = |a: &KernelArray| {
            let mut others = arrays.iter();
            others.any(|b| b.name != a.name && may_share_memory(a, b))
        };
        !matches!(self.assumed, AstExpr::Int(1))
            || arrays.iter().any(|a| in_rows(a) || one_memory(a))
            || self.guarded_members().next().is_some()
    }

    /// The numbers that are passed by value: sizes, then scalars.
    pub fn values(&self) -> impl Iterator<Item = &String> {
        self.params
            .iter()
            .chain(self.scalars.iter().map(|(name, _)| name))
    }

    /// The first array that is in the same memory as the one with an index.
    pub fn home(&self, index: usize) -> usize {
        let own = &self.arrays[index];
        let is_same = |a: &KernelArray| a.memory == own.memory && a.local == own.local;
        self.arrays
            .iter()
            .position(is_same)
            .filter(|_| !own.local)
            .unwrap_or(index)
    }

    /// The arrays that are in the memory of the one with an index, which is the first of them.
    pub fn tenants(&self, home: usize) -> Vec<usize> {
        let in_home = |i: &usize| self.home(*i) == home;
        (0..self.arrays.len()).filter(in_home).collect()
    }

    /// Whether an array in the memory of the one with an index is written.
    pub fn is_memory_written(&self, home: usize) -> bool {
        let mut tenants = self.tenants(home).into_iter();
        tenants.any(|i| self.arrays[i].written)
    }

    /// Whether the program has to find out how many elements some arrays have.
    pub fn has_unsized_arrays(&self) -> bool {
        self.cells
            .iter()
            .any(|cell| !cell.unsized_arrays.is_empty())
    }

    /// Members that are numbers, or pointers beside stores of bytes, and may lie in arrays that are written: the
    /// program tests that they do not, for C would read them again and again.
    pub fn guarded_members(&self) -> impl Iterator<Item = &Member> {
        let writes = self.arrays.iter().any(may_hold_members);
        let may_change = |m: &&Member| m.may_change || !m.is_pointer;
        self.members.iter().filter(move |m| writes && may_change(m))
    }
}

/// A set of parameters as a condition.
///
/// # Errors
/// HX0401 where isl gives up.
fn condition(sizes: &Set) -> Result<AstExpr> {
    let all = AstBuild::from_context(&sizes.universe_like()?.params()?)?;
    Ok(all.expr_from_set(&sizes.coalesce()?)?)
}

/// What a generated program says where [`Interface::expected`] does not hold and it has no text of C.
pub const NOT_EXPECTED: &str = "the kernels are not made for these sizes";

/// What a generated program says where [`Interface::assumed`] does not hold.
pub const NOT_ASSUMED: &str = "with these sizes a subscript is negative or a loop wraps around";

/// Whether two arrays of the program may lie in the same memory, of which one is written. Of rows
/// other tests tell.
pub fn may_share_memory(a: &KernelArray, b: &KernelArray) -> bool {
    let is_same = !a.memory.is_empty() && a.memory == b.memory;
    a.rows.is_none()
        && b.rows.is_none()
        && (a.written || b.written)
        && (a.pointer || b.pointer)
        && !a.local
        && !b.local
        && !is_same
}

/// Whether an array is written that may be any memory.
pub fn may_hold_members(array: &KernelArray) -> bool {
    array.written && (array.pointer || array.rows.is_some()) && !array.local
}

/// Whether every function that an expression calls gives the same bits on every machine.
pub fn is_exact(expr: &Expr) -> bool {
    let mut exact = true;
    expr.visit(&mut |e| {
        if let Expr::Call { name, .. } = e {
            exact &= math_function(name).is_some_and(|m| m.exact);
        }
    });
    exact
}

/// Parameter values for which some of the statements run.
fn sizes_of<'a>(scop: &Scop, stmts: impl Iterator<Item = &'a Statement>) -> Result<Set> {
    let mut sizes = scop.context.params()?.empty_like()?;
    for stmt in stmts {
        sizes = sizes.union(&stmt.domain.params()?)?;
    }
    Ok(sizes.coalesce()?)
}
