//! Floats that C computes in `double` by accident: `0.25 * x` and `sqrt(x)`.
//!
//! A statement is meant to compute in `float` where it writes a `float` and reads no `double`: then
//! only literals without an `f`, and functions without one, make values `double`.

use crate::csource::{Code, TokenKind};
use crate::ctype::{CType, math_function};
use crate::diag::Diagnostic;
use crate::options::Options;
use crate::scop::{Expr, Local, Scop, SourceFile, Statement};
use std::ops::Range;

/// A warning of the first statement that computes floats in `double`, with what that costs on a GPU;
/// `None` for CPUs, and where the options ask for `float`.
pub fn warning(scop: &Scop, source: &SourceFile, options: &Options) -> Option<Diagnostic> {
    if options.float_literals || options.language.is_c() {
        return None;
    }
    let mut wide = scop.stmts.iter().filter(|stmt| is_accident(scop, stmt));
    let first = wide.next()?;
    let (double, all) = operations(first);
    let (place, said, help) = cause(&source.text, first.span.clone());
    let target = &options.target;
    let times = target.fp32_lanes / target.fp64_lanes;
    let more = match wide.count() {
        0 => String::new(),
        1 => ", and so does 1 other statement".to_string(),
        n => format!(", and so do {n} other statements"),
    };
    Some(
        Diagnostic::warning("HX0119", "cells of `float` are computed in `double`")
            .at(place, said)
            .note(format!(
                "{double} of {all} operations of this statement are in `double`{more}. On this GPU they take {times:.0} times as long as in `float`, and values are converted there and back"
            ))
            .help(format!("{help}; `--float-literals` computes such statements in `float`, as the program would with an `f` at each literal and function")),
    )
}

/// Makes statements that compute floats in `double` by accident compute in `float`.
pub fn narrow(scop: &mut Scop) {
    for index in 0..scop.stmts.len() {
        if !is_accident(scop, &scop.stmts[index]) {
            continue;
        }
        let stmt = &mut scop.stmts[index];
        stmt.value = in_float(&stmt.value);
        for Local { value, .. } in &mut stmt.locals {
            *value = in_float(value);
        }
    }
}

/// Whether a statement that is meant to compute in `float` computes in `double`.
fn is_accident(scop: &Scop, stmt: &Statement) -> bool {
    let is_float = scop.array(stmt.write.array).elem == CType::Float;
    let mut meant = stmt.locals.iter().any(|local| local.ty == CType::Double);
    for expr in stmt.expressions() {
        expr.visit(&mut |e| {
            meant |= match e {
                Expr::Read(_, ty)
                | Expr::Local(_, ty)
                | Expr::Affine { ty, .. }
                | Expr::Cell { ty, .. }
                | Expr::Cast { ty, .. } => *ty == CType::Double,
                Expr::Call { name, .. } => {
                    let is_wide = math_function(name).is_none_or(|m| m.result == CType::Double);
                    is_wide && math_function(&format!("{name}f")).is_none()
                }
                _ => false,
            };
        });
    }
    is_float && !meant && operations(stmt).0 > 0
}

/// How many operations of a statement are in `double`, and how many there are.
fn operations(stmt: &Statement) -> (usize, usize) {
    let (mut double, mut all) = (0, 0);
    for expr in stmt.expressions() {
        expr.visit_typed(&mut |e, ty| {
            let computes = match e {
                Expr::Unary { .. } | Expr::Binary { .. } | Expr::Call { .. } => ty.is_floating(),
                _ => false,
            };
            all += usize::from(computes);
            double += usize::from(computes && ty == CType::Double);
        });
    }
    (double, all)
}

/// An expression with literals and functions of `float`.
fn in_float(expr: &Expr) -> Expr {
    expr.map(&|e| match e {
        Expr::Float {
            text,
            ty: CType::Double,
        } => Some(Expr::Float {
            text: format!("{text}f"),
            ty: CType::Float,
        }),
        Expr::Call { name, args } if math_function(name)?.result == CType::Double => {
            Some(Expr::Call {
                name: format!("{name}f"),
                args: args.iter().map(in_float).collect(),
            })
        }
        _ => None,
    })
}

/// The first literal or function of `double` in the text of a statement, or the statement; what it is,
/// and what to write instead.
fn cause(text: &str, stmt: Range<usize>) -> (Range<usize>, &'static str, String) {
    let code = Code::new(text);
    let first = (code.tokens).partition_point(|token| token.span.start < stmt.start);
    let inside = (first..code.tokens.len()).take_while(|&at| code.tokens[at].span.end <= stmt.end);
    for at in inside {
        let (word, place) = (code.word(at), code.tokens[at].span.clone());
        let is_double = math_function(word).is_some_and(|m| m.result == CType::Double);
        if is_double && code.opens(at + 1, "(") {
            return (place, "takes and gives `double`", format!("call `{word}f`"));
        }
        let is_real = word.contains(['.', 'e', 'E']) && !word.starts_with("0x");
        if code.tokens[at].kind == TokenKind::Number && is_real && !word.ends_with(['f', 'F']) {
            return (
                place,
                "this literal is a `double`",
                format!("write `{word}f`"),
            );
        }
    }
    let help = "put an `f` at literals and functions";
    (stmt, "computed in `double`", help.to_string())
}
