//! Ghost cells: a ring of E cells in an array that has copies of the cells at the other end before and behind it.
//!
//! Each step copies the ghost cells before it reads them, so that a read of one is a read of the cell of the ring that it
//! is a copy of. [`Ring::of`] is the time loop on the ring alone, with such reads in the place of those of ghost cells and
//! without what writes outside of the ring. isl's dataflow proves that each read has the value it had.
//!
//! What is outside of the ring stays as it is before the loop. The steps that follow it ([`FOLLOWING`]) run as they are, and make
//! that up: they write every cell outside that the loop writes, and read of those only what they have written themselves.

use super::{along, between, free_set, is_plain, iterators_of, sizes};
use crate::diag::Result;
use crate::instances::within;
use crate::scop::{
    Access, ArrayId, Chunk, Expr, FOLLOWING, Scop, Statement, schedule_of, writes_to,
};
use hexcc_isl::{Bound, DimType, Map, PwAff, Set, UnionMap, UnionSet, compute_flow};

/// Copies of copies that are followed, at most.
const MOST_COPIES: usize = 4;

/// Step numbers up to which a loop may certainly go.
const MANY_STEPS: i64 = 64;

/// A time loop on the ring alone.
pub(crate) struct Ring {
    /// Its arrays are the ring's cells, and its statements count them from 0.
    pub scop: Scop,
    pub chunk: Chunk,
    /// The program, for sizes that the ring is proven for.
    pub program: Scop,
    /// The statements as they are in the program, where they write the ring.
    pub own: Vec<Statement>,
    /// By array, the ring's first cell along each dimension.
    pub first: Vec<Vec<i64>>,
}

/// The cells of a ring along a dimension.
#[derive(Clone)]
struct Cells {
    first: i64,
    extent: PwAff,
}

/// What the ring is, by dimension from the last one; `None` for those that do not go around.
type Dims = Vec<Option<Cells>>;

impl Ring {
    /// `None` for a loop that copies no ghost cells, or where these are read otherwise, or are not made up for by the steps that
    /// follow.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn of(scop: &Scop, chunk: &Chunk) -> Result<Option<Ring>> {
        let stmts = scop.of_chunk(chunk);
        for stmt in &stmts {
            if !is_plain(scop, stmt)? || scop.array(stmt.write.array).extents.is_empty() {
                return Ok(None);
            }
        }
        let Some(dims) = dims(scop, &stmts)? else {
            return Ok(None);
        };
        let mut program = scop.clone();
        let proven = proven(scop, &stmts, &dims)?;
        if !sizes(scop)?.is_subset(&proven)? {
            program.expected = program.expected.intersect(&proven)?.coalesce()?;
        }
        let Some(parted) = Parted::new(&program, stmts, &dims)? else {
            return Ok(None);
        };
        if !(parted.is_same_in_each_step()? && parted.is_made_up_for()?) {
            return Ok(None);
        }
        let (mut own, mut on_ring) = (Vec::new(), Vec::new());
        for s in 0..parted.stmts.len() {
            if parted.inside[s].is_empty()? {
                continue;
            }
            let Some(read) = parted.through_copies(s)? else {
                return Ok(None);
            };
            let Some(moved) = moved(&program, &read, &dims)? else {
                return Ok(None);
            };
            own.push(part(parted.stmts[s], &parted.inside[s])?);
            on_ring.push(moved);
        }
        Ok(Some(Ring::made(program, chunk, &dims, (own, on_ring))))
    }

    fn made(
        program: Scop,
        chunk: &Chunk,
        dims: &Dims,
        (own, stmts): (Vec<Statement>, Vec<Statement>),
    ) -> Ring {
        let mut scop = program.clone();
        let mut first = Vec::new();
        for array in &mut scop.arrays {
            let n = array.extents.len();
            let mut firsts = vec![0; n];
            for (d, extent) in array.extents.iter_mut().enumerate() {
                if let Some(cells) = cells_of(dims, n, d) {
                    firsts[d] = cells.first;
                    *extent = cells.extent.clone();
                }
            }
            first.push(firsts);
        }
        let chunk = Chunk {
            stmts: (0..stmts.len()).collect(),
            ..chunk.clone()
        };
        scop.stmts = stmts;
        scop.chunks = vec![chunk.clone()];
        Ring {
            scop,
            chunk,
            program,
            own,
            first,
        }
    }
}

/// Some instances of a statement whose values are those of sizes alone.
fn part(stmt: &Statement, instances: &Set) -> Result<Statement> {
    Ok(Statement {
        locals: stmt.locals.clone(),
        value: stmt.value.clone(),
        ..within(stmt, instances)?
    })
}

/// The ring's cells along a dimension of an array of `n` dimensions.
fn cells_of(dims: &Dims, n: usize, d: usize) -> Option<&Cells> {
    dims.get(n - 1 - d)?.as_ref()
}

/// What a statement reads that only copies an element to another one of as many subscripts.
fn copied<'s>(scop: &Scop, stmt: &'s Statement) -> Option<&'s Access> {
    let ([read], Expr::Read(0, _), true) =
        (stmt.reads.as_slice(), &stmt.value, stmt.locals.is_empty())
    else {
        return None;
    };
    let [from, to] = [read, &stmt.write].map(|access| scop.array(access.array));
    (from.elem == to.elem && from.extents.len() == to.extents.len()).then_some(read)
}

/// The dimensions along which elements are copied from one end to the other, and the cells between.
fn dims(scop: &Scop, stmts: &[&Statement]) -> Result<Option<Dims>> {
    let sizes = &sizes(scop)?;
    let mut found: Vec<Option<Found>> = Vec::new();
    for stmt in stmts {
        let Some(read) = copied(scop, stmt) else {
            continue;
        };
        let from = read.map.to_pw_affs()?;
        for (d, (to, from)) in (stmt.write.map.to_pw_affs()?.iter().zip(&from)).enumerate() {
            let Some(distance) = of_sizes(&to.sub(from)?, &stmt.domain)? else {
                continue;
            };
            let Some(one) = Found::new(stmt, d, &distance, sizes)? else {
                continue;
            };
            let k = from_last(&stmt.write.map, d)?;
            found.resize_with(found.len().max(k + 1), || None);
            let both = match found[k].take() {
                None => Some(one),
                Some(before) => before.with(one, sizes)?,
            };
            let Some(both) = both else {
                return Ok(None);
            };
            found[k] = Some(both);
        }
    }
    let cells = |found: Found| match (found.low, found.high) {
        (Some(low), Some(high)) if low != high => None,
        (Some(first), _) | (None, Some(first)) => Some(Cells {
            first,
            extent: found.extent,
        }),
        (None, None) => None,
    };
    let mut dims = Dims::new();
    for found in found {
        let is_some = found.is_some();
        let cells = found.and_then(cells);
        if is_some && cells.is_none() {
            return Ok(None);
        }
        dims.push(cells);
    }
    Ok((!dims.is_empty()).then_some(dims))
}

fn from_last(map: &Map, d: usize) -> Result<usize> {
    Ok(map.dim(DimType::Out)? - 1 - d)
}

/// A function that is the same for all instances, as one of the sizes alone; `None` for others.
fn of_sizes(function: &PwAff, domain: &Set) -> Result<Option<PwAff>> {
    let n = domain.dim(DimType::Set)? as u32;
    let pieces = function.pieces()?;
    let [(_, one)] = pieces.as_slice() else {
        return Ok(None);
    };
    if one.involves(DimType::In, 0, n)? {
        return Ok(None);
    }
    Ok(Some(one.to_map()?.range()?.dim_max(0)?))
}

/// What copies along a dimension say of the ring.
struct Found {
    extent: PwAff,
    /// Its first cell, by the ghost cells before it and by those behind it.
    low: Option<i64>,
    high: Option<i64>,
}

impl Found {
    fn new(stmt: &Statement, d: usize, distance: &PwAff, sizes: &Set) -> Result<Option<Found>> {
        let written = along(&stmt.write.map, d)?
            .range()?
            .intersect_params(sizes)?;
        let is_ring = |extent: &PwAff| -> Result<bool> {
            let none = extent.mul_val(0)?;
            Ok(!extent.gt_set(&none)?.intersect(sizes)?.is_empty()?)
        };
        let before = distance.neg()?;
        let last = written.dim_max(0)?.add_constant(1)?;
        if let (true, Some(first)) = (is_ring(&before)?, constant(&last)?) {
            return Ok(Some(Found {
                extent: before,
                low: Some(first),
                high: None,
            }));
        }
        let start = written.dim_min(0)?.sub(distance)?;
        let high = constant(&start)?.filter(|&first| first >= 0);
        Ok(match is_ring(distance)? {
            true => high.map(|first| Found {
                extent: distance.clone(),
                low: None,
                high: Some(first),
            }),
            false => None,
        })
    }

    /// What both say; `None` where they differ.
    fn with(self, other: Found, sizes: &Set) -> Result<Option<Found>> {
        let both = self.extent.eq_set(&other.extent)?;
        if !sizes.is_subset(&both)? {
            return Ok(None);
        }
        let of = |a: Option<i64>, b: Option<i64>, choose: fn(i64, i64) -> i64| match (a, b) {
            (Some(a), Some(b)) => Some(choose(a, b)),
            (a, b) => a.or(b),
        };
        Ok(Some(Found {
            low: of(self.low, other.low, i64::max),
            high: of(self.high, other.high, i64::min),
            extent: self.extent,
        }))
    }
}

fn constant(function: &PwAff) -> Result<Option<i64>> {
    let constant = function.as_constant()?;
    Ok(constant.filter(|c| c.den == 1).map(|c| c.floor()))
}

/// The sizes for which a ring has as many cells as its ghost cells need, and lies in all arrays.
fn proven(scop: &Scop, stmts: &[&Statement], dims: &Dims) -> Result<Set> {
    let mut sizes = scop.expected.universe_like()?;
    for cells in dims.iter().flatten() {
        let least = cells.extent.mul_val(0)?.add_constant(cells.first.max(1))?;
        sizes = sizes.intersect(&cells.extent.ge_set(&least)?)?;
    }
    for access in stmts.iter().flat_map(|stmt| stmt.accesses()) {
        let extents = &scop.array(access.array).extents;
        for (d, extent) in extents.iter().enumerate() {
            if let Some(cells) = cells_of(dims, extents.len(), d) {
                let end = cells.extent.add_constant(cells.first)?;
                let outside = end.gt_set(extent)?;
                sizes = sizes.subtract(&outside)?;
            }
        }
    }
    Ok(sizes.coalesce()?)
}

/// A statement that counts the cells of the ring from 0; `None` where no iterator of its own selects the cell that it
/// writes.
fn moved(scop: &Scop, stmt: &Statement, dims: &Dims) -> Result<Option<Statement>> {
    let own = iterators_of(&stmt.domain)?;
    let mut shifts = vec![0; own.len()];
    let n = scop.array(stmt.write.array).extents.len();
    for (d, to) in stmt.write.map.to_pw_affs()?.iter().enumerate() {
        let Some(cells) = cells_of(dims, n, d) else {
            continue;
        };
        let mut selects = None;
        for (i, iterator) in own.iter().enumerate() {
            if let Some(distance) = constant(&to.sub(iterator)?)? {
                selects = Some((i, cells.first - distance));
                break;
            }
        }
        let Some((i, shift)) = selects else {
            return Ok(None);
        };
        shifts[i] = shift;
    }
    let onto = translation(&stmt.domain, &shifts)?;
    let mut moved = stmt.clone();
    for access in moved.reads.iter_mut().chain([&mut moved.write]) {
        access.map = access.map.apply_domain(&onto)?;
        let n = scop.array(access.array).extents.len();
        let firsts: Vec<i64> = (0..n)
            .map(|d| cells_of(dims, n, d).map_or(0, |cells| cells.first))
            .collect();
        if n > 0 {
            let cells = access.map.range()?.universe_like()?;
            access.map = access.map.apply_range(&translation(&cells, &firsts)?)?;
        }
        access.map = access.map.coalesce()?;
    }
    moved.schedule = moved.schedule.apply_domain(&onto)?;
    moved.domain = moved.domain.apply(&onto)?;
    Ok(Some(moved))
}

/// The map of a space to itself that takes so much from each dimension.
fn translation(of: &Set, less: &[i64]) -> Result<Map> {
    let mut maps = Vec::new();
    for (own, less) in iterators_of(of)?.iter().zip(less) {
        maps.push(own.add_constant(-less)?.to_map()?);
    }
    onto(of, &maps)
}

/// The map to a space with one map for each dimension.
fn onto(of: &Set, maps: &[Map]) -> Result<Map> {
    let mut maps = maps.iter();
    let Some(first) = maps.next() else {
        return Ok(of.identity()?);
    };
    let mut product = first.clone();
    for map in maps {
        product = product.flat_range_product(map)?;
    }
    match of.tuple_name()? {
        Some(name) => Ok(product.set_tuple_name(DimType::Out, &name)?),
        None => Ok(product),
    }
}

/// The statements of a time loop, parted by whether they write the ring.
struct Parted<'a> {
    scop: &'a Scop,
    dims: &'a Dims,
    sizes: Set,
    stmts: Vec<&'a Statement>,
    /// Instances that write the ring, and all others.
    inside: Vec<Set>,
    outside: Vec<Set>,
    schedule: UnionMap,
}

impl<'a> Parted<'a> {
    /// `None` where arrays have fewer dimensions than the ring.
    fn new(scop: &'a Scop, stmts: Vec<&'a Statement>, dims: &'a Dims) -> Result<Option<Self>> {
        let sizes = sizes(scop)?;
        let mut parted = Parted {
            scop,
            dims,
            schedule: schedule_of(&scop.ctx, stmts.iter().copied())?,
            inside: Vec::new(),
            outside: Vec::new(),
            stmts: Vec::new(),
            sizes,
        };
        for stmt in &stmts {
            let is_deep = |access: &Access| {
                let n = scop.array(access.array).extents.len();
                n == 0 || n >= dims.len()
            };
            if !stmt.accesses().all(is_deep) {
                return Ok(None);
            }
            let all = stmt.domain.intersect_params(&parted.sizes)?;
            let ring = parted.ring(&stmt.write)?;
            let inside = stmt.write.map.intersect_range(&ring)?.domain()?;
            let inside = inside.intersect(&all)?.coalesce()?;
            parted.outside.push(all.subtract(&inside)?.coalesce()?);
            parted.inside.push(inside);
        }
        parted.stmts = stmts;
        Ok(Some(parted))
    }

    /// The cells of the ring in the array of an access.
    fn ring(&self, access: &Access) -> Result<Set> {
        let mut ring = access.map.range()?.universe_like()?;
        let n = self.scop.array(access.array).extents.len();
        for d in 0..n {
            if let Some(cells) = cells_of(self.dims, n, d) {
                let end = cells.extent.add_constant(cells.first)?;
                ring = ring.intersect(&between(&ring, d as u32, cells.first, &end)?)?;
            }
        }
        Ok(ring)
    }

    fn named(&self, name: Option<&str>) -> Option<usize> {
        self.stmts
            .iter()
            .position(|s| Some(s.name.as_str()) == name)
    }

    /// The last writes before some reads of an array: from the instance that writes to the one that reads.
    fn last_writes(&self, reads: &UnionMap, array: ArrayId) -> Result<UnionMap> {
        let ctx = &self.scop.ctx;
        let writes = writes_to(ctx, array, self.stmts.iter().copied())?;
        let none = UnionMap::empty(ctx)?;
        let flow = compute_flow(reads, &writes, &none, &self.schedule)?;
        Ok(flow.must.intersect_params(&self.sizes)?)
    }

    /// Whether each step has the same instances of all statements, of any number of steps that the outermost iterators count from 0.
    fn is_same_in_each_step(&self) -> Result<bool> {
        let Some(steps) = self.steps()? else {
            return Ok(false);
        };
        let most = steps.project_out_all_params()?.dim_max_val(0)?;
        if matches!(most, Bound::Finite(most) if most.floor() < MANY_STEPS) {
            return Ok(false);
        }
        let end = steps.dim_max(0)?.add_constant(1)?;
        let mut outer: Option<Vec<Option<i64>>> = None;
        for stmt in &self.stmts {
            let all = free_set(&stmt.domain, &[0])?;
            let all = all.intersect(&between(&all, 0, 0, &end)?)?;
            let all = all.intersect_params(&self.sizes)?;
            if !all.is_equal(&stmt.domain.intersect_params(&self.sizes)?)? {
                return Ok(false);
            }
            let Some(prefix) = before_steps(stmt)? else {
                return Ok(false);
            };
            if outer.get_or_insert_with(|| prefix.clone()) != &prefix {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The numbers of the steps.
    fn steps(&self) -> Result<Option<Set>> {
        let mut steps: Option<Set> = None;
        for stmt in &self.stmts {
            if stmt.domain.dim(DimType::Set)? == 0 {
                return Ok(None);
            }
            let own = stmt.domain.along(0)?.intersect_params(&self.sizes)?;
            steps = Some(match steps {
                Some(before) => before.union(&own)?,
                None => own,
            });
        }
        let steps = steps.map(|steps| steps.coalesce()).transpose()?;
        Ok(steps)
    }

    /// Whether the steps that follow write all cells outside of the ring that the loop writes, and read of those only what they have
    /// written: see the head of the file.
    fn is_made_up_for(&self) -> Result<bool> {
        Ok(self.makes_up_for(&self.outside)? || self.makes_up_for(&self.seen_outside()?)?)
    }

    /// The same, of what these instances write.
    fn makes_up_for(&self, outside: &[Set]) -> Result<bool> {
        let Some(behind) = self.steps_behind(outside)? else {
            return Ok(false);
        };
        let last_step = i64::from(FOLLOWING) - 1;
        // By statement, the first of the steps that follow in which it is right outside of the ring.
        let mut right = vec![0; self.stmts.len()];
        let reads = self.reads_of_outside(outside)?;
        for _ in 0..=self.stmts.len() * FOLLOWING as usize {
            let before = right.clone();
            for &(reader, writer, steps) in &reads {
                right[reader] = right[reader].max(right[writer] + steps);
            }
            let late = right.iter().max().copied().unwrap_or(0);
            if late + behind > last_step {
                return Ok(false);
            }
            if right == before {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The instances that write outside of the ring, but those whose cell is written again in the same step before anything reads
    /// it: at a corner, a copy along rows comes before the one along columns.
    fn seen_outside(&self) -> Result<Vec<Set>> {
        let mut read = UnionSet::empty(&self.scop.ctx)?;
        for stmt in &self.stmts {
            for access in &stmt.reads {
                let map = access.map.intersect_domain(&stmt.domain)?;
                let writes = self.last_writes(&UnionMap::from_map(&map)?, access.array)?;
                read = read.union(&writes.domain()?)?;
            }
        }
        let later = self.schedule.lex_lt_union_map(&self.schedule)?;
        let mut seen = Vec::new();
        for (stmt, outside) in self.stmts.iter().zip(&self.outside) {
            let write = stmt.write.map.intersect_domain(outside)?;
            let mut again = UnionSet::empty(&self.scop.ctx)?;
            for other in self
                .stmts
                .iter()
                .filter(|s| s.write.array == stmt.write.array)
            {
                let same = write.apply_range(&other.write.map.reverse()?)?;
                let same = same.equate(DimType::In, 0, DimType::Out, 0)?;
                let same = UnionMap::from_map(&same)?.intersect(&later)?;
                again = again.union(&same.domain()?)?;
            }
            let own = UnionSet::from_set(outside)?.subtract(&again.subtract(&read)?)?;
            let own = own.sets()?.into_iter().next();
            seen.push(own.map_or_else(|| outside.empty_like(), Ok)?);
        }
        Ok(seen)
    }

    /// How many steps before the last one a cell outside of the ring is written for the last time, at most.
    fn steps_behind(&self, outside: &[Set]) -> Result<Option<i64>> {
        let Some(steps) = self.steps()? else {
            return Ok(None);
        };
        let last = steps.lexmax()?;
        let mut all = UnionMap::empty(&self.scop.ctx)?;
        for (stmt, outside) in self.stmts.iter().zip(outside) {
            let step = along(&outside.identity()?, 0)?;
            let written = stmt.write.map.intersect_domain(outside)?;
            let when = written.reverse()?.apply_range(&step)?;
            all = all.union(&UnionMap::from_map(&when)?)?;
        }
        let mut most = 0;
        for when in all.maps()? {
            let when = when.lexmax()?.range()?;
            let behind = when
                .to_all_of(&last)?
                .deltas()?
                .intersect_params(&self.sizes)?;
            let Some(behind) = most_of(&behind)? else {
                return Ok(None);
            };
            most = most.max(behind);
        }
        Ok(Some(most))
    }

    /// Reads of what is written outside of the ring by what writes there: the two statements, and how many steps are between, at most.
    fn reads_of_outside(&self, outside: &[Set]) -> Result<Vec<(usize, usize, i64)>> {
        let mut all = Vec::new();
        for (reader, outside) in outside.iter().enumerate() {
            for read in &self.stmts[reader].reads {
                if self.scop.array(read.array).extents.is_empty() {
                    continue;
                }
                let ring = self.ring(read)?;
                let map = read.map.intersect_domain(outside)?;
                let map = map.subtract(&map.intersect_range(&ring)?)?;
                let writes = self.last_writes(&UnionMap::from_map(&map)?, read.array)?;
                for map in writes.maps()? {
                    let Some(writer) = self.named(map.tuple_name(DimType::In)?.as_deref()) else {
                        continue;
                    };
                    let steps = steps_between(&map)?.unwrap_or(i64::from(FOLLOWING));
                    all.push((reader, writer, steps));
                }
            }
        }
        Ok(all)
    }

    /// A statement where it writes the ring, with reads of the ring in the place of those of ghost cells; `None` where these do
    /// not have the values of the ring's.
    fn through_copies(&self, s: usize) -> Result<Option<Statement>> {
        let mut stmt = part(self.stmts[s], &self.inside[s])?;
        for read in &mut stmt.reads {
            if self.scop.array(read.array).extents.is_empty() {
                continue;
            }
            let ring = self.ring(read)?;
            let inside = read.map.intersect_range(&ring)?;
            let ghosts = read.map.subtract(&inside)?;
            if ghosts.is_empty()? {
                continue;
            }
            let cells = ghosts.apply_range(&self.around(&ring)?)?;
            let found = inside.union(&cells)?.coalesce()?;
            let is_whole = found.domain()?.is_equal(&read.map.domain()?)?;
            if !is_whole || !found.is_single_valued()? {
                return Ok(None);
            }
            let [old, new] = [ghosts, cells].map(|reads| self.origins(&reads, read.array, 0));
            match (old?, new?) {
                (Some(old), Some(new)) if old.is_equal(&new)? => read.map = found,
                _ => return Ok(None),
            }
        }
        Ok(Some(stmt))
    }

    /// From all cells to those of the ring that are no distance or the extent away along each dimension.
    fn around(&self, ring: &Set) -> Result<Map> {
        let everywhere = ring.universe_like()?;
        let own = iterators_of(ring)?;
        let mut maps = Vec::new();
        for (d, own_d) in own.iter().enumerate() {
            let mut along = own_d.to_map()?;
            if let Some(cells) = cells_of(self.dims, own.len(), d) {
                let extent = cells.extent.insert_domain(&everywhere)?;
                for to in [own_d.add(&extent)?, own_d.sub(&extent)?] {
                    along = along.union(&to.to_map()?)?;
                }
            }
            maps.push(along);
        }
        Ok(onto(ring, &maps)?.intersect_range(ring)?)
    }

    /// Where the values of reads come from: instances that compute them, and elements that no step has written. What copies write
    /// comes from where they read; `None` where more than [`MOST_COPIES`] follow each other.
    fn origins(&self, reads: &Map, array: ArrayId, n_copies: usize) -> Result<Option<UnionMap>> {
        if n_copies > MOST_COPIES {
            return Ok(None);
        }
        let reads = UnionMap::from_map(&reads.intersect_params(&self.sizes)?)?;
        let writes = self.last_writes(&reads, array)?;
        let written = reads.intersect_domain(&writes.range()?)?;
        let mut origins = reads.subtract(&written)?;
        for write in writes.maps()? {
            let writer = self.named(write.tuple_name(DimType::In)?.as_deref());
            let copy = writer.and_then(|w| Some((w, copied(self.scop, self.stmts[w])?)));
            let mut from = UnionMap::from_map(&write.reverse()?)?;
            if let Some((w, read)) = copy {
                let wanted = within(self.stmts[w], &write.domain()?)?;
                let Some(before) = self.origins(&wanted.reads[0].map, read.array, n_copies + 1)?
                else {
                    return Ok(None);
                };
                from = from.apply_range(&before)?;
            }
            origins = origins.union(&from)?;
        }
        Ok(Some(origins))
    }
}

/// How many steps the instances of a map are apart, at most; `None` without a bound.
fn steps_between(map: &Map) -> Result<Option<i64>> {
    let from = along(&map.domain()?.identity()?, 0)?;
    let to = along(&map.range()?.identity()?, 0)?;
    let steps = map.apply_domain(&from)?.apply_range(&to)?.deltas()?;
    most_of(&steps)
}

/// The largest of some numbers for any sizes, no less than 0; `None` without a bound.
fn most_of(numbers: &Set) -> Result<Option<i64>> {
    Ok(match numbers.project_out_all_params()?.dim_max_val(0)? {
        Bound::Finite(most) => Some(most.floor().max(0)),
        Bound::Empty => Some(0),
        Bound::Infinite => None,
    })
}

/// The constants of the order that are before the outermost iterator; `None` where it comes otherwise.
fn before_steps(stmt: &Statement) -> Result<Option<Vec<Option<i64>>>> {
    let own = iterators_of(&stmt.domain)?;
    let mut prefix = Vec::new();
    for time in stmt.schedule.to_pw_affs()? {
        match constant(&time)? {
            Some(number) => prefix.push(Some(number)),
            None => {
                let is_step = constant(&time.sub(&own[0])?)? == Some(0);
                return Ok(is_step.then_some(prefix));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
