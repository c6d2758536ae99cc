//! Indices of time planes that toggle, as pointers that are swapped.
//!
//! In: `u[now]` and `u[1 - now]` in the body of a loop that ends with `now = 1 - now;`. Out: `u_now` and `u_next`, which are
//! swapped there, with `float *u_now = u[now];` before the loop. Behind it `now` gets its value by the number of steps, or where that is not known, by
//! the pointers: `if (u_now != u[now]) now = 1 - now;`.

use super::counter::{self, Known};
use super::parity;
use super::planes::{self, Planes, Table};
use super::promote::{self, Around};
use super::tree::{self, Namer, Path};
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, UnaryOp, Unit};
use std::collections::BTreeMap;

/// Makes swapped pointers of planes; `None` where no index toggles, or where it is used in another way.
pub(super) fn toggle(
    unit: &mut Unit,
    namer: &mut Namer,
    known: &Known,
    (head, body): (&Stmt, &mut Vec<Stmt>),
) -> Option<Around> {
    let (at, index) =
        (body.iter().enumerate()).find_map(|(at, stmt)| Some((at, toggled(unit, body, stmt)?)))?;
    substitute(unit, body, at, &index)?;
    // Told by what stands there now: a variable may have changed in between.
    toggled(unit, &[], body.get(at)?)?;
    let StmtKind::Expr(toggling) = body.get(at)?.kind.clone() else {
        return None;
    };
    let ExprKind::Assign(_, index_place, _) = &toggling.kind else {
        return None;
    };
    let place = tree::plain(index_place).clone();
    let number = |unit: &Unit, expr: &Expr| plane_of(unit, expr, &index);
    if !is_assigned_once(unit, body, at, &index) || tree::is_declared_in(&index, head, body) {
        return None;
    }
    let tables = planes::tables(unit, body, &number);
    if !planes::stay(unit, (head, body), tables.keys()) {
        return None;
    }
    let subscripts = [place.clone(), other_of(&place)];
    let mut found = BTreeMap::new();
    for (table, written) in &tables {
        let made = planes::pointers(unit, namer, (table, written), &subscripts, &parity::ENDS)?;
        found.insert(table.clone(), made);
    }
    let of_two = tables.values().all(|written| has_two(unit, written));
    if found.is_empty() || !of_two && !are_differences(unit, body, &index) {
        return None;
    }
    // The statement that toggles goes; what it does is kept in `toggling`.
    body[at] = tree::stmt(place.span, StmtKind::Null);
    planes::replace(unit, body.iter_mut(), &number, &found);
    let mut all = std::iter::once(head).chain(body.iter());
    if all.any(|stmt| mentions(unit, stmt, &index)) {
        return None;
    }
    let by_pointers = settled(unit, &found, (&place, &toggling))?;
    let mut settled = counted(unit, known, (head, body), &toggling);
    for stmt in body.iter_mut() {
        if settle(unit, stmt, &index, &by_pointers)? {
            settled = None;
        }
    }
    let mut swaps = Vec::new();
    for planes in found.values() {
        swaps.extend(planes::rotation(unit, namer, &planes.pointers, place.span));
    }
    body.splice(at..=at, swaps);
    let mut around = planes::declared(unit, &found);
    around.after.push(settled.unwrap_or(by_pointers));
    Some(around)
}

/// The statement that gives the index the value that it has by the pointers: `if (u_now != u[now]) now = 1 - now;`. A table may
/// have one plane twice, so that all are asked.
fn settled(
    unit: &Unit,
    found: &BTreeMap<Table, Planes>,
    (place, toggling): (&Expr, &Expr),
) -> Option<Stmt> {
    let differs = |planes: &Planes| {
        let first = tree::var(unit, planes.pointers[0], place.span);
        let plane = planes::with_subscript(&planes.written, place);
        tree::binary(BinaryOp::NotEqual, first, plane)
    };
    let all = found.values().map(differs);
    let cond = all.reduce(|a, b| tree::binary(BinaryOp::Or, a, b))?;
    let toggles = tree::stmt(place.span, StmtKind::Expr(toggling.clone()));
    Some(tree::when(cond, vec![toggles]))
}

/// The same by the number of steps, where that is known: it holds for two planes that are one, too.
fn counted(
    unit: &Unit,
    known: &Known,
    (head, body): (&Stmt, &[Stmt]),
    toggling: &Expr,
) -> Option<Stmt> {
    let is_break = |stmt: &Stmt| walk::jumps(stmt, |kind| matches!(kind, StmtKind::Break));
    let counter = counter::counter(unit, known, (head, body))?;
    let (steps, any) = counter.steps(unit, known, (head, body))?;
    if body.iter().any(is_break) {
        return None;
    }
    let odd = tree::binary(BinaryOp::Rem, steps, tree::int(&counter.start, 2));
    let odd = tree::binary(BinaryOp::NotEqual, odd, tree::int(&counter.start, 0));
    let toggles = tree::expr_stmt(toggling);
    let cond = tree::binary(BinaryOp::And, any, odd);
    Some(tree::when(cond, vec![toggles]))
}

/// Gives the index its value before calls that may see it, and tells whether there are any; `None` where one may change it.
fn settle(unit: &Unit, stmt: &mut Stmt, index: &Path, settled: &Stmt) -> Option<bool> {
    let mut found = false;
    for inner in walk::inner_mut(stmt) {
        found |= settle(unit, inner, index, settled)?;
    }
    let mut alone = stmt.clone();
    walk::inner_mut(&mut alone)
        .into_iter()
        .for_each(|inner| inner.kind = StmtKind::Null);
    if !promote::is_seen(unit, &alone, index) {
        return Some(found);
    }
    if !matches!(stmt.kind, StmtKind::Expr(_)) || promote::may_change(unit, stmt, index) {
        return None;
    }
    let all = vec![settled.clone(), stmt.clone()];
    *stmt = tree::stmt(stmt.span, StmtKind::Compound(all));
    Some(true)
}

/// Whether an array has two elements, so that the index is 0 or 1.
fn has_two(unit: &Unit, plane: &Expr) -> bool {
    let mut at = tree::plain(plane);
    while let ExprKind::Field(base, _) = &at.kind {
        at = tree::plain(base);
    }
    let ExprKind::Index(array, _) = &at.kind else {
        return false;
    };
    use hexcc_clang::ast::{Length, TypeKind};
    matches!(
        unit.canonical(tree::plain(array).ty).kind,
        TypeKind::Array {
            length: Length::Constant(2),
            ..
        }
    )
}

/// Whether the other plane is always written `1 - now`, which leads back for any value.
fn are_differences(unit: &Unit, body: &[Stmt], index: &Path) -> bool {
    let is_no_difference = |expr: &Expr| match &expr.kind {
        ExprKind::Assign(Some(BinaryOp::BitXor), to, _) => {
            Path::of(unit, to).as_ref() == Some(index)
        }
        _ => {
            let is_difference =
                matches!(tree::plain(expr).kind, ExprKind::Binary(BinaryOp::Sub, ..));
            !is_difference && is_other(unit, expr, index)
        }
    };
    !body
        .iter()
        .any(|stmt| walk::any(unit, stmt, is_no_difference))
}

/// `1 - now`
fn other_of(place: &Expr) -> Expr {
    tree::binary(BinaryOp::Sub, tree::int(place, 1), place.clone())
}

/// The index that a statement toggles.
fn toggled(unit: &Unit, body: &[Stmt], stmt: &Stmt) -> Option<Path> {
    let (operator, to, from) = tree::assigns(stmt)?;
    let path = Path::of(unit, to).filter(|_| !tree::is_pointer(unit, to.ty))?;
    let toggles = match operator {
        None => is_other(unit, value_of(unit, body, from), &path),
        Some(BinaryOp::BitXor) => tree::is_number(from, 1),
        _ => false,
    };
    toggles.then_some(path)
}

/// What a variable of the body gets where it is declared, and any other expression itself.
fn value_of<'e>(unit: &'e Unit, body: &[Stmt], expr: &'e Expr) -> &'e Expr {
    match tree::plain(expr).kind {
        ExprKind::Var(id) if body.iter().any(|s| walk::declared(s).contains(&id)) => {
            unit[id].init.as_ref().unwrap_or(expr)
        }
        _ => expr,
    }
}

/// Whether an expression is the other one of 0 and 1: `1 - now`, `!now`, `now ^ 1`, `(now + 1) % 2`.
pub(super) fn is_other(unit: &Unit, expr: &Expr, path: &Path) -> bool {
    let is_it = |e: &Expr| Path::of(unit, e).as_ref() == Some(path);
    match &tree::plain(expr).kind {
        ExprKind::Unary(UnaryOp::Not, e) => is_it(e),
        ExprKind::Binary(BinaryOp::Sub, a, b) => tree::is_number(a, 1) && is_it(b),
        ExprKind::Binary(BinaryOp::BitXor, a, b) => {
            is_it(a) && tree::is_number(b, 1) || is_it(b) && tree::is_number(a, 1)
        }
        ExprKind::Binary(op @ (BinaryOp::Rem | BinaryOp::BitAnd), sum, two) => {
            let divides = tree::is_number(two, if *op == BinaryOp::Rem { 2 } else { 1 });
            let ExprKind::Binary(BinaryOp::Add, a, b) = &tree::plain(sum).kind else {
                return false;
            };
            divides && (is_it(a) && tree::is_number(b, 1) || is_it(b) && tree::is_number(a, 1))
        }
        _ => false,
    }
}

/// Puts `1 - now` in the place of variables of the body that are nothing else; `None` where one outlives the statement that
/// toggles.
fn substitute(unit: &mut Unit, body: &mut [Stmt], toggles: usize, index: &Path) -> Option<()> {
    let one = |unit: &Unit, id: DeclId| {
        let init = unit[id].init.as_ref()?;
        let changes = |stmt: &Stmt| super::inline::changes(unit, stmt, id);
        let stays = !body.iter().any(changes);
        let is_it = is_other(unit, init, index) || Path::of(unit, init).as_ref() == Some(index);
        (stays && is_it).then(|| tree::plain(init).clone())
    };
    let declared = |(at, stmt)| walk::declared(stmt).into_iter().map(move |id| (at, id));
    let found: Vec<(usize, DeclId, Expr)> = (body.iter().enumerate().flat_map(declared))
        .filter_map(|(at, id)| one(unit, id).map(|init| (at, id, init)))
        .collect();
    for (at, id, init) in &found {
        let mut behind = body[toggles + 1..].iter();
        if *at < toggles && behind.any(|stmt| walk::uses(unit, stmt, *id)) {
            return None;
        }
        for stmt in body.iter_mut() {
            walk::change_all(unit, stmt, &mut |expr| {
                if matches!(expr.kind, ExprKind::Var(v) if v == *id) {
                    *expr = init.clone();
                    return false;
                }
                true
            });
        }
    }
    let gone = found.into_iter().map(|(_, id, _)| id).collect();
    planes::drop_unused(unit, body, &gone);
    Some(())
}

/// The number of the plane that a subscript selects: 0 for the index, 1 for the other one.
fn plane_of(unit: &Unit, subscript: &Expr, index: &Path) -> Option<usize> {
    if Path::of(unit, subscript).as_ref() == Some(index) {
        return Some(0);
    }
    is_other(unit, subscript, index).then_some(1)
}

/// Whether one statement of a body alone assigns to the index.
fn is_assigned_once(unit: &Unit, body: &[Stmt], at: usize, index: &Path) -> bool {
    let assigns = |expr: &Expr| {
        tree::target(expr).is_some_and(|to| Path::of(unit, to).as_ref() == Some(index))
    };
    let mut others = body.iter().enumerate().filter(|(n, _)| *n != at);
    !others.any(|(_, stmt)| walk::any(unit, stmt, assigns))
}

fn mentions(unit: &Unit, stmt: &Stmt, index: &Path) -> bool {
    walk::any(unit, stmt, |expr| {
        Path::of(unit, expr).as_ref() == Some(index)
    })
}
