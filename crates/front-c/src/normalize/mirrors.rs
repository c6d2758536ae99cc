//! Neighbours of cells at an end that lie inside.
//!
//! In: `if (i == n - 1) ip = n - 2; else ip = i + 1;`, also as a value, and `u[ip]` in the code of a cell. Out:
//! `if (i == n - 1) v[i] = u[i - 1]; else v[i] = u[i + 1];`, so that every statement reads at fixed distances. Variables that are
//! far from their cell at an end, as on a ring, stay.

use super::inline;
use super::numbers;
use super::scalars;
use super::tree::{self, Path};
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, DeclKind, Expr, ExprKind, Stmt, StmtKind, Unit};

/// The largest distance of a neighbour.
const FARTHEST: i128 = 8;

/// A variable for the place of a neighbour.
struct Mirror {
    id: DeclId,
    /// The iterator of the loop.
    iterator: DeclId,
    /// Where the cell is at an end.
    cond: Expr,
    /// The place there, and elsewhere.
    places: [Expr; 2],
}

/// Makes branches of such places in the nests of a time loop; whether there were any.
pub(super) fn mirrors(unit: &mut Unit, body: &mut [Stmt]) -> bool {
    let mut found = false;
    for stmt in body {
        found |= in_statement(unit, stmt);
    }
    found
}

fn in_statement(unit: &mut Unit, stmt: &mut Stmt) -> bool {
    let mut found = false;
    if let Some(iterator) = iterator(unit, stmt)
        && let StmtKind::For { body, .. } = &mut stmt.kind
        && let StmtKind::Compound(all) = &mut body.kind
    {
        for at in 0..all.len() {
            let rest = &all[at + 1..];
            let Some(mirror) =
                mirror(unit, iterator, &all[at]).filter(|mirror| stays(unit, rest, mirror))
            else {
                continue;
            };
            for stmt in &mut all[at + 1..] {
                found |= parted(unit, stmt, &mirror);
            }
        }
    }
    for inner in walk::inner_mut(stmt) {
        found |= in_statement(unit, inner);
    }
    found
}

/// The iterator of a loop, which its body does not change.
fn iterator(unit: &Unit, stmt: &Stmt) -> Option<DeclId> {
    let StmtKind::For {
        init: Some(init),
        body,
        ..
    } = &stmt.kind
    else {
        return None;
    };
    let (id, _) = tree::begins(unit, init)?;
    (is_own(unit, id) && !inline::changes(unit, body, id)).then_some(id)
}

/// Whether a variable is a signed whole number of a function to which nothing points.
fn is_own(unit: &Unit, id: DeclId) -> bool {
    let decl = &unit[id];
    matches!(decl.kind, DeclKind::Variable | DeclKind::Parameter)
        && numbers::range(unit, decl.ty).is_some_and(|range| *range.start() < 0)
        && !tree::is_somewhere(unit, decl.ty, |ty| ty.is_volatile)
        && !scalars::is_pointed_to(unit, id)
}

/// The variable for the place of a neighbour that a statement of the body of a loop sets.
fn mirror(unit: &Unit, iterator: DeclId, stmt: &Stmt) -> Option<Mirror> {
    let (id, cond, values) = set(unit, stmt)?;
    let ExprKind::Binary(BinaryOp::Equal, a, b) = &tree::plain(cond).kind else {
        return None;
    };
    let own = tree::var(unit, iterator, cond.span);
    let end = match (tree::is_var(a, iterator), tree::is_var(b, iterator)) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    let has_its_type = |e: &Expr| numbers::range(unit, e.ty) == numbers::range(unit, own.ty);
    let is_one = has_its_type(&tree::var(unit, id, cond.span)) && is_own(unit, id);
    if !is_one || numbers::paths(unit, end)?.iter().any(|p| p.root == id) {
        return None;
    }
    let distances = [
        numbers::distance(unit, end, values[0])?,
        numbers::distance(unit, &own, values[1])?,
    ];
    let place = |distance: i128| match distance {
        0 => own.clone(),
        1.. => tree::binary(BinaryOp::Add, own.clone(), tree::int(&own, distance)),
        _ => tree::binary(BinaryOp::Sub, own.clone(), tree::int(&own, -distance)),
    };
    let is_near = distances.iter().all(|d| d.abs() <= FARTHEST);
    let types = [&**end, values[0], values[1]];
    (is_near && types.into_iter().all(has_its_type) && end_stays(unit, end, iterator)).then(|| {
        Mirror {
            id,
            iterator,
            cond: cond.clone(),
            places: distances.map(place),
        }
    })
}

fn end_stays(unit: &Unit, end: &Expr, iterator: DeclId) -> bool {
    let all = numbers::paths(unit, end).unwrap_or_default();
    all.iter().all(|p| {
        p.root != iterator && p.fields.is_empty() && !p.through_pointer && is_known(unit, p)
    })
}

/// Whether stores through pointers do not change a variable.
fn is_known(unit: &Unit, path: &Path) -> bool {
    !scalars::is_pointed_to(unit, path.root)
}

/// The variable that a statement sets by a condition, and its values.
fn set<'s>(unit: &'s Unit, stmt: &'s Stmt) -> Option<(DeclId, &'s Expr, [&'s Expr; 2])> {
    let assigned = |stmt: &'s Stmt| -> Option<(DeclId, &'s Expr)> {
        let stmt = match &stmt.kind {
            StmtKind::Compound(all) => match &all[..] {
                [one] => one,
                _ => return None,
            },
            _ => stmt,
        };
        let StmtKind::Expr(Expr {
            kind: ExprKind::Assign(None, to, value),
            ..
        }) = &stmt.kind
        else {
            return None;
        };
        match tree::plain(to).kind {
            ExprKind::Var(id) => Some((id, value)),
            _ => None,
        }
    };
    let (id, value) = match &stmt.kind {
        StmtKind::If {
            cond,
            then,
            otherwise: Some(otherwise),
        } => {
            let ((id, a), (other, b)) = (assigned(then)?, assigned(otherwise)?);
            return (id == other).then_some((id, cond, [a, b]));
        }
        StmtKind::Decl(items) if items.len() == 1 => match walk::declared(stmt)[..] {
            [id] => (id, unit[id].init.as_ref()?),
            _ => return None,
        },
        _ => assigned(stmt)?,
    };
    match &tree::plain(value).kind {
        ExprKind::Cond(cond, a, b) => Some((id, cond, [a, b])),
        _ => None,
    }
}

/// Whether statements behind change neither a variable nor what its places are made of.
fn stays(unit: &Unit, rest: &[Stmt], mirror: &Mirror) -> bool {
    let mut roots = vec![mirror.id];
    walk::visit(&mirror.cond, &mut |e| {
        if let ExprKind::Var(id) = e.kind {
            roots.push(id);
        }
        true
    });
    let is_file = |id: &DeclId| matches!(unit[*id].kind, DeclKind::Variable | DeclKind::Parameter);
    let calls = |e: &Expr| matches!(e.kind, ExprKind::Call(..));
    let globals = super::globals(unit);
    let is_safe = !roots.iter().any(|id| globals.contains(id))
        || !rest.iter().any(|stmt| walk::any(unit, stmt, calls));
    is_safe
        && roots.iter().filter(|id| is_file(id)).all(|id| {
            let changes = |stmt: &Stmt| {
                inline::changes(unit, stmt, *id) || walk::all_declared(stmt).contains(id)
            };
            !rest.iter().any(changes)
        })
}

/// Branches in the place of statements that have the variable of a neighbour.
fn parted(unit: &mut Unit, stmt: &mut Stmt, mirror: &Mirror) -> bool {
    let has = |e: &Expr| walk::mentions(e, mirror.id);
    match &mut stmt.kind {
        StmtKind::Expr(expr) if has(expr) => {
            let is_assigned = matches!(&expr.kind, ExprKind::Assign(..));
            if is_assigned {
                *stmt = branches(stmt, mirror);
            }
            return is_assigned;
        }
        StmtKind::Compound(all) => {
            let before = std::mem::take(all).into_iter();
            *all = before
                .flat_map(|stmt| declared(unit, stmt, mirror))
                .collect();
        }
        _ => {}
    }
    // A cell at one end is at the other, too, in a row of one cell alone.
    if let StmtKind::If {
        cond,
        otherwise: Some(otherwise),
        ..
    } = &mut stmt.kind
        && is_at_end(cond, mirror.iterator)
    {
        return parted(unit, otherwise, mirror);
    }
    let mut found = false;
    for inner in walk::inner_mut(stmt) {
        found |= parted(unit, inner, mirror);
    }
    found
}

/// Whether a condition is that an iterator has a value.
fn is_at_end(cond: &Expr, iterator: DeclId) -> bool {
    match &tree::plain(cond).kind {
        ExprKind::Binary(BinaryOp::Equal, a, b) => {
            tree::is_var(a, iterator) || tree::is_var(b, iterator)
        }
        _ => false,
    }
}

/// A variable whose value has that of a neighbour, as one that is assigned to.
fn declared(unit: &mut Unit, stmt: Stmt, mirror: &Mirror) -> Vec<Stmt> {
    let id = match &walk::declared(&stmt)[..] {
        [id] if matches!(&stmt.kind, StmtKind::Decl(items) if items.len() == 1) => *id,
        _ => return vec![stmt],
    };
    let init = unit[id].init.as_ref();
    let is_scalar = scalars::is_arithmetic(unit, unit[id].ty);
    if !is_scalar || !init.is_some_and(|init| walk::mentions(init, mirror.id)) {
        return vec![stmt];
    }
    let assigned = tree::assigned_apart(unit, id, stmt.span);
    std::iter::once(stmt).chain(assigned).collect()
}

/// A statement for a cell at an end, and for others.
fn branches(stmt: &Stmt, mirror: &Mirror) -> Stmt {
    let at = |place: &Expr| {
        let mut stmt = stmt.clone();
        if let StmtKind::Expr(expr) = &mut stmt.kind {
            walk::change(expr, &mut |e| {
                let is_it = matches!(e.kind, ExprKind::Var(id) if id == mirror.id);
                if is_it {
                    *e = Expr {
                        span: e.span,
                        ..place.clone()
                    };
                }
                !is_it
            });
        }
        Box::new(stmt)
    };
    let kind = StmtKind::If {
        cond: mirror.cond.clone(),
        then: at(&mirror.places[0]),
        otherwise: Some(at(&mirror.places[1])),
    };
    tree::stmt(stmt.span, kind)
}
