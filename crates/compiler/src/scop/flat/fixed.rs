//! Flat arrays with rows of constant length: `u[i * 512 + j]`.
//!
//! pet reads such subscripts as affine functions of one dimension. Cells above each other are 512 elements apart there, so that no
//! tile has a bounded slope. The numbers that iterators are multiplied by are the lengths of rows, planes and so on; the division is
//! that of [`super`], and columns are proven to be in their rows in the same way.

use super::search::{Proof, Search, Shape};
use super::{Statements, Uses, flat_names, for_each_access};
use crate::diag::Result;
use crate::scop::body_exprs;
use hexcc_isl::{DimType, MultiPwAff, PwAff, Set};
use hexcc_pet::data::{PetArray, PetExpr};
use std::collections::BTreeSet;

use super::poly::Extent;

/// The shortest rows: less is what a cell has, or what a stencil reaches across.
const SHORTEST: i64 = 17;

/// The arrays of one dimension, all of whose subscripts are affine.
pub(super) fn arrays<'a>(statements: &Statements<'a>) -> Vec<&'a PetArray> {
    let pet = statements.pet;
    let others = flat_names(pet);
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for stmt in &pet.stmts {
        for expr in body_exprs(&stmt.body) {
            for_each_access(expr, &mut |access| {
                if let PetExpr::Access {
                    array: Some(name), ..
                } = access
                {
                    names.insert(name);
                }
            });
        }
    }
    let is_one =
        |a: &&PetArray| names.contains(a.name.as_str()) && !a.declared && !others.contains(&a.name);
    pet.arrays.iter().filter(is_one).collect()
}

/// The dimensions of an array, and its accesses; `None` where it is not flat, or a column may leave its row.
pub(super) fn shape(statements: &Statements, name: &str) -> Result<Option<(Uses, Shape)>> {
    let Some(lengths) = lengths(statements, name)? else {
        return Ok(None);
    };
    let Some(mut uses) = statements.uses(name, 0)? else {
        return Ok(None);
    };
    if !uses.wrong.is_empty() {
        return Ok(None);
    }
    uses.lengths = lengths;
    let shape = Search::new(statements, &uses, Proof::ForAll).by_all()?;
    Ok(shape.map(|shape| (uses, shape)))
}

/// The lengths of rows, of planes in rows and so on, the innermost first.
fn lengths(statements: &Statements, name: &str) -> Result<Option<Vec<Extent>>> {
    let mut factors: BTreeSet<i64> = BTreeSet::new();
    for (_, index, _) in statements.accesses(name)? {
        let index = MultiPwAff::read(statements.context.ctx(), index)?;
        if index.dim()? != 1 {
            return Ok(None);
        }
        for (_, piece) in index.get(0)?.pieces()? {
            factors.extend(own_factors(piece)?);
        }
    }
    factors.retain(|factor| *factor >= SHORTEST);
    let (mut lengths, mut before) = (Vec::new(), 1);
    for factor in factors {
        match Extent::number(factor / before) {
            Some(length) if factor % before == 0 => lengths.push(length),
            _ => return Ok(None),
        }
        before = factor;
    }
    Ok((!lengths.is_empty()).then_some(lengths))
}

/// What the iterators are multiplied by in a function.
fn own_factors(function: PwAff) -> Result<Vec<i64>> {
    let mut factors = Vec::new();
    let mut rest = function;
    for d in 0..rest.dim(DimType::In)? as u32 {
        let Some((factor, without)) = rest.take_term(DimType::In, d)? else {
            break;
        };
        factors.push(factor.saturating_abs());
        rest = without;
    }
    Ok(factors)
}

/// How many rows an array has, where its size is known; `None` where these are not whole.
pub(super) fn rows(array: &Set, shape: &Shape) -> Result<Option<Option<i64>>> {
    let Some(last) = array.dim_max_val(0)?.finite() else {
        return Ok(Some(None));
    };
    let cells = last.floor() + 1;
    let row: Option<i64> = shape.extents.iter().map(Extent::as_number).product();
    let whole = row.filter(|row| cells % row == 0);
    Ok(whole.map(|row| Some(cells / row)))
}
