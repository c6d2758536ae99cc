//! Variables that are declared between loops, declared in the innermost one: what they hold is computed
//! for each cell then.
//!
//! ```c
//! for (int i = 0; i < n; i++) {                  for (int i = 0; i < n; i++) {
//!   int up = i == 0 ? n - 1 : i - 1;               for (int j = 0; j < n; j++) {
//!   for (int j = 0; j < n; j++)                      int up = i == 0 ? n - 1 : i - 1;
//!     v[i][j] = u[up][j];                            v[i][j] = u[up][j];
//! }                                                } }
//! ```

use crate::csource::{self, Code, Edit, statement_end};
use std::collections::BTreeSet;
use std::ops::Range;

/// The changes of loops that begin with the tokens; `None` where nothing is declared between them, or
/// may have another value further inside.
pub(super) fn declarations(code: &Code, tokens: Range<usize>) -> Option<Vec<Edit>> {
    let mut declared: Vec<Range<usize>> = Vec::new();
    let mut at = tokens.start;
    let mut body = None;
    while code.word(at) == "for" && code.opens(at + 1, "(") {
        let start = code.skip(at + 1);
        let inner = match code.opens(start, "{") {
            true => start + 1..code.skip(start) - 1,
            false => start..statement_end(code, start, tokens.end),
        };
        let between = before_loop(code, inner.clone());
        body = Some((inner.clone(), code.opens(start, "{")));
        let Some(between) = between else {
            break;
        };
        at = between.last().map_or(inner.start, |last| last.end);
        declared.extend(between);
    }
    let (body, has_braces) = body?;
    if declared.is_empty() || !declared.iter().all(|d| stays(code, d, &body, tokens.end)) {
        return None;
    }
    let text = |range: &Range<usize>| &code.text[code.bytes(range.clone())];
    let lines: Vec<&str> = declared.iter().map(text).collect();
    let bytes = code.bytes(body);
    let [open, close] = match has_braces {
        true => [" ", ""],
        false => ["{ ", " }"],
    };
    let insert = |at: usize, replacement: String| Edit {
        range: at..at,
        replacement,
    };
    let gone = declared.into_iter().map(|range| Edit {
        range: code.bytes(range),
        replacement: String::new(),
    });
    let mut edits: Vec<Edit> = gone.collect();
    edits.push(insert(bytes.start, format!("{open}{} ", lines.join(" "))));
    edits.push(insert(bytes.end, close.to_string()));
    Some(edits)
}

/// The declarations before the loop that is the rest of a body; `None` where the body is none of these.
fn before_loop(code: &Code, body: Range<usize>) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let mut at = body.start;
    while code.word(at) != "for" {
        let end = statement_end(code, at, body.end);
        let first = code.word(at);
        let is_declaration = (csource::is_type_word(first) || first == "const")
            && code.word(end - 1) == ";"
            && end < body.end;
        if !is_declaration {
            return None;
        }
        found.push(at..end);
        at = end;
    }
    (statement_end(code, at, body.end) == body.end).then_some(found)
}

/// Whether variables that are declared have the same values in the body of the innermost loop: nothing
/// behind the declaration changes them or what they are made of, and no header names them.
fn stays(code: &Code, declaration: &Range<usize>, body: &Range<usize>, end: usize) -> bool {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let parts = code.split_commas(declaration.start..declaration.end - 1);
    for (position, part) in parts.into_iter().enumerate() {
        let Some(equals) = part.clone().find(|&at| code.word(at) == "=") else {
            return false;
        };
        let Some(name) = code.declared_name(part.start..equals, position == 0) else {
            return false;
        };
        let is_plain = name + 1 == equals && !(part.start..name).any(|at| code.word(at) == "*");
        let mut value = equals + 1..part.end;
        let computes = |at: usize| {
            let word = code.word(at);
            let is_call = code.is_plain_name(at) && code.opens(at + 1, "(");
            !is_call && !matches!(word, "[" | "{" | "*" | "&" | "." | "->")
                || word == "*" && is_product(code, at)
        };
        if !is_plain || !value.clone().all(computes) {
            return false;
        }
        names.insert(code.word(name));
        used.extend(
            value
                .by_ref()
                .filter(|&at| code.is_ident(at))
                .map(|at| code.word(at)),
        );
    }
    let in_headers = |at: usize| names.contains(code.word(at)) && !body.contains(&at);
    let changes = |at: usize| {
        let is_one = names.contains(code.word(at)) || used.contains(code.word(at));
        let is_taken = code.word(at - 1) == "&";
        code.is_plain_name(at) && is_one && (csource::is_assigned(code, at) || is_taken)
    };
    let mut rest = declaration.end..end;
    !rest.any(|at| in_headers(at) || changes(at))
}

/// Whether a star has an operand before it.
fn is_product(code: &Code, at: usize) -> bool {
    let before = code.word(at - 1);
    matches!(before, ")" | "]") || before.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csource::apply_edits;

    fn sunk(text: &str) -> Option<String> {
        let code = Code::new(text);
        let edits = declarations(&code, 0..code.tokens.len())?;
        apply_edits(text, edits).ok()
    }

    #[test]
    fn declarations_between_loops_go_into_the_innermost() {
        let text = "for (i = 0; i < n; i++) { int a = i ? i - 1 : n, b = 2 * i; for (j = 0; j < n; j++) v[i][j] = u[a][b]; }";
        let expected = "for (i = 0; i < n; i++) {  for (j = 0; j < n; j++) { int a = i ? i - 1 : n, b = 2 * i; v[i][j] = u[a][b]; } }";
        assert_eq!(sunk(text).as_deref(), Some(expected));
    }

    #[test]
    fn what_changes_further_inside_stays() {
        for body in [
            "for (j = 0; j < n; j++) v[i][j] = u[i][j];",
            "int a = i; for (j = a; j < n; j++) v[i][j] = u[i][j];",
            "int a = i; for (j = 0; j < n; j++) a += u[i][j];",
            "int a = m; for (j = 0; j < n; j++) m = j;",
            "int a = u[i][0]; for (j = 0; j < n; j++) v[i][j] = a;",
            "int a = f(i); for (j = 0; j < n; j++) v[i][j] = a;",
            "int a; for (j = 0; j < n; j++) v[i][j] = a;",
            "int a = i; for (j = 0; j < n; j++) v[i][j] = a; w[i] = a;",
        ] {
            let text = format!("for (i = 0; i < n; i++) {{ {body} }}");
            assert_eq!(sunk(&text), None, "{body}");
        }
    }
}
