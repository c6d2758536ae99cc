//! Planes that the number of the step selects, as pointers that rotate.
//!
//! In: `u[t % 2]` and `u[(t + 1) % 2]` in the body of a loop over `t`, the elements being pointers; also with `& 1`, as
//! `1 - t % 2`, through `int cur = t % 2`, and of three. Out: `u_now` and `u_next`, which are swapped behind the last sweep of a step, with
//! `float *u_now = u[0];` before the loop. The first `t` is known not to be negative; what is not replaced stays right.

use super::counter::{self, Counter, Known};
use super::planes;
use super::promote::Around;
use super::tree::{self, Namer};
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, UnaryOp, Unit};
use std::collections::HashMap;

/// The names of the planes, from that of the step on.
pub(super) const ENDS: [&str; 3] = ["now", "next", "last"];

/// Makes pointers of the planes; `None` where the step selects none.
pub(super) fn parity(
    unit: &mut Unit,
    namer: &mut Namer,
    known: &Known,
    (head, body): (&Stmt, &mut Vec<Stmt>),
) -> Option<Around> {
    let counter = counter::counter(unit, known, (head, body))?;
    let mut around = Around::default();
    for n_planes in [2, 3_usize] {
        // An unsigned number wraps around at a power of two.
        if n_planes == 2 || counter.is_signed {
            around.wrap(of(unit, namer, &counter, n_planes, (head, body)).unwrap_or_default());
        }
    }
    (!around.before.is_empty()).then_some(around)
}

/// The same for planes of one number.
fn of(
    unit: &mut Unit,
    namer: &mut Namer,
    counter: &Counter,
    n_planes: usize,
    (head, body): (&Stmt, &mut Vec<Stmt>),
) -> Option<Around> {
    let mut phases = Phases {
        counter,
        n_planes: n_planes as i128,
        variables: HashMap::new(),
    };
    phases.find_variables(unit, body);
    let number = |unit: &Unit, expr: &Expr| phases.of(unit, expr);
    let mut tables = planes::tables(unit, body, &number);
    // Arrays of arrays are tiled as they are.
    tables.retain(|_, written| tree::is_pointer(unit, written.ty));
    if tables.is_empty() || !planes::stay(unit, (head, body), tables.keys()) {
        return None;
    }
    let mut found = std::collections::BTreeMap::new();
    for (table, written) in &tables {
        let subscripts: Vec<Expr> = (0..n_planes).map(|n| phases.at_first(n)).collect();
        let made = planes::pointers(unit, namer, (table, written), &subscripts, &ENDS)?;
        found.insert(table.clone(), made);
    }
    // Behind the last sweep or update the pointers are those of the next step, for what is shown there.
    let at = body.iter().rposition(writes_cells);
    let at = at.map_or(body.len(), |n| n + 1);
    let behind = |unit: &Unit, expr: &Expr| Some((number(unit, expr)? + n_planes - 1) % n_planes);
    planes::replace(unit, body[..at].iter_mut(), &number, &found);
    planes::replace(unit, body[at..].iter_mut(), &behind, &found);
    let mut turns = Vec::new();
    for planes in found.values() {
        turns.extend(planes::rotation(unit, namer, &planes.pointers, head.span));
    }
    body.splice(at..at, turns);
    let variables = phases.variables.keys().copied().collect();
    planes::drop_unused(unit, body, &variables);
    Some(planes::declared(unit, &found))
}

/// Whether a statement sweeps over cells, or updates one.
fn writes_cells(stmt: &Stmt) -> bool {
    let is_cell = |to: &Expr| matches!(tree::plain(to).kind, ExprKind::Index(..));
    match &stmt.kind {
        StmtKind::For { .. } => true,
        StmtKind::Expr(expr) => tree::target(expr).is_some_and(is_cell),
        _ => false,
    }
}

/// What is known of numbers that select planes.
struct Phases<'c> {
    counter: &'c Counter,
    n_planes: i128,
    /// Variables of the body that are `(t + n) % n_planes`, with `n`.
    variables: HashMap<DeclId, i128>,
}

impl Phases<'_> {
    /// Finds the variables of a body that select planes.
    fn find_variables(&mut self, unit: &Unit, body: &[Stmt]) {
        let all: Vec<DeclId> = body.iter().flat_map(walk::all_declared).collect();
        for id in all {
            let changes = |stmt| super::inline::changes(unit, stmt, id);
            let decl = &unit[id];
            if decl.storage == hexcc_clang::ast::Storage::None
                && decl.extents.is_empty()
                && !body.iter().any(changes)
                && let Some(init) = &decl.init
                && let Some(n) = self.phase(init)
            {
                self.variables.insert(id, n);
            }
        }
    }

    fn of(&self, _: &Unit, expr: &Expr) -> Option<usize> {
        Some(self.phase(expr)? as usize)
    }

    /// `n`, where an expression is `(t + n) % n_planes`.
    fn phase(&self, expr: &Expr) -> Option<i128> {
        use BinaryOp as B;
        let of_two = self.n_planes == 2;
        let other = |p: &Expr| Some((self.phase(p)? + 1) % 2);
        match &tree::plain(expr).kind {
            ExprKind::Var(id) => self.variables.get(id).copied(),
            ExprKind::Binary(B::Rem, sum, n) if tree::is_number(n, self.n_planes) => self.sum(sum),
            ExprKind::Binary(B::BitAnd, a, b) if of_two => {
                let sum = [(a, b), (b, a)]
                    .into_iter()
                    .find(|(_, one)| tree::is_number(one, 1));
                self.sum(sum?.0)
            }
            ExprKind::Binary(B::Sub, one, p) if of_two && tree::is_number(one, 1) => other(p),
            ExprKind::Binary(B::BitXor, p, one) if of_two && tree::is_number(one, 1) => other(p),
            ExprKind::Binary(B::Equal, p, zero) if of_two && tree::is_number(zero, 0) => other(p),
            ExprKind::Unary(UnaryOp::Not, p) if of_two => other(p),
            _ => None,
        }
    }

    /// `n` modulo the number of planes, where an expression is `t + n` and not negative.
    fn sum(&self, expr: &Expr) -> Option<i128> {
        let (base, added) = match &tree::plain(expr).kind {
            ExprKind::Binary(BinaryOp::Add, a, b) => match (number(a), number(b)) {
                (None, Some(n)) => (&**a, n),
                (Some(n), None) => (&**b, n),
                _ => return None,
            },
            ExprKind::Binary(BinaryOp::Sub, a, b) => (&**a, -number(b)?),
            _ => (expr, 0),
        };
        let n = match tree::plain(base).kind {
            ExprKind::Var(id) if id == self.counter.variable => {
                let least = self.counter.first.unwrap_or(0) + added;
                (least >= 0).then_some(added)?
            }
            _ if added >= 0 => self.phase(base)? + added,
            _ => return None,
        };
        Some(n.rem_euclid(self.n_planes))
    }

    /// The subscript of a plane in the first step.
    fn at_first(&self, n: usize) -> Expr {
        let start = &self.counter.start;
        match self.counter.first {
            Some(first) => tree::int(start, (first + n as i128) % self.n_planes),
            None => {
                let sum = match n {
                    0 => start.clone(),
                    _ => tree::binary(BinaryOp::Add, start.clone(), tree::int(start, n as i128)),
                };
                tree::binary(BinaryOp::Rem, sum, tree::int(start, self.n_planes))
            }
        }
    }
}

fn number(expr: &Expr) -> Option<i128> {
    match tree::plain(expr).kind {
        ExprKind::Int(n) => Some(n),
        _ => None,
    }
}
