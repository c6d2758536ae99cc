//! Variables that have one number whenever a region runs.

use super::*;

/// The number of `n` at the region `REGION;` of a text.
fn number(text: &str) -> Option<i64> {
    let text = format!("#define REGION for (;;) ;\nvoid g(int *);\n{text}");
    let unit = unit_of(&text);
    assert!(!unit.has_errors(), "{text}");
    let start = text.rfind("REGION").unwrap();
    let region = start..start + "REGION;".len();
    let found = super::super::forward(&unit, (&region, Wish::Plain), &|_| None);
    let numbers = found.numbers.into_iter();
    numbers
        .filter(|(name, _)| name == "n")
        .map(|(_, n)| n)
        .next()
}

#[test]
fn numbers_of_variables_are_known_at_a_region() {
    for (text, expected) in [
        ("void f(void) { int n = 40, m; REGION; n = 3; }", 40),
        ("void f(void) { const int m = 3, n = 40 + m; REGION; }", 43),
        ("static const long n = 7; void f(void) { REGION; }", 7),
        (
            "#define N 5\nint n; void f(void) { short n = N; { int n = 4; n++; } if (n) { REGION; } }",
            5,
        ),
        (
            "void f(int m) { int n = 3; { int n = 4; REGION; } n = m; }",
            4,
        ),
    ] {
        assert_eq!(number(text), Some(expected), "{text}");
    }
    for text in [
        "int n = 7; void f(void) { REGION; }",
        "void f(int n) { REGION; }",
        "void f(int m) { int n = m; REGION; }",
        "void f(void) { static int n = 40; REGION; }",
        "void f(void) { volatile int n = 40; REGION; }",
        "void f(void) { unsigned char n = 300; REGION; }",
        "void f(void) { int n = 40; n++; REGION; }",
        "void f(void) { int n = 40; g(&n); REGION; }",
        "void f(void) { int n = 40; for (;;) { REGION; n = 3; } }",
        "void f(void) { int n = 40; if ((n = 3)) { REGION; } }",
        "void f(void) { int n = 40; again: REGION; n = 3; goto again; }",
        "#define STEP n++\nvoid f(void) { int n = 40; STEP; REGION; }",
        "const int n = 3; void f(int n) { REGION; }",
        "void f(void) { REGION; int n = 3; }",
    ] {
        assert_eq!(number(text), None, "{text}");
    }
}
