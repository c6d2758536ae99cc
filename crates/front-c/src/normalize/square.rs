//! Square domains: rows that have two lengths where only one fits.
//!
//! In: `v[i * ny + j] = ..` in a time loop, and `v[j * nx] = 0` for the first column of the same flat array, which is that column
//! where `nx` is `ny`. Out: the loop with `ny` for both, where they are equal; otherwise it runs as it is.

use super::located;
use super::promote::Around;
use super::strides::Strides;
use super::tree;
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, Unit};
use std::collections::HashSet;

/// Makes one length of two in a time loop; `None` where rows of all arrays agree.
pub(super) fn square(
    unit: &mut Unit,
    globals: &HashSet<DeclId>,
    (head, body): (&mut Stmt, &mut [Stmt]),
) -> Option<Around> {
    let all: Vec<Stmt> = std::iter::once(&*head).chain(&*body).cloned().collect();
    let (length, other) = located::arrays(unit, &all).into_iter().find_map(|array| {
        let strides = Strides::of(unit, &all, &[array]);
        two(unit, (globals, &all), &strides.lengths())
    })?;
    for stmt in std::iter::once(head).chain(body) {
        walk::change_all(unit, stmt, &mut |expr| {
            if matches!(expr.kind, ExprKind::Var(id) if id == other) {
                expr.kind = ExprKind::Var(length);
            }
            true
        });
    }
    let [a, b] = [length, other].map(|id| tree::var(unit, id, all[0].span));
    Some(Around {
        when: Some(tree::binary(BinaryOp::Equal, a, b)),
        ..Around::default()
    })
}

/// Two variables of one type that stay the same in the loop, the only lengths that there are; first the one that most subscripts
/// have.
fn two(
    unit: &Unit,
    (globals, all): (&HashSet<DeclId>, &[Stmt]),
    lengths: &[&Expr],
) -> Option<(DeclId, DeclId)> {
    let variable = |expr: &&Expr| tree::variable_of(expr);
    let ids: Vec<DeclId> = lengths.iter().map(variable).collect::<Option<_>>()?;
    let &first = ids.first()?;
    let &other = ids.iter().find(|id| **id != first)?;
    let n_first = ids.iter().filter(|id| **id == first).count();
    let n_other = ids.iter().filter(|id| **id == other).count();
    let types = [first, other].map(|id| unit.canonical(unit[id].ty).kind.clone());
    let is_pair = n_first + n_other == ids.len()
        && types[0] == types[1]
        && [first, other]
            .iter()
            .all(|id| located::stays(unit, globals, all, *id));
    is_pair.then_some(match n_first >= n_other {
        true => (first, other),
        false => (other, first),
    })
}
