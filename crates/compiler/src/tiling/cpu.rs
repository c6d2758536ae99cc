//! Hybrid hexagonal/classical tiling (CGO'14) for the cores of a CPU, as a [`Plan`]: the host runs
//! over time tiles and their two phases, cores share the hexagons of a phase, and each runs the
//! classical tiles, the rows and the points of its hexagon one after the other. Tiles compute in
//! the program's arrays; what they share stays in the cache of their core.

use super::stepwise::{Order, Plan, Step};
use super::{Analysis, refusals};
use crate::canonical::DimRole;
use crate::deps;
use crate::diag::Result;
use crate::model::Problem;
use crate::options::Options;
use crate::sched::{self, Hexagon, HybridSchedule, Phase, TileSizes};
use crate::scop::{ArrayId, Scop};
use crate::tile_size;
use hexcc_isl::{Map, Set};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that a tile works on, at most: what the second-level cache of a core keeps beside the rest.
const CACHE: f64 = 640.0 * 1024.0;

/// Heights of tiles that are tried, in time steps.
const HEIGHTS: [i64; 6] = [2, 4, 6, 8, 12, 16];

/// Widths of classical tiles that are tried: of the innermost dimension, and of the others.
const INNER_WIDTHS: [i64; 3] = [256, 512, 1024];
const OUTER_WIDTHS: [i64; 4] = [4, 8, 16, 32];

/// Hexagons of a phase, at least, so that the cores have something to share.
const FEWEST_HEXAGONS: f64 = 32.0;

/// The plan of a time loop in tiles.
///
/// # Errors
/// Those of tile sizes that the hexagon does not allow, HX0401 where isl gives up.
pub fn plan(scop: &Scop, analysis: &Analysis, options: &Options) -> Result<(HybridSchedule, Plan)> {
    let (canonical, cone) = (&analysis.canonical, &analysis.cone);
    let hex_dim = options.hex_dim.unwrap_or(0);
    let sizes = match &options.tile {
        Some(sizes) => sizes.clone(),
        None => default_sizes(scop, analysis, hex_dim)?,
    };
    let schedule = tile_size::schedule_for(canonical.k, hex_dim, cone, &sizes)
        .map_err(refusals::tile_error)?;
    let distances: Vec<Set> = deps::all_distances(canonical)?.into_iter().collect();
    sched::verify(&scop.ctx, &schedule, &distances).map_err(refusals::not_proven)?;
    let depth = 2 * schedule.n_space + 4;
    let n_tiles = 2 + schedule.n_space;
    let mut steps = Vec::new();
    for phase in schedule.phase_order {
        let mut orders = BTreeMap::new();
        for (q, stmt) in canonical.stmts.iter().enumerate() {
            let times = times(scop, &schedule, phase, (stmt.slot, q))?;
            let times = stmt.to_canonical.apply_range(&times)?;
            if !times.is_empty()? {
                orders.insert(stmt.stmt, Order::new(times)?);
            }
        }
        // A narrow domain may lie in the hexagons of one phase.
        if orders.is_empty() {
            continue;
        }
        steps.push(Step {
            reductions: BTreeMap::new(),
            hyperplanes: None,
            stmts: orders.keys().copied().collect(),
            host: vec![0],
            spread: vec![2],
            // Points of a row of one statement.
            free: (n_tiles + 2..depth).collect(),
            orders,
        });
    }
    let plan = Plan {
        expected: Vec::new(),
        steps,
        private: BTreeMap::new(),
        depth,
        names: names(&schedule, &canonical.names),
    };
    Ok((schedule, plan))
}

/// `{ [t, s0, .., sn] -> [T, p, S_hex, S_i.., a, q, b, c_i..] }`: the schedule of section 3.6 with
/// the place of the statement in a row.
fn times(
    scop: &Scop,
    schedule: &HybridSchedule,
    phase: Phase,
    (slot, q): (i64, usize),
) -> Result<Map> {
    let n = schedule.n_space;
    let space: String = (0..n).map(|d| format!(", s{d}")).collect();
    let k = schedule.k;
    let logical = format!("{{ [t{space}] -> [u{space}] : u = {k} t + {slot} }}");
    let tiles: String = (0..n + 2).map(|d| format!("x{d}, ")).collect();
    let points: String = (0..n).map(|d| format!(", y{d}")).collect();
    let placed = format!("{{ [{tiles}a{points}] -> [{tiles}a, {q}{points}] }}");
    let logical = Map::read(&scop.ctx, &logical)?;
    let placed = Map::read(&scop.ctx, &placed)?;
    let tiled = schedule.phase_map(&scop.ctx, phase)?;
    Ok(logical.apply_range(&tiled)?.apply_range(&placed)?)
}

/// What loops over the dimensions of the schedule are called; `of` names `t, s0, .., sn`.
fn names(schedule: &HybridSchedule, of: &[String]) -> Vec<String> {
    let space = |d: usize| of.get(d + 1).map_or("s", String::as_str);
    let classical = || schedule.classical.iter().map(|c| space(c.dim));
    let mut names: Vec<String> = ["time_tile", "phase", "hexagon"].map(String::from).into();
    names.extend(classical().map(|name| format!("tile_{name}")));
    names.extend(["row", "statement"].map(String::from));
    names.push(format!("{}_in", space(schedule.hex_dim)));
    names.extend(classical().map(|name| format!("{name}_in")));
    names
}

/// The sizes of tiles that fit into a cache with the least traffic for a point.
fn default_sizes(scop: &Scop, analysis: &Analysis, hex_dim: usize) -> Result<TileSizes> {
    let (canonical, cone) = (&analysis.canonical, &analysis.cone);
    let n = canonical.n_space;
    let extents = Problem::new(&vec![None; n + 1]).extents;
    let extent = |d: usize| extents.get(d).copied().unwrap_or(1.0);
    let point = bytes_of_point(scop, analysis)?;
    let slope = |slopes: &[hexcc_isl::Rational], d: usize| slopes.get(d).copied();
    let mut best: Option<(f64, TileSizes)> = None;
    for h in HEIGHTS.map(|steps| steps * canonical.k - 1) {
        let zero = hexcc_isl::Rational::from(0);
        let delta0 = slope(&cone.delta0, hex_dim).unwrap_or(zero);
        let delta1 = slope(&cone.delta1, hex_dim).unwrap_or(zero);
        let min = Hexagon::min_w0(h, delta0, delta1);
        for (wider, inner, outer) in widths() {
            let w0 = min.max(h) * wider;
            let width = |d: usize| match d {
                d if d == hex_dim => w0,
                d if d + 1 == n => inner,
                _ => outer,
            };
            let sizes = TileSizes {
                h,
                w: (0..n).map(width).collect(),
            };
            let Ok(schedule) = tile_size::schedule_for(canonical.k, hex_dim, cone, &sizes) else {
                continue;
            };
            let (rows, columns) = (schedule.hexagon.height(), schedule.hexagon.width() as f64);
            if extent(hex_dim) / columns < FEWEST_HEXAGONS {
                continue;
            }
            let (mut footprint, mut points) = (columns * point, schedule.hexagon.n_points() as f64);
            for c in &schedule.classical {
                let w = (c.w as f64).min(extent(c.dim));
                footprint *= (w + c.skew(rows - 1) as f64).min(extent(c.dim));
                points *= w;
            }
            let traffic = footprint / points;
            if footprint <= CACHE && best.as_ref().is_none_or(|(least, _)| traffic < *least) {
                best = Some((traffic, sizes));
            }
        }
    }
    let smallest = || TileSizes {
        h: 2 * canonical.k - 1,
        w: (0..n).map(|d| if d + 1 == n { 256 } else { 8 }).collect(),
    };
    Ok(best.map_or_else(smallest, |(_, sizes)| sizes))
}

/// Factors of the least width of hexagons, with widths of classical tiles.
fn widths() -> impl Iterator<Item = (i64, i64, i64)> {
    let inner = INNER_WIDTHS.iter();
    inner.flat_map(|inner| {
        let outer = OUTER_WIDTHS.iter();
        outer.flat_map(|outer| [1, 2, 4].map(|wider| (wider, *inner, *outer)))
    })
}

/// Bytes of all planes of all arrays that a point of space has.
fn bytes_of_point(scop: &Scop, analysis: &Analysis) -> Result<f64> {
    let canonical = &analysis.canonical;
    let arrays: BTreeSet<ArrayId> = canonical.roles.keys().copied().collect();
    let mut bytes = 0.0;
    for id in arrays {
        let roles = &canonical.roles[&id];
        if !roles.contains(&DimRole::Space) {
            continue;
        }
        let array = scop.array(id);
        let mut planes = 1.0;
        for (extent, role) in array.extents.iter().zip(roles) {
            if *role != DimRole::Space {
                let constant = extent.as_constant()?;
                planes *= constant.map_or(2.0, |n| n.floor().max(1) as f64);
            }
        }
        bytes += array.elem.size() as f64 * planes;
    }
    Ok(bytes)
}
