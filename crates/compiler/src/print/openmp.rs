//! C with OpenMP: one function for a part of a program, with its kernels as parallel loops.

mod fold;
mod rows;

use super::c::{Dialect, Writer};
use super::namer::Namer;
use crate::back::Otherwise;
use crate::back::names::Names;
use crate::diag::Result;
use crate::interface::{Interface, NOT_ASSUMED, may_hold_members, may_share_memory};
use crate::ir::{self, Axis, Expr, Helper, Launch, Program, Stmt, Type, VarId};
use crate::kernel::KernelArray;
use crate::lower::affine::{Env, from_isl};
use crate::scop::FinalValue;
use hexcc_isl::AstExpr;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What the functions call, once in a file.
pub const PRELUDE: &str = include_str!("lib/openmp/prelude.h");

/// Names that functions use of C and of [`PRELUDE`].
const FIXED: &[&str] = &[
    "fprintf",
    "stderr",
    "exit",
    "free",
    "EXIT_FAILURE",
    "hexcc_floor_div",
    "hexcc_lowest",
    "hexcc_highest",
    "hexcc_separate",
    "hexcc_memory",
    "said",
];

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
    let mut names = Names::new(FIXED);
    for name in called(program) {
        names.fresh(&name);
    }
    let mut namer = Namer::new(names);
    let mut env = Env::new();
    for &arg in &program.args {
        let name = &program.var(arg).name;
        namer.define(arg, name);
        env.insert(name.clone(), Expr::Var(arg));
    }
    let in_rows = interface.arrays.iter().filter(|a| a.rows.is_some());
    let pointers = in_rows
        .map(|a| (a.name.clone(), namer.fresh(&format!("{}_pointers", a.name))))
        .collect();
    let printer = Printer {
        program,
        interface,
        env,
        pointers,
        otherwise,
    };
    let mut text = String::new();
    for line in header {
        text.push_str(format!("// {line}").trim_end());
        text.push('\n');
    }
    text.push_str(&printer.suits(&namer)?);
    text.push_str(&printer.run(&namer)?);
    for (i, value) in finals.iter().enumerate() {
        text.push_str(&printer.leaves(&namer, i, value)?);
    }
    Ok(text)
}

/// What the function is called that runs a part of a program.
pub fn entry(interface: &Interface) -> String {
    format!("{}_run", interface.name)
}

/// The function that says whether a part is made for some sizes.
pub fn suits(interface: &Interface) -> String {
    format!("{}_suits", interface.name)
}

/// The function that says whether arrays that may not have all their elements lie apart.
pub fn exists(interface: &Interface) -> String {
    format!("{}_exists", interface.name)
}

/// The functions that say whether the `i`-th value is left in a variable, and what it is.
pub fn leavers(interface: &Interface, i: usize) -> [String; 2] {
    ["sets", "value"].map(|what| format!("{}_{what}_{}", interface.name, i + 1))
}

/// Functions of `<math.h>` that a program calls.
fn called(program: &Program) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for expr in (program.kernels.iter()).flat_map(ir::Kernel::expressions) {
        expr.visit(&mut |e| {
            if let Expr::Math { name, .. } | Expr::Cell { name, .. } = e {
                found.insert(name.clone());
            }
        });
    }
    found
}

struct Printer<'a> {
    program: &'a Program,
    interface: &'a Interface,
    /// Sizes and arrays by name.
    env: Env,
    /// By array in rows, what the table of pointers is called that the program hands over.
    pointers: BTreeMap<String, String>,
    /// What the program does where it cannot run.
    otherwise: Otherwise,
}

impl Dialect for Printer<'_> {
    fn declaration(&self, ty: Type, constant: bool, name: &str) -> String {
        let qualifier = if constant { "const " } else { "" };
        match ty {
            Type::Index => format!("{qualifier}long long {name}"),
            Type::Number(ty) => format!("{qualifier}{ty} {name}"),
            Type::Part(_) => format!("{} {name}", self.part_type(name)),
            Type::Private { elem, len } => format!("{elem} {name}[{len}]"),
            Type::Pointer {
                elem,
                written: true,
            } => format!("{elem} *{}{name}", self.restrict()),
            Type::Pointer {
                elem,
                written: false,
            } => format!("const {elem} *{}{name}", self.restrict()),
            Type::Rows { elem, .. } => format!("{elem} **const {name}"),
        }
    }

    fn helper(&self, helper: Helper) -> String {
        format!("hexcc_{}", helper.name())
    }

    fn before_loop(&self, any_order: bool, body: &[Stmt]) -> Option<&'static str> {
        (any_order && is_innermost(body)).then_some("#pragma omp simd")
    }

    fn fold(&self, part: VarId, name: &str, term: &str) -> String {
        self.fold_text(part, name, term)
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

    /// The function that says for which sizes the part is made; empty where for all.
    fn suits(&self, namer: &Namer) -> Result<String> {
        if self.interface.suits_all_sizes() {
            return Ok(String::new());
        }
        let writer = Writer::new(self.program, namer.clone(), self);
        let sizes = self.interface.params.iter();
        let params: Vec<String> = sizes
            .map(|size| format!("long long {}", self.argument(&writer, size)))
            .collect();
        let expected = writer.expr(&from_isl(&self.interface.expected, &self.env)?);
        Ok(format!(
            "// Whether this is made for these sizes; the program runs its own loops for others.\nstatic int {}({}) {{\n  return {expected};\n}}\n\n",
            suits(self.interface),
            params_or_void(&params)
        ))
    }

    /// The function that runs the part.
    fn run(&self, namer: &Namer) -> Result<String> {
        let interface = self.interface;
        let mut writer = Writer::new(self.program, namer.clone(), self);
        if let Some(variable) = self.otherwise.variable() {
            writer.line(variable);
        }
        let assumed = self.condition(&writer, &interface.assumed)?;
        if let Some(assumed) = assumed {
            writer.line(&format!("if (!({assumed})) {{"));
            let reason = format!("{}: {NOT_ASSUMED}", interface.name);
            for line in self.otherwise.refuse(&reason) {
                writer.line(&format!("  {line}"));
            }
            writer.line("}");
        }
        if let Some(nonempty) = self.condition(&writer, &interface.nonempty)? {
            writer.line(&format!("if (!({nonempty})) {}", self.otherwise.done()));
        }
        self.overlaps(&mut writer)?;
        self.rows(&mut writer)?;
        for (array, _) in self.arrays().filter(|(a, _)| a.local) {
            let (name, bytes) = (self.name(&writer, array), self.bytes(&writer, array)?);
            let elem = array.elem;
            writer.line(&format!(
                "{elem} *restrict const {name} = ({elem} *)hexcc_memory({bytes}, \"{}: no memory for {}\");",
                interface.name, array.name
            ));
        }
        writer.stmts(&self.program.host);
        let own = |a: &KernelArray| a.local || a.rows.is_some();
        for (array, _) in self.arrays().filter(|(a, _)| own(a)) {
            let name = self.name(&writer, array);
            writer.line(&format!("free({name});"));
        }
        if self.otherwise == Otherwise::RunsLoops {
            writer.line(self.otherwise.done());
        }
        let locals: Vec<&str> = (self.arrays().filter(|(a, _)| a.local))
            .map(|(a, _)| a.name.as_str())
            .collect();
        let members = interface.guarded_members();
        let members = members.map(|m| {
            let name = self.argument(&writer, &m.name);
            format!("const void *{name}_at, size_t {name}_size")
        });
        let params: Vec<String> = (self.program.args.iter())
            .filter(|arg| !locals.contains(&self.program.var(**arg).name.as_str()))
            .map(|arg| match self.program.var(*arg).ty {
                Type::Rows { .. } => {
                    let pointers = self.pointers_to(&self.program.var(*arg).name);
                    format!("const void *{pointers}")
                }
                ty => self.declaration(ty, false, &namer.get(*arg)),
            })
            .chain(members)
            .collect();
        Ok(format!(
            "{}{}static {} {}({}) {{\n{}}}\n",
            self.finders(),
            self.folds_text(),
            self.otherwise.result("int"),
            entry(interface),
            params_or_void(&params),
            writer.finish()
        ))
    }

    /// The functions for a value that is left in a variable.
    fn leaves(&self, namer: &Namer, i: usize, value: &FinalValue) -> Result<String> {
        let mut text = format!("\n// What the loops leave in `{}` in C.\n", value.name);
        let params: Vec<String> = (self.program.args.iter())
            .filter(|arg| value.params.contains(&self.program.var(**arg).name))
            .map(|arg| format!("long long {}", namer.get(*arg)))
            .collect();
        let params = params_or_void(&params);
        let writer = Writer::new(self.program, namer.clone(), self);
        let parts = [&value.written, &value.value];
        for (name, part) in leavers(self.interface, i).iter().zip(parts) {
            let part = writer.expr(&from_isl(part, &self.env)?);
            let _ = writeln!(
                text,
                "static long long {name}({params}) {{ return {part}; }}"
            );
        }
        Ok(text)
    }

    /// The qualifier of pointers, of which none is the way to memory that another one leads to.
    fn restrict(&self) -> &'static str {
        let mut arrays = 0..self.interface.arrays.len();
        match arrays.all(|i| self.interface.home(i) == i) {
            true => "restrict ",
            false => "",
        }
    }

    fn arrays(&self) -> impl Iterator<Item = (&KernelArray, &AstExpr)> {
        self.interface.arrays.iter().zip(&self.interface.touched)
    }

    /// What the table of pointers to the rows of an array is called.
    fn pointers_to<'a>(&'a self, array: &'a str) -> &'a str {
        self.pointers.get(array).map_or(array, String::as_str)
    }

    /// What a size, a scalar or an array is called.
    fn argument(&self, writer: &Writer<'_>, name: &str) -> String {
        let arg = self.env.get(name);
        arg.map_or_else(|| name.to_string(), |arg| writer.expr(arg))
    }

    fn name(&self, writer: &Writer<'_>, array: &KernelArray) -> String {
        self.argument(writer, &array.name)
    }

    /// A condition that does not always hold.
    fn condition(&self, writer: &Writer<'_>, condition: &AstExpr) -> Result<Option<String>> {
        let condition = from_isl(condition, &self.env)?;
        Ok((!matches!(condition, Expr::Int(1))).then(|| writer.expr(&condition)))
    }

    /// The bytes of an array.
    fn bytes(&self, writer: &Writer<'_>, array: &KernelArray) -> Result<String> {
        let count = self.count(writer, &array.extents)?;
        Ok(match array.extents.is_empty() {
            true => format!("sizeof({})", array.elem),
            false => format!("sizeof({}) * {count}", array.elem),
        })
    }

    /// A product of extents.
    fn count(&self, writer: &Writer<'_>, extents: &[AstExpr]) -> Result<String> {
        let factor = |extent: &AstExpr| {
            let extent = writer.operand(&from_isl(extent, &self.env)?, "*");
            Ok(format!("(size_t){extent}"))
        };
        let factors: Vec<String> = extents.iter().map(factor).collect::<Result<_>>()?;
        Ok(factors.join(" * "))
    }

    /// A test of memory, whose last argument is missing; `frees` is done where it fails.
    fn test(&self, writer: &mut Writer<'_>, test: &str, frees: &str) {
        let call = format!("{test}{})", self.otherwise.note());
        writer.line(&match (self.otherwise, frees) {
            (Otherwise::Ends, _) => format!("{call};"),
            (_, "") => format!("if (!{call}) return 0;"),
            _ => format!("if (!{call}) {{ {frees}return 0; }}"),
        });
    }

    /// Tests of arrays that may lie in the same memory, or hold members of structs.
    fn overlaps(&self, writer: &mut Writer<'_>) -> Result<()> {
        let arrays: Vec<_> = self.arrays().filter(|(a, _)| !a.local).collect();
        let may_overlap =
            |a: &KernelArray, b: &KernelArray| may_share_memory(a, b) && a.name != b.name;
        let members: Vec<_> = self.interface.guarded_members().collect();
        let is_one_block = |array: &KernelArray| array.rows.is_none();
        let holds = |array: &KernelArray| {
            !members.is_empty() && may_hold_members(array) && is_one_block(array)
        };
        let mut bytes = Vec::new();
        for (array, touched) in &arrays {
            let with_others = arrays.iter().any(|(other, _)| may_overlap(array, other));
            if !with_others && !holds(array) {
                bytes.push(String::new());
                continue;
            }
            let all = self.bytes(writer, array)?;
            let all = match self.condition(writer, touched)? {
                None => all,
                Some(touched) => format!("({touched}) ? {all} : 0"),
            };
            let name = writer.namer.fresh(&format!("{}_bytes", array.name));
            writer.line(&format!("const size_t {name} = {all};"));
            bytes.push(name);
        }
        for (i, (a, _)) in arrays.iter().enumerate() {
            for (j, (b, _)) in arrays.iter().enumerate().skip(i + 1) {
                if may_overlap(a, b) {
                    let test = format!(
                        "hexcc_separate({}, {}, {}, {}, \"{}: {} and {} share memory\", ",
                        self.name(writer, a),
                        bytes[i],
                        self.name(writer, b),
                        bytes[j],
                        self.interface.name,
                        a.name,
                        b.name
                    );
                    self.test(writer, &test, "");
                }
            }
            for member in members.iter().filter(|_| holds(a)) {
                let name = self.argument(writer, &member.name);
                let test = format!(
                    "hexcc_separate({}, {}, {name}_at, {name}_size, \"{}: {} and {} share memory\", ",
                    self.name(writer, a),
                    bytes[i],
                    self.interface.name,
                    a.name,
                    member.value
                );
                self.test(writer, &test, "");
            }
        }
        Ok(())
    }
}

fn params_or_void(params: &[String]) -> String {
    match params.is_empty() {
        true => "void".to_string(),
        false => params.join(", "),
    }
}
