//! Quotients by constants without a division, equal to it bit for bit.
//!
//! A division that rounds exactly takes some 28 instructions on a GPU, with a branch to a function.
//! Two forms take its place where they are proven to give the same for every operand: of `float`, a
//! product in `double` ([`product`]); of both types, two products with constants ([`fused`]), which
//! need no fast `double` but a test of operands next to zero.

pub mod fused;
pub mod product;

use crate::ctype::CType;
use crate::scop::Expr;
pub use fused::{Fused, QUOTIENT};

/// How kernels divide numbers by constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divisions {
    /// As the program does.
    Plain,
    /// `float` as the program does, since it is built with a fast division; `double` by two products.
    OnlyDouble,
    /// `float` by a product in `double`, `double` by two products.
    InDouble,
    /// Both types by two products: for GPUs where `double` is slow.
    Fused,
}

/// What takes the place of a division.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A product in `double`.
    Product,
    /// Two products.
    Fused(Fused),
}

impl Divisions {
    /// What an expression is printed as, unless it is as it stands: no division by a constant, or
    /// one for which nothing is proven.
    pub fn form(self, expr: &Expr) -> Option<Form> {
        let Expr::Binary {
            op: "/", lhs, rhs, ..
        } = expr
        else {
            return None;
        };
        // What is constant as a whole is divided by the compiler.
        if self == Divisions::Plain || value(lhs).is_some() {
            return None;
        }
        let c = value(rhs)?;
        match (expr.ty(), self) {
            (CType::Double, _) => Fused::double(c.as_double()).map(Form::Fused),
            (CType::Float, Divisions::InDouble) if lhs.ty() == CType::Float => {
                product::reciprocal_is_enough(c.as_float()).then_some(Form::Product)
            }
            (CType::Float, Divisions::Fused) => Fused::float(c.as_float()).map(Form::Fused),
            _ => None,
        }
    }

    /// The same where kernels wait for memory, so that products in `double` gain nothing.
    pub fn without_products(self) -> Divisions {
        match self {
            Divisions::InDouble => Divisions::OnlyDouble,
            other => other,
        }
    }

    /// Calls `f` with every division that takes another form.
    pub fn visit(self, expr: &Expr, f: &mut dyn FnMut(Form)) {
        expr.visit(&mut |e| {
            if let Some(form) = self.form(e) {
                f(form);
            }
        });
    }
}

/// A constant as C computes it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Int(i32),
    Float(f32),
    Double(f64),
}

impl Number {
    fn as_float(self) -> f32 {
        match self {
            // Rounds to the nearest, as C's conversion does.
            Number::Int(n) => n as f32,
            Number::Float(x) => x,
            Number::Double(x) => x as f32,
        }
    }

    fn as_double(self) -> f64 {
        match self {
            Number::Int(n) => n.into(),
            Number::Float(x) => x.into(),
            Number::Double(x) => x,
        }
    }

    fn negated(self) -> Option<Number> {
        Some(match self {
            Number::Int(n) => Number::Int(n.checked_neg()?),
            Number::Float(x) => Number::Float(-x),
            Number::Double(x) => Number::Double(-x),
        })
    }
}

/// The value of an expression of literals.
fn value(expr: &Expr) -> Option<Number> {
    match expr {
        Expr::Int {
            value,
            ty: CType::INT,
        } => value.parse().ok().map(Number::Int),
        Expr::Float {
            text,
            ty: CType::Float,
        } => {
            let digits = text.trim_end_matches(['f', 'F']);
            digits.parse().ok().map(Number::Float)
        }
        Expr::Float {
            text,
            ty: CType::Double,
        } => text.parse().ok().map(Number::Double),
        Expr::Unary { op: "-", arg } => value(arg)?.negated(),
        Expr::Binary { op, lhs, rhs } => operation(op, value(lhs)?, value(rhs)?),
        Expr::Cast { ty, arg } => match (*ty, value(arg)?) {
            (CType::Float, x) => Some(Number::Float(x.as_float())),
            (CType::Double, x) => Some(Number::Double(x.as_double())),
            _ => None,
        },
        _ => None,
    }
}

fn operation(op: &str, a: Number, b: Number) -> Option<Number> {
    Some(match (a, b) {
        (Number::Int(a), Number::Int(b)) => Number::Int(match op {
            "+" => a.checked_add(b)?,
            "-" => a.checked_sub(b)?,
            "*" => a.checked_mul(b)?,
            _ => return None,
        }),
        (Number::Double(_), _) | (_, Number::Double(_)) => {
            let (a, b) = (a.as_double(), b.as_double());
            Number::Double(match op {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a / b,
                _ => return None,
            })
        }
        _ => {
            let (a, b) = (a.as_float(), b.as_float());
            Number::Float(match op {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a / b,
                _ => return None,
            })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(text: &str, ty: CType) -> Expr {
        Expr::Float {
            text: text.to_string(),
            ty,
        }
    }

    fn int(value: &str) -> Expr {
        Expr::Int {
            value: value.to_string(),
            ty: CType::INT,
        }
    }

    fn binary(op: &'static str, lhs: Expr, rhs: Expr) -> Expr {
        Expr::Binary {
            op,
            lhs: Box::new(lhs),
            rhs: Box::new(rhs),
        }
    }

    #[test]
    fn constants_are_those_of_c() {
        let double = |text| float(text, CType::Double);
        assert_eq!(
            value(&float("49.7f", CType::Float)),
            Some(Number::Float(49.7))
        );
        assert_eq!(
            value(&float("1e3F", CType::Float)),
            Some(Number::Float(1000.0))
        );
        assert_eq!(value(&double("49.7")), Some(Number::Double(49.7)));
        assert_eq!(value(&float("0x1p3f", CType::Float)), None);
        assert_eq!(
            value(&int("16777217")).map(Number::as_float),
            Some(16777216.0)
        );
        let product = binary("*", double("0.1"), double("0.1"));
        assert_eq!(value(&product), Some(Number::Double(0.1 * 0.1)));
        // A product of floats rounds to a float, and only then becomes a double.
        let tenth = || float("0.1f", CType::Float);
        let mixed = binary("*", binary("*", tenth(), tenth()), int("2"));
        let expected = Number::Float(0.1f32 * 0.1f32 * 2.0);
        assert_eq!(value(&mixed), Some(expected));
        assert_eq!(value(&binary("*", int("65536"), int("65536"))), None);
        assert_eq!(value(&binary("/", int("7"), int("2"))), None);
        let negative = Expr::Unary {
            op: "-",
            arg: Box::new(binary("+", int("2"), double("0.5"))),
        };
        assert_eq!(value(&negative), Some(Number::Double(-2.5)));
    }

    #[test]
    fn types_of_operands_decide() {
        let read = |ty| Expr::Read(0, ty);
        let [f, d] = [CType::Float, CType::Double];
        let third = |ty| binary("/", read(ty), int("3"));
        assert_eq!(Divisions::InDouble.form(&third(f)), Some(Form::Product));
        assert!(matches!(
            Divisions::InDouble.form(&third(d)),
            Some(Form::Fused(_))
        ));
        assert!(matches!(
            Divisions::Fused.form(&third(f)),
            Some(Form::Fused(_))
        ));
        assert_eq!(Divisions::OnlyDouble.form(&third(f)), None);
        assert_eq!(Divisions::Plain.form(&third(d)), None);
        // Divided in `double`, by the `double` that the `float` is.
        let mixed = binary("/", read(d), float("49.7f", f));
        assert_eq!(
            Divisions::InDouble.form(&mixed),
            Fused::double(49.7f32.into()).map(Form::Fused)
        );
        let integers = binary("/", read(CType::INT), int("3"));
        assert_eq!(Divisions::Fused.form(&integers), None);
        let constant = binary("/", int("1"), float("3.0", d));
        assert_eq!(Divisions::Fused.form(&constant), None);
    }
}
