//! Copies between global and shared memory.

use super::elements::{Place, wrapped};
use super::{Lowering, Tile, section};
use crate::diag::{Diagnostic, Result};
use crate::ir::build::{binary, comment, if_, int, joined, sum, var};
use crate::ir::{BoxCopy, Expr, MoveRows, Pointer, Ring, Stmt, Unroll, VarId, Way};
use crate::kernel::{CopyBox, Interval, KernelArray, KernelIr, Reuse, SharedBox, SharedDim};

/// What a copy of a box of elements does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// To shared memory.
    Box,
    /// To shared memory, as far as the elements lie inside the array.
    Inside,
    /// From shared memory.
    Out,
}

/// An array that has a box.
struct Boxed<'a> {
    number: usize,
    array: &'a KernelArray,
    shared: &'a SharedBox,
    place: &'a Place,
}

/// A space dimension of a copy.
struct Along {
    /// The first element in the array, and how many the array has.
    range: [Expr; 2],
    /// Elements that are copied.
    n: i64,
}

impl Lowering<'_> {
    pub(super) fn copy_in(&mut self, tile: &Tile) -> Result<Vec<Stmt>> {
        let ir = self.ir;
        let all = boxed(ir, tile);
        if all.is_empty() {
            return Ok(Vec::new());
        }
        let (full, reuse) = (var(tile.params.full), var(tile.params.reuse));
        let reusing = || binary("&&", full.clone(), reuse.clone());
        let mut body = vec![comment("")];
        if ir.switches.reuse == Reuse::Dynamic {
            body.push(comment(
                "Inter-tile reuse: the columns shared with the tile before move into place.",
            ));
            let mut moves: Vec<Stmt> = all.iter().filter_map(|b| self.move_columns(b)).collect();
            moves.push(Stmt::Barrier);
            body.push(if_(reusing(), moves));
        }
        // Strided statements may leave the ends of a box without an access, so
        // that they can lie outside the array.
        let some_full = ir.full.is_some() && ir.stencil.stmts.iter().all(|s| s.lattice.is_none());
        for b in &all {
            body.push(comment(format!("Copy-in of {}.", b.array.name)));
            let checked = self.copy_checked(tile, b)?;
            if !some_full {
                body.extend(checked);
                continue;
            }
            let mut copies = Stmt::If {
                cond: full.clone(),
                yes: self.copies(tile, b, &b.shared.copy_in, Kind::Box)?,
                no: checked,
            };
            if ir.reuses() {
                copies = Stmt::If {
                    cond: reusing(),
                    yes: self.copies(tile, b, &b.shared.copy_next, Kind::Box)?,
                    no: vec![copies],
                };
            }
            body.push(copies);
        }
        let asynchronous = |b: &Boxed<'_>| {
            copies_asynchronously(b.array) || b.shared.vector * b.array.elem.size() as i64 >= 4
        };
        if all.iter().any(asynchronous) {
            body.extend([Stmt::EndOfGroup, Stmt::Wait(0)]);
        }
        body.push(Stmt::Barrier);
        Ok(body)
    }

    /// Copies what a full tile has written to global memory.
    pub(super) fn copy_out(&mut self, tile: &Tile) -> Result<Vec<Stmt>> {
        let all = boxed(self.ir, tile);
        if self.ir.full.is_none() || all.iter().all(|b| b.shared.copy_out.is_none()) {
            return Ok(Vec::new());
        }
        let mut copies = Vec::new();
        for b in &all {
            let boxes = b.shared.copy_out.as_deref().unwrap_or_default();
            copies.extend(self.copies(tile, b, boxes, Kind::Out)?);
        }
        copies.push(Stmt::Barrier);
        let mut body = section("Copy-out; the next tile overwrites shared memory.").to_vec();
        body.push(if_(var(tile.params.full), copies));
        Ok(body)
    }

    /// Moves the columns that the tile before has in common with this one.
    fn move_columns(&self, b: &Boxed<'_>) -> Option<Stmt> {
        let chain = self.ir.chain?;
        let c = self.ir.schedule.classical_dim(chain)?;
        let at = b.shared.space_position(chain)?;
        // What lies further in than the chain's dimension is contiguous.
        let sizes = b.shared.space_sizes();
        let inner: i64 = sizes[at + 1..].iter().product();
        let outer: i64 = sizes[..at].iter().product::<i64>() * b.shared.n_slices;
        let elem = b.array.elem.size() as i64;
        let kept = (sizes[at] - c.w) * inner * elem;
        (kept > 0).then(|| {
            Stmt::MoveRows(MoveRows {
                shared: b.place.shared,
                count: outer,
                bytes: kept,
                stride: sizes[at] * inner * elem,
                width: b.shared.vector * elem,
            })
        })
    }

    fn copies(
        &mut self,
        tile: &Tile,
        b: &Boxed<'_>,
        boxes: &[CopyBox],
        kind: Kind,
    ) -> Result<Vec<Stmt>> {
        boxes
            .iter()
            .map(|one| self.copy(tile, b, one, kind))
            .collect()
    }

    /// The copies of a partial tile: the whole box, as far as it lies inside the
    /// array.
    fn copy_checked(&mut self, tile: &Tile, b: &Boxed<'_>) -> Result<Vec<Stmt>> {
        let whole = |size: &i64| Interval {
            lo: 0,
            hi: size - 1,
        };
        let elements: Vec<Interval> = b.shared.space_sizes().iter().map(whole).collect();
        (0..b.shared.n_slices)
            .map(|slice| {
                let elements = elements.clone();
                self.copy(tile, b, &CopyBox { slice, elements }, Kind::Inside)
            })
            .collect()
    }

    /// The subscripts of a slice in shared memory.
    fn slice(shared: &SharedBox, mut slice: i64) -> Vec<i64> {
        let outer = shared.dims.len() - shared.space_sizes().len();
        let mut subscripts = Vec::new();
        for dim in shared.dims[..outer].iter().rev() {
            subscripts.insert(0, slice % dim.size());
            slice /= dim.size();
        }
        subscripts
    }

    /// A copy of a box: at most three dimensions at a time, outer ones one by one.
    fn copy(&mut self, tile: &Tile, b: &Boxed<'_>, one: &CopyBox, kind: Kind) -> Result<Stmt> {
        let (shared, origins) = (b.shared, &tile.params.origins);
        let (mut global, mut local, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        let slice = Self::slice(shared, one.slice);
        for (d, (dim, q)) in shared.dims.iter().zip(&slice).enumerate() {
            global.push(match dim {
                SharedDim::Time { modulo, lo, .. } => {
                    self.relative_time(tile, int(q + lo), *modulo)?
                }
                SharedDim::Plane { lo, .. } => int(q + lo),
                SharedDim::Space { .. } => continue,
            });
            local.push(int(*q));
            if let SharedDim::Time {
                modulo: None, lo, ..
            } = dim
            {
                let t = sum(var(origins[0]), q + lo);
                conditions.push(binary(">=", t.clone(), int(0)));
                conditions.push(binary("<", t, self.extent(tile, b.number, d)));
            }
        }
        let n_slice_dims = slice.len();
        let n_outer = one.elements.len().saturating_sub(3);
        // Partial tiles start at the beginning of the ring.
        let ring = b.place.ring.filter(|_| kind != Kind::Inside);
        let mut along = Vec::new();
        let mut loops: Vec<(VarId, i64)> = Vec::new();
        for (e, (dim, elements)) in shared.dims[n_slice_dims..]
            .iter()
            .zip(&one.elements)
            .enumerate()
        {
            let SharedDim::Space { dim, lo, size } = dim else {
                continue;
            };
            let first = sum(var(origins[dim + 1]), lo + elements.lo);
            let range = [first, self.extent(tile, b.number, n_slice_dims + e)];
            let at_ring = ring.filter(|(at, _)| *at == n_slice_dims + e);
            if e < n_outer {
                let o = self.int(&format!("o{e}"));
                loops.push((o, elements.len()));
                let further = |x: Expr| binary("+", x, var(o));
                global.push(further(int(lo + elements.lo)));
                local.push(match at_ring {
                    None => further(int(elements.lo)),
                    Some((_, first)) => {
                        wrapped(*size, binary("+", further(int(elements.lo)), var(first)))
                    }
                });
                let [first, end] = range.clone();
                conditions.push(binary(">=", further(first.clone()), int(0)));
                conditions.push(binary("<", further(first), end));
            } else {
                global.push(int(lo + elements.lo));
                local.push(int(if at_ring.is_some() { 0 } else { elements.lo }));
            }
            along.push(Along {
                range,
                n: elements.len(),
            });
        }
        let ring = ring.and_then(|(at, first)| {
            let e = at.checked_sub(n_slice_dims + n_outer)?;
            Some(ring_of(b, one, (e, n_outer), first))
        });
        let inner = &along[n_outer..];
        let steps = self.steps(b, inner.len())?;
        let copy = box_copy(b, one, (local, global), (inner, steps), (ring, kind))?;
        let mut stmt = Stmt::CopyBox(Box::new(copy));
        if kind == Kind::Inside
            && let Some(cond) = joined("&&", conditions)
        {
            stmt = if_(cond, vec![stmt]);
        }
        for (o, n) in loops.into_iter().rev() {
            stmt = Stmt::For {
                var: o,
                first: int(0),
                cond: binary("<", var(o), int(n)),
                step: int(1),
                any_order: false,
                unroll: Unroll::Free,
                body: vec![stmt],
            };
        }
        Ok(stmt)
    }

    /// Bytes from one row of rows to the next and from row to row, in shared and in global memory.
    fn steps(&self, b: &Boxed<'_>, n: usize) -> Result<([i64; 2], [Expr; 2])> {
        let sizes = b.shared.space_sizes();
        let row = b.shared.row_stride * b.array.elem.size() as i64;
        Ok(match n {
            1 => ([0, 0], [int(0), int(0)]),
            2 => ([row, 0], [self.pitch(b.number)?, int(0)]),
            _ => {
                let step = b.place.steps.get(b.array.extents.len() - 3);
                let step =
                    step.ok_or_else(|| Box::new(Diagnostic::bug("planes of no distance")))?;
                let planes = row * sizes[sizes.len() - 2];
                ([planes, row], [step.clone(), self.pitch(b.number)?])
            }
        })
    }
}

/// The arrays that have boxes.
fn boxed<'b>(ir: &'b KernelIr, tile: &'b Tile) -> Vec<Boxed<'b>> {
    let arrays = ir.stencil.arrays.iter().zip(&tile.places).enumerate();
    arrays
        .filter_map(|(number, (array, place))| {
            Some(Boxed {
                number,
                array,
                shared: array.shared.as_ref()?,
                place: place.as_ref()?,
            })
        })
        .collect()
}

/// The ring among a copy's three dimensions, its size and first element.
fn ring_of(b: &Boxed<'_>, one: &CopyBox, (e, n_outer): (usize, usize), first: VarId) -> Ring {
    let (n, size) = (
        one.elements.len() - n_outer,
        b.shared.space_sizes()[n_outer + e],
    );
    let elem = b.array.elem.size() as i64;
    let first = sum(var(first), one.elements[n_outer + e].lo);
    let innermost = e + 1 == n;
    match innermost {
        true if elem > 1 => Ring {
            axis: 2,
            size: size * elem,
            first: binary("*", first, int(elem)),
        },
        _ => Ring {
            axis: if innermost { 2 } else { e },
            size,
            first,
        },
    }
}

fn box_copy(
    b: &Boxed<'_>,
    one: &CopyBox,
    (at, global): (Vec<Expr>, Vec<Expr>),
    (inner, (shared_steps, global_steps)): (&[Along], ([i64; 2], [Expr; 2])),
    (ring, kind): (Option<Ring>, Kind),
) -> Result<BoxCopy> {
    let elem = b.array.elem.size() as i64;
    let always = || [int(0), int(1)];
    let plain = |along: &Along| along.range.clone();
    let bytes = |along: &Along| match elem {
        1 => along.range.clone(),
        _ => along.range.clone().map(|x| binary("*", x, int(elem))),
    };
    let (rows, last, checks) = match inner {
        [i, j, k] => ([i.n, j.n], k, [plain(i), plain(j), bytes(k)]),
        [i, k] => ([i.n, 1], k, [plain(i), always(), bytes(k)]),
        [k] => ([1, 1], k, [always(), always(), bytes(k)]),
        _ => return Err(Box::new(Diagnostic::bug("a copy of no dimension"))),
    };
    let mut vector = b.shared.vector;
    if kind == Kind::Out {
        // The widest copies that the ends of the box allow.
        let last = one.elements[one.elements.len() - 1];
        while last.lo % vector != 0 || last.len() % vector != 0 {
            vector /= 2;
        }
    }
    Ok(BoxCopy {
        way: match kind {
            Kind::Box => Way::In,
            Kind::Inside => Way::Inside(Box::new(checks)),
            Kind::Out => Way::Out,
        },
        shared: b.place.shared,
        at,
        global: Pointer::Located {
            by: b.place.at,
            args: global,
        },
        rows,
        bytes: last.n * elem,
        width: vector * elem,
        shared_steps,
        global_steps,
        ring,
    })
}

/// Asynchronous copies overlap their latencies; they exist for 4 and 8 bytes
/// (and 16, which needs alignment).
fn copies_asynchronously(array: &KernelArray) -> bool {
    matches!(array.elem.size(), 4 | 8)
}
