//! Functions that are given two places of one array.
//!
//! `copy(u, u + n, ..)` is C where `copy` has two pointers, and kernels want arrays that lie apart: whether they do, only the run
//! tells. A program with such a call has its own loops for where they do not.

use crate::normalize::walk;
use hexcc_clang::ast::{BinaryOp, Callee, DeclId, Expr, ExprKind, TypeKind, UnaryOp, Unit};

/// Whether a function of the file that has loops is given two pointers into one array, one of which it may store through.
pub fn overlaps(unit: &Unit) -> bool {
    let mut bodies = unit.functions.iter().filter_map(|f| f.body.as_ref());
    bodies.any(|body| walk::any(unit, body, |expr| is_given_two(unit, expr)))
}

fn is_given_two(unit: &Unit, expr: &Expr) -> bool {
    let ExprKind::Call(Callee::Function(f), given) = &expr.kind else {
        return false;
    };
    let Some((function, body)) = unit.definition(*f).zip(unit.body_of(*f)) else {
        return false;
    };
    let mut has_loop = false;
    walk::stmts(body, &mut |stmt| has_loop |= walk::is_loop(stmt));
    let pointers: Vec<(DeclId, bool)> = (given.iter().zip(&unit[function].params))
        .filter_map(|(value, param)| {
            let TypeKind::Pointer(to) = unit.canonical(unit[*param].ty).kind else {
                return None;
            };
            let is_number = matches!(unit.canonical(to).kind, TypeKind::Builtin(_));
            Some((array(unit, value)?, !unit[to].is_const)).filter(|_| is_number)
        })
        .collect();
    let meets = |(at, (array, stores)): (usize, &(DeclId, bool))| {
        let mut others = pointers[at + 1..].iter();
        others.any(|(other, also)| other == array && (*stores || *also))
    };
    has_loop && pointers.iter().enumerate().any(meets)
}

/// The variable that a place in an array is reckoned from.
fn array(unit: &Unit, value: &Expr) -> Option<DeclId> {
    let is_pointer = |e: &Expr| {
        matches!(
            unit.canonical(e.ty).kind,
            TypeKind::Pointer(_) | TypeKind::Array { .. }
        )
    };
    match &value.kind {
        ExprKind::Var(id) => Some(*id).filter(|_| is_pointer(value)),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => match is_pointer(a) {
            true => array(unit, a),
            false => array(unit, b),
        },
        ExprKind::Unary(UnaryOp::AddressOf, of) => match &of.kind {
            ExprKind::Index(base, _) => array(unit, base),
            _ => None,
        },
        ExprKind::Cast { value, .. } => array(unit, value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::overlaps;
    use crate::normalize::tests::unit_of;

    #[test]
    fn two_places_of_one_array() {
        let of = |call: &str| {
            overlaps(&unit_of(&format!(
                "static void copy(double *to, const double *from, int n) {{ for (int i = 0; i < n; i++) to[i] = from[i]; }}
static double sum(const double *a, const double *b) {{ return *a + *b; }}
void f(int n, double *u, double *v, double w[9][9]) {{ {call} }}"
            )))
        };
        for call in [
            "copy(u, u + n, n);",
            "copy(&u[3], n + u - 1, 2);",
            "copy(w[0], v, n); copy(v, v, n);",
        ] {
            assert!(of(call), "{call}");
        }
        for call in [
            "copy(u, v, n);",
            "copy(u, &u[0] ? v : v, n);",
            "u[0] = sum(u, u + 1);",
        ] {
            assert!(!of(call), "{call}");
        }
    }
}
