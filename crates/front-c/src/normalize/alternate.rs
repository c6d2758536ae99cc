//! Two planes that take turns by `if` and `else`.
//!
//! In: `if (t % 2 == 0) step(u, v); else step(v, u);`, or the same by a variable that both branches set,
//! `if (turn == 0) { step(u, v); turn = 1; } else { step(v, u); turn = 0; }`. Out: pointers that are swapped, and the variable as
//! the number of steps leaves it.
//!
//! ```c
//! double *u_now = u, *u_next = v;
//! for (t = 0; t < steps; t++) { step(u_now, u_next); u_held = u_now; u_now = u_next; u_next = u_held; }
//! ```

use super::inline;
use super::numbers;
use super::parity;
use super::peel;
use super::planes;
use super::promote::Around;
use super::scalars;
use super::tree::{self, Namer};
use super::walk;
use crate::emit;
use hexcc_clang::ast::{
    BinaryOp, Builtin, DeclId, Expr, ExprKind, Stmt, StmtKind, TypeKind, UnaryOp, Unit,
};
use std::collections::{HashMap, HashSet};

/// Pointers that are tried, at most: each with all others.
const MOST: usize = 6;

/// Whose turn it is.
enum Turn {
    /// By the number of the step.
    Step,
    /// By a variable: the number with which it is the first one's, and the other number.
    Variable { place: Expr, own: i128, other: i128 },
}

/// Makes pointers of planes that take turns in a body that is nothing else; `None` where there are none.
pub(super) fn alternate(
    unit: &mut Unit,
    namer: &mut Namer,
    globals: &HashSet<DeclId>,
    (head, body): (&Stmt, &mut Vec<Stmt>),
) -> Option<Around> {
    let mut all = body
        .iter()
        .filter(|stmt| !matches!(stmt.kind, StmtKind::Null));
    let (Some(only), None) = (all.next(), all.next()) else {
        return None;
    };
    let StmtKind::If {
        cond,
        then,
        otherwise: Some(otherwise),
    } = &only.kind
    else {
        return None;
    };
    let branches = [then, otherwise].map(|branch| tree::block((**branch).clone()));
    let (turn, [first, second]) = turns(unit, globals, (head, cond), branches)?;
    let (now, next) = exchanged(unit, &first, &second)?;
    let span = only.span;
    let mut around = Around::default();
    let left = match &turn {
        Turn::Variable { place, own, other } => {
            Some(left_by_steps(unit, namer, head, (place, [*own, *other]))?)
        }
        Turn::Step => None,
    };
    let mut pointers = Vec::new();
    let stem = unit[now].name.clone();
    for ((id, other), end) in [(now, next), (next, now)].into_iter().zip(parity::ENDS) {
        let ty = tree::value_type(unit, unit[id].ty);
        let [own, other] = [id, other].map(|id| tree::var(unit, id, span));
        let init = match &turn {
            Turn::Step => own,
            Turn::Variable {
                place, own: number, ..
            } => {
                let is_own =
                    tree::binary(BinaryOp::Equal, place.clone(), tree::int(place, *number));
                let kind = ExprKind::Cond(Box::new(is_own), Box::new(own), Box::new(other));
                Expr { ty, span, kind }
            }
        };
        let name = namer.fresh(&format!("{stem}_{end}"));
        let pointer = tree::variable(unit, name, ty, Some(init), span);
        around.before.push(tree::declaration(unit, pointer));
        pointers.push(pointer);
    }
    let meant = [(now, pointers[0]), (next, pointers[1])];
    let meant = meant.map(|(id, pointer)| (id, tree::var(unit, pointer, span)));
    let mut step = tree::stmt(span, StmtKind::Compound(first));
    inline::rename(unit, &mut step, &HashMap::from(meant));
    let mut all = tree::block(step);
    all.extend(planes::rotation(unit, namer, &pointers, span));
    *body = all;
    if let Some((counted, left)) = left {
        around.before.push(counted);
        around.after.push(left);
    }
    Some(around)
}

/// Whose turn it is, and what each does, the one that comes first first.
fn turns(
    unit: &Unit,
    globals: &HashSet<DeclId>,
    (head, cond): (&Stmt, &Expr),
    [then, otherwise]: [Vec<Stmt>; 2],
) -> Option<(Turn, [Vec<Stmt>; 2])> {
    if let Some(is_then) = by_step(unit, head, cond) {
        let all = match is_then {
            true => [then, otherwise],
            false => [otherwise, then],
        };
        return Some((Turn::Step, all));
    }
    let (place, own, is_then) = compared(unit, cond)?;
    let ExprKind::Var(id) = place.kind else {
        return None;
    };
    let [mut first, mut second] = match is_then {
        true => [then, otherwise],
        false => [otherwise, then],
    };
    let set = |block: &mut Vec<Stmt>| {
        let last = block.pop()?;
        let StmtKind::Expr(Expr {
            kind: ExprKind::Assign(None, to, value),
            ..
        }) = &last.kind
        else {
            return None;
        };
        tree::is_var(to, id).then(|| numbers::value(unit, value))?
    };
    let (other, back) = (set(&mut first)?, set(&mut second)?);
    let is_used = |stmt: &Stmt| walk::uses(unit, stmt, id);
    let is_plain = unit.canonical(unit[id].ty).kind == TypeKind::Builtin(Builtin::Int)
        && !tree::is_somewhere(unit, unit[id].ty, |ty| ty.is_volatile)
        && !scalars::is_pointed_to(unit, id)
        && !is_used(head)
        && !first.iter().chain(&second).any(is_used);
    // A function that is called may look at a variable of the file.
    let is_own = !globals.contains(&unit[id].first);
    (is_plain && is_own && back == own && other != own)
        .then_some((Turn::Variable { place, own, other }, [first, second]))
}

/// Whether a condition by the parity of the steps holds in the first one.
fn by_step(unit: &Unit, head: &Stmt, cond: &Expr) -> Option<bool> {
    let StmtKind::For {
        init: Some(init),
        step: Some(step),
        ..
    } = &head.kind
    else {
        return None;
    };
    let (iterator, start) = tree::begins(unit, init)?;
    let start = numbers::value(unit, start).filter(|start| *start >= 0)?;
    let is_parity = walk::has(cond, |e| match &e.kind {
        ExprKind::Binary(BinaryOp::Rem, of, by) => {
            tree::is_var(of, iterator) && tree::is_number(by, 2)
        }
        ExprKind::Binary(BinaryOp::BitAnd, of, by) => {
            tree::is_var(of, iterator) && tree::is_number(by, 1)
        }
        _ => false,
    });
    let mut n_uses = 0;
    walk::visit(cond, &mut |e| {
        n_uses += usize::from(matches!(e.kind, ExprKind::Var(id) if id == iterator));
        true
    });
    let holds = |number: i128| {
        let value = numbers::value_where(unit, cond, &|id| (id == iterator).then_some(number));
        value.map(|value| value != 0)
    };
    let takes_turns = is_parity && n_uses == 1 && tree::adds_one(step, iterator);
    let (even, odd) = (holds(start)?, holds(start + 1)?);
    (takes_turns && even != odd).then_some(even)
}

/// The variable that a condition compares, with which number, and whether `then` is what happens then.
fn compared(unit: &Unit, cond: &Expr) -> Option<(Expr, i128, bool)> {
    let place = |e: &Expr| {
        let e = tree::plain(e);
        matches!(e.kind, ExprKind::Var(_)).then(|| e.clone())
    };
    match &tree::plain(cond).kind {
        ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), a, b) => {
            Some((place(a)?, numbers::value(unit, b)?, *op == BinaryOp::Equal))
        }
        ExprKind::Unary(UnaryOp::Not, of) => Some((place(of)?, 0, true)),
        _ => Some((place(cond)?, 0, false)),
    }
}

/// The two pointers or arrays by whose exchange the second of two blocks becomes the first.
fn exchanged(unit: &mut Unit, first: &[Stmt], second: &[Stmt]) -> Option<(DeclId, DeclId)> {
    let mut found: Vec<DeclId> = Vec::new();
    for stmt in first {
        walk::all(unit, stmt, &mut |expr| {
            if let ExprKind::Var(id) = expr.kind
                && is_plane(unit, id)
                && !found.contains(&id)
            {
                found.push(id);
            }
            true
        });
    }
    let stays = |id: &DeclId| !first.iter().any(|stmt| inline::changes(unit, stmt, *id));
    found.retain(stays);
    found.truncate(MOST);
    let block = |all: &[Stmt]| tree::stmt(all[0].span, StmtKind::Compound(all.to_vec()));
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let wanted = emit::statement(unit, &block(first), &[]).text;
    for (at, &p) in found.iter().enumerate() {
        for &q in &found[at + 1..] {
            let [p_ty, q_ty] = [p, q].map(|id| tree::value_type(unit, unit[id].ty));
            if unit.canonical(p_ty).kind != unit.canonical(q_ty).kind {
                continue;
            }
            let mut other = block(second);
            let meant = [(p, q), (q, p)].map(|(a, b)| (a, tree::var(unit, b, other.span)));
            inline::rename(unit, &mut other, &HashMap::from(meant));
            if emit::statement(unit, &other, &[]).text == wanted {
                return Some((p, q));
            }
        }
    }
    None
}

/// Whether a variable is a pointer to numbers or rows, or an array.
fn is_plane(unit: &Unit, id: DeclId) -> bool {
    let ty = unit[id].ty;
    let is_plane = matches!(
        unit.canonical(ty).kind,
        TypeKind::Pointer(_) | TypeKind::Array { .. }
    );
    is_plane && !tree::is_variable(unit, ty) && !tree::is_somewhere(unit, ty, |ty| ty.is_volatile)
}

/// What counts the steps before the loop, and the statement behind it that gives the variable what they leave of its two numbers.
fn left_by_steps(
    unit: &mut Unit,
    namer: &mut Namer,
    head: &Stmt,
    (place, [own, other]): (&Expr, [i128; 2]),
) -> Option<(Stmt, Stmt)> {
    let (init, [cond, step], _) = tree::counted(head)?;
    let (iterator, start) = tree::begins(unit, init)?;
    let start = start.clone();
    let first = numbers::value(unit, &start).filter(|first| *first >= 0)?;
    let (op, to) = peel::end_of(unit, cond, (iterator, &start), &[])?;
    let is_int = |ty| unit.canonical(ty).kind == TypeKind::Builtin(Builtin::Int);
    if !tree::adds_one(step, iterator) || !is_int(to.ty) || !is_int(unit[iterator].ty) {
        return None;
    }
    let to = to.clone();
    let more = i128::from(op == BinaryOp::LessEqual);
    // Only whether there is a step, and whether their number is even, is asked for.
    let steps = tree::binary(BinaryOp::Sub, to.clone(), tree::int(&to, first - more));
    let steps_left = tree::binary(op, tree::int(&to, first), to.clone());
    let kind = ExprKind::Cond(
        Box::new(steps_left),
        Box::new(steps),
        Box::new(tree::int(&to, 0)),
    );
    let value = Expr { kind, ..to };
    let ty = tree::whole(unit, Builtin::Int, 4);
    let name = namer.fresh("n_steps");
    let counted = tree::variable(unit, name, ty, Some(value), head.span);
    let n_steps = tree::var(unit, counted, head.span);
    let number = |n: i128| tree::int(place, n);
    let is_own = tree::binary(BinaryOp::Equal, place.clone(), number(own));
    let rest = tree::binary(BinaryOp::Rem, n_steps.clone(), number(2));
    let is_even = tree::binary(BinaryOp::Equal, rest, number(0));
    let is_back = tree::binary(BinaryOp::Equal, is_own, is_even);
    let kind = ExprKind::Cond(
        Box::new(is_back),
        Box::new(number(own)),
        Box::new(number(other)),
    );
    let value = Expr {
        kind,
        ..place.clone()
    };
    let any = tree::binary(BinaryOp::Greater, n_steps, number(0));
    let after = tree::when(any, vec![tree::assign(place.clone(), value)]);
    Some((tree::declaration(unit, counted), after))
}
