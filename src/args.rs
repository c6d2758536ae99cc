//! Arguments that several commands have, and what they mean for the compiler.

use crate::files;
use crate::limit;
use crate::messages::MessageArgs;
use crate::preprocessor::PreprocessorArgs;
use crate::render::Failure;
use clap::{ArgAction, Args, ValueEnum};
use hexcc_compiler::back::{Files, Host, Instrument, Otherwise, Placement};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::kernel::stream::StreamTile;
use hexcc_compiler::kernel::{self, Schema};
use hexcc_compiler::options::{Gpus, Language, Options, StepKernel, Sums, Tiling, WavefrontChoice};
use hexcc_compiler::sched::TileSizes;
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::target::{Target, Targets};
use hexcc_tuner::cache::gpu_name;
use std::path::PathBuf;
use std::str::FromStr;

/// Headings of `--help`, which the documentation has, too.
pub const INPUT: &str = "Input";
const TILING: &str = "Tiling";
const KERNEL: &str = "Kernel";
const TARGET: &str = "Target";
pub const OUTPUT: &str = "Output";

/// What `--help` says of exit statuses.
pub const STATUSES: &str = "Exit status: 0 done, 1 input refused or results that differ, 2 wrong command line, 3 missing file, library or device, 4 bug in hexcc.";

/// Options that choose the input.
#[derive(Debug, Args, Clone)]
pub struct InputArgs {
    /// C files of the program, a stencil in a file `.st`, or a scop saved with `--emit scop`; `-` is C on the standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Function whose scop to translate
    #[arg(help_heading = INPUT, long, value_name = "NAME")]
    pub function: Option<String>,
    /// Line of the loop to translate, or of one around it; of the first file
    #[arg(help_heading = INPUT, long, value_name = "N", conflicts_with = "function")]
    pub line: Option<usize>,
    #[command(flatten)]
    pub preprocessor: PreprocessorArgs,
}

impl InputArgs {
    /// The files as messages name them.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| files::named(file)).collect()
    }
}

/// Options that choose the schedule and the kernel.
#[derive(Debug, Args, Clone)]
pub struct KernelArgs {
    /// Tiles are what is measured or explained, even where a translation has one launch per step
    #[arg(skip)]
    pub keep_tiles: bool,
    /// How time is tiled; sizes of tiles ask for their tiling, too
    #[arg(help_heading = TILING, long, value_enum, default_value = "auto")]
    pub tiling: TilingArg,
    /// Sizes of hexagonal tiles: `h=3,w=8:64` gives h and one width per space dimension, outermost first
    #[arg(help_heading = TILING, hide_short_help = true, long, value_name = "SIZES", value_parser = TileSizes::from_str)]
    pub tile: Option<TileSizes>,
    /// Space dimension tiled by hexagons; 0 is the outermost
    #[arg(help_heading = TILING, hide_short_help = true, long, value_name = "DIM")]
    pub hex_dim: Option<usize>,
    /// Another space dimension whose tiles run in parallel, in waves; or `none` or `auto`
    #[arg(help_heading = TILING, hide_short_help = true, long, value_name = "DIM", default_value = "auto", value_parser = parse_wavefront)]
    pub wavefront: WavefrontChoice,
    /// Sizes of overlapped tiles, such as the time steps of a launch [default: chosen by the model]
    #[arg(help_heading = TILING, hide_short_help = true, long, value_name = "steps=T,vector=V,..")]
    pub stream_tile: Option<StreamTile>,
    /// Refuse a program that does not reach this
    #[arg(help_heading = TILING, long, value_enum)]
    pub require: Option<RequireArg>,
    /// How sums of floating-point numbers over loops are computed
    #[arg(help_heading = TILING, long, value_enum, default_value = "parallel")]
    pub sums: SumsArg,
    /// What a thread computes with one launch per step, or a warp of overlapped tiles
    #[arg(help_heading = KERNEL, hide_short_help = true, long, value_enum, default_value = "auto")]
    pub kernel: KernelArg,
    /// Cells of a thread along each loop that threads share, outermost first: `2x4`
    #[arg(help_heading = KERNEL, hide_short_help = true, long, value_name = "AxB", value_parser = parse_cells)]
    pub cells: Option<CellsArg>,
    /// Memory that a hexagonal tile computes in
    #[arg(help_heading = KERNEL, hide_short_help = true, long, value_enum, default_value_t = Memory::Shared)]
    pub memory: Memory,
    /// When a hexagonal tile writes its values to global memory [default: live]
    #[arg(help_heading = KERNEL, hide_short_help = true, long, value_enum)]
    pub copy_out: Option<CopyOut>,
    /// Copy 16 bytes at a time where tile widths allow it [default: on]
    #[arg(help_heading = KERNEL, hide_short_help = true, long, value_enum)]
    pub aligned_loads: Option<Switch>,
    /// What a full tile takes over from the tile before it in its block [default: dynamic]
    #[arg(help_heading = KERNEL, hide_short_help = true, long, value_enum)]
    pub reuse: Option<Reuse>,
    /// Have code without tests for full tiles
    #[arg(help_heading = KERNEL, hide_short_help = true, long, value_enum, default_value_t = Switch::On)]
    pub full_tiles: Switch,
    /// Unroll the rows and points of a tile [default: on]
    #[arg(help_heading = KERNEL, hide_short_help = true, long, value_enum)]
    pub unroll: Option<Switch>,
    /// Threads of a block [default: chosen with the tile sizes]
    #[arg(help_heading = KERNEL, hide_short_help = true, long, value_parser = clap::value_parser!(i64).range(32..=1024))]
    pub threads: Option<i64>,
    /// Rows that a thread of a hexagonal tile computes, at most [default: those of the tile over those of the block]
    #[arg(help_heading = KERNEL, hide_short_help = true, long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub rows_per_thread: Option<i64>,
    /// Shared memory that a block may use, in bytes [default: what the GPU allows]
    #[arg(help_heading = KERNEL, hide_short_help = true, long, value_name = "BYTES")]
    pub shared_memory: Option<i64>,
    /// What the program becomes
    #[arg(help_heading = TARGET, long = "target", value_name = "TARGET", value_enum, default_value_t = LanguageArg::Cuda)]
    pub language: LanguageArg,
    /// Share the domain among several GPUs along its outermost dimension: all, so many, or one for each rank (`mpi`)
    #[arg(help_heading = TARGET, long, value_name = "N", value_parser = parse_gpus)]
    pub gpus: Option<GpusArg>,
    /// Let the program run its own loops where arrays overlap, or a GPU or its memory is missing
    #[arg(help_heading = TARGET, long)]
    pub fallback: bool,
    /// Run kernels even where the program's own loops would be faster
    #[arg(help_heading = TARGET, long)]
    pub always_gpu: bool,
    /// Choose kernels for nvcc's --use_fast_math, with which divisions are cheap; has the effect of --float-literals, too
    #[arg(help_heading = TARGET, long)]
    pub fast_math: bool,
    /// Compute cells of `float` in `float`, even if literals without `f` make C compute in `double`
    #[arg(help_heading = TARGET, long)]
    pub float_literals: bool,
    /// Namespace of the generated code [default: `hexcc_` and the function]
    #[arg(help_heading = OUTPUT, long, value_parser = parse_name)]
    pub name: Option<String>,
    /// Bound on the operations of isl; 0 for none
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = Options::default().isl_quota)]
    pub isl_quota: u64,
    /// Bound on the processor time of a translation; 0 for none
    #[arg(long, value_name = "SECONDS", default_value_t = limit::DEFAULT_SECONDS)]
    pub time_limit: u64,
    /// Do not use tile sizes that `hexcc tune` found
    #[arg(hide_short_help = true, long)]
    pub no_cache: bool,
    /// Print what each pass took
    #[arg(short, long)]
    pub verbose: bool,
    #[command(flatten)]
    pub messages: MessageArgs,
    #[command(flatten)]
    pub help: HelpArgs,
}

/// Options that print help.
#[derive(Debug, Args, Clone, Default)]
pub struct HelpArgs {
    /// Print help; `--help-all` has options for experts, too
    #[arg(short, long, action = ArgAction::HelpShort)]
    help: Option<bool>,
    /// Print help with all options and their values
    #[arg(long, action = ArgAction::HelpLong)]
    help_all: Option<bool>,
}

/// Options that say what tile sizes are chosen for.
#[derive(Debug, Args, Clone, Default)]
pub struct TargetArgs {
    /// GPU to choose tile sizes for, such as a100 [default: the one that is present, or h200]
    #[arg(help_heading = TARGET, long, value_name = "NAME")]
    pub gpu: Option<String>,
    /// Table with more GPUs, in the form of crates/compiler/data/gpus.toml
    #[arg(help_heading = TARGET, hide_short_help = true, long, value_name = "FILE")]
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

/// What a thread computes with one launch per step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KernelArg {
    /// The fastest that is proven correct, as the model predicts
    Auto,
    /// One cell
    Naive,
    /// A block of neighbouring cells, with accesses of 16 bytes
    Coarsened,
    /// The same, from a tile of the block in shared memory
    Tiled,
    /// Such cells plane after plane, with earlier planes in registers
    Streamed,
    /// The same, with the current plane of the block in shared memory
    StreamedTiled,
    /// Overlapped tiles in which the warps of a block have the same columns at consecutive times
    Pipelined,
    /// Overlapped tiles that a block holds in registers, for small domains
    Patches,
}

/// Numbers of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellsArg(pub Vec<u32>);

fn parse_cells(text: &str) -> Result<CellsArg, String> {
    let numbers = text.split('x').map(|n| match n.parse::<u32>() {
        Ok(n) if (1..=16).contains(&n) => Ok(n),
        _ => Err(format!("`{n}` is no number from 1 to 16")),
    });
    Ok(CellsArg(numbers.collect::<Result<_, _>>()?))
}

/// How many GPUs share a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpusArg(pub Gpus);

fn parse_gpus(text: &str) -> Result<GpusArg, String> {
    match (text, text.parse::<u32>()) {
        ("all", _) => Ok(GpusArg(Gpus::All)),
        ("mpi", _) => Ok(GpusArg(Gpus::Ranks)),
        (_, Ok(n)) if (1..=1024).contains(&n) => Ok(GpusArg(Gpus::Some(n))),
        _ => Err("it is neither `all`, `mpi` nor a number from 1 to 1024".to_string()),
    }
}

impl From<KernelArg> for StepKernel {
    fn from(kernel: KernelArg) -> StepKernel {
        match kernel {
            KernelArg::Auto => StepKernel::Auto,
            KernelArg::Naive => StepKernel::Naive,
            KernelArg::Coarsened => StepKernel::Coarsened,
            KernelArg::Tiled => StepKernel::Tiled,
            KernelArg::Streamed => StepKernel::Streamed,
            KernelArg::StreamedTiled => StepKernel::StreamedTiled,
            KernelArg::Pipelined => StepKernel::Pipelined,
            KernelArg::Patches => StepKernel::Patches,
        }
    }
}

/// How time is tiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TilingArg {
    /// What the model predicts to be fastest
    Auto,
    /// Hexagons along one dimension, classical tiles along the others
    Hybrid,
    /// Tiles that stream through registers, and compute their halo themselves
    Overlapped,
    /// No tiles: one launch per step
    Stepwise,
}

/// What a translation has to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RequireArg {
    /// Some time loop is tiled over time, at least in parts
    Tiled,
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
    /// What a tile needs is held in shared memory
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
    /// As they are computed, and only those that others need
    Live,
}

/// Inter-tile reuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Reuse {
    /// Every tile copies in all it needs
    None,
    /// Common columns stay where they are in shared memory
    Static,
    /// Common columns move into place
    Dynamic,
}

/// Whether C takes a text for a name.
pub fn is_identifier(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.chars().all(is_word) && text.starts_with(|c: char| !c.is_ascii_digit())
}

fn parse_name(text: &str) -> Result<String, String> {
    if is_identifier(text) {
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
            None => Ok(gpu_name()
                .and_then(|device| targets.for_device(&device).cloned())
                .unwrap_or_default()),
        }
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
            tiling: match (self.tiling, self.kernel) {
                // Its tiles have the sizes of a CPU.
                (TilingArg::Auto, KernelArg::Auto) if self.is_plain_opencl() => Tiling::Stepwise,
                (TilingArg::Auto, KernelArg::Auto) if self.cells.is_none() => Tiling::Auto,
                (TilingArg::Auto, KernelArg::Pipelined | KernelArg::Patches) => Tiling::Overlapped,
                (TilingArg::Auto, _) => Tiling::Stepwise,
                (tiling, _) => tiling.into(),
            },
            keep_tiles: self.keep_tiles,
            stream_tile: self.stream_tile,
            fast_math: self.fast_math,
            float_literals: self.float_literals || self.fast_math,
            threads: self.threads,
            rows_per_thread: self.rows_per_thread,
            shared_limit: self.shared_memory,
            target: target.target()?,
            sizes: target.set.clone(),
            isl_quota: self.isl_quota,
            name: self.name.clone(),
            language: self.language.into(),
            sums: self.sums.into(),
            kernel: self.kernel.into(),
            cells: self.cells.clone().map(|CellsArg(cells)| cells),
            gpus: self.gpus.map(|GpusArg(gpus)| gpus),
        };
        // Said before the input is read.
        options.switches().map_err(|d| Failure::plain(*d))?;
        Ok(options)
    }

    /// Whether the program becomes OpenCL, and nobody asks for tiles.
    fn is_plain_opencl(&self) -> bool {
        self.language == LanguageArg::Opencl && self.tile.is_none() && self.hex_dim.is_none()
    }

    /// How the program around the kernels is made.
    pub fn host(&self, input: &InputArgs, saved: &SavedScop, instrument: Instrument) -> Host {
        let files = match input.files.len() {
            1 => Files::One,
            _ => Files::OthersInC,
        };
        let otherwise = match self.fallback || saved.overlaps {
            true => Otherwise::RunsLoops,
            false => Otherwise::Ends,
        };
        // Results are compared, and times taken, of kernels.
        let placement = match self.always_gpu || instrument == Instrument::Dump {
            true => Placement::Gpu,
            false => Placement::Auto,
        };
        Host {
            instrument,
            otherwise,
            files,
            placement,
        }
    }
}
