//! Time loops that end when a number of the cells says so.
//!
//! In: `while (err > tol && it < most) { err = 0; STEP; it++; }`, where cells fold into `err`, as in `if (d > err) err = d;`.
//! Out: a loop of its own has several steps, each with a number of its own, and the host then does its part of one
//! step after the other. Where it ends before the last of them, these steps run once more from what they started from, as many
//! as there should have been.
//!
//! ```c
//! float err_at[MOST] = {0};
//! long n_all = 0;
//! int over = !(err > tol && it < most);
//! while (!over) {
//!   long n_steps, n_done = 0;
//!   float *u_first = u, *v_first = v;
//!   n_steps = 1;
//!   do {
//!     if (n_done > 0) { n_steps = n_done; u = u_first; v = v_first; }
//!     for (long step = 0; step < n_steps; step++) { STEP into err_at[step] }
//!     while (!over && n_done < n_steps) {
//!       err = 0; err = err_at[n_done]; err_at[n_done] = 0; it++;
//!       n_done++;
//!       over = !(err > tol && it < most);
//!     }
//!   } while (n_done < n_steps);
//!   n_all += n_done;
//! }
//! ```
//!
//! As it stands that is one step at a time. Generated code chooses more where it keeps what they start from
//! ([`super::Converging`]).

use super::behind;
use super::folds::{self, Folded};
use super::hosted::Hosted;
use super::numbers;
use super::scalars;
use super::sometimes;
use super::strip_mine::{STEPS, TimeLoop};
use super::tree::{self, Namer};
use super::unwound::{self, Unwound};
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, Builtin, Callee, DeclId, DeclKind, Expr, ExprKind, Item, Span, Stmt, StmtId,
    StmtKind, Storage, TypeId, TypeKind, UnaryOp, Unit,
};
use std::collections::HashSet;

/// Steps at once, at most.
pub(super) const MOST: i128 = 256;

/// The statements that say how many steps to go at once, and that these run once more.
pub(super) const AHEAD: StmtId = StmtId(u32::MAX - 3);
pub(super) const AGAIN: StmtId = StmtId(u32::MAX - 4);

/// A loop in this form.
pub(super) struct Converging {
    pub stmt: Stmt,
    /// The names of the variables with the steps of all, and of those at once.
    pub n_all: String,
    pub n_steps: String,
    /// Whether the loop's condition or a `break` may ask for these numbers.
    pub ends: bool,
    /// The arrays of numbers that begin with zero.
    pub from_zero: Vec<String>,
}

/// The loop in this form; `None` where nothing that cells fold into decides when it ends, or where the host's part needs more of
/// the steps than that.
pub(super) fn converge(
    unit: &mut Unit,
    namer: &mut Namer,
    time_loop: &TimeLoop,
) -> Option<Converging> {
    let mut body = Vec::new();
    for stmt in time_loop.body {
        flatten(stmt.clone(), &mut body);
    }
    let hosted = &Hosted::of(unit, &body);
    sometimes::sometimes(unit, namer, &mut body, hosted);
    behind::behind(unit, &mut body);
    let unwound = unwound::unwound(unit, namer, (&mut body, time_loop.span), hosted);
    let parts = Parts::of(unit, hosted, &body, time_loop)?;
    let long = tree::whole(unit, Builtin::Long, 8);
    let int = tree::whole(unit, Builtin::Int, 4);
    let mut make = Make {
        unit,
        namer,
        span: time_loop.span,
        int,
        long,
        outside: Vec::new(),
    };
    make.outside
        .extend(unwound.as_ref().map(|u| u.before.clone()));
    make.whole(time_loop, &body, (&parts, unwound))
}

/// Takes blocks that declare nothing apart.
fn flatten(stmt: Stmt, all: &mut Vec<Stmt>) {
    match stmt.kind {
        StmtKind::Compound(inner) if inner.iter().all(|s| walk::declared(s).is_empty()) => {
            inner.into_iter().for_each(|stmt| flatten(stmt, all));
        }
        StmtKind::Null => {}
        _ => all.push(stmt),
    }
}

/// A number of the cells.
struct Number {
    id: DeclId,
    /// What each step begins it with.
    begins: Expr,
    /// The last statement of the body that folds into it.
    last: usize,
}

/// What the body of such a loop is made of.
struct Parts {
    /// Whether each statement is one of the steps, and not of the host.
    is_step: Vec<bool>,
    numbers: Vec<Number>,
    /// Pointers that steps move, and that outlive them.
    moved: Vec<DeclId>,
}

impl Parts {
    /// Whether the numbers may end the loop.
    fn may_end(&self, body: &[Stmt], cond: Option<&Expr>) -> bool {
        let asks = |cond: &Expr| self.numbers.iter().any(|n| walk::mentions(cond, n.id));
        cond.is_some_and(asks) || body.iter().any(breaks)
    }

    /// The statements of the steps.
    fn steps<'s>(&self, body: &'s [Stmt]) -> impl Iterator<Item = &'s Stmt> {
        let steps = body.iter().zip(&self.is_step);
        steps.filter_map(|(stmt, is)| is.then_some(stmt))
    }

    fn of(unit: &Unit, hosted: &Hosted, body: &[Stmt], time_loop: &TimeLoop) -> Option<Parts> {
        let is_of_cells = |stmt: &Stmt| is_of_cells(unit, hosted, stmt);
        let is_step: Vec<bool> = body.iter().map(is_of_cells).collect();
        let steps = || body.iter().zip(&is_step).filter(|(_, is)| **is);
        let hosts = || body.iter().zip(&is_step).filter(|(_, is)| !**is);
        let of_loop = || time_loop.cond.into_iter().chain(time_loop.step);
        let is_known = steps().all(|(stmt, _)| is_plain_step(unit, stmt))
            && hosts().all(|(stmt, _)| is_host(unit, hosted, stmt))
            && of_loop().all(|expr| is_of_host(unit, hosted, expr));
        let last = is_step.iter().rposition(|is| *is)?;
        let may_leave = |(at, stmt): (usize, &Stmt)| at < last && !is_step[at] && breaks(stmt);
        if !is_known || body.iter().enumerate().any(may_leave) {
            return None;
        }
        let changed: HashSet<DeclId> = steps()
            .flat_map(|(stmt, _)| scalars::changed(unit, stmt))
            .collect();
        let mut read: HashSet<DeclId> = HashSet::new();
        let mut look = |expr: &Expr| walk::variables(expr, &mut read);
        of_loop().for_each(&mut look);
        for (stmt, _) in hosts() {
            walk::stmts(stmt, &mut |stmt| walk::exprs(unit, stmt, &mut look));
        }
        let mut ids: Vec<DeclId> = read.intersection(&changed).copied().collect();
        ids.sort_by_key(|id| id.0);
        let numbers: Vec<Number> = (ids.iter())
            .map(|id| number(unit, (body, &is_step), *id))
            .collect::<Option<_>>()?;
        // What the host changes no step reads, but for these numbers.
        let host_changed: HashSet<DeclId> = hosts()
            .flat_map(|(stmt, _)| scalars::changed(unit, stmt))
            .chain(of_loop().filter_map(|expr| tree::target(expr).and_then(tree::variable_of)))
            .filter(|id| !ids.contains(id))
            .collect();
        let reads = |id: &DeclId| steps().any(|(stmt, _)| walk::uses(unit, stmt, *id));
        let beside = (Some(time_loop.span), body);
        let is_reached = |id: &DeclId| scalars::is_pointed_to_beside(unit, *id, beside);
        if numbers.is_empty() || host_changed.iter().any(reads) || read.iter().any(is_reached) {
            return None;
        }
        Some(Parts {
            moved: moved(unit, steps().map(|(stmt, _)| stmt)),
            is_step,
            numbers,
        })
    }
}

/// Whether a statement is about cells: it has loops, elements, or moves pointers.
pub(super) fn is_of_cells(unit: &Unit, hosted: &Hosted, stmt: &Stmt) -> bool {
    let is_cell = |e: &Expr| has_elements(e) && !hosted.is_element(e);
    sweeps_or_moves(unit, stmt) || walk::any(unit, stmt, is_cell)
}

/// Whether a statement has loops, or declares or moves pointers.
pub(super) fn sweeps_or_moves(unit: &Unit, stmt: &Stmt) -> bool {
    let is_pointer = |ty: TypeId| {
        matches!(
            unit.canonical(ty).kind,
            TypeKind::Pointer(_) | TypeKind::Array { .. }
        )
    };
    let declares = walk::all_declared(stmt)
        .iter()
        .any(|id| is_pointer(unit[*id].ty));
    let moves = |e: &Expr| tree::target(e).is_some_and(|to| is_pointer(to.ty));
    let mut has_loop = false;
    walk::stmts(stmt, &mut |stmt| {
        has_loop |= matches!(stmt.kind, StmtKind::For { .. });
    });
    has_loop || declares || walk::any(unit, stmt, moves)
}

/// Whether an expression itself is an element.
fn has_elements(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Index(..) | ExprKind::Unary(UnaryOp::Deref, _)
    )
}

/// Whether a statement of the steps does nothing that the host would see otherwise when there are more of them.
pub(super) fn is_plain_step(unit: &Unit, stmt: &Stmt) -> bool {
    let statics = walk::all_declared(stmt)
        .iter()
        .any(|id| !matches!(unit[*id].storage, Storage::None | Storage::Register));
    !statics && !walk::leaves(stmt) && !walk::any(unit, stmt, |e| scalars::calls_out(unit, e))
}

/// Whether a statement of the host uses numbers alone, and nothing of the program's functions.
fn is_host(unit: &Unit, hosted: &Hosted, stmt: &Stmt) -> bool {
    let mut is_it = !continues(stmt);
    walk::stmts(stmt, &mut |stmt| {
        is_it &= !matches!(
            stmt.kind,
            StmtKind::For { .. } | StmtKind::Switch { .. } | StmtKind::Do { .. }
        );
        is_it &= !matches!(stmt.kind, StmtKind::While { .. } | StmtKind::Other(_));
        walk::exprs(unit, stmt, &mut |expr| {
            is_it &= is_of_host(unit, hosted, expr)
        });
    });
    is_it && is_plainly_declared(unit, stmt)
}

fn is_plainly_declared(unit: &Unit, stmt: &Stmt) -> bool {
    let own = walk::all_declared(stmt);
    let mut items = 0;
    walk::stmts(stmt, &mut |stmt| {
        if let StmtKind::Decl(all) = &stmt.kind {
            items += all.iter().filter(|i| !matches!(i, Item::Decl(_))).count();
        }
    });
    let is_plain = |id: &DeclId| matches!(unit[*id].storage, Storage::None | Storage::Register);
    items == 0 && own.iter().all(is_plain)
}

pub(super) fn is_of_host(unit: &Unit, hosted: &Hosted, expr: &Expr) -> bool {
    use ExprKind as K;
    !walk::has(expr, |e| match &e.kind {
        K::Index(..) | K::Unary(UnaryOp::Deref, _) => !hosted.is_element(e),
        K::Call(Callee::Function(f), _) => {
            !scalars::is_of_system(unit, *f) && !scalars::computes(unit, *f)
        }
        K::Var(id) => !hosted.has(*id) && !is_number_or_file(unit, *id),
        K::Call(..)
        | K::Field(..)
        | K::Unary(UnaryOp::AddressOf, _)
        | K::Statements(_)
        | K::VaArg(_)
        | K::LabelAddress(_)
        | K::Compound(_)
        | K::Other(_) => true,
        _ => false,
    })
}

/// Whether a variable is a number, or a file that is written to.
fn is_number_or_file(unit: &Unit, id: DeclId) -> bool {
    let decl = &unit[id];
    let ty = unit.canonical(decl.ty);
    let is_file = |to: TypeId| matches!(unit.canonical(to).kind, TypeKind::Record(_));
    let is_it = match &ty.kind {
        TypeKind::Pointer(to) => is_file(*to),
        _ => scalars::is_arithmetic(unit, decl.ty),
    };
    is_it && !ty.is_volatile && !unit[decl.ty].is_volatile && !decl.is_thread_local
}

/// Whether a statement of the host leaves the loop.
pub(super) fn breaks(stmt: &Stmt) -> bool {
    walk::jumps(stmt, |kind| matches!(kind, StmtKind::Break))
}

fn continues(stmt: &Stmt) -> bool {
    walk::jumps(stmt, |kind| matches!(kind, StmtKind::Continue))
}

/// The number that a variable of the steps is; `None` where steps do not begin it anew with a constant.
fn number(unit: &Unit, (body, is_step): (&[Stmt], &[bool]), id: DeclId) -> Option<Number> {
    let folds = |at: &usize| is_step[*at] && scalars::changed(unit, &body[*at]).contains(&id);
    let used = |at: &usize| is_step[*at] && walk::uses(unit, &body[*at], id);
    let first = (0..body.len()).find(used)?;
    let last = (0..body.len()).rev().find(folds)?;
    let begins = (0..first).rev().find_map(|at| begun(unit, &body[at], id))?;
    // In between the host has nothing to say, and behind them no step asks.
    let is_quiet = (first..last).all(|at| is_step[at] || !walk::uses(unit, &body[at], id))
        && (last + 1..body.len()).all(|at| !is_step[at] || !walk::uses(unit, &body[at], id));
    let size = unit.canonical(unit[id].ty).size;
    let is_word = scalars::is_arithmetic(unit, unit[id].ty) && matches!(size, Some(4 | 8))
        || is_bool(unit, id) && body.iter().all(|stmt| sets_truths(unit, stmt, id));
    (is_quiet && is_word).then_some(Number { id, begins, last })
}

fn is_bool(unit: &Unit, id: DeclId) -> bool {
    unit.canonical(unit[id].ty).kind == TypeKind::Builtin(Builtin::Bool)
}

/// Whether what a statement assigns to a variable are the constants 0 and 1.
fn sets_truths(unit: &Unit, stmt: &Stmt, id: DeclId) -> bool {
    let is_truth = |expr: &Expr| match &expr.kind {
        ExprKind::Assign(None, _, value) => {
            matches!(numbers::value(unit, tree::plain(value)), Some(0 | 1))
        }
        _ => false,
    };
    let is_other =
        |e: &Expr| tree::target(e).is_some_and(|to| tree::is_var(to, id)) && !is_truth(e);
    !walk::any(unit, stmt, is_other)
}

/// The constant that a statement alone gives a variable.
pub(super) fn begun(unit: &Unit, stmt: &Stmt, id: DeclId) -> Option<Expr> {
    let value = match &stmt.kind {
        StmtKind::Expr(_) => tree::assignment(stmt).and_then(|(to, v)| (to == id).then_some(v)),
        StmtKind::Decl(_) if walk::declared(stmt).contains(&id) => unit[id].init.as_ref(),
        _ => None,
    };
    let is_part = |e: &Expr| {
        let is_constant = |id: DeclId| matches!(unit[id].kind, DeclKind::Enumerator(_));
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Char(_) | ExprKind::Float(_) => true,
            ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, _) => true,
            ExprKind::Cast { .. } => true,
            ExprKind::Var(id) => is_constant(*id),
            _ => false,
        }
    };
    value
        .filter(|value| !walk::has(value, |e| !is_part(e)))
        .cloned()
}

/// The pointers that outlive the steps that move them and are read before: what a step starts from.
fn moved<'s>(unit: &Unit, steps: impl Iterator<Item = &'s Stmt> + Clone) -> Vec<DeclId> {
    let own: HashSet<DeclId> = steps.clone().flat_map(walk::all_declared).collect();
    let mut all: Vec<DeclId> = (steps.clone())
        .flat_map(|stmt| scalars::changed(unit, stmt))
        .filter(|id| !own.contains(id))
        .collect();
    all.sort_by_key(|id| id.0);
    all.dedup();
    let is_read_first = |id: &DeclId| {
        let first = steps.clone().find(|stmt| walk::uses(unit, stmt, *id));
        first.is_some_and(|stmt| match &stmt.kind {
            StmtKind::Expr(Expr {
                kind: ExprKind::Assign(None, to, value),
                ..
            }) => !tree::is_var(to, *id) || walk::mentions(value, *id),
            _ => true,
        })
    };
    all.retain(|id| tree::is_pointer(unit, unit[*id].ty) && is_read_first(id));
    all
}

/// Makes the new loop.
struct Make<'a> {
    unit: &'a mut Unit,
    namer: &'a mut Namer,
    span: Span,
    int: TypeId,
    long: TypeId,
    /// Declarations that go before the loop.
    outside: Vec<Stmt>,
}

impl Make<'_> {
    fn whole(
        &mut self,
        time_loop: &TimeLoop,
        body: &[Stmt],
        (parts, unwound): (&Parts, Option<Unwound>),
    ) -> Option<Converging> {
        let body = &self.unconditional(body, parts);
        let records: Vec<DeclId> = (parts.numbers.iter())
            .map(|number| self.record(number))
            .collect::<Option<_>>()?;
        let n_all = self.variable("n_all", self.long, Some(0));
        let over = self.variable("over", self.int, None);
        let n_steps = self.variable("n_steps", self.long, None);
        let n_done = self.variable("n_done", self.long, Some(0));
        let step = self.variable("step", self.long, Some(0));
        let is_over = self.is_over(time_loop.cond);
        self.unit[over].init = match time_loop.is_do {
            true => Some(self.int(0)),
            false => Some(is_over.clone()),
        };
        let (mut steps, mut host) = (Vec::new(), Vec::new());
        for (at, stmt) in body.iter().enumerate() {
            match parts.is_step[at] {
                true => steps.push(self.with_records(stmt.clone(), (parts, &records), step)),
                false => host.extend(self.of_host(stmt.clone(), (n_done, over))),
            }
            for (number, record) in parts.numbers.iter().zip(&records) {
                if number.last == at {
                    host.extend(self.handed_over(number, *record, n_done));
                }
            }
        }
        let next = tree::incremented(self.unit, n_done, self.span);
        host.push(tree::expr_stmt(&next));
        host.extend(time_loop.step.map(tree::expr_stmt));
        host.push(tree::assign(self.var(over), is_over));
        let steps = self.steps(steps, (step, n_steps));
        let host = self.while_(self.both_left(over, (n_done, n_steps)), host);
        let (firsts, again) = self.again(&parts.moved, (n_done, n_steps));
        let left = self.less(n_done, n_steps);
        let twice = StmtKind::Do {
            body: Box::new(self.block(vec![again, steps, host])),
            cond: left,
        };
        let mut ahead = tree::assign(self.var(n_steps), self.int(1));
        ahead.id = AHEAD;
        let mut inner = vec![
            tree::declaration(self.unit, n_steps),
            tree::declaration(self.unit, n_done),
        ];
        inner.extend(firsts);
        inner.extend([ahead, tree::stmt(self.span, twice)]);
        let add = ExprKind::Assign(
            Some(BinaryOp::Add),
            Box::new(self.var(n_all)),
            Box::new(self.var(n_done)),
        );
        let kind = add;
        inner.push(tree::expr_stmt(&Expr {
            kind,
            ..self.var(n_all)
        }));
        let loop_ = self.while_(self.not(self.var(over)), inner);
        let mut all = std::mem::take(&mut self.outside);
        all.extend(time_loop.init.cloned());
        all.push(tree::declaration(self.unit, n_all));
        all.push(tree::declaration(self.unit, over));
        all.push(loop_);
        all.extend(unwound.map(|u| u.behind));
        Some(Converging {
            stmt: self.block(all),
            n_all: self.unit[n_all].name.clone(),
            n_steps: self.unit[n_steps].name.clone(),
            ends: parts.may_end(body, time_loop.cond),
            from_zero: (parts.numbers.iter().zip(&records))
                .filter(|(number, _)| is_zero(&number.begins))
                .map(|(_, record)| self.unit[*record].name.clone())
                .collect(),
        })
    }

    /// The body, whose steps fold into numbers for every cell.
    fn unconditional(&self, body: &[Stmt], parts: &Parts) -> Vec<Stmt> {
        let mut changed = body.to_vec();
        for number in &parts.numbers {
            let folded = Folded {
                id: number.id,
                flag: numbers::value(self.unit, &number.begins)
                    .filter(|_| folds::is_changed_once(self.unit, parts.steps(body), number.id)),
                int: self.int,
            };
            for (stmt, _) in changed
                .iter_mut()
                .zip(&parts.is_step)
                .filter(|(_, is)| **is)
            {
                folded.unconditional(self.unit, stmt);
            }
        }
        changed
    }

    /// The array with a number of each step.
    fn record(&mut self, number: &Number) -> Option<DeclId> {
        let name = self
            .namer
            .fresh(&format!("{}_at", self.unit[number.id].name));
        let element = match is_bool(self.unit, number.id) {
            true => self.int,
            false => tree::unqualified(self.unit, self.unit[number.id].ty),
        };
        let ty = tree::array_type(self.unit, element, MOST as u64)?;
        let begins = number.begins.clone();
        let is_zero = is_zero(&begins);
        let zeros = Expr {
            ty,
            span: self.span,
            kind: ExprKind::List(vec![begins.clone()]),
        };
        let array = tree::variable(self.unit, name, ty, is_zero.then_some(zeros), self.span);
        self.outside.push(tree::declaration(self.unit, array));
        if !is_zero {
            let at = self.variable("number", self.int, None);
            self.unit[at].init = Some(self.int(MOST));
            let kind = ExprKind::Unary(UnaryOp::PreDecrement, Box::new(self.var(at)));
            let before = Expr {
                kind,
                ..self.var(at)
            };
            let fill = tree::assign(tree::element_of(self.unit, array, before), begins);
            let loop_ = self.while_(self.var(at), vec![fill]);
            let all = vec![tree::declaration(self.unit, at), loop_];
            let all = self.block(all);
            self.outside.push(all);
        }
        Some(array)
    }

    /// A statement of the steps that folds into the record of its step.
    fn with_records(
        &mut self,
        mut stmt: Stmt,
        (parts, records): (&Parts, &[DeclId]),
        step: DeclId,
    ) -> Stmt {
        for (number, record) in parts.numbers.iter().zip(records) {
            let element = tree::element_of(self.unit, *record, self.var(step));
            walk::change_all(self.unit, &mut stmt, &mut |expr| {
                if matches!(expr.kind, ExprKind::Var(id) if id == number.id) {
                    *expr = Expr {
                        ty: expr.ty,
                        ..element.clone()
                    };
                    return false;
                }
                true
            });
        }
        stmt
    }

    /// The statements that give the host the number of a step, whose record begins anew.
    fn handed_over(&self, number: &Number, record: DeclId, n_done: DeclId) -> [Stmt; 2] {
        let element = || tree::element_of(self.unit, record, self.var(n_done));
        [
            tree::assign(self.var(number.id), element()),
            tree::assign(element(), number.begins.clone()),
        ]
    }

    /// A statement of the host, whose declarations stand before the loop; what ends the loop says so.
    fn of_host(&mut self, mut stmt: Stmt, (n_done, over): (DeclId, DeclId)) -> Vec<Stmt> {
        let done = tree::expr_stmt(&tree::incremented(self.unit, n_done, self.span));
        let ends = tree::assign(self.var(over), self.int(1));
        says_so(&mut stmt, &[done, ends]);
        tree::lifted((self.unit, self.namer), stmt, &mut self.outside, self.span)
    }

    /// The loop over the steps.
    fn steps(&self, body: Vec<Stmt>, (step, n_steps): (DeclId, DeclId)) -> Stmt {
        let kind = StmtKind::For {
            init: Some(Box::new(tree::declaration(self.unit, step))),
            cond: Some(self.less(step, n_steps)),
            step: Some(tree::incremented(self.unit, step, self.span)),
            body: Box::new(self.block(body)),
        };
        Stmt {
            id: STEPS,
            ..tree::stmt(self.span, kind)
        }
    }

    /// What goes back to what the steps started from, and the declarations of that.
    fn again(
        &mut self,
        moved: &[DeclId],
        (n_done, n_steps): (DeclId, DeclId),
    ) -> (Vec<Stmt>, Stmt) {
        let mut sets = tree::assign(self.var(n_steps), self.var(n_done));
        sets.id = AGAIN;
        let (mut firsts, mut back) = (Vec::new(), vec![sets]);
        for &pointer in moved {
            let value = self.var(pointer);
            let first = tree::pointer_like(self.unit, self.namer, (pointer, "first"), value);
            firsts.push(tree::declaration(self.unit, first));
            back.push(tree::assign(self.var(pointer), self.var(first)));
        }
        let is_again = tree::binary(BinaryOp::Greater, self.var(n_done), self.int(0));
        (firsts, tree::when(is_again, back))
    }

    fn is_over(&self, cond: Option<&Expr>) -> Expr {
        match cond {
            Some(cond) => self.not(cond.clone()),
            None => self.int(0),
        }
    }

    fn both_left(&self, over: DeclId, (n_done, n_steps): (DeclId, DeclId)) -> Expr {
        tree::binary(
            BinaryOp::And,
            self.not(self.var(over)),
            self.less(n_done, n_steps),
        )
    }

    fn less(&self, a: DeclId, b: DeclId) -> Expr {
        tree::binary(BinaryOp::Less, self.var(a), self.var(b))
    }

    fn not(&self, expr: Expr) -> Expr {
        Expr {
            ty: self.int,
            span: expr.span,
            kind: ExprKind::Unary(UnaryOp::Not, Box::new(expr)),
        }
    }

    fn block(&self, all: Vec<Stmt>) -> Stmt {
        tree::stmt(self.span, StmtKind::Compound(all))
    }

    fn while_(&self, cond: Expr, body: Vec<Stmt>) -> Stmt {
        let body = Box::new(self.block(body));
        tree::stmt(self.span, StmtKind::While { cond, body })
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

    fn variable(&mut self, name: &str, ty: TypeId, value: Option<i128>) -> DeclId {
        let name = self.namer.fresh(name);
        let value = value.map(|value| self.int(value));
        tree::variable(self.unit, name, ty, value, self.span)
    }
}

/// Has what leaves the loop do some statements before.
pub(super) fn says_so(stmt: &mut Stmt, before: &[Stmt]) {
    if matches!(stmt.kind, StmtKind::Break) {
        let all = before.iter().cloned().chain([stmt.clone()]).collect();
        stmt.kind = StmtKind::Compound(all);
        return;
    }
    for inner in walk::inner_mut(stmt) {
        says_so(inner, before);
    }
}

fn is_zero(expr: &Expr) -> bool {
    match &tree::plain(expr).kind {
        ExprKind::Int(n) => *n == 0,
        ExprKind::Float(text) => text.trim_end_matches(['f', 'F', 'l', 'L']).parse() == Ok(0.0),
        _ => false,
    }
}
