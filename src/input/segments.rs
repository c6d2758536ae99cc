//! A loop that stays on the host as one over segments, whose steps are tiled over time.

use super::{Input, InputOptions, MAX_JUDGED, read_as_is};
use crate::limit::TimeLimit;
use hexcc_compiler::csource;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::front::c::{self as front, Ends, Region, Segments};
use hexcc_compiler::nests;
use hexcc_compiler::options::Options;
use hexcc_compiler::scop::{SavedScop, Segmented};
use hexcc_pet::data::{PetScop, Span};

/// The input with a time loop over segments; `None` where that leads to no tiles.
pub(super) fn in_segments(
    options: &InputOptions,
    input: &Input,
    limit: &TimeLimit,
) -> Option<Input> {
    if !input.saved.is_nests() {
        return None;
    }
    let mut tried: Option<Segments> = None;
    for ends in [Ends::AtCalls, Ends::AtAll] {
        let Some((start, segments)) = first(options, &input.saved, ends) else {
            continue;
        };
        if tried.as_ref() == Some(&segments) {
            break;
        }
        if let Some(read) = read(options, input, limit, (start, &segments)) {
            return Some(read);
        }
        tried = Some(segments);
    }
    None
}

/// The likeliest time loop that can be one over segments, by where it begins.
fn first(options: &InputOptions, saved: &SavedScop, ends: Ends) -> Option<(usize, Segments)> {
    let text = saved.source.own_text();
    let loops = match options.line {
        Some(line) => front::loop_at(text, line).into_iter().collect(),
        None => front::time_loops(text),
    };
    let wanted = options.function.as_deref();
    let is_wanted = |region: &Region| {
        let name = region.function.as_ref().map(|f| f.name.as_str());
        wanted.is_none() || name == wanted
    };
    let mut wanted = loops.iter().filter(|r| is_wanted(r)).take(MAX_JUDGED);
    wanted.find_map(|region| {
        let segments = front::segments(text, region, &options.defines, ends)?;
        Some((region.span.start, segments))
    })
}

/// What is read of the text with a loop over segments, if their steps are tiled.
fn read(
    options: &InputOptions,
    input: &Input,
    limit: &TimeLimit,
    (start, segments): (usize, &Segments),
) -> Option<Input> {
    let source = &input.saved.source;
    let edited = source.edited(segments.edits.clone()).ok()?;
    let mut read = read_as_is(options, edited, limit).ok()?;
    let steps = csource::moved(segments.steps, &segments.edits);
    let is_steps = |scop: &&PetScop| scop.span.start < steps && steps < scop.span.end;
    let index = read.saved.regions().position(|scop| is_steps(&scop))?;
    let nest = SavedScop {
        scop: read.saved.regions().nth(index)?.clone(),
        nests: Vec::new(),
        ..read.saved.clone()
    };
    let ctx = hexcc_isl::Ctx::with_stopper(limit.stopper().clone()).ok()?;
    let tiled = nests::tiles_exactly(&ctx, &nest, (index, &read.known), &tiles(options));
    if !read.saved.is_nests() || tiled.ok()? != Some(true) {
        return None;
    }
    let moved = |at: usize| csource::moved(at, &segments.edits);
    let line = source.line(start);
    let conditions = segments.conditions.join("`, `");
    for warning in &mut read.warnings {
        in_words(warning, line, &conditions);
    }
    read.saved.segments = Some(Segmented {
        written: source.own_text().to_string(),
        start: moved(start),
        conditions: segments.conditions.clone(),
        host: (segments.host.iter())
            .map(|host| Span {
                start: moved(host.start),
                end: moved(host.end.saturating_sub(1)) + 1,
            })
            .collect(),
    });
    Some(read)
}

/// The options that loops are tried in tiles with.
pub(super) fn tiles(options: &InputOptions) -> Options {
    let planes = options.planes.as_ref();
    planes.map_or_else(Options::default, |planes| planes.options.clone())
}

/// Says of the loop that stays on the host what becomes of it.
fn in_words(warning: &mut Diagnostic, line: usize, conditions: &str) {
    let the_loop = format!("the loop at line {line} stays on the host");
    let rest = warning.message.strip_prefix(&the_loop);
    if let Some((_, why)) = rest.and_then(|rest| rest.split_once(": ")) {
        warning.message = format!(
            "the loop at line {line} runs in segments, tiled over time, that end where the host takes part: {why}"
        );
        warning.notes.clear();
        warning.help.clear();
        warning
            .notes
            .push(format!("a segment ends with a step of `{conditions}`"));
    }
}
