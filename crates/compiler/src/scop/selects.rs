//! `if` on data that pet has read as values: `x = c ? e : x` for `if (c) x = e;`.
//!
//! The statement runs where C runs nothing. That is the same if every element that it reads or
//! writes exists, and if nothing in it fails. An element exists if it lies within what the array is
//! declared with, or between elements that the region accesses under no condition on data.

use super::{
    Access, ArrayId, Doubt, Expr, Guards, Scop, SourceFile, Statement, bounds, finals, is_truth,
    last_plane, rows,
};
use crate::csource;
use crate::ctype::CType;
use crate::diag::{Diagnostic, Result};
use hexcc_isl::{Map, Set};
use hexcc_pet::data::{PetBody, PetScop, PetStmt, Select, Span};
use std::collections::BTreeMap;
use std::ops::Range;

/// The value of a statement; of one that keeps the old one in its last arm, with each new value
/// converted to the type of the target, as C does where it assigns.
///
/// # Errors
/// HX0105 where pet has read something else.
pub(super) fn value(
    pet: &PetScop,
    (stmt, span): (&PetStmt, &Range<usize>),
    elem: CType,
    value: Expr,
) -> Result<Expr> {
    match select_at(pet, span.start) {
        Some(select) if !matches!(stmt.body, PetBody::Decl { .. }) => {
            converted(value, elem, select.arms).ok_or_else(|| {
                Box::new(
                    Diagnostic::error("HX0105", "control flow depends on data")
                        .at(span.clone(), "whether this runs depends on data")
                        .help("turn the condition into a value: `A[i] = cond ? x : y;`"),
                )
            })
        }
        _ if pet.selects.is_empty() => Ok(value),
        _ => Ok(without_test(value)),
    }
}

/// `a < b` for `(a < b) != 0`, which the variable of a condition is given where macros are in it.
fn without_test(value: Expr) -> Expr {
    match value {
        Expr::Binary { op, lhs, rhs } if op == "!=" => match (&*lhs, &*rhs) {
            (Expr::Binary { op: inner, .. }, Expr::Int { value, .. })
                if is_truth(inner) && value == "0" =>
            {
                *lhs
            }
            _ => Expr::Binary { op, lhs, rhs },
        },
        value => value,
    }
}

/// `None` where the value has not so many conditions.
fn converted(value: Expr, elem: CType, arms: usize) -> Option<Expr> {
    if arms == 0 {
        return Some(match value.ty() == elem {
            true => value,
            false => Expr::Cast {
                ty: elem,
                arg: Box::new(value),
            },
        });
    }
    match value {
        Expr::Cond { cond, yes, no } => Some(Expr::Cond {
            cond,
            yes: Box::new(converted(*yes, elem, 0)?),
            no: Box::new(converted(*no, elem, arms - 1)?),
        }),
        _ => None,
    }
}

/// The select that a statement is.
fn select_at(pet: &PetScop, start: usize) -> Option<&Select> {
    pet.selects.iter().find(|select| select.start == start)
}

/// The line of the last C statement that a statement of pet's stands for.
pub(super) fn last_line(pet: &PetScop, text: &str, stmt: &PetStmt) -> usize {
    let end = match select_at(pet, stmt.span.start) {
        Some(select) => select.end,
        None if pet.cells.is_empty() => return stmt.line,
        None => stmt.span.end,
    };
    stmt.line.max(csource::line_col(text, end).0)
}

/// An access and the statement that it belongs to.
type Placed<'a> = (&'a Statement, &'a Access);

/// Refuses statements that may not run always. Where nothing under a condition is touched unless the
/// condition holds, gives the arrays of which elements may not exist.
///
/// # Errors
/// HX0105 for the first one, HX0401 where isl gives up.
pub(super) fn check(scop: &Scop, source: &SourceFile, pet: &PetScop) -> Result<Guards> {
    let mut doubts = match scop.arrays.iter().any(|a| a.pointers > 0) {
        true => check_rows(scop, source, pet)?,
        false => Vec::new(),
    };
    doubts.extend(check_blocks(scop, source, pet)?);
    Ok(Guards {
        all: pet.guarded,
        doubts,
    })
}

/// The same for arrays in one block.
fn check_blocks(scop: &Scop, source: &SourceFile, pet: &PetScop) -> Result<Vec<Doubt>> {
    let mut doubts = Vec::new();
    if pet.conditional.is_empty() && pet.cells.is_empty() {
        return Ok(doubts);
    }
    let in_rows = |access: &Access| scop.array(access.array).pointers > 0;
    let mut always: BTreeMap<ArrayId, Vec<Placed>> = BTreeMap::new();
    let mut at_times: Vec<Placed> = Vec::new();
    for stmt in &scop.stmts {
        let start = stmt.span.start;
        let select = select_at(pet, start);
        let is_select = select.is_some();
        let is_conditional = within(&pet.conditional, start) || keeps_value(scop, stmt);
        if is_conditional && !pet.guarded && divides(stmt) {
            return Err(may_fail(stmt));
        }
        let certain = bounds::certain_reads(stmt);
        for (i, read) in stmt.reads.iter().enumerate() {
            // Of a whole array C reads what it likes.
            if in_rows(read) || read.whole {
                continue;
            }
            if is_conditional || !certain.contains(&i) && is_select {
                at_times.push((stmt, read));
            } else if certain.contains(&i) {
                always.entry(read.array).or_default().push((stmt, read));
            }
        }
        if in_rows(&stmt.write) {
            continue;
        }
        let keeps_old = select.is_none_or(|select| !select.always);
        let write = (stmt, &stmt.write);
        match (is_conditional || is_select) && keeps_old {
            true => at_times.push(write),
            false => always.entry(stmt.write.array).or_default().push(write),
        }
    }
    for (stmt, access) in at_times {
        let others = always.get(&access.array).map_or(&[][..], Vec::as_slice);
        let defined = is_defined(scop, (stmt, access))?;
        if !defined || !exists(scop, (stmt, access), others)? {
            let refusal = may_not_exist(scop, source, access);
            doubt(&mut doubts, pet.guarded && defined, access, refusal)?;
        }
    }
    Ok(doubts)
}

/// Notes that an element may not exist; refuses it where it is touched nevertheless.
fn doubt(
    doubts: &mut Vec<Doubt>,
    guarded: bool,
    access: &Access,
    refusal: Box<Diagnostic>,
) -> Result<()> {
    if !guarded {
        return Err(refusal);
    }
    let array = access.array;
    if !doubts.iter().any(|doubt| doubt.array == array) {
        doubts.push(Doubt { array, refusal });
    }
    Ok(())
}

/// The same for arrays in rows.
fn check_rows(scop: &Scop, source: &SourceFile, pet: &PetScop) -> Result<Vec<Doubt>> {
    let mut touched = rows::Touched::default();
    for stmt in &scop.stmts {
        let select = select_at(pet, stmt.span.start);
        let is_conditional = within(&pet.conditional, stmt.span.start);
        let keeps_old = select.is_none_or(|select| !select.always);
        let always_writes = !((is_conditional || select.is_some()) && keeps_old);
        touched.add(scop, stmt, (!is_conditional, always_writes))?;
    }
    let mut doubts = Vec::new();
    for missing in touched.missing(scop)? {
        let (stmt, access) = (missing.stmt, missing.access);
        let start = stmt.span.start;
        let in_if = within(&pet.conditional, start) || select_at(pet, start).is_some();
        let refusal = match in_if && !pet.guarded {
            true => may_not_exist(scop, source, access),
            false => rows::may_not_exist(scop, source, access),
        };
        let may_follow = pet.guarded && missing.defined && scop.array(access.array).pointers == 1;
        doubt(&mut doubts, may_follow, access, refusal)?;
    }
    Ok(doubts)
}

/// Refuses a variable that is used after the region and counts in a loop under a condition on data.
///
/// # Errors
/// HX0105 where it does.
pub(super) fn check_leaves(pet: &PetScop, name: &str, updates: &[(&PetStmt, usize)]) -> Result<()> {
    let own = updates.iter().map(|(stmt, _)| *stmt);
    let mut own = own.filter(|stmt| finals::update(stmt).is_some_and(|update| update.0 == name));
    match own.find(|stmt| within(&pet.conditional, stmt.span.start)) {
        None => Ok(()),
        Some(stmt) => Err(Box::new(
            Diagnostic::error("HX0105", "control flow depends on data")
                .at(
                    stmt.span.start..stmt.span.end,
                    format!("whether `{name}` counts here depends on data, and it is used later"),
                )
                .help(format!(
                    "declare a variable of the loop: `for (int {name} = ..; ..)`"
                )),
        )),
    }
}

/// Whether a statement may leave its element as it is, as the function of its cell says.
fn keeps_value(scop: &Scop, stmt: &Statement) -> bool {
    match &stmt.value {
        Expr::Cell { name, .. } => scop
            .cells
            .iter()
            .any(|cell| cell.name == *name && cell.keeps),
        _ => false,
    }
}

fn within(spans: &[Span], at: usize) -> bool {
    spans.iter().any(|span| span.start <= at && at < span.end)
}

/// Whether no subscript of an access is negative: pet leaves these out.
fn is_defined(scop: &Scop, (stmt, access): Placed) -> Result<bool> {
    let instances = stmt.domain.intersect_params(&scop.context.params()?)?;
    Ok(instances.is_subset(&access.map.domain()?)?)
}

/// Whether all elements of an access exist, given those that are accessed always.
fn exists(scop: &Scop, (_, access): Placed, always: &[Placed]) -> Result<bool> {
    let array = scop.array(access.array);
    let rank = array.extents.len();
    if rank == 0 {
        return Ok(true);
    }
    let sizes = scop.context.params()?;
    let elements = access.map.range()?.intersect_params(&sizes)?;
    let between = Map::read(&scop.ctx, "{ [i] -> [j] : 0 <= j <= i }")?;
    for (d, extent) in array.extents.iter().enumerate() {
        let reached = elements.along(d as u32)?;
        let mut inside = match array.pointer && d == 0 {
            true => reached.empty_like()?,
            false => {
                let last = extent.add_constant(-1)?.to_set()?.reset_tuple_name()?;
                last.apply(&between)?
            }
        };
        for (_, other) in always {
            let accessed = other.map.range()?.along(d as u32)?;
            inside = inside.union(&accessed.apply(&between)?)?;
        }
        // Kernels count on all time buffers, whatever the number of steps.
        let plane = last_plane(always.iter().copied(), d)?;
        if let (Some(last), false) = (plane, always.is_empty()) {
            let planes = Set::read(&scop.ctx, &format!("{{ [i] : 0 <= i <= {last} }}"))?;
            inside = inside.union(&planes)?;
        }
        if !reached.is_subset(&inside)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a statement always divides integers by what may be 0.
fn divides(stmt: &Statement) -> bool {
    stmt.expressions().any(always_divides)
}

fn always_divides(expr: &Expr) -> bool {
    match expr {
        Expr::Int { .. }
        | Expr::Float { .. }
        | Expr::Read(..)
        | Expr::Local(..)
        | Expr::Affine { .. } => false,
        Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => always_divides(arg),
        Expr::Cond { cond, .. } => always_divides(cond),
        Expr::Call { args, .. } | Expr::Cell { args, .. } => args.iter().any(always_divides),
        Expr::Binary { op, lhs, rhs } => {
            let is_number = matches!(&**rhs, Expr::Int { value, .. } if value != "0");
            let of_integers = !lhs.ty().usual(rhs.ty()).is_floating();
            matches!(*op, "/" | "%") && of_integers && !is_number
                || always_divides(lhs)
                || !matches!(*op, "&&" | "||") && always_divides(rhs)
        }
    }
}

const SELECT: &str =
    "`if (c) x = e;` is translated as `x = c ? e : x;`, which runs for all iterations";

fn may_fail(stmt: &Statement) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("HX0105", "control flow depends on data")
            .at(
                stmt.span.clone(),
                "a division of integers, by 0 perhaps where the condition does not hold",
            )
            .note(SELECT)
            .help("divide where the value is used: `A[i] = cond ? x / y : A[i];`"),
    )
}

fn may_not_exist(scop: &Scop, source: &SourceFile, access: &Access) -> Box<Diagnostic> {
    let name = &scop.array(access.array).name;
    let place = csource::find_access(&source.text, access.stmt.clone(), name, 0);
    Box::new(
        Diagnostic::error("HX0105", "control flow depends on data")
            .at(
                place.unwrap_or_else(|| access.stmt.clone()),
                format!("where the condition does not hold, this element of `{name}` may not exist"),
            )
            .note(SELECT)
            .note("elements exist that lie within the declared size of an array, or between those that other statements of the region access always")
            .help(format!("if they exist for all iterations, say so: `{name}[i] = cond ? x : {name}[i];`, with the subscripts that are used")),
    )
}

/// The refusal of an element out of bounds; under a condition on data it is none that C touches.
pub(super) fn under_condition(refusal: Box<Diagnostic>, pet: &PetScop) -> Box<Diagnostic> {
    let is_there = |span: &&Span| {
        let mut labels = refusal.labels.iter();
        labels.any(|label| span.start < label.span.end && label.span.start < span.end)
    };
    match pet.conditional.iter().find(is_there) {
        Some(conditional) => never_defined(conditional),
        None => refusal,
    }
}

/// The refusal of a region in which a subscript is negative where a condition on data does not
/// hold.
pub(super) fn never_defined(conditional: &Span) -> Box<Diagnostic> {
    let place: Range<usize> = conditional.start..conditional.end;
    Box::new(
        Diagnostic::error("HX0105", "control flow depends on data")
            .at(
                place,
                "a subscript here may be negative where the condition does not hold",
            )
            .note(SELECT)
            .help("start the loop where all subscripts are at least 0"),
    )
}
