//! Numbers of the cells that are wanted of the last step alone.
//!
//! In: `for (n = 0; n < steps; n++) { r = 0; for (..) { .. r += d * d; } }`, where each step begins `r` anew and nothing in the
//! loop reads it. Out: the last step apart, and all others without `r`.
//!
//! ```c
//! n = 0;
//! while (n < steps) {
//!   for (n = 0; n + 1 < steps; n++) { for (..) { .. } }
//!   r = 0; for (..) { .. r += d * d; }
//!   n++;
//! }
//! ```

use super::scalars;
use super::strip_mine::STEPS;
use super::tree;
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, Callee, DeclId, Expr, ExprKind, Span, Stmt, StmtKind, UnaryOp, Unit,
};
use std::collections::HashSet;

/// Parts the last step from the loop over the steps in a statement; whether it has.
pub(super) fn peel(unit: &mut Unit, stmt: &mut Stmt) -> bool {
    if stmt.id == STEPS {
        let parted = parted(unit, stmt);
        let found = parted.is_some();
        if let Some(parted) = parted {
            *stmt = parted;
        }
        return found;
    }
    walk::inner_mut(stmt)
        .into_iter()
        .any(|inner| peel(unit, inner))
}

/// The loop over all steps but the last one, and this.
fn parted(unit: &mut Unit, stmt: &Stmt) -> Option<Stmt> {
    let (init, [cond, step], body) = tree::counted(stmt)?;
    let body = tree::block(body.clone());
    let (iterator, start) = tree::begins(unit, init)?;
    let start = start.clone();
    let is_known = tree::adds_one(step, iterator) && !body.iter().any(|s| jumps_or_calls(unit, s));
    let wanted_last = wanted_last(unit, stmt, &body);
    if wanted_last.is_empty() || !is_known {
        return None;
    }
    let ahead = one_ahead(unit, cond, (iterator, &start), &body)?;
    let mut others = body.clone();
    remove(unit, &mut others, &wanted_last);
    let first = tree::assign(tree::var(unit, iterator, stmt.span), start.clone());
    let others = StmtKind::For {
        init: Some(Box::new(first)),
        cond: Some(ahead),
        step: Some(step.clone()),
        body: Box::new(tree::stmt(stmt.span, StmtKind::Compound(others))),
    };
    let others = Stmt {
        kind: others,
        ..stmt.clone()
    };
    let next = tree::expr_stmt(step);
    let all = std::iter::once(others).chain(body).chain([next]).collect();
    let head = (init, cond, stmt.span);
    Some(once(unit, head, (iterator, start), all))
}

/// Statements that run to the last step, if there is any: `n = 0; while (n < steps) { .. }`, in the place of a loop with this
/// head.
pub(super) fn once(
    unit: &mut Unit,
    (init, cond, span): (&Stmt, &Expr, Span),
    (iterator, start): (DeclId, Expr),
    body: Vec<Stmt>,
) -> Stmt {
    let mut all = Vec::new();
    if matches!(init.kind, StmtKind::Decl(_)) {
        unit[iterator].init = None;
        all.push(init.clone());
    }
    all.push(tree::assign(tree::var(unit, iterator, span), start));
    let once = StmtKind::While {
        cond: cond.clone(),
        body: Box::new(tree::stmt(span, StmtKind::Compound(body))),
    };
    all.push(tree::stmt(span, once));
    tree::stmt(span, StmtKind::Compound(all))
}

/// The condition that there is one more step behind the next: `n + 1 < steps`. `None` where that is not known before the step.
fn one_ahead(
    unit: &Unit,
    cond: &Expr,
    (iterator, start): (DeclId, &Expr),
    body: &[Stmt],
) -> Option<Expr> {
    let (op, to) = end_of(unit, cond, (iterator, start), body)?;
    let from = tree::var(unit, iterator, cond.span);
    let one = tree::int(&from, 1);
    let next = tree::binary(BinaryOp::Add, from, one);
    let kind = ExprKind::Binary(op, Box::new(next), Box::new(to.clone()));
    Some(Expr {
        kind,
        ..cond.clone()
    })
}

/// Whether steps run before an end or up to it, and the end, which no step changes: `n < steps`.
pub(super) fn end_of<'e>(
    unit: &Unit,
    cond: &'e Expr,
    (iterator, start): (DeclId, &Expr),
    body: &[Stmt],
) -> Option<(BinaryOp, &'e Expr)> {
    let ExprKind::Binary(op @ (BinaryOp::Less | BinaryOp::LessEqual), from, to) = &cond.kind else {
        return None;
    };
    let changed: HashSet<DeclId> = body
        .iter()
        .flat_map(|s| scalars::changed(unit, s))
        .collect();
    let is_fixed = |e: &Expr| match &e.kind {
        ExprKind::Var(id) => {
            !changed.contains(id) && *id != iterator && !scalars::is_pointed_to(unit, *id)
        }
        ExprKind::Int(_) | ExprKind::Binary(..) | ExprKind::Cast { .. } => true,
        _ => false,
    };
    let mut is_known = tree::is_var(from, iterator) && !changed.contains(&iterator);
    for value in [start, &**to] {
        is_known &= !walk::has(value, |e| !is_fixed(e));
    }
    is_known &= !scalars::is_pointed_to(unit, iterator);
    is_known.then_some((*op, &**to))
}

/// Whether a statement leaves the loop, or calls what may read any variable or do more.
pub(super) fn jumps_or_calls(unit: &Unit, stmt: &Stmt) -> bool {
    walk::leaves(stmt) || walk::any(unit, stmt, |e| calls_out(unit, e))
}

/// Whether an expression calls what does more than compute.
pub(super) fn calls_out(unit: &Unit, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(Callee::Function(f), _) => !scalars::computes(unit, *f),
        ExprKind::Call(..) | ExprKind::Statements(_) | ExprKind::VaArg(_) | ExprKind::Other(_) => {
            true
        }
        _ => false,
    }
}

/// Whether an expression assigns to nothing, reads nothing volatile, and calls nothing but functions that compute.
pub(super) fn is_pure(unit: &Unit, expr: &Expr) -> bool {
    !walk::has(expr, |e| {
        tree::target(e).is_some() || calls_out(unit, e) || unit[e.ty].is_volatile
    })
}

/// The numbers that each step begins anew, and that are gathered in loops over cells for nothing else in the loop.
fn wanted_last(unit: &Unit, stmt: &Stmt, body: &[Stmt]) -> HashSet<DeclId> {
    let anew = |stmt: &Stmt| {
        let (id, value) = assigned(unit, stmt)?;
        value.is_some_and(|v| !walk::mentions(v, id)).then_some(id)
    };
    let begun: HashSet<DeclId> = body.iter().filter_map(anew).collect();
    let own = walk::all_declared(stmt);
    let is_wanted = |id: &DeclId| {
        let decl = &unit[*id];
        let first = body.iter().find(|stmt| walk::uses(unit, stmt, *id));
        let mut n_gathered = 0;
        scalars::is_arithmetic(unit, decl.ty)
            && !unit.canonical(decl.ty).is_volatile
            && !unit[decl.ty].is_volatile
            && !decl.is_thread_local
            && !own.contains(id)
            && first.and_then(anew) == Some(*id)
            && body
                .iter()
                .all(|s| gathers(unit, s, *id, (false, &mut n_gathered)))
            && n_gathered > 0
            && !scalars::is_pointed_to(unit, *id)
    };
    begun.into_iter().filter(is_wanted).collect()
}

/// The variable that a statement alone assigns to, and its value where that is no sum with it.
pub(super) fn assigned<'s>(unit: &Unit, stmt: &'s Stmt) -> Option<(DeclId, Option<&'s Expr>)> {
    let StmtKind::Expr(expr) = &stmt.kind else {
        return None;
    };
    let (to, value) = match &expr.kind {
        ExprKind::Assign(None, to, value) => (&**to, Some(&**value)),
        ExprKind::Assign(Some(_), to, value) if is_pure(unit, value) => (&**to, None),
        ExprKind::Unary(UnaryOp::AddressOf, _) => return None,
        ExprKind::Unary(..) => (tree::target(expr)?, None),
        _ => return None,
    };
    let id = tree::variable_of(to)?;
    value
        .is_none_or(|value| is_pure(unit, value))
        .then_some((id, value))
}

/// Whether a statement uses a variable only to assign to it, and how often it does so in loops.
fn gathers(
    unit: &Unit,
    stmt: &Stmt,
    id: DeclId,
    (in_loop, n_gathered): (bool, &mut usize),
) -> bool {
    if !walk::uses(unit, stmt, id) {
        return true;
    }
    if is_removed(unit, stmt, &HashSet::from([id])) {
        *n_gathered += usize::from(in_loop);
        return true;
    }
    let mut own = false;
    walk::exprs(unit, stmt, &mut |e| own |= walk::mentions(e, id));
    let in_loop = in_loop || matches!(stmt.kind, StmtKind::For { .. });
    let inner = walk::inner(stmt);
    !own && inner
        .into_iter()
        .all(|s| gathers(unit, s, id, (in_loop, &mut *n_gathered)))
}

/// Whether a statement does nothing but assign to some variables: `r += d`, `if (d > r) r = d;`.
fn is_removed(unit: &Unit, stmt: &Stmt, ids: &HashSet<DeclId>) -> bool {
    match &stmt.kind {
        StmtKind::If {
            cond,
            then,
            otherwise: None,
        } => is_pure(unit, cond) && is_removed(unit, then, ids),
        StmtKind::Compound(all) => {
            !all.is_empty() && all.iter().all(|stmt| is_removed(unit, stmt, ids))
        }
        _ => assigned(unit, stmt).is_some_and(|(id, _)| ids.contains(&id)),
    }
}

/// Takes the statements away that only assign to some variables.
pub(super) fn remove(unit: &Unit, all: &mut Vec<Stmt>, ids: &HashSet<DeclId>) {
    all.retain(|stmt| !is_removed(unit, stmt, ids));
    for stmt in all {
        remove_in(unit, stmt, ids);
    }
}

fn remove_in(unit: &Unit, stmt: &mut Stmt, ids: &HashSet<DeclId>) {
    if let StmtKind::Compound(all) = &mut stmt.kind {
        return remove(unit, all, ids);
    }
    if let StmtKind::If {
        cond,
        then,
        otherwise,
    } = &mut stmt.kind
        && is_removed(unit, then, ids)
        && let Some(other) = otherwise.take()
    {
        if is_removed(unit, &other, ids) && is_pure(unit, cond) {
            stmt.kind = StmtKind::Null;
            return;
        }
        let not = ExprKind::Unary(UnaryOp::Not, Box::new(cond.clone()));
        (cond.kind, **then) = (not, *other);
    }
    for inner in walk::inner_mut(stmt) {
        match is_removed(unit, inner, ids) {
            true => inner.kind = StmtKind::Compound(Vec::new()),
            false => remove_in(unit, inner, ids),
        }
    }
}
