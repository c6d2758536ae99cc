//! Options of the preprocessor, in the order and with the meaning that C compilers give them.

use crate::args::{INPUT, is_identifier};
use crate::dependencies;
use crate::files;
use crate::input::InputOptions;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::scop::Piece;
use std::path::{Path, PathBuf};
use std::process;

/// Directories, macros and files that come before the text.
#[derive(Debug, Args, Clone, Default)]
pub struct PreprocessorArgs {
    /// Directory for includes in quotes, searched before those of `-I`; also spelled `-iquote DIR`
    #[arg(help_heading = INPUT, hide_short_help = true, long = "iquote", value_name = "DIR")]
    quote: Vec<PathBuf>,
    /// Directory for `#include`
    #[arg(help_heading = INPUT, short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Directory for `#include`, after those of `-I`; also spelled `-isystem DIR`
    #[arg(help_heading = INPUT, long = "isystem", value_name = "DIR")]
    system: Vec<PathBuf>,
    #[command(flatten)]
    macros: Macros,
    /// Include this file before the first line; also spelled `-include FILE`
    #[arg(help_heading = INPUT, long = "include", value_name = "FILE")]
    before: Vec<PathBuf>,
    /// Standard of the program, such as c99 or gnu17; also spelled `-std=c99`
    #[arg(help_heading = INPUT, long = "std", value_name = "STANDARD", value_enum)]
    standard: Option<Standard>,
}

impl PreprocessorArgs {
    /// Directories in the order in which they are searched. Those for quotes serve all includes, where
    /// [`PreprocessorArgs::check`] passes.
    pub fn dirs(&self) -> Vec<PathBuf> {
        [&self.quote[..], &self.include[..], &self.system[..]].concat()
    }

    /// Refuses what would be read otherwise than a C compiler reads it.
    ///
    /// # Errors
    /// A directory for quotes has a file that is included without them, or a text asks for the standard.
    pub fn check(&self, files: &[PathBuf]) -> Result<(), Box<Diagnostic>> {
        if self.quote.is_empty() && self.standard.is_none() {
            return Ok(());
        }
        self.check_system()?;
        let read = dependencies::with_includes(files.to_vec(), &self.dirs());
        for file in &read {
            let text = files::text(file).unwrap_or_default();
            self.check_quotes(file, &text)?;
            self.check_standard(file, &text)?;
        }
        Ok(())
    }

    fn check_quotes(&self, file: &Path, text: &str) -> Result<(), Box<Diagnostic>> {
        let named = text.lines().filter_map(dependencies::included);
        let mut in_brackets = named.filter(|(_, is_quoted)| !is_quoted);
        let found = in_brackets.find_map(|(name, _)| {
            let dir = self.quote.iter().find(|dir| dir.join(name).is_file())?;
            Some((name, dir))
        });
        let Some((name, dir)) = found else {
            return Ok(());
        };
        let (file, dir) = (file.display(), dir.display());
        let what = format!("`-iquote {dir}` has `{name}`, and `{file}` includes `<{name}>`");
        let d = Diagnostic::error("HX0509", what);
        Err(Box::new(
            d.note("hexcc searches the directory for both kinds of includes")
                .help(format!(
                    "write `#include \"{name}\"`, or name the directory with `-I`"
                )),
        ))
    }

    /// Headers of the system include each other in brackets.
    fn check_system(&self) -> Result<(), Box<Diagnostic>> {
        for dir in &self.quote {
            let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
            let mut names = entries.map(|entry| entry.file_name());
            if let Some(name) = names.find(|name| Path::new(OF_SYSTEM).join(name).is_file()) {
                let (dir, name) = (dir.display(), name.display());
                let what = format!("`-iquote {dir}` has `{name}`, and so has the system");
                let d = Diagnostic::error("HX0509", what)
                    .note("hexcc searches the directory for both kinds of includes")
                    .help("rename the file");
                return Err(Box::new(d));
            }
        }
        Ok(())
    }

    fn check_standard(&self, file: &Path, text: &str) -> Result<(), Box<Diagnostic>> {
        let Some(standard) = self.standard.filter(|standard| !standard.is_read()) else {
            return Ok(());
        };
        let Some(name) = OF_STANDARDS.iter().find(|name| text.contains(**name)) else {
            return Ok(());
        };
        let (option, file) = (standard.option(), file.display());
        let what = format!("`{option}`: `{file}` asks for `{name}`");
        Err(Box::new(
            Diagnostic::error("HX0509", what)
                .note("hexcc reads C as `gnu17`, in which the macro has another value")
                .help("leave the option out, if the program means the same as `gnu17`"),
        ))
    }

    /// The option of C compilers for the program's own text.
    pub fn standard(&self) -> String {
        (self.standard).map_or_else(|| "-std=gnu11".to_string(), Standard::option)
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
        let quote_and_include = self.quote.iter().chain(&self.include);
        for directory in quote_and_include.map(PathBuf::as_path).chain([source]) {
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

/// Where headers of the system are.
const OF_SYSTEM: &str = "/usr/include";

/// Macros that say by which standard a text is read.
const OF_STANDARDS: [&str; 2] = ["__STDC_VERSION__", "__STRICT_ANSI__"];

/// Standards of C, with the names that gcc has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Standard {
    /// ANSI C
    #[value(aliases = ["c90", "iso9899:1990"])]
    C89,
    /// ANSI C, with extensions of GNU
    #[value(alias = "gnu90")]
    Gnu89,
    /// C of 1999
    #[value(aliases = ["c9x", "iso9899:1999"])]
    C99,
    /// C of 1999, with extensions of GNU
    #[value(alias = "gnu9x")]
    Gnu99,
    /// C of 2011
    #[value(aliases = ["c1x", "iso9899:2011"])]
    C11,
    /// C of 2011, with extensions of GNU
    #[value(alias = "gnu1x")]
    Gnu11,
    /// C of 2017
    #[value(aliases = ["c18", "iso9899:2017", "iso9899:2018"])]
    C17,
    /// C of 2017, with extensions of GNU
    #[value(alias = "gnu18")]
    Gnu17,
    /// C of 2023
    #[value(aliases = ["c2x", "iso9899:2024"])]
    C23,
    /// C of 2023, with extensions of GNU
    #[value(alias = "gnu2x")]
    Gnu23,
}

impl Standard {
    /// Whether it is the one by which hexcc reads.
    fn is_read(self) -> bool {
        self == Standard::Gnu17
    }

    /// The option of C compilers; older ones know the last standard by the name of its draft.
    fn option(self) -> String {
        let name = match self {
            Standard::C89 => "c89",
            Standard::Gnu89 => "gnu89",
            Standard::C99 => "c99",
            Standard::Gnu99 => "gnu99",
            Standard::C11 => "c11",
            Standard::Gnu11 => "gnu11",
            Standard::C17 => "c17",
            Standard::Gnu17 => "gnu17",
            Standard::C23 => "c2x",
            Standard::Gnu23 => "gnu2x",
        };
        format!("-std={name}")
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
