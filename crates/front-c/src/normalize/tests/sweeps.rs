//! Loops over all cells of flat arrays.

use super::rewritten;

/// A time loop over flat arrays of `n` rows of `m`, with statements behind the nest.
fn with(stmts: &str) -> Option<String> {
    let (text, passes) = rewritten(&format!(
        "#define N 20
#define M 30
struct grid {{ int n, m; }};
void other(void); int size; static int *p = &size;
void f(int n, int m, unsigned w, int steps, struct grid *g, float *u, float *v, int *h, double err) {{
  int k, all = n * m;
  for (int t = 0; t < steps; t++) {{
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++) v[i * m + j] = u[(i - 1) * m + j] + u[i * m + j + 1];
    {stmts}
  }}
}}"
    ))?;
    passes.contains(&"sweeps".to_owned()).then_some(text)
}

/// What stands in the place of a loop over all cells.
const ROWS: &str =
    "for (int row = 0; row < n; row++) { for (int column = 0; column < m; column++) { ";

#[test]
fn loops_over_all_cells_have_rows() {
    for (stmts, body) in [
        (
            "for (k = 0; k < n * m; k++) u[k] = v[k];",
            "u[row * m + column] = v[row * m + column];",
        ),
        (
            "for (int k = 0; k < m * n; ++k) { u[k] = v[k]; h[k] += 1; }",
            "h[row * m + column] += 1;",
        ),
        (
            "for (k = 0; k <= n * m - 1; k++) u[k] = v[k];",
            "u[row * m + column] = v[row * m + column];",
        ),
        (
            "for (int k = 0; k < all; k += 1) u[k] = v[k];",
            "u[row * m + column] = v[row * m + column];",
        ),
        (
            "for (k = 0; k < n * m; k++) { float d = v[k] - u[k]; if (d > err) err = d; }",
            "float d = v[row * m + column] - u[row * m + column];",
        ),
        (
            "for (k = 0; k < n * m; k++) { int i = k / m, j = k % m; if (i > 0 && j < m - 1) u[k] = v[k + 1]; }",
            "u[row * m + column] = v[row * m + column + 1];",
        ),
    ] {
        let text = with(stmts).unwrap_or_default();
        assert!(text.contains("if (m > 0) { "), "{stmts} {text}");
        assert!(text.contains(ROWS) && text.contains(body), "{stmts} {text}");
    }
}

#[test]
fn constant_lengths_need_no_test() {
    let (text, passes) = rewritten(
        "#define N 20
#define M 30
void f(int steps, float *u, float *v) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++) for (int j = 1; j < M - 1; j++) v[i * M + j] = u[i * M + j - 1];
    for (int k = 0; k < N * M; k++) u[k] = v[k];
  }
}",
    )
    .unwrap();
    assert_eq!(passes, ["sweeps"]);
    let rows = "for (int row = 0; row < 20; row++) { for (int column = 0; column < 30; column++) { u[row * 30 + column]";
    assert!(text.contains(rows) && !text.contains("if ("), "{text}");
}

#[test]
fn lengths_may_be_sums() {
    let (text, _) = rewritten(
        "void f(int n, int m, int steps, float *u, float *v) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i <= n; i++) for (int j = 1; j <= m; j++) v[i * (m + 2) + j] = u[i * (m + 2) + j - 1];
    for (int k = 0; k < (n + 2) * (m + 2); k++) u[k] = v[k];
  }
}",
    )
    .unwrap();
    assert!(text.starts_with("{ if (m + 2 > 0) {"), "{text}");
    let rows = "for (int row = 0; row < n + 2; row++) { for (int column = 0; column < m + 2; column++) { u[row * (m + 2) + column]";
    assert!(text.contains(rows), "{text}");
}

#[test]
fn products_become_variables_where_nothing_tells_a_row() {
    for (product, known) in [("n * n", "n * n"), ("g->n * g->m", "g_n * g_m")] {
        let text = with(&format!("for (k = 1; k < {product}; k++) u[k] += 1;")).unwrap();
        let cells = format!("int cells = {known};");
        assert!(text.contains(&cells), "{text}");
        assert!(text.contains("for (k = 1; k < cells; k++)"), "{text}");
    }
    // Stores to whole numbers may change it.
    let text = with("for (k = 0; k < g->n * g->m; k++) h[k] += 1;");
    assert_eq!(text, None);
}

#[test]
fn other_loops_stay() {
    for stmts in [
        // Not all cells, or in another order.
        "for (k = 1; k < all; k++) u[k] = v[k];",
        "for (k = 0; k < all; k += 2) u[k] = v[k];",
        "for (k = 0; k < all; k++) u[k] = v[k + 1];",
        "for (k = 0; k < all; k++) u[k] = k;",
        // What ends it changes in it, or others may change it.
        "for (k = 0; k < all; k++) { u[k] = v[k]; m--; }",
        "for (k = 0; k < all; k++) { u[k] = v[k]; if (u[k] > 1) break; }",
        "for (k = 0; k < all; k++) { u[k] = v[k]; other(); }",
        // Other variables have the names of what it is a product of.
        "for (k = 0; k < all; k++) { int m = 2; u[k] = v[k] * m; }",
        "int n = t; for (k = 0; k < all; k++) u[k] = v[k] * n;",
        // A product of 32 bits without a sign may wrap around.
        "for (k = 0; k < w * w; k++) v[k + 1] = 0; w++;",
    ] {
        let text = with(stmts).unwrap_or_default();
        assert!(!text.contains("column"), "{stmts} {text}");
    }
    // The iterator is read behind it.
    let text = with("for (k = 0; k < all; k++) u[k] = v[k]; u[k - 1] = 0;");
    assert_eq!(text, None);
}
