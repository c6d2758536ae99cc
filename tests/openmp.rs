//! Every program of the testsuite as C with OpenMP, built with gcc and compared with C; of those
//! with small tiles every third, with HEXCC_OPENMP_ALL=1 all. tests/golden/verified.txt knows which
//! need not run.

mod common;

use common::ledger::{self, Ledger};
use common::{
    PLAIN, Program, assert_none, cc, hexcc, in_parallel, programs, run, stepwise_programs, succeed,
};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// Warnings are errors, but those of what the C program has, too, and of helpers of the dump.
const FLAGS: [&str; 9] = [
    "-fopenmp",
    "-ffp-contract=off",
    "-std=gnu11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-Wno-unused-function",
    "-Wno-unknown-pragmas",
];

/// As hexcc chooses tiles, the program is built as its header says; with small tiles, faster.
const OPTIMIZATION: [&[&str]; 2] = [&["-O3", "-march=native"], &["-O1"]];

/// A program of which compilers of C warn, for its conversions.
const WARNED_OF: &str = "conversions2d";

/// Programs that are refused: pointers that are swapped between pragmas.
const NOT_TAKEN: [&str; 3] = ["markedtables2d", "swapmarked2d", "swaptube2d"];

#[test]
fn results_equal_c() {
    let folder = common::scratch("openmp");
    let folder = tempfile::tempdir_in(folder).expect("the build directory can be written");
    let every = std::env::var_os("HEXCC_OPENMP_ALL").is_some_and(|v| v == "1");
    let all: Vec<(Program, String)> = [programs(), stepwise_programs()]
        .concat()
        .into_iter()
        .filter(|program| !NOT_TAKEN.contains(&program.name.as_str()))
        .filter(|program| program.name != WARNED_OF)
        .enumerate()
        .flat_map(|(index, program)| {
            let small = program.tiles.last().filter(|_| every || index % 3 == 0);
            let given = small.map(|tile| format!("--tile={tile}"));
            let flags = ["--target=openmp".to_string()].into_iter().chain(given);
            let flags: Vec<String> = flags.collect();
            flags.into_iter().map(move |flag| (program.clone(), flag))
        })
        .collect();
    let ledger = Ledger::open("openmp", "HEXCC_OPENMP_ALL");
    let results = in_parallel(&all, |(program, flag)| {
        check(&ledger, program, flag, folder.path())
    });
    ledger::close(ledger);
    let failures: Vec<String> = (all.iter().zip(results))
        .filter_map(|((program, flag), result)| {
            Some(format!("{} {flag}: {}", program.name, result.err()?))
        })
        .collect();
    assert_none("programs do not do what C does", &failures);
}

fn check(ledger: &Ledger, program: &Program, flag: &str, folder: &Path) -> Result<(), String> {
    let is_given = flag.starts_with("--tile");
    let flag_name = flag.replace([':', ',', '='], "_");
    let path = |suffix: &str| folder.join(format!("{}{flag_name}{suffix}", program.name));
    let [text, c] = ["-openmp.c", "-c.c"].map(&path);
    let mut command = hexcc();
    // What is compared here is the hash of all bits.
    command.args((program.ulps > 0).then_some("--sums=ordered"));
    command.args(["--instrument", "--target=openmp"]);
    command.args(is_given.then_some(flag));
    command.args(&program.flags).arg(&program.path);
    command.arg("--reference").arg(&c).arg("-o").arg(&text);
    match succeed(&mut command) {
        // isl does not make the loops of every tile in the time that a translation has.
        Err(e) if is_given && e.contains("error[HX0401]") => return Ok(()),
        translated => translated.map_err(|e| format!("does not translate: {e}"))?,
    };
    let read = |path: &Path| fs::read_to_string(path).map_err(|e| e.to_string());
    let (openmp, reference, runs) = (read(&text)?, read(&c)?, format!("{:?}", program.runs));
    let inputs = [
        include_str!("openmp.rs"),
        include_str!("common/building.rs"),
        &openmp,
        &reference,
        &runs,
        if is_given { "small tiles" } else { "" },
    ];
    ledger.verify(&inputs, || compare_with_c(program, is_given, (&text, &c)))
}

/// Builds C with OpenMP and C, and compares them.
fn compare_with_c(
    program: &Program,
    is_given: bool,
    (text, c): (&Path, &Path),
) -> Result<(), String> {
    let (found, expected) = (text.with_extension(""), c.with_extension(""));
    let optimization = OPTIMIZATION[usize::from(is_given)];
    cc(&[optimization, &FLAGS].concat(), text, &found, &["-lm"])?;
    cc(&PLAIN, c, &expected, &["-lm"])?;
    let threads = [("OMP_NUM_THREADS", OsStr::new("3"))];
    for args in &program.runs {
        let [found, expected] = [&found, &expected].map(|program| run(program, args, &threads));
        let (found, expected) = (found?, expected.map_err(|e| format!("the C program: {e}"))?);
        if found != expected {
            return Err(format!("differs from C with {args:?}"));
        }
    }
    Ok(())
}
