//! Loops around one that can be tiled.
//!
//! A loop of few sweeps within the steps of another one can be tiled by itself; the rest of the step
//! stays on the host then, and arrays are copied in each of them. Where the outer loop runs in single
//! steps as a whole, that is better, unless nests use the arrays where they are.

use super::{Chosen, MADE_OF, Nests, Reader, Refused, deepest, staying};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::front::c::Region;
use hexcc_compiler::stepwise;
use hexcc_compiler::tiling::hands_on::hands_on;
use hexcc_pet::data::{PetScop, Span};

impl Reader<'_> {
    /// The first refused loop that has another one in it, or calls it, and runs in single steps, no loop
    /// of it in one thread, with what pet has read of it.
    pub(super) fn around<'r, 'a>(
        &self,
        refused: &'r [Refused<'a>],
        inner: &Region,
    ) -> Option<(&'r Refused<'a>, &'r PetScop)> {
        let of_shape = |r: &&Refused| r.why.iter().all(stepwise::may_replace);
        let mut scops = (refused.iter().filter(of_shape))
            .filter(|r| self.runs_in(r.region, inner.span.start))
            .filter_map(|r| Some((r, r.scop.as_ref()?)));
        scops.find(|(_, scop)| self.is_shared_throughout(scop))
    }

    /// The nests in a loop that runs in single steps, where one of several is tiled and uses the arrays where they are.
    pub(super) fn parted(
        &self,
        outer: &Refused,
        (inner, scop): (&Region, &PetScop),
    ) -> Option<(Chosen, Vec<Diagnostic>)> {
        let stays = self.options.planes.is_some() && !self.options.copies;
        let why = (outer.why.first()).filter(|_| stays && self.is_tiled_nest(scop))?;
        let mut search = Nests::new(self);
        (search.small, search.deep) = (true, true);
        search.within(&outer.region.span, true);
        search.found.sort_by_key(|nest| nest.span.start);
        let nests = self.joined(search.found);
        // What stands before it in its line belongs to it.
        let (start, end) = (inner.span.start, inner.span.end);
        let is_inner = |nest: &PetScop| nest.span.start <= start && nest.span.end == end;
        if !search.refused.is_empty() || nests.len() < 2 || !nests.iter().any(is_inner) {
            return None;
        }
        let (mut chosen, warning) = staying((outer.line, why), "the nests in it", nests);
        chosen.in_tiles = true;
        Some((chosen, vec![warning]))
    }

    /// The nests in a loop that the host takes part in, where one of them is a loop that can be tiled:
    /// all of them use the arrays where they are then.
    pub(super) fn segments_around(
        &self,
        refused: &[Refused],
        inner: &Region,
    ) -> Option<(Chosen, Vec<Diagnostic>)> {
        let takes_part = |r: &&Refused| {
            let code = r.why.first().map(|why| why.code);
            code.is_some_and(|code| MADE_OF.contains(&code))
                && self.runs_in(r.region, inner.span.start)
        };
        deepest(refused).into_iter().find(takes_part)?;
        let (chosen, warnings) = self.nests(refused).ok()?;
        let holds = |span: Span| (span.start..span.end).contains(&inner.span.start);
        let is_inner = chosen.regions().any(|nest| holds(nest.span));
        is_inner.then_some((chosen, warnings))
    }

    /// Whether a loop is in a nest that was refused for its shape, all loops of which are parallel: none of
    /// them hands on values, and the loop is no time loop.
    pub(super) fn is_in_parallel(&self, refused: &[Refused], inner: &Region) -> bool {
        let holds = |r: &&Refused| {
            let outer = &r.region.span;
            outer.start < inner.span.start && inner.span.end <= outer.end
        };
        let of_shape = |r: &&Refused| r.why.iter().all(stepwise::may_replace);
        (refused.iter().filter(holds).filter(of_shape))
            .filter_map(|r| r.scop.as_ref())
            .any(|scop| self.is_shared_in_all_loops(scop))
    }

    /// Whether a region is a time loop, not one that repeats what is in it, and runs in single steps
    /// that many threads share.
    fn is_shared_throughout(&self, scop: &PetScop) -> bool {
        self.in_single_steps(scop).is_ok_and(|compiled| {
            let alone = compiled.warnings.iter().any(stepwise::is_slow);
            let is_time_loop = hands_on(&compiled.scop).unwrap_or(false);
            stepwise::sharing(&compiled).0 && !alone && is_time_loop
        })
    }
}
