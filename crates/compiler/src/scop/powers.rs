//! Calls of functions of `<math.h>`. Powers of -1, 1 and 2 are `1 / x`, `x` and `x * x`, which is what gcc and
//! clang make of them: equal to C bit for bit, where `pow` of a GPU is not.

use super::{BodyReader, CType, Expr};
use crate::ctype::MathFunction;
use crate::diag::Result;
use hexcc_pet::data::PetExpr;

/// Operations of an expression that is written twice, at most: powers of powers grow.
const MOST_OPERATIONS: usize = 64;

impl BodyReader<'_> {
    /// A call of a function that takes so many arguments.
    pub(super) fn math_call(
        &mut self,
        name: &str,
        function: MathFunction,
        args: &[PetExpr],
    ) -> Result<Expr> {
        let before = self.seen.clone();
        let all = self.exprs(args)?;
        let power = match (name, all.as_slice()) {
            ("pow" | "powf", [base, exponent]) if base.n_operations() <= MOST_OPERATIONS => {
                constant(exponent)
            }
            _ => None,
        };
        // In the type in which C computes.
        let of_type = |x: Expr| match x.ty() == function.arg {
            true => x,
            false => Expr::Cast {
                ty: function.arg,
                arg: Box::new(x),
            },
        };
        let binary = |op, lhs, rhs| Expr::Binary {
            op,
            lhs: Box::new(of_type(lhs)),
            rhs: Box::new(of_type(rhs)),
        };
        let mut values = all.into_iter();
        Ok(match (power, args, values.next()) {
            (Some(1.0), _, Some(base)) => of_type(base),
            (Some(2.0), [base, _], Some(first)) => {
                // The text has it once.
                let after = std::mem::replace(&mut self.seen, before);
                let second = self.expr(base)?;
                self.seen = after;
                binary("*", first, second)
            }
            (Some(-1.0), _, Some(base)) => {
                let one = Expr::Float {
                    text: match function.arg {
                        CType::Float => "1.0f",
                        _ => "1.0",
                    }
                    .to_string(),
                    ty: function.arg,
                };
                binary("/", one, base)
            }
            (_, _, first) => Expr::Call {
                name: name.to_string(),
                args: first.into_iter().chain(values).collect(),
            },
        })
    }
}

/// The value of a literal.
fn constant(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Int { value, .. } => value.parse().ok(),
        Expr::Float { text, .. } => text.trim_end_matches(['f', 'F', 'l', 'L']).parse().ok(),
        Expr::Cast { arg, .. } => constant(arg),
        Expr::Unary { op: "-", arg } => constant(arg).map(|value| -value),
        Expr::Affine { value, .. } => {
            let text = value.to_string();
            // `{ S[i, j] -> [(2)] : .. }`
            let (_, value) = text.rsplit_once("-> [(")?;
            value.split_once(")]")?.0.parse().ok()
        }
        _ => None,
    }
}
