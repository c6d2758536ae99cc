//! Pointers that a loop of the host leaves with one array: `old = now; now = next;`, where nothing gives `next` the third one.

use super::forward::{around, visible, whole};
use super::swaps::{after, is_of_call};
use super::{inline, tree, walk};
use hexcc_clang::ast::{Callee, DeclId, ExprKind, FunctionId, Stmt, StmtKind, TypeKind, Unit};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Two pointers that are one from the second iteration of a loop on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Same {
    /// Their names.
    pub names: [String; 2],
    /// The bytes of the last assignment of pointers in the loop.
    pub assignment: Range<usize>,
}

/// Functions that a nest is looked for in the calls of, from one to the next.
const CALLS: usize = 4;

/// Pointers to arrays, and whether these are written.
type Pointers = Vec<(DeclId, bool)>;

/// The first two of some arrays, one of them written, that are one where a nest, by where it begins, runs in a later
/// iteration of a loop around it, in its function or in one that calls this.
pub fn same_later(unit: &Unit, nest: usize, arrays: &[(String, bool)]) -> Option<Same> {
    let (function, body) = around(unit, &(nest..nest))?;
    let visible = visible(unit, (function, body), nest);
    let known = |(name, is_written): &(String, bool)| {
        let id = visible.iter().rfind(|id| unit[**id].name == *name)?;
        Some((*id, *is_written))
    };
    let arrays = arrays.iter().filter_map(known).collect();
    same_within(unit, (function, nest), arrays, CALLS)
}

fn same_within(
    unit: &Unit,
    (function, at): (FunctionId, usize),
    mut arrays: Pointers,
    calls: usize,
) -> Option<Same> {
    let body = unit[function].body.as_ref()?;
    arrays.retain(|(id, _)| is_own_pointer(unit, function, *id));
    if arrays.len() < 2 || calls == 0 {
        return None;
    }
    in_loops(unit, body, at, &arrays).or_else(|| {
        let mut all = calls_of(unit, function).into_iter();
        all.find_map(|(caller, call, args)| {
            let given = |(id, is_written): &(DeclId, bool)| {
                let index = unit[function].params.iter().position(|p| p == id)?;
                Some(((*args.get(index)?)?, *is_written))
            };
            let given = arrays.iter().filter_map(given).collect();
            same_within(unit, (caller, call), given, calls - 1)
        })
    })
}

/// Whether a variable is a pointer to numbers that a call of a function has of its own.
fn is_own_pointer(unit: &Unit, function: FunctionId, id: DeclId) -> bool {
    let TypeKind::Pointer(to) = unit.canonical(unit[id].ty).kind else {
        return false;
    };
    is_of_call(unit, function, id) && tree::element(unit, to).is_none()
}

/// A call: in which function, where, and the variables that it gives as arguments.
type Call = (FunctionId, usize, Vec<Option<DeclId>>);

/// The calls of a function.
fn calls_of(unit: &Unit, function: FunctionId) -> Vec<Call> {
    let mut found = Vec::new();
    for n in 0..unit.functions.len() {
        let caller = FunctionId(n as u32);
        let Some(body) = &unit[caller].body else {
            continue;
        };
        walk::all(unit, body, &mut |expr| {
            if let ExprKind::Call(Callee::Function(called), args) = &expr.kind
                && unit[*called].first == unit[function].first
            {
                let args = args.iter().map(tree::variable_of);
                found.push((caller, expr.span.start as usize, args.collect()));
            }
            true
        });
    }
    found
}

/// Two of some pointers that are one in a later iteration of a loop of a statement, the innermost around an offset first.
fn in_loops(unit: &Unit, stmt: &Stmt, at: usize, arrays: &Pointers) -> Option<Same> {
    use StmtKind as K;
    let has = |stmt: &Stmt| (stmt.span.start as usize) <= at && at < stmt.span.end as usize;
    let inner = walk::inner(stmt).into_iter().find(|inner| has(inner))?;
    let found = in_loops(unit, inner, at, arrays);
    found.or_else(|| match (&stmt.kind, &inner.kind) {
        (K::For { .. } | K::While { .. } | K::Do { .. }, K::Compound(all)) => {
            in_loop(unit, all, at, arrays)
        }
        _ => None,
    })
}

/// Two of some pointers that are one at an offset in a loop's body, once the loop has gone around.
fn in_loop(unit: &Unit, block: &[Stmt], at: usize, arrays: &Pointers) -> Option<Same> {
    let assignment = |stmt: &Stmt| {
        let (to, value) = tree::assignment(stmt)?;
        Some((to, tree::variable_of(value)?))
    };
    let all = block.iter().filter_map(|s| Some((s, assignment(s)?)));
    let all: Vec<(&Stmt, (DeclId, DeclId))> = all.collect();
    let mut others = block.iter().filter(|stmt| assignment(stmt).is_none());
    let changes = |stmt: &Stmt| {
        let mut names = all.iter().flat_map(|(_, (to, from))| [to, from]);
        names.any(|id| inline::changes(unit, stmt, *id))
    };
    if others.any(changes) {
        return None;
    }
    let before = all.iter().filter(|(s, _)| (s.span.start as usize) < at);
    let now = after(all.iter().chain(before).map(|(_, assigned)| *assigned));
    let value = |id: DeclId| now.get(&id).copied().unwrap_or(id);
    let pairs = arrays.iter().enumerate();
    let ((a, _), (b, _)) = pairs
        .flat_map(|(i, a)| arrays[i + 1..].iter().map(move |b| (*a, *b)))
        .find(|(a, b)| (a.1 || b.1) && value(a.0) == value(b.0))?;
    Some(Same {
        names: [a, b].map(|id| unit[id].name.clone()),
        assignment: whole(unit, all.last()?.0)?,
    })
}
