//! Tiled time loops in a loop that stays on the host.
//!
//! The arrays are where the program has them, in memory that kernels share with it. Tiles want rows that
//! start at certain addresses and memory behind the rows, so they work on copies that never leave the
//! device: what is copied there once for many time steps costs little.

use super::names::Names;
use super::program::{Replacement, bytes_of, condition, extents, shared_bytes};
use crate::kernel::KernelArray;
use std::fmt::Write;

/// What is done about the arrays before the kernels, behind them, and when they have ended.
pub(super) fn arrays(r: &Replacement, names: &Names) -> [String; 3] {
    let ir = r.interface;
    let [mut before, mut behind, mut after] = [String::new(), String::new(), String::new()];
    for (i, array) in ir.arrays.iter().enumerate() {
        let (name, field) = (names.get(&array.name), r.names.get(&array.name));
        let (elem, what) = (array.elem, &array.name);
        let home = ir.home(i);
        if home != i {
            let home = r.names.get(&ir.arrays[home].name);
            let _ = writeln!(before, "  args.{field} = ({elem} *)args.{home};");
            continue;
        }
        before.push_str(&sizes(r, i, names));
        let memory = match array.pitched {
            true => format!("{name}_planes * {name}_pitch"),
            false => format!("{name}_room"),
        };
        let _ = writeln!(
            before,
            "  void *const {name}_tiles = borrow({memory}, \"allocating {what}\");\n  args.{field} = ({elem} *){name}_tiles;"
        );
        let _ = writeln!(after, "  give_back({name}_tiles, \"freeing {what}\");");
        if array.pitched {
            let _ = writeln!(
                before,
                "  args.{field}_pitch = (int){name}_pitch;\n  check(cudaMemsetAsync({name}_tiles, 0xff, {memory}, 0), \"filling {what}\"); // rows are read with their padding: NaN"
            );
        }
        if array.local {
            continue;
        }
        let copy = Copy::of(array, &name);
        let _ = writeln!(
            before,
            "  void *const {name}_entered = enter({name}, {name}_bytes, \"{what}\");\n{}",
            copy.to_device
        );
        let written = ir.is_memory_written(i);
        if written {
            let _ = writeln!(behind, "{}", copy.back);
        }
        let _ = writeln!(
            after,
            "  leave({name}, {name}_entered, {name}_bytes, {written}, \"{what}\");"
        );
    }
    for workspace in &r.workspaces {
        let (field, bytes) = (&workspace.field, workspace.bytes(ir, names));
        let elem = ir.arrays[workspace.array].elem;
        let _ = writeln!(
            before,
            "  args.{field} = ({elem} *)borrow({bytes}, \"allocating {field}\");"
        );
        let _ = writeln!(after, "  give_back(args.{field}, \"freeing {field}\");");
    }
    [before, behind, after]
}

/// Lines that say how large an array is, in the program and on the device.
fn sizes(r: &Replacement, index: usize, names: &Names) -> String {
    let ir = r.interface;
    let array = &ir.arrays[index];
    let (name, elem) = (names.get(&array.name), array.elem);
    let [own, on_device] = extents(array, ir.planes[index], names);
    let bytes = bytes_of(array, names);
    let bytes = match condition(&ir.touched[index], names) {
        None => bytes,
        Some(touched) => format!("({touched}) ? {bytes} : 0"),
    };
    let mut lines = match shared_bytes(ir, index, names) {
        None => vec![format!("  const size_t {name}_bytes = {bytes};")],
        Some(lines) => lines,
    };
    if let (true, [rows @ .., last]) = (array.pitched, own.as_slice()) {
        let planes = &on_device[..rows.len()];
        lines.push(format!(
            "  const size_t {name}_rows = {}, {name}_planes = {}, {name}_width = sizeof({elem}) * {last};",
            rows.join(" * "),
            planes.join(" * ")
        ));
        lines.push(format!(
            "  const size_t {name}_pitch = ({name}_width + 127) / 128 * 128; // rows start at multiples of 128 bytes"
        ));
        let what = &array.name;
        lines.push(format!(
            "  check({name}_pitch <= INT_MAX ? cudaSuccess : cudaErrorInvalidValue, \"rows of {what} are too long\");"
        ));
    } else {
        let room = format!("sizeof({elem}) * {}", on_device.join(" * "));
        lines.push(format!(
            "  const size_t {name}_room = {name}_bytes > {room} ? {name}_bytes : {room};"
        ));
    }
    lines.join("\n") + "\n"
}

/// Lines that copy an array from where kernels find it to where tiles have it, and back.
struct Copy {
    to_device: String,
    back: String,
}

impl Copy {
    fn of(array: &KernelArray, name: &str) -> Copy {
        let (entered, tiles) = (format!("{name}_entered"), format!("{name}_tiles"));
        let (width, pitch) = (format!("{name}_width"), format!("{name}_pitch"));
        let copy = |to: [&str; 2], from: [&str; 2], what: &str| {
            let call = match array.pitched {
                true => format!(
                    "cudaMemcpy2DAsync({}, {}, {}, {}, {width}, {name}_rows",
                    to[0], to[1], from[0], from[1]
                ),
                false => format!("cudaMemcpyAsync({}, {}, {name}_bytes", to[0], from[0]),
            };
            format!("  if ({name}_bytes) check({call}, cudaMemcpyDeviceToDevice, 0), \"{what}\");")
        };
        let (entered, tiles) = ([entered.as_str(), &width], [tiles.as_str(), &pitch]);
        let what = &array.name;
        Copy {
            to_device: copy(tiles, entered, &format!("copying {what} for the tiles")),
            back: copy(entered, tiles, &format!("copying {what} back")),
        }
    }
}
