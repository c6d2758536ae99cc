//! `--emit c`: the loops as hexcc reads them, with the passes that have changed their text; and kernels
//! in OpenCL C with their launches.

mod common;

use common::{hexcc, output, testsuite};

fn emitted(what: &str, args: &[&str]) -> String {
    let mut command = hexcc();
    command.current_dir(testsuite()).args(args);
    let out = output(command.args(["--emit", what])).expect("hexcc starts");
    assert!(out.status.success(), "{args:?}: {out:?}");
    String::from_utf8(out.stdout).expect("the text is UTF-8")
}

#[test]
fn loops_as_they_are_read() {
    for program in [
        "jacobi2d",
        "real/gray_scott_modulo",
        "real/lbm_flat",
        "steps/bodies2d",
        "steps/guarded2d",
    ] {
        let name = format!("emit_c_{}", program.rsplit('/').next().unwrap_or(program));
        insta::assert_snapshot!(name, emitted("c", &[&format!("{program}.c")]));
    }
}

/// Tiles, single steps, and a reduction; the version of hexcc is left out.
#[test]
fn kernels_of_opencl() {
    for (program, flag) in [
        ("jacobi2d", "--tile=h=1,w=2:8"),
        ("fdtd2d", "--tiling=stepwise"),
        ("steps/power2d", "--sums=parallel"),
    ] {
        let name = format!("opencl_{}", program.rsplit('/').next().unwrap_or(program));
        let text = emitted(
            "kernel",
            &["--target=opencl", flag, &format!("{program}.c")],
        );
        let (_, text) = text.split_once('\n').expect("the text has lines");
        insta::assert_snapshot!(name, text);
    }
}

#[test]
fn saved_scops_have_no_text() {
    let folder =
        tempfile::tempdir_in(common::scratch("emit")).expect("the build directory can be written");
    let saved = folder.path().join("jacobi2d.json");
    let mut command = hexcc();
    command
        .arg(testsuite().join("jacobi2d.c"))
        .args(["--emit", "scop", "-o"]);
    let out = output(command.arg(&saved)).expect("hexcc starts");
    assert!(out.status.success(), "{out:?}");
    let out = output(hexcc().arg(&saved).args(["--emit", "c"])).expect("hexcc starts");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && out.stdout.is_empty(), "{out:?}");
    assert!(said.starts_with("error[HX0509]"), "{said}");
}

/// What passes make, on tiles of both kinds and on single steps.
#[test]
fn passes_as_text() {
    for (what, program, flags) in [
        ("stencil", "jacobi2d", &[][..]),
        ("stencil", "fdtd2d", &[]),
        ("stencil", "steps/maxcalls2d", &[]),
        ("deps", "jacobi2d", &[]),
        ("deps", "fdtd2d", &["--tiling=hybrid"]),
        ("deps", "wave3d", &[]),
        ("schedule", "jacobi2d", &["--tiling=overlapped"]),
        ("schedule", "fdtd2d", &["--tile=h=3,w=3:8"]),
        ("schedule", "steps/power2d", &[]),
    ] {
        let name = format!(
            "emit_{what}_{}",
            program.rsplit('/').next().unwrap_or(program)
        );
        let file = format!("{program}.c");
        let args: Vec<&str> = flags.iter().copied().chain([file.as_str()]).collect();
        insta::assert_snapshot!(name, emitted(what, &args));
    }
    let mut command = hexcc();
    command.current_dir(testsuite());
    let out = output(command.args(["steps/power2d.c", "--emit", "deps"])).expect("hexcc starts");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success() && said.contains("HX0509"), "{said}");
}

#[test]
fn less_than_is_required() {
    for (program, target, is_reached) in [
        ("jacobi2d.c", "cuda", true),
        ("jacobi2d.c", "openmp", true),
        ("steps/segments2d.c", "cuda", true),
        ("steps/torus2d.c", "cuda", true),
        ("steps/power2d.c", "cuda", false),
        ("steps/power2d.c", "openmp", false),
    ] {
        let mut command = hexcc();
        command
            .current_dir(testsuite())
            .args([program, "--require", "tiled", "--target", target]);
        let out = output(&mut command).expect("hexcc starts");
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.success(), is_reached, "{program}: {said}");
        assert_eq!(out.stdout.is_empty(), !is_reached, "{program}");
        assert_eq!(
            said.contains("error[HX0509]: `--require tiled`"),
            !is_reached,
            "{said}"
        );
    }
}

#[test]
fn signatures_are_those_of_clang() {
    insta::assert_snapshot!(
        "emit_signatures",
        emitted("signatures", &["steps/speeds2d.c"])
    );
}

/// Which nests are one launch.
#[test]
fn launches_of_neighbouring_nests() {
    let launches = |program: &str| -> String {
        let mut command = hexcc();
        command.current_dir(testsuite());
        let out = output(command.args(["explain", "--tiling=stepwise", program]));
        let out = out.expect("hexcc starts");
        assert!(out.status.success(), "{program}: {out:?}");
        let said = String::from_utf8(out.stdout).expect("the text is UTF-8");
        let of_step = said.lines().filter(|l| l.starts_with("  step_"));
        of_step.fold(format!("{program}\n"), |all, line| all + line + "\n")
    };
    let programs = ["steps/fusion2d.c", "steps/canny2d.c", "steps/floyd2d.c"];
    insta::assert_snapshot!(programs.map(launches).concat());
}
