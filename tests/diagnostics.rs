//! What the command says when it cannot do what was asked: one snapshot per
//! program of testsuite/errors and per misuse of the command line.
//!
//! After a deliberate change: `INSTA_UPDATE=always cargo test --test diagnostics`,
//! and read the difference.

mod common;

use common::{Program, hexcc, output, refused_programs, testsuite};
use std::path::Path;
use std::process::{Command, Output};

/// Standard error of a run that must fail cleanly.
fn refused(what: &str, out: &Output) -> String {
    let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
    let code = out.status.code();
    assert!(
        matches!(code, Some(1..=3)),
        "{what}: {}, and it says:\n{stderr}",
        out.status
    );
    assert!(
        out.stdout.is_empty(),
        "{what}: something on the standard output"
    );
    for word in ["panicked", "RUST_BACKTRACE", "Assertion", "unwrap()"] {
        assert!(!stderr.contains(word), "{what}: {stderr}");
    }
    assert!(
        code == Some(2) || stderr.contains("error[HX"),
        "{what}: no code in:\n{stderr}"
    );
    stderr
}

/// Compares with tests/snapshots/NAME.snap.
fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn errors_of_the_testsuite() {
    let folder = tempfile::tempdir_in(common::scratch("diagnostics"))
        .expect("the build directory can be written");
    let mut wrong = Vec::new();
    let all = refused_programs();
    assert!(
        all.len() >= 20,
        "only {} programs in testsuite/errors",
        all.len()
    );
    for program in &all {
        let target = folder.path().join("out.cu");
        let mut command = hexcc();
        command
            .current_dir(testsuite().join("errors"))
            .arg(format!("{}.c", program.name));
        command.args(&program.flags).arg("-o").arg(&target);
        let out = output(&mut command).expect("hexcc starts");
        let stderr = if program.warns.is_some() {
            let written = std::fs::remove_file(&target).is_ok();
            assert!(
                written && out.status.success() && out.stdout.is_empty(),
                "{}: {out:?}",
                program.name
            );
            String::from_utf8_lossy(&out.stderr).into_owned()
        } else {
            refused(&program.name, &out)
        };
        assert!(
            program.warns.is_some() || out.status.code() == Some(1),
            "{}",
            program.name
        );
        assert!(
            std::fs::read_dir(folder.path()).is_ok_and(|mut d| d.next().is_none()),
            "{}: wrote a file",
            program.name
        );
        let expected = code_of(program).unwrap_or("none");
        let found = code_and_line(&stderr);
        if found != (expected.to_string(), program.here) {
            wrong.push(format!(
                "{}: expected {expected} at {:?}, found {found:?}",
                program.name, program.here
            ));
        }
        snapshot(&format!("errors_{}", program.name), &stderr);
    }
    common::assert_none("programs get another diagnostic than they expect", &wrong);
}

/// The code that a program expects.
fn code_of(program: &Program) -> Option<&str> {
    program.expect.as_deref().or(program.warns.as_deref())
}

/// The code of the first error, or else warning, and the line of the main file that it is about.
fn code_and_line(stderr: &str) -> (String, Option<usize>) {
    let after = |what: &str| stderr.split(what).nth(1);
    let error = after("error[").or_else(|| after("warning["));
    let error = error.unwrap_or_default();
    let code = error.split(']').next().unwrap_or_default();
    let place = error.lines().nth(1).and_then(|l| l.split_once("┌─ "));
    let line = place.and_then(|(_, place)| place.split(':').nth(1)?.parse().ok());
    (code.to_string(), line)
}

/// What messages suggest translates.
#[test]
fn rewritten_programs_translate() {
    let folder = tempfile::tempdir_in(common::scratch("diagnostics"))
        .expect("the build directory can be written");
    let mut wrong = Vec::new();
    for program in refused_programs() {
        let file = folder.path().join(format!("{}.c", program.name));
        let text = match &program.fix {
            Some(fix) => fix,
            None if !program.instead.is_empty() => &program.text,
            None => continue,
        };
        std::fs::write(&file, text).expect("the build directory can be written");
        let mut command = hexcc();
        command.args(&program.instead);
        let out = output(command.arg(&file).args(["-o", "/dev/null"])).expect("hexcc starts");
        let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
        let as_wanted = match &program.fix_warns {
            Some(code) => {
                stderr.starts_with(&format!("warning[{code}]: "))
                    && stderr.matches("\nwarning[").next().is_none()
            }
            None => stderr.is_empty(),
        };
        if !out.status.success() || !as_wanted {
            wrong.push(format!("{}: {stderr}", program.name));
        }
    }
    common::assert_none("rewritten programs do not translate", &wrong);
}

/// Misuse of the command line in testsuite/: the code, the options, and what to write instead.
const COMMANDS: [(&str, &str, &str); 38] = [
    (
        "HX0609",
        "explain --tiles --tiling stepwise jacobi2d.c",
        "explain --tiling stepwise jacobi2d.c",
    ),
    (
        "HX0301",
        "jacobi1d_5pt.c --tile h=1,w=0",
        "jacobi1d_5pt.c --tile h=1,w=1",
    ),
    (
        "HX0301",
        "star2d4r.c --tile h=1,w=0:8",
        "star2d4r.c --tile h=1,w=3:8",
    ),
    (
        "HX0301",
        "jacobi1d_7pt.c --tile h=2,w=1",
        "jacobi1d_7pt.c --tile h=2,w=2",
    ),
    (
        "HX0302",
        "fdtd2d_plain.c --tile h=4,w=2:8",
        "fdtd2d_plain.c --tile h=5,w=2:8",
    ),
    (
        "HX0302",
        "coupled1d.c --tile h=2,w=8",
        "coupled1d.c --tile h=3,w=8",
    ),
    (
        "HX0302",
        "twostmts2d.c --tile h=2,w=8:8",
        "twostmts2d.c --tile h=1,w=8:8",
    ),
    (
        "HX0303",
        "jacobi2d.c --tile h=1,w=2",
        "jacobi2d.c --tile h=3,w=8:64",
    ),
    (
        "HX0303",
        "jacobi1d.c --tile h=3,w=8:64",
        "jacobi1d.c --tile h=3,w=8",
    ),
    (
        "HX0303",
        "heat3d.c --tile h=1,w=2:0:8",
        "heat3d.c --tile h=1,w=2:1:8",
    ),
    (
        "HX0304",
        "jacobi2d.c --wavefront 0",
        "jacobi2d.c --wavefront 1",
    ),
    ("HX0304", "heat3d.c --wavefront 3", "heat3d.c --wavefront 2"),
    (
        "HX0304",
        "star2d4r.c --tile h=7,w=31:2 --wavefront 1",
        "star2d4r.c --tile h=7,w=31:64 --wavefront 1",
    ),
    ("HX0304", "jacobi1d.c --wavefront 0", "jacobi1d.c"),
    ("HX0305", "parity2d.c --tiling overlapped", "parity2d.c"),
    ("HX0305", "boundary2d.c --tiling overlapped", "boundary2d.c"),
    ("HX0305", "redblack2d.c --tiling overlapped", "redblack2d.c"),
    (
        "HX0401",
        "jacobi2d.c --isl-quota 1000",
        "jacobi2d.c --isl-quota 100000000",
    ),
    ("HX0401", "fdtd2d.c --isl-quota 5000", "fdtd2d.c"),
    ("HX0401", "heat3d.c --isl-quota 1", "heat3d.c"),
    (
        "HX0402",
        "heat3d.c --shared-memory 64",
        "heat3d.c --shared-memory 64 --memory global",
    ),
    (
        "HX0402",
        "jacobi2d.c --shared-memory 16",
        "jacobi2d.c --shared-memory 16 --tile h=1,w=2:8",
    ),
    (
        "HX0402",
        "fdtd2d.c --shared-memory 100",
        "fdtd2d.c --shared-memory 10000",
    ),
    (
        "HX0403",
        "heat3d.c --tile h=3,w=9:64:64",
        "heat3d.c --tile h=3,w=9:8:16",
    ),
    (
        "HX0403",
        "jacobi2d.c --tile h=15,w=512:1024",
        "jacobi2d.c --tile h=15,w=512:1024 --memory global",
    ),
    (
        "HX0403",
        "fdtd2d.c --tile h=5,w=64:512 --gpu a100",
        "fdtd2d.c --tile h=5,w=8:64 --gpu a100",
    ),
    ("HX0404", "jacobi2d.c --gpu voodoo", "jacobi2d.c --gpu h100"),
    (
        "HX0404",
        "jacobi2d.c --gpu gtx1080",
        "jacobi2d.c --gpu H100",
    ),
    (
        "HX0404",
        "explain heat3d.c --gpu gtx",
        "heat3d.c --gpu rtx4090",
    ),
    ("HX0406", "jacobi2d.c --set M=64", "jacobi2d.c --set N=64"),
    ("HX0406", "static2d.c --set N=64", "static2d.c"),
    (
        "HX0406",
        "explain heat3d.c --set n=64",
        "heat3d.c --set N=64",
    ),
    ("HX0504", "jacobi1d.c --hex-dim 1", "jacobi1d.c --hex-dim 0"),
    ("HX0504", "jacobi2d.c --hex-dim 7", "jacobi2d.c --hex-dim 1"),
    ("HX0504", "heat3d.c --hex-dim 3", "heat3d.c --hex-dim 2"),
    (
        "HX0510",
        "jacobi2d.c --tile h=3,w=4:64 --rows-per-thread 1 --threads 128",
        "jacobi2d.c --tile h=3,w=4:64 --rows-per-thread 4 --threads 128",
    ),
    (
        "HX0510",
        "jacobi2d.c --rows-per-thread 400",
        "jacobi2d.c --rows-per-thread 4",
    ),
    (
        "HX0510",
        "gradient2d.c --tile h=5,w=30:64 --rows-per-thread 5 --threads 256",
        "gradient2d.c --tile h=5,w=30:64 --rows-per-thread 6 --threads 256",
    ),
];

fn run_here(line: &str) -> Output {
    let mut command = hexcc();
    command
        .current_dir(testsuite())
        .args(line.split_whitespace());
    if !line.starts_with("explain") {
        command.args(["-o", "/dev/null"]);
    }
    output(&mut command).expect("hexcc starts")
}

#[test]
fn commands_are_refused_and_rewritten() {
    let wrong = common::in_parallel(&COMMANDS, |(code, line, fix)| {
        let stderr = String::from_utf8_lossy(&run_here(line).stderr).into_owned();
        let (found, _) = code_and_line(&stderr);
        if found != *code {
            return Some(format!("`{line}`: expected {code}, found {found}"));
        }
        let out = run_here(fix);
        let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
        (!out.status.success()).then(|| format!("`{fix}`: {stderr}"))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    common::assert_none(
        "commands are not refused or not accepted as they should",
        &wrong,
    );
}

/// Tables of GPUs that are none, and a GPU that is not there.
#[test]
fn tables_and_machines_that_lack_something() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let table = folder.path().join("gpus.toml");
    for text in ["[mine]\nsms = 10\n", "[mine]\nsms = \"ten\"\n", "sms = 10"] {
        std::fs::write(&table, text).expect("a temporary directory can be written");
        let line = format!("jacobi2d.c --gpu-table {}", table.display());
        let stderr = refused(text, &run_here(&line));
        assert_eq!(code_and_line(&stderr).0, "HX0405", "{text}: {stderr}");
    }
    let mut command = hexcc();
    let words = ["run", "jacobi2d.c", "--emulate"];
    command
        .current_dir(testsuite())
        .args(words)
        .env("CXX", "no-such-cxx");
    let stderr = refused("CXX", &output(&mut command).expect("hexcc starts"));
    assert_eq!(code_and_line(&stderr).0, "HX0506", "{stderr}");
    for line in [
        "run jacobi2d.c --gpu",
        "run heat3d.c --gpu",
        "run life.c --gpu",
    ] {
        let mut command = hexcc();
        let words = line.split_whitespace();
        let out = output(command.current_dir(testsuite()).args(words)).expect("hexcc starts");
        let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
        // A machine may have one.
        assert!(
            out.status.success() || code_and_line(&stderr).0 == "HX0508",
            "{stderr}"
        );
        if out.status.success() {
            break;
        }
    }
}

/// Statements of included files: the message is about the region, and says where they are.
#[test]
fn statements_of_included_files_have_places() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text)
            .expect("a temporary directory can be written");
    };
    // A header longer than the file, so that its offsets lie in the region.
    for (code, statement) in [
        ("HX0203", "A[i] = 0.5f * (A[i-1] + A[i+1]);"),
        ("HX0104", "A[i] = A[i*i];"),
        ("HX0105", "if (A[i] > 1.0f) A[i] = 0.5f;"),
    ] {
        let sweep = format!(
            "{}static inline void sweep(float *A)\n{{\n  for (int i = 1; i < 63; i++)\n    {statement}\n}}\n",
            "\n".repeat(80)
        );
        write("sweep.h", &sweep);
        write(
            "main.c",
            "#include \"sweep.h\"\nfloat A[64];\nvoid run(int T)\n{\n#pragma scop\n\n  for (int t = 0; t < T; t++)\n    sweep(A);\n#pragma endscop\n}\n",
        );
        let mut command = hexcc();
        command.current_dir(folder.path()).arg("main.c");
        command.args(["--tiling", "hybrid"]);
        let stderr = refused(statement, &output(&mut command).expect("hexcc starts"));
        assert_eq!(
            code_and_line(&stderr),
            (code.to_string(), Some(7)),
            "{stderr}"
        );
        assert!(stderr.contains("an included file"), "{stderr}");
    }
}

/// Of two loops with statements of an included file, the one that the message is about.
#[test]
fn loops_over_included_statements_are_told_apart() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let header = "static inline void step(int N, float *A, float *B)\n{\n  for (int i = 1; i < N - 1; i++)\n    B[i] = 0.5f * (A[i-1] + A[i+1]);\n}\n";
    std::fs::write(folder.path().join("step.h"), header).expect("a folder");
    let text = |second: &str| {
        format!(
            "#include \"step.h\"\nvoid run(int N, int T, float *A, float *B)\n{{\n#pragma scop\n  for (int t = 0; t < T; t++) {{\n    step(N, A, B);\n    step(N, B, A);\n  }}\n  for (int t = 0; t < T; t++) {{\n    {second}\n  }}\n#pragma endscop\n}}\n"
        )
    };
    let file = folder.path().join("main.c");
    let translated = |second: &str| {
        std::fs::write(&file, text(second)).expect("a folder");
        output(hexcc().arg(&file).args(["-o", "/dev/null"])).expect("hexcc starts")
    };
    let out = translated("step(N, A, B);\n    step(N, B, A);");
    assert!(out.status.success() && out.stderr.is_empty(), "{out:?}");
    let out = translated("step(N, A, A);");
    let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{stderr}");
    assert_eq!(
        code_and_line(&stderr),
        ("HX0203".to_string(), Some(9)),
        "{stderr}"
    );
}

/// Files with names of C++.
#[test]
fn cplusplus_is_refused_as_such() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let c = "void f(int N, int T, float *A, float *B)\n{\n  for (int t = 0; t < T; t++) {\n    for (int i = 1; i < N - 1; i++)\n      B[i] = 0.5f * (A[i-1] + A[i+1]);\n    for (int i = 1; i < N - 1; i++)\n      A[i] = B[i];\n  }\n}\n";
    let overloaded = "extern \"C\" int rand(void);\ntemplate <typename T> static T half(const T &a) { return a / 2; }\nstatic float clip(float x) { return std::min(x, 1.0f); }\nstatic double clip(double x) { return std::min(x, 1.0); }\n";
    for (name, text, line) in [
        ("own.cpp", c.to_string(), None),
        ("own.cu", c.to_string(), None),
        ("own.cc", format!("\n{overloaded}{c}"), Some(2)),
    ] {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("a folder");
        let out = output(hexcc().arg(&file).args(["-o", "/dev/null"])).expect("hexcc starts");
        let stderr = refused(name, &out);
        let expected = ("HX0115".to_string(), line);
        assert_eq!(code_and_line(&stderr), expected, "{stderr}");
    }
    // What the message says of a file that is C as well.
    let file = folder.path().join("own.c");
    std::fs::write(&file, c).expect("a folder");
    let out = output(hexcc().arg(&file).args(["-o", "/dev/null"])).expect("hexcc starts");
    assert!(out.status.success() && out.stderr.is_empty(), "{out:?}");
}

/// Expressions deeper than any that a person writes.
#[test]
fn deep_expressions_are_refused_where_they_stand() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let chain = "A[t%2][i-1] + ".repeat(4000);
    let product = "0.5f * ".repeat(4000);
    let negated = format!("{}A[t%2][i-1]", "- ".repeat(4000));
    for value in [
        format!("{chain}1.0f"),
        format!("{product}A[t%2][i]"),
        negated,
    ] {
        let text = format!(
            "void deep(int N, int T, float A[2][N])\n{{\n#pragma scop\n  for (int t = 0; t < T; t++)\n    for (int i = 1; i < N; i++)\n      A[(t+1)%2][i] = {value};\n#pragma endscop\n}}\n"
        );
        std::fs::write(folder.path().join("deep.c"), text)
            .expect("a temporary directory can be written");
        let mut command = hexcc();
        command.current_dir(folder.path()).arg("deep.c");
        let stderr = refused("deep", &output(&mut command).expect("hexcc starts"));
        assert_eq!(code_and_line(&stderr), ("HX0407".to_string(), Some(6)));
    }
}

/// `hexcc explain HX0203` prints what docs/diagnostics.md has of the code, and knows all codes.
#[test]
fn codes_are_explained() {
    let explain = |word: &str| output(hexcc().args(["explain", word])).expect("hexcc starts");
    let printed = |word: &str| {
        let out = explain(word);
        assert!(out.status.success() && out.stderr.is_empty(), "{out:?}");
        String::from_utf8(out.stdout).expect("UTF-8")
    };
    let page = std::fs::read_to_string(common::root().join("docs/diagnostics.md"));
    let page = page.expect("the page is there");
    let (tables, _) = page.split_once("## The audit").expect("the audit is there");
    let mut n_examples = 0;
    for row in tables.lines().filter(|line| line.starts_with("| HX")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let code = &cells[1][..6];
        let text = printed(code);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let begins = |cell: &str| words(cell).split('[').next().unwrap_or("").to_string();
        assert!(text.starts_with(cells[1]), "{text}");
        assert!(words(&text).contains(&begins(cells[2])), "{row}\n{text}");
        assert!(words(&text).contains(&begins(cells[3])), "{row}\n{text}");
        assert!(!text.contains("]("), "{text}");
        n_examples += usize::from(text.contains("\nExample\n"));
    }
    assert!(n_examples > 40, "{n_examples} examples");
    let text = printed("HX0203");
    assert!(text.contains("What to do\n") && text.contains("error[HX0203]: "));
    for spelling in ["hx0203", "hx203", "HX203", "Hx0203"] {
        assert_eq!(printed(spelling), text);
    }
    for (code, near) in [("HX0202", "HX0201, HX0203"), ("hx8999", "HX9001")] {
        let out = explain(code);
        let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(near) && out.stdout.is_empty(), "{stderr}");
    }
}

/// The table at the end of docs/diagnostics.md counts what these tests run.
#[test]
fn the_audit_counts_what_is_tested() {
    let path = common::root().join("docs/diagnostics.md");
    let page = std::fs::read_to_string(path).expect("the page is there");
    let (codes, audit) = page.split_once("## The audit").expect("the audit is there");
    let cell = |row: &str, n: usize| row.split('|').nth(n).unwrap_or("").trim().to_string();
    let rows = |text: &str| -> Vec<String> {
        (text.lines().filter(|l| l.starts_with("| HX")))
            .map(str::to_string)
            .collect()
    };
    let programs = refused_programs();
    let mut wrong = Vec::new();
    for code in rows(codes).iter().map(|row| cell(row, 1)) {
        let code = code.split(' ').next().unwrap_or_default().to_string();
        let Some(row) = rows(audit).into_iter().find(|row| cell(row, 1) == code) else {
            wrong.push(format!("{code} is not in the audit"));
            continue;
        };
        let of_code = || programs.iter().filter(|p| code_of(p) == Some(&code));
        let commands = COMMANDS.iter().filter(|c| c.0 == code).count();
        let n = of_code().count() + commands;
        let rewritten = |p: &&Program| p.fix.is_some() || !p.instead.is_empty();
        let fixed = of_code().filter(rewritten).count() + commands;
        let counted = (cell(&row, 2), cell(&row, 3));
        if n > 0 && counted != (n.to_string(), fixed.to_string()) {
            wrong.push(format!(
                "{code}: {n} cases and {fixed} rewrites, the page has {counted:?}"
            ));
        }
    }
    common::assert_none(
        "the audit in docs/diagnostics.md is not that of the tests",
        &wrong,
    );
}

/// Every snapshot of the testsuite belongs to a program.
#[test]
fn no_stray_snapshots() {
    let folder = common::root().join("tests/snapshots");
    for entry in std::fs::read_dir(folder).expect("snapshots").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(name) = name
            .strip_prefix("errors_")
            .and_then(|n| n.strip_suffix(".snap"))
        else {
            continue;
        };
        let source = testsuite().join(format!("errors/{name}.c"));
        assert!(
            source.is_file(),
            "tests/snapshots/errors_{name}.snap has no program"
        );
    }
}

/// Runs hexcc in testsuite/ with the words of `line`.
fn misuse(name: &str, line: &str, adjust: impl FnOnce(&mut Command)) {
    let mut command = hexcc();
    command
        .current_dir(testsuite())
        .args(line.split_whitespace());
    adjust(&mut command);
    let out = output(&mut command).expect("hexcc starts");
    let stderr = refused(line, &out);
    snapshot(&format!("cli_{name}"), &format!("$ hexcc {line}\n{stderr}"));
}

fn nothing(_: &mut Command) {}

#[test]
fn input_that_cannot_be_read() {
    misuse("missing_file", "nowhere.c", nothing);
    misuse("missing_saved_scop", "nowhere.json", nothing);
    misuse("directory_as_file", "errors", nothing);
    let folder = tempfile::tempdir().expect("a temporary directory");
    let bad = |name: &str, text: &[u8]| {
        std::fs::write(folder.path().join(name), text)
            .expect("a temporary directory can be written");
    };
    bad("bad.json", b"{ \"version\": \"one\" }");
    bad("empty.json", b"");
    bad("old.json", br#"{"version":0}"#);
    bad("latin1.c", b"/* \xe9 */ int x;\n");
    for (name, file) in [
        ("bad_json", "bad.json"),
        ("empty_json", "empty.json"),
        ("old_json", "old.json"),
        ("latin1", "latin1.c"),
    ] {
        misuse(name, file, |c| {
            c.current_dir(folder.path());
        });
    }
}

#[test]
fn options_with_bad_values() {
    misuse("unknown_option", "jacobi2d.c --frobnicate", nothing);
    misuse("bad_memory", "jacobi2d.c --memory=texture", nothing);
    misuse("bad_tile", "jacobi2d.c --tile=8x8", nothing);
    misuse("bad_tile_number", "jacobi2d.c --tile=h=two,w=3:16", nothing);
    misuse("bad_emit", "jacobi2d.c --emit=ptx", nothing);
    misuse("bad_threads", "jacobi2d.c --threads=4096", nothing);
    misuse("missing_function", "jacobi2d.c --function=heat", nothing);
}

#[test]
fn options_without_effect() {
    misuse(
        "rows_one_dimension",
        "jacobi1d.c --rows-per-thread 2",
        nothing,
    );
    for (name, line) in [
        ("copy_out_global", "--memory global --copy-out interleaved"),
        ("aligned_global", "--memory global --aligned-loads off"),
        ("reuse_global", "--memory global --reuse none"),
        ("unroll_global", "--memory global --unroll on"),
        ("reuse_guarded", "--full-tiles off --reuse dynamic"),
        ("separate_guarded", "--full-tiles off --copy-out separate"),
        ("live_guarded", "--full-tiles off --copy-out live"),
        ("rows_overlapped", "--tiling overlapped --rows-per-thread 2"),
        ("rows_too_many", "--tile h=3,w=4:64 --rows-per-thread 12"),
        (
            "rows_too_few",
            "--tile h=3,w=4:64 --rows-per-thread 1 --threads 128",
        ),
        ("rows_without_tile", "--rows-per-thread 400"),
        ("kernel_openmp", "--target openmp --emit kernel"),
        ("overlapped_openmp", "--target openmp --tiling overlapped"),
        ("reuse_openmp", "--target openmp --reuse none"),
        ("cuda_opencl", "--target opencl --emit cuda"),
        ("reuse_opencl", "--target opencl --reuse none"),
    ] {
        misuse(name, &format!("jacobi2d.c {line}"), nothing);
    }
}

#[test]
fn sizes_that_do_not_fit() {
    misuse(
        "tile_below_minimum",
        "jacobi1d_5pt.c --tile=h=1,w=0",
        nothing,
    );
    misuse("tile_negative", "jacobi2d.c --tile=h=-1,w=2:8", nothing);
    misuse("tile_zero_width", "jacobi2d.c --tile=h=1,w=2:0", nothing);
    misuse("tile_widths_missing", "jacobi2d.c --tile=h=1,w=2", nothing);
    misuse(
        "tile_widths_too_many",
        "jacobi2d.c --tile=h=1,w=2:8:8",
        nothing,
    );
    misuse(
        "tile_height_not_multiple",
        "fdtd2d.c --tile=h=4,w=2:8",
        nothing,
    );
    misuse(
        "tile_too_large",
        "jacobi2d.c --tile=h=15,w=512:1024",
        nothing,
    );
    misuse(
        "tile_huge",
        "jacobi2d.c --tile=h=1,w=2:4611686018427387904",
        nothing,
    );
    misuse(
        "tile_huge_h",
        "jacobi2d.c --tile=h=4611686018427387904,w=2:8",
        nothing,
    );
    misuse("no_tile_fits", "heat3d.c --shared-memory=64", nothing);
    misuse("hex_dim", "jacobi2d.c --hex-dim=7", nothing);
    misuse(
        "wavefront_along_hexagons",
        "jacobi2d.c --wavefront=0",
        nothing,
    );
    misuse("wavefront_missing", "jacobi2d.c --wavefront=5", nothing);
    misuse("wavefront_bad", "jacobi2d.c --wavefront=maybe", nothing);
    misuse("isl_quota", "heat3d.c --isl-quota=1000", nothing);
}

#[test]
fn gpus_and_sizes_to_choose_for() {
    misuse("gpu_unknown", "jacobi2d.c --gpu=voodoo", nothing);
    misuse(
        "gpu_table_missing",
        "jacobi2d.c --gpu-table=nowhere.toml",
        nothing,
    );
    misuse(
        "gpu_table_bad",
        "jacobi2d.c --gpu-table=jacobi2d.c --gpu=h100",
        nothing,
    );
    misuse("set_unknown", "jacobi2d.c --set=N=64,M=3", nothing);
    misuse("set_malformed", "jacobi2d.c --set=N", nothing);
    misuse(
        "tile_exceeds_gpu",
        "jacobi2d.c --gpu=rtx4090 --tile=h=7,w=8:512",
        nothing,
    );
}

#[test]
fn output_that_cannot_be_written() {
    misuse(
        "output_directory_missing",
        "jacobi2d.c -o /nonexistent/out.cu",
        nothing,
    );
    misuse("output_is_directory", "jacobi2d.c -o errors", nothing);
    misuse("output_not_writable", "jacobi2d.c -o /proc/out.cu", nothing);
}

#[test]
fn pet_that_is_missing_or_broken() {
    misuse("pet_missing", "jacobi2d.c", |c| {
        c.env("HEXCC_PET_LIB", "/nonexistent/libpet.so");
    });
    misuse("pet_not_a_library", "jacobi2d.c", |c| {
        c.env("HEXCC_PET_LIB", "/etc/passwd");
    });
}

#[test]
fn programs_that_cannot_be_compared() {
    misuse("run_no_compiler", "run jacobi2d.c --emulate", |c| {
        c.env("CC", "no-such-cc");
    });
    misuse("run_compiler_fails", "run jacobi2d.c --emulate", |c| {
        c.env("CC", "false");
    });
    misuse(
        "run_program_fails",
        "run jacobi2d.c --emulate --keep /proc/hexcc",
        nothing,
    );
    misuse(
        "run_refused",
        "run errors/notinjective1d.c --emulate",
        nothing,
    );
    misuse(
        "run_gpu_and_emulate",
        "run jacobi2d.c --gpu --emulate",
        nothing,
    );
}

#[test]
fn warnings_do_not_stop_a_translation() {
    let mut command = hexcc();
    command
        .current_dir(testsuite())
        .args(["twofunctions.c", "-o", "/dev/null"]);
    let out = output(&mut command).expect("hexcc starts");
    assert!(out.status.success());
    snapshot(
        "warning_several_scops",
        &String::from_utf8_lossy(&out.stderr),
    );
    let gone: &Path = Path::new("testsuite/out.cu");
    assert!(!gone.exists());
}

/// On a machine without a GPU, or with the GPUs hidden.
#[test]
fn tuning_without_a_gpu() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (line, wanted) in [
        ("tune jacobi2d.c", "`--stream-tile steps="),
        ("tune redblack2d.c", "`--tile h="),
        ("bench jacobi2d.c heat2d.c", "error[HX0601]"),
    ] {
        let mut words = line.split_whitespace();
        let mut command = hexcc();
        command.arg(words.next().unwrap_or_default());
        command.args(words.map(|name| testsuite().join(name)));
        command
            .current_dir(folder.path())
            .env("CUDA_VISIBLE_DEVICES", "-1");
        let stderr = refused(line, &output(&mut command).expect("hexcc starts"));
        assert!(stderr.contains("error[HX0601]"), "{line}: {stderr}");
        assert!(stderr.contains(wanted), "{line}: {stderr}");
        let left = std::fs::read_dir(folder.path()).expect("it exists").count();
        assert_eq!(left, 0, "{line}: wrote a file");
    }
}

#[test]
fn tuning_with_bad_options() {
    misuse("tune_bad_size", "tune jacobi2d.c --set=N", nothing);
    misuse("tune_bad_budget", "tune jacobi2d.c --budget=soon", nothing);
    misuse("tune_missing_file", "tune nowhere.c", nothing);
}
