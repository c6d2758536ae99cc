//! Launches as data, argument bytes and the baseline: kernels that are started
//! from them, in the emulation, give what the baseline gives.

mod common;

use common::{assert_none, hexcc, in_parallel, programs, root, succeed};
use hexcc_compiler::back::{self, Precision};
use hexcc_compiler::kernel::KernelIr;
use hexcc_compiler::kernel::plan;
use hexcc_compiler::pipeline::{self, Options, WavefrontChoice};
use hexcc_compiler::scop::SavedScop;
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

#[test]
fn launches_give_the_results_of_the_baseline() {
    let all = programs();
    let mine: Vec<_> = all
        .iter()
        .filter(|p| PROGRAMS.contains(&p.name.as_str()))
        .collect();
    let folder = common::scratch("plan");
    let n_checked = AtomicUsize::new(0);
    let results = in_parallel(&mine, |program| {
        let mut failures = Vec::new();
        let scop = folder.join(format!("{}.scop.json", program.name));
        let saved = (|| {
            succeed(
                hexcc()
                    .arg(&program.path)
                    .args(["--emit", "scop", "-o"])
                    .arg(&scop),
            )?;
            let text = std::fs::read_to_string(&scop).map_err(|e| e.to_string())?;
            serde_json::from_str::<SavedScop>(&text).map_err(|e| e.to_string())
        })();
        let Some((saved, tile)) = saved
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
            match check(&saved, &options, &program.args, &run, &path) {
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
    assert_none("launch plans that differ", &results.concat());
    let n_checked = n_checked.into_inner();
    assert!(n_checked > mine.len(), "wavefronts were checked, too");
}

/// Whether there was something to check.
fn check(
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
    let ir = &compiled.units[0].kernel;
    let params: Option<Vec<i64>> = (ir.stencil.params.iter())
        .map(|p| {
            let at = names.iter().position(|n| n == p)?;
            run.get(at).copied()
        })
        .collect();
    let params = params.ok_or("a parameter is no argument of the program")?;
    let text = driver(ir, &params).ok_or("no plan")?;
    let header = pipeline::print_header(saved, &compiled, "test");
    let layouts = plan::allocation(ir, &params).unwrap_or_default();
    let narrow = back::naive_is_narrow(ir, &params, &layouts);
    let naive = back::print_naive(ir, Precision::Source, narrow);
    let text = format!("{header}{MACROS}{}{text}", naive.text);
    std::fs::write(path, text).map_err(|e| e.to_string())?;
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
        "equal" => Ok(true),
        other => Err(other.to_string()),
    }
}

/// Counting is not emulated.
const MACROS: &str = "#include <stdio.h>
#include <string.h>
#include <vector>
#define __syncthreads_count(x) (x)
";

/// A program that runs both from the plan and compares.
fn driver(ir: &KernelIr, params: &[i64]) -> Option<String> {
    let layouts = plan::allocation(ir, params)?;
    let launches = plan::launches(ir, params)?;
    let naive = back::naive_plan(ir, params, &layouts)?;
    let scalars = vec![0.3; ir.stencil.scalars.len()];
    let zeros = vec![0; ir.stencil.arrays.len()];
    let pack =
        |layouts| back::pack_arguments(ir, Precision::Source, params, &scalars, &zeros, layouts);
    let (bytes, naive_bytes) = (pack(Some(layouts.as_slice()))?, pack(None)?);
    let list = |values: &[i64]| {
        let texts: Vec<String> = values.iter().map(|v| format!("{v}ll")).collect();
        texts.join(", ")
    };
    let mut t = String::new();
    for (namespace, bytes, body) in [
        ("tiled", bytes, tiled_body(ir, &launches, &list)),
        ("tiled_naive", naive_bytes, naive_body(ir, &naive, &list)),
    ] {
        let bytes: Vec<String> = bytes.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            t,
            "namespace {namespace} {{\nstatic const unsigned char bytes[] = {{{}}};\nstatic void go(void **arrays) {{\n  Args args;\n  static_assert(sizeof(Args) == sizeof(bytes), \"arguments\");\n  memcpy(&args, bytes, sizeof(args));",
            bytes.join(", ")
        );
        for (i, array) in ir.stencil.arrays.iter().enumerate() {
            let _ = writeln!(
                t,
                "  args.{0} = (decltype(args.{0}))arrays[{i}];",
                array.name
            );
        }
        let _ = writeln!(
            t,
            "{body}  if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess) puts(\"a launch failed\");\n}}\n}}"
        );
    }
    t.push_str("int main() {\n  bool equal = true;\n  std::vector<std::vector<unsigned char>> results[2];\n  for (int which = 0; which < 2; ++which) {\n    std::vector<void *> arrays;\n    std::vector<size_t> sizes;\n");
    for (array, layout) in ir.stencil.arrays.iter().zip(&layouts) {
        let elem = array.elem;
        let n = layout.elements;
        let value = if elem.is_floating() {
            "((i * 2654435761u >> 7) % 1000 + 1) / 1001.0"
        } else {
            "(i * 2654435761u >> 7) % 5"
        };
        let _ = writeln!(
            t,
            "    {{\n      std::vector<{elem}> host({n});\n      for (size_t i = 0; i < host.size(); ++i) host[i] = ({elem})({value});\n      void *device = nullptr;\n      cudaMalloc(&device, sizeof({elem}) * {n});\n      cudaMemcpy(device, host.data(), sizeof({elem}) * {n}, cudaMemcpyHostToDevice);\n      arrays.push_back(device);\n      sizes.push_back(sizeof({elem}) * {n});\n    }}"
        );
    }
    t.push_str("    if (which) tiled::go(arrays.data()); else tiled_naive::go(arrays.data());\n    for (size_t i = 0; i < arrays.size(); ++i) {\n      results[which].emplace_back(sizes[i]);\n      cudaMemcpy(results[which][i].data(), arrays[i], sizes[i], cudaMemcpyDeviceToHost);\n    }\n  }\n");
    for (i, array) in ir.stencil.arrays.iter().enumerate() {
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

fn naive_body(ir: &KernelIr, plan: &back::NaivePlan, list: &dyn Fn(&[i64]) -> String) -> String {
    let ([gx, gy, gz], [x, y]) = (plan.grid, plan.block);
    let mut t = format!(
        "  for (long long time = {}; time <= {}; ++time) {{\n    const long long words[] = {{time, {}}};\n    Step step;\n    static_assert(sizeof(step) == sizeof(words), \"step\");\n    memcpy(&step, words, sizeof(step));\n",
        plan.times.start(),
        plan.times.end(),
        list(&plan.step)
    );
    for slot in 0..ir.schedule.k {
        let _ = writeln!(
            t,
            "    slot_{slot}<<<dim3({gx}, {gy}, {gz}), dim3({x}, {y}), 0, 0>>>(args, step);"
        );
    }
    t.push_str("  }\n");
    t
}
