//! A region up to the dependences of its loops, and what is said of those that stay on the host.

use crate::clock::Clock;
use crate::diag::{Diagnostic, Result};
use crate::known::Known;
use crate::options::{Language, Options, Sums, Tiling};
use crate::scop::{Around, Chunk, SavedScop, Scop, SourceFile, members, records};
use crate::tiling::{Analysis, Tiled, TimeLoop};
use crate::{carried, causes, csource, narrowing, precision, preference, temporaries, updates};
use hexcc_isl::Ctx;

/// The code of a loop of which no iteration reads what an earlier one has written.
const NO_TIME_LOOP: &str = "HX0201";

/// A region up to the dependences of its loops.
#[derive(Clone)]
pub(crate) struct Region {
    pub scop: Scop,
    /// Of the loops that may be tiled, in textual order.
    pub analyses: Vec<Analysis>,
    /// The other loops, and why.
    refused: Vec<(Chunk, Box<Diagnostic>)>,
    /// What to say of floats that are computed in `double`.
    pub in_double: Option<Diagnostic>,
    /// What single steps are made of, where tiles are made of fewer statements.
    apart: Option<Scop>,
}

impl Region {
    pub fn new(
        ctx: &Ctx,
        saved: &SavedScop,
        options: &Options,
        clock: &mut Clock,
    ) -> Result<Region> {
        Region::known(ctx, saved, options, clock, &Known::default())
    }

    /// The same; the region may be known.
    pub fn known(
        ctx: &Ctx,
        saved: &SavedScop,
        options: &Options,
        clock: &mut Clock,
        known: &Known,
    ) -> Result<Region> {
        ctx.set_max_operations(options.isl_quota);
        clock.begin("scop")?;
        let mut scop = known.built(ctx, saved)?;
        if saved.scop.rotation.is_some() && options.language != Language::Cuda {
            return Err(planes_elsewhere(&scop, options.language));
        }
        // What is guarded relies on memory that stays where the program has it, as that of nests does.
        if let (false, Some(doubt)) = (saved.scop.guarded, scop.guards.doubts.first()) {
            return Err(doubt.refusal.clone());
        }
        let asked = Asked::of(options);
        if let Some(region) = known.region(ctx, saved, asked) {
            let in_double = narrowed(&mut scop, &saved.source, options);
            return Ok(Region {
                in_double,
                ..region
            });
        }
        let region = Region::analyze(scop, &saved.source, options, clock)?;
        known.keep_region(ctx, saved, asked, &region);
        Ok(region)
    }

    /// The dependences of what a scop has.
    pub fn analyze(
        mut scop: Scop,
        source: &SourceFile,
        options: &Options,
        clock: &mut Clock,
    ) -> Result<Region> {
        let in_double = narrowed(&mut scop, source, options);
        if options.float_literals {
            precision::narrow(&mut scop);
        }
        temporaries::substitute(&mut scop, source)?;
        carried::into_arrays(&mut scop)?;
        if scop.stmts.is_empty() {
            return Err(no_statements(&scop));
        }
        if options.tiling == Tiling::Stepwise {
            return Ok(Region {
                in_double,
                ..Region::of_scop(scop)
            });
        }
        // Tiles have less to keep where an update is no statement of its own; single steps have more to test then.
        if !options.language.is_c()
            && let Some(fused) = updates::fused(&scop)?
        {
            let region = Region::analyzed(fused, source, options, clock)?;
            if !region.is_refused() && !region.analyses.is_empty() {
                return Ok(Region {
                    in_double,
                    apart: Some(scop),
                    ..region
                });
            }
        }
        Ok(Region {
            in_double,
            ..Region::analyzed(scop, source, options, clock)?
        })
    }

    /// The dependences of the statements of a scop.
    fn analyzed(
        scop: Scop,
        source: &SourceFile,
        options: &Options,
        clock: &mut Clock,
    ) -> Result<Region> {
        let chunks: Vec<Chunk> = (scop.chunks.iter())
            .filter(|c| !c.stmts.is_empty())
            .cloned()
            .collect();
        let slow = match options.may_prefer_steps() {
            true => preference::by_layouts(&scop, &chunks)?,
            false => None,
        };
        let mut slow = slow.unwrap_or_default().into_iter();
        let mut region = Region::of_scop(scop);
        for chunk in chunks {
            let slow = slow.next().map(Box::new);
            let in_place = options.language.is_c();
            let no_tiles = records::no_tiles(&region.scop, &chunk.stmts);
            if let Some(d) = no_tiles.filter(|_| !in_place) {
                region.refuse(chunk, d)?;
                continue;
            }
            match Analysis::new(&region.scop, source, (&chunk, slow), options, clock) {
                Ok(analysis) => region.analyses.push(analysis),
                Err(d) => region.refuse(chunk, d)?,
            }
        }
        if options.may_prefer_steps() {
            region.prefer_steps()?;
        }
        Ok(region)
    }

    /// A region without time loops.
    pub fn of_scop(scop: Scop) -> Region {
        Region {
            scop,
            analyses: Vec::new(),
            refused: Vec::new(),
            in_double: None,
            apart: None,
        }
    }

    /// What single steps are made of.
    pub fn of_steps(&self) -> &Scop {
        self.apart.as_ref().unwrap_or(&self.scop)
    }

    /// The region where its tiles are not taken.
    pub fn without_tiles(mut self) -> Region {
        self.scop = self.apart.take().unwrap_or(self.scop);
        self
    }

    /// Refuses tiles where their layout is known to make them slow, if that leaves no time loop on
    /// the host.
    fn prefer_steps(&mut self) -> Result<()> {
        let mut reasons = Vec::new();
        for analysis in &self.analyses {
            let Some(reason) = preference::by_layout(&self.scop, &analysis.chunk)? else {
                return Ok(());
            };
            reasons.push(reason);
        }
        for (analysis, reason) in std::mem::take(&mut self.analyses).into_iter().zip(reasons) {
            self.refuse(analysis.chunk, reason)?;
        }
        Ok(())
    }

    /// Whether some loop stays on the CPU.
    pub fn is_refused(&self) -> bool {
        !self.refused.is_empty()
    }

    /// Whether no loop is one over time, whatever else is in the way of tiles.
    pub fn has_no_time_loop(&self) -> bool {
        let mut all = self.refused.iter();
        let is_told = self.analyses.is_empty() && !self.refused.is_empty();
        is_told && all.all(|(_, why)| why.code == NO_TIME_LOOP)
    }

    /// Leaves a loop on the host; what is a bug is no reason for that.
    pub fn refuse(&mut self, chunk: Chunk, d: Box<Diagnostic>) -> Result<()> {
        if d.is_bug() {
            return Err(d);
        }
        self.refused.push((chunk, d));
        Ok(())
    }

    /// The refusal of the largest loop, which is the one that the user means.
    pub fn refusal(&self) -> Box<Diagnostic> {
        let by_size = |(chunk, _): &&(Chunk, Box<Diagnostic>)| (chunk.span.len(), chunk.span.start);
        let worst = self.refused.iter().max_by_key(by_size);
        worst.map_or_else(
            || Box::new(Diagnostic::bug("no chunks")),
            |(_, d)| d.clone(),
        )
    }

    /// A warning for each loop that stays on the CPU, and of what is computed in `double`.
    pub fn warnings(&mut self, around: Around) -> Vec<Diagnostic> {
        self.refused.sort_by_key(|(chunk, _)| chunk.span.start);
        // A loop nest without a time loop is set-up code and stays silently.
        let told = self
            .refused
            .drain(..)
            .filter(|(_, d)| d.code != NO_TIME_LOOP);
        told.map(|(chunk, d)| {
            let line = around.source.line(chunk.span.start);
            let message = format!("the code at line {line} stays on the CPU: {}", d.message);
            Diagnostic::warning(d.code, message).at(chunk.span, "not tiled")
        })
        .chain(self.in_double.take())
        .collect()
    }
}

/// What a region up to its dependences depends on, of all options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    float_literals: bool,
    language: Language,
    tiling: Tiling,
    prefers_steps: bool,
    hex_dim: Option<usize>,
    sums: Sums,
}

impl Asked {
    fn of(options: &Options) -> Asked {
        Asked {
            float_literals: options.float_literals,
            language: options.language,
            tiling: options.wanted_tiling(),
            prefers_steps: options.may_prefer_steps(),
            hex_dim: options.hex_dim,
            sums: options.sums,
        }
    }
}

/// Narrows single operations of statements; what is to be said of those that stay in `double`.
fn narrowed(scop: &mut Scop, source: &SourceFile, options: &Options) -> Option<Diagnostic> {
    narrowing::narrow(scop);
    precision::warning(scop, source, options)
}

/// The kernel of a time loop.
pub(crate) fn tile(
    scop: &Scop,
    source: &SourceFile,
    analysis: &Analysis,
    name: &str,
    options: &Options,
    clock: &mut Clock,
) -> Result<Tiled> {
    clock.begin("accesses")?;
    TimeLoop::new(scop, source, analysis, options)?.tiled(name, options, clock)
}

/// A failure with its place. Once computations have been stopped, whatever failed after that says
/// nothing about the program.
pub(crate) fn placed(ctx: &Ctx, saved: &SavedScop, failure: Box<Diagnostic>) -> Box<Diagnostic> {
    let d = ctx.check().map_or_else(Into::into, |()| failure);
    let (span, d) = (saved.scop.span, members::as_written(&saved.scop.members, d));
    causes::placed(&saved.source.text, span.start..span.end, d)
}

/// The refusal of a saved scop whose arrays are planes of one, where kernels use them where the program has them.
fn planes_elsewhere(scop: &Scop, language: Language) -> Box<Diagnostic> {
    let what = format!(
        "the scop was saved for CUDA, and `--target {}` has no copies of its arrays",
        language.name()
    );
    Box::new(
        Diagnostic::error("HX0509", what)
            .at(scop.region.clone(), "swaps pointers after each step")
            .help("translate the C file"),
    )
}

fn no_statements(scop: &Scop) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("HX0102", "the scop has no statements")
            .at(scop.region.clone(), "nothing to compute here")
            .help("put the time loop between `#pragma scop` and `#pragma endscop`"),
    )
}

/// Functions whose namespaces would be called like types of the generated library.
const LIBRARY: [&str; 2] = ["row", "rows"];

/// The namespace of a loop, by its number.
pub(crate) fn unit_name(around: Around, scop: &Scop, index: usize, options: &Options) -> String {
    name_at(around, scop.region.start, index, options)
}

/// The namespace of a loop in the function that a place is in, by the loop's number.
pub(crate) fn name_at(around: Around, at: usize, index: usize, options: &Options) -> String {
    let base = options.name.clone().unwrap_or_else(|| {
        let text = &around.source.text;
        let function = || Some(csource::enclosing_function(text, at)?.name);
        let name = around.name.map(String::from).or_else(function);
        let name = name.unwrap_or_else(|| "scop".to_string());
        match LIBRARY.contains(&name.as_str()) {
            true => format!("hexcc_{name}_"),
            false => format!("hexcc_{name}"),
        }
    });
    match index {
        0 => base,
        _ => format!("{base}_{}", index + 1),
    }
}
