//! Domains that several GPUs share, in the emulation: the testsuite on one to four devices, against C.

#![allow(clippy::unwrap_used)]

mod common;

use common::emulated::{Bench, References, check_devices};
use common::ledger::{self, Ledger};
use common::{Program, assert_none, hexcc, in_parallel, succeed};
use std::fs;
use std::path::Path;

/// Programs that cannot be split: sweeps in place, sums, rings, structs, several loops, steps with work of the host.
const REFUSED: &[&str] = &[
    "adi2d",
    "alignment2d",
    "alone3d",
    "between2d",
    "calledloops1d",
    "carried1d",
    "cells2d",
    "cholesky2d",
    "coarse2d",
    "columnsums2d",
    "contract4d",
    "counters2d",
    "covariance2d",
    "descending2d",
    "escape2d",
    "flatlattice2d",
    "floyd2d",
    "fourcolours2d",
    "ghost2d",
    "innersweeps2d",
    "integers1d",
    "integral2d",
    "lastvalue2d",
    "lattice2d",
    "lines2d",
    "lu2d",
    "matmul2d",
    "median2d",
    "mirror3d",
    "multigrid2d",
    "neighbours2d",
    "outertemp2d",
    "overrelaxed3d",
    "particles2d",
    "power2d",
    "pre_post",
    "pressure3d",
    "reductions2d",
    "relax3d",
    "ring1d",
    "rotations2d",
    "rowsums2d",
    "rowvolume3d",
    "seidel1d",
    "seidel5points2d",
    "seidelbox2d",
    "sweep3d",
    "tall2d",
    "thirds1d",
    "thomas2d",
    "torus2d",
    "toruscopies2d",
    "transposed2d",
    "unmarked1d",
    "untouched1d",
];

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
    let failures = in_parallel(&numbered, |(n, program)| {
        let name = program
            .path
            .file_stem()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        if SLOW.contains(&name.as_str()) {
            return Ok(());
        }
        let is_refused = REFUSED.contains(&name.as_str());
        let c = work.path().join(format!("{n}.c"));
        let texts = match (translate(program, &c), is_refused) {
            (Ok(texts), false) => texts,
            (Ok(_), true) => return Err(format!("{name} is no longer refused")),
            (Err(e), true) if e.starts_with("exit status: 1") => return Ok(()),
            (Err(e), _) => return Err(format!("{name}: {e}")),
        };
        let verdict = check_devices(&bench, &ledger, program, (&texts.0, &texts.1), &references);
        verdict.map_err(|e| format!("{name}: {e}"))
    });
    let failures: Vec<String> = failures.into_iter().filter_map(Result::err).collect();
    ledger::close(ledger);
    assert_none("programs on several devices", &failures);
}
