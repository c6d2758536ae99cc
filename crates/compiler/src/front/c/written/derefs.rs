//! Elements that are named by an address: `*(p + i - 1)` is `p[i - 1]`, and `*p` is `p[0]` for a parameter.

use super::plain::is_call;
use crate::csource::{self, Code, Place, Scope};
use std::ops::Range;

/// The element whose address begins behind the star at a token: the end of the address, and the element
/// with brackets.
pub(super) fn element(code: &Code, at: usize, tokens: &Range<usize>) -> Option<(usize, String)> {
    if code.word(at) != "*" || !is_unary(code, at) {
        return None;
    }
    let scope = Scope::new(code, code.tokens[at].span.start)?;
    if code.opens(at + 1, "(") {
        let end = code.skip(at + 1);
        let text = (end <= tokens.end).then(|| of_sum(code, &scope, at + 2..end - 1))??;
        return Some((end, text));
    }
    let name = code.word(at + 1);
    let is_listed = code.word(at - 1) == "," && !super::plain::in_parentheses(code, at, tokens);
    let is_changed = matches!(code.word(at + 2), "[" | "(" | "." | "->" | "++" | "--");
    let is_alone = code.is_plain_name(at + 1) && !is_listed && !is_changed;
    let is_one = is_alone && leads_to(&scope, name) == Some(1) && is_parameter(code, &scope, name);
    is_one.then(|| (at + 2, format!("{name}[0]")))
}

/// Whether a star has one operand: it follows no operand, or the head of a statement.
pub(super) fn is_unary(code: &Code, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else {
        return false;
    };
    match code.word(before) {
        ")" => {
            let head = code.skip_back(before).checked_sub(1);
            head.is_some_and(|head| matches!(code.word(head), "for" | "if" | "while"))
        }
        // `a * *p`, but not `**p`.
        "*" => !is_unary(code, before),
        "]" | "++" | "--" => false,
        "return" | "else" => true,
        word => {
            !word.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '"'))
        }
    }
}

/// Whether a variable is a parameter that keeps its value: what it points to has no other name in the
/// function.
fn is_parameter(code: &Code, scope: &Scope, name: &str) -> bool {
    let mut body = scope.body();
    let start = code.tokens.get(body.start).map(|t| t.span.start);
    let declarator = scope.declarator(name);
    let is_declared_before = declarator
        .is_some_and(|d| d.place == Place::Call && start.is_some_and(|b| d.range.start < b));
    let is_changed = |at: usize| {
        let (before, after) = (code.word(at - 1), code.word(at + 1));
        let steps = ["++", "--"];
        let assigned = matches!(after, "=" | "+=" | "-=") && before != "*";
        let changed = assigned || steps.contains(&before) || steps.contains(&after);
        code.word(at) == name && (changed || before == "&")
    };
    is_declared_before && !body.any(is_changed)
}

/// How many stars and brackets a variable's type has.
fn leads_to(scope: &Scope, name: &str) -> Option<usize> {
    let d = scope.declarator(name)?;
    Some(d.stars + d.n_bounds)
}

/// `p[i - 1]` for the sum `p + i - 1`.
fn of_sum(code: &Code, scope: &Scope, sum: Range<usize>) -> Option<String> {
    let sign = top_level(code, &sum).find(|&at| matches!(code.word(at), "+" | "-"))?;
    let array = sum.start..sign;
    let brackets = subscripts(code, &array)?;
    if leads_to(scope, code.word(array.start))? <= brackets {
        return None;
    }
    let terms = top_level(code, &(sign..sum.end)).filter(|&at| matches!(code.word(at), "+" | "-"));
    let wide = !csource::wide_literals(code.text, code.bytes(sign..sum.end)).is_empty();
    let is_exact = terms.count() == 1 && code.word(sign) == "+" || !wide;
    let is_number = |at: usize| {
        let name = code.word(at);
        let is_member = matches!(code.word(at - 1), "." | "->");
        let known = !code.is_ident(at) || is_member || is_integer(scope, name);
        known && !is_call(code, at)
    };
    let mut inside = sign..sum.end;
    let is_sum = top_level(code, &inside).all(|at| is_part_of_sum(code, at));
    if !is_exact || !is_sum || !inside.all(is_number) {
        return None;
    }
    let text = |tokens: Range<usize>| &code.text[code.bytes(tokens)];
    let minus = if code.word(sign) == "-" { "-" } else { "" };
    Some(format!(
        "{}[{minus}{}]",
        text(array),
        text(sign + 1..sum.end)
    ))
}

/// Tokens of a range that are in no bracket of it.
fn top_level<'c>(code: &'c Code, range: &Range<usize>) -> impl Iterator<Item = usize> + 'c {
    let end = range.end;
    let first = (range.start < end).then_some(range.start);
    std::iter::successors(first, move |&at| Some(code.skip(at)).filter(|&at| at < end))
}

fn is_part_of_sum(code: &Code, at: usize) -> bool {
    let word = code.word(at);
    code.is_ident(at)
        || word.starts_with(|c: char| c.is_ascii_digit())
        || matches!(word, "+" | "-" | "*" | "/" | "%" | "(" | "[" | "." | "->")
}

/// The number of subscripts that follow a variable, where tokens are nothing else.
fn subscripts(code: &Code, tokens: &Range<usize>) -> Option<usize> {
    let mut places = top_level(code, tokens);
    let first = places.next()?;
    let mut brackets = 0;
    for at in places {
        brackets += 1;
        if !code.opens(at, "[") {
            return None;
        }
    }
    code.is_plain_name(first).then_some(brackets)
}

/// Whether a name is a number that a sum can have as a term of its own: not one that is computed modulo
/// 2^32, and no pointer. What is not declared here is a macro.
fn is_integer(scope: &Scope, name: &str) -> bool {
    match leads_to(scope, name) {
        None => true,
        Some(0) => scope.declared_type(name).is_some_and(|ty| {
            !ty.split_whitespace()
                .any(|word| matches!(word, "unsigned" | "uint" | "uint32_t" | "u32"))
        }),
        // An element of an array of integers.
        Some(_) => false,
    }
}
