//! Numbers of the file that a block sets before it reads them.
//!
//! In: `sum = 0; .. sum += u[i]; v[i] = sum;` in a block of the loop, with a `float sum;` of the file that nothing outside of
//! the loop names. Out: `float own_sum = 0;` in the block.

use super::{scalars, tree, walk};
use hexcc_clang::ast::{
    DeclId, Expr, ExprKind, FunctionId, Item, Stmt, StmtKind, Storage, UnaryOp, Unit,
};
use std::collections::{BTreeSet, HashSet};
use tree::Namer;

/// Makes variables of blocks of them; whether there were any. `original` is the loop as the program has it.
pub(super) fn temporaries(
    unit: &mut Unit,
    namer: &mut Namer,
    globals: &HashSet<DeclId>,
    (original, body): (&Stmt, &mut Vec<Stmt>),
) -> bool {
    let mut found = false;
    for id in assigned(unit, globals, body) {
        if !is_of_loop_alone(unit, original, id) {
            continue;
        }
        // One that is read before it is set keeps its place.
        let before = (unit.clone(), body.clone());
        match in_block(unit, namer, id, body) {
            Some(()) => found = true,
            None => (*unit, *body) = before,
        }
    }
    found
}

/// The numbers of the file that statements assign to.
fn assigned(unit: &Unit, globals: &HashSet<DeclId>, body: &[Stmt]) -> BTreeSet<DeclId> {
    let mut found = BTreeSet::new();
    for stmt in body {
        walk::all(unit, stmt, &mut |expr| {
            if let ExprKind::Assign(None, to, _) = &expr.kind
                && let ExprKind::Var(id) = tree::plain(to).kind
                && globals.contains(&id)
                && scalars::is_arithmetic(unit, unit[id].ty)
                && !tree::is_somewhere(unit, unit[id].ty, |ty| ty.is_volatile)
            {
                found.insert(id);
            }
            true
        });
    }
    found
}

/// Whether nobody but a loop has a variable of the file: no other text names it, and other files know nothing of it or are
/// never called.
fn is_of_loop_alone(unit: &Unit, original: &Stmt, id: DeclId) -> bool {
    let mentions = |stmt: &Stmt| walk::n_uses(unit, stmt, id);
    let bodies = unit.functions.iter().filter_map(|f| f.body.as_ref());
    let inits = unit.items.iter().filter_map(|item| match item {
        Item::Decl(id) => unit[*id].init.as_ref(),
        _ => None,
    });
    let is_alone = bodies.map(mentions).sum::<usize>() == mentions(original)
        && !inits.into_iter().any(|init| walk::mentions(init, id));
    let declarations = || unit.decls.iter().filter(|d| d.first == id);
    let is_own = match unit[id].storage {
        Storage::Static => true,
        _ => declarations().all(|d| d.storage == Storage::None) && is_whole_program(unit),
    };
    let has_address = |stmt: &Stmt| {
        walk::any(unit, stmt, |expr| match &expr.kind {
            ExprKind::Unary(UnaryOp::AddressOf, of) => walk::mentions(of, id),
            _ => false,
        })
    };
    is_alone && is_own && !has_address(original)
}

/// Whether a file has `main` and all that is called but the functions of the system.
fn is_whole_program(unit: &Unit) -> bool {
    let mut all = (0..unit.functions.len()).map(|n| FunctionId(n as u32));
    let is_here = |f: FunctionId| unit.body_of(f).is_some() || scalars::is_of_system(unit, f);
    scalars::has_main(unit) && all.all(is_here)
}

/// Declares the variable in the block that sets it first, or in several blocks; `None` where none does.
fn in_block(unit: &mut Unit, namer: &mut Namer, id: DeclId, all: &mut [Stmt]) -> Option<()> {
    let first = all.iter().position(|stmt| walk::uses(unit, stmt, id));
    let Some((stmt, behind)) = first.and_then(|first| all[first..].split_first_mut()) else {
        return Some(());
    };
    if let StmtKind::Expr(expr) = &stmt.kind
        && let ExprKind::Assign(None, to, value) = &expr.kind
        && tree::is_var(to, id)
        && !walk::mentions(value, id)
    {
        let value = (**value).clone();
        let ty = tree::unqualified(unit, unit[id].ty);
        let name = namer.fresh(&format!("own_{}", unit[id].name));
        let own = tree::variable(unit, name, ty, Some(value), stmt.span);
        *stmt = tree::declaration(unit, own);
        let mut instead = |expr: &mut Expr| {
            if let ExprKind::Var(v) = &mut expr.kind
                && *v == id
            {
                *v = own;
            }
            true
        };
        for stmt in behind {
            walk::change_all(unit, stmt, &mut instead);
        }
        return Some(());
    }
    in_statement(unit, namer, id, stmt)?;
    in_block(unit, namer, id, behind)
}

/// The same for the blocks of a statement.
fn in_statement(unit: &mut Unit, namer: &mut Namer, id: DeclId, stmt: &mut Stmt) -> Option<()> {
    if !walk::uses(unit, stmt, id) {
        return Some(());
    }
    let mut is_named = false;
    walk::exprs(unit, stmt, &mut |expr| is_named |= walk::mentions(expr, id));
    let inner = match &mut stmt.kind {
        _ if is_named => return None,
        StmtKind::Compound(all) => return in_block(unit, namer, id, all),
        StmtKind::If { .. } | StmtKind::For { .. } => walk::inner_mut(stmt),
        StmtKind::While { .. } | StmtKind::Do { .. } => walk::inner_mut(stmt),
        _ => return None,
    };
    for stmt in inner {
        in_statement(unit, namer, id, stmt)?;
    }
    Some(())
}
