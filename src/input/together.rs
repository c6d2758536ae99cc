//! Files with several time loops, one after the other or in functions of their own: all of them are
//! translated, each as a nest of its own, and what they compute on stays on the device between them.

use super::rewritten::tiles;
use super::{Chosen, Reader};
use hexcc_compiler::front::c::Region;
use hexcc_compiler::nests;
use hexcc_pet::data::PetScop;

/// Other loops that are judged, at most: each takes as long as the first one.
const MOST: usize = 4;

/// What is said of such a file where its loops cannot be what is asked for.
const SEVERAL: &str = "the file has several time loops";

impl Reader<'_> {
    /// The time loops of a file, of which one is known, `taken`; `None` where no other one is tiled as a nest,
    /// or that one is not.
    pub(super) fn together(&self, loops: &[Region], taken: (&Region, &PetScop)) -> Option<Chosen> {
        let one = self.options.line.is_some() || self.options.function.is_some();
        if one || !self.options.several || !self.options.others.is_empty() {
            return None;
        }
        let mut regions = vec![taken.0];
        let mut scops = vec![taken.1.clone()];
        let own = self.source.own_text().len();
        let apart = |a: &Region, b: &Region| {
            !self.runs_in(a, b.span.start) && !self.runs_in(b, a.span.start)
        };
        let others = loops
            .iter()
            .filter(|r| r.span.end <= own && apart(r, taken.0));
        for other in others.take(MOST) {
            if !regions.iter().all(|known| apart(known, other)) {
                continue;
            }
            let Some(scop) = self.time_loop(other).ok().filter(|s| self.judge(s).is_ok()) else {
                continue;
            };
            if self.is_tiled_nest(&scop) {
                regions.push(other);
                scops.push(scop);
            }
        }
        if scops.len() < 2 || !self.is_tiled_nest(taken.1) {
            return None;
        }
        scops.sort_by_key(|scop| scop.span.start);
        let mut scops = scops.into_iter();
        Some(Chosen {
            scop: scops.next()?,
            nests: scops.collect(),
            stays: Some(SEVERAL.to_string()),
            candidates: Vec::new(),
            in_tiles: false,
        })
    }

    /// Whether a loop is tiled where it uses the arrays where the program has them.
    pub(super) fn is_tiled_nest(&self, scop: &PetScop) -> bool {
        let shares_many =
            scop.rotation.is_some() || self.compiled_in_steps(scop).is_ok_and(|(many, _)| many);
        let nest = self.nest(scop);
        let ctx = shares_many.then(|| self.isl(&nest).ok()).flatten();
        ctx.is_some_and(|ctx| {
            let known = self.known.borrow();
            let tiled = nests::tiles_exactly(&ctx, &nest, (0, &known), &tiles(self.options));
            tiled.is_ok_and(|exactly| exactly == Some(true))
        })
    }
}
