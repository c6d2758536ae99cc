//! Instances of statements: what they read and write, and the expressions between.

use super::coarse::InCells;
use super::functions::Functions;
use super::store::{self, Store};
use super::{Lowering, iterator, position};
use crate::diag::{Diagnostic, Result};
use crate::ir::build::let_;
use crate::ir::{Expr, Stmt, Type, VarId};
use crate::lower::affine::{Body, Env, from_isl};
use crate::scop::{Access, ArrayId, Statement};
use crate::tiling::stepwise::Step;
use hexcc_isl::{AstExpr, DimType};
use std::collections::BTreeMap;

/// The number of the statement that isl calls so.
pub(super) fn statement_number(name: &str) -> Option<usize> {
    name.strip_prefix('S')?.parse().ok()
}

/// Whether the value of an expression may be another one once something is written.
fn may_read(value: &Expr, written: &Expr) -> bool {
    let mut found = false;
    value.visit(&mut |e| {
        found |= match (e, written) {
            (Expr::Var(id), Expr::Var(written)) => id == written,
            (
                Expr::Element { base, row, index },
                Expr::Element {
                    base: of,
                    row: of_row,
                    index: at,
                },
            ) => base == of && (row != of_row || !differ(index, at)),
            (Expr::Cell { .. } | Expr::Behind { .. } | Expr::Item { .. }, _) => true,
            _ => false,
        };
    });
    found
}

/// Whether two indices differ, by a constant.
fn differ(a: &Expr, b: &Expr) -> bool {
    let ((a, by_a), (b, by_b)) = (parted(a), parted(b));
    a == b && by_a != by_b
}

/// An index without the constant that is added to it, and that.
pub(super) fn parted(index: &Expr) -> (&Expr, i64) {
    match index {
        Expr::Binary { op, lhs, rhs } => match (*op, &**rhs) {
            ("+", Expr::Int(c)) => (lhs, *c),
            ("-", Expr::Int(c)) => (lhs, -c),
            _ => (index, 0),
        },
        _ => (index, 0),
    }
}

impl<'a> Lowering<'a> {
    /// An instance of a statement.
    pub(super) fn statement(
        &mut self,
        name: &str,
        args: &[Expr],
        private: &BTreeMap<ArrayId, VarId>,
        places: &InCells,
    ) -> Result<Vec<Stmt>> {
        let index = statement_number(name);
        let stmt = index.and_then(|s| Some((s, self.scop.stmts.get(s)?)));
        let (index, stmt) =
            stmt.ok_or_else(|| Box::new(Diagnostic::bug("an instance of no statement")))?;
        let mut out = vec![Stmt::Comment(self.comment(stmt))];
        let folds = |step: &'a Step| step.reductions.get(&index);
        let reduction = self.plan.steps.iter().find_map(folds);
        let no_part = || Box::new(Diagnostic::bug("a reduction without a part"));
        let functions = Functions::of(stmt)?;
        self.narrow &= functions.largest() < f64::from(i32::MAX);
        let functions = functions.without(&places.of(index));
        let env = self.iterators(stmt, args, &functions, &mut out)?;
        let mut reads = Vec::new();
        for (n, (read, subscripts)) in stmt.reads.iter().zip(&functions.reads).enumerate() {
            reads.push(match places.reads.get(&(index, n)) {
                Some(place) => place.clone(),
                None => self.place(read, subscripts, private, &env)?,
            });
        }
        let affine = functions.affine.iter().map(|e| from_isl(e, &env));
        let affine: Vec<Expr> = affine.collect::<Result<_>>()?;
        let target = match places.writes.get(&index) {
            Some(place) => place.clone(),
            None => self.place(&stmt.write, &functions.write, private, &env)?,
        };
        let mut locals: Vec<Expr> = Vec::new();
        let mut affine = affine.into_iter();
        for local in &stmt.locals {
            let mut body = Body {
                program: &self.program,
                divisions: self.program.divisions.without_products(),
                reads: &reads,
                locals: &locals,
                affine,
            };
            let value = body.expr(&local.value)?;
            affine = body.affine;
            locals.push(self.constant((&local.name, Type::Number(local.ty)), value, &mut out));
        }
        let mut body = Body {
            program: &self.program,
            divisions: self.program.divisions.without_products(),
            reads: &reads,
            locals: &locals,
            affine,
        };
        let store = match reduction {
            None => {
                let kept = store::kept(self.scop, stmt)?;
                Store::Assign { target, kept }
            }
            Some(reduction) => Store::Fold {
                part: private.get(&reduction.array).copied().ok_or_else(no_part)?,
                kept: store::old(stmt)?,
                reduction,
            },
        };
        out.extend(store.of(&mut body, &stmt.value)?);
        if let Store::Assign { target, .. } = &store {
            self.written(target, out.last());
        }
        Ok(out)
    }

    /// Something is written, at last by the statement.
    fn written(&mut self, target: &Expr, last: Option<&Stmt>) {
        (self.known).retain(|(var, value)| Expr::Var(*var) != *target && !may_read(value, target));
        if let (Expr::Var(var), Some(Stmt::Assign { value, .. })) = (target, last)
            && !may_read(value, target)
            && self.program.type_of(value) == self.program.type_of(target)
        {
            self.known.push((*var, value.clone()));
        }
    }

    /// A constant with a value: one that the thread has, if there is one.
    fn constant(&mut self, (name, ty): (&str, Type), value: Expr, out: &mut Vec<Stmt>) -> Expr {
        let has =
            |(var, known): &&(VarId, Expr)| self.program.var(*var).ty == ty && *known == value;
        if let Some((var, _)) = self.known.iter().find(has) {
            return Expr::Var(*var);
        }
        let var = self.program.add_var(name, ty, true);
        self.known.push((var, value.clone()));
        out.push(let_(var, value));
        Expr::Var(var)
    }

    /// The values of a statement's iterators, of which those that are computed get variables.
    fn iterators(
        &mut self,
        stmt: &Statement,
        args: &[Expr],
        functions: &Functions,
        out: &mut Vec<Stmt>,
    ) -> Result<Env> {
        let mut env = self.args.clone();
        for (i, arg) in args.iter().enumerate() {
            let simple = matches!(arg, Expr::Var(_) | Expr::Int(_));
            let value = match simple || !functions.use_iterator(i) {
                true => arg.clone(),
                false => {
                    let name = stmt.domain.dim_name(DimType::Set, position(i))?;
                    let name = name.unwrap_or_else(|| format!("c{i}"));
                    self.constant((&name, Type::Index), arg.clone(), out)
                }
            };
            env.insert(iterator(i), value);
        }
        Ok(env)
    }

    /// The element of an access, or the variable.
    fn place(
        &self,
        access: &Access,
        subscripts: &[AstExpr],
        private: &BTreeMap<ArrayId, VarId>,
        env: &Env,
    ) -> Result<Expr> {
        let id = access.array;
        if let Some(scalar) = self.scalars.get(&id) {
            return Ok(Expr::Var(*scalar));
        }
        let base = match (private.get(&id), self.scop.array(id).is_variable()) {
            (Some(var), true) => return Ok(Expr::Var(*var)),
            (Some(var), _) => *var,
            (None, _) => self.array(id)?,
        };
        if access.whole {
            return Ok(Expr::Var(base));
        }
        let is_table = matches!(self.program.var(base).ty, Type::Rows { .. });
        let (selecting, within) = match is_table {
            true => subscripts.split_at(self.scop.array(id).pointers),
            false => subscripts.split_at(0),
        };
        let row = match is_table {
            true => Some(Box::new(self.number(id, (0, selecting), env)?)),
            false => None,
        };
        let index = self.number(id, (selecting.len(), within), env)?;
        Ok(Expr::Element {
            base,
            row,
            index: Box::new(index),
        })
    }

    /// The number of an element in a block of the dimensions from `first` on, of the given
    /// subscripts.
    fn number(
        &self,
        id: ArrayId,
        (first, subscripts): (usize, &[AstExpr]),
        env: &Env,
    ) -> Result<Expr> {
        let values = subscripts.iter().map(|subscript| from_isl(subscript, env));
        self.number_of(id, first, values)
    }

    /// The same, of the values of subscripts.
    pub(super) fn number_of(
        &self,
        id: ArrayId,
        first: usize,
        values: impl Iterator<Item = Result<Expr>>,
    ) -> Result<Expr> {
        let mut number = Expr::Int(0);
        for (d, value) in values.enumerate() {
            if d > 0 {
                number = number.times(self.extent(id, first + d)?);
            }
            number = number.plus(value?);
        }
        Ok(number)
    }

    /// The kernel's argument for an array.
    pub(super) fn array(&self, id: ArrayId) -> Result<VarId> {
        (self.arrays.get(&id).copied())
            .ok_or_else(|| Box::new(Diagnostic::bug("an array from nowhere")))
    }

    /// The extent of dimension `d` of an array.
    pub(super) fn extent(&self, id: ArrayId, d: usize) -> Result<Expr> {
        if let Some(extents) = self.extents.get(&id) {
            return (extents.get(d).cloned())
                .ok_or_else(|| Box::new(Diagnostic::bug("more subscripts than dimensions")));
        }
        let n = self.scop.array(id).extents[d].as_constant()?;
        Ok(Expr::Int(n.map_or(1, |n| n.floor())))
    }
}
