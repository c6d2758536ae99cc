//! Truth values, which kernels have as bytes that are 0 or 1.

use super::{Access, ArrayId, Expr};
use crate::ctype::CType;
use hexcc_pet::data::{PetArray, PetScop};

/// Whether a type is that of truth values.
pub(crate) fn is_bool(ty: &str) -> bool {
    matches!(ty, "_Bool" | "bool")
}

/// The type of an array's elements where these are truth values.
pub(super) fn element(array: &PetArray) -> Option<CType> {
    is_bool(&array.element_type).then_some(CType::UInt(1))
}

/// What an array has of a value that is assigned to an element, given what the statement reads.
pub(super) fn stored(
    pet: &PetScop,
    (name, to, reads): (&str, ArrayId, &[Access]),
    value: Expr,
) -> Expr {
    let array = pet.arrays.iter().find(|array| array.name == name);
    match array.is_some_and(|array| element(array).is_some()) {
        true => without_old((to, reads), value),
        false => value,
    }
}

/// The truth value of a value of which one branch is perhaps an element of the array, which is one.
fn without_old((to, reads): (ArrayId, &[Access]), value: Expr) -> Expr {
    let own = |expr: &Expr| match expr {
        Expr::Read(i, _) => reads.get(*i).is_some_and(|read| read.array == to),
        _ => false,
    };
    let branch = |expr: Box<Expr>| match own(&expr) {
        true => expr,
        false => Box::new(without_old((to, reads), *expr)),
    };
    match value {
        Expr::Cond { cond, yes, no } if own(&yes) || own(&no) => Expr::Cond {
            cond,
            yes: branch(yes),
            no: branch(no),
        },
        value => of(value),
    }
}

/// Whether a constant is a truth value.
fn is_one(value: &Expr) -> bool {
    match value {
        Expr::Int { value, .. } => matches!(value.as_str(), "0" | "1"),
        Expr::Cast { ty, arg } => !ty.is_floating() && is_one(arg),
        _ => false,
    }
}

/// A value as C converts it to a truth value.
pub(super) fn of(value: Expr) -> Expr {
    if is_one(&value) {
        return value;
    }
    Expr::Binary {
        op: "!=",
        lhs: Box::new(value),
        rhs: Box::new(Expr::Int {
            value: "0".into(),
            ty: CType::INT,
        }),
    }
}
