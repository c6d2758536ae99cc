//! What passes ask of trees, and what they make of them.

use super::walk;
use hexcc_clang::ast::{
    BinaryOp, Builtin, Decl, DeclId, DeclKind, Expr, ExprKind, FieldId, Item, Length, Span, Stmt,
    StmtId, StmtKind, Storage, Type, TypeId, TypeKind, UnaryOp, Unit,
};
use std::collections::HashSet;

/// An expression without the conversions that the text does not have.
pub(crate) fn plain(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast {
            implicit: true,
            value,
            ..
        } => plain(value),
        _ => expr,
    }
}

/// An expression without conversions.
pub(crate) fn unconverted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast { value, .. } => unconverted(value),
        _ => expr,
    }
}

/// A variable, or a member of one: `now`, `grid.now`, `g->planes.now`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Path {
    /// The variable.
    pub root: DeclId,
    /// Whether it points to the struct.
    pub through_pointer: bool,
    /// The members, from the outside.
    pub fields: Vec<FieldId>,
}

impl Path {
    /// The path that an expression is.
    pub fn of(unit: &Unit, expr: &Expr) -> Option<Path> {
        let path = |root: DeclId, through_pointer: bool| Path {
            root,
            through_pointer,
            fields: Vec::new(),
        };
        match &plain(expr).kind {
            ExprKind::Var(id) => Some(path(*id, false)),
            ExprKind::Unary(UnaryOp::Deref, base) => match plain(base).kind {
                ExprKind::Var(id) => Some(path(id, true)),
                _ => None,
            },
            ExprKind::Field(base, field) => {
                let is_pointer = is_pointer(unit, plain(base).ty);
                let mut found = match &plain(base).kind {
                    ExprKind::Unary(UnaryOp::AddressOf, inner) if is_pointer => {
                        Path::of(unit, inner)?
                    }
                    ExprKind::Var(id) if is_pointer => path(*id, true),
                    _ if is_pointer => return None,
                    _ => Path::of(unit, base)?,
                };
                found.fields.push(*field);
                Some(found)
            }
            _ => None,
        }
    }
}

/// Whether a path begins with a variable of a loop's own.
pub(super) fn is_declared_in(path: &Path, head: &Stmt, body: &[Stmt]) -> bool {
    let mut all = std::iter::once(head).chain(body);
    all.any(|stmt| super::walk::all_declared(stmt).contains(&path.root))
}

pub(super) fn is_pointer(unit: &Unit, ty: TypeId) -> bool {
    matches!(unit.canonical(ty).kind, TypeKind::Pointer(_))
}

/// What an expression assigns to, or takes the address of.
pub(super) fn target(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Assign(_, to, _) => Some(to),
        ExprKind::Unary(op, of) if op.counts() || *op == UnaryOp::AddressOf => Some(of),
        _ => None,
    }
}

/// The operator of an assignment that is a statement, what it assigns to, and the value.
pub(super) fn assigns(stmt: &Stmt) -> Option<(Option<BinaryOp>, &Expr, &Expr)> {
    match &stmt.kind {
        StmtKind::Expr(expr) => match &expr.kind {
            ExprKind::Assign(op, to, value) => Some((*op, to, value)),
            _ => None,
        },
        _ => None,
    }
}

/// The variable that a statement alone assigns to, and the value.
pub(super) fn assignment(stmt: &Stmt) -> Option<(DeclId, &Expr)> {
    let (op, to, value) = assigns(stmt)?;
    Some((variable_of(to)?, value)).filter(|_| op.is_none())
}

/// The variable that an expression is.
pub(super) fn variable_of(expr: &Expr) -> Option<DeclId> {
    match plain(expr).kind {
        ExprKind::Var(id) => Some(id),
        _ => None,
    }
}

/// What an array or a pointer is of.
pub(super) fn element(unit: &Unit, ty: TypeId) -> Option<TypeId> {
    match unit.canonical(ty).kind {
        TypeKind::Array { element, .. } => Some(element),
        TypeKind::Pointer(to) => Some(to),
        _ => None,
    }
}

/// Whether an expression is a number.
pub(super) fn is_number(expr: &Expr, number: i128) -> bool {
    matches!(plain(expr).kind, ExprKind::Int(n) if n == number)
}

/// Whether an expression is a variable.
pub(super) fn is_var(expr: &Expr, id: DeclId) -> bool {
    matches!(plain(expr).kind, ExprKind::Var(v) if v == id)
}

/// How an operator changes what its operand names by one, if it does.
pub(super) fn step(op: UnaryOp) -> Option<BinaryOp> {
    match op {
        UnaryOp::PostIncrement | UnaryOp::PreIncrement => Some(BinaryOp::Add),
        UnaryOp::PostDecrement | UnaryOp::PreDecrement => Some(BinaryOp::Sub),
        _ => None,
    }
}

/// Whether an expression adds one to a variable.
pub(super) fn adds_one(expr: &Expr, id: DeclId) -> bool {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::PostIncrement | UnaryOp::PreIncrement, of) => is_var(of, id),
        ExprKind::Assign(Some(BinaryOp::Add), to, by) => is_var(to, id) && is_number(by, 1),
        ExprKind::Assign(None, to, value) => match &plain(value).kind {
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                let is_sum = is_var(a, id) && is_number(b, 1) || is_number(a, 1) && is_var(b, id);
                is_var(to, id) && is_sum
            }
            _ => false,
        },
        _ => false,
    }
}

/// The parts of a loop whose head has all three: what it begins with, its condition and its step, and its body.
pub(super) fn counted(stmt: &Stmt) -> Option<(&Stmt, [&Expr; 2], &Stmt)> {
    match &stmt.kind {
        StmtKind::For {
            init: Some(init),
            cond: Some(cond),
            step: Some(step),
            body,
        } => Some((init, [cond, step], body)),
        _ => None,
    }
}

/// The condition and the body of an `if` without `else`.
pub(super) fn conditional(stmt: &Stmt) -> Option<(&Expr, &Stmt)> {
    match &stmt.kind {
        StmtKind::If {
            cond,
            then,
            otherwise: None,
        } => Some((cond, then)),
        _ => None,
    }
}

/// The variable that the head of a loop gives its first value, and this value.
pub(super) fn begins<'e>(unit: &'e Unit, init: &'e Stmt) -> Option<(DeclId, &'e Expr)> {
    match &init.kind {
        StmtKind::Decl(_) => match super::walk::declared(init)[..] {
            [id] => Some((id, unit[id].init.as_ref()?)),
            _ => None,
        },
        StmtKind::Expr(expr) => match &expr.kind {
            ExprKind::Assign(None, to, from) => match plain(to).kind {
                ExprKind::Var(id) => Some((id, from)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn var(unit: &Unit, id: DeclId, span: Span) -> Expr {
    Expr {
        ty: unit[id].ty,
        span,
        kind: ExprKind::Var(id),
    }
}

pub(super) fn assign(to: Expr, from: Expr) -> Stmt {
    let (ty, span) = (to.ty, to.span);
    let kind = ExprKind::Assign(None, Box::new(to), Box::new(from));
    stmt(span, StmtKind::Expr(Expr { ty, span, kind }))
}

pub(super) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let (ty, span) = (a.ty, a.span);
    let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
    Expr { ty, span, kind }
}

/// `n++`
pub(super) fn incremented(unit: &Unit, id: DeclId, span: Span) -> Expr {
    let of = Box::new(var(unit, id, span));
    Expr {
        ty: of.ty,
        span,
        kind: ExprKind::Unary(UnaryOp::PostIncrement, of),
    }
}

pub(super) fn int(like: &Expr, number: i128) -> Expr {
    Expr {
        ty: like.ty,
        span: like.span,
        kind: ExprKind::Int(number),
    }
}

pub(super) fn stmt(span: Span, kind: StmtKind) -> Stmt {
    let id = StmtId(u32::MAX);
    Stmt { id, span, kind }
}

/// `expr;`
pub(super) fn expr_stmt(expr: &Expr) -> Stmt {
    stmt(expr.span, StmtKind::Expr(expr.clone()))
}

/// `if (cond) { .. }`
pub(super) fn when(cond: Expr, then: Vec<Stmt>) -> Stmt {
    let span = cond.span;
    let then = Box::new(stmt(span, StmtKind::Compound(then)));
    let otherwise = None;
    stmt(
        span,
        StmtKind::If {
            cond,
            then,
            otherwise,
        },
    )
}

/// The statement that declares a variable.
pub(super) fn declaration(unit: &Unit, id: DeclId) -> Stmt {
    stmt(unit[id].span, StmtKind::Decl(vec![Item::Decl(id)]))
}

/// The statements of a body.
pub(super) fn block(stmt: Stmt) -> Vec<Stmt> {
    match stmt.kind {
        StmtKind::Compound(all) => all,
        StmtKind::Null => Vec::new(),
        _ => vec![stmt],
    }
}

/// Names that nothing in a file has.
#[derive(Clone)]
pub(super) struct Namer(HashSet<String>);

impl Namer {
    pub fn new(unit: &Unit) -> Namer {
        let decls = unit.decls.iter().map(|d| &d.name);
        let functions = unit.functions.iter().map(|f| &f.name);
        let macros = unit.macros.iter().map(|m| &m.name);
        let uses = unit.expansions.iter().map(|m| &m.name);
        let tags = unit.records.iter().map(|r| &r.tag);
        let all = decls.chain(functions).chain(macros).chain(uses).chain(tags);
        Namer(all.cloned().collect())
    }

    /// An unused name, `wanted` where possible. pet numbers names, so that these get letters.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let letters = |n: u32| "bcdefghij".chars().nth(n as usize % 9).unwrap_or('b');
        let numbered = (0..).map(|n| {
            format!(
                "{wanted}_{}",
                letters(n).to_string().repeat(1 + n as usize / 9)
            )
        });
        let mut tried = std::iter::once(wanted.to_string()).chain(numbered);
        let name = tried
            .find(|name| !self.0.contains(name))
            .unwrap_or_default();
        self.0.insert(name.clone());
        name
    }

    /// Gives a variable a name that no other one has: where it stands then, it may hide that.
    pub fn name_alone(&mut self, unit: &mut Unit, id: DeclId) {
        let wanted = unit[id].name.clone();
        if unit.decls.iter().filter(|d| d.name == wanted).count() > 1 {
            unit[id].name = self.fresh(&wanted);
        }
    }
}

/// A variable of a block.
pub(super) fn variable(
    unit: &mut Unit,
    name: String,
    ty: TypeId,
    init: Option<Expr>,
    span: Span,
) -> DeclId {
    let id = DeclId(unit.decls.len() as u32);
    unit.decls.push(Decl {
        name,
        kind: DeclKind::Variable,
        ty,
        extents: Vec::new(),
        storage: Storage::None,
        is_thread_local: false,
        align: None,
        attributes: Vec::new(),
        init,
        first: id,
        span,
    });
    id
}

/// Another variable that is declared as one is.
pub(super) fn copied(unit: &mut Unit, id: DeclId) -> DeclId {
    let copy = DeclId(unit.decls.len() as u32);
    let decl = Decl {
        first: copy,
        ..unit[id].clone()
    };
    unit.decls.push(decl);
    copy
}

/// Another variable of a pointer's type, with the lengths of its rows where these vary, that begins with a value.
pub(super) fn pointer_like(
    unit: &mut Unit,
    namer: &mut Namer,
    (id, purpose): (DeclId, &str),
    value: Expr,
) -> DeclId {
    let copy = copied(unit, id);
    let name = namer.fresh(&format!("{}_{purpose}", unit[id].name));
    let ty = unqualified(unit, unit[id].ty);
    let decl = &mut unit[copy];
    (decl.name, decl.ty, decl.init) = (name, ty, Some(value));
    (decl.kind, decl.storage) = (DeclKind::Variable, Storage::None);
    copy
}

/// Declares other variables in the place of some, in a statement and all in it.
pub(super) fn declare_instead(stmt: &mut Stmt, others: &dyn Fn(DeclId) -> Option<Vec<DeclId>>) {
    if let StmtKind::Decl(items) = &mut stmt.kind {
        let of = |item: Item| match item {
            Item::Decl(id) => others(id),
            _ => None,
        };
        let all = items.iter().flat_map(|item| match of(*item) {
            Some(others) => others.into_iter().map(Item::Decl).collect(),
            None => vec![*item],
        });
        *items = all.collect();
    }
    for inner in super::walk::inner_mut(stmt) {
        declare_instead(inner, others);
    }
}

/// A type without qualifiers of its own, as a variable that changes has it.
pub(super) fn unqualified(unit: &mut Unit, ty: TypeId) -> TypeId {
    let found = unit.canonical(ty).clone();
    if !(unit[ty].is_const || unit[ty].is_volatile || unit[ty].is_restrict) {
        return ty;
    }
    added(
        unit,
        Type {
            is_const: false,
            is_volatile: false,
            is_restrict: false,
            ..found
        },
    )
}

/// Takes the value that a variable is declared with out of its declaration: the assignment that gives it.
pub(super) fn assigned_apart(unit: &mut Unit, id: DeclId, span: Span) -> Option<Stmt> {
    let ty = unqualified(unit, unit[id].ty);
    unit[id].ty = ty;
    let init = unit[id].init.take()?;
    Some(assign(var(unit, id, span), init))
}

/// A statement without declarations, which stand outside of the loop: others there use them.
pub(super) fn lifted(
    (unit, namer): (&mut Unit, &mut Namer),
    stmt: Stmt,
    outside: &mut Vec<Stmt>,
    span: Span,
) -> Vec<Stmt> {
    let declared = walk::declared(&stmt);
    if declared.is_empty() {
        return vec![stmt];
    }
    let mut all = Vec::new();
    for id in declared {
        namer.name_alone(unit, id);
        all.extend(assigned_apart(unit, id, span));
        outside.push(declaration(unit, id));
    }
    all
}

/// The type of what an expression is as a value: a pointer in place of an array.
pub(super) fn value_type(unit: &mut Unit, ty: TypeId) -> TypeId {
    let TypeKind::Array { element, .. } = unit.canonical(ty).kind else {
        return unqualified(unit, ty);
    };
    of_kind(unit, TypeKind::Pointer(element), (Some(8), 8))
}

/// An array of some elements of a type with a size.
pub(super) fn array_type(unit: &mut Unit, element: TypeId, length: u64) -> Option<TypeId> {
    let align = unit.canonical(element).size?;
    let length = Length::Constant(length);
    let kind = TypeKind::Array { element, length };
    Some(of_kind(unit, kind, (None, align)))
}

/// `array[subscript]`
pub(super) fn element_of(unit: &Unit, array: DeclId, subscript: Expr) -> Expr {
    let span = subscript.span;
    let array = var(unit, array, span);
    Expr {
        ty: element(unit, array.ty).unwrap_or(array.ty),
        span,
        kind: ExprKind::Index(Box::new(array), Box::new(subscript)),
    }
}

/// Whether a type is as asked, or what it is an array of or points to; an array has the qualifiers of its elements.
pub(super) fn is_somewhere(unit: &Unit, ty: TypeId, is_it: fn(&Type) -> bool) -> bool {
    let next = match (&unit[ty].kind, &unit.canonical(ty).kind) {
        (TypeKind::Array { element, .. }, _) | (_, TypeKind::Array { element, .. }) => {
            Some(*element)
        }
        (TypeKind::Pointer(to), _) | (_, TypeKind::Pointer(to)) => Some(*to),
        _ => None,
    };
    is_it(&unit[ty])
        || is_it(unit.canonical(ty))
        || next.is_some_and(|next| is_somewhere(unit, next, is_it))
}

/// The type of whole numbers with a sign, and its size in bytes.
pub(super) fn whole(unit: &mut Unit, builtin: Builtin, size: u64) -> TypeId {
    let is_it =
        |ty: &Type| ty.kind == TypeKind::Builtin(builtin) && !(ty.is_const || ty.is_volatile);
    if let Some(at) = unit.types.iter().position(is_it) {
        return TypeId(at as u32);
    }
    of_kind(unit, TypeKind::Builtin(builtin), (Some(size), size))
}

/// A type without qualifiers.
fn of_kind(unit: &mut Unit, kind: TypeKind, (size, align): (Option<u64>, u64)) -> TypeId {
    let ty = Type {
        kind,
        is_const: false,
        is_volatile: false,
        is_restrict: false,
        canonical: TypeId(0),
        size,
        align: Some(align),
    };
    added(unit, ty)
}

/// Whether a store to something of one type may change something of another that is reached by a pointer.
pub(super) fn may_be_one(unit: &Unit, stored: TypeId, other: TypeId) -> bool {
    let of = |ty| unit.canonical(ty).kind.clone();
    // C's pointers to characters lead anywhere.
    let is_char = matches!(
        of(stored),
        TypeKind::Builtin(Builtin::Char | Builtin::SChar | Builtin::UChar)
    );
    is_char || unsigned(of(stored)) == unsigned(of(other))
}

/// A type, of those that differ in the sign alone the same one.
fn unsigned(kind: TypeKind) -> TypeKind {
    match kind {
        TypeKind::Builtin(Builtin::UInt) => TypeKind::Builtin(Builtin::Int),
        TypeKind::Builtin(Builtin::ULong) => TypeKind::Builtin(Builtin::Long),
        TypeKind::Builtin(Builtin::ULongLong) => TypeKind::Builtin(Builtin::LongLong),
        TypeKind::Builtin(Builtin::UShort) => TypeKind::Builtin(Builtin::Short),
        TypeKind::Enum(_) => TypeKind::Builtin(Builtin::Int),
        kind => kind,
    }
}

fn added(unit: &mut Unit, ty: Type) -> TypeId {
    let id = TypeId(unit.types.len() as u32);
    unit.types.push(Type {
        canonical: id,
        ..ty
    });
    id
}

/// Whether a type has arrays of variable length.
pub(super) fn is_variable(unit: &Unit, ty: TypeId) -> bool {
    use hexcc_clang::ast::Length;
    match unit.canonical(ty).kind {
        TypeKind::Pointer(to) => is_variable(unit, to),
        TypeKind::Array { element, length } => {
            length == Length::Variable || is_variable(unit, element)
        }
        _ => false,
    }
}
