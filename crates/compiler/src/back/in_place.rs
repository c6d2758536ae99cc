//! The user's program, still C, with calls of functions that work on its arrays where they are.

use super::names::Names;
use super::program::{
    Instrument, Memory, Replacement, arguments, dump_calls, dump_function, end_of_code,
    functions_used_up, gone, insertion, pragma_lines, region_contains, replace, variables_used_up,
    voids, without_macros,
};
use super::rows::{self, Form};
use crate::csource::{self, Edit};
use crate::diag::{Diagnostic, Result};
use crate::print::openmp;
use crate::scop::SavedScop;
use std::ops::Range;

/// A program may ask for more of the headers than the default, and does so behind them.
const INCLUDES: &str = "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n";

/// The whole program as C; `regions` hold what is replaced.
///
/// # Errors
/// HX9001 if edits of the source collide.
pub fn c_program(
    saved: &SavedScop,
    regions: &[Range<usize>],
    replacements: &[Replacement],
    instrument: Instrument,
) -> Result<String> {
    let text = &saved.source.text;
    let spans: Vec<Range<usize>> = replacements.iter().map(|r| r.span.clone()).collect();
    let gone = gone(replacements, &spans);
    let replaced = |e: &Edit| gone.iter().any(|span| region_contains(span, e));
    let pragmas = (regions.iter())
        .flat_map(|region| pragma_lines(text, region))
        .chain(csource::without_loop_pragmas(text, &gone));
    let mut edits: Vec<Edit> = pragmas.filter(|e| !replaced(e)).collect();
    let names = Names::plain();
    let mut generated = format!("{INCLUDES}{}", openmp::PRELUDE);
    let interfaces = || replacements.iter().map(|r| r.interface);
    let forms: &[Form] = match instrument {
        Instrument::None => &[Form::Table],
        Instrument::Dump => &[Form::Table, Form::Dense],
    };
    generated.push_str(&rows::library(interfaces(), forms));
    let mut used_up = voids(functions_used_up(text, &gone));
    for r in replacements {
        generated.push('\n');
        generated.push_str(&r.kernel);
        let names = names.with_members(r.interface);
        let call = call(r, &names);
        let unused = variables_used_up(r, text, &r.span, &names);
        let call = unused + &std::mem::take(&mut used_up) + &call;
        let suits = (!r.interface.suits_all()).then(|| {
            let sizes: Vec<String> = r.interface.params.iter().map(|p| names.get(p)).collect();
            format!("{}({})", openmp::suits(r.interface), sizes.join(", "))
        });
        edits.extend(replace(&r.span, call, suits, Memory::Shared));
    }
    if instrument == Instrument::Dump && !saved.is_nests() {
        generated.push_str(&dump_function(replacements.iter().map(|r| r.interface)));
        let calls = dump_calls(replacements, &names, |_| String::new());
        let ends = regions.first().map(|region| end_of_code(region, &spans));
        edits.extend(ends.map(|at| insertion(at, calls)));
    }
    let body = csource::apply_edits(text, edits).map_err(|e| Box::new(Diagnostic::bug(e)))?;
    let generated = without_macros(&saved.defines, generated);
    Ok(format!("{generated}\n{body}"))
}

/// The call that takes the place of a part of the program, and what that leaves in variables.
fn call(r: &Replacement, names: &Names) -> String {
    let ir = r.interface;
    let args = arguments(ir, names).join(", ");
    let mut text = format!("{}({args});", openmp::entry(ir));
    for (i, value) in r.finals.iter().enumerate() {
        let [sets, value_of] = openmp::leavers(ir, i);
        let sizes: Vec<String> = (ir.params.iter())
            .filter(|p| value.params.contains(p))
            .map(|p| names.get(p))
            .collect();
        let (name, sizes) = (&value.name, sizes.join(", "));
        text.push_str(&format!(
            " if ({sets}({sizes})) {name} = {value_of}({sizes});"
        ));
    }
    text
}
