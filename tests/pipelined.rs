//! Warps that work together, as a pipeline in time or on a patch: programs against C in the emulation, in three orders of threads
//! and blocks.

#![allow(clippy::unwrap_used)]

mod common;

use common::{in_parallel, output, root};
use std::process::Command;

/// A program, sizes of its tiles, and its arguments: with more tiles than one along both dimensions, and a
/// number of steps that no number of launches has. Between them they have one and two levels a warp, rows one by
/// one and in groups, one field and two, one time buffer and three, and statements of all reaches.
const RUNS: &[(&str, &str, &str)] = &[
    (
        "jacobi2d",
        "steps=8,vector=4,warps=4,rows=3,ahead=2",
        "370 29",
    ),
    (
        "heat2d",
        "steps=4,vector=8,warps=2,rows=1,ahead=4",
        "520 23",
    ),
    (
        "star2d3r",
        "steps=4,vector=4,warps=4,rows=7,ahead=2",
        "420 15",
    ),
    (
        "box2d2r",
        "steps=6,vector=4,warps=3,rows=2,ahead=1",
        "300 19",
    ),
    (
        "wave2d",
        "steps=8,vector=4,warps=4,rows=1,ahead=4",
        "310 29",
    ),
    (
        "twostmts2d",
        "steps=4,vector=4,warps=4,rows=2,ahead=2",
        "310 13",
    ),
    // Updates of single cells.
    (
        "steps/pulse2d",
        "steps=8,vector=4,warps=4,rows=3,ahead=2",
        "370 29",
    ),
    (
        "steps/kernelnames2d",
        "steps=4,vector=4,warps=4,rows=1,ahead=2",
        "300 19",
    ),
    (
        "quotients2d",
        "steps=6,vector=4,warps=6,rows=1,ahead=3",
        "310 20",
    ),
];

/// The same of patches. Between them they have domains of one patch and of many, patches whose warps have no fewer rows than others
/// need and just as many, one step in all, two, and numbers that no share of launches has, and one plane a field and two.
const PATCHES: &[(&str, &str, &str)] = &[
    (
        "jacobi2d",
        "steps=6,vector=4,rows=5,warps=4,blocks=2",
        "370 29",
    ),
    ("jacobi2d", "steps=6,vector=4,rows=5,warps=4", "9 1"),
    ("jacobi2d", "steps=6,vector=8,rows=3,warps=8", "61 2"),
    ("heat2d", "steps=4,vector=8,rows=6,warps=2", "520 23"),
    ("star2d3r", "steps=4,vector=4,rows=7,warps=4", "420 15"),
    ("star2d3r", "steps=3,vector=4,rows=3,warps=8", "150 8"),
    ("box2d2r", "steps=6,vector=4,rows=9,warps=3", "300 19"),
    ("box2d2r", "steps=2,vector=4,rows=2,warps=8", "100 6"),
    ("wave2d", "steps=8,vector=4,rows=5,warps=4", "310 29"),
    ("wave2d", "steps=2,vector=4,rows=3,warps=4", "100 8"),
    ("twostmts2d", "steps=4,vector=4,rows=4,warps=4", "310 13"),
    ("steps/pulse2d", "steps=8,vector=4,rows=5,warps=4", "370 29"),
    ("quotients2d", "steps=6,vector=4,rows=4,warps=6", "310 20"),
    (
        "steps/kernelnames2d",
        "steps=4,vector=4,rows=4,warps=4",
        "300 19",
    ),
    ("macroloops2d", "steps=2,vector=4,rows=2,warps=8", "20 7"),
];

fn hexcc(arguments: &str, files: &[&str]) -> Command {
    let mut hexcc = Command::new(env!("CARGO_BIN_EXE_hexcc"));
    hexcc.current_dir(root());
    hexcc.args(arguments.split(' ')).args(files);
    hexcc
}

fn check(
    kernel: &str,
    (name, tile, arguments): &(&str, &str, &str),
    seed: &str,
) -> Result<(), String> {
    let file = format!("testsuite/{name}.c");
    let options = format!("--kernel {kernel} --stream-tile {tile}");
    let text = output(&mut hexcc(
        &format!("{options} --emit kernel -o -"),
        &[&file],
    ));
    let text = String::from_utf8_lossy(&text.unwrap().stdout).into_owned();
    if !text.contains(&format!("{kernel}<<<")) {
        return Err(format!("{name} {tile}: no such kernel"));
    }
    let mut run = hexcc(&format!("run --emulate {options}"), &[&file]);
    run.env("HEXCC_EMU_SEED", seed).env("HEXCC_EMU_LEAKS", "1");
    run.arg("--").args(arguments.split(' '));
    let done = output(&mut run).unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    match done.status.success() && said.contains("equals the C program bit for bit") {
        true => Ok(()),
        false => Err(format!(
            "{name} {tile} {arguments}: {said}{}",
            String::from_utf8_lossy(&done.stderr)
        )),
    }
}

#[test]
fn programs_equal_c() {
    let seeds = ["0", "1", "7"];
    let both = [("pipelined", RUNS), ("patches", PATCHES)];
    let all = both.map(|(kernel, runs)| runs.iter().map(move |run| (kernel, run)));
    let runs: Vec<_> = (all.into_iter().flatten().zip(seeds.iter().cycle())).collect();
    let wrong: Vec<String> = (in_parallel(&runs, |((kernel, run), seed)| check(kernel, run, seed)))
        .into_iter()
        .filter_map(Result::err)
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_the_kernel_does_not_take_is_said() {
    let cases = [
        ("varcoef2d", "steps=8,vector=8,warps=4", "read only"),
        ("jacobi2d", "steps=7,vector=8,warps=4", "multiple"),
        ("heat3d", "steps=8,vector=8,warps=4", "two space dimensions"),
        ("jacobi2d", "steps=128,vector=4,warps=8", "results"),
    ];
    let of_patches = [
        ("varcoef2d", "steps=4,vector=4,rows=4,warps=8", "read only"),
        ("wave2d", "steps=3,vector=4,rows=4,warps=8", "planes"),
        ("star2d3r", "steps=2,vector=4,rows=2,warps=8", "fewer rows"),
        (
            "heat3d",
            "steps=4,vector=4,rows=4,warps=8",
            "two space dimensions",
        ),
        ("jacobi2d", "steps=16,vector=4,rows=4,warps=8", "results"),
    ];
    let of_patches = of_patches.map(|case| ("patches", case));
    let cases = cases.map(|case| ("pipelined", case));
    for (kernel, (name, tile, why)) in cases.into_iter().chain(of_patches) {
        let file = format!("testsuite/{name}.c");
        let options = format!("--kernel {kernel} --stream-tile {tile} --emit kernel -o -");
        let done = output(&mut hexcc(&options, &[&file])).unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(!done.status.success(), "{name} {tile}");
        assert!(said.contains(why), "{name} {tile}: {said}");
    }
}
