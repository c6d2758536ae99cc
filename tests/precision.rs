//! Floats that C computes in `double`: what `--float-literals` makes of them is what an `f` at each
//! literal and function makes.

#![allow(clippy::unwrap_used)]

mod common;

use common::{output, root};
use std::process::Command;

const LITERAL: &str = "testsuite/errors/doubles2d.c";

/// The kernels of a C text.
fn kernels(text: &str, flags: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let (c, cu) = (folder.path().join("f.c"), folder.path().join("f.cu"));
    std::fs::write(&c, text).unwrap();
    let mut hexcc = Command::new(env!("CARGO_BIN_EXE_hexcc"));
    hexcc
        .arg(&c)
        .arg("-o")
        .arg(&cu)
        .arg("--emit=kernel")
        .args(flags);
    let done = output(&mut hexcc).unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{said}");
    (std::fs::read_to_string(cu).unwrap(), said)
}

#[test]
fn literals_and_functions_become_those_of_float() {
    let text = std::fs::read_to_string(root().join(LITERAL)).unwrap();
    let (wide, rest) = text.split_once("\n/* fix:\n").unwrap();
    let narrow = rest.trim_end().trim_end_matches("*/");
    // What generated text says of the source is its line.
    let code = |text: &str| {
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        code.map(str::to_string).collect::<Vec<_>>()
    };
    for tiling in ["hybrid", "overlapped", "stepwise"] {
        let tiling = format!("--tiling={tiling}");
        let (expected, said) = kernels(narrow, &[&tiling]);
        assert!(!said.contains("HX0119"), "{said}");
        for flag in ["--float-literals", "--fast-math"] {
            let (found, said) = kernels(wide, &[&tiling, flag]);
            let (reference, _) = kernels(narrow, &[&tiling, flag]);
            assert!(!said.contains("HX0119"), "{said}");
            assert_eq!(code(&found), code(&reference), "{tiling} {flag}");
            if flag == "--float-literals" {
                assert_eq!(code(&found), code(&expected), "{tiling}");
            }
        }
        let (found, said) = kernels(wide, &[&tiling]);
        assert!(said.contains("HX0119"), "{said}");
        assert!(
            found.contains("0.25 *") && !found.contains("0.25f"),
            "{found}"
        );
    }
}

/// A `double` that is read is meant.
#[test]
fn what_reads_double_stays() {
    let text = "void f(int n, int t, double dt, float u[2][n]) {\n#pragma scop\n\
                for (int s = 0; s < t; s++)\n  for (int i = 1; i < n - 1; i++)\n\
                u[(s + 1) % 2][i] = u[s % 2][i] + 0.5 * dt * (u[s % 2][i - 1] - u[s % 2][i + 1]);\n\
                #pragma endscop\n}\n";
    let (found, said) = kernels(text, &["--float-literals"]);
    assert!(
        !said.contains("HX0119") && found.contains("0.5 * "),
        "{found}"
    );
}
