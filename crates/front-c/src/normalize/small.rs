//! What follows from numbers in the place of iterators: constant subscripts, tables of numbers, conditions that are known,
//! counters, and small arrays whose elements become variables.

use super::inline;
use super::numbers;
use super::scalars;
use super::tree::{self, Namer};
use super::unroll;
use super::values;
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, DeclId, DeclKind, Expr, ExprKind, Item, Length, Stmt, StmtKind, Storage, TypeKind,
    UnaryOp, Unit,
};
use std::collections::BTreeMap;

/// Elements of an array that become variables, at most.
const MOST: u64 = 32;

/// Puts numbers in the place of constant subscripts and of elements of constant tables, and takes the branches of conditions
/// that are known.
pub(super) fn constants(unit: &mut Unit, stmt: &mut Stmt) {
    let asked = unit.clone();
    // What a table gives may be a subscript.
    for _ in 0..2 {
        walk::change_all(unit, stmt, &mut |expr| {
            if let Some(number) = of_table(&asked, expr) {
                *expr = tree::int(expr, number);
            } else if let ExprKind::Index(_, at) = &mut expr.kind
                && let Some(number) = numbers::value(&asked, at)
            {
                **at = tree::int(at, number);
            }
            true
        });
    }
    branches(unit, stmt);
}

/// Leaves out what is multiplied by zero: `0 * rows * columns + i` is `0 + i`, as macros of several planes write it.
pub(super) fn without_zeros(unit: &mut Unit, stmt: &mut Stmt) {
    if !walk::any(unit, stmt, |e| is_left_out(unit, e)) {
        return;
    }
    let asked = unit.clone();
    walk::change_all(unit, stmt, &mut |expr| {
        if is_left_out(&asked, expr) {
            *expr = tree::int(expr, 0);
        }
        true
    });
}

/// Whether an expression is a product with zero of whole numbers without side effects.
fn is_left_out(unit: &Unit, expr: &Expr) -> bool {
    let is_zero = |expr: &Expr| matches!(numbers::value(unit, expr), Some(0));
    matches!(expr.kind, ExprKind::Binary(BinaryOp::Mul, ..))
        && numbers::range(unit, expr.ty).is_some()
        && is_product_of_zero(expr, &is_zero)
        && !walk::has(expr, |e| tree::target(e).is_some() || is_call(e))
}

fn is_product_of_zero(expr: &Expr, is_zero: &dyn Fn(&Expr) -> bool) -> bool {
    match &tree::plain(expr).kind {
        ExprKind::Binary(BinaryOp::Mul, a, b) => {
            is_product_of_zero(a, is_zero) || is_product_of_zero(b, is_zero)
        }
        _ => is_zero(expr),
    }
}

fn is_call(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Call(..) | ExprKind::Statements(_) | ExprKind::Other(_)
    )
}

/// The number that an element of a table is.
fn of_table(unit: &Unit, expr: &Expr) -> Option<i128> {
    let range = numbers::range(unit, expr.ty)?;
    let number = numbers::value(unit, element(unit, expr)?)?;
    range.contains(&number).then_some(number)
}

/// The value of an element of a constant table.
fn element<'u>(unit: &'u Unit, expr: &Expr) -> Option<&'u Expr> {
    let ExprKind::Index(base, at) = &tree::plain(expr).kind else {
        return None;
    };
    let at = usize::try_from(numbers::value(unit, at)?).ok()?;
    let list = match tree::plain(base).kind {
        ExprKind::Var(id) if is_table(unit, id) => unit[id].init.as_ref()?,
        _ => element(unit, base)?,
    };
    let ExprKind::List(all) = &list.kind else {
        return None;
    };
    let is_plain = |e: &Expr| !matches!(e.kind, ExprKind::Designated(..));
    all.iter().all(is_plain).then(|| all.get(at)).flatten()
}

/// Whether an array has the same numbers always.
fn is_table(unit: &Unit, id: DeclId) -> bool {
    let (decl, of) = (&unit[id], |is_it| {
        tree::is_somewhere(unit, unit[id].ty, is_it)
    });
    decl.kind == DeclKind::Variable
        && !of(|ty| ty.is_volatile)
        && (of(|ty| ty.is_const) || is_only_read(unit, id))
}

/// Whether a program only reads numbers of an array that a function has, which nothing points to.
fn is_only_read(unit: &Unit, id: DeclId) -> bool {
    let decl = &unit[id];
    let is_list = |init: &Expr| matches!(init.kind, ExprKind::List(_));
    if !decl.init.as_ref().is_some_and(is_list) || super::globals(unit).contains(&decl.first) {
        return false;
    }
    let (mut n_uses, mut n_reads) = (0, 0);
    let reads = |expr: &Expr| match &expr.kind {
        ExprKind::Index(base, _) => tree::is_var(base, id) && scalars::is_arithmetic(unit, expr.ty),
        _ => false,
    };
    let bodies = unit.functions.iter().filter_map(|f| f.body.as_ref());
    for body in bodies {
        walk::all(unit, body, &mut |expr| {
            n_uses += usize::from(matches!(expr.kind, ExprKind::Var(used) if used == id));
            n_reads += usize::from(reads(expr));
            // What is assigned to, or pointed to, is not read alone.
            n_uses += usize::from(tree::target(expr).is_some_and(|to| reads(tree::plain(to))));
            true
        });
    }
    n_uses == n_reads
}

/// Takes the branches of conditions that are known.
pub(super) fn branches(unit: &Unit, stmt: &mut Stmt) {
    while let StmtKind::If {
        cond,
        then,
        otherwise,
    } = &mut stmt.kind
        && let Some(number) = numbers::value(unit, cond)
    {
        let taken = match number {
            0 => otherwise.take(),
            _ => Some(then.clone()),
        };
        *stmt = taken.map_or(tree::stmt(stmt.span, StmtKind::Null), |taken| *taken);
    }
    if let Some(chosen) = of_switch(unit, stmt) {
        stmt.kind = StmtKind::Compound(chosen);
    }
    for inner in walk::inner_mut(stmt) {
        branches(unit, inner);
    }
}

/// The statements of a `switch` whose value is known.
fn of_switch(unit: &Unit, stmt: &Stmt) -> Option<Vec<Stmt>> {
    let StmtKind::Switch { value, body } = &stmt.kind else {
        return None;
    };
    let number = numbers::value(unit, value)?;
    let groups = values::groups(body)?;
    let has = |group: &&values::Group| {
        let mut cases = group.cases.iter();
        cases.any(|case| numbers::value(unit, case) == Some(number))
    };
    let of_others = || groups.iter().find(|group| group.is_default);
    let is_known = |case: &Expr| numbers::value(unit, case).is_some();
    let all_known = groups.iter().all(|group| group.cases.iter().all(is_known));
    let chosen = groups.iter().find(has).or_else(of_others);
    let stmts = chosen.map_or(&[][..], |group| &group.stmts);
    let ends = |stmt: &Stmt| walk::jumps(stmt, |kind| matches!(kind, StmtKind::Break));
    (all_known && !stmts.iter().any(ends)).then(|| stmts.to_vec())
}

/// The number of elements of a small array of numbers that a function declares.
pub(super) fn length(unit: &Unit, id: DeclId) -> Option<u64> {
    let decl = &unit[id];
    let TypeKind::Array {
        element,
        length: Length::Constant(n),
    } = unit.canonical(decl.ty).kind
    else {
        return None;
    };
    let is_of_file =
        |item: &Item| matches!(item, Item::Decl(other) if unit[*other].first == decl.first);
    let is_own = decl.kind == DeclKind::Variable
        && matches!(decl.storage, Storage::None | Storage::Register)
        && !unit.items.iter().any(is_of_file);
    let is_number = matches!(unit.canonical(element).kind, TypeKind::Builtin(_))
        && !tree::is_somewhere(unit, decl.ty, |ty| ty.is_volatile);
    (is_own && is_number && n <= MOST).then_some(n)
}

/// Whether a statement declares small arrays.
pub(super) fn has_arrays(unit: &Unit, stmt: &Stmt) -> bool {
    let mut all = walk::all_declared(stmt).into_iter();
    all.any(|id| length(unit, id).is_some())
}

/// Makes variables of small arrays, in the code of a cell; whether there were such arrays.
pub(super) fn scalars(unit: &mut Unit, namer: &mut Namer, stmt: &mut Stmt) -> bool {
    let mut elements = BTreeMap::new();
    for id in walk::all_declared(stmt) {
        if let Some(used) = used_elements(unit, stmt, id) {
            elements.insert(id, variables(unit, namer, id, &used));
        }
    }
    if elements.is_empty() {
        return false;
    }
    let variables = |id| Some(elements.get(&id)?.values().copied().collect());
    tree::declare_instead(stmt, &variables);
    let asked = unit.clone();
    walk::change_all(unit, stmt, &mut |expr| {
        if let Some((id, at)) = constant_element(&asked, expr)
            && let Some(variable) = elements.get(&id).and_then(|all| all.get(&at))
        {
            *expr = tree::var(&asked, *variable, expr.span);
            return false;
        }
        true
    });
    true
}

/// The array and the number of an element whose number is a constant.
fn constant_element(unit: &Unit, expr: &Expr) -> Option<(DeclId, u64)> {
    let ExprKind::Index(base, at) = &expr.kind else {
        return None;
    };
    let ExprKind::Var(id) = tree::plain(base).kind else {
        return None;
    };
    Some((id, u64::try_from(numbers::value(unit, at)?).ok()?))
}

/// The elements of a small array that are used; `None` where not all uses are elements that are known.
fn used_elements(unit: &Unit, stmt: &Stmt, id: DeclId) -> Option<Vec<u64>> {
    let n = length(unit, id)?;
    let mut used = Vec::new();
    let mut n_uses = 0;
    let mut is_addressed = false;
    walk::all(unit, stmt, &mut |expr| {
        match &expr.kind {
            ExprKind::Var(v) => n_uses += usize::from(*v == id),
            ExprKind::Unary(UnaryOp::AddressOf, _) => is_addressed |= walk::mentions(expr, id),
            _ => used.extend(constant_element(unit, expr).filter(|(v, _)| *v == id)),
        }
        true
    });
    let used: Vec<u64> = used.into_iter().map(|(_, at)| at).collect();
    let is_known = used.len() == n_uses && used.iter().all(|at| *at < n) && !is_addressed;
    match unit[id].init.as_ref().map(|init| &init.kind) {
        None => is_known.then_some(used),
        Some(ExprKind::List(all)) => {
            let is_plain = |e: &Expr| !matches!(e.kind, ExprKind::Designated(..));
            (is_known && all.iter().all(is_plain)).then(|| (0..n).collect())
        }
        Some(_) => None,
    }
}

/// Variables for elements of an array.
fn variables(
    unit: &mut Unit,
    namer: &mut Namer,
    id: DeclId,
    used: &[u64],
) -> BTreeMap<u64, DeclId> {
    let decl = unit[id].clone();
    let mut found = BTreeMap::new();
    for at in used {
        if found.contains_key(at) {
            continue;
        }
        let Some(ty) = tree::element(unit, decl.ty) else {
            continue;
        };
        let ty = tree::unqualified(unit, ty);
        let init = decl.init.as_ref().map(|list| match &list.kind {
            ExprKind::List(all) if (*at as usize) < all.len() => all[*at as usize].clone(),
            _ => Expr {
                ty,
                span: decl.span,
                kind: ExprKind::Int(0),
            },
        });
        let name = namer.fresh(&decl.name);
        found.insert(*at, tree::variable(unit, name, ty, init, decl.span));
    }
    found
}

/// Puts numbers in the place of variables that count from a constant on, where no loop or condition changes them.
pub(super) fn counters(unit: &mut Unit, stmt: &mut Stmt) {
    for inner in walk::inner_mut(stmt) {
        counters(unit, inner);
    }
    let StmtKind::Compound(all) = &mut stmt.kind else {
        return;
    };
    let mut at = 0;
    while at < all.len() {
        for id in walk::declared(&all[at]) {
            let counts = all[at + 1..].iter().any(|s| inline::changes(unit, s, id));
            let Some(number) = first_of(unit, id).filter(|_| counts) else {
                continue;
            };
            let mut counted = (unit.clone(), all[at + 1..].to_vec());
            let mut counter = Counter { id, number };
            if counter.run(&mut counted.0, &mut counted.1).is_some() {
                *unit = counted.0;
                all.splice(at + 1.., counted.1);
                if let StmtKind::Decl(items) = &mut all[at].kind {
                    items.retain(|item| *item != Item::Decl(id));
                }
            }
        }
        at += 1;
    }
    let is_left = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Decl(items) => !items.is_empty(),
        kind => !matches!(kind, StmtKind::Null),
    };
    all.retain(is_left);
}

/// The number that a variable begins with.
fn first_of(unit: &Unit, id: DeclId) -> Option<i128> {
    let decl = &unit[id];
    let is_own = matches!(decl.storage, Storage::None | Storage::Register)
        && !tree::is_somewhere(unit, decl.ty, |ty| ty.is_volatile);
    let range = numbers::range(unit, decl.ty).filter(|_| is_own)?;
    numbers::value(unit, decl.init.as_ref()?).filter(|n| range.contains(n))
}

/// A variable whose number is known.
struct Counter {
    id: DeclId,
    number: i128,
}

impl Counter {
    /// Puts the numbers in its place; `None` where they are not known.
    fn run(&mut self, unit: &mut Unit, all: &mut [Stmt]) -> Option<()> {
        for stmt in all {
            let id = self.id;
            if !walk::uses(unit, stmt, id) {
                continue;
            }
            let changes = inline::changes(unit, stmt, id);
            match &mut stmt.kind {
                StmtKind::Compound(all) => self.run(unit, all)?,
                StmtKind::Expr(expr) => match self.assigned(unit, expr)? {
                    true => stmt.kind = StmtKind::Null,
                    false => self.in_expr(unit, expr)?,
                },
                StmtKind::Decl(_) => {
                    for id in walk::declared(stmt) {
                        let Some(mut init) = unit[id].init.take() else {
                            continue;
                        };
                        self.in_expr(unit, &mut init)?;
                        unit[id].init = Some(init);
                    }
                }
                _ if changes => return None,
                _ => {
                    let asked = unit.clone();
                    walk::change_all(unit, stmt, &mut |expr| self.put(&asked, expr));
                }
            }
        }
        Some(())
    }

    /// Whether an expression gives it another number, and does nothing else.
    fn assigned(&mut self, unit: &Unit, expr: &Expr) -> Option<bool> {
        if let Some(by) = unroll::step_of(unit, expr, self.id) {
            self.set(unit, self.number + by)?;
            return Some(true);
        }
        let ExprKind::Assign(None, to, from) = &expr.kind else {
            return Some(false);
        };
        if !tree::is_var(to, self.id) {
            return Some(false);
        }
        let mut from = (**from).clone();
        self.in_expr(unit, &mut from)?;
        self.set(unit, numbers::value(unit, &from)?)?;
        Some(true)
    }

    fn set(&mut self, unit: &Unit, number: i128) -> Option<()> {
        self.number = number;
        numbers::range(unit, unit[self.id].ty)?
            .contains(&number)
            .then_some(())
    }

    /// Puts the number in the place of the variable; of a step, which has to be the only use and to be evaluated always, also
    /// the one before or behind it.
    fn in_expr(&mut self, unit: &Unit, expr: &mut Expr) -> Option<()> {
        use UnaryOp as U;
        let id = self.id;
        let (mut n_uses, mut step, mut may_skip, mut changes) = (0, None, false, false);
        walk::visit(expr, &mut |expr| {
            n_uses += usize::from(matches!(expr.kind, ExprKind::Var(v) if v == id));
            changes |= tree::target(expr).is_some_and(|to| tree::is_var(to, id));
            step = step.or(unroll::step_of(unit, expr, id));
            may_skip |= matches!(
                expr.kind,
                ExprKind::Cond(..)
                    | ExprKind::Else(..)
                    | ExprKind::SizeOfExpr(_)
                    | ExprKind::SizeOfArray { .. }
                    | ExprKind::Statements(_)
                    | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..)
            );
            true
        });
        if !changes {
            walk::change(expr, &mut |expr| self.put(unit, expr));
            return Some(());
        }
        let by = step.filter(|_| n_uses == 1 && !may_skip)?;
        let (before, after) = (self.number, self.number + by);
        walk::change(expr, &mut |expr| {
            if unroll::step_of(unit, expr, id).is_some() {
                let is_before = matches!(
                    expr.kind,
                    ExprKind::Unary(U::PostIncrement | U::PostDecrement, _)
                );
                *expr = tree::int(expr, if is_before { before } else { after });
            }
            true
        });
        self.set(unit, after)
    }

    /// Puts the number in the place of the variable.
    fn put(&self, unit: &Unit, expr: &mut Expr) -> bool {
        if matches!(expr.kind, ExprKind::Var(id) if id == self.id) {
            *expr = tree::int(&tree::var(unit, self.id, expr.span), self.number);
        }
        true
    }
}
