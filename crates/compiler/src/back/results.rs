//! Copies of the boxes that a region leaves in arrays of which it takes nothing.

use super::expr::ast_operand;
use super::names::Names;
use super::program::Replacement;
use crate::kernel::KernelArray;
use crate::tiling::results::Results;
use hexcc_isl::AstExpr;

/// What is left in an array that has memory of its own on the device, as the program has it.
pub(super) fn of<'a>(r: &'a Replacement<'_>, index: usize) -> Option<&'a Results> {
    let ir = r.interface;
    let array = &ir.arrays[index];
    let is_alone = ir.tenants(index).len() == 1 && !array.local && !array.pitched;
    let is_plain = array.rows.is_none() && array.parts.is_empty() && !array.doubtful;
    let known = ir.results.get(index)?.as_ref();
    known.filter(|_| is_alone && is_plain && r.unsure.is_empty())
}

/// The lines that copy a box back.
pub(super) fn leave(
    array: &KernelArray,
    results: &Results,
    names: &Names,
    touched: &str,
) -> Vec<String> {
    let (name, elem, what) = (names.get(&array.name), array.elem, &array.name);
    let number = |e: &AstExpr| match e {
        AstExpr::Int(n) => n.to_string(),
        e => format!("(size_t){}", ast_operand(e, names)),
    };
    let extents: Vec<String> = array.extents.iter().map(number).collect();
    let ranges: Vec<[String; 2]> = (results.ranges.iter())
        .map(|range| range.each_ref().map(number))
        .collect();
    let back = format!("cudaMemcpyDeviceToHost), \"copying {what} back\");");
    let [place, on_device] = ["", "_device"].map(|of| format!("{name}{of} + {name}_first"));
    match (extents.as_slice(), ranges.as_slice()) {
        ([_], [[first, n]]) => vec![
            format!("  const size_t {name}_first = {first}; // of what is copied back"),
            format!(
                "  {touched}check(cudaMemcpy({place}, {on_device}, sizeof({elem}) * {n}, {back}"
            ),
        ],
        ([_, width], [[row, n_rows], [column, n]]) => vec![
            format!(
                "  const size_t {name}_first = {row} * {width} + {column}, {name}_row = sizeof({elem}) * {width}; // of what is copied back"
            ),
            format!(
                "  {touched}check(cudaMemcpy2D({place}, {name}_row, {on_device}, {name}_row, sizeof({elem}) * {n}, {n_rows}, {back}"
            ),
        ],
        _ => Vec::new(),
    }
}
