//! `hexcc tune`: measures tile sizes on the GPU and keeps the best.

use crate::cache::{self, Tuned};
use crate::cli::{self, InputArgs, KernelArgs, TargetArgs};
use crate::emit::{self, Log, Prefix};
use crate::input::Input;
use crate::limit::TimeLimit;
use crate::measure::{
    self, Arrays, Baseline, Built, Tiled, TiledKernel, Workbench, gpu_failure, median_ms,
};
use crate::problem::{self, Problem};
use crate::render::{self, Failure};
use crate::report::{self, Heading, Point, Shape};
use crate::single::Single;
use crate::variant::Variant;
use clap::Parser;
use hexcc_compiler::back::Precision;
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::explore::{self, Exploration};
use hexcc_compiler::kernel::KernelIr;
use hexcc_compiler::options::{Options, Tiling};
use hexcc_compiler::pipeline;
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::stream_size::StreamChoice;
use hexcc_compiler::tile_size::Choice;
use hexcc_compiler::tiling::Kernel;
use hexcc_compiler::tiling::overlapped::StreamKernel;
use hexcc_gpu::{Compiler, Flags, GpuError};
use hexcc_isl::Ctx;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Measures tile sizes on the GPU, checks every one of them, and keeps the best
/// for later translations.
///
/// Candidates are those of the model, of both tilings, in its order. Every candidate is
/// compiled by NVRTC with `-fmad=false` (with `--fast-math`, like `--use_fast_math`),
/// compared bit for bit with a kernel that has one thread per cell, and timed.
#[derive(Debug, Parser)]
#[command(name = "hexcc tune", bin_name = "hexcc tune")]
pub struct Tune {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// Time for everything, such as `60s` or `2m`
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_budget)]
    budget: Duration,
    /// Write PREFIX.jsonl and PREFIX.html [default: the file's name and `.tune`]
    #[arg(short, long, value_name = "PREFIX")]
    output: Option<PathBuf>,
}

/// `90`, `60s`, `2m`.
fn parse_budget(text: &str) -> Result<Duration, String> {
    let form = "expected a time such as `60s` or `2m`";
    let (number, unit) = match text.trim() {
        t if t.ends_with('m') => (&t[..t.len() - 1], 60.0),
        t if t.ends_with('s') => (&t[..t.len() - 1], 1.0),
        t => (t, 1.0),
    };
    let seconds = number.trim().parse::<f64>().map_err(|_| form)? * unit;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if time >= Duration::from_secs(1) => Ok(time),
        _ => Err(format!("{form}, of a second or more")),
    }
}

/// Sets of parameters a candidate is run with.
const CHECK: usize = 0;
const TIME: usize = 1;
const FULL: usize = 2;

/// Time tiles of a timed run, at least: the half tiles at its two ends then are
/// a small part of it.
const MIN_TIME_TILES: i64 = 8;

/// Wanted duration of a timed run, milliseconds.
const RUN_MS: f64 = 30.0;

/// How much faster than hybrid tiles overlapped ones are expected to be.
const STREAM_GAIN: i64 = 4;

/// Points measured again with all time steps.
const FINALISTS: usize = 5;

/// Everything about the problem that does not depend on the candidate.
struct Ground<'a> {
    bench: &'a Workbench,
    compiled: &'a Compiled,
    problem: &'a Problem,
    baseline: Baseline,
    /// The baseline's results for [`CHECK`], then for [`FULL`].
    reference: Arrays,
    work: Arrays,
    /// Parameters of [`CHECK`].
    check: Vec<i64>,
    cells_per_step: f64,
    /// Time steps of a timed run, before rounding to time tiles.
    wanted_steps: i64,
    naive_gcells: f64,
}

/// What a thread needs to compile a candidate.
struct Recipe {
    saved: SavedScop,
    options: Options,
    compiler: Compiler,
    choices: Vec<Candidate>,
    problem: Problem,
    n_units: usize,
    flags: Flags,
    check: Vec<i64>,
    wanted_steps: i64,
    next: AtomicUsize,
    stop: AtomicBool,
    deadline: Instant,
}

/// A point to measure: plain data that threads share.
#[derive(Clone, Debug)]
struct Candidate {
    variant: Variant,
    shape: Shape,
    predicted: f64,
}

impl Candidate {
    fn hybrid(choice: &Choice) -> Candidate {
        Candidate {
            variant: Variant::of(choice),
            shape: Shape::Hybrid {
                h: choice.sizes.h,
                w: choice.sizes.w.clone(),
                hex_dim: choice.schedule.hex_dim,
            },
            predicted: choice.gcells(),
        }
    }

    fn streamed(choice: &StreamChoice) -> Candidate {
        let tile = choice.tile;
        Candidate {
            variant: Variant::streamed(tile),
            shape: Shape::Stream {
                t: tile.steps,
                v: tile.vector,
                rows: tile.rows,
                ahead: tile.ahead,
                warps: tile.warps,
                blocks: tile.min_blocks,
            },
            predicted: choice.gcells,
        }
    }

    /// Time steps of a tile, for k logical steps in each.
    fn steps(&self, k: i64) -> i64 {
        match &self.shape {
            Shape::Hybrid { h, .. } => (2 * h + 2).div_euclid(k.max(1)).max(1),
            Shape::Stream { t, .. } => *t,
            Shape::Steps {} => 1,
        }
    }

    fn point(&self) -> Point {
        Point {
            variant: self.variant.clone(),
            shape: self.shape.clone(),
            predicted: self.predicted,
            measured: None,
            ms: None,
            steps: 0,
            registers: 0,
            local_bytes: 0,
            shared_bytes: 0,
            correct: None,
            error: None,
        }
    }
}

/// A candidate's machine code and what it was run with.
struct Ready {
    built: Built,
    steps: i64,
    timed: Vec<i64>,
}

impl Tune {
    /// Does it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let start = Instant::now();
        let limit = TimeLimit::start(self.kernel.time_limit);
        let input = self.input.read(self.kernel.sums, &limit)?;
        let ctx = cli::context(&limit)?;
        // The cache must not decide what the model's choice is.
        let kernel = KernelArgs {
            no_cache: true,
            keep_tiles: true,
            ..self.kernel.clone()
        };
        let compiled = cli::tiled(kernel.compile(&ctx, &input, &self.target)?)?;
        // What follows repeats this many times.
        limit.finish()?;
        let bench = match Workbench::open() {
            Ok(bench) => bench,
            Err(error) => return Err(without_gpu(error, &compiled)),
        };
        let memory = bench.device.info.memory;
        let problem = measure::choose_problem(&input.saved, &compiled, &self.target.set, memory)?;
        let mut options = self.kernel.options(&self.target)?;
        options.sizes = problem.params.clone();
        options.keep_tiles = true;
        ctx.reset_operations();
        let with_source = |d: Box<Diagnostic>| Failure {
            diagnostics: vec![*d],
            source: Some(input.saved.source.clone()),
        };
        let choices = choices(&ctx, &input.saved, &options).map_err(with_source)?;
        // What the model takes for these sizes, without the ones given.
        let free = Options {
            tile: None,
            stream_tile: None,
            keep_tiles: false,
            ..options.clone()
        };
        ctx.reset_operations();
        let by_default = pipeline::compile(&ctx, &input.saved, &free).map_err(with_source)?;
        let model = match by_default.units.first() {
            Some(unit) => Variant::taken(unit),
            None => Some(Variant::STEPS),
        };
        let model = model.map(|v| v.to_string());
        drop(by_default);
        let stopped = Arc::new(AtomicBool::new(false));
        let flag = stopped.clone();
        // Where a handler cannot be set, ctrl-C ends the program as usual.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });

        let flags = Flags {
            fmad: self.kernel.fast_math,
            fast_math: self.kernel.fast_math,
        };
        let ground = Ground::new(&bench, &compiled, &problem, &choices, flags);
        let mut ground = ground.map_err(gpu_failure)?;
        let steps = match cache::searched_tiling(&options) {
            Tiling::Auto => ground.single_steps((&ctx, &input.saved, &options), flags),
            _ => Ok(None),
        };
        let steps = steps.map_err(gpu_failure)?;
        let heading = Heading {
            file: file_name(&input),
            gpu: bench.device.info.name.clone(),
            problem: problem.to_string(),
            naive_gcells: ground.naive_gcells,
            n_candidates: choices.len(),
            version: crate::VERSION.to_string(),
        };
        let prefix = self.prefix(&input);
        let mut log = Log::create(&prefix)?;
        log.line(&report::json_line("tuning", &heading))?;
        eprintln!(
            "{} on {}, {problem}: {} candidates; one thread per cell: {:.1} GCell/s",
            heading.file,
            heading.gpu,
            choices.len(),
            heading.naive_gcells
        );

        // A tenth is for the last comparison.
        let deadline = start + self.budget.mul_f64(0.9);
        let recipe = Arc::new(Recipe {
            saved: input.saved.clone(),
            options: options.clone(),
            compiler: bench.compiler.clone(),
            choices,
            problem: problem.clone(),
            n_units: compiled.units.len(),
            flags,
            check: ground.check.clone(),
            wanted_steps: ground.wanted_steps,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            deadline,
        });
        let threads = start_threads(&recipe);
        let search = search(&ground, &recipe, threads.results, &stopped, &mut log);
        recipe.stop.store(true, Ordering::Relaxed);
        if search.is_err() {
            wait_for(&threads.handles);
        }
        let Search {
            mut points,
            built,
            broken,
        } = search?;
        let interrupted = stopped.load(Ordering::Relaxed);
        if !interrupted && !broken {
            let end = start + self.budget;
            finals(&mut ground, &mut points, &built, end, &mut log)?;
        }
        if let Some(steps) = steps {
            log.line(&report::json_line("final", &steps))?;
            points.push(steps);
        }
        emit::write(&prefix.with_added("html"), &report::html(&heading, &points))?;
        if interrupted {
            eprintln!("interrupted; what was measured is kept");
        }
        let model = model.unwrap_or_default();
        let done = self.conclude(
            &input, &options, &model, &heading, &points, &prefix, &mut log,
        );
        wait_for(&threads.handles);
        eprintln!("{:.1} s in all", start.elapsed().as_secs_f64());
        done
    }

    fn prefix(&self, input: &Input) -> Prefix {
        Prefix(self.output.clone().unwrap_or_else(|| {
            let name = file_name(input);
            let stem = name.split('.').next().unwrap_or("stencil");
            PathBuf::from(format!("{stem}.tune"))
        }))
    }

    /// Reports the best point and keeps it.
    #[allow(clippy::too_many_arguments)]
    fn conclude(
        &self,
        input: &Input,
        options: &Options,
        model: &str,
        heading: &Heading,
        points: &[Point],
        prefix: &Prefix,
        log: &mut Log,
    ) -> Result<ExitCode, Failure> {
        let ranked = report::ranked(points);
        let good = |p: &&&Point| p.correct == Some(true) && p.measured.is_some();
        let Some(best) = ranked.iter().find(good) else {
            let wrong = points.iter().filter(|p| p.correct == Some(false)).count();
            let d = Diagnostic::error("HX0607", "no tile sizes could be measured")
                .note(format!(
                    "{} points tried, {wrong} with wrong results",
                    points.len()
                ))
                .help("`--budget` gives more time; the file of JSON lines says what failed");
            return Err(Failure::plain(d));
        };
        let measured = best.measured.unwrap_or(0.0);
        let is_slower = best.variant != Variant::STEPS && heading.beats(measured);
        // Whoever reads the lines takes the last word of the search from the kind.
        let kind = if is_slower { "slower" } else { "best" };
        log.line(&report::json_line(kind, best))?;
        println!(
            "  {:<40} {:>9} {:>9}  registers  local  shared",
            "tile", "GCell/s", "predicted"
        );
        for p in ranked.iter().filter(good).take(FINALISTS) {
            println!(
                "  {:<40} {:>9.1} {:>9.1}  {:>9}  {:>5}  {:>6}",
                p.variant.to_string(),
                p.measured.unwrap_or(0.0),
                p.predicted,
                p.registers,
                p.local_bytes,
                p.shared_bytes
            );
        }
        let wrong = points.iter().filter(|p| p.correct == Some(false)).count();
        if wrong > 0 {
            println!(
                "  {wrong} points gave WRONG RESULTS and do not count; please report the file"
            );
        }
        let model_speed = points
            .iter()
            .find(|p| p.variant.to_string() == model)
            .and_then(|p| p.measured);
        let model_speed = model_speed.map_or_else(|| "none".to_string(), |s| format!("{s:.1}"));
        let result = format!(
            "{} with {measured:.1} GCell/s, {:.2} times the baseline; the model's choice {model} has {model_speed}",
            best.variant,
            measured / heading.naive_gcells,
        );
        println!("{}: {result}", if is_slower { "no gain" } else { "tuned" });
        println!(
            "written: {} and {}",
            prefix.with_added("jsonl").display(),
            prefix.with_added("html").display()
        );
        if is_slower {
            render::render(&[no_gain(best, heading)], None);
            return self.forget(input, options, heading);
        }
        let entry = Tuned {
            format: cache::FORMAT,
            gpu: heading.gpu.clone(),
            variant: best.variant.clone(),
            gcells: measured,
            problem: heading.problem.clone(),
            version: crate::VERSION.to_string(),
        };
        if self.kernel.no_cache {
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(folder) = cache::folder() {
            let path = cache::store(&folder, &input.saved, options, &entry)?;
            println!("kept in {}; later translations use it", path.display());
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Drops what an earlier search has kept and this one has found to be no gain.
    fn forget(
        &self,
        input: &Input,
        options: &Options,
        heading: &Heading,
    ) -> Result<ExitCode, Failure> {
        let of = (heading.gpu.as_str(), heading.problem.as_str());
        let folder = cache::folder().filter(|_| !self.kernel.no_cache);
        if let Some(folder) = folder
            && let Some(path) = cache::remove(&folder, &input.saved, options, of)?
        {
            println!("removed {}", path.display());
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// All tile sizes measured are slower than the baseline.
fn no_gain(best: &Point, heading: &Heading) -> Diagnostic {
    let (measured, naive) = (best.measured.unwrap_or(0.0), heading.naive_gcells);
    Diagnostic::warning("HX0608", "no tile sizes are faster than one launch per time step")
        .note(format!(
            "the best, {}, has {measured:.1} GCell/s; one thread per cell and one launch per step have {naive:.1}",
            best.variant
        ))
        .note(format!("measured with {} on {}", heading.problem, heading.gpu))
        .help("nothing is kept, and translations take the model's choice: for these sizes a plain kernel, launched in every step, is the better program")
}

/// The failure where there is no GPU, with what the model would do.
fn without_gpu(error: GpuError, compiled: &Compiled) -> Failure {
    let mut failure = gpu_failure(error);
    let unit = &compiled.units[0];
    let sizes = match &unit.tiled.kernel {
        Kernel::Overlapped(kernel, _) => format!("--stream-tile {}", kernel.tile()),
        Kernel::Hybrid(hybrid) => format!("--tile {}", hybrid.schedule.sizes()),
    };
    if let Some(d) = failure.diagnostics.first_mut() {
        d.notes.push(format!(
            "the model's choice, without measurements, is `{sizes}`"
        ));
    }
    failure
}

fn file_name(input: &Input) -> String {
    let name = Path::new(&input.saved.source.path).file_name();
    name.and_then(OsStr::to_str)
        .unwrap_or("stencil")
        .to_string()
}

/// The model's candidates in the order they are tried.
fn choices(
    ctx: &Ctx,
    saved: &SavedScop,
    options: &Options,
) -> hexcc_compiler::diag::Result<Vec<Candidate>> {
    let tiling = cache::searched_tiling(options);
    let mut all = explore::explore(ctx, saved, options, |exploration| {
        let mut given = Vec::new();
        let mut all = Vec::new();
        if tiling != Tiling::Overlapped {
            if options.tile.is_some() {
                given.extend(exploration.choices(options)?.iter().map(Candidate::hybrid));
            }
            let free = Options {
                tile: None,
                ..options.clone()
            };
            all.extend(exploration.choices(&free)?.iter().map(Candidate::hybrid));
        }
        if tiling != Tiling::Hybrid {
            let streamed = |options: &Options| {
                let choices = exploration.stream_choices(options)?;
                Ok::<_, Box<Diagnostic>>(choices.iter().map(Candidate::streamed).collect())
            };
            if options.stream_tile.is_some() {
                let choices: Vec<Candidate> = streamed(options)?;
                given.extend(choices);
            }
            let free = Options {
                stream_tile: None,
                ..options.clone()
            };
            let choices: Vec<Candidate> = streamed(&free)?;
            all.extend(choices);
        }
        // The best of the model first; equal ones keep their order.
        all.sort_by(|a, b| b.predicted.total_cmp(&a.predicted));
        given.extend(in_order(all));
        Ok::<_, Box<Diagnostic>>(given)
    })??;
    let mut seen = HashSet::new();
    all.retain(|c| seen.insert(c.variant.to_string()));
    Ok(all)
}

/// The best of the model first; then the best of every combination of height
/// and hexagon width (of steps and columns, for overlapped tiles), then their second
/// best, and so on, so that a model that errs about one of them does not hide the rest.
fn in_order(mut choices: Vec<Candidate>) -> Vec<Candidate> {
    const FAVOURITES: usize = 24;
    // The best of the other tiling comes second: a short search compares the two.
    let other = (choices.first().map(|c| c.variant.tiling()))
        .and_then(|first| choices.iter().position(|c| c.variant.tiling() != first));
    if let Some(at) = other {
        choices[1..=at].rotate_right(1);
    }
    let rest = choices.split_off(FAVOURITES.min(choices.len()));
    let shape = |c: &Candidate| match (&c.shape, &c.variant) {
        (Shape::Hybrid { h, w, hex_dim }, Variant::Hybrid { wavefront, .. }) => {
            (Tiling::Hybrid, *h, w.get(*hex_dim).copied(), *wavefront)
        }
        (Shape::Hybrid { h, .. }, _) => (Tiling::Hybrid, *h, None, None),
        (Shape::Steps {}, _) => (Tiling::Stepwise, 0, None, None),
        (Shape::Stream { t, v, .. }, _) => (Tiling::Overlapped, *t, Some(*v), None),
    };
    let mut seen = HashMap::new();
    let mut ranked: Vec<(usize, Candidate)> = (rest.into_iter())
        .map(|c| {
            let n = seen.entry(shape(&c)).or_insert(0);
            *n += 1;
            (*n, c)
        })
        .collect();
    // A stable sort: the model's order within a round.
    ranked.sort_by_key(|(n, _)| *n);
    choices.extend(ranked.into_iter().map(|(_, c)| c));
    choices
}

impl<'a> Ground<'a> {
    fn new(
        bench: &'a Workbench,
        compiled: &'a Compiled,
        problem: &'a Problem,
        choices: &[Candidate],
        flags: Flags,
    ) -> Result<Ground<'a>, GpuError> {
        let first = compiled.units[0].stencil();
        let kernels: Vec<_> = compiled.units.iter().map(|u| u.stencil()).collect();
        // Three time tiles of the tallest candidate.
        let k = first.k;
        let n_check = 3 * choices.iter().map(|c| c.steps(k)).max().unwrap_or(2) + 1;
        let check = problem.with_steps(first, n_check);
        let full = problem.values();
        let sets = [check.clone(), full.clone()];
        let arrays = || Arrays::new(bench, &kernels, &sets, Precision::Source, false);
        let baseline = Baseline::build(bench, compiled, Precision::Source, flags, &full)?;
        let mut ground = Ground {
            bench,
            compiled,
            problem,
            baseline,
            reference: arrays()?,
            work: arrays()?,
            check,
            cells_per_step: 0.0,
            wanted_steps: 0,
            naive_gcells: 0.0,
        };
        ground.measure_baseline()?;
        Ok(ground)
    }

    fn measure_baseline(&mut self) -> Result<(), GpuError> {
        let first = self.compiled.units[0].stencil();
        let steps = problem::steps(first, &self.check).unwrap_or(1).max(1);
        self.fill(&self.reference, &self.check)?;
        let work = (self.baseline).work(self.bench, self.compiled, &self.reference, &self.check)?;
        self.cells_per_step = work.cells / steps as f64;
        let run = || (self.baseline).run(self.bench, self.compiled, &self.work, &self.check);
        self.fill(&self.work, &self.check)?;
        let ms = median_ms(self.bench, 1, 3, &run)?;
        self.naive_gcells = work.cells / ms / 1e6;
        // Tiled kernels are expected to be about three times as fast.
        let wanted = RUN_MS / (ms / steps as f64 / 3.0).max(1e-6);
        self.wanted_steps = (wanted as i64).clamp(1, self.problem.steps(first).max(1));
        (self.baseline).run(self.bench, self.compiled, &self.reference, &self.check)?;
        self.bench.device.synchronize()
    }

    /// Single steps, checked and timed; `None` where they cannot be measured.
    fn single_steps(
        &self,
        (ctx, saved, options): (&Ctx, &SavedScop, &Options),
        flags: Flags,
    ) -> Result<Option<Point>, GpuError> {
        let first = self.compiled.units[0].stencil();
        let timed = self.problem.with_steps(first, self.wanted_steps);
        let steps = problem::steps(first, &timed).unwrap_or(0);
        let sets = [self.check.clone(), timed.clone()];
        let Some(single) = Single::new(ctx, saved, options, self.compiled, &sets) else {
            return Ok(None);
        };
        let binary = single.text(flags).compile(&self.bench.compiler)?;
        let loaded = single.load(self.bench, &binary)?;
        loaded.fill(self.bench, self.compiled, &self.work, &self.check)?;
        loaded.run(self.bench, &self.work, CHECK)?;
        let both = (&self.work, &self.reference);
        let different = loaded.different(self.bench, self.compiled, both, &self.check)?;
        let run = || loaded.run(self.bench, &self.work, TIME);
        let ms = median_ms(self.bench, 1, 3, &run)?;
        let predicted = self.compiled.units[0].tiled.steps.map_or(0.0, |s| s.gcells);
        Ok(Some(Point {
            variant: Variant::STEPS,
            shape: Shape::Steps {},
            predicted,
            measured: Some(self.cells_per_step * steps as f64 / ms / 1e6),
            ms: Some(ms),
            steps,
            registers: loaded.resources.registers,
            local_bytes: loaded.resources.local_bytes,
            shared_bytes: 0,
            correct: Some(different == 0),
            error: None,
        }))
    }

    fn fill(&self, arrays: &Arrays, params: &[i64]) -> Result<(), GpuError> {
        for unit in &self.compiled.units {
            let layouts = hexcc_compiler::kernel::plan::layouts(unit.stencil(), params);
            arrays.fill(self.bench, unit.stencil(), &layouts.unwrap_or_default())?;
        }
        Ok(())
    }

    /// Whether a variant gives the baseline's results.
    fn is_right(&self, tiled: &Tiled, (set, params): (usize, &[i64])) -> Result<bool, GpuError> {
        let bench = self.bench;
        for (i, unit) in self.compiled.units.iter().enumerate() {
            self.work
                .fill(bench, unit.stencil(), tiled.layouts(i, set))?;
        }
        tiled.run(bench, self.compiled, &self.work, (set, params))?;
        let mut n = 0;
        for (i, unit) in self.compiled.units.iter().enumerate() {
            let stencil = unit.stencil();
            let layouts = hexcc_compiler::kernel::plan::layouts(stencil, params);
            let expected = layouts.unwrap_or_default();
            let layouts = (tiled.layouts(i, set), expected.as_slice());
            n += (self.work).different(&self.reference, bench, stencil, layouts)?;
        }
        Ok(n == 0)
    }

    /// Checks and times a candidate.
    fn measure(&self, ready: &Ready, point: &mut Point) -> Result<(), GpuError> {
        let tiled = Tiled::load(self.bench, &ready.built)?;
        point.registers = tiled.resources.registers;
        point.local_bytes = tiled.resources.local_bytes;
        point.shared_bytes = tiled.resources.shared_bytes;
        let right = self.is_right(&tiled, (CHECK, &self.check))?;
        point.correct = Some(right);
        if right {
            self.time(&tiled, (TIME, &ready.timed), ready.steps, point)?;
        }
        Ok(())
    }

    fn time(
        &self,
        tiled: &Tiled,
        set: (usize, &[i64]),
        steps: i64,
        point: &mut Point,
    ) -> Result<(), GpuError> {
        let run = || tiled.run(self.bench, self.compiled, &self.work, set);
        let ms = median_ms(self.bench, 1, 3, &run)?;
        point.steps = steps;
        point.ms = Some(ms);
        point.measured = Some(self.cells_per_step * steps as f64 / ms / 1e6);
        Ok(())
    }
}

impl Recipe {
    /// Compiles candidates until there are none, or no time.
    fn work(&self, results: &mpsc::Sender<(usize, Result<Ready, String>)>) {
        let Ok(ctx) = Ctx::new() else { return };
        // The analysis has succeeded before, so it does here.
        let _ = explore::explore(&ctx, &self.saved, &self.options, |exploration| {
            loop {
                let index = self.next.fetch_add(1, Ordering::Relaxed);
                let late = self.stop.load(Ordering::Relaxed) || Instant::now() > self.deadline;
                let Some(candidate) = self.choices.get(index).filter(|_| !late) else {
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
        let (mut hybrid, mut streamed): (Vec<KernelIr>, Vec<StreamKernel>) = Default::default();
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

/// Threads that compile.
struct Threads {
    handles: Vec<JoinHandle<()>>,
    results: mpsc::Receiver<(usize, Result<Ready, String>)>,
}

fn start_threads(recipe: &Arc<Recipe>) -> Threads {
    let n_threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    let (sender, results) = mpsc::channel();
    let handles = (0..n_threads.min(recipe.choices.len()))
        .map(|_| {
            let (recipe, sender) = (recipe.clone(), sender.clone());
            std::thread::spawn(move || recipe.work(&sender))
        })
        .collect();
    Threads { handles, results }
}

/// Lets compilations under way come to their end, since NVRTC does not like
/// the program to end below it; but not longer than some seconds.
fn wait_for(threads: &[JoinHandle<()>]) {
    let patience = Instant::now() + Duration::from_secs(10);
    while Instant::now() < patience && !threads.iter().all(JoinHandle::is_finished) {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What was measured.
#[derive(Default)]
struct Search {
    points: Vec<Point>,
    /// The code of every point, where it could be compiled.
    built: Vec<Option<Ready>>,
    /// A kernel failed, and the GPU takes no more work.
    broken: bool,
}

/// Measures what the threads have compiled, until there is no candidate or no
/// time left.
fn search(
    ground: &Ground,
    recipe: &Recipe,
    results: mpsc::Receiver<(usize, Result<Ready, String>)>,
    stopped: &AtomicBool,
    log: &mut Log,
) -> Result<Search, Failure> {
    let progress = Progress::new(recipe.choices.len());
    let mut search = Search::default();
    while !search.broken && !stopped.load(Ordering::Relaxed) && Instant::now() < recipe.deadline {
        let (index, ready) = match results.recv_timeout(Duration::from_millis(100)) {
            Ok(result) => result,
            Err(mpsc::RecvTimeoutError::Timeout) => continue,
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        };
        let Some(candidate) = recipe.choices.get(index) else {
            continue;
        };
        let mut point = candidate.point();
        let ready = match ready {
            Ok(ready) => {
                if let Err(e) = ground.measure(&ready, &mut point) {
                    point.error = Some(e.to_string());
                    // An error inside a kernel leaves the GPU unusable.
                    search.broken = ground.bench.device.synchronize().is_err();
                }
                Some(ready)
            }
            Err(reason) => {
                point.error = Some(reason);
                None
            }
        };
        log.line(&report::json_line("point", &point))?;
        progress.point(&point);
        search.points.push(point);
        search.built.push(ready);
        if search.broken {
            let d =
                Diagnostic::warning("HX0605", "a kernel failed, and the GPU takes no more work")
                    .note(
                        "what was measured before is kept; the file of JSON lines names the kernel",
                    );
            render::render(&[d], None);
        }
    }
    progress.finish();
    Ok(search)
}

/// Measures the best points again with all time steps, as long as there is time.
fn finals(
    ground: &mut Ground,
    points: &mut [Point],
    built: &[Option<Ready>],
    end: Instant,
    log: &mut Log,
) -> Result<(), Failure> {
    let first = ground.compiled.units[0].stencil();
    let full = ground.problem.values();
    let steps = ground.problem.steps(first);
    let cells = ground.cells_per_step * steps as f64;
    let mut order: Vec<usize> = (0..points.len())
        .filter(|&i| points[i].correct == Some(true) && points[i].measured.is_some())
        .collect();
    order.sort_by(|&a, &b| {
        points[b]
            .measured
            .unwrap_or(0.0)
            .total_cmp(&points[a].measured.unwrap_or(0.0))
    });
    order.truncate(FINALISTS);
    let Some(&best) = order.first() else {
        return Ok(());
    };
    // A run for the check, a warm-up, three samples; the baseline runs once.
    let seconds = |gcells: f64| cells / gcells.max(1e-9) / 1e9;
    let left = |end: Instant| end.saturating_duration_since(Instant::now()).as_secs_f64();
    let one = 5.0 * seconds(points[best].measured.unwrap_or(0.0));
    if left(end) < seconds(ground.naive_gcells) + 2.0 * one {
        return Ok(());
    }
    let expected = (|| {
        ground.fill(&ground.reference, &full)?;
        (ground.baseline).run(ground.bench, ground.compiled, &ground.reference, &full)?;
        ground.bench.device.synchronize()
    })();
    expected.map_err(gpu_failure)?;
    for i in order {
        let Some(ready) = built.get(i).and_then(Option::as_ref) else {
            continue;
        };
        if left(end) < one {
            break;
        }
        let mut point = points[i].clone();
        let done = (|| {
            let tiled = Tiled::load(ground.bench, &ready.built)?;
            let right = ground.is_right(&tiled, (FULL, &full))?;
            point.correct = Some(right);
            if right {
                ground.time(&tiled, (FULL, &full), steps, &mut point)?;
            }
            Ok(())
        })();
        done.map_err(gpu_failure)?;
        log.line(&report::json_line("final", &point))?;
        points[i] = point;
    }
    Ok(())
}

/// A bar on a terminal, a line per point elsewhere.
struct Progress {
    bar: Option<ProgressBar>,
    best: std::cell::Cell<f64>,
    n: std::cell::Cell<usize>,
    total: usize,
}

impl Progress {
    fn new(total: usize) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total as u64);
            bar.set_draw_target(ProgressDrawTarget::stderr());
            let style = "{elapsed_precise} {bar:30} {pos}/{len} {msg}";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar
        });
        Progress {
            bar,
            best: std::cell::Cell::new(0.0),
            n: std::cell::Cell::new(0),
            total,
        }
    }

    fn point(&self, point: &Point) {
        self.n.set(self.n.get() + 1);
        let right = point.correct != Some(false);
        let measured = point.measured.filter(|_| right);
        let is_best = measured.is_some_and(|m| m > self.best.get());
        if is_best {
            self.best.set(measured.unwrap_or(0.0));
        }
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                if is_best {
                    let best = self.best.get();
                    bar.set_message(format!("best {best:.1} GCell/s with {}", point.variant));
                }
            }
            None => {
                let what = match (&point.error, point.correct, measured) {
                    (Some(error), ..) => error.clone(),
                    (_, Some(false), _) => "WRONG RESULTS".to_string(),
                    (_, _, Some(m)) => format!("{m:.1} GCell/s, predicted {:.1}", point.predicted),
                    _ => "not measured".to_string(),
                };
                let (n, total) = (self.n.get(), self.total);
                let mark = if is_best { " *" } else { "" };
                eprintln!("[{n}/{total}] {}: {what}{mark}", point.variant);
            }
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets() {
        assert_eq!(parse_budget("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(parse_budget("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_budget("30"), Ok(Duration::from_secs(30)));
        for bad in ["", "s", "-3s", "0.1s", "1h", "infs", "NaN"] {
            assert!(parse_budget(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_shape_comes_before_a_second_of_the_same() {
        let candidate = |h: i64, w: i64| Candidate {
            variant: Variant::Hybrid {
                tile: format!("h={h},w={w}:64"),
                threads: 64,
                wavefront: None,
            },
            shape: Shape::Hybrid {
                h,
                w: vec![w, 64],
                hex_dim: 0,
            },
            predicted: 0.0,
        };
        let mut all: Vec<Candidate> = (0..30).map(|_| candidate(3, 5)).collect();
        all.push(candidate(7, 5));
        let order = in_order(all);
        assert_eq!(order.len(), 31);
        let at = order.iter().position(|c| c.steps(1) == 16);
        assert_eq!(at, Some(25));
        let stream = Candidate {
            variant: Variant::Overlapped {
                stream_tile: "steps=5,vector=1".to_string(),
            },
            shape: Shape::Stream {
                t: 5,
                v: 1,
                rows: 0,
                ahead: 4,
                warps: 4,
                blocks: 2,
            },
            predicted: 0.0,
        };
        let mut all: Vec<Candidate> = (0..30).map(|_| candidate(3, 5)).collect();
        all.push(stream);
        let order = in_order(all);
        let at = order.iter().position(|c| c.steps(1) == 5);
        assert_eq!((at, order.len()), (Some(1), 31));
    }
}
