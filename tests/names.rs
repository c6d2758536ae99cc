//! Macros of headers and of the command line count like those of the file.

mod common;

use common::{PLAIN, hexcc, root, run, scratch, succeed};
use std::path::Path;
use std::process::Command;

/// What a program prints, built with a compiler and the same header and macros as its translation.
fn printed(compiler: &mut Command, source: &Path, program: &Path, more: &[String]) -> Vec<u8> {
    compiler.args(more).arg(source).arg("-o").arg(program);
    succeed(compiler).expect("it builds");
    run(program, &[], &[]).expect("it runs").0
}

fn check(c: &Path, folder: &Path, define: Option<&str>) {
    let text = folder.join("translation.cu");
    let define: Vec<String> = define.iter().map(|d| format!("-D{d}")).collect();
    let translated = succeed(hexcc().arg(c).args(&define).arg("-o").arg(&text));
    translated.unwrap_or_else(|e| panic!("{}: {e}", c.display()));
    let beside = c.parent().expect("a file is in a folder").display();
    let more = [define, vec![format!("-I{beside}")]].concat();
    let expected = printed(Command::new("cc").args(PLAIN), c, &folder.join("c"), &more);
    let mut emucc = Command::new(root().join("scripts/emucc"));
    let found = printed(
        emucc.args(["-O1", "-w"]),
        &text,
        &folder.join("emulated"),
        &more,
    );
    assert!(!expected.is_empty());
    assert_eq!(
        String::from_utf8_lossy(&found),
        String::from_utf8_lossy(&expected)
    );
}

#[test]
fn macros_of_headers_and_of_the_command_line_are_known() {
    let folder =
        tempfile::tempdir_in(scratch("names")).expect("the build directory can be written");
    let c = root().join("tests/data/headermacros2d.c");
    check(&c, folder.path(), None);
    let text = std::fs::read_to_string(&c).expect("a program");
    let header = root().join("tests/data/headermacros2d.h");
    let report = std::fs::read_to_string(&header).expect("a header");
    let report = report.lines().find(|line| line.contains("REPORT"));
    let given = folder.path().join("given.c");
    let include = "#include \"headermacros2d.h\"";
    let text = text.replace(include, report.unwrap_or_default());
    std::fs::write(&given, text).expect("a file");
    check(&given, folder.path(), Some("NEXT_CELL=c = c + 1"));
}
