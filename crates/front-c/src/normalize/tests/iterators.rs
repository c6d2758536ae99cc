use super::*;

const STEP: &str =
    "for (int i = 1; i < 9; i++) v[i] = u[i - 1] + u[i + 1]; float *w = u; u = v; v = w;";

/// The text of a loop in `void f(..)` that is written again, if some pass has acted.
fn with_pass(pass: &str, loop_: &str) -> Option<String> {
    let text = format!(
        "double now; double late(int n) {{ return now + n; }}
void f(int steps, double dt, float *u, float *v) {{ int n, k = 1; double t; {loop_} now = t; v[0] = k; }}"
    );
    let (text, passes) = rewritten(&text)?;
    passes.contains(&pass.to_owned()).then_some(text)
}

#[test]
fn one_iterator_is_left() {
    let of = |head: &str| with_pass("iterators", &format!("for ({head}) {{ {STEP} }}"));
    let text = of("n = 0, t = 0.5; n < steps; n++, t += dt").unwrap();
    let steps = STEP.replace("v[i]", "{ v[i]").replace(" + 1];", " + 1]; }");
    assert_eq!(
        text,
        format!(
            "{{ t = 0.5; for (n = 0; n < steps; n++) {{ t += dt; }} for (n = 0; n < steps; n++) {{ {steps} }} }}"
        )
    );
    let text = of("int m = 0, odd = 1; m < steps; odd = !odd, m++").unwrap();
    assert!(text.starts_with("{ int odd = 1; for (int m = 0;"), "{text}");
    // One reads what the other one is, two are compared, one changes two variables.
    for head in [
        "n = 0, t = n; n < steps; n++, t += dt",
        "k = 3, n = k; n < steps; n++, k--",
        "n = 0; n < steps; n++, t = n",
        "n = 0, t = 0; n < steps && t < 1; n++, t += dt",
        "n = 0, t = 0; n < steps; n++, t = k++",
        "n = 0, t = 0; n < steps; n += k, k++",
        "n = 0, t = late(0); n < steps; n++, t += dt",
    ] {
        assert_eq!(of(head), None, "{head}");
    }
    let skips =
        format!("for (n = 0, t = 0; n < steps; n++, t += dt) {{ if (n == k) continue; {STEP} }}");
    assert_eq!(with_pass("iterators", &skips), None);
}

#[test]
fn numbers_that_no_step_reads() {
    let of = |begun: &str, head: &str, all: &str| {
        with_pass("aside", &format!("t = 0; {begun} for ({head}) {{ {all} }}"))
    };
    let head = "n = 2; n < steps; n++";
    let steps = STEP.replace("v[i]", "{ v[i]").replace(" + 1];", " + 1]; }");
    let text = of("", head, &format!("{STEP} t += dt; if (n > 5) k = n;")).unwrap();
    assert_eq!(
        text,
        format!(
            "{{ for (n = 2; n < steps; n++) {{ t += dt; if (n > 5) {{ k = n; }} }} for (n = 2; n < steps; n++) {{ {steps} }} }}"
        )
    );
    // What steps, the header or a function read, and what something points to.
    for (begun, head, all) in [
        ("", head, "t += dt; u[0] = t;"),
        ("", head, "k++; u[0] = k;"),
        ("", head, "now += dt; u[0] = late(n);"),
        ("double *at = &t;", head, "t += dt; u[0] = *at;"),
        ("", "n = 0; n < steps + k; n++", "k--;"),
        ("", "n = k; n < steps; n++", "k++;"),
        ("", "; n < steps; n++", "t += dt;"),
        ("", head, "t += dt; if (t > 3) break;"),
        ("", head, "n++; t += dt;"),
        ("", head, "steps--; t += dt;"),
        ("", head, "t += u[3];"),
    ] {
        assert_eq!(
            of(begun, head, &format!("{all} {STEP}")),
            None,
            "{begun} {head} {all}"
        );
    }
}

const SIM: &str = "#include <stdio.h>
typedef struct { int n, steps; double t, dt; float *now, *next; } Sim;
static void report(const Sim *s) { printf(\"%d %g\\n\", s->steps, s->t); }
static void reset(Sim *s) { s->t = 0; s->t = -s->t; }
static double *place(Sim *s) { return 0; }
static void step(Sim *s) { for (int i = 1; i < s->n; i++) s->next[i] = s->now[i - 1];
  float *w = s->now; s->now = s->next; s->next = w; s->t += s->dt; s->steps++; }
";

/// The loop of a program with a struct, if numbers of that are variables in it.
fn with_numbers(functions: &str, loop_: &str) -> Option<String> {
    let text = format!(
        "{SIM}{functions} int main(void) {{ Sim sim = {{0}}, other = {{0}}; Sim *s = &sim; {loop_} report(s); report(&other); }}"
    );
    let (text, passes) = rewritten(&text)?;
    passes.contains(&"numbers".to_owned()).then_some(text)
}

#[test]
fn numbers_in_structs() {
    let text = with_numbers(
        "",
        "while (s->steps < 9) { step(s); if (s->steps % 5 == 0) report(s); }",
    )
    .unwrap();
    let declared = "int s_steps = s->steps; double s_t = s->t;";
    assert!(
        text.contains(declared) && text.contains("while (s_steps < 9)"),
        "{text}"
    );
    assert!(text.contains("s_t += s_dt; s_steps++;"), "{text}");
    // What sees them gets them; what only reads them gives nothing back.
    assert!(
        text.contains("{ s->steps = s_steps; s->t = s_t; report(s); }"),
        "{text}"
    );
    assert!(!text.contains("report(s); s_t"), "{text}");
    assert!(
        text.contains("s->steps = s_steps; s->t = s_t; s->now = s_now;"),
        "{text}"
    );
    let text = with_numbers(
        "",
        "for (int k = 0; k < 9; k++) { step(s); if (s->t > 1) reset(s); }",
    )
    .unwrap();
    assert!(text.contains("reset(s); s_t = s->t; }"), "{text}");
}

#[test]
fn numbers_in_structs_that_something_else_leads_to() {
    let loop_ = "while (s->steps < 9) { step(s); }";
    assert!(with_numbers("", loop_).is_some());
    let leads = "static void at(Sim *s, double **t) { *t = &s->t; } static void count(Sim *s, int **n) { *n = &s->steps; }";
    assert_eq!(with_numbers(leads, loop_), None);
    for others in ["other.t = s->t; other.steps = 1;", "*s = other;"] {
        let loop_ = format!("while (s->steps < 9) {{ step(s); {others} }}");
        assert_eq!(with_numbers("", &loop_), None, "{others}");
    }
    assert_eq!(
        with_numbers("", "while (s->steps < 9) { step(s); s = &other; }"),
        None
    );
}

/// The text of a loop with planes of an array of two pointers, if some pass has acted.
fn with_planes(pass: &str, begun: &str, loop_: &str) -> Option<String> {
    let text = format!(
        "int shared = 1; void g(int *at); void f(int steps, float *u[2], float grid[3][99]) {{ int t, k; {begun} {loop_} k = t; }}"
    );
    let (text, passes) = rewritten(&text)?;
    passes.contains(&pass.to_owned()).then_some(text)
}

const CELLS: &str = "for (int i = 1; i < 9; i++) u[b][i] = u[a][i - 1];";

#[test]
fn one_index_is_the_other_ones_complement() {
    let of = |begun: &str, ends: &str| {
        let loop_ = format!("for (t = 0; t < steps; t++) {{ {CELLS} {ends} }}");
        with_planes("pairs", begun, &loop_)
    };
    for (begun, ends) in [
        ("int a = 0, b = 1;", "a = b; b = 1 - a;"),
        ("int a = 1, b = 0;", "a = 1 - a; b = 1 - b;"),
        ("int a, b = 1; a = 0;", "b = !b; a = !b;"),
        ("int a = 0, b = 1;", "a ^= 1; b ^= 1;"),
        ("int a = 0, b = 1;", "a = b; b = 1 - b;"),
        ("int a = 0, b = 1;", "b = a; a = (a + 1) % 2;"),
    ] {
        let text = of(begun, ends).unwrap();
        assert!(
            text.contains("u_held = u_") && text.contains("u[a]"),
            "{text}"
        );
    }
    for (begun, ends) in [
        // Not known, equal, others than 0 and 1, and not exchanged.
        ("int a = steps, b = 1;", "a = b; b = 1 - a;"),
        ("int a = 0, b = 0;", "a = b; b = 1 - a;"),
        ("int a = 0, b = 2;", "a = b; b = 1 - a;"),
        ("int a = 0, b = 1; if (steps) a = 1;", "a = b; b = 1 - a;"),
        ("int a = 0, b = 1;", "a = 1 - b; b = 1 - a;"),
        ("int a = 0, b = 1;", "a = b; b = 2 - a;"),
        // Something else changes them, or may.
        ("int a = 0, b = 1;", "a = b; b = 1 - a; if (t == 3) a = 1;"),
        (
            "int a = 0, b = 1;",
            "if (t == 3) continue; a = b; b = 1 - a;",
        ),
        ("int a = 0, b = 1; g(&a);", "a = b; b = 1 - a;"),
        ("static int a = 0; int b = 1;", "a = b; b = 1 - a;"),
    ] {
        assert_eq!(of(begun, ends), None, "{begun} {ends}");
    }
}

#[test]
fn loops_that_count_down() {
    let step = "for (int i = 1; i < 9; i++) v[i] = u[i - 1]; float *w = u; u = v; v = w;";
    let of =
        |head: &str, more: &str| with_pass("counts", &format!("for ({head}) {{ {step} {more} }}"));
    let text = of("n = steps; n > 0; n--", "").unwrap();
    let inner = step.replace("v[i] = u[i - 1];", "{ v[i] = u[i - 1]; }");
    assert_eq!(
        text,
        format!(
            "{{ n = steps; for (int step = 0; step < n; step++) {{ {inner} }} if (n > 0) {{ n = 0; }} }}"
        )
    );
    let text = of("int m = steps; m >= 1; m -= 1", "if (k > 3) break;").is_none();
    assert!(text, "what is left early");
    let text = of("int m = steps; m >= 1; m -= 1", "").unwrap();
    assert!(
        text.starts_with("{ int m = steps; for (int step = 0; step < m; step++)"),
        "{text}"
    );
    assert!(text.ends_with("v = w; } }"), "{text}");
    // Other ends and steps, and what the steps see.
    for (head, more) in [
        ("n = steps; n >= 0; n--", ""),
        ("n = steps; n > 1; n--", ""),
        ("n = steps; n > 0; n -= 2", ""),
        ("n = steps; n > 0; n--", "u[0] = n;"),
        ("t = steps; t > 0; t--", ""),
    ] {
        assert_eq!(of(head, more), None, "{head} {more}");
    }
}

#[test]
fn indices_that_the_step_gives() {
    let of = |declared: &str, more: &str| {
        let cells = "for (int i = 1; i < steps; i++) grid[next][i] = grid[now][i - 1];";
        let text = format!(
            "for (t = 1; t < steps; t++) {{ int now = t % 3, {declared}; {cells} if (t % 10 == 0) g(&k); {more} }}"
        );
        with_planes("turns", "", &text)
    };
    let text = of("next = (t + 1) % 3", "").unwrap();
    let index = "grid[(t + 1) % 3][i] = grid[t % 3][i - 1];";
    assert!(text.contains(index) && !text.contains("next"), "{text}");
    // One that changes is none.
    for (declared, more) in [
        ("next = (t + 1) % 3", "now = 0; next = 1; t++;"),
        ("next = (t + 1) % 3", "next++; now++;"),
        ("next = (t + 1) % 3", "g(&next); g(&now);"),
    ] {
        assert_eq!(of(declared, more), None, "{declared} {more}");
    }
}

#[test]
fn loops_over_cells_that_count_down() {
    let of = |ty: &str, cell: &str| {
        let (text, passes) = rewritten(&format!(
            "void f(double *u, double *v, int n, int steps) {{ for (int t = 0; t < steps; t++) {{
  for ({ty} i = n; i--;) {{ {cell} }} double *w = u; u = v; v = w; }} }}"
        ))?;
        passes.contains(&"whiles".to_owned()).then_some(text)
    };
    let text = of("int", "v[i] = u[i + 1];").unwrap();
    let expected = "for (int i = n - 1; i >= 0; i--) { v[i] = u[i + 1]; }";
    assert!(text.contains(expected), "{text}");
    // One without a sign is never less than zero; one that the cell changes.
    assert_eq!(of("unsigned", "v[i] = u[i + 1];"), None);
    assert_eq!(of("int", "v[i] = u[i + 1]; if (u[i] > 3) i--;"), None);
}

#[test]
fn addresses_that_macros_take() {
    let (text, passes) = rewritten(
        "struct grid { int n; double *u; };
#define GET(g, i) ((g)->u[(i) % (g)->n])
void f(double *u, double *v, int n, int steps) { struct grid a = { n, u }, b = { n, v }; for (int t = 0; t < steps; t++) {
  for (int i = 1; i < n; i++) GET(&b, i) = GET(&a, i - 1); for (int i = 1; i < n; i++) GET(&a, i) = *&GET(&b, i); } }",
    )
    .unwrap();
    assert!(passes.contains(&"addresses".to_owned()), "{passes:?}");
    assert!(
        !text.contains('&') && text.contains("b_u[i % b_n] = a_u[(i - 1) % a_n];"),
        "{text}"
    );
}
