//! A program as C text.

use crate::model::{
    Access, Array, Cond, Elem, Expr, ITERATORS, Item, Nest, Program, Size, Stmt, Storage, Sub,
};
use std::fmt::Write;

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

impl Program {
    fn size_text(&self, size: Size) -> String {
        match size {
            Size::Param(p) => self.params[p].clone(),
            Size::Const(n) => n.to_string(),
        }
    }

    fn size_plus(&self, size: Size, c: i64) -> String {
        match size {
            Size::Param(p) => plus(&self.params[p], c),
            Size::Const(n) => (n + c).to_string(),
        }
    }

    fn sub(&self, sub: Sub) -> String {
        match sub {
            Sub::Iter(dim, c) => plus(ITERATORS[dim], c),
            Sub::First(c) => c.to_string(),
            Sub::Last(dim, c) => self.size_plus(self.sizes[dim], -1 - c),
            Sub::Mirror(dim) => {
                format!("{}-{}", self.size_plus(self.sizes[dim], -1), ITERATORS[dim])
            }
            Sub::ClampLow(dim, c) => {
                let i = ITERATORS[dim];
                format!("{i} < {c} ? 0 : {i}-{c}")
            }
            Sub::ClampHigh(dim, c) => {
                let (i, last) = (ITERATORS[dim], self.size_plus(self.sizes[dim], -1));
                format!("{i}+{c} > {last} ? {last} : {i}+{c}")
            }
        }
    }

    /// An access in C.
    pub fn access(&self, access: &Access) -> String {
        let array = &self.arrays[access.array];
        let mut text = array.name.clone();
        match array.storage {
            Storage::Plain => {}
            Storage::Buffer(m) if access.time == 0 => {
                let _ = write!(text, "[t%{m}]");
            }
            Storage::Buffer(m) => {
                let _ = write!(text, "[({})%{m}]", plus("t", access.time));
            }
            Storage::AllSteps(_) => {
                let _ = write!(text, "[{}]", plus("t", access.time));
            }
        }
        for &sub in &access.subs {
            let _ = write!(text, "[{}]", self.sub(sub));
        }
        text
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Lit(text) => text.clone(),
            Expr::Read(access) => self.access(access),
            Expr::Scalar(s) => format!("c{s}"),
            Expr::Iter(dim) => ITERATORS[*dim].to_string(),
            Expr::Local(n) => format!("x{n}"),
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
            Expr::Cast(elem, a) => format!("({}){}", elem.c(), self.expr(a)),
        }
    }

    fn stmt(&self, stmt: &Stmt) -> String {
        let value = self.expr(&stmt.value);
        let value = match &stmt.value {
            Expr::Bin(..) => &value[1..value.len() - 1],
            _ => &value,
        };
        let op = if stmt.accumulate { "+=" } else { "=" };
        format!("{} {op} {value};", self.access(&stmt.target))
    }

    fn cond(&self, cond: &Cond) -> String {
        match cond {
            Cond::Modulo(dims, time, m, r) => {
                let mut names: Vec<&str> = dims.iter().map(|&d| ITERATORS[d]).collect();
                if *time {
                    names.push("t");
                }
                format!("({}) % {m} == {r}", names.join(" + "))
            }
            Cond::AtLeast(dim, c) => format!("{} >= {c}", ITERATORS[*dim]),
            Cond::Below(dim, c) => format!(
                "{} < {}",
                ITERATORS[*dim],
                self.size_plus(self.sizes[*dim], -c)
            ),
            Cond::Ordered(a, c, b) => {
                format!("{} < {}", plus(ITERATORS[*a], *c), ITERATORS[*b])
            }
        }
    }

    fn item(&self, item: &Item, indent: &str, out: &mut String) {
        for (n, (elem, value)) in item.locals.iter().enumerate() {
            let _ = writeln!(out, "{indent}{} x{n} = {};", elem.c(), self.expr(value));
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

    fn nest(&self, nest: &Nest, out: &mut String) {
        let mut indent = "    ".to_string();
        for l in &nest.loops {
            let i = ITERATORS[l.dim];
            let step = match l.step {
                1 => format!("{i}++"),
                n => format!("{i} += {n}"),
            };
            let _ = writeln!(
                out,
                "{indent}for (int {i} = {}; {i} < {}; {step}) {{",
                l.low,
                self.size_plus(self.sizes[l.dim], -l.high)
            );
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
        for _ in &nest.loops {
            indent.truncate(indent.len() - 2);
            let _ = writeln!(out, "{indent}}}");
        }
    }

    fn array_extents(&self, array: &Array) -> Vec<String> {
        let time = match array.storage {
            Storage::Plain => None,
            Storage::Buffer(m) => Some(m.to_string()),
            Storage::AllSteps(extra) => Some(self.size_plus(self.steps, extra)),
        };
        let space = (array.dims.iter().zip(&array.extra))
            .map(|(&dim, &extra)| self.size_plus(self.sizes[dim], extra));
        time.into_iter().chain(space).collect()
    }

    /// The function alone.
    pub fn function(&self, name: &str) -> String {
        let mut params: Vec<String> = self.params.iter().map(|p| format!("int {p}")).collect();
        params.extend((self.scalars.iter().enumerate()).map(|(s, e)| format!("{} c{s}", e.c())));
        for array in &self.arrays {
            let mut text = format!("{} {}", array.elem.c(), array.name);
            for extent in self.array_extents(array) {
                let _ = write!(text, "[{extent}]");
            }
            params.push(text);
        }
        let mut out = format!(
            "static void {name}({})\n{{\n#pragma scop\n",
            params.join(", ")
        );
        let end = match self.inclusive {
            true => format!("t <= {}", self.size_plus(self.steps, -1)),
            false => format!("t < {}", self.size_text(self.steps)),
        };
        let step = match self.step_stride {
            1 => "t++".to_string(),
            n => format!("t += {n}"),
        };
        let _ = writeln!(out, "  for (int t = {}; {end}; {step}) {{", self.first_step);
        for nest in &self.nests {
            self.nest(nest, &mut out);
        }
        out.push_str("  }\n#pragma endscop\n}\n");
        out
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
            let extents: String = (self.array_extents(array).iter())
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
        let text = self.unit(name);
        let mut lines = text.lines().enumerate();
        (self.stmts().iter())
            .filter_map(|stmt| {
                let wanted = self.stmt(stmt);
                lines.find(|(_, l)| l.trim() == wanted).map(|(n, _)| n)
            })
            .collect()
    }
}
