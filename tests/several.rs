//! Programs of several files: functions of other files are read with the one that calls them, where
//! every name in them means the same there.

mod common;

use common::{hexcc, output};
use std::path::{Path, PathBuf};

const HEADER: &str = "\
#ifndef GRID_H
#define GRID_H
#define AT(i, j) ((i) * n + (j))
typedef double real;
void step(int n, const real *u, real *v, real k);
void fill(int n, real *u);
double total(int n, const real *u);
#endif
";

const MAIN: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include \"grid.h\"

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 20, steps = argc > 2 ? atoi(argv[2]) : 5;
  real *u = malloc(sizeof(real) * n * n), *v = malloc(sizeof(real) * n * n);

  fill(n, u);
  fill(n, v);
  for (int t = 0; t < steps; t++) {
    step(n, u, v, 0.1);
    step(n, v, u, 0.1);
  }
  printf(\"%.17g\\n\", total(n, u));
  free(u);
  free(v);
  return 0;
}
";

const STEP: &str = "\
#include \"grid.h\"

static real flux(real a, real b)
{
  return 0.5 * (a - b);
}

void step(int n, const real *u, real *v, real k)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      v[AT(i, j)] = u[AT(i, j)] + k * (flux(u[AT(i - 1, j)], u[AT(i, j)]) - flux(u[AT(i, j)], u[AT(i, j + 1)]));
}
";

const REST: &str = "\
#include \"grid.h\"

void fill(int n, real *u)
{
  for (int i = 0; i < n * n; i++)
    u[i] = (i * 31 % 17) * 0.25;
}

double total(int n, const real *u)
{
  double sum = 0.0;
  for (int i = 0; i < n * n; i++)
    sum += u[i] * (i % 7);
  return sum;
}
";

/// A file, and what of it is written otherwise.
type Change<'a> = (&'a str, &'a str, &'a str);

/// A program, and what of its files is written otherwise.
fn files(folder: &Path, changes: &[Change]) -> Vec<PathBuf> {
    let all = [
        ("grid.h", HEADER),
        ("main.c", MAIN),
        ("step.c", STEP),
        ("rest.c", REST),
    ];
    for (name, text) in all {
        let own = changes.iter().filter(|(file, ..)| *file == name);
        let text = own.fold(text.to_string(), |text, (_, from, to)| {
            assert!(text.contains(from), "{name}: {from}");
            text.replace(from, to)
        });
        std::fs::write(folder.join(name), text).expect("a temporary directory can be written");
    }
    ["step.c", "rest.c", "main.c"]
        .map(|name| folder.join(name))
        .to_vec()
}

/// Status, standard output and error of `hexcc COMMAND FILES REST`.
fn run(files: &[PathBuf], command: &[&str], rest: &[&str]) -> (Option<i32>, String, String) {
    let out = output(hexcc().args(command).args(files).args(rest)).expect("hexcc starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

/// What is said of a program that is translated all the same, or not.
fn said_of(changes: &[Change]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let files = files(folder.path(), changes);
    let (code, _, stderr) = run(&files, &[], &["-o", "/dev/null"]);
    (code, stderr)
}

#[test]
fn functions_of_other_files_are_part_of_the_time_loop() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let files = files(folder.path(), &[]);
    for target in [&["run", "--emulate"][..], &["run", "--target=openmp"]] {
        let (code, stdout, stderr) = run(&files, target, &["--", "33", "7"]);
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
        assert!(
            stdout.contains("ok: u ") && stdout.contains("ok: v "),
            "{stdout}"
        );
    }
    let (code, stdout, _) = run(&files, &["explain"], &[]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("main.c: 1 time loop tiled"), "{stdout}");
}

#[test]
fn a_global_variable_of_a_header_is_one_for_all_files() {
    let changes = [
        ("grid.h", "typedef", "extern double half;\ntypedef"),
        ("step.c", "static real", "double half = 0.5;\nstatic real"),
        ("step.c", "0.5 *", "half *"),
    ];
    assert_eq!(said_of(&changes), (Some(0), String::new()));
}

#[test]
fn names_that_differ_between_files_are_told() {
    let include = "#include \"grid.h\"\n";
    let other_macro = format!("{include}#undef AT\n#define AT(i, j) ((j) * n + (i))\n");
    let own_macro = format!("{include}#define HALF 0.5\n");
    let own_variable = format!("{include}static double half = 0.5;\n");
    let conditional = format!("#define FAST\n{include}");
    let generic = format!("#include <tgmath.h>\n{include}");
    let cases: [(&[Change], &str); 9] = [
        (
            &[("step.c", include, &other_macro)],
            "uses `AT`, which `STEP` defines otherwise than `MAIN`",
        ),
        (
            &[
                ("step.c", include, &own_macro),
                ("step.c", "0.5 *", "HALF *"),
            ],
            "uses `HALF`, which `STEP` defines and `MAIN` does not",
        ),
        (
            &[
                ("step.c", include, &own_variable),
                ("step.c", "0.5 *", "half *"),
            ],
            "uses `half`, of which each file that declares it has one of its own",
        ),
        (
            &[
                ("grid.h", "typedef", "static double half = 0.5;\ntypedef"),
                ("step.c", "0.5 *", "half *"),
            ],
            "uses `half`, of which each file that declares it has one of its own",
        ),
        (
            &[
                ("main.c", include, &conditional),
                (
                    "grid.h",
                    "typedef",
                    "#ifdef FAST\n#define W 1\n#endif\ntypedef",
                ),
            ],
            "it uses `FAST`, which `MAIN` defines and `STEP` does not",
        ),
        (
            &[("main.c", "int main", "#define k 0.25\nint main")],
            "uses `k`, which `MAIN` defines and `STEP` does not",
        ),
        (
            &[(
                "main.c",
                "int main",
                "static real flux(real a, real b) { return a * b; }\nint main",
            )],
            "calls `flux`, of which two files have one each",
        ),
        (
            &[(
                "grid.h",
                "void step(int n, const real *u, real *v, real k);\n",
                "",
            )],
            "`MAIN` does not declare it",
        ),
        (
            &[("step.c", include, &generic)],
            "needs the same headers of the system in both files",
        ),
    ];
    for (changes, why) in cases {
        let (_, stderr) = said_of(changes);
        let folder = |line: &str| {
            let words = line.split('`').map(|word| match word.rsplit_once('/') {
                Some((_, "main.c")) => "MAIN",
                Some((_, "step.c")) => "STEP",
                _ => word,
            });
            words.collect::<Vec<_>>().join("`")
        };
        let stderr: String = stderr.lines().map(|line| folder(line) + "\n").collect();
        assert!(stderr.contains(why), "{why}\n{stderr}");
    }
}

#[test]
fn places_of_other_files_are_theirs() {
    let (code, stderr) = said_of(&[("step.c", "+ k *", "+ q *")]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("step.c:12:"), "{stderr}");
    let prints = [(
        "step.c",
        "  return 0.5",
        "  printf(\"flux\\n\");\n  return 0.5",
    )];
    let (_, stderr) = said_of(&prints);
    assert!(
        stderr.contains("step.c:5:3") && stderr.contains("calls it here"),
        "{stderr}"
    );
}

#[test]
fn files_are_one_where_the_time_loop_stays_on_the_host() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let prints = (
        "main.c",
        "    step(n, v, u, 0.1);\n",
        "    step(n, v, u, 0.1);\n    printf(\"%d %.17g\\n\", t, total(n, u));\n",
    );
    let files = files(folder.path(), &[prints]);
    let (code, stdout, stderr) = run(
        &files,
        &["run", "--emulate", "--sums=ordered"],
        &["--", "33", "7"],
    );
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(
        stdout.contains("ok: both programs print the same"),
        "{stdout}"
    );
    assert!(stderr.contains("warning[HX0117]"), "{stderr}");
    let (_, text, _) = run(&files, &[], &["-o", "-"]);
    assert!(
        text.contains("v[AT(i, j)]") || text.contains("step_1"),
        "{text}"
    );
    // One name for two things, of which each file has its own.
    let own = ("rest.c", "void fill", "static int flux;\nvoid fill");
    let apart = self::files(folder.path(), &[prints, own]);
    let (code, _, stderr) = run(&apart, &[], &["-o", "/dev/null"]);
    assert!(!stderr.contains("HX0117"), "{code:?} {stderr}");
}

#[test]
fn included_files_of_functions_are_part_of_the_program() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let header = "#include \"grid.h\"\n";
    let all = format!("{header}#include \"step.c\"\n#include \"rest.c\"\n");
    let including = ("main.c", header, all.as_str());
    let files = files(folder.path(), &[including]);
    let main = &files[2..];
    let (code, stdout, stderr) = run(main, &["run", "--emulate"], &["--", "33", "7"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    let (_, stdout, _) = run(main, &["explain"], &[]);
    assert!(stdout.contains("main.c: 1 time loop tiled"), "{stdout}");
    let wrong = self::files(folder.path(), &[including, ("step.c", "+ k *", "+ q *")]);
    let (code, _, stderr) = run(&wrong[2..], &[], &["-o", "/dev/null"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("step.c:12:"), "{stderr}");
}

#[test]
fn functions_without_prototypes_get_those_of_their_definitions() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let prototype = "void step(int n, const real *u, real *v, real k);\n";
    let changes = [
        ("grid.h", prototype, ""),
        ("main.c", "int main", "void step();\nint main"),
        (
            "step.c",
            "(int n, const real *u, real *v, real k)",
            "(int n, const double *u, double *v, double k)",
        ),
    ];
    let files = files(folder.path(), &changes);
    let (code, stdout, stderr) = run(&files, &["run", "--emulate"], &["--", "33", "7"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
}

#[test]
fn headers_may_use_names_of_cplusplus_and_of_cuda() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let plane = "struct plane { double *new; int class; };\nint min(int a, int b);\ntypedef";
    let min = "int min(int a, int b)\n{\n  return a < b ? a : b;\n}\n\nvoid fill";
    let changes = [
        ("grid.h", "typedef", plane),
        ("rest.c", "void fill", min),
        (
            "main.c",
            "  fill(n, v);\n",
            "  fill(n, v);\n  steps = min(steps, 50);\n",
        ),
    ];
    let files = files(folder.path(), &changes);
    let (code, stdout, stderr) = run(&files, &["run", "--emulate"], &["--", "33", "7"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
}

#[test]
fn a_macro_means_the_same_where_only_one_file_has_a_variable_with_it() {
    let changes = [
        ("grid.h", "#define AT", "#define SIDE 64\n#define AT"),
        (
            "main.c",
            "int main",
            "real spare[SIDE];\nstruct { real values[SIDE]; } rest;\n\nint main",
        ),
        ("step.c", "i < n - 1;", "i < n - 1 && i < SIDE;"),
    ];
    assert_eq!(said_of(&changes), (Some(0), String::new()));
}

#[test]
fn functions_may_be_called_before_c_knows_what_they_return() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let report =
        "  return 0;\n}\n\nvoid report(int n, const real *u)\n{\n  printf(\"%g\\n\", u[n]);\n}\n";
    let changes = [
        ("main.c", "  for (int t", "  report(n, u);\n  for (int t"),
        ("main.c", "  return 0;\n}\n", report),
    ];
    let files = files(folder.path(), &changes);
    let (code, stdout, stderr) = run(&files, &["run", "--emulate"], &["--", "33", "7"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    assert!(stdout.contains("ok: u "), "{stdout}");
}
