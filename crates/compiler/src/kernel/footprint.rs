//! Footprints, copy-in and live-out sets of a tile (CGO'14 section 4.2), as
//! boxes relative to the tile's origin.
//!
//! Row slices of a tile are boxes and accesses are shifts of them, so the sets
//! a row reads and writes are boxes too and interval arithmetic is exact.

use super::{CopyBox, Interval, KernelAccess, KernelStmt, Row, SharedBox, SharedDim, Sub};
use crate::canonical::Canonical;
use crate::deps::DepKind;
use crate::diag::Result;
use hexcc_isl::Set;

/// The box of an array, `None` where an access is not a shift of the iteration
/// space, so that no box bounds it. For the space dimension `dim` along the innermost
/// one, `grain(dim)` gives the elements of a copy, and those at whose multiples the
/// box starts and ends: a sector, so that a sector in the array is one in shared memory.
pub fn shared_box(
    rank: usize,
    array: usize,
    stmts: &[KernelStmt],
    rows: &[Row],
    grain: &dyn Fn(usize) -> (i64, i64),
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
    // A subscript that is mirrored within a constant size can be near any
    // coordinate; a box has at most one dimension along each.
    let mut along = Vec::new();
    for dim in &dims[first_space..] {
        if let SharedDim::Space { dim, .. } = dim {
            if along.contains(dim) {
                return None;
            }
            along.push(*dim);
        }
    }
    let n_slices = dims[..first_space].iter().map(SharedDim::size).product();
    let mut vector_of_rows = 1;
    if let Some(SharedDim::Space { dim, lo, size }) = dims.last_mut() {
        let (vector, sector) = grain(*dim);
        let end = (*lo + *size + sector - 1).div_euclid(sector) * sector;
        *lo = lo.div_euclid(sector) * sector;
        *size = end - *lo;
        vector_of_rows = vector;
    }
    let row_stride = dims.last().map_or(1, SharedDim::size);
    Some(SharedBox {
        dims,
        n_slices,
        vector: vector_of_rows,
        copy_in: Vec::new(),
        copy_next: Vec::new(),
        copy_out: None,
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

/// Elements of one slice of a shared box, one interval per space dimension.
type Elements = Vec<Interval>;

fn is_empty(elements: &[Interval]) -> bool {
    elements.iter().any(|e| e.is_empty())
}

fn volume(elements: &[Interval]) -> i64 {
    elements.iter().map(|e| e.len()).product()
}

fn hull(a: &[Interval], b: &[Interval]) -> Elements {
    a.iter().zip(b).map(|(x, y)| x.hull(*y)).collect()
}

/// `a - b` as disjoint boxes.
fn subtract(mut a: Elements, b: &[Interval], rest: &mut Vec<Elements>) {
    let overlap: Elements = a.iter().zip(b).map(|(x, y)| x.intersect(*y)).collect();
    if is_empty(&overlap) {
        rest.push(a);
        return;
    }
    for (d, o) in overlap.iter().enumerate() {
        for side in [
            Interval {
                lo: a[d].lo,
                hi: o.lo - 1,
            },
            Interval {
                lo: o.hi + 1,
                hi: a[d].hi,
            },
        ] {
            if !side.is_empty() {
                let mut piece = a.clone();
                piece[d] = side;
                rest.push(piece);
            }
        }
        a[d] = *o;
    }
}

/// The boxes without those of `minus`.
fn subtract_all(mut boxes: Vec<Elements>, minus: &[Elements]) -> Vec<Elements> {
    for b in minus {
        if boxes.is_empty() {
            break;
        }
        let mut rest = Vec::new();
        for a in boxes {
            subtract(a, b, &mut rest);
        }
        boxes = rest;
    }
    boxes
}

/// What a full tile does to one slice of a shared box: disjoint boxes of
/// elements that it reads before any of its rows has written them, and boxes
/// that it writes.
#[derive(Clone, Debug, Default)]
pub struct SliceUse {
    needed: Vec<Elements>,
    written: Vec<Elements>,
}

/// Use of every slice, exact.
pub fn slice_uses(
    boxed: &SharedBox,
    array: usize,
    stmts: &[KernelStmt],
    rows: &[Row],
) -> Vec<SliceUse> {
    let mut uses = vec![SliceUse::default(); boxed.n_slices as usize];
    for row in rows {
        let active = || (stmts.iter()).filter(|s| s.slot == row.slot && !s.partial_only);
        for access in active().flat_map(KernelStmt::elements) {
            if access.array != array {
                continue;
            }
            let Some((slice, elements)) = touched(boxed, access, row) else {
                continue;
            };
            let u = &mut uses[slice as usize];
            let mut rest = vec![elements];
            rest.retain(|e| !is_empty(e));
            rest = subtract_all(rest, &u.written);
            rest = subtract_all(rest, &u.needed);
            u.needed.extend(rest);
        }
        for stmt in active().filter(|s| s.lattice.is_none() && s.write.array == array) {
            if let Some((slice, elements)) = touched(boxed, &stmt.write, row)
                && !is_empty(&elements)
            {
                let written = &mut uses[slice as usize].written;
                if !written.contains(&elements) {
                    written.push(elements);
                }
            }
        }
    }
    uses
}

/// Number of elements a full tile needs from outside.
pub fn n_needed(uses: &[SliceUse]) -> i64 {
    (uses.iter().flat_map(|u| &u.needed))
        .map(|e| volume(e))
        .sum()
}

/// Copies by `threads` threads for a full tile that reuses nothing.
pub fn copy_in(boxed: &SharedBox, uses: &[SliceUse], threads: i64) -> Vec<CopyBox> {
    (uses.iter().enumerate())
        .flat_map(|(slice, u)| cover(boxed, slice, &u.needed, threads))
        .collect()
}

/// Copies of the first tile and of the following tiles of a chain of full tiles
/// along position `at` of the box, `w` apart; `None` where the shared box is so
/// long that the chain cannot be reused.
///
/// A following tile finds the elements below `cut = size - w` where its
/// predecessor left them, and copies the others. For that the predecessor also
/// copies what only its successor needs. Nothing it finds is older than what
/// global memory holds, and nothing it copies was computed by the predecessor
/// and not stored: all that the predecessor writes lies below its box's end, so
/// below `cut` in the successor's coordinates.
pub fn copy_in_chain(
    boxed: &SharedBox,
    uses: &[SliceUse],
    at: usize,
    w: i64,
    threads: i64,
) -> Option<(Vec<CopyBox>, Vec<CopyBox>)> {
    let size = *boxed.space_sizes().get(at)?;
    let cut = size - w;
    if cut > w || cut < 0 {
        return None;
    }
    let clip = |boxes: &[Elements], range: Interval, by: i64| -> Vec<Elements> {
        let mut clipped = boxes.to_vec();
        for b in &mut clipped {
            b[at] = b[at].intersect(range).shift(by);
        }
        clipped.retain(|b| !is_empty(b));
        clipped
    };
    let old = Interval { lo: 0, hi: cut - 1 };
    let new = Interval {
        lo: cut,
        hi: size - 1,
    };
    let (mut first, mut next) = (Vec::new(), Vec::new());
    for (slice, u) in uses.iter().enumerate() {
        // What the successor reuses and this tile does not compute.
        let ahead = subtract_all(clip(&u.needed, old, w), &u.written);
        let mut load = u.needed.clone();
        load.extend(subtract_all(ahead, &u.needed));
        let copies = cover(boxed, slice, &clip(&load, new, 0), threads);
        // The successor finds everything: proven on the boxes themselves.
        let found: Vec<Elements> = (copies.iter().map(|c| c.elements.clone()))
            .chain(u.written.iter().cloned())
            .collect();
        let found = clip(
            &found,
            Interval {
                lo: w,
                hi: size - 1,
            },
            -w,
        );
        if !subtract_all(clip(&u.needed, old, 0), &found).is_empty() {
            return None;
        }
        next.extend(copies);
        first.extend(cover(boxed, slice, &load, threads));
    }
    Some((first, next))
}

/// Disjoint boxes of exactly the elements that a full tile writes; `None` where
/// a statement does not write the whole box of a row.
pub fn copy_out(array: usize, stmts: &[KernelStmt], uses: &[SliceUse]) -> Option<Vec<CopyBox>> {
    let general = |s: &Sub| matches!(s, Sub::General { .. });
    let in_part = |s: &KernelStmt| s.lattice.is_some() || s.write.subs.iter().any(general);
    let mut writers = (stmts.iter()).filter(|s| s.write.array == array && !s.partial_only);
    if writers.any(in_part) {
        return None;
    }
    let mut copies = Vec::new();
    for (slice, u) in uses.iter().enumerate() {
        let boxes: Vec<&[Interval]> = u.written.iter().map(Vec::as_slice).collect();
        copies.extend(union(&boxes).into_iter().map(|elements| CopyBox {
            slice: slice as i64,
            elements,
        }));
    }
    Some(copies)
}

/// The union as disjoint boxes, as long as possible along the innermost
/// dimension.
fn union(boxes: &[&[Interval]]) -> Vec<Elements> {
    let Some(dims) = boxes.first().map(|b| b.len()) else {
        return Vec::new();
    };
    // Between two of these along the outermost dimension nothing changes.
    let mut bounds: Vec<i64> = (boxes.iter())
        .flat_map(|b| [b[0].lo, b[0].hi + 1])
        .collect();
    bounds.sort_unstable();
    bounds.dedup();
    let mut ranges: Vec<(Interval, Vec<Elements>)> = Vec::new();
    for pair in bounds.windows(2) {
        let range = Interval {
            lo: pair[0],
            hi: pair[1] - 1,
        };
        let here = boxes.iter().filter(|b| b[0].contains(range));
        let inner = if dims == 1 {
            here.take(1).map(|_| Vec::new()).collect()
        } else {
            union(&here.map(|b| &b[1..]).collect::<Vec<_>>())
        };
        match ranges.last_mut() {
            Some((last, same)) if *same == inner => last.hi = range.hi,
            _ => ranges.push((range, inner)),
        }
    }
    (ranges.into_iter())
        .flat_map(|(range, inner)| {
            (inner.into_iter()).map(move |rest| [vec![range], rest].concat())
        })
        .collect()
}

/// A few boxes around the elements, aligned along the innermost dimension.
///
/// Per index of the first space dimension (a row of the hexagon in most
/// kernels) the hull of the other dimensions, neighbouring indices joined where
/// one larger copy costs less than two. Along a single dimension, the elements
/// themselves.
fn cover(boxed: &SharedBox, slice: usize, elements: &[Elements], threads: i64) -> Vec<CopyBox> {
    // In instructions per thread: addresses of a copy, each of its passes, and
    // the memory traffic of its elements.
    let cost = |e: &[Interval]| {
        let chunks = volume(e) / boxed.vector;
        let passes = (chunks + threads - 1) / threads;
        40 * threads + 16 * passes * threads + 40 * chunks
    };
    let aligned = |mut e: Elements| -> Elements {
        if let Some(last) = e.last_mut() {
            let v = boxed.vector;
            last.lo = last.lo.div_euclid(v) * v;
            last.hi = (last.hi + v).div_euclid(v) * v - 1;
        }
        e
    };
    let sizes = boxed.space_sizes();
    let mut pieces: Vec<Elements> = Vec::new();
    if sizes.len() == 1 {
        pieces.extend(elements.iter().cloned().map(aligned));
        pieces.sort_by_key(|e| e[0].lo);
    } else {
        for r in 0..sizes[0] {
            let row = (elements.iter())
                .filter(|e| e[0].lo <= r && r <= e[0].hi)
                .map(|e| {
                    let mut e = e.clone();
                    e[0] = Interval { lo: r, hi: r };
                    e
                })
                .reduce(|a, b| hull(&a, &b));
            pieces.extend(row.map(aligned));
        }
    }
    let mut joined: Vec<Elements> = Vec::new();
    for piece in pieces {
        if let Some(last) = joined.last_mut() {
            let both = hull(last, &piece);
            if cost(&both) <= cost(last) + cost(&piece) {
                *last = both;
                continue;
            }
        }
        joined.push(piece);
    }
    (joined.into_iter())
        .map(|elements| CopyBox {
            slice: slice as i64,
            elements,
        })
        .collect()
}

/// What a full tile needs from outside of one slice and one row of a shared box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeededRow {
    /// Per space dimension of the box after the first: a range around the
    /// elements, relative to the box. Where the box has one space dimension, the
    /// elements along it.
    pub columns: Vec<Interval>,
}

/// Takes `b` from `a` as a box: exact where `b` covers `a` in all dimensions but
/// one and reaches an end of it; otherwise `a` stays whole (a superset).
fn shrink(a: &mut [Interval], b: &[Interval]) {
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
pub fn needed_rows(
    boxed: &SharedBox,
    array: usize,
    stmts: &[KernelStmt],
    rows: &[Row],
) -> Vec<Vec<NeededRow>> {
    let sizes: Vec<i64> = (boxed.dims.iter())
        .filter(|d| matches!(d, SharedDim::Space { .. }))
        .map(SharedDim::size)
        .collect();
    let (n_rows, column_dims) = if sizes.len() > 1 {
        (sizes[0], sizes.len() - 1)
    } else {
        (1, 1)
    };
    let empty = NeededRow {
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
                            shrink(&mut rest, &w[skip..]);
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
/// Tiles along `chain` count as one: the next one reuses the values.
pub fn keep_boxes(
    flows: &[Option<Vec<i64>>],
    rows: &[Row],
    chain: Option<usize>,
) -> Vec<Vec<Interval>> {
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
                    Some(_) if chain == Some(j) => *interval,
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
