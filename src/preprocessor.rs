//! Options of the preprocessor, in the order and with the meaning that C compilers give them.

use crate::args::{INPUT, is_identifier};
use crate::input::InputOptions;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use hexcc_compiler::scop::Piece;
use std::path::{Path, PathBuf};
use std::process;

/// Directories, macros and files that come before the text.
#[derive(Debug, Args, Clone, Default)]
pub struct PreprocessorArgs {
    /// Directory for `#include`
    #[arg(help_heading = INPUT, short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Directory for `#include`, searched after those of `-I`; also spelled `-isystem DIR`
    #[arg(help_heading = INPUT, long = "isystem", value_name = "DIR")]
    system: Vec<PathBuf>,
    #[command(flatten)]
    macros: Macros,
    /// Include this file before the first line, as `-include FILE` does; the generated text has the directive, too
    #[arg(help_heading = INPUT, long = "include", value_name = "FILE")]
    before: Vec<PathBuf>,
}

impl PreprocessorArgs {
    /// Directories in the order in which they are searched.
    pub fn dirs(&self) -> Vec<PathBuf> {
        [&self.include[..], &self.system[..]].concat()
    }

    /// Macros that are defined in the end.
    pub fn defines(&self) -> &[String] {
        &self.macros.defined
    }

    /// Files that come before the text.
    pub fn before(&self) -> &[PathBuf] {
        &self.before
    }

    /// Hands all but the files before the text to a compiler; `source` is the directory of the program.
    pub fn hand_on(&self, command: &mut process::Command, source: &Path) {
        for directory in self.include.iter().map(PathBuf::as_path).chain([source]) {
            command.arg("-I").arg(directory);
        }
        for directory in &self.system {
            command.arg("-isystem").arg(directory);
        }
        command.args(self.macros.undefined.iter().map(|name| format!("-U{name}")));
        command.args(
            self.macros
                .defined
                .iter()
                .map(|define| format!("-D{define}")),
        );
    }
}

/// What `-D` and `-U` come to, each of which undoes what stands before it.
#[derive(Debug, Clone, Default)]
struct Macros {
    /// `NAME` or `NAME=VALUE`.
    defined: Vec<String>,
    /// Names that were undefined at some place; all definitions that are left came later.
    undefined: Vec<String>,
}

impl Macros {
    fn undefine(&mut self, name: &str) {
        self.defined
            .retain(|d| d.split(['=', '(']).next() != Some(name));
        self.undefined.push(name.to_string());
    }
}

impl Args for Macros {
    fn augment_args(command: Command) -> Command {
        let arg = |id: &'static str, short, value, help| {
            let arg = Arg::new(id).short(short).value_name(value).help(help);
            arg.help_heading(INPUT).action(ArgAction::Append)
        };
        command
            .arg(arg("define", 'D', "MACRO", "Macro, NAME or NAME=VALUE"))
            .arg(arg(
                "undefine",
                'U',
                "NAME",
                "Take back a macro that `-D` has defined before",
            ))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Macros::augment_args(command)
    }
}

impl FromArgMatches for Macros {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Macros, clap::Error> {
        let of = |id: &str| {
            let values = matches.get_many::<String>(id).unwrap_or_default().cloned();
            let places = matches.indices_of(id).into_iter().flatten();
            places.zip(values).collect::<Vec<_>>()
        };
        let defines = of("define").into_iter().map(|(at, text)| (at, text, true));
        let undefines = of("undefine")
            .into_iter()
            .map(|(at, text)| (at, text, false));
        let mut all: Vec<(usize, String, bool)> = defines.chain(undefines).collect();
        all.sort_by_key(|(at, ..)| *at);
        let mut macros = Macros::default();
        for (_, text, defines) in all {
            match defines {
                true => macros.defined.push(text),
                false => {
                    check_undefined(&text)?;
                    macros.undefine(&text);
                }
            }
        }
        Ok(macros)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Macros::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Macros that compilers define by themselves, beside those whose names begin with two underscores.
const OF_COMPILERS: [&str; 6] = ["_LP64", "_ILP32", "_STDC_PREDEF_H", "linux", "unix", "i386"];

/// Refuses to take back what hexcc reads every file with.
fn check_undefined(name: &str) -> Result<(), clap::Error> {
    let refuse = |why: String| Err(clap::Error::raw(ErrorKind::InvalidValue, why));
    if !is_identifier(name) {
        return refuse(format!(
            "invalid value '{name}' for '-U <NAME>': expected a C identifier"
        ));
    }
    if name.starts_with("__") || OF_COMPILERS.contains(&name) {
        return refuse(format!(
            "'-U {name}': compilers define this macro by themselves; write `#undef {name}` into the file"
        ));
    }
    Ok(())
}

/// The directives that include what comes before the text of a file.
pub fn pieces(path: &Path, options: &InputOptions) -> Vec<Piece> {
    let piece = |file: &PathBuf| {
        let text = directive(path, file, &options.include_dirs);
        let range = 0..text.len();
        let path = path.display().to_string();
        Piece { path, text, range }
    };
    options.before.iter().map(piece).collect()
}

/// The directive for a file that is looked for in the working directory first, then in the directories given,
/// and at last among those of the system.
fn directive(path: &Path, file: &Path, dirs: &[PathBuf]) -> String {
    let whole = |path: &Path| path.is_file().then(|| path.canonicalize().ok()).flatten();
    let in_dirs = || dirs.iter().find_map(|dir| whole(&dir.join(file)));
    let Some(meant) = whole(file).or_else(in_dirs) else {
        return format!("#include <{}>\n", file.display());
    };
    let beside = path.parent().and_then(|dir| whole(&dir.join(file)));
    let name = match beside.or_else(in_dirs) {
        Some(found) if found == meant => file,
        _ => &meant,
    };
    format!("#include \"{}\"\n", name.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Arguments {
        #[command(flatten)]
        preprocessor: PreprocessorArgs,
    }

    fn defines(line: &str) -> Result<String, String> {
        let words = ["hexcc"].into_iter().chain(line.split_whitespace());
        let parsed = Arguments::try_parse_from(words).map_err(|e| e.to_string())?;
        Ok(parsed.preprocessor.defines().join(" "))
    }

    #[test]
    fn the_last_word_on_a_macro_counts() {
        for (line, expected) in [
            ("-DA -DB=2", "A B=2"),
            ("-DA=1 -UA", ""),
            ("-UA -DA=1", "A=1"),
            ("-D A=1 -D AB=2 -U A -D A=3", "AB=2 A=3"),
            ("-Df(x)=x -U f -D_FORTIFY_SOURCE=2", "_FORTIFY_SOURCE=2"),
        ] {
            assert_eq!(defines(line).as_deref(), Ok(expected), "{line}");
        }
        for line in ["-U__GNUC__", "-U linux", "-U A=1", "-U 1"] {
            assert!(defines(line).is_err(), "{line}");
        }
    }
}
