//! The canonical form of a stencil (CGO'14 section 3.2): every statement
//! instance gets coordinates `[t, s0, .., sn]`, and its logical time is
//! `u = k t + slot`.
//!
//! The space coordinates of an instance are the subscripts of the element it
//! writes, without those that select a time buffer. That aligns nests of
//! different depth without help: `ey[0][j] = ..` lies at `s = (0, j)`. The paper
//! numbers the k nests; here statements that do not depend on each other within
//! a time step share a slot, so that boundary nests and independent fields do
//! not lengthen the logical time.

use crate::csource;
use crate::deps::{self, Dependence};
use crate::diag::{Diagnostic, Result};
use crate::options::Sums;
use crate::scop::{Access, ArrayId, Chunk, Scop, SourceFile, Statement};
use crate::tiling::reduction::{self, Reduction};
use hexcc_isl::{Bound, DimType, Map, PwAff, Set};
use std::collections::BTreeMap;

/// What a dimension of an array stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimRole {
    /// Selects a time buffer: some write's subscript depends on the time loop.
    Time,
    /// Only ever subscripted with constants.
    Plane,
    /// Runs along a space dimension.
    Space,
}

/// One statement in canonical coordinates.
#[derive(Clone, Debug)]
pub struct CanonicalStmt {
    /// Index in [`Scop::stmts`].
    pub stmt: usize,
    /// Position in the logical time step, `0 <= slot < k`.
    pub slot: i64,
    /// Statement instance to `[t, s0, .., sn]`; injective.
    pub to_canonical: Map,
    /// Instances as a set of `[t, s0, .., sn]`.
    pub domain: Set,
    /// `[t, s0, .., sn]` to the element written.
    pub write: Map,
    /// `[t, s0, .., sn]` to the elements read, in source order.
    pub reads: Vec<Map>,
}

/// A time loop around stencil statements, ready for tiling.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// Statements in textual order.
    pub stmts: Vec<CanonicalStmt>,
    /// Logical time steps per iteration of the time loop.
    pub k: i64,
    /// Number of space dimensions, n + 1 in the paper.
    pub n_space: usize,
    /// Names of `t, s0, .., sn`: the source's iterators where they coincide.
    pub names: Vec<String>,
    /// Role of every dimension of every array the statements touch.
    pub roles: BTreeMap<ArrayId, Vec<DimRole>>,
    /// Dependences with their distances `[du, ds0, .., dsn]`.
    pub deps: Vec<Dependence>,
    /// By index in [`Canonical::stmts`], statements that fold a value of each cell into a number of the time step. Tiles
    /// have to take them in any order, and dependences through these numbers are not among `deps`.
    pub recorded: BTreeMap<usize, Reduction>,
}

impl Canonical {
    /// The refusal of tiles that record no numbers of time steps, where the loop has such.
    pub fn records_nothing(&self, scop: &Scop, source: &SourceFile) -> Option<Box<Diagnostic>> {
        let first = self.recorded.keys().next()?;
        Some(not_injective(
            scop,
            source,
            &scop.stmts[self.stmts[*first].stmt],
        ))
    }

    /// Statements of a slot.
    pub fn in_slot(&self, slot: i64) -> impl Iterator<Item = (usize, &CanonicalStmt)> {
        (self.stmts.iter().enumerate()).filter(move |(_, s)| s.slot == slot)
    }
}

/// The largest number of space dimensions accepted.
pub const MAX_SPACE_DIMS: usize = 4;

/// Brings the statements of a chunk into canonical form, without dependences and slots, which [`depend`] finds; with
/// `records` some may fold into numbers of their time steps ([`Canonical::recorded`]), where sums are those that it says.
///
/// # Errors
/// HX0201 without a time loop, HX0203 where several iterations write one element, HX0205 for too many dimensions.
pub fn canonicalize(
    scop: &Scop,
    source: &SourceFile,
    chunk: &Chunk,
    records: Option<Sums>,
) -> Result<Canonical> {
    let stmts = scop.of_chunk(chunk);
    let no_time_loop = || {
        Box::new(
            Diagnostic::error("HX0201", "there is no time loop around the stencil")
                .at(chunk.span.clone(), "no outer loop repeats this computation")
                .note("time tiling reuses values over several sweeps; without a loop that repeats the sweep there is nothing to tile")
                .help("include the loop over time steps in the `#pragma scop` region"),
        )
    };
    let schedules: Vec<Vec<PwAff>> = (stmts.iter())
        .map(|s| Ok(s.schedule.to_pw_affs()?))
        .collect::<Result<_>>()?;
    let depth = schedules.iter().map(Vec::len).min().unwrap_or(0);
    let mut time_dim = None;
    for d in 0..depth {
        let mut constant = true;
        for s in &schedules {
            constant &= s[d].as_constant()?.is_some();
        }
        if !constant {
            time_dim = Some(d);
            break;
        }
    }
    let Some(time_dim) = time_dim else {
        return Err(no_time_loop());
    };
    let times: Vec<PwAff> = schedules.iter().map(|s| s[time_dim].clone()).collect();
    let times = normalize_time(&stmts, &times)?;
    let roles = array_roles(scop, &stmts, &times)?;

    let of_loop = (source, chunk);
    let recorded = (records.map(|s| recorded(scop, (&stmts, &times), &roles, (of_loop, s))))
        .transpose()?
        .unwrap_or_default();
    let coordinates = coordinates((&stmts, &times), &roles, &recorded)?;
    let n_space = coordinates.iter().map(Vec::len).max().unwrap_or(0);
    if n_space == 0 {
        // Every subscript follows the outermost loop: a single sweep.
        let sweeps = stmts
            .iter()
            .any(|s| roles[&s.write.array].contains(&DimRole::Time));
        return Err(if sweeps {
            no_time_loop()
        } else {
            only_scalars(scop, source, &stmts)
        });
    }
    if n_space > MAX_SPACE_DIMS {
        return Err(Box::new(
            Diagnostic::error("HX0205", format!("{n_space} space dimensions"))
                .at(chunk.span.clone(), "this nest")
                .note(format!(
                    "at most {MAX_SPACE_DIMS} space dimensions are supported"
                )),
        ));
    }

    let mut canonical = Vec::new();
    for ((stmt, time), space) in stmts.iter().zip(&times).zip(&coordinates) {
        let map = to_time_and_space(time, space, n_space)?.intersect_domain(&stmt.domain)?;
        let map = map.coalesce()?;
        if !map.is_injective()? {
            let elements = stmt.write.map.to_pw_affs()?;
            return Err(match tells_apart(stmt, time, &elements)? {
                true => times_and_cells(scop, source, stmt),
                false => not_injective(scop, source, stmt),
            });
        }
        canonical.push((stmt, map));
    }

    Ok(Canonical {
        names: dimension_names(
            scop,
            &stmts,
            &canonical.iter().map(|c| &c.1).collect::<Vec<_>>(),
            n_space,
        )?,
        stmts: (canonical.into_iter().zip(&chunk.stmts))
            .map(|((stmt, map), &index)| canonical_stmt(stmt, index, map))
            .collect::<Result<_>>()?,
        k: 1,
        n_space,
        roles,
        deps: Vec::new(),
        recorded,
    })
}

/// Finds the dependences and slots of the statements of a chunk.
///
/// # Errors
/// HX0201 where no iteration of the outermost loop reads what an earlier one has written, HX0203 where a space loop
/// carries a dependence.
pub fn depend(scop: &Scop, source: &SourceFile, chunk: &Chunk, c: &mut Canonical) -> Result<()> {
    deps::analyze(scop, source, c)?;
    for dep in c.deps.iter().filter(|d| d.kind == deps::DepKind::Flow) {
        let steps = dep.map.deltas()?.project_out_all_params()?;
        if !matches!(steps.dim_max_val(0)?, Bound::Finite(dt) if dt <= 0.into()) {
            return Ok(());
        }
    }
    Err(nothing_travels(scop, source, chunk, &c.names[0]))
}

/// `{ X -> [time, 0, .., space] }`.
fn to_time_and_space(time: &PwAff, space: &[PwAff], n_space: usize) -> Result<Map> {
    let mut map = time.to_map()?;
    for _ in space.len()..n_space {
        map = map.flat_range_product(&constant_like(&map, 0)?)?;
    }
    for f in space {
        map = map.flat_range_product(&f.to_map()?)?;
    }
    Ok(map)
}

/// The coordinates of statements along space: of one that writes a number of its own, or fewer dimensions than it reads,
/// those of the cell that it reads. A receiver, `trace[t] = u[30]`, lies at cell 30.
fn coordinates(
    (stmts, times): (&[&Statement], &[PwAff]),
    roles: &BTreeMap<ArrayId, Vec<DimRole>>,
    recorded: &BTreeMap<usize, Reduction>,
) -> Result<Vec<Vec<PwAff>>> {
    let of = |(s, (stmt, time)): (usize, (&&Statement, &PwAff))| {
        let own = space_of(&stmt.write, roles)?;
        let cell = at_cell(stmt, stmts, roles)?.filter(|cell| cell.len() > own.len());
        let Some(cell) = cell else {
            return Ok(own);
        };
        let suits = recorded.contains_key(&s)
            || tells_apart(stmt, time, &stmt.write.map.to_pw_affs()?)?
                && tells_apart(stmt, time, &cell)?;
        Ok(if suits { cell } else { own })
    };
    let all = stmts.iter().zip(times).enumerate();
    all.map(of).collect()
}

/// Whether no two instances of a statement in one time step have the same values.
fn tells_apart(stmt: &Statement, time: &PwAff, values: &[PwAff]) -> Result<bool> {
    let map = to_time_and_space(time, values, values.len())?;
    Ok(map.intersect_domain(&stmt.domain)?.is_injective()?)
}

/// The subscripts of an access along space.
fn space_of(access: &Access, roles: &BTreeMap<ArrayId, Vec<DimRole>>) -> Result<Vec<PwAff>> {
    let subscripts = access.map.to_pw_affs()?.into_iter();
    let of_space = subscripts.zip(&roles[&access.array]);
    Ok(of_space
        .filter(|(_, role)| **role == DimRole::Space)
        .map(|(f, _)| f)
        .collect())
}

/// The cell that a statement reads first, of the most dimensions, of what the time step writes.
fn at_cell(
    stmt: &Statement,
    stmts: &[&Statement],
    roles: &BTreeMap<ArrayId, Vec<DimRole>>,
) -> Result<Option<Vec<PwAff>>> {
    let is_written = |array| stmts.iter().any(|s| s.write.array == array);
    let mut most: Option<Vec<PwAff>> = None;
    let others = |read: &&Access| read.array != stmt.write.array && is_written(read.array);
    for read in stmt.reads.iter().filter(others) {
        let space = space_of(read, roles)?;
        if space.len() > most.as_ref().map_or(0, Vec::len) {
            most = Some(space);
        }
    }
    Ok(most)
}

/// By index, the statements that fold a value of each cell into a number of their time step, in any order: `if (d > most[t])
/// most[t] = d;`. Nothing else of the loop uses these numbers. Where the program looks at them before it relies on them,
/// any order will do for all terms but NaN, for all results but zero, and for sums if they may round otherwise.
fn recorded(
    scop: &Scop,
    (stmts, times): (&[&Statement], &[PwAff]),
    roles: &BTreeMap<ArrayId, Vec<DimRole>>,
    ((source, chunk), sums): ((&SourceFile, &Chunk), Sums),
) -> Result<BTreeMap<usize, Reduction>> {
    let is_looked_at = source.is_converging(&chunk.span);
    let mut found = BTreeMap::new();
    for (s, stmt) in stmts.iter().enumerate() {
        let array = stmt.write.array;
        let is_of_step = roles[&array] == [DimRole::Time];
        let Some(reduction) = is_of_step
            .then(|| reduction::of(stmt))
            .transpose()?
            .flatten()
        else {
            continue;
        };
        let uses = |other: &Statement| other.accesses().any(|access| access.array == array);
        let is_alone = !stmts
            .iter()
            .enumerate()
            .any(|(o, other)| o != s && uses(other));
        // Each step has an element of its own, and all cells of a step have one.
        let element = times[s].to_map()?.reverse()?.apply_range(&stmt.write.map)?;
        let is_own = element.is_single_valued()? && element.is_injective()?;
        let is_word = matches!(scop.array(array).elem.size(), 4 | 8);
        let reduction = match source.begins_with_zero(&scop.array(array).name) {
            true => reduction.from_zero(),
            false => reduction,
        };
        let is_ordered = reduction.ordered && !(is_looked_at && reduction.but_for.is_some());
        let is_exact = !reduction.rounds() || (is_looked_at && sums == Sums::Parallel);
        let has_order = is_ordered || reduction.fold.replaces();
        if is_alone && is_own && is_word && !has_order && is_exact {
            found.insert(s, reduction);
        }
    }
    Ok(found)
}

/// The refusal of a loop whose iterations do not build on each other.
fn nothing_travels(scop: &Scop, source: &SourceFile, chunk: &Chunk, name: &str) -> Box<Diagnostic> {
    let header = (csource::loop_headers(&source.text, scop.region.clone()).into_iter())
        .find(|(iterator, range)| iterator == name && chunk.span.contains(&range.start))
        .map_or_else(|| chunk.span.clone(), |(_, range)| range);
    Box::new(
        Diagnostic::error(
            "HX0201",
            format!("no iteration of `{name}` reads what an earlier one has written"),
        )
        .at(header, "this is no time loop")
        .note("time tiling reuses values over several sweeps; a single sweep, or one that repeats itself, has nothing to tile")
        .help("include the loop over time steps in the region, with all that its steps hand on"),
    )
}

fn canonical_stmt(stmt: &Statement, index: usize, to_canonical: Map) -> Result<CanonicalStmt> {
    let back = to_canonical.reverse()?;
    let access = |a: &Access| -> Result<Map> { Ok(back.apply_range(&a.map)?.coalesce()?) };
    Ok(CanonicalStmt {
        stmt: index,
        slot: 0,
        domain: to_canonical.range()?.coalesce()?,
        write: access(&stmt.write)?,
        reads: stmt.reads.iter().map(access).collect::<Result<_>>()?,
        to_canonical,
    })
}

/// `{ X -> [value] }` on the domain of `map`.
fn constant_like(map: &Map, value: i64) -> Result<Map> {
    let first = map.to_pw_affs()?;
    let zero = first[0].sub(&first[0])?;
    Ok(zero.add_constant(value)?.to_map()?)
}

/// Rewrites a time loop of stride m from constant c as `(t - c) / m`, so that
/// consecutive iterations have consecutive times.
fn normalize_time(stmts: &[&Statement], times: &[PwAff]) -> Result<Vec<PwAff>> {
    let mut range: Option<Set> = None;
    for (stmt, time) in stmts.iter().zip(times) {
        let values = time.to_map()?.intersect_domain(&stmt.domain)?.range()?;
        range = Some(match range {
            Some(all) => all.union(&values)?,
            None => values,
        });
    }
    let Some(range) = range else {
        return Ok(times.to_vec());
    };
    if range.is_empty()? {
        return Ok(times.to_vec());
    }
    let (stride, offset) = range.project_out_all_params()?.stride(0)?;
    let offset = offset.as_constant()?.map(|r| r.floor());
    match offset {
        Some(offset) if stride > 1 => (times.iter())
            .map(|t| Ok(t.add_constant(-offset)?.floor_div(stride)?))
            .collect(),
        _ => Ok(times.to_vec()),
    }
}

/// The subscripts of an access.
///
/// # Errors
/// HX0104 where rows or planes of the array have several lengths, so that they are no functions.
fn subscripts(scop: &Scop, stmt: &Statement, access: &Access) -> Result<Vec<PwAff>> {
    let error = match access.map.to_pw_affs() {
        Ok(subscripts) => return Ok(subscripts),
        Err(error) => error,
    };
    if error.quota || access.map.is_single_valued()? {
        return Err(error.into());
    }
    let name = &scop.array(access.array).name;
    let what = format!("the rows or planes of `{name}` are not told apart");
    Err(Box::new(
        Diagnostic::error("HX0104", what)
            .at(stmt.span.clone(), "in this statement")
            .note("subscripts of a flat array must tell one length of its rows and one of its planes, the same for all arrays that are used alike")
            .help("use the same variables for these lengths in all subscripts"),
    ))
}

fn array_roles(
    scop: &Scop,
    stmts: &[&Statement],
    times: &[PwAff],
) -> Result<BTreeMap<ArrayId, Vec<DimRole>>> {
    let mut roles: BTreeMap<ArrayId, Vec<DimRole>> = BTreeMap::new();
    for stmt in stmts {
        for access in stmt.accesses() {
            let n = scop.array(access.array).extents.len();
            let roles = roles
                .entry(access.array)
                .or_insert_with(|| vec![DimRole::Plane; n]);
            if !roles.contains(&DimRole::Plane) {
                continue;
            }
            for (role, f) in roles.iter_mut().zip(subscripts(scop, stmt, access)?) {
                if *role == DimRole::Plane
                    && f.intersect_domain(&stmt.domain)?.as_constant()?.is_none()
                {
                    *role = DimRole::Space;
                }
            }
        }
    }
    let is_written = |array| stmts.iter().any(|s| s.write.array == array);
    for (stmt, time) in stmts.iter().zip(times) {
        // Arrays that are only read have buffers too.
        let inputs = stmt.reads.iter().filter(|a| !is_written(a.array));
        for access in inputs.chain([&stmt.write]) {
            let Some(roles) = roles.get_mut(&access.array) else {
                continue;
            };
            for (role, f) in roles.iter_mut().zip(access.map.to_pw_affs()?) {
                if *role == DimRole::Space && depends_on_time(&f, time, stmt)? {
                    *role = DimRole::Time;
                }
            }
        }
    }
    Ok(roles)
}

/// Whether `f` varies with the time iterator while all other iterators stay.
fn depends_on_time(f: &PwAff, time: &PwAff, stmt: &Statement) -> Result<bool> {
    // Under a condition such as (i + t) % 2 == 0, a buffer (t + 1) % 2 is
    // fixed for every i, and is a buffer nevertheless.
    let domain = stmt.domain.remove_divs()?;
    let f = (f.gist(&stmt.domain)?.to_map()?).intersect_domain(&domain)?;
    let time = time.gist(&stmt.domain)?;
    let time = time.to_map()?.intersect_domain(&domain)?;
    for p in 0..f.dim(DimType::In)? {
        let without = time.project_out(DimType::In, p as u32, 1)?;
        if without.is_single_valued()? {
            continue;
        }
        // p is an iterator the time depends on.
        if !f
            .project_out(DimType::In, p as u32, 1)?
            .is_single_valued()?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Source iterator names where a canonical coordinate is an iterator in every
/// statement of full depth; `t`, `s0`, `s1`, .. otherwise.
fn dimension_names(
    scop: &Scop,
    stmts: &[&Statement],
    maps: &[&Map],
    n_space: usize,
) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for d in 0..=n_space {
        let mut name: Option<String> = None;
        let mut agreed = true;
        for (stmt, map) in stmts.iter().zip(maps) {
            let coordinates = map.to_pw_affs()?;
            let own = iterator_equal_to(stmt, &coordinates[d])?;
            match (&own, &name) {
                (Some(own), Some(name)) => agreed &= own == name,
                (Some(_), None) => name = own,
                (None, _) => {
                    agreed &= coordinates[d]
                        .intersect_domain(&stmt.domain)?
                        .as_constant()?
                        .is_some();
                }
            }
        }
        let fallback = if d == 0 {
            "t".to_string()
        } else {
            format!("s{}", d - 1)
        };
        let candidate = name.filter(|_| agreed).unwrap_or_else(|| fallback.clone());
        let taken = |n: &String| {
            names.contains(n) || scop.params.contains(n) || scop.arrays.iter().any(|a| a.name == *n)
        };
        let mut chosen = candidate;
        if taken(&chosen) {
            chosen = fallback;
        }
        while taken(&chosen) {
            chosen.push('_');
        }
        names.push(chosen);
    }
    Ok(names)
}

fn iterator_equal_to(stmt: &Statement, f: &PwAff) -> Result<Option<String>> {
    let identity = stmt.domain.identity()?.to_pw_affs()?;
    for (i, iterator) in identity.iter().enumerate() {
        let difference = f.sub(iterator)?.intersect_domain(&stmt.domain)?;
        if difference.as_constant()?.is_some_and(|c| c == 0.into()) {
            return Ok(stmt.domain.dim_name(DimType::Set, i as u32)?);
        }
    }
    Ok(None)
}

fn only_scalars(scop: &Scop, source: &SourceFile, stmts: &[&Statement]) -> Box<Diagnostic> {
    match stmts.first() {
        Some(stmt) => not_injective(scop, source, stmt),
        None => Box::new(Diagnostic::error("HX0102", "the scop has no statements")),
    }
}

/// The refusal of elements of which one subscript tells the time step and the cell.
fn times_and_cells(scop: &Scop, source: &SourceFile, stmt: &Statement) -> Box<Diagnostic> {
    let name = &scop.array(stmt.write.array).name;
    Box::new(
        Diagnostic::error(
            "HX0203",
            format!("a subscript of `{name}` changes with the time loop and with another one"),
        )
        .at(
            scop.access_span(&source.text, &stmt.write),
            "which time step, or which cell of it?",
        )
        .note("a subscript that changes with the time loop says in which step an element is written; where in the grid that happens, the others say")
        .help(format!("give the time loop a subscript of its own: `{name}[t][r]` instead of `{name}[t * n + r]`")),
    )
}

fn not_injective(scop: &Scop, source: &SourceFile, stmt: &Statement) -> Box<Diagnostic> {
    let name = &scop.array(stmt.write.array).name;
    let span = scop.access_span(&source.text, &stmt.write);
    let d = Diagnostic::error(
        "HX0203",
        format!("several iterations of one time step write the same element of `{name}`"),
    )
    .at(span.clone(), "written more than once per time step")
    .note("the space loops must be parallel: within a time step every element is written at most once by a statement");
    // A scalar that is no temporary for another one's sake says nothing by itself.
    let own = (scop.kept.iter()).find(|k| k.array == stmt.write.array);
    let kept = own.or(scop.kept.first());
    Box::new(match kept {
        Some(kept) if scop.array(stmt.write.array).is_variable() => {
            let d = if kept.span == stmt.span || kept.span == span {
                d.note(&kept.note)
            } else {
                d.also(kept.span.clone(), &kept.note)
            };
            d.help(&kept.help)
        }
        _ if scop.array(stmt.write.array).is_variable() => d.help(format!(
            "if `{name}` is a temporary, declare it inside the loop body; a reduction over space cannot be time-tiled"
        )),
        _ => d.help("give every iteration its own element, for example by one more subscript"),
    })
}
