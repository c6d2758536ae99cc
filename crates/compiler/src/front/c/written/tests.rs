//! Tests of index variables and index functions.

use super::super::region::time_loops;
use super::written_out;

const HEAD: &str = "\
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef unsigned int uint;
struct grid { int n; long m; };
struct cell { double x, y; double f[3]; };
static void relax(struct cell *c, double f) { c->x *= f; }
int width;
static int idx(int i, int j, int n) { return i * n + j; }
static size_t at(uint i, uint j, uint n) { return i * n + j; }
static int wrap(int i, int n) { return (i + n) % n; }
static int clamp(int i, int n) { if (i < 0) return 0; if (i >= n) { return n - 1; } return i; }
static int row(int i) { int r = i * width; return r; }
static int ring(int i) { i = (i + width) % width; return i; }
static double get(double *u, int i) { i = (i + width) % width; return u[i]; }
static double *spot(double *u, int n, int i, int j) { return (u + i * n + j); }
static double *place(double *u, int i) { return &u[i + width]; }
static double *moving(double *u, int i) { width++; return u + i; }
static int odd(int i) { width++; return i; }
static void widen(void) { width = 3; }
static void f(struct grid *g, int n, double *u, double *v, int *p, struct cell *a, struct cell *b, struct cell *d) {
  int i, j, k; uint x; size_t z;
";

/// What a body of a time loop becomes, without blanks.
fn of(body: &str) -> String {
    let text = format!("{HEAD}for (int t = 0; t < 9; t++) {{ {body} }}\n}}\n");
    let region = time_loops(&text).swap_remove(0);
    let Some(written) = written_out(&text, (&[], &[]), &[], &region) else {
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
fn variables_stand_for_what_they_are_assigned() {
    assert_eq!(
        inner("int c = i * n + j; v[c] = u[c - 1];"),
        "v[(i*n+j)]=u[(i*n+j)-1];"
    );
    assert_eq!(
        inner("int c = i * n, d = c + j; v[d] = u[c];"),
        "v[((i*n)+j)]=u[(i*n)];"
    );
    assert_eq!(
        inner("k = i * n + j; v[k] = u[k];"),
        "v[(i*n+j)]=u[(i*n+j)];"
    );
    assert_eq!(
        inner("k = i; v[k] = 1; k = j; u[k] = 2;"),
        "v[(i)]=1;u[(j)]=2;"
    );
    assert_eq!(
        inner("const int m = MAX(i-1, 0); v[m] = 1;"),
        "v[(((i-1)>(0)?(i-1):(0)))]=1;"
    );
    assert_eq!(inner("int c = g->n * i; v[c] = 1;"), "v[(g->n*i)]=1;");
    // What it was before stands in what it is assigned next.
    assert_eq!(
        inner("k = i + 1; k = (k == n) ? 0 : k; v[k * n] = u[k];"),
        "v[(((i+1)==n)?0:(i+1))*n]=u[(((i+1)==n)?0:(i+1))];"
    );
    assert_eq!(
        inner("int c = i - 1; c = (c < 0) ? n - 1 : c; v[c] = 1;"),
        "v[(((i-1)<0)?n-1:(i-1))]=1;"
    );
    // Where a value is used, the variable stays.
    assert_eq!(inner("int c = i; v[c] = c;"), "intc=i;v[(i)]=c;");
}

#[test]
fn what_branches_choose_is_written_out() {
    let choice = "if (i == 0) k = n - 1; else k = i - 1;";
    let text = format!("{HEAD}for (i = 0; i < n; i++) {{ {choice} v[k] = 1; }} {choice} }}\n");
    let places = text
        .match_indices(choice)
        .map(|(at, _)| at..at + choice.len());
    let choices: Vec<_> = places
        .map(|range| (range, "k = ((i == 0) ? (n - 1) : (i - 1));".to_string()))
        .collect();
    let region = time_loops(&text).swap_remove(0);
    let written = written_out(&text, (&[], &[]), &choices, &region).expect("a choice");
    let all = &written.reduced.text;
    assert!(
        all.contains("v[(((i == 0) ? (n - 1) : (i - 1)))] = 1;"),
        "{all}"
    );
    assert!(
        all.contains(choice),
        "what is behind the region stays: {all}"
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
        "int c = p[i]; v[c] = 1;",
        "int c = i * 0.5; v[c] = 1;",
        "int c = i++; v[c] = 1;",
    ] {
        assert_eq!(inner(stmts), "unchanged", "{stmts}");
    }
}

#[test]
fn other_types_go_where_only_sums_and_products_are() {
    assert_eq!(inner("z = i * n; v[z - 1] = 1;"), "v[(i*n)-1]=1;");
    assert_eq!(inner("x = i; v[j > 0 ? x : 2] = 1;"), "v[j>0?(i):2]=1;");
    for stmts in [
        "z = i * n; v[z / 2] = 1;",
        "x = i - 1; v[x % n] = 1;",
        "x = i - 1; v[x > 3 ? 1 : 0] = 1;",
        "int c = i + g->m; v[c] = 1;",
        "short c = i; v[c] = 1;",
    ] {
        let left = inner(stmts);
        assert!(left == "unchanged", "{stmts}: {left}");
    }
}

#[test]
fn calls_stand_for_what_they_return() {
    assert_eq!(inner("v[idx(i, j + 1, n)] = 1;"), "v[((i)*(n)+(j+1))]=1;");
    assert_eq!(inner("v[wrap(i - 1, n)] = 1;"), "v[(((i-1)+(n))%(n))]=1;");
    assert_eq!(
        inner("v[clamp(i, n)] = 1;"),
        "v[((((i)<0)?(0):(((i)>=(n))?((n)-1):((i)))))]=1;"
    );
    assert_eq!(inner("v[at(i, j, n)] = 1;"), "v[((i)*(n)+(j))]=1;");
    assert_eq!(inner("v[row(i)] = 1;"), "v[(((i)*width))]=1;");
    assert_eq!(
        inner("z = at(i, j, n); v[z] = u[z-1];"),
        "v[(((i)*(n)+(j)))]=u[(((i)*(n)+(j)))-1];"
    );
    for stmts in [
        "v[odd(i)] = 1;",
        "v[wrap(x, n)] = 1;",
        "v[at(i, j, n) % 3] = 1;",
        "v[idx(p[i], j, n)] = 1;",
        "int width = 3; v[row(i)] = width;",
        "v[i] = idx(i, j, n);",
    ] {
        assert_eq!(inner(stmts), "unchanged", "{stmts}");
    }
}

#[test]
fn places_lead_back() {
    let text =
        format!("{HEAD}for (i = 0; i < n; i++) {{ int c = i * n; v[c] = MAX(u[c], 1); }}\n}}\n");
    let region = time_loops(&text).swap_remove(0);
    let written = written_out(&text, (&[], &[]), &[], &region).expect("an index variable");
    let start = written.reduced.text.find("v[(").expect("the statement");
    let end = start + written.reduced.text[start..].find(';').expect("its end") + 1;
    let own = written.reduced.original_range(start..end);
    assert_eq!(&text[own], "v[c] = MAX(u[c], 1);");
}

#[test]
fn values_made_of_themselves_are_left() {
    assert_eq!(inner("k = k + 1; v[k] = 1;"), "unchanged");
    // Where they are of the variable just before, that is known.
    assert_eq!(
        inner("k = i; k = k + n; v[k] = k;"),
        "k=i;k=(i)+n;v[((i)+n)]=k;"
    );
    assert_eq!(
        inner("int c = i; c = c + 1; v[c] = c;"),
        "intc=i;c=(i)+1;v[((i)+1)]=c;"
    );
    // A parameter is new in every call.
    assert_eq!(
        inner("v[ring(i + 1)] = 1;"),
        "v[((((i+1)+width)%width))]=1;"
    );
    let body = |function: &str| {
        let text = format!(
            "{function}\nstatic void f(int n, double *u) {{ for (int t = 0; t < n; t++) {{ double q = get(u, t); u[0] = q; }} }}\n"
        );
        let region = time_loops(&text).swap_remove(0);
        let all = written_out(&text, (&[], &[]), &[], &region).map(|w| w.reduced.text);
        let all = all.unwrap_or(text).replace([' ', '\n'], "");
        all.split("staticvoidf")
            .next()
            .unwrap_or_default()
            .to_string()
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
fn plain_words_stand_for_others() {
    assert_eq!(inner("v[i] = +u[i] - (+u[j]) * +2;"), "v[i]=u[i]-(u[j])*2;");
    assert_eq!(inner("v[i] = u[i] = 1 + + 2;"), "{u[i]=1+2;v[i]=u[i];");
    assert_eq!(
        inner("v[i & 1] = u[(i + j) & 3];"),
        "v[((i)%2)]=u[(((i+j))%4)];"
    );
    assert_eq!(
        inner("const double a = 2, b = odd(i); v[i] = b;"),
        "doublea,b;a=2;b=odd(i);v[i]=b;"
    );
    assert_eq!(
        inner("if (i == j) continue; v[i] = 1;"),
        "if(!(i==j)){v[i]=1;"
    );
    for stmts in [
        "v[i & j] = 1;",
        "v[i & 2] = 1;",
        "v[i++] = u[k++] = 1;",
        "v[i | j & 1] = u[i + j];",
        "static double a = 1; v[i] = a;",
    ] {
        assert_eq!(inner(stmts), "unchanged", "{stmts}");
    }
}

#[test]
fn pointers_to_cells_and_rows_stand_for_them() {
    assert_eq!(
        inner("struct cell *c = &a[i * n + j]; c->x = (*c).y + c[1].x; relax(c, 2);"),
        "a[i*n+j].x=a[i*n+j].y+a[(i*n+j)+(1)].x;relax(&a[i*n+j],2);"
    );
    assert_eq!(
        of(
            "for (i = 0; i < n; i++) { const double *row = u + i * n; double *out = &v[i * n]; for (j = 0; j < n; j++) out[j] = row[j - 1] * *row; }"
        ),
        "for(i=0;i<n;i++){for(j=0;j<n;j++)v[(i*n)+(j)]=u[(i*n)+(j-1)]*u[i*n];}"
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
fn early_returns_become_values_and_conditions() {
    let body = |function: &str| {
        let text = format!(
            "{function}\nstatic void f(int n, double *u) {{ for (int t = 0; t < n; t++) u[0] = get(u, t); }}\n"
        );
        let region = time_loops(&text).swap_remove(0);
        let all = super::Written::plain(&text, &region).reduced.text;
        let all = all.replace([' ', '\n'], "");
        all.split("staticvoidf")
            .next()
            .unwrap_or_default()
            .to_string()
    };
    assert_eq!(
        body(
            "double get(double *u, int i) { double a = u[i]; if (a < 0) return 0; else if (i > 3) { return a; } return -a; }"
        ),
        "doubleget(double*u,inti){doublea=u[i];return((a<0)?(0):((i>3)?(a):(-a)));}"
    );
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
    for kept in [
        "double get(double *u, long i) { if (i < 0) return 0; return i; }",
        "double get(double *u, int i) { if (i < 0) { u[i] = 1; return 0; } return i; }",
        "unsigned get(double *u, int i) { if (i < 0) return 0; return i; }",
        "double get(double *u, int i) { for (;;) if (i < 0) return 0; return i; }",
    ] {
        assert_eq!(body(kept), kept.replace([' ', '\n'], ""));
    }
}

#[test]
fn elements_that_are_named_by_their_addresses_have_brackets() {
    for (stmt, expected) in [
        ("*(v + i) = *(u + i - 1) * *(u + 1);", "v[i]=u[i-1]*u[1];"),
        (
            "*(v + i * n + j) = (i == 0) ? 1 : *(u + (i - 1) * n + j);",
            "v[i*n+j]=(i==0)?1:u[(i-1)*n+j];",
        ),
        ("if (i > 0) *(v + i) += *u;", "if(i>0)v[i]+=u[0];"),
        ("*v = 2 * *(u + i);", "v[0]=2*u[i];"),
        // Computed modulo 2^32, a product, and no sum.
        ("*(v + x - 1) = 0.0;", "*(v+x-1)=0.0;"),
        ("v[i] = k *(j + i);", "v[i]=k*(j+i);"),
        ("v[i] = *(u + (i < n ? i : 0));", "v[i]=u[(i<n?i:0)];"),
    ] {
        let all = of(&format!(
            "for (i = 0; i < n; i++) for (j = 0; j < n; j++) {{ {stmt} }}"
        ));
        let inside = all.strip_prefix("for(i=0;i<n;i++)for(j=0;j<n;j++){");
        let inside = inside.map_or("unchanged", |s| s.trim_end_matches('}'));
        assert!(
            inside == expected || inside == "unchanged" && !stmt.contains("[0]"),
            "{stmt} {all}"
        );
    }
}

#[test]
fn functions_that_return_addresses_stand_for_elements() {
    let new = inner("*spot(v, n, i, j - 1) = *spot(u, n, i + 1, j) - *place(u, j);");
    assert_eq!(new, "v[i*n+(j-1)]=u[(i+1)*n+j]-u[j+width];");
    for kept in [
        "v[i] = *moving(u, j);",
        "v[i] = *spot(u, n, i++, j);",
        "int width = 3; v[i] = *place(u, j);",
    ] {
        assert!(of(kept).contains("*") || of(kept) == "unchanged", "{kept}");
    }
}

#[test]
fn characters_are_numbers() {
    let text = r"v[i] = u[i] == 'X' ? ' ' : '\n' - '\0'; p[i] = '\x41';";
    assert_eq!(inner(text), r"v[i]=u[i]==88?32:10-0;p[i]='\x41';");
}

#[test]
fn assertions_without_effects_are_left_out() {
    assert_eq!(
        inner("assert(i < n && fabs(u[i]) < 3); v[i] = -u[i]; assert(j);"),
        ";v[i]=-u[i];;"
    );
    for kept in ["assert(odd(i));", "assert(i++ < n);", "k = assert(i);"] {
        assert_eq!(of(kept), "unchanged");
    }
}

#[test]
fn counters_are_sums_over_loops() {
    assert_eq!(
        of("k = 0; for (i = 0; i < n; i++) for (j = 1; j < n - 1; j++) v[k++] = u[i * n + j];"),
        "for(i=0;i<n;i++)for(j=1;j<n-1;j++)v[((0)+0+(i-(0))*(((n-1)-(1)))+(j-(1)))]=u[i*n+j];"
    );
    assert_eq!(
        of("int c = 0; for (i = 0; i <= n; i++) { v[c] = u[i]; v[c + n] = 0; c++; }"),
        "for(i=0;i<=n;i++){v[((0)+0+(i-(0)))]=u[i];v[((0)+0+(i-(0)))+n]=0;;}"
    );
    // Several in an iteration, and some between rows.
    assert_eq!(
        of(
            "k = n; for (i = 0; i < n; i++) { for (j = 0; j < 3; j++) { v[k++] = 1; v[k++] = 2; } k += 2; }"
        ),
        "for(i=0;i<n;i++){for(j=0;j<3;j++){v[((n)+0+(i-(0))*(((3)-(0))*(1+1)+2)+(j-(0))*(1+1))]=1;v[((n)+1+(i-(0))*(((3)-(0))*(1+1)+2)+(j-(0))*(1+1))]=2;};}"
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
