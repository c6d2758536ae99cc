//! `hexcc run` in the emulation.

mod common;

use common::{hexcc, output, testsuite};

fn run(line: &str, file: &std::path::Path) -> (Option<i32>, String, String) {
    let mut command = hexcc();
    command
        .arg("run")
        .arg(file)
        .arg("--emulate")
        .args(line.split_whitespace());
    let out = output(&mut command).expect("hexcc starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

/// A stencil whose `main` is given.
fn program(main: &str) -> String {
    let stencil = "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
        static void step(int N, int T, float A[2][N]) {\n#pragma scop\n\
        for (int t = 0; t < T; t++)\n  for (int i = 1; i < N - 1; i++)\n\
        \x20   A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);\n#pragma endscop\n}\n";
    format!(
        "{stencil}\nint main(int argc, char **argv) {{\n  float A[2][50] = {{{{1, 2, 3}}, {{4, 5}}}};\n{main}\n}}\n"
    )
}

fn run_text(main: &str, line: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = folder.path().join("program.c");
    std::fs::write(&file, program(main)).expect("a temporary directory can be written");
    run(line, &file)
}

#[test]
fn equal_results_are_reported() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let keep = folder.path().join("kept");
    let line = format!(
        "--tile h=1,w=2:8 --seed 7 --keep {} -- 33 8",
        keep.display()
    );
    let (code, stdout, stderr) = run(&line, &testsuite().join("jacobi2d.c"));
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(
        stdout.contains("ok: A (8712 bytes) equals the C program bit for bit"),
        "{stdout}"
    );
    assert!(
        stdout.contains("C program: ") && stdout.contains("GPU region: "),
        "{stdout}"
    );
    let way = "ran: kernels in the CPU emulation, since `hexcc run` compares them with C; ";
    assert!(stdout.contains(way), "{stdout}");
    for file in ["jacobi2d.c", "jacobi2d.cu", "dump.c", "dump.cuda"] {
        assert!(keep.join(file).is_file(), "{file}");
    }
    // A second run must not append to the dumps of the first.
    let (code, stdout, _) = run(&line, &testsuite().join("jacobi2d.c"));
    assert_eq!(code, Some(0), "{stdout}");
    assert!(stdout.contains("(8712 bytes)"), "{stdout}");
}

#[test]
fn a_region_that_runs_twice_is_compared_twice() {
    let (code, stdout, stderr) = run_text("  step(50, 3, A); step(50, 2, A);", "");
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(stdout.contains("ok: A (800 bytes)"), "{stdout}");
    let (code, stdout, _) = run_text("  if (argc > 1) step(50, 3, A);", "");
    assert_eq!(code, Some(0));
    assert!(stdout.contains("computed nothing"), "{stdout}");
}

#[test]
fn different_results_end_with_status_1() {
    // The programs know each other by their names.
    let main =
        "  if (argv[0][strlen(argv[0]) - 1] == 'c') A[0][2] = 7;\n  step(50, 3, A);\n  return 0;";
    let main = main.replace(
        "strlen(argv[0])",
        "({ int n = 0; while (argv[0][n]) n++; n; })",
    );
    let (code, stdout, stderr) = run_text(&main, "");
    assert_eq!((code, stderr.as_str()), (Some(1), ""));
    assert!(stdout.contains("MISMATCH: A[flat index "), "{stdout}");
    assert!(stdout.contains(" of 100 elements differ"), "{stdout}");
    let (code, stdout, _) = run_text(&main, "--fast");
    assert_eq!(code, Some(0));
    assert!(
        stdout.contains("has a largest relative error of "),
        "{stdout}"
    );
}

#[test]
fn different_text_ends_with_status_1() {
    let main = "  step(50, 3, A);\n  printf(\"same\\n%d\\n\", (int)getpid());\n  return 0;";
    let (code, stdout, _) = run_text(main, "");
    assert_eq!(code, Some(1));
    assert!(
        stdout.contains("MISMATCH: the programs print different text\n  line 2: C program `"),
        "{stdout}"
    );
    let (code, stdout, _) = run_text(main, "--ignore-output");
    assert_eq!(code, Some(0), "{stdout}");
}

#[test]
fn failing_programs_are_diagnosed() {
    let (code, stdout, stderr) = run_text(
        "  fprintf(stderr, \"no such input\\n\"); return 3;",
        "-- x y",
    );
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    assert!(
        stderr.contains(
            "error[HX0507]: the C program ended before it reached the region: exit status: 3"
        ),
        "{stderr}"
    );
    assert!(
        stderr.contains("no such input") && stderr.contains("its arguments were: x y"),
        "{stderr}"
    );
    let (code, _, stderr) = run_text("  abort();", "");
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains("the C program crashed: signal: 6"),
        "{stderr}"
    );
}

/// What the program is called in its own eyes: `-c` or `-cuda` at the end.
const IS_C: &str = "  int n = 0; while (argv[0][n]) n++; int is_c = argv[0][n-1] == 'c';\n";

#[test]
fn the_program_that_crashes_is_named() {
    let main = format!("{IS_C}  step(50, 3, A);\n  if (!is_c) abort();\n  return 4;");
    let (code, stdout, stderr) = run_text(&main, "");
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    assert!(
        stderr.contains("error[HX0507]: the generated program crashed: signal: 6"),
        "{stderr}"
    );
    assert!(
        stderr.contains("the C program ended with exit status: 4"),
        "{stderr}"
    );
    // A crash of the C program alone, and one that only comparing brings about.
    let main = format!("{IS_C}  step(50, 3, A);\n  if (is_c) abort();\n  return 0;");
    let (code, _, stderr) = run_text(&main, "");
    assert_eq!(code, Some(4));
    assert!(
        stderr.contains("error[HX9001]: internal error: the C program crashes only"),
        "{stderr}"
    );
}

#[test]
fn a_status_other_than_0_is_compared() {
    let (code, stdout, stderr) = run_text("  step(50, 3, A);\n  return 3;", "");
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    assert!(
        stdout.contains("both programs end with exit status: 3"),
        "{stdout}"
    );
    let main = format!("{IS_C}  step(50, 3, A);\n  return is_c ? 2 : 5;");
    let (code, stdout, _) = run_text(&main, "");
    assert_eq!(code, Some(1));
    assert!(
        stdout.contains("MISMATCH: the C program ends with exit status: 2, the generated program with exit status: 5"),
        "{stdout}"
    );
}

/// A loop that prints around a nest on rows, of which `rows` moves some.
fn rows_program(rows: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n\
         int main(void) {{\n  int n = 40, T = 3;\n  float **u = malloc(n * sizeof *u), **v = malloc(n * sizeof *v);\n\
         \x20 for (int i = 0; i < n; i++) {{\n    u[i] = calloc(n, sizeof **u);\n    v[i] = calloc(n, sizeof **v);\n    u[i][i] = i;\n  }}\n\
         \x20 {rows}\n\
         \x20 for (int t = 0; t < T; t++) {{\n    for (int i = 1; i < n; i++)\n      for (int j = 1; j < n; j++)\n        v[i][j] = u[i-1][j] + u[i][j-1];\n\
         \x20   printf(\"%.9g\\n\", v[20][19]);\n  }}\n  return 0;\n}}\n"
    )
}

#[test]
fn rows_that_share_memory_end_the_program() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = folder.path().join("rows.c");
    for (rows, wanted) in [
        ("", None),
        // What is only read may be the same.
        ("u[3] = u[4];", None),
        ("u[3] = u[4] + 20 - 20;", None),
        ("v[3] = v[4];", Some("hexcc_main: rows of v share memory")),
        (
            "v[3] = v[39] + 1;",
            Some("hexcc_main: rows of v share memory"),
        ),
        ("v[3] = u[4];", Some("hexcc_main: u and v share memory")),
        ("u = v;", Some("share memory")),
        (
            // C overwrites pointers that it has followed.
            "v[39] = (float *)(void *)u - 1, T = 1;",
            Some("hexcc_main: the pointers of u and v share memory"),
        ),
    ] {
        std::fs::write(&file, rows_program(rows)).expect("a temporary directory can be written");
        for flags in [
            ["--target", "cuda", "--emulate"].as_slice(),
            &["--target", "openmp"],
        ] {
            let out = output(hexcc().arg("run").arg(&file).args(flags)).expect("hexcc starts");
            let [stdout, stderr] =
                [&out.stdout, &out.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
            match wanted {
                None => assert!(
                    stdout.contains("ok: both programs"),
                    "{rows}: {stdout}{stderr}"
                ),
                Some(message) => {
                    assert_eq!(out.status.code(), Some(1), "{rows}: {stdout}");
                    let all = stdout + &stderr;
                    assert!(all.contains(message), "{rows}: {all}");
                }
            }
        }
    }
}

/// A time loop that swaps tables of rows, of which `rows` moves some; a pragma may mark it.
fn tables_program(rows: &str, pragma: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n\
         int main(void) {{\n  int n = 40, T = 9;\n  float **u = malloc(n * sizeof *u), **v = malloc(n * sizeof *v);\n\
         \x20 for (int i = 0; i < n; i++) {{\n    u[i] = calloc(n, sizeof **u);\n    v[i] = calloc(n, sizeof **v);\n    u[i][i] = i;\n  }}\n\
         \x20 {rows}\n{pragma}\n\
         \x20 for (int t = 0; t < T; t++) {{\n    for (int i = 1; i < n - 1; i++)\n      for (int j = 1; j < n - 1; j++)\n        v[i][j] = u[i-1][j] + u[i+1][j-1];\n\
         \x20   float **w = u;\n    u = v;\n    v = w;\n  }}\n{}\n\
         \x20 for (int i = 0; i < n; i++)\n    printf(\"%.9g %.9g\\n\", u[i / 2 + 1][20], v[i][19]);\n  return 0;\n}}\n",
        pragma.replace("scop", "endscop")
    )
}

#[test]
fn tables_of_rows_that_share_memory_end_the_program() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = folder.path().join("tables.c");
    let ends = Some("hexcc_main: rows of u and v share memory");
    let (plain, marked) = ("", "#pragma scop");
    for (rows, pragma, wanted) in [
        // Sides are only read.
        ("u[0] = v[39];", plain, None),
        ("u[3] = v[4];", plain, ends),
        ("u[3] = v[4];", marked, ends),
        ("v[3] = v[5] + 20;", plain, ends),
        ("u = v;", marked, ends),
        // In the first step alone, a plane has no sides.
        ("v[0] = v[39] = 0, T = 1;", plain, None),
        ("v[0] = v[39] = 0, T = 1;", marked, None),
    ] {
        let text = tables_program(rows, pragma);
        std::fs::write(&file, text).expect("a temporary directory can be written");
        let out = output(
            hexcc()
                .arg("run")
                .arg(&file)
                .args(["--target", "cuda", "--emulate"]),
        );
        let out = out.expect("hexcc starts");
        let all = [&out.stdout, &out.stderr].map(|text| String::from_utf8_lossy(text));
        let (all, said) = (all.concat(), wanted.unwrap_or("ok: both programs"));
        assert!(all.contains(said), "{rows} {pragma}: {all}");
        assert_eq!(
            out.status.code(),
            Some(i32::from(wanted.is_some())),
            "{all}"
        );
    }
}

#[test]
fn bytes_that_are_a_struct_of_their_own_end_the_program() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = folder.path().join("bytes.c");
    for (p, wanted) in [
        ("(unsigned char *)g + 64", None),
        (
            "(unsigned char *)&g->p - 2",
            Some("hexcc_g_p and g->p share memory"),
        ),
        (
            "(unsigned char *)&g->w - 1",
            Some("hexcc_g_p and g->w share memory"),
        ),
    ] {
        let text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\nstruct line {{ int w; unsigned char *p; }};\n\
             static void step(struct line *g, int T) {{\n  for (int t = 0; t < T; t++)\n    for (int x = 1; x < g->w - 1; x++)\n      g->p[x] = g->p[x] / 2;\n}}\n\
             int main(void) {{\n  struct line *g = calloc(1, 4096);\n  g->w = 4;\n  g->p = {p};\n  step(g, 1);\n  printf(\"%d\\n\", g->w);\n  return 0;\n}}\n"
        );
        std::fs::write(&file, text).expect("a temporary directory can be written");
        let (code, stdout, stderr) = run("--target cuda", &file);
        let all = stdout + &stderr;
        assert!(all.contains(wanted.unwrap_or("ok: ")), "{p}: {all}");
        assert_eq!(code, Some(i32::from(wanted.is_some())), "{p}: {all}");
    }
}

#[test]
fn a_line_chooses_a_loop() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = folder.path().join("two.c");
    let text = "#include <stdio.h>\nstatic float A[2][40], B[2][40];\nint main(void) {\n  A[0][3] = B[0][4] = 1;\n\
        \x20 for (int t = 0; t < 9; t++)\n    for (int i = 1; i < 39; i++)\n      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);\n\
        \x20 for (int t = 0; t < 5; t++)\n    for (int i = 1; i < 39; i++)\n      B[(t+1)%2][i] = 0.3f * (B[t%2][i-1] + B[t%2][i+1]);\n  return 0;\n}\n";
    std::fs::write(&file, text).expect("a temporary directory can be written");
    let (code, stdout, stderr) = run("--line 10 -O 1", &file);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(stdout.contains("ok: B "), "{stdout}");
    let (code, stdout, stderr) = run("--line 9", &file);
    assert!(
        code == Some(0) && stderr.contains("run with one launch per step"),
        "{stderr}"
    );
    assert!(stdout.contains("ok: B "), "{stdout}");
    let (code, stdout, _) = run("--line 8", &file);
    assert!(
        code == Some(0) && stdout.contains("ok: B ") && !stdout.contains("ok: A "),
        "{stdout}"
    );
    let (code, stdout, _) = run("", &file);
    assert!(code == Some(0) && stdout.contains("ok: A "), "{stdout}");
    let explained = output(hexcc().arg("explain").arg(&file)).expect("hexcc starts");
    let explained = String::from_utf8_lossy(&explained.stdout).into_owned();
    assert!(explained.contains("  line 8, in main(): not looked at, since the one above is likelier; `--line 8` takes it"), "{explained}");
    let (code, _, stderr) = run("--line 4", &file);
    assert!(
        code == Some(1) && stderr.contains("there is no loop at line 4"),
        "{stderr}"
    );
}

#[test]
fn nests_of_a_program_that_ends_with_a_status_are_compared() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = folder.path().join("status.c");
    let text = "#include <stdio.h>\nstatic double A[200], B[200];\nint main(void) {\n  A[3] = 1;\n  for (int t = 0; t < 3; t++) {\n\
        \x20   for (int i = 1; i < 199; i++)\n      B[i] = A[i-1] + A[i+1];\n    for (int i = 1; i < 199; i++)\n      A[i] = B[i];\n\
        \x20   printf(\"%g\\n\", A[4]);\n  }\n  return 3;\n}\n";
    std::fs::write(&file, text).expect("a temporary directory can be written");
    let (code, stdout, stderr) = run("", &file);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(
        stdout.contains("both programs end with exit status: 3"),
        "{stdout}"
    );
}
