use super::*;

/// The loop of a text with `body` in it behind the pass; `None` where that finds nothing.
fn written(body: &str) -> Option<String> {
    let text = format!(
        "struct s {{ int n; double *p, *q, x; }}; void see(double **u); double *global; int m;
void f(struct s *s, double *u, double *v, double *tables[2], int n, int steps) {{ double *w;
for (int t = 0; t < steps; t++) {{ {body} }} }}"
    );
    let (text, passes) = rewritten(&text)?;
    let is_it = passes.contains(&"aliases".to_owned());
    is_it.then_some(text)
}

const SWEEP: &str = "for (int i = 1; i < n; i++) b[i] = a[i - 1];";

#[test]
fn pointers_are_what_others_are() {
    let text = written(&format!(
        "double *a = u, *b = v; {SWEEP} w = u; u = v; v = w;"
    ));
    let text = text.unwrap();
    assert!(text.contains("v[i] = u[i - 1];"), "{text}");
    assert!(!text.contains("*a"), "{text}");
    // What is read behind a change stays.
    let text = written(&format!("double *a = u, *b = v; {SWEEP} u = b; v = a;")).unwrap();
    assert!(text.contains("v[i] = u[i - 1];"), "{text}");
    assert!(
        text.contains("u = b; v = a;") || text.contains("v = a;"),
        "{text}"
    );
    let text = written(&format!(
        "double *a = s->p, *b = s->q; {SWEEP} s->p = b; s->q = a;"
    ));
    assert!(text.unwrap().contains("s_q[i] = s_p[i - 1];"));
    let text = written(&format!(
        "double *a = tables[t % 2], *b = tables[(t + 1) % 2]; {SWEEP}"
    ));
    assert!(text.unwrap().contains("_next[i] = tables_now[i - 1];"));
}

#[test]
fn pointers_to_rows() {
    let rows = "double (*b)[n] = (double (*)[n])v; const double (*a)[n] = (const double (*)[n])u;";
    let swap = "w = u; u = v; v = w;";
    let sweep = "for (int i = 1; i < m; i++) for (int j = 0; j < n; j++) b[i][j] = a[i - 1][j];";
    let text = written(&format!("{rows} {sweep} {swap}")).unwrap();
    assert!(
        text.contains("v[(long)i * n + j] = u[(long)(i - 1) * n + j];"),
        "{text}"
    );
    // A row as a whole, rows of another element, and a length that changes.
    let whole = sweep.replace("a[i - 1][j]", "*a[i]");
    let text = written(&format!("{rows} {whole} {swap}")).unwrap();
    assert!(text.contains("v[(long)i * n + j] = *a[i];"), "{text}");
    let other = rows.replace("(*b)[n] = (double (*)", "(*b)[n] = (float (*)");
    assert!(
        written(&format!(
            "{} {sweep} {swap}",
            other.replace("double (*b)", "float (*b)")
        ))
        .is_none_or(|text| text.contains("b[i][j]"))
    );
    assert!(
        written(&format!("{rows} n--; {sweep} {swap}")).is_none_or(|text| !text.contains("(long)"))
    );
}

#[test]
fn pointers_that_stay() {
    for body in [
        // It changes, or what it was made of may.
        format!("double *a = u, *b = v; {SWEEP} a++;"),
        format!("double *a = u, *b = v; u = w; see(&v); {SWEEP}"),
        format!("double *a = global, *b = global; see(&w); {SWEEP}"),
        // Another variable has the name.
        String::from(
            "double *a = u, *b = v; for (int i = 1; i < n; i++) { double *u = w, *v = w; b[i] = a[i - 1] + u[i] + v[i]; }",
        ),
        // It is made of what a function returns.
        format!("double *a = *tables++, *b = *tables++; {SWEEP}"),
    ] {
        let found = written(&body);
        let stays = if body.contains("a++") {
            "= a[i - 1]"
        } else {
            "b[i] = a[i - 1]"
        };
        assert!(found.is_none_or(|text| text.contains(stays)), "{body}");
    }
}
