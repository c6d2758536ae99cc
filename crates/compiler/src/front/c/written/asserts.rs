//! `assert(c);`, which kernels do not check: it changes nothing where it holds; and hints to optimizers,
//! `__assume_aligned(p, 64);`, which change nothing at all.

use super::super::calls::{called_functions, tokens_in};
use super::super::region::Region;
use super::plain::{begins_statement, has_no_effect};
use crate::csource::{self, Code};
use std::ops::Range;

/// Functions of the C library that an assertion may call: they change nothing.
const PURE: [&str; 7] = [
    "fabs", "fabsf", "abs", "isnan", "isinf", "isfinite", "sizeof",
];

/// What tells an optimizer something that is so, and does nothing else.
const HINTS: [&str; 4] = [
    "__assume",
    "__assume_aligned",
    "__builtin_assume",
    "__builtin_prefetch",
];

/// An assertion without effects that begins at a token: its end, and an empty statement.
pub(super) fn assertion(code: &Code, at: usize, tokens: &Range<usize>) -> Option<(usize, String)> {
    without_effect(code, at, tokens, (&["assert"], &PURE))
}

/// The same of a hint.
pub(super) fn hint(code: &Code, at: usize, tokens: &Range<usize>) -> Option<(usize, String)> {
    without_effect(code, at, tokens, (&HINTS, &[]))
}

/// A call of one of some names, whose arguments call no other functions than these.
fn without_effect(
    code: &Code,
    at: usize,
    tokens: &Range<usize>,
    (names, pure): (&[&str], &[&str]),
) -> Option<(usize, String)> {
    let name = code.word(at);
    if !names.contains(&name) || !begins_statement(code, at) || !code.opens(at + 1, "(") {
        return None;
    }
    let end = code.skip(at + 1);
    let is_left_out = end < tokens.end
        && code.word(end) == ";"
        && has_no_effect(code, at + 2..end - 1, pure)
        && !defines(code.text, name);
    is_left_out.then(|| (end + 1, ";".to_string()))
}

/// Whether a file defines a macro.
fn defines(text: &str, name: &str) -> bool {
    let directives = csource::directives(text).into_iter();
    directives
        .filter_map(csource::define)
        .any(|define| define.name == name)
}

/// The assertions in a part of a text and in the functions that it calls that kernels leave out.
pub fn assertions(text: &str, span: Range<usize>) -> Vec<Range<usize>> {
    if !text.contains("assert") || defines(text, "NDEBUG") {
        return Vec::new();
    }
    let code = Code::new(text);
    let region = Region {
        function: csource::enclosing_function(text, span.start),
        span,
        marked: false,
        closed: true,
        depth: 0,
    };
    let called = called_functions(text, &region);
    let parts = std::iter::once(region.span).chain(called.into_iter().map(|f| f.body));
    let mut found: Vec<Range<usize>> = Vec::new();
    for part in parts {
        let tokens = tokens_in(&code, &part);
        let ends = |at| Some(code.bytes(at..assertion(&code, at, &tokens)?.0));
        found.extend(tokens.clone().filter_map(ends));
    }
    found.sort_by_key(|span| span.start);
    found.dedup();
    found
}
