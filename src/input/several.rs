//! Programs of several files: the region is in one of them, and functions that it calls may be in the
//! others, which stay as they are.

use super::{Input, InputOptions, headers, merged, read_file, read_text};
use crate::limit::TimeLimit;
use crate::render::Failure;
use hexcc_compiler::csource;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::front::c::{self as front, Region, Stays, Unit};
use hexcc_compiler::scop::SourceFile;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// Reads the likeliest file that has a region: those that mark one come before others, then those with
/// deeper nests of loops, also in functions of other files. Where none has one, the refusal of the
/// likeliest, and what is said of the others.
pub(super) fn read(options: &InputOptions, limit: &TimeLimit) -> Result<Input, Failure> {
    let files: Vec<&PathBuf> = (std::iter::once(&options.file))
        .chain(&options.others)
        .collect();
    for (index, file) in files.iter().enumerate() {
        let problem = match file.extension().is_some_and(|e| e == "json") {
            true => Some("a saved scop is all of a program"),
            false => files[..index].contains(file).then_some("it is given twice"),
        };
        if let Some(problem) = problem {
            let what = format!("`{}` cannot be one of several files", file.display());
            return Err(Failure::plain(
                Diagnostic::error("HX0509", what).note(problem),
            ));
        }
    }
    let of_file = |index: usize| InputOptions {
        file: files[index].clone(),
        others: (files.iter().enumerate())
            .filter(|(other, _)| *other != index)
            .map(|(_, file)| (*file).clone())
            .collect(),
        ..options.clone()
    };
    let mut order = Vec::new();
    let mut stays = Vec::new();
    let mut prints = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let mut source = read_text(file)?;
        let marked = !front::marked_regions(&source.text).is_empty();
        stays.push(add_functions(&of_file(index), &mut source)?);
        let own = source.own_text().len();
        let mut loops = front::time_loops(&source.text);
        loops.retain(|r| r.span.end <= own);
        let prints_in = |r: &Region| merged::prints(&source.text[r.span.clone()]);
        prints.push(loops.iter().any(prints_in));
        let depth = loops.iter().map(|r| r.depth).max();
        order.push((Reverse(marked), Reverse(depth), index));
    }
    order.sort_unstable();
    if options.line.is_some() {
        // It is one of the first file.
        order.retain(|(_, _, index)| *index == 0);
    }
    let marked = order.first().is_some_and(|(Reverse(marked), ..)| *marked);
    if marked {
        order.retain(|(Reverse(marked), ..)| *marked);
    }
    let mut failures: Vec<(usize, Failure)> = Vec::new();
    let mut tried_all = marked || options.line.is_some() || options.function.is_some();
    let prints = order.first().is_some_and(|(_, _, first)| prints[*first]);
    if !tried_all && prints {
        tried_all = true;
        if let Some(input) = merged::read(options, &files, limit) {
            return Ok(input);
        }
    }
    for (_, _, index) in order {
        let result = read_file(&of_file(index), limit);
        let is_whole = failures.is_empty() && merged::suffices(&result);
        if !is_whole && !tried_all {
            tried_all = true;
            if let Some(input) = merged::read(options, &files, limit) {
                return Ok(input);
            }
        }
        match result {
            Ok(mut input) => {
                let tried = failures.iter().map(|(index, _)| *index);
                let first = failures.first();
                let other = first.and_then(|(index, failure)| not_taken(files[*index], failure));
                let untried: Vec<usize> = (0..files.len())
                    .filter(|other| *other != index && !tried.clone().any(|t| t == *other))
                    .collect();
                let defined = csource::functions(input.saved.source.own_text());
                let callers = untried.into_iter().filter_map(|caller| {
                    let is_here = |s: &&Stays| defined.iter().any(|f| f.name == s.name);
                    let stays = stays[caller].iter().find(is_here)?;
                    Some(not_read(files[caller], stays))
                });
                input.warnings.extend(other.into_iter().chain(callers));
                return Ok(input);
            }
            Err(failure) => failures.push((index, failure)),
        }
    }
    Err(likeliest(failures, &files))
}

/// A warning of a file that looked likelier than the one that has the region, with what it says of
/// other files.
fn not_taken(file: &Path, failure: &Failure) -> Option<Diagnostic> {
    let why = failure.diagnostics.first().filter(|d| d.code != "HX0102")?;
    let what = format!("`{}` is not translated: {}", file.display(), why.message);
    let of_others = why.notes.iter().filter(|note| note.starts_with('`'));
    Some(of_others.fold(Diagnostic::warning(why.code, what), |d, note| d.note(note)))
}

/// A warning of a file that calls a function of the one that has the region.
fn not_read(file: &Path, stays: &Stays) -> Diagnostic {
    let (file, Stays { name, why }) = (file.display(), stays);
    let what = format!("loops of `{file}` that call `{name}` are not translated");
    Diagnostic::warning("HX0107", what).note(format!("`{name}` {why}"))
}

/// The refusal of the likeliest file that has loops, with what is said of the others.
fn likeliest(mut failures: Vec<(usize, Failure)>, files: &[&PathBuf]) -> Failure {
    let first = |f: &Failure| f.diagnostics.first().map_or("", |d| d.code);
    failures.sort_by_key(|(_, failure)| first(failure) == "HX0102");
    let mut failures = failures.into_iter();
    let Some((_, mut failure)) = failures.next() else {
        return Failure::plain(Diagnostic::bug("no file was read"));
    };
    let others = failures.filter_map(|(index, other)| {
        let why = &other.diagnostics.first()?.message;
        Some(format!("of `{}`: {why}", files[index].display()))
    });
    if let Some(d) = failure.diagnostics.first_mut() {
        d.notes.extend(others);
    }
    failure
}

/// Puts the functions behind a file's text that it calls and other files of the program define;
/// those that it calls and that cannot be read with it.
pub(super) fn add_functions(
    options: &InputOptions,
    source: &mut SourceFile,
) -> Result<Vec<Stays>, Failure> {
    let mut others = Vec::new();
    for file in &options.others {
        let other = InputOptions {
            file: file.clone(),
            ..options.clone()
        };
        let text = read_text(file)?;
        let headers = headers(&other, &text.text);
        others.push((text, headers));
    }
    let (taken, stays) = {
        let own_headers = headers(options, &source.text);
        let units: Vec<Unit> = others.iter().map(|(text, h)| unit(text, h)).collect();
        front::functions_of_others(&unit(source, &own_headers), &units)
    };
    for function in taken {
        if let Some((other, _)) = others.get(function.unit) {
            source.push(&other.path, &other.text, function.span);
        }
    }
    Ok(stays)
}

fn unit<'a>(source: &'a SourceFile, headers: &'a [String]) -> Unit<'a> {
    let (path, text) = (&source.path, &source.text);
    Unit {
        path,
        text,
        headers,
    }
}

/// Says of calls that cannot be followed why functions of other files are no help.
pub(super) fn with_reasons(mut failure: Failure, stays: &[Stays]) -> Failure {
    for d in (failure.diagnostics.iter_mut()).filter(|d| d.code == "HX0107") {
        let named = |s: &&Stays| d.message.contains(&format!("`{}`", s.name));
        if let Some(stays) = stays.iter().find(named) {
            d.notes.push(format!("`{}` {}", stays.name, stays.why));
        }
    }
    failure
}
