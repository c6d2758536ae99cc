//! A region in single steps, from statements to a verified program.

use crate::compiled::{Compiled, Stepwise};
use crate::diag::{Diagnostic, Result};
use crate::interface::Interface;
use crate::ir::verify::verify;
use crate::ir::{Expr, KernelId, Stmt, visit};
use crate::kernel::KernelArray;
use crate::lower::stepwise::{Kind, Lowered, Wanted};
use crate::options::{Language, Options, StepKernel, Tiling};
use crate::scop::{Around, Array, ArrayId, Chunk, SavedScop, Scop, SourceFile, Statement};
use crate::temporaries::{End, end_of};
use crate::tiling::hyperplanes::Hyperplanes;
use crate::tiling::results::{results, takes_nothing};
use crate::tiling::stepwise::{Plan, Step};
use crate::tiling::{Analysis, cpu};
use crate::{carried, cost, csource, lower};
use hexcc_isl::{Bound, DimType};
use std::collections::BTreeSet;
use std::ops::Range;

/// Top-level statements of a region that one program can replace: neighbours, but for time loops
/// that are tiled, which are given.
pub fn runs<'a>(scop: &Scop, tiled: &'a [Analysis]) -> Vec<(Vec<Chunk>, Option<&'a Analysis>)> {
    let mut runs: Vec<(Vec<Chunk>, Option<&Analysis>)> = Vec::new();
    let mut ended = true;
    for chunk in &scop.chunks {
        let time_loop = tiled.iter().find(|a| a.chunk.span == chunk.span);
        match runs.last_mut() {
            _ if chunk.stmts.is_empty() => ended = true,
            Some((run, None)) if !ended && time_loop.is_none() => run.push(chunk.clone()),
            _ => {
                runs.push((vec![chunk.clone()], time_loop));
                ended = false;
            }
        }
    }
    runs
}

/// The program of neighbouring statements, in single steps or, given the dependences of a time
/// loop, in tiles for a CPU. Variables that stay in memory become arrays.
///
/// # Errors
/// HX0206 where what the statements declare is used after them, HX0401 where isl gives up; those of
/// tile sizes.
pub fn compile(
    scop: &mut Scop,
    around: Around,
    (run, time_loop): (&[Chunk], Option<&Analysis>),
    options: &Options,
    name: &str,
) -> Result<Stepwise> {
    if let (Language::OpenCl, Some(cell)) = (options.language, scop.cells.first()) {
        return Err(no_cells(scop, &cell.name));
    }
    let stmts: Vec<usize> = run
        .iter()
        .flat_map(|chunk| chunk.stmts.iter().copied())
        .collect();
    let used = |scop: &Scop, write: bool| -> BTreeSet<ArrayId> {
        let accesses = stmts.iter().flat_map(|&s| {
            let stmt = &scop.stmts[s];
            let reads = stmt.reads.iter().filter(|_| !write);
            reads
                .chain([&stmt.write])
                .map(|a| a.array)
                .collect::<Vec<_>>()
        });
        accesses.collect()
    };
    let written = used(scop, true);
    let dead = dead_after(scop, around.source, &written, options)?;
    let on_device = on_device(scop, around, (&stmts, &written), options)?;
    let (tiles, plan) = match time_loop {
        None => {
            let dead = &dead | &on_device;
            let mut plan = Plan::new(scop, &stmts, &dead, options.sums)?;
            plan.contract(scop, &stmts, &on_device)?;
            (None, plan)
        }
        Some(analysis) => {
            let (tiles, plan) = cpu::plan(scop, analysis, options)?;
            (Some(tiles), plan)
        }
    };
    let own = |id: &ArrayId| plan.private.contains_key(id) || scop.is_declared(*id);
    let gone = used(scop, false).into_iter().filter(own);
    let mut unused: Vec<String> = gone.map(|id| scop.array(id).name.clone()).collect();
    unused.retain(|name| !scop.unused.contains(name));
    scop.unused.extend(unused);
    let is_scalar = |scop: &Scop, id: &ArrayId| scop.array(*id).extents.is_empty();
    let mut in_memory = written.clone();
    in_memory.retain(|id| is_scalar(scop, id) && !plan.private.contains_key(id));
    carried::as_arrays(scop, &in_memory)?;
    let mut ids: Vec<ArrayId> = used(scop, false).into_iter().collect();
    ids.retain(|id| !plan.private.contains_key(id));
    let (scalars, ids): (Vec<ArrayId>, Vec<ArrayId>) =
        ids.into_iter().partition(|id| is_scalar(scop, id));
    let arrays = kernel_arrays(scop, &ids, (&written, &on_device), options)?;
    let scalars = (scalars.iter())
        .map(|&id| (scop.array(id).name.clone(), scop.array(id).elem))
        .collect();
    let statements: Vec<_> = stmts.iter().map(|&s| &scop.stmts[s]).collect();
    let mut interface = Interface::new(scop, name, (&statements, &[]), (&ids, arrays), scalars)?;
    interface.work = cost::of_region(scop, &statements, (&plan, tiles.as_ref()), options.language);
    interface.expect(&plan.expected)?;
    interface.results = results(scop, &stmts, &ids, options)?;
    if options.language == Language::OpenMp {
        interface.trust_lone_arrays();
    }
    let arrays = (ids.as_slice(), is_in_place(around, options));
    let wanted = wanted(options);
    let how = (wanted, options.divisions());
    let Lowered {
        program,
        kernels,
        kinds,
    } = lower::stepwise::lower(scop, around.source, &plan, &interface, arrays, how)?;
    has_wanted(scop, &plan, wanted, &kinds)?;
    verify(&program)
        .map_err(|wrong| Box::new(Diagnostic::bug(format!("a wrong program: {wrong}"))))?;
    let span = match (run.first(), run.last()) {
        (Some(first), Some(last)) => first.span.start..last.span.end,
        _ => return Err(Box::new(Diagnostic::bug("no statements"))),
    };
    let names = |step: &Step| {
        let stmts = step.stmts.iter();
        stmts.map(|&s| scop.stmts[s].name.clone()).collect()
    };
    let private = plan.private.keys();
    Ok(Stepwise {
        span,
        unused: Vec::new(),
        statements: plan.steps.iter().map(names).collect(),
        private: private.map(|id| scop.array(*id).name.clone()).collect(),
        interface,
        tiles,
        plan,
        program,
        kernels,
        finals: run.iter().flat_map(|chunk| chunk.finals.clone()).collect(),
        slabs: None,
    })
}

/// Whether kernels find arrays where the program has them.
fn is_in_place(around: Around, options: &Options) -> bool {
    match options.language {
        Language::Cuda => around.nests,
        Language::OpenMp => true,
        // A device has memory of its own.
        Language::OpenCl => false,
    }
}

/// What threads are asked to have.
fn wanted(options: &Options) -> Wanted<'_> {
    let kernel = match (options.language, options.kernel) {
        // A thread of the CPU has a part of a loop.
        (Language::OpenMp, _) => StepKernel::Naive,
        (Language::OpenCl, StepKernel::Auto) if options.cells.is_some() => StepKernel::Coarsened,
        (Language::OpenCl, StepKernel::Auto) => StepKernel::Naive,
        (_, kernel) => kernel,
    };
    Wanted {
        kernel,
        cells: options.cells.as_deref(),
        warps: options.language == Language::Cuda && kernel != StepKernel::Naive,
    }
}

/// Refuses a kernel that was asked for by its name and that no step can have.
fn has_wanted(scop: &Scop, plan: &Plan, wanted: Wanted<'_>, kinds: &[Kind]) -> Result<()> {
    let by_name = wanted.is_by_name() && wanted.kernel != StepKernel::Naive;
    let none = "no thread reads beside its cells, once a plane, what others of its block read, too";
    let is_wanted = |kind: &Kind| match (kind, wanted.kernel) {
        (Ok(_), StepKernel::Auto) => true,
        (kind, wanted) => *kind == Ok(wanted),
    };
    let reason = (plan.steps.iter().zip(kinds))
        .map(|(step, kind)| (step, kind.as_ref().err().map_or(none, String::as_str)))
        .min_by_key(|(step, _)| std::cmp::Reverse(step.spread.len()));
    let Some((step, reason)) = reason.filter(|_| by_name && !kinds.iter().any(is_wanted)) else {
        return Ok(());
    };
    let first = step.stmts.first().map(|&s| scop.stmts[s].span.clone());
    Err(Box::new(
        Diagnostic::error(
            "HX0211",
            format!("no launch can be `{}`", wanted.kernel.name()),
        )
        .at(first.unwrap_or_default(), format!("not this one: {reason}"))
        .help("leave `--kernel` away: then launches that can have such kernels do"),
    ))
}

/// Arrays as kernels have them, without extents.
///
/// # Errors
/// The refusal of rows that no run can tell to exist.
fn kernel_arrays(
    scop: &Scop,
    ids: &[ArrayId],
    (written, on_device): (&BTreeSet<ArrayId>, &BTreeSet<ArrayId>),
    options: &Options,
) -> Result<Vec<KernelArray>> {
    let doubtful = doubtful(scop, ids, options)?;
    let kernel_array = |&id: &ArrayId| {
        let array = scop.array(id);
        let local = scop.is_declared(id) || on_device.contains(&id);
        KernelArray {
            name: array.name.clone(),
            elem: array.elem,
            extents: Vec::new(),
            written: written.contains(&id),
            pitched: false,
            pointer: array.pointer,
            variable: array.variable && !local,
            local,
            memory: String::new(),
            doubtful: doubtful.contains(&id),
            rows: None,
            parts: array.parts.clone(),
            shared: None,
        }
    };
    Ok(ids.iter().map(kernel_array).collect())
}

/// The arrays among some of which elements may not exist and that are not used where the program has
/// them.
///
/// # Errors
/// The refusal of rows that no run can tell to exist.
fn doubtful(scop: &Scop, ids: &[ArrayId], options: &Options) -> Result<BTreeSet<ArrayId>> {
    let mut found = BTreeSet::new();
    for doubt in scop.guards.doubts.iter().filter(|d| ids.contains(&d.array)) {
        // C has no word of what memory there is: pointers to rows are followed, and arrays copied
        // to a device as a whole.
        let is_followed = scop.array(doubt.array).pointers > 0;
        match options.language {
            Language::OpenMp if is_followed => return Err(doubt.refusal.clone()),
            Language::OpenCl => return Err(doubt.refusal.clone()),
            Language::OpenMp | Language::Cuda => {}
        }
        found.insert(doubt.array);
    }
    Ok(found)
}

/// Where the life of an array ends that is not used after the region if that declares it.
///
/// # Errors
/// HX0206 where it is, with its declaration.
pub(crate) fn end_within(scop: &Scop, source: &SourceFile, id: ArrayId) -> Result<End> {
    let name = &scop.array(id).name;
    let end = end_of(scop, source, name);
    match scop.is_declared(id) && end == End::Survives {
        true => Err(used_later(scop, &source.text, name)),
        false => Ok(end),
    }
}

/// Arrays of `written` that nothing reads after the region.
///
/// # Errors
/// HX0206 where what the region declares is used after it.
fn dead_after(
    scop: &Scop,
    source: &SourceFile,
    written: &BTreeSet<ArrayId>,
    options: &Options,
) -> Result<BTreeSet<ArrayId>> {
    let mut dead = BTreeSet::new();
    // Of slabs a step is all that there is: the next one reads what it leaves.
    if options.gpus.is_some() {
        return Ok(dead);
    }
    for &id in written {
        let array = scop.array(id);
        let end = end_within(scop, source, id)?;
        let own = scop.is_declared(id);
        // An array that was declared before may be memory that others see.
        let unseen = || is_seen_here_alone(scop, &source.text, array);
        if end != End::Survives && (own || array.is_variable() || unseen()) {
            dead.insert(id);
        }
    }
    Ok(dead)
}

/// The arrays among those that some statements write that need no memory but the device's: other statements do not use
/// them, nothing outside of the region sees them, and nothing that they hold before it is read.
///
/// # Errors
/// HX0401 where isl gives up.
fn on_device(
    scop: &Scop,
    around: Around,
    (stmts, written): (&[usize], &BTreeSet<ArrayId>),
    options: &Options,
) -> Result<BTreeSet<ArrayId>> {
    let mut found = BTreeSet::new();
    if options.language != Language::Cuda || options.gpus.is_some() || around.nests {
        return Ok(found);
    }
    for &id in written {
        let name = &scop.array(id).name;
        let is_own = (around.own.iter()).any(|own| own.name == *name && own.is_of(&scop.region));
        let is_used = |s: &Statement| s.accesses().any(|a| a.array == id);
        let mut others = (0..scop.stmts.len()).filter(|s| !stmts.contains(s));
        if is_own
            && !scop.is_declared(id)
            && !others.any(|s| is_used(&scop.stmts[s]))
            && takes_nothing(scop, stmts, id)?
        {
            found.insert(id);
        }
    }
    Ok(found)
}

/// Whether an array is one of the function's own that nothing outside of the region mentions.
fn is_seen_here_alone(scop: &Scop, text: &str, array: &Array) -> bool {
    let declarator = csource::declarator(text, &array.name, scop.region.start);
    let is_array = |d: csource::Declarator| d.stars == 0 && d.n_bounds == array.extents.len();
    !array.pointer
        && declarator.is_some_and(is_array)
        && csource::used_only_in(text, scop.region.clone()).contains(&array.name)
}

/// The options for single steps of what the options ask for.
pub fn options(options: &Options) -> Options {
    Options {
        tiling: Tiling::Stepwise,
        ..options.clone()
    }
}

/// The arrays of what runs in single steps, by name, and whether they are written.
pub fn arrays(compiled: &Compiled) -> Vec<(String, bool)> {
    let parts = compiled.stepwise.iter();
    let arrays = parts.flat_map(|part| &part.interface.arrays);
    arrays.map(|a| (a.name.clone(), a.written)).collect()
}

/// The refusal of tiles for a loop that stays on the CPU.
pub fn not_tiled(saved: &SavedScop, why: &str) -> Box<Diagnostic> {
    let span = saved.scop.span;
    Box::new(
        Diagnostic::error("HX0206", "the loop around this nest stays on the CPU")
            .at(
                span.start..span.end,
                "one of the nests that could run in kernels",
            )
            .note(why)
            .help("leave out the options of tiles: then the nests run with one launch per step"),
    )
}

/// Iterations that a launch shares, at least, for a nest that is not worth it otherwise.
const FEW: i64 = 128;

/// Whether all statements of a region together have few iterations, whatever the sizes are.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn has_few(scop: &Scop) -> Result<bool> {
    let mut all = 0;
    for stmt in &scop.stmts {
        let mut own: i64 = 1;
        for d in (0u32..).take(stmt.domain.dim(DimType::Set)?) {
            let bounds = (stmt.domain.dim_min_val(d)?, stmt.domain.dim_max_val(d)?);
            let (Bound::Finite(lo), Bound::Finite(hi)) = bounds else {
                return Ok(false);
            };
            own = own.saturating_mul(hi.floor().saturating_sub(lo.floor()).saturating_add(1));
        }
        all += own.clamp(0, FEW);
    }
    Ok(all < FEW)
}

/// The refusal of a nest that is not worth its launches: of one loop in a loop that is refused, or
/// of few iterations.
pub fn not_shared(many: bool) -> Diagnostic {
    let why = match many {
        true => "inside of a loop that is refused, a nest has to share two loops, and this one shares one".to_string(),
        false => format!("a launch of it would share less than {FEW} iterations"),
    };
    Diagnostic::error("HX0206", why)
}

/// Whether a nest is refused for its few iterations.
pub fn is_small(refusal: &Diagnostic) -> bool {
    refusal.message == not_shared(false).message
}

/// Whether a nest is refused for what its launches share.
pub fn is_unshared(refusal: &Diagnostic) -> bool {
    [true, false]
        .map(|many| not_shared(many).message)
        .contains(&refusal.message)
}

/// A warning: nests run in kernels in spite of their few iterations, since nothing else does.
pub fn small() -> Diagnostic {
    let what = format!("launches share less than {FEW} iterations");
    Diagnostic::warning("HX0206", what)
        .note("at such sizes a launch takes longer than the loop on the CPU")
        .help("raise the sizes: the translation gains from some ten thousand iterations on")
}

/// A warning: nests run in kernels although they share one loop inside of others, since nothing else
/// does.
pub fn of_one_loop() -> Diagnostic {
    Diagnostic::warning("HX0206", "launches share one loop inside of loops of the host")
        .note("each of them takes longer than the loop on the CPU where it has less than some ten thousand iterations")
        .help("write what can be parallel as two loops in each other, or raise the sizes")
}

/// Whether a launch of some part shares many iterations, or a number of them that only the run
/// tells; and whether some shares more than one loop.
pub fn sharing(compiled: &Compiled) -> (bool, bool) {
    let (mut many, mut several) = (false, false);
    for part in &compiled.stepwise {
        visit(&part.program.host, &mut |stmt| {
            if let Stmt::Launch(launch) = stmt {
                let along = |[lo, hi]: &[Expr; 2]| match (lo, hi) {
                    (Expr::Int(lo), Expr::Int(hi)) => hi - lo + 1,
                    _ => FEW,
                };
                let shared = launch.ranges.iter().map(along);
                let shared = shared.fold(1, i64::saturating_mul);
                many |= most_of(part, launch.kernel).map_or(shared, |most| most.min(shared)) >= FEW;
                several |= launch.ranges.len() > 1;
            }
        });
    }
    (many, several)
}

/// Iterations that a launch by hyperplanes shares, at most, where that is the same for all sizes.
fn most_of(part: &Stepwise, kernel: KernelId) -> Option<i64> {
    let steps = part.plan.steps.iter().zip(&part.kernels);
    let mut own = steps.filter(|(_, kernels)| kernels.contains(&kernel));
    own.find_map(|(step, _)| step.hyperplanes.as_ref()?.most)
}

/// Whether threads share all loops around each statement: no loop of the region hands on values.
pub fn shares_all(compiled: &Compiled) -> bool {
    let mut parts = compiled.stepwise.iter();
    !compiled.stepwise.is_empty() && parts.all(|part| part.plan.shares_every_loop())
}

/// Whether single steps do without what a refusal of tiles is about: the shape of the stencil, or
/// tiles that fit.
pub fn may_replace(refusal: &Diagnostic) -> bool {
    refusal.code.starts_with("HX02") || refusal.code == "HX0402"
}

/// A warning: a program is not tiled, and why.
pub fn instead(refusal: Diagnostic) -> Diagnostic {
    refusal.into_warning("not tiled over time, but run with one launch per step")
}

/// The warning of a sum that several have parts of.
pub(crate) fn rounds(scop: &Scop, stmt: usize, who: &str) -> Diagnostic {
    Diagnostic::warning("HX0208", "a sum rounds in other places than C's")
        .at(
            scop.stmts[stmt].span.clone(),
            format!("{who}, which are combined then"),
        )
        .note("the order is the same in every run; with `n` terms the result is within about log2(n) ulps of the sum of their magnitudes")
        .help("`--sums ordered` keeps C's order, where the sum has a nest of its own: one thread computes it")
}

/// Warnings of loops that one thread runs, and of sums that all threads compute.
pub fn warnings(scop: &Scop, part: &Stepwise) -> Vec<Diagnostic> {
    let rounds =
        (part.plan.rounds()).map(|stmt| rounds(scop, stmt, "all threads compute parts of it"));
    let in_place = part.plan.steps.iter().filter_map(|step| {
        let hyperplanes = step.hyperplanes.as_ref()?;
        let stmt = *step.stmts.first()?;
        Some(by_hyperplanes(&scop.stmts[stmt], hyperplanes))
    });
    let lonely = (part.plan.steps.iter()).filter_map(|step| part.plan.alone(step));
    lonely
        .map(|stmt| {
            Diagnostic::warning("HX0207", "one thread runs a loop")
                .at(
                    scop.stmts[stmt].span.clone(),
                    "each iteration here may need those before it",
                )
                .note("isl finds two iterations that touch the same element, and keeps the order of C")
        })
        .chain(in_place)
        .chain(rounds)
        .collect()
}

/// A warning of a sweep in place.
fn by_hyperplanes(stmt: &Statement, hyperplanes: &Hyperplanes) -> Diagnostic {
    let sum = &hyperplanes.text;
    Diagnostic::warning("HX0212", "a sweep in place runs hyperplane by hyperplane")
        .at(
            stmt.span.clone(),
            format!("a launch for each value of `{sum}`"),
        )
        .note("the results are those of C. isl proves that iterations of equal values touch different elements, and that all others stay in the order of C")
        .help("orders in which a whole sweep is one launch are faster: red and black points, or a second array")
}

/// Whether a warning is of steps that leave most of a GPU idle.
pub fn is_slow(warning: &Diagnostic) -> bool {
    matches!(warning.code, "HX0207" | "HX0212")
}

/// The refusal of a region in which nothing can run at the same time.
pub fn not_parallel(scop: &Scop) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("HX0206", "no loop of the region is parallel")
            .at(first_loop(scop), "every loop here has iterations that need others")
            .note("isl finds two iterations of every loop that touch the same element, which one of them writes"),
    )
}

/// Where the longest statement of the region is.
fn first_loop(scop: &Scop) -> Range<usize> {
    let spans = scop.chunks.iter().map(|chunk| chunk.span.clone());
    spans
        .max_by_key(ExactSizeIterator::len)
        .unwrap_or_else(|| scop.region.clone())
}

/// The refusal of functions of the program in OpenCL C.
fn no_cells(scop: &Scop, name: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("HX0206", "cells are computed by a function of the program")
            .at(first_loop(scop), format!("what this loop does is the function `{name}`"))
            .note("with `--target opencl` kernels are a program of their own, in which C's types, macros and functions are unknown")
            .help("`--target cuda` and `--target openmp` take it"),
    )
}

fn used_later(scop: &Scop, text: &str, name: &str) -> Box<Diagnostic> {
    let declared = csource::find_word(text, scop.region.clone(), name);
    Box::new(
        Diagnostic::error(
            "HX0206",
            format!("`{name}` is declared in the region and may be used after it"),
        )
        .at(
            declared.unwrap_or_else(|| scop.region.clone()),
            "declared here, and gone with what is replaced",
        )
        .help(format!("declare `{name}` before the region")),
    )
}
