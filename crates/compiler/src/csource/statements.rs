//! Where statements of a function's body begin and end.

use super::{Code, STATEMENT_WORDS, TokenKind, directive_words};
use std::ops::Range;

/// A control statement still waiting for what may follow its body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pending {
    Else,
    DoWhile,
}

/// Whether the statement at an offset is all that a loop, a condition or an `else` has, without braces.
pub fn is_all_of_statement(text: &str, offset: usize) -> bool {
    let code = Code::new(text);
    let at = (code.tokens).partition_point(|token| token.span.start < offset);
    let before = at.checked_sub(1).map_or("", |before| code.word(before));
    matches!(before, ")" | "else" | "do")
}

/// The top-level statements of a region of a function body, in textual order.
///
/// Control statements extend over their bodies with or without braces. A `#pragma` line directly
/// before a statement belongs to it, except `#pragma scop` and `#pragma endscop`; other directives
/// belong to no statement unless they lie inside one. A statement cut by the end of the region
/// ends there.
pub fn split_statements(text: &str, region: Range<usize>) -> Vec<Range<usize>> {
    let code = Code::new(text);
    let first = code
        .tokens
        .partition_point(|token| token.span.start < region.start);
    let end = code
        .tokens
        .partition_point(|token| token.span.end <= region.end)
        .max(first);
    let mut statements: Vec<Range<usize>> = Vec::new();
    let mut index = first;
    let mut previous_end = region.start;
    while index < end {
        let word = code.word(index);
        if matches!(word, "}" | ")" | "]") {
            previous_end = code.tokens[index].span.end;
            index += 1;
            continue;
        }
        let stop = statement_end(&code, index, end);
        let mut bytes = code.bytes(index..stop);
        if let Some(start) = leading_pragma(&code, previous_end, bytes.start) {
            bytes.start = start;
        }
        previous_end = bytes.end;
        statements.push(bytes);
        index = stop;
    }
    statements
}

/// Start of the run of pragmas ending directly before `statement` and beginning after `from`.
fn leading_pragma(code: &Code, from: usize, statement: usize) -> Option<usize> {
    let mut start = None;
    let before = code
        .all
        .partition_point(|token| token.span.start < statement);
    for token in code.all[..before].iter().rev() {
        if token.kind == TokenKind::Comment {
            continue;
        }
        if token.span.start < from || token.kind != TokenKind::Directive {
            break;
        }
        let mut words = directive_words(&code.text[token.span.clone()]);
        let name = words.next();
        let what = words.next();
        if name != Some("pragma") || matches!(what, Some("scop" | "endscop")) {
            break;
        }
        start = Some(token.span.start);
    }
    start
}

/// Index after the statement starting at `index`; larger than `index`, at most `end`.
///
/// The nesting of unbraced control statements is kept on an explicit stack, so that no input can
/// exhaust the machine's.
pub(crate) fn statement_end(code: &Code, index: usize, end: usize) -> usize {
    let mut pending: Vec<Pending> = Vec::new();
    let mut at = index;
    loop {
        if at >= end {
            return end;
        }
        let word = code.word(at);
        match word {
            "for" | "while" | "switch" | "_Pragma" => {
                at = behind_header(code, at + 1, end);
                continue;
            }
            "if" => {
                pending.push(Pending::Else);
                at = behind_header(code, at + 1, end);
                continue;
            }
            "do" => {
                pending.push(Pending::DoWhile);
                at += 1;
                continue;
            }
            "else" => {
                at += 1;
                continue;
            }
            "case" | "default" => {
                while at < end && !matches!(code.word(at), ":" | ";" | "{" | "}") {
                    at = code.skip(at);
                }
                if code.word(at) == ":" {
                    at += 1;
                }
                continue;
            }
            _ if code.is_plain_name(at) && code.word(at + 1) == ":" => {
                at += 2;
                // A label at the end of a block is complete without a statement.
                if code.word(at) == "}" {
                    return at.min(end);
                }
                continue;
            }
            "{" => at = code.skip(at),
            "}" => {}
            _ => at = simple_statement_end(code, at, end),
        }
        // A statement is complete; see whether it completes the control statements around it.
        loop {
            match pending.pop() {
                None => return at.clamp(index + 1, end),
                Some(Pending::Else) => {
                    if at < end && code.word(at) == "else" {
                        at += 1;
                        break;
                    }
                }
                Some(Pending::DoWhile) => {
                    if code.word(at) == "while" && code.word(at + 1) == "(" {
                        at = code.skip(at + 1);
                        if code.word(at) == ";" {
                            at += 1;
                        }
                    }
                }
            }
        }
    }
}

/// Index after the header in parentheses at `index`, where there is one; one that is never closed
/// swallows the rest.
fn behind_header(code: &Code, index: usize, end: usize) -> usize {
    match code.word(index) {
        "(" if code.opens(index, "(") => code.skip(index),
        "(" => end,
        _ => index,
    }
}

/// The statements that follow each other in a range of tokens, which they cover.
pub(crate) fn statements(code: &Code, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    std::iter::from_fn(move || {
        let start = at;
        (start < range.end).then(|| {
            at = statement_end(code, start, range.end);
            start..at
        })
    })
}

/// Index after a declaration or an expression statement, normally after its `;`.
///
/// A macro invocation used as a statement has no `;`: it ends before a statement keyword or after
/// the block that follows it.
pub(crate) fn simple_statement_end(code: &Code, start: usize, end: usize) -> usize {
    let first = code.word(start);
    let jump = matches!(first, "return" | "goto" | "break" | "continue");
    let mut assigned = false;
    let mut at = start;
    while at < end {
        let word = code.word(at);
        match word {
            ";" => return at + 1,
            "}" => return at,
            "=" => assigned = true,
            "{" if !assigned && !jump && at > start && code.closes(at - 1, ")") => {
                let open = code.skip_back(at - 1);
                if open > start && code.is_plain_name(open - 1) {
                    return code.skip(at).min(end);
                }
            }
            _ if at > start && code.is_ident(at) && STATEMENT_WORDS.contains(&word) => return at,
            _ => {}
        }
        at = code.skip(at);
    }
    end
}
