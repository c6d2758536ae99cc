//! Whole programs in random forms: C, the command `hexcc`, the emulation and nvcc.
//!
//! Unlike [`crate::batch`], nothing is taken out of its surroundings: the file is given to the
//! command as a user would, and the whole output is compiled and run. Invariant: a program counts
//! as refused with reason only if its plain form is refused as well, or its form allows the code.

use crate::case::{Case, Failure};
use crate::findings;
use crate::form::{Expect, Feature, Filter, Form};
use crate::hostile::{self, Finished};
use crate::rng::Rng;
use crate::shrink;
use crate::whole::{Whole, whole};
use hexcc_compiler::csource;
use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

mod texts;

pub use texts::{run_names, run_planes};

/// What to do.
pub struct Plan {
    /// The command.
    pub hexcc: PathBuf,
    /// Random numbers.
    pub seed: u64,
    /// Number of the first program.
    pub first: u64,
    /// How many.
    pub programs: u64,
    /// Threads.
    pub jobs: usize,
    /// Every n-th program that translates is compiled by nvcc, 0 for none.
    pub nvcc: u64,
    /// Every n-th C program is built with sanitizers first, 0 for none: a test of the generator.
    pub sanitize: u64,
    /// Forms to draw.
    pub filter: Filter,
    /// Attempts to shrink a failure.
    pub shrink: usize,
    /// Where failures go.
    pub out: Option<PathBuf>,
    /// Failures of the same kind and message that are shrunk; the others are counted.
    pub alike: u64,
    /// Where programs and translations go instead of being run, for a machine with a GPU.
    pub for_gpu: Option<PathBuf>,
}

/// What happened.
#[derive(Default, Debug)]
pub struct Report {
    /// Programs that translated and gave C's results.
    pub equal: u64,
    /// Of these, how many nvcc compiled.
    pub nvcc: u64,
    /// Of these, how many are tiled over time, where that is counted.
    pub tiled: u64,
    /// Runs compared.
    pub runs: u64,
    /// Refused by code, where the plain form is refused as well or the form allows it.
    pub refused: BTreeMap<String, u64>,
    /// Failures by kind and message, with the first of each.
    pub failures: BTreeMap<String, (u64, String)>,
    /// Seconds of all threads in C, hexcc, the emulation and nvcc.
    pub seconds: [f64; 4],
}

/// A program, its options and its form.
#[derive(Clone)]
struct Trial {
    case: Case,
    form: Form,
    flags: Flags,
}

/// The options of a translation.
#[derive(Clone, Copy, PartialEq)]
enum Flags {
    /// None.
    Default,
    /// Those of the random configuration.
    Config,
    /// Single steps.
    Stepwise,
}

enum Verdict {
    /// The runs compared, and whether nvcc compiled it.
    Equal(u64, bool),
    Refused(String),
    Failed(Failure),
}

fn failure(kind: &'static str, detail: impl Into<String>) -> Verdict {
    Verdict::Failed(Failure {
        kind,
        detail: detail.into(),
    })
}

/// Seconds of processor time after which hexcc is stopped, and libpet by itself: two more than those
/// after which it has to stop by itself.
const TRANSLATION: u64 = 12;
/// The longest that a compiler or a program may take.
const PATIENCE: Duration = Duration::from_secs(120);

impl Trial {
    fn random(plan: &Plan, index: u64) -> Trial {
        let mut case = Case::random(plan.seed, index);
        let mut rng = Rng::new(plan.seed ^ 0xF0_0D, index);
        // Sizes that break a rule are a matter of the batches.
        if case.config.illegal.is_some() {
            case.config.tile = None;
        }
        let form = Form::random(&mut rng, &case.program, &plan.filter);
        let config = rng.chance(60) && case.config.illegal.is_none();
        Trial {
            form,
            flags: match config {
                true => Flags::Config,
                false if rng.chance(50) => Flags::Stepwise,
                false => Flags::Default,
            },
            case,
        }
    }

    fn flags(&self) -> Vec<String> {
        match self.flags {
            Flags::Default => Vec::new(),
            Flags::Config => self.case.config.flags(),
            Flags::Stepwise => vec!["--tiling=stepwise".to_string()],
        }
    }
}

/// Runs all programs.
pub fn run(plan: &Plan) -> Report {
    let report = Mutex::new(Report::default());
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(|| {
                let work = tempfile::tempdir().expect("a folder for files");
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= plan.programs {
                        return;
                    }
                    one(plan, work.path(), plan.first + n, &report);
                }
            });
        }
    });
    report.into_inner().unwrap_or_else(|e| e.into_inner())
}

/// Writes all programs to a folder.
///
/// # Errors
/// If the folder cannot be written.
pub fn print_all(plan: &Plan, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for index in plan.first..plan.first + plan.programs {
        let (name, program) = program(plan, index);
        std::fs::write(folder.join(format!("{name}.c")), program.text)?;
    }
    Ok(())
}

/// Name and text of one program.
pub fn program(plan: &Plan, index: u64) -> (String, Whole) {
    let trial = Trial::random(plan, index);
    let name = trial.case.name();
    let program = whole(&trial.case.program, &trial.form, &name);
    (name, program)
}

fn one(plan: &Plan, work: &Path, index: u64, report: &Mutex<Report>) {
    let trial = Trial::random(plan, index);
    let mut seconds = [0.0; 4];
    let verdict = examine(plan, work, &trial, &mut seconds);
    let lock = || report.lock().unwrap_or_else(|e| e.into_inner());
    let mut r = lock();
    r.seconds
        .iter_mut()
        .zip(seconds)
        .for_each(|(sum, s)| *sum += s);
    match verdict {
        Verdict::Equal(runs, nvcc) => {
            r.equal += 1;
            r.runs += runs;
            r.nvcc += u64::from(nvcc);
        }
        Verdict::Refused(code) => *r.refused.entry(code).or_default() += 1,
        Verdict::Failed(f) => {
            let text = format!(
                "program {index} of seed {}: {}: {}",
                plan.seed, f.kind, f.detail
            );
            let (count, _) = r.failures.entry(class(&f)).or_insert((0, text.clone()));
            *count += 1;
            if *count <= plan.alike {
                drop(r);
                eprintln!("{text}\n  {}", trial.form);
                shrink_and_write(plan, work, trial, &f);
            }
        }
    }
}

fn class(f: &Failure) -> String {
    findings::class(f.kind, &f.detail)
}

fn timed<T>(seconds: &mut f64, f: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let result = f();
    *seconds += began.elapsed().as_secs_f64();
    result
}

pub(crate) fn first_errors(text: &str) -> String {
    let lines = text.lines().filter(|l| {
        l.contains("error") || l.contains("Error") || l.contains("undefined reference")
    });
    let lines: Vec<&str> = lines.take(3).collect();
    match lines.is_empty() {
        true => text.lines().take(3).collect::<Vec<_>>().join(" | "),
        false => lines.join(" | "),
    }
}

fn finished(command: &mut Command, patience: Duration) -> Result<Finished, String> {
    let run = hostile::finish(command, patience)?;
    match run.code {
        Some(0) => Ok(run),
        code => Err(format!("status {code:?}: {}", first_errors(&run.stderr))),
    }
}

/// Everything about one program.
fn examine(plan: &Plan, work: &Path, trial: &Trial, seconds: &mut [f64; 4]) -> Verdict {
    let Whole { text, runs } = whole(&trial.case.program, &trial.form, &trial.case.name());
    let at = |name: &str| work.join(name);
    let (c, cu) = (at("program.c"), at("program.cu"));
    std::fs::write(&c, &text).expect("a file can be written");
    let nth = |n: u64| n > 0 && trial.case.index.is_multiple_of(n);
    let expect = trial.form.expect();
    if let Some(folder) = &plan.for_gpu {
        return timed(&mut seconds[1], || {
            hand_over(plan, work, trial, &runs, folder)
        });
    }
    let expected = timed(&mut seconds[0], || {
        outputs_of_c(work, &c, &runs, expect, nth(plan.sanitize))
    });
    let expected = match expected {
        Ok(expected) => expected,
        Err(e) => return failure("generator", e),
    };
    let warned = match timed(&mut seconds[1], || translate(plan, &c, &cu, trial)) {
        Translation::Failed(f) => return Verdict::Failed(f),
        Translation::Refused(code, message) => {
            return judge(plan, work, trial, &code, &message);
        }
        Translation::Done { warned } => warned,
    };
    if let Expect::Refusal(codes) = expect {
        return failure(
            "accepted",
            format!("{} has to be refused with one of {codes:?}", trial.form),
        );
    }
    let compared = timed(&mut seconds[2], || {
        compare(work, &cu, &runs, &expected, trial.case.index)
    });
    match compared {
        Err(f) if f.kind == "build" && warned => {
            return Verdict::Refused("HX0113, a warning".to_string());
        }
        Err(f) => return Verdict::Failed(f),
        Ok(()) => {}
    }
    let nvcc = nth(plan.nvcc);
    if nvcc && let Err(e) = timed(&mut seconds[3], || nvcc_compiles(work, &cu)) {
        return match warned {
            true => Verdict::Refused("HX0113, a warning".to_string()),
            false => failure("nvcc", e),
        };
    }
    Verdict::Equal(runs.len() as u64, nvcc)
}

/// Translates a program and puts it where `tests/gpu/whole-run` finds it: NAME.c, NAME.cu and
/// NAME.args with a line of arguments for each run.
fn hand_over(
    plan: &Plan,
    work: &Path,
    trial: &Trial,
    runs: &[Vec<String>],
    folder: &Path,
) -> Verdict {
    let (c, cu) = (work.join("program.c"), work.join("program.cu"));
    match translate(plan, &c, &cu, trial) {
        Translation::Failed(f) => return Verdict::Failed(f),
        Translation::Refused(code, message) => return judge(plan, work, trial, &code, &message),
        Translation::Done { .. } => {}
    }
    if let Expect::Refusal(codes) = trial.form.expect() {
        return failure(
            "accepted",
            format!("{} has to be refused with one of {codes:?}", trial.form),
        );
    }
    let lines: String = runs.iter().map(|args| args.join(" ") + "\n").collect();
    let to = |extension: &str| folder.join(trial.case.name()).with_extension(extension);
    let copied = (std::fs::create_dir_all(folder))
        .and_then(|()| std::fs::copy(&c, to("c")))
        .and_then(|_| std::fs::copy(&cu, to("cu")))
        .and_then(|_| std::fs::write(to("args"), lines));
    match copied {
        Ok(()) => Verdict::Equal(0, false),
        Err(e) => failure("generator", e.to_string()),
    }
}

/// What the C program prints in each run.
fn outputs_of_c(
    work: &Path,
    c: &Path,
    runs: &[Vec<String>],
    expect: Expect,
    sanitize: bool,
) -> Result<Vec<Vec<u8>>, String> {
    let program = work.join("program-c");
    let mut cc = Command::new("cc");
    cc.args([
        "-O1",
        "-ffp-contract=off",
        "-std=gnu11",
        "-w",
        "-Werror=implicit-function-declaration",
    ]);
    if sanitize {
        cc.args(["-fsanitize=address,undefined", "-fno-sanitize-recover"]);
    }
    finished(cc.arg(c).arg("-o").arg(&program).arg("-lm"), PATIENCE)?;
    if matches!(expect, Expect::Refusal(_)) {
        return Ok(Vec::new());
    }
    (runs.iter())
        .map(|args| {
            let mut command = Command::new(&program);
            command.args(args).env("ASAN_OPTIONS", "detect_leaks=0");
            Ok(finished(&mut command, PATIENCE)?.stdout)
        })
        .collect()
}

enum Translation {
    /// Whether hexcc warned that compilers of CUDA refuse the host's code.
    Done {
        warned: bool,
    },
    /// Code and message.
    Refused(String, String),
    Failed(Failure),
}

/// Runs hexcc; without the program's options where they do not fit it, as those of tiles where
/// nests run in single steps.
fn translate(plan: &Plan, c: &Path, cu: &Path, trial: &Trial) -> Translation {
    // What sums computed by all threads round to is no matter of forms.
    let mut flags = trial.flags();
    let sums = ["--sums", "ordered"].map(str::to_string);
    flags.extend(sums.clone());
    let first = translate_with(plan, c, cu, &flags);
    match &first {
        Translation::Refused(code, _)
            if flags.len() > sums.len()
                && (["HX0206", "HX03", "HX04", "HX05"]
                    .iter()
                    .any(|p| code.starts_with(p))
                    || trial.form.is_flat() && code.starts_with("HX02")) =>
        {
            translate_with(plan, c, cu, &sums)
        }
        _ => first,
    }
}

fn translate_with(plan: &Plan, c: &Path, cu: &Path, flags: &[String]) -> Translation {
    let failed = |kind, detail: String| Translation::Failed(Failure { kind, detail });
    let _ = std::fs::remove_file(cu);
    let mut command = Command::new(&plan.hexcc);
    command.arg(c).args(flags).arg("-o").arg(cu);
    limit_processor_time(&mut command);
    let run = match hostile::finish(&mut command, PATIENCE) {
        Ok(run) => run,
        Err(e) => return failed("hang", e),
    };
    let errors: Vec<&str> = run
        .stderr
        .lines()
        .filter(|l| l.starts_with("error["))
        .collect();
    let head = errors.first().copied().unwrap_or("").to_string();
    let code = hostile::code_of(&run.stderr);
    // hexcc was stopped, or libpet below it, whose signal it tells.
    let stopped = format!("signal Some({})", libc::SIGXCPU);
    if run.signal == Some(libc::SIGXCPU) || run.stderr.contains(&stopped) {
        return failed("slow", format!("more than {TRANSLATION} s"));
    }
    if run.stderr.contains("panicked at") || run.code.is_none() {
        return failed(
            "panic",
            run.stderr.lines().take(3).collect::<Vec<_>>().join(" | "),
        );
    }
    if run.stderr.contains("[HX9") {
        let notes: Vec<&str> = run
            .stderr
            .lines()
            .filter(|l| l.contains("= note"))
            .take(2)
            .collect();
        return failed("internal", format!("{head} {}", notes.join(" ")));
    }
    match run.code {
        Some(0) => Translation::Done {
            warned: run.stderr.contains("[HX0113]"),
        },
        // What another loop was refused for stands in the notes.
        _ => {
            let known = [WIDE_REMAINDERS, FEW_ITERATIONS, NOT_PARALLEL].into_iter();
            let said: Vec<&str> = known.filter(|words| run.stderr.contains(words)).collect();
            Translation::Refused(code, format!("{head} [{}]", said.join(", ")))
        }
    }
}

/// A busy machine makes nothing slow that is counted in processor time.
fn limit_processor_time(command: &mut Command) {
    let limit = libc::rlimit {
        rlim_cur: TRANSLATION,
        rlim_max: TRANSLATION + 1,
    };
    // SAFETY: setrlimit reads one structure and may be called between fork and exec.
    unsafe {
        command.pre_exec(
            move || match libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            },
        );
    }
}

/// In a refusal of remainders in 64 bits without sign, which have no form that isl can take.
const WIDE_REMAINDERS: &str = "remainders of `size_t`";

/// In a refusal of nests that are too small for a kernel of their own.
const FEW_ITERATIONS: &str = "would share less than";

/// In a refusal of a nest.
const NOT_PARALLEL: &str = "no loop of the region is parallel";

/// Whether a refusal was due.
fn judge(plan: &Plan, work: &Path, trial: &Trial, code: &str, message: &str) -> Verdict {
    let allowed: &[&str] = match trial.form.expect() {
        Expect::Translation => &[],
        Expect::Either(codes) | Expect::Refusal(codes) => codes,
    };
    // A macro that makes text of its arguments lets no variable be renamed.
    let no_names = code == "HX0114" && trial.form.choice(Feature::Macros) == "functions";
    let wide = message.contains(WIDE_REMAINDERS);
    let few = message.contains(FEW_ITERATIONS) && trial.form.in_nests();
    // Of a time loop on the host, each nest has to have a parallel loop of its own.
    let alone = message.contains(NOT_PARALLEL) && trial.form.in_nests();
    // In a small domain, or few steps, of known size tiles are known to be of no use.
    let small = matches!(code, "HX0201" | "HX0204") && trial.form.fixed_sizes();
    // Where unsigned types make sets of remainders, isl may need longer than a translation may take.
    let long = code == "HX0401" && message.contains("has reached the limit");
    // In single steps a program without a parallel loop is refused for that.
    let serial = code == "HX0206" && allowed.contains(&"HX0203");
    if allowed.contains(&code) || serial || no_names || wide || few || alone || small || long {
        return Verdict::Refused(format!("{code} of the form"));
    }
    // The stencil itself may be the reason.
    let plain = Trial {
        form: Form::default(),
        ..trial.clone()
    };
    let c = work.join("plain.c");
    let text = whole(&plain.case.program, &plain.form, &plain.case.name()).text;
    std::fs::write(&c, text).expect("a file can be written");
    match translate(plan, &c, &work.join("plain.cu"), &plain) {
        Translation::Refused(..) => Verdict::Refused(code.to_string()),
        Translation::Failed(f) => Verdict::Failed(f),
        Translation::Done { .. } => failure(
            "refused",
            format!("the plain form translates, and this one is refused: {message}"),
        ),
    }
}

/// Builds the translation with the emulation and compares what it prints.
fn compare(
    work: &Path,
    cu: &Path,
    runs: &[Vec<String>],
    expected: &[Vec<u8>],
    index: u64,
) -> Result<(), Failure> {
    let failed = |kind, detail| Failure { kind, detail };
    let program = work.join("program-cu");
    let mut emucc = Command::new(root().join("scripts/emucc"));
    emucc.args(["-O0", "-w"]).arg(cu).arg("-o").arg(&program);
    // Tests for alignment are a third of the time of a build; one program in four has them.
    if !index.is_multiple_of(4) {
        emucc.arg("-fno-sanitize=alignment");
    }
    finished(&mut emucc, PATIENCE).map_err(|e| failed("build", e))?;
    for (args, expected) in runs.iter().zip(expected) {
        let mut command = Command::new(&program);
        command
            .args(args)
            .env("HEXCC_RUN_ON", "gpu")
            .env("HEXCC_EMU_SEED", (index % 5).to_string());
        let found = finished(&mut command, PATIENCE)
            .map_err(|e| failed("died", format!("{e}; arguments {args:?}")))?;
        if found.stdout != *expected {
            let (a, b) = (
                String::from_utf8_lossy(expected),
                String::from_utf8_lossy(&found.stdout),
            );
            let line = a.lines().zip(b.lines()).position(|(a, b)| a != b);
            let line = line.unwrap_or(a.lines().count().min(b.lines().count()));
            let show = |t: &str| t.lines().nth(line).unwrap_or("").to_string();
            return Err(failed(
                "differs",
                format!(
                    "arguments {args:?}: line {} is `{}` in C, `{}` in CUDA",
                    line + 1,
                    show(&a),
                    show(&b)
                ),
            ));
        }
    }
    Ok(())
}

/// An object, so that host code is compiled as well. Optimization finds no errors.
fn nvcc_compiles(work: &Path, cu: &Path) -> Result<(), String> {
    let mut nvcc = Command::new(root().join("scripts/nvcc"));
    nvcc.args([
        "-arch=sm_90",
        "-fmad=false",
        "-O0",
        "-Xcicc",
        "-O0",
        "-Xptxas",
        "-O0",
        "-w",
        "-c",
    ]);
    let run = hostile::finish(nvcc.arg(cu).arg("-o").arg(work.join("program.o")), PATIENCE)?;
    match run.code {
        Some(0) => Ok(()),
        // Some of its messages go to standard output.
        code => Err(format!(
            "status {code:?}: {}",
            first_errors(&format!(
                "{}{}",
                run.stderr,
                String::from_utf8_lossy(&run.stdout)
            ))
        )),
    }
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Shrinks the form, then the stencil, and writes the program.
fn shrink_and_write(plan: &Plan, work: &Path, trial: Trial, found: &Failure) {
    let mut best = trial;
    let mut detail = found.detail.clone();
    let mut tried = 0;
    let mut fails = |candidate: &Trial| {
        tried += 1;
        if tried > plan.shrink {
            return false;
        }
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            examine(plan, work, candidate, &mut [0.0; 4])
        }));
        match failed {
            Ok(Verdict::Failed(f)) if f.kind == found.kind && class(&f) == class(found) => {
                detail = f.detail;
                true
            }
            _ => false,
        }
    };
    'again: loop {
        let forms = best
            .form
            .simpler(&best.case.program)
            .into_iter()
            .map(|form| Trial {
                form,
                ..best.clone()
            });
        let plain = (best.flags != Flags::Default).then(|| Trial {
            flags: Flags::Default,
            ..best.clone()
        });
        let mut candidates: Vec<Trial> = forms.chain(plain).collect();
        candidates.extend(shrink::simpler(&best.case).into_iter().map(|case| {
            let mut form = best.form.clone();
            form.settle(&case.program);
            Trial {
                case,
                form,
                flags: best.flags,
            }
        }));
        for candidate in candidates {
            if fails(&candidate) {
                best = candidate;
                continue 'again;
            }
        }
        break;
    }
    eprintln!("  shrunk: {}: {detail}", best.form);
    let Some(out) = &plan.out else { return };
    let whole = whole(&best.case.program, &best.form, &best.case.name());
    let detail = detail.replace("*/", "");
    let comment = format!(
        "/* {}: {detail}\n * form: {}\n * hexcc {}; arguments {:?}\n */\n",
        found.kind,
        best.form,
        best.flags().join(" "),
        whole.runs
    );
    let path = out.join(format!(
        "form_{}_{}_{}.c",
        found.kind, plan.seed, best.case.index
    ));
    let written =
        std::fs::create_dir_all(out).and_then(|()| std::fs::write(&path, comment + &whole.text));
    match written {
        Ok(()) => eprintln!("  {}", path.display()),
        Err(e) => eprintln!("  not written: {e}"),
    }
}

/// Whether the host's compiler accepts a C program and refuses its translation.
///
/// # Errors
/// Its first messages about the translation.
pub fn compilers_agree(work: &Path, c: &Path, text: &str) -> Result<(), String> {
    let mut cc = Command::new("cc");
    // `-w` would also hide what the standard forbids and the compiler takes.
    cc.args(["-fsyntax-only", "-std=gnu11", "-pedantic-errors"]);
    let source = std::fs::read(c).map_err(|e| e.to_string())?;
    let is_cplusplus = csource::not_cplusplus(&String::from_utf8_lossy(&source)).is_empty();
    if !is_cplusplus || finished(cc.arg(c), PATIENCE).is_err() {
        return Ok(());
    }
    let cu = work.join("agree.cu");
    std::fs::write(&cu, text).map_err(|e| e.to_string())?;
    let mut emucc = Command::new(root().join("scripts/emucc"));
    emucc.args(["-O0", "-w", "-fsyntax-only"]);
    finished(emucc.arg(&cu), PATIENCE).map(drop)
}
