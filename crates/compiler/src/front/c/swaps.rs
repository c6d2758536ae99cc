//! Time loops that swap pointers at the end of a step: `tmp = u; u = v; v = tmp;`.
//!
//! What is read of such a loop is the one without the swap, in which `u` and `v` are two arrays. That is the first step
//! of the loop. In step number k each pointer of the cycle is what the one k places further on was before the loop, so that the
//! arrays are planes of one array, of which `(j + k) mod p` is what pointer number j points to; [`crate::scop`] makes that of
//! the scop, with k from the iterator of the time loop. The pointers themselves are swapped after the kernels, by the same loop around
//! the swap alone.

mod helpers;
#[cfg(test)]
mod tests;

use super::region::Region;
use crate::csource::{self, Code, Place};
use helpers::{is_inner, of_block, of_list};
use hexcc_pet::data::{Rotation, Span};
use std::collections::BTreeMap;
use std::ops::Range;

/// Pointers of a cycle, at most: one more than the time levels that schemes in use have.
const MOST: usize = 4;

/// A time loop without its swap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swaps {
    /// The text with blanks in the place of the swap: all places are those of the user's.
    pub text: String,
    /// What has been left out.
    pub rotation: Rotation,
}

/// The time loop of a region without the swap at the end of its body; `None` where there is none, or where the pointers are
/// used in other ways.
pub fn without_swaps(text: &str, region: &Region) -> Option<Swaps> {
    let code = Code::new(text);
    let time_loop = TimeLoop::read(&code, region)?;
    let cycles = cycles(&time_loop.assigned)?;
    if !time_loop.is_rotation(&cycles) {
        return None;
    }
    let start = first_value(&code, time_loop.head.clone())?;
    let span = |tokens: Range<usize>| Span::from(code.bytes(tokens));
    let head = span(time_loop.head.start - 2..time_loop.head.end + 1);
    let swaps: Vec<Span> = time_loop.swaps.into_iter().map(span).collect();
    let owned = |cycle: &Vec<&str>| cycle.iter().map(|name| name.to_string()).collect();
    Some(Swaps {
        text: without(text, &swaps),
        rotation: Rotation {
            cycles: cycles.iter().map(owned).collect(),
            start,
            head,
            swaps,
        },
    })
}

/// A time loop that may swap pointers; in tokens.
struct TimeLoop<'a> {
    code: &'a Code<'a>,
    /// What is in the parentheses of `for`.
    head: Range<usize>,
    /// Statements of its body that are not the swap.
    steps: Vec<Range<usize>>,
    /// Those that are, with declarations and first values of pointers that only they use.
    swaps: Vec<Range<usize>>,
    /// What they assign, in their order: to, from.
    assigned: Vec<(String, String)>,
    /// Pointers that get a value before the steps.
    before: Vec<String>,
}

impl<'a> TimeLoop<'a> {
    fn read(code: &'a Code<'a>, region: &Region) -> Option<TimeLoop<'a>> {
        let at = (code.tokens).partition_point(|t| t.span.start < region.span.start);
        let open = code.skip(at + 1);
        if code.word(at) != "for" || !code.opens(at + 1, "(") || !code.opens(open, "{") {
            return None;
        }
        let body = open + 1..code.skip(open) - 1;
        let next = code.tokens.get(body.end + 1);
        if next.is_some_and(|next| next.span.start < region.span.end) {
            return None;
        }
        let stmts: Vec<Range<usize>> = csource::statements(code, body).collect();
        let assigns = |stmt: &&Range<usize>| assignments(code, stmt).is_some();
        let n_swaps = stmts.iter().rev().take_while(assigns).count();
        let (steps, swaps) = stmts.split_at(stmts.len() - n_swaps);
        // What a pointer is before the steps, which do not change it, it is behind them.
        let is_before = |(index, stmt): &(usize, &Range<usize>)| {
            let mut others = steps[index + 1..].iter().cloned().flatten();
            let assigned = assignment(code, stmt);
            assigned.is_some_and(|(to, _)| others.all(|i| code.word(i) != to))
        };
        let n_before = steps.iter().enumerate().take_while(is_before).count();
        let (before, steps) = steps.split_at(n_before);
        let of = |stmt: &Range<usize>| assignments(code, stmt).unwrap_or_default();
        let set_before: Vec<(String, String)> = before.iter().flat_map(of).collect();
        let assigned: Vec<_> = (set_before.iter().cloned())
            .chain(swaps.iter().flat_map(of))
            .collect();
        let names: Vec<&str> = assigned.iter().map(|(to, _)| to.as_str()).collect();
        let declared = |stmt: &Range<usize>| declares_alone(code, stmt, &names);
        let (declared, steps): (Vec<_>, Vec<_>) = steps.iter().cloned().partition(declared);
        Some(TimeLoop {
            code,
            head: at + 2..open - 1,
            steps,
            swaps: [&declared, before, swaps].concat(),
            before: set_before.into_iter().map(|(to, _)| to).collect(),
            assigned,
        })
    }

    /// Whether the pointers of some cycles are the function's own and change nowhere else, what only holds their values is used
    /// nowhere else, and the steps end no loop but their own.
    fn is_rotation(&self, cycles: &[Vec<&str>]) -> bool {
        let code = self.code;
        let last = self.swaps.last().map(|stmt| code.bytes(stmt.clone()).start);
        let own = |name: &str| last.is_some_and(|at| is_own_pointer(code.text, name, at));
        let in_cycle = |name: &str| cycles.iter().flatten().any(|member| *member == name);
        let elsewhere = || (self.steps.iter().cloned().flatten()).chain(self.head.clone());
        let is_used = |name: &str| elsewhere().any(|i| code.word(i) == name);
        let changes = |i: usize| csource::is_assigned(code, i) || csource::is_address(code, i);
        let changes = |name: &str| elsewhere().any(|i| code.word(i) == name && changes(i));
        let in_head = |name: &str| self.head.clone().any(|i| code.word(i) == name);
        let mut names = self.assigned.iter().map(|(to, _)| to.as_str());
        names.all(|name| match in_cycle(name) {
            true => own(name) && !changes(name) && !in_head(name),
            false => is_inner(name) || own(name) && !is_used(name),
        }) && !self.before.iter().any(|name| in_cycle(name))
            && self.steps.iter().all(|stmt| stays_inside(code, stmt))
    }
}

/// The variable with the first step of a segment, where a loop was written again as one over segments.
const FIRST: &str = "hexcc_first";

/// Whether a loop's header adds one to its iterator.
fn counts_up(code: &Code, tokens: Range<usize>, iterator: &str) -> bool {
    let words: Vec<&str> = tokens.map(|i| code.word(i)).collect();
    matches!(words[..], [name, "++"] | ["++", name] | [name, "+=", "1"] if name == iterator)
}

/// The first value of an iterator that counts up by one, from `int t = 0; t < n; t++`: a number, or that of the steps of a
/// segment, `hexcc_first < 0 ? 0 : hexcc_first`, which begins where the loop around it is.
fn first_value(code: &Code, head: Range<usize>) -> Option<String> {
    let semicolons: Vec<usize> = head.clone().filter(|&i| code.word(i) == ";").collect();
    let [first, second] = semicolons[..] else {
        return None;
    };
    let equals = head.clone().find(|&i| code.word(i) == "=")?;
    let name = equals
        .checked_sub(1)
        .filter(|&name| code.is_plain_name(name))?;
    let counts = !head.clone().any(|i| code.word(i) == ",")
        && counts_up(code, second + 1..head.end, code.word(name));
    let words: Vec<&str> = (equals + 1..first).map(|i| code.word(i)).collect();
    let start = match words[..] {
        [number] if number.parse::<i64>().is_ok_and(|n| n.to_string() == number) => number,
        [FIRST] | [FIRST, "<", _, "?", _, ":", FIRST] => FIRST,
        _ => return None,
    };
    counts.then(|| start.to_string())
}

/// A text with blanks in the place of some parts, on the same lines.
fn without(text: &str, parts: &[Span]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for part in parts {
        let gone = bytes[part.start..part.end].iter_mut();
        for byte in gone.filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a statement assigns to pointers, to and from, one after the other: `a = b;`, `a = b, b = c;`, or a block of these. What
/// macros and functions do stands there once the front end has written the loop again.
fn assignments(code: &Code, stmt: &Range<usize>) -> Option<Vec<(String, String)>> {
    match assignment(code, stmt) {
        Some((to, from)) => Some(vec![(to.to_string(), from.to_string())]),
        None => of_list(code, stmt).or_else(|| of_block(code, stmt)),
    }
}

/// `a = b;`, or the same in a declaration of one pointer: `float *a = b;`.
fn assignment<'a>(code: &'a Code, stmt: &Range<usize>) -> Option<(&'a str, &'a str)> {
    let equals = stmt
        .end
        .checked_sub(3)
        .filter(|equals| *equals > stmt.start)?;
    let is_plain =
        code.word(equals) == "=" && code.is_plain_name(equals + 1) && code.word(equals + 2) == ";";
    let to = match equals - stmt.start {
        1 => code.is_plain_name(stmt.start).then_some(stmt.start),
        _ => declared_pointer(code, stmt.start..equals),
    };
    is_plain.then_some((code.word(to?), code.word(equals + 1)))
}

/// The name in a declaration of one pointer, without its value: `float *const a`, `double **a`, `double (*a)[n]`.
fn declared_pointer(code: &Code, tokens: Range<usize>) -> Option<usize> {
    let star = tokens.clone().find(|&i| code.word(i) == "*")?;
    let is_before_name = |i: &usize| {
        matches!(
            code.word(*i),
            "*" | "const" | "restrict" | "__restrict" | "volatile"
        )
    };
    let name = (star + 1..tokens.end).find(|i| !is_before_name(i))?;
    let is_one = !tokens
        .clone()
        .any(|i| matches!(code.word(i), "," | "=" | "{"));
    let declares = csource::is_declaration(code, tokens) && code.is_plain_name(name) && is_one;
    declares.then_some(name)
}

/// Whether a statement does nothing but declare one of some pointers: `float *tmp;`.
fn declares_alone(code: &Code, stmt: &Range<usize>, names: &[&str]) -> bool {
    let Some(end) = stmt.end.checked_sub(1).filter(|end| code.word(*end) == ";") else {
        return false;
    };
    let name = declared_pointer(code, stmt.start..end);
    name.is_some_and(|name| names.contains(&code.word(name)))
}

/// The pointers that some assignments, one after the other, give to each other in circles: each gets the value that the next one
/// had. The others that they assign to only hold a value in between.
fn cycles(assigned: &[(String, String)]) -> Option<Vec<Vec<&str>>> {
    let mut now: BTreeMap<&str, &str> = BTreeMap::new();
    for (to, from) in assigned {
        let value = now.get(from.as_str()).copied().unwrap_or(from);
        now.insert(to, value);
    }
    let is_kept = |name: &str| now.contains_key(name) && now.values().any(|value| *value == name);
    let mut cycles: Vec<Vec<&str>> = Vec::new();
    for first in assigned
        .iter()
        .map(|(to, _)| to.as_str())
        .filter(|to| is_kept(to))
    {
        if cycles.iter().any(|cycle| cycle.contains(&first)) {
            continue;
        }
        let mut cycle = vec![first];
        while let Some(next) = now.get(cycle.last()?).filter(|next| **next != first) {
            let is_new = cycle.len() < MOST && is_kept(next) && !cycle.contains(next);
            cycle.push(is_new.then_some(*next)?);
        }
        cycles.push(cycle);
    }
    let is_swap = !cycles.is_empty() && cycles.iter().all(|cycle| cycle.len() > 1);
    is_swap.then_some(cycles)
}

/// Whether a name that is assigned to is a pointer that a call of the function has of its own: a parameter `float u[n][m]` is one.
fn is_own_pointer(text: &str, name: &str, offset: usize) -> bool {
    csource::declarator(text, name, offset)
        .is_some_and(|d| d.place == Place::Call && d.stars + d.n_bounds > 0)
}

/// Whether a statement of the time loop ends nothing but loops in it.
fn stays_inside(code: &Code, stmt: &Range<usize>) -> bool {
    let is_loop = matches!(code.word(stmt.start), "for" | "while" | "do");
    stmt.clone().all(|i| match code.word(i) {
        "goto" | "return" => false,
        "break" | "continue" => is_loop,
        _ => true,
    })
}
