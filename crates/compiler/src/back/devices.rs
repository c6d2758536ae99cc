//! The choice of a C program between its own loops and kernels of OpenCL, by the estimates of [`super::gate`].

use super::existing::names;
use super::gate::{nanoseconds, product};
use super::names::Names;
use super::program::{Replacement, address, condition};
use super::share::points;
use crate::kernel::KernelArray;
use crate::options::Language;
use crate::print::host::pays as function_name;
use crate::print::opencl;
use std::fmt::Write;

/// The functions that run kernels, and by which a program decides whether they do.
pub(super) fn library(replacements: &[Replacement]) -> String {
    let gate = match replacements.iter().any(|r| r.gated) {
        true => opencl::GATE,
        false => "",
    };
    [opencl::HOST, gate].concat()
}

/// The function that says whether kernels of a replacement take less than its loops; empty where they always run.
pub(super) fn function(r: &Replacement) -> String {
    if !r.gated {
        return String::new();
    }
    let mut names = names(&["struct", "work"], Language::OpenCl);
    let sizes = r.interface.params.iter();
    let mut params: Vec<String> = sizes
        .map(|p| format!("long long {}", names.user(p)))
        .collect();
    let arrays = passed(r);
    params.extend(
        arrays
            .iter()
            .map(|a| format!("const void *{}", names.user(&a.name))),
    );
    let mut text = format!(
        "\n// Whether kernels take less than the loops: an estimate.\nstatic int {}({}) {{\n  struct hexcc_work work = {{0, 0, 0}};\n",
        function_name(r.interface),
        params.join(", ")
    );
    if let Some(nonempty) = condition(&r.interface.nonempty, &names) {
        let _ = writeln!(text, "  if (!({nonempty})) return hexcc_pays(work);");
    }
    for work in &r.interface.work {
        let _ = writeln!(
            text,
            "  hexcc_loops(&work, {}, {}, {});",
            nanoseconds(work, &names, points),
            product(1.0, &work.launches, &names, points),
            product(1.0, &work.threads, &names, points)
        );
    }
    for array in &arrays {
        let bytes = product(array.elem.size() as f64, &array.extents, &names, points);
        let name = names.get(&array.name);
        let _ = writeln!(text, "  hexcc_copied(&work, {name}, {bytes});");
    }
    text + "  return hexcc_pays(work);\n}\n"
}

/// The test whether kernels run, as the program asks it; none where they always do.
pub(super) fn pays(r: &Replacement, names: &Names) -> Option<String> {
    let sizes = r.interface.params.iter().map(|p| names.get(p));
    let arrays = passed(r).into_iter();
    let arrays = arrays.map(|a| format!("(const void *){}", address(&a, names)));
    let args: Vec<String> = sizes.chain(arrays).collect();
    (r.gated).then(|| format!("{}({})", function_name(r.interface), args.join(", ")))
}

fn passed(r: &Replacement) -> Vec<KernelArray> {
    let arrays = r.interface.handed_over().arrays.into_iter();
    arrays.filter(|a| !a.local).collect()
}
