//! Loops of the host during which arrays stay on a device of OpenCL: what they do beside kernels touches no memory
//! of the arrays. It swaps pointers, counts and compares; calls, elements, members and addresses are none of that.

use super::fallback::Files;
use super::program::insertion;
use crate::csource::{
    Edit, Place, Token, TokenKind, declarator, declared_type, directives, functions, is_type_word,
    tokenize,
};
use crate::interface::Interface;
use std::collections::BTreeMap;
use std::ops::Range;

/// What the program's own loops begin with in such a loop.
pub(super) const HOME: &str = "hexcc_home();\n";

/// A part of a program that is replaced: where it is, and what it uses.
pub(crate) type Part<'a> = (Range<usize>, &'a Interface);

/// The loops in which arrays stay.
#[derive(Default)]
pub(crate) struct Stays {
    loops: Vec<Range<usize>>,
}

impl Stays {
    /// Whether a part is in one.
    pub fn holds(&self, part: &Range<usize>) -> bool {
        let mut loops = self.loops.iter();
        loops.any(|l| l.start <= part.start && part.end <= l.end)
    }

    /// Edits around them.
    pub fn edits(&self) -> impl Iterator<Item = Edit> {
        let around = |l: &Range<usize>| {
            [
                insertion(l.start, "{ hexcc_stay(); ".to_string()),
                insertion(l.end, " hexcc_leave(); }".to_string()),
            ]
        };
        self.loops.iter().flat_map(around)
    }

    /// Those of a program.
    pub fn new(text: &str, defines: &[String], (parts, files): (&[Part], Files)) -> Stays {
        let mut loops = Vec::new();
        for function in functions(text) {
            let inside = |(span, _): &&Part| {
                function.body.start <= span.start && span.end <= function.body.end
            };
            let parts: Vec<&Part> = parts.iter().filter(inside).collect();
            if parts.is_empty() {
                continue;
            }
            let body = Body::new(text, defines, (&function.body, files), &parts);
            loops.extend(body.loops());
        }
        Stays { loops }
    }
}

/// A function of the program, in tokens.
struct Body<'a> {
    text: &'a str,
    defines: &'a [String],
    files: Files,
    tokens: Vec<Token>,
    /// By the token at which they begin, the parts that are replaced.
    parts: BTreeMap<usize, &'a Part<'a>>,
}

impl<'a> Body<'a> {
    fn new(
        text: &'a str,
        defines: &'a [String],
        (body, files): (&Range<usize>, Files),
        parts: &[&'a Part<'a>],
    ) -> Body<'a> {
        let mut tokens = tokenize(text);
        tokens.retain(|t| {
            t.kind != TokenKind::Comment && body.start <= t.span.start && t.span.end <= body.end
        });
        let at = |part: &&'a Part<'a>| {
            let at = tokens.partition_point(|t| t.span.start < part.0.start);
            (at, *part)
        };
        Body {
            parts: parts.iter().map(at).collect(),
            text,
            defines,
            files,
            tokens,
        }
    }

    /// The outermost loops around parts, in which arrays can stay.
    fn loops(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let end = match self.parts.get(&at) {
                Some(part) => Some(self.behind(part)),
                None => self
                    .stay(at)
                    .inspect(|&end| found.push(self.bytes(at..end))),
            };
            at = end.unwrap_or(at + 1);
        }
        found
    }

    /// The end of a loop that begins at a token, where arrays can stay in it.
    fn stay(&self, at: usize) -> Option<usize> {
        let follows_line = at > 0 && self.tokens[at - 1].kind == TokenKind::Directive;
        let is_loop = matches!(self.word(at), "for" | "while") && !follows_line;
        // The `while` of a `do` ends a statement.
        let end = self.statement(at).filter(|_| is_loop)?;
        let parts: Vec<&&Part> = self.parts.range(at..end).map(|(_, r)| r).collect();
        let suits = !parts.is_empty() && parts.iter().all(|r| self.has_known_variables(r));
        suits.then_some(end)
    }

    fn word(&self, at: usize) -> &'a str {
        let token = self.tokens.get(at);
        token.map_or("", |t| &self.text[t.span.clone()])
    }

    fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        self.tokens[tokens.start].span.start..self.tokens[tokens.end - 1].span.end
    }

    /// The token behind a part.
    fn behind(&self, (span, _): &Part) -> usize {
        self.tokens.partition_point(|t| t.span.start < span.end)
    }

    /// The end of a statement that touches no memory of arrays, but in parts.
    fn statement(&self, at: usize) -> Option<usize> {
        if let Some(part) = self.parts.get(&at) {
            return Some(self.behind(part));
        }
        match self.word(at) {
            "{" => {
                let mut at = at + 1;
                while self.word(at) != "}" {
                    at = self.statement(at)?;
                }
                Some(at + 1)
            }
            "for" | "while" => self.statement(self.head(at + 1)?),
            "if" => {
                let end = self.statement(self.head(at + 1)?)?;
                match self.word(end) {
                    "else" => self.statement(end + 1),
                    _ => Some(end),
                }
            }
            "break" | "continue" => (self.word(at + 1) == ";").then_some(at + 2),
            _ => self.simple(at, ";"),
        }
    }

    /// The end of the head of a control statement.
    fn head(&self, at: usize) -> Option<usize> {
        let mut end = (self.word(at) == "(").then_some(at + 1)?;
        for _ in 0..2 {
            match self.simple(end, ";") {
                Some(next) if self.closes(at) > next => end = next,
                _ => break,
            }
        }
        let close = self.closes(at);
        (self.simple(end, ")") == Some(close + 1)).then_some(close + 1)
    }

    /// The parenthesis that closes one.
    fn closes(&self, at: usize) -> usize {
        let mut depth = 0usize;
        let close = (at..self.tokens.len()).find(|&i| {
            match self.word(i) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        close.unwrap_or(self.tokens.len())
    }

    /// The token behind an expression or a declaration that ends with a word; `None` where it may touch memory.
    fn simple(&self, start: usize, end: &str) -> Option<usize> {
        let mut depth = 0usize;
        for at in start..self.tokens.len() {
            let word = self.word(at);
            match word {
                word if depth == 0 && word == end => return Some(at + 1),
                "(" => depth += 1,
                ")" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            let before = match at > start {
                true => self.word(at - 1),
                false => "",
            };
            let is_harmless = match self.tokens[at].kind {
                TokenKind::Number => true,
                TokenKind::Ident => self.is_harmless(at, start),
                TokenKind::Punct => is_operator(word, before),
                _ => false,
            };
            if !is_harmless {
                return None;
            }
        }
        None
    }

    /// Whether a word is a type, or a variable that nothing points to.
    fn is_harmless(&self, at: usize, start: usize) -> bool {
        let word = self.word(at);
        let is_type = is_type_word(word) || self.is_type_macro(word);
        let opens_declaration = at == start
            && self.word(at + 1) == "*"
            && matches!(self.word(at + 3), "=" | ";")
            && !self.is_macro(word);
        is_type || opens_declaration || self.is_variable(word, self.tokens[at].span.end)
    }

    /// Whether a name is that of a number or a pointer whose own memory nothing points to.
    fn is_variable(&self, name: &str, offset: usize) -> bool {
        let Some(declared) = declarator(self.text, name, offset) else {
            return false;
        };
        let ty = declared_type(self.text, name, offset).unwrap_or_default();
        let is_number = ty
            .split(' ')
            .all(|word| is_number_word(word) || self.is_type_macro(word));
        let is_own = declared.place == Place::Call || self.files == Files::One;
        let is_plain = declared.n_bounds == 0 && (declared.stars > 0 || is_number);
        is_own && is_plain && !self.is_macro(name) && !self.has_address(name)
    }

    /// Whether the file takes the address of a variable, perhaps.
    fn has_address(&self, name: &str) -> bool {
        let tokens: Vec<&str> = (tokenize(self.text).into_iter())
            .filter(|t| t.kind != TokenKind::Comment)
            .map(|t| &self.text[t.span])
            .collect();
        tokens
            .windows(3)
            .any(|w| w[0] == "&" && (w[1] == name || w[1] == "(" && w[2] == name))
    }

    /// What follows the name of a macro where it is defined, in each definition.
    fn definitions(&self, name: &str) -> Vec<String> {
        let all = directives(self.text).into_iter().map(|line| {
            let line = line.trim_start_matches(|c: char| c == '#' || c.is_whitespace());
            line.strip_prefix("define").unwrap_or_default().to_string()
        });
        let given = self.defines.iter().map(|d| match d.split_once('=') {
            Some((name, body)) => format!("{name} {body}"),
            None => d.clone(),
        });
        let of_name = |line: String| {
            let rest = line.trim_start().strip_prefix(name)?.to_string();
            let ends = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            ends.then_some(rest)
        };
        all.chain(given).filter_map(of_name).collect()
    }

    fn is_macro(&self, name: &str) -> bool {
        !self.definitions(name).is_empty()
    }

    /// Whether a macro stands for a type of numbers.
    fn is_type_macro(&self, name: &str) -> bool {
        let all = self.definitions(name);
        !all.is_empty()
            && all
                .iter()
                .all(|ty| ty.split_whitespace().all(is_number_word))
    }

    /// Whether what a part is given between kernels is known: variables that no kernel writes unseen.
    fn has_known_variables(&self, (span, ir): &Part) -> bool {
        let arrays = ir.handed_over().arrays;
        let pointers = arrays.iter().filter(|a| a.pointer).map(|a| &a.name);
        let mut names = ir.values().chain(pointers);
        let is_known = |name: &String| self.is_variable(name, span.start);
        ir.members.is_empty() && arrays.iter().all(|a| a.rows.is_none()) && names.all(is_known)
    }
}

/// Whether a word is part of a type of numbers.
fn is_number_word(word: &str) -> bool {
    is_type_word(word) && !matches!(word, "struct" | "union" | "enum")
}

/// Whether a sign is an operator on numbers, or groups them, behind a word.
fn is_operator(sign: &str, before: &str) -> bool {
    let is_operand = before
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
        && !before.is_empty()
        && before != "return";
    match sign {
        // A product, or the declaration of a pointer.
        "*" => is_operand,
        // None of a call.
        "(" => !is_operand && before != ")",
        ")" | "," | ";" | "?" | ":" | "=" | "+" | "-" | "/" | "%" | "<" | ">" | "<=" | ">="
        | "==" | "!=" | "&&" | "||" | "!" | "++" | "--" | "+=" | "-=" | "*=" | "/=" | "%=" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_operator;

    #[test]
    fn operators() {
        assert!(is_operator("*", "n") && is_operator("(", "+"));
        let memory = [
            ("*", "="),
            ("*", ")"),
            ("(", "f"),
            ("[", "u"),
            ("->", "s"),
            ("&", "="),
        ];
        assert!(
            memory
                .iter()
                .all(|(sign, before)| !is_operator(sign, before))
        );
    }
}
