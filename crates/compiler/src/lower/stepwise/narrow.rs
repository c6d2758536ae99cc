//! Indices of 32 bits: what kernels compute fits into them where sizes are not too large.

use super::{Lowering, dim_name, position};
use crate::ctype::CType;
use crate::diag::Result;
use crate::interface::Interface;
use crate::ir::Expr;
use crate::lower::affine::{
    NARROW_ITERATOR, NARROW_SIZE, from_isl, keeps_narrow, magnitude, magnitude_where,
};
use crate::tiling::hyperplanes::Hyperplanes;
use crate::tiling::stepwise::Step;
use hexcc_isl::{AstBuild, AstExpr, AstNode, PwAff};

impl Lowering<'_> {
    /// The condition that sizes are not too large for indices of 32 bits.
    pub(super) fn narrow_sizes(&self, interface: &Interface) -> Result<Option<Expr>> {
        let number = |text: &str| Expr::Literal {
            text: text.to_string(),
            ty: CType::Double,
        };
        let mut conditions = Vec::new();
        for size in self.args.values() {
            let most = || Expr::Int(NARROW_SIZE);
            conditions.push(Expr::binary("<=", size.clone(), most()));
            let negative = Expr::Int(-NARROW_SIZE);
            conditions.push(Expr::binary(">=", size.clone(), negative));
        }
        for array in &interface.arrays {
            let mut elements: Option<Expr> = None;
            for extent in &array.extents {
                // A product of integers could overflow.
                let extent = Expr::Cast {
                    ty: CType::Double,
                    arg: Box::new(from_isl(extent, &self.args)?),
                };
                elements = Some(match elements {
                    Some(elements) => Expr::binary("*", elements, extent),
                    None => extent,
                });
            }
            let less = |elements| Expr::binary("<", elements, number("2147483648.0"));
            conditions.extend(elements.map(less));
        }
        let all = conditions
            .into_iter()
            .reduce(|a, b| Expr::binary("&&", a, b));
        Ok(all)
    }

    /// Whether all loops of a step as the program has them stay in the range of iterators where sizes
    /// are not too large, and hyperplanes in twice that range.
    pub(super) fn has_narrow_loops(&self, step: &Step, hyperplanes: &Hyperplanes) -> Result<bool> {
        let context = AstBuild::from_context(&self.scop.context.params()?)?;
        let is_narrow = |end: PwAff, most: f64| -> Result<bool> {
            let end = context.expr_from_pw_aff(&end.coalesce()?)?;
            Ok(magnitude(&end) <= most)
        };
        let mut sets = Vec::new();
        for s in &step.stmts {
            let times = self.scop.stmts[*s].schedule.range()?;
            for &d in &hyperplanes.dims {
                sets.push((times.along(position(d))?, NARROW_ITERATOR));
            }
        }
        let sums = self.times(step)?.along(position(hyperplanes.sum()))?;
        sets.push((sums.remove_divs()?, 2.0 * NARROW_ITERATOR));
        for (set, most) in sets {
            if !(is_narrow(set.dim_min(0)?, most)? && is_narrow(set.dim_max(0)?, most)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What fits into 32 bits where sizes do.
pub(super) struct Range {
    /// The loop over hyperplanes: its numbers are up to twice as large as those of other loops.
    front: Option<String>,
}

impl Range {
    pub fn of(step: &Step) -> Range {
        let hyperplanes = step.hyperplanes.as_ref();
        Range {
            front: hyperplanes.map(|h| dim_name(h.sum())),
        }
    }

    fn fits(&self, e: &AstExpr) -> bool {
        magnitude_where(e, self.front.as_deref()) < f64::from(i32::MAX)
    }

    /// Whether what is an iteration of a loop of the program is in the range of iterators; what follows
    /// from a hyperplane is wherever loops are.
    pub fn holds_instance(&self, e: &AstExpr) -> bool {
        match self.front {
            None => magnitude(e) <= NARROW_ITERATOR,
            Some(_) => self.fits(e),
        }
    }

    /// Whether all that the loops of a thread compute fits.
    pub fn holds(&self, node: &AstNode) -> bool {
        match node {
            AstNode::Block(nodes) => nodes.iter().all(|node| self.holds(node)),
            AstNode::If { cond, yes, no } => {
                let no = no.as_ref().is_none_or(|no| self.holds(no));
                self.fits(cond) && self.holds(yes) && no
            }
            AstNode::For {
                iterator,
                init,
                cond,
                inc,
                body,
            } => {
                let cond = cond
                    .as_ref()
                    .is_none_or(|cond| self.fits(cond) && keeps_narrow(cond, iterator));
                cond && magnitude(init) <= NARROW_ITERATOR && self.fits(inc) && self.holds(body)
            }
            AstNode::User { args, .. } => args.iter().all(|a| self.holds_instance(a)),
        }
    }
}
