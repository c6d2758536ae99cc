//! The user's program with its scop replaced: host function, call, and the
//! rewriting that lets nvcc's C++ front end accept C host code.

use super::expr::{HELPERS, ast_operand, ast_to_c};
use super::names::{Names, mentions};
use crate::csource::{self, Edit};
use crate::diag::{Diagnostic, Result};
use crate::kernel::{KernelArray, Stencil};
use crate::scop::SourceFile;
use hexcc_isl::AstExpr;
use std::fmt::Write;
use std::ops::Range;

/// A part of the source and the kernel that takes its place.
pub struct Replacement<'a> {
    /// Bytes of the source that are replaced.
    pub span: Range<usize>,
    /// What it computes.
    pub stencil: &'a Stencil,
    /// The kernel, printed: a namespace, which the host function is added to.
    pub kernel: String,
    /// What it calls sizes, scalars and arrays.
    pub names: Names,
    /// Device memory that it needs beside the arrays.
    pub workspaces: Vec<Workspace>,
}

/// Device memory of the form of some planes of an array.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Field of `Args`.
    pub field: String,
    /// Index in [`Stencil::arrays`].
    pub array: usize,
    /// Trailing dimensions that make a plane.
    pub n_space: usize,
    /// How many planes.
    pub planes: i64,
}

/// What surrounds the replaced region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instrument {
    /// Nothing: the product.
    None,
    /// After the region, the arrays written are appended to the file named by
    /// `HEXCC_DUMP`, and device times to the one named by `HEXCC_TIME`.
    Dump,
}

const INCLUDES: &str = "#include <cuda_pipeline.h>\n#include <cuda_runtime.h>\n#include <limits.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n";

/// The whole program as CUDA C++. Variables in `unused` were used by the
/// replaced code only.
///
/// # Errors
/// HX9001 if edits of the source collide.
pub fn program(
    source: &SourceFile,
    region: &Range<usize>,
    replacements: &[Replacement],
    unused: &[String],
    instrument: Instrument,
) -> Result<String> {
    let text = &source.text;
    let mut edits = csource::rewrite_vla_parameters(text);
    edits.extend(csource::rewrite_alloc_casts(text));
    let function = csource::enclosing_function(text, region.start);
    let at = function
        .as_ref()
        .map_or(0, |f| csource::insertion_point(text, f.start_with_comment));
    let mut kernels = String::new();
    for r in replacements {
        // One namespace for both.
        let end = format!("}} // namespace {}\n", r.stencil.name);
        let open = r.kernel.strip_suffix(&end);
        kernels.push_str(open.ok_or_else(|| Diagnostic::bug("a kernel's namespace does not end"))?);
        kernels.push_str(&host_function(r, instrument));
        kernels.push('\n');
    }
    if instrument == Instrument::Dump {
        kernels.push_str(&dump_function(replacements.iter().map(|r| r.stencil)));
    }
    edits.retain(|e| !region_contains(region, e));
    edits.push(insertion(at, without_macros(text, kernels)));
    // One inside a replaced statement goes with it.
    let replaced = |e: &Edit| replacements.iter().any(|r| region_contains(&r.span, e));
    edits.extend(
        pragma_lines(text, region)
            .into_iter()
            .filter(|e| !replaced(e)),
    );
    let mut used_up: String = unused
        .iter()
        .map(|name| format!("(void){name}; "))
        .collect();
    for r in replacements {
        edits.push(Edit {
            range: r.span.clone(),
            replacement: std::mem::take(&mut used_up) + &call(r.stencil),
        });
    }
    if instrument == Instrument::Dump {
        edits.push(insertion(
            end_of_code(region, replacements),
            dump_calls(replacements),
        ));
    }
    let body = csource::apply_edits(text, edits).map_err(|e| Box::new(Diagnostic::bug(e)))?;
    let restrict = if mentions(text, "restrict") {
        "#define restrict __restrict__\n"
    } else {
        ""
    };
    Ok(format!("{INCLUDES}{restrict}\n{body}"))
}

/// The C program unchanged but for the dump after the region.
///
/// # Errors
/// HX9001 if edits of the source collide.
pub fn reference_program(
    source: &SourceFile,
    region: &Range<usize>,
    replacements: &[Replacement],
) -> Result<String> {
    let text = &source.text;
    let function = csource::enclosing_function(text, region.start);
    let at = function.map_or(0, |f| csource::insertion_point(text, f.start_with_comment));
    let edits = vec![
        insertion(at, dump_function(replacements.iter().map(|r| r.stencil))),
        insertion(end_of_code(region, replacements), dump_calls(replacements)),
    ];
    let body = csource::apply_edits(text, edits).map_err(|e| Box::new(Diagnostic::bug(e)))?;
    Ok(format!("#include <stdio.h>\n#include <stdlib.h>\n{body}"))
}

/// Hides the macros that the program defines from generated code which uses their
/// names for something else; expressions of the program have been expanded.
fn without_macros(source: &str, generated: String) -> String {
    let mut names: Vec<&str> = (source.lines())
        .filter_map(|line| {
            let rest = line.trim_start().strip_prefix('#')?.trim_start();
            let rest = rest.strip_prefix("define")?.trim_start();
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            Some(&rest[..end.unwrap_or(rest.len())])
        })
        .filter(|name| !name.is_empty() && mentions(&generated, name))
        .collect();
    names.sort_unstable();
    names.dedup();
    let hide: String = (names.iter())
        .map(|name| format!("#pragma push_macro(\"{name}\")\n#undef {name}\n"))
        .collect();
    let restore: String = (names.iter())
        .map(|name| format!("#pragma pop_macro(\"{name}\")\n"))
        .collect();
    format!("{hide}{generated}{restore}")
}

fn insertion(at: usize, replacement: String) -> Edit {
    Edit {
        range: at..at,
        replacement,
    }
}

fn region_contains(region: &Range<usize>, edit: &Edit) -> bool {
    edit.range.start >= region.start
        && edit.range.end <= region.end
        && edit.range.start < region.end
}

/// The dump goes behind the last replaced statement: code of the region that
/// stays on the host runs the same in both programs.
fn end_of_code(region: &Range<usize>, replacements: &[Replacement]) -> usize {
    replacements
        .iter()
        .map(|r| r.span.end)
        .max()
        .unwrap_or(region.end)
}

/// Removes the `#pragma scop` and `#pragma endscop` lines.
fn pragma_lines(text: &str, region: &Range<usize>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let start = text[..region.start].rfind('\n').map_or(0, |at| at + 1);
    let mut at = start;
    for line in text[start..region.end].split_inclusive('\n') {
        let words: Vec<&str> = line
            .trim()
            .trim_start_matches('#')
            .split_whitespace()
            .collect();
        if line.trim_start().starts_with('#')
            && matches!(words.as_slice(), ["pragma", "scop" | "endscop", ..])
        {
            edits.push(Edit {
                range: at..at + line.len(),
                replacement: String::new(),
            });
        }
        at += line.len();
    }
    edits
}

/// The call that takes the place of the scop.
fn call(ir: &Stencil) -> String {
    let mut args: Vec<String> = ir.params.clone();
    args.extend(ir.scalars.iter().map(|(name, _)| name.clone()));
    for array in &ir.arrays {
        args.push(format!(
            "({}{} *){}",
            const_of(array),
            array.elem,
            array.name
        ));
    }
    format!("{}::run({});", ir.name, args.join(", "))
}

fn const_of(array: &KernelArray) -> &'static str {
    if array.written { "" } else { "const " }
}

/// Names for the host function: those of the source where possible.
fn host_names(ir: &Stencil) -> Names {
    let mut names = Names::new(&[
        "Args",
        "Wave",
        "args",
        "launch",
        "kernel",
        "tile",
        "check",
        "run",
        "begin",
        "end",
        "ms",
        "lowest",
        "highest",
        "floor_div",
        "mod",
        "error",
        "what",
        "path",
        "file",
    ]);
    for param in &ir.params {
        names.user(param);
    }
    for array in &ir.arrays {
        names.user(&array.name);
    }
    for (scalar, _) in &ir.scalars {
        names.user(scalar);
    }
    names
}

fn host_function(replacement: &Replacement, instrument: Instrument) -> String {
    let ir = replacement.stencil;
    let kernel_name = |name: &str| replacement.names.get(name);
    let names = host_names(ir);
    let mut params: Vec<String> = (ir.params.iter())
        .map(|p| format!("long long {}", names.get(p)))
        .collect();
    params.extend((ir.scalars.iter()).map(|(name, ty)| format!("{ty} {}", names.get(name))));
    for array in &ir.arrays {
        params.push(format!(
            "{}{} *{}",
            const_of(array),
            array.elem,
            names.get(&array.name)
        ));
    }
    let mut t = String::new();
    let mut line = |text: &str| {
        t.push_str(text);
        t.push('\n');
    };
    line("// Copies the arrays to the device, runs the computation, copies the results back.");
    line("// Ends the program with a message where CUDA reports an error.");
    line(&format!("static void run({}) {{", params.join(", ")));
    let nonempty = ast_to_c(&ir.nonempty, &names);
    if nonempty != "1" {
        line(&format!("  if (!({nonempty})) return;"));
    }
    line("  Args args{};");
    let values = ir.params.iter().chain(ir.scalars.iter().map(|(n, _)| n));
    let set: Vec<String> = values
        .map(|name| format!("args.{} = {}", kernel_name(name), names.get(name)))
        .collect();
    if !set.is_empty() {
        line(&format!("  {};", set.join(", ")));
    }
    for array in &ir.arrays {
        let (elem, name) = (array.elem, names.get(&array.name));
        line(&format!("  {elem} *{name}_device = nullptr;"));
    }
    line("  const auto check = [&](cudaError_t error, const char *what) {");
    line("    if (error == cudaSuccess) return;");
    line(&format!(
        "    fprintf(stderr, \"{}: %s: %s\\n\", what, cudaGetErrorString(error));",
        ir.name
    ));
    for array in &ir.arrays {
        line(&format!("    cudaFree({}_device);", names.get(&array.name)));
    }
    for workspace in &replacement.workspaces {
        line(&format!("    cudaFree(args.{});", workspace.field));
    }
    line("    exit(EXIT_FAILURE);");
    line("  };");
    let touched: Vec<String> = (ir.touched.iter())
        .map(|condition| match ast_to_c(condition, &names) {
            always if always == "1" => String::new(),
            condition => format!("if ({condition}) "),
        })
        .collect();
    for ((array, touched), planes) in ir.arrays.iter().zip(&touched).zip(&ir.planes) {
        let name = names.get(&array.name);
        let field = kernel_name(&array.name);
        let elements: Vec<String> = (array.extents.iter())
            .map(|e| format!("(size_t){}", ast_operand(e, &names)))
            .collect();
        let (elem, what) = (array.elem, &array.name);
        // On the device all planes exist.
        let mut on_device = elements.clone();
        if let (Some(n), Some(outer)) = (planes, array.extents.first())
            && !matches!(outer, AstExpr::Int(all) if all >= n)
        {
            on_device[0] = format!("(size_t)highest({n}, {})", ast_to_c(outer, &names));
        }
        let all = on_device == elements;
        if let ([rows @ .., last], true) = (elements.as_slice(), array.pitched) {
            let allocated = match all {
                true => format!("{name}_rows"),
                false => on_device[..rows.len()].join(" * "),
            };
            line(&format!(
                "  const size_t {name}_rows = {}, {name}_width = sizeof({elem}) * {last};",
                rows.join(" * ")
            ));
            line(&format!(
                "  const size_t {name}_pitch = ({name}_width + 127) / 128 * 128; // rows start at multiples of 128 bytes"
            ));
            line(&format!(
                "  check({name}_pitch <= INT_MAX ? cudaSuccess : cudaErrorInvalidValue, \"rows of {what} are too long\");"
            ));
            line(&format!(
                "  check(cudaMalloc((void **)&{name}_device, {allocated} * {name}_pitch), \"allocating {what}\");"
            ));
            line(&format!(
                "  check(cudaMemset({name}_device, 0xff, {allocated} * {name}_pitch), \"filling {what}\"); // rows are read with their padding: NaN"
            ));
            line(&format!(
                "  {touched}check(cudaMemcpy2D({name}_device, {name}_pitch, {name}, {name}_width, {name}_width, {name}_rows, cudaMemcpyHostToDevice), \"copying {what} to the device\");"
            ));
            line(&format!(
                "  args.{field} = {name}_device, args.{field}_pitch = (int){name}_pitch;"
            ));
        } else {
            line(&format!(
                "  const size_t {name}_bytes = sizeof({elem}) * {};",
                elements.join(" * ")
            ));
            let allocated = match all {
                true => format!("{name}_bytes"),
                false => format!("sizeof({elem}) * {}", on_device.join(" * ")),
            };
            line(&format!(
                "  check(cudaMalloc((void **)&{name}_device, {allocated}), \"allocating {what}\");"
            ));
            line(&format!(
                "  {touched}check(cudaMemcpy({name}_device, {name}, {name}_bytes, cudaMemcpyHostToDevice), \"copying {what} to the device\");"
            ));
            line(&format!("  args.{field} = {name}_device;"));
        }
    }
    for workspace in &replacement.workspaces {
        let array = &ir.arrays[workspace.array];
        let (name, field) = (names.get(&array.name), &workspace.field);
        let space = &array.extents[array.extents.len() - workspace.n_space..];
        let (width, rows) = match (array.pitched, space) {
            (true, [rows @ .., _]) => (format!("{name}_pitch"), rows),
            (_, all) => (format!("sizeof({})", array.elem), all),
        };
        let rows: String = (rows.iter())
            .map(|e| format!(" * (size_t){}", ast_operand(e, &names)))
            .collect();
        line(&format!(
            "  check(cudaMalloc((void **)&args.{field}, {} * {width}{rows}), \"allocating {field}\");",
            workspace.planes
        ));
    }
    if instrument == Instrument::Dump {
        line("  cudaEvent_t begin, end;");
        line("  check(cudaEventCreate(&begin), \"creating an event\");");
        line("  check(cudaEventCreate(&end), \"creating an event\");");
        line("  check(cudaEventRecord(begin, 0), \"recording an event\");");
    }
    line("  check(launch(args, 0), \"launching the kernels\");");
    if instrument == Instrument::Dump {
        line("  check(cudaEventRecord(end, 0), \"recording an event\");");
    }
    line("  check(cudaDeviceSynchronize(), \"running the kernels\");");
    if instrument == Instrument::Dump {
        line("  if (const char *path = getenv(\"HEXCC_TIME\")) {");
        line("    float ms = 0;");
        line("    check(cudaEventElapsedTime(&ms, begin, end), \"reading the time\");");
        line("    if (FILE *file = fopen(path, \"a\")) {");
        line("      fprintf(file, \"%.6f\\n\", ms);");
        line("      fclose(file);");
        line("    }");
        line("  }");
        line("  check(cudaEventDestroy(begin), \"destroying an event\");");
        line("  check(cudaEventDestroy(end), \"destroying an event\");");
    }
    for workspace in &replacement.workspaces {
        let field = &workspace.field;
        line(&format!(
            "  check(cudaFree(args.{field}), \"freeing {field}\");"
        ));
    }
    for (array, touched) in ir.arrays.iter().zip(&touched) {
        let name = names.get(&array.name);
        if array.written && array.pitched {
            line(&format!(
                "  {touched}check(cudaMemcpy2D({name}, {name}_width, {name}_device, {name}_pitch, {name}_width, {name}_rows, cudaMemcpyDeviceToHost), \"copying {} back\");",
                array.name
            ));
        } else if array.written {
            line(&format!(
                "  {touched}check(cudaMemcpy({name}, {name}_device, {name}_bytes, cudaMemcpyDeviceToHost), \"copying {} back\");",
                array.name
            ));
        }
        line(&format!(
            "  check(cudaFree({name}_device), \"freeing {}\");",
            array.name
        ));
    }
    line("}");
    line("");
    line(&format!("}} // namespace {}", ir.name));
    t
}

/// A function that appends an array to the file named by `HEXCC_DUMP`; C and
/// C++.
pub fn dump_function<'a>(kernels: impl Iterator<Item = &'a Stencil>) -> String {
    let mut text = String::from(
        "static void hexcc_dump(const char *name, const void *data, unsigned long long bytes, unsigned long long size) {\n\
         \x20 const char *path = getenv(\"HEXCC_DUMP\");\n\
         \x20 FILE *file = path ? fopen(path, \"ab\") : 0;\n\
         \x20 if (!file) return;\n\
         \x20 fprintf(file, \"%s %llu %llu\\n\", name, bytes, size);\n\
         \x20 fwrite(data, 1, bytes, file);\n\
         \x20 fclose(file);\n\
         }\n",
    );
    let names = Names::new(&[]);
    let mut extents = String::new();
    for array in kernels.flat_map(|ir| &ir.arrays) {
        for extent in &array.extents {
            let _ = write!(extents, " {} ", ast_to_c(extent, &names));
        }
    }
    for helper in (HELPERS.iter()).filter(|h| mentions(&extents, h.name)) {
        text.push_str(&helper.definition("static"));
    }
    text
}

fn dump_calls(replacements: &[Replacement]) -> String {
    let names = Names::new(&[]);
    let mut text = String::new();
    for ir in replacements.iter().map(|r| r.stencil) {
        let nonempty = ast_to_c(&ir.nonempty, &names);
        for array in ir.arrays.iter().filter(|a| a.written) {
            let mut bytes = format!("{}ull", array.elem.size());
            for extent in &array.extents {
                let _ = write!(
                    bytes,
                    " * (unsigned long long){}",
                    ast_operand(extent, &names)
                );
            }
            let _ = write!(
                text,
                " if ({nonempty}) hexcc_dump(\"{} {}\", (const void *){}, {bytes}, {});",
                array.name,
                type_tag(array),
                array.name,
                array.elem.size()
            );
        }
    }
    text
}

/// One word for the element type in a dump.
fn type_tag(array: &KernelArray) -> String {
    array.elem.to_string().replace(' ', "_")
}
