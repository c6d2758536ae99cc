//! Programs that run their own loops where kernels cannot run: `--fallback`, in the emulation.

mod common;

use common::{Program, assert_none, hexcc, in_parallel, output, root, succeed};
use std::path::Path;
use std::process::{Command, Stdio};

/// Programs of the testsuite, of every kind of text: tiles of each form, single steps, nests, with
/// rows, structs, values that are left in variables, and other sizes than expected.
const PROGRAMS: [&str; 13] = [
    "jacobi2d",
    "fdtd2d",
    "heat3d",
    "folded1d",
    "rowtiles2d",
    "overlap1d",
    "steps/overlap2d",
    "steps/pitch2d",
    "steps/rows2d",
    "steps/rowmembers2d",
    "steps/cells2d",
    "steps/plate2d",
    "steps/triangle2d",
];

/// What the emulated machine lacks, and what the program says of it.
const LACKS: [(&str, &str, &str); 3] = [
    ("HEXCC_EMU_NO_DEVICE", "1", "no CUDA-capable device"),
    ("HEXCC_EMU_FAIL_MALLOC", "1", "out of memory"),
    ("HEXCC_EMU_FAIL_MALLOC", "2", "out of memory"),
];

const LOOPS_RUN: &str = "; the program's own loops run";

#[test]
fn loops_of_the_program_run_where_kernels_cannot() {
    let folder = common::scratch("fallback");
    let folder = tempfile::tempdir_in(folder).expect("the build directory can be written");
    let all = [common::programs(), common::stepwise_programs()].concat();
    let wanted = |p: &&Program| {
        PROGRAMS
            .iter()
            .any(|name| p.path.ends_with(format!("{name}.c")))
    };
    let all: Vec<&Program> = all.iter().filter(wanted).collect();
    assert_eq!(all.len(), PROGRAMS.len());
    let results = in_parallel(&all, |program| check(program, folder.path()));
    let failures: Vec<String> = (all.iter().zip(results))
        .filter_map(|(program, result)| Some(format!("{}: {}", program.name, result.err()?)))
        .collect();
    assert_none("programs do not do what C does", &failures);
}

fn check(program: &Program, folder: &Path) -> Result<(), String> {
    let path = |suffix: &str| folder.join(format!("{}{suffix}", program.name));
    let (text, found, expected) = (path(".cu"), path("-cuda"), path("-c"));
    let mut command = hexcc();
    command.arg(&program.path).args(["--fallback", "-o"]);
    let given = program.flags.iter().filter(|flag| *flag != "--fallback");
    succeed(command.arg(&text).args(given))?;
    let mut emucc = Command::new(root().join("scripts/emucc"));
    succeed(emucc.args(["-O1", "-w"]).arg(&text).arg("-o").arg(&found))?;
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-ffp-contract=off", "-std=gnu11", "-w"]);
    succeed(cc.arg(&program.path).arg("-o").arg(&expected).arg("-lm"))?;
    let mut told = 0;
    for args in &program.runs {
        let run = |program: &Path, lacks: Option<(&str, &str)>| {
            let mut command = Command::new(program);
            command
                .args(args.iter().map(i64::to_string))
                .stdin(Stdio::null());
            command.env("HEXCC_EMU_LEAKS", "1").envs(lacks);
            output(&mut command)
        };
        let expected = run(&expected, None)?;
        for (variable, value, says) in LACKS {
            let found = run(&found, Some((variable, value)))?;
            let what = format!("{variable}={value} {args:?}");
            let stderr = String::from_utf8_lossy(&found.stderr);
            if found.status != expected.status || found.stdout != expected.stdout {
                return Err(format!("{what}: {}: {stderr}", found.status));
            }
            if stderr.lines().any(|line| !line.ends_with(LOOPS_RUN)) {
                return Err(format!("{what}: {stderr}"));
            }
            told += usize::from(stderr.contains(says));
        }
    }
    match told {
        0 => Err("no machine lacks anything".to_string()),
        _ => Ok(()),
    }
}

/// A function that is given two places of one array: the program has its own loops without being asked, and they run.
#[test]
fn places_of_one_array() {
    let said = said_by("places", &[&[]]).remove(0);
    assert!(
        said.contains("share memory") && said.contains(LOOPS_RUN),
        "{said}"
    );
}

/// Rows of constant length, and columns that are all in their row for most sizes: for others the loops run.
#[test]
fn columns_of_constant_rows() {
    let runs: [&[&str]; 3] = [&["100", "150"], &["256", "200"], &["300", "100"]];
    let said = said_by("width", &runs);
    assert!(said.iter().all(String::is_empty), "{said:?}");
}

/// What a program of `tests/data` says on standard error for some arguments, translated by default and in the emulation, where
/// its results are those of C.
fn said_by(name: &str, runs: &[&[&str]]) -> Vec<String> {
    let folder = common::scratch(name);
    let folder = tempfile::tempdir_in(folder).expect("the build directory can be written");
    let path = |suffix: &str| folder.path().join(format!("{name}{suffix}"));
    let (text, found, expected) = (path(".cu"), path("-cuda"), path("-c"));
    let source = root().join(format!("tests/data/{name}.c"));
    let mut emucc = Command::new(root().join("scripts/emucc"));
    let mut cc = Command::new("cc");
    succeed(hexcc().arg(&source).arg("-o").arg(&text)).expect("it translates");
    emucc.args(["-O1", "-w"]).arg(&text).arg("-o").arg(&found);
    succeed(&mut emucc).expect("it compiles");
    cc.args(["-O2", "-ffp-contract=off", "-w"]).arg(&source);
    succeed(cc.arg("-o").arg(&expected)).expect("the C program compiles");
    let run = |args: &&[&str]| {
        let expected = output(Command::new(&expected).args(*args)).expect("it runs");
        let mut found = Command::new(&found);
        let found = output(found.args(*args).env("HEXCC_RUN_ON", "gpu")).expect("it runs");
        assert!(found.status.success(), "{name} {args:?}");
        assert_eq!(found.stdout, expected.stdout, "{name} {args:?}");
        String::from_utf8_lossy(&found.stderr).into_owned()
    };
    runs.iter().map(run).collect()
}
