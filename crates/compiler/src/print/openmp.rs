//! C with OpenMP: one function for a part of a program, with its kernels as parallel loops.

use super::c::{Dialect, Writer};
use super::fold::{CHUNKS, Folds};
use super::host::Host;
use super::whole;
use crate::back::Otherwise;
use crate::diag::Result;
use crate::interface::Interface;
use crate::ir::{self, Axis, Expr, Helper, Kernel, Launch, Program, Reduction, Stmt, Type, VarId};
use crate::kernel::KernelArray;
use crate::scop::FinalValue;
use std::collections::BTreeMap;

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
    let mut host = Host::new(program, interface, otherwise, &[]);
    let meeting = host.namer.fresh("meeting");
    let reductions = program.kernels.iter().flat_map(|k| &k.reductions);
    let parts = reductions.map(|r| {
        let name = format!("{}s", program.var(r.part).name);
        (r.part, host.namer.fresh(&name))
    });
    let printer = Printer {
        program,
        parts: parts.collect(),
        host,
        folds: Folds::prefixed(program, &interface.name),
        team: has_team(program).then_some(meeting),
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
    /// What the parts of each reduction are called.
    parts: BTreeMap<VarId, String>,
    /// Where threads meet that run all of the host code, and share the loops of each launch; `None` where
    /// each launch has threads of its own.
    team: Option<String>,
}

/// The line before what one thread of a team does; it meets the others behind that.
const BY_ONE: &str = "#pragma omp single nowait";

/// Loops around those that threads share, of three and more; these are shared, too.
const COLLAPSED: usize = 2;

/// How many of a kernel's axes threads share, the outermost ones.
pub(crate) fn outermost_axes(axes: usize) -> usize {
    match axes {
        0..=COLLAPSED => axes.min(1),
        _ => COLLAPSED,
    }
}

/// Whether one team of threads can run all of the host code, which shares some loops: what is between
/// these is the same in each thread, since it depends on sizes and has variables of its own.
fn has_team(program: &Program) -> bool {
    let (mut shared, mut same) = (false, true);
    ir::visit(&program.host, &mut |stmt| match stmt {
        Stmt::Launch(launch) => {
            shared |= !program.kernels[launch.kernel.0 as usize].axes.is_empty();
        }
        Stmt::Comment(_)
        | Stmt::Let { .. }
        | Stmt::If { .. }
        | Stmt::For { .. }
        | Stmt::Scope(_) => {}
        _ => same = false,
    });
    for expr in ir::expressions_in(&program.host) {
        expr.visit(&mut |e| same &= !matches!(e, Expr::Element { .. }));
    }
    shared && same
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
            let collapse = match outermost_axes(n) {
                0 | 1 => String::new(),
                axes => format!(" collapse({axes})"),
            };
            let simd = match n == 1 && is_innermost(&kernel.body) {
                true => " simd",
                false => "",
            };
            self.shared(writer, &format!("{simd}{collapse}"));
        } else if self.team.is_some() {
            writer.line(BY_ONE);
        }
        self.axes(writer, &kernel.axes, n, &kernel.body);
        self.meet(writer);
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
    /// The line before a loop that threads share.
    fn shared(&self, writer: &mut Writer<'_>, clauses: &str) {
        let (begins, ends) = match self.team {
            Some(_) => ("", " nowait"),
            None => ("parallel ", ""),
        };
        writer.line(&format!(
            "#pragma omp {begins}for{clauses} schedule(static){ends}"
        ));
    }

    /// The line behind what threads have shared, or one of them has done.
    fn meet(&self, writer: &mut Writer<'_>) {
        if let Some(meeting) = &self.team {
            writer.line(&format!("hexcc_meet(&{meeting});"));
        }
    }

    /// The arrays for the parts of reductions, which threads share.
    fn parts<'b>(&self, writer: &mut Writer<'_>, reductions: impl Iterator<Item = &'b Reduction>) {
        for r in reductions {
            let (of, parts) = (self.folds.of(r), &self.parts[&r.part]);
            writer.line(&format!("{of} {parts}[{CHUNKS}];"));
        }
    }

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
        if let Some(meeting) = &self.team {
            let kernels = self.program.kernels.iter();
            self.parts(writer, kernels.flat_map(|k| &k.reductions));
            writer.line(&format!("struct hexcc_meeting {meeting} = {{0, 0}};"));
            writer.line("#pragma omp parallel");
            writer.braced("", |writer| writer.stmts(&self.program.host));
        } else {
            writer.stmts(&self.program.host);
        }
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
            if self.team.is_none() {
                self.parts(writer, kernel.reductions.iter());
            }
            let parts = |r: &Reduction| self.parts[&r.part].clone();
            let all: Vec<String> = kernel.reductions.iter().map(parts).collect();
            let [first, last] = &outermost.range;
            let (first, last) = (writer.operand(first, "+"), writer.operand(last, "+"));
            let first_name = writer.namer.fresh("first");
            let n = writer.namer.fresh("n");
            writer.line(&format!(
                "const long long {first_name} = {first}, {n} = {last} - {first_name} + 1;"
            ));
            let chunk = writer.namer.fresh("chunk");
            self.shared(writer, "");
            let head = format!("for (int {chunk} = 0; {chunk} < {CHUNKS}; ++{chunk})");
            writer.braced(&head, |writer| {
                let names = (first_name.as_str(), n.as_str(), chunk.as_str());
                let iteration = |writer: &mut Writer<'_>| {
                    self.axes(writer, inner, kernel.axes.len(), &kernel.body);
                };
                (self.folds).chunk(writer, (self, kernel), names, &all, iteration);
            });
            let combine = |writer: &mut Writer<'_>| {
                for (r, parts) in kernel.reductions.iter().zip(&all) {
                    self.folds.combine(writer, r, parts, &chunk);
                }
            };
            if self.team.is_none() {
                return combine(writer);
            }
            self.meet(writer);
            writer.line(BY_ONE);
            writer.braced("", combine);
            self.meet(writer);
        });
    }
}
