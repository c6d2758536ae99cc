//! The programs of examples/: short, in the kernels that the table names, equal to C in the emulation, with the pictures
//! that are shown.

mod common;

use common::{assert_none, cc, hexcc, in_parallel, output, root, succeed};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Lines of a program that are read in one go.
const MOST_LINES: usize = 100;

/// Bytes of a picture.
const MOST_BYTES: usize = 60_000;

const C: [&str; 6] = [
    "-O2",
    "-ffp-contract=off",
    "-std=gnu11",
    "-Wall",
    "-Wextra",
    "-Werror",
];

/// Sizes and steps for the emulation: rows that fill no tile, and steps that fill no time tile.
const SMALL: [&str; 3] = ["45", "83", "29"];

/// What the emulation says of a launch.
const LAUNCHES: &str = "hexcc emulation:";

fn folder() -> PathBuf {
    root().join("examples")
}

/// The commands in the README that write pictures, `./heat 192 288 9000 heat.png`: program and sizes.
fn documented() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(folder().join("README.md")).expect("a README");
    let commands = text.split('`').filter_map(|piece| piece.strip_prefix("./"));
    let parse = |command: &str| {
        let words: Vec<&str> = command.split_whitespace().collect();
        let [name, sizes @ .., picture] = &words[..] else {
            panic!("README.md: {command}");
        };
        assert_eq!(*picture, format!("{name}.png"), "README.md: {command}");
        let sizes = sizes.iter().map(|size| (*size).to_string()).collect();
        ((*name).to_string(), sizes)
    };
    commands.map(parse).collect()
}

#[test]
fn every_program_is_in_the_table() {
    let shown: BTreeSet<String> = documented().into_iter().map(|(name, _)| name).collect();
    assert_eq!(shown, common::c_files(&folder()));
}

#[test]
fn programs_have_their_kernels_and_draw_what_c_draws() {
    let place = common::scratch("examples");
    let place = tempfile::tempdir_in(place).expect("the build directory can be written");
    let all = documented();
    let results = in_parallel(&all, |(name, sizes)| check(name, sizes, place.path()));
    let failures: Vec<String> = (all.iter().zip(results))
        .filter_map(|((name, _), result)| Some(format!("{name}: {}", result.err()?)))
        .collect();
    assert_none("examples have changed", &failures);
}

/// What a program prints, its picture, and what it says beside that.
struct Drawn {
    printed: Vec<u8>,
    picture: Vec<u8>,
    said: String,
}

fn draw(program: &Path, sizes: &[impl AsRef<OsStr>]) -> Result<Drawn, String> {
    let picture = program.with_extension("png");
    let mut command = Command::new("timeout");
    command.arg("60").arg(program).args(sizes).arg(&picture);
    command
        .env("HEXCC_RUN_ON", "gpu")
        .env("HEXCC_EMU_TRACE", "1");
    let out = output(command.stdin(Stdio::null()))?;
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    if !out.status.success() {
        return Err(format!("{}: {said}", out.status));
    }
    Ok(Drawn {
        printed: out.stdout,
        picture: fs::read(&picture).map_err(|e| e.to_string())?,
        said,
    })
}

fn check(name: &str, sizes: &[String], place: &Path) -> Result<(), String> {
    let source = folder().join(name).with_extension("c");
    let text = fs::read_to_string(&source).map_err(|e| e.to_string())?;
    if text.lines().count() > MOST_LINES {
        return Err(format!("has {} lines", text.lines().count()));
    }
    let program = place.join(format!("{name}-c"));
    cc(&C, &source, &program, &["-lm"])?;
    let shown = fs::read(folder().join(name).with_extension("png")).map_err(|e| e.to_string())?;
    if shown.len() > MOST_BYTES {
        return Err(format!("the picture has {} bytes", shown.len()));
    }
    if draw(&program, sizes)?.picture != shown {
        return Err("the picture is not what its command writes".to_string());
    }
    let translation = place.join(format!("{name}.cu"));
    let tiled = check_tiles(name, &source)?;
    let mut command = hexcc();
    command.arg(&source).arg("-o").arg(&translation);
    if tiled {
        command.args(["--require", "tiled"]);
    }
    let out = output(&mut command)?;
    // A program without tiles has a warning that says why.
    if !out.status.success() || tiled != out.stderr.is_empty() {
        return Err(format!(
            "translated with {}: {}",
            out.status,
            String::from_utf8_lossy(&out.stderr)
        ));
    }
    let emulated = place.join(format!("{name}-cpu"));
    let mut command = Command::new(root().join("scripts/emucc"));
    command.arg(&translation).arg("-I").arg(folder());
    succeed(command.args(["-O1", "-o"]).arg(&emulated))?;
    let (expected, found) = (draw(&program, &SMALL)?, draw(&emulated, &SMALL)?);
    if !found.said.contains(LAUNCHES) {
        return Err("no kernel runs".to_string());
    }
    if found.printed != expected.printed || found.picture != expected.picture {
        return Err("the emulation draws something else than C".to_string());
    }
    Ok(())
}

/// The last column of the table of programs for one launch per step.
const SINGLE: &str = "one launch per step";

/// Checks the last column of the table, which says what hexcc chooses: `overlapped, 6 steps`. Whether it is tiles.
fn check_tiles(name: &str, source: &Path) -> Result<bool, String> {
    let text = fs::read_to_string(folder().join("README.md")).map_err(|e| e.to_string())?;
    let row = text.lines().find(|l| l.contains(&format!("]({name}.c)")));
    let cell = row.and_then(|row| row.trim_end_matches(" |").rsplit("| ").next());
    let cell = cell.ok_or("the table lacks it")?;
    let mut command = hexcc();
    let report = succeed(command.arg("explain").arg(source))?;
    if cell == SINGLE {
        return match report.contains(&format!("not tiled, run with {SINGLE}")) {
            true => Ok(false),
            false => Err("has tiles".to_string()),
        };
    }
    let shown = cell.strip_suffix(" steps").and_then(|c| c.split_once(", "));
    let (kind, steps) = shown.ok_or("the table has no tiles of it")?;
    let height = report.split(": hexagonal with h = ").nth(1);
    let height = height.and_then(|rest| rest.split(": ").nth(1)?.split(' ').next()?.parse().ok());
    let steps: u32 = steps.parse().map_err(|e| format!("{steps}: {e}"))?;
    let is_so = match kind {
        "overlapped" => report.contains(&format!("tile: steps={steps},")),
        // A time step has one or more rows.
        _ => {
            !report.contains("Overlapped tiling")
                && height.is_some_and(|rows: u32| rows.is_multiple_of(steps))
        }
    };
    match is_so {
        true => Ok(true),
        false => Err(format!("does not have {kind} of {steps} steps")),
    }
}

/// The README shows a part of a kernel: its lines are those of the translation, in their order.
#[test]
fn the_readme_shows_what_comes_out() {
    let text = fs::read_to_string(root().join("README.md")).expect("the README");
    let (_, shown) = text.split_once("```cuda\n").expect("a kernel");
    let (shown, _) = shown.split_once("```").expect("a kernel");
    let mut command = hexcc();
    command.arg(common::testsuite().join("steps/swap2d.c"));
    let translation = succeed(&mut command).expect("a translation");
    let mut rest = translation.lines().map(str::trim);
    for line in shown.lines().map(str::trim) {
        assert!(rest.any(|l| l == line), "the translation lacks {line}");
    }
}

#[test]
fn charts_and_tables_are_those_of_the_measurements() {
    let mut command = Command::new(root().join("bench/chart"));
    succeed(command.arg("--check")).expect("bench/chart draws it again");
    let mut command = Command::new(root().join("bench/sweep"));
    succeed(command.args(["render", "--check"])).expect("bench/sweep renders it again");
}
