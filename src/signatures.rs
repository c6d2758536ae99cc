//! The functions of a C file, for callers in other languages.

use crate::input::{InputOptions, facts, included};
use crate::limit::TimeLimit;
use crate::render::Failure;
use hexcc_compiler::diag::Diagnostic;
use hexcc_front_c::child::{self, FactsError};
use hexcc_front_c::signature::Signatures;
use std::env;
use std::ops::Range;

/// The functions that a C file defines; files that it includes for their functions are parts of it.
///
/// # Errors
///
/// Where it cannot be read, or clang finds errors.
pub fn signatures(options: &InputOptions, limit: &TimeLimit) -> Result<Signatures, Failure> {
    let source = included::read(&options.file, options)?;
    let question = facts::question(options, source.own_text(), limit);
    let exe = env::current_exe().map_err(|e| FactsError::GaveUp(e.to_string()));
    let found = exe.and_then(|exe| child::signatures(&exe, &question));
    let found = found.map_err(|error| Failure::plain(facts::explain(error)))?;
    if found.errors.is_empty() {
        return Ok(found);
    }
    let refusal = |(text, place): &(String, Option<Range<usize>>)| {
        let d = Diagnostic::error("HX0101", text.clone());
        match place {
            Some(place) => d.at(place.clone(), "here"),
            None => d,
        }
    };
    Err(Failure {
        diagnostics: found.errors.iter().map(refusal).collect(),
        source: Some(Box::new(source)),
    })
}
