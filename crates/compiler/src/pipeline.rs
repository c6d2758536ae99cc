//! The passes, top to bottom.

use crate::clock::Clock;
use crate::compiled::{Compiled, Unit};
use crate::diag::Result;
use crate::known::Known;
pub use crate::known::{compile, judge};
use crate::nests::{nests, on_cpu, steps, steps_instead, untiled};
use crate::options::{Options, Tiling};
use crate::region::{Region, placed, tile, unit_name};
use crate::scop::{Around, SavedScop};
use crate::slabs;
use hexcc_isl::Ctx;
use hexcc_pet::deep::deeply;

/// Compiles a scop; nests of it may be known.
///
/// # Errors
/// A diagnostic of any code; see [`crate::diag`].
pub fn compile_with(
    ctx: &Ctx,
    saved: &SavedScop,
    options: &Options,
    known: &Known,
) -> Result<Compiled> {
    let compiled = deeply(|| match saved.is_nests() {
        true => nests(ctx, saved, options, known),
        false => {
            if let Some(compiled) = known.take_whole(saved, options) {
                return Ok(compiled);
            }
            let mut clock = Clock::new(ctx);
            let region = Region::known(ctx, saved, options, &mut clock, known)?;
            match options.gpus {
                Some(_) => slabs::compile(region, saved.around(), options, clock),
                None => passes(region, saved.around(), options, clock),
            }
        }
    });
    (compiled.map(Compiled::with_sums)).map_err(|d| placed(ctx, saved, d))
}

/// The passes from dependences on.
pub(crate) fn passes(
    mut region: Region,
    around: Around,
    options: &Options,
    mut clock: Clock,
) -> Result<Compiled> {
    if options.tiling == Tiling::Stepwise {
        return steps(region, around, options, clock, Vec::new());
    }
    if options.language.is_c() {
        return on_cpu(region, around, options, clock);
    }
    let mut units = Vec::new();
    for analysis in std::mem::take(&mut region.analyses) {
        let name = unit_name(around, &region.scop, units.len(), options);
        let (scop, source) = (&region.scop, around.source);
        match tile(scop, source, &analysis, &name, options, &mut clock) {
            Ok(tiled) => units.push(Unit { analysis, tiled }),
            Err(d) => region.refuse(analysis.chunk, d)?,
        }
    }
    // Some errors of isl have a meaning, so a result after a stop may lack something.
    clock.end()?;
    if units.is_empty() {
        return untiled(region.without_tiles(), around, options, clock);
    }
    if let Some(steps) = steps_instead(&region, around, &units, options)? {
        return Ok(steps);
    }
    let warnings = region.warnings(around);
    Ok(Compiled {
        units,
        ..Compiled::of(region.scop, warnings, clock)
    })
}
