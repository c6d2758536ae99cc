//! Loops with several iterators, as loops with one.
//!
//! In: `for (n = 0, t = 0; n < steps; n++, t += dt) { .. }`. Out: `t = 0; for (n = 0; n < steps; n++) { ..; t += dt; }`. The iterator is
//! what the condition compares; what else the header does has to do without it where C has it elsewhere.

use super::promote::Around;
use super::tree::{self, Namer};
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Item, Stmt, StmtKind, Unit};

/// Leaves one iterator in the header of a loop; what goes before the loop then, or `None` where there is only one.
pub(super) fn iterators(unit: &mut Unit, namer: &mut Namer, stmt: &mut Stmt) -> Option<Around> {
    let StmtKind::For {
        init,
        cond,
        step,
        body,
    } = &stmt.kind
    else {
        return None;
    };
    let steps = listed(step.as_ref()?);
    let iterator = compared(cond.as_ref()?, &steps)?;
    let at = steps.iter().position(|e| changes(e, iterator))?;
    let own = steps[at].clone();
    let others: Vec<Expr> = [&steps[..at], &steps[at + 1..]].concat();
    let begins = init.as_deref().map(|init| parted(init, iterator, unit));
    let (begins, first) = match begins {
        Some(parts) => parts?,
        None => (None, Vec::new()),
    };
    let is_only = others.is_empty() && first.is_empty();
    let goes_on = walk::jumps(body, |kind| matches!(kind, StmtKind::Continue));
    let is_known = is_alone(&own, iterator)
        && others.iter().all(is_plain)
        && !steps[at + 1..].iter().any(|e| walk::mentions(e, iterator))
        && !others.iter().any(|e| changes(e, iterator));
    if is_only || goes_on && !others.is_empty() || !is_known {
        return None;
    }
    let span = stmt.span;
    let mut all = tree::block((**body).clone());
    all.extend(others.iter().map(tree::expr_stmt));
    stmt.kind = StmtKind::For {
        init: begins.map(Box::new),
        cond: cond.clone(),
        step: Some(own),
        body: Box::new(tree::stmt(span, StmtKind::Compound(all))),
    };
    for id in first.iter().flat_map(walk::declared) {
        namer.name_alone(unit, id);
    }
    Some(Around {
        before: first,
        ..Around::default()
    })
}

/// The expressions of a list with commas.
fn listed(expr: &Expr) -> Vec<Expr> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Comma, a, b) => [listed(a), listed(b)].concat(),
        _ => vec![expr.clone()],
    }
}

/// The only variable that a condition compares and that a step changes.
fn compared(cond: &Expr, steps: &[Expr]) -> Option<DeclId> {
    let mut named = std::collections::HashSet::new();
    walk::variables(cond, &mut named);
    named.retain(|id| steps.iter().any(|step| changes(step, *id)));
    let mut all = named.into_iter();
    all.next().filter(|_| all.next().is_none())
}

fn changes(expr: &Expr, id: DeclId) -> bool {
    walk::has(expr, |e| {
        tree::target(e).is_some_and(|to| tree::is_var(to, id))
    })
}

/// Whether a step changes the iterator by a number.
fn is_alone(step: &Expr, iterator: DeclId) -> bool {
    let mut named = std::collections::HashSet::new();
    walk::variables(step, &mut named);
    is_plain(step) && named.len() == 1 && named.contains(&iterator)
}

/// Whether an expression changes one variable, which it alone does.
fn is_plain(expr: &Expr) -> bool {
    let has_effects = |e: &Expr| {
        tree::target(e).is_some()
            || matches!(
                e.kind,
                ExprKind::Call(..) | ExprKind::Statements(_) | ExprKind::Other(_)
            )
    };
    let is_var = |to: &Expr| matches!(tree::plain(to).kind, ExprKind::Var(_));
    match &expr.kind {
        ExprKind::Assign(_, to, value) => is_var(to) && !walk::has(value, has_effects),
        ExprKind::Unary(op, of) if op.counts() => is_var(of),
        _ => false,
    }
}

/// What gives the iterator its first value, and what else stands there; `None` where one needs the other.
fn parted(init: &Stmt, iterator: DeclId, unit: &Unit) -> Option<(Option<Stmt>, Vec<Stmt>)> {
    let with = |kind| Stmt {
        kind,
        ..init.clone()
    };
    let all: Vec<Stmt> = match &init.kind {
        StmtKind::Expr(expr) => (listed(expr).into_iter())
            .map(|e| with(StmtKind::Expr(e)))
            .collect(),
        StmtKind::Decl(items) => {
            let alone = |item: &Item| with(StmtKind::Decl(vec![*item]));
            items.iter().map(alone).collect()
        }
        _ => return None,
    };
    let begins = |stmt: &Stmt| tree::begins(unit, stmt).is_some_and(|(id, _)| id == iterator);
    let (own, others): (Vec<Stmt>, Vec<Stmt>) = all.into_iter().partition(begins);
    let given = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Expr(expr) if is_plain(expr) => Some(tree::plain(tree::target(expr)?).clone()),
        StmtKind::Decl(_) => {
            let id = *walk::declared(stmt).first()?;
            let has_effects =
                |e: &Expr| tree::target(e).is_some() || matches!(e.kind, ExprKind::Call(..));
            let init = unit[id].init.as_ref();
            let is_plain = init.is_none_or(|init| !walk::has(init, has_effects));
            is_plain.then(|| tree::var(unit, id, stmt.span))
        }
        _ => None,
    };
    let is_apart = |stmt: &Stmt| {
        let to = given(stmt).map(|to| to.kind);
        matches!(to, Some(ExprKind::Var(id)) if !own.iter().any(|o| walk::uses(unit, o, id)))
            && !walk::uses(unit, stmt, iterator)
    };
    let is_known = own.len() < 2 && others.iter().all(is_apart);
    is_known.then(|| (own.into_iter().next(), others))
}
