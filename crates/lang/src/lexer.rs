//! A text as words, numbers and signs.

use crate::syntax::Spanned;
use chumsky::prelude::*;
use hexcc_compiler::diag::Diagnostic;
use std::fmt;
use std::ops::Range;

/// Words that are no names.
const KEYWORDS: [&str; 15] = [
    "stencil", "struct", "size", "where", "field", "scalar", "const", "boundary", "for", "in",
    "let", "together", "float", "double", "int",
];

/// Signs of two characters come before those of one.
const SIGNS: [&str; 27] = [
    "..", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "<", ">", "!", "?", ":", ";",
    ",", "=", "(", ")", "[", "]", "{", "}", "%", ".",
];

/// How deep brackets, signs before values and conditions may nest.
const MAX_NESTING: usize = 200;

/// Words and signs of a statement, and of a text.
const MAX_STATEMENT: usize = 4000;
const MAX_TEXT: usize = 200_000;

/// A word, a number or a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'s> {
    /// A name.
    Name(&'s str),
    /// A word that is no name.
    Keyword(&'static str),
    /// A number without a point.
    Int(&'s str),
    /// A number with a point or an exponent, or with the suffix `f`.
    Real(&'s str),
    /// Anything else.
    Sign(&'static str),
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Name(text) | Token::Int(text) | Token::Real(text) => write!(f, "`{text}`"),
            Token::Keyword(text) | Token::Sign(text) => write!(f, "`{text}`"),
        }
    }
}

type Tokens<'s> = Vec<(Token<'s>, SimpleSpan)>;
type Error<'s> = extra::Err<Rich<'s, char>>;

fn word(text: &str) -> Token<'_> {
    match KEYWORDS.iter().find(|word| **word == text) {
        Some(word) => Token::Keyword(word),
        None => Token::Name(text),
    }
}

fn number(text: &str) -> Token<'_> {
    match text.bytes().all(|b| b.is_ascii_digit()) {
        true => Token::Int(text),
        false => Token::Real(text),
    }
}

/// Words, numbers and signs; white space and comments, from `//` to the end of a line, lie between them.
fn lexer<'s>() -> impl Parser<'s, &'s str, Vec<Option<(Token<'s>, SimpleSpan)>>, Error<'s>> {
    let digits = text::digits::<_, Error<'s>>(10);
    let point = just('.').then(digits);
    let exponent = one_of("eE").then(one_of("+-").or_not()).then(digits);
    let number = (digits.then(point.or_not()).then(exponent.or_not()))
        .then(just('f').or_not())
        .to_slice()
        .map(number);
    let sign = choice(SIGNS.map(|sign| just(sign).to(Token::Sign(sign))));
    let comment = just("//")
        .then(any().and_is(just('\n').not()).repeated())
        .padded();
    let token = choice((text::ascii::ident().map(word), number, sign));
    token
        .map_with(|token, e| Some((token, e.span())))
        .recover_with(via_parser(any().map(|_| None)))
        .padded_by(comment.repeated())
        .padded()
        .repeated()
        .collect()
        .padded_by(comment.repeated())
        .padded()
}

/// The tokens of a text.
///
/// # Errors
/// Characters that belong to nothing, and a text that is too deep or too long to be read on.
pub fn tokens(text: &str) -> (Tokens<'_>, Vec<Diagnostic>) {
    let (found, errors) = lexer().parse(text).into_output_errors();
    let mut wrong: Vec<Diagnostic> = Vec::new();
    let mut before: Option<Range<usize>> = None;
    for error in &errors {
        let span = error.span().into_range();
        // One message for characters beside each other.
        if before.as_ref().is_none_or(|before| before.end < span.start) {
            let what = "a character that belongs to nothing";
            wrong.push(Diagnostic::error("HX0701", what).at(span.clone(), "here"));
        }
        before = Some(span);
    }
    let found: Tokens<'_> = found.unwrap_or_default().into_iter().flatten().collect();
    match bounded(&found) {
        Ok(()) => (found, wrong),
        Err(d) => {
            wrong.push(d);
            (Vec::new(), wrong)
        }
    }
}

/// Refuses what would take too deep a stack.
fn bounded(tokens: &[(Token<'_>, SimpleSpan)]) -> Result<(), Diagnostic> {
    let (mut brackets, mut within, mut length) = (0_usize, 0, 0);
    for (n, (token, span)) in tokens.iter().enumerate() {
        length += 1;
        match token {
            Token::Sign("(" | "[" | "{") => brackets += 1,
            Token::Sign(")" | "]" | "}") => brackets = brackets.saturating_sub(1),
            Token::Sign("?") => within += 1,
            Token::Sign(";") => (within, length) = (0, 0),
            Token::Sign("-" | "!" | "+") if begins_value(tokens, n) => within += 1,
            _ => {}
        }
        let what = match () {
            () if brackets + within > MAX_NESTING => "this statement is nested too deeply",
            () if length > MAX_STATEMENT => "this statement is too long",
            () if n > MAX_TEXT => "this text is too long",
            () => continue,
        };
        return Err(Diagnostic::error("HX0708", what)
            .at(span.into_range(), "nothing is read from here on")
            .note(format!("a statement has up to {MAX_STATEMENT} words and signs, and {MAX_NESTING} levels of brackets and conditions"))
            .help("give parts of it names with `let`, or compute them in fields of their own"));
    }
    Ok(())
}

/// Whether a sign stands before a value, and not between two.
fn begins_value(tokens: &[(Token<'_>, SimpleSpan)], n: usize) -> bool {
    let before = n.checked_sub(1).map(|n| tokens[n].0);
    matches!(before, Some(Token::Sign(sign)) if !matches!(sign, ")" | "]"))
}

/// A place.
pub fn spanned<T>(node: T, span: SimpleSpan) -> Spanned<T> {
    Spanned {
        node,
        span: span.into_range(),
    }
}
