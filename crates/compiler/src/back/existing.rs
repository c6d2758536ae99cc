//! Arrays among some of which elements may not exist: what conditions on data keep kernels from
//! touching is no part of the program's memory, perhaps.
//!
//! Where an array is in memory that kernels share, nothing of it is copied, and only what C touches is
//! touched. Nor do arrays share memory where they lie apart as far as they may reach. Whether it is so
//! tells the run, before the kernels; C's own loops run where it is not.

use super::expr::ast_operand;
use super::names::Names;
use super::program::{argument, bytes_of, condition};
use super::rows::{call, finder, found, sizes};
use crate::interface::{Interface, may_share_memory};
use crate::kernel::KernelArray;
use crate::options::Language;

use crate::rows::Rows;
use std::fmt::Write;

/// Whether the program asks where memory is.
pub(super) fn is_asked(interface: &Interface) -> bool {
    interface.arrays.iter().any(|a| a.doubtful)
}

/// The call of the function that tells where memory is, `function`, with the names of the program;
/// `None` where nothing asks it.
pub(super) fn exists(interface: &Interface, function: &str, names: &Names) -> Option<String> {
    let sizes = interface.params.iter().map(|p| names.get(p));
    let arrays = passed(interface).map(|array| argument(array, names));
    let args: Vec<String> = sizes.chain(arrays).collect();
    is_asked(interface).then(|| format!("{function}({})", args.join(", ")))
}

fn passed(interface: &Interface) -> impl Iterator<Item = &KernelArray> {
    interface.arrays.iter().filter(|a| !a.local)
}

fn doubtful(interface: &Interface) -> impl Iterator<Item = (usize, &KernelArray)> {
    let arrays = interface.arrays.iter().enumerate();
    arrays.filter(|(_, array)| array.doubtful)
}

/// The functions that tell where memory is, the last of them with a given name; empty where nothing
/// asks them.
pub(super) fn functions(interface: &Interface, language: Language, function: &str) -> String {
    if !is_asked(interface) {
        return String::new();
    }
    let in_rows =
        doubtful(interface).filter_map(|(i, array)| Some((i, array, array.rows.as_ref()?)));
    let tests = in_rows.map(|(i, array, rows)| of_rows(interface, (i, array, rows)));
    tests.collect::<String>() + &of_all(interface, language, function)
}

/// Names where helpers have theirs.
pub(super) fn names(fixed: &[&str], language: Language) -> Names {
    let helpers = match language {
        Language::Cuda => "",
        Language::OpenMp | Language::OpenCl => "hexcc_",
    };
    let mut names = Names::new(fixed).with_helpers(helpers);
    for helper in ["floor_div", "lowest", "highest", "mod"] {
        let name = names.helper(helper);
        names.fresh(&name);
    }
    names
}

/// The function that tells it of all arrays.
fn of_all(interface: &Interface, language: Language, function: &str) -> String {
    let mut names = names(&["struct"], language);
    let sizes = interface.params.iter();
    let sizes = sizes.map(|p| format!("long long {}", names.user(p)));
    let mut params: Vec<String> = sizes.collect();
    let arrays = passed(interface);
    params.extend(arrays.map(|a| format!("const void *{}", names.user(&a.name))));
    let mut tests = Vec::new();
    for (i, array) in doubtful(interface).filter(|_| language == Language::Cuda) {
        let name = names.get(&array.name);
        tests.push(match array.rows {
            None => format!("hexcc_memory::is_shared({name}, 1)"),
            Some(_) => call(interface, i, &tester(interface, i), (&name, &names)),
        });
    }
    for (i, a) in interface.arrays.iter().enumerate() {
        for b in interface.arrays.iter().skip(i + 1) {
            if (a.doubtful || b.doubtful) && may_share_memory(a, b) {
                let ends = |x: &KernelArray, y: &KernelArray| {
                    let [x_name, y_name] = [x, y].map(|array| names.get(&array.name));
                    format!(
                        "(const char *){x_name} + {} <= (const char *){y_name}",
                        bytes_of(x, &names)
                    )
                };
                tests.push(format!("({} || {})", ends(a, b), ends(b, a)));
            }
        }
    }
    let (truth, why) = match language {
        Language::Cuda => ("bool", "the kernels can use the arrays where they are"),
        Language::OpenMp | Language::OpenCl => {
            ("int", "arrays share no memory as far as they may reach")
        }
    };
    format!(
        "// Whether {why}. What conditions keep from being\n// touched may not exist; the program runs its own loops otherwise.\nstatic {truth} {function}({}) {{\n  return {};\n}}\n\n",
        params.join(", "),
        tests.join("\n      && ")
    )
}

/// The function that tells whether the rows of an array are shared memory.
fn tester(interface: &Interface, index: usize) -> String {
    format!("{}_shared", finder(interface, index))
}

fn of_rows(interface: &Interface, (index, array, rows): (usize, &KernelArray, &Rows)) -> String {
    let fixed = ["rows", "table", "first", "last", "shared", "struct"];
    let mut names = names(&fixed, Language::Cuda);
    let params: Vec<String> = (sizes(interface, index).iter())
        .map(|size| format!(", long long {}", names.user(size)))
        .collect();

    let mut text = format!(
        "// Whether the pointers to rows of {} and what they lead to is memory that kernels share.\nstatic bool {}(const void *table{}) {{\n",
        array.name,
        tester(interface, index),
        params.concat()
    );
    if let Some(any) = condition(&rows.any, &names) {
        let _ = writeln!(text, "  if (!({any})) return true;");
    }
    if let [[first, last], ..] = rows.ranges.as_slice() {
        let _ = writeln!(
            text,
            "  void *const *const first = (void *const *)table + {}, *const *const last = (void *const *)table + {};\n  if (last < first) return true;\n  if (!hexcc_memory::is_shared(first, (last - first + 1) * sizeof *first) || !hexcc_memory::is_shared(last, sizeof *last)) return false;",
            ast_operand(first, &names),
            ast_operand(last, &names)
        );
    }
    let call = found(interface, index, "table", &names);
    let _ = writeln!(
        text,
        "  hexcc_rows rows = {call};\n  bool shared = true;\n  for (size_t i = 0; shared && i < rows.n; ++i) {{\n    const hexcc_row &row = rows.all[i];\n    shared = hexcc_memory::is_shared(row.begin + row.first, row.end - row.first);\n  }}\n  hexcc_free_rows(&rows);\n  return shared;\n}}\n"
    );
    text
}
