//! Building the programs that `hexcc run` compares.

use super::{Target, Workplace, excerpt, failure};
use crate::args::InputArgs;
use crate::render::Failure;
use clap::Args;
use hexcc_compiler::diag::Diagnostic;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Options of the compilers, as a C compiler has them.
#[derive(Debug, Args)]
pub(super) struct BuildArgs {
    /// C compiler, with options [default: CC, or cc]
    #[arg(help_heading = "Compilers", long, value_name = "COMMAND")]
    cc: Option<String>,
    /// Level of optimization of both programs [default: 2 for C and OpenCL, 3 for OpenMP and nvcc]
    #[arg(help_heading = "Compilers", short = 'O', value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=3))]
    optimization: Option<u8>,
    /// Directory of libraries
    #[arg(help_heading = "Compilers", short = 'L', value_name = "DIR")]
    library_dirs: Vec<PathBuf>,
    /// Library, such as `png` for libpng
    #[arg(help_heading = "Compilers", short = 'l', value_name = "LIBRARY")]
    libraries: Vec<String>,
}

/// What the compilers get for one program.
pub(super) struct Builder<'a> {
    pub(super) input: &'a InputArgs,
    pub(super) options: &'a BuildArgs,
    /// Fused multiply-add is allowed.
    pub(super) fast: bool,
    /// The GPU's architecture.
    pub(super) arch: Option<&'a str>,
    /// Where the source is.
    pub(super) include: &'a Path,
    /// The other files, compiled.
    pub(super) objects: Vec<PathBuf>,
}

impl Builder<'_> {
    /// Compiles the other files of the program, which both programs have in common, if there are any
    /// beside the translated one.
    pub(super) fn with_others(
        mut self,
        own: &Path,
        is_all: bool,
        place: &Workplace,
    ) -> Result<Self, Failure> {
        if is_all {
            return Ok(self);
        }
        let standard = self.input.preprocessor.standard();
        let files = self.input.paths();
        let others = files.iter().filter(|file| *file != own);
        for (index, file) in others.enumerate() {
            let object = place.path.join(format!("other-{}.o", index + 1));
            let mut command = self.cc("-O2", &[&standard, "-ffp-contract=off", "-c"]);
            self.preprocessor(&mut command);
            command.arg(file).arg("-o").arg(&object);
            build(&mut command, "C compiler", HELP_CC)?;
            self.objects.push(object);
        }
        Ok(self)
    }

    /// Builds the C program.
    pub(super) fn c_program(&self, text: &Path, program: &Path) -> Result<(), Failure> {
        let standard = self.input.preprocessor.standard();
        let mut command = self.cc("-O2", &[&standard, "-ffp-contract=off"]);
        self.preprocessor(&mut command);
        self.link(&mut command, text, program);
        build(command.arg("-lm"), "C compiler", HELP_CC)
    }

    /// Builds the generated program.
    pub(super) fn generated(
        &self,
        target: &Target,
        text: &Path,
        program: &Path,
    ) -> Result<(), Failure> {
        let contract = match self.fast {
            true => "-ffp-contract=fast",
            false => "-ffp-contract=off",
        };
        let mut command = match target {
            Target::Gpu(nvcc) => {
                let mut command = Command::new(nvcc);
                command
                    .arg(format!("-arch={}", self.arch.unwrap_or("native")))
                    .arg(format!("-fmad={}", self.fast))
                    .args([self.level("-O3").as_str(), "-w"]);
                command
            }
            Target::Emulation(emucc) => {
                let mut command = Command::new(emucc);
                command.args(["-w", contract]);
                command.args(self.options.optimization.map(|level| format!("-O{level}")));
                command
            }
            Target::Cpu => self.cc("-O3", &[TRANSLATION, "-march=native", "-fopenmp", contract]),
            Target::OpenCl => self.cc("-O2", &[TRANSLATION, contract]),
        };
        self.preprocessor(&mut command);
        self.link(&mut command, text, program);
        command.args(target.libraries());
        build(&mut command, target.what(), target.help())
    }

    fn level(&self, default: &str) -> String {
        let given = self.options.optimization;
        given.map_or_else(|| default.to_string(), |level| format!("-O{level}"))
    }

    /// `--cc`, `$CC`, or cc, with options for results of the same bits.
    fn cc(&self, level: &str, options: &[&str]) -> Command {
        let named = |cc: &String| !cc.trim().is_empty();
        let cc = (self.options.cc.clone().filter(named))
            .or_else(|| std::env::var("CC").ok().filter(named))
            .unwrap_or_else(|| "cc".to_string());
        let mut words = cc.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or("cc"));
        command.args(words).arg(self.level(level)).args(options);
        command.arg("-w");
        command
    }

    /// `-I` and `-D`, of the command line and of the source's directory.
    fn preprocessor(&self, command: &mut Command) {
        self.input.preprocessor.hand_on(command, self.include);
    }

    /// The files of the program, and the libraries of the command line.
    fn link(&self, command: &mut Command, text: &Path, program: &Path) {
        command.arg(text).args(&self.objects).arg("-o").arg(program);
        for directory in &self.options.library_dirs {
            command.arg("-L").arg(directory);
        }
        command.args(
            self.options
                .libraries
                .iter()
                .map(|name| format!("-l{name}")),
        );
    }
}

/// The standard of translations to C.
const TRANSLATION: &str = "-std=gnu11";

const HELP_CC: &str = "install a C compiler, or set CC";

impl Target {
    /// What C programs are linked with.
    fn libraries(&self) -> &'static [&'static str] {
        match self {
            Target::Gpu(_) | Target::Emulation(_) => &[],
            Target::Cpu => &["-lm"],
            Target::OpenCl => &["-lOpenCL", "-lm"],
        }
    }

    fn what(&self) -> &'static str {
        match self {
            Target::Gpu(_) => "nvcc",
            Target::Emulation(_) => "emulation's compiler (scripts/emucc)",
            Target::Cpu | Target::OpenCl => "C compiler",
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Target::Gpu(_) => {
                "set HEXCC_NVCC to another nvcc, or choose the GPU's architecture with `--arch`"
            }
            Target::Emulation(_) => {
                "the emulation needs python3 and g++, or another C++ compiler named by CXX"
            }
            Target::Cpu => "install a C compiler with OpenMP, or set CC",
            Target::OpenCl => {
                "install a C compiler, or set CC, and the headers and the library of OpenCL (ocl-icd-opencl-dev)"
            }
        }
    }
}

fn build(command: &mut Command, what: &str, help: &str) -> Result<(), Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|e| {
        failure(
            Diagnostic::error("HX0506", format!("the {what} `{name}` cannot be run: {e}"))
                .help(help),
        )
    })?;
    if output.status.success() {
        return Ok(());
    }
    let mut text = excerpt(&output.stderr);
    if text.is_empty() {
        text = excerpt(&output.stdout);
    }
    let d = Diagnostic::error(
        "HX0506",
        format!("the {what} `{name}` failed: {}", output.status),
    );
    let d = if text.is_empty() {
        d
    } else {
        d.note(format!("it says:\n{text}"))
    };
    Err(failure(
        d.help("`--keep DIR` keeps the sources; -I, -D, -L and -l are passed on")
            .help(help),
    ))
}
