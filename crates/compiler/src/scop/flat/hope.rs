//! Dimensions of flat arrays that hold for most sizes.
//!
//! With `u[i*pitch + j]` and a loop `j < width`, no row is left as long as `width <= pitch`, which a
//! program may know and its text does not say. isl tells for which sizes a column leaves its row; if
//! the loops may run far for the others, these are *expected*: what was translated runs for them,
//! and C's own text for the rest.

use super::search::{Outcome, Proof, Search, Shape};
use super::{Statements, Uses};
use crate::diag::Result;
use hexcc_isl::{DimType, Map, Set};

/// How far apart two iterations of a loop are where its domain is large.
const FAR: i64 = 64;

/// Disjuncts that the condition on the sizes may have.
const MOST_DISJUNCTS: usize = 6;

/// The dimensions of an array for sizes that are expected from here on; `None` without any.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn shape(statements: &mut Statements, uses: &Uses) -> Result<Option<Shape>> {
    let Outcome::Found(shape) = Search::new(statements, uses, Proof::ForMost).run()? else {
        return Ok(None);
    };
    let wrong = statements.wrong_sizes(&shape, uses)?;
    Ok(expect_others(statements, &wrong)?.then_some(shape))
}

/// Expects other sizes than some, each given with the statement that runs for it; whether these are
/// ones to hope for.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn expect_others(statements: &mut Statements, wrong: &[(usize, Set)]) -> Result<bool> {
    let mut all: Option<Set> = None;
    for (stmt, sizes) in wrong {
        // Whether the statement runs at all is nothing to ask for.
        let sizes = sizes.gist_params(&statements.domains[*stmt].params()?)?;
        let sizes = sizes.gist_params(&statements.context)?;
        all = Some(match all {
            Some(all) => all.union(&sizes)?,
            None => sizes,
        });
    }
    let Some(wrong) = all else {
        return Ok(true);
    };
    let expected = wrong.complement()?.coalesce()?;
    let mut asked: Vec<Set> = Vec::new();
    for domain in &statements.domains {
        // Statements of one loop have one domain.
        let domain = domain.reset_tuple_name()?;
        let mut is_known = false;
        for other in &asked {
            is_known |= domain.plain_is_equal(other)?;
        }
        if !is_known && !stays_large(statements, &domain, &wrong)? {
            return Ok(false);
        }
        asked.push(domain);
    }
    // Sizes on a plane among all are none to hope for.
    let is_thin = !expected.affine_hull()?.plain_is_universe()?;
    if is_thin || expected.basic_sets()?.len() > MOST_DISJUNCTS {
        return Ok(false);
    }
    statements.context = statements.context.intersect(&expected)?.coalesce()?;
    for domain in &mut statements.domains {
        *domain = domain.intersect_params(&expected)?;
    }
    statements.expected = Some(match &statements.expected {
        Some(before) => before.intersect(&expected)?.coalesce()?,
        None => expected,
    });
    Ok(true)
}

/// Whether the loops of a domain may run as far without some sizes as with them.
pub fn stays_large(statements: &Statements, domain: &Set, without: &Set) -> Result<bool> {
    for (of, sizes, stays) in statements.large.borrow().iter() {
        if of.plain_is_equal(domain)? && sizes.plain_is_equal(without)? {
            return Ok(*stays);
        }
    }
    let stays = is_large(domain, without)?;
    let known = (domain.clone(), without.clone(), stays);
    statements.large.borrow_mut().push(known);
    Ok(stays)
}

fn is_large(domain: &Set, without: &Set) -> Result<bool> {
    let left = domain.intersect_params(&domain.params()?.subtract(without)?)?;
    if left.is_empty()? {
        return Ok(domain.is_empty()?);
    }
    for d in 0..domain.dim(DimType::Set)? as u32 {
        // What is left is part of the domain.
        if !reaches_far(&left, d)? && reaches_far(domain, d)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether there are sizes for which two iterations of a loop are far apart.
fn reaches_far(domain: &Set, d: u32) -> Result<bool> {
    let along = domain.along(d)?;
    let far = Map::read(domain.ctx(), &format!("{{ [i] -> [i + {FAR}] }}"))?;
    Ok(!along.apply(&far)?.is_disjoint(&along)?)
}
