//! What the user may choose, and which choices go together.

use crate::diag::{Diagnostic, Result};
use crate::kernel::stream::StreamTile;
use crate::kernel::{CopyOut, Reuse, Schema, Switches};
use crate::quotient::Divisions;
use crate::sched::TileSizes;
use crate::target::Target;

/// What the user may choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Tile sizes; chosen by counts where absent.
    pub tile: Option<TileSizes>,
    /// Space dimension tiled by hexagons; the outermost where absent.
    pub hex_dim: Option<usize>,
    /// Memory the kernel computes in.
    pub schema: Schema,
    /// Threads per block wanted; chosen by the model where absent.
    pub threads: Option<i64>,
    /// Rows of contiguous points that a thread computes at most; as the block has it
    /// where absent.
    pub rows_per_thread: Option<i64>,
    /// Shared memory a block may use, bytes; what the target allows where absent.
    pub shared_limit: Option<i64>,
    /// The GPU that tile sizes are chosen for.
    pub target: Target,
    /// Values of size parameters that tile sizes are chosen for.
    pub sizes: Vec<(String, i64)>,
    /// When values go to global memory; only live ones, as they are computed,
    /// where absent.
    pub copy_out: Option<CopyOut>,
    /// Copies of 16 bytes where the tile sizes allow it (CGO'14 section 4.2.3);
    /// on where absent.
    pub aligned_loads: Option<bool>,
    /// Tiles reuse the columns of the tile before them (section 4.2.2);
    /// dynamically where absent.
    pub reuse: Option<Reuse>,
    /// Full tiles have code of their own (section 4.3.1).
    pub full_tiles: bool,
    /// Rows and points are unrolled (section 4.3.2); on where absent.
    pub unroll: Option<bool>,
    /// Whether tiles along a classical dimension run in parallel, too.
    pub wavefront: WavefrontChoice,
    /// How time is tiled.
    pub tiling: Tiling,
    /// Tiles are made even where single steps are predicted to be faster.
    pub keep_tiles: bool,
    /// Sizes of streamed tiles; chosen by the model where absent.
    pub stream_tile: Option<StreamTile>,
    /// The generated program will be built with nvcc's `--use_fast_math`.
    pub fast_math: bool,
    /// Literals and functions of `double` are those of `float` where only they make a statement compute
    /// in `double`.
    pub float_literals: bool,
    /// Bound on isl's work; 0 for none.
    pub isl_quota: u64,
    /// Namespace of the generated code; `hexcc_` and the function where absent.
    pub name: Option<String>,
    /// What the program becomes.
    pub language: Language,
    /// How sums over loops are computed.
    pub sums: Sums,
    /// What a thread of single steps has.
    pub kernel: StepKernel,
    /// Cells of a thread along each loop that threads share, outermost first, with one launch per step.
    pub cells: Option<Vec<u32>>,
    /// GPUs that share the rows of a domain, or all that there are; one where absent.
    pub gpus: Option<Gpus>,
}

/// How many GPUs share a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gpus {
    /// All that there are.
    All,
    /// So many.
    Some(u32),
    /// One for each rank of MPI.
    Ranks,
}

/// What a program becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// CUDA C++, for GPUs.
    Cuda,
    /// C with OpenMP, for CPUs.
    OpenMp,
    /// OpenCL C, with a host that stays C, for devices of all kinds.
    OpenCl,
}

impl Language {
    /// Whether what is around the kernels stays C; loops and tiles are then those of the program IR.
    pub fn is_c(self) -> bool {
        self != Language::Cuda
    }

    /// What `--target` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Language::Cuda => "cuda",
            Language::OpenMp => "openmp",
            Language::OpenCl => "opencl",
        }
    }
}

/// How sums and products of floating-point numbers over loops are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sums {
    /// By all threads, in an order that the sizes alone decide; it rounds in other places than C.
    Parallel,
    /// In C's order.
    Ordered,
}

/// What a thread of single steps has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKernel {
    /// Whatever is expected to be fastest.
    Auto,
    /// One cell.
    Naive,
    /// Some neighbouring cells along each loop.
    Coarsened,
    /// Some neighbouring cells, which a block of threads reads from a tile in shared memory.
    Tiled,
    /// Some neighbouring cells of one plane after the other, with planes before kept in registers.
    Streamed,
    /// The same, with the current plane of a block in shared memory.
    StreamedTiled,
    /// None: of overlapped tiles, the warps of a block are a pipeline in time.
    Pipelined,
    /// None: of overlapped tiles, a block holds a patch in registers.
    Patches,
}

impl StepKernel {
    /// Those that make one step a launch.
    pub const OF_STEPS: [StepKernel; 5] = [
        StepKernel::Naive,
        StepKernel::Coarsened,
        StepKernel::Tiled,
        StepKernel::Streamed,
        StepKernel::StreamedTiled,
    ];

    /// Whether it is of overlapped tiles.
    pub fn is_of_tiles(self) -> bool {
        matches!(self, StepKernel::Pipelined | StepKernel::Patches)
    }

    /// Whether threads go from one plane to the next.
    pub fn is_streamed(self) -> bool {
        matches!(self, StepKernel::Streamed | StepKernel::StreamedTiled)
    }

    /// Whether the threads of a block share what they load.
    pub fn is_tiled(self) -> bool {
        matches!(self, StepKernel::Tiled | StepKernel::StreamedTiled)
    }

    /// What `--kernel` calls it.
    pub fn name(self) -> &'static str {
        match self {
            StepKernel::Auto => "auto",
            StepKernel::Naive => "naive",
            StepKernel::Coarsened => "coarsened",
            StepKernel::Tiled => "tiled",
            StepKernel::Streamed => "streamed",
            StepKernel::StreamedTiled => "streamed-tiled",
            StepKernel::Pipelined => "pipelined",
            StepKernel::Patches => "patches",
        }
    }
}

/// How time is tiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tiling {
    /// As the model predicts.
    Auto,
    /// Hexagons and classical tiles (CGO'14): nothing is computed twice.
    Hybrid,
    /// Overlapped tiles that stream through registers (ICS'12): neighbours
    /// compute their common halo twice.
    Overlapped,
    /// Not at all: the loops run in their own order, parallel ones in kernels.
    Stepwise,
}

/// Whether tiles along a classical dimension run in parallel, in waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WavefrontChoice {
    /// As the model predicts.
    Auto,
    /// Hexagons only, as in the paper.
    None,
    /// Along this space dimension.
    Dim(usize),
}

impl Default for Options {
    fn default() -> Self {
        Options {
            tile: None,
            hex_dim: None,
            schema: Schema::Shared,
            threads: None,
            rows_per_thread: None,
            shared_limit: None,
            target: Target::default(),
            sizes: Vec::new(),
            copy_out: None,
            aligned_loads: None,
            reuse: None,
            full_tiles: true,
            unroll: None,
            wavefront: WavefrontChoice::Auto,
            tiling: Tiling::Auto,
            keep_tiles: false,
            stream_tile: None,
            fast_math: false,
            float_literals: false,
            isl_quota: 200_000_000,
            name: None,
            language: Language::Cuda,
            sums: Sums::Parallel,
            kernel: StepKernel::Auto,
            cells: None,
            gpus: None,
        }
    }
}

impl Options {
    /// Whether single steps come out as with other options, apart from names.
    pub(crate) fn steps_like(&self, other: &Options) -> bool {
        let of_steps = |o: &Options| (o.language, o.kernel, o.sums, o.float_literals, o.isl_quota);
        of_steps(self) == of_steps(other) && self.target == other.target
    }

    /// Whether a program that cannot be tiled may run in single steps.
    pub(crate) fn may_step(&self) -> bool {
        matches!(self.wanted_tiling(), Tiling::Auto | Tiling::Stepwise)
    }

    /// Whether single steps may take the place of tiles that apply.
    pub(crate) fn may_prefer_steps(&self) -> bool {
        self.language == Language::Cuda && self.may_step() && !self.keep_tiles
    }

    /// How kernels divide by constants.
    pub(crate) fn divisions(&self) -> Divisions {
        let double_is_fast = 4.0 * self.target.fp64_lanes >= self.target.fp32_lanes;
        match self.language {
            Language::OpenMp => Divisions::Plain,
            // A device may divide numbers of type `float` less exactly than C.
            Language::OpenCl => Divisions::Fused,
            Language::Cuda if self.fast_math => Divisions::OnlyDouble,
            Language::Cuda if double_is_fast => Divisions::InDouble,
            Language::Cuda => Divisions::Fused,
        }
    }

    /// Bytes of shared memory that a block may use.
    pub(crate) fn shared_bytes(&self) -> i64 {
        self.shared_limit.unwrap_or(self.target.shared_per_block)
    }

    /// The optimizations wanted; what is absent is the best that the others
    /// allow.
    ///
    /// # Errors
    /// HX0509 for an option that another one makes useless.
    pub fn switches(&self) -> Result<Switches> {
        self.check_tiling()?;
        let useless = |option: &str, other: &str, why: &str| {
            Err(Box::new(
                Diagnostic::error("HX0509", format!("`{option}` has no effect with `{other}`"))
                    .note(why)
                    .help("leave one of the two away"),
            ))
        };
        if self.schema == Schema::Global {
            let given = [
                ("--copy-out", self.copy_out.is_some()),
                ("--aligned-loads", self.aligned_loads.is_some()),
                ("--reuse", self.reuse.is_some()),
                ("--unroll on", self.unroll == Some(true)),
            ];
            if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
                let why = match *option {
                    "--unroll on" => "rows that compute in global memory are never unrolled",
                    _ => "nothing is copied to or from shared memory",
                };
                return useless(option, "--memory global", why);
            }
        }
        if !self.full_tiles {
            let only = |what: &str| format!("only full tiles with code of their own {what}");
            match self.reuse {
                Some(Reuse::Static) => {
                    return useless("--reuse static", "--full-tiles off", &only("reuse columns"));
                }
                Some(Reuse::Dynamic) => {
                    return useless(
                        "--reuse dynamic",
                        "--full-tiles off",
                        &only("reuse columns"),
                    );
                }
                Some(Reuse::None) | None => {}
            }
            match self.copy_out {
                Some(CopyOut::Separate) => {
                    let why = only("copy out after their last row");
                    return useless("--copy-out separate", "--full-tiles off", &why);
                }
                Some(CopyOut::Live) => {
                    let why = only("leave stores away");
                    return useless("--copy-out live", "--full-tiles off", &why);
                }
                Some(CopyOut::Interleaved) | None => {}
            }
        }
        Ok(Switches {
            copy_out: (self.copy_out).unwrap_or(match self.full_tiles {
                true => CopyOut::Live,
                false => CopyOut::Interleaved,
            }),
            aligned_loads: self.aligned_loads.unwrap_or(true),
            reuse: (self.reuse).unwrap_or(match self.full_tiles {
                true => Reuse::Dynamic,
                false => Reuse::None,
            }),
            full_tiles: self.full_tiles,
            unroll: self.unroll.unwrap_or(true),
        })
    }
}

/// Options of hybrid tiling that are not about the kernel of a GPU.
const SCHEDULE: [&str; 2] = ["--tile", "--hex-dim"];

impl Options {
    /// Options that only the hybrid tiling has, as far as they are given.
    fn hybrid_only(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("--tile", self.tile.is_some()),
            ("--hex-dim", self.hex_dim.is_some()),
            ("--memory global", self.schema == Schema::Global),
            ("--threads", self.threads.is_some()),
            ("--rows-per-thread", self.rows_per_thread.is_some()),
            ("--shared-memory", self.shared_limit.is_some()),
            ("--copy-out", self.copy_out.is_some()),
            ("--aligned-loads", self.aligned_loads.is_some()),
            ("--reuse", self.reuse.is_some()),
            ("--full-tiles off", !self.full_tiles),
            ("--unroll", self.unroll.is_some()),
            ("--wavefront", self.wavefront != WavefrontChoice::Auto),
        ];
        let given = all.into_iter().filter(|(_, given)| *given);
        given.map(|(name, _)| name)
    }

    /// The tiling that the options ask for, [`Tiling::Auto`] where they leave it open.
    pub fn wanted_tiling(&self) -> Tiling {
        match self.tiling {
            Tiling::Auto if self.hybrid_only().next().is_some() => Tiling::Hybrid,
            Tiling::Auto if self.stream_tile.is_some() => Tiling::Overlapped,
            tiling => tiling,
        }
    }

    /// Refuses options of one tiling together with the other.
    fn check_tiling(&self) -> Result<()> {
        let is_c = self.language.is_c();
        let is_openmp = self.language == Language::OpenMp;
        let target = format!("--target {}", self.language.name());
        let target = target.as_str();
        let of_tiles = format!("--kernel {}", self.kernel.name());
        let of_gpus = (self.hybrid_only().find(|option| !SCHEDULE.contains(option)))
            .or(self.stream_tile.map(|_| "--stream-tile"));
        let (option, other) = match (self.tiling, self.hybrid_only().next(), self.stream_tile) {
            (Tiling::Overlapped, ..) if is_c => ("--tiling overlapped", target),
            _ if is_c && of_gpus.is_some() => (of_gpus.unwrap_or_default(), target),
            _ if is_openmp && self.kernel != StepKernel::Auto => ("--kernel", target),
            _ if is_c && self.kernel.is_of_tiles() => (of_tiles.as_str(), target),
            _ if is_openmp && self.cells.is_some() => ("--cells", target),
            (Tiling::Overlapped, ..) if self.cells.is_some() => ("--cells", "--tiling overlapped"),
            (Tiling::Hybrid, ..) if self.cells.is_some() => ("--cells", "--tiling hybrid"),
            _ if self.cells.is_some() && self.kernel == StepKernel::Naive => {
                ("--cells", "--kernel naive")
            }
            (Tiling::Overlapped, ..)
                if self.kernel != StepKernel::Auto && !self.kernel.is_of_tiles() =>
            {
                ("--kernel", "--tiling overlapped")
            }
            (Tiling::Stepwise, ..) if self.kernel.is_of_tiles() => {
                (of_tiles.as_str(), "--tiling stepwise")
            }
            (Tiling::Hybrid, ..) if self.kernel != StepKernel::Auto => {
                ("--kernel", "--tiling hybrid")
            }
            (Tiling::Overlapped, Some(option), _) => (option, "--tiling overlapped"),
            (Tiling::Stepwise, Some(option), _) => (option, "--tiling stepwise"),
            (Tiling::Stepwise, _, Some(_)) => ("--stream-tile", "--tiling stepwise"),
            (Tiling::Hybrid, _, Some(_)) => ("--stream-tile", "--tiling hybrid"),
            (Tiling::Auto, Some(option), Some(_)) => (option, "--stream-tile"),
            _ => return Ok(()),
        };
        Err(Box::new(
            Diagnostic::error("HX0509", format!("`{option}` has no effect with `{other}`"))
                .note(match self.language {
                    Language::OpenMp => "it is about kernels of GPUs; of tiles, `--tile` and `--hex-dim` can be chosen for a CPU",
                    Language::OpenCl => "it is about kernels of CUDA; of tiles, `--tile` and `--hex-dim` can be chosen for OpenCL",
                    Language::Cuda => "hybrid and overlapped tiling and one launch per step have options of their own",
                })
                .help("leave one of the two away"),
        ))
    }
}
