use super::*;
use crate::normalize::tests::parsed;

const HEAD: &str = "typedef unsigned long size_t; void *malloc(size_t); char *strchr(const char *, int);
typedef struct node { int n; double *cells; struct node *next; } node; enum kind { FIRST, SECOND }; enum other { THIRD };
double *u, *v, **rows; const double *fixed; char *name; unsigned char *bytes; void *any; enum kind k; int n; long far;
void take(double *p, enum kind k, const double *q); void rest(int n, ...);
#define NEW(n) malloc(n)
#define SET(a, b) a = b
#define ALLOCATE(p, n) p = malloc(n)
#define NOTHING ((void *)0)
";

fn found(text: &str) -> Vec<Conversion> {
    conversions(&parsed(text))
}

/// The statements of a function with its casts.
fn written(body: &str) -> String {
    let head = format!("{HEAD}double *f(void) {{ ");
    let mut text = format!("{head}{body} }}");
    let mut edits: Vec<(usize, String)> = Vec::new();
    for c in found(&text) {
        let place = c.place.expect("a place of the text");
        edits.push((place.start, c.before.expect("a cast")));
        edits.push((place.end, c.behind));
    }
    edits.sort_by_key(|edit| edit.0);
    for (at, new) in edits.iter().rev() {
        text.insert_str(*at, new);
    }
    let body = text[head.len()..].strip_suffix(" }");
    body.expect("the end of the function").to_owned()
}

#[test]
fn values_are_cast_where_cplusplus_wants_it() {
    for (body, expected) in [
        ("u = malloc(3);", "u = (__typeof__(u))malloc(3);"),
        (
            "double (*a)[n] = malloc(3);",
            "double (*a)[n] = (__typeof__(a))malloc(3);",
        ),
        (
            "rows = (double *)any;",
            "rows = (__typeof__(rows))(double *)any;",
        ),
        (
            "u = n ? NEW(3) : NOTHING;",
            "u = (__typeof__(u))(n ? NEW(3) : NOTHING);",
        ),
        ("u = (any);", "u = (__typeof__(u))(any);"),
        (
            "for (int i = 0; i < 3; i++) { double i = 0; u[0] += i; }",
            "for (int i = 0; i < 3; i++) { { double i = 0; u[0] += i; } }",
        ),
        (
            "for (int i = 0; i < 3; i++) { { int i = 0; n = i; } }",
            "for (int i = 0; i < 3; i++) { { int i = 0; n = i; } }",
        ),
        ("u = fixed;", "u = (__typeof__(u))fixed;"),
        ("bytes = name;", "bytes = (__typeof__(bytes))name;"),
        ("return any;", "return (double *)any;"),
        (
            "take(any, 1, any);",
            "take((double *)any, (enum kind)1, (const double *)any);",
        ),
        (
            "node x = { 1, any, .next = malloc(1) };",
            "node x = { 1, (double *)any, .next = (struct node *)malloc(1) };",
        ),
        (
            "SET(u, malloc(3)); u = NEW(3);",
            "SET(u, (double *)malloc(3)); u = (__typeof__(u))NEW(3);",
        ),
        (
            "k = n + 1; k = THIRD;",
            "k = (enum kind)(n + 1); k = (enum kind)THIRD;",
        ),
        (
            "far = u; n = u; u = far;",
            "far = (long)u; n = (int)(long)u; u = (__typeof__(u))far;",
        ),
        ("n = u == bytes;", "n = u == (double *)bytes;"),
        (
            "name = strchr((const char *)any, 1);",
            "name = (__typeof__(name))strchr((const char *)any, 1);",
        ),
        (
            "name = n ? \"a\" : \"bc\";",
            "name = (__typeof__(name))(n ? \"a\" : \"bc\");",
        ),
        ("u = NOTHING;", "u = (__typeof__(u))NOTHING;"),
        ("u = '\\0';", "u = (__typeof__(u))'\\0';"),
    ] {
        assert_eq!(written(body), expected);
    }
}

#[test]
fn what_cplusplus_converts_stays() {
    for same in [
        "any = u; fixed = u; u = v; u = 0; u = (double *)any; k = SECOND; k = n ? FIRST : SECOND; n = k;",
        "n = u == any; n = u && !v; n = fixed == u; n = u == 0; if (u) n = 1;",
        "take(u, FIRST, v); rest(1, u, any, k); name = \"a\"; _Bool b = u;",
        "double a[3], (*b)[3] = &a; u = a; const double (*c)[3] = b; n = sizeof(u = any);",
        "const char *text = n ? \"a\" : \"bc\"; void (*g)(int, ...) = rest;",
    ] {
        assert_eq!(written(same), same);
    }
}

#[test]
fn what_a_macro_converts_cannot_be_written() {
    let found = found(&format!("{HEAD}void f(void) {{ ALLOCATE(u, 3); }}"));
    let known: Vec<_> = found.iter().map(|c| (&c.before, &*c.to, &*c.of)).collect();
    assert_eq!(known, [(&None, "double *", "ALLOCATE")]);
}

#[test]
fn counted_enumerations_are_found() {
    for (text, counted) in [
        (
            "enum f { A, B }; void h(int); void g(void) { for (enum f k = A; k < B; k++) h(k); }",
            true,
        ),
        (
            "typedef enum { A, B } f; void g(void) { f k = A; --k; }",
            true,
        ),
        ("enum { A, B } k; void g(void) { k += 1; }", true),
        (
            "enum f { A, B }; void h(int); void g(enum f k) { for (int i = A; i < k; i++) h(i); }",
            false,
        ),
        (
            "enum f { A, B }; enum f k(void); void g(void) { double k = 0; k++; }",
            false,
        ),
    ] {
        assert_eq!(counts_enumerations(&parsed(text)), counted, "{text}");
    }
}
