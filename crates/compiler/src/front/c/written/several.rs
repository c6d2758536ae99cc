//! Statements with several calls, as statements with one each.
//!
//! pet numbers what functions return anew in every function that it takes in: in `f(a) - f(b)`,
//! what a function returns that `f` calls has the name of what the first `f` returned. So each value
//! gets a variable of its own, inner calls before outer ones, as C may order them.

use super::plain::{begins_statement, called, in_parentheses};
use super::returns::returned_type;
use super::tokens_in;
use crate::csource::{self, Code, Function};
use std::fmt::Write;
use std::ops::Range;

/// The statement with several calls that begins at a token, of which some function calls others:
/// its end, and what it stands for.
pub(super) fn calls(
    code: &Code,
    at: usize,
    tokens: &Range<usize>,
    functions: &[Function],
) -> Option<(usize, String)> {
    let words = ["if", "for", "while", "do", "switch", "return", "else", "{"];
    let is_word = words.contains(&code.word(at));
    if !begins_statement(code, at) || is_word || in_parentheses(code, at, tokens) {
        return None;
    }
    let end = csource::statement_end(code, at, tokens.end);
    if code.word(end - 1) != ";" {
        return None;
    }
    let mut split = Split {
        code,
        functions,
        n: at,
        calls: 0,
        nested: false,
        text: String::from("{ "),
    };
    // What the call of a statement returns is not used.
    let rest = match split.called(at) {
        Some(_) if code.skip(at + 1) + 1 == end => {
            let args = split.rewritten(at + 2..end - 2)?;
            format!("{}({args})", code.word(at))
        }
        _ => {
            let value = split.rewritten(at..end - 1)?;
            // One call by itself has nothing to be mixed up with.
            if split.calls < 2 {
                return None;
            }
            value
        }
    };
    (split.calls > 0 && split.nested).then(|| (end, format!("{}{rest}; }}", split.text)))
}

struct Split<'a> {
    code: &'a Code<'a>,
    functions: &'a [Function],
    /// The number of the next variable.
    n: usize,
    calls: usize,
    /// Some function that is called calls others.
    nested: bool,
    text: String,
}

impl<'a> Split<'a> {
    /// The function of the file that is called at a token.
    fn called(&self, at: usize) -> Option<&'a Function> {
        called(self.code, at, self.functions)
    }

    /// An expression with variables in place of calls.
    fn rewritten(&mut self, tokens: Range<usize>) -> Option<String> {
        let code = self.code;
        let mut text = String::new();
        let mut at = tokens.start;
        while at < tokens.end {
            if let Some(function) = self.called(at) {
                let ty = returned_type(code, function);
                let is_number = |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ');
                if ty == "void" || !ty.chars().all(is_number) {
                    return None;
                }
                let mut body = tokens_in(code, &function.body);
                self.nested |= body.any(|at| self.called(at).is_some());
                let end = code.skip(at + 1);
                let args = self.rewritten(at + 2..end - 1)?;
                let name = format!("{}_{}", function.name, self.n);
                self.n += 1;
                self.calls += 1;
                let _ = write!(
                    self.text,
                    "{ty} {name}; {name} = {}({args}); ",
                    function.name
                );
                text.push_str(&name);
                at = end;
            } else {
                text.push_str(code.word(at));
                at += 1;
            }
            text.push(' ');
        }
        Some(text)
    }
}
