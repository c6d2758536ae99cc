//! Calls of <math.h>: C has one function of each name, for `double`, where C++ takes the one of the
//! arguments' type.

use super::{Code, Edit, TokenKind, define, directives, file_scope};
use std::collections::BTreeSet;

/// Functions that C calls with `double`, with the number of such arguments, which are the first.
const OF_DOUBLE: &[(&str, usize)] = &[
    ("acos", 1),
    ("acosh", 1),
    ("asin", 1),
    ("asinh", 1),
    ("atan", 1),
    ("atan2", 2),
    ("atanh", 1),
    ("cbrt", 1),
    ("ceil", 1),
    ("copysign", 2),
    ("cos", 1),
    ("cosh", 1),
    ("erf", 1),
    ("erfc", 1),
    ("exp", 1),
    ("exp2", 1),
    ("expm1", 1),
    ("fabs", 1),
    ("fdim", 2),
    ("floor", 1),
    ("fma", 3),
    ("fmax", 2),
    ("fmin", 2),
    ("fmod", 2),
    ("frexp", 1),
    ("hypot", 2),
    ("ldexp", 1),
    ("lgamma", 1),
    ("log", 1),
    ("log10", 1),
    ("log1p", 1),
    ("log2", 1),
    ("logb", 1),
    ("modf", 1),
    ("nearbyint", 1),
    ("nextafter", 2),
    ("pow", 2),
    ("remainder", 2),
    ("rint", 1),
    ("round", 1),
    ("scalbn", 1),
    ("sin", 1),
    ("sinh", 1),
    ("sqrt", 1),
    ("tan", 1),
    ("tanh", 1),
    ("tgamma", 1),
    ("trunc", 1),
];

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
            _ => (OF_DOUBLE.iter())
                .find(|(function, _)| *function == name)
                .map(|(_, n)| (*n, "(double)(")),
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
