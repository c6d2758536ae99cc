//! Nests in a loop that stays on the host: kernels work on the arrays where the program has them.
//!
//! What happens between kernels is C as before - calls, prints, pointers that are swapped, loops
//! that end when the results say so. Therefore nothing is assumed of it: memory that the program
//! allocates is managed by CUDA, so that both sides see it at the same addresses, and every kernel
//! has ended before the host goes on. Memory of other origin is copied for each kernel.

use super::names::Names;
use super::program::{
    Entry, Replacement, bytes_of, condition, head, host_names, overlap_checks, shared_bytes,
};
use super::rows;
use crate::csource::{self, Edit};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The functions that share memory, once in a program.
pub(super) const MEMORY: &str = include_str!("../print/lib/cuda/memory.cuh");

/// The functions that let kernels use rows, once in a program that has some.
pub(super) const ROWS: &str = include_str!("../print/lib/cuda/rows.cuh");

/// The program's functions for memory, and what takes their place.
const ALLOCATION: [(&str, &str); 4] = [
    ("malloc", "hexcc_memory::allocate"),
    ("calloc", "hexcc_memory::allocate_zeros"),
    ("realloc", "hexcc_memory::reallocate"),
    ("free", "hexcc_memory::release"),
];

/// The same where blocks may be rows, which are small.
const ALLOCATION_OF_ROWS: [(&str, &str); 4] = [
    ("malloc", "hexcc_memory::allocate_row"),
    ("calloc", "hexcc_memory::allocate_rows_of_zeros"),
    ("realloc", "hexcc_memory::reallocate_row"),
    ("free", "hexcc_memory::release_row"),
];

/// Lets the program allocate memory that kernels can use, also for rows that they use one by one.
pub(super) fn allocations(text: &str, rows: bool) -> Vec<Edit> {
    let functions = match rows {
        true => ALLOCATION_OF_ROWS,
        false => ALLOCATION,
    };
    let names: BTreeMap<String, String> = (functions.iter())
        .map(|(name, own)| (name.to_string(), own.to_string()))
        .collect();
    csource::rename(text, &names)
}

/// Lets kernels use arrays at file scope. Only this file can name them then: what another one would
/// see under the name is not the array.
pub(super) fn managed_arrays(text: &str) -> Vec<Edit> {
    let edit = |(at, is_static): (usize, bool)| Edit {
        range: at..at,
        replacement: match is_static {
            true => "__managed__ ".to_string(),
            false => "__managed__ static ".to_string(),
        },
    };
    csource::file_scope_arrays(text)
        .into_iter()
        .map(edit)
        .collect()
}

/// The function that runs the kernels of a nest.
pub(super) fn host_function(r: &Replacement, entry: &Entry) -> String {
    let ir = r.interface;
    let names = host_names(ir);
    let mut t = "// Runs the nest on arrays of the program.\n".to_string();
    for line in head(ir, &names, entry) {
        let _ = writeln!(t, "{line}");
    }
    t.push_str("  using namespace hexcc_memory;\n");
    for line in overlap_checks(ir, &names) {
        let _ = writeln!(t, "{line}");
    }
    for line in rows::host_tests(ir, &names) {
        let _ = writeln!(t, "{line}");
    }
    t.push_str("  Args args{};\n");
    for name in ir.values() {
        let _ = writeln!(t, "  args.{} = {};", r.names.get(name), names.get(name));
    }
    let (entered, left) = arrays(r, &names);
    t + &entered
        + "  check(launch(args, 0), \"launching the kernels\");\n  check(cudaDeviceSynchronize(), \"running the kernels\");\n"
        + &left
        + "}\n"
}

/// What is done about the arrays before the kernels, and after them.
fn arrays(r: &Replacement, names: &Names) -> (String, String) {
    let ir = r.interface;
    let (mut before, mut after) = (String::new(), String::new());
    for (i, (array, touched)) in ir.arrays.iter().zip(&ir.touched).enumerate() {
        let (name, field) = (names.get(&array.name), r.names.get(&array.name));
        let (elem, what) = (array.elem, &array.name);
        let bytes = bytes_of(array, names);
        if array.local {
            let _ = writeln!(
                before,
                "  args.{field} = ({elem} *)borrow({bytes}, \"{what}\");"
            );
            let _ = writeln!(after, "  give_back(args.{field}, \"{what}\");");
            continue;
        }
        let home = ir.home(i);
        if home != i {
            let home = r.names.get(&ir.arrays[home].name);
            let _ = writeln!(before, "  args.{field} = ({elem} *)args.{home};");
            continue;
        }
        if array.rows.is_some() {
            let n = rows::count(array, names);
            let written = array.written;
            let _ = writeln!(
                before,
                "  const Rows {name}_entered = enter_rows({name}_found, {n}, \"{what}\");\n  args.{field} = ({elem} **){name}_entered.table;"
            );
            let _ = writeln!(
                after,
                "  leave_rows({name}_found, {name}_entered, {written}, \"{what}\");\n  hexcc_free_rows(&{name}_found);"
            );
            continue;
        }
        let bytes = match condition(touched, names) {
            None => bytes,
            Some(touched) => format!("({touched}) ? {bytes} : 0"),
        };
        let bytes = match shared_bytes(ir, i, names) {
            None => format!("  const size_t {name}_bytes = {bytes};"),
            Some(lines) => lines.join("\n"),
        };
        let _ = writeln!(
            before,
            "{bytes}\n  args.{field} = ({elem} *)enter({name}, {name}_bytes, \"{what}\");"
        );
        let written = ir.is_memory_written(i);
        let _ = writeln!(
            after,
            "  leave({name}, args.{field}, {name}_bytes, {written}, \"{what}\");"
        );
    }
    (before, after)
}
