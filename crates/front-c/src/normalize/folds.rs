//! Statements that count or mark under a condition, without one.
//!
//! In: `if (d > eps) changed++;`, `if (d > eps) moved = 1;`, `moved = moved || d > eps;`, `if (d > eps) done = 0;`.
//! Out: `changed += d > eps ? 1 : 0;`, `moved |= d > eps ? 1 : 0;`, `done &= d > eps ? 0 : -1;`, which every cell executes.

use super::numbers;
use super::scalars;
use super::tree;
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, TypeId, UnaryOp, Unit};

/// A variable that steps fold into.
pub(super) struct Folded {
    pub id: DeclId,
    /// What it begins with, where one statement alone changes it.
    pub flag: Option<i128>,
    /// The type `int`.
    pub int: TypeId,
}

/// Whether one expression of these statements changes a variable, and no other one.
pub(super) fn is_changed_once<'s>(
    unit: &Unit,
    stmts: impl Iterator<Item = &'s Stmt>,
    id: DeclId,
) -> bool {
    let mut n = 0;
    for stmt in stmts {
        walk::all(unit, stmt, &mut |expr| {
            n += usize::from(tree::target(expr).is_some_and(|to| tree::is_var(to, id)));
            true
        });
    }
    n == 1
}

impl Folded {
    /// Takes conditions into what is folded.
    pub fn unconditional(&self, unit: &Unit, stmt: &mut Stmt) {
        for inner in walk::inner_mut(stmt) {
            self.unconditional(unit, inner);
        }
        if !scalars::is_integer(unit, unit[self.id].ty) {
            return;
        }
        let found = match &stmt.kind {
            StmtKind::If {
                cond,
                then,
                otherwise: None,
            } if !walk::mentions(cond, self.id) => self
                .folded(unit, then)
                .map(|(op, numbers)| (op, numbers, cond.clone())),
            StmtKind::Expr(expr) => self
                .marked(unit, expr)
                .map(|(op, cond)| (op, [1, 0], cond.clone())),
            _ => None,
        };
        if let Some((op, numbers, cond)) = found {
            stmt.kind = StmtKind::Expr(self.fold(unit, op, (numbers, cond)));
        }
    }

    /// The operator of `changed += 2`, or of `moved = 1` where that is the same as `moved |= 1`, with the number that it takes, and the
    /// one that changes nothing.
    fn folded(&self, unit: &Unit, stmt: &Stmt) -> Option<(BinaryOp, [i128; 2])> {
        let expr = match &stmt.kind {
            StmtKind::Compound(all) => match all.as_slice() {
                [one] => return self.folded(unit, one),
                _ => return None,
            },
            StmtKind::Expr(expr) => expr,
            _ => return None,
        };
        let number = |value: &Expr| match tree::plain(value).kind {
            ExprKind::Int(n) => Some(n),
            _ => None,
        };
        let is_it = |to: &Expr| tree::is_var(to, self.id);
        match &expr.kind {
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PostIncrement, to) if is_it(to) => {
                Some((BinaryOp::Add, [1, 0]))
            }
            ExprKind::Assign(Some(BinaryOp::Add), to, value) if is_it(to) => {
                Some((BinaryOp::Add, [number(value)?, 0]))
            }
            ExprKind::Assign(None, to, value) if is_it(to) => {
                match (self.flag?, numbers::value(unit, tree::plain(value))?) {
                    (0, 1) => Some((BinaryOp::BitOr, [1, 0])),
                    (_, 0) => Some((BinaryOp::BitAnd, [0, -1])),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The condition of `moved = moved || condition`, which may be evaluated where C does not, or of `done = done && condition`, and
    /// the operator that does the same with the number 1 or 0.
    fn marked<'e>(&self, unit: &Unit, expr: &'e Expr) -> Option<(BinaryOp, &'e Expr)> {
        let ExprKind::Assign(None, to, value) = &expr.kind else {
            return None;
        };
        let ExprKind::Binary(op, old, cond) = &tree::plain(value).kind else {
            return None;
        };
        let op = match (op, self.flag?) {
            (BinaryOp::Or, 0) => BinaryOp::BitOr,
            (BinaryOp::And, 1) => BinaryOp::BitAnd,
            _ => return None,
        };
        let is_plain = |e: &Expr| {
            use ExprKind as K;
            match e.kind {
                K::Binary(op, ..) => !matches!(op, BinaryOp::Div | BinaryOp::Rem),
                K::Int(_) | K::Char(_) | K::Float(_) | K::Var(_) | K::Cast { .. } => true,
                K::Unary(op, _) => matches!(op, UnaryOp::Minus | UnaryOp::Plus | UnaryOp::Not),
                _ => false,
            }
        };
        let is_number = |e: &Expr| match e.kind {
            K::Var(id) => scalars::is_arithmetic(unit, unit[id].ty),
            _ => true,
        };
        use ExprKind as K;
        let is_it = tree::is_var(to, self.id)
            && tree::is_var(old, self.id)
            && !walk::mentions(cond, self.id)
            && !walk::has(cond, |e| !is_plain(e) || !is_number(e))
            && !has_integers(unit, cond);
        is_it.then_some((op, cond))
    }

    /// `id op= cond ? number : other`
    fn fold(&self, unit: &Unit, op: BinaryOp, (numbers, cond): ([i128; 2], Expr)) -> Expr {
        let span = cond.span;
        let of = |ty, kind| Expr { ty, span, kind };
        let [number, other] = numbers.map(|n| Box::new(of(self.int, ExprKind::Int(n))));
        let value = of(self.int, ExprKind::Cond(Box::new(cond), number, other));
        let to = tree::var(unit, self.id, span);
        of(
            to.ty,
            ExprKind::Assign(Some(op), Box::new(to), Box::new(value)),
        )
    }
}

/// Whether an expression computes with integers, which may overflow, but for what compares.
fn has_integers(unit: &Unit, cond: &Expr) -> bool {
    let computes = |e: &Expr| match &e.kind {
        ExprKind::Binary(op, ..) => matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::ShiftLeft
                | BinaryOp::ShiftRight
        ),
        ExprKind::Unary(UnaryOp::Minus, arg) => !matches!(tree::plain(arg).kind, ExprKind::Int(_)),
        ExprKind::Cast { value, .. } => !scalars::is_integer(unit, value.ty),
        _ => false,
    };
    walk::has(cond, |e| scalars::is_integer(unit, e.ty) && computes(e))
}
