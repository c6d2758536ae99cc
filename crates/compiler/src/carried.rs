//! Scalars that carry a value from one time step to a later one.
//!
//! `time += dt;` or the values that an absorbing boundary remembers are no temporaries: a step
//! reads what an earlier one has left. Such a variable is an array of one element, at position 0
//! of every space dimension, and the host function gets its address.

use crate::diag::Result;
use crate::scop::{ArrayId, Scop};
use hexcc_isl::{DimType, Set};
use std::collections::BTreeSet;

/// Makes arrays of the scalars that statements write beside those of a stencil.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn into_arrays(scop: &mut Scop) -> Result<()> {
    let is_scalar = |scop: &Scop, id: ArrayId| scop.array(id).extents.is_empty();
    let mut carried = BTreeSet::new();
    for chunk in &scop.chunks {
        let written = (chunk.stmts.iter()).map(|&i| scop.stmts[i].write.array);
        if written.clone().any(|id| !is_scalar(scop, id)) {
            carried.extend(written.filter(|&id| is_scalar(scop, id)));
        }
    }
    as_arrays(scop, &carried)
}

/// Makes arrays of one element of some scalars.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn as_arrays(scop: &mut Scop, carried: &BTreeSet<ArrayId>) -> Result<()> {
    if carried.is_empty() {
        return Ok(());
    }
    let one = Set::read(&scop.ctx, "{ [1] }")?.dim_max(0)?;
    for &id in carried {
        let array = &mut scop.arrays[id.index()];
        array.extents = vec![one.clone()];
        array.variable = true;
    }
    for stmt in &mut scop.stmts {
        let accesses = stmt.reads.iter_mut().chain([&mut stmt.write]);
        for access in accesses.filter(|a| carried.contains(&a.array)) {
            let map = (access.map.add_dims(DimType::Out, 1)?).fix(DimType::Out, 0, 0)?;
            access.map = map.named_as(&access.map)?;
        }
    }
    Ok(())
}
