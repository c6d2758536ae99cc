//! Kernels in OpenCL C.
//!
//! | C | OpenCL C |
//! |---|---|
//! | `long long`, `unsigned long long` | `long`, `ulong`: 64 bits, and `long long` is reserved |
//! | `signed char`, `unsigned char`, .. | `char`, which is signed, `uchar`, `ushort`, `uint` |
//! | `5ll`, `5ull` | `5l`, `5ul` |
//! | `fabsf(x)`, `fmaxf(x, y)`, .. | `fabs(x)`, `fmax(x, y)`: one name for all types, and arguments have the type |
//! | `abs(x)`, `labs(x)` | `(int)abs(x)`, `(long)abs(x)`: these are unsigned |
//! | `a * b + c` | the same behind `FP_CONTRACT OFF`: by default it may be fused, and PoCL does that |
//! | pointers | `__global` |

use super::tiles::has_tiles;
use crate::back::names::Names;
use crate::ctype::{CType, math_function};
use crate::ir::{
    self, Axis, Expr, Helper, INDEX, Kernel, Launch, Own, Program, Stmt, Type, Unroll, VarId, Wide,
};
use crate::print::c::{ATOM, Dialect, Piece, UNARY, Writer, definition_of};
use crate::print::fold::{CHUNKS, Folds};
use crate::print::host::called;
use crate::print::namer::Namer;
use crate::print::unknown;
use crate::quotient::Fused;
use std::collections::BTreeSet;

/// Bytes of the parts of a reduction, each at most a number of 8 bytes and a state.
pub(super) fn parts_bytes() -> usize {
    16 * CHUNKS
}

/// Words of OpenCL C and names that kernels use.
const FIXED: &[&str] = &[
    "kernel",
    "generic",
    "global",
    "local",
    "constant",
    "read_only",
    "write_only",
    "read_write",
    "half",
    "uchar",
    "ushort",
    "uint",
    "ulong",
    "event_t",
    "sampler_t",
    "pipe",
    "complex",
    "imaginary",
    "ptrdiff_t",
    "intptr_t",
    "uintptr_t",
    "INFINITY",
    "NAN",
    "MAXFLOAT",
    "HUGE_VAL",
    "HUGE_VALF",
    "get_global_id",
    "get_local_id",
    "get_local_size",
    "get_group_id",
    "barrier",
    "isnan",
];

/// The types of which OpenCL C has vectors.
const OF_VECTORS: &[&str] = &[
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half",
    "bool",
];

/// Work-items of a group of a kernel that reduces.
const REDUCING_GROUP: u32 = 32;

/// The kernels of a program.
pub(super) struct Device<'a> {
    program: &'a Program,
    folds: Folds,
    /// No two arrays lie in the same memory.
    own_memory: bool,
    /// The names at file scope.
    base: Namer,
}

impl<'a> Device<'a> {
    /// Those whose names begin with a prefix, where kernels have none of their own.
    pub fn new(program: &'a Program, prefix: &str, own_memory: bool) -> Device<'a> {
        let vectors = OF_VECTORS.iter();
        let vectors = vectors.flat_map(|ty| [2, 3, 4, 8, 16].map(|n| format!("{ty}{n}")));
        let helpers = ["floor_div", "lowest", "highest"].map(|name| format!("hexcc_{name}"));
        let of_c = called(program);
        let builtin = of_c.iter().map(|name| builtin(name).0);
        let kernels = program.kernels.iter().flat_map(names);
        let quotients = program.quotients().into_iter().map(Fused::name);
        let of_quotients = ["fma", "as_uint", "as_ulong"].map(str::to_string);
        let copies = [2, 4].map(copying).map(str::to_string);
        let helpers = helpers
            .into_iter()
            .chain(copies)
            .chain(of_quotients)
            .chain(quotients);
        let all = vectors.chain(helpers).chain(builtin).chain(kernels);
        let mut names = Names::new(FIXED);
        for name in all.chain(of_c.iter().cloned()) {
            names.fresh(&name);
        }
        Device {
            program,
            folds: Folds::prefixed(program, prefix),
            own_memory,
            base: Namer::new(names),
        }
    }

    /// The names of arguments, for what launches kernels.
    pub fn names(&self) -> Namer {
        let mut namer = self.base.clone();
        for &arg in &self.program.args {
            namer.define(arg, &self.program.var(arg).name);
        }
        namer
    }

    /// The text of all kernels.
    pub fn text(&self) -> String {
        let mut text = "// Products and sums are rounded one by one, as in C.\n#pragma OPENCL FP_CONTRACT OFF\n".to_string();
        if self.uses(CType::Double) {
            text.push_str("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
        }
        text.push('\n');
        text.push_str(&self.helpers());
        text.push_str(&self.quotients());
        text.push_str(&self.copies());
        text.push_str(&self.folds.text(self));
        let kernels: Vec<String> = self
            .program
            .kernels
            .iter()
            .map(|k| self.kernel(k))
            .collect();
        text + &kernels.join("\n")
    }

    /// The names of all kernels.
    pub fn kernels(&self) -> impl Iterator<Item = String> {
        self.program.kernels.iter().flat_map(names)
    }

    /// What the device must have, in the words of the host.
    pub fn needs(&self) -> Vec<&'static str> {
        let all = [
            ("HEXCC_FLOAT", self.uses(CType::Float)),
            ("HEXCC_QUOTIENTS", self.divides()),
            ("HEXCC_DOUBLE", self.uses(CType::Double)),
        ];
        let needed = all.into_iter().filter(|(_, needed)| *needed);
        let needed: Vec<&str> = needed.map(|(name, _)| name).collect();
        match needed.is_empty() {
            true => vec!["0"],
            false => needed,
        }
    }

    /// Calls `f` on all expressions of kernels, and those in them.
    fn visit(&self, f: &mut dyn FnMut(&Expr)) {
        for expr in self.program.kernels.iter().flat_map(expressions) {
            expr.visit(f);
        }
    }

    /// Whether kernels compute with numbers of a type.
    fn uses(&self, ty: CType) -> bool {
        let mut found = self.folds.all().any(|(_, of, _)| *of == ty);
        self.visit(&mut |e| found |= self.program.type_of(e) == Some(ty));
        found
    }

    /// Whether they divide numbers of type `float`, or take roots of them.
    fn divides(&self) -> bool {
        let mut found = false;
        self.visit(&mut |e| {
            found |= match e {
                Expr::Binary { op: "/", .. } | Expr::Quotient { .. } => {
                    self.program.type_of(e) == Some(CType::Float)
                }
                Expr::Math { name, .. } => name == "sqrtf",
                _ => false,
            }
        });
        found
    }

    /// The functions that divide by constants.
    fn quotients(&self) -> String {
        let all = self.program.quotients().into_iter().map(Fused::in_opencl);
        let text: String = all.collect();
        if text.is_empty() { text } else { text + "\n" }
    }

    /// The functions of indices that kernels call.
    fn helpers(&self) -> String {
        let mut called = BTreeSet::new();
        self.visit(&mut |e| {
            if let Expr::Helper(helper, _) = e {
                called.insert(*helper);
            }
        });
        let definition = |helper: &Helper| {
            let (second, value) = definition_of(*helper);
            let name = self.helper(*helper);
            format!("static inline long {name}(long x, long {second}) {{ return {value}; }}\n")
        };
        let text: String = called.iter().map(definition).collect();
        if text.is_empty() { text } else { text + "\n" }
    }

    /// What copies neighbouring elements at once, by how many, as far as kernels do.
    fn copies(&self) -> String {
        let mut all = BTreeSet::new();
        for kernel in &self.program.kernels {
            ir::visit(&kernel.body, &mut |stmt| match stmt {
                Stmt::Load(wide) | Stmt::Store(wide) => drop(all.insert(wide.lanes)),
                Stmt::Copy { lanes, .. } if *lanes > 1 => drop(all.insert(*lanes)),
                _ => {}
            });
        }
        let definition = |n: &u32| {
            format!(
                "// {n} neighbouring elements at once.\n#define {}(to, from) vstore{n}(vload{n}(0, from), 0, to)\n\n",
                copying(*n)
            )
        };
        all.iter().map(definition).collect()
    }

    /// The arguments that a kernel uses, in order.
    pub fn arguments(&self, kernel: &Kernel) -> Vec<VarId> {
        let mut used = kernel.used();
        used.extend(ir::used(&expressions(kernel)));
        used.extend(kernel.reductions.iter().map(|r| r.base));
        let all = self.program.args.iter().chain(&kernel.params);
        all.copied().filter(|arg| used.contains(arg)).collect()
    }

    fn kernel(&self, kernel: &Kernel) -> String {
        let mut writer = Writer::new(self.program, self.base.clone(), self);
        let (params, parts) = self.params(&mut writer, kernel);
        let head = match kernel.reductions.is_empty() {
            true if has_tiles(kernel) => {
                self.tile_of_group(&mut writer, kernel);
                kernel.shared_by("work-group", self.program)
            }
            true => {
                self.position(&mut writer, kernel);
                writer.stmts(&kernel.body);
                kernel.shared_by("work-item", self.program)
            }
            false => {
                self.reducing(&mut writer, kernel, &parts);
                format!("{CHUNKS} work-items share the outermost loop")
            }
        };
        let mut text = format!(
            "// {}: {head}.\n__kernel {}void {}({params}) {{\n{}}}\n",
            kernel.lines,
            group_of(kernel),
            kernel.name,
            writer.finish()
        );
        if !kernel.reductions.is_empty() {
            text.push_str(&self.combining(kernel));
        }
        text
    }

    /// The parameters of a kernel, and of these those for the parts of its reductions.
    fn params(&self, writer: &mut Writer<'_>, kernel: &Kernel) -> (String, Vec<String>) {
        let args = self.arguments(kernel);
        let mut params: Vec<String> = args.iter().map(|arg| writer.declare(*arg)).collect();
        let mut parts = Vec::new();
        for r in &kernel.reductions {
            let name = format!("{}s", self.program.var(r.part).name);
            let name = writer.namer.fresh(&name);
            params.push(format!("__global {} *{name}", self.folds.of(r)));
            parts.push(name);
        }
        (params.join(", "), parts)
    }

    /// The iterations of a work-item; one that has none ends.
    fn position(&self, writer: &mut Writer<'_>, kernel: &Kernel) {
        let mut beyond = Vec::new();
        for (a, axis) in kernel.axes.iter().enumerate().rev() {
            let [first, last] = &axis.range;
            let from = from(writer, first);
            let last = writer.operand(last, ">");
            let declared = writer.declare(axis.var);
            writer.line(&format!("{declared} = {from}(long)get_global_id({a});"));
            beyond.push(format!("{} > {last}", writer.namer.get(axis.var)));
        }
        // Others of its group wait for one that has none.
        if !beyond.is_empty() && kernel.block.is_none() {
            writer.line(&format!("if ({}) return;", beyond.join(" || ")));
        }
    }

    /// The tile of a work-group.
    fn tile_of_group(&self, writer: &mut Writer<'_>, kernel: &Kernel) {
        for axis in &kernel.axes {
            let from = from(writer, &axis.range[0]);
            let declared = writer.declare(axis.var);
            writer.line(&format!("{declared} = {from}(long)get_group_id(0);"));
        }
        self.tile(writer, &kernel.body);
    }

    /// What a work-item computes of a kernel that reduces.
    fn reducing(&self, writer: &mut Writer<'_>, kernel: &Kernel, parts: &[String]) {
        let Some((outermost, inner)) = kernel.axes.split_last() else {
            return;
        };
        let [first, last] = &outermost.range;
        let (first, last) = (writer.operand(first, "+"), writer.operand(last, "+"));
        let [first_name, n, chunk] = ["first", "n", "chunk"].map(|name| writer.namer.fresh(name));
        writer.line(&format!(
            "const long {first_name} = {first}, {n} = {last} - {first_name} + 1;"
        ));
        writer.line(&format!("const long {chunk} = (long)get_global_id(0);"));
        let names = (first_name.as_str(), n.as_str(), chunk.as_str());
        let iteration = |writer: &mut Writer<'_>| self.loops(writer, inner, &kernel.body);
        (self.folds).chunk(writer, (self, kernel), names, parts, iteration);
    }

    /// Loops over axes, from the last to the first.
    fn loops(&self, writer: &mut Writer<'_>, axes: &[Axis], body: &[Stmt]) {
        let Some((axis, inner)) = axes.split_last() else {
            return writer.stmts(body);
        };
        let [first, last] = &axis.range;
        let (first, last) = (writer.expr(first), writer.operand(last, "<="));
        let scope = writer.namer.scope();
        let wanted = &self.program.var(axis.var).name;
        let name = writer.namer.define(axis.var, wanted);
        let head = format!("for (long {name} = {first}; {name} <= {last}; ++{name})");
        writer.braced(&head, |writer| self.loops(writer, inner, body));
        writer.namer.leave(scope);
    }

    /// The kernel of one work-item that combines parts.
    fn combining(&self, kernel: &Kernel) -> String {
        let mut writer = Writer::new(self.program, self.base.clone(), self);
        let (params, parts) = self.params(&mut writer, kernel);
        let chunk = writer.namer.fresh("chunk");
        for (r, parts) in kernel.reductions.iter().zip(&parts) {
            self.folds.combine(&mut writer, r, parts, &chunk);
        }
        format!(
            "\n__kernel void {}({params}) {{\n{}}}\n",
            combining(kernel),
            writer.finish()
        )
    }
}

impl Dialect for Device<'_> {
    fn declaration(&self, ty: Type, constant: bool, name: &str) -> String {
        let qualifier = if constant { "const " } else { "" };
        let restrict = if self.own_memory { "restrict " } else { "" };
        match ty {
            Type::Index => format!("{qualifier}long {name}"),
            Type::Number(ty) => format!("{qualifier}{} {name}", self.number(ty)),
            Type::Part(_) => format!("{} {name}", self.folds.of_name(self.program, name)),
            Type::Private { elem, len, .. } => format!("{} {name}[{len}]", self.number(elem)),
            // Rows are gathered: no table of pointers gets here.
            Type::Pointer { elem, written } | Type::Rows { elem, written } => {
                let constant = if written { "" } else { "const " };
                format!("{constant}__global {} *{restrict}{name}", self.number(elem))
            }
            Type::Shared { elem, rows, len } => {
                format!("__local {} {name}[{rows}][{len}]", self.number(elem))
            }
            Type::Flag | Type::OfTiles(_) => unknown(name),
        }
    }

    fn helper(&self, helper: Helper) -> String {
        format!("hexcc_{}", helper.name())
    }

    fn number(&self, ty: CType) -> String {
        match ty {
            CType::Int(1) => "char",
            CType::Int(2) => "short",
            CType::Int(4) => "int",
            CType::Int(_) => "long",
            CType::UInt(1) => "uchar",
            CType::UInt(2) => "ushort",
            CType::UInt(4) => "uint",
            CType::UInt(_) => "ulong",
            CType::Float => "float",
            CType::Double => "double",
        }
        .to_string()
    }

    fn suffix(&self, ty: CType) -> &'static str {
        match ty {
            CType::UInt(8) => "ul",
            CType::Int(8) => "l",
            CType::UInt(_) => "u",
            _ => "",
        }
    }

    fn call(&self, name: &str, args: &str) -> Piece {
        match builtin(name) {
            (name, None) => Piece(format!("{name}({args})"), ATOM),
            (name, Some(ty)) => Piece(format!("({}){name}({args})", self.number(ty)), UNARY),
        }
    }

    fn fold(&self, part: VarId, name: &str, term: &str) -> String {
        self.folds.line(self.program, part, name, term)
    }

    fn before_unrolled(&self, _writer: &Writer<'_>, unroll: Unroll) -> Option<String> {
        (unroll == Unroll::Whole).then(|| "__attribute__((opencl_unroll_hint))".to_string())
    }

    fn wide(&self, wide: &Wide, _stored: bool) -> Option<&'static str> {
        Some(copying(wide.lanes))
    }

    fn own(&self, own: Own) -> String {
        match own {
            Own::Thread | Own::Column => "(long)get_local_id(0)".to_string(),
            Own::Row => "(long)get_local_id(1)".to_string(),
            Own::Layer => "(long)get_local_id(2)".to_string(),
            own => unknown(own.name()),
        }
    }

    /// Copies are there once they are made.
    fn together(&self, writer: &mut Writer<'_>, stmt: &Stmt) {
        let line = match stmt {
            Stmt::Barrier => "barrier(CLK_LOCAL_MEM_FENCE);".to_string(),
            Stmt::Copy { to, from, lanes: 1 } => {
                format!("{} = {};", writer.expr(to), writer.expr(from))
            }
            Stmt::Copy { to, from, lanes } => {
                let (to, from) = (writer.expr(to), writer.expr(from));
                format!("{}(&{to}, &{from});", copying(*lanes))
            }
            Stmt::EndOfGroup | Stmt::Wait(_) => return,
            _ => unknown("a statement of threads that work together"),
        };
        writer.line(&line);
    }

    /// [`ir::verify`] has seen that kernels launch nothing.
    fn launch(&self, _writer: &mut Writer<'_>, _launch: &Launch) {}
}

/// The first iteration, as a term before the number of one.
pub(super) fn from(writer: &Writer<'_>, first: &Expr) -> String {
    match first {
        Expr::Int(0) => String::new(),
        first => format!("{} + ", writer.operand(first, "+")),
    }
}

/// What a function of C is called in OpenCL C, and the type that its value has to be converted to.
fn builtin(name: &str) -> (String, Option<CType>) {
    match name {
        "abs" => ("abs".to_string(), Some(CType::INT)),
        "labs" | "llabs" => ("abs".to_string(), Some(INDEX)),
        name => {
            let of_float = math_function(name).is_some_and(|f| f.arg == CType::Float);
            let plain = name.strip_suffix('f').filter(|_| of_float);
            (plain.unwrap_or(name).to_string(), None)
        }
    }
}

/// What copies so many neighbouring elements is called.
fn copying(lanes: u32) -> &'static str {
    match lanes {
        2 => "hexcc_copy_2",
        _ => "hexcc_copy_4",
    }
}

/// The size that a kernel's groups must have, where work-items share memory.
fn group_of(kernel: &Kernel) -> String {
    if kernel.block.is_none() {
        return String::new();
    }
    let threads = kernel.axes.iter().map(|axis| axis.threads);
    let threads: Vec<String> = (threads.chain([1, 1]).take(3))
        .map(|n| n.to_string())
        .collect();
    let threads = threads.join(", ");
    format!("__attribute__((reqd_work_group_size({threads}))) ")
}

/// The kernel that combines the parts of another one.
pub(super) fn combining(kernel: &Kernel) -> String {
    format!("{}_combine", kernel.name)
}

/// The names of a kernel and of the one that combines its parts.
fn names(kernel: &Kernel) -> Vec<String> {
    let reduces = !kernel.reductions.is_empty();
    let combining = reduces.then(|| combining(kernel));
    [kernel.name.clone()].into_iter().chain(combining).collect()
}

/// The expressions of a kernel and of the one that combines its parts.
fn expressions(kernel: &Kernel) -> Vec<&Expr> {
    let folded = kernel.reductions.iter().map(|r| &r.index);
    kernel.expressions().into_iter().chain(folded).collect()
}

/// Work-items of a group of a kernel along each axis; 0 where each group has a tile, and the device
/// decides.
pub(super) fn groups(kernel: &Kernel) -> Vec<u32> {
    match kernel.axes.as_slice() {
        [] => vec![1],
        _ if !kernel.reductions.is_empty() => vec![REDUCING_GROUP],
        _ if has_tiles(kernel) => vec![0],
        axes => axes.iter().map(|axis| axis.threads).collect(),
    }
}

/// How many work-items, or groups that have a tile each, a launch has along each axis.
pub(super) fn counts(writer: &Writer<'_>, kernel: &Kernel, launch: &Launch) -> Vec<String> {
    match kernel.axes.as_slice() {
        [] => vec!["1".to_string()],
        _ if !kernel.reductions.is_empty() => vec![CHUNKS.to_string()],
        _ => (launch.ranges.iter())
            .map(|[lo, hi]| count(writer, lo, hi))
            .collect(),
    }
}

/// How many iterations a range has.
fn count(writer: &Writer<'_>, lo: &Expr, hi: &Expr) -> String {
    match (lo, hi) {
        (Expr::Int(lo), Expr::Int(hi)) => (hi - lo + 1).to_string(),
        (Expr::Int(0), Expr::Binary { op: "-", lhs, rhs }) if matches!(**rhs, Expr::Int(1)) => {
            writer.expr(lhs)
        }
        (Expr::Int(0), hi) => format!("{} + 1", writer.operand(hi, "+")),
        (Expr::Int(1), hi) => writer.expr(hi),
        (lo, hi) => format!(
            "{} - {} + 1",
            writer.operand(hi, "+"),
            writer.operand(lo, "-")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quotient::Divisions;

    #[test]
    fn functions_have_one_name_for_all_types() {
        for (of_c, name, result) in [
            ("sqrt", "sqrt", None),
            ("sqrtf", "sqrt", None),
            ("fmaf", "fma", None),
            ("erf", "erf", None),
            ("erff", "erf", None),
            ("fminf", "fmin", None),
            ("abs", "abs", Some(CType::INT)),
            ("llabs", "abs", Some(INDEX)),
        ] {
            assert_eq!(builtin(of_c), (name.to_string(), result), "{of_c}");
        }
    }

    #[test]
    fn types_have_the_sizes_of_c() {
        let program = Program {
            divisions: Divisions::Plain,
            name: String::new(),
            vars: Vec::new(),
            args: Vec::new(),
            functions: Vec::new(),
            layout: Default::default(),
            kernels: Vec::new(),
            narrow: None,
            host: Vec::new(),
        };
        let device = Device::new(&program, "", true);
        let name = |ty: CType| device.number(ty) + device.suffix(ty);
        assert_eq!(name(CType::Int(8)), "longl");
        assert_eq!(name(CType::UInt(8)), "ulongul");
        assert_eq!(name(CType::UInt(4)), "uintu");
        assert_eq!(name(CType::Int(1)), "char");
        assert_eq!(device.needs(), ["0"]);
    }
}
