//! Kernels of a region, launched on memory that a program has: what the host code of a translation does, for programs that
//! are not made of it, such as those in Python.
//!
//! [`Kernels`] is a region compiled, as plain data; [`Loaded`] has its kernels on a GPU and runs them on arrays. Rows of
//! arrays are dense. Arrays whose rows start at multiples of 16 bytes are used where they are; others are copied on the
//! device to where they do, and back, as `launch` of the generated text has it. So are planes that a program has in
//! memory of their own.

use crate::cache::{self, Lookup};
use crate::measure::{
    LoadedStream, Text, TiledKernel, Workbench, compile_all, packed, start_hybrid, too_large,
};
use crate::single;
use hexcc_compiler::back::{self, Precision};
use hexcc_compiler::compiled::{Compiled, Stepwise, Unit};
use hexcc_compiler::ctype::CType;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::interface::Interface;
use hexcc_compiler::ir::Program;
use hexcc_compiler::kernel::KernelArray;
use hexcc_compiler::kernel::plan::{self, ArrayLayout, Launch};
use hexcc_compiler::kernel::stream_plan::{Instance, StreamRun};
use hexcc_compiler::known::Known;
use hexcc_compiler::options::{Options, Tiling};
use hexcc_compiler::output;
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::stencil::Stencil;
use hexcc_compiler::tiling;
use hexcc_compiler::tiling::hybrid::HybridKernel;
use hexcc_compiler::tiling::overlapped::StreamKernel;
use hexcc_gpu::{Binary, Buffer, Flags, GpuError, Kernel, Module, Packed};
use hexcc_isl::Ctx;
use std::ops::Range;
use std::rc::Rc;
use thiserror::Error;

/// Why a translation cannot be launched without its host code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoLaunch {
    /// A loop or statements stay on the host.
    #[error("part of the region stays on the host")]
    Host,
    /// Kernels add up or find maxima.
    #[error("a sum or maximum over a loop goes to a variable of the host")]
    Reduction,
    /// Arrays are reached by tables of pointers, or are variables.
    #[error("an array is a table of pointers, a member of a struct or a variable")]
    Arrays,
    /// Statements call functions of the program.
    #[error("statements call functions of the program")]
    Functions,
}

/// Why there are no kernels.
#[derive(Debug, Error)]
pub enum NotMade {
    /// hexcc refuses the region.
    #[error("{}", .0.message)]
    Refused(Box<Diagnostic>),
    /// It takes more than launches.
    #[error(transparent)]
    NoLaunch(#[from] NoLaunch),
}

/// Why a run does not begin, or fails.
#[derive(Debug, Error)]
pub enum RunError {
    /// The kernels are not for these sizes.
    #[error("the kernels are not made for these sizes: C would do something else")]
    Sizes,
    /// A size, scalar or array is not given.
    #[error("`{0}` is missing")]
    Missing(String),
    /// An array has too few bytes.
    #[error("`{array}` needs {needed} bytes for these sizes, and has {given}")]
    TooSmall {
        /// The array.
        array: String,
        /// Bytes that kernels may touch.
        needed: u64,
        /// Bytes that there are.
        given: u64,
    },
    /// What the GPU or its driver says.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// An array that kernels are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionArray {
    /// What the program calls it.
    pub name: String,
    /// Type of an element.
    pub elem: CType,
    /// Number of dimensions.
    pub n_dims: usize,
    /// Whether kernels write it.
    pub written: bool,
}

/// A region that can be launched, compiled, as plain data.
pub struct Kernels {
    parts: Vec<Part>,
    /// The bytes of the source that each part stands for; what is between them stays on the host.
    pub spans: Vec<Range<usize>>,
    flags: Flags,
    /// Names of sizes, in the order of values.
    pub params: Vec<String>,
    /// Names and types of scalars.
    pub scalars: Vec<(String, CType)>,
    /// The arrays of the program.
    pub arrays: Vec<RegionArray>,
}

/// A time loop in tiles, or a region in single steps.
enum Part {
    Hybrid(Box<HybridKernel>),
    Streamed(StreamKernel),
    Steps(Box<Steps>),
}

/// What is launched of a region in single steps.
struct Steps {
    interface: Interface,
    program: Program,
    text: String,
}

impl Part {
    fn interface(&self) -> &Interface {
        match self {
            Part::Hybrid(hybrid) => &hybrid.ir.stencil.interface,
            Part::Streamed(stream) => &stream.stencil().interface,
            Part::Steps(steps) => &steps.interface,
        }
    }

    /// Texts that are compiled beside each other; `narrow` is about steps.
    fn texts(&self, narrow: bool, flags: Flags) -> Vec<Text> {
        let whole = match self {
            Part::Hybrid(hybrid) => TiledKernel::Hybrid(hybrid).text(flags),
            Part::Streamed(stream) => TiledKernel::Streamed(stream).text(flags),
            Part::Steps(steps) => {
                single::text_of((&steps.program, steps.text.clone()), narrow, flags)
            }
        };
        let alone = |name: &String| Text {
            text: whole.text.clone(),
            names: vec![name.clone()],
            flags,
        };
        whole.names.iter().map(alone).collect()
    }

    /// Where arrays lie that nobody has given: padded for tiles, dense for steps.
    fn layouts(&self, params: &[i64]) -> Option<Vec<ArrayLayout>> {
        let layouts = plan::layouts(self.interface(), params)?;
        Some(match self {
            Part::Steps(_) => single::dense(&layouts),
            _ => layouts,
        })
    }
}

impl Kernels {
    /// Compiles a region of C that was saved, with the tiles that tuning has found for it.
    ///
    /// # Errors
    /// [`NotMade`].
    pub fn of_scop(
        ctx: &Ctx,
        saved: &SavedScop,
        options: &Options,
        flags: Flags,
        lookup: Option<&Lookup>,
    ) -> Result<Kernels, NotMade> {
        Kernels::of(options, flags, &|options| {
            cache::compile(ctx, saved, options, lookup, &Known::default())
        })
    }

    /// Compiles a stencil.
    ///
    /// # Errors
    /// [`NotMade`].
    pub fn of_stencil(
        stencil: &Stencil,
        options: &Options,
        flags: Flags,
    ) -> Result<Kernels, NotMade> {
        Kernels::of(options, flags, &|options| stencil.compile(options))
    }

    /// Where tiles need more than launches, such as cells beside a torus, single steps do without.
    fn of(
        options: &Options,
        flags: Flags,
        compile: &dyn Fn(&Options) -> hexcc_compiler::diag::Result<Compiled>,
    ) -> Result<Kernels, NotMade> {
        let compiled = compile(options).map_err(NotMade::Refused)?;
        match parts(compiled) {
            Ok(parts) => Ok(Kernels::new(parts, flags)),
            Err(why) if options.wanted_tiling() != Tiling::Auto => Err(why.into()),
            Err(why) => {
                let stepwise = Options {
                    tiling: Tiling::Stepwise,
                    ..options.clone()
                };
                let compiled = compile(&stepwise).map_err(|_| why)?;
                Ok(Kernels::new(parts(compiled)?, flags))
            }
        }
    }

    fn new(parts: Vec<(Range<usize>, Part)>, flags: Flags) -> Kernels {
        let (spans, parts): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let mut kernels = Kernels {
            parts: Vec::new(),
            spans,
            flags,
            params: Vec::new(),
            scalars: Vec::new(),
            arrays: Vec::new(),
        };
        for part in &parts {
            let interface = part.interface();
            add(&mut kernels.params, &interface.params, |a, b| a == b);
            add(&mut kernels.scalars, &interface.scalars, |a, b| a.0 == b.0);
            for array in &interface.arrays {
                for name in names(array) {
                    let n_dims = array.extents.len() - usize::from(!array.parts.is_empty());
                    match kernels.arrays.iter_mut().find(|a| a.name == *name) {
                        Some(known) => known.written |= array.written,
                        None => kernels.arrays.push(RegionArray {
                            name: name.clone(),
                            elem: array.elem,
                            n_dims,
                            written: array.written,
                        }),
                    }
                }
            }
        }
        kernels.parts = parts;
        kernels
    }

    /// Whether all of it is tiled over time.
    pub fn is_tiled(&self) -> bool {
        !(self.parts.iter()).any(|part| matches!(part, Part::Steps(_)))
    }

    /// The CUDA text of its kernels.
    pub fn text(&self) -> String {
        let of = |part: &Part| part.texts(false, self.flags).into_iter().next();
        let texts = self.parts.iter().filter_map(of);
        texts.map(|t| t.text).collect::<Vec<_>>().join("\n")
    }
}

fn add<T: Clone>(to: &mut Vec<T>, from: &[T], same: impl Fn(&T, &T) -> bool) {
    for new in from {
        if !to.iter().any(|known| same(known, new)) {
            to.push(new.clone());
        }
    }
}

/// What the program has of an array.
fn names(array: &KernelArray) -> &[String] {
    match array.parts.is_empty() {
        true => std::slice::from_ref(&array.memory),
        false => &array.parts,
    }
}

/// The parts of a translation in their order, each with the bytes of the source that it stands for.
fn parts(compiled: Compiled) -> Result<Vec<(Range<usize>, Part)>, NoLaunch> {
    let chunks: Vec<Range<usize>> = (compiled.scop.chunks.iter())
        .filter(|chunk| !chunk.stmts.is_empty())
        .map(|chunk| chunk.span.clone())
        .collect();
    if !compiled.units.is_empty() && compiled.units.len() != chunks.len() {
        return Err(NoLaunch::Host);
    }
    let mut parts = Vec::new();
    for (span, unit) in chunks.into_iter().zip(compiled.units) {
        parts.push((span, tiles(unit)));
    }
    for nest in compiled.tiled_nests {
        if nest.periodic.is_some() {
            return Err(NoLaunch::Host);
        }
        parts.push((nest.scop.region.clone(), tiles(nest.unit)));
    }
    for part in compiled.stepwise {
        parts.push((part.span.clone(), steps(part)?));
    }
    parts.sort_by_key(|(span, _)| span.start);
    for (_, part) in &parts {
        let interface = part.interface();
        let is_plain = |a: &KernelArray| a.rows.is_none() && !a.variable && !a.extents.is_empty();
        if !interface.cells.is_empty() {
            return Err(NoLaunch::Functions);
        }
        if !interface.members.is_empty() || !interface.arrays.iter().all(is_plain) {
            return Err(NoLaunch::Arrays);
        }
    }
    Ok(parts)
}

fn tiles(unit: Unit) -> Part {
    match unit.tiled.kernel {
        tiling::Kernel::Overlapped(stream, _) => Part::Streamed(stream),
        tiling::Kernel::Hybrid(hybrid) => Part::Hybrid(Box::new(hybrid.kernel)),
    }
}

fn steps(part: Stepwise) -> Result<Part, NoLaunch> {
    if !single::is_alone(&part) {
        return Err(NoLaunch::Reduction);
    }
    let text = output::print_steps(&part);
    Ok(Part::Steps(Box::new(Steps {
        interface: part.interface,
        program: part.program,
        text,
    })))
}

/// Memory of a program on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Its begin.
    pub pointer: u64,
    /// How large it is.
    pub bytes: u64,
}

/// What a run is given, each in the order in which [`Kernels`] has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Values of sizes.
    pub params: Vec<i64>,
    /// Values of scalars.
    pub scalars: Vec<f64>,
    /// Arrays.
    pub arrays: Vec<Memory>,
}

/// Kernels on a GPU.
pub struct Loaded {
    kernels: Rc<Kernels>,
    parts: Vec<LoadedPart>,
}

/// A part, as it was last run.
#[derive(Default)]
struct LoadedPart {
    /// By whether indices have 32 bits.
    code: [Option<Code>; 2],
    plan: Option<Plan>,
    /// Memory of plans before. Launches follow each other in one order, so that others may have it at once.
    spare: Vec<Buffer>,
}

struct Code {
    _modules: Vec<Module>,
    kernels: Vec<Kernel>,
}

/// What depends on sizes and on where arrays lie.
struct Plan {
    call: Call,
    interface: Vec<i64>,
    narrow: bool,
    layouts: Vec<ArrayLayout>,
    pointers: Vec<u64>,
    /// By array of the part, memory that is used in place of the program's.
    staged: Vec<Option<Buffer>>,
    launches: Launches,
}

enum Launches {
    Hybrid(Vec<Launch>),
    Streamed(Box<(StreamRun, LoadedStream)>),
    Steps(Vec<single::Start>),
}

/// Machine code that was compiled before, by text and name of the kernel.
pub trait Cache {
    /// What was kept for a text and an architecture.
    fn find(&self, text: &Text, arch: &str) -> Option<Binary>;
    /// Keeps it.
    fn keep(&self, text: &Text, arch: &str, binary: &Binary);
}

impl Loaded {
    /// Nothing is compiled for the GPU until it is needed.
    pub fn new(kernels: &Rc<Kernels>) -> Loaded {
        let parts = kernels.parts.iter().map(|_| LoadedPart::default());
        Loaded {
            kernels: Rc::clone(kernels),
            parts: parts.collect(),
        }
    }

    /// Starts everything and returns at once, where nothing has to be compiled or compared.
    ///
    /// # Errors
    /// [`RunError`].
    pub fn run(
        &mut self,
        bench: &Workbench,
        call: &Call,
        cache: &dyn Cache,
    ) -> Result<(), RunError> {
        for (loaded, part) in self.parts.iter_mut().zip(&self.kernels.parts) {
            let is_planned = loaded.plan.as_ref().is_some_and(|plan| plan.call == *call);
            if !is_planned {
                loaded.put_aside();
                let made = Plan::new(&self.kernels, part, loaded, (bench, cache), call)?;
                loaded.plan = made;
            }
            let Some(plan) = &loaded.plan else { continue };
            let Some(code) = &loaded.code[usize::from(plan.narrow)] else {
                continue;
            };
            plan.run(&self.kernels, part, code, bench)?;
        }
        Ok(())
    }
}

impl LoadedPart {
    /// Keeps the memory of the plan, which goes.
    fn put_aside(&mut self) {
        let Some(plan) = self.plan.take() else { return };
        self.spare.extend(plan.staged.into_iter().flatten());
        if let Launches::Streamed(both) = plan.launches {
            self.spare.extend(both.1.into_memory());
        }
    }

    fn code(
        &mut self,
        part: &Part,
        narrow: bool,
        (bench, cache): (&Workbench, &dyn Cache),
        flags: Flags,
    ) -> Result<&Code, GpuError> {
        let place = &mut self.code[usize::from(narrow)];
        if let Some(code) = place {
            return Ok(code);
        }
        let texts = part.texts(narrow, flags);
        let arch = bench.compiler.arch();
        let mut binaries: Vec<Option<Binary>> = texts.iter().map(|t| cache.find(t, arch)).collect();
        let missing = |found: &Option<Binary>| found.is_none();
        let wanted: Vec<usize> = (0..texts.len())
            .filter(|i| missing(&binaries[*i]))
            .collect();
        let to_compile: Vec<Text> = wanted.iter().map(|&i| texts[i].clone()).collect();
        for (&i, binary) in wanted.iter().zip(compile_all(&bench.compiler, &to_compile)) {
            let binary = binary?;
            cache.keep(&texts[i], arch, &binary);
            binaries[i] = Some(binary);
        }
        let modules: Vec<Module> = (binaries.iter().flatten())
            .map(|binary| bench.device.load(binary))
            .collect::<Result<_, _>>()?;
        let kernels: Vec<Kernel> = (modules.iter())
            .map(|module| module.kernel(0))
            .collect::<Result<_, _>>()?;
        for (kernel, bytes) in kernels.iter().zip(part.shared_bytes()) {
            kernel.allow_shared(bytes)?;
        }
        Ok(place.insert(Code {
            _modules: modules,
            kernels,
        }))
    }
}

impl Part {
    /// Dynamic shared memory of its kernels.
    fn shared_bytes(&self) -> Vec<u32> {
        match self {
            Part::Hybrid(hybrid) => vec![u32::try_from(hybrid.shared_bytes).unwrap_or(u32::MAX)],
            Part::Streamed(stream) => {
                let of = |instance: &Instance| instance.shared_bytes;
                stream.instances().iter().map(of).collect()
            }
            Part::Steps(_) => Vec::new(),
        }
    }
}

impl Plan {
    /// `None` where there is nothing to do.
    fn new(
        kernels: &Kernels,
        part: &Part,
        loaded: &mut LoadedPart,
        (bench, cache): (&Workbench, &dyn Cache),
        call: &Call,
    ) -> Result<Option<Plan>, RunError> {
        let interface = part.interface();
        let sizes = || too_large("the sizes");
        let value = |name: &String| {
            let at = kernels.params.iter().position(|p| p == name);
            let value = at.and_then(|at| call.params.get(at)).copied();
            value.ok_or_else(|| RunError::Missing(name.clone()))
        };
        let params: Vec<i64> = interface
            .params
            .iter()
            .map(value)
            .collect::<Result<_, _>>()?;
        if !plan::applies(interface, &params).ok_or_else(sizes)? {
            return Err(RunError::Sizes);
        }
        let is_work = plan::has_work(interface, &params).ok_or_else(sizes)?;
        if !is_work {
            return Ok(None);
        }
        let mut layouts = part.layouts(&params).ok_or_else(sizes)?;
        let mut plan = Plan {
            call: call.clone(),
            interface: Vec::new(),
            narrow: false,
            layouts: Vec::new(),
            pointers: Vec::new(),
            staged: Vec::new(),
            launches: Launches::Hybrid(Vec::new()),
        };
        let given = (interface.arrays.iter().zip(&layouts))
            .map(|(array, layout)| memory_of(kernels, array, layout, call))
            .collect::<Result<Vec<_>, _>>()?;
        if let Part::Steps(steps) = part {
            plan.narrow = single::is_narrow(&steps.program, &params);
        }
        // Compiled before memory is taken: what goes when this fails is used by nobody.
        loaded.code(part, plan.narrow, (bench, cache), kernels.flags)?;
        let mut spare = std::mem::take(&mut loaded.spare);
        let made = plan.place(
            (part, &params),
            (&given, &mut layouts),
            loaded,
            (bench, &mut spare),
        );
        // What no plan wants any more goes once nothing runs that may use it.
        if !spare.is_empty() || made.is_err() {
            bench.device.synchronize_all()?;
        }
        made?;
        plan.interface = params;
        plan.layouts = layouts;
        Ok(Some(plan))
    }

    /// Where arrays lie, and what is launched.
    fn place(
        &mut self,
        (part, params): (&Part, &[i64]),
        (given, layouts): (&[Vec<Memory>], &mut [ArrayLayout]),
        loaded: &LoadedPart,
        (bench, spare): (&Workbench, &mut Vec<Buffer>),
    ) -> Result<(), GpuError> {
        let arrays = part.interface().arrays.iter().zip(given);
        for ((array, given), layout) in arrays.zip(layouts.iter_mut()) {
            let own = match in_place(array, layout, given) {
                Some(pointer) => {
                    layout.pitch = layout.extents.last().copied().unwrap_or(1);
                    self.pointers.push(pointer);
                    None
                }
                None => {
                    let bytes = layout.elements.unsigned_abs() * array.elem.size() as u64;
                    let buffer = taken(spare, bench, bytes)?;
                    self.pointers.push(buffer.pointer());
                    Some(buffer)
                }
            };
            self.staged.push(own);
        }
        let sizes = || too_large("the sizes");
        self.launches = match part {
            Part::Hybrid(hybrid) => {
                Launches::Hybrid(plan::launches(hybrid, params).ok_or_else(sizes)?)
            }
            Part::Streamed(stream) => {
                let run = stream.plan(params, layouts).ok_or_else(sizes)?;
                let (runs, instances) = (std::slice::from_ref(&run), stream.instances());
                let code = loaded.code[usize::from(self.narrow)].as_ref();
                let kernels = code.map_or(&[][..], |code| &code.kernels);
                let take = &mut |bytes| taken(spare, bench, bytes);
                let loaded = LoadedStream::new(bench, kernels, &instances, runs, take)?;
                Launches::Streamed(Box::new((run, loaded)))
            }
            Part::Steps(steps) => {
                Launches::Steps(single::starts(&steps.program, params).ok_or_else(sizes)?)
            }
        };
        Ok(())
    }

    fn run(
        &self,
        kernels: &Kernels,
        part: &Part,
        code: &Code,
        bench: &Workbench,
    ) -> Result<(), RunError> {
        let interface = part.interface();
        self.copy(kernels, interface, bench, true)?;
        let args = self.args(kernels, part)?;
        match &self.launches {
            Launches::Hybrid(launches) => start_hybrid(bench, &code.kernels, launches, &args)?,
            Launches::Streamed(both) => {
                let (run, loaded) = &**both;
                for action in loaded.actions(bench, run, 0, &self.pointers)?.iter() {
                    let given = (&self.pointers[..], &args);
                    loaded.start(bench, &code.kernels, run, given, action)?;
                }
            }
            Launches::Steps(starts) => {
                single::launch_all(bench, &code.kernels, starts, (&args, self.narrow))?;
            }
        }
        self.copy(kernels, interface, bench, false)
    }

    fn args(&self, kernels: &Kernels, part: &Part) -> Result<Packed, RunError> {
        let interface = part.interface();
        let value = |(name, _): &(String, CType)| {
            let at = kernels.scalars.iter().position(|(known, _)| known == name);
            let value = at.and_then(|at| self.call.scalars.get(at)).copied();
            value.ok_or_else(|| RunError::Missing(name.clone()))
        };
        let scalars: Vec<f64> = interface
            .scalars
            .iter()
            .map(value)
            .collect::<Result<_, _>>()?;
        let layouts = match part {
            Part::Steps(_) => None,
            _ => Some(&self.layouts[..]),
        };
        let precision = Precision::Source;
        let (params, pointers) = (&self.interface, &self.pointers);
        let bytes = back::pack_arguments(interface, precision, params, &scalars, pointers, layouts);
        let workspaces = match &self.launches {
            Launches::Streamed(both) => &both.1.workspaces[..],
            _ => &[],
        };
        Ok(packed(bytes, workspaces)?)
    }

    /// Copies arrays to where kernels use them, or back.
    fn copy(
        &self,
        kernels: &Kernels,
        interface: &Interface,
        bench: &Workbench,
        there: bool,
    ) -> Result<(), RunError> {
        let arrays = interface.arrays.iter().zip(&self.layouts).zip(&self.staged);
        for ((array, layout), staged) in arrays {
            let Some(buffer) = staged else { continue };
            if array.local || !there && !array.written {
                continue;
            }
            let size = array.elem.size();
            let width = usize::try_from(layout.extents.last().copied().unwrap_or(1)).unwrap_or(0);
            let (row, pitch) = (width * size, layout.pitch.unsigned_abs() as usize * size);
            let own = names(array);
            let rows: i64 = layout.extents.iter().rev().skip(1).product();
            let rows = usize::try_from(rows).unwrap_or(0) / own.len().max(1);
            for (nth, name) in own.iter().enumerate() {
                let given = given(kernels, name, &self.call)?;
                let inside = (buffer.pointer() + (nth * rows * pitch) as u64, pitch);
                let outside = (given.pointer, row);
                let (to, from) = if there {
                    (inside, outside)
                } else {
                    (outside, inside)
                };
                // SAFETY: the buffer has all rows with their pitch, and `memory_of` has seen that the program's
                // memory has as many dense ones.
                unsafe { bench.device.copy_rows(to, from, (row, rows)) }?;
            }
        }
        Ok(())
    }
}

/// The smallest memory that was put aside and has so many bytes, or new one.
fn taken(spare: &mut Vec<Buffer>, bench: &Workbench, bytes: u64) -> Result<Buffer, GpuError> {
    let fits = (0..spare.len()).filter(|&i| spare[i].bytes() >= bytes);
    match fits.min_by_key(|&i| spare[i].bytes()) {
        Some(i) => Ok(spare.swap_remove(i)),
        None => bench.device.allocate(bytes),
    }
}

fn given(kernels: &Kernels, name: &String, call: &Call) -> Result<Memory, RunError> {
    let at = kernels.arrays.iter().position(|a| a.name == *name);
    let memory = at.and_then(|at| call.arrays.get(at)).copied();
    memory.ok_or_else(|| RunError::Missing(name.clone()))
}

/// The memory of the program that an array stands for; none for one that only the device has.
fn memory_of(
    kernels: &Kernels,
    array: &KernelArray,
    layout: &ArrayLayout,
    call: &Call,
) -> Result<Vec<Memory>, RunError> {
    if array.local {
        return Ok(Vec::new());
    }
    let own = names(array);
    let elements: i64 = layout.extents.iter().product();
    let needed = elements.unsigned_abs() * array.elem.size() as u64 / own.len().max(1) as u64;
    let check = |name: &String| {
        let memory = given(kernels, name, call)?;
        match memory.bytes >= needed {
            true => Ok(memory),
            false => Err(RunError::TooSmall {
                array: name.clone(),
                needed,
                given: memory.bytes,
            }),
        }
    };
    own.iter().map(check).collect()
}

/// Bytes that rows start at multiples of.
const ALIGNMENT: u64 = 16;

/// Where kernels may use the memory of the program as it is.
fn in_place(array: &KernelArray, layout: &ArrayLayout, given: &[Memory]) -> Option<u64> {
    let [memory] = given else { return None };
    let width = layout.extents.last()?.unsigned_abs() * array.elem.size() as u64;
    let is_aligned = memory.pointer.is_multiple_of(ALIGNMENT)
        && (width.is_multiple_of(ALIGNMENT) || !array.pitched);
    is_aligned.then_some(memory.pointer)
}
