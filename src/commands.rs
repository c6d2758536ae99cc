//! The commands of hexcc as a whole: which there are, and what is said of them.

use crate::args::HelpArgs;
use crate::bench::Bench;
use crate::emit;
use crate::explain::Explain;
use crate::profile::Profile;
use crate::render::Failure;
use crate::run::Run;
use crate::translate::Translate;
use crate::tune::Tune;
use clap::error::ErrorKind;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use clap_complete::Shell;
use hexcc_compiler::diag::Diagnostic;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Prints help of hexcc or of one of its commands.
#[derive(Debug, Parser)]
#[command(disable_help_flag = true)]
struct Help {
    /// The command
    command: Option<String>,
    #[command(flatten)]
    help: HelpArgs,
}

/// Prints a script that completes options of hexcc in a shell.
#[derive(Debug, Parser)]
#[command(disable_help_flag = true)]
struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
    #[command(flatten)]
    help: HelpArgs,
}

/// Prints the manual page of hexcc or of one of its commands.
#[derive(Debug, Parser)]
#[command(disable_help_flag = true)]
struct Man {
    /// The command
    command: Option<String>,
    #[command(flatten)]
    help: HelpArgs,
}

/// hexcc with its commands.
fn whole() -> Command {
    let named = |name: &'static str, command: Command| {
        let whole = format!("hexcc {name}");
        command.name(name).bin_name(whole)
    };
    Translate::command()
        .bin_name("hexcc")
        .disable_help_subcommand(true)
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .subcommand(named("run", Run::command()))
        .subcommand(named("explain", Explain::command()))
        .subcommand(named("tune", Tune::command()))
        .subcommand(named("bench", Bench::command()))
        .subcommand(named("profile", Profile::command()))
        .subcommand(named("completions", Completions::command()))
        .subcommand(named("man", Man::command()))
        .subcommand(named("help", Help::command()))
}

/// Does what a command line says.
pub fn run(arguments: Vec<OsString>) -> Result<ExitCode, Failure> {
    let matches = whole().get_matches_from(arguments);
    match matches.subcommand() {
        Some(("run", of)) => parsed::<Run>(of).run(),
        Some(("explain", of)) => parsed::<Explain>(of).run(),
        Some(("tune", of)) => parsed::<Tune>(of).run(),
        Some(("bench", of)) => parsed::<Bench>(of).run(),
        Some(("profile", of)) => parsed::<Profile>(of).run(),
        Some(("completions", of)) => completions(&parsed(of)),
        Some(("man", of)) => man(&parsed(of)),
        Some(("help", of)) => help(&parsed(of)),
        _ => parsed::<Translate>(&matches).run(),
    }
}

/// What clap has found, as a structure.
fn parsed<T: FromArgMatches>(matches: &ArgMatches) -> T {
    T::from_arg_matches(matches).unwrap_or_else(|e| e.exit())
}

fn completions(of: &Completions) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(of.shell, &mut whole(), "hexcc", &mut script);
    print(&script)
}

fn man(of: &Man) -> Result<ExitCode, Failure> {
    let page = clap_mangen::Man::new(named(of.command.as_deref()));
    let mut text = Vec::new();
    let rendered = page.render(&mut text);
    rendered.map_err(|e| Failure::plain(Diagnostic::bug(e)))?;
    print(&text)
}

fn help(of: &Help) -> Result<ExitCode, Failure> {
    print(
        named(of.command.as_deref())
            .render_help()
            .to_string()
            .as_bytes(),
    )
}

fn print(text: &[u8]) -> Result<ExitCode, Failure> {
    emit::write(Path::new("-"), &String::from_utf8_lossy(text))?;
    Ok(ExitCode::SUCCESS)
}

/// hexcc, or one of its commands.
fn named(name: Option<&str>) -> Command {
    let mut all = whole();
    all.build();
    match name {
        None => all,
        Some(name) => (all.find_subcommand(name).cloned()).unwrap_or_else(|| {
            let what = format!("there is no command `{name}`");
            all.error(ErrorKind::InvalidSubcommand, what).exit()
        }),
    }
}
