//! Ghost cells that each step copies from the other end of the domain.
//!
//! In: `for (n = 0; n < steps; n++) { u[0] = u[cells]; u[cells + 1] = u[1]; for (..) { .. } }`. Tiles do without ghost cells, so
//! that these are old when the steps are done. Out: the steps that are to be tiled, and behind them the last ones as they
//! are, which leave every cell as C does.
//!
//! ```c
//! n = 0;
//! while (n < steps) {
//!   int n_steps = steps - n > 2 ? steps - n - 2 : 0;
//!   for (int step = 0; step < n_steps; step++) { .. }
//!   n += n_steps;
//!   ..
//!   n++;
//! }
//! ```
//!
//! Where a step ends with copies, the loop begins with the rest of the first step, and its steps with the copies of the one
//! before: `for (..) { STEP; COPIES }` is `STEP; for (..) { COPIES; STEP } COPIES`.

use super::numbers;
use super::peel::{end_of, once};
use super::scalars;
use super::strip_mine::STEPS;
use super::tree::{self, Namer};
use super::walk;
use crate::emit;
use hexcc_clang::ast::{
    BinaryOp, Builtin, DeclId, Expr, ExprKind, Stmt, StmtKind, Storage, TypeId, TypeKind, Unit,
};
use std::collections::HashSet;

/// How many steps follow those that are to be tiled: as many as there are planes.
pub(super) const FOLLOWING: u32 = 2;

/// The loop over all steps with the last ones apart; `None` where no step copies ghost cells, or where its number matters.
pub(super) fn parted(unit: &mut Unit, namer: &mut Namer, stmt: &Stmt) -> Option<Stmt> {
    let (init, [cond, step], body) = tree::counted(stmt)?;
    let body = tree::block(body.clone());
    let (iterator, start) = tree::begins(unit, init)?;
    let start = start.clone();
    let is_plain = tree::adds_one(step, iterator)
        && matches!(tree::plain(&start).kind, ExprKind::Int(first) if first >= 0)
        && is_int(unit, unit[iterator].ty)
        && walk::all_declared(stmt)
            .into_iter()
            .all(|id| unit[id].storage == Storage::None)
        && !super::globals(unit).contains(&unit[iterator].first)
        && !body
            .iter()
            .any(|s| walk::uses(unit, s, iterator) || jumps_or_calls_out(unit, s));
    if !is_plain || !copies_ghosts(unit, &body) {
        return None;
    }
    let end = end_of(unit, cond, (iterator, &start), &body)?;
    if !is_int(unit, end.1.ty) {
        return None;
    }
    let (first, copies) = body.split_at(without_last_copies(unit, &body));
    let body = [copies, first].concat();
    let is_turned = !copies.is_empty();
    let mut make = Make { unit, namer, stmt };
    let n_steps = make.n_steps(iterator, end);
    let steps = make.steps(n_steps, body.clone());
    let add = Expr {
        kind: ExprKind::Assign(
            Some(BinaryOp::Add),
            Box::new(make.var(iterator)),
            Box::new(make.var(n_steps)),
        ),
        ..make.var(iterator)
    };
    let mut all = vec![tree::declaration(make.unit, n_steps), steps];
    all.push(tree::stmt(stmt.span, StmtKind::Expr(add)));
    let next = tree::expr_stmt(step);
    all.extend(body.iter().chain([&next]).cloned());
    let head = (init, cond, stmt.span);
    let mut whole = once(unit, head, (iterator, start), all);
    if let (true, StmtKind::Compound(all)) = (is_turned, &mut whole.kind) {
        let rest = all.pop()?;
        let (copies, first) = body.split_at(copies.len());
        let then = first.iter().chain([&next, &rest]).chain(copies).cloned();
        all.push(tree::when(cond.clone(), then.collect()));
    }
    Some(whole)
}

/// Whether a statement leaves the step, or calls what changes variables or does what others see.
fn jumps_or_calls_out(unit: &Unit, stmt: &Stmt) -> bool {
    walk::leaves(stmt) || walk::any(unit, stmt, |e| scalars::calls_out(unit, e))
}

/// How many statements of a step there are before the copies of ghost cells that it ends with; all, where it ends with none.
/// Ghost cells that another array gives follow the copy that makes both equal.
fn without_last_copies(unit: &Unit, body: &[Stmt]) -> usize {
    let only_copies = |stmt: &Stmt| {
        let (mut n_copies, mut n_others) = (0, 0);
        walk::all(unit, stmt, &mut |expr| {
            let is_copy = Copy::of(unit, expr).is_some();
            n_copies += usize::from(is_copy);
            let counts = tree::target(expr)
                .is_some_and(|to| matches!(tree::plain(to).kind, ExprKind::Var(_)));
            n_others += usize::from(!is_copy && !counts && tree::target(expr).is_some());
            !is_copy
        });
        n_copies > 0 && n_others == 0
    };
    let declares = |stmt: &Stmt| {
        let is_number = |id: DeclId| {
            let value = unit[id].init.as_ref();
            value.is_none_or(|value| matches!(tree::plain(value).kind, ExprKind::Int(_)))
        };
        let is_it = matches!(stmt.kind, StmtKind::Decl(_));
        is_it && walk::declared(stmt).into_iter().all(is_number)
    };
    let others = |stmt: &Stmt| !declares(stmt) && !only_copies(stmt);
    let Some(last) = body.iter().rposition(others) else {
        return body.len();
    };
    let has = |stmt: &Stmt, wanted: fn(&Copy) -> bool| {
        walk::any(unit, stmt, |e| {
            Copy::of(unit, e).is_some_and(|c| wanted(&c))
        })
    };
    let mut copies = last + 1..body.len();
    let of_others = |stmt| has(stmt, |copy| copy.is_far() && !copy.is_own);
    if !body[copies.clone()].iter().any(of_others) {
        let ghosts = copies.find(|&at| has(&body[at], |copy| copy.is_far()));
        copies.start = ghosts.unwrap_or(body.len());
    }
    while copies.start < body.len() && declares(&body[copies.start - 1]) {
        copies.start -= 1;
    }
    match hides(unit, &body[copies.start..], &body[..copies.start]) {
        true => body.len(),
        false => copies.start,
    }
}

/// Whether statements declare names that others use of something else.
fn hides(unit: &Unit, stmts: &[Stmt], others: &[Stmt]) -> bool {
    let declared: Vec<DeclId> = stmts.iter().flat_map(walk::declared).collect();
    let is_other = |expr: &Expr| {
        let ExprKind::Var(id) = expr.kind else {
            return false;
        };
        let same = |own: &DeclId| *own != id && unit[*own].name == unit[id].name;
        declared.iter().any(same)
    };
    others.iter().any(|stmt| walk::any(unit, stmt, is_other))
}

fn is_int(unit: &Unit, ty: TypeId) -> bool {
    unit.canonical(ty).kind == TypeKind::Builtin(Builtin::Int)
}

/// The largest distance of an element that is a neighbour.
const NEAR: i128 = 8;

/// Whether a step gives some element of an array the value of another one of the same plane, which is no neighbour, or of an
/// array that it has made equal.
fn copies_ghosts(unit: &Unit, body: &[Stmt]) -> bool {
    // Iterators that are declared before their loops select no planes.
    let set = |stmt: &Stmt| match stmt.kind {
        StmtKind::Expr(_) => scalars::changed(unit, stmt).into_iter().collect(),
        _ => {
            let mut all = walk::declared(stmt);
            all.retain(|id| unit[*id].init.is_some());
            all
        }
    };
    let planes: HashSet<DeclId> = body.iter().flat_map(set).collect();
    let selects = |e: &Expr| matches!(e.kind, ExprKind::Var(id) if planes.contains(&id));
    let is_any = |wanted: &dyn Fn(&Copy) -> bool| {
        let is_it = |expr: &Expr| Copy::of(unit, expr).is_some_and(|copy| wanted(&copy));
        body.iter().any(|stmt| walk::any(unit, stmt, is_it))
    };
    is_any(&|ghost| {
        let is_ghost = ghost.is_far() && !ghost.apart.iter().any(|e| walk::has(e, selects));
        let makes_equal = |copy: &Copy| copy.is_same && copy.arrays == ghost.arrays;
        is_ghost && (ghost.is_own || is_any(&makes_equal))
    })
}

/// An element that gets the value of another one.
struct Copy<'e> {
    /// Both arrays.
    arrays: [tree::Path; 2],
    /// Whether they are one.
    is_own: bool,
    /// Whether the subscripts are the same.
    is_same: bool,
    /// The subscripts in which the two elements differ by more than neighbours do.
    apart: Vec<&'e Expr>,
}

impl<'e> Copy<'e> {
    fn of(unit: &Unit, expr: &'e Expr) -> Option<Copy<'e>> {
        let ExprKind::Assign(None, to, from) = &expr.kind else {
            return None;
        };
        let ((to, at), (from, other)) = (element(to)?, element(from)?);
        let arrays = [tree::Path::of(unit, to)?, tree::Path::of(unit, from)?];
        let both: Vec<_> = at.into_iter().zip(other).collect();
        let distance = |(to, from): &(&Expr, &Expr)| distance(unit, to, from);
        let is_near = |both: &(&Expr, &Expr)| distance(both).is_some_and(|n| n <= NEAR);
        Some(Copy {
            is_own: arrays[0] == arrays[1],
            is_same: both.iter().all(|both| distance(both) == Some(0)),
            apart: (both.iter().filter(|both| !is_near(both)))
                .flat_map(|(to, from)| [*to, *from])
                .collect(),
            arrays,
        })
    }

    fn is_far(&self) -> bool {
        !self.apart.is_empty()
    }
}

/// The array and the subscripts of an element.
fn element(expr: &Expr) -> Option<(&Expr, Vec<&Expr>)> {
    let ExprKind::Index(base, subscript) = &tree::plain(expr).kind else {
        return None;
    };
    let (array, mut all) = element(base).unwrap_or((base, Vec::new()));
    all.push(subscript);
    Some((array, all))
}

/// How far two subscripts are from each other, where that is a constant.
fn distance(unit: &Unit, a: &Expr, b: &Expr) -> Option<i128> {
    let [(a, m), (b, n)] = [a, b].map(numbers::parted_sum);
    let [a, b] = [a, b].map(|rest| rest.map(|rest| emit::expression(unit, rest)));
    (a == b).then(|| (m - n).abs())
}

struct Make<'a> {
    unit: &'a mut Unit,
    namer: &'a mut Namer,
    stmt: &'a Stmt,
}

impl Make<'_> {
    /// The number of steps that are to be tiled: `steps - n > 2 ? steps - n - 2 : 0`.
    fn n_steps(&mut self, iterator: DeclId, (op, to): (BinaryOp, &Expr)) -> DeclId {
        let more = i128::from(FOLLOWING) - i128::from(op == BinaryOp::LessEqual);
        let int = tree::whole(self.unit, Builtin::Int, 4);
        let like = Expr {
            ty: int,
            ..self.var(iterator)
        };
        let typed = |op, a, b| Expr {
            ty: int,
            ..tree::binary(op, a, b)
        };
        let left = typed(BinaryOp::Sub, to.clone(), like.clone());
        let is_more = typed(BinaryOp::Greater, left.clone(), tree::int(&like, more));
        let rest = typed(BinaryOp::Sub, left, tree::int(&like, more));
        let none = tree::int(&like, 0);
        let value = Expr {
            kind: ExprKind::Cond(Box::new(is_more), Box::new(rest), Box::new(none)),
            ..like
        };
        let name = self.namer.fresh("n_steps");
        tree::variable(self.unit, name, int, Some(value), self.stmt.span)
    }

    /// The loop over these.
    fn steps(&mut self, n_steps: DeclId, body: Vec<Stmt>) -> Stmt {
        let (int, span) = (self.unit[n_steps].ty, self.stmt.span);
        let none = tree::int(&self.var(n_steps), 0);
        let name = self.namer.fresh("step");
        let step = tree::variable(self.unit, name, int, Some(none), span);
        let kind = StmtKind::For {
            init: Some(Box::new(tree::declaration(self.unit, step))),
            cond: Some(tree::binary(
                BinaryOp::Less,
                self.var(step),
                self.var(n_steps),
            )),
            step: Some(tree::incremented(self.unit, step, span)),
            body: Box::new(tree::stmt(span, StmtKind::Compound(body))),
        };
        Stmt {
            id: STEPS,
            ..tree::stmt(span, kind)
        }
    }

    fn var(&self, id: DeclId) -> Expr {
        tree::var(self.unit, id, self.stmt.span)
    }
}
