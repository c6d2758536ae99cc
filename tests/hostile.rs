//! What a hostile world does to the command: damaged input, nonsense arguments,
//! full and read-only disks, interrupts. `hexcc-fuzz --hostile N` does more.

mod common;

use common::{hexcc, testsuite};
use hexcc_fuzz::hostile::{self, Plan};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn damaged_input_gives_a_message_or_a_whole_output() {
    let report = hostile::run(&Plan {
        hexcc: Path::new(env!("CARGO_BIN_EXE_hexcc")),
        sources: hostile::testsuite(),
        seed: 3,
        runs: 150,
        first: 0,
        // The machine may be busy with other tests.
        patience: Duration::from_secs(60),
        out: None,
    });
    common::assert_none("runs went wrong", &report.failures);
}

#[test]
fn a_full_disk_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let input = testsuite().join("jacobi1d.c");
    let out = hexcc()
        .arg(&input)
        .args(["-o", "/dev/full"])
        .output()
        .expect("hexcc starts");
    assert_eq!(out.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&out.stderr).contains("error[HX0503]"));
    let full = fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full can be opened");
    let out = hexcc()
        .arg(&input)
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .expect("hexcc starts");
    assert_eq!(out.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&out.stderr).contains("error[HX0503]"));
}

#[test]
fn read_only_input_and_odd_names() {
    let work = tempfile::tempdir().expect("a folder for files");
    let folder = work.path().join("a b'c \u{fc}\u{1f600}");
    fs::create_dir(&folder).expect("a folder can be made");
    let input = folder.join("in put\u{e9}.c");
    fs::copy(testsuite().join("jacobi1d.c"), &input).expect("a file can be copied");
    fs::set_permissions(&input, fs::Permissions::from_mode(0o444)).expect("it can be read-only");
    let output = folder.join("-o \"x\".cu");
    let status = hexcc().arg(&input).arg("-o").arg(&output).status();
    assert!(status.is_ok_and(|s| s.success()));
    assert!(output.is_file());
}

/// An interrupt leaves the old output or the new one, and nothing else.
#[test]
fn an_interrupt_leaves_no_partial_output() {
    let work = tempfile::tempdir().expect("a folder for files");
    let output = work.path().join("out.cu");
    let old = "// the output of another day\n";
    let (mut kept, mut written) = (0, 0);
    for wait in (0..16).map(|n| n * 25) {
        fs::write(&output, old).expect("a file can be written");
        // Whoever runs the tests may have interrupts ignored.
        let mut child = Command::new("env")
            .arg("--default-signal=INT")
            .arg(env!("CARGO_BIN_EXE_hexcc"))
            .arg(testsuite().join("heat3d.c"))
            .arg("-o")
            .arg(&output)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("hexcc starts");
        std::thread::sleep(Duration::from_millis(wait));
        let kill = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .stderr(Stdio::null())
            .status();
        assert!(kill.is_ok());
        child.wait().expect("hexcc ends");
        let text = fs::read_to_string(&output).expect("an output is there");
        if text == old {
            kept += 1;
        } else {
            written += 1;
            assert!(text.ends_with("}\n"), "{wait} ms: a partial output");
        }
    }
    assert!(kept > 0, "no interrupt came in time ({written} outputs)");
}
