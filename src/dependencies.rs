//! `-MD`: a rule for make that names what a translation has read.

use crate::emit;
use crate::files;
use crate::render::Failure;
use hexcc_compiler::diag::Diagnostic;
use std::path::{Path, PathBuf};

/// Writes the rule for an output, beside it unless told. Includes are looked for in `dirs`, too.
///
/// # Errors
/// There is no file that depends on others, or the rule cannot be written.
pub fn write(
    output: &Path,
    given: &[PathBuf],
    dirs: &[PathBuf],
    rule: Option<&Path>,
) -> Result<(), Failure> {
    if output == Path::new("-") {
        let d = Diagnostic::error("HX0509", "`-MD` has no effect without an output file");
        return Err(Failure::plain(d.help("name it with `-o FILE`")));
    }
    for file in given.iter().filter(|file| file.is_file()) {
        files::see(file);
    }
    let beside = output.with_extension("d");
    let files = with_includes(files::seen(), dirs);
    emit::write(rule.unwrap_or(&beside), &text(output, &files))
}

/// Files, and those that they include from beside them or from the directories.
pub fn with_includes(mut files: Vec<PathBuf>, dirs: &[PathBuf]) -> Vec<PathBuf> {
    let mut at = 0;
    while let Some(file) = files.get(at).cloned() {
        let text = files::text(&file).unwrap_or_default();
        for (name, is_quoted) in text.lines().filter_map(included) {
            let beside = file.parent().filter(|_| is_quoted).into_iter();
            let mut places = beside.chain(dirs.iter().map(PathBuf::as_path));
            let found = places.find_map(|dir| Some(dir.join(name)).filter(|path| path.is_file()));
            files.extend(found.filter(|found| !files.contains(found)));
        }
        at += 1;
    }
    files
}

/// The name that a line includes, and whether it is in quotes.
pub fn included(line: &str) -> Option<(&str, bool)> {
    let word = line.trim_start().strip_prefix('#')?.trim_start();
    let name = word.strip_prefix("include")?.trim_start();
    match name.strip_prefix('"') {
        Some(name) => Some((name.split_once('"')?.0, true)),
        None => Some((name.strip_prefix('<')?.split_once('>')?.0, false)),
    }
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
