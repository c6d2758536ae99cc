//! Many translated programs in one executable of the emulation, next to their C.
//!
//! A program of its own per stencil would spend most of the time in reading
//! the headers and in linking.

use crate::case::{Case, Failure, Translated};
use crate::model::{Elem, Storage};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How a batch is built and run.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Build with AddressSanitizer and UndefinedBehaviorSanitizer.
    pub sanitize: bool,
    /// Let the compiler optimize, which takes twice as long. Runs take little either way.
    pub optimize: bool,
    /// Values of `HEXCC_EMU_SEED`.
    pub seeds: &'a [u64],
}

/// Seconds a program of a batch may take per seed.
const PATIENCE: u64 = 60;

/// Builds and runs; by program, what went wrong.
pub fn run(work: &Path, cases: &[(&Case, &Translated)], plan: Plan) -> Vec<Option<Failure>> {
    if cases.is_empty() {
        return Vec::new();
    }
    let executable = match build(work, cases, plan) {
        Ok(executable) => executable,
        Err(detail) if cases.len() == 1 => {
            return vec![Some(Failure {
                kind: "build",
                detail,
            })];
        }
        // One text that does not compile hides the others.
        Err(_) => {
            let (a, b) = cases.split_at(cases.len() / 2);
            let mut results = run(work, a, plan);
            results.extend(run(work, b, plan));
            return results;
        }
    };
    let mut found: HashMap<u64, Failure> = HashMap::new();
    for seed in plan.seeds {
        let failures = execute(&executable, *seed, cases);
        for (index, failure) in failures {
            found.entry(index).or_insert(failure);
        }
    }
    let _ = std::fs::remove_file(&executable);
    (cases.iter())
        .map(|(case, _)| found.remove(&case.index))
        .collect()
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let out = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| e.to_string())?;
    if out.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&out.stderr);
    let lines: Vec<&str> = (text.lines())
        .filter(|l| l.contains("error") || l.contains("Error"))
        .take(4)
        .collect();
    Err(format!("{}: {}", out.status, lines.join("; ")))
}

fn build(work: &Path, cases: &[(&Case, &Translated)], plan: Plan) -> Result<PathBuf, String> {
    let at = |suffix: &str| work.join(format!("batch{}{suffix}", cases[0].0.index));
    let (c, cu, object, executable) = (at(".c"), at(".cu"), at(".o"), at(""));
    let write = |path: &Path, text: String| std::fs::write(path, text).map_err(|e| e.to_string());
    write(&c, references(cases))?;
    write(&cu, emulated(cases))?;
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-ffp-contract=off", "-std=gnu11", "-w", "-c"]);
    succeed(cc.arg(&c).arg("-o").arg(&object)).map_err(|e| format!("the C program: {e}"))?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut emucc = Command::new(root.join("scripts/emucc"));
    emucc.args([if plan.optimize { "-O1" } else { "-O0" }, "-w", "-I"]);
    emucc.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    // Tests for alignment are a third of the time of a build; one batch in four has them.
    if !(cases[0].0.index / 24).is_multiple_of(4) {
        emucc.arg("-fno-sanitize=alignment");
    }
    if plan.sanitize {
        emucc.arg("-fsanitize=address,undefined");
        // Kernels form addresses of rows that they then do not touch.
        emucc.arg("-fno-sanitize=pointer-overflow");
    }
    let built = succeed(emucc.arg(&cu).arg(&object).arg("-o").arg(&executable));
    for path in [c, cu, object] {
        let _ = std::fs::remove_file(path);
    }
    built.map(|()| executable)
}

/// The functions as they are, for the C compiler.
fn references(cases: &[(&Case, &Translated)]) -> String {
    let mut text = String::from("#include <math.h>\n");
    for (case, _) in cases {
        let name = case.name();
        text.push_str(&case.program.function(&name));
        let call = case.program.call(&name, |a| format!("arrays[{a}]"));
        let _ = writeln!(
            text,
            "void c_{name}(const long long *values, void **arrays) {{ {call}; }}"
        );
    }
    text
}

fn emulated(cases: &[(&Case, &Translated)]) -> String {
    // Headers cannot be included inside a namespace.
    let includes: BTreeSet<&str> = (cases.iter())
        .flat_map(|(_, t)| t.text.lines())
        .filter(|l| l.starts_with("#include"))
        .collect();
    let mut text: String = includes.iter().map(|l| format!("{l}\n")).collect();
    text.push_str("#include \"driver.h\"\n");
    let mut table = String::new();
    for (case, translated) in cases {
        let (name, program) = (case.name(), &case.program);
        let _ = writeln!(text, "namespace in_{name} {{");
        for line in translated.text.lines() {
            if !line.starts_with("#include") {
                text.push_str(line);
                text.push('\n');
            }
        }
        let call = program.call(&name, |a| format!("Any{{arrays[{a}]}}"));
        let types: Vec<String> = (program.arrays.iter())
            .map(|a| {
                let number = match a.elem {
                    Elem::Float => 0,
                    Elem::Double => 1,
                    Elem::Int => 2,
                    Elem::Byte => 3,
                };
                number.to_string()
            })
            .collect();
        let buffers: Vec<String> = (program.arrays.iter())
            .map(|a| match a.storage {
                Storage::Buffer(m) => m.to_string(),
                Storage::Plain | Storage::AllSteps(_) => "1".to_string(),
            })
            .collect();
        let list = |numbers: &mut dyn Iterator<Item = i64>| -> String {
            numbers.fold(String::new(), |text, n| format!("{text}{n}, "))
        };
        let values = list(&mut translated.runs.iter().flatten().copied());
        let bytes = list(&mut (translated.runs.iter()).flat_map(|env| {
            let arrays = program.arrays.iter();
            arrays.map(|a| program.bytes(a, env))
        }));
        let _ = writeln!(
            text,
            "static void cuda(const long long *values, void **arrays) {{ {call}; }}\n\
             static const int types[] = {{{}}}, buffers[] = {{{}}};\n\
             static const long long values[] = {{{values}0}};\n\
             static const long long bytes[] = {{{bytes}0}};\n}}\n\
             extern \"C\" void c_{name}(const long long *values, void **arrays);",
            types.join(", "),
            buffers.join(", ")
        );
        let _ = writeln!(
            table,
            "  {{{}, {}, in_{name}::types, in_{name}::buffers, {}, {}, in_{name}::values, in_{name}::bytes, c_{name}, in_{name}::cuda}},",
            case.index,
            program.arrays.len(),
            translated.runs.len(),
            program.params.len()
        );
    }
    let _ = writeln!(
        text,
        "static const Case cases[] = {{\n{table}}};\n\
         int main() {{ return run_all(cases, {}, {PATIENCE}); }}",
        cases.len()
    );
    text
}

/// Runs the executable under one order of threads.
fn execute(executable: &Path, seed: u64, cases: &[(&Case, &Translated)]) -> Vec<(u64, Failure)> {
    let mut command = Command::new(executable);
    command
        .env("HEXCC_EMU_SEED", seed.to_string())
        .env("HEXCC_EMU_LEAKS", "1")
        .env("HEXCC_RUN_ON", "gpu")
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .stdin(Stdio::null());
    let out = match command.output() {
        Ok(out) => out,
        Err(e) => {
            let failure = |_| Failure {
                kind: "died",
                detail: e.to_string(),
            };
            return cases.iter().map(|(c, _)| (c.index, failure(()))).collect();
        }
    };
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let mut found = Vec::new();
    let mut finished = Vec::new();
    let mut before: Vec<&str> = Vec::new();
    let env = |index: u64, run: usize| {
        let case = cases.iter().find(|(c, _)| c.index == index);
        case.and_then(|(_, t)| t.runs.get(run).cloned())
            .unwrap_or_default()
    };
    let mut at = (0, 0);
    for line in text.lines() {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let number = |n: usize| words.get(n).and_then(|w| w.parse::<u64>().ok());
        match (words.first().copied(), number(1)) {
            (Some("begin"), Some(index)) => {
                at = (index, number(2).unwrap_or(0) as usize);
                before.clear();
            }
            (Some("equal"), Some(index)) => finished.push(index),
            (Some("differs"), Some(index)) => {
                let detail = words.get(3).unwrap_or(&"");
                found.push((
                    index,
                    Failure {
                        kind: "differs",
                        detail: format!("{detail}; sizes {:?}, seed {seed}", env(index, at.1)),
                    },
                ));
            }
            (Some("ended"), Some(index)) => {
                let how = line.splitn(3, ' ').nth(2).unwrap_or("");
                let said: Vec<&str> = (before.iter().copied())
                    .filter(|l| !l.trim().is_empty())
                    .take(3)
                    .collect();
                found.push((
                    index,
                    Failure {
                        kind: "died",
                        detail: format!(
                            "{how}: {}; sizes {:?}, seed {seed}",
                            said.join(" | "),
                            env(index, at.1)
                        ),
                    },
                ));
            }
            _ => before.push(line),
        }
    }
    for (case, _) in cases {
        let known = finished.contains(&case.index) || found.iter().any(|f| f.0 == case.index);
        if !known {
            let failure = Failure {
                kind: "died",
                detail: format!("no result: {}", out.status),
            };
            found.push((case.index, failure));
        }
    }
    found
}
