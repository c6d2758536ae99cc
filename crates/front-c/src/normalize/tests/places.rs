//! Loops around a cell, values by its place, and what is decided in the text.

use super::forms_of;

/// The last form of the loop over the steps, whose body this is, and its passes.
fn body_of(body: &str) -> Option<(String, String)> {
    let text = format!(
        "static double a[50][60], b[50][60]; static char c[50][60];
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
    // Bounds around two numbers, and one that changes.
    assert!(around("i - 1", "<= j + 1", "s += a[k][j];").is_none());
    assert!(around("i - 1", "<= i + 1", "s += a[k][j]; i += 0;").is_none());
}

#[test]
fn characters_are_numbers() {
    let code = "b[i][j] = a[i][j] + (c[i - 1][j] == 'X');";
    let (text, passes) = body_of(&cells(code)).expect("a form");
    assert_eq!(
        (text, passes.as_str()),
        (cells(&code.replace("'X'", "88")), "characters")
    );
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
