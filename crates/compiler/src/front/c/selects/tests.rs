use super::super::region::time_loops;
use super::*;

/// The body of a loop with conditions on data as values.
fn selected(body: &str) -> Option<Result<String, String>> {
    written(body, false)
}

/// The same, where nothing is read under a condition that does not hold.
fn guarded(body: &str) -> Option<Result<String, String>> {
    written(body, true)
}

fn written(body: &str, guarded: bool) -> Option<Result<String, String>> {
    let text = format!(
        "#define FAR(x) (fabs(x) > limit)\nstatic int f(int n) {{ return n; }}\n\
         void g(int n, double x, double *a, int *m) {{\n\
         for (t = 0; t < n; t++) for (i = 0; i < n; i++) {{ {body} }}\n}}\n"
    );
    let known = Known {
        headers: &[],
        defines: &[],
        integers: &|name| name == "f",
        with_integers: false,
        guarded,
    };
    let found = with_selects(&text, &time_loops(&text)[0], &known)?;
    if let Some((place, why)) = found.refused {
        return Some(Err(format!("{}: {why}", &text[place.start..place.end])));
    }
    let new = &found.text.text[found.region.span];
    let inside = new.split_once("i++) { ")?.1.strip_suffix(" }")?;
    Some(Ok(inside.to_string()))
}

#[test]
fn conditions_on_data_become_values() {
    for (body, expected) in [
        ("if (x < a[i]) x = a[i];", "x = (x < a[i]) ? (a[i]) : x;"),
        (
            "if (m[i]) { a[i] += 2; } else a[i]--;",
            "a [ i ] = (m[i]) ? (a [ i ] + (2)) : (a [ i ] - 1);",
        ),
        (
            "if (FAR(x)) a[i] = 1; else if (i > 3) a[i] = 2;",
            "a [ i ] = (FAR(x)) ? (1) : (i > 3) ? (2) : a [ i ];",
        ),
        (
            "if (m[i]) { x = 1, a[i] = x; }",
            "{ int if_4 = (m[i]) != 0; { { x = if_4 ? (1) : x;a [ i ] = if_4 ? (x) : a [ i ]; } } }",
        ),
        (
            "if (a[i] > x) { double d = x; d = 2; x = d; } else if (m[i]) { x = 1; }",
            "{ int if_4 = (a[i] > x); { double d = x; d = 2; x = if_4 ? (d) : x; } int else_4 = !if_4; \
             x = !else_4 ? x : (m[i]) ? (1) : x; }",
        ),
        (
            "if (i > 2) { if (m[i]) x = 1; }",
            "if (i > 2) { x = (m[i]) ? (1) : x; }",
        ),
    ] {
        assert_eq!(selected(body), Some(Ok(expected.to_string())), "{body}");
    }
}

#[test]
fn what_may_not_run_always_stays() {
    for (body, why) in [
        ("if (m[i]) x = f(i);", "f: `f` is called in it"),
        ("if (m[i]) x = rand();", "rand: `rand` is called in it"),
        ("if (m[i]) break;", "break: `break` is in it"),
        (
            "if (m[i]) x = a[i] = 1;",
            "x = a[i] = 1: one of its statements is more than an assignment",
        ),
        (
            "if (m[i]) *a = 1;",
            "*a = 1: one of its statements is more than an assignment",
        ),
    ] {
        assert_eq!(selected(body), Some(Err(why.to_string())), "{body}");
    }
    assert_eq!(selected("if (i > 2) x = 1;"), None);
}

#[test]
fn what_is_declared_under_a_condition_is_computed_where_it_holds() {
    for (body, expected) in [
        (
            "if (m[i]) { double d = x + a[i], e; e = d; a[i] = e; }",
            "{ int if_4 = (m[i]) != 0; { double d = if_4 ? (x + a[i]) : 0, e; e = if_4 ? (d) : 0; \
             a [ i ] = if_4 ? (e) : a [ i ]; } }",
        ),
        (
            "if (m[i]) { double d = a[i]; if (d > x) d = x; else d = 1; x = d; }",
            "{ int if_4 = (m[i]) != 0; { double d = if_4 ? (a[i]) : 0; \
             d = !if_4 ? 0 : (d > x) ? (x) : (1); x = if_4 ? (d) : x; } }",
        ),
        ("if (x < a[i]) x = a[i];", "x = (x < a[i]) ? (a[i]) : x;"),
    ] {
        assert_eq!(guarded(body), Some(Ok(expected.to_string())), "{body}");
    }
}

#[test]
fn names_declared_in_one_condition_are_no_others() {
    let body = "if (m[i]) { double d = x + a[i]; x = d; a[i] = d; }";
    let text = selected(body).and_then(Result::ok).unwrap_or_default();
    assert!(text.contains("x = if_4 ? (d) : x;"), "{text}");
}
