//! C that pet does not read, in words that it reads: `+x` is `x`, `a = b = e;` is two statements,
//! `double x = f(y);` declares first and then assigns, as calls are taken in from statements alone, as does `return f(y);`,
//! `t & 1` in brackets is `(t % 2 + 2) % 2`, and `t % 2` as a subscript, where that is not negative, and `'X'` is 88.

use super::edit;
use crate::csource::{self, Code, Edit, Function};
use std::ops::Range;

/// The changes in a part of the text, of which none is within another one; `functions` are those of
/// the file.
pub(super) fn write_out(code: &Code, tokens: Range<usize>, functions: &[Function]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut at = tokens.start;
    while at < tokens.end {
        let found = (chain(code, at, &tokens))
            .or_else(|| declaration(code, at, &tokens, functions))
            .or_else(|| returned(code, at, &tokens, functions))
            .or_else(|| super::several::calls(code, at, &tokens, functions))
            .or_else(|| remainder(code, at, &tokens))
            .or_else(|| character(code, at));
        match found {
            Some((end, text)) => {
                edits.push(edit(code, at..end, text));
                at = end;
            }
            None => {
                if is_unary_plus(code, at, &tokens) {
                    edits.push(edit(code, at..at + 1, " ".to_string()));
                }
                at += 1;
            }
        }
    }
    edits
}

/// Whether a statement may begin at a token.
pub(super) fn begins_statement(code: &Code, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |at| code.word(at));
    matches!(before, ";" | "{" | "}" | ")" | "else")
}

/// Whether a token is a plus with one operand.
fn is_unary_plus(code: &Code, at: usize, tokens: &Range<usize>) -> bool {
    if code.word(at) != "+" || at == tokens.start {
        return false;
    }
    let before = code.word(at - 1);
    let ends_operand = matches!(before, ")" | "]" | "++" | "--");
    let is_operand =
        before.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '"'));
    !ends_operand && (!is_operand || before == "return")
}

/// The number of a character.
fn character(code: &Code, at: usize) -> Option<(usize, String)> {
    let text = code.word(at).strip_prefix('\'')?.strip_suffix('\'')?;
    let number = match text.as_bytes() {
        b"\\0" => 0,
        b"\\n" => b'\n',
        [c @ b' '..=b'~'] => *c,
        _ => return None,
    };
    Some((at + 1, number.to_string()))
}

/// The statement `a = b = e;` that begins at a token: its end, and what it stands for.
fn chain(code: &Code, at: usize, tokens: &Range<usize>) -> Option<(usize, String)> {
    if !begins_statement(code, at) || !code.is_plain_name(at) || in_parentheses(code, at, tokens) {
        return None;
    }
    let end = csource::statement_end(code, at, tokens.end);
    if code.word(end - 1) != ";" {
        return None;
    }
    let mut places = Vec::new();
    let mut start = at;
    while let Some(equals) = target(code, start, end) {
        places.push(&code.text[code.bytes(start..equals)]);
        start = equals + 1;
    }
    if places.len() < 2 || (start..end - 1).any(|at| code.word(at) == ",") {
        return None;
    }
    let mut text = String::from("{ ");
    let mut value = &code.text[code.bytes(start..end - 1)];
    // Every type of numbers has the small ones, so that they are the same number behind each assignment.
    let number: Option<f64> = value.trim_end_matches(['f', 'F']).parse().ok();
    let is_in_all = number.is_some_and(|x| x.fract() == 0.0 && (0.0..100.0).contains(&x));
    for place in places.iter().rev() {
        text += &format!("{place} = {value}; ");
        value = if is_in_all { value } else { place };
    }
    Some((end, text + "}"))
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

/// The `=` after a variable or an element, without side effects, that begins at a token.
fn target(code: &Code, start: usize, end: usize) -> Option<usize> {
    let mut at = start;
    if !code.is_plain_name(at) {
        return None;
    }
    at += 1;
    while at < end {
        match code.word(at) {
            "." | "->" if code.is_ident(at + 1) => at += 2,
            "[" => {
                let next = code.skip(at);
                let changes = |at: usize| {
                    let word = code.word(at);
                    matches!(word, "++" | "--" | "=") || is_call(code, at)
                };
                if (at..next).any(changes) {
                    return None;
                }
                at = next;
            }
            "=" => return Some(at),
            _ => return None,
        }
    }
    None
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

/// `(x & 1)` or `[x & 1]` from a token on: its end, and as much, for negative `x`, too, which no variable in a subscript is.
fn remainder(code: &Code, at: usize, tokens: &Range<usize>) -> Option<(usize, String)> {
    let mut brackets = [("(", ")"), ("[", "]")].into_iter();
    let (open, close) = brackets.find(|(open, _)| *open == code.word(at))?;
    let end = code.skip(at);
    if end > tokens.end || end < at + 5 || is_call(code, at.checked_sub(1)?) {
        return None;
    }
    let [and, mask] = [end - 3, end - 2];
    let ones: u64 = code.word(mask).parse().ok()?;
    let is_mask = ones > 0 && ones < 1 << 30 && (ones + 1).is_power_of_two();
    // What is before binds as strongly as `&` does, at least.
    let mut inner = at + 1;
    while inner < and {
        if ["&", "^", "|", "&&", "||", "?", ":", ",", "="].contains(&code.word(inner)) {
            return None;
        }
        inner = code.skip(inner);
    }
    let is_binary = inner == and && and > at + 1 && code.word(and) == "&";
    if !is_mask || !is_binary || code.word(and - 1) == "(" {
        return None;
    }
    let (value, n) = (&code.text[code.bytes(at + 1..and)], ones + 1);
    let is_index = close == "]" || code.word(at - 1) == "[" && code.word(end) == "]";
    let may_vary = |&at: &usize| code.is_plain_name(at) || code.word(at) == "-";
    let is_positive = is_index && (at..and).filter(may_vary).count() < 2;
    let exact = || format!("{open}((({value}) % {n} + {n}) % {n}){close}");
    let index = is_positive.then(|| format!("{open}(({value}) % {n}){close}"));
    Some((end, index.unwrap_or_else(exact)))
}
