//! What the host can do ahead of the steps of a time loop: numbers that depend on no array.
//!
//! [`Scalars`] parts the statements of a body: those that assign to variables from variables alone, as `t += dt;`, and all
//! others. What it says holds for expressions, too: those that it knows have no side effects, and the same value
//! wherever the variables have theirs.

use super::tree::{self, target};
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, Builtin, Callee, DeclId, DeclKind, Expr, ExprKind, Function, FunctionId, Span, Stmt,
    StmtKind, Storage, TypeId, TypeKind, UnaryOp, Unit,
};
use std::collections::HashSet;

/// Functions of C's library that compute a number of numbers, without the `f` and `l` of other types.
const MATH: [&str; 36] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin",
    "fmod", "hypot", "log", "log10", "log1p", "log2", "pow", "round", "sin", "sinh", "sqrt", "tan",
    "tanh",
];

/// Functions of C's library that write only where they are told to.
pub(super) const COPIES: [&str; 3] = ["memcpy", "memmove", "memset"];

/// The variables that other statements change.
#[derive(PartialEq)]
enum Theirs {
    These(HashSet<DeclId>),
    /// Whatever there is.
    All,
}

impl Theirs {
    fn has(&self, id: DeclId) -> bool {
        match self {
            Theirs::These(all) => all.contains(&id),
            Theirs::All => true,
        }
    }
}

/// The variables of the statements that are no scalar ones.
pub(super) struct Scalars<'u> {
    unit: &'u Unit,
    /// What the other statements assign to or declare.
    theirs: Theirs,
}

impl<'u> Scalars<'u> {
    /// Of the statements of some steps; `None` where one of them has side effects that are not known.
    pub fn of(unit: &'u Unit, steps: &[Stmt]) -> Option<Scalars<'u>> {
        let mut scalars = Scalars {
            unit,
            theirs: Theirs::These(HashSet::new()),
        };
        loop {
            let others = steps.iter().filter(|stmt| !scalars.is_scalar(stmt));
            let theirs = Theirs::These(others.flat_map(|stmt| changed(unit, stmt)).collect());
            if theirs == scalars.theirs {
                break;
            }
            scalars.theirs = theirs;
        }
        let mut others = steps.iter().filter(|stmt| !scalars.is_scalar(stmt));
        let is_known = others.all(|stmt| !walk::any(unit, stmt, |e| calls_out(unit, e)));
        is_known.then_some(scalars)
    }

    /// Whether a statement assigns to variables what they alone give.
    pub fn is_scalar(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Null => true,
            StmtKind::Compound(all) => all.iter().all(|stmt| self.is_scalar(stmt)),
            StmtKind::Expr(expr) => self.is_step(expr),
            StmtKind::Decl(items) => {
                let all = walk::declared(stmt);
                items.len() == all.len() && all.iter().all(|id| self.is_declared_well(*id))
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let parts = std::iter::once(then).chain(otherwise);
                self.is_value(cond) && parts.into_iter().all(|part| self.is_scalar(part))
            }
            _ => false,
        }
    }

    fn is_declared_well(&self, id: DeclId) -> bool {
        let decl = &self.unit[id];
        let init = decl.init.as_ref();
        self.is_number(id)
            && decl.kind == DeclKind::Variable
            && matches!(decl.storage, Storage::None | Storage::Register)
            && init.is_none_or(|init| self.is_value(init))
    }

    /// Whether an expression assigns to one variable: `t += dt`, `n++`.
    pub fn is_step(&self, expr: &Expr) -> bool {
        let is_own =
            |to: &Expr| matches!(tree::plain(to).kind, ExprKind::Var(id) if self.is_number(id));
        match &expr.kind {
            ExprKind::Assign(_, to, value) => is_own(to) && self.is_value(value),
            ExprKind::Unary(op, of) if op.counts() => is_own(of),
            _ => false,
        }
    }

    /// Whether an expression is a number that variables alone give, and has no side effects.
    pub fn is_value(&self, expr: &Expr) -> bool {
        let mut is_it = true;
        walk::visit(expr, &mut |expr| {
            is_it &= self.is_value_itself(expr);
            is_it
        });
        is_it
    }

    fn is_value_itself(&self, expr: &Expr) -> bool {
        use ExprKind as K;
        match &expr.kind {
            K::Int(_) | K::Char(_) | K::Float(_) | K::SizeOf(_) | K::Cond(..) => true,
            K::Var(id) => self.is_number(*id),
            // A variable is the same one wherever the program divides by it.
            K::Binary(_, _, by) => {
                !may_fail(self.unit, expr) || matches!(tree::plain(by).kind, K::Var(_))
            }
            K::Unary(op, _) => matches!(
                op,
                UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot | UnaryOp::Not
            ),
            K::Cast { extents, .. } => extents.is_empty() && is_arithmetic(self.unit, expr.ty),
            K::Call(Callee::Function(f), _) => {
                is_arithmetic(self.unit, expr.ty) && self.is_function(*f, &mut HashSet::new())
            }
            _ => false,
        }
    }

    /// Whether a variable is a number, and the other statements do not assign to it.
    fn is_number(&self, id: DeclId) -> bool {
        let decl = &self.unit[id];
        let is_constant = matches!(decl.kind, DeclKind::Enumerator(_));
        let ty = &self.unit.canonical(decl.ty);
        is_constant
            || is_arithmetic(self.unit, decl.ty)
                && !ty.is_volatile
                && !self.unit[decl.ty].is_volatile
                && !decl.is_thread_local
                && !self.theirs.has(id)
    }

    /// Whether a function gives a number that its arguments and variables of the file alone give.
    fn is_function(&self, f: FunctionId, asked: &mut HashSet<FunctionId>) -> bool {
        if is_math(self.unit, f) || !asked.insert(f) {
            return true;
        }
        let Some(body) = self.unit.body_of(f) else {
            return false;
        };
        let own: HashSet<DeclId> = own_variables(self.unit, f, body);
        let mut is_it = !has_statics(self.unit, body);
        walk::all(self.unit, body, &mut |expr| {
            if let Some(to) = target(expr) {
                is_it &= matches!(tree::plain(to).kind, ExprKind::Var(id) if own.contains(&id));
            }
            is_it &= match &expr.kind {
                ExprKind::Var(id) => {
                    own.contains(id) && is_arithmetic(self.unit, self.unit[*id].ty)
                        || self.is_number(*id)
                }
                ExprKind::Call(Callee::Function(f), _) => self.is_function(*f, asked),
                ExprKind::Binary(..) => !may_fail(self.unit, expr),
                ExprKind::Index(..)
                | ExprKind::Field(..)
                | ExprKind::Call(..)
                | ExprKind::Unary(UnaryOp::Deref | UnaryOp::AddressOf, _)
                | ExprKind::Statements(_)
                | ExprKind::VaArg(_)
                | ExprKind::Other(_) => false,
                _ => true,
            };
            is_it
        });
        is_it
    }
}

/// Whether an expression divides whole numbers, perhaps by zero.
pub(super) fn may_fail(unit: &Unit, expr: &Expr) -> bool {
    let ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) = &expr.kind else {
        return false;
    };
    let is_constant = matches!(tree::plain(by).kind, ExprKind::Int(n) if n != 0);
    is_integer(unit, expr.ty) && !is_constant
}

/// The variables that a statement assigns to, takes the address of, or declares.
pub(super) fn changed(unit: &Unit, stmt: &Stmt) -> HashSet<DeclId> {
    let mut found: HashSet<DeclId> = walk::all_declared(stmt).into_iter().collect();
    walk::all(unit, stmt, &mut |expr| {
        if let Some(ExprKind::Var(id)) = target(expr).map(|to| &tree::plain(to).kind) {
            found.insert(*id);
        }
        true
    });
    found
}

/// Whether a statement changes more than variables: elements, members, what pointers point to.
pub(super) fn stores(unit: &Unit, stmt: &Stmt) -> bool {
    let is_other = |to: &Expr| !matches!(tree::plain(to).kind, ExprKind::Var(_));
    walk::any(unit, stmt, |e| target(e).is_some_and(is_other))
}

/// Whether a store in a statement may change a variable through a pointer to it.
pub(super) fn is_stored_through(unit: &Unit, stmt: &Stmt, id: DeclId) -> bool {
    let may_be_it = |expr: &Expr| {
        let is_it = |to: &Expr| match &to.kind {
            ExprKind::Unary(UnaryOp::Deref, _) => true,
            ExprKind::Index(base, _) => tree::is_pointer(unit, tree::plain(base).ty),
            _ => false,
        };
        let to = tree::target(expr).map(tree::plain).filter(|to| is_it(to));
        to.is_some_and(|to| tree::may_be_one(unit, to.ty, unit[id].ty))
    };
    walk::any(unit, stmt, may_be_it) && is_pointed_to(unit, id)
}

/// Whether a pointer to a variable may be somewhere: its address is taken, and not only for a function of C's library.
pub(super) fn is_pointed_to(unit: &Unit, id: DeclId) -> bool {
    is_pointed_to_beside(unit, id, (None, &[]))
}

/// The same where a statement of the file, by its place, has been replaced by others.
pub(super) fn is_pointed_to_beside(
    unit: &Unit,
    id: DeclId,
    (replaced, others): (Option<Span>, &[Stmt]),
) -> bool {
    let mut found = false;
    let mut look = |expr: &Expr| {
        walk::visit(expr, &mut |expr| {
            match &expr.kind {
                ExprKind::Call(Callee::Function(f), given) if is_of_system(unit, *f) => {
                    let other =
                        |e: &Expr| !is_address_of(e, id) && walk::has(e, |e| is_address_of(e, id));
                    found |= given.iter().any(other);
                    return false;
                }
                _ => found |= is_address_of(expr, id),
            }
            true
        });
    };
    let bodies = unit.functions.iter().filter_map(|f| f.body.as_ref());
    for stmt in bodies.chain(others) {
        exprs_beside(unit, stmt, replaced, &mut look);
    }
    let declared = |stmt: &Stmt| walk::all_declared(stmt);
    let inside: HashSet<DeclId> = (unit.functions.iter())
        .filter_map(|f| f.body.as_ref())
        .flat_map(declared)
        .collect();
    let of_file = |n: &usize| !inside.contains(&DeclId(*n as u32));
    (0..unit.decls.len())
        .filter(of_file)
        .filter_map(|n| unit.decls[n].init.as_ref())
        .for_each(look);
    found
}

/// Whether functions that statements call may use some variables of the file by themselves.
pub(super) fn are_seen_by_calls(unit: &Unit, runs: &[Stmt], ids: &[DeclId]) -> bool {
    let of_file = super::globals(unit);
    let first = |id: DeclId| unit[id].first;
    let own: HashSet<DeclId> = (ids.iter().map(|id| first(*id)))
        .filter(|id| of_file.contains(id))
        .collect();
    if own.is_empty() {
        return false;
    }
    let uses = |e: &Expr| matches!(e.kind, ExprKind::Var(id) if own.contains(&first(id)));
    // Those of other files may call these again.
    let leaves = |e: &Expr| match &e.kind {
        ExprKind::Call(Callee::Function(f), _) => {
            unit.definition(*f).is_none() && !is_of_system(unit, *f)
        }
        ExprKind::Call(..) => true,
        _ => false,
    };
    let called = walk::called(unit, runs);
    let mut bodies = called.into_iter().filter_map(|f| unit[f].body.as_ref());
    runs.iter().any(|stmt| walk::any(unit, stmt, leaves))
        || bodies.any(|body| walk::any(unit, body, |e| uses(e) || leaves(e)))
}

/// Calls `f` with the expressions of a statement and all in it but the one at a place.
pub(super) fn exprs_beside(unit: &Unit, stmt: &Stmt, but: Option<Span>, f: &mut dyn FnMut(&Expr)) {
    if Some(stmt.span) == but {
        return;
    }
    walk::exprs(unit, stmt, f);
    for inner in walk::inner(stmt) {
        exprs_beside(unit, inner, but, f);
    }
}

/// Whether a variable is there as long as its block or function runs, and only what the program does changes it.
pub(super) fn is_automatic(unit: &Unit, id: DeclId) -> bool {
    let decl = &unit[id];
    matches!(decl.kind, DeclKind::Variable | DeclKind::Parameter)
        && matches!(decl.storage, Storage::None | Storage::Register)
        && !tree::is_somewhere(unit, decl.ty, |ty| ty.is_volatile)
}

pub(super) fn is_address_of(expr: &Expr, id: DeclId) -> bool {
    match &tree::plain(expr).kind {
        ExprKind::Unary(UnaryOp::AddressOf, of) => tree::is_var(of, id),
        _ => false,
    }
}

/// Whether an expression calls what may change variables, or do what others see.
pub(super) fn calls_out(unit: &Unit, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(Callee::Function(f), _) => !keeps_variables(unit, *f, &mut HashSet::new()),
        ExprKind::Call(..)
        | ExprKind::Statements(_)
        | ExprKind::VaArg(_)
        | ExprKind::LabelAddress(_)
        | ExprKind::Other(_) => true,
        _ => false,
    }
}

/// Whether a function changes nothing but elements of arrays, and does nothing that others see.
fn keeps_variables(unit: &Unit, f: FunctionId, asked: &mut HashSet<FunctionId>) -> bool {
    let name = unit[f].name.as_str();
    let is_copy = is_of_system(unit, f) && COPIES.contains(&name);
    if is_math(unit, f) || is_copy || is_hint(unit, f) || !asked.insert(f) {
        return true;
    }
    let Some(body) = unit.body_of(f) else {
        return false;
    };
    let own = own_variables(unit, f, body);
    let mut keeps = !has_statics(unit, body);
    walk::all(unit, body, &mut |expr| {
        keeps &= match (&expr.kind, target(expr).map(|to| &tree::plain(to).kind)) {
            (_, Some(ExprKind::Var(id))) => own.contains(id),
            (_, Some(ExprKind::Field(..))) => false,
            (ExprKind::Call(Callee::Function(f), _), _) => keeps_variables(unit, *f, asked),
            _ => !calls_out(unit, expr),
        };
        keeps
    });
    keeps
}

fn own_variables(unit: &Unit, f: FunctionId, body: &Stmt) -> HashSet<DeclId> {
    let definition = unit.definition(f).unwrap_or(f);
    let params = unit[definition].params.iter().copied();
    params.chain(walk::all_declared(body)).collect()
}

fn has_statics(unit: &Unit, body: &Stmt) -> bool {
    let mut all = walk::all_declared(body).into_iter();
    all.any(|id| matches!(unit[id].storage, Storage::Static | Storage::Extern))
}

pub(super) fn is_math(unit: &Unit, f: FunctionId) -> bool {
    let name = unit[f].name.as_str();
    let plain = name.strip_suffix(['f', 'l']).unwrap_or(name);
    is_of_system(unit, f) && (MATH.contains(&name) || MATH.contains(&plain) || name == "abs")
}

/// Whether a function gives a number that its arguments alone give, and does nothing else.
pub(super) fn computes(unit: &Unit, f: FunctionId) -> bool {
    let theirs = Theirs::All;
    Scalars { unit, theirs }.is_function(f, &mut HashSet::new())
}

/// Whether a function only tells the machine what is read soon: addresses are not followed. The name is the compiler's.
fn is_hint(unit: &Unit, f: FunctionId) -> bool {
    unit[f].name == "__builtin_prefetch" && unit.body_of(f).is_none()
}

/// Whether a file has the function that a program begins with.
pub(super) fn has_main(unit: &Unit) -> bool {
    let is_main = |f: &Function| f.name == "main" && f.body.is_some();
    unit.functions.iter().any(is_main)
}

pub(super) fn is_of_system(unit: &Unit, f: FunctionId) -> bool {
    unit[unit[f].span.file].is_system || unit[f].is_implicit
}

pub(super) fn is_arithmetic(unit: &Unit, ty: TypeId) -> bool {
    match unit.canonical(ty).kind {
        TypeKind::Builtin(builtin) => builtin != Builtin::Void,
        TypeKind::Enum(_) => true,
        _ => false,
    }
}

pub(super) fn is_integer(unit: &Unit, ty: TypeId) -> bool {
    use Builtin as B;
    is_arithmetic(unit, ty)
        && !matches!(
            unit.canonical(ty).kind,
            TypeKind::Builtin(B::Float16 | B::Float | B::Double | B::LongDouble | B::Float128)
        )
}
