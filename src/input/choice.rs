//! Which loop is taken: the one that a line names, and what the others are.

use super::{DEEPEST, Found, MAX_JUDGED, Reader, Refused};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::front::c::{self as front, Region};
use std::ops::Range;

/// A loop that is not translated.
pub struct Candidate {
    /// Where it begins.
    pub line: usize,
    /// The function that it stands in.
    pub function: Option<String>,
    /// Why another one was taken; `None` where that was found first.
    pub why: Option<String>,
}

impl Reader<'_> {
    /// The region that is meant by a line.
    pub(super) fn at_line(&self, line: usize) -> Found {
        let text = self.source.own_text();
        let holds = |r: &Region| {
            self.line(r.span.start) <= line && line <= self.line(r.span.end.saturating_sub(1))
        };
        let marked: Vec<Region> = (front::marked_regions(text).into_iter())
            .filter(holds)
            .collect();
        if let Some(found) = self.marked(&marked) {
            return found;
        }
        match front::loop_at(text, line + self.options.before.len()) {
            Some(region) => self.judged(&[region]).map_err(|mut why| {
                for d in &mut why {
                    d.notes.retain(|note| !note.starts_with(DEEPEST));
                }
                why
            }),
            None => {
                let path = &self.source.path;
                let what = format!("there is no loop at line {line} of `{path}`, nor around it");
                let lines = front::time_loops(text).into_iter().take(MAX_JUDGED);
                let lines: Vec<String> =
                    lines.map(|r| self.line(r.span.start).to_string()).collect();
                let d = Diagnostic::error("HX0102", what);
                Err(vec![match lines.is_empty() {
                    true => d.note("no function of the file has a loop"),
                    false => d.help(format!("loops begin at lines {}", lines.join(", "))),
                }])
            }
        }
    }

    /// The loops that were not taken: those refused, and those that nobody asked about.
    pub(super) fn candidates(
        &self,
        loops: &[Region],
        taken: &[Range<usize>],
        refused: &[Refused],
    ) -> Vec<Candidate> {
        let holds = |outer: &Range<usize>, inner: &Range<usize>| {
            outer.start <= inner.start && inner.end <= outer.end
        };
        // Of several nests, the loop around them is told of already.
        let is_taken = |r: &&Region| {
            let mut taken_in = taken.iter();
            taken_in.any(|t| holds(t, &r.span) || taken.len() > 1 && holds(&r.span, t))
        };
        let others = loops.iter().filter(|r| !is_taken(r));
        let candidate = |region: &Region| Candidate {
            line: self.line(region.span.start),
            function: region.function.as_ref().map(|f| f.name.clone()),
            why: (refused.iter().find(|r| r.region.span == region.span))
                .and_then(|r| Some(r.why.first()?.message.clone())),
        };
        let mut candidates: Vec<Candidate> = others.map(candidate).collect();
        candidates.sort_by_key(|c| c.line);
        candidates
    }
}
