//! Arrays of which elements may not exist.
//!
//! C touches an element under a condition on data, and nothing says that the array has it where the
//! condition does not hold. A kernel that touches it under the same condition does no harm; to copy
//! the array, or to follow a pointer to the row, would.

use super::ArrayId;
use crate::diag::Diagnostic;

/// An array of which an element may not exist that a condition on data keeps C from touching.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// The array.
    pub array: ArrayId,
    /// The refusal where the program's memory is copied or followed.
    pub refusal: Box<Diagnostic>,
}

/// What is not touched where conditions on data do not hold.
#[derive(Clone, Debug, Default)]
pub struct Guards {
    /// Whether statements under a condition on data touch nothing where the condition does not hold.
    pub all: bool,
    /// The arrays of which an element may not exist that they touch.
    pub doubts: Vec<Doubt>,
}
