//! The function of C that takes the place of a part of a program, as far as targets share it whose
//! host code is C: its parameters, its tests of sizes and memory, and the values that it leaves.

use super::c::{Dialect, Writer};
use super::namer::Namer;
use super::unknown;
use crate::back::names::Names;
use crate::back::{Otherwise, rows};
use crate::diag::Result;
use crate::interface::{Interface, NOT_ASSUMED, may_hold_members, may_share_memory};
use crate::ir::{self, Expr, Program, Type};
use crate::kernel::KernelArray;
use crate::lower::affine::{Env, from_isl};
use crate::scop::FinalValue;
use hexcc_isl::AstExpr;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What the functions call, once in a file.
pub const PRELUDE: &str = include_str!("lib/prelude.h");

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
    "hexcc_meet",
    "hexcc_home",
    "said",
];

/// What the function is called that runs a part of a program.
pub fn entry(interface: &Interface) -> String {
    format!("{}_run", interface.name)
}

/// The function that says whether a part is made for some sizes.
pub fn suits(interface: &Interface) -> String {
    format!("{}_suits", interface.name)
}

/// The function that says whether threads share the loops of a part.
pub fn shares(interface: &Interface) -> String {
    format!("{}_shares", interface.name)
}

/// The function that says whether kernels take less than the loops of a part.
pub fn pays(interface: &Interface) -> String {
    format!("{}_pays", interface.name)
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
pub(super) fn called(program: &Program) -> BTreeSet<String> {
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

/// A part of a program on the host.
pub(super) struct Host<'a> {
    pub program: &'a Program,
    pub interface: &'a Interface,
    /// What the program does where it cannot run.
    pub otherwise: Otherwise,
    /// The names at the head of the function.
    pub namer: Namer,
    /// Sizes and arrays by name.
    env: Env,
    /// By array in rows, what the table of pointers is called that the program hands over.
    pointers: BTreeMap<String, String>,
}

impl<'a> Host<'a> {
    /// One that avoids `fixed` names, too.
    pub fn new(
        program: &'a Program,
        interface: &'a Interface,
        otherwise: Otherwise,
        fixed: &[&str],
    ) -> Host<'a> {
        let mut names = Names::new(&[FIXED, fixed].concat());
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
        Host {
            program,
            interface,
            otherwise,
            namer,
            env,
            pointers,
        }
    }

    /// All functions of the part, behind comments about it: `own` is text before the one that runs
    /// it, and `inner` appends what that does after its tests.
    ///
    /// # Errors
    /// HX9001 where the interface does not fit the program.
    pub fn text(
        &self,
        (header, finals): (&[String], &[FinalValue]),
        (dialect, own): (&dyn Dialect, &str),
        inner: impl FnOnce(&mut Writer<'_>) -> Result<()>,
    ) -> Result<String> {
        let mut text = String::new();
        for line in header {
            text.push_str(format!("// {line}").trim_end());
            text.push('\n');
        }
        text.push_str(&self.suits(dialect)?);
        text.push_str(&rows::finders(self.interface, "hexcc_"));
        text.push_str(own);
        text.push_str(&self.run(dialect, inner)?);
        for (i, value) in finals.iter().enumerate() {
            text.push_str(&self.leaves(dialect, i, value)?);
        }
        Ok(text)
    }

    /// The function that says for which sizes the part is made; empty where for all.
    fn suits(&self, dialect: &dyn Dialect) -> Result<String> {
        if self.interface.suits_all_sizes() {
            return Ok(String::new());
        }
        let writer = Writer::new(self.program, self.namer.clone(), dialect);
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
    fn run(
        &self,
        dialect: &dyn Dialect,
        inner: impl FnOnce(&mut Writer<'_>) -> Result<()>,
    ) -> Result<String> {
        let interface = self.interface;
        let mut writer = Writer::new(self.program, self.namer.clone(), dialect);
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
        inner(&mut writer)?;
        if self.otherwise == Otherwise::RunsLoops {
            writer.line(self.otherwise.done());
        }
        Ok(format!(
            "static {} {}({}) {{\n{}}}\n",
            self.otherwise.result("int"),
            entry(interface),
            params_or_void(&self.params(&writer)),
            writer.finish()
        ))
    }

    fn params(&self, writer: &Writer<'_>) -> Vec<String> {
        let locals: Vec<&str> = (self.arrays().filter(|(a, _)| a.local))
            .map(|(a, _)| a.name.as_str())
            .collect();
        let members = self.interface.guarded_members().map(|m| {
            let name = self.argument(writer, &m.name);
            format!("const void *{name}_at, size_t {name}_size")
        });
        (self.program.args.iter())
            .map(|arg| (self.program.var(*arg), self.namer.get(*arg)))
            .filter(|(variable, _)| !locals.contains(&variable.name.as_str()))
            .map(|(variable, name)| match self.pointers.get(&variable.name) {
                Some(pointers) => format!("const void *{pointers}"),
                None => self.declaration(variable.ty, false, &name),
            })
            .chain(members)
            .collect()
    }

    /// The functions for a value that is left in a variable.
    fn leaves(&self, dialect: &dyn Dialect, i: usize, value: &FinalValue) -> Result<String> {
        let mut text = format!("\n// What the loops leave in `{}` in C.\n", value.name);
        let params: Vec<String> = (self.program.args.iter())
            .filter(|arg| value.params.contains(&self.program.var(**arg).name))
            .map(|arg| format!("long long {}", self.namer.get(*arg)))
            .collect();
        let params = params_or_void(&params);
        let writer = Writer::new(self.program, self.namer.clone(), dialect);
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

    /// How C declares a variable; parts of reductions have types of their own.
    pub fn declaration(&self, ty: Type, constant: bool, name: &str) -> String {
        let qualifier = if constant { "const " } else { "" };
        match ty {
            Type::Index => format!("{qualifier}long long {name}"),
            Type::Number(ty) | Type::Part(ty) => format!("{qualifier}{ty} {name}"),
            Type::Private { elem, len, .. } => format!("{elem} {name}[{len}]"),
            Type::Pointer {
                elem,
                written: true,
            } => format!("{elem} *{}{name}", self.restrict()),
            Type::Pointer {
                elem,
                written: false,
            } => format!("const {elem} *{}{name}", self.restrict()),
            Type::Rows { elem, .. } => format!("{elem} **const {name}"),
            Type::Shared { .. } | Type::Flag | Type::OfTiles(_) => unknown(name),
        }
    }

    /// The qualifier of pointers, of which none is the way to memory that another one leads to.
    pub fn restrict(&self) -> &'static str {
        let mut arrays = 0..self.interface.arrays.len();
        match arrays.all(|i| self.interface.home(i) == i) {
            true => "restrict ",
            false => "",
        }
    }

    /// Arrays, with the condition that each is touched.
    pub fn arrays(&self) -> impl Iterator<Item = (&'a KernelArray, &'a AstExpr)> + use<'a> {
        self.interface.arrays.iter().zip(&self.interface.touched)
    }

    /// What the table of pointers to the rows of an array is called.
    pub fn pointers_to<'b>(&'b self, array: &'b str) -> &'b str {
        self.pointers.get(array).map_or(array, String::as_str)
    }

    /// What a size, a scalar or an array is called.
    pub fn argument(&self, writer: &Writer<'_>, name: &str) -> String {
        let arg = self.env.get(name);
        arg.map_or_else(|| name.to_string(), |arg| writer.expr(arg))
    }

    pub fn name(&self, writer: &Writer<'_>, array: &KernelArray) -> String {
        self.argument(writer, &array.name)
    }

    /// A condition that does not always hold.
    pub fn condition(&self, writer: &Writer<'_>, condition: &AstExpr) -> Result<Option<String>> {
        let condition = from_isl(condition, &self.env)?;
        Ok((!matches!(condition, Expr::Int(1))).then(|| writer.expr(&condition)))
    }

    /// The bytes of an array.
    pub fn bytes(&self, writer: &Writer<'_>, array: &KernelArray) -> Result<String> {
        let count = self.count(writer, &array.extents)?;
        Ok(match array.extents.is_empty() {
            true => format!("sizeof({})", array.elem),
            false => format!("sizeof({}) * {count}", array.elem),
        })
    }

    /// The bytes of an array that is touched, and none of one that is not.
    pub fn touched_bytes(
        &self,
        writer: &Writer<'_>,
        (array, touched): (&KernelArray, &AstExpr),
    ) -> Result<String> {
        let bytes = self.bytes(writer, array)?;
        Ok(match self.condition(writer, touched)? {
            None => bytes,
            Some(touched) => format!("(({touched}) ? {bytes} : 0)"),
        })
    }

    /// A product of extents.
    pub fn count(&self, writer: &Writer<'_>, extents: &[AstExpr]) -> Result<String> {
        let factor = |extent: &AstExpr| {
            let extent = writer.operand(&from_isl(extent, &self.env)?, "*");
            Ok(format!("(size_t){extent}"))
        };
        let factors: Vec<String> = extents.iter().map(factor).collect::<Result<_>>()?;
        Ok(factors.join(" * "))
    }

    /// A test of memory, whose last argument is missing; `frees` is done where it fails.
    pub fn test(&self, writer: &mut Writer<'_>, test: &str, frees: &str) {
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
                    let other = (self.name(writer, b), bytes[j].as_str(), b.name.as_str());
                    self.separate(writer, (a, &bytes[i]), other);
                }
            }
            for member in members.iter().filter(|_| holds(a)) {
                let name = self.argument(writer, &member.name);
                let size = format!("{name}_size");
                let other = (format!("{name}_at"), size.as_str(), member.value.as_str());
                self.separate(writer, (a, &bytes[i]), other);
            }
        }
        Ok(())
    }

    /// The test that an array shares no memory with another thing.
    fn separate(
        &self,
        writer: &mut Writer<'_>,
        (array, bytes): (&KernelArray, &str),
        (other, other_bytes, what): (String, &str, &str),
    ) {
        let test = format!(
            "hexcc_separate({}, {bytes}, {other}, {other_bytes}, \"{}: {} and {what} share memory\", ",
            self.name(writer, array),
            self.interface.name,
            array.name,
        );
        self.test(writer, &test, "");
    }

    /// Finds the rows that are reached through pointers, and tests that nothing else of what is
    /// touched shares memory with them: `found` appends what finds those of an array, given what
    /// all pieces are called, and `frees` is done where the test fails.
    pub fn rows(
        &self,
        writer: &mut Writer<'_>,
        mut found: impl FnMut(&mut Writer<'_>, (usize, &KernelArray), &str) -> Result<()>,
        frees: &str,
    ) -> Result<()> {
        if !rows::has_rows(self.interface) {
            return Ok(());
        }
        let pieces = writer.namer.fresh("pieces");
        writer.line(&format!("struct hexcc_pieces {pieces} = {{0}};"));
        for (index, (array, touched)) in self.arrays().enumerate() {
            if array.local {
                continue;
            }
            if array.rows.is_some() {
                found(writer, (index, array), &pieces)?;
                continue;
            }
            let (name, what) = (self.name(writer, array), &array.name);
            let bytes = self.touched_bytes(writer, (array, touched))?;
            writer.line(&format!(
                "hexcc_touch(&{pieces}, {name}, (const char *){name} + {bytes}, {}, \"{what}\");",
                i32::from(array.written)
            ));
        }
        if self.interface.arrays.iter().any(may_hold_members) {
            for member in self.interface.guarded_members() {
                let name = self.argument(writer, &member.name);
                writer.line(&format!(
                    "hexcc_touch(&{pieces}, {name}_at, (const char *){name}_at + {name}_size, 0, \"{}\");",
                    member.value
                ));
            }
        }
        let name = &self.interface.name;
        let test = format!("hexcc_separate_all(&{pieces}, \"{name}\", ");
        self.test(writer, &test, frees);
        Ok(())
    }

    /// The call that finds the rows of an array, and the line that notes what they touch; `found` is
    /// what it gives.
    pub fn rows_of(
        &self,
        writer: &Writer<'_>,
        (index, array): (usize, &KernelArray),
        (found, pieces): (&str, &str),
    ) -> [String; 2] {
        let mut names = Names::plain();
        for param in &self.interface.params {
            names.rename(param, &self.argument(writer, param));
        }
        let what = &array.name;
        [
            rows::found(self.interface, index, self.pointers_to(what), &names),
            format!(
                "hexcc_touch_rows(&{pieces}, &{found}, \"{what}\", \"the pointers of {what}\");"
            ),
        ]
    }
}

fn params_or_void(params: &[String]) -> String {
    match params.is_empty() {
        true => "void".to_string(),
        false => params.join(", "),
    }
}
