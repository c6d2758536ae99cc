//! Conversions that C makes by itself and C++ does not.
//!
//! C only warns of pointers that become pointers to something else, and of numbers that become pointers or
//! the other way round, and says nothing of `void *` and of numbers that become values of enumerations.

mod gather;
#[cfg(test)]
mod tests;
mod types;

use serde::{Deserialize, Serialize};
use std::ops::Range;

pub use gather::{conversions, counts_enumerations};

/// A conversion that C++ wants to be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversion {
    /// The bytes of what is converted, or of the macro that it comes from; `None` in another file.
    pub place: Option<Range<usize>>,
    /// What to write before it; `None` where it cannot be written.
    pub before: Option<String>,
    /// What to write behind it.
    pub behind: String,
    /// The type that it becomes, for people.
    pub to: String,
    /// The macro or the file that it comes from, where it cannot be written.
    pub of: String,
}
