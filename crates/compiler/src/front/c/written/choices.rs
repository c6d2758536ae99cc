//! Index variables that branches choose: `if (i == 0) im = n - 1; else im = i - 1;` is
//! `im = (i == 0) ? n - 1 : i - 1;`, which [`super::variables`] writes out.
//!
//! Every branch has to assign the same variables once, all of integers of one type; conditions and
//! values are made of variables and numbers, none of them one of those assigned: then the order in which
//! they are assigned does not matter.

use super::variables::is_variable;
use super::{Part, edit, types};
use crate::csource::{self, Code, Edit};
use std::collections::BTreeSet;
use std::ops::Range;

/// Branches in each other, at most.
const DEEPEST: usize = 6;

/// What branches assign.
enum Choice {
    /// Variables with their values.
    Values(Vec<(usize, Range<usize>)>),
    /// A condition, and what is assigned where it holds and where not.
    Either(Range<usize>, Box<[Choice; 2]>),
}

/// Puts the first choice of index variables in other words.
pub(super) fn write_out(part: &Part) -> Vec<Edit> {
    let code = part.types.code;
    for at in part.tokens.clone() {
        let is_else = code.word(at.wrapping_sub(1)) == "else";
        if code.word(at) != "if" || is_else || at == part.tokens.start {
            continue;
        }
        let found = choice(code, at, &part.tokens, DEEPEST);
        let text = found.and_then(|(choice, end)| Some((end, written(part, &choice, at..end)?)));
        if let Some((end, text)) = text {
            return vec![edit(code, at..end, text)];
        }
    }
    Vec::new()
}

/// The choice that the statement at a token is, and where it ends.
fn choice(code: &Code, at: usize, part: &Range<usize>, deep: usize) -> Option<(Choice, usize)> {
    if deep == 0 || at >= part.end {
        return None;
    }
    match code.word(at) {
        "if" if code.opens(at + 1, "(") => {
            let close = code.skip(at + 1);
            let (yes, end) = choice(code, close, part, deep - 1)?;
            if code.word(end) != "else" {
                return None;
            }
            let (no, end) = choice(code, end + 1, part, deep - 1)?;
            Some((Choice::Either(at + 2..close - 1, Box::new([yes, no])), end))
        }
        "{" => {
            let end = code.skip(at);
            if code.word(at + 1) == "if" {
                let (inner, last) = choice(code, at + 1, part, deep - 1)?;
                return (last + 1 == end).then_some((inner, end));
            }
            let mut values = Vec::new();
            let mut next = at + 1;
            while next + 1 < end {
                let (value, after) = assignment(code, next, end)?;
                values.push(value);
                next = after;
            }
            (end <= part.end && !values.is_empty()).then_some((Choice::Values(values), end))
        }
        _ => {
            let (value, end) = assignment(code, at, part.end)?;
            Some((Choice::Values(vec![value]), end))
        }
    }
}

/// `x = e;` at a token: the variable with its value, and the end.
fn assignment(code: &Code, at: usize, most: usize) -> Option<((usize, Range<usize>), usize)> {
    let is_it = code.is_plain_name(at) && code.word(at + 1) == "=";
    let end = is_it.then(|| csource::statement_end(code, at, most))?;
    let value = at + 2..end.checked_sub(1)?;
    (code.word(value.end) == ";" && !value.is_empty()).then_some(((at, value), end))
}

impl Choice {
    /// What the branches assign.
    fn branches(&self) -> Vec<&[(usize, Range<usize>)]> {
        match self {
            Choice::Values(all) => vec![all],
            Choice::Either(_, both) => both.iter().flat_map(Choice::branches).collect(),
        }
    }

    fn conditions(&self) -> Vec<&Range<usize>> {
        match self {
            Choice::Values(_) => Vec::new(),
            Choice::Either(condition, both) => std::iter::once(condition)
                .chain(both.iter().flat_map(Choice::conditions))
                .collect(),
        }
    }

    /// The value of a variable.
    fn value(&self, code: &Code, name: &str) -> Option<String> {
        match self {
            Choice::Values(all) => {
                let (_, value) = all.iter().find(|(at, _)| code.word(*at) == name)?;
                Some(format!("({})", &code.text[code.bytes(value.clone())]))
            }
            Choice::Either(condition, both) => {
                let condition = &code.text[code.bytes(condition.clone())];
                let [yes, no] = &**both;
                let (yes, no) = (yes.value(code, name)?, no.value(code, name)?);
                Some(format!("(({condition}) ? {yes} : {no})"))
            }
        }
    }
}

/// The assignments that a choice stands for.
fn written(part: &Part, choice: &Choice, stmt: Range<usize>) -> Option<String> {
    let code = part.types.code;
    let branches = choice.branches();
    let words = |all: &&[(usize, Range<usize>)]| -> BTreeSet<&str> {
        all.iter().map(|(at, _)| code.word(*at)).collect()
    };
    let names = branches.first().map(words)?;
    let alike = |all: &&[(usize, Range<usize>)]| words(all) == names && all.len() == names.len();
    if !branches.iter().all(alike) || names.iter().any(|name| part.hidden.contains(*name)) {
        return None;
    }
    let of_names = |at: usize| names.iter().any(|name| is_variable(code, at, name));
    let plain = |range: &Range<usize>| {
        !range.clone().any(|at| {
            let other = matches!(code.word(at), "[" | "?" | "*" | "{")
                && (code.word(at) != "*" || !is_product(code, at));
            let call = code.is_ident(at) && code.opens(at + 1, "(");
            other || call || of_names(at) || csource::ASSIGNS.contains(&code.word(at))
        })
    };
    // A comparison of numbers in floating point is not known to be one of iterators.
    let integers = |range: &Range<usize>| {
        let types = &part.types;
        plain(range) && types.of(range.clone()).is_some()
    };
    let all = || branches.iter().copied().flatten();
    if !choice.conditions().into_iter().all(integers) || !all().all(|(_, value)| plain(value)) {
        return None;
    }
    for name in &names {
        let ty = part.types.of_variable(name, stmt.start)?;
        let same = |(at, value): &(usize, Range<usize>)| {
            let is_it = || part.types.of(value.clone()) == Some(ty);
            code.word(*at) != *name || types::is_number(code, value) || is_it()
        };
        if ty.size() < 4 || !all().all(same) {
            return None;
        }
    }
    let bytes = code.bytes(stmt.clone());
    if super::helpers::has_other_directive(code, &bytes) {
        return None;
    }
    let decides = |at: usize| of_names(at) && !stmt.contains(&at) && part.decides(at);
    if !part.tokens.clone().any(decides) {
        return None;
    }
    let assign = |name: &&str| Some(format!("{name} = {};", choice.value(code, name)?));
    let all: Vec<String> = names.iter().map(assign).collect::<Option<_>>()?;
    let before = part.tokens.clone().take_while(|at| *at < stmt.start).last();
    let is_alone = before.is_some_and(|at| matches!(code.word(at), ";" | "{" | "}"));
    Some(match is_alone {
        true => all.join(" "),
        false => format!("{{ {} }}", all.join(" ")),
    })
}

/// Whether an asterisk is between factors.
fn is_product(code: &Code, at: usize) -> bool {
    let before = code.word(at - 1);
    code.is_ident(at - 1) || before == ")" || before.ends_with(|c: char| c.is_ascii_digit())
}
