//! Types of integer expressions, as far as the text tells them.

use super::helpers::Helper;
use crate::csource::{self, Code, Scope, TokenKind};
use crate::ctype::CType;
use std::collections::BTreeMap;
use std::ops::Range;

/// What is needed to tell the types of expressions in a function.
pub(super) struct Types<'a> {
    pub(super) code: &'a Code<'a>,
    /// The function around.
    pub(super) scope: Scope<'a>,
    /// Functions whose calls stand for expressions.
    pub(super) helpers: &'a BTreeMap<String, Helper>,
}

impl Types<'_> {
    /// The type of an expression of integers without effects; `None` for any other, and where the
    /// text does not tell.
    pub(super) fn of(&self, tokens: Range<usize>) -> Option<CType> {
        let mut reader = Reader {
            types: self,
            at: tokens.start,
            end: tokens.end,
        };
        let ty = reader.choice()?;
        (reader.at == tokens.end).then_some(ty)
    }

    /// The type of an integer variable that is visible at a token.
    pub(super) fn of_variable(&self, name: &str, at: usize) -> Option<CType> {
        let scope = self.scope.moved_to(at);
        let declarator = scope.declarator(name)?;
        if declarator.stars > 0 || declarator.n_bounds > 0 {
            return None;
        }
        integer(self.code.text, &scope.declared_type(name)?)
    }
}

/// The integer type of a name such as `unsigned int` or `size_t`, or of a typedef.
pub(super) fn integer(text: &str, words: &str) -> Option<CType> {
    let ty =
        CType::parse(words).or_else(|| match csource::typedefs(&[text], words).as_slice() {
            [one] => CType::parse(one),
            _ => None,
        })?;
    (!ty.is_floating()).then_some(ty)
}

/// The type of an integer literal.
fn literal(word: &str) -> Option<CType> {
    let lower = word.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l']);
    let is_integer = match digits.strip_prefix("0x") {
        Some(hex) => hex.bytes().all(|b| b.is_ascii_hexdigit()),
        None => digits.bytes().all(|b| b.is_ascii_digit()),
    };
    (is_integer && digits.len() < 10).then(|| csource::wide_literal(word).unwrap_or(CType::INT))
}

/// Whether an expression is a number that every integer type of four bytes holds.
pub(super) fn is_number(code: &Code, tokens: &Range<usize>) -> bool {
    let mut tokens = tokens.clone();
    while code.opens(tokens.start, "(") && code.skip(tokens.start) == tokens.end {
        tokens = tokens.start + 1..tokens.end - 1;
    }
    tokens.len() == 1
        && code.tokens[tokens.start].kind == TokenKind::Number
        && literal(code.word(tokens.start)) == Some(CType::INT)
}

/// Binary operators, those that bind least first.
const OPERATORS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Reader<'a> {
    types: &'a Types<'a>,
    at: usize,
    end: usize,
}

impl Reader<'_> {
    fn word(&self) -> &str {
        match self.at < self.end {
            true => self.types.code.word(self.at),
            false => "",
        }
    }

    /// `a ? b : c`, or what binds more.
    fn choice(&mut self) -> Option<CType> {
        let first = self.binary(0)?;
        if self.word() != "?" {
            return Some(first);
        }
        self.at += 1;
        let then = self.choice()?;
        if self.word() != ":" {
            return None;
        }
        self.at += 1;
        Some(then.usual(self.choice()?))
    }

    fn binary(&mut self, level: usize) -> Option<CType> {
        let Some(operators) = OPERATORS.get(level) else {
            return self.unary();
        };
        let mut ty = self.binary(level + 1)?;
        while operators.contains(&self.word()) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            ty = match level {
                8 | 9 | 2..=4 => ty.usual(right),
                7 => ty.promoted(),
                _ => CType::INT,
            };
        }
        Some(ty)
    }

    fn unary(&mut self) -> Option<CType> {
        match self.word() {
            "+" | "-" | "~" => {
                self.at += 1;
                Some(self.unary()?.promoted())
            }
            "!" => {
                self.at += 1;
                self.unary()?;
                Some(CType::INT)
            }
            "(" => self.group(),
            _ => self.primary(),
        }
    }

    /// A cast, or an expression in parentheses.
    fn group(&mut self) -> Option<CType> {
        let code = self.types.code;
        if !code.opens(self.at, "(") || code.skip(self.at) > self.end {
            return None;
        }
        let inner = self.at + 1..code.skip(self.at) - 1;
        let words: Vec<&str> = inner.clone().map(|at| code.word(at)).collect();
        let is_variable =
            words.len() == 1 && (self.types.scope.moved_to(self.at).declarator(words[0])).is_some();
        let cast = (inner.clone().all(|at| code.is_ident(at)) && !is_variable)
            .then(|| integer(code.text, &words.join(" ")))
            .flatten();
        self.at = inner.end + 1;
        match cast {
            Some(ty) => self.unary().map(|_| ty),
            None => self.types.of(inner),
        }
    }

    fn primary(&mut self) -> Option<CType> {
        let code = self.types.code;
        let at = self.at;
        if at >= self.end {
            return None;
        }
        self.at += 1;
        if code.tokens.get(at)?.kind == TokenKind::Number {
            return literal(code.word(at));
        }
        if !code.is_plain_name(at) {
            return None;
        }
        if code.opens(at + 1, "(") {
            let helper = self.types.helpers.get(code.word(at))?;
            let args = code.split_commas(at + 2..code.skip(at + 1) - 1);
            self.at = code.skip(at + 1);
            let typed = args.len() == helper.params.len()
                && args.into_iter().all(|arg| self.types.of(arg).is_some());
            return typed.then_some(helper.ty);
        }
        if matches!(self.word(), "." | "->") && code.is_plain_name(at + 2) {
            self.types.scope.moved_to(at).declarator(code.word(at))?;
            self.at = at + 3;
            let ends = !matches!(self.word(), "." | "->");
            return ends.then(|| member(code, code.word(at + 2))).flatten();
        }
        self.types.of_variable(code.word(at), at)
    }
}

/// The integer type that all members of a name have in the structs of the file.
fn member(code: &Code, name: &str) -> Option<CType> {
    let mut found: Option<CType> = None;
    for at in 1..code.tokens.len() {
        let declared = code.is_ident(at)
            && code.word(at) == name
            && matches!(code.word(at + 1), "," | ";" | "[" | ":")
            && in_struct(code, at);
        if !declared {
            continue;
        }
        let start = (0..at)
            .rev()
            .find(|&i| matches!(code.word(i), ";" | "{" | "}"))?
            + 1;
        let comma = (start..at).find(|&i| code.word(i) == ",").unwrap_or(at + 1);
        let words: Vec<&str> = (start..comma - 1).map(|i| code.word(i)).collect();
        let is_plain = code.word(at - 1) != "*" && matches!(code.word(at + 1), "," | ";");
        let ty = integer(code.text, &words.join(" ")).filter(|_| is_plain)?;
        if found.replace(ty).is_some_and(|other| other != ty) {
            return None;
        }
    }
    found
}

/// The type that all members of a name have in the structs of the file, as the text spells it
/// before stars and names; `None` where there are none, or several.
pub(super) fn member_type(code: &Code, name: &str) -> Option<String> {
    let mut found: Option<String> = None;
    let is_member = |at: &usize| {
        let follows = matches!(code.word(at + 1), "," | ";" | "[" | ":");
        code.is_ident(*at) && code.word(*at) == name && follows && in_struct(code, *at)
    };
    for at in (1..code.tokens.len()).filter(is_member) {
        let start = (0..at)
            .rev()
            .find(|&i| matches!(code.word(i), ";" | "{" | "}"))?
            + 1;
        let words =
            (start..at).take_while(|&i| code.is_ident(i) && !matches!(code.word(i + 1), "," | "["));
        let words: Vec<&str> = (words.map(|i| code.word(i)))
            .filter(|word| !matches!(*word, "const" | "volatile" | "restrict"))
            .collect();
        let ty = words.join(" ");
        if found.as_ref().is_some_and(|other| *other != ty) {
            return None;
        }
        found = Some(ty);
    }
    found
}

/// Whether a token stands directly between the braces of a struct.
fn in_struct(code: &Code, at: usize) -> bool {
    let open = (0..at)
        .rev()
        .find(|&open| code.opens(open, "{") && code.skip(open) > at);
    open.is_some_and(|open| {
        let before = |n: usize| open.checked_sub(n).map_or("", |i| code.word(i));
        [before(1), before(2)].contains(&"struct")
    })
}

/// Where the value of an expression goes if nothing but sums, products and choices lies on the way:
/// they are the same for numbers that wrap around at any power of 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goes {
    /// It is all or part of a subscript.
    ToSubscript,
    /// It is all or part of the text.
    ToEnd,
    /// Something else is on the way.
    Elsewhere,
}

/// Where the value of the expression in a part of the tokens goes.
pub(super) fn goes(code: &Code, mut part: Range<usize>) -> Goes {
    loop {
        let open = code
            .around(part.start)
            .filter(|&open| code.skip(open) > part.end);
        let level = match open {
            Some(open) => open + 1..code.skip(open) - 1,
            None => 0..code.tokens.len(),
        };
        if !sums_up(code, level.clone(), &part) {
            return Goes::Elsewhere;
        }
        match open {
            None => return Goes::ToEnd,
            Some(open) if code.word(open) == "[" => return Goes::ToSubscript,
            Some(open) if code.word(open) == "(" => {
                let before = open.checked_sub(1).map_or("", |at| code.word(at));
                let is_called = open.checked_sub(1).is_some_and(|at| code.is_ident(at));
                if is_called || matches!(before, ")" | "]") {
                    return Goes::Elsewhere;
                }
                part = open..level.end + 1;
            }
            Some(_) => return Goes::Elsewhere,
        }
    }
}

/// Whether a part of an expression is an operand of sums, products and choices alone, and decides
/// no choice.
fn sums_up(code: &Code, level: Range<usize>, part: &Range<usize>) -> bool {
    let mut start = level.start;
    let mut at = level.start;
    let mut is_plain = true;
    while at <= level.end {
        let word = if at == level.end { "" } else { code.word(at) };
        let ends = at == level.end || matches!(word, "?" | ":");
        if ends {
            if (start..at).contains(&part.start) {
                return is_plain && word != "?";
            }
            (start, is_plain) = (at + 1, true);
            at += 1;
            continue;
        }
        let is_operand = code.is_ident(at) || code.tokens[at].kind == TokenKind::Number;
        // A group behind a group may be what a cast applies to.
        let is_cast = code.opens(at, "(") && code.skip(at) < level.end && {
            let next = code.skip(at);
            code.is_ident(next)
                || code.opens(next, "(")
                || code.tokens[next].kind == TokenKind::Number
        };
        is_plain &=
            !is_cast && (is_operand || matches!(word, "+" | "-" | "*" | "(" | "[" | "." | "->"));
        at = code.skip(at);
    }
    false
}
