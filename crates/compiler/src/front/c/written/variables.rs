//! Integer variables of loop bodies that subscripts are computed from: `int r = (i + 1) % n;`.

use super::helpers::has_other_directive;
use super::types::{self, Goes};
use super::{Part, edit};
use crate::csource::{self, Code, Edit};
use std::ops::Range;

/// A variable that gets a value where it is declared, or by a statement.
pub(super) struct Assigned {
    /// The token that is its name.
    pub(super) name: usize,
    /// The expression.
    pub(super) value: Range<usize>,
    /// The declaration or the assignment.
    pub(super) stmt: Range<usize>,
    /// It is declared here.
    pub(super) declares: bool,
}

/// Writes out the first variable of which something is left to be done: where it decides what is
/// accessed or executed, what it was assigned stands for it. It goes where nothing else uses it.
pub(super) fn write_out(part: &Part) -> Vec<Edit> {
    let code = part.types.code;
    let mut start = part.tokens.start;
    for at in part.tokens.clone() {
        // Where statements of blocks begin.
        if at < start || !matches!(code.word(at.wrapping_sub(1)), ";" | "{" | "}") {
            continue;
        }
        let end = csource::statement_end(code, at, part.tokens.end);
        let Some(block) = block_around(code, at, &part.tokens) else {
            continue;
        };
        if code.word(end - 1) != ";" || end > block.end || code.word(at) == "for" {
            continue;
        }
        start = at;
        for assigned in assigned(part, at..end) {
            let edits = written(part, &assigned, end..block.end);
            if !edits.is_empty() {
                return edits;
            }
        }
    }
    Vec::new()
}

/// Tokens between the braces directly around a token, if these are within a part.
pub(super) fn block_around(code: &Code, at: usize, part: &Range<usize>) -> Option<Range<usize>> {
    let open = code.around(at)?;
    let block = open + 1..code.skip(open) - 1;
    (code.word(open) == "{" && part.start <= block.start && block.end <= part.end).then_some(block)
}

/// The integer variables that a statement declares with a value, or assigns.
fn assigned(part: &Part, stmt: Range<usize>) -> Vec<Assigned> {
    let code = part.types.code;
    if code.is_plain_name(stmt.start) && code.word(stmt.start + 1) == "=" {
        return vec![Assigned {
            name: stmt.start,
            value: stmt.start + 2..stmt.end - 1,
            stmt,
            declares: false,
        }];
    }
    let others = [
        "return", "else", "do", "goto", "static", "extern", "typedef", "volatile",
    ];
    let is_declaration = code.is_ident(stmt.start) && code.is_ident(stmt.start + 1);
    if !is_declaration || others.contains(&code.word(stmt.start)) {
        return Vec::new();
    }
    let declarators = code.split_commas(stmt.start..stmt.end - 1).into_iter();
    (declarators.enumerate())
        .filter_map(|(index, d)| {
            let equals = d.clone().find(|&at| code.word(at) == "=")?;
            let name = equals.checked_sub(1)?;
            let alone = index == 0 || name == d.start;
            (alone && code.is_plain_name(name)).then(|| Assigned {
                name,
                value: equals + 1..d.end,
                stmt: stmt.clone(),
                declares: true,
            })
        })
        .collect()
}

fn written(part: &Part, assigned: &Assigned, rest: Range<usize>) -> Vec<Edit> {
    let code = part.types.code;
    let name = code.word(assigned.name);
    let types = part
        .types
        .of_variable(name, assigned.stmt.end)
        .zip(part.types.of(assigned.value.clone()));
    let Some((ty, value_type)) = types.filter(|_| is_seen(part, assigned)) else {
        return Vec::new();
    };
    let same = ty == value_type || types::is_number(code, &assigned.value);
    let renewal = renewal(part, assigned, &rest);
    let rest = match &renewal {
        Some(value) => rest.start..value.end,
        None => until_changed(part, assigned, rest),
    };
    let is_renewed = |at: usize| renewal.as_ref().is_some_and(|value| value.contains(&at));
    let uses: Vec<usize> = rest
        .clone()
        .filter(|&at| is_variable(code, at, name) && !is_target(code, at, renewal.as_ref()))
        .collect();
    let Some(last) = uses.last().copied() else {
        return match value_has(code, assigned, name) {
            false => removed(part, assigned, &[]),
            true => Vec::new(),
        };
    };
    // All that runs before the last use, loops as a whole.
    let runs = assigned.stmt.end..whole_statements(code, &rest, last);
    if ty.size() < value_type.size().max(4) || !is_unchanged(part, assigned, runs) {
        return Vec::new();
    }
    let text = format!("({})", &code.text[code.bytes(assigned.value.clone())]);
    let n_uses = uses.len();
    let replaced: Vec<usize> = (uses.into_iter())
        .filter(|&at| is_renewed(at) || part.decides(at))
        .filter(|&at| means_the_same(part, assigned, at))
        .filter(|&at| same || types::goes(code, at..at + 1) == Goes::ToSubscript)
        .collect();
    let removed = match value_has(code, assigned, name) {
        false => removed(part, assigned, &replaced),
        true if replaced.len() == n_uses => renewed(part, assigned, &replaced),
        true => Vec::new(),
    };
    if removed.is_empty() && value_has(code, assigned, name) {
        return Vec::new();
    }
    let mut edits: Vec<Edit> = (replaced.iter())
        .map(|&at| edit(code, at..at + 1, text.clone()))
        .collect();
    edits.extend(removed);
    edits
}

/// Whether a value is made of what the variable was before.
fn value_has(code: &Code, assigned: &Assigned, name: &str) -> bool {
    let mut value = assigned.value.clone();
    value.any(|at| is_variable(code, at, name))
}

/// Takes out `x = (x + n) % n;` of a parameter `x`, if nothing else uses it but what it was written
/// for: of other variables a value may come from the iteration before.
fn renewed(part: &Part, assigned: &Assigned, replaced: &[usize]) -> Vec<Edit> {
    let code = part.types.code;
    let name = code.word(assigned.name);
    let declarator = part.types.scope.moved_to(assigned.name).declarator(name);
    let first = code.tokens[part.tokens.start].span.start;
    let is_parameter = declarator.is_some_and(|d| d.range.end <= first);
    let is_outermost =
        block_around(code, assigned.name, &part.tokens).is_none_or(|block| block == part.tokens);
    let own =
        |at: usize| at == assigned.name || replaced.contains(&at) || assigned.value.contains(&at);
    let fits = part.region.is_none() && !assigned.declares && is_parameter && is_outermost;
    match fits && part.is_dead(name, &own) {
        true => vec![edit(code, assigned.stmt.clone(), String::new())],
        false => Vec::new(),
    }
}

/// Whether the text shows all that is done with the variable and those of its value.
pub(super) fn is_seen(part: &Part, assigned: &Assigned) -> bool {
    let code = part.types.code;
    let mut names = assigned
        .value
        .clone()
        .chain([assigned.name])
        .map(|at| code.word(at));
    let jumps = (part.tokens.clone()).any(|at| matches!(code.word(at), "goto" | "switch"));
    let from = code.tokens[assigned.stmt.start].span.start;
    let block = block_around(code, assigned.stmt.start, &part.tokens);
    let directive =
        block.is_none_or(|block| has_other_directive(code, &(from..code.bytes(block).end)));
    !jumps && !directive && !names.any(|name| part.hidden.contains(name))
}

/// Whether the variable and those of its value are the same ones at a token.
pub(super) fn means_the_same(part: &Part, assigned: &Assigned, at: usize) -> bool {
    let code = part.types.code;
    let there = part.types.scope.moved_to(at);
    let here = part.types.scope.moved_to(assigned.stmt.end);
    let of_value = assigned.value.clone().filter(|&at| {
        let is_member = matches!(code.word(at - 1), "." | "->");
        code.is_plain_name(at) && !is_member && !code.opens(at + 1, "(")
    });
    (of_value.chain([assigned.name])).all(|at| {
        let name = code.word(at);
        there.declarator(name) == here.declarator(name)
    })
}

/// Whether a token is the name of a variable, not of a member.
pub(super) fn is_variable(code: &Code, at: usize, name: &str) -> bool {
    code.is_ident(at)
        && code.word(at) == name
        && !matches!(code.word(at.wrapping_sub(1)), "." | "->")
}

/// Whether a token is a variable that changes there, or may change afterwards.
pub(super) fn changes(code: &Code, at: usize, name: &str) -> bool {
    is_variable(code, at, name) && (csource::is_assigned(code, at) || csource::is_address(code, at))
}

/// Whether a token is a member that changes there, or may change afterwards.
pub(super) fn member_changes(code: &Code, at: usize, name: &str) -> bool {
    if code.word(at) != name || !matches!(code.word(at.wrapping_sub(1)), "." | "->") {
        return false;
    }
    let mut first = at;
    while first > 1 && matches!(code.word(first - 1), "." | "->") {
        first = code.skip_back(first - 2);
    }
    let before = first.checked_sub(1).map_or("", |before| code.word(before));
    csource::ASSIGNS.contains(&code.word(at + 1)) || matches!(before, "++" | "--" | "&")
}

/// Where the variable keeps its value: to the statement of the block that changes it again.
fn until_changed(part: &Part, assigned: &Assigned, rest: Range<usize>) -> Range<usize> {
    let code = part.types.code;
    let name = code.word(assigned.name);
    let Some(change) = rest.clone().find(|&at| changes(code, at, name)) else {
        return rest;
    };
    let mut stmts = csource::statements(code, rest.clone());
    let changed = stmts.find(|stmt| stmt.contains(&change));
    rest.start..changed.map_or(rest.end, |stmt| stmt.start)
}

/// The value of `x = (x == n) ? 0 : x;`, where that is the statement of the block that changes the variable
/// next: what it was before stands in there, and is no other variable's.
fn renewal(part: &Part, assigned: &Assigned, rest: &Range<usize>) -> Option<Range<usize>> {
    let code = part.types.code;
    let name = code.word(assigned.name);
    if value_has(code, assigned, name) {
        return None;
    }
    let change = rest.clone().find(|&at| changes(code, at, name))?;
    let stmt = csource::statements(code, rest.clone()).find(|stmt| stmt.contains(&change))?;
    let value = stmt.start + 2..stmt.end.checked_sub(1)?;
    let is_it = stmt.start == change && code.word(change + 1) == "=" && code.word(value.end) == ";";
    let is_plain = is_it
        && value.clone().all(|at| !changes(code, at, name))
        && value.clone().any(|at| is_variable(code, at, name));
    is_plain.then_some(value)
}

/// Whether a token is the variable that a renewal assigns.
fn is_target(code: &Code, at: usize, renewal: Option<&Range<usize>>) -> bool {
    let target = renewal.and_then(|value| value.start.checked_sub(2));
    target == Some(at) && code.word(at + 1) == "="
}

/// The end of the statement that a token is in, of those that follow each other.
fn whole_statements(code: &Code, rest: &Range<usize>, at: usize) -> usize {
    let mut stmts = csource::statements(code, rest.clone());
    stmts
        .find(|stmt| stmt.end > at)
        .map_or(rest.end, |stmt| stmt.end)
}

/// Whether the variables that a value is made of keep their values while a part of the function
/// runs.
fn is_unchanged(part: &Part, assigned: &Assigned, tokens: Range<usize>) -> bool {
    let code = part.types.code;
    let called: Vec<usize> = part
        .called_in(tokens.clone())
        .into_iter()
        .flatten()
        .collect();
    let names = assigned.value.clone().filter(|&at| code.is_plain_name(at));
    names.filter(|&at| !code.opens(at + 1, "(")).all(|at| {
        let name = code.word(at);
        if matches!(code.word(at - 1), "." | "->") {
            let mut runs = tokens.clone().chain(called.iter().copied());
            return !runs.any(|at| member_changes(code, at, name));
        }
        let Some(declarator) = part.types.scope.moved_to(at).declarator(name) else {
            return false;
        };
        let elsewhere = declarator.place == csource::Place::Program
            && (called.iter().any(|&at| changes(code, at, name))
                || (0..code.tokens.len())
                    .any(|at| is_variable(code, at, name) && csource::is_address(code, at)));
        !elsewhere && !tokens.clone().any(|at| changes(code, at, name))
    })
}

/// Takes out the declaration or the assignment, if nothing is left that uses the variable.
fn removed(part: &Part, assigned: &Assigned, replaced: &[usize]) -> Vec<Edit> {
    let code = part.types.code;
    let name = code.word(assigned.name);
    let own = |at: usize| at == assigned.name || replaced.contains(&at);
    if !assigned.declares {
        return match part.is_dead_from(name, assigned.name + 1, &own) {
            true => vec![edit(code, assigned.stmt.clone(), String::new())],
            false => Vec::new(),
        };
    }
    let Some(block) = block_around(code, assigned.name, &part.tokens) else {
        return Vec::new();
    };
    if (assigned.stmt.start..block.end).any(|at| is_variable(code, at, name) && !own(at)) {
        return Vec::new();
    }
    let declarators = code.split_commas(assigned.stmt.start..assigned.stmt.end - 1);
    let Some(index) = declarators.iter().position(|d| d.contains(&assigned.name)) else {
        return Vec::new();
    };
    let range = match (index, declarators.len()) {
        (0, 1) => assigned.stmt.clone(),
        // The type stays.
        (0, _) => assigned.name..declarators[1].start,
        (index, _) => declarators[index].start - 1..declarators[index].end,
    };
    vec![edit(code, range, String::new())]
}
