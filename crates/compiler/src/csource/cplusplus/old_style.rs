//! Old-style definitions of functions, `int f(a, b) int a; double *b; { .. }`, as C++ and pet want them.

use crate::csource::{Code, Edit, TokenKind, apply_edits};
use std::collections::BTreeMap;
use std::ops::Range;

/// A text in which old-style definitions have the types of their parameters in parentheses, and so
/// have declarations of these functions; every line stays where it is. `None` without such definitions.
pub fn modernized(text: &str) -> Option<String> {
    let code = Code::new(text);
    let mut edits = Vec::new();
    let mut found = BTreeMap::new();
    for at in file_scope_names(&code) {
        if let Some((params, edit)) = definition(&code, at) {
            edits.extend(edit);
            found.insert(code.word(at), params);
        }
    }
    for at in file_scope_names(&code) {
        let is_empty = code.word(at + 2) == ")" && code.word(at + 3) == ";";
        if let (Some(params), true) = (found.get(code.word(at)), is_empty) {
            let end = code.tokens[at + 1].span.end;
            edits.push(Edit {
                range: end..end,
                replacement: params.clone(),
            });
        }
    }
    (!edits.is_empty()).then(|| apply_edits(text, edits).ok())?
}

/// Names before parentheses outside of all brackets.
fn file_scope_names<'c>(code: &'c Code) -> impl Iterator<Item = usize> + 'c {
    let next = move |&at: &usize| Some(code.skip(at));
    let tokens = std::iter::successors(Some(0), next).take_while(move |&at| at < code.tokens.len());
    tokens.filter(move |&at| code.is_plain_name(at) && code.opens(at + 1, "("))
}

/// The parameters of the definition of a function whose name is given, and what makes it a new one.
fn definition(code: &Code, name: usize) -> Option<(String, Vec<Edit>)> {
    let (open, after) = (name + 1, code.skip(name + 1));
    let names: Vec<&str> = code
        .split_commas(open + 1..after - 1)
        .into_iter()
        .map(|part| {
            (part.len() == 1 && code.is_plain_name(part.start)).then(|| code.word(part.start))
        })
        .collect::<Option<_>>()?;
    let body = (after..code.tokens.len()).find(|&at| code.opens(at, "{"))?;
    if names.is_empty() || body == after || code.word(body - 1) != ";" {
        return None;
    }
    let mut types = BTreeMap::new();
    let mut at = after;
    while at < body {
        let end = (at..body).find(|&at| code.word(at) == ";")?;
        types.extend(declared(code, at..end)?);
        at = end + 1;
    }
    let params = names.iter().map(|name| {
        let declared = types.remove(*name);
        declared.unwrap_or_else(|| format!("int {name}"))
    });
    let params = params.collect::<Vec<_>>().join(", ");
    let gone = code.bytes(after..body);
    let directive =
        |t: &crate::csource::Token| t.kind == TokenKind::Directive && gone.contains(&t.span.start);
    if !types.is_empty() || code.all.iter().any(directive) {
        return None;
    }
    let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
    let edits = vec![
        Edit {
            range: code.bytes(open + 1..after - 1),
            replacement: params.clone(),
        },
        Edit {
            range: gone.clone(),
            replacement: code.text[gone].chars().map(blank).collect(),
        },
    ];
    Some((params, edits))
}

/// The names of a declaration without initial values, each with a declaration of its own.
fn declared(code: &Code, tokens: Range<usize>) -> Option<Vec<(String, String)>> {
    let parts = code.split_commas(tokens.clone());
    let first = parts.first()?;
    let is_name = |at: &usize| code.is_plain_name(*at);
    let name_of = |part: &Range<usize>| {
        let bound = part.clone().find(|&at| code.opens(at, "["));
        (part.start..bound.unwrap_or(part.end)).rev().find(is_name)
    };
    let mut start = name_of(first)?;
    while start > first.start && code.word(start - 1) == "*" {
        start -= 1;
    }
    let words = |tokens: Range<usize>| -> String {
        let words: Vec<&str> = tokens.map(|at| code.word(at)).collect();
        words.join(" ")
    };
    let plain = |at: usize| !matches!(code.word(at), "(" | "=" | "{" | "}" | "extern" | "static");
    if start == first.start || !tokens.clone().all(plain) {
        return None;
    }
    let specifiers = words(first.start..start);
    (parts.iter().enumerate())
        .map(|(i, part)| {
            let declarator = if i == 0 {
                start..part.end
            } else {
                part.clone()
            };
            let name = code.word(name_of(part)?).to_string();
            Some((name, format!("{specifiers} {}", words(declarator))))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::modernized;

    #[test]
    fn parameters_get_their_types() {
        for (text, expected) in [
            ("double f();\ndouble f(x, n)\ndouble *x, y[2];\n{ }", None),
            (
                "double f();\ndouble f(x, y, n)\nconst double *x, y[2];\n{ return f(x, y, n); }",
                Some(
                    "double f(const double * x, const double y [ 2 ], int n);\ndouble f(const double * x, const double y [ 2 ], int n)\n                       \n{ return f(x, y, n); }",
                ),
            ),
            (
                "int main(argc, argv) int argc; char **argv; { }",
                Some("int main(int argc, char * * argv)                          { }"),
            ),
            ("int f(a) { }", None),
            ("int f(int a) { int b; { } }", None),
            ("F(a, b); int g(void) { }", None),
            (
                "struct s { int a; } f(a) struct s *a; { }",
                Some("struct s { int a; } f(struct s * a)              { }"),
            ),
        ] {
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let new = modernized(text);
            assert_eq!(new.as_deref().map(words), expected.map(words), "{text}");
            let lines = new.as_deref().unwrap_or(text).lines().count();
            assert_eq!(lines, text.lines().count(), "{text}");
        }
    }
}
