//! Indices of time planes that rotate, as pointers that rotate.
//!
//! In: `q[old]`, `q[now]`, `q[new]` in the body of a loop with `w = old; old = now; now = new; new = w;`, or with two indices.
//! Out: `q_old`, `q_now`, `q_new`, which rotate there. Behind the loop the indices are turned as often as there were steps, modulo
//! their number: this is exact whatever the indices were, also where two of them select one plane.

use super::counter::{self, Counter, Known};
use super::planes;
use super::promote::Around;
use super::tree::{self, Namer};
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, TypeKind, Unit};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Statements that rotate indices: each gets the value of the next one.
struct Turn {
    /// Where the first one is held.
    holds: usize,
    /// Where each gets the value of the next one.
    at: Range<usize>,
    held: DeclId,
    indices: Vec<DeclId>,
}

/// Makes pointers of the planes; `None` where no indices rotate, or where they are used in another way.
pub(super) fn rotate(
    unit: &mut Unit,
    namer: &mut Namer,
    known: &Known,
    (head, body): (&Stmt, &mut Vec<Stmt>),
) -> Option<Around> {
    let turn = (0..body.len()).find_map(|at| turn(unit, body, at))?;
    let counter = counter::counter(unit, known, (head, body))?;
    if !is_known(unit, known, (head, body), &turn) {
        return None;
    }
    let settled = settled(unit, namer, known, (head, body), (&counter, &turn))?;
    let number = |_: &Unit, expr: &Expr| match tree::plain(expr).kind {
        ExprKind::Var(id) => turn.indices.iter().position(|index| *index == id),
        _ => None,
    };
    let tables = planes::tables(unit, body, &number);
    if tables.is_empty() || !planes::stay(unit, (head, body), tables.keys()) {
        return None;
    }
    let subscripts: Vec<Expr> = (turn.indices.iter())
        .map(|id| tree::var(unit, *id, head.span))
        .collect();
    let names: Vec<String> = (turn.indices.iter())
        .map(|id| unit[*id].name.clone())
        .collect();
    let ends: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut found = BTreeMap::new();
    for (table, written) in &tables {
        let made = planes::pointers(unit, namer, (table, written), &subscripts, &ends)?;
        found.insert(table.clone(), made);
    }
    let mut turns = Vec::new();
    for planes in found.values() {
        turns.extend(planes::rotation(unit, namer, &planes.pointers, head.span));
    }
    body.splice(turn.at.clone(), turns);
    body[turn.holds] = tree::stmt(head.span, StmtKind::Null);
    planes::replace(unit, body.iter_mut(), &number, &found);
    let mut all = std::iter::once(head).chain(body.iter());
    if all.any(|stmt| (turn.indices.iter()).any(|id| walk::uses(unit, stmt, *id))) {
        return None;
    }
    if unit[turn.held].init.is_none() {
        planes::drop_unused(unit, body, &HashSet::from([turn.held]));
    }
    let mut around = planes::declared(unit, &found);
    around.after = settled;
    Some(around)
}

/// The variables of an assignment, or of a declaration with a value.
fn copied(unit: &Unit, stmt: &Stmt) -> Option<(DeclId, DeclId)> {
    let (to, from) = match &stmt.kind {
        StmtKind::Decl(items) => match (&items[..], &walk::declared(stmt)[..]) {
            ([_], [id]) => (*id, unit[*id].init.as_ref()?),
            _ => return None,
        },
        StmtKind::Expr(expr) => match &expr.kind {
            ExprKind::Assign(None, to, from) => match tree::plain(to).kind {
                ExprKind::Var(id) => (id, &**from),
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    match tree::plain(from).kind {
        ExprKind::Var(id) => Some((to, id)),
        _ => None,
    }
}

/// The rotation whose first index is held at a statement.
fn turn(unit: &Unit, body: &[Stmt], holds: usize) -> Option<Turn> {
    let (held, first) = copied(unit, &body[holds])?;
    let begins = |stmt: &Stmt| copied(unit, stmt).is_some_and(|(to, _)| to == first);
    let at = holds + 1 + body[holds + 1..].iter().position(begins)?;
    let mut indices = vec![first];
    for stmt in &body[at..] {
        let (to, from) = copied(unit, stmt)?;
        if to != *indices.last()? {
            return None;
        }
        if from == held {
            let of_some = (2..=4).contains(&indices.len());
            return of_some.then_some(Turn {
                holds,
                at: at..at + indices.len(),
                held,
                indices,
            });
        }
        if indices.contains(&from) {
            return None;
        }
        indices.push(from);
    }
    None
}

/// Whether the indices and what holds one of them are numbers of one type, which nothing else changes or sees.
fn is_known(unit: &Unit, known: &Known, (head, body): (&Stmt, &[Stmt]), turn: &Turn) -> bool {
    let own: HashSet<DeclId> = (std::iter::once(head).chain(body))
        .flat_map(walk::all_declared)
        .collect();
    let all = || turn.indices.iter().chain([&turn.held]);
    let ty = &unit.canonical(unit[turn.held].ty).kind;
    let others = || {
        let rest =
            (body.iter().enumerate()).filter(|(n, _)| *n != turn.holds && !turn.at.contains(n));
        std::iter::once(head).chain(rest.map(|(_, stmt)| stmt))
    };
    matches!(ty, TypeKind::Builtin(_))
        && all().all(|id| {
            unit.canonical(unit[*id].ty).kind == *ty
                && counter::is_alone(unit, known, *id)
                && !counter::has_address(unit, known, *id)
        })
        && (turn.indices.iter()).all(|id| {
            !own.contains(id) && !others().any(|stmt| super::inline::changes(unit, stmt, *id))
        })
        && !others().any(|stmt| walk::uses(unit, stmt, turn.held))
        // A step that is left early has not turned them.
        && !body.iter().any(|stmt| walk::jumps(stmt, |kind| matches!(kind, StmtKind::Break)))
}

/// What gives the indices the values that they have behind the loop.
fn settled(
    unit: &mut Unit,
    namer: &mut Namer,
    known: &Known,
    (head, body): (&Stmt, &[Stmt]),
    (counter, turn): (&Counter, &Turn),
) -> Option<Vec<Stmt>> {
    let (span, n_planes) = (head.span, turn.indices.len() as i128);
    let (steps, any) = counter.steps(unit, known, (head, body))?;
    let left = tree::binary(
        BinaryOp::Rem,
        steps.clone(),
        tree::int(&counter.start, n_planes),
    );
    let mut all = Vec::new();
    for n in 1..n_planes {
        // Turned once where one or more are left, twice where two or more are.
        let cond = tree::binary(BinaryOp::GreaterEqual, left.clone(), tree::int(&left, n));
        let turned = planes::rotation(unit, namer, &turn.indices, span);
        all.push(tree::when(cond, turned));
    }
    let is_inner = body
        .iter()
        .flat_map(walk::all_declared)
        .any(|id| id == turn.held);
    if !is_inner {
        let last = tree::var(unit, *turn.indices.last()?, span);
        all.push(tree::assign(tree::var(unit, turn.held, span), last));
    }
    Some(vec![tree::when(any, all)])
}
