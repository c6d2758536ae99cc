//! Sizes and iterators of unsigned types.
//!
//! C's `size_t` wraps around, and pet says so: `i < n - 1` runs on to 2^64 where n is 0. No array
//! has so many elements, so a program for which a loop runs that far has no defined result, and
//! sizes for which one does are left out of what is known about the parameters. What remains has
//! no remainders by 2^64.
//!
//! Loops that wrap around at 2^32 are treated alike: what they run for is left out from 2^31 on.
//! Arrays may be that large, so a run with such sizes has to end with a message; see
//! [`bounds::assumed`](super::bounds::assumed).

use super::{PetExpr, PetScop, PetStmt, body_exprs, children, finite_range};
use crate::diag::{Diagnostic, Result};
use hexcc_isl::{Ctx, DimType, MultiPwAff, Set};

/// Bits of a signed number that no array has more elements than, and no loop that ends more
/// iterations.
pub(super) const FAR_BITS: u32 = 61;

/// Where loops end whose iterators have 64 bits.
const FAR: i64 = (1 << (FAR_BITS - 1)) - 1;

/// Where loops end whose iterators have 32 bits. Not the largest number of 31 bits, so that what
/// this leaves out is never mistaken for what a type leaves out.
const FAR_32: i64 = (1 << 31) - 2;

/// Whether a number is the last that the remainders of an unsigned type leave, so that it says nothing of an
/// array that has them as subscripts.
pub(super) fn is_last_of_type(last: i64) -> bool {
    matches!(last, 0xff | 0xffff) || last >= FAR_32
}

/// Refuses instances that are told by remainders of numbers of 64 bits without sign, such as
/// those of the other branch of `if (i % 3 == 0)`: pet takes them modulo 2^64, which no type holds.
///
/// # Errors
/// HX0105.
pub(super) fn check_remainders(stmt: &PetStmt, domain: &Set) -> Result<()> {
    if !is_wide(&domain.to_string()) {
        return Ok(());
    }
    Err(Box::new(
        Diagnostic::error(
            "HX0105",
            "a condition with remainders of `size_t` or another unsigned type of 64 bits",
        )
        .at(stmt.span.start..stmt.span.end, "decides here what executes")
        .note(
            "the remainder of a number that wraps around at 2^64 has no form that can be analysed",
        )
        .help("declare the iterators as `int` or `long`"),
    ))
}

/// The part of `context` for which no loop of the scop runs further than any can; none where all
/// numbers are small.
///
/// # Errors
/// HX0401 where isl gives up.
pub(super) fn without_wrapping(ctx: &Ctx, pet: &PetScop, context: &Set) -> Result<Option<Set>> {
    let wide = |text: &str| {
        text.contains(&u64::MAX.to_string()) || text.contains(&(1_u128 << 64).to_string())
    };
    let wraps = |text: &str| text.contains(&(1_u64 << 32).to_string());
    let is_wide = pet.stmts.iter().flat_map(numbers).any(wide) || wide(&pet.context);
    let mut context = match is_wide {
        true => near(context, DimType::Param, FAR)?,
        false if pet.stmts.iter().flat_map(numbers).any(wraps) => context.clone(),
        false => return Ok(None),
    };
    for stmt in &pet.stmts {
        // Iterators of 32 bits may stand beside sizes of 64.
        let far_away = match is_wide && !subscripts(stmt).into_iter().any(wraps) {
            true => FAR,
            false => FAR_32,
        };
        let domain = Set::read(ctx, &stmt.domain)?.intersect_params(&context)?;
        let far = domain.subtract(&near(&domain, DimType::Set, far_away)?)?;
        context = context.subtract(&far.params()?)?;
        for index in subscripts(stmt).into_iter().filter(|i| i.contains(" mod ")) {
            let map = MultiPwAff::read(ctx, index)?.to_map()?;
            let elements = map.intersect_domain(&domain)?.range()?;
            let far = elements.subtract(&near(&elements, DimType::Set, far_away)?)?;
            context = context.subtract(&far.params()?)?;
        }
    }
    without_wide(&context.coalesce()?).map(Some)
}

/// The same instances, or sizes, with the smallest and the largest of each size in words. Where none
/// of them wraps around, isl then sees what remainders by 2^32 and 2^64 are, and drops them.
pub(super) fn with_ends(domain: &Set) -> Result<Set> {
    let sizes = domain.params()?;
    let mut bounded = domain.clone();
    for d in 0..sizes.dim(DimType::Param)? as u32 {
        let Some(name) = sizes.dim_name(DimType::Param, d)? else {
            continue;
        };
        let value = Set::read(domain.ctx(), &format!("[{name}] -> {{ [{name}] }}"))?;
        let value = value.intersect_params(&sizes)?.dim_max(0)?;
        if let Some((lo, hi)) = finite_range(&value)? {
            let lower = bounded.lower_bound(DimType::Param, d, lo)?;
            bounded = lower.upper_bound(DimType::Param, d, hi)?;
        }
    }
    Ok(bounded)
}

/// Whether there are numbers that 64 bits with a sign do not hold; they hold -2^63.
fn is_wide(text: &str) -> bool {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    numbers.any(|n| n.len() > 18 && n.parse::<u64>().map_or(true, |n| n > 1 << 63))
}

/// A set without the parts that only remainders by 2^64 describe: in them loops are empty, and
/// others may run. A program ends there with a message.
fn without_wide(context: &Set) -> Result<Set> {
    let mut simple: Option<Set> = None;
    for part in context.basic_sets()? {
        let part = with_ends(&part)?;
        if !is_wide(&part.to_string()) {
            simple = Some(match simple {
                Some(set) => set.union(&part)?,
                None => part,
            });
        }
    }
    Ok(simple.unwrap_or_else(|| context.clone()))
}

/// What a statement has numbers in: the subscripts of arrays and when it runs.
fn numbers(stmt: &PetStmt) -> Vec<&str> {
    [subscripts(stmt), vec![stmt.domain.as_str()]].concat()
}

/// The subscripts of the arrays that a statement accesses, as pet has them.
fn subscripts(stmt: &PetStmt) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = body_exprs(&stmt.body);
    while let Some(expr) = open.pop() {
        if let PetExpr::Access {
            array: Some(_),
            index,
            ..
        } = expr
        {
            found.push(index.as_str());
        }
        open.extend(children(expr));
    }
    found
}

/// The points of a set whose coordinates of a kind are at most `far`, without their signs.
fn near(set: &Set, kind: DimType, far: i64) -> Result<Set> {
    let mut near = set.clone();
    for d in 0..set.dim(kind)? as u32 {
        near = near.lower_bound(kind, d, -far)?.upper_bound(kind, d, far)?;
    }
    Ok(near)
}
