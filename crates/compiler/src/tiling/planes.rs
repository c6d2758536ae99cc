//! Planes that numbers choose: `q[now][i][j]` and `q[next][i][j]`.
//!
//! As long as `now` and `next` are different, the planes have no element in common; the program
//! toggles them where it is not seen. The numbers are *expected* to be different: the run tests it,
//! and C's own text runs where they are not.

use crate::diag::Result;
use crate::scop::{Access, Scop};
use hexcc_isl::{Map, Set};

/// Pairs of planes that are told apart, at most.
const MOST_PAIRS: usize = 4;

/// For each pair of subscripts that are numbers, chosen in different ways by an access that writes
/// and another one, the parameters for which they are different.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn apart(scop: &Scop, stmts: &[usize]) -> Result<Vec<Set>> {
    let stmts = stmts.iter().map(|&s| &scop.stmts[s]);
    let accesses = stmts.flat_map(|s| {
        let reads = s.reads.iter().map(|read| (read, false));
        reads.chain([(&s.write, true)])
    });
    let chosen = accesses.map(|(access, writes)| Ok((access, writes, numbers(scop, access)?)));
    let all: Vec<(&Access, bool, Vec<Option<Set>>)> = chosen.collect::<Result<_>>()?;
    let mut equal: Vec<Set> = Vec::new();
    for (write, _, chosen) in all.iter().filter(|(_, writes, _)| *writes) {
        for (_, _, other) in all.iter().filter(|(a, _, _)| a.array == write.array) {
            for both in chosen.iter().zip(other) {
                let (Some(a), Some(b)) = both else {
                    continue;
                };
                let runs = a.params()?.intersect(&b.params()?)?;
                let same = a.intersect(b)?.params()?.gist_params(&runs)?.coalesce()?;
                // Of all numbers few may be equal: `T % 2` and 0 are for each other T.
                let rare = !same.affine_hull()?.remove_divs()?.plain_is_universe()?;
                if same.is_empty()? || !rare {
                    continue;
                }
                if !equal.iter().any(|e| e.is_equal(&same).unwrap_or(false)) {
                    equal.push(same);
                }
            }
        }
    }
    equal.truncate(MOST_PAIRS);
    let apart = |same: &Set| Ok(same.complement()?.coalesce()?);
    equal.iter().map(apart).collect()
}

/// The subscripts of an access that are numbers.
fn numbers(scop: &Scop, access: &Access) -> Result<Vec<Option<Set>>> {
    let dimensions = 0..scop.array(access.array).extents.len() as u32;
    dimensions.map(|d| number(access, d)).collect()
}

/// A subscript as a function of the parameters, `{ [x] : x = now }`, where it is none of the
/// iterators.
fn number(access: &Access, d: u32) -> Result<Option<Set>> {
    let along = access.map.range()?.along(d)?;
    let larger = Map::read(along.ctx(), "{ [x] -> [y] : y > x }")?;
    let one = along.apply(&larger)?.is_disjoint(&along)?;
    Ok(one.then_some(along))
}
