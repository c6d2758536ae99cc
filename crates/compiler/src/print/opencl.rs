//! OpenCL: kernels in OpenCL C, and a function of C for a part of a program, which copies its arrays
//! to a device, launches the kernels and copies the results back.

mod device;
mod launches;
mod tiles;

use self::device::Device;
use super::c::{ATOM, Dialect, Piece, Writer};
use super::host::Host;
use super::{unknown, whole};
use crate::back::Otherwise;
use crate::diag::Result;
use crate::interface::Interface;
use crate::ir::{Expr, Helper, Kernel, Launch, Program, Type, VarId, expressions_in};
use crate::kernel::KernelArray;
use crate::scop::FinalValue;
use hexcc_isl::AstExpr;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What the functions call, once in a file, behind [`super::host::PRELUDE`].
pub const HOST: &str = concat!(
    "#include <string.h>\n#define CL_TARGET_OPENCL_VERSION 120\n#include <CL/cl.h>\n",
    include_str!("lib/opencl/host.h")
);

/// The functions by which a program decides whether kernels run, behind [`HOST`].
pub const GATE: &str = include_str!("lib/opencl/gate.h");

/// Names that the function uses.
const FIXED: &[&str] = &["run", "buffers", "strcmp", "strstr"];

/// The functions of a part of a program, with comments about it: one that runs it, and those for
/// the values that it leaves in variables.
///
/// # Errors
/// HX9001 where the interface does not fit the program.
pub fn print(
    program: &Program,
    interface: &Interface,
    finals: &[FinalValue],
    (header, otherwise): (&[String], Otherwise),
) -> Result<String> {
    let mut printer = Printer {
        program,
        host: Host::new(program, interface, otherwise, FIXED),
        device: Device::new(program, &interface.name, has_own_memory(interface)),
        buffers: BTreeMap::new(),
        parts: BTreeMap::new(),
    };
    printer.name_buffers();
    whole(printer.device.text())?;
    let own = printer.source();
    let inner = |writer: &mut Writer<'_>| printer.inner(writer);
    let text = (printer.host).text((header, finals), (&printer, &own), inner);
    text.and_then(whole)
}

/// The kernels of a part of a program, and what launches them.
///
/// # Errors
/// HX9001 where the program has what OpenCL C has not.
pub fn print_kernels(
    program: &Program,
    interface: &Interface,
    header: &[String],
) -> Result<String> {
    let device = Device::new(program, &interface.name, has_own_memory(interface));
    let lines = header.iter().map(|line| format!("// {line}"));
    let lines = lines.map(|line| line.trim_end().to_string() + "\n");
    whole(lines.collect::<String>() + &device.text() + &launches::remarks(&device, program))
}

/// Whether no two arrays of a part lie in the same memory.
fn has_own_memory(interface: &Interface) -> bool {
    let mut arrays = 0..interface.arrays.len();
    arrays.all(|i| interface.home(i) == i)
}

struct Printer<'a> {
    program: &'a Program,
    host: Host<'a>,
    device: Device<'a>,
    /// What memory of the device is called, by array.
    buffers: BTreeMap<String, String>,
    /// The same for parts of reductions.
    parts: BTreeMap<VarId, String>,
}

impl Dialect for Printer<'_> {
    fn declaration(&self, ty: Type, constant: bool, name: &str) -> String {
        self.host.declaration(ty, constant, name)
    }

    fn helper(&self, helper: Helper) -> String {
        format!("hexcc_{}", helper.name())
    }

    /// Buffers are multiples of the largest type.
    fn aligned(&self, _: &Writer<'_>, _pointer: VarId, op: &'static str) -> Piece {
        Piece(i32::from(op == "==").to_string(), ATOM)
    }

    fn fold(&self, _part: VarId, name: &str, _term: &str) -> String {
        // [`ir::verify`] has seen that only kernels fold.
        format!("{name};")
    }

    fn launch(&self, writer: &mut Writer<'_>, launch: &Launch) {
        let kernel = &self.program.kernels[launch.kernel.0 as usize];
        let own: Vec<String> = (kernel.reductions.iter())
            .map(|r| self.parts(r.part))
            .collect();
        let sizes = device::counts(writer, kernel, launch);
        let groups = device::groups(kernel).into_iter();
        let groups: Vec<String> = groups.map(|n| n.to_string()).collect();
        let args = self.device.arguments(kernel);
        let mut args: Vec<String> = (args.into_iter())
            .map(|arg| self.argument(writer, kernel, launch, arg))
            .collect();
        args.extend(own.iter().map(|name| argument("cl_mem", name)));
        writer.line(&format!("// {}.", kernel.lines));
        let call = |writer: &mut Writer<'_>, name: &str, sizes: &[String], groups: &[String]| {
            writer.line(&format!(
                "hexcc_launch(&run, \"{name}\", {}, (const long long[]){{{}}}, (const size_t[]){{{}}}, {}, (const struct hexcc_argument[]){{{}}});",
                sizes.len(),
                sizes.join(", "),
                groups.join(", "),
                args.len(),
                args.join(", ")
            ));
        };
        call(writer, &kernel.name, &sizes, &groups);
        if !own.is_empty() {
            let one = ["1".to_string()];
            call(writer, &device::combining(kernel), &one, &one);
        }
    }
}

/// An argument of a kernel, as the host hands it over.
fn argument(ty: &str, value: &str) -> String {
    format!("HEXCC_ARGUMENT({ty}, {value})")
}

impl Printer<'_> {
    fn name_buffers(&mut self) {
        let arrays = &self.host.interface.arrays;
        for (i, array) in arrays.iter().enumerate() {
            let home = &arrays[self.host.interface.home(i)].name;
            let name = match self.buffers.get(home) {
                Some(name) => name.clone(),
                None => self.host.namer.fresh(&format!("{home}_device")),
            };
            self.buffers.insert(array.name.clone(), name);
        }
        for kernel in &self.program.kernels {
            for r in &kernel.reductions {
                let name = format!("{}_{}s", kernel.name, self.program.var(r.part).name);
                let name = self.host.namer.fresh(&name);
                self.parts.insert(r.part, name);
            }
        }
    }

    /// What memory is called for the parts of a reduction.
    fn parts(&self, part: VarId) -> String {
        (self.parts.get(&part).cloned()).unwrap_or_else(|| unknown("parts of a reduction"))
    }

    fn buffer(&self, name: &str) -> String {
        (self.buffers.get(name).cloned()).unwrap_or_else(|| unknown(name))
    }

    /// The value of a kernel's argument at a launch.
    fn argument(
        &self,
        writer: &Writer<'_>,
        kernel: &Kernel,
        launch: &Launch,
        arg: VarId,
    ) -> String {
        let variable = self.program.var(arg);
        let value = match kernel.params.iter().position(|p| *p == arg) {
            Some(p) => launch.args.get(p).map(|value| writer.expr(value)),
            None => Some(writer.namer.get(arg)),
        };
        let value = value.unwrap_or_else(|| unknown(&variable.name));
        match variable.ty {
            Type::Number(ty) => argument(&ty.to_string(), &value),
            Type::Index => argument("cl_long", &value),
            _ => argument("cl_mem", &self.buffer(&variable.name)),
        }
    }

    /// The kernels as data of the program.
    fn source(&self) -> String {
        let name = &self.host.interface.name;
        let mut text =
            format!("// The kernels, in OpenCL C.\nstatic const char *{name}_source[] = {{\n");
        for line in self.device.text().lines() {
            let _ = writeln!(text, "  {}", literal(line));
        }
        let _ = writeln!(
            text,
            "}};\nstatic struct hexcc_kernel {name}_kernels[] = {{"
        );
        for kernel in self.device.kernels() {
            let _ = writeln!(text, "  {{\"{kernel}\", 0}},");
        }
        let needs = self.device.needs().join(" | ");
        let _ = writeln!(
            text,
            "}};\nstatic struct hexcc_program {name}_program = {{\n  \"{name}\", {name}_source, sizeof {name}_source / sizeof *{name}_source, {needs},\n  {name}_kernels, sizeof {name}_kernels / sizeof *{name}_kernels, 0,\n}};\n"
        );
        text
    }

    /// What the function does after its tests.
    fn inner(&self, writer: &mut Writer<'_>) -> Result<()> {
        let found = self.rows(writer)?;
        let interface = self.host.interface;
        let arrays: BTreeSet<&String> = self.buffers.values().collect();
        let n = arrays.len() + self.parts.len();
        writer.line(&format!("cl_mem buffers[{}];", n.max(1)));
        writer.line(&format!(
            "struct hexcc_run run = {{&{}_program, {}, 1, 0, buffers, 0}};",
            interface.name,
            self.host.otherwise.note()
        ));
        let reads = |e: &&Expr| {
            let mut found = false;
            e.visit(&mut |e| found |= matches!(e, Expr::Element { .. }));
            found
        };
        // The host looks at elements itself.
        if !found.is_empty() || expressions_in(&self.program.host).iter().any(reads) {
            writer.line("hexcc_home();");
        }
        writer.line("hexcc_begin(&run);");
        let mut back = Vec::new();
        for (i, (array, touched)) in self.host.arrays().enumerate() {
            if interface.home(i) == i {
                back.extend(self.enter(writer, i, (array, touched))?);
            }
        }
        for name in self.parts.values() {
            writer.line(&format!(
                "const cl_mem {name} = hexcc_buffer(&run, {}, \"allocating {name}\");",
                device::parts_bytes()
            ));
        }
        let frees: String = found.iter().map(|(_, frees)| frees.as_str()).collect();
        let kept = "from here on the program's arrays change, and errors end it";
        writer.line(&match self.host.otherwise {
            Otherwise::Ends => format!("hexcc_ready(&run); // {kept}"),
            Otherwise::RunsLoops if frees.is_empty() => {
                format!("if (!hexcc_ready(&run)) return 0; // {kept}")
            }
            Otherwise::RunsLoops => {
                format!("if (!hexcc_ready(&run)) {{ {frees}return 0; }} // {kept}")
            }
        });
        writer.stmts(&self.program.host);
        for line in back {
            writer.line(&line);
        }
        writer.line("hexcc_end(&run);");
        for (scatter, frees) in &found {
            if let Some(scatter) = scatter {
                writer.line(scatter);
            }
            writer.line(frees.trim_end());
        }
        Ok(())
    }

    /// Lines that make memory of the device for the arrays in one memory of the program; gives the
    /// line that copies it back, where it is written.
    fn enter(
        &self,
        writer: &mut Writer<'_>,
        index: usize,
        (array, touched): (&KernelArray, &AstExpr),
    ) -> Result<Option<String>> {
        let interface = self.host.interface;
        let (name, buffer) = (self.host.name(writer, array), self.buffer(&array.name));
        let what = &array.name;
        if array.local {
            let bytes = self.host.bytes(writer, array)?;
            writer.line(&format!(
                "const cl_mem {buffer} = hexcc_buffer(&run, {bytes}, \"allocating {what}\");"
            ));
            return Ok(None);
        }
        let bytes = writer.namer.fresh(&format!("{what}_size"));
        let tenants = interface.tenants(index);
        let mut all = match array.rows {
            // Gathered rows are there, whether they are touched or not.
            Some(_) => self.host.bytes(writer, array)?,
            None => self.host.touched_bytes(writer, (array, touched))?,
        };
        for &i in tenants.iter().filter(|i| **i != index) {
            let tenant = (&interface.arrays[i], &interface.touched[i]);
            let more = self.host.touched_bytes(writer, tenant)?;
            all = format!("hexcc_most({all}, {more})");
        }
        writer.line(&format!("const size_t {bytes} = {all};"));
        let [enter, leave] = match array.variable || array.rows.is_some() {
            true => ["hexcc_copy", "hexcc_copy_back"],
            false => ["hexcc_enter", "hexcc_leave_array"],
        };
        writer.line(&format!(
            "const cl_mem {buffer} = {enter}(&run, {name}, {bytes}, \"copying {what}\");"
        ));
        let written = interface.is_memory_written(index);
        let pointer = match array.written {
            true => name,
            false => format!("(void *){name}"),
        };
        Ok(written.then(|| {
            format!("{leave}(&run, {buffer}, {pointer}, {bytes}, \"copying {what} back\");")
        }))
    }

    /// Finds the rows behind pointers and gathers them; gives of each array the line that copies
    /// them back, where it is written, and what frees them.
    fn rows(&self, writer: &mut Writer<'_>) -> Result<Vec<(Option<String>, String)>> {
        let host = &self.host;
        let in_rows = || host.arrays().filter(|(a, _)| a.rows.is_some() && !a.local);
        let names: Vec<String> = in_rows()
            .map(|(array, _)| writer.namer.fresh(&format!("{}_found", array.name)))
            .collect();
        let frees: String = (names.iter())
            .map(|found| format!("hexcc_free_rows(&{found}); "))
            .collect();
        let mut left = names.iter();
        let find = |writer: &mut Writer<'_>, array: (usize, &KernelArray), pieces: &str| {
            let found = left.next().cloned().unwrap_or_default();
            let [call, touches] = host.rows_of(writer, array, (&found, pieces));
            writer.line(&format!("struct hexcc_rows {found} = {call};"));
            writer.line(&touches);
            Ok(())
        };
        host.rows(writer, find, &frees)?;
        let mut made = Vec::new();
        for ((array, _), found) in in_rows().zip(&names) {
            let (name, elem) = (host.name(writer, array), array.elem);
            let (bytes, width) = (host.bytes(writer, array)?, self.width(writer, array)?);
            writer.line(&format!(
                "{elem} *const {name} = ({elem} *)hexcc_gather(&{found}, {bytes}, {width});"
            ));
            let scatter = (array.written)
                .then(|| format!("hexcc_scatter(&{found}, (const char *){name}, {width});"));
            made.push((
                scatter,
                format!("free({name}); hexcc_free_rows(&{found}); "),
            ));
        }
        Ok(made)
    }

    /// The bytes between rows of an array that is one block.
    fn width(&self, writer: &Writer<'_>, array: &KernelArray) -> Result<String> {
        let n = array.rows.as_ref().map_or(0, |rows| rows.ranges.len());
        let elements = self.host.count(writer, &array.extents[n..])?;
        Ok(format!("sizeof({}) * {elements}", array.elem))
    }
}

/// A line of text as a string of C.
fn literal(line: &str) -> String {
    let escaped = line.chars().flat_map(|c| {
        let escape = matches!(c, '\\' | '"').then_some('\\');
        escape.into_iter().chain([c])
    });
    format!("\"{}\\n\",", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::literal;

    #[test]
    fn lines_are_strings_of_c() {
        assert_eq!(literal("a[i]"), r#""a[i]\n","#);
        assert_eq!(literal(r#"// '\' and ""#), r#""// '\\' and \"\n","#);
    }
}
