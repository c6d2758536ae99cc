//! The module for CMake: the sample of examples/cmake builds with ninja, again only after changes, and computes
//! what C computes.

mod common;

use common::{cc, hexcc, output, root, succeed};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// A copy of the sample, in which files can change.
fn sample(place: &Path) -> PathBuf {
    let folder = place.join("a sample");
    fs::create_dir(&folder).expect("a folder");
    for entry in fs::read_dir(root().join("examples/cmake")).expect("the sample") {
        let path = entry.expect("the sample").path();
        let name = path.file_name().expect("a name");
        fs::copy(&path, folder.join(name)).expect("a file");
    }
    folder
}

fn configure(source: &Path, build: &Path, options: &[String]) -> Result<String, String> {
    let mut command = Command::new("cmake");
    command.args(["-G", "Ninja", "-S"]).arg(source);
    command.arg("-B").arg(build).args(options);
    let module = root().join("cmake");
    command.arg(format!("-Dhexcc_DIR={}", module.display()));
    let program = hexcc().get_program().to_string_lossy().into_owned();
    all_of(command.arg(format!("-DHEXCC={program}")))
}

fn ninja(build: &Path) -> Result<String, String> {
    all_of(Command::new("ninja").arg("-C").arg(build))
}

/// All that a command says, as an error where it fails.
fn all_of(command: &mut Command) -> Result<String, String> {
    let out = output(command)?;
    let all = [out.stdout, out.stderr].concat();
    let all = String::from_utf8_lossy(&all).into_owned();
    match out.status.success() {
        true => Ok(all),
        false => Err(all),
    }
}

fn run(program: &Path) -> String {
    succeed(Command::new(program).env("HEXCC_RUN_ON", "host")).expect("it runs")
}

/// What the sample prints in C.
fn expected(place: &Path) -> String {
    let folder = root().join("examples/cmake");
    let program = place.join("c");
    let solver = folder.join("heat.c").display().to_string();
    let options = ["-O1", "-ffp-contract=off", &solver];
    cc(&options, &folder.join("main.c"), &program, &[]).expect("C compiles");
    run(&program)
}

#[test]
fn the_sample_is_built_once() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let (source, build) = (sample(place.path()), place.path().join("build"));
    configure(&source, &build, &["-DHEAT_TARGET=openmp".to_string()]).expect("CMake");
    ninja(&build).expect("it builds");
    assert_eq!(run(&build.join("program")), expected(place.path()));
    let page = fs::read_to_string(root().join("docs/site/building.md")).expect("a page");
    let shown = format!("`{}`", expected(place.path()).trim());
    assert!(page.contains(&shown), "{shown}");
    let second = ninja(&build).expect("it builds");
    assert!(second.contains("no work to do"), "{second}");

    // A header that the solver includes.
    let header = fs::File::options().write(true).open(source.join("heat.h"));
    let later = SystemTime::now() + Duration::from_secs(60);
    let header = header.expect("the header");
    header.set_modified(later).expect("a time");
    let third = ninja(&build).expect("it builds");
    assert!(third.contains("Translating"), "{third}");

    // A change that stops the tiling.
    let solver = source.join("heat.c");
    let text = fs::read_to_string(&solver).expect("the solver");
    fs::write(&solver, text.replace("u[(t + 1) % 2]", "u[t % 2]")).expect("a file");
    let failure = ninja(&build).expect_err("it is not tiled");
    assert!(failure.contains("--require tiled"), "{failure}");
}

#[test]
fn definitions_and_directories_reach_hexcc() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let (source, build) = (sample(place.path()), place.path().join("build"));
    let project = source.join("CMakeLists.txt");
    let text = fs::read_to_string(&project).expect("the project");
    let more = "target_compile_definitions(heat PUBLIC SIZE=200)\ntarget_include_directories(heat PUBLIC \"in here\" other)\n";
    fs::write(&project, text + more).expect("a file");
    fs::create_dir(source.join("in here")).expect("a folder");
    fs::rename(source.join("heat.h"), source.join("in here/heat.h")).expect("a file");
    let header = source.join("in here/heat.h");
    let text = fs::read_to_string(&header).expect("the header");
    fs::write(&header, text.replace("#define N 200", "#define N SIZE")).expect("a file");
    configure(&source, &build, &["-DHEAT_TARGET=openmp".to_string()]).expect("CMake");
    ninja(&build).expect("it builds");
    assert_eq!(run(&build.join("program")), expected(place.path()));
}

/// With the nvcc of scripts/nvcc; the loops of C run where there is no GPU.
#[test]
fn the_library_is_cuda() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let (source, build) = (sample(place.path()), place.path().join("build"));
    let nvcc = root().join("scripts/nvcc");
    let options = [
        format!("-DCMAKE_CUDA_COMPILER={}", nvcc.display()),
        "-DCMAKE_CUDA_ARCHITECTURES=90".to_string(),
    ];
    configure(&source, &build, &options).expect("CMake");
    ninja(&build).expect("it builds");
    assert_eq!(run(&build.join("program")), expected(place.path()));
}

#[test]
fn mistakes_have_messages() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let source = sample(place.path());
    for (index, (target, says)) in [
        ("opnmp", "TARGET is cuda, openmp or opencl, not opnmp"),
        (
            "openmp OPTIONS --require tiled)\nhexcc_add_library(none",
            "no C file is named",
        ),
    ]
    .iter()
    .enumerate()
    {
        let build = place.path().join(format!("build-{index}"));
        let project = source.join("CMakeLists.txt");
        let text = format!(
            "cmake_minimum_required(VERSION 3.20)\nproject(heat LANGUAGES C)\nfind_package(hexcc REQUIRED)\nhexcc_add_library(heat heat.c TARGET {target})\n"
        );
        fs::write(&project, text).expect("a file");
        let failure = configure(&source, &build, &[]).expect_err("CMake refuses it");
        let words: Vec<&str> = failure.split_whitespace().collect();
        assert!(words.join(" ").contains(says), "{failure}");
    }
}

/// The page shows the project of the sample.
#[test]
fn the_page_shows_the_sample() {
    let read = |name: &str| fs::read_to_string(root().join(name)).expect("a file");
    let page = read("docs/site/building.md");
    let (_, rest) = page.split_once("```cmake\n").expect("a project");
    let (shown, _) = rest.split_once("```").expect("a project");
    assert_eq!(shown, read("examples/cmake/CMakeLists.txt"));
}
