//! Time loops that the host takes part in every so many steps, as loops over segments.
//!
//! In: `for (n = 0; n < steps; n++) { STEP; t += dt; if (n % 10 == 0) save(u, t); }`. Out: the host goes ahead with what depends
//! on no array, to the next step in which it takes part, and a loop of their own has the steps until there.
//!
//! ```c
//! n = 0;
//! while (n < steps) {
//!   int n_steps = 0, pending = 1;
//!   for (;;) {
//!     t += dt;
//!     n_steps++;
//!     if (n % 10 == 0) break;
//!     n++;
//!     if (!(n < steps)) { pending = 0; break; }
//!   }
//!   for (int step = 0; step < n_steps; step++) { STEP }
//!   if (pending) { if (n % 10 == 0) save(u, t); n++; }
//! }
//! ```
//!
//! Each condition is evaluated where C evaluates it, and what the host does happens there. What steps take from the host's
//! numbers, as `u[source] += sin(t);`, is recorded in an array that they read. A step in whose middle the host takes part is
//! peeled: the loop over steps ends before it, and behind that loop it stands as it is.

mod parts;

use super::scalars::{self, Scalars};
use super::tree::{self, Namer};
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, Builtin, Callee, DeclId, Expr, ExprKind, FunctionId, Span, Stmt, StmtId, StmtKind,
    TypeId, TypeKind, UnaryOp, Unit,
};
pub(super) use parts::copied;
use parts::{Parts, is_event, is_known, parts, sweeps, without_events};
use std::collections::HashSet;

/// Steps of a segment at most, where some of their numbers are recorded.
const MOST: i128 = 1024;

/// The statements that a reader of the new text looks for, by their numbers: the steps, and what the host does.
pub(super) const STEPS: StmtId = StmtId(u32::MAX - 1);
const HOST: u32 = u32::MAX - 2;

/// Which conditions end a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// Those of what calls functions.
    AtCalls,
    /// All of them.
    AtAll,
}

/// A loop over segments.
pub(super) struct Mined {
    pub stmt: Stmt,
    /// The conditions under which the host takes part, and the numbers of these statements.
    pub conditions: Vec<(Expr, StmtId)>,
    /// Whether the steps read what the host has recorded.
    pub has_records: bool,
}

/// A time loop.
pub(super) struct TimeLoop<'a> {
    pub init: Option<&'a Stmt>,
    pub cond: Option<&'a Expr>,
    pub step: Option<&'a Expr>,
    pub body: &'a [Stmt],
    /// Whether its first step comes before its condition.
    pub is_do: bool,
    /// Whether its header counts whole numbers.
    pub is_counted: bool,
    pub span: Span,
}

/// Makes a loop over segments; `None` where nothing is gained, or where the host's part depends on arrays.
pub(super) fn strip_mine(
    unit: &mut Unit,
    namer: &mut Namer,
    time_loop: &TimeLoop,
    ends: Ends,
) -> Option<Mined> {
    let without = without_events(unit, time_loop.body, ends);
    let peeled = match without {
        Some(_) => copied(unit, time_loop.body)?,
        None => Vec::new(),
    };
    let asked = unit.clone();
    let parts = match &without {
        Some(steps) => Parts {
            steps,
            peeled: &peeled,
            ..Parts::default()
        },
        None => parts(&asked, time_loop.body, ends)?,
    };
    let scalars = Scalars::of(&asked, parts.steps)?;
    let is_sweep = |stmt: &Stmt| !scalars.is_scalar(stmt) && sweeps(stmt);
    let has_end = time_loop.cond.is_some() || parts.has_events_behind();
    if !parts.steps.iter().any(is_sweep)
        || !has_end
        || !is_known(&asked, &scalars, time_loop, &parts)
    {
        return None;
    }
    let moved: Vec<&Stmt> = (parts.steps.iter().chain(parts.tail))
        .filter(|stmt| scalars.is_scalar(stmt) && !matches!(stmt.kind, StmtKind::Null))
        .collect();
    let changed = |stmt: &&Stmt| scalars::changed(&asked, stmt);
    let mut varying: HashSet<DeclId> = moved.iter().flat_map(changed).collect();
    let iterator = iterator(&asked, time_loop).filter(|id| {
        let others = parts.steps.iter().filter(|stmt| !scalars.is_scalar(stmt));
        !varying.contains(id) && !others.into_iter().any(|s| changed(&s).contains(id))
    });
    varying.extend(time_loop.step.and_then(assigned));
    varying.retain(|id| Some(*id) != iterator);
    let is_int = |id: DeclId| unit.canonical(unit[id].ty).kind == TypeKind::Builtin(Builtin::Int);
    let count = match iterator.is_some_and(is_int) {
        true => tree::whole(unit, Builtin::Int, 4),
        false => tree::whole(unit, Builtin::Long, 8),
    };
    let int = tree::whole(unit, Builtin::Int, 4);
    let taken = Taken {
        unit: &asked,
        scalars: &scalars,
        varying,
        iterator,
    };
    let mut mine = Mine {
        unit,
        namer,
        taken: &taken,
        span: time_loop.span,
        int,
        count,
        records: Vec::new(),
        outside: Vec::new(),
    };
    let is_parted = parts.has_events_behind() || !(parts.before.is_empty() && moved.is_empty());
    let mined = mine.mined(time_loop, &parts)?;
    (is_parted || mined.has_records || !time_loop.is_counted).then_some(mined)
}

/// The variable that counts the steps of a loop.
fn iterator(unit: &Unit, time_loop: &TimeLoop) -> Option<DeclId> {
    let step = time_loop.step?;
    let id = assigned(step)?;
    (tree::adds_one(step, id) && scalars::is_integer(unit, unit[id].ty)).then_some(id)
}

/// The variable that a step of a loop's header assigns to.
fn assigned(step: &Expr) -> Option<DeclId> {
    tree::target(step).and_then(tree::variable_of)
}

/// What steps take from the host's numbers.
struct Taken<'a> {
    /// The unit before the loop is made.
    unit: &'a Unit,
    scalars: &'a Scalars<'a>,
    /// What is another number in each step.
    varying: HashSet<DeclId>,
    /// The variable of the header that counts steps.
    iterator: Option<DeclId>,
}

impl Taken<'_> {
    /// Whether an expression of the steps is computed by the host.
    fn is_taken(&self, expr: &Expr) -> bool {
        let calls = |e: &Expr| matches!(e.kind, ExprKind::Call(..));
        let counts = |e: &Expr| matches!(e.kind, ExprKind::Var(id) if self.iterator == Some(id));
        scalars::is_arithmetic(self.unit, expr.ty)
            && !matches!(expr.kind, ExprKind::Cast { implicit: true, .. })
            && self.scalars.is_value(expr)
            && (self.varies(expr) || walk::has(expr, calls) && walk::has(expr, counts))
    }

    /// Whether an expression has other values in other steps, for what the host computes.
    fn varies(&self, expr: &Expr) -> bool {
        walk::has(expr, |e| match &e.kind {
            ExprKind::Var(id) => self.varying.contains(id),
            ExprKind::Call(Callee::Function(f), _) => self.reads(*f, &mut HashSet::new()),
            _ => false,
        })
    }

    /// Whether a function of the program reads what varies.
    fn reads(&self, f: FunctionId, asked: &mut HashSet<FunctionId>) -> bool {
        let Some(body) = self.unit.body_of(f).filter(|_| asked.insert(f)) else {
            return false;
        };
        walk::any(self.unit, body, |e| match &e.kind {
            ExprKind::Var(id) => self.varying.contains(id),
            ExprKind::Call(Callee::Function(f), _) => self.reads(*f, asked),
            _ => false,
        })
    }

    /// What a statement takes, in the order of the text; `None` where that is in a subscript, or may fail where C does not get.
    fn of(&self, stmt: &Stmt) -> Option<Vec<Expr>> {
        let mut found: Vec<Expr> = Vec::new();
        let mut is_known = true;
        walk::all(self.unit, stmt, &mut |expr| {
            if let ExprKind::Index(base, subscript) = &expr.kind {
                is_known &= !self.varies(base) && !self.varies(subscript);
            }
            let is_taken = self.is_taken(expr);
            if is_taken {
                is_known &= !walk::has(expr, |e| scalars::may_fail(self.unit, e));
                found.push(expr.clone());
            }
            !is_taken
        });
        is_known.then_some(found)
    }
}

/// How the host gets to the end of a segment.
struct Ended {
    advance: Stmt,
    /// The variable that tells whether the host takes part there.
    pending: Option<DeclId>,
    /// What is left of that step behind the host's part.
    tail: Vec<Stmt>,
}

/// Makes the new loop.
struct Mine<'a> {
    unit: &'a mut Unit,
    namer: &'a mut Namer,
    taken: &'a Taken<'a>,
    span: Span,
    int: TypeId,
    /// What counts steps: of loops that count by an `int`, that.
    count: TypeId,
    /// The arrays of the host's numbers that the steps read.
    records: Vec<DeclId>,
    /// Declarations that go before the loop.
    outside: Vec<Stmt>,
}

impl Mine<'_> {
    fn mined(&mut self, time_loop: &TimeLoop, parts: &Parts) -> Option<Mined> {
        let n_steps = self.number("n_steps", self.count, 0);
        let mut ahead = Vec::new();
        let mut steps = Vec::new();
        for stmt in parts.steps {
            match self.taken.scalars.is_scalar(stmt) {
                true => ahead.extend(self.lifted(stmt.clone())),
                false => steps.push(self.recorded(stmt.clone(), n_steps, &mut ahead)?),
            }
        }
        let tail: Vec<Stmt> = parts
            .tail
            .iter()
            .flat_map(|s| self.lifted(s.clone()))
            .collect();
        let tail: Vec<Stmt> = tail
            .into_iter()
            .chain(time_loop.step.map(tree::expr_stmt))
            .collect();
        let (before_steps, steps) = self.steps(steps, n_steps, time_loop.init);
        let mut conditions = Vec::new();
        let mut body = marked(parts.before.iter(), &mut conditions);
        let ends = match parts.peeled {
            [] => self.ends_behind(ahead, tail, (n_steps, time_loop), parts),
            _ => self.ends_before(ahead, tail, (n_steps, time_loop), parts),
        };
        body.push(tree::declaration(self.unit, n_steps));
        body.extend(ends.pending.map(|id| tree::declaration(self.unit, id)));
        body.extend(before_steps);
        body.push(ends.advance);
        body.push(steps);
        if let Some(pending) = ends.pending {
            let mut then = match parts.peeled {
                [] => marked(parts.behind.iter(), &mut conditions),
                _ => self.peeled(parts, &mut conditions),
            };
            then.extend(ends.tail);
            body.push(tree::when(self.var(pending), then));
        }
        // What the host does goes on with the next step of the loop around.
        for stmt in &mut body {
            goes_on(stmt, time_loop.step);
        }
        let stmt = self.whole(time_loop, body);
        Some(Mined {
            stmt,
            conditions,
            has_records: !self.records.is_empty(),
        })
    }

    /// The host's way to the end of a segment, which ends behind a step in which the host takes part.
    fn ends_behind(
        &mut self,
        mut body: Vec<Stmt>,
        tail: Vec<Stmt>,
        (n_steps, time_loop): (DeclId, &TimeLoop),
        parts: &Parts,
    ) -> Ended {
        let stops_early = !parts.behind.is_empty() || !self.records.is_empty();
        let needs_pending = stops_early && !(parts.behind.is_empty() && tail.is_empty());
        let pending = needs_pending.then(|| self.number("pending", self.int, 1));
        body.push(tree::expr_stmt(&tree::incremented(
            self.unit, n_steps, self.span,
        )));
        let ends = (self.full(n_steps).into_iter()).chain(conditions(parts.behind));
        body.extend(any_of(ends).map(|ends| tree::when(ends, vec![self.stop()])));
        body.extend(tail.iter().cloned());
        let is_over = time_loop.cond.map(|cond| not(cond.clone()));
        let ends = is_over.into_iter().chain(conditions(parts.before));
        let done = pending.map(|pending| tree::assign(self.var(pending), self.int(0)));
        let all = done.into_iter().chain([self.stop()]).collect();
        body.extend(any_of(ends).map(|ends| tree::when(ends, all)));
        Ended {
            advance: self.for_((None, None, None), body),
            pending,
            tail,
        }
    }

    /// The host's way to the end of a segment, which ends before a step in which the host takes part.
    fn ends_before(
        &mut self,
        ahead: Vec<Stmt>,
        tail: Vec<Stmt>,
        (n_steps, time_loop): (DeclId, &TimeLoop),
        parts: &Parts,
    ) -> Ended {
        let pending = self.number("pending", self.int, 0);
        let events = parts.inner_events(self.taken.unit);
        let takes_part = any_of(events.into_iter().filter_map(condition));
        let is_pending = tree::assign(self.var(pending), self.int(1));
        let mut body = Vec::new();
        body.extend(takes_part.map(|cond| tree::when(cond, vec![is_pending, self.stop()])));
        body.extend(ahead);
        body.push(tree::expr_stmt(&tree::incremented(
            self.unit, n_steps, self.span,
        )));
        body.extend(tail);
        let is_over = time_loop.cond.map(|cond| not(cond.clone()));
        let ends = any_of(self.full(n_steps).into_iter().chain(is_over));
        body.extend(ends.map(|ends| tree::when(ends, vec![self.stop()])));
        Ended {
            advance: self.for_((None, None, None), body),
            pending: Some(pending),
            tail: time_loop.step.map(tree::expr_stmt).into_iter().collect(),
        }
    }

    /// A step in which the host takes part, as it is.
    fn peeled(&self, parts: &Parts, conditions: &mut Vec<(Expr, StmtId)>) -> Vec<Stmt> {
        let mut all = Vec::new();
        for stmt in parts.peeled {
            match is_event(self.taken.unit, stmt, Ends::AtCalls) {
                true => all.extend(marked(std::iter::once(stmt), conditions)),
                false => all.push(stmt.clone()),
            }
        }
        all
    }

    /// Whether the records are full.
    fn full(&self, n_steps: DeclId) -> Option<Expr> {
        let is_full = || tree::binary(BinaryOp::Equal, self.var(n_steps), self.int(MOST));
        (!self.records.is_empty()).then(is_full)
    }

    fn stop(&self) -> Stmt {
        tree::stmt(self.span, StmtKind::Break)
    }

    /// The loop over the steps of a segment, and what it needs from before the host goes ahead.
    fn steps(
        &mut self,
        mut body: Vec<Stmt>,
        n_steps: DeclId,
        init: Option<&Stmt>,
    ) -> (Vec<Stmt>, Stmt) {
        let uses = |id: &DeclId| body.iter().any(|s| walk::uses(self.unit, s, *id));
        let iterator = self.taken.iterator.filter(uses);
        let mut before = Vec::new();
        let (index, first, bound) = match iterator {
            None => (self.number("step", self.count, 0), None, self.var(n_steps)),
            Some(iterator) => {
                let ty = tree::unqualified(self.unit, self.unit[iterator].ty);
                let value = tree::var(self.unit, iterator, self.span);
                let name = self.namer.fresh("hexcc_first");
                let first = tree::variable(self.unit, name, ty, Some(value), self.span);
                before.push(tree::declaration(self.unit, first));
                let name = self.unit[iterator].name.clone();
                let begins = self.begins(first, init);
                let own = tree::variable(self.unit, name, ty, Some(begins), self.span);
                self.replace(&mut body, iterator, own);
                let bound = tree::binary(BinaryOp::Add, self.var(first), self.var(n_steps));
                (own, Some(first), bound)
            }
        };
        self.read_records(&mut body, index, first);
        let init = tree::declaration(self.unit, index);
        let cond = tree::binary(BinaryOp::Less, self.var(index), bound);
        let step = tree::incremented(self.unit, index, self.span);
        let mut steps = self.for_((Some(init), Some(cond), Some(step)), body);
        steps.id = STEPS;
        (before, steps)
    }

    /// Where steps begin. Of an iterator that begins with a number, it is known that it is no less.
    fn begins(&self, first: DeclId, init: Option<&Stmt>) -> Expr {
        let first = self.var(first);
        let begins = init.and_then(|init| tree::begins(self.unit, init));
        let is_number = |e: &&Expr| matches!(e.kind, ExprKind::Int(_));
        let least = begins
            .map(|(_, value)| tree::plain(value))
            .filter(is_number);
        let Some(least) = least.cloned() else {
            return first;
        };
        let is_less = tree::binary(BinaryOp::Less, first.clone(), least.clone());
        let kind = ExprKind::Cond(Box::new(is_less), Box::new(least), Box::new(first.clone()));
        Expr { kind, ..first }
    }

    /// The whole loop in a block.
    fn whole(&mut self, time_loop: &TimeLoop, body: Vec<Stmt>) -> Stmt {
        let body = Box::new(tree::stmt(self.span, StmtKind::Compound(body)));
        let cond = time_loop.cond.cloned().unwrap_or_else(|| self.int(1));
        let kind = match time_loop.is_do {
            true => StmtKind::Do { body, cond },
            false => StmtKind::While { cond, body },
        };
        let mut all = std::mem::take(&mut self.outside);
        all.extend(time_loop.init.cloned());
        all.push(tree::stmt(self.span, kind));
        tree::stmt(self.span, StmtKind::Compound(all))
    }

    /// A statement of the host without declarations, which stand before the loop: others there use them.
    fn lifted(&mut self, stmt: Stmt) -> Vec<Stmt> {
        tree::lifted((self.unit, self.namer), stmt, &mut self.outside, self.span)
    }

    /// A statement of the steps with records in the place of the host's numbers, which `ahead` stores.
    fn recorded(&mut self, mut stmt: Stmt, n_steps: DeclId, ahead: &mut Vec<Stmt>) -> Option<Stmt> {
        let mut arrays = Vec::new();
        let mut of_variables: Vec<(DeclId, DeclId)> = Vec::new();
        for value in self.taken.of(&stmt)? {
            let known = match value.kind {
                ExprKind::Var(id) => of_variables.iter().find(|(of, _)| *of == id),
                _ => None,
            };
            if let Some((_, array)) = known {
                arrays.push(*array);
                continue;
            }
            let array = self.array_of(&value)?;
            if let ExprKind::Var(id) = value.kind {
                of_variables.push((id, array));
            }
            let place = tree::element_of(self.unit, array, self.var(n_steps));
            ahead.push(tree::assign(place, value));
            arrays.push(array);
        }
        let (taken, mut arrays) = (self.taken, arrays.into_iter());
        let places = self.unit.clone();
        let index = self.var(n_steps);
        walk::change_all(self.unit, &mut stmt, &mut |expr| {
            let is_taken = taken.is_taken(expr);
            if is_taken && let Some(array) = arrays.next() {
                *expr = tree::element_of(&places, array, index.clone());
            }
            !is_taken
        });
        let left = walk::any(self.unit, &stmt, |e| match e.kind {
            // New arrays have no place in the unit before.
            ExprKind::Var(id) => taken.varying.contains(&id),
            ExprKind::Call(..) => taken.varies(e),
            _ => false,
        });
        (!left).then_some(stmt)
    }

    /// An array for a number of each step of a segment.
    fn array_of(&mut self, value: &Expr) -> Option<DeclId> {
        let of = match &value.kind {
            ExprKind::Var(id) => &self.unit[*id].name,
            ExprKind::Call(Callee::Function(f), _) => &self.unit[*f].name,
            _ => "value",
        };
        let name = self.namer.fresh(&format!("{of}_at"));
        let ty = tree::unqualified(self.unit, value.ty);
        let ty = tree::array_type(self.unit, ty, MOST as u64)?;
        let array = tree::variable(self.unit, name, ty, None, self.span);
        self.outside.push(tree::declaration(self.unit, array));
        self.records.push(array);
        Some(array)
    }

    /// Makes the subscripts of records those of the step, where they still count the steps of the host.
    fn read_records(&mut self, body: &mut [Stmt], index: DeclId, first: Option<DeclId>) {
        let subscript = match first {
            None => self.var(index),
            Some(first) => tree::binary(BinaryOp::Sub, self.var(index), self.var(first)),
        };
        for stmt in body {
            walk::change_all(self.unit, stmt, &mut |expr| {
                if let ExprKind::Index(base, at) = &mut expr.kind
                    && matches!(base.kind, ExprKind::Var(id) if self.records.contains(&id))
                {
                    **at = subscript.clone();
                }
                true
            });
        }
    }

    /// Puts another variable in the place of one.
    fn replace(&mut self, body: &mut [Stmt], id: DeclId, other: DeclId) {
        for stmt in body {
            walk::change_all(self.unit, stmt, &mut |expr| {
                if matches!(expr.kind, ExprKind::Var(v) if v == id) {
                    expr.kind = ExprKind::Var(other);
                }
                true
            });
        }
    }

    fn var(&self, id: DeclId) -> Expr {
        tree::var(self.unit, id, self.span)
    }

    fn int(&self, number: i128) -> Expr {
        Expr {
            ty: self.int,
            span: self.span,
            kind: ExprKind::Int(number),
        }
    }

    /// A variable with a number.
    fn number(&mut self, name: &str, ty: TypeId, value: i128) -> DeclId {
        let name = self.namer.fresh(name);
        let value = self.int(value);
        tree::variable(self.unit, name, ty, Some(value), self.span)
    }

    fn for_(
        &self,
        (init, cond, step): (Option<Stmt>, Option<Expr>, Option<Expr>),
        body: Vec<Stmt>,
    ) -> Stmt {
        let kind = StmtKind::For {
            init: init.map(Box::new),
            cond,
            step,
            body: Box::new(tree::stmt(self.span, StmtKind::Compound(body))),
        };
        tree::stmt(self.span, kind)
    }
}

/// Statements of the host with numbers of their own, which are added with their conditions.
fn marked<'s>(
    stmts: impl Iterator<Item = &'s Stmt>,
    conditions: &mut Vec<(Expr, StmtId)>,
) -> Vec<Stmt> {
    let marked = stmts.map(|stmt| {
        let id = StmtId(HOST - conditions.len() as u32);
        conditions.extend(condition(stmt).map(|cond| (cond, id)));
        Stmt { id, ..stmt.clone() }
    });
    marked.collect()
}

/// Has what goes on with the next step do the step of the header before.
fn goes_on(stmt: &mut Stmt, step: Option<&Expr>) {
    match &stmt.kind {
        StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Do { .. } => {}
        StmtKind::Continue => {
            let all = step.map(tree::expr_stmt).into_iter().chain([stmt.clone()]);
            stmt.kind = StmtKind::Compound(all.collect());
        }
        _ => (walk::inner_mut(stmt).into_iter()).for_each(|inner| goes_on(inner, step)),
    }
}

fn condition(stmt: &Stmt) -> Option<Expr> {
    match &stmt.kind {
        StmtKind::If { cond, .. } => Some(cond.clone()),
        _ => None,
    }
}

fn conditions(stmts: &[Stmt]) -> impl Iterator<Item = Expr> {
    stmts.iter().filter_map(condition)
}

fn any_of(all: impl Iterator<Item = Expr>) -> Option<Expr> {
    all.reduce(|a, b| tree::binary(BinaryOp::Or, a, b))
}

fn not(expr: Expr) -> Expr {
    Expr {
        ty: expr.ty,
        span: expr.span,
        kind: ExprKind::Unary(UnaryOp::Not, Box::new(expr)),
    }
}
