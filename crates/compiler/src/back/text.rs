//! Indented lines, and the pieces that index expressions are made of.

/// Indented text.
pub(super) struct Writer {
    pub(super) text: String,
    pub(super) depth: usize,
}

impl Writer {
    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if line.is_empty() {
            self.text.push('\n');
            return;
        }
        let indent = if line.starts_with('#') { 0 } else { self.depth };
        self.text.extend(std::iter::repeat_n("  ", indent));
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(super) fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    pub(super) fn close(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }
}

fn is_atom(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Without one pair of parentheses around everything.
pub(super) fn unwrapped(text: &str) -> &str {
    if is_bracketed(text) && text.starts_with('(') {
        &text[1..text.len() - 1]
    } else {
        text
    }
}

/// `x + c` without a zero or a `+ -`.
pub(super) fn add_constant(x: &str, c: i64) -> String {
    match (x, c) {
        (_, 0) => x.to_string(),
        ("0", c) => c.to_string(),
        (_, c) if c < 0 => format!("{x} - {}", -c),
        _ => format!("{x} + {c}"),
    }
}

/// A sum without its zeros.
pub(super) fn sum(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|p| *p != "0").collect();
    if parts.is_empty() {
        "0".to_string()
    } else {
        parts.join(" + ")
    }
}

/// Parenthesised unless it is a name, a number or one call.
pub(super) fn paren_sum(text: String) -> String {
    let name_len = text
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .count();
    if is_atom(&text) || is_bracketed(&text[name_len..]) {
        text
    } else {
        format!("({text})")
    }
}

/// Whether the text is one pair of parentheses with something inside.
fn is_bracketed(text: &str) -> bool {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return c == ')' && at + 1 == text.len();
        }
    }
    false
}

/// The first `n` characters.
pub(crate) fn truncate(text: &str, n: usize) -> String {
    if text.chars().count() <= n {
        text.to_string()
    } else {
        text.chars().take(n).chain("...".chars()).collect()
    }
}
