use super::*;

/// The loop of a text with `body` in it behind the pass; `None` where that finds nothing.
fn written(locals: &str, body: &str, behind: &str) -> Option<String> {
    let text = format!(
        "void see(float **u); float *shown; static void swap(float **a, float **b) {{ float *t = *a; *a = *b; *b = t; }}
void f(float *u, float *v, float *z, int n, int steps) {{ float *w; {locals} for (int t = 0; t < steps; t++) {{ {body} }} {behind} }}"
    );
    let (text, passes) = rewritten(&text)?;
    passes.contains(&"halves".to_owned()).then_some(text)
}

const SWAP: &str = "w = u; u = v; v = w;";
const SWEEP: &str = "for (int i = 1; i < n; i++) v[i] = u[i - 1];";
const SWEPT: &str = "for (int i = 1; i < n; i++) { v[i] = u[i - 1]; }";

#[test]
fn pointers_that_move_twice() {
    let back = "for (int i = 1; i < n; i++) { u[i] = v[i - 1]; }";
    let two = format!("{{ for (int t = 0; t < steps; t++) {{ {SWEPT} {back} }} }}");
    let body = format!("{SWEEP} {SWAP} {SWEEP} {SWAP}");
    assert_eq!(written("", &body, "u[0] = 1;").as_deref(), Some(&*two));
    let body = format!("{SWEEP} swap(&u, &v); {SWEEP} swap(&v, &u);");
    assert_eq!(written("", &body, "u[0] = 1;").as_deref(), Some(&*two));
    // Three times is once.
    let body = format!("{SWEEP} {SWAP} {SWEEP} {SWAP} {SWEEP} {SWAP}");
    let three = format!(
        "{{ for (int t = 0; t < steps; t++) {{ {SWEPT} {back} {SWEPT} float *u_before = u; u = v; v = u_before; }} }}"
    );
    assert_eq!(written("", &body, "").as_deref(), Some(&*three));
}

#[test]
fn pointers_that_others_see() {
    let body = format!("{SWEEP} {SWAP} {SWEEP} {SWAP}");
    for (locals, body, behind) in [
        ("", format!("{SWEEP} {SWAP}"), ""),
        ("see(&u);", body.clone(), ""),
        ("", body.clone(), "shown = w;"),
        ("", format!("{SWEEP} {SWAP} if (t == 9) break; {SWEEP}"), ""),
        ("", format!("{SWEEP} {SWAP} {SWEEP} v = z;"), ""),
        ("", format!("{SWEEP} {SWAP} see(&u); {SWEEP}"), ""),
    ] {
        assert_eq!(written(locals, &body, behind), None, "{body}");
    }
}

#[test]
fn variables_of_the_file_that_functions_use() {
    let passes = |between: &str| {
        let text = format!(
            "float *u, *v; float seen; float look(void) {{ return u[1]; }} void other(void);
void f(int n, int steps) {{ for (int t = 0; t < steps; t++) {{ {SWEEP} float *w = u; u = v; v = w; {between} {SWEEP} w = u; u = v; v = w; }} }}"
        );
        rewritten(&text).map_or(Vec::new(), |(_, passes)| passes)
    };
    assert!(passes("seen = 1;").contains(&"halves".to_owned()));
    for between in ["seen = look();", "other();"] {
        assert!(!passes(between).contains(&"halves".to_owned()), "{between}");
    }
}
