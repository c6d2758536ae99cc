//! C that pet does not read, in other words.

use super::forward::written_as;
use super::*;

const HEAD: &str = "\
#include <assert.h>
#include <math.h>
#define CHECK(x) assert(x)
#define BOTH width = 1; assert(width)
#define NOTHING(x) ((void) 0)
#define AT(u, i, j) (*((u) + (i) * n + (j)))
typedef unsigned int uint;
struct cell { double x, y; };
static int width;
static double *spot(double *u, int n, int i, int j) { return (u + i * n + j); }
static double *place(double *u, int i) { return &u[i + width]; }
static double *half(double *u, int i) { return u + i / 2; }
static double *moving(double *u, int i) { width++; return u + i; }
static int odd(int i) { width++; return i; }
static void f(int n, double *u, double *v, int *p, double **rows, struct cell *c, long m) {
  int i, j, k; uint x; double *q = u + n;
";

/// What a body of two loops becomes, without blanks.
fn inner(stmts: &str) -> String {
    let head = "for (i = 0; i < n; i++) for (j = 0; j < n; j++) {";
    let text = format!("{HEAD}{head} {stmts} }}\n}}\n");
    let (new, region) = written_as(&text, Wish::Plain);
    if new == text {
        return String::from("unchanged");
    }
    let inside = new[region.start + head.len()..].trim_end();
    let inside = inside.trim_end_matches('}').trim_end();
    let inside = inside.strip_suffix('}').unwrap_or(inside);
    inside.replace([' ', '\n'], "")
}

/// What bodies of loops become, one by one.
#[track_caller]
fn assert_all(cases: &[(&str, &str)]) {
    for (stmts, expected) in cases {
        assert_eq!(inner(stmts), *expected, "{stmts}");
    }
}

/// Bodies of loops that stay.
#[track_caller]
fn assert_kept(all: &[&str]) {
    for kept in all {
        assert_eq!(inner(kept), "unchanged", "{kept}");
    }
}

#[test]
fn elements_that_are_named_by_their_addresses_have_brackets() {
    assert_all(&[
        ("*(v + i) = *(u + i - 1) * *(u + 1);", "v[i]=u[i-1]*u[1];"),
        (
            "*(v + i * n + j) = (i == 0) ? 1 : *(u + (i - 1) * n + j);",
            "v[i*n+j]=(i==0)?1:u[(i-1)*n+j];",
        ),
        ("if (i > 0) *(v + i) += *u;", "if(i>0)v[i]+=u[0];"),
        ("*v = 2 * *(u - i);", "v[0]=2*u[-i];"),
        ("v[i] = *(u + (i < n ? i : 0));", "v[i]=u[i<n?i:0];"),
        ("*(*(rows + i) + j) = *(x + u);", "rows[i][j]=u[x];"),
        ("AT(v, i, j) = (*c).x + 1;", "v[i*n+j]=(c[0]).x+1;"),
        ("*(u + m + i) = 0;", "u[m+i]=0;"),
    ]);
    assert_kept(&[
        // Computed modulo 2^32, a product, and what another name may lead to.
        "*(v + x - 1) = 0.0;",
        "*(v - x) = 0.0;",
        "v[i] = k *(j + i);",
        "*q = 1;",
        "*p++ = 1;",
        "v[i] = *(i ? u : v);",
    ]);
}

#[test]
fn functions_that_return_addresses_stand_for_elements() {
    assert_eq!(
        inner("*spot(v, n, i, j - 1) = *spot(u, n, i + 1, j) - *place(u, j);"),
        "v[i*n+(j-1)]=u[(i+1)*n+j]-u[j+width];"
    );
    assert_eq!(inner("*spot(v, m, i, 2) = 0;"), "v[i*m+2]=0;");
    assert_eq!(inner("*half(v, i) = 0;"), "v[i/2]=0;");
    assert_kept(&[
        "v[i] = *moving(u, j);",
        "v[i] = *spot(u, n, i++, j);",
        "v[i] = *spot(u, n, odd(i), j);",
        "v[i] = *half(u, m);",
        "int width = 3; v[i] = width + *place(u, j);",
    ]);
}

#[test]
fn assertions_without_effects_are_left_out() {
    assert_all(&[
        (
            "assert(i < n && fabs(u[i]) < 3 && !isnan(u[i])); v[i] = -u[i]; assert(j);",
            ";v[i]=-u[i];;",
        ),
        (
            "CHECK(i < n); v[i] = *(u + i); NOTHING(i++);",
            ";v[i]=u[i];;",
        ),
        (
            "__builtin_prefetch(&u[i]); __assume_aligned(u, 64); __builtin_assume(i > j);",
            ";;;",
        ),
    ]);
    assert_kept(&[
        "assert(odd(i));",
        "assert(i++ < n);",
        "BOTH;",
        "NOTHING(i), k = 2;",
        "__builtin_prefetch(&u[odd(i)]);",
        "__builtin_trap();",
    ]);
}

#[test]
fn assertions_that_go_are_told_but_those_of_a_release() {
    let text = "#include <assert.h>\nvoid f(int n, double *u) { for (int i = 0; i < n; i++) { assert(i < n); u[i] = 1; } }\n";
    let told = |text: &str| {
        let unit = unit_of(text);
        let region = text.find("for").unwrap()..text.rfind('}').unwrap();
        let found =
            super::super::forward(&unit, (&region, Wish::Plain), &|text| Some(unit_of(&text)));
        assert_eq!(found.texts.len(), 1);
        let told = found.unchecked.into_iter();
        told.map(|at| text[at].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(told(text), ["assert(i < n);"]);
    assert!(told(&format!("#define NDEBUG\n{text}")).is_empty());
}

#[test]
fn words_that_stand_for_others() {
    assert_all(&[
        ("v[i] = +u[i] - (+u[j]) * +2;", "v[i]=u[i]-(u[j])*2;"),
        ("v[i] = u[i] = 1 + + 2;", "{u[i]=1+2;v[i]=u[i];}"),
        ("v[i] = u[i] = x = 0;", "{x=0;u[i]=0;v[i]=0;}"),
        (
            "v[i & 1] = u[(i + 1) & 3] + u[(i + j) & 3] + u[(i - 1) & 3] + (x & 1);",
            "v[(i%2)]=u[((i+1)%4)]+u[(((i+j)%4+4)%4)]+u[(((i-1)%4+4)%4)]+((x%2));",
        ),
        ("p[i] %= 3; k <<= j;", "p[i]=p[i]%3;k=k<<j;"),
        (
            "int a = i * n + j, b = a + 1; v[b] = 1;",
            "inta=i*n+j;intb=a+1;v[b]=1;",
        ),
        (
            "if (i > 0 && j < n && u[i - 1] > 0 && u[j]) k++;",
            "if((i>0)&&(j<n)){if(u[i-1]>0&&u[j]){k++;}}",
        ),
        ("if (i) v[i] *= 2, u[i] += 1;", "if(i){v[i]*=2;u[i]+=1;}"),
        (
            r"v[i] = u[i] == 'X' ? ' ' : '\n' - '\0'; p[i] = '\x41';",
            "v[i]=u[i]==88?32:10-0;p[i]=65;",
        ),
    ]);
    assert_kept(&[
        "v[i & j] = 1;",
        "v[i & 2] = 1;",
        "v[i++] = u[k++] = 1;",
        "v[i | j & 2] = u[i + j];",
        "p[i] = p[j] & 1;",
        "p[odd(i)] %= 3;",
        "q = u, u = v, v = q;",
        "for (i = k = 0; i < n; i++, k++) v[i] = 1;",
    ]);
}
