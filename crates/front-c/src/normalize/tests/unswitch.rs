//! Loops whose steps do one of several things.

use super::*;

const GHOSTS: &str = "u[0] = u[n]; u[n + 1] = u[1];";
const BACK: &str = "for (int i = 1; i <= n; i++) { u[i] = w[i]; }";

fn sweep(of: &str) -> String {
    format!("for (int i = 1; i <= n; i++) {{ w[i] = {of}; }}")
}

/// The forms of a loop as several.
fn parted(steps: &str) -> Vec<Rewritten> {
    let text = format!(
        "enum scheme {{ UPWIND, CENTRED, OTHER }}; int g(int); int mode; void f(int n, int steps, int given, float *u, float *w) {{ enum scheme scheme = CENTRED; int own = 0; \
        if (given) {{ scheme = UPWIND; }} for (int t = 0; t < steps; t++) {{ {GHOSTS} {steps} {BACK} }} }}"
    );
    let all = forms_of(&text).into_iter();
    all.filter(|form| form.passes.contains(&"unswitch".to_owned()))
        .collect()
}

#[test]
fn each_branch_is_a_loop() {
    let (a, b) = (sweep("u[i - 1]"), sweep("u[i + 1]"));
    let forms = parted(&format!(
        "if (scheme == UPWIND) {{ {a} }} else if (scheme == CENTRED) {{ {b} }}"
    ));
    // What runs at first comes first.
    let form = &forms[0];
    assert_eq!(form.passes, ["unswitch", "ghosts"]);
    assert!(
        form.text[form.steps.clone()].starts_with("for (int step = 0; step < n_steps; step++)")
    );
    assert!(form.text[form.steps.clone()].contains("u[i + 1]"));
    let words: Vec<&str> = form.text.split_whitespace().collect();
    let text = words.join(" ");
    let plain = |steps: &str| {
        format!("for (int t = 0; t < steps; t++) {{ {GHOSTS} {steps} {BACK} }}").replace("  ", " ")
    };
    assert!(text.starts_with(&format!(
        "if (scheme == UPWIND) {{ {} }} else if (scheme == CENTRED) {{ {{ {{ int t; t = 0;",
        plain(&a)
    )));
    assert!(
        text.ends_with(&format!("}} else {{ {} }}", plain(";")))
            || text.ends_with(&format!("}} else {{ {} }}", plain(""))),
        "{text}"
    );
}

#[test]
fn steps_that_do_one_thing_stay() {
    let of = |cond: &str, more: &str| {
        let a = sweep("u[i - 1]");
        parted(&format!(
            "if ({cond}) {{ {a} }} else {{ {} }} {more}",
            sweep("u[i + 1]")
        ))
        .len()
    };
    assert_ne!(of("given == 1", ""), 0);
    assert_ne!(of("!own && given > 2", ""), 0);
    for (cond, more) in [
        ("t == 1", ""),
        ("mode == 1", ""),
        ("u[1] > 0", ""),
        ("g(1)", ""),
        ("given / own", ""),
        ("given == 1", "given = 2;"),
        ("given == 1", "int *p = &given; *p = 3;"),
        ("1", ""),
    ] {
        assert_eq!(of(cond, more), 0, "{cond} {more}");
    }
}
