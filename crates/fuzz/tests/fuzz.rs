//! A short run of the fuzzer; `cargo run --release -p hexcc-fuzz -- --help` tells
//! of long ones.

use std::process::Command;

#[test]
fn random_programs_do_what_c_does() {
    let out = tempfile::tempdir().expect("a folder for failures");
    let run = Command::new(env!("CARGO_BIN_EXE_hexcc-fuzz"))
        .args(["--programs", "300", "--seed", "5"])
        .args(["--shrink", "30", "--optimize", "1", "--quiet", "--out"])
        .arg(out.path())
        .output()
        .expect("the fuzzer starts");
    let text = String::from_utf8_lossy(&run.stdout);
    let errors = String::from_utf8_lossy(&run.stderr);
    eprint!("{text}");
    assert!(run.status.success(), "{text}{errors}");
    assert!(text.starts_with("300 programs"), "{text}{errors}");
}
