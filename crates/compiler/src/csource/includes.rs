//! Files that a text includes in quotes.

mod headers;

pub use headers::HeaderNames;

use super::{TokenKind, directives, tokenize};
use std::ops::Range;

/// Names of the files that a text includes in quotes.
pub fn quoted_includes(text: &str) -> Vec<String> {
    let all = directives(text).into_iter();
    all.filter_map(|d| Some(d[quoted_include(d)?].to_string()))
        .collect()
}

/// The directives of a text that include files in quotes, with the names of these.
pub fn places_of_quoted_includes(text: &str) -> Vec<(Range<usize>, String)> {
    let all = tokenize(text).into_iter();
    let directives = all.filter(|t| t.kind == TokenKind::Directive);
    directives
        .filter_map(|t| {
            let directive = &text[t.span.clone()];
            let name = directive[quoted_include(directive)?].to_string();
            Some((t.span, name))
        })
        .collect()
}

/// The header that a directive includes in angle brackets.
pub(crate) fn system_include(directive: &str) -> Option<&str> {
    let rest = directive.strip_prefix('#')?.trim_start();
    let name = rest.strip_prefix("include")?.trim_start();
    Some(name.strip_prefix('<')?.split_once('>')?.0.trim())
}

/// Bytes of the name in a directive that includes a file in quotes.
pub(crate) fn quoted_include(directive: &str) -> Option<Range<usize>> {
    let after_hash = directive.trim_start_matches('#').trim_start();
    let rest = after_hash.strip_prefix("include")?.trim_start();
    let name = rest.strip_prefix('"')?;
    let start = directive.len() - name.len();
    Some(start..start + name.find('"')?)
}
