//! Values of statements, with types as in C.

use super::bounds::offset;
use super::{Meaning, dimensions, unknown, wrong_number};
use crate::model::{Field, Read};
use crate::syntax::{self, Name, Value};
use hexcc_compiler::ctype::{CType, math_function};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::scop::Expr;
use std::collections::HashMap;
use std::ops::Range;

/// The values of a statement, and what is wrong with them.
pub struct Values<'a> {
    names: &'a HashMap<String, (Meaning, Range<usize>)>,
    fields: &'a [Field],
    /// The type of numbers without a suffix.
    real: CType,
    /// Dimensions of the sub-grid.
    n_dims: usize,
    bound: HashMap<String, usize>,
    /// Cells that are read.
    pub reads: Vec<Read>,
    /// Values with names.
    pub locals: Vec<(String, Expr)>,
    /// Errors.
    pub wrong: Vec<Diagnostic>,
}

/// What takes the place of a value that is wrong, so that others are still checked.
fn nothing() -> Expr {
    Expr::Int {
        value: "0".to_string(),
        ty: CType::INT,
    }
}

impl<'a> Values<'a> {
    /// Those of a statement that assigns to a field.
    pub fn new(
        names: &'a HashMap<String, (Meaning, Range<usize>)>,
        fields: &'a [Field],
        field: &Field,
    ) -> Values<'a> {
        Values {
            names,
            fields,
            real: match field.ty {
                CType::Float => CType::Float,
                _ => CType::Double,
            },
            n_dims: field.dims.len(),
            bound: HashMap::new(),
            reads: Vec::new(),
            locals: Vec::new(),
            wrong: Vec::new(),
        }
    }

    /// Gives a value a name.
    pub fn bind(&mut self, name: &Name, value: &Value) {
        let expr = self.value(value);
        let known = self.names.get(&name.node).map(|(_, declared)| declared);
        if known.is_some() || self.bound.contains_key(&name.node) {
            let d = Diagnostic::error("HX0702", format!("`{}` is declared twice", name.node))
                .at(name.span.clone(), "declared here again");
            let d = known.iter().fold(d, |d, declared| {
                d.also((*declared).clone(), "declared here first")
            });
            self.wrong.push(d);
            return;
        }
        self.bound.insert(name.node.clone(), self.locals.len());
        self.locals.push((name.node.clone(), expr));
    }

    /// The value that a field gets.
    pub fn assigned(&mut self, value: &Value, field: &Field) -> Expr {
        let n_wrong = self.wrong.len();
        let expr = self.value(value);
        let ty = expr.ty();
        if self.wrong.len() == n_wrong && !field.ty.is_floating() && ty.is_floating() {
            let what = format!(
                "a `{ty}` is no value of `{}`, whose cells are `int`",
                field.name
            );
            let d = Diagnostic::error("HX0704", what)
                .at(value.span.clone(), format!("this is a `{ty}`"))
                .help("`int(..)` rounds it towards zero");
            self.wrong.push(d);
        }
        expr
    }

    fn value(&mut self, value: &Value) -> Expr {
        use syntax::Expr as E;
        match &value.node {
            E::Int(text) => self.int(text, value),
            E::Real(text) => self.real(text, value),
            E::Name(name) => self.name(&value.with(name.clone())),
            E::Read(name, offsets) => self.read(name, offsets, value),
            E::Call(name, args) => self.call(name, args, value),
            E::Unary("+", of) => self.value(of),
            E::Unary(op, of) => Expr::Unary {
                op,
                arg: Box::new(self.value(of)),
            },
            E::Cast(ty, of) => Expr::Cast {
                ty: super::ctype(*ty),
                arg: Box::new(self.value(of)),
            },
            E::Binary(op, a, b) => {
                let (lhs, rhs) = (self.value(a), self.value(b));
                if *op == "%" && (lhs.ty().is_floating() || rhs.ty().is_floating()) {
                    let d = Diagnostic::error("HX0704", "`%` is the remainder of integers")
                        .at(value.span.clone(), "this has another type")
                        .help("`fmod(a, b)` is that of numbers with a point");
                    self.wrong.push(d);
                }
                let (lhs, rhs) = (Box::new(lhs), Box::new(rhs));
                Expr::Binary { op, lhs, rhs }
            }
            E::Cond(cond, yes, no) => Expr::Cond {
                cond: Box::new(self.value(cond)),
                yes: Box::new(self.value(yes)),
                no: Box::new(self.value(no)),
            },
        }
    }

    fn int(&mut self, text: &str, value: &Value) -> Expr {
        match text.parse::<i32>() {
            Ok(n) => Expr::Int {
                value: n.to_string(),
                ty: CType::INT,
            },
            Err(_) => self.too_large(value, "integers have 32 bits"),
        }
    }

    fn real(&mut self, text: &str, value: &Value) -> Expr {
        let (digits, ty) = match text.strip_suffix('f') {
            Some(digits) => (digits, CType::Float),
            None => (text, self.real),
        };
        let digits = digits.to_ascii_lowercase();
        let is_finite = match ty {
            CType::Float => digits.parse().is_ok_and(f32::is_finite),
            _ => digits.parse().is_ok_and(f64::is_finite),
        };
        let digits = match digits.contains(['.', 'e']) {
            true => digits,
            false => digits + ".0",
        };
        let text = match ty {
            CType::Float => digits + "f",
            _ => digits,
        };
        match is_finite {
            true => Expr::Float { text, ty },
            false => self.too_large(value, &format!("a `{ty}` cannot be as large")),
        }
    }

    fn too_large(&mut self, value: &Value, label: &str) -> Expr {
        let d = Diagnostic::error("HX0704", "a number is too large");
        self.wrong.push(d.at(value.span.clone(), label));
        nothing()
    }

    fn name(&mut self, name: &Name) -> Expr {
        if let Some(n) = self.bound.get(&name.node) {
            return Expr::Local(*n, self.locals[*n].1.ty());
        }
        let d = match self.names.get(&name.node) {
            Some((Meaning::Field(n), _)) => {
                let offsets = vec![0; self.fields[*n].dims.len()];
                return self.cell(*n, offsets, name.span.clone());
            }
            Some((meaning, declared)) => {
                let what = format!(
                    "`{}` is {}, and no value",
                    name.node,
                    meaning.kind(self.fields)
                );
                Diagnostic::error("HX0704", what)
                    .at(name.span.clone(), "used as a value here")
                    .also(declared.clone(), "declared here")
                    .help(match meaning {
                        Meaning::Struct => "name one of its members, such as `c.u`",
                        _ => "declare a scalar for it, which the program passes",
                    })
            }
            None => unknown(name, self.names, "field or scalar"),
        };
        self.wrong.push(d);
        nothing()
    }

    fn cell(&mut self, field: usize, offsets: Vec<i64>, span: Range<usize>) -> Expr {
        let known = &self.fields[field];
        let n = known.dims.len();
        if n != 0 && n != self.n_dims {
            let (has, of) = (dimensions(n), dimensions(self.n_dims));
            let what = format!("`{}` has {has}, and the sub-grid has {of}", known.name);
            let d = Diagnostic::error("HX0703", what)
                .at(span, "an offset has no meaning here")
                .help("declare the field with as many dimensions");
            self.wrong.push(d);
            return nothing();
        }
        self.reads.push(Read {
            field,
            offsets,
            span,
        });
        Expr::Read(self.reads.len() - 1, self.fields[field].ty)
    }

    fn read(&mut self, name: &Name, offsets: &[Value], value: &Value) -> Expr {
        let field = match self.names.get(&name.node) {
            Some((Meaning::Field(n), _)) => *n,
            found => {
                let d = match found {
                    Some((meaning, declared)) => {
                        let kind = meaning.kind(self.fields);
                        let what = format!("`{}` is {kind}, and no field", name.node);
                        Diagnostic::error("HX0704", what)
                            .at(value.span.clone(), "a cell of it is read here")
                            .also(declared.clone(), "declared here")
                    }
                    None => unknown(name, self.names, "field"),
                };
                self.wrong.push(d);
                return nothing();
            }
        };
        let mut numbers = Vec::new();
        for at in offsets {
            match offset(at, self.names) {
                Ok(n) => numbers.push(n),
                Err(d) => self.wrong.push(*d),
            }
        }
        let n = offsets.len();
        if n != self.fields[field].dims.len() {
            let place = value.span.clone();
            let d = wrong_number(self.names, self.fields, (&name.node, n), place);
            self.wrong.push(d);
        }
        match numbers.len() == self.fields[field].dims.len() {
            true => self.cell(field, numbers, value.span.clone()),
            false => nothing(),
        }
    }

    fn call(&mut self, name: &Name, args: &[Value], value: &Value) -> Expr {
        let args: Vec<Expr> = args.iter().map(|arg| self.value(arg)).collect();
        let types = args.iter().map(Expr::ty);
        let ty = types.reduce(CType::usual).unwrap_or(CType::INT);
        let called = variant(&name.node, ty);
        let Some(function) = math_function(&called) else {
            let what = format!("there is no function `{}`", name.node);
            let d = Diagnostic::error("HX0702", what).at(name.span.clone(), "called here");
            let d = d.note("functions are those of C's <math.h>, such as `sqrt`, `fabs`, `fmin`, `exp` and `pow`");
            self.wrong.push(d);
            return nothing();
        };
        if function.n_args != args.len() {
            let n = function.n_args;
            let plural = if n == 1 { "" } else { "s" };
            let what = format!(
                "`{}` has {n} argument{plural}, not {}",
                name.node,
                args.len()
            );
            self.wrong
                .push(Diagnostic::error("HX0703", what).at(value.span.clone(), "called here"));
            return nothing();
        }
        Expr::Call { name: called, args }
    }
}

/// The variant of a function for the type of its arguments.
fn variant(name: &str, ty: CType) -> String {
    let name = match name {
        "abs" if ty.is_floating() => "fabs",
        "min" if ty.is_floating() => "fmin",
        "max" if ty.is_floating() => "fmax",
        name => name,
    };
    let of_float = format!("{name}f");
    let is_double = math_function(name).is_some_and(|f| f.arg == CType::Double);
    match ty == CType::Float && is_double && math_function(&of_float).is_some() {
        true => of_float,
        false => name.to_string(),
    }
}
