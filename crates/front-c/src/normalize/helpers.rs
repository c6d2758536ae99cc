//! Calls of functions that compute a number with members of a struct, or store one, written out.
//!
//! In: `static int at(const Grid *g, int i, int j) { return i * g->nx + j; }` and `u[at(g, i, j)]` in a time loop. Out:
//! `u[i * g->nx + j]`. Functions without structs may stay: what reads the loop then knows them. The pass `setters` makes
//! `g->u[i * g->nx + j] = v;` of `set(g, i, j, v);`.

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

/// Writes calls out that store a number in a struct, or in what it leads to; whether there were any.
pub(super) fn setters(unit: &Unit, taken: &HashSet<String>, body: &mut [Stmt]) -> bool {
    let mut n_written = 0;
    for stmt in body {
        stores(unit, taken, stmt, &mut n_written);
    }
    n_written > 0
}

fn stores(unit: &Unit, taken: &HashSet<String>, stmt: &mut Stmt, n_written: &mut usize) {
    while let StmtKind::Expr(call) = &stmt.kind
        && *n_written < MOST
        && let Some(stored) = stored(unit, taken, call)
    {
        stmt.kind = stored;
        *n_written += 1;
    }
    for inner in walk::inner_mut(stmt) {
        stores(unit, taken, inner, n_written);
    }
}

/// What a call that stores a number does.
fn stored(unit: &Unit, taken: &HashSet<String>, call: &Expr) -> Option<StmtKind> {
    let ExprKind::Call(Callee::Function(function), _) = &call.kind else {
        return None;
    };
    let (locals, last) =
        parts(unit, *function, DEEPEST).filter(|(_, last)| is_store(unit, last))?;
    let meant = meanings(unit, taken, call, (&locals, last), Which::OfStructs)?;
    let mut last = last.clone();
    substitute(&mut last, &meant);
    Some(last.kind)
}

/// Puts expressions in the place of variables in a statement that declares none.
fn substitute(stmt: &mut Stmt, meant: &HashMap<DeclId, Expr>) {
    for expr in walk::own_mut(stmt) {
        inline::substitute(expr, meant);
    }
    for inner in walk::inner_mut(stmt) {
        substitute(inner, meant);
    }
}

/// Whether a statement assigns to an element or a member, perhaps under a condition, and does nothing else.
fn is_store(unit: &Unit, stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Compound(all) => matches!(&all[..], [one] if is_store(unit, one)),
        StmtKind::If {
            cond,
            then,
            otherwise,
        } => {
            let others = otherwise.as_deref();
            is_pure(unit, cond, DEEPEST)
                && is_store(unit, then)
                && others.is_none_or(|other| is_store(unit, other))
        }
        StmtKind::Expr(expr) => match &expr.kind {
            ExprKind::Assign(_, to, value) => {
                let is_place = !matches!(tree::plain(to).kind, ExprKind::Var(_));
                is_place && is_pure(unit, to, DEEPEST) && is_pure(unit, value, DEEPEST)
            }
            _ => false,
        },
        _ => false,
    }
}

/// What a call of such a function stands for.
fn written(unit: &Unit, taken: &HashSet<String>, call: &Expr, which: Which) -> Option<Expr> {
    let ExprKind::Call(Callee::Function(function), _) = &call.kind else {
        return None;
    };
    let (locals, last) = parts(unit, *function, DEEPEST)?;
    let mut value = returned(unit, last, DEEPEST)?.clone();
    let meant = meanings(unit, taken, call, (&locals, last), which)?;
    inline::substitute(&mut value, &meant);
    Some(converted(unit, value, call.ty))
}

/// What the parameters and locals of a function that is called stand for in its last statement; `None` where what is in there
/// would mean something else in the place of the call.
fn meanings(
    unit: &Unit,
    taken: &HashSet<String>,
    call: &Expr,
    (locals, last): (&[DeclId], &Stmt),
    which: Which,
) -> Option<HashMap<DeclId, Expr>> {
    let ExprKind::Call(Callee::Function(function), given) = &call.kind else {
        return None;
    };
    let params = &unit[unit.definition(*function)?].params;
    let is_record = |id: &DeclId| {
        let ty = unit[*id].ty;
        let of = tree::element(unit, ty).unwrap_or(ty);
        matches!(unit.canonical(of).kind, TypeKind::Record(_))
    };
    if given.len() != params.len() || !given.iter().all(|e| is_pure(unit, e, DEEPEST)) {
        return None;
    }
    let has = |is_it: &dyn Fn(&Expr) -> bool| {
        let mut inits = locals.iter().filter_map(|id| unit[*id].init.as_ref());
        inits.any(|init| walk::has(init, is_it)) || walk::any(unit, last, is_it)
    };
    let has_members = || has(&|e| matches!(e.kind, ExprKind::Field(..)));
    if which == Which::OfStructs && !params.iter().any(is_record) && !has_members() {
        return None;
    }
    let mut meant = HashMap::new();
    for (param, given) in params.iter().zip(given) {
        meant.insert(*param, given_as(unit, unit[*param].ty, given)?);
    }
    for id in locals {
        let mut init = unit[*id].init.clone()?;
        inline::substitute(&mut init, &meant);
        meant.insert(*id, converted(unit, init, unit[*id].ty));
    }
    let is_own = |id: &DeclId| params.contains(id) || locals.contains(id);
    (!has(&|e| is_hidden(unit, taken, e, &is_own))).then_some(meant)
}

/// The number that a statement returns.
fn returned<'s>(unit: &Unit, stmt: &'s Stmt, deep: usize) -> Option<&'s Expr> {
    match &stmt.kind {
        StmtKind::Return(Some(value)) => {
            let is_it = scalars::is_arithmetic(unit, value.ty) && is_pure(unit, value, deep);
            is_it.then_some(value)
        }
        _ => None,
    }
}

/// The locals of a function that declares some numbers before its last statement, and this one.
fn parts(unit: &Unit, function: FunctionId, deep: usize) -> Option<(Vec<DeclId>, &Stmt)> {
    let function = &unit[unit.definition(function)?];
    let body = function.body.as_ref()?;
    let StmtKind::Compound(all) = &body.kind else {
        return None;
    };
    let (last, before) = all.split_last()?;
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
        && !super::has_directives(unit, function.span)
        && before.iter().all(declares)
        && locals.iter().all(is_number);
    is_it.then_some((locals, last))
}

/// Whether a function does nothing but declare some numbers and return one, and calls only such, so many deep.
fn is_helper(unit: &Unit, function: FunctionId, deep: usize) -> bool {
    let Some(deep) = deep.checked_sub(1) else {
        return false;
    };
    parts(unit, function, deep).is_some_and(|(_, last)| returned(unit, last, deep).is_some())
}

/// Whether an expression has no side effects, so that it may stand several times or nowhere.
fn is_pure(unit: &Unit, expr: &Expr, deep: usize) -> bool {
    let has_effects = |e: &Expr| {
        let is_address = matches!(e.kind, ExprKind::Unary(UnaryOp::AddressOf, _));
        let calls = match &e.kind {
            ExprKind::Call(Callee::Function(f), _) => {
                !scalars::is_math(unit, *f) && !is_helper(unit, *f, deep)
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
