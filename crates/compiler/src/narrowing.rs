//! Single operations in `double` whose result becomes a `float`, computed in `float` with the same result.
//!
//! `float d = fabs(a - b);` and `v = 0.25 * (a + b);` with floats `a` and `b` convert to `double` and back for one operation. A
//! choice such as `fabs` or `fmax` gives one of the floats that it is given. Sums, products, quotients and square roots of floats
//! that are rounded to `double` and then to `float` are those that are rounded to `float` at once, since a `double` has more
//! than twice as many digits and two (S. A. Figueroa, When is double rounding innocuous?, SIGNUM Newsletter 30(3), 1995).
//! Products of two operations and more are left alone: their parts would round.

use crate::ctype::CType;
use crate::scop::{Expr, Local, Scop};

/// Functions that give one of their arguments, perhaps with another sign, or a whole number near one.
const CHOICES: [&str; 9] = [
    "fabs", "fmax", "fmin", "copysign", "floor", "ceil", "trunc", "round", "rint",
];

/// Makes such operations those of `float`.
pub fn narrow(scop: &mut Scop) {
    for index in 0..scop.stmts.len() {
        let elem = scop.array(scop.stmts[index].write.array).elem;
        let stmt = &mut scop.stmts[index];
        stmt.value = given_to(elem, &stmt.value);
        for Local { ty, value, .. } in &mut stmt.locals {
            *value = given_to(*ty, value);
        }
    }
}

/// An expression whose value is converted to a type.
fn given_to(ty: CType, expr: &Expr) -> Expr {
    let inner = || inside(expr);
    match ty {
        CType::Float if expr.ty() == CType::Double => rounded(&inner()).unwrap_or_else(inner),
        _ => inner(),
    }
}

/// An expression with the conversions to `float`, and the comparisons, that are in it.
fn inside(expr: &Expr) -> Expr {
    expr.map(&|e| match e {
        Expr::Cast {
            ty: CType::Float,
            arg,
        } if arg.ty() == CType::Double => rounded(&inside(arg)),
        Expr::Binary { op, lhs, rhs } if is_comparison(op) => {
            let is_wide = lhs.ty() == CType::Double || rhs.ty() == CType::Double;
            let (lhs, rhs) = (inside(lhs), inside(rhs));
            let (lhs, rhs) = is_wide
                .then(|| Some((exact(&lhs)?, exact(&rhs)?)))
                .flatten()?;
            Some(Expr::Binary {
                op,
                lhs: Box::new(lhs),
                rhs: Box::new(rhs),
            })
        }
        _ => None,
    })
}

fn is_comparison(op: &str) -> bool {
    matches!(op, "<" | "<=" | ">" | ">=" | "==" | "!=")
}

/// The expression in `float` of what an expression in `double` is when it is rounded, if that is one operation.
fn rounded(expr: &Expr) -> Option<Expr> {
    let both = |lhs: &Expr, rhs: &Expr| Some((Box::new(exact(lhs)?), Box::new(exact(rhs)?)));
    match expr {
        Expr::Binary {
            op: op @ ("+" | "-" | "*" | "/"),
            lhs,
            rhs,
        } => {
            let (lhs, rhs) = both(lhs, rhs)?;
            // Literals alone say what is meant, and are no work.
            let is_number = |e: &Expr| matches!(e, Expr::Float { .. });
            (!(is_number(&lhs) && is_number(&rhs))).then_some(Expr::Binary { op, lhs, rhs })
        }
        Expr::Call { name, args } if name == "sqrt" => Some(Expr::Call {
            name: "sqrtf".to_string(),
            args: args.iter().map(exact).collect::<Option<_>>()?,
        }),
        Expr::Cond { cond, yes, no } => Some(Expr::Cond {
            cond: cond.clone(),
            yes: Box::new(rounded(yes)?),
            no: Box::new(rounded(no)?),
        }),
        expr => exact(expr),
    }
}

/// The expression in `float` with the value of another one, where that is a `float` for sure.
fn exact(expr: &Expr) -> Option<Expr> {
    match expr {
        expr if expr.ty() == CType::Float => Some(expr.clone()),
        Expr::Float {
            text,
            ty: CType::Double,
        } => {
            let value: f64 = text.parse().ok()?;
            let is_float = f64::from(value as f32) == value && value.is_finite();
            is_float.then(|| Expr::Float {
                text: format!("{text}f"),
                ty: CType::Float,
            })
        }
        Expr::Unary { op: "-", arg } => Some(Expr::Unary {
            op: "-",
            arg: Box::new(exact(arg)?),
        }),
        Expr::Call { name, args } if CHOICES.contains(&name.as_str()) => Some(Expr::Call {
            name: format!("{name}f"),
            args: args.iter().map(exact).collect::<Option<_>>()?,
        }),
        Expr::Cond { cond, yes, no } => Some(Expr::Cond {
            cond: cond.clone(),
            yes: Box::new(exact(yes)?),
            no: Box::new(exact(no)?),
        }),
        Expr::Cast {
            ty: CType::Double,
            arg,
        } => exact(arg),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(i: usize, ty: CType) -> Expr {
        Expr::Read(i, ty)
    }

    fn number(text: &str) -> Expr {
        Expr::Float {
            text: text.to_string(),
            ty: CType::Double,
        }
    }

    fn binary(op: &'static str, lhs: Expr, rhs: Expr) -> Expr {
        Expr::Binary {
            op,
            lhs: Box::new(lhs),
            rhs: Box::new(rhs),
        }
    }

    fn call(name: &str, arg: Expr) -> Expr {
        Expr::Call {
            name: name.to_string(),
            args: vec![arg],
        }
    }

    #[test]
    fn one_operation_is_one_of_float() {
        let x = || read(0, CType::Float);
        for (given, is_float) in [
            (call("fabs", x()), true),
            (call("sqrt", binary("*", x(), x())), true),
            (binary("*", number("0.25"), x()), true),
            (binary("*", number("0.2"), x()), false),
            (binary("+", binary("*", number("0.25"), x()), x()), false),
            (call("exp", x()), false),
            (binary("*", number("0.5"), read(1, CType::Double)), false),
        ] {
            let narrow = given_to(CType::Float, &given);
            assert_eq!(narrow.ty() == CType::Float, is_float, "{given:?}");
            assert_eq!(given_to(CType::Double, &given).ty(), given.ty());
        }
    }

    #[test]
    fn comparisons_of_floats_are_those_of_float() {
        let choice = |cond| Expr::Cond {
            cond: Box::new(cond),
            yes: Box::new(read(0, CType::Float)),
            no: Box::new(read(1, CType::Float)),
        };
        let wide = choice(binary(
            ">",
            call("fabs", read(0, CType::Float)),
            read(1, CType::Float),
        ));
        let text = format!("{:?}", given_to(CType::Float, &wide));
        assert!(text.contains("fabsf"), "{text}");
        let apart = choice(binary(">", read(0, CType::Float), number("0.1")));
        let text = format!("{:?}", given_to(CType::Float, &apart));
        assert!(!text.contains("0.1f"), "{text}");
    }

    /// Figueroa's theorem at numbers that are close to the middle between two floats.
    #[test]
    fn rounding_twice_is_rounding_once() {
        let mut state = 0x2545_f491_4f6c_dd1du64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            f32::from_bits((state >> 20) as u32)
        };
        for _ in 0..2_000_000 {
            let (a, b) = (next(), next());
            let (x, y) = (f64::from(a), f64::from(b));
            for (once, twice) in [
                (a + b, (x + y) as f32),
                (a - b, (x - y) as f32),
                (a * b, (x * y) as f32),
                (a / b, (x / y) as f32),
                (a.sqrt(), x.sqrt() as f32),
            ] {
                let same = once.to_bits() == twice.to_bits() || once.is_nan() && twice.is_nan();
                assert!(same, "{a:e} and {b:e}: {once:e}, {twice:e}");
            }
        }
    }
}
