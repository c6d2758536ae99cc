//! Diagnostics as text on the standard error.

use codespan_reporting::diagnostic as cs;
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term;
use hexcc_compiler::diag::{Diagnostic, Severity};
use hexcc_compiler::scop::SourceFile;

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
}

/// Prints diagnostics to the standard error.
pub fn render(diagnostics: &[Diagnostic], source: Option<&SourceFile>) {
    let text = to_text(diagnostics, source);
    eprint!("{text}");
}

/// The text of diagnostics, without colours.
pub fn to_text(diagnostics: &[Diagnostic], source: Option<&SourceFile>) -> String {
    let mut files = SimpleFiles::new();
    let empty = SourceFile::default();
    let source = source.unwrap_or(&empty);
    let mut known: Vec<(&str, usize)> = Vec::new();
    let config = term::Config::default();
    let mut out = String::new();
    for d in diagnostics {
        let severity = match d.severity {
            Severity::Error => cs::Severity::Error,
            Severity::Warning => cs::Severity::Warning,
        };
        let labels = (d.labels.iter())
            .filter(|l| l.span.end <= source.text.len())
            .map(|l| {
                let style = if l.primary {
                    cs::LabelStyle::Primary
                } else {
                    cs::LabelStyle::Secondary
                };
                let place = source.place(l.span.start);
                let found = known.iter().find(|(path, _)| *path == place.path);
                let file = found.map(|(_, file)| *file).unwrap_or_else(|| {
                    let file = files.add(place.path.to_string(), place.text.to_string());
                    known.push((place.path, file));
                    file
                });
                let span = place.offset..place.offset + place.len.unwrap_or(l.span.len());
                cs::Label::new(style, file, span).with_message(l.text.clone())
            })
            .collect();
        let notes = (d.notes.iter().map(|n| format!("note: {n}")))
            .chain(d.help.iter().map(|h| format!("help: {h}")))
            .collect();
        let diagnostic = cs::Diagnostic::new(severity)
            .with_code(d.code)
            .with_message(&d.message)
            .with_labels(labels)
            .with_notes(notes);
        if term::emit_to_string(&mut out, &config, &files, &diagnostic).is_err() {
            out.push_str(&format!("error[{}]: {}\n", d.code, d.message));
        }
    }
    out
}
