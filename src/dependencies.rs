//! `-MD`: a rule for make that names what a translation has read.

use crate::emit;
use crate::files;
use crate::render::Failure;
use hexcc_compiler::diag::Diagnostic;
use std::path::{Path, PathBuf};

/// Writes the rule for an output, beside it unless told.
///
/// # Errors
/// There is no file that depends on others, or the rule cannot be written.
pub fn write(output: &Path, given: &[PathBuf], rule: Option<&Path>) -> Result<(), Failure> {
    if output == Path::new("-") {
        let d = Diagnostic::error("HX0509", "`-MD` has no effect without an output file");
        return Err(Failure::plain(d.help("name it with `-o FILE`")));
    }
    for file in given.iter().filter(|file| file.is_file()) {
        files::see(file);
    }
    let beside = output.with_extension("d");
    emit::write(rule.unwrap_or(&beside), &text(output, &files::seen()))
}

/// The rule, a line for each file.
fn text(output: &Path, files: &[PathBuf]) -> String {
    let files = files.iter().map(|file| format!(" \\\n  {}", quoted(file)));
    format!("{}:{}\n", quoted(output), files.collect::<String>())
}

/// A name as make reads it.
fn quoted(path: &Path) -> String {
    let mut text = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            ' ' | '#' => text.push('\\'),
            '$' => text.push('$'),
            _ => {}
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_for_make() {
        let rule = text(
            Path::new("a b.cu"),
            &[PathBuf::from("$x#.c"), PathBuf::from("h.h")],
        );
        assert_eq!(rule, "a\\ b.cu: \\\n  $$x\\#.c \\\n  h.h\n");
    }
}
