//! Time loops on a ring or a torus: cells at one end of a dimension read those at the other.
//!
//! The distances of such reads grow with the size, so that no tile has a bounded slope. But the ring of E cells is
//! covered by the line of all integers: cell `x` of the line is cell `x mod E` of the ring, and a statement that reads
//! `(i + c) mod E` reads `i + c` there. `Torus::lifted` is that program on a finite piece of the line, the ring with a halo of
//! H cells on either side and a rim that is only read. Tiles are proven for it as for any other program. Before each launch
//! the halo is filled with the cells of the ring that it covers; its values go wrong from the rim inwards, by the reach of the statements
//! in each time step, and H is what a launch needs at most, so that those of the ring itself are right.
//!
//! isl checks that every access is that of the ring, for all sizes: `Torus::find`.

mod ghosts;

pub(crate) use ghosts::Ring;

use crate::diag::Result;
use crate::scop::{Access, ArrayId, Chunk, Scop, Statement};
use hexcc_isl::{DimType, Map, PwAff, Set};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The largest distance of a read.
const MOST_REACH: i64 = 8;

/// Cells of which the ring begins at a multiple along columns, the last dimension: 16 bytes are all in the ring or not.
const ALIGNED: i64 = 8;

/// Which loops and which dimensions of arrays go around.
pub(crate) struct Torus {
    /// By statement of the loop, its iterators that do.
    iterators: Vec<(usize, Vec<u32>)>,
    /// Dimensions of arrays.
    dims: BTreeSet<(ArrayId, usize)>,
    /// The largest distance of a read along any of them.
    pub rim: i64,
    /// How far the statements of a time step reach together, at most.
    pub reach: i64,
    shifts: Shifts,
}

/// The subscripts that have been looked at.
#[derive(Default)]
struct Shifts(RefCell<Vec<Known>>);

/// A subscript, and what it is.
struct Known {
    stmt: usize,
    extent: PwAff,
    map: Map,
    shift: Option<Shift>,
}

impl Shifts {
    /// What [`shift`] finds, once for each subscript of a statement.
    fn of(&self, scop: &Scop, s: usize, access: &Access, d: usize) -> Result<Option<Shift>> {
        let Some(extent) = scop.array(access.array).extents.get(d) else {
            return Ok(None);
        };
        let map = along(&access.map, d)?;
        for known in self.0.borrow().iter().filter(|known| known.stmt == s) {
            if known.map.plain_is_equal(&map)? && known.extent.plain_is_equal(extent)? {
                return Ok(known.shift);
            }
        }
        let shift = shift(scop, &scop.stmts[s], &map, extent)?;
        self.0.borrow_mut().push(Known {
            stmt: s,
            extent: extent.clone(),
            map,
            shift,
        });
        Ok(shift)
    }
}

/// A subscript along a dimension that goes around: iterator number `iterator` plus `distance`.
#[derive(Clone, Copy)]
struct Shift {
    iterator: u32,
    distance: i64,
    /// Whether it ever leaves the dimension at one end and enters it at the other.
    goes_around: bool,
}

impl Torus {
    /// What goes around in a time loop; `None` where nothing does, or where it does not do so everywhere.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn find(scop: &Scop, chunk: &Chunk) -> Result<Option<Torus>> {
        let stmts: Vec<(usize, &Statement)> =
            chunk.stmts.iter().map(|&s| (s, &scop.stmts[s])).collect();
        for (_, stmt) in &stmts {
            if !is_plain(scop, stmt)? {
                return Ok(None);
            }
        }
        let (mut dims, shifts) = (BTreeSet::new(), Shifts::default());
        for (s, stmt) in &stmts {
            for access in stmt.accesses() {
                for (d, sub) in access.map.to_pw_affs()?.iter().enumerate() {
                    let shift = match is_straight(sub, &stmt.domain)? {
                        true => None,
                        false => shifts.of(scop, *s, access, d)?,
                    };
                    if shift.is_some_and(|shift| shift.goes_around) {
                        dims.insert((access.array, d));
                    }
                }
            }
        }
        if dims.is_empty() {
            return Ok(None);
        }
        let mut torus = Torus {
            iterators: stmts.iter().map(|(s, _)| (*s, Vec::new())).collect(),
            dims,
            rim: 0,
            reach: 0,
            shifts,
        };
        while torus.spread(scop)? {}
        torus.measured(scop)
    }

    /// Whether something more goes around: what an iterator that does selects, and iterators that select what does.
    fn spread(&mut self, scop: &Scop) -> Result<bool> {
        let mut found = false;
        for (s, iterators) in &mut self.iterators {
            let stmt = &scop.stmts[*s];
            for access in stmt.accesses() {
                for (d, sub) in access.map.to_pw_affs()?.iter().enumerate() {
                    let key = (access.array, d);
                    if self.dims.contains(&key)
                        && let Some(shift) = self.shifts.of(scop, *s, access, d)?
                        && !iterators.contains(&shift.iterator)
                    {
                        iterators.push(shift.iterator);
                        found = true;
                    }
                    let mut selected = false;
                    for &iterator in iterators.iter() {
                        selected |= sub.n_piece()? == 1 && term(sub, iterator)? != Some(0);
                    }
                    if selected && self.dims.insert(key) {
                        found = true;
                    }
                }
            }
        }
        Ok(found)
    }

    /// With its reach, where every access is that of the ring.
    fn measured(mut self, scop: &Scop) -> Result<Option<Torus>> {
        let context = sizes(scop)?;
        for (s, iterators) in &self.iterators {
            let stmt = &scop.stmts[*s];
            let mut reach = 0;
            for access in stmt.accesses() {
                for d in 0..scop.array(access.array).extents.len() {
                    let goes = self.dims.contains(&(access.array, d));
                    match self.shift(scop, *s, access, d)? {
                        Some(shift) => reach = reach.max(shift.distance.abs()),
                        None if goes => return Ok(None),
                        None => {
                            let map = along(&access.map, d)?;
                            let free = free(&map, &stmt.domain, iterators)?;
                            let free = free.intersect_domain(&stmt.domain)?;
                            let [free, map] = [free, map].map(|m| m.intersect_params(&context));
                            if !free?.is_equal(&map?)? {
                                return Ok(None);
                            }
                        }
                    }
                }
            }
            if !self.is_whole(scop, *s, iterators)? {
                return Ok(None);
            }
            self.rim = self.rim.max(reach);
            self.reach += reach;
        }
        Ok((self.reach > 0).then_some(self))
    }

    /// The subscript of an access of a statement along a dimension that goes around, where it is that of a ring.
    fn shift(&self, scop: &Scop, s: usize, access: &Access, d: usize) -> Result<Option<Shift>> {
        match self.dims.contains(&(access.array, d)) {
            true => self.shifts.of(scop, s, access, d),
            false => Ok(None),
        }
    }

    /// Whether a statement writes the cell of its iterators, all cells of the ring for everything else.
    fn is_whole(&self, scop: &Scop, s: usize, iterators: &[u32]) -> Result<bool> {
        let stmt = &scop.stmts[s];
        let mut ring = free_set(&stmt.domain, iterators)?;
        for &iterator in iterators {
            let Some((_, extent)) = self.extent(scop, s, iterator)? else {
                return Ok(false);
            };
            ring = ring.intersect(&between(&ring, iterator, 0, &extent)?)?;
        }
        let context = sizes(scop)?;
        let whole = stmt.domain.intersect_params(&context)?;
        Ok(ring.intersect_params(&context)?.is_equal(&whole)?)
    }

    /// The dimension of what is written that an iterator selects, and its extent: how many cells it goes around.
    fn extent(&self, scop: &Scop, s: usize, iterator: u32) -> Result<Option<(usize, PwAff)>> {
        let write = &scop.stmts[s].write;
        for (d, extent) in scop.array(write.array).extents.iter().enumerate() {
            let shift = self.shift(scop, s, write, d)?;
            if shift.is_some_and(|s| s.iterator == iterator && s.distance == 0) {
                return Ok(Some((d, extent.clone())));
            }
        }
        Ok(None)
    }

    /// How many cells on either side are computed, at least `halo`: columns of the domain begin at a multiple of [`ALIGNED`].
    fn computed(&self, halo: i64, is_column: bool) -> i64 {
        match is_column {
            true => (halo + self.rim + ALIGNED - 1) / ALIGNED * ALIGNED - self.rim,
            false => halo,
        }
    }

    /// By array, how many cells there are on either side of each dimension, with `halo` of them computed.
    pub fn beside(&self, scop: &Scop, halo: i64) -> Vec<Vec<i64>> {
        let of = |(a, array): (usize, &crate::scop::Array)| {
            let goes = |d: usize| self.dims.iter().any(|(id, e)| id.index() == a && *e == d);
            let n = array.extents.len();
            (0..n)
                .map(|d| match goes(d) {
                    true => self.computed(halo, d + 1 == n) + self.rim,
                    false => 0,
                })
                .collect()
        };
        scop.arrays.iter().enumerate().map(of).collect()
    }

    /// The same along rows alone: a dimension of each array that is written. `None` where these do not go around.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn along_rows(self, scop: &Scop, rows: &BTreeMap<ArrayId, usize>) -> Result<Option<Torus>> {
        self.part(scop, rows, |row, iterator| row == Some(iterator))
    }

    /// The same but for rows.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn but_rows(self, scop: &Scop, rows: &BTreeMap<ArrayId, usize>) -> Result<Option<Torus>> {
        self.part(scop, rows, |row, iterator| row != Some(iterator))
    }

    /// The same along the dimensions of some iterators: those that `keep` says, by that of rows.
    fn part(
        mut self,
        scop: &Scop,
        rows: &BTreeMap<ArrayId, usize>,
        keep: fn(Option<u32>, u32) -> bool,
    ) -> Result<Option<Torus>> {
        let (mut dims, mut all) = (BTreeSet::new(), Vec::new());
        for (s, iterators) in &self.iterators {
            let stmt = &scop.stmts[*s];
            let row = match rows.get(&stmt.write.array) {
                Some(&d) => self.shift(scop, *s, &stmt.write, d)?,
                None => None,
            };
            let row = row.map(|shift| shift.iterator);
            let kept = iterators.iter().filter(|i| keep(row, **i));
            all.push((*s, kept.copied().collect()));
            for access in stmt.accesses() {
                for d in 0..scop.array(access.array).extents.len() {
                    let shift = self.shift(scop, *s, access, d)?;
                    if shift.is_some_and(|shift| keep(row, shift.iterator)) {
                        dims.insert((access.array, d));
                    }
                }
            }
        }
        (self.iterators, self.dims, self.rim, self.reach) = (all, dims, 0, 0);
        self.measured(scop)
    }

    /// The program on the ring with a halo of so many cells on either side.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn lifted(&self, scop: &Scop, halo: i64) -> Result<Option<Scop>> {
        let lifted = self.covering(scop, |domain, (iterator, is_column), extent| {
            let end = extent.add_constant(2 * self.computed(halo, is_column) + self.rim)?;
            Ok(domain.intersect(&between(domain, iterator, self.rim, &end)?)?)
        })?;
        let Some(mut lifted) = lifted else {
            return Ok(None);
        };
        let beside = self.beside(scop, halo);
        for (array, beside) in lifted.arrays.iter_mut().zip(&beside) {
            for (extent, beside) in array.extents.iter_mut().zip(beside) {
                *extent = extent.add_constant(2 * beside)?;
            }
        }
        Ok(Some(lifted))
    }

    /// The program on the line of all integers, without ends.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn on_line(&self, scop: &Scop) -> Result<Option<Scop>> {
        self.covering(scop, |domain, _, _| Ok(domain.clone()))
    }

    /// The program on the line, where statements run for those of all instances that `within` gives, by iterator, whether it goes
    /// through columns, and extent.
    fn covering(
        &self,
        scop: &Scop,
        within: impl Fn(&Set, (u32, bool), &PwAff) -> Result<Set>,
    ) -> Result<Option<Scop>> {
        let mut lifted = scop.clone();
        for (s, iterators) in &self.iterators {
            let stmt = &scop.stmts[*s];
            let mut domain = free_set(&stmt.domain, iterators)?;
            for &iterator in iterators {
                let Some((d, extent)) = self.extent(scop, *s, iterator)? else {
                    return Ok(None);
                };
                let n = scop.array(stmt.write.array).extents.len();
                domain = within(&domain, (iterator, d + 1 == n), &extent)?;
            }
            let Some(schedule) = schedule(stmt, iterators, &domain)? else {
                return Ok(None);
            };
            let new = &mut lifted.stmts[*s];
            for (access, old) in (new.reads.iter_mut().chain([&mut new.write])).zip(stmt.accesses())
            {
                access.map = self.access(scop, (*s, iterators), old, &domain)?;
            }
            new.schedule = schedule;
            new.domain = domain;
        }
        Ok(Some(lifted))
    }

    /// An access on the line.
    fn access(
        &self,
        scop: &Scop,
        (s, iterators): (usize, &[u32]),
        access: &Access,
        domain: &Set,
    ) -> Result<Map> {
        let own = iterators_of(domain)?;
        let mut product: Option<Map> = None;
        for d in 0..scop.array(access.array).extents.len() {
            let map = match self.shift(scop, s, access, d)? {
                Some(shift) => own[shift.iterator as usize]
                    .add_constant(shift.distance)?
                    .to_map()?,
                None => free(&along(&access.map, d)?, domain, iterators)?,
            };
            let map = map.intersect_domain(domain)?;
            product = Some(match product {
                Some(before) => before.flat_range_product(&map)?,
                None => map,
            });
        }
        let product = match product {
            Some(product) => product,
            None => free(&access.map, domain, iterators)?.intersect_domain(domain)?,
        };
        Ok(product.named_as(&access.map)?)
    }
}

/// The order on the line: the same functions of the iterators. `None` where they are no such functions.
fn schedule(stmt: &Statement, iterators: &[u32], domain: &Set) -> Result<Option<Map>> {
    let own = iterators_of(domain)?;
    let mut product: Option<Map> = None;
    for time in stmt.schedule.to_pw_affs()? {
        let mut rest = time;
        let mut terms = Vec::new();
        for &iterator in iterators {
            let Some((factor, without)) = rest.take_term(DimType::In, iterator)? else {
                return Ok(None);
            };
            terms.push(own[iterator as usize].mul_val(factor)?);
            rest = without;
        }
        for &iterator in iterators {
            if rest.involves(DimType::In, iterator, 1)? {
                return Ok(None);
            }
        }
        for term in terms {
            rest = rest.add(&term)?;
        }
        let map = rest.to_map()?.intersect_domain(domain)?;
        product = Some(match product {
            Some(before) => before.flat_range_product(&map)?,
            None => map,
        });
    }
    Ok(product)
}

/// Whether a statement only accesses arrays as a whole number of cells, at places that are functions of its iterators, and computes
/// with nothing else of them.
fn is_plain(scop: &Scop, stmt: &Statement) -> Result<bool> {
    let n = stmt.domain.dim(DimType::Set)? as u32;
    for value in stmt.affine_values() {
        if value.involves(DimType::In, 0, n)? {
            return Ok(false);
        }
    }
    for access in stmt.accesses() {
        let array = scop.array(access.array);
        let is_scalar = array.extents.is_empty();
        if access.whole || array.variable && !is_scalar {
            return Ok(false);
        }
        if !access.map.is_single_valued()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The subscript of an access along a dimension, where it is that of a ring: `(i + c) mod E` for all sizes.
fn shift(scop: &Scop, stmt: &Statement, subscript: &Map, extent: &PwAff) -> Result<Option<Shift>> {
    // Planes of a time buffer, components: all cells are next to an end.
    let cells = extent.as_constant()?;
    if cells.is_some_and(|cells| cells.num <= 2 * MOST_REACH * cells.den) {
        return Ok(None);
    }
    let own = iterators_of(&stmt.domain)?;
    let context = sizes(scop)?;
    let map = subscript.intersect_params(&context)?;
    let end = extent.add_constant(-MOST_REACH)?;
    for (iterator, value) in (0..).zip(&own) {
        // Where the iterator is so far from both ends that what goes around does not leave the ring.
        let inside = between(&stmt.domain, iterator, MOST_REACH, &end)?;
        let within = map.intersect_domain(&inside)?;
        let Some(sample) = pairs(&within)?.sample_point()? else {
            continue;
        };
        let [from @ .., to] = sample.as_slice() else {
            continue;
        };
        let distance = to - from[iterator as usize];
        if distance.abs() > MOST_REACH {
            continue;
        }
        let straight = value.add_constant(distance)?.to_map()?;
        if !within.is_subset(&straight)? {
            continue;
        }
        let around = around(value, distance, extent, &stmt.domain)?;
        if around.intersect_params(&context)?.is_equal(&map)? {
            return Ok(Some(Shift {
                iterator,
                distance,
                goes_around: !map.is_subset(&straight)?,
            }));
        }
    }
    Ok(None)
}

/// The sizes that kernels are made for.
fn sizes(scop: &Scop) -> Result<Set> {
    Ok(scop.context.params()?.intersect(&scop.expected)?)
}

/// Pairs of what a map takes and gives, in a row, for any sizes.
fn pairs(map: &Map) -> Result<Set> {
    let all = map.domain()?.identity()?.flat_range_product(map)?.range()?;
    let n = all.dim(DimType::Param)? as u32;
    Ok(all.project_out(DimType::Param, 0, n)?)
}

/// The map to `(value + distance) mod extent`. A ring of fewer cells than the distance is gone around more than once.
fn around(value: &PwAff, distance: i64, extent: &PwAff, domain: &Set) -> Result<Map> {
    let extent = extent.insert_domain(domain)?;
    let none = extent.mul_val(0)?;
    let mut all: Option<Map> = None;
    let most = distance.abs();
    for times in -most..=most {
        let to = value.add_constant(distance)?.add(&extent.mul_val(times)?)?;
        let inside = to.ge_set(&none)?.intersect(&to.lt_set(&extent)?)?;
        let map = to.to_map()?.intersect_domain(&inside.intersect(domain)?)?;
        all = Some(match all {
            Some(before) => before.union(&map)?,
            None => map,
        });
    }
    all.map_or_else(|| Ok(value.to_map()?), Ok)
}

/// The coefficient of an iterator in a function of one piece.
fn term(function: &PwAff, iterator: u32) -> Result<Option<i64>> {
    Ok(function
        .take_term(DimType::In, iterator)?
        .map(|(factor, _)| factor))
}

/// Whether a function is a sum of iterators and sizes, without remainders.
fn is_straight(function: &PwAff, domain: &Set) -> Result<bool> {
    if function.n_piece()? > 1 {
        return Ok(false);
    }
    let n = domain.dim(DimType::Set)? as u32;
    let mut rest = function.clone();
    for iterator in 0..n {
        match rest.take_term(DimType::In, iterator)? {
            Some((_, without)) => rest = without,
            None => return Ok(false),
        }
    }
    Ok(!rest.involves(DimType::In, 0, n)?)
}

/// The iterators as functions of the instance.
pub(crate) fn iterators_of(domain: &Set) -> Result<Vec<PwAff>> {
    let everywhere = domain.universe_like()?;
    Ok(everywhere.identity()?.to_pw_affs()?)
}

/// One subscript of an access.
pub(crate) fn along(map: &Map, d: usize) -> Result<Map> {
    let n = map.dim(DimType::Out)?;
    let map = map.project_out(DimType::Out, d as u32 + 1, (n - d - 1) as u32)?;
    let map = map.project_out(DimType::Out, 0, d as u32)?;
    Ok(map.reset_tuple_name(DimType::Out)?)
}

/// The same for any value of some iterators of a statement.
fn free(map: &Map, domain: &Set, iterators: &[u32]) -> Result<Map> {
    let mut map = map.clone();
    for &iterator in iterators {
        map = map.project_out(DimType::In, iterator, 1)?;
        map = map.insert_dims(DimType::In, iterator, 1)?;
    }
    match domain.tuple_name()? {
        Some(name) => Ok(map.set_tuple_name(DimType::In, &name)?),
        None => Ok(map),
    }
}

/// Instances with any value of some iterators.
fn free_set(domain: &Set, iterators: &[u32]) -> Result<Set> {
    let mut set = domain.clone();
    for &iterator in iterators {
        set = set.eliminate(DimType::Set, iterator, 1)?;
    }
    Ok(set)
}

/// Instances whose iterator is at least `lo` and less than `end`.
fn between(domain: &Set, iterator: u32, lo: i64, end: &PwAff) -> Result<Set> {
    let own = &iterators_of(domain)?[iterator as usize];
    let end = end.insert_domain(domain)?;
    let lo = end.mul_val(0)?.add_constant(lo)?;
    Ok(own.ge_set(&lo)?.intersect(&own.lt_set(&end)?)?)
}

#[cfg(test)]
mod tests;
