//! Every program of the testsuite, translated, run in the CPU emulation of CUDA
//! and compared with the C program; its text is compared with tests/golden/hashes.txt.
//!
//! HEXCC_E2E=name,name limits the programs. What runs is what tests/golden/verified.txt does not
//! know, and an eighth of the rest; with HEXCC_E2E_ALL=1 all (tests/common/ledger.rs).

mod common;
mod golden;

use common::emulated::{self, Bench, References};
use common::ledger::{self, Ledger};
use common::{
    Program, applications, assert_none, hexcc, in_parallel, programs, say, stepwise_programs,
    succeed,
};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[test]
fn testsuite_is_tidy() {
    assert_none("problems in testsuite/", &common::problems());
}

#[test]
fn results_equal_c() {
    let begin = Instant::now();
    let bench = Bench::new();
    let ledger = Ledger::open("e2e", "HEXCC_E2E_ALL");
    let suite = suite();
    let references = References::default();
    let results = in_parallel(&suite.translations, |translation| {
        let begin = Instant::now();
        let Translation { program, texts, .. } = translation;
        let result = match texts {
            Ok((text, c)) => emulated::check(&bench, &ledger, program, (text, c), &references),
            Err(e) => Err(e.clone()),
        };
        (result, begin.elapsed())
    });
    let mut failures = Vec::new();
    let mut walls: HashMap<&str, Duration> = HashMap::new();
    for (translation, (result, wall)) in suite.translations.iter().zip(&results) {
        let name = &translation.program.name;
        *walls.entry(name).or_default() += *wall;
        if let Err(e) = result {
            failures.push(format!("{name} {}: {e}", translation.arguments.join(" ")));
        }
    }
    say(format!(
        "e2e: {} programs, {} built, {} runs and {} with failing allocations or launches in {:.1} s, {} failures",
        suite.programs.len(),
        bench.n_built.load(Ordering::Relaxed),
        bench.n_runs.load(Ordering::Relaxed),
        bench.n_failing.load(Ordering::Relaxed),
        begin.elapsed().as_secs_f64(),
        failures.len()
    ));
    ledger::close(ledger);
    bench.sweep();
    if !failures.is_empty() {
        let mut walls: Vec<_> = walls.into_iter().collect();
        walls.sort_by_key(|(_, wall)| std::cmp::Reverse(*wall));
        for (name, wall) in walls {
            say(format!("  {:7.2} s {name}", wall.as_secs_f64()));
        }
    }
    assert_none("programs do not do what C does", &failures);
}

#[test]
fn text_is_golden() {
    let tiled: Vec<Program> = (suite().programs.iter())
        .filter(|p| !p.tiles.is_empty())
        .cloned()
        .collect();
    let mut texts = golden::further(&tiled, &suite().saved);
    for translation in &suite().translations {
        let text = translation.texts.as_ref().map(|(text, _)| text.clone());
        let key = golden::key(&translation.program.path, &translation.arguments);
        texts.insert(key, text.map_err(Clone::clone));
    }
    // What printers do not know has no name, neither this nor one of another kind.
    let made_up = |text: &str| text.contains("undefined_") || text.contains('\u{fdd0}');
    let unknown = texts
        .iter()
        .filter(|(_, text)| text.as_ref().is_ok_and(|t| made_up(t)));
    let unknown: Vec<String> = unknown.map(|(key, _)| key.clone()).collect();
    assert_none("texts use what nothing defines", &unknown);
    golden::check(&texts);
}

/// The testsuite, translated; the tests share it.
struct Suite {
    programs: &'static [Program],
    /// By program with tiles, its saved scop.
    saved: golden::Saved,
    translations: Vec<Translation>,
}

struct Translation {
    program: &'static Program,
    /// Arguments that the text depends on.
    arguments: Vec<String>,
    /// CUDA, and the C to compare with.
    texts: Result<(String, String), String>,
}

fn suite() -> &'static Suite {
    static SUITE: OnceLock<Suite> = OnceLock::new();
    SUITE.get_or_init(|| {
        let programs: &'static [Program] = [programs(), stepwise_programs(), applications()]
            .concat()
            .leak();
        let jobs: Vec<_> = (programs.iter())
            .flat_map(|program| variants(program).map(move |flags| (program, flags)))
            .collect();
        let saved = golden::Saved::new(programs);
        let work = tempfile::tempdir_in(common::scratch("e2e"))
            .expect("the build directory can be written");
        let serial = AtomicUsize::new(0);
        let translations = in_parallel(&jobs, |&(program, ref flags)| {
            let n = serial.fetch_add(1, Ordering::Relaxed);
            let arguments = [&program.flags, flags, &["--instrument".to_string()][..]].concat();
            let c = work.path().join(format!("{n}.c"));
            let input = saved.input(program, flags);
            let texts = input.and_then(|input| translate(&input, &arguments, &c));
            Translation {
                program,
                arguments,
                texts,
            }
        });
        Suite {
            programs,
            saved,
            translations,
        }
    })
}

fn translate(input: &Path, arguments: &[String], c: &Path) -> Result<(String, String), String> {
    let mut command = hexcc();
    command.args(golden::GPU).arg(input).args(arguments);
    command.arg("--reference").arg(c);
    let text = succeed(&mut command).map_err(|e| format!("does not translate: {e}"))?;
    Ok((text, fs::read_to_string(c).map_err(|e| e.to_string())?))
}

/// Flags for each translation of a program.
fn variants(program: &Program) -> impl Iterator<Item = Vec<String>> {
    let tile = |tile: &String| vec!["--tile".to_string(), tile.clone()];
    let global = program.tiles.first().map(|t| {
        let mut flags = tile(t);
        flags.extend(["--memory".to_string(), "global".to_string()]);
        flags
    });
    let tiles: Vec<_> = program.tiles.iter().map(tile).collect();
    let last = program.tiles.last().map(tile).unwrap_or_default();
    let others = (program.variants.iter()).map(move |set| [last.as_slice(), set].concat());
    let streams = (program.streams.iter()).map(|tile| {
        let flags = ["--stream-tile", tile];
        flags.map(str::to_string).to_vec()
    });
    // Applications have kernels of several cells a thread, which small domains do not have by default.
    let kernels: &[&str] = match program.path.starts_with(common::root().join("bench")) {
        true => &["coarsened", "streamed", "tiled", "streamed-tiled"],
        false => &[],
    };
    // Tiles of 19 planes take too much memory; in a box, other planes are read beside the cell, too.
    let name = program.path.file_stem().unwrap_or_default();
    let without: &[&str] = match name.to_str() {
        Some("lbm_d3q19") => &["tiled", "streamed-tiled"],
        Some("binomial2d") => &["streamed-tiled"],
        _ => &[],
    };
    let kernels = (kernels.iter()).filter(|kernel| !without.contains(kernel));
    let kernels = kernels.map(|kernel| {
        let flags = ["--kernel", kernel];
        flags.map(str::to_string).to_vec()
    });
    // What is tiled runs in single steps, too.
    let steps = (!program.tiles.is_empty()).then(|| {
        let flags = ["--tiling", "stepwise"];
        flags.map(str::to_string).to_vec()
    });
    std::iter::once(Vec::new())
        .chain(steps)
        .chain(tiles)
        .chain(global)
        .chain(others)
        .chain(streams)
        .chain(kernels)
}
