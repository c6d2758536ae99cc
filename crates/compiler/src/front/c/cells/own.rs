//! Which values a body gives before it uses them, and which nobody sees behind it.

use super::body::{Body, is_name};
use crate::csource::{self, Code, Declarator, Place, statement_end, statements};
use std::collections::BTreeSet;
use std::ops::Range;

/// Words of statements and expressions that leave some of their parts out.
const CHOOSING: [&str; 8] = ["if", "for", "while", "do", "switch", "?", "&&", "||"];

impl Body<'_> {
    /// Whether a statement that always runs uses an element.
    pub(super) fn is_certain(&self, uses: &[Range<usize>]) -> bool {
        let code = self.code;
        for stmt in statements(code, self.tokens.clone()) {
            let mut words = stmt.clone().map(|at| code.word(at));
            let chooses = words.any(|word| CHOOSING.contains(&word));
            if !chooses && uses.iter().any(|u| stmt.contains(&u.start)) {
                return true;
            }
            if stmt.clone().any(|at| code.word(at) == "continue") {
                return false;
            }
        }
        false
    }

    /// Whether every path through the body assigns an element before it is read.
    pub(super) fn is_assigned_first(&self, uses: &[Range<usize>]) -> bool {
        if !self.ends().is_empty() {
            return false;
        }
        let code = self.code;
        let assigns = |range: &Range<usize>| -> bool {
            let target = uses.iter().find(|u| u.start == range.start);
            target.is_some_and(|u| {
                code.word(u.end) == "="
                    && !uses
                        .iter()
                        .any(|other| u.end < other.start && other.start < range.end)
            })
        };
        let is_used = |range: &Range<usize>| uses.iter().any(|u| range.contains(&u.start));
        always_assigns(code, self.tokens.clone(), &assigns, &is_used) == Some(true)
    }

    /// Whether a variable that is declared outside gets a value in the body before each use there,
    /// and nothing else sees it.
    pub(super) fn is_own(&self, name: &str) -> bool {
        let code = self.code;
        let is_use = |at: &usize| is_name(code, *at) && code.word(*at) == name;
        let is_outer = |at: &usize| self.declarator(*at).is_some_and(|(_, own)| !own);
        let inside: Vec<usize> = (self.tokens.clone())
            .filter(is_use)
            .filter(is_outer)
            .collect();
        let assigned = self.assigned(&inside, &self.tokens);
        let is_plain = |at: usize| code.word(at + 1) == "=" && self.begins_statement(at);
        let is_given = |at: &usize| is_plain(*at) || assigned.iter().any(|a| a.contains(at));
        inside.iter().all(is_given) && self.is_dead_outside(name)
    }

    /// The bounds of an array of the function around that is the cell's own, named at a token: nothing
    /// outside of the body mentions it, and the body gives all of its elements values before it uses any.
    pub(super) fn bounds_of_own(&self, at: usize, declarator: &Declarator) -> Option<String> {
        let code = self.code;
        let name = code.word(at);
        let is_local = declarator.place == Place::Call
            && (declarator.stars, declarator.n_bounds) == (0, 1)
            && self.has_constant_bounds(declarator)
            && !self.is_in_macros(name);
        let text = &code.text[declarator.range.clone()];
        let bounds = &text[text.find('[').filter(|_| is_local)?..];
        let n: usize = bounds.trim_matches(['[', ']', ' ']).parse().ok()?;
        let body = self.scope.body();
        let is_seen = |at: usize| is_name(code, at) && code.word(at) == name;
        let inside = |at: usize| {
            self.tokens.contains(&at) || declarator.range.contains(&code.tokens[at].span.start)
        };
        let is_parameter = !code.bytes(body.clone()).contains(&declarator.range.start);
        let all_inside = body.into_iter().filter(|&at| is_seen(at)).all(inside);
        (!is_parameter && all_inside && self.is_filled(name, n)).then(|| bounds.to_string())
    }

    /// Whether statements one after the other give the first `n` elements of an array values, before
    /// anything else uses it.
    fn is_filled(&self, name: &str, n: usize) -> bool {
        let code = self.code;
        let mut given = BTreeSet::new();
        for stmt in csource::statements(code, self.tokens.clone()) {
            let uses = (stmt.clone())
                .filter(|&at| is_name(code, at) && code.word(at) == name)
                .count();
            let is_one = uses == 1
                && code.word(stmt.start) == name
                && code.word(stmt.start + 1) == "["
                && code.word(stmt.start + 3) == "]"
                && code.word(stmt.start + 4) == "=";
            match code.word(stmt.start + 2).parse::<usize>() {
                Ok(element) if is_one => {
                    given.insert(element);
                }
                _ if uses > 0 => return given.len() == n && given.iter().all(|&i| i < n),
                _ if (stmt.clone()).any(|at| code.word(at) == "continue") => return false,
                _ => {}
            }
        }
        given.iter().all(|&i| i < n)
    }

    /// Whether all that the body does to a variable that is its own is to assign it.
    pub(super) fn is_unread(&self, name: &str) -> bool {
        let code = self.code;
        let mut uses =
            (self.tokens.clone()).filter(|&at| is_name(code, at) && code.word(at) == name);
        uses.all(|at| code.word(at + 1) == "=" && self.begins_statement(at))
    }

    /// Whether nothing outside of the region sees what it leaves in a variable.
    fn is_dead_outside(&self, name: &str) -> bool {
        let code = self.code;
        let (body, declared) = (self.scope.body(), self.scope.declarator(name));
        let Some(declared) =
            declared.filter(|d| d.place == Place::Call && !self.is_in_macros(name))
        else {
            return false;
        };
        let is_same = |at: &usize| {
            let visible = self.scope.moved_to(at + 1).declarator(name);
            is_name(code, *at)
                && code.word(*at) == name
                && visible.is_some_and(|d| d.range == declared.range)
        };
        let declares = |at: &usize| declared.range.contains(&code.tokens[*at].span.start);
        let outside = |at: &usize| !self.region.contains(at) && !declares(at);
        let uses: Vec<usize> = body.clone().filter(is_same).filter(outside).collect();
        let jumps = body.clone().any(|at| code.word(at) == "goto");
        let taken = body
            .clone()
            .filter(is_same)
            .any(|at| csource::is_address(code, at));
        let assigned = self.assigned(&uses, &body);
        // An assignment before the region says nothing about what is read behind it.
        let is_given = |at: &usize| {
            let given = |a: &Range<usize>| {
                let end = if a.start < self.region.start {
                    a.end.min(self.region.start)
                } else {
                    a.end
                };
                (a.start..end).contains(at)
            };
            code.word(at + 1) == "=" && self.begins_statement(*at) || assigned.iter().any(given)
        };
        let runs_before =
            |at: &usize| *at < self.region.start && !self.is_in_loop_with_region(*at, &body);
        !jumps && !taken && uses.iter().all(|at| runs_before(at) || is_given(at))
    }

    /// Whether a loop has both a token and the region in it.
    fn is_in_loop_with_region(&self, at: usize, body: &Range<usize>) -> bool {
        let code = self.code;
        let mut loops =
            (body.start..=at).filter(|&start| matches!(code.word(start), "for" | "while" | "do"));
        loops.any(|start| statement_end(code, start, body.end) > self.region.start)
    }

    /// Where a variable has been assigned, given its uses in some tokens: what a statement of a block
    /// assigns, those that follow in the block see, and what is in these.
    fn assigned(&self, uses: &[usize], part: &Range<usize>) -> Vec<Range<usize>> {
        let code = self.code;
        let after = |at: usize| {
            let is_loop = at >= 2 && code.word(at - 2) == "for" && code.word(at - 1) == "(";
            let start = if is_loop { at - 2 } else { at };
            let begins = start == part.start || matches!(code.word(start - 1), ";" | "{" | "}");
            let end = match begins {
                true => self.block_around(start, part)?.end,
                false if is_loop => statement_end(code, start, part.end),
                false => return None,
            };
            let value = at + 2..csource::simple_statement_end(code, at, part.end);
            let reads_itself = uses.iter().any(|other| value.contains(other));
            (code.word(at + 1) == "=" && !reads_itself).then_some(value.end..end)
        };
        uses.iter().filter_map(|&at| after(at)).collect()
    }

    /// The block directly around a token of a part, not of a `switch`.
    fn block_around(&self, at: usize, part: &Range<usize>) -> Option<Range<usize>> {
        let code = self.code;
        let Some(open) = code.around(at).filter(|&open| open >= part.start) else {
            return Some(part.clone());
        };
        let before = code.skip_back(open.checked_sub(1)?);
        let is_switch = before > 0 && code.word(before - 1) == "switch";
        (code.word(open) == "{" && !is_switch).then(|| open + 1..code.skip(open) - 1)
    }

    /// Whether a statement begins at a token, or what a loop begins with.
    fn begins_statement(&self, at: usize) -> bool {
        let before = self.code.word(at.wrapping_sub(1));
        at == self.tokens.start || matches!(before, ";" | "{" | "}" | ")" | "else" | ":" | "(")
    }
}

/// Whether statements always assign something: `None` where something may read it before.
fn always_assigns(
    code: &Code,
    tokens: Range<usize>,
    assigns: &dyn Fn(&Range<usize>) -> bool,
    is_used: &dyn Fn(&Range<usize>) -> bool,
) -> Option<bool> {
    for stmt in statements(code, tokens) {
        let Range { start: at, end } = stmt;
        let done = match code.word(at) {
            "{" => always_assigns(code, at + 1..end - 1, assigns, is_used)?,
            "if" if code.opens(at + 1, "(") => {
                let then = code.skip(at + 1);
                if is_used(&(at..then)) {
                    return None;
                }
                let then_end = statement_end(code, then, end);
                let first = always_assigns(code, then..then_end, assigns, is_used)?;
                let other = match code.word(then_end) == "else" && then_end < end {
                    true => always_assigns(code, then_end + 1..end, assigns, is_used)?,
                    false => false,
                };
                first && other
            }
            _ if assigns(&stmt) => true,
            "for" | "while" | "do" | "switch" if is_used(&stmt) => return Some(false),
            _ if is_used(&stmt) => return None,
            _ => false,
        };
        if done {
            return Some(true);
        }
    }
    Some(false)
}
