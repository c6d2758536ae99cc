//! Footprints, copy-in and live-out sets of a tile (CGO'14 section 4.2), as
//! boxes relative to the tile's origin.
//!
//! Row slices of a tile are boxes and accesses are shifts of them, so the sets
//! a row reads and writes are boxes too and interval arithmetic is exact.

use super::{CopyRow, Interval, KernelAccess, KernelStmt, Row, SharedBox, SharedDim, Sub};
use crate::canonical::Canonical;
use crate::deps::DepKind;
use crate::diag::Result;
use hexcc_isl::Set;

/// The box of an array, `None` where an access is not a shift of the iteration
/// space, so that no box bounds it.
pub fn shared_box(
    rank: usize,
    array: usize,
    stmts: &[KernelStmt],
    rows: &[Row],
) -> Option<SharedBox> {
    let mut dims = Vec::new();
    for d in 0..rank {
        let mut dim: Option<SharedDim> = None;
        for (stmt, access) in accesses_of(stmts, array) {
            for row in rows.iter().filter(|r| r.slot == stmt.slot) {
                let next = row_extent(&access.subs[d], row)?;
                dim = Some(match dim {
                    None => next,
                    Some(dim) => join(dim, next)?,
                });
            }
        }
        dims.push(dim?);
    }
    // Without a space dimension there is nothing to share.
    if !dims.iter().any(|d| matches!(d, SharedDim::Space { .. })) {
        return None;
    }
    // Slices come before space dimensions in every layout the kernel prints.
    let first_space = dims
        .iter()
        .position(|d| matches!(d, SharedDim::Space { .. }))?;
    if dims[first_space..]
        .iter()
        .any(|d| !matches!(d, SharedDim::Space { .. }))
    {
        return None;
    }
    let n_slices = dims[..first_space].iter().map(SharedDim::size).product();
    let row_stride = dims.last().map_or(1, SharedDim::size);
    Some(SharedBox {
        dims,
        n_slices,
        copy_in: Vec::new(),
        byte_offset: 0,
        row_stride,
    })
}

fn accesses_of(
    stmts: &[KernelStmt],
    array: usize,
) -> impl Iterator<Item = (&KernelStmt, &KernelAccess)> {
    stmts.iter().flat_map(move |s| {
        (s.elements().chain([&s.write]))
            .filter(move |a| a.array == array)
            .map(move |a| (s, a))
    })
}

/// Range of one subscript over a row.
fn row_extent(sub: &Sub, row: &Row) -> Option<SharedDim> {
    Some(match sub {
        Sub::Time {
            modulo: Some(m), ..
        } => SharedDim::Time {
            modulo: Some(*m),
            lo: 0,
            size: *m,
        },
        Sub::Time {
            offset,
            modulo: None,
        } => SharedDim::Time {
            modulo: None,
            lo: row.t_in + offset,
            size: 1,
        },
        Sub::Const(c) => SharedDim::Plane { lo: *c, size: 1 },
        Sub::Space { dim, offset } => space(*dim, row.points[*dim].shift(*offset)),
        Sub::General {
            near: Some((dim, range)),
            ..
        } => {
            let p = row.points[*dim];
            space(
                *dim,
                Interval {
                    lo: p.lo + range.lo,
                    hi: p.hi + range.hi,
                },
            )
        }
        Sub::General { near: None, .. } => return None,
    })
}

fn space(dim: usize, range: Interval) -> SharedDim {
    SharedDim::Space {
        dim,
        lo: range.lo,
        size: range.len(),
    }
}

fn join(a: SharedDim, b: SharedDim) -> Option<SharedDim> {
    let hull = |lo_a: i64, size_a: i64, lo_b: i64, size_b: i64| {
        let lo = lo_a.min(lo_b);
        (lo, (lo_a + size_a).max(lo_b + size_b) - lo)
    };
    Some(match (a, b) {
        (
            SharedDim::Time { modulo, lo, size },
            SharedDim::Time {
                modulo: m,
                lo: l,
                size: s,
            },
        ) if modulo == m => {
            let (lo, size) = hull(lo, size, l, s);
            SharedDim::Time { modulo, lo, size }
        }
        (SharedDim::Plane { lo, size }, SharedDim::Plane { lo: l, size: s }) => {
            let (lo, size) = hull(lo, size, l, s);
            SharedDim::Plane { lo, size }
        }
        (
            SharedDim::Space { dim, lo, size },
            SharedDim::Space {
                dim: d,
                lo: l,
                size: s,
            },
        ) if dim == d => {
            let (lo, size) = hull(lo, size, l, s);
            SharedDim::Space { dim, lo, size }
        }
        _ => return None,
    })
}

/// Which slice of a box an access of a row touches, and the box of elements
/// relative to it; `None` where a slice subscript is not constant over the row.
pub fn touched(
    boxed: &SharedBox,
    access: &KernelAccess,
    row: &Row,
) -> Option<(i64, Vec<Interval>)> {
    let (mut slice, mut elements) = (0, Vec::new());
    for (dim, sub) in boxed.dims.iter().zip(&access.subs) {
        match (dim, sub) {
            (SharedDim::Time { lo, size, .. }, Sub::Time { offset, modulo }) => {
                let q = row.t_in + offset - lo;
                slice = slice * size + modulo.map_or(q, |m| q.rem_euclid(m));
            }
            (SharedDim::Plane { lo, size }, Sub::Const(c)) => slice = slice * size + (c - lo),
            (SharedDim::Space { lo, .. }, Sub::Space { dim, offset }) => {
                elements.push(row.points[*dim].shift(offset - lo));
            }
            (
                SharedDim::Space { lo, .. },
                Sub::General {
                    near: Some((dim, range)),
                    ..
                },
            ) => {
                let p = row.points[*dim];
                elements.push(Interval {
                    lo: p.lo + range.lo - lo,
                    hi: p.hi + range.hi - lo,
                });
            }
            _ => return None,
        }
    }
    Some((slice, elements))
}

/// Takes `b` from `a` as a box: exact where `b` covers `a` in all dimensions but
/// one and reaches an end of it; otherwise `a` stays whole (a superset).
fn subtract(a: &mut [Interval], b: &[Interval]) {
    let mut open = (0..a.len()).filter(|&d| !b[d].contains(a[d]));
    match (open.next(), open.next()) {
        (None, _) => a[0] = Interval::EMPTY,
        (Some(d), None) => {
            let (x, y) = (&mut a[d], b[d]);
            if !y.is_empty() && y.lo <= x.lo && y.hi >= x.lo {
                x.lo = y.hi + 1;
            } else if !y.is_empty() && y.hi >= x.hi && y.lo <= x.hi {
                x.hi = y.lo - 1;
            }
        }
        _ => {}
    }
}

/// Elements of the box a full tile reads before any of its rows has written
/// them, as one box per slice and row of the shared box.
pub fn copy_in(
    boxed: &SharedBox,
    array: usize,
    stmts: &[KernelStmt],
    rows: &[Row],
) -> Vec<Vec<CopyRow>> {
    let sizes: Vec<i64> = (boxed.dims.iter())
        .filter(|d| matches!(d, SharedDim::Space { .. }))
        .map(SharedDim::size)
        .collect();
    let (n_rows, column_dims) = if sizes.len() > 1 {
        (sizes[0], sizes.len() - 1)
    } else {
        (1, 1)
    };
    let empty = CopyRow {
        columns: vec![Interval::EMPTY; column_dims],
    };
    let mut result = vec![vec![empty; n_rows as usize]; boxed.n_slices as usize];
    // Elements written so far, per slice; only complete rows count.
    let mut written: Vec<Vec<Vec<Interval>>> = vec![Vec::new(); boxed.n_slices as usize];
    let mut rest = Vec::new();
    for row in rows {
        let active = || (stmts.iter()).filter(|s| s.slot == row.slot && !s.partial_only);
        for stmt in active() {
            for access in stmt.elements().filter(|a| a.array == array) {
                let Some((slice, elements)) = touched(boxed, access, row) else {
                    continue;
                };
                let slices = &mut result[slice as usize];
                for (r, copy) in slices.iter_mut().enumerate() {
                    let r = r as i64;
                    if sizes.len() > 1 && !(elements[0].lo <= r && r <= elements[0].hi) {
                        continue;
                    }
                    let skip = usize::from(sizes.len() > 1);
                    rest.clear();
                    rest.extend_from_slice(&elements[skip..]);
                    for w in &written[slice as usize] {
                        let covers_row = skip == 0 || (w[0].lo <= r && r <= w[0].hi);
                        if covers_row && !rest.iter().any(|i| i.is_empty()) {
                            subtract(&mut rest, &w[skip..]);
                        }
                    }
                    if rest.iter().any(|i| i.is_empty()) {
                        continue;
                    }
                    let was_empty = copy.columns.iter().any(|i| i.is_empty());
                    for (column, extra) in copy.columns.iter_mut().zip(&rest) {
                        *column = if was_empty {
                            *extra
                        } else {
                            column.hull(*extra)
                        };
                    }
                }
            }
        }
        for stmt in active().filter(|s| s.lattice.is_none() && s.write.array == array) {
            if let Some((slice, elements)) = touched(boxed, &stmt.write, row) {
                written[slice as usize].push(elements);
            }
        }
    }
    result
}

/// Distances enumerated at most; dependences with more are not uniform and all
/// their sources are stored.
const MAX_DISTANCES: usize = 256;

/// Instances of a statement, row by row, whose value no other tile reads: the
/// intersection of the row with all shifts of the tile by a flow distance.
pub fn keep_boxes(flows: &[Option<Vec<i64>>], rows: &[Row]) -> Vec<Vec<Interval>> {
    let mut keep: Vec<Vec<Interval>> = rows.iter().map(|r| r.points.clone()).collect();
    for point in flows {
        let Some((du, ds)) = point.as_ref().and_then(|p| p.split_first()) else {
            keep.iter_mut()
                .for_each(|boxes| boxes.fill(Interval::EMPTY));
            continue;
        };
        for (a, boxes) in keep.iter_mut().enumerate() {
            let target = usize::try_from(a as i64 + du)
                .ok()
                .and_then(|a| rows.get(a));
            for (j, interval) in boxes.iter_mut().enumerate() {
                *interval = match target {
                    Some(row) => interval.intersect(row.points[j].shift(-ds[j])),
                    None => Interval::EMPTY,
                };
            }
        }
    }
    keep
}

/// Distances of the flow dependences that start at a statement.
pub fn flow_distances(c: &Canonical, stmt: usize) -> Result<Vec<Option<Vec<i64>>>> {
    let mut all = Vec::new();
    for dep in (c.deps.iter()).filter(|d| d.kind == DepKind::Flow && d.source == stmt) {
        all.extend(distances(&dep.distance)?);
    }
    all.sort();
    all.dedup();
    Ok(all)
}

/// The points of a set of distances, or a single `None` where they are not
/// few.
fn distances(set: &Set) -> Result<Vec<Option<Vec<i64>>>> {
    Ok(match set.points(MAX_DISTANCES) {
        Ok(points) => points.into_iter().map(Some).collect(),
        Err(_) => vec![None],
    })
}
