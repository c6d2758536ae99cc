//! Loops whose condition is a step.
//!
//! In: `while (step(u)) n++;`. Out: `int goes_on; do { goes_on = step(u); if (goes_on) n++; } while (goes_on);`

use super::promote::Around;
use super::tree::{self, Namer};
use hexcc_clang::ast::{BinaryOp, Builtin, Callee, Expr, ExprKind, Stmt, StmtKind, Unit};

/// Makes a loop that asks a variable of one that asks a function; what goes before it, if it does.
pub(super) fn called(unit: &mut Unit, namer: &mut Namer, stmt: &mut Stmt) -> Option<Around> {
    let StmtKind::While { cond, body } = &stmt.kind else {
        return None;
    };
    let value = asked(unit, cond)?.clone();
    let int = tree::whole(unit, Builtin::Int, 4);
    let name = namer.fresh("goes_on");
    let id = tree::variable(unit, name, int, None, stmt.span);
    let flag = || tree::var(unit, id, stmt.span);
    let sets = tree::assign(flag(), value);
    let rest = tree::when(flag(), vec![(**body).clone()]);
    let body = tree::stmt(stmt.span, StmtKind::Compound(vec![sets, rest]));
    let cond = flag();
    stmt.kind = StmtKind::Do {
        body: Box::new(body),
        cond,
    };
    let mut around = Around::default();
    around.before.push(tree::declaration(unit, id));
    Some(around)
}

/// The call of a function of the program whose value, which an `int` has, a condition asks for.
fn asked<'e>(unit: &Unit, cond: &'e Expr) -> Option<&'e Expr> {
    let cond = tree::plain(cond);
    match &cond.kind {
        ExprKind::Binary(BinaryOp::NotEqual, of, zero) if tree::is_number(zero, 0) => {
            asked(unit, of)
        }
        ExprKind::Call(Callee::Function(f), _) if unit.body_of(*f).is_some() => {
            let is_kept = super::numbers::range(unit, cond.ty)
                .is_some_and(|range| *range.start() >= -(1 << 31) && *range.end() < 1 << 31);
            is_kept.then_some(cond)
        }
        _ => None,
    }
}
