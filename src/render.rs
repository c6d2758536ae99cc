//! Diagnostics as text on the standard error.

use crate::messages::{self, Format, MessageArgs};
use codespan_reporting::diagnostic as cs;
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term::termcolor::Ansi;
use codespan_reporting::term::{self, Styles, StylesWriter};
use hexcc_compiler::diag::{Diagnostic, Label, Severity};
use hexcc_compiler::scop::SourceFile;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit statuses, as `--help` has them.
pub const REFUSED: u8 = 1;
/// What the machine lacks.
const ENVIRONMENT: u8 = 3;
/// An error of hexcc itself.
pub const INTERNAL: u8 = 4;

/// Codes of files, libraries and devices that are missing.
const OF_ENVIRONMENT: [&str; 7] = [
    "HX0501", "HX0502", "HX0503", "HX0506", "HX0508", "HX0601", "HX0602",
];

/// A warning was printed as an error.
static WARNED: AtomicBool = AtomicBool::new(false);

/// Why the command failed: diagnostics and the file they point into.
pub struct Failure {
    /// What to print; at least one error.
    pub diagnostics: Vec<Diagnostic>,
    /// The source the labels refer to.
    pub source: Option<Box<SourceFile>>,
}

impl Failure {
    /// A failure without a place in a source file.
    pub fn plain(diagnostic: Diagnostic) -> Failure {
        Failure {
            diagnostics: vec![diagnostic],
            source: None,
        }
    }

    /// Prints all diagnostics.
    pub fn render(&self) {
        render(&self.diagnostics, self.source.as_deref());
    }

    /// The exit status, which tells whose fault it is.
    pub fn status(&self) -> u8 {
        let mut codes = self.diagnostics.iter().map(|d| d.code);
        let first = codes.clone().next().unwrap_or_default();
        match OF_ENVIRONMENT.contains(&first) {
            _ if codes.any(|code| code.starts_with("HX9")) => INTERNAL,
            true => ENVIRONMENT,
            false => REFUSED,
        }
    }
}

/// Prints diagnostics to the standard error.
pub fn render(diagnostics: &[Diagnostic], source: Option<&SourceFile>) {
    let chosen = MessageArgs::chosen();
    let printed: Vec<Diagnostic> = (diagnostics.iter())
        .filter_map(|d| {
            let printed = chosen.printed(d)?;
            if printed.severity != d.severity {
                WARNED.store(true, Ordering::Relaxed);
            }
            Some(printed)
        })
        .collect();
    let text = to_text(&printed, source, &chosen);
    eprint!("{text}");
}

/// Fails where a warning was an error; it has been printed.
pub fn check() -> Result<(), Failure> {
    match WARNED.load(Ordering::Relaxed) {
        false => Ok(()),
        true => Err(Failure {
            diagnostics: Vec::new(),
            source: None,
        }),
    }
}

/// The text of diagnostics.
fn to_text(
    diagnostics: &[Diagnostic],
    source: Option<&SourceFile>,
    chosen: &MessageArgs,
) -> String {
    let empty = SourceFile::default();
    let source = source.unwrap_or(&empty);
    if chosen.message_format == Format::Json {
        return diagnostics
            .iter()
            .map(|d| messages::json(d, source))
            .collect();
    }
    let mut excerpts = Excerpts::default();
    let has_colours = chosen.has_colours();
    let mut out = String::new();
    for d in diagnostics {
        let severity = match d.severity {
            Severity::Error => cs::Severity::Error,
            Severity::Warning => cs::Severity::Warning,
        };
        let labels = (d.labels.iter())
            .filter(|l| l.span.end <= source.text.len())
            .map(|l| excerpts.label(l, source))
            .collect();
        let notes = (d.notes.iter().map(|n| format!("note: {n}")))
            .chain(d.help.iter().map(|h| format!("help: {h}")))
            .collect();
        let diagnostic = cs::Diagnostic::new(severity)
            .with_code(d.code)
            .with_message(&d.message)
            .with_labels(labels)
            .with_notes(notes);
        match with_excerpts(&excerpts.files, &diagnostic, has_colours) {
            Some(text) => out.push_str(&text),
            None => out.push_str(&format!("error[{}]: {}\n", d.code, d.message)),
        }
    }
    out
}

/// The files that messages show lines of.
#[derive(Default)]
struct Excerpts<'a> {
    files: SimpleFiles<String, String>,
    known: Vec<(&'a str, &'a str, usize)>,
}

impl<'a> Excerpts<'a> {
    /// A label in its file. What comes before the text of a file has the same path, and a text of its own.
    fn label(&mut self, label: &Label, source: &'a SourceFile) -> cs::Label<usize> {
        let style = match label.primary {
            true => cs::LabelStyle::Primary,
            false => cs::LabelStyle::Secondary,
        };
        let place = source.place(label.span.start);
        let is_here = |(path, text, _): &&(&str, &str, usize)| {
            *path == place.path && text.len() == place.text.len()
        };
        let found = self.known.iter().find(is_here).map(|(.., file)| *file);
        let file = found.unwrap_or_else(|| {
            let (path, text) = (place.path, place.text);
            let file = self.files.add(path.to_string(), text.to_string());
            self.known.push((path, text, file));
            file
        });
        let span = place.offset..place.offset + place.len.unwrap_or(label.span.len());
        cs::Label::new(style, file, span).with_message(label.text.clone())
    }
}

/// A diagnostic with the lines that it is about.
fn with_excerpts(
    files: &SimpleFiles<String, String>,
    diagnostic: &cs::Diagnostic<usize>,
    has_colours: bool,
) -> Option<String> {
    let config = term::Config::default();
    if !has_colours {
        return term::emit_into_string(&config, files, diagnostic).ok();
    }
    let (mut ansi, styles) = (Ansi::new(Vec::new()), Styles::default());
    let mut writer = StylesWriter::new(&mut ansi, &styles);
    term::emit_to_write_style(&mut writer, &config, files, diagnostic).ok()?;
    String::from_utf8(ansi.into_inner()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_tell_whose_fault_it_is() {
        let status = |code| Failure::plain(Diagnostic::error(code, "")).status();
        assert_eq!(status("HX0203"), REFUSED);
        assert_eq!(status("HX0501"), ENVIRONMENT);
        assert_eq!(status("HX9002"), INTERNAL);
        assert_eq!(Failure::plain(Diagnostic::bug("")).status(), INTERNAL);
    }
}
