//! C spelling of isl expressions and of statement bodies.

use super::names::Names;
use crate::ctype::{CType, math_function};
use crate::kernel::{KernelAccess, KernelStmt, Read, Stencil};
use crate::print::c::{ATOM, Piece, UNARY, binary, precedence};
use crate::quotient::{Divisions, Form};
use crate::scop::Expr;
use hexcc_isl::{AstExpr, AstOp};

/// The type of whole numbers that tells all values of a type apart.
pub(super) fn bits(elem: CType) -> &'static str {
    match elem.size() {
        8 => "unsigned long long",
        2 => "unsigned short",
        1 => "unsigned char",
        _ => "unsigned",
    }
}

/// A function of integers that generated code calls.
pub struct Helper {
    /// Its name.
    pub name: &'static str,
    /// The second parameter; the first is `x`.
    second: &'static str,
    value: &'static str,
    /// What it computes, empty where the name says it.
    pub comment: &'static str,
}

impl Helper {
    /// Its definition, one line.
    pub fn definition(&self, qualifiers: &str) -> String {
        format!(
            "{qualifiers} long long {}(long long x, long long {}) {{ return {}; }}\n",
            self.name, self.second, self.value
        )
    }
}

/// What subscripts of time buffers and isl's expressions call.
pub const HELPERS: [Helper; 4] = [
    Helper {
        name: "mod",
        second: "m",
        value: "(x % m + m) % m",
        comment: "Remainder with the sign of the divisor, for time buffers.",
    },
    Helper {
        name: "floor_div",
        second: "d",
        value: "x / d - (x % d < 0)",
        comment: "Quotient rounded towards minus infinity.",
    },
    Helper {
        name: "lowest",
        second: "y",
        value: "x < y ? x : y",
        comment: "",
    },
    Helper {
        name: "highest",
        second: "y",
        value: "x > y ? x : y",
        comment: "",
    },
];

/// An isl expression in C, which may call `HELPERS`.
pub fn ast_to_c(expr: &AstExpr, names: &Names) -> String {
    ast(expr, names).0
}

/// Like [`ast_to_c`], parenthesised where it is not a name or a number.
pub fn ast_operand(expr: &AstExpr, names: &Names) -> String {
    ast(expr, names).at(UNARY)
}

fn ast(expr: &AstExpr, names: &Names) -> Piece {
    match expr {
        AstExpr::Int(v) if *v < 0 => Piece(v.to_string(), UNARY),
        AstExpr::Int(v) => Piece(v.to_string(), ATOM),
        AstExpr::Id(name) => Piece(names.get(name), ATOM),
        AstExpr::Op(op, args) => operation(*op, args, names),
    }
}

fn operation(op: AstOp, args: &[AstExpr], names: &Names) -> Piece {
    let fold = |symbol: &str| {
        let mut parts = args.iter().map(|a| ast(a, names));
        let first = parts.next().unwrap_or(Piece("0".into(), ATOM));
        parts.fold(first, |l, r| binary(symbol, l, r))
    };
    let call = |name: &str| {
        let name = names.helper(name);
        let mut parts = args.iter().map(|a| ast_to_c(a, names));
        let first = parts.next().unwrap_or_default();
        Piece(parts.fold(first, |l, r| format!("{name}({l}, {r})")), ATOM)
    };
    match op {
        AstOp::And | AstOp::AndThen => fold("&&"),
        AstOp::Or | AstOp::OrElse => fold("||"),
        AstOp::Max => call("highest"),
        AstOp::Min => call("lowest"),
        AstOp::Minus => {
            let arg = args
                .first()
                .map_or(Piece("0".into(), ATOM), |a| ast(a, names));
            Piece(format!("-{}", arg.at(ATOM)), UNARY)
        }
        AstOp::Add => fold("+"),
        AstOp::Sub => fold("-"),
        AstOp::Mul => fold("*"),
        AstOp::Div | AstOp::PdivQ => fold("/"),
        AstOp::FdivQ => call("floor_div"),
        AstOp::PdivR | AstOp::ZdivR => fold("%"),
        AstOp::Eq => fold("=="),
        AstOp::Le => fold("<="),
        AstOp::Lt => fold("<"),
        AstOp::Ge => match args {
            // isl writes `N >= i + 2`; `i < N - 1` reads better.
            [AstExpr::Id(_), AstExpr::Op(AstOp::Add, sum)] => match sum.as_slice() {
                [x, AstExpr::Int(c)] if *c >= 1 => {
                    let bound = match c {
                        1 => args[0].clone(),
                        c => AstExpr::Op(AstOp::Sub, vec![args[0].clone(), AstExpr::Int(c - 1)]),
                    };
                    binary("<", ast(x, names), ast(&bound, names))
                }
                _ => fold(">="),
            },
            [AstExpr::Id(_), x @ AstExpr::Id(_)] => {
                binary("<=", ast(x, names), ast(&args[0], names))
            }
            _ => fold(">="),
        },
        AstOp::Gt => fold(">"),
        AstOp::Cond | AstOp::Select => {
            let text = |i: usize| {
                args.get(i)
                    .map_or(Piece("0".into(), ATOM), |a| ast(a, names))
            };
            Piece(
                format!("{} ? {} : {}", text(0).at(3), text(1).at(3), text(2).at(2)),
                precedence("?:"),
            )
        }
        AstOp::Call | AstOp::Access | AstOp::Member | AstOp::AddressOf => {
            let args: Vec<String> = args.iter().map(|a| ast_to_c(a, names)).collect();
            Piece(format!("hexcc_unexpected({})", args.join(", ")), ATOM)
        }
    }
}

/// What a statement computes, in C.
pub struct Body {
    /// Definitions of its local variables, one a line.
    pub definitions: Vec<String>,
    /// The value it writes.
    pub value: String,
}

/// Whether a value is one of a row that is computed again where a quotient has to be exact.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// It is.
    Yes,
    /// It is not.
    No,
}

/// The functions that divide by constants in these statements, in CUDA.
pub fn quotients<'a>(stmts: impl IntoIterator<Item = &'a KernelStmt>, row: Row) -> String {
    let mut definitions = Vec::new();
    for form in stmts.into_iter().flat_map(KernelStmt::quotients) {
        let Form::Fused(fused) = form else { continue };
        let definition = match row {
            Row::Yes => fused.of_rows(),
            Row::No => fused.in_cuda(),
        };
        if !definitions.contains(&definition) {
            definitions.push(definition);
        }
    }
    definitions.concat()
}

/// The body of a statement whose array elements are read as `element` says.
pub fn body(
    stencil: &Stencil,
    stmt: &KernelStmt,
    names: &Names,
    element: impl Fn(&KernelAccess) -> String,
) -> Body {
    let reads: Vec<String> = (stmt.reads.iter())
        .map(|read| match read {
            Read::Scalar(i) => names.get(&stencil.scalars[*i].0),
            Read::Element(access) => element(access),
        })
        .collect();
    body_with(stmt, names, &reads, Row::No)
}

/// The body of a statement, given the text of every read. In a `row`, quotients by constants are told
/// whether to be exact, and tell whether they have to.
pub fn body_with(stmt: &KernelStmt, names: &Names, reads: &[String], row: Row) -> Body {
    // A suffix keeps locals apart from the names of the kernel.
    let locals: Vec<String> = (stmt.locals.iter().enumerate())
        .map(|(i, (name, ..))| format!("{name}_v{i}"))
        .collect();
    let mut printer = BodyPrinter {
        names,
        reads,
        locals: &locals,
        affine: stmt.affine.iter(),
        divisions: stmt.divisions,
        row,
    };
    let definitions = (stmt.locals.iter().zip(&locals))
        .map(|((_, ty, value), name)| format!("const {ty} {name} = {};", printer.print(value)))
        .collect();
    let value = printer.print(&stmt.value);
    Body { definitions, value }
}

/// Prints statement expressions in the source's order of operations, with the
/// conversions that C does silently and C++ would do differently.
struct BodyPrinter<'a> {
    names: &'a Names,
    /// Text of every read.
    reads: &'a [String],
    /// Names of the statement's local variables.
    locals: &'a [String],
    /// Affine sub-expressions in traversal order.
    affine: std::slice::Iter<'a, AstExpr>,
    /// [`KernelStmt::divisions`].
    divisions: Divisions,
    row: Row,
}

impl BodyPrinter<'_> {
    /// The expression in C.
    fn print(&mut self, expr: &Expr) -> String {
        self.piece(expr).0
    }

    fn piece(&mut self, expr: &Expr) -> Piece {
        match expr {
            Expr::Int { value, ty } => {
                let suffix = match ty {
                    CType::UInt(8) => "ull",
                    CType::Int(8) => "ll",
                    CType::UInt(_) => "u",
                    _ => "",
                };
                let strength = if value.starts_with('-') { UNARY } else { ATOM };
                Piece(format!("{value}{suffix}"), strength)
            }
            Expr::Float { text, .. } => {
                let strength = if text.starts_with('-') { UNARY } else { ATOM };
                Piece(text.clone(), strength)
            }
            Expr::Read(i, _) => Piece(self.reads[*i].clone(), ATOM),
            Expr::Local(i, _) => Piece(self.locals[*i].clone(), ATOM),
            Expr::Affine { ty, .. } => {
                let value = match self.affine.next() {
                    Some(value) => ast(value, self.names),
                    None => Piece("0".into(), ATOM),
                };
                match (value, *ty) {
                    (Piece(text, ATOM), CType::INT) if text.parse::<i32>().is_ok() => {
                        Piece(text, ATOM)
                    }
                    (value, ty) => Piece(format!("({ty}){}", value.at(UNARY)), UNARY),
                }
            }
            Expr::Unary { op, arg } => {
                let arg = self.piece(arg).at(ATOM);
                Piece(format!("{op}{arg}"), UNARY)
            }
            Expr::Binary { op, lhs, rhs } => {
                let form = self.divisions.form(expr);
                let lhs = self.piece(lhs);
                let rhs = self.piece(rhs);
                match form {
                    None => binary(op, lhs, rhs),
                    Some(Form::Product) => {
                        let lhs = Piece(format!("(double){}", lhs.at(UNARY)), UNARY);
                        let reciprocal = binary("/", Piece("1.0".into(), ATOM), rhs);
                        let product = binary("*", lhs, reciprocal).at(ATOM);
                        Piece(format!("(float){product}"), UNARY)
                    }
                    Some(Form::Fused(fused)) => {
                        let (name, x) = (fused.name(), lhs.0);
                        let call = match self.row {
                            Row::Yes => format!("{name}<EXACTLY>({x}, tiny)"),
                            Row::No => format!("{name}({x})"),
                        };
                        Piece(call, ATOM)
                    }
                }
            }
            Expr::Cond { cond, yes, no } => {
                let cond = self.piece(cond).at(3);
                let yes = self.piece(yes).at(3);
                let no = self.piece(no).at(2);
                Piece(format!("{cond} ? {yes} : {no}"), precedence("?:"))
            }
            Expr::Cast { ty, arg } => {
                let arg = self.piece(arg).at(UNARY);
                Piece(format!("({ty}){arg}"), UNARY)
            }
            Expr::Call { name, args } => {
                let wanted = math_function(name).map(|m| m.arg);
                let mut texts = Vec::new();
                for arg in args {
                    let piece = self.piece(arg);
                    texts.push(match wanted {
                        Some(ty) if ty != arg.ty() => format!("({ty}){}", piece.at(UNARY)),
                        _ => piece.0,
                    });
                }
                Piece(format!("{name}({})", texts.join(", ")), ATOM)
            }
            Expr::Cell { name, args, .. } => {
                let args: Vec<String> = args.iter().map(|arg| self.piece(arg).0).collect();
                Piece(format!("{name}({})", args.join(", ")), ATOM)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> Box<AstExpr> {
        Box::new(AstExpr::Id(name.into()))
    }

    #[test]
    fn parentheses_keep_the_tree() {
        let names = Names::new(&[]);
        let sub = |a: AstExpr, b: AstExpr| AstExpr::Op(AstOp::Sub, vec![a, b]);
        let left = sub(sub(*id("a"), *id("b")), *id("c"));
        let right = sub(*id("a"), sub(*id("b"), *id("c")));
        assert_eq!(ast_to_c(&left, &names), "a - b - c");
        assert_eq!(ast_to_c(&right, &names), "a - (b - c)");
    }

    #[test]
    fn c_conversions_are_written_out() {
        let names = Names::new(&[]);
        let reads = ["A[i]".to_string()];
        let mut printer = BodyPrinter {
            names: &names,
            reads: &reads,
            locals: &[],
            affine: [].iter(),
            divisions: Divisions::InDouble,
            row: Row::No,
        };
        let call = |name: &str| Expr::Call {
            name: name.into(),
            args: vec![Expr::Read(0, CType::Float)],
        };
        assert_eq!(printer.print(&call("sqrt")), "sqrt((double)A[i])");
        assert_eq!(printer.print(&call("sqrtf")), "sqrtf(A[i])");
        let product = Expr::Binary {
            op: "*",
            lhs: Box::new(Expr::Float {
                text: "0.5f".into(),
                ty: CType::Float,
            }),
            rhs: Box::new(Expr::Binary {
                op: "*",
                lhs: Box::new(Expr::Read(0, CType::Float)),
                rhs: Box::new(Expr::Read(0, CType::Float)),
            }),
        };
        assert_eq!(printer.print(&product), "0.5f * (A[i] * A[i])");
        let divided = |text: &str| Expr::Binary {
            op: "/",
            lhs: Box::new(product.clone()),
            rhs: Box::new(Expr::Float {
                text: text.into(),
                ty: CType::Float,
            }),
        };
        assert_eq!(
            printer.print(&divided("49.7f")),
            "(float)((double)(0.5f * (A[i] * A[i])) * (1.0 / 49.7f))"
        );
        printer.divisions = Divisions::Fused;
        assert_eq!(
            printer.print(&divided("49.7f")),
            "divided_by_49_7f(0.5f * (A[i] * A[i]))"
        );
        printer.row = Row::Yes;
        assert_eq!(
            printer.print(&divided("49.7f")),
            "divided_by_49_7f<EXACTLY>(0.5f * (A[i] * A[i]), tiny)"
        );
        assert_eq!(
            printer.print(&divided("4.0f")),
            "0.5f * (A[i] * A[i]) / 4.0f"
        );
    }
}
