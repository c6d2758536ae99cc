//! Indices of time planes that toggle, as pointers that are swapped.
//!
//! In: `u[now]` and `u[1 - now]` in the body of a loop that ends with `now = 1 - now;`. Out: `u_now` and `u_next`, which are
//! swapped there, with `float *u_now = u[now];` before the loop and `if (u_now != u[now]) now = 1 - now;` behind it.

use super::promote::{self, Around};
use super::tree::{self, Namer, Path};
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, UnaryOp, Unit};
use std::collections::BTreeMap;

/// The two planes of an array.
struct Planes {
    /// The array, as the program writes it.
    array: Expr,
    /// The plane of the index, and the other one.
    pointers: [DeclId; 2],
}

/// Makes swapped pointers of planes; `None` where no index toggles, or where it is used in another way.
pub(super) fn toggle(
    unit: &mut Unit,
    namer: &mut Namer,
    (head, body): (&Stmt, &mut Vec<Stmt>),
) -> Option<Around> {
    let (at, index) =
        (body.iter().enumerate()).find_map(|(at, stmt)| Some((at, toggled(unit, stmt)?)))?;
    substitute(unit, body, &index);
    let StmtKind::Expr(toggling) = body.get(at)?.kind.clone() else {
        return None;
    };
    let ExprKind::Assign(_, index_place, _) = &toggling.kind else {
        return None;
    };
    let place = tree::plain(index_place).clone();
    let mut planes: BTreeMap<Path, Planes> = BTreeMap::new();
    let arrays = arrays(unit, body, at, &index)?;
    let is_inner = |path: &Path| tree::is_declared_in(path, head, body);
    if arrays.keys().any(is_inner) || is_inner(&index) {
        return None;
    }
    for (path, array) in arrays {
        let found = pointers_to(unit, namer, (&path, array), &place)?;
        planes.insert(path, found);
    }
    let of_two = planes.values().all(|p| has_two(unit, &p.array));
    if planes.is_empty() || !of_two && !are_differences(unit, body, &index) {
        return None;
    }
    // The statement that toggles goes; what it does is kept in `toggling`.
    body[at] = tree::stmt(place.span, StmtKind::Null);
    replace(unit, body.iter_mut(), &index, &planes);
    let mut all = std::iter::once(head).chain(body.iter());
    if all.any(|stmt| mentions(unit, stmt, &index)) {
        return None;
    }
    let mut swaps = Vec::new();
    let mut around = Around::default();
    let settled = settled(unit, planes.values().next()?, (&place, &toggling));
    for stmt in body.iter_mut() {
        settle(unit, stmt, &index, &settled)?;
    }
    around.after.push(settled);
    for Planes {
        pointers: [now, next],
        ..
    } in planes.values()
    {
        let of = |id: DeclId| tree::var(unit, id, place.span);
        let (ty, first, second) = (unit[*now].ty, of(*now), of(*next));
        let held = namer.fresh(&format!(
            "{}_held",
            unit[*now].name.trim_end_matches("_now")
        ));
        let held = tree::variable(unit, held, ty, Some(first.clone()), place.span);
        swaps.push(tree::declaration(unit, held));
        swaps.push(tree::assign(first.clone(), second.clone()));
        swaps.push(tree::assign(second, tree::var(unit, held, place.span)));
        around.before.push(tree::declaration(unit, *now));
        around.before.push(tree::declaration(unit, *next));
    }
    body.splice(at..=at, swaps);
    Some(around)
}

/// The statement that gives the index the value that it has by the pointers: `if (u_now != u[now]) now = 1 - now;`.
fn settled(unit: &Unit, planes: &Planes, (place, toggling): (&Expr, &Expr)) -> Stmt {
    let first = tree::var(unit, planes.pointers[0], place.span);
    let array = Box::new(planes.array.clone());
    let plane = Expr {
        kind: ExprKind::Index(array, Box::new(place.clone())),
        ty: first.ty,
        span: place.span,
    };
    let cond = tree::binary(BinaryOp::NotEqual, first, plane);
    let then = Box::new(tree::stmt(place.span, StmtKind::Expr(toggling.clone())));
    let otherwise = None;
    tree::stmt(
        place.span,
        StmtKind::If {
            cond,
            then,
            otherwise,
        },
    )
}

/// Gives the index its value before calls that may see it; `None` where one may change it.
fn settle(unit: &Unit, stmt: &mut Stmt, index: &Path, settled: &Stmt) -> Option<()> {
    for inner in walk::inner_mut(stmt) {
        settle(unit, inner, index, settled)?;
    }
    let mut alone = stmt.clone();
    walk::inner_mut(&mut alone)
        .into_iter()
        .for_each(|inner| inner.kind = StmtKind::Null);
    if !promote::is_seen(unit, &alone, index) {
        return Some(());
    }
    if !matches!(stmt.kind, StmtKind::Expr(_)) || promote::may_change(unit, stmt, index) {
        return None;
    }
    let all = vec![settled.clone(), stmt.clone()];
    *stmt = tree::stmt(stmt.span, StmtKind::Compound(all));
    Some(())
}

/// Pointers to the two planes of an array; `None` where these are none.
fn pointers_to(
    unit: &mut Unit,
    namer: &mut Namer,
    (path, array): (&Path, Expr),
    place: &Expr,
) -> Option<Planes> {
    let element = Expr {
        kind: ExprKind::Index(Box::new(array.clone()), Box::new(place.clone())),
        ty: tree::element(unit, array.ty)?,
        span: place.span,
    };
    let ty = tree::value_type(unit, element.ty);
    if tree::is_variable(unit, ty) || !tree::is_pointer(unit, ty) {
        return None;
    }
    let next = Expr {
        kind: ExprKind::Index(Box::new(array.clone()), Box::new(other_of(place))),
        ..element.clone()
    };
    let last = (path.fields.last()).map_or(&unit[path.root].name, |f| &unit[*f].name);
    let [a, b] = ["now", "next"].map(|end| namer.fresh(&format!("{last}_{end}")));
    let now = tree::variable(unit, a, ty, Some(element), place.span);
    let next = tree::variable(unit, b, ty, Some(next), place.span);
    Some(Planes {
        array,
        pointers: [now, next],
    })
}

/// Whether an array has two elements, so that the index is 0 or 1.
fn has_two(unit: &Unit, array: &Expr) -> bool {
    use hexcc_clang::ast::{Length, TypeKind};
    matches!(
        unit.canonical(array.ty).kind,
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
fn toggled(unit: &Unit, stmt: &Stmt) -> Option<Path> {
    let StmtKind::Expr(expr) = &stmt.kind else {
        return None;
    };
    let ExprKind::Assign(operator, to, from) = &expr.kind else {
        return None;
    };
    let path = Path::of(unit, to).filter(|_| !tree::is_pointer(unit, to.ty))?;
    let toggles = match operator {
        None => is_other(unit, from, &path),
        Some(BinaryOp::BitXor) => tree::is_number(from, 1),
        _ => false,
    };
    toggles.then_some(path)
}

/// Whether an expression is the other one of 0 and 1: `1 - now`, `!now`, `now ^ 1`, `(now + 1) % 2`.
fn is_other(unit: &Unit, expr: &Expr, path: &Path) -> bool {
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

/// Puts `1 - now` in the place of variables of the body that are nothing else.
fn substitute(unit: &mut Unit, body: &mut [Stmt], index: &Path) {
    let is_one = |unit: &Unit, stmt: &Stmt| {
        let [id] = walk::declared(stmt)[..] else {
            return None;
        };
        let init = unit[id].init.as_ref()?;
        let changes = |stmt: &Stmt| super::inline::changes(unit, stmt, id);
        let stays = !body.iter().any(changes);
        let is_it = is_other(unit, init, index) || Path::of(unit, init).as_ref() == Some(index);
        (stays && is_it).then(|| (id, tree::plain(init).clone()))
    };
    let found: Vec<(usize, DeclId, Expr)> = (body.iter().enumerate())
        .filter_map(|(at, stmt)| is_one(unit, stmt).map(|(id, init)| (at, id, init)))
        .collect();
    for (_, id, init) in &found {
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
    for (at, id, _) in found {
        unit[id].init = None;
        body[at] = tree::stmt(body[at].span, StmtKind::Null);
    }
}

/// The number of the plane that a subscript selects: 0 for the index, 1 for the other one.
fn plane_of(unit: &Unit, subscript: &Expr, index: &Path) -> Option<usize> {
    if Path::of(unit, subscript).as_ref() == Some(index) {
        return Some(0);
    }
    is_other(unit, subscript, index).then_some(1)
}

/// The arrays with planes that the index selects; `None` where one is assigned to, or is not a path.
fn arrays(unit: &Unit, body: &[Stmt], at: usize, index: &Path) -> Option<BTreeMap<Path, Expr>> {
    let mut found = BTreeMap::new();
    let mut is_known = true;
    for (n, stmt) in body.iter().enumerate() {
        walk::all(unit, stmt, &mut |expr| {
            if let ExprKind::Index(base, subscript) = &expr.kind
                && plane_of(unit, subscript, index).is_some()
            {
                match Path::of(unit, base) {
                    Some(path) => drop(found.insert(path, tree::plain(base).clone())),
                    None => is_known = false,
                }
            }
            if let ExprKind::Assign(_, to, _) = &expr.kind {
                let is_index = Path::of(unit, to).as_ref() == Some(index);
                is_known &= n == at || !is_index;
                // A plane, or a table of planes, gets another place.
                let is_local = matches!(&tree::plain(to).kind, ExprKind::Var(_));
                is_known &= is_local || !tree::is_pointer(unit, to.ty);
            }
            true
        });
    }
    is_known.then_some(found)
}

fn replace<'s>(
    unit: &mut Unit,
    stmts: impl Iterator<Item = &'s mut Stmt>,
    index: &Path,
    planes: &BTreeMap<Path, Planes>,
) {
    let asked = unit.clone();
    let mut replaced = |expr: &mut Expr| {
        if let ExprKind::Index(base, subscript) = &expr.kind
            && let Some(plane) = plane_of(&asked, subscript, index)
            && let Some(found) = Path::of(&asked, base).and_then(|path| planes.get(&path))
        {
            *expr = tree::var(&asked, found.pointers[plane], expr.span);
            return false;
        }
        true
    };
    for stmt in stmts {
        walk::change_all(unit, stmt, &mut replaced);
    }
}

fn mentions(unit: &Unit, stmt: &Stmt, index: &Path) -> bool {
    walk::any(unit, stmt, |expr| {
        Path::of(unit, expr).as_ref() == Some(index)
    })
}
