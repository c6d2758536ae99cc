//! Random whole programs in the forms that real programs have, through the command, the emulation
//! and, some of them, nvcc. `hexcc-fuzz --whole N` does more.

mod common;

use common::{root, say};
use hexcc_fuzz::forms::{self, Plan};
use hexcc_fuzz::planes;
use std::path::Path;
use std::process::Command;

fn has_nvcc() -> bool {
    let version = Command::new(root().join("scripts/nvcc"))
        .arg("--version")
        .output();
    version.is_ok_and(|out| out.status.success())
}

/// Programs without anything that only some runs want.
fn plan(programs: u64, nvcc: u64) -> Plan {
    Plan {
        hexcc: Path::new(env!("CARGO_BIN_EXE_hexcc")).to_path_buf(),
        seed: 7,
        first: 0,
        programs,
        jobs: std::thread::available_parallelism().map_or(2, usize::from),
        nvcc,
        sanitize: 0,
        filter: Default::default(),
        shrink: 0,
        out: None,
        alike: 0,
        for_gpu: None,
    }
}

/// Fails with the first of each kind of failure.
fn assert_no_failures(what: &str, report: &forms::Report) {
    let failures: Vec<String> = (report.failures.values())
        .map(|(n, first)| format!("{n} times: {first}"))
        .collect();
    common::assert_none(what, &failures);
}

/// `hexcc-fuzz --names N` does more.
#[test]
fn names_that_collide_mean_what_c_says() {
    let report = forms::run_names(&plan(24, 0));
    say(format!(
        "{} programs with names that collide equal, refused: {:?}",
        report.equal, report.refused
    ));
    assert_no_failures("programs with names that collide fail", &report);
    assert!(report.equal >= 20, "{} equal", report.equal);
}

/// `hexcc-fuzz --planes N` does more.
#[test]
fn planes_that_move_do_what_c_does() {
    let report = forms::run_planes(&plan(18, 0), planes::moving, planes::tiling);
    say(format!(
        "{} programs whose planes move equal, {} tiled, refused: {:?}",
        report.equal, report.tiled, report.refused
    ));
    assert_no_failures("programs whose planes move fail", &report);
    assert!(report.tiled >= 15, "{} tiled", report.tiled);
}

/// `hexcc-fuzz --converging N` does more.
#[test]
fn loops_that_converge_do_what_c_does() {
    let report = forms::run_planes(&plan(18, 0), planes::converging, |_| None);
    say(format!(
        "{} programs that converge equal, {} tiled, refused: {:?}",
        report.equal, report.tiled, report.refused
    ));
    assert_no_failures("programs that converge fail", &report);
    assert!(report.tiled >= 8, "{} tiled", report.tiled);
}

#[test]
fn whole_programs_do_what_c_does() {
    let nvcc = has_nvcc();
    if !nvcc {
        say("nvcc: skipped for random programs, there is no nvcc here");
    }
    let report = forms::run(&plan(50, if nvcc { 2 } else { 0 }));
    say(format!(
        "{} whole programs equal in {} runs, {} compiled by nvcc, refused: {:?}",
        report.equal, report.runs, report.nvcc, report.refused
    ));
    assert_no_failures("whole programs fail", &report);
    assert!(
        !nvcc || report.nvcc >= 15,
        "{} compiled by nvcc",
        report.nvcc
    );
}
