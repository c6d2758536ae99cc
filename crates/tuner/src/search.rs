//! Searching for the best sizes of tiles: what the model proposes is compiled by all processors and
//! measured on the GPU, one after the other.

mod candidates;
mod ground;
mod workers;

use crate::VERSION;
use crate::cache::{self, Tuned};
use crate::error::{Result, refused};
use crate::measure::{Tiled, Workbench};
use crate::problem::Problem;
use crate::report::{self, Heading, Point};
use crate::request::{Prepared, Request};
use crate::variant::Variant;
use candidates::{Candidate, candidates};
use ground::Ground;
use hexcc_compiler::options::{Options, Tiling};
use hexcc_compiler::pipeline;
use hexcc_gpu::GpuError;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use workers::{Ready, Recipe, Workers};

/// Sets of parameters a candidate is run with.
const CHECK: usize = 0;
const TIME: usize = 1;
const FULL: usize = 2;

/// Time tiles of a timed run, at least: the half tiles at its two ends then are
/// a small part of it.
const MIN_TIME_TILES: i64 = 8;

/// Points measured again with all time steps.
pub const FINALISTS: usize = 5;

/// What a search tells while it goes on.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The baseline has been measured, and the first candidate is next.
    Begins(&'a Heading),
    /// A candidate has been measured, or why it could not be is known.
    Point(&'a Point),
    /// A kernel failed, and the GPU takes no more work; what was measured before is kept.
    Broken,
    /// One of the best has been measured again with all time steps, or single steps have been measured.
    Final(&'a Point),
}

/// What is told of [`Event`]s; [`ControlFlow::Break`] ends the search like [`Search::run`]'s `stop`.
pub type Watch<'a> = dyn FnMut(Event) -> ControlFlow<()> + 'a;

/// The points that the model proposes for a request, on one GPU.
pub struct Search<'a> {
    prepared: &'a Prepared,
    /// The sizes that are measured.
    pub problem: Problem,
    /// Those of the problem, with tiles.
    options: Options,
    candidates: Vec<Candidate>,
    /// What the model takes for these sizes; `None` for hybrid tiles that it has not chosen.
    model: Option<Variant>,
}

/// What a search has found.
pub struct Tuning {
    /// What was measured on what.
    pub heading: Heading,
    /// All points measured, and those that could not be; single steps last.
    pub points: Vec<Point>,
    /// What the model takes for these sizes; `None` for hybrid tiles that it has not chosen.
    pub model: Option<Variant>,
    /// The search was stopped.
    pub interrupted: bool,
    /// Compilations under way, which come to their end when this is dropped.
    _workers: Option<Workers>,
}

/// How a search has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome<'a> {
    /// The best point.
    Best(&'a Point),
    /// The best point, of tiles that are slower than one launch per time step.
    NoGain(&'a Point),
    /// No point with right results could be measured.
    Nothing,
}

/// What became of the entry in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The best point is in this file.
    Stored(PathBuf),
    /// An earlier search had found a gain for the same problem, which is none; its file is gone.
    Removed(PathBuf),
    /// It is as before.
    Nothing,
}

impl Prepared {
    /// The points that the model proposes for the sizes that are measured on a GPU.
    ///
    /// # Errors
    /// Those of the compiler and of [`Prepared::problem`].
    pub fn search(&self, bench: &Workbench) -> Result<Search<'_>> {
        let Request {
            stencil, options, ..
        } = &self.request;
        let problem = self.problem(bench.device.info.memory)?;
        let options = Options {
            sizes: problem.params.clone(),
            keep_tiles: true,
            ..options.clone()
        };
        let refused = refused(stencil);
        self.ctx.reset_operations();
        let candidates = candidates(&self.ctx, stencil, &options).map_err(&refused)?;
        // What the model takes for these sizes, without the ones given.
        let free = Options {
            tile: None,
            stream_tile: None,
            keep_tiles: false,
            ..options.clone()
        };
        self.ctx.reset_operations();
        let by_default = pipeline::compile(&self.ctx, stencil, &free).map_err(&refused)?;
        let model = match by_default.units.first() {
            Some(unit) => Variant::taken(unit),
            None => Some(Variant::STEPS),
        };
        Ok(Search {
            prepared: self,
            problem,
            options,
            candidates,
            model,
        })
    }
}

impl Search<'_> {
    /// Measures candidates until there is none, or no time, or `stop` is set: a part of the steps first,
    /// then the best with all of them. Every result is compared with the baseline's bit for bit.
    ///
    /// # Errors
    /// [`Error::Gpu`](crate::Error::Gpu) where the baseline cannot be measured, or a kernel fails
    /// after it has been measured.
    pub fn run(&self, bench: &Workbench, stop: &AtomicBool, watch: &mut Watch) -> Result<Tuning> {
        let Prepared {
            request,
            ctx,
            compiled,
            began,
        } = self.prepared;
        let flags = request.flags();
        let ground = Ground::new(bench, compiled, &self.problem, &self.candidates, flags)?;
        let steps = match cache::searched_tiling(&self.options) {
            Tiling::Auto => ground.single_steps((ctx, &request.stencil, &self.options), flags)?,
            _ => None,
        };
        let mut tuning = Tuning {
            heading: Heading {
                file: request.name.clone(),
                gpu: bench.device.info.name.clone(),
                problem: self.problem.to_string(),
                naive_gcells: ground.naive_gcells,
                n_candidates: self.candidates.len(),
                version: VERSION.to_string(),
            },
            points: Vec::new(),
            model: self.model.clone(),
            interrupted: true,
            _workers: None,
        };
        if watch(Event::Begins(&tuning.heading)).is_break() {
            return Ok(tuning);
        }
        // A tenth is for the last comparison.
        let workers = Workers::start(Recipe {
            saved: request.stencil.clone(),
            options: self.options.clone(),
            compiler: bench.compiler.clone(),
            candidates: self.candidates.clone(),
            problem: self.problem.clone(),
            n_units: compiled.units.len(),
            flags,
            check: ground.check.clone(),
            wanted_steps: ground.wanted_steps,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            deadline: *began + request.budget.mul_f64(0.9),
        });
        let mut measured = Measured {
            ground,
            points: Vec::new(),
            built: Vec::new(),
            broken: false,
        };
        let mut end = measured.search(&workers, stop, watch);
        workers.stop();
        tuning._workers = Some(workers);
        if end.is_continue() && !measured.broken {
            end = measured.finals(*began + request.budget, watch)?;
        }
        tuning.points = measured.points;
        tuning.interrupted = end.is_break();
        if let Some(steps) = steps {
            tuning.interrupted |= watch(Event::Final(&steps)).is_break();
            tuning.points.push(steps);
        }
        Ok(tuning)
    }

    /// Keeps what was found for later translations, and forgets what an earlier search has found where
    /// this one has found no gain.
    ///
    /// # Errors
    /// [`Error::Cache`](crate::Error::Cache).
    pub fn keep(&self, tuning: &Tuning, folder: &Path) -> Result<Kept> {
        let (saved, heading) = (&self.prepared.request.stencil, &tuning.heading);
        Ok(match tuning.outcome() {
            Outcome::Best(best) => {
                let entry = Tuned {
                    format: cache::FORMAT,
                    gpu: heading.gpu.clone(),
                    variant: best.variant.clone(),
                    gcells: best.measured.unwrap_or(0.0),
                    problem: heading.problem.clone(),
                    version: VERSION.to_string(),
                };
                Kept::Stored(cache::store(folder, saved, &self.options, &entry)?)
            }
            Outcome::NoGain(_) => {
                let of = (heading.gpu.as_str(), heading.problem.as_str());
                let removed = cache::remove(folder, saved, &self.options, of)?;
                removed.map_or(Kept::Nothing, Kept::Removed)
            }
            Outcome::Nothing => Kept::Nothing,
        })
    }
}

impl Tuning {
    /// Points that were measured with right results, the fastest first.
    pub fn ranked(&self) -> impl Iterator<Item = &Point> {
        let good = |p: &&Point| p.correct == Some(true) && p.measured.is_some();
        report::ranked(&self.points).into_iter().filter(good)
    }

    /// How the search has ended.
    pub fn outcome(&self) -> Outcome<'_> {
        match self.ranked().next() {
            None => Outcome::Nothing,
            Some(best) => {
                let measured = best.measured.unwrap_or(0.0);
                match best.variant != Variant::STEPS && self.heading.beats(measured) {
                    true => Outcome::NoGain(best),
                    false => Outcome::Best(best),
                }
            }
        }
    }

    /// Number of points with wrong results.
    pub fn n_wrong(&self) -> usize {
        let wrong = self.points.iter().filter(|p| p.correct == Some(false));
        wrong.count()
    }

    /// Billions of cells per second measured with what the model takes.
    pub fn model_gcells(&self) -> Option<f64> {
        let model = self.model.as_ref()?;
        let point = self.points.iter().find(|p| p.variant == *model)?;
        point.measured
    }
}

/// What has been measured so far.
struct Measured<'a> {
    ground: Ground<'a>,
    points: Vec<Point>,
    /// The code of every point, where it could be compiled.
    built: Vec<Option<Ready>>,
    /// A kernel failed, and the GPU takes no more work.
    broken: bool,
}

impl Measured<'_> {
    /// Measures what the threads have compiled, until there is no candidate or no
    /// time left; breaks where the search is stopped.
    fn search(
        &mut self,
        workers: &Workers,
        stop: &AtomicBool,
        watch: &mut Watch,
    ) -> ControlFlow<()> {
        let recipe = workers.recipe();
        while !self.broken && Instant::now() < recipe.deadline {
            if stop.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            let (index, ready) = match workers.results.recv_timeout(Duration::from_millis(100)) {
                Ok(result) => result,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let Some(candidate) = recipe.candidates.get(index) else {
                continue;
            };
            let (point, ready) = self.point(candidate, ready);
            watch(Event::Point(&point))?;
            self.points.push(point);
            self.built.push(ready);
            if self.broken {
                watch(Event::Broken)?;
            }
        }
        match stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Measures a candidate, if it has been compiled.
    fn point(
        &mut self,
        candidate: &Candidate,
        ready: std::result::Result<Ready, String>,
    ) -> (Point, Option<Ready>) {
        let mut point = candidate.point();
        let ready = match ready {
            Ok(ready) => ready,
            Err(reason) => {
                point.error = Some(reason);
                return (point, None);
            }
        };
        if let Err(e) = self.ground.measure(&ready, &mut point) {
            point.error = Some(e.to_string());
            // An error inside a kernel leaves the GPU unusable.
            self.broken = self.ground.bench.device.synchronize().is_err();
        }
        (point, Some(ready))
    }

    /// Measures the best points again with all time steps, as long as there is time.
    fn finals(&mut self, end: Instant, watch: &mut Watch) -> Result<ControlFlow<()>> {
        let ground = &self.ground;
        let first = ground.compiled.units[0].stencil();
        let full = ground.problem.values();
        let steps = ground.problem.steps(first);
        let cells = ground.cells_per_step * steps as f64;
        let order = best_of(&self.points);
        let Some(&best) = order.first() else {
            return Ok(ControlFlow::Continue(()));
        };
        // A run for the check, a warm-up, three samples; the baseline runs once.
        let seconds = |gcells: f64| cells / gcells.max(1e-9) / 1e9;
        let left = |end: Instant| end.saturating_duration_since(Instant::now()).as_secs_f64();
        let one = 5.0 * seconds(self.points[best].measured.unwrap_or(0.0));
        if left(end) < seconds(ground.naive_gcells) + 2.0 * one {
            return Ok(ControlFlow::Continue(()));
        }
        ground.fill(&ground.reference, &full)?;
        (ground.baseline).run(ground.bench, ground.compiled, &ground.reference, &full)?;
        ground.bench.device.synchronize()?;
        for i in order {
            let Some(ready) = self.built.get(i).and_then(Option::as_ref) else {
                continue;
            };
            if left(end) < one {
                break;
            }
            let mut point = self.points[i].clone();
            ground.measure_full(ready, (&full, steps), &mut point)?;
            let end = watch(Event::Final(&point));
            self.points[i] = point;
            if end.is_break() {
                return Ok(end);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Ground<'_> {
    /// Checks and times a candidate with all time steps.
    fn measure_full(
        &self,
        ready: &Ready,
        (full, steps): (&[i64], i64),
        point: &mut Point,
    ) -> std::result::Result<(), GpuError> {
        let tiled = Tiled::load(self.bench, &ready.built)?;
        let right = self.is_right(&tiled, (FULL, full))?;
        point.correct = Some(right);
        if right {
            self.time(&tiled, (FULL, full), steps, point)?;
        }
        Ok(())
    }
}

/// The fastest points with right results, so many as are measured again.
fn best_of(points: &[Point]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len())
        .filter(|&i| points[i].correct == Some(true) && points[i].measured.is_some())
        .collect();
    let speed = |i: usize| points[i].measured.unwrap_or(0.0);
    order.sort_by(|&a, &b| speed(b).total_cmp(&speed(a)));
    order.truncate(FINALISTS);
    order
}
