//! isl's expressions and the expressions of statements, as expressions of a program.

use crate::ctype::{CType, math_function};
use crate::diag::{Diagnostic, Result};
use crate::ir::{Expr, Helper, Program, build};
use crate::quotient::{Divisions, Form};
use crate::scop;
use crate::tiling::reduction::Reduction;
use hexcc_isl::{AstExpr, AstOp};
use std::collections::BTreeMap;

/// What stands for isl's names.
pub type Env = BTreeMap<String, Expr>;

/// An isl expression; every name in it must be in `env`.
///
/// # Errors
/// HX9001 for what isl does not make of sets and functions.
pub fn from_isl(expr: &AstExpr, env: &Env) -> Result<Expr> {
    match expr {
        AstExpr::Int(value) => Ok(Expr::Int(*value)),
        AstExpr::Id(name) => (env.get(name).cloned())
            .ok_or_else(|| Box::new(Diagnostic::bug(format!("isl's name `{name}` is unknown")))),
        AstExpr::Op(op, args) => {
            let args: Vec<Expr> = (args.iter().map(|a| from_isl(a, env))).collect::<Result<_>>()?;
            operation(*op, args)
                .ok_or_else(|| Box::new(Diagnostic::bug(format!("isl's operator {op:?}"))))
        }
    }
}

/// Sizes up to which indices may have 32 bits.
pub const NARROW_SIZE: i64 = 1 << 26;

/// What iterators are then, at most.
pub const NARROW_ITERATOR: f64 = (1 << 28) as f64;

/// The largest absolute value that an isl expression and its parts can have where sizes are at most
/// [`NARROW_SIZE`] and iterators, whose names are no names of C, at most [`NARROW_ITERATOR`].
pub fn magnitude(expr: &AstExpr) -> f64 {
    magnitude_where(expr, None)
}

/// The same where the iterator `wide` can be twice as large as others.
pub fn magnitude_where(expr: &AstExpr, wide: Option<&str>) -> f64 {
    match expr {
        AstExpr::Int(value) => value.unsigned_abs() as f64,
        AstExpr::Id(name) if Some(name.as_str()) == wide => 2.0 * NARROW_ITERATOR,
        AstExpr::Id(name) if name.ends_with('\'') => NARROW_ITERATOR,
        AstExpr::Id(_) => NARROW_SIZE as f64,
        AstExpr::Op(op, args) => {
            let parts = args.iter().map(|arg| magnitude_where(arg, wide));
            match op {
                AstOp::Add | AstOp::Sub => parts.sum(),
                AstOp::Mul => parts.product(),
                _ => parts.fold(0.0, f64::max),
            }
        }
    }
}

/// Whether the condition of a loop keeps its iterator in the range of iterators.
pub fn keeps_narrow(cond: &AstExpr, iterator: &str) -> bool {
    let AstExpr::Op(op, args) = cond else {
        return false;
    };
    let is_own = |e: &AstExpr| matches!(e, AstExpr::Id(name) if name == iterator);
    match (op, args.as_slice()) {
        (AstOp::And | AstOp::AndThen, parts) => parts.iter().all(|p| keeps_narrow(p, iterator)),
        (AstOp::Le | AstOp::Lt | AstOp::Ge | AstOp::Gt, [a, b]) => {
            let bound = if is_own(a) { b } else { a };
            (is_own(a) || is_own(b)) && magnitude(bound) <= NARROW_ITERATOR
        }
        _ => false,
    }
}

fn operation(op: AstOp, args: Vec<Expr>) -> Option<Expr> {
    let fold = |args: Vec<Expr>, join: &dyn Fn(Expr, Expr) -> Expr| {
        let mut args = args.into_iter();
        let first = args.next()?;
        Some(args.fold(first, join))
    };
    let symbol = |args, op: &'static str| fold(args, &|l, r| Expr::binary(op, l, r));
    let helper = |args, h: Helper| fold(args, &|l, r| Expr::Helper(h, Box::new([l, r])));
    match op {
        AstOp::And | AstOp::AndThen => symbol(args, "&&"),
        AstOp::Or | AstOp::OrElse => symbol(args, "||"),
        AstOp::Max => helper(args, Helper::Highest),
        AstOp::Min => helper(args, Helper::Lowest),
        AstOp::FdivQ => helper(args, Helper::FloorDiv),
        AstOp::Add => symbol(args, "+"),
        AstOp::Sub => symbol(args, "-"),
        AstOp::Mul => symbol(args, "*"),
        AstOp::Div | AstOp::PdivQ => symbol(args, "/"),
        AstOp::PdivR | AstOp::ZdivR => symbol(args, "%"),
        AstOp::Eq => symbol(args, "=="),
        AstOp::Le => symbol(args, "<="),
        AstOp::Lt => symbol(args, "<"),
        AstOp::Ge => at_least(args),
        AstOp::Gt => symbol(args, ">"),
        AstOp::Minus => {
            let arg = Box::new(args.into_iter().next()?);
            Some(Expr::Unary { op: "-", arg })
        }
        AstOp::Cond | AstOp::Select => match <[Expr; 3]>::try_from(args) {
            Ok([cond, yes, no]) => Some(Expr::Select {
                cond: Box::new(cond),
                yes: Box::new(yes),
                no: Box::new(no),
            }),
            Err(_) => None,
        },
        AstOp::Call | AstOp::Access | AstOp::Member | AstOp::AddressOf => None,
    }
}

/// isl writes `N >= i + 2`; `i < N - 1` reads better.
fn at_least(args: Vec<Expr>) -> Option<Expr> {
    let [large, small] = <[Expr; 2]>::try_from(args).ok()?;
    Some(match (large, small) {
        (large @ Expr::Var(_), Expr::Binary { op: "+", lhs, rhs }) => match *rhs {
            Expr::Int(c) if c >= 1 => {
                let bound = match c {
                    1 => large,
                    c => Expr::binary("-", large, Expr::Int(c - 1)),
                };
                Expr::binary("<", *lhs, bound)
            }
            rhs => Expr::binary(">=", large, Expr::binary("+", *lhs, rhs)),
        },
        (large @ Expr::Var(_), small @ Expr::Var(_)) => Expr::binary("<=", small, large),
        (large, small) => Expr::binary(">=", large, small),
    })
}

/// The expressions of one statement on their way into a program.
pub struct Body<'a> {
    /// The program.
    pub program: &'a Program,
    /// How it divides by constants.
    pub divisions: Divisions,
    /// What its reads are.
    pub reads: &'a [Expr],
    /// What its local variables are.
    pub locals: &'a [Expr],
    /// Its affine parts, in the order of a traversal.
    pub affine: std::vec::IntoIter<Expr>,
}

impl Body<'_> {
    /// What a statement folds, in the type of the reduction.
    ///
    /// # Errors
    /// HX9001 where the expression does not fit the statement.
    pub fn term(&mut self, reduction: &Reduction) -> Result<Expr> {
        for _ in 0..reduction.affine_before {
            self.affine.next();
        }
        let term = self.expr(&reduction.term)?;
        let term = match self.program.type_of(&term) == Some(reduction.ty) {
            true => term,
            false => Expr::Cast {
                ty: reduction.ty,
                arg: Box::new(term),
            },
        };
        Ok(match reduction.negated {
            true => Expr::Unary {
                op: "-",
                arg: Box::new(term),
            },
            false => term,
        })
    }

    /// An expression in the source's order of operations, with the conversions that C does
    /// silently and other languages may not.
    ///
    /// # Errors
    /// HX9001 where the expression does not fit the statement.
    pub fn expr(&mut self, expr: &scop::Expr) -> Result<Expr> {
        let bug = || {
            Box::new(Diagnostic::bug(
                "an expression that does not fit its statement",
            ))
        };
        Ok(match expr {
            scop::Expr::Int { value, ty } => Expr::Literal {
                text: value.clone(),
                ty: *ty,
            },
            scop::Expr::Float { text, ty } => Expr::Literal {
                text: text.clone(),
                ty: *ty,
            },
            scop::Expr::Read(i, _) => self.reads.get(*i).cloned().ok_or_else(bug)?,
            scop::Expr::Local(i, _) => self.locals.get(*i).cloned().ok_or_else(bug)?,
            scop::Expr::Affine { ty, .. } => Expr::Cast {
                ty: *ty,
                arg: Box::new(self.affine.next().ok_or_else(bug)?),
            },
            scop::Expr::Unary { op, arg } => Expr::Unary {
                op,
                arg: Box::new(self.expr(arg)?),
            },
            scop::Expr::Binary { op, lhs, rhs } => match self.divisions.form(expr) {
                Some(Form::Fused(by)) => Expr::Quotient {
                    by: Box::new(by),
                    x: Box::new(self.expr(lhs)?),
                },
                Some(Form::Product) => {
                    let double = |x: Expr| build::cast(CType::Double, x);
                    let one = Expr::Literal {
                        text: "1.0".to_string(),
                        ty: CType::Double,
                    };
                    let (lhs, rhs) = (self.expr(lhs)?, self.expr(rhs)?);
                    let reciprocal = Expr::binary("/", one, rhs);
                    build::cast(CType::Float, Expr::binary("*", double(lhs), reciprocal))
                }
                None => Expr::binary(op, self.expr(lhs)?, self.expr(rhs)?),
            },
            scop::Expr::Cond { cond, yes, no } => Expr::Select {
                cond: Box::new(self.expr(cond)?),
                yes: Box::new(self.expr(yes)?),
                no: Box::new(self.expr(no)?),
            },
            scop::Expr::Cast { ty, arg } => Expr::Cast {
                ty: *ty,
                arg: Box::new(self.expr(arg)?),
            },
            scop::Expr::Cell { name, ty, args } => Expr::Cell {
                name: name.clone(),
                ty: *ty,
                args: args
                    .iter()
                    .map(|arg| self.expr(arg))
                    .collect::<Result<_>>()?,
            },
            scop::Expr::Call { name, args } => {
                let wanted = math_function(name).ok_or_else(bug)?.arg;
                let mut converted = Vec::new();
                for arg in args {
                    let value = self.expr(arg)?;
                    converted.push(match self.program.type_of(&value) == Some(wanted) {
                        true => value,
                        false => Expr::Cast {
                            ty: wanted,
                            arg: Box::new(value),
                        },
                    });
                }
                Expr::Math {
                    name: name.clone(),
                    args: converted,
                }
            }
        })
    }
}
