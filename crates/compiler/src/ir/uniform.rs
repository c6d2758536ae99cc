//! What the threads of a block have in common, for conditions around barriers and exchanges.

use super::{Expr, Own, Program, Type, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The threads for which something is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Same {
    /// Perhaps for no two.
    None,
    /// For the lanes of a warp.
    Warp,
    /// For the threads of a block.
    Block,
}

/// For which threads variables are the same.
pub struct Sameness<'a> {
    program: &'a Program,
    /// Parameters that are the same for a block.
    pub uniform: BTreeSet<VarId>,
    /// What has been defined in kernels.
    defined: BTreeMap<VarId, Same>,
    /// Variables that are assigned what is not the same for a block, or where not all threads are.
    pub varying: BTreeSet<VarId>,
}

impl<'a> Sameness<'a> {
    /// Where nothing is known yet but variables that vary.
    pub fn new(program: &'a Program, varying: BTreeSet<VarId>) -> Sameness<'a> {
        Sameness {
            program,
            uniform: program.args.iter().copied().collect(),
            defined: BTreeMap::new(),
            varying,
        }
    }

    /// A variable is assigned a value, for threads for which the conditions around are that much the same.
    pub fn assign(&mut self, var: VarId, value: &Expr, around: Same) {
        if self.of(value).min(around) < Same::Block {
            self.varying.insert(var);
        }
    }

    /// A variable gets a value; `None` where it has none yet. Of several values the worst counts.
    pub fn define(&mut self, var: VarId, value: Option<&Expr>) {
        let same = value.map_or(Same::None, |value| self.of(value));
        let known = self.defined.entry(var).or_insert(same);
        *known = same.min(*known);
    }

    /// For which threads an expression is the same.
    pub fn of(&self, expr: &Expr) -> Same {
        let own = match expr {
            Expr::Own(Own::Block | Own::Blocks) => Same::Block,
            Expr::Own(Own::Warp) => Same::Warp,
            Expr::Own(Own::Lane | Own::Thread | Own::Column | Own::Row | Own::Layer)
            | Expr::Element { .. }
            | Expr::Behind { .. }
            | Expr::Item { .. }
            | Expr::Exchange { .. } => Same::None,
            Expr::Holds { condition, .. } => {
                self.defined.get(condition).copied().unwrap_or(Same::None)
            }
            Expr::Var(id) if self.varying.contains(id) => Same::None,
            Expr::Var(id) if self.uniform.contains(id) => Same::Block,
            Expr::Var(id) => match (self.defined.get(id), self.program.vars.get(id.0 as usize)) {
                (Some(known), _) => *known,
                (None, Some(var)) if var.ty == Type::Flag => Same::Block,
                (None, _) => Same::None,
            },
            _ => Same::Block,
        };
        let below = expr.children().into_iter().map(|child| self.of(child));
        below.fold(own, Same::min)
    }
}
