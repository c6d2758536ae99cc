//! What can go wrong, as data for the caller's diagnostics.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How bad clang (or pet, through clang's printer) finds something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    /// The file does not compile: clang's `error` and `fatal error`.
    Error,
    /// Anything suspicious; pet also reports a construct it cannot represent this way.
    Warning,
    /// More about the message before it, and clang's `remark`.
    Note,
}

/// One message of clang or pet about the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClangMessage {
    /// The file as clang names it: the request's path or a header. Empty when the
    /// message has no place.
    pub file: String,
    /// Line from 1; 0 when the message has no place.
    pub line: usize,
    /// Column from 1, in bytes; 0 when the message has no place.
    pub column: usize,
    /// How bad it is.
    pub severity: Severity,
    /// The message without place, severity and source excerpt.
    pub text: String,
}

/// Why no scop was extracted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum PetError {
    /// There is no libpet in any of the places looked at.
    #[error("libpet was not found; looked in {}", .searched.join(", "))]
    LibraryMissing {
        /// The places, in the order of the search, as a user would name them.
        searched: Vec<String>,
    },
    /// A libpet is there, but it does not load or lacks a function.
    #[error("{} cannot be used: {reason}", .path.display())]
    LibraryUnusable {
        /// The library.
        path: PathBuf,
        /// The dynamic linker's message.
        reason: String,
    },
    /// The input cannot be read, or is not UTF-8.
    #[error("{} cannot be read: {reason}", .path.display())]
    FileNotReadable {
        /// The input.
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// The input is not valid C.
    #[error("the file is not valid C: {}", first_error(.messages))]
    Syntax {
        /// Everything clang said, warnings and notes included; at least one
        /// message is an error.
        messages: Vec<ClangMessage>,
    },
    /// The input compiles, but nothing in it is a static control part.
    #[error("no static control part was found")]
    NoScop {
        /// The file has a `#pragma scop`. If it does, then the pragma lies outside
        /// the requested function or encloses something pet cannot represent.
        has_pragma: bool,
        /// What pet and clang remarked, which may be the reason.
        messages: Vec<ClangMessage>,
    },
    /// An expression has more than [`crate::deep::MAX_DEPTH`] levels.
    #[error("an expression at line {line} is nested too deeply")]
    TooDeep {
        /// Line of its statement.
        line: usize,
    },
    /// An iterator or a size is named like a word of isl's notation.
    #[error("a variable is called `{0}`, a word of isl's notation")]
    ReservedName(String),
    /// The child process died, which is what an assertion inside LLVM or pet does.
    #[error("pet crashed ({})", crash_cause(*.signal, *.code))]
    Crashed {
        /// The signal that ended it.
        signal: Option<i32>,
        /// The exit code, when it ended without a signal.
        code: Option<i32>,
        /// The end of what it wrote on standard error.
        stderr: String,
    },
    /// The child process was killed because it took too long.
    #[error("pet did not finish within {seconds} s and was stopped")]
    TimedOut {
        /// The limit.
        seconds: u64,
    },
    /// A bug in hexcc or a libpet that does not behave as documented.
    #[error("unexpected behaviour of pet: {0}")]
    Protocol(String),
}

fn first_error(messages: &[ClangMessage]) -> String {
    messages
        .iter()
        .find(|m| m.severity == Severity::Error)
        .map_or_else(String::new, |m| {
            format!("{}:{}:{}: {}", m.file, m.line, m.column, m.text)
        })
}

fn crash_cause(signal: Option<i32>, code: Option<i32>) -> String {
    match (signal, code) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "unknown cause".to_owned(),
    }
}

/// Finds clang's messages in text that may hold anything else as well.
///
/// A message is one line `FILE:LINE:COLUMN: SEVERITY: TEXT`, or `SEVERITY: TEXT`
/// where there is no place. Source excerpts, carets and include stacks are not
/// messages.
pub fn parse_messages(stderr: &str) -> Vec<ClangMessage> {
    stderr.lines().filter_map(parse_message).collect()
}

fn parse_message(line: &str) -> Option<ClangMessage> {
    const SEVERITIES: [(&str, Severity); 5] = [
        ("fatal error: ", Severity::Error),
        ("error: ", Severity::Error),
        ("warning: ", Severity::Warning),
        ("note: ", Severity::Note),
        ("remark: ", Severity::Note),
    ];
    let strip = |text: &str| {
        SEVERITIES
            .iter()
            .find_map(|(word, severity)| Some((*severity, text.strip_prefix(word)?.to_owned())))
    };
    if let Some((severity, text)) = strip(line) {
        let file = String::new();
        return Some(ClangMessage {
            file,
            line: 0,
            column: 0,
            severity,
            text,
        });
    }
    // A file name may hold ": ", so every one is tried as the end of the place.
    line.match_indices(": ").find_map(|(end, _)| {
        let (severity, text) = strip(&line[end + 2..])?;
        let (rest, column) = line[..end].rsplit_once(':')?;
        let (file, row) = rest.rsplit_once(':')?;
        Some(ClangMessage {
            file: file.to_owned(),
            line: row.parse().ok()?,
            column: column.parse().ok()?,
            severity,
            text,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_among_other_text() {
        let text = "\
In file included from a.c:1:
dir: x/a.c:7:3: warning: unsupported: goto [-Wfoo]
    7 |   goto l;
      |   ^
noise a.c:1:2: hello: error
./b.h:12:40: fatal error: 'x.h' file not found
error: unknown target
a.c:1: error: no column
1 error generated.
";
        let found = parse_messages(text);
        let short: Vec<_> = found
            .iter()
            .map(|m| {
                (
                    m.file.as_str(),
                    m.line,
                    m.column,
                    m.severity,
                    m.text.as_str(),
                )
            })
            .collect();
        assert_eq!(
            short,
            [
                (
                    "dir: x/a.c",
                    7,
                    3,
                    Severity::Warning,
                    "unsupported: goto [-Wfoo]"
                ),
                ("./b.h", 12, 40, Severity::Error, "'x.h' file not found"),
                ("", 0, 0, Severity::Error, "unknown target"),
            ]
        );
    }
}
