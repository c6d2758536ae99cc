//! Tilings of a time loop, siblings of each other: each chooses sizes, proves and makes a kernel.

pub mod coarsen;
pub mod cpu;
mod flows;
pub mod hands_on;
pub mod hybrid;
pub mod hyperplanes;
pub mod overlapped;
pub mod planes;
pub mod reduction;
mod refusals;
pub mod results;
pub mod stepwise;

use crate::canonical::{self, Canonical};
use crate::clock::Clock;
use crate::deps::{self, DepCone};
use crate::diag::{Diagnostic, Result};
use crate::kernel::stream::Refusal;
use crate::kernel::{self, Prepared, Stencil};
use crate::model::Problem;
use crate::options::{Options, StepKernel, Tiling};
use crate::scop::{Chunk, Scop, SourceFile};
use crate::step_time::{self, StepTime, StepWork};
use crate::stream_size::StreamChoice;
use crate::{preference, reach};
use hexcc_isl::Set;
use hybrid::Hybrid;
use overlapped::StreamKernel;
use std::collections::BTreeSet;

/// Candidates for tile sizes that are kept.
pub const MAX_TILES: usize = 20;

/// What dependences say of a time loop.
#[derive(Clone)]
pub struct Analysis {
    /// Where it is in the source.
    pub chunk: Chunk,
    /// Statements, slots and dependences.
    pub canonical: Canonical,
    /// Slopes of the dependences.
    pub cone: DepCone,
}

impl Analysis {
    /// Computes the dependences of a top-level loop, unless its tiles would be `slow` anyway.
    ///
    /// # Errors
    /// The reason why it is no time loop that can be tiled; of a time loop the one that is given.
    pub(crate) fn new(
        scop: &Scop,
        source: &SourceFile,
        (chunk, slow): (&Chunk, Option<Box<Diagnostic>>),
        options: &Options,
        clock: &mut Clock,
    ) -> Result<Analysis> {
        clock.begin("dependences")?;
        let may_record = matches!(options.wanted_tiling(), Tiling::Auto | Tiling::Overlapped)
            && !options.language.is_c();
        let records = may_record.then_some(options.sums);
        let mut canonical = canonical::canonicalize(scop, source, chunk, records)?;
        if let Some(reason) = slow
            && hands_on::among(scop, &scop.of_chunk(chunk))?
        {
            return Err(reason);
        }
        canonical::depend(scop, source, chunk, &mut canonical)?;
        clock.begin("cone")?;
        let cone = deps::cone(scop, source, &canonical)?;
        let hex_dim = options.hex_dim.unwrap_or(0);
        if hex_dim >= canonical.n_space {
            return Err(refusals::no_such_dimension(hex_dim, &canonical));
        }
        Ok(Analysis {
            chunk: chunk.clone(),
            canonical,
            cone,
        })
    }
}

/// The kernel of a time loop.
pub enum Kernel {
    /// Of hybrid tiling.
    Hybrid(Box<Hybrid>),
    /// Of overlapped tiling; and the hybrid one that it was compared with.
    Overlapped(StreamKernel, Option<Box<Hybrid>>),
}

/// What tilings make of a time loop.
pub struct Tiled {
    /// The kernel that is taken.
    pub kernel: Kernel,
    /// The problem that predictions are for.
    pub problem: Problem,
    /// Sizes of overlapped tiles with their predictions, best first.
    pub overlapped_sizes: Vec<StreamChoice>,
    /// Why overlapped tiling is not taken.
    pub not_overlapped: Option<Refusal>,
    /// What is predicted of single steps, where nobody has asked for tiles.
    pub steps: Option<StepTime>,
    /// The compiler may fuse multiplications into additions.
    pub fuses: bool,
}

impl Kernel {
    /// Its arrays and statements.
    pub fn stencil(&self) -> &Stencil {
        match self {
            Kernel::Hybrid(hybrid) | Kernel::Overlapped(_, Some(hybrid)) => &hybrid.kernel.stencil,
            Kernel::Overlapped(kernel, None) => kernel.stencil(),
        }
    }
}

/// A time loop with all that does not depend on tile sizes.
pub(crate) struct TimeLoop<'a> {
    scop: &'a Scop,
    source: &'a SourceFile,
    analysis: &'a Analysis,
    prepared: Prepared<'a>,
    distances: Vec<Set>,
}

impl<'a> TimeLoop<'a> {
    /// What tiles need to know of a loop.
    ///
    /// # Errors
    /// The refusal of dependences that reach too far for tiles of any size.
    pub fn new(
        scop: &'a Scop,
        source: &'a SourceFile,
        analysis: &'a Analysis,
        options: &Options,
    ) -> Result<TimeLoop<'a>> {
        let canonical = &analysis.canonical;
        let written = (canonical.stmts.iter()).map(|s| scop.stmts[s.stmt].write.array);
        let declared = written.filter(|id| scop.is_declared(*id));
        for id in declared.collect::<BTreeSet<_>>() {
            crate::stepwise::end_within(scop, source, id)?;
        }
        let time_loop = TimeLoop {
            scop,
            source,
            analysis,
            prepared: kernel::prepare(scop, source, canonical, options.divisions())?,
            distances: deps::all_distances(canonical)?.into_iter().collect(),
        };
        match time_loop.too_far(options, None)? {
            Some(d) => Err(d),
            None => Ok(time_loop),
        }
    }

    /// The kernel of the tiling that is asked for, or predicted to be faster.
    ///
    /// # Errors
    /// Those of the tiling asked for; of the hybrid one where none applies.
    pub fn tiled(&self, name: &str, options: &Options, clock: &mut Clock) -> Result<Tiled> {
        options.switches()?;
        let hybrid = match options.wanted_tiling() {
            Tiling::Overlapped | Tiling::Stepwise => None,
            Tiling::Auto | Tiling::Hybrid => Some(self.hybrid(name, options, clock)),
        };
        let best = hybrid.iter().flatten().find_map(preference::of_hybrid);
        let overlapped = (self.overlapped(name, options, best, clock))
            .or_else(|d| Err(self.with_other_tiling(d, name, options, clock)?))?;
        if let Some(refusal) = &overlapped.refusal {
            tracing::debug!(refusal, "no overlapped tiles");
        }
        let kernel = match (overlapped.kernel, hybrid) {
            (Some(kernel), Some(Ok(hybrid))) => Kernel::Overlapped(kernel, Some(Box::new(hybrid))),
            (Some(kernel), None) => Kernel::Overlapped(kernel, None),
            // Where no hybrid tile fits into shared memory, one in registers may.
            (Some(kernel), Some(Err(d))) if d.code == "HX0402" || self.records() => {
                Kernel::Overlapped(kernel, None)
            }
            (_, Some(hybrid)) => Kernel::Hybrid(Box::new(hybrid?)),
            (None, None) => return Err(Box::new(Diagnostic::bug("no tiling was tried"))),
        };
        let problem = self.problem(options)?;
        let of_steps =
            || step_time::predict(&StepWork::of(kernel.stencil()), &options.target, &problem);
        Ok(Tiled {
            steps: options.may_step().then(of_steps),
            fuses: options.fast_math,
            kernel,
            problem,
            overlapped_sizes: overlapped.sizes,
            not_overlapped: overlapped.refusal,
        })
    }

    /// Whether steps have numbers that tiles record.
    fn records(&self) -> bool {
        !self.analysis.canonical.recorded.is_empty()
    }

    /// A refusal of overlapped tiling, with what the hybrid one makes of the stencil.
    fn with_other_tiling(
        &self,
        d: Box<Diagnostic>,
        name: &str,
        options: &Options,
        clock: &mut Clock,
    ) -> Result<Box<Diagnostic>> {
        if d.code != "HX0305" {
            return Ok(d);
        }
        let (asked, kernel) = (options.tiling, options.kernel);
        let options = Options {
            tiling: Tiling::Hybrid,
            stream_tile: None,
            kernel: StepKernel::Auto,
            ..options.clone()
        };
        Ok(Box::new(match self.hybrid(name, &options, clock) {
            Ok(_) => {
                let option = match asked {
                    _ if kernel.is_of_tiles() => format!("--kernel {}", kernel.name()),
                    Tiling::Overlapped => "--tiling overlapped".to_string(),
                    Tiling::Auto | Tiling::Hybrid | Tiling::Stepwise => "--stream-tile".to_string(),
                };
                let help = format!("leave `{option}` away: the hybrid hexagonal tiling takes it");
                d.help(help)
            }
            Err(other) if other.is_bug() => return Err(other),
            Err(other) => d.note(format!("nor does hybrid tiling: {}", other.message)),
        }))
    }

    /// The sizes of the domain and the number of time steps that predictions are for.
    fn problem(&self, options: &Options) -> Result<Problem> {
        Ok(Problem::new(&self.prepared.extents(&options.sizes)?))
    }

    /// The refusal of dependences that leave tiles nothing to gain.
    fn too_far(
        &self,
        options: &Options,
        nothing_fits: Option<i64>,
    ) -> Result<Option<Box<Diagnostic>>> {
        let known = self.prepared.extents(&options.sizes)?;
        let ground = reach::Ground {
            known: &known,
            problem: &Problem::new(&known),
            sms: options.target.sms,
            hex_dim: options.hex_dim.unwrap_or(0),
            nothing_fits,
        };
        let Analysis {
            canonical, cone, ..
        } = self.analysis;
        reach::refusal(self.scop, self.source, canonical, cone, &ground)
    }
}
