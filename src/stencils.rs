//! Stencils in files of their own, `.st`, in the language of `hexcc-lang`: read, compiled and told about without C, or as plain C
//! for what takes that.

use crate::args::{InputArgs, KernelArgs, TargetArgs};
use crate::files;
use crate::input;
use crate::render::Failure;
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::scop::SourceFile;
use hexcc_compiler::stencil::Stencil;
use hexcc_isl::Ctx;
use std::path::{Path, PathBuf};

/// Whether a file has a stencil in it.
fn is_stencil(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "st")
}

/// Whether the command line names such a file.
pub fn is_given(files: &[PathBuf]) -> bool {
    files.iter().any(|file| is_stencil(file))
}

/// The refusal of a command that compares with C, or measures.
pub fn needs_c() -> Failure {
    let d = Diagnostic::error("HX0509", "this command takes C, and the file has a stencil")
        .note("a stencil has no program around it, which would run and be compared")
        .help("`hexcc FILE.st -o OUT.cuh` makes kernels and a function that launches them, and `hexcc bench FILE.st` measures these");
    Failure::plain(d)
}

/// The text of a C file, or the plain C of a stencil.
pub fn as_c(file: &Path, text: String) -> Result<String, Failure> {
    if !is_stencil(file) {
        return Ok(text);
    }
    let ctx = Ctx::new().map_err(|e| Failure::plain(*Box::<Diagnostic>::from(e)))?;
    hexcc_lang::print_c(&ctx, &text).map_err(|diagnostics| Failure {
        diagnostics,
        source: Some(Box::new(SourceFile::new(file.display().to_string(), text))),
    })
}

impl InputArgs {
    /// Refuses what a stencil does not have.
    pub fn check_stencil(&self) -> Result<(), Failure> {
        if self.files.len() > 1 {
            let d = Diagnostic::error("HX0509", "a stencil is a file of its own")
                .help("translate each file by itself, and include the results");
            return Err(Failure::plain(d));
        }
        if let Some(option) = self.of_c() {
            let what = format!("`{option}` has no effect on a stencil");
            let d = Diagnostic::error("HX0509", what)
                .note("it chooses or changes what is read of a C file")
                .help("leave it away");
            return Err(Failure::plain(d));
        }
        Ok(())
    }

    /// Reads the stencil that the command line names.
    pub fn read_stencil(&self, ctx: &Ctx) -> Result<Stencil, Failure> {
        self.check_stencil()?;
        let file = self.files.first().map_or(Path::new(""), PathBuf::as_path);
        let path = file.display().to_string();
        let text = files::text(file).map_err(|e| input::unreadable(file, &e))?;
        hexcc_lang::read(ctx, &path, &text).map_err(|diagnostics| Failure {
            diagnostics,
            source: Some(Box::new(SourceFile::new(path, text))),
        })
    }

    /// An option that is about C.
    fn of_c(&self) -> Option<&'static str> {
        match () {
            () if self.function.is_some() => Some("--function"),
            () if self.line.is_some() => Some("--line"),
            () if !self.preprocessor.defines().is_empty() => Some("-D"),
            () if !self.preprocessor.before().is_empty() => Some("-include"),
            () => None,
        }
    }
}

impl KernelArgs {
    /// Compiles a stencil, and prints warnings.
    pub fn compile_stencil(
        &self,
        stencil: &Stencil,
        target: &TargetArgs,
    ) -> Result<Compiled, Failure> {
        if self.fallback {
            let d = Diagnostic::error("HX0509", "`--fallback` has no loops to fall back to")
                .note("a stencil has no program around it");
            return Err(Failure::plain(d));
        }
        let options = self.options(target)?;
        let compiled = stencil
            .compile(&options)
            .map_err(|d| failure(stencil, *d))?;
        self.tell_compiled(&compiled, stencil.source())?;
        self.check_required(&compiled)?;
        Ok(compiled)
    }
}

/// A failure of what is made of a stencil.
pub fn failure(stencil: &Stencil, d: Diagnostic) -> Failure {
    Failure {
        diagnostics: vec![d],
        source: Some(Box::new(stencil.source().clone())),
    }
}
