//! Unrolls the constant loops that a temporary is computed in.
//!
//! `for (int a = -1; a <= 1; a++) sum += w[a+1] * A[i+a];` becomes three statements, so that each
//! value of `sum` has a statement of its own. `for (int x = i - 1; x <= i + 1; x++)` becomes three, too, by the distance of
//! `x` from `i`.

use super::order::Order;
use super::reason;
use crate::diag::Result;
use crate::instances::{replace, through};
use crate::scop::{ArrayId, KeptScalar, Scop, Statement, schedule_of, writes_to};
use hexcc_isl::{Bound, DimType, Map, PwAff, Rational, Set, UnionMap, compute_flow};
use std::collections::BTreeMap;

/// Iterations of all loops of one statement that are unrolled at most.
const MAX_COPIES: usize = 1024;
/// Statements that a region may have after unrolling.
const MAX_STATEMENTS: usize = 4096;

/// Unrolls the loops inside those common to all statements that touch a temporary, around
/// statements that write it. Gives the reasons for those that stay in a loop.
pub fn unroll(scop: &mut Scop, temporaries: &[ArrayId]) -> Result<Vec<KeptScalar>> {
    let mut kept = Vec::new();
    let order = Order::new(scop)?;
    let mut dims: Vec<Vec<u32>> = vec![Vec::new(); scop.stmts.len()];
    for &id in temporaries {
        let writes = |s: &Statement| s.write.array == id;
        let reads = |s: &Statement| s.reads.iter().any(|r| r.array == id);
        let touches = |s: &Statement| writes(s) || reads(s);
        // A counter keeps its value from cell to cell, and copies would not change that.
        if !scop.stmts.iter().any(|s| writes(s) && !reads(s)) {
            continue;
        }
        let touching: Vec<usize> = (0..scop.stmts.len())
            .filter(|&i| touches(&scop.stmts[i]))
            .collect();
        if inner_loops(scop, &order, id, &touching)?.is_empty() {
            continue;
        }
        // Of a name that several nests use, every value has loops of its own.
        for life in lives(scop, id, touching)? {
            for (i, d) in inner_loops(scop, &order, id, &life)? {
                if !dims[i].contains(&d) {
                    dims[i].push(d);
                }
            }
        }
    }
    if dims.iter().all(Vec::is_empty) {
        return Ok(kept);
    }
    let mut new: Vec<(usize, Statement)> = Vec::new();
    for (i, dims) in dims.iter().enumerate() {
        let stmt = &scop.stmts[i];
        let copies = if dims.is_empty() {
            None
        } else {
            copies(stmt, dims)?
        };
        match copies {
            Some(copies) if new.len() + copies.len() <= MAX_STATEMENTS => {
                new.extend(copies.into_iter().map(|copy| (i, copy)));
            }
            _ => {
                if !dims.is_empty() {
                    let note = "the loop around this assignment to `{}` has many iterations, or a number of them that is not known at compile time";
                    let help = "a reduction over space cannot be time-tiled; a sum over a small window needs constant loop bounds, such as `for (int a = -1; a <= 1; a++)`";
                    kept.push(reason(scop, stmt.write.array, i, note.to_string(), help));
                }
                new.push((i, stmt.clone()));
            }
        }
    }
    replace(scop, new);
    sort(scop)?;
    Ok(kept)
}

/// The loops around statements that write a temporary, inside those that all of `touching` have
/// in common: statement and iterator.
fn inner_loops(
    scop: &Scop,
    order: &Order,
    id: ArrayId,
    touching: &[usize],
) -> Result<Vec<(usize, u32)>> {
    let n_common = order.n_common(touching);
    let mut found = Vec::new();
    for &i in touching
        .iter()
        .filter(|&&i| scop.stmts[i].write.array == id)
    {
        let inner = inner_dims(&scop.stmts[i], n_common)?;
        found.extend(inner.into_iter().map(|d| (i, d)));
    }
    Ok(found)
}

/// The statements that touch a temporary, apart where no value goes from one part to another.
fn lives(scop: &Scop, id: ArrayId, touching: Vec<usize>) -> Result<Vec<Vec<usize>>> {
    let stmts = || touching.iter().map(|&i| &scop.stmts[i]);
    let mut reads = UnionMap::empty(&scop.ctx)?;
    for read in stmts().flat_map(|s| &s.reads).filter(|r| r.array == id) {
        reads = reads.union(&UnionMap::from_map(&read.map)?)?;
    }
    let flow = compute_flow(
        &reads,
        &writes_to(&scop.ctx, id, stmts())?,
        &UnionMap::empty(&scop.ctx)?,
        &schedule_of(&scop.ctx, stmts())?,
    )?;
    // One number for all statements of a life.
    let mut life: Vec<usize> = (0..touching.len()).collect();
    for map in flow.must.maps()? {
        let place = |dim| -> Result<Option<usize>> {
            let name = map.tuple_name(dim)?;
            Ok(stmts().position(|s| Some(&s.name) == name.as_ref()))
        };
        if let (Some(writer), Some(reader)) = (place(DimType::In)?, place(DimType::Out)?) {
            let (from, to) = (life[reader], life[writer]);
            life.iter_mut()
                .filter(|l| **l == from)
                .for_each(|l| *l = to);
        }
    }
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (stmt, life) in touching.into_iter().zip(life) {
        parts.entry(life).or_default().push(stmt);
    }
    Ok(parts.into_values().collect())
}

/// The iterators of a statement that its first `n_common` schedule dimensions do not fix.
fn inner_dims(stmt: &Statement, n_common: usize) -> Result<Vec<u32>> {
    let schedule = stmt.schedule.to_pw_affs()?;
    let iterators = stmt.domain.identity()?.to_pw_affs()?;
    let mut inner = Vec::new();
    for (d, iterator) in (0..).zip(&iterators) {
        let mut fixed = false;
        for f in schedule.iter().take(n_common) {
            fixed |= (f.sub(iterator)?.as_constant()?).is_some();
        }
        if !fixed {
            inner.push(d);
        }
    }
    Ok(inner)
}

/// From instances of a statement to the distance of each of some iterators from another one that is not among them, or from
/// zero: where it has the fewest values. Also whether any is the distance from another one.
fn distances(stmt: &Statement, sorted: &[u32]) -> Result<Option<(Map, bool)>> {
    let iterators = stmt.domain.identity()?.to_pw_affs()?;
    let mut all: Option<Map> = None;
    let mut moves = false;
    for &d in sorted {
        let mut best = iterators[d as usize].clone();
        let mut fewest = spread(&best)?;
        let mut is_moving = false;
        for (outer, iterator) in (0..).zip(&iterators) {
            if !sorted.contains(&outer) {
                let distance = iterators[d as usize].sub(iterator)?;
                let values = spread(&distance)?;
                if values.is_some() && (fewest.is_none() || values < fewest) {
                    (best, fewest, is_moving) = (distance, values, true);
                }
            }
        }
        if fewest.is_none_or(|values| values > Rational::from(MAX_COPIES as i64)) {
            return Ok(None);
        }
        moves |= is_moving;
        let best = best.to_map()?;
        all = Some(match all {
            Some(all) => all.flat_range_product(&best)?,
            None => best,
        });
    }
    Ok(all.map(|all| (all, moves)))
}

/// How far the values of a function are apart, if that is bounded.
fn spread(function: &PwAff) -> Result<Option<Rational>> {
    Ok(match (function.min_val()?, function.max_val()?) {
        (Bound::Finite(min), Bound::Finite(max)) => max.checked_sub(min),
        _ => None,
    })
}

/// One statement for every iteration of the loops over `dims`, in their order; `None` where
/// these are not few and the same for all sizes.
fn copies(stmt: &Statement, dims: &[u32]) -> Result<Option<Vec<Statement>>> {
    let mut sorted = dims.to_vec();
    sorted.sort_unstable();
    let Some((distances, moves)) = distances(stmt, &sorted)? else {
        return Ok(None);
    };
    let values = distances.range()?.project_out_all_params()?;
    let points = match values.points(MAX_COPIES) {
        Ok(points) => points,
        Err(error) if error.quota => return Err(error.into()),
        Err(_) => return Ok(None),
    };
    let mut all = Vec::new();
    let mut first: Option<Set> = None;
    for (n, point) in points.iter().enumerate() {
        let mut these = distances.clone();
        for (d, &value) in (0..).zip(point) {
            these = these.fix(DimType::Out, d, value)?;
        }
        let domain = these.domain()?;
        if domain.is_empty()? {
            continue;
        }
        let mut slice = domain.identity()?;
        for &d in sorted.iter().rev() {
            slice = slice.project_out(DimType::In, d, 1)?;
        }
        // Windows that are cut off at the ends have a case for each way to do so: too many to be told apart.
        let cells = slice.domain()?.reset_tuple_name()?;
        let first = first.get_or_insert_with(|| cells.clone());
        if moves && !first.is_equal(&cells)? {
            return Ok(None);
        }
        let name = format!("{}_{n}", stmt.name);
        all.push(through(
            stmt,
            &slice.set_tuple_name(DimType::In, &name)?,
            &name,
        )?);
    }
    Ok(Some(all))
}

/// Brings the statements of every part of the region into the order in which they execute.
fn sort(scop: &mut Scop) -> Result<()> {
    let order = Order::new(scop)?;
    for chunk in &mut scop.chunks {
        chunk.stmts.sort_by_cached_key(|&s| order.key(s));
    }
    Ok(())
}
