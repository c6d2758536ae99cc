//! Where loops run, where their arrays are meanwhile, and what both ways take: what `hexcc explain` says of it.
//!
//! The estimates are those by which the program decides, [`crate::cost`].

use super::segments::bytes;
use crate::back::names::Names;
use crate::back::{Host, Memory, Placement, Stays};
use crate::compiled::Compiled;
use crate::cost::{CopiedArray, Estimate, Work};
use crate::interface::Interface;
use crate::kernel::{KernelArray, plan};
use crate::options::Language;
use crate::output::memory_of_nests;
use crate::scop::SavedScop;
use crate::scop::beside::BesideNest;
use hexcc_isl::AstExpr;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;

/// What is assumed of a size that nobody has given: steps, and points along one to four dimensions.
const STEPS: i64 = 1000;
const POINTS: [i64; 4] = [16_777_216, 16_384, 512, 96];

/// Loops that are replaced together.
struct Part<'a> {
    span: Range<usize>,
    interface: &'a Interface,
    memory: Memory,
    /// It is in a loop during which arrays stay on the device.
    stays: bool,
}

/// Says of each part of a program where it runs, where its arrays are, and what it is expected to take with
/// some sizes.
pub fn explain_placement(
    saved: &SavedScop,
    compiled: &Compiled,
    (language, host): (Language, Host),
    given: &[(String, i64)],
) -> String {
    let mut parts = parts(saved, compiled);
    let decides = is_decided(&parts, (language, host.placement));
    if language == Language::OpenCl {
        let used = parts.iter().map(|p| (p.span.clone(), p.interface));
        let used: Vec<_> = used.collect();
        let stays = Stays::new(saved.source.own_text(), &saved.defines, (&used, host.files));
        for part in &mut parts {
            part.stays = stays.holds(&part.span);
        }
    }
    let mut text = format!("\nplacement\n  {}\n", decision(language, decides));
    for part in &parts {
        let line = saved.source.line(part.span.start);
        let _ = writeln!(text, "  loops from line {line} on, each time they begin");
        for (name, size, place) in arrays(part, language) {
            let _ = writeln!(text, "    {name}, {size} bytes: {place}");
        }
        if let (Language::Cuda, Some(beside)) = (language, saved.beside(part.span.start)) {
            text.push_str(&of_host(saved, beside));
        }
        if let Some(expected) = expected(part, (language, given)) {
            text.push_str(&expected);
        }
    }
    text
}

fn parts<'a>(saved: &SavedScop, compiled: &'a Compiled) -> Vec<Part<'a>> {
    let part = |span: &Range<usize>, interface, memory| Part {
        span: span.clone(),
        interface,
        memory,
        stays: false,
    };
    let [steps, tiled] = memory_of_nests(saved, compiled);
    let units = compiled.units.iter().map(|unit| {
        let span = &unit.analysis.chunk.span;
        part(span, unit.stencil() as &Interface, Memory::Copied)
    });
    let nests = compiled.tiled_nests.iter().map(|nest| {
        let span = &nest.unit.analysis.chunk.span;
        part(span, nest.interface(), tiled)
    });
    let single = compiled.stepwise.iter();
    let single = single.map(|p| part(&p.span, &p.interface, steps));
    let mut all: Vec<Part> = units.chain(nests).chain(single).collect();
    all.sort_by_key(|p| p.span.start);
    all
}

/// Says which memory the host uses between runs of kernels.
fn of_host(saved: &SavedScop, beside: &BesideNest) -> String {
    if !beside.repeats {
        return "    no loop around it: nothing stays on the device\n".to_string();
    }
    let uses = beside.uses.iter();
    let uses = uses.map(|(name, at)| format!("{name} (line {})", saved.source.line(*at)));
    match uses.collect::<Vec<_>>() {
        uses if uses.is_empty() => {
            "    in the loop around it C uses no array: none travels between its steps\n"
                .to_string()
        }
        uses => format!("    in the loop around it C uses {}\n", uses.join(", ")),
    }
}

/// Whether the program decides where they run.
fn is_decided(parts: &[Part], (language, placement): (Language, Placement)) -> bool {
    let mut parts = parts.iter();
    let is_known = |part: &Part| !part.interface.work.is_empty();
    placement == Placement::Auto
        && match language {
            Language::Cuda => parts.all(is_known),
            Language::OpenMp | Language::OpenCl => parts.any(is_known),
        }
}

fn decision(language: Language, decides: bool) -> &'static str {
    match (language, decides) {
        (Language::OpenMp, true) => {
            "the program compares the times below and runs C's own loops or shares them among threads; HEXCC_RUN_ON overrides it"
        }
        (Language::OpenMp, false) => "threads always share the loops",
        (_, true) => {
            "the program compares the times below and runs C's own loops or kernels; HEXCC_RUN_ON overrides it"
        }
        (_, false) => "kernels always run",
    }
}

/// Each array with its bytes and where it is while loops run.
fn arrays(part: &Part, language: Language) -> Vec<(String, String, &'static str)> {
    let names = Names::plain().with_members(part.interface);
    let arrays = part.interface.handed_over().arrays;
    let of = |array: &KernelArray| {
        let place = match part.stays && !array.variable {
            true => {
                "on the device during the loop around; copied there once, and back behind that loop"
            }
            false => place(array, part.memory, language),
        };
        (array.name.clone(), bytes(array, &names), place)
    };
    arrays.iter().map(of).collect()
}

fn place(array: &KernelArray, memory: Memory, language: Language) -> &'static str {
    match (language, memory, array.local, array.written) {
        (_, _, true, _) => "a variable of the loops alone; it does not travel",
        (Language::OpenMp, ..) => "where the program has it; it does not travel",
        (Language::OpenCl, _, _, true) | (_, Memory::Copied, _, true) => {
            "on the device; copied there before the kernels and back behind them"
        }
        (Language::OpenCl, ..) | (_, Memory::Copied, ..) => {
            "on the device; copied there before the kernels"
        }
        (_, Memory::Shared, _, true) => {
            "in memory that CPU and GPU share; what the host uses between kernels travels, page by page"
        }
        (_, Memory::Shared, ..) => {
            "in memory that CPU and GPU share; what the host has written travels, page by page"
        }
        (_, Memory::Staged, _, true) => {
            "in memory that CPU and GPU share; kernels have a copy on the device, made before them and brought back"
        }
        (_, Memory::Staged, ..) => {
            "in memory that CPU and GPU share; kernels have a copy on the device, made before them"
        }
    }
}

/// What both ways are expected to take; `None` where isl found no bounds or a size cannot be told.
fn expected(part: &Part, (language, given): (Language, &[(String, i64)])) -> Option<String> {
    let interface = part.interface;
    if interface.work.is_empty() {
        return None;
    }
    let sizes = sizes(interface, given);
    let value = |name: &str| sizes.get(name).copied();
    let mut estimate = Estimate::default();
    for work in &interface.work {
        estimate.add(work, language, &|e| plan::eval(e, &value))?;
    }
    let copied = interface.handed_over().arrays;
    for array in copied.iter().filter(|a| !a.local && !part.stays) {
        let extents = array.extents.iter();
        let extents: Option<Vec<i64>> = extents.map(|e| plan::eval(e, &value)).collect();
        let points: f64 = extents?.iter().map(|&n| n.max(0) as f64).product();
        estimate.copy(CopiedArray {
            bytes: points * array.elem.size() as f64,
            is_shared: part.memory.is_shared(),
            language,
        });
    }
    Some(sentence(&estimate, &sizes, (language, given)))
}

fn sentence(
    estimate: &Estimate,
    sizes: &BTreeMap<&str, i64>,
    (language, given): (Language, &[(String, i64)]),
) -> String {
    let is_given = |name: &str| given.iter().any(|(own, _)| own == name);
    let spelled: Vec<String> = (sizes.iter())
        .map(|(name, n)| match is_given(name) {
            true => format!("{name} = {n}"),
            false => format!("{name} = {n} (assumed)"),
        })
        .collect();
    let with = match spelled.is_empty() {
        true => String::new(),
        false => format!(" with {}", spelled.join(", ")),
    };
    let [host, device] = [estimate.host, estimate.device].map(duration);
    let copies = match estimate.copies > 0.0 {
        true => format!(", of which copies {}", duration(estimate.copies)),
        false => String::new(),
    };
    let (way, start) = match language {
        Language::OpenMp => ("threads", String::new()),
        Language::Cuda | Language::OpenCl => {
            let start = duration(crate::cost::START);
            ("kernels", format!("; their start, once, {start}"))
        }
    };
    format!("    expected{with}: C on one core {host}; {way} {device}{copies}{start}\n")
}

/// The sizes: those that are given, and what is assumed of others.
pub(super) fn sizes<'a>(
    interface: &'a Interface,
    given: &[(String, i64)],
) -> BTreeMap<&'a str, i64> {
    let all = |of: &dyn Fn(&'a Work) -> &'a [AstExpr]| -> BTreeSet<&'a str> {
        let work = interface.work.iter();
        work.flat_map(|w| of(w).iter().flat_map(AstExpr::names))
            .collect()
    };
    let (times, space) = (all(&|w| &w.launches), all(&|w| &w.threads));
    let dims = interface.work.iter().map(dimensions).max();
    let points = POINTS[dims.unwrap_or(1).clamp(1, POINTS.len()) - 1];
    let value = |name: &'a str| {
        let given = given.iter().find(|(own, _)| own == name);
        given.map_or_else(
            || match times.contains(name) && !space.contains(name) {
                true => STEPS,
                false => points,
            },
            |(_, n)| *n,
        )
    };
    let params = interface.params.iter().map(String::as_str);
    let mut sizes: BTreeMap<&str, i64> = params.map(|name| (name, value(name))).collect();
    for name in times.difference(&space) {
        if !given.iter().any(|(own, _)| own == name) && is_first_step(interface, &sizes, name) {
            sizes.insert(name, 0);
        }
    }
    sizes
}

/// Whether the loops run more often, the less a size is, as from the first step of `for (t = first; t < last; t++)`.
fn is_first_step(interface: &Interface, sizes: &BTreeMap<&str, i64>, name: &str) -> bool {
    let with = |n: i64| -> i64 {
        let value = |own: &str| match own == name {
            true => Some(n),
            false => sizes.get(own).copied(),
        };
        let launches = interface.work.iter().flat_map(|work| &work.launches);
        launches.filter_map(|e| plan::eval(e, &value)).sum()
    };
    with(0) > with(STEPS)
}

/// The dimensions of space: cores share the tiles along one of them alone, and run those along the others.
fn dimensions(work: &Work) -> usize {
    let loops = work.parts.iter().map(|part| part.extents.len()).max();
    let of_space = loops.unwrap_or(0).saturating_sub(work.launches.len());
    of_space.max(work.threads.len())
}

/// Nanoseconds in words.
pub(super) fn duration(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.1} ms", ns / 1e6),
        ns => format!("{:.1} s", ns / 1e9),
    }
}
