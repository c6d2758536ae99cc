//! Planes in tables of pointers.

use super::forms_of;

const SWAP: &str = "for (int k = 0; k < 2; k++) { float *h = f[k]; f[k] = g[k]; g[k] = h; }";

/// The form of a time loop over two tables with variables for their pointers, given how these are declared.
fn apart(params: &str, declared: &str, more: &str) -> Option<String> {
    let text = format!(
        "void h(float **); float *hidden(float *); static float twice(float x) {{ return 2 * x; }}
void run(int n, int steps, float **p, {params}) {{ {declared} for (int t = 0; t < steps; t++) {{ \
for (int i = 1; i < n; i++) for (int k = 0; k < 2; k++) g[k][i] = f[k][i - 1] + twice(f[1 - k][i]); {more} }} }}"
    );
    let forms = forms_of(&text);
    let mut found = (forms.into_iter()).filter(|form| form.passes.contains(&"apart".to_owned()));
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    found.next().map(|form| words(form.text))
}

#[test]
fn pointers_of_tables_are_variables() {
    let text = apart(
        "float *a, float *b",
        "float *f[2] = {a, b}, *g[2] = {b, a};",
        SWAP,
    )
    .unwrap();
    let before =
        "{ float *f_0 = f[0]; float *f_1 = f[1]; float *g_0 = g[0]; float *g_1 = g[1]; for (int t";
    assert!(text.starts_with(before), "{text}");
    let step = "g_0[i] = f_0[i - 1] + twice(f_1[i]); g_1[i] = f_1[i - 1] + twice(f_0[i]); } \
{ float *h = f_0; f_0 = g_0; g_0 = h; } { float *h = f_1; f_1 = g_1; g_1 = h; } } f[0] = f_0; f[1] = f_1; g[0] = g_0; g[1] = g_1; }";
    assert!(text.ends_with(step), "{text}");
    // What is not moved is not stored.
    let copy = "for (int i = 0; i < n; i++) f[0][i] = g[0][i];";
    let text = apart(
        "float *a, float *b",
        "float *f[2] = {a, b}, *g[2] = {b, a};",
        copy,
    )
    .unwrap();
    assert!(!text.contains("f[0] = f_0"), "{text}");
}

#[test]
fn tables_of_parameters_may_overlap() {
    let text = apart("float *f[2], float **g", "", SWAP).unwrap();
    assert!(text.contains("if (f + 2 <= g || g + 2 <= f) {"), "{text}");
    let otherwise = "else { for (int t = 0; t < steps; t++) {";
    assert!(text.contains(otherwise), "{text}");
    let alone = apart("float *f[2], float **g", "", "");
    assert!(!alone.unwrap().contains("<= g"), "where none is moved");
}

#[test]
fn tables_that_something_else_may_move_stay() {
    for more in [
        "h(f);",
        "h(&f[1]);",
        "f[0] = hidden(f[0]);",
        "f[0]++;",
        "*p = g[0];",
        "f[t % 2] = g[0];",
    ] {
        assert_eq!(apart("float *f[2], float **g", "", more), None, "{more}");
    }
}
