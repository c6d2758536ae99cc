//! Time loops that move planes by members, by functions or by an index, in the form that tiles are made of.
//!
//! The passes of [`hexcc_front_c::normalize`] write such a loop again, in the place of the user's. The program is the one
//! with the new loop where that leads to tiles over time, and the user's own otherwise.

use super::segments::in_segments;
use super::{Input, InputOptions, MAX_JUDGED, read_as_is};
use crate::limit::TimeLimit;
use hexcc_compiler::csource::{self, Edit};
use hexcc_compiler::scop::SourceFile;
use hexcc_front_c::normalize::Rewritten;
use std::ops::Range;

/// The input with a time loop that was written again; `None` where that leads to no tiles.
pub(super) fn in_tiles(options: &InputOptions, input: &Input, limit: &TimeLimit) -> Option<Input> {
    let saved = &input.saved;
    let is_slow = saved.is_nests()
        && saved.segments.is_none()
        && saved.regions().all(|scop| scop.rotation.is_none());
    if !is_slow || !saved.source.others.is_empty() {
        return None;
    }
    let loops = loops(options, &saved.source);
    let is_wanted = |r: &&Rewritten| match options.line {
        Some(line) => saved.source.line(r.range.start) == line,
        None => true,
    };
    let mut wanted = loops.iter().filter(is_wanted).take(MAX_JUDGED);
    wanted.find_map(|rewritten| with(options, saved.source.clone(), limit, rewritten))
}

/// The input with one loop written again, if it is tiled over time.
fn with(
    options: &InputOptions,
    source: SourceFile,
    limit: &TimeLimit,
    rewritten: &Rewritten,
) -> Option<Input> {
    let edits = vec![Edit {
        range: rewritten.range.clone(),
        replacement: rewritten.text.trim_end().to_string(),
    }];
    let edited = source.edited(edits).ok()?;
    let place: Range<usize> = rewritten.range.start..rewritten.range.start + rewritten.text.len();
    let options = InputOptions {
        line: None,
        ..options.clone()
    };
    let read = read_as_is(&options, edited, limit).ok()?;
    let mut read = in_segments(&options, &read, limit).unwrap_or(read);
    let is_there = |at: usize| place.contains(&at);
    let rotates = read
        .saved
        .regions()
        .any(|scop| scop.rotation.is_some() && is_there(scop.span.start));
    let in_segments = (read.saved.segments.as_ref()).is_some_and(|s| is_there(s.start));
    if !rotates && !in_segments {
        return None;
    }
    // What is said of the loop is said of the user's.
    let lines = |range: &Range<usize>| {
        let text = read.saved.source.own_text();
        let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
        line(range.start)..line(range.end)
    };
    let (line, new) = (source.line(place.start), lines(&place));
    for warning in &mut read.warnings {
        for written in new.clone() {
            let of = |line: usize| format!("the loop at line {line} ");
            warning.message = warning.message.replace(&of(written), &of(line));
        }
    }
    Some(read)
}

/// The loops of a file that can be written again.
fn loops(options: &InputOptions, source: &SourceFile) -> Vec<Rewritten> {
    let text = source.own_text();
    let _ = csource::tokenize;
    let clang = match hexcc_clang::Clang::find(std::path::Path::new("/work/main/vendor")) {
        Ok(c) => c,
        Err(_) => return Vec::new(),
    };
    let mut include_dirs = options.include_dirs.clone();
    include_dirs.extend(
        options
            .file
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .map(|p| p.to_path_buf()),
    );
    let request = hexcc_clang::ParseRequest {
        file: options.file.clone(),
        text: Some(text.to_string()),
        include_dirs,
        defines: options.defines.clone(),
    };
    hexcc_clang::parse(&clang, &request)
        .map(|unit| hexcc_front_c::normalize::time_loops(&unit))
        .unwrap_or_default()
}
