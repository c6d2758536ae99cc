//! What a compilation results in.

use crate::clock::Clock;
use crate::diag::Diagnostic;
use crate::interface::Interface;
use crate::ir::{KernelId, Program};
use crate::kernel::Stencil;
use crate::kernel::stream::Slab;
use crate::options::Gpus;
use crate::sched::HybridSchedule;
use crate::scop::{FinalValue, Scop};
use crate::stepwise;
use crate::stream_size::StreamChoice;
use crate::tile_size::Choice;
use crate::tiling::hybrid::Hybrid;
use crate::tiling::overlapped::StreamKernel;
use crate::tiling::stepwise::Plan;
use crate::tiling::{Analysis, Kernel, Tiled};
use hexcc_isl::AstExpr;
use std::ops::Range;
use std::time::Duration;

/// One time loop of the scop, compiled.
pub struct Unit {
    /// What dependences say of it.
    pub analysis: Analysis,
    /// Its kernel, and what else was considered.
    pub tiled: Tiled,
}

impl Unit {
    /// Its arrays and statements.
    pub fn stencil(&self) -> &Stencil {
        self.tiled.kernel.stencil()
    }

    /// Its hybrid tiling, whether that is taken or only was considered; `None` where it does not
    /// apply, or was not asked for.
    pub fn hybrid(&self) -> Option<&Hybrid> {
        match &self.tiled.kernel {
            Kernel::Hybrid(hybrid) | Kernel::Overlapped(_, Some(hybrid)) => Some(hybrid),
            Kernel::Overlapped(_, None) => None,
        }
    }

    /// The kernel of overlapped tiling, where that is taken.
    pub fn stream(&self) -> Option<&StreamKernel> {
        match &self.tiled.kernel {
            Kernel::Hybrid(_) => None,
            Kernel::Overlapped(kernel, _) => Some(kernel),
        }
    }

    /// Predicted updates of points per nanosecond of the kernel that is taken.
    pub fn predicted(&self) -> Option<f64> {
        match &self.tiled.kernel {
            Kernel::Hybrid(hybrid) => hybrid.choice().map(Choice::gcells),
            Kernel::Overlapped(..) => self.stream_choice().map(|c| c.gcells),
        }
    }

    /// The statement whose terms tiles add in another order than C, by index in the scop.
    pub(crate) fn rounds(&self) -> Option<usize> {
        match self.stream()? {
            StreamKernel::Rows(ir) => Some(self.analysis.canonical.stmts[ir.rounds()?].stmt),
            StreamKernel::Planes(_) => None,
        }
    }

    /// What is predicted of the overlapped tiles that are taken.
    pub(crate) fn stream_choice(&self) -> Option<&StreamChoice> {
        let kernel = self.stream()?;
        (self.tiled.overlapped_sizes.iter())
            .find(|c| c.tile == kernel.tile() && c.shared == kernel.shared())
    }
}

/// A time loop in tiles that is not one of the region as it stands: one in a loop that stays on the host, or one on a ring or
/// a torus.
pub struct TiledNest {
    /// Its arrays, statements and accesses.
    pub scop: Scop,
    /// Its kernel.
    pub unit: Unit,
    /// What the program has of a ring or torus, whose arrays are larger on the device.
    pub periodic: Option<Periodic>,
    /// What several GPUs share of the program.
    pub slabs: Option<InSlabs>,
}

/// What a program hands over to kernels of which each GPU runs those of a slab ([`crate::slabs`]).
pub struct InSlabs {
    /// The program's arrays, and for which sizes there is something to do.
    pub interface: Interface,
    /// What the slab of a GPU is called and has beside it.
    pub slab: Slab,
    /// By array of the interface, its dimension of rows; none for those that every GPU has as a whole.
    pub dims: Vec<Option<usize>>,
    /// By array of the interface, what GPUs have of it along each dimension of space, where rows are rings.
    pub sides: Vec<Vec<Sides>>,
    /// The first and the last row that any statement writes.
    pub rows: [AstExpr; 2],
    /// Whether the first row is the last one's neighbour.
    pub is_ring: bool,
    /// Launches from one exchange of rows to the next, where slabs have rows enough.
    pub launches: i64,
    /// How many GPUs there are to be.
    pub gpus: Gpus,
    /// The loop over time, where kernels run single steps.
    pub steps: Option<StepsOfSlab>,
}

/// Single steps on slabs: the host runs the loop over time.
pub struct StepsOfSlab {
    /// The parameter that is the time step.
    pub time: String,
    /// The first and the last one.
    pub ends: [AstExpr; 2],
    /// What a step writes.
    pub planes: Vec<Renewed>,
    /// Rows beside a GPU's own that a step has to compute, too.
    pub twice: i64,
}

/// A plane of an array that a time step writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renewed {
    /// Index in [`InSlabs::interface`].
    pub array: usize,
    /// By dimension before that of rows.
    pub plane: Vec<PlaneAt>,
}

/// A subscript that selects a plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaneAt {
    /// The same one in all steps.
    Always(i64),
    /// That so many after the time step, modulo the number of planes where they turn.
    After(i64, Option<i64>),
}

/// What a program hands over of a time loop on a ring or torus ([`crate::periodic`]).
pub struct Periodic {
    /// The program's arrays, and for which sizes there is something to do.
    pub interface: Interface,
    /// By array of the interface, what the device has of it along each dimension of space.
    pub sides: Vec<Vec<Sides>>,
}

/// What the device has of an array along a dimension of space: cells of the program, and others on either side.
#[derive(Clone, Debug)]
pub struct Sides {
    /// The program's first cell. Those before it are ghost cells, which stay in the program as they are.
    pub first: i64,
    /// How many cells there are from that on. Others behind them are ghost cells, too.
    pub cells: AstExpr,
    /// Cells on either side.
    pub beside: i64,
}

impl TiledNest {
    /// What it takes from the program and leaves there.
    pub fn interface(&self) -> &Interface {
        match (&self.slabs, &self.periodic) {
            (Some(slabs), _) => &slabs.interface,
            (None, Some(periodic)) => &periodic.interface,
            (None, None) => &self.unit.stencil().interface,
        }
    }
}

/// A part of the scop whose loops are a program of [`crate::ir`]: in single steps, or in tiles for
/// a CPU.
pub struct Stepwise {
    /// Bytes of the source that it replaces.
    pub span: Range<usize>,
    /// Variables declared outside that only the region used.
    pub unused: Vec<String>,
    /// What it takes from the program and leaves there.
    pub interface: Interface,
    /// The tiles of a time loop on a CPU, proven; `None` for single steps.
    pub tiles: Option<HybridSchedule>,
    /// Launches and parallel loops, proven.
    pub plan: Plan,
    /// Names of the statements of each launch; those of nests are in scops of their own.
    pub statements: Vec<Vec<String>>,
    /// What every thread has of its own.
    pub private: Vec<String>,
    /// Its kernels and launches.
    pub program: Program,
    /// By launch of the plan, its kernels, of which the first runs that can.
    pub kernels: Vec<Vec<KernelId>>,
    /// Variables that the replaced code leaves with a value.
    pub finals: Vec<FinalValue>,
    /// What several GPUs share of the program.
    pub slabs: Option<Box<InSlabs>>,
}

/// The result of a compilation: time loops that are tiled, or single steps.
pub struct Compiled {
    /// The scop.
    pub scop: Scop,
    /// Tiled time loops in textual order; none where the scop runs in single steps.
    pub units: Vec<Unit>,
    /// What runs in single steps, in textual order; none where loops are tiled.
    pub stepwise: Vec<Stepwise>,
    /// Of the nests in a loop that stays on the host, those that are tiled time loops.
    pub tiled_nests: Vec<TiledNest>,
    /// Warnings, such as parts of the region left on the host.
    pub warnings: Vec<Diagnostic>,
    /// Passes and their durations.
    pub timings: Vec<(&'static str, Duration)>,
    /// Where the tile sizes come from, for the comment in the generated code;
    /// empty for what the model or the user chose.
    pub tuned: Option<String>,
}

impl Compiled {
    /// That of a scop of which nothing is translated yet.
    pub(crate) fn of(scop: Scop, warnings: Vec<Diagnostic>, clock: Clock) -> Compiled {
        Compiled {
            scop,
            units: Vec::new(),
            stepwise: Vec::new(),
            tiled_nests: Vec::new(),
            warnings,
            timings: clock.laps,
            tuned: None,
        }
    }

    /// The first statement of each of its time loops in tiles whose terms these add in another order than C.
    pub(crate) fn rounded_in_tiles(&self) -> impl Iterator<Item = (&Scop, usize)> {
        let units = self.units.iter().map(|unit| (&self.scop, unit));
        let nests = self.tiled_nests.iter().map(|nest| (&nest.scop, &nest.unit));
        (units.chain(nests)).filter_map(|(scop, unit)| Some((scop, unit.rounds()?)))
    }

    /// The same, with a warning of each of these.
    pub(crate) fn with_sums(mut self) -> Compiled {
        let sums: Vec<Diagnostic> = (self.rounded_in_tiles())
            .map(|(scop, stmt)| stepwise::rounds(scop, stmt, "tiles have parts of it"))
            .collect();
        let is_told = self
            .warnings
            .iter()
            .any(|d| sums.iter().any(|sum| sum.code == d.code));
        self.warnings.extend(sums.into_iter().filter(|_| !is_told));
        self
    }

    /// Whether sums round in other places than C's.
    pub fn rounds(&self) -> bool {
        let mut parts = self.stepwise.iter();
        parts.any(|part| part.plan.rounds().is_some()) || self.rounded_in_tiles().next().is_some()
    }

    /// The time loop that several GPUs share, the first one if there are several.
    pub(crate) fn in_slabs(&self) -> Option<&InSlabs> {
        let tiled = self.tiled_nests.iter().map(|nest| nest.slabs.as_ref());
        let in_steps = self.stepwise.iter().map(|part| part.slabs.as_deref());
        tiled.chain(in_steps).flatten().next()
    }
}
