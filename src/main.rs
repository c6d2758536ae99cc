//! The `hexcc` command: arguments, files and rendering. All compilation is in
//! `hexcc-compiler`.

mod args;
mod bench;
mod bytes;
mod codes;
mod commands;
mod compile;
mod dependencies;
mod emit;
mod explain;
mod files;
mod foreign;
mod host_facts;
mod input;
mod limit;
mod measuring;
mod messages;
mod preprocessor;
mod profile;
mod render;
mod run;
mod signatures;
mod spelling;
mod stencils;
mod translate;
mod tune;
mod wheel;

// isl, which is C, allocates more than it computes: this takes the place of `malloc`.
use libmimalloc_sys as _;
use render::Failure;
use std::process::ExitCode;

/// Version and commit, as printed in generated code.
pub const VERSION: &str = env!("HEXCC_VERSION");

/// The environment variable that has the command tell on standard error what it runs.
const LOG_VARIABLE: &str = "HEXCC_LOG";

fn main() -> ExitCode {
    wheel::provide();
    match std::env::args().nth(1).as_deref() {
        Some(hexcc_pet::CHILD_ARGUMENT) => return hexcc_pet::run_child(),
        Some(hexcc_front_c::child::CHILD_ARGUMENT) => return hexcc_front_c::child::run_child(),
        _ => {}
    }
    if std::env::var_os(LOG_VARIABLE).is_some() {
        let log = tracing_subscriber::fmt().with_writer(std::io::stderr);
        log.with_max_level(tracing::Level::DEBUG).init();
    }
    // Expressions are trees as deep as the user's sums are long.
    let done = std::panic::catch_unwind(|| hexcc_pet::deep::deeply(command));
    match done {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            failure.render();
            ExitCode::from(failure.status())
        }
        // The message has been printed.
        Err(_) => ExitCode::from(render::INTERNAL),
    }
}

/// Does what the command line says.
fn command() -> Result<ExitCode, Failure> {
    let code = commands::run(spelling::arguments())?;
    render::check()?;
    Ok(code)
}
