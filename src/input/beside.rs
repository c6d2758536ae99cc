//! Other loops of a file in which nests run than the likeliest time loop.

use super::{MADE_OF, Nests, Refused};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::stepwise;

/// Levels of the nests that a loop beside the likeliest one is a time loop of, with itself.
pub(super) const LEVELS: usize = 3;

impl Nests<'_> {
    /// Tries the loops beside those that have been searched, `done`: time loops as a whole, and the
    /// nests in what the host keeps. Gives warnings of those in which some run.
    pub(super) fn beside(&mut self, refused: &[Refused], done: &[&Refused]) -> Vec<Diagnostic> {
        let is_done = |other: &Refused| {
            let start = other.region.span.start;
            done.iter()
                .any(|done| self.reader.runs_in(done.region, start))
        };
        let others: Vec<&Refused> = (refused.iter())
            .filter(|r| r.region.depth >= LEVELS && !is_done(r))
            .collect();
        let mut warnings = Vec::new();
        for other in others {
            let Some(why) = other.why.first() else {
                self.among(vec![other.region.clone()], true);
                continue;
            };
            let n = self.found.len();
            let what = if MADE_OF.contains(&why.code) {
                if self.seen.insert(other.region.span.start) {
                    self.within(&other.region.span, true);
                }
                "stays on the CPU, and the nests in it run in kernels"
            // What is no time loop is set-up code.
            } else if stepwise::may_replace(why) && why.code != "HX0201" {
                self.among(vec![other.region.clone()], true);
                "is not tiled over time, but runs with one launch per step"
            } else {
                continue;
            };
            if self.found.len() > n && self.reader.may_be_time_loop(other) {
                let loop_at = format!("the loop at line {} {what}", other.line);
                warnings.push(why.clone().into_warning(&loop_at));
            }
        }
        warnings
    }
}
