//! Machine code of what nearly all the time goes to. No GPU is needed.
//!
//! Hybrid tiling: the rows of full tiles. A kernel holds two versions of its full tile: one
//! whose columns the next tile takes over in shared memory, and one at the end of a run of
//! tiles, which stores more. The first is what is asserted here.
//!
//! Overlapped tiling: the loop over the rows or planes that enter, where rows are full.

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

/// A line of a kernel's machine code.
#[derive(Clone, Debug, PartialEq)]
enum Line {
    Label(String),
    Instruction {
        /// With its suffixes.
        name: String,
        /// The label that it names.
        target: Option<String>,
    },
}

/// The code of the functions whose mangled name contains `function`.
fn read_sass(text: &str, function: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("\t.section") || line.starts_with(".section") {
            inside = false;
        } else if line.starts_with(".text.") && line.ends_with(':') {
            inside = line.contains(function);
        }
        if !inside {
            continue;
        }
        if let Some(label) = line.strip_suffix(':').filter(|l| l.starts_with(".L_")) {
            lines.push(Line::Label(label.to_string()));
        }
        let Some((_, instruction)) = (line.trim_start().strip_prefix("/*"))
            .and_then(|instruction| instruction.split_once("*/"))
        else {
            continue;
        };
        let mut words = instruction.split_whitespace();
        let name = words.find(|w| !w.starts_with('@') && *w != "{");
        if let Some(name) = name.filter(|n| n.starts_with(|c: char| c.is_ascii_uppercase())) {
            let target = instruction
                .split_once("`(")
                .and_then(|(_, t)| t.split_once(')'));
            lines.push(Line::Instruction {
                name: name.to_string(),
                target: target.map(|(label, _)| label.to_string()),
            });
        }
    }
    lines
}

/// A name without its suffixes.
fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Counts instructions by the names without suffixes.
fn mix(lines: &[Line]) -> Mix {
    let mut mix = Mix::new();
    for line in lines {
        if let Line::Instruction { name, .. } = line {
            *mix.entry(stem(name).to_string()).or_default() += 1;
        }
    }
    mix
}

/// The pieces between the barriers of a kernel, in the order of its text.
fn between_barriers(lines: &[Line]) -> Vec<Mix> {
    lines
        .split(|line| matches!(line, Line::Instruction { name, .. } if stem(name) == "BAR"))
        .map(mix)
        .collect()
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
    let found = read_sass(text, "6kernelE");
    let mix = |list: &[(&str, usize)]| -> Mix {
        list.iter()
            .map(|(name, n)| (name.to_string(), *n))
            .collect()
    };
    assert_eq!(
        between_barriers(&found),
        [mix(&[("LDC", 1)]), mix(&[("BRA", 1), ("STG", 2)])]
    );
    let branch = Line::Instruction {
        name: "BRA".to_string(),
        target: Some(".L_x_1".to_string()),
    };
    assert_eq!(found[1], Line::Label(".L_x_1".to_string()));
    assert_eq!(found[4], branch);
    assert_eq!(main_loop(&found).expect("it has one"), &found[2..5]);
}

/// The number after `NAME = ` in a kernel's constants.
fn constant(text: &str, name: &str) -> Result<usize, String> {
    let wanted = format!(" {name} = ");
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

/// A kernel as text and as machine code.
struct Built {
    text: String,
    /// What ptxas says.
    said: String,
    sass: String,
}

/// Translates and compiles; files are named like `stem`.
fn build(source: &Path, options: &[&str], flag: &str, stem: &Path) -> Result<Built, String> {
    let (header, cubin) = (stem.with_extension("cuh"), stem.with_extension("cubin"));
    succeed(
        (hexcc().arg(source).args(options))
            .args(["--emit", "kernel", "-o"])
            .arg(&header),
    )?;
    let mut nvcc = Command::new(root().join("scripts/nvcc"));
    nvcc.args(["-arch=sm_90", flag, "-Xptxas", "-v", "-cubin"]);
    nvcc.args(["-x", "cu"]).arg(&header).arg("-o").arg(&cubin);
    let out = output(&mut nvcc)?;
    let said = [out.stdout, out.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    if !out.status.success() {
        return Err(format!("nvcc: {}: {said}", out.status));
    }
    Ok(Built {
        text: std::fs::read_to_string(&header).map_err(|e| e.to_string())?,
        said,
        sass: succeed(Command::new(nvdisasm()).arg("-c").arg(&cubin))?,
    })
}

/// What ptxas says about the functions of a file whose mangled names contain `function`: the most
/// registers, the number of kernels, and the lines with spills.
fn resources<'a>(said: &'a str, function: &str) -> (usize, usize, Vec<&'a str>) {
    let (mut registers, mut n_kernels, mut spills) = (0, 0, Vec::new());
    let mut inside = true;
    for line in said.lines() {
        if line.contains("Compiling entry function") {
            inside = line.contains(function);
        }
        if !inside {
            continue;
        }
        if line.contains("bytes spill stores")
            && !line.contains("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads")
        {
            spills.push(line.trim());
        } else if let Some(n) = number_before(line, "registers") {
            (registers, n_kernels) = (registers.max(n), n_kernels + 1);
        }
    }
    (registers, n_kernels, spills)
}

/// Blocks that a multiprocessor must hold by a kernel's launch bounds, and the registers
/// that leaves a thread.
fn launch_bounds(text: &str, threads: usize) -> Result<(usize, usize), String> {
    let blocks = (text.split_once("__launch_bounds__(THREADS, "))
        .and_then(|(_, after)| after.split(')').next()?.parse::<usize>().ok())
        .ok_or("the kernel has no launch bounds")?;
    Ok((blocks, (65536 / (threads * blocks) / 8 * 8).min(255)))
}

struct Found {
    line: String,
    problems: Vec<String>,
}

fn examine(wanted: &Wanted, folder: &Path) -> Result<Found, String> {
    let name = match wanted.tile {
        Some(tile) => format!("{} {tile}", wanted.stencil),
        None => wanted.stencil.to_string(),
    };
    let mut options = vec!["--tiling", "hybrid"];
    options.extend(wanted.tile.iter().flat_map(|tile| ["--tile", tile]));
    let source = testsuite().join(format!("{}.c", wanted.stencil));
    let stem = folder.join(name.replace([' ', ':'], "_"));
    let Built { text, said, sass } = build(&source, &options, "-fmad=false", &stem)?;
    let pieces = between_barriers(&read_sass(&sass, "6kernelE"));

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

    let (registers, n_kernels, spills) = resources(&said, "");
    problems.extend(spills.iter().map(|line| format!("{name}: {line}")));
    let (blocks, most) = launch_bounds(&text, threads)?;
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

/// What brings machine code back to text, as `scripts/setup --cuda` or CUDA installs it.
fn nvdisasm() -> PathBuf {
    let vendored = root().join("vendor/cuda/nvidia/cu13/bin/nvdisasm");
    match vendored.is_file() {
        true => vendored,
        false => PathBuf::from("nvdisasm"),
    }
}

fn has_tools() -> bool {
    let runs = |program: PathBuf| {
        output(Command::new(program).arg("--version")).is_ok_and(|out| out.status.success())
    };
    let found = runs(root().join("scripts/nvcc")) && runs(nvdisasm());
    if !found {
        say("sass: skipped, nvcc or nvdisasm is missing; `scripts/setup --cuda` installs them");
    }
    found
}

#[test]
fn rows_of_full_tiles_are_straight_line_code() {
    if !has_tools() {
        return;
    }
    let folder =
        tempfile::tempdir_in(common::scratch("sass")).expect("the build directory can be written");
    let results = in_parallel(&WANTED, |wanted| examine(wanted, folder.path()));
    report(
        format!(
            "sass: instructions per point in the rows of full tiles, sm_90\n  {:<22}{:>6}{:>7}{:>7}{:>7}{:>7}{:>7}{:>8}  registers",
            "stencil", "points", "LDS", "STS", "float", "STG", "other", "all"
        ),
        WANTED.iter().map(|wanted| wanted.stencil).zip(results),
    );
}

fn report<'a>(title: String, results: impl Iterator<Item = (&'a str, Result<Found, String>)>) {
    let (mut lines, mut problems) = (vec![title], Vec::new());
    for (name, result) in results {
        match result {
            Ok(found) => {
                lines.push(found.line);
                problems.extend(found.problems);
            }
            Err(e) => problems.push(format!("{name}: {e}")),
        }
    }
    say(lines.join("\n"));
    assert_none("faults in machine code", &problems);
}

/// What the machine code of a streamed kernel may contain.
struct Streamed {
    stencil: &'static str,
    /// Argument of nvcc; with the first one it may contract multiplications and additions.
    flag: &'static str,
    /// Values that a cell is the weighted sum of.
    terms: usize,
    /// The most instructions of the loop per cell and time step, those of halos included:
    /// measured with CUDA 13.0 and rounded up by some 3%.
    most: f64,
}

const FAST: &str = "--use_fast_math";
const PLAIN: &str = "-fmad=false";

const STREAMED: [Streamed; 6] = [
    streamed("star2d1r", FAST, 5, 6.15),
    streamed("star2d1r", PLAIN, 5, 10.3),
    streamed("box2d1r", FAST, 9, 10.6),
    streamed("box2d1r", PLAIN, 9, 18.8),
    streamed("star3d1r", FAST, 7, 12.1),
    streamed("star3d1r", PLAIN, 7, 18.4),
];

const fn streamed(stencil: &'static str, flag: &'static str, terms: usize, most: f64) -> Streamed {
    Streamed {
        stencil,
        flag,
        terms,
        most,
    }
}

/// Arithmetic on single-precision values.
const FLOAT: [&str; 3] = ["FMUL", "FADD", "FFMA"];

/// Instructions after which others than the next may follow. Waiting (`WARPSYNC`, `SYNCS`)
/// is none.
const CONTROL: [&str; 9] = [
    "BRA", "BRX", "BRXU", "JMP", "JMX", "CALL", "RET", "EXIT", "BREAK",
];

/// Spills, and what divisions of integers are made of.
const NEVER: [&str; 6] = ["LDL", "STL", "I2F", "F2I", "MUFU", "CALL"];

/// The shortest of the loops that have the most arithmetic, its last branch included.
fn main_loop(lines: &[Line]) -> Result<&[Line], String> {
    loop_of(lines, usize::MAX)
}

/// The shortest of the loops that have the most arithmetic; `enough` such instructions are as
/// good as more.
fn loop_of(lines: &[Line], enough: usize) -> Result<&[Line], String> {
    let mut best: Option<(usize, &[Line])> = None;
    for (end, line) in lines.iter().enumerate() {
        let Line::Instruction {
            target: Some(target),
            ..
        } = line
        else {
            continue;
        };
        let is_target = |l: &Line| matches!(l, Line::Label(label) if label == target);
        let Some(begin) = lines[..end].iter().position(is_target) else {
            continue;
        };
        let body = &lines[begin + 1..=end];
        let n = count(&mix(body), &FLOAT).min(enough);
        if best.is_none_or(|(most, b)| n > most || (n == most && body.len() < b.len())) {
            best = Some((n, body));
        }
    }
    best.map(|(_, body)| body).ok_or("no loop".to_string())
}

/// The path through a loop of rows that all are full: what comes before the first branch,
/// and the code from that branch's target to the end of the loop, without a branch between.
fn full_path(lines: &[Line]) -> Result<Vec<Line>, String> {
    let is_control = |line: &Line| matches!(line, Line::Instruction { name, .. } if CONTROL.contains(&stem(name)));
    let first = lines.iter().position(is_control).ok_or("no branch")?;
    let Some(Line::Instruction {
        target: Some(target),
        ..
    }) = lines.get(first)
    else {
        return Err("the first branch of the loop has no target".to_string());
    };
    let is_target = |l: &Line| matches!(l, Line::Label(label) if label == target);
    let full = (lines.iter().position(is_target)).ok_or("the first branch leaves the loop")?;
    let (last, body) = lines[full..].split_last().ok_or("an empty loop")?;
    if !is_control(last) || body.iter().any(is_control) {
        return Err("there are branches where all rows are full".to_string());
    }
    Ok([&lines[..=first], &lines[full..]].concat())
}

fn examine_streamed(wanted: &Streamed, folder: &Path) -> Result<Found, String> {
    let name = format!("{} {}", wanted.stencil, wanted.flag);
    let fast = wanted.flag == FAST;
    let mut options = vec!["--tiling", "overlapped"];
    options.extend(fast.then_some("--fast-math"));
    let source = root().join(format!("bench/stencils/{}.c", wanted.stencil));
    let stem_of_files = folder.join(name.replace([' ', '='], "_"));
    let Built { text, said, sass } = build(&source, &options, wanted.flag, &stem_of_files)?;
    let number = |name| constant(&text, name);
    let (v, steps, warps) = (number("V")?, number("STEPS")?, number("WARPS")?);

    let lines = read_sass(&sass, &format!("6kernelILi{steps}E"));
    let body = main_loop(&lines)?;
    let is_planes = number("HELD").is_ok();
    let path = if is_planes {
        body.to_vec()
    } else {
        full_path(body)?
    };
    let found = mix(&path);
    let named = |wanted: &str| {
        let is = |l: &&Line| matches!(l, Line::Instruction { name, .. } if name == wanted);
        path.iter().filter(is).count()
    };

    // Cells of a lane that one iteration of the loop computes: V columns in each of UNROLL
    // rows of T levels; of HELD planes of R rows in 3D.
    let (cells, mut expected) = if is_planes {
        let (r, rj, held) = (number("R")?, number("RJ")?, number("HELD")?);
        // Per plane, rows of V values each: all R of level 0 come from shared memory, and of each
        // level the RJ rows before and after them. The T - 1 levels between hand on RJ rows at
        // both ends, the last one all.
        let loads = held * v * (r + 2 * rj * steps);
        let stores = held * v * ((steps - 1) * 2 * rj + r);
        let expected = vec![
            ("LDS", loads),
            ("STS", stores),
            ("LDG", 0),
            ("STG", 0),
            ("SHFL", 2 * held * r * steps),
            ("UTMALDG", held),
            ("UTMASTG", held),
            ("BAR", 0),
        ];
        (held * r * v * steps, expected)
    } else {
        let rows = number("UNROLL")?;
        // A row of level 0 comes with one instruction, and one of level T goes with one. Of the
        // rows of levels 0 to T - 1, the columns beside come from the two neighbouring lanes.
        let bytes = [("LDG.E.128", rows), ("STG.E.128", rows)];
        let wide: Vec<String> = (bytes.iter())
            .filter(|(name, n)| named(name) != *n)
            .map(|(wide, n)| format!("{} {wide}, not {n}", named(wide)))
            .collect();
        if !wide.is_empty() {
            return Err(wide.join(", "));
        }
        let expected = vec![
            ("LDS", 0),
            ("STS", 0),
            ("LDG", rows),
            ("STG", rows),
            ("SHFL", 2 * rows * steps),
            ("BAR", 0),
            ("BSSY", 0),
            ("BSYNC", 0),
            // To the full rows, and back to the beginning.
            ("BRA", 2),
        ];
        (rows * v * steps, expected)
    };
    expected.extend(sums(fast, cells, wanted.terms));
    expected.extend(["LD", "ST"].iter().chain(&NEVER).map(|name| (*name, 0)));
    let mut problems: Vec<String> = (expected.iter())
        .filter(|(name, n)| count(&found, &[name]) != *n)
        .map(|(what, n)| format!("{name}: {} {what}, not {n}", count(&found, &[what])))
        .collect();
    // In 3D, per plane: two waits, whether a plane is to be stored and one to be loaded yet, the
    // one thread that does both, and who tells the other warps.
    let branches = count(&found, &CONTROL);
    if is_planes && branches > 7 * number("HELD")? + 1 {
        problems.push(format!("{name}: {branches} branches"));
    }

    let (registers, _, spills) = resources(&said, "6kernel");
    problems.extend(spills.iter().map(|line| format!("{name}: {line}")));
    let (blocks, most) = launch_bounds(&text, 32 * warps)?;
    if registers > most {
        problems.push(format!(
            "{name}: {registers} registers, of which {blocks} blocks leave {most}"
        ));
    }
    Ok(found_in_loop(
        &name,
        &found,
        (cells, wanted.most),
        (registers, most),
        problems,
    ))
}

/// What is said of a loop that computes so many cells; too many instructions for each are a problem.
fn found_in_loop(
    name: &str,
    found: &Mix,
    (cells, limit): (usize, f64),
    (registers, most): (usize, usize),
    mut problems: Vec<String>,
) -> Found {
    let all: usize = found.values().sum();
    let per_cell = |n: usize| n as f64 / cells as f64;
    if per_cell(all) > limit {
        problems.push(format!(
            "{name}: {:.2} instructions per cell, not {limit}",
            per_cell(all)
        ));
    }
    let (float, exchange) = (count(found, &FLOAT), count(found, &["SHFL"]));
    let memory = count(found, &["LDG", "STG", "LDS", "STS", "LDGSTS"]);
    Found {
        line: format!(
            "  {name:<26}{cells:>6}{:>7.2}{:>7.2}{:>8.2}{:>7.2}{:>7.2}{registers:>6} of {most}",
            per_cell(float),
            per_cell(exchange),
            per_cell(memory),
            per_cell(all - float - exchange - memory),
            per_cell(all),
        ),
        problems,
    }
}

/// Arithmetic of so many cells, each the sum of `n` products.
fn sums(fast: bool, cells: usize, n: usize) -> [(&'static str, usize); 3] {
    match fast {
        true => [("FMUL", cells), ("FFMA", cells * (n - 1)), ("FADD", 0)],
        false => [("FMUL", cells * n), ("FFMA", 0), ("FADD", cells * (n - 1))],
    }
}

/// Warps that are a pipeline in time, of kernels whose usual size holds `levels` levels a warp,
/// `columns` columns a lane and `rows` rows between two barriers: the loop of full rows.
struct Piped {
    stencil: &'static str,
    flag: &'static str,
    terms: usize,
    /// Level rows of a warp that an iteration computes, and columns of a lane.
    rows: usize,
    columns: usize,
    /// The most instructions per cell and time step, those of halos not included.
    most: f64,
}

const PIPED: [Piped; 4] = [
    piped("star2d1r", FAST, 5, 9, 20, 6.05),
    piped("star2d1r", PLAIN, 5, 9, 20, 10.2),
    piped("box2d1r", FAST, 9, 9, 20, 10.2),
    piped("box2d1r", PLAIN, 9, 6, 20, 18.9),
];

const fn piped(
    stencil: &'static str,
    flag: &'static str,
    terms: usize,
    rows: usize,
    columns: usize,
    most: f64,
) -> Piped {
    Piped {
        stencil,
        flag,
        terms,
        rows,
        columns,
        most,
    }
}

fn examine_piped(wanted: &Piped, folder: &Path) -> Result<Found, String> {
    let name = format!("{} {}", wanted.stencil, wanted.flag);
    let fast = wanted.flag == FAST;
    let mut options = vec!["--tiling", "overlapped"];
    options.extend(fast.then_some("--fast-math"));
    let source = root().join(format!("bench/stencils/{}.c", wanted.stencil));
    let stem_of_files = folder.join(format!("piped {name}").replace([' ', '='], "_"));
    let Built { text, said, sass } = build(&source, &options, wanted.flag, &stem_of_files)?;
    let lines = read_sass(&sass, "9pipelined");
    let cells = wanted.rows * wanted.columns;
    let n = wanted.terms;
    let float = if fast { cells * n } else { cells * (2 * n - 1) };
    let found = mix(loop_of(&lines, float)?);
    let mut expected = sums(fast, cells, n).to_vec();
    // Of a row, the columns beside come from the two neighbouring lanes; a barrier joins the warps once.
    expected.extend([("SHFL", 2 * wanted.rows), ("BAR", 1), ("LD", 0), ("ST", 0)]);
    expected.extend(NEVER.map(|name| (name, 0)));
    // ptxas may move a register with a fused multiply-add.
    let is_wanted = |what: &str, n: usize| {
        let found = count(&found, &[what]);
        found == n || (what == "FFMA" && found == n + 1)
    };
    let mut problems: Vec<String> = (expected.iter())
        .filter(|(what, n)| !is_wanted(what, *n))
        .map(|(what, n)| format!("{name}: {} {what}, not {n}", count(&found, &[what])))
        .collect();
    let (registers, n_kernels, spills) = resources(&said, "9pipelined");
    problems.extend(spills.iter().map(|line| format!("{name}: {line}")));
    let most = (65536 / constant(&text, "PIPELINED_THREADS")? / 8 * 8).min(255);
    if n_kernels != 1 || registers > most {
        problems.push(format!("{name}: {registers} registers, not {most}"));
    }
    Ok(found_in_loop(
        &name,
        &found,
        (cells, wanted.most),
        (registers, most),
        problems,
    ))
}

#[test]
fn full_rows_of_warps_as_a_pipeline_spill_nothing() {
    report_loops("warps as a pipeline", &PIPED, |w| w.stencil, examine_piped);
}

/// Programs whose domains are small, what is said of their sizes, and how nvcc is called: what they take spills nothing.
const SMALL: [(&str, &str, &str); 10] = [
    ("star2d1r", "N=512,T=480", FAST),
    ("star2d1r", "N=1024,T=480", FAST),
    ("star2d1r", "N=2048,T=480", FAST),
    ("box2d1r", "N=1024,T=480", FAST),
    ("star2d2r", "N=1024,T=480", FAST),
    ("gradient2d", "N=2048,T=480", FAST),
    ("wave2d", "N=1024,T=480", FAST),
    ("j2d5pt", "N=1024,T=480", FAST),
    ("star2d1r", "N=1024,T=480", "-fmad=false"),
    ("gradient2d", "N=1024,T=480", "-fmad=false"),
];

#[test]
fn patches_spill_nothing() {
    let folder = common::scratch("patches");
    let examined = in_parallel(&SMALL, |(stencil, sizes, flag)| {
        let name = format!("{stencil} {sizes} {flag}");
        let source = root().join(format!("bench/stencils/{stencil}.c"));
        let stem = folder.join(name.replace([' ', '=', ','], "_"));
        let mut options = vec!["--kernel", "patches", "--set", sizes];
        options.extend((*flag == FAST).then_some("--fast-math"));
        let built = build(&source, &options, flag, &stem)?;
        let (_, n_kernels, spills) = resources(&built.said, "7patches");
        // ptxas 13.0 loses a bit where it makes conditions of bits and one of them is in use: gradient2d and j2d5pt were wrong.
        let of_bits = read_sass(&built.sass, "7patches");
        let is_of_bits = |line: &&Line| matches!(line, Line::Instruction { name, .. } if name.starts_with("R2P"));
        let of_bits = of_bits.iter().filter(is_of_bits).count();
        match (n_kernels, spills.as_slice(), of_bits) {
            (1, [], 0) => Ok(()),
            (n, spills, bits) => Err(format!(
                "{name}: {n} kernels of patches, {spills:?}, {bits} R2P"
            )),
        }
    });
    let wrong: Vec<String> = examined.into_iter().filter_map(Result::err).collect();
    assert_none("patches that spill, or are not taken", &wrong);
}

#[test]
fn full_rows_of_streamed_kernels_are_straight_line_code() {
    report_loops(
        "streamed kernels",
        &STREAMED,
        |w| w.stencil,
        examine_streamed,
    );
}

/// Examines the loops of kernels.
fn report_loops<W: Sync>(
    of: &str,
    wanted: &[W],
    stencil: fn(&W) -> &'static str,
    examine: fn(&W, &Path) -> Result<Found, String>,
) {
    if !has_tools() {
        return;
    }
    let folder =
        tempfile::tempdir_in(common::scratch("sass")).expect("the build directory can be written");
    let results = in_parallel(wanted, |wanted| examine(wanted, folder.path()));
    report(
        format!(
            "sass: instructions per cell in the loops of {of}, sm_90\n  {:<26}{:>6}{:>7}{:>7}{:>8}{:>7}{:>7}  registers",
            "stencil", "cells", "float", "SHFL", "memory", "other", "all"
        ),
        wanted.iter().map(stencil).zip(results),
    );
}
