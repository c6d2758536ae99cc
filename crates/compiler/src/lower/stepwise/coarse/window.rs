//! What a thread of several cells loads of each plane, and where it keeps that.

use super::tile::{Tile, own_spots};
use super::{Shape, plus, plus_sum};
use crate::ir::{Expr, VarId};
use crate::tiling::coarsen::{Cells, Near};
use std::collections::{BTreeMap, BTreeSet};

/// What a thread loads of a plane of an array.
pub(super) struct Window {
    /// One of the accesses that read it.
    pub near: Near,
    /// The statement and the number of that read.
    pub read: (usize, usize),
    pub constant: bool,
    /// Bytes of an access.
    pub bytes: i64,
    /// By loop but the innermost, the least and the largest offset that a cell has.
    pub offsets: Vec<[i64; 2]>,
    /// What is loaded: by loop but the innermost, the offset from the thread's first cell; and the offset
    /// along the innermost in accesses.
    pub spots: BTreeSet<(Vec<i64>, i64)>,
    /// The thread's array.
    pub own: VarId,
    /// The tile from which threads read it.
    pub tile: Option<Tile>,
}

impl Window {
    pub fn range(&self, axis: usize) -> [i64; 2] {
        let along = || self.spots.iter().map(|(at, _)| at[axis]);
        [along().min().unwrap_or(0), along().max().unwrap_or(0)]
    }

    pub fn columns(&self) -> [i64; 2] {
        let along = || self.spots.iter().map(|(_, m)| *m);
        [along().min().unwrap_or(0), along().max().unwrap_or(0)]
    }

    /// By loop, how far elements of neighbouring cells are from each other in the thread's array; then
    /// how many it has.
    pub fn strides(&self, lanes: i64) -> (Vec<i64>, i64) {
        let length = |[lo, hi]: [i64; 2]| hi - lo + 1;
        let mut size = length(self.columns()) * lanes;
        let mut strides = vec![0; self.offsets.len()];
        for axis in (0..self.offsets.len()).rev() {
            strides[axis] = size;
            size *= length(self.range(axis));
        }
        (strides, size)
    }

    /// The number in the thread's array of the element at an offset from a cell, given how far the cell is
    /// from the first one along each loop.
    pub fn place(&self, lanes: i64, offsets: &[i64], (cell, lane): (&[Expr], Expr)) -> Expr {
        let (strides, _) = self.strides(lanes);
        let mut place = Expr::Int(0);
        for (axis, stride) in strides.iter().enumerate() {
            if self.near.offset(axis).is_none() {
                continue;
            }
            let along = plus(cell[axis].clone(), offsets[axis] - self.range(axis)[0]);
            place = place.plus(along.times(Expr::Int(*stride)));
        }
        let inner = offsets[strides.len()] - lanes * self.columns()[0];
        plus_sum(place, plus(lane, inner))
    }

    /// The same of what is loaded at once.
    pub fn place_of(&self, lanes: i64, (at, m): &(Vec<i64>, i64)) -> Expr {
        let offsets: Vec<i64> = at.iter().copied().chain([m * lanes]).collect();
        let first = vec![Expr::Int(0); at.len()];
        self.place(lanes, &offsets, (&first, Expr::Int(0)))
    }

    /// The columns of planes that are kept, each with the first and the last plane.
    pub fn queues(&self) -> BTreeMap<(Vec<i64>, i64), [i64; 2]> {
        let mut queues: BTreeMap<(Vec<i64>, i64), [i64; 2]> = BTreeMap::new();
        for (at, m) in &self.spots {
            let queue = queues.entry((at[1..].to_vec(), *m)).or_insert([at[0]; 2]);
            *queue = [queue[0].min(at[0]), queue[1].max(at[0])];
        }
        queues
    }
}

/// What a thread of a shape loads, without variables.
pub(super) fn windows(cells: &Cells, shape: &Shape) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    let lanes = shape.lanes();
    let outer = shape.inner();
    for (read, near) in &cells.reads {
        if cells.stored.contains_key(read) {
            continue;
        }
        let found = windows.iter().position(|w| w.near.plane() == near.plane());
        let offsets = offsets_of(near, outer);
        let window = match found {
            Some(w) => &mut windows[w],
            None => {
                windows.push(Window {
                    near: near.clone(),
                    read: *read,
                    constant: cells.constant.contains(&near.plane()),
                    bytes: lanes * cells.sizes[&near.array] as i64,
                    offsets: offsets.iter().map(|o| [*o; 2]).collect(),
                    spots: BTreeSet::new(),
                    own: VarId(0),
                    tile: None,
                });
                let last = windows.len() - 1;
                &mut windows[last]
            }
        };
        for (range, o) in window.offsets.iter_mut().zip(&offsets) {
            *range = [range[0].min(*o), range[1].max(*o)];
        }
        let inner = near.offset(outer).unwrap_or(0) - shape.offset;
        let columns: BTreeSet<i64> = (0..lanes).map(|v| (v + inner).div_euclid(lanes)).collect();
        for at in cells_beside(near, &offsets, shape) {
            window
                .spots
                .extend(columns.iter().map(|m| (at.clone(), *m)));
        }
    }
    for window in windows.iter_mut().filter(|_| shape.is_tiled()) {
        window.tile = Tile::of(window, shape);
        // Threads give the tile the cells that they have loaded themselves.
        if let Some(plane @ Some(_)) = window.tile.as_ref().map(|tile| tile.plane) {
            window.spots.extend(own_spots(shape, plane));
        }
    }
    windows
}

/// The offsets of an access along the loops but the innermost, 0 where it does not depend on one.
pub(super) fn offsets_of(near: &Near, outer: usize) -> Vec<i64> {
    (0..outer)
        .map(|axis| near.offset(axis).unwrap_or(0))
        .collect()
}

/// The offsets for all cells of a thread.
fn cells_beside(near: &Near, offsets: &[i64], shape: &Shape) -> Vec<Vec<i64>> {
    let mut all = vec![offsets.to_vec()];
    for axis in 0..offsets.len() {
        if near.offset(axis).is_some() {
            let moved = |at: &Vec<i64>| -> Vec<Vec<i64>> {
                let by = |cell: i64| {
                    let mut at = at.clone();
                    at[axis] += cell;
                    at
                };
                (0..shape.cells[axis]).map(by).collect()
            };
            all = all.iter().flat_map(moved).collect();
        }
    }
    all
}
