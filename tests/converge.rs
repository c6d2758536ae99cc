//! Which numbers of the cells tiles record, so that a loop that they end goes several steps at once.

use std::process::Command;

/// Whether a loop whose cells fold into a number is tiled.
fn is_tiled(cells: &str, number: &str, parts: [&str; 3]) -> bool {
    translated(cells, number, parts).contains("::hexcc_ahead(")
}

/// The translation of a loop whose cells fold into a number.
fn translated(cells: &str, number: &str, parts: [&str; 3]) -> String {
    translated_with(&[], cells, number, parts)
}

fn translated_with(
    options: &[&str],
    cells: &str,
    number: &str,
    [left, begun, folds]: [&str; 3],
) -> String {
    let nest = "for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++)";
    let text = format!(
        "#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{{
  int n = atoi(argv[1]), m = atoi(argv[2]), most = atoi(argv[3]), t = 0;
  {cells} *u = malloc(sizeof *u * n * m), *v = malloc(sizeof *v * n * m);
  {number} x = {begun};
  for (int i = 0; i < n * m; i++)
    u[i] = v[i] = i % 101;
  do {{
    x = {begun};
    {nest}
      v[i * m + j] = 0.25f * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
    {nest} {{
      {cells} d = v[i * m + j] - u[i * m + j];
      {folds}
    }}
    {cells} *w = u; u = v; v = w;
    t++;
  }} while ({left} && t < most);
  printf(\"%d %g %g\\n\", t, (double)x, (double)u[n * m / 2]);
  return 0;
}}
"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let (c, cu) = (folder.path().join("a.c"), folder.path().join("a.cu"));
    std::fs::write(&c, text).expect("a file");
    let mut hexcc = Command::new(env!("CARGO_BIN_EXE_hexcc"));
    let run = hexcc.arg(&c).args(options).arg("-o").arg(&cu);
    let run = run.output().expect("hexcc");
    assert!(run.status.success(), "{folds}: {run:?}");
    std::fs::read_to_string(cu).expect("a translation")
}

#[test]
fn numbers_that_no_order_of_cells_changes() {
    for (cells, number, folds) in [
        ("float", "float", "if (fabsf(d) > x) x = fabsf(d);"),
        ("float", "double", "float a = fabsf(d); if (a > x) x = a;"),
        ("float", "float", "float a = fabs(d); x = fmaxf(a, x);"),
        ("double", "double", "double a = d * d; if (a > x) x = a;"),
        ("float", "double", "double a = d * d; x = a > x ? a : x;"),
        ("float", "int", "if (d > 1e-3f) x++;"),
        ("double", "long", "if (fabs(d) > 1e-3) { x += 2; }"),
        ("double", "int", "x = x || d > 1e-3;"),
    ] {
        assert!(is_tiled(cells, number, ["x > 0", "0", folds]), "{folds}");
    }
}

/// Where terms have signs, which zero is kept depends on the order of cells: only where the number begins with zero and equal ones
/// leave it does it not. Otherwise steps whose number is zero run in C.
#[test]
fn numbers_that_the_order_of_cells_may_change() {
    for (number, begins, folds, looks) in [
        ("float", "0", "if (d > x) x = d;", None),
        (
            "float",
            "0.",
            "float a = d < 0 ? -d : d; if (a > x) x = a;",
            None,
        ),
        (
            "double",
            "0",
            "float a = u[i * m + j] * d; if (x < a) x = a;",
            None,
        ),
        ("double", "0", "x = d < x ? d : x;", None),
        ("float", "-1", "if (d > x) x = d;", Some("== 0;")),
        ("float", "-0.0f", "if (d > x) x = d;", Some("== 0;")),
        ("float", "0", "if (d >= x) x = d;", Some("== 0;")),
        // What follows a NaN, too.
        (
            "float",
            "0",
            "x = x > d ? x : d;",
            Some("!= some[k] || some[k] == 0;"),
        ),
    ] {
        let text = translated("float", number, ["x > 0", begins, folds]);
        assert!(text.contains("::hexcc_ahead("), "{folds}");
        match looks {
            None => assert!(!text.contains("hexcc_unsure = true;"), "{begins} {folds}"),
            Some(looks) => assert!(text.contains(looks), "{begins} {folds}"),
        }
    }
}

/// Sums round, in an order that is the same in every run; where that is to be C's, they are not tiled.
#[test]
fn sums_of_the_cells() {
    for (cells, number) in [
        ("float", "float"),
        ("float", "double"),
        ("double", "double"),
    ] {
        for folds in ["x += d * d;", "x += fabs(d);"] {
            let text = |options| translated_with(options, cells, number, ["x > 1", "0", folds]);
            let by_default = text(&[]);
            let has_both =
                by_default.contains("::hexcc_ahead(") && by_default.contains("in_order<");
            assert!(has_both, "{cells} {number} {folds}");
            let ordered = text(&["--sums", "ordered"]);
            assert!(!ordered.contains("::hexcc_ahead("), "{cells} {folds}");
        }
    }
}

/// Where only a NaN makes the order of cells matter, tiles look for one, and steps that have one run in C.
#[test]
fn numbers_that_a_nan_alone_may_change() {
    let asks = "hexcc_unsure = true;";
    let nan_replaces = "float a = fabsf(d); x = x > a ? x : a;";
    let text = translated("float", "float", ["x > 0", "0", nan_replaces]);
    assert!(text.contains("::hexcc_ahead(") && text.contains(asks));
    let nan_is_ignored = "float a = fabsf(d); x = a > x ? a : x;";
    let text = translated("float", "float", ["x > 0", "0", nan_is_ignored]);
    assert!(text.contains("::hexcc_ahead(") && !text.contains(asks));
}
