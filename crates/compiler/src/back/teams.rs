//! Loops of a program that stay in C and get one team of threads, which share the loops of every part inside. One thread runs
//! the loop as it stands; the others wait for what it gives out, so that nothing has to be known of its other statements.

use super::names::Names;
use super::program::{Replacement, insertion};
use super::share;
use crate::csource::{ASSIGNS, Edit, Function, Token, TokenKind, declarator, functions, tokenize};
use std::ops::Range;

/// Words that leave a loop, which no program may do where a team is.
const LEAVE: [&str; 5] = ["return", "goto", "setjmp", "sigsetjmp", "longjmp"];

/// Edits around these loops. They are in one function, so that no team is in another one.
pub(super) fn around(text: &str, replacements: &[Replacement]) -> Vec<Edit> {
    let tokens: Vec<Token> = (tokenize(text).into_iter())
        .filter(|t| t.kind != TokenKind::Comment)
        .collect();
    let is_of_openmp = |t: &Token| {
        t.kind == TokenKind::Directive
            && text[t.span.clone()].split_whitespace().any(|w| w == "omp")
    };
    if !replacements.iter().all(|r| r.has_team) || tokens.iter().any(is_of_openmp) {
        return Vec::new();
    }
    let of_function = |function: Function| {
        let inside = |t: &&Token| function.body.contains(&t.span.start);
        let body = Body {
            text,
            tokens: tokens.iter().filter(inside).collect(),
            replacements,
        };
        let calls_itself = body
            .tokens
            .iter()
            .any(|t| text[t.span.clone()] == function.name);
        let edits: Vec<Edit> = body
            .loops()
            .iter()
            .filter_map(|l| body.edits(l))
            .flatten()
            .collect();
        (!calls_itself && !edits.is_empty()).then_some(edits)
    };
    let mut all = functions(text).into_iter().filter_map(of_function);
    match (all.next(), all.next()) {
        (Some(edits), None) => edits,
        _ => Vec::new(),
    }
}

struct Body<'a> {
    text: &'a str,
    tokens: Vec<&'a Token>,
    replacements: &'a [Replacement<'a>],
}

impl<'a> Body<'a> {
    fn word(&self, at: usize) -> &'a str {
        self.tokens
            .get(at)
            .map_or("", |t| &self.text[t.span.clone()])
    }

    /// The outermost loops with blocks that have parts in them, and do not leave their function.
    fn loops(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let part = self.part_at(self.tokens[at].span.start);
            let end = match part {
                Some(part) => Some(
                    self.tokens
                        .partition_point(|t| t.span.start < part.span.end),
                ),
                None => self.braced_loop(at).inspect(|&end| found.push(at..end)),
            };
            at = end.unwrap_or(at + 1).max(at + 1);
        }
        found
    }

    fn part_at(&self, start: usize) -> Option<&Replacement<'a>> {
        self.replacements.iter().find(|r| r.span.contains(&start))
    }

    /// The end of such a loop.
    fn braced_loop(&self, at: usize) -> Option<usize> {
        let follows_line = at > 0 && self.tokens[at - 1].kind == TokenKind::Directive;
        let is_loop = matches!(self.word(at), "for" | "while") && !follows_line;
        let body = self.closes(at + 1, "(", ")").filter(|_| is_loop)? + 1;
        let end = self.closes(body, "{", "}")? + 1;
        let leaves = |i: usize| LEAVE.contains(&self.word(i));
        (!(at..end).any(leaves) && self.parts(&(at..end)).next().is_some()).then_some(end)
    }

    /// The bracket that closes the one at a token.
    fn closes(&self, at: usize, open: &str, close: &str) -> Option<usize> {
        let mut depth = 0usize;
        (self.word(at) == open).then_some(())?;
        (at..self.tokens.len()).find(|&i| {
            depth += usize::from(self.word(i) == open);
            depth -= usize::from(self.word(i) == close);
            depth == 0
        })
    }

    fn bytes(&self, found: &Range<usize>) -> Range<usize> {
        self.tokens[found.start].span.start..self.tokens[found.end - 1].span.end
    }

    fn parts(&self, found: &Range<usize>) -> impl Iterator<Item = &Replacement<'a>> {
        let bytes = self.bytes(found);
        let inside = move |r: &&Replacement| bytes.start < r.span.start && r.span.end <= bytes.end;
        self.replacements.iter().filter(inside)
    }

    /// The team around a loop; none where it is not known before the loop whether one pays.
    fn edits(&self, found: &Range<usize>) -> Option<[Edit; 2]> {
        let bytes = self.bytes(found);
        let is_known = |r: &&Replacement| {
            let mut sizes = r.interface.params.iter();
            r.interface.members.is_empty()
                && sizes.all(|name| {
                    declarator(self.text, name, bytes.start).is_some()
                        && !self.is_assigned(found, name)
                })
        };
        let gated = self.parts(found).any(|r| r.gated);
        let tests = self.parts(found).filter(is_known);
        let tests: Vec<String> = tests
            .filter_map(|r| {
                Some(format!(
                    "hexcc_team_pays({})",
                    share::takes_of(r, &Names::plain())?
                ))
            })
            .collect();
        let clause = match (gated, tests.is_empty()) {
            (false, _) => String::new(),
            (true, true) => return None,
            (true, false) => format!(" if ({})", tests.join(" || ")),
        };
        Some([
            insertion(
                bytes.start,
                format!("\n#pragma omp parallel{clause}\n{{ if (hexcc_leads()) {{ "),
            ),
            insertion(
                bytes.end,
                " hexcc_dismiss(); } else hexcc_serve(); }".to_string(),
            ),
        ])
    }

    /// Whether a variable of some name may change in a loop.
    fn is_assigned(&self, found: &Range<usize>, name: &str) -> bool {
        found.clone().filter(|&i| self.word(i) == name).any(|i| {
            let before = i.checked_sub(1).map_or("", |before| self.word(before));
            ASSIGNS.contains(&self.word(i + 1)) || matches!(before, "++" | "--" | "&")
        })
    }
}
