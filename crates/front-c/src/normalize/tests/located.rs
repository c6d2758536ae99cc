use super::rewritten;

/// A time loop over a flat array, with a statement behind the nest.
fn with(stmt: &str) -> String {
    format!(
        "void f(int n, int m, int steps, int source, const float *a, float *u, float *v) {{
  for (int t = 0; t < steps; t++) {{
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++) v[i * m + j] = u[(i - 1) * m + j] + u[i * m + j + 1];
    {stmt}
    float *w = u; u = v; v = w;
  }}
}}"
    )
}

#[test]
fn the_number_of_a_cell_has_a_row_and_a_column() {
    let (text, passes) = rewritten(&with("v[source] += a[t]; v[source + 1] = 0;")).unwrap();
    assert_eq!(passes, ["located"]);
    let before =
        "int source_row = m > 0 ? source / m : 0; int source_column = source - source_row * m; for";
    assert!(text.contains(before), "{text}");
    let cells =
        "v[source_row * m + source_column] += a[t]; v[source_row * m + source_column + 1] = 0;";
    assert!(text.contains(cells), "{text}");
}

#[test]
fn cells_in_planes() {
    let text = "void f(int n, int m, int l, int steps, int source, float *u, float *v) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n; i++) for (int j = 1; j < m; j++) for (int k = 1; k < l; k++)
      v[(i * m + j) * l + k] = u[(i * m + j) * l + k - 1];
    v[source] = 1;
    float *w = u; u = v; v = w;
  }
}";
    let (text, _) = rewritten(text).unwrap();
    let before = "int source_rows = l > 0 ? source / l : 0; int source_column = source - source_rows * l; \
int source_plane = m > 0 ? source_rows / m : 0; int source_row = source_rows - source_plane * m; for";
    assert!(text.contains(before), "{text}");
    let cell = "v[(source_plane * m + source_row) * l + source_column] = 1;";
    assert!(text.contains(cell), "{text}");
}

#[test]
fn what_is_no_number_of_a_cell_stays() {
    for stmt in [
        // In a row that the subscript tells.
        "v[t * m + source] = 0;",
        // The last row is counted by a loop.
        "for (int j = source; j < m; j++) v[j] = 0; v[source] = 0;",
        "v[source] = 0; source++;",
        "v[m - 1] = 0;",
        "v[-source] = 0;",
        "unsigned long at = source; v[at] = 0;",
    ] {
        let found = rewritten(&with(stmt));
        assert!(
            found.is_none_or(|(_, passes)| !passes.contains(&"located".to_owned())),
            "{stmt}"
        );
    }
}
