//! Single steps in words: what `hexcc explain` says of them.

use crate::back::ast_to_c;
use crate::back::names::Names;
use crate::compiled::Stepwise;
use crate::csource;
use crate::ir::{Kernel, KernelId};
use crate::scop::SourceFile;
use std::fmt::Write;

/// Lists the launches of a part of the region, in their order.
pub(super) fn explain(source: &SourceFile, part: &Stepwise) -> String {
    let place = source.place(part.span.start);
    let (line, column) = csource::line_col(place.text, place.offset);
    let what = match &part.tiles {
        None => "one launch per step".to_string(),
        Some(tiles) => format!("hybrid tiles for a CPU, {},", tiles.sizes()),
    };
    let mut text = format!("\n{what} at {}:{line}:{column}", place.path);
    if let Some(function) = csource::enclosing_function(&source.text, part.span.start) {
        let _ = write!(text, ", in {}()", function.name);
    }
    text.push('\n');
    if !part.private.is_empty() {
        let private = part.private.join(", ");
        let _ = writeln!(text, "  every thread has its own {private}");
    }
    for array in part.interface.arrays.iter().filter(|a| a.doubtful) {
        let name = &array.name;
        let _ = writeln!(
            text,
            "  where {name} is memory that kernels share; C's own loops where it is not"
        );
    }
    if !part.interface.suits_all_sizes() {
        let names = Names::plain().with_members(&part.interface);
        let expected = ast_to_c(&part.interface.expected, &names);
        let _ = writeln!(text, "  for {expected}; C's own loops for other sizes");
    }
    let of_step = |(statements, kernels)| -> Vec<(&Vec<String>, &Kernel)> {
        let kernels: &Vec<KernelId> = kernels;
        let kernel = |id: &KernelId| part.program.kernels.get(id.0 as usize);
        let kernels = kernels.iter().filter_map(kernel);
        kernels.map(|kernel| (statements, kernel)).collect()
    };
    let steps = (part.plan.steps.iter().zip(&part.statements)).zip(&part.kernels);
    let steps = steps.map(|((step, statements), kernels)| (step, (statements, kernels)));
    for (step, (statements, kernel)) in
        steps.flat_map(|(step, both)| of_step(both).into_iter().map(move |k| (step, k)))
    {
        let threads = kernel.shared_by("thread", &part.program);
        let _ = write!(text, "  {}: {}: {threads}", kernel.name, kernel.lines);
        let loops = kernel
            .params
            .iter()
            .map(|p| part.program.var(*p).name.as_str());
        let loops: Vec<&str> = loops.collect();
        if !loops.is_empty() {
            let _ = write!(text, "; a launch in each iteration of {}", loops.join(", "));
        }
        if let Some(hyperplanes) = &step.hyperplanes {
            let _ = write!(text, ", where front = {}", hyperplanes.text);
        }
        let _ = writeln!(text, "  [{}]", statements.join(", "));
    }
    text
}
