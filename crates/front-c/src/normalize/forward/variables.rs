//! Integer variables of loop bodies that subscripts are computed from.
//!
//! In: `int c = i * n + j; v[c] = u[c - 1];`. Out: `v[i * n + j] = u[i * n + j - 1];`. The variable goes where nothing
//! else uses it.

use super::uses;
use super::{MAX_GROWTH, Part, Place, Scene, undeclared};
use crate::normalize::inline::changes;
use crate::normalize::{tree, walk};
use hexcc_clang::ast::{DeclId, DeclKind, Expr, ExprKind, Stmt, Storage, Unit};

/// A variable that gets a value where it is declared, or by a statement.
struct Assigned {
    place: Place,
    id: DeclId,
    value: Expr,
    /// It is declared here.
    declares: bool,
}

/// Writes out the first variable of which something is left to be done: where it decides what is accessed or
/// executed, what it was assigned stands for it.
pub(super) fn variables(scene: &mut Scene, part: &mut Part) -> bool {
    if !part.is_plain {
        return false;
    }
    for place in part.places() {
        for assigned in assigned(scene, &part.block(&place)[place.at], &place) {
            if written(scene, part, &assigned) {
                return true;
            }
        }
    }
    false
}

/// The integer variables that a statement declares with a value, or assigns.
fn assigned(scene: &Scene, stmt: &Stmt, place: &Place) -> Vec<Assigned> {
    let unit = &scene.unit;
    let of = |id: DeclId, value: &Expr, declares| Assigned {
        place: place.clone(),
        id,
        value: tree::plain(value).clone(),
        declares,
    };
    if let Some((id, value)) = tree::assignment(stmt) {
        return vec![of(id, value, false)];
    }
    let is_variable = |id: &DeclId| {
        unit[*id].kind == DeclKind::Variable
            && matches!(unit[*id].storage, Storage::None | Storage::Register)
    };
    (walk::declared(stmt).into_iter())
        .filter(is_variable)
        .filter_map(|id| Some(of(id, unit[id].init.as_ref()?, true)))
        .collect()
}

/// The value of `x = (x == n) ? 0 : x;`: what it was before stands in there, and is no other variable's.
fn renewal<'s>(scene: &Scene, stmt: &'s Stmt, id: DeclId) -> Option<&'s Expr> {
    let (to, value) = tree::assignment(stmt)?;
    let changes = |expr: &Expr| tree::target(expr).is_some_and(|to| tree::is_var(to, id));
    let is_it = to == id && walk::mentions(value, id) && !walk::has(value, changes);
    (is_it && uses::integer(&scene.unit, value.ty).is_some()).then_some(value)
}

fn written(scene: &mut Scene, part: &mut Part, assigned: &Assigned) -> bool {
    let unit = &scene.unit;
    let (id, value) = (assigned.id, &assigned.value);
    let value_has = walk::mentions(value, id);
    let sizes = uses::integer(unit, unit[id].ty).zip(uses::integer(unit, value.ty));
    let Some((size, of_value)) = sizes else {
        return false;
    };
    if !uses::is_value(unit, &scene.functions, value) || scene.is_pointed_to(id) {
        return false;
    }
    let rest = &part.block(&assigned.place)[assigned.place.at + 1..];
    let changed = rest.iter().position(|stmt| changes(unit, stmt, id));
    let renewed = changed.filter(|at| !value_has && renewal(scene, &rest[*at], id).is_some());
    let end = renewed.map_or(changed.unwrap_or(rest.len()), |at| at + 1);
    // All that runs before the last use, loops as a whole.
    let uses_it = |stmt: &Stmt| walk::uses(unit, stmt, id);
    let Some(last) = rest[..end].iter().rposition(uses_it) else {
        return !value_has && removed(scene, part, assigned);
    };
    let runs = &rest[..=last];
    let reads_of_value = scene.reads_of(std::iter::once(value));
    let is_own = scene.is_own(part.function, id);
    let elsewhere = || {
        let called = walk::called(unit, runs).into_iter();
        let mut bodies = called.filter_map(|f| unit[f].body.as_ref());
        bodies.any(|body| walk::uses(unit, body, id))
    };
    if size < of_value.max(4)
        || !scene.stays(part, &reads_of_value, runs)
        || !scene.is_seen(&reads_of_value, runs)
        || !is_own && elsewhere()
    {
        return false;
    }
    let is_same = uses::are_same(unit, unit[id].ty, value.ty) || uses::is_number(unit, value);
    let is_var = |expr: &Expr| matches!(expr.kind, ExprKind::Var(v) if v == id);
    // Which of the uses are replaced.
    let is_taken = |at: usize, context: uses::Context| {
        (renewed == Some(at) || context.decides) && (is_same || context.sums_up)
    };
    let mut taken = vec![Vec::new(); runs.len()];
    for (at, stmt) in runs.iter().enumerate() {
        let is_target = renewed == Some(at);
        let mut n_seen = 0;
        uses::visit(unit, &scene.takes, (stmt, false), &mut |expr, context| {
            if is_var(expr) {
                // What a renewal assigns to comes first.
                if !is_target || n_seen > 0 {
                    taken[at].push(is_taken(at, context));
                } else {
                    taken[at].push(false);
                }
                n_seen += 1;
            }
            true
        });
    }
    let n_targets = usize::from(renewed == Some(last));
    let n_uses = taken.iter().map(Vec::len).sum::<usize>() - n_targets;
    let n_taken = taken.iter().flatten().filter(|taken| **taken).count();
    let is_renewed = value_has && n_taken == n_uses && may_go(scene, part, assigned, n_uses);
    if value_has && !is_renewed || n_taken * uses::size(value) > MAX_GROWTH {
        return false;
    }
    if n_taken > 0 {
        replace(scene, part, assigned, &taken);
    }
    if is_renewed {
        take_out(part, assigned);
        return true;
    }
    removed(scene, part, assigned) || n_taken > 0
}

/// Has the value stand for those uses of a variable that are `taken`, in the statements behind it.
fn replace(scene: &mut Scene, part: &mut Part, assigned: &Assigned, taken: &[Vec<bool>]) {
    let from = assigned.place.at + 1;
    let takes = scene.takes.clone();
    let Some(block) = part.block_mut(&assigned.place) else {
        return;
    };
    for (stmt, taken) in block[from..].iter_mut().zip(taken) {
        let mut n_seen = 0;
        let mut f = |unit: &Unit, expr: &Expr, context: uses::Context| {
            if !matches!(expr.kind, ExprKind::Var(v) if v == assigned.id) {
                return None;
            }
            n_seen += 1;
            let is_taken = taken.get(n_seen - 1) == Some(&true);
            is_taken.then(|| match context.sums_up {
                true => assigned.value.clone(),
                false => uses::typed(unit, &assigned.value, unit[assigned.id].ty),
            })
        };
        uses::rewrite(&mut scene.unit, &takes, std::slice::from_mut(stmt), &mut f);
    }
}

/// Whether `x = (x + n) % n;` of a parameter `x` may go, if nothing else uses it but what it is written for: of other
/// variables a value may come from the iteration before.
fn may_go(scene: &Scene, part: &Part, assigned: &Assigned, n_uses: usize) -> bool {
    let mut in_value = 0;
    walk::visit(&assigned.value, &mut |expr| {
        in_value += usize::from(matches!(expr.kind, ExprKind::Var(v) if v == assigned.id));
        true
    });
    let params = &scene.unit[part.function].params;
    part.region.is_none()
        && !assigned.declares
        && params.contains(&assigned.id)
        && assigned.place.block.is_empty()
        && scene.is_dead(part, assigned.id, n_uses + in_value)
}

/// Takes out the declaration or the assignment, if nothing is left that uses the variable.
fn removed(scene: &Scene, part: &mut Part, assigned: &Assigned) -> bool {
    let id = assigned.id;
    let is_unused = match assigned.declares {
        false => scene.is_dead(part, id, 0),
        true => {
            let rest = &part.block(&assigned.place)[assigned.place.at..];
            rest.iter().all(|stmt| !walk::uses(&scene.unit, stmt, id))
        }
    };
    if is_unused {
        take_out(part, assigned);
    }
    is_unused
}

fn take_out(part: &mut Part, assigned: &Assigned) {
    let at = assigned.place.at;
    if let Some(block) = part.block_mut(&assigned.place)
        && (!assigned.declares || undeclared(&mut block[at], assigned.id))
    {
        block.remove(at);
    }
}
