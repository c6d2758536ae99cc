//! The kernel of threads of several cells, piece by piece.

use super::tile::{InBlock, Tile, moved};
use super::window::{Window, offsets_of, windows};
use super::{InCells, Shape, all, over_cells, plus, plus_sum};
use crate::diag::{Diagnostic, Result};
use crate::ir::{Axis, Block, Expr, Helper, Kernel, Stmt, Type, Unroll, VarId, Wide};
use crate::lower::affine::{Env, from_isl};
use crate::lower::stepwise::functions::Functions;
use crate::lower::stepwise::statement::statement_number;
use crate::lower::stepwise::{Lowering, bounds, dim_name, iterator};
use crate::tiling::coarsen::{Cells, Near, Sub};
use crate::tiling::stepwise::Step;
use hexcc_isl::{AstExpr, AstNode};
use std::collections::BTreeMap;

/// A kernel that is made.
pub(super) struct Build<'b> {
    step: &'b Step,
    order: &'b [usize],
    cells: &'b Cells,
    pub shape: Shape,
    /// Where a thread is in its block, where these share what they load.
    in_block: Option<InBlock>,
    /// By loop, outermost first, its first and last iteration in the kernel.
    pub ranges: Vec<[Expr; 2]>,
    /// By loop, the first cell of the thread; the cell where there is one at a time.
    pub vars: Vec<VarId>,
    /// By loop, how far a cell is from the first one.
    at: Vec<Expr>,
    /// Names of isl's for the loops of the host.
    host: Env,
    /// By statement, the values of its iterators in the thread's first cell.
    pub instances: BTreeMap<usize, Env>,
    pub windows: Vec<Window>,
    /// Statements that define coordinates, and what they define by loop, offset and bound.
    lets: Vec<Stmt>,
    known: Vec<((usize, i64, Expr), Expr)>,
    /// By statement, the values that it gives to the cells along the innermost loop.
    values: BTreeMap<usize, VarId>,
}

/// The loads of a window.
#[derive(Default)]
struct Loads {
    /// Before the first plane.
    once: Vec<Stmt>,
    /// In each plane.
    each: Vec<Stmt>,
    /// In each plane, from the tile of the block.
    of_tile: Vec<Stmt>,
}

impl Build<'_> {
    /// Where a thread is in its block.
    pub fn in_block(&self) -> Result<&InBlock> {
        (self.in_block.as_ref()).ok_or_else(|| Box::new(Diagnostic::bug("a tile of no block")))
    }
}

impl Lowering<'_> {
    pub(super) fn coarse_kernel(
        &mut self,
        step: &Step,
        (order, cells): (&[usize], &Cells),
        (ranges, node): (&[[AstExpr; 2]], &AstNode),
        shape: Shape,
    ) -> Result<Kernel> {
        let (host, params) = self.parameters(step);
        let mut ends = bounds(ranges, &host)?;
        ends.reverse();
        let vars: Vec<VarId> = (step.spread.iter())
            .map(|&d| self.loop_var(&step.stmts, d))
            .collect();
        let mut axes = Vec::new();
        let block: Vec<String> = shape.cells.iter().map(i64::to_string).collect();
        let planes = match shape.is_streamed() {
            true => format!(" at a time, of {} planes", shape.step(0)),
            false => String::new(),
        };
        let remark = format!("A thread has {} cells{planes}.", block.join(" x "));
        let mut body = vec![Stmt::Comment(remark)];
        let mut blocks = Vec::new();
        for (axis, var) in vars.iter().enumerate() {
            let name = format!("{}_block", self.program.var(*var).name);
            let block = self.program.add_var(&name, Type::Index, true);
            axes.push(Axis {
                var: block,
                range: shape.range(axis, ends[axis].clone()),
                threads: shape.threads[axis],
            });
            blocks.push(block);
        }
        let in_block = match shape.is_tiled() {
            true => Some(self.in_block(&shape, (&blocks, &ends), &mut body)),
            false => None,
        };
        self.first_cells(&shape, (&vars, &blocks), &mut ends, &mut body);
        axes.reverse();
        let mut build = Build {
            step,
            order,
            cells,
            ranges: ends,
            vars,
            at: Vec::new(),
            host,
            instances: BTreeMap::new(),
            windows: Vec::new(),
            lets: Vec::new(),
            known: Vec::new(),
            values: BTreeMap::new(),
            in_block,
            shape,
        };
        body.extend(self.coarse_body(&mut build, node)?);
        let number = self.ranges.len() + 1;
        let threads = build.shape.threads.iter().product();
        Ok(Kernel {
            block: build.in_block.map(|_| Block {
                threads,
                resident: 1,
            }),
            launching: None,
            name: format!("step_{number}_{}", build.shape.identifier()),
            lines: self.lines(step),
            params,
            axes,
            body,
            reductions: Vec::new(),
        })
    }

    /// Defines the first cell of a thread along each loop, given the variables of the loops and of the axes; streamed
    /// planes begin there.
    fn first_cells(
        &mut self,
        shape: &Shape,
        (vars, blocks): (&[VarId], &[VarId]),
        ends: &mut [[Expr; 2]],
        body: &mut Vec<Stmt>,
    ) {
        for (axis, (var, block)) in vars.iter().zip(blocks).enumerate() {
            let first = Expr::Var(*block).times(Expr::Int(shape.step(axis)));
            let first = match axis == shape.inner() {
                true => plus(first, -shape.offset),
                false => ends[axis][0].clone().plus(first),
            };
            if !(axis == 0 && shape.is_streamed()) {
                let value = Some(first);
                body.push(Stmt::Let { var: *var, value });
            } else {
                let name = format!("{}_begin", self.program.var(*var).name);
                let begin = self.program.add_var(&name, Type::Index, true);
                let value = Some(first);
                body.push(Stmt::Let { var: begin, value });
                ends[axis][0] = Expr::Var(begin);
            }
        }
    }

    /// What a thread does.
    fn coarse_body(&mut self, build: &mut Build<'_>, node: &AstNode) -> Result<Vec<Stmt>> {
        self.instances(build, node)?;
        self.windows(build);
        let mut body = Vec::new();
        let declare = |var: VarId| Stmt::Let { var, value: None };
        let whole = self.whole(build);
        let (mut planes, mut later) = (Vec::new(), Vec::new());
        let tiles = self.tiles(build)?;
        body.extend(tiles.before);
        for w in 0..build.windows.len() {
            body.push(declare(build.windows[w].own));
            let loads = self.loads(build, w)?;
            planes.extend(loads.each);
            later.extend(loads.of_tile);
            body.extend(loads.once);
        }
        planes.extend(tiles.each);
        planes.extend(later);
        planes.extend(self.cells_of_thread(build, node, whole.0)?);
        let lets = std::mem::take(&mut build.lets);
        body.splice(0..0, lets.into_iter().chain([whole.1]));
        if !build.shape.is_streamed() {
            body.extend(planes);
            return Ok(body);
        }
        let (var, first) = (build.vars[0], build.ranges[0][0].clone());
        let end = self.last_plane(build);
        body.push(Stmt::For {
            var,
            first,
            cond: Expr::binary("<=", Expr::Var(var), end),
            step: Expr::Int(1),
            any_order: false,
            unroll: Unroll::Free,
            body: planes,
        });
        Ok(body)
    }

    /// Where all cells of a thread along the innermost loop exist.
    fn whole(&mut self, build: &Build<'_>) -> (VarId, Stmt) {
        let inner = build.shape.inner();
        let [lo, hi] = build.ranges[inner].clone();
        let k = || Expr::Var(build.vars[inner]);
        let last = plus(k(), build.shape.lanes() - 1);
        let value = Expr::binary(
            "&&",
            Expr::binary(">=", k(), lo),
            Expr::binary("<=", last, hi),
        );
        let ty = Type::Number(crate::ctype::CType::INT);
        let var = self.program.add_var("whole", ty, true);
        let value = Some(value);
        (var, Stmt::Let { var, value })
    }

    /// The iterators of statements in the first cell.
    fn instances(&mut self, build: &mut Build<'_>, node: &AstNode) -> Result<()> {
        let mut env = build.host.clone();
        for (d, var) in build.step.spread.iter().zip(&build.vars) {
            env.insert(dim_name(*d), Expr::Var(*var));
        }
        let mut found = BTreeMap::new();
        let args = self.args.clone();
        self.inside(node, &build.step.stmts, &mut env, &mut |_, name, values| {
            let mut env = args.clone();
            for (i, value) in values.into_iter().enumerate() {
                env.insert(iterator(i), value);
            }
            found.extend(statement_number(name).map(|s| (s, env)));
            Ok(Vec::new())
        })?;
        build.instances = found;
        Ok(())
    }

    /// What the thread loads.
    fn windows(&mut self, build: &mut Build<'_>) {
        let mut windows = windows(build.cells, &build.shape);
        for window in &mut windows {
            let array = self.scop.array(window.near.array);
            let (_, len) = window.strides(build.shape.lanes());
            let ty = Type::Private {
                rows: 1,
                elem: array.elem,
                len: u32::try_from(len).unwrap_or(u32::MAX),
            };
            window.own = self
                .program
                .add_var(&format!("{}_near", array.name), ty, false);
        }
        build.windows = windows;
    }

    /// The loads of a window.
    fn loads(&mut self, build: &mut Build<'_>, w: usize) -> Result<Loads> {
        let mut loads = Loads::default();
        let lanes = build.shape.lanes();
        let tile: Option<Tile> = build.windows[w].tile.clone();
        if !build.shape.is_streamed() {
            for spot in build.windows[w].spots.clone() {
                loads.once.push(match &tile {
                    Some(tile) => self.read_tile(build, (w, tile), &spot)?,
                    None => self.load(build, w, &spot, None)?,
                });
            }
            return Ok(loads);
        }
        for ((rest, m), [first, last]) in build.windows[w].queues() {
            let spot = |plane: i64| -> (Vec<i64>, i64) {
                let at = [plane].into_iter().chain(rest.iter().copied());
                (at.collect(), m)
            };
            if let Some(tile) = tile.as_ref().filter(|t| t.spots.contains(&spot(first))) {
                loads
                    .of_tile
                    .push(self.read_tile(build, (w, tile), &spot(first))?);
                continue;
            }
            for plane in first..last {
                // Each plane moves down before the first one is computed.
                let from = plus(build.ranges[0][0].clone(), plane);
                let mut load = self.load(build, w, &spot(plane), Some(from))?;
                let at = build.windows[w].place_of(lanes, &spot(plane + 1));
                match &mut load {
                    Stmt::Load(wide) => wide.at = at,
                    Stmt::Assign { target, .. } => {
                        *target = Expr::element(build.windows[w].own, None, at);
                    }
                    _ => return Err(Box::new(Diagnostic::bug("a load of nothing"))),
                }
                loads.once.push(load);
            }
            if first < last {
                let window = &build.windows[w];
                let stride = window.strides(lanes).0[0];
                let to = window.place_of(lanes, &spot(first));
                loads
                    .each
                    .push(self.shift(window.own, (last - first, lanes), (to, stride)));
            }
            loads.each.push(self.load(build, w, &spot(last), None)?);
        }
        Ok(loads)
    }

    /// Elements that the thread keeps of some planes become those of the planes before.
    fn shift(
        &mut self,
        own: VarId,
        (planes, lanes): (i64, i64),
        (to, stride): (Expr, i64),
    ) -> Stmt {
        let mut var = |name: &str| self.program.add_var(name, Type::Index, true);
        let (plane, lane) = (var("plane"), var("lane"));
        let at = |further: i64| {
            let first = Expr::Var(plane).times(Expr::Int(stride));
            let place = plus_sum(first.plus(Expr::Var(lane)), to.clone());
            Expr::element(own, None, plus(place, further))
        };
        let body = vec![Stmt::Assign {
            target: at(0),
            value: at(stride),
        }];
        over_cells(plane, planes, vec![over_cells(lane, lanes, body)])
    }

    /// A load; of a plane of its own where one is given.
    fn load(
        &mut self,
        build: &mut Build<'_>,
        w: usize,
        spot: &(Vec<i64>, i64),
        plane: Option<Expr>,
    ) -> Result<Stmt> {
        let window = &build.windows[w];
        let (near, (s, n), own, constant) = (
            window.near.clone(),
            window.read,
            window.own,
            window.constant,
        );
        let lanes = build.shape.lanes();
        let at = window.place_of(lanes, spot);
        let most: Vec<i64> = window.offsets.iter().map(|[_, hi]| *hi).collect();
        let same = Functions::of(&self.scop.stmts[s])?.reads.swap_remove(n);
        let columns = self.columns(near.array)?;
        let mut values = Vec::new();
        for (d, sub) in near.subs.iter().enumerate() {
            values.push(match (sub, &plane) {
                (Sub::Same(_), _) => from_isl(&same[d], &build.instances[&s]),
                (Sub::Along(0, _), Some(plane)) => Ok(plane.clone()),
                (Sub::Along(axis, _), _) if *axis == build.shape.inner() => {
                    Ok(self.column(build, spot.1, &columns))
                }
                (Sub::Along(axis, _), _) => {
                    Ok(self.coordinate(build, *axis, spot.0[*axis], most[*axis]))
                }
            });
        }
        let index = self.number_of(near.array, 0, values.into_iter())?;
        let wide = Wide {
            memory: self.array(near.array)?,
            row: None,
            own_row: None,
            index,
            own,
            at,
            lanes: lanes as u32,
            constant,
        };
        Ok(moved(wide, false))
    }

    /// A variable for a coordinate, one for each that there is.
    fn named(&mut self, build: &mut Build<'_>, (axis, at): (usize, i64), value: Expr) -> Expr {
        let what = (axis, at, value.clone());
        if let Some((_, known)) = build.known.iter().find(|(known, _)| *known == what) {
            return known.clone();
        }
        let sign = if at < 0 { "m" } else { "p" };
        let base = &self.program.var(build.vars[axis]).name;
        let name = format!("{base}_{sign}{}", at.abs());
        let coordinate = self.named_index(&name, value, &mut build.lets);
        build.known.push((what, coordinate.clone()));
        coordinate
    }

    /// How far along a loop a row is, at most as far as cells need.
    fn coordinate(&mut self, build: &mut Build<'_>, axis: usize, at: i64, most: i64) -> Expr {
        let here = plus(Expr::Var(build.vars[axis]), at);
        if axis == 0 && build.shape.is_streamed() {
            return here;
        }
        let last = plus(build.ranges[axis][1].clone(), most);
        match at {
            0 if most >= 0 && build.in_block.is_none() => here,
            at if at <= most && build.in_block.is_none() => self.named(build, (axis, at), here),
            at => self.named(build, (axis, at), Expr::helper(Helper::Lowest, here, last)),
        }
    }

    /// The first element of an access in a row, which is in the row.
    fn column(&mut self, build: &mut Build<'_>, m: i64, columns: &Expr) -> Expr {
        let axis = build.shape.inner();
        let lanes = build.shape.lanes();
        let k = Expr::Var(build.vars[axis]);
        let here = plus(k.clone(), build.shape.offset + m * lanes);
        let first = build.order.first().and_then(|s| build.cells.writes.get(s));
        let written = first.map(|near| self.columns(near.array));
        let alike = build.in_block.is_none() && matches!(written, Some(Ok(w)) if w == *columns);
        let mut inside = here;
        if m > 0 || !alike {
            let last = plus(columns.clone(), -lanes);
            inside = Expr::helper(Helper::Lowest, inside, last);
        }
        if m < 0 || !alike {
            inside = Expr::helper(Helper::Highest, inside, Expr::Int(0));
        }
        match m == 0 && alike {
            true => inside,
            false => self.named(build, (axis, m * lanes), inside),
        }
    }

    /// The loops over the cells of a thread.
    fn cells_of_thread(
        &mut self,
        build: &mut Build<'_>,
        node: &AstNode,
        whole: VarId,
    ) -> Result<Vec<Stmt>> {
        let mut loops = Vec::new();
        for (axis, cells) in build.shape.cells.clone().into_iter().enumerate() {
            let name = format!("d{}", self.program.var(build.vars[axis]).name);
            build.at.push(match cells {
                1 => Expr::Int(0),
                _ => {
                    let var = self.program.add_var(&name, Type::Index, true);
                    loops.push((var, cells));
                    Expr::Var(var)
                }
            });
        }
        let mut body = Vec::new();
        for &s in build.order {
            let array = self.scop.array(self.scop.stmts[s].write.array);
            let Some(_) = build.cells.writes.get(&s) else {
                continue;
            };
            let ty = Type::Private {
                rows: 1,
                elem: array.elem,
                len: build.shape.lanes() as u32,
            };
            let var = self
                .program
                .add_var(&format!("{}_new", array.name), ty, false);
            body.push(Stmt::Let { var, value: None });
            build.values.insert(s, var);
        }
        let lane = match build.shape.lanes() {
            1 => None,
            _ => loops.pop(),
        };
        let values = self.values(build, node)?;
        match lane {
            Some((lane, lanes)) => body.push(over_cells(lane, lanes, values)),
            None => body.push(Stmt::Scope(values)),
        }
        body.extend(self.stores(build, (lane.map(|(lane, _)| lane), whole))?);
        for (var, cells) in loops.into_iter().rev() {
            body = vec![over_cells(var, cells, body)];
        }
        Ok(body)
    }

    /// The statements of a cell.
    fn values(&mut self, build: &Build<'_>, node: &AstNode) -> Result<Vec<Stmt>> {
        let lanes = build.shape.lanes();
        let (outer, lane) = build.at.split_at(build.shape.inner());
        let mut places = InCells::default();
        for (read, near) in &build.cells.reads {
            let place = match build.cells.stored.get(read) {
                Some(writer) => Expr::element(build.values[writer], None, lane[0].clone()),
                None => {
                    let window = build
                        .windows
                        .iter()
                        .find(|w| w.near.plane() == near.plane());
                    let window = window
                        .ok_or_else(|| Box::new(Diagnostic::bug("a read of nothing loaded")))?;
                    let mut offsets: Vec<i64> = offsets_of(near, outer.len());
                    let inner = near.offset(outer.len()).unwrap_or(0);
                    offsets.push(inner - build.shape.offset);
                    let place = window.place(lanes, &offsets, (outer, lane[0].clone()));
                    Expr::element(window.own, None, place)
                }
            };
            places.reads.insert(*read, place);
        }
        for (s, var) in &build.values {
            places
                .writes
                .insert(*s, Expr::element(*var, None, lane[0].clone()));
        }
        let mut env = build.host.clone();
        for (axis, d) in build.step.spread.iter().enumerate() {
            env.insert(dim_name(*d), self.cell(build, axis));
        }
        let mut body = Vec::new();
        let mut private = BTreeMap::new();
        for (id, var) in self.private_variables(build.step, &mut body) {
            private.insert(id, var);
        }
        body.extend(self.inside(
            node,
            &build.step.stmts,
            &mut env,
            &mut |lowering, name, args| lowering.statement(name, &args, &private, &places),
        )?);
        Ok(body)
    }

    /// The iteration of a loop that a cell is, or the nearest that there is.
    fn cell(&self, build: &Build<'_>, axis: usize) -> Expr {
        let var = Expr::Var(build.vars[axis]);
        match &build.at[axis] {
            Expr::Int(_) if build.in_block.is_none() || build.shape.is_streamed() && axis == 0 => {
                var
            }
            at => {
                let [lo, hi] = build.ranges[axis].clone();
                let here = Expr::helper(Helper::Lowest, var.plus(at.clone()), hi);
                match axis == build.shape.inner() {
                    true => Expr::helper(Helper::Highest, here, lo),
                    false => here,
                }
            }
        }
    }

    /// Stores what exists of the cells along the innermost loop.
    fn stores(
        &mut self,
        build: &Build<'_>,
        (lane, whole): (Option<VarId>, VarId),
    ) -> Result<Vec<Stmt>> {
        let inner = build.shape.inner();
        let lanes = build.shape.lanes();
        let [lo, hi] = build.ranges[inner].clone();
        let name = lane.map_or("lane".to_string(), |lane| {
            self.program.var(lane).name.clone()
        });
        let each = self.program.add_var(&name, Type::Index, true);
        let (mut at_once, mut one_by_one) = (Vec::new(), Vec::new());
        for (s, own) in &build.values {
            let near = &build.cells.writes[s];
            let memory = self.array(near.array)?;
            let index = self.index_of_write(build, *s, near)?;
            let wide = Wide {
                memory,
                row: None,
                own_row: None,
                index: index.clone(),
                own: *own,
                at: Expr::Int(0),
                lanes: lanes as u32,
                constant: false,
            };
            at_once.push(moved(wide, true));
            one_by_one.push(Stmt::Assign {
                target: Expr::element(memory, None, plus_sum(index, Expr::Var(each))),
                value: Expr::element(*own, None, Expr::Var(each)),
            });
        }
        let here = Expr::binary("+", Expr::Var(build.vars[inner]), Expr::Var(each));
        let exists = Expr::binary(
            "&&",
            Expr::binary(">=", here.clone(), lo),
            Expr::binary("<=", here, hi),
        );
        let tested = vec![Stmt::If {
            cond: exists,
            yes: one_by_one,
            no: Vec::new(),
        }];
        let stores = Stmt::If {
            cond: Expr::Var(whole),
            yes: at_once,
            no: match lanes {
                1 => Vec::new(),
                _ => vec![over_cells(each, lanes, tested)],
            },
        };
        let in_block = build.in_block.as_ref();
        let mut exist: Vec<Expr> = in_block
            .and_then(|b| b.exists.clone())
            .into_iter()
            .collect();
        for axis in 0..inner {
            if let at @ Expr::Var(_) = &build.at[axis] {
                let here = Expr::binary("+", Expr::Var(build.vars[axis]), at.clone());
                exist.push(Expr::binary("<=", here, build.ranges[axis][1].clone()));
            }
        }
        Ok(vec![match all(exist) {
            None => stores,
            Some(cond) => Stmt::If {
                cond,
                yes: vec![stores],
                no: Vec::new(),
            },
        }])
    }

    /// The number of what a statement writes in the first of the cells along the innermost loop.
    fn index_of_write(&self, build: &Build<'_>, s: usize, near: &Near) -> Result<Expr> {
        let same = Functions::of(&self.scop.stmts[s])?.write;
        let values = near.subs.iter().zip(&same).map(|(sub, same)| match sub {
            Sub::Same(_) => from_isl(same, &build.instances[&s]),
            Sub::Along(axis, offset) => {
                let var = Expr::Var(build.vars[*axis]);
                Ok(match &build.at[*axis] {
                    at @ Expr::Var(_) if *axis < build.shape.inner() => {
                        plus(Expr::binary("+", var, at.clone()), *offset)
                    }
                    _ => plus(var, *offset),
                })
            }
        });
        self.number_of(near.array, 0, values)
    }
}
