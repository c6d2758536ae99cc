//! Machine code of the rows of full tiles. No GPU is needed.
//!
//! A kernel holds two versions of its full tile: one whose columns the next tile
//! takes over in shared memory, and one at the end of a run of tiles, which stores
//! more. The first is what nearly all the time goes to, and what is asserted here.

mod common;

use common::{assert_none, hexcc, in_parallel, output, root, say, succeed, testsuite};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the machine code of a stencil may contain per point.
struct Wanted {
    stencil: &'static str,
    /// Argument of `--tile`; the default tile without.
    tile: Option<&'static str>,
    additions: usize,
    multiplications: usize,
    /// Loads of n neighbouring points along the hexagonal dimension: `per * n + ends`.
    /// A point loads what it is the first to read; what its unrolled neighbours
    /// have loaded is in registers.
    per: usize,
    ends: usize,
}

/// The 5-point stencil loads 3 values and stores 1 per point away from the ends of
/// a column: the code of Figure 2 of the paper.
const WANTED: [Wanted; 5] = [
    wanted("jacobi2d", Some("h=4,w=3:256"), (4, 1), (3, 2)),
    wanted("jacobi2d", None, (4, 1), (3, 2)),
    wanted("heat2d", None, (8, 1), (3, 6)),
    wanted("heat3d", None, (26, 1), (9, 18)),
    wanted("laplacian3d", None, (6, 2), (5, 2)),
];

const fn wanted(
    stencil: &'static str,
    tile: Option<&'static str>,
    (additions, multiplications): (usize, usize),
    (per, ends): (usize, usize),
) -> Wanted {
    Wanted {
        stencil,
        tile,
        additions,
        multiplications,
        per,
        ends,
    }
}

/// Numbers of instructions between two barriers, by name without suffixes.
type Mix = BTreeMap<String, usize>;

fn count(mix: &Mix, names: &[&str]) -> usize {
    names.iter().map(|n| mix.get(*n).unwrap_or(&0)).sum()
}

/// What nothing in a row may be: branches, calls and reconvergence, global and
/// local loads, copies, spills.
const FORBIDDEN: [&str; 20] = [
    "BRA", "BRX", "BRXU", "JMP", "JMX", "CALL", "RET", "EXIT", "BSSY", "BSYNC", "BREAK",
    "WARPSYNC", "LD", "LDG", "LDL", "STL", "ST", "LDGSTS", "ATOMG", "RED",
];

/// The pieces between the barriers of a kernel, in the order of its text.
fn read_sass(text: &str) -> Vec<Mix> {
    let mut pieces = vec![Mix::new()];
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("\t.section") || line.starts_with(".section") {
            inside = false;
        } else if line.starts_with(".text.") && line.ends_with(':') {
            inside = line.contains("6kernelE");
        }
        let instruction = line.trim_start();
        if !inside || !instruction.starts_with("/*") {
            continue;
        }
        let Some((_, instruction)) = instruction.split_once("*/") else {
            continue;
        };
        let mut words = instruction.split_whitespace();
        let name = words.find(|w| !w.starts_with('@') && *w != "{");
        let Some(name) = name.filter(|n| n.starts_with(|c: char| c.is_ascii_uppercase())) else {
            continue;
        };
        let name = name.split('.').next().unwrap_or(name);
        if name == "BAR" {
            pieces.push(Mix::new());
        } else if let Some(last) = pieces.last_mut() {
            *last.entry(name.to_string()).or_default() += 1;
        }
    }
    pieces
}

#[test]
fn disassembly_is_understood() {
    let text = "\t.section\t.text._ZN1n6kernelENS_4ArgsE,\"ax\",@progbits\n\
        .text._ZN1n6kernelENS_4ArgsE:\n\
        \x20       /*0000*/                   LDC R1, c[0x0][0x28] ;\n\
        .L_x_1:\n\
        \x20       /*0010*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;\n\
        \x20       /*0020*/              @!P0 STG.E desc[UR4][R2.64], R5 ;\n\
        \x20       /*0030*/               @P1 BRA `(.L_x_1) ;\n\
        \x20       /*0040*/                   STG.E desc[UR4][R2.64+0x4], R5 ;\n\
        \t.section\t.text.other,\"ax\",@progbits\n\
        .text.other:\n\
        \x20       /*0000*/                   EXIT ;\n";
    let found = read_sass(text);
    let mix = |list: &[(&str, usize)]| -> Mix {
        list.iter()
            .map(|(name, n)| (name.to_string(), *n))
            .collect()
    };
    assert_eq!(found, [mix(&[("LDC", 1)]), mix(&[("BRA", 1), ("STG", 2)])]);
}

/// The number after `NAME = ` in a kernel's constants.
fn constant(text: &str, name: &str) -> Result<usize, String> {
    let wanted = format!("{name} = ");
    text.lines()
        .filter(|line| line.starts_with("constexpr int "))
        .find_map(|line| line.split_once(&wanted))
        .and_then(|(_, after)| after.split([',', ';']).next()?.parse().ok())
        .ok_or_else(|| format!("the kernel has no constant {name}"))
}

/// The numbers of a table of the kernel.
fn table(text: &str, name: &str) -> Result<Vec<i64>, String> {
    text.split_once(&format!(" {name}[] = {{"))
        .and_then(|(_, after)| after.split_once('}'))
        .map(|(list, _)| {
            list.split(',')
                .filter_map(|n| n.trim().parse().ok())
                .collect()
        })
        .ok_or_else(|| format!("the kernel has no table {name}"))
}

/// The number before `what` in a line.
fn number_before(line: &str, what: &str) -> Option<usize> {
    let (before, _) = line.split_once(what)?;
    let digits = before.trim_end().rsplit(|c: char| !c.is_ascii_digit());
    digits.into_iter().next()?.parse().ok()
}

struct Found {
    line: String,
    problems: Vec<String>,
}

fn examine(wanted: &Wanted, nvdisasm: &Path, folder: &Path) -> Result<Found, String> {
    let name = match wanted.tile {
        Some(tile) => format!("{} {tile}", wanted.stencil),
        None => wanted.stencil.to_string(),
    };
    let file = |end: &str| folder.join(format!("{}.{end}", name.replace([' ', ':'], "_")));
    let header = file("cuh");
    let mut command = hexcc();
    command.arg(testsuite().join(format!("{}.c", wanted.stencil)));
    if let Some(tile) = wanted.tile {
        command.args(["--tile", tile]);
    }
    command.args(["--tiling", "hybrid"]);
    succeed(command.args(["--emit", "kernel", "-o"]).arg(&header))?;
    let text = std::fs::read_to_string(&header).map_err(|e| e.to_string())?;
    let mut nvcc = Command::new(root().join("scripts/nvcc"));
    nvcc.args(["-arch=sm_90", "-fmad=false", "-Xptxas", "-v", "-cubin"]);
    nvcc.args(["-x", "cu"]).arg(&header);
    let out = output(nvcc.arg("-o").arg(file("cubin")))?;
    let said = [out.stdout, out.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    if !out.status.success() {
        return Err(format!("nvcc: {}: {said}", out.status));
    }
    let sass = succeed(Command::new(nvdisasm).arg("-c").arg(file("cubin")))?;
    let pieces = read_sass(&sass);

    let threads = constant(&text, "BLOCK_X")? * constant(&text, "BLOCK_Y")?;
    let points: usize = (text.lines())
        .filter_map(|l| l.strip_prefix("constexpr int W_")?.split_once(" = "))
        .filter_map(|(_, value)| value.split(';').next()?.parse::<usize>().ok())
        .product();
    // Points of a thread in a row are columns of this many points.
    let columns = points / threads;
    if columns * threads != points {
        return Err(format!("{points} points for {threads} threads"));
    }
    let (lo, hi) = (table(&text, "row_lo")?, table(&text, "row_hi")?);
    let rows: Vec<usize> = lo
        .iter()
        .zip(&hi)
        .map(|(l, h)| (h - l + 1) as usize)
        .collect();
    if rows.len() != constant(&text, "ROWS")? || rows.len() < 2 {
        return Err("the tables have not ROWS entries".to_string());
    }

    // Runs of pieces that calculate what the rows do. Those that the end of a
    // kernel's text has for partial tiles branch.
    let calculates = |run: &[Mix]| {
        run.iter().zip(&rows).all(|(mix, n)| {
            count(mix, &["FADD"]) == n * columns * wanted.additions
                && count(mix, &["FMUL"]) == n * columns * wanted.multiplications
                && count(mix, &["FFMA"]) == 0
        })
    };
    let runs: Vec<&[Mix]> = pieces
        .windows(rows.len())
        .filter(|r| calculates(r))
        .collect();
    let forbidden = |run: &[Mix]| -> usize { run.iter().map(|m| count(m, &FORBIDDEN)).sum() };
    let stores = |run: &[Mix]| -> usize { run.iter().map(|m| count(m, &["STG"])).sum() };
    let Some(hot) = runs.iter().min_by_key(|r| (forbidden(r), stores(r))) else {
        return Err(format!(
            "no {} pieces between barriers calculate {rows:?} points: {pieces:?}",
            rows.len()
        ));
    };

    let mut problems = Vec::new();
    let (mut total, mut cells) = (Mix::new(), 0);
    for (a, (mix, n)) in hot.iter().zip(&rows).enumerate() {
        let mut check = |ok: bool, what: String| {
            if !ok {
                problems.push(format!("{name}: row {a} of {n} points: {what}"));
            }
        };
        let bad: Vec<String> = (FORBIDDEN.iter())
            .filter(|f| mix.contains_key(**f))
            .map(|f| format!("{} {f}", mix[*f]))
            .collect();
        check(bad.is_empty(), bad.join(", "));
        let (loads, most) = (
            count(mix, &["LDS"]),
            columns * (wanted.per * n + wanted.ends),
        );
        check(loads <= most, format!("{loads} shared loads, not {most}"));
        let stores = count(mix, &["STS"]);
        check(stores == columns * n, format!("{stores} shared stores"));
        let global = count(mix, &["STG"]);
        check(global <= columns * n, format!("{global} global stores"));
        for (name, n) in mix {
            *total.entry(name.clone()).or_default() += n;
        }
        cells += columns * n;
    }

    // What ptxas says about all functions of the file.
    let (mut registers, mut n_kernels) = (0, 0);
    for line in said.lines() {
        if line.contains("bytes spill stores")
            && !line.contains("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads")
        {
            problems.push(format!("{name}: {}", line.trim()));
        } else if let Some(n) = number_before(line, "registers") {
            (registers, n_kernels) = (registers.max(n), n_kernels + 1);
        }
    }
    let blocks = (text.split_once("__launch_bounds__(THREADS, "))
        .and_then(|(_, after)| after.split(')').next()?.parse::<usize>().ok())
        .ok_or("the kernel has no launch bounds")?;
    let most = (65536 / (threads * blocks) / 8 * 8).min(255);
    if n_kernels != 1 || registers > most {
        problems.push(format!(
            "{name}: {n_kernels} kernels, {registers} registers, of which {blocks} blocks of {threads} threads leave {most}"
        ));
    }

    let per_cell = |n: usize| n as f64 / cells as f64;
    let all: usize = total.values().sum();
    let (loads, stores) = (count(&total, &["LDS"]), count(&total, &["STS"]));
    let (float, global) = (count(&total, &["FADD", "FMUL"]), count(&total, &["STG"]));
    let other = all - loads - stores - float - global;
    Ok(Found {
        line: format!(
            "  {name:<22}{cells:>6}{:>7.2}{:>7.2}{:>7.2}{:>7.2}{:>7.2}{:>8.2}{registers:>6} of {most}",
            per_cell(loads),
            per_cell(stores),
            per_cell(float),
            per_cell(global),
            per_cell(other),
            per_cell(all),
        ),
        problems,
    })
}

#[test]
fn rows_of_full_tiles_are_straight_line_code() {
    let vendored = root().join("vendor/cuda/nvidia/cu13/bin");
    let version = output(Command::new(root().join("scripts/nvcc")).arg("--version"));
    if !vendored.join("nvcc").is_file() && !version.is_ok_and(|out| out.status.success()) {
        say("sass: skipped, there is no nvcc here; `scripts/setup-cuda` installs one");
        return;
    }
    let mut nvdisasm = vendored.join("nvdisasm");
    if !nvdisasm.is_file() {
        nvdisasm = PathBuf::from("nvdisasm");
        if !output(Command::new(&nvdisasm).arg("--version")).is_ok_and(|out| out.status.success()) {
            say("sass: skipped, there is no nvdisasm here; `scripts/setup-cuda` installs one");
            return;
        }
    }
    let folder =
        tempfile::tempdir_in(common::scratch("sass")).expect("the build directory can be written");
    let results = in_parallel(&WANTED, |wanted| examine(wanted, &nvdisasm, folder.path()));
    let mut problems = Vec::new();
    let mut lines = vec![format!(
        "sass: instructions per point in the rows of full tiles, sm_90\n  {:<22}{:>6}{:>7}{:>7}{:>7}{:>7}{:>7}{:>8}  registers",
        "stencil", "points", "LDS", "STS", "float", "STG", "other", "all"
    )];
    for (wanted, result) in WANTED.iter().zip(results) {
        match result {
            Ok(found) => {
                lines.push(found.line);
                problems.extend(found.problems);
            }
            Err(e) => problems.push(format!("{}: {e}", wanted.stencil)),
        }
    }
    say(lines.join("\n"));
    assert_none("faults in machine code", &problems);
}
