//! C files, damaged by the tokens of others: reading and translating them ends with a text or
//! with diagnostics. pet runs in a process of its own, as in hexcc; HEXCC_PET_CHILD names it.
#![no_main]

use hexcc_compiler::pipeline::{self, Options};
use hexcc_compiler::scop::{SavedScop, SourceFile};
use hexcc_fuzz::case::find_pet;
use hexcc_fuzz::hostile;
use hexcc_fuzz::rng::Rng;
use hexcc_isl::Ctx;
use hexcc_pet::{PetPaths, Request};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use std::path::PathBuf;
use std::sync::LazyLock;

static WORK: LazyLock<tempfile::TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("a folder for files"));
static CHILD: LazyLock<PathBuf> = LazyLock::new(|| {
    let child = std::env::var_os("HEXCC_PET_CHILD").expect("HEXCC_PET_CHILD is set");
    PathBuf::from(child)
});
static PET: LazyLock<PetPaths> = LazyLock::new(|| find_pet().expect("libpet is set up"));
static SOURCES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let files = hostile::testsuite();
    (files.iter())
        .filter_map(|f| std::fs::read_to_string(f).ok())
        .collect()
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut rng = Rng::new(u64::from(seed), 0);
    if rng.chance(20) {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut bytes = data[..size].to_vec();
    hostile::damage(&mut rng, &mut bytes, &SOURCES);
    bytes.truncate(max_size);
    data[..bytes.len()].copy_from_slice(&bytes);
    bytes.len()
});

fuzz_target!(|data: &[u8]| {
    let file = WORK.path().join("in.c");
    std::fs::write(&file, data).expect("a file can be written");
    let Ok(_) = std::fs::read_to_string(&file) else {
        return;
    };
    let request = Request {
        file: file.clone(),
        function: None,
        include_dirs: Vec::new(),
        defines: Vec::new(),
        pet: PET.clone(),
    };
    let Ok(extraction) = hexcc_pet::extract(&CHILD, &request) else {
        return;
    };
    let saved = SavedScop {
        version: SavedScop::VERSION,
        source: SourceFile {
            path: "in.c".to_string(),
            text: extraction.source,
        },
        scop: extraction.scop,
    };
    let ctx = Ctx::new().expect("memory for a context");
    let options = Options {
        isl_quota: 5_000_000,
        ..Options::default()
    };
    if let Ok(compiled) = pipeline::compile(&ctx, &saved, &options) {
        let text = pipeline::print_program(&saved, &compiled, "fuzz", pipeline::Instrument::None);
        // Internal errors are bugs, too.
        text.unwrap_or_else(|d| panic!("{}", d.message));
    }
});
