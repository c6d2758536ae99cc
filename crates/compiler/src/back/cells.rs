//! Functions of cells in the program's text: kernels are before it, and call what stands in it, where
//! its types and macros are known.

use crate::csource::{self, Edit};
use crate::diag::{Diagnostic, Result};
use crate::interface::Interface;
use crate::options::Language;
use hexcc_pet::data::Cell;
use std::ops::Range;

/// What stands before functions that kernels call.
fn specifiers(language: Language) -> &'static str {
    match language {
        Language::Cuda => "static __device__ ",
        Language::OpenMp | Language::OpenCl => "static ",
    }
}

/// Declarations of the functions that kernels call.
pub(super) fn prototypes<'a>(
    interfaces: impl Iterator<Item = &'a Interface>,
    language: Language,
) -> String {
    let specifiers = specifiers(language);
    let cells: Vec<&Cell> = interfaces.flat_map(|ir| &ir.cells).collect();
    if cells.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n// What is computed for a cell: C's text, before the function with the loops.\n",
    );
    for cell in cells {
        let params = cell.params.join(", ");
        text += &format!("{specifiers}{} {}({params});\n", cell.result, cell.name);
    }
    text
}

/// The definitions, before the function that a part of the program is in.
///
/// # Errors
/// HX9001 if edits collide.
pub(super) fn definitions(
    ir: &Interface,
    text: &str,
    span: &Range<usize>,
    language: Language,
) -> Result<Option<Edit>> {
    let mut all = String::new();
    for function in ir.cells.iter().flat_map(|cell| &cell.functions) {
        let edits = match language {
            Language::Cuda => csource::rewrite_math_calls(function),
            Language::OpenMp | Language::OpenCl => Vec::new(),
        };
        let function =
            csource::apply_edits(function, edits).map_err(|e| Box::new(Diagnostic::bug(e)))?;
        all += &format!("{}{function}\n", specifiers(language));
    }
    let around = csource::enclosing_function(text, span.start).filter(|_| !all.is_empty());
    Ok(around.map(|around| {
        let at = csource::insertion_point(text, around.start_with_comment);
        Edit {
            range: at..at,
            replacement: all,
        }
    }))
}
