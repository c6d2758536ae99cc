//! Functions that return early, as ones that return at their end, and loop bodies that end early.
//!
//! `if (c) return;` and `if (c) continue;` are conditions around what follows, which is what runs `else` where something is
//! done before.

use super::edit;
use crate::csource::{self, Code, Edit, Function};
use std::ops::Range;

/// The next change in a part of the text: the region, or the body of one of the functions.
pub(super) fn write_out(code: &Code, tokens: Range<usize>, functions: &[Function]) -> Vec<Edit> {
    if tokens.is_empty() || tokens.clone().any(|at| code.word(at) == "goto") {
        return Vec::new();
    }
    let whole = (functions.iter()).find(|f| super::tokens_in(code, &f.body) == tokens);
    if whole.is_some_and(|function| returned_type(code, function) == "void") {
        let found = skipping(code, tokens.clone(), "return");
        if !found.is_empty() {
            return found;
        }
    }
    for at in tokens
        .clone()
        .filter(|&at| code.word(at) == "for" && code.opens(at + 1, "("))
    {
        let open = code.skip(at + 1);
        if code.opens(open, "{") {
            let edits = skipping(code, open + 1..code.skip(open) - 1, "continue");
            if !edits.is_empty() {
                return edits;
            }
        }
    }
    Vec::new()
}

/// Words before the type that a function returns.
const LINKING: [&str; 5] = ["static", "inline", "__inline", "__inline__", "extern"];

/// The words of the type that a function returns.
pub(in crate::front::c) fn returned_type(code: &Code, function: &Function) -> String {
    let words = super::tokens_in(code, &(function.start..function.name_range.start));
    let words = words
        .map(|at| code.word(at))
        .filter(|word| !LINKING.contains(word));
    words.collect::<Vec<_>>().join(" ")
}

/// `if (c) return;` among statements: a condition around those that follow.
fn skipping(code: &Code, tokens: Range<usize>, word: &str) -> Vec<Edit> {
    for stmt in csource::statements(code, tokens.clone()) {
        if code.word(stmt.start) != "if" || !code.opens(stmt.start + 1, "(") {
            continue;
        }
        let then = code.skip(stmt.start + 1);
        // What ends here ends the whole.
        if stmt.end == tokens.end && code.opens(then, "{") && code.skip(then) == stmt.end {
            let inner = skipping(code, then + 1..stmt.end - 1, word);
            if !inner.is_empty() {
                return inner;
            }
        }
        let is_jump = |at: usize| code.word(at) == word && code.word(at + 1) == ";";
        if let Some(edits) = with_work(code, &stmt, tokens.end, is_jump) {
            return edits;
        }
        let jumps = is_jump(then) && then + 2 == stmt.end
            || code.opens(then, "{") && is_jump(then + 1) && then + 4 == stmt.end;
        if !jumps {
            continue;
        }
        let condition = &code.text[code.bytes(stmt.start + 2..then - 1)];
        let rest = stmt.end..tokens.end;
        if rest.is_empty() {
            return vec![edit(code, stmt, String::from(";"))];
        }
        let end = code.bytes(rest).end;
        return vec![
            edit(code, stmt, format!("if (!({condition})) {{")),
            Edit {
                range: end..end,
                replacement: String::from(" }"),
            },
        ];
    }
    Vec::new()
}

/// `if (c) { a; return; }` among statements that end somewhere: what follows is what runs otherwise.
fn with_work(
    code: &Code,
    stmt: &Range<usize>,
    end: usize,
    is_jump: impl Fn(usize) -> bool,
) -> Option<Vec<Edit>> {
    let then = code.skip(stmt.start + 1);
    let is_block = code.opens(then, "{") && code.skip(then) == stmt.end && then + 4 < stmt.end;
    let last = stmt.end - 3;
    let in_block = is_block && matches!(code.word(last - 1), ";" | "}");
    if !in_block || !is_jump(last) || stmt.end == end {
        return None;
    }
    let [after, end] = [stmt.end, end].map(|token| code.bytes(token - 1..token).end);
    let insert = |at: usize, what: &str| Edit {
        range: at..at,
        replacement: what.to_string(),
    };
    Some(vec![
        edit(code, last..last + 2, String::new()),
        insert(after, " else {"),
        insert(end, " }"),
    ])
}
