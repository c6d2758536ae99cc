//! Forward substitution of scalar temporaries.
//!
//! `float x = A[i-1] + A[i+1]; B[i] = 0.5f * x;` writes `x` in every iteration,
//! which would serialise the space loops. Where it is known which statement a read of a
//! scalar gets its value from, and that the elements this value is
//! made of do not change in between, the value moves
//! into the reading statement as a local variable. Operations keep their order
//! and types, so results stay equal bit for bit.
//!
//! Constant loops around a temporary are unrolled before (`unroll`). A reader whose temporaries
//! come from different statements at different points, as after `if (i > 0) sum += A[i-1];`,
//! becomes several statements, each for the points at which every temporary has one source.

mod copies;
mod expand;
mod order;
mod unroll;

use crate::csource;
use crate::diag::Result;
use crate::instances::replace;
use crate::scop::{ArrayId, KeptScalar, Locations, Scop, SourceFile, Statement};
use expand::Expander;
use std::ops::Range;

/// Substitutes every temporary it can and drops the statements that only
/// computed them. Scalars that remain are reported by later passes, with the reasons in
/// [`Scop::kept`].
///
/// # Errors
/// HX0401 where isl gives up.
pub fn substitute(scop: &mut Scop, source: &SourceFile) -> Result<()> {
    let scalars: Vec<ArrayId> = (0..scop.arrays.len())
        .map(|i| ArrayId(i as u32))
        .filter(|id| scop.array(*id).extents.is_empty())
        .filter(|id| scop.stmts.iter().any(|s| s.write.array == *id))
        .collect();
    if scalars.is_empty() {
        return Ok(());
    }
    let ends: Vec<(ArrayId, End)> = (scalars.iter())
        .map(|&id| (id, end_of(scop, source, &scop.array(id).name)))
        .collect();
    let survives = |id: ArrayId| ends.contains(&(id, End::Survives));
    // What stays in memory is no less written in every iteration where its loops are unrolled.
    let moving: Vec<ArrayId> = (scalars.iter().copied())
        .filter(|&id| !survives(id))
        .collect();
    let mut kept = unroll::unroll(scop, &moving)?;
    let mut expander = Expander::new(scop, &scalars)?;
    let mut live: Vec<bool> = (scop.stmts.iter())
        .map(|s| !scalars.contains(&s.write.array) || survives(s.write.array))
        .collect();
    let mut expanded: Vec<Option<Vec<Statement>>> = vec![None; live.len()];
    // What writes a scalar that stays, stays.
    while let Some(next) = (0..live.len()).find(|&i| live[i] && expanded[i].is_none()) {
        let pieces = expander.expand(next)?;
        for read in pieces.iter().flat_map(|piece| &piece.reads) {
            for (stmt, live) in scop.stmts.iter().zip(&mut live) {
                *live |= stmt.write.array == read.array;
            }
        }
        expanded[next] = Some(pieces);
    }
    kept.extend(expander.kept);
    for (i, stmt) in scop.stmts.iter().enumerate().filter(|(i, _)| live[*i]) {
        if survives(stmt.write.array) && scop.array(stmt.write.array).extents.is_empty() {
            let note = "`{}` may be used after the region".to_string();
            let help =
                "declare `{}` inside the loop body, or use another name elsewhere in the function";
            kept.push(reason(scop, stmt.write.array, i, note, help));
        }
    }
    let new = (expanded.into_iter().enumerate())
        .flat_map(|(i, pieces)| pieces.into_iter().flatten().map(move |piece| (i, piece)))
        .collect();
    for (id, end) in ends {
        let is_live = (scop.stmts.iter().zip(&live)).any(|(s, live)| *live && s.write.array == id);
        if end == End::DeadAfter && !is_live {
            scop.unused.push(scop.array(id).name.clone());
        }
    }
    scop.kept = kept;
    replace(scop, new);
    Ok(())
}

/// Where the life of a scalar ends.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum End {
    /// It is declared inside the region.
    Inside,
    /// It is a variable of the function that is not mentioned again after the region.
    DeadAfter,
    /// It may be read after the region.
    Survives,
}

/// Where the life of a variable ends.
pub(crate) fn end_of(scop: &Scop, source: &SourceFile, name: &str) -> End {
    // Whoever builds a stencil has the arrays, and no text says that a value is not needed.
    if scop.locations == Locations::Statements {
        return End::Survives;
    }
    let text = &source.text;
    match scop.declared.get(name) {
        Some(is_exposed) if !is_exposed => End::Inside,
        Some(_) if !may_be_used_after(scop, text, name) => End::Inside,
        None if csource::is_dead_outside(text, name, scop.region.clone()) => End::DeadAfter,
        _ => End::Survives,
    }
}

/// Whether a name that the region declares may mean the same in the function after it: there is no block around it there, and it
/// occurs.
fn may_be_used_after(scop: &Scop, text: &str, name: &str) -> bool {
    let Some(function) = csource::enclosing_function(text, scop.region.start) else {
        return true;
    };
    let blocks = |part: Range<usize>| blocks_around(text.get(part).unwrap_or(""), name);
    let rest = scop.region.end..function.body.end;
    blocks(scop.region.clone()).contains(&0) && !blocks(rest).is_empty()
}

/// The numbers of blocks of a text that are around each place of a name.
fn blocks_around(text: &str, name: &str) -> Vec<i32> {
    let (mut depth, mut found) = (0, Vec::new());
    for token in csource::tokenize(text) {
        match text.get(token.span).unwrap_or("") {
            "{" => depth += 1,
            "}" => depth -= 1,
            word if word == name => found.push(depth),
            _ => {}
        }
    }
    found
}

/// What a message says about a scalar that stays; `{}` stands for its name.
fn reason(scop: &Scop, array: ArrayId, stmt: usize, note: String, help: &str) -> KeptScalar {
    let name = &scop.array(array).name;
    KeptScalar {
        array,
        note: note.replace("{}", name),
        span: scop.stmts[stmt].span.clone(),
        help: help.replace("{}", name),
    }
}
