//! The CUDA emulation: scripts/emucc, its headers, and what they promise to find.

mod common;

use common::{in_parallel, output, root};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SANITIZE: &str = "-fsanitize=address,undefined";

/// Programs: name, file, and options of emucc.
const PROGRAMS: [(&str, &str, &[&str]); 8] = [
    ("stencil", "stencil_1d.cu", &[]),
    ("racy", "stencil_1d.cu", &["-DMISSING_BARRIER"]),
    ("reduce", "warp_reduce.cu", &[]),
    ("portable", "warp_reduce.cu", &["-DHEXCC_EMU_UCONTEXT"]),
    ("reduce_checked", "warp_reduce.cu", &[SANITIZE]),
    ("syntax", "syntax.cu", &[]),
    ("errors", "errors.cu", &[]),
    ("bounds", "out_of_bounds.cu", &[SANITIZE]),
];

/// A folder with a blank in its name, and programs in it.
struct Place {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().join("hexcc test emu");
        fs::create_dir(&path).expect("a folder");
        Place {
            _folder: folder,
            path,
        }
    }

    /// A program of crates/compiler/runtime/tests; warnings are failures, for those who read emucc's output.
    fn build(&self, (name, file, flags): (&str, &str, &[&str])) -> Result<(), String> {
        let tests = root().join("crates/compiler/runtime/tests");
        let mut command = emucc(&self.path);
        command.arg(tests.join(file)).args(["-Werror", "-o", name]);
        let out = output(command.args(flags))?;
        match out.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
        }
    }

    fn with(names: &[&str]) -> Place {
        let place = Place::new();
        let wanted: Vec<_> = (PROGRAMS.iter())
            .filter(|(name, ..)| names.contains(name))
            .collect();
        for built in in_parallel(&wanted, |program| place.build(**program)) {
            built.expect("emucc builds it");
        }
        place
    }

    /// Runs `NAME=VALUE.. PROGRAM ARGUMENT..`, which ends with a status, 128 and more for a signal, and says a text.
    fn expect(&self, status: i32, text: &str, line: &str) -> String {
        let (variables, words): (Vec<&str>, Vec<&str>) =
            line.split_whitespace().partition(|word| word.contains('='));
        let mut command = clean(self.path.join(words[0]), &self.path);
        command.args(&words[1..]);
        command.envs(variables.iter().filter_map(|v| v.split_once('=')));
        said(&mut command, status, text, line)
    }
}

/// A command in a folder, without variables of the emulation.
fn clean(program: PathBuf, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HEXCC_EMU_") {
            command.env_remove(name);
        }
    }
    command
}

fn emucc(folder: &Path) -> Command {
    clean(root().join("scripts/emucc"), folder)
}

/// All that a command says, which has to have a text in it.
fn said(command: &mut Command, status: i32, text: &str, line: &str) -> String {
    let out = output(command).expect("it starts");
    let signal = out.status.signal().map(|signal| 128 + signal);
    let all = [out.stdout, out.stderr].concat();
    let all = String::from_utf8_lossy(&all).into_owned();
    let ended = out.status.code().or(signal);
    assert_eq!(ended, Some(status), "{line}: {all}");
    assert!(
        all.contains(text),
        "{line} did not say \"{text}\" but: {all}"
    );
    all
}

/// Results do not depend on the order of threads, unless a barrier is missing.
#[test]
fn orders_of_threads_show_races() {
    let place = Place::with(&[
        "stencil",
        "racy",
        "reduce",
        "portable",
        "reduce_checked",
        "syntax",
    ]);
    let mut races = BTreeSet::new();
    for seed in 0..4 {
        place.expect(
            0,
            "same 3776e184",
            &format!("HEXCC_EMU_SEED={seed} stencil"),
        );
        place.expect(0, "0 failures", &format!("HEXCC_EMU_SEED={seed} reduce"));
        place.expect(
            0,
            "0 failures",
            &format!("HEXCC_EMU_SEED={seed} reduce_checked"),
        );
        races.insert(place.expect(0, "different", &format!("HEXCC_EMU_SEED={seed} racy")));
    }
    assert_eq!(
        races.len(),
        4,
        "a missing barrier has the same result under different seeds"
    );
    place.expect(0, "0 failures", "portable");
    for seed in 0..3 {
        place.expect(
            0,
            "ok",
            &format!("HEXCC_EMU_SEED={seed} HEXCC_EMU_LEAKS=1 syntax"),
        );
    }
}

/// Failures of the runtime can be provoked, leaks counted, launches listed.
#[test]
fn failures_can_be_provoked() {
    let place = Place::with(&["stencil", "errors"]);
    let never_freed = "1 device allocations (256 bytes) were never freed";
    for (status, text, line) in [
        (0, "", "HEXCC_EMU_LEAKS=1 errors 0"),
        (3, never_freed, "HEXCC_EMU_LEAKS=1 errors 0 leak"),
        (10, "", "HEXCC_EMU_FAIL_MALLOC=1 errors"),
        (
            11,
            "1 device allocations",
            "HEXCC_EMU_FAIL_MALLOC=2 HEXCC_EMU_LEAKS=1 errors",
        ),
        (12, "", "HEXCC_EMU_FAIL_LAUNCH=1 errors"),
        (1, "out of memory", "HEXCC_EMU_FAIL_MALLOC=2 stencil"),
        (
            0,
            "step<<<(16,1,1), (70,1,1), 0>>>",
            "HEXCC_EMU_TRACE=1 stencil",
        ),
        (
            2,
            "HEXCC_EMU_SEED=x is not a number",
            "HEXCC_EMU_SEED=x stencil",
        ),
    ] {
        place.expect(status, text, line);
    }
}

/// Wrong programs end with a message that names the thread; the status is that of an abort.
#[test]
fn wrong_programs_end_with_a_message() {
    let place = Place::with(&["errors", "bounds"]);
    for (number, text) in [
        (
            1,
            "waits at __syncthreads() of line 13 while other threads of its block wait at the one of line 11",
        ),
        (
            2,
            "deadlock: 32 threads, among them (16,0,0), wait in warp operations",
        ),
        (3, "different warp operations"),
        (4, "lacks the calling lane"),
        (5, "wait at __syncthreads() of line 29"),
        (6, "a write outside the device array of 256 bytes"),
        (
            7,
            "thread (0,0,0): line 32: an access of type 'struct float4' at",
        ),
    ] {
        place.expect(134, text, &format!("errors {number}"));
    }
    for (number, text) in [
        (0, "out_of_bounds.cu:13"),
        (1, "out_of_bounds.cu:14"),
        (2, "out_of_bounds.cu:15"),
    ] {
        place.expect(1, text, &format!("bounds {number}"));
    }
    place.expect(0, "finished", "bounds 3");
}

/// The errors of emucc point into the .cu file, which may lie anywhere.
#[test]
fn errors_of_emucc_name_the_line() {
    let place = Place::new();
    fs::create_dir(place.path.join("a dir")).expect("a folder");
    for (source, line, text) in [
        (
            "__global__ void k() {}\nint main() {\n  k<<<1, 1>>;\n}",
            3,
            "no `>>>` after the launch configuration",
        ),
        (
            "__global__ void k() {}\nint main() {\n  k<<<1,\n 1>>>;\n}",
            4,
            "no argument list after",
        ),
        (
            "__global__ void k(int) {}\nint main() {\n  k<<<1, 1>>>\n(undeclared);\n}",
            4,
            "undeclared",
        ),
        (
            "__global__ void k() {\n  __shared__ int x = 1;\n}",
            2,
            "cannot have an initial value",
        ),
        ("__shared__ int x;", 1, "inside the function"),
    ] {
        fs::write(place.path.join("a dir/bad.cu"), format!("{source}\n")).expect("a file");
        let mut command = emucc(&place.path);
        let all = said(command.args(["a dir/bad.cu", "-o", "bad"]), 1, text, source);
        let place = format!("a dir/bad.cu:{line}:");
        assert!(
            all.lines().any(|l| l.starts_with(&place)),
            "{source}: {all}"
        );
    }
    let refuses = |text: &str, arguments: &[&str]| {
        let mut command = emucc(&place.path);
        command.env("CXX", "no-such-compiler").args(arguments);
        said(&mut command, 1, text, &arguments.join(" "));
    };
    refuses("there is no file", &["nothing.cu"]);
    refuses("no .cu file given", &["-O2"]);
    refuses("is not installed", &["a dir/bad.cu"]);
}

#[test]
fn emucc_takes_options_of_nvcc() {
    let place = Place::new();
    let good = place.path.join("good.cu");
    fs::write(
        &good,
        "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n",
    )
    .expect("a file");
    let mut command = emucc(&place.path);
    command.args([
        "-arch=sm_90",
        "-fmad=false",
        "-Xptxas",
        "-v",
        "good.cu",
        "-o",
        "good",
    ]);
    said(&mut command, 0, "", "emucc");
    place.expect(0, "", "good");
    let launch = "::hexcc_emu::launch(\"k\", k, ::hexcc_emu::Config(1, 1))();";
    said(
        emucc(&place.path).args(["-E", "good.cu"]),
        0,
        launch,
        "emucc -E",
    );
}
