//! Dependences that are bounded, but reach too far for tiles.
//!
//! A wrap-around over a constant number of cells has a slope, N - 1, and so has a
//! flat array, the length of its row. Tiles for such slopes are legal and useless:
//! they are as large as the domain, or so large that a few multiprocessors do all
//! the work. What decides is the slope compared with the extent; a small domain is
//! nothing to refuse.

use crate::canonical::{Canonical, DimRole};
use crate::deps::{self, DepCone, DepKind, Dependence};
use crate::diag::{Diagnostic, Result};
use crate::model::Problem;
use crate::sched::Hexagon;
use crate::scop::{Access, Scop, SourceFile};
use hexcc_isl::{DimType, Rational};

/// Cells that a time step may reach across in any domain: tiles for these slopes
/// are small.
const SHORT: i64 = 16;

/// A reach of this part of the extent makes tiles that span it.
const PART: i64 = 4;

/// What tiles of a time loop are compared with.
pub struct Ground<'a> {
    /// Extents per space dimension where they are constants.
    pub known: &'a [Option<i64>],
    /// Extents known or assumed.
    pub problem: &'a Problem,
    /// Multiprocessors of the GPU.
    pub sms: i64,
    /// The dimension tiled by hexagons.
    pub hex_dim: usize,
    /// Shared memory that a block may have, once no tile has fitted.
    pub nothing_fits: Option<i64>,
}

/// Why tiles along a dimension are of no use.
enum Useless {
    /// A tile is as large as the domain of so many cells.
    Spans(i64),
    /// Cells of the narrowest tile, and how many there are.
    Few(i64, i64),
    /// None fits into so many bytes.
    Memory(i64),
}

/// The refusal of a time loop whose dependences reach so far that tiling gives
/// nothing; `None` where they do not.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn refusal(
    scop: &Scop,
    source: &SourceFile,
    c: &Canonical,
    cone: &DepCone,
    ground: &Ground,
) -> Result<Option<Box<Diagnostic>>> {
    let reaches: Vec<i64> = (0..c.n_space)
        .map(|j| reach(cone.delta0[j].max(cone.delta1[j]), c.k))
        .collect();
    for (j, &reach) in reaches.iter().enumerate() {
        if let Some(why) = useless(c, cone, ground, (j, reach)) {
            let others = reaches.iter().enumerate();
            let other = others.filter(|(i, r)| *i != j && **r <= SHORT).map(|o| o.0);
            return explain(scop, source, c, cone, ground, (j, why), other.min()).map(Some);
        }
    }
    Ok(None)
}

/// Cells that values cross in a time step of k logical ones.
fn reach(slope: Rational, k: i64) -> i64 {
    let num = slope.num.saturating_mul(k);
    num / slope.den + i64::from(num % slope.den != 0)
}

fn useless(
    c: &Canonical,
    cone: &DepCone,
    ground: &Ground,
    (j, reach): (usize, i64),
) -> Option<Useless> {
    let spanned = (ground.known.get(j + 1).copied().flatten())
        .filter(|extent| reach.saturating_mul(PART) >= *extent);
    // Where nothing fits, a reach across a small domain is the reason, too.
    if let (Some(extent), true) = (spanned, reach > SHORT || ground.nothing_fits.is_some()) {
        return Some(Useless::Spans(extent));
    }
    if reach <= SHORT {
        return None;
    }
    if let Some(bytes) = ground.nothing_fits {
        return Some(Useless::Memory(bytes));
    }
    if j != ground.hex_dim {
        return None;
    }
    let (delta0, delta1) = (cone.delta0[j], cone.delta1[j]);
    let h = c.k - 1;
    let narrowest = Hexagon::new(h, Hexagon::min_w0(h, delta0, delta1), delta0, delta1);
    let n_tiles = ground.problem.extents.get(j)? / narrowest.width() as f64;
    (n_tiles < ground.sms as f64).then(|| Useless::Few(narrowest.width(), n_tiles.ceil() as i64))
}

fn explain(
    scop: &Scop,
    source: &SourceFile,
    c: &Canonical,
    cone: &DepCone,
    ground: &Ground,
    (j, why): (usize, Useless),
    other: Option<usize>,
) -> Result<Box<Diagnostic>> {
    let Some((dep, point)) = deps::steepest(scop, c, cone, j)? else {
        return Ok(Box::new(Diagnostic::bug("a slope without a dependence")));
    };
    let (name, cells) = (&c.names[j + 1], point[j + 1].abs());
    let far = format!("a dependence reaches across {cells} cells along `{name}`");
    let message = match why {
        Useless::Spans(extent) => {
            format!("{far}, which has {extent}")
        }
        Useless::Few(_, 1) => format!("{far}: a single tile does all"),
        Useless::Few(_, n) => format!("{far}: {n} tiles do all"),
        Useless::Memory(bytes) => {
            format!("{far}: no tile fits into {bytes} bytes of shared memory")
        }
    };
    let stmt = &scop.stmts[c.stmts[dep.target].stmt];
    let d =
        Diagnostic::error("HX0204", message).at(stmt.span.clone(), "this statement is involved");
    let names = deps::space_names(c.n_space);
    let shown = format!("(dt, {names}) = {}", deps::show_point(&point));
    let mut d = deps::dependence_labels(scop, source, c, &dep, d, &shown);
    d = d.note("a tile is at least as wide as the distance that values cross in a time step");
    if let Useless::Few(width, _) = why {
        let (extent, sms) = (
            ground.problem.extents.get(j).copied().unwrap_or(0.0),
            ground.sms,
        );
        d = d.note(format!(
            "here {width} cells of {extent}, and the GPU has {sms} multiprocessors to keep busy"
        ));
        if let Some(other) = other {
            let name = &c.names[other + 1];
            d = d.help(format!(
                "`--hex-dim {other}` tiles `{name}` by hexagons instead"
            ));
        }
    }
    for help in remedies(scop, c, &dep, j)? {
        d = d.help(help);
    }
    Ok(Box::new(d))
}

/// What can be done about a dependence that reaches far along dimension `j`.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn remedies(scop: &Scop, c: &Canonical, dep: &Dependence, j: usize) -> Result<Vec<String>> {
    let target = &c.stmts[dep.target];
    let written = &scop.stmts[target.stmt].write;
    if is_flat(scop, c, dep.target, j)? {
        let array = scop.array(written.array);
        let (name, ty) = (&array.name, array.elem);
        return Ok(vec![format!(
            "the flat array hides its rows of n cells. Write `{ty} (*rows)[n] = ({ty} (*)[n]){name};` before the region, and `rows[i][j]` instead of `{name}[i*n+j]`"
        )]);
    }
    let reader = match dep.kind {
        DepKind::Anti => dep.source,
        DepKind::Flow | DepKind::Output => dep.target,
    };
    let one_cell = |read: &usize| reads_one_cell(c, (reader, *read), j).unwrap_or(false);
    let read = dep.reads.iter().find(|&&read| one_cell(&read));
    let array = read.map(|&read| scop.array(scop.stmts[c.stmts[reader].stmt].reads[read].array));
    if let Some(variable) = array.filter(|a| a.variable) {
        let name = &variable.name;
        return Ok(vec![format!(
            "if the values of `{name}` do not depend on the arrays, store them before the region, one for each time step: `for (t = 0; t < T; t++) {{ .. values[t] = {name}; }}`, and read `values[t]` instead"
        )]);
    }
    if read.is_some() {
        return Ok(vec![
            "every cell reads the same one in every step, so no tile can run ahead of it; leave this loop to the host".to_string(),
        ]);
    }
    Ok(vec![
        "bring cells that need each other near each other. Fold a ring of cells in half: cell `i` and cell `N-1-i` lie side by side in two arrays. usage.md, \"Periodic boundaries\", shows how".to_string(),
    ])
}

/// Whether the coordinate is made of several loop iterators, as in `A[i*n+j]`.
fn is_flat(scop: &Scop, c: &Canonical, stmt: usize, j: usize) -> Result<bool> {
    let own = &c.stmts[stmt];
    let Access { array, map, .. } = &scop.stmts[own.stmt].write;
    let roles = c.roles.get(array).map(Vec::as_slice).unwrap_or_default();
    let mut space = (0..roles.len()).filter(|&d| roles[d] == DimRole::Space);
    // Statements of fewer dimensions lie at 0 of the outer ones.
    let n_own = space.clone().count();
    let Some(d) = (j + n_own)
        .checked_sub(c.n_space)
        .and_then(|i| space.nth(i))
    else {
        return Ok(false);
    };
    let subscript = map.to_pw_affs()?[d].to_map()?;
    let subscript = subscript.intersect_domain(&scop.stmts[own.stmt].domain)?;
    let mut n_iterators = 0;
    for p in 0..subscript.dim(DimType::In)? {
        let without = subscript.project_out(DimType::In, p as u32, 1)?;
        n_iterators += usize::from(!without.is_single_valued()?);
    }
    Ok(n_iterators > 1)
}

/// Whether a statement of more than one cell along `j` reads the same element in
/// all of them.
fn reads_one_cell(c: &Canonical, (stmt, read): (usize, usize), j: usize) -> Result<bool> {
    let stmt = &c.stmts[stmt];
    let Some(map) = stmt.reads.get(read) else {
        return Ok(false);
    };
    let (first, last) = (
        stmt.domain.dim_min(j as u32 + 1)?,
        stmt.domain.dim_max(j as u32 + 1)?,
    );
    let one_cell = last
        .sub(&first)?
        .as_constant()?
        .is_some_and(|n| n == 0.into());
    let without = map.project_out(DimType::In, j as u32 + 1, 1)?;
    Ok(!one_cell && without.is_single_valued()?)
}
