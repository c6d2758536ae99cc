//! What cells do under conditions on data, as values.
//!
//! In: `if (a[i] < 0) { b[i] = 0; continue; } double d = a[i] - m; b[i] = d * d;` in the code of a cell, or a `switch`. Out:
//! `int holds = a[i] < 0; double d = holds ? 0 : a[i] - m; b[i] = holds ? 0 : d * d;`. Each value is computed where C computes it, and
//! otherwise an element gets the number that it has. It exists then: both branches assign to it, or it lies in its array.

use super::inline;
use super::numbers;
use super::scalars;
use super::tree::{self, Namer};
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, Builtin, Callee, DeclId, DeclKind, Expr, ExprKind, Length, Span, Stmt, StmtKind,
    Storage, TypeId, TypeKind, UnaryOp, Unit,
};
use std::collections::HashSet;

/// A loop around a cell: the iterator, its first number and that behind its last, where they are constants.
pub(super) type Bounds = (DeclId, std::ops::Range<i128>);

/// Makes values of what nests of a time loop do under conditions on data, and of functions that choose what they return; whether
/// there are any. `taken` are the names of the function that the loop is in.
pub(super) fn values(
    (unit, namer): (&mut Unit, &mut Namer),
    taken: &HashSet<String>,
    body: &mut [Stmt],
) -> bool {
    let mut make = Make {
        unit,
        namer,
        loops: Vec::new(),
    };
    let mut found = false;
    for stmt in body {
        if make.in_statement(stmt) {
            found = true;
            let before = make.unit.clone();
            walk::change_all(make.unit, stmt, &mut |expr| {
                if let Some(value) = answer(&before, taken, expr) {
                    *expr = value;
                }
                true
            });
        }
    }
    found
}

/// The value of a call of a function that only chooses what it returns, where its arguments can be asked for more than once.
fn answer(unit: &Unit, taken: &HashSet<String>, call: &Expr) -> Option<Expr> {
    let ExprKind::Call(Callee::Function(f), args) = &call.kind else {
        return None;
    };
    let f = unit.definition(*f)?;
    let body = unit[f].body.as_ref()?;
    let mut value = returned(unit, std::slice::from_ref(body), call.ty)?;
    let params = &unit[f].params;
    let is_number = |arg: &Expr| {
        !walk::has(arg, |e| match &e.kind {
            ExprKind::Var(id) => !scalars::is_arithmetic(unit, unit[*id].ty),
            ExprKind::Int(_) | ExprKind::Char(_) | ExprKind::Float(_) | ExprKind::Cast { .. } => {
                false
            }
            ExprKind::Binary(..) => false,
            _ => true,
        })
    };
    let mut pairs = params.iter().zip(args);
    let is_given = params.len() == args.len()
        && pairs.all(|(param, arg)| {
            let arg = tree::plain(arg);
            is_number(arg) && same_type(unit, unit[*param].ty, arg.ty)
        });
    let is_known = |e: &Expr| match &e.kind {
        ExprKind::Var(id) => params.contains(id) || !taken.contains(&unit[*id].name),
        ExprKind::Call(..) | ExprKind::Statements(_) => false,
        _ => tree::target(e).is_none(),
    };
    let is_choice = matches!(value.kind, ExprKind::Cond(..));
    if !is_given || !is_choice || walk::has(&value, |e| !is_known(e)) {
        return None;
    }
    walk::change(&mut value, &mut |expr| {
        let param = |of: &DeclId| matches!(expr.kind, ExprKind::Var(id) if id == *of);
        let Some(at) = params.iter().position(param) else {
            return true;
        };
        *expr = tree::plain(&args[at]).clone();
        false
    });
    Some(value)
}

/// What statements return, as a value; `None` where they do anything else.
fn returned(unit: &Unit, stmts: &[Stmt], ty: TypeId) -> Option<Expr> {
    let (first, rest) = stmts.split_first()?;
    match &first.kind {
        StmtKind::Null => returned(unit, rest, ty),
        StmtKind::Compound(all) => {
            let all: Vec<Stmt> = all.iter().chain(rest).cloned().collect();
            returned(unit, &all, ty)
        }
        StmtKind::Return(Some(value)) => Some(converted(unit, value.clone(), ty)),
        StmtKind::If {
            cond,
            then,
            otherwise,
        } => {
            let yes = returned(unit, std::slice::from_ref(then), ty)?;
            let no = match otherwise {
                Some(otherwise) => returned(unit, std::slice::from_ref(otherwise), ty)?,
                None => returned(unit, rest, ty)?,
            };
            let kind = ExprKind::Cond(Box::new(cond.clone()), Box::new(yes), Box::new(no));
            let span = cond.span;
            Some(Expr { ty, span, kind })
        }
        _ => None,
    }
}

/// A value in a type, said where C would take another one beside it.
pub(super) fn converted(unit: &Unit, value: Expr, ty: TypeId) -> Expr {
    let value = tree::plain(&value).clone();
    match unit.canonical(value.ty).kind == unit.canonical(ty).kind {
        true => value,
        false => cast(value, ty),
    }
}

fn cast(value: Expr, ty: TypeId) -> Expr {
    let span = value.span;
    let kind = ExprKind::Cast {
        implicit: false,
        extents: Vec::new(),
        value: Box::new(value),
    };
    Expr { ty, span, kind }
}

/// What a branch does.
#[derive(Clone)]
enum Entry {
    /// An assignment; whether all ways through the branch assign.
    Set {
        to: Expr,
        value: Expr,
        always: bool,
        span: Span,
    },
    /// A variable of the branch, with a value perhaps.
    Local { id: DeclId, value: Option<Expr> },
}

struct Make<'a> {
    unit: &'a mut Unit,
    namer: &'a mut Namer,
    loops: Vec<Option<Bounds>>,
}

impl Make<'_> {
    fn in_statement(&mut self, stmt: &mut Stmt) -> bool {
        let is_loop = matches!(stmt.kind, StmtKind::For { .. });
        let mut found = false;
        if is_loop {
            self.loops.push(bounds(self.unit, stmt));
        }
        if let StmtKind::For { body, .. } = &mut stmt.kind
            && let StmtKind::Compound(all) = &mut body.kind
        {
            found |= self.of_cell(all);
        }
        for inner in walk::inner_mut(stmt) {
            found |= self.in_statement(inner);
        }
        if is_loop {
            self.loops.pop();
        }
        found
    }

    /// The same in the body of a loop.
    fn of_cell(&mut self, all: &mut Vec<Stmt>) -> bool {
        let mut found = false;
        let mut done = Vec::new();
        let mut left: std::collections::VecDeque<Stmt> = going_on(all.clone(), &reads).into();
        while let Some(stmt) = left.pop_front() {
            let parts = tree::conditional(&stmt).and_then(|(cond, then)| one_by_one(cond, then));
            if let Some((cond, then)) = parts {
                let mut inner = vec![then];
                if self.of_cell(&mut inner) {
                    done.push(tree::when(cond, inner));
                    found = true;
                    continue;
                }
            }
            let before = self.unit.clone();
            match self.of_branches(&stmt) {
                Some(made) => {
                    done.extend(made);
                    found = true;
                }
                None => {
                    *self.unit = before;
                    done.push(stmt);
                }
            }
        }
        if found {
            *all = done;
        }
        found
    }

    /// What takes the place of branches on data; `None` where they stay.
    fn of_branches(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let is_on_data = match &stmt.kind {
            StmtKind::If { .. } => is_on_data(stmt),
            StmtKind::Switch { .. } => true,
            _ => false,
        };
        if !is_on_data || walk::any(self.unit, stmt, |e| scalars::calls_out(self.unit, e)) {
            return None;
        }
        let mut entries = Vec::new();
        self.add(stmt, &mut entries)?;
        let entries_exist = self.stay(&entries) && entries.iter().all(|e| self.exists(e, &entries));
        entries_exist.then(|| {
            let stmts = entries.into_iter().map(|entry| match entry {
                Entry::Set {
                    to, value, span, ..
                } => Stmt {
                    span,
                    ..tree::assign(to, value)
                },
                Entry::Local { id, value } => {
                    self.unit[id].init = value;
                    tree::declaration(self.unit, id)
                }
            });
            stmts.collect()
        })
    }

    /// Adds what a statement does; `None` where that is anything else than to assign.
    fn add(&mut self, stmt: &Stmt, entries: &mut Vec<Entry>) -> Option<()> {
        match &stmt.kind {
            StmtKind::Null => {}
            StmtKind::Compound(all) => {
                for stmt in all {
                    self.add(stmt, entries)?;
                }
            }
            StmtKind::Decl(items) => {
                let all = walk::declared(stmt);
                if all.len() != items.len() {
                    return None;
                }
                for id in all {
                    entries.push(self.local(id)?);
                }
            }
            StmtKind::Expr(expr) => entries.push(self.assignment(expr)?),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let [mut yes, mut no] = [Vec::new(), Vec::new()];
                self.add(then, &mut yes)?;
                if let Some(otherwise) = otherwise {
                    self.add(otherwise, &mut no)?;
                }
                self.join(cond.clone(), (yes, no), entries);
            }
            StmtKind::Switch { value, body } => {
                let chain = self.chain(value, body, entries)?;
                self.add(&chain, entries)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn local(&mut self, id: DeclId) -> Option<Entry> {
        let decl = &self.unit[id];
        let is_plain = decl.kind == DeclKind::Variable
            && decl.storage == Storage::None
            && scalars::is_arithmetic(self.unit, decl.ty)
            && !tree::is_somewhere(self.unit, decl.ty, |ty| ty.is_volatile);
        let value = decl.init.clone();
        let ty = tree::unqualified(self.unit, self.unit[id].ty);
        self.namer.name_alone(self.unit, id);
        let value = value.map(|value| converted(self.unit, value, ty));
        is_plain.then_some(Entry::Local { id, value })
    }

    fn assignment(&mut self, expr: &Expr) -> Option<Entry> {
        let (op, to, value) = match &expr.kind {
            ExprKind::Assign(op, to, value) => (*op, to, (**value).clone()),
            ExprKind::Unary(op, to) => {
                let op = tree::step(*op)?;
                let ty = tree::whole(self.unit, Builtin::Int, 4);
                let one = tree::int(to, 1);
                (Some(op), to, Expr { ty, ..one })
            }
            _ => return None,
        };
        let to = tree::plain(to).clone();
        let is_plain = is_place(&to)
            && scalars::is_arithmetic(self.unit, to.ty)
            && !tree::is_somewhere(self.unit, to.ty, |ty| ty.is_volatile)
            && !changes_any(&value);
        let ty = tree::unqualified(self.unit, to.ty);
        let value = match op {
            None => converted(self.unit, value, ty),
            Some(op) => {
                let value = tree::binary(op, to.clone(), value);
                cast(value, ty)
            }
        };
        is_plain.then_some(Entry::Set {
            to,
            value,
            always: true,
            span: expr.span,
        })
    }

    /// Adds what two branches do, where a condition chooses.
    fn join(&mut self, cond: Expr, branches: (Vec<Entry>, Vec<Entry>), entries: &mut Vec<Entry>) {
        let (yes, no) = branches;
        let changed: HashSet<DeclId> = yes.iter().chain(&no).filter_map(variable).collect();
        let changes = |e: &Expr| match &e.kind {
            ExprKind::Var(id) => changed.contains(id) || scalars::is_pointed_to(self.unit, *id),
            ExprKind::Index(..) | ExprKind::Call(..) | ExprKind::Field(..) => true,
            ExprKind::Unary(UnaryOp::Deref, _) => true,
            _ => tree::target(e).is_some(),
        };
        let joined = aligned(self.unit, yes, no);
        let cond = match joined.len() > 1 && walk::has(&cond, changes) {
            true => self.kept(cond, entries),
            false => cond,
        };
        for pair in joined {
            entries.push(either(self.unit, &cond, pair));
        }
    }

    /// A variable that keeps whether a condition holds.
    fn kept(&mut self, cond: Expr, entries: &mut Vec<Entry>) -> Expr {
        let span = cond.span;
        let int = tree::whole(self.unit, Builtin::Int, 4);
        let name = self.namer.fresh("holds");
        let id = tree::variable(self.unit, name, int, None, span);
        let zero = tree::int(&cond, 0);
        let value = match is_truth(&cond) {
            true => cond,
            false => tree::binary(BinaryOp::NotEqual, cond, zero),
        };
        let value = Some(Expr { ty: int, ..value });
        entries.push(Entry::Local { id, value });
        tree::var(self.unit, id, span)
    }

    /// A `switch` as branches; its value gets a variable.
    fn chain(&mut self, value: &Expr, body: &Stmt, entries: &mut Vec<Entry>) -> Option<Stmt> {
        let groups = groups(body)?;
        let value = tree::plain(value).clone();
        if !scalars::is_integer(self.unit, value.ty) {
            return None;
        }
        let (ty, span) = (tree::unqualified(self.unit, value.ty), value.span);
        let name = self.namer.fresh("chosen");
        let id = tree::variable(self.unit, name, ty, None, span);
        let value = Some(value);
        entries.push(Entry::Local { id, value });
        let chosen = tree::var(self.unit, id, span);
        let (others, of_cases): (Vec<Group>, Vec<Group>) =
            groups.into_iter().partition(|group| group.is_default);
        let block = |stmts| Box::new(tree::stmt(span, StmtKind::Compound(stmts)));
        let mut chain: Option<Box<Stmt>> = others.into_iter().next().map(|g| block(g.stmts));
        for group in of_cases.into_iter().rev() {
            let is_it = |case| tree::binary(BinaryOp::Equal, chosen.clone(), case);
            let any = |a, b| tree::binary(BinaryOp::Or, a, b);
            let cond = group.cases.into_iter().map(is_it).reduce(any)?;
            let kind = StmtKind::If {
                cond,
                then: block(group.stmts),
                otherwise: chain,
            };
            chain = Some(Box::new(tree::stmt(span, kind)));
        }
        chain.map(|chain| *chain)
    }

    /// Whether the places that are assigned to are the same wherever in the branches they are asked for.
    fn stay(&self, entries: &[Entry]) -> bool {
        let changed: HashSet<DeclId> = entries.iter().filter_map(variable).collect();
        entries.iter().all(|entry| match entry {
            Entry::Set { to, .. } if variable(entry).is_none() => {
                let mut used = HashSet::new();
                walk::variables(to, &mut used);
                let mut used = used.iter();
                used.all(|id| !changed.contains(id) && !scalars::is_pointed_to(self.unit, *id))
            }
            _ => true,
        })
    }

    /// Whether what is assigned to is there also where C does not assign.
    fn exists(&self, entry: &Entry, entries: &[Entry]) -> bool {
        let Entry::Set { to, always, .. } = entry else {
            return true;
        };
        let is_set = |other: &Entry| match other {
            Entry::Set {
                to: of,
                always: true,
                ..
            } => same_place(self.unit, of, to),
            _ => false,
        };
        *always || variable(entry).is_some() || entries.iter().any(is_set) || self.lies_inside(to)
    }

    /// Whether an element of an array of the program is one for all numbers of the loops around.
    fn lies_inside(&self, to: &Expr) -> bool {
        let mut subscripts = Vec::new();
        let mut array = tree::plain(to);
        while let ExprKind::Index(base, at) = &array.kind {
            subscripts.push(numbers::unwidened(self.unit, at));
            array = tree::plain(base);
        }
        let ExprKind::Var(id) = array.kind else {
            return false;
        };
        let mut ty = self.unit[id].ty;
        let lies = |at: &Expr, length: u64| {
            let is_it = |(id, _): &&Bounds| tree::is_var(at, *id);
            let range = self.loops.iter().flatten().rfind(is_it).map(|(_, r)| r);
            range.is_some_and(|r| r.start >= 0 && r.end <= i128::from(length))
        };
        for at in subscripts.into_iter().rev() {
            match self.unit.canonical(ty).kind {
                TypeKind::Array {
                    element,
                    length: Length::Constant(length),
                } if lies(at, length) => ty = element,
                _ => return false,
            }
        }
        self.unit[id].kind == DeclKind::Variable
    }
}

/// The statements of a body with what stands behind `if (c) { ..; continue; }` in the other branch, for conditions as asked.
pub(super) fn going_on(mut all: Vec<Stmt>, is_it: &dyn Fn(&Expr) -> bool) -> Vec<Stmt> {
    let Some(at) = all.iter().position(|stmt| goes_on(stmt, is_it)) else {
        return all;
    };
    let rest = going_on(all.split_off(at + 1), is_it);
    if let Some(last) = all.last_mut()
        && let StmtKind::If {
            then, otherwise, ..
        } = &mut last.kind
    {
        let mut done = tree::block(std::mem::replace(
            then,
            tree::stmt(last.span, StmtKind::Null),
        ));
        done.pop();
        **then = tree::stmt(last.span, StmtKind::Compound(done));
        let rest = tree::stmt(last.span, StmtKind::Compound(rest));
        *otherwise = Some(Box::new(rest));
    }
    all
}

/// Whether a statement goes on with what its body is done for next, under a condition as asked.
fn goes_on(stmt: &Stmt, is_it: &dyn Fn(&Expr) -> bool) -> bool {
    let Some((cond, then)) = tree::conditional(stmt) else {
        return false;
    };
    let last = match &then.kind {
        StmtKind::Compound(all) => all.last(),
        _ => Some(then),
    };
    is_it(cond) && last.is_some_and(|last| matches!(last.kind, StmtKind::Continue))
}

pub(super) fn reads(expr: &Expr) -> bool {
    walk::has(expr, |e| {
        matches!(e.kind, ExprKind::Index(..) | ExprKind::Call(..))
    })
}

/// The parts of a condition before those on data, and a branch on those alone.
pub(super) fn one_by_one(cond: &Expr, then: &Stmt) -> Option<(Expr, Stmt)> {
    let ExprKind::Binary(BinaryOp::And, a, b) = &tree::plain(cond).kind else {
        return None;
    };
    if reads(a) {
        // `(a && b) && c`
        let ExprKind::Binary(BinaryOp::And, first, second) = &tree::plain(a).kind else {
            return None;
        };
        let rest = tree::binary(BinaryOp::And, (**second).clone(), (**b).clone());
        let whole = tree::binary(BinaryOp::And, (**first).clone(), rest);
        return one_by_one(&whole, then);
    }
    reads(b).then(|| {
        let inner = tree::when((**b).clone(), vec![then.clone()]);
        ((**a).clone(), inner)
    })
}

/// Whether branches, or those in them, depend on data.
fn is_on_data(stmt: &Stmt) -> bool {
    let mut found = false;
    walk::stmts(stmt, &mut |stmt| {
        if let StmtKind::If { cond, .. } = &stmt.kind {
            found |= reads(cond);
        }
    });
    found
}

/// Whether an expression assigns.
pub(super) fn changes_any(expr: &Expr) -> bool {
    walk::has(expr, |e| {
        tree::target(e).is_some() || matches!(e.kind, ExprKind::Statements(_))
    })
}

/// Whether an expression is a variable or an element with subscripts of variables.
fn is_place(to: &Expr) -> bool {
    let is_known = |e: &Expr| match &e.kind {
        ExprKind::Call(..) | ExprKind::Field(..) | ExprKind::Cond(..) => false,
        ExprKind::Unary(op, _) => *op != UnaryOp::Deref,
        _ => tree::target(e).is_none(),
    };
    matches!(to.kind, ExprKind::Var(_) | ExprKind::Index(..)) && !walk::has(to, |e| !is_known(e))
}

/// The variable that an entry changes.
fn variable(entry: &Entry) -> Option<DeclId> {
    match entry {
        Entry::Local { id, .. } => Some(*id),
        Entry::Set { to, .. } => match to.kind {
            ExprKind::Var(id) => Some(id),
            _ => None,
        },
    }
}

/// Whether two places are one, as they are written.
pub(super) fn same_place(unit: &Unit, a: &Expr, b: &Expr) -> bool {
    let (a, b) = (tree::plain(a), tree::plain(b));
    match (&a.kind, &b.kind) {
        (ExprKind::Index(a, at), ExprKind::Index(b, its)) => {
            same_place(unit, a, b) && numbers::same(unit, at, its)
        }
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        _ => false,
    }
}

pub(super) fn same_type(unit: &Unit, a: TypeId, b: TypeId) -> bool {
    let (a, b) = (unit.canonical(a), unit.canonical(b));
    matches!(a.kind, TypeKind::Builtin(_)) && a.kind == b.kind && a.size == b.size
}

/// Whether an expression is 0 or 1.
fn is_truth(expr: &Expr) -> bool {
    use BinaryOp as B;
    match &tree::plain(expr).kind {
        ExprKind::Binary(op, ..) => matches!(
            op,
            B::Less
                | B::LessEqual
                | B::Greater
                | B::GreaterEqual
                | B::Equal
                | B::NotEqual
                | B::And
                | B::Or
        ),
        ExprKind::Unary(op, _) => *op == UnaryOp::Not,
        _ => false,
    }
}

/// What one branch does, the other or both.
type Pair = (Option<Entry>, Option<Entry>);

/// What two branches do in their orders, with assignments to the same place together: only one of them runs.
fn aligned(unit: &Unit, yes: Vec<Entry>, no: Vec<Entry>) -> Vec<Pair> {
    let mut all = Vec::new();
    let mut others: std::collections::VecDeque<Entry> = no.into();
    for entry in yes {
        let is_same = |other: &Entry| match (&entry, other) {
            (Entry::Set { to, .. }, Entry::Set { to: its, .. }) => same_place(unit, to, its),
            _ => false,
        };
        let found = others.iter().position(is_same);
        let before = others.drain(..found.unwrap_or(0));
        all.extend(before.map(|other| (None, Some(other))));
        all.push((Some(entry), found.and_then(|_| others.pop_front())));
    }
    all.extend(others.into_iter().map(|other| (None, Some(other))));
    all
}

/// What is done where a condition chooses.
fn either(unit: &Unit, cond: &Expr, pair: Pair) -> Entry {
    let choose = |ty: TypeId, yes: Expr, no: Expr| {
        let span = cond.span;
        let kind = ExprKind::Cond(Box::new(cond.clone()), Box::new(yes), Box::new(no));
        Expr { ty, span, kind }
    };
    match pair {
        (
            Some(Entry::Set {
                to,
                value,
                always,
                span,
            }),
            Some(Entry::Set {
                value: no,
                always: both,
                span: other,
                ..
            }),
        ) => {
            let (always, span) = (always && both, around(span, other));
            let value = choose(to.ty, value, no);
            Entry::Set {
                to,
                value,
                always,
                span,
            }
        }
        (
            Some(Entry::Set {
                to, value, span, ..
            }),
            _,
        ) => Entry::Set {
            value: choose(to.ty, value, to.clone()),
            to,
            always: false,
            span,
        },
        (
            None,
            Some(Entry::Set {
                to, value, span, ..
            }),
        ) => Entry::Set {
            value: choose(to.ty, to.clone(), value),
            to,
            always: false,
            span,
        },
        (Some(Entry::Local { id, value }), _) => {
            let (ty, zero) = (unit[id].ty, tree::int(cond, 0));
            let value = value.map(|value| choose(ty, value, zero));
            Entry::Local { id, value }
        }
        (None, Some(Entry::Local { id, value })) => {
            let (ty, zero) = (unit[id].ty, tree::int(cond, 0));
            let value = value.map(|value| choose(ty, zero, value));
            Entry::Local { id, value }
        }
        (None, None) => unreachable!("a pair has one entry"),
    }
}

/// The place of two statements of a file, one after the other.
pub(super) fn around(a: Span, b: Span) -> Span {
    match a.file == b.file && a.expansion.is_none() && b.expansion.is_none() {
        true => Span {
            start: a.start.min(b.start),
            end: a.end.max(b.end),
            ..a
        },
        false => a,
    }
}

/// Statements of a `switch` that run for some of its values.
pub(super) struct Group {
    pub cases: Vec<Expr>,
    pub is_default: bool,
    pub stmts: Vec<Stmt>,
}

/// The statements of a `switch` by its labels; `None` where they run into others.
pub(super) fn groups(body: &Stmt) -> Option<Vec<Group>> {
    let StmtKind::Compound(all) = &body.kind else {
        return None;
    };
    let mut groups: Vec<Group> = Vec::new();
    let mut is_open = false;
    for stmt in all {
        let mut stmt = stmt;
        let mut labels = (Vec::new(), false);
        loop {
            match &stmt.kind {
                StmtKind::Case {
                    value,
                    last: None,
                    body,
                } => {
                    labels.0.push(value.clone());
                    stmt = body;
                }
                StmtKind::Default(body) => {
                    labels.1 = true;
                    stmt = body;
                }
                StmtKind::Case { .. } => return None,
                _ => break,
            }
        }
        let (cases, is_default) = labels;
        if !cases.is_empty() || is_default {
            if is_open {
                return None;
            }
            groups.push(Group {
                cases,
                is_default,
                stmts: Vec::new(),
            });
            is_open = true;
        }
        if matches!(stmt.kind, StmtKind::Break) {
            is_open = false;
            continue;
        }
        if !is_open {
            return None;
        }
        let mut stmt = stmt.clone();
        // `case 3: { .. break; }`
        if let StmtKind::Compound(inner) = &mut stmt.kind
            && matches!(inner.last().map(|last| &last.kind), Some(StmtKind::Break))
        {
            inner.pop();
            is_open = false;
        }
        groups.last_mut()?.stmts.push(stmt);
    }
    Some(groups)
}

/// The bounds of a loop that counts by one between constants, where nothing in it changes the iterator.
pub(super) fn bounds(unit: &Unit, stmt: &Stmt) -> Option<Bounds> {
    let (init, [cond, step], body) = tree::counted(stmt)?;
    let (id, first) = tree::begins(unit, init)?;
    let (op, end) = match &tree::plain(cond).kind {
        ExprKind::Binary(op, of, end) if tree::is_var(of, id) => (*op, end),
        _ => return None,
    };
    let behind = match op {
        BinaryOp::Less => 0,
        BinaryOp::LessEqual => 1,
        _ => return None,
    };
    let is_known = tree::adds_one(step, id) && !inline::changes(unit, body, id);
    let range = numbers::value(unit, first)?..numbers::value(unit, end)? + behind;
    is_known.then_some((id, range))
}
