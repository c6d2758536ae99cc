//! A stencil as plain C: loops that do what the text says, for everything that takes C.

use crate::lower::{Lowering, Plane};
use crate::model::{Field, Read, Statement};
use hexcc_compiler::diag::Result;
use hexcc_compiler::scop::Expr;
use std::fmt::Write;

/// The function of a program: sizes, scalars and fields are its parameters, in the order of their declarations.
///
/// # Errors
/// What a stencil cannot be made of either.
pub fn print(lowering: &Lowering) -> Result<String> {
    let model = lowering.model;
    let mut text = format!("// The stencil `{}` as plain C.\n", model.name);
    if lowering.statements.iter().any(|stmt| calls(stmt)) {
        text.push_str("#include <math.h>\n");
    }
    let sizes = model.sizes.iter().map(|size| format!("int {size}"));
    let fields = (model.fields.iter().zip(&lowering.doubled)).map(|(field, two)| {
        let fixed = if field.is_const { "const " } else { "" };
        let mut text = format!("{fixed}{} {}", field.ty, field.name);
        text.push_str(if *two { "[2]" } else { "" });
        let extents = field.dims.iter().map(|(extent, _)| format!("[{extent}]"));
        text.extend(extents);
        text
    });
    let parameters: Vec<String> = sizes.chain(fields).collect();
    let (name, parameters) = (&model.name, parameters.join(", "));
    let _ = writeln!(text, "\nvoid {name}({parameters})\n{{");
    let (time, (first, end)) = (&model.time, &model.steps);
    let _ = writeln!(
        text,
        "  for (int {time} = {first}; {time} < {end}; {time}++) {{"
    );
    for s in 0..lowering.statements.len() {
        text.push_str(&statement(lowering, s)?);
    }
    text.push_str("  }\n}\n");
    Ok(text)
}

/// The loops of a statement.
fn statement(lowering: &Lowering, s: usize) -> Result<String> {
    let stmt = lowering.statements[s];
    let mut text = String::new();
    let mut indent = "    ".to_string();
    for (name, (low, high, _)) in lowering.coordinates.iter().zip(&stmt.ranges) {
        let _ = writeln!(
            text,
            "{indent}for (int {name} = {low}; {name} < {high}; {name}++)"
        );
        indent.push_str("  ");
    }
    let reads: Vec<String> = (0..stmt.reads.len())
        .map(|n| read(lowering, (s, n)))
        .collect::<Result<_>>()?;
    let value = |expr: &Expr| {
        Values {
            stmt,
            reads: &reads,
        }
        .text(expr)
    };
    let field = &lowering.model.fields[stmt.field];
    let plane = match lowering.doubled[stmt.field] {
        true => format!("[{}]", lowering.plane_in_c(&Plane::New)),
        false => String::new(),
    };
    let cell: String = (lowering.coordinates.iter().zip(&stmt.ranges))
        .map(|(name, _)| format!("[{name}]"))
        .collect();
    let assigned = format!("{}{plane}{cell} = {};\n", field.name, value(&stmt.value));
    if stmt.locals.is_empty() {
        text.push_str(&(indent + &assigned));
        return Ok(text);
    }
    let outer = indent.strip_suffix("  ").unwrap_or_default().to_string();
    let open = text.trim_end().len();
    text.truncate(open);
    text.push_str(" {\n");
    for (name, local) in &stmt.locals {
        let _ = writeln!(
            text,
            "{indent}const {} {name} = {};",
            local.ty(),
            value(local)
        );
    }
    text.push_str(&(indent + &assigned));
    text.push_str(&(outer + "}\n"));
    Ok(text)
}

/// A cell that a statement reads.
fn read(lowering: &Lowering, (s, n): (usize, usize)) -> Result<String> {
    let read: &Read = &lowering.statements[s].reads[n];
    let field: &Field = &lowering.model.fields[read.field];
    let mut text = field.name.clone();
    if lowering.doubled[read.field] {
        let plane = lowering.plane(s, n)?;
        let _ = write!(text, "[{}]", lowering.plane_in_c(&plane));
    }
    let subscripts = &lowering.cells[s][n].subscripts;
    text.extend(subscripts.iter().map(|at| format!("[{at}]")));
    Ok(text)
}

/// Whether a statement calls functions of `<math.h>`.
fn calls(stmt: &Statement) -> bool {
    let locals = stmt.locals.iter().map(|(_, local)| local);
    locals.chain([&stmt.value]).any(has_call)
}

fn has_call(expr: &Expr) -> bool {
    match expr {
        Expr::Call { .. } | Expr::Cell { .. } => true,
        Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => has_call(arg),
        Expr::Binary { lhs, rhs, .. } => has_call(lhs) || has_call(rhs),
        Expr::Cond { cond, yes, no } => has_call(cond) || has_call(yes) || has_call(no),
        Expr::Int { .. }
        | Expr::Float { .. }
        | Expr::Read(..)
        | Expr::Local(..)
        | Expr::Affine { .. } => false,
    }
}

/// The values of a statement as C.
struct Values<'a> {
    stmt: &'a Statement,
    reads: &'a [String],
}

impl Values<'_> {
    fn text(&self, expr: &Expr) -> String {
        match expr {
            Expr::Binary { op, lhs, rhs } => {
                format!(
                    "{} {op} {}",
                    self.operand(lhs, op, false),
                    self.operand(rhs, op, true)
                )
            }
            Expr::Cond { cond, yes, no } => format!(
                "{} ? {} : {}",
                self.closed(cond),
                self.closed(yes),
                self.closed(no)
            ),
            Expr::Unary { op, arg } => format!("{op}{}", self.closed(arg)),
            Expr::Cast { ty, arg } => format!("({ty}){}", self.closed(arg)),
            Expr::Int { value, .. } => value.clone(),
            Expr::Float { text, .. } => text.clone(),
            Expr::Read(n, _) => self.reads.get(*n).cloned().unwrap_or_default(),
            Expr::Local(n, _) => self
                .stmt
                .locals
                .get(*n)
                .map_or("", |(name, _)| name)
                .to_string(),
            Expr::Call { name, args } | Expr::Cell { name, args, .. } => {
                let args: Vec<String> = args.iter().map(|arg| self.text(arg)).collect();
                format!("{name}({})", args.join(", "))
            }
            // No text has such a value: sizes and times are none.
            Expr::Affine { .. } => String::new(),
        }
    }

    /// An operand; those of sums and products that C's precedence keeps together stand alone.
    fn operand(&self, expr: &Expr, parent: &str, is_right: bool) -> String {
        let level = |op: &str| match op {
            "*" | "/" | "%" => 2,
            "+" | "-" => 1,
            _ => 0,
        };
        match expr {
            Expr::Binary { op, .. }
                if level(op) > 0
                    && level(parent) > 0
                    && (level(op) > level(parent) || !is_right && level(op) == level(parent)) =>
            {
                self.text(expr)
            }
            _ => self.closed(expr),
        }
    }

    /// In parentheses, if there are operators outside.
    fn closed(&self, expr: &Expr) -> String {
        match expr {
            Expr::Binary { .. } | Expr::Cond { .. } | Expr::Unary { .. } | Expr::Cast { .. } => {
                format!("({})", self.text(expr))
            }
            _ => self.text(expr),
        }
    }
}
