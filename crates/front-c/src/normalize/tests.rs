#![allow(clippy::unwrap_used)]

use super::*;
use hexcc_clang::{Clang, ParseRequest, parse};
use std::path::Path;

/// The only loop of a text that is rewritten, and the passes.
fn rewritten(text: &str) -> Option<(String, Vec<String>)> {
    let vendor = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vendor");
    let clang = Clang::find(&vendor).unwrap();
    let request = ParseRequest {
        file: "test.c".into(),
        text: Some(text.to_owned()),
        ..ParseRequest::default()
    };
    let unit = parse(&clang, &request).unwrap();
    assert!(!unit.has_errors(), "{:?}", unit.messages);
    let mut found = time_loops(&unit);
    assert!(found.len() < 2, "{found:?}");
    let found = found.pop()?;
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
    assert_eq!(passes, ["toggle"]);
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

/// The body of the only loop of a function with parameters, behind arrays of the file, when copies are loops.
fn copied(params: &str, body: &str) -> Option<String> {
    let text = format!(
        "#include <string.h>\ntypedef double Plane[20][30]; static Plane u, v; static double w[20][31]; static float a[100], b[100]; typedef volatile float Seen[100]; static Seen seen;
void f(int T, {params}) {{ for (int t = 0; t < T; t++) {{ {body} }} }}"
    );
    let (text, passes) = rewritten(&text)?;
    assert_eq!(passes, ["copies"]);
    let text = text.strip_prefix("{ for (int t = 0; t < T; t++) { ")?;
    Some(text.strip_suffix(" } }")?.to_owned())
}

#[test]
fn copies_of_arrays() {
    let nest = "for (int cell = 0; cell < 20; cell++) { for (int cell_b = 0; cell_b < 30; cell_b++) { u[cell][cell_b] = v[cell][cell_b]; } }";
    for copy in [
        "memcpy(u, v, sizeof u);",
        "memcpy(u, v, sizeof(Plane));",
        "memcpy(&u[0][0], v[0], 20 * 30 * sizeof(double));",
        "memmove(u, v, sizeof(double) * 30 * 20);",
        "(void)memcpy((void *)&u, v, 20 * sizeof *v);",
    ] {
        assert_eq!(copied("int n", copy).as_deref(), Some(nest), "{copy}");
    }
    assert_eq!(
        copied("int n", "if (n) memset(a + 1, 0, n * sizeof(float));").as_deref(),
        Some("if (n) { for (int cell = 0; cell < n; cell++) { a[1 + cell] = 0; } }")
    );
    let variable = "int n, int m, float x[n][m], float (*y)[m]";
    let nest = "for (int cell = 0; cell < n; cell++) { for (int cell_b = 0; cell_b < m; cell_b++) { x[cell][cell_b] = y[cell][cell_b]; } }";
    for bytes in ["n * sizeof *x", "m * 4 * n", "sizeof(float[n][m])"] {
        let copy = format!("memcpy(x, y, {bytes});");
        assert!(copied(variable, &copy).is_some_and(|text| text.replace("long", "int") == nest));
    }
}

#[test]
fn copies_of_flat_arrays_have_rows() {
    let of = |subscript: &str, bytes: &str| {
        let body =
            format!("for (int i = 0; i < n; i++) y[{subscript}] = 0; memcpy(x, y, {bytes});");
        let text = copied("int n, int m, float *x, float *y", &body)?;
        Some(text.split_once("= 0; } ")?.1.to_owned())
    };
    let nest = "for (int cell = 0; cell < n; cell++) { for (int cell_b = 0; cell_b < m; cell_b++) \
{ x[cell * m + cell_b] = y[cell * m + cell_b]; } }";
    assert_eq!(
        of("i * m + 1", "m * n * sizeof(float)").as_deref(),
        Some(nest)
    );
    let wide = of("i * m + 1", "(size_t)n * m * sizeof *x");
    assert_eq!(wide, Some(nest.replace("int cell", "long cell")));
    assert_eq!(
        of("i", "n * sizeof(double)").as_deref(),
        Some("for (int cell = 0; cell < n * 2; cell++) { x[cell] = y[cell]; }")
    );
    assert_eq!(of("i", "n * m * sizeof(float)"), None);
    // The factor next to the subscript tells the order.
    let body = "for (int i = 0; i < n; i++) y[(i * m + i) * k + i] = 0; memset(x, 0, k * n * m * sizeof *x);";
    let text = copied("int n, int m, int k, float *x, float *y", body).unwrap();
    assert!(
        text.ends_with("{ x[(cell * m + cell_b) * k + cell_c] = 0; } } }"),
        "{text}"
    );
    let text = "#include <string.h>\nvoid f(int T, int n, int m, int *x, int *y) { size_t all = (size_t)n * m; size_t size = all * sizeof *x; CHANGE
for (int t = 0; t < T; t++) { for (int i = 0; i < n; i++) y[i * m] = 0; memcpy(x, y, all * sizeof(int)); } }";
    let (looked_through, _) = rewritten(&text.replace("CHANGE", "")).unwrap();
    assert!(looked_through.contains("cell_b < m;"), "{looked_through}");
    for change in ["n++;", "all = 1;", "int *p = &m;"] {
        let (text, _) = rewritten(&text.replace("CHANGE", change)).unwrap();
        assert!(text.contains("cell < all;"), "{text}");
    }
}

#[test]
fn copies_that_are_no_loops() {
    for copy in [
        "memcpy(u, w, sizeof u);",
        "memcpy(a, u, sizeof a);",
        "memmove(a, a + 1, 99 * sizeof(float));",
        "memmove(x, y, n * sizeof(float));",
        "memset(a, 1, sizeof a);",
        "memcpy(u, v, 31 * sizeof(double));",
        "memcpy(a, b, 7);",
        "memcpy(u[2], v[2], n * sizeof(double));",
        "memcpy(a, b, k * k * 4u);",
        "memcpy(a, b, n++ * 4);",
        "memcpy(a, n ? b : a, sizeof a);",
        "memcpy((void *)seen, a, sizeof a);",
    ] {
        assert_eq!(
            copied("int n, unsigned k, float *x, float *y", copy),
            None,
            "{copy}"
        );
    }
    let own =
        "void *memcpy(void *a, const void *b, unsigned long n) { return a; } float a[9], b[9];
void f(int T) { for (int t = 0; t < T; t++) memcpy(a, b, sizeof a); }";
    assert_eq!(rewritten(own), None);
    let changed = "#include <string.h>\nvoid f(int T, int n) { float a[n], b[n]; n = 3; for (int t = 0; t < T; t++) memcpy(a, b, sizeof a); }";
    assert_eq!(rewritten(changed), None);
}

/// The cell's code of the only sweep of a time loop, when it is unrolled.
fn unrolled(before: &str, cell: &str) -> Option<String> {
    let text = format!(
        "{before}\nvoid f(int T, int n, const float *u, float *w) {{ int r; for (int t = 0; t < T; t++) for (int i = 4; i < n - 4; i++) {{ {cell} }} }}"
    );
    let (text, passes) = rewritten(&text)?;
    assert_eq!(passes, ["unroll"]);
    let text = text.split_once("i < n - 4; i++) { ")?.1;
    Some(text.strip_suffix(" } } }")?.to_owned())
}

#[test]
fn loops_over_neighbours() {
    let sum = "float s = 0; for (int r = FROM) s += u[i + r]; w[i] = s;";
    let of = |from: &str| {
        unrolled(
            "enum { R = 1 }; static const int Q = 2 * R;",
            &sum.replace("FROM", from),
        )
    };
    let expected = "float s = 0; s += u[i + -1]; s += u[i + 0]; s += u[i + 1]; w[i] = s;";
    for from in ["-1; r <= 1; r++", "-R; r < Q; ++r", "-R; Q > r; r += R"] {
        assert_eq!(of(from).as_deref(), Some(expected), "{from}");
    }
    assert!(
        of("1; r >= -1; r--")
            .is_some_and(|text| text.starts_with("float s = 0; s += u[i + 1]; s += u[i + 0];"))
    );
    for from in [
        "0; r < n; r++",
        "0; r < 33; r++",
        "t; r < 3; r++",
        "0; r < 3; r += 0",
        "0; r < 3; s = 1",
    ] {
        assert_eq!(of(from), None, "{from}");
    }
    let nested = unrolled(
        "static const int dx[2] = {-1, 1}; static const float c[2][2] = {{1, 2}, {3, 4}};",
        "float s = 0; for (int a = 0; a < 2; a++) for (int b = 0; b < 2; b++) { if (a == b) continue; s += c[a][b] * u[i + dx[a] * dx[b]]; } w[i] = s;",
    );
    assert_eq!(
        nested.as_deref(),
        Some("float s = 0; s += c[0][1] * u[i + -1 * 1]; s += c[1][0] * u[i + 1 * -1]; w[i] = s;")
    );
    // What is declared in the body has a block of its own, and an iterator of the function its last number.
    let text = unrolled(
        "",
        "float s = 0; for (r = 0; r < 2; r++) { float d = u[i - r]; s += d; } w[i] = s + r;",
    );
    assert_eq!(
        text.as_deref(),
        Some(
            "float s = 0; { float d = u[i - 0]; s += d; } { float d = u[i - 1]; s += d; } r = 2; w[i] = s + r;"
        )
    );
}

#[test]
fn small_arrays_of_a_cell() {
    let gathered = "int k = 0; float in[3]; for (r = -1; r <= 1; r++) in[k++] = u[i + r]; w[i] = in[0] + in[k - 1];";
    assert_eq!(
        unrolled("", gathered).as_deref(),
        Some(
            "float in_b; float in_c; float in_d; in_b = u[i + -1]; in_c = u[i + 0]; in_d = u[i + 1]; w[i] = in_b + in_d;"
        )
    );
    // Not where an element is selected by what is not known, or the array is used as a whole.
    for last in [
        "w[i] = in[(int)u[i]];",
        "w[i] = *in;",
        "w[i] = in[k];",
        "if (u[i]) k++; w[i] = in[k];",
    ] {
        let text = gathered.replace("w[i] = in[0] + in[k - 1];", last);
        assert!(
            unrolled("", &text).is_none_or(|text| text.contains("float in[3]")),
            "{last}"
        );
    }
}

#[test]
fn loops_that_stay() {
    for cell in [
        "float s = 0; for (int r = 0; r < 3; r++) { s += u[i + r]; r++; } w[i] = s;",
        "float s = 0; for (int r = 0; r < 3; r++) { int *p = &r; s += u[i + *p]; } w[i] = s;",
        "float s = 0; for (int r = 0; r < 3; r++) { if (u[i + r] > 1) break; s += u[i + r]; } w[i] = s;",
        "float s = 0; for (int r = 0; r < 3; r++) { if (u[i] > 1) continue; s += u[i + r]; } w[i] = s;",
        "for (int r = 0; r < 3; r++) w[i + r] = u[i + r];",
        "float s = 0; for (volatile int r = 0; r < 3; r++) s += u[i + r]; w[i] = s;",
        "float s = 0; for (int r = 0; r < 3; r++) s += u[i]; w[i] = s;",
        "float s = 0; for (int r = 0; r < 3; r++) { static float d; d += u[i + r]; s += d; } w[i] = s;",
        "float s = 0; for (unsigned r = 2; r >= 0; r--) s += u[i + r]; w[i] = s;",
    ] {
        assert_eq!(unrolled("", cell), None, "{cell}");
    }
    // No sweep is taken for a time loop.
    let sweep = "void f(int n, float *u, float *w) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;
for (int r = 0; r < 3; r++) s += u[i * n + j + r]; w[i * n + j] = s; } }";
    assert_eq!(rewritten(sweep), None);
}
