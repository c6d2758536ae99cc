//! Expressions.

use hexcc_clang::ast::{
    BinaryOp, Builtin, Callee, Designator, Expr, ExprKind, FieldId, Stmt, TypeId, TypeKind, UnaryOp,
};

use super::Printer;

/// Levels of binding beside those of [`BinaryOp::level`]: any expression.
pub(super) const COMMA: u8 = 1;
/// What may be an argument.
pub(super) const ASSIGNMENT: u8 = 2;
const CONDITIONAL: u8 = 3;
const UNARY: u8 = 14;
const POSTFIX: u8 = 15;
const PRIMARY: u8 = 16;

impl Printer<'_> {
    /// An expression, in parentheses if it binds less than `level`.
    pub(super) fn expr(&mut self, expr: &Expr, level: u8) -> String {
        let (text, own) = self.leveled(expr);
        match own < level {
            true => format!("({text})"),
            false => text,
        }
    }

    fn leveled(&mut self, expr: &Expr) -> (String, u8) {
        if let Some(name) = self.constant(expr).filter(|_| self.keeps_macros) {
            self.macros.insert(name.clone());
            return (name, PRIMARY);
        }
        match &expr.kind {
            ExprKind::Int(value) => self.int(*value, expr.ty),
            ExprKind::Char(value) => (character(*value), PRIMARY),
            ExprKind::Float(text) | ExprKind::Str(text) => (text.clone(), PRIMARY),
            ExprKind::Imaginary(value) => (self.expr(value, PRIMARY) + "i", PRIMARY),
            ExprKind::Var(decl) => (self.unit[*decl].name.clone(), PRIMARY),
            ExprKind::Function(function) => (self.unit[*function].name.clone(), PRIMARY),
            ExprKind::Unary(op, value) => self.unary(*op, value),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Assign(op, left, right) => {
                let op = op.map(BinaryOp::text).unwrap_or_default();
                let (left, right) = (self.expr(left, UNARY), self.expr(right, ASSIGNMENT));
                (format!("{left} {op}= {right}"), ASSIGNMENT)
            }
            ExprKind::Cond(cond, then, otherwise) => {
                let cond = self.expr(cond, CONDITIONAL + 1);
                let (then, otherwise) = (self.expr(then, COMMA), self.expr(otherwise, CONDITIONAL));
                (format!("{cond} ? {then} : {otherwise}"), CONDITIONAL)
            }
            ExprKind::Index(base, index) => {
                let (base, index) = (self.expr(base, POSTFIX), self.expr(index, COMMA));
                (format!("{base}[{index}]"), POSTFIX)
            }
            ExprKind::Field(base, field) => self.field(base, *field),
            ExprKind::Call(callee, arguments) => (self.call(callee, arguments), POSTFIX),
            ExprKind::Cast {
                implicit: true,
                value,
                ..
            } => self.leveled(value),
            ExprKind::Cast { extents, value, .. } => {
                let mut extents = self.list(extents);
                let ty = self.declared(expr.ty, String::new(), &mut extents);
                (format!("({ty}){}", self.expr(value, UNARY)), UNARY)
            }
            _ => self.rare(expr),
        }
    }

    /// The macro without parameters that a number comes from, where that is all it stands for and nothing else has its name.
    fn constant(&self, expr: &Expr) -> Option<String> {
        let expansion = &self.unit[expr.span.expansion?];
        let name = &expansion.name;
        let mut macros = self.unit.macros.iter().filter(|m| m.name == *name);
        let (Some(defined), None) = (macros.next(), macros.next()) else {
            return None;
        };
        let body = self.unit.text(defined.span).strip_prefix(name.as_str())?;
        let is_same = match &expr.kind {
            ExprKind::Int(value) => body.trim().parse() == Ok(*value),
            ExprKind::Float(text) => body.trim() == text,
            _ => false,
        };
        let is_whole = expansion.range == (expr.span.start..expr.span.end);
        let is_alone = !self.unit.decls.iter().any(|decl| decl.name == *name);
        (is_same && is_whole && is_alone && body.starts_with(char::is_whitespace))
            .then(|| name.clone())
    }

    fn rare(&mut self, expr: &Expr) -> (String, u8) {
        match &expr.kind {
            ExprKind::Else(value, otherwise) => {
                let (value, otherwise) = (
                    self.expr(value, CONDITIONAL + 1),
                    self.expr(otherwise, CONDITIONAL),
                );
                (format!("{value} ?: {otherwise}"), CONDITIONAL)
            }
            ExprKind::SizeOf(value) => (format!("{value}ul"), PRIMARY),
            ExprKind::SizeOfArray { element, lengths } => {
                let lengths = self
                    .list(lengths)
                    .into_iter()
                    .map(|length| format!("[{length}]"));
                let (lengths, element) = (lengths.collect::<String>(), self.type_name(*element));
                (format!("sizeof({element}{lengths})"), UNARY)
            }
            ExprKind::SizeOfExpr(value) => (format!("sizeof {}", self.expr(value, UNARY)), UNARY),
            ExprKind::Compound(list) => {
                let ty = self.type_name(expr.ty);
                (format!("({ty}){}", self.expr(list, PRIMARY)), POSTFIX)
            }
            ExprKind::List(values) => (format!("{{ {} }}", self.list(values).join(", ")), PRIMARY),
            ExprKind::Designated(path, value) => {
                let path: String = path.iter().map(|part| self.designator(part)).collect();
                (
                    format!("{path} = {}", self.expr(value, ASSIGNMENT)),
                    ASSIGNMENT,
                )
            }
            ExprKind::Statements(body) => (self.statements(body), PRIMARY),
            ExprKind::VaArg(list) => {
                let list = self.expr(list, ASSIGNMENT);
                (
                    format!("__builtin_va_arg({list}, {})", self.type_name(expr.ty)),
                    POSTFIX,
                )
            }
            ExprKind::LabelAddress(name) => (format!("&&{name}"), UNARY),
            _ => (format!("({})", self.unit.text(expr.span)), PRIMARY),
        }
    }

    fn list(&mut self, exprs: &[Expr]) -> Vec<String> {
        exprs
            .iter()
            .map(|expr| self.expr(expr, ASSIGNMENT))
            .collect()
    }

    fn int(&mut self, value: i128, ty: TypeId) -> (String, u8) {
        let suffix = match self.unit.canonical(ty).kind {
            TypeKind::Builtin(Builtin::UInt) => "u",
            TypeKind::Builtin(Builtin::Long) => "l",
            TypeKind::Builtin(Builtin::ULong) => "ul",
            TypeKind::Builtin(Builtin::LongLong) => "ll",
            TypeKind::Builtin(Builtin::ULongLong) => "ull",
            _ => "",
        };
        (
            format!("{value}{suffix}"),
            if value < 0 { UNARY } else { PRIMARY },
        )
    }

    fn unary(&mut self, op: UnaryOp, value: &Expr) -> (String, u8) {
        if op.is_postfix() {
            return (self.expr(value, POSTFIX) + op.text(), POSTFIX);
        }
        let value = self.expr(value, UNARY);
        // `- -x` is no decrement.
        let blank = match op.text().ends_with(['-', '+', '&']) && value.starts_with(['-', '+', '&'])
        {
            true => " ",
            false => "",
        };
        (format!("{}{blank}{value}", op.text()), UNARY)
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> (String, u8) {
        let level = op.level();
        // Compilers warn of comparisons that are compared.
        let compares = [BinaryOp::Equal.level(), BinaryOp::Less.level()].contains(&level);
        let least = match compares {
            true => BinaryOp::ShiftLeft.level(),
            false => level,
        };
        let left = self.expr(left, least);
        let right = self.expr(right, least.max(level + 1));
        match op {
            BinaryOp::Comma => (format!("{left}, {right}"), level),
            _ => (format!("{left} {} {right}", op.text()), level),
        }
    }

    fn field(&mut self, base: &Expr, field: FieldId) -> (String, u8) {
        let unit = self.unit;
        let name = &unit[field].name;
        if name.is_empty() {
            // What has no name is not written.
            return self.leveled(base);
        }
        let mut written = base;
        while let ExprKind::Field(inner, through) = &written.kind
            && unit[*through].name.is_empty()
        {
            written = inner;
        }
        let arrow = match unit.canonical(written.ty).kind {
            TypeKind::Pointer(_) => "->",
            _ => ".",
        };
        (
            format!("{}{arrow}{name}", self.expr(written, POSTFIX)),
            POSTFIX,
        )
    }

    fn call(&mut self, callee: &Callee, arguments: &[Expr]) -> String {
        let callee = match callee {
            Callee::Function(function) => self.unit[*function].name.clone(),
            Callee::Pointer(pointer) => self.expr(pointer, POSTFIX),
        };
        format!("{callee}({})", self.list(arguments).join(", "))
    }

    fn designator(&mut self, part: &Designator) -> String {
        match part {
            Designator::Field(field) if self.unit[*field].name.is_empty() => String::new(),
            Designator::Field(field) => format!(".{}", self.unit[*field].name),
            Designator::Index(index) => format!("[{}]", self.expr(index, CONDITIONAL)),
            Designator::Range(first, last) => {
                let (first, last) = (self.expr(first, CONDITIONAL), self.expr(last, CONDITIONAL));
                format!("[{first} ... {last}]")
            }
        }
    }

    fn statements(&mut self, body: &Stmt) -> String {
        let before = std::mem::take(&mut self.out);
        self.stmt(body);
        let text = std::mem::replace(&mut self.out, before);
        format!("({})", text.trim())
    }
}

fn character(value: i128) -> String {
    match u8::try_from(value).map(char::from) {
        Ok(c) if (c.is_ascii_graphic() || c == ' ') && c != '\'' && c != '\\' => format!("'{c}'"),
        _ => value.to_string(),
    }
}
