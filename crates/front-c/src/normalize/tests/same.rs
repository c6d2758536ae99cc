//! Pointers that a loop of the host leaves with one array.

use super::*;

/// The names of the first two of some arrays that are one where the first loop over `i` runs later.
fn found(text: &str, arrays: &[(&str, bool)]) -> Option<[String; 2]> {
    let unit = unit_of(text);
    assert!(!unit.has_errors(), "{text}");
    let arrays: Vec<(String, bool)> = arrays.iter().map(|(a, w)| ((*a).to_owned(), *w)).collect();
    let nest = text.find("for (i =").unwrap();
    let same = same_later(&unit, nest, &arrays)?;
    assert!(text[same.assignment].ends_with(';'));
    Some(same.names)
}

fn same(body: &str) -> Option<[String; 2]> {
    let text = format!(
        "void turn(double **); void f(int n, double *p, double *q, double *r) {{ double *s; int i; for (int t = 0; t < n; t++) {{ {body} }} }}"
    );
    found(&text, &[("p", true), ("q", false), ("r", false)])
}

#[test]
fn pointers_are_followed_to_where_the_function_is_called() {
    let step = "void step(int n, double *to, const double *from) { int i; for (i = 0; i < n; i++) to[i] = from[i]; }";
    let found = |body: &str| {
        let text = format!(
            "int go(void); {step}\nint main(void) {{ double *a, *b, *c; while (go()) {{ {body} }} }}"
        );
        found(&text, &[("to", true), ("from", false)])
    };
    let names = Some(["a".to_string(), "b".to_string()]);
    assert_eq!(found("step(8, a, b); b = a;"), names);
    assert_eq!(found("step(8, a, b); c = b; b = a; a = c;"), None);
    assert_eq!(found("step(8, a, b + 1); b = a;"), None);
    assert_eq!(found("step(8, a, b);"), None);
}

#[test]
fn what_no_exchange_keeps_apart_is_found() {
    const NEST: &str = "for (i = 1; i < n; i++) p[i] = q[i] - r[i];";
    let after = |assignments: &str| same(&format!("{NEST} {assignments}"));
    let pair = |a: &str, b: &str| Some([a.to_string(), b.to_string()]);
    assert_eq!(after("r = q; q = p;"), pair("p", "q"));
    assert_eq!(after("q = p;"), pair("p", "q"));
    assert_eq!(after("s = r; r = q; q = p; p = s;"), None);
    assert_eq!(after("s = p; p = q; q = s;"), None);
    // The first two are exchanged, and the third is what the second was.
    assert_eq!(after("s = p; p = q; q = s; r = p;"), pair("p", "r"));
    assert_eq!(
        same(&format!("r = q; q = p; p = s; {NEST}")),
        pair("p", "q")
    );
    assert_eq!(after("r = q;"), None);
    assert_eq!(same(&format!("q = p; {NEST}")), pair("p", "q"));
    // What else may happen to a pointer is not followed.
    assert_eq!(after("q = p; q += n;"), None);
    assert_eq!(after("q = p; turn(&q);"), None);
    assert_eq!(after("if (t) { q = p; }"), None);
    assert_eq!(after(""), None);
}
