//! Dataflow problems, solved by isl: who wrote last what an instance accesses.
//!
//! Problems are asked in as few words as they take, so that those of a lattice's planes are one: statements have
//! numbers, constant subscripts and constants of the schedule that tell nothing apart are left out.

use super::DepKind;
use crate::diag::{Diagnostic, Result};
use crate::scop::{ArrayId, Statement, planes};
use hexcc_isl::{Ctx, DimType, Map, UnionMap, UnionSet, compute_flow};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A dataflow problem in isl's notation: who wrote last what `sink` accesses.
pub(super) struct Problem {
    pub kind: DepKind,
    pub array: ArrayId,
    pub reads: Vec<usize>,
    /// The statements that are `s0`, `s1`, .. in the texts.
    pub names: Vec<String>,
    sink: String,
    writes: String,
    schedule: String,
}

/// An access by a statement, and its constant subscripts where they are known.
pub(super) struct Accessing<'a> {
    pub stmt: &'a Statement,
    pub map: Map,
    pub planes: Vec<Option<i64>>,
}

/// The constants in schedules of statements, by their names, and what schedules have been made of them.
pub(super) struct Orders {
    constants: BTreeMap<String, Vec<Option<i64>>>,
    short: RefCell<HashMap<[String; 2], Map>>,
}

impl Orders {
    pub fn new(stmts: &[&Statement]) -> Result<Orders> {
        let of = |s: &&Statement| Ok((s.name.clone(), planes(&s.schedule)?));
        Ok(Orders {
            constants: stmts.iter().map(of).collect::<Result<_>>()?,
            short: RefCell::default(),
        })
    }

    /// The dimensions of the schedules that order instances of some statements: an expression in `c0`, `c1`, .. for each,
    /// by statement. A constant does where it tells statements apart that none before it does.
    fn among(&self, stmts: &[&Statement]) -> Option<Vec<Vec<String>>> {
        let all: Vec<&Vec<Option<i64>>> = (stmts.iter())
            .map(|s| self.constants.get(&s.name))
            .collect::<Option<_>>()?;
        let mut texts = vec![Vec::new(); all.len()];
        let mut groups: Vec<usize> = vec![0; all.len()];
        for d in 0..all.first()?.len() {
            let at: Option<Vec<i64>> = all.iter().map(|constants| constants[d]).collect();
            let Some(at) = at else {
                let dim = texts.iter_mut();
                dim.for_each(|text| text.push(format!("c{d}")));
                continue;
            };
            let pairs: Vec<(usize, i64)> = groups.iter().copied().zip(at.iter().copied()).collect();
            let refined = numbered(&pairs);
            if refined != groups {
                for (text, n) in texts.iter_mut().zip(numbered(&at)) {
                    text.push(n.to_string());
                }
                groups = refined;
            }
        }
        Some(texts)
    }

    /// When instances of some statements run, which are called by their numbers, in some dimensions; `backwards` where time
    /// does.
    fn schedule(
        &self,
        ctx: &Ctx,
        (stmts, dims): (&[&Statement], &[Vec<String>]),
        backwards: bool,
    ) -> Result<UnionMap> {
        let mut all = UnionMap::empty(ctx)?;
        for (i, (stmt, to)) in stmts.iter().zip(dims).enumerate() {
            let map = self.shortened(ctx, stmt, to, backwards)?;
            let map = map.set_tuple_name(DimType::In, &format!("s{i}"))?;
            all = all.union(&UnionMap::from_map(&map)?)?;
        }
        Ok(all)
    }

    /// A schedule of these dimensions.
    fn shortened(
        &self,
        ctx: &Ctx,
        stmt: &Statement,
        to: &[String],
        backwards: bool,
    ) -> Result<Map> {
        let n = stmt.schedule.dim(DimType::Out)?;
        let from: Vec<String> = (0..n).map(|d| format!("c{d}")).collect();
        let sign = if backwards { "-" } else { "" };
        let to: Vec<String> = to.iter().map(|dim| format!("{sign}{dim}")).collect();
        let key = [stmt.name.clone(), to.join(", ")];
        if let Some(map) = self.short.borrow().get(&key) {
            return Ok(map.clone());
        }
        let text = format!("{{ [{}] -> [{}] }}", from.join(", "), key[1]);
        let map = stmt.schedule.apply_range(&Map::read(ctx, &text)?)?;
        self.short.borrow_mut().insert(key, map.clone());
        Ok(map)
    }
}

/// The places of values among those that there are, in their order.
fn numbered<T: Ord + Clone>(values: &[T]) -> Vec<usize> {
    let mut sorted = values.to_vec();
    sorted.sort();
    sorted.dedup();
    let place = |v: &T| sorted.binary_search(v).unwrap_or_default();
    values.iter().map(place).collect()
}

impl Problem {
    /// Who of `writers` wrote last what `sinks` access, and, for [`DepKind::Anti`], writes next: a problem of each kind.
    pub fn of_kinds(
        ctx: &Ctx,
        (kinds, array, reads): (&[DepKind], ArrayId, &[usize]),
        sinks: &[Accessing],
        writers: &[&Accessing],
        orders: &Orders,
    ) -> Result<Vec<Problem>> {
        if writers.is_empty() {
            return Ok(Vec::new());
        }
        let mut stmts: Vec<&Statement> = writers.iter().map(|w| w.stmt).collect();
        for sink in sinks {
            if stmts.iter().all(|s| s.name != sink.stmt.name) {
                stmts.push(sink.stmt);
            }
        }
        let accesses = || sinks.iter().chain(writers.iter().copied());
        let n = accesses().map(|a| a.planes.len()).min().unwrap_or(0);
        let same = |d: &usize| {
            let first = sinks.first().and_then(|a| a.planes[*d]);
            first.is_some() && accesses().all(|a| a.planes[*d] == first)
        };
        let left_out: Vec<usize> = (0..n).filter(same).collect();
        let text_of = |accesses: &mut dyn Iterator<Item = &Accessing>| -> Result<String> {
            let mut all = UnionMap::empty(ctx)?;
            for access in accesses {
                let mut map = access.map.clone();
                for &d in left_out.iter().rev() {
                    map = map.project_out(DimType::Out, d as u32, 1)?;
                }
                let at = stmts.iter().position(|s| s.name == access.stmt.name);
                let name = format!("s{}", at.unwrap_or_default());
                map = map.set_tuple_name(DimType::In, &name)?;
                let map = map.set_tuple_name(DimType::Out, "a")?;
                all = all.union(&UnionMap::from_map(&map)?)?;
            }
            Ok(all.to_str()?)
        };
        let sink = text_of(&mut sinks.iter())?;
        let writes = text_of(&mut writers.iter().copied())?;
        let dims = orders.among(&stmts);
        let dims = dims.ok_or_else(|| Box::new(Diagnostic::bug("a statement without order")))?;
        let of_kind = |kind: &DepKind| {
            let backwards = *kind == DepKind::Anti;
            let schedule = orders.schedule(ctx, (&stmts, &dims), backwards)?;
            Ok(Problem {
                kind: *kind,
                array,
                reads: reads.to_vec(),
                names: stmts.iter().map(|s| s.name.clone()).collect(),
                sink: sink.clone(),
                writes: writes.clone(),
                schedule: schedule.to_str()?,
            })
        };
        kinds.iter().map(of_kind).collect()
    }

    /// The name of the statement of a number, `s0`.
    pub fn name(&self, number: Option<String>) -> Result<&String> {
        let at = number
            .as_ref()
            .and_then(|n| n.strip_prefix('s')?.parse::<usize>().ok());
        let name = at.and_then(|at| self.names.get(at));
        name.ok_or_else(|| Box::new(Diagnostic::bug("dependence of an unknown statement")))
    }

    /// What is asked.
    fn key(&self) -> [String; 3] {
        [
            self.sink.clone(),
            self.writes.clone(),
            self.schedule.clone(),
        ]
    }

    /// `{ writing instance -> accessing instance }` as text.
    fn solve(&self, ctx: &Ctx) -> hexcc_isl::Result<String> {
        let read = |text: &str| UnionMap::read(ctx, text);
        let (sink, writes, schedule) = (
            read(&self.sink)?,
            read(&self.writes)?,
            read(&self.schedule)?,
        );
        let none = UnionMap::empty(ctx)?;
        let maps = sink.maps()?;
        let mut parts = Vec::new();
        for map in &maps {
            parts.extend(map.basic_maps()?);
        }
        if parts.len() == maps.len() {
            return compute_flow(&sink, &writes, &none, &schedule)?
                .must
                .to_str();
        }
        // A domain in pieces, such as one without its walls: each has few of the others beside it.
        let mut all = none.clone();
        for part in &parts {
            let touched = UnionSet::from_set(&part.range()?)?;
            let (part, writes) = (UnionMap::from_map(part)?, writes.intersect_range(&touched)?);
            let flow = compute_flow(&part, &writes, &none, &schedule)?;
            all = all.union(&flow.must)?;
        }
        all.coalesce()?.to_str()
    }
}

thread_local! {
    /// What is known of problems, by what they ask: a region is analysed once for each form of a loop that is tried.
    static SOLVED: RefCell<HashMap<[String; 3], String>> = RefCell::default();
}

/// Problems that are remembered, at most.
const MOST_SOLVED: usize = 10_000;

/// Solves the problems, in the order given, each once.
pub(super) fn last_writers(ctx: &Ctx, problems: &[Problem]) -> Result<Vec<String>> {
    let mut new: Vec<&Problem> = Vec::new();
    SOLVED.with_borrow_mut(|solved| {
        if solved.len() > MOST_SOLVED {
            solved.clear();
        }
        let mut asked = HashSet::new();
        let mut is_new = |p: &&Problem| !solved.contains_key(&p.key()) && asked.insert(p.key());
        new.extend(problems.iter().filter(|p| is_new(p)));
    });
    let found = solved(ctx, &new)?;
    SOLVED.with_borrow_mut(|solved| {
        solved.extend(new.iter().map(|p| p.key()).zip(found));
        let of = |p: &Problem| solved.get(&p.key()).cloned();
        let all: Option<Vec<String>> = problems.iter().map(of).collect();
        all.ok_or_else(|| Box::new(Diagnostic::bug("dataflow analysis")))
    })
}

/// Solves problems, in the order given. They are independent and make up
/// most of a compilation, so threads share them; a context of isl belongs to
/// one thread, and text crosses between them.
fn solved(ctx: &Ctx, problems: &[&Problem]) -> Result<Vec<String>> {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    // Starting a thread costs less than one problem.
    let share = problems.len().div_ceil(n_threads.min(8)).max(2);
    let (quota, stopper) = (ctx.max_operations(), ctx.stopper());
    let solve = |part: &[&Problem]| -> hexcc_isl::Result<Vec<String>> {
        let ctx = Ctx::with_stopper(stopper.clone())?;
        ctx.set_max_operations(quota);
        part.iter().map(|p| p.solve(&ctx)).collect()
    };
    let parts = std::thread::scope(|scope| {
        let threads: Vec<_> = (problems.chunks(share))
            .map(|part| scope.spawn(move || solve(part)))
            .collect();
        (threads.into_iter())
            .map(|t| {
                t.join()
                    .map_err(|_| Box::new(Diagnostic::bug("dataflow analysis")))
            })
            .collect::<Result<Vec<_>>>()
    })?;
    let mut all = Vec::new();
    for part in parts {
        all.extend(part?);
    }
    Ok(all)
}
