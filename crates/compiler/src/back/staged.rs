//! Tiled time loops in a loop that stays on the host.
//!
//! The arrays are where the program has them, in memory that kernels share with it. Tiles want rows that
//! start at certain addresses and memory behind the rows, so they work on copies that never leave the
//! device: what is copied there once for many time steps costs little.

use super::beside::Beside;
use super::known_rows;
use super::names::Names;
use super::parts::{Entered, Parts};
use super::program::{Replacement, bytes_of, condition, extents, pitch, shared_bytes};
use super::tiled_rows;
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
        let touched = || condition(&ir.touched[i], names);
        let beside = Beside::of(r, i, names).map(|beside| match array.rows {
            Some(_) => beside.in_rows(&field, known_rows::position(ir, i)),
            None => beside.staged(&field, touched()),
        });
        let parts = || Some(Parts::of(array, names)?.staged(&field, touched(), r.apart));
        let rows = || (array.rows.is_some()).then(|| tiled_rows::staged(r, i, names));
        if let Some(all) = beside.or_else(parts).or_else(rows) {
            for (text, more) in [&mut before, &mut behind, &mut after].into_iter().zip(&all) {
                text.push_str(more);
            }
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
        let (field, bytes) = (&workspace.field, workspace.bytes(r, names));
        let elem = ir.arrays[workspace.array].elem;
        let _ = writeln!(
            before,
            "  args.{field} = ({elem} *)borrow({bytes}, \"allocating {field}\");"
        );
        let _ = writeln!(after, "  give_back(args.{field}, \"freeing {field}\");");
    }
    after.push_str(known_rows::kept(r).unwrap_or_default());
    [before, behind, after]
}

/// Lines that say how large an array is, in the program and on the device.
fn sizes(r: &Replacement, index: usize, names: &Names) -> String {
    let ir = r.interface;
    let array = &ir.arrays[index];
    let (name, elem) = (names.get(&array.name), array.elem);
    let [own, on_device] = extents(array, ir.planes[index], names);
    let touched = condition(&ir.touched[index], names);
    let bytes = where_touched(bytes_of(array, names), touched);
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
        lines.extend(pitch(&name, &array.name, ""));
    } else {
        let room = format!("sizeof({elem}) * {}", on_device.join(" * "));
        lines.push(format!(
            "  const size_t {name}_room = {name}_bytes > {room} ? {name}_bytes : {room};"
        ));
    }
    lines.join("\n") + "\n"
}

/// An array whose planes are copied one by one between where kernels find them, `NAME_entered`, and where tiles have them,
/// `NAME_tiles`.
pub(super) struct PlaneByPlane<'a> {
    pub array: &'a KernelArray,
    /// In the host function, and in messages.
    pub name: &'a str,
    pub what: &'a str,
    /// How many planes there are, and the bytes of all that tiles have, as C.
    pub planes: String,
    pub all: String,
    /// Where the first row of a plane is, as kernels find it, with the distance of rows, and in tiles.
    pub entered: Entered,
    pub in_program: String,
    pub in_tiles: String,
    /// Why the memory of tiles is filled with NaN.
    pub filled: &'a str,
    /// Where tiles take planes by pointers, so that they can use those of the program: how many.
    pub apart: Option<usize>,
}

impl PlaneByPlane<'_> {
    /// What is done before the kernels, behind them, and when they have ended, for a field of `Args`; `sizes` are the lines that
    /// say how large the array is.
    pub fn arrays(self, field: &str, sizes: String) -> [String; 3] {
        let (name, what, elem) = (self.name, self.what, self.array.elem);
        let written = self.array.written;
        let mut before = sizes;
        before.push_str(&self.entered.line);
        before.push_str(&self.memory(field));
        let of_tiles = format!("{}, {name}_pitch", self.in_tiles);
        before.push_str(&self.copies(&of_tiles, &self.in_program, "for the tiles"));
        if self.apart.is_some() {
            let _ = writeln!(
                before,
                "  for (size_t plane = 0; plane < {}; ++plane)\n    args.{field}_planes[plane] = ({elem} *)({name}_stays ? {name}_entered[plane] : {});",
                self.planes, self.in_tiles
            );
        }
        let behind = match written {
            true => self.copies(&self.in_program, &of_tiles, "back"),
            false => String::new(),
        };
        let has_tiles = match self.apart {
            Some(_) => format!("if (!{name}_stays) "),
            None => String::new(),
        };
        let mut after = format!("  {has_tiles}give_back({name}_tiles, \"freeing {what}\");\n");
        for (pointer, place, part) in &self.entered.pointers {
            let _ = writeln!(
                after,
                "  leave({pointer}, {place}, {name}_bytes, {written}, \"{part}\");"
            );
        }
        [before, behind, after]
    }

    /// Lines that provide the memory of the tiles.
    fn memory(&self, field: &str) -> String {
        let (name, what, all, filled) = (self.name, self.what, &self.all, self.filled);
        if self.apart.is_none() {
            return borrowed(self.array, (name, what), field, (all, filled));
        }
        let (borrow, fill) = (borrow(all, what), fill(name, what, (all, filled)));
        format!(
            "  void *const {name}_tiles = {name}_stays ? nullptr : {borrow};\n  args.{field}_pitch = (int){name}_pitch;\n  if (!{name}_stays) {fill}\n"
        )
    }

    fn copies(&self, to: &str, from: &str, purpose: &str) -> String {
        let (name, what, planes) = (self.name, self.what, &self.planes);
        let where_copied = match self.apart {
            Some(_) => format!("!{name}_stays && "),
            None => String::new(),
        };
        format!(
            "  for (size_t plane = 0; {where_copied}{name}_bytes && plane < {planes}; ++plane)\n    check(cudaMemcpy2DAsync({to}, {from}, {name}_width, {name}_rows, cudaMemcpyDeviceToDevice, 0), \"copying {what} {purpose}\");\n"
        )
    }
}

/// Lines that provide the memory of tiles, `all` bytes, for a field of `Args`, and fill it with NaN for the reason given.
pub(super) fn borrowed(
    array: &KernelArray,
    (name, what): (&str, &str),
    field: &str,
    (all, filled): (&str, &str),
) -> String {
    let elem = array.elem;
    let pitch = match array.pitched {
        true => format!(", args.{field}_pitch = (int){name}_pitch"),
        false => String::new(), // a single row
    };
    format!(
        "  void *const {name}_tiles = {};\n  args.{field} = ({elem} *){name}_tiles{pitch};\n  {}\n",
        borrow(all, what),
        fill(name, what, (all, filled))
    )
}

fn borrow(all: &str, what: &str) -> String {
    format!("borrow({all}, \"allocating {what}\")")
}

fn fill(name: &str, what: &str, (all, filled): (&str, &str)) -> String {
    format!("check(cudaMemsetAsync({name}_tiles, 0xff, {all}, 0), \"filling {what}\"); // {filled}")
}

/// So many bytes where the program has an array, as C.
pub(super) fn where_touched(bytes: String, touched: Option<String>) -> String {
    match touched {
        None => bytes,
        Some(touched) => format!("({touched}) ? {bytes} : 0"),
    }
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
