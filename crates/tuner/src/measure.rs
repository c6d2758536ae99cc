//! Kernels on a GPU: arrays with known contents, the baseline, and tiled
//! variants that are checked against it and timed.

use crate::hash::fnv;
use hexcc_compiler::back::{self, Precision};
use hexcc_compiler::compiled::{Compiled, Unit};
use hexcc_compiler::ctype::CType;
use hexcc_compiler::interface::Interface;
use hexcc_compiler::kernel::plan::{self, ArrayLayout, Launch};
use hexcc_compiler::kernel::stream_plan::{
    self, Action, Base, Compare, Gpu, Instance, Place, StreamRun, Word,
};
use hexcc_compiler::kernel::{KernelIr, Stencil, Sub};
use hexcc_compiler::output;
use hexcc_compiler::scop::Expr;
use hexcc_compiler::tiling;
use hexcc_compiler::tiling::overlapped::StreamKernel;
use hexcc_gpu::{
    Attributes, Binary, Buffer, Compiler, Device, Flags, GpuError, Kernel, Module, Packed,
    TensorElement,
};
use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A device and a compiler for it.
pub struct Workbench {
    /// The GPU.
    pub device: Device,
    /// NVRTC for its architecture.
    pub compiler: Compiler,
    helpers: Helpers,
}

/// Kernels of our own that fill and compare arrays.
struct Helpers {
    _module: Module,
    /// For every type of [`ELEMENTS`].
    fill: Vec<Kernel>,
    /// Likewise.
    different: Vec<Kernel>,
    /// `double` arrays with the contents that `float` arrays have.
    fill_wide: Kernel,
    /// Error of `float` arrays against `double` arrays.
    error: Kernel,
    /// For words of 4 and of 8 bytes.
    differ_outside: [Kernel; 2],
}

const HELPERS: &str = include_str!("measure.cu");

/// Element types.
const ELEMENTS: [CType; 10] = [
    CType::Float,
    CType::Double,
    CType::Int(1),
    CType::Int(2),
    CType::Int(4),
    CType::Int(8),
    CType::UInt(1),
    CType::UInt(2),
    CType::UInt(4),
    CType::UInt(8),
];

fn helper_names() -> Vec<String> {
    let mut names: Vec<String> = ELEMENTS.iter().map(|t| format!("fill<{t}, {t}>")).collect();
    names.extend(ELEMENTS.iter().map(|t| format!("different<{t}>")));
    names.push("fill<double, float>".to_string());
    names.push("error_of".to_string());
    names.extend(["differ_outside<unsigned>", "differ_outside<Bits>"].map(String::from));
    names
}

impl Workbench {
    /// Opens the GPU and NVRTC, which a CUDA toolkit in the given folder may have, too.
    ///
    /// # Errors
    /// What is missing.
    pub fn open(toolkit: Option<&Path>) -> Result<Workbench, GpuError> {
        let device = Device::open()?;
        let compiler = Compiler::new(device.info.capability, toolkit)?;
        let names = helper_names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let binary = compiler.compile(HELPERS, &names, Flags::default())?;
        let module = device.load(&binary)?;
        let n = ELEMENTS.len();
        let kernels = |from: usize| -> Result<Vec<Kernel>, GpuError> {
            (from..from + n).map(|i| module.kernel(i)).collect()
        };
        let helpers = Helpers {
            fill: kernels(0)?,
            different: kernels(n)?,
            fill_wide: module.kernel(2 * n)?,
            error: module.kernel(2 * n + 1)?,
            differ_outside: [module.kernel(2 * n + 2)?, module.kernel(2 * n + 3)?],
            _module: module,
        };
        Ok(Workbench {
            device,
            compiler,
            helpers,
        })
    }

    /// Runs a helper on as many threads as the GPU takes.
    fn help(&self, kernel: &Kernel, integers: &[i64]) -> Result<(), GpuError> {
        let args: Vec<Packed> = (integers.iter())
            .filter_map(|&i| Packed::of_integers(&[i]))
            .collect();
        let args: Vec<&Packed> = args.iter().collect();
        let launch = hexcc_gpu::Launch {
            kernel,
            grid: [self.device.info.multiprocessors * 8, 1, 1],
            block: [256, 1, 1],
            shared_bytes: 0,
            args: &args,
        };
        // SAFETY: the helpers take 64-bit integers and pointers, in the number
        // given, and touch the rows of the arrays they are given.
        unsafe { self.device.launch(&launch) }
    }
}

/// The arrays of a region on the GPU.
pub struct Arrays {
    precision: Precision,
    list: Vec<DeviceArray>,
}

struct DeviceArray {
    name: String,
    elem: CType,
    written: bool,
    buffer: Buffer,
}

/// Rows of an array as the helpers see it.
fn rows(layout: &ArrayLayout) -> (i64, i64, i64) {
    let n = layout.extents.last().copied().unwrap_or(1);
    let rows = layout.extents.iter().rev().skip(1).product();
    (rows, n, layout.pitch)
}

fn index_of(elem: CType) -> usize {
    ELEMENTS.iter().position(|e| *e == elem).unwrap_or(0)
}

impl Arrays {
    /// Allocates the arrays of all kernels; `written_only` leaves out the rest.
    /// They are large enough for every one of the parameter sets.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`].
    pub fn new(
        bench: &Workbench,
        kernels: &[&Stencil],
        sets: &[Vec<i64>],
        precision: Precision,
        written_only: bool,
    ) -> Result<Arrays, GpuError> {
        let mut wanted: Vec<(String, CType, bool, u64)> = Vec::new();
        for stencil in kernels {
            for params in sets {
                let layouts = plan::layouts(stencil, params).unwrap_or_default();
                for (array, layout) in stencil.arrays.iter().zip(&layouts) {
                    let elem = precision.of(array.elem);
                    let bytes = layout.elements.unsigned_abs() * elem.size() as u64;
                    match wanted.iter_mut().find(|w| w.0 == array.name) {
                        Some(w) => *w = (w.0.clone(), w.1, w.2 || array.written, w.3.max(bytes)),
                        None => wanted.push((array.name.clone(), elem, array.written, bytes)),
                    }
                }
            }
        }
        let list = (wanted.into_iter())
            .filter(|w| w.2 || !written_only)
            .map(|(name, elem, written, bytes)| {
                Ok(DeviceArray {
                    name,
                    elem,
                    written,
                    buffer: bench.device.allocate(bytes)?,
                })
            })
            .collect::<Result<_, GpuError>>()?;
        Ok(Arrays { precision, list })
    }

    /// Bytes of all of them.
    pub fn bytes(&self) -> u64 {
        self.list.iter().map(|a| a.buffer.bytes()).sum()
    }

    fn find(&self, name: &str) -> Option<&DeviceArray> {
        self.list.iter().find(|a| a.name == name)
    }

    /// Device pointers in the order of a kernel's arrays.
    fn pointers(&self, interface: &Interface) -> Vec<u64> {
        (interface.arrays.iter())
            .map(|a| self.find(&a.name).map_or(0, |d| d.buffer.pointer()))
            .collect()
    }

    /// Gives every element its initial value, a function of its array's name and its
    /// place. In three space dimensions time buffers start alike: kernels that stream planes
    /// advance one step at a time where they differ outside of the domain.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn fill(
        &self,
        bench: &Workbench,
        stencil: &Stencil,
        layouts: &[ArrayLayout],
    ) -> Result<(), GpuError> {
        for (array, layout) in stencil.arrays.iter().zip(layouts) {
            let Some(target) = self.find(&array.name) else {
                continue;
            };
            let (rows, n, pitch) = rows(layout);
            let wide = self.precision == Precision::Double && array.elem == CType::Float;
            let kernel = if wide {
                &bench.helpers.fill_wide
            } else {
                &bench.helpers.fill[index_of(target.elem)]
            };
            let pointer = target.buffer.pointer().cast_signed();
            let seed = fnv(&array.name).cast_signed();
            let buffers = match stencil.dims.len() {
                4 => layout
                    .extents
                    .first()
                    .filter(|_| has_time_buffers(stencil, &array.name)),
                _ => None,
            };
            let buffers = buffers.copied().unwrap_or(1).max(1);
            let rows = rows / buffers;
            for buffer in 0..buffers {
                let bytes = buffer * rows * pitch * target.elem.size() as i64;
                bench.help(kernel, &[pointer + bytes, rows, n, pitch, seed])?;
            }
        }
        Ok(())
    }

    /// Number of elements of written arrays that differ in their bits; two NaNs
    /// are equal.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn different(
        &self,
        other: &Arrays,
        bench: &Workbench,
        stencil: &Stencil,
        layouts: (&[ArrayLayout], &[ArrayLayout]),
    ) -> Result<u64, GpuError> {
        let mut counter = bench.device.allocate(8)?;
        bench.device.upload(&mut counter, &[0; 8])?;
        for (i, array) in stencil.arrays.iter().enumerate() {
            let (Some(a), Some(b)) = (self.find(&array.name), other.find(&array.name)) else {
                continue;
            };
            let (Some(la), Some(lb)) = (layouts.0.get(i), layouts.1.get(i)) else {
                continue;
            };
            if !a.written {
                continue;
            }
            let (rows, n, pitch) = rows(la);
            bench.help(
                &bench.helpers.different[index_of(a.elem)],
                &[
                    a.buffer.pointer().cast_signed(),
                    b.buffer.pointer().cast_signed(),
                    rows,
                    n,
                    pitch,
                    lb.pitch,
                    counter.pointer().cast_signed(),
                ],
            )?;
        }
        let bytes = bench.device.download(&counter, 8)?;
        Ok(integers(&bytes).first().copied().unwrap_or(0))
    }

    /// Error of the `float` arrays written against the same computation in
    /// `double`; `None` without such arrays, or where values overflow.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn error(
        &self,
        exact: &Arrays,
        bench: &Workbench,
        stencil: &Stencil,
        layouts: &[ArrayLayout],
    ) -> Result<Option<Accuracy>, GpuError> {
        let mut sums = bench.device.allocate(32)?;
        bench.device.upload(&mut sums, &[0; 32])?;
        let mut any = false;
        for (array, layout) in stencil.arrays.iter().zip(layouts) {
            let (Some(a), Some(b)) = (self.find(&array.name), exact.find(&array.name)) else {
                continue;
            };
            if !a.written || a.elem != CType::Float || b.elem != CType::Double {
                continue;
            }
            any = true;
            let (rows, n, pitch) = rows(layout);
            bench.help(
                &bench.helpers.error,
                &[
                    a.buffer.pointer().cast_signed(),
                    b.buffer.pointer().cast_signed(),
                    rows,
                    n,
                    pitch,
                    sums.pointer().cast_signed(),
                ],
            )?;
        }
        let words = integers(&bench.device.download(&sums, 32)?);
        let [squares, norm, largest, n_infinite] = words.as_slice() else {
            return Ok(None);
        };
        let (squares, norm) = (f64::from_bits(*squares), f64::from_bits(*norm));
        Ok((any && *n_infinite == 0 && norm > 0.0).then(|| Accuracy {
            rms: (squares / norm).sqrt(),
            largest: f64::from_bits(*largest),
        }))
    }
}

/// Whether an array's outermost subscript selects one of several time buffers.
fn has_time_buffers(stencil: &Stencil, name: &str) -> bool {
    let array = stencil.arrays.iter().position(|a| a.name == name);
    (stencil.stmts.iter())
        .filter(|stmt| Some(stmt.write.array) == array)
        .any(|stmt| {
            let outermost = stmt.write.subs.first();
            matches!(
                outermost,
                Some(Sub::Time {
                    modulo: Some(_),
                    ..
                })
            )
        })
}

/// Distance of results from those in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// Norm of the error over the norm of the result.
    pub rms: f64,
    /// Largest relative error of an element.
    pub largest: f64,
}

fn integers(bytes: &[u8]) -> Vec<u64> {
    (bytes.chunks_exact(8))
        .map(|c| c.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)))
        .collect()
}

/// Values of the scalars the kernel takes: in (0, 1], or small positive
/// integers.
fn scalar_values(interface: &Interface) -> Vec<f64> {
    (interface.scalars.iter())
        .map(|(name, ty)| {
            let seed = fnv(name) >> 40;
            if ty.is_floating() {
                (seed | 1) as f64 / 16_777_216.0
            } else {
                (1 + seed % 4) as f64
            }
        })
        .collect()
}

/// `struct Args` of a kernel; of a tiled one with layouts, and with the memory that a
/// streamed one needs beside the arrays.
pub fn arguments(
    interface: &Interface,
    precision: Precision,
    params: &[i64],
    arrays: &Arrays,
    layouts: Option<&[ArrayLayout]>,
    workspaces: &[Buffer],
) -> Result<Packed, GpuError> {
    let scalars = scalar_values(interface);
    let pointers = arrays.pointers(interface);
    let bytes = back::pack_arguments(interface, precision, params, &scalars, &pointers, layouts);
    let packed = bytes.and_then(|mut bytes| {
        bytes.extend(workspaces.iter().flat_map(|w| w.pointer().to_ne_bytes()));
        Packed::new(&bytes)
    });
    packed.ok_or_else(|| too_large("the arguments"))
}

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
    Hybrid(&'a KernelIr),
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
    (kernels.iter())
        .map(|kernel| match kernel {
            TiledKernel::Hybrid(ir) => Text {
                text: output::print_kernels(&[ir]),
                names: vec![format!("{}::kernel", ir.stencil.name)],
                flags,
            },
            TiledKernel::Streamed(stream) => Text {
                text: output::print_stream_kernel(stream),
                names: (stream.instances().iter())
                    .map(|k| format!("{}::kernel<{}>", stream.stencil().name, k.steps))
                    .collect(),
                flags,
            },
        })
        .collect()
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
            let code = match kernel {
                TiledKernel::Hybrid(ir) => Code::Hybrid {
                    shared_bytes: u32::try_from(ir.shared_bytes).unwrap_or(u32::MAX),
                    launches: (sets.iter())
                        .map(|params| plan::launches(ir, params).ok_or_else(sizes))
                        .collect::<Result<_, _>>()?,
                },
                TiledKernel::Streamed(stream) => Code::Streamed {
                    instances: stream.instances(),
                    runs: (sets.iter())
                        .map(|params| stream.plan(params).ok_or_else(sizes))
                        .collect::<Result<_, _>>()?,
                },
            };
            Ok(BuiltUnit {
                binary,
                layouts: (sets.iter())
                    .map(|params| plan::layouts(kernel.stencil(), params).ok_or_else(sizes))
                    .collect::<Result<_, _>>()?,
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

/// What a streamed kernel needs on the GPU.
struct LoadedStream {
    gpu: Gpu,
    workspaces: Vec<Buffer>,
    /// What [`Compare`] finds.
    flag: Buffer,
    /// Per set of parameters, where buffers are the same.
    actions: Vec<Vec<Action>>,
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
        }
    }

    /// What is enough for two.
    pub fn max(self, other: Resources) -> Resources {
        Resources {
            registers: self.registers.max(other.registers),
            local_bytes: self.local_bytes.max(other.local_bytes),
            shared_bytes: self.shared_bytes.max(other.shared_bytes),
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
                    let stream = LoadedStream::new(bench, &kernels, instances, runs)?;
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
                        stream.start(bench, loaded, run, &pointers, &args, action)?;
                    }
                }
                (Code::Streamed { .. }, None) => {}
            }
        }
        Ok(())
    }
}

fn start_hybrid(
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

impl LoadedStream {
    fn new(
        bench: &Workbench,
        kernels: &[Kernel],
        instances: &[Instance],
        runs: &[StreamRun],
    ) -> Result<LoadedStream, GpuError> {
        let resident = (kernels.iter().zip(instances))
            .map(|(kernel, k)| Ok(kernel.resident_blocks(k.threads, k.shared_bytes)?.into()))
            .collect::<Result<_, GpuError>>()?;
        let info = &bench.device.info;
        let gpu = Gpu {
            multiprocessors: info.multiprocessors.into(),
            major: info.capability.0.into(),
            resident,
        };
        let n_workspaces = runs.iter().map(|r| r.workspaces.len()).max().unwrap_or(0);
        let workspaces = (0..n_workspaces)
            .map(|w| {
                let bytes = runs.iter().filter_map(|r| r.workspaces.get(w)).max();
                (bench.device).allocate(bytes.map_or(0, |b| b.unsigned_abs()))
            })
            .collect::<Result<_, _>>()?;
        let actions = (runs.iter())
            .map(|run| run.actions(&gpu, true).ok_or_else(no_launches))
            .collect::<Result<_, _>>()?;
        Ok(LoadedStream {
            gpu,
            workspaces,
            flag: bench.device.allocate(8)?,
            actions,
        })
    }

    /// What the host of the generated program does, the comparison included.
    fn actions(
        &self,
        bench: &Workbench,
        run: &StreamRun,
        set: usize,
        pointers: &[u64],
    ) -> Result<Cow<'_, [Action]>, GpuError> {
        let mut same = true;
        for compare in &run.compare {
            same &= self.buffers_agree(bench, compare, pointers)?;
        }
        match self.actions.get(set) {
            Some(actions) if same => Ok(Cow::Borrowed(actions)),
            _ => (run.actions(&self.gpu, same))
                .map(Cow::Owned)
                .ok_or_else(no_launches),
        }
    }

    /// `compare` of the generated text; waits for what it finds, too.
    fn buffers_agree(
        &self,
        bench: &Workbench,
        compare: &Compare,
        pointers: &[u64],
    ) -> Result<bool, GpuError> {
        let flag = self.flag.pointer().cast_signed();
        // SAFETY: the words to clear are those of the buffer, which lives.
        unsafe { bench.device.clear(self.flag.pointer(), 8) }?;
        let first = pointers.get(compare.array).copied().unwrap_or(0);
        let first = first.cast_signed() + compare.first;
        let [n_i, n_j, n_k] = compare.n;
        let ([lo_i, lo_j, lo_k], [hi_i, hi_j, hi_k]) = (compare.lo, compare.hi);
        let wide = compare.element_bytes == 8;
        bench.help(
            &bench.helpers.differ_outside[usize::from(wide)],
            &[
                first,
                first + compare.distance,
                compare.row,
                n_i,
                n_j,
                n_k,
                lo_i,
                hi_i,
                lo_j,
                hi_j,
                lo_k,
                hi_k,
                flag,
            ],
        )?;
        let found = bench.device.download(&self.flag, 8)?;
        Ok(found.iter().all(|&byte| byte == 0))
    }

    fn pointer(&self, place: &Place, pointers: &[u64]) -> u64 {
        let base = match place.base {
            Base::Array(i) => pointers.get(i).copied().unwrap_or(0),
            Base::Workspace(i) => self.workspaces.get(i).map_or(0, Buffer::pointer),
        };
        base.wrapping_add_signed(place.offset)
    }

    fn start(
        &self,
        bench: &Workbench,
        loaded: &LoadedUnit,
        run: &StreamRun,
        pointers: &[u64],
        args: &Packed,
        action: &Action,
    ) -> Result<(), GpuError> {
        let (kernel, grid, pass) = match action {
            Action::Copy { to, from, bytes } => {
                let (to, from) = (self.pointer(to, pointers), self.pointer(from, pointers));
                let bytes = usize::try_from(*bytes).map_err(|_| too_large("the sizes"))?;
                // SAFETY: both are planes of arrays or of the memory beside them, which live.
                return unsafe { bench.device.copy(to, from, bytes) };
            }
            Action::Launch { kernel, grid, pass } => (*kernel, *grid, pass),
        };
        let (Some(instance), Some(kernel)) = (run.kernels.get(kernel), loaded.kernels.get(kernel))
        else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        for word in pass {
            match word {
                Word::Int(value) => append(&mut bytes, &value.to_ne_bytes()),
                Word::Long(value) => append(&mut bytes, &value.to_ne_bytes()),
                Word::Pointer(place) => {
                    let pointer = place.map_or(0, |p| self.pointer(&p, pointers));
                    append(&mut bytes, &pointer.to_ne_bytes());
                }
                Word::Map(None) => append(&mut bytes, &[0; 128]),
                Word::Map(Some(map)) => append(&mut bytes, &self.encoded(map, pointers)?),
            }
        }
        let pass = Packed::new(&bytes).ok_or_else(|| too_large("the arguments"))?;
        let launch = hexcc_gpu::Launch {
            kernel,
            grid: [grid, 1, 1],
            block: [instance.threads, 1, 1],
            shared_bytes: instance.shared_bytes,
            args: &[args, &pass],
        };
        // SAFETY: the kernel takes `Args` and `Pass` as laid out here, and its accesses are
        // proven to lie inside the arrays and the memory beside them, which live.
        unsafe { bench.device.launch(&launch) }
    }

    fn encoded(&self, map: &stream_plan::TensorMap, pointers: &[u64]) -> Result<Vec<u8>, GpuError> {
        let element = match map.elem {
            CType::Float => TensorElement::F32,
            CType::Double => TensorElement::F64,
            CType::Int(8) => TensorElement::I64,
            CType::UInt(8) => TensorElement::U64,
            CType::Int(_) => TensorElement::I32,
            CType::UInt(_) => TensorElement::U32,
        };
        let map = hexcc_gpu::TensorMap {
            element,
            pointer: self.pointer(&map.place, pointers),
            sizes: map.sizes,
            strides: map.strides,
            extent: map.extent,
        };
        map.encode()
    }
}

/// Appends a field of a structure, aligned to its size, as in C.
fn append(bytes: &mut Vec<u8>, field: &[u8]) {
    bytes.resize(bytes.len().next_multiple_of(field.len().max(1)), 0);
    bytes.extend(field);
}

fn no_launches() -> GpuError {
    GpuError::Driver {
        what: "planning the launches".to_string(),
        message: "a multiprocessor takes no block, or a number is too large".to_string(),
    }
}

/// The baseline of a region, loaded on the GPU.
pub struct Baseline {
    precision: Precision,
    units: Vec<BaselineUnit>,
    /// The most that any of its kernels needs.
    pub resources: Resources,
}

struct BaselineUnit {
    _module: Module,
    slots: Vec<Kernel>,
    count: Kernel,
}

/// Work of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Points updated, each once per time step: of the array that is computed the
    /// most often, how often its elements are.
    pub cells: f64,
    /// Floating-point operations.
    pub flops: f64,
}

impl Baseline {
    /// The texts of the baseline for parameters up to these, one per time loop.
    pub fn texts(
        compiled: &Compiled,
        precision: Precision,
        flags: Flags,
        params: &[i64],
    ) -> Vec<Text> {
        (compiled.units.iter())
            .map(|unit| {
                let layouts = plan::layouts(unit.stencil(), params).unwrap_or_default();
                let narrow = back::naive_is_narrow(unit.stencil(), params, &layouts);
                let naive = back::print_naive(unit.stencil(), precision, narrow);
                Text {
                    text: naive.text,
                    names: naive.kernels,
                    flags,
                }
            })
            .collect()
    }

    /// Compiles and loads the baseline for parameters up to these.
    ///
    /// # Errors
    /// [`GpuError::Compile`].
    pub fn build(
        bench: &Workbench,
        compiled: &Compiled,
        precision: Precision,
        flags: Flags,
        params: &[i64],
    ) -> Result<Baseline, GpuError> {
        let texts = Baseline::texts(compiled, precision, flags, params);
        let binaries = texts.iter().map(|text| text.compile(&bench.compiler));
        Baseline::load(bench, precision, binaries.collect::<Result<_, _>>()?)
    }

    /// Loads the baseline.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn load(
        bench: &Workbench,
        precision: Precision,
        binaries: Vec<Binary>,
    ) -> Result<Baseline, GpuError> {
        let mut resources = Resources::default();
        let mut units = Vec::new();
        for binary in binaries {
            let module = bench.device.load(&binary)?;
            let n = binary.names.len().saturating_sub(1);
            let slots = (0..n)
                .map(|i| module.kernel(i))
                .collect::<Result<Vec<_>, _>>()?;
            for kernel in &slots {
                resources = resources.max(Resources::of(&kernel.attributes()?, 0));
            }
            units.push(BaselineUnit {
                slots,
                count: module.kernel(n)?,
                _module: module,
            });
        }
        Ok(Baseline {
            precision,
            units,
            resources,
        })
    }

    /// Starts all launches.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn run(
        &self,
        bench: &Workbench,
        compiled: &Compiled,
        arrays: &Arrays,
        params: &[i64],
    ) -> Result<(), GpuError> {
        for (unit, loaded) in compiled.units.iter().zip(&self.units) {
            let kernels: Vec<&Kernel> = loaded.slots.iter().collect();
            self.launch(bench, unit.stencil(), &kernels, arrays, params, None)?;
        }
        Ok(())
    }

    fn launch(
        &self,
        bench: &Workbench,
        stencil: &Stencil,
        kernels: &[&Kernel],
        arrays: &Arrays,
        params: &[i64],
        counters: Option<&Packed>,
    ) -> Result<(), GpuError> {
        let layouts = plan::layouts(stencil, params).unwrap_or_default();
        let Some(plan) = back::naive_plan(stencil, params, &layouts) else {
            return Ok(());
        };
        let args = arguments(stencil, self.precision, params, arrays, None, &[])?;
        for t in plan.times.clone() {
            let mut step = vec![t];
            step.extend(&plan.step);
            let step = Packed::of_integers(&step).ok_or_else(|| too_large("the arguments"))?;
            let mut list = vec![&args, &step];
            list.extend(counters);
            for kernel in kernels {
                let launch = hexcc_gpu::Launch {
                    kernel,
                    grid: plan.grid,
                    block: [plan.block[0], plan.block[1], 1],
                    shared_bytes: 0,
                    args: &list,
                };
                // SAFETY: the kernel takes `Args`, `Step` and for counting a pointer;
                // it executes the program's own accesses, and the arrays live.
                unsafe { bench.device.launch(&launch) }?;
            }
        }
        Ok(())
    }

    /// Counts the work of a run.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn work(
        &self,
        bench: &Workbench,
        compiled: &Compiled,
        arrays: &Arrays,
        params: &[i64],
    ) -> Result<Work, GpuError> {
        let mut work = Work::default();
        for (unit, loaded) in compiled.units.iter().zip(&self.units) {
            let stencil = unit.stencil();
            let bytes = 8 * stencil.stmts.len();
            let mut counters = bench.device.allocate(bytes as u64)?;
            bench.device.upload(&mut counters, &vec![0; bytes])?;
            let pointer = Packed::of_integers(&[counters.pointer().cast_signed()]);
            self.launch(
                bench,
                stencil,
                &[&loaded.count],
                arrays,
                params,
                pointer.as_ref(),
            )?;
            let counts = integers(&bench.device.download(&counters, bytes)?);
            let mut cells = vec![0.0; stencil.arrays.len()];
            for (stmt, count) in stencil.stmts.iter().zip(counts) {
                let mut operations = stmt.value.n_operations();
                let mut flops = n_flops(&stmt.value);
                for (_, _, value) in &stmt.locals {
                    operations += value.n_operations();
                    flops += n_flops(value);
                }
                if operations > 0 {
                    cells[stmt.write.array] += count as f64;
                }
                work.flops += count as f64 * flops as f64;
            }
            work.cells += cells.into_iter().fold(0.0, f64::max);
        }
        Ok(work)
    }
}

/// Floating-point additions, multiplications, divisions and calls.
fn n_flops(expr: &Expr) -> usize {
    let mut n = 0;
    expr.visit(&mut |e| {
        let is_operation = match e {
            Expr::Binary { op, .. } => matches!(*op, "+" | "-" | "*" | "/"),
            Expr::Call { .. } => true,
            _ => false,
        };
        n += usize::from(is_operation && e.ty().is_floating());
    });
    n
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
    use hexcc_compiler::scop::SavedScop;

    #[test]
    fn helpers_exist_for_every_type() {
        let names = helper_names();
        assert_eq!(names.len(), 2 * ELEMENTS.len() + 4);
        assert_eq!(names[0], "fill<float, float>");
        assert_eq!(names[ELEMENTS.len() + 1], "different<double>");
    }

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
        compile("helpers", HELPERS, &helper_names());
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

    #[test]
    fn counters_are_little_endian() {
        assert_eq!(integers(&[1, 0, 0, 0, 0, 0, 0, 0x80]), [1 | 1 << 63]);
    }
}
