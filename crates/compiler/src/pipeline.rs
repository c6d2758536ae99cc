//! The passes, top to bottom.

use crate::clock::Clock;
use crate::compiled::{Compiled, Unit};
use crate::diag::{Diagnostic, Result};
use crate::options::{Options, Tiling};
use crate::scop::{self, Chunk, SavedScop, Scop};
use crate::stepwise;
use crate::tiling::{Analysis, Tiled, TimeLoop};
use crate::{carried, causes, csource, temporaries};
use hexcc_isl::Ctx;
use hexcc_pet::deep::deeply;

/// Compiles a scop.
///
/// # Errors
/// A diagnostic of any code; see [`crate::diag`].
pub fn compile(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<Compiled> {
    deeply(|| passes(ctx, saved, options)).map_err(|d| placed(ctx, saved, d))
}

fn passes(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<Compiled> {
    let mut clock = Clock::new(ctx);
    let mut region = Region::new(ctx, saved, options, &mut clock)?;
    if options.tiling == Tiling::Stepwise {
        return steps(region, saved, options, clock, Vec::new());
    }
    let mut units = Vec::new();
    for analysis in std::mem::take(&mut region.analyses) {
        let name = unit_name(saved, &region.scop, units.len(), options);
        match tile(&region.scop, saved, &analysis, &name, options, &mut clock) {
            Ok(tiled) => units.push(Unit { analysis, tiled }),
            Err(d) => region.refuse(analysis.chunk, d)?,
        }
    }
    // Some errors of isl have a meaning, so a result after a stop may lack something.
    clock.end()?;
    if units.is_empty() {
        return match options.may_step() {
            true => in_steps(region, saved, options, clock),
            false => Err(region.refusal()),
        };
    }
    Ok(Compiled {
        warnings: region.warnings(saved),
        scop: region.scop,
        units,
        stepwise: Vec::new(),
        timings: clock.laps,
        tuned: None,
    })
}

/// Single steps in place of tiles, with a warning that says why; the refusal of tiles where there
/// are no parallel loops either.
fn in_steps(
    region: Region,
    saved: &SavedScop,
    options: &Options,
    clock: Clock,
) -> Result<Compiled> {
    let refusal = region.why();
    steps(region, saved, options, clock, vec![stepwise::instead(&refusal)]).map_err(|d| {
        match d.is_bug() {
            true => d,
            false => Box::new(refusal.note(format!("nor can it run in single steps: {}", d.message))),
        }
    })
}

/// The region in single steps.
fn steps(
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
    warnings.extend(parts.iter().flat_map(|part| stepwise::alone(&region.scop, part)));
    Ok(Compiled {
        warnings,
        scop: region.scop,
        units: Vec::new(),
        stepwise: parts,
        timings: clock.laps,
        tuned: None,
    })
}

/// The kernel of a time loop.
fn tile(
    scop: &Scop,
    saved: &SavedScop,
    analysis: &Analysis,
    name: &str,
    options: &Options,
    clock: &mut Clock,
) -> Result<Tiled> {
    clock.begin("accesses")?;
    TimeLoop::new(scop, &saved.source, analysis, options)?.tiled(name, options, clock)
}

/// Whether some top-level loop of a scop is a stencil's time loop, as far as dependences say.
///
/// # Errors
/// The refusal of the largest one.
pub fn judge(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<()> {
    let judged = Region::new(ctx, saved, options, &mut Clock::new(ctx)).and_then(|region| {
        match region.analyses.is_empty() && options.tiling != Tiling::Stepwise {
            true => Err(region.refusal()),
            false => Ok(ctx.check()?),
        }
    });
    judged.map_err(|d| placed(ctx, saved, d))
}

/// A region up to the dependences of its loops.
pub(crate) struct Region {
    pub scop: Scop,
    /// Of the loops that may be tiled, in textual order.
    pub analyses: Vec<Analysis>,
    /// The other loops, and why.
    refused: Vec<(Chunk, Box<Diagnostic>)>,
}

impl Region {
    pub fn new(
        ctx: &Ctx,
        saved: &SavedScop,
        options: &Options,
        clock: &mut Clock,
    ) -> Result<Region> {
        ctx.set_max_operations(options.isl_quota);
        clock.begin("scop")?;
        let mut scop = scop::build(ctx, &saved.source, &saved.scop)?;
        temporaries::substitute(&mut scop, &saved.source, &saved.scop)?;
        carried::into_arrays(&mut scop)?;
        if scop.stmts.is_empty() {
            return Err(no_statements(&scop));
        }
        let chunks: Vec<Chunk> = (scop.chunks.iter())
            .filter(|c| !c.stmts.is_empty())
            .cloned()
            .collect();
        let mut region = Region {
            scop,
            analyses: Vec::new(),
            refused: Vec::new(),
        };
        if options.tiling == Tiling::Stepwise {
            return Ok(region);
        }
        for chunk in chunks {
            match Analysis::new(&region.scop, &saved.source, &chunk, options, clock) {
                Ok(analysis) => region.analyses.push(analysis),
                Err(d) => region.refuse(chunk, d)?,
            }
        }
        Ok(region)
    }

    /// Leaves a loop on the host; what is a bug is no reason for that.
    fn refuse(&mut self, chunk: Chunk, d: Box<Diagnostic>) -> Result<()> {
        if d.is_bug() {
            return Err(d);
        }
        self.refused.push((chunk, d));
        Ok(())
    }

    /// The refusal of the largest loop, which is the one that the user means.
    fn refusal(self) -> Box<Diagnostic> {
        Box::new(self.why())
    }

    /// The same, while the region is still needed.
    fn why(&self) -> Diagnostic {
        let by_size = |(chunk, _): &&(Chunk, Box<Diagnostic>)| (chunk.span.len(), chunk.span.start);
        let worst = self.refused.iter().max_by_key(by_size);
        worst.map_or_else(|| Diagnostic::bug("no chunks"), |(_, d)| (**d).clone())
    }

    /// A warning for each loop that stays on the host.
    fn warnings(&mut self, saved: &SavedScop) -> Vec<Diagnostic> {
        self.refused.sort_by_key(|(chunk, _)| chunk.span.start);
        // A loop nest without a time loop is set-up code and stays silently.
        let told = self.refused.drain(..).filter(|(_, d)| d.code != "HX0201");
        told.map(|(chunk, d)| {
            let line = csource::line_col(&saved.source.text, chunk.span.start).0;
            let message = format!("the code at line {line} stays on the host: {}", d.message);
            Diagnostic::warning(d.code, message).at(chunk.span, "not tiled")
        })
        .collect()
    }
}

fn no_statements(scop: &Scop) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("HX0102", "the scop has no statements")
            .at(scop.region.clone(), "nothing to compute here")
            .help("put the time loop between `#pragma scop` and `#pragma endscop`"),
    )
}

/// A failure with its place. Once computations have been stopped, whatever failed after that says
/// nothing about the program.
fn placed(ctx: &Ctx, saved: &SavedScop, failure: Box<Diagnostic>) -> Box<Diagnostic> {
    let d = ctx.check().map_or_else(Into::into, |()| failure);
    let span = saved.scop.span;
    causes::placed(&saved.source.text, span.start..span.end, d)
}

/// The namespace of a loop, by its number.
pub(crate) fn unit_name(saved: &SavedScop, scop: &Scop, index: usize, options: &Options) -> String {
    let base = options.name.clone().unwrap_or_else(|| {
        let function = csource::enclosing_function(&saved.source.text, scop.region.start);
        format!(
            "hexcc_{}",
            function.map_or_else(|| "scop".to_string(), |f| f.name)
        )
    });
    match index {
        0 => base,
        _ => format!("{base}_{}", index + 1),
    }
}
