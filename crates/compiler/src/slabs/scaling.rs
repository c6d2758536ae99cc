//! What a program is expected to do on more GPUs than there are: how often they launch kernels and exchange rows, how many
//! bytes travel, and what that takes.
//!
//! Counts are those of the generated program, whose host code decides as [`Shared::on`] does (`print/lib/cuda/slabs.cuh`);
//! `tests/slabs.rs` compares them with what the emulation sees. Launches of a few rows count for all slabs, though some have none of
//! these rows. Times are predictions: of launches by the rate of one GPU, of exchanges by the latency and the bandwidth of a
//! link, which neighbours have for themselves.

use crate::compiled::{Compiled, InSlabs, TiledNest, Unit};
use crate::interface::Interface;
use crate::kernel::plan::{self, PITCH_BYTES};
use crate::kernel::stream::Slab;
use crate::kernel::stream_plan::{Action, Gpu, StreamRun};
use crate::preference;
use crate::target::Target;
use crate::tiling::overlapped::StreamKernel;
use std::collections::BTreeMap;

/// Seconds from one launch to the next where these wait for each other.
const LAUNCH: f64 = 4e-6;

/// Seconds of an exchange of few rows: events, waits and copies (two H200s, docs/notes/results.md).
const EXCHANGE: f64 = 25e-6;

/// Seconds that GPUs wait for an exchange between launches: with that, four launches are best for star2d1r at 16384^2 and seven at
/// 4096^2, as measured on two H200s.
const WAIT: f64 = 40e-6;

/// Seconds of a launch that hides an exchange: of star3d1r on two H200s, launches of some 180 us do (512^3), of 33 us do not (256^3).
const LONG: f64 = 100e-6;

/// Launches from one exchange to the next, at most.
const MOST_LAUNCHES: i64 = 8;

/// Rows that blocks compute for each that they write, where a launch is of few.
const OF_FEW: f64 = 2.0;

/// The share of the bandwidth of its memory that a launch of one step attains.
const MEMORY_SHARE: f64 = 0.9;

/// A time loop that several GPUs share, with sizes.
pub struct Shared<'a> {
    slabs: &'a InSlabs,
    sizes: &'a BTreeMap<String, i64>,
    /// The first and the last row that is written.
    rows: [i64; 2],
    /// Bytes of a row in all planes that an exchange renews.
    row_bytes: i64,
    launches: Launches,
    /// Seconds that one GPU takes for a row and a time step.
    of_row: f64,
}

/// The launches of a slab.
enum Launches {
    /// Of so many time steps each. With `early`, rows that neighbours need come first where all are of as many steps.
    Tiles { steps: Vec<i64>, early: bool },
    /// Of one time step each, so many for each step.
    Steps {
        steps: i64,
        kernels: i64,
        early: bool,
    },
}

/// What some slabs do in all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Slabs, at most as many as wanted.
    pub slabs: i64,
    /// Rows of the smallest one.
    pub rows: i64,
    /// Launches of kernels, by all.
    pub launches: i64,
    /// How often each exchanges rows.
    pub exchanges: i64,
    /// Bytes that travel from slab to slab.
    pub bytes: i64,
    /// Seconds expected, given those of an exchange without and with each byte.
    pub seconds: f64,
}

/// A link between neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Bytes per second each way.
    pub bandwidth: f64,
}

impl<'a> Shared<'a> {
    /// The loop of a compilation that several GPUs share; `None` where there is none, or a number does not fit.
    pub fn of(
        compiled: &'a Compiled,
        sizes: &'a BTreeMap<String, i64>,
        target: &Target,
    ) -> Option<Shared<'a>> {
        let value = |name: &str| sizes.get(name).copied();
        let rows = |slabs: &InSlabs| {
            let [low, high] = &slabs.rows;
            Some([plan::eval(low, &value)?, plan::eval(high, &value)?])
        };
        if let Some((nest, slabs)) = compiled
            .tiled_nests
            .iter()
            .find_map(|n| Some((n, n.slabs.as_ref()?)))
        {
            let mut shared = Shared {
                rows: rows(slabs)?,
                slabs,
                sizes,
                row_bytes: 0,
                launches: Launches::Tiles {
                    steps: Vec::new(),
                    early: false,
                },
                of_row: 0.0,
            };
            shared.of_tiles(nest, target)?;
            return Some(shared);
        }
        let (part, slabs) =
            (compiled.stepwise.iter()).find_map(|p| Some((p, p.slabs.as_ref()?)))?;
        let steps = slabs.steps.as_ref()?;
        let [first, last] = steps.ends.each_ref().map(|end| plan::eval(end, &value));
        let mut shared = Shared {
            rows: rows(slabs)?,
            slabs,
            sizes,
            row_bytes: 0,
            launches: Launches::Steps {
                steps: (last? - first? + 1).max(0),
                kernels: i64::try_from(part.plan.steps.len()).ok()?,
                early: steps.twice == 0,
            },
            of_row: 0.0,
        };
        for renewed in &steps.planes {
            shared.row_bytes += shared.line(renewed.array)?;
        }
        let mut bytes = 0;
        for (array, dim) in slabs
            .interface
            .arrays
            .iter()
            .zip(&slabs.dims)
            .enumerate()
            .filter_map(|(i, (a, d))| Some(((i, a), (*d)?)))
        {
            let planes = shared.extents(array.0)?.iter().take(dim).product::<i64>();
            let twice = i64::from(planes == 1 && array.1.written);
            bytes += (planes + twice) * shared.line(array.0)?;
        }
        shared.of_row = bytes as f64 / (target.dram_gbs * 1e9 * MEMORY_SHARE);
        Some(shared)
    }

    fn of_tiles(&mut self, nest: &TiledNest, target: &Target) -> Option<()> {
        let stream = nest.unit.stream()?;
        let interface: &Interface = stream.stencil();
        let params = self.of_slab(interface)?;
        let layouts = plan::layouts(interface, &params)?;
        let run = match stream {
            StreamKernel::Rows(ir) => StreamRun::of_rows(ir, &params, &layouts)?,
            StreamKernel::Planes(ir) => StreamRun::of_planes(ir, &params, &layouts)?,
        };
        let gpu = Gpu {
            multiprocessors: target.sms,
            major: 9,
            resident: vec![1; run.kernels.len()],
        };
        let steps = |action: &Action| match action {
            Action::Launch { kernel, .. } => run.kernels.get(*kernel).map(|k| k.steps),
            Action::Copy { .. } => None,
        };
        let steps = run.actions(&gpu, true)?.iter().filter_map(steps).collect();
        let layout = |array: usize| {
            let size = i64::try_from(interface.arrays.get(array)?.elem.size()).ok()?;
            Some((layouts.get(array)?, size))
        };
        let early = match stream {
            StreamKernel::Rows(ir) => {
                for (f, field) in ir.fields.iter().enumerate() {
                    let (layout, size) = layout(field.array)?;
                    let line = match ir.pipeline.n_space {
                        1 => size,
                        2 => layout.pitch * size,
                        _ => layout.pitch * size * layout.extents.iter().rev().nth(1)?,
                    };
                    self.row_bytes += ir.live(f) * line;
                }
                false
            }
            StreamKernel::Planes(ir) => {
                let (layout, size) = layout(ir.array)?;
                self.row_bytes = layout.pitch * size * layout.extents.iter().rev().nth(1)?;
                true
            }
        };
        self.of_row = seconds_of_row(&nest.unit)?;
        self.launches = Launches::Tiles { steps, early };
        Some(())
    }

    /// The sizes of a kernel on the only slab.
    fn of_slab(&self, interface: &Interface) -> Option<Vec<i64>> {
        let slab = &self.slabs.slab;
        let [low, high] = self.rows;
        let beside = self.beside(1);
        let value = |name: &String| match name {
            name if *name == slab.first => Some(low - beside),
            name if *name == slab.count => Some(high - low + 1 + 2 * beside),
            name if *name == slab.begin => Some(beside),
            name if *name == slab.end => Some(high - low + 1 + beside),
            name => self.sizes.get(name).copied(),
        };
        interface.params.iter().map(value).collect()
    }

    /// Elements of an array of the program along each dimension.
    fn extents(&self, array: usize) -> Option<Vec<i64>> {
        let extents = self.slabs.interface.arrays.get(array)?.extents.iter();
        let value = |name: &str| self.sizes.get(name).copied();
        extents.map(|e| plan::eval(e, &value)).collect()
    }

    /// Bytes of a row of a plane of an array on a GPU.
    fn line(&self, array: usize) -> Option<i64> {
        let of = self.slabs.interface.arrays.get(array)?;
        let (extents, size) = (self.extents(array)?, i64::try_from(of.elem.size()).ok()?);
        let behind = extents.get((*self.slabs.dims.get(array)?)? + 1..)?;
        Some(match behind.split_last() {
            None => size,
            Some((last, lines)) => {
                let width = match of.pitched {
                    true => (last * size + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES,
                    false => last * size,
                };
                lines.iter().product::<i64>() * width
            }
        })
    }

    /// Rows beside a slab where launches between exchanges are so many.
    fn beside(&self, launches: i64) -> i64 {
        launches * self.slabs.slab.launch + self.slabs.slab.rim
    }

    /// On so many GPUs; `domains` times as many rows.
    pub fn on(&self, gpus: i64, domains: i64, link: Link) -> Counts {
        let [low, high] = self.rows;
        let all = (high - low + 1).max(0) * domains;
        let (mut slabs, mut launches) = (gpus.max(1), self.slabs.launches.max(1));
        while launches > 1 && all / slabs < self.beside(launches) {
            launches -= 1;
        }
        while slabs > 1 && all / slabs < self.beside(launches) {
            slabs -= 1;
        }
        let n = self.beside(launches) - self.slabs.slab.rim;
        let own = |slab: i64| all * (slab + 1) / slabs - all * slab / slabs;
        let of_slab = (0..slabs).map(|slab| Sides {
            own: own(slab),
            n,
            neighbours: match self.slabs.is_ring && slabs > 1 {
                true => 2,
                false => i64::from(slab > 0) + i64::from(slab + 1 < slabs),
            },
        });
        let mut counts = Counts {
            slabs,
            rows: (0..slabs).map(own).min().unwrap_or(0),
            ..Counts::default()
        };
        for sides in of_slab {
            let mut of = self.of_sides(&sides, link);
            if slabs == 1 {
                of.exchanges = 0;
            }
            counts.launches += of.launches;
            counts.exchanges = counts.exchanges.max(of.exchanges);
            counts.bytes += of.exchanges * sides.neighbours * n * self.row_bytes;
            counts.seconds = counts.seconds.max(of.seconds);
        }
        counts
    }

    /// What one slab does.
    fn of_sides(&self, sides: &Sides, link: Link) -> Counts {
        let mut counts = Counts::default();
        let alone = sides.neighbours == 0;
        let travel = match alone {
            true => 0.0,
            false => EXCHANGE + (sides.n * self.row_bytes) as f64 / link.bandwidth,
        };
        let take = |rows: i64, steps: i64| LAUNCH + rows as f64 * steps as f64 * self.of_row;
        let first = |counts: &mut Counts, steps: i64, kernels: i64| {
            counts.exchanges += 1;
            let early = sides.neighbours * sides.n;
            if alone || sides.own <= early {
                counts.launches += kernels;
                counts.seconds += take(sides.own, steps) + travel;
            } else {
                counts.launches += kernels * (1 + sides.neighbours);
                let seconds = LAUNCH + OF_FEW * take(early, steps) + travel;
                counts.seconds += seconds.max(take(sides.own, steps));
            }
        };
        match &self.launches {
            Launches::Steps {
                steps,
                kernels,
                early,
            } => {
                for _ in 0..*steps {
                    if *early {
                        first(&mut counts, 1, *kernels);
                    } else {
                        counts.exchanges += 1;
                        counts.launches += kernels;
                        counts.seconds += take(sides.own, 1) + travel;
                    }
                }
            }
            Launches::Tiles { steps, early } => {
                let (reach, mut right) = (self.slabs.slab.reach, sides.n);
                for (at, &k) in steps.iter().enumerate() {
                    if right < reach * k {
                        counts.exchanges += 1;
                        counts.seconds += travel;
                        right = sides.n;
                    }
                    right -= reach * k;
                    let is_followed = steps.get(at + 1) == Some(&k);
                    if *early && is_followed && right < reach * k {
                        first(&mut counts, k, 1);
                        right = sides.n;
                    } else {
                        counts.launches += 1;
                        counts.seconds += take(sides.own + right * sides.neighbours, k);
                    }
                }
            }
        }
        counts
    }
}

/// Seconds that one GPU takes for a row and a time step in tiles.
fn seconds_of_row(unit: &Unit) -> Option<f64> {
    let choice = unit.stream_choice()?;
    let (fuses, points) = (unit.tiled.fuses, &unit.tiled.problem.extents);
    let rate = match unit.stream()? {
        StreamKernel::Rows(_) => preference::of_rows(choice, fuses, points),
        StreamKernel::Planes(_) => preference::of_planes(choice, fuses),
    };
    let of_row: f64 = points.iter().skip(1).product();
    Some(of_row / (rate * 1e9))
}

/// Launches from one exchange to the next, for the size that tiles were chosen for and two GPUs. An exchange is waited for
/// once; each further launch has the rows of all later ones to compute twice, on both sides. How many bytes travel for a
/// launch does not depend on it. Where rows come first and travel meanwhile, nothing is waited for if launches are long.
pub(super) fn launches(unit: &Unit, slab: &Slab) -> i64 {
    let of_row = seconds_of_row(unit).unwrap_or(f64::INFINITY);
    let (launch, reach) = (slab.launch as f64, slab.reach.max(1) as f64);
    let rows = unit.tiled.problem.extents.first().copied().unwrap_or(0.0);
    let is_early = matches!(unit.stream(), Some(StreamKernel::Planes(_)));
    if is_early && rows / 2.0 * of_row * launch / reach > LONG {
        return 1;
    }
    let twice = of_row * launch * launch / reach;
    ((WAIT / twice).sqrt().round() as i64).clamp(1, MOST_LAUNCHES)
}

/// What a slab has on its sides.
struct Sides {
    /// Its own rows.
    own: i64,
    /// Rows beside it that an exchange renews.
    n: i64,
    /// How many sides have a neighbour.
    neighbours: i64,
}
