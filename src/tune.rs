//! `hexcc tune`: measures tile sizes on the GPU and keeps the best.

use crate::args::{InputArgs, KernelArgs, STATUSES, TargetArgs};
use crate::compile::context;
use crate::emit::{self, Log, Prefix};
use crate::limit::TimeLimit;
use crate::measuring::workbench;
use crate::messages;
use crate::render::{self, Failure};
use clap::Parser;
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::tiling::Kernel;
use hexcc_tuner::report::{self, Heading, Point};
use hexcc_tuner::{
    Error, Event, Kept, Outcome, Prepared, Request, Search, Tuning, Workbench, cache, check_tiles,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Measures tile sizes on the GPU, checks every one of them, and keeps the best
/// for later translations.
///
/// The model proposes sizes of both tilings. Each is compiled by NVRTC with `-fmad=false`,
/// compared bit for bit with a kernel that has one thread per cell, and timed.
#[derive(Debug, Parser)]
#[command(name = "hexcc tune", bin_name = "hexcc tune", disable_help_flag = true, after_help = STATUSES)]
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

impl Tune {
    /// Does it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        self.kernel.messages.settle();
        let start = Instant::now();
        let limit = TimeLimit::start(self.kernel.time_limit);
        let input = self.input.read(self.kernel.sums, &limit)?;
        let ctx = context(&limit)?;
        let request = Request {
            options: self.kernel.options(&self.target)?,
            budget: self.budget.saturating_sub(start.elapsed()),
            // The cache must not decide what the model's choice is.
            lookup: None,
            ..Request::new(file_name(&input.saved.source.path), input.saved)
        };
        let prepared = Prepared::new(&ctx, request)?;
        let (compiled, saved) = (prepared.compiled(), &prepared.request().stencil);
        self.kernel.tell(&input.warnings, saved, compiled)?;
        check_tiles(compiled).map_err(Error::NoTiles)?;
        // What follows repeats this many times.
        limit.finish()?;
        let bench = workbench().map_err(|failure| without_gpu(failure, compiled))?;
        let search = prepared.search(&bench)?;
        let stop = interrupts();
        let prefix = self.prefix(&prepared.request().name);
        let (tuning, mut log) = measure(&search, &bench, &stop, &prefix)?;
        let page = report::html(&tuning.heading, &tuning.points);
        emit::write(&prefix.with_added("html"), &page)?;
        if tuning.interrupted {
            messages::tell("interrupted; what was measured is kept");
        }
        let done = self.conclude(&search, &tuning, &prefix, &mut log);
        drop(tuning);
        messages::tell(&format!("{:.1} s in all", start.elapsed().as_secs_f64()));
        done
    }

    fn prefix(&self, file: &str) -> Prefix {
        Prefix(self.output.clone().unwrap_or_else(|| {
            let stem = file.split('.').next().unwrap_or("stencil");
            let stem = stem.trim_matches(['<', '>']);
            PathBuf::from(format!("{stem}.tune"))
        }))
    }

    /// Reports the best point and keeps it.
    fn conclude(
        &self,
        search: &Search,
        tuning: &Tuning,
        prefix: &Prefix,
        log: &mut Log,
    ) -> Result<ExitCode, Failure> {
        let (best, is_slower) = match tuning.outcome() {
            Outcome::Best(best) => (best, false),
            Outcome::NoGain(best) => (best, true),
            Outcome::Nothing => return Err(Failure::plain(nothing_measured(tuning))),
        };
        // Whoever reads the lines takes the last word of the search from the kind.
        let kind = if is_slower { "slower" } else { "best" };
        log.line(&report::json_line(kind, best))?;
        print!("{}", report::best_table(tuning.ranked()));
        let wrong = tuning.n_wrong();
        if wrong > 0 {
            println!(
                "  {wrong} points gave WRONG RESULTS and do not count; please report the file"
            );
        }
        let model = tuning
            .model
            .as_ref()
            .map_or_else(String::new, |v| v.to_string());
        let model_speed = tuning.model_gcells();
        let model_speed = model_speed.map_or_else(|| "none".to_string(), |s| format!("{s:.1}"));
        let measured = best.measured.unwrap_or(0.0);
        let result = format!(
            "{} with {measured:.1} GCell/s, {:.2} times the baseline; the model's choice {model} has {model_speed}",
            best.variant,
            measured / tuning.heading.naive_gcells,
        );
        println!("{}: {result}", if is_slower { "no gain" } else { "tuned" });
        println!(
            "written: {} and {}",
            prefix.with_added("jsonl").display(),
            prefix.with_added("html").display()
        );
        if is_slower {
            render::render(&[no_gain(best, &tuning.heading)], None);
        }
        if let Some(folder) = cache::folder().filter(|_| !self.kernel.no_cache) {
            match search.keep(tuning, &folder)? {
                Kept::Stored(path) => {
                    println!("kept in {}; later translations use it", path.display());
                }
                Kept::Removed(path) => println!("removed {}", path.display()),
                Kept::Nothing => {}
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Set by ctrl-C; the second one ends the program.
fn interrupts() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let flag = stopped.clone();
    // Where a handler cannot be set, ctrl-C ends the program as usual.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    stopped
}

/// Runs a search, with its results in a log as soon as they are there.
fn measure(
    search: &Search,
    bench: &Workbench,
    stop: &AtomicBool,
    prefix: &Prefix,
) -> Result<(Tuning, Log), Failure> {
    let mut told = Told::default();
    let tuning = search.run(bench, stop, &mut |event| {
        if told.failure.is_none() {
            told.failure = told.event(event, prefix).err();
        }
        match told.failure {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    })?;
    match (told.failure, told.log) {
        (None, Some(log)) => Ok((tuning, log)),
        (Some(failure), _) => Err(failure),
        (None, None) => Err(Failure::plain(Diagnostic::bug("a search without a begin"))),
    }
}

/// What has been told of a search.
#[derive(Default)]
struct Told {
    log: Option<Log>,
    progress: Option<Progress>,
    /// The log cannot be written.
    failure: Option<Failure>,
}

impl Told {
    fn event(&mut self, event: Event, prefix: &Prefix) -> Result<(), Failure> {
        match event {
            Event::Begins(heading) => {
                let log = self.log.insert(Log::create(prefix)?);
                log.line(&report::json_line("tuning", heading))?;
                messages::tell(&format!(
                    "{} on {}, {}: {} candidates; one thread per cell: {:.1} GCell/s",
                    heading.file,
                    heading.gpu,
                    heading.problem,
                    heading.n_candidates,
                    heading.naive_gcells
                ));
                self.progress = Some(Progress::new(heading.n_candidates));
            }
            Event::Point(point) => {
                self.line("point", point)?;
                if let Some(progress) = &mut self.progress {
                    progress.point(point);
                }
            }
            Event::Broken => render::render(&[broken()], None),
            Event::Final(point) => {
                if let Some(progress) = self.progress.take() {
                    progress.finish();
                }
                self.line("final", point)?;
            }
        }
        Ok(())
    }

    fn line(&mut self, kind: &str, point: &Point) -> Result<(), Failure> {
        match &mut self.log {
            Some(log) => log.line(&report::json_line(kind, point)),
            None => Ok(()),
        }
    }
}

fn broken() -> Diagnostic {
    Diagnostic::warning("HX0605", "a kernel failed, and the GPU takes no more work")
        .note("what was measured before is kept; the file of JSON lines names the kernel")
}

fn nothing_measured(tuning: &Tuning) -> Diagnostic {
    let (n, wrong) = (tuning.points.len(), tuning.n_wrong());
    Diagnostic::error("HX0607", "no tile sizes could be measured")
        .note(format!("{n} points tried, {wrong} with wrong results"))
        .help("`--budget` gives more time; the file of JSON lines says what failed")
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
fn without_gpu(mut failure: Failure, compiled: &Compiled) -> Failure {
    let sizes = compiled.units.first().map(|unit| match &unit.tiled.kernel {
        Kernel::Overlapped(kernel, _) => format!("--stream-tile {}", kernel.tile()),
        Kernel::Hybrid(hybrid) => format!("--tile {}", hybrid.schedule.sizes()),
    });
    if let (Some(d), Some(sizes)) = (failure.diagnostics.first_mut(), sizes) {
        d.notes.push(format!(
            "the model's choice, without measurements, is `{sizes}`"
        ));
    }
    failure
}

fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.and_then(OsStr::to_str)
        .unwrap_or("stencil")
        .to_string()
}

/// A bar on a terminal, a line per point elsewhere.
struct Progress {
    bar: Option<ProgressBar>,
    best: f64,
    n: usize,
    total: usize,
}

impl Progress {
    fn new(total: usize) -> Progress {
        let bar = messages::MessageArgs::chosen().has_bars().then(|| {
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
            best: 0.0,
            n: 0,
            total,
        }
    }

    fn point(&mut self, point: &Point) {
        self.n += 1;
        let right = point.correct != Some(false);
        let measured = point.measured.filter(|_| right);
        let is_best = measured.is_some_and(|m| m > self.best);
        if is_best {
            self.best = measured.unwrap_or(0.0);
        }
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                if is_best {
                    let best = self.best;
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
                let (n, total) = (self.n, self.total);
                let mark = if is_best { " *" } else { "" };
                messages::tell(&format!("[{n}/{total}] {}: {what}{mark}", point.variant));
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
}
