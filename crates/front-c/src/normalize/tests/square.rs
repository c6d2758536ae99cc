//! Rows of flat arrays that have two lengths.

use super::rewritten;

/// A time loop over a flat array of `n` rows of `m`, with statements behind the nest.
fn with(stmts: &str) -> Option<String> {
    let (text, passes) = rewritten(&format!(
        "int k; void f(int n, int m, unsigned w, int steps, float *u, float *v) {{
  for (int t = 0; t < steps; t++) {{
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++) v[i * m + j] = u[(i - 1) * m + j] + u[i * m + j + 1];
    {stmts}
    float *w = u; u = v; v = w;
  }}
}}"
    ))?;
    passes.contains(&"square".to_owned()).then_some(text)
}

#[test]
fn lengths_are_one_where_they_are_equal() {
    let text = with("for (int i = 0; i < m; i++) { v[i * n] = 0; v[m - 1 + i * n] = 0; }").unwrap();
    let condition = "if (n == m) { for (int t = 0; t < steps; t++) {";
    assert!(text.contains(condition), "{text}");
    let all = "v[i * n + j] = u[(i - 1) * n + j] + u[i * n + j + 1];";
    assert!(
        text.contains(all) && text.contains("v[n - 1 + i * n] = 0;"),
        "{text}"
    );
    let otherwise = "else { for (int t = 0; t < steps; t++) { for (int i = 1; i < n - 1; i++) { \
for (int j = 1; j < m - 1; j++) { v[i * m + j] = u[(i - 1) * m + j] + u[i * m + j + 1];";
    assert!(text.contains(otherwise), "{text}");
}

#[test]
fn other_lengths_stay() {
    for stmts in [
        "for (int i = 0; i < m; i++) v[i * m] = 0;",
        // Three lengths, types that differ, lengths that steps change.
        "for (int i = 0; i < m; i++) v[i * n] = v[i * k];",
        "for (int i = 0; i < m; i++) v[i * w] = 0;",
        "for (int i = 0; i < m; i++) v[i * n] = 0; n--;",
        "for (int i = 0; i < m; i++) v[2 * i] = 0;",
    ] {
        assert_eq!(with(stmts), None, "{stmts}");
    }
}
