//! The variable that counts the steps of a time loop.

use super::tree;
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, Builtin, DeclId, DeclKind, Expr, ExprKind, Stmt, StmtKind, Storage, TypeKind, Unit,
};
use std::collections::HashSet;

/// What a loop stands in.
pub(super) struct Known {
    /// The variables of the file.
    pub globals: HashSet<DeclId>,
    /// The body of its function.
    pub function: Stmt,
}

/// A variable that only the head of a loop changes, by one in each step, and that begins at zero or above.
pub(super) struct Counter {
    pub variable: DeclId,
    /// Its first value; `None` where that is only known not to be negative, and the variable may pass its largest value.
    pub first: Option<i128>,
    /// Its first value as it is written.
    pub start: Expr,
    pub is_signed: bool,
}

/// The variable that counts the steps of a loop in a function; `None` where that is not known, or `continue` is there.
pub(super) fn counter(
    unit: &Unit,
    known: &Known,
    (head, body): (&Stmt, &[Stmt]),
) -> Option<Counter> {
    let StmtKind::For {
        init: Some(init),
        step: Some(step),
        cond,
        ..
    } = &head.kind
    else {
        return None;
    };
    let (variable, start) = tree::begins(unit, init)?;
    let start = tree::plain(start).clone();
    let is_signed = is_signed(unit, variable)?;
    let first = match &start.kind {
        ExprKind::Int(n) if *n >= 0 => Some(*n),
        ExprKind::Var(id) if *id != variable => {
            let is_unsigned = is_signed_type(unit, unit[*id].ty) == Some(false)
                && !unit[unit[*id].ty].is_volatile;
            if is_signed || !is_unsigned {
                return None;
            }
            None
        }
        _ => return None,
    };
    let assigns = |expr: &Expr| tree::target(expr).is_some_and(|to| tree::is_var(to, variable));
    let in_cond = cond.as_ref().is_some_and(|cond| walk::has(cond, assigns));
    let known = tree::adds_one(step, variable)
        && !in_cond
        && is_alone(unit, known, variable)
        && !has_address(unit, known, variable)
        && !body.iter().any(|stmt| {
            super::inline::changes(unit, stmt, variable)
                || walk::jumps(stmt, |kind| matches!(kind, StmtKind::Continue))
        });
    known.then_some(Counter {
        variable,
        first,
        start,
        is_signed,
    })
}

/// Whether the address of a variable is taken in its function.
pub(super) fn has_address(unit: &Unit, known: &Known, variable: DeclId) -> bool {
    let is_address = |expr: &Expr| super::scalars::is_address_of(expr, variable);
    walk::any(unit, &known.function, is_address)
}

impl Counter {
    /// The number of steps behind a loop that is not left early, and whether there were any; the number holds where there were.
    pub fn steps(
        &self,
        unit: &Unit,
        known: &Known,
        (head, body): (&Stmt, &[Stmt]),
    ) -> Option<(Expr, Expr)> {
        let first = self.first.filter(|_| self.is_signed)?;
        let less = |all: Expr| match first {
            0 => all,
            _ => tree::binary(BinaryOp::Sub, all, tree::int(&self.start, first)),
        };
        if !walk::all_declared(head).contains(&self.variable) {
            let last = tree::var(unit, self.variable, head.span);
            let any = tree::binary(BinaryOp::Greater, last.clone(), self.start.clone());
            return Some((less(last), any));
        }
        let StmtKind::For {
            cond: Some(cond), ..
        } = &head.kind
        else {
            return None;
        };
        let ExprKind::Binary(op @ (BinaryOp::Less | BinaryOp::LessEqual), a, b) = &cond.kind else {
            return None;
        };
        let end = tree::plain(b).clone();
        let stays = match end.kind {
            ExprKind::Int(_) => true,
            ExprKind::Var(id) => {
                id != self.variable
                    && is_alone(unit, known, id)
                    && !has_address(unit, known, id)
                    && !body
                        .iter()
                        .any(|stmt| super::inline::changes(unit, stmt, id))
            }
            _ => false,
        };
        let counts = tree::is_var(a, self.variable);
        if !stays || !counts || is_signed_type(unit, end.ty) != Some(true) {
            return None;
        }
        let any = tree::binary(*op, self.start.clone(), end.clone());
        let end = match op {
            BinaryOp::Less => end,
            _ => tree::binary(BinaryOp::Add, end.clone(), tree::int(&self.start, 1)),
        };
        Some((less(end), any))
    }
}

/// Whether only the function that declares a variable can name it.
pub(super) fn is_alone(unit: &Unit, known: &Known, id: DeclId) -> bool {
    let decl = &unit[id];
    !known.globals.contains(&id)
        && matches!(decl.kind, DeclKind::Variable | DeclKind::Parameter)
        && matches!(decl.storage, Storage::None | Storage::Register)
        && !unit[decl.ty].is_volatile
}

/// Whether a variable is a signed number that does not wrap around; `None` where it is none that counts.
fn is_signed(unit: &Unit, id: DeclId) -> Option<bool> {
    is_signed_type(unit, unit[id].ty)
}

fn is_signed_type(unit: &Unit, ty: hexcc_clang::ast::TypeId) -> Option<bool> {
    match unit.canonical(ty).kind {
        TypeKind::Builtin(Builtin::Int | Builtin::Long | Builtin::LongLong) => Some(true),
        TypeKind::Builtin(Builtin::UInt | Builtin::ULong | Builtin::ULongLong) => Some(false),
        _ => None,
    }
}
