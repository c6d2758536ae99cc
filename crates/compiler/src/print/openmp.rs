//! C with OpenMP: one function for a part of a program, with its kernels as parallel loops.

use super::c::{Dialect, Writer};
use super::fold::{CHUNKS, Folds};
use super::host::Host;
use super::whole;
use crate::back::Otherwise;
use crate::diag::Result;
use crate::interface::Interface;
use crate::ir::{self, Axis, Expr, Helper, Kernel, Launch, Program, Stmt, Type, VarId};
use crate::kernel::KernelArray;
use crate::scop::FinalValue;

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
    let printer = Printer {
        program,
        host: Host::new(program, interface, otherwise, &[]),
        folds: Folds::prefixed(program, &interface.name),
    };
    let folds = printer.folds.text(&printer);
    let inner = |writer: &mut Writer<'_>| printer.inner(writer);
    let text = (printer.host).text((header, finals), (&printer, &folds), inner);
    text.and_then(whole)
}

struct Printer<'a> {
    program: &'a Program,
    host: Host<'a>,
    /// What folds.
    folds: Folds,
}

impl Dialect for Printer<'_> {
    fn declaration(&self, ty: Type, constant: bool, name: &str) -> String {
        match ty {
            Type::Part(_) => format!("{} {name}", self.folds.of_name(self.program, name)),
            ty => self.host.declaration(ty, constant, name),
        }
    }

    fn helper(&self, helper: Helper) -> String {
        format!("hexcc_{}", helper.name())
    }

    fn before_loop(&self, any_order: bool, body: &[Stmt]) -> Option<&'static str> {
        (any_order && is_innermost(body)).then_some("#pragma omp simd")
    }

    fn fold(&self, part: VarId, name: &str, term: &str) -> String {
        self.folds.line(self.program, part, name, term)
    }

    fn launch(&self, writer: &mut Writer<'_>, launch: &Launch) {
        let kernel = &self.program.kernels[launch.kernel.0 as usize];
        writer.line(&format!("// {}.", kernel.lines));
        let folded = kernel.reductions.iter().map(|r| &r.index);
        let expressions: Vec<&Expr> = kernel.expressions().into_iter().chain(folded).collect();
        let used = ir::used(&expressions);
        let args = kernel.params.iter().zip(&launch.args);
        for (param, arg) in args.filter(|(param, _)| used.contains(param)) {
            match arg {
                Expr::Var(id) => {
                    let name = writer.namer.get(*id);
                    writer.namer.set(*param, name);
                }
                arg => {
                    let value = writer.expr(arg);
                    let declared = writer.declare(*param);
                    writer.line(&format!("{declared} = {value};"));
                }
            }
        }
        let n = kernel.axes.len();
        if !kernel.reductions.is_empty() {
            return self.reducing(writer, kernel);
        }
        if n > 0 {
            let collapse = if n > 2 { " collapse(2)" } else { "" };
            let simd = match n == 1 && is_innermost(&kernel.body) {
                true => " simd",
                false => "",
            };
            writer.line(&format!(
                "#pragma omp parallel for{simd}{collapse} schedule(static)"
            ));
        }
        self.axes(writer, &kernel.axes, n, &kernel.body);
    }
}

/// Whether a block has no loop, and its iterations may run in any order.
fn is_innermost(body: &[Stmt]) -> bool {
    let mut innermost = true;
    ir::visit(body, &mut |stmt| {
        innermost &= !matches!(stmt, Stmt::For { .. } | Stmt::Fold { .. })
    });
    innermost
}

impl Printer<'_> {
    /// The loops of a kernel, of which `all` are, from the last axis to the first.
    fn axes(&self, writer: &mut Writer<'_>, axes: &[Axis], all: usize, body: &[Stmt]) {
        let Some((axis, inner)) = axes.split_last() else {
            return match all {
                // One thread runs it, in a block of its own.
                0 => writer.block("", body),
                _ => writer.stmts(body),
            };
        };
        let [first, last] = &axis.range;
        let (first, last) = (writer.expr(first), writer.operand(last, "<="));
        let scope = writer.namer.scope();
        let variable = self.program.var(axis.var);
        let name = writer.namer.define(axis.var, &variable.name);
        if inner.is_empty() && all > 1 && is_innermost(body) {
            writer.line("#pragma omp simd");
        }
        let head = format!("for (long long {name} = {first}; {name} <= {last}; ++{name})");
        writer.braced(&head, |writer| self.axes(writer, inner, all, body));
        writer.namer.leave(scope);
    }

    /// What the function does after its tests.
    fn inner(&self, writer: &mut Writer<'_>) -> Result<()> {
        self.rows(writer)?;
        for (array, _) in self.host.arrays().filter(|(a, _)| a.local) {
            let (name, bytes) = (
                self.host.name(writer, array),
                self.host.bytes(writer, array)?,
            );
            let elem = array.elem;
            writer.line(&format!(
                "{elem} *restrict const {name} = ({elem} *)hexcc_memory({bytes}, \"{}: no memory for {}\");",
                self.host.interface.name, array.name
            ));
        }
        writer.stmts(&self.program.host);
        let own = |a: &KernelArray| a.local || a.rows.is_some();
        for (array, _) in self.host.arrays().filter(|(a, _)| own(a)) {
            let name = self.host.name(writer, array);
            writer.line(&format!("free({name});"));
        }
        Ok(())
    }

    /// Finds the rows and makes tables of them.
    fn rows(&self, writer: &mut Writer<'_>) -> Result<()> {
        let host = &self.host;
        let in_rows = host.arrays().filter(|(a, _)| a.rows.is_some());
        let frees: String = in_rows
            .map(|(array, _)| format!("free({}); ", host.name(writer, array)))
            .collect();
        let table =
            |writer: &mut Writer<'_>, (index, array): (usize, &KernelArray), pieces: &str| {
                let found = writer.namer.fresh(&format!("{}_found", array.name));
                let [call, touches] = host.rows_of(writer, (index, array), (&found, pieces));
                writer.line(&format!("struct hexcc_rows {found} = {call};"));
                writer.line(&touches);
                let ranges = array.rows.as_ref().map_or(0, |rows| rows.ranges.len());
                let n = host.count(writer, &array.extents[..ranges])?;
                let (elem, written) = (array.elem, array.written);
                let name = host.name(writer, array);
                let declared = host.declaration(Type::Rows { elem, written }, true, &name);
                writer.line(&format!(
                    "{declared} = ({elem} **)hexcc_table(&{found}, {n});"
                ));
                writer.line(&format!("hexcc_free_rows(&{found});"));
                Ok(())
            };
        host.rows(writer, table, &frees)
    }

    /// The loops of a kernel that reduces.
    fn reducing(&self, writer: &mut Writer<'_>, kernel: &Kernel) {
        let Some((outermost, inner)) = kernel.axes.split_last() else {
            return;
        };
        writer.braced("", |writer| {
            let mut all = Vec::new();
            for r in &kernel.reductions {
                let name = &self.program.var(r.part).name;
                let parts = writer.namer.fresh(&format!("{name}s"));
                writer.line(&format!("{} {parts}[{CHUNKS}];", self.folds.of(r)));
                all.push(parts);
            }
            let [first, last] = &outermost.range;
            let (first, last) = (writer.operand(first, "+"), writer.operand(last, "+"));
            let first_name = writer.namer.fresh("first");
            let n = writer.namer.fresh("n");
            writer.line(&format!(
                "const long long {first_name} = {first}, {n} = {last} - {first_name} + 1;"
            ));
            let chunk = writer.namer.fresh("chunk");
            writer.line("#pragma omp parallel for schedule(static)");
            let head = format!("for (int {chunk} = 0; {chunk} < {CHUNKS}; ++{chunk})");
            writer.braced(&head, |writer| {
                let names = (first_name.as_str(), n.as_str(), chunk.as_str());
                let iteration = |writer: &mut Writer<'_>| {
                    self.axes(writer, inner, kernel.axes.len(), &kernel.body);
                };
                (self.folds).chunk(writer, (self, kernel), names, &all, iteration);
            });
            for (r, parts) in kernel.reductions.iter().zip(&all) {
                self.folds.combine(writer, r, parts, &chunk);
            }
        });
    }
}
