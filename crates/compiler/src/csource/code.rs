//! The tokens of a file, with every bracket's partner.

use super::{
    OPERATOR_WORDS, QUALIFIERS, STORAGE, Token, TokenKind, directive_words, is_plain_name, tokenize,
};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::{Deref, Range};
use std::rc::Rc;

/// A file's tokens without comments and directives, with every bracket's partner.
pub(crate) struct Code<'a> {
    pub(crate) text: &'a str,
    lexed: Rc<Lexed>,
}

impl Deref for Code<'_> {
    type Target = Lexed;

    fn deref(&self) -> &Lexed {
        &self.lexed
    }
}

/// What [`Code`] has of a text.
pub(crate) struct Lexed {
    /// Every token, for the directives and comments.
    pub(crate) all: Vec<Token>,
    /// Tokens that are neither comments nor directives.
    pub(crate) tokens: Vec<Token>,
    /// For each of `tokens`, the index of the closing bracket if it is a matched opening bracket,
    /// and the reverse. Always `Some(p)` with `p > i` for an opening bracket at `i`, `p < i` for a
    /// closing one.
    partner: Vec<Option<usize>>,
}

/// How many texts are remembered: passes ask again and again for the tokens of few texts.
const REMEMBERED: usize = 12;

/// Texts of fewer bytes are read again rather than remembered.
const SHORT: usize = 512;

thread_local! {
    /// The texts that were read last, the last one first.
    static LATELY: RefCell<VecDeque<(String, Rc<Lexed>)>> = const { RefCell::new(VecDeque::new()) };
}

/// What [`Code`] has of a text, from memory where that is possible.
fn lexed(text: &str) -> Rc<Lexed> {
    if text.len() < SHORT {
        return Rc::new(Lexed::new(text));
    }
    LATELY.with_borrow_mut(|lately| {
        let known = lately.iter().position(|(known, _)| known == text);
        let entry = known.and_then(|at| lately.remove(at));
        let entry = entry.unwrap_or_else(|| (text.to_string(), Rc::new(Lexed::new(text))));
        let lexed = Rc::clone(&entry.1);
        lately.push_front(entry);
        lately.truncate(REMEMBERED);
        lexed
    })
}

/// Branches of conditional compilation that are no C, since a quote in them has no end: they are
/// never compiled.
fn prose(text: &str, all: &[Token]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Where the innermost branches begin, and whether they are C so far.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for token in all {
        let word = &text[token.span.clone()];
        match token.kind {
            TokenKind::Directive => {
                let name = directive_words(word).next().unwrap_or("");
                let is_else = matches!(name, "else" | "elif" | "elifdef" | "elifndef");
                if is_else || name == "endif" {
                    let ended = open.pop();
                    found.extend((ended.filter(|o| !o.1)).map(|o| o.0..token.span.start));
                }
                if is_else || matches!(name, "if" | "ifdef" | "ifndef") {
                    open.push((token.span.end, true));
                }
            }
            TokenKind::Str | TokenKind::Char => {
                let quotes = word.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
                let ends = quotes.len() > 1 && quotes.chars().next() == quotes.chars().next_back();
                if let Some(branch) = open.last_mut() {
                    branch.1 &= ends;
                }
            }
            _ => {}
        }
    }
    found
}

/// An `#if` whose `#endif` has not been met, during bracket matching.
struct OpenConditional {
    /// The brackets open at the `#if`.
    base: Vec<Vec<usize>>,
    /// The brackets open at the end of each finished branch.
    branches: Vec<Vec<Vec<usize>>>,
    /// The first branch is `#if 0`, so its brackets never count.
    dead: bool,
}

impl Lexed {
    fn new(text: &str) -> Lexed {
        let all = tokenize(text);
        let prose = prose(text, &all);
        let tokens: Vec<Token> = all
            .iter()
            .filter(|token| !matches!(token.kind, TokenKind::Comment | TokenKind::Directive))
            .filter(|token| !prose.iter().any(|range| range.contains(&token.span.start)))
            .cloned()
            .collect();
        let mut lexed = Lexed {
            all,
            partner: vec![None; tokens.len()],
            tokens,
        };
        lexed.match_brackets(text);
        lexed
    }

    /// Matches brackets, reading the branches of an `#if` as alternatives.
    ///
    /// Each level of the stack is a *set* of opening brackets: when the branches of a conditional
    /// each open a brace, the one closing brace after `#endif` closes all of them.
    fn match_brackets(&mut self, text: &str) {
        let word = |span: &Range<usize>| &text[span.clone()];
        let mut stack: Vec<Vec<usize>> = Vec::new();
        let mut conditionals: Vec<OpenConditional> = Vec::new();
        let mut index = 0;
        for token in &self.all {
            match token.kind {
                TokenKind::Comment => continue,
                TokenKind::Directive => {
                    let mut words = directive_words(word(&token.span));
                    match words.next().unwrap_or("") {
                        "if" | "ifdef" | "ifndef" => conditionals.push(OpenConditional {
                            base: stack.clone(),
                            branches: Vec::new(),
                            dead: words.next() == Some("0"),
                        }),
                        "else" | "elif" | "elifdef" | "elifndef" => {
                            if let Some(open) = conditionals.last_mut() {
                                let ended = std::mem::replace(&mut stack, open.base.clone());
                                if !std::mem::take(&mut open.dead) {
                                    open.branches.push(ended);
                                }
                            }
                        }
                        "endif" => {
                            if let Some(open) = conditionals.pop() {
                                if open.dead {
                                    stack = open.base;
                                }
                                for branch in open.branches {
                                    if branch.len() != stack.len() {
                                        continue;
                                    }
                                    for (level, other) in stack.iter_mut().zip(branch) {
                                        for opener in other {
                                            if !level.contains(&opener) {
                                                level.push(opener);
                                            }
                                        }
                                    }
                                }
                            }
                        }
                        _ => {}
                    }
                    continue;
                }
                _ if self.tokens.get(index).is_none_or(|t| t.span != token.span) => continue,
                TokenKind::Punct => match word(&token.span) {
                    "(" | "[" | "{" => stack.push(vec![index]),
                    close @ (")" | "]" | "}") => {
                        let open = match close {
                            ")" => "(",
                            "]" => "[",
                            _ => "{",
                        };
                        // A parenthesis never closes past an open brace; a brace may.
                        let level = stack.iter().rposition(|level| {
                            let bracket =
                                level.first().map_or("", |&at| word(&self.tokens[at].span));
                            bracket == open || close != "}" && bracket == "{"
                        });
                        let level = level.filter(|&level| {
                            stack[level]
                                .first()
                                .is_some_and(|&at| word(&self.tokens[at].span) == open)
                        });
                        if let Some(level) = level {
                            for &opener in &stack[level] {
                                self.partner[opener] = Some(index);
                            }
                            self.partner[index] = stack[level].first().copied();
                            stack.truncate(level);
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
            index += 1;
        }
    }
}

impl<'a> Code<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Code {
            text,
            lexed: lexed(text),
        }
    }

    /// Text of the code token at an index; empty when there is no such token.
    pub(crate) fn word(&self, index: usize) -> &'a str {
        self.tokens
            .get(index)
            .map_or("", |token| &self.text[token.span.clone()])
    }

    pub(crate) fn is_ident(&self, index: usize) -> bool {
        self.tokens
            .get(index)
            .is_some_and(|token| token.kind == TokenKind::Ident)
    }

    pub(crate) fn is_plain_name(&self, index: usize) -> bool {
        self.is_ident(index) && is_plain_name(self.word(index))
    }

    /// The innermost bracket of any kind that opens before a token and closes behind it.
    pub fn around(&self, at: usize) -> Option<usize> {
        let opens = |open: &usize| matches!(self.word(*open), "(" | "[" | "{");
        (0..at)
            .rev()
            .find(|open| opens(open) && self.skip(*open) > at)
    }

    /// Index after the bracket group opening at `index`, or after the one token there.
    pub(crate) fn skip(&self, index: usize) -> usize {
        match self.partner.get(index) {
            Some(&Some(close)) if close > index => close + 1,
            _ => index + 1,
        }
    }

    /// Index of the first token of the bracket group closing at `index`, or `index` itself.
    pub(crate) fn skip_back(&self, index: usize) -> usize {
        match self.partner.get(index) {
            Some(&Some(open)) if open < index => open,
            _ => index,
        }
    }

    /// Whether the token at `index` opens a matched group.
    pub(crate) fn opens(&self, index: usize, bracket: &str) -> bool {
        self.word(index) == bracket && self.skip(index) > index + 1
    }

    /// Whether the token at `index` closes a matched group.
    pub(crate) fn closes(&self, index: usize, bracket: &str) -> bool {
        self.word(index) == bracket && self.skip_back(index) < index
    }

    /// Bytes from the first to the last token of a non-empty index range.
    pub(crate) fn bytes(&self, range: Range<usize>) -> Range<usize> {
        match (self.tokens.get(range.start), range.end.checked_sub(1)) {
            (Some(first), Some(last)) if range.start < range.end && last < self.tokens.len() => {
                first.span.start..self.tokens[last].span.end
            }
            (Some(first), _) => first.span.start..first.span.start,
            (None, _) => self.text.len()..self.text.len(),
        }
    }

    /// The tokens on one line, with one space wherever the source has a gap.
    pub(crate) fn render(&self, indices: impl IntoIterator<Item = usize>) -> String {
        let mut out = String::new();
        let mut previous: Option<usize> = None;
        for index in indices {
            let Some(token) = self.tokens.get(index) else {
                continue;
            };
            let contiguous = previous.is_some_and(|end| end == token.span.start);
            if previous.is_some() && !contiguous {
                out.push(' ');
            }
            out.push_str(self.word(index));
            previous = Some(token.span.end);
        }
        out
    }

    /// Splits an index range at the commas outside brackets; an empty range has no parts.
    pub(crate) fn split_commas(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut start = range.start;
        let mut index = range.start;
        while index < range.end {
            if self.word(index) == "," {
                parts.push(start..index);
                start = index + 1;
            }
            index = self.skip(index);
        }
        if start < range.end {
            parts.push(start..range.end);
        }
        parts
    }

    /// Whether a directive lies inside the byte range.
    pub(crate) fn has_directive(&self, bytes: &Range<usize>) -> bool {
        self.all.iter().any(|token| {
            token.kind == TokenKind::Directive
                && bytes.start <= token.span.start
                && token.span.start < bytes.end
        })
    }

    /// Index of the name declared by a declarator with or without specifiers before it.
    ///
    /// Trailing array bounds, parameter lists and attributes are stripped first. Without a type
    /// word before it the last identifier is the type of an unnamed declaration, not a name, unless
    /// `abstract_allowed` is false (later declarators of a list have no specifiers of their own).
    pub(crate) fn declared_name(
        &self,
        range: Range<usize>,
        abstract_allowed: bool,
    ) -> Option<usize> {
        let mut start = range.start;
        let mut end = range.end;
        let mut abstract_allowed = abstract_allowed;
        loop {
            let last = end.checked_sub(1).filter(|&last| last >= start)?;
            if self.closes(last, "]") {
                end = self.skip_back(last);
            } else if self.closes(last, ")") {
                let open = self.skip_back(last);
                let before = open.checked_sub(1).filter(|&before| before >= start);
                if before.is_some_and(|before| {
                    self.closes(before, ")")
                        || self.is_plain_name(before)
                            && (!abstract_allowed || before > start)
                            && !matches!(self.word(open + 1), "*" | "^")
                }) {
                    end = open;
                } else if before.is_some_and(|at| OPERATOR_WORDS.contains(&self.word(at))) {
                    end = open - 1;
                } else {
                    // A parenthesised declarator: the name is inside, after its specifiers.
                    start = open + 1;
                    end = last;
                    abstract_allowed = false;
                }
            } else if self.is_plain_name(last) {
                let typed = (start..last).any(|at| {
                    let word = self.word(at);
                    !STORAGE.contains(&word) && !QUALIFIERS.contains(&word)
                });
                let tag =
                    last > start && matches!(self.word(last - 1), "struct" | "union" | "enum");
                return (!abstract_allowed || typed && !tag).then_some(last);
            } else {
                return None;
            }
        }
    }
}
