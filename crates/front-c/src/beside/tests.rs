#![allow(clippy::unwrap_used)]

use super::*;
use crate::normalize::tests::unit_of;

/// The loops of a text that `NEST` stands before.
fn nests(text: &str) -> Vec<Range<usize>> {
    let marks = text.match_indices("/*NEST*/");
    let starts = marks.map(|(at, mark)| at + mark.len());
    starts
        .map(|at| at..at + text[at..].find(';').unwrap() + 1)
        .collect()
}

fn runs(text: &str) -> Vec<String> {
    let found = neighbours(&unit_of(text), &nests(text));
    let whole = |run: Vec<Range<usize>>| {
        text[run.first().unwrap().start..run.last().unwrap().end].to_owned()
    };
    found.into_iter().map(whole).collect()
}

#[test]
fn assignments_beside_nests() {
    let body = "u[0] = v[0]; /*NEST*/for (int i = 1; i < n; i++) u[i] = v[i]; u[n] = 2 * u[0] ;";
    let of = |body: &str| {
        runs(&format!(
            "void g(void); void f(int n, double *u, double *v, double s) {{ {body} }}"
        ))
    };
    assert_eq!(of(body), [body]);
    let apart = of(&format!("s = 1; {body} s += 2; v[3] = 1;"));
    assert_eq!(apart, [body]);
    for none in [
        "/*NEST*/for (int i = 1; i < n; i++) u[i] = v[i];",
        "u[0] = 1; g(); /*NEST*/for (int i = 1; i < n; i++) u[i] = v[i];",
        "u[n++] = 1; /*NEST*/for (int i = 1; i < n; i++) u[i] = v[i]; *u = 3;",
        "if (n) u[0] = 1; /*NEST*/for (int i = 1; i < n; i++) u[i] = v[i]; s = 1;",
    ] {
        assert_eq!(of(none), Vec::<String>::new(), "{none}");
    }
}

/// What C uses around each nest of a text; nothing of those that run once.
fn uses(text: &str) -> Vec<Option<Vec<String>>> {
    let names = |around: Around| {
        let names = around.uses.into_iter().map(|u| u.name).collect();
        around.repeats.then_some(names)
    };
    let found = around(&unit_of(text), &nests(text));
    found.into_iter().map(names).collect()
}

const HEAD: &str = "int printf(const char *, ...); void save(const double *); void *malloc(unsigned long); void free(void *);
typedef struct { int n; double *u; } Grid; static double all[9]; static int n = 9;
";

fn some(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(ToString::to_string).collect())
}

#[test]
fn what_the_host_uses() {
    let nest = "/*NEST*/for (int i = 1; i < n; i++) u[i] = v[i];";
    for (body, expected) in [
        (format!("{nest} u[0] = 1;"), None),
        (
            format!("for (int t = 0; t < 9; t++) {{ {nest} w = u; u = v; v = w; }} u[1] = 0;"),
            some(&[]),
        ),
        (
            format!(
                "for (int t = 0; t < 9; t++) {{ {nest} v[0] = u[n - 1]; *w = 2; printf(\"%d\", t); }}"
            ),
            some(&["u", "v", "w"]),
        ),
        (
            format!(
                "while (n > 0) {{ {nest} save(u); w = malloc(8); free(w); double a[3] = {{ 0 }}; a[1] = 2; save(a); }}"
            ),
            some(&["u"]),
        ),
        (
            format!("do {{ {nest} all[2] = g->u[1]; report(); }} while (v[0] > 1);"),
            some(&["all", "g->u", "v"]),
        ),
    ] {
        let text = format!(
            "{HEAD}static void report(void) {{ printf(\"%g\", all[n / 2]); }}
            void f(double *u, double *v, double *w, Grid *g) {{ {body} (void)report; (void)g; (void)w; }}"
        );
        assert_eq!(uses(&text), [expected], "{body}");
    }
}

#[test]
fn loops_of_callers() {
    let step =
        "static void step(double *u) { /*NEST*/for (int i = 0; i < n; i++) u[i] = 1; u[3] = 0; }
static void steps(double *u) { step(u); }\n";
    let once = format!("{HEAD}{step}int main(void) {{ steps(all); save(all); }}");
    assert_eq!(uses(&once), [None]);
    let often = format!(
        "{HEAD}{step}int main(void) {{ for (int t = 0; t < 4; t++) {{ steps(all); save(all); }} }}"
    );
    assert_eq!(uses(&often), [some(&["all", "u"])]);
}

/// What the host goes through in each iteration around the first nest, and in how many loops.
fn swept(text: &str) -> Vec<(String, usize)> {
    let found = around(&unit_of(text), &nests(text));
    found[0].swept.clone().into_iter().collect()
}

#[test]
fn what_the_host_goes_through() {
    let nest = "/*NEST*/for (int i = 1; i < n; i++) u[i] = v[i];";
    let sweep = "for (int i = 0; i < n; i++) v[i] = u[0];";
    let planes = "for (int k = 0; k < 2; k++) for (int i = 0; i < n; i++) all[i] = 1;";
    for (body, expected) in [
        (
            format!("for (int t = 0; t < 9; t++) {{ {nest} {sweep} v[1] = 0; }}"),
            &[("u", 1), ("v", 1)][..],
        ),
        (
            format!("for (int t = 0; t < 9; t++) {{ {nest} {planes} }}"),
            &[("all", 2)],
        ),
        // Not in each iteration, or not of the innermost loop.
        (
            format!(
                "for (int t = 0; t < 9; t++) {{ {nest} if (t % 3 == 0) {{ {sweep} }} v[1] = 0; }}"
            ),
            &[],
        ),
        (
            format!("for (int t = 0; t < 9; t++) {{ {nest} if (t % 3) continue; {sweep} }}"),
            &[],
        ),
        (
            format!(
                "for (int r = 0; r < 2; r++) {{ {sweep} for (int t = 0; t < 9; t++) {{ {nest} v[1] = 0; }} }}"
            ),
            &[],
        ),
        (format!("{nest} {sweep}"), &[]),
        // In functions.
        (
            format!("for (int t = 0; t < 9; t++) {{ {nest} report(); }}"),
            &[("all", 1)],
        ),
    ] {
        let text = format!(
            "{HEAD}static void report(void) {{ for (int i = 0; i < n; i++) all[i] += 1; }}
            void f(double *u, double *v) {{ {body} (void)report; }}"
        );
        let expected: Vec<(String, usize)> = expected
            .iter()
            .map(|(name, loops)| (name.to_string(), *loops))
            .collect();
        assert_eq!(swept(&text), expected, "{body}");
    }
    let step = "static void step(double *u) { /*NEST*/for (int i = 0; i < n; i++) u[i] = 1; }";
    let text = format!(
        "{HEAD}{step} static void run(void) {{ for (int t = 0; t < 4; t++) {{ step(all); all[2] = 1; }} }}
        int main(void) {{ for (int r = 0; r < 3; r++) {{ for (int i = 0; i < n; i++) all[i] = 0; run(); }} }}"
    );
    assert_eq!(swept(&text), []);
}
