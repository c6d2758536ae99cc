//! `hexcc-fuzz`: random programs through hexcc, in numbers.

use hexcc_fuzz::batch::{self, Plan};
use hexcc_fuzz::case::{self, Case, Failure, Outcome, Tools, Translated};
use hexcc_fuzz::form::{FEATURES, Filter};
use hexcc_fuzz::forms;
use hexcc_fuzz::hostile;
use hexcc_fuzz::planes;
use hexcc_fuzz::server;
use hexcc_fuzz::shrink;
// See `hexcc`.
use libmimalloc_sys as _;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

const USAGE: &str = "usage: hexcc-fuzz [options]
       hexcc-fuzz --whole N [--nvcc N] [--form NAME[=CHOICE]] [--without NAME[=CHOICE]]
       hexcc-fuzz --hostile N [--seed N] [--first N] [--hexcc PATH]

Translates random stencil programs, replays their schedules, runs them in the
emulation of CUDA and compares the results with C. Failures are shrunk and
written as C files that fit into testsuite/. The exit status is 1 if there are
failures.

  --programs N      how many (100)
  --seed N          which ones (1)
  --first N         number of the first one (0)
  --only N          this one alone, with its text and generated code
  --jobs N          threads (all processors)
  --batch N         programs per executable (24)
  --sanitize N      every N-th executable has sanitizers, 0 for none (4)
  --optimize N      every N-th other one is optimized, 0 for none (8)
  --orders N        orders of threads each program runs in (3)
  --out DIR         where failures go (fuzz-failures)
  --unnecessary     also shrink and write unnecessary refusals
  --shrink N        attempts to shrink a failure (400)
  --quiet           the summary alone

  --whole N         instead run hexcc on N whole programs in random forms, and
                    compare what the programs print
  --names N         instead run hexcc on N whole programs in which names collide
  --planes N        instead run hexcc on N whole programs whose planes move in many ways
  --converging N    the same with those alone whose time loop ends when a number of the cells says so
  --nvcc N          nvcc compiles every N-th of them that translates (0)
  --form NAME       only this form, in all of them; may be repeated
  --without NAME    not this form; may be repeated. `--form help` lists them
  --print DIR       write the whole programs to a folder and stop
  --for-gpu DIR     translate them and leave the running to tests/gpu/whole-run DIR
  --alike N         failures with the same message that are shrunk (2)
  --hostile N       instead run hexcc on N damaged C files and command lines
  --hexcc PATH      the command (next to this one)
";

#[derive(Clone)]
struct Args {
    programs: u64,
    seed: u64,
    first: u64,
    only: Option<u64>,
    jobs: usize,
    batch: u64,
    sanitize: u64,
    optimize: u64,
    orders: usize,
    out: PathBuf,
    unnecessary: bool,
    shrink: usize,
    quiet: bool,
    hostile: Option<u64>,
    whole: Option<u64>,
    names: Option<u64>,
    planes: Option<u64>,
    converging: Option<u64>,
    for_gpu: Option<PathBuf>,
    print: Option<PathBuf>,
    nvcc: u64,
    alike: u64,
    filter: Filter,
    hexcc: Option<PathBuf>,
}

fn parse() -> Result<Args, String> {
    let mut args = Args {
        programs: 100,
        seed: 1,
        first: 0,
        only: None,
        jobs: std::thread::available_parallelism().map_or(2, usize::from),
        batch: 24,
        sanitize: 4,
        optimize: 8,
        orders: 3,
        out: PathBuf::from("fuzz-failures"),
        unnecessary: false,
        shrink: 400,
        quiet: false,
        hostile: None,
        whole: None,
        names: None,
        planes: None,
        converging: None,
        for_gpu: None,
        print: None,
        nvcc: 0,
        alike: 2,
        filter: Filter::default(),
        hexcc: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || -> Result<u64, String> {
            let text = words.next().ok_or(format!("{word} needs a value"))?;
            text.parse().map_err(|_| format!("`{text}` is no number"))
        };
        match word.as_str() {
            "--programs" => args.programs = number()?,
            "--seed" => args.seed = number()?,
            "--first" => args.first = number()?,
            "--only" => args.only = Some(number()?),
            "--jobs" => args.jobs = number()?.max(1) as usize,
            "--batch" => args.batch = number()?.max(1),
            "--sanitize" => args.sanitize = number()?,
            "--optimize" => args.optimize = number()?,
            "--orders" => args.orders = number()? as usize,
            "--shrink" => args.shrink = number()? as usize,
            "--hostile" => args.hostile = Some(number()?),
            "--whole" => args.whole = Some(number()?),
            "--names" => args.names = Some(number()?),
            "--planes" => args.planes = Some(number()?),
            "--converging" => args.converging = Some(number()?),
            "--nvcc" => args.nvcc = number()?,
            "--for-gpu" => {
                args.for_gpu = Some(words.next().ok_or("--for-gpu needs a folder")?.into())
            }
            "--print" => args.print = Some(words.next().ok_or("--print needs a folder")?.into()),
            "--alike" => args.alike = number()?,
            "--form" => args
                .filter
                .only
                .push(words.next().ok_or("--form needs a name")?),
            "--without" => {
                let name = words.next().ok_or("--without needs a name")?;
                args.filter.without.push(name);
            }
            "--hexcc" => args.hexcc = Some(words.next().ok_or("--hexcc needs a value")?.into()),
            "--unnecessary" => args.unnecessary = true,
            "--quiet" => args.quiet = true,
            "--out" => args.out = words.next().ok_or("--out needs a value")?.into(),
            _ => return Err(format!("`{word}`\n\n{USAGE}")),
        }
    }
    Ok(args)
}

/// Counts of a run.
#[derive(Default)]
struct Counts {
    programs: u64,
    translated: u64,
    replays: u64,
    executions: u64,
    sanitized: u64,
    waves: u64,
    streams: u64,
    planes: u64,
    wider: u64,
    refused: BTreeMap<String, u64>,
    unnecessary: BTreeMap<String, u64>,
    failed: BTreeMap<&'static str, u64>,
    wider_examples: Vec<u64>,
    unnecessary_examples: BTreeMap<String, Vec<u64>>,
    failures: Vec<u64>,
    /// Seconds, of all threads together.
    examining: f64,
    executing: f64,
}

fn main() -> ExitCode {
    let first = std::env::args().nth(1);
    if first.as_deref() == Some(hexcc_pet::CHILD_ARGUMENT) {
        return pet_child();
    }
    if first.as_deref() == Some(server::SERVER_ARGUMENT) {
        return serve();
    }
    if std::env::args().nth(1).as_deref() == Some(case::EXTRACT_ARGUMENT) {
        let out = std::env::args().nth(2).unwrap_or_default();
        let done = case::run_extract(Path::new(&out)).is_ok();
        return if done {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    let args = match parse() {
        Ok(args) => args,
        Err(e) => {
            eprintln!("hexcc-fuzz: {e}");
            return ExitCode::from(2);
        }
    };
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(e) => {
            eprintln!("hexcc-fuzz: {e}");
            ExitCode::from(2)
        }
    }
}

/// Reads C in this process, or in one of the server that the environment names.
fn pet_child() -> ExitCode {
    let Some(socket) = std::env::var_os(server::SOCKET_VARIABLE) else {
        return hexcc_pet::run_child();
    };
    match server::relay(Path::new(&socket)) {
        Ok(code) => ExitCode::from(code),
        Err(e) => {
            eprintln!("hexcc-fuzz: the server of pet children: {e}");
            ExitCode::from(2)
        }
    }
}

fn serve() -> ExitCode {
    let socket = PathBuf::from(std::env::args().nth(2).unwrap_or_default());
    let served = case::warm_up()
        .and_then(|request| server::serve(&socket, &request).map_err(|e| e.to_string()));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("hexcc-fuzz: {e}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<bool, String> {
    if let Some(runs) = args.hostile {
        return hostile(args, runs);
    }
    if let Some(programs) = args.names {
        let began = Instant::now();
        let report = forms::run_names(&plan(args, programs, command(args)?));
        let what = format!("{programs} programs with names that collide");
        return Ok(told(args, &report, &what, began.elapsed().as_secs_f64()));
    }
    if let Some(programs) = args.planes {
        return with_planes(args, programs, planes::program, planes::tiling);
    }
    if let Some(programs) = args.converging {
        return with_planes(args, programs, planes::converging, |_| None);
    }
    if let (Some(programs), Some(folder)) = (args.whole, &args.print) {
        return forms::print_all(&plan(args, programs, PathBuf::new()), folder)
            .map(|()| true)
            .map_err(|e| e.to_string());
    }
    if let Some(programs) = args.whole {
        return whole(args, programs);
    }
    let began = Instant::now();
    let work = tempfile::Builder::new()
        .prefix("hexcc-fuzz-")
        .tempdir()
        .map_err(|e| e.to_string())?;
    let tools = Tools {
        exe: std::env::current_exe().map_err(|e| e.to_string())?,
        pet: case::find_pet()?,
        work: work.path().to_path_buf(),
    };
    if let Some(index) = args.only {
        return Ok(one(args, &tools, index));
    }
    // A panic in a translation is a result and not a message.
    std::panic::set_hook(Box::new(|_| {}));
    let counts = Mutex::new(Counts::default());
    let next = AtomicU64::new(0);
    let seeds = seeds(args);
    std::thread::scope(|scope| {
        for _ in 0..args.jobs {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let first = args.first + number * args.batch;
                    let end = args.first + args.programs;
                    if first >= end {
                        return;
                    }
                    let indices = first..end.min(first + args.batch);
                    let nth = |n: u64, at: u64| n > 0 && number % n == at % n;
                    let sanitize = nth(args.sanitize, args.sanitize.wrapping_sub(1));
                    let how = Plan {
                        sanitize,
                        optimize: !sanitize && nth(args.optimize, 1),
                        seeds: &seeds,
                    };
                    let tools = Tools {
                        exe: tools.exe.clone(),
                        pet: tools.pet.clone(),
                        work: tools.work.clone(),
                    };
                    batch(args, &tools, indices, how, &counts);
                    if !args.quiet {
                        let c = lock(&counts);
                        eprintln!(
                            "{} programs, {} translated, {} failures, {:.0} s",
                            c.programs,
                            c.translated,
                            c.failures.len(),
                            began.elapsed().as_secs_f64()
                        );
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap_or_else(|e| e.into_inner());
    summary(args, &counts, began.elapsed().as_secs_f64());
    Ok(counts.failures.is_empty())
}

/// The command to test.
fn command(args: &Args) -> Result<PathBuf, String> {
    let exe = std::env::current_exe().map_err(|e| e.to_string())?;
    let hexcc = args.hexcc.clone().unwrap_or(exe.with_file_name("hexcc"));
    match hexcc.is_file() {
        true => Ok(hexcc),
        false => Err(format!(
            "there is no {}; build it or give --hexcc",
            hexcc.display()
        )),
    }
}

/// Whole programs whose planes move.
fn with_planes(
    args: &Args,
    programs: u64,
    program: fn(u64, u64) -> String,
    option: fn(u64) -> Option<&'static str>,
) -> Result<bool, String> {
    if let Some(folder) = &args.print {
        std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
        for index in args.first..args.first + programs {
            let file = folder.join(format!("planes_{}_{index}.c", args.seed));
            std::fs::write(file, program(args.seed, index)).map_err(|e| e.to_string())?;
        }
        return Ok(true);
    }
    let began = Instant::now();
    let report = forms::run_planes(&plan(args, programs, command(args)?), program, option);
    let what = format!("{programs} programs with planes, {} tiled", report.tiled);
    Ok(told(args, &report, &what, began.elapsed().as_secs_f64()))
}

fn plan(args: &Args, programs: u64, hexcc: PathBuf) -> forms::Plan {
    forms::Plan {
        hexcc,
        seed: args.seed,
        first: args.first,
        programs,
        jobs: args.jobs,
        nvcc: args.nvcc,
        sanitize: args.sanitize,
        filter: args.filter.clone(),
        shrink: args.shrink,
        out: Some(args.out.clone()),
        alike: args.alike,
        for_gpu: args.for_gpu.clone(),
    }
}

/// Whole programs in random forms.
fn whole(args: &Args, programs: u64) -> Result<bool, String> {
    if args.filter.unknown().is_some_and(|w| w == "help") {
        for info in FEATURES {
            println!("{:16} {}", info.name, info.choices.join(" "));
        }
        return Ok(true);
    }
    if let Some(word) = args.filter.unknown() {
        return Err(format!("`{word}` is no form; `--form help` lists them"));
    }
    let began = Instant::now();
    let report = forms::run(&plan(args, programs, command(args)?));
    let what = format!("{programs} whole programs");
    Ok(told(args, &report, &what, began.elapsed().as_secs_f64()))
}

/// Prints what became of whole programs; whether none failed.
fn told(args: &Args, report: &forms::Report, what: &str, seconds: f64) -> bool {
    let refused: u64 = report.refused.values().sum();
    let failed: u64 = report.failures.values().map(|f| f.0).sum();
    println!(
        "{what} of seed {} in {seconds:.0} s: {} equal in {} runs, {} of them compiled by nvcc, {refused} refused, {failed} failures",
        args.seed, report.equal, report.runs, report.nvcc
    );
    let [c, hexcc, emulation, nvcc] = report.seconds;
    println!(
        "  seconds of threads: C {c:.0}, hexcc {hexcc:.0}, emulation {emulation:.0}, nvcc {nvcc:.0}"
    );
    for (code, n) in &report.refused {
        println!("  refused with {code}: {n}");
    }
    for (class, (n, first)) in &report.failures {
        println!("  FAILED {n} times: {class}\n    {first}");
    }
    report.failures.is_empty()
}

/// Damaged files and command lines.
fn hostile(args: &Args, runs: u64) -> Result<bool, String> {
    let hexcc = command(args)?;
    let report = hostile::run(&hostile::Plan {
        hexcc: &hexcc,
        sources: hostile::testsuite(),
        seed: args.seed,
        runs,
        first: args.first,
        patience: std::time::Duration::from_secs(10),
        out: Some(args.out.clone()),
    });
    for (what, n) in &report.counts {
        println!("{n:6} {what}");
    }
    println!(
        "{runs} runs of seed {}, the longest {:.1} s: {} failures",
        args.seed,
        report.slowest.as_secs_f64(),
        report.failures.len()
    );
    Ok(report.failures.is_empty())
}

fn lock(counts: &Mutex<Counts>) -> std::sync::MutexGuard<'_, Counts> {
    counts.lock().unwrap_or_else(|e| e.into_inner())
}

fn seeds(args: &Args) -> Vec<u64> {
    let all = [0, 1].into_iter().chain(args.seed + 2..);
    all.take(args.orders).collect()
}

fn batch(
    args: &Args,
    tools: &Tools,
    indices: std::ops::Range<u64>,
    plan: Plan,
    counts: &Mutex<Counts>,
) {
    let mut translated: Vec<(Case, Translated)> = Vec::new();
    let began = Instant::now();
    let cases: Vec<Case> = indices.map(|i| Case::random(args.seed, i)).collect();
    let scops = case::read_all(tools, &cases);
    lock(counts).examining += began.elapsed().as_secs_f64();
    for (mut case, scop) in cases.into_iter().zip(scops) {
        let began = Instant::now();
        let index = case.index;
        let outcome = match scop {
            Some(scop) => case::examine_scop(&mut case, scop),
            None => case::examine(tools, &mut case),
        };
        let mut c = lock(counts);
        c.examining += began.elapsed().as_secs_f64();
        c.programs += 1;
        match outcome {
            Outcome::Translated(t) => {
                c.translated += 1;
                c.replays += t.replays as u64;
                c.waves += u64::from(case.config.wavefront.is_some());
                c.streams += u64::from(t.tile.is_some());
                c.planes += u64::from(t.tile.is_some() && case.program.n_dims() == 3);
                if t.wider.is_some() {
                    c.wider += 1;
                    c.wider_examples.push(index);
                }
                translated.push((case, t));
            }
            Outcome::Refused {
                code, unnecessary, ..
            } => {
                if unnecessary.is_some() {
                    *c.unnecessary.entry(code.clone()).or_default() += 1;
                    let examples = c.unnecessary_examples.entry(code.clone()).or_default();
                    examples.push(index);
                    if args.unnecessary {
                        drop(c);
                        let failure = Failure {
                            kind: "unnecessary",
                            detail: unnecessary.unwrap_or_default(),
                        };
                        report(args, tools, &case, &failure);
                        c = lock(counts);
                    }
                }
                *c.refused.entry(code).or_default() += 1;
            }
            Outcome::Failed(failure) => {
                *c.failed.entry(failure.kind).or_default() += 1;
                c.failures.push(index);
                drop(c);
                report(args, tools, &case, &failure);
            }
        }
    }
    let cases: Vec<(&Case, &Translated)> = translated.iter().map(|(c, t)| (c, t)).collect();
    let began = Instant::now();
    let results = batch::run(&tools.work, &cases, plan);
    {
        let mut c = lock(counts);
        c.executing += began.elapsed().as_secs_f64();
        let runs: usize = cases.iter().map(|(_, t)| t.runs.len()).sum();
        c.executions += (runs * plan.seeds.len()) as u64;
        c.sanitized += if plan.sanitize { cases.len() as u64 } else { 0 };
    }
    for ((case, _), failure) in cases.iter().zip(results) {
        if let Some(failure) = failure {
            {
                let mut c = lock(counts);
                *c.failed.entry(failure.kind).or_default() += 1;
                c.failures.push(case.index);
            }
            report(args, tools, case, &failure);
        }
    }
}

/// Translates and runs one case; how it fails.
fn fails(args: &Args, tools: &Tools, case: &mut Case, sanitize: bool) -> Option<Failure> {
    match case::examine(tools, case) {
        Outcome::Failed(failure) => Some(failure),
        Outcome::Refused { unnecessary, .. } => unnecessary.map(|detail| Failure {
            kind: "unnecessary",
            detail,
        }),
        Outcome::Translated(t) => {
            let seeds = seeds(args);
            let plan = Plan {
                sanitize,
                optimize: !sanitize,
                seeds: &seeds,
            };
            batch::run(&tools.work, &[(&*case, &t)], plan)
                .pop()
                .flatten()
        }
    }
}

/// Shrinks a failure and writes it to a file.
fn report(args: &Args, tools: &Tools, case: &Case, failure: &Failure) {
    eprintln!(
        "program {}: {}: {}",
        case.index, failure.kind, failure.detail
    );
    let sanitize = failure.detail.contains("ERROR: AddressSanitizer")
        || failure.detail.contains("runtime error");
    let mut detail = failure.detail.clone();
    let (small, tried) = shrink::shrink(case, args.shrink, &mut |candidate| {
        let valid = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            fails(args, tools, candidate, sanitize)
        }));
        match valid {
            Ok(Some(f)) if f.kind == failure.kind => {
                detail = f.detail;
                true
            }
            _ => false,
        }
    });
    match write(&args.out, args.seed, &small, failure.kind, &detail) {
        Ok(path) => eprintln!("  shrunk in {tried} attempts: {}", path.display()),
        Err(e) => eprintln!("  not written: {e}"),
    }
}

fn write(out: &Path, seed: u64, case: &Case, kind: &str, detail: &str) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(out)?;
    let program = &case.program;
    let name = format!("{}_{seed}_{}", kind, case.index);
    let flags = case.config.flags();
    let others: Vec<&String> = (flags.iter())
        .filter(|f| !f.starts_with("--tile"))
        .collect();
    let mut header = Vec::new();
    if !program.params.is_empty() {
        header.push(format!("args={}", program.params.join(",")));
    }
    let runs: Vec<String> = [(3, 2), (9, 5), (24, 11), (40, 20)]
        .iter()
        .map(|&(size, steps)| {
            let env = hexcc_fuzz::brute::env(program, size, steps);
            env.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
        })
        .collect();
    header.push(format!("run={}", runs.join(";")));
    if let Some(tile) = case.config.tile_text() {
        header.push(format!("tile={tile}"));
    }
    if !others.is_empty() {
        let others: Vec<&str> = others.iter().map(|f| f.as_str()).collect();
        header.push(format!("flags={}", others.join(",")));
    }
    let detail: String = detail.replace("*/", "").chars().take(600).collect();
    let comment = format!("{kind}: {detail}\n * hexcc {}", flags.join(" "));
    let path = out.join(format!("{name}.c"));
    let text = program.testsuite_file(&name, &comment, &header.join(" "));
    std::fs::write(&path, text)?;
    Ok(path)
}

/// Everything about one program.
fn one(args: &Args, tools: &Tools, index: u64) -> bool {
    let mut case = Case::random(args.seed, index);
    println!("{}", case.program.unit(&case.name()));
    println!("// hexcc {}", case.config.flags().join(" "));
    let outcome = case::examine(tools, &mut case);
    if case.config.illegal.is_some() {
        println!("// sizes are illegal on purpose: {:?}", case.config.illegal);
    }
    match outcome {
        Outcome::Failed(f) => {
            println!("// {}: {}", f.kind, f.detail);
            false
        }
        Outcome::Refused {
            code,
            message,
            unnecessary,
        } => {
            println!("// {code}: {message}");
            if let Some(why) = unnecessary {
                println!("// unnecessary: {why}");
            }
            true
        }
        Outcome::Translated(t) => {
            println!("// hexcc {}", case.config.flags().join(" "));
            if let Some(wider) = &t.wider {
                println!("// wider cone than seen: {wider}");
            }
            println!("{}", t.text);
            println!("// runs {:?}, {} replays", t.runs, t.replays);
            let seeds = seeds(args);
            for sanitize in [false, true] {
                let plan = Plan {
                    sanitize,
                    optimize: !sanitize,
                    seeds: &seeds,
                };
                let failure = batch::run(&tools.work, &[(&case, &t)], plan)
                    .pop()
                    .flatten();
                if let Some(f) = failure {
                    println!("// {}: {}", f.kind, f.detail);
                    return false;
                }
            }
            println!("// equal to C");
            true
        }
    }
}

fn summary(args: &Args, c: &Counts, seconds: f64) {
    let first = |list: &[u64]| {
        let shown: Vec<String> = list.iter().take(12).map(u64::to_string).collect();
        shown.join(" ")
    };
    println!(
        "{} programs of seed {} in {seconds:.0} s: {} translated, {} refused, {} failures",
        c.programs,
        args.seed,
        c.translated,
        c.refused.values().sum::<u64>(),
        c.failures.len()
    );
    println!(
        "  {} runs in the emulation compared with C, {} programs with sanitizers, {} with wavefronts, {} with overlapped tiles ({} in 3D), {} replays of schedules",
        c.executions, c.sanitized, c.waves, c.streams, c.planes, c.replays
    );
    println!(
        "  {:.0} s of threads to translate and replay, {:.0} s to build and run",
        c.examining, c.executing
    );
    for (code, n) in &c.refused {
        let unnecessary = c.unnecessary.get(code).copied().unwrap_or(0);
        print!("  refused with {code}: {n}");
        match c.unnecessary_examples.get(code) {
            Some(examples) => println!(", {unnecessary} unnecessarily: {}", first(examples)),
            None => println!(),
        }
    }
    if c.wider > 0 {
        println!(
            "  cone wider than the dependences seen: {}: {}",
            c.wider,
            first(&c.wider_examples)
        );
    }
    for (kind, n) in &c.failed {
        println!("  FAILED ({kind}): {n}");
    }
    if !c.failures.is_empty() {
        println!("  failures: {}", first(&c.failures));
    }
}
