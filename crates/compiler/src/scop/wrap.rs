//! Sizes and iterators of 64-bit unsigned types.
//!
//! C's `size_t` wraps around, and pet says so: `i < n - 1` runs on to 2^64 where n is 0. No array
//! has so many elements, so a program for which a loop runs that far has no defined result, and
//! sizes for which one does are left out of what is known about the parameters. What remains has
//! no remainders by 2^64.

use super::PetScop;
use crate::diag::Result;
use hexcc_isl::{Ctx, DimType, Set};

/// More than any array has elements or any loop that ends has iterations.
const FAR: i64 = (1 << (FAR_BITS - 1)) - 1;

/// Bits of a signed number that is no further than [`FAR`].
pub(super) const FAR_BITS: u32 = 61;

/// The part of `context` for which no loop of the scop runs further than any can; none where all
/// numbers are small.
///
/// # Errors
/// HX0401 where isl gives up.
pub(super) fn without_wrapping(ctx: &Ctx, pet: &PetScop, context: &Set) -> Result<Option<Set>> {
    let wraps = |text: &str| {
        text.contains(&u64::MAX.to_string()) || text.contains(&(1_u128 << 64).to_string())
    };
    let all = (pet.stmts.iter().map(|s| s.domain.as_str())).chain([pet.context.as_str()]);
    if !all.into_iter().any(wraps) {
        return Ok(None);
    }
    let mut context = near(context, DimType::Param)?;
    for stmt in &pet.stmts {
        let domain = Set::read(ctx, &stmt.domain)?.intersect_params(&context)?;
        let far = domain.subtract(&near(&domain, DimType::Set)?)?;
        context = context.subtract(&far.params()?)?;
    }
    Ok(Some(context.coalesce()?))
}

/// The points of a set whose coordinates of a kind are no further than any loop runs.
fn near(set: &Set, kind: DimType) -> Result<Set> {
    let mut near = set.clone();
    for d in 0..set.dim(kind)? as u32 {
        near = near.lower_bound(kind, d, -FAR)?.upper_bound(kind, d, FAR)?;
    }
    Ok(near)
}
