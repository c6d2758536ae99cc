//! The time loops of a program, and the ghost cells that a step fills.

use crate::rng::Rng;
use std::fmt::Write;

/// How the number of the step moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Head {
    /// `for`, with a variable of its own.
    For,
    /// `for`, with a variable that has a value behind the loop.
    Declared,
    /// `while`, and what counts at its end.
    While,
}

/// The time loop of a program, or two, one behind the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    head: Head,
    /// Steps are counted once more, in a value of the program.
    is_counted: bool,
    /// A second loop goes on.
    is_twice: bool,
    /// The first number of a step.
    first: i64,
}

impl Steps {
    /// Loops that begin at 0 to `most`.
    pub(super) fn random(rng: &mut Rng, most: i64) -> Steps {
        Steps {
            head: match rng.weighted(&[6, 2, 2]) {
                0 => Head::For,
                1 => Head::While,
                _ => Head::Declared,
            },
            is_counted: rng.chance(8),
            is_twice: rng.chance(15),
            first: rng.range(0, most),
        }
    }

    /// The loops around what a step does.
    pub(super) fn text(&self, step: &str) -> String {
        let first = self.first;
        let mut text = String::new();
        if self.is_counted {
            text.push_str("  int done = 0;\n");
        }
        if self.head != Head::For {
            text.push_str("  int t;\n");
        }
        let count = if self.is_counted { "    done++;\n" } else { "" };
        let bounds: &[&str] = if self.is_twice {
            &["T", "T / 2 + 2"]
        } else {
            &["T"]
        };
        for bound in bounds {
            let _ = match self.head {
                Head::For => writeln!(
                    text,
                    "  for (int t = {first}; t < {bound}; t++) {{\n{step}{count}  }}"
                ),
                Head::Declared => writeln!(
                    text,
                    "  for (t = {first}; t < {bound}; t++) {{\n{step}{count}  }}"
                ),
                Head::While => writeln!(
                    text,
                    "  t = {first};\n  while (t < {bound}) {{\n{step}{count}    t++;\n  }}"
                ),
            };
        }
        if self.head != Head::For {
            text.push_str("  printf(\"%d\\n\", t);\n");
        }
        if self.is_counted {
            text.push_str("  printf(\"%d\\n\", done);\n");
        }
        text
    }
}

/// Ghost cells of a plane, from the other end or from their neighbours.
pub(super) fn ghosts(
    cell: &dyn Fn(&str, &str) -> String,
    [n, m]: [&str; 2],
    goes_around: bool,
) -> String {
    let (last, before) = (
        [n, m].map(|x| format!("{x} - 1")),
        [n, m].map(|x| format!("{x} - 2")),
    );
    let from = |d: usize| match goes_around {
        true => [before[d].as_str(), "1"],
        false => ["1", before[d].as_str()],
    };
    let ([top, bottom], [left, right]) = (from(0), from(1));
    format!(
        "    for (int j = 1; j < {m} - 1; j++) {{\n      {} = {};\n      {} = {};\n    }}\n    for (int i = 0; i < {n}; i++) {{\n      {} = {};\n      {} = {};\n    }}\n",
        cell("0", "j"),
        cell(top, "j"),
        cell(&last[0], "j"),
        cell(bottom, "j"),
        cell("i", "0"),
        cell("i", left),
        cell("i", &last[1]),
        cell("i", right)
    )
}
