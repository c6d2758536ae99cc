//! What subscripts are computed by.

use super::*;

const HEAD: &str = "\
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define AT(i, j) ((i) * n + (j))
#define ROW k -
typedef unsigned int uint; typedef unsigned long size_t;
struct grid { int n; long m; };
struct cell { double x, y; double f[3]; };
static void relax(struct cell *c, double f) { c->x *= f; }
static int width;
static int idx(int i, int j, int n) { return i * n + j; }
static size_t at(uint i, uint j, uint n) { return i * n + j; }
static int wrap(int i, int n) { return (i + n) % n; }
static int clamp(int i, int n) { if (i < 0) return 0; if (i >= n) { return n - 1; } return i; }
static int row(int i) { int r = i * width; return r; }
static int ring(int i) { i = (i + width) % width; return i; }
static short narrow(int i) { return i; }
static int odd(int i) { width++; return i; }
static void widen(void) { width = 3; }
static void move(struct cell **c) { ++*c; }
static void f(struct grid *g, int n, double *u, double *v, int *p, struct cell *a, struct cell *b, struct cell *d) {
  int i, j, k, t; uint x; size_t z;
";

fn written(text: &str) -> (String, Range<usize>) {
    written_as(text, Wish::Subscripts)
}

/// A text with what is to stand in the loop that its last function has, and that loop.
pub(super) fn written_as(text: &str, wish: Wish) -> (String, Range<usize>) {
    let unit = unit_of(text);
    let body = unit.functions.iter().rfind(|f| f.body.is_some()).unwrap();
    let mut found = None;
    walk::stmts(body.body.as_ref().unwrap(), &mut |stmt| {
        if matches!(stmt.kind, StmtKind::For { .. }) && found.is_none() {
            found = Some(stmt.span.start as usize..stmt.span.end as usize);
        }
    });
    let region = found.unwrap();
    let again = |text: String| Some(unit_of(&text));
    let mut texts = super::super::forward(&unit, (&region, wish), &again).texts;
    texts.reverse();
    let mut new = text.to_owned();
    for (range, with) in texts {
        new.replace_range(range, &with);
    }
    (new, region)
}

/// What a body of a time loop becomes, without blanks.
fn of(body: &str) -> String {
    let head = "for (t = 0; t < 9; t++) {";
    let text = format!("{HEAD}{head} {body} }}\n}}\n");
    let new = written(&text).0;
    let start = new.rfind(head).unwrap();
    let inside = new[start + head.len()..].trim_end().trim_end_matches('}');
    match new == text {
        true => String::from("unchanged"),
        false => inside
            .trim_end()
            .trim_end_matches('}')
            .replace([' ', '\n'], ""),
    }
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
fn variables_stand_for_what_they_are_assigned() {
    assert_eq!(
        inner("int c = i * n + j; v[c] = u[c - 1];"),
        "v[(i*n+j)]=u[(i*n+j)-1];"
    );
    assert_eq!(
        inner("int c = i * n, d = c + j; v[d] = u[c];"),
        "v[(i*n+j)]=u[(i*n)];"
    );
    assert_eq!(
        inner("k = i * n + j; v[k] = u[k];"),
        "v[(i*n+j)]=u[(i*n+j)];"
    );
    assert_eq!(inner("k = i; v[k] = 1; k = j; u[k] = 2;"), "v[i]=1;u[j]=2;");
    assert_eq!(
        inner("const int m = MAX(i-1, 0); v[m] = 1;"),
        "v[(i-1>0?i-1:0)]=1;"
    );
    assert_eq!(inner("int c = g->n * i; v[c] = 1;"), "v[(g->n*i)]=1;");
    // What it was before stands in what it is assigned next.
    assert_eq!(
        inner("k = i + 1; k = (k == n) ? 0 : k; v[k * n] = u[k];"),
        "v[(i+1==n?0:i+1)*n]=u[(i+1==n?0:i+1)];"
    );
    assert_eq!(
        inner("int c = i - 1; c = (c < 0) ? n - 1 : c; v[c] = 1;"),
        "v[(i-1<0?n-1:i-1)]=1;"
    );
    // Where a value is used, the variable stays.
    assert_eq!(inner("int c = i; v[c] = c;"), "intc=i;v[i]=c;");
}

#[test]
fn what_branches_choose_is_written_out() {
    let choice = "if (i == 0) k = n - 1; else k = i - 1;";
    assert_eq!(
        inner(&format!("{choice} v[k] = 1;")),
        "v[(i==0?n-1:i-1)]=1;"
    );
    let text = format!("{HEAD}for (i = 0; i < n; i++) {{ {choice} v[k] = 1; }} {choice} }}\n");
    let (new, _) = written(&text);
    assert!(
        new.contains(choice),
        "what is behind the region stays: {new}"
    );
}

#[test]
fn macros_are_seen_through() {
    assert_eq!(
        inner("k = i * n; v[AT(i, k)] = MAX(u[k], 1);"),
        "v[AT(i,(i*n))]=MAX(u[(i*n)],1);"
    );
    // A macro that is a part of an expression, the rest of which stands behind it.
    assert_eq!(inner("k = i * n; v[ROW -1] = 0;"), "unchanged");
    assert_eq!(
        inner("k = i * n + j; v[MAX(AT(k, 0), 1)] = 0;"),
        "v[MAX(AT((i*n+j),0),1)]=0;"
    );
    let hidden = "#define NEXT k = k + 1\n";
    let text = format!(
        "{hidden}{HEAD}for (i = 0; i < n; i++) {{ k = i; NEXT; v[k] = 1; u[k] = k; }} }}\n"
    );
    let (new, _) = written(&text);
    assert!(
        new.contains("k = i; NEXT; v[k] = 1; u[k] = k;") || new.contains("k = i + 1; v["),
        "{new}"
    );
}

#[test]
fn what_changes_in_between_is_left() {
    for stmts in [
        "int c = i; i++; v[c] = 1;",
        "k = k + 1; k = (k == n) ? 0 : k; v[k] = 1;",
        "k = i; if (u[i] > 0) k = k + 1; v[k] = 1;",
        "int c = i; for (k = 0; k < 3; k++) { v[c] = 1; i = k; }",
        "int c = i; c += 1; v[c] = 1;",
        "int c = i; { int i = 2; v[c] = i; }",
        "int c = width; widen(); v[c] = 1;",
        "int c = g->n; g->n = 3; v[c] = 1;",
        "int c = i; p = &i; *p = 2; v[c] = 1;",
        "int c = i; int *q = &i; *q = 2; v[c] = 1;",
        "int *q = &i; int c = i; *q = 2; v[c] = 1;",
        "int c = p[i]; v[c] = 1;",
        "int c = i * 0.5; v[c] = 1;",
        "int c = i++; v[c] = 1;",
        "width = i; widen(); v[width] = 1;",
    ] {
        assert_eq!(inner(stmts), "unchanged", "{stmts}");
    }
}

#[test]
fn other_types_go_where_only_sums_and_products_are() {
    assert_eq!(inner("z = i * n; v[z - 1] = 1;"), "v[(i*n)-1]=1;");
    assert_eq!(inner("x = i; v[j > 0 ? x : 2] = 1;"), "v[j>0?i:2]=1;");
    // A number keeps the type that the variable gives it, where that matters.
    assert_eq!(
        inner("z = 0; v[z + 1] = 1; if (z - 1 > 3) v[i] = 2;"),
        "v[0+1]=1;if(0ul-1>3)v[i]=2;"
    );
    for stmts in [
        "z = i * n; v[z / 2] = 1;",
        "x = i - 1; v[x % n] = 1;",
        "x = i - 1; v[x > 3 ? 1 : 0] = 1;",
        "int c = i + g->m; v[c] = 1;",
        "short c = i; v[c] = 1;",
    ] {
        assert_eq!(inner(stmts), "unchanged", "{stmts}");
    }
}

#[test]
fn calls_stand_for_what_they_return() {
    assert_eq!(inner("v[idx(i, j + 1, n)] = 1;"), "v[(i*n+(j+1))]=1;");
    assert_eq!(inner("v[wrap(i - 1, n)] = 1;"), "v[((i-1+n)%n)]=1;");
    assert_eq!(inner("v[clamp(i, n)] = 1;"), "v[(i<0?0:i>=n?n-1:i)]=1;");
    assert_eq!(inner("v[at(i, j, n)] = 1;"), "v[(i*n+j)]=1;");
    assert_eq!(inner("v[row(i)] = 1;"), "v[(i*width)]=1;");
    assert_eq!(
        inner("z = at(i, j, n); v[z] = u[z-1];"),
        "v[(i*n+j)]=u[(i*n+j)-1];"
    );
    // A parameter is new in every call.
    assert_eq!(inner("v[ring(i + 1)] = 1;"), "v[((i+1+width)%width)]=1;");
    for stmts in [
        "v[odd(i)] = 1;",
        "v[wrap(x, n)] = 1;",
        "v[at(i, j, n) % 3] = 1;",
        "v[idx(p[i], j, n)] = 1;",
        "int width = 3; v[row(i)] = width;",
        "v[i] = idx(i, j, n);",
        "v[narrow(i)] = 1;",
    ] {
        assert_eq!(inner(stmts), "unchanged", "{stmts}");
    }
}

#[test]
fn values_made_of_themselves_are_left() {
    assert_eq!(inner("k = k + 1; v[k] = 1;"), "unchanged");
    // Where they are of the variable just before, that is known.
    assert_eq!(
        inner("k = i; k = k + n; v[k] = k;"),
        "k=i;k=i+n;v[(i+n)]=k;"
    );
    let body = |function: &str| {
        let text = format!(
            "{function}\nstatic void f(int n, double *u) {{ for (int t = 0; t < n; t++) {{ double q = get(u, t); u[0] = q; }} }}\n"
        );
        let all = written(&text).0.replace([' ', '\n'], "");
        all.split("staticvoidf").next().unwrap().to_string()
    };
    assert_eq!(
        body("static double get(double *u, int i) { i = (i + 3) % 3; return u[i]; }"),
        "staticdoubleget(double*u,inti){returnu[((i+3)%3)];}"
    );
    for kept in [
        "static double get(double *u, int i) { i = (i + 3) % 3; return u[i] + i; }",
        "static double get(double *u, int i) { for (int k = 0; k < 2; k++) { i = i + 3; u[i] = k; } return u[0]; }",
    ] {
        assert_eq!(body(kept), kept.replace([' ', '\n'], ""));
    }
}

#[test]
fn pointers_to_cells_and_rows_stand_for_them() {
    assert_eq!(
        inner("struct cell *c = &a[i * n + j]; c->x = (*c).y + c[1].x; relax(c, 2);"),
        "a[i*n+j].x=(a[i*n+j]).y+a[(i*n+j+1)].x;relax((&a[i*n+j]),2);"
    );
    assert_eq!(
        of(
            "for (i = 0; i < n; i++) { const double *row = u + i * n; double *out = &v[i * n]; for (j = 0; j < n; j++) out[j] = row[j - 1] * *row + *(row + j); }"
        ),
        "for(i=0;i<n;i++){for(j=0;j<n;j++)v[(i*n+j)]=u[(i*n+(j-1))]*u[i*n]+u[i*n+j];}"
    );
    assert_eq!(
        of(
            "for (i = 0; i < n; i++) { const double *row = u + i * n, *up = u + (i - 1) * n; for (j = 0; j < n; j++) v[i * n + j] = row[j] + up[j]; }"
        ),
        "for(i=0;i<n;i++){for(j=0;j<n;j++)v[i*n+j]=u[(i*n+j)]+u[((i-1)*n+j)];}"
    );
    assert_eq!(
        inner("double *s = a[i].f; s[1] = s[2] + j;"),
        "a[i].f[1]=a[i].f[2]+j;"
    );
    assert_eq!(inner("struct cell *c = &a[i], *d; c->x = 1;"), "unchanged");
}

#[test]
fn pointers_that_move_or_are_of_another_type_stay() {
    for stmts in [
        "struct cell *c = &a[i]; c++; c->x = 1;",
        "struct cell *c = &a[i]; i = 3; c->x = 1;",
        "struct cell *c = &a[p[i]]; c->x = 1;",
        "struct cell *c = &a[i]; a = b; c->x = 1;",
        "struct cell *c = &a[i]; d = c; c->x = 1;",
        "struct cell *c = &a[i]; move(&c); c->x = 1;",
        "struct cell *c = i ? a : b; c->x = 1;",
        "struct cell *c = a + i > 0 ? a : b; c->x = 1;",
        "struct cell *c = &a[odd(i)]; c->x = 1;",
        "unsigned *q = &p[i]; q[1] = q[2] / 2;",
        "float *q = &u[i]; q[1] = q[2] / 2;",
        "float *q = a[i].f; q[1] = q[2] / 2;",
        "struct cell *c = &a[i]; { struct cell *a = i ? b : d; c->x = a->x; }",
        "struct cell *c = &a[i]; if (c) c->x = 1;",
    ] {
        assert_eq!(inner(stmts), "unchanged", "{stmts}");
    }
}

#[test]
fn counters_are_sums_over_loops() {
    assert_eq!(
        of("k = 0; for (i = 0; i < n; i++) for (j = 1; j < n - 1; j++) v[k++] = u[i * n + j];"),
        "for(i=0;i<n;i++)for(j=1;j<n-1;j++)v[(0+(i-0)*(n-1-1)+(j-1))]=u[i*n+j];"
    );
    assert_eq!(
        of("int c = 0; for (i = 0; i <= n; i++) { v[c] = u[i]; v[c + n] = 0; c++; }"),
        "for(i=0;i<=n;i++){v[(0+(i-0))]=u[i];v[(0+(i-0))+n]=0;;}"
    );
    // Several in an iteration, and some between rows.
    assert_eq!(
        of(
            "k = n; for (i = 0; i < n; i++) { for (j = 0; j < 3; j++) { v[k++] = 1; v[k++] = 2; } k += 2; }"
        ),
        "for(i=0;i<n;i++){for(j=0;j<3;j++){v[(n+(i-0)*((3-0)*(1+1)+2)+(j-0)*(1+1))]=1;v[(n+1+(i-0)*((3-0)*(1+1)+2)+(j-0)*(1+1))]=2;};}"
    );
}

#[test]
fn counters_that_depend_on_more_are_left() {
    for stmts in [
        "k = 0; for (i = 0; i < n; i++) if (u[i] > 0) v[k++] = u[i];",
        "k = 0; for (i = 0; i < n; i++) { if (u[i] > 0) break; v[k++] = 1; }",
        "k = 0; for (i = 0; i < n; i++) for (j = 0; j < i; j++) v[k++] = 1;",
        "k = 0; for (i = 0; i < n; i++) v[k++] = u[k];",
        "k = 0; for (i = 0; i < n; i++) v[k++] = 1; u[k] = 2;",
        "k = 0; for (i = 0; i < n; i++) { v[k] = k; k++; }",
        "k = 0; for (i = 0; i < n; i += 2) v[k++] = 1;",
        "k = 0; for (i = 0; i < n; i++) { for (j = 0; j < n; j++) v[k++] = 1; v[k++] = 2; }",
        "for (i = 0; i < n; i++) v[k++] = 1; u[t] = k;",
        "k = 0; for (i = 0; i < n; i++) v[k++] = 1; for (j = 0; j < n; j++) u[k++] = 2;",
        "k = 0; for (i = 0; i < n; i++) v[k++] = 1; if (n > t) v[0] = 1; else k = 0; for (j = 0; j < n; j++) u[k++] = 2;",
        "k = 0; p = &k; for (i = 0; i < n; i++) { v[k++] = 1; *p = 3; }",
    ] {
        let all = of(stmts);
        assert!(
            all == "unchanged" || all.contains("++]") || all.contains("k++"),
            "{stmts} {all}"
        );
    }
}
