//! Planes in tables of pointers, as pointers.
//!
//! In: `g[1][i * m + j] = f[0][i * m + j - 1];` and `for (k = 0; k < 3; k++) { float *h = f[k]; f[k] = g[k]; g[k] = h; }` in a time
//! loop, with `float *f[3], *g[3]`. Out: the same with variables `f_0`, `f_1`, .., which are stored to the tables behind the loop
//! where it moves them. Two tables that are parameters may be one: where they overlap, the loop runs as it is.

use super::counter::Known;
use super::inline;
use super::numbers;
use super::promote::Around;
use super::scalars;
use super::tree::{self, Namer};
use super::unroll::{self, Which};
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, Callee, DeclId, DeclKind, Expr, ExprKind, Span, Stmt, TypeKind, Unit,
};
use std::collections::{BTreeMap, BTreeSet};

/// Pointers of a table that become variables, at most.
const MOST: i128 = 32;

/// By table, its elements by their numbers.
type Tables = BTreeMap<DeclId, BTreeMap<i128, Expr>>;

/// Makes variables of the pointers in tables; `None` where there are none, or where something else may move them.
pub(super) fn apart(
    unit: &mut Unit,
    namer: &mut Namer,
    _known: &Known,
    (head, body): (&Stmt, &mut Vec<Stmt>),
) -> Option<Around> {
    if !body
        .iter()
        .any(|stmt| walk::any(unit, stmt, |e| table(unit, e).is_some()))
    {
        return None;
    }
    unroll::moves(unit, head, body);
    unroll::unroll(unit, namer, (head, body), Which::AllPlanes);
    let all = std::mem::take(body).into_iter();
    all.for_each(|stmt| unroll::flatten(stmt, body));
    let tables = tables(unit, head, body);
    let may_move = |stmt: &Stmt| walk::any(unit, stmt, |e| may_move(unit, &tables, e));
    if tables.is_empty() || body.iter().any(may_move) {
        return None;
    }
    let stored = stored(unit, &tables, body);
    let mut around = Around {
        when: are_apart(unit, &tables, &stored, head.span),
        ..Around::default()
    };
    let mut variables = BTreeMap::new();
    for (id, elements) in &tables {
        for (number, element) in elements {
            let ty = tree::unqualified(unit, element.ty);
            let name = namer.fresh(&format!("{}_{number}", unit[*id].name));
            let span = element.span;
            let variable = tree::variable(unit, name, ty, Some(element.clone()), span);
            around.before.push(tree::declaration(unit, variable));
            if stored.contains(&(*id, *number)) {
                let value = tree::var(unit, variable, span);
                around.after.push(tree::assign(element.clone(), value));
            }
            variables.insert((*id, *number), variable);
        }
    }
    let asked = unit.clone();
    for stmt in body {
        walk::change_all(unit, stmt, &mut |expr| {
            let found = element(&asked, expr).and_then(|key| variables.get(&key));
            if let Some(variable) = found {
                *expr = tree::var(&asked, *variable, expr.span);
            }
            found.is_none()
        });
    }
    Some(around)
}

/// The table that an expression is a pointer to numbers, or to rows of such, of.
fn table(unit: &Unit, expr: &Expr) -> Option<DeclId> {
    let ExprKind::Index(base, _) = &expr.kind else {
        return None;
    };
    let ExprKind::Var(id) = tree::plain(base).kind else {
        return None;
    };
    (tree::is_pointer(unit, expr.ty) && !tree::is_variable(unit, expr.ty)).then_some(id)
}

/// The table and the number of an element of it.
fn element(unit: &Unit, expr: &Expr) -> Option<(DeclId, i128)> {
    let (id, ExprKind::Index(_, at)) = (table(unit, expr)?, &expr.kind) else {
        return None;
    };
    let number = numbers::value(unit, at)?;
    (0..MOST).contains(&number).then_some((id, number))
}

/// The tables that are named for elements with constant numbers alone, and that stay.
fn tables(unit: &Unit, head: &Stmt, body: &[Stmt]) -> Tables {
    let mut found = Tables::new();
    let mut n_uses: BTreeMap<DeclId, usize> = BTreeMap::new();
    let mut n_elements: BTreeMap<DeclId, usize> = BTreeMap::new();
    for stmt in std::iter::once(head).chain(body) {
        walk::all(unit, stmt, &mut |expr| {
            if let ExprKind::Var(id) = expr.kind {
                *n_uses.entry(id).or_default() += 1;
            }
            if let Some((id, number)) = element(unit, expr) {
                *n_elements.entry(id).or_default() += 1;
                found.entry(id).or_default().insert(number, expr.clone());
            }
            true
        });
    }
    let declared: Vec<DeclId> = body.iter().flat_map(walk::all_declared).collect();
    found.retain(|id, _| {
        let is_moved = body.iter().any(|stmt| inline::changes(unit, stmt, *id));
        let is_volatile = tree::is_somewhere(unit, unit[*id].ty, |ty| ty.is_volatile);
        let is_in_head = walk::uses(unit, head, *id);
        n_uses.get(id) == n_elements.get(id)
            && !(is_moved || is_volatile || is_in_head || declared.contains(id))
    });
    found
}

/// Whether an expression may move a pointer of a table otherwise than by its name: through a pointer, or in a function.
fn may_move(unit: &Unit, tables: &Tables, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(Callee::Function(f), _) => {
            !scalars::is_of_system(unit, *f) && !scalars::computes(unit, *f)
        }
        ExprKind::Call(..) => true,
        _ => {
            let to = tree::target(expr).map(tree::plain);
            to.is_some_and(|to| {
                let is_own = element(unit, to).is_some_and(|(id, _)| tables.contains_key(&id));
                let takes_address = !matches!(expr.kind, ExprKind::Assign(None, ..)) && is_own;
                let is_variable = matches!(to.kind, ExprKind::Var(_));
                tree::is_pointer(unit, to.ty) && !is_own && !is_variable || takes_address
            })
        }
    }
}

/// The elements that a loop assigns to.
fn stored(unit: &Unit, tables: &Tables, body: &[Stmt]) -> BTreeSet<(DeclId, i128)> {
    let mut found = BTreeSet::new();
    for stmt in body {
        walk::all(unit, stmt, &mut |expr| {
            let to = tree::target(expr).map(tree::plain);
            let key = to.and_then(|to| element(unit, to));
            found.extend(key.filter(|(id, _)| tables.contains_key(id)));
            true
        });
    }
    found
}

/// The condition that tables that pointers lead to are apart from others where one of both changes, if there are such.
fn are_apart(
    unit: &Unit,
    tables: &Tables,
    stored: &BTreeSet<(DeclId, i128)>,
    span: Span,
) -> Option<Expr> {
    // What a parameter is said to be an array of is a pointer.
    let is_array = |id: DeclId| {
        let is_it = matches!(unit.canonical(unit[id].ty).kind, TypeKind::Array { .. });
        is_it && unit[id].kind != DeclKind::Parameter
    };
    let moves = |id: DeclId| stored.iter().any(|(of, _)| *of == id);
    let is_before = |a: DeclId, b: DeclId| {
        let [from, to] = [a, b].map(|id| tree::var(unit, id, span));
        let n = tables[&a].keys().last().map_or(0, |last| last + 1);
        let end = tree::binary(BinaryOp::Add, from.clone(), tree::int(&from, n));
        tree::binary(BinaryOp::LessEqual, end, to)
    };
    let ids: Vec<DeclId> = tables.keys().copied().collect();
    let pairs = (0..ids.len()).flat_map(|n| ids[n + 1..].iter().map(move |b| (n, *b)));
    let pairs = pairs.map(|(n, b)| (ids[n], b));
    let may_be_one =
        |(a, b): &(DeclId, DeclId)| !(is_array(*a) && is_array(*b)) && (moves(*a) || moves(*b));
    let conditions = pairs
        .filter(may_be_one)
        .map(|(a, b)| tree::binary(BinaryOp::Or, is_before(a, b), is_before(b, a)));
    conditions.reduce(|a, b| tree::binary(BinaryOp::And, a, b))
}
