//! C files, changed in ways that leave many of them C: reading and translating them ends with a
//! text or with diagnostics, in time, and what gcc accepts as C has a translation that it accepts
//! as C++.
//!
//! pet runs in a process of its own, as in hexcc, forked from one that has it loaded;
//! HEXCC_PET_CHILD names hexcc-fuzz. What goes wrong is kept by class in the folder that
//! HEXCC_FINDINGS names, and the run goes on; only what ends this process ends it.
#![no_main]

use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::pipeline::{self, Options};
use hexcc_compiler::scop::{SavedScop, SourceFile};
use hexcc_fuzz::case::find_pet;
use hexcc_fuzz::findings::Findings;
use hexcc_fuzz::forms;
use hexcc_fuzz::hostile;
use hexcc_fuzz::mutate;
use hexcc_fuzz::rng::Rng;
use hexcc_fuzz::server::{SOCKET_VARIABLE, Server};
use hexcc_isl::Ctx;
use hexcc_pet::{PetError, PetPaths, Request};
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What all runs share.
struct World {
    work: tempfile::TempDir,
    child: PathBuf,
    pet: PetPaths,
    findings: Findings,
    _server: Server,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let work = tempfile::tempdir().expect("a folder for files");
    let child = std::env::var_os("HEXCC_PET_CHILD").expect("HEXCC_PET_CHILD is set");
    let child = PathBuf::from(child);
    let socket = work.path().join("socket");
    let server = Server::start(&child, &socket).expect("the server of pet children starts");
    // SAFETY: libFuzzer runs one thread, and this is before the first input.
    unsafe { std::env::set_var(SOCKET_VARIABLE, &socket) };
    let findings = std::env::var_os("HEXCC_FINDINGS").expect("HEXCC_FINDINGS is set");
    // Panics are findings like others, instead of the end that libfuzzer-sys makes of them.
    std::panic::set_hook(Box::new(|_| {}));
    World {
        work,
        child,
        pet: find_pet().expect("libpet is set up"),
        findings: Findings::new(PathBuf::from(findings)),
        _server: server,
    }
});

static SOURCES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut files = hostile::testsuite();
    if let Some(seeds) = std::env::var_os("HEXCC_SEEDS") {
        files.extend(std::fs::read_dir(seeds).into_iter().flatten().flatten().map(|e| e.path()));
    }
    (files.iter())
        .filter_map(|f| std::fs::read_to_string(f).ok())
        .collect()
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut rng = Rng::new(u64::from(seed), 0);
    if rng.chance(3) {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut bytes = data[..size].to_vec();
    for _ in 0..1 + rng.weighted(&[60, 25, 15]) {
        mutate::mutate(&mut rng, &mut bytes, &SOURCES);
    }
    bytes.truncate(max_size);
    data[..bytes.len()].copy_from_slice(&bytes);
    bytes.len()
});

/// The longest that a translation may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// One in so many translations is given to compilers, which takes longer than all the rest.
const SAMPLE: u64 = 8;

/// A translation, or what went wrong: kind and message. `None` for refusals.
fn translate(source: String, extraction: hexcc_pet::Extraction) -> Result<Option<String>, (&'static str, String)> {
    let saved = SavedScop {
        version: SavedScop::VERSION,
        source: SourceFile {
            path: "in.c".to_string(),
            text: source,
        },
        scop: extraction.scop,
    };
    let internal = |d: &Diagnostic| ("internal", format!("{}: {}", d.code, d.message));
    let ctx = Ctx::new().map_err(|e| ("internal", format!("no context: {e}")))?;
    let options = Options {
        isl_quota: 5_000_000,
        ..Options::default()
    };
    let compiled = match pipeline::compile(&ctx, &saved, &options) {
        Ok(compiled) => compiled,
        Err(d) if d.code.starts_with("HX9") => return Err(internal(&d)),
        Err(_) => return Ok(None),
    };
    let text = pipeline::print_program(&saved, &compiled, "fuzz", pipeline::Instrument::None);
    text.map(Some).map_err(|d| internal(&d))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = (panic.downcast_ref::<String>().cloned())
        .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
    text.unwrap_or_default()
}

/// What went wrong with a file, and whether it was translated at all.
fn examine(world: &World, data: &[u8]) -> Result<bool, (&'static str, String)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let file = world.work.path().join("in.c");
    std::fs::write(&file, data).expect("a file can be written");
    let request = Request {
        file: file.clone(),
        function: None,
        include_dirs: Vec::new(),
        defines: Vec::new(),
        pet: world.pet.clone(),
    };
    let extraction = match hexcc_pet::extract(&world.child, &request) {
        Ok(extraction) => extraction,
        Err(PetError::Crashed { signal, stderr, .. }) => {
            // The assertion that failed is the class.
            let last = stderr.lines().rfind(|l| l.contains("ssert")).or(stderr.lines().last());
            return Err(("pet", format!("signal {signal:?}: {}", last.unwrap_or(""))));
        }
        Err(e @ (PetError::Protocol(_) | PetError::TimedOut { .. })) => {
            return Err(("pet", format!("{e:?}")));
        }
        Err(_) => return Ok(false),
    };
    let source = extraction.source.clone();
    let result = catch_unwind(AssertUnwindSafe(|| translate(source, extraction)));
    let text = result.map_err(|p| ("panic", panic_text(&*p)))??;
    let Some(text) = text else { return Ok(false) };
    if COUNT.fetch_add(1, Ordering::Relaxed) % SAMPLE == 0 {
        forms::compilers_agree(world.work.path(), &file, &text).map_err(|e| ("rejected", e))?;
    }
    Ok(true)
}

fuzz_target!(|data: &[u8]| -> Corpus {
    let world = &*WORLD;
    if std::str::from_utf8(data).is_err() {
        return Corpus::Reject;
    }
    let began = Instant::now();
    let mut result = examine(world, data);
    if result.is_ok() && began.elapsed() > PATIENCE {
        // Others may have kept the machine busy: twice is no accident.
        let again = Instant::now();
        result = examine(world, data);
        if again.elapsed() > PATIENCE {
            result = Err(("slow", "more than 10 s".to_string()));
        }
    }
    match result {
        Ok(_) => Corpus::Keep,
        Err((kind, detail)) => {
            world.findings.add(kind, &detail, data);
            Corpus::Reject
        }
    }
});
