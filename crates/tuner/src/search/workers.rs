//! Candidates compiled by all processors.
//!
//! What the compiler makes of a candidate refers to isl objects, which stay in their thread. So each
//! thread has an isl context of its own, and hands over plain data.

use super::MIN_TIME_TILES;
use super::candidates::Candidate;
use crate::measure::{self, Built, TiledKernel};
use crate::problem::{self, Problem};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::explore::{self, Exploration};
use hexcc_compiler::options::{Options, Tiling};
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::tiling::hybrid::HybridKernel;
use hexcc_compiler::tiling::overlapped::StreamKernel;
use hexcc_gpu::{Compiler, Flags, GpuError};
use hexcc_isl::Ctx;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How much faster than hybrid tiles overlapped ones are expected to be.
const STREAM_GAIN: i64 = 4;

/// What a thread hands over: the number of a candidate, and its machine code or why there is none.
pub(super) type Done = (usize, Result<Ready, String>);

/// What a thread needs to compile a candidate.
pub(super) struct Recipe {
    pub(super) saved: SavedScop,
    pub(super) options: Options,
    pub(super) compiler: Compiler,
    pub(super) candidates: Vec<Candidate>,
    pub(super) problem: Problem,
    pub(super) n_units: usize,
    pub(super) flags: Flags,
    pub(super) check: Vec<i64>,
    pub(super) wanted_steps: i64,
    /// The next candidate.
    pub(super) next: AtomicUsize,
    pub(super) stop: AtomicBool,
    pub(super) deadline: Instant,
}

/// A candidate's machine code and what it was run with.
pub(super) struct Ready {
    pub(super) built: Built,
    pub(super) steps: i64,
    pub(super) timed: Vec<i64>,
}

impl Recipe {
    /// Compiles candidates until there are none, or no time.
    fn work(&self, results: &mpsc::Sender<Done>) {
        let Ok(ctx) = Ctx::new() else { return };
        // The analysis has succeeded before, so it does here.
        let _ = explore::explore(&ctx, &self.saved, &self.options, |exploration| {
            loop {
                let index = self.next.fetch_add(1, Ordering::Relaxed);
                let late = self.stop.load(Ordering::Relaxed) || Instant::now() > self.deadline;
                let Some(candidate) = self.candidates.get(index).filter(|_| !late) else {
                    return;
                };
                let ready = self.prepare(exploration, candidate);
                if results.send((index, ready)).is_err() {
                    return;
                }
            }
        });
    }

    fn prepare(&self, exploration: &Exploration, candidate: &Candidate) -> Result<Ready, String> {
        let options = candidate.variant.options(&self.options);
        let message = |d: Box<Diagnostic>| d.message;
        let (mut hybrid, mut streamed): (Vec<HybridKernel>, Vec<StreamKernel>) = Default::default();
        match candidate.variant.tiling() {
            Tiling::Overlapped => {
                streamed = exploration.stream_kernels(&options).map_err(message)?
            }
            _ => hybrid = exploration.kernels(&options).map_err(message)?,
        }
        let kernels: Vec<TiledKernel> = (hybrid.iter().map(TiledKernel::Hybrid))
            .chain(streamed.iter().map(TiledKernel::Streamed))
            .collect();
        let Some(first) = kernels.first().filter(|_| kernels.len() == self.n_units) else {
            return Err("other time loops are tiled than by default".to_string());
        };
        let stencil = first.stencil();
        // A whole number of time tiles.
        let steps = match streamed.first() {
            Some(stream) => {
                let wanted = STREAM_GAIN * self.wanted_steps / candidate.steps(1).max(1);
                stream.steps_of(wanted.max(MIN_TIME_TILES))
            }
            None => {
                let per_tile = candidate.steps(stencil.k);
                (self.wanted_steps / per_tile).max(MIN_TIME_TILES) * per_tile
            }
        };
        let timed = self.problem.with_steps(stencil, steps);
        let steps = problem::steps(stencil, &timed).unwrap_or(0);
        let sets = [self.check.clone(), timed.clone(), self.problem.values()];
        let built = measure::build(&self.compiler, &kernels, self.flags, &sets);
        Ok(Ready {
            built: built.map_err(|e| match e {
                GpuError::Compile { log } => {
                    format!("NVRTC: {}", log.lines().next().unwrap_or_default())
                }
                e => e.to_string(),
            })?,
            steps,
            timed,
        })
    }
}

/// Threads that compile until they are dropped.
pub(super) struct Workers {
    recipe: Arc<Recipe>,
    threads: Vec<JoinHandle<()>>,
    pub(super) results: mpsc::Receiver<Done>,
}

impl Workers {
    /// A thread for each processor.
    pub(super) fn start(recipe: Recipe) -> Workers {
        let n_threads = std::thread::available_parallelism().map_or(2, |n| n.get());
        let (sender, results) = mpsc::channel();
        let recipe = Arc::new(recipe);
        let threads = (0..n_threads.min(recipe.candidates.len()))
            .map(|_| {
                let (recipe, sender) = (recipe.clone(), sender.clone());
                std::thread::spawn(move || recipe.work(&sender))
            })
            .collect();
        Workers {
            recipe,
            threads,
            results,
        }
    }

    /// What they compile.
    pub(super) fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Lets no thread begin with another candidate.
    pub(super) fn stop(&self) {
        self.recipe.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for Workers {
    /// Lets compilations under way come to their end, since NVRTC does not like
    /// the program to end below it; but not longer than some seconds.
    fn drop(&mut self) {
        self.stop();
        let patience = Instant::now() + Duration::from_secs(10);
        while Instant::now() < patience && !self.threads.iter().all(JoinHandle::is_finished) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
