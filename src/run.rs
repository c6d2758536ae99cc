//! `hexcc run`: translate, build, run and compare.
//!
//! Two programs are built: the user's own and the generated one, both of which
//! append the arrays the region writes to a file. On a machine without a GPU the
//! generated program runs under the CPU emulation of CUDA.

mod build;

use crate::args::{InputArgs, KernelArgs, LanguageArg, STATUSES, TargetArgs};
use crate::compile::context;
use crate::emit::cannot_write;
use crate::input::Input;
use crate::limit::TimeLimit;
use crate::render::Failure;
use crate::stencils;
use crate::wheel;
use build::{BuildArgs, Builder};
use clap::Parser;
use hexcc_compiler::back::{Instrument, LOOPS_RUN};
use hexcc_compiler::compiled::{Compiled, Unit};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::options::Language;
use hexcc_compiler::output;
use hexcc_tuner::compare::{self, ArrayReport, Tolerance};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::BufReader;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// Translates a program, runs it beside the original and compares the results.
///
/// Programs in C are built with `$CC`, or cc. A CUDA program is built with nvcc where there is a
/// GPU, and otherwise for the CPU emulation. The exit status is 0 if all arrays that the loops write are equal.
#[derive(Debug, Parser)]
#[command(
    name = "hexcc run",
    override_usage = "hexcc run [OPTIONS] FILE [-- ARGS...]",
    arg_required_else_help = true,
    disable_help_flag = true,
    after_help = STATUSES
)]
pub struct Run {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    kernel: KernelArgs,
    /// GPU architecture, such as sm_90; that of the GPU found unless told
    #[arg(help_heading = "Comparison", long, value_name = "ARCH")]
    arch: Option<String>,
    /// Run on the GPU
    #[arg(help_heading = "Comparison", long, conflicts_with = "emulate")]
    gpu: bool,
    /// Run in the CPU emulation of CUDA
    #[arg(help_heading = "Comparison", long)]
    emulate: bool,
    #[command(flatten)]
    build: BuildArgs,
    /// Order of threads and blocks in the emulation
    #[arg(help_heading = "Comparison", long, value_name = "N")]
    seed: Option<u64>,
    /// Accepted distance of floating-point results, in units in the last place
    /// [default: 0, or 8 if the region calls functions such as `exp`]
    #[arg(help_heading = "Comparison", long, value_name = "N")]
    ulps: Option<u64>,
    /// Allow fused multiply-add, and report the largest relative error
    #[arg(help_heading = "Comparison", long, conflicts_with = "ulps")]
    fast: bool,
    /// Do not compare what the programs print
    #[arg(help_heading = "Comparison", long)]
    ignore_output: bool,
    /// Keep sources, programs and results in this directory
    #[arg(help_heading = "Comparison", long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Arguments of the program
    #[arg(last = true)]
    args: Vec<OsString>,
}

/// Distance accepted where library functions differ between host and GPU.
const LIBRARY_ULPS: u64 = 8;

/// Distance accepted where sums have another order than C's.
const SUM_ULPS: u64 = 4096;

/// Relative distance accepted of numbers that programs print then; sums of `float` are sums of
/// `double` here, and in C not.
const SUM_DISTANCE: f64 = 1e-4;

/// How the generated program is built and run.
enum Target {
    /// nvcc and a GPU.
    Gpu(PathBuf),
    /// `scripts/emucc`.
    Emulation(PathBuf),
    /// The C compiler, with OpenMP.
    Cpu,
    /// The C compiler, with the library of OpenCL.
    OpenCl,
}

/// A program that has run.
struct Finished {
    output: Output,
    dump: PathBuf,
    wall: Duration,
}

/// Why a program has not come to its end.
enum Crash {
    /// A file of an earlier run cannot be removed.
    Files(Failure),
    /// The system does not start it.
    NotStarted(Diagnostic),
    /// A signal has ended it.
    Killed(Diagnostic),
}

impl Crash {
    fn failure(self) -> Failure {
        match self {
            Crash::Files(failure) => failure,
            Crash::NotStarted(d) | Crash::Killed(d) => failure(d),
        }
    }

    /// The failure of the generated program, while the C program came to its end.
    fn after(self, status: ExitStatus) -> Failure {
        match self {
            Crash::Killed(d) => failure(d.note(format!("the C program ended with {status}"))),
            other => other.failure(),
        }
    }
}

/// Where the files of one comparison are; a temporary directory goes away with it.
struct Workplace {
    path: PathBuf,
    _temporary: Option<tempfile::TempDir>,
}

fn failure(diagnostic: Diagnostic) -> Failure {
    Failure::plain(diagnostic)
}

impl Workplace {
    fn new(keep: Option<&Path>) -> Result<Workplace, Failure> {
        let Some(path) = keep else {
            let parent = std::env::temp_dir();
            let directory = (tempfile::Builder::new()
                .prefix("hexcc-run-")
                .tempdir_in(&parent))
            .map_err(|e| cannot_write(&parent, &e))?;
            return Ok(Workplace {
                path: directory.path().to_path_buf(),
                _temporary: Some(directory),
            });
        };
        std::fs::create_dir_all(path).map_err(|e| cannot_write(path, &e))?;
        // Programs are started from it, and a relative path may lack a slash.
        let path = path.canonicalize().map_err(|e| cannot_write(path, &e))?;
        Ok(Workplace {
            path,
            _temporary: None,
        })
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.path.join(name);
        std::fs::write(&path, crate::bytes::encode(text)).map_err(|e| cannot_write(&path, &e))?;
        Ok(path)
    }

    /// A file that programs append to, without what an earlier run left in it.
    fn fresh(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.path.join(name);
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(cannot_write(&path, &e)),
            _ => Ok(path),
        }
    }
}

impl Run {
    /// Does it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        self.kernel.messages.settle();
        let target = self.target()?;
        let limit = TimeLimit::start(self.kernel.time_limit);
        let loops = self.kernel.loops(&TargetArgs::default());
        let input = (self.input).read_loops(self.kernel.sums, &limit, loops)?;
        let ctx = context(&limit)?;
        let compiled = self.kernel.compile(&ctx, &input, &TargetArgs::default())?;
        let with_source = |d: Box<Diagnostic>| Failure {
            diagnostics: vec![*d],
            source: Some(Box::new(input.saved.source.clone())),
        };
        let text = self
            .translation(&target, &input, &compiled)
            .map_err(with_source)?;
        let c = output::print_reference(&input.saved, &compiled, crate::VERSION)
            .map_err(with_source)?;
        limit.finish()?;

        let source = Path::new(&input.saved.source.path);
        let stem = source
            .file_stem()
            .and_then(OsStr::to_str)
            .map_or("program", |stem| stem.trim_matches(['<', '>']));
        let include = match source.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let place = Workplace::new(self.keep.as_deref())?;
        let c = place.write(&format!("{stem}.c"), &c)?;
        let builder = Builder {
            input: &self.input,
            options: &self.build,
            fast: self.fast,
            arch: self.arch.as_deref(),
            include,
            objects: Vec::new(),
        }
        .with_others(source, input.is_all, &place)?;
        let (kind, file) = match target {
            Target::Cpu => ("openmp", format!("{stem}-openmp.c")),
            Target::OpenCl => ("opencl", format!("{stem}-opencl.c")),
            Target::Gpu(_) | Target::Emulation(_) => ("cuda", format!("{stem}.cu")),
        };
        let text = place.write(&file, &text)?;
        let reference = place.path.join(format!("{stem}-c"));
        let generated = place.path.join(format!("{stem}-{kind}"));
        builder.c_program(&c, &reference)?;
        builder.generated(&target, &text, &generated)?;

        let expected = match self.execute(&reference, "C program", &place, "c") {
            Err(Crash::Killed(d)) => {
                return Err(self.blame(d, input.saved.source.own_text(), (&builder, stem), &place));
            }
            finished => finished.map_err(Crash::failure)?,
        };
        let nests = input.saved.is_nests() || compiled.units.iter().any(has_planes_in_rows);
        if !expected.output.status.success() && !expected.dump.exists() && !nests {
            return Err(failure(self.with_output(
                Diagnostic::error(
                    "HX0507",
                    format!(
                        "the C program ended before it reached the region: {}",
                        expected.output.status
                    ),
                ),
                &expected.output,
            )));
        }
        let found = (self.execute(&generated, "generated program", &place, kind))
            .map_err(|crash| crash.after(expected.output.status))?;
        println!("C program: {} in all", milliseconds(expected.wall));
        let own_loops = tell_of_loops(&found.output);
        let region = region_time(&place.path.join(format!("time.{kind}")));
        let region = match (region, input.saved.is_nests()) {
            (Some(time), _) => milliseconds(time),
            (None, true) => "not measured".to_string(),
            (None, false) if own_loops => "not run".to_string(),
            (None, false) => "not reached".to_string(),
        };
        match target {
            Target::Gpu(_) => println!(
                "GPU region: {region}, {} with copies and the program around it",
                milliseconds(found.wall)
            ),
            Target::Emulation(_) => println!(
                "GPU region: {region} in the CPU emulation, which says nothing about a GPU"
            ),
            Target::Cpu => println!("OpenMP program: {} in all", milliseconds(found.wall)),
            Target::OpenCl => println!("OpenCL program: {} in all", milliseconds(found.wall)),
        }
        println!("{}", self.way(&target, own_loops));
        // On the CPU the functions are the same.
        let exact = matches!(target, Target::Cpu)
            || compiled.units.iter().all(|u| u.stencil().exact)
                && (compiled.tiled_nests.iter()).all(|nest| nest.unit.stencil().exact)
                && compiled.stepwise.iter().all(|part| part.interface.exact);
        let tolerance = self.tolerance(exact, compiled.rounds());
        self.judge(&expected, &found, tolerance, nests)
    }

    /// Which way the loops have run, and why.
    fn way(&self, target: &Target, own_loops: bool) -> String {
        let device = match target {
            Target::Gpu(_) => "kernels on the GPU",
            Target::Emulation(_) => "kernels in the CPU emulation",
            Target::Cpu => "loops that threads share",
            Target::OpenCl => "kernels of OpenCL",
        };
        let decides = "the program that `hexcc` writes compares what both ways take";
        match (own_loops, self.kernel.always_gpu) {
            (true, _) => "ran: C's own loops, for the reason above".to_string(),
            (false, true) => format!("ran: {device}, as `--always-gpu` asks"),
            (false, false) => {
                format!("ran: {device}, since `hexcc run` compares them with C; {decides}")
            }
        }
    }

    /// The text of the generated program.
    fn translation(
        &self,
        target: &Target,
        input: &Input,
        compiled: &Compiled,
    ) -> Result<String, Box<Diagnostic>> {
        let host = self
            .kernel
            .host(&self.input, &input.saved, Instrument::Dump);
        match target {
            Target::Cpu | Target::OpenCl => {
                let kind = (host, self.kernel.language.into());
                output::print_c(&input.saved, compiled, crate::VERSION, kind)
            }
            Target::Gpu(_) | Target::Emulation(_) => {
                output::print_program(&input.saved, compiled, crate::VERSION, host)
            }
        }
    }

    fn tolerance(&self, exact: bool, rounds: bool) -> Tolerance {
        match self.ulps {
            _ if self.fast => Tolerance::Report,
            Some(0) => Tolerance::Exact,
            Some(n) => Tolerance::Ulps(n),
            None if rounds => Tolerance::Ulps(SUM_ULPS),
            None if exact => Tolerance::Exact,
            None => Tolerance::Ulps(LIBRARY_ULPS),
        }
    }

    fn target(&self) -> Result<Target, Failure> {
        if stencils::is_given(&self.input.files) {
            return Err(stencils::needs_c());
        }
        match self.kernel.language {
            LanguageArg::Openmp => return self.in_c(Target::Cpu),
            LanguageArg::Opencl => return self.in_c(Target::OpenCl),
            LanguageArg::Cuda => {}
        }
        let scripts = wheel::root().join("scripts");
        let has_gpu = || !self.emulate && gpu_present();
        if self.gpu && !has_gpu() {
            return Err(failure(
                Diagnostic::error("HX0508", "there is no GPU that `--gpu` could use")
                    .note("neither /dev/nvidia0 exists nor does `nvidia-smi -L` list a GPU")
                    .help("`--emulate` runs the program in the CPU emulation of CUDA"),
            ));
        }
        if self.gpu || has_gpu() {
            if let Some(nvcc) = find_nvcc(&scripts) {
                return Ok(Target::Gpu(nvcc));
            }
            if self.gpu {
                return Err(failure(
                    Diagnostic::error("HX0506", "nvcc was not found")
                        .note("searched: HEXCC_NVCC, PATH, vendor/cuda")
                        .help("install CUDA, run `scripts/setup --cuda`, or set HEXCC_NVCC"),
                ));
            }
        }
        Ok(Target::Emulation(scripts.join("emucc")))
    }

    /// The C compiler, if nothing is asked for that only CUDA has.
    fn in_c(&self, target: Target) -> Result<Target, Failure> {
        let given = [
            ("--gpu", self.gpu),
            ("--emulate", self.emulate),
            ("--arch", self.arch.is_some()),
            ("--seed", self.seed.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            None => Ok(target),
            Some((option, _)) => Err(failure(
                Diagnostic::error(
                    "HX0509",
                    format!(
                        "`{option}` has no effect with `--target {}`",
                        Language::from(self.kernel.language).name()
                    ),
                )
                .help("leave one of the two away"),
            )),
        }
    }

    fn execute(
        &self,
        program: &Path,
        what: &str,
        place: &Workplace,
        suffix: &str,
    ) -> Result<Finished, Crash> {
        let fresh = |name: &str| {
            place
                .fresh(&format!("{name}.{suffix}"))
                .map_err(Crash::Files)
        };
        let (dump, time) = (fresh("dump")?, fresh("time")?);
        let mut command = Command::new(program);
        command.args(&self.args).stdin(Stdio::null());
        command.env("HEXCC_DUMP", &dump).env("HEXCC_TIME", time);
        if let Some(seed) = self.seed {
            command.env("HEXCC_EMU_SEED", seed.to_string());
        }
        let begin = Instant::now();
        let output = command.output().map_err(|e| {
            let message = format!("the {what} could not be started: {e}");
            Crash::NotStarted(Diagnostic::error("HX0507", message))
        })?;
        let wall = begin.elapsed();
        if output.status.signal().is_none() {
            return Ok(Finished { output, dump, wall });
        }
        let d = Diagnostic::error("HX0507", format!("the {what} crashed: {}", output.status));
        Err(Crash::Killed(self.with_output(d, &output)))
    }

    /// Adds what a program wrote and what it was given.
    fn with_output(&self, mut d: Diagnostic, output: &Output) -> Diagnostic {
        let text = excerpt(&output.stderr);
        if !text.is_empty() {
            d = d.note(format!("it wrote to its standard error:\n{text}"));
        }
        let args: Vec<_> = self.args.iter().map(|a| a.to_string_lossy()).collect();
        d = d.note(if args.is_empty() {
            "it ran without arguments".to_string()
        } else {
            format!("its arguments were: {}", args.join(" "))
        });
        d.help("arguments of the program follow `--`; `--keep DIR` keeps both programs")
    }

    /// Whose fault it is that the C program, which also writes the region's arrays to a
    /// file, has crashed: without that it is the user's program alone.
    fn blame(
        &self,
        crash: Diagnostic,
        text: &str,
        (builder, stem): (&Builder, &str),
        place: &Workplace,
    ) -> Failure {
        let own = || {
            let source = place.write(&format!("{stem}-own.c"), text).ok()?;
            let program = place.path.join(format!("{stem}-own"));
            builder.c_program(&source, &program).ok()?;
            let mut command = Command::new(program);
            command.args(&self.args).stdin(Stdio::null());
            Some(command.output().ok()?.status)
        };
        match own() {
            Some(status) if status.signal().is_none() => failure(
                Diagnostic::bug(format!(
                    "the C program crashes only where hexcc writes the region's arrays to a file; alone it ends with {status}"
                ))
                .note("an array does not lie in memory as hexcc takes it to"),
            ),
            _ => failure(crash),
        }
    }

    /// Prints the verdict.
    fn judge(
        &self,
        expected: &Finished,
        found: &Finished,
        tolerance: Tolerance,
        nests: bool,
    ) -> Result<ExitCode, Failure> {
        let open = |path: &Path| match File::open(path) {
            Ok(file) => Ok(Some(BufReader::with_capacity(1 << 20, file))),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(failure(Diagnostic::error(
                "HX0501",
                format!("cannot read `{}`: {e}", path.display()),
            ))),
        };
        let reports = match (open(&expected.dump)?, open(&found.dump)?) {
            (Some(mut a), Some(mut b)) => compare::compare(&mut a, &mut b, tolerance),
            (None, None) => Ok(Vec::new()),
            (a, b) => compare::compare(
                &mut a.map_or_else(
                    || Box::new(std::io::empty()) as Box<dyn std::io::BufRead>,
                    |a| Box::new(a),
                ),
                &mut b.map_or_else(
                    || Box::new(std::io::empty()) as Box<dyn std::io::BufRead>,
                    |b| Box::new(b),
                ),
                tolerance,
            ),
        };
        let mut equal = same_status(&expected.output, &found.output);
        let reports = match reports {
            Ok(reports) => reports,
            Err(e) => {
                println!("MISMATCH: {e}");
                return Ok(ExitCode::from(1));
            }
        };
        for report in &reports {
            equal &= report.first.is_none();
            println!("{}", verdict(report, tolerance));
        }
        if reports.is_empty() && !nests {
            println!("ok: the region computed nothing in either program");
        }
        let outputs = (&expected.output.stdout, &found.output.stdout);
        if (tolerance == Tolerance::Exact || nests)
            && !self.ignore_output
            && let Some(line) = different_line(outputs.0, outputs.1, tolerance)
        {
            println!("MISMATCH: the programs print different text\n{line}");
            if equal {
                println!(
                    "  with equal arrays this may be a time; `--ignore-output` compares arrays only"
                );
            }
            equal = false;
        }
        // Its arrays change between kernels, too: what it prints is what it computes.
        if nests && equal {
            let lines = outputs.0.split(|&byte| byte == b'\n').count() - 1;
            let same = match outputs.0 == outputs.1 {
                true => "the same",
                false => "nearly the same",
            };
            println!("ok: both programs print {same}, {lines} lines");
        }
        Ok(ExitCode::from(u8::from(!equal)))
    }
}

/// Whether the program has planes in rows that take turns: which one a pointer leads to behind the steps is not known.
fn has_planes_in_rows(unit: &Unit) -> bool {
    let mut arrays = unit.stencil().arrays.iter();
    arrays.any(|a| !a.parts.is_empty() && a.rows.is_some())
}

/// Prints why the generated program has run its own loops; whether it has.
fn tell_of_loops(found: &Output) -> bool {
    let stderr = String::from_utf8_lossy(&found.stderr);
    let told = stderr.lines().filter(|line| line.ends_with(LOOPS_RUN));
    told.map(|line| println!("{line}")).count() > 0
}

/// Compares how the programs ended; any status is right that both have.
fn same_status(expected: &Output, found: &Output) -> bool {
    let (a, b) = (expected.status, found.status);
    if a == b {
        if !a.success() {
            println!("both programs end with {a}");
        }
        return true;
    }
    println!("MISMATCH: the C program ends with {a}, the generated program with {b}");
    let text = excerpt(&found.stderr);
    if !text.is_empty() {
        println!("  the generated program wrote to its standard error:\n{text}");
    }
    false
}

/// The first lines of what a program wrote.
fn excerpt(text: &[u8]) -> String {
    const LINES: usize = 30;
    let text = String::from_utf8_lossy(text);
    let mut lines: Vec<&str> = text.trim_end().lines().take(LINES + 1).collect();
    if lines.len() > LINES {
        lines[LINES] = "..";
    }
    lines.join("\n")
}

/// Whether the driver knows a GPU.
fn gpu_present() -> bool {
    if Path::new("/dev/nvidia0").exists() {
        return true;
    }
    let list = Command::new("nvidia-smi")
        .arg("-L")
        .stdin(Stdio::null())
        .output();
    list.is_ok_and(|out| {
        out.status.success() && String::from_utf8_lossy(&out.stdout).contains("GPU 0")
    })
}

fn find_nvcc(scripts: &Path) -> Option<PathBuf> {
    if let Some(nvcc) = std::env::var_os("HEXCC_NVCC").filter(|v| !v.is_empty()) {
        return Some(PathBuf::from(nvcc));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path)
        .map(|d| d.join("nvcc"))
        .find(|p| p.is_file());
    let vendored = wheel::root().join("vendor/cuda/nvidia/cu13/bin/nvcc");
    on_path.or_else(|| vendored.is_file().then(|| scripts.join("nvcc")))
}

/// The sum of the times the generated program noted.
fn region_time(path: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(path).ok()?;
    let times: Option<Vec<f64>> = text.lines().map(|l| l.trim().parse().ok()).collect();
    let ms: f64 = times.filter(|t| !t.is_empty())?.iter().sum();
    Duration::try_from_secs_f64(ms / 1e3).ok()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

fn verdict(report: &ArrayReport, tolerance: Tolerance) -> String {
    if report.first.is_some() {
        return format!("MISMATCH: {report}");
    }
    let mut text = match tolerance {
        _ if report.n_near == 0 => {
            format!("ok: {report} equals the C program bit for bit")
        }
        Tolerance::Exact | Tolerance::Ulps(_) => {
            format!(
                "ok: {report} is within {} ulps of the C program",
                report.max_ulps
            )
        }
        Tolerance::Report => format!(
            "ok: {report} has a largest relative error of {:.3e}",
            report.max_relative
        ),
    };
    if report.n_nans > 0 {
        text += &format!(", but for the bits of {} NaNs", report.n_nans);
    }
    text
}

/// The first line in which two outputs differ.
fn different_line(expected: &[u8], found: &[u8], tolerance: Tolerance) -> Option<String> {
    if expected == found {
        return None;
    }
    let (a, b) = (
        String::from_utf8_lossy(expected),
        String::from_utf8_lossy(found),
    );
    let (mut a, mut b) = (a.lines(), b.lines());
    for n in 1.. {
        let (x, y) = (a.next(), b.next());
        match (x, y) {
            (None, None) => return None,
            (Some(x), Some(y)) if x == y => continue,
            (Some(x), Some(y)) if tolerance != Tolerance::Exact && is_near(x, y) => continue,
            _ => {}
        }
        let show = |line: Option<&str>| {
            line.map_or_else(|| "nothing more".to_string(), |l| format!("`{l}`"))
        };
        return Some(format!(
            "  line {n}: C program {}, generated program {}",
            show(x),
            show(y)
        ));
    }
    None
}

/// Whether two lines differ only in numbers, and by little.
fn is_near(expected: &str, found: &str) -> bool {
    fn words(line: &str) -> Vec<&str> {
        line.split(|c: char| c.is_whitespace() || ",;:=()[]".contains(c))
            .collect()
    }
    let near = |(a, b): (&&str, &&str)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => (x - y).abs() <= SUM_DISTANCE * x.abs().max(y.abs()) || a == b,
        _ => a == b,
    };
    let (a, b) = (words(expected), words(found));
    a.len() == b.len() && a.iter().zip(&b).all(near)
}
