//! The elements that the threads of a launch fold values into.

use super::{Lowering, dim_name, position};
use crate::diag::{Diagnostic, Result};
use crate::ir::{Expr, Reduction, Type};
use crate::lower::affine::{Env, from_isl};
use crate::tiling::stepwise::Step;
use hexcc_isl::{AstBuild, DimType};
use std::collections::BTreeMap;

impl Lowering<'_> {
    /// The elements that the threads of a step fold values into, in the order of their arrays.
    pub(super) fn reductions(&mut self, step: &Step, env: &Env) -> Result<Vec<Reduction>> {
        let mut by_array = BTreeMap::new();
        for (s, reduction) in &step.reductions {
            by_array.entry(reduction.array).or_insert((*s, reduction));
        }
        let mut all = Vec::new();
        for (array, (s, reduction)) in by_array {
            let base = self.arrays.get(&array).copied();
            let base = base.ok_or_else(|| Box::new(Diagnostic::bug("an array from nowhere")))?;
            let name = format!("{}_part", self.scop.array(array).name);
            all.push(Reduction {
                part: self.program.add_var(&name, Type::Part(reduction.ty), false),
                base,
                index: self.folded_element(step, s, env)?,
                fold: reduction.fold,
                ty: reduction.ty,
                ordered: (step.reductions.values()).any(|r| r.array == array && r.ordered),
            });
        }
        Ok(all)
    }

    /// The number of the one element that a statement of a step writes in a launch.
    fn folded_element(&self, step: &Step, s: usize, env: &Env) -> Result<Expr> {
        let bug = || Box::new(Diagnostic::bug("a reduction of no statement"));
        let (stmt, order) = (&self.scop.stmts[s], step.orders.get(&s).ok_or_else(bug)?);
        let mut at = order.schedule.reverse()?.apply_range(&stmt.write.map)?;
        for e in (0..self.plan.depth).rev() {
            at = match step.host.contains(&e) {
                true => {
                    let n = at.dim(DimType::Param)?;
                    let named = at.set_dim_name(DimType::In, position(e), &dim_name(e))?;
                    named.move_dims(DimType::Param, position(n), DimType::In, position(e), 1)?
                }
                false => at.project_out(DimType::In, position(e), 1)?,
            };
        }
        let elements = at.range()?;
        let build = AstBuild::from_context(&self.context(step, &step.host)?)?;
        let mut index = Expr::Int(0);
        for d in 0..elements.dim(DimType::Set)? {
            if d > 0 {
                index = index.times(self.extent(stmt.write.array, d)?);
            }
            let subscript = elements.dim_max(position(d))?.coalesce()?;
            let subscript = build.expr_from_pw_aff(&subscript)?;
            index = index.plus(from_isl(&subscript, env)?);
        }
        Ok(index)
    }
}
