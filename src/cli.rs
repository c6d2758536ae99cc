//! Command-line arguments and what each command does.

use crate::cache::{self, Tuned};
use crate::emit;
use crate::input::{self, Input, InputOptions};
use crate::limit::{self, TimeLimit};
use crate::render::{self, Failure};
use crate::variant::Variant;
use clap::{Args, Parser, ValueEnum};
use hexcc_compiler::back::{Files, Host, Instrument, Otherwise};
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::csource;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::ir::dump;
use hexcc_compiler::kernel::stream::StreamTile;
use hexcc_compiler::kernel::{self, Schema};
use hexcc_compiler::options::{Language, Options, Sums, Tiling, WavefrontChoice};
use hexcc_compiler::sched::TileSizes;
use hexcc_compiler::target::{Target, Targets};
use hexcc_compiler::{output, pipeline};
use hexcc_isl::Ctx;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::OnceLock;

/// Headings of `--help`, which the documentation has, too.
const INPUT: &str = "Input";
const TILING: &str = "Tiling";
const KERNEL: &str = "Kernel";
const TARGET: &str = "Target";
const OUTPUT: &str = "Output";

/// Options that choose the input.
#[derive(Debug, Args, Clone)]
pub struct InputArgs {
    /// C files of the program, the region in one of them, or a scop saved with `--emit scop`
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Function whose scop to translate
    #[arg(help_heading = INPUT, long, value_name = "NAME")]
    pub function: Option<String>,
    /// Line of the loop to translate, or of one around it; of the first file
    #[arg(help_heading = INPUT, long, value_name = "N", conflicts_with = "function")]
    pub line: Option<usize>,
    /// Directory for `#include`
    #[arg(help_heading = INPUT, short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Macro, NAME or NAME=VALUE
    #[arg(help_heading = INPUT, short = 'D', value_name = "MACRO")]
    pub define: Vec<String>,
}

/// Options that choose the schedule and the kernel.
#[derive(Debug, Args, Clone)]
pub struct KernelArgs {
    /// Tiles are what is measured or explained, even where a translation takes single steps
    #[arg(skip)]
    pub keep_tiles: bool,
    /// How time is tiled; options that only one of the tilings has decide, too
    #[arg(help_heading = TILING, long, value_enum, default_value = "auto")]
    pub tiling: TilingArg,
    /// Tile sizes: `h=3,w=8:64` gives h and one width per space dimension,
    /// outermost first
    #[arg(help_heading = TILING, long, value_name = "SIZES", value_parser = TileSizes::from_str)]
    pub tile: Option<TileSizes>,
    /// Space dimension tiled by hexagons, 0 is the outermost
    #[arg(help_heading = TILING, long, value_name = "DIM")]
    pub hex_dim: Option<usize>,
    /// Classical space dimension whose tiles run in parallel, too, in waves;
    /// `none` or `auto`
    #[arg(help_heading = TILING, long, value_name = "DIM", default_value = "auto", value_parser = parse_wavefront)]
    pub wavefront: WavefrontChoice,
    /// Sizes of overlapped tiles: time steps of a launch, columns of a lane, ..
    /// [default: chosen by the model]
    #[arg(help_heading = TILING, long, value_name = "steps=T,vector=V,..")]
    pub stream_tile: Option<StreamTile>,
    /// How sums of floating-point numbers over loops are computed
    #[arg(help_heading = TILING, long, value_enum, default_value = "parallel")]
    pub sums: SumsArg,
    /// Memory a tile computes in
    #[arg(help_heading = KERNEL, long, value_enum, default_value_t = Memory::Shared)]
    pub memory: Memory,
    /// When values go from shared to global memory [default: live]
    #[arg(help_heading = KERNEL, long, value_enum)]
    pub copy_out: Option<CopyOut>,
    /// Copies of 16 bytes from 16-byte boundaries where tile widths allow it
    /// [default: on]
    #[arg(help_heading = KERNEL, long, value_enum)]
    pub aligned_loads: Option<Switch>,
    /// What a full tile reuses of the full tile before it in its block
    /// [default: dynamic]
    #[arg(help_heading = KERNEL, long, value_enum)]
    pub reuse: Option<Reuse>,
    /// Code without tests for full tiles
    #[arg(help_heading = KERNEL, long, value_enum, default_value_t = Switch::On)]
    pub full_tiles: Switch,
    /// Unrolled rows and points [default: on]
    #[arg(help_heading = KERNEL, long, value_enum)]
    pub unroll: Option<Switch>,
    /// Threads per block wanted [default: chosen with the tile sizes]
    #[arg(help_heading = KERNEL, long, value_parser = clap::value_parser!(i64).range(32..=1024))]
    pub threads: Option<i64>,
    /// Rows of contiguous points that a thread computes, at most [default: those of the
    /// tile over those of the block; in two dimensions all]
    #[arg(help_heading = KERNEL, long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub rows_per_thread: Option<i64>,
    /// Shared memory a block may use when tile sizes are chosen, bytes
    /// [default: what the GPU allows]
    #[arg(help_heading = KERNEL, long, value_name = "BYTES")]
    pub shared_memory: Option<i64>,
    /// What the program becomes
    #[arg(help_heading = TARGET, long = "target", value_name = "TARGET", value_enum, default_value_t = LanguageArg::Cuda)]
    pub language: LanguageArg,
    /// Let the program run its own loops where arrays overlap, no GPU is present, or its memory
    /// does not suffice, instead of ending with a message
    #[arg(help_heading = TARGET, long)]
    pub fallback: bool,
    /// Choose for a program that nvcc builds with --use_fast_math: divisions and functions
    /// in float take few instructions then
    #[arg(help_heading = TARGET, long)]
    pub fast_math: bool,
    /// Namespace of the generated code [default: `hexcc_` and the function]
    #[arg(help_heading = OUTPUT, long, value_parser = parse_name)]
    pub name: Option<String>,
    /// Bound on isl's operations, 0 for none
    #[arg(long, value_name = "N", default_value_t = Options::default().isl_quota)]
    pub isl_quota: u64,
    /// Bound on the processor time of a translation, 0 for none
    #[arg(long, value_name = "SECONDS", default_value_t = limit::DEFAULT_SECONDS)]
    pub time_limit: u64,
    /// Do not use tile sizes that `hexcc tune` found
    #[arg(long)]
    pub no_cache: bool,
    /// Print what each pass took
    #[arg(short, long)]
    pub verbose: bool,
}

/// Options that say what tile sizes are chosen for.
#[derive(Debug, Args, Clone, Default)]
pub struct TargetArgs {
    /// GPU to choose tile sizes for, such as h200 or a100 [default: the one
    /// that is present, or h200]
    #[arg(help_heading = TARGET, long, value_name = "NAME")]
    pub gpu: Option<String>,
    /// Table with more GPUs, in the form of crates/compiler/data/gpus.toml
    #[arg(help_heading = TARGET, long, value_name = "FILE")]
    pub gpu_table: Option<PathBuf>,
    /// Sizes to choose tile sizes for, such as N=4096,T=1000
    #[arg(help_heading = TARGET, long, value_name = "SIZES", value_delimiter = ',', value_parser = parse_size)]
    pub set: Vec<(String, i64)>,
}

/// What the program becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LanguageArg {
    /// CUDA C++, for GPUs
    Cuda,
    /// C with OpenMP, for CPUs
    Openmp,
    /// C with kernels in OpenCL C, for devices of all kinds
    Opencl,
}

impl From<LanguageArg> for Language {
    fn from(language: LanguageArg) -> Language {
        match language {
            LanguageArg::Cuda => Language::Cuda,
            LanguageArg::Openmp => Language::OpenMp,
            LanguageArg::Opencl => Language::OpenCl,
        }
    }
}

/// How sums of floating-point numbers over loops are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SumsArg {
    /// By all threads; the order is the same in every run, but not C's, and rounds differently
    Parallel,
    /// In C's order, by one thread
    Ordered,
}

impl From<SumsArg> for Sums {
    fn from(sums: SumsArg) -> Sums {
        match sums {
            SumsArg::Parallel => Sums::Parallel,
            SumsArg::Ordered => Sums::Ordered,
        }
    }
}

/// How time is tiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TilingArg {
    /// As the model predicts
    Auto,
    /// Hexagons along one dimension, classical tiles along the others
    Hybrid,
    /// Overlapped tiles that stream through registers; they compute their
    /// common halo several times
    Overlapped,
    /// No tiles: the loops in their own order, parallel ones in kernels
    Stepwise,
}

impl From<TilingArg> for Tiling {
    fn from(tiling: TilingArg) -> Tiling {
        match tiling {
            TilingArg::Auto => Tiling::Auto,
            TilingArg::Hybrid => Tiling::Hybrid,
            TilingArg::Overlapped => Tiling::Overlapped,
            TilingArg::Stepwise => Tiling::Stepwise,
        }
    }
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

/// Copy-out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CopyOut {
    /// After the last row of a tile
    Separate,
    /// As they are computed
    Interleaved,
    /// As they are computed, but only those that other tiles need or that are
    /// results
    Live,
}

/// Inter-tile reuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Reuse {
    /// Every tile copies in all it needs
    None,
    /// The columns in common with the tile before stay where they are: columns
    /// lie in shared memory modulo its size
    Static,
    /// The columns in common with the tile before move into place
    Dynamic,
}

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The whole program as CUDA C++
    Cuda,
    /// A header with a launch function on device pointers; for OpenCL the kernels, and what
    /// launches them as a comment
    Kernel,
    /// The loops as hexcc reads them, and which passes have changed their text
    C,
    /// The scop as JSON
    Scop,
    /// Kernels and launches as data, of programs that run in single steps
    Ir,
    /// The C program with its results written to a file
    #[value(hide = true)]
    Reference,
}

/// Source-to-source compiler for stencils: C loop nests to CUDA with hybrid
/// hexagonal/classical tiling.
#[derive(Debug, Parser)]
#[command(name = "hexcc", version = env!("HEXCC_LONG_VERSION"), arg_required_else_help = true,
    override_usage = "hexcc [OPTIONS] FILE.. -o OUT.cu\n       hexcc run [OPTIONS] FILE..\n       hexcc explain [OPTIONS] FILE..\n       hexcc tune [OPTIONS] FILE\n       hexcc bench [OPTIONS] FILE..",
    after_help = "`hexcc run --help` and so on describe the other commands.")]
struct Translate {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    kernel: KernelArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// Output file, `-` for the standard output
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
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

fn parse_size(text: &str) -> Result<(String, i64), String> {
    let form = "expected `NAME=NUMBER`";
    let (name, value) = text.split_once('=').ok_or(form)?;
    let value = (value.trim().parse()).map_err(|_| format!("`{value}` is not a number; {form}"))?;
    Ok((parse_name(name.trim())?, value))
}

/// The name of the GPU that is present. The driver, which takes a while to start,
/// is asked once.
fn device_name() -> Option<String> {
    static NAME: OnceLock<Option<String>> = OnceLock::new();
    NAME.get_or_init(hexcc_gpu::device_name).clone()
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
    /// Reads the input and prints warnings; that nests run in kernels is said where they do.
    pub fn read(&self, sums: SumsArg, limit: &TimeLimit) -> Result<Input, Failure> {
        let Some((first, others)) = self.files.split_first() else {
            return Err(Failure::plain(Diagnostic::bug("no file is given")));
        };
        let options = InputOptions {
            file: first.clone(),
            others: others.to_vec(),
            function: self.function.clone(),
            line: self.line,
            include_dirs: self.include.clone(),
            defines: self.define.clone(),
            sums: sums.into(),
        };
        let input = input::read(&options, limit)?;
        if !input.saved.is_nests() {
            render::render(&input.warnings, Some(&input.saved.source));
        }
        Ok(input)
    }
}

impl KernelArgs {
    /// The compiler's options.
    pub fn options(&self, target: &TargetArgs) -> Result<Options, Failure> {
        let options = Options {
            tile: self.tile.clone(),
            hex_dim: self.hex_dim,
            schema: match self.memory {
                Memory::Global => Schema::Global,
                Memory::Shared => Schema::Shared,
            },
            copy_out: self.copy_out.map(|c| match c {
                CopyOut::Separate => kernel::CopyOut::Separate,
                CopyOut::Interleaved => kernel::CopyOut::Interleaved,
                CopyOut::Live => kernel::CopyOut::Live,
            }),
            aligned_loads: self.aligned_loads.map(|s| s == Switch::On),
            reuse: self.reuse.map(|r| match r {
                Reuse::None => kernel::Reuse::None,
                Reuse::Static => kernel::Reuse::Static,
                Reuse::Dynamic => kernel::Reuse::Dynamic,
            }),
            full_tiles: self.full_tiles == Switch::On,
            unroll: self.unroll.map(|s| s == Switch::On),
            wavefront: self.wavefront,
            tiling: self.tiling.into(),
            keep_tiles: self.keep_tiles,
            stream_tile: self.stream_tile,
            fast_math: self.fast_math,
            threads: self.threads,
            rows_per_thread: self.rows_per_thread,
            shared_limit: self.shared_memory,
            target: target.target()?,
            sizes: target.set.clone(),
            isl_quota: self.isl_quota,
            name: self.name.clone(),
            language: self.language.into(),
            sums: self.sums.into(),
        };
        // Said before the input is read.
        options.switches().map_err(|d| Failure::plain(*d))?;
        Ok(options)
    }

    /// How the program around the kernels is made.
    pub fn host(&self, input: &InputArgs, instrument: Instrument) -> Host {
        let files = match input.files.len() {
            1 => Files::One,
            _ => Files::OthersInC,
        };
        let otherwise = match self.fallback {
            true => Otherwise::RunsLoops,
            false => Otherwise::Ends,
        };
        Host {
            instrument,
            otherwise,
            files,
        }
    }

    /// Compiles and prints warnings. Where the user gives no tile sizes, those
    /// that `hexcc tune` found for this region are taken.
    pub fn compile(
        &self,
        ctx: &Ctx,
        input: &Input,
        target: &TargetArgs,
    ) -> Result<Compiled, Failure> {
        self.compile_with(ctx, input, target, cache::folder().as_deref())
    }

    fn compile_with(
        &self,
        ctx: &Ctx,
        input: &Input,
        target: &TargetArgs,
        cache: Option<&Path>,
    ) -> Result<Compiled, Failure> {
        let options = self.options(target)?;
        let compile = |options: &Options| {
            ctx.reset_operations();
            pipeline::compile(ctx, &input.saved, options)
        };
        let tuned = (cache.and_then(|folder| self.tuned(input, &options, target, folder)))
            .and_then(|tuned| compile_tuned(&tuned, &options, &compile));
        let compiled = match tuned {
            Some(compiled) => Ok(compiled),
            None => compile(&options),
        }
        .map_err(|d| Failure {
            diagnostics: vec![*d],
            source: Some(input.saved.source.clone()),
        })?;
        if input.saved.is_nests() {
            render::render(&input.warnings, Some(&input.saved.source));
        }
        render::render(&compiled.warnings, Some(&input.saved.source));
        if self.verbose {
            for (pass, time) in &compiled.timings {
                eprintln!("{pass:>12}: {:7.2} ms", time.as_secs_f64() * 1e3);
            }
        }
        Ok(compiled)
    }

    /// What tuning found for this region, unless the user's options say
    /// otherwise.
    fn tuned(
        &self,
        input: &Input,
        options: &Options,
        target: &TargetArgs,
        folder: &Path,
    ) -> Option<Tuned> {
        if self.no_cache || options.tile.is_some() || options.stream_tile.is_some() {
            return None;
        }
        let tuned = cache::find(folder, &input.saved, options, device_name)?;
        if self.keep_tiles && tuned.variant == Variant::STEPS {
            return None;
        }
        let sizes: Vec<&str> = tuned.problem.split(',').collect();
        let same_sizes = (target.set.iter())
            .all(|(name, value)| sizes.contains(&format!("{name}={value}").as_str()));
        let same_gpu = target.gpu.is_none()
            || (Targets::built_in().for_device(&tuned.gpu))
                .is_some_and(|t| t.name == options.target.name);
        (same_sizes && same_gpu).then_some(tuned)
    }
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

/// The generated program before it is printed; tiled kernels are not made of it yet.
fn program_text(compiled: &Compiled) -> Result<String, Failure> {
    if compiled.stepwise.is_empty() {
        let d = Diagnostic::error("HX0509", "`--emit ir` shows single steps only")
            .note("the kernels of tiles are printed without it")
            .help("add `--tiling stepwise`");
        return Err(Failure::plain(d));
    }
    Ok((compiled.stepwise.iter())
        .map(|part| dump(&part.program))
        .collect())
}

/// A compilation that has tiles of a GPU.
pub fn tiled(compiled: Compiled) -> Result<Compiled, Failure> {
    if compiled.stepwise.is_empty() && compiled.tiled_nests.is_empty() {
        return Ok(compiled);
    }
    let d = match compiled.stepwise.iter().any(|part| part.tiles.is_some()) {
        _ if !compiled.tiled_nests.is_empty() => Diagnostic::error(
            "HX0609",
            "tiles in a loop that stays on the host are not measured",
        )
        .note("what the host does between them decides how many steps there are")
        .help("`--line` takes a loop over time steps by itself"),
        false => Diagnostic::error("HX0609", "there are no tiles to measure")
            .note("the program runs in single steps, which have no sizes to choose"),
        true => Diagnostic::error("HX0609", "there are no tiles of a GPU to measure")
            .note("only kernels of GPUs are measured and drawn so far"),
    };
    Err(Failure::plain(
        d.help("`hexcc run` compares it with the C program"),
    ))
}

/// The compilation with tuned sizes, if they still work.
fn compile_tuned(
    tuned: &Tuned,
    options: &Options,
    compile: &dyn Fn(&Options) -> hexcc_compiler::diag::Result<Compiled>,
) -> Option<Compiled> {
    let mut compiled = compile(&tuned.variant.options(options)).ok()?;
    let what = format!(
        "{}{} were tuned on {} with {}",
        match tuned.variant {
            Variant::Steps { .. } => "",
            Variant::Hybrid { .. } | Variant::Overlapped { .. } => "tile sizes ",
        },
        tuned.variant,
        tuned.gpu,
        tuned.problem
    );
    eprintln!("note: {what}; `--no-cache` ignores them");
    compiled.tuned = Some(what);
    Some(compiled)
}

/// Does what the command line says.
pub fn main() -> Result<ExitCode, Failure> {
    match std::env::args().nth(1).as_deref() {
        Some("run") => crate::run::Run::parse_from(std::env::args_os().skip(1)).run(),
        Some("tune") => crate::tune::Tune::parse_from(std::env::args_os().skip(1)).run(),
        Some("bench") => crate::bench::Bench::parse_from(std::env::args_os().skip(1)).run(),
        Some("explain") => crate::explain::Explain::parse_from(std::env::args_os().skip(1)).run(),
        _ => Translate::parse().run(),
    }
}

/// An isl context, which fails only without memory.
pub fn context(limit: &TimeLimit) -> Result<Ctx, Failure> {
    Ctx::with_stopper(limit.stopper().clone()).map_err(|e| Failure::plain(Diagnostic::bug(e)))
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

    fn run(&self) -> Result<ExitCode, Failure> {
        self.check_emit()?;
        let limit = TimeLimit::start(self.kernel.time_limit);
        let input = self.input.read(self.kernel.sums, &limit)?;
        if self.emit == Some(Emit::Scop) {
            let text = hexcc_pet::deep::to_json(&input.saved)
                .map_err(|e| Failure::plain(Diagnostic::bug(e)))?;
            emit::write(&self.output, &(text + "\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.emit == Some(Emit::C) {
            emit::write(&self.output, &as_read(&input)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let ctx = context(&limit)?;
        let compiled = self.kernel.compile(&ctx, &input, &self.target)?;
        let with_source = |d: Box<Diagnostic>| Failure {
            diagnostics: vec![*d],
            source: Some(input.saved.source.clone()),
        };
        let instrument = match self.instrument {
            true => Instrument::Dump,
            false => Instrument::None,
        };
        let host = self.kernel.host(&self.input, instrument);
        let reference = || {
            output::print_reference(&input.saved, &compiled, crate::VERSION).map_err(with_source)
        };
        let beside = match &self.reference {
            Some(path) => Some((path, reference()?)),
            None => None,
        };
        let text = match (self.emit, self.kernel.language) {
            (Some(Emit::Ir), _) => program_text(&compiled)?,
            (Some(Emit::Reference), _) => reference()?,
            (Some(Emit::Kernel), LanguageArg::Opencl) => {
                output::print_opencl_kernels(&input.saved, &compiled, crate::VERSION)
            }
            (Some(Emit::Kernel), _) => {
                output::print_header(&input.saved, &compiled, crate::VERSION)
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
        emit::write(&self.output, &text)?;
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Parser)]
    struct Arguments {
        #[command(flatten)]
        kernel: KernelArgs,
        #[command(flatten)]
        target: TargetArgs,
    }

    fn arguments(line: &str) -> Arguments {
        let words = ["hexcc"].into_iter().chain(line.split_whitespace());
        Arguments::try_parse_from(words).expect("the options exist")
    }

    fn kernel(line: &str) -> KernelArgs {
        arguments(line).kernel
    }

    #[test]
    fn tuned_sizes_are_taken_and_named() {
        let text = include_str!("../crates/compiler/tests/data/jacobi2d.scop.json");
        let input = Input {
            saved: serde_json::from_str(text).expect("a saved scop"),
            warnings: Vec::new(),
            candidates: Vec::new(),
            is_all: false,
        };
        let folder = tempfile::tempdir().expect("a temporary directory");
        let target = TargetArgs {
            gpu: Some("h200".to_string()),
            ..TargetArgs::default()
        };
        let Ok(options) = kernel("").options(&target) else {
            panic!("the H200 is known");
        };
        let store = |tile: &str| {
            let tuned = Tuned {
                format: cache::FORMAT,
                gpu: "NVIDIA H200".to_string(),
                variant: Variant::Hybrid {
                    tile: tile.to_string(),
                    threads: 64,
                    wavefront: None,
                },
                gcells: 50_000.0,
                problem: "N=64,T=8".to_string(),
                version: "0".to_string(),
            };
            assert!(cache::store(folder.path(), &input.saved, &options, &tuned).is_ok());
        };
        let compile = |line: &str| {
            let ctx = Ctx::new().expect("memory for a context");
            let arguments = arguments(line);
            let (kernel, target) = (arguments.kernel, arguments.target);
            let compiled = kernel.compile_with(&ctx, &input, &target, Some(folder.path()));
            let Ok(compiled) = compiled else {
                panic!("it does not compile");
            };
            let sizes = compiled.units[0]
                .hybrid()
                .expect("hybrid tiles")
                .schedule
                .sizes()
                .to_string();
            (sizes, output::print_header(&input.saved, &compiled, "0"))
        };
        let (by_model, _) = compile("");
        store("h=2,w=3:32");
        let (sizes, text) = compile("");
        assert_eq!(sizes, "h=2,w=3:32");
        assert!(text.contains("h=2,w=3:32 --threads 64 were tuned on NVIDIA H200 with N=64,T=8"));
        let (sizes, text) = compile("--no-cache");
        assert_eq!(sizes, by_model);
        assert!(!text.contains("tuned"));
        assert_eq!(compile("--tile h=1,w=2:32").0, "h=1,w=2:32");
        assert_eq!(
            compile("--threads 128 --no-cache").0,
            compile("--threads 128").0
        );
        assert_eq!(compile("--gpu a100").1.matches("tuned").count(), 0);
        assert_eq!(compile("--gpu h200").1.matches("tuned").count(), 1);
        assert_eq!(compile("--set N=65").1.matches("tuned").count(), 0);
        assert_eq!(compile("--set N=64").1.matches("tuned").count(), 1);
        // Sizes that no longer work are as good as none.
        store("h=2,w=3:32:5");
        assert_eq!(compile("").0, by_model);
    }
}
