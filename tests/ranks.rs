//! Domains that ranks of MPI share (`--gpus mpi`), in the emulation: one to four ranks under `mpirun`, against C.
//!
//! NCCL's calls travel by MPI (crates/compiler/runtime/emu_mpi). Of the programs that several GPUs can share every
//! fourth runs, with HEXCC_RANKS_ALL=1 all.

#![allow(clippy::unwrap_used)]

mod common;

use common::ledger::{self, Ledger};
use common::{Program, assert_none, hexcc, in_parallel, output, root, succeed};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds a translation for the emulation; `flags` are those of [`flags`].
fn build(cu: &Path, built: &Path, flags: &[String]) -> Result<(), String> {
    let mut command = Command::new(root().join("scripts/emucc"));
    command.args(["-O1", "-w"]).arg(cu).arg("-o").arg(built);
    succeed(command.args(flags)).map(drop)
}

/// What mpicxx says of how it compiles and links; `None` without Open MPI.
fn flags() -> Option<Vec<String>> {
    let mut all = vec![format!(
        "-I{}",
        root().join("crates/compiler/runtime/emu_mpi").display()
    )];
    for what in ["--showme:compile", "--showme:link"] {
        let out = Command::new("mpicxx").arg(what).output().ok()?;
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        all.extend(text.split_whitespace().map(str::to_string));
        if !out.status.success() {
            return None;
        }
    }
    Some(all)
}

/// What a run printed, and the arrays that it dumped.
fn run(command: &mut Command, dump: &Path) -> Result<(Vec<u8>, Vec<u8>), String> {
    command.env("HEXCC_DUMP", dump).env_remove("HEXCC_TIME");
    let out = output(command.stdin(Stdio::null()))?;
    let dumped = fs::read(dump).unwrap_or_default();
    let _ = fs::remove_file(dump);
    match out.status.success() {
        true => Ok((out.stdout, dumped)),
        false => Err(format!(
            "{}: {}",
            out.status,
            String::from_utf8_lossy(&out.stderr)
        )),
    }
}

/// `program` with arguments, by so many ranks.
fn on_ranks(program: &Path, args: &[String], ranks: usize) -> Command {
    let mut command = Command::new("timeout");
    command.args([
        "300",
        "mpirun",
        "--allow-run-as-root",
        "--oversubscribe",
        "-np",
    ]);
    command.arg(ranks.to_string()).arg(program).args(args);
    // Several mpirun at once would make the same folder.
    let folder = program.with_extension("mpi");
    fs::create_dir_all(&folder).expect("the folder can be made");
    command.env("OMPI_MCA_orte_tmpdir_base", folder);
    command.env("HEXCC_EMU_DEVICES", ranks.to_string());
    command
}

/// A program as C and as CUDA, in `place`; `None` where GPUs cannot share it.
fn translate(program: &Program, place: &Path) -> Result<Option<[PathBuf; 2]>, String> {
    let [c, cu] = ["c", "cu"].map(|suffix| place.with_extension(suffix));
    let mut command = hexcc();
    command
        .args(["--gpus", "mpi", "--instrument"])
        .arg(&program.path);
    command
        .args(&program.flags)
        .arg("--reference")
        .arg(&c)
        .arg("-o")
        .arg(&cu);
    let out = output(&mut command)?;
    match out.status.code() {
        Some(0) => Ok(Some([c, cu])),
        Some(1) => Ok(None),
        _ => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
    }
}

fn check(program: &Program, [c, cu]: &[PathBuf; 2], flags: &[String]) -> Result<(), String> {
    let [reference, built] = ["ref", "built"].map(|suffix| c.with_extension(suffix));
    let mut command = Command::new("cc");
    command
        .args(["-O1", "-ffp-contract=off", "-std=gnu11", "-w"])
        .arg(c);
    succeed(command.arg("-o").arg(&reference).arg("-lm"))?;
    build(cu, &built, flags)?;
    let dump = c.with_extension("dump");
    for args in &program.runs {
        let args: Vec<String> = args.iter().map(i64::to_string).collect();
        let expected = run(Command::new(&reference).args(&args), &dump)?;
        for ranks in 1..=4 {
            let found = run(&mut on_ranks(&built, &args, ranks), &dump);
            let found = found.map_err(|e| format!("{args:?} by {ranks} ranks: {e}"))?;
            if found != expected {
                return Err(format!("{args:?} by {ranks} ranks: other results than C's"));
            }
        }
    }
    Ok(())
}

#[test]
fn programs_equal_c_on_several_ranks() {
    let Some(flags) = flags() else {
        common::say(
            "ranks: skipped, there is no mpicxx here; `scripts/setup --mpi` installs Open MPI",
        );
        return;
    };
    let is_all = ["HEXCC_RANKS_ALL", "HEXCC_E2E"]
        .iter()
        .any(|v| std::env::var_os(v).is_some());
    let every = if is_all { 1 } else { 4 };
    let mut programs = [common::programs(), common::stepwise_programs()].concat();
    programs.retain(|program| program.ulps == 0);
    let programs: Vec<&Program> = programs.iter().step_by(every).collect();
    let ledger = Ledger::open("ranks", "HEXCC_RANKS_ALL");
    let work = tempfile::tempdir_in(common::scratch("ranks")).unwrap();
    let numbered: Vec<(usize, &Program)> = programs.into_iter().enumerate().collect();
    let failures = in_parallel(&numbered, |(n, program)| {
        let checked = translate(program, &work.path().join(n.to_string())).and_then(|texts| {
            let Some(texts) = texts else {
                return Ok(());
            };
            let [c, cu] = [0, 1].map(|i| fs::read_to_string(&texts[i]).unwrap_or_default());
            let nccl = include_str!("../crates/compiler/runtime/emu_mpi/nccl.h");
            let inputs = [
                include_str!("ranks.rs"),
                nccl,
                &cu,
                &c,
                &format!("{:?}", program.runs),
            ];
            ledger.verify(&inputs, || check(program, &texts, &flags))
        });
        checked.map_err(|e| format!("{}: {e}", program.name))
    });
    ledger::close(ledger);
    let failures: Vec<String> = failures.into_iter().filter_map(Result::err).collect();
    assert_none("programs on several ranks", &failures);
}

/// A rank that fails ends all of them, with a message and a status that is not 0.
#[test]
fn a_failure_ends_all_ranks() {
    let Some(flags) = flags() else {
        return;
    };
    let work = tempfile::tempdir_in(common::scratch("ranks")).unwrap();
    let programs = common::programs();
    let program = programs
        .iter()
        .find(|p| p.name == "jacobi2d")
        .expect("it is there");
    let texts = translate(program, &work.path().join("program"))
        .unwrap()
        .unwrap();
    let built = work.path().join("built");
    build(&texts[1], &built, &flags).unwrap();
    let longest = program
        .runs
        .iter()
        .max_by_key(|run| run.iter().sum::<i64>());
    let args: Vec<String> = longest.unwrap().iter().map(i64::to_string).collect();
    let failing = |variable: &str, value: &str, says: &str| {
        let mut command = on_ranks(&built, &args, 2);
        let out = output(command.env(variable, value).stdin(Stdio::null())).unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(
            !out.status.success() && out.status.code() != Some(124),
            "{variable}: {said}"
        );
        assert!(said.contains(says), "{variable}: {said}");
    };
    failing("HEXCC_EMU_DEVICES", "1", "more ranks than GPUs");
    failing("HEXCC_EMU_FAIL_MALLOC", "1", "out of memory");
    failing("HEXCC_EMU_FAIL_LAUNCH", "1", "launching the kernels");
}

/// A program that uses MPI itself, with kernels from `--emit kernel`: examples/mpi.
#[test]
fn kernels_run_on_the_ranks_of_a_program_that_uses_mpi() {
    let Some(mut flags) = flags() else {
        return;
    };
    let work = tempfile::tempdir_in(common::scratch("ranks")).unwrap();
    let example = root().join("examples/mpi");
    let mut command = hexcc();
    command.args(["--emit", "kernel", "--gpus", "mpi"]);
    command.arg(example.join("heat.c"));
    succeed(command.arg("-o").arg(work.path().join("heat.cuh"))).unwrap();
    flags.push(format!("-I{}", work.path().display()));
    let built = work.path().join("heat");
    build(&example.join("main.cu"), &built, &flags).unwrap();
    for ranks in 1..=4 {
        let args = ["200", "61"].map(str::to_string);
        let out = output(&mut on_ranks(&built, &args, ranks)).unwrap();
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        assert_eq!(said, format!("{ranks} ranks: as by loops\n"), "{out:?}");
    }
}
