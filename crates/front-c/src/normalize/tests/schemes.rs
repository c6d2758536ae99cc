//! Sweeps that a condition chooses among.

use super::*;

/// The step of a time loop with its sweeps joined, if they are.
fn step(before: &str, step: &str) -> Option<String> {
    let text = format!(
        "int g(int); enum {{ A, B }}; {before}
        void f(int steps, int n, int which, int k, double *u, double *v) {{
        for (int t = 0; t < steps; t++) {{ {step} double *w = u; u = v; v = w; }} }}"
    );
    let mut forms = forms_of(&text).into_iter();
    let form = forms.find(|form| form.passes.contains(&"schemes".to_owned()))?;
    let words: Vec<&str> = form.text.split_whitespace().collect();
    let text = words.join(" ");
    let (_, step) = text.split_once("t++) { ")?;
    let (step, _) = step.split_once(" double *w")?;
    Some(step.to_owned())
}

#[test]
fn sweeps_that_a_variable_chooses_are_one() {
    let one = "for (int i = 1; i < n; i++) { \
               v[i] = which == A ? u[i] : which == B ? u[i - 1] : (double)2; }";
    let sweep = |value| format!("for (int i = 1; i < n; i++) v[i] = {value};");
    let [a, b, c] = ["u[i]", "u[i - 1]", "2"].map(sweep);
    let text = format!("if (which == A) {a} else if (which == B) {{ {b} }} else {c}");
    assert_eq!(step("", &text).as_deref(), Some(one));
    // Iterators may have other names.
    let c = "for (int j = 1; j < n; j++) { v[j] = 2; }";
    let text = format!("if (which == A) {a} else if (which == B) {{ {b} }} else {c}");
    assert_eq!(step("", &text).as_deref(), Some(one));
}

#[test]
fn other_sweeps_stay() {
    let a = "for (int i = 1; i < n; i++) v[i] = u[i];";
    let others = [
        "for (int i = 2; i < n; i++) v[i] = u[i - 1];",
        "for (int i = 1; i <= n; i++) v[i] = u[i - 1];",
        "for (int i = 1; i < n; i += 2) v[i] = u[i - 1];",
        "for (int i = 1; i < n; i++) v[i - 1] = u[i - 1];",
        "for (int i = 1; i < n; i++) v[i] += u[i - 1];",
        "for (int i = 1; i < n; i++) { v[i] = u[i - 1]; u[i] = 0; }",
        // The condition changes, or may change.
        "for (int i = 1; i < n; i++) v[i] = which = 1;",
        "for (int i = 1; i < n; i++) v[i] = g(i);",
        // The name of the iterator is another variable's.
        "for (int k = 1; k < n; k++) v[k] = u[k - 1] + i;",
    ];
    for other in others {
        let text = format!("int i = k; if (which == A) {a} else {other}");
        assert_eq!(step("", &text), None, "{other}");
    }
    let b = "for (int i = 1; i < n; i++) v[i] = u[i - 1];";
    for cond in ["shared == A", "moving == A", "u[1] > 0", "g(1)"] {
        let text = format!("if ({cond}) {a} else {b}");
        assert_eq!(
            step("int shared; static volatile int moving;", &text),
            None,
            "{cond}"
        );
    }
}
