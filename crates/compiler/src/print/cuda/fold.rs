//! Reductions in CUDA: each block combines what its threads have, in their order, and further
//! kernels what the blocks have.

use super::{AXES, Printer};
use crate::ir::{Expr, Kernel, Launch, Reduction, VarId};
use crate::print::c::Writer;
use crate::print::fold::{self, Folds};
use std::fmt::Write;

/// What kernels call.
const DEVICE: &str = include_str!("../lib/cuda/fold.cuh");

/// What launches call.
pub(super) const HOST: &str = include_str!("../lib/cuda/fold_host.cuh");

/// Names at file scope that these use.
pub(super) const NAMES: &[&str] = &[
    "Part",
    "both",
    "of_block",
    "combine",
    "Parts",
    "Fold",
    "FOLD_THREADS",
    "FOLD_PARTS",
    "FOLD_ROWS",
    "FOLD_BLOCK",
];

/// The types of C++ that fold, and what kernels call; empty where none does.
pub(super) fn text(folds: &Folds) -> String {
    let mut text = String::new();
    if folds.is_empty() {
        return text;
    }
    text.push_str(DEVICE);
    for (fold, ty, name) in folds.all() {
        let state = fold::state(*fold, *ty);
        let with = fold.text("x", "e", *ty, &|name, args| format!("{name}({args})"));
        let _ = write!(
            text,
            "\nstruct {name} {{\n  using Value = {ty};\n  \
             static __device__ Value with(Value x, Value e) {{ return {with}; }}\n  \
             static __device__ Part<{name}> of(Value e) {{ return {{e, {state}}}; }}\n}};\n"
        );
    }
    text
}

impl Printer<'_> {
    /// `part = both(part, ..)`.
    pub(super) fn fold_text(&self, part: VarId, name: &str, term: &str) -> String {
        let fold = self.folds.of_part(self.program, part);
        format!("{name} = both({name}, {fold}::of({term}));")
    }

    /// The parameters of a kernel for the parts of its blocks, and what they are called.
    pub(super) fn part_params(
        &self,
        writer: &mut Writer<'_>,
        kernel: &Kernel,
    ) -> Vec<(String, String)> {
        let of_reduction = |r: &Reduction| {
            let name = writer
                .namer
                .fresh(&format!("{}s", self.program.var(r.part).name));
            (format!(", Part<{}> *const {name}", self.folds.of(r)), name)
        };
        kernel.reductions.iter().map(of_reduction).collect()
    }

    /// The iterations of a thread of a kernel that reduces, and its body: blocks are in the order
    /// of the loops, along the first axis of the grid.
    pub(super) fn reducing(
        &self,
        writer: &mut Writer<'_>,
        kernel: &Kernel,
        parts: &[(String, String)],
    ) {
        let rows = has_rows(kernel).then(|| kernel.axes.last()).flatten();
        let (last, first_row) = self.block_iterations(writer, kernel);
        for reduction in &kernel.reductions {
            let name = &self.program.var(reduction.part).name;
            let name = writer.namer.define(reduction.part, name);
            writer.line(&format!("Part<{}> {name}{{}};", self.folds.of(reduction)));
        }
        match rows {
            None => writer.block(&format!("if ({last})"), &kernel.body),
            Some(axis) => {
                let end = writer.operand(&axis.range[1], "<=");
                let scope = writer.namer.scope();
                let row = writer
                    .namer
                    .define(axis.var, &self.program.var(axis.var).name);
                let head = format!(
                    "for ({} {row} = {first_row}; {row} < {first_row} + FOLD_ROWS && {row} <= {end} && {last}; ++{row})",
                    self.index
                );
                writer.block(&head, &kernel.body);
                writer.namer.leave(scope);
            }
        }
        for (reduction, (_, parts)) in kernel.reductions.iter().zip(parts) {
            let name = writer.namer.get(reduction.part);
            writer.line(&format!("{name} = of_block({name});"));
            writer.line(&format!(
                "if (threadIdx.x == 0) {parts}[blockIdx.x] = {name};"
            ));
        }
    }

    /// Declares the iterations of a thread; gives the condition that there is one, and where it has
    /// several rows the name of the first.
    fn block_iterations(&self, writer: &mut Writer<'_>, kernel: &Kernel) -> (String, String) {
        let index = self.index;
        let one_axis = kernel.axes.len() == 1;
        // What is left of the block's number for the axes to come.
        let mut left = String::new();
        if !one_axis {
            left = writer.namer.fresh("block");
            writer.line(&format!("const {index} {left} = blockIdx.x;"));
        }
        let mut condition = String::new();
        for (a, axis) in kernel.axes.iter().enumerate() {
            let [first, last] = &axis.range;
            let mut here = left.clone();
            if a + 1 < kernel.axes.len() {
                let length = difference(writer, last, first);
                let blocks = writer.namer.fresh(&format!("blocks_{}", AXES[a]));
                let count = match a {
                    0 => format!("{} / FOLD_THREADS + 1", grouped(&length)),
                    _ => format!("{length} + 1"),
                };
                writer.line(&format!("const {index} {blocks} = {count};"));
                here = format!("{left} % {blocks}");
                left = format!("{left} / {blocks}");
            }
            let from = match first {
                Expr::Int(0) => String::new(),
                first => format!("{} + ", writer.operand(first, "+")),
            };
            if has_rows(kernel) && a + 1 == kernel.axes.len() {
                let first = writer.namer.fresh(&self.first(axis));
                writer.line(&format!(
                    "const {index} {first} = {from}{here} * FOLD_ROWS;"
                ));
                return (condition, first);
            }
            let declared = writer.declare(axis.var);
            writer.line(&match (a, one_axis) {
                (0, true) => format!("{declared} = {from}index_x<{index}>();"),
                (0, false) => {
                    format!("{declared} = {from}{here} * FOLD_THREADS + ({index})threadIdx.x;")
                }
                _ => format!("{declared} = {from}{here};"),
            });
            if a == 0 {
                let last = writer.operand(last, "<=");
                condition = format!("{} <= {last}", writer.namer.get(axis.var));
            }
        }
        (condition, String::new())
    }

    /// Launches a kernel that reduces, and those that combine what its blocks have.
    pub(super) fn launch_reducing(
        &self,
        writer: &mut Writer<'_>,
        kernel: &Kernel,
        launch: &Launch,
        args: &str,
    ) {
        let along = |(a, [lo, hi]): (usize, &[Expr; 2])| {
            let length = difference(writer, hi, lo);
            match a {
                0 => format!("({} / FOLD_THREADS + 1LL)", grouped(&length)),
                a if has_rows(kernel) && a + 1 == kernel.axes.len() => {
                    format!("({} / FOLD_ROWS + 1)", grouped(&length))
                }
                _ => format!("({length} + 1)"),
            }
        };
        let n: Vec<String> = launch.ranges.iter().enumerate().map(along).collect();
        let n = n.join(" * ");
        writer.braced("", |writer| {
            let blocks = writer.namer.fresh("n_blocks");
            writer.line(&format!("const long long {blocks} = {n};"));
            let mut names = Vec::new();
            for r in &kernel.reductions {
                let name = writer
                    .namer
                    .fresh(&format!("{}s", self.program.var(r.part).name));
                let fold = self.folds.of(r);
                writer.line(&format!("Parts<{fold}> {name}({blocks}, stream);"));
                names.push(name);
            }
            let memory = |name: &String| format!("{name}.memory");
            let memory: Vec<String> = names.iter().map(memory).collect();
            let (got, list) = (memory.join(" && "), memory.join(", "));
            writer.braced(&format!("if ({got})"), |writer| {
                writer.line(&format!(
                    "{}<<<(unsigned){blocks}, FOLD_THREADS, 0, stream>>>(args{args}, {list});",
                    self.instance(&kernel.name)
                ));
                for (r, name) in kernel.reductions.iter().zip(&names) {
                    let base = self.args.get(r.base);
                    // In terms of the launch.
                    let index = self.index_of_launch(writer, kernel, launch, &r.index);
                    let element = match index.as_str() {
                        "0" => format!("args.{base}"),
                        index => format!("args.{base} + {index}"),
                    };
                    writer.line(&format!("{name}.fold_into({element});"));
                }
            });
        });
    }

    /// An expression in terms of a kernel's parameters, where it is launched.
    fn index_of_launch(
        &self,
        writer: &mut Writer<'_>,
        kernel: &Kernel,
        launch: &Launch,
        index: &Expr,
    ) -> String {
        let scope = writer.namer.scope();
        for (param, arg) in kernel.params.iter().zip(&launch.args) {
            let text = writer.operand(arg, "*");
            writer.namer.set(*param, text);
        }
        let text = writer.operand(index, "+");
        writer.namer.leave(scope);
        text
    }
}

/// Whether a thread takes several iterations of the outermost loop: then they are out of order.
fn has_rows(kernel: &Kernel) -> bool {
    kernel.axes.len() > 1 && kernel.reductions.iter().all(|r| !r.ordered)
}

/// `b - a` as text.
fn difference(writer: &Writer<'_>, b: &Expr, a: &Expr) -> String {
    match (a, b) {
        (Expr::Int(0), b) => writer.operand(b, "-"),
        (Expr::Int(a), Expr::Int(b)) => (b - a).to_string(),
        (a, b) => format!("{} - {}", writer.operand(b, "+"), writer.operand(a, "-")),
    }
}

/// A difference as an operand.
fn grouped(length: &str) -> String {
    match length.contains(' ') {
        true => format!("({length})"),
        false => length.to_string(),
    }
}
