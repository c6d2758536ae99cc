//! Regions in single steps: one, or the nests in a loop that stays on the host.

use crate::clock::Clock;
use crate::compiled::Compiled;
use crate::diag::{Diagnostic, Result};
use crate::options::{Options, Tiling};
use crate::region::{Region, unit_name};
use crate::scop::{SavedScop, Scop};
use crate::stepwise;
use hexcc_isl::Ctx;

/// The nests in a loop that stays on the host, each in single steps.
pub(crate) fn nests(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<Compiled> {
    if !options.may_step() {
        let why = saved
            .stays
            .as_deref()
            .unwrap_or("nests only are translated");
        return Err(stepwise::not_tiled(saved, why));
    }
    let mut all: Option<Compiled> = None;
    for (index, scop) in saved.regions().enumerate() {
        let one = SavedScop {
            scop: scop.clone(),
            nests: Vec::new(),
            stays: None,
            ..saved.clone()
        };
        let mut clock = Clock::new(ctx);
        let region = Region::new(ctx, &one, &stepwise::options(options), &mut clock)?;
        let name = unit_name(saved, &region.scop, index, options);
        let options = Options {
            name: Some(name),
            ..options.clone()
        };
        let mut compiled = steps(region, &one, &options, clock, Vec::new())?;
        match &mut all {
            None => all = Some(compiled),
            Some(all) => {
                all.stepwise.append(&mut compiled.stepwise);
                all.warnings.append(&mut compiled.warnings);
            }
        }
    }
    all.ok_or_else(|| Box::new(Diagnostic::bug("no nests")))
}

/// Time loops in tiles for a CPU, and what else there is in single steps.
pub(crate) fn on_cpu(
    region: Region,
    saved: &SavedScop,
    options: &Options,
    clock: Clock,
) -> Result<Compiled> {
    if region.analyses.is_empty() {
        let refusal = region.refusal();
        return match options.may_step() {
            true => in_steps(region, saved, options, clock, *refusal),
            false => Err(refusal),
        };
    }
    steps(region, saved, options, clock, Vec::new())
}

/// Single steps in place of tiles, with a warning that says why; the refusal of tiles where there
/// are no parallel loops either.
pub(crate) fn in_steps(
    region: Region,
    saved: &SavedScop,
    options: &Options,
    clock: Clock,
    refusal: Diagnostic,
) -> Result<Compiled> {
    let warning = stepwise::instead(refusal.clone());
    steps(region, saved, options, clock, vec![warning]).map_err(|d| match d.is_bug() {
        true => d,
        false => Box::new(refusal.note(format!("nor can it run in single steps: {}", d.message))),
    })
}

/// Operations of isl for the loops of tiles, unless tiles are asked for: about a second.
const TILE_OPERATIONS: u64 = 3_000_000;

/// The region in single steps, but for its time loops that may be tiled.
pub(crate) fn steps(
    mut region: Region,
    saved: &SavedScop,
    options: &Options,
    mut clock: Clock,
    mut warnings: Vec<Diagnostic>,
) -> Result<Compiled> {
    clock.begin("steps")?;
    let mut parts = Vec::new();
    let tiled = std::mem::take(&mut region.analyses);
    for (i, (run, time_loop)) in stepwise::runs(&region.scop, &tiled).into_iter().enumerate() {
        let name = unit_name(saved, &region.scop, i, options);
        let before = region.scop.clone();
        let ctx = before.ctx.clone();
        let part = |scop: &mut Scop, time_loop| {
            let run = (run.as_slice(), time_loop);
            stepwise::compile(scop, saved, run, options, &name)
        };
        let bounded = time_loop.is_some() && options.wanted_tiling() == Tiling::Auto;
        ctx.reset_operations();
        ctx.set_max_operations(if bounded {
            TILE_OPERATIONS
        } else {
            options.isl_quota
        });
        let made = part(&mut region.scop, time_loop);
        ctx.set_max_operations(options.isl_quota);
        parts.push(match made {
            Err(d) if bounded && d.code == "HX0401" && ctx.check().is_ok() => {
                ctx.reset_operations();
                region.scop = before;
                warnings.push(stepwise::instead(*d));
                part(&mut region.scop, None)?
            }
            made => made?,
        });
    }
    clock.end()?;
    if !parts.iter().any(|part| part.plan.is_parallel()) {
        return Err(stepwise::not_parallel(&region.scop));
    }
    for part in &mut parts {
        part.unused.clone_from(&region.scop.unused);
        warnings.extend(stepwise::alone(&region.scop, part));
    }
    Ok(Compiled {
        warnings,
        scop: region.scop,
        units: Vec::new(),
        stepwise: parts,
        timings: clock.laps,
        tuned: None,
    })
}
