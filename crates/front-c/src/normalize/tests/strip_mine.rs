//! Loops over segments.

use super::forms_of;
use crate::normalize::Rewritten;

/// The forms of the loop of a function, of those that are loops over segments.
fn mined(body: &str) -> Vec<Rewritten> {
    let text = format!(
        "#include <math.h>
#define EVERY 10
int g;
extern double *a, *b;
void save(double *a);
int due(int t);
void turn(void) {{ g++; }}
double wave(double t) {{ return t * (double) g; }}
void f(int n, int x, double dt) {{
{body}
}}"
    );
    let all = forms_of(&text).into_iter();
    all.filter(|form| form.segments.is_some()).collect()
}

const STEP: &str = "for (int i = 0; i < 9; i++) a[i] += b[i];";

fn is_split(body: &str) -> bool {
    let body = body.replace("step(a);", STEP);
    let forms = mined(&body);
    let has_host = |form: &Rewritten| form.segments.as_ref().is_some_and(|s| !s.host.is_empty());
    forms.iter().any(has_host)
}

fn words(form: &Rewritten) -> String {
    form.text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_host_takes_part_behind_the_steps() {
    let form = &mined(&format!(
        "for (int t = 0; t < n; t++) {{ {STEP} if (t % EVERY == 0) save(a); }}"
    ))[0];
    assert_eq!(
        words(form),
        "{ { int t = 0; while (t < n) { int n_steps = 0; int pending = 1; for (; ; ) { n_steps++; if (t % EVERY == 0) { break; } t++; \
if (!(t < n)) { pending = 0; break; } } \
for (int step = 0; step < n_steps; step++) { for (int i = 0; i < 9; i++) { a[i] += b[i]; } } \
if (pending) { if (t % EVERY == 0) { save(a); } t++; } } } }"
    );
    let segments = form.segments.as_ref().unwrap();
    assert!(form.text[form.steps.clone()].starts_with("for (int step"));
    assert!(form.text[segments.host[0].clone()].starts_with("if (t % EVERY == 0)"));
    assert_eq!(segments.conditions, ["t % EVERY == 0"]);
}

#[test]
fn the_host_takes_part_before_the_steps() {
    let form = &mined(&format!(
        "long t; for (t = n; t <= 2 * n; t += 1) {{ if (t == 3) {{ save(a); }} {STEP} }}"
    ))[0];
    assert_eq!(
        words(form),
        "{ { t = n; while (t <= 2 * n) { if (t == 3) { save(a); } long n_steps = 0; for (; ; ) { n_steps++; t += 1; \
if (!(t <= 2 * n) || t == 3) { break; } } \
for (long step = 0; step < n_steps; step++) { for (int i = 0; i < 9; i++) { a[i] += b[i]; } } } } }"
    );
}

#[test]
fn steps_read_what_the_host_has_recorded() {
    let form = &mined(
        "double t = 0; do { double s = wave(t); a[n / 2] += s * sin(2 * t); for (int i = 1; i < 9; i++) b[i] = a[i - 1] + s; t += dt; } while (t < 3);",
    )[0];
    assert_eq!(
        words(form),
        "{ { double s; double value_at[1024]; double s_at[1024]; do { long n_steps = 0; for (; ; ) \
{ s = wave(t); value_at[n_steps] = s * sin(2 * t); s_at[n_steps] = s; t += dt; n_steps++; if (n_steps == 1024) { break; } \
if (!(t < 3)) { break; } } \
for (long step = 0; step < n_steps; step++) { a[n / 2] += value_at[step]; for (int i = 1; i < 9; i++) { b[i] = a[i - 1] + s_at[step]; } } } while (t < 3); } }"
    );
}

#[test]
fn steps_that_use_the_iterator_have_their_own() {
    let form = &mined(
        "int k; for (k = 4; k < n; k++) { for (int i = 1; i < 9; i++) a[i] += cos(0.1 * k) * b[k]; if (k == x) save(a); }",
    )[0];
    let text = words(form);
    assert!(
        text.contains(
            "int hexcc_first = k; for (; ; ) { cos_at[n_steps] = cos(0.1 * k); n_steps++; if (n_steps == 1024 || k == x)"
        ),
        "{text}"
    );
    assert!(
        text.contains(
            "for (int k = hexcc_first < 4 ? 4 : hexcc_first; k < hexcc_first + n_steps; k++) { for (int i = 1; i < 9; i++) { a[i] += cos_at[k - hexcc_first] * b[k]; } }"
        ),
        "{text}"
    );
}

#[test]
fn conditions_are_values_that_no_step_changes() {
    let with = |condition: &str| {
        is_split(&format!(
            "int k = 3, m = 4, *p = &m, c[3]; for (int t = 0; t < n; t++) {{ step(a); if ({condition}) save(a); }}"
        ))
    };
    for condition in [
        "t % k == 0",
        "t % EVERY == 0",
        "t == g || t > 2 * k",
        "t == m",
    ] {
        assert!(with(condition), "{condition}");
    }
    for condition in ["t == c[0]", "due(t)", "t == k++", "t == *p"] {
        assert!(!with(condition), "{condition}");
    }
    for body in [
        "for (int t = 0; t < n; t++) { step(a); turn(); if (t == g) save(a); }",
        "int k = 1; for (int t = 0; t < n; t++) { step(a); k = a[0]; if (t == k) save(a); }",
        "double k = 1, *p = &k; for (int t = 0; t < n; t++) { step(a); if (t == k) save(p); }",
    ] {
        assert!(!is_split(body), "{body}");
    }
}

#[test]
fn steps_that_cannot_have_a_loop_of_their_own_stay() {
    for body in [
        "for (int t = 0; t < n; t++) { double *c = a; step(a); if (t % 20 == 0) save(c); }",
        "for (int t = 0; t < n; t++) { step(a); break; if (t % 20 == 0) save(a); }",
        "for (int t = 0; t < n; t++) { step(a); if (t % 20 == 0) save(a); else step(a); }",
        "for (int t = 0; t < n; t++) { step(a); if (t % 4 == 0) save(a); save(a); }",
        "for (int t = 0; t < n; t++) { step(a); if (t % 2 == 0) save(a); step(a); }",
        "for (int t = 0; t < n; t++) { if (t % 4 == 0) save(a); }",
        "int k = 0; for (int t = 0; t < n; t++) { k = (k + 1) % 3; step(a); a[k] = 1; if (t % 4 == 0) save(a); }",
    ] {
        assert!(!is_split(body), "{body}");
    }
    for body in [
        "for (int t = 0; t < n; t++) { step(a); if (x) break; if (t % 20 == 0) save(a); }",
        "for (int t = 0; t < n; t++) { int m = t; step(a); if (t % 20 == 0) save(a + m); }",
        "for (int t = 0; t < n; t += 2) { step(a); if (t % 4 == 0) save(a); }",
        "for (int t = 0; t < n; t++) { step(a); if (t % 20 == 0) save(a); t++; }",
        "for (g = 0; g < n; g++) { step(a); if (g % 4 == 0) { save(a); if (x) break; } }",
    ] {
        assert!(is_split(body), "{body}");
    }
}

#[test]
fn the_host_may_go_on_with_the_next_step() {
    let form = &mined(&format!(
        "for (int t = 0; t < n; t++) {{ if (t == x) {{ save(a); continue; }} {STEP} }}"
    ))[0];
    let text = words(form);
    assert!(
        text.contains("while (t < n) { if (t == x) { save(a); { t++; continue; } }"),
        "{text}"
    );
}

#[test]
fn a_step_in_whose_middle_the_host_takes_part_is_peeled() {
    let form = &mined(&format!(
        "double t = 0; int k; for (k = 0; k < n; k++) {{ double s = sin(t); for (int i = 0; i < 9; i++) b[i] = s; \
if (k % EVERY == 0) {{ save(b); if (k == x) continue; }} {STEP} t += dt; }}"
    ))[0];
    assert_eq!(
        words(form),
        "{ { double s_b; double s_b_at[1024]; k = 0; while (k < n) { int n_steps = 0; int pending = 0; for (; ; ) \
{ if (k % EVERY == 0) { pending = 1; break; } s_b = sin(t); s_b_at[n_steps] = s_b; t += dt; n_steps++; k++; \
if (n_steps == 1024 || !(k < n)) { break; } } \
for (int step = 0; step < n_steps; step++) { for (int i = 0; i < 9; i++) { b[i] = s_b_at[step]; } \
for (int i = 0; i < 9; i++) { a[i] += b[i]; } } \
if (pending) { double s = sin(t); for (int i = 0; i < 9; i++) { b[i] = s; } \
if (k % EVERY == 0) { save(b); if (k == x) { k++; continue; } } for (int i = 0; i < 9; i++) { a[i] += b[i]; } t += dt; k++; } } } }"
    );
    let segments = form.segments.as_ref().unwrap();
    assert!(form.text[segments.host[0].clone()].starts_with("if (k % EVERY == 0)"));
    assert_eq!(segments.conditions, ["k % EVERY == 0"]);
}

#[test]
fn what_the_middle_of_a_step_changes_is_not_told_before_it() {
    let with = |rest: &str, condition: &str| {
        is_split(&format!(
            "double s = 0; int k = 0; for (int t = 0; t < n; t++) {{ step(a); {rest} if ({condition}) save(a); step(a); }}"
        ))
    };
    for (rest, condition) in [
        ("s += dt;", "t % 9 == 0 || t == x"),
        ("if (t % 7 == 0) save(b);", "t == g"),
        ("if (t % 7 == 0) { save(b); k++; }", "t % 9 == k"),
        ("if (t % 7 == 0) { save(b); break; }", "t % 9 == 0"),
        ("{ int m = 3; a[m] = b[m]; }", "t % 9 == 0"),
    ] {
        assert!(with(rest, condition), "{rest} {condition}");
    }
    for (rest, condition) in [
        ("k++;", "k % 9 == 0"),
        ("int m = t + 1;", "m % 9 == 0"),
        ("static int calls; calls++;", "t % 9 == 0"),
        ("k = a[3];", "t % 9 == k"),
        ("if (t == 4) break;", "t % 9 == 0"),
        ("save(b);", "t % 9 == 0"),
        ("", "due(t)"),
        ("", "a[0] > 1"),
        ("", "wave(t) > 1"),
    ] {
        assert!(!with(rest, condition), "{rest} {condition}");
    }
}

#[test]
fn segments_of_few_steps_are_none() {
    let every = |n: u32| {
        is_split(&format!(
            "for (int t = 0; t < n; t++) {{ step(a); if (t % {n} == 0) save(a); }}"
        ))
    };
    assert!(!every(1) && !every(3) && every(4) && every(100));
}

#[test]
fn work_without_calls_is_a_step_or_the_hosts() {
    let forms = mined(&format!(
        "for (int t = 0; t < n; t++) {{ {STEP} if (t == 5) a[3] = 1; if (t == 7) save(a); }}"
    ));
    let conditions = |n: usize| &forms[n].segments.as_ref().unwrap().conditions;
    assert_eq!(conditions(0)[..], ["t == 7"]);
    assert_eq!(conditions(1)[..], ["t == 5", "t == 7"]);
}
