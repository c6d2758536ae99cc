//! CUDA C++: a namespace with the kernels of a program and a function that launches them.

mod blocks;
mod fold;
pub mod tiles;

use super::c::{Dialect, Writer, definition_of};
use super::fold::Folds;
use super::namer::Namer;
use super::unknown;
use crate::back::names::Names;
use crate::ctype::CType;
use crate::ir::{
    self, Axis, Expr, Helper, Kernel, Launch, Own, Program, Stmt, Type, Unroll, VarId, Wide,
};

pub use blocks::{Parameters, kernels_of_blocks};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Names that the text defines at file scope or uses of CUDA.
const FIXED: &[&str] = &[
    "Args",
    "args",
    "launch",
    "stream",
    "blocks",
    "run",
    "hexcc_run",
    "leave",
    "hexcc_leave",
    "floor_div",
    "lowest",
    "highest",
    "dim3",
    "mod",
    "Index",
    "launches",
    "load_wide",
    "load_constant",
    "store_wide",
    "load_2",
    "load_constant_2",
    "store_2",
    "load_4",
    "load_constant_4",
    "store_4",
    "index_x",
    "index_y",
    "index_z",
];

/// Blocks along an axis, at most. Ranges that need more are launched in parts, but along x: what
/// needs more there is refused by CUDA.
const MOST_BLOCKS: [&str; ir::verify::MOST_AXES] = ["UINT_MAX", "65535", "65535"];

/// The names of axes.
const AXES: [&str; ir::verify::MOST_AXES] = ["x", "y", "z"];

/// The text of a program, with comments about it, and what it calls sizes, scalars and arrays.
pub fn print(program: &Program, header: &[String]) -> (String, Names) {
    let mut names = Names::new(FIXED);
    let reduces = program.kernels.iter().any(|k| !k.reductions.is_empty());
    for name in fold::NAMES.iter().filter(|_| reduces) {
        names.fresh(name);
    }
    let folds = Folds::new(program, |name| names.fresh(name));
    for kernel in &program.kernels {
        names.fresh(&kernel.name);
    }
    for quotient in program.quotients() {
        names.fresh(&quotient.name());
    }
    let mut base = Namer::new(names.clone());
    for &arg in &program.args {
        let name = names.user(&program.var(arg).name);
        base.set(arg, name);
    }
    let printer = Printer {
        program,
        base: Namer::new(names.clone()),
        args: base,
        folds,
        index: match program.narrow {
            Some(_) => "Index",
            None => "long long",
        },
    };
    (printer.text(header), names)
}

struct Printer<'a> {
    program: &'a Program,
    /// The names at file scope.
    base: Namer,
    /// Names of the arguments.
    args: Namer,
    /// What folds.
    folds: Folds,
    /// The type of indices: a parameter of templates where it may have 32 bits.
    index: &'static str,
}

impl Dialect for Printer<'_> {
    fn declaration(&self, ty: Type, constant: bool, name: &str) -> String {
        let qualifier = if constant { "const " } else { "" };
        match ty {
            Type::Index => format!("{qualifier}{} {name}", self.index),
            Type::Number(ty) => format!("{qualifier}{ty} {name}"),
            Type::Part(_) => format!("auto {name}"),
            Type::Private { elem, rows, len } => match rows {
                1 => format!("{elem} {name}[{len}]"),
                rows => format!("{elem} {name}[{rows}][{len}]"),
            },
            Type::Shared { elem, len, .. } => format!("{elem} (*const {name})[{len}]"),
            Type::Flag => format!("bool {name}"),
            Type::OfTiles(_) => unknown(name),
            Type::Pointer {
                elem,
                written: true,
            } => format!("{elem} *const {name}"),
            Type::Pointer {
                elem,
                written: false,
            } => format!("const {elem} *const __restrict__ {name}"),
            Type::Rows { elem, written } => {
                let constant = if written { "" } else { "const " };
                format!("{constant}{elem} *const *const __restrict__ {name}")
            }
        }
    }

    fn helper(&self, helper: Helper) -> String {
        match self.index {
            "int" => helper.name().to_string(),
            index => format!("{}<{index}>", helper.name()),
        }
    }

    fn fold(&self, part: VarId, name: &str, term: &str) -> String {
        self.fold_text(part, name, term)
    }

    fn before_unrolled(&self, _writer: &Writer<'_>, unroll: Unroll) -> Option<String> {
        (unroll == Unroll::Whole).then(|| "#pragma unroll".to_string())
    }

    fn wide(&self, wide: &Wide, stored: bool) -> Option<&'static str> {
        let bytes = match self.program.var(wide.own).ty {
            Type::Private { elem, .. } => wide.lanes * elem.size() as u32,
            _ => ir::WIDE,
        };
        let [load, constant, store] = accesses(bytes, wide.lanes);
        Some(match (stored, wide.constant) {
            (true, _) => store,
            (false, true) => constant,
            (false, false) => load,
        })
    }

    fn own(&self, own: Own) -> String {
        blocks::own(own)
    }

    fn exchange(&self, value: &str, by: i32) -> String {
        blocks::exchange(value, by)
    }

    fn together(&self, writer: &mut Writer<'_>, stmt: &Stmt) {
        self.statement_of_block(writer, stmt);
    }

    fn launch(&self, writer: &mut Writer<'_>, launch: &Launch) {
        let kernel = &self.program.kernels[launch.kernel.0 as usize];
        if !kernel.reductions.is_empty() {
            let args = launch
                .args
                .iter()
                .map(|arg| format!(", {}", writer.expr(arg)));
            let args: String = args.collect();
            return self.launch_reducing(writer, kernel, launch, &args);
        }
        let scope = writer.namer.scope();
        let (mut grid, mut block) = (Vec::new(), Vec::new());
        let (mut heads, mut firsts) = (Vec::new(), Vec::new());
        for (a, (axis, [lo, hi])) in kernel.axes.iter().zip(&launch.ranges).enumerate() {
            let (mut lo, threads, most) = (writer.expr(lo), axis.threads, MOST_BLOCKS[a]);
            if a > 0 {
                let name = writer.namer.fresh(&self.first(axis));
                heads.push(format!(
                    "for ({index} {name} = {lo}; {name} <= {}; {name} += {most} * {threads})",
                    writer.operand(hi, "<="),
                    index = self.index
                ));
                firsts.push(format!(", {name}"));
                lo = name;
            }
            grid.push(format!(
                "blocks({lo}, {}, {threads}, {most})",
                writer.expr(hi)
            ));
            block.push(threads.to_string());
        }
        let dim3 = |parts: Vec<String>| match parts.is_empty() {
            true => "1".to_string(),
            false => format!("dim3({})", parts.join(", ")),
        };
        let args: String = (launch.args.iter())
            .map(|arg| format!(", {}", writer.expr(arg)))
            .collect();
        let line = format!(
            "{}<<<{}, {}, 0, stream>>>(args{args}{});",
            self.instance(&kernel.name),
            dim3(grid),
            dim3(block),
            firsts.concat()
        );
        heads.reverse();
        writer.nested(&heads, &line);
        writer.namer.leave(scope);
    }
}

impl Printer<'_> {
    fn text(&self, header: &[String]) -> String {
        let program = self.program;
        let mut t = String::new();
        for line in header {
            t.push_str(format!("// {line}").trim_end());
            t.push('\n');
        }
        let _ = writeln!(t, "namespace {} {{\n", program.name);
        t.push_str(&self.helpers());
        t.push_str(&fold::text(&self.folds));
        t.push_str(&self.wide_accesses());
        for quotient in self.program.quotients() {
            let _ = write!(t, "\n{}", quotient.in_cuda());
        }
        t.push_str("\n// Sizes, scalars and device arrays.\nstruct Args {\n");
        for arg in &program.args {
            let name = self.args.get(*arg);
            let field = match program.var(*arg).ty {
                Type::Index => format!("long long {name};"),
                Type::Number(ty) => format!("{ty} {name};"),
                Type::Pointer { elem, .. } | Type::Private { elem, .. } | Type::Part(elem) => {
                    format!("{elem} *{name};")
                }
                Type::Rows { elem, .. } => format!("{elem} **{name};"),
                Type::Shared { .. } | Type::Flag | Type::OfTiles(_) => unknown(name),
            };
            let _ = writeln!(t, "  {field}");
        }
        t.push_str("};\n");
        for kernel in &program.kernels {
            self.kernel(&mut t, kernel);
        }
        self.launches(&mut t);
        let _ = writeln!(t, "\n}} // namespace {}", program.name);
        t
    }

    /// The helpers that the program calls, and those that launches need.
    fn helpers(&self) -> String {
        let mut called = BTreeSet::from([Helper::Lowest]);
        let mut look = |e: &Expr| {
            if let Expr::Helper(helper, _) = e {
                called.insert(*helper);
            }
        };
        let mut all = ir::expressions_in(&self.program.host);
        all.extend(self.program.kernels.iter().flat_map(Kernel::expressions));
        for expr in all {
            expr.visit(&mut look);
        }
        if let Some(narrow) = &self.program.narrow {
            narrow.visit(&mut look);
        }
        let definition = |helper: &Helper| {
            let (second, value) = definition_of(*helper);
            format!(
                "template <typename Index> __host__ __device__ constexpr Index {}(Index x, Index {second}) {{ return {value}; }}\n",
                helper.name()
            )
        };
        let axes = self.program.kernels.iter().map(|k| k.axes.len()).max();
        let threads = AXES.iter().take(axes.unwrap_or(0)).map(|a| {
            format!(
                "template <typename Index> __device__ Index index_{a}() {{ return (Index)blockIdx.{a} * (Index)blockDim.{a} + (Index)threadIdx.{a}; }}\n"
            )
        });
        let threads: String = threads.collect();
        let comment = match threads.is_empty() {
            true => "",
            false => "// The number of a thread along an axis of the grid.\n",
        };
        called.iter().map(definition).collect::<String>() + comment + &threads
    }

    /// What loads and stores neighbouring elements at once, as far as kernels do.
    fn wide_accesses(&self) -> String {
        let bodies = (self.program.kernels.iter().map(|k| &k.body))
            .chain(self.program.functions.iter().map(|f| &f.body));
        let mut types = BTreeMap::new();
        for wide in bodies.flat_map(|body| ir::wide_in(body)) {
            if let Type::Private { elem, .. } = self.program.var(wide.own).ty {
                types.insert((elem.to_string(), wide.lanes), elem);
            }
        }
        let mut text = String::new();
        for ((ty, lanes), elem) in types {
            let part = |lane: u32| ["x", "y", "z", "w"][lane as usize % 4];
            let all = |f: &dyn Fn(u32) -> String, join: &str| {
                (0..lanes).map(f).collect::<Vec<_>>().join(join)
            };
            let taken = all(&|lane| format!("to[{lane}] = all.{}", part(lane)), ", ");
            let given = all(&|lane| format!("from[{lane}]"), ", ");
            let wide = format!("{}{lanes}", vector_of(elem));
            let bytes = lanes * elem.size() as u32;
            let [load, constant, store] = accesses(bytes, lanes);
            let _ = write!(
                text,
                "\n// {lanes} neighbouring elements at once, which begin at a multiple of {bytes} bytes; constant ones are written by no thread of the launch.\n\
                 __device__ inline void {load}({ty} *to, const {ty} *from) {{ const {wide} all = *(const {wide} *)from; {taken}; }}\n\
                 __device__ inline void {constant}({ty} *to, const {ty} *from) {{ const {wide} all = __ldg((const {wide} *)from); {taken}; }}\n\
                 __device__ inline void {store}({ty} *to, const {ty} *from) {{ *({wide} *)to = make_{wide}({given}); }}\n"
            );
        }
        text
    }

    /// What a function that may be a template is called by.
    fn instance(&self, name: &str) -> String {
        match self.program.narrow {
            Some(_) => format!("{name}<Index>"),
            None => name.to_string(),
        }
    }

    /// The line before a function that may be a template.
    fn template(&self) -> &'static str {
        match self.program.narrow {
            Some(_) => "template <typename Index>\n",
            None => "",
        }
    }

    fn kernel(&self, t: &mut String, kernel: &Kernel) {
        t.push('\n');
        let threads = kernel.shared_by("thread", self.program);
        let _ = writeln!(t, "// {}: {threads}.", kernel.lines);
        let mut writer = Writer::new(self.program, self.base.clone(), self);
        let params: Vec<String> = (kernel.params.iter())
            .map(|&param| writer.declare(param))
            .collect();
        let params: String = params.iter().map(|p| format!(", {p}")).collect();
        let parts = self.part_params(&mut writer, kernel);
        let later = kernel.axes.iter().skip(match parts.is_empty() {
            true => 1,
            false => kernel.axes.len(),
        });
        let firsts: Vec<String> = later
            .map(|axis| writer.namer.fresh(&self.first(axis)))
            .collect();
        let extra = firsts
            .iter()
            .map(|first| format!(", const {} {first}", self.index));
        let extra: String = extra
            .chain(parts.iter().map(|(param, _)| param.clone()))
            .collect();
        let threads: u32 = kernel.axes.iter().map(|axis| axis.threads).product();
        let written = parts.is_empty().then(|| ir::written_in(&kernel.body));
        self.arguments(&mut writer, &kernel.used(), written.as_ref());
        match parts.is_empty() {
            true => {
                self.position(&mut writer, kernel, &firsts);
                self.body(&mut writer, kernel);
            }
            false => self.reducing(&mut writer, kernel, &parts),
        }
        let _ = writeln!(
            t,
            "{}__global__ void __launch_bounds__({threads}) {}(const Args args{params}{extra}) {{\n{}}}",
            self.template(),
            kernel.name,
            writer.finish()
        );
    }

    /// What the first iteration of a launch along an axis is called.
    fn first(&self, axis: &Axis) -> String {
        format!("{}_first", self.program.var(axis.var).name)
    }

    /// What a thread does; arrays of its block have as many elements as they are declared with.
    fn body(&self, writer: &mut Writer<'_>, kernel: &Kernel) {
        self.with_shared(writer, kernel, &mut |writer, array| {
            let (elem, rows, len) = (array.elem, array.rows, array.len);
            let name = writer.namer.get(array.var);
            writer.line(&format!(
                "__shared__ __align__({}) {elem} {name}[{rows}][{len}];",
                ir::WIDE
            ));
        });
    }

    /// The iterations of a thread; one that has none ends, unless others of its block wait for it. `firsts`
    /// are of all axes but the first.
    fn position(&self, writer: &mut Writer<'_>, kernel: &Kernel, firsts: &[String]) {
        let mut beyond = Vec::new();
        for (a, axis) in kernel.axes.iter().enumerate().rev() {
            let [first, last] = &axis.range;
            let from = match (a.checked_sub(1).and_then(|i| firsts.get(i)), first) {
                (Some(name), _) => format!("{name} + "),
                (None, Expr::Int(0)) => String::new(),
                (None, first) => format!("{} + ", writer.operand(first, "+")),
            };
            let last = writer.operand(last, ">");
            let declared = writer.declare(axis.var);
            writer.line(&format!(
                "{declared} = {from}index_{}<{}>();",
                AXES[a], self.index
            ));
            beyond.push(format!("{} > {last}", writer.namer.get(axis.var)));
        }
        if !beyond.is_empty() && kernel.block.is_none() {
            writer.line(&format!("if ({}) return;", beyond.join(" || ")));
        }
    }

    /// Declares the arguments that a function uses, of which it writes behind some, if that is known.
    fn arguments(
        &self,
        writer: &mut Writer<'_>,
        used: &BTreeSet<VarId>,
        written: Option<&BTreeSet<VarId>>,
    ) {
        let writes = |arg| written.is_none_or(|written| written.contains(&arg));
        let args: Vec<VarId> = (self.program.args.iter().copied())
            .filter(|arg| used.contains(arg))
            .collect();
        for group in args.chunk_by(|a, b| {
            let ty = |id: &VarId| self.program.var(*id).ty;
            ty(a) == ty(b) && matches!(ty(a), Type::Index | Type::Number(_))
        }) {
            let mut line = String::new();
            for &arg in group {
                let (variable, name) = (self.program.var(arg), self.args.get(arg));
                writer.namer.set(arg, name.clone());
                let value = match variable.ty {
                    Type::Index if self.program.narrow.is_some() => format!("(Index)args.{name}"),
                    _ => format!("args.{name}"),
                };
                let ty = match variable.ty {
                    Type::Pointer { elem, written } => Type::Pointer {
                        elem,
                        written: written && writes(arg),
                    },
                    ty => ty,
                };
                line = match line.as_str() {
                    "" => format!("{} = {value}", self.declaration(ty, true, &name)),
                    _ => format!("{line}, {name} = {value}"),
                };
            }
            writer.line(&format!("{line};"));
        }
    }

    /// The condition for indices of 32 bits, and the sizes that it uses, in 64.
    fn narrow(&self, condition: &Expr) -> (String, String) {
        let wide = Printer {
            program: self.program,
            base: self.base.clone(),
            args: self.args.clone(),
            folds: Folds::new(self.program, str::to_string),
            index: "long long",
        };
        let mut writer = Writer::new(self.program, self.base.clone(), &wide);
        let mut used = BTreeSet::new();
        condition.visit(&mut |e| {
            if let Expr::Var(id) = e {
                used.insert(*id);
            }
        });
        let mut names = Vec::new();
        for &arg in self.program.args.iter().filter(|arg| used.contains(arg)) {
            let name = self.args.get(arg);
            writer.namer.set(arg, name.clone());
            names.push(format!("{name} = args.{name}"));
        }
        if !names.is_empty() {
            writer.line(&format!("const long long {};", names.join(", ")));
        }
        let condition = writer.expr(condition);
        (writer.finish(), condition)
    }

    fn launches(&self, t: &mut String) {
        t.push_str("\n#ifndef __CUDACC_RTC__\n");
        let has_grid = |k: &Kernel| !k.axes.is_empty() && k.reductions.is_empty();
        let grids = self.program.kernels.iter().any(has_grid);
        if grids {
            t.push_str("// Blocks for the iterations from lo to hi, as far as a launch can have them.\ninline unsigned blocks(long long lo, long long hi, int threads, long long most) {\n  return (unsigned)lowest<long long>((hi - lo) / threads + 1, most);\n}\n\n");
        }
        if !self.folds.is_empty() {
            t.push_str(fold::HOST);
        }
        let whole = "// Runs the whole computation on device arrays, in order on a stream.\n";
        let mut writer = Writer::new(self.program, self.base.clone(), self);
        let mut used = ir::expressions_in(&self.program.host);
        // Launches say which elements are folded into.
        let reductions = self.program.kernels.iter().flat_map(|k| &k.reductions);
        used.extend(reductions.map(|r| &r.index));
        self.arguments(&mut writer, &ir::used(&used), None);
        writer.stmts(&self.program.host);
        let launches = writer.finish();
        match &self.program.narrow {
            None => {
                let _ = writeln!(
                    t,
                    "{whole}inline cudaError_t launch(const Args &args, cudaStream_t stream) {{\n{launches}  return cudaGetLastError();"
                );
            }
            Some(narrow) => {
                let (sizes, condition) = self.narrow(narrow);
                let _ = writeln!(
                    t,
                    "template <typename Index> void launches(const Args &args, cudaStream_t stream) {{\n{launches}}}\n\n\
                     {whole}// Indices have 32 bits where these suffice.\n\
                     inline cudaError_t launch(const Args &args, cudaStream_t stream) {{\n{sizes}  if ({condition})\n    launches<int>(args, stream);\n  else\n    launches<long long>(args, stream);\n  return cudaGetLastError();"
                );
            }
        }
        t.push_str("}\n#endif\n");
    }
}

/// The functions that load neighbours, load those that no thread writes, and store them: by their number, but for those that have
/// [`ir::WIDE`] bytes.
fn accesses(bytes: u32, lanes: u32) -> [&'static str; 3] {
    match (bytes, lanes) {
        (ir::WIDE, _) => ["load_wide", "load_constant", "store_wide"],
        (_, 2) => ["load_2", "load_constant_2", "store_2"],
        _ => ["load_4", "load_constant_4", "store_4"],
    }
}

/// What CUDA's vectors of a type begin with.
fn vector_of(elem: CType) -> &'static str {
    match elem {
        CType::Int(1) => "char",
        CType::Int(2) => "short",
        CType::Int(4) => "int",
        CType::Int(_) => "longlong",
        CType::UInt(1) => "uchar",
        CType::UInt(2) => "ushort",
        CType::UInt(4) => "uint",
        CType::UInt(_) => "ulonglong",
        CType::Float => "float",
        CType::Double => "double",
    }
}
