//! The `hexcc` command: arguments, files and rendering. All compilation is in
//! `hexcc-compiler`.

mod bench;
mod bytes;
mod cache;
mod cli;
mod compare;
mod emit;
mod explain;
mod hash;
mod input;
mod limit;
mod measure;
mod problem;
mod render;
mod report;
mod run;
mod single;
mod tune;
mod variant;

use std::process::ExitCode;

/// Version and commit, as printed in generated code.
pub const VERSION: &str = env!("HEXCC_VERSION");

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(hexcc_pet::CHILD_ARGUMENT) {
        return hexcc_pet::run_child();
    }
    // Expressions are trees as deep as the user's sums are long.
    match hexcc_pet::deep::deeply(cli::main) {
        Ok(code) => code,
        Err(failure) => {
            failure.render();
            ExitCode::from(1)
        }
    }
}
