//! What people build around translations: the commands and programs of the documents, kernels in programs of
//! their own, and functions that programs in C call.

mod common;

use common::{cc, documents, hexcc, output, root, succeed};
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

#[test]
fn what_documents_show_can_be_done() {
    for (document, least) in [
        ("README.md", 4),
        ("examples/README.md", 5),
        ("docs/usage.md", 14),
    ] {
        let n_run = documents::follow(document, false).unwrap_or_else(|e| panic!("{e}"));
        assert!(n_run >= least, "{document}: {n_run}");
    }
}

/// Builds for the emulation.
fn emucc(sources: &[&Path], flags: &[&str], to: &Path) {
    let mut command = Command::new(root().join("scripts/emucc"));
    command.args(sources).args(flags).arg("-o").arg(to);
    succeed(&mut command).unwrap_or_else(|e| panic!("{}: {e}", sources[0].display()));
}

/// Kernels of `testsuite/jacobi2d.c` as a header, in `float` or `double`.
fn header(folder: &Path, real: &str, options: &[&str]) {
    let text = std::fs::read_to_string(root().join("testsuite/jacobi2d.c")).expect("a program");
    let text = match real {
        "double" => text.replace("float", "double").replace("0.2f", "0.2"),
        _ => text,
    };
    let source = folder.join("jacobi2d.c");
    std::fs::write(&source, text).expect("a file");
    let mut command = hexcc();
    command
        .arg(&source)
        .args(["--emit", "kernel", "--name", "jacobi"]);
    command
        .args(options)
        .arg("-o")
        .arg(folder.join("jacobi2d.h"));
    succeed(&mut command).expect("it translates");
}

/// Dense arrays of every width, that begin anywhere and have no memory beside them, give what C gives.
#[test]
fn launches_take_arrays_that_lie_anywhere() {
    let cases = [
        ("float", &[][..]),
        ("double", &[][..]),
        ("float", &["--tile", "h=3,w=6:64"][..]),
    ];
    for (real, options) in cases {
        let folder = tempfile::tempdir().expect("a temporary directory");
        header(folder.path(), real, options);
        let source = folder.path().join("anywhere.cu");
        let text = include_str!("data/anywhere.cu");
        // Hybrid tiles need no memory beside the arrays.
        let beside = ["", "-DBESIDE"][usize::from(options.is_empty())];
        std::fs::write(&source, text).expect("a file");
        let program = folder.path().join("anywhere");
        let real = format!("-DREAL={real}");
        emucc(
            &[&source],
            &["-O2", &real, beside].map(|f| if f.is_empty() { "-O2" } else { f }),
            &program,
        );
        let mut command = Command::new(&program);
        command.env("HEXCC_EMU_LEAKS", "1");
        let printed = succeed(&mut command).unwrap_or_else(|e| panic!("{real} {options:?}: {e}"));
        assert_eq!(printed, "300 widths are right\n", "{real} {options:?}");
        // Errors of what it allocates are those of the launch.
        for n in ["2", "3"] {
            let failed = output(command.env("HEXCC_EMU_FAIL_MALLOC", n)).expect("it runs");
            let said = String::from_utf8_lossy(&failed.stderr);
            assert_eq!(failed.status.code(), Some(1), "{said}");
            assert!(said.contains("out of memory"), "{said}");
        }
    }
}

const HEADER: &str = "\
#ifndef SMOOTH_H
#define SMOOTH_H
#include <stddef.h>
#include <complex.h>
#ifdef _WIN32
#include <windows.h>
#endif
struct grid { int n; float *u, *v; };
void smooth(struct grid *g, int steps);
float total(const float *u, size_t n);
#endif
";

const SOLVER: &str = "\
#include \"smooth.h\"

static float half(float x) { return 0.5f * x; }

float total(const float *u, size_t n)
{
  float sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += half(u[i]);
  return sum;
}

void smooth(struct grid *g, int steps)
{
  int n = g->n;
  float *u = g->u, *v = g->v;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i*n+j] = 0.25f * (u[(i-1)*n+j] + u[(i+1)*n+j] + u[i*n+j-1] + u[i*n+j+1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i*n+j] = v[i*n+j];
  }
}
";

const MAIN: &str = "\
#include \"smooth.h\"
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
  int n = 70;
  struct grid g = { n, calloc(n * n, sizeof(float)), calloc(n * n, sizeof(float)) };
  g.u[n * n / 2 + n / 2] = 1000;
  smooth(&g, 30);
  printf(\"%.9g %.9g\\n\", g.u[n * n / 2 + n / 2], total(g.u, n * n));
  free(g.u);
  free(g.v);
  return 0;
}
";

/// A file without `main` is translated by itself and linked with one that a C compiler has compiled.
#[test]
fn programs_in_c_call_translated_functions() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = |name: &str| folder.path().join(name);
    for (name, text) in [("smooth.h", HEADER), ("solver.c", SOLVER), ("main.c", MAIN)] {
        std::fs::write(file(name), text).expect("a file");
    }
    let build = |command: &mut Command| {
        succeed(command.current_dir(folder.path())).unwrap_or_else(|e| panic!("{e}"))
    };
    build(Command::new("cc").args([
        "-O2",
        "-ffp-contract=off",
        "main.c",
        "solver.c",
        "-o",
        "in-c",
    ]));
    let expected = build(&mut Command::new(file("in-c")));
    build(hexcc().args(["solver.c", "-o", "solver.cu"]));
    emucc(&[&file("solver.cu")], &["-O1", "-c"], &file("solver.o"));
    build(Command::new("cc").args(["-O2", "-c", "main.c", "-o", "main.o"]));
    build(Command::new("c++").args(["main.o", "solver.o", "-o", "in-cuda"]));
    assert_eq!(build(&mut Command::new(file("in-cuda"))), expected);
    // C with OpenMP is C anyway.
    build(hexcc().args(["solver.c", "--target", "openmp", "-o", "solver_omp.c"]));
    let omp = file("solver_omp.c");
    cc(
        &["-O2", "-fopenmp", "main.o"].map(|f| if f == "main.o" { "-w" } else { f }),
        &omp,
        &file("x"),
        &["-c"],
    )
    .expect("it compiles");
}

/// Functions that promise a value and give none do in C++ what they do in C, where nobody uses it.
#[test]
fn functions_may_end_without_a_value() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let text = "#include <stdio.h>\ntypedef struct { double low, high; } range_t;\nstatic float u[2][40][40];\n\
        double fill(float *p, int n, float x) { for (int i = 0; i < n; i++) p[i] = x * (i % 7); }\n\
        range_t nothing(int n)\n{\n  if (n > 100) {\n    range_t r = {0, 1};\n    return r;\n  }\n}\n\
        static float *found(float *p, int n)\n{\n  for (int i = 0; i < n; i++)\n    if (p[i] > 30)\n      return p + i;\n}\n\
        int main(void) {\n  fill(&u[0][0][0], 2 * 1600, 1);\n  nothing(3);\n  for (int t = 0; t < 9; t++)\n\
        \x20   for (int i = 1; i < 39; i++)\n      for (int j = 1; j < 39; j++)\n\
        \x20       u[(t+1)%2][i][j] = 0.25f * (u[t%2][i-1][j] + u[t%2][i+1][j] + u[t%2][i][j-1] + u[t%2][i][j+1]);\n\
        \x20 found(&u[0][0][0], 1600);\n  printf(\"%.9g\\n\", u[1][20][20]);\n  return 0;\n}\n";
    let source = folder.path().join("p.c");
    std::fs::write(&source, text).expect("a file");
    let mut command = hexcc();
    command.arg("run").arg(&source).arg("--emulate");
    let printed = succeed(&mut command).unwrap_or_else(|e| panic!("{e}"));
    assert!(printed.contains("ok: "), "{printed}");
}

/// What is built for other parts of a program than were translated is refused.
#[test]
fn other_branches_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = |name: &str| folder.path().join(name);
    std::fs::write(
        file("config.h"),
        "#ifdef SINGLE\ntypedef float real;\n#else\ntypedef double real;\n#endif\n",
    )
    .expect("a file");
    let text = "#include <stdio.h>\n#include \"config.h\"\n#define N 40\n#if ORDER == 4 /* of the scheme */\n#define K 0.2\n#else\n#define K 0.25\n#endif\n\
        #ifdef TWO_FIELDS\nstatic real other[N];\n#endif\nstatic real u[2][N][N];\n\
        static void edges(real v[N][N]) {\n  for (int i = 0; i < N; i++) {\n#ifdef CLOSED\n    v[i][0] = v[i][1];\n#else\n    v[i][0] = 1;\n#endif\n  }\n}\n\
        int main(void) {\n  u[0][N / 2][N / 2] = 1;\n  for (int t = 0; t < 9; t++) {\n    for (int i = 1; i < N - 1; i++)\n      for (int j = 1; j < N - 1; j++)\n\
        \x20       u[(t+1)%2][i][j] = K * (u[t%2][i-1][j] + u[t%2][i+1][j] + u[t%2][i][j-1] + u[t%2][i][j+1]);\n\
        #ifdef OPEN\n    u[(t+1)%2][3][3] += 1;\n#endif\n    edges(u[(t+1)%2]);\n  }\n\
        #ifdef LOUD\n  printf(\"%g \", u[1][1][1]);\n#endif\n  printf(\"%.17g\\n\", u[1][3][4]);\n  return 0;\n}\n";
    std::fs::write(file("p.c"), text).expect("a file");
    for given in [&["-DLOUD"][..], &["-DCLOSED", "-DORDER=4", "-DSINGLE"]] {
        let mut command = hexcc();
        command
            .arg(file("p.c"))
            .args(given)
            .args(["-o"])
            .arg(file("p.cu"));
        succeed(&mut command).expect("it translates");
        let build = |flags: &[&str]| {
            let mut command = Command::new(root().join("scripts/emucc"));
            command
                .arg(file("p.cu"))
                .args(flags)
                .args(["-w", "-I"])
                .arg(folder.path());
            let out = output(command.arg("-o").arg(file("p"))).expect("a compiler starts");
            (
                out.status.success(),
                String::from_utf8_lossy(&out.stderr).into_owned(),
            )
        };
        let is_plain = given.len() == 1;
        let others = match is_plain {
            true => vec!["-DCLOSED", "-DORDER=4", "-DSINGLE", "-DOPEN"],
            false => vec!["-UCLOSED", "-DORDER=2", "-USINGLE", "-DOPEN"],
        };
        for other in others {
            let (built, said) = build(&[given, &["-UORDER", other]].concat());
            assert!(
                !built && said.contains("translate again"),
                "{given:?} {other}: {said}"
            );
        }
        for free in ["-DTWO_FIELDS", "-DLOUD", "-ULOUD"] {
            let (built, said) = build(&[given, &[free]].concat());
            assert!(built, "{given:?} {free}: {said}");
        }
    }
}

/// What is built with other values of macros than it was translated with is refused.
#[test]
fn other_values_of_macros_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let text = "#include <stdio.h>\n#ifndef N\n#define N 40\n#endif\n#ifndef REAL\n#define REAL float\n#endif\n\
        #ifndef EVERY\n#define EVERY 1\n#endif\n#ifndef K\n#define K 0.25\n#endif\n#define SIDE (N + 2)\ntypedef REAL real;\n\
        static real u[2][SIDE][SIDE];\nint main(void) {\n  u[0][N / 2][N / 2] = 1;\n  for (int t = 0; t < 9; t++)\n\
        \x20   for (int i = 1; i <= N; i++)\n      for (int j = 1; j <= N; j++)\n\
        \x20       u[(t+1)%2][i][j] = K * (u[t%2][i-1][j] + u[t%2][i+1][j] + u[t%2][i][j-1] + u[t%2][i][j+1]);\n\
        \x20 for (int i = 0; i < EVERY; i++) printf(\"%g\\n\", u[1][N / 2][N / 2 + i]);\n  return 0;\n}\n";
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("p.c"), text).expect("a file");
    for target in ["cuda", "openmp"] {
        let to = file(["p.cu", "p_omp.c"][usize::from(target == "openmp")]);
        let mut command = hexcc();
        command
            .arg(file("p.c"))
            .args(["--target", target, "-D", "K=0.125", "-o"])
            .arg(&to);
        succeed(&mut command).expect("it translates");
        let build = |flags: &[&str]| {
            let mut command = match target {
                "cuda" => Command::new(root().join("scripts/emucc")),
                _ => Command::new("cc"),
            };
            command
                .arg(&to)
                .args(flags)
                .args(["-O1", "-w", "-o"])
                .arg(file("p"));
            let out = output(&mut command).expect("a compiler starts");
            (
                out.status.success(),
                String::from_utf8_lossy(&out.stderr).into_owned(),
            )
        };
        let known: HashMap<&str, &str> = HashMap::from([
            ("-DN=50", "translated with N = 40; translate again"),
            (
                "-DREAL=double",
                "translated with REAL = float; translate again",
            ),
            ("-DK=0.5", "translated with K = 0.125; translate again"),
        ]);
        for (flag, message) in known {
            let (built, said) = build(&["-DK=0.125", flag]);
            assert!(!built && said.contains(message), "{target} {flag}: {said}");
        }
        assert!(!build(&[]).0, "K is another one");
        let (built, said) = build(&["-DK=0.125", "-DEVERY=3"]);
        assert!(built, "{target}: {said}");
    }
}
