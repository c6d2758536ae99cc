//! Flat arrays with rows of constant length: `u[i * 512 + j]`.
//!
//! pet reads such subscripts as affine functions of one dimension. Cells above each other are 512 elements apart there, so that no
//! tile has a bounded slope. The numbers that iterators are multiplied by are the lengths of rows, planes and so on; the division is
//! that of [`super`], and columns are proven to be in their rows in the same way, or hoped to be ([`hope`]).

use super::poly::Extent;
use super::search::{Proof, Search, Shape};
use super::{Statements, Uses, flat_names, for_each_access, hope};
use crate::diag::Result;
use crate::scop::body_exprs;
use hexcc_isl::{Ctx, DimType, MultiPwAff, PwAff, Set};
use hexcc_pet::data::{PetArray, PetExpr, PetScop};
use std::collections::BTreeSet;

/// The shortest rows: less is what a cell has, or what a stencil reaches across.
const SHORTEST: i64 = 17;

/// Rows of planes that are looked for.
const MOST_ROWS: i64 = 1 << 16;

/// The arrays of one dimension whose subscripts are affine, and have iterators times the length of a row.
pub(super) fn candidates<'a>(ctx: &Ctx, pet: &'a PetScop) -> Result<Vec<&'a PetArray>> {
    let others = flat_names(pet);
    let mut of_one = BTreeSet::new();
    for array in &pet.arrays {
        let is_one = !array.declared && !others.contains(&array.name);
        if is_one && Set::read(ctx, &array.extent)?.dim(DimType::Set)? == 1 {
            of_one.insert(array.name.as_str());
        }
    }
    let mut indices: Vec<(&str, &str)> = Vec::new();
    for expr in pet.stmts.iter().flat_map(|stmt| body_exprs(&stmt.body)) {
        for_each_access(expr, &mut |access| {
            if let PetExpr::Access {
                array: Some(array),
                index,
                ..
            } = access
                && of_one.contains(array.as_str())
            {
                indices.push((array, index));
            }
        });
    }
    let mut flat = BTreeSet::new();
    for (array, index) in indices {
        if !flat.contains(array) && factors(ctx, index)?.is_some_and(|all| !all.is_empty()) {
            flat.insert(array);
        }
    }
    let is_flat = |array: &&PetArray| flat.contains(array.name.as_str());
    Ok(pet.arrays.iter().filter(is_flat).collect())
}

/// An array with its accesses and its dimensions.
pub(super) type Shaped<'a> = (&'a PetArray, Uses, Shape);

/// The arrays that are flat, without those of which a column may leave its row, or rows are not whole.
pub(super) fn shapes<'a>(
    statements: &mut Statements,
    arrays: Vec<&'a PetArray>,
) -> Result<Vec<Shaped<'a>>> {
    let mut found = Vec::new();
    for array in arrays {
        if let Some((uses, shape)) = shape(statements, array)? {
            found.push((array, uses, shape));
        }
    }
    Ok(in_planes(statements, &found)?.unwrap_or(found))
}

/// The dimensions of an array, and its accesses, for sizes that are expected from here on.
fn shape(statements: &mut Statements, array: &PetArray) -> Result<Option<(Uses, Shape)>> {
    let Some(lengths) = lengths(statements, &array.name)? else {
        return Ok(None);
    };
    let proven = by(statements, array, (lengths.clone(), Proof::ForAll))?;
    if proven.is_some() {
        return Ok(proven);
    }
    let Some((uses, shape)) = by(statements, array, (lengths, Proof::ForMost))? else {
        return Ok(None);
    };
    let wrong = statements.wrong_sizes(&shape, &uses)?;
    let suits = hope::expect_others(statements, &wrong)?;
    Ok(suits.then_some((uses, shape)))
}

/// The accesses of an array and its dimensions with rows, planes and so on of some lengths; `None` of one with other subscripts
/// for some sizes.
fn by(
    statements: &Statements,
    array: &PetArray,
    (lengths, proof): (Vec<Extent>, Proof),
) -> Result<Option<(Uses, Shape)>> {
    let uses = statements.uses(&array.name, 0)?;
    let Some(mut uses) = uses.filter(|uses| uses.wrong.is_empty()) else {
        return Ok(None);
    };
    uses.lengths = lengths;
    let Some(mut shape) = Search::new(statements, &uses, proof).by_all()? else {
        return Ok(None);
    };
    let cells = Set::read(statements.context.ctx(), &array.extent)?.dim_max_val(0)?;
    if let Some(cells) = cells.finite().map(|last| last.floor() + 1) {
        let row: Option<i64> = shape.extents.iter().map(Extent::as_number).product();
        let Some(row) = row.filter(|row| cells % row == 0) else {
            return Ok(None);
        };
        shape.rows = Some(cells / row);
    }
    Ok(Some((uses, shape)))
}

/// The same arrays with planes that constants alone tell apart: `u[(1 * 40 + i) * 512 + j]`. Arrays that are swapped have the
/// same dimensions, so that all have planes, or none has.
fn in_planes<'a>(
    statements: &Statements,
    arrays: &[Shaped<'a>],
) -> Result<Option<Vec<Shaped<'a>>>> {
    let mut all = Vec::new();
    for (_, uses, shape) in arrays {
        let first = arrays.first().map(|(_, uses, _)| lengths_of(uses));
        let Some(rows) = rows(statements, uses, shape)? else {
            return Ok(None);
        };
        if first != Some(lengths_of(uses)) {
            return Ok(None);
        }
        all.extend(rows);
    }
    let Some(length) = rows_of_planes(&all).and_then(Extent::number) else {
        return Ok(None);
    };
    let mut found = Vec::new();
    for (array, uses, _) in arrays {
        let lengths = uses.lengths.iter().cloned().chain([length.clone()]);
        let Some((uses, shape)) = by(statements, array, (lengths.collect(), Proof::ForAll))? else {
            return Ok(None);
        };
        found.push((*array, uses, shape));
    }
    Ok(Some(found))
}

fn lengths_of(uses: &Uses) -> Vec<String> {
    uses.lengths.iter().map(Extent::text).collect()
}

/// The first and the last row of each access of an array; `None` where they are not known.
fn rows(statements: &Statements, uses: &Uses, shape: &Shape) -> Result<Option<Vec<(i64, i64)>>> {
    let mut rows = Vec::new();
    for (access, subscripts) in uses.all.iter().zip(&shape.subscripts) {
        let Some(row) = subscripts.first() else {
            return Ok(None);
        };
        let row = row.intersect_domain(&statements.of(access)?)?;
        match (row.min_val()?.finite(), row.max_val()?.finite()) {
            (Some(first), Some(last)) if first.floor() >= 0 => {
                rows.push((first.floor(), last.floor()));
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(rows))
}

/// The number of rows in a plane, where each access, with its first and its last row, stays in one; `None` where there is one
/// plane alone, or one has no rows that loops count.
pub(super) fn rows_of_planes(rows: &[(i64, i64)]) -> Option<i64> {
    let shortest = rows.iter().map(|(first, last)| last - first + 1).max()?;
    let end = rows.iter().map(|(_, last)| last + 1).max()?;
    let are_apart = |length: &i64| {
        let plane = |row: &i64| row / length;
        let is_whole = |(first, last): &(i64, i64)| plane(first) == plane(last);
        let all: BTreeSet<i64> = rows.iter().map(|(first, _)| plane(first)).collect();
        let counted = rows.iter().filter(|(first, last)| first < last);
        let counted: BTreeSet<i64> = counted.map(|(first, _)| plane(first)).collect();
        rows.iter().all(is_whole) && all.len() > 1 && all == counted
    };
    (shortest.max(2)..end.min(MOST_ROWS)).find(are_apart)
}

/// The lengths of rows, of planes in rows and so on, the innermost first.
fn lengths(statements: &Statements, name: &str) -> Result<Option<Vec<Extent>>> {
    let mut all: BTreeSet<i64> = BTreeSet::new();
    for access in statements.accesses(name)? {
        match factors(statements.context.ctx(), access.index)? {
            Some(factors) => all.extend(factors),
            None => return Ok(None),
        }
    }
    let (mut lengths, mut before) = (Vec::new(), 1);
    for factor in all {
        match Extent::number(factor / before) {
            Some(length) if factor % before == 0 => lengths.push(length),
            _ => return Ok(None),
        }
        before = factor;
    }
    Ok((!lengths.is_empty()).then_some(lengths))
}

/// What iterators are multiplied by in a subscript, as far as that may be the length of a row; `None` for several subscripts.
fn factors(ctx: &Ctx, index: &str) -> Result<Option<Vec<i64>>> {
    let index = MultiPwAff::read(ctx, index)?;
    if index.dim()? != 1 {
        return Ok(None);
    }
    let mut all = Vec::new();
    for (_, piece) in index.get(0)?.pieces()? {
        all.extend(own_factors(piece)?);
    }
    all.retain(|factor| *factor >= SHORTEST);
    Ok(Some(all))
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
