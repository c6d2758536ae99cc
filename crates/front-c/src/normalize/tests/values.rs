//! What cells do under conditions on data.

use super::*;

/// What the cells of a loop do as values, if they are.
fn cells(before: &str, cell: &str) -> Option<String> {
    let text = format!(
        "int g(int); int n; enum {{ A, B }}; {before}
        void f(int steps, int u[64], int v[64], double *d) {{ for (int t = 0; t < steps; t++) {{
        for (int i = 0; i < 64; i++) {{ {cell} }} int *w = u; u = v; v = w; }} }}"
    );
    let mut forms = forms_of(&text).into_iter();
    let form = forms.find(|form| form.passes.contains(&"values".to_owned()))?;
    let words: Vec<&str> = form.text.split_whitespace().collect();
    let text = words.join(" ");
    let (_, cells) = text.split_once("for (int i = 0; i < 64; i++) { ")?;
    let (cells, _) = cells.split_once(" } int *w")?;
    Some(cells.to_owned())
}

fn assert_cells(cell: &str, values: &str) {
    assert_eq!(cells("", cell), Some(values.to_owned()), "{cell}");
}

#[test]
fn branches_are_one_value() {
    assert_cells(
        "if (u[i] > 1) v[i] = 1; else v[i] = u[i];",
        "v[i] = u[i] > 1 ? 1 : u[i];",
    );
    assert_cells(
        "if (u[i] > 1) { v[i] = 1; continue; } int k = u[i] + 2; v[i] = k; if (v[i] > 3) v[i] -= k;",
        "int holds = u[i] > 1; int k = holds ? 0 : u[i] + 2; v[i] = holds ? 1 : k; \
         v[i] = holds ? v[i] : v[i] > 3 ? (int)(v[i] - k) : v[i];",
    );
    assert_cells(
        "if (u[i] > 1) { v[i] = 1; continue; } int k = 0; k++; --k; v[i] = k;",
        "int holds = u[i] > 1; int k = holds ? 0 : 0; k = holds ? k : (int)(k + 1); \
         k = holds ? k : (int)(k - 1); v[i] = holds ? 1 : k;",
    );
    // What C would convert to another type than that of the place.
    assert_cells(
        "if (u[i] > 1) d[i] = -1; else d[i] = 2u;",
        "d[i] = u[i] > 1 ? (double)-1 : (double)2u;",
    );
}

#[test]
fn switches_are_branches() {
    assert_cells(
        "switch (u[i]) { case A: v[i] = 1; break; case B: case 7: v[i] = 2; break; default: v[i] = 3; }",
        "int chosen = u[i]; v[i] = chosen == A ? 1 : chosen == B || chosen == 7 ? 2 : 3;",
    );
    assert_cells(
        "switch (u[i]) { case A: { v[i] = 1; break; } default: { int k = u[i - 1]; v[i] = k; break; } }",
        "int chosen = u[i]; int k = chosen == A ? 0 : u[i - 1]; v[i] = chosen == A ? 1 : k;",
    );
    let runs_on = "switch (u[i]) { case A: v[i] = 1; case B: v[i] = 2; break; default: v[i] = 3; }";
    assert_eq!(cells("", runs_on), None);
    let not_always = "switch (u[i]) { case A: v[i] = 1; break; case B: v[i] = 2; break; }";
    assert_eq!(cells("", not_always), None);
    let of_file = "static int w[64];";
    let lies_in_array = "switch (u[i]) { case A: w[i] = 1; break; case B: w[i] = 2; break; }";
    assert_eq!(
        cells(of_file, lies_in_array).unwrap(),
        "int chosen = u[i]; w[i] = chosen == A ? 1 : chosen == B ? 2 : w[i];"
    );
    let longer = "static int w[63];";
    assert_eq!(cells(longer, lies_in_array), None);
}

#[test]
fn what_may_not_exist_stays() {
    for cell in [
        "if (u[i] > 1) v[i] = 1;",
        "if (u[i] > 1) v[i] = 1; else v[i + 1] = 1;",
        "int k = i; if (u[i] > 1) { k = 2; v[k] = 1; } else v[k] = 2;",
        "if (u[i] > 1) v[i] = g(i); else v[i] = 2;",
        "if (u[i] > 1) { v[i] = 1; break; } else v[i] = 2;",
        "if (i > 1) v[i] = 1; else v[i] = 2;",
    ] {
        assert_eq!(cells("", cell), None, "{cell}");
    }
}

#[test]
fn functions_that_choose_are_values() {
    let near = "static int wet[64]; static int near(int i) { if (i > 0 && wet[i - 1] == A) return 1; return 0; }";
    let cell = "if (u[i] > 1 && near(i)) v[i] = 1; else v[i] = u[i];";
    assert_eq!(
        cells(near, cell).unwrap(),
        "v[i] = u[i] > 1 && (i > 0 && wet[i - 1] == A ? 1 : 0) ? 1 : u[i];"
    );
    // Names of the file that the loop's function has for others.
    let hidden = "static int d[64]; static int near(int i) { if (i > 0 && d[i - 1] == A) return 1; return 0; }";
    assert!(cells(hidden, cell).unwrap().contains("near(i)"));
    let twice = "if (u[i] > 1 && near(u[i])) v[i] = 1; else v[i] = u[i];";
    assert!(cells(near, twice).unwrap().contains("near(u[i])"));
}
