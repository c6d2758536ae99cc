//! Single steps: the loops in their own order, a kernel for each nest of parallel loops.
//!
//! What cannot be tiled over time still has loops whose iterations are independent. The loops
//! around them run on the host, which launches the kernels in the order of the program, so
//! nothing needs to be proven across launches. Within one launch the iterations of the *spread*
//! loops run at the same time: [`Plan::new`] takes a loop for one only where isl has proven that
//! no two of its iterations, at equal iterations of the loops of the host and of the spread loops
//! around it, touch the same element unless both read it. That needs no dataflow: it holds for
//! all pairs of accesses, whatever runs between them.
//!
//! Two freedoms make more loops parallel. A variable or a small array that every thread writes
//! before it reads becomes *private* to the thread, where dataflow analysis has shown that no value
//! passes from one thread to another, nor in or out of the kernel. And a sequential loop around a
//! parallel one can run in each thread instead of on the host, where no two threads touch the same
//! element at any of its iterations.
//!
//! Where loops are not parallel because two numbers may choose the same plane of an array, these are
//! expected to choose two ([`super::planes`]).
//!
//! Where loops are not parallel because their iterations fold values into a variable, and only
//! because of that, threads share them as well ([`super::reduction`]).
//!
//! Where one thread would run a nest alone after all of that, as a sweep in place, it may run
//! hyperplane by hyperplane ([`super::hyperplanes`]).
//!
//! Neighbouring launches over the same cells are one where that is legal (`stepwise/fusion.rs`).

mod contraction;
mod fusion;

use super::flows::Flows;
use super::hyperplanes::{Hyperplanes, distances};
use super::planes;
use super::reduction::{Reduction, reductions};
use crate::diag::{Diagnostic, Result};
use crate::ir::verify::MOST_AXES;
use crate::options::Sums;
use crate::scop::{Access, ArrayId, Scop, are_apart, planes};
use hexcc_isl::{DimType, Map, Set};
use std::collections::{BTreeMap, BTreeSet};

/// Elements of an array that a thread may have for itself.
const MOST_PRIVATE: u32 = 64;

/// The same where one thread would run a loop otherwise, such as that over a line of a field.
const MOST_PRIVATE_OF_LINES: u32 = 512;

/// Iterations of an innermost loop, at most, that a thread of a hyperplane runs by itself.
const FEW_OF_THREAD: i64 = 16;

/// Bytes of all arrays that a thread has for itself then: a GPU keeps room for those of all threads
/// that it can run at once.
const MOST_BYTES_OF_LINES: u64 = 4096;

/// A launch in the order of the program: what runs for given iterations of the host's loops.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Statements, indices in [`Scop::stmts`] in textual order.
    pub stmts: Vec<usize>,
    /// Dimensions of the schedule that are loops of the host around it, outermost first.
    pub host: Vec<usize>,
    /// Dimensions of the schedule that threads share, outermost first; none for one thread.
    pub spread: Vec<usize>,
    /// Dimensions that are loops of a thread and whose iterations may run in any order.
    pub free: Vec<usize>,
    /// By statement, when its instances run.
    pub orders: BTreeMap<usize, Order>,
    /// Statements of which every thread does a part, to be combined after them.
    pub reductions: BTreeMap<usize, Reduction>,
    /// The order in which it runs, where that is not C's: the last loop of the host is over
    /// hyperplanes.
    pub hyperplanes: Option<Hyperplanes>,
}

/// When the instances of a statement run.
#[derive(Clone, Debug)]
pub struct Order {
    /// From instances to times.
    pub schedule: Map,
    /// By dimension, its value where it has only one.
    pub constants: Vec<Option<i64>>,
}

impl Order {
    /// The order that a schedule says.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn new(schedule: Map) -> Result<Order> {
        let constants = planes(&schedule)?;
        Ok(Order {
            schedule,
            constants,
        })
    }
}

/// The launches of a region.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In the order of the program.
    pub steps: Vec<Step>,
    /// Arrays and variables that every thread has for itself, with their numbers of elements.
    pub private: BTreeMap<ArrayId, u32>,
    /// Number of dimensions of the schedules.
    pub depth: usize,
    /// By dimension, what its loop is called; the iterator that it is, where there is no name.
    pub names: Vec<String>,
    /// Conditions on the parameters under which the loops are parallel.
    pub expected: Vec<Set>,
}

impl Plan {
    /// Finds the parallel loops of some statements. Arrays of `dead` are not read after the region.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn new(scop: &Scop, stmts: &[usize], dead: &BTreeSet<ArrayId>, sums: Sums) -> Result<Plan> {
        Plan::of_nests(scop, stmts, dead, sums)?.fused(scop)
    }

    /// As [`Plan::new`], with a launch for each nest.
    fn of_nests(
        scop: &Scop,
        stmts: &[usize],
        dead: &BTreeSet<ArrayId>,
        sums: Sums,
    ) -> Result<Plan> {
        let how = |most, in_place| How {
            dead,
            most,
            sums,
            in_place,
        };
        let plan = Plan::for_sizes(scop, stmts, how(MOST_PRIVATE, false))?;
        if plan.is_shared() {
            return Ok(plan);
        }
        let lines = Plan::for_sizes(scop, stmts, how(MOST_PRIVATE_OF_LINES, false))?;
        let fits = lines.private_bytes(scop) <= MOST_BYTES_OF_LINES;
        let (plan, most) = match fits && lines.shared_loops() > plan.shared_loops() {
            true => (lines, MOST_PRIVATE_OF_LINES),
            false => (plan, MOST_PRIVATE),
        };
        if plan.is_shared() {
            return Ok(plan);
        }
        let by_hyperplanes = Plan::for_sizes(scop, stmts, how(most, true))?;
        let fits = by_hyperplanes.private_bytes(scop) <= MOST_BYTES_OF_LINES;
        Ok(
            match fits && by_hyperplanes.shared_loops() > plan.shared_loops() {
                true => by_hyperplanes,
                false => plan,
            },
        )
    }

    /// Whether no thread runs a loop alone.
    fn is_shared(&self) -> bool {
        self.steps.iter().all(|step| self.alone(step).is_none())
    }

    /// As [`Plan::new`], in one of the ways that it tries.
    fn for_sizes(scop: &Scop, stmts: &[usize], how: How) -> Result<Plan> {
        let plan = Plan::within(scop, stmts, how, Vec::new())?;
        if plan.shares_all() {
            return Ok(plan);
        }
        let apart = planes::apart(scop, stmts)?;
        if apart.is_empty() {
            return Ok(plan);
        }
        let other = Plan::within(scop, stmts, how, apart)?;
        Ok(match other.shared_loops() > plan.shared_loops() {
            true => other,
            false => plan,
        })
    }

    /// Bytes that a thread has for itself.
    fn private_bytes(&self, scop: &Scop) -> u64 {
        let bytes = |(id, n): (&ArrayId, &u32)| scop.array(*id).elem.size() as u64 * u64::from(*n);
        self.private.iter().map(bytes).sum()
    }

    /// Whether threads share as many loops in each step as there are around any statement.
    fn shares_all(&self) -> bool {
        let loops = |order: &Order| order.constants.iter().filter(|c| c.is_none()).count();
        let orders = self.steps.iter().flat_map(|step| step.orders.values());
        let most = orders.map(loops).max().unwrap_or(0).min(MOST_AXES);
        self.steps.iter().all(|step| step.spread.len() >= most)
    }

    /// Whether threads share every loop around every statement, and fold nothing.
    pub fn shares_every_loop(&self) -> bool {
        let loops = |order: &Order| order.constants.iter().filter(|c| c.is_none()).count();
        let all = |step: &Step| {
            let mut orders = step.orders.values();
            step.reductions.is_empty() && orders.all(|order| loops(order) == step.spread.len())
        };
        self.steps.iter().all(all)
    }

    /// The loops that threads share, counted for each statement.
    fn shared_loops(&self) -> usize {
        let of_step = |step: &Step| step.stmts.len() * step.spread.len();
        self.steps.iter().map(of_step).sum()
    }

    /// As [`Plan::for_sizes`], for some parameters only.
    fn within(scop: &Scop, stmts: &[usize], how: How, expected: Vec<Set>) -> Result<Plan> {
        let mut private = BTreeMap::new();
        for &id in how.dead {
            if let Some(elements) = few_elements(scop, id, how.most)? {
                private.insert(id, elements);
            }
        }
        let nest = Nest::new(scop, stmts, &expected)?;
        let flows = Flows::new(scop, stmts, &private)?;
        let reductions = reductions(scop, stmts, how.sums)?;
        loop {
            let steps = Walk {
                nest: &nest,
                private: &private,
                reductions: &reductions,
                in_place: how.in_place,
            }
            .steps(stmts, 0, &[])?;
            let steps = nest.in_order(steps)?;
            let mut shared = BTreeSet::new();
            for &id in private.keys() {
                if !flows.stay_in_threads(id, &steps)? {
                    shared.insert(id);
                }
            }
            if shared.is_empty() {
                return Ok(Plan {
                    steps,
                    private,
                    depth: nest.depth,
                    names: Vec::new(),
                    expected,
                });
            }
            private.retain(|id, _| !shared.contains(id));
        }
    }

    /// Whether some launch has more than one thread.
    pub fn is_parallel(&self) -> bool {
        self.steps.iter().any(|step| !step.spread.is_empty())
    }

    /// The first sum or product whose terms are combined in another order than C's, and round
    /// in other places.
    pub fn rounds(&self) -> Option<usize> {
        let all = self.steps.iter().flat_map(|step| &step.reductions);
        all.filter(|(_, r)| r.rounds()).map(|(s, _)| *s).min()
    }

    /// The first statement in a loop of a step that one thread runs alone.
    pub fn alone(&self, step: &Step) -> Option<usize> {
        alone(step, &step.orders)
    }
}

/// The first statement in a loop of a step that one thread runs alone, given the orders of all.
fn alone(step: &Step, orders: &BTreeMap<usize, Order>) -> Option<usize> {
    let in_loop = |s: &&usize| {
        let constants = orders.get(s).map(|order| &order.constants);
        let mut dims = constants.into_iter().flatten().enumerate();
        dims.any(|(d, constant)| constant.is_none() && !step.host.contains(&d))
    };
    let found = step.stmts.iter().filter(in_loop).min();
    found.filter(|_| step.spread.is_empty()).copied()
}

/// How parallel loops are looked for.
#[derive(Clone, Copy)]
struct How<'a> {
    /// Arrays that are not read after the region.
    dead: &'a BTreeSet<ArrayId>,
    /// Elements of those of them, at most, that threads have for themselves.
    most: u32,
    sums: Sums,
    /// Nests that one thread would run may run hyperplane by hyperplane.
    in_place: bool,
}

fn position(d: usize) -> u32 {
    d as u32
}

/// The number of an array's elements where they are few, whatever the sizes.
fn few_elements(scop: &Scop, id: ArrayId, most: u32) -> Result<Option<u32>> {
    let mut elements = 1i64;
    for extent in &scop.array(id).extents {
        let Some(n) = extent.as_constant()? else {
            return Ok(None);
        };
        elements = elements.saturating_mul(n.floor().max(1));
    }
    let few = u32::try_from(elements).ok();
    Ok(few.filter(|n| *n <= most))
}

/// An access as a map from times to elements.
struct Touch {
    stmt: usize,
    array: ArrayId,
    write: bool,
    at: Map,
}

/// Statements with their schedules, all of one dimension.
struct Nest<'a> {
    scop: &'a Scop,
    depth: usize,
    orders: BTreeMap<usize, Order>,
    touches: Vec<Touch>,
}

impl<'a> Nest<'a> {
    fn new(scop: &'a Scop, stmts: &[usize], expected: &[Set]) -> Result<Nest<'a>> {
        let mut depth = 0;
        for &s in stmts {
            depth = depth.max(scop.stmts[s].schedule.dim(DimType::Out)?);
        }
        let mut orders = BTreeMap::new();
        let mut touches = Vec::new();
        for &s in stmts {
            let stmt = &scop.stmts[s];
            if stmt.schedule.dim(DimType::Out)? != depth {
                return Err(Box::new(Diagnostic::bug(
                    "schedules of different dimensions",
                )));
            }
            orders.insert(s, Order::new(stmt.schedule.clone())?);
            let instances = stmt.schedule.reverse()?;
            let touch = |access: &Access, write| -> Result<Touch> {
                let mut at = instances.apply_range(&access.map)?;
                for sizes in expected {
                    at = at.intersect_params(sizes)?;
                }
                Ok(Touch {
                    stmt: s,
                    array: access.array,
                    write,
                    at,
                })
            };
            for read in &stmt.reads {
                touches.push(touch(read, false)?);
            }
            touches.push(touch(&stmt.write, true)?);
        }
        Ok(Nest {
            scop,
            depth,
            orders,
            touches,
        })
    }

    fn constant(&self, s: usize, d: usize) -> Option<i64> {
        *self.orders.get(&s)?.constants.get(d)?
    }

    /// Steps with the orders of their statements.
    fn in_order(&self, steps: Vec<Step>) -> Result<Vec<Step>> {
        let order_of = |step: &Step, order: &Order| match &step.hyperplanes {
            None => Ok(order.clone()),
            Some(hyperplanes) => {
                let times = hyperplanes.times(&self.scop.ctx, self.depth)?;
                Order::new(order.schedule.apply_range(&times)?)
            }
        };
        let with_orders = |step: Step| -> Result<Step> {
            let orders = self.orders.iter().filter(|(s, _)| step.stmts.contains(s));
            let orders = orders.map(|(s, order)| Ok((*s, order_of(&step, order)?)));
            Ok(Step {
                orders: orders.collect::<Result<_>>()?,
                ..step
            })
        };
        steps.into_iter().map(with_orders).collect()
    }

    /// The number of values that a dimension has where it is the same for all sizes.
    fn values(&self, stmts: &[usize], d: usize) -> Result<Option<i64>> {
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        for order in stmts.iter().filter_map(|s| self.orders.get(s)) {
            let times = order.schedule.range()?;
            let (lo, hi) = (
                times.dim_min_val(position(d))?.finite(),
                times.dim_max_val(position(d))?.finite(),
            );
            let (Some(lo), Some(hi)) = (lo, hi) else {
                return Ok(None);
            };
            (least, most) = (least.min(lo.floor()), most.max(hi.floor()));
        }
        Ok(Some(most.saturating_sub(least).saturating_add(1)))
    }
}

/// The search for parallel loops, given what is private.
struct Walk<'a> {
    nest: &'a Nest<'a>,
    private: &'a BTreeMap<ArrayId, u32>,
    reductions: &'a BTreeMap<usize, Reduction>,
    /// As [`How::in_place`].
    in_place: bool,
}

impl Walk<'_> {
    /// The launches of statements that agree in the first `d` dimensions.
    fn steps(&self, stmts: &[usize], d: usize, host: &[usize]) -> Result<Vec<Step>> {
        let one_thread = || Step {
            stmts: stmts.to_vec(),
            host: host.to_vec(),
            ..Step::default()
        };
        if d == self.nest.depth {
            return Ok(vec![one_thread()]);
        }
        if stmts.iter().all(|&s| self.nest.constant(s, d).is_some()) {
            return self.sequence(stmts, d, host);
        }
        let mut shared = self.spread(stmts, d, &BTreeMap::new())?;
        let mut folding = BTreeMap::new();
        if shared.len() < MOST_AXES {
            let reductions = self.reductions_around(stmts, d)?;
            let more = match reductions.is_empty() {
                true => Vec::new(),
                false => self.spread(stmts, d, &reductions)?,
            };
            if more.len() > shared.len() {
                (shared, folding) = (more, reductions);
            }
        }
        let in_threads = Step {
            spread: shared.clone(),
            reductions: folding,
            ..one_thread()
        };
        if shared.contains(&d) {
            return Ok(vec![in_threads]);
        }
        let around: Vec<usize> = host.iter().copied().chain([d]).collect();
        let inner = self.steps(stmts, d + 1, &around)?;
        // As many loops as possible are shared; of equal choices, that of fewer launches is taken.
        let most = inner
            .iter()
            .map(|step| step.spread.len())
            .max()
            .unwrap_or(0);
        let found = match most > shared.len() {
            true => inner,
            false => vec![in_threads],
        };
        let by_hyperplanes = match self.in_place && self.is_in_place(&found) {
            true => self.by_hyperplanes(stmts, d, &around)?,
            false => None,
        };
        let shared = |steps: &[Step]| steps.iter().map(|s| s.spread.len()).max();
        let more = by_hyperplanes.filter(|step| Some(step.spread.len()) > shared(&found));
        Ok(more.map_or(found, |step| vec![step]))
    }

    /// Whether launches are of one thread that runs a loop, or already by hyperplanes.
    fn is_in_place(&self, steps: &[Step]) -> bool {
        let alone = |step: &Step| alone(step, &self.nest.orders).is_some();
        (steps.iter()).all(|step| alone(step) || step.hyperplanes.is_some())
    }

    /// The loops from dimension `d` inwards hyperplane by hyperplane, as far as they hold all
    /// statements; `host` are those around them, and that of dimension `d`.
    fn by_hyperplanes(&self, stmts: &[usize], d: usize, host: &[usize]) -> Result<Option<Step>> {
        let mut dims = Vec::new();
        for e in d..self.nest.depth {
            let constants: BTreeSet<Option<i64>> =
                stmts.iter().map(|&s| self.nest.constant(s, e)).collect();
            match (constants.contains(&None), constants.len()) {
                (true, _) => dims.push(e),
                (false, 1) => {}
                (false, _) => break,
            }
        }
        while let Some(&last) = dims.last() {
            let values = self.nest.values(stmts, last)?;
            match values.is_some_and(|n| n <= FEW_OF_THREAD) {
                true => dims.pop(),
                false => break,
            };
        }
        if dims.len() < 2 || dims.len() > MOST_AXES + 1 {
            return Ok(None);
        }
        let mut reductions = self.reductions_around(stmts, d)?;
        reductions.retain(|_, r| !r.ordered);
        let touched = self.touched(stmts, d, &reductions)?;
        let conflicts = touched.conflicts(&(0..d).collect::<Vec<_>>(), &dims)?;
        let found = Hyperplanes::find(&self.nest.scop.ctx, &dims, &conflicts)?;
        let Some(mut hyperplanes) = found else {
            return Ok(None);
        };
        let mut most = Some(1i64);
        for e in hyperplanes.others() {
            let values = self.nest.values(stmts, e)?;
            most = (most.zip(values)).map(|(most, values)| most.saturating_mul(values));
        }
        hyperplanes.most = most;
        if let Some(order) = stmts.first().and_then(|s| self.nest.orders.get(s)) {
            let times = hyperplanes.times(&self.nest.scop.ctx, self.nest.depth)?;
            hyperplanes.name(&order.schedule.apply_range(&times)?)?;
        }
        Ok(Some(Step {
            stmts: stmts.to_vec(),
            host: host.to_vec(),
            spread: hyperplanes.shared().to_vec(),
            reductions,
            hyperplanes: Some(hyperplanes),
            ..Step::default()
        }))
    }

    /// The launches of statements one after the other; neighbours of one thread are one launch.
    fn sequence(&self, stmts: &[usize], d: usize, host: &[usize]) -> Result<Vec<Step>> {
        let place = |s: usize| self.nest.constant(s, d);
        let places: BTreeSet<Option<i64>> = stmts.iter().map(|&s| place(s)).collect();
        let mut steps: Vec<Step> = Vec::new();
        for at in places {
            let group: Vec<usize> = (stmts.iter().copied())
                .filter(|&s| place(s) == at)
                .collect();
            for step in self.steps(&group, d + 1, host)? {
                let is_alone = |s: &Step| s.spread.is_empty() && s.host == host;
                match steps.last_mut() {
                    Some(last) if is_alone(last) && is_alone(&step) => {
                        last.stmts.extend(step.stmts);
                    }
                    _ => steps.push(step),
                }
            }
        }
        Ok(steps)
    }

    /// The reductions among some statements that fold into one element for given iterations of the
    /// first `d` loops, where nothing else touches the array.
    fn reductions_around(&self, stmts: &[usize], d: usize) -> Result<BTreeMap<usize, Reduction>> {
        let all = self.reductions.iter();
        let mut here: BTreeMap<usize, Reduction> = all
            .filter(|(s, r)| stmts.contains(s) && !self.private.contains_key(&r.array))
            .map(|(s, r)| (*s, r.clone()))
            .collect();
        let touches = |array: ArrayId| {
            let touches = self.nest.touches.iter();
            touches.filter(move |t| stmts.contains(&t.stmt) && t.array == array)
        };
        let arrays: BTreeSet<ArrayId> = here.values().map(|r| r.array).collect();
        for array in arrays {
            let mut of_array = here.values().filter(|r| r.array == array);
            let first = of_array.next().cloned();
            let alike = first.is_some_and(|first| of_array.all(|r| r.is_like(&first)));
            let mut elements: Option<Map> = None;
            for touch in touches(array) {
                let inner = position(self.nest.depth - d);
                let at = touch.at.project_out(DimType::In, position(d), inner)?;
                elements = Some(match elements {
                    Some(elements) => elements.union(&at)?,
                    None => at,
                });
            }
            let one = elements.map_or(Ok(true), |elements| elements.is_single_valued())?;
            let alone = touches(array).all(|t| here.contains_key(&t.stmt));
            // What only counts is no work for threads.
            let others = self.nest.touches.iter().filter(|t| stmts.contains(&t.stmt));
            let mut others = others.filter(|t| t.array != array);
            let works = others.any(|t| !self.nest.scop.array(t.array).extents.is_empty());
            if !(alike && one && alone && works) {
                here.retain(|_, r| r.array != array);
            }
        }
        Ok(here)
    }

    /// The loops from dimension `d` inwards that threads can share: the parallel ones of those
    /// that hold all statements, but for what some of them fold. Loops between them run in each
    /// thread.
    fn spread(
        &self,
        stmts: &[usize],
        d: usize,
        reductions: &BTreeMap<usize, Reduction>,
    ) -> Result<Vec<usize>> {
        let touched = self.touched(stmts, d, reductions)?;
        let mut fixed: Vec<usize> = (0..d).collect();
        let mut spread = Vec::new();
        for e in d..self.nest.depth {
            let constants: BTreeSet<Option<i64>> =
                stmts.iter().map(|&s| self.nest.constant(s, e)).collect();
            if !constants.contains(&None) {
                match constants.len() {
                    1 => continue,
                    // Statements part here.
                    _ => break,
                }
            }
            if spread.len() == MOST_AXES {
                break;
            }
            if touched.is_parallel(e, &fixed)? {
                spread.push(e);
                fixed.push(e);
            } else if !reductions.is_empty() {
                // The order of the loops is that of what is combined.
                break;
            }
        }
        match reductions.is_empty() {
            true => self.contiguous_last(&touched, spread),
            false => Ok(spread),
        }
    }

    /// The loops with that last along which most accesses move within a row of an array.
    fn contiguous_last(&self, touched: &Touched, mut spread: Vec<usize>) -> Result<Vec<usize>> {
        if spread.len() < 2 {
            return Ok(spread);
        }
        let depth = self.nest.depth - touched.left_out.len();
        let mut best = (0, spread.len() - 1);
        for (at, &d) in spread.iter().enumerate().rev() {
            let later = self.equal_but(depth, touched.place(d), " and a{} < b{}")?;
            let mut n = 0;
            for Alike { touch, times, .. } in &touched.all {
                let rank = touch.at.dim(DimType::Out)?;
                if rank == 0 {
                    continue;
                }
                let elements = touch.at.reset_tuple_name(DimType::Out)?;
                let moves = (elements.reverse()?.apply_range(&later)?).apply_range(&elements)?;
                let in_row = self.equal_but(rank, rank - 1, " and a{} != b{}")?;
                n += times * usize::from(!moves.is_empty()? && moves.is_subset(&in_row)?);
            }
            if n > best.0 {
                best = (n, at);
            }
        }
        let last = spread.remove(best.1);
        spread.push(last);
        Ok(spread)
    }

    /// Pairs of points of `n` dimensions that agree in all but dimension `d`, of which `relation`
    /// holds, with the number of the dimension for every `{}`.
    fn equal_but(&self, n: usize, d: usize, relation: &str) -> Result<Map> {
        let list = |name: &str| -> String {
            let names: Vec<String> = (0..n).map(|i| format!("{name}{i}")).collect();
            names.join(", ")
        };
        let others = (0..n)
            .filter(|i| *i != d)
            .map(|i| format!(" and a{i} = b{i}"));
        let others: String = others.collect();
        let relation = relation
            .split("{}")
            .collect::<Vec<_>>()
            .join(&d.to_string());
        let text = format!(
            "{{ [{}] -> [{}] : a{d} = a{d}{others}{relation} }}",
            list("a"),
            list("b")
        );
        Ok(Map::read(&self.nest.scop.ctx, &text)?)
    }

    /// What some statements touch in the loops from dimension `d` inwards.
    fn touched(
        &self,
        stmts: &[usize],
        d: usize,
        reductions: &BTreeMap<usize, Reduction>,
    ) -> Result<Touched> {
        let is_place = |e: usize| stmts.iter().all(|&s| self.nest.constant(s, e).is_some());
        let left_out: Vec<usize> = (d..self.nest.depth).filter(|e| is_place(*e)).collect();
        let mut known: BTreeMap<_, usize> = BTreeMap::new();
        let mut all: Vec<Alike> = Vec::new();
        for touch in &self.nest.touches {
            if !stmts.contains(&touch.stmt) || self.private.contains_key(&touch.array) {
                continue;
            }
            let mut at = touch.at.clone();
            for &e in left_out.iter().rev() {
                at = at.project_out(DimType::In, position(e), 1)?;
            }
            let folds = (reductions.get(&touch.stmt)).is_some_and(|r| r.array == touch.array);
            let key = (touch.array, touch.write, folds, at.to_string());
            match known.get(&key) {
                Some(&i) => all[i].times += 1,
                None => {
                    known.insert(key, all.len());
                    all.push(Alike {
                        planes: planes(&at)?,
                        touch: Touch { at, ..*touch },
                        folds,
                        times: 1,
                    });
                }
            }
        }
        Ok(Touched { all, left_out })
    }
}

/// Accesses of statements that touch the same at the same iterations.
struct Alike {
    touch: Touch,
    /// Its constant subscripts.
    planes: Vec<Option<i64>>,
    /// A reduction folds values into it.
    folds: bool,
    /// How many they are.
    times: usize,
}

impl Alike {
    /// Whether both may touch one element, other than to read it, or to fold values into it.
    fn may_conflict(&self, other: &Alike) -> bool {
        let (x, y) = (&self.touch, &other.touch);
        x.array == y.array
            && (x.write || y.write)
            && !(self.folds && other.folds)
            && !are_apart(&self.planes, &other.planes)
    }
}

/// What statements touch, without the dimensions that only say where in the text they stand: many
/// touch the same then.
struct Touched {
    all: Vec<Alike>,
    /// Those dimensions, in order.
    left_out: Vec<usize>,
}

impl Touched {
    /// The number of a dimension among those that are left.
    fn place(&self, e: usize) -> usize {
        e - self.left_out.iter().filter(|&&out| out < e).count()
    }

    /// Pairs of instances that agree in the dimensions `fixed` and touch the same element, other than to read it.
    fn pairs(&self, fixed: &[usize]) -> impl Iterator<Item = Result<Map>> {
        let from = |i: usize| self.all[i..].iter();
        let all =
            (self.all.iter().enumerate()).flat_map(move |(i, a)| from(i).map(move |b| (a, b)));
        all.filter(|(a, b)| a.may_conflict(b)).map(move |(a, b)| {
            let mut pairs = a.touch.at.apply_range(&b.touch.at.reverse()?)?;
            for e in fixed.iter().map(|&e| position(self.place(e))) {
                pairs = pairs.equate(DimType::In, e, DimType::Out, e)?;
            }
            Ok(pairs)
        })
    }

    /// The distances along the dimensions `dims` of instances that agree in the dimensions `fixed`,
    /// which are those before them, and touch the same element, other than to read it.
    fn conflicts(&self, fixed: &[usize], dims: &[usize]) -> Result<Vec<Set>> {
        let places: Vec<usize> = dims.iter().map(|&e| self.place(e)).collect();
        let mut all: Vec<Set> = Vec::new();
        for pairs in self.pairs(fixed) {
            let found = distances(&pairs?, &places)?;
            let mut before = all.iter();
            if !before.any(|known| found.is_subset(known).unwrap_or(false)) {
                all.push(found);
            }
        }
        Ok(all)
    }

    /// Whether no two instances that agree in the dimensions `fixed` and differ in `d` touch the
    /// same element, other than to read it.
    fn is_parallel(&self, d: usize, fixed: &[usize]) -> Result<bool> {
        let d = position(self.place(d));
        for pairs in self.pairs(fixed) {
            let pairs = pairs?;
            if !pairs.is_subset(&pairs.equate(DimType::In, d, DimType::Out, d)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
