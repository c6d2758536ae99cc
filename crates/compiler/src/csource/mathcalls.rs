//! Calls of <math.h>: C has one function of each name, for `double`, where C++ takes the one of the
//! arguments' type.

use super::{Code, Edit, TokenKind, define, directives, file_scope};
use crate::ctype::{CType, math_function};
use std::collections::BTreeSet;

/// Functions that C calls with `double` beside those that kernels may call; the number of such arguments, which are the
/// first, and their names.
const OTHERS: [(usize, &str); 2] = [
    (
        1,
        "acosh asinh atanh erfc frexp ldexp lgamma logb modf nearbyint scalbn tgamma",
    ),
    (2, "nextafter remainder"),
];

/// How many arguments of a function are of `double`, the first ones, if it is one of such arguments.
fn of_double(name: &str) -> Option<usize> {
    let is_one = |(_, names): &&(usize, &str)| names.split(' ').any(|other| other == name);
    let other = OTHERS.iter().find(is_one).map(|(n, _)| *n);
    let known = || math_function(name).filter(|f| f.arg == CType::Double);
    other.or_else(|| Some(known()?.n_args))
}

/// Casts that make C++ call the functions that C calls, in code and in macros.
pub fn rewrite_math_calls(text: &str) -> Vec<Edit> {
    let all = directives(text);
    if all.iter().any(|d| d.contains("tgmath.h")) {
        return Vec::new();
    }
    let code = Code::new(text);
    let mut own: BTreeSet<&str> = (file_scope(&code).functions.iter())
        .map(|f| code.word(f.name))
        .collect();
    own.extend(all.iter().filter_map(|d| Some(define(d)?.name)));
    let mut edits = casts(&code, 0, &own);
    let directives = (code.all.iter()).filter(|t| t.kind == TokenKind::Directive);
    for token in directives {
        if let Some(m) = define(&text[token.span.clone()]) {
            // A `#` that begins a text begins a directive.
            let body = m.body.trim_start_matches('#');
            let start = token.span.start + m.body_start + (m.body.len() - body.len());
            edits.extend(casts(&Code::new(body), start, &own));
        }
    }
    edits
}

/// Casts in code that begins at a byte, for functions that are not the program's own.
fn casts(code: &Code, start: usize, own: &BTreeSet<&str>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for at in 0..code.tokens.len() {
        let name = code.word(at);
        let known = match name {
            "abs" => Some((1, "(int)(")),
            _ => of_double(name).map(|n| (n, "(double)(")),
        };
        let before = at.checked_sub(1).map_or("", |i| code.word(i));
        let Some((n, cast)) = known.filter(|_| !own.contains(name)) else {
            continue;
        };
        // Declarations have a type before the name.
        let is_call = code.opens(at + 1, "(")
            && !matches!(before, "." | "->")
            && (before == "return" || before == "else" || !is_word(before));
        let args = code.split_commas(at + 2..code.skip(at + 1).saturating_sub(1));
        if !is_call || args.len() < n {
            continue;
        }
        for arg in args.into_iter().take(n) {
            let bytes = code.bytes(arg);
            let insert = |at: usize, text: &str| Edit {
                range: start + at..start + at,
                replacement: text.to_string(),
            };
            edits.push(insert(bytes.start, cast));
            edits.push(insert(bytes.end, ")"));
        }
    }
    edits
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csource::apply_edits;

    #[test]
    fn functions_of_double_get_doubles() {
        let rewritten =
            |text: &str| apply_edits(text, rewrite_math_calls(text)).expect("no overlaps");
        for (from, to) in [
            (
                "float f(float a, float b) { return 0.3f * fmin(a, fmax(b, 1)); }",
                "float f(float a, float b) { return 0.3f * fmin((double)(a), (double)(fmax((double)(b), (double)(1)))); }",
            ),
            (
                "#define D(a, b) \\\n  fabs(a - b)\nint x = abs(2.5) + s.abs(3);",
                "#define D(a, b) \\\n  fabs((double)(a - b))\nint x = abs((int)(2.5)) + s.abs(3);",
            ),
            (
                "#define ROOT sqrt(x)\n# define HALF(x) (fabs(x) / 2)",
                "#define ROOT sqrt((double)(x))\n# define HALF(x) (fabs((double)(x)) / 2)",
            ),
            (
                "double y = ldexp(x, 3), z = sqrtf(x);",
                "double y = ldexp((double)(x), 3), z = sqrtf(x);",
            ),
            (
                "static float round(float x) { return x; } int z = round(y);",
                "static float round(float x) { return x; } int z = round(y);",
            ),
            (
                "#define exp(x) x\nint z = exp(y);",
                "#define exp(x) x\nint z = exp(y);",
            ),
            (
                "#include <tgmath.h>\nfloat z = exp(y);",
                "#include <tgmath.h>\nfloat z = exp(y);",
            ),
            ("double pow(double, double);", "double pow(double, double);"),
        ] {
            assert_eq!(rewritten(from), to);
        }
    }
}
