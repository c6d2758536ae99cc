//! Expressions and statements in few words.

use super::{Definition, Expr, Stmt, Type, VarId};
use crate::ctype::CType;

/// An integer that the program computes with.
pub fn int(value: i64) -> Expr {
    Expr::Int(value)
}

/// The value of a variable.
pub fn var(id: VarId) -> Expr {
    Expr::Var(id)
}

/// A binary operator.
pub fn binary(op: &'static str, lhs: Expr, rhs: Expr) -> Expr {
    Expr::binary(op, lhs, rhs)
}

/// `a + c`, as a difference where c is negative.
pub fn plus(a: Expr, c: i64) -> Expr {
    match c {
        c if c < 0 => binary("-", a, int(-c)),
        c => a.plus(int(c)),
    }
}

/// The same, computed where `a` is a number.
pub fn sum(a: Expr, c: i64) -> Expr {
    match a {
        Expr::Int(a) => int(a + c),
        a => plus(a, c),
    }
}

/// `!cond`.
pub fn not(cond: Expr) -> Expr {
    Expr::Unary {
        op: "!",
        arg: Box::new(cond),
    }
}

/// `-x`.
pub fn minus(x: Expr) -> Expr {
    Expr::Unary {
        op: "-",
        arg: Box::new(x),
    }
}

/// `cond ? yes : no`.
pub fn select(cond: Expr, yes: Expr, no: Expr) -> Expr {
    Expr::Select {
        cond: Box::new(cond),
        yes: Box::new(yes),
        no: Box::new(no),
    }
}

/// A conversion.
pub fn cast(ty: CType, x: Expr) -> Expr {
    Expr::Cast {
        ty,
        arg: Box::new(x),
    }
}

/// All conditions in their order, or all alternatives.
pub fn joined(op: &'static str, all: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    all.into_iter().reduce(|a, b| binary(op, a, b))
}

/// A constant truth.
pub fn truth(holds: bool) -> Expr {
    Expr::Literal {
        text: holds.to_string(),
        ty: CType::INT,
    }
}

/// An integer of 32 bits.
pub const INT: Type = Type::Number(CType::INT);

/// Defines a variable.
pub fn let_(var: VarId, value: Expr) -> Stmt {
    let value = Some(value);
    Stmt::Let { var, value }
}

/// Gives a variable or an element a value.
pub fn assign(target: Expr, value: Expr) -> Stmt {
    Stmt::Assign { target, value }
}

/// Defines what is no number.
pub fn define(var: VarId, definition: Definition) -> Stmt {
    Stmt::Define { var, definition }
}

/// A condition.
pub fn if_(cond: Expr, yes: Vec<Stmt>) -> Stmt {
    let no = Vec::new();
    Stmt::If { cond, yes, no }
}

/// A condition under which an iteration ends.
pub fn skip_if(cond: Expr) -> Stmt {
    if_(cond, vec![Stmt::Continue])
}

/// A remark.
pub fn comment(text: impl Into<String>) -> Stmt {
    Stmt::Comment(text.into())
}
