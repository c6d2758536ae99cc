//! Counters of loops written out: `out[k++] = u[i][j];` in loops over `i` and `j` is element `(i*m + j)` of
//! `out` behind where `k` was before them.
//!
//! What a counter has at a statement is a sum: for each loop around it, the iterations before this one times
//! what one adds, and what is added before the statement in the iteration. That is so for loops that count by 1
//! between bounds that do not change: where a loop has no iteration, nothing in it is accessed. What counts beside
//! a loop needs one whose bounds are numbers, since others may have none, or be the wrong way round.

use super::variables::{changes, is_variable};
use super::{Part, edit};
use crate::csource::{self, Code, Edit, Place};
use std::ops::Range;

/// Writes out the first counter of which something is left to be done.
pub(super) fn write_out(part: &Part) -> Vec<Edit> {
    let code = part.types.code;
    let mut seen: Vec<&str> = Vec::new();
    for at in part.tokens.clone() {
        let name = code.word(at);
        if is_step(code, at).is_none() || seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let edits = written(part, name, at);
        if !edits.is_empty() {
            return edits;
        }
    }
    Vec::new()
}

/// What a variable that is counted at a token grows by, and the tokens of that: `k++`, `++k`, `k += 2`.
fn is_step(code: &Code, at: usize) -> Option<(String, Range<usize>)> {
    if !code.is_plain_name(at) || matches!(code.word(at.wrapping_sub(1)), "." | "->" | "*") {
        return None;
    }
    let begins = |at: usize| matches!(code.word(at.wrapping_sub(1)), ";" | "{" | "}");
    match code.word(at + 1) {
        "++" => Some(("1".to_string(), at..at + 2)),
        "+=" if begins(at) && code.word(at + 3) == ";" => {
            let by = code.word(at + 2);
            let digits = by.bytes().all(|b| b.is_ascii_digit()) && by.len() < 6;
            digits.then(|| (by.to_string(), at..at + 3))
        }
        _ if code.word(at.wrapping_sub(1)) == "++"
            && begins(at - 1)
            && code.word(at + 1) == ";" =>
        {
            Some(("1".to_string(), at - 1..at + 1))
        }
        _ => None,
    }
}

/// The changes for a variable that a token counts with: in all loops that do, or nothing.
fn written(part: &Part, name: &str, step: usize) -> Vec<Edit> {
    let code = part.types.code;
    if !may_count(part, name, step) {
        return Vec::new();
    }
    let mut edits = Vec::new();
    let mut own: Vec<Range<usize>> = Vec::new();
    let mut at = part.tokens.start;
    while at < part.tokens.end {
        let found = (code.word(at) == "for")
            .then(|| Counted::of(part, name, at))
            .flatten();
        match found {
            Some(mut counted) if starts_anew(part, name, &counted.tokens, &own) => {
                at = counted.tokens.end;
                edits.append(&mut counted.edits);
                own.push(counted.tokens);
            }
            _ => at += 1,
        }
    }
    let is_own = |at: usize| own.iter().any(|tokens| tokens.contains(&at));
    match part.is_dead_from(name, step, &is_own) {
        true => edits,
        false => Vec::new(),
    }
}

/// Whether a variable is an integer of the function that only its own statements change, and is the only one
/// of its name.
fn may_count(part: &Part, name: &str, step: usize) -> bool {
    let code = part.types.code;
    let declarator = |at: usize| part.types.scope.moved_to(at).declarator(name);
    let here = declarator(step);
    let is_own = here.as_ref().is_some_and(|d| d.place != Place::Program);
    let is_integer = part.types.of_variable(name, step).is_some();
    let mut names = part
        .tokens
        .clone()
        .filter(|&at| is_variable(code, at, name));
    let is_one = names.all(|at| declarator(at + 1) == here);
    let is_address = |at: usize| is_variable(code, at, name) && csource::is_address(code, at);
    let jumps = [
        "goto", "break", "continue", "return", "switch", "while", "do",
    ];
    let has_jump = |at: usize| jumps.contains(&code.word(at));
    let directive = super::helpers::has_other_directive(code, &code.bytes(part.tokens.clone()));
    is_own
        && is_integer
        && is_one
        && !directive
        && !part.hidden.contains(name)
        && !part.tokens.clone().any(has_jump)
        && !(0..code.tokens.len()).any(is_address)
}

/// Whether what a counter has before loops is what C has there: it is assigned in their block behind other
/// loops that count with it, or the loops are all of the region.
fn starts_anew(part: &Part, name: &str, tokens: &Range<usize>, others: &[Range<usize>]) -> bool {
    let code = part.types.code;
    let is_region = (part.region)
        .is_some_and(|region| region.span.start == code.tokens[tokens.start].span.start);
    if is_region {
        return true;
    }
    let Some(block) = super::variables::block_around(code, tokens.start, &part.tokens) else {
        return false;
    };
    let is_direct = csource::statements(code, block.clone()).any(|s| s.start == tokens.start);
    if !is_direct {
        return false;
    }
    let before = block.start..tokens.start;
    let is_assigned = |at: &usize| {
        let begins = matches!(code.word(at.wrapping_sub(1)), ";" | "{" | "}")
            || code.is_ident(at.wrapping_sub(1)) && code.word(at.wrapping_sub(1)) != "else";
        is_variable(code, *at, name) && code.word(at + 1) == "=" && begins
    };
    let direct = |at: &usize| {
        let around = super::variables::block_around(code, *at, &part.tokens);
        around.as_ref() == Some(&block)
    };
    let last = before.clone().rfind(|at| is_assigned(at) && direct(at));
    last.is_some_and(|last| {
        let value_end = csource::statement_end(code, last, part.tokens.end);
        let reads = (last + 1..value_end).any(|at| is_variable(code, at, name));
        let mut between = value_end..tokens.start;
        let other = others
            .iter()
            .any(|other| last < other.end && other.start < tokens.start);
        !reads && !other && !between.any(|at| changes(code, at, name))
    })
}

/// Loops that count with a variable.
struct Counted {
    /// All of them.
    tokens: Range<usize>,
    edits: Vec<Edit>,
}

/// A loop around a place: its iterations before the one at hand, and what each of them adds.
struct Around {
    before: String,
    adds: String,
}

/// Follows a counter through loops.
struct Walk<'a, 'p> {
    part: &'a Part<'p>,
    name: &'a str,
    /// The tokens of all loops.
    all: Range<usize>,
    edits: Vec<Edit>,
}

impl Counted {
    fn of(part: &Part, name: &str, at: usize) -> Option<Counted> {
        let code = part.types.code;
        let tokens = csource::statements(code, at..part.tokens.end).next()?;
        let counts = tokens.clone().any(|at| changes(code, at, name));
        let mut walk = Walk {
            part,
            name,
            all: tokens.clone(),
            edits: Vec::new(),
        };
        let adds = counts.then(|| walk.adds(tokens.clone())).flatten()?;
        if adds == "0" {
            return None;
        }
        walk.statement(tokens.clone(), &[], "0")?;
        Some(Counted {
            tokens,
            edits: walk.edits,
        })
    }
}

impl Walk<'_, '_> {
    /// What a statement adds to the counter; `None` where that is no expression of the sizes.
    fn adds(&self, stmt: Range<usize>) -> Option<String> {
        let code = self.part.types.code;
        let mut changed = stmt.clone().filter(|&at| changes(code, at, self.name));
        let Some(first) = changed.next() else {
            return Some("0".to_string());
        };
        match code.word(stmt.start) {
            "for" => {
                let header = Header::of(self.part, &stmt, &self.all)?;
                let body = self.adds(header.body.clone())?;
                Some(times(&header.count(), &body))
            }
            "{" => {
                let inner = csource::statements(code, stmt.start + 1..stmt.end - 1);
                let inner: Vec<Range<usize>> = inner.collect();
                let counts = |stmt: &&Range<usize>| self.has_name(stmt);
                let is_alone = inner.iter().filter(counts).count() == 1;
                if !is_alone && inner.iter().any(|stmt| self.may_run_backwards(stmt)) {
                    return None;
                }
                let all: Option<Vec<String>> =
                    inner.into_iter().map(|stmt| self.adds(stmt)).collect();
                Some(
                    all?.iter()
                        .fold("0".to_string(), |sum, adds| plus(&sum, adds)),
                )
            }
            "if" | "else" => None,
            _ => {
                let (by, _) = is_step(code, first)?;
                let once = changed.next().is_none() && self.is_plain(&stmt, first);
                once.then_some(by)
            }
        }
    }

    fn has_name(&self, stmt: &Range<usize>) -> bool {
        let mut tokens = stmt.clone();
        tokens.any(|at| is_variable(self.part.types.code, at, self.name))
    }

    /// Whether a loop in a statement that counts may end before it begins.
    fn may_run_backwards(&self, stmt: &Range<usize>) -> bool {
        let code = self.part.types.code;
        let mut loops = stmt.clone().filter(|&at| code.word(at) == "for");
        loops.any(|at| {
            let Some(stmt) = csource::statements(code, at..stmt.end).next() else {
                return true;
            };
            let header = || Header::of(self.part, &stmt, &self.all);
            self.has_name(&stmt) && header().is_none_or(|header| !header.is_forwards())
        })
    }

    /// Whether a simple statement counts once: by itself, or behind all other uses as the subscript of what
    /// it assigns.
    fn is_plain(&self, stmt: &Range<usize>, at: usize) -> bool {
        let code = self.part.types.code;
        let (_, step) = match is_step(code, at) {
            Some(step) => step,
            None => return false,
        };
        let alone = step.start == stmt.start && code.word(step.end) == ";";
        let is_subscript = code.word(at.wrapping_sub(1)) == "["
            && code.word(at + 1) == "++"
            && code.word(at + 2) == "]";
        let others = stmt
            .clone()
            .filter(|&i| i != at && is_variable(code, i, self.name))
            .count();
        let logic = stmt
            .clone()
            .any(|i| matches!(code.word(i), "?" | "&&" | "||" | ","));
        alone || is_subscript && others == 0 && !logic
    }

    /// Replaces the counter in a statement; `offset` is what was added in the iterations at hand before it.
    fn statement(&mut self, stmt: Range<usize>, around: &[Around], offset: &str) -> Option<()> {
        let code = self.part.types.code;
        if !stmt.clone().any(|at| is_variable(code, at, self.name)) {
            return Some(());
        }
        match code.word(stmt.start) {
            "for" => {
                let header = Header::of(self.part, &stmt, &self.all)?;
                let adds = self.adds(header.body.clone())?;
                let mut around: Vec<Around> = around.iter().map(Around::same).collect();
                around.push(Around {
                    before: header.before(),
                    adds,
                });
                self.statement(header.body, &around, offset)
            }
            "{" => {
                let mut offset = offset.to_string();
                let inner = csource::statements(code, stmt.start + 1..stmt.end - 1);
                for stmt in inner.collect::<Vec<_>>() {
                    let adds = self.adds(stmt.clone())?;
                    self.statement(stmt, around, &offset)?;
                    offset = plus(&offset, &adds);
                }
                Some(())
            }
            _ => self.uses(stmt, around, offset),
        }
    }

    /// The same in a statement without loops.
    fn uses(&mut self, stmt: Range<usize>, around: &[Around], offset: &str) -> Option<()> {
        let code = self.part.types.code;
        let value = (around.iter()).fold(format!("{} + {offset}", self.name), |sum, a| {
            format!("{sum} + {}", times(&a.before, &a.adds))
        });
        let mut at = stmt.start;
        while at < stmt.end {
            if !is_variable(code, at, self.name) {
                at += 1;
                continue;
            }
            match is_step(code, at) {
                Some((_, step)) if code.word(step.end) == ";" && step.start == stmt.start => {
                    self.edits.push(edit(code, step.clone(), String::new()));
                    at = step.end;
                }
                step => {
                    let end = step.map_or(at + 1, |(_, step)| step.end);
                    let is_subscript = self.part.decides(at) && self.in_brackets(at);
                    is_subscript.then_some(())?;
                    self.edits.push(edit(code, at..end, format!("({value})")));
                    at = end;
                }
            }
        }
        Some(())
    }

    fn in_brackets(&self, at: usize) -> bool {
        let code = self.part.types.code;
        let around = code.around(at);
        around.is_some_and(|open| open >= self.part.tokens.start && code.word(open) == "[")
    }
}

impl Around {
    fn same(&self) -> Around {
        Around {
            before: self.before.clone(),
            adds: self.adds.clone(),
        }
    }
}

/// A loop that counts by 1.
struct Header<'a> {
    iterator: &'a str,
    first: &'a str,
    end: &'a str,
    /// The last iteration is `end`.
    is_last: bool,
    body: Range<usize>,
}

impl<'a> Header<'a> {
    /// That of a statement, if its bounds do not change in all of the loops around it.
    fn of(part: &Part<'a>, stmt: &Range<usize>, all: &Range<usize>) -> Option<Header<'a>> {
        let code = part.types.code;
        let open = stmt.start + 1;
        if !code.opens(open, "(") {
            return None;
        }
        let close = code.skip(open) - 1;
        let semicolons: Vec<usize> = (open + 1..close)
            .filter(|&at| code.word(at) == ";")
            .collect();
        let &[one, two] = semicolons.as_slice() else {
            return None;
        };
        let equals = (open + 1..one).find(|&at| code.word(at) == "=")?;
        let iterator = code.word(equals - 1);
        let is_last = code.word(one + 2) == "<=";
        let compares = matches!(code.word(one + 2), "<" | "<=") && code.word(one + 1) == iterator;
        let increments = two + 3 == close
            && [code.word(two + 1), code.word(two + 2)].contains(&"++")
            && [code.word(two + 1), code.word(two + 2)].contains(&iterator);
        let (first, end) = (equals + 1..one, one + 3..two);
        let body = close + 1..stmt.end;
        let fixed = first
            .clone()
            .chain(end.clone())
            .all(|at| is_fixed(code, at, all));
        let kept = !body.clone().any(|at| changes(code, at, iterator));
        (compares && increments && fixed && kept && !first.is_empty() && !end.is_empty()).then(
            || Header {
                iterator,
                first: &code.text[code.bytes(first)],
                end: &code.text[code.bytes(end)],
                is_last,
                body,
            },
        )
    }

    /// How often it runs, where it runs.
    fn count(&self) -> String {
        let more = if self.is_last { " + 1" } else { "" };
        format!("(({}) - ({}){more})", self.end, self.first)
    }

    /// Whether it certainly does not end before it begins.
    fn is_forwards(&self) -> bool {
        let both = number(self.first).zip(number(self.end));
        both.is_some_and(|(first, end)| first <= end)
    }

    /// The iterations before the one at hand.
    fn before(&self) -> String {
        format!("({} - ({}))", self.iterator, self.first)
    }
}

/// Whether a token of a bound is a number, an operator or a variable that a statement does not change.
fn is_fixed(code: &Code, at: usize, stmt: &Range<usize>) -> bool {
    let word = code.word(at);
    if !code.is_ident(at) {
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        let whole = !word.contains(['.', 'e', 'E']) || word.starts_with("0x");
        return number && whole || matches!(word, "+" | "-" | "*" | "(" | ")");
    }
    let is_call = code.opens(at + 1, "(");
    code.is_plain_name(at) && !is_call && !stmt.clone().any(|i| changes(code, i, word))
}

/// The number that a sum of numbers is.
fn number(sum: &str) -> Option<i64> {
    let terms = sum.replace(' ', "").replace('-', "+-");
    terms.split('+').map(|term| term.parse::<i64>().ok()).sum()
}

fn plus(a: &str, b: &str) -> String {
    match (a, b) {
        ("0", x) | (x, "0") => x.to_string(),
        (a, b) => format!("{a} + {b}"),
    }
}

fn times(a: &str, b: &str) -> String {
    match b {
        "0" => "0".to_string(),
        "1" => a.to_string(),
        b => format!("{a} * ({b})"),
    }
}
