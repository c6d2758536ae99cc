//! Loops whose steps copy ghost cells.

use super::*;

/// The form of the loop in `void f(..)` with its last steps apart, if there is one.
fn parted(loop_: &str) -> Option<String> {
    let text = format!(
        "int g(int); void f(int n, int steps, long many, float *u, float *w) {{ int t, k = 0; {loop_} }}"
    );
    let mut forms = forms_of(&text).into_iter();
    let form = forms.find(|form| form.passes.contains(&"ghosts".to_owned()))?;
    let segments = form.segments.unwrap();
    assert_eq!(segments.following, 2);
    assert!(segments.host.is_empty() && segments.conditions.is_empty());
    assert!(form.text[form.steps].starts_with("for (int step = 0; step < n_steps; step++)"));
    let words: Vec<&str> = form.text.split_whitespace().collect();
    Some(words.join(" "))
}

const STEP: &str = "u[0] = u[n]; u[n + 1] = u[1]; for (int i = 1; i <= n; i++) { w[i] = u[i - 1]; } for (int i = 1; i <= n; i++) { u[i] = w[i]; }";

#[test]
fn the_last_steps_are_apart() {
    let of = |head: &str| parted(&format!("for ({head}) {{ {STEP} }}"));
    let wanted = |declared: &str, first: &str, more: i32, less: &str| {
        format!(
            "{{ {{ {declared}t = {first}; while (t {less} steps) {{ int n_steps = steps - t > {more} ? steps - t - {more} : 0; \
for (int step = 0; step < n_steps; step++) {{ {STEP} }} t += n_steps; {STEP} t++; }} }} }}"
        )
    };
    assert_eq!(of("t = 0; t < steps; t++"), Some(wanted("", "0", 2, "<")));
    assert_eq!(
        of("int t = 1; t <= steps; t++"),
        Some(wanted("int t; ", "1", 1, "<="))
    );
}

#[test]
fn iterators_that_are_declared_before_their_loops_select_no_planes() {
    let copies = "for (j = 0; j < n; j++) { u[j] = u[n * 8 + j]; }";
    let of = |declared: &str| {
        parted(&format!(
            "for (t = 0; t < steps; t++) {{ {declared} {copies} for (int i = 8; i < n * 8; i++) {{ w[i] = u[i - 8]; }} }}"
        ))
    };
    assert!(of("int j;").is_some());
    assert!(of("int i, j;").is_some());
    // What a step sets may be that of a plane.
    assert_eq!(of("int j = k;"), None);
    assert_eq!(of("int j; j = k;"), None);
}

#[test]
fn steps_that_differ_stay() {
    let of = |step: &str| parted(&format!("for (t = 0; t < steps; t++) {{ {step} }}"));
    let with = |more: &str| of(&format!("{STEP} {more}"));
    assert!(with("").is_some());
    for more in [
        "if (t == 9) u[1] = 0;",
        "g(1);",
        "if (u[1] > 0) break;",
        "if (u[1] > 0) continue;",
        "steps--;",
    ] {
        assert_eq!(with(more), None, "{more}");
    }
    for head in [
        "t = -1; t < steps; t++",
        "t = k; t < steps; t++",
        "t = 0; t < many; t++",
        "t = 0; t < steps; t += 2",
    ] {
        assert_eq!(
            parted(&format!("for ({head}) {{ {STEP} }}")),
            None,
            "{head}"
        );
    }
}

#[test]
fn neighbours_are_no_ghost_cells() {
    let with = |copies: &str| {
        let sweep = "for (int i = 1; i <= n; i++) w[i] = u[i - 1]; for (int i = 1; i <= n; i++) u[i] = w[i];";
        parted(&format!(
            "for (t = 0; t < steps; t++) {{ {copies} {sweep} }}"
        ))
    };
    assert_eq!(with("u[0] = u[1]; u[n + 1] = u[n];"), None);
    assert_eq!(with("w[0] = u[n];"), None);
    assert_eq!(with("u[0] = 2 * u[n];"), None);
    assert!(with("u[0] = u[n];").is_some());
    assert!(with("u[0] = w[n];").is_some(), "which was made equal");
}

/// Checks where a step is turned: what it begins with then, and what the first one does alone.
fn is_turned(step: &str, copies: &str) {
    let text = format!(
        "void f(int n, int T, double *a, double *b) {{ for (int t = 0; t < T; t++) {{ {step} {copies} }} }}"
    );
    let forms = super::forms_of(&text);
    let form = forms
        .iter()
        .find(|form| form.passes == ["ghosts"])
        .expect("a form");
    let text = form.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        text,
        format!(
            "{{ {{ int t; t = 0; if (t < T) {{ {step} t++; while (t < T) {{ int n_steps = T - t > 2 ? T - t - 2 : 0; for (int step = 0; step < n_steps; step++) {{ {copies} {step} }} t += n_steps; {copies} {step} t++; }} {copies} }} }} }}"
        )
    );
}

#[test]
fn copies_that_end_a_step_begin_the_next_one() {
    let sweep = "for (int i = 1; i < n - 1; i++) { b[i] = a[i - 1] + a[i + 1]; }";
    let back = "for (int i = 1; i < n - 1; i++) { a[i] = b[i]; }";
    let whole = "for (int i = 0; i < n; i++) { a[i] = b[i]; }";
    is_turned(
        &format!("{sweep} {back}"),
        "a[0] = a[n - 2]; a[n - 1] = a[1];",
    );
    let others = "a[0] = b[n - 2]; a[n - 1] = b[1];";
    is_turned(sweep, &format!("{back} {others}"));
    is_turned(sweep, &format!("b[0] = b[n - 2]; b[n - 1] = b[1]; {whole}"));
    is_turned(
        sweep,
        "int k = 0; for (k = 0; k < 1; k++) { b[0] = b[n - 2]; } for (int i = 0; i < n; i++) { a[i] = b[i]; }",
    );
}

#[test]
fn steps_may_call_what_sees_no_iterator() {
    let of = |code: &str, head: &str| {
        let text = format!(
            "{code} int t; void f(int n, int steps, float *u, float *w) {{ for ({head}; t < steps; t++) {{ u[0] = u[n]; \
for (int i = 1; i <= n; i++) w[i] = g(u, i); for (int i = 1; i <= n; i++) u[i] = w[i]; }} }}"
        );
        let forms = forms_of(&text);
        forms
            .iter()
            .any(|form| form.passes.contains(&"ghosts".to_owned()))
    };
    let reads =
        "float g(const float *u, int i) { float s = 0; if (u[i] > 0) s = u[i - 1]; return s; }";
    assert!(of(reads, "int t = 0"));
    assert!(!of(reads, "t = 0"), "which functions may read");
    for other in [
        "int k; float g(const float *u, int i) { k++; return u[i]; }",
        "float g(const float *u, int i) { static int k; return u[i] + k++; }",
        "float h(float); float g(const float *u, int i) { return h(u[i]); }",
    ] {
        assert!(!of(other, "int t = 0"), "{other}");
    }
}
