//! `hexcc`, without the name of a command: a C program to the program that runs its loops in kernels.

use crate::args::{InputArgs, KernelArgs, LanguageArg, OUTPUT, STATUSES, TargetArgs};
use crate::compile::{Loops, context};
use crate::dependencies;
use crate::emit;
use crate::files;
use crate::input::{Input, unreadable};
use crate::limit::TimeLimit;
use crate::render::{self, Failure};
use crate::stencils;
use clap::{Parser, ValueEnum};
use hexcc_compiler::back::Instrument;
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::csource;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::ir::dump;
use hexcc_compiler::options::Language;
use hexcc_compiler::output;
use hexcc_compiler::report::dumps;
use hexcc_compiler::tiling::Kernel;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The whole program as CUDA C++
    Cuda,
    /// A header with a function that launches the kernels on device pointers; for OpenCL the kernels
    Kernel,
    /// The loops after hexcc has rewritten them
    C,
    /// The loops as hexcc has read them, as JSON, which later commands take as input
    Scop,
    /// The functions of the file with the types of their parameters, as JSON
    Signatures,
    /// Arrays and statements in the notation of isl
    Stencil,
    /// Dependences of the time loops that are tiled
    Deps,
    /// The order of tiles and of launches
    Schedule,
    /// Kernels and launches as data, where tiles are not overlapped
    Ir,
    /// The C program with its results written to a file
    #[value(hide = true)]
    Reference,
}

/// Translates stencil loops in plain C into CUDA kernels that advance many time steps per launch.
#[derive(Debug, Parser)]
#[command(name = "hexcc", version = env!("HEXCC_LONG_VERSION"), arg_required_else_help = true, disable_help_flag = true,
    override_usage = "hexcc [OPTIONS] FILE.. -o OUT.cu\n       hexcc COMMAND ..", after_help = STATUSES)]
pub struct Translate {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    kernel: KernelArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// Output file, `-` for the standard output
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Also write a rule for make with the files that were read; also spelled `-MD`
    #[arg(help_heading = OUTPUT, long = "MD")]
    dependencies: bool,
    /// File for the rule, also spelled `-MF FILE` [default: that of the output, with `.d`]
    #[arg(help_heading = OUTPUT, long = "MF", value_name = "FILE", requires = "dependencies")]
    dependency_file: Option<PathBuf>,
    /// What to write [default: the whole program]
    #[arg(help_heading = OUTPUT, long, value_enum)]
    emit: Option<Emit>,
    /// Let the program write its results to the file named by HEXCC_DUMP
    #[arg(long, hide = true)]
    instrument: bool,
    /// Also write what `--emit reference` would; which arrays are compared
    /// depends on what has been tiled
    #[arg(long, hide = true, value_name = "FILE")]
    reference: Option<PathBuf>,
}

/// The loops of a C file in the words that pet reads.
fn as_read(input: &Input) -> Result<String, Failure> {
    output::print_as_read(&input.saved).ok_or_else(|| {
        let d = Diagnostic::error("HX0509", "`--emit c` has nothing to show of a saved scop")
            .note("it has the polyhedral form of the loops, not their text")
            .help("name the C file");
        Failure::plain(d)
    })
}

/// The dependences of what is tiled.
fn dependences(compiled: &Compiled) -> Result<String, Failure> {
    dumps::dependences(compiled).ok_or_else(|| {
        let d = Diagnostic::error("HX0509", "`--emit deps` shows time loops that are tiled")
            .note("nothing of this program is; steps are proven launch by launch")
            .help(
                "`--emit schedule` shows the launches, and `hexcc explain` why there are no tiles",
            );
        Failure::plain(d)
    })
}

/// The generated program before it is printed; kernels of overlapped tiles are not made of it yet.
fn program_text(compiled: &Compiled) -> Result<String, Failure> {
    let steps = compiled.stepwise.iter().map(|part| &part.program);
    let units = (compiled.units.iter()).chain(compiled.tiled_nests.iter().map(|nest| &nest.unit));
    let tiles = units.filter_map(|unit| match &unit.tiled.kernel {
        Kernel::Hybrid(hybrid) => Some(&hybrid.kernel.program),
        Kernel::Overlapped(..) => None,
    });
    let text: String = tiles.chain(steps).map(dump).collect();
    if text.is_empty() {
        let d = Diagnostic::error(
            "HX0509",
            "`--emit ir` shows hybrid tiles and one launch per step only",
        )
        .note("the kernels of overlapped tiles are printed without it")
        .help("add `--tiling stepwise` or `--tiling hybrid`");
        return Err(Failure::plain(d));
    }
    Ok(text)
}

/// Host code that CUDA's compiler refuses.
fn host_warnings(input: &Input) -> Vec<Diagnostic> {
    let (source, span) = (&input.saved.source, &input.saved.scop.span);
    let on_host = |place: &csource::NotCPlusPlus| {
        place.range.end <= span.start || span.end <= place.range.start
    };
    let undeclared = csource::not_declarable(&source.text, &input.saved.undeclared);
    let undeclared = undeclared.iter().map(|name| {
        let d = Diagnostic::warning("HX0116", format!("`{name}` is called without a declaration"));
        let place = csource::first_call(&source.text, name).into_iter();
        place
            .fold(d, |d, place| d.at(place, "called here"))
            .note("C takes it for a function of any arguments that returns an `int`, and so does the translation, if no file defines it otherwise")
            .help(format!("include the header that declares it, or write its declaration before the call, such as `int {name}(..);`"))
    });
    (csource::not_cplusplus(&source.text).into_iter())
        .filter(on_host)
        .map(|place| {
            Diagnostic::warning("HX0113", format!("{}: this is C and not C++", place.what))
                .at(place.range, "compilers of CUDA refuse this")
                .help(format!(
                    "{}; or take the GPU's part alone, `--emit kernel`, and leave this file C",
                    place.instead
                ))
        })
        .chain(undeclared)
        .collect()
}

impl Translate {
    /// Refuses to write what a target does not have.
    fn check_emit(&self) -> Result<(), Failure> {
        let language = Language::from(self.kernel.language);
        let emit = match (self.emit, language) {
            (Some(Emit::Cuda), Language::OpenMp | Language::OpenCl) => "--emit cuda",
            (Some(Emit::Kernel), Language::OpenMp) => "--emit kernel",
            _ => return Ok(()),
        };
        let what = format!("`--target {}` has no `{emit}`", language.name());
        let note = match language {
            Language::OpenCl => "the program stays one C file, with kernels as a text in it",
            _ => "the program stays one C file, with functions for its loops",
        };
        Err(Failure::plain(
            Diagnostic::error("HX0509", what)
                .note(note)
                .help("leave one of the two away"),
        ))
    }

    /// Writes the output, and a rule for make where one is wanted.
    fn write(&self, text: &str) -> Result<(), Failure> {
        if self.dependencies {
            let rule = self.dependency_file.as_deref();
            let dirs = self.input.preprocessor.dirs();
            dependencies::write(&self.output, &self.input.files, &dirs, rule)?;
        }
        emit::write(&self.output, text)
    }

    /// Writes what becomes of a stencil: kernels and their launches, for there is no program around it.
    fn stencil(&self, limit: TimeLimit) -> Result<ExitCode, Failure> {
        let of_program = match self.emit {
            Some(Emit::Cuda) => "--emit cuda",
            Some(Emit::Reference) => "--emit reference",
            _ if self.reference.is_some() => "--reference",
            _ => "",
        };
        if !of_program.is_empty() {
            let what = format!("`{of_program}` has no C program to write");
            let d = Diagnostic::error("HX0509", what)
                .note("the file has a stencil, of which kernels and launches are a text")
                .help("leave it away, which writes what `--emit kernel` does");
            return Err(Failure::plain(d));
        }
        if self.emit == Some(Emit::C) {
            self.input.check_stencil()?;
            let file = self
                .input
                .files
                .first()
                .map_or(Path::new(""), PathBuf::as_path);
            let text = files::text(file).map_err(|e| unreadable(file, &e))?;
            self.write(&stencils::as_c(file, text)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let ctx = context(&limit)?;
        let stencil = self.input.read_stencil(&ctx)?;
        let compiled = self.kernel.compile_stencil(&stencil, &self.target)?;
        let wrong = |d: Box<Diagnostic>| stencils::failure(&stencil, *d);
        let text = match self.emit {
            Some(Emit::Stencil) => dumps::stencil(&compiled),
            Some(Emit::Deps) => dependences(&compiled)?,
            Some(Emit::Schedule) => dumps::schedule(&compiled).map_err(wrong)?,
            Some(Emit::Ir) => program_text(&compiled)?,
            _ => output::print_stencil(&stencil, &compiled, crate::VERSION).map_err(wrong)?,
        };
        limit.finish()?;
        self.write(&text)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Does it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        self.kernel.messages.settle();
        self.check_emit()?;
        let limit = TimeLimit::start(self.kernel.time_limit);
        // As plain C it has what a program of C has.
        let is_c = Language::from(self.kernel.language).is_c()
            || matches!(self.emit, Some(Emit::Scop | Emit::Signatures));
        if stencils::is_given(&self.input.files) && !is_c {
            return self.stencil(limit);
        }
        if self.emit == Some(Emit::Signatures) {
            let found = self.input.signatures(self.kernel.sums, &limit)?;
            let text = serde_json::to_string_pretty(&found);
            let text = text.map_err(|e| Failure::plain(Diagnostic::bug(e)))?;
            self.write(&(text + "\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let whole = matches!(self.emit, None | Some(Emit::Cuda));
        let loops = self.kernel.loops(&self.target);
        let loops = Loops {
            several: whole && loops.several,
            ..loops
        };
        let input = self.input.read_loops(self.kernel.sums, &limit, loops)?;
        if self.emit == Some(Emit::Scop) {
            let text = hexcc_pet::deep::to_json(&input.saved)
                .map_err(|e| Failure::plain(Diagnostic::bug(e)))?;
            self.write(&(text + "\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.emit == Some(Emit::C) {
            self.write(&as_read(&input)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let ctx = context(&limit)?;
        let compiled = self.kernel.compile(&ctx, &input, &self.target)?;
        let with_source = |d: Box<Diagnostic>| Failure {
            diagnostics: vec![*d],
            source: Some(Box::new(input.saved.source.clone())),
        };
        let instrument = match self.instrument {
            true => Instrument::Dump,
            false => Instrument::None,
        };
        let host = self.kernel.host(&self.input, &input.saved, instrument);
        let reference = || {
            output::print_reference(&input.saved, &compiled, crate::VERSION).map_err(with_source)
        };
        let beside = match &self.reference {
            Some(path) => Some((path, reference()?)),
            None => None,
        };
        let text = match (self.emit, self.kernel.language) {
            (Some(Emit::Stencil), _) => dumps::stencil(&compiled),
            (Some(Emit::Deps), _) => dependences(&compiled)?,
            (Some(Emit::Schedule), _) => dumps::schedule(&compiled).map_err(with_source)?,
            (Some(Emit::Ir), _) => program_text(&compiled)?,
            (Some(Emit::Reference), _) => reference()?,
            (Some(Emit::Kernel), LanguageArg::Opencl) => {
                output::print_opencl_kernels(&input.saved, &compiled, crate::VERSION)
                    .map_err(with_source)?
            }
            (Some(Emit::Kernel), _) => {
                output::print_header(&input.saved, &compiled, crate::VERSION)
                    .map_err(with_source)?
            }
            (_, language @ (LanguageArg::Openmp | LanguageArg::Opencl)) => {
                let kind = (host, language.into());
                output::print_c(&input.saved, &compiled, crate::VERSION, kind)
                    .map_err(with_source)?
            }
            (_, LanguageArg::Cuda) => {
                render::render(&host_warnings(&input), Some(&input.saved.source));
                output::print_program(&input.saved, &compiled, crate::VERSION, host)
                    .map_err(with_source)?
            }
        };
        limit.finish()?;
        if let Some((path, reference)) = beside {
            emit::write(path, &reference)?;
        }
        self.write(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}
