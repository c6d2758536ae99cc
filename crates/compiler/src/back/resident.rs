//! Nests in a loop that stays on the host: kernels work on the arrays where the program has them.
//!
//! What happens between kernels is C as before - calls, prints, pointers that are swapped, loops
//! that end when the results say so. Therefore nothing is assumed of it: memory that the program
//! allocates is managed by CUDA, so that both sides see it at the same addresses, and every kernel
//! has ended before the host goes on. Memory of other origin is copied for each kernel.

use super::ahead;
use super::fallback::{self, Files, Host, Otherwise};
use super::gate;
use super::known_rows;
use super::managed;
use super::names::Names;
use super::program::{
    Entry, Replacement, bytes_of, condition, head, host_names, overlap_checks, shared_bytes,
};
use crate::csource::{self, Edit};
use crate::scop::SavedScop;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Bytes of blocks that are shared; less where the program has to know what its blocks are.
const LARGE: [usize; 2] = [65536, 256];

/// Where the program's blocks of memory are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Allocation {
    /// Managed by CUDA, which begins with them.
    Managed,
    /// Small ones are the host's until kernels pay.
    Gated,
    /// The first ones are the host's, and kernels use them by their addresses later.
    Early,
    /// The host's: kernels have copies.
    OfHost,
}

/// The functions that share memory, once in a program; `unsized_arrays` where it has to find out
/// how large arrays are.
pub(super) fn memory(otherwise: Otherwise, unsized_arrays: bool, blocks: Allocation) -> String {
    let check = match otherwise {
        Otherwise::Ends => include_str!("../print/lib/cuda/check.cuh"),
        Otherwise::RunsLoops => include_str!("../print/lib/cuda/check_kept.cuh"),
    };
    let large = LARGE[usize::from(unsized_arrays)];
    let large = match blocks {
        Allocation::OfHost => String::new(),
        _ => format!(
            "constexpr size_t LARGE = {large}; // bytes; smaller blocks are left to malloc\n\n"
        ),
    };
    let elements = match unsized_arrays {
        true => include_str!("../print/lib/cuda/elements.cuh"),
        false => "",
    };
    let release = include_str!("../print/lib/cuda/release.cuh");
    let allocate: &[&str] = match blocks {
        Allocation::Managed => &[include_str!("../print/lib/cuda/allocate.cuh"), release],
        Allocation::Gated => &[
            include_str!("../print/lib/cuda/allocate_gated.cuh"),
            release,
        ],
        Allocation::Early => &[
            include_str!("../print/lib/cuda/early.cuh"),
            include_str!("../print/lib/cuda/allocate_early.cuh"),
            include_str!("../print/lib/cuda/release_early.cuh"),
        ],
        Allocation::OfHost => &[],
    };
    let gate = match blocks {
        Allocation::Managed => "",
        _ => include_str!("../print/lib/cuda/gate_memory.cuh"),
    };
    [
        include_str!("../print/lib/cuda/blocks.cuh"),
        &large,
        check,
        include_str!("../print/lib/cuda/memory.cuh"),
        &allocate.concat(),
        include_str!("../print/lib/cuda/borrow.cuh"),
        elements,
        gate,
    ]
    .concat()
}

/// The functions that share small blocks, once in a program where kernels may use some.
pub(super) fn small_blocks(gated: bool) -> String {
    let begin = match gated {
        true => include_str!("../print/lib/cuda/row_gated.cuh"),
        false => include_str!("../print/lib/cuda/row.cuh"),
    };
    [
        include_str!("../print/lib/cuda/small_blocks.cuh"),
        begin,
        include_str!("../print/lib/cuda/parts.cuh"),
    ]
    .concat()
}

/// The functions that let kernels use rows, once in a program that has some.
pub(super) const ROWS: &str = include_str!("../print/lib/cuda/rows.cuh");

/// The program's functions for memory, and what takes their place.
const ALLOCATION: [(&str, &str); 4] = [
    ("malloc", "hexcc_memory::allocate"),
    ("calloc", "hexcc_memory::allocate_zeros"),
    ("realloc", "hexcc_memory::reallocate"),
    ("free", "hexcc_memory::release"),
];

/// The same where small blocks are shared, too, as rows are.
const ALLOCATION_OF_ROWS: [(&str, &str); 4] = [
    ("malloc", "hexcc_memory::allocate_row"),
    ("calloc", "hexcc_memory::allocate_rows_of_zeros"),
    ("realloc", "hexcc_memory::reallocate_row"),
    ("free", "hexcc_memory::release_row"),
];

/// Blocks of memory that kernels use where the program has them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Blocks {
    /// Those that are large.
    Large,
    /// Also those of rows. Pointers to rows stay memory of the host: kernels have their own, and the
    /// host looks at them between kernels, next to nothing that kernels use.
    Rows,
    /// All: the program asks whether pointers are in them.
    All,
}

/// Lets kernels use memory of the program where it is. What other files in C allocate or free is their
/// own, as is what they may name, and without a device there are no arrays that CUDA manages.
pub(super) fn shared(
    (text, saved): (&str, &SavedScop),
    blocks: Blocks,
    (replacements, host): (&[Replacement], Host),
) -> Shared {
    let mut shared = Shared::default();
    if host.files == Files::One {
        shared.allocated = allocations(text, blocks);
    }
    if host.otherwise == Otherwise::Ends {
        shared.managed = managed::arrays((text, saved), host.files, replacements);
    }
    // CUDA begins with the first look at one that it manages.
    let gated = replacements.iter().any(|r| r.gated);
    if gated && gate::are_small(shared.managed.len(), replacements) {
        shared.managed.clear();
    }
    shared
}

/// Edits by which a program shares memory.
#[derive(Default)]
pub(super) struct Shared {
    /// Blocks that it allocates.
    pub allocated: Vec<Edit>,
    /// Arrays at file scope.
    pub managed: Vec<Edit>,
}

impl Shared {
    /// Both.
    pub(super) fn all(self) -> impl Iterator<Item = Edit> {
        self.allocated.into_iter().chain(self.managed)
    }
}

/// Lets the program allocate memory that kernels can use.
fn allocations(text: &str, blocks: Blocks) -> Vec<Edit> {
    let functions = match blocks {
        Blocks::Large => ALLOCATION,
        Blocks::Rows | Blocks::All => ALLOCATION_OF_ROWS,
    };
    let of_host = match blocks {
        Blocks::Rows => csource::allocations_of_pointers(text),
        Blocks::Large | Blocks::All => Vec::new(),
    };
    let names: BTreeMap<String, String> = (functions.iter())
        .map(|(name, own)| (name.to_string(), own.to_string()))
        .collect();
    let mut edits = csource::rename(text, &names);
    edits.retain(|edit| !of_host.contains(&edit.range.start));
    edits
}

/// What is done about the arrays of a nest before the kernels, behind them, and when they have ended.
pub(super) type Arrays = fn(&Replacement, &Names) -> [String; 3];

/// The function that runs the kernels of a nest; what it does before these is given.
pub(super) fn host_function(
    r: &Replacement,
    entry: &Entry,
    (arrays, first): (Arrays, &str),
) -> String {
    let ir = r.interface;
    let names = host_names(ir);
    let mut t = "// Runs the nest on arrays of the program.\n".to_string();
    for line in head(r, &names, entry) {
        let _ = writeln!(t, "{line}");
    }
    t.push_str("  using namespace hexcc_memory;\n");
    let tests = (known_rows::declared(r, &names).into_iter())
        .chain(fallback::attempt(r, &names))
        .chain(overlap_checks(ir, &names))
        .chain(known_rows::found(r, &names));
    for line in tests {
        let _ = writeln!(t, "{line}");
    }
    t.push_str("  Args args{};\n");
    for name in ir.values() {
        let _ = writeln!(t, "  args.{} = {};", r.names.get(name), names.get(name));
    }
    let [entered, taken_back, left] = arrays(r, &names);
    let committed = fallback::committed(r.memory);
    let attempted = fallback::attempted(r, &names);
    t + &entered
        + first
        + committed
        + "\n  check(launch(args, 0), \"launching the kernels\");\n"
        + &ahead::unsure(r, &names)
        + &taken_back
        + "  check(cudaDeviceSynchronize(), \"running the kernels\");\n"
        + &left
        + if r.unsure.is_empty() {
            ""
        } else {
            "  if (found) return false;\n"
        }
        + &(attempted.iter())
            .map(|line| format!("{line}\n"))
            .collect::<String>()
        + if r.returns() && attempted.is_empty() {
            "  return true;\n"
        } else {
            ""
        }
        + "}\n"
}

/// What is done about arrays that kernels use where they are.
pub(super) fn arrays(r: &Replacement, names: &Names) -> [String; 3] {
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
            let [enters, leaves] = known_rows::entered(r, (i, array), &field);
            before.push_str(&enters);
            after.push_str(&leaves);
            continue;
        }
        if ir.is_memory_doubtful(i) {
            let _ = writeln!(before, "  args.{field} = ({elem} *){name};");
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
    after.push_str(known_rows::kept(r).unwrap_or_default());
    [before, String::new(), after]
}
