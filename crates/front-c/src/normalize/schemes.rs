//! Sweeps of which a condition chooses one, as one sweep over cells that choose.
//!
//! In: `if (scheme == 0) for (..) v[i] = u[i]; else for (..) v[i] = u[i - 1];`, where nothing in these loops changes what the condition
//! asks. Out: `for (..) v[i] = scheme == 0 ? u[i] : u[i - 1];`.

use super::numbers;
use super::scalars;
use super::tree;
use super::values::{around, changes_any, converted, same_place, same_type};
use super::walk;
use hexcc_clang::ast::{DeclId, Expr, ExprKind, Stmt, StmtKind, UnaryOp, Unit};
use std::collections::HashSet;

/// Makes one sweep of those that a condition chooses among; whether there are any.
pub(super) fn schemes(unit: &mut Unit, globals: &HashSet<DeclId>, body: &mut [Stmt]) -> bool {
    let mut found = false;
    for stmt in body {
        if let StmtKind::Compound(all) = &mut stmt.kind {
            found |= schemes(unit, globals, all);
        } else if let Some(sweep) = joined(unit, globals, stmt) {
            *stmt = sweep;
            found = true;
        }
    }
    found
}

/// The one sweep that the branches of a statement are.
fn joined(unit: &mut Unit, globals: &HashSet<DeclId>, stmt: &Stmt) -> Option<Stmt> {
    let StmtKind::If {
        cond,
        then,
        otherwise: Some(otherwise),
    } = &stmt.kind
    else {
        return None;
    };
    let yes = sweep(unit, globals, then)?;
    let no = sweep(unit, globals, otherwise)?;
    if [&yes, &no].iter().any(|of| !stays(unit, globals, cond, of)) {
        return None;
    }
    let both = both(unit, cond, (&yes, &no))?;
    (!hides(unit, &both)).then_some(both)
}

/// The loop that a branch is.
fn sweep(unit: &mut Unit, globals: &HashSet<DeclId>, branch: &Stmt) -> Option<Stmt> {
    match &branch.kind {
        StmtKind::Compound(all) => match all.as_slice() {
            [one] => sweep(unit, globals, one),
            _ => None,
        },
        StmtKind::If { .. } => joined(unit, globals, branch),
        StmtKind::For { .. } => Some(branch.clone()),
        _ => None,
    }
}

/// Whether a condition on variables of a function is the same throughout a statement.
fn stays(unit: &Unit, globals: &HashSet<DeclId>, cond: &Expr, during: &Stmt) -> bool {
    let changed = scalars::changed(unit, during);
    let may_change = |e: &Expr| match &e.kind {
        ExprKind::Var(_) if numbers::value(unit, e).is_some() => false,
        ExprKind::Var(id) => {
            let decl = &unit[*id];
            changed.contains(id)
                || globals.contains(&decl.first)
                || scalars::is_pointed_to(unit, *id)
                || tree::is_somewhere(unit, decl.ty, |ty| ty.is_volatile)
        }
        ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::Call(..) => true,
        ExprKind::Unary(UnaryOp::Deref, _) => true,
        _ => false,
    };
    !changes_any(cond)
        && !walk::has(cond, may_change)
        && !walk::any(unit, during, |e| scalars::calls_out(unit, e))
}

/// A statement that does what one of two does, which a condition chooses.
fn both(unit: &mut Unit, cond: &Expr, (yes, no): (&Stmt, &Stmt)) -> Option<Stmt> {
    let kind = match (&yes.kind, &no.kind) {
        (StmtKind::For { .. }, StmtKind::For { .. }) => {
            let no = with_iterator_of(unit, yes, no)?;
            let (StmtKind::For { body: a, .. }, StmtKind::For { body: b, .. }) =
                (&yes.kind, &no.kind)
            else {
                return None;
            };
            let [a, b] = [a, b].map(|body| tree::block((**body).clone()));
            if a.len() != b.len() {
                return None;
            }
            let pairs = a.iter().zip(&b);
            let all: Option<Vec<Stmt>> = pairs.map(|pair| both(unit, cond, pair)).collect();
            let mut sweep = yes.kind.clone();
            if let StmtKind::For { body, .. } = &mut sweep {
                **body = tree::stmt(body.span, StmtKind::Compound(all?));
            }
            sweep
        }
        (StmtKind::Expr(yes), StmtKind::Expr(no)) => StmtKind::Expr(chosen(unit, cond, (yes, no))?),
        _ => return None,
    };
    Some(Stmt {
        kind,
        span: around(yes.span, no.span),
        ..yes.clone()
    })
}

/// An assignment of one of two values to the same place.
fn chosen(unit: &mut Unit, cond: &Expr, (yes, no): (&Expr, &Expr)) -> Option<Expr> {
    let (ExprKind::Assign(None, to, a), ExprKind::Assign(None, its, b)) = (&yes.kind, &no.kind)
    else {
        return None;
    };
    let is_number = scalars::is_arithmetic(unit, to.ty)
        && !tree::is_somewhere(unit, to.ty, |ty| ty.is_volatile);
    if !is_number || !same_place(unit, to, its) || changes_any(a) || changes_any(b) {
        return None;
    }
    let ty = tree::unqualified(unit, to.ty);
    let [a, b] = [a, b].map(|value| Box::new(converted(unit, (**value).clone(), ty)));
    let value = Expr {
        ty,
        span: yes.span,
        kind: ExprKind::Cond(Box::new(cond.clone()), a, b),
    };
    Some(Expr {
        kind: ExprKind::Assign(None, to.clone(), Box::new(value)),
        span: around(yes.span, no.span),
        ..yes.clone()
    })
}

/// A loop with the iterator of another one that counts the same numbers.
fn with_iterator_of(unit: &mut Unit, of: &Stmt, stmt: &Stmt) -> Option<Stmt> {
    let heads = [of, stmt].map(|stmt| match &stmt.kind {
        StmtKind::For { init, .. } => tree::begins(unit, init.as_deref()?).map(|(id, _)| id),
        _ => None,
    });
    let [Some(wanted), Some(own)] = heads else {
        return None;
    };
    let declares = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::For { init: Some(init), .. } if matches!(init.kind, StmtKind::Decl(_)));
    let mut renamed = stmt.clone();
    if own != wanted {
        if !declares(of) || !declares(stmt) || !same_type(unit, unit[own].ty, unit[wanted].ty) {
            return None;
        }
        walk::change_all(unit, &mut renamed, &mut |expr| {
            if let ExprKind::Var(id) = &mut expr.kind
                && *id == own
            {
                *id = wanted;
            }
            true
        });
    }
    let [a, b] = [(of, wanted), (&renamed, own)].map(|(stmt, id)| Head::of(unit, stmt, id));
    a?.is(unit, &b?).then_some(renamed)
}

/// What a loop counts.
struct Head<'a> {
    first: &'a Expr,
    cond: &'a Expr,
    step: &'a Expr,
}

impl<'a> Head<'a> {
    fn of(unit: &'a Unit, stmt: &'a Stmt, iterator: DeclId) -> Option<Head<'a>> {
        let (init, [cond, step], _) = tree::counted(stmt)?;
        let first = match &init.kind {
            StmtKind::Decl(_) => unit[iterator].init.as_ref()?,
            _ => tree::begins(unit, init)?.1,
        };
        Some(Head { first, cond, step })
    }

    fn is(&self, unit: &Unit, other: &Head) -> bool {
        let steps = tree::target(self.step).map(tree::plain);
        let Some(ExprKind::Var(iterator)) = steps.map(|of| &of.kind) else {
            return false;
        };
        let counts = |head: &Head| tree::adds_one(head.step, *iterator);
        let pairs = [(self.first, other.first), (self.cond, other.cond)];
        let same = |(a, b): (&Expr, &Expr)| !changes_any(a) && numbers::same(unit, a, b);
        counts(self) && counts(other) && pairs.into_iter().all(same)
    }
}

/// Whether a statement declares the name of another variable that it uses.
fn hides(unit: &Unit, stmt: &Stmt) -> bool {
    let declared = walk::all_declared(stmt);
    walk::any(unit, stmt, |expr| {
        let ExprKind::Var(id) = expr.kind else {
            return false;
        };
        let other = |own: &DeclId| *own != id && unit[*own].name == unit[id].name;
        declared.iter().any(other)
    })
}
