//! C that pet does not read, in words that it reads: `double x = f(y);` declares first and then assigns, as calls are taken in
//! from statements alone, as does `return f(y);`.

use super::edit;
use crate::csource::{self, Code, Edit, Function};
use std::ops::Range;

/// The changes in a part of the text, of which none is within another one; `functions` are those of
/// the file.
pub(super) fn write_out(code: &Code, tokens: Range<usize>, functions: &[Function]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut at = tokens.start;
    while at < tokens.end {
        let found = (declaration(code, at, &tokens, functions))
            .or_else(|| returned(code, at, &tokens, functions))
            .or_else(|| super::several::calls(code, at, &tokens, functions));
        match found {
            Some((end, text)) => {
                edits.push(edit(code, at..end, text));
                at = end;
            }
            None => at += 1,
        }
    }
    edits
}

/// Whether a statement may begin at a token.
pub(super) fn begins_statement(code: &Code, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |at| code.word(at));
    matches!(before, ";" | "{" | "}" | ")" | "else")
}

/// A declaration, from a token on, of variables with values that functions of the file return: its
/// end, and the declaration without values, with assignments behind it.
fn declaration(
    code: &Code,
    at: usize,
    tokens: &Range<usize>,
    functions: &[Function],
) -> Option<(usize, String)> {
    let begins = matches!(code.word(at.checked_sub(1)?), ";" | "{" | "}");
    let is_type = |at: usize| code.is_ident(at) && !matches!(code.word(at), "return" | "else");
    if !begins || !is_type(at) || !is_type(at + 1) || in_parentheses(code, at, tokens) {
        return None;
    }
    let end = csource::statement_end(code, at, tokens.end);
    if code.word(end - 1) != ";" || !(at..end).any(|at| called(code, at, functions).is_some()) {
        return None;
    }
    let mut names = Vec::new();
    let mut values = String::new();
    let mut ty: Vec<&str> = Vec::new();
    for declarator in code.split_commas(at..end - 1) {
        let equals = declarator.clone().find(|&at| code.word(at) == "=");
        let name_at = equals.unwrap_or(declarator.end).checked_sub(1)?;
        let before = declarator.start..name_at;
        let value = equals.map(|equals| equals + 1..declarator.end);
        let is_plain = code.is_plain_name(name_at)
            && before.clone().all(is_type)
            && (names.is_empty() || before.is_empty())
            && value.as_ref().is_none_or(|v| code.word(v.start) != "{");
        if !is_plain {
            return None;
        }
        ty.extend(before.map(|at| code.word(at)));
        let name = code.word(name_at);
        names.push(name);
        if let Some(value) = value {
            let value = &code.text[code.bytes(value)];
            values += &format!(" {name} = {value};");
        }
    }
    ty.retain(|word| !matches!(*word, "const" | "register"));
    let is_other = |word: &&str| matches!(*word, "static" | "extern" | "volatile" | "typedef");
    if ty.is_empty() || ty.iter().any(is_other) {
        return None;
    }
    let text = format!("{} {};{values}", ty.join(" "), names.join(", "));
    Some((end, text))
}

/// `return e;` with the value of a function of the file in `e`: a variable takes it first.
fn returned(
    code: &Code,
    at: usize,
    tokens: &Range<usize>,
    functions: &[Function],
) -> Option<(usize, String)> {
    if code.word(at) != "return" || !matches!(code.word(at.checked_sub(1)?), ";" | "{" | "}") {
        return None;
    }
    let end = csource::statement_end(code, at, tokens.end);
    let function = functions
        .iter()
        .find(|f| super::tokens_in(code, &f.body) == *tokens)?;
    if end != tokens.end || !(at..end).any(|at| called(code, at, functions).is_some()) {
        return None;
    }
    let ty = super::returns::returned_type(code, function);
    let value = &code.text[code.bytes(at + 1..end - 1)];
    let name = format!("{}_value", function.name);
    Some((
        end,
        format!("{ty} {name}; {name} = {value}; return {name};"),
    ))
}

/// The function of the file that is called at a token.
pub(super) fn called<'a>(
    code: &Code,
    at: usize,
    functions: &'a [Function],
) -> Option<&'a Function> {
    let named = || functions.iter().find(|f| f.name == code.word(at));
    is_call(code, at).then(named).flatten()
}

pub(super) fn is_call(code: &Code, at: usize) -> bool {
    code.is_plain_name(at) && code.opens(at + 1, "(")
}

/// Whether a token is in parentheses or in brackets of a part, such as the header of a loop.
pub(super) fn in_parentheses(code: &Code, at: usize, tokens: &Range<usize>) -> bool {
    let around = code.around(at);
    around.is_some_and(|open| open >= tokens.start && code.word(open) != "{")
}
