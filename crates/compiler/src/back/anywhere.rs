//! The function `launch` of a header: it takes arrays that lie anywhere, and memory that the kernels need beside
//! them may be missing.

use super::expr::{HELPERS, ast_operand, ast_to_c};
use super::names::{Names, declarations};
use super::program::{Replacement, extents};
use crate::diag::{Diagnostic, Result};
use crate::kernel::{KernelArray, Stencil};
use std::fmt::Write;

/// What launches kernels.
pub const LAUNCH: &str = "launch";

/// The same where arrays have to lie at multiples of 16 bytes, and nothing is missing.
pub const ALIGNED: &str = "launch_aligned";

/// The namespace of a time loop whose function is [`ALIGNED`], with [`LAUNCH`] added.
///
/// # Errors
/// HX9001 if that is no namespace.
pub fn anywhere(r: &Replacement, stencil: &Stencil) -> Result<String> {
    let (kernel, end) = opened(r)?;
    let mut names = r.names.clone();
    for taken in ["given", "error", LAUNCH, ALIGNED] {
        names.fresh(taken);
    }
    let mut body = Body::default();
    for (i, array) in r.interface.arrays.iter().enumerate() {
        body.array(r, (i, array), &mut names);
    }
    for workspace in &r.workspaces {
        let own = names.fresh(&format!("{}_own", workspace.field));
        body.workspace(r, workspace, &own);
    }
    let nonempty = ast_to_c(&r.interface.nonempty, &names);
    let first = match nonempty.as_str() {
        "1" => String::new(),
        nonempty => format!("  if (!({nonempty})) return cudaSuccess;\n"),
    };
    let Body {
        before,
        after,
        frees,
        beside,
    } = body;
    let text = format!(
        "{first}  cudaError_t error = cudaSuccess;\n{before}  if (error == cudaSuccess) error = {ALIGNED}(args, stream);\n{after}{frees}  return error;\n"
    );
    let sizes: String = (declarations(stencil, &names, &text).iter())
        .map(|line| format!("  {line}\n"))
        .collect();
    let helpers = helpers(kernel, &text);
    let missing = match beside.is_empty() {
        true => String::new(),
        false => format!(
            "\n// Memory is taken where there is none at {}.",
            beside.join(", ")
        ),
    };
    Ok(format!(
        "{kernel}#ifndef __CUDACC_RTC__\n{helpers}// Runs the whole computation on device arrays, in order on a stream. Arrays that do not start, or whose\n// rows do not lie, at multiples of 16 bytes are copied to where they do, and back.{missing}\ninline cudaError_t {LAUNCH}(const Args &given, cudaStream_t stream) {{\n  Args args = given;\n{sizes}{text}}}\n#endif\n\n{end}"
    ))
}

/// The namespace of a kernel without its end, and that.
///
/// # Errors
/// HX9001 if it is no namespace.
pub(super) fn opened<'r>(r: &'r Replacement) -> Result<(&'r str, String)> {
    let end = format!("}} // namespace {}\n", r.interface.name);
    let kernel = (r.kernel.strip_suffix(&end))
        .ok_or_else(|| Diagnostic::bug("a kernel's namespace does not end"))?;
    Ok((kernel, end))
}

/// The functions that a text calls and a namespace does not have yet.
pub(super) fn helpers(namespace: &str, text: &str) -> String {
    let mut helpers = String::new();
    for helper in HELPERS
        .iter()
        .filter(|h| text.contains(&format!("{}(", h.name)))
    {
        let definition = helper.definition("static");
        if !namespace.contains(definition.trim_start_matches("static")) {
            helpers.push_str(&definition);
        }
    }
    helpers
}

/// The text of the function.
#[derive(Default)]
struct Body {
    /// Before the kernels.
    before: String,
    /// Behind them.
    after: String,
    /// What gives memory back.
    frees: String,
    /// Fields that may be missing.
    beside: Vec<String>,
}

impl Body {
    /// A copy of an array that is not aligned.
    fn array(&mut self, r: &Replacement, (i, array): (usize, &KernelArray), names: &mut Names) {
        let (name, elem) = (names.get(&array.name), array.elem);
        let [_, sizes] = extents(array, r.interface.planes[i], names);
        let sides = r.sides.get(i).map_or(&[][..], Vec::as_slice);
        let mut sizes: Vec<String> = sizes;
        for (size, sides) in sizes.iter_mut().rev().zip(sides.iter().rev()) {
            if sides.beside > 0 {
                let cells = ast_operand(&sides.cells, names);
                *size = format!("((size_t){cells} + {})", 2 * sides.beside);
            }
        }
        let copy = names.fresh(&format!("{name}_copy"));
        let width = names.fresh(&format!("{name}_width"));
        let (rows, row) = match sizes.split_last() {
            Some((last, rows)) if array.pitched => (rows.join(" * "), last.clone()),
            _ => ("1".to_string(), sizes.join(" * ")),
        };
        let bytes = match row.is_empty() {
            true => format!("sizeof({elem})"),
            false => format!("sizeof({elem}) * {row}"),
        };
        let b = &mut self.before;
        let _ = writeln!(b, "  {elem} *{copy} = nullptr;");
        let copied = |to: &str, from: &str, [to_pitch, from_pitch]: [&str; 2]| {
            format!(
                "cudaMemcpy2DAsync({to}, {to_pitch}, {from}, {from_pitch}, {width}, {rows}, cudaMemcpyDeviceToDevice, stream)"
            )
        };
        let (own, given) = match array.pitched {
            true => (format!("args.{name}_pitch"), format!("given.{name}_pitch")),
            false => (width.clone(), width.clone()),
        };
        let is_off = match array.pitched {
            true => format!("(size_t)given.{name} % 16 != 0 || given.{name}_pitch % 16 != 0"),
            false => format!("(size_t)given.{name} % 16 != 0"),
        };
        let _ = writeln!(b, "  const size_t {width} = {bytes};");
        let _ = writeln!(b, "  if (error == cudaSuccess && ({is_off})) {{");
        let allocated = match array.pitched {
            true => {
                let _ = writeln!(
                    b,
                    "    if ({width} > INT_MAX - 127) error = cudaErrorInvalidValue;\n    args.{name}_pitch = (int)(({width} + 127) / 128 * 128);"
                );
                format!("(size_t)args.{name}_pitch * {rows}")
            }
            false => width.clone(),
        };
        let _ = writeln!(
            b,
            "    if (error == cudaSuccess) error = cudaMallocAsync((void **)&{copy}, {allocated}, stream);\n    if (error == cudaSuccess) error = {};\n    args.{name} = {copy};\n  }}",
            copied(&copy, &format!("given.{name}"), [&own, &given])
        );
        if r.interface.is_memory_written(i) {
            let pointer = match array.written {
                true => format!("given.{name}"),
                false => format!("(void *)given.{name}"),
            };
            let _ = writeln!(
                self.after,
                "  if ({copy} && error == cudaSuccess) error = {};",
                copied(&pointer, &copy, [&given, &own])
            );
        }
        let _ = writeln!(self.frees, "  if ({copy}) cudaFreeAsync({copy}, stream);");
    }

    /// Memory that is missing, or too small for rows that lie elsewhere.
    fn workspace(&mut self, r: &Replacement, workspace: &super::Workspace, own: &str) {
        let array = &r.interface.arrays[workspace.array];
        let (field, name) = (&workspace.field, r.names.get(&array.name));
        let moved = match array.pitched {
            true => format!(" || args.{name}_pitch != given.{name}_pitch"),
            false => String::new(),
        };
        let bytes = workspace.bytes_of_rows(r, &r.names, format!("args.{name}_pitch"));
        let _ = writeln!(
            self.before,
            "  {} *{own} = nullptr;\n  if (error == cudaSuccess && (!given.{field} || (size_t)given.{field} % 16 != 0{moved})) {{\n    error = cudaMallocAsync((void **)&{own}, {bytes}, stream);\n    args.{field} = {own};\n  }}",
            array.elem
        );
        let _ = writeln!(self.frees, "  if ({own}) cudaFreeAsync({own}, stream);");
        self.beside.push(format!("`{field}`"));
    }
}
