//! Functions of the file that return the address of an element: `*at(u, n, i, j)` is
//! `*(u + (i)*n + (j))` where `at` returns `u + i*n + j`, and `u[(i)*n + (j)]` where it returns
//! `&u[i*n + j]`.

use super::derefs::is_unary;
use super::plain::{called, has_no_effect};
use crate::csource::{self, Code, Function, Place, Scope};
use crate::front::c::calls::tokens_in;
use std::collections::BTreeMap;
use std::ops::Range;

/// The element whose address the function called behind the star at a token returns: the end of the
/// call, and the element.
pub(super) fn element(
    code: &Code,
    at: usize,
    tokens: &Range<usize>,
    functions: &[Function],
) -> Option<(usize, String)> {
    if code.word(at) != "*" || !is_unary(code, at) {
        return None;
    }
    let function = called(code, at + 1, functions)?;
    let is_one = functions.iter().filter(|f| f.name == function.name).count() == 1;
    let end = code.skip(at + 2);
    if !is_one || end > tokens.end {
        return None;
    }
    let returned = returned(code, function)?;
    let args = code.split_commas(at + 3..end - 1);
    if args.len() != function.params.len() || !args.iter().all(|arg| is_pure(code, arg)) {
        return None;
    }
    let mut given: BTreeMap<&str, String> = BTreeMap::new();
    for (param, arg) in function.params.iter().zip(&args) {
        let text = &code.text[code.bytes(arg.clone())];
        let text = match arg.len() {
            1 => text.to_string(),
            _ => format!("({text})"),
        };
        given.insert(param.name.as_deref()?, text);
    }
    let here = Scope::new(code, code.tokens[at].span.start)?;
    let there = Scope::new(code, function.body.start)?;
    let (range, is_address) = match code.word(returned.start) {
        "&" => (returned.start + 1..returned.end, true),
        _ => (returned, false),
    };
    // `&a[i]` is no address of a sum.
    if is_address && !(code.is_plain_name(range.start) && code.skip(range.start + 1) == range.end) {
        return None;
    }
    let mut text = String::new();
    for at in range {
        let word = code.word(at);
        let is_member = matches!(code.word(at - 1), "." | "->");
        match given.get(word).filter(|_| !is_member) {
            Some(arg) => text += arg,
            None if is_member || means_the_same(code, at, (&here, &there)) => text += word,
            None => return None,
        }
        text.push(' ');
    }
    let text = text.trim_end();
    Some((
        end,
        if is_address {
            text.to_string()
        } else {
            format!("*({text})")
        },
    ))
}

/// What a function returns that does nothing else.
fn returned(code: &Code, function: &Function) -> Option<Range<usize>> {
    let body = tokens_in(code, &function.body);
    let is_return = code.word(body.start) == "return" && code.word(body.end - 1) == ";";
    let mut value = body.start + 1..body.end.checked_sub(1)?;
    while code.opens(value.start, "(") && code.skip(value.start) == value.end {
        value = value.start + 1..value.end - 1;
    }
    let is_one = !value.clone().any(|at| code.word(at) == ";");
    (is_return && is_one && is_pure(code, &value)).then_some(value)
}

/// Whether there is an expression that changes nothing and calls nothing.
fn is_pure(code: &Code, range: &Range<usize>) -> bool {
    !range.is_empty() && has_no_effect(code, range.clone(), &[])
}

/// Whether a word that is no parameter means the same in two functions.
fn means_the_same(code: &Code, at: usize, (here, there): (&Scope, &Scope)) -> bool {
    if !code.is_plain_name(at) {
        return true;
    }
    let name = code.word(at);
    match (here.declarator(name), there.declarator(name)) {
        (None, None) => !csource::is_type_word(name),
        (Some(a), Some(b)) => a.range == b.range && a.place == Place::Program,
        _ => false,
    }
}
