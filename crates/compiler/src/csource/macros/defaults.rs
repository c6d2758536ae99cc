//! Macros that a file defines unless they are defined, and what a part of a file is made of.

use crate::csource::{self, Code, TokenKind, define, directive_words, is_declared};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Macros with a value that `#ifndef NAME` makes a default, but for those that headers of the system may define.
pub fn defaults(text: &str) -> BTreeMap<String, String> {
    let directives = csource::directives(text);
    let mut found = BTreeMap::new();
    for pair in directives.windows(2) {
        let mut words = directive_words(pair[0]);
        let guarded = match (words.next(), words.next()) {
            (Some("ifndef"), Some(name)) => name,
            _ => continue,
        };
        let Some(define) = define(pair[1]) else {
            continue;
        };
        let is_value = define.name == guarded && define.params.is_none();
        if is_value && !define.body.is_empty() && !is_declared(guarded) {
            found.insert(guarded.to_string(), define.body.to_string());
        }
    }
    found
}

/// Whether a name is a macro at an offset, as far as the text shows that: it is not defined further down only.
pub fn is_defined_before(text: &str, name: &str, offset: usize) -> bool {
    let code = Code::new(text);
    let directives = (code.all.iter()).filter(|t| t.kind == TokenKind::Directive);
    let mut defined = directives
        .filter(|t| define(&text[t.span.clone()]).is_some_and(|d| d.name == name))
        .map(|t| t.span.start)
        .peekable();
    defined.peek().is_none() || defined.any(|at| at < offset)
}

/// Whether a macro of a file is a number wherever it is defined.
pub fn is_numeric_macro(text: &str, name: &str) -> bool {
    let directives = csource::directives(text);
    let mut bodies = (directives.iter())
        .filter_map(|d| define(d))
        .filter(|d| d.name == name)
        .peekable();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    bodies.peek().is_some() && bodies.all(|d| d.params.is_none() && is_number(d.body))
}

/// Whether a word belongs to the names of types of numbers.
pub fn is_number_type(word: &str) -> bool {
    csource::TYPE_WORDS.contains(&word) && !matches!(word, "void" | "struct" | "union" | "enum")
}

/// The words of a part of a file, of the functions, macros and types that it names, and of the types and bounds of
/// variables there.
pub fn words_behind(text: &str, part: Range<usize>) -> BTreeSet<String> {
    let directives = csource::directives(text);
    let defines: Vec<_> = directives.iter().filter_map(|d| define(d)).collect();
    let functions = csource::functions(text);
    let code = Code::new(text);
    let mut seen = BTreeSet::new();
    let mut open: Vec<String> = owned(&text[part.clone()]);
    while let Some(word) = open.pop() {
        if !seen.insert(word.clone()) {
            continue;
        }
        for define in defines.iter().filter(|d| d.name == word) {
            open.extend(define.words().into_iter().map(str::to_string));
        }
        for function in functions.iter().filter(|f| f.name == word) {
            open.extend(owned(&text[function.start..function.body.end]));
        }
        for item in type_items(&code, &word) {
            open.extend(owned(&text[code.bytes(item)]));
        }
        if let Some(ty) = csource::declared_type(text, &word, part.start) {
            open.extend(owned(&ty));
        }
        if let Some(declarator) = csource::declarator(text, &word, part.start) {
            open.extend(owned(&text[declarator.range]));
        }
    }
    seen
}

fn owned(text: &str) -> Vec<String> {
    csource::words(text)
        .into_iter()
        .map(str::to_string)
        .collect()
}

/// The tokens of the definitions of a type or an enumerator.
fn type_items(code: &Code, name: &str) -> Vec<Range<usize>> {
    let n = code.tokens.len();
    let mut found = Vec::new();
    for start in
        (0..n).filter(|&at| matches!(code.word(at), "typedef" | "enum" | "struct" | "union"))
    {
        let mut end = start;
        while end < n && !matches!(code.word(end), ";" | ")" | ",") {
            end = code.skip(end).max(end + 1);
        }
        let is_typedef =
            code.word(start) == "typedef" && (start..end).any(|at| code.word(at) == name);
        let is_tag = code.word(start + 1) == name && code.opens(start + 2, "{");
        let is_enumerator = code.word(start) == "enum" && {
            let open = (start..end).find(|&at| code.opens(at, "{"));
            open.is_some_and(|open| (open..code.skip(open)).any(|at| code.word(at) == name))
        };
        if is_typedef || is_tag || is_enumerator {
            found.push(start..end.min(n));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_that_a_command_line_can_change() {
        let text = "#ifndef GRID_H\n#define GRID_H\n#ifndef N\n#define N (2 * W)\n#endif\n#ifndef M_PI\n#define M_PI 3.1\n#endif\n#define W 4\n#ifndef REAL\n#define REAL float\n#endif\n#endif\n";
        let found = defaults(text);
        let names: Vec<(&str, &str)> = (found.iter())
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(names, [("N", "(2 * W)"), ("REAL", "float")]);
        assert!(is_numeric_macro(text, "W") && !is_numeric_macro(text, "REAL"));
        assert!(is_defined_before(text, "W", text.len()) && !is_defined_before(text, "W", 20));
    }

    #[test]
    fn words_lead_to_bounds_and_types() {
        let text = "#define M (2 * K)\ntypedef REAL real;\nenum { SIDE = L };\nstatic real u[M];\nstatic int other[P];\n\
            static int f(int x) { return x + Q; }\nint main(void) { int n = R; for (int i = 0; i < n; i++) u[i] = f(SIDE); return other[0]; }\n";
        let begin = text.find("for").unwrap_or(0);
        let end = text.find(" return other").unwrap_or(0);
        let words = words_behind(text, begin..end);
        for word in ["K", "REAL", "L", "Q"] {
            assert!(words.contains(word), "{word}");
        }
        for word in ["P", "R", "main"] {
            assert!(!words.contains(word), "{word}");
        }
    }
}
