//! Dependences and the opposite dependence cone (CGO'14 sections 3.1, 3.3.2).
//!
//! Dependences are memory-based: flow, anti and output, from isl's dataflow
//! analysis. Storage is not expanded, so all three constrain the tiles.

mod flow;
mod sweeps;

use crate::canonical::Canonical;
use crate::csource;
use crate::diag::{Diagnostic, Result};
use crate::reach;
use crate::scop::{Access, ArrayId, Scop, SourceFile, Statement, are_apart, planes};
use flow::{Accessing, Orders, Problem, last_writers};
use hexcc_isl::{Bound, Ctx, DimType, Map, Rational, Set, UnionMap};
use std::collections::HashSet;
use std::fmt;
use sweeps::{first_own_read, named, part_of, whole};

/// Why one instance must wait for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepKind {
    /// Read after write.
    Flow,
    /// Write after read.
    Anti,
    /// Write after write.
    Output,
}

impl fmt::Display for DepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DepKind::Flow => "flow",
            DepKind::Anti => "anti",
            DepKind::Output => "output",
        })
    }
}

/// All dependences of one kind between two statements through one array.
#[derive(Clone, Debug)]
pub struct Dependence {
    /// Flow, anti or output.
    pub kind: DepKind,
    /// The array.
    pub array: ArrayId,
    /// Source statement, an index into [`Canonical::stmts`].
    pub source: usize,
    /// Target statement, an index into [`Canonical::stmts`].
    pub target: usize,
    /// The reads that may take part, indices into the reads of the target (flow)
    /// or the source (anti); none for an output dependence.
    pub reads: Vec<usize>,
    /// `[t, s..] -> [t', s'..]`.
    pub map: Map,
    /// Distances `[du, ds0, .., dsn]` in logical time and space, without
    /// parameters.
    pub distance: Set,
}

/// Bounds on the dependence distances per space dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepCone {
    /// `delta0[j] = max(0, max(ds_j / du))`.
    pub delta0: Vec<Rational>,
    /// `delta1[j] = max(0, max(-ds_j / du))`.
    pub delta1: Vec<Rational>,
}

/// Computes the dependences of a stencil and from them slots and k.
///
/// # Errors
/// HX0203 where two instances of the same time step depend on each other in a
/// way no order of statements can satisfy.
pub fn analyze(scop: &Scop, source: &SourceFile, c: &mut Canonical) -> Result<()> {
    let problems = problems(scop, c)?;
    let mut found: Vec<Found> = Vec::new();
    for (problem, writers) in problems.iter().zip(last_writers(&scop.ctx, &problems)?) {
        let deps = UnionMap::read(&scop.ctx, &writers)?;
        let deps = match problem.kind {
            DepKind::Anti => deps.reverse()?,
            DepKind::Flow | DepKind::Output => deps,
        };
        collect(scop, c, &mut found, problem, &deps)?;
    }
    assign_slots(scop, source, c, &found)?;
    for dep in found {
        let distance = logical(&scop.ctx, c, (dep.from, dep.to), &dep.distance)?;
        c.deps.push(Dependence {
            kind: dep.kind,
            array: dep.array,
            source: dep.from,
            target: dep.to,
            reads: dep.reads,
            map: dep.map,
            distance,
        });
    }
    Ok(())
}

/// The dataflow problems of all arrays.
fn problems(scop: &Scop, c: &Canonical) -> Result<Vec<Problem>> {
    let all = || c.stmts.iter().map(|s| &scop.stmts[s.stmt]);
    let stmts = whole(scop, all());
    // One problem per read keeps them small, and a read's next write is its
    // last write in the reversed order.
    let parts = all().filter_map(|s| Some((s, first_own_read(scop, s)?)));
    let reading: Vec<(&Statement, usize)> = (stmts.iter().map(|s| (*s, 0)).chain(parts)).collect();
    let orders = Orders::new(&reading.iter().map(|(s, _)| *s).collect::<Vec<_>>())?;
    let mut problems: Vec<Problem> = Vec::new();
    let is_recorded = |array: &ArrayId| {
        let mut recorded = c.recorded.keys().map(|&s| &scop.stmts[c.stmts[s].stmt]);
        recorded.any(|stmt| stmt.write.array == *array)
    };
    let all_arrays = (0..scop.arrays.len()).map(|i| ArrayId(i as u32));
    for array in all_arrays.filter(|array| !is_recorded(array)) {
        let mut writers = Vec::new();
        for stmt in stmts.iter().filter(|s| s.write.array == array) {
            writers.push(write_of(stmt)?);
        }
        if writers.is_empty() {
            continue;
        }
        let n_of_sink = if writers.len() <= FEW_WRITERS {
            writers.len()
        } else {
            1
        };
        for written in writers.chunks(n_of_sink) {
            let asked = (&[DepKind::Output][..], array, &[][..]);
            let involved = involved(&writers, written)?;
            problems.extend(Problem::of_kinds(
                &scop.ctx, asked, written, &involved, &orders,
            )?);
        }
        let mut seen = HashSet::new();
        for (stmt, first) in &reading {
            for sink in sinks(stmt, array, *first)? {
                // The same element read twice depends on the same instances.
                if !seen.insert(sink.map.to_string()) {
                    continue;
                }
                let planes = match sink.reads.len() {
                    1 => planes(&sink.map)?,
                    _ => Vec::new(),
                };
                let read = [Accessing {
                    stmt,
                    map: sink.map,
                    planes,
                }];
                let involved = involved(&writers, &read)?;
                let asked = (&[DepKind::Flow, DepKind::Anti][..], array, &sink.reads[..]);
                problems.extend(Problem::of_kinds(
                    &scop.ctx, asked, &read, &involved, &orders,
                )?);
            }
        }
    }
    Ok(problems)
}

/// What a statement writes.
fn write_of(stmt: &Statement) -> Result<Accessing<'_>> {
    Ok(Accessing {
        stmt,
        map: stmt.write.map.clone(),
        planes: planes(&stmt.write.map)?,
    })
}

/// The writers of which some instance writes what one of `sinks` accesses: of the parts of a domain most write elsewhere.
fn involved<'w, 's>(
    writers: &'w [Accessing<'s>],
    sinks: &[Accessing],
) -> Result<Vec<&'w Accessing<'s>>> {
    let mut involved = Vec::new();
    for writer in writers {
        let from = writer.map.reverse()?;
        for sink in sinks
            .iter()
            .filter(|sink| !are_apart(&writer.planes, &sink.planes))
        {
            if !sink.map.apply_range(&from)?.is_empty()? {
                involved.push(writer);
                break;
            }
        }
    }
    Ok(involved)
}

/// Statements that write an array of which all output dependences are one dataflow problem.
const FEW_WRITERS: usize = 4;

/// Reads of an array by a statement of which every one is a dataflow problem of its own.
const FEW_READS: usize = 32;

/// Reads that are one dataflow problem.
struct Sink {
    reads: Vec<usize>,
    map: Map,
}

/// The reads of an array from the `first` on. Where they are many, such as the 729 of a box of radius 4, those
/// whose elements together make up a row, a plane or a box are one.
fn sinks(stmt: &Statement, array: ArrayId, first: usize) -> Result<Vec<Sink>> {
    let reads = stmt.reads.iter().enumerate().skip(first);
    let mut all: Vec<Sink> = (reads.filter(|(_, read)| read.array == array))
        .map(|(r, read)| Sink {
            reads: vec![r],
            map: read.map.clone(),
        })
        .collect();
    if all.len() <= FEW_READS {
        return Ok(all);
    }
    if let Some(offsets) = offsets(&all)? {
        let mut sorted: Vec<(Vec<i64>, Sink)> = offsets.into_iter().zip(all).collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        all = sorted.into_iter().map(|(_, sink)| sink).collect();
    }
    loop {
        let n_before = all.len();
        let mut merged: Vec<Sink> = Vec::new();
        for sink in all {
            let union = match merged.last() {
                Some(last) => Some(last.map.union(&sink.map)?.coalesce()?),
                None => None,
            };
            match (union, merged.last_mut()) {
                (Some(map), Some(last)) if map.basic_maps()?.len() == 1 => {
                    last.map = map;
                    last.reads.extend(sink.reads);
                }
                _ => merged.push(sink),
            }
        }
        all = merged;
        if all.len() == n_before {
            return Ok(all);
        }
    }
}

/// The distances of the elements read from the first one's, where they are constants.
fn offsets(sinks: &[Sink]) -> Result<Option<Vec<Vec<i64>>>> {
    let Some(first) = sinks.first() else {
        return Ok(None);
    };
    let base = first.map.to_pw_affs()?;
    let mut all = Vec::new();
    for sink in sinks {
        let mut offset = Vec::new();
        for (f, base) in sink.map.to_pw_affs()?.iter().zip(&base) {
            let distance = f.sub(base)?.coalesce()?.as_constant()?;
            match distance {
                Some(distance) => offset.push(distance.floor()),
                None => return Ok(None),
            }
        }
        all.push(offset);
    }
    Ok(Some(all))
}

/// A dependence before slots are known.
struct Found {
    kind: DepKind,
    array: ArrayId,
    from: usize,
    to: usize,
    reads: Vec<usize>,
    map: Map,
    /// `[dt, ds..]`.
    distance: Set,
}

/// Brings isl's dependences between statement instances into canonical
/// coordinates; those of a sweep are those of its parts.
fn collect(
    scop: &Scop,
    c: &Canonical,
    found: &mut Vec<Found>,
    problem: &Problem,
    deps: &UnionMap,
) -> Result<()> {
    for map in deps.maps()? {
        let from = problem.name(map.tuple_name(DimType::In)?)?;
        let to = problem.name(map.tuple_name(DimType::Out)?)?;
        let map = map.set_tuple_name(DimType::In, from)?;
        let map = map.set_tuple_name(DimType::Out, to)?;
        let reads = |wanted: DepKind| problem.kind == wanted && !problem.reads.is_empty();
        let sources = named(
            scop,
            c,
            from,
            reads(DepKind::Anti).then_some(&problem.reads),
        )?;
        let targets = named(scop, c, to, reads(DepKind::Flow).then_some(&problem.reads))?;
        for &from in &sources {
            for &to in &targets {
                let map = part_of(scop, c, (from, to), &map)?;
                if !map.is_empty()? {
                    found.push(Found {
                        kind: problem.kind,
                        array: problem.array,
                        from,
                        to,
                        reads: problem.reads.clone(),
                        distance: distance(&map)?,
                        map,
                    });
                }
            }
        }
    }
    Ok(())
}

/// Distances `[dt, ds..]` of a dependence, parameters projected out.
fn distance(map: &Map) -> Result<Set> {
    Ok(map.deltas()?.project_out_all_params()?.coalesce()?)
}

/// The distances in logical time and space of dependences from one statement to another.
fn logical(ctx: &Ctx, c: &Canonical, (from, to): (usize, usize), distance: &Set) -> Result<Set> {
    let names: Vec<String> = (0..c.n_space).map(|j| format!("s{j}")).collect();
    let space = names.join(", ");
    let shift = c.stmts[to].slot - c.stmts[from].slot;
    let k = c.k;
    let to_logical = Map::read(
        ctx,
        &format!("{{ [dt, {space}] -> [{k} * dt + {shift}, {space}] }}"),
    )?;
    Ok(distance.apply(&to_logical)?.coalesce()?)
}

/// Gives every statement the first slot after all statements of the same time
/// step it depends on.
fn assign_slots(
    scop: &Scop,
    source: &SourceFile,
    c: &mut Canonical,
    found: &[Found],
) -> Result<()> {
    let mut edges = Vec::new();
    for dep in found {
        let distance = &dep.distance;
        if !matches!(distance.dim_min_val(0)?, Bound::Finite(dt) if dt >= 0.into()) {
            return Err(carried_by_space(scop, source, c, dep)?);
        }
        let same_step = distance.fix(DimType::Set, 0, 0)?;
        if !same_step.is_empty()? {
            if dep.from == dep.to {
                return Err(carried_by_space(scop, source, c, dep)?);
            }
            edges.push((dep.from, dep.to, dep));
        }
    }
    // Bellman-Ford style relaxation; more rounds than statements mean a cycle.
    for round in 0..=c.stmts.len() {
        let mut changed = false;
        for (from, to, dep) in &edges {
            if c.stmts[*to].slot <= c.stmts[*from].slot {
                if round == c.stmts.len() {
                    return Err(carried_by_space(scop, source, c, dep)?);
                }
                c.stmts[*to].slot = c.stmts[*from].slot + 1;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    c.k = c.stmts.iter().map(|s| s.slot).max().unwrap_or(0) + 1;
    Ok(())
}

/// The dependence's two accesses in the source.
pub(crate) fn dependence_labels(
    scop: &Scop,
    source: &SourceFile,
    c: &Canonical,
    dep: &Dependence,
    d: Diagnostic,
    distance: &str,
) -> Diagnostic {
    let stmt = |i: usize| &scop.stmts[c.stmts[i].stmt];
    let (sf, st) = (stmt(dep.source), stmt(dep.target));
    let read_of = |s: &Statement| -> Access {
        dep.reads
            .first()
            .and_then(|r| s.reads.get(*r))
            .unwrap_or(&s.write)
            .clone()
    };
    let (first, second) = match dep.kind {
        DepKind::Flow => (sf.write.clone(), read_of(st)),
        DepKind::Anti => (read_of(sf), st.write.clone()),
        DepKind::Output => (sf.write.clone(), st.write.clone()),
    };
    let (a, b) = (
        scop.access_span(&source.text, &first),
        scop.access_span(&source.text, &second),
    );
    let verb = |is_read: bool| if is_read { "read" } else { "written" };
    let (first, second) = (
        verb(dep.kind == DepKind::Anti),
        verb(dep.kind == DepKind::Flow),
    );
    if a == b {
        d.also(
            a,
            format!("{first} and {second} again at distance {distance}"),
        )
    } else {
        d.also(a, format!("{first} here"))
            .also(b, format!("{second} at distance {distance}"))
    }
}

fn carried_by_space(
    scop: &Scop,
    source: &SourceFile,
    c: &Canonical,
    dep: &Found,
) -> Result<Box<Diagnostic>> {
    let all = dep.distance.clone();
    let bad = all.intersect(&Set::read(
        &scop.ctx,
        &format!(
            "{{ [dt, {}] : dt <= 0 }}",
            (0..c.n_space)
                .map(|j| format!("s{j}"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    )?)?;
    let point = bad.sample_point()?.unwrap_or_default();
    let stmt = &scop.stmts[c.stmts[dep.to].stmt];
    let loops = csource::loop_headers(&source.text, scop.region.clone());
    let carrier = point.iter().position(|&x| x != 0).filter(|&d| d > 0);
    let carrier_name = carrier.map(|d| c.names[d].clone());
    let carrier_loop = (loops.iter().rev())
        .filter(|(_, r)| r.start < stmt.span.start)
        .find(|(name, _)| Some(name) == carrier_name.as_ref());
    let message = match (&carrier_name, carrier_loop) {
        (Some(name), Some(_)) => {
            format!("space loop `{name}` carries a dependence, so it cannot be tiled hexagonally")
        }
        (Some(_), None) => {
            "a loop over cells carries a dependence, so it cannot be tiled hexagonally".to_string()
        }
        _ => "statements of one time step depend on each other in both directions".to_string(),
    };
    let mut d = Diagnostic::error("HX0203", message);
    if let Some((_, range)) = carrier_loop {
        d = d.at(range.clone(), "this loop must be parallel");
    } else {
        d = d.at(stmt.span.clone(), "needs a value of the same time step");
    }
    let shown = format!("(dt, {}) = {}", space_names(c.n_space), show_point(&point));
    let is_bad = |map: &Map| -> Result<bool> {
        let here = Set::read(&scop.ctx, &format!("{{ {} }}", bracketed(&point)))?;
        Ok(!distance(map)?.is_disjoint(&here)?)
    };
    let shown_dep = Dependence {
        kind: dep.kind,
        array: dep.array,
        source: dep.from,
        target: dep.to,
        reads: read_with(
            c,
            (dep.kind, dep.from, dep.to),
            &dep.reads,
            &dep.map,
            is_bad,
        )?,
        map: dep.map.clone(),
        distance: all,
    };
    d = dependence_labels(scop, source, c, &shown_dep, d, &shown);
    let name = &scop.array(dep.array).name;
    let kind = dep.kind;
    Ok(Box::new(
        d.note(format!(
            "every dependence must be carried by the time loop `{}` (dt >= 1); this {kind} dependence through `{name}` is not",
            c.names[0]
        ))
        .help(format!(
            "write to a second time plane: `{name}[(t+1)%2][..] = f({name}[t%2][..], ..)`, or to a second array"
        )),
    ))
}

/// `ds0, ds1, ..` for messages.
pub fn space_names(n_space: usize) -> String {
    let names: Vec<String> = (0..n_space).map(|j| format!("ds{j}")).collect();
    names.join(", ")
}

pub(crate) fn show_point(point: &[i64]) -> String {
    let texts: Vec<String> = point.iter().map(ToString::to_string).collect();
    format!("({})", texts.join(", "))
}

/// A point in isl's notation.
fn bracketed(point: &[i64]) -> String {
    let texts: Vec<String> = point.iter().map(ToString::to_string).collect();
    format!("[{}]", texts.join(", "))
}

/// Of the reads that are one dataflow problem, the first for whose dependences `is_bad`
/// holds, so that a message shows that one.
fn read_with(
    c: &Canonical,
    (kind, from, to): (DepKind, usize, usize),
    reads: &[usize],
    map: &Map,
    is_bad: impl Fn(&Map) -> Result<bool>,
) -> Result<Vec<usize>> {
    if reads.len() < 2 {
        return Ok(reads.to_vec());
    }
    for &read in reads {
        let same_element = match kind {
            DepKind::Anti => {
                c.stmts[from].reads[read].apply_range(&c.stmts[to].write.reverse()?)?
            }
            DepKind::Flow | DepKind::Output => {
                (c.stmts[from].write).apply_range(&c.stmts[to].reads[read].reverse()?)?
            }
        };
        if is_bad(&map.intersect(&same_element)?)? {
            return Ok(vec![read]);
        }
    }
    Ok(Vec::new())
}

/// The opposite dependence cone of a stencil.
///
/// # Errors
/// HX0204 where the distance along a space dimension is not bounded by the
/// distance in time.
pub fn cone(scop: &Scop, source: &SourceFile, c: &Canonical) -> Result<DepCone> {
    let zero: Rational = 0.into();
    let mut cone = DepCone {
        delta0: vec![zero; c.n_space],
        delta1: vec![zero; c.n_space],
    };
    let Some(all) = all_distances(c)? else {
        return Ok(cone);
    };
    for j in 0..c.n_space {
        for (sign, side) in [(1, &mut cone.delta0), (-1, &mut cone.delta1)] {
            match max_slope(&scop.ctx, &all, c.n_space, j, sign)? {
                Some(slope) => side[j] = slope,
                None => return Err(blame(scop, source, c, j)?),
            }
        }
    }
    Ok(cone)
}

/// The distances of all dependences as one set, `None` without dependences:
/// many are equal, and isl coalesces those of a box stencil into a few boxes.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn all_distances(c: &Canonical) -> Result<Option<Set>> {
    let mut all: Option<Set> = None;
    for dep in &c.deps {
        all = Some(match all {
            Some(all) => all.union(&dep.distance)?,
            None => dep.distance.clone(),
        });
    }
    Ok(match all {
        Some(all) => Some(all.coalesce()?),
        None => None,
    })
}

/// The diagnostic for the first dependence without a slope along `j`.
fn blame(scop: &Scop, source: &SourceFile, c: &Canonical, j: usize) -> Result<Box<Diagnostic>> {
    for dep in &c.deps {
        for sign in [1, -1] {
            if max_slope(&scop.ctx, &dep.distance, c.n_space, j, sign)?.is_none() {
                return unbounded(scop, source, c, dep, j);
            }
        }
    }
    Ok(Box::new(Diagnostic::bug(
        "unbounded cone without a dependence",
    )))
}

/// A distance that no array has; what is bounded by the range of a type alone has no bound.
const FAR: i64 = 1 << 28;

/// `max(sign * ds_j / du)` over a set of distances with `du >= 1`, `None` where
/// unbounded; by Dinkelbach's iteration, each step an exact integer maximum.
fn max_slope(
    ctx: &Ctx,
    distances: &Set,
    n_space: usize,
    j: usize,
    sign: i64,
) -> Result<Option<Rational>> {
    let names: Vec<String> = (0..n_space).map(|i| format!("s{i}")).collect();
    let projected = distances.apply(&Map::read(
        ctx,
        &format!("{{ [u, {}] -> [u, {sign} * s{j}] }}", names.join(", ")),
    )?)?;
    let mut slope: Rational = match projected.dim_min_val(1)? {
        Bound::Empty => return Ok(Some(0.into())),
        _ => 0.into(),
    };
    loop {
        let (p, q) = (slope.num, slope.den);
        let excess = projected.apply(&Map::read(
            ctx,
            &format!("{{ [u, s] -> [{q} * s - {p} * u, u, s] }}"),
        )?)?;
        match excess.dim_max_val(0)? {
            Bound::Finite(max) if max <= 0.into() => return Ok(Some(slope)),
            Bound::Finite(max) if max >= FAR.into() => return Ok(None),
            Bound::Finite(max) => {
                let best = excess.fix(DimType::Set, 0, max.floor())?;
                match best.lexmin()?.sample_point()?.as_deref() {
                    Some([_, u, s]) if *u > 0 => slope = Rational::new(*s, *u)?,
                    _ => return Ok(None),
                }
            }
            Bound::Empty => return Ok(Some(slope)),
            Bound::Infinite => return Ok(None),
        }
    }
}

fn unbounded(
    scop: &Scop,
    source: &SourceFile,
    c: &Canonical,
    dep: &Dependence,
    j: usize,
) -> Result<Box<Diagnostic>> {
    let name = &scop.array(dep.array).name;
    let d = Diagnostic::error(
        "HX0204",
        format!(
            "the distance of a dependence along `{}` grows with the problem size",
            c.names[j + 1]
        ),
    );
    let stmt = &scop.stmts[c.stmts[dep.target].stmt];
    let d = d.at(stmt.span.clone(), "this statement is involved");
    let shown = format!("(dt, {}), with no bound on ds{j}", space_names(c.n_space));
    let is_bad = |map: &Map| -> Result<bool> {
        for sign in [1, -1] {
            let distance = logical(&scop.ctx, c, (dep.source, dep.target), &distance(map)?)?;
            if max_slope(&scop.ctx, &distance, c.n_space, j, sign)?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let ends = (dep.kind, dep.source, dep.target);
    let shown_dep = Dependence {
        reads: read_with(c, ends, &dep.reads, &dep.map, is_bad)?,
        ..dep.clone()
    };
    let d = dependence_labels(scop, source, c, &shown_dep, d, &shown);
    let mut d = d.note(format!("hexagonal tiles are bounded by the slope of the dependences, |ds| <= delta * dt; this one through `{name}` has none"));
    for help in reach::remedies(scop, c, &shown_dep, j)? {
        d = d.help(help);
    }
    Ok(Box::new(d))
}

/// A dependence with the cone's slope along dimension `j`, on the side where it
/// is larger, and one of its distances `(dt, ds..)` with this slope.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn steepest(
    scop: &Scop,
    c: &Canonical,
    cone: &DepCone,
    j: usize,
) -> Result<Option<(Dependence, Vec<i64>)>> {
    let (slope, sign) = match cone.delta0[j] >= cone.delta1[j] {
        true => (cone.delta0[j], 1),
        false => (cone.delta1[j], -1),
    };
    let names: Vec<String> = (0..c.n_space).map(|i| format!("s{i}")).collect();
    let (names, p, q) = (names.join(", "), slope.num, slope.den * sign);
    let steep = Set::read(
        &scop.ctx,
        &format!("{{ [u, {names}] : {q} * s{j} = {p} * u }}"),
    )?;
    // What is read says more than what is written again.
    let is_flow = |dep: &&Dependence| dep.kind == DepKind::Flow;
    let in_order = (c.deps.iter().filter(is_flow)).chain(c.deps.iter().filter(|d| !is_flow(d)));
    for dep in in_order {
        let point = dep.distance.intersect(&steep)?.sample_point()?;
        if let Some(mut point) = point.filter(|p| p.get(j + 1).is_some_and(|s| *s != 0)) {
            let shift = c.stmts[dep.target].slot - c.stmts[dep.source].slot;
            point[0] = (point[0] - shift) / c.k;
            let (from, to) = (dep.source, dep.target);
            let is_steep = |map: &Map| -> Result<bool> {
                let distance = logical(&scop.ctx, c, (from, to), &distance(map)?)?;
                Ok(!distance.intersect(&steep)?.is_empty()?)
            };
            let reads = read_with(c, (dep.kind, from, to), &dep.reads, &dep.map, is_steep)?;
            let dep = Dependence {
                reads,
                ..dep.clone()
            };
            return Ok(Some((dep, point)));
        }
    }
    Ok(None)
}
