//! Calls of what a file does not define.

use super::*;

/// The first call in the time loop of a program that pet cannot read: its name, its statement, and the function it is in.
fn found(body: &str) -> Option<(String, String, Option<String>, What)> {
    let text = "#include <stdio.h>\n#include <math.h>\n#define SAY(x) say(x)\n#define say(x) log_it(\"%d\", x)\n\
         void log_it(const char *f, ...); int puts(const char *); struct s { double (*f)(int); };\n\
         static void out(int i) { if (i) fprintf(stderr, \"%d\", i); }\n\
         int f(double *a, struct s *p, void (*table[3])(int), void (*g)(int), char *s) { int t, i, n; double x; REGION\n}\n";
    let region = format!("for (t = 0; t < 9; t++) {{ for (i = 0; i < 9; i++) a[i] = t; {body} }}");
    let text = text.replace("REGION", &region);
    let unit = unit_of(&text);
    assert!(!unit.has_errors(), "{text}");
    let start = text.find(&region).unwrap();
    let wanted = (&(start..start + region.len()), Wish::Plain);
    let told = super::super::forward(&unit, wanted, &|_| None);
    let call = first_unreadable(&told.calls)?.clone();
    Some((
        call.name,
        text[call.stmt].to_owned(),
        call.within,
        call.what,
    ))
}

#[test]
fn calls_are_found_in_statements_macros_and_functions() {
    let call = |name: &str, stmt: &str, within: Option<&str>, what| {
        Some((
            name.to_owned(),
            stmt.to_owned(),
            within.map(String::from),
            what,
        ))
    };
    assert_eq!(
        found("if (t % 10 == 0) printf(\"%d;\\n\", t);"),
        call("printf", "printf(\"%d;\\n\", t);", None, What::Host)
    );
    assert_eq!(
        found("SAY(t);"),
        call("log_it", "SAY(t);", None, What::Variadic)
    );
    assert_eq!(
        found("out(t);"),
        call(
            "fprintf",
            "fprintf(stderr, \"%d\", i);",
            Some("out"),
            What::Host
        )
    );
    assert_eq!(
        found("n = sprintf(s, \"%d\", t) + 1;"),
        call(
            "sprintf",
            "n = sprintf(s, \"%d\", t) + 1;",
            None,
            What::Host
        )
    );
    assert_eq!(
        found("if (printf(\"%d\", t)) a[0] = 1;"),
        call("printf", "printf(\"%d\", t)", None, What::Host)
    );
    assert_eq!(
        found("snprintf(s, 9, \"%d\", t);").map(|(.., what)| what),
        Some(What::Host)
    );
    assert_eq!(found("puts(\"printf\");"), None);
    assert_eq!(found("if (isnan(a[0])) a[0] = 0;"), None);
    for (stmt, name) in [
        ("a[0] = p->f(t);", "f"),
        ("table[2](t);", "table"),
        ("(*g)(t);", "g"),
    ] {
        assert_eq!(found(stmt), call(name, stmt, None, What::Pointer));
    }
    assert_eq!(found("x = a[2] * (t + 1);"), None);
}

#[test]
fn what_a_function_returns_is_of_its_type() {
    let of = |ty: &str, value: &str| {
        let text = format!(
            "static {ty} step(float *u, float *v, double c) {{ for (int i = 1; i < 9; i++) v[i] = u[i - 1]; return {value}; }}
void f(float *u, float *v, int steps) {{ double e = 0; for (int t = 0; t < steps; t++) {{ e = step(u, v, 7.5); float *w = u; u = v; v = w; }} u[0] = e; }}"
        );
        let (text, _) = rewritten(&text).unwrap();
        let (_, e) = text.split_once(" e = ").unwrap();
        e.split(';').next().unwrap().to_owned()
    };
    assert_eq!(of("float", "c * 0.1"), "(float)(7.5 * 0.1)");
    assert_eq!(of("int", "c * 0.5"), "(int)(7.5 * 0.5)");
    assert_eq!(of("double", "c * 0.5"), "7.5 * 0.5");
}
