//! One program with the options it is translated with, and what is expected.

use crate::brute::{self, Facts, Fraction};
use crate::generate;
use crate::model::{Env, Program, Size};
use crate::replay::{self, Schedule};
use crate::rng::Rng;
use hexcc_compiler::back::Host;
use hexcc_compiler::compiled::{Compiled, Unit};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::kernel::stream::StreamTile;
use hexcc_compiler::kernel::{CopyOut, Reuse, Schema};
use hexcc_compiler::options::{Options, Tiling, WavefrontChoice};
use hexcc_compiler::output;
use hexcc_compiler::pipeline;
use hexcc_compiler::sched::TileSizes;
use hexcc_compiler::scop::{SavedScop, SourceFile};
use hexcc_compiler::tiling::overlapped::StreamKernel;
use hexcc_isl::Ctx;
use hexcc_pet::{Extraction, PetError, PetPaths, Request};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Options of a translation.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// h and widths; the compiler's choice where absent.
    pub tile: Option<(i64, Vec<i64>)>,
    /// The code with which sizes made illegal on purpose must be refused.
    pub illegal: Option<&'static str>,
    /// The hexagonal dimension.
    pub hex_dim: usize,
    /// Compute in global memory.
    pub global: bool,
    /// Threads per block.
    pub threads: i64,
    /// Rows of contiguous points that a thread computes; only with a tile.
    pub rows_per_thread: Option<i64>,
    /// How the kernel moves data and what it specialises.
    pub switches: Switches,
    /// A classical dimension whose tiles run in parallel.
    pub wavefront: Option<usize>,
    /// Overlapped tiles of these sizes, instead of everything above; all 0 for the
    /// compiler's choice.
    pub stream: Option<StreamTile>,
}

/// The switches of the paper's section 4; `None` leaves the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Switches {
    /// When values go to global memory.
    pub copy_out: Option<CopyOut>,
    /// Copies of 16 bytes.
    pub aligned: Option<bool>,
    /// What tiles reuse of the one before them.
    pub reuse: Option<Reuse>,
    /// Full tiles run code without tests.
    pub guarded: bool,
    /// Rows are unrolled.
    pub unroll: Option<bool>,
}

impl Switches {
    fn random(rng: &mut Rng) -> Switches {
        let off = |rng: &mut Rng, percent| rng.chance(percent).then_some(false);
        let guarded = rng.chance(8);
        Switches {
            copy_out: match guarded {
                true => None,
                false => *rng.pick(&[
                    None,
                    None,
                    Some(CopyOut::Separate),
                    Some(CopyOut::Interleaved),
                ]),
            },
            aligned: off(rng, 25),
            reuse: match guarded {
                true => None,
                false => *rng.pick(&[
                    None,
                    Some(Reuse::None),
                    Some(Reuse::Static),
                    Some(Reuse::Dynamic),
                ]),
            },
            guarded,
            unroll: off(rng, 10),
        }
    }

    fn flags(&self, flags: &mut Vec<String>) {
        match self.copy_out {
            Some(CopyOut::Separate) => flags.push("--copy-out=separate".to_string()),
            Some(CopyOut::Interleaved) => flags.push("--copy-out=interleaved".to_string()),
            Some(CopyOut::Live) => flags.push("--copy-out=live".to_string()),
            None => {}
        }
        match self.reuse {
            Some(Reuse::None) => flags.push("--reuse=none".to_string()),
            Some(Reuse::Static) => flags.push("--reuse=static".to_string()),
            Some(Reuse::Dynamic) => flags.push("--reuse=dynamic".to_string()),
            None => {}
        }
        for (name, off) in [
            ("aligned-loads", self.aligned == Some(false)),
            ("full-tiles", self.guarded),
            ("unroll", self.unroll == Some(false)),
        ] {
            if off {
                flags.push(format!("--{name}=off"));
            }
        }
    }
}

impl Config {
    /// As arguments of `hexcc`.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if let Some(tile) = self.stream {
            flags.push("--tiling=overlapped".to_string());
            if tile != StreamTile::default() {
                flags.push(format!("--stream-tile={tile}"));
            }
            return flags;
        }
        if let Some(tile) = self.tile_text() {
            flags.push(format!("--tile={tile}"));
        }
        if self.hex_dim != 0 {
            flags.push(format!("--hex-dim={}", self.hex_dim));
        }
        if self.global {
            flags.push("--memory=global".to_string());
        }
        if self.threads != 256 {
            flags.push(format!("--threads={}", self.threads));
        }
        if let Some(n) = self.rows_per_thread {
            flags.push(format!("--rows-per-thread={n}"));
        }
        self.switches.flags(&mut flags);
        match (self.wavefront, &self.tile) {
            (Some(dim), _) => flags.push(format!("--wavefront={dim}")),
            (None, Some(_)) => flags.push("--wavefront=none".to_string()),
            (None, None) => {}
        }
        flags
    }

    /// `h=1,w=2:3`.
    pub fn tile_text(&self) -> Option<String> {
        let (h, w) = self.tile.as_ref()?;
        let w: Vec<String> = w.iter().map(i64::to_string).collect();
        Some(format!("h={h},w={}", w.join(":")))
    }
}

/// A program to be tried.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its number in the run.
    pub index: u64,
    /// The program.
    pub program: Program,
    /// How it is translated.
    pub config: Config,
}

impl Case {
    /// The case number `index` of a run.
    pub fn random(seed: u64, index: u64) -> Case {
        let mut rng = Rng::new(seed, index);
        let (program, stream) = generate::program(&mut rng);
        let mut config = config(&mut rng, &program);
        if config.illegal.is_none() && rng.chance(if stream { 95 } else { 6 }) {
            config.stream = Some(stream_tile(&mut rng, program.n_dims()));
        }
        Case {
            index,
            program,
            config,
        }
    }

    /// The function's name.
    pub fn name(&self) -> String {
        format!("fuzz{}", self.index)
    }
}

/// Random sizes of overlapped tiles; all 0 for the compiler's choice.
fn stream_tile(rng: &mut Rng, n_dims: usize) -> StreamTile {
    if rng.chance(10) {
        return StreamTile::default();
    }
    let planes = n_dims > 2;
    StreamTile {
        steps: rng.range(1, if planes { 3 } else { 6 }),
        vector: rng.range(1, 4),
        rows: if planes { rng.range(1, 5) } else { 0 },
        ahead: rng.range(if planes { 2 } else { 1 }, 4),
        warps: match planes {
            true if rng.chance(60) => 4 * rng.range(1, 2),
            true => rng.range(1, 8),
            false => rng.range(1, 4),
        },
        min_blocks: 1 + i64::from(rng.chance(20)),
    }
}

/// Sizes the brute force looks at, by number of space dimensions.
const LOOK: [i64; 4] = [24, 12, 8, 6];
/// Steps it looks at.
const STEPS: i64 = 9;
/// Instances it is willing to look at.
const LIMIT: usize = 400_000;

fn look(program: &Program) -> Vec<i64> {
    brute::env(program, LOOK[program.n_dims() - 1], STEPS)
}

fn config(rng: &mut Rng, program: &Program) -> Config {
    let facts = brute::run(program, &look(program), LIMIT)
        .map(|run| (brute::facts(program, &run, false), run.n_space));
    let n_space = facts.as_ref().map_or(1, |f| f.1).max(1);
    let hex_dim = match rng.chance(60) {
        true => 0,
        false => rng.below(n_space),
    };
    let global = rng.chance(20);
    let mut config = Config {
        tile: None,
        illegal: None,
        hex_dim,
        global,
        threads: *rng.pick(&[256, 32, 64, 64, 128, 96]),
        rows_per_thread: None,
        switches: match global {
            true => Switches::default(),
            false => Switches::random(rng),
        },
        wavefront: None,
        stream: None,
    };
    let others: Vec<usize> = (0..n_space).filter(|&d| d != hex_dim).collect();
    if !others.is_empty() && rng.chance(35) {
        config.wavefront = Some(*rng.pick(&others));
    }
    let Some((facts, _)) = facts.filter(|f| !f.0.cyclic && f.1 > 0) else {
        return config;
    };
    if rng.chance(8) {
        return config;
    }
    let (h, mut w) = tile(rng, &facts, n_space, hex_dim);
    if let Some(dim) = config.wavefront {
        let skew = facts.delta1[dim].times_floor(2 * h + 2);
        w[dim] = w[dim].max(skew + rng.range(-1, 4)).max(1);
    }
    if n_space > 1 && rng.chance(20) {
        // Two or three rows of threads, of which 128 threads can have four.
        let rows = rows_of_points(&facts, h, &w, hex_dim);
        let n = rng.range(2, 3);
        config.rows_per_thread = Some((rows + n - 1) / n);
        config.threads = 128;
    }
    config.tile = Some((h, w));
    if rng.chance(3)
        && let Some((h, w)) = &mut config.tile
    {
        let min = min_w0(*h, facts.delta0[hex_dim], facts.delta1[hex_dim]);
        match rng.below(3) {
            0 if min > 0 => {
                config.illegal = Some("HX0301");
                w[hex_dim] = min - 1;
            }
            1 if facts.k > 1 => {
                config.illegal = Some("HX0302");
                *h += 1;
            }
            2 if w.len() > 1 => {
                config.illegal = Some("HX0303");
                w.pop();
            }
            _ => {}
        }
    }
    config
}

fn tile(rng: &mut Rng, facts: &Facts, n_space: usize, hex_dim: usize) -> (i64, Vec<i64>) {
    let m = 1 + rng.weighted(&[30, 40, 20, 10]) as i64;
    let h = facts.k * m - 1;
    let widest = [12, 9, 6, 4][n_space.clamp(1, 4) - 1];
    let w = (0..n_space)
        .map(|dim| match dim == hex_dim {
            true => {
                let min = min_w0(h, facts.delta0[dim], facts.delta1[dim]);
                min + rng.weighted(&[35, 25, 15, 15, 10]) as i64
            }
            // Copies of 16 bytes need multiples of it.
            false if rng.chance(35) => 4 * rng.range(1, 1 + widest / 4),
            false => rng.range(1, widest),
        })
        .collect();
    (h, w)
}

/// Rows of contiguous points of a tile along the dimension next to the innermost, or of
/// hexagons where no other is left.
fn rows_of_points(facts: &Facts, h: i64, w: &[i64], hex_dim: usize) -> i64 {
    match (0..w.len() - 1).rev().find(|&dim| dim != hex_dim) {
        Some(dim) => w[dim],
        None => {
            let side = |d: Fraction| d.times_floor(h).max(0);
            let (delta0, delta1) = (facts.delta0[hex_dim], facts.delta1[hex_dim]);
            w[hex_dim] + 1 + side(delta0) + side(delta1)
        }
    }
}

/// The least w0 by equation (1).
pub fn min_w0(h: i64, delta0: Fraction, delta1: Fraction) -> i64 {
    // ceil(delta + {delta h}) - 1, in units of the denominator.
    let side = |d: Fraction| {
        let n = d.num + (d.num * h).rem_euclid(d.den);
        -(-n).div_euclid(d.den) - 1
    };
    side(delta0).max(side(delta1)).max(0)
}

/// What became of a translation.
#[derive(Debug)]
pub enum Outcome {
    /// The generated text, and sizes to run it with.
    Translated(Translated),
    /// A diagnostic.
    Refused {
        /// Its code and message.
        code: String,
        /// Its message.
        message: String,
        /// Why the brute force thinks that it was not needed.
        unnecessary: Option<String>,
    },
    /// Something that must not happen.
    Failed(Failure),
}

/// A translated program.
#[derive(Debug)]
pub struct Translated {
    /// CUDA C++.
    pub text: String,
    /// Values of the parameters to run with.
    pub runs: Vec<Vec<i64>>,
    /// Replays of the schedule that were done.
    pub replays: usize,
    /// The compiler's cone is wider than that of the dependences seen.
    pub wider: Option<String>,
    /// Sizes of its overlapped tiles, if it has such.
    pub tile: Option<StreamTile>,
}

/// What went wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    /// A word for the kind; shrinking keeps it.
    pub kind: &'static str,
    /// The rest.
    pub detail: String,
}

fn failed(kind: &'static str, detail: impl Into<String>) -> Outcome {
    Outcome::Failed(Failure {
        kind,
        detail: detail.into(),
    })
}

/// What translations need.
pub struct Tools {
    /// A program that answers to [`hexcc_pet::CHILD_ARGUMENT`].
    pub exe: PathBuf,
    /// libpet.
    pub pet: PetPaths,
    /// A folder for files.
    pub work: PathBuf,
}

enum Stopped {
    Diagnostic(Box<Diagnostic>),
    Panic(String),
}

/// The only argument, before a file for the answers, of the process that [`read_all`] starts.
pub const EXTRACT_ARGUMENT: &str = "--extract";

/// How long [`read_all`] waits for it.
const PATIENCE: Duration = Duration::from_secs(60);

fn text(case: &Case) -> String {
    case.program.unit(&case.name())
}

fn request(tools: &Tools, case: &Case) -> Request {
    let file = tools.work.join(format!("{}.c", case.name()));
    std::fs::write(&file, text(case)).expect("the work folder can be written");
    Request {
        file,
        function: None,
        include_dirs: Vec::new(),
        defines: Vec::new(),
        pet: tools.pet.clone(),
    }
}

/// A request that loads libpet, whatever becomes of it.
///
/// # Errors
/// If there is no libpet.
pub fn warm_up() -> Result<Request, String> {
    Ok(Request {
        file: Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testsuite/jacobi2d.c"),
        function: None,
        include_dirs: Vec::new(),
        defines: Vec::new(),
        pet: find_pet()?,
    })
}

fn saved(case: &Case, file: &Path, extraction: Extraction) -> SavedScop {
    let source = SourceFile::new(file.display().to_string(), text(case));
    SavedScop::new(source, Vec::new(), extraction.scop)
}

fn read(tools: &Tools, case: &Case) -> Result<SavedScop, PetError> {
    let request = request(tools, case);
    let extraction = hexcc_pet::extract(&tools.exe, &request, Some(PATIENCE));
    let _ = std::fs::remove_file(&request.file);
    Ok(saved(case, &request.file, extraction?))
}

/// The scops of many cases from one process, which loads the library once. `None` where it gave
/// no answer: a process of its own will tell why.
pub fn read_all(tools: &Tools, cases: &[Case]) -> Vec<Option<SavedScop>> {
    let requests: Vec<Request> = cases.iter().map(|c| request(tools, c)).collect();
    let answers = requests.first().map(|first| {
        let out = first.file.with_extension("answers");
        let answers = extract_all(&tools.exe, &requests, &out).unwrap_or_default();
        let _ = std::fs::remove_file(out);
        answers
    });
    let mut answers = answers.unwrap_or_default().into_iter();
    (cases.iter().zip(&requests))
        .map(|(case, request)| {
            let _ = std::fs::remove_file(&request.file);
            Some(saved(case, &request.file, answers.next()?.ok()?))
        })
        .collect()
}

type Answer = Result<Extraction, PetError>;

fn extract_all(exe: &Path, requests: &[Request], out: &Path) -> std::io::Result<Vec<Answer>> {
    let mut child = (Command::new(exe).arg(EXTRACT_ARGUMENT).arg(out))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A child that dies early breaks the pipe and answers what it can.
        let _ = stdin.write_all(&serde_json::to_vec(requests)?);
    }
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            break;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    let text = std::fs::read_to_string(out)?;
    let answers = text.lines().map_while(|l| serde_json::from_str(l).ok());
    Ok(answers.collect())
}

/// The whole life of the process started by [`read_all`].
pub fn run_extract(out: &Path) -> std::io::Result<()> {
    let requests: Vec<Request> = serde_json::from_reader(std::io::stdin())?;
    let mut out = std::fs::File::create(out)?;
    for request in &requests {
        let mut line = serde_json::to_vec(&hexcc_pet::extract_in_process(request))?;
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

fn compile(ctx: &Ctx, saved: &SavedScop, config: &Config) -> Result<Compiled, Stopped> {
    let overlapped = Options {
        tiling: Tiling::Overlapped,
        stream_tile: config.stream.filter(|t| *t != StreamTile::default()),
        ..Options::default()
    };
    let hybrid = Options {
        tiling: Tiling::Hybrid,
        tile: config.tile.as_ref().map(|(h, w)| TileSizes {
            h: *h,
            w: w.clone(),
        }),
        hex_dim: Some(config.hex_dim),
        schema: if config.global {
            Schema::Global
        } else {
            Schema::Shared
        },
        threads: Some(config.threads),
        rows_per_thread: config.rows_per_thread,
        copy_out: config.switches.copy_out,
        aligned_loads: config.switches.aligned,
        reuse: config.switches.reuse,
        full_tiles: !config.switches.guarded,
        unroll: config.switches.unroll,
        wavefront: match (config.wavefront, &config.tile) {
            (Some(dim), _) => WavefrontChoice::Dim(dim),
            (None, Some(_)) => WavefrontChoice::None,
            (None, None) => WavefrontChoice::Auto,
        },
        ..Options::default()
    };
    let options = if config.stream.is_some() {
        overlapped
    } else {
        hybrid
    };
    compile_with(ctx, saved, &options)
}

fn compile_with(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<Compiled, Stopped> {
    ctx.reset_operations();
    match catch_unwind(AssertUnwindSafe(|| pipeline::compile(ctx, saved, options))) {
        Ok(result) => result.map_err(Stopped::Diagnostic),
        Err(panic) => {
            let text = (panic.downcast_ref::<String>().cloned())
                .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            Err(Stopped::Panic(text.unwrap_or_default()))
        }
    }
}

/// Translates a case and compares the verdict and the schedule with the
/// brute force.
pub fn examine(tools: &Tools, case: &mut Case) -> Outcome {
    match read(tools, case) {
        Ok(saved) => examine_scop(case, saved),
        Err(e) => failed("pet", format!("{e:?}")),
    }
}

/// As [`examine`], with the scop of the case.
pub fn examine_scop(case: &mut Case, saved: SavedScop) -> Outcome {
    let Ok(ctx) = Ctx::new() else {
        return failed("isl", "no context");
    };
    let program = &case.program;
    let Some(run) = brute::run(program, &look(program), LIMIT) else {
        return failed("generator", "too many instances");
    };
    let facts = brute::facts(program, &run, false);
    let mut wider = None;
    let mut result = compile(&ctx, &saved, &case.config);
    // A cone wider than the one seen at small sizes needs wider hexagons.
    for _ in 0..10 {
        let (Err(Stopped::Diagnostic(d)), None) = (&result, case.config.illegal) else {
            break;
        };
        match (&mut case.config.tile, d.code) {
            (_, "HX0305") => {
                // Other sizes may do.
                case.config.stream = (case.config.stream)
                    .filter(|t| *t != StreamTile::default() && program.n_dims() > 2)
                    .map(|_| StreamTile::default());
                result = compile(&ctx, &saved, &case.config);
                continue;
            }
            (Some((_, w)), "HX0301") => w[case.config.hex_dim] += 1,
            (Some(_), "HX0302") => case.config.tile = None,
            (_, "HX0304") => {
                case.config.wavefront = None;
                result = compile(&ctx, &saved, &case.config);
                continue;
            }
            // A dimension in which every subscript happens to be constant.
            (Some(_), "HX0303") => case.config.tile = None,
            _ => break,
        }
        wider = Some(format!("{}: {}", d.code, d.message));
        result = compile(&ctx, &saved, &case.config);
    }
    let compiled = match result {
        Ok(compiled) => compiled,
        Err(Stopped::Diagnostic(d)) => return judge(case, &facts, &run, &d),
        Err(Stopped::Panic(text)) => return failed("panic", text),
    };
    if let Some(code) = case.config.illegal {
        return failed("accepted", format!("sizes that break {code} were accepted"));
    }
    // A statement that another one overwrites is no part of its sweep any more: what it read does not count.
    if facts.cyclic && compiled.scop.sweeps.is_empty() {
        return failed(
            "accepted",
            "iterations of one time step depend on each other, and it was translated",
        );
    }
    let text = catch_unwind(AssertUnwindSafe(|| {
        output::print_program(&saved, &compiled, "fuzz", Host::PLAIN)
    }));
    let text = match text {
        Ok(Ok(text)) => text,
        Ok(Err(d)) => return failed("print", format!("{}: {}", d.code, d.message)),
        Err(_) => return failed("panic", "while printing"),
    };
    let mut schedule = match replayed(&ctx, case, &saved, &compiled) {
        Ok(schedule) => schedule,
        Err(e) => return failed("schedule", e),
    };
    let tile = (compiled.units.first())
        .and_then(Unit::stream)
        .map(StreamKernel::tile);
    let mut replays = 0;
    let has_parts = !compiled.scop.sweeps.is_empty();
    if !has_places(&mut schedule, run.n_space, program.n_dims()) || has_parts {
        return Outcome::Translated(Translated {
            text,
            runs: runs(case, &schedule, tile),
            replays,
            wider,
            tile,
        });
    }
    wider = wider.or_else(|| wider_cone(&facts, &schedule));
    for (n, env) in replay_envs(program, &schedule).iter().enumerate() {
        let Some(run) = brute::run(program, env, LIMIT / 4) else {
            continue;
        };
        let mut rng = Rng::new(case.index, n as u64);
        if let Some(what) = replay::check(&schedule, &run, &mut rng, 3) {
            return failed("replay", format!("{what}, sizes {env:?}, {schedule:?}"));
        }
        replays += 1;
    }
    Outcome::Translated(Translated {
        text,
        runs: runs(case, &schedule, tile),
        replays,
        wider,
        tile,
    })
}

/// Whether places can be compared: loops of a single iteration can hide a dimension from the compiler. (Those of statements
/// that execute with others cannot be compared either.)
fn has_places(schedule: &mut Schedule, n_space: usize, n_dims: usize) -> bool {
    let has_all = schedule.w.len() == n_space;
    if !has_all {
        schedule.w.resize(n_dims, 1);
    }
    has_all
}

/// The schedule to replay; with overlapped tiles that of the model's hybrid ones.
fn replayed(
    ctx: &Ctx,
    case: &Case,
    saved: &SavedScop,
    compiled: &Compiled,
) -> Result<Schedule, String> {
    if compiled.units.iter().all(|u| u.hybrid().is_some()) {
        return schedule_of(case, saved, compiled);
    }
    let options = Options {
        tiling: Tiling::Hybrid,
        ..Options::default()
    };
    match compile_with(ctx, saved, &options) {
        Ok(hybrid) => schedule_of(case, saved, &hybrid),
        Err(Stopped::Diagnostic(d)) => Err(format!("{}: {}", d.code, d.message)),
        Err(Stopped::Panic(text)) => Err(text),
    }
}

fn fraction(r: hexcc_isl::Rational) -> Fraction {
    Fraction {
        num: r.num,
        den: r.den,
    }
}

/// The schedule's numbers.
fn schedule_of(case: &Case, saved: &SavedScop, compiled: &Compiled) -> Result<Schedule, String> {
    let [unit] = compiled.units.as_slice() else {
        return Err(format!("{} units for one time loop", compiled.units.len()));
    };
    let s = &unit.hybrid().ok_or("no hybrid tiles")?.schedule;
    let n_space = s.n_space;
    let lines = case.program.stmt_lines(&case.name());
    let mut slots = vec![0; lines.len()];
    for c in &unit.analysis.canonical.stmts {
        let at = compiled.scop.stmts[c.stmt].span.start;
        let line = saved.source.text[..at].matches('\n').count();
        let number = lines.iter().position(|&l| l == line);
        slots[number.ok_or(format!("a statement in line {}", line + 1))?] = c.slot;
    }
    let mut w = vec![0; n_space];
    let mut delta1 = vec![Fraction::ZERO; n_space];
    w[s.hex_dim] = s.hexagon.w0;
    delta1[s.hex_dim] = fraction(s.hexagon.delta1);
    for c in &s.classical {
        w[c.dim] = c.w;
        delta1[c.dim] = fraction(c.delta1);
    }
    Ok(Schedule {
        k: s.k,
        slots,
        hex_dim: s.hex_dim,
        h: s.hexagon.h,
        w,
        delta0: fraction(s.hexagon.delta0),
        delta1,
        barriers: s.barrier_after_row.clone(),
        wavefront: s.wavefront.map(|w| (w.dim, w.lag)),
    })
}

/// Where the compiler's slopes exceed those seen.
fn wider_cone(facts: &Facts, schedule: &Schedule) -> Option<String> {
    let seen = &facts.delta1;
    let same = facts.k == schedule.k
        && facts.delta0[schedule.hex_dim] == schedule.delta0
        && (seen.iter().zip(&schedule.delta1)).all(|(a, b)| a == b);
    (!same).then(|| {
        format!(
            "seen: {}; compiled: k = {}, delta0 = {:?}, delta1 = {:?}",
            brute::show_slopes(facts),
            schedule.k,
            schedule.delta0,
            schedule.delta1
        )
    })
}

/// Sizes for replays: several tiles in every direction where that is cheap.
fn replay_envs(program: &Program, schedule: &Schedule) -> Vec<Vec<i64>> {
    let height = (2 * schedule.h + 2) / schedule.k;
    let cap = [60, 18, 9, 6][program.n_dims() - 1];
    let steps = (2 * height + 3).min([40, 20, 12, 8][program.n_dims() - 1]);
    let small = [9, 7, 5, 4][program.n_dims() - 1];
    vec![
        brute::env(program, small, height + 2),
        brute::env(program, cap, steps),
    ]
}

/// Sizes for the emulation.
fn runs(case: &Case, schedule: &Schedule, tile: Option<StreamTile>) -> Vec<Vec<i64>> {
    let program = &case.program;
    let mut rng = Rng::new(case.index, 77);
    let n = program.n_dims() - 1;
    let (cap, most_steps) = ([96, 34, 14, 9][n], [40, 22, 12, 8][n]);
    let height = (2 * schedule.h + 2) / schedule.k;
    let high = |rng: &mut Rng| -> Vec<i64> {
        let steps = (height + rng.range(0, height + 3)).min(most_steps);
        let mut env = brute::env(program, cap, steps);
        for (p, value) in env.iter_mut().enumerate() {
            if program.is_space_param(p) {
                *value = (*value - rng.range(0, cap / 4)).max(program.min_size);
            }
        }
        env
    };
    let mut all = vec![high(&mut rng), high(&mut rng)];
    all.push(brute::env(program, program.min_size, 3));
    let low = rng.range(program.min_size, program.min_size + 4);
    let steps = rng.range(0, 2);
    all.push(brute::env(program, low, steps));
    let mut middle = brute::env(program, 1, rng.range(2, most_steps));
    for (p, value) in middle.iter_mut().enumerate() {
        if program.is_space_param(p) {
            *value = rng.range(program.min_size, cap);
        }
    }
    all.push(middle);
    if let Some(tile) = tile {
        // Wide enough for tiles that are full.
        let wide = |dim: usize, rng: &mut Rng| match n - dim {
            // In three dimensions one size may be that of all.
            0 if n == 2 => 32 * tile.vector + rng.range(4, 12),
            0 => 32 * tile.vector + rng.range(8, 40),
            1 if n == 2 => (tile.rows * tile.warps).max(8) + rng.range(2, 12),
            _ => rng.range(10, 40 - 12 * n as i64),
        };
        let mut env = brute::env(program, 1, 2 * tile.steps + rng.range(0, 2));
        for (dim, size) in program.sizes.iter().enumerate() {
            if let Size::Param(p) = *size {
                env[p] = env[p].max(wide(dim, &mut rng));
            }
        }
        all.push(env);
    }
    all.sort();
    all.dedup();
    all
}

/// Whether a refusal was needed.
fn judge(case: &Case, facts: &Facts, run: &brute::Run, d: &Diagnostic) -> Outcome {
    let program = &case.program;
    let code = d.code;
    if code.starts_with("HX9") {
        return failed("internal", format!("{code}: {}", d.message));
    }
    let refused = |unnecessary: Option<String>| Outcome::Refused {
        code: code.to_string(),
        message: d.message.clone(),
        unnecessary,
    };
    if case.config.illegal == Some(code) {
        return refused(None);
    }
    let natural = brute::facts(program, run, true);
    refused(match code {
        "HX0201" => facts
            .carried
            .then(|| "values travel from one time step to a later one".to_string()),
        "HX0203" => (!natural.cyclic && !odd_cyclic(program))
            .then(|| "no cycle within a time step".to_string()),
        "HX0204" => (!grows(program)).then(|| {
            format!(
                "slopes do not grow with the size: {}",
                brute::show_slopes(&natural)
            )
        }),
        // Limits of the target, whose counts the brute force does not know.
        "HX0402" | "HX0403" => None,
        "HX0504" | "HX0303" if run.n_space == 0 => None,
        // Code that never runs is no region.
        "HX0102" if never_runs(program, run) => None,
        _ => Some("all of it is affine".to_string()),
    })
}

/// Whether some statement has no instance at all.
fn never_runs(program: &Program, run: &brute::Run) -> bool {
    (0..program.stmts().len()).any(|s| run.instances.iter().all(|i| i.stmt != s))
}

/// Whether there is a cycle at other sizes: whether mirrored cells meet those
/// of a stride depends on the parity.
fn odd_cyclic(program: &Program) -> bool {
    let env = brute::env(program, LOOK[program.n_dims() - 1] - 1, STEPS);
    let run = brute::run(program, &env, LIMIT);
    run.is_some_and(|run| brute::facts(program, &run, true).cyclic)
}

/// Whether slopes grow with the sizes, in natural coordinates.
fn grows(program: &Program) -> bool {
    let of = |env: &Env| {
        let run = brute::run(program, env, LIMIT)?;
        let facts = brute::facts(program, &run, true);
        Some((facts.delta0, facts.delta1))
    };
    let small = look(program);
    let n = program.n_dims() - 1;
    let small = of(&small);
    (5..8).any(|more| {
        let large = of(&brute::env(program, LOOK[n] + more, STEPS + 2));
        small.is_none() || large.is_none() || small != large
    })
}

/// libpet where the repository keeps it, or where `HEXCC_PET_LIB` says.
pub fn find_pet() -> Result<PetPaths, String> {
    // The same path as hexcc's: a process loads one library.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let vendor = root.unwrap_or(Path::new(".")).join("vendor/pet");
    hexcc_pet::find_library(Some(&vendor)).map_err(|e| format!("{e:?}"))
}
