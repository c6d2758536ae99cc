//! Values that no step of a time loop changes.

use crate::csource::{self, Code, Place, TokenKind};
use std::ops::Range;

/// Operators without side effects.
const OPERATORS: [&str; 16] = [
    "+", "-", "*", "/", "%", "(", ")", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "!",
];

/// What there is to know of a time loop.
pub(super) struct Values<'a> {
    pub code: &'a Code<'a>,
    /// Macros of the command line.
    pub defines: &'a [String],
    /// Token of the loop.
    pub loop_at: usize,
    pub iterator: &'a str,
    /// Tokens of its steps.
    pub steps: Range<usize>,
}

impl Values<'_> {
    /// Whether an expression has no side effects, and the same value before and after each step.
    pub fn stay(&self, tokens: Range<usize>) -> bool {
        let code = self.code;
        !tokens.is_empty()
            && tokens.clone().all(|at| match code.tokens[at].kind {
                TokenKind::Number => true,
                TokenKind::Ident => {
                    let word = code.word(at);
                    let is_call = code.word(at + 1) == "(";
                    !is_call && (word == self.iterator || self.stays(word))
                }
                _ => OPERATORS.contains(&code.word(at)),
            })
    }

    /// Whether a name stands for a number, or for a variable that no step changes.
    fn stays(&self, name: &str) -> bool {
        if self.is_macro(name) {
            return self.is_number(name);
        }
        let (code, text) = (self.code, self.code.text);
        let at = code.tokens[self.loop_at].span.start;
        let Some(declarator) = csource::declarator(text, name, at) else {
            return self.is_number(name);
        };
        let is_plain = declarator.stars == 0 && declarator.n_bounds == 0;
        let is_known = csource::declared_type(text, name, at).is_some() && !self.is_volatile();
        let is_name = |at: &usize| code.is_ident(*at) && code.word(*at) == name;
        let of_file = (0..code.tokens.len()).filter(is_name);
        let is_pointed_to = of_file.clone().any(|at| csource::is_address(code, at));
        let changed = |tokens: &Range<usize>| {
            (tokens.clone().filter(is_name)).any(|at| csource::is_assigned(code, at))
        };
        let changed = match declarator.place {
            Place::Call => changed(&self.steps),
            Place::Program => self.within_steps().iter().any(changed),
        };
        is_plain && is_known && !is_pointed_to && !changed && !self.is_in_macro(name)
    }

    /// Whether the file has variables that change by themselves.
    fn is_volatile(&self) -> bool {
        (0..self.code.tokens.len()).any(|at| self.code.word(at) == "volatile")
    }

    /// The tokens of the steps, and of functions that they call.
    fn within_steps(&self) -> Vec<Range<usize>> {
        let code = self.code;
        let functions = csource::functions(code.text);
        let mut parts = vec![self.steps.clone()];
        let mut looked_at = 0;
        while let Some(part) = parts.get(looked_at).cloned() {
            looked_at += 1;
            for at in part.filter(|&at| code.is_ident(at)) {
                let called = functions.iter().find(|f| f.name == code.word(at));
                let body = called.map(|f| {
                    let token = |offset| code.tokens.partition_point(|t| t.span.start < offset);
                    token(f.body.start)..token(f.body.end)
                });
                let new = body.filter(|body| !parts.contains(body));
                parts.extend(new);
            }
        }
        parts
    }

    /// Whether a macro may change a variable.
    fn is_in_macro(&self, name: &str) -> bool {
        let directives = csource::directives(self.code.text);
        let defined = directives.iter().filter_map(|d| csource::define(d));
        defined.into_iter().any(|d| d.words().contains(&name))
    }

    /// Whether a macro has the name.
    fn is_macro(&self, name: &str) -> bool {
        let directives = csource::directives(self.code.text);
        let defined = directives.iter().filter_map(|d| csource::define(d));
        let given = self.defines.iter().any(|d| split(d).0 == name);
        given || defined.into_iter().any(|d| d.name == name)
    }

    /// Whether all macros of a name stand for numbers.
    fn is_number(&self, name: &str) -> bool {
        let directives = csource::directives(self.code.text);
        let defined: Vec<&str> = (directives.iter())
            .filter_map(|d| csource::define(d))
            .filter(|d| d.name == name && d.params.is_none())
            .map(|d| d.body)
            .collect();
        let given: Vec<&str> = (self.defines.iter().map(|d| split(d)))
            .filter(|(given, _)| *given == name)
            .map(|(_, body)| body)
            .collect();
        let mut bodies = defined.iter().chain(&given).peekable();
        bodies.peek().is_some() && bodies.all(|body| is_constant(body))
    }
}

/// A macro of the command line, and what it stands for.
fn split(define: &str) -> (&str, &str) {
    define.split_once('=').unwrap_or((define, "1"))
}

/// Whether a text is made of numbers and operators.
fn is_constant(text: &str) -> bool {
    let code = Code::new(text);
    !code.tokens.is_empty()
        && (0..code.tokens.len()).all(|at| match code.tokens[at].kind {
            TokenKind::Number => true,
            _ => OPERATORS.contains(&code.word(at)),
        })
}
