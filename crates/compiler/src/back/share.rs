//! The choice of a C program between its own loops and those that threads share, by the estimates of
//! [`super::gate`]: to begin a loop in all threads and to wait for them takes longer than a small loop.

use super::existing::names;
use super::gate::{nanoseconds, product};
use super::names::Names;
use super::program::{Replacement, condition};
use crate::cost::outermost;
use crate::options::Language;
use crate::print::host::shares;
use std::fmt::Write;

/// The functions by which threads work together, and by which a program decides whether they do.
pub(super) fn library(replacements: &[Replacement]) -> String {
    let gate = match replacements.iter().any(|r| r.gated) {
        true => include_str!("../print/lib/openmp/gate.h"),
        false => "",
    };
    [include_str!("../print/lib/openmp/threads.h"), gate].concat()
}

/// The function that says whether threads share the loops of a replacement; empty where they always do.
pub(super) fn function(r: &Replacement) -> String {
    if !r.gated {
        return String::new();
    }
    let mut names = names(&["struct", "work"], Language::OpenMp);
    let sizes = r.interface.params.iter();
    let params: Vec<String> = sizes
        .map(|p| format!("long long {}", names.user(p)))
        .collect();
    let params = match params.is_empty() {
        true => "void".to_string(),
        false => params.join(", "),
    };
    let mut text = format!(
        "\n// Whether threads share the loops: an estimate.\nstatic int {}({params}) {{\n",
        shares(r.interface)
    );
    if let Some(nonempty) = condition(&r.interface.nonempty, &names) {
        let _ = writeln!(text, "  if (!({nonempty})) return 0;");
    }
    text.push_str("  struct hexcc_work work = {0, 0};\n");
    for work in &r.interface.work {
        let _ = writeln!(
            text,
            "  hexcc_loops(&work, {}, {}, {});",
            nanoseconds(work, &names, points),
            product(1.0, &work.launches, &names, points),
            product(1.0, outermost(&work.threads), &names, points)
        );
    }
    text + "  return hexcc_pays(work);\n}\n"
}

/// The test whether threads share the loops, as the program asks it; none where they always do.
pub(super) fn pays(r: &Replacement, names: &Names) -> Option<String> {
    let sizes: Vec<String> = r.interface.params.iter().map(|p| names.get(p)).collect();
    (r.gated).then(|| format!("{}({})", shares(r.interface), sizes.join(", ")))
}

pub(super) fn points(extents: &[String]) -> String {
    let each = extents.iter().map(|n| format!("hexcc_points({n})"));
    each.collect::<Vec<_>>().join(" * ")
}
