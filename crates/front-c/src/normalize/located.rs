//! Single cells of flat arrays, as the cells of their row.
//!
//! In: `u[source] += a;` in a time loop with `u[i * m + j]`. Out: `u[source_row * m + source_column]`, and before the loop
//! `int source_row = m > 0 ? source / m : 0; int source_column = source - source_row * m;`. The sum is the number as it was,
//! whatever it is; as a column it would be in row 0 alone.

use super::promote::{self, Around};
use super::strides::Strides;
use super::tree::{self, Namer};
use super::{inline, numbers, scalars, walk};
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, Unit};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Rows in planes in volumes: lengths that a number is divided by, at most.
const MOST: usize = 2;

/// A variable that is the number of a cell of an array with rows of some lengths, the innermost first.
type Cell = (DeclId, Vec<Expr>);

/// Flat arrays, and the lengths of their rows.
type Rows = HashMap<DeclId, Vec<Expr>>;

/// Writes the numbers of cells of flat arrays as rows and columns; `None` where there are none.
pub(super) fn located(
    unit: &mut Unit,
    namer: &mut Namer,
    globals: &HashSet<DeclId>,
    (head, body): (&Stmt, &mut [Stmt]),
) -> Option<Around> {
    let all: Vec<Stmt> = std::iter::once(head).chain(&*body).cloned().collect();
    let before = unit.clone();
    let rows = rows(&before, &all);
    let cell = |expr: &Expr| cell(&before, (globals, &all), &rows, expr);
    let mut around = Around::default();
    let mut sums: Vec<(Cell, Expr)> = Vec::new();
    let mut found = Vec::new();
    for stmt in &*body {
        walk::all(&before, stmt, &mut |expr| {
            found.extend(cell(expr));
            true
        });
    }
    for cell in found {
        if sum_of(&before, &sums, &cell).is_none() {
            let sum = parted(unit, namer, &cell, &mut around)?;
            sums.push((cell, sum));
        }
    }
    for stmt in body {
        walk::change_all(unit, stmt, &mut |expr| {
            if let Some(cell) = cell(expr)
                && let Some(sum) = sum_of(&before, &sums, &cell)
                && let ExprKind::Index(_, at) = &mut expr.kind
            {
                put(at, cell.0, sum);
            }
            true
        });
    }
    (!sums.is_empty()).then_some(around)
}

/// The sum of row and column that a cell's number is.
fn sum_of<'s>(unit: &Unit, sums: &'s [(Cell, Expr)], (id, lengths): &Cell) -> Option<&'s Expr> {
    let is_same = |its: &[Expr]| {
        let mut pairs = its.iter().zip(lengths);
        its.len() == lengths.len() && pairs.all(|(a, b)| numbers::same(unit, a, b))
    };
    let mut sums = sums.iter();
    sums.find_map(|((of, its), sum)| (of == id && is_same(its)).then_some(sum))
}

/// Puts a sum in the place of a variable.
fn put(at: &mut Expr, id: DeclId, sum: &Expr) {
    walk::change(at, &mut |expr| {
        let is_it = matches!(expr.kind, ExprKind::Var(v) if v == id);
        if is_it {
            *expr = sum.clone();
        }
        !is_it
    });
}

/// The variable and the subscript of an element of an array of numbers.
fn subscript<'e>(unit: &Unit, expr: &'e Expr) -> Option<(DeclId, &'e Expr)> {
    let ExprKind::Index(base, at) = &expr.kind else {
        return None;
    };
    match tree::plain(base).kind {
        ExprKind::Var(array) if scalars::is_arithmetic(unit, expr.ty) => Some((array, at)),
        _ => None,
    }
}

/// The arrays of numbers of which some statements name elements.
pub(super) fn arrays(unit: &Unit, all: &[Stmt]) -> BTreeSet<DeclId> {
    let mut arrays = BTreeSet::new();
    for stmt in all {
        walk::all(unit, stmt, &mut |expr| {
            arrays.extend(subscript(unit, expr).map(|(array, _)| array));
            true
        });
    }
    arrays
}

/// The arrays of the statements of a loop that are flat, as their subscripts tell.
fn rows(unit: &Unit, all: &[Stmt]) -> Rows {
    let arrays = arrays(unit, all);
    let of = |array| Strides::of(unit, all, &[array]).rows();
    let all = (arrays.into_iter()).filter_map(|array| Some((array, of(array)?)));
    all.filter(|(_, lengths)| lengths.len() <= MOST).collect()
}

/// The number of a cell that an expression is an element of.
fn cell(unit: &Unit, known: (&HashSet<DeclId>, &[Stmt]), rows: &Rows, expr: &Expr) -> Option<Cell> {
    let (array, at) = subscript(unit, expr)?;
    let lengths = rows.get(&array)?;
    Some((number(unit, known, at, lengths)?, lengths.clone()))
}

/// The only variable in a subscript that stays the same in a loop, where nothing in it says a row.
fn number(
    unit: &Unit,
    (globals, all): (&HashSet<DeclId>, &[Stmt]),
    at: &Expr,
    lengths: &[Expr],
) -> Option<DeclId> {
    let mut terms = Vec::new();
    add_terms(unit, at, true, &mut terms);
    let mut found = None;
    for (term, is_added) in terms {
        let is_length = lengths.iter().any(|one| numbers::same(unit, one, term));
        match term.kind {
            _ if is_length || numbers::value(unit, term).is_some() => {}
            ExprKind::Var(id) if !stays(unit, globals, all, id) => {}
            ExprKind::Var(id) if is_added && found.is_none() => found = Some(id),
            _ => return None,
        }
    }
    let has_sign = |ty| numbers::range(unit, ty).map(|range| *range.start() < 0);
    found.filter(|id| {
        let own = has_sign(unit[*id].ty);
        let is_bound = all.iter().any(|stmt| bounds(unit, stmt, *id));
        !is_bound && own.is_some() && lengths.iter().all(|one| has_sign(one.ty) == own)
    })
}

/// The terms of a sum, and whether they are added.
fn add_terms<'e>(unit: &Unit, expr: &'e Expr, is_added: bool, terms: &mut Vec<(&'e Expr, bool)>) {
    let expr = numbers::unwidened(unit, expr);
    match &expr.kind {
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
            add_terms(unit, a, is_added, terms);
            add_terms(unit, b, is_added == (*op == BinaryOp::Add), terms);
        }
        _ => terms.push((expr, is_added)),
    }
}

/// Whether a variable from before a loop has one value in all of it.
pub(super) fn stays(unit: &Unit, globals: &HashSet<DeclId>, all: &[Stmt], id: DeclId) -> bool {
    let is_seen = globals.contains(&unit[id].first);
    !all.iter().any(|stmt| {
        inline::changes(unit, stmt, id)
            || walk::all_declared(stmt).contains(&id)
            || is_seen && promote::calls_unknown(unit, stmt)
    }) && !scalars::is_pointed_to(unit, id)
        && !tree::is_somewhere(unit, unit[id].ty, |ty| ty.is_volatile)
}

/// Whether a variable bounds a loop.
fn bounds(unit: &Unit, stmt: &Stmt, id: DeclId) -> bool {
    let mut found = false;
    walk::stmts(stmt, &mut |stmt| {
        if let StmtKind::For { init, cond, .. } = &stmt.kind {
            found |= cond.as_ref().is_some_and(|e| walk::mentions(e, id));
            found |= (init.as_deref()).is_some_and(|init| walk::uses(unit, init, id));
        }
    });
    found
}

/// Declares the row and the column of a cell's number before the loop, and gives the sum that is that number.
fn parted(
    unit: &mut Unit,
    namer: &mut Namer,
    (id, lengths): &Cell,
    around: &mut Around,
) -> Option<Expr> {
    const NAMES: [&str; MOST + 1] = ["column", "row", "plane"];
    let span = lengths.first()?.span;
    let name = unit[*id].name.clone();
    let ty = tree::unqualified(unit, unit[*id].ty);
    let mut declare = |unit: &mut Unit, what: &str, value: Expr| {
        let name = namer.fresh(&format!("{name}_{what}"));
        let variable = tree::variable(unit, name, ty, Some(value), span);
        around.before.push(tree::declaration(unit, variable));
        tree::var(unit, variable, span)
    };
    let mut left = tree::var(unit, *id, span);
    let mut columns = Vec::new();
    for (length, column) in lengths.iter().zip(NAMES) {
        let is_last = columns.len() + 1 == lengths.len();
        let outer = if is_last {
            NAMES[lengths.len()]
        } else {
            "rows"
        };
        let zero = tree::int(&left, 0);
        let some = tree::binary(BinaryOp::Greater, length.clone(), zero.clone());
        let quotient = tree::binary(BinaryOp::Div, left.clone(), length.clone());
        let quotient = Expr {
            kind: ExprKind::Cond(Box::new(some), Box::new(quotient), Box::new(zero)),
            ..left.clone()
        };
        let quotient = declare(unit, outer, quotient);
        let whole = tree::binary(BinaryOp::Mul, quotient.clone(), length.clone());
        let rest = tree::binary(BinaryOp::Sub, left, whole);
        columns.push((length.clone(), declare(unit, column, rest)));
        left = quotient;
    }
    let sum = columns.into_iter().rev().fold(left, |sum, (length, rest)| {
        let whole = tree::binary(BinaryOp::Mul, sum, length);
        tree::binary(BinaryOp::Add, whole, rest)
    });
    Some(sum)
}
