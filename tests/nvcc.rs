//! Every generated program compiles with nvcc, without warnings and spills. No
//! GPU is needed.

mod common;

use common::{Program, assert_none, hexcc, in_parallel, output, programs, root, say, succeed};
use std::process::Command;
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

fn compile(program: &Program, folder: &std::path::Path) -> Result<Resources, String> {
    let source = folder.join(format!("{}.cu", program.name));
    succeed(
        hexcc()
            .arg(&program.path)
            .args(&program.flags)
            .arg("-o")
            .arg(&source),
    )
    .map_err(|e| format!("does not translate: {e}"))?;
    let mut command = Command::new(root().join("scripts/nvcc"));
    // An object and not a cubin: the host half has to compile as well.
    command
        .args(["-arch=sm_90", "-fmad=false", "-Xptxas", "-v", "-c"])
        .arg(&source);
    command
        .arg("-o")
        .arg(folder.join(format!("{}.o", program.name)));
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

#[test]
fn nvcc_accepts_all_programs() {
    let vendored = root().join("vendor/cuda/nvidia/cu13/bin/nvcc").is_file();
    let version = output(Command::new(root().join("scripts/nvcc")).arg("--version"));
    if !vendored && !version.is_ok_and(|out| out.status.success()) {
        say("nvcc: skipped, there is no nvcc here; `scripts/setup-cuda` installs one");
        return;
    }
    let begin = Instant::now();
    let folder = common::scratch("nvcc");
    let folder = tempfile::tempdir_in(folder).expect("the build directory can be written");
    let all = programs();
    let results = in_parallel(&all, |program| compile(program, folder.path()));
    let mut failures = Vec::new();
    let mut registers = Vec::new();
    for (program, result) in all.iter().zip(results) {
        match result {
            Ok(found) => {
                registers.push((found.registers, &program.name));
                if found.n_kernels == 0 {
                    failures.push(format!("{}: ptxas reports no kernel", program.name));
                }
                if found.spills > 0 {
                    failures.push(format!(
                        "{}: {} bytes of spills",
                        program.name, found.spills
                    ));
                }
                failures.extend(
                    found
                        .warnings
                        .iter()
                        .map(|w| format!("{}: {w}", program.name)),
                );
            }
            Err(e) => failures.push(format!("{}: {e}", program.name)),
        }
    }
    registers.sort_by(|a, b| b.cmp(a));
    let list: Vec<String> = registers
        .iter()
        .map(|(n, name)| format!("{name} {n}"))
        .collect();
    say(format!(
        "nvcc: {} programs in {:.1} s; registers: {}",
        all.len(),
        begin.elapsed().as_secs_f64(),
        list.join(", ")
    ));
    assert_none("programs nvcc does not compile cleanly", &failures);
}
