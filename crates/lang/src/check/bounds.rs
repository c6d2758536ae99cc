//! Bounds, offsets and conditions on sizes.

use super::{Meaning, unknown};
use crate::model::Affine;
use crate::syntax::{Expr, Value};
use hexcc_compiler::diag::{Diagnostic, Result};
use std::collections::HashMap;
use std::ops::Range;

/// Numbers in bounds are this large, at most; isl's are longer.
const MAX_NUMBER: i64 = 1 << 40;

type Names = HashMap<String, (Meaning, Range<usize>)>;

/// A sum of multiples of sizes.
///
/// # Errors
/// HX0705 for anything else, HX0702 for names that are not known.
pub fn affine(value: &Value, names: &Names) -> Result<Affine> {
    let too_large = || {
        let d = Diagnostic::error("HX0704", "a number is too large");
        Box::new(d.at(value.span.clone(), "bounds have numbers of up to 40 bits"))
    };
    let sum = match &value.node {
        Expr::Int(text) => text.parse().ok().map(Affine::number),
        Expr::Name(name) => match names.get(name) {
            Some((Meaning::Size, _)) => Some(Affine::size(name)),
            None => return Err(Box::new(unknown(&value.with(name.clone()), names, "size"))),
            Some((_, declared)) => {
                let d = no_bound(value, "this is no size");
                return Err(Box::new(d.also(declared.clone(), "declared here")));
            }
        },
        Expr::Unary("-", of) => Affine::default().plus(-1, &affine(of, names)?),
        Expr::Unary("+", of) => Some(affine(of, names)?),
        Expr::Binary(op @ ("+" | "-"), a, b) => {
            let factor = if *op == "+" { 1 } else { -1 };
            affine(a, names)?.plus(factor, &affine(b, names)?)
        }
        Expr::Binary("*", a, b) => {
            let (a, b) = (affine(a, names)?, affine(b, names)?);
            match (a.as_number(), b.as_number()) {
                (Some(n), _) => Affine::default().plus(n, &b),
                (_, Some(n)) => Affine::default().plus(n, &a),
                _ => return Err(Box::new(no_bound(value, "this multiplies sizes"))),
            }
        }
        _ => return Err(Box::new(no_bound(value, "this is something else"))),
    };
    let sum = sum.ok_or_else(too_large)?;
    let is_small = |n: &i64| (-MAX_NUMBER..=MAX_NUMBER).contains(n);
    let all_small = sum.terms.values().all(is_small) && is_small(&sum.constant);
    match all_small {
        true => Ok(sum),
        false => Err(too_large()),
    }
}

fn no_bound(value: &Value, label: &str) -> Diagnostic {
    Diagnostic::error("HX0705", "bounds are sums of sizes and numbers")
        .at(value.span.clone(), label)
        .help("declare a size for it, which the program computes")
}

/// A number of cells.
///
/// # Errors
/// HX0705 for anything else.
pub fn offset(value: &Value, names: &Names) -> Result<i64> {
    let found = affine(value, names).ok().and_then(|sum| sum.as_number());
    found.ok_or_else(|| {
        let d = Diagnostic::error("HX0705", "reads are at offsets, which are numbers")
            .at(value.span.clone(), "this is no number")
            .note("an offset counts from the cell that gets the value, so that there are no names of coordinates")
            .help("write `u[-1]` for the cell before, `u[0]` or `u` for the cell itself");
        Box::new(d)
    })
}

/// A condition on sizes, in isl's notation.
///
/// # Errors
/// HX0705 for anything but comparisons.
pub fn condition(value: &Value, names: &Names) -> Result<String> {
    match &value.node {
        Expr::Binary("&&", a, b) => {
            let (a, b) = (condition(a, names)?, condition(b, names)?);
            Ok(format!("{a} and {b}"))
        }
        Expr::Binary(op @ ("<" | "<=" | ">" | ">=" | "=="), a, b) => {
            let op = if *op == "==" { "=" } else { op };
            Ok(format!("{} {op} {}", affine(a, names)?, affine(b, names)?))
        }
        _ => {
            let what = "a condition on sizes compares sums of them";
            let d = Diagnostic::error("HX0705", what)
                .at(value.span.clone(), "this is something else")
                .help("write such as `n >= 4`, with commas between conditions");
            Err(Box::new(d))
        }
    }
}
