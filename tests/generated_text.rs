//! Size of the generated text, and the time to make it.

mod common;

use common::{Program, assert_none, hexcc, in_parallel, output, programs, say};
use std::process::Command;
use std::time::Duration;

/// Lines that translation may add to a program with one statement.
const ONE_STATEMENT: usize = 400;
/// Lines that translation may add to any program.
const ANY: usize = 900;
/// The aim is one second in a release build; test machines are noisy.
const PATIENCE: Duration = Duration::from_secs(3);

/// Number of statements a generated text has kernels for.
fn statements(text: &str) -> usize {
    text.lines()
        .filter(|l| l.trim_start().starts_with("// S_") && l.contains(", line "))
        .count()
}

#[test]
fn text_is_short() {
    let all = programs();
    let lines = in_parallel(&all, |program| {
        let out = output(hexcc().arg(&program.path).args(&program.flags))?;
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        if !out.status.success() {
            return Err(format!(
                "does not translate: {}",
                String::from_utf8_lossy(&out.stderr).trim_end()
            ));
        }
        let added = text
            .lines()
            .count()
            .saturating_sub(program.text.lines().count());
        Ok((added, statements(&text)))
    });
    let mut failures = Vec::new();
    let mut longest = (0, "none", 0);
    for (program, result) in all.iter().zip(lines) {
        match result {
            Ok((added, statements)) => {
                longest = longest.max((added, &program.name, statements));
                let limit = if statements <= 1 { ONE_STATEMENT } else { ANY };
                if statements == 0 || added > limit {
                    failures.push(format!(
                        "{}: {added} lines for {statements} statements",
                        program.name
                    ));
                }
            }
            Err(e) => failures.push(format!("{}: {e}", program.name)),
        }
    }
    let (lines, name, n) = longest;
    say(format!(
        "text: at most {lines} lines are added ({name}, {n} statements)"
    ));
    assert_none("programs with generated text of a wrong size", &failures);
}

/// Processor time of a translation: the clock on the wall also sees what else
/// the machine does.
fn processor_time(program: &Program) -> Duration {
    let mut command = Command::new("bash");
    let script = "TIMEFORMAT='%U %S'; time \"$0\" \"$@\" >/dev/null 2>&1";
    command.args(["-c", script, env!("CARGO_BIN_EXE_hexcc")]);
    command
        .arg(&program.path)
        .args(&program.flags)
        .env("LC_ALL", "C");
    let out = output(&mut command).expect("bash can be started");
    let text = String::from_utf8_lossy(&out.stderr);
    let seconds: Option<Vec<f64>> = text.split_whitespace().map(|n| n.parse().ok()).collect();
    let seconds = seconds
        .filter(|s| s.len() == 2)
        .expect("bash prints two times");
    Duration::from_secs_f64(seconds.iter().sum())
}

#[test]
fn translation_is_quick() {
    if cfg!(debug_assertions) {
        say("translation time: measured in release builds only");
        return;
    }
    let all = programs();
    let mut times = Vec::new();
    for program in &all {
        let time = processor_time(program);
        times.push((time.min(processor_time(program)), &program.name));
    }
    times.sort_by(|a, b| b.cmp(a));
    let n_slow = (times.iter())
        .filter(|(time, _)| *time > Duration::from_secs(1))
        .count();
    let slow: Vec<String> = (times.iter().take(n_slow.max(1)))
        .map(|(time, name)| format!("{name} {:.2} s", time.as_secs_f64()))
        .collect();
    let total: Duration = times.iter().map(|(time, _)| *time).sum();
    say(format!(
        "translation time: mean {:.2} s; slowest and those above 1 s: {}",
        total.as_secs_f64() / times.len().max(1) as f64,
        slow.join(", ")
    ));
    let too_slow: Vec<String> = (times.iter().filter(|(time, _)| *time > PATIENCE))
        .map(|(time, name)| format!("{name}: {:.2} s", time.as_secs_f64()))
        .collect();
    assert_none("programs take too long to translate", &too_slow);
}
