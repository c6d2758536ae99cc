//! Nests of a loop that stays on the host, with the assignments beside them: one part of the program, so that no
//! memory travels between kernels and the host for the sake of some elements.

use super::facts::question;
use super::{InputOptions, Nests, Reader, Refused, rewritten};
use crate::limit::TimeLimit;
use hexcc_compiler::csource;
use hexcc_compiler::front::c::{self as front, Region};
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::scop::beside::BesideNest;
use hexcc_front_c::child::{self, Question};
use hexcc_pet::data::PetScop;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

/// Runs of statements that are tried, at most.
const MAX_RUNS: usize = 20;

impl Reader<'_> {
    /// Nests of the file, in the order of the text, where some are one part with statements beside them.
    pub(super) fn joined(&self, mut found: Vec<PetScop>) -> Vec<PetScop> {
        if found.is_empty() {
            return found;
        }
        let parts = found.iter().map(|scop| scop.span.start..scop.span.end);
        let question = question(self.options, &self.source.text, self.limit);
        // Without an answer, the nests stay alone.
        let runs = child::neighbours(&self.exe, (&question, parts.collect())).unwrap_or_default();
        tracing::debug!(?runs, "statements beside nests");
        for run in runs.iter().take(MAX_RUNS) {
            // What pet has read begins before the statement.
            let has = |s: &Range<usize>, scop: &PetScop| {
                s.start < scop.span.end && scop.span.start < s.end
            };
            let (inside, outside): (Vec<PetScop>, Vec<PetScop>) =
                (found.iter().cloned()).partition(|scop| run.iter().any(|s| has(s, scop)));
            if inside.iter().any(|scop| self.is_tiled_nest(scop)) {
                continue;
            }
            let is_nest = |s: &Range<usize>| inside.iter().any(|scop| has(s, scop));
            let first = run.iter().position(is_nest);
            let Some((first, last)) = first.zip(run.iter().rposition(is_nest)) else {
                continue;
            };
            let all = [&run[..], &run[first..=last]];
            let one = all
                .into_iter()
                .filter(|run| run.len() > 1)
                .find_map(|run| self.one_part(run));
            if let Some(one) = one {
                found = outside;
                found.push(one);
            }
        }
        found.sort_by_key(|scop| scop.span.start);
        found
    }

    /// The nests of a function, one after the other, as one region: each hands its results on to the next.
    pub(super) fn sequence(&self, refused: &[Refused], taken: &Region) -> Option<PetScop> {
        let is_nest = |r: &Refused| r.scop.is_some() && r.why.iter().all(|d| d.code == "HX0201");
        let mut own = (refused.iter()).filter(|r| r.region.function == taken.function);
        let spans = own.clone().map(|r| &r.region.span);
        let mut all = taken.clone();
        all.span = spans.clone().map(|s| s.start).min()?..spans.map(|s| s.end).max()?;
        let more = (all != *taken && own.all(is_nest)).then_some(all)?;
        let scop = self.region(&more).ok()?;
        self.in_single_steps(&scop).is_ok().then_some(scop)
    }

    /// The first nests of a function that are a [sequence](Self::sequence), whatever there is in other functions.
    pub(super) fn stages(&self, refused: &[Refused]) -> Option<PetScop> {
        let is_first = |(at, r): &(usize, &Refused)| {
            !(refused[..*at].iter()).any(|before| before.region.function == r.region.function)
        };
        let mut firsts = refused.iter().enumerate().filter(is_first);
        firsts.find_map(|(_, r)| self.sequence(refused, r.region))
    }

    /// Statements as one part, if that runs in kernels.
    fn one_part(&self, run: &[Range<usize>]) -> Option<PetScop> {
        let span = run.first()?.start..run.last()?.end;
        let first = front::inner_loops(&self.source.text, &span)
            .into_iter()
            .next()?;
        let region = Region { span, ..first };
        let read = self.region(&region).map_err(|d| d.into_iter().next());
        let compiled = read.and_then(|scop| match self.compiled_in_steps(&scop) {
            Ok(_) => Ok(scop),
            Err(why) => Err(Some(*why)),
        });
        tracing::debug!(why = ?compiled.as_ref().err(), "statements as one part");
        compiled.ok()
    }

    /// What is said of nests beside those that run in kernels: arrays that both use move in each step.
    pub(super) fn moving(&self, search: &Nests) -> Vec<String> {
        let text = &self.source.text;
        let arrays: BTreeSet<&str> = (search.found.iter())
            .flat_map(|scop| &scop.arrays)
            .filter(|array| !array.declared && array.extent.contains("[i0"))
            .map(|array| array.name.as_str())
            .collect();
        let said = search.refused.iter().filter_map(|(start, why)| {
            let region = front::inner_loops(text, &(*start..text.len())).into_iter().next()?;
            let uses = |name: &&&str| csource::find_word(text, region.span.clone(), name).is_some();
            let array = arrays.iter().find(uses)?;
            let line = self.source.line(*start);
            Some(format!(
                "the loop at line {line} stays on the CPU, too, and `{array}` moves there and back in each step: {}",
                why.message
            ))
        });
        said.collect()
    }
}

/// What C does in the loops around the nests of a program; nothing where that is not known.
pub(super) fn around(
    options: &InputOptions,
    saved: &SavedScop,
    limit: &TimeLimit,
) -> Vec<BesideNest> {
    if !saved.is_nests() {
        return Vec::new();
    }
    let spans = saved.regions().map(|nest| nest.span.start..nest.span.end);
    let parts = spans.collect();
    let ask = |exe: &Path, question: &Question| child::around(exe, (question, parts));
    let found = rewritten::asked(options, &saved.source, limit, ask).into_iter();
    let known = found.map(|around| BesideNest {
        repeats: around.repeats,
        uses: around.uses.into_iter().map(|u| (u.name, u.at)).collect(),
        swept: around.swept,
    });
    known.collect()
}
