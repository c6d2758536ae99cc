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

/// `x + c` without a zero or a `+ -`.
pub(super) fn add_constant(x: &str, c: i64) -> String {
    match (x, c) {
        (_, 0) => x.to_string(),
        ("0", c) => c.to_string(),
        (_, c) if c < 0 => format!("{x} - {}", -c),
        _ => format!("{x} + {c}"),
    }
}

/// The first `n` characters.
pub(crate) fn truncate(text: &str, n: usize) -> String {
    if text.chars().count() <= n {
        text.to_string()
    } else {
        text.chars().take(n).chain("...".chars()).collect()
    }
}
