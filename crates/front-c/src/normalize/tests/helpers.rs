use super::*;

/// The sum in the time loop of a text with a function that is called there.
fn summed(functions: &str, sum: &str, locals: &str) -> Option<String> {
    let text = format!(
        "typedef struct {{ int n; double h; }} Grid; int calls; double scale;
int counted(int i) {{ calls++; return i; }} {functions}
void f(const Grid *g, Grid own, double *u, double *v, int steps) {{ {locals} for (int t = 0; t < steps; t++) {{
  for (int i = 1; i < g->n; i++) v[i] = {sum}; double *w = u; u = v; v = w; }} }}"
    );
    let (text, passes) = rewritten(&text)?;
    let is_it = passes.contains(&"helpers".to_owned());
    let sum = text.split("v[i] = ").nth(1)?.split(';').next()?.to_owned();
    is_it.then_some(sum)
}

#[test]
fn functions_of_structs() {
    let at = "static int at(const Grid *g, int i) { return i * g->n; }";
    assert_eq!(
        summed(at, "u[at(g, i - 1)]", "").unwrap(),
        "u[(i - 1) * g_n]"
    );
    assert_eq!(summed(at, "u[at(&own, i)]", "").unwrap(), "u[i * own_n]");
    let by_value = "static long at(Grid g, long i) { const long n = g.n; return i * n + n; }";
    let found = summed(by_value, "u[at(own, i)]", "").unwrap();
    assert_eq!(found, "u[(long)i * (const long)own_n + (const long)own_n]");
    let half = "static double half(const Grid *g, int i) { const float n = g->n; return i / 2; }";
    assert_eq!(
        summed(half, "half(g, i) / 2", "").unwrap(),
        "(double)(i / 2) / 2"
    );
    // One calls another, with what it reads.
    let both = format!(
        "{at} static double mean(const Grid *g, const double *a, int i) {{ return (a[at(g, i)] + a[i]) / g->h; }}"
    );
    let found = summed(&both, "mean(g, u, i)", "").unwrap();
    assert_eq!(found, "(u[i * g_n] + u[i]) / g->h");
}

#[test]
fn functions_that_stay() {
    // No struct, side effects, several statements, and a variable that is another one in the loop.
    for (function, locals) in [
        (
            "static int at(int *n, int i) { return i * *n; }",
            "int *n = &own.n;",
        ),
        (
            "static int at(const Grid *n, int i) { return n->n + counted(i); }",
            "",
        ),
        (
            "static int at(const Grid *n, int i) { return n->n + calls++; }",
            "",
        ),
        (
            "static int at(const Grid *n, int i) { if (i > 3) return 0; return n->n; }",
            "",
        ),
        (
            "static int at(const Grid *n, int i) { return n->n + (int)(scale * i); }",
            "int scale = 0;",
        ),
    ] {
        let sum = if locals.contains("*n") {
            "u[at(n, i)]"
        } else {
            "u[at(g, i)]"
        };
        assert_eq!(summed(function, sum, locals), None, "{function}");
    }
    let at = "static int at(const Grid *g, int i) { return i * g->n + i; }";
    assert_eq!(summed(at, "u[at(g, calls++)]", ""), None);
    assert_eq!(summed(at, "u[at(g, counted(i))]", ""), None);
}

/// The statement in the time loop of a text that calls a function, behind `setters`.
fn stored(functions: &str, stmt: &str) -> Option<String> {
    let text = format!(
        "typedef struct {{ int n; float *u; double h; }} Grid; int calls; {functions}
void f(Grid *g, Grid *to, int steps) {{ for (int t = 0; t < steps; t++) {{
  for (int i = 1; i < g->n; i++) {{ {stmt} }} Grid *held = g; g = to; to = held; }} }}"
    );
    let (text, passes) = rewritten(&text)?;
    let stmt = text
        .split("i++)")
        .nth(1)?
        .trim_start_matches(['\n', ' ', '{']);
    let is_it = passes.contains(&"setters".to_owned());
    let words: Vec<&str> = stmt.split('}').next()?.split_whitespace().collect();
    is_it.then(|| words.join(" "))
}

#[test]
fn functions_that_store() {
    let set = "static void set(Grid *g, int i, int j, double v) { const int at = i * g->n + j; g->u[at] = v; }
static inline double get(const Grid *g, int i) { return g->u[i]; }";
    let found = stored(set, "set(to, i, 1, get(g, i - 1) / 3);").unwrap();
    assert_eq!(found, "to_u[i * g_n + 1] = (double)g_u[i - 1] / 3;");
    let inside = "static void add(Grid *g, int i, float v) { if (i < g->n) g->u[i] += v; }";
    let found = stored(inside, "add(to, i, 0.1);").unwrap();
    assert_eq!(found, "if (i < g_n) { to_u[i] += (float)0.1;");
    // Two numbers, of which the second may see the first; a value with side effects; one that it returns.
    for (function, stmt) in [
        (
            "static void put(Grid *g, int i, float v) { g->u[i] = v; g->u[i - 1] = v; }",
            "put(to, i, to->u[i]);",
        ),
        (
            "static void put(Grid *g, int i, float v) { g->u[i] = v; }",
            "put(to, i, calls++);",
        ),
        (
            "static void put(Grid *g, int i, float v) { calls = i; }",
            "put(to, i, 1);",
        ),
        (
            "static float put(Grid *g, int i, float v) { return g->u[i] = v; }",
            "put(to, i, 1);",
        ),
    ] {
        assert_eq!(stored(function, stmt), None, "{function}");
    }
}
