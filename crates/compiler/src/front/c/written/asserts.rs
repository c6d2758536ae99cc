//! `assert(c);`, which kernels do not check: it changes nothing where it holds.

use super::super::calls::{called_functions, tokens_in};
use super::super::region::Region;
use super::plain::begins_statement;
use crate::csource::{self, ASSIGNS, Code, TokenKind};
use std::ops::Range;

/// Functions of the C library that an assertion may call: they change nothing.
const PURE: [&str; 7] = [
    "fabs", "fabsf", "abs", "isnan", "isinf", "isfinite", "sizeof",
];

/// An assertion without effects that begins at a token: its end, and an empty statement.
pub(super) fn assertion(code: &Code, at: usize, tokens: &Range<usize>) -> Option<(usize, String)> {
    if code.word(at) != "assert" || !begins_statement(code, at) || !code.opens(at + 1, "(") {
        return None;
    }
    let end = code.skip(at + 1);
    let has_effect = |at: usize| {
        let is_call = code.opens(at + 1, "(") && code.is_plain_name(at);
        ASSIGNS.contains(&code.word(at)) || is_call && !PURE.contains(&code.word(at))
    };
    let is_whole = end < tokens.end && code.word(end) == ";";
    let is_plain = is_whole && !(at + 2..end - 1).any(has_effect) && !defines(code, "assert");
    is_plain.then(|| (end + 1, ";".to_string()))
}

/// Whether a file defines a macro.
fn defines(code: &Code, name: &str) -> bool {
    let directives = code.all.iter().filter(|t| t.kind == TokenKind::Directive);
    let mut words = directives.map(|t| csource::directive_words(&code.text[t.span.clone()]));
    words.any(|mut words| {
        let is_define = words.next() == Some("define");
        let macro_name = words.next().and_then(|word| word.split('(').next());
        is_define && macro_name == Some(name)
    })
}

/// The assertions in a part of a text and in the functions that it calls that kernels leave out.
pub fn assertions(text: &str, span: Range<usize>) -> Vec<Range<usize>> {
    let code = Code::new(text);
    if !text.contains("assert") || defines(&code, "NDEBUG") {
        return Vec::new();
    }
    let region = Region {
        function: csource::enclosing_function(text, span.start),
        span,
        marked: false,
        closed: true,
        depth: 0,
    };
    let called = called_functions(text, &region);
    let parts = std::iter::once(region.span).chain(called.into_iter().map(|f| f.body));
    let mut found: Vec<Range<usize>> = parts
        .flat_map(|part| {
            let tokens = tokens_in(&code, &part);
            let ends = tokens.clone().filter_map(|at| {
                let (end, _) = assertion(&code, at, &tokens)?;
                Some(code.bytes(at..end))
            });
            ends.collect::<Vec<_>>()
        })
        .collect();
    found.sort_by_key(|span| span.start);
    found.dedup();
    found
}
