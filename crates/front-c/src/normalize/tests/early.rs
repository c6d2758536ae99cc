use super::*;

/// The loop of a text with `body` in it behind the pass; `None` where that finds nothing.
fn written(locals: &str, body: &str, behind: &str) -> Option<String> {
    let text = format!(
        "void see(float **u); float *shown;
void f(float *u, float *v, float *z, int n, int steps) {{ float *w; {locals} for (int t = 0; t < steps; t++) {{ {body} }} {behind} }}"
    );
    let (text, passes) = rewritten(&text)?;
    passes.contains(&"early".to_owned()).then_some(text)
}

const SWAP: &str = "w = u; u = v; v = w;";
const SWEEP: &str = "for (int i = 1; i < n; i++) u[i] = v[i - 1];";

#[test]
fn pointers_move_behind_a_step() {
    let text = written("", &format!("{SWAP} {SWEEP}"), "").unwrap();
    assert_eq!(
        text,
        "{ { w = u; u = v; v = w; } for (int t = 0; t < steps; t++) { for (int i = 1; i < n; i++) { u[i] = v[i - 1]; } \
w = u; u = v; v = w; } { w = u; u = v; v = w; } }"
    );
    // Of three, what undoes it is the same twice.
    let three = "float *x = u; u = v; v = z; z = x;";
    let text = written("", &format!("{three} {SWEEP}"), "").unwrap();
    assert_eq!(text.matches("z = x;").count(), 4, "{text}");
    assert!(
        text.ends_with("z = x; } { float *x = u; u = v; v = z; z = x; } }"),
        "{text}"
    );
}

#[test]
fn pointers_that_stay() {
    let both = format!("{SWAP} {SWEEP}");
    for (locals, body, behind) in [
        // The step ends between, moves them once more, or the held one is used behind.
        ("", format!("{both} if (t == 9) break;"), ""),
        ("", format!("{both} v = z;"), ""),
        ("", both.clone(), "shown = w;"),
        // They are known elsewhere.
        ("see(&u);", both, ""),
        ("", String::from("w = u; u = v; v = w;"), ""),
    ] {
        assert_eq!(written(locals, &body, behind), None, "{body}");
    }
}
