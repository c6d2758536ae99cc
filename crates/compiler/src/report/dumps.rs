//! What passes have made, in isl's notation, for people who work on them: the stencil, its dependences
//! and its schedule. The program that comes of them is [`crate::ir::dump`].

use crate::compiled::{Compiled, Stepwise, Unit};
use crate::diag::Result;
use crate::sched::overlapped::Pipeline;
use crate::sched::{HybridSchedule, Phase};
use crate::scop::{Access, Scop, Statement};
use crate::tiling::overlapped::StreamKernel;
use crate::tiling::{Analysis, Kernel};
use std::fmt::Write;

/// A compilation's stencils, those of nests behind the region's: arrays and statements, as all tilings
/// get them.
pub fn stencil(compiled: &Compiled) -> String {
    let nests = compiled.tiled_nests.iter().map(|nest| &nest.scop);
    std::iter::once(&compiled.scop)
        .chain(nests)
        .map(of_scop)
        .collect()
}

fn of_scop(scop: &Scop) -> String {
    let mut text = format!(
        "params {}\ncontext {}\n",
        scop.params.join(", "),
        scop.context
    );
    for array in &scop.arrays {
        let extents: Vec<String> = array.extents.iter().map(|e| format!("[{e}]")).collect();
        let _ = writeln!(
            text,
            "array {} of {}: {}",
            array.name,
            array.elem,
            extents.join(" ")
        );
    }
    for stmt in &scop.stmts {
        let place = stmt
            .lines
            .map_or(String::new(), |lines| format!(", {lines}"));
        let _ = writeln!(text, "statement {}{place}", stmt.name);
        let _ = writeln!(text, "  domain {}", stmt.domain);
        let _ = writeln!(text, "  order {}", stmt.schedule);
        let access = |access: &Access| format!("{} {}", scop.array(access.array).name, access.map);
        let _ = writeln!(text, "  writes {}", access(&stmt.write));
        for read in &stmt.reads {
            let _ = writeln!(text, "  reads {}", access(read));
        }
        let _ = writeln!(text, "  {} operations", operations(stmt));
    }
    text
}

fn operations(stmt: &Statement) -> usize {
    stmt.expressions().map(|e| e.n_operations()).sum()
}

/// The dependences of the time loops that are tiled, and their cones; `None` where none is.
pub fn dependences(compiled: &Compiled) -> Option<String> {
    let units = units(compiled);
    let text: String = (units.iter())
        .map(|(scop, unit)| of_analysis(scop, &unit.analysis))
        .collect();
    (!units.is_empty()).then_some(text)
}

fn of_analysis(scop: &Scop, analysis: &Analysis) -> String {
    let canonical = &analysis.canonical;
    let name = |i: usize| &scop.stmts[canonical.stmts[i].stmt].name;
    let mut text = format!(
        "time loop in [{}], k = {}\n",
        canonical.names.join(", "),
        canonical.k
    );
    for stmt in &canonical.stmts {
        let (name, map) = (&scop.stmts[stmt.stmt].name, &stmt.to_canonical);
        let _ = writeln!(text, "statement {name}: slot {}, {map}", stmt.slot);
    }
    for dep in &canonical.deps {
        let (from, to) = (name(dep.source), name(dep.target));
        let array = &scop.array(dep.array).name;
        let _ = writeln!(text, "{} through {array}, {from} to {to}", dep.kind);
        let _ = writeln!(text, "  {}", dep.map);
        let _ = writeln!(text, "  distance {}", dep.distance);
    }
    let slopes = analysis.cone.delta0.iter().zip(&analysis.cone.delta1);
    for (i, (delta0, delta1)) in slopes.enumerate() {
        let _ = writeln!(text, "cone -{delta1} <= ds{i}/du <= {delta0}");
    }
    text
}

/// The schedules of time loops in tiles, and the launches of what runs in single steps.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn schedule(compiled: &Compiled) -> Result<String> {
    let mut text = String::new();
    for (scop, unit) in units(compiled) {
        text += &match &unit.tiled.kernel {
            Kernel::Hybrid(hybrid) => of_hybrid(scop, &hybrid.schedule)?,
            Kernel::Overlapped(kernel, _) => of_stream(kernel),
        };
    }
    for part in &compiled.stepwise {
        text += &match &part.tiles {
            Some(schedule) => of_hybrid(&compiled.scop, schedule)?,
            None => of_steps(part),
        };
    }
    Ok(text)
}

fn of_hybrid(scop: &Scop, schedule: &HybridSchedule) -> Result<String> {
    let mut text = format!("hybrid {}\n", schedule.sizes());
    for phase in schedule.phase_order {
        let map = schedule.phase_map(&scop.ctx, phase)?;
        let _ = writeln!(text, "  phase {}: {map}", Phase::number(phase));
    }
    Ok(text)
}

fn of_stream(kernel: &StreamKernel) -> String {
    let mut text = format!("overlapped {}\n", kernel.tile());
    if let StreamKernel::Rows(ir) = kernel {
        text += &of_pipeline(&ir.pipeline);
    }
    text
}

fn of_pipeline(pipeline: &Pipeline) -> String {
    let mut text = format!(
        "  a level follows the one before after {} iterations, above 1 after {} more\n",
        pipeline.step_lag, pipeline.wait
    );
    for (field, stage) in pipeline.stages.iter().enumerate() {
        let _ = writeln!(
            text,
            "  field {field}: lag {}, {} rows of a level held",
            pipeline.lag[field], pipeline.depth[field]
        );
        for pull in &stage.pulls {
            let (age, offset) = (pull.age, &pull.offset);
            let _ = writeln!(
                text,
                "    reads field {} of age {age} at {offset:?}",
                pull.field
            );
        }
    }
    text
}

fn of_steps(part: &Stepwise) -> String {
    let mut text = String::from("one launch per step\n");
    let dims = |dims: &[usize]| -> String {
        let name = |d: &usize| match part.plan.names.get(*d) {
            Some(name) => name.clone(),
            None => format!("c{d}"),
        };
        dims.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    for (step, stmts) in part.plan.steps.iter().zip(&part.statements) {
        let _ = writeln!(
            text,
            "  launch of {}: host [{}], threads [{}]",
            stmts.join(", "),
            dims(&step.host),
            dims(&step.spread)
        );
        for order in step.orders.values() {
            let _ = writeln!(text, "    order {}", order.schedule);
        }
    }
    text
}

fn units(compiled: &Compiled) -> Vec<(&Scop, &Unit)> {
    let nests = compiled.tiled_nests.iter();
    (compiled.units.iter())
        .map(|unit| (&compiled.scop, unit))
        .chain(nests.map(|nest| (&nest.scop, &nest.unit)))
        .collect()
}
