//! Rows of which tiles have copies: planes in tables of rows that take turns, in a program that shares memory with kernels.
//!
//! What is touched of the rows is copied on the device, from where kernels find it to an array in one block, and what is
//! written back.

use super::known_rows::position;
use super::names::Names;
use super::program::{Memory, Replacement, extents, pitch};
use super::rows::has_rows;
use super::staged::borrowed;
use std::fmt::Write;

/// The functions that copy rows, once in a program that has such.
pub(super) const TILED_ROWS: &str = include_str!("../print/lib/cuda/rows_tiled.cuh");

/// The same for rows with cells around a domain that goes around.
pub(super) const ROWS_INSIDE: &str = include_str!("../print/lib/cuda/rows_inside.cuh");

/// Whether tiles have copies of rows.
pub(super) fn has_tiled_rows(r: &Replacement) -> bool {
    r.memory == Memory::Staged && has_rows(r.interface)
}

/// The lines that say where the rows of `n` arrays are known on the device, behind those of what a call knows of them.
pub(super) fn declared(r: &Replacement, n: usize) -> Vec<String> {
    match has_tiled_rows(r) {
        false => Vec::new(),
        true => vec![
            format!("  static TiledRows tiled_rows[sizeof known_rows.calls / sizeof known][{n}];"),
            "  auto &tiled = tiled_rows[&known - known_rows.calls];".to_string(),
        ],
    }
}

/// The line that makes the rows of an array known there.
pub(super) fn found(r: &Replacement, (position, what): (usize, &str)) -> Option<String> {
    has_tiled_rows(r)
        .then(|| format!("    tiled[{position}].find(known.found[{position}], \"{what}\");"))
}

/// What is done about the rows of an array before the kernels, behind them, and when they have ended.
pub(super) fn staged(r: &Replacement, index: usize, names: &Names) -> [String; 3] {
    let array = &r.interface.arrays[index];
    let (name, field) = (names.get(&array.name), r.names.get(&array.name));
    let (elem, what, written) = (array.elem, &array.name, array.written);
    let i = position(r.interface, index);
    let [_, sizes] = extents(array, r.interface.planes[index], names);
    let (Some((width, rows)), Some(found)) = (sizes.split_last(), &array.rows) else {
        return [String::new(), String::new(), String::new()];
    };
    let product = |sizes: &[String]| match sizes {
        [] => "1".to_string(),
        sizes => sizes.join(" * "),
    };
    let inner = product(rows.get(found.ranges.len()..).unwrap_or_default());
    let mut before = format!(
        "  const size_t {name}_rows = {}, {name}_width = sizeof({elem}) * {width};\n",
        product(rows)
    );
    match array.pitched {
        true => {
            for line in pitch(&name, what, "") {
                let _ = writeln!(before, "{line}");
            }
        }
        false => {
            let _ = writeln!(before, "  const size_t {name}_pitch = {name}_width;");
        }
    }
    let copy = |back: bool| {
        format!(
            "  tiled[{i}].copy(known.entered[{i}], ({elem} *){name}_tiles, {inner}, {width}, {name}_pitch, {back}); // {what}\n"
        )
    };
    let all = format!("{name}_rows * {name}_pitch");
    let filled = "rows are read with their padding: NaN";
    before.push_str(&borrowed(array, (&name, what), &field, (&all, filled)));
    before.push_str(&copy(false));
    let behind = match written {
        true => copy(true),
        false => String::new(),
    };
    let after = format!(
        "  give_back({name}_tiles, \"freeing {what}\");\n  known.leave({i}, {written}, \"{what}\");\n"
    );
    [before, behind, after]
}
