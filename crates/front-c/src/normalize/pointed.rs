//! Pointers to structs that are swapped, as the planes that their members point to.
//!
//! In: `step(now, next); held = now; now = next; next = held;`, the pointers leading to structs with planes and sizes. Out:
//! their members as variables, of which the planes are swapped, where both structs have the same sizes and numbers; the loop as
//! it is otherwise.
//!
//! ```c
//! if (now->n == next->n && now->u != next->u) {
//!   double *now_u = now->u, *next_u = next->u; int now_n = now->n;
//!   for (t = 0; t < steps; t++) { .. held = now_u; now_u = next_u; next_u = held; }
//!   if (now_u != now->u) { held = now; now = next; next = held; }
//! } else
//!   for (t = 0; t < steps; t++) { step(now, next); held = now; now = next; next = held; }
//! ```

use super::counter::Known;
use super::promote::{self, Around};
use super::tree::{self, Namer, Path};
use super::{hoist, planes, scalars, walk};
use hexcc_clang::ast::{
    BinaryOp, DeclId, DeclKind, Expr, ExprKind, FieldId, Stmt, StmtKind, Storage, TypeKind, Unit,
};
use std::collections::BTreeMap;

/// Makes swapped planes of swapped pointers to structs; `None` where there are none, or where a struct may change otherwise.
pub(super) fn pointed(
    unit: &mut Unit,
    namer: &mut Namer,
    known: &Known,
    (head, body): (&Stmt, &mut Vec<Stmt>),
) -> Option<Around> {
    let begin = (body.iter()).rposition(|stmt| moves(unit, stmt).is_none());
    let begin = begin.map_or(0, |last| last + 1);
    let swap = body.split_off(begin);
    let [first, second] = swapped(unit, known, &swap)?;
    let members = hoist::members(unit, head, body);
    let of_both = |path: &Path| [first, second].contains(&path.root) && path.fields.len() == 1;
    let fields: BTreeMap<FieldId, (DeclId, Expr)> = (members.iter())
        .filter(|(path, _)| path.through_pointer && of_both(path))
        .map(|(path, place)| (path.fields[0], (path.root, place.clone())))
        .collect();
    let mut around = Around::default();
    let mut replaced: Vec<(Path, DeclId)> = Vec::new();
    let mut pairs = Vec::new();
    let mut conditions = Vec::new();
    for (field, (root, place)) in fields {
        let span = place.span;
        let places = [first, second].map(|id| of_other(unit, &place, (root, id)));
        let is_plane = tree::is_pointer(unit, place.ty);
        if !is_plane && !scalars::is_arithmetic(unit, place.ty) {
            return None;
        }
        let ty = tree::unqualified(unit, place.ty);
        let paths = [first, second].map(|root| Path {
            root,
            through_pointer: true,
            fields: vec![field],
        });
        let n_variables = if is_plane { 2 } else { 1 };
        let mut variables = Vec::new();
        for (path, place) in paths.iter().zip(&places).take(n_variables) {
            let name = namer.fresh(&promote::name_of(unit, path));
            let variable = tree::variable(unit, name, ty, Some(place.clone()), span);
            around.before.push(tree::declaration(unit, variable));
            variables.push(variable);
        }
        let op = [BinaryOp::Equal, BinaryOp::NotEqual][usize::from(is_plane)];
        let both = |[a, b]: [Expr; 2]| tree::binary(op, a, b);
        conditions.push(both(places.clone()));
        if !is_plane && !scalars::is_integer(unit, place.ty) {
            // Zeros with different signs are equal, and 1 divided by them is not.
            conditions.push(both(places.clone().map(reciprocal)));
        }
        let last = variables.last().copied()?;
        let [own, other] = paths;
        replaced.extend([(own, variables[0]), (other, last)]);
        if is_plane {
            pairs.push((variables, places));
        }
    }
    let all: Vec<(&Path, DeclId)> = replaced.iter().map(|(path, id)| (path, *id)).collect();
    promote::replace(unit, body.iter_mut(), &all);
    let remains = |id| {
        let mut all = std::iter::once(head).chain(body.iter());
        all.any(|stmt| walk::uses(unit, stmt, id))
    };
    if remains(first) || remains(second) {
        return None;
    }
    let (variables, places) = pairs.first()?;
    let now = tree::var(unit, variables[0], places[0].span);
    let is_other = tree::binary(BinaryOp::NotEqual, now, places[0].clone());
    around.after.push(tree::when(is_other, swap));
    for (variables, places) in &pairs {
        body.extend(planes::rotation(unit, namer, variables, places[0].span));
    }
    around.when = conditions
        .into_iter()
        .reduce(|a, b| tree::binary(BinaryOp::And, a, b));
    Some(around)
}

/// `1 / x` of a number.
fn reciprocal(of: Expr) -> Expr {
    tree::binary(BinaryOp::Div, tree::int(&of, 1), of)
}

/// The same member of what another pointer leads to.
fn of_other(unit: &Unit, place: &Expr, (root, id): (DeclId, DeclId)) -> Expr {
    let mut other = place.clone();
    walk::change(&mut other, &mut |expr| {
        if matches!(expr.kind, ExprKind::Var(of) if of == root) {
            *expr = tree::var(unit, id, expr.span);
        }
        true
    });
    other
}

/// The pointers to structs that a statement moves, to the first from the second; `None` where it does anything else.
fn moves(unit: &Unit, stmt: &Stmt) -> Option<Vec<(DeclId, DeclId)>> {
    let of = |to: DeclId, from: &Expr| match tree::plain(from).kind {
        ExprKind::Var(from) if is_to_struct(unit, to) => Some((to, from)),
        _ => None,
    };
    match &stmt.kind {
        StmtKind::Null => Some(Vec::new()),
        StmtKind::Compound(all) => {
            let all: Option<Vec<_>> = all.iter().map(|stmt| moves(unit, stmt)).collect();
            Some(all?.into_iter().flatten().collect())
        }
        StmtKind::Decl(_) => match walk::declared(stmt)[..] {
            [id] => Some(vec![of(id, unit[id].init.as_ref()?)?]),
            _ => None,
        },
        StmtKind::Expr(expr) => match &expr.kind {
            ExprKind::Assign(None, to, from) => match tree::plain(to).kind {
                ExprKind::Var(to) => Some(vec![of(to, from)?]),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn is_to_struct(unit: &Unit, id: DeclId) -> bool {
    let ty = unit.canonical(unit[id].ty);
    let to = match ty.kind {
        TypeKind::Pointer(to) if !ty.is_volatile => to,
        _ => return false,
    };
    matches!(&unit.canonical(to).kind, TypeKind::Record(record) if !unit[*record].is_union)
}

/// The two pointers that statements exchange, through variables that nothing else reads.
fn swapped(unit: &Unit, known: &Known, swap: &[Stmt]) -> Option<[DeclId; 2]> {
    let mut values: BTreeMap<DeclId, DeclId> = BTreeMap::new();
    for stmt in swap {
        for (to, from) in moves(unit, stmt)? {
            let from = values.get(&from).copied().unwrap_or(from);
            values.insert(to, from);
        }
    }
    let is_exchanged = |(to, from): &(&DeclId, &DeclId)| values.get(*from) == Some(*to);
    let pair: Vec<DeclId> = (values.iter().filter(is_exchanged))
        .filter(|(to, from)| to != from)
        .map(|(to, _)| *to)
        .collect();
    let [first, second] = pair[..] else {
        return None;
    };
    let mut others = values.keys().filter(|id| !pair.contains(*id));
    let is_left_alone = |id: &DeclId| {
        let uses = |stmt: &Stmt| walk::n_uses(unit, stmt, *id);
        let own: usize = swap.iter().map(uses).sum();
        walk::all_declared(&known.function).contains(id) && own == uses(&known.function)
    };
    let is_own = |id: DeclId| {
        let is_address = |expr: &Expr| scalars::is_address_of(expr, id);
        let is_declared = unit[id].kind == DeclKind::Parameter
            || walk::all_declared(&known.function).contains(&id);
        is_declared
            && unit[id].storage == Storage::None
            && !walk::any(unit, &known.function, is_address)
    };
    let is_taken = pair.iter().all(|id| is_own(*id)) && others.all(is_left_alone);
    is_taken.then_some([first, second])
}
