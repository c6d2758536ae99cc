//! Command-line arguments and what each command does.

use crate::emit;
use crate::input::{self, Input, InputOptions};
use crate::render::{self, Failure};
use clap::{Args, Parser, ValueEnum};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::kernel::Schema;
use hexcc_compiler::pipeline::{self, Compiled, Instrument, Options, WavefrontChoice};
use hexcc_compiler::sched::TileSizes;
use hexcc_compiler::target::{Target, Targets};
use hexcc_isl::Ctx;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options that choose the input.
#[derive(Debug, Args, Clone)]
pub struct InputArgs {
    /// C file, or a scop saved with `--emit scop`
    pub file: PathBuf,
    /// Function whose scop to translate
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Directory for `#include`
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Macro, NAME or NAME=VALUE
    #[arg(short = 'D', value_name = "MACRO")]
    pub define: Vec<String>,
}

/// Options that choose the schedule and the kernel.
#[derive(Debug, Args, Clone)]
pub struct KernelArgs {
    /// Tile sizes: `h=3,w=8:64` gives h and one width per space dimension,
    /// outermost first
    #[arg(long, value_name = "SIZES", value_parser = parse_tile)]
    pub tile: Option<TileSizes>,
    /// Space dimension tiled by hexagons, 0 is the outermost
    #[arg(long, value_name = "DIM")]
    pub hex_dim: Option<usize>,
    /// Memory a tile computes in
    #[arg(long, value_enum, default_value_t = Memory::Shared)]
    pub memory: Memory,
    /// Copies of 16 bytes from 16-byte boundaries where tile widths allow it
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub aligned_loads: Switch,
    /// What a tile reuses of the tile before it in its block
    #[arg(long, value_enum, default_value_t = Reuse::Dynamic)]
    pub reuse: Reuse,
    /// Classical space dimension whose tiles run in parallel, too, in waves;
    /// `none` or `auto`
    #[arg(long, value_name = "DIM", default_value = "auto", value_parser = parse_wavefront)]
    pub wavefront: WavefrontChoice,
    /// Threads per block wanted [default: chosen with the tile sizes]
    #[arg(long, value_parser = clap::value_parser!(i64).range(32..=1024))]
    pub threads: Option<i64>,
    /// Shared memory a block may use when tile sizes are chosen, bytes
    /// [default: what the GPU allows]
    #[arg(long, value_name = "BYTES")]
    pub shared_memory: Option<i64>,
    /// Bound on isl's operations, 0 for none
    #[arg(long, value_name = "N", default_value_t = Options::default().isl_quota)]
    pub isl_quota: u64,
    /// Namespace of the generated code [default: `hexcc_` and the function]
    #[arg(long, value_parser = parse_name)]
    pub name: Option<String>,
    /// Print what each pass took
    #[arg(short, long)]
    pub verbose: bool,
}

/// Options that say what tile sizes are chosen for.
#[derive(Debug, Args, Clone, Default)]
pub struct TargetArgs {
    /// GPU to choose tile sizes for, such as h200 or a100 [default: the one
    /// that is present, or h200]
    #[arg(long, value_name = "NAME")]
    pub gpu: Option<String>,
    /// Table with more GPUs, in the form of crates/compiler/data/gpus.toml
    #[arg(long, value_name = "FILE")]
    pub gpu_table: Option<PathBuf>,
    /// Sizes to choose tile sizes for, such as N=4096,T=1000
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = parse_size)]
    pub set: Vec<(String, i64)>,
}

/// Where tiles live while they are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Memory {
    /// Every access goes to global memory
    Global,
    /// The footprint of a tile is held in shared memory
    Shared,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Off
    Off,
    /// On
    On,
}

/// Inter-tile reuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Reuse {
    /// Every tile copies in all it needs
    None,
    /// The columns in common with the tile before move into place
    Dynamic,
}

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The whole program as CUDA C++
    Cuda,
    /// A header with a launch function on device pointers
    Kernel,
    /// The scop as JSON
    Scop,
    /// The C program with its results written to a file
    #[value(hide = true)]
    Reference,
}

/// Source-to-source compiler for stencils: C loop nests to CUDA with hybrid
/// hexagonal/classical tiling.
#[derive(Debug, Parser)]
#[command(name = "hexcc", version = env!("HEXCC_LONG_VERSION"), arg_required_else_help = true,
    override_usage = "hexcc [OPTIONS] FILE -o OUT.cu\n       hexcc run [OPTIONS] FILE\n       hexcc explain [OPTIONS] FILE",
    after_help = "`hexcc run --help` and `hexcc explain --help` describe the other commands.")]
struct Translate {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    kernel: KernelArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// Output file, `-` for the standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value_t = Emit::Cuda)]
    emit: Emit,
    /// Let the program write its results to the file named by HEXCC_DUMP
    #[arg(long, hide = true)]
    instrument: bool,
    /// Also write what `--emit reference` would; which arrays are compared
    /// depends on what has been tiled
    #[arg(long, hide = true, value_name = "FILE")]
    reference: Option<PathBuf>,
}

fn parse_name(text: &str) -> Result<String, String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.chars().all(is_word) && text.starts_with(|c: char| !c.is_ascii_digit()) {
        Ok(text.to_string())
    } else {
        Err("expected a C identifier".to_string())
    }
}

fn parse_wavefront(text: &str) -> Result<WavefrontChoice, String> {
    match text {
        "auto" => Ok(WavefrontChoice::Auto),
        "none" => Ok(WavefrontChoice::None),
        _ => (text.parse().map(WavefrontChoice::Dim))
            .map_err(|_| "expected the number of a space dimension, `auto` or `none`".to_string()),
    }
}

fn parse_tile(text: &str) -> Result<TileSizes, String> {
    let form = "expected `h=H,w=W0:W1:..`";
    let (h, w) = text.split_once(',').ok_or(form)?;
    let h = h.trim().strip_prefix("h=").ok_or(form)?;
    let w = w.trim().strip_prefix("w=").ok_or(form)?;
    let number = |t: &str| {
        t.trim()
            .parse::<i64>()
            .map_err(|_| format!("`{t}` is not a number; {form}"))
    };
    Ok(TileSizes {
        h: number(h)?,
        w: w.split(':').map(number).collect::<Result<_, _>>()?,
    })
}

fn parse_size(text: &str) -> Result<(String, i64), String> {
    let form = "expected `NAME=NUMBER`";
    let (name, value) = text.split_once('=').ok_or(form)?;
    let value = (value.trim().parse()).map_err(|_| format!("`{value}` is not a number; {form}"))?;
    Ok((parse_name(name.trim())?, value))
}

/// The GPU of this machine as its driver calls it.
fn device_name() -> Option<String> {
    None
}

impl TargetArgs {
    /// The GPU named, the one present, or the default.
    pub fn target(&self) -> Result<Target, Failure> {
        let plain = |d: Box<Diagnostic>| Failure::plain(*d);
        let mut targets = Targets::built_in();
        if let Some(path) = &self.gpu_table {
            let text = std::fs::read_to_string(path).map_err(|e| {
                let what = format!("cannot read `{}`: {e}", path.display());
                Failure::plain(Diagnostic::error("HX0501", what))
            })?;
            let name = path.display().to_string();
            targets.extend(&name, &text).map_err(plain)?;
        }
        match &self.gpu {
            Some(name) => targets.find(name).map_err(plain),
            None => Ok(device_name()
                .and_then(|device| targets.for_device(&device).cloned())
                .unwrap_or_default()),
        }
    }
}

impl InputArgs {
    /// Reads the input and prints warnings.
    pub fn read(&self) -> Result<Input, Failure> {
        let input = input::read(&InputOptions {
            file: self.file.clone(),
            function: self.function.clone(),
            include_dirs: self.include.clone(),
            defines: self.define.clone(),
        })?;
        render::render(&input.warnings, Some(&input.saved.source));
        Ok(input)
    }
}

impl KernelArgs {
    /// The compiler's options.
    pub fn options(&self, target: &TargetArgs) -> Result<Options, Failure> {
        Ok(Options {
            tile: self.tile.clone(),
            hex_dim: self.hex_dim,
            schema: match self.memory {
                Memory::Global => Schema::Global,
                Memory::Shared => Schema::Shared,
            },
            aligned_loads: self.aligned_loads == Switch::On,
            reuse: self.reuse == Reuse::Dynamic,
            wavefront: self.wavefront,
            threads: self.threads,
            shared_limit: self.shared_memory,
            target: target.target()?,
            sizes: target.set.clone(),
            isl_quota: self.isl_quota,
            name: self.name.clone(),
        })
    }

    /// Compiles and prints warnings.
    pub fn compile(
        &self,
        ctx: &Ctx,
        input: &Input,
        target: &TargetArgs,
    ) -> Result<Compiled, Failure> {
        let options = self.options(target)?;
        let fail = |d: Box<Diagnostic>| Failure {
            diagnostics: vec![*d],
            source: Some(input.saved.source.clone()),
        };
        let compiled = pipeline::compile(ctx, &input.saved, &options).map_err(fail)?;
        render::render(&compiled.warnings, Some(&input.saved.source));
        if self.verbose {
            for (pass, time) in &compiled.timings {
                eprintln!("{pass:>12}: {:7.2} ms", time.as_secs_f64() * 1e3);
            }
        }
        Ok(compiled)
    }
}

/// Does what the command line says.
pub fn main() -> Result<ExitCode, Failure> {
    match std::env::args().nth(1).as_deref() {
        Some("run") => crate::run::Run::parse_from(std::env::args_os().skip(1)).run(),
        Some("explain") => crate::explain::Explain::parse_from(std::env::args_os().skip(1)).run(),
        _ => Translate::parse().run(),
    }
}

/// An isl context, which fails only without memory.
pub fn context() -> Result<Ctx, Failure> {
    Ctx::new().map_err(|e| Failure::plain(Diagnostic::bug(e)))
}

impl Translate {
    fn run(&self) -> Result<ExitCode, Failure> {
        let input = self.input.read()?;
        if self.emit == Emit::Scop {
            let text = serde_json::to_string_pretty(&input.saved)
                .map_err(|e| Failure::plain(Diagnostic::bug(e)))?;
            emit::write(&self.output, &(text + "\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let ctx = context()?;
        let compiled = self.kernel.compile(&ctx, &input, &self.target)?;
        let with_source = |d: Box<Diagnostic>| Failure {
            diagnostics: vec![*d],
            source: Some(input.saved.source.clone()),
        };
        let instrument = if self.instrument {
            Instrument::Dump
        } else {
            Instrument::None
        };
        let reference = || {
            pipeline::print_reference(&input.saved, &compiled, crate::VERSION).map_err(with_source)
        };
        if let Some(path) = &self.reference {
            emit::write(path, &reference()?)?;
        }
        let text = match self.emit {
            Emit::Kernel => pipeline::print_header(&input.saved, &compiled, crate::VERSION),
            Emit::Reference => reference()?,
            Emit::Cuda | Emit::Scop => {
                pipeline::print_program(&input.saved, &compiled, crate::VERSION, instrument)
                    .map_err(with_source)?
            }
        };
        emit::write(&self.output, &text)?;
        Ok(ExitCode::SUCCESS)
    }
}
