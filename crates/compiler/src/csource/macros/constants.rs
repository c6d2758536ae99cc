//! Integers that a file writes as expressions: shifts, and numbers that are cast.

use super::{Define, define, macros};
use crate::csource::{Code, Edit, TokenKind, directive_words, is_conditional};
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::ops::Range;

/// Macros in macros, at most.
const MAX_DEPTH: usize = 8;

/// A number of C: an `int`, or a `double`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Int(i32),
    Double(f64),
}

/// Gives macros, and shifts of numbers by numbers, the integers that they stand for: `(1 << 10)` is
/// 1024, `(int)(1.0 / 0.1)` is 10. Other constants stay as they are.
pub(crate) fn evaluate_constants(code: &Code) -> Vec<Edit> {
    let text = code.text;
    let directives: Vec<Range<usize>> = (code.all.iter())
        .filter(|t| t.kind == TokenKind::Directive)
        .map(|t| t.span.clone())
        .collect();
    // Few files have such macros.
    let known = LazyCell::new(|| known_macros(text, &directives));
    let of_macros = directives.iter().filter_map(|span| {
        let m = define(&text[span.clone()]).filter(|m| m.params.is_none() && needs(m.body))?;
        let Number::Int(value) = evaluated(m.body, &known, 0)? else {
            return None;
        };
        let start = span.start + m.body_start;
        Some(Edit {
            range: start..start + m.body.len(),
            replacement: literal(value),
        })
    });
    of_macros.chain(shifts(code)).collect()
}

/// Whether an expression has something in it that is worth to be evaluated.
fn needs(body: &str) -> bool {
    body.contains("<<") || body.contains(">>") || body.contains("(int)")
}

fn literal(value: i32) -> String {
    match value {
        0.. => value.to_string(),
        _ => format!("({value})"),
    }
}

/// The macros without parameters that mean the same wherever the file is read.
fn known_macros<'a>(text: &'a str, directives: &[Range<usize>]) -> BTreeMap<&'a str, Define<'a>> {
    let mut known = macros(text);
    for span in directives {
        let directive = &text[span.clone()];
        let mut words = directive_words(directive);
        let name = match words.next() {
            Some("define") => define(directive).map(|m| m.name),
            Some("undef") => words.next(),
            _ => None,
        };
        let is_undef = !directive.contains("define");
        if let Some(name) = name.filter(|_| is_undef || is_conditional(text, span.start)) {
            known.remove(name);
        }
    }
    known.retain(|_, m| m.params.is_none());
    known
}

/// `1 << 10` where nothing beside it binds as strongly.
fn shifts(code: &Code) -> Vec<Edit> {
    let is_end = |at: usize| matches!(code.word(at), ")" | ";" | "]" | "," | "&&" | "||");
    let begins = |at: usize| ["(", "=", "<", "<=", ">", ">=", "[", ","].contains(&code.word(at));
    let places = (1..code.tokens.len())
        .filter(|&at| code.word(at + 1) == "<<" && begins(at - 1) && is_end(at + 3));
    let value = |at: usize| {
        let range = code.bytes(at..at + 3);
        match evaluated(&code.text[range.clone()], &BTreeMap::new(), 0)? {
            Number::Int(value) => Some(Edit {
                range,
                replacement: literal(value),
            }),
            Number::Double(_) => None,
        }
    };
    places.filter_map(value).collect()
}

/// What an expression of constants is.
fn evaluated(body: &str, known: &BTreeMap<&str, Define>, depth: usize) -> Option<Number> {
    let code = Code::new(body);
    let mut reader = Reader {
        code: &code,
        at: 0,
        known,
        depth,
    };
    let value = reader.shift()?;
    (reader.at == code.tokens.len() && depth < MAX_DEPTH).then_some(value)
}

/// Reads an expression, by C's rules for `int` and `double`; overflow is no value.
struct Reader<'a> {
    code: &'a Code<'a>,
    at: usize,
    known: &'a BTreeMap<&'a str, Define<'a>>,
    depth: usize,
}

impl Reader<'_> {
    fn takes(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let word = words
            .iter()
            .find(|word| self.code.word(self.at) == **word)?;
        self.at += 1;
        Some(word)
    }

    fn shift(&mut self) -> Option<Number> {
        let mut left = self.sum()?;
        while let Some(op) = self.takes(&["<<", ">>"]) {
            let (Number::Int(a), Number::Int(b)) = (left, self.sum()?) else {
                return None;
            };
            let by = u32::try_from(b).ok().filter(|by| *by < 31 && a >= 0)?;
            left = Number::Int(match op {
                "<<" => i32::try_from(i64::from(a) << by).ok()?,
                _ => a >> by,
            });
        }
        Some(left)
    }

    fn sum(&mut self) -> Option<Number> {
        let mut left = self.product()?;
        while let Some(op) = self.takes(&["+", "-"]) {
            left = binary(op, left, self.product()?)?;
        }
        Some(left)
    }

    fn product(&mut self) -> Option<Number> {
        let mut left = self.unary()?;
        while let Some(op) = self.takes(&["*", "/", "%"]) {
            left = binary(op, left, self.unary()?)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Number> {
        if self.takes(&["-"]).is_some() {
            return Some(match self.unary()? {
                Number::Int(value) => Number::Int(value.checked_neg()?),
                Number::Double(value) => Number::Double(-value),
            });
        }
        if self.code.opens(self.at, "(") {
            let close = self.code.skip(self.at) - 1;
            self.at += 1;
            if self.code.word(self.at) == "int" && self.at + 1 == close {
                self.at = close + 1;
                return Some(match self.unary()? {
                    // A value that is none of an `int` is nothing to C.
                    Number::Double(value) if value.abs() < 1e9 => Number::Int(value as i32),
                    Number::Double(_) => return None,
                    value => value,
                });
            }
            let value = self.shift()?;
            return (self.takes(&[")"]).is_some()).then_some(value);
        }
        let word = self.code.word(self.at);
        self.at += 1;
        if let Some(m) = self.known.get(word) {
            return evaluated(m.body, self.known, self.depth + 1);
        }
        number(word)
    }
}

/// A literal.
fn number(word: &str) -> Option<Number> {
    if let Some(digits) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        return i32::from_str_radix(digits, 16).ok().map(Number::Int);
    }
    let is_octal = word.len() > 1 && word.starts_with('0') && !word.contains('.');
    if is_octal || !word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    match word.contains(['.', 'e', 'E']) {
        true => word.parse().ok().map(Number::Double),
        false => word.parse().ok().map(Number::Int),
    }
}

fn binary(op: &str, left: Number, right: Number) -> Option<Number> {
    if let (Number::Int(a), Number::Int(b)) = (left, right) {
        return Some(Number::Int(match op {
            "+" => a.checked_add(b)?,
            "-" => a.checked_sub(b)?,
            "*" => a.checked_mul(b)?,
            "/" => a.checked_div(b)?,
            _ => a.checked_rem(b)?,
        }));
    }
    let value = |number| match number {
        Number::Int(value) => f64::from(value),
        Number::Double(value) => value,
    };
    let (a, b) = (value(left), value(right));
    Some(Number::Double(match op {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csource::apply_edits;

    fn written(text: &str) -> String {
        apply_edits(text, evaluate_constants(&Code::new(text))).expect("no overlaps")
    }

    #[test]
    fn constants_are_what_c_makes_of_them() {
        for (body, value) in [
            ("(0x1 << 10)", "1024"),
            ("1<<3+1", "16"),
            ("(-7 / 2 << 0)", "(-7 / 2 << 0)"),
            ("(int)(1.0 / 0.1) - 1", "9"),
            ("(int)(0.7 / 0.1)", "6"),
            ("((int) -2.9)", "(-2)"),
            ("(M << 1) % 7", "6"),
            ("(L << 1)", "(L << 1)"),
            ("1 << 31", "1 << 31"),
            ("(1L << 3)", "(1L << 3)"),
            ("a << 1", "a << 1"),
            ("2 * 8", "2 * 8"),
        ] {
            let text = |body: &str| {
                format!("#define M 10\n#ifdef X\n#define L 3\n#endif\n#define N {body}\nint n;\n")
            };
            assert_eq!(written(&text(body)), text(value));
        }
    }

    #[test]
    fn shifts_of_numbers_are_numbers() {
        let text = "int a[1 << 4]; int f(int n) { return 1 << 4 + n < (2<<3) && n << 2; }";
        let expected = "int a[16]; int f(int n) { return 1 << 4 + n < (16) && n << 2; }";
        assert_eq!(written(text), expected);
    }
}
