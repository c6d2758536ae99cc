//! Time loops that move planes by members, by functions or by an index, in the form that tiles are made of.
//!
//! The passes of [`hexcc_front_c::normalize`] write such a loop again, in the place of the user's. The program is the one
//! with the new loop where that leads to tiles over time, and the user's own otherwise.

use super::facts::question;
use super::segments::in_segments;
use super::{Input, InputOptions, MAX_JUDGED, read_as_is};
use crate::limit::TimeLimit;
use hexcc_compiler::scop::{Segmented, SourceFile};
use hexcc_front_c::child;
use hexcc_front_c::normalize::Rewritten;
use std::ops::Range;

/// The input with a time loop that was written again; `None` where that leads to no tiles, or the program has them already.
pub(super) fn in_tiles(options: &InputOptions, input: &Input, limit: &TimeLimit) -> Option<Input> {
    let saved = &input.saved;
    let is_slow = saved.is_nests()
        && saved.segments.is_none()
        && saved.regions().all(|scop| scop.rotation.is_none());
    let tiled = |read: &Input, place: &Range<usize>| is_tiled(read, place);
    is_slow
        .then(|| first(options, &saved.source, limit, &tiled))
        .flatten()
}

/// The input with a time loop that was written again, where the program is refused as it is.
pub(super) fn accepted(
    options: &InputOptions,
    source: &SourceFile,
    limit: &TimeLimit,
) -> Option<Input> {
    first(options, source, limit, &|_, _| true)
}

/// The first loop that is `good` when it is written again.
fn first(
    options: &InputOptions,
    source: &SourceFile,
    limit: &TimeLimit,
    good: &dyn Fn(&Input, &Range<usize>) -> bool,
) -> Option<Input> {
    if !source.others.is_empty() {
        return None;
    }
    let loops = loops(options, source, limit);
    let is_wanted = |r: &&Rewritten| match options.line {
        Some(line) => source.line(r.range.start) == line,
        None => true,
    };
    let mut wanted = loops.iter().filter(is_wanted).take(MAX_JUDGED);
    wanted.find_map(|rewritten| with(options, source.clone(), limit, rewritten, good))
}

/// Whether the steps of a loop at a place are tiled over time, or at least are one region.
fn is_tiled(read: &Input, place: &Range<usize>) -> bool {
    let saved = &read.saved;
    let is_in_place = |start: usize| place.contains(&start);
    let mut regions = saved.regions();
    let rotates = regions.any(|scop| scop.rotation.is_some() && is_in_place(scop.span.start));
    let in_segments = |s: &Segmented| is_in_place(s.start);
    let start = saved.scop.span.start;
    let is_whole = !saved.is_nests() && is_in_place(start) && {
        // The block that takes the place of the loop has the loop itself beside declarations.
        let before = saved.source.text.get(place.start..start);
        before.is_some_and(|text| text.matches('{').count() == text.matches('}').count() + 1)
    };
    rotates || is_whole || saved.segments.as_ref().is_some_and(in_segments)
}

/// The input with one loop written again, if that is good.
fn with(
    options: &InputOptions,
    source: SourceFile,
    limit: &TimeLimit,
    rewritten: &Rewritten,
    good: &dyn Fn(&Input, &Range<usize>) -> bool,
) -> Option<Input> {
    let text = rewritten.text.trim_end();
    let edited = source.replaced(rewritten.range.clone(), text).ok()?;
    let place: Range<usize> = rewritten.range.start..rewritten.range.start + text.len();
    let options = InputOptions {
        line: None,
        ..options.clone()
    };
    let read = read_as_is(&options, edited, limit).ok()?;
    let mut read = in_segments(&options, &read, limit).unwrap_or(read);
    if !good(&read, &place) {
        return None;
    }
    // What is said of the loop is said of the user's.
    let user = source.line(place.start);
    let new = user..=user + text.matches('\n').count();
    for warning in &mut read.warnings {
        for line in new.clone() {
            let of = |line: usize| format!("the loop at line {line} ");
            warning.message = warning.message.replace(&of(line), &of(user));
        }
    }
    Some(read)
}

/// The loops of a file that can be written again; none where libclang gives up.
fn loops(options: &InputOptions, source: &SourceFile, limit: &TimeLimit) -> Vec<Rewritten> {
    let question = question(options, source.own_text(), limit);
    let exe = std::env::current_exe().ok();
    let loops = exe.and_then(|exe| child::time_loops(&exe, &question).ok());
    loops.unwrap_or_default()
}
