//! Elements of arrays: where they lie in global and in shared memory.

use super::{Lowering, Tile};
use crate::ctype::CType;
use crate::diag::{Diagnostic, Result};
use crate::ir::build::{binary, cast, comment, define, int, let_, select, sum, var};
use crate::ir::{Definition, Expr, Helper, OfTiles, Pointer, Stmt, Type, VarId};
use crate::kernel::{KernelAccess, KernelArray, Reuse, SharedBox, SharedDim, Sub};
use crate::lower::affine::{Env, from_isl};

/// Where the elements of an array lie that has a box in shared memory.
#[derive(Clone)]
pub(super) struct Place {
    /// The box.
    pub shared: VarId,
    /// Gives the address of an element in global memory relative to the tile's origin.
    pub at: VarId,
    /// Bytes from element to element along every dimension but the last.
    pub steps: Vec<Expr>,
    /// With static reuse the dimension of the box along the chain, where element
    /// 0 of the box lies anywhere and the others follow modulo the size, and
    /// element 0's place.
    pub ring: Option<(usize, VarId)>,
}

/// The coordinates of a point.
pub(super) struct Point {
    /// Time steps since the tile's first.
    pub t_in: VarId,
    /// What stands for isl's names of them.
    pub env: Env,
    /// By dimension.
    pub coordinates: Vec<VarId>,
    /// By space dimension, relative to the tile's origin.
    pub relative: Vec<Expr>,
}

fn bug<T>(what: &str) -> Result<T> {
    Err(Box::new(Diagnostic::bug(what)))
}

impl Lowering<'_> {
    /// Bytes from row to row of an array.
    pub(super) fn pitch(&self, array: usize) -> Result<Expr> {
        match self.arrays[array].pitch {
            Some(pitch) => Ok(var(pitch)),
            None => bug("rows of an array without a pitch"),
        }
    }

    /// The extent of a dimension of an array.
    pub(super) fn extent(&self, tile: &Tile, array: usize, d: usize) -> Expr {
        match d.checked_sub(1) {
            None => self.arrays[array].extents[0].clone(),
            Some(d) => var(tile.extents[array][d]),
        }
    }

    /// The place in global memory with the given subscripts: of a row, and how far the element is behind its first.
    fn global(&self, tile: &Tile, array: usize, subs: Vec<Expr>) -> Result<(Pointer, Expr)> {
        let mut subs = subs;
        let Some(last) = subs.pop() else {
            return bug("an element without subscripts");
        };
        let first = Pointer::Of(self.arrays[array].pointer);
        if self.arrays[array].pitch.is_none() {
            return Ok((first, last));
        }
        let mut number: Option<Expr> = None;
        for (d, sub) in subs.into_iter().enumerate() {
            number = Some(match number {
                None => sub,
                Some(outer) => {
                    let rows = binary("*", outer, self.extent(tile, array, d));
                    binary("+", rows, sub)
                }
            });
        }
        let Some(number) = number else {
            return bug("a row without a number");
        };
        Ok((first.row(number, self.pitch(array)?), last))
    }

    fn sub_global(&self, point: &Point, sub: &Sub) -> Result<Expr> {
        Ok(match sub {
            Sub::Time {
                offset,
                modulo: Some(m),
            } => Expr::helper(
                Helper::Mod,
                sum(var(point.coordinates[0]), *offset),
                int(*m),
            ),
            Sub::Time {
                offset,
                modulo: None,
            } => sum(var(point.coordinates[0]), *offset),
            Sub::Const(c) => int(*c),
            Sub::Space { dim, offset } => sum(var(point.coordinates[dim + 1]), *offset),
            Sub::General { expr, .. } => from_isl(expr, &point.env)?,
        })
    }

    fn subs_global(&self, point: &Point, access: &KernelAccess) -> Result<Vec<Expr>> {
        let subs = access.subs.iter().map(|sub| self.sub_global(point, sub));
        subs.collect()
    }

    /// The element of an access.
    pub(super) fn access(&self, tile: &Tile, point: &Point, access: &KernelAccess) -> Result<Expr> {
        let array = &self.ir.stencil.arrays[access.array];
        let (Some(shared), Some(place)) = (&array.shared, &tile.places[access.array]) else {
            return self.in_global(tile, point, access);
        };
        let mut subscripts = Vec::new();
        for (d, (dim, sub)) in shared.dims.iter().zip(&access.subs).enumerate() {
            let mut index = match (dim, sub) {
                (SharedDim::Time { lo, .. }, Sub::Time { offset, modulo }) => {
                    let q = sum(var(point.t_in), offset - lo);
                    match modulo {
                        Some(m) => binary("%", q, int(*m)),
                        None => q,
                    }
                }
                (SharedDim::Plane { lo, .. }, Sub::Const(c)) => int(c - lo),
                (SharedDim::Space { lo, .. }, Sub::Space { dim, offset }) => {
                    sum(point.relative[*dim].clone(), offset - lo)
                }
                (SharedDim::Space { dim, lo, .. }, Sub::General { expr, .. }) => {
                    let expr = from_isl(expr, &point.env)?;
                    let relative = binary("-", expr, var(tile.params.origins[dim + 1]));
                    sum(cast(CType::INT, relative), -lo)
                }
                _ => return bug("an access that does not fit its box"),
            };
            if let Some((at, first)) = place.ring
                && at == d
            {
                index = wrapped(dim.size(), binary("+", index, var(first)));
            }
            subscripts.push(index);
        }
        Ok(Expr::Item {
            base: place.shared,
            subscripts,
        })
    }

    /// The element of an access in global memory.
    fn in_global(&self, tile: &Tile, point: &Point, access: &KernelAccess) -> Result<Expr> {
        let subs = self.subs_global(point, access)?;
        let (pointer, index) = self.global(tile, access.array, subs)?;
        Ok(Expr::Behind {
            pointer: Box::new(pointer),
            index: Some(Box::new(index)),
        })
    }

    /// The element in global memory that an instance writes; the array has a box in shared memory.
    pub(super) fn stored(&self, tile: &Tile, point: &Point, access: &KernelAccess) -> Result<Expr> {
        match self.address(tile, point, access)? {
            Some(pointer) => Ok(behind(pointer)),
            None => self.in_global(tile, point, access),
        }
    }

    /// Its address relative to the tile's origin, where that is near.
    pub(super) fn address(
        &self,
        tile: &Tile,
        point: &Point,
        access: &KernelAccess,
    ) -> Result<Option<Pointer>> {
        let Some(place) = &tile.places[access.array] else {
            return bug("an element without a place");
        };
        let mut args = Vec::new();
        for sub in &access.subs {
            args.push(match sub {
                Sub::Time { offset, modulo } => {
                    self.relative_time(tile, sum(var(point.t_in), *offset), *modulo)?
                }
                Sub::Const(c) => int(*c),
                Sub::Space { dim, offset } => sum(point.relative[*dim].clone(), *offset),
                Sub::General { .. } => return Ok(None),
            });
        }
        Ok(Some(Pointer::Located { by: place.at, args }))
    }

    /// The boxes in shared memory.
    pub(super) fn shared_memory(&mut self, tile: &mut Tile) -> Vec<Stmt> {
        let mut body = Vec::new();
        let mut number = 0;
        for array in &self.ir.stencil.arrays {
            if array.shared.is_none() {
                tile.places.push(None);
                continue;
            }
            let name = &array.name;
            let shared = self.add(&format!("s_{name}"), Type::OfTiles(OfTiles::Box(number)));
            number += 1;
            let at = OfTiles::Locator {
                elem: array.elem,
                written: array.written,
            };
            body.push(Stmt::Let {
                var: shared,
                value: None,
            });
            tile.places.push(Some(Place {
                shared,
                at: self.add(&format!("{name}_at"), Type::OfTiles(at)),
                steps: Vec::new(),
                ring: None,
            }));
        }
        body
    }

    /// For every array in shared memory a function that gives the address of an
    /// element in global memory relative to the tile's origin.
    pub(super) fn elements(&mut self, tile: &mut Tile) -> Result<Vec<Stmt>> {
        let ir = self.ir;
        let mut body = Vec::new();
        let shared = || ir.stencil.arrays.iter().filter_map(|a| a.shared.as_ref());
        for dim in shared().flat_map(|shared| &shared.dims) {
            if let SharedDim::Time {
                modulo: Some(m), ..
            } = dim
                && !tile.buffers.iter().any(|(n, _)| n == m)
            {
                let first = self.int(&format!("{}0_mod{m}", ir.stencil.dims[0]));
                let t0 = var(tile.params.origins[0]);
                let number = Expr::helper(Helper::Mod, t0, int(*m));
                body.push(let_(first, cast(CType::INT, number)));
                tile.buffers.push((*m, first));
            }
        }
        for (i, array) in ir.stencil.arrays.iter().enumerate() {
            if let Some(shared) = &array.shared {
                body.extend(self.element(tile, (i, array), shared)?);
            }
        }
        Ok(body)
    }

    fn element(
        &mut self,
        tile: &mut Tile,
        (i, array): (usize, &KernelArray),
        shared: &SharedBox,
    ) -> Result<Vec<Stmt>> {
        let (name, dims) = (&array.name, &self.ir.stencil.dims);
        let origin_of = |d: usize| tile.params.origins[d];
        let n = shared.dims.len();
        let (mut origin, mut params) = (Vec::new(), Vec::new());
        for (d, dim) in shared.dims.iter().enumerate() {
            let (at, param) = match dim {
                SharedDim::Time { modulo: None, .. } => {
                    (var(origin_of(0)), format!("{}_r", dims[0]))
                }
                SharedDim::Time { .. } => (int(0), format!("{}_r", dims[0])),
                SharedDim::Plane { .. } => (int(0), format!("x{d}")),
                SharedDim::Space { dim, .. } => {
                    (var(origin_of(dim + 1)), format!("{}_r", dims[dim + 1]))
                }
            };
            origin.push(at);
            params.push(self.int(&param));
        }
        let mut body = Vec::new();
        let ring = self.ring(shared);
        let ring = ring.map(|at| (at, self.int(&format!("{name}_ring"))));
        if let Some((at, ring)) = ring
            && let SharedDim::Space { dim, size, .. } = shared.dims[at]
        {
            let first = Expr::helper(Helper::Mod, var(origin_of(dim + 1)), int(size));
            body.push(comment(format!(
                "A place of its own for every {} in this dimension of s_{name}.",
                dims[dim + 1]
            )));
            body.push(let_(
                ring,
                select(var(tile.params.full), cast(CType::INT, first), int(0)),
            ));
        }
        let (row, by) = self.global(tile, i, origin)?;
        let pointer = Type::Pointer {
            elem: array.elem,
            written: array.written,
        };
        let first = self.add(&format!("{name}_0"), pointer);
        let from = Pointer::Further {
            from: Box::new(row),
            by,
            element: true,
        };
        body.push(comment(format!("The tile's origin in {name}.")));
        body.push(define(first, Definition::Pointer(from)));
        let mut steps = Vec::new();
        for d in 0..n.saturating_sub(1) {
            let mut inner: Vec<Expr> = (d + 1..n - 1).map(|d| self.extent(tile, i, d)).collect();
            inner.push(self.pitch(i)?);
            let is_product = inner.len() > 1;
            let step = inner.into_iter().reduce(|a, b| binary("*", a, b));
            let Some(step) = step else {
                return bug("no pitch");
            };
            steps.push(match is_product {
                false => step,
                true => {
                    let named = self.index(&format!("{name}_step{d}"));
                    body.push(let_(named, step));
                    var(named)
                }
            });
        }
        body.push(self.locator(tile, i, (first, &params, &steps), shared)?);
        if let Some(place) = &mut tile.places[i] {
            place.steps = steps;
            place.ring = ring;
        }
        Ok(body)
    }

    /// The function that gives an address. The hexagonal dimension comes last, so that a thread's points of a row
    /// share the rest.
    fn locator(
        &self,
        tile: &Tile,
        i: usize,
        (first, params, steps): (VarId, &[VarId], &[Expr]),
        shared: &SharedBox,
    ) -> Result<Stmt> {
        let n = shared.dims.len();
        let hex =
            |dim: &SharedDim| matches!(dim, SharedDim::Space { dim, .. } if *dim == self.hex_dim());
        let order = (0..n).filter(|&d| !hex(&shared.dims[d]));
        let order = order.chain((0..n).filter(|&d| hex(&shared.dims[d])));
        let mut to = Pointer::Of(first);
        for d in order {
            to = match steps.get(d) {
                None => to.further(var(params[d])),
                Some(step) => to.row(var(params[d]), step.clone()),
            };
        }
        let Some(place) = &tile.places[i] else {
            return bug("an element without a place");
        };
        let params = params.to_vec();
        Ok(define(place.at, Definition::Locator { params, to }))
    }

    /// With static reuse the dimension of the box along the chain.
    fn ring(&self, shared: &SharedBox) -> Option<usize> {
        let chain = (self.ir.chain).filter(|_| self.ir.switches.reuse == Reuse::Static)?;
        let along = |d: &SharedDim| matches!(d, SharedDim::Space { dim, .. } if *dim == chain);
        shared.dims.iter().position(along)
    }

    /// The time subscript of an element relative to the tile, for the function
    /// of its array: the buffer's number where there are several.
    pub(super) fn relative_time(
        &self,
        tile: &Tile,
        relative: Expr,
        modulo: Option<i64>,
    ) -> Result<Expr> {
        let Some(m) = modulo else {
            return Ok(relative);
        };
        let first = tile.buffers.iter().find(|(n, _)| *n == m);
        let Some((_, first)) = first else {
            return bug("a time buffer of no number");
        };
        let number = match relative {
            // From left to right, as a sum of three is read.
            Expr::Binary {
                op: op @ ("+" | "-"),
                lhs,
                rhs,
            } => binary(op, binary("+", var(*first), *lhs), *rhs),
            relative => var(*first).plus(relative),
        };
        Ok(binary("%", number, int(m)))
    }
}

/// What lies at a place.
pub(super) fn behind(pointer: Pointer) -> Expr {
    Expr::Behind {
        pointer: Box::new(pointer),
        index: None,
    }
}

/// An index in a ring.
pub(super) fn wrapped(size: i64, index: Expr) -> Expr {
    Expr::Wrapped {
        size,
        index: Box::new(index),
    }
}
