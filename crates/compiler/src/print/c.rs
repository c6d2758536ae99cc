//! C, as far as all targets share it: expressions, and statements but for those that name threads.

use super::namer::Namer;
use super::unknown;
use crate::ctype::CType;
use crate::ir::{Expr, Helper, Launch, Own, Program, Stmt, Type, Unroll, VarId, Wide};
use std::fmt::Write;

/// Binding strength of C operators; larger binds tighter.
pub(crate) fn precedence(op: &str) -> u8 {
    match op {
        "*" | "/" | "%" => 12,
        "+" | "-" => 11,
        "<<" | ">>" => 10,
        "<" | "<=" | ">" | ">=" => 9,
        "==" | "!=" => 8,
        "&" => 7,
        "^" => 6,
        "|" => 5,
        "&&" => 4,
        "||" => 3,
        "?:" => 2,
        _ => 1,
    }
}

/// Of unary operators.
pub(crate) const UNARY: u8 = 13;
/// Of names, numbers and calls.
pub(crate) const ATOM: u8 = 15;

/// Text with the strength of its outermost operator.
pub(crate) struct Piece(pub String, pub u8);

impl Piece {
    /// In parentheses where it binds less than `strength`.
    pub fn at(self, strength: u8) -> String {
        if self.1 < strength {
            format!("({})", self.0)
        } else {
            self.0
        }
    }
}

/// gcc and nvcc warn about these mixtures without parentheses, and readers
/// stumble over them.
fn confusing(outer: &str, inner: u8) -> bool {
    let bitwise = |s: u8| (5..=7).contains(&s) || s == 10;
    let outer_strength = precedence(outer);
    (outer == "||" && inner == precedence("&&")) || (bitwise(outer_strength) && inner < UNARY)
}

/// `lhs op rhs`, with the parentheses that it needs.
pub(crate) fn binary(op: &str, lhs: Piece, rhs: Piece) -> Piece {
    let p = precedence(op);
    let side = |piece: Piece, strength: u8| {
        if piece.1 != p && confusing(op, piece.1) {
            format!("({})", piece.0)
        } else {
            piece.at(strength)
        }
    };
    Piece(format!("{} {op} {}", side(lhs, p), side(rhs, p + 1)), p)
}

/// The second parameter of a helper, whose first is `x`, and its value.
pub(crate) fn definition_of(helper: Helper) -> (&'static str, &'static str) {
    match helper {
        Helper::FloorDiv => ("d", "x / d - (x % d < 0)"),
        Helper::Lowest => ("y", "x < y ? x : y"),
        Helper::Highest => ("y", "x > y ? x : y"),
        Helper::Mod => ("m", "(x % m + m) % m"),
        Helper::Relative => (
            "origin",
            "(int)lowest(highest(x - origin, -0x7fffffff), 0x7fffffff)",
        ),
    }
}

/// What a language has of its own.
pub(crate) trait Dialect {
    /// The type of a variable that is defined with its name.
    fn declaration(&self, ty: Type, constant: bool, name: &str) -> String;
    /// What a helper is called by.
    fn helper(&self, helper: Helper) -> String;
    /// What a type of numbers is called.
    fn number(&self, ty: CType) -> String {
        ty.to_string()
    }
    /// What follows an integer of a type in its text.
    fn suffix(&self, ty: CType) -> &'static str {
        match ty {
            CType::UInt(8) => "ull",
            CType::Int(8) => "ll",
            CType::UInt(_) => "u",
            _ => "",
        }
    }
    /// A call of a function that C's library has.
    fn call(&self, name: &str, args: &str) -> Piece {
        Piece(format!("{name}({args})"), ATOM)
    }
    /// A statement that folds `term` into a part, which has a name.
    fn fold(&self, part: VarId, name: &str, term: &str) -> String;
    /// A line before a loop, given whether its iterations may run in any order.
    fn before_loop(&self, _any_order: bool, _body: &[Stmt]) -> Option<&'static str> {
        None
    }
    /// A line before a loop, given whether it is written out.
    fn before_unrolled(&self, _writer: &Writer<'_>, _unroll: Unroll) -> Option<String> {
        None
    }
    /// Branches of one simple statement stand without braces, and an `else` where the one before it ends.
    fn joins_branches(&self) -> bool {
        false
    }
    /// A statement that goes on elsewhere.
    fn jump(&self, _stmt: &Stmt) -> String {
        "continue;".to_string()
    }
    /// What only programs of tiles have.
    fn of_tiles(&self, _writer: &Writer<'_>, _expr: &Expr) -> Piece {
        Piece(unknown("an expression of tiles"), ATOM)
    }
    /// A function that copies as many neighbouring elements at once, where the language has one; its
    /// arguments are pointers to the first element that is written and to the first that is read.
    fn wide(&self, _wide: &Wide, _stored: bool) -> Option<&'static str> {
        None
    }
    /// Whether a pointer is a multiple of [`crate::ir::WIDE`] bytes, or is none.
    fn aligned(&self, writer: &Writer<'_>, pointer: VarId, op: &'static str) -> Piece {
        let name = writer.namer.get(pointer);
        Piece(
            format!("(size_t){name} % {} {op} 0", crate::ir::WIDE),
            precedence(op),
        )
    }
    /// A number of the thread, where threads work together.
    fn own(&self, own: Own) -> String {
        unknown(own.name())
    }
    /// The value that the lane so many further on has.
    fn exchange(&self, _value: &str, _by: i32) -> String {
        unknown("an exchange")
    }
    /// Appends a statement of threads that work together. Only targets that have these get some.
    fn together(&self, writer: &mut Writer<'_>, _stmt: &Stmt) {
        writer.line(&unknown("a statement of threads that work together"));
    }
    /// Appends a launch.
    fn launch(&self, writer: &mut Writer<'_>, launch: &Launch);
}

/// Prints statements of a program, with the names that are in scope.
pub(crate) struct Writer<'a> {
    /// The program.
    pub program: &'a Program,
    /// The names in use.
    pub namer: Namer,
    dialect: &'a dyn Dialect,
    text: String,
    depth: usize,
}

impl<'a> Writer<'a> {
    /// A writer of one function.
    pub fn new(program: &'a Program, namer: Namer, dialect: &'a dyn Dialect) -> Writer<'a> {
        Writer {
            program,
            namer,
            dialect,
            text: String::new(),
            depth: 1,
        }
    }

    /// What has been written.
    pub fn finish(self) -> String {
        self.text
    }

    /// Appends a line.
    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * self.depth);
    }

    /// Appends a line that opens a block, the block, and its end.
    pub fn block(&mut self, head: &str, body: &[Stmt]) {
        let one = matches!(
            body,
            [Stmt::Assign { .. }
                | Stmt::Store(_)
                | Stmt::For {
                    unroll: Unroll::Free,
                    ..
                }]
        );
        if !one {
            return self.braced(head, |writer| writer.stmts(body));
        }
        self.line(head);
        self.body(body);
    }

    /// Appends a line that opens a block, what `inner` appends, and its end.
    pub fn braced(&mut self, head: &str, inner: impl FnOnce(&mut Self)) {
        self.line(format!("{head} {{").trim_start());
        let scope = self.namer.scope();
        self.depth += 1;
        inner(self);
        self.depth -= 1;
        self.namer.leave(scope);
        self.line("}");
    }

    /// A line in loops of one statement.
    pub fn nested(&mut self, heads: &[String], line: &str) {
        for head in heads {
            self.line(head);
            self.depth += 1;
        }
        self.line(line);
        self.depth -= heads.len();
    }

    /// The statements of a block, indented.
    pub fn body(&mut self, body: &[Stmt]) {
        let scope = self.namer.scope();
        self.depth += 1;
        self.stmts(body);
        self.depth -= 1;
        self.namer.leave(scope);
    }

    /// Statements, one after the other.
    pub fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let dialect = self.dialect;
        match stmt {
            Stmt::Comment(text) if text.is_empty() => self.text.push('\n'),
            Stmt::Comment(text) => self.line(&format!("// {text}")),
            Stmt::Let { var, value } => {
                let value = value.as_ref().map(|v| self.expr(v));
                let declared = self.declare(*var);
                self.line(&match value {
                    Some(value) => format!("{declared} = {value};"),
                    None => format!("{declared};"),
                });
            }
            Stmt::Assign { target, value } => {
                let text = format!("{} = {};", self.expr(target), self.expr(value));
                self.line(&text);
            }
            Stmt::If { .. } if dialect.joins_branches() => self.branches(stmt),
            Stmt::If { cond, yes, no } => {
                let head = format!("if ({})", self.expr(cond));
                self.block(&head, yes);
                if !no.is_empty() {
                    self.block("else", no);
                }
            }
            Stmt::For {
                var,
                first,
                cond,
                step,
                any_order,
                unroll,
                body,
            } => {
                if let Some(line) = dialect.before_loop(*any_order, body) {
                    self.line(line);
                }
                if let Some(line) = dialect.before_unrolled(self, *unroll) {
                    self.line(&line);
                }
                let (first, step) = (self.expr(first), self.expr(step));
                let scope = self.namer.scope();
                let head = self.loop_head(*var, &first, cond, &step);
                self.block(&head, body);
                self.namer.leave(scope);
            }
            Stmt::Fold { part, term } => {
                let text = dialect.fold(*part, &self.namer.get(*part), &self.expr(term));
                self.line(&text);
            }
            Stmt::Load(wide) => self.wide(wide, false),
            Stmt::Store(wide) => self.wide(wide, true),
            Stmt::Barrier
            | Stmt::BarrierOfWarp
            | Stmt::Copy { .. }
            | Stmt::EndOfGroup
            | Stmt::Wait(_)
            | Stmt::Call { .. }
            | Stmt::Define { .. }
            | Stmt::CopyBox(_)
            | Stmt::MoveRows(_)
            | Stmt::Reserve(_) => dialect.together(self, stmt),
            Stmt::Scope(body) => self.braced("", |writer| writer.stmts(body)),
            Stmt::Continue | Stmt::Return(_) => self.line(&dialect.jump(stmt)),
            Stmt::Launch(launch) => dialect.launch(self, launch),
        }
    }

    /// A condition and those behind it.
    fn branches(&mut self, stmt: &Stmt) {
        let mut arms = Vec::new();
        let mut rest = std::slice::from_ref(stmt);
        while let [Stmt::If { cond, yes, no }] = rest {
            let before = if arms.is_empty() { "" } else { "else " };
            arms.push((format!("{before}if ({})", self.expr(cond)), yes.as_slice()));
            rest = no;
        }
        if let ([(head, [jump @ (Stmt::Continue | Stmt::Return(_))])], []) = (arms.as_slice(), rest)
        {
            let jump = self.dialect.jump(jump);
            return self.line(&format!("{head} {jump}"));
        }
        if !rest.is_empty() {
            arms.push(("else".to_string(), rest));
        }
        let is_one = |body: &[Stmt]| {
            matches!(
                body,
                [Stmt::Assign { .. } | Stmt::Call { .. } | Stmt::Barrier]
            )
        };
        let braces = !arms.iter().all(|(_, body)| is_one(body));
        for (i, (head, body)) in arms.iter().enumerate() {
            self.line(&match (braces, i) {
                (false, _) => head.clone(),
                (true, 0) => format!("{head} {{"),
                (true, _) => format!("}} {head} {{"),
            });
            self.body(body);
        }
        if braces {
            self.line("}");
        }
    }

    /// Elements that are loaded or stored at once.
    fn wide(&mut self, wide: &Wide, stored: bool) {
        let own = format!("&{}", self.expr(&wide.of_thread()));
        let memory = format!("&{}", self.expr(&wide.in_memory()));
        let (to, from) = if stored { (memory, own) } else { (own, memory) };
        match self.dialect.wide(wide, stored) {
            Some(name) => self.line(&format!("{name}({to}, {from});")),
            None => {
                for lane in 0..wide.lanes {
                    self.line(&format!("({to})[{lane}] = ({from})[{lane}];"));
                }
            }
        }
    }

    /// The head of a loop, whose variable has a name from here on.
    pub fn loop_head(&mut self, var: VarId, first: &str, cond: &Expr, step: &str) -> String {
        let variable = self.program.var(var);
        let name = self.namer.define(var, &variable.name);
        let ty = self.dialect.declaration(variable.ty, false, &name);
        let step = match step {
            "1" => format!("++{name}"),
            step => format!("{name} += {step}"),
        };
        format!("for ({ty} = {first}; {}; {step})", self.expr(cond))
    }

    /// A variable's declaration; it has a name from here on.
    pub fn declare(&mut self, var: VarId) -> String {
        let variable = self.program.var(var);
        let name = self.namer.define(var, &variable.name);
        self.dialect
            .declaration(variable.ty, variable.constant, &name)
    }

    /// An expression.
    pub fn expr(&self, expr: &Expr) -> String {
        self.piece(expr).0
    }

    /// An expression as an operand of a binary operator.
    pub fn operand(&self, expr: &Expr, op: &str) -> String {
        self.piece(expr).at(precedence(op) + 1)
    }

    fn unary(&self, op: &str, arg: &Expr) -> Piece {
        match (op, arg) {
            ("!", Expr::Aligned(id)) => self.dialect.aligned(self, *id, "!="),
            _ => Piece(format!("{op}{}", self.piece(arg).at(ATOM)), UNARY),
        }
    }

    /// Arguments.
    pub fn list(&self, args: &[Expr]) -> String {
        let args: Vec<String> = args.iter().map(|a| self.expr(a)).collect();
        args.join(", ")
    }

    pub fn piece(&self, expr: &Expr) -> Piece {
        match expr {
            Expr::Int(value) if *value < 0 => Piece(value.to_string(), UNARY),
            Expr::Int(value) => Piece(value.to_string(), ATOM),
            Expr::Literal { text, ty } => {
                let strength = if text.starts_with('-') { UNARY } else { ATOM };
                Piece(format!("{text}{}", self.dialect.suffix(*ty)), strength)
            }
            Expr::Var(id) => Piece(self.namer.get(*id), ATOM),
            Expr::Aligned(id) => self.dialect.aligned(self, *id, "=="),
            Expr::Own(own) => Piece(self.dialect.own(*own), UNARY),
            Expr::Exchange { value, by } => {
                Piece(self.dialect.exchange(&self.expr(value), *by), ATOM)
            }
            Expr::Unary { op, arg } => self.unary(op, arg),
            Expr::Binary { op, lhs, rhs } => binary(op, self.piece(lhs), self.piece(rhs)),
            Expr::Select { cond, yes, no } => Piece(
                format!(
                    "{} ? {} : {}",
                    self.piece(cond).at(3),
                    self.piece(yes).at(3),
                    self.piece(no).at(2)
                ),
                precedence("?:"),
            ),
            Expr::Cast { ty, arg } => {
                let ty = self.dialect.number(*ty);
                Piece(format!("({ty}){}", self.piece(arg).at(UNARY)), UNARY)
            }
            Expr::Element { base, row, index } => {
                let row = row.as_ref().map(|row| format!("[{}]", self.expr(row)));
                let place = self.namer.get(*base) + &row.unwrap_or_default();
                Piece(format!("{place}[{}]", self.expr(index)), ATOM)
            }
            Expr::Quotient { by, x } => Piece(format!("{}({})", by.name(), self.expr(x)), ATOM),
            Expr::Math { name, args } => self.dialect.call(name, &self.list(args)),
            Expr::Cell { name, args, .. } => Piece(format!("{name}({})", self.list(args)), ATOM),
            Expr::Behind { .. } | Expr::Item { .. } | Expr::Wrapped { .. } | Expr::Holds { .. } => {
                self.dialect.of_tiles(self, expr)
            }
            Expr::Helper(helper, args) => {
                let [x, y] = &**args;
                let name = self.dialect.helper(*helper);
                Piece(format!("{name}({}, {})", self.expr(x), self.expr(y)), ATOM)
            }
        }
    }
}
