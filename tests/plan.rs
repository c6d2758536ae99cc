//! Launches as data, argument bytes and the baseline: kernels that are started
//! from them, in the emulation, give what the baseline gives.

mod common;

use common::ledger::{self, Ledger};
use common::{Program, assert_none, hexcc, in_parallel, programs, root, succeed};
use hexcc_compiler::back::{self, Precision};
use hexcc_compiler::compiled::Unit;
use hexcc_compiler::kernel::plan;
use hexcc_compiler::kernel::stream_plan::{Action, Base, Gpu, Instance, Place, StreamRun, Word};
use hexcc_compiler::kernel::{KernelIr, Stencil};
use hexcc_compiler::options::{Options, StepKernel, WavefrontChoice};
use hexcc_compiler::output;
use hexcc_compiler::pipeline;
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::tiling::overlapped::StreamKernel;
use hexcc_isl::Ctx;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One program for every feature that launches and arguments depend on.
const PROGRAMS: &[&str] = &[
    "jacobi1d",
    "jacobi2d",
    "heat3d_double",
    "jacobi4d",
    "fdtd2d",
    "deep_k",
    "scalars2d",
    "localtemp2d",
    "redblack2d",
    "time_stride",
    "uchar2d",
    "contrived1d",
    "skewed1d_thirds",
];

/// The same for streamed kernels.
const STREAMS: &[&str] = &[
    "jacobi1d",
    "jacobi2d",
    "jacobi2d_copy",
    "coupled1d",
    "fdtd2d",
    "fdtd2d_plain",
    "wave2d",
    "varcoef2d",
    "twofunctions",
    "laplacian3d",
    "heat3d",
    "mixed3d",
    "slab3d",
];

#[test]
fn launches_give_the_results_of_the_baseline() {
    let all = programs();
    let mine: Vec<_> = all
        .iter()
        .filter(|p| PROGRAMS.contains(&p.name.as_str()))
        .collect();
    let folder = common::scratch("plan");
    let n_checked = AtomicUsize::new(0);
    let ledger = Ledger::open("plan", "HEXCC_E2E_ALL");
    let results = in_parallel(&mine, |program| {
        let mut failures = Vec::new();
        let Some((saved, tile)) = saved_scop(program, &folder)
            .map_err(|e| failures.push(format!("{}: {e}", program.name)))
            .ok()
            .zip(program.tiles.last())
        else {
            return failures;
        };
        // The largest run has empty, partial and full tiles.
        let run = program.runs.last().cloned().unwrap_or_default();
        for wavefront in [WavefrontChoice::None, WavefrontChoice::Dim(1)] {
            let what = format!("{} {tile} {run:?}, wavefront {wavefront:?}", program.name);
            let suffix = if wavefront == WavefrontChoice::None {
                ""
            } else {
                "-waves"
            };
            let path = folder.join(format!("{}{suffix}.cu", program.name));
            let options = Options {
                tile: tile.parse().ok(),
                name: Some("tiled".to_string()),
                wavefront,
                ..Options::default()
            };
            match check(&ledger, &saved, &options, &program.args, &run, &path) {
                Ok(true) => n_checked.fetch_add(1, Ordering::Relaxed),
                Ok(false) => 0,
                Err(e) => {
                    failures.push(format!("{what}: {e}"));
                    0
                }
            };
        }
        failures
    });
    ledger::close(ledger);
    assert_none("launch plans that differ", &results.concat());
    let n_checked = n_checked.into_inner();
    assert!(n_checked > mine.len(), "wavefronts were checked, too");
}

#[test]
fn streams_give_the_results_of_the_baseline() {
    let all = programs();
    let mine: Vec<_> = all
        .iter()
        .filter(|p| STREAMS.contains(&p.name.as_str()))
        .collect();
    let folder = common::scratch("plan_streams");
    let n_checked = AtomicUsize::new(0);
    let ledger = Ledger::open("plan-streams", "HEXCC_E2E_ALL");
    let results = in_parallel(&mine, |program| {
        let mut failures = Vec::new();
        let saved = saved_scop(program, &folder)
            .map_err(|e| failures.push(format!("{}: {e}", program.name)));
        let Ok(saved) = saved else { return failures };
        let run = program.runs.last().cloned().unwrap_or_default();
        for (i, tile) in program.streams.iter().enumerate() {
            let path = folder.join(format!("{}-{i}.cu", program.name));
            let options = Options {
                stream_tile: tile.parse().ok(),
                name: Some("tiled".to_string()),
                ..Options::default()
            };
            match check(&ledger, &saved, &options, &program.args, &run, &path) {
                Ok(_) => n_checked.fetch_add(1, Ordering::Relaxed),
                Err(e) => {
                    failures.push(format!("{} {tile} {run:?}: {e}", program.name));
                    0
                }
            };
        }
        failures
    });
    ledger::close(ledger);
    assert_none("launch plans that differ", &results.concat());
    assert!(n_checked.into_inner() > mine.len());
}

/// Programs for warps that are a pipeline in time, sizes of their tiles, and of the problem: with several tiles along
/// both dimensions.
const PIPELINED: &[(&str, &str, &[i64])] = &[
    (
        "jacobi2d",
        "steps=8,vector=4,warps=4,rows=3,ahead=2",
        &[370, 29],
    ),
    (
        "wave2d",
        "steps=8,vector=4,warps=4,rows=1,ahead=4",
        &[310, 29],
    ),
    (
        "twostmts2d",
        "steps=4,vector=4,warps=4,rows=2,ahead=2",
        &[310, 13],
    ),
    // The other kernel's tiles would have no column with so many steps.
    (
        "star2d3r",
        "steps=24,vector=8,warps=8,rows=1,ahead=2",
        &[520, 50],
    ),
];

/// The same of patches: numbers of steps that no share of launches has, one step and two.
const PATCHES: &[(&str, &str, &[i64])] = &[
    ("jacobi2d", "steps=6,vector=4,rows=5,warps=4", &[370, 29]),
    ("heat2d", "steps=6,vector=4,rows=5,warps=4", &[90, 2]),
    ("star2d3r", "steps=3,vector=4,rows=7,warps=4", &[150, 1]),
    ("wave2d", "steps=6,vector=4,rows=5,warps=4", &[310, 29]),
    ("twostmts2d", "steps=4,vector=4,rows=4,warps=4", &[310, 13]),
];

#[test]
fn pipelined_warps_give_the_results_of_the_baseline() {
    together(StepKernel::Pipelined, PIPELINED, "plan-pipelined");
}

#[test]
fn patches_give_the_results_of_the_baseline() {
    together(StepKernel::Patches, PATCHES, "plan-patches");
}

fn together(kernel: StepKernel, runs: &[(&str, &str, &[i64])], named: &'static str) {
    let all = programs();
    let folder = common::scratch(named);
    let ledger = Ledger::open(named, "HEXCC_E2E_ALL");
    let results = in_parallel(runs, |(name, tile, run)| {
        let program = (all.iter().find(|p| p.name == *name)).ok_or(format!("no {name}"))?;
        let saved = saved_scop(program, &folder)?;
        let options = Options {
            stream_tile: tile.parse().ok(),
            kernel,
            name: Some("tiled".to_string()),
            ..Options::default()
        };
        let path = folder.join(format!("{name}.cu"));
        (check(&ledger, &saved, &options, &program.args, run, &path)
            .map_err(|e| format!("{name}: {e}")))
        .map(|_| ())
    });
    ledger::close(ledger);
    let failures: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert_none("launch plans that differ", &failures);
}

fn saved_scop(program: &Program, folder: &Path) -> Result<SavedScop, String> {
    let scop = folder.join(format!("{}.scop.json", program.name));
    succeed(
        hexcc()
            .arg(&program.path)
            .args(["--emit", "scop", "-o"])
            .arg(&scop),
    )?;
    let text = std::fs::read_to_string(&scop).map_err(|e| e.to_string())?;
    serde_json::from_str::<SavedScop>(&text).map_err(|e| e.to_string())
}

/// Whether there was something to check.
fn check(
    ledger: &Ledger,
    saved: &SavedScop,
    options: &Options,
    names: &[String],
    run: &[i64],
    path: &Path,
) -> Result<bool, String> {
    let ctx = Ctx::new().map_err(|e| e.to_string())?;
    let compiled = match pipeline::compile(&ctx, saved, options) {
        // Not every dimension has wavefronts.
        Err(d) if options.wavefront != WavefrontChoice::None && d.code == "HX0304" => {
            return Ok(false);
        }
        compiled => compiled.map_err(|d| d.message)?,
    };
    let unit = &compiled.units[0];
    let (stencil, stream) = (unit.stencil(), unit.stream());
    let params: Option<Vec<i64>> = (stencil.params.iter())
        .map(|p| {
            let at = names.iter().position(|n| n == p)?;
            run.get(at).copied()
        })
        .collect();
    let params = params.ok_or("a parameter is no argument of the program")?;
    let header = output::print_header(saved, &compiled, "test").map_err(|d| d.message.clone())?;
    let layouts = plan::layouts(stencil, &params).unwrap_or_default();
    let narrow = back::naive_is_narrow(stencil, &params, &layouts);
    let naive = back::print_naive(stencil, Precision::Source, narrow);
    // Kernels that stream planes take single steps where time buffers differ.
    let fills: &[bool] = match stream {
        Some(StreamKernel::Planes(_)) => &[true, false],
        Some(StreamKernel::Rows(ir)) if ir.has_planes() || ir.warps.is_some() => &[true, false],
        _ => &[false],
    };
    for &alike in fills {
        let text = driver(unit, &params, alike).ok_or("no plan")?;
        let text = format!("{header}{MACROS}{}{text}", naive.text);
        let says_equal = || {
            std::fs::write(path, &text).map_err(|e| e.to_string())?;
            let program = path.with_extension("");
            succeed(
                Command::new(root().join("scripts/emucc"))
                    .args(["-O1", "-w"])
                    .arg(path)
                    .arg("-o")
                    .arg(&program),
            )?;
            let said = succeed(&mut Command::new(&program))?;
            match said.trim() {
                "equal" => Ok(()),
                said => Err(said.to_string()),
            }
        };
        ledger.verify(&["-O1, says equal", &text], says_equal)?;
    }
    Ok(true)
}

/// Counting is not emulated.
const MACROS: &str = "#include <stdio.h>
#include <string.h>
#include <vector>
#define __syncthreads_count(x) (x)
// Appends a field of a structure.
template <class T> void put(std::vector<unsigned char> &bytes, T value) {
  bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
  memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
}
";

/// A program that runs both from the plan and compares.
fn driver(unit: &Unit, params: &[i64], alike: bool) -> Option<String> {
    let (stencil, stream) = (unit.stencil(), unit.stream());
    let layouts = plan::layouts(stencil, params)?;
    let naive = back::naive_plan(stencil, params, &layouts)?;
    let scalars = vec![0.3; stencil.scalars.len()];
    let zeros = vec![0; stencil.arrays.len()];
    let pack = |layouts| {
        back::pack_arguments(
            stencil,
            Precision::Source,
            params,
            &scalars,
            &zeros,
            layouts,
        )
    };
    let list = |values: &[i64]| {
        let texts: Vec<String> = values.iter().map(|v| format!("{v}ll")).collect();
        texts.join(", ")
    };
    let (mut bytes, naive_bytes) = (pack(Some(layouts.as_slice()))?, pack(None)?);
    let body = match stream {
        None => {
            let ir = &unit.hybrid()?.kernel;
            tiled_body(ir, &plan::launches(ir, params)?, &list)
        }
        Some(stream) => {
            let run = stream.plan(params, &layouts)?;
            bytes.resize(bytes.len() + 8 * run.workspaces.len(), 0);
            streamed_body(stream, &run, alike)?
        }
    };
    let mut t = String::new();
    for (namespace, bytes, body) in [
        ("tiled", bytes, body),
        (
            "tiled_naive",
            naive_bytes,
            naive_body(stencil, &naive, &list),
        ),
    ] {
        let bytes: Vec<String> = bytes.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            t,
            "namespace {namespace} {{\nstatic const unsigned char bytes[] = {{{}}};\nstatic void go(void **arrays) {{\n  Args args;\n  static_assert(sizeof(Args) == sizeof(bytes), \"arguments\");\n  memcpy(&args, bytes, sizeof(args));",
            bytes.join(", ")
        );
        for (i, array) in stencil.arrays.iter().enumerate() {
            let field = match stream.filter(|_| namespace == "tiled") {
                Some(StreamKernel::Rows(ir)) => back::stream_names(ir).get(&array.name),
                Some(StreamKernel::Planes(ir)) => back::blocks_names(ir).get(&array.name),
                None => array.name.clone(),
            };
            let _ = writeln!(t, "  args.{field} = (decltype(args.{field}))arrays[{i}];");
        }
        let _ = writeln!(
            t,
            "{body}  if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess) puts(\"a launch failed\");\n}}\n}}"
        );
    }
    t.push_str("int main() {\n  bool equal = true;\n  std::vector<std::vector<unsigned char>> results[2];\n  for (int which = 0; which < 2; ++which) {\n    std::vector<void *> arrays;\n    std::vector<size_t> sizes;\n");
    for (array, layout) in stencil.arrays.iter().zip(&layouts) {
        let elem = array.elem;
        let n = layout.elements;
        let period = match layout.extents.first() {
            Some(&buffers) if alike => n / buffers.max(1),
            _ => n,
        };
        let value = if elem.is_floating() {
            format!("((i % {period} * 2654435761u >> 7) % 1000 + 1) / 1001.0")
        } else {
            format!("(i % {period} * 2654435761u >> 7) % 5")
        };
        let _ = writeln!(
            t,
            "    {{\n      std::vector<{elem}> host({n});\n      for (size_t i = 0; i < host.size(); ++i) host[i] = ({elem})({value});\n      void *device = nullptr;\n      cudaMalloc(&device, sizeof({elem}) * {n});\n      cudaMemcpy(device, host.data(), sizeof({elem}) * {n}, cudaMemcpyHostToDevice);\n      arrays.push_back(device);\n      sizes.push_back(sizeof({elem}) * {n});\n    }}"
        );
    }
    t.push_str("    if (which) tiled::go(arrays.data()); else tiled_naive::go(arrays.data());\n    for (size_t i = 0; i < arrays.size(); ++i) {\n      results[which].emplace_back(sizes[i]);\n      cudaMemcpy(results[which][i].data(), arrays[i], sizes[i], cudaMemcpyDeviceToHost);\n    }\n  }\n");
    for (i, array) in stencil.arrays.iter().enumerate() {
        let _ = writeln!(
            t,
            "  if (results[0][{i}] != results[1][{i}]) printf(\"{} differs\\n\"), equal = false;",
            array.name
        );
    }
    t.push_str("  if (equal) puts(\"equal\");\n  return 0;\n}\n");
    Some(t)
}

fn tiled_body(ir: &KernelIr, launches: &[plan::Launch], list: &dyn Fn(&[i64]) -> String) -> String {
    let mut t = String::new();
    if let Some(launch) = launches.first() {
        let _ = writeln!(
            t,
            "  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, {});",
            launch.shared_bytes
        );
    }
    for launch in launches {
        let [x, y] = launch.block;
        let _ = writeln!(
            t,
            "  {{\n    static const long long words[] = {{{}}};\n    Wave wave;\n    static_assert(sizeof(wave) == sizeof(words), \"wave\");\n    memcpy(&wave, words, sizeof(wave));\n    kernel<<<{}, dim3({x}, {y}), {}, 0>>>(args, wave);\n  }}",
            list(&launch.wave),
            launch.grid,
            launch.shared_bytes
        );
    }
    let _ = writeln!(t, "  // {} launches of {}", launches.len(), ir.stencil.name);
    t
}

/// What the emulation says of itself, so that its own plan is the same; without TMA.
fn emulated(instances: &[Instance]) -> Gpu {
    let resident = |k: &Instance| {
        let by_threads = 2048 / i64::from(k.threads);
        let by_shared = 228 * 1024 / (i64::from(k.shared_bytes) + 1024);
        by_threads.min(by_shared).min(32)
    };
    Gpu {
        multiprocessors: 132,
        major: 8,
        resident: instances.iter().map(resident).collect(),
    }
}

/// The host's actions, and the generated `plan` beside ours.
fn streamed_body(stream: &StreamKernel, run: &StreamRun, same: bool) -> Option<String> {
    let workspaces = match stream {
        StreamKernel::Rows(ir) => back::workspaces(ir),
        StreamKernel::Planes(_) => Vec::new(),
    };
    assert_eq!(workspaces.len(), run.workspaces.len());
    let mut t = String::new();
    for (i, (workspace, bytes)) in workspaces.iter().zip(&run.workspaces).enumerate() {
        let _ = writeln!(
            t,
            "  char *beside_{i} = nullptr;\n  cudaMalloc((void **)&beside_{i}, {bytes});\n  args.{0} = (decltype(args.{0}))beside_{i};",
            workspace.field
        );
    }
    let pointer = |place: &Place| match place.base {
        Base::Array(i) => format!("(char *)arrays[{i}] + {}", place.offset),
        Base::Workspace(i) => format!("beside_{i} + {}", place.offset),
    };
    let planned = match stream {
        StreamKernel::Planes(_) => {
            "lay_out<@>(again), again.chunks = again.length = 0, plan<@>(again), again.major = pass.major, n = grid"
        }
        StreamKernel::Rows(ir) if ir.has_planes() => "again.planes = 0, plan<@>(again, n)",
        StreamKernel::Rows(ir) if ir.pipeline.stream.is_some() => {
            "again.rows = again.chunks = again.end_rows = again.end_chunks = 0, plan<@>(again, n)"
        }
        StreamKernel::Rows(_) => "n = grid",
    };
    for action in run.actions(&emulated(&run.kernels), same)? {
        match action {
            Action::Copy { to, from, bytes } => {
                let (to, from) = (pointer(&to), pointer(&from));
                let _ = writeln!(
                    t,
                    "  cudaMemcpy({to}, {from}, {bytes}, cudaMemcpyDeviceToDevice);"
                );
            }
            Action::Launch { kernel, grid, pass } => {
                let instance = run.kernels[kernel];
                let Instance {
                    steps,
                    threads,
                    shared_bytes,
                    ..
                } = instance;
                let name = instance.name();
                t.push_str("  {\n    std::vector<unsigned char> words;\n");
                for word in &pass {
                    let value = match word {
                        Word::Int(v) => format!("(int){v}"),
                        Word::Long(v) => format!("{v}ll"),
                        Word::Pointer(None) => "(void *)nullptr".to_string(),
                        Word::Pointer(Some(place)) => format!("(void *)({})", pointer(place)),
                        Word::Map(None) => {
                            t.push_str("    words.resize(words.size() + 128);\n");
                            continue;
                        }
                        Word::Map(Some(_)) => return None,
                    };
                    let _ = writeln!(t, "    put(words, {value});");
                }
                let planned = match instance.shared {
                    Some(shared) => format!(
                        "again.rows = again.tiles = 0, plan_{}(again, n)",
                        shared.kernel().name()
                    ),
                    None => planned.replace('@', &steps.to_string()),
                };
                let _ = writeln!(
                    t,
                    "    Pass pass, again;
    unsigned n = 0, grid = {grid};
    words.resize((words.size() + alignof(Pass) - 1) / alignof(Pass) * alignof(Pass));
    if (words.size() != sizeof(Pass)) return (void)puts(\"Pass has another size\");
    memcpy(&pass, words.data(), sizeof(Pass));
    memcpy(&again, words.data(), sizeof(Pass));
    {planned};
    if (n != grid || memcmp(&pass, &again, sizeof(Pass)) != 0) return (void)puts(\"another plan\");
    if ({shared_bytes}) cudaFuncSetAttribute({name}, cudaFuncAttributeMaxDynamicSharedMemorySize, {shared_bytes});
    {name}<<<grid, {threads}, {shared_bytes}, 0>>>(args, pass);
  }}"
                );
            }
        }
    }
    Some(t)
}

fn naive_body(
    stencil: &Stencil,
    plan: &back::NaivePlan,
    list: &dyn Fn(&[i64]) -> String,
) -> String {
    let ([gx, gy, gz], [x, y]) = (plan.grid, plan.block);
    let mut t = format!(
        "  for (long long time = {}; time <= {}; ++time) {{\n    const long long words[] = {{time, {}}};\n    Step step;\n    static_assert(sizeof(step) == sizeof(words), \"step\");\n    memcpy(&step, words, sizeof(step));\n",
        plan.times.start(),
        plan.times.end(),
        list(&plan.step)
    );
    for slot in 0..stencil.k {
        let _ = writeln!(
            t,
            "    slot_{slot}<<<dim3({gx}, {gy}, {gz}), dim3({x}, {y}), 0, 0>>>(args, step);"
        );
    }
    t.push_str("  }\n");
    t
}
