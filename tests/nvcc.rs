//! Every generated program compiles with nvcc, without warnings and spills. No
//! GPU is needed.

mod common;

use common::ledger::{self, Ledger};
use common::{Program, assert_none, hexcc, in_parallel, output, programs, root, say, succeed};
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

/// What ptxas says about the kernels of a program.
#[derive(Debug, Default, PartialEq)]
struct Resources {
    /// Kernels.
    n_kernels: usize,
    /// Largest number of registers of a thread.
    registers: u32,
    /// Bytes that spills store and load.
    spills: u64,
    /// Lines of the compiler that are neither of these.
    warnings: Vec<String>,
}

/// The number before `what` in a line.
fn number_before(line: &str, what: &str) -> Option<u64> {
    let (before, _) = line.split_once(what)?;
    before
        .trim_end()
        .rsplit(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

fn read_ptxas(text: &str) -> Resources {
    let mut found = Resources::default();
    for line in text.lines() {
        if line.contains("bytes spill stores") {
            let stores = number_before(line, "bytes spill stores").unwrap_or(u64::MAX / 2);
            let loads = number_before(line, "bytes spill loads").unwrap_or(u64::MAX / 2);
            found.spills = found.spills.saturating_add(stores + loads);
        } else if let Some(registers) = number_before(line, "registers") {
            found.n_kernels += 1;
            found.registers = found.registers.max(registers as u32);
        } else if line.contains("warning") || line.contains("error") {
            found.warnings.push(line.to_string());
        }
    }
    found
}

#[test]
fn ptxas_output_is_understood() {
    let text = "ptxas info    : 0 bytes gmem, 1000 bytes cmem[3]\n\
        ptxas info    : Compiling entry function '_Z6kernel' for 'sm_90'\n\
        ptxas info    : Function properties for _Z6kernel\n\
        \x20   0 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n\
        ptxas info    : Used 40 registers, used 1 barriers, 640 bytes cmem[0]\n\
        a.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n";
    let found = read_ptxas(text);
    assert_eq!(
        (
            found.n_kernels,
            found.registers,
            found.spills,
            found.warnings.len()
        ),
        (1, 40, 12, 1)
    );
}

/// Translates, and compiles what `ledger` does not know; files are named like `stem`.
/// What `judge` finds wrong with it.
fn compile(
    ledger: &Ledger,
    (path, flags): (&Path, &[String]),
    arch: &str,
    stem: &Path,
    judge: impl FnOnce(&Resources) -> Vec<String>,
) -> Vec<String> {
    let source = stem.with_extension("cu");
    let translated = succeed(hexcc().arg(path).args(flags).arg("-o").arg(&source));
    if let Err(e) = translated {
        return vec![format!("does not translate: {e}")];
    }
    let text = std::fs::read_to_string(&source).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let inputs = [include_str!("nvcc.rs"), nvcc(), arch, &name, &text];
    let result = ledger.verify(&inputs, || {
        let problems = judge(&compile_text(&source, (flags, arch), stem)?);
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems.join("\n  ")),
        }
    });
    result.err().into_iter().collect()
}

/// What nvcc says of its version.
fn nvcc() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let version = succeed(Command::new(root().join("scripts/nvcc")).arg("--version"));
        version.unwrap_or_default()
    })
}

/// What nvcc makes of a text, with the macros that it was translated with.
fn compile_text(
    source: &Path,
    (flags, arch): (&[String], &str),
    stem: &Path,
) -> Result<Resources, String> {
    let mut command = Command::new(root().join("scripts/nvcc"));
    for define in flags.windows(2).filter(|pair| pair[0] == "-D") {
        command.args(define);
    }
    // An object and not a cubin: the host half has to compile as well.
    command
        .arg(format!("-arch={arch}"))
        .args(["-fmad=false", "-Xptxas", "-v", "-c"])
        .arg(source);
    command.arg("-o").arg(stem.with_extension("o"));
    let out = output(&mut command)?;
    let text = [out.stdout, out.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    if out.status.success() {
        return Ok(read_ptxas(&text));
    }
    let lines: Vec<&str> = text
        .lines()
        .filter(|l| l.contains("error"))
        .take(4)
        .collect();
    Err(format!("nvcc: {}: {}", out.status, lines.join("\n      ")))
}

fn has_nvcc() -> bool {
    let vendored = root().join("vendor/cuda/nvidia/cu13/bin/nvcc").is_file();
    let version = output(Command::new(root().join("scripts/nvcc")).arg("--version"));
    let found = vendored || version.is_ok_and(|out| out.status.success());
    if !found {
        say("nvcc: skipped, there is no nvcc here; `scripts/setup --cuda` installs one");
    }
    found
}

/// Kernels that stream planes fill the registers: default tile sizes must leave enough.
#[test]
fn streamed_planes_do_not_spill() {
    if !has_nvcc() {
        return;
    }
    let folder =
        tempfile::tempdir_in(common::scratch("nvcc")).expect("the build directory can be written");
    let mut jobs = Vec::new();
    for name in ["star3d1r", "star3d2r", "j3d27pt"] {
        let path = root().join(format!("bench/stencils/{name}.c"));
        jobs.push((path.clone(), "float", "sm_90"));
        jobs.push((path.clone(), "double", "sm_90"));
    }
    for name in ["laplacian3d", "gradient3d", "slab3d", "mixed3d"] {
        jobs.push((root().join(format!("testsuite/{name}.c")), "float", "sm_90"));
    }
    jobs.push((root().join("bench/stencils/j3d27pt.c"), "float", "sm_80"));
    let numbered: Vec<_> = jobs.iter().enumerate().collect();
    let ledger = Ledger::open("planes", "HEXCC_E2E_ALL");
    let results = in_parallel(&numbered, |(n, (path, real, arch))| {
        let flags = ["--tiling", "overlapped", "-D"].map(str::to_string);
        let flags = [flags.as_slice(), &[format!("REAL={real}")]].concat();
        let judge = |found: &Resources| {
            let clean = found.n_kernels == 3 && found.spills == 0 && found.warnings.is_empty();
            (!clean).then(|| format!("{found:?}")).into_iter().collect()
        };
        let stem = folder.path().join(n.to_string());
        compile(&ledger, (path, &flags), arch, &stem, judge)
    });
    ledger::close(ledger);
    let mut failures = Vec::new();
    for ((path, real, arch), problems) in jobs.iter().zip(results) {
        let name = format!("{} {real} {arch}", path.display());
        failures.extend(problems.iter().map(|problem| format!("{name}: {problem}")));
    }
    assert_none("kernels nvcc does not compile cleanly", &failures);
}

/// Programs whose default tiles spill, and the most bytes: measured to be faster than tiles that do
/// not. flatwalls2d at 8192^2 on an H200: 140 GCell/s, with tiles that do not spill 112 and 86.
/// gradient3d has them in the kernel of several cells with 64-bit indices, around its square root.
/// box2d2r, 16384^2 and planes with equal borders: 1376 GCell/s (1144 without FMA), with warps that stream alone, which do not
/// spill, 860 (781), with 16 columns a lane, which spill 80 bytes, 742 (714).
const SPILLS: [(&str, u64); 3] = [("box2d2r", 704), ("flatwalls2d", 16), ("gradient3d", 16)];

/// A C file may define what a generated file's headers declare; then it gets another name.
#[test]
fn names_that_headers_declare_are_known() {
    if !has_nvcc() {
        return;
    }
    let list = root().join("crates/compiler/src/csource/declared.txt");
    let list = std::fs::read_to_string(list).expect("names that headers declare");
    let known: Vec<&str> = list.split_whitespace().collect();
    let now = succeed(&mut Command::new(root().join("tests/declarations/of-cuda")));
    let now = now.expect("tests/declarations/of-cuda");
    let new: Vec<&str> = (now.split_whitespace())
        .filter(|name| !known.contains(name))
        .collect();
    assert!(now.contains("atomicAdd"), "no names of CUDA: {now}");
    assert!(
        new.is_empty(),
        "`tests/declarations/of-cuda > crates/compiler/src/csource/declared.txt` adds {new:?}"
    );
}

/// What is wrong with a program as nvcc compiles it.
fn faults(program: &Program, found: &Resources) -> Vec<String> {
    let mut faults = found.warnings.clone();
    if found.n_kernels == 0 {
        faults.push("ptxas reports no kernel".to_string());
    }
    let known = SPILLS.iter().find(|(name, _)| *name == program.name);
    if found.spills > known.map_or(0, |(_, bytes)| *bytes) {
        faults.push(format!("{} bytes of spills", found.spills));
    }
    faults
}

#[test]
fn nvcc_accepts_all_programs() {
    if !has_nvcc() {
        return;
    }
    let begin = Instant::now();
    let folder = common::scratch("nvcc");
    let folder = tempfile::tempdir_in(folder).expect("the build directory can be written");
    let all = programs();
    let ledger = Ledger::open("nvcc", "HEXCC_E2E_ALL");
    let registers = Mutex::new(Vec::new());
    let results = in_parallel(&all, |program| {
        let judge = |found: &Resources| {
            let mut registers = registers.lock().expect("no thread panics here");
            registers.push((found.registers, program.name.clone()));
            faults(program, found)
        };
        let translation = (program.path.as_path(), program.flags.as_slice());
        let stem = folder.path().join(&program.name);
        compile(&ledger, translation, "sm_90", &stem, judge)
    });
    ledger::close(ledger);
    let mut failures = Vec::new();
    for (program, problems) in all.iter().zip(results) {
        failures.extend(problems.iter().map(|p| format!("{}: {p}", program.name)));
    }
    let mut registers = registers.into_inner().expect("no thread panics here");
    registers.sort_by(|a, b| b.cmp(a));
    let list: Vec<String> = registers
        .iter()
        .map(|(n, name)| format!("{name} {n}"))
        .collect();
    say(format!(
        "nvcc: {} programs compiled in {:.1} s; registers: {}",
        registers.len(),
        begin.elapsed().as_secs_f64(),
        list.join(", ")
    ));
    assert_none("programs nvcc does not compile cleanly", &failures);
}
