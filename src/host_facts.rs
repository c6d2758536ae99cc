//! What libclang says of a program's host part, told to the compiler: what C++ wants otherwise, arrays that are a function's own, and
//! what the preprocessor has chosen.

use crate::input::{InputOptions, facts};
use crate::limit::TimeLimit;
use crate::render::Failure;
use hexcc_compiler::scop::{Branches, Conversion, OwnArray, SavedScop};
use hexcc_front_c::branches::may_have;
use hexcc_front_c::child::{self, FactsError, Question};
use hexcc_pet::data::Span;
use std::path::Path;

/// Adds it to a program that was read.
///
/// # Errors
/// HX0502, HX0401 and HX9002 of a libclang that does not answer: the text might be no C++.
pub fn add(
    options: &InputOptions,
    saved: &mut SavedScop,
    limit: &TimeLimit,
) -> Result<(), Failure> {
    let text = saved.source.own_text();
    let found = answered(options, text, limit, child::for_cplusplus).map_err(failure)?;
    let first = &saved.source.first().text;
    // A loop that was written again has no conditions of the preprocessor any more.
    let chosen = match first == text {
        true => found.branches,
        false if may_have(first) => {
            answered(options, first, limit, child::chosen).map_err(failure)?
        }
        false => Vec::new(),
    };
    let conversions = found.conversions.into_iter().map(|found| Conversion {
        place: found.place.map(Span::from),
        before: found.before,
        behind: found.behind,
        to: found.to,
        of: found.of,
    });
    let own = found.own.into_iter().map(|own| OwnArray {
        name: own.name,
        uses: Span::from(own.uses),
    });
    let branches = chosen.into_iter().map(|found| Branches {
        range: found.range,
        function: found.function,
        names: found.names,
        shared: found.shared,
        macros: found.macros,
        text: found.text,
    });
    saved.conversions = conversions.collect();
    saved.of_host = found.of_host.into_iter().collect();
    saved.own = own.collect();
    saved.undeclared = found.undeclared;
    saved.counts_enumerations = found.counts_enumerations;
    saved.overlaps = found.overlaps;
    saved.branches = branches.collect();
    Ok(())
}

fn failure(error: FactsError) -> Failure {
    Failure::plain(facts::explain(error))
}

/// What libclang says of a text.
pub fn answered<T>(
    options: &InputOptions,
    text: &str,
    limit: &TimeLimit,
    ask: impl FnOnce(&Path, &Question) -> Result<T, FactsError>,
) -> Result<T, FactsError> {
    let question = facts::question(options, text, limit);
    let exe = std::env::current_exe();
    ask(
        &exe.map_err(|e| FactsError::GaveUp(e.to_string()))?,
        &question,
    )
}
