//! Variables that have one number as long as they are there.
//!
//! In: `int scheme = 1;`, to which nothing assigns, and `if (scheme == 0) .. else ..` in the loop. Out: the branch that runs.

use super::inline;
use super::numbers;
use super::scalars;
use super::small;
use super::tree;
use super::walk;
use hexcc_clang::ast::{DeclId, FunctionId, Stmt, StmtKind, Unit};

/// Takes the branches that run in the place of such conditions; whether there were any.
pub(super) fn settled(unit: &Unit, function: FunctionId, body: &mut [Stmt]) -> bool {
    let mut found = false;
    for stmt in body.iter_mut() {
        found |= in_statement(unit, function, stmt);
        small::branches(unit, stmt);
    }
    found
}

fn in_statement(unit: &Unit, function: FunctionId, stmt: &mut Stmt) -> bool {
    let mut found = false;
    if let StmtKind::If { cond, .. } = &mut stmt.kind
        && let Some(number) = numbers::value_where(unit, cond, &|id| constant(unit, function, id))
    {
        *cond = tree::int(cond, number);
        found = true;
    }
    for inner in walk::inner_mut(stmt) {
        found |= in_statement(unit, function, inner);
    }
    found
}

/// The number that a variable of a function always has.
fn constant(unit: &Unit, function: FunctionId, id: DeclId) -> Option<i128> {
    let number = first(unit, function, id)?;
    let body = unit[function].body.as_ref()?;
    (!inline::changes(unit, body, id)).then_some(number)
}

/// The number that a variable of a function has as long as the function assigns nothing to it.
pub(super) fn first(unit: &Unit, function: FunctionId, id: DeclId) -> Option<i128> {
    let decl = &unit[id];
    let body = unit[function].body.as_ref()?;
    let is_automatic = scalars::is_automatic(unit, id);
    let number = numbers::value(unit, decl.init.as_ref().filter(|_| is_automatic)?)?;
    let is_own = walk::all_declared(body).contains(&id) && !scalars::is_pointed_to(unit, id);
    (is_own && numbers::range(unit, decl.ty)?.contains(&number)).then_some(number)
}
