//! Loops that stay in the text beside their kernels: the program decides which of both run.
//!
//! Kernels cost launches, waits, copies and the start of CUDA; small loops are faster in C. The program
//! knows its sizes and counts how often it comes to the loops, and `print/lib/cuda/gate.cuh` goes by that.
//! Nothing else differs between the two ways, so that a program may change over at any time.

use super::expr::ast_to_c;
use super::fallback::Placement;
use super::names::Names;
use super::program::{Replacement, address, condition, host_names};
use super::results;
use crate::cost::Work;
use crate::interface::Interface;
use crate::kernel::KernelArray;
use hexcc_isl::AstExpr;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Bytes of arrays at file scope, in all, that are not worth the start of CUDA before the loops are.
const SMALL: i64 = 1 << 20;

/// Whether the loops stay and the program decides. All of them have to: they share memory, and without a
/// device none may run there.
pub(crate) fn is_possible(placement: Placement, replacements: &[Replacement]) -> bool {
    placement == Placement::Auto && replacements.iter().all(|r| !r.interface.work.is_empty())
}

/// What the library has to know of the program.
#[derive(Clone, Copy)]
pub(super) struct Library {
    /// Loops share memory with each other.
    pub together: bool,
    /// Arrays at file scope are managed by CUDA, which begins with the program then.
    pub managed: bool,
    /// Blocks of memory stay with the host until one is large: kernels can do without.
    pub waits: bool,
}

impl Library {
    /// The functions by which a program decides, once in it.
    pub(super) fn text(self) -> String {
        format!(
            "namespace hexcc_gate {{\nconstexpr bool TOGETHER = {}; // loops share memory with each other\nconstexpr bool BEGINS_WITH_CUDA = {}; // arrays at file scope are managed by it\nconstexpr bool WAITS_FOR_LARGE = {}; // kernels can copy what is no shared memory\n}} // namespace hexcc_gate\n\n{}",
            self.together,
            self.managed,
            self.waits,
            include_str!("../print/lib/cuda/gate.cuh")
        )
    }
}

/// What such a program calls besides where the host goes through memory that it shares.
pub(super) const TRAVELS: &str = include_str!("../print/lib/cuda/gate_travels.cuh");

/// The functions of a program that decides, and shares no memory with kernels.
pub(super) fn alone(replacements: &[Replacement]) -> String {
    let library = Library {
        together: false,
        managed: false,
        waits: false,
    };
    match replacements.iter().any(|r| r.gated) {
        true => format!("#include <string.h>\n\n{}", library.text()),
        false => String::new(),
    }
}

/// Whether `n` arrays at file scope are all used by the loops, and small.
pub(super) fn are_small(n: usize, replacements: &[Replacement]) -> bool {
    let mut bytes: BTreeMap<String, i64> = BTreeMap::new();
    for array in replacements
        .iter()
        .flat_map(|r| r.interface.handed_over().arrays)
    {
        if array.local || array.pointer || array.variable || array.rows.is_some() {
            continue;
        }
        let elements = array.extents.iter().map(|e| match e {
            AstExpr::Int(n) => *n,
            _ => SMALL,
        });
        let own = elements.fold(array.elem.size() as i64, i64::saturating_mul);
        let known = bytes.entry(array.memory.clone()).or_default();
        *known = own.max(*known);
    }
    let all = bytes
        .values()
        .fold(0, |sum: i64, own| sum.saturating_add(*own));
    n <= bytes.len() && all < SMALL
}

/// The functions by which a program decides where the loops of a replacement run: whether it asks, and whether that pays.
/// The second one is out of the way of small loops, which compilers put into what calls them.
pub(super) fn functions(r: &Replacement, (asks, pays): (Option<&str>, &str)) -> String {
    if !r.gated {
        return String::new();
    }
    let names = host_names(r.interface);
    let arrays = passed(r);
    let params = r.interface.params.iter();
    let sizes: Vec<String> = params
        .map(|p| format!("long long {}", names.get(p)))
        .collect();
    let pointers = arrays.iter().map(|array| names.get(&array.name));
    let pointers = pointers.filter(|_| r.memory.is_shared());
    let pointers = pointers.map(|p| format!("const void *{p}"));
    let all: Vec<String> = sizes.iter().cloned().chain(pointers).collect();
    let on_host = |work| nanoseconds(work, &names, of_cuda);
    let on_host: Vec<String> = r.interface.work.iter().map(on_host).collect();
    let mut text = asks.map_or_else(String::new, |asks| {
        let (sizes, ns) = (sizes.join(", "), on_host.join(" + "));
        format!(
            "// Whether it is worth asking where the loops run: by what the host takes for them, an estimate.\nstatic bool {asks}({sizes}) {{\n  return hexcc_gate::asks({ns});\n}}\n\n"
        )
    });
    let _ = writeln!(
        text,
        "// Whether kernels are expected to take less.\n[[gnu::noinline, gnu::cold]] static bool {pays}({}) {{",
        all.join(", ")
    );
    let decides = match r.travels {
        Some(_) => "pays_though_shared",
        None => "pays",
    };
    if let Some(nonempty) = condition(&r.interface.nonempty, &names) {
        let _ = writeln!(
            text,
            "  if (!({nonempty})) return hexcc_gate::{decides}(hexcc_gate::Work());"
        );
    }
    let _ = write!(text, "  return hexcc_gate::{decides}(hexcc_gate::Work()");
    for (work, ns) in r.interface.work.iter().zip(&on_host) {
        let _ = write!(
            text,
            "\n      .loops({ns}, {}, {})",
            product(1.0, &work.launches, &names, of_cuda),
            product(1.0, &work.threads, &names, of_cuda)
        );
    }
    let is_result = |name: &str| {
        let index = r.interface.arrays.iter().position(|a| a.name == *name);
        index.is_some_and(|i| results::of(r, i).is_some())
    };
    for array in &arrays {
        let bytes = product(array.elem.size() as f64, &array.extents, &names, of_cuda);
        let moved = match r.memory.is_shared() {
            true if r.travels.iter().flatten().any(|name| *name == array.name) => {
                format!("copied(hexcc_gate::fetched({bytes}))")
            }
            true => format!(
                "copied(hexcc_gate::unshared({}, {bytes}))",
                names.get(&array.name)
            ),
            false if is_result(&array.name) => format!("copied({bytes} / 2)"),
            false => format!("copied({bytes})"),
        };
        let _ = write!(text, "\n      .{moved}");
    }
    text + ");\n}\n\n"
}

/// The test whether the program asks; none where kernels always run.
pub(super) fn asks(r: &Replacement, function: &str, names: &Names) -> Option<String> {
    let sizes = r.interface.params.iter().map(|p| names.get(p));
    let sizes: Vec<String> = sizes.collect();
    r.gated
        .then(|| format!("{}::{function}({})", r.interface.name, sizes.join(", ")))
}

/// The test whether kernels run, as the program asks it; none where they always do.
pub(super) fn pays(r: &Replacement, function: &str, names: &Names) -> Option<String> {
    let sizes = r.interface.params.iter().map(|p| names.get(p));
    let arrays = passed(r).into_iter();
    let arrays = arrays.map(|array| address(&array, names));
    let arrays = arrays.filter(|_| r.memory.is_shared());
    let args: Vec<String> = sizes.chain(arrays).collect();
    r.gated
        .then(|| format!("{}::{function}({})", r.interface.name, args.join(", ")))
}

/// The arrays that may have to be copied. Rows lie in blocks that are shared.
fn passed(r: &Replacement) -> Vec<KernelArray> {
    let ir: Interface = r.interface.handed_over();
    let arrays = ir.arrays.into_iter();
    let arrays = arrays.filter(|a| !a.local && (a.rows.is_none() || !r.memory.is_shared()));
    arrays.collect()
}

/// What the host takes for some loops, as a term: statements of one shape together.
pub(super) fn nanoseconds(work: &Work, names: &Names, points: Points) -> String {
    let mut shapes: Vec<(&[AstExpr], f64)> = Vec::new();
    for part in &work.parts {
        match shapes
            .iter_mut()
            .find(|(extents, _)| *extents == part.extents)
        {
            Some((_, ns)) => *ns += part.ns,
            None => shapes.push((&part.extents, part.ns)),
        }
    }
    let terms = shapes
        .iter()
        .map(|(extents, ns)| product(*ns, extents, names, points));
    terms.collect::<Vec<_>>().join(" + ")
}

/// How a program spells the number of points in a box, of which the extents are given.
pub(super) type Points = fn(&[String]) -> String;

fn of_cuda(extents: &[String]) -> String {
    format!("hexcc_gate::points({})", extents.join(", "))
}

/// A number times some numbers of iterations.
pub(super) fn product(factor: f64, extents: &[AstExpr], names: &Names, points: Points) -> String {
    let mut factor = factor;
    let mut sizes = Vec::new();
    for extent in extents {
        match extent {
            AstExpr::Int(n) => factor *= (*n).max(0) as f64,
            _ => sizes.push(ast_to_c(extent, names)),
        }
    }
    // As few digits as tell what it is.
    let factor = (factor * 100.0).round() / 100.0;
    match sizes.is_empty() {
        true => factor.to_string(),
        false if factor == 1.0 => points(&sizes),
        false => format!("{factor} * {}", points(&sizes)),
    }
}
