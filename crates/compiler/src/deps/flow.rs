//! Dataflow problems, solved by isl: who wrote last what an instance accesses.

use super::DepKind;
use crate::diag::{Diagnostic, Result};
use crate::scop::ArrayId;
use hexcc_isl::{Ctx, UnionMap, compute_flow};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A dataflow problem in isl's notation: who wrote last what `sink` accesses.
pub(super) struct Problem {
    pub kind: DepKind,
    pub array: ArrayId,
    pub reads: Vec<usize>,
    pub sink: String,
    pub writes: String,
    pub schedule: String,
}

impl Problem {
    /// What is asked.
    fn key(&self) -> [String; 3] {
        [
            self.sink.clone(),
            self.writes.clone(),
            self.schedule.clone(),
        ]
    }

    /// `{ writing instance -> accessing instance }` as text.
    fn solve<'a>(&'a self, read: &mut Texts<'a>) -> hexcc_isl::Result<String> {
        let (sink, writes) = (read.map(&self.sink)?, read.map(&self.writes)?);
        let schedule = read.map(&self.schedule)?;
        let flow = compute_flow(&sink, &writes, &UnionMap::empty(read.ctx)?, &schedule)?;
        flow.must.to_str()
    }
}

/// Maps of one thread by their text: most problems share writes and schedule.
struct Texts<'a> {
    ctx: &'a Ctx,
    maps: HashMap<&'a str, Rc<UnionMap>>,
}

impl<'a> Texts<'a> {
    fn map(&mut self, text: &'a str) -> hexcc_isl::Result<Rc<UnionMap>> {
        if let Some(map) = self.maps.get(text) {
            return Ok(map.clone());
        }
        let map = Rc::new(UnionMap::read(self.ctx, text)?);
        self.maps.insert(text, map.clone());
        Ok(map)
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
        new.extend(problems.iter().filter(|p| !solved.contains_key(&p.key())));
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
        let mut read = Texts {
            ctx: &ctx,
            maps: HashMap::new(),
        };
        part.iter().map(|p| p.solve(&mut read)).collect()
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
