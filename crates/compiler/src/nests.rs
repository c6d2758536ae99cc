//! Regions in single steps: one, or the nests in a loop that stays on the host.

use crate::clock::Clock;
use crate::compiled::{Compiled, Stepwise, TiledNest, Unit};
use crate::diag::{Diagnostic, Result};
use crate::ir::{self, Stmt};
use crate::known::Known;
use crate::options::{Language, Options, Tiling};
use crate::region::{Region, name_at, tile, unit_name};
use crate::scop::{Around, SavedScop, Scop};
use crate::slabs;
use crate::torus::on_torus;
use crate::{preference, stepwise};
use hexcc_isl::Ctx;
use hexcc_pet::data::PetScop;
use hexcc_pet::deep::deeply;

/// The nests in a loop that stays on the host: time loops in tiles where these apply, all others in
/// single steps, which may be known.
pub(crate) fn nests(
    ctx: &Ctx,
    saved: &SavedScop,
    options: &Options,
    known: &Known,
) -> Result<Compiled> {
    if options.gpus.is_some() {
        return slabs_of_nests(ctx, saved, options, known);
    }
    let mut all: Option<Compiled> = None;
    let mut left = Vec::new();
    for (index, scop) in saved.regions().enumerate() {
        let one = alone(saved, scop);
        let in_steps = match known.take(&one, index, options) {
            Some(compiled) => Ok(compiled),
            None if scop.rotation.is_some() => in_tiles_alone(ctx, &one, (index, known), options)?,
            None => nest_in_steps(ctx, &one, (index, known), options)?,
        };
        let mut compiled = match in_steps {
            Ok(compiled) => compiled,
            Err(why) => {
                left.push(why);
                continue;
            }
        };
        let options = named(&one, index, options);
        if compiled.stepwise.iter().any(repeats) {
            if let Some(nest) = tiled_nest(ctx, &one, &options, known)? {
                compiled.stepwise.clear();
                compiled.warnings.clear();
                compiled.tiled_nests.push(nest);
            } else if let Some(tiled) = tiled_on_cpu(ctx, &one, &options)? {
                compiled = tiled;
            }
        }
        join(&mut all, compiled);
    }
    if !options.may_step() && all.as_ref().is_none_or(|all| all.tiled_nests.is_empty()) {
        let why = saved
            .stays
            .as_deref()
            .unwrap_or("nests only are translated");
        return Err(stepwise::not_tiled(saved, why));
    }
    or_stays(all, &left)
}

/// A nest without the others.
fn alone(saved: &SavedScop, scop: &PetScop) -> SavedScop {
    SavedScop {
        scop: scop.clone(),
        nests: Vec::new(),
        ..saved.clone()
    }
}

/// What is made of one more nest.
fn join(all: &mut Option<Compiled>, mut compiled: Compiled) {
    let Some(all) = all else {
        *all = Some(compiled);
        return;
    };
    all.stepwise.append(&mut compiled.stepwise);
    all.tiled_nests.append(&mut compiled.tiled_nests);
    let told = |d: &Diagnostic| d.code == "HX0119" && all.warnings.iter().any(|o| o.code == d.code);
    compiled.warnings.retain(|d| !told(d));
    all.warnings.append(&mut compiled.warnings);
}

/// What is made of nests, with why others stay as they are; why the first does where all do.
fn or_stays(all: Option<Compiled>, left: &[Box<Diagnostic>]) -> Result<Compiled> {
    let stays = |why: &Diagnostic| why.clone().into_warning("a nest stays as it is");
    match all {
        Some(mut all) => {
            all.warnings.extend(left.iter().map(|why| stays(why)));
            Ok(all)
        }
        None => {
            Err((left.first().cloned()).unwrap_or_else(|| Box::new(Diagnostic::bug("no nests"))))
        }
    }
}

/// Nests whose rows several GPUs share: time loops that run once, as arrays travel to the GPUs and back for each run. All others
/// stay as they are.
fn slabs_of_nests(
    ctx: &Ctx,
    saved: &SavedScop,
    options: &Options,
    known: &Known,
) -> Result<Compiled> {
    let (mut all, mut left) = (None, Vec::new());
    for (index, scop) in saved.regions().enumerate() {
        let one = alone(saved, scop);
        let repeats = saved.around.get(index).is_none_or(|around| around.repeats);
        if repeats || saved.source.is_followed(&(scop.span.start..scop.span.end)) {
            left.push(slabs::no_effect("a time loop that stays on the host"));
            continue;
        }
        let mut clock = Clock::new(ctx);
        let made = Region::known(ctx, &one, options, &mut clock, known).and_then(|region| {
            let options = named(&one, index, options);
            slabs::compile(region, one.around(), &options, clock).map(Some)
        });
        match tried(ctx, made)? {
            Ok(compiled) => join(&mut all, compiled),
            Err(why) => left.extend(why),
        }
    }
    or_stays(all, &left)
}

/// The nest of a number that swaps pointers, in tiles, which have copies of its arrays; within, why it stays as it is where none
/// apply.
fn in_tiles_alone(
    ctx: &Ctx,
    nest: &SavedScop,
    (index, known): (usize, &Known),
    options: &Options,
) -> Result<Result<Compiled>> {
    let mut clock = Clock::new(ctx);
    let in_steps = stepwise::options(options);
    let region = match Region::known(ctx, nest, &in_steps, &mut clock, known) {
        Err(why) if !why.is_bug() => return Ok(Err(why)),
        region => region?,
    };
    let options = named(nest, index, options);
    let Some(tiled) = tiled_nest(ctx, nest, &options, known)? else {
        let why = "pointers are swapped after each step, and the steps are not tiled over time";
        return Ok(Err(stepwise::not_tiled(nest, why)));
    };
    Ok(Ok(Compiled {
        warnings: region.in_double.into_iter().collect(),
        scop: region.scop,
        units: Vec::new(),
        stepwise: Vec::new(),
        tiled_nests: vec![tiled],
        timings: clock.laps,
        tuned: None,
    }))
}

/// The nest of a number in single steps; within, why it stays as it is where it does.
fn nest_in_steps(
    ctx: &Ctx,
    nest: &SavedScop,
    (index, known): (usize, &Known),
    options: &Options,
) -> Result<Result<Compiled>> {
    let mut clock = Clock::new(ctx);
    let in_steps = stepwise::options(options);
    let region = Region::known(ctx, nest, &in_steps, &mut clock, known)?;
    let options = named(nest, index, options);
    let may_stay = lacks(&region.scop, options.language);
    match steps(region, nest.around(), &options, clock, Vec::new()) {
        Err(why) if may_stay && !why.is_bug() => Ok(Err(why)),
        compiled => compiled.map(Ok),
    }
}

/// The options for the nest of a number, with its name.
pub(crate) fn named(nest: &SavedScop, index: usize, options: &Options) -> Options {
    let at = nest.scop.span.start;
    Options {
        name: Some(name_at(nest.around(), at, index, options)),
        ..options.clone()
    }
}

/// Whether a part in single steps has loops of the host, as time loops are.
fn repeats(part: &Stepwise) -> bool {
    let mut repeats = false;
    ir::visit(&part.program.host, &mut |stmt| {
        repeats |= matches!(stmt, Stmt::For { .. });
    });
    repeats
}

/// Time steps below which tiles over time have nothing to gain.
const FEW_STEPS: f64 = 4.0;

/// Whether the nest of a number is a time loop that is tiled; if so, whether with the results of C. Its tiles are known
/// then.
///
/// # Errors
/// A broken invariant, and the end of the time that there is.
pub fn tiles_exactly(
    ctx: &Ctx,
    saved: &SavedScop,
    (index, known): (usize, &Known),
    options: &Options,
) -> Result<Option<bool>> {
    let options = named(saved, index, options);
    let nest = deeply(|| tiled_nest(ctx, saved, &options, known))?;
    let exactly = nest.as_ref().map(|nest| nest.unit.stencil().exact);
    if let Some(nest) = nest {
        known.keep_tiled(saved, &options, Ok(nest));
    }
    Ok(exactly)
}

/// A nest that is a time loop, in tiles; `None` where it runs in single steps.
///
/// # Errors
/// A broken invariant, and the end of the time that there is.
fn tiled_nest(
    ctx: &Ctx,
    saved: &SavedScop,
    options: &Options,
    known: &Known,
) -> Result<Option<TiledNest>> {
    if options.language != Language::Cuda || options.tiling == Tiling::Stepwise {
        return Ok(None);
    }
    if let Some(nest) = known.take_tiled(saved, options) {
        return Ok(nest);
    }
    match tried(ctx, in_tiles(ctx, saved, options, known))? {
        Ok(nest) => Ok(Some(nest)),
        Err(why) => {
            known.keep_tiled(saved, options, Err(why));
            Ok(None)
        }
    }
}

/// The same for a CPU, where all arrays stay where they are.
fn tiled_on_cpu(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<Option<Compiled>> {
    if !options.language.is_c() || options.tiling == Tiling::Stepwise {
        return Ok(None);
    }
    let mut clock = Clock::new(ctx);
    let made = Region::new(ctx, saved, options, &mut clock).and_then(|region| {
        let may = !region.analyses.is_empty() && region.scop.guards.doubts.is_empty();
        may.then(|| steps(region, saved.around(), options, clock, Vec::new()))
            .transpose()
    });
    where_possible(ctx, made)
}

/// What there is, or why there is nothing, where that has been said.
pub(crate) type Tried<T> = std::result::Result<T, Option<Box<Diagnostic>>>;

/// `None` for what cannot be made; isl goes on with the operations that it has for a region.
pub(crate) fn where_possible<T>(ctx: &Ctx, made: Result<Option<T>>) -> Result<Option<T>> {
    Ok(tried(ctx, made)?.ok())
}

/// The same, with why it cannot.
fn tried<T>(ctx: &Ctx, made: Result<Option<T>>) -> Result<Tried<T>> {
    match made {
        Err(why) if !why.is_bug() => {
            tracing::debug!(code = why.code, why = why.message, notes = ?why.notes, "no tiles");
            ctx.check()?;
            ctx.reset_operations();
            Ok(Err(Some(why)))
        }
        made => Ok(made?.ok_or(None)),
    }
}

fn in_tiles(
    ctx: &Ctx,
    saved: &SavedScop,
    options: &Options,
    known: &Known,
) -> Result<Option<TiledNest>> {
    let mut clock = Clock::new(ctx);
    let mut region = Region::known(ctx, saved, options, &mut clock, known)?;
    // On a ring of a known size the far side is a distance like any other, but a long one.
    let nest = on_torus(&region, saved.around(), options)?;
    // Steps are apart for ghost cells alone.
    let for_ghosts = saved.source.is_followed(&region.scop.region);
    if nest.is_none() && region.is_refused() {
        return Err(region.refusal());
    }
    if nest.is_some() || region.analyses.is_empty() || for_ghosts {
        return Ok(nest);
    }
    let scop = &region.scop;
    // Tiles copy what they use as a whole.
    let is_whole = scop.guards.doubts.is_empty() && scop.cells.is_empty();
    let (Some(analysis), true) = (region.analyses.pop(), is_whole) else {
        return Ok(None);
    };
    if !region.analyses.is_empty() {
        return Ok(None);
    }
    let name = unit_name(saved.around(), &region.scop, 0, options);
    let tiled = tile(
        &region.scop,
        &saved.source,
        &analysis,
        &name,
        options,
        &mut clock,
    )?;
    let unit = Unit { analysis, tiled };
    if options.may_prefer_steps()
        && let Some(why) = preference::over_tiles(&region.scop, &unit)?
    {
        return Err(why);
    }
    let pays = unit.tiled.problem.steps >= FEW_STEPS;
    clock.end()?;
    Ok(pays.then_some(TiledNest {
        scop: region.scop,
        unit,
        periodic: None,
        slabs: None,
    }))
}

/// Whether a nest may need what a target does not have, so that it stays as it is.
fn lacks(scop: &Scop, language: Language) -> bool {
    match language {
        Language::Cuda => false,
        Language::OpenMp => doubts_rows(scop),
        Language::OpenCl => !scop.guards.doubts.is_empty() || !scop.cells.is_empty(),
    }
}

/// Whether rows may not exist that conditions on data keep a nest from touching.
fn doubts_rows(scop: &Scop) -> bool {
    let mut doubts = scop.guards.doubts.iter();
    doubts.any(|doubt| scop.array(doubt.array).pointers > 0)
}

/// Time loops in tiles for a CPU, and what else there is in single steps.
pub(crate) fn on_cpu(
    region: Region,
    around: Around,
    options: &Options,
    clock: Clock,
) -> Result<Compiled> {
    if region.analyses.is_empty() {
        let refusal = region.refusal();
        return match options.may_step() {
            true => in_steps(region, around, options, clock, *refusal),
            false => Err(refusal),
        };
    }
    steps(region, around, options, clock, Vec::new())
}

/// The region in single steps where no tiling applies and they do without what tiles are refused
/// for; the refusal otherwise.
pub(crate) fn untiled(
    region: Region,
    around: Around,
    options: &Options,
    clock: Clock,
) -> Result<Compiled> {
    let refusal = region.refusal();
    if let Some(nest) = on_torus(&region, around, options)? {
        let warnings = region.in_double.into_iter().collect();
        return Ok(Compiled {
            tiled_nests: vec![nest],
            ..Compiled::of(region.scop, warnings, clock)
        });
    }
    match options.may_step() && stepwise::may_replace(&refusal) {
        true => in_steps(region, around, options, clock, *refusal),
        false => Err(refusal),
    }
}

/// The region in single steps, where these are expected to be as fast as the tiles of all time loops.
pub(crate) fn steps_instead(
    region: &Region,
    around: Around,
    units: &[Unit],
    options: &Options,
) -> Result<Option<Compiled>> {
    if !options.may_prefer_steps() {
        return Ok(None);
    }
    let Some(reason) = preference::over_all_tiles(&region.scop, units)? else {
        return Ok(None);
    };
    let clock = Clock::new(&region.scop.ctx);
    let (scop, ctx) = (region.of_steps().clone(), &region.scop.ctx);
    ctx.reset_operations();
    ctx.set_max_operations(STEP_OPERATIONS);
    let made = in_steps(Region::of_scop(scop), around, options, clock, *reason);
    ctx.set_max_operations(options.isl_quota);
    ctx.reset_operations();
    ctx.check()?;
    match made {
        // What single steps cannot do stays with tiles, and loops that one thread would run, or
        // hyperplanes.
        Ok(steps) if !steps.warnings.iter().any(stepwise::is_slow) => Ok(Some(steps)),
        Err(d) if d.is_bug() => Err(d),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Single steps in place of tiles, with a warning that says why; the refusal of tiles where there
/// are no parallel loops either.
pub(crate) fn in_steps(
    region: Region,
    around: Around,
    options: &Options,
    clock: Clock,
    refusal: Diagnostic,
) -> Result<Compiled> {
    let warning = stepwise::instead(refusal.clone());
    steps(region, around, options, clock, vec![warning]).map_err(|d| match d.is_bug() {
        true => d,
        false => Box::new(refusal.note(format!(
            "nor can it run with one launch per step: {}",
            d.message
        ))),
    })
}

/// Operations of isl for the loops of tiles, unless tiles are asked for: about a second.
const TILE_OPERATIONS: u64 = 3_000_000;

/// Operations of isl for single steps in place of tiles that there are: some seconds.
const STEP_OPERATIONS: u64 = 10_000_000;

/// Whether single steps do without what tiles fail for: operations of isl, and sizes where none are
/// asked for, such as those of a ring.
fn is_of_tiles(why: &Diagnostic, options: &Options) -> bool {
    why.code == "HX0401" || (options.tile.is_none() && why.code.starts_with("HX03"))
}

/// What `make` makes of a scop in [`TILE_OPERATIONS`]; where these do not suffice, or no tiles fit, the scop
/// stays as it was, and the reason is within.
fn bounded_tiles(
    scop: &mut Scop,
    options: &Options,
    make: impl FnOnce(&mut Scop) -> Result<Stepwise>,
) -> Result<Result<Stepwise>> {
    let before = scop.clone();
    scop.ctx.reset_operations();
    scop.ctx.set_max_operations(TILE_OPERATIONS);
    let made = make(scop);
    scop.ctx.set_max_operations(options.isl_quota);
    scop.ctx.reset_operations();
    match made {
        Err(why) if is_of_tiles(&why, options) && scop.ctx.check().is_ok() => {
            *scop = before;
            Ok(Err(why))
        }
        made => made.map(Ok),
    }
}

/// The region in single steps, but for its time loops that may be tiled.
pub(crate) fn steps(
    mut region: Region,
    around: Around,
    options: &Options,
    mut clock: Clock,
    mut warnings: Vec<Diagnostic>,
) -> Result<Compiled> {
    clock.begin("steps")?;
    let mut parts = Vec::new();
    let tiled = std::mem::take(&mut region.analyses);
    for (i, (run, time_loop)) in stepwise::runs(&region.scop, &tiled).into_iter().enumerate() {
        let name = unit_name(around, &region.scop, i, options);
        let compile = |scop: &mut Scop, time_loop| {
            let run = (run.as_slice(), time_loop);
            stepwise::compile(scop, around, run, options, &name)
        };
        let bounded = time_loop.is_some() && options.wanted_tiling() == Tiling::Auto;
        parts.push(match bounded {
            false => compile(&mut region.scop, time_loop)?,
            true => {
                let made =
                    bounded_tiles(&mut region.scop, options, |scop| compile(scop, time_loop))?;
                match made {
                    Ok(tiles) => tiles,
                    Err(why) => {
                        warnings.push(stepwise::instead(*why));
                        compile(&mut region.scop, None)?
                    }
                }
            }
        });
    }
    clock.end()?;
    warnings.extend(region.in_double.take());
    if !parts.iter().any(|part| part.plan.is_parallel()) {
        return Err(stepwise::not_parallel(&region.scop));
    }
    for part in &mut parts {
        part.unused.clone_from(&region.scop.unused);
        warnings.extend(stepwise::warnings(&region.scop, part));
    }
    Ok(Compiled {
        stepwise: parts,
        ..Compiled::of(region.scop, warnings, clock)
    })
}
