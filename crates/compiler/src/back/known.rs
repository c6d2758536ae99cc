//! What a translation takes as known and the command line of a compiler can change: the values of macros that
//! the user's file defines unless they are defined, or that `hexcc -D` has defined. The text asserts them.

use super::names::Names;
use super::program::{Replacement, insertion};
use crate::csource::{self, Edit, TokenKind};
use crate::scop::SavedScop;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The language of an assertion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// C11.
    C,
    /// C++17.
    CPlusPlus,
}

/// Assertions before the functions with what is replaced; `text` is the program, in which it is at `spans` and
/// variables and macros have the names `names`.
pub(super) fn assertions(
    saved: &SavedScop,
    (text, spans, names): (&str, &[std::ops::Range<usize>], &Names),
    replacements: &[Replacement],
    dialect: Dialect,
) -> Vec<Edit> {
    let own = saved.source.own_text();
    let macros = changeable(saved, own);
    let (mut done, mut asserted) = (BTreeSet::new(), BTreeSet::new());
    let mut edits = Vec::new();
    for (r, span) in replacements.iter().zip(spans) {
        let Some(function) = csource::enclosing_function(text, span.start) else {
            continue;
        };
        let at = csource::insertion_point(text, function.start);
        let words = match macros.is_empty() && saved.branches.is_empty() {
            true => BTreeSet::new(),
            false => csource::words_behind(own, r.span.clone()),
        };
        let is_used = |name: &str| words.contains(name) || saved.replaced.contains(name);
        let known = macros.iter().filter(|(name, _)| is_used(name));
        let known =
            known.filter(|(name, _)| csource::is_defined_before(text, &names.get(name), at));
        let mut lines = Vec::new();
        for (name, value) in known.filter(|(name, _)| done.insert((*name).clone())) {
            if let Some(line) = assertion(own, (&names.get(name), value), dialect) {
                asserted.insert(name);
                lines.push(line);
            }
        }
        let region = saved.source.range_at_first(&r.span);
        let chosen = (saved.branches.iter()).filter(|branches| {
            let is_in = |range: &Range<usize>| range.start < region.end && region.start < range.end;
            let is_called = branches.function.as_deref().is_some_and(is_used);
            let own = branches.function.as_ref() == Some(&function.name);
            let names = if own {
                &branches.names
            } else {
                &branches.shared
            };
            branches.range.as_ref().is_some_and(is_in)
                || is_called && !own
                || names.iter().any(|name| is_used(name))
        });
        let chosen = chosen.filter(|branches| {
            let is_asserted = branches.macros.iter().all(|name| asserted.contains(name));
            !is_asserted && done.insert(branches.text.clone())
        });
        lines.extend(chosen.map(|branches| renamed(&branches.text, names)));
        if !lines.is_empty() {
            let lines = lines.concat();
            edits.push(insertion(
                at,
                format!("// What the translation takes as known.\n{lines}\n"),
            ));
        }
    }
    edits
}

/// Directives with the names that macros have in the text.
fn renamed(directives: &str, names: &Names) -> String {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut text = String::new();
    for line in directives.lines() {
        let is_error = line.starts_with("#error");
        for part in line.split_inclusive(|c| !is_of_word(c)) {
            let word = part.trim_end_matches(|c| !is_of_word(c));
            match word.is_empty() || is_error {
                true => text.push_str(part),
                false => {
                    text.push_str(&names.get(word));
                    text.push_str(&part[word.len()..]);
                }
            }
        }
        text.push('\n');
    }
    text
}

/// Macros of a file that a command line can change, with what they stood for in the translation.
fn changeable(saved: &SavedScop, text: &str) -> BTreeMap<String, String> {
    let mut macros = csource::defaults(text);
    for define in &saved.defines {
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            macros.insert(name.to_string(), value.to_string());
        }
    }
    macros
}

/// The line that asserts the value of a macro; `None` where that is neither a number nor a type of numbers.
fn assertion(text: &str, (name, value): (&str, &str), dialect: Dialect) -> Option<String> {
    let tokens = csource::tokenize(value);
    let plain = tokens.iter().filter(|t| t.kind != TokenKind::Comment);
    let words: Vec<&str> = plain.clone().map(|t| &value[t.span.clone()]).collect();
    let is_number = |at: usize| match plain.clone().nth(at).map(|t| t.kind) {
        Some(TokenKind::Number) => true,
        Some(TokenKind::Ident) => csource::is_numeric_macro(text, words[at]),
        Some(TokenKind::Punct) => "+-*/%()<>".contains(words[at]) || words[at] == "<<",
        _ => false,
    };
    if words.is_empty() {
        return None;
    }
    let value = words.join(" ");
    let is_type = words.iter().all(|word| csource::is_number_type(word));
    let condition = match dialect {
        _ if (0..words.len()).all(is_number) => {
            let value = if words.len() > 1 {
                format!("({value})")
            } else {
                value.clone()
            };
            format!("({name}) == {value}")
        }
        Dialect::CPlusPlus if is_type => format!("std::is_same<{name}, {value}>::value"),
        Dialect::C if is_type => format!("_Generic(({name})0, {value}: 1, default: 0)"),
        _ => return None,
    };
    let assert = match dialect {
        Dialect::C => "_Static_assert",
        Dialect::CPlusPlus => "static_assert",
    };
    Some(format!(
        "{assert}({condition}, \"translated with {name} = {value}; translate again for another one\");\n"
    ))
}
