//! Kernels of blocks whose threads work together: shared memory, barriers, exchanges between lanes,
//! and the functions that they call.

use super::{Folds, Printer};
use crate::back::names::Names;
use crate::ctype::CType;
use crate::ir::{Expr, Function, Kernel, LANES, Own, Program, Stmt, Type, VarId, WIDE};
use crate::print::c::Writer;
use crate::print::namer::Namer;
use std::fmt::Write;

/// What the memory that threads of a block share is called.
const SHARED: &str = "shared_memory";

/// How a kernel gets its parameters from text that is not of this module.
pub struct Parameters<'a> {
    /// What stands between the parentheses of the kernel.
    pub list: &'a str,
    /// The value of each parameter.
    pub value: &'a dyn Fn(VarId) -> String,
}

/// The functions and kernels of a program whose kernels are launched by other text. All coordinates
/// are of type `int`. `names` are given away.
pub fn kernels_of_blocks(program: &Program, names: &Names, params: &Parameters<'_>) -> String {
    let mut names = names.clone();
    for function in &program.functions {
        names.fresh(&function.name);
    }
    for name in ["load_wide", "load_constant", "store_wide", SHARED] {
        names.fresh(name);
    }
    let printer = Printer {
        program,
        base: Namer::new(names.clone()),
        args: Namer::new(names.clone()),
        folds: Folds::new(program, str::to_string),
        index: "int",
    };
    let mut text = printer.wide_accesses();
    for function in &program.functions {
        printer.function(&mut text, function);
    }
    for kernel in &program.kernels {
        printer.kernel_of_blocks(&mut text, kernel, params);
    }
    text
}

/// An array of a block, declared as a pointer to rows.
pub(super) struct SharedArray {
    pub var: VarId,
    pub declared: String,
    pub elem: CType,
    pub rows: u32,
    pub len: u32,
}

/// Bytes that an array of the block takes, and those up to the next one.
fn bytes_of(ty: Type) -> u32 {
    match ty {
        Type::Shared { elem, rows, len } => {
            (elem.size() as u32 * rows * len).next_multiple_of(WIDE)
        }
        _ => 0,
    }
}

/// A number of the thread.
pub(super) fn own(own: Own) -> String {
    match own {
        Own::Block => "(int)blockIdx.x".to_string(),
        Own::Thread | Own::Column => "(int)threadIdx.x".to_string(),
        Own::Row => "(int)threadIdx.y".to_string(),
        Own::Layer => "(int)threadIdx.z".to_string(),
        Own::Blocks => "(int)gridDim.x".to_string(),
        Own::Lane => format!("(int)threadIdx.x % {LANES}"),
        Own::Warp => format!("__shfl_sync(~0u, (int)threadIdx.x / {LANES}, 0)"),
    }
}

/// The value of another lane.
pub(super) fn exchange(value: &str, by: i32) -> String {
    let direction = if by < 0 { "up" } else { "down" };
    format!("__shfl_{direction}_sync(~0u, {value}, {})", by.abs())
}

impl Printer<'_> {
    /// A statement of threads that work together.
    pub(super) fn statement_of_block(&self, writer: &mut Writer<'_>, stmt: &Stmt) {
        let line = match stmt {
            Stmt::Barrier => "__syncthreads();".to_string(),
            Stmt::BarrierOfWarp => "__syncwarp();".to_string(),
            Stmt::EndOfGroup => "__pipeline_commit();".to_string(),
            Stmt::Wait(left) => format!("__pipeline_wait_prior({left});"),
            Stmt::Copy { to, from, lanes } => {
                let bytes =
                    (self.program.type_of(from)).map_or(WIDE, |elem| lanes * elem.size() as u32);
                let (to, from) = (writer.expr(to), writer.expr(from));
                format!("__pipeline_memcpy_async(&{to}, &{from}, {bytes});")
            }
            Stmt::Call { function, args } => self.call(writer, function.0 as usize, args),
            _ => return,
        };
        writer.line(&line);
    }

    fn is_flag(&self, param: VarId) -> bool {
        self.program.var(param).ty == Type::Flag
    }

    fn call(&self, writer: &Writer<'_>, function: usize, args: &[Expr]) -> String {
        let function = &self.program.functions[function];
        let both = || function.params.iter().zip(args);
        let given = |flags: bool| {
            let all = both().filter(|(param, _)| self.is_flag(**param) == flags);
            all.map(|(_, arg)| match arg {
                Expr::Int(value) if flags => (*value != 0).to_string(),
                arg => writer.expr(arg),
            })
            .collect::<Vec<_>>()
            .join(", ")
        };
        let flags = match given(true) {
            none if none.is_empty() => none,
            flags => format!("<{flags}>"),
        };
        format!("{}{flags}({});", function.name, given(false))
    }

    fn function(&self, text: &mut String, function: &Function) {
        let mut writer = Writer::new(self.program, self.base.clone(), self);
        let (mut flags, mut params) = (Vec::new(), Vec::new());
        for &param in &function.params {
            let declared = writer.declare(param);
            let name = writer.namer.get(param);
            match self.program.var(param).ty {
                Type::Flag => flags.push(declared),
                Type::Private { elem, rows: 1, len } => {
                    params.push(format!("{elem} (&{name})[{len}]"));
                }
                Type::Private { elem, rows, len } => {
                    params.push(format!("{elem} (&{name})[{rows}][{len}]"));
                }
                _ => params.push(declared),
            }
        }
        writer.stmts(&function.body);
        let template = match flags.is_empty() {
            true => String::new(),
            false => format!("template <{}>\n", flags.join(", ")),
        };
        let _ = write!(
            text,
            "\n// {}\n{template}__device__ __forceinline__ void {}({}) {{\n{}}}\n",
            function.remark,
            function.name,
            params.join(", "),
            writer.finish()
        );
    }

    /// The statements of a kernel, of which `shared` writes the arrays of its block.
    pub(super) fn with_shared(
        &self,
        writer: &mut Writer<'_>,
        kernel: &Kernel,
        shared: &mut dyn FnMut(&mut Writer<'_>, &SharedArray),
    ) {
        for stmt in &kernel.body {
            match stmt {
                Stmt::Let { var, value: None } => {
                    let (var, ty) = (*var, self.program.var(*var).ty);
                    let declared = writer.declare(var);
                    let Type::Shared { elem, rows, len } = ty else {
                        writer.line(&format!("{declared};"));
                        continue;
                    };
                    shared(
                        writer,
                        &SharedArray {
                            var,
                            declared,
                            elem,
                            rows,
                            len,
                        },
                    );
                }
                stmt => writer.stmts(std::slice::from_ref(stmt)),
            }
        }
    }

    fn kernel_of_blocks(&self, text: &mut String, kernel: &Kernel, given: &Parameters<'_>) {
        let Some(block) = kernel.block else {
            return;
        };
        let mut writer = Writer::new(self.program, self.base.clone(), self);
        for &param in &kernel.params {
            let declared = writer.declare(param);
            writer.line(&format!("{declared} = {};", (given.value)(param)));
        }
        let mut offset = 0;
        self.with_shared(&mut writer, kernel, &mut |writer, array| {
            let (declared, elem, len) = (&array.declared, array.elem, array.len);
            if offset == 0 {
                let line = format!("extern __shared__ __align__({WIDE}) unsigned char {SHARED}[];");
                writer.line(&line);
            }
            writer.line(&format!(
                "{declared} = ({elem} (*)[{len}])({SHARED} + {offset});"
            ));
            offset += bytes_of(self.program.var(array.var).ty);
        });
        let _ = write!(
            text,
            "\n// {}\n__global__ void __launch_bounds__({}, {}) {}({}) {{\n{}}}\n",
            kernel.lines,
            block.threads,
            block.resident,
            kernel.name,
            given.list,
            writer.finish()
        );
    }
}
