//! Rows of arrays in a loop that stays on the host: what a call has found out about them is known in
//! the next ones, as long as the pointers that lead to rows are what they were.

use super::names::Names;
use super::program::Replacement;
use super::rows::{blocks, count, has_rows, planes, sizes, tests};
use super::tiled_rows;
use crate::interface::{Interface, may_hold_members};
use crate::kernel::KernelArray;

/// The position of an array among those that have rows.
pub(super) fn position(interface: &Interface, index: usize) -> usize {
    let before = &interface.arrays[..index];
    before.iter().filter(|a| a.rows.is_some()).count()
}

/// Everything that rows, and whether they share memory with something else, depend on but for the
/// pointers that lead to them, as C.
fn arguments(interface: &Interface, names: &Names) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut add = |argument: String| {
        if !all.contains(&argument) {
            all.push(argument);
        }
    };
    for (index, array) in interface
        .arrays
        .iter()
        .enumerate()
        .filter(|(_, a)| !a.local)
    {
        let name = names.get(&array.name);
        if array.rows.is_some() {
            for size in sizes(interface, index) {
                add(format!("(size_t){}", names.get(&size)));
            }
            add(format!("(size_t){name}_pointers"));
        }
        for (block, bytes) in blocks(interface, array, names) {
            add(format!("(size_t){}", names.get(&block)));
            add(bytes);
        }
    }
    if interface.arrays.iter().any(may_hold_members) {
        for member in interface.guarded_members() {
            let name = names.get(&member.name);
            add(format!("(size_t){name}_at"));
            add(format!("{name}_size"));
        }
    }
    all
}

/// The lines of a host function that say what it knows of its rows, before it may give up; none
/// without rows.
pub(super) fn declared(r: &Replacement, names: &Names) -> Vec<String> {
    if !has_rows(r.interface) {
        return Vec::new();
    }
    let arguments = arguments(r.interface, names);
    let n = position(r.interface, r.interface.arrays.len());
    let mut lines = tables_of_planes(r.interface, names);
    lines.extend([
        format!("  static KnownRows<{n}, {}> known_rows;", arguments.len()),
        format!(
            "  auto &known = known_rows.of({{{}}});",
            arguments.join(", ")
        ),
    ]);
    lines.extend(tiled_rows::declared(r, n));
    lines
}

/// The lines that make tables of the pointers to planes that the program has apart. They stay where they are: the next
/// calls look whether the same pointers are in them.
fn tables_of_planes(interface: &Interface, names: &Names) -> Vec<String> {
    let tables = (interface.arrays.iter()).filter_map(|array| planes(array, names));
    let lines = tables.flat_map(|(table, pointers)| {
        let n = pointers.len();
        let assigned = (pointers.iter().enumerate())
            .map(|(plane, pointer)| format!("{table}[{plane}] = {pointer}"))
            .collect::<Vec<_>>()
            .join(", ");
        [
            format!(
                "  static const void *{table}[{n}]; // what is plane 0, 1, .. in the first step"
            ),
            format!("  {assigned};"),
        ]
    });
    lines.collect()
}

/// The lines that find out what is not known.
pub(super) fn found(r: &Replacement, names: &Names) -> Vec<String> {
    let interface = r.interface;
    let place = |index, _: &str| {
        let found = format!("known.found[{}]", position(interface, index));
        [found.clone(), found]
    };
    let tests = tests(r, names, place);
    if tests.is_empty() {
        return tests;
    }
    let mut lines = vec!["  if (!known.known) {".to_string()];
    lines.extend(tests.into_iter().map(|line| format!("  {line}")));
    let arrays = interface.arrays.iter().enumerate();
    for (i, array) in arrays.filter(|(_, a)| a.rows.is_some()) {
        let (position, what) = (position(interface, i), &array.name);
        let n = count(array, names);
        lines.push(format!("    known.enter({position}, {n}, \"{what}\");"));
        lines.extend(tiled_rows::found(r, (position, what)));
    }
    lines.push("  }".to_string());
    lines
}

/// The lines by which kernels get rows of an array, and by which they are left.
pub(super) fn entered(
    r: &Replacement,
    (index, array): (usize, &KernelArray),
    field: &str,
) -> [String; 2] {
    let i = position(r.interface, index);
    let (elem, written, what) = (array.elem, array.written, &array.name);
    [
        format!("  args.{field} = ({elem} **)known.entered[{i}].table;\n"),
        format!("  known.leave({i}, {written}, \"{what}\");\n"),
    ]
}

/// The line behind all these; none without rows.
pub(super) fn kept(r: &Replacement) -> Option<&'static str> {
    has_rows(r.interface).then_some("  known.keep();\n")
}

/// The line of a host function that gives up; none without rows.
pub(super) fn forgotten(r: &Replacement) -> Option<String> {
    has_rows(r.interface).then(|| "    known.forget();".to_string())
}
