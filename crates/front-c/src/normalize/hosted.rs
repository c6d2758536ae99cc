//! Arrays and numbers behind pointers that the host alone uses: `history[it] = err;`, `*worst = err;`.
//!
//! No cell is one of them where the program reaches them by one name: arrays that are declared, what `malloc` gives, and
//! parameters for which each call gives such of its own, or the address of a variable of its own. Variables of the file are given
//! to no function, which may use them by their names, too.

use super::converge::sweeps_or_moves;
use super::scalars;
use super::tree;
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, Callee, DeclId, DeclKind, Expr, ExprKind, FunctionId, Stmt, StmtKind, Storage,
    UnaryOp, Unit,
};
use std::collections::HashSet;

/// Functions through which a parameter may come, at most.
const DEEPEST: usize = 4;

/// The functions of C's library that give memory of its own.
const GIVE: [&str; 2] = ["malloc", "calloc"];

/// The variables by which the host alone reaches elements in a loop.
#[derive(Default)]
pub(super) struct Hosted(HashSet<DeclId>);

impl Hosted {
    /// Those of the body of a loop.
    pub fn of(unit: &Unit, body: &[Stmt]) -> Hosted {
        let (of_cells, others): (Vec<&Stmt>, Vec<&Stmt>) =
            (body.iter()).partition(|stmt| sweeps_or_moves(unit, stmt));
        let mut found = HashSet::new();
        for stmt in others {
            walk::all(unit, stmt, &mut |expr| {
                found.extend(element(unit, expr));
                true
            });
        }
        found.retain(|id| {
            !of_cells.iter().any(|stmt| walk::uses(unit, stmt, *id)) && is_apart(unit, *id, DEEPEST)
        });
        Hosted(found)
    }

    pub fn has(&self, id: DeclId) -> bool {
        self.0.contains(&id)
    }

    /// Whether an expression is an element or a row of one of them.
    pub fn is_element(&self, expr: &Expr) -> bool {
        is_within(expr).is_some_and(|id| self.has(id))
    }
}

/// The variable that a number is an element of.
fn element(unit: &Unit, expr: &Expr) -> Option<DeclId> {
    is_within(expr).filter(|_| scalars::is_arithmetic(unit, expr.ty))
}

/// The variable that an element or a row is in.
fn is_within(expr: &Expr) -> Option<DeclId> {
    let of = match &expr.kind {
        ExprKind::Index(of, _) => of,
        ExprKind::Unary(UnaryOp::Deref, of) => of,
        _ => return None,
    };
    tree::variable_of(of).or_else(|| is_within(tree::plain(of)))
}

/// Whether nothing but a variable leads to what it has or points to, as long as its function runs.
fn is_apart(unit: &Unit, id: DeclId, depth: usize) -> bool {
    let decl = &unit[id];
    let is_known = is_local(unit, id) || decl.storage == Storage::Static || scalars::has_main(unit);
    if depth == 0 || !is_known || decl.is_thread_local || !is_used_by_elements(unit, id, depth) {
        return false;
    }
    match decl.kind {
        DeclKind::Parameter => is_given_apart(unit, id, depth),
        DeclKind::Variable => decl.init.as_ref().is_none_or(|init| {
            !tree::is_pointer(unit, decl.ty) || gives(unit, init) || is_null(init)
        }),
        _ => false,
    }
}

/// Whether a call of a function has a variable of its own.
fn is_local(unit: &Unit, id: DeclId) -> bool {
    scalars::is_automatic(unit, id) && !super::globals(unit).contains(&unit[id].first)
}

/// Whether a value is memory of its own.
fn gives(unit: &Unit, value: &Expr) -> bool {
    match &tree::unconverted(value).kind {
        ExprKind::Call(Callee::Function(f), _) => {
            scalars::is_of_system(unit, *f) && GIVE.contains(&unit[*f].name.as_str())
        }
        _ => false,
    }
}

fn is_null(value: &Expr) -> bool {
    matches!(tree::unconverted(value).kind, ExprKind::Int(0))
}

/// Whether all calls of the function of a parameter give what no other name leads to.
fn is_given_apart(unit: &Unit, param: DeclId, depth: usize) -> bool {
    let of = (unit.functions.iter()).position(|f| f.body.is_some() && f.params.contains(&param));
    let Some(function) = of.map(|n| FunctionId(n as u32)) else {
        return false;
    };
    let is_closed = unit[function].storage == Storage::Static || scalars::has_main(unit);
    let at = unit[function].params.iter().position(|p| *p == param);
    let Some(at) = at.filter(|_| is_closed) else {
        return false;
    };
    let is_it = |f: &FunctionId| unit.definition(*f) == Some(function);
    let mut is_apart_always = true;
    let mut look = |expr: &Expr| {
        walk::visit(expr, &mut |expr| {
            match &expr.kind {
                ExprKind::Function(f) => is_apart_always &= !is_it(f),
                ExprKind::Call(Callee::Function(f), all) if is_it(f) => {
                    let is_apart = |given: &Expr| {
                        let others = all.iter().enumerate().filter(|(n, _)| *n != at);
                        let mut named = HashSet::new();
                        walk::variables(given, &mut named);
                        let is_twice = |id| others.clone().any(|(_, e)| walk::mentions(e, id));
                        is_own(unit, given, depth - 1) && !named.into_iter().any(is_twice)
                    };
                    is_apart_always &= all.get(at).is_some_and(is_apart);
                }
                _ => {}
            }
            true
        });
    };
    for stmt in unit.functions.iter().filter_map(|f| f.body.as_ref()) {
        scalars::exprs_beside(unit, stmt, None, &mut look);
    }
    is_apart_always
}

/// Whether an argument is the address of a variable of the caller, or what no other name leads to.
fn is_own(unit: &Unit, given: &Expr, depth: usize) -> bool {
    let given = tree::plain(given);
    match &given.kind {
        ExprKind::Var(id) => is_apart(unit, *id, depth),
        ExprKind::Unary(UnaryOp::AddressOf, of) => tree::variable_of(of)
            .is_some_and(|id| is_local(unit, id) && scalars::is_arithmetic(unit, unit[id].ty)),
        _ => is_null(given),
    }
}

/// Whether a variable is used for its elements alone, or given to what uses them.
fn is_used_by_elements(unit: &Unit, id: DeclId, depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    let mut uses = Uses {
        unit,
        id,
        depth,
        n_all: 0,
        n_known: 0,
        leaks: false,
    };
    let inits = unit.decls.iter().filter_map(|decl| decl.init.as_ref());
    inits.for_each(|init| uses.look(init));
    for stmt in unit.functions.iter().filter_map(|f| f.body.as_ref()) {
        walk::stmts(stmt, &mut |stmt| {
            let asks = matches!(stmt.kind, StmtKind::If { .. } | StmtKind::While { .. });
            for expr in walk::own(stmt) {
                uses.n_known += usize::from(asks && uses.is_it(expr));
                uses.look(expr);
            }
        });
    }
    !uses.leaks && uses.n_all == uses.n_known
}

/// How a variable is used.
struct Uses<'u> {
    unit: &'u Unit,
    id: DeclId,
    depth: usize,
    n_all: usize,
    /// For elements, in comparisons, to get memory.
    n_known: usize,
    /// Whether something has the address of an element.
    leaks: bool,
}

impl Uses<'_> {
    fn is_it(&self, expr: &Expr) -> bool {
        tree::is_var(tree::unconverted(expr), self.id)
    }

    fn look(&mut self, expr: &Expr) {
        walk::visit(expr, &mut |expr| {
            self.n_all += usize::from(matches!(expr.kind, ExprKind::Var(id) if id == self.id));
            self.n_known += self.known(expr);
            self.leaks |= match &expr.kind {
                ExprKind::Unary(UnaryOp::AddressOf, of) => {
                    self.is_it(of) || is_within(tree::plain(of)) == Some(self.id)
                }
                _ => false,
            };
            true
        });
    }

    fn known(&self, expr: &Expr) -> usize {
        use BinaryOp as B;
        let unit = self.unit;
        match &expr.kind {
            ExprKind::Index(..) | ExprKind::Unary(UnaryOp::Deref, _) => {
                usize::from(element(unit, expr) == Some(self.id))
            }
            ExprKind::Assign(None, to, value) => {
                usize::from(self.is_it(to) && (gives(unit, value) || is_null(value)))
            }
            ExprKind::Unary(UnaryOp::Not, of) => usize::from(self.is_it(of)),
            ExprKind::Binary(B::Equal | B::NotEqual | B::And | B::Or, a, b) => {
                [a, b].into_iter().filter(|e| self.is_it(e)).count()
            }
            ExprKind::Call(Callee::Function(f), given) => {
                let is_local = || is_local(unit, self.id);
                let takes = |at: usize| match unit.definition(*f) {
                    Some(function) => (unit[function].params.get(at)).is_some_and(|param| {
                        is_local() && is_used_by_elements(unit, *param, self.depth - 1)
                    }),
                    None => {
                        scalars::is_of_system(unit, *f) && tree::element(unit, expr.ty).is_none()
                    }
                };
                (given.iter().enumerate())
                    .filter(|(at, e)| self.is_it(e) && takes(*at))
                    .count()
            }
            _ => 0,
        }
    }
}
