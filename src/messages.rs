//! What is said on the standard error, and how: options of all commands, and messages for programs.

use clap::{Args, ValueEnum};
use hexcc_compiler::diag::{Diagnostic, Label, Severity};
use hexcc_compiler::scop::SourceFile;
use serde::Serialize;
use std::io::IsTerminal;
use std::sync::OnceLock;

const MESSAGES: &str = "Messages";

/// Options that choose what is said.
#[derive(Debug, Args, Clone, Default)]
pub struct MessageArgs {
    /// Print no warnings
    #[arg(help_heading = MESSAGES, short = 'w')]
    pub no_warnings: bool,
    /// What becomes of warnings; `-Werror` is the usual spelling
    #[arg(help_heading = MESSAGES, short = 'W', value_name = "WORD", value_enum)]
    pub warnings: Option<Warnings>,
    /// Print nothing but errors on the standard error
    #[arg(help_heading = MESSAGES, short, long)]
    pub quiet: bool,
    /// When messages have colours; `NO_COLOR` in the environment makes `auto` mean `never`
    #[arg(help_heading = MESSAGES, long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub color: When,
    /// Form of messages
    #[arg(help_heading = MESSAGES, long, value_name = "FORMAT", value_enum, default_value = "human")]
    pub message_format: Format,
}

/// What becomes of warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Warnings {
    /// Errors: nothing is written, and the exit status is 1
    Error,
}

/// When messages have colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Form of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text with the lines of the source
    #[default]
    Human,
    /// An object of JSON on a line of its own for each message
    Json,
}

/// What the command line says, once it is known.
static CHOSEN: OnceLock<MessageArgs> = OnceLock::new();

impl MessageArgs {
    /// Holds for all messages from now on; the first time counts.
    pub fn settle(&self) {
        CHOSEN.get_or_init(|| self.clone());
    }

    /// What holds.
    pub fn chosen() -> MessageArgs {
        CHOSEN.get().cloned().unwrap_or_default()
    }

    /// Whether messages have colours.
    pub fn has_colours(&self) -> bool {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => std::io::stderr().is_terminal() && !is_set("NO_COLOR") && !is_dumb(),
        }
    }

    /// Whether progress is shown by bars.
    pub fn has_bars(&self) -> bool {
        !self.quiet && self.message_format == Format::Human && std::io::stderr().is_terminal()
    }

    /// A diagnostic as it is to be printed: warnings may be errors, or be left out.
    pub fn printed(&self, diagnostic: &Diagnostic) -> Option<Diagnostic> {
        let mut d = diagnostic.clone();
        if d.severity == Severity::Error {
            return Some(d);
        }
        if self.no_warnings {
            return None;
        }
        if self.warnings == Some(Warnings::Error) {
            d.severity = Severity::Error;
            return Some(d.note("`-Werror` makes an error of this warning"));
        }
        (!self.quiet).then_some(d)
    }
}

/// A message for programs; the fields stay as they are from version to version.
#[derive(Serialize)]
struct Message<'a> {
    level: &'a str,
    code: Option<&'a str>,
    message: &'a str,
    spans: Vec<Span<'a>>,
    notes: &'a [String],
    helps: &'a [String],
}

/// A place in a file.
#[derive(Serialize)]
struct Span<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    byte_start: usize,
    byte_end: usize,
    label: &'a str,
    primary: bool,
}

/// The line for a diagnostic.
pub fn json(d: &Diagnostic, source: &SourceFile) -> String {
    let is_inside = |label: &&Label| label.span.end <= source.text.len();
    let span = |label| span(label, source);
    line(&Message {
        level: match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        code: Some(d.code),
        message: &d.message,
        spans: d.labels.iter().filter(is_inside).map(span).collect(),
        notes: &d.notes,
        helps: &d.help,
    })
}

/// The line for anything else that is said.
fn json_note(text: &str) -> String {
    line(&Message {
        level: "note",
        code: None,
        message: text.trim().trim_start_matches("note: "),
        spans: Vec::new(),
        notes: &[],
        helps: &[],
    })
}

fn line(message: &Message) -> String {
    serde_json::to_string(message).unwrap_or_default() + "\n"
}

/// Where a label is in its file; bytes count as they are in the file.
fn span<'a>(label: &'a Label, source: &'a SourceFile) -> Span<'a> {
    let place = source.place(label.span.start);
    let end = place.offset + place.len.unwrap_or(label.span.len());
    let bytes = |at: usize| {
        let text = place.text.get(..at).unwrap_or(place.text);
        crate::bytes::encode(text).len()
    };
    let before = place.text.get(..place.offset).unwrap_or(place.text);
    let own_line = before.rsplit('\n').next().unwrap_or(before);
    Span {
        file: place.path,
        line: source.line(label.span.start),
        column: own_line.chars().count() + 1,
        byte_start: bytes(place.offset),
        byte_end: bytes(end),
        label: &label.text,
        primary: label.primary,
    }
}

/// Says what is neither a warning nor an error, such as progress.
pub fn tell(text: &str) {
    let chosen = MessageArgs::chosen();
    match chosen.message_format {
        _ if chosen.quiet => {}
        Format::Human => eprintln!("{text}"),
        Format::Json => eprint!("{}", json_note(text)),
    }
}
