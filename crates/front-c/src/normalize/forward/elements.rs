//! Elements that are named by their addresses.
//!
//! In: `*(u + i - 1) = *at(v, n, i);`. Out: `u[i - 1] = v[i * n];`. C says that `*(u + i)` is `u[i]`; the terms of a
//! longer sum are added as numbers then, so that none may be computed modulo 2^32.

use super::uses::{self, Context};
use super::{Part, Scene, statements};
use crate::normalize::{peel, tree, walk};
use hexcc_clang::ast::{
    BinaryOp, Builtin, Callee, DeclId, Expr, ExprKind, FunctionId, Stmt, StmtKind, TypeKind,
    UnaryOp, Unit,
};
use std::collections::{HashMap, HashSet};

/// A function that returns the address of an element and does nothing else.
struct Addressing {
    params: Vec<DeclId>,
    /// The element.
    element: Expr,
}

/// Has brackets stand for stars, where those have the address of an element.
pub(super) fn elements(scene: &mut Scene, part: &mut Part) -> bool {
    let known = called(scene, part);
    let params = kept_parameters(&scene.unit, part);
    let takes = HashSet::new();
    let mut f = |unit: &Unit, expr: &Expr, _: Context| {
        let ExprKind::Unary(UnaryOp::Deref, of) = &expr.kind else {
            return None;
        };
        match &tree::plain(of).kind {
            ExprKind::Var(id) if params.contains(id) => {
                let at = tree::int(&tree::var(unit, *id, expr.span), 0);
                Some(bracketed(expr, tree::plain(of).clone(), at))
            }
            ExprKind::Call(Callee::Function(f), given) => {
                let function = known.get(&unit[*f].first)?;
                written(unit, function, given)
            }
            _ => element(unit, expr),
        }
    };
    let all = std::slice::from_mut(&mut part.root);
    uses::rewrite(&mut scene.unit, &takes, all, &mut f) > 0
}

/// The parameters of the function that a part is in that point to numbers or structs, and keep their values: what they
/// point to has no other name in it.
fn kept_parameters(unit: &Unit, part: &Part) -> HashSet<DeclId> {
    let function = &unit[part.function];
    let points = |id: &DeclId| match unit.canonical(unit[*id].ty).kind {
        TypeKind::Pointer(to) => matches!(
            unit.canonical(to).kind,
            TypeKind::Builtin(_) | TypeKind::Record(_) | TypeKind::Enum(_)
        ),
        _ => false,
    };
    let mut kept: HashSet<DeclId> = function.params.iter().copied().filter(points).collect();
    for body in function.body.iter().chain([&part.root]) {
        walk::all(unit, body, &mut |expr| {
            if let Some(ExprKind::Var(id)) = tree::target(expr).map(|to| &tree::plain(to).kind) {
                kept.remove(id);
            }
            true
        });
    }
    kept
}

/// `array[at]` in the place of an expression.
fn bracketed(expr: &Expr, array: Expr, at: Expr) -> Expr {
    Expr {
        ty: expr.ty,
        span: expr.span,
        kind: ExprKind::Index(Box::new(array), Box::new(at)),
    }
}

/// `u[i - 1]` for `*(u + i - 1)`.
fn element(unit: &Unit, expr: &Expr) -> Option<Expr> {
    let ExprKind::Unary(UnaryOp::Deref, address) = &expr.kind else {
        return None;
    };
    let mut terms = Vec::new();
    let array = summands(unit, address, &mut terms)?;
    let is_one = matches!(terms[..], [(false, _)]);
    let is_exact = |(_, term): &(bool, Expr)| match uses::integer(unit, term.ty) {
        Some(8) => true,
        Some(4) => !matches!(
            unit.canonical(term.ty).kind,
            TypeKind::Builtin(Builtin::UInt)
        ),
        _ => false,
    };
    if !is_one && !terms.iter().all(is_exact) {
        return None;
    }
    let mut terms = terms.into_iter();
    let (is_minus, first) = terms.next()?;
    let mut at = first;
    if is_minus {
        let (ty, span) = (at.ty, at.span);
        let kind = ExprKind::Unary(UnaryOp::Minus, Box::new(at));
        at = Expr { ty, span, kind };
    }
    for (is_minus, term) in terms {
        let op = if is_minus {
            BinaryOp::Sub
        } else {
            BinaryOp::Add
        };
        let is_wider = uses::integer(unit, term.ty) > uses::integer(unit, at.ty);
        let ty = if is_wider { term.ty } else { at.ty };
        let sum = tree::binary(op, at, term);
        at = Expr { ty, ..sum };
    }
    Some(bracketed(expr, array, at))
}

/// What some terms are added to in an address: a variable, or an element of one. Each term has whether it is taken
/// away.
fn summands(unit: &Unit, expr: &Expr, terms: &mut Vec<(bool, Expr)>) -> Option<Expr> {
    let expr = tree::plain(expr);
    let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) = &expr.kind else {
        return is_place(expr).then(|| expr.clone());
    };
    let points = |e: &Expr| tree::element(unit, tree::plain(e).ty).is_some();
    let (pointer, by) = match (op, points(a)) {
        (_, true) => (a, b),
        (BinaryOp::Add, false) => (b, a),
        _ => return None,
    };
    let array = summands(unit, pointer, terms)?;
    terms.push((*op == BinaryOp::Sub, (**by).clone()));
    Some(array)
}

/// Whether an expression is a variable, or an element of one.
fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Var(_) => true,
        ExprKind::Index(of, _) => is_place(tree::plain(of)),
        _ => false,
    }
}

/// The functions called behind a star in a part that return addresses made of what means the same there.
fn called(scene: &Scene, part: &Part) -> HashMap<FunctionId, Addressing> {
    let unit = &scene.unit;
    let mut found = HashMap::new();
    let mut asked: HashSet<FunctionId> = HashSet::new();
    walk::all(unit, &part.root, &mut |expr| {
        if let ExprKind::Unary(UnaryOp::Deref, of) = &expr.kind
            && let ExprKind::Call(Callee::Function(f), _) = tree::plain(of).kind
            && asked.insert(unit[f].first)
            && let Some(function) = addressing(unit, f, expr)
        {
            let reads = scene.reads_of(std::iter::once(&function.element));
            if scene.is_seen_in(part, &reads.without(&function.params)) {
                found.insert(unit[f].first, function);
            }
        }
        true
    });
    found
}

/// What a function returns that is called behind the star of an expression.
fn addressing(unit: &Unit, f: FunctionId, star: &Expr) -> Option<Addressing> {
    let function = &unit[unit.definition(f)?];
    let [
        Stmt {
            kind: StmtKind::Return(Some(value)),
            ..
        },
    ] = statements(function.body.as_ref()?)
    else {
        return None;
    };
    let value = tree::plain(value);
    let element = match &value.kind {
        ExprKind::Unary(UnaryOp::AddressOf, of) => match &tree::plain(of).kind {
            ExprKind::Index(array, _) if is_place(tree::plain(array)) => (**of).clone(),
            _ => return None,
        },
        _ => {
            let kind = ExprKind::Unary(UnaryOp::Deref, Box::new(value.clone()));
            let star = Expr {
                kind,
                ..star.clone()
            };
            element(unit, &star)?
        }
    };
    let is_same = unit.canonical(element.ty).kind == unit.canonical(star.ty).kind;
    let is_one = is_same && !function.is_variadic && !function.is_old_style;
    (is_one && peel::is_pure(unit, &element) && !has_calls(&element)).then(|| Addressing {
        params: function.params.clone(),
        element,
    })
}

pub(super) fn has_calls(expr: &Expr) -> bool {
    walk::has(expr, |e| matches!(e.kind, ExprKind::Call(..)))
}

/// The element whose address a call returns.
fn written(unit: &Unit, function: &Addressing, given: &[Expr]) -> Option<Expr> {
    let mut meant: HashMap<DeclId, &Expr> = HashMap::new();
    // Numbers of other types are the same up to a power of 2.
    let mut others: HashSet<DeclId> = HashSet::new();
    for (param, given) in function.params.iter().zip(given) {
        let given = tree::plain(given);
        let (own, ty) = (unit[*param].ty, given.ty);
        if !peel::is_pure(unit, given) || has_calls(given) {
            return None;
        }
        match (tree::element(unit, own), tree::element(unit, ty)) {
            (Some(a), Some(b)) if unit.canonical(a).kind == unit.canonical(b).kind => {}
            (None, None) if uses::are_same(unit, own, ty) || uses::is_number(unit, given) => {}
            (None, None) if uses::integer(unit, own).is_some() => {
                uses::integer(unit, ty)?;
                others.insert(*param);
            }
            _ => return None,
        }
        meant.insert(*param, given);
    }
    let mut goes = given.len() == function.params.len();
    let place = (&function.element, Context::default());
    uses::in_expr(unit, &HashSet::new(), place, &mut |e, context| {
        goes &= !matches!(e.kind, ExprKind::Var(id) if others.contains(&id)) || context.sums_up;
        true
    });
    let mut element = function.element.clone();
    walk::change(&mut element, &mut |expr| {
        let ExprKind::Var(id) = expr.kind else {
            return true;
        };
        if let Some(given) = meant.get(&id) {
            *expr = (*given).clone();
        }
        false
    });
    goes.then_some(element)
}
