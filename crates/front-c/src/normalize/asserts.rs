//! What only checks or tells: assertions, which kernels do not check, and hints to optimizers.
//!
//! In: `assert(i < n); __builtin_prefetch(u);`. Out: `; ;`. An assertion is what a macro gives that does nothing but
//! call the function of C's library that says where one failed. With `NDEBUG`, it does nothing at all.

use super::forward::{Part, Scene, whole};
use super::{peel, scalars, tree, walk};
use hexcc_clang::ast::{
    Builtin, Callee, Expr, ExprKind, Span, Stmt, StmtKind, TypeKind, UnaryOp, Unit,
};
use std::ops::Range;

/// Functions that tell an optimizer something that is so, and do nothing else.
const HINTS: [&str; 4] = [
    "__assume",
    "__assume_aligned",
    "__builtin_assume",
    "__builtin_prefetch",
];

/// What tells kinds of numbers apart, as C's library and compilers have it: with `__` and for types.
const KINDS: [&str; 3] = ["isnan", "isinf", "isfinite"];

/// Takes assertions without effects and hints out of a part.
pub(super) fn asserts(scene: &mut Scene, part: &mut Part) -> bool {
    let mut spans = Vec::new();
    walk::stmts(&part.root, &mut |stmt| spans.push(stmt.span));
    without(&scene.unit, &spans, &mut part.root, &mut scene.unchecked)
}

/// The same of a statement of a part whose statements have some spans; adds the bytes of assertions.
fn without(
    unit: &Unit,
    spans: &[Span],
    stmt: &mut Stmt,
    unchecked: &mut Vec<Range<usize>>,
) -> bool {
    if let StmtKind::Expr(expr) = &stmt.kind
        && (is_hint(unit, expr) || stmt.span.expansion.is_some() && is_void(unit, expr))
        && let Some(range) = whole(unit, stmt)
        // A macro may make several statements.
        && spans.iter().filter(|span| **span == stmt.span).count() == 1
    {
        let effects = Effects::of(unit, expr);
        if !effects.has_others {
            unchecked.extend(effects.may_fail.then_some(range));
            stmt.kind = StmtKind::Null;
            return true;
        }
    }
    let mut found = false;
    for inner in walk::inner_mut(stmt) {
        found |= without(unit, spans, inner, unchecked);
    }
    found
}

fn is_void(unit: &Unit, expr: &Expr) -> bool {
    unit.canonical(expr.ty).kind == TypeKind::Builtin(Builtin::Void)
}

/// The name of the function that an expression calls, if it is the compiler's or one of C's library.
fn of_system<'u>(unit: &'u Unit, expr: &Expr) -> Option<&'u str> {
    let ExprKind::Call(Callee::Function(f), _) = expr.kind else {
        return None;
    };
    let name = unit[f].name.as_str();
    // What begins so is not the user's; a call declares the compiler's own.
    let is_theirs = name.starts_with("__") || scalars::is_of_system(unit, f);
    (is_theirs && unit.body_of(f).is_none()).then_some(name)
}

fn is_hint(unit: &Unit, expr: &Expr) -> bool {
    of_system(unit, tree::plain(expr)).is_some_and(|name| HINTS.contains(&name))
}

/// What an expression does.
#[derive(Default)]
struct Effects {
    /// It may call what says that an assertion has failed.
    may_fail: bool,
    /// It may do something else that others see.
    has_others: bool,
}

impl Effects {
    fn of(unit: &Unit, expr: &Expr) -> Effects {
        let mut effects = Effects::default();
        effects.add(unit, expr);
        effects
    }

    fn add(&mut self, unit: &Unit, expr: &Expr) {
        walk::visit(expr, &mut |expr| {
            let name = of_system(unit, expr);
            match &expr.kind {
                _ if name.is_some_and(|name| name.starts_with("__assert")) => {
                    self.may_fail = true;
                    return false;
                }
                _ if name.is_some_and(|name| HINTS.contains(&name) || tells_kinds(name)) => {}
                ExprKind::Statements(stmt) => self.add_statement(unit, stmt),
                ExprKind::Unary(UnaryOp::AddressOf, _) => {}
                _ => self.has_others |= tree::target(expr).is_some() || peel::calls_out(unit, expr),
            }
            !self.has_others
        });
    }

    fn add_statement(&mut self, unit: &Unit, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Null | StmtKind::Compound(_) | StmtKind::If { .. } | StmtKind::Expr(_) => {}
            _ => self.has_others = true,
        }
        for expr in walk::own(stmt) {
            self.add(unit, expr);
        }
        for inner in walk::inner(stmt) {
            self.add_statement(unit, inner);
        }
    }
}

/// Whether a function of C's library or the compiler's tells of which kind a number is.
fn tells_kinds(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let name = name.trim_start_matches('_').trim_end_matches("_sign");
    KINDS
        .iter()
        .any(|kind| matches!(name.strip_prefix(kind), Some("" | "f" | "l")))
}
