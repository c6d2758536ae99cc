#![allow(clippy::unwrap_used)]

use super::*;
use hexcc_clang::{Clang, ParseRequest, parse};
use std::path::Path;

mod aliases;
mod apart;
mod calls;
mod cells;
mod choices;
mod converge;
mod early;
mod forward;
mod ghosts;
mod given;
mod halves;
mod heads;
mod helpers;
mod iterators;
mod located;
mod masks;
mod mirrors;
mod peel;
mod places;
mod plain;
mod pointed;
mod returns;
mod same;
mod schemes;
mod sizes;
mod square;
mod strip_mine;
mod swaps;
mod sweeps;
mod temporaries;
mod unreached;
mod unread;
mod values;

/// The forms of the loops of a text.
fn forms_of(text: &str) -> Vec<Rewritten> {
    time_loops(&unit_of(text))
}

/// The tree of a text.
pub(crate) fn unit_of(text: &str) -> Unit {
    let unit = parsed(text);
    assert!(!unit.has_errors(), "{:?}", unit.messages);
    unit
}

/// The same of a text that may have errors.
pub(crate) fn parsed(text: &str) -> Unit {
    let vendor = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vendor");
    let clang = Clang::find(&vendor).unwrap();
    let request = ParseRequest {
        file: "test.c".into(),
        text: Some(text.to_owned()),
        ..ParseRequest::default()
    };
    parse(&clang, &request).unwrap()
}

/// The only loop of a text that is rewritten, as one over all steps, and the passes.
fn rewritten(text: &str) -> Option<(String, Vec<String>)> {
    let found = forms_of(text);
    let starts: HashSet<usize> = found.iter().map(|form| form.range.start).collect();
    assert!(starts.len() < 2, "{found:?}");
    let found = found
        .into_iter()
        .min_by_key(|form| form.segments.is_some())?;
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
fn lengths_of_rows_of_several_functions() {
    let of = |second: &str| {
        let text = format!(
            "struct grid {{ int n; float *now, *next; }};
static void mirror(struct grid *g, float *a) {{ int w = g->n + 2; for (int i = 0; i < g->n; i++) a[i * w] = a[i * w + 1]; }}
static void sweep(struct grid *g) {{ {second} float *u = g->now, *v = g->next; for (int i = 0; i < g->n; i++) v[i * w] = u[i * w + 2]; }}
void f(struct grid grid, int steps) {{ for (int t = 0; t < steps; t++) {{ mirror(&grid, grid.now); sweep(&grid);
  float *u = grid.now; grid.now = grid.next; grid.next = u; }} }}"
        );
        rewritten(&text).unwrap().0
    };
    let declared = |text: &str| {
        let before = text.split("for").next().unwrap_or_default();
        before.matches("grid_n + 2").count() + before.matches("grid_n / 2").count()
    };
    let text = of("const int w = g->n + 2;");
    assert_eq!(declared(&text), 1, "{text}");
    assert_eq!(text.matches("+ 2;").count(), 1, "{text}");
    // Another value, and one of another type.
    for second in [
        "int w = g->n / 2;",
        "long w = g->n + 2;",
        "int w = g->n + 2u;",
    ] {
        let text = of(second);
        assert_eq!(declared(&text), 2, "{text}");
    }
}

#[test]
fn steps_that_are_counted_first() {
    let of = |count: &str, more: &str| {
        rewritten(&format!(
            "int n; int g(void); void f(float *u, float *v) {{ int t = 0; while (t < 9) {{ {count}
  for (int i = 1; i < 8; i++) v[i] = u[i - 1]; {more} float *w = u; u = v; v = w; }} }}"
        ))
    };
    for count in ["t = t + 1;", "t = 1 + t;", "++t;"] {
        let (text, passes) = of(count, "").unwrap();
        assert_eq!(passes, ["trips"]);
        let head = format!(
            "for (t = 0; t < 9; {}) {{ for (int i",
            count.trim_end_matches(';')
        );
        assert!(text.contains(&head), "{text}");
    }
    for (count, more) in [
        ("t++;", "v[0] = t;"),
        ("t++;", "g();"),
        ("t++;", "if (u[1] > 0) continue;"),
        ("t++;", "t += 2;"),
        ("t = t + 2;", ""),
        ("t = n + 1;", ""),
    ] {
        let passes = of(count, more).map_or(Vec::new(), |(_, passes)| passes);
        assert!(!passes.contains(&"trips".to_owned()), "{count} {more}");
    }
}

#[test]
fn an_index_that_toggles() {
    let text = "void f(int n, int steps, float *u[2]) { int now = 0, t = 0; while (t < steps) {
  const float *a = u[now]; float *b = u[1 - now];
  for (int i = 1; i < n; i++) b[i] = a[i - 1]; now = 1 - now; t++; } }";
    let (text, passes) = rewritten(text).unwrap();
    assert_eq!(passes, ["trips", "aliases", "toggle"]);
    assert_eq!(
        text,
        "{ float *u_now = u[now]; float *u_next = u[1 - now]; for (t = 0; t < steps; t++) { \
for (int i = 1; i < n; i++) { u_next[i] = u_now[i - 1]; } float *u_held = u_now; u_now = u_next; u_next = u_held; } \
if (t > 0 && t % 2 != 0) { now = 1 - now; } }"
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
    assert_eq!(passes, ["toggle", "hoist", "strip_mine"]);
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

#[test]
fn pointers_that_the_step_selects() {
    let of = |head: &str, rest: &str| {
        rewritten(&format!(
            "void show(float **); extern int k;
void f(unsigned n, int steps, float *u[2], float *w[3], double a[2][9]) {{ int t; {head} {{ {rest} }} }}"
        ))
    };
    let head = "for (t = 3; t < steps; t++)";
    let sweep = "int cur = t % 2, nxt = 1 - cur; for (int i = 1; i < 9; i++) u[nxt][i] = u[cur][i - 1] + u[!(t & 1)][i];";
    let (text, passes) = of(head, sweep).unwrap();
    assert_eq!(passes, ["parity"]);
    assert_eq!(
        text,
        "{ float *u_now = u[1]; float *u_next = u[0]; for (t = 3; t < steps; t++) { for (int i = 1; i < 9; i++) \
{ u_next[i] = u_now[i - 1] + u_next[i]; } float *u_held = u_now; u_now = u_next; u_next = u_held; } }"
    );
    // What is shown behind the sweep is what the next step selects otherwise.
    let shown = "if (t == 5) k = u[t % 2][3];";
    let (text, _) = of(head, &format!("{sweep} {shown}")).unwrap();
    assert!(
        text.ends_with("u_next = u_held; if (t == 5) { k = u_next[3]; } } }"),
        "{text}"
    );
    let of_three =
        "for (int i = 1; i < 9; i++) w[(t + 2) % 3][i] = w[(t + 1) % 3][i] - w[t % 3][i];";
    let (text, _) = of("for (t = 1; t < steps; t++)", of_three).unwrap();
    assert_eq!(
        text,
        "{ float *w_now = w[1]; float *w_next = w[2]; float *w_last = w[0]; for (t = 1; t < steps; t++) { for (int i = 1; i < 9; i++) \
{ w_last[i] = w_next[i] - w_now[i]; } float *w_held = w_now; w_now = w_next; w_next = w_last; w_last = w_held; } }"
    );
    let (text, _) = of(
        "for (unsigned k = n; k < 99; k++)",
        "for (int i = 1; i < 9; i++) u[(k + 1) % 2][i] = u[k % 2][i];",
    )
    .unwrap();
    assert!(
        text.starts_with("{ float *u_now = u[n % 2u]; float *u_next = u[(n + 1u) % 2u]; "),
        "{text}"
    );
    for (head, body) in [
        // It may be negative, or step otherwise, or wrap around.
        ("for (t = steps; t < 9; t++)", sweep),
        ("for (t = -1; t < 9; t++)", sweep),
        ("for (t = 1; t < 9; t += 2)", sweep),
        (
            "for (t = 1; t < 9; t++)",
            "u[(t - 2) % 2][4] = u[(t - 2) % 2][3];",
        ),
        (
            "for (unsigned k = 0; k < n; k++)",
            "w[(k + 1) % 3][4] = w[k % 3][3];",
        ),
        // Another step selects otherwise.
        (
            head,
            "u[(t + 1) % 2][4] = u[t % 2][3]; if (t == 4) continue; u[t % 2][0] = 1;",
        ),
        (
            head,
            "u[(t + 1) % 2][4] = u[t % 2][3]; if (u[0][4] > 9) t++;",
        ),
        (
            head,
            "int cur = t % 2; u[1 - cur][4] = u[cur][3]; cur = 0;  w[cur][0] = 1;",
        ),
        // The table gets other planes.
        (head, "u[(t + 1) % 2][4] = u[t % 2][3]; u[0] = w[0];"),
        (
            head,
            "u[(t + 1) % 2][4] = u[t % 2][3]; if (t == 9) show(u);",
        ),
        // Arrays are tiled as they are.
        (head, "a[(t + 1) % 2][4] = a[t % 2][3];"),
    ] {
        let found = of(head, body);
        let is_kept = |text: &str| !text.contains("u_now") && !text.contains("w_now");
        assert!(
            found.as_ref().is_none_or(|(text, _)| is_kept(text)),
            "{found:?}"
        );
    }
}

#[test]
fn an_index_that_toggles_through_a_variable() {
    let of = |rest: &str| {
        rewritten(&format!(
            "void f(int n, int steps, float *u[2]) {{ int now = 0; for (int t = 0; t < steps; t++) {{
  int next = 1 - now; for (int i = 1; i < n; i++) u[next][i] = u[now][i - 1]; {rest} }} }}"
        ))
    };
    let (text, passes) = of("now = next;").unwrap();
    assert_eq!(passes, ["toggle"]);
    assert!(
        text.contains("u_next[i] = u_now[i - 1]") && text.contains("now = 1 - now;"),
        "{text}"
    );
    // What the variable is behind the index, and where it changes.
    assert_eq!(of("now = 1 - now; u[next][0] = 1;"), None);
    assert_eq!(of("if (t == 7) next = 0; now = next;"), None);
}

#[test]
fn a_table_that_gets_other_planes_stays() {
    let of = |rest: &str| {
        rewritten(&format!(
            "static void flip(float **u) {{ float *h = u[0]; u[0] = u[1]; u[1] = h; }}
void f(int n, int steps, float **u, float **v) {{ int now = 0; for (int t = 0; t < steps; t++) {{
  for (int i = 1; i < n; i++) u[1 - now][i] = u[now][i - 1]; {rest} now = 1 - now; }} }}"
        ))
    };
    assert!(of("").is_some());
    assert_eq!(of("if (t == 5) flip(u);"), None);
    assert_eq!(of("float **w = u; u = v; v = w;"), None);
    let (text, _) = of("float **w = u; *w = 0;").unwrap();
    assert!(text.contains("*u = 0; now = 1 - now;"), "{text}");
}

#[test]
fn indices_that_rotate() {
    let of = |head: &str, rest: &str| {
        rewritten(&format!(
            "extern double q[3][64][64]; void show(int *); void f(int n, int steps, float *u[2]) {{
  int old = 0, now = 1, new = 2, w, t; {head} {{ {rest} }} }}"
        ))
    };
    let (inner, outer) = (
        "for (int t = 2; t <= steps; t++)",
        "for (t = 0; t < steps; t++)",
    );
    let sweep = "for (int i = 1; i < 64; i++) q[new][i][1] = q[old][i][1] + q[now][i - 1][1];";
    let turn = "int swap; swap = old; old = now; now = new; new = swap;";
    let (text, passes) = of(outer, &format!("{sweep} {turn}")).unwrap();
    assert_eq!(passes, ["rotate"]);
    assert_eq!(
        text,
        "{ double (*q_old)[64] = q[old]; double (*q_now)[64] = q[now]; double (*q_new)[64] = q[new]; \
for (t = 0; t < steps; t++) { for (int i = 1; i < 64; i++) { q_new[i][1] = q_old[i][1] + q_now[i - 1][1]; } \
double (*q_held)[64] = q_old; q_old = q_now; q_now = q_new; q_new = q_held; } if (t > 0) { \
if (t % 3 >= 1) { int old_held = old; old = now; now = new; new = old_held; } \
if (t % 3 >= 2) { int old_held_b = old; old = now; now = new; new = old_held_b; } } }"
    );
    let of_two =
        "for (int i = 1; i < n; i++) u[new][i] = u[now][i - 1]; w = now; now = new; new = w;";
    let (text, _) = of(inner, of_two).unwrap();
    assert!(
        text.ends_with(
            "if (2 <= steps) { if ((steps + 1 - 2) % 2 >= 1) { int now_held = now; now = new; new = now_held; } w = new; } }"
        ),
        "{text}"
    );
    let apart = format!("int held = old; {sweep} old = now; now = new; new = held;");
    let (text, _) = of(outer, &apart).unwrap();
    assert!(text.contains("q_new = q_held; } if (t > 0) {"), "{text}");
    for rest in [
        "int held = old; SWEEP if (t == 3) held = 7; old = now; now = new; new = held;",
        "int held = old; SWEEP q[held][0][0] = 1; old = now; now = new; new = held;",
        "if (t == 4) break; SWEEP TURN",
        "SWEEP if (t == 4) continue; TURN",
        "SWEEP TURN if (t == 4) now = 0;",
        "SWEEP TURN if (t == 4) show(&now);",
        "SWEEP TURN if (now == 4) q[0][0][0] = 1;",
        "SWEEP if (t > 4) { TURN }",
        "SWEEP int swap = old; old = now; now = new; new = old;",
        "SWEEP TURN if (t == 4) steps--;",
    ] {
        let rest = rest.replace("SWEEP", sweep).replace("TURN", turn);
        assert_eq!(of(inner, &rest), None, "{rest}");
    }
}

#[test]
fn members_that_no_step_changes() {
    let of = |step: &str, rest: &str| {
        rewritten(&format!(
            "struct s {{ int nx, ny, now; double k, h, *u[2]; }}; void init(struct s *, int ny);
static void step(struct s *g) {{ {step} g->now = !g->now; }}
void f(int steps) {{ struct s g; init(&g, 3); for (int t = 0; t < steps; t++) {{ step(&g); {rest} }} }}"
        ))
    };
    let planes = "const double *restrict u = g->u[g->now]; double *restrict v = g->u[!g->now];";
    let value = "const int nx = g->nx, ny = g->ny; const double c = g->k / g->h;";
    let sweep = "for (int i = ny; i < nx; i++) v[i] = c * u[i - 1];";
    let (text, passes) = of(&format!("{planes} {value} {sweep}"), "").unwrap();
    assert_eq!(passes, ["inline", "toggle", "hoist"]);
    assert!(
        text.contains(
            "int g_nx = g.nx; int g_ny = g.ny; double g_k = g.k; double g_h = g.h; const int nx_b = g_nx; const int ny_b = g_ny; \
const double c_b = g_k / g_h; for (int t = 0; t < steps; t++) { const double *restrict u = u_now;"
        ),
        "{text}"
    );
    // A number in the struct may be where a pointer without `restrict` points to, or be read where that does not hold.
    for step in [
        format!("{} {value} {sweep}", planes.replace("restrict", "")),
        format!("{value} {planes} {sweep}"),
        format!(
            "{planes} for (int i = 1; i < 9; i++) v[i] = u[i - 1]; {value} double d = c * nx * ny;"
        ),
        format!(
            "{planes} {} {sweep}",
            value.replace("g->k / g->h", "nx ? g->k / g->h : 1")
        ),
        format!("{planes} {value} v = (double *) u + 1; {sweep}"),
    ] {
        let (text, _) = of(&step, "").unwrap();
        assert!(text.contains("g.k / g.h"), "{text}");
    }
    for rest in ["g.k = 3;", "g.u[0][2] = 3;", "init(&g, 3);"] {
        let found = of(&format!("{planes} {value} {sweep}"), rest);
        assert!(
            found
                .as_ref()
                .is_none_or(|(text, _)| !text.contains("= g_k / g_h")),
            "{found:?}"
        );
    }
}

#[test]
fn structs_that_are_copied_as_wholes() {
    let of = |loop_: &str| {
        rewritten(&format!(
            "struct planes {{ float *u; int k; }}; struct s {{ struct planes now, next; int n; }}; void show(struct planes *);
void f(struct s *g, int steps) {{ for (int t = 0; t < steps; t++) {{
  for (int i = 1; i < g->n; i++) g->next.u[i] = g->now.u[i - 1]; {loop_} }} }}"
        ))
    };
    let (text, passes) =
        of("struct planes old = g->now; g->now = g->next; g->next = old;").unwrap();
    assert_eq!(passes, ["split", "promote", "hoist"]);
    assert!(
        text.contains(
            "float *old_u = g_now_u; int old_k = g->now.k; g_now_u = g_next_u; g->now.k = g->next.k; g_next_u = old_u; g->next.k = old_k; }"
        ),
        "{text}"
    );
    // A copy of a copy, and one that others see.
    let (text, _) =
        of("struct planes a, b = g->now; a = b; g->now = g->next; g->next = a;").unwrap();
    assert!(
        text.contains(
            "float *a_u; int a_k; float *b_u = g_now_u; int b_k = g->now.k; a_u = b_u; a_k = b_k;"
        ),
        "{text}"
    );
    for seen in [
        "struct planes b = g->now; if (t == 5) show(&b); float *w = g->now.u; g->now.u = g->next.u; g->next.u = w;",
        "if (t == 5) g->now = g->next; float *w = g->now.u; g->now.u = g->next.u; g->next.u = w;",
    ] {
        let found = of(seen);
        assert!(
            found
                .as_ref()
                .is_none_or(|(text, _)| !text.contains("g_now_u")),
            "{found:?}"
        );
    }
    for seen in [
        "struct planes b = g->now, a = b; show(&a); g->now = g->next; g->next = a;",
        "struct planes b = g->now; struct planes a[1]; a[0] = b; g->now = g->next; g->next = b;",
    ] {
        assert!(
            of(seen).is_none_or(|(text, _)| text.contains("struct planes b = ")),
            "{seen}"
        );
    }
}

#[test]
fn an_index_that_selects_structs() {
    let of = |step: &str, call: &str| {
        rewritten(&format!(
            "typedef struct {{ double *v, *w; }} state; {step}
void f(int n, int steps, state *s) {{ int p = 0, k = 0; for (int t = 0; t < steps; t++) {{ {call} }} }}"
        ))
    };
    let by_value = "static void step(int n, state from, state to) { for (int i = 1; i < n; i++) to.v[i] = from.v[i - 1] + from.w[i]; }";
    let (text, passes) = of(by_value, "step(n, s[p], s[1 - p]); p = 1 - p;").unwrap();
    assert_eq!(passes, ["inline", "split", "toggle"]);
    assert!(
        text.starts_with(
            "{ double *s_v_now = s[p].v; double *s_v_next = s[1 - p].v; double *s_w_now = s[p].w; double *s_w_next = s[1 - p].w; "
        ) && text.contains("double *from_v = s_v_now;")
            && text.ends_with("if (0 < steps && steps % 2 != 0) { p = 1 - p; } }"),
        "{text}"
    );
    // Who leaves early is told by the pointers.
    let (text, _) = of(
        by_value,
        "step(n, s[p], s[1 - p]); if (s[p].v[7] > 5) break; p = 1 - p;",
    )
    .unwrap();
    assert!(
        text.ends_with("if (s_v_now != s[p].v || s_w_now != s[p].w) { p = 1 - p; } }"),
        "{text}"
    );
    let by_pointer = "static void step(int n, const state *from, state *to) { for (int i = 1; i < n; i++) to->v[i] = from->v[i - 1] + from->w[i]; }";
    let (text, passes) = of(by_pointer, "step(n, &s[p], &s[1 - p]); p = 1 - p;").unwrap();
    assert_eq!(passes, ["inline", "split", "toggle"]);
    assert!(
        text.contains("s_v_next[i] = s_v_now[i - 1] + s_w_now[i];"),
        "{text}"
    );
    let (text, passes) = of(by_pointer, "step(n, &s[t & 1], &s[!(t & 1)]);").unwrap();
    assert_eq!(passes, ["inline", "split", "parity"]);
    assert!(
        text.contains("s_v_next[i] = s_v_now[i - 1] + s_w_now[i];"),
        "{text}"
    );
    // The index changes while the pointer is used.
    let early =
        "state *from = &s[p]; p = 1 - p; for (int i = 1; i < n; i++) from->v[i] = s[p].w[i];";
    assert!(of("", early).is_none_or(|(text, _)| text.contains("from->v[i]")));
}
