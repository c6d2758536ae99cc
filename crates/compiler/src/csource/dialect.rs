//! C of the host's code that C++ refuses and that is not rewritten.
//!
//! The text alone decides, without types: what is found is worth a warning, and not everything is
//! found.

use super::{
    Code, Declared, Edit, TokenKind, file_scope, has_type_before, is_type_word, refused_jumps,
};
use std::collections::BTreeSet;
use std::ops::Range;

/// A place that a C++ compiler refuses, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotCPlusPlus {
    /// Bytes.
    pub range: Range<usize>,
    /// What stands there.
    pub what: &'static str,
    /// What to write instead.
    pub instead: &'static str,
}

/// Places of a file that are C and not C++, in textual order.
pub fn not_cplusplus(text: &str) -> Vec<NotCPlusPlus> {
    let code = Code::new(text);
    let functions = file_scope(&code).functions;
    let mut found = Vec::new();
    let mut add = |places: Vec<Range<usize>>, what, instead| {
        found.extend(places.into_iter().map(|tokens| NotCPlusPlus {
            range: code.bytes(tokens),
            what,
            instead,
        }));
    };
    add(
        old_style(&code),
        "parameters declared behind the parentheses",
        "declare them inside: `int f(int a, int b)`",
    );
    add(
        without_prototype(&code, &functions),
        "a function declared without its parameters and called with some",
        "declare the parameters",
    );
    add(
        untyped(&code, &functions),
        "a function without a type",
        "write the type that it returns, `int` or `void`",
    );
    add(
        defined_twice(&code),
        "a variable defined twice",
        "leave one definition",
    );
    add(
        designated(&code),
        "designators in another order than the members, or of elements",
        "give the values in order, without designators",
    );
    add(
        address_of_literal(&code),
        "the address of a compound literal",
        "make it a variable",
    );
    add(
        refused_jumps(&code),
        "a jump over the initial value of a variable",
        "declare the variable before the jump, or in a block of its own",
    );
    add(
        nested_types(&code),
        "a struct, union or enumeration declared inside a struct and used outside",
        "declare it before the struct",
    );
    add(complex(&code), "a complex number", "use two numbers");
    found.sort_by_key(|f| f.range.start);
    found
}

/// The first place of a file that is C++ and not C, whatever macros are defined.
pub fn first_cplusplus(text: &str) -> Option<Range<usize>> {
    let code = Code::new(text);
    let in_code = (0..code.tokens.len())
        .filter(|&at| {
            let (word, next) = (code.word(at), code.word(at + 1));
            match word {
                "template" | "static_cast" | "reinterpret_cast" | "const_cast" => next == "<",
                "namespace" | "class" => code.is_ident(at + 1) || next == "{",
                "using" => code.is_ident(at + 1),
                "extern" => next == "\"C\"",
                "::" => true,
                ":" => next == ":",
                _ => false,
            }
        })
        .map(|at| code.bytes(at..at + 2));
    // Headers of C have names with a dot.
    let headers = (code.all.iter()).filter(|t| {
        let directive = &text[t.span.clone()];
        let mut words = super::directive_words(directive);
        let includes = t.kind == TokenKind::Directive
            && words.next().is_some_and(|word| word.starts_with("include"));
        let name = directive
            .split_once('<')
            .and_then(|(_, rest)| rest.split_once('>'));
        includes && name.is_some_and(|(name, _)| !name.contains('.'))
    });
    (in_code.chain(headers.map(|t| t.span.clone())))
        .filter(|place| !super::is_conditional(text, place.start))
        .min_by_key(|place| place.start)
}

/// `int f(a, b) int a; int b; {`.
fn old_style(code: &Code) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < code.tokens.len() {
        if code.is_plain_name(at) && code.opens(at + 1, "(") {
            let close = code.skip(at + 1);
            let names = code.split_commas(at + 2..close - 1);
            let only_names = !names.is_empty()
                && names
                    .iter()
                    .all(|p| p.len() == 1 && code.is_plain_name(p.start));
            let typed = is_type_word(code.word(close))
                || code.is_plain_name(close) && code.is_plain_name(close + 1)
                || code.word(close) == "struct";
            let body = (close..code.tokens.len())
                .find(|&i| matches!(code.word(i), "{" | "=" | "("))
                .filter(|&i| code.word(i) == "{" && code.word(i - 1) == ";");
            if only_names && typed && body.is_some() {
                found.push(at..close);
            }
            at = close;
        } else {
            // Bodies hold no definitions.
            at = code.skip(at);
        }
    }
    found
}

/// Calls with arguments of functions declared `f()`.
fn without_prototype(code: &Code, functions: &[Declared]) -> Vec<Range<usize>> {
    let bare = |f: &&Declared| code.skip(f.params) == f.params + 2;
    let names: BTreeSet<&str> = functions
        .iter()
        .filter(bare)
        .map(|f| code.word(f.name))
        .collect();
    let full: BTreeSet<&str> = (functions.iter().filter(|f| !bare(f)))
        .map(|f| code.word(f.name))
        .collect();
    let is_call = |at: &usize| {
        let name = code.word(*at);
        names.contains(name)
            && !full.contains(name)
            && code.opens(*at + 1, "(")
            && code.skip(*at + 1) > *at + 3
    };
    let first = (0..code.tokens.len()).find(is_call);
    first.map(|at| at..code.skip(at + 1)).into_iter().collect()
}

/// `int main()` for `void main()` and for `main()` alone, which returns 0.
pub fn rewrite_main(text: &str) -> Vec<Edit> {
    let code = Code::new(text);
    let functions = file_scope(&code).functions;
    let mut mains = functions.iter().filter(|f| code.word(f.name) == "main");
    let Some((main, open)) = mains.find_map(|f| Some((f, f.body?))) else {
        return Vec::new();
    };
    let before = main.name.checked_sub(1).map_or("", |at| code.word(at));
    let edit = |range: Range<usize>, replacement: &str| Edit {
        range,
        replacement: replacement.to_string(),
    };
    let name = code.bytes(main.name..main.name + 1);
    let ty = match before {
        "void" => edit(code.bytes(main.name - 1..main.name), "int"),
        "" | ";" | "}" => edit(name.start..name.start, "int "),
        _ => return Vec::new(),
    };
    let is_empty = |at: &usize| code.word(*at) == "return" && code.word(*at + 1) == ";";
    let returns = (open..code.skip(open)).filter(is_empty);
    let returns = returns.map(|at| edit(code.bytes(at..at + 1), "return 0"));
    std::iter::once(ty).chain(returns).collect()
}

/// `char s[4] = {'.', 'd', 'a', 't'}` for `char s[4] = ".dat"`, which has no room for the zero at the end.
pub fn rewrite_full_strings(text: &str) -> Vec<Edit> {
    let code = Code::new(text);
    let full = |at: usize| {
        let (size, word) = (code.word(at + 1), code.word(at + 4));
        let is_one = code.opens(at, "[")
            && code.closes(at + 2, "]")
            && code.word(at + 3) == "="
            && matches!(code.word(at + 5), ";" | ",");
        let inner = word.strip_prefix('"')?.strip_suffix('"')?;
        let is_plain = inner.bytes().all(|b| b.is_ascii_graphic() || b == b' ')
            && !inner.contains(['\\', '"', '\''])
            && size.parse() == Ok(inner.len());
        let letters: Vec<String> = inner.chars().map(|c| format!("'{c}'")).collect();
        (is_one && is_plain && !inner.is_empty()).then(|| Edit {
            range: code.bytes(at + 4..at + 5),
            replacement: format!("{{{}}}", letters.join(", ")),
        })
    };
    (0..code.tokens.len()).filter_map(full).collect()
}

/// `f(n) { .. }`, but `main`; what macros may stand for is none.
fn untyped(code: &Code, functions: &[Declared]) -> Vec<Range<usize>> {
    let is_macro = |name: &str| {
        let is_known = super::directives(code.text).into_iter();
        name.bytes().all(|b| !b.is_ascii_lowercase())
            || (is_known.filter_map(super::define)).any(|d| d.name == name)
    };
    (functions.iter())
        .filter(|f| f.body.is_some() && !has_type_before(code, f.start, f.name))
        .filter(|f| code.word(f.name) != "main" && !is_macro(code.word(f.name)))
        .map(|f| f.name..f.name + 1)
        .collect()
}

/// Variables of the file that are declared more than once without `extern`.
fn defined_twice(code: &Code) -> Vec<Range<usize>> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    let mut start = 0;
    while start < code.tokens.len() {
        let mut end = start;
        while end < code.tokens.len() && !matches!(code.word(end), ";" | "}") {
            end = match code.opens(end, "{") && !(start..end).any(|i| code.word(i) == "=") {
                true if !matches!(code.word(start), "struct" | "union" | "enum" | "typedef") => {
                    break;
                }
                _ => code.skip(end),
            };
        }
        if code.word(end) == ";" && !matches!(code.word(start), "extern" | "typedef") {
            for (position, part) in code.split_commas(start..end).into_iter().enumerate() {
                let stop = (part.clone())
                    .find(|&i| code.word(i) == "=")
                    .unwrap_or(part.end);
                let head = part.start..stop;
                // Prototypes and macros have parentheses.
                if head.clone().any(|i| code.word(i) == "(") {
                    break;
                }
                if let Some(name) = code.declared_name(head, position == 0)
                    && !super::is_conditional(code.text, code.tokens[name].span.start)
                    && !seen.insert(code.word(name))
                {
                    found.push(name..name + 1);
                }
            }
        }
        start = code.skip(end).max(end + 1);
    }
    found
}

/// The members of the structs of a file, in order.
fn members<'a>(code: &Code<'a>) -> Vec<Vec<&'a str>> {
    let mut all = Vec::new();
    for at in 0..code.tokens.len() {
        let open = if code.opens(at + 1, "{") {
            at + 1
        } else {
            at + 2
        };
        if !matches!(code.word(at), "struct") || !code.opens(open, "{") {
            continue;
        }
        let mut names = Vec::new();
        let mut start = open + 1;
        let close = code.skip(open) - 1;
        while start < close {
            let mut end = start;
            while end < close && code.word(end) != ";" {
                end = code.skip(end);
            }
            for (position, part) in code.split_commas(start..end).into_iter().enumerate() {
                let name = code.declared_name(part, position == 0);
                names.extend(name.map(|name| code.word(name)));
            }
            start = end + 1;
        }
        all.push(names);
    }
    all
}

/// `{ .b = 1, .a = 2 }` and `{ [3] = 1 }`.
fn designated(code: &Code) -> Vec<Range<usize>> {
    let members = members(code);
    let mut found = Vec::new();
    for open in (0..code.tokens.len()).filter(|&at| code.opens(at, "{")) {
        let parts = code.split_commas(open + 1..code.skip(open) - 1);
        let element = |p: &&Range<usize>| {
            code.opens(p.start, "[") && matches!(code.word(code.skip(p.start)), "=" | "[" | ".")
        };
        if let Some(part) = parts.iter().find(element) {
            found.push(part.clone());
            continue;
        }
        let names: Vec<&str> = (parts.iter())
            .filter(|p| code.word(p.start) == "." && code.is_ident(p.start + 1))
            .map(|p| code.word(p.start + 1))
            .collect();
        let places = |of: &Vec<&str>| -> Option<Vec<usize>> {
            let place = |name: &&str| of.iter().position(|member| member == name);
            names.iter().map(place).collect()
        };
        let known: Vec<Vec<usize>> = members.iter().filter_map(places).collect();
        let ordered = |places: &Vec<usize>| places.windows(2).all(|w| w[0] < w[1]);
        if names.len() > 1 && !known.is_empty() && !known.iter().any(ordered) {
            found.push(parts[0].clone());
        }
    }
    found
}

/// `&(struct s){ 1, 2 }` and `(int[]){ 1, 2 }`.
fn address_of_literal(code: &Code) -> Vec<Range<usize>> {
    (0..code.tokens.len())
        .filter_map(|at| {
            let close = code.skip(at);
            let begins = is_type_word(code.word(at + 1))
                || matches!(code.word(at + 1), "struct" | "union")
                || code.is_plain_name(at + 1);
            if !code.opens(at, "(") || !begins || !code.opens(close, "{") || at == 0 {
                return None;
            }
            let is_array = code.word(close - 2) == "]";
            let before = code.word(at - 1);
            (before == "&" || is_array && !code.is_ident(at - 1)).then_some(at..close)
        })
        .collect()
}

/// Tags declared in a struct and used outside of it.
fn nested_types(code: &Code) -> Vec<Range<usize>> {
    let is_tag = |at: usize| matches!(code.word(at), "struct" | "union" | "enum");
    let n = code.tokens.len();
    let mut found = Vec::new();
    for outer in (0..n).filter(|&at| is_tag(at) && code.word(at) != "enum") {
        let open = [outer + 1, outer + 2]
            .into_iter()
            .find(|&o| code.opens(o, "{"));
        let Some(open) = open else { continue };
        let close = code.skip(open);
        for at in (open + 1..close).filter(|&at| is_tag(at) && code.opens(at + 2, "{")) {
            let used = (close..n).any(|i| is_tag(i) && code.word(i + 1) == code.word(at + 1));
            if used {
                found.push(at..at + 2);
            }
        }
    }
    found
}

/// `double complex`.
fn complex(code: &Code) -> Vec<Range<usize>> {
    let is_complex = |at: &usize| {
        let word = code.word(*at);
        matches!(word, "_Complex" | "__complex__")
            || word == "complex" && *at > 0 && is_type_word(code.word(*at - 1))
    };
    let first = (0..code.tokens.len()).find(is_complex);
    first.map(|at| at..at + 1).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let all = not_cplusplus(text);
        all.into_iter().map(|f| &text[f.range]).collect()
    }

    #[test]
    fn main_returns_an_integer() {
        for (text, new) in [
            (
                "void main(void) { if (x) return; f(); }",
                "int main(void) { if (x) return 0; f(); }",
            ),
            ("int n;\nmain() { }", "int n;\nint main() { }"),
            ("static int main2(void) { } int main() { return 1; }", ""),
            ("void other(void) { return; }", ""),
        ] {
            let edits = rewrite_main(text);
            let rewritten = crate::csource::apply_edits(text, edits).expect("no overlaps");
            assert_eq!(rewritten, if new.is_empty() { text } else { new });
        }
    }

    #[test]
    fn strings_without_a_zero_are_lists_of_letters() {
        let text = "char a[4] = \".dat\", b[5] = \".dat\", c[] = \"x\", d[2] = \"\\n\";";
        let edits = rewrite_full_strings(text);
        let new = crate::csource::apply_edits(text, edits).expect("no overlaps");
        assert_eq!(new, text.replacen("\".dat\"", "{'.', 'd', 'a', 't'}", 1));
    }

    #[test]
    fn c_that_is_no_cplusplus_is_found() {
        let cases: [(&str, &[&str]); 15] = [
            (
                "#define T(x) int x(void)\nT(h) { } static g() { } f(n) { return n; }",
                &["g", "f"],
            ),
            (
                "static int f(a, b) int a; T *b; { return a; }",
                &["f(a, b)"],
            ),
            ("int f(); int g(void) { return f(1); }", &["f(1)"]),
            ("void main(void) { }", &[]),
            ("main() { }", &[]),
            ("static int x; static int x, y = 8;", &["x"]),
            (
                "struct s { int a, *b; char c[3]; }; struct s t = { .c = 1, .a = 2 };",
                &[".c = 1"],
            ),
            ("int v[4] = { [2] = 1 };", &["[2] = 1"]),
            (
                "int f(void) { return g(&(struct s){ 1 }); }",
                &["(struct s)"],
            ),
            ("int f(void) { return g((int[]){ 1 }); }", &["(int[])"]),
            (
                "void f(void) { goto end; const int x = 1; end: g(x); }",
                &["goto end"],
            ),
            (
                "struct s { struct t { int x; } y; }; struct t z;",
                &["struct t"],
            ),
            ("double complex z;", &["complex"]),
            ("void f(void) { switch (x) { case 1: main(3); } }", &[]),
            ("int main(int argc, char **argv) { return 0; }", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn cplusplus_is_found() {
        let place = |text: &str| first_cplusplus(text).map(|r| text[r].to_string());
        for (text, expected) in [
            (
                "int a;\n#include <cmath>\ntemplate <class T> T f(T a);",
                "#include <cmath>",
            ),
            ("extern \"C\" int f(void);", "extern \"C\""),
            ("float g(float a) { return std::sqrt(a); }", "::"),
            ("namespace { int x; }", "namespace {"),
        ] {
            let found = place(text);
            let found = found.as_deref().map(|f| f.starts_with(expected));
            assert_eq!(found, Some(true), "{text}");
        }
        for text in [
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif",
            "#include <math.h>\n#include \"own\"\nint class, using = 1; void f(int a) { a ? class : using; }",
        ] {
            assert_eq!(place(text), None, "{text}");
        }
    }

    #[test]
    fn c_that_is_cplusplus_is_not() {
        for text in [
            "int f(); int g(void) { return f(); }",
            "int f(); int f(int a) { return a; } int g(void) { return f(1); }",
            "extern int x; int x = 3; typedef struct { int a, b; } s; s t = { .a = 1, .b = 2 };",
            "#ifdef A\nint x;\n#else\nint x;\n#endif\nint y, z;",
            "void f(void) { if (a) goto end; { int x = 1; g(x); } b = 3; end: h(); }",
            "void f(void) { int x = 1; goto end; end: g(x); }",
            "void f(void) { goto end; int x = 1; end: g(x); }",
            "struct s { struct t { int x; } y; }; int t; struct s z;",
            "static void f(int a, T b) { DO(a, b) int c; if (c) { } }",
            "int x = sizeof(int); float A[3] = { 1, 2 }, *p = (float *)q;",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
