//! Time loops in the form that tiles are made of.
//!
//! The passes of [`hexcc_front_c::normalize`] write such a loop again, in the place of the user's: planes that are moved by
//! members, by functions or by an index, and steps that the host takes part in. The program is the one with the new
//! loop where that leads to tiles over time, and the user's own otherwise.

use super::{Input, InputOptions, MAX_JUDGED, Reader, read_as_is};
use crate::host_facts::answered;
use crate::limit::TimeLimit;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::front::c::{self as front, Region};
use hexcc_compiler::known::InTiles;
use hexcc_compiler::options::{Options, Tiling};
use hexcc_compiler::scop::{Converging, Segmented, SourceFile, is_better_parted};
use hexcc_compiler::{csource, stepwise};
use hexcc_front_c::child::{self, FactsError, Question};
use hexcc_front_c::normalize::Rewritten;
use hexcc_pet::data::{PetScop, Span};
use std::cell::{LazyCell, RefCell};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

/// The input with a time loop that was written again; `None` where that leads to no tiles, or the program has them already.
/// Adds to `words` those of isl's notation that were in the way.
pub(super) fn in_tiles(
    options: &InputOptions,
    input: &Input,
    limit: &TimeLimit,
    words: &Words,
) -> Option<Input> {
    let saved = &input.saved;
    let first = |wanted: &[Wanted]| first(options, (&saved.source, &[]), (limit, words), wanted);
    if saved.is_nests() {
        let may_stay = options.copies && !stay(options, input, limit);
        let wanted = match input.in_tiles {
            true => [Wanted::Region, Wanted::Resident],
            false => [Wanted::Tiles, Wanted::Resident],
        };
        return first(&wanted[..1 + usize::from(may_stay)]);
    }
    let is_better_parted = saved.regions().any(is_better_parted);
    let parted = (is_better_parted.then(|| first(&[Wanted::Segments]))).flatten();
    parted.or_else(|| first(&[better(options, input, limit)?]))
}

/// What a loop that nobody has marked has to be to take its own place; `None` where that is tiled for all sizes.
fn better(options: &InputOptions, input: &Input, limit: &TimeLimit) -> Option<Wanted> {
    let is_marked = || !front::marked_regions(input.saved.source.own_text()).is_empty();
    let may = tiles(options).tiling != Tiling::Stepwise && options.planes.is_some();
    let at = input.saved.scop.span.start;
    let tiles = (may && !is_marked()).then(|| tiles_of(options, input, limit, at));
    match tiles.flatten()? {
        InTiles::Not => Some(Wanted::Region),
        InTiles::ForSomeSizes => Some(Wanted::AllSizes),
        InTiles::ForAllSizes => None,
    }
}

/// What a loop has to be when it is written again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Tiled, or at least one region.
    Tiles,
    /// Tiled in segments.
    Segments,
    /// Tiled, as a region or as nests.
    Region,
    /// Tiled as a region, for all sizes.
    AllSizes,
    /// One during which arrays stay on the device.
    Resident,
    /// Accepted.
    Any,
}

/// Iterators and sizes that were found whose names isl would read as something else.
pub(super) type Words = RefCell<BTreeSet<String>>;

/// A loop that was written again.
#[derive(Clone)]
pub(super) struct Written {
    form: Rewritten,
    /// Where it begins in the text that there is now.
    start: usize,
    /// Its lines, and the words behind it, before.
    lines: RangeInclusive<usize>,
    replaced: BTreeSet<String>,
}

impl Written {
    /// The same, where another one becomes `text`.
    fn behind(self, range: &Range<usize>, text: &str) -> Written {
        let start = match self.start < range.start {
            true => self.start,
            false => self.start + text.len() - range.len(),
        };
        Written { start, ..self }
    }
}

/// The first loop that is tiled when it is written again, or that is as the first of `wanted` for which there is one, and
/// further ones that are tiled then. Some have been written `earlier`.
pub(super) fn first(
    options: &InputOptions,
    (source, earlier): (&SourceFile, &[Written]),
    (limit, words): (&TimeLimit, &Words),
    wanted: &[Wanted],
) -> Option<Input> {
    let is_wanted = |form: &Rewritten| {
        let at = form.range.start;
        let line = (options.line).is_none_or(|line| source.line(at) == line);
        let wanted = options.function.as_ref();
        let is_new = (source.before.as_ref()).is_none_or(|before| !before.has_written(at));
        // Only CUDA programs go several steps at once.
        let goes = form
            .segments
            .as_ref()
            .is_some_and(|s| s.converging.is_some());
        let suits = options.planes.is_some() || !goes;
        line && is_new && suits && wanted.is_none_or(|name| *name == form.function)
    };
    let mut forms = asked(options, source, limit, child::time_loops);
    forms.retain(is_wanted);
    let loops = LazyCell::new(|| front::time_loops(&source.text));
    // As in the search for the time loop: deeper nests before flatter ones.
    let depth = |form: &Rewritten| {
        let is_it = |l: &&Region| l.span.start == form.range.start;
        loops.iter().find(is_it).map_or(0, |l| l.depth)
    };
    forms.sort_by_key(|form| Reverse(depth(form)));
    let starts: BTreeSet<usize> = forms.iter().map(|form| form.range.start).collect();
    let judged: BTreeSet<usize> = starts.iter().copied().take(MAX_JUDGED).collect();
    forms.retain(|form| judged.contains(&form.range.start));
    let as_wanted = |wanted: &Wanted| {
        let suits = |form: &&Rewritten| *wanted != Wanted::Segments || form.segments.is_some();
        forms.iter().filter(suits).find_map(|form| {
            // A program is never refused for what this takes.
            let attempt = limit.attempt()?;
            with(options, (source, earlier), (&attempt, words), form, *wanted)
        })
    };
    let (found, written) = wanted.iter().find_map(as_wanted)?;
    let now = (&found.saved.source, written.as_slice());
    let more = (starts.len() > 1)
        .then(|| first(options, now, (limit, words), &[Wanted::Tiles]))
        .flatten();
    let n_tiled = |read: &Input| {
        let tiles = |scop: &PetScop| tiles_of(options, read, limit, scop.span.start);
        let tiles = read.saved.regions().filter_map(tiles);
        tiles.filter(|tiles| *tiles != InTiles::Not).count()
    };
    let has_more = |more: &Input| n_tiled(more) > n_tiled(&found);
    Some(more.filter(has_more).unwrap_or(found))
}

/// The input with one loop written again, if its steps are tiled or one region, or it is as `wanted` otherwise.
fn with(
    options: &InputOptions,
    (source, earlier): (&SourceFile, &[Written]),
    (limit, words): (&TimeLimit, &Words),
    form: &Rewritten,
    wanted: Wanted,
) -> Option<(Input, Vec<Written>)> {
    let text = form.text.trim_end();
    tracing::debug!(passes = ?form.passes, text, "a loop is written again");
    let place: Range<usize> = form.range.start..form.range.start + text.len();
    let at = place.start + form.steps.start;
    let following = form.segments.as_ref().map_or(0, |s| s.following);
    let converging = form.segments.as_ref().and_then(|s| s.converging.as_ref());
    let edited = source.rewritten(form.range.clone(), text, &form.statements);
    let edited =
        (edited.ok()?.followed((at, following))).converging(at, converging.map(|c| &*c.from_zero));
    let options = InputOptions {
        line: None,
        function: None,
        ..options.clone()
    };
    let may_be_region =
        form.segments.is_none() && !matches!(wanted, Wanted::Region | Wanted::AllSizes);
    let reader = Reader::new(&options, &edited, limit).ok()?;
    let may_be = matches!(wanted, Wanted::Any | Wanted::Resident)
        || !front::marked_regions(&edited.text).is_empty()
        || may_be_good(&reader, at..place.end, may_be_region, words);
    let read = may_be.then(|| read_as_is(&reader))?;
    let mut read = read
        .map_err(|why| words.borrow_mut().extend(why.words))
        .ok()?;
    if wanted == Wanted::AllSizes {
        // Not the loop as it was, which runs where a condition does not hold.
        read.saved.scop = read.saved.region_at(at)?.1.clone();
        (read.saved.nests, read.saved.stays) = (Vec::new(), None);
    }
    let is_resident = || form.segments.is_none() && stay(&options, &read, limit);
    let is_tiled = || match tiles_of(&options, &read, limit, at) {
        Some(InTiles::ForSomeSizes) => wanted != Wanted::AllSizes,
        tiles => tiles == Some(InTiles::ForAllSizes),
    };
    let is_good = wanted == Wanted::Resident && is_resident()
        || may_be_region && (wanted == Wanted::Any || is_region(&read, at))
        || (form.segments.is_none() || read.saved.is_nests()) && is_tiled();
    if !is_good {
        return None;
    }
    let earlier = earlier.iter().cloned();
    let mut written: Vec<Written> = earlier.map(|w| w.behind(&form.range, text)).collect();
    written.push(Written {
        form: form.clone(),
        start: place.start,
        lines: source.line(form.range.start)..=source.line(form.range.end.saturating_sub(1)),
        replaced: csource::words_behind(source.own_text(), form.range.clone()),
    });
    for loop_ in &written {
        say_of_users(&mut read.warnings, &loop_.lines, &loop_.form);
        read.saved.replaced.extend(loop_.replaced.iter().cloned());
    }
    read.saved.segments = written.iter().filter_map(segmented).collect();
    Some((read, written))
}

/// The loop over segments that a loop has become.
fn segmented(written: &Written) -> Option<Segmented> {
    let (form, start) = (&written.form, written.start);
    let segments = form.segments.as_ref()?;
    let span = |range: &Range<usize>| Span::from(start + range.start..start + range.end);
    Some(Segmented {
        start,
        conditions: segments.conditions.clone(),
        host: segments.host.iter().map(span).collect(),
        converging: segments.converging.as_ref().map(|c| Converging {
            steps: span(&form.steps),
            ahead: span(&c.ahead),
            again: span(&c.again),
            n_steps: c.n_steps.clone(),
            n_all: c.n_all.clone(),
            most: c.most,
        }),
    })
}

/// Whether a loop, or one around it, may be tiled as far as dependences say; or be a region in single steps, where that is enough.
fn may_be_good(reader: &Reader, place: Range<usize>, is_enough: bool, words: &Words) -> bool {
    let reader = Reader {
        written_first: true,
        ..reader.clone()
    };
    let (text, loops) = (&reader.source.text, front::time_loops(&reader.source.text));
    let itself = front::inner_loops(text, &(place.start.saturating_sub(1)..place.end)).into_iter();
    let may_be = |region: Region| {
        let may_run = is_enough && loops.iter().all(|l| l.depth <= region.depth);
        let may_replace = |why: &Vec<Diagnostic>| may_run && why.iter().all(stepwise::may_replace);
        reader.time_loop(&region).is_ok_and(|scop| {
            let judged = reader.judge(&scop);
            let in_steps = judged.as_ref().err().is_some_and(may_replace)
                && reader.in_single_steps(&scop).is_ok();
            judged.is_ok() || in_steps || reader.is_tiled_nest(&scop)
        })
    };
    let is_other = |region: &Region| loops.iter().all(|l| l.span != region.span);
    let around = |region: &&Region| reader.runs_in(region, place.start);
    let around = loops.iter().filter(around).rev().cloned();
    let found = itself.take(1).filter(is_other).chain(around).any(may_be);
    words.borrow_mut().extend(reader.words.take());
    found
}

/// Whether the loop at a place is all of a region, or one whose planes are swapped.
fn is_region(read: &Input, at: usize) -> bool {
    read.saved
        .region_at(at)
        .is_some_and(|(_, s)| s.rotation.is_some() || !read.saved.is_nests())
}

/// Whether the arrays of nests stay on the device during loops of the host.
fn stay(options: &InputOptions, read: &Input, limit: &TimeLimit) -> bool {
    let ctx = hexcc_isl::Ctx::with_stopper(limit.stopper().clone());
    let stays =
        |ctx| options.others.is_empty() && read.known.stay(&ctx, &read.saved).unwrap_or(false);
    read.saved.is_nests() && ctx.is_ok_and(stays)
}

/// Whether the loop at a place is tiled over time; `None` where that is not known in time.
fn tiles_of(options: &InputOptions, read: &Input, limit: &TimeLimit, at: usize) -> Option<InTiles> {
    let ctx = hexcc_isl::Ctx::with_stopper(limit.stopper().clone()).ok()?;
    (read.known.in_tiles(&ctx, &read.saved, &tiles(options), at)).ok()
}

/// The options that loops are tried in tiles with.
pub(super) fn tiles(options: &InputOptions) -> Options {
    let planes = options.planes.as_ref();
    planes.map_or_else(Options::default, |planes| planes.options.clone())
}

/// Says of the user's loop what is said of the one in its place.
fn say_of_users(warnings: &mut Vec<Diagnostic>, lines: &RangeInclusive<usize>, form: &Rewritten) {
    let user = lines.start();
    let rest_of = |text: &str| {
        (lines.clone())
            .find_map(|line| text.strip_prefix(&format!("the loop at line {line} ")))
            .map(str::to_owned)
    };
    for warning in warnings.iter_mut() {
        // What the host does ahead of the steps is no loop of the user's.
        warning.notes.retain(|note| rest_of(note).is_none());
        if let Some(rest) = rest_of(&warning.message) {
            warning.message = format!("the loop at line {user} {rest}");
        }
    }
    let said = |what: &str| format!("the loop at line {user} {what}");
    warnings.retain(|w| !w.message.starts_with(&said("is not translated")));
    let Some(segments) = &form.segments else {
        return;
    };
    let stays = said("stays on the CPU");
    let in_segments = match segments.host.is_empty() {
        true => said("is tiled over time; the host counts its steps"),
        false => said("runs in segments, tiled over time, that end where the host takes part"),
    };
    let conditions = segments.conditions.join("`, `");
    let ends =
        (!conditions.is_empty()).then(|| format!("a segment ends with a step of `{conditions}`"));
    let stays_on_host = |warning: &&mut Diagnostic| warning.message.contains(" stays on the CPU");
    let Some(warning) = warnings.iter_mut().find(stays_on_host) else {
        return;
    };
    let of_user = warning.message.strip_prefix(&stays);
    match of_user.and_then(|rest| rest.split_once(": ")) {
        // Nothing of the loop is slower for that.
        Some(_) if segments.host.is_empty() => warnings.retain(|w| !w.message.starts_with(&stays)),
        Some((_, why)) => {
            warning.message = format!("{in_segments}: {why}");
            warning.notes = ends.into_iter().collect();
            warning.help.clear();
        }
        // It is in another one that stays.
        None => warning.notes.insert(0, in_segments),
    }
}

/// What libclang says of a file; nothing where it gives up.
pub(super) fn asked<T: Default>(
    options: &InputOptions,
    source: &SourceFile,
    limit: &TimeLimit,
    ask: impl FnOnce(&Path, &Question) -> Result<T, FactsError>,
) -> T {
    answered(options, source.own_text(), limit, ask).unwrap_or_default()
}
