//! What stands at file scope, one item after the other.

use super::{Code, FileScope, TokenKind, file_scope_item};
use std::ops::Range;

/// A declaration or a definition at file scope.
pub(crate) struct Item {
    /// Its tokens.
    pub(crate) tokens: Range<usize>,
    /// Whether it declares or defines a function.
    pub(crate) is_function: bool,
}

/// The items of a file in their order; `extern "C"` blocks are entered.
pub(crate) fn items(code: &Code) -> Vec<Item> {
    let mut scope = FileScope::default();
    let mut items = Vec::new();
    let mut start = 0;
    while start < code.tokens.len() {
        let is_string = |at: usize| (code.tokens.get(at)).is_some_and(|t| t.kind == TokenKind::Str);
        if code.word(start) == "extern" && is_string(start + 1) && code.word(start + 2) == "{" {
            start += 3;
            continue;
        }
        let before = scope.functions.len();
        let end = file_scope_item(code, start, &mut scope).max(start + 1);
        items.push(Item {
            tokens: start..end,
            is_function: scope.functions.len() > before,
        });
        start = end;
    }
    items
}
