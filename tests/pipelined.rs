//! Warps as a pipeline in time: programs against C in the emulation, in three orders of threads and blocks.

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
        "quotients2d",
        "steps=6,vector=4,warps=6,rows=1,ahead=3",
        "310 20",
    ),
];

fn hexcc(arguments: &str, files: &[&str]) -> Command {
    let mut hexcc = Command::new(env!("CARGO_BIN_EXE_hexcc"));
    hexcc.current_dir(root());
    hexcc.args(arguments.split(' ')).args(files);
    hexcc
}

fn check((name, tile, arguments): &(&str, &str, &str), seed: &str) -> Result<(), String> {
    let file = format!("testsuite/{name}.c");
    let options = format!("--kernel pipelined --stream-tile {tile}");
    let text = output(&mut hexcc(
        &format!("{options} --emit kernel -o -"),
        &[&file],
    ));
    let text = String::from_utf8_lossy(&text.unwrap().stdout).into_owned();
    if !text.contains("pipelined<<<") {
        return Err(format!("{name}: no pipelined warps"));
    }
    let mut run = hexcc(&format!("run --emulate {options}"), &[&file]);
    run.env("HEXCC_EMU_SEED", seed).env("HEXCC_EMU_LEAKS", "1");
    run.arg("--").args(arguments.split(' '));
    let done = output(&mut run).unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    match done.status.success() && said.contains("equals the C program bit for bit") {
        true => Ok(()),
        false => Err(format!(
            "{name}: {said}{}",
            String::from_utf8_lossy(&done.stderr)
        )),
    }
}

#[test]
fn programs_equal_c() {
    let seeds = ["0", "1", "7"];
    let runs: Vec<_> = RUNS.iter().zip(seeds.iter().cycle()).collect();
    let wrong: Vec<String> = (in_parallel(&runs, |(run, seed)| check(run, seed)))
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
    for (name, tile, why) in cases {
        let file = format!("testsuite/{name}.c");
        let options = format!("--kernel pipelined --stream-tile {tile} --emit kernel -o -");
        let done = output(&mut hexcc(&options, &[&file])).unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(!done.status.success(), "{name} {tile}");
        assert!(said.contains(why), "{name} {tile}: {said}");
    }
}
