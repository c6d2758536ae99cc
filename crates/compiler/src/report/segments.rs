//! The segments of a time loop that the host takes part in: what `hexcc explain` says of them.

use crate::back::ast_to_c;
use crate::back::names::{Names, mentions};
use crate::compiled::Compiled;
use crate::csource;
use crate::front::c::{Region, called_functions};
use crate::interface::Interface;
use crate::kernel::KernelArray;
use crate::scop::{SavedScop, Segmented};
use hexcc_isl::AstExpr;
use hexcc_pet::data::Span;
use std::fmt::Write;

/// Where segments end, and what the host may use there.
pub(super) fn explain(saved: &SavedScop, compiled: &Compiled) -> String {
    let of_each = saved.segments.iter().map(|s| of_loop(saved, compiled, s));
    of_each.collect()
}

fn of_loop(saved: &SavedScop, compiled: &Compiled, segments: &Segmented) -> String {
    let text = &saved.source.text;
    let line = saved.source.line(segments.start);
    let mut said = format!(
        "\nsegments of the loop at {}:{line}\n  arrays stay on the device; the loop goes from one step in which the host takes part to the next\n",
        saved.source.path
    );
    let steps = |interface: &Interface| {
        let names = Names::plain().with_members(interface);
        let arrays = interface.handed_over().arrays;
        (arrays.iter().filter(|array| !array.local))
            .map(|array| (array.name.clone(), bytes(array, &names)))
            .collect::<Vec<_>>()
    };
    let tiled = compiled
        .tiled_nests
        .iter()
        .map(|nest| nest.unit.stencil() as &Interface);
    let tiled = tiled.chain(
        compiled
            .stepwise
            .iter()
            .filter(|part| part.tiles.is_some())
            .map(|part| &part.interface),
    );
    let arrays: Vec<(String, String)> = tiled.flat_map(steps).collect();
    for (condition, host) in segments.conditions.iter().zip(&segments.host) {
        let line = saved.source.line(host.start);
        let _ = writeln!(
            said,
            "  in steps where {condition} the host takes part, at line {line}"
        );
        let used: Vec<String> = (arrays.iter())
            .filter(|(name, _)| names(text, host, name))
            .map(|(name, bytes)| format!("{name}, {bytes} bytes at most"))
            .collect();
        let _ = match used.is_empty() {
            true => writeln!(said, "    it names no array of the steps: nothing travels"),
            false => writeln!(
                said,
                "    what it touches travels, page by page: {}",
                used.join("; ")
            ),
        };
    }
    said
}

/// Whether a part of the text, or a function that it calls, names a variable.
fn names(text: &str, part: &Span, name: &str) -> bool {
    let span = part.start..part.end;
    let region = Region {
        span: span.clone(),
        function: csource::enclosing_function(text, part.start),
        marked: false,
        closed: true,
        depth: 0,
    };
    let called = called_functions(text, &region);
    let mut parts = called.iter().map(|f| f.body.clone()).chain([span]);
    parts.any(|part| text.get(part).is_some_and(|part| mentions(part, name)))
}

/// The bytes of an array: a number, or a product of sizes.
pub(super) fn bytes(array: &KernelArray, names: &Names) -> String {
    let mut number = array.elem.size() as i64;
    let mut sizes = String::new();
    for extent in &array.extents {
        match extent {
            AstExpr::Int(n) => number = number.saturating_mul(*n),
            AstExpr::Id(_) => {
                let _ = write!(sizes, " * {}", ast_to_c(extent, names));
            }
            other => {
                let _ = write!(sizes, " * ({})", ast_to_c(other, names));
            }
        }
    }
    format!("{number}{sizes}")
}
