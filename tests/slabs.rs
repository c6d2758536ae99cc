//! Domains that several GPUs share, in the emulation: the testsuite on one to four devices, against C.

#![allow(clippy::unwrap_used)]

mod common;

use common::emulated::{Bench, References, check_devices};
use common::ledger::{self, Ledger};
use common::{Program, assert_none, hexcc, in_parallel, output, succeed};
use std::fs;
use std::path::Path;
use std::process::Command;

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

/// What counts launches and the bytes that travel, and tells of both in the end.
const COUNTS: &str = r#"
#include <atomic>
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>
namespace counts {
static std::atomic<long long> launches{0}, bytes{0};
static const int at_end = atexit([] { fprintf(stderr, "counts %lld %lld\n", launches.load(), bytes.load()); });
}
#define cudaMemcpyPeerAsync(to, to_device, from, from_device, n, stream) \
  (counts::bytes += (long long)(n), (cudaMemcpyPeerAsync)(to, to_device, from, from_device, n, stream))
"#;

/// A text whose launches are counted, but for those that compare planes and fill what lies beside a torus.
fn counting(text: &str) -> String {
    let mut found = COUNTS.to_string();
    let mut rest = text;
    while let Some(at) = rest.find("<<<") {
        let mut depth = 0;
        let mut is_of_name = |c: char| {
            match c {
                '>' => depth += 1,
                '<' => depth -= 1,
                _ => {}
            }
            depth > 0 || c == '<' || c.is_alphanumeric() || c == '_'
        };
        let name = rest[..at].len()
            - rest[..at]
                .chars()
                .rev()
                .take_while(move |&c| is_of_name(c))
                .count();
        found.push_str(&rest[..name]);
        let others = ["compare", "wrap"];
        let is_beside = others.iter().any(|of| rest[name..at].starts_with(of));
        if !is_beside {
            found.push_str("++counts::launches, ");
        }
        found.push_str(&rest[name..at + 3]);
        rest = &rest[at + 3..];
    }
    found + rest
}

/// What `hexcc explain` says of some GPUs: launches and bytes.
fn predicted(path: &Path, flags: &[&str], set: &str, gpus: i64) -> Result<[i64; 2], String> {
    let mut command = hexcc();
    command.args(["explain", "--gpus", &gpus.to_string(), "--set", set]);
    let said = succeed(command.args(flags).arg(path))?;
    let rows = said.lines().skip_while(|l| !l.starts_with("several GPUs"));
    let words = rows.map(|l| l.split_whitespace().collect::<Vec<_>>());
    let row = (words.skip(3)).find(|words| words.first() == Some(&gpus.to_string().as_str()));
    let number = |at: usize| row.as_ref()?.get(at)?.parse().ok();
    let numbers = number(3)
        .zip(number(5))
        .map(|(launches, bytes)| [launches, bytes]);
    numbers.ok_or_else(|| format!("{}: {said}", path.display()))
}

/// Tiles that stream rows and planes, and single steps whose rows come first or not. Of fdtd2d, a launch of each step has
/// one row, which the slab does that has it.
#[test]
fn launches_and_bytes_are_those_that_are_predicted() {
    let programs: [(&str, &[&str], &str, &[i64]); 9] = [
        ("testsuite/jacobi1d.c", &[], "N,T", &[900, 40]),
        ("testsuite/jacobi2d.c", &[], "N,T", &[600, 150]),
        ("testsuite/wave2d.c", &[], "N,T", &[300, 50]),
        (
            "testsuite/fdtd2d.c",
            &["--tiling=stepwise"],
            "NX,NY,T",
            &[70, 90, 9],
        ),
        ("bench/stencils/star3d1r.c", &[], "N,T", &[70, 21]),
        (
            "bench/stencils/star3d1r.c",
            &["--tiling=stepwise"],
            "N,T",
            &[40, 5],
        ),
        ("bench/apps/acoustic3d.c", &[], "N,T", &[60, 6]),
        ("testsuite/steps/torus2d.c", &[], "N,T", &[300, 50]),
        (
            "testsuite/steps/torus3d.c",
            &["--tiling=stepwise"],
            "N,T",
            &[40, 5],
        ),
    ];
    let work = tempfile::tempdir_in(common::scratch("e2e")).unwrap();
    let outcomes = in_parallel(&programs, |(path, flags, names, sizes)| {
        let text = fs::read_to_string(common::root().join(path)).unwrap();
        // Launches of several steps need planes that are equal beside the domain.
        let text = text.replace(
            "A[i] = ((state",
            "A[i] = i >= n / 2 ? A[i - n / 2] : ((state",
        );
        let stem = Path::new(path).file_stem().unwrap_or_default();
        let name = format!("{}{}", stem.display(), flags.concat());
        let path = work.path().join(format!("{name}.c"));
        fs::write(&path, text).unwrap();
        let set: Vec<String> = (names.split(',').zip(*sizes))
            .map(|(name, n)| format!("{name}={n}"))
            .collect();
        let set = set.join(",");
        let mut command = hexcc();
        command.args(["--gpus", "all", "--set", &set]);
        let text = succeed(command.args(*flags).arg(&path))?;
        let (source, program) = (path.with_extension("cu"), path.with_extension("program"));
        fs::write(&source, counting(&text)).unwrap();
        let mut emucc = Command::new(common::root().join("scripts/emucc"));
        succeed(
            emucc
                .args(["-O1", "-w"])
                .arg(&source)
                .arg("-o")
                .arg(&program),
        )?;
        for gpus in [2, 3, 8] {
            let mut run = Command::new(&program);
            run.args(sizes.iter().map(i64::to_string));
            run.env("HEXCC_RUN_ON", "gpu").env("HEXCC_EMU_DEVICES", "3");
            let out = output(run.env("HEXCC_GPUS", gpus.to_string()))?;
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            let counts = said.lines().find_map(|l| l.strip_prefix("counts "));
            let counts: Vec<i64> = (counts.unwrap_or_default().split(' '))
                .filter_map(|n| n.parse().ok())
                .collect();
            let [mut launches, bytes] = predicted(&path, flags, &set, gpus)?;
            if name.starts_with("fdtd2d") {
                launches -= (gpus - 1) * sizes.last().copied().unwrap_or_default();
            }
            if counts != [launches, bytes] {
                return Err(format!(
                    "{name} on {gpus}: {launches} launches and {bytes} bytes predicted, {said}"
                ));
            }
        }
        Ok(())
    });
    let failures: Vec<String> = outcomes.into_iter().filter_map(Result::err).collect();
    assert_none("launches and bytes differ", &failures);
}

/// Programs with memory of their own call kernels of slabs: `--emit kernel --gpus all`, in tiles and in single steps.
#[test]
fn programs_with_memory_of_their_own_have_slabs() {
    let work = tempfile::tempdir_in(common::scratch("slabs")).unwrap();
    let at = |name: &str| work.path().join(name);
    let data = common::root().join("tests/data");
    let all = [
        ("auto", "-DPITCHES", "FIXED"),
        ("stepwise", "-UPITCHES", "FIXED"),
        ("auto", "-DPITCHES", "RING"),
    ];
    for (tiling, pitches, ends) in all {
        let mut cc = Command::new("cc");
        cc.args(["-O1", "-ffp-contract=off", "-c", "-D", ends]);
        cc.arg(data.join("own_slabs.c"));
        succeed(cc.arg("-o").arg(at("loops.o"))).unwrap();
        let mut command = hexcc();
        command.args(["--emit", "kernel", "--gpus", "all", "--tiling", tiling]);
        command.args(["-D", ends]).arg(data.join("own_slabs.c"));
        succeed(command.arg("-o").arg(at("wave.cuh"))).unwrap();
        let mut emucc = Command::new(common::root().join("scripts/emucc"));
        emucc.args(["-O1", "-w", pitches]);
        emucc.arg(format!("-I{}", work.path().display()));
        emucc.arg(data.join("own_slabs.cu")).arg(at("loops.o"));
        succeed(emucc.arg("-o").arg(at("wave"))).unwrap();
        // The emulation has more headers of C than CUDA.
        if tiling == "auto" && common::root().join("vendor/cuda").is_dir() {
            let mut nvcc = Command::new(common::root().join("scripts/nvcc"));
            nvcc.args(["-arch=sm_90", "-c", pitches, "-I"])
                .arg(work.path());
            nvcc.arg(data.join("own_slabs.cu"));
            succeed(nvcc.arg("-o").arg(at("own_slabs.o"))).unwrap();
        }
        for devices in 1..=4 {
            let mut run = Command::new(at("wave"));
            run.args(["40", "7"])
                .env("HEXCC_EMU_DEVICES", devices.to_string());
            let said = succeed(&mut run).unwrap();
            let expected = format!("{devices} slabs, 0 wrong");
            assert_eq!(said.trim(), expected, "{tiling} {ends}");
        }
    }
}
