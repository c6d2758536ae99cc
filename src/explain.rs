//! `hexcc explain`: what the compiler found in a stencil and what it decided.

use crate::args::{GpusArg, InputArgs, KernelArgs, STATUSES, TargetArgs};
use crate::codes;
use crate::compile::context;
use crate::emit;
use crate::input::Input;
use crate::limit::TimeLimit;
use crate::measuring::tiled;
use crate::render::Failure;
use crate::stencils;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use hexcc_compiler::back::Instrument;
use hexcc_compiler::compiled::{Compiled, Unit};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::options::Language;
use hexcc_compiler::report::{
    TilingPicture, explain, explain_gpus, explain_placement, explain_stencil, explain_tiles,
    tiling_svg,
};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Prints statements, arrays, dependences, the schedule and its counts for
/// every time loop of a stencil. `hexcc explain HX0203` prints what a code means.
#[derive(Debug, Parser)]
#[command(
    name = "hexcc explain",
    bin_name = "hexcc explain",
    disable_help_flag = true,
    after_help = STATUSES,
    override_usage = "hexcc explain [OPTIONS] FILE..\n       hexcc explain CODE"
)]
pub struct Explain {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    kernel: KernelArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// List the best tile sizes with counts, predicted times and what limits
    /// them, instead of the report
    #[arg(long, conflicts_with = "svg")]
    tiles: bool,
    /// Draw the hexagonal tiling into this file; `-` writes the drawing
    /// instead of the report
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Explain {
    /// Compiles the input and reports on it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        self.kernel.messages.settle();
        if let [word] = &self.input.files[..]
            && let Some(code) = codes::spelled(word)
        {
            let none = |e| Explain::command().error(ErrorKind::InvalidValue, e).exit();
            let page = codes::page(&code).unwrap_or_else(none);
            emit::write(Path::new("-"), &page)?;
            return Ok(ExitCode::SUCCESS);
        }
        let limit = TimeLimit::start(self.kernel.time_limit);
        let is_c = Language::from(self.kernel.language).is_c();
        if stencils::is_given(&self.input.files) && !is_c {
            return self.stencil(limit);
        }
        let kernel = KernelArgs {
            keep_tiles: self.tiles || self.svg.is_some(),
            ..self.kernel.clone()
        };
        let loops = kernel.loops(&self.target);
        let input = self.input.read_loops(kernel.sums, &limit, loops)?;
        let ctx = context(&limit)?;
        let mut compiled = kernel.compile(&ctx, &input, &self.target)?;
        if kernel.keep_tiles {
            compiled = tiled(compiled)?;
        }
        if self.tiles {
            let target = self.target.target()?;
            let text = explain_tiles(&input.saved, &compiled, &target);
            limit.finish()?;
            emit::write(Path::new("-"), &text)?;
            return Ok(ExitCode::SUCCESS);
        }
        let drawn = match &self.svg {
            Some(path) => Some((path, drawing(&input, &compiled)?)),
            None => None,
        };
        let mut report = None;
        if self.svg.as_deref() != Some(Path::new("-")) {
            // What the compilation has left of the quota need not suffice.
            ctx.reset_operations();
            let report_of = explain(&input.saved, &compiled) + &candidates(&input);
            let placement = self.placement(&input, &compiled);
            let gpus = self.gpus(&compiled)?;
            report = Some(report_of + &placement + &gpus + &durations(&compiled));
        }
        limit.finish()?;
        if let Some((path, drawing)) = drawn {
            emit::write(path, &drawing)?;
        }
        if let Some(report) = report {
            emit::write(Path::new("-"), &report)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Reports on a stencil.
    fn stencil(&self, limit: TimeLimit) -> Result<ExitCode, Failure> {
        if self.tiles || self.svg.is_some() {
            let d = Diagnostic::error(
                "HX0509",
                "`--tiles` and `--svg` take C, and the file has a stencil",
            )
            .help("`hexcc explain FILE.st` tells of the tiles that were chosen");
            return Err(Failure::plain(d));
        }
        let ctx = context(&limit)?;
        let stencil = self.input.read_stencil(&ctx)?;
        let compiled = self.kernel.compile_stencil(&stencil, &self.target)?;
        ctx.reset_operations();
        let report = explain_stencil(&stencil, &compiled) + &durations(&compiled);
        limit.finish()?;
        emit::write(Path::new("-"), &report)?;
        Ok(ExitCode::SUCCESS)
    }

    /// What several GPUs are expected to take, where that is asked for.
    fn gpus(&self, compiled: &Compiled) -> Result<String, Failure> {
        let gpus = self.kernel.gpus.map(|GpusArg(gpus)| gpus);
        let target = self.target.target()?;
        Ok(explain_gpus(compiled, gpus, &target, &self.target.set))
    }

    /// Where loops run, and what they are expected to take with the sizes given.
    fn placement(&self, input: &Input, compiled: &Compiled) -> String {
        let host = self
            .kernel
            .host(&self.input, &input.saved, Instrument::None);
        let kind = (self.kernel.language.into(), host);
        explain_placement(&input.saved, compiled, kind, &self.target.set)
    }
}

/// The loops that are not translated, and how to choose them.
fn candidates(input: &Input) -> String {
    let mut text = String::new();
    if !input.candidates.is_empty() {
        text.push_str("\nother loops\n");
    }
    for other in &input.candidates {
        let function = other.function.as_ref();
        let place = function.map_or(String::new(), |name| format!(", in {name}()"));
        let why = other.why.as_deref();
        let why = why.unwrap_or("not looked at, since the one above is likelier");
        let line = other.line;
        let _ = writeln!(
            text,
            "  line {line}{place}: {why}; `--line {line}` takes it"
        );
    }
    text
}

/// The hybrid tilings of all time loops.
fn drawing(input: &Input, compiled: &Compiled) -> Result<String, Failure> {
    let source = &input.saved.source;
    let file = Path::new(&source.path)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let pictures: Vec<TilingPicture> = (compiled.units.iter())
        .filter_map(|unit| {
            let line = source.line(unit.analysis.chunk.span.start);
            Some(TilingPicture {
                title: format!("{file}, line {line}: hexagonal tiling"),
                names: &unit.analysis.canonical.names,
                schedule: &unit.hybrid()?.schedule,
            })
        })
        .collect();
    if pictures.is_empty() {
        let d = Diagnostic::error("HX0509", "`--svg` has no hexagons to draw")
            .note("the time loops have overlapped tiles only")
            .help("`--tiling hybrid` draws the hybrid tiling");
        return Err(Failure::plain(d));
    }
    Ok(tiling_svg(&pictures))
}

/// What the proofs and everything else took, where that was measured.
fn durations(compiled: &Compiled) -> String {
    if compiled.timings.is_empty() {
        return String::new();
    }
    let total: f64 = compiled.timings.iter().map(|(_, t)| t.as_secs_f64()).sum();
    let proofs: Vec<f64> = (compiled.units.iter())
        .filter_map(Unit::hybrid)
        .map(|hybrid| hybrid.proof.elapsed.as_secs_f64() * 1e3)
        .collect();
    let mut text = format!("\ncompiled in {:.1} ms", total * 1e3);
    if !proofs.is_empty() {
        let proof: f64 = proofs.iter().sum();
        let _ = write!(text, ", {proof:.1} ms of it for the proof of hybrid tiling");
    }
    text.push('\n');
    text
}
