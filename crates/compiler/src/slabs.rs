//! A time loop on several GPUs: each has a slab of the rows, along the outermost dimension of space.
//!
//! The slab of a GPU is the program on arrays of a parameter `count` of rows, of which the first is row `first` of the program's.
//! Statements run for the rows of the domain that lie in it, but for `rim` rows at either end, which are only read. Of the
//! others, `halo` rows at either end are another GPU's: before each launch they are copied from there. What the launch makes of them
//! goes wrong from the rim inwards, by the reach of the statements in each time step, and the halo is what a launch needs at
//! most: so the GPU's own rows are right. It is a torus ([`crate::periodic`]) whose other side is a neighbour.
//! Where rows go around, so that the last slab is the first one's neighbour, the program has no first and no last row
//! (`Torus::on_line`).
//!
//! isl checks that all rows that a statement reads are near the one that it writes; all else, bounds and proofs, is that of the
//! slab's program as of any other.

pub mod scaling;
mod steps;

use crate::clock::Clock;
use crate::compiled::{Compiled, InSlabs, Stepwise, TiledNest, Unit};
use crate::cost;
use crate::diag::{Diagnostic, Result};
use crate::interface::Interface;
use crate::kernel::{KernelArray, stream};
use crate::options::{Gpus, Options, Tiling};
use crate::periodic::{Torus, along, iterators_of};
use crate::region::{Region, tile, unit_name};
use crate::scop::{Access, Around, ArrayId, Chunk, Expr, Local, Scop, Statement};
use crate::tiling::overlapped::StreamKernel;
use crate::tiling::{Analysis, Kernel};
use crate::torus::{OnRing, as_few_beside};
use crate::{preference, stepwise};
use hexcc_isl::{AstBuild, AstExpr, Bound, DimType, Map, MultiPwAff, PwAff, Set};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The largest number of rows.
const MOST: i64 = i32::MAX as i64;

/// The largest distance between rows that a statement reads and writes.
const MOST_REACH: i64 = 16;

/// Along which dimension a time loop is split.
struct Split<'a> {
    /// The program; where its rows go around, on the line of all integers, without a first and a last one.
    line: Cow<'a, Scop>,
    is_ring: bool,
    /// By statement of the loop, its rows.
    stmts: Vec<(usize, Row)>,
    /// By array, the dimension of rows; none for arrays that every GPU has as a whole.
    dims: BTreeMap<ArrayId, usize>,
    /// The largest distance of a read.
    rim: i64,
    /// How far the statements of a time step reach together, at most.
    reach: i64,
    /// Rows beside a GPU's own of which later statements of a time step need what earlier ones make of them, at most.
    twice: i64,
}

/// The row that an instance of a statement writes.
struct Row {
    /// As a function of the instance.
    value: PwAff,
    /// The iterator that goes through the rows; none where all instances write the same one.
    iterator: Option<u32>,
}

/// The names of a slab's parameters.
struct Slab {
    /// The row of the program that is its first.
    first: String,
    /// How many rows it has.
    count: String,
    /// The first row that is written, and the first behind these; rows at the rim are neither.
    begin: String,
    end: String,
    /// The time step, where each is a launch of its own.
    time: String,
}

/// The time loop of a region on several GPUs.
///
/// # Errors
/// HX0511 where it cannot be split, or has no kernels for slabs.
pub(crate) fn compile(
    region: Region,
    around: Around,
    options: &Options,
    clock: Clock,
) -> Result<Compiled> {
    if options.language.is_c() {
        return Err(no_effect(&format!(
            "`--target {}`",
            options.language.name()
        )));
    }
    let warnings = region.in_double.iter().cloned().collect();
    let mut compiled = Compiled::of(region.scop.clone(), warnings, clock);
    match of_region(&region, around, options)? {
        Made::Tiles(nest) => compiled.tiled_nests.push(*nest),
        Made::Steps(part, why) => {
            compiled.stepwise.push(*part);
            compiled
                .warnings
                .extend(why.map(|why| stepwise::instead(*why)));
        }
    }
    Ok(compiled)
}

/// The refusal of `--gpus` together with what has no slabs.
pub(crate) fn no_effect(what: &str) -> Box<Diagnostic> {
    let message = format!("`--gpus` has no effect together with {what}");
    Box::new(Diagnostic::error("HX0509", message).help("leave one of the two away"))
}

/// What runs on a slab.
enum Made {
    Tiles(Box<TiledNest>),
    /// One launch per step; and why there are no tiles.
    Steps(Box<Stepwise>, Option<Box<Diagnostic>>),
}

fn of_region(region: &Region, around: Around, options: &Options) -> Result<Made> {
    let scop = region.of_steps();
    let mut chunks = scop.chunks.iter().filter(|c| !c.stmts.is_empty());
    let (Some(chunk), None) = (chunks.next(), chunks.next()) else {
        return Err(refusal(scop, None, "the region has several loops"));
    };
    if !scop.guards.doubts.is_empty() || !scop.cells.is_empty() {
        return Err(refusal(
            scop,
            Some(chunk),
            "it calls functions on cells, or tests data",
        ));
    }
    let in_steps = |why: Option<Box<Diagnostic>>| -> Result<Made> {
        let split = Split::of(scop, chunk)?;
        let part = split.in_steps((scop, chunk), &Slab::new(scop), around, options);
        Ok(Made::Steps(Box::new(part?), why))
    };
    if options.tiling == Tiling::Stepwise {
        return in_steps(None);
    }
    match of_tiles(region, around, options) {
        Ok(nest) => match options
            .may_prefer_steps()
            .then(|| preference::over_tiles(&nest.scop, &nest.unit))
        {
            Some(Ok(Some(why))) => match in_steps(Some(why)) {
                Err(d) if !d.is_bug() => Ok(Made::Tiles(Box::new(nest))),
                made => made,
            },
            _ => Ok(Made::Tiles(Box::new(nest))),
        },
        Err(why) if !why.is_bug() && options.may_step() => in_steps(Some(why)),
        Err(why) => Err(why),
    }
}

/// In overlapped tiles.
fn of_tiles(region: &Region, around: Around, options: &Options) -> Result<TiledNest> {
    let scop = &region.scop;
    let Some(chunk) = scop.chunks.iter().find(|c| !c.stmts.is_empty()) else {
        return Err(refusal(scop, None, "it has no statements"));
    };
    let ring = match Torus::find(scop, chunk)? {
        Some(torus) => torus.but_rows(scop, &dims_of_rows(scop, chunk)?)?,
        None => None,
    };
    let slab = Slab::new(scop);
    let made = match ring {
        Some(torus) => {
            let ring = OnRing::on(torus, scop, chunk);
            as_few_beside(|steps| {
                in_wider_rows(&ring, (scop, chunk), &slab, (around, options), steps)
            })
        }
        None => {
            let split = Split::of(scop, chunk)?;
            if region.is_refused() && !split.is_ring {
                return Err(region.refusal());
            }
            as_few_beside(|steps| {
                let nest = split.in_tiles((scop, chunk), &slab, around, options, steps);
                nest.map(Some)
            })
        }
    };
    made?.ok_or_else(|| refusal(scop, Some(chunk), "its rows go around, but not in tiles"))
}

/// The same where rows are rings, or planes tori: GPUs have further cells beside these, for launches of so many steps. `None` where
/// the kernel does not take it.
fn in_wider_rows(
    ring: &OnRing,
    (scop, chunk): (&Scop, &Chunk),
    slab: &Slab,
    (around, options): (Around, &Options),
    steps: i64,
) -> Result<Option<(TiledNest, i64)>> {
    let halo = steps * ring.torus.reach;
    let Some(wider) = ring.torus.lifted(scop, halo)? else {
        return Ok(None);
    };
    let split = Split::of(&wider, chunk)?;
    let (mut nest, most) = split.in_tiles((scop, chunk), slab, around, options, steps)?;
    let beside = ring.torus.beside(scop, halo);
    let found = ring.goes_around(&mut nest.unit, &beside)?;
    let (Some((_, sides)), Some(slabs), true) = (found, &mut nest.slabs, most <= steps) else {
        return Ok(None);
    };
    slabs.sides = sides;
    Ok(Some((nest, most)))
}

/// The outermost dimension that iterators but time go through, of every array that is written.
fn dims_of_rows(scop: &Scop, chunk: &Chunk) -> Result<BTreeMap<ArrayId, usize>> {
    let mut dims = BTreeMap::new();
    for &s in &chunk.stmts {
        let write = &scop.stmts[s].write;
        for (d, sub) in subscripts(&write.map)?.iter().enumerate() {
            if iterator_of(sub)?.flatten().is_some_and(|i| i > 0) {
                let known = dims.entry(write.array).or_insert(d);
                *known = d.min(*known);
                break;
            }
        }
    }
    Ok(dims)
}

/// What is said of a loop that has no slabs.
fn refusal(scop: &Scop, chunk: Option<&Chunk>, why: &str) -> Box<Diagnostic> {
    let span = chunk.map_or(scop.region.clone(), |c| c.span.clone());
    Box::new(
        Diagnostic::error("HX0511", "the loop cannot be split among GPUs")
            .at(span, why)
            .note(
                "each GPU has some rows of all arrays, and copies of a few rows of its neighbours'",
            )
            .help("leave `--gpus` away: the program then runs on one GPU"),
    )
}

impl Slab {
    /// Names that the program does not have.
    fn new(scop: &Scop) -> Slab {
        let fresh = |name: &str| {
            let is_taken = |name: &String| {
                scop.params.contains(name) || scop.arrays.iter().any(|a| a.name == *name)
            };
            let mut name = name.to_string();
            while is_taken(&name) {
                name.push('_');
            }
            name
        };
        Slab {
            first: fresh("slab_first"),
            count: fresh("slab_rows"),
            begin: fresh("slab_begin"),
            end: fresh("slab_end"),
            time: fresh("slab_time"),
        }
    }

    /// The parameter of this name, as a function without input.
    fn param(scop: &Scop, name: &str) -> Result<PwAff> {
        Ok(PwAff::read(
            &scop.ctx,
            &format!("[{name}] -> {{ [({name})] }}"),
        )?)
    }
}

/// The program without a first and a last row, where rows go around; `dims` are those of rows of arrays that are written.
fn ring_of_rows(
    scop: &Scop,
    chunk: &Chunk,
    dims: &BTreeMap<ArrayId, usize>,
) -> Result<Option<Scop>> {
    match Torus::find(scop, chunk)? {
        Some(torus) => match torus.along_rows(scop, dims)? {
            Some(rows) => rows.on_line(scop),
            None => Ok(None),
        },
        None => Ok(None),
    }
}

/// The subscripts of an access, without what its instances tell of them.
fn subscripts(map: &Map) -> Result<Vec<PwAff>> {
    let subs = map.to_pw_affs()?;
    let alone = subs.iter().map(|sub| Ok(sub.gist(&sub.domain()?)?));
    alone.collect()
}

/// The iterator that a subscript is, but for a number, or none where it is a function of sizes; `None` where it is something else.
fn iterator_of(sub: &PwAff) -> Result<Option<Option<u32>>> {
    if sub.n_piece()? != 1 {
        return Ok(None);
    }
    let (mut found, mut rest) = (None, sub.clone());
    for iterator in 0..sub.dim(DimType::In)? as u32 {
        match rest.take_term(DimType::In, iterator)? {
            Some((0, _)) => {}
            Some((1, without)) if found.is_none() => (found, rest) = (Some(iterator), without),
            _ => return Ok(None),
        }
    }
    let is_free = !rest.involves(DimType::In, 0, rest.dim(DimType::In)? as u32)?;
    Ok(is_free.then_some(found))
}

/// How far two functions are from each other at most, if that does not grow with the sizes.
fn distance(a: &PwAff, b: &PwAff) -> Result<Option<i64>> {
    let apart = a.sub(b)?;
    let ends = [apart.min_val()?, apart.max_val()?].map(|end| match end {
        Bound::Finite(end) => Some((end.num / end.den).abs()),
        _ => None,
    });
    let [Some(low), Some(high)] = ends else {
        return Ok(None);
    };
    Ok(Some(low.max(high)).filter(|&far| far <= MOST_REACH))
}

impl<'a> Split<'a> {
    /// # Errors
    /// HX0511 where there is no such dimension.
    fn of(scop: &'a Scop, chunk: &Chunk) -> Result<Split<'a>> {
        let no = |why: &str| refusal(scop, Some(chunk), why);
        let mut split = Split {
            line: Cow::Borrowed(scop),
            is_ring: false,
            stmts: Vec::new(),
            dims: dims_of_rows(scop, chunk)?,
            rim: 0,
            reach: 0,
            twice: 0,
        };
        if let Some(line) = ring_of_rows(scop, chunk, &split.dims)? {
            (split.line, split.is_ring) = (Cow::Owned(line), true);
        }
        for &s in &chunk.stmts {
            let stmt = &scop.stmts[s];
            if !is_simple(scop, stmt)? {
                return Err(no(
                    "a statement has cells of several elements, or of no one row",
                ));
            }
            let Some(d) = split.dims.get(&stmt.write.array) else {
                return Err(no("a statement writes no row of an array"));
            };
            let value = subscripts(&stmt.write.map)?.swap_remove(*d);
            let Some(iterator) = iterator_of(&value)?.filter(|i| *i != Some(0)) else {
                return Err(no(
                    "a statement writes rows that are no iterator and a number",
                ));
            };
            split.stmts.push((s, Row { value, iterator }));
        }
        split.measured(scop, chunk)
    }

    /// With its reach, where statements read rows that are near those that they write. What is only read and has no such rows,
    /// every GPU has as a whole.
    fn measured(mut self, scop: &Scop, chunk: &Chunk) -> Result<Split<'a>> {
        let no = |why: &str| refusal(scop, Some(chunk), why);
        let mut reaches = vec![0; self.stmts.len()];
        for array in (0..scop.arrays.len()).map(|i| ArrayId(i as u32)) {
            let mut all = Vec::new();
            for (n, (s, row)) in self.stmts.iter().enumerate() {
                let own = self.line.stmts[*s].accesses();
                let own = own.filter(|a| a.array == array);
                for access in own {
                    all.push((n, subscripts(&access.map)?, &row.value));
                }
            }
            let written = self.dims.get(&array).copied();
            let dims = match written {
                Some(d) => d..d + 1,
                None => 0..scop.array(array).extents.len(),
            };
            let mut found = None;
            for d in dims.filter(|_| !all.is_empty()) {
                let far = all.iter().map(|(_, subs, row)| match subs.get(d) {
                    Some(sub) => distance(sub, row),
                    None => Ok(None),
                });
                let far: Option<Vec<i64>> = far.collect::<Result<Vec<_>>>()?.into_iter().collect();
                if let Some(far) = far {
                    found = Some((d, far));
                    break;
                }
            }
            match found {
                Some((d, far)) => {
                    self.dims.insert(array, d);
                    for ((n, ..), far) in all.iter().zip(far) {
                        reaches[*n] = far.max(reaches[*n]);
                    }
                }
                None if written.is_some() && !all.is_empty() => {
                    return Err(no(
                        "a statement reads rows that are far from those that it writes",
                    ));
                }
                None => {}
            }
        }
        self.rim = reaches.iter().copied().max().unwrap_or_default();
        self.reach = reaches.iter().sum();
        self.twice = self.reach - reaches.iter().copied().min().unwrap_or_default();
        Ok(self)
    }

    /// The program on a slab.
    fn lifted(&self, scop: &Scop, slab: &Slab) -> Result<Scop> {
        let mut lifted = (*self.line).clone();
        let names = [&slab.first, &slab.count, &slab.begin, &slab.end];
        lifted.params.extend(names.map(String::clone));
        let [first, count, begin, end] = names.map(|name| Slab::param(scop, name));
        let (first, count, ends) = (first?, count?, [begin?, end?]);
        // Rows that are written are none of the rim, and the program writes them.
        let inside = (ends[0].ge_set(&ends[0].mul_val(0)?.add_constant(self.rim)?)?)
            .intersect(&ends[1].le_set(&count.add_constant(-self.rim)?)?)?;
        // As all sizes they fit into an `int`.
        let names: Vec<&str> = names
            .iter()
            .map(|name| name.as_str())
            .chain([slab.time.as_str()])
            .collect();
        let all: Vec<String> = (names
            .iter()
            .map(|name| format!("-{MOST} <= {name} <= {MOST}")))
        .collect();
        let small = Set::read(
            &scop.ctx,
            &format!("[{}] -> {{ : {} }}", names.join(", "), all.join(" and ")),
        )?;
        let mut inside = inside.intersect(&small)?;
        if !self.is_ring {
            let all = self.all_rows(scop)?;
            let [low, high] = [all.dim_min(0)?, all.dim_max(0)?];
            let last = anywhere(&high)?.add_constant(1)?;
            let written = (ends[0].add(&first)?.ge_set(&anywhere(&low)?)?)
                .intersect(&ends[1].add(&first)?.le_set(&last)?)?;
            inside = inside.intersect(&written)?;
        }
        lifted.context = scop.context.intersect_params(&inside)?;
        for (id, d) in &self.dims {
            lifted.arrays[id.index()].extents[*d] = count.clone();
        }
        let context = lifted.context.params()?;
        for (s, row) in &self.stmts {
            lifted.stmts[*s] =
                self.on_slab(&self.line.stmts[*s], row, (&first, &ends, &context))?;
        }
        Ok(lifted)
    }

    /// The rows that any statement writes.
    fn all_rows(&self, scop: &Scop) -> Result<Set> {
        let context = scop.context.params()?;
        let mut all: Option<Set> = None;
        for (s, row) in &self.stmts {
            let rows = row.value.intersect_domain(&scop.stmts[*s].domain)?;
            let rows = rows.to_map()?.range()?.intersect_params(&context)?;
            all = Some(match all {
                Some(before) => before.union(&rows)?,
                None => rows,
            });
        }
        let all = all.ok_or_else(|| refusal(scop, None, "it has no statements"))?;
        Ok(all.coalesce()?)
    }

    /// A statement on a slab.
    fn on_slab(
        &self,
        old: &Statement,
        row: &Row,
        (first, ends, context): (&PwAff, &[PwAff; 2], &Set),
    ) -> Result<Statement> {
        // By instance of the program, the one of the slab; and back.
        let to_slab = moved(&old.domain, row.iterator, &first.neg()?)?.to_map()?;
        let mut domain = old.domain.apply(&to_slab)?;
        for d in 0..domain.dim(DimType::Set)? as u32 {
            if let Some(name) = old.domain.dim_name(DimType::Set, d)? {
                domain = domain.set_dim_name(DimType::Set, d, &name)?;
            }
        }
        let back = moved(&domain, row.iterator, first)?;
        let local = row
            .value
            .pullback(&back)?
            .sub(&first.insert_domain(&domain)?)?;
        let begin = ends[0].insert_domain(&domain)?;
        let end = ends[1].insert_domain(&domain)?;
        let inside = local.ge_set(&begin)?.intersect(&local.lt_set(&end)?)?;
        // Those that a slab writes are rows that the program writes.
        let domain = domain.intersect(&inside)?.gist_params(context)?;
        let on_slab = |map: &Map| -> Result<Map> {
            Ok(map
                .apply_domain(&to_slab)?
                .gist_params(context)?
                .intersect_domain(&domain)?)
        };
        let access = |access: &Access| -> Result<Access> {
            let map = on_slab(&access.map)?;
            let map = match self.dims.get(&access.array) {
                Some(d) => lowered(&map, *d, first)?,
                None => map,
            };
            Ok(Access {
                map,
                ..access.clone()
            })
        };
        let mut failed = None;
        let mut value = |expr: &Expr| {
            expr.map_mut(&mut |e| match e {
                Expr::Affine { value, ty } => match on_slab_value(value, row.iterator, first) {
                    Ok(value) => Some(Expr::Affine { value, ty: *ty }),
                    Err(error) => {
                        failed = Some(error);
                        None
                    }
                },
                _ => None,
            })
        };
        let locals = (old.locals.iter())
            .map(|local| Local {
                value: value(&local.value),
                ..local.clone()
            })
            .collect();
        let computed = value(&old.value);
        if let Some(error) = failed {
            return Err(error);
        }
        Ok(Statement {
            schedule: on_slab(&old.schedule)?,
            write: access(&old.write)?,
            reads: old.reads.iter().map(access).collect::<Result<_>>()?,
            domain,
            locals,
            value: computed,
            ..old.clone()
        })
    }

    /// In tiles, with rows beside a slab for launches of so many steps; and how many steps launches have.
    fn in_tiles(
        &self,
        (scop, chunk): (&Scop, &Chunk),
        slab: &Slab,
        around: Around,
        options: &Options,
        steps: i64,
    ) -> Result<(TiledNest, i64)> {
        let gpus = options.gpus.unwrap_or(Gpus::All);
        let options = Options {
            tiling: Tiling::Overlapped,
            ..options.clone()
        };
        let lifted = self.lifted(scop, slab)?;
        let mut clock = Clock::new(&scop.ctx);
        let analysis = Analysis::new(&lifted, around.source, (chunk, None), &options, &mut clock)?;
        let name = unit_name(around, scop, 0, &options);
        let tiled = tile(
            &lifted,
            around.source,
            &analysis,
            &name,
            &options,
            &mut clock,
        )?;
        clock.end()?;
        let mut unit = Unit { analysis, tiled };
        let most = (unit
            .stream()
            .map(StreamKernel::instances)
            .unwrap_or_default()
            .iter())
        .map(|instance| instance.steps)
        .max();
        let most = most.unwrap_or(1);
        let slabs = self.slabs(
            (scop, chunk),
            slab,
            &mut unit,
            (steps.max(most) * self.reach, gpus),
        )?;
        let nest = TiledNest {
            scop: lifted,
            unit,
            periodic: None,
            slabs: Some(slabs),
        };
        Ok((nest, most))
    }

    /// What the program has, and, for the kernel, how many rows are beside a slab.
    fn slabs(
        &self,
        (scop, chunk): (&Scop, &Chunk),
        slab: &Slab,
        unit: &mut Unit,
        (halo, gpus): (i64, Gpus),
    ) -> Result<InSlabs> {
        let no = |why: &str| refusal(scop, Some(chunk), why);
        let (stencil, own) = match &mut unit.tiled.kernel {
            Kernel::Overlapped(StreamKernel::Rows(ir), _) => (&mut ir.stencil, &mut ir.slab),
            Kernel::Overlapped(StreamKernel::Planes(ir), _) => (&mut ir.stencil, &mut ir.slab),
            Kernel::Hybrid(_) => return Err(no("it has no overlapped tiles")),
        };
        let described = self.described(slab, halo);
        *own = Some(described.clone());
        let shared = self.shared((scop, chunk), &stencil.interface, described)?;
        Ok(InSlabs {
            launches: scaling::launches(unit, &shared.slab),
            gpus,
            ..shared
        })
    }

    /// What kernels are told of a slab with so many rows beside it.
    fn described(&self, slab: &Slab, halo: i64) -> stream::Slab {
        stream::Slab {
            launch: halo,
            reach: self.reach,
            rim: self.rim,
            first: slab.first.clone(),
            count: slab.count.clone(),
            begin: slab.begin.clone(),
            end: slab.end.clone(),
        }
    }

    /// What the program has of what kernels of a slab use.
    fn shared(
        &self,
        (scop, chunk): (&Scop, &Chunk),
        kernels: &Interface,
        slab: stream::Slab,
    ) -> Result<InSlabs> {
        let stmts = scop.of_chunk(chunk);
        let by_name = |name: &str| scop.arrays.iter().position(|a| a.name == name);
        let ids: Option<Vec<ArrayId>> = (kernels.arrays.iter())
            .map(|a| by_name(&a.name).map(|i| ArrayId(i as u32)))
            .collect();
        let Some(ids) = ids else {
            return Err(refusal(
                scop,
                Some(chunk),
                "it has arrays that the program does not have",
            ));
        };
        let arrays = (ids.as_slice(), kernels.arrays.clone());
        let interface = Interface {
            planes: kernels.planes.clone(),
            work: cost::of_time_loop(scop, &stmts),
            ..Interface::new(
                scop,
                &kernels.name,
                (&stmts, &[]),
                arrays,
                kernels.scalars.clone(),
            )?
        };
        let is_apart = |a: &KernelArray| a.shared.is_none() && !a.local;
        if !interface.members.is_empty() || !interface.arrays.iter().all(is_apart) {
            return Err(refusal(
                scop,
                Some(chunk),
                "its arrays are members of structs, or its own",
            ));
        }
        Ok(InSlabs {
            interface,
            slab,
            dims: ids.iter().map(|id| self.dims.get(id).copied()).collect(),
            sides: Vec::new(),
            rows: self.rows(scop, chunk)?,
            is_ring: self.is_ring,
            launches: 1,
            gpus: Gpus::All,
            steps: None,
        })
    }

    /// The first and the last row of the program that any statement writes, where all between are written, too.
    fn rows(&self, scop: &Scop, chunk: &Chunk) -> Result<[AstExpr; 2]> {
        let no = |why: &str| refusal(scop, Some(chunk), why);
        let (context, all) = (scop.context.params()?, self.all_rows(scop)?);
        let ends = [all.dim_min(0)?, all.dim_max(0)?];
        let own = &iterators_of(&all)?[0];
        let [low, high] = [ends[0].insert_domain(&all)?, ends[1].insert_domain(&all)?];
        let hull = own.ge_set(&low)?.intersect(&own.le_set(&high)?)?;
        if !hull.is_subset(&all)? {
            return Err(no("some rows are not written"));
        }
        let build = AstBuild::from_context(&scop.context)?;
        let sizes = context.intersect(&all.params()?)?;
        let end = |end: &PwAff| -> Result<AstExpr> {
            Ok(build.expr_from_pw_aff(&end.gist_params(&sizes)?)?)
        };
        Ok([end(&ends[0])?, end(&ends[1])?])
    }
}

/// A function of sizes without what it is defined for, where that is simple.
fn anywhere(function: &PwAff) -> Result<PwAff> {
    let simple = function.gist_params(&function.domain()?)?;
    Ok(if simple.n_piece()? == 1 {
        simple
    } else {
        function.clone()
    })
}

/// A function of instances of the program as one of instances of a slab.
fn on_slab_value(value: &PwAff, iterator: Option<u32>, first: &PwAff) -> Result<PwAff> {
    let Some(iterator) = iterator else {
        return Ok(value.clone());
    };
    let domain = value.domain()?.universe_like()?;
    Ok(value.pullback(&moved(&domain, Some(iterator), first)?)?)
}

/// Whether a statement accesses whole elements of arrays at places that are functions of its iterators.
fn is_simple(scop: &Scop, stmt: &Statement) -> Result<bool> {
    for access in stmt.accesses() {
        let array = scop.array(access.array);
        let is_scalar = array.extents.is_empty();
        if access.whole || array.variable && !is_scalar || !access.map.is_single_valued()? {
            return Ok(false);
        }
    }
    Ok(!scop.array(stmt.write.array).extents.is_empty())
}

/// The function from instances to those with so much added to an iterator.
fn moved(domain: &Set, iterator: Option<u32>, by: &PwAff) -> Result<MultiPwAff> {
    let mut all: Option<MultiPwAff> = None;
    for (i, value) in (0..).zip(iterators_of(domain)?) {
        let value = match iterator == Some(i) {
            true => value.add(&by.insert_domain(domain)?)?,
            false => value,
        };
        let own = MultiPwAff::from_pw_aff(&value)?;
        all = Some(match all {
            Some(before) => before.flat_range_product(&own)?,
            None => own,
        });
    }
    let all = all.ok_or_else(|| Diagnostic::bug("a statement without iterators"))?;
    Ok(match domain.tuple_name()? {
        Some(name) => all.set_tuple_name_out(&name)?,
        None => all,
    })
}

/// The access with `first` taken from subscript `d`.
fn lowered(map: &Map, d: usize, first: &PwAff) -> Result<Map> {
    let n = map.dim(DimType::Out)?;
    let domain = map.domain()?;
    let mut product: Option<Map> = None;
    for e in 0..n {
        let mut own = along(map, e)?;
        if e == d {
            let subs = own.to_pw_affs()?;
            let Some(sub) = subs.first() else { continue };
            own = sub.sub(&first.insert_domain(&domain)?)?.to_map()?;
        }
        product = Some(match product {
            Some(before) => before.flat_range_product(&own)?,
            None => own,
        });
    }
    let product = product.map_or_else(|| Ok(map.clone()), Ok::<_, Box<Diagnostic>>)?;
    Ok(product.named_as(map)?)
}
