//! Programs of the testsuite as C with kernels in OpenCL C, built with gcc, run on the CPU by PoCL and
//! compared with C: every twelfth one, with HEXCC_OPENCL_ALL=1 all, and with small tiles, too.
//! tests/golden/verified.txt knows which need not run.

mod common;

use common::ledger::{self, Ledger};
use common::{
    PLAIN, Program, assert_none, cc, hexcc, in_parallel, programs, run, say, stepwise_programs,
    succeed,
};
use hexcc_tuner::compare::{self, Tolerance};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Warnings are errors, but those of what the C program has, too, and of helpers of the dump.
const FLAGS: [&str; 9] = [
    "-O1",
    "-ffp-contract=off",
    "-std=gnu11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-Wno-unused-function",
    "-Wno-unknown-pragmas",
];

/// Programs of which nothing is left but functions of a cell, and stores to what may not exist; pointers that are swapped
/// between pragmas.
const NOT_TAKEN: [&str; 7] = [
    "bodies2d",
    "fivecells2d",
    "gather2d",
    "guarded2d",
    "markedtables2d",
    "swapmarked2d",
    "swaptube2d",
];

/// Kernels whose groups share memory, and those of several cells a work-item. Not all programs can have them.
const KERNELS: &[&str] = &[
    "--kernel=coarsened",
    "--kernel=tiled",
    "--kernel=streamed-tiled",
];

const LIBRARIES: [&str; 2] = ["-lOpenCL", "-lm"];

#[test]
fn results_equal_c() {
    let Some(folder) = folder_with_device() else {
        return;
    };
    let every = std::env::var_os("HEXCC_OPENCL_ALL").is_some_and(|v| v == "1");
    let all = [programs(), stepwise_programs()].concat();
    let wanted = |(i, program): (usize, Program)| {
        let small = program.tiles.last().filter(|_| every || i % 24 == 0);
        let small = small.map(|tile| (program.clone(), format!("--tile={tile}")));
        let kernels: &[&str] = match every || program.name == "coarse2d" {
            true => KERNELS,
            false => &[],
        };
        let kernels = kernels.iter();
        let kernels = kernels.map(|flag| (program.clone(), (*flag).to_string()));
        let kernels: Vec<(Program, String)> = kernels.collect();
        let default = (every || i % 12 == 0).then(|| (program, String::new()));
        default.into_iter().chain(small).chain(kernels)
    };
    let all = all.into_iter().enumerate().flat_map(wanted);
    // Compilers of C warn of what it converts.
    let all = all.filter(|(program, _)| program.name != "conversions2d");
    let all: Vec<(Program, String)> = all.collect();
    let ledger = Ledger::open("opencl", "HEXCC_OPENCL_ALL");
    let results = in_parallel(&all, |(program, flag)| {
        let result = check(&ledger, program, (flag, every), folder.path());
        if let Err(e) = &result {
            say(format!("{} {flag}: {e}", program.name));
        }
        result
    });
    ledger::close(ledger);
    let failures: Vec<String> = (all.iter().zip(results))
        .filter_map(|((program, flag), result)| {
            Some(format!("{} {flag}: {}", program.name, result.err()?))
        })
        .collect();
    assert_none("programs do not do what C does", &failures);
}

/// A folder, where some device is there.
fn folder_with_device() -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir_in(common::scratch("opencl"));
    let folder = folder.expect("the build directory can be written");
    let found = device(folder.path());
    if let Err(why) = &found {
        say(format!("no device of OpenCL, nothing is tested: {why}"));
    }
    found.is_ok().then_some(folder)
}

/// Whether some device is there.
fn device(folder: &Path) -> Result<(), String> {
    let [source, program] = ["device.c", "device"].map(|name| folder.join(name));
    let text = "#define CL_TARGET_OPENCL_VERSION 120\n#include <CL/cl.h>\nint main(void) { cl_uint n = 0; return clGetPlatformIDs(0, 0, &n) != CL_SUCCESS || n == 0; }\n";
    fs::write(&source, text).map_err(|e| e.to_string())?;
    cc(&PLAIN, &source, &program, &LIBRARIES)?;
    run(&program, &[], &[]).map(|_| ())
}

/// A program and its translation, as text.
struct Translated {
    text: PathBuf,
    c: PathBuf,
}

/// A program and its translation, built.
struct Built {
    expected: PathBuf,
    found: PathBuf,
    cache: PathBuf,
}

impl Built {
    /// Runs both, the translation with more variables of the environment, and compares them.
    fn compare(&self, args: &[i64], more: &[(&str, &OsStr)], ulps: u64) -> Result<(), String> {
        let mut environment = vec![
            ("POCL_CACHE_DIR", self.cache.as_os_str()),
            ("POCL_MAX_PTHREAD_COUNT", OsStr::new("2")),
        ];
        environment.extend(more);
        let expected = run(&self.expected, args, &[]).map_err(|e| format!("the C program: {e}"))?;
        let found = run(&self.found, args, &environment)?;
        same(&expected, &found, ulps).map_err(|e| format!("{e} with {args:?}"))
    }
}

/// Translates a program; `None` where that takes too long, or the target does not have what it
/// needs, and says so.
fn translate(
    program: &Program,
    flags: &[&str],
    folder: &Path,
) -> Result<Option<Translated>, String> {
    let name = format!(
        "{}{}",
        program.name,
        flags.concat().replace([':', ',', '='], "_")
    );
    let path = |suffix: &str| folder.join(format!("{name}{suffix}"));
    let [text, c] = ["-opencl.c", "-c.c"].map(&path);
    let mut command = hexcc();
    // What the program prints may be the hash of all bits.
    command.args((program.ulps > 0).then_some("--sums=ordered"));
    command
        .args(["--instrument", "--target=opencl"])
        .args(flags);
    command.args(&program.flags).arg(&program.path);
    command.arg("--reference").arg(&c).arg("-o").arg(&text);
    match succeed(&mut command) {
        // isl does not make the loops of every tile in the time that a translation has.
        Err(e) if e.contains("error[HX0401]") => return Ok(None),
        // No launch can have the kernel that is asked for.
        Err(e) if e.contains("error[HX0211]") => return Ok(None),
        Err(e) if NOT_TAKEN.contains(&program.name.as_str()) && e.contains("error[HX0") => {
            return Ok(None);
        }
        translated => translated.map_err(|e| format!("does not translate: {e}"))?,
    };
    Ok(Some(Translated { text, c }))
}

impl Translated {
    fn build(&self) -> Result<Built, String> {
        let built = Built {
            expected: self.c.with_extension(""),
            found: self.text.with_extension(""),
            cache: self.text.with_extension("cache"),
        };
        cc(&FLAGS, &self.text, &built.found, &LIBRARIES)?;
        cc(&PLAIN, &self.c, &built.expected, &["-lm"])?;
        fs::create_dir_all(&built.cache).map_err(|e| e.to_string())?;
        Ok(built)
    }
}

/// Translates and builds a program, where it is taken.
fn build(program: &Program, flags: &[&str], folder: &Path) -> Result<Option<Built>, String> {
    let translated = translate(program, flags, folder)?;
    translated.map(|translated| translated.build()).transpose()
}

fn check(
    ledger: &Ledger,
    program: &Program,
    (flag, every): (&str, bool),
    folder: &Path,
) -> Result<(), String> {
    let flags: &[&str] = if flag.is_empty() { &[] } else { &[flag] };
    let Some(translated) = translate(program, flags, folder)? else {
        return Ok(());
    };
    let read = |path: &Path| fs::read_to_string(path).map_err(|e| e.to_string());
    let (text, c) = (read(&translated.text)?, read(&translated.c)?);
    let runs = format!("{:?} {} {every}", program.runs, program.ulps);
    let inputs = [
        include_str!("opencl.rs"),
        include_str!("common/building.rs"),
        &text,
        &c,
        &runs,
    ];
    ledger.verify(&inputs, || compare_runs(program, every, &translated))
}

fn compare_runs(program: &Program, every: bool, translated: &Translated) -> Result<(), String> {
    let built = translated.build()?;
    // PoCL compiles for a second before the first kernel runs.
    let n_runs = if every { 4 } else { 2 };
    for args in program.runs.iter().rev().take(n_runs) {
        built.compare(args, &[], program.ulps)?;
    }
    Ok(())
}

/// Some programs by their names.
fn named(names: &[&str]) -> Vec<Program> {
    let all = [programs(), stepwise_programs()].concat();
    let wanted = |program: &Program| names.contains(&program.name.as_str());
    all.into_iter().filter(wanted).collect()
}

#[test]
fn work_items_share_tiles() {
    let Some(folder) = folder_with_device() else {
        return;
    };
    for program in named(&["jacobi1d", "fdtd2d", "wave3d"]) {
        let tile = program.tiles.last().map(|tile| format!("--tile={tile}"));
        let flags: Vec<&str> = tile.as_deref().into_iter().collect();
        let built = build(&program, &flags, folder.path());
        let built = built.unwrap_or_else(|e| panic!("{}: {e}", program.name));
        let built = built.expect("small tiles have few loops");
        let args = program.runs.last().expect("a program has arguments");
        let group = [("HEXCC_OPENCL_GROUP", OsStr::new("4"))];
        let result = built.compare(args, &group, 0);
        assert_eq!(result, Ok(()), "{}", program.name);
    }
}

/// `hexcc run` builds both programs and compares them, and says so of nests that stay as they are.
#[test]
fn programs_are_run_and_compared() {
    let Some(folder) = folder_with_device() else {
        return;
    };
    for (program, flags, wanted) in [
        (
            "heat2d.c",
            ["--", "40", "5"].as_slice(),
            "equals the C program bit for bit",
        ),
        (
            "steps/converging2d.c",
            &["--", "24", "30"],
            "ok: both programs print the same",
        ),
    ] {
        let mut command = hexcc();
        command.env("POCL_CACHE_DIR", folder.path());
        command
            .args(["run", "--target=opencl"])
            .arg(common::testsuite().join(program));
        let text = succeed(command.args(flags)).unwrap_or_else(|e| panic!("{program}: {e}"));
        assert!(text.contains(wanted), "{program}: {text}");
        assert!(text.contains("OpenCL program: "), "{program}: {text}");
    }
}

#[test]
fn refused_nests_stay_or_are_errors() {
    let path = |name: &str| common::testsuite().join(name);
    let told = |name: &str| {
        let mut command = hexcc();
        command
            .args(["--target=opencl", "-o", "/dev/null"])
            .arg(path(name));
        let out = common::output(&mut command).expect("hexcc starts");
        (
            out.status.success(),
            String::from_utf8_lossy(&out.stderr).into_owned(),
        )
    };
    let (translates, said) = told("steps/bodies2d.c");
    assert!(
        !translates && said.contains("cells are computed by a function of the program"),
        "{said}"
    );
    let (translates, said) = told("steps/guarded2d.c");
    assert!(
        !translates && said.contains("this element of `a` may not exist"),
        "{said}"
    );
}

#[test]
fn without_a_device_a_program_ends_or_runs_its_loops() {
    let Some(folder) = folder_with_device() else {
        return;
    };
    let none = [("HEXCC_OPENCL_DEVICE", OsStr::new("a device of this name"))];
    for program in named(&["jacobi1d"]) {
        let args = program.runs.last().expect("a program has arguments");
        let build = |flags: &[&str]| build(&program, flags, folder.path()).expect("it translates");
        let ends = build(&[]).expect("tiles of one dimension have few loops");
        let said = ends
            .compare(args, &none, 0)
            .expect_err("there is no such device");
        assert!(
            said.contains("none has the name in HEXCC_OPENCL_DEVICE"),
            "{said}"
        );
        assert!(said.contains("made with hexcc --fallback"), "{said}");
        let runs = build(&["--fallback"]).expect("tiles of one dimension have few loops");
        assert_eq!(runs.compare(args, &none, 0), Ok(()));
        assert_eq!(runs.compare(args, &[], 0), Ok(()));
    }
}

/// Programs of tests/data/gate, with arguments of a small and a larger run.
const DECIDING: [(&str, &str); 6] = [
    ("swap", "60 21"),
    ("looks", "60 21"),
    ("once", "200 10"),
    ("wave", "200 100"),
    ("plates", "20"),
    ("converge", "20 30"),
];

/// What a program prints, and how often arrays travel: `N writes, N reads, N launches`.
fn travels(name: &str, args: &str, place: &str, folder: &Path) -> Result<String, String> {
    let data = |file: String| common::root().join("tests/data/gate").join(file);
    let source = data(format!("{name}.c"));
    let path = |suffix: &str| folder.join(format!("{name}{suffix}"));
    let [text, program, c, cache] = [".c", "-cl", "-c", "-cache"].map(path);
    let translation = succeed(hexcc().arg(&source).arg("--target=opencl"))?;
    fs::write(&text, translation).map_err(|e| e.to_string())?;
    let counter = data("copies.c".to_string()).display().to_string();
    let wrapped = ["WriteBuffer", "ReadBuffer", "NDRangeKernel"];
    let wrapped = wrapped.map(|f| format!("-Wl,--wrap=clEnqueue{f}"));
    let libraries: Vec<&str> = (std::iter::once(&counter).chain(&wrapped))
        .map(String::as_str)
        .chain(LIBRARIES)
        .collect();
    cc(&FLAGS, &text, &program, &libraries)?;
    cc(&PLAIN, &source, &c, &["-lm"])?;
    let run = |program: &Path| {
        let mut command = std::process::Command::new(program);
        command.args(args.split(' ')).env("HEXCC_RUN_ON", place);
        common::output(command.env("POCL_CACHE_DIR", &cache))
    };
    let (expected, found) = (run(&c)?, run(&program)?);
    let said = String::from_utf8_lossy(&found.stderr).trim().to_string();
    match found.status == expected.status && found.stdout == expected.stdout {
        true => Ok(said),
        false => Err(format!("{place}: {}: {said}", found.status)),
    }
}

/// Programs print what C prints wherever they run, and small ones run in C.
#[test]
fn programs_decide() {
    let Some(folder) = folder_with_device() else {
        return;
    };
    for (name, args) in DECIDING {
        let of = |place| travels(name, args, place, folder.path());
        let none = Ok("0 writes, 0 reads, 0 launches".to_string());
        assert_eq!(of("auto"), none, "{name}");
        assert_eq!(of("host"), none, "{name}");
        let on_device = of("gpu").unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!on_device.ends_with(" 0 launches"), "{name}: {on_device}");
    }
}

/// In a loop that only swaps pointers, arrays travel once; where the host looks at elements, in every step.
#[test]
fn arrays_stay_on_the_device() {
    let Some(folder) = folder_with_device() else {
        return;
    };
    let of = |name, args| travels(name, args, "gpu", folder.path());
    let some = |text: &str| Ok(text.to_string());
    assert_eq!(of("swap", "60 21"), some("3 writes, 2 reads, 21 launches"));
    assert_eq!(of("swap", "60 50"), some("3 writes, 2 reads, 50 launches"));
    assert_eq!(of("swap", "60 0"), some("0 writes, 0 reads, 0 launches"));
    assert_eq!(
        of("looks", "60 21"),
        some("42 writes, 21 reads, 21 launches")
    );
}

/// Compares what programs print, and their dumps.
fn same(
    expected: &(Vec<u8>, Vec<u8>),
    found: &(Vec<u8>, Vec<u8>),
    ulps: u64,
) -> Result<(), String> {
    let tolerance = match ulps {
        0 => Tolerance::Exact,
        ulps => Tolerance::Ulps(ulps),
    };
    let (mut a, mut b) = (expected.1.as_slice(), found.1.as_slice());
    let reports = compare::compare(&mut a, &mut b, tolerance).map_err(|e| e.to_string())?;
    if let Some(report) = reports.iter().find(|report| report.first.is_some()) {
        return Err(format!("differs from C: {report}"));
    }
    match ulps > 0 || expected.0 == found.0 {
        true => Ok(()),
        false => Err("prints something else".to_string()),
    }
}
