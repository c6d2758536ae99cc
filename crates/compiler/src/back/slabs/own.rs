//! Slabs of programs that have memory of their own (`--emit kernel --gpus`): the rows of each slab, and functions that
//! renew the rows beside one, and run the time loop on one.

use super::{NAMES, OF_OWN_RANKS, OF_THREADS, Shared, launches, numbers, of_slab};
use crate::back::anywhere::{LAUNCH, helpers, opened};
use crate::back::names::Names;
use crate::back::program::{Replacement, condition, host_names_beside};
use crate::compiled::InSlabs;
use crate::diag::{Diagnostic, Result};
use crate::options::Gpus;

/// What the library uses of C.
const INCLUDES: &str = "#include <stdio.h>\n#include <stdlib.h>\n";

/// What clears rows.
const CLEAR: &str = include_str!("../../print/lib/cuda/slabs_own.cuh");

/// The library and the namespace of such kernels.
///
/// # Errors
/// HX9001 where the namespace does not end.
pub fn for_programs(r: &Replacement) -> Result<String> {
    let (shared, gpus) = (r.slabs).ok_or_else(|| Diagnostic::bug("there are no slabs"))?;
    let (kernel, end) = opened(r)?;
    let names = host_names_beside(NAMES, r.interface);
    let library = match gpus {
        Gpus::Ranks => OF_OWN_RANKS.concat(),
        Gpus::All | Gpus::Some(_) => OF_THREADS.concat(),
    };
    let rows = match gpus {
        Gpus::Ranks => domain(r, shared, &names),
        Gpus::All | Gpus::Some(_) => share(r, (shared, gpus), &names),
    };
    let library = [INCLUDES, &library, CLEAR].concat();
    let text = [rows, renew(r, shared, &names), run(r, shared, &names)].join("\n");
    let helpers = helpers(kernel, &text);
    Ok(format!("{library}\n{kernel}{helpers}{text}\n{end}"))
}

/// The sizes of the program, as parameters.
fn sizes(r: &Replacement, names: &Names) -> String {
    let sizes = r.interface.params.iter();
    sizes
        .map(|p| format!("long long {}, ", names.get(p)))
        .collect()
}

/// A function that says which rows each of so many slabs has.
fn domain(r: &Replacement, shared: &InSlabs, names: &Names) -> String {
    let (sizes, [rows, beside]) = (sizes(r, names), numbers(shared, names));
    format!(
        "// The rows of each of so many slabs: fewer slabs where these would have too few rows.\ninline hexcc_slabs::Domain domain({sizes}long long slabs) {{\n  return hexcc_slabs::divided({rows}, slabs, {beside});\n}}\n"
    )
}

/// A function that calls another one for the slab of each GPU.
fn share(r: &Replacement, (shared, gpus): (&InSlabs, Gpus), names: &Names) -> String {
    let (sizes, [rows, beside]) = (sizes(r, names), numbers(shared, names));
    let gpus = match gpus {
        Gpus::Some(n) => n,
        Gpus::All | Gpus::Ranks => 0,
    };
    let name = &r.interface.name;
    format!(
        "// Calls `work` with the slab of each GPU, on a thread of its own.\ntemplate <typename Work> void share({sizes}Work work) {{\n  hexcc_slabs::share(\"{name}\", {gpus}, {rows}, {beside}, work);\n}}\n"
    )
}

/// Lines that say what a slab has of all arrays, with `args`.
fn arrays(r: &Replacement, shared: &InSlabs, names: &Names) -> Vec<String> {
    let set = |name: &String| {
        let (own, field) = (names.get(name), r.names.get(name));
        format!("  [[maybe_unused]] const auto {own} = args.{field};")
    };
    let mut lines: Vec<String> = r.interface.values().map(set).collect();
    for (i, d) in shared.dims.iter().enumerate() {
        let Some(d) = *d else {
            continue;
        };
        let rows = Shared::of((r, shared), i, d, names);
        let (name, field, [_, lines_of_row]) = (&rows.name, &rows.field, &rows.lines);
        let line = match (&rows.columns, rows.array.pitched) {
            (Some(_), true) => format!("(size_t)args.{field}_pitch"),
            _ => rows.width() + &rows.further(),
        };
        let plane = match (&rows.columns, rows.array.pitched) {
            (None, true) => format!("(size_t)args.{field}_pitch"),
            _ => format!("(size_t)slab.rows * {name}_row"),
        };
        lines.extend([
            format!("  char *const {name}_device = (char *)args.{field};"),
            format!("  [[maybe_unused]] const size_t {name}_row = {lines_of_row} * {line}, {name}_plane = {plane};"),
        ]);
    }
    lines
}

/// A function that renews rows of all arrays.
fn renew(r: &Replacement, shared: &InSlabs, names: &Names) -> String {
    let mut lines = vec![
        "// Copies the rows beside a slab from its neighbours, in all planes of all arrays. `args` has sizes and arrays.".to_string(),
        "// Rows that no slab has, and those that nobody needs, are NaN.".to_string(),
        "inline cudaError_t renew(const Args &args, cudaStream_t stream, hexcc_slabs::Slab &slab) {".to_string(),
    ];
    lines.extend(arrays(r, shared, names));
    lines.push("  cudaError_t error = cudaSuccess;".to_string());
    for (i, d) in shared.dims.iter().enumerate() {
        let Some(d) = *d else {
            continue;
        };
        let rows = Shared::of((r, shared), i, d, names);
        let (name, [_, planes]) = (&rows.name, &rows.planes);
        let touched = condition(&r.interface.touched[i], names);
        let touched = touched.map_or(String::new(), |is| format!("if ({is}) "));
        lines.extend([
            format!("  {touched}for (size_t plane = 0; plane < {planes} && error == cudaSuccess; ++plane) {{"),
            format!("    const hexcc_slabs::Rows rows[] = {{{{{name}_device + plane * {name}_plane, {name}_row}}}};"),
            format!("    error = hexcc_slabs::clear(slab, rows[0], (long long){}, stream);", rows.rows),
            "    if (error == cudaSuccess) error = slab.exchange(rows, stream);".to_string(),
            "  }".to_string(),
        ]);
    }
    lines.push("  return error;\n}\n".to_string());
    lines.join("\n")
}

/// A function that runs the time loop on a slab.
fn run(r: &Replacement, shared: &InSlabs, names: &Names) -> String {
    let mut lines = vec![
        "// Runs the time loop on a slab, in order on its stream: all slabs at once. Arrays have `slab.rows` rows, of which the first is".to_string(),
        "// row `slab.first` of the domain; those beside the slab are renewed. Arrays and their rows lie at multiples of 16 bytes.".to_string(),
    ];
    if !r.workspaces.is_empty() {
        let beside: Vec<String> = r
            .workspaces
            .iter()
            .map(|w| format!("`{}`", w.field))
            .collect();
        lines.push(format!(
            "// Memory is taken where there is none at {}.",
            beside.join(", ")
        ));
    }
    lines.push(format!(
        "inline cudaError_t {LAUNCH}(Args args, hexcc_slabs::Slab &slab) {{"
    ));
    lines.extend(arrays(r, shared, names));
    lines.push(format!("  {};", of_slab(r, shared).join(", ")));
    lines.push("  cudaError_t error = renew(args, slab.stream, slab);".to_string());
    let mut frees = Vec::new();
    for w in &r.workspaces {
        let (field, name) = (&w.field, names.get(&r.interface.arrays[w.array].name));
        lines.push(format!("  const bool takes_{field} = !args.{field};"));
        lines.push(format!(
            "  if (error == cudaSuccess && takes_{field}) error = cudaMallocAsync((void **)&args.{field}, {} * {name}_plane, slab.stream);",
            w.planes
        ));
        frees.push(format!(
            "  if (takes_{field} && args.{field}) cudaFreeAsync(args.{field}, slab.stream);"
        ));
    }
    lines.extend(launches(r, shared, names, &|call, _| {
        format!("if (error == cudaSuccess) error = {call};")
    }));
    lines.extend(frees);
    lines.push("  return error;\n}".to_string());
    lines.join("\n") + "\n"
}
