//! Conversions that C makes by itself, written as C++ wants them.

use crate::csource::{self, Edit};
use crate::diag::{Diagnostic, Result};
use crate::scop::{Conversion, SavedScop};
use std::collections::BTreeMap;
use std::ops::Range;

/// What stands before and behind values, each pair together; `moved` tells where a part of the source is in the
/// text that is edited, and `renamed` how names are written there.
///
/// # Errors
/// HX0112 for one that cannot be written where it is, unless it is in what is `gone` from the text.
pub(super) fn written(
    saved: &SavedScop,
    moved: impl Fn(&Range<usize>) -> Range<usize>,
    renamed: &BTreeMap<String, String>,
    gone: impl Fn(&Edit) -> bool,
) -> Result<Vec<Edit>> {
    let mut edits = Vec::new();
    for conversion in &saved.conversions {
        let place = conversion.place.map(|place| place.start..place.end);
        let at = |at: usize, replacement: String| Edit {
            range: at..at,
            replacement,
        };
        let now = place.as_ref().map(&moved);
        if (now.iter()).any(|now| gone(&at(now.start, String::new()))) {
            continue;
        }
        let (Some(now), Some(before)) = (now, &conversion.before) else {
            return Err(Box::new(refusal(conversion, place)));
        };
        let names = csource::rename(before, renamed);
        let before = csource::apply_edits(before, names);
        let before = before.map_err(|e| Box::new(Diagnostic::bug(e)))?;
        edits.push(at(now.start, before));
        if !conversion.behind.is_empty() {
            edits.push(at(now.end, conversion.behind.clone()));
        }
    }
    Ok(edits)
}

fn refusal(conversion: &Conversion, place: Option<Range<usize>>) -> Diagnostic {
    let Conversion { to, of, .. } = conversion;
    let by = match (of.is_empty(), &place) {
        (true, _) => String::new(),
        (false, Some(_)) => format!(" in the macro `{of}`"),
        (false, None) => format!(" in `{of}`"),
    };
    let d = Diagnostic::error(
        "HX0112",
        format!("a value{by} becomes one of type `{to}` without a cast"),
    );
    place
        .into_iter()
        .fold(d, |d, place| d.at(place, "C converts it by itself"))
        .note("C++ does not, and hexcc writes such casts where the text of the file has the value itself")
        .help(format!("write the cast, `({to})`"))
}
