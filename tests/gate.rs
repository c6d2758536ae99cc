//! Programs that decide whether their loops run as kernels, in the emulation: they print what C prints
//! whatever they decide, and without kernels they call nothing of CUDA.

mod common;

use common::{Program, assert_none, hexcc, in_parallel, output, root, succeed};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Programs of the testsuite, of every kind of text.
const PROGRAMS: [&str; 19] = [
    "jacobi2d",
    "fdtd2d",
    "heat3d",
    "folded1d",
    "rowtiles2d",
    "steps/pitch2d",
    "steps/rows2d",
    "steps/rowmembers2d",
    "steps/cells2d",
    "steps/plate2d",
    "steps/pragmas2d",
    "steps/triangle2d",
    "steps/adi2d",
    "steps/ghost2d",
    "steps/members2d",
    "steps/mirror3d",
    "steps/multigrid2d",
    "steps/lu2d",
    "steps/relax3d",
];

/// What a program says of CUDA where [`watched`] looks.
const CALLS: &str = "CUDA:";

/// What the emulation says of a launch.
const LAUNCHES: &str = "hexcc emulation:";

/// Launches of 100 steps of a wave that is shown every ten: segments of one step and of ten.
const WAVE_LAUNCHES: usize = 22;

#[test]
fn programs_print_what_c_prints_wherever_they_run() {
    let all = [common::programs(), common::stepwise_programs()].concat();
    let wanted = |p: &&Program| {
        let mut names = PROGRAMS.iter();
        names.any(|name| p.path.ends_with(format!("{name}.c")))
    };
    let all: Vec<&Program> = all.iter().filter(wanted).collect();
    assert_eq!(all.len(), PROGRAMS.len());
    let results = in_parallel(&all, |program| check(program));
    let failures: Vec<String> = (all.iter().zip(results))
        .filter_map(|(program, result)| Some(format!("{}: {}", program.name, result.err()?)))
        .collect();
    assert_none("programs do not do what C does", &failures);
}

fn check(program: &Program) -> Result<(), String> {
    let built = Built::new(&program.path, &program.flags)?;
    for args in &program.runs {
        let args: Vec<String> = args.iter().map(i64::to_string).collect();
        built.run(&args, "gpu")?;
        built.run(&args, "auto")?;
        let calls = built.run(&args, "host")?;
        if !built.is_managed && calls != (0, 0) {
            return Err(format!(
                "{args:?}: {calls:?} calls and launches on the host"
            ));
        }
    }
    Ok(())
}

#[test]
fn small_programs_stay_on_the_host() {
    let built = data("wave");
    assert_eq!(built.calls("200 1000", "auto"), (0, 0));
    assert_eq!(built.calls("200 100", "host"), (0, 0));
    assert_eq!(built.calls("200 100", "gpu").1, WAVE_LAUNCHES);
    let built = data("calls");
    assert_eq!(built.calls("200 20", "auto"), (0, 0));
    let built = data("rows");
    assert_eq!(built.calls("20 10", "auto"), (0, 0));
    let built = data("plates");
    assert!(!built.is_managed);
    assert_eq!(built.calls("30", "auto"), (0, 0));
    assert_eq!(built.calls("30", "gpu").1, 60);
}

#[test]
fn structs_that_kernels_get_are_managed() {
    let structs = data("cells");
    assert!(structs.is_managed);
    for place in ["gpu", "auto", "host"] {
        structs
            .run(&["3".to_string()], place)
            .expect("it does what C does");
    }
}

#[test]
fn large_programs_change_over() {
    // Large blocks are the GPU's, too, and all that uses them runs there.
    assert_eq!(data("wave").calls("150000 100", "auto").1, WAVE_LAUNCHES);
    // So does each call, which brings its arrays: here CUDA has to begin.
    let all = data("calls").calls("60000 12", "gpu").1;
    let (_, launches) = data("calls").calls("60000 12", "auto");
    assert!(
        0 < launches && launches < all,
        "{launches} of {all} launches"
    );
    // So do rows, which kernels then use where they are.
    let (_, launches) = data("rows").calls("240 5000", "auto");
    assert!(
        0 < launches && launches < 5000,
        "{launches} of 5000 launches"
    );
    // One call whose work is known when it begins.
    let built = data("once");
    assert_eq!(built.calls("100000 50", "auto"), (0, 0));
    assert!(built.calls("100000 100", "auto").1 > 0);
}

#[test]
fn what_would_travel_in_each_step_stays() {
    let built = data("noise");
    assert_eq!(built.calls("600 20", "gpu").1, 20);
    assert_eq!(built.calls("600 20", "auto").1, 0);
}

#[test]
fn a_machine_without_a_device_runs_the_loops() {
    let built = data("wave");
    let args = ["150000".to_string(), "100".to_string()];
    let found = built.output(&args, "auto", Some(("HEXCC_EMU_NO_DEVICE", "1")));
    let expected = output(Command::new(&built.c).args(&args)).expect("it runs");
    assert_eq!(found.stdout, expected.stdout);
    let stderr = String::from_utf8_lossy(&found.stderr);
    let said: Vec<&str> = stderr.lines().filter(|l| !l.starts_with(CALLS)).collect();
    assert_eq!(
        said,
        ["hexcc: no GPU can be used; the program's own loops run"]
    );
}

#[test]
fn other_places_are_refused() {
    let found = data("wave").output(&[], "gpus", None);
    assert_eq!(found.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&found.stderr);
    assert_eq!(stderr, "HEXCC_RUN_ON=gpus: it can be auto, gpu or host\n");
}

#[test]
fn a_program_may_have_no_choice() {
    let plain = translated(&source("wave"), &["--always-gpu".to_string()]).expect("it translates");
    assert!(!plain.contains("hexcc_gate"));
}

#[test]
fn text_of_the_choice() {
    for name in ["wave", "once"] {
        let text = translated(&source(name), &[]).expect("it translates");
        let of = |begin: &str, end: &str| {
            let from = text.find(begin).expect(begin);
            let to = from + text[from..].find(end).expect(end);
            text[from..to].to_string()
        };
        let work = of(
            "// Whether it is worth asking",
            "\n[[gnu::noinline, gnu::cold]] static void run(",
        );
        let program = of(
            "#include <stdio.h>\n#include <stdlib.h>\n\n",
            "  double sum",
        );
        insta::assert_snapshot!(format!("gate_{name}"), work + "\n\n" + &program);
    }
}

/// `hexcc explain` says where arrays are, and what both ways take by the estimates of the program.
#[test]
fn explained_placement() {
    let of = |line: &str| {
        let mut command = hexcc();
        command.arg("explain").args(line.split(' '));
        let text = succeed(command.current_dir(root().join("tests/data/gate")));
        let text = text.expect("it is explained");
        let from = text.find("\nplacement\n").expect("a section");
        let section = &text[from..];
        let end = section.find("\n\ncompiled in").unwrap_or(section.len());
        format!("{line}:{}\n", section[..end].trim_end())
    };
    let all = [
        "wave.c --set n=200,n_steps=1000",
        "once.c --set n=100000,steps=50",
        "once.c --always-gpu",
        "once.c --target=openmp --set n=100",
        "../../../testsuite/jacobi2d.c --target=openmp",
        "../../../testsuite/steps/firstlast2d.c --target=openmp",
        "swap.c --target=opencl --set n=1000",
        "looks.c --target=opencl --set n=1000",
    ];
    insta::assert_snapshot!("gate_explained", all.map(of).concat());
}

/// Single elements beside nests are the kernels', too: no memory travels for them.
#[test]
fn elements_beside_nests_are_set_by_kernels() {
    let text = translated(&source("corners"), &[]).expect("it translates");
    assert_eq!(text.matches("::run(").count(), 1, "one part");
    // Sides, two corners, inner cells: in each step.
    let (_, launches) = data("corners").calls("40", "gpu");
    assert!(launches > 0 && launches % 3 == 0, "{launches} launches");
    assert_eq!(data("corners").calls("40", "auto"), (0, 0));
}

/// Where `hexcc explain` names no array that the host uses in the loop around kernels, it touches none of their memory.
#[test]
fn pages_travel_only_where_it_is_said() {
    let of_testsuite = [
        "steps/ghost2d",
        "steps/plate2d",
        "steps/relax3d",
        "steps/multigrid2d",
        "real/stable_fluid",
        "real/channel_flow",
        "real/cg_poisson",
        "real/median3x3",
    ];
    let mut sources: Vec<PathBuf> = ["looks", "plates", "rows", "swap", "corners"]
        .map(source)
        .to_vec();
    sources.extend(of_testsuite.map(|name| root().join(format!("testsuite/{name}.c"))));
    let results = in_parallel(&sources, |source| pages(source));
    let mut failures = Vec::new();
    let mut some = [0; 2];
    for (source, result) in sources.iter().zip(results) {
        match result {
            Ok((0, is_said)) => some[usize::from(is_said)] += 1,
            Ok((_, true)) => some[1] += 1,
            Ok((n, false)) => failures.push(format!(
                "{}: {n} pages, and nothing is said",
                source.display()
            )),
            Err(why) => failures.push(format!("{}: {why}", source.display())),
        }
    }
    assert_none("memory travels unsaid", &failures);
    assert!(
        some.iter().all(|&n| n > 0),
        "{some:?} programs without and with such memory"
    );
}

/// Pages that the host touches between kernels, and whether it is said that it uses an array there.
fn pages(source: &Path) -> Result<(usize, bool), String> {
    let text = translated(source, &[])?;
    let after = "#include <stdlib.h>\n";
    let (before, rest) = text.split_once(after).ok_or("no headers of the library")?;
    let header = root().join("tests/data/gate/pages.h");
    let folder = tempfile::tempdir_in(common::scratch("gate")).map_err(|e| e.to_string())?;
    let (file, program) = (
        folder.path().join("program.cu"),
        folder.path().join("program"),
    );
    let watched = format!("{before}{after}#include \"{}\"\n{rest}", header.display());
    std::fs::write(&file, watched).map_err(|e| e.to_string())?;
    let mut emucc = Command::new(root().join("scripts/emucc"));
    succeed(
        emucc
            .args(["-O1", "-w"])
            .arg(&file)
            .arg("-o")
            .arg(&program)
            .arg("-lm"),
    )?;
    let mut run = Command::new(&program);
    run.env("HEXCC_RUN_ON", "gpu")
        .stdin(Stdio::null())
        .current_dir(folder.path());
    let said = output(&mut run)?;
    let said = String::from_utf8_lossy(&said.stderr);
    let counted = said.lines().find_map(|line| line.strip_prefix("pages: "));
    let counted = counted
        .map_or(Ok(0), str::parse)
        .map_err(|_| said.to_string())?;
    let mut explain = hexcc();
    let explained = succeed(explain.arg("explain").arg(source))?;
    let mut uses = explained
        .lines()
        .filter(|line| line.contains("around it C uses "));
    Ok((counted, uses.any(|line| !line.contains("no array"))))
}

/// A program, translated and in C.
struct Built {
    cuda: PathBuf,
    c: PathBuf,
    /// CUDA manages some of its arrays.
    is_managed: bool,
    _folder: tempfile::TempDir,
}

fn source(name: &str) -> PathBuf {
    root().join(format!("tests/data/gate/{name}.c"))
}

fn data(name: &str) -> Built {
    Built::new(&source(name), &[]).expect("it builds")
}

fn translated(source: &Path, flags: &[String]) -> Result<String, String> {
    succeed(hexcc().arg(source).args(flags))
}

/// The text with a line on standard error for each call of CUDA.
fn watched(text: &str) -> String {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let calls: BTreeSet<&str> = (text.match_indices("cuda"))
        .filter(|(at, _)| !text[..*at].ends_with(is_of_name))
        .filter_map(|(at, _)| {
            let rest = &text[at..];
            let end = rest.find(|c| !is_of_name(c))?;
            rest[end..].starts_with('(').then(|| &rest[..end])
        })
        .collect();
    let watch = |name: &&str| {
        format!("#define {name}(...) (fputs(\"{CALLS} {name}\\n\", stderr), {name}(__VA_ARGS__))\n")
    };
    let after = "#include <stdlib.h>\n";
    let watches: String = calls.iter().map(watch).collect();
    let (before, rest) = text.split_once(after).expect("the headers of the library");
    format!("{before}{after}#include <cuda.h>\n{watches}{rest}")
}

impl Built {
    fn new(source: &Path, flags: &[String]) -> Result<Built, String> {
        let folder = tempfile::tempdir_in(common::scratch("gate")).map_err(|e| e.to_string())?;
        let path = |name: &str| folder.path().join(name);
        let text = translated(source, flags)?;
        let file = path("program.cu");
        std::fs::write(&file, watched(&text)).map_err(|e| e.to_string())?;
        let (cuda, c) = (path("cuda"), path("c"));
        let mut emucc = Command::new(root().join("scripts/emucc"));
        succeed(emucc.args(["-O1", "-w"]).arg(&file).arg("-o").arg(&cuda))?;
        let mut cc = Command::new("cc");
        cc.args(["-O2", "-ffp-contract=off", "-std=gnu11", "-w"]);
        succeed(cc.arg(source).arg("-o").arg(&c).arg("-lm"))?;
        Ok(Built {
            cuda,
            c,
            is_managed: text.contains("__managed__ "),
            _folder: folder,
        })
    }

    fn output(&self, args: &[String], place: &str, lacks: Option<(&str, &str)>) -> Output {
        let mut command = Command::new(&self.cuda);
        command.args(args).stdin(Stdio::null()).envs(lacks);
        command.env("HEXCC_RUN_ON", place);
        command
            .env("HEXCC_EMU_TRACE", "1")
            .env("HEXCC_EMU_LEAKS", "1");
        output(&mut command).expect("it runs")
    }

    /// How many calls of CUDA and launches there are where a program runs in some place.
    fn run(&self, args: &[String], place: &str) -> Result<(usize, usize), String> {
        let found = self.output(args, place, None);
        let expected = output(Command::new(&self.c).args(args).stdin(Stdio::null()))?;
        let stderr = String::from_utf8_lossy(&found.stderr);
        let is_watched = |line: &&str| line.starts_with(CALLS) || line.starts_with(LAUNCHES);
        if found.status != expected.status || found.stdout != expected.stdout {
            let said: Vec<&str> = stderr.lines().filter(|line| !is_watched(line)).collect();
            return Err(format!("{place} {args:?}: {}: {said:?}", found.status));
        }
        let count = |what: &str| stderr.lines().filter(|l| l.starts_with(what)).count();
        Ok((count(CALLS), count(LAUNCHES)))
    }

    fn calls(&self, args: &str, place: &str) -> (usize, usize) {
        let args: Vec<String> = args.split(' ').map(str::to_string).collect();
        self.run(&args, place).expect("it prints what C prints")
    }
}
