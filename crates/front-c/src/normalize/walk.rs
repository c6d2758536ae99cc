//! Walks through statements and expressions.

use hexcc_clang::ast::{
    Callee, DeclId, Designator, Expr, ExprKind, FunctionId, Item, Stmt, StmtKind, Unit,
};
use std::collections::HashSet;

/// The parts of expressions and statements, to be read or, with `mut`, to be changed.
macro_rules! parts_of_trees {
    ($parts:ident, $subscripts:ident, $inner:ident, $own:ident, $iter:ident, $as_deref:ident $(, $mutable:tt)?) => {
        /// The expressions that an expression is made of.
        pub(crate) fn $parts(expr: &$($mutable)? Expr) -> Vec<&$($mutable)? Expr> {
            use ExprKind as K;
            match &$($mutable)? expr.kind {
                K::Imaginary(e)
                | K::Unary(_, e)
                | K::Field(e, _)
                | K::SizeOfExpr(e)
                | K::Compound(e)
                | K::VaArg(e) => vec![e],
                K::Binary(_, a, b) | K::Assign(_, a, b) | K::Else(a, b) | K::Index(a, b) => {
                    vec![a, b]
                }
                K::Cond(a, b, c) => vec![a, b, c],
                K::Call(Callee::Pointer(f), all) => {
                    std::iter::once(&$($mutable)? **f).chain(all).collect()
                }
                K::Call(Callee::Function(_), all) | K::List(all) => all.$iter().collect(),
                K::Cast { extents, value, .. } => {
                    std::iter::once(&$($mutable)? **value).chain(extents).collect()
                }
                K::SizeOfArray { lengths, .. } => lengths.$iter().collect(),
                K::Designated(path, value) => {
                    let subscripts = path.$iter().flat_map($subscripts);
                    subscripts.chain([&$($mutable)? **value]).collect()
                }
                _ => Vec::new(),
            }
        }

        fn $subscripts(designator: &$($mutable)? Designator) -> Vec<&$($mutable)? Expr> {
            match designator {
                Designator::Field(_) => Vec::new(),
                Designator::Index(e) => vec![e],
                Designator::Range(a, b) => vec![a, b],
            }
        }

        /// The statements in a statement.
        pub(crate) fn $inner(stmt: &$($mutable)? Stmt) -> Vec<&$($mutable)? Stmt> {
            use StmtKind as K;
            match &$($mutable)? stmt.kind {
                K::Compound(all) => all.$iter().collect(),
                K::If { then, otherwise, .. } => std::iter::once(&$($mutable)? **then)
                    .chain(otherwise.$as_deref())
                    .collect(),
                K::For { init, body, .. } => {
                    init.$as_deref().into_iter().chain([&$($mutable)? **body]).collect()
                }
                K::While { body, .. }
                | K::Do { body, .. }
                | K::Switch { body, .. }
                | K::Case { body, .. }
                | K::Default(body)
                | K::Label { body, .. } => vec![body],
                _ => Vec::new(),
            }
        }

        /// The expressions of a statement alone, without those of declarations.
        pub(super) fn $own(stmt: &$($mutable)? Stmt) -> Vec<&$($mutable)? Expr> {
            use StmtKind as K;
            match &$($mutable)? stmt.kind {
                K::Expr(e) | K::IndirectGoto(e) => vec![e],
                K::If { cond, .. } | K::While { cond, .. } | K::Do { cond, .. } => vec![cond],
                K::Switch { value, .. } => vec![value],
                K::For { cond, step, .. } => cond.$iter().chain(step).collect(),
                K::Case { value, last, .. } => std::iter::once(value).chain(last).collect(),
                K::Return(value) => value.$iter().collect(),
                _ => Vec::new(),
            }
        }
    };
}

parts_of_trees!(parts, subscripts, inner, own, iter, as_deref);
parts_of_trees!(
    parts_mut,
    subscripts_mut,
    inner_mut,
    own_mut,
    iter_mut,
    as_deref_mut,
    mut
);

/// Calls `f` with an expression and all in it, from the outside; where `f` says so, not with what is in one.
pub(crate) fn visit(expr: &Expr, f: &mut dyn FnMut(&Expr) -> bool) {
    if f(expr) {
        for part in parts(expr) {
            visit(part, f);
        }
    }
}

/// Adds the variables in an expression.
pub(crate) fn variables(expr: &Expr, all: &mut HashSet<DeclId>) {
    visit(expr, &mut |expr| {
        if let ExprKind::Var(id) = expr.kind {
            all.insert(id);
        }
        true
    });
}

/// Whether an expression, or one in it, is as asked.
pub(crate) fn has(expr: &Expr, is_it: impl Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    visit(expr, &mut |expr| {
        found = found || is_it(expr);
        !found
    });
    found
}

/// The same, to be changed.
pub(crate) fn change(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr) -> bool) {
    if f(expr) {
        for part in parts_mut(expr) {
            change(part, f);
        }
    }
}

/// The variables that a statement alone declares.
pub(crate) fn declared(stmt: &Stmt) -> Vec<DeclId> {
    let StmtKind::Decl(items) = &stmt.kind else {
        return Vec::new();
    };
    let decl = |item: &Item| match item {
        Item::Decl(id) => Some(*id),
        _ => None,
    };
    items.iter().filter_map(decl).collect()
}

/// All variables that are declared in a statement.
pub(crate) fn all_declared(stmt: &Stmt) -> Vec<DeclId> {
    let inside = inner(stmt).into_iter().flat_map(all_declared);
    declared(stmt).into_iter().chain(inside).collect()
}

/// Calls `f` with the expressions of a statement alone, among them the values of what it declares.
pub(crate) fn exprs(unit: &Unit, stmt: &Stmt, f: &mut dyn FnMut(&Expr)) {
    own(stmt).into_iter().for_each(&mut *f);
    for id in declared(stmt) {
        unit[id]
            .extents
            .iter()
            .chain(&unit[id].init)
            .for_each(&mut *f);
    }
}

/// Calls `f` with all expressions in a statement, from the outside.
pub(crate) fn all(unit: &Unit, stmt: &Stmt, f: &mut dyn FnMut(&Expr) -> bool) {
    exprs(unit, stmt, &mut |expr| visit(expr, f));
    for stmt in inner(stmt) {
        all(unit, stmt, f);
    }
}

/// Whether an expression in a statement is as asked.
pub(crate) fn any(unit: &Unit, stmt: &Stmt, mut is_it: impl FnMut(&Expr) -> bool) -> bool {
    let mut found = false;
    all(unit, stmt, &mut |expr| {
        found = found || is_it(expr);
        !found
    });
    found
}

/// Whether an expression names a variable.
pub(crate) fn mentions(expr: &Expr, id: DeclId) -> bool {
    has(expr, |e| matches!(e.kind, ExprKind::Var(v) if v == id))
}

/// Whether a statement names a variable.
pub(crate) fn uses(unit: &Unit, stmt: &Stmt, id: DeclId) -> bool {
    any(
        unit,
        stmt,
        |e| matches!(e.kind, ExprKind::Var(v) if v == id),
    )
}

/// How often a statement names a variable.
pub(crate) fn n_uses(unit: &Unit, stmt: &Stmt, id: DeclId) -> usize {
    let mut n = 0;
    all(unit, stmt, &mut |expr| {
        n += usize::from(matches!(expr.kind, ExprKind::Var(v) if v == id));
        true
    });
    n
}

/// Whether a statement is a loop.
pub(crate) fn is_loop(stmt: &Stmt) -> bool {
    use StmtKind as K;
    matches!(stmt.kind, K::For { .. } | K::While { .. } | K::Do { .. })
}

/// Whether a statement that jumps, as asked, does so from the body that a statement is in, and from no loop in it.
pub(crate) fn jumps(stmt: &Stmt, is_it: fn(&StmtKind) -> bool) -> bool {
    match &stmt.kind {
        _ if is_loop(stmt) => false,
        kind => is_it(kind) || inner(stmt).into_iter().any(|inner| jumps(inner, is_it)),
    }
}

/// The same of `break` and `continue`.
pub(crate) fn leaves(stmt: &Stmt) -> bool {
    jumps(stmt, |kind| {
        matches!(kind, StmtKind::Break | StmtKind::Continue)
    })
}

/// The same as [`all`], to be changed.
pub(crate) fn change_all(unit: &mut Unit, stmt: &mut Stmt, f: &mut dyn FnMut(&mut Expr) -> bool) {
    for expr in own_mut(stmt) {
        change(expr, f);
    }
    for id in declared(stmt) {
        let decl = &mut unit[id];
        for expr in decl.extents.iter_mut().chain(&mut decl.init) {
            change(expr, f);
        }
    }
    for stmt in inner_mut(stmt) {
        change_all(unit, stmt, f);
    }
}

/// Calls `f` with a statement and all in it, from the outside.
pub(crate) fn stmts(stmt: &Stmt, f: &mut dyn FnMut(&Stmt)) {
    f(stmt);
    for stmt in inner(stmt) {
        stmts(stmt, f);
    }
}

/// The functions that statements call, themselves or through others, where the unit defines them.
pub(crate) fn called(unit: &Unit, runs: &[Stmt]) -> Vec<FunctionId> {
    let mut found: Vec<FunctionId> = Vec::new();
    let mut add = |stmt: &Stmt, open: &mut Vec<FunctionId>| {
        all(unit, stmt, &mut |expr| {
            if let ExprKind::Call(Callee::Function(f), _) | ExprKind::Function(f) = expr.kind
                && let Some(f) = unit.definition(f)
                && !found.contains(&f)
            {
                found.push(f);
                open.push(f);
            }
            true
        });
    };
    let mut open = Vec::new();
    for stmt in runs {
        add(stmt, &mut open);
    }
    while let Some(next) = open.pop() {
        if let Some(body) = &unit[next].body {
            add(body, &mut open);
        }
    }
    found
}
