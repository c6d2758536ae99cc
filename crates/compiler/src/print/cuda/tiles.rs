//! Kernels of hybrid tiles: what names constants and tables, one function that executes a tile, functions that keep
//! kinds of tiles apart, the kernel, and the host function that launches it.

mod library;

use crate::back::names::Names;
use crate::ir::{
    self, Constants, Definition, Expr, Function, Helper, Inline, Kernel, KernelId, Launch, OfTiles,
    Outcome, Own, Pointer, Program, Stmt, Type, Unroll, VarId, WIDE,
};
use crate::kernel::Stencil;
use crate::print::c::{ATOM, Dialect, Piece, UNARY, Writer};
use crate::print::namer::Namer;
use crate::print::unknown;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What the memory that threads of a block share is called.
const SHARED: &str = "shared_memory";

/// Names at file scope and in all functions.
const FIXED: &[&str] = &[
    "Args", "args", "wave", "launch", "stream", "error", SHARED, "tx", "ty", "thread",
];

/// Names that the text uses; names of the program that clash get a `_`.
const AVOIDED: &[&str] = &[
    "ROWS",
    "OUTER",
    "INNER",
    "LENGTH",
    "BYTES",
    "LANES",
    "STEP",
    "PLANES",
    "COUNT",
    "STRIDE",
    "Element",
    "HEX_H",
    "K",
    "PITCH",
    "DRIFT",
    "SHIFT",
    "B_MIN",
    "B_MAX",
    "BLOCK_X",
    "BLOCK_Y",
    "THREADS",
    "LAG",
    "SHARED_BYTES",
    "row_lo",
    "row_hi",
    "Args",
    "Wave",
    "args",
    "wave",
    "tile",
    "kernel",
    "launch",
    "a",
    "tx",
    "ty",
    "thread",
    "row",
    "relative",
    "copy_box",
    "copy_inside",
    "copy_out",
    "copy_out_ring",
    "copy_ring",
    "wrap",
    "copy",
    "move_rows",
    "partial_tile",
    "last_tile",
    "full_here",
    "full_next",
    "Reused",
    "reuse",
    "n",
    "c",
    "p",
    "p_lo",
    "p_hi",
    "p_last",
    "p_first",
    "n_hexagons",
    "n_blocks",
    "index",
    "bytes",
    "t_in",
    "value",
    "target",
    "shared_memory",
    "Full",
    "floor_div",
    "mod",
    "lowest",
    "highest",
    "full",
    "stream",
    "phase",
    "first",
    "last",
    "origin",
    "u0",
    "u_lo",
    "u_hi",
    "a_first",
    "a_end",
    "grid",
    "error",
    "s",
];

/// The namer with everything in `Args` named.
pub fn argument_names(stencil: &Stencil) -> Names {
    Names::of_stencil(AVOIDED, stencil)
}

/// The namespace with the kernel and the function `launch`; `names` are those of the arguments.
pub fn print(program: &Program, names: &Names, header: &[String], launch: &str) -> String {
    let mut base = Names::new(FIXED);
    for name in library::NAMES {
        base.fresh(name);
    }
    let mut fields = Namer::new(names.clone());
    for &arg in &program.args {
        let name = field(program, names, arg);
        base.fresh(&name);
        fields.set(arg, name);
    }
    let functions = program.functions.iter().map(|f| &f.name);
    for name in functions.chain(program.kernels.iter().map(|k| &k.name)) {
        base.fresh(name);
    }
    for name in called(program) {
        base.fresh(&name);
    }
    let mut base = Namer::new(base);
    let constants = program
        .layout
        .constants
        .iter()
        .flat_map(|line| &line.values);
    let tables = program.layout.tables.iter().map(|table| table.var);
    for var in constants.map(|(var, _)| *var).chain(tables) {
        base.define(var, &program.var(var).name);
    }
    let printer = Printer {
        program,
        base,
        fields,
        given: "args".to_string(),
        launch: launch.to_string(),
    };
    printer.text(header)
}

/// The functions of the program that cells call.
fn called(program: &Program) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = program.quotients().iter().map(|q| q.name()).collect();
    for expr in program
        .functions
        .iter()
        .flat_map(|f| ir::expressions_in(&f.body))
    {
        expr.visit(&mut |e| {
            if let Expr::Cell { name, .. } | Expr::Math { name, .. } = e {
                names.insert(name.clone());
            }
        });
    }
    names
}

/// The members of the record of a kernel, in the order of its parameters. An iterator may be called `u`,
/// as logical time is.
fn members(program: &Program, kernel: &Kernel) -> Vec<String> {
    let mut names = Names::plain();
    let wanted = kernel.params.iter().map(|id| &program.var(*id).name);
    wanted.map(|name| names.fresh(name)).collect()
}

/// The name of an argument.
fn field(program: &Program, names: &Names, arg: VarId) -> String {
    let mut pitches = program.layout.pitches.iter();
    match pitches.find(|(_, pitch)| **pitch == arg) {
        Some((array, _)) => format!("{}_pitch", names.get(&program.var(*array).name)),
        None => names.get(&program.var(arg).name),
    }
}

#[derive(Clone)]
struct Printer<'a> {
    program: &'a Program,
    /// The names at file scope.
    base: Namer,
    /// Names of the arguments.
    fields: Namer,
    /// What functions get that take all arguments.
    given: String,
    /// The function that launches the kernel.
    launch: String,
}

impl Dialect for Printer<'_> {
    fn declaration(&self, ty: Type, constant: bool, name: &str) -> String {
        let qualifier = if constant { "const " } else { "" };
        match ty {
            Type::Index => format!("{qualifier}long long {name}"),
            Type::Number(ty) => format!("{qualifier}{ty} {name}"),
            Type::Flag => format!("bool {name}"),
            Type::Pointer { elem, written } => {
                let of_elements = if written { "" } else { "const " };
                format!("{of_elements}{elem} *const {name}")
            }
            Type::OfTiles(OfTiles::Truth) => format!("{qualifier}bool {name}"),
            Type::OfTiles(OfTiles::Locator { .. } | OfTiles::Condition) => {
                format!("const auto {name}")
            }
            Type::OfTiles(OfTiles::Box(number)) => self.shared_box(number, name),
            Type::OfTiles(OfTiles::Table(elem)) => format!("{qualifier}{elem} {name}[]"),
            Type::Rows { .. } | Type::Part(_) | Type::Private { .. } | Type::Shared { .. } => {
                unknown(name)
            }
        }
    }

    fn helper(&self, helper: Helper) -> String {
        helper.name().to_string()
    }

    fn fold(&self, _part: VarId, name: &str, _term: &str) -> String {
        unknown(name)
    }

    fn before_unrolled(&self, writer: &Writer<'_>, unroll: Unroll) -> Option<String> {
        Some(match unroll {
            Unroll::Free => return None,
            Unroll::Whole => "#pragma unroll".to_string(),
            Unroll::Never => "#pragma unroll 1".to_string(),
            Unroll::Where(flag, times) => {
                format!("#pragma unroll ({} ? {times} : 1)", writer.namer.get(flag))
            }
        })
    }

    fn joins_branches(&self) -> bool {
        true
    }

    fn own(&self, own: Own) -> String {
        let name = match own {
            Own::Column => "tx",
            Own::Row => "ty",
            Own::Thread => "thread",
            Own::Block => "blockIdx.x",
            Own::Blocks => "gridDim.x",
            Own::Layer | Own::Warp | Own::Lane => return unknown("a number of a warp"),
        };
        name.to_string()
    }

    fn jump(&self, stmt: &Stmt) -> String {
        let to = match stmt {
            Stmt::Return(Outcome::Done) => "return cudaSuccess;",
            Stmt::Return(Outcome::Misaligned) => "return cudaErrorMisalignedAddress;",
            _ => "continue;",
        };
        to.to_string()
    }

    fn of_tiles(&self, writer: &Writer<'_>, expr: &Expr) -> Piece {
        match expr {
            Expr::Behind { pointer, index } => {
                let place = self.pointer(writer, pointer);
                match index {
                    None => Piece(format!("*{}", place.at(ATOM)), UNARY),
                    Some(index) => {
                        Piece(format!("{}[{}]", place.at(ATOM), writer.expr(index)), ATOM)
                    }
                }
            }
            Expr::Item { base, subscripts } => {
                let subscripts = subscripts.iter().map(|s| format!("[{}]", writer.expr(s)));
                Piece(
                    writer.namer.get(*base) + &subscripts.collect::<String>(),
                    ATOM,
                )
            }
            Expr::Wrapped { size, index } => {
                Piece(format!("wrap<{size}>({})", writer.expr(index)), ATOM)
            }
            Expr::Holds { condition, args } => {
                let name = writer.namer.get(*condition);
                Piece(format!("{name}({})", writer.list(args)), ATOM)
            }
            _ => Piece(unknown("an expression"), ATOM),
        }
    }

    fn together(&self, writer: &mut Writer<'_>, stmt: &Stmt) {
        let line = match stmt {
            Stmt::Barrier => "__syncthreads();".to_string(),
            Stmt::EndOfGroup => "__pipeline_commit();".to_string(),
            Stmt::Wait(left) => format!("__pipeline_wait_prior({left});"),
            Stmt::Call { function, args } => self.call(writer, function.0 as usize, args),
            Stmt::Define { var, definition } => self.definition(writer, *var, definition),
            Stmt::CopyBox(copy) => self.copy_box(writer, copy),
            Stmt::MoveRows(moved) => format!(
                "move_rows<{}, {}, {}, {}>({}, thread);",
                moved.count,
                moved.bytes,
                moved.stride,
                moved.width,
                writer.namer.get(moved.shared)
            ),
            Stmt::Reserve(KernelId(kernel)) => return self.reserve(writer, *kernel as usize),
            _ => unknown("a statement"),
        };
        writer.line(&line);
    }

    fn launch(&self, writer: &mut Writer<'_>, launch: &Launch) {
        let kernel = &self.program.kernels[launch.kernel.0 as usize];
        let (Some(launching), Some(blocks)) = (&kernel.launching, &launch.blocks) else {
            return writer.line(&unknown("a launch"));
        };
        let [columns, rows, _] = launching.threads.map(|id| writer.namer.get(id));
        let line = format!(
            "{}<<<{}, dim3({columns}, {rows}), {}, stream>>>(args, {}{{{}}});",
            kernel.name,
            writer.expr(blocks),
            writer.namer.get(launching.bytes),
            launching.record,
            writer.list(&launch.args)
        );
        writer.line(&line);
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
        let [arithmetic, device] = library::of(program);
        t.push_str(&arithmetic);
        let writer = Writer::new(program, self.base.clone(), self);
        for line in &program.layout.constants {
            t.push_str(&self.constants(&writer, line));
        }
        t.push('\n');
        t.push_str(&device);
        self.tables(&mut t);
        self.arguments_struct(&mut t);
        for kernel in &program.kernels {
            self.record(&mut t, kernel);
        }
        for function in &program.functions {
            self.function(&mut t, function);
        }
        for kernel in &program.kernels {
            self.kernel(&mut t, kernel);
        }
        self.host(&mut t);
        let _ = writeln!(t, "}} // namespace {}", program.name);
        t
    }

    fn constants(&self, writer: &Writer<'_>, line: &Constants) -> String {
        let values: Vec<String> = (line.values.iter())
            .map(|(var, value)| format!("{} = {}", self.base.get(*var), writer.expr(value)))
            .collect();
        let remark = match line.remark.as_str() {
            "" => String::new(),
            remark => format!(" // {remark}"),
        };
        format!("constexpr int {};{remark}\n", values.join(", "))
    }

    fn tables(&self, t: &mut String) {
        for table in &self.program.layout.tables {
            if !table.remark.is_empty() {
                let _ = writeln!(t, "// {}", table.remark);
            }
            let Type::OfTiles(OfTiles::Table(elem)) = self.program.var(table.var).ty else {
                continue;
            };
            let head = format!(
                "__device__ constexpr {elem} {}[] =",
                self.base.get(table.var)
            );
            let values: Vec<String> = table.values.iter().map(ToString::to_string).collect();
            let one = format!("{head} {{{}}};", values.join(", "));
            if one.len() <= 110 {
                let _ = writeln!(t, "{one}");
                continue;
            }
            let _ = writeln!(t, "{head} {{");
            for chunk in values.chunks(24) {
                let _ = writeln!(t, "  {},", chunk.join(", "));
            }
            t.push_str("};\n");
        }
        t.push('\n');
    }

    /// Neighbouring arguments of one type that is no pointer.
    fn groups<'v>(&self, args: &'v [VarId]) -> impl Iterator<Item = &'v [VarId]> {
        let ty = |id: &VarId| self.program.var(*id).ty;
        args.chunk_by(move |a, b| ty(a) == ty(b) && matches!(ty(a), Type::Index | Type::Number(_)))
    }

    fn arguments_struct(&self, t: &mut String) {
        let layout = &self.program.layout;
        t.push_str("// Sizes, scalars and device arrays.\nstruct Args {\n");
        let mut sizes = Writer::new(self.program, self.base.clone(), self);
        for &arg in &self.program.args {
            sizes.namer.set(arg, self.fields.get(arg));
        }
        for group in self.groups(&self.program.args) {
            let names: Vec<String> = group.iter().map(|arg| self.fields.get(*arg)).collect();
            let names = names.join(", ");
            let remark = match layout.extents.get(&group[0]) {
                Some(extents) => {
                    let extents = extents.iter().map(|e| format!("[{}]", sizes.expr(e)));
                    format!(" // {}", extents.collect::<String>())
                }
                None => String::new(),
            };
            let pitched = layout.pitches.iter().find(|(_, pitch)| **pitch == group[0]);
            let remark = match pitched {
                Some((array, _)) => format!(
                    " // bytes from row to row of {}, a multiple of {WIDE}",
                    self.fields.get(*array)
                ),
                None => remark,
            };
            let _ = writeln!(t, "  {};{remark}", self.member(group[0], &names));
        }
        t.push_str("};\n\n");
    }

    /// A member of `Args` without `const`.
    fn member(&self, arg: VarId, name: &str) -> String {
        match self.program.var(arg).ty {
            Type::Pointer { elem, written } => {
                let of_elements = if written { "" } else { "const " };
                format!("{of_elements}{elem} *{name}")
            }
            ty => self.declaration(ty, false, name),
        }
    }

    fn record(&self, t: &mut String, kernel: &Kernel) {
        let Some(launching) = &kernel.launching else {
            return;
        };
        let _ = writeln!(t, "// {}\nstruct {} {{", launching.remark, launching.record);
        let members = members(self.program, kernel);
        let mut rest = members.as_slice();
        for (n, remark) in &launching.lines {
            let (line, others) = rest.split_at((*n).min(rest.len()));
            rest = others;
            let remark = match remark.as_str() {
                "" => String::new(),
                remark => format!(" // {remark}"),
            };
            let _ = writeln!(t, "  long long {};{remark}", line.join(", "));
        }
        t.push_str("};\n\n");
    }

    /// The numbers of threads and the arguments that a function uses.
    fn used(&self, writer: &mut Writer<'_>, body: &[Stmt], by_value: bool) {
        let mut own = Vec::new();
        for expr in ir::expressions_in(body) {
            expr.visit(&mut |e| {
                if let Expr::Own(number) = e {
                    own.push(*number);
                }
            });
        }
        ir::visit(body, &mut |stmt| {
            if matches!(stmt, Stmt::CopyBox(_) | Stmt::MoveRows(_)) {
                own.push(Own::Thread);
            }
        });
        for (number, line) in [
            (Own::Column, "const int tx = threadIdx.x;"),
            (Own::Row, "const int ty = threadIdx.y;"),
            (
                Own::Thread,
                "const int thread = threadIdx.y * BLOCK_X + threadIdx.x;",
            ),
        ] {
            if own.contains(&number) {
                writer.line(line);
            }
        }
        let used = ir::used_in(body);
        let args: Vec<VarId> = (self.program.args.iter().copied())
            .filter(|arg| used.contains(arg))
            .collect();
        for &arg in &args {
            writer.namer.set(arg, self.fields.get(arg));
        }
        for group in self.groups(&args).filter(|_| !by_value) {
            let names = group.iter().map(|arg| self.fields.get(*arg));
            let values: Vec<String> = names.map(|n| format!("{n} = args.{n}")).collect();
            let declared =
                self.declaration(self.program.var(group[0]).ty, true, &values.join(", "));
            writer.line(&format!("{declared};"));
        }
    }

    /// The address of a function's first box, and how it is seen.
    fn shared_box(&self, number: u32, name: &str) -> String {
        let Some(shared) = self.program.layout.boxes.get(number as usize) else {
            return unknown(name);
        };
        let inner = shared.sizes.iter().skip(1).map(|n| format!("[{n}]"));
        let (inner, elem) = (inner.collect::<String>(), shared.elem);
        let base = match shared.offset {
            0 => SHARED.to_string(),
            offset => format!("{SHARED} + {offset}"),
        };
        match inner.is_empty() {
            true => format!("{elem} *const {name} = reinterpret_cast<{elem} *>({base})"),
            false => {
                format!(
                    "{elem} (*const {name}){inner} = reinterpret_cast<{elem} (*){inner}>({base})"
                )
            }
        }
    }

    fn body(&self, writer: &mut Writer<'_>, body: &[Stmt]) {
        let is_box = |stmt: &Stmt| match stmt {
            Stmt::Let { var, .. } => {
                matches!(self.program.var(*var).ty, Type::OfTiles(OfTiles::Box(_)))
            }
            _ => false,
        };
        let first = body.iter().position(is_box).unwrap_or(body.len());
        writer.stmts(&body[..first]);
        if first < body.len() {
            let line = format!("extern __shared__ __align__({WIDE}) unsigned char {SHARED}[];");
            writer.line(&line);
            writer.stmts(&body[first..]);
        }
    }

    fn is_flag(&self, param: VarId) -> bool {
        self.program.var(param).ty == Type::Flag
    }

    fn function(&self, t: &mut String, function: &Function) {
        let by_value = function.inline == Inline::NeverByValue;
        let mut within = self.clone();
        if by_value {
            let members = self.program.args.iter().map(|arg| self.fields.get(*arg));
            within.given = format!("Args{{{}}}", members.collect::<Vec<_>>().join(", "));
        }
        let mut writer = Writer::new(self.program, self.base.clone(), &within);
        let (mut flags, mut params) = (Vec::new(), Vec::new());
        for &param in &function.params {
            let variable = self.program.var(param);
            let name = writer.namer.define(param, &variable.name);
            let declared = self.declaration(variable.ty, false, &name);
            match self.is_flag(param) {
                true => flags.push(declared),
                false => params.push(declared),
            }
        }
        let args = match by_value {
            false => "const Args &args".to_string(),
            true => {
                let members = self.program.args.iter();
                let members = members.map(|arg| self.member(*arg, &self.fields.get(*arg)));
                members.collect::<Vec<_>>().join(", ")
            }
        };
        params.insert(0, args);
        self.used(&mut writer, &function.body, by_value);
        within.body(&mut writer, &function.body);
        for line in function.remark.lines() {
            let _ = writeln!(t, "// {line}");
        }
        if !flags.is_empty() {
            let _ = writeln!(t, "template <{}>", flags.join(", "));
        }
        let inline = match function.inline {
            Inline::Always => "__forceinline__",
            Inline::Never | Inline::NeverByValue => "__noinline__",
        };
        let _ = write!(
            t,
            "__device__ {inline} void {}({}) {{\n{}}}\n\n",
            function.name,
            params.join(", "),
            writer.finish()
        );
    }

    fn call(&self, writer: &Writer<'_>, function: usize, args: &[Expr]) -> String {
        let function = &self.program.functions[function];
        let given = |flags: bool| {
            let both = function.params.iter().zip(args);
            let own = both.filter(|(param, _)| self.is_flag(**param) == flags);
            own.map(|(_, arg)| match arg {
                Expr::Int(value) if flags => (*value != 0).to_string(),
                arg => writer.expr(arg),
            })
            .collect::<Vec<_>>()
        };
        let flags = match given(true) {
            none if none.is_empty() => String::new(),
            flags => format!("<{}>", flags.join(", ")),
        };
        let mut all = match function.inline {
            Inline::Always | Inline::Never => vec![self.given.clone()],
            Inline::NeverByValue => {
                let members = self.program.args.iter();
                let members = members.map(|arg| format!("args.{}", self.fields.get(*arg)));
                members.collect()
            }
        };
        all.extend(given(false));
        format!("{}{flags}({});", function.name, all.join(", "))
    }

    fn definition(&self, writer: &mut Writer<'_>, var: VarId, definition: &Definition) -> String {
        let value = match definition {
            Definition::Pointer(to) => self.pointer(writer, to).0,
            Definition::Locator { params, .. } | Definition::Condition { params, .. } => {
                let scope = writer.namer.scope();
                let mut declared = Vec::new();
                for &param in params {
                    let variable = self.program.var(param);
                    let name = writer.namer.define(param, &variable.name);
                    declared.push(self.declaration(variable.ty, false, &name));
                }
                let value = match definition {
                    Definition::Condition { holds, .. } => writer.expr(holds),
                    Definition::Locator { to, .. } | Definition::Pointer(to) => {
                        self.pointer(writer, to).0
                    }
                };
                writer.namer.leave(scope);
                format!("[=]({}) {{ return {value}; }}", declared.join(", "))
            }
        };
        format!("{} = {value};", writer.declare(var))
    }

    fn pointer(&self, writer: &Writer<'_>, pointer: &Pointer) -> Piece {
        match pointer {
            Pointer::Of(var) => Piece(writer.namer.get(*var), ATOM),
            Pointer::Row {
                first,
                number,
                pitch,
            } => {
                let first = self.pointer(writer, first).0;
                let (number, pitch) = (writer.expr(number), writer.expr(pitch));
                Piece(format!("row({first}, {number}, {pitch})"), ATOM)
            }
            Pointer::Further {
                from,
                by,
                element: true,
            } => {
                let from = self.pointer(writer, from).at(ATOM);
                Piece(format!("&{from}[{}]", writer.expr(by)), UNARY)
            }
            Pointer::Further { from, by, .. } => {
                crate::print::c::binary("+", self.pointer(writer, from), writer.piece(by))
            }
            Pointer::Located { by, args } => {
                let name = writer.namer.get(*by);
                Piece(format!("{name}({})", writer.list(args)), ATOM)
            }
        }
    }

    fn kernel(&self, t: &mut String, kernel: &Kernel) {
        let (Some(launching), Some(block)) = (&kernel.launching, &kernel.block) else {
            return;
        };
        let mut writer = Writer::new(self.program, self.base.clone(), self);
        for (&param, member) in kernel.params.iter().zip(members(self.program, kernel)) {
            writer.namer.set(param, format!("wave.{member}"));
        }
        self.used(&mut writer, &kernel.body, false);
        self.body(&mut writer, &kernel.body);
        let _ = write!(
            t,
            "// {}\n__global__ void __launch_bounds__({}, {})\n{}(const __grid_constant__ Args args, const __grid_constant__ {} wave) {{\n{}}}\n\n",
            kernel.lines,
            self.base.get(launching.threads[2]),
            block.resident,
            kernel.name,
            launching.record,
            writer.finish()
        );
    }

    fn reserve(&self, writer: &mut Writer<'_>, kernel: usize) {
        let kernel = &self.program.kernels[kernel];
        let Some(launching) = &kernel.launching else {
            return writer.line(&unknown("a kernel"));
        };
        let (name, bytes) = (&kernel.name, writer.namer.get(launching.bytes));
        writer.line(&format!("cudaError_t error = cudaFuncSetAttribute({name}, cudaFuncAttributeMaxDynamicSharedMemorySize, {bytes});"));
        writer.line("if (error != cudaSuccess) return error;");
    }

    fn host(&self, t: &mut String) {
        let mut writer = Writer::new(self.program, self.base.clone(), self);
        self.used(&mut writer, &self.program.host, false);
        writer.stmts(&self.program.host);
        let _ = write!(
            t,
            "#ifndef __CUDACC_RTC__\n// Runs the whole computation on device arrays, in order on a stream.\ninline cudaError_t {}(const Args &args, cudaStream_t stream) {{\n{}  return cudaGetLastError();\n}}\n#endif\n\n",
            self.launch,
            writer.finish()
        );
    }
}
