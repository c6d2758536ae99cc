//! The user's program, still C, with calls of functions that run its loops in parallel.

use super::cells;
use super::devices;
use super::existing;
use super::fallback::Host;
use super::known::{self, Dialect};
use super::names::Names;
use super::pragmas;
use super::program::{
    Call, Instrument, Replacement, arguments, dump_calls, dump_function, end_of_code, gone,
    insertion, pragma_lines, region_contains, replace, statics_used_up, variables_used_up, voids,
    without_macros,
};
use super::rows::{self, Form};
use super::share;
use super::stays::{self, Stays};
use crate::csource::{self, Edit};
use crate::diag::{Diagnostic, Result};
use crate::options::Language;
use crate::print::host as c;
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
    (host, language): (Host, Language),
) -> Result<String> {
    let text = saved.source.own_text();
    let spans: Vec<Range<usize>> = replacements.iter().map(|r| r.span.clone()).collect();
    let gone = gone(replacements, &spans);
    let replaced = |e: &Edit| gone.iter().any(|span| region_contains(span, e));
    let pragmas = (regions.iter())
        .flat_map(|region| pragma_lines(text, region))
        .chain(pragmas::without(text, &gone));
    let names = Names::plain();
    let known = (text, &spans[..], &names);
    let mut edits = known::assertions(saved, known, replacements, Dialect::C);
    edits.extend(pragmas.filter(|e| !replaced(e)));
    let names = Names::plain();
    let interfaces = || replacements.iter().map(|r| r.interface);
    let mut generated = format!("{INCLUDES}{}", c::PRELUDE);
    let forms: &[Form] = match (language, host.instrument) {
        (Language::OpenCl, _) => {
            generated.push_str(&devices::library(replacements));
            &[Form::Dense]
        }
        (_, instrument) => {
            generated.push_str(&share::library(replacements));
            match instrument {
                Instrument::None => &[Form::Table],
                Instrument::Dump => &[Form::Table, Form::Dense],
            }
        }
    };
    generated.push_str(&rows::library(interfaces(), forms));
    let functions = statics_used_up(text, &gone);
    let mut used_up = voids(functions.clone());
    generated.push_str(&cells::prototypes(interfaces(), language));
    let stays = match language {
        Language::OpenCl => {
            let parts = replacements.iter().map(|r| (r.span.clone(), r.interface));
            let parts: Vec<_> = parts.collect();
            Stays::new(text, &saved.defines, (&parts, host.files))
        }
        _ => Stays::default(),
    };
    // Of what may be anywhere in memory, nobody knows whether these loops write it: they stay.
    let is_known = |r: &&Replacement| !r.interface.has_unsized_arrays();
    for r in replacements.iter().filter(is_known) {
        edits.extend(cells::definitions(r.interface, text, &r.span, language)?);
        generated.push('\n');
        generated.push_str(&existing::functions(
            r.interface,
            language,
            &c::exists(r.interface),
        ));
        generated.push_str(&r.kernel);
        generated.push_str(&match language {
            Language::OpenCl => devices::function(r),
            _ => share::function(r),
        });
        let names = names.with_members(r.interface);
        let call = call(r, &names);
        let unused = variables_used_up(r, text, (&r.span, &gone), (&names, ""));
        // That a function names itself is no use of it.
        let function = csource::enclosing_function(text, r.span.start);
        let used_up = match function.is_some_and(|f| functions.contains(&f.name)) {
            true => String::new(),
            false => std::mem::take(&mut used_up),
        };
        let call = Call {
            before: unused + &used_up,
            ..call
        };
        let mut made = replace(text, (r, &r.span), call, tests(r, &names, language));
        if let ([begins, _], true) = (made.as_mut_slice(), stays.holds(&r.span)) {
            begins.replacement.push_str(stays::HOME);
        }
        edits.extend(made);
    }
    edits.extend(stays.edits());
    if host.instrument == Instrument::Dump && !saved.is_nests() {
        generated.push_str(&dump_function(replacements.iter().map(|r| r.interface)));
        let calls = dump_calls(replacements, &names, |_| String::new());
        let ends = regions.first().map(|region| end_of_code(region, &spans));
        edits.extend(ends.map(|at| insertion(at, calls)));
    }
    let body = csource::apply_edits(text, edits).map_err(|e| Box::new(Diagnostic::bug(e)))?;
    let generated = without_macros(&saved.defines, generated);
    Ok(format!("{generated}\n{body}"))
}

/// The tests whether a part of the program runs in the function that takes its place.
fn tests(r: &Replacement, names: &Names, language: Language) -> Option<String> {
    let suits = (!r.interface.suits_all_sizes()).then(|| {
        let sizes: Vec<String> = r.interface.params.iter().map(|p| names.get(p)).collect();
        format!("{}({})", c::suits(r.interface), sizes.join(", "))
    });
    let exists = existing::exists(r.interface, &c::exists(r.interface), names);
    let pays = match language {
        Language::OpenCl => devices::pays(r, names),
        _ => share::pays(r, names),
    };
    let all = pays.into_iter().chain(suits).chain(exists);
    all.reduce(|a, b| format!("{a} && {b}"))
}

/// The call that takes the place of a part of the program, and what that leaves in variables.
fn call(r: &Replacement, names: &Names) -> Call {
    let ir = r.interface;
    let args = arguments(ir, names).join(", ");
    let mut after = String::new();
    for (i, value) in r.finals.iter().enumerate() {
        let [sets, value_of] = c::leavers(ir, i);
        let sizes: Vec<String> = (ir.params.iter())
            .filter(|p| value.params.contains(p))
            .map(|p| names.get(p))
            .collect();
        let (name, sizes) = (&value.name, sizes.join(", "));
        after.push_str(&format!(
            " if ({sets}({sizes})) {name} = {value_of}({sizes});"
        ));
    }
    Call {
        before: String::new(),
        run: format!("{}({args})", c::entry(ir)),
        after,
    }
}
