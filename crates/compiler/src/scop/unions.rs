//! Relations of several statements together.

use super::{ArrayId, Statement};
use crate::diag::Result;
use hexcc_isl::{Ctx, UnionMap};

/// The original execution order of some statements.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn schedule_of<'a>(
    ctx: &Ctx,
    stmts: impl IntoIterator<Item = &'a Statement>,
) -> Result<UnionMap> {
    let mut all = UnionMap::empty(ctx)?;
    for s in stmts {
        all = all.union(&UnionMap::from_map(&s.schedule)?)?;
    }
    Ok(all)
}

/// The writes of some statements to one array.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn writes_to<'a>(
    ctx: &Ctx,
    array: ArrayId,
    stmts: impl IntoIterator<Item = &'a Statement>,
) -> Result<UnionMap> {
    let mut all = UnionMap::empty(ctx)?;
    for s in stmts.into_iter().filter(|s| s.write.array == array) {
        all = all.union(&UnionMap::from_map(&s.write.map)?)?;
    }
    Ok(all)
}
