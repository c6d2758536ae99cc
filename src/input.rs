//! Reading a C file through pet, or a saved scop.

use crate::render::Failure;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::scop::{SavedScop, SourceFile};
use hexcc_pet::{PetError, Request};
use std::path::{Path, PathBuf};

/// How to read the input.
pub struct InputOptions {
    /// The C file or saved scop.
    pub file: PathBuf,
    /// Function whose scop to take.
    pub function: Option<String>,
    /// Directories for `#include`.
    pub include_dirs: Vec<PathBuf>,
    /// Macros.
    pub defines: Vec<String>,
}

/// What was read, and what clang and pet had to say about it.
pub struct Input {
    /// Source and scop.
    pub saved: SavedScop,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Reads the input file.
pub fn read(options: &InputOptions) -> Result<Input, Failure> {
    let is_saved = options.file.extension().is_some_and(|e| e == "json");
    if is_saved {
        return Ok(Input {
            saved: read_saved(&options.file)?,
            warnings: Vec::new(),
        });
    }
    let source = SourceFile {
        path: options.file.display().to_string(),
        text: std::fs::read_to_string(&options.file).map_err(|e| unreadable(&options.file, &e))?,
    };
    let fail = |error| Failure {
        diagnostics: explain(error, &source, options),
        source: Some(source.clone()),
    };
    let vendor = Path::new(env!("HEXCC_ROOT")).join("vendor/pet");
    let pet = hexcc_pet::find_library(Some(&vendor)).map_err(fail)?;
    let exe = std::env::current_exe().map_err(|e| unreadable(Path::new("hexcc"), &e))?;
    let request = Request {
        file: options.file.clone(),
        function: options.function.clone(),
        include_dirs: options.include_dirs.clone(),
        defines: options.defines.clone(),
        pet,
    };
    let extraction = hexcc_pet::extract(&exe, &request).map_err(fail)?;
    let mut warnings = Vec::new();
    if !extraction.other_scops.is_empty() && options.function.is_none() {
        let lines: Vec<String> = extraction
            .other_scops
            .iter()
            .map(ToString::to_string)
            .collect();
        warnings.push(
            Diagnostic::warning(
                "HX0103",
                "the file has several scops; only the first is translated",
            )
            .note(format!("others at line {}", lines.join(", ")))
            .help("choose with `--function NAME`"),
        );
    }
    Ok(Input {
        saved: SavedScop {
            version: SavedScop::VERSION,
            source: SourceFile {
                path: source.path,
                text: extraction.source,
            },
            scop: extraction.scop,
        },
        warnings,
    })
}

fn read_saved(path: &Path) -> Result<SavedScop, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| unreadable(path, &e))?;
    let bad = |reason: String| {
        Failure::plain(
            Diagnostic::error(
                "HX0505",
                format!("`{}` is not a saved scop: {reason}", path.display()),
            )
            .help("make one with `hexcc FILE.c --emit scop -o FILE.scop.json`"),
        )
    };
    SavedScop::parse(&text).map_err(bad)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(Diagnostic::error(
        "HX0501",
        format!("cannot read `{}`: {error}", path.display()),
    ))
}

/// Byte range of a place clang names.
fn span_of(source: &SourceFile, line: usize, column: usize) -> std::ops::Range<usize> {
    let start: usize = (source.text.split_inclusive('\n'))
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let rest = &source.text[start.min(source.text.len())..];
    let in_line = rest.lines().next().unwrap_or("");
    let at: usize = (in_line.chars().take(column.saturating_sub(1)))
        .map(char::len_utf8)
        .sum();
    let start = start + at;
    let len = in_line[at..]
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .map(char::len_utf8)
        .sum::<usize>();
    start..(start + len.max(1)).min(source.text.len()).max(start)
}

fn messages(
    code: &'static str,
    list: &[hexcc_pet::ClangMessage],
    source: &SourceFile,
) -> Vec<Diagnostic> {
    (list.iter())
        .filter(|m| m.severity != hexcc_pet::Severity::Note)
        .map(|m| {
            let d = match m.severity {
                hexcc_pet::Severity::Error => Diagnostic::error(code, &m.text),
                _ => Diagnostic::warning(code, &m.text),
            };
            let here = Path::new(&m.file).file_name() == Path::new(&source.path).file_name();
            if here && m.line > 0 {
                d.at(span_of(source, m.line, m.column), "")
            } else if m.line > 0 {
                d.note(format!("in {}:{}:{}", m.file, m.line, m.column))
            } else {
                d
            }
        })
        .collect()
}

fn explain(error: PetError, source: &SourceFile, options: &InputOptions) -> Vec<Diagnostic> {
    match error {
        PetError::LibraryMissing { searched } => vec![
            Diagnostic::error("HX0502", "libpet, which reads C, was not found")
                .note(format!("searched: {}", searched.join(", ")))
                .help("run `scripts/setup`, or set HEXCC_PET_LIB to a libpet.so; a saved scop (`--emit scop`) needs no libpet"),
        ],
        PetError::LibraryUnusable { path, reason } => vec![
            Diagnostic::error("HX0502", format!("libpet at `{}` cannot be used: {reason}", path.display()))
                .help("run `scripts/setup` again, or set HEXCC_PET_LIB"),
        ],
        PetError::FileNotReadable { path, reason } => vec![Diagnostic::error(
            "HX0501",
            format!("cannot read `{}`: {reason}", path.display()),
        )],
        PetError::Syntax { messages: list } => {
            let mut all = messages("HX0101", &list, source);
            if !all.iter().any(|d| d.severity == hexcc_compiler::diag::Severity::Error) {
                all.push(Diagnostic::error("HX0101", "clang could not parse the file"));
            }
            all
        }
        PetError::NoScop { has_pragma, messages: list } => no_scop(has_pragma, &list, source, options),
        PetError::TooDeep { line } => vec![
            Diagnostic::error(
                "HX0407",
                format!("an expression is nested deeper than {} levels", hexcc_pet::deep::MAX_DEPTH),
            )
            .at(span_of(source, line, 1), "in this statement")
            .note("every operator of a chain such as `a + b + c` is a level")
            .help("compute parts of it in statements of their own: `float x = ..;`"),
        ],
        PetError::Crashed { signal, code, stderr } => vec![
            Diagnostic::error("HX9002", "libpet crashed on this file")
                .note(format!("signal {signal:?}, exit code {code:?}"))
                .note(stderr.lines().last().unwrap_or("").to_string())
                .help("simplify the statements inside the scop; please report the file"),
        ],
        PetError::TimedOut { seconds } => vec![
            Diagnostic::error("HX0401", format!("libpet did not finish within {seconds} s"))
                .help("reduce the scop region to the time loop"),
        ],
        PetError::Protocol(what) => vec![Diagnostic::bug(format!("pet child: {what}"))],
    }
}

fn no_scop(
    has_pragma: bool,
    list: &[hexcc_pet::ClangMessage],
    source: &SourceFile,
    options: &InputOptions,
) -> Vec<Diagnostic> {
    let unsupported: Vec<Diagnostic> = (messages("HX0105", list, source).into_iter())
        .filter(|d| !d.labels.is_empty())
        .map(|mut d| {
            d.severity = hexcc_compiler::diag::Severity::Error;
            d.note("the region must consist of `for` and `if` with affine bounds and of assignments")
                .help("move this statement out of the region, or write it as an assignment to an array element")
        })
        .collect();
    if !unsupported.is_empty() {
        return unsupported;
    }
    let d = match &options.function {
        Some(name) => Diagnostic::error("HX0102", format!("no scop found in function `{name}`")),
        None => Diagnostic::error("HX0102", format!("no scop found in `{}`", source.path)),
    };
    vec![if has_pragma {
        d.note("the region between `#pragma scop` and `#pragma endscop` holds nothing to translate")
    } else {
        d.help("mark the time loop with `#pragma scop` before and `#pragma endscop` after it")
    }]
}
