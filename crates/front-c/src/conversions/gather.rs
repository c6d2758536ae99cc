//! Finds them.

use super::Conversion;
use super::types::{
    converts, enumeration, has_name, is_alike, is_function, is_pointer, is_void, pointee, varies,
};
use crate::normalize::walk;
use hexcc_clang::ast::{
    BinaryOp, Builtin, Callee, DeclId, Designator, EnumId, Expr, ExprKind, FileId, Item, Span,
    Stmt, StmtKind, TypeId, TypeKind, Unit,
};
use std::collections::BTreeMap;

/// Functions that C++ lets return a pointer to `const` where their first argument is one.
const SEARCHES: [&str; 6] = [
    "strchr",
    "strrchr",
    "strstr",
    "strpbrk",
    "memchr",
    "strchrnul",
];

/// All conversions of a unit that C++ wants to be written, in the order of the text.
pub fn conversions(unit: &Unit) -> Vec<Conversion> {
    let mut gather = Gather {
        unit,
        found: BTreeMap::new(),
        elsewhere: Vec::new(),
    };
    for item in &unit.items {
        gather.item(*item);
    }
    let all = gather.found.into_values().flatten();
    all.chain(gather.elsewhere).collect()
}

/// Whether `++`, `+=` and the like count values of enumerations, which C++ lets classes do only.
pub fn counts_enumerations(unit: &Unit) -> bool {
    let counts = |expr: &Expr| match &expr.kind {
        ExprKind::Assign(Some(BinaryOp::Add | BinaryOp::Sub), to, _) => Some(to.ty),
        ExprKind::Unary(op, value) if op.counts() => Some(value.ty),
        _ => None,
    };
    let is_one = |expr: &Expr| counts(expr).is_some_and(|ty| enumeration(unit, ty).is_some());
    let mut bodies = unit.functions.iter().filter_map(|f| f.body.as_ref());
    bodies.any(|body| walk::any(unit, body, is_one))
}

/// Where a value goes.
#[derive(Clone, Copy)]
enum Into<'e> {
    /// Into what an expression names.
    Place(&'e Expr),
    /// Into a variable.
    Variable(&'e str),
    /// Into a parameter.
    Parameter,
    /// Somewhere else.
    Other,
}

struct Gather<'u> {
    unit: &'u Unit,
    /// By the place; twice where an argument of a macro is used twice.
    found: BTreeMap<(usize, usize), Vec<Conversion>>,
    elsewhere: Vec<Conversion>,
}

impl<'u> Gather<'u> {
    fn item(&mut self, item: Item) {
        let unit = self.unit;
        match item {
            Item::Decl(id) => {
                let decl = &unit[id];
                decl.extents.iter().for_each(|e| self.expr(e, decl.span));
                if let Some(init) = &decl.init {
                    self.value(init, (decl.span, Into::Variable(&decl.name)));
                }
            }
            Item::Function(id) => {
                if let Some(body) = &unit[id].body {
                    self.stmt(body);
                }
            }
            Item::Record(..) | Item::Enum(..) | Item::Other(..) => {}
        }
    }

    fn stmt(&mut self, stmt: &'u Stmt) {
        let at = stmt.span;
        match &stmt.kind {
            StmtKind::Compound(all) => all.iter().for_each(|s| self.stmt(s)),
            StmtKind::Decl(items) => items.iter().for_each(|item| self.item(*item)),
            StmtKind::Expr(e) | StmtKind::IndirectGoto(e) => self.expr(e, at),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                self.expr(cond, at);
                self.stmt(then);
                otherwise.iter().for_each(|s| self.stmt(s));
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                init.iter().for_each(|s| self.stmt(s));
                cond.iter().chain(step).for_each(|e| self.expr(e, at));
                self.scope(init.as_deref(), body);
                self.stmt(body);
            }
            StmtKind::While { cond, body } | StmtKind::Do { body, cond } => {
                self.expr(cond, at);
                self.stmt(body);
            }
            StmtKind::Switch { value, body } => {
                self.expr(value, at);
                self.stmt(body);
            }
            // Of a constant, C++ asks no more than C.
            StmtKind::Case { body, .. }
            | StmtKind::Default(body)
            | StmtKind::Label { body, .. } => {
                self.stmt(body);
            }
            StmtKind::Return(Some(value)) => self.value(value, (at, Into::Other)),
            _ => {}
        }
    }

    /// Puts a block around that of a loop which declares what its header does: for C++ both are one scope.
    fn scope(&mut self, init: Option<&Stmt>, body: &Stmt) {
        let StmtKind::Compound(all) = &body.kind else {
            return;
        };
        let own: Vec<_> = init.map_or_else(Vec::new, walk::declared);
        let name = |id: DeclId| &self.unit[id].name;
        let is_again = |id| own.iter().any(|of| name(*of) == name(id));
        let place = body.span.editable(self.unit);
        let Some(place) = place.filter(|_| body.span.file == FileId(0)) else {
            return;
        };
        if all.iter().flat_map(walk::declared).any(is_again) {
            let block = Conversion {
                place: Some(place.clone()),
                before: Some(String::from("{ ")),
                behind: String::from(" }"),
                to: String::from("a block"),
                of: String::new(),
            };
            let at = (place.start, place.end);
            self.found.entry(at).or_default().push(block);
        }
    }

    /// What an expression of a statement or expression at a place has in it.
    fn expr(&mut self, expr: &'u Expr, around: Span) {
        let at = expr.span;
        match &expr.kind {
            ExprKind::Cast { implicit: true, .. } => {
                self.converted(expr, (around, Into::Other));
            }
            ExprKind::Cast { value, extents, .. } => {
                extents.iter().for_each(|e| self.expr(e, at));
                // What is written converts as well what C would before.
                self.expr(unconverted(value), at);
            }
            ExprKind::Assign(None, to, value) => {
                self.expr(to, at);
                self.value(value, (at, Into::Place(to)));
            }
            ExprKind::Assign(Some(op), to, value) => {
                self.expr(to, at);
                self.expr(value, at);
                let is_counted = matches!(op, BinaryOp::Add | BinaryOp::Sub);
                if enumeration(self.unit, to.ty).is_some() && !is_counted {
                    self.add(expr, None, to.ty, at);
                }
            }
            ExprKind::Binary(op, a, b) => self.operands(*op, (a, b), at),
            ExprKind::Cond(cond, a, b) => {
                self.expr(cond, at);
                self.arms((a, b), at);
            }
            ExprKind::Call(callee, arguments) => self.call(callee, arguments, at),
            ExprKind::List(all) => all.iter().for_each(|e| self.value(e, (at, Into::Other))),
            ExprKind::Designated(path, value) => {
                for part in path {
                    match part {
                        Designator::Field(_) => {}
                        Designator::Index(e) => self.expr(e, at),
                        Designator::Range(a, b) => {
                            [a, b].into_iter().for_each(|e| self.expr(e, at))
                        }
                    }
                }
                self.value(value, (at, Into::Other));
            }
            ExprKind::Else(a, b) | ExprKind::Index(a, b) => {
                self.expr(a, at);
                self.expr(b, at);
            }
            ExprKind::Imaginary(e)
            | ExprKind::Unary(_, e)
            | ExprKind::Field(e, _)
            | ExprKind::Compound(e)
            | ExprKind::VaArg(e) => self.expr(e, at),
            ExprKind::Statements(body) => self.stmt(body),
            // Nothing is computed of what `sizeof` has.
            _ => {}
        }
    }

    fn call(&mut self, callee: &'u Callee, arguments: &'u [Expr], at: Span) {
        let unit = self.unit;
        let ty = match callee {
            Callee::Function(id) => Some(unit[*id].ty),
            Callee::Pointer(e) => {
                self.expr(e, at);
                pointee(unit, e.ty)
            }
        };
        let n_params = match ty.map(|ty| &unit.canonical(ty).kind) {
            Some(TypeKind::Function {
                params: Some(params),
                ..
            }) => params.len(),
            _ => 0,
        };
        for (n, argument) in arguments.iter().enumerate() {
            match n < n_params {
                true => self.value(argument, (at, Into::Parameter)),
                false => self.expr(argument, at),
            }
        }
    }

    fn operands(&mut self, op: BinaryOp, (a, b): (&'u Expr, &'u Expr), at: Span) {
        use BinaryOp as B;
        let compares = matches!(
            op,
            B::Equal | B::NotEqual | B::Less | B::Greater | B::LessEqual | B::GreaterEqual
        );
        let of = |e: &Expr| pointee(self.unit, unconverted(e).ty);
        let is_same = match (of(a), of(b)) {
            _ if !compares => false,
            (Some(a), Some(b)) => {
                is_void(self.unit, a) || is_void(self.unit, b) || self.is_alike(a, b)
            }
            _ => false,
        };
        for e in [a, b] {
            match is_same {
                true => self.expr(unconverted(e), at),
                false => self.expr(e, at),
            }
        }
    }

    fn is_alike(&self, a: TypeId, b: TypeId) -> bool {
        is_alike(self.unit, self.unit.canonical(a), self.unit.canonical(b))
    }

    /// The values that a condition chooses from: C++ wants them to have one type.
    fn arms(&mut self, (a, b): (&'u Expr, &'u Expr), at: Span) {
        let of = |e: &Expr| pointee(self.unit, unconverted(e).ty);
        let differ = match (of(a), of(b)) {
            (Some(x), Some(y)) => {
                !is_void(self.unit, x) && !is_void(self.unit, y) && !self.is_alike(x, y)
            }
            _ => false,
        };
        for e in [a, b] {
            match differ && is_pointer(self.unit, e.ty) {
                true => {
                    self.add(e, Some(Into::Other), e.ty, at);
                    self.expr(unconverted(e), e.span);
                }
                false => self.expr(e, at),
            }
        }
    }

    /// A value that goes somewhere.
    fn value(&mut self, expr: &'u Expr, (around, into): (Span, Into<'u>)) {
        match expr.kind {
            ExprKind::Cast { implicit: true, .. } => self.converted(expr, (around, into)),
            _ => {
                if self.is_const_in_cplusplus(expr) {
                    self.add(expr, Some(into), expr.ty, around);
                }
                self.expr(expr, around);
            }
        }
    }

    /// Whether a pointer to characters is one to `const` in C++ alone.
    fn is_const_in_cplusplus(&self, expr: &Expr) -> bool {
        let unit = self.unit;
        if self.becomes_const(expr.ty) {
            return false;
        }
        match &expr.kind {
            ExprKind::Call(Callee::Function(f), arguments) => {
                let is_const = |e: &Expr| {
                    pointee(unit, unconverted(e).ty).is_some_and(|to| unit.canonical(to).is_const)
                };
                SEARCHES.contains(&unit[*f].name.as_str())
                    && arguments.first().is_some_and(is_const)
            }
            ExprKind::Cond(_, a, b) => [a, b].into_iter().any(|e| {
                let e = unconverted(e);
                matches!(e.kind, ExprKind::Str(_)) || self.is_const_in_cplusplus(e)
            }),
            _ => false,
        }
    }

    /// A value that C converts.
    fn converted(&mut self, expr: &'u Expr, (around, into): (Span, Into<'u>)) {
        let inner = unconverted(expr);
        let is_refused = self.is_refused(inner, (expr.ty, into));
        if is_refused || self.is_const_in_cplusplus(inner) && !self.becomes_const(expr.ty) {
            self.add(expr, Some(into), expr.ty, around);
        }
        self.expr(inner, around);
    }

    fn becomes_const(&self, ty: TypeId) -> bool {
        pointee(self.unit, ty).is_none_or(|to| self.unit.canonical(to).is_const)
    }

    /// Whether C++ does not convert a value to a type.
    fn is_refused(&self, value: &Expr, (to, into): (TypeId, Into)) -> bool {
        let unit = self.unit;
        if let Some(wanted) = enumeration(unit, to) {
            return !self.is_of(value, wanted);
        }
        let from = match unit.canonical(value.ty).kind {
            TypeKind::Pointer(from) | TypeKind::Array { element: from, .. } => Some(from),
            TypeKind::Function { .. } => Some(value.ty),
            _ => None,
        };
        match (from, is_pointer(unit, to)) {
            (Some(from), true) => {
                let pointee = pointee(unit, to).unwrap_or(to);
                // Parameters whose arrays have variable lengths are written again.
                let is_rewritten = matches!(into, Into::Parameter) && varies(unit, to);
                !is_rewritten && !self.is_null(value) && !converts(unit, from, pointee)
            }
            (Some(_), false) => {
                let is_bool = unit.canonical(to).kind == TypeKind::Builtin(Builtin::Bool);
                !is_bool
                    && matches!(unit.canonical(to).kind, TypeKind::Builtin(_))
                    && !is_void(unit, to)
            }
            (None, true) => !matches!(value.kind, ExprKind::Int(0)) && is_number(unit, value.ty),
            (None, false) => false,
        }
    }

    /// Whether a value has the type of an enumeration in C++, where its constants have it, too.
    fn is_of(&self, value: &Expr, wanted: EnumId) -> bool {
        let constants = &self.unit[wanted].enumerators;
        match &value.kind {
            ExprKind::Var(id) if constants.contains(id) => true,
            ExprKind::Cond(_, a, b) => [a, b]
                .into_iter()
                .all(|e| self.is_of(unconverted(e), wanted)),
            _ => enumeration(self.unit, value.ty) == Some(wanted),
        }
    }

    /// Whether a value is `NULL`, which is no `void *` in C++.
    fn is_null(&self, value: &Expr) -> bool {
        let ExprKind::Cast { value: number, .. } = &value.kind else {
            return false;
        };
        let Some(expansion) = value.span.expansion else {
            return false;
        };
        // Macros of the system are not among these.
        let name = &self.unit[expansion].name;
        let mut named = self.unit.macros.iter().filter(|m| m.name == *name);
        let writes_void = |m: &hexcc_clang::ast::Macro| self.unit.text(m.span).contains("void");
        matches!(unconverted(number).kind, ExprKind::Int(0))
            && !self.unit.text(value.span).contains("void")
            && !named.any(writes_void)
    }

    /// Adds the conversion of an expression, which is to be written where it goes somewhere.
    fn add(&mut self, expr: &Expr, into: Option<Into>, to: TypeId, around: Span) {
        let unit = self.unit;
        let inner = unconverted(expr);
        let span = expr.span;
        let named = crate::emit::type_name(unit, plain(unit, to)).replace("_Bool", "bool");
        if span.file != FileId(0) {
            self.elsewhere.push(Conversion {
                place: None,
                before: None,
                behind: String::new(),
                to: named,
                of: unit[span.file].path.display().to_string(),
            });
            return;
        }
        let is_editable = span.expansion.is_none_or(|id| {
            let whole = &unit[id].range;
            let is_whole = *whole == (span.start..span.end);
            span.editable(unit).is_some() && (!is_whole || around.expansion != Some(id))
        });
        let ty = into
            .filter(|_| is_editable)
            .and_then(|into| self.name(into, to, &named));
        let before = ty.map(|ty| match self.has_parentheses(expr, inner) {
            true => format!("({ty})"),
            false => format!("({ty})("),
        });
        let behind = match before.as_ref().is_some_and(|before| before.ends_with(")(")) {
            true => ")",
            false => "",
        };
        // A number that is too small for a pointer is made of one that is not.
        let is_small = unit.canonical(to).size.is_some_and(|size| size < 8);
        let narrows = pointee(unit, inner.ty).is_some() && is_small;
        let before = before.map(|before| match narrows {
            true => before.replacen(')', ")(long)", 1),
            false => before,
        });
        let place = span.start as usize..span.end as usize;
        let conversion = Conversion {
            before,
            behind: behind.to_owned(),
            to: named,
            of: span
                .expansion
                .map_or_else(String::new, |id| unit[id].name.clone()),
            place: Some(place.clone()),
        };
        let same = self.found.entry((place.start, place.end)).or_default();
        match same.first_mut() {
            Some(known) if known.before != conversion.before => known.before = None,
            Some(_) => {}
            None => same.push(conversion),
        }
    }

    /// The type that a value is to have, in words.
    fn name(&self, into: Into, to: TypeId, named: &str) -> Option<String> {
        let written = match into {
            Into::Place(place) if place.span.expansion.is_none() => {
                let text = self.unit.text(place.span);
                let is_plain = !text.contains("/*") && !text.contains("//") && !text.contains('#');
                let words: Vec<&str> = text.split_whitespace().collect();
                is_plain
                    .then(|| words.join(" "))
                    .filter(|text| !text.is_empty())
            }
            Into::Variable(name) => Some(name.to_owned()),
            _ => None,
        };
        let of_place = written.map(|text| format!("__typeof__({text})"));
        let is_enum = enumeration(self.unit, to).is_some();
        let name = || has_name(self.unit, plain(self.unit, to)).then(|| named.to_owned());
        match is_enum || !is_pointer(self.unit, to) {
            true => name().or(of_place),
            false => of_place.or_else(name),
        }
    }

    /// Whether a cast can stand before an expression.
    fn has_parentheses(&self, expr: &Expr, inner: &Expr) -> bool {
        let text = self.unit.text(expr.span);
        let is_inside = expr.span.start < inner.span.start && expr.span.end > inner.span.end;
        is_inside && text.starts_with('(')
            || !matches!(
                inner.kind,
                ExprKind::Binary(..)
                    | ExprKind::Assign(..)
                    | ExprKind::Cond(..)
                    | ExprKind::Else(..)
            )
    }
}

/// A type without a name that only the headers of one system have.
fn plain(unit: &Unit, ty: TypeId) -> TypeId {
    match unit[ty].kind {
        TypeKind::Typedef(id) if unit[id].name.starts_with("__") => unit[ty].canonical,
        _ => ty,
    }
}

/// What an expression is before C converts it.
fn unconverted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast {
            implicit: true,
            value,
            ..
        } => unconverted(value),
        _ => expr,
    }
}

fn is_number(unit: &Unit, ty: TypeId) -> bool {
    !is_function(unit, ty)
        && matches!(
            unit.canonical(ty).kind,
            TypeKind::Builtin(_) | TypeKind::Enum(_)
        )
}
