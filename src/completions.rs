//! `hexcc completions`: what a shell needs to complete command lines.

use crate::args::HelpArgs;
use crate::bench::Bench;
use crate::emit;
use crate::explain::Explain;
use crate::render::Failure;
use crate::run::Run;
use crate::translate::Translate;
use crate::tune::Tune;
use clap::{Command, CommandFactory, Parser};
use clap_complete::Shell;
use std::path::Path;
use std::process::ExitCode;

/// Prints a script that completes options of hexcc in a shell.
#[derive(Debug, Parser)]
#[command(
    name = "hexcc completions",
    bin_name = "hexcc completions",
    disable_help_flag = true
)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
    #[command(flatten)]
    help: HelpArgs,
}

impl Completions {
    /// Prints it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut whole(), "hexcc", &mut script);
        emit::write(Path::new("-"), &String::from_utf8_lossy(&script))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// hexcc with its commands, which are parsed each by itself.
fn whole() -> Command {
    let named = |command: Command, name: &'static str| {
        let whole = format!("hexcc {name}");
        command.name(name).bin_name(whole)
    };
    Translate::command()
        .disable_help_subcommand(true)
        .subcommand(named(Run::command(), "run"))
        .subcommand(named(Explain::command(), "explain"))
        .subcommand(named(Tune::command(), "tune"))
        .subcommand(named(Bench::command(), "bench"))
        .subcommand(named(Completions::command(), "completions"))
}
