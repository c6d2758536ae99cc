//! C as tokens.

use std::ops::Range;

/// Lexical class of a [`Token`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// An identifier or a keyword; C keywords are not distinguished lexically.
    Ident,
    /// A preprocessing number such as `1`, `0x1p-3f` or `.5e+3`.
    Number,
    /// One operator or punctuator, by longest match.
    Punct,
    /// A string literal with its encoding prefix; it ends at the line end if unterminated.
    Str,
    /// A character literal with its encoding prefix; it ends at the line end if unterminated.
    Char,
    /// A `/* */` or `//` comment, without the newline that ends the latter.
    Comment,
    /// A preprocessor directive: the whole logical line from `#`, without the final newline.
    Directive,
}

/// A token and the bytes it covers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Token {
    /// Lexical class.
    pub kind: TokenKind,
    /// Covered bytes; never empty, and both ends lie on character boundaries.
    pub span: Range<usize>,
}

/// Punctuators of more than one character, longest first.
const LONG_PUNCTUATORS: [&str; 26] = [
    "<<=", ">>=", "...", "<<<", ">>>", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", "::",
];

/// Splits a text into tokens; whitespace and backslash continuations between tokens are skipped.
/// Characters outside ASCII count as letters, so every text has a tokenization.
pub fn tokenize(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut pos = 0;
    let mut first_on_line = true;
    while pos < bytes.len() {
        let start = pos;
        let byte = bytes[pos];
        if byte == b'\n' {
            first_on_line = true;
            pos += 1;
            continue;
        }
        if byte.is_ascii_whitespace() || byte == 0x0b {
            pos += 1;
            continue;
        }
        if let Some(after) = continuation(bytes, pos) {
            pos = after;
            continue;
        }
        let kind = if let Some(end) = comment_end(bytes, pos) {
            pos = end;
            TokenKind::Comment
        } else if byte == b'#' && first_on_line {
            pos = directive_end(bytes, pos);
            TokenKind::Directive
        } else if let Some((end, quote)) = literal_end(bytes, pos) {
            pos = end;
            if quote == b'"' {
                TokenKind::Str
            } else {
                TokenKind::Char
            }
        } else if is_ident_start(byte) {
            while pos < bytes.len() && is_ident_continue(bytes[pos]) {
                pos += 1;
            }
            TokenKind::Ident
        } else if byte.is_ascii_digit()
            || byte == b'.' && bytes.get(pos + 1).is_some_and(u8::is_ascii_digit)
        {
            pos += 1;
            while pos < bytes.len() {
                let exponent = matches!(bytes[pos - 1], b'e' | b'E' | b'p' | b'P')
                    && matches!(bytes[pos], b'+' | b'-');
                if !(is_ident_continue(bytes[pos]) || bytes[pos] == b'.' || exponent) {
                    break;
                }
                pos += 1;
            }
            TokenKind::Number
        } else {
            pos += punctuator_length(&bytes[pos..]);
            TokenKind::Punct
        };
        // A block comment does not end the possibility of a directive on its line.
        first_on_line &= kind == TokenKind::Comment;
        tokens.push(Token {
            kind,
            span: start..pos,
        });
    }
    tokens
}

fn punctuator_length(rest: &[u8]) -> usize {
    // Most have one character, and so no second one that is of a longer one.
    if !rest.get(1).is_some_and(|next| b"<>.+-=&|#:".contains(next)) {
        return 1;
    }
    (LONG_PUNCTUATORS.iter())
        .find(|punct| rest.starts_with(punct.as_bytes()))
        .map_or(1, |punct| punct.len())
}

/// Bytes above ASCII are letters, which keeps every token on character boundaries.
fn is_ident_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn is_ident_continue(byte: u8) -> bool {
    is_ident_start(byte) || byte.is_ascii_digit()
}

/// Position after a backslash-newline starting at `pos`.
fn continuation(bytes: &[u8], pos: usize) -> Option<usize> {
    let rest = bytes.get(pos..)?;
    if rest.starts_with(b"\\\n") {
        Some(pos + 2)
    } else if rest.starts_with(b"\\\r\n") {
        Some(pos + 3)
    } else {
        None
    }
}

fn comment_end(bytes: &[u8], pos: usize) -> Option<usize> {
    let rest = &bytes[pos..];
    if rest.starts_with(b"/*") {
        let close = rest[2..].windows(2).position(|pair| pair == b"*/");
        Some(close.map_or(bytes.len(), |at| pos + 2 + at + 2))
    } else if rest.starts_with(b"//") {
        Some(logical_line_end(bytes, pos))
    } else {
        None
    }
}

/// Position of the newline that ends the logical line, or the end of the text.
fn logical_line_end(bytes: &[u8], mut pos: usize) -> usize {
    while pos < bytes.len() && bytes[pos] != b'\n' {
        pos = continuation(bytes, pos).unwrap_or(pos + 1);
    }
    pos
}

/// A directive ends like a logical line, except that a block comment in it may span lines.
fn directive_end(bytes: &[u8], mut pos: usize) -> usize {
    while pos < bytes.len() && bytes[pos] != b'\n' {
        pos = if let Some(after) = continuation(bytes, pos) {
            after
        } else if let Some(end) = comment_end(bytes, pos) {
            end
        } else if let Some((end, _)) = literal_end(bytes, pos) {
            end
        } else {
            pos + 1
        };
    }
    pos
}

/// End and quote character of the string or character literal starting at `pos`, if one does.
fn literal_end(bytes: &[u8], pos: usize) -> Option<(usize, u8)> {
    let rest = &bytes[pos..];
    let prefix = ["u8", "u", "U", "L", ""]
        .into_iter()
        .find(|prefix| {
            rest.starts_with(prefix.as_bytes())
                && matches!(rest.get(prefix.len()), Some(b'"' | b'\''))
        })?
        .len();
    let quote = rest[prefix];
    let mut at = pos + prefix + 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        if let Some(after) = continuation(bytes, at) {
            at = after;
        } else if bytes[at] == quote {
            return Some((at + 1, quote));
        } else if bytes[at] == b'\\' && at + 1 < bytes.len() && bytes[at + 1].is_ascii() {
            // An escaped newline was a continuation; anything else is one escaped character.
            at += 2;
        } else {
            at += 1;
        }
    }
    Some((at, quote))
}
