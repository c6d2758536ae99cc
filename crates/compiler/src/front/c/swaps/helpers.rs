//! Lists, blocks, macros and functions that swap pointers.

use super::{assignment, declared_pointer};
use crate::csource::{self, Code};
use std::collections::BTreeMap;
use std::ops::Range;

/// What `SWAP(a, b);` or `swap(&a, &b);` assigns, to and from, one after the other; `None` where it does something else, too.
pub(super) fn of_call(code: &Code, stmt: &Range<usize>) -> Option<Vec<(String, String)>> {
    let open = stmt.start + 1;
    let end = match code.word(stmt.end.checked_sub(1)?) {
        ";" => stmt.end - 1,
        _ => stmt.end,
    };
    if !code.is_plain_name(stmt.start) || !code.opens(open, "(") || code.skip(open) != end {
        return None;
    }
    let (name, given) = (code.word(stmt.start), code.split_commas(open + 1..end - 1));
    let names = |address: usize| -> Option<Vec<&str>> {
        let name = |tokens: &Range<usize>| {
            let is_name = tokens.len() == 1 + address && code.is_plain_name(tokens.end - 1);
            let is_given = is_name && (address == 0 || code.word(tokens.start) == "&");
            is_given.then(|| code.word(tokens.end - 1))
        };
        given.iter().map(name).collect()
    };
    of_macro(code.text, name, &names(0).unwrap_or_default())
        .or_else(|| of_function(code.text, name, &names(1).unwrap_or_default()))
}

/// What `t = a, a = b, b = t;` assigns, likewise.
pub(super) fn of_list(code: &Code, stmt: &Range<usize>) -> Option<Vec<(String, String)>> {
    let end = stmt
        .end
        .checked_sub(1)
        .filter(|&end| code.word(end) == ";")?;
    let parts = code.split_commas(stmt.start..end);
    let assigned = |part: &Range<usize>| {
        let (to, equals, from) = (part.start, part.start + 1, part.start + 2);
        let is_plain = part.len() == 3 && code.is_plain_name(to) && code.is_plain_name(from);
        let name = |at: usize| code.word(at).to_string();
        (is_plain && code.word(equals) == "=").then(|| (name(to), name(from)))
    };
    (parts.len() > 1).then(|| parts.iter().map(assigned).collect())?
}

/// What `{ float *t = a; a = b; b = t; }` assigns, likewise.
pub(super) fn of_block(code: &Code, stmt: &Range<usize>) -> Option<Vec<(String, String)>> {
    if !code.opens(stmt.start, "{") || code.skip(stmt.start) != stmt.end {
        return None;
    }
    let mut inner: Vec<&str> = Vec::new();
    let mut all = Vec::new();
    for stmt in csource::statements(code, stmt.start + 1..stmt.end - 1) {
        if let Some(name) = declared_pointer(code, stmt.start..stmt.end - 1) {
            inner.push(code.word(name));
            continue;
        }
        let (to, from) = assignment(code, &stmt)?;
        if stmt.len() > 4 {
            inner.push(to);
        }
        let name = |name: &str| match inner.contains(&name) {
            true => format!("block.{name}"),
            false => name.to_string(),
        };
        all.push((name(to), name(from)));
    }
    Some(all)
}

/// Whether a name is one that a block, a macro or a function has for itself.
pub(super) fn is_inner(name: &str) -> bool {
    name.contains('.')
}

/// The names of what is given, and those that a macro or a function has for itself.
struct Inside<'a> {
    callee: &'a str,
    given: BTreeMap<&'a str, &'a str>,
}

impl<'a> Inside<'a> {
    fn new(callee: &'a str, params: &[&'a str], given: &[&'a str]) -> Option<Inside<'a>> {
        let is_call = params.len() == given.len() && !params.is_empty();
        let given = params.iter().copied().zip(given.iter().copied()).collect();
        is_call.then_some(Inside { callee, given })
    }

    fn name(&self, name: &str) -> String {
        match self.given.get(name) {
            Some(given) => given.to_string(),
            None => format!("{}.{name}", self.callee),
        }
    }
}

fn of_macro(text: &str, name: &str, given: &[&str]) -> Option<Vec<(String, String)>> {
    let directives = csource::directives(text);
    let mut defined = (directives.iter())
        .filter_map(|directive| csource::define(directive))
        .filter(|define| define.name == name);
    let (define, None) = (defined.next()?, defined.next()) else {
        return None;
    };
    let inside = Inside::new(name, define.params.as_deref()?, given)?;
    let joined = define.body.replace("\\\n", "  ");
    let code = Code::new(&joined);
    let mut all = Vec::new();
    for stmt in csource::statements(&code, in_braces(&code)) {
        let (to, from) = assignment(&code, &stmt)?;
        all.push((inside.name(to), inside.name(from)));
    }
    Some(all)
}

/// What a macro is made of, without the braces, or `do { .. } while (0)`, around it.
fn in_braces(code: &Code) -> Range<usize> {
    let n = code.tokens.len();
    let open = usize::from(code.word(0) == "do");
    let close = code.skip(open);
    let rest: Vec<&str> = (close..n).map(|i| code.word(i)).collect();
    let is_around = matches!(
        (code.opens(open, "{"), open, rest.as_slice()),
        (true, 0, [] | [";"])
            | (
                true,
                1,
                ["while", "(", "0", ")"] | ["while", "(", "0", ")", ";"]
            )
    );
    match is_around {
        true => open + 1..close - 1,
        false => 0..n,
    }
}

fn of_function(text: &str, name: &str, given: &[&str]) -> Option<Vec<(String, String)>> {
    let functions = csource::functions(text);
    let function = functions.iter().find(|f| f.name == name)?;
    let params: Option<Vec<&str>> = function.params.iter().map(|p| p.name.as_deref()).collect();
    let params = params?;
    let inside = Inside::new(name, &params, given)?;
    let code = Code::new(text);
    let is_pointer = |range: &Range<usize>| text[range.clone()].matches('*').count() == 2;
    if !function
        .params
        .iter()
        .all(|p| is_pointer(&p.range) && p.bounds.is_empty())
    {
        return None;
    }
    let token = |offset: usize| code.tokens.partition_point(|t| t.span.start < offset);
    let body = token(function.body.start)..token(function.body.end);
    let mut all = Vec::new();
    for stmt in csource::statements(&code, body) {
        let equals = stmt.clone().find(|&i| code.word(i) == "=")?;
        let to = pointer(&code, stmt.start..equals, &params)
            .or_else(|| declared_pointer(&code, stmt.start..equals))?;
        let from = pointer(&code, equals + 1..stmt.end - 1, &params)?;
        let ends = code.word(stmt.end - 1) == ";";
        ends.then(|| all.push((inside.name(code.word(to)), inside.name(code.word(from)))))?;
    }
    Some(all)
}

/// `*a` of a parameter, or a variable that is none.
fn pointer(code: &Code, tokens: Range<usize>, params: &[&str]) -> Option<usize> {
    let name = tokens.end.checked_sub(1)?;
    let is_param = params.contains(&code.word(name));
    let is_it = match tokens.len() {
        1 => !is_param,
        2 => is_param && code.word(tokens.start) == "*",
        _ => false,
    };
    (is_it && code.is_plain_name(name)).then_some(name)
}
