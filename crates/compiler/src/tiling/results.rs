//! Arrays of which a region takes no values: what it leaves in them is copied back, and nothing is copied before.
//!
//! An array is one where, by isl, every element that is read has been written before, and the elements
//! that are written are a box: then the others keep what the program has there if just the box is copied back.

use crate::diag::Result;
use crate::options::{Language, Options};
use crate::scop::{ArrayId, Scop, Statement};
use hexcc_isl::{AstBuild, AstExpr, Constraint, DimType, PwAff, Set, UnionMap};
use std::collections::{BTreeMap, BTreeSet};

/// Dimensions of an array of which a part is copied back, at most: in 3D copies of parts take four times as long as one of all, on an H200, which is
/// more than the copy costs that is saved.
const MOST_DIMS: usize = 2;

/// The elements of a box.
#[derive(Clone, Debug)]
pub struct Results {
    /// By dimension, the first subscript and how many there are.
    pub ranges: Vec<[AstExpr; 2]>,
    /// They are all that the array has.
    pub whole: bool,
}

/// By array, what some statements leave in it, if they take nothing from it; none where no host code copies arrays.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn results(
    scop: &Scop,
    stmts: &[usize],
    ids: &[ArrayId],
    options: &Options,
) -> Result<Vec<Option<Results>>> {
    if options.language != Language::Cuda || options.gpus.is_some() {
        return Ok(Vec::new());
    }
    ids.iter().map(|&id| of_array(scop, stmts, id)).collect()
}

fn of_array(scop: &Scop, stmts: &[usize], id: ArrayId) -> Result<Option<Results>> {
    if !is_plain(scop, stmts, id) {
        return Ok(None);
    }
    let array = scop.array(id);
    let (mut written, mut read): (Option<Set>, Option<Set>) = (None, None);
    let add = |to: &mut Option<Set>, elements: Set| -> Result<()> {
        *to = Some(match to.take() {
            Some(before) => before.union(&elements)?,
            None => elements,
        });
        Ok(())
    };
    for &s in stmts {
        let stmt = &scop.stmts[s];
        for access in stmt.reads.iter().filter(|a| a.array == id) {
            add(&mut read, stmt.domain.apply(&access.map)?)?;
        }
        if stmt.write.array == id {
            add(&mut written, stmt.domain.apply(&stmt.write.map)?)?;
        }
    }
    let Some(written) = written else {
        return Ok(None);
    };
    let written = written.coalesce()?;
    if let Some(read) = &read
        && !read.is_subset(&written)?
    {
        return Ok(None);
    }
    let Some(ends) = ends_of_box(&written)? else {
        return Ok(None);
    };
    if read.is_some() && takes(scop, stmts, id)? {
        return Ok(None);
    }
    let sizes = written.params()?;
    let build = AstBuild::from_context(&scop.context)?;
    let known = scop.context.params()?;
    let mut whole = true;
    for ([lo, hi], extent) in ends.iter().zip(&array.extents) {
        let first = lo.gist_params(&sizes)?.as_constant()?;
        let last = hi.eq_set(&extent.add_constant(-1)?)?;
        whole &= first.is_some_and(|first| first.floor() == 0) && sizes.is_subset(&last)?;
    }
    let text = |end: &PwAff| -> Result<AstExpr> {
        let end = end.gist_params(&known)?.coalesce()?;
        Ok(build.expr_from_pw_aff(&end)?)
    };
    let ranges = (ends.iter())
        .map(|[lo, hi]| Ok([text(lo)?, text(&hi.sub(lo)?.add_constant(1)?)?]))
        .collect::<Result<_>>()?;
    let suits = whole || array.extents.len() <= MOST_DIMS;
    Ok(suits.then_some(Results { ranges, whole }))
}

/// Whether an array lies at one place, and statements access elements of it that are known to exist.
fn is_plain(scop: &Scop, stmts: &[usize], id: ArrayId) -> bool {
    let array = scop.array(id);
    let mut accesses = stmts.iter().flat_map(|&s| scop.stmts[s].accesses());
    !array.extents.is_empty()
        && array.pointers == 0
        && array.parts.is_empty()
        && !scop.guards.all
        && !scop.guards.doubts.iter().any(|d| d.array == id)
        && !accesses.any(|a| a.array == id && a.whole)
}

/// Whether all that statements read of an array is what they have written before.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn takes_nothing(scop: &Scop, stmts: &[usize], id: ArrayId) -> Result<bool> {
    Ok(is_plain(scop, stmts, id) && !takes(scop, stmts, id)?)
}

/// Whether statements read an element of an array that none of them has written before.
fn takes(scop: &Scop, stmts: &[usize], id: ArrayId) -> Result<bool> {
    let stmts = || stmts.iter().map(|&s| &scop.stmts[s]);
    let writers: Vec<&Statement> = stmts().filter(|s| s.write.array == id).collect();
    let mut seen = BTreeSet::new();
    let order = |s: &Statement| UnionMap::from_map(&s.schedule);
    for stmt in stmts() {
        let mut since: BTreeMap<&str, UnionMap> = BTreeMap::new();
        let reads = stmt.reads.iter().filter(|r| r.array == id);
        for read in reads.filter(|r| seen.insert(r.map.to_string())) {
            let mut left = stmt.domain.intersect(&read.map.domain()?)?;
            for writer in &writers {
                let same = read.map.apply_range(&writer.write.map.reverse()?)?;
                if same.is_empty()? {
                    continue;
                }
                let since = match since.get(&writer.name[..]) {
                    Some(since) => since,
                    None => {
                        let later = order(writer)?.lex_lt_union_map(&order(stmt)?)?;
                        since.entry(&writer.name).or_insert(later.reverse()?)
                    }
                };
                for pairs in since.intersect(&UnionMap::from_map(&same)?)?.maps()? {
                    left = left.subtract(&pairs.domain()?)?;
                }
                if left.is_empty()? {
                    break;
                }
            }
            if !left.is_empty()? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// By dimension, the first and the last value in a set; `None` unless the set is the box between them.
fn ends_of_box(set: &Set) -> Result<Option<Vec<[PwAff; 2]>>> {
    let n = set.dim(DimType::Set)? as u32;
    let of_few = |c: &Constraint| c.dims.iter().filter(|factor| **factor != 0).count() <= 1;
    let is_box = set.basic_sets()?.len() == 1
        && set.remove_divs()?.is_equal(set)?
        && set.constraints()?.iter().all(of_few);
    if !is_box {
        return Ok(None);
    }
    let ends = (0..n).map(|d| Ok([set.dim_min(d)?, set.dim_max(d)?]));
    ends.collect::<Result<_>>().map(Some)
}
