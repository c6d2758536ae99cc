//! Functions that return early, as ones that return at their end, and loop bodies that end early.
//!
//! pet takes in functions with one `return`, as their last statement. So `if (c) return a; return b;`
//! is `return c ? a : b;`, where nothing but returns follows the first of them, and `if (c) return;`
//! and `if (c) continue;` are conditions around what follows, which is what runs `else` where
//! something is done before.

use super::edit;
use crate::csource::{self, Code, Edit, Function};
use std::ops::Range;

/// Types that the values of all arms of `?:` may have on the way to the one that is returned,
/// without a change of value.
const TYPES: &[&str] = &["double", "float", "int"];

/// Types with more digits than `double` has.
const WIDE: &[&str] = &[
    "long",
    "size_t",
    "int64_t",
    "uint64_t",
    "ptrdiff_t",
    "intptr_t",
];

/// The next change in a part of the text: the region, or the body of one of the functions.
pub(super) fn write_out(code: &Code, tokens: Range<usize>, functions: &[Function]) -> Vec<Edit> {
    if tokens.is_empty() || tokens.clone().any(|at| code.word(at) == "goto") {
        return Vec::new();
    }
    let whole = (functions.iter()).find(|f| super::tokens_in(code, &f.body) == tokens);
    if let Some(function) = whole {
        let found = match returned_type(code, function).as_str() {
            "void" => skipping(code, tokens.clone(), "return"),
            ty if TYPES.contains(&ty) && !has_wide(code, function) => value(code, tokens.clone()),
            _ => Vec::new(),
        };
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

/// Whether a function has parameters or variables of types with more digits than `double`.
fn has_wide(code: &Code, function: &Function) -> bool {
    let mut all = super::tokens_in(code, &(function.start..function.body.end));
    all.any(|at| WIDE.contains(&code.word(at)))
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

/// A body that returns values in several places: one `return` in place of all.
fn value(code: &Code, tokens: Range<usize>) -> Vec<Edit> {
    let returns = |range: Range<usize>| range.into_iter().any(|at| code.word(at) == "return");
    let all: Vec<_> = csource::statements(code, tokens.clone()).collect();
    let Some(first) = all.iter().position(|stmt| returns(stmt.clone())) else {
        return Vec::new();
    };
    let start = all[first].start;
    if first + 1 == all.len() && code.word(start) == "return" {
        return Vec::new();
    }
    match returned(code, start..tokens.end, &[]) {
        Some(value) => vec![edit(code, start..tokens.end, format!("return {value};"))],
        None => Vec::new(),
    }
}

/// Bytes of a value, at most.
const MOST_BYTES: usize = 2000;

/// The value that statements return which do nothing else, and those that follow them, innermost
/// last.
fn returned(code: &Code, tokens: Range<usize>, after: &[Range<usize>]) -> Option<String> {
    let Some(stmt) = csource::statements(code, tokens.clone()).next() else {
        let (next, after) = after.split_last()?;
        return returned(code, next.clone(), after);
    };
    let mut rest = after.to_vec();
    rest.push(stmt.end..tokens.end);
    let text = match code.word(stmt.start) {
        "return" if stmt.len() > 2 => {
            format!("({})", &code.text[code.bytes(stmt.start + 1..stmt.end - 1)])
        }
        "{" => returned(code, stmt.start + 1..stmt.end - 1, &rest)?,
        "if" => {
            let then = code.skip(stmt.start + 1);
            let condition = &code.text[code.bytes(stmt.start + 2..then - 1)];
            let then_end = csource::statement_end(code, then, stmt.end).min(stmt.end);
            let other = match code.word(then_end) == "else" && then_end < stmt.end {
                true => then_end + 1..stmt.end,
                false => stmt.end..stmt.end,
            };
            let then = returned(code, then..then_end, &rest)?;
            let other = returned(code, other, &rest)?;
            format!("(({condition}) ? {then} : {other})")
        }
        _ => return None,
    };
    (text.len() <= MOST_BYTES).then_some(text)
}
