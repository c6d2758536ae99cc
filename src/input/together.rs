//! Files with several time loops, one after the other or in functions of their own: all of them are
//! translated, each as a nest of its own, or as the nests in it, and what they compute on stays on the device between them.

use super::beside::LEVELS;
use super::rewritten::tiles;
use super::{Chosen, Nests, Reader, Refused};
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::front::c::Region;
use hexcc_compiler::tiling::hands_on::hands_on;
use hexcc_compiler::{nests, stepwise};
use hexcc_pet::data::PetScop;

/// Other loops that are judged, at most: each takes as long as the first one.
const MOST: usize = 4;

/// What is said of such a file where its loops cannot be what is asked for.
const SEVERAL: &str = "the file has several time loops";

impl Reader<'_> {
    /// A loop, if it is a time loop that can be tiled as far as dependences say.
    pub(super) fn judged_alone<'a>(&self, region: &'a Region) -> Result<PetScop, Box<Refused<'a>>> {
        let scop = self.time_loop(region);
        let scop = scop.map_err(|why| Box::new(self.refused(region, None, why)))?;
        match self.judge(&scop) {
            Ok(()) => Ok(scop),
            Err(why) => Err(Box::new(self.refused(region, Some(scop), why))),
        }
    }

    pub(super) fn refused<'a>(
        &self,
        region: &'a Region,
        scop: Option<PetScop>,
        why: Vec<Diagnostic>,
    ) -> Refused<'a> {
        let line = self.line(region.span.start);
        Refused {
            region,
            line,
            scop,
            why,
        }
    }

    /// A loop that can be tiled, `taken`, with what of others runs in kernels beside it.
    pub(super) fn with_others<'a>(
        &self,
        loops: &'a [Region],
        mut refused: Vec<Refused<'a>>,
        (region, scop): (&'a Region, PetScop),
    ) -> (Chosen, Vec<Diagnostic>) {
        let not_taken = Vec::from_iter(refused.iter().find_map(not_taken));
        let judged: Vec<&Region> = refused.iter().map(|r| r.region).chain([region]).collect();
        let n_judged = refused.len();
        refused.extend(self.others(loops, judged));
        let others = &refused[n_judged..];
        let several = self.segments_around(&refused, region).or_else(|| {
            let (chosen, more) = self.together(others, &scop)?;
            Some((chosen, [not_taken.clone(), more].concat()))
        });
        let alone = std::slice::from_ref(&region.span);
        let candidates = match &several {
            Some((chosen, _)) => self.other_loops(loops, chosen, &refused),
            None => self.candidates(loops, alone, &refused),
        };
        let (mut chosen, mut warnings) = several.unwrap_or_else(|| (self.alone(scop), not_taken));
        warnings.extend(self.left_in_c(others, &chosen));
        chosen.candidates = candidates;
        (chosen, warnings)
    }

    /// The loops apart from those that are `known`; nothing is said of those that are tiled.
    fn others<'a>(&self, loops: &'a [Region], mut known: Vec<&'a Region>) -> Vec<Refused<'a>> {
        let one = self.options.line.is_some() || self.options.function.is_some();
        if one || !self.options.several || !self.options.others.is_empty() {
            return Vec::new();
        }
        let own = self.source.own_text().len();
        let apart = |a: &Region, b: &Region| {
            !self.runs_in(a, b.span.start) && !self.runs_in(b, a.span.start)
        };
        let before = self.source.before.as_ref();
        let is_written = |r: &Region| before.is_some_and(|before| before.has_written(r.span.start));
        let mut found: Vec<Refused> = Vec::new();
        for region in loops.iter().filter(|r| r.span.end <= own) {
            if found.len() == MOST || !known.iter().all(|k| apart(k, region)) {
                continue;
            }
            known.push(region);
            let other = match self.judged_alone(region) {
                Err(other) => *other,
                Ok(scop) if self.is_tiled_nest(&scop) => {
                    self.refused(region, Some(scop), Vec::new())
                }
                Ok(_) => continue,
            };
            // What is left of a loop that was written again runs in few cases.
            if other.why.is_empty() || !is_written(region) && self.may_be_time_loop(&other) {
                found.push(other);
            }
        }
        found
    }

    /// Whether iterations of a loop may hand on values, other than to what they sum up.
    pub(super) fn may_be_time_loop(&self, refused: &Refused) -> bool {
        let hands_on = |compiled: &Compiled| hands_on(&compiled.scop).unwrap_or(true);
        let scop = refused.scop.as_ref();
        let said = scop.map(|scop| self.of_nest(scop, hands_on));
        said.is_none_or(|said| said.unwrap_or(true))
    }

    /// Warnings of time loops of which no nest is translated: loops that hand on values, or end when these say so.
    fn left_in_c(&self, others: &[Refused], chosen: &Chosen) -> Vec<Diagnostic> {
        let is_left = |other: &&Refused| {
            let is_in = |nest: &PetScop| self.runs_in(other.region, nest.span.start);
            other.region.depth >= LEVELS && !chosen.regions().any(is_in)
        };
        let warning = |other: &Refused| {
            let says = |why: &&Diagnostic| why.code == "HX0105" || stepwise::may_replace(why);
            let why = other.why.first().filter(says)?.clone();
            let loop_at = format!("the loop at line {} stays on the CPU", other.line);
            Some(why.into_warning(&loop_at))
        };
        others.iter().filter(is_left).filter_map(warning).collect()
    }

    /// The time loops of a file, of which one is known, `taken`, and the nests of further ones; `None` where there are none,
    /// or that one is not tiled as a nest.
    fn together(&self, others: &[Refused], taken: &PetScop) -> Option<(Chosen, Vec<Diagnostic>)> {
        if others.is_empty() || !self.is_tiled_nest(taken) {
            return None;
        }
        let mut search = Nests::new(self);
        search.found.push(taken.clone());
        let tiled = others.iter().filter(|other| other.why.is_empty());
        search
            .found
            .extend(tiled.filter_map(|other| other.scop.clone()));
        let warnings = search.beside(others, &[]);
        search.found.sort_by_key(|scop| scop.span.start);
        let mut scops = self.joined(search.found).into_iter();
        let first = scops.next()?;
        let chosen = Chosen {
            nests: scops.collect(),
            stays: Some(SEVERAL.to_string()),
            ..first.into()
        };
        (!chosen.nests.is_empty()).then_some((chosen, warnings))
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

/// A loop that looked likelier than the one that is translated.
fn not_taken(refused: &Refused) -> Option<Diagnostic> {
    // Nests without a time loop around them are set-up code.
    let why = refused.why.iter().find(|d| d.code != "HX0201")?;
    let (line, what) = (refused.line, &why.message);
    let message = format!("the loop at line {line} is not translated: {what}");
    let mut warning = Diagnostic::warning(why.code, message);
    warning.labels.clone_from(&why.labels);
    Some(warning)
}
