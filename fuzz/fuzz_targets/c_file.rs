//! C files, changed in ways that leave many of them C: reading and translating them ends with a
//! text or with diagnostics, in time, and what gcc accepts as C has a translation that it accepts
//! as C++.
//!
//! Files are read by the modules of the command. pet runs in processes of their own, as in hexcc,
//! forked from one that has it loaded; HEXCC_PET_CHILD names hexcc-fuzz, which is that one. What
//! goes wrong is kept by class in the folder that HEXCC_FINDINGS names, and the run goes on; only
//! what ends this process ends it.
#![no_main]

#[allow(dead_code)]
#[path = "../../src/bytes.rs"]
mod bytes;
#[allow(dead_code)]
#[path = "../../src/input/mod.rs"]
mod input;
#[allow(dead_code)]
#[path = "../../src/limit.rs"]
mod limit;
#[allow(dead_code)]
#[path = "../../src/render.rs"]
mod render;

use hexcc_compiler::back::Host;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::options::{Options, Sums};
use hexcc_compiler::output;
use hexcc_compiler::pipeline;
use hexcc_compiler::scop::{SavedScop, SourceFile};
use hexcc_fuzz::findings::Findings;
use hexcc_fuzz::forms;
use hexcc_fuzz::hostile;
use hexcc_fuzz::mutate;
use hexcc_fuzz::rng::Rng;
use hexcc_fuzz::server::{self, SOCKET_VARIABLE, Server};
use hexcc_isl::Ctx;
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What all runs share.
struct World {
    work: tempfile::TempDir,
    findings: Findings,
    _server: Server,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let work = tempfile::tempdir().expect("a folder for files");
    let child = std::env::var_os("HEXCC_PET_CHILD").expect("HEXCC_PET_CHILD is set");
    let socket = work.path().join("socket");
    let server =
        Server::start(Path::new(&child), &socket).expect("the server of pet children starts");
    // SAFETY: libFuzzer runs one thread, and this is before the first input.
    unsafe { std::env::set_var(SOCKET_VARIABLE, &socket) };
    let findings = std::env::var_os("HEXCC_FINDINGS").expect("HEXCC_FINDINGS is set");
    // Panics are findings like others, instead of the end that libfuzzer-sys makes of them.
    std::panic::set_hook(Box::new(|_| {}));
    World {
        work,
        findings: Findings::new(PathBuf::from(findings)),
        _server: server,
    }
});

static SOURCES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut files = hostile::testsuite();
    if let Some(seeds) = std::env::var_os("HEXCC_SEEDS") {
        files.extend(
            std::fs::read_dir(seeds)
                .into_iter()
                .flatten()
                .flatten()
                .map(|e| e.path()),
        );
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

/// Processor time that a translation may take, although instrumented.
const PATIENCE: Duration = Duration::from_secs(10);
/// One in so many translations is given to compilers, which takes longer than all the rest.
const SAMPLE: u64 = 8;

type Wrong = (&'static str, String);

/// The internal error among diagnostics, if there is one. All of them have to be printable.
fn internal(diagnostics: &[Diagnostic], source: Option<&SourceFile>) -> Option<Wrong> {
    let _ = render::to_text(diagnostics, source);
    let d = diagnostics.iter().find(|d| d.code.starts_with("HX9"))?;
    // Of a crash in libpet, the signal and the last message are the class.
    let note = if d.code == "HX9002" {
        d.notes.join(" ")
    } else {
        String::new()
    };
    Some(("internal", format!("{}: {} {note}", d.code, d.message)))
}

/// A translation, or what went wrong; `None` for refusals.
fn translate(saved: &SavedScop) -> Result<Option<String>, Wrong> {
    let refused = |d: Diagnostic| match internal(std::slice::from_ref(&d), Some(&saved.source)) {
        Some(wrong) => Err(wrong),
        None => Ok(None),
    };
    let ctx = Ctx::new().map_err(|e| ("internal", format!("no context: {e}")))?;
    let options = Options {
        isl_quota: 5_000_000,
        ..Options::default()
    };
    let compiled = match pipeline::compile(&ctx, saved, &options) {
        Ok(compiled) => compiled,
        Err(d) => return refused(*d),
    };
    match output::print_program(saved, &compiled, "fuzz", Host::PLAIN) {
        Ok(text) => Ok(Some(text)),
        Err(d) => refused(*d),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = (panic.downcast_ref::<String>().cloned())
        .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
    text.unwrap_or_default()
}

/// What went wrong with a file.
fn examine(world: &World, data: &[u8]) -> Result<(), Wrong> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let file = world.work.path().join("in.c");
    std::fs::write(&file, data).expect("a file can be written");
    let options = input::InputOptions {
        file: file.clone(),
        others: Vec::new(),
        function: None,
        line: None,
        include_dirs: Vec::new(),
        defines: Vec::new(),
        sums: Sums::Parallel,
    };
    let translated = catch_unwind(AssertUnwindSafe(|| {
        match input::read(&options, &limit::TimeLimit::none()) {
            Ok(read) => translate(&read.saved),
            Err(failure) if failure.diagnostics.iter().any(|d| d.code == "HX0502") => {
                eprintln!("libpet is not set up, or not the one that the server has");
                std::process::exit(2);
            }
            Err(failure) => match internal(&failure.diagnostics, failure.source.as_ref()) {
                Some(wrong) => Err(wrong),
                None => Ok(None),
            },
        }
    }));
    let text = translated.map_err(|p| ("panic", panic_text(&*p)))??;
    match text {
        Some(text) if COUNT.fetch_add(1, Ordering::Relaxed) % SAMPLE == 0 => {
            forms::compilers_agree(world.work.path(), &file, &text).map_err(|e| ("rejected", e))
        }
        _ => Ok(()),
    }
}

/// What this process has used; libpet's part has limits of its own.
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: clock_gettime writes one structure.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// This program is also what [`hexcc_pet::extract`] starts, to reach the server.
fn relay() {
    if std::env::args().nth(1).as_deref() != Some(hexcc_pet::CHILD_ARGUMENT) {
        return;
    }
    let socket = std::env::var_os(SOCKET_VARIABLE).unwrap_or_default();
    let code = match server::relay(Path::new(&socket)) {
        Ok(code) => i32::from(code),
        Err(_) => 2,
    };
    // Without libFuzzer's reports at the end.
    // SAFETY: ends the process, which holds nothing.
    unsafe { libc::_exit(code) }
}

fuzz_target!(init: relay(), |data: &[u8]| -> Corpus {
    let world = &*WORLD;
    let began = processor_time();
    let result = examine(world, data);
    let took = processor_time().saturating_sub(began);
    match result {
        Ok(()) if took > PATIENCE => {
            let detail = format!("{} s of processor time", took.as_secs());
            world.findings.add("slow", &detail, data);
            Corpus::Reject
        }
        Ok(()) => Corpus::Keep,
        Err((kind, detail)) => {
            world.findings.add(kind, &detail, data);
            Corpus::Reject
        }
    }
});
