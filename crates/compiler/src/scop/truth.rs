//! Truth values, which kernels have as bytes that are 0 or 1.

use super::Expr;
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

/// What an array has of a value that is assigned to an element.
pub(super) fn stored(pet: &PetScop, name: &str, value: Expr) -> Expr {
    let array = pet.arrays.iter().find(|array| array.name == name);
    match array.is_some_and(|array| element(array).is_some()) {
        true => of(value),
        false => value,
    }
}

/// A value as C converts it to a truth value.
pub(super) fn of(value: Expr) -> Expr {
    Expr::Binary {
        op: "!=",
        lhs: Box::new(value),
        rhs: Box::new(Expr::Int {
            value: "0".into(),
            ty: CType::INT,
        }),
    }
}
