//! What functions that are put into the loop are given, and time planes of arrays.

use super::rewritten;

#[test]
fn time_planes_are_no_cells_of_a_sweep() {
    let of = |plane: &str| {
        let text = format!(
            "static const int di[2] = {{ 0, 1 }}; static float u[2][2][40];
void f(int steps) {{ for (int t = 0; t < steps; t++) for (int i = 1; i < 39; i++) for (int k = 0; k < 2; k++)
  u[{plane}][k][i] = u[t % 2][k][i - di[k]]; }}"
        );
        rewritten(&text)
    };
    for plane in ["(t + 1) % 2", "(t + 1) & 1"] {
        let (text, passes) = of(plane).unwrap();
        assert_eq!(passes, ["planes"]);
        let plane = if plane == "(t + 1) & 1" {
            "t + 1 & 1"
        } else {
            plane
        };
        let cells = format!(
            "{{ u[{plane}][0][i] = u[t % 2][0][i - 0]; u[{plane}][1][i] = u[t % 2][1][i - 1]; }}"
        );
        assert!(text.contains(&cells), "{text}");
    }
    // A loop over cells.
    assert_eq!(of("t"), None);
}

#[test]
fn planes_that_functions_are_given() {
    let of = |declared: &str, params: &str, given: &str, more: &str| {
        let text = format!(
            "{declared}
static void sweep({params}) {{ for (int i = 1; i < 8; i++) b[1][i] = a[0][i - 1]; {more} }}
void f(int n, int steps) {{ for (int t = 0; t < steps; t++) {{ sweep({given}); }} }}"
        );
        rewritten(&text).map(|(text, _)| text)
    };
    let (rows, params) = ("static float u[2][3][9];", "float (*a)[9], float (*b)[9]");
    let given = "u[t % 2], u[(t + 1) & 1]";
    let expected = "u[t + 1 & 1][1][i] = u[t % 2][0][i - 1];";
    let text = of(rows, params, given, "").unwrap();
    assert!(text.contains(expected), "{text}");
    let text = of("static float (*u)[3][9];", params, given, "").unwrap();
    assert!(text.contains(expected), "{text}");
    // What an element of an array of pointers is may change.
    let text = of("static float (*u[2])[9];", params, given, "").unwrap();
    assert!(text.contains("u_next[1][i] = u_now[0][i - 1];"), "{text}");
    // Another pointer, and another number.
    let text = of(
        "static float (*u)[3][9]; void more(void);",
        params,
        given,
        "more();",
    )
    .unwrap();
    assert!(text.contains("u[t % 2][0][i - 1]; } more();"), "{text}");
    let text = of(
        "static float u[2][3][9]; static int k;",
        params,
        "u[k], u[1]",
        "k = 1;",
    )
    .unwrap();
    assert!(text.contains("u[k][0][i - 1]; } k = 1;"), "{text}");
}

#[test]
fn members_that_functions_are_given() {
    let of = |more: &str| {
        let text = format!(
            "#include <string.h>
struct grid {{ int n; float (*now)[9], (*next)[9]; }}; static struct grid g, kept, *other = &g; void show(void);
static void sweep(int n, float (*a)[9], float (*b)[9]) {{ for (int i = 1; i < n; i++) b[1][i] = a[0][i - 1]; {more} }}
void f(int steps) {{ for (int t = 0; t < steps; t++) {{ sweep(g.n, g.now, g.next);
  float (*held)[9] = g.now; g.now = g.next; g.next = held; }} }}"
        );
        rewritten(&text).unwrap().0
    };
    let text = of("");
    let cells = "for (int i = 1; i < g_n; i++) { g_next[1][i] = g_now[0][i - 1]; }";
    assert!(text.contains(cells), "{text}");
    for more in [
        "g.n--;",
        "other->n--;",
        "*other = kept;",
        "memcpy(other, &kept, sizeof kept);",
        "show();",
        "int *of = (int *)other; *of = 3;",
    ] {
        let text = of(more);
        assert!(text.contains("int n = g.n;"), "{more} {text}");
    }
}

#[test]
fn structs_that_functions_fill() {
    let of = |fill: &str| {
        let text = format!(
            "#include <string.h>
struct grid {{ int n; float *u, *v; }}; static struct grid kept; static int *size; extern int known;
static void back(struct grid *g) {{ {fill} }}
void f(struct grid *g, int steps) {{ size = &g->n; for (int t = 0; t < steps; t++) {{
  for (int i = 1; i < g->n; i++) g->v[i] = g->u[i - 1];
  float *w = g->u; g->u = g->v; g->v = w; if (t % 9 == 0) back(g); }} }}"
        );
        rewritten(&text).unwrap().0
    };
    let is_hoisted = |text: &str| text.contains("int g_n = g->n;");
    let reads = of("known = memcmp(&kept, g, sizeof kept);");
    assert!(is_hoisted(&reads), "{reads}");
    for fill in [
        "memcpy(g, &kept, sizeof kept);",
        "void *to = g; memset(to, 0, sizeof kept);",
        "*size = 3;",
        "--*size;",
    ] {
        let text = of(fill);
        assert!(!is_hoisted(&text), "{fill} {text}");
    }
}

#[test]
fn variables_that_pointers_lead_to() {
    let of = |more: &str| {
        let text = format!(
            "static int n, m, *size = &n; static void sweep(int n, float *a, float *b) {{ for (int i = 1; i < n; i++) b[i] = a[i - 1]; {more} }}
void f(int steps, float *u, float *v) {{ for (int t = 0; t < steps; t++) {{ int w = n + 2; sweep(n, u, v); sweep(w, v, u); }} }}"
        );
        rewritten(&text).unwrap().0
    };
    let text = of("");
    assert!(text.starts_with("{ int w = n + 2; for"), "{text}");
    assert!(!text.contains("= n;"), "{text}");
    let text = of("*size = m;");
    assert!(text.starts_with("{ for"), "{text}");
    assert!(text.contains("= n;"), "{text}");
}
