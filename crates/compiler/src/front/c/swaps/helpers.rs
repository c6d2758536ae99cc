//! Lists and blocks that swap pointers.

use super::{assignment, declared_pointer};
use crate::csource::{self, Code};
use std::ops::Range;

/// What `t = a, a = b, b = t;` assigns, to and from, one after the other; `None` where it does something else, too.
pub(super) fn of_list(code: &Code, stmt: &Range<usize>) -> Option<Vec<(String, String)>> {
    let end = stmt
        .end
        .checked_sub(1)
        .filter(|&end| code.word(end) == ";")?;
    let parts = code.split_commas(stmt.start..end);
    let assigned = |part: &Range<usize>| {
        let (to, equals, from) = (part.start, part.start + 1, part.start + 2);
        let is_plain = part.len() == 3 && code.is_plain_name(to) && code.is_plain_name(from);
        let name = |at: usize| code.word(at).to_string();
        (is_plain && code.word(equals) == "=").then(|| (name(to), name(from)))
    };
    (parts.len() > 1).then(|| parts.iter().map(assigned).collect())?
}

/// What `{ float *t = a; a = b; b = t; }` assigns, likewise.
pub(super) fn of_block(code: &Code, stmt: &Range<usize>) -> Option<Vec<(String, String)>> {
    if !code.opens(stmt.start, "{") || code.skip(stmt.start) != stmt.end {
        return None;
    }
    let mut inner: Vec<&str> = Vec::new();
    let mut all = Vec::new();
    for stmt in csource::statements(code, stmt.start + 1..stmt.end - 1) {
        if let Some(name) = declared_pointer(code, stmt.start..stmt.end - 1) {
            inner.push(code.word(name));
            continue;
        }
        let (to, from) = assignment(code, &stmt)?;
        if stmt.len() > 4 {
            inner.push(to);
        }
        let name = |name: &str| match inner.contains(&name) {
            true => format!("block.{name}"),
            false => name.to_string(),
        };
        all.push((name(to), name(from)));
    }
    Some(all)
}

/// Whether a name is one that a block has for itself.
pub(super) fn is_inner(name: &str) -> bool {
    name.contains('.')
}
