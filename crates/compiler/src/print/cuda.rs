//! CUDA C++: a namespace with the kernels of a program and a function that launches them.

use super::c::{Dialect, Writer};
use super::namer::Namer;
use crate::back::names::Names;
use crate::ir::{self, Expr, Helper, Kernel, Program, Stmt, Type, VarId};
use std::collections::BTreeSet;
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
];

/// Blocks along an axis, at most.
const MOST_BLOCKS: [&str; ir::verify::MOST_AXES] = ["INT_MAX", "65535", "65535"];

/// The names of axes.
const AXES: [&str; ir::verify::MOST_AXES] = ["x", "y", "z"];

/// The text of a program, and what it calls sizes, scalars and arrays.
pub fn print(program: &Program) -> (String, Names) {
    let mut names = Names::new(FIXED);
    for kernel in &program.kernels {
        names.fresh(&kernel.name);
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
    };
    (printer.text(), names)
}

struct Printer<'a> {
    program: &'a Program,
    /// The names at file scope.
    base: Namer,
    /// Names of the arguments.
    args: Namer,
}

impl Dialect for Printer<'_> {
    fn declaration(&self, ty: Type, constant: bool, name: &str) -> String {
        let qualifier = if constant { "const " } else { "" };
        match ty {
            Type::Number(ty) => format!("{qualifier}{ty} {name}"),
            Type::Private { elem, len } => format!("{elem} {name}[{len}]"),
            Type::Pointer {
                elem,
                written: true,
            } => format!("{elem} *const {name}"),
            Type::Pointer {
                elem,
                written: false,
            } => format!("const {elem} *const __restrict__ {name}"),
        }
    }

    fn spread(&self, writer: &mut Writer<'_>, stmt: &Stmt) {
        let Stmt::Spread {
            var,
            axis,
            range: [first, last],
            body,
        } = stmt
        else {
            return;
        };
        let a = AXES[*axis];
        let from = match first {
            Expr::Int(0) => String::new(),
            first => format!("{} + ", writer.operand(first, "+")),
        };
        let last = writer.operand(last, "<=");
        let scope = writer.namer.scope();
        let name = (writer.namer).define(*var, &self.program.var(*var).name);
        let head = format!(
            "for (long long {name} = {from}(long long)blockIdx.{a} * blockDim.{a} + threadIdx.{a}; {name} <= {last}; {name} += (long long)gridDim.{a} * blockDim.{a})"
        );
        writer.block(&head, body);
        writer.namer.leave(scope);
    }

    fn launch(&self, writer: &mut Writer<'_>, stmt: &Stmt) {
        let Stmt::Launch(launch) = stmt else { return };
        let kernel = &self.program.kernels[launch.kernel.0 as usize];
        let bounds: Vec<String> = launch
            .ranges
            .iter()
            .flatten()
            .map(|e| writer.expr(e))
            .collect();
        let args: String = (launch.args.iter())
            .map(|arg| format!(", {}", writer.expr(arg)))
            .collect();
        let (grid, block) = match kernel.block.as_slice() {
            [] => ("1".to_string(), "1".to_string()),
            threads => {
                let along = |(axis, threads): (usize, &u32)| {
                    let (lo, hi) = (&bounds[2 * axis], &bounds[2 * axis + 1]);
                    format!("blocks({lo}, {hi}, {threads}, {})", MOST_BLOCKS[axis])
                };
                let grid: Vec<String> = threads.iter().enumerate().map(along).collect();
                let block: Vec<String> = threads.iter().map(u32::to_string).collect();
                let dim3 = |parts: &[String]| format!("dim3({})", parts.join(", "));
                (dim3(&grid), dim3(&block))
            }
        };
        writer.line(&format!(
            "{}<<<{grid}, {block}, 0, stream>>>(args{args});",
            kernel.name
        ));
    }
}

impl Printer<'_> {
    fn text(&self) -> String {
        let program = self.program;
        let mut t = String::new();
        for line in &program.comment {
            t.push_str(format!("// {line}").trim_end());
            t.push('\n');
        }
        let _ = writeln!(t, "namespace {} {{\n", program.name);
        t.push_str(&self.helpers());
        t.push_str("\n// Sizes, scalars and device arrays.\nstruct Args {\n");
        for (arg, comment) in program.args.iter().zip(&program.arg_comments) {
            let name = self.args.get(*arg);
            let field = match program.var(*arg).ty {
                Type::Number(ty) => format!("{ty} {name};"),
                Type::Pointer { elem, .. } | Type::Private { elem, .. } => {
                    format!("{elem} *{name};")
                }
            };
            let _ = writeln!(
                t,
                "  {field}{}{comment}",
                if comment.is_empty() { "" } else { " // " }
            );
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
        let bodies = self.program.kernels.iter().map(|k| &k.body);
        for body in bodies.chain([&self.program.host]) {
            ir::visit(body, &mut |stmt| {
                for expr in ir::expressions(stmt) {
                    expr.visit(&mut |e| {
                        if let Expr::Helper(helper, _) = e {
                            called.insert(*helper);
                        }
                    });
                }
            });
        }
        let definition = |helper: &Helper| {
            let (second, value) = match helper {
                Helper::FloorDiv => ("d", "x / d - (x % d < 0)"),
                Helper::Lowest => ("y", "x < y ? x : y"),
                Helper::Highest => ("y", "x > y ? x : y"),
            };
            format!(
                "__host__ __device__ constexpr long long {}(long long x, long long {second}) {{ return {value}; }}\n",
                helper.name()
            )
        };
        called.iter().map(definition).collect()
    }

    fn kernel(&self, t: &mut String, kernel: &Kernel) {
        t.push('\n');
        for line in &kernel.comment {
            let _ = writeln!(t, "// {line}");
        }
        let mut writer = Writer::new(self.program, self.base.clone(), self);
        let params: Vec<String> = (kernel.params.iter())
            .map(|&param| writer.declare(param))
            .collect();
        let params: String = params.iter().map(|p| format!(", {p}")).collect();
        let threads: u32 = kernel.block.iter().product();
        self.arguments(&mut writer, &kernel.body);
        writer.stmts(&kernel.body);
        let _ = writeln!(
            t,
            "__global__ void __launch_bounds__({threads}) {}(const Args args{params}) {{\n{}}}",
            kernel.name,
            writer.finish()
        );
    }

    /// Declares the arguments that a function uses.
    fn arguments(&self, writer: &mut Writer<'_>, body: &[Stmt]) {
        let used = ir::used(body);
        let args: Vec<VarId> = (self.program.args.iter().copied())
            .filter(|arg| used.contains(arg))
            .collect();
        for group in args.chunk_by(|a, b| {
            let ty = |id: &VarId| self.program.var(*id).ty;
            matches!((ty(a), ty(b)), (Type::Number(a), Type::Number(b)) if a == b)
        }) {
            let mut line = String::new();
            for &arg in group {
                let (variable, name) = (self.program.var(arg), self.args.get(arg));
                writer.namer.set(arg, name.clone());
                line = match line.as_str() {
                    "" => format!(
                        "{} = args.{name}",
                        self.declaration(variable.ty, true, &name)
                    ),
                    _ => format!("{line}, {name} = args.{name}"),
                };
            }
            writer.line(&format!("{line};"));
        }
    }

    fn launches(&self, t: &mut String) {
        t.push_str("\n#ifndef __CUDACC_RTC__\n");
        let grids = self.program.kernels.iter().any(|k| !k.block.is_empty());
        if grids {
            t.push_str("// Blocks for the iterations from lo to hi.\ninline unsigned blocks(long long lo, long long hi, int threads, long long most) {\n  return (unsigned)lowest((hi - lo) / threads + 1, most);\n}\n\n");
        }
        t.push_str("// Runs the whole computation on device arrays, in order on a stream.\n");
        t.push_str("inline cudaError_t launch(const Args &args, cudaStream_t stream) {\n");
        let mut writer = Writer::new(self.program, self.base.clone(), self);
        self.arguments(&mut writer, &self.program.host);
        writer.stmts(&self.program.host);
        writer.line("return cudaGetLastError();");
        t.push_str(&writer.finish());
        t.push_str("}\n#endif\n");
    }
}
