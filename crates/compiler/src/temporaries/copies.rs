//! Copies of a variable that a statement reads and writes, as calls of functions make them of their
//! arguments: `error = max(error, e)` is `error = error > e ? error : e` only without them.

use crate::scop::{Expr, Local, Scop, Statement};

/// A statement without local variables that are copies of the scalar it writes, and without one that
/// is its value.
pub(super) fn without_copies(scop: &Scop, mut stmt: Statement) -> Statement {
    let own = stmt.write.array;
    let is_own = |e: &Expr| matches!(e, Expr::Read(i, _) if stmt.reads[*i].array == own);
    let is_scalar = scop.array(own).extents.is_empty();
    if !is_scalar || !stmt.locals.iter().any(|local| is_own(&local.value)) {
        return stmt;
    }
    let mut kept: Vec<Local> = Vec::new();
    // What stands for each of the old ones.
    let mut places: Vec<Expr> = Vec::new();
    let last = match &stmt.value {
        Expr::Local(i, _) => Some(*i),
        _ => None,
    };
    for (i, local) in stmt.locals.iter().enumerate() {
        let value = renamed(&local.value, &places);
        if is_own(&value) || last == Some(i) {
            places.push(converted(value, local));
            continue;
        }
        places.push(Expr::Local(kept.len(), local.ty));
        kept.push(Local {
            value,
            ..local.clone()
        });
    }
    stmt.value = renamed(&stmt.value, &places);
    stmt.locals = kept;
    stmt
}

fn renamed(expr: &Expr, places: &[Expr]) -> Expr {
    expr.map(&|e| match e {
        Expr::Local(i, _) => places.get(*i).cloned(),
        _ => None,
    })
}

/// A value as the local variable has it.
fn converted(value: Expr, local: &Local) -> Expr {
    match value.ty() == local.ty {
        true => value,
        false => Expr::Cast {
            ty: local.ty,
            arg: Box::new(value),
        },
    }
}
