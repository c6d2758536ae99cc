//! A program as C text, in any [`Form`].

use crate::form::{self, Feature, Form, Names};
use crate::model::{
    Access, Array, Cond, Elem, Expr, Item, Nest, Program, Size, Stmt, Storage, Sub,
};
use std::collections::BTreeSet;
use std::fmt::Write;

mod planes;

/// Value of scalar parameter `s` in C.
pub fn scalar_value(s: usize, elem: Elem) -> String {
    let value = [0.375, 0.6, 0.15][s % 3];
    match elem {
        Elem::Float => format!("{value}f"),
        Elem::Double => format!("{value}"),
        Elem::Int | Elem::Byte => format!("{}", s + 2),
    }
}

/// `x`, `x + 1`, `x - 1`.
fn plus(x: &str, c: i64) -> String {
    match c {
        0 => x.to_string(),
        1.. => format!("{x}+{c}"),
        _ => format!("{x}-{}", -c),
    }
}

/// Writes a program in a form.
pub struct Writer<'a> {
    /// The program.
    pub program: &'a Program,
    /// How it is written.
    pub form: &'a Form,
    /// What things are called.
    pub names: Names,
}

impl<'a> Writer<'a> {
    /// A writer that calls the function `name`, if the form allows it.
    pub fn new(program: &'a Program, form: &'a Form, name: &str) -> Writer<'a> {
        Writer {
            program,
            form,
            names: form.names(program, name),
        }
    }

    /// A type of elements.
    pub fn elem(&self, elem: Elem) -> &'static str {
        form::element(self.form, elem).0
    }

    /// The end of the time loop or a dimension.
    pub fn size_text(&self, size: Size) -> String {
        match size {
            Size::Param(p) => self.names.params[p].clone(),
            Size::Const(n) => n.to_string(),
        }
    }

    fn size_plus(&self, size: Size, c: i64) -> String {
        match size {
            Size::Param(p) => plus(&self.names.params[p], c),
            Size::Const(n) => (n + c).to_string(),
        }
    }

    fn iterator(&self, dim: usize) -> &str {
        &self.names.iterators[dim]
    }

    fn sub(&self, sub: Sub) -> String {
        let sizes = &self.program.sizes;
        match sub {
            Sub::Iter(dim, c) => plus(self.iterator(dim), c),
            Sub::First(c) => c.to_string(),
            Sub::Last(dim, c) => self.size_plus(sizes[dim], -1 - c),
            Sub::Mirror(dim) => {
                format!("{}-{}", self.size_plus(sizes[dim], -1), self.iterator(dim))
            }
            Sub::ClampLow(dim, c) => {
                let i = self.iterator(dim);
                format!("{i} < {c} ? 0 : {i}-{c}")
            }
            Sub::ClampHigh(dim, c) => {
                let (i, last) = (self.iterator(dim), self.size_plus(sizes[dim], -1));
                format!("{i}+{c} > {last} ? {last} : {i}+{c}")
            }
        }
    }

    /// Name of the macro for the accesses to an array.
    fn access_macro(&self, array: usize) -> String {
        format!("AT_{}", self.names.arrays[array])
    }

    /// An access in C.
    pub fn access(&self, access: &Access) -> String {
        let array = &self.program.arrays[access.array];
        let subs: Vec<String> = access.subs.iter().map(|&s| self.sub(s)).collect();
        let subs = match self.form.choice(Feature::Access) {
            "wrapped" => self.wrapped(array, &access.subs, subs),
            _ => subs,
        };
        self.placed(access, subs)
    }

    /// The access with these subscripts.
    fn placed(&self, access: &Access, subs: Vec<String>) -> String {
        let array = &self.program.arrays[access.array];
        let name = &self.names.arrays[access.array];
        let time = plus(&self.names.time, access.time);
        let macros = self.form.choice(Feature::Access);
        let timed = array.storage != Storage::Plain;
        if let Some(text) = self.by_pointer(access, &subs) {
            return text;
        }
        if macros == "macro" {
            let args: Vec<String> = timed.then_some(time).into_iter().chain(subs).collect();
            return format!("{}({})", self.access_macro(access.array), args.join(", "));
        }
        let subs: String = subs.iter().map(|s| format!("[{s}]")).collect();
        match array.storage {
            Storage::Plain => format!("{name}{subs}"),
            _ if macros == "plane-macro" => {
                format!("{}({}){subs}", self.access_macro(access.array), access.time)
            }
            Storage::Buffer(m) if access.time == 0 => format!("{name}[{time}%{m}]{subs}"),
            Storage::Buffer(m) => format!("{name}[({time})%{m}]{subs}"),
            Storage::AllSteps(_) => format!("{name}[{time}]{subs}"),
        }
    }

    /// Definitions of the macros that accesses use.
    pub fn access_macros(&self) -> String {
        let mut out = String::new();
        for (n, array) in self.program.arrays.iter().enumerate() {
            let (name, called) = (&self.names.arrays[n], self.access_macro(n));
            let plane = match array.storage {
                Storage::Plain => None,
                Storage::Buffer(m) => Some(format!("%{m}")),
                Storage::AllSteps(_) => Some(String::new()),
            };
            let subs: Vec<String> = (0..array.dims.len()).map(|d| format!("s{d}_")).collect();
            let body: String = subs.iter().map(|s| format!("[{s}]")).collect();
            let _ = match (self.form.choice(Feature::Access), plane) {
                ("macro", None) => {
                    writeln!(out, "#define {called}({}) {name}{body}", subs.join(", "))
                }
                ("macro", Some(m)) => {
                    let args: Vec<String> =
                        (std::iter::once("when_".to_string()).chain(subs)).collect();
                    writeln!(
                        out,
                        "#define {called}({}) {name}[(when_){m}]{body}",
                        args.join(", ")
                    )
                }
                ("plane-macro", Some(m)) => {
                    let t = &self.names.time;
                    writeln!(out, "#define {called}(c_) {name}[({t}+(c_)){m}]")
                }
                _ => Ok(()),
            };
        }
        out
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Lit(text) => text.clone(),
            Expr::Read(access) => self.access(access),
            Expr::Scalar(s) => self.names.scalars[*s].clone(),
            // Unsigned iterators would make other terms unsigned.
            Expr::Iter(dim) if self.form.of(Feature::IteratorType) != 0 => {
                format!("(int){}", self.iterator(*dim))
            }
            Expr::Iter(dim) => self.iterator(*dim).to_string(),
            Expr::Local(n) => self.names.locals[*n].clone(),
            Expr::Bin(op, a, b) => format!("({} {op} {})", self.expr(a), self.expr(b)),
            Expr::Select(op, all) => {
                let [a, b, c, d] = &**all;
                format!(
                    "({} {op} {} ? {} : {})",
                    self.expr(a),
                    self.expr(b),
                    self.expr(c),
                    self.expr(d)
                )
            }
            Expr::Call(name, args) => {
                let args: Vec<String> = args.iter().map(|a| self.expr(a)).collect();
                format!("{name}({})", args.join(", "))
            }
            Expr::Cast(elem, a) => format!("({}){}", self.elem(*elem), self.expr(a)),
        }
    }

    /// Function or macro through which the values of the region go.
    pub fn wrapper(&self, elem: Elem) -> Option<String> {
        let name = match elem {
            Elem::Float => "fz_damp_float",
            Elem::Double => "fz_damp_double",
            Elem::Int => "fz_damp_int",
            Elem::Byte => "fz_damp_byte",
        };
        let wrong = self.form.choice(Feature::Wrong) == "unknown-function";
        let calls = matches!(
            self.form.choice(Feature::Calls),
            "inline-scalar" | "later-scalar" | "macro"
        );
        (calls || wrong).then(|| name.to_string())
    }

    fn stmt(&self, stmt: &Stmt) -> String {
        let value = self.expr(&stmt.value);
        let value = match &stmt.value {
            Expr::Bin(..) => &value[1..value.len() - 1],
            _ => &value,
        };
        let value = match self.wrapper(self.program.arrays[stmt.target.array].elem) {
            Some(wrapper) => format!("{wrapper}({value})"),
            None => value.to_string(),
        };
        let op = if stmt.accumulate { "+=" } else { "=" };
        let line = if self.form.choice(Feature::Comments) == "continued-lines" {
            " \\\n    "
        } else {
            " "
        };
        format!("{} {op}{line}{value};", self.access(&stmt.target))
    }

    fn cond(&self, cond: &Cond) -> String {
        match cond {
            Cond::Modulo(dims, time, m, r) => {
                let mut names: Vec<&str> = dims.iter().map(|&d| self.iterator(d)).collect();
                if *time {
                    names.push(&self.names.time);
                }
                format!("({}) % {m} == {r}", names.join(" + "))
            }
            Cond::AtLeast(dim, c) => format!("{} >= {c}", self.iterator(*dim)),
            Cond::Below(dim, c) => {
                let size = self.size_plus(self.program.sizes[*dim], -c);
                format!("{} < {size}", self.iterator(*dim))
            }
            // Without a difference, which is not below 0 where iterators are unsigned.
            Cond::Ordered(a, c, b) if *c < 0 => {
                format!("{} < {}", self.iterator(*a), plus(self.iterator(*b), -c))
            }
            Cond::Ordered(a, c, b) => {
                format!("{} < {}", plus(self.iterator(*a), *c), self.iterator(*b))
            }
        }
    }

    /// Declarations of the local variables of an item.
    fn locals(&self, item: &Item, indent: &str, out: &mut String) {
        let form = self.form.choice(Feature::Temporaries);
        let all = item.locals.iter().enumerate();
        let lines: Vec<(&str, String)> = all
            .map(|(n, (elem, value))| {
                (
                    self.elem(*elem),
                    format!("{} = {}", self.names.locals[n], self.expr(value)),
                )
            })
            .collect();
        let same = lines.iter().all(|(t, _)| *t == lines[0].0);
        let joined: Vec<&str> = lines.iter().map(|(_, l)| l.as_str()).collect();
        let names = self.names.locals[..lines.len()].join(", ");
        let _ = match form {
            "joined" if same && !lines.is_empty() => {
                writeln!(out, "{indent}{} {};", lines[0].0, joined.join(", "))
            }
            "const" if same && !lines.is_empty() => {
                writeln!(out, "{indent}const {} {};", lines[0].0, joined.join(", "))
            }
            "assigned" if same && !lines.is_empty() => writeln!(
                out,
                "{indent}{} {names};\n{indent}{};",
                lines[0].0,
                joined.join(&format!(";\n{indent}"))
            ),
            "top-of-function" => writeln!(out, "{indent}{};", joined.join(&format!(";\n{indent}"))),
            _ => {
                for (elem, line) in &lines {
                    let _ = writeln!(out, "{indent}{elem} {line};");
                }
                Ok(())
            }
        };
    }

    fn item(&self, item: &Item, indent: &str, out: &mut String) {
        if !item.locals.is_empty() {
            self.locals(item, indent, out);
        }
        let block = |stmts: &[Stmt], out: &mut String| {
            if stmts.len() == 1 {
                let _ = writeln!(out, "{indent}  {}", self.stmt(&stmts[0]));
                return;
            }
            let _ = writeln!(out, "{indent}{{");
            for s in stmts {
                let _ = writeln!(out, "{indent}  {}", self.stmt(s));
            }
            let _ = writeln!(out, "{indent}}}");
        };
        match &item.cond {
            None => {
                for s in &item.then {
                    let _ = writeln!(out, "{indent}{}", self.stmt(s));
                }
            }
            Some(cond) => {
                let _ = writeln!(out, "{indent}if ({})", self.cond(cond));
                block(&item.then, out);
                if !item.els.is_empty() {
                    let _ = writeln!(out, "{indent}else");
                    block(&item.els, out);
                }
            }
        }
    }

    /// The type of iterators.
    pub fn iterator_type(&self) -> &'static str {
        match self.form.choice(Feature::IteratorType) {
            "unsigned" => "unsigned int",
            name => name,
        }
    }

    /// The head of a loop, which ends before `size + end`.
    fn head(
        &self,
        name: &str,
        low: i64,
        size: Size,
        end: i64,
        step: i64,
        declared: bool,
    ) -> String {
        let bounds = self.form.choice(Feature::Bounds);
        let declaration = match declared {
            true => String::new(),
            false => format!("{} ", self.iterator_type()),
        };
        let test = match bounds {
            "less-equal" => format!("{name} <= {}", self.size_plus(size, end - 1)),
            "reversed" => format!("{} > {name}", self.size_plus(size, end)),
            _ => format!("{name} < {}", self.size_plus(size, end)),
        };
        let increment = match (bounds, step) {
            ("compound", _) => format!("{name} += {step}"),
            ("reversed", _) => format!("{name} = {name} + {step}"),
            ("less-equal", 1) => format!("++{name}"),
            (_, 1) => format!("{name}++"),
            _ => format!("{name} += {step}"),
        };
        format!("for ({declaration}{name} = {low}; {test}; {increment})")
    }

    fn comment(&self, nest: &Nest, indent: &str, out: &mut String) {
        let names: Vec<&str> = nest.loops.iter().map(|l| self.iterator(l.dim)).collect();
        let _ = match self.form.choice(Feature::Comments) {
            "pragmas-in-comments" => writeln!(
                out,
                "{indent}/* #pragma endscop }} */ // for (;;) {{ #pragma scop \"\n{indent}/* a 'quote\n#pragma endscop\n{indent}*/"
            ),
            "openmp" if self.form.outer_iterators() && names.len() > 1 => {
                writeln!(
                    out,
                    "#pragma omp parallel for private({})",
                    names[1..].join(", ")
                )
            }
            "openmp" if !names.is_empty() => writeln!(out, "#pragma omp parallel for"),
            _ => Ok(()),
        };
    }

    fn nest(&self, nest: &Nest, out: &mut String) {
        let mut indent = "    ".to_string();
        self.comment(nest, &indent, out);
        let declared =
            self.form.outer_iterators() || self.form.choice(Feature::Iterators) == "in-time-loop";
        let bare_braces = self.form.choice(Feature::Braces) == "none";
        let one = nest.items.len() == 1 && nest.items[0].locals.is_empty();
        let single = one && (nest.items[0].cond.is_some() || nest.items[0].then.len() == 1);
        let braces = |n: usize| !bare_braces || (n + 1 == nest.loops.len() && !single);
        for (n, l) in nest.loops.iter().enumerate() {
            let head = self.head(
                self.iterator(l.dim),
                l.low,
                self.program.sizes[l.dim],
                -l.high,
                l.step,
                declared,
            );
            let _ = writeln!(out, "{indent}{head}{}", if braces(n) { " {" } else { "" });
            indent.push_str("  ");
        }
        let bare = nest.loops.is_empty() && nest.items.iter().any(|i| !i.locals.is_empty());
        if bare {
            let _ = writeln!(out, "{indent}{{");
        }
        for (n, item) in nest.items.iter().enumerate() {
            // Locals of two items would clash.
            let scope = n > 0 && !item.locals.is_empty();
            if scope {
                let _ = writeln!(out, "{indent}{{");
            }
            self.item(item, &indent, out);
            if scope {
                let _ = writeln!(out, "{indent}}}");
            }
        }
        if bare {
            let _ = writeln!(out, "{indent}}}");
        }
        for n in (0..nest.loops.len()).rev() {
            indent.truncate(indent.len() - 2);
            if braces(n) {
                let _ = writeln!(out, "{indent}}}");
            }
        }
    }

    /// The time loop with its pragmas.
    pub fn region(&self) -> String {
        let marked = self.form.choice(Feature::Pragmas) == "scop";
        let mut out = if marked { "#pragma scop\n" } else { "" }.to_string();
        let program = self.program;
        let size = program.steps;
        let step = program.step_stride;
        let inclusive = program.inclusive && self.form.choice(Feature::Bounds) == "less";
        let mut head = self.head(
            &self.names.time,
            program.first_step,
            size,
            0,
            step,
            self.form.outer_time(),
        );
        if inclusive {
            let (less, end) = (
                format!("< {}", self.size_text(size)),
                self.size_plus(size, -1),
            );
            head = head.replacen(&less, &format!("<= {end}"), 1);
        }
        let _ = writeln!(out, "  {head} {{");
        if self.form.choice(Feature::Iterators) == "in-time-loop" {
            let _ = writeln!(
                out,
                "    {} {};",
                self.iterator_type(),
                self.names.iterators.join(", ")
            );
        }
        for (n, nest) in program.nests.iter().enumerate() {
            if self.form.in_steps() {
                let _ = writeln!(out, "    fz_step{n}({});", self.step_args().join(", "));
            } else {
                self.nest(nest, &mut out);
            }
        }
        out.push_str(&self.end_of_step());
        out.push_str("  }\n");
        out.push_str(if marked { "#pragma endscop\n" } else { "" });
        if self.form.choice(Feature::TimeLoop) == "converging" {
            out.push_str("  printf(\"%.17g\\n\", fz_norm);\n");
        }
        out
    }

    fn step_args(&self) -> Vec<String> {
        let mut args = vec![self.names.time.clone()];
        if !self.form.fixed_sizes() && self.form.choice(Feature::Sizes) != "variable" {
            args.extend(self.names.params.iter().cloned());
        }
        args.extend(self.names.scalars.iter().cloned());
        if !self.form.global_arrays() {
            args.extend(self.names.arrays.iter().cloned());
        }
        args
    }

    /// The functions that the region calls for each nest, to be defined later.
    pub fn step_prototypes(&self) -> String {
        let functions = self.step_functions();
        let heads = functions
            .lines()
            .filter(|line| line.starts_with("static void fz_step"));
        heads.map(|head| format!("{head};\n")).collect()
    }

    /// The functions that the region calls for each nest.
    pub fn step_functions(&self) -> String {
        let mut out = String::new();
        if !self.form.in_steps() {
            return out;
        }
        for (n, nest) in self.program.nests.iter().enumerate() {
            let time = format!("{} {}", self.iterator_type(), self.names.time);
            let params: Vec<String> = std::iter::once(time).chain(self.params()).collect();
            let _ = writeln!(
                out,
                "static{} void fz_step{n}({})\n{{",
                match self.form.choice(Feature::Calls) {
                    "inline-step" => " inline",
                    _ => "",
                },
                params.join(", ")
            );
            if self.form.outer_iterators() || self.form.choice(Feature::Iterators) == "in-time-loop"
            {
                let used: BTreeSet<&str> =
                    nest.loops.iter().map(|l| self.iterator(l.dim)).collect();
                let used: Vec<&str> = used.into_iter().collect();
                if !used.is_empty() {
                    let _ = writeln!(out, "  {} {};\n", self.iterator_type(), used.join(", "));
                }
            }
            self.nest(nest, &mut out);
            out.push_str("}\n\n");
        }
        out
    }

    /// Extents of an array in C.
    pub fn array_extents(&self, array: &Array) -> Vec<String> {
        let time = match array.storage {
            Storage::Plain => None,
            Storage::Buffer(m) => Some(m.to_string()),
            Storage::AllSteps(extra) => Some(self.size_plus(self.program.steps, extra)),
        };
        let space = (array.dims.iter().zip(&array.extra))
            .map(|(&dim, &extra)| self.size_plus(self.program.sizes[dim], extra));
        time.into_iter().chain(space).collect()
    }

    /// Whether some statement writes an array.
    fn written(&self, array: usize) -> bool {
        self.program.stmts().iter().any(|s| s.target.array == array)
    }

    /// The parameter by which a function gets an array.
    fn array_param(&self, n: usize) -> String {
        let array = &self.program.arrays[n];
        let (elem, name) = (self.elem(array.elem), &self.names.arrays[n]);
        let extents = self.array_extents(array);
        let brackets =
            |from: usize| -> String { extents[from..].iter().map(|e| format!("[{e}]")).collect() };
        let rows = self.form.in_rows() && extents.len() > 1;
        match self.form.choice(Feature::Arrays) {
            _ if rows => format!("{elem} {}{name}", "*".repeat(extents.len())),
            "flat" => format!("{elem} *{name}"),
            "pointer-to-array" if extents.len() > 1 => format!("{elem} (*{name}){}", brackets(1)),
            "restrict-pointer" if extents.len() > 1 => {
                format!("{elem} (*restrict {name}){}", brackets(1))
            }
            "restrict" => format!("{elem} {name}[restrict {}]{}", extents[0], brackets(1)),
            "static-parameter" => format!("{elem} {name}[static {}]{}", extents[0], brackets(1)),
            "const" if !self.written(n) => format!("const {elem} {name}{}", brackets(0)),
            "macro-parameter" => format!("GRID_{name}({name})"),
            "typedef" => format!("grid_{name} {name}"),
            _ => format!("{elem} {name}{}", brackets(0)),
        }
    }

    /// Macros and types that parameters use.
    pub fn param_macros(&self) -> String {
        let mut out = String::new();
        for (n, array) in self.program.arrays.iter().enumerate() {
            let (elem, name) = (self.elem(array.elem), &self.names.arrays[n]);
            let extents: String = self
                .array_extents(array)
                .iter()
                .map(|e| format!("[{e}]"))
                .collect();
            let _ = match self.form.choice(Feature::Arrays) {
                "macro-parameter" => {
                    writeln!(out, "#define GRID_{name}(name_) {elem} name_{extents}")
                }
                "typedef" => writeln!(out, "typedef {elem} grid_{name}{extents};"),
                _ => Ok(()),
            };
        }
        out
    }

    /// Parameters of the function around the region.
    pub fn params(&self) -> Vec<String> {
        let mut params: Vec<String> = Vec::new();
        if self.form.of(Feature::Sizes) == 0 {
            let name = self.size_type();
            params.extend(self.names.params.iter().map(|p| format!("{name} {p}")));
        }
        let scalars = self.program.scalars.iter().zip(&self.names.scalars);
        params.extend(scalars.map(|(e, name)| format!("{} {name}", self.elem(*e))));
        if !self.form.global_arrays() {
            params.extend((0..self.program.arrays.len()).map(|n| self.array_param(n)));
        }
        params
    }

    /// The type of sizes.
    pub fn size_type(&self) -> &'static str {
        match self.form.choice(Feature::SizeType) {
            "const-int" => "const int",
            name => name,
        }
    }

    /// What has to be declared before the region: iterators and temporaries.
    pub fn declarations(&self) -> String {
        let mut out = String::new();
        let (kind, names) = (self.iterator_type(), &self.names);
        // Those of functions for each nest are declared there.
        let inner: &[String] = match self.form.in_steps() {
            true => &[],
            false => &names.iterators,
        };
        let all: Vec<&str> = std::iter::once(&names.time)
            .chain(inner)
            .map(String::as_str)
            .collect();
        let _ = match self.form.choice(Feature::Iterators) {
            "top" => writeln!(out, "  {kind} {};", all.join(", ")),
            "time-at-top" => writeln!(out, "  {kind} {};", names.time),
            "initialized" => {
                let lines: Vec<String> =
                    all.iter().map(|n| format!("  {kind} {n} = 0;\n")).collect();
                write!(out, "{}", lines.concat())
            }
            _ => Ok(()),
        };
        out.push_str(&self.plane_pointers());
        if self.form.choice(Feature::TimeLoop) == "converging" {
            out.push_str("  double fz_norm = 0;\n");
        }
        if self.form.choice(Feature::Temporaries) == "top-of-function" {
            let mut done = BTreeSet::new();
            let items = self.program.nests.iter().flat_map(|n| &n.items);
            for (n, (elem, _)) in items.flat_map(|i| i.locals.iter().enumerate()) {
                if done.insert(n) {
                    let _ = writeln!(out, "  {} {};", self.elem(*elem), names.locals[n]);
                }
            }
        }
        out
    }

    /// The function around the region: `before` and `after` are statements of it.
    pub fn function(&self, before: &str, after: &str) -> String {
        let params = self.params();
        let params = if params.is_empty() {
            "void".to_string()
        } else {
            params.join(", ")
        };
        format!(
            "static void {}({params})\n{{\n{}{before}{}{after}}}\n",
            self.names.function,
            self.declarations(),
            self.region()
        )
    }
}

impl Program {
    /// An access in C.
    pub fn access(&self, access: &Access) -> String {
        Writer::new(self, &Form::default(), "f").access(access)
    }

    /// The function alone.
    pub fn function(&self, name: &str) -> String {
        Writer::new(self, &Form::default(), name).function("", "")
    }

    /// What hexcc gets to translate: the function and what it needs.
    pub fn unit(&self, name: &str) -> String {
        format!("#include <math.h>\n\n{}", self.function(name))
    }

    /// The function's call: parameters are the elements of `values`, arrays
    /// those of `arrays`, wrapped by `pointer`.
    pub fn call(&self, name: &str, pointer: impl Fn(usize) -> String) -> String {
        let params = (0..self.params.len()).map(|p| format!("(int)values[{p}]"));
        let scalars = self.scalars.iter().enumerate();
        let scalars = scalars.map(|(s, e)| scalar_value(s, *e));
        let arrays = (0..self.arrays.len()).map(pointer);
        let args: Vec<String> = params.chain(scalars).chain(arrays).collect();
        format!("{name}({})", args.join(", "))
    }

    /// A complete program as the testsuite has them.
    pub fn testsuite_file(&self, name: &str, comment: &str, header: &str) -> String {
        let mut out = format!("/* {name}: {comment}\n * hexcc-test: {header}\n */\n");
        out.push_str("#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n");
        out.push_str(&self.function(name));
        out.push_str(
            "\nstatic unsigned state = 1;\n\nstatic unsigned next(void)\n{\n  state = state * 1664525u + 1013904223u;\n  return state >> 8;\n}\n\n\
             static unsigned long long hash = 14695981039346656037ull;\n\nstatic void add_to_hash(const void *data, size_t size)\n{\n  const unsigned char *byte = (const unsigned char *)data;\n\n  for (size_t i = 0; i < size; i++)\n    hash = (hash ^ byte[i]) * 1099511628211ull;\n}\n\nint main(int argc, char **argv)\n{\n",
        );
        let form = Form::default();
        let writer = Writer::new(self, &form, name);
        for (p, param) in self.params.iter().enumerate() {
            let _ = writeln!(
                out,
                "  int {param} = argc > {} ? atoi(argv[{}]) : 20;",
                p + 1,
                p + 1
            );
        }
        for array in &self.arrays {
            let (c, name) = (array.elem.c(), &array.name);
            let extents: String = (writer.array_extents(array).iter())
                .map(|e| format!("[{e}]"))
                .collect();
            let row = extents.split_once(']').map_or("", |(_, rest)| rest);
            let _ = writeln!(out, "  size_t {name}_size = sizeof({c}{extents});");
            let _ = if row.is_empty() {
                writeln!(out, "  {c} *{name} = ({c} *)malloc({name}_size);")
            } else {
                writeln!(
                    out,
                    "  {c} (*{name}){row} = ({c} (*){row})malloc({name}_size);"
                )
            };
        }
        out.push('\n');
        for array in &self.arrays {
            let (c, name) = (array.elem.c(), &array.name);
            let value = match array.elem {
                Elem::Float => "next() / 16777216.0f",
                Elem::Double => "next() / 16777216.0",
                Elem::Int => "(int)(next() % 200)",
                Elem::Byte => "(unsigned char)next()",
            };
            let _ = writeln!(
                out,
                "  for (size_t n = 0; n < {name}_size / sizeof({c}); n++)\n    (({c} *){name})[n] = {value};"
            );
        }
        let args: Vec<String> = (self.params.iter().cloned())
            .chain((self.scalars.iter().enumerate()).map(|(s, e)| scalar_value(s, *e)))
            .chain(self.arrays.iter().map(|a| a.name.clone()))
            .collect();
        let _ = writeln!(out, "  {name}({});", args.join(", "));
        for array in &self.arrays {
            let name = &array.name;
            let _ = writeln!(out, "  add_to_hash({name}, {name}_size);");
        }
        out.push_str("  printf(\"%016llx\\n\", hash);\n");
        for array in &self.arrays {
            let _ = writeln!(out, "  free({});", array.name);
        }
        out.push_str("  return 0;\n}\n");
        out
    }
}

impl Program {
    /// Line of every statement in [`Program::unit`], counted from 0.
    pub fn stmt_lines(&self, name: &str) -> Vec<usize> {
        let form = Form::default();
        let writer = Writer::new(self, &form, name);
        let text = self.unit(name);
        let mut lines = text.lines().enumerate();
        (self.stmts().iter())
            .filter_map(|stmt| {
                let wanted = writer.stmt(stmt);
                lines.find(|(_, l)| l.trim() == wanted).map(|(n, _)| n)
            })
            .collect()
    }
}
