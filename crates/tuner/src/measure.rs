//! Kernels on a GPU: arrays with known contents, the baseline, and tiled
//! variants that are checked against it and timed.

mod arrays;
mod baseline;
mod stream;
mod workbench;

pub use arrays::{Accuracy, Arrays, arguments, packed};
pub use baseline::{Baseline, Work};
pub use workbench::Workbench;

use hexcc_compiler::back::Precision;
use hexcc_compiler::compiled::{Compiled, Unit};
use hexcc_compiler::kernel::Stencil;
use hexcc_compiler::kernel::plan::{self, ArrayLayout, Launch};
use hexcc_compiler::kernel::stream_plan::{Instance, StreamRun};
use hexcc_compiler::output;
use hexcc_compiler::tiling;
use hexcc_compiler::tiling::hybrid::HybridKernel;
use hexcc_compiler::tiling::overlapped::StreamKernel;
use hexcc_gpu::{Attributes, Binary, Compiler, Flags, GpuError, Kernel, Module, Packed};
use std::sync::atomic::{AtomicUsize, Ordering};
pub(crate) use stream::LoadedStream;

/// The error of a number that does not fit.
pub fn too_large(what: &str) -> GpuError {
    GpuError::Driver {
        what: "launching a kernel".to_string(),
        message: format!("{what} are too large"),
    }
}

/// The kernel of a time loop, of either tiling.
#[derive(Clone, Copy)]
pub enum TiledKernel<'a> {
    /// Hexagons and classical tiles.
    Hybrid(&'a HybridKernel),
    /// Overlapped tiles, streamed.
    Streamed(&'a StreamKernel),
}

impl<'a> TiledKernel<'a> {
    /// The kernel that a translation has.
    pub fn of(unit: &'a Unit) -> TiledKernel<'a> {
        match &unit.tiled.kernel {
            tiling::Kernel::Overlapped(stream, _) => TiledKernel::Streamed(stream),
            tiling::Kernel::Hybrid(hybrid) => TiledKernel::Hybrid(&hybrid.kernel),
        }
    }

    /// Its text.
    pub(crate) fn text(&self, flags: Flags) -> Text {
        match self {
            TiledKernel::Hybrid(ir) => Text {
                text: output::print_kernels(&[ir]),
                names: vec![format!("{}::kernel", ir.stencil.name)],
                flags,
            },
            TiledKernel::Streamed(stream) => Text {
                text: output::print_stream_kernel(stream),
                names: (stream.instances().iter())
                    .map(|k| format!("{}::{}", stream.stencil().name, k.name()))
                    .collect(),
                flags,
            },
        }
    }

    /// Arrays and statements.
    pub fn stencil(&self) -> &'a Stencil {
        match self {
            TiledKernel::Hybrid(ir) => &ir.stencil,
            TiledKernel::Streamed(stream) => stream.stencil(),
        }
    }
}

/// A tiled variant for one or more sets of parameters, as plain data.
#[derive(Clone, Debug)]
pub struct Built {
    /// One per time loop of the region.
    pub units: Vec<BuiltUnit>,
}

/// One time loop's machine code and launches.
#[derive(Clone, Debug)]
pub struct BuiltUnit {
    binary: Binary,
    /// Per set of parameters.
    layouts: Vec<Vec<ArrayLayout>>,
    code: Code,
}

#[derive(Clone, Debug)]
enum Code {
    Hybrid {
        shared_bytes: u32,
        /// Per set of parameters.
        launches: Vec<Vec<Launch>>,
    },
    Streamed {
        instances: Vec<Instance>,
        /// Per set of parameters.
        runs: Vec<StreamRun>,
    },
}

/// CUDA text with kernels, for NVRTC.
#[derive(Clone, Debug)]
pub struct Text {
    /// It.
    pub text: String,
    /// Its kernels, as C++ names them.
    pub names: Vec<String>,
    /// How it is compiled.
    pub flags: Flags,
}

impl Text {
    /// The machine code.
    ///
    /// # Errors
    /// [`GpuError::Compile`].
    pub fn compile(&self, compiler: &Compiler) -> Result<Binary, GpuError> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        compiler.compile(&self.text, &names, self.flags)
    }
}

/// Compiles texts on all processors. Nothing should be measured in the meantime: a host that
/// is late with a launch counts as time of the GPU.
pub fn compile_all(compiler: &Compiler, texts: &[Text]) -> Vec<Result<Binary, GpuError>> {
    let n_threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((index, text)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            texts.get(index).map(|text| (index, text))
        } {
            done.push((index, text.compile(compiler)));
        }
        done
    };
    let done: Vec<(usize, Result<Binary, GpuError>)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads.min(texts.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let results = threads.into_iter().map(|t| t.join().unwrap_or_default());
        results.flatten().collect()
    });
    let missing = || {
        Err(GpuError::Compile {
            log: "a compiling thread has ended".to_string(),
        })
    };
    let mut all: Vec<_> = texts.iter().map(|_| missing()).collect();
    for (index, result) in done {
        all[index] = result;
    }
    all
}

/// The texts of the kernels of a region's time loops.
pub fn texts(kernels: &[TiledKernel], flags: Flags) -> Vec<Text> {
    kernels.iter().map(|kernel| kernel.text(flags)).collect()
}

/// Compiles the kernels of a region's time loops.
///
/// # Errors
/// [`GpuError::Compile`].
pub fn build(
    compiler: &Compiler,
    kernels: &[TiledKernel],
    flags: Flags,
    sets: &[Vec<i64>],
) -> Result<Built, GpuError> {
    let binaries = (texts(kernels, flags).iter())
        .map(|text| text.compile(compiler))
        .collect::<Result<Vec<_>, _>>()?;
    assemble(kernels, binaries, sets)
}

/// The compiled kernels with their launches for sets of parameters.
///
/// # Errors
/// [`GpuError::Driver`] where a number does not fit.
pub fn assemble(
    kernels: &[TiledKernel],
    binaries: Vec<Binary>,
    sets: &[Vec<i64>],
) -> Result<Built, GpuError> {
    let sizes = || too_large("the sizes");
    let units = (kernels.iter().zip(binaries))
        .map(|(kernel, binary)| {
            let layouts: Vec<Vec<ArrayLayout>> = (sets.iter())
                .map(|params| plan::layouts(kernel.stencil(), params).ok_or_else(sizes))
                .collect::<Result<_, _>>()?;
            let code = match kernel {
                TiledKernel::Hybrid(ir) => Code::Hybrid {
                    shared_bytes: u32::try_from(ir.shared_bytes).unwrap_or(u32::MAX),
                    launches: (sets.iter())
                        .map(|params| plan::launches(ir, params).ok_or_else(sizes))
                        .collect::<Result<_, _>>()?,
                },
                TiledKernel::Streamed(stream) => Code::Streamed {
                    instances: stream.instances(),
                    runs: (sets.iter().zip(&layouts))
                        .map(|(params, layouts)| stream.plan(params, layouts).ok_or_else(sizes))
                        .collect::<Result<_, _>>()?,
                },
            };
            Ok(BuiltUnit {
                binary,
                layouts,
                code,
            })
        })
        .collect::<Result<_, GpuError>>()?;
    Ok(Built { units })
}

/// A variant that is loaded on the GPU.
pub struct Tiled<'a> {
    built: &'a Built,
    loaded: Vec<LoadedUnit>,
    /// What its kernels need at most; of a streamed one, the kernel of all T time steps.
    pub resources: Resources,
}

/// A time loop's kernels on the GPU, one or those of a stream.
struct LoadedUnit {
    _module: Module,
    kernels: Vec<Kernel>,
    stream: Option<LoadedStream>,
}

/// What a variant needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Registers per thread.
    pub registers: u32,
    /// Local memory per thread, bytes.
    pub local_bytes: u32,
    /// Shared memory per block, bytes.
    pub shared_bytes: u32,
    /// Threads that a multiprocessor holds at a time; `None` where that was not asked.
    pub resident: Option<u32>,
}

impl Resources {
    /// Those of a kernel.
    pub fn of(attributes: &Attributes, dynamic_shared: u32) -> Resources {
        Resources {
            registers: attributes.registers,
            local_bytes: attributes.local_bytes,
            shared_bytes: attributes
                .static_shared_bytes
                .saturating_add(dynamic_shared),
            resident: None,
        }
    }

    /// What is enough for two.
    pub fn max(self, other: Resources) -> Resources {
        Resources {
            registers: self.registers.max(other.registers),
            local_bytes: self.local_bytes.max(other.local_bytes),
            shared_bytes: self.shared_bytes.max(other.shared_bytes),
            resident: self.resident.into_iter().chain(other.resident).min(),
        }
    }
}

impl<'a> Tiled<'a> {
    /// Loads a variant.
    ///
    /// # Errors
    /// [`GpuError::Driver`], [`GpuError::OutOfMemory`].
    pub fn load(bench: &Workbench, built: &'a Built) -> Result<Tiled<'a>, GpuError> {
        let mut resources = Resources::default();
        let mut loaded = Vec::new();
        for unit in &built.units {
            let module = bench.device.load(&unit.binary)?;
            let (kernels, stream) = match &unit.code {
                Code::Hybrid { shared_bytes, .. } => {
                    let kernel = module.kernel(0)?;
                    kernel.allow_shared(*shared_bytes)?;
                    let needs = Resources::of(&kernel.attributes()?, *shared_bytes);
                    resources = resources.max(needs);
                    (vec![kernel], None)
                }
                Code::Streamed { instances, runs } => {
                    let kernels = (0..instances.len())
                        .map(|i| module.kernel(i))
                        .collect::<Result<Vec<_>, _>>()?;
                    for (kernel, instance) in kernels.iter().zip(instances) {
                        kernel.allow_shared(instance.shared_bytes)?;
                    }
                    if let (Some(kernel), Some(first)) = (kernels.first(), instances.first()) {
                        let needs = Resources::of(&kernel.attributes()?, first.shared_bytes);
                        resources = resources.max(needs);
                    }
                    let take = &mut |bytes| bench.device.allocate(bytes);
                    let stream = LoadedStream::new(bench, &kernels, instances, runs, take)?;
                    (kernels, Some(stream))
                }
            };
            loaded.push(LoadedUnit {
                _module: module,
                kernels,
                stream,
            });
        }
        Ok(Tiled {
            built,
            loaded,
            resources,
        })
    }

    /// Layouts of the arrays of a time loop for a set of parameters.
    pub fn layouts(&self, unit: usize, set: usize) -> &[ArrayLayout] {
        let layouts = self.built.units.get(unit).and_then(|u| u.layouts.get(set));
        layouts.map_or(&[], Vec::as_slice)
    }

    /// Starts all launches for a set of parameters.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn run(
        &self,
        bench: &Workbench,
        compiled: &Compiled,
        arrays: &Arrays,
        (set, params): (usize, &[i64]),
    ) -> Result<(), GpuError> {
        for (i, (unit, loaded)) in self.built.units.iter().zip(&self.loaded).enumerate() {
            let Some(source) = compiled.units.get(i) else {
                continue;
            };
            let stencil = source.stencil();
            let layouts = Some(self.layouts(i, set));
            let workspaces = loaded.stream.as_ref().map_or(&[][..], |s| &s.workspaces);
            let args = arguments(
                stencil,
                Precision::Source,
                params,
                arrays,
                layouts,
                workspaces,
            )?;
            match (&unit.code, &loaded.stream) {
                (Code::Hybrid { launches, .. }, _) => {
                    let launches = launches.get(set).map_or(&[][..], Vec::as_slice);
                    start_hybrid(bench, &loaded.kernels, launches, &args)?;
                }
                (Code::Streamed { runs, .. }, Some(stream)) => {
                    let Some(run) = runs.get(set) else { continue };
                    let pointers = arrays.pointers(stencil);
                    let actions = stream.actions(bench, run, set, &pointers)?;
                    for action in actions.iter() {
                        stream.start(bench, &loaded.kernels, run, (&pointers, &args), action)?;
                    }
                }
                (Code::Streamed { .. }, None) => {}
            }
        }
        Ok(())
    }
}

pub(crate) fn start_hybrid(
    bench: &Workbench,
    kernels: &[Kernel],
    launches: &[Launch],
    args: &Packed,
) -> Result<(), GpuError> {
    for (launch, kernel) in launches.iter().zip(kernels.iter().cycle()) {
        let wave = Packed::of_integers(&launch.wave);
        let wave = wave.ok_or_else(|| too_large("the arguments"))?;
        let launch = hexcc_gpu::Launch {
            kernel,
            grid: [u32::try_from(launch.grid).unwrap_or(u32::MAX), 1, 1],
            block: [launch.block[0], launch.block[1], 1],
            shared_bytes: launch.shared_bytes,
            args: &[args, &wave],
        };
        // SAFETY: the kernel takes `Args` and `Wave` as laid out here, and
        // its accesses are proven to lie inside the arrays, which live.
        unsafe { bench.device.launch(&launch) }?;
    }
    Ok(())
}

/// Milliseconds of a run: `warm_ups` runs that do not count, then the median
/// of `samples`.
///
/// # Errors
/// Those of `run`.
pub fn median_ms(
    bench: &Workbench,
    warm_ups: usize,
    samples: usize,
    run: &dyn Fn() -> Result<(), GpuError>,
) -> Result<f64, GpuError> {
    for _ in 0..warm_ups {
        run()?;
    }
    let mut times = Vec::new();
    for _ in 0..samples.max(1) {
        times.push(bench.device.time(run)?);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexcc_compiler::back;
    use hexcc_compiler::scop::SavedScop;
    use std::path::Path;

    /// Compiles helpers, baselines and tiled kernels where there is an NVRTC; that
    /// needs no GPU.
    #[test]
    fn nvrtc_compiles_everything() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let toolkit = root.join("vendor/cuda/nvidia/cu13");
        let compiler = match Compiler::new((9, 0), Some(&toolkit)) {
            Ok(compiler) => compiler,
            Err(e) => return eprintln!("not tested: {e}"),
        };
        let flags = Flags::default();
        let compile = |what: &str, text: &str, names: &[String]| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let binary = compiler.compile(text, &names, flags);
            let binary = binary.unwrap_or_else(|e| panic!("{what}: {e:?}\n{text}"));
            assert_eq!(binary.names.len(), names.len());
            assert!(binary.image.starts_with(b"\x7fELF"), "{what}");
        };
        compile("helpers", workbench::HELPERS, &workbench::helper_names());
        let data = root.join("crates/compiler/tests/data");
        for file in std::fs::read_dir(data).expect("test data").flatten() {
            let what = file.file_name().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(file.path()).expect("test data");
            let saved: SavedScop = serde_json::from_str(&text).expect("a saved scop");
            let ctx = hexcc_isl::Ctx::new().expect("memory for a context");
            let compiled = hexcc_compiler::pipeline::compile(
                &ctx,
                &saved,
                &hexcc_compiler::options::Options {
                    keep_tiles: true,
                    ..Default::default()
                },
            );
            let compiled = compiled.unwrap_or_else(|d| panic!("{what}: {d:?}"));
            for (precision, narrow) in [(Precision::Source, true), (Precision::Double, false)] {
                for unit in &compiled.units {
                    let naive = back::print_naive(unit.stencil(), precision, narrow);
                    compile(&what, &naive.text, &naive.kernels);
                }
            }
            let hybrid: Vec<_> = (compiled.units.iter())
                .filter_map(|u| Some(TiledKernel::Hybrid(&u.hybrid()?.kernel)))
                .collect();
            let streamed: Vec<_> = (compiled.units.iter())
                .filter_map(|u| u.stream().map(TiledKernel::Streamed))
                .collect();
            let fast = Flags {
                fmad: true,
                fast_math: true,
            };
            for (kernels, flags) in [(&hybrid, flags), (&streamed, flags), (&streamed, fast)] {
                let built = build(&compiler, kernels, flags, &[]);
                assert!(built.is_ok(), "{what}: {built:?}");
            }
        }
    }
}
