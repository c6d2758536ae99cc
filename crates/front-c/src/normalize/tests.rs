#![allow(clippy::unwrap_used)]

use super::*;
use hexcc_clang::{Clang, ParseRequest, parse};
use std::path::Path;

mod strip_mine;

/// The forms of the loops of a text.
fn forms_of(text: &str) -> Vec<Rewritten> {
    let vendor = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vendor");
    let clang = Clang::find(&vendor).unwrap();
    let request = ParseRequest {
        file: "test.c".into(),
        text: Some(text.to_owned()),
        ..ParseRequest::default()
    };
    let unit = parse(&clang, &request).unwrap();
    assert!(!unit.has_errors(), "{:?}", unit.messages);
    time_loops(&unit)
}

/// The only loop of a text that is rewritten, and the passes.
fn rewritten(text: &str) -> Option<(String, Vec<String>)> {
    let found = forms_of(text);
    let starts: HashSet<usize> = found.iter().map(|form| form.range.start).collect();
    assert!(starts.len() < 2, "{found:?}");
    let found = found.into_iter().next()?;
    let words: Vec<&str> = found.text.split_whitespace().collect();
    Some((words.join(" "), found.passes))
}

const GRID: &str = "typedef struct { int n; float *now, *next; } Grid;
static void step(Grid *g) { for (int i = 1; i < g->n - 1; i++) g->next[i] = g->now[i - 1] + g->now[i + 1];
  float *w = g->now; g->now = g->next; g->next = w; }
";

#[test]
fn members_that_a_function_swaps() {
    let text = format!(
        "{GRID}void f(int steps) {{ Grid grid = {{0}}; for (int t = 0; t < steps; t++) step(&grid); }}"
    );
    let (text, passes) = rewritten(&text).unwrap();
    assert_eq!(passes, ["inline", "promote", "hoist"]);
    assert_eq!(
        text,
        "{ float *grid_now = grid.now; float *grid_next = grid.next; int grid_n = grid.n; for (int t = 0; t < steps; t++) { for (int i = 1; i < grid_n - 1; i++) \
{ grid_next[i] = grid_now[i - 1] + grid_now[i + 1]; } float *w = grid_now; grid_now = grid_next; grid_next = w; } \
grid.now = grid_now; grid.next = grid_next; }"
    );
}

#[test]
fn an_index_that_toggles() {
    let text = "void f(int n, int steps, float *u[2]) { int now = 0, t = 0; while (t < steps) {
  const float *a = u[now]; float *b = u[1 - now];
  for (int i = 1; i < n; i++) b[i] = a[i - 1]; now = 1 - now; t++; } }";
    let (text, passes) = rewritten(text).unwrap();
    assert_eq!(passes, ["trips", "toggle"]);
    assert_eq!(
        text,
        "{ float *u_now = u[now]; float *u_next = u[1 - now]; for (t = 0; t < steps; t++) { const float *a = u_now; float *b = u_next; \
for (int i = 1; i < n; i++) { b[i] = a[i - 1]; } float *u_held = u_now; u_now = u_next; u_next = u_held; } \
if (u_now != u[now]) { now = 1 - now; } }"
    );
}

#[test]
fn what_others_may_see_stays() {
    let of = |loop_: &str| {
        rewritten(&format!(
            "{GRID}void show(Grid *g); void f(Grid *g, Grid *h, int steps) {{ {loop_} }}"
        ))
    };
    // Two structs may be one.
    for body in ["{ step(g); step(h); }", "{ step(g); g = h; }"] {
        let (text, _) = of(&format!("for (int t = 0; t < steps; t++) {body}")).unwrap();
        assert!(text.contains("->now = "), "{text}");
    }
    let (text, _) =
        of("for (int t = 0; t < steps; t++) { step(g); if (t % 9 == 0) show(g); }").unwrap();
    assert!(
        text.contains(
            "{ g->now = g_now; g->next = g_next; show(g); g_now = g->now; g_next = g->next; }"
        ),
        "{text}"
    );
    // Who returns from the loop leaves the members as they are.
    assert_eq!(
        of("for (int t = 0; t < steps; t++) { step(g); if (t == 5) return; }"),
        None
    );
}

#[test]
fn pointers_of_the_file_and_functions_that_swap_them() {
    let text = "static double *u, *v; static int n;
static void swap(void) { double *t = u; u = v; v = t; }
static void sweep(void) { for (int i = 1; i < n - 1; i++) v[i] = u[i - 1] + u[i + 1]; }
void run(int steps) { double *t = 0; for (int k = 0; k < steps; k++) { sweep(); swap(); } }";
    let (text, passes) = rewritten(text).unwrap();
    assert_eq!(passes, ["inline", "promote"]);
    assert_eq!(
        text,
        "{ double *own_u = u; double *own_v = v; for (int k = 0; k < steps; k++) { for (int i = 1; i < n - 1; i++) \
{ own_v[i] = own_u[i - 1] + own_u[i + 1]; } double *t_b = own_u; own_u = own_v; own_v = t_b; } u = own_u; v = own_v; }"
    );
}

#[test]
fn functions_see_the_index_that_toggles() {
    let of = |show: &str| {
        let text = format!(
            "struct s {{ int n, now; float *u[2]; }};
{show}
void f(struct s *g, int steps) {{ for (int t = 0; t < steps; t++) {{
  for (int i = 1; i < g->n; i++) g->u[!g->now][i] = g->u[g->now][i - 1]; g->now = !g->now;
  if (t % 9 == 0) show(g); }} }}"
        );
        rewritten(&text)
    };
    let (text, passes) =
        of("#include <stdio.h>\nstatic void show(struct s *g) { puts(g->now ? \"a\" : \"b\"); }")
            .unwrap();
    assert_eq!(passes, ["toggle", "strip_mine"]);
    assert!(
        text.contains(
            "if (t % 9 == 0) { if (u_now != g->u[g->now]) { g->now = !g->now; } show(g); }"
        ),
        "{text}"
    );
    // What changes the index, or may change it, is asked each time.
    let toggles = "static void show(struct s *g) { g->now = 0; }";
    assert!(of(toggles).is_none_or(|(text, _)| text.contains("g->u[!g->now]")));
    assert!(of("void show(struct s *g);").is_none_or(|(text, _)| text.contains("g->u[!g->now]")));
}
