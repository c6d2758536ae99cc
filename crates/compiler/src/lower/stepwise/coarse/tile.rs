//! Tiles: what the threads of a block load together into shared memory, and read from there.
//!
//! A block's tile has the elements that its cells read, with the halo around them (Bauer, Cook, Khailany,
//! SC 2011, have such kernels for one plane; the plane in shared memory with those before and behind in
//! registers is Micikevicius, GPGPU-2, 2009). Copies are asynchronous, of 4 to 16 bytes: those that a thread's cells have in a
//! row. Rows and columns beyond what cells need are taken to be the last ones, as for
//! threads by themselves; threads beyond the last cell copy, and store nothing.

use super::build::Build;
use super::window::Window;
use super::{Lowering, Shape, plus};
use crate::diag::{Diagnostic, Result};
use crate::ir::build::let_;
use crate::ir::{Expr, Helper, Own, Stmt, Type, Unroll, VarId, Wide};
use crate::lower::affine::from_isl;
use crate::lower::stepwise::functions::Functions;
use crate::scop::Scop;
use crate::tiling::coarsen::Sub;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that the threads of a block may share without being asked for by a launch.
pub(in crate::lower::stepwise) const MOST_BYTES: usize = 48 * 1024;

/// A number of an element that is loaded: by loop but the innermost, and in accesses.
type Spot = (Vec<i64>, i64);

/// The tile of a window.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    /// The array of the block.
    pub memory: VarId,
    /// The plane that it has, from the cell's on, where planes are streamed.
    pub plane: Option<i64>,
    /// By loop along which there are rows: the loop, how far the first row is from the first cell, and
    /// how many there are.
    rows: Vec<(usize, i64, i64)>,
    /// The first access of a row, from the thread's on, and how many there are.
    columns: [i64; 2],
    /// What threads read from it.
    pub spots: BTreeSet<Spot>,
}

/// Where a thread of a block is.
pub(super) struct InBlock {
    /// By loop, its number in the block.
    own: Vec<Expr>,
    /// By loop but the innermost, the first cell of the block; then the first element of its rows.
    first: Vec<Expr>,
    /// Its number among all threads of the block.
    number: Expr,
    /// Whether it has cells.
    pub exists: Option<Expr>,
}

/// Statements that make a tile, and read it.
#[derive(Default)]
pub(super) struct OfTiles {
    /// Before the first plane.
    pub before: Vec<Stmt>,
    /// In each plane, behind what a thread loads by itself.
    pub each: Vec<Stmt>,
}

impl Tile {
    /// The tile that a window has, if threads of a block read what others of them read.
    pub fn of(window: &Window, shape: &Shape) -> Option<Tile> {
        let all_axes = (0..shape.inner()).all(|axis| window.near.offset(axis).is_some());
        // Asynchronous copies have 4, 8 or 16 bytes.
        if !all_axes || window.bytes < 4 {
            return None;
        }
        let (plane, spots) = match shape.is_streamed() {
            true => streamed(window, shape)?,
            false => (None, window.spots.clone()),
        };
        let own = own_spots(shape, plane);
        let all: BTreeSet<&Spot> = spots.iter().chain(&own).collect();
        if all.len() == own.len() {
            return None;
        }
        let axes = usize::from(shape.is_streamed())..shape.inner();
        let along = |axis: usize| {
            let at = || all.iter().map(|(at, _)| at[axis]);
            let (lo, hi) = (at().min().unwrap_or(0), at().max().unwrap_or(0));
            let cells = shape.cells[axis];
            let further = hi - lo + 1 - cells;
            (axis, lo, i64::from(shape.threads[axis]) * cells + further)
        };
        let m = || all.iter().map(|(_, m)| *m);
        let (lo, hi) = (m().min().unwrap_or(0), m().max().unwrap_or(0));
        Some(Tile {
            memory: VarId(0),
            plane,
            rows: axes.map(along).collect(),
            columns: [lo, i64::from(shape.threads[shape.inner()]) + hi - lo],
            spots,
        })
    }

    /// Rows of a plane.
    fn n_rows(&self) -> i64 {
        self.rows.iter().map(|(_, _, n)| n).product()
    }

    /// How many planes it has.
    fn buffers(&self) -> i64 {
        1 + i64::from(self.plane.is_some())
    }

    /// Its type.
    fn ty(&self, elem: crate::ctype::CType, lanes: i64) -> Type {
        Type::Shared {
            elem,
            rows: (self.buffers() * self.n_rows()) as u32,
            len: (self.columns[1] * lanes) as u32,
        }
    }

    /// The number of a row, given one by loop.
    fn row(&self, at: Vec<Expr>) -> Expr {
        let rows = self.rows.iter().zip(at);
        rows.fold(Expr::Int(0), |row, ((_, _, n), at)| {
            row.times(Expr::Int(*n)).plus(at)
        })
    }
}

/// The elements that a thread's own cells are.
pub(super) fn own_spots(shape: &Shape, plane: Option<i64>) -> BTreeSet<Spot> {
    let mut all = vec![Vec::new()];
    for axis in 0..shape.inner() {
        let along: Vec<i64> = match plane {
            Some(plane) if axis == 0 => vec![plane],
            _ => (0..shape.cells[axis]).collect(),
        };
        let longer = |at: Vec<i64>| {
            let more = along.iter().map(move |x| [at.clone(), vec![*x]].concat());
            more.collect::<Vec<_>>()
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all.into_iter().map(|at| (at, 0)).collect()
}

/// The plane of which threads read most beside their own cells, and nothing there in other planes; with
/// what they read so.
fn streamed(window: &Window, shape: &Shape) -> Option<(Option<i64>, BTreeSet<Spot>)> {
    let mut found: BTreeMap<i64, BTreeSet<Spot>> = BTreeMap::new();
    for ((rest, m), [first, last]) in window.queues() {
        let own = m == 0 && (rest.iter().zip(&shape.cells[1..])).all(|(x, n)| (0..*n).contains(x));
        if first == last && !own {
            let at = [vec![first], rest].concat();
            found.entry(first).or_default().insert((at, m));
        }
    }
    let (plane, spots) = found.into_iter().max_by_key(|(_, spots)| spots.len())?;
    Some((Some(plane), spots))
}

impl Lowering<'_> {
    /// Bytes that the tiles of a block have.
    pub(super) fn bytes_shared(&self, windows: &[Window], lanes: i64) -> usize {
        let of_window = |window: &Window| -> Option<usize> {
            let elem = array_of(self.scop, window).elem;
            match window.tile.as_ref()?.ty(elem, lanes) {
                Type::Shared { rows, len, .. } => Some((rows * len) as usize * elem.size()),
                _ => None,
            }
        };
        windows.iter().filter_map(of_window).sum()
    }

    /// Where a thread is in its block, given the variables of the axes and the ends of the loops.
    pub(super) fn in_block(
        &mut self,
        shape: &Shape,
        (blocks, ends): (&[VarId], &[[Expr; 2]]),
        body: &mut Vec<Stmt>,
    ) -> InBlock {
        let mut place = InBlock {
            own: Vec::new(),
            first: Vec::new(),
            number: Expr::Int(0),
            exists: None,
        };
        let mut exists = Vec::new();
        let numbers = [Own::Column, Own::Row, Own::Layer];
        for (axis, block) in blocks.iter().enumerate() {
            let threads = shape.threads[axis];
            let [_, last] = shape.range(axis, ends[axis].clone());
            let name = self.program.var(*block).name.clone();
            let own = match threads {
                1 => Expr::Int(0),
                _ => {
                    let number = Expr::Own(numbers[shape.inner() - axis]);
                    let name = format!("{}_in_block", name.trim_end_matches("_block"));
                    self.named_index(&name, number, body)
                }
            };
            let before = super::minus(Expr::Var(*block), own.clone());
            let (lo, cells) = match axis == shape.inner() {
                true => (Expr::Int(0), shape.lanes()),
                false => (ends[axis][0].clone(), shape.step(axis)),
            };
            let first = lo.plus(before.times(Expr::Int(cells)));
            let tile = format!("{}_tile", name.trim_end_matches("_block"));
            place.first.push(self.named_index(&tile, first, body));
            place.number = (place.number.times(Expr::Int(i64::from(threads)))).plus(own.clone());
            place.own.push(own);
            if threads > 1 {
                exists.push(Expr::binary("<=", Expr::Var(*block), last));
            }
        }
        let number = std::mem::replace(&mut place.number, Expr::Int(0));
        place.number = self.named_index("thread", number, body);
        if let Some(exists) = super::all(exists) {
            let ty = Type::Number(crate::ctype::CType::INT);
            let var = self.program.add_var("exists", ty, true);
            body.push(let_(var, exists));
            place.exists = Some(Expr::Var(var));
        }
        place
    }

    /// A variable for a number.
    pub(in crate::lower::stepwise) fn named_index(
        &mut self,
        name: &str,
        value: Expr,
        body: &mut Vec<Stmt>,
    ) -> Expr {
        let var = self.program.add_var(name, Type::Index, true);
        body.push(let_(var, value));
        Expr::Var(var)
    }

    /// The statements around the tiles of a kernel.
    pub(super) fn tiles(&mut self, build: &mut Build<'_>) -> Result<OfTiles> {
        let mut of_tiles = OfTiles::default();
        let (mut copies, mut stores, mut later) = (Vec::new(), Vec::new(), Vec::new());
        let lanes = build.shape.lanes();
        for w in 0..build.windows.len() {
            let array = array_of(self.scop, &build.windows[w]);
            let (name, elem) = (format!("{}_tile", array.name), array.elem);
            let Some(tile) = &mut build.windows[w].tile else {
                continue;
            };
            let var = self.program.add_var(&name, tile.ty(elem, lanes), false);
            tile.memory = var;
            let tile = tile.clone();
            of_tiles.before.push(Stmt::Let { var, value: None });
            match tile.plane {
                None => copies.extend(self.copy_all(build, (w, &tile))?),
                Some(plane) => {
                    let begin = build.ranges[0][0].clone();
                    let at = (plus(begin, plane), Expr::Int(0));
                    copies.extend(self.copy_halo(build, (w, &tile), &at)?);
                    stores.extend(self.publish(build, (w, &tile))?);
                    let next = plus(Expr::Var(build.vars[0]), plane + 1);
                    let at = (next, self.buffer(build, 1));
                    later.extend(self.copy_halo(build, (w, &tile), &at)?);
                }
            }
        }
        if of_tiles.before.is_empty() {
            return Ok(of_tiles);
        }
        of_tiles.before.extend(copies);
        of_tiles.before.push(Stmt::EndOfGroup);
        let arrived = [Stmt::Wait(0), Stmt::Barrier];
        if !build.shape.is_streamed() {
            of_tiles.before.extend(arrived);
            return Ok(of_tiles);
        }
        // Who reads the other plane of the tile is done with it when all have come here.
        of_tiles.each.extend(stores.into_iter().chain(arrived));
        of_tiles.each.push(Stmt::If {
            cond: Expr::binary("<", Expr::Var(build.vars[0]), self.last_plane(build)),
            yes: later,
            no: Vec::new(),
        });
        of_tiles.each.push(Stmt::EndOfGroup);
        Ok(of_tiles)
    }

    /// The last plane of a thread.
    pub(super) fn last_plane(&self, build: &Build<'_>) -> Expr {
        let [first, last] = build.ranges[0].clone();
        Expr::helper(Helper::Lowest, plus(first, build.shape.step(0) - 1), last)
    }

    /// Which plane of a tile has the one `by` planes behind the current one.
    fn buffer(&self, build: &Build<'_>, by: i64) -> Expr {
        let from = build.ranges[0][0].clone();
        let planes = plus(super::minus(Expr::Var(build.vars[0]), from), by);
        Expr::binary("%", planes, Expr::Int(2))
    }

    /// Copies all elements of a tile.
    fn copy_all(&mut self, build: &Build<'_>, (w, tile): (usize, &Tile)) -> Result<Vec<Stmt>> {
        let width = tile.columns[1];
        self.copies(build, tile.n_rows() * width, |lowering, piece, body| {
            let row = Expr::binary("/", piece.clone(), Expr::Int(width));
            let column = Expr::binary("%", piece, Expr::Int(width));
            let row = lowering.named_index("row", row, body);
            let column = lowering.named_index("column", column, body);
            let rows = match tile.rows.as_slice() {
                [_, (_, _, n)] => ["/", "%"]
                    .map(|op| Expr::binary(op, row.clone(), Expr::Int(*n)))
                    .to_vec(),
                _ => vec![row],
            };
            lowering.copy(build, (w, tile), (rows, column), None, body)
        })
    }

    /// Copies what a plane of a tile has beside the block's cells, given the plane and where the tile has it.
    fn copy_halo(
        &mut self,
        build: &Build<'_>,
        (w, tile): (usize, &Tile),
        at: &(Expr, Expr),
    ) -> Result<Vec<Stmt>> {
        let width = tile.columns[1];
        let threads = i64::from(build.shape.threads[build.shape.inner()]);
        let beside = |x: Expr, before: i64, cells: i64| Expr::Select {
            cond: Box::new(Expr::binary("<", x.clone(), Expr::Int(before))),
            yes: Box::new(x.clone()),
            no: Box::new(plus(x, cells)),
        };
        let mut all = Vec::new();
        let inner = tile.rows.first().map(|&(axis, lo, n)| {
            let cells = i64::from(build.shape.threads[axis]) * build.shape.cells[axis];
            (cells, lo, n)
        });
        if let Some((cells, lo, n)) = inner.filter(|(cells, _, n)| n > cells) {
            all.extend(
                self.copies(build, (n - cells) * width, |lowering, piece, body| {
                    let row = Expr::binary("/", piece.clone(), Expr::Int(width));
                    let column = Expr::binary("%", piece, Expr::Int(width));
                    let row = lowering.named_index("row", row, body);
                    let row = lowering.named_index("halo_row", beside(row, -lo, cells), body);
                    let column = lowering.named_index("column", column, body);
                    lowering.copy(build, (w, tile), (vec![row], column), Some(at), body)
                })?,
            );
        }
        let sides = width - threads;
        let (cells, lo, _) = inner.unwrap_or((1, 0, 1));
        if sides > 0 {
            all.extend(self.copies(build, cells * sides, |lowering, piece, body| {
                let row = Expr::binary("/", piece.clone(), Expr::Int(sides));
                let rows = match inner {
                    Some(_) => vec![lowering.named_index("row", plus(row, -lo), body)],
                    None => Vec::new(),
                };
                let side = Expr::binary("%", piece, Expr::Int(sides));
                let side = lowering.named_index("side", side, body);
                let column = beside(side, -tile.columns[0], threads);
                let column = lowering.named_index("column", column, body);
                lowering.copy(build, (w, tile), (rows, column), Some(at), body)
            })?);
        }
        Ok(all)
    }

    /// A loop that shares `n` accesses among the threads of a block.
    fn copies(
        &mut self,
        build: &Build<'_>,
        n: i64,
        of_piece: impl FnOnce(&mut Self, Expr, &mut Vec<Stmt>) -> Result<()>,
    ) -> Result<Vec<Stmt>> {
        let piece = self.program.add_var("piece", Type::Index, true);
        let mut body = Vec::new();
        of_piece(self, Expr::Var(piece), &mut body)?;
        let threads: u32 = build.shape.threads.iter().product();
        Ok(vec![Stmt::For {
            var: piece,
            first: build.in_block()?.number.clone(),
            cond: Expr::binary("<", Expr::Var(piece), Expr::Int(n)),
            step: Expr::Int(i64::from(threads)),
            any_order: false,
            unroll: Unroll::Free,
            body,
        }])
    }

    /// Copies one access of a row of a tile, given the numbers of the row along loops and that of the
    /// access; of a plane, and to where the tile has it, where planes are streamed.
    fn copy(
        &mut self,
        build: &Build<'_>,
        (w, tile): (usize, &Tile),
        (rows, column): (Vec<Expr>, Expr),
        plane: Option<&(Expr, Expr)>,
        body: &mut Vec<Stmt>,
    ) -> Result<()> {
        let window = &build.windows[w];
        let (near, (s, n)) = (window.near.clone(), window.read);
        let (lanes, place) = (build.shape.lanes(), build.in_block()?);
        let same = Functions::of(&self.scop.stmts[s])?.reads.swap_remove(n);
        let columns = self.columns(near.array)?;
        let mut values = Vec::new();
        for (d, sub) in near.subs.iter().enumerate() {
            values.push(match sub {
                Sub::Same(_) => from_isl(&same[d], &build.instances[&s]),
                Sub::Along(axis, _) if *axis == build.shape.inner() => {
                    let first = plus(place.first[*axis].clone(), tile.columns[0] * lanes);
                    let here = first.plus(column.clone().times(Expr::Int(lanes)));
                    let last = plus(columns.clone(), -lanes);
                    let inside = Expr::helper(Helper::Lowest, here, last);
                    Ok(Expr::helper(Helper::Highest, inside, Expr::Int(0)))
                }
                Sub::Along(axis, _) => {
                    match (tile.rows.iter().position(|(a, ..)| a == axis), plane) {
                        (Some(r), _) => {
                            let (_, lo, _) = tile.rows[r];
                            let here = plus(place.first[*axis].clone().plus(rows[r].clone()), lo);
                            let [_, most] = window.offsets[*axis];
                            let last = plus(build.ranges[*axis][1].clone(), most);
                            Ok(Expr::helper(Helper::Lowest, here, last))
                        }
                        (None, Some((plane, _))) => Ok(plane.clone()),
                        _ => Err(Box::new(Diagnostic::bug(
                            "a tile without a loop of its rows",
                        ))),
                    }
                }
            });
        }
        let index = self.number_of(near.array, 0, values.into_iter())?;
        let row = self.row_of(tile, rows, plane.map(|(_, buffer)| buffer.clone()));
        let at = column.times(Expr::Int(lanes));
        body.push(Stmt::Copy {
            to: Expr::element(tile.memory, Some(row), at),
            from: Expr::element(self.array(near.array)?, None, index),
            lanes: lanes as u32,
        });
        Ok(())
    }

    /// The number of a row of a tile's array.
    fn row_of(&self, tile: &Tile, rows: Vec<Expr>, buffer: Option<Expr>) -> Expr {
        let row = tile.row(rows);
        match buffer {
            Some(buffer) => buffer.times(Expr::Int(tile.n_rows())).plus(row),
            None => row,
        }
    }

    /// Where a tile has what a thread reads.
    fn in_tile(&self, build: &Build<'_>, tile: &Tile, (at, m): &Spot) -> Result<(Expr, Expr)> {
        let place = build.in_block()?;
        let along = |&(axis, lo, _): &(usize, i64, i64)| {
            let cells = Expr::Int(build.shape.cells[axis]);
            plus(place.own[axis].clone().times(cells), at[axis] - lo)
        };
        let rows = tile.rows.iter().map(along).collect();
        let buffer = tile.plane.map(|_| self.buffer(build, 0));
        let column = plus(place.own[build.shape.inner()].clone(), m - tile.columns[0]);
        let lanes = Expr::Int(build.shape.lanes());
        Ok((self.row_of(tile, rows, buffer), column.times(lanes)))
    }

    /// Stores the cells of a thread in the tile of the current plane.
    fn publish(&self, build: &Build<'_>, of: (usize, &Tile)) -> Result<Vec<Stmt>> {
        let spots = own_spots(&build.shape, of.1.plane);
        let stores = spots.iter().map(|spot| self.access(build, of, spot, true));
        stores.collect()
    }

    /// Reads what a tile has of a window.
    pub(super) fn read_tile(
        &self,
        build: &Build<'_>,
        of: (usize, &Tile),
        spot: &Spot,
    ) -> Result<Stmt> {
        self.access(build, of, spot, false)
    }

    /// What a thread reads from a tile of a window, or stores there.
    fn access(
        &self,
        build: &Build<'_>,
        (w, tile): (usize, &Tile),
        spot: &Spot,
        stored: bool,
    ) -> Result<Stmt> {
        let (window, lanes) = (&build.windows[w], build.shape.lanes());
        let (row, index) = self.in_tile(build, tile, spot)?;
        let wide = Wide {
            memory: tile.memory,
            row: Some(row),
            index,
            own: window.own,
            own_row: None,
            at: window.place_of(lanes, spot),
            lanes: lanes as u32,
            constant: false,
        };
        Ok(moved(wide, stored))
    }
}

/// Elements that go from memory to the thread, or back where they are stored: at once, or one.
pub(super) fn moved(wide: Wide, stored: bool) -> Stmt {
    match (wide.lanes, stored) {
        (1, true) => Stmt::Assign {
            target: wide.in_memory(),
            value: wide.of_thread(),
        },
        (1, false) => Stmt::Assign {
            target: wide.of_thread(),
            value: wide.in_memory(),
        },
        (_, true) => Stmt::Store(wide),
        (_, false) => Stmt::Load(wide),
    }
}

/// The array of a window.
fn array_of<'s>(scop: &'s Scop, window: &Window) -> &'s crate::scop::Array {
    scop.array(window.near.array)
}
