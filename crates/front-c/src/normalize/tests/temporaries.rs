//! Numbers and constants of the file.

use super::*;

fn passes_of(declared: &str, cell: &str, behind: &str) -> Vec<String> {
    let text = format!(
        "{declared} float u[64], v[64]; int main(void) {{ for (int t = 0; t < 9; t++) {{
  for (int i = 1; i < 63; i++) {{ {cell} }} for (int i = 1; i < 63; i++) u[i] = v[i]; }} {behind} return 0; }}"
    );
    rewritten(&text).map_or(Vec::new(), |(_, passes)| passes)
}

#[test]
fn a_number_of_the_file_is_one_of_a_block() {
    let text = "static float sum; void f(int n, int steps, float *u, float *v) { for (int t = 0; t < steps; t++) {
  for (int i = 1; i < n; i++) { sum = u[i]; if (i > 3) sum += u[i - 1]; v[i] = sum; } float *w = u; u = v; v = w; } }";
    let (text, passes) = rewritten(text).unwrap();
    assert_eq!(passes, ["temporaries"]);
    assert_eq!(
        text,
        "{ for (int t = 0; t < steps; t++) { for (int i = 1; i < n; i++) { float own_sum = u[i]; if (i > 3) { own_sum += u[i - 1]; } \
v[i] = own_sum; } float *w = u; u = v; v = w; } }"
    );
    let cell = "sum = 0; sum = sum + u[i]; v[i] = sum;";
    let is_own = |declared, cell, behind| {
        passes_of(declared, cell, behind).contains(&"temporaries".to_string())
    };
    assert!(is_own("float sum;", cell, ""));
    for (declared, cell, behind) in [
        // Somebody else may have it, or sees what it has in the end.
        ("float sum;", cell, "return sum > 1;"),
        ("extern float sum;", cell, ""),
        ("float sum; void other(void);", cell, "other();"),
        ("float sum; static float *p = &sum;", cell, ""),
        (
            "float sum; static float get(void) { return sum; }",
            cell,
            "return get() > 1;",
        ),
        ("volatile float sum;", cell, ""),
        // It is read before it is set.
        ("float sum;", "v[i] = sum; sum = u[i];", ""),
        ("float sum;", "if (i > 3) { sum = u[i]; } v[i] = sum;", ""),
        ("float sum;", "sum = sum + u[i]; v[i] = sum;", ""),
    ] {
        assert!(
            !is_own(declared, cell, behind),
            "{declared} {cell} {behind}"
        );
    }
}

#[test]
fn a_constant_that_a_condition_multiplies_by_is_a_number() {
    let has = |declared, cell| passes_of(declared, cell, "").contains(&"constants".to_string());
    let cell = "if (i != x * N + 3) v[i] = u[i - 1];";
    assert!(has("const int N = 7; int x;", cell));
    assert!(has("static const int M = 3, N = M + 4; int x;", cell));
    assert!(!has("int N = 7; int x;", cell));
    assert!(!has("const int N = 7; int x;", "v[i] = u[i - 1] * N;"));
    assert!(!has("const int N = 7; const int x = 1;", cell));
}
