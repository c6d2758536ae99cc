//! Launches of single steps in which a thread may compute several cells, and load and store
//! neighbouring elements at once.
//!
//! A launch whose loops are parallel gives the same in whatever order its cells are computed, so what
//! cells a thread has is free. What a thread of several cells does differently is that it loads
//! elements beside those that its own cells need, and that it loads them before it stores anything. It
//! may where, by isl's proof,
//! * every subscript of what is loaded at once is a loop plus a constant, or depends on no loop of
//!   the threads, and the last one is the innermost of these loops: then elements of neighbouring
//!   cells are neighbours, and cells of a thread share what they load;
//! * every element that a cell touches lies within all extents of its array, so that any
//!   combination of subscripts does;
//! * what is loaded is written by no thread of the launch, or is the cell's own element, which is
//!   loaded before it is stored.
//!
//! Elements of different sizes move with as many at once, in accesses of 2 to 16 bytes.

use super::stepwise::{Plan, Step};
use crate::diag::Result;
use crate::ir::WIDE;
use crate::scop::{Access, ArrayId, Expr, Scop, Statement, bounds};
use hexcc_isl::{DimType, Map, PwAff};
use std::collections::{BTreeMap, BTreeSet};

/// Elements that are loaded or stored at once, at most: CUDA's vectors have four.
const MOST_LANES: i64 = 4;

/// A subscript, in terms of the loops that threads share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sub {
    /// A loop, counted from the outermost one, plus a constant.
    Along(usize, i64),
    /// The same for all cells: isl's text of it.
    Same(String),
}

/// Elements of an array of which neighbouring cells touch neighbouring ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The array.
    pub array: ArrayId,
    /// Its subscripts.
    pub subs: Vec<Sub>,
}

impl Near {
    /// What it has in common with accesses at other offsets.
    pub fn plane(&self) -> (ArrayId, Vec<Sub>) {
        let without_offset = |sub: &Sub| match sub {
            Sub::Along(axis, _) => Sub::Along(*axis, 0),
            same => same.clone(),
        };
        (self.array, self.subs.iter().map(without_offset).collect())
    }

    /// Its offset along a loop; `None` where it does not depend on it.
    pub fn offset(&self, axis: usize) -> Option<i64> {
        self.subs.iter().find_map(|sub| match sub {
            Sub::Along(along, offset) if *along == axis => Some(*offset),
            _ => None,
        })
    }
}

/// What the cells of a launch load and store.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// Neighbouring cells of a thread along the innermost loop: their largest elements have [`WIDE`] bytes, and they are no more
    /// than four.
    pub lanes: i64,
    /// By array of which a cell loads or stores neighbours, bytes of an element.
    pub sizes: BTreeMap<ArrayId, usize>,
    /// By statement and read, what is loaded at once; what is absent is the same for all cells along
    /// the innermost loop, in an array of one dimension, or no array.
    pub reads: BTreeMap<(usize, usize), Near>,
    /// Reads of what a statement before has stored in the same cell, with the statement.
    pub stored: BTreeMap<(usize, usize), usize>,
    /// Planes of which no thread writes an element.
    pub constant: BTreeSet<(ArrayId, Vec<Sub>)>,
    /// By statement, what it writes.
    pub writes: BTreeMap<usize, Near>,
}

/// What is in the way of threads of several cells.
pub type Reason = String;

/// What the cells of a step load and store, given its statements in the order in which a cell has
/// them; or why a thread has one cell.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn cells(
    scop: &Scop,
    plan: &Plan,
    step: &Step,
    order: &[usize],
) -> Result<std::result::Result<Cells, Reason>> {
    if let Some(reason) = of_other_kind(scop, plan, step, order) {
        return Ok(Err(reason));
    }
    let mut touches = Vec::new();
    for &s in order {
        let stmt = &scop.stmts[s];
        for (n, access) in stmt.reads.iter().enumerate() {
            touches.push(Touch::new(scop, plan, step, (s, Some(n)), access)?);
        }
        touches.push(Touch::new(scop, plan, step, (s, None), &stmt.write)?);
    }
    Search { scop, step, order }.cells(&touches)
}

/// What of a step is no nest of parallel loops around assignments.
fn of_other_kind(scop: &Scop, plan: &Plan, step: &Step, order: &[usize]) -> Option<Reason> {
    let stmts: BTreeSet<usize> = order.iter().copied().collect();
    let accesses = |s: &usize| -> Vec<&Access> {
        let stmt: &Statement = &scop.stmts[*s];
        stmt.reads.iter().chain([&stmt.write]).collect()
    };
    let all: Vec<&Access> = order.iter().flat_map(accesses).collect();
    let doubtful = |a: &&Access| scop.guards.doubts.iter().any(|d| d.array == a.array);
    let of_thread = |a: &&Access| plan.private.get(&a.array).is_some_and(|n| *n > 1);
    let why = if step.spread.len() < 2 {
        "threads share fewer than two loops"
    } else if !step.reductions.is_empty() {
        "it folds values"
    } else if step.hyperplanes.is_some() {
        "it runs hyperplane by hyperplane"
    } else if stmts.len() != order.len() || stmts.len() != step.stmts.len() {
        "a thread runs more than one instance of a statement"
    } else if scop.guards.all || all.iter().any(doubtful) {
        "elements of an array may not exist"
    } else if all.iter().any(|a| a.whole) {
        "a function computes the cells"
    } else if order.iter().any(|s| may_trap(scop, &scop.stmts[*s])) {
        "an integer is divided by another one, which may be zero where there is no cell"
    } else if all.iter().any(|a| scop.array(a.array).pointers > 0) {
        "rows of an array lie anywhere"
    } else if all.iter().any(of_thread) {
        "a thread has an array of its own"
    } else {
        return None;
    };
    Some(why.to_string())
}

/// Whether a statement divides integers by what is neither a literal nor a variable: cells beyond the last one of a row
/// are computed, too.
fn may_trap(scop: &Scop, stmt: &Statement) -> bool {
    let is_one_number = |e: &Expr| match e {
        Expr::Int { .. } => true,
        Expr::Read(n, _) => scop.array(stmt.reads[*n].array).extents.is_empty(),
        _ => false,
    };
    let mut found = false;
    for expr in stmt.expressions() {
        expr.visit(&mut |e| {
            if let Expr::Binary { op, rhs, .. } = e {
                let of_integers = matches!(*op, "/" | "%") && !e.ty().is_floating();
                found |= of_integers && !is_one_number(rhs);
            }
        });
    }
    found
}

/// An access of a statement.
struct Touch {
    stmt: usize,
    /// Number of the read; `None` for the write.
    read: Option<usize>,
    array: ArrayId,
    /// No element of memory, or each thread has its own.
    is_own: bool,
    /// From times, without their constant dimensions, to elements.
    at: Map,
    /// The loops of the host among the dimensions of times that are left.
    host: Vec<usize>,
    /// Its subscripts, as far as they are of the forms known.
    subs: Option<Vec<Sub>>,
    /// It depends on the innermost loop of the threads.
    moves: bool,
}

impl Touch {
    fn new(
        scop: &Scop,
        plan: &Plan,
        step: &Step,
        (stmt, read): (usize, Option<usize>),
        access: &Access,
    ) -> Result<Touch> {
        let array = scop.array(access.array);
        let order = &step.orders[&stmt];
        let mut at = order.schedule.reverse()?.apply_range(&access.map)?;
        let (subs, moves) = subscripts(&at, &step.spread)?;
        let kept = |d: &usize| step.host.contains(d) || step.spread.contains(d);
        for d in (0..plan.depth).rev().filter(|d| !kept(d)) {
            at = at.project_out(DimType::In, d as u32, 1)?;
        }
        let left: Vec<usize> = (0..plan.depth).filter(kept).collect();
        let host = (left.iter().enumerate())
            .filter(|(_, d)| step.host.contains(d))
            .map(|(place, _)| place);
        Ok(Touch {
            stmt,
            read,
            array: access.array,
            is_own: array.extents.is_empty() || plan.private.contains_key(&access.array),
            at,
            host: host.collect(),
            subs,
            moves,
        })
    }

    fn is_write(&self) -> bool {
        self.read.is_none()
    }

    /// Whether no two cells of a launch, or one, touch an element both of this and of another one.
    fn is_apart(&self, other: &Touch) -> Result<bool> {
        let mut pairs = self.at.apply_range(&other.at.reverse()?)?;
        for &d in &self.host {
            pairs = pairs.equate(DimType::In, d as u32, DimType::Out, d as u32)?;
        }
        Ok(pairs.is_empty()?)
    }
}

/// The subscripts of an access, given from times to elements, in terms of the loops of threads; and
/// whether it depends on the innermost of these.
fn subscripts(at: &Map, spread: &[usize]) -> Result<(Option<Vec<Sub>>, bool)> {
    if !at.is_single_valued()? {
        return Ok((None, true));
    }
    let mut subs = Some(Vec::new());
    let mut moves = false;
    for f in at.to_pw_affs()? {
        let f = f.gist(&at.domain()?)?;
        if let Some(&inner) = spread.last() {
            moves |= f.involves(DimType::In, inner as u32, 1)?;
        }
        let sub = subscript(&f, spread)?;
        subs = subs.zip(sub).map(|(mut subs, sub)| {
            subs.push(sub);
            subs
        });
    }
    Ok((subs, moves))
}

fn subscript(f: &PwAff, spread: &[usize]) -> Result<Option<Sub>> {
    let mut rest = f.clone();
    let mut along = None;
    for (axis, &d) in spread.iter().enumerate() {
        let Some((factor, without)) = rest.take_term(DimType::In, d as u32)? else {
            return Ok(None);
        };
        match (factor, along) {
            (0, _) => {}
            (1, None) => along = Some(axis),
            _ => return Ok(None),
        }
        rest = without;
        if rest.involves(DimType::In, d as u32, 1)? {
            return Ok(None);
        }
    }
    Ok(match along {
        None => Some(Sub::Same(rest.to_string())),
        Some(axis) => (rest.as_constant()?).map(|offset| Sub::Along(axis, offset.floor())),
    })
}

struct Search<'a> {
    scop: &'a Scop,
    step: &'a Step,
    order: &'a [usize],
}

impl Search<'_> {
    fn cells(&self, touches: &[Touch]) -> Result<std::result::Result<Cells, Reason>> {
        let mut cells = Cells::default();
        let mut all = Vec::new();
        for touch in touches.iter().filter(|t| !t.is_own) {
            let near = match (touch.moves || touch.is_write(), self.near(touch)) {
                (false, _) => None,
                // A row by itself may end anywhere: its elements are loaded one by one.
                (true, None) if !touch.is_write() && self.is_row(touch) => None,
                (true, None) => {
                    let name = &self.scop.array(touch.array).name;
                    let why = "neighbouring cells do not touch neighbours";
                    return Ok(Err(format!("{why} in `{name}`")));
                }
                (true, near) => near,
            };
            all.push((touch, near));
        }
        for (touch, near) in all {
            if !self.is_inside(touch)? {
                let name = &self.scop.array(touch.array).name;
                return Ok(Err(format!("elements of `{name}` may not exist")));
            }
            if let Err(reason) = self.place(&mut cells, touches, touch, near)? {
                return Ok(Err(reason));
            }
        }
        Ok(match self.alike(&mut cells) {
            Some(reason) => Err(reason),
            None => Ok(cells),
        })
    }

    /// Whether all that an access touches exists, and it touches something in each cell.
    fn is_inside(&self, touch: &Touch) -> Result<bool> {
        let stmt = &self.scop.stmts[touch.stmt];
        let access = touch.read.map_or(&stmt.write, |n| &stmt.reads[n]);
        let total = stmt.domain.is_subset(&access.map.domain()?)?;
        Ok(total && bounds::is_inside(self.scop, access)?)
    }

    fn is_row(&self, touch: &Touch) -> bool {
        self.scop.array(touch.array).extents.len() == 1
    }

    /// An access along the innermost loop.
    fn near(&self, touch: &Touch) -> Option<Near> {
        let subs = touch.subs.clone()?;
        let inner = self.step.spread.len() - 1;
        let axes = subs.iter().filter_map(|sub| match sub {
            Sub::Along(axis, _) => Some(*axis),
            Sub::Same(_) => None,
        });
        let axes: Vec<usize> = axes.collect();
        let distinct: BTreeSet<usize> = axes.iter().copied().collect();
        let is_last = matches!(subs.last(), Some(Sub::Along(axis, _)) if *axis == inner);
        let all_axes = !touch.is_write() || axes.len() > inner;
        let is_block = !self.is_row(touch);
        (is_block && is_last && all_axes && distinct.len() == axes.len()).then_some(Near {
            array: touch.array,
            subs,
        })
    }

    /// Files an access, unless what it touches may be written by another one.
    fn place(
        &self,
        cells: &mut Cells,
        touches: &[Touch],
        touch: &Touch,
        near: Option<Near>,
    ) -> Result<std::result::Result<(), Reason>> {
        let name = &self.scop.array(touch.array).name;
        let mut constant = true;
        for other in touches.iter().filter(|o| o.array == touch.array) {
            let is_self = std::ptr::eq(other, touch);
            if is_self || !other.is_write() || touch.is_apart(other)? {
                continue;
            }
            let same = near.as_ref() == self.near(other).as_ref() && near.is_some();
            if touch.is_write() || !same {
                return Ok(Err(format!(
                    "`{name}` may be written twice, or read elsewhere"
                )));
            }
            constant = false;
            if let (Some(n), true) = (touch.read, self.is_before(other.stmt, touch.stmt)) {
                cells.stored.insert((touch.stmt, n), other.stmt);
            }
        }
        match (touch.read, near) {
            (None, Some(near)) => {
                cells.writes.insert(touch.stmt, near);
            }
            (Some(n), Some(near)) => {
                if constant {
                    cells.constant.insert(near.plane());
                }
                cells.reads.insert((touch.stmt, n), near);
            }
            (_, None) => {}
        }
        Ok(Ok(()))
    }

    fn is_before(&self, a: usize, b: usize) -> bool {
        let place = |s: usize| self.order.iter().position(|o| *o == s);
        place(a) < place(b)
    }

    /// How many cells a thread has by the sizes of elements; and that what is written has the same offset along the
    /// innermost loop.
    fn alike(&self, cells: &mut Cells) -> Option<Reason> {
        let inner = self.step.spread.len() - 1;
        let near = cells.reads.values().chain(cells.writes.values());
        cells.sizes = near
            .map(|n| (n.array, self.scop.array(n.array).elem.size()))
            .collect();
        let offsets: BTreeSet<Option<i64>> = (cells.writes.values())
            .map(|near| near.offset(inner))
            .collect();
        let largest = cells.sizes.values().max().copied().unwrap_or(1);
        cells.lanes = (i64::from(WIDE) / largest as i64).min(MOST_LANES);
        (offsets.len() != 1).then(|| "statements write at different offsets".to_string())
    }
}
