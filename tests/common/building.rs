//! Building and running the programs that are compared.
//!
//! The text of this file is part of what tests/golden/verified.txt knows translations by.

use super::{output, succeed};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Flags of the C program that results are compared with.
pub const PLAIN: [&str; 4] = ["-O2", "-ffp-contract=off", "-std=gnu11", "-w"];

/// Builds a C program.
pub fn cc(flags: &[&str], source: &Path, program: &Path, libraries: &[&str]) -> Result<(), String> {
    let mut command = Command::new("cc");
    command.args(flags).arg(source).arg("-o").arg(program);
    succeed(command.args(libraries))
        .map(|_| ())
        .map_err(|e| format!("does not build: {e}"))
}

/// What a program prints, and its dump.
pub fn run(
    program: &Path,
    args: &[i64],
    environment: &[(&str, &OsStr)],
) -> Result<(Vec<u8>, Vec<u8>), String> {
    let dump = program.with_extension("dump");
    let mut command = Command::new("timeout");
    command.arg("60").arg(program);
    command.args(args.iter().map(i64::to_string));
    command.env("HEXCC_DUMP", &dump);
    command.envs(environment.iter().copied());
    let out = output(command.stdin(Stdio::null()))?;
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr);
        let said = said.lines().take(3).collect::<Vec<_>>().join("; ");
        return Err(format!("{} with {args:?}: {said}", out.status));
    }
    let bytes = std::fs::read(&dump).unwrap_or_default();
    let _ = std::fs::remove_file(&dump);
    Ok((out.stdout, bytes))
}
