//! Time loops that the host takes part in every so many steps, as loops over segments.
//!
//! `for (t = 0; t < n; t++) { STEP if (t % 10 == 0) save(u); }` has ten steps in which the host does
//! nothing. In the text that is translated, a loop over these steps alone stands around `STEP`, and the
//! time loop goes from one step of the host to the next:
//!
//! ```c
//! for (t = 0; t < n; t++) { {
//!   int hexcc_last = t;
//!   while (hexcc_last + 1 < n && !(hexcc_last % 10 == 0)) hexcc_last++;
//!   const int hexcc_first = t;
//!   for (int t = hexcc_first; t <= hexcc_last; t++) { STEP }
//!   t = hexcc_last; }
//!   if (t % 10 == 0) save(u);
//! }
//! ```
//!
//! Conditions and the bound are evaluated before the steps that they stood behind in C, so they must
//! be values that no step changes. What the host does stays where it is: it may change all that C lets it
//! change, and leave the loop.

mod values;

#[cfg(test)]
mod tests;

use super::region::Region;
use crate::csource::{self, Code, Edit, Place};
use std::ops::Range;
use values::Values;

/// Names that the loops over segments add to a program.
const LAST: &str = "hexcc_last";
pub(super) const FIRST: &str = "hexcc_first";

/// Steps below which a segment is not worth the copies for its tiles.
const FEW: u64 = 4;

/// Types of iterators that are copied without a change of their values.
const TYPES: [&str; 7] = [
    "int",
    "long",
    "long int",
    "long long",
    "unsigned",
    "unsigned int",
    "size_t",
];

/// What makes a loop one over segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segments {
    /// The changes of the text.
    pub edits: Vec<Edit>,
    /// Where the steps begin that the new loop is put around.
    pub steps: usize,
    /// The conditions under which the host does something.
    pub conditions: Vec<String>,
    /// Bytes of what it does.
    pub host: Vec<Range<usize>>,
}

/// Which conditions end a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// Those of what calls functions.
    AtCalls,
    /// All of them.
    AtAll,
}

/// A time loop as one over segments; `None` where it is none, or some condition may change in a step.
pub fn segments(text: &str, region: &Region, defines: &[String], ends: Ends) -> Option<Segments> {
    if text.contains(LAST) || text.contains(FIRST) {
        return None;
    }
    let code = Code::new(text);
    let time_loop = TimeLoop::read(&code, region)?;
    let parts = time_loop.parts(ends)?;
    let values = Values {
        code: &code,
        defines,
        loop_at: time_loop.at,
        iterator: time_loop.iterator,
        steps: parts.steps.clone(),
    };
    let conditions = [&parts.before, &parts.behind].into_iter().flatten();
    let all_known = conditions
        .clone()
        .map(|stmt| time_loop.condition(stmt))
        .chain([time_loop.bound.clone()])
        .all(|tokens| values.stay(tokens));
    let pays = !(conditions.clone()).any(|stmt| time_loop.is_often(&time_loop.condition(stmt)));
    (all_known && pays && time_loop.may_be_split(&parts)).then(|| Segments {
        edits: time_loop.edits(&parts),
        steps: code.bytes(parts.steps.clone()).start,
        conditions: conditions
            .clone()
            .map(|stmt| text[code.bytes(time_loop.condition(stmt))].to_string())
            .collect(),
        host: conditions.map(|stmt| code.bytes(stmt.clone())).collect(),
    })
}

/// `for (TYPE t = start; t < bound; t++) { body }`, in tokens.
struct TimeLoop<'a> {
    code: &'a Code<'a>,
    at: usize,
    iterator: &'a str,
    ty: String,
    start: Range<usize>,
    relation: &'a str,
    bound: Range<usize>,
    body: Range<usize>,
}

/// What a body is made of, in tokens.
struct Parts {
    /// What the host does before the steps.
    before: Vec<Range<usize>>,
    steps: Range<usize>,
    /// What it does behind them.
    behind: Vec<Range<usize>>,
}

impl<'a> TimeLoop<'a> {
    fn read(code: &'a Code<'a>, region: &Region) -> Option<TimeLoop<'a>> {
        let at = code
            .tokens
            .partition_point(|t| t.span.start < region.span.start);
        if code.word(at) != "for" || !code.opens(at + 1, "(") {
            return None;
        }
        let close = code.skip(at + 1) - 1;
        let semicolons: Vec<usize> = (at + 2..close).filter(|&i| code.word(i) == ";").collect();
        let [first, second] = semicolons[..] else {
            return None;
        };
        let equals = (at + 2..first).find(|&i| code.word(i) == "=")?;
        let name = equals - 1;
        let iterator = code.is_plain_name(name).then(|| code.word(name))?;
        let has_comma = (at + 2..close).any(|i| code.word(i) == ",");
        let relation = code.word(first + 2);
        let is_counted = code.word(first + 1) == iterator
            && matches!(relation, "<" | "<=")
            && counts_up(code, second + 1..close, iterator);
        if has_comma || !is_counted || !code.opens(close + 1, "{") {
            return None;
        }
        let declared: Vec<&str> = (at + 2..name).map(|i| code.word(i)).collect();
        let ty = match declared.is_empty() {
            false => declared.join(" "),
            true => own_type(code.text, iterator, code.tokens[at].span.start)?,
        };
        TYPES.contains(&ty.as_str()).then(|| TimeLoop {
            code,
            at,
            iterator,
            ty,
            start: equals + 1..first,
            relation,
            bound: first + 3..second,
            body: close + 2..code.skip(close + 1) - 1,
        })
    }

    /// The condition of an `if`.
    fn condition(&self, stmt: &Range<usize>) -> Range<usize> {
        stmt.start + 2..self.code.skip(stmt.start + 1) - 1
    }

    /// Whether a condition holds in every few steps: `t % 2 == 0`.
    fn is_often(&self, tokens: &Range<usize>) -> bool {
        let words: Vec<&str> = tokens.clone().map(|at| self.code.word(at)).collect();
        let period = match words[..] {
            [name, "%", period, "==", _] if name == self.iterator => period.parse().ok(),
            _ => None,
        };
        period.is_some_and(|period: u64| period < FEW)
    }

    /// What the host does at the ends of the body, and the steps between.
    fn parts(&self, ends: Ends) -> Option<Parts> {
        let code = self.code;
        let stmts: Vec<_> = csource::statements(code, self.body.clone()).collect();
        let is_host = |stmt: &&Range<usize>| self.is_host(stmt, ends);
        let n_before = stmts.iter().take_while(is_host).count();
        let n_behind = stmts.iter().rev().take_while(is_host).count();
        let between = stmts.get(n_before..stmts.len().checked_sub(n_behind)?)?;
        let steps = between.first()?.start..between.last()?.end;
        (n_before + n_behind > 0).then(|| Parts {
            before: stmts[..n_before].to_vec(),
            steps,
            behind: stmts[stmts.len() - n_behind..].to_vec(),
        })
    }

    /// Whether a statement is work of the host at some of the steps.
    fn is_host(&self, stmt: &Range<usize>, ends: Ends) -> bool {
        let code = self.code;
        if code.word(stmt.start) != "if" || !code.opens(stmt.start + 1, "(") {
            return false;
        }
        let then = code.skip(stmt.start + 1);
        let has_else = csource::statement_end(code, then, stmt.end) < stmt.end;
        let is_call = |at: usize| {
            code.is_plain_name(at)
                && code.word(at + 1) == "("
                && !matches!(code.word(at), "if" | "for" | "while" | "switch" | "sizeof")
        };
        let depends = self
            .condition(stmt)
            .any(|at| code.word(at) == self.iterator);
        depends && !has_else && (ends == Ends::AtAll || (then..stmt.end).any(is_call))
    }

    /// Whether the steps can have a loop of their own: nothing leaves them, what they declare is used
    /// in them alone, and the iterator changes in the header only.
    fn may_be_split(&self, parts: &Parts) -> bool {
        const JUMPS: [&str; 4] = ["goto", "return", "break", "continue"];
        let code = self.code;
        let jumps = (parts.steps.clone()).any(|at| JUMPS.contains(&code.word(at)));
        let is_iterator = |at: &usize| code.word(*at) == self.iterator;
        let changes = (self.body.clone())
            .filter(is_iterator)
            .any(|at| csource::is_assigned(code, at) || csource::is_address(code, at));
        let body = code.bytes(self.body.clone());
        let directive = code.all.iter().any(|token| {
            let word = || csource::directive_words(&code.text[token.span.clone()]).next();
            body.contains(&token.span.start)
                && token.kind == csource::TokenKind::Directive
                && word() != Some("pragma")
        });
        !jumps && !changes && !directive && !self.hands_on_names(parts)
    }

    /// Whether the host uses what the steps declare.
    fn hands_on_names(&self, parts: &Parts) -> bool {
        let code = self.code;
        let used = |name: &str| {
            let mut behind = parts.behind.iter().flat_map(|stmt| stmt.clone());
            behind.any(|i| code.word(i) == name)
        };
        csource::statements(code, parts.steps.clone()).any(|mut stmt| {
            // `float *old = now;` declares nothing called `now`.
            let is_value = |i: usize| code.word(i - 1) == "=" && code.word(i + 1) == ";";
            csource::is_declaration(code, stmt.clone())
                && stmt.any(|i| code.is_plain_name(i) && used(code.word(i)) && !is_value(i))
        })
    }

    /// A condition on a step, `at` in the place of the iterator.
    fn at_step(&self, tokens: Range<usize>, at: &str) -> String {
        let words = tokens.map(|i| match self.code.word(i) {
            word if word == self.iterator => at,
            word => word,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    fn edits(&self, parts: &Parts) -> Vec<Edit> {
        let (code, ty, iterator) = (self.code, &self.ty, self.iterator);
        let next = format!("({LAST} + 1)");
        let bound = self.at_step(self.bound.clone(), iterator);
        let mut goes_on = vec![format!("{LAST} + 1 {} {bound}", self.relation)];
        let none = |stmt: &Range<usize>, at: &str| {
            format!("!({})", self.at_step(self.condition(stmt), at))
        };
        goes_on.extend(parts.behind.iter().map(|stmt| none(stmt, LAST)));
        goes_on.extend(parts.before.iter().map(|stmt| none(stmt, &next)));
        let goes_on = goes_on.join(" && ");
        // Of an iterator that begins with a number, it is known that it is no less.
        let start = self.start.clone();
        let begins = match (start.len(), start.clone().all(|i| is_number(code, i))) {
            (1, true) => {
                let least = code.word(start.start);
                format!("{FIRST} < {least} ? {least} : {FIRST}")
            }
            _ => FIRST.to_string(),
        };
        let insert = |at: usize, text: String| Edit {
            range: at..at,
            replacement: text,
        };
        let behind = |token: usize| code.tokens[token].span.end;
        let head = format!(
            "{{ {ty} {LAST} = {iterator}; while ({goes_on}) {LAST}++; const {ty} {FIRST} = {iterator}; for ({ty} {iterator} = {begins}; {iterator} <= {LAST}; {iterator}++) {{"
        );
        vec![
            match parts.before.is_empty() {
                true => insert(behind(parts.steps.start - 1), format!(" {head}")),
                // Behind `if (..) save(u);` it would look as if it were a part of that.
                false => insert(
                    code.tokens[parts.steps.start].span.start,
                    format!("{head} "),
                ),
            },
            insert(
                behind(parts.steps.end - 1),
                format!(" }} {iterator} = {LAST}; }}"),
            ),
        ]
    }
}

/// Whether a token is a number without a sign.
fn is_number(code: &Code, at: usize) -> bool {
    code.tokens[at].kind == csource::TokenKind::Number
}

/// Whether a loop's header adds one to its iterator.
pub(super) fn counts_up(code: &Code, tokens: Range<usize>, iterator: &str) -> bool {
    let words: Vec<&str> = tokens.map(|i| code.word(i)).collect();
    matches!(words[..], [name, "++"] | ["++", name] | [name, "+=", "1"] if name == iterator)
}

/// The type of a variable of the function itself, which nothing else can see.
fn own_type(text: &str, name: &str, at: usize) -> Option<String> {
    let declarator = csource::declarator(text, name, at)?;
    let is_own =
        declarator.place == Place::Call && declarator.stars == 0 && declarator.n_bounds == 0;
    is_own.then(|| csource::declared_type(text, name, at))?
}
