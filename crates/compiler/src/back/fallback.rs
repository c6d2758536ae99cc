//! What a generated program does where its arrays or its machine do not suit the kernels: it ends
//! with a message, or says so and runs the loops that it had.
//!
//! The function that runs the kernels decides, for nobody else knows whether memory suffices. Until
//! it changes what the program has, every error leads to the loops; after that it ends the program.

use super::known_rows;
use super::names::Names;
use super::program::{Instrument, Memory, Replacement};
use super::rows;

/// What a program does where its arrays overlap, or the machine lacks what kernels need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// It ends with a message.
    Ends,
    /// It says so once, and runs its own loops.
    RunsLoops,
}

/// How the program around the replaced regions is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    /// What is added to it.
    pub instrument: Instrument,
    /// What it does without kernels.
    pub otherwise: Otherwise,
    /// Whether it is all of the program.
    pub files: Files,
    /// Who says where its loops run.
    pub placement: Placement,
}

/// Who says where loops run for which there are kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The program, when it runs: its own loops stay in the text.
    Auto,
    /// On the GPU, as far as kernels suit.
    Gpu,
}

/// How many files a program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// One, or others that are C++ like what is made of this one.
    One,
    /// Others, which stay C: they share functions and memory with this one.
    OthersInC,
}

impl Host {
    /// The product: nothing is added to the program.
    pub const PLAIN: Host = Host {
        instrument: Instrument::None,
        otherwise: Otherwise::Ends,
        files: Files::One,
        placement: Placement::Auto,
    };
}

/// What a program says that runs its own loops, behind the reason.
pub const LOOPS_RUN: &str = "; the program's own loops run";

/// What a program says that ends, behind the reason.
const LOOPS_COULD_RUN: &str = "; made with hexcc --fallback, the program would run its own loops";

impl Otherwise {
    /// What a function returns that runs kernels: whether it has run them, in a type of its language.
    pub(crate) fn result(self, truth: &'static str) -> &'static str {
        match self {
            Otherwise::Ends => "void",
            Otherwise::RunsLoops => truth,
        }
    }

    /// The statement by which such a function ends that has run them.
    pub(crate) fn done(self) -> &'static str {
        match self {
            Otherwise::Ends => "return;",
            Otherwise::RunsLoops => "return 1;",
        }
    }

    /// The statements of a program that says why it does not run kernels.
    pub(crate) fn refuse(self, reason: &str) -> [String; 2] {
        match self {
            Otherwise::Ends => [
                format!("fprintf(stderr, \"{reason}{LOOPS_COULD_RUN}\\n\");"),
                "exit(EXIT_FAILURE);".to_string(),
            ],
            Otherwise::RunsLoops => [
                format!("if (!said++) fprintf(stderr, \"{reason}{LOOPS_RUN}\\n\");"),
                "return 0;".to_string(),
            ],
        }
    }

    /// What functions of the library get that look for memory in common: where they note that they
    /// have said so. Without it they end the program.
    pub(crate) fn note(self) -> &'static str {
        match self {
            Otherwise::Ends => "0",
            Otherwise::RunsLoops => "&said",
        }
    }

    /// The variable that [`Otherwise::refuse`] uses.
    pub(crate) fn variable(self) -> Option<&'static str> {
        (self == Otherwise::RunsLoops).then_some("static int said = 0;")
    }
}

/// The type that is thrown where loops are to run.
pub(super) fn thrown(otherwise: Otherwise) -> &'static str {
    match otherwise {
        Otherwise::Ends => "",
        Otherwise::RunsLoops => {
            "// Thrown where the program's own loops are to run: nothing has changed yet.\nstruct Unfit {};\n\n"
        }
    }
}

/// What a host function does that copies arrays.
pub(super) fn described(otherwise: Otherwise) -> impl Iterator<Item = String> {
    let lines: &[&str] = match otherwise {
        Otherwise::Ends => &[
            "// Copies the arrays to the device, runs the computation, copies back; an error ends the program.",
        ],
        Otherwise::RunsLoops => &[
            "// Copies the arrays to the device, runs the computation, copies the results back.",
            "// Says whether it has: where CUDA reports an error before, nothing has changed.",
        ],
    };
    lines.iter().copied().map(String::from)
}

/// The lines of a host function in CUDA C++ before those that may find it cannot run kernels.
pub(super) fn attempt(r: &Replacement, names: &Names) -> Vec<String> {
    let mut lines = match (r.memory, r.otherwise) {
        (Memory::Copied, Otherwise::RunsLoops) => rows::declarations(r, names),
        _ => Vec::new(),
    };
    let kept = "true; // the program's arrays are as they were";
    lines.push(match (r.memory, r.otherwise) {
        (Memory::Copied, _) => format!("  bool kept = {kept}"),
        (_, Otherwise::Ends) => format!("  hexcc_memory::kept = {kept}"),
        (_, Otherwise::RunsLoops) => {
            format!("  hexcc_memory::said = &said, hexcc_memory::kept = {kept}")
        }
    });
    if r.otherwise == Otherwise::RunsLoops {
        lines.push("  try {".to_string());
    }
    lines
}

/// The line from which on an error ends the program.
pub(super) fn committed(memory: Memory) -> &'static str {
    match memory {
        Memory::Copied => "  kept = false; // from here on the program's arrays change",
        Memory::Shared | Memory::Staged => {
            "  hexcc_memory::kept = false; // from here on the program's arrays change"
        }
    }
}

/// The lines that end what [`attempt`] begins.
pub(super) fn attempted(r: &Replacement, names: &Names) -> Vec<String> {
    if r.otherwise == Otherwise::Ends {
        return Vec::new();
    }
    let mut lines = vec!["  } catch (const Unfit &) {".to_string()];
    if r.memory.is_shared() {
        lines.push("    hexcc_memory::kept = false;".to_string());
        lines.extend(known_rows::forgotten(r));
    } else {
        lines.extend(rows::releases(r, names));
    }
    lines.push("    return false;".to_string());
    lines.push("  }".to_string());
    lines.push("  return true;".to_string());
    lines
}

/// The lines by which a host function meets an error of CUDA: it frees device memory first.
pub(super) fn on_error(r: &Replacement, frees: &str) -> Vec<String> {
    let (name, error) = (&r.interface.name, "what, cudaGetErrorString(error)");
    let lines = match r.otherwise {
        Otherwise::Ends => vec![
            format!(
                "fprintf(stderr, \"{name}: %s: %s%s\\n\", {error}, kept ? \"{LOOPS_COULD_RUN}\" : \"\");"
            ),
            format!("{frees};"),
            "exit(EXIT_FAILURE);".to_string(),
        ],
        Otherwise::RunsLoops => vec![
            format!(
                "if (!kept || !said++) fprintf(stderr, \"{name}: %s: %s%s\\n\", {error}, kept ? \"{LOOPS_RUN}\" : \"\");"
            ),
            format!("{frees};"),
            "if (!kept) exit(EXIT_FAILURE);".to_string(),
            "cudaGetLastError(); // forgets it".to_string(),
            "throw Unfit();".to_string(),
        ],
    };
    lines.iter().map(|line| format!("    {line}")).collect()
}
