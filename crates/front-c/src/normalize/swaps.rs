//! Time loops that swap pointers at the end of a step: `tmp = u; u = v; v = tmp;`.
//!
//! What kernels are made of is the loop without the swap, in which `u` and `v` are two arrays. That is the first step of
//! the loop. In step number k each pointer of the cycle is what the one k places further on was before the loop, so that the
//! arrays are planes of one array, of which `(j + k) mod p` is what pointer number j points to. The pointers themselves are
//! swapped behind the kernels, by the same loop around the swap alone.

use super::forward::{around, whole, within};
use super::{inline, tree, walk};
use hexcc_clang::ast::{
    BinaryOp, DeclId, DeclKind, Expr, ExprKind, FunctionId, Item, Stmt, StmtKind, Storage, Unit,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Pointers of a cycle, at most: one more than the time levels that schemes in use have.
const MOST: usize = 4;

/// The variable with the first step of a segment, where [`strip_mine`](super::strip_mine) has made one.
const FIRST: &str = "hexcc_first";

/// Pointers that a time loop swaps at the end of each of its steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swaps {
    /// Their names, in circles: after a step, each is what the next one was, and the last one what the first was.
    pub cycles: Vec<Vec<String>>,
    /// The first value of the loop's iterator, which counts up by one: a number or a variable.
    pub start: String,
    /// The bytes of its header: `for (..)`.
    pub head: Range<usize>,
    /// Those of the statements that swap, with declarations of what they alone use.
    pub swaps: Vec<Range<usize>>,
}

/// The swap at the end of the time loop that is a region, by its bytes; `None` where there is none, or where the pointers
/// are used in other ways.
pub fn swaps(unit: &Unit, region: &Range<usize>) -> Option<Swaps> {
    let (function, body) = around(unit, region).filter(|_| !unit.has_errors())?;
    let all = within(body, region);
    let [time_loop] = &all[..] else {
        return None;
    };
    let step = Step::of(unit, function, time_loop)?;
    let cycles = cycles(&step.assigned)?;
    if !step.is_rotation(&cycles) {
        return None;
    }
    let name = |id: &DeclId| unit[*id].name.clone();
    let swaps = step.swaps.iter().map(|stmt| whole(unit, stmt));
    Some(Swaps {
        cycles: (cycles.iter())
            .map(|cycle| cycle.iter().map(name).collect())
            .collect(),
        start: first_value(unit, time_loop)?,
        head: head(unit, time_loop)?,
        swaps: swaps.collect::<Option<_>>()?,
    })
}

/// A step of a time loop that may swap pointers.
struct Step<'s> {
    unit: &'s Unit,
    function: FunctionId,
    time_loop: &'s Stmt,
    /// Statements that are not the swap.
    rest: Vec<&'s Stmt>,
    /// Those that are, with declarations and first values of pointers that only they use.
    swaps: Vec<&'s Stmt>,
    /// What they assign, in their order: to, from.
    assigned: Vec<(DeclId, DeclId)>,
    /// Pointers that get a value before the rest.
    before: Vec<DeclId>,
}

impl<'s> Step<'s> {
    fn of(unit: &'s Unit, function: FunctionId, time_loop: &'s Stmt) -> Option<Step<'s>> {
        let StmtKind::For { body, .. } = &time_loop.kind else {
            return None;
        };
        let StmtKind::Compound(all) = &body.kind else {
            return None;
        };
        let assigns = |stmt: &&Stmt| assignments(unit, stmt).is_some();
        let n_swaps = all.iter().rev().take_while(assigns).count();
        let (rest, swaps) = all.split_at(all.len() - n_swaps);
        // What a pointer is before the rest, which does not change it, it is behind that.
        let is_before = |(index, stmt): &(usize, &Stmt)| match assignments(unit, stmt).as_deref() {
            Some([(to, _)]) => !(rest[index + 1..].iter()).any(|s| walk::uses(unit, s, *to)),
            _ => false,
        };
        let n_before = rest.iter().enumerate().take_while(is_before).count();
        let (before, rest) = rest.split_at(n_before);
        let of = |stmt: &Stmt| assignments(unit, stmt).unwrap_or_default();
        let set_before: Vec<(DeclId, DeclId)> = before.iter().flat_map(of).collect();
        let assigned: Vec<_> = (set_before.iter().copied())
            .chain(swaps.iter().flat_map(of))
            .collect();
        let names: HashSet<DeclId> = assigned.iter().map(|(to, _)| *to).collect();
        let declares = |stmt: &&Stmt| declares_alone(unit, stmt, &names);
        let (declared, rest): (Vec<_>, Vec<_>) = rest.iter().partition(declares);
        Some(Step {
            unit,
            function,
            time_loop,
            rest,
            swaps: (declared.into_iter()).chain(before).chain(swaps).collect(),
            before: set_before.into_iter().map(|(to, _)| to).collect(),
            assigned,
        })
    }

    /// Whether the pointers of some cycles are the function's own and change nowhere else, what only holds their values is used
    /// nowhere else, and the rest ends no loop but its own.
    fn is_rotation(&self, cycles: &[Vec<DeclId>]) -> bool {
        let unit = self.unit;
        let in_cycle = |id: &DeclId| cycles.iter().flatten().any(|member| member == id);
        let in_head = |id: DeclId| {
            let is_in = |expr: &Expr| walk::mentions(expr, id);
            let init = match &self.time_loop.kind {
                StmtKind::For { init, .. } => init.as_deref(),
                _ => None,
            };
            walk::own(self.time_loop).into_iter().any(is_in)
                || init.is_some_and(|init| walk::uses(unit, init, id))
        };
        let is_used = |id: DeclId| self.rest.iter().any(|s| walk::uses(unit, s, id)) || in_head(id);
        let changes = |id: DeclId| self.rest.iter().any(|s| inline::changes(unit, s, id));
        let mut all = self.assigned.iter().map(|(to, _)| to);
        all.all(|id| match in_cycle(id) {
            true => self.is_own(*id) && !changes(*id) && !in_head(*id),
            false => self.is_own(*id) && !is_used(*id),
        }) && !self.before.iter().any(in_cycle)
            && self.rest.iter().all(|stmt| stays_inside(stmt))
    }

    /// Whether a variable is a pointer that a call of the function has of its own.
    fn is_own(&self, id: DeclId) -> bool {
        // Parameters may be declared as arrays.
        let is_pointer = tree::element(self.unit, self.unit[id].ty).is_some();
        is_pointer && is_of_call(self.unit, self.function, id)
    }
}

/// Whether a call of a function has a variable of its own.
pub(super) fn is_of_call(unit: &Unit, function: FunctionId, id: DeclId) -> bool {
    let of = &unit[function];
    let is_local = || {
        of.body
            .iter()
            .any(|body| walk::all_declared(body).contains(&id))
    };
    matches!(unit[id].storage, Storage::None | Storage::Register)
        && (of.params.contains(&id) || is_local())
}

/// What variables are after some assignments, to and from, one after the other.
pub(super) fn after(assigned: impl Iterator<Item = (DeclId, DeclId)>) -> BTreeMap<DeclId, DeclId> {
    let mut now = BTreeMap::new();
    for (to, from) in assigned {
        let value = now.get(&from).copied().unwrap_or(from);
        now.insert(to, value);
    }
    now
}

/// What a statement assigns to variables, to and from, one after the other: `a = b;`, `a = b, b = c;`, `float *a = b;`, or a
/// block of these; `None` where it does something else, too.
pub(super) fn assignments(unit: &Unit, stmt: &Stmt) -> Option<Vec<(DeclId, DeclId)>> {
    let mut found = Vec::new();
    let is_it = match &stmt.kind {
        StmtKind::Compound(all) => all.iter().all(|stmt| match &stmt.kind {
            StmtKind::Compound(_) => false,
            StmtKind::Decl(items) => items.iter().all(|item| declared(unit, item, &mut found)),
            _ => assignments(unit, stmt).is_some_and(|more| {
                found.extend(more);
                true
            }),
        }),
        StmtKind::Decl(items) => {
            items.iter().all(|item| declared(unit, item, &mut found)) && found.len() == items.len()
        }
        StmtKind::Expr(expr) => listed(expr, &mut found),
        _ => false,
    };
    (is_it && !found.is_empty()).then_some(found)
}

/// Whether an item declares a pointer, and what it assigns to it.
fn declared(unit: &Unit, item: &Item, found: &mut Vec<(DeclId, DeclId)>) -> bool {
    let Item::Decl(id) = *item else {
        return false;
    };
    let decl = &unit[id];
    let from = decl.init.as_ref().map(tree::plain);
    let is_pointer = decl.kind == DeclKind::Variable && tree::is_pointer(unit, decl.ty);
    match from.map(|from| &from.kind) {
        None => is_pointer,
        Some(ExprKind::Var(from)) => {
            found.push((id, *from));
            is_pointer
        }
        Some(_) => false,
    }
}

/// Whether an expression is a list of assignments of variables to variables.
fn listed(expr: &Expr, found: &mut Vec<(DeclId, DeclId)>) -> bool {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Comma, a, b) => listed(a, found) && listed(b, found),
        ExprKind::Assign(None, to, from) => {
            match (&tree::plain(to).kind, &tree::plain(from).kind) {
                (ExprKind::Var(to), ExprKind::Var(from)) => {
                    found.push((*to, *from));
                    true
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether a statement does nothing but declare some variables: `float *tmp;`.
fn declares_alone(unit: &Unit, stmt: &Stmt, names: &HashSet<DeclId>) -> bool {
    let declares = |item: &Item| match item {
        Item::Decl(id) => names.contains(id) && unit[*id].init.is_none(),
        _ => false,
    };
    matches!(&stmt.kind, StmtKind::Decl(items) if items.iter().all(declares))
}

/// The pointers that some assignments, one after the other, give to each other in circles: each gets the value that the next one
/// had. The others that they assign to only hold a value in between.
pub(super) fn cycles(assigned: &[(DeclId, DeclId)]) -> Option<Vec<Vec<DeclId>>> {
    circles(
        &after(assigned.iter().copied()),
        assigned.iter().map(|(to, _)| *to),
    )
}

/// The same of what pointers are now, in an order of them.
pub(super) fn circles(
    now: &BTreeMap<DeclId, DeclId>,
    order: impl Iterator<Item = DeclId>,
) -> Option<Vec<Vec<DeclId>>> {
    let is_kept = |id: &DeclId| now.contains_key(id) && now.values().any(|value| value == id);
    let mut cycles: Vec<Vec<DeclId>> = Vec::new();
    for first in order.filter(is_kept) {
        if cycles.iter().any(|cycle| cycle.contains(&first)) {
            continue;
        }
        let mut cycle = vec![first];
        while let Some(next) = now.get(cycle.last()?).filter(|next| **next != first) {
            let is_new = cycle.len() < MOST && is_kept(next) && !cycle.contains(next);
            cycle.push(is_new.then_some(*next)?);
        }
        cycles.push(cycle);
    }
    let is_swap = !cycles.is_empty() && cycles.iter().all(|cycle| cycle.len() > 1);
    is_swap.then_some(cycles)
}

/// Whether a statement of the time loop ends nothing but loops in it.
fn stays_inside(stmt: &Stmt) -> bool {
    let mut jumps = false;
    walk::stmts(stmt, &mut |stmt| {
        use StmtKind as K;
        jumps |= matches!(
            stmt.kind,
            K::Goto(_) | K::IndirectGoto(_) | K::Return(_) | K::Other(_)
        );
    });
    !jumps && !walk::leaves(stmt)
}

/// The first value of an iterator that counts up by one, from `int t = 0; t < n; t++`: a number, or that of the steps of a
/// segment, `hexcc_first < 0 ? 0 : hexcc_first`, which begins where the loop around it is.
fn first_value(unit: &Unit, time_loop: &Stmt) -> Option<String> {
    let StmtKind::For {
        init: Some(init),
        step: Some(step),
        ..
    } = &time_loop.kind
    else {
        return None;
    };
    let (iterator, value) = tree::begins(unit, init)?;
    let is_first =
        |expr: &Expr| matches!(tree::plain(expr).kind, ExprKind::Var(id) if unit[id].name == FIRST);
    let start = match &tree::plain(value).kind {
        ExprKind::Int(n) if *n >= 0 => n.to_string(),
        ExprKind::Cond(cond, _, otherwise) if is_first(otherwise) => {
            match &tree::plain(cond).kind {
                ExprKind::Binary(BinaryOp::Less, a, _) if is_first(a) => FIRST.to_owned(),
                _ => return None,
            }
        }
        _ if is_first(value) => FIRST.to_owned(),
        _ => return None,
    };
    tree::adds_one(step, iterator).then_some(start)
}

/// The bytes of `for (..)`.
fn head(unit: &Unit, time_loop: &Stmt) -> Option<Range<usize>> {
    let StmtKind::For { step, body, .. } = &time_loop.kind else {
        return None;
    };
    let start = time_loop.span.editable(unit)?.start;
    let step = step.as_ref()?.span.editable(unit)?;
    let text = &unit.files.first()?.text;
    let between = text.get(step.end..body.span.editable(unit)?.start)?;
    let close = step.end + between.find(')')? + 1;
    text[step.end..close - 1]
        .trim()
        .is_empty()
        .then_some(start..close)
}
