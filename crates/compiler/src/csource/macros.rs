//! Macros of the file and of what it includes.

mod constants;
mod defaults;

pub(crate) use constants::evaluate_constants;
pub use defaults::{defaults, is_defined_before, is_number_type, is_numeric_macro, words_behind};

use super::{Code, Edit, TokenKind, apply_edits, directive_words, tokenize};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A macro as a directive defines it.
pub(crate) struct Define<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// Names of its parameters; `None` without parentheses.
    pub(crate) params: Option<Vec<&'a str>>,
    /// What it stands for.
    pub(crate) body: &'a str,
    /// Where that begins in the directive.
    pub(crate) body_start: usize,
}

impl<'a> Define<'a> {
    /// Identifiers in what it stands for.
    pub(crate) fn words(&self) -> Vec<&'a str> {
        // A `#` that begins a text begins a directive.
        let body = self.body.trim_start_matches('#');
        (tokenize(body).into_iter())
            .filter(|t| t.kind == TokenKind::Ident)
            .filter_map(|t| body.get(t.span))
            .collect()
    }
}

/// The macro that a directive defines, if it does.
pub(crate) fn define(directive: &str) -> Option<Define<'_>> {
    if directive_words(directive).next() != Some("define") {
        return None;
    }
    let (_, rest) = directive.split_once("define")?;
    let code = Code::new(rest);
    let first = code.tokens.first()?;
    let name = &rest[first.span.clone()];
    // Parameters follow the name at once.
    let has_params = code.opens(1, "(") && code.tokens[1].span.start == first.span.end;
    let close = if has_params { code.skip(1) } else { 1 };
    let params = has_params.then(|| {
        let params = code.split_commas(2..close - 1).into_iter();
        params.map(|p| &rest[code.bytes(p)]).collect()
    });
    let body = match code.tokens.len() > close {
        true => code.bytes(close..code.tokens.len()),
        false => rest.len()..rest.len(),
    };
    Some(Define {
        name,
        params,
        body_start: directive.len() - rest.len() + body.start,
        body: &rest[body],
    })
}

/// The macros of a file that have one meaning in all of it.
pub(super) fn macros(text: &str) -> BTreeMap<&str, Define<'_>> {
    let mut found: BTreeMap<&str, Define> = BTreeMap::new();
    let mut unclear: HashSet<&str> = HashSet::new();
    for new in super::directives(text).into_iter().filter_map(define) {
        match found.get(new.name) {
            Some(old) if old.params != new.params || old.body != new.body => {
                unclear.insert(new.name);
            }
            _ => {
                found.insert(new.name, new);
            }
        }
    }
    found.retain(|name, _| !unclear.contains(name));
    found
}

/// What a use of a macro at a token stands for, on one line, and the token after it.
pub(super) fn expansion(code: &Code, at: usize, m: &Define) -> Option<(usize, String)> {
    let one_line = |text: &str| {
        let inner = Code::new(text);
        inner.render(0..inner.tokens.len())
    };
    let Some(params) = &m.params else {
        return Some((at + 1, one_line(m.body)));
    };
    if !code.opens(at + 1, "(") {
        return None;
    }
    let end = code.skip(at + 1);
    let args: Vec<&str> = (code.split_commas(at + 2..end - 1).into_iter())
        .map(|part| &code.text[code.bytes(part)])
        .collect();
    if args.len() != params.len() {
        return None;
    }
    let mut edits = Vec::new();
    for token in tokenize(m.body)
        .iter()
        .filter(|t| t.kind == TokenKind::Ident)
    {
        let position = params
            .iter()
            .position(|p| *p == &m.body[token.span.clone()]);
        if let Some(argument) = position.and_then(|i| args.get(i)) {
            let before = m.body[..token.span.start].chars().next_back();
            edits.push(Edit {
                range: token.span.clone(),
                replacement: apart(before, argument),
            });
        }
    }
    Some((end, one_line(&apply_edits(m.body, edits).ok()?)))
}

/// An argument with a blank before it where it would become one operator with what stands there.
fn apart(before: Option<char>, argument: &str) -> String {
    let joins = before.is_some_and(|c| matches!(c, '+' | '-' | '&') && argument.starts_with(c));
    match joins {
        true => format!(" {argument}"),
        false => argument.to_string(),
    }
}

/// The macros of several texts, and which of them expand to members of structs.
pub(crate) struct Macros<'a> {
    known: BTreeMap<&'a str, Define<'a>>,
    /// Those that expand to members, by themselves or through others.
    leading: BTreeSet<&'a str>,
    /// Those with another meaning somewhere, in the texts or on the command line.
    unclear: BTreeSet<&'a str>,
}

impl<'a> Macros<'a> {
    /// The macros of texts and of a command line's `NAME=VALUE`.
    pub(crate) fn new(texts: &[&'a str], defines: &'a [String]) -> Macros<'a> {
        let directives: Vec<&str> = texts.iter().flat_map(|t| super::directives(t)).collect();
        let undefined = |directive: &&'a str| {
            let mut words = directive_words(directive);
            (words.next() == Some("undef")).then(|| words.next())?
        };
        let given = defines.iter().filter_map(|d| d.split(['=', '(']).next());
        let mut unclear: BTreeSet<&str> = given.collect();
        unclear.extend(directives.iter().filter_map(undefined));
        let all: Vec<Define> = directives.into_iter().filter_map(define).collect();
        let leading = leading(&all);
        let mut known: BTreeMap<&str, Define> = BTreeMap::new();
        for new in all {
            let other = |old: &Define| old.params != new.params || old.body != new.body;
            if known.get(new.name).is_some_and(other) {
                unclear.insert(new.name);
            }
            known.insert(new.name, new);
        }
        Macros {
            known,
            leading,
            unclear,
        }
    }

    /// Whether a name is a macro.
    pub(crate) fn is_known(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// Whether a macro expands to members.
    pub(crate) fn leads(&self, name: &str) -> bool {
        self.leading.contains(name)
    }

    /// What a use of a macro at a token stands for, and the token after it; `None` where words alone
    /// do not tell.
    pub(crate) fn expand(&self, code: &Code, at: usize) -> Option<(usize, String)> {
        let name = code.word(at);
        let m = self.known.get(name).filter(|m| !m.body.contains('#'))?;
        match self.unclear.contains(name) {
            true => None,
            false => expansion(code, at, m),
        }
    }
}

/// Names of macros that expand to members, by themselves or through others.
fn leading<'a>(all: &[Define<'a>]) -> BTreeSet<&'a str> {
    let direct = all.iter().filter(|m| names_member(m.body));
    let mut leading: BTreeSet<&str> = direct.map(|m| m.name).collect();
    let mut before = 0;
    while before < leading.len() {
        before = leading.len();
        let leads = |m: &&Define| m.words().iter().any(|word| leading.contains(word));
        let more: Vec<&str> = all.iter().filter(leads).map(|m| m.name).collect();
        leading.extend(more);
    }
    leading
}

/// Whether a text has `.name` or `->name`.
fn names_member(body: &str) -> bool {
    let code = Code::new(body);
    (1..code.tokens.len()).any(|at| code.is_ident(at) && matches!(code.word(at - 1), "." | "->"))
}
