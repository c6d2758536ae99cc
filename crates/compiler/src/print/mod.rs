//! Printers: an [`crate::ir::Program`] as text of a language.
//!
//! A printer spells; what runs where has been decided before. What languages share is in `c`.

pub(crate) mod c;
pub mod cuda;
mod fold;
pub mod host;
mod namer;
pub mod opencl;
pub mod openmp;

use crate::diag::{Diagnostic, Result};
use std::fmt::Display;

/// Stands around what [`unknown`] names; Unicode keeps it free of any meaning, so that no program has it.
const UNKNOWN: char = '\u{fdd0}';

/// What a printer writes where it does not know what to write; [`whole`] refuses it.
pub(crate) fn unknown(what: impl Display) -> String {
    format!("{UNKNOWN}{what}{UNKNOWN}")
}

/// A text of which printers knew all parts.
///
/// # Errors
/// HX9001 where they did not.
pub(crate) fn whole(text: String) -> Result<String> {
    match text.split(UNKNOWN).nth(1) {
        None => Ok(text),
        Some(what) => Err(Box::new(Diagnostic::bug(format!(
            "a printer does not know {what}"
        )))),
    }
}

#[cfg(test)]
mod tests {
    use super::{unknown, whole};

    #[test]
    fn what_printers_do_not_know_ends_nowhere() {
        let text = format!("x = {};\n", unknown("variable 3"));
        let message = whole(text).map_err(|d| (d.code, d.message.clone()));
        let expected = "internal error: a printer does not know variable 3".to_string();
        assert_eq!(message, Err(("HX9001", expected)));
        assert!(whole("x = y;\n".to_string()).is_ok());
    }
}
