//! Dependences and the opposite dependence cone (CGO'14 sections 3.1, 3.3.2).
//!
//! Dependences are memory-based: flow, anti and output, from isl's dataflow
//! analysis. Storage is not expanded, so all three constrain the tiles.

use crate::canonical::{Canonical, CanonicalStmt};
use crate::csource;
use crate::diag::{Diagnostic, Result};
use crate::scop::{Access, ArrayId, Scop, SourceFile, Statement};
use hexcc_isl::{Bound, Ctx, DimType, Map, Rational, Set, UnionMap, compute_flow};
use std::fmt;

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
    let mut found = Vec::new();
    for id in (0..scop.arrays.len()).map(|i| ArrayId(i as u32)) {
        if !c.stmts.iter().any(|s| scop.stmts[s.stmt].write.array == id) {
            continue;
        }
        let writes = accesses(scop, c, |s| vec![&s.write], id)?;
        let reads = accesses(scop, c, |s| s.reads.iter().collect(), id)?;
        let mut schedule = UnionMap::empty(&scop.ctx)?;
        for s in &c.stmts {
            schedule = schedule.union(&UnionMap::from_map(&scop.stmts[s.stmt].schedule)?)?;
        }
        let empty = UnionMap::empty(&scop.ctx)?;
        let flow = compute_flow(&reads, &writes, &empty, &schedule)?;
        let output = compute_flow(&writes, &writes, &empty, &schedule)?;
        // With writes as killing sources, a read only reaches the next write.
        let anti = compute_flow(&writes, &writes, &reads, &schedule)?;
        let write_instances = writes.domain()?;
        let _ = write_instances;
        for (kind, dep) in [
            (DepKind::Flow, flow.must),
            (DepKind::Output, output.must.clone()),
            (DepKind::Anti, anti.may),
        ] {
            for map in dep.maps()? {
                let (Some(from), Some(to)) = (
                    map.tuple_name(DimType::In)?,
                    map.tuple_name(DimType::Out)?,
                ) else {
                    continue;
                };
                let position = |name: &str| {
                    (c.stmts.iter())
                        .position(|s| scop.stmts[s.stmt].name == name)
                        .ok_or_else(|| Box::new(Diagnostic::bug(format!("statement {name}"))))
                };
                let (from, to) = (position(&from)?, position(&to)?);
                let map = map
                    .apply_domain(&c.stmts[from].to_canonical)?
                    .apply_range(&c.stmts[to].to_canonical)?
                    .coalesce()?;
                if map.is_empty()? {
                    continue;
                }
                found.push((kind, id, from, to, map));
            }
        }
    }
    assign_slots(scop, source, c, &found)?;
    for (kind, array, from, to, map) in found {
        let distance = logical_distance(&scop.ctx, c, from, to, &map)?;
        c.deps.push(Dependence {
            kind,
            array,
            source: from,
            target: to,
            map,
            distance,
        });
    }
    Ok(())
}

fn accesses(
    scop: &Scop,
    c: &Canonical,
    pick: impl for<'a> Fn(&'a Statement) -> Vec<&'a Access>,
    array: ArrayId,
) -> Result<UnionMap> {
    let mut all = UnionMap::empty(&scop.ctx)?;
    for s in &c.stmts {
        for access in pick(&scop.stmts[s.stmt]) {
            if access.array == array {
                all = all.union(&UnionMap::from_map(&access.map)?)?;
            }
        }
    }
    Ok(all)
}

/// Distances `[dt, ds..]` of a dependence, parameters projected out.
fn distance(map: &Map) -> Result<Set> {
    Ok(map.deltas()?.project_out_all_params()?.coalesce()?)
}

fn logical_distance(ctx: &Ctx, c: &Canonical, from: usize, to: usize, map: &Map) -> Result<Set> {
    let names: Vec<String> = (0..c.n_space).map(|j| format!("s{j}")).collect();
    let space = names.join(", ");
    let shift = c.stmts[to].slot - c.stmts[from].slot;
    let k = c.k;
    let to_logical = Map::read(
        ctx,
        &format!("{{ [dt, {space}] -> [{k} * dt + {shift}, {space}] }}"),
    )?;
    Ok(distance(map)?.apply(&to_logical)?.coalesce()?)
}

type Found = (DepKind, ArrayId, usize, usize, Map);

/// Gives every statement the first slot after all statements of the same time
/// step it depends on.
fn assign_slots(scop: &Scop, source: &SourceFile, c: &mut Canonical, found: &[Found]) -> Result<()> {
    let mut edges = Vec::new();
    for dep in found {
        let (_, _, from, to, map) = dep;
        let distance = distance(map)?;
        if !matches!(distance.dim_min_val(0)?, Bound::Finite(dt) if dt >= 0.into()) {
            return Err(carried_by_space(scop, source, c, dep)?);
        }
        let same_step = distance.fix(DimType::Set, 0, 0)?;
        if !same_step.is_empty()? {
            if from == to {
                return Err(carried_by_space(scop, source, c, dep)?);
            }
            edges.push((*from, *to, dep));
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

/// The access of `stmt` that takes part in a dependence through `array`.
fn access_of<'a>(stmt: &'a Statement, array: ArrayId, reads: bool) -> &'a Access {
    (stmt.reads.iter())
        .find(|a| reads && a.array == array)
        .unwrap_or(&stmt.write)
}

/// The access of the target that really reaches the source's element at this
/// distance; a statement often reads one array at several offsets.
fn involved(
    c: &CanonicalStmt,
    other: &Map,
    stmt: &Statement,
    array: ArrayId,
    dep: &Map,
    target: bool,
) -> Result<usize> {
    for (i, (access, map)) in stmt.reads.iter().zip(&c.reads).enumerate() {
        if access.array != array {
            continue;
        }
        let relation = if target {
            other.apply_range(&map.reverse()?)?
        } else {
            map.apply_range(&other.reverse()?)?
        };
        if !relation.is_disjoint(dep)? {
            return Ok(i);
        }
    }
    Ok(0)
}

/// Source ranges of the two accesses of a dependence with their roles.
fn dependence_labels(
    scop: &Scop,
    source: &SourceFile,
    c: &Canonical,
    dep: (DepKind, ArrayId, usize, usize),
    map: &Map,
    d: Diagnostic,
    distance: &str,
) -> Result<Diagnostic> {
    let (kind, array, from, to) = dep;
    let (cf, ct) = (&c.stmts[from], &c.stmts[to]);
    let (sf, st) = (&scop.stmts[cf.stmt], &scop.stmts[ct.stmt]);
    let (first, second) = match kind {
        DepKind::Flow => {
            let i = involved(ct, &cf.write, st, array, map, true)?;
            let read = st.reads.get(i).unwrap_or_else(|| access_of(st, array, true));
            (&sf.write, read)
        }
        DepKind::Anti => {
            let i = involved(cf, &ct.write, sf, array, map, false)?;
            let read = sf.reads.get(i).unwrap_or_else(|| access_of(sf, array, true));
            (read, &st.write)
        }
        DepKind::Output => (&sf.write, &st.write),
    };
    let (a, b) = (
        scop.access_span(&source.text, sf, first),
        scop.access_span(&source.text, st, second),
    );
    let verb = |is_read: bool| if is_read { "read" } else { "written" };
    let (first, second) = (verb(kind == DepKind::Anti), verb(kind == DepKind::Flow));
    Ok(if a == b {
        d.also(a, format!("{first} and {second} again at distance {distance}"))
    } else {
        d.also(a, format!("{first} here"))
            .also(b, format!("{second} at distance {distance}"))
    })
}

fn carried_by_space(
    scop: &Scop,
    source: &SourceFile,
    c: &Canonical,
    dep: &Found,
) -> Result<Box<Diagnostic>> {
    let (kind, array, from, to, map) = dep;
    let all = distance(map)?;
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
    let stmt = &scop.stmts[c.stmts[*to].stmt];
    let loops = csource::loop_headers(&source.text, scop.region.clone());
    let carrier = point.iter().position(|&x| x != 0).filter(|&d| d > 0);
    let carrier_name = carrier.map(|d| c.names[d].clone());
    let carrier_loop = (loops.iter().rev())
        .filter(|(_, r)| r.start < stmt.span.start)
        .find(|(name, _)| Some(name) == carrier_name.as_ref());
    let message = match (&carrier_name, carrier_loop) {
        (Some(name), Some(_)) => format!(
            "space loop `{name}` carries a dependence, so it cannot be tiled hexagonally"
        ),
        _ => "statements of one time step depend on each other in both directions".to_string(),
    };
    let mut d = Diagnostic::error("HX0203", message);
    if let Some((_, range)) = carrier_loop {
        d = d.at(range.clone(), "this loop must be parallel");
    } else {
        d = d.at(stmt.span.clone(), "needs a value of the same time step");
    }
    let shown = format!("(dt, {}) = {}", space_names(c.n_space), show_point(&point));
    d = dependence_labels(scop, source, c, (*kind, *array, *from, *to), map, d, &shown)?;
    let name = &scop.array(*array).name;
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

fn show_point(point: &[i64]) -> String {
    let texts: Vec<String> = point.iter().map(ToString::to_string).collect();
    format!("({})", texts.join(", "))
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
    for dep in &c.deps {
        for j in 0..c.n_space {
            for (sign, side) in [(1, &mut cone.delta0), (-1, &mut cone.delta1)] {
                let slope = max_slope(&scop.ctx, &dep.distance, c.n_space, j, sign)?
                    .ok_or_else(|| unbounded(scop, source, c, dep, j));
                match slope {
                    Ok(slope) => side[j] = side[j].max(slope),
                    Err(diagnostic) => return Err(diagnostic?),
                }
            }
        }
    }
    Ok(cone)
}

/// `max(sign * ds_j / du)` over a set of distances with `du >= 1`, `None` where
/// unbounded; by Dinkelbach's iteration, each step an exact integer maximum.
fn max_slope(ctx: &Ctx, distances: &Set, n_space: usize, j: usize, sign: i64) -> Result<Option<Rational>> {
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

fn unbounded(scop: &Scop, source: &SourceFile, c: &Canonical, dep: &Dependence, j: usize) -> Result<Box<Diagnostic>> {
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
    let shown = format!("{} in (dt, {})", dep.distance, space_names(c.n_space));
    let d = dependence_labels(
        scop,
        source,
        c,
        (dep.kind, dep.array, dep.source, dep.target),
        &dep.map,
        d,
        &shown,
    )?;
    Ok(Box::new(
        d.note("hexagonal tiles are bounded by the slope of the dependences, |ds| <= delta * dt; wrap-around and mirrored accesses have none")
            .help(format!(
                "for periodic boundaries keep ghost cells in `{name}` and update them outside the time loop, or treat a fixed number of time steps per halo exchange"
            )),
    ))
}
