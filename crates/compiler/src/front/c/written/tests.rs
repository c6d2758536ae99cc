//! Tests of what becomes of words that pet does not read.

use super::super::region::time_loops;
use super::written_out;

const HEAD: &str = "\
typedef unsigned int uint;
int width;
static int odd(int i) { width++; return i; }
static void f(int n, double *u, double *v, int *p) {
  int i, j, k; uint x;
";

/// What a body of a time loop becomes, without blanks.
fn of(body: &str) -> String {
    let text = format!("{HEAD}for (int t = 0; t < 9; t++) {{ {body} }}\n}}\n");
    let region = time_loops(&text).swap_remove(0);
    let Some(written) = written_out(&text, (&[], &[]), (&[], &[]), &region) else {
        return String::from("unchanged");
    };
    let all = &written.reduced.text[written.region.span.clone()];
    let inside = all.trim_start_matches("for (int t = 0; t < 9; t++) {");
    inside.trim_end_matches('}').replace([' ', '\n'], "")
}

/// What stands in the body of two loops.
fn inner(stmts: &str) -> String {
    let all = of(&format!(
        "for (i = 0; i < n; i++) for (j = 0; j < n; j++) {{ {stmts} }}"
    ));
    let inside = all.strip_prefix("for(i=0;i<n;i++)for(j=0;j<n;j++){");
    inside.map_or(all.clone(), |s| s.trim_end_matches('}').to_string())
}

#[test]
fn plain_words_stand_for_others() {
    assert_eq!(
        inner("const double a = 2, b = odd(i); v[i] = b;"),
        "doublea,b;a=2;b=odd(i);v[i]=b;"
    );
    assert_eq!(
        inner("if (i == j) continue; v[i] = 1;"),
        "if(!(i==j)){v[i]=1;"
    );
    assert_eq!(inner("static double a = 1; v[i] = a;"), "unchanged");
}

#[test]
fn early_returns_become_conditions() {
    let body = |function: &str| {
        let text = format!(
            "{function}\nstatic void f(int n, double *u) {{ for (int t = 0; t < n; t++) u[0] = get(u, t); }}\n"
        );
        let region = time_loops(&text).swap_remove(0);
        let all = super::Written::plain(&text, (&[], &[]), &region)
            .reduced
            .text;
        let all = all.replace([' ', '\n'], "");
        all.split("staticvoidf")
            .next()
            .unwrap_or_default()
            .to_string()
    };
    assert_eq!(
        body(
            "void get(double *u, int i) { if (i == 0) return; u[i] = 1; if (i > 2) { return; } u[0] = i; }"
        ),
        "voidget(double*u,inti){if(!(i==0)){u[i]=1;if(!(i>2)){u[0]=i;}}}"
    );
    assert_eq!(
        body("void get(double *u, int i) { if (i == 0) { u[i] = 2; return; } u[i] = 1; }"),
        "voidget(double*u,inti){if(i==0){u[i]=2;}else{u[i]=1;}}"
    );
    // Values are what the tree's pass `returns` makes.
    for kept in [
        "double get(double *u, int i) { if (i < 0) return 0; return i; }",
        "double get(double *u, long i) { if (i < 0) return 0; return i; }",
        "double get(double *u, int i) { if (i < 0) { u[i] = 1; return 0; } return i; }",
        "unsigned get(double *u, int i) { if (i < 0) return 0; return i; }",
        "double get(double *u, int i) { for (;;) if (i < 0) return 0; return i; }",
    ] {
        assert_eq!(body(kept), kept.replace([' ', '\n'], ""));
    }
}
