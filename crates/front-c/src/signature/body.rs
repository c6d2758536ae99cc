//! What a function does beside its loops, for callers that run these by themselves: numbers that it computes first.

use super::{Kind, Type, typed};
use hexcc_clang::ast::{
    BinaryOp, DeclKind, Expr, ExprKind, Function, Item, Stmt, StmtKind, Storage, UnaryOp, Unit,
};
use serde::{Deserialize, Serialize};

/// A statement of a function's body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its first byte in the file.
    pub start: u32,
    /// The byte behind its last one.
    pub end: u32,
    /// What it does.
    pub does: Does,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Does {
    /// Nothing, or it returns no value.
    Nothing,
    /// It declares variables.
    Declare(Vec<Local>),
    /// Something else.
    More,
}

/// A number that is declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Its value, if it has one.
    pub value: Option<Value>,
}

/// A number that parameters and variables before give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// How it is computed.
    #[serde(flatten)]
    pub how: How,
}

/// How a number is computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// A whole number.
    Int(i64),
    /// A floating-point number as it is written.
    Real(String),
    /// A parameter or variable.
    Name(String),
    /// Another number, converted.
    Cast(Box<Value>),
    /// A number with its sign changed.
    Minus(Box<Value>),
    /// `+`, `-`, `*`, `/` or `%` of two numbers of this type.
    Binary(String, Box<Value>, Box<Value>),
}

/// The statements of a function.
pub fn steps(unit: &Unit, function: &Function) -> Vec<Step> {
    let Some(StmtKind::Compound(body)) = function.body.as_ref().map(|body| &body.kind) else {
        return Vec::new();
    };
    let step = |stmt: &Stmt| Step {
        start: stmt.span.start,
        end: stmt.span.end,
        does: does(unit, stmt),
    };
    body.iter().map(step).collect()
}

fn does(unit: &Unit, stmt: &Stmt) -> Does {
    match &stmt.kind {
        StmtKind::Null | StmtKind::Return(None) => Does::Nothing,
        StmtKind::Decl(items) => {
            let locals: Option<Vec<Local>> = items.iter().map(|item| local(unit, item)).collect();
            locals.map_or(Does::More, Does::Declare)
        }
        _ => Does::More,
    }
}

fn local(unit: &Unit, item: &Item) -> Option<Local> {
    let Item::Decl(id) = item else { return None };
    let decl = &unit[*id];
    (decl.kind == DeclKind::Variable).then_some(())?;
    let ty = typed(unit, decl.ty, &mut decl.extents.iter());
    let is_number = matches!(ty.kind, Kind::Integer { .. } | Kind::Float { .. });
    (is_number && !matches!(decl.storage, Storage::Static | Storage::Extern)).then_some(())?;
    let value = match &decl.init {
        Some(init) => Some(value(unit, init)?),
        None => None,
    };
    let name = decl.name.clone();
    Some(Local { name, ty, value })
}

fn value(unit: &Unit, expr: &Expr) -> Option<Value> {
    let inner = |expr: &Expr| value(unit, expr).map(Box::new);
    let how = match &expr.kind {
        ExprKind::Int(n) | ExprKind::Char(n) => How::Int(i64::try_from(*n).ok()?),
        ExprKind::SizeOf(n) => How::Int(i64::try_from(*n).ok()?),
        ExprKind::Float(text) => How::Real(text.clone()),
        ExprKind::Var(id) => match unit[*id].kind {
            DeclKind::Enumerator(n) => How::Int(i64::try_from(n).ok()?),
            DeclKind::Parameter | DeclKind::Variable => How::Name(unit[*id].name.clone()),
            _ => return None,
        },
        ExprKind::Cast { value, .. } => How::Cast(inner(value)?),
        ExprKind::Unary(UnaryOp::Plus, value) => How::Cast(inner(value)?),
        ExprKind::Unary(UnaryOp::Minus, value) => How::Minus(inner(value)?),
        ExprKind::Binary(op, left, right) => {
            use BinaryOp::{Add, Div, Mul, Rem, Sub};
            if !matches!(op, Add | Sub | Mul | Div | Rem) {
                return None;
            }
            How::Binary(op.text().to_owned(), inner(left)?, inner(right)?)
        }
        _ => return None,
    };
    let ty = typed(unit, expr.ty, &mut [].iter());
    let is_number = matches!(ty.kind, Kind::Integer { .. } | Kind::Float { .. });
    is_number.then_some(Value { ty, how })
}
