//! Whole programs that are written as text, without a model of what they compute.

use super::{
    Plan, Report, Translation, Verdict, class, compare, failure, nvcc_compiles, outputs_of_c,
    translate_with,
};
use crate::form::Expect;
use crate::names;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs in which names collide ([`names`]), through hexcc without options.
pub fn run_names(plan: &Plan) -> Report {
    run_texts(plan, names::program, |_| None, &[&[]])
}

/// Translates programs whose planes move in many ways, with an option as in [`crate::planes::tiling`], and compares what they print
/// with C.
pub fn run_planes(
    plan: &Plan,
    program: fn(u64, u64) -> String,
    option: fn(u64) -> Option<&'static str>,
) -> Report {
    let args: [&[&str]; 3] = [&["7"], &["1", "3", "9"], &["12", "9", "40"]];
    run_texts(plan, program, option, &args)
}

/// Whole programs from their seed and number, with these arguments; `option` tells one that hexcc gets, if it does not
/// refuse the program for it.
fn run_texts(
    plan: &Plan,
    program: fn(u64, u64) -> String,
    option: fn(u64) -> Option<&'static str>,
    runs: &[&[&str]],
) -> Report {
    let report = Mutex::new(Report::default());
    let next = AtomicU64::new(plan.first);
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(|| {
                let work = tempfile::tempdir().expect("a folder for files");
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= plan.first + plan.programs {
                        return;
                    }
                    let text = program(plan.seed, index);
                    let text = (index, &text[..], option(index));
                    one_text(plan, work.path(), text, runs, &report);
                }
            });
        }
    });
    report.into_inner().unwrap_or_else(|e| e.into_inner())
}

fn one_text(
    plan: &Plan,
    work: &Path,
    (index, text, option): (u64, &str, Option<&str>),
    runs: &[&[&str]],
    report: &Mutex<Report>,
) {
    let verdict = match option {
        Some(_) => match examine_text(plan, work, (index, text, option), runs) {
            Verdict::Refused(_) => examine_text(plan, work, (index, text, None), runs),
            verdict => verdict,
        },
        None => examine_text(plan, work, (index, text, None), runs),
    };
    let translated = std::fs::read_to_string(work.join("program.cu")).unwrap_or_default();
    let is_tiled = ["// Overlapped tiling", "//   a full tile"]
        .iter()
        .any(|head| translated.contains(head));
    let mut r = report.lock().unwrap_or_else(|e| e.into_inner());
    let f = match verdict {
        Verdict::Equal(runs, nvcc) => {
            r.equal += 1;
            r.tiled += u64::from(is_tiled);
            r.runs += runs;
            r.nvcc += u64::from(nvcc);
            return;
        }
        Verdict::Refused(code) => {
            *r.refused.entry(code).or_default() += 1;
            return;
        }
        Verdict::Failed(f) => f,
    };
    let told = format!(
        "program {index} of seed {}: {}: {}",
        plan.seed, f.kind, f.detail
    );
    let (count, _) = r.failures.entry(class(&f)).or_insert((0, told.clone()));
    *count += 1;
    eprintln!("{told}");
    if let Some(out) = &plan.out
        && std::fs::create_dir_all(out).is_ok()
    {
        let name = format!("names-{}-{index}.c", plan.seed);
        let _ = std::fs::write(out.join(name), format!("/* {told} */\n{text}"));
    }
}

fn examine_text(
    plan: &Plan,
    work: &Path,
    (index, text, option): (u64, &str, Option<&str>),
    runs: &[&[&str]],
) -> Verdict {
    let (c, cu) = (work.join("program.c"), work.join("program.cu"));
    std::fs::write(&c, text).expect("a file can be written");
    let runs: Vec<Vec<String>> = (runs.iter())
        .map(|args| args.iter().map(|arg| arg.to_string()).collect())
        .collect();
    let nth = |n: u64| n > 0 && index.is_multiple_of(n);
    let expected = match outputs_of_c(work, &c, &runs, Expect::Translation, nth(plan.sanitize)) {
        Ok(expected) => expected,
        Err(e) => return failure("generator", e),
    };
    let options: Vec<String> = option.iter().map(|text| text.to_string()).collect();
    match translate_with(plan, &c, &cu, &options) {
        Translation::Failed(f) => return Verdict::Failed(f),
        Translation::Refused(code, _) => return Verdict::Refused(code),
        Translation::Done { .. } => {}
    }
    if let Err(f) = compare(work, &cu, &runs, &expected, index) {
        return Verdict::Failed(f);
    }
    let nvcc = nth(plan.nvcc);
    if nvcc && let Err(e) = nvcc_compiles(work, &cu) {
        return failure("nvcc", e);
    }
    Verdict::Equal(runs.len() as u64, nvcc)
}
