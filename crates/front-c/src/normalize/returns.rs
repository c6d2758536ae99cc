//! Functions that return in several places.
//!
//! In: `if (a * b <= 0) return 0; double s = a < b ? a : b; return 2 * s;`. Out: `return a * b <= 0 ? 0 : 2 * (a < b ? a : b);`.
//! pet takes in functions with one `return`, as their last statement.
//!
//! From the first statement on in which the function returns, variables of numbers stand for the expressions that they have been
//! assigned, each where it is used: what is computed under a condition stays under it.

use super::forward::{Part, Scene};
use super::values::converted;
use super::{inline, peel, scalars, tree, walk};
use hexcc_clang::ast::{
    BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, Storage, TypeId, TypeKind, Unit,
};
use std::collections::HashMap;

/// Parts of the expression that a function returns, at most.
const MOST: usize = 300;

/// What variables stand for; nothing before they are assigned.
type Known = HashMap<DeclId, Option<Expr>>;

/// Has one `return` stand for several of them in a function that gives a number.
pub(super) fn returns(scene: &mut Scene, part: &mut Part) -> bool {
    let Some(ty) = part.result(&scene.unit) else {
        return false;
    };
    let StmtKind::Compound(all) = &mut part.root.kind else {
        return false;
    };
    let Some(first) = all.iter().position(returns_in) else {
        return false;
    };
    if first + 1 == all.len() && matches!(all[first].kind, StmtKind::Return(_)) {
        return false;
    }
    let mut values = Values {
        unit: &scene.unit,
        ty,
        left: MOST,
    };
    let open: Vec<&Stmt> = all[first..].iter().collect();
    let Some(value) = values.returned(&open, Known::new()) else {
        return false;
    };
    all.truncate(first + 1);
    all[first].kind = StmtKind::Return(Some(value));
    true
}

/// Whether a function may return in a statement.
fn returns_in(stmt: &Stmt) -> bool {
    walk::jumps(stmt, |kind| matches!(kind, StmtKind::Return(_)))
}

struct Values<'u> {
    unit: &'u Unit,
    /// What the function returns.
    ty: TypeId,
    /// Parts that an expression may still have.
    left: usize,
}

impl Values<'_> {
    /// The value that statements return, one behind the other.
    fn returned<'s>(&mut self, all: &[&'s Stmt], mut known: Known) -> Option<Expr> {
        let (first, rest) = all.split_first()?;
        match &first.kind {
            StmtKind::Return(Some(value)) => self.value(value, &known, self.ty),
            StmtKind::Compound(inner) => {
                let all: Vec<&Stmt> = inner.iter().chain(rest.iter().copied()).collect();
                self.returned(&all, known)
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } if returns_in(first) => {
                let behind = |branch: Option<&'s Stmt>| -> Vec<&'s Stmt> {
                    branch.into_iter().chain(rest.iter().copied()).collect()
                };
                let cond = self.value(cond, &known, cond.ty)?;
                let yes = self.returned(&behind(Some(then)), known.clone())?;
                let no = self.returned(&behind(otherwise.as_deref()), known)?;
                Some(either(cond, yes, no, self.ty))
            }
            _ => {
                self.run(first, &mut known)?;
                self.returned(rest, known)
            }
        }
    }

    /// Follows a statement that does not return.
    fn run(&mut self, stmt: &Stmt, known: &mut Known) -> Option<()> {
        match &stmt.kind {
            StmtKind::Null => Some(()),
            StmtKind::Compound(all) => all.iter().try_for_each(|stmt| self.run(stmt, known)),
            StmtKind::Decl(items) => {
                let ids = walk::declared(stmt);
                if ids.len() != items.len() {
                    return None;
                }
                for id in ids {
                    let init = self.unit[id].init.as_ref();
                    let value = init.map(|init| self.assigned(id, init, known));
                    let value = match value {
                        Some(value) => Some(value?),
                        None => None,
                    };
                    known.insert(id, value);
                }
                Some(())
            }
            StmtKind::Expr(_) => {
                let (op, to, value) = tree::assigns(stmt)?;
                let id = tree::variable_of(to)?;
                let value = match op {
                    None => value.clone(),
                    // What is computed has the type of what stands behind the operator.
                    Some(BinaryOp::ShiftLeft | BinaryOp::ShiftRight) => return None,
                    Some(op) => {
                        let own = converted(self.unit, to.clone(), value.ty);
                        let computed = tree::binary(op, own, value.clone());
                        Expr {
                            ty: value.ty,
                            ..computed
                        }
                    }
                };
                let value = self.assigned(id, &value, known)?;
                known.insert(id, Some(value));
                Some(())
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let cond = self.value(cond, known, cond.ty)?;
                let mut others = known.clone();
                self.run(then, known)?;
                if let Some(otherwise) = otherwise {
                    self.run(otherwise, &mut others)?;
                }
                let inner = walk::all_declared(stmt);
                let changed = scalars::changed(self.unit, stmt).into_iter();
                let mut ids: Vec<DeclId> = changed.filter(|id| !inner.contains(id)).collect();
                ids.sort_by_key(|id| id.0);
                for id in ids {
                    let value = self.one_of(id, &cond, (known, &others))?;
                    known.insert(id, value);
                }
                Some(())
            }
            _ => None,
        }
    }

    /// What a variable stands for where a condition has decided between two ways.
    fn one_of(
        &mut self,
        id: DeclId,
        cond: &Expr,
        (yes, no): (&Known, &Known),
    ) -> Option<Option<Expr>> {
        let as_before = || Some(tree::var(self.unit, id, cond.span));
        let [yes, no] = [yes, no].map(|known| known.get(&id).cloned().unwrap_or_else(as_before));
        let (Some(yes), Some(no)) = (yes, no) else {
            return Some(None);
        };
        let value = either(cond.clone(), yes, no, self.unit[id].ty);
        self.count(&value)?;
        Some(Some(value))
    }

    /// What a variable of the function stands for that an expression is assigned to.
    fn assigned(&mut self, id: DeclId, value: &Expr, known: &Known) -> Option<Expr> {
        let decl = &self.unit[id];
        let is_own = matches!(decl.storage, Storage::None | Storage::Register)
            && scalars::is_automatic(self.unit, id)
            && scalars::is_arithmetic(self.unit, decl.ty)
            && !scalars::is_pointed_to(self.unit, id);
        is_own.then(|| self.value(value, known, decl.ty)).flatten()
    }

    /// An expression in a type, with what its variables stand for.
    fn value(&mut self, expr: &Expr, known: &Known, ty: TypeId) -> Option<Expr> {
        let is_open = |e: &Expr| match e.kind {
            ExprKind::Var(id) => matches!(known.get(&id), Some(None)),
            ExprKind::Compound(_) => true,
            _ => false,
        };
        if walk::has(expr, is_open) || !peel::is_pure(self.unit, expr) {
            return None;
        }
        let known = known
            .iter()
            .filter_map(|(id, value)| Some((*id, value.clone()?)));
        let mut value = expr.clone();
        inline::substitute(&mut value, &known.collect());
        self.count(&value)?;
        Some(converted(self.unit, value, ty))
    }

    fn count(&mut self, value: &Expr) -> Option<()> {
        let mut n = 0;
        walk::visit(value, &mut |_| {
            n += 1;
            true
        });
        self.left = self.left.checked_sub(n)?;
        Some(())
    }
}

fn either(cond: Expr, yes: Expr, no: Expr, ty: TypeId) -> Expr {
    let span = cond.span;
    let kind = ExprKind::Cond(Box::new(cond), Box::new(yes), Box::new(no));
    Expr { ty, span, kind }
}

impl Part {
    /// The type of numbers that its function gives, if the part is one without jumps.
    fn result(&self, unit: &Unit) -> Option<TypeId> {
        let function = self.function_alone()?;
        let TypeKind::Function { result, .. } = unit[unit[function].ty].kind else {
            return None;
        };
        scalars::is_arithmetic(unit, result).then_some(result)
    }
}
