//! Programs of any size translate or are refused with a reason, and either takes a bounded time.

mod common;

use common::{assert_none, hexcc, in_parallel, output, say, scratch};
use std::process::Command;

/// A generated program.
struct Case {
    name: &'static str,
    text: String,
    flags: &'static [&'static str],
    /// Code and a word of the refusal; empty for programs that translate, which are those that
    /// take far less than the limit.
    refused: &'static [&'static str],
    /// Processor time of a release build, several times what it takes, in seconds.
    seconds: f64,
}

/// A stencil that computes `expr`.
fn stencil(expr: &str) -> String {
    region(
        "float A[2][N][N]",
        &format!(
            "    for (int i = 40; i < N - 40; i++)\n      for (int j = 40; j < N - 40; j++)\n        \
             A[(t+1)%2][i][j] = {expr};\n"
        ),
    )
}

fn region(arguments: &str, body: &str) -> String {
    format!(
        "void f(int N, int T, {arguments})\n{{\n#pragma scop\n  for (int t = 0; t < T; t++) {{\n\
         {body}  }}\n#pragma endscop\n}}\n"
    )
}

/// A sum of so many elements, all of them different or all the same.
fn sum(terms: usize, different: bool) -> String {
    let term = |n: usize| {
        let (i, j) = if different { (n % 37, n / 37) } else { (0, 0) };
        format!("A[t%2][i+{i}][j+{j}]")
    };
    (0..terms).map(term).collect::<Vec<_>>().join(" + ")
}

/// So many statements, each on a row of its own.
fn rows(statements: usize) -> String {
    let statement = |row: usize| {
        format!(
            "    for (int j = 1; j < N - 1; j++)\n      A[(t+1)%2][{row}][j] = 0.5f * \
             (A[t%2][{row}][j-1] + A[t%2][{}][j+1]);\n",
            row + 1
        )
    };
    region(
        "float A[2][N][N]",
        &(1..=statements).map(statement).collect::<String>(),
    )
}

/// So many arrays that depend on each other.
fn arrays(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|a| format!("float A{a}[2][N][N]")).collect();
    let statement = |a: usize| {
        let b = (a * 7 + 3) % count;
        format!(
            "    for (int i = 1; i < N - 1; i++)\n      for (int j = 1; j < N - 1; j++)\n        \
             A{a}[(t+1)%2][i][j] = 0.5f * (A{b}[t%2][i-1][j] + A{b}[t%2][i+1][j]);\n"
        )
    };
    region(
        &names.join(", "),
        &(0..count).map(statement).collect::<String>(),
    )
}

fn conditions(levels: usize) -> String {
    let level = |n: usize| format!("A[t%2][i][j] > {n}.0f ? A[t%2][i-1][j] : ");
    (0..levels).map(level).collect::<String>() + "0.0f"
}

fn cases() -> Vec<Case> {
    let case = |name, text, refused, seconds| Case {
        name,
        text,
        flags: &[],
        refused,
        seconds,
    };
    let element = "A[t%2][i][j]";
    let parentheses = |levels| "(".repeat(levels) + element + &" + 1.0f)".repeat(levels);
    let deep: &[&str] = &["HX0407", "nested deeper"];
    vec![
        case("sum of 1000", stencil(&sum(1000, false)), &[], 12.0),
        case("stencil of 500", stencil(&sum(500, true)), &[], 12.0),
        case("sum of 4000", stencil(&sum(4000, false)), deep, 20.0),
        // Whether libpet or what reads the text before it comes to the limit first depends on the machine.
        Case {
            flags: &["--time-limit", "1"],
            refused: &["HX0401", "1 s of processor time"],
            ..case("sum of 20000", stencil(&sum(20_000, false)), &[], 5.0)
        },
        case("80 statements", rows(80), &[], 12.0),
        Case {
            flags: &["--time-limit", "1"],
            refused: &["HX0401", "1 s of processor time"],
            ..case("200 statements", rows(200), &[], 5.0)
        },
        case("50 arrays", arrays(50), &[], 12.0),
        case("200 parentheses", stencil(&parentheses(200)), &[], 4.0),
        case(
            "2000 parentheses",
            stencil(&parentheses(2000)),
            &["HX0101", "bracket"],
            4.0,
        ),
        case("200 conditions", stencil(&conditions(200)), &[], 12.0),
        case(
            "2000 casts",
            stencil(&("(float)(double)".repeat(1000) + element)),
            &[],
            4.0,
        ),
        case(
            "2000 signs",
            stencil(&("- ".repeat(2000) + element)),
            &[],
            4.0,
        ),
    ]
}

/// What is wrong with the outcome of a case, and the processor time it took.
fn outcome(case: &Case) -> Result<f64, String> {
    let folder = scratch("bounds");
    let file = folder.join(format!("{}.c", case.name.replace(' ', "-")));
    std::fs::write(&file, &case.text).map_err(|e| e.to_string())?;
    let mut command = Command::new("bash");
    let script = "TIMEFORMAT='%U %S'; time \"$0\" \"$@\" -o /dev/null";
    let hexcc = hexcc();
    command.args(["-c", script]).arg(hexcc.get_program());
    let out = output(command.arg(&file).args(case.flags).env("LC_ALL", "C"))?;
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    let (said, times) = (text.trim_end().rsplit_once('\n')).unwrap_or(("", text.trim_end()));
    let seconds = (times.split(' '))
        .map(|n| n.parse::<f64>())
        .sum::<Result<f64, _>>()
        .map_err(|e| format!("no times in {times:?}: {e}"))?;
    if out.status.success() != case.refused.is_empty() {
        return Err(format!("{}: {said}", out.status));
    }
    if !case.refused.iter().all(|word| said.contains(word)) {
        return Err(format!("not refused for {:?}: {said}", case.refused));
    }
    if seconds > case.seconds {
        return Err(format!("takes {seconds:.1} s"));
    }
    Ok(seconds)
}

#[test]
fn every_program_is_bounded() {
    if cfg!(debug_assertions) {
        say("large programs: translated in release builds only");
        return;
    }
    let all = cases();
    let mut wrong = Vec::new();
    let mut times = Vec::new();
    for (case, outcome) in all.iter().zip(in_parallel(&all, outcome)) {
        match outcome {
            Ok(seconds) => times.push(format!("{} {seconds:.1} s", case.name)),
            Err(what) => wrong.push(format!("{}: {what}", case.name)),
        }
    }
    say(format!("large programs: {}", times.join(", ")));
    assert_none("large programs without bounds", &wrong);
}
