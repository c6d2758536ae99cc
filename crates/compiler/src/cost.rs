//! What loops take on the host, and how their kernels are launched, as functions of the sizes: what a
//! program goes by when it decides where they run.
//!
//! An estimate for one decision, which has to be right where both ways differ much: what is counted are
//! the points of the smallest box around the instances of a statement.

use crate::diag::Result;
use crate::options::Language;
use crate::print::openmp::outermost_axes;
use crate::sched::HybridSchedule;
use crate::scop::{Expr, Scop, Statement};
use crate::tiling::stepwise::{Plan, Step};
use hexcc_isl::{AstBuild, AstExpr, AstOp, DimType, PwAff, Set};
use std::collections::BTreeSet;

/// Nanoseconds of a core for an operation, of which some run at once; divisions and functions take longer.
const OPERATION: f64 = 0.1;
const DIVISION: f64 = 2.0;
const CALL: f64 = 8.0;

/// Nanoseconds of a core for a byte that is not in its caches.
const BYTE: f64 = 0.1;

/// What a program goes by when it decides, in nanoseconds, as `print/lib/cuda/gate.cuh` has it: the start of CUDA, a launch,
/// a wait, and the copies of an array, with so many bytes each way in one. Threads of a GPU are slower than a core, and as
/// many as these run at once.
pub const START: f64 = 3e8;
const LAUNCH: f64 = 5e3;
const WAIT: f64 = 1e4;
const COPY: f64 = 2e4;
const BYTES: f64 = 10.0;
const SLOWER: f64 = 32.0;
const THREADS: f64 = 2048.0;

/// The same as `print/lib/openmp/gate.h` has it: a loop that threads share, and a team of them.
const SHARED: f64 = 2e4;
const TEAM: f64 = 5e4;

/// Operations of isl for an extent, at most: an estimate is worth a few milliseconds.
const EFFORT: u64 = 20_000;

/// Some loops whose kernels are launched together.
#[derive(Clone, Debug)]
pub struct Work {
    /// Its statements.
    pub parts: Vec<Part>,
    /// How often there is a launch: the numbers of iterations of some loops.
    pub launches: Vec<AstExpr>,
    /// How many threads a launch has, in the same way.
    pub threads: Vec<AstExpr>,
}

/// Instances of a statement.
#[derive(Clone, Debug)]
pub struct Part {
    /// The smallest box around them.
    pub extents: Vec<AstExpr>,
    /// Nanoseconds of a core for each.
    pub ns: f64,
}

/// What some loops are expected to take, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// In C, on one core.
    pub host: f64,
    /// As kernels, or shared among threads.
    pub device: f64,
    /// What of that are copies.
    pub copies: f64,
}

/// An array that kernels use.
#[derive(Clone, Copy, Debug)]
pub struct CopiedArray {
    /// Its size.
    pub bytes: f64,
    /// CPU and GPU have it in common.
    pub is_shared: bool,
    /// What the program becomes.
    pub language: Language,
}

impl Estimate {
    /// Adds loops, of which `eval` tells the numbers of iterations; `None` where it cannot.
    pub fn add(
        &mut self,
        work: &Work,
        language: Language,
        eval: &dyn Fn(&AstExpr) -> Option<i64>,
    ) -> Option<()> {
        let product = |extents: &[AstExpr]| -> Option<f64> {
            let each = extents.iter().map(|e| Some(eval(e)?.max(0) as f64));
            each.product()
        };
        let parts = work.parts.iter();
        let host = parts.map(|part| Some(part.ns * product(&part.extents)?));
        let host = host.sum::<Option<f64>>()?;
        let launches = product(&work.launches)?;
        if self.device == 0.0 {
            self.device = match language {
                Language::OpenMp => TEAM,
                Language::Cuda | Language::OpenCl => WAIT,
            };
        }
        self.host += host;
        self.device += match language {
            Language::OpenMp => match product(outermost(&work.threads))? < 2.0 {
                true => host,
                false => host / 2.0 + launches * SHARED,
            },
            Language::Cuda | Language::OpenCl => {
                let at_once = product(&work.threads)?.clamp(1.0, THREADS);
                launches * LAUNCH + host * SLOWER / at_once
            }
        };
        Some(())
    }

    /// Adds an array that kernels use.
    pub fn copy(&mut self, array: CopiedArray) {
        let travels = match array.language {
            Language::OpenMp => false,
            Language::Cuda => !array.is_shared,
            Language::OpenCl => true,
        };
        if travels {
            let ns = COPY + 2.0 * array.bytes / BYTES;
            self.copies += ns;
            self.device += ns;
        }
    }
}

/// The loops whose iterations threads share, as `print/openmp.rs` has them.
pub(crate) fn outermost(threads: &[AstExpr]) -> &[AstExpr] {
    &threads[..outermost_axes(threads.len())]
}

/// The work of statements whose outermost loop is one over time; none where isl finds no bounds.
pub fn of_time_loop(scop: &Scop, stmts: &[&Statement]) -> Vec<Work> {
    let parts: Result<Vec<Part>> = stmts.iter().map(|stmt| part(scop, stmt)).collect();
    let Ok(parts) = parts else {
        return Vec::new();
    };
    let deepest = parts.iter().map(|p| &p.extents).max_by_key(|e| e.len());
    let (launches, threads) = match deepest.map(Vec::as_slice) {
        None | Some([]) => (Vec::new(), Vec::new()),
        Some([time, space @ ..]) => (vec![time.clone()], space.to_vec()),
    };
    vec![Work {
        parts,
        launches,
        threads,
    }]
}

/// The work of a region in single steps, or in tiles for the cores of a CPU; none where isl finds no bounds.
pub fn of_region(
    scop: &Scop,
    stmts: &[&Statement],
    (plan, tiles): (&Plan, Option<&HybridSchedule>),
    language: Language,
) -> Vec<Work> {
    match (language, tiles) {
        // Work-items share the points of a tile.
        (Language::OpenCl, Some(_)) => of_time_loop(scop, stmts),
        (_, Some(tiles)) => of_tiles(scop, stmts, tiles),
        (_, None) => {
            let steps = plan.steps.iter().map(|step| of_step(scop, step));
            steps.collect::<Result<_>>().unwrap_or_default()
        }
    }
}

/// The work of a time loop in tiles, of which cores share the hexagons of a phase.
fn of_tiles(scop: &Scop, stmts: &[&Statement], tiles: &HybridSchedule) -> Vec<Work> {
    let mut all = of_time_loop(scop, stmts);
    let some = |extent: &AstExpr, times: i64, of: i64| {
        let op = |op, a, b| AstExpr::Op(op, vec![a, AstExpr::Int(b)]);
        let n = match times {
            1 => extent.clone(),
            _ => op(AstOp::Mul, extent.clone(), times),
        };
        op(AstOp::Add, op(AstOp::Div, n, of), 1)
    };
    let (rows, phases) = (tiles.hexagon.height(), tiles.phase_order.len() as i64);
    for work in &mut all {
        for time in &mut work.launches {
            *time = some(time, phases * tiles.k, rows);
        }
        let across = work.threads.get(tiles.hex_dim);
        let across = across.map(|extent| some(extent, 1, tiles.hexagon.width()));
        work.threads = across.into_iter().collect();
    }
    all
}

fn of_step(scop: &Scop, step: &Step) -> Result<Work> {
    let parts = step.stmts.iter().map(|&s| part(scop, &scop.stmts[s]));
    let parts = parts.collect::<Result<_>>()?;
    let [mut launches, mut threads] = [Vec::new(), Vec::new()];
    if let Some((&stmt, order)) = step.orders.first_key_value() {
        let times = scop.stmts[stmt].domain.apply(&order.schedule)?;
        for (dims, extents) in [(&step.host, &mut launches), (&step.spread, &mut threads)] {
            for &dim in dims {
                extents.push(extent(scop, &times, dim as u32)?);
            }
        }
    }
    Ok(Work {
        parts,
        launches,
        threads,
    })
}

fn part(scop: &Scop, stmt: &Statement) -> Result<Part> {
    let n = stmt.domain.dim(DimType::Set)?;
    let extents = (0..n).map(|dim| extent(scop, &stmt.domain, dim as u32));
    Ok(Part {
        extents: extents.collect::<Result<_>>()?,
        ns: nanoseconds(scop, stmt),
    })
}

/// How many values a dimension has, at most; an error where that takes isl long.
fn extent(scop: &Scop, set: &Set, dim: u32) -> Result<AstExpr> {
    let (ctx, limit) = (set.ctx(), set.ctx().max_operations());
    ctx.set_max_operations(EFFORT);
    ctx.reset_operations();
    let found = extent_of(scop, set, dim);
    ctx.set_max_operations(limit);
    ctx.reset_operations();
    found
}

fn extent_of(scop: &Scop, set: &Set, dim: u32) -> Result<AstExpr> {
    let hull = set
        .intersect_params(&scop.context.params()?)?
        .simple_hull()?;
    let bounds = |set: &Set| -> Result<PwAff> {
        let last = set.dim_max(dim)?;
        Ok(last.sub(&set.dim_min(dim)?)?.add_constant(1)?.coalesce()?)
    };
    let extent = bounds(&hull).or_else(|_| bounds(set))?;
    Ok(AstBuild::from_context(&scop.context)?.expr_from_pw_aff(&extent)?)
}

/// What a core takes for a math function.
fn call(name: &str) -> f64 {
    match name.trim_end_matches('f') {
        "fabs" | "fmax" | "fmin" | "floor" | "ceil" | "abs" => OPERATION,
        "sqrt" => DIVISION,
        _ => CALL,
    }
}

/// What a core takes for an instance: for its operations, or for the memory that it touches.
fn nanoseconds(scop: &Scop, stmt: &Statement) -> f64 {
    let mut operations = OPERATION;
    for expr in stmt.expressions() {
        expr.visit(&mut |e| {
            operations += match e {
                Expr::Binary { op, .. } if matches!(*op, "/" | "%") => DIVISION,
                Expr::Unary { .. } | Expr::Binary { .. } | Expr::Cond { .. } => OPERATION,
                Expr::Call { name, .. } => call(name),
                Expr::Cell { .. } => CALL,
                _ => 0.0,
            };
        });
    }
    // Neighbours of an element come with it.
    let arrays: BTreeSet<_> = stmt.accesses().map(|access| access.array).collect();
    let in_memory = arrays.iter().map(|&id| scop.array(id));
    let in_memory = in_memory.filter(|array| !array.extents.is_empty());
    let bytes: f64 = in_memory.map(|array| array.elem.size() as f64).sum();
    operations.max(bytes * BYTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `hexcc explain` says what programs go by.
    #[test]
    fn programs_go_by_these_numbers() {
        let cuda = include_str!("print/lib/cuda/gate.cuh");
        let openmp = include_str!("print/lib/openmp/gate.h");
        let numbers = format!(
            "START = {START:e}, HAND_OVER = 2e7, LAUNCH = {LAUNCH:e}, WAIT = {WAIT:e}, COPY = {COPY:e}, BYTES = {BYTES};"
        );
        assert!(cuda.contains(&numbers), "{numbers}");
        let threads = format!("SLOWER = {SLOWER}, THREADS = {THREADS};");
        assert!(cuda.contains(&threads), "{threads}");
        assert!(openmp.contains(&format!("ns / 2 + times * {SHARED:e};")));
        assert!(openmp.contains(&format!("work.shared += {TEAM:e};")));
    }
}
