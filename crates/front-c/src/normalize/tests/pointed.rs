//! Pointers to structs that are swapped.

use super::*;

const GRID: &str = "typedef struct { int n; float *u; } Grid;
static void step(Grid *a, Grid *b) { for (int i = 1; i < a->n - 1; i++) b->u[i] = a->u[i - 1] + a->u[i + 1]; }
";

/// A function that takes steps and swaps.
fn swapping(declared: &str, step: &str, swap: &str) -> String {
    format!(
        "{GRID}void f(Grid *a, Grid *b, int steps) {{ {declared} for (int t = 0; t < steps; t++) {{ {step} {swap} }} }}"
    )
}

const SWAP: &str = "Grid *w = a; a = b; b = w;";

#[test]
fn structs_take_turns_where_they_are_alike() {
    let (text, passes) = rewritten(&swapping("", "step(a, b);", SWAP)).unwrap();
    assert_eq!(passes, ["inline", "pointed"]);
    assert_eq!(
        text,
        "{ if (a->n == b->n && a->u != b->u) { int a_n = a->n; float *a_u = a->u; float *b_u = b->u; \
for (int t = 0; t < steps; t++) { for (int i = 1; i < a_n - 1; i++) { b_u[i] = a_u[i - 1] + a_u[i + 1]; } \
float *a_held = a_u; a_u = b_u; b_u = a_held; } if (a_u != a->u) { Grid *w = a; a = b; b = w; } } \
else { for (int t = 0; t < steps; t++) { step(a, b); Grid *w = a; a = b; b = w; } } }"
    );
}

#[test]
fn a_struct_that_changes_or_is_seen_stays() {
    let is_pointed = |text: &str| {
        let passes = rewritten(text).map_or(Vec::new(), |(_, passes)| passes);
        passes.contains(&"pointed".to_string())
    };
    let outside = "w = a; a = b; b = w;";
    assert!(is_pointed(&swapping(
        "Grid *w = b;",
        "step(a, b);",
        outside
    )));
    // What is read behind the loop has a value that the number of steps tells.
    let read = swapping("Grid *w;", "step(a, b);", outside).replace("} }", "} w->u[0] = 1; }");
    assert!(!is_pointed(&read), "{read}");
    for step in [
        "step(a, b); b->n = t;",
        "step(a, b); { Grid **p = &a; *p = b; }",
        "step(a, b); { Grid *c = a; c->u = 0; }",
        "step(a, b); if (a == b) b->u[0] = 1;",
    ] {
        assert!(!is_pointed(&swapping("", step, SWAP)), "{step}");
    }
    assert!(!is_pointed(&swapping(
        "",
        "step(a, b);",
        "Grid *w = a; a = b; b = a;"
    )));
}
