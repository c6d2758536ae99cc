//! Domains that several GPUs share, in the emulation: the testsuite on one to four devices, against C.

#![allow(clippy::unwrap_used)]

mod common;

use common::emulated::{Bench, References, check_devices};
use common::ledger::{self, Ledger};
use common::{Program, assert_none, hexcc, in_parallel, succeed};
use std::fs;
use std::path::Path;

/// Programs whose translation takes too long.
const SLOW: &[&str] = &["sources2d"];

/// A translation for all GPUs, and the C to compare with.
fn translate(program: &Program, c: &Path) -> Result<(String, String), String> {
    let mut command = hexcc();
    command.args(["--gpus", "all", "--instrument"]);
    command.arg(&program.path).args(&program.flags);
    command.arg("--reference").arg(c);
    let text = succeed(&mut command)?;
    Ok((text, fs::read_to_string(c).map_err(|e| e.to_string())?))
}

#[test]
fn programs_equal_c_on_several_devices() {
    let programs = [common::programs(), common::stepwise_programs()].concat();
    let (bench, references) = (Bench::new(), References::default());
    let ledger = Ledger::open("slabs", "HEXCC_E2E_ALL");
    let work = tempfile::tempdir_in(common::scratch("e2e")).unwrap();
    let numbered: Vec<(usize, &Program)> = programs.iter().enumerate().collect();
    let outcomes = in_parallel(&numbered, |(n, program)| {
        let stem = program.path.file_stem().unwrap_or_default();
        let name = stem.to_string_lossy().into_owned();
        if SLOW.contains(&name.as_str()) {
            return Ok(None);
        }
        let c = work.path().join(format!("{n}.c"));
        let texts = match translate(program, &c) {
            Ok(texts) => texts,
            Err(e) if e.starts_with("exit status: 1") => return Ok(Some(refusal(&name, &e))),
            Err(e) => return Err(format!("{name}: {e}")),
        };
        let verdict = check_devices(&bench, &ledger, program, (&texts.0, &texts.1), &references);
        verdict.map(|()| None).map_err(|e| format!("{name}: {e}"))
    });
    ledger::close(ledger);
    let (passed, failures): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    let failures: Vec<String> = failures.into_iter().filter_map(Result::err).collect();
    assert_none("programs on several devices", &failures);
    if std::env::var_os("HEXCC_E2E").is_none() {
        let mut refused: Vec<String> = passed.into_iter().filter_map(Result::unwrap).collect();
        refused.sort();
        insta::assert_snapshot!("refused", refused.join("\n"));
    }
}

/// A program that cannot be split, and why.
fn refusal(name: &str, message: &str) -> String {
    let cause = message.lines().find_map(|l| l.split_once("error["));
    let first = || message.lines().next().unwrap_or_default();
    format!("{name}: {}", cause.map_or_else(first, |(_, cause)| cause))
}
