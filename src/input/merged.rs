//! A program of several files as one text, where its loops call from file to file and stay on the host.

use super::{Input, InputOptions, Reader, declared, headers, included, read_c};
use crate::limit::TimeLimit;
use crate::render::Failure;
use hexcc_compiler::csource;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::front::c::{self as front, Unit};
use hexcc_compiler::scop::{Piece, SourceFile};
use std::path::PathBuf;

/// Reads all files as one, the one with `main` first; `None` where they mean something else so, or
/// where nothing in them runs in kernels.
pub(super) fn read(options: &InputOptions, files: &[&PathBuf], limit: &TimeLimit) -> Option<Input> {
    let mut sources = Vec::new();
    for file in files {
        let source = included::read(file, options).ok()?;
        if !source.pieces.is_empty() {
            return None;
        }
        let own = InputOptions {
            file: (*file).clone(),
            others: (files.iter().filter(|other| other != &file))
                .map(|other| (*other).clone())
                .collect(),
            ..options.clone()
        };
        let source = declared(&own, source).ok()?;
        let headers = headers(&own, &source.text);
        sources.push((source, headers, own));
    }
    let has_main = |s: &SourceFile| csource::functions(&s.text).iter().any(|f| f.name == "main");
    sources.sort_by_key(|(source, ..)| !has_main(source));
    let units: Vec<Unit> = (sources.iter())
        .map(|(source, headers, _)| Unit {
            path: &source.path,
            text: &source.text,
            headers,
        })
        .collect();
    front::can_be_one(&units).ok()?;
    let names: Vec<String> = units.iter().map(|u| format!("`{}`", u.path)).collect();
    let own = InputOptions {
        file: sources.first()?.2.file.clone(),
        others: Vec::new(),
        ..options.clone()
    };
    let pieces = sources.iter().map(|(source, ..)| whole(source)).collect();
    let source = SourceFile::of_pieces(pieces);
    if !Reader::new(&own, &source, limit).ok()?.is_c() {
        return None;
    }
    let mut input = read_c(&own, source, limit).ok()?;
    input.is_all = true;
    input.warnings.push(
        Diagnostic::warning("HX0117", "the translation has the text of all files, link none of them")
            .note(format!("it is made of {}", names.join(", ")))
            .note("the time loop stays on the CPU, and nests in functions of several files run in kernels"),
    );
    Some(input)
}

fn whole(source: &SourceFile) -> Piece {
    Piece {
        path: source.path.clone(),
        text: source.text.clone(),
        range: 0..source.text.len(),
    }
}

/// Whether a file has been read as a whole: nothing of its time loop stays on the CPU.
pub(super) fn suffices(result: &Result<Input, Failure>) -> bool {
    result.as_ref().is_ok_and(|input| !input.saved.is_nests())
}

/// Whether a loop prints, so that it stays on the CPU in any case.
pub(super) fn prints(text: &str) -> bool {
    ["printf", "fprintf", "puts", "fputs", "putchar", "fwrite"]
        .iter()
        .any(|name| csource::find_word(text, 0..text.len(), name).is_some())
}
