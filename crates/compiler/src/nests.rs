//! Regions in single steps: one, or the nests in a loop that stays on the host.

use crate::clock::Clock;
use crate::compiled::Compiled;
use crate::diag::{Diagnostic, Result};
use crate::options::Options;
use crate::region::{Region, unit_name};
use crate::scop::SavedScop;
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

/// The region in single steps.
pub(crate) fn steps(
    mut region: Region,
    saved: &SavedScop,
    options: &Options,
    mut clock: Clock,
    mut warnings: Vec<Diagnostic>,
) -> Result<Compiled> {
    clock.begin("steps")?;
    let mut parts = Vec::new();
    for (i, run) in stepwise::runs(&region.scop).into_iter().enumerate() {
        let name = unit_name(saved, &region.scop, i, options);
        parts.push(stepwise::compile(&mut region.scop, saved, &run, &name)?);
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
