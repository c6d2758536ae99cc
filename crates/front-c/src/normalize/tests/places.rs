//! Loops around a cell, values by its place, and what is decided in the text.

use super::forms_of;

/// The last form of the loop over the steps, whose body this is, and its passes.
fn body_of(body: &str) -> Option<(String, String)> {
    let text = format!(
        "static double a[50][60], b[50][60]; static char c[50][60]; static const int least = -1;
void f(int n, int T) {{ int scheme = 2; int later = 0; for (int t = 0; t < T; t++) {{ {body} }} later = 1; (void)later; (void)scheme; }}"
    );
    let form = forms_of(&text).pop()?;
    let text = form.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, body) = text.split_once("t++) { ")?;
    let body = body.strip_suffix(" } }")?.to_owned();
    Some((body, form.passes.join(", ")))
}

fn cells(code: &str) -> String {
    format!("for (int i = 1; i < n; i++) {{ for (int j = 1; j < n; j++) {{ {code} }} }}")
}

#[test]
fn loops_around_a_cell_are_unrolled() {
    let around = |first: &str, cond: &str, code: &str| {
        let code =
            format!("double s = 0; for (int k = {first}; k {cond}; k++) {{ {code} }} b[i][j] = s;");
        body_of(&cells(&code))
    };
    let (text, passes) = around("i - 1", "<= i + 1", "s += a[k][j];").expect("a form");
    let expected = "double s = 0; s += a[i - 1][j]; s += a[i][j]; s += a[i + 1][j]; b[i][j] = s;";
    assert_eq!((text, passes.as_str()), (cells(expected), "unroll"));
    let (text, _) =
        around("i - 1", "< i + 2", "if (k == i) continue; s += a[k][j];").expect("a form");
    let expected = "double s = 0; s += a[i - 1][j]; s += a[i + 1][j]; b[i][j] = s;";
    assert_eq!(text, cells(expected));
    // Constants by their names are numbers.
    let (text, _) = around("least", "<= 1", "s += a[i][j + k];").expect("a form");
    let expected =
        "double s = 0; s += a[i][j + -1]; s += a[i][j + 0]; s += a[i][j + 1]; b[i][j] = s;";
    assert_eq!(text, cells(expected));
    // Bounds around two numbers, one that changes, and one that is hidden where it would be read.
    assert!(around("i - 1", "<= i + 1", "{ int i = 3; s += i * a[k][j]; }").is_none());
    assert!(around("i - 1", "<= j + 1", "s += a[k][j];").is_none());
    assert!(around("i - 1", "<= i + 1", "s += a[k][j]; i += 0;").is_none());
}

#[test]
fn values_by_place_are_branches() {
    let code = "const double left = j == 0 ? 2.5 : a[i][j - 1]; b[i][j] = i < n - 1 && j > 0 ? a[i + 1][j] : left;";
    let (text, passes) = body_of(&cells(code)).expect("a form");
    let expected = "double left; if (j == 0) { left = 2.5; } else { left = a[i][j - 1]; } if (i < n - 1 && j > 0) { b[i][j] = a[i + 1][j]; } else { b[i][j] = left; }";
    assert_eq!((text, passes.as_str()), (cells(expected), "guards"));
    // By data, and where no element is read.
    assert!(body_of(&cells("b[i][j] = a[i][j] > 0 ? a[i + 1][j] : 1;")).is_none());
    assert!(body_of(&cells("b[i][j] = a[i][j] + (j == 0 ? 1 : 2);")).is_none());
}

#[test]
fn branches_that_never_run_are_left_out() {
    let code = "if (scheme == 0) b[i][j] = 0; else if (scheme > 1) b[i][j] = a[i][j];";
    let (text, passes) = body_of(&cells(code)).expect("a form");
    assert_eq!(
        (text, passes.as_str()),
        (cells("b[i][j] = a[i][j];"), "settled")
    );
    assert!(body_of(&cells(&code.replace("scheme", "later"))).is_none());
}

/// The loop over the steps with what is around it, of a body that calls `step`.
fn taking_turns(head: &str, body: &str) -> Option<(String, String)> {
    let text = format!(
        "void step(double *v, const double *u);
void f(int T, int turn, double *u, double *v) {{ for ({head}) {{ {body} }} }}"
    );
    let form = forms_of(&text).into_iter().next()?;
    let text = form.text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some((text, form.passes.join(", ")))
}

#[test]
fn planes_take_turns() {
    let pointers = "double *v_now = v; double *v_next = u;";
    let swapped =
        "{ step(v_now, v_next); double *v_held = v_now; v_now = v_next; v_next = v_held; }";
    let head = "int t = 0; t < T; t++";
    for cond in ["t % 2 == 0", "!(t & 1)", "t % 2 != 1"] {
        let body = format!("if ({cond}) step(v, u); else step(u, v);");
        let (text, passes) = taking_turns(head, &body).expect("a form");
        assert_eq!(
            text,
            format!("{{ {pointers} for ({head}) {swapped} }}"),
            "{cond}"
        );
        assert_eq!(passes, "alternate");
    }
    let body = "if (turn == 2) { step(v, u); turn = 0; } else { step(u, v); turn = 2; }";
    let (text, _) = taking_turns(head, body).expect("a form");
    let pointers = "double *v_now = turn == 2 ? v : u; double *v_next = turn == 2 ? u : v; int n_steps = 0 < T ? T - 0 : 0;";
    let after = "if (n_steps > 0) { turn = (turn == 2) == (n_steps % 2 == 0) ? 2 : 0; }";
    assert_eq!(
        text,
        format!("{{ {pointers} for ({head}) {swapped} {after} }}")
    );
    // No turns: the parity of something else, the same plane twice, a variable that only one branch sets.
    for body in [
        "if (T % 2 == 0) step(v, u); else step(u, v);",
        "if (t % 2 == 0) step(v, u); else step(v, u);",
        "if (turn) { step(v, u); turn = 0; } else { step(u, v); }",
    ] {
        assert!(taking_turns(head, body).is_none(), "{body}");
    }
}
