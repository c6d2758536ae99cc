//! Size of the generated text, and the time to make it.

mod common;

use common::{Program, assert_none, hexcc, in_parallel, output, programs, say};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// Lines that translation may add to a program with one statement.
const ONE_STATEMENT: usize = 400;
/// Lines that translation may add to any program.
const ANY: usize = 900;
/// The aim in a release build, which is told of.
const AIM: Duration = Duration::from_secs(1);
/// How many times as long as the mean a translation may take, however fast the machine is: the mean is 0.2 s where
/// the slowest may take 3.
const PATIENCE: u32 = 15;

/// Number of statements a generated text has kernels for.
fn statements(text: &str) -> usize {
    text.lines()
        .filter(|l| l.trim_start().starts_with("// S_") && l.contains(", line "))
        .count()
}

/// A text, and the processor time it took: the clock on the wall also sees what else the machine does.
type Translation = Result<(String, Duration), String>;

fn translate(program: &Program) -> Translation {
    let mut command = Command::new("bash");
    // The times are the last line of what it says.
    let script = "TIMEFORMAT='%U %S'; time \"$0\" \"$@\"";
    let hexcc = hexcc();
    command.args(["-c", script]).arg(hexcc.get_program());
    for (name, value) in hexcc.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.arg(&program.path).args(&program.flags);
    // What decides where loops run is the same in all programs, and has a limit of its own.
    command.arg("--always-gpu");
    let out = output(command.env("LC_ALL", "C"))?;
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    if !out.status.success() {
        return Err(format!("does not translate: {}", said.trim_end()));
    }
    let times = said.lines().last().unwrap_or_default().split(' ');
    let times: Vec<f64> = times.filter_map(|n| n.parse().ok()).collect();
    match times[..] {
        [user, system] => Ok((
            String::from_utf8_lossy(&out.stdout).into_owned(),
            Duration::from_secs_f64(user + system),
        )),
        _ => Err(format!("no times: {said}")),
    }
}

/// The translations of all programs, which both tests look at.
fn translations() -> &'static [(Program, Translation)] {
    static ALL: OnceLock<Vec<(Program, Translation)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let all = programs();
        let results = in_parallel(&all, translate);
        all.into_iter().zip(results).collect()
    })
}

#[test]
fn the_choice_where_loops_run_is_short() {
    let path = common::testsuite().join("jacobi2d.c");
    let lines = |flags: &[&str]| {
        let text = common::succeed(hexcc().arg(&path).args(flags)).expect("it translates");
        text.lines().count()
    };
    let n = lines(&[]) - lines(&["--always-gpu"]);
    assert!((1..=150).contains(&n), "{n} lines");
}

#[test]
fn text_is_short() {
    let mut failures = Vec::new();
    let mut longest = (0, "none", 0);
    for (program, result) in translations() {
        match result {
            Ok((text, _)) => {
                let statements = statements(text);
                let lines = |text: &str| text.lines().count();
                let added = lines(text).saturating_sub(lines(&program.text));
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

#[test]
fn translation_is_quick() {
    if cfg!(debug_assertions) {
        say("translation time: measured in release builds only");
        return;
    }
    let mut times = Vec::new();
    for (program, result) in translations() {
        let Ok((_, time)) = result else { continue };
        // What takes long is tried again.
        let again = match *time > AIM {
            true => translate(program).map_or(*time, |(_, again)| again),
            false => *time,
        };
        times.push((again.min(*time), &program.name));
    }
    times.sort_by(|a, b| b.cmp(a));
    let n_slow = times.iter().filter(|(time, _)| *time > AIM).count();
    let slow: Vec<String> = (times.iter().take(n_slow.max(1)))
        .map(|(time, name)| format!("{name} {:.2} s", time.as_secs_f64()))
        .collect();
    let total: Duration = times.iter().map(|(time, _)| *time).sum();
    let n = u32::try_from(times.len().max(1)).unwrap_or(u32::MAX);
    say(format!(
        "translation time: mean {:.2} s; slowest and those above 1 s: {}",
        (total / n).as_secs_f64(),
        slow.join(", ")
    ));
    let too_slow: Vec<String> = (times
        .iter()
        .filter(|(time, _)| *time > total / n * PATIENCE))
    .map(|(time, name)| format!("{name}: {:.2} s", time.as_secs_f64()))
    .collect();
    assert_none("programs take too long to translate", &too_slow);
}
