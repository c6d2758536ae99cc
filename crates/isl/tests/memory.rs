//! Runs the tests of `wrapper.rs` in a process of their own: under valgrind they show no leak and
//! no invalid access, and isl prints nothing.
#![allow(clippy::unwrap_used)]

use std::process::Command;

/// The tests are compiled in here, so that this binary can run them under valgrind. They run once
/// more without it, which takes no time.
#[path = "wrapper.rs"]
mod wrapper;

const INNER: &str = "HEXCC_ISL_UNDER_VALGRIND";

#[test]
fn no_leak_and_no_invalid_access() {
    if std::env::var_os(INNER).is_some() {
        return;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("skipped: valgrind is not installed");
        return;
    }
    let output = Command::new("valgrind")
        .args(["--quiet", "--leak-check=full", "--error-exitcode=9"])
        .args([
            "--errors-for-leak-kinds=definite",
            "--show-leak-kinds=definite",
        ])
        .arg(std::env::current_exe().unwrap())
        .args(["--test-threads=1", "wrapper::"])
        .env(INNER, "1")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn errors_print_nothing() {
    if std::env::var_os(INNER).is_some() {
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--nocapture", "--exact", "wrapper::errors_are_values"])
        .env(INNER, "1")
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    // The harness's own report is all there is.
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("1 passed"), "{stdout}");
}
