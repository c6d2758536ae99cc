//! User-facing diagnostics as plain data.
//!
//! Passes build [`Diagnostic`]s; only the binary renders them. A diagnostic
//! says what was found, where, why the method cannot take it and what to
//! change. A mistake of the user is a `Diagnostic`; a broken invariant of the
//! compiler is [`Diagnostic::bug`], code HX9001.
//!
//! | codes | about |
//! |---|---|
//! | HX01xx | C syntax and static control parts |
//! | HX02xx | stencil shape: what hybrid hexagonal tiling needs |
//! | HX03xx | tile sizes |
//! | HX04xx | target resources |
//! | HX05xx | environment: pet, nvcc, GPU, files |
//! | HX06xx | tuning and benchmarks on a GPU |
//! | HX07xx | the stencil language |
//! | HX9xxx | a bug in hexcc |

use std::fmt;
use std::ops::Range;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Nothing is written and the exit status is not zero.
    Error,
    /// Compilation goes on.
    Warning,
}

/// A place in the source and what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Byte range in the source file.
    pub span: Range<usize>,
    /// Text printed at the range.
    pub text: String,
    /// The place the message is about, as opposed to one that explains it.
    pub primary: bool,
}

/// One message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code such as `HX0203`.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// One line: what was found.
    pub message: String,
    /// Places in the source; empty where no source is involved.
    pub labels: Vec<Label>,
    /// Why it matters.
    pub notes: Vec<String>,
    /// What to change.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error with no places or notes yet.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// A warning with no places or notes yet.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            ..Self::error(code, message)
        }
    }

    /// The warning that a refusal becomes where something else is done; `what` says what.
    pub fn into_warning(self, what: &str) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            message: format!("{what}: {}", self.message),
            ..self
        }
    }

    /// A broken invariant of hexcc itself.
    pub fn bug(what: impl fmt::Display) -> Self {
        Self::error("HX9001", format!("internal error: {what}"))
            .note("this is a bug in hexcc, not in your program")
            .help("please report it with the source file, the command line and `hexcc --version`")
    }

    /// Whether it tells of a broken invariant.
    pub fn is_bug(&self) -> bool {
        self.code == "HX9001"
    }

    /// A compilation that has been stopped.
    pub fn stopped(why: String) -> Self {
        Self::error("HX0401", why)
            .note("translations are bounded so that each of them ends")
            .help("use fewer and shorter statements, or raise `--time-limit`")
    }

    /// Adds the place the message is about.
    pub fn at(mut self, span: Range<usize>, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
            primary: true,
        });
        self
    }

    /// Adds a place that explains the message.
    pub fn also(mut self, span: Range<usize>, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
            primary: false,
        });
        self
    }

    /// Adds why it matters.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds what to change.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }
}

/// The result of a pass: a value, or diagnostics that end the compilation.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl From<hexcc_isl::Error> for Box<Diagnostic> {
    fn from(error: hexcc_isl::Error) -> Self {
        Box::new(if let Some(why) = error.stopped {
            Diagnostic::stopped(why)
        } else if error.quota {
            Diagnostic::error(
                "HX0401",
                "the polyhedral computation exceeded its operation limit",
            )
            .note("isl's work is bounded so that a compilation always ends")
            .help(
                "simplify subscripts and conditions, choose smaller tiles, or raise `--isl-quota`",
            )
        } else {
            Diagnostic::bug(format!("isl: {error}"))
        })
    }
}
