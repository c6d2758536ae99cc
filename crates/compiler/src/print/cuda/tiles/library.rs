//! The functions of the device library that a program of tiles calls, and calls of those that copy.

use super::Printer;
use crate::ir::{self, BoxCopy, Expr, Helper, Pointer, Program, Stmt, Way};
use crate::print::c::{Writer, definition_of};
use std::collections::BTreeSet;

/// Files of the library with the names of what they define, each calling only those before it; each begins with a
/// comment of one line.
const FILES: [(&str, &str); 10] = [
    ("wrap", include_str!("../../lib/cuda/tiles/wrap.cuh")),
    (
        "relative",
        include_str!("../../lib/cuda/tiles/relative.cuh"),
    ),
    ("row", include_str!("../../lib/cuda/tiles/row.cuh")),
    ("copy", include_str!("../../lib/cuda/tiles/copy.cuh")),
    (
        "copy_box",
        include_str!("../../lib/cuda/tiles/copy_box.cuh"),
    ),
    (
        "copy_inside",
        include_str!("../../lib/cuda/tiles/copy_inside.cuh"),
    ),
    (
        "copy_out",
        include_str!("../../lib/cuda/tiles/copy_out.cuh"),
    ),
    (
        "copy_ring",
        include_str!("../../lib/cuda/tiles/copy_ring.cuh"),
    ),
    (
        "copy_out_ring",
        include_str!("../../lib/cuda/tiles/copy_out_ring.cuh"),
    ),
    (
        "move_rows",
        include_str!("../../lib/cuda/tiles/move_rows.cuh"),
    ),
];

/// What those files call of each other.
const CALLS: [(&str, &[&str]); 5] = [
    ("relative", &["lowest", "highest"]),
    ("copy_box", &["copy"]),
    ("copy_inside", &["copy", "lowest", "highest"]),
    ("copy_ring", &["copy", "wrap"]),
    ("copy_out_ring", &["wrap"]),
];

/// Functions of integers, in the order in which they are defined, with what they compute where the name does not say
/// it.
const ARITHMETIC: [(Helper, &str); 4] = [
    (
        Helper::Mod,
        "// Remainder with the sign of the divisor, for time buffers.\n",
    ),
    (
        Helper::FloorDiv,
        "// Quotient rounded towards minus infinity.\n",
    ),
    (Helper::Lowest, ""),
    (Helper::Highest, ""),
];

/// All names of the library.
pub(super) const NAMES: [&str; 14] = [
    "wrap",
    "relative",
    "row",
    "copy",
    "copy_box",
    "copy_inside",
    "copy_out",
    "copy_ring",
    "copy_out_ring",
    "move_rows",
    "mod",
    "floor_div",
    "lowest",
    "highest",
];

/// The function that copies a box.
fn copies(copy: &BoxCopy) -> &'static str {
    match (&copy.way, &copy.ring) {
        (Way::In, None) => "copy_box",
        (Way::In, Some(_)) => "copy_ring",
        (Way::Inside(_), _) => "copy_inside",
        (Way::Out, None) => "copy_out",
        (Way::Out, Some(_)) => "copy_out_ring",
    }
}

/// Whether a place is found by the numbers of rows.
fn has_rows(pointer: &Pointer) -> bool {
    match pointer {
        Pointer::Row { .. } => true,
        Pointer::Further { from, .. } => has_rows(from),
        Pointer::Of(_) | Pointer::Located { .. } => false,
    }
}

/// The names of the library that a program calls.
fn called(program: &Program) -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    let bodies = (program.functions.iter().map(|f| &f.body))
        .chain(program.kernels.iter().map(|k| &k.body))
        .chain([&program.host]);
    for body in bodies {
        for expr in ir::expressions_in(body) {
            expr.visit(&mut |e| match e {
                Expr::Helper(helper, _) => {
                    names.insert(helper.name());
                }
                Expr::Wrapped { .. } => {
                    names.insert("wrap");
                }
                Expr::Behind { pointer, .. } if has_rows(pointer) => {
                    names.insert("row");
                }
                _ => {}
            });
        }
        ir::visit(body, &mut |stmt| match stmt {
            Stmt::CopyBox(copy) => {
                names.insert(copies(copy));
            }
            Stmt::MoveRows(_) => {
                names.insert("move_rows");
            }
            Stmt::Define { definition, .. } if definition.pointer().is_some_and(has_rows) => {
                names.insert("row");
            }
            _ => {}
        });
    }
    for (name, others) in CALLS.iter().rev() {
        if names.contains(name) {
            names.extend(others.iter());
        }
    }
    names
}

/// The functions that a program calls: those of integers, and the others, which use its constants.
pub(super) fn of(program: &Program) -> [String; 2] {
    let called = called(program);
    let mut arithmetic = String::new();
    for (helper, remark) in ARITHMETIC {
        if called.contains(helper.name()) {
            let (second, value) = definition_of(helper);
            let name = helper.name();
            arithmetic.push_str(&format!("{remark}__host__ __device__ constexpr long long {name}(long long x, long long {second}) {{ return {value}; }}\n"));
        }
    }
    let files = FILES.iter().filter(|(name, _)| called.contains(name));
    let mut device: String = files.map(|(_, text)| *text).collect();
    let mut quotients: Vec<String> = Vec::new();
    for quotient in program.quotients() {
        quotients.push(quotient.in_cuda());
    }
    device.push_str(&quotients.concat());
    [arithmetic, device].map(|text| match text.is_empty() {
        true => text,
        false => text + "\n",
    })
}

impl Printer<'_> {
    /// A call of a function that copies a box.
    pub(super) fn copy_box(&self, writer: &Writer<'_>, copy: &BoxCopy) -> String {
        let at = copy.at.iter().map(|s| format!("[{}]", writer.expr(s)));
        let own = format!(
            "&{}{}",
            writer.namer.get(copy.shared),
            at.collect::<String>()
        );
        let from = self.pointer(writer, &copy.global).0;
        let [outer, inner] = copy.rows;
        let shape = format!("{outer}, {inner}, {}, {}", copy.bytes, copy.width);
        let [own_outer, own_inner] = copy.shared_steps;
        let [from_outer, from_inner] = copy.global_steps.each_ref().map(|step| writer.expr(step));
        let name = copies(copy);
        let global = format!("{from}, {from_outer}, {from_inner}");
        if let Way::Inside(checks) = &copy.way {
            let checks: Vec<String> = checks
                .iter()
                .flatten()
                .map(|end| writer.expr(end))
                .collect();
            let checks = checks.join(", ");
            return format!(
                "{name}<{shape}>({own}, {own_outer}, {own_inner}, {global}, {checks}, thread);"
            );
        }
        let mut sizes = format!("{shape}, {own_outer}, {own_inner}");
        let mut own = own;
        if let Some(ring) = &copy.ring {
            sizes.push_str(&format!(", {}, {}", ring.axis, ring.size));
            own.push_str(&format!(", {}", writer.expr(&ring.first)));
        }
        match copy.way {
            Way::Out => format!("{name}<{sizes}>({global}, {own}, thread);"),
            _ => format!("{name}<{sizes}>({own}, {global}, thread);"),
        }
    }
}
