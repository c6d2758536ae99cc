//! Calls of functions that compute a number with members of a struct, written out.
//!
//! In: `static int at(const Grid *g, int i, int j) { return i * g->nx + j; }` and `u[at(g, i, j)]` in a time loop. Out:
//! `u[i * g->nx + j]`. Functions without structs may stay: what reads the loop then knows them.

use super::scalars;
use super::tree;
use super::values::converted;
use super::{inline, walk};
use hexcc_clang::ast::{
    Callee, DeclId, Expr, ExprKind, FunctionId, Stmt, StmtKind, Storage, TypeId, TypeKind, UnaryOp,
    Unit,
};
use std::collections::{HashMap, HashSet};

/// Expressions that take the place of calls in a loop, at most, and functions that call each other.
const MOST: usize = 1000;
const DEEPEST: usize = 8;

/// Which functions are written out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// Those with structs.
    OfStructs,
    All,
}

/// Writes calls out in a body, in whose function some names are taken; whether there were any.
pub(super) fn helpers(
    unit: &mut Unit,
    taken: &HashSet<String>,
    body: &mut [Stmt],
    which: Which,
) -> bool {
    let asked = unit.clone();
    let mut n_written = 0;
    for stmt in body {
        walk::change_all(unit, stmt, &mut |expr| {
            while n_written < MOST
                && let Some(written) = written(&asked, taken, expr, which)
            {
                *expr = written;
                n_written += 1;
            }
            true
        });
    }
    n_written > 0
}

/// What a call of such a function stands for.
fn written(unit: &Unit, taken: &HashSet<String>, call: &Expr, which: Which) -> Option<Expr> {
    let ExprKind::Call(Callee::Function(function), given) = &call.kind else {
        return None;
    };
    let params = &unit[unit.definition(*function)?].params;
    let is_record = |id: &DeclId| {
        let ty = unit[*id].ty;
        let of = tree::element(unit, ty).unwrap_or(ty);
        matches!(unit.canonical(of).kind, TypeKind::Record(_))
    };
    let suits = given.len() == params.len() && given.iter().all(|e| is_pure(unit, e, DEEPEST));
    let (locals, value) = parts(unit, *function, DEEPEST).filter(|_| suits)?;
    let inits = locals.iter().filter_map(|id| unit[*id].init.as_ref());
    let values: Vec<&Expr> = inits.chain([value]).collect();
    let is_member = |e: &Expr| matches!(e.kind, ExprKind::Field(..));
    let has_members = || values.iter().any(|e| walk::has(e, is_member));
    if which == Which::OfStructs && !params.iter().any(is_record) && !has_members() {
        return None;
    }
    let mut meant = HashMap::new();
    for (param, given) in params.iter().zip(given) {
        meant.insert(*param, given_as(unit, unit[*param].ty, given)?);
    }
    let with = |expr: &Expr, meant: &HashMap<DeclId, Expr>| {
        let mut expr = expr.clone();
        inline::substitute(&mut expr, meant);
        expr
    };
    for id in &locals {
        let init = with(unit[*id].init.as_ref()?, &meant);
        meant.insert(*id, converted(unit, init, unit[*id].ty));
    }
    let is_own = |id: &DeclId| params.contains(id) || locals.contains(id);
    let has_hidden = |expr: &&Expr| walk::has(expr, |e| is_hidden(unit, taken, e, &is_own));
    if values.iter().any(has_hidden) {
        return None;
    }
    Some(converted(unit, with(value, &meant), call.ty))
}

/// The locals of a function that does nothing but declare some numbers and return one, and what it returns.
fn parts(unit: &Unit, function: FunctionId, deep: usize) -> Option<(Vec<DeclId>, &Expr)> {
    let function = &unit[unit.definition(function)?];
    let body = function.body.as_ref()?;
    let StmtKind::Compound(all) = &body.kind else {
        return None;
    };
    let (last, before) = all.split_last()?;
    let StmtKind::Return(Some(value)) = &last.kind else {
        return None;
    };
    let is_number = |id: &DeclId| {
        let init = unit[*id].init.as_ref();
        scalars::is_arithmetic(unit, unit[*id].ty)
            && matches!(unit[*id].storage, Storage::None | Storage::Register)
            && init.is_some_and(|init| is_pure(unit, init, deep))
    };
    let declares = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Decl(items) if items.len() == walk::declared(stmt).len());
    let locals: Vec<DeclId> = before.iter().flat_map(walk::declared).collect();
    let is_it = !function.is_variadic
        && !function.is_old_style
        && function.span.expansion.is_none()
        && !super::has_conditions(unit, function.span)
        && before.iter().all(declares)
        && locals.iter().all(is_number)
        && scalars::is_arithmetic(unit, value.ty)
        && is_pure(unit, value, deep);
    is_it.then_some((locals, value))
}

/// Whether an expression has no side effects, so that it may stand several times or nowhere.
fn is_pure(unit: &Unit, expr: &Expr, deep: usize) -> bool {
    let has_effects = |e: &Expr| {
        let is_address = matches!(e.kind, ExprKind::Unary(UnaryOp::AddressOf, _));
        let calls = match &e.kind {
            ExprKind::Call(Callee::Function(f), _) => {
                let is_helper = deep > 0 && parts(unit, *f, deep - 1).is_some();
                !scalars::is_math(unit, *f) && !is_helper
            }
            ExprKind::Call(..)
            | ExprKind::Statements(_)
            | ExprKind::VaArg(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::Compound(_)
            | ExprKind::Other(_) => true,
            _ => false,
        };
        tree::target(e).is_some() && !is_address || calls || unit[e.ty].is_volatile
    };
    !walk::has(expr, has_effects)
}

/// Whether an expression names what has another meaning where names are taken.
fn is_hidden(
    unit: &Unit,
    taken: &HashSet<String>,
    expr: &Expr,
    is_own: &dyn Fn(&DeclId) -> bool,
) -> bool {
    match &expr.kind {
        ExprKind::Var(id) => !is_own(id) && taken.contains(&unit[*id].name),
        ExprKind::Function(f) | ExprKind::Call(Callee::Function(f), _) => {
            taken.contains(&unit[*f].name)
        }
        _ => false,
    }
}

/// What a parameter of a type is.
fn given_as(unit: &Unit, ty: TypeId, given: &Expr) -> Option<Expr> {
    let from = tree::plain(given);
    let kind = |ty: TypeId| &unit.canonical(ty).kind;
    if scalars::is_arithmetic(unit, ty) {
        return Some(converted(unit, from.clone(), ty));
    }
    let is_same = match tree::element(unit, ty).zip(tree::element(unit, from.ty)) {
        Some((to, of)) => kind(to) == kind(of),
        None => kind(ty) == kind(from.ty),
    };
    let is_place = |e: &Expr| tree::Path::of(unit, e).is_some();
    let is_known = match &from.kind {
        ExprKind::Unary(UnaryOp::AddressOf, of) => is_place(of),
        _ => is_place(from),
    };
    (is_same && is_known && !tree::is_variable(unit, ty)).then(|| from.clone())
}
