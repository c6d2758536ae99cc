//! `hexcc tune` and `hexcc bench` on a GPU that does not exist: a library that
//! stands in for the driver and for NVRTC tests everything around the kernels.

mod common;

use common::{hexcc, output, root, succeed, testsuite};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The folder with the stand-ins.
fn libraries() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = common::scratch("fake_cuda");
        let source = root().join("tests/common/fake_cuda.c");
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_string());
        for name in ["libcuda.so.1", "libnvrtc.so.13"] {
            let mut cc = Command::new(&compiler);
            cc.args(["-w", "-shared", "-fPIC"]).arg(&source);
            succeed(cc.arg("-o").arg(folder.join(name))).expect("the C compiler works");
        }
        folder
    })
}

/// hexcc in an empty folder, with the stand-ins and a cache of its own.
fn on_fake_gpu(folder: &Path, line: &str) -> Command {
    let mut command = hexcc();
    for word in line.split_whitespace() {
        if word.ends_with(".c") {
            command.arg(testsuite().join(word));
        } else {
            command.arg(word);
        }
    }
    command
        .current_dir(folder)
        .env("LD_LIBRARY_PATH", libraries())
        // No toolkit of this machine.
        .env_remove("CUDA_HOME")
        .env_remove("CUDA_PATH")
        .env("HEXCC_CACHE_DIR", folder.join("cache"));
    command
}

fn text_of(out: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&out.stdout), text(&out.stderr))
}

fn lines(path: &Path, kind: &str) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    (text.lines())
        .map(|l| serde_json::from_str::<serde_json::Value>(l).expect("every line is JSON"))
        .filter(|v| v["kind"] == kind)
        .collect()
}

/// The sizes of a line of JSON, as messages spell them.
fn sizes_of(line: &serde_json::Value) -> String {
    match (line["tile"].as_str(), line["stream_tile"].as_str()) {
        (Some(tile), None) => format!("{tile} --threads {}", line["threads"]),
        (None, Some(tile)) => tile.to_string(),
        _ => panic!("one of two tilings: {line}"),
    }
}

/// Tunes, and finds the result in all that reads it.
fn tune_and_use(options: &str, is_mine: &dyn Fn(&serde_json::Value) -> bool) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let tune = format!("tune jacobi2d.c --set T=64 --budget 6s {options}");
    let out = output(&mut on_fake_gpu(folder.path(), &tune)).expect("hexcc starts");
    let (stdout, stderr) = text_of(&out);
    assert!(out.status.success(), "{stderr}");
    assert!(stdout.contains("tuned: "), "{stdout}");
    let log = folder.path().join("jacobi2d.tune.jsonl");
    assert_eq!(lines(&log, "tuning").len(), 1);
    let points = lines(&log, "point");
    assert!(!points.is_empty() && points.iter().all(is_mine));
    let best = lines(&log, "best");
    let tile = sizes_of(&best[0]);
    let tile = tile.as_str();
    let page = fs::read_to_string(folder.path().join("jacobi2d.tune.html"));
    assert!(page.is_ok_and(|p| p.contains(tile)));

    let line = format!("jacobi2d.c {options}");
    let out = output(&mut on_fake_gpu(folder.path(), &line)).expect("hexcc starts");
    let (stdout, stderr) = text_of(&out);
    assert!(
        stderr.contains(&format!("note: tile sizes {tile} were tuned on Fake GPU")),
        "{stderr}"
    );
    assert!(
        stdout.contains(&format!("{tile} were tuned on Fake GPU")),
        "{stdout}"
    );
    let line = format!("jacobi2d.c --no-cache {options}");
    let out = output(&mut on_fake_gpu(folder.path(), &line)).expect("hexcc starts");
    let (stdout, stderr) = text_of(&out);
    assert!(stderr.is_empty() && !stdout.contains("tuned"), "{stderr}");

    let line = format!("bench jacobi2d.c fdtd2d.c --set NX=100,NY=90,T=64 {options}");
    let out = output(&mut on_fake_gpu(folder.path(), &line)).expect("hexcc starts");
    let (stdout, stderr) = text_of(&out);
    assert!(out.status.success(), "{stderr}");
    assert!(stdout.contains(tile), "{stdout}");
    assert_eq!(
        fs::read_to_string(folder.path().join("bench.txt")).ok(),
        Some(stdout)
    );
    let rows = lines(&folder.path().join("bench.jsonl"), "bench");
    let naive = rows.iter().filter(|r| r["variant"] == "naive").count();
    assert_eq!(naive, 2);
    assert!(rows.len() >= 4);
}

#[test]
fn the_best_is_kept_and_used() {
    tune_and_use("--tiling hybrid", &|point| point["h"].is_i64());
}

#[test]
fn the_best_of_both_tilings_is_kept_and_used() {
    tune_and_use("", &|point| point["h"].is_i64() || point["T"].is_i64());
    tune_and_use("--tiling overlapped", &|point| point["V"].is_i64());
}

#[test]
fn kernels_that_stream_planes_are_measured() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let line = "bench laplacian3d.c --set N=64,T=20 --stream-tile steps=2,vector=1,rows=1,warps=4";
    let out = output(&mut on_fake_gpu(folder.path(), line)).expect("hexcc starts");
    let (stdout, stderr) = text_of(&out);
    assert!(out.status.success(), "{stderr}");
    assert!(
        stdout.contains("overlapped  steps=2,vector=1,rows=1"),
        "{stdout}"
    );
    let line = "tune laplacian3d.c --set N=64,T=20 --tiling overlapped --budget 9s";
    let out = output(&mut on_fake_gpu(folder.path(), line)).expect("hexcc starts");
    let (stdout, stderr) = text_of(&out);
    assert!(
        out.status.success() && stdout.contains("tuned: steps="),
        "{stdout}{stderr}"
    );
    let points = lines(&folder.path().join("laplacian3d.tune.jsonl"), "point");
    assert!(points.iter().all(|p| p["rows"].as_i64() > Some(0)));
}

#[test]
fn wrong_results_do_not_count() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let line = "tune jacobi1d.c --set N=4096,T=64 --budget 2s";
    let mut command = on_fake_gpu(folder.path(), line);
    let out = output(command.env("FAKE_CUDA_WRONG", "1")).expect("hexcc starts");
    let (stdout, stderr) = text_of(&out);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        stderr.contains("error[HX0607]") && stdout.is_empty(),
        "{stderr}"
    );
    let points = lines(&folder.path().join("jacobi1d.tune.jsonl"), "point");
    assert!(
        points
            .iter()
            .all(|p| p["correct"] == false && p["measured"].is_null())
    );
    assert!(!folder.path().join("cache").exists());

    let line = "bench jacobi1d.c --set N=4096,T=64";
    let mut command = on_fake_gpu(folder.path(), line);
    let out = output(command.env("FAKE_CUDA_WRONG", "1")).expect("hexcc starts");
    assert_eq!(out.status.code(), Some(1));
    assert!(text_of(&out).0.contains("1 differ"));
}

/// Where tiles are asked for, what is slower than one launch per step is no result, and replaces none
/// that is kept; single steps are one otherwise.
#[test]
fn what_is_slower_than_the_baseline_is_not_kept() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let all = "tune jacobi1d.c --set N=65536,T=64 --budget 3s";
    let line = &format!("{all} --tiling overlapped");
    let kept = || fs::read_dir(folder.path().join("cache/tuned")).map_or(0, Iterator::count);
    let out = output(&mut on_fake_gpu(folder.path(), line)).expect("hexcc starts");
    assert!(out.status.success() && kept() == 1, "{}", text_of(&out).1);

    let mut command = on_fake_gpu(folder.path(), line);
    let out = output(command.env("FAKE_CUDA_SLOW", "100000")).expect("hexcc starts");
    let (stdout, stderr) = text_of(&out);
    assert!(out.status.success(), "{stderr}");
    assert!(
        stdout.contains("no gain: ") && !stdout.contains("tuned: "),
        "{stdout}"
    );
    assert!(stderr.contains("warning[HX0608]"), "{stderr}");
    assert!(stderr.contains("one launch per step have "), "{stderr}");
    assert_eq!(kept(), 0, "{stdout}");
    let log = folder.path().join("jacobi1d.tune.jsonl");
    assert_eq!(
        (lines(&log, "best").len(), lines(&log, "slower").len()),
        (0, 1)
    );
    let page = fs::read_to_string(folder.path().join("jacobi1d.tune.html"));
    assert!(page.is_ok_and(|p| p.contains("No point is faster than the baseline")));

    let out = output(&mut on_fake_gpu(folder.path(), "jacobi1d.c")).expect("hexcc starts");
    assert!(out.status.success() && text_of(&out).1.is_empty());
}

#[test]
fn a_broken_gpu_ends_the_search() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let line = "tune jacobi1d.c --set N=4096,T=64 --budget 20s";
    let mut command = on_fake_gpu(folder.path(), line);
    let out = output(command.env("FAKE_CUDA_FAIL", "200")).expect("hexcc starts");
    let (stdout, stderr) = text_of(&out);
    assert!(stderr.contains("warning[HX0605]"), "{stderr}");
    // What was measured before counts.
    assert!(
        out.status.success() && stdout.contains("tuned: "),
        "{stdout}{stderr}"
    );
}

#[test]
fn interrupting_keeps_what_was_measured() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let line = "tune jacobi2d.c --set T=64 --budget 5m -o mine";
    let mut command = on_fake_gpu(folder.path(), line);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.expect("hexcc starts");
    let log = folder.path().join("mine.jsonl");
    let patience = Instant::now() + Duration::from_secs(60);
    while lines_so_far(&log) < 4 && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(50));
    }
    let pid = child.id().to_string();
    succeed(Command::new("sh").arg("-c").arg(format!("kill -INT {pid}"))).expect("it runs");
    let out = child.wait_with_output().expect("it ends");
    let (stdout, stderr) = text_of(&out);
    assert!(out.status.success(), "{stderr}");
    assert!(
        stderr.contains("interrupted") && stdout.contains("tuned: "),
        "{stdout}{stderr}"
    );
    assert!(folder.path().join("mine.html").is_file());
    assert!(folder.path().join("cache/tuned").is_dir());
}

fn lines_so_far(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |t| t.lines().count())
}

/// Without NVRTC, and with one that compiles nothing.
#[test]
fn a_compiler_that_is_missing_or_fails_is_named() {
    for line in [
        "tune jacobi1d.c --set N=4096,T=64 --budget 2s",
        "tune heat3d.c --set N=32,T=8 --budget 2s",
        "bench jacobi2d.c --set N=64,T=8",
    ] {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let mut command = on_fake_gpu(folder.path(), line);
        let out = output(command.env("FAKE_NVRTC_FAIL", "1")).expect("hexcc starts");
        let (_, stderr) = text_of(&out);
        assert_eq!(out.status.code(), Some(1));
        assert!(
            stderr.contains("error[HX0603]") && stderr.contains("a fake failed"),
            "{stderr}"
        );
        // The driver alone; a machine may have an NVRTC of its own.
        let driver = folder.path().join("libcuda.so.1");
        fs::copy(libraries().join("libcuda.so.1"), driver).expect("it can be copied");
        let mut command = on_fake_gpu(folder.path(), line);
        let out = output(command.env("LD_LIBRARY_PATH", folder.path())).expect("hexcc starts");
        let (_, stderr) = text_of(&out);
        assert!(
            out.status.success() || stderr.contains("error[HX0602]"),
            "{stderr}"
        );
    }
}

#[test]
fn sizes_that_do_not_work_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (sizes, code) in [
        ("jacobi2d.c --set M=64", "HX0406"),
        ("jacobi2d.c --set N=1", "HX0606"),
        ("jacobi2d.c --set N=64,T=0", "HX0606"),
        ("jacobi1d.c --set N=2,T=8", "HX0606"),
        ("jacobi2d.c --set N=100000", "HX0604"),
        ("jacobi1d.c --set N=100000000", "HX0604"),
        ("fdtd2d.c --set NX=4000,NY=4000", "HX0604"),
    ] {
        let line = format!("tune {sizes}");
        let out = output(&mut on_fake_gpu(folder.path(), &line)).expect("hexcc starts");
        let (stdout, stderr) = text_of(&out);
        assert_eq!(out.status.code(), Some(1), "{sizes}");
        assert!(
            stderr.contains(&format!("error[{code}]")),
            "{sizes}: {stderr}"
        );
        assert!(stdout.is_empty(), "{sizes}");
    }
}
