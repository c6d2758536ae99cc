//! What loops do with a cell, as a function of the cell: where pet cannot read the body of loops,
//! it reads their headers, and one call.
//!
//! ```c
//! for (int y = 1; y < h - 1; y++)                for (int y = 1; y < h - 1; y++)
//!   for (int x = 1; x < w - 1; x++) {              for (int x = 1; x < w - 1; x++) {
//!     float v[9];                                    out[y*w+x] = cell(y, x, w, in);
//!     ..                                           }
//!     while (..) ..
//!     out[y*w+x] = v[4];
//!   }
//! ```
//!
//! The body may have any control flow, variables and arrays of its own, and calls of functions of the
//! file. What it writes must be elements with one subscript for each array. Of an array that it
//! reads elsewhere, any element may be read: isl proves that no other cell writes it. The function
//! is C's text, with the element in a variable.

mod body;
mod calls;
mod own;
mod sunk;
mod text;

use super::calls::tokens_in;
use super::pass::Pass;
use super::reduce::Reduced;
use super::region::Region;
use crate::csource::{self, Code, Edit, Scope};
use crate::ctype::CType;
use body::Body;
use hexcc_pet::data::{Cell, Span};
use std::ops::Range;

/// A text in which loops call functions of cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Celled {
    /// The text, with a map back.
    pub text: Reduced,
    /// The region in it.
    pub region: Region,
    /// The functions.
    pub cells: Vec<Cell>,
    /// The body, in the user's text.
    pub body: Span,
}

/// The loops of a region with calls of functions in place of what they do with a cell; `None` where
/// that cannot be a function. `text` was made of the user's as `made_of` says, and
/// includes `headers`; `number` tells the functions from those of other loops.
pub fn with_cells(
    text: &str,
    headers: &[String],
    region: &Region,
    (made_of, number): (&Reduced, usize),
) -> Option<Celled> {
    let code = Code::new(text);
    if let Some(edits) = sunk::declarations(&code, tokens_in(&code, &region.span)) {
        let sunk = Reduced::edited(text, &edits).by(Pass::Cells);
        let region = Region {
            span: csource::moved(region.span.start, &edits)
                ..csource::moved(region.span.end, &edits),
            ..region.clone()
        };
        let text = sunk.text.clone();
        let made_of = sunk.made_of(made_of);
        return with_cells(&text, headers, &region, (&made_of, number));
    }
    let functions = csource::functions(text);
    let own = csource::enclosing_function(text, region.span.start)?;
    let tokens = tokens_in(&code, &region.span);
    let body = innermost(&code, tokens.clone())?;
    if code.has_directive(&region.span) {
        return None;
    }
    let scope = Scope::new(&code, region.span.start)?;
    let name = format!("hexcc_{}_{number}", own.name);
    let texts: Vec<&str> = std::iter::once(text)
        .chain(headers.iter().map(String::as_str))
        .collect();
    let read = Body::read(
        (&code, &texts),
        (&functions, scope),
        (&tokens, body.clone()),
        &name,
    )?;
    let cells = read.cells();
    let calls: Vec<String> = (cells.iter().enumerate())
        .map(|(index, cell)| read.assignment(index, cell))
        .collect();
    let declarations: String = (cells.iter().enumerate())
        .map(|(index, cell)| read.declaration(index, cell))
        .collect();
    let before = csource::insertion_point(text, own.start_with_comment);
    let bytes = code.bytes(body.clone());
    let place = made_of.original_range(bytes.clone());
    let edits = [
        Edit {
            range: before..before,
            replacement: declarations,
        },
        Edit {
            range: bytes,
            replacement: calls.join(" "),
        },
    ];
    let reduced = Reduced::edited(text, &edits).by(Pass::Cells);
    let span = csource::moved(region.span.start, &edits)..csource::moved(region.span.end, &edits);
    let function = csource::enclosing_function(&reduced.text, span.start);
    Some(Celled {
        text: reduced.made_of(made_of),
        region: Region {
            span,
            function: region.function.as_ref().and(function),
            ..region.clone()
        },
        cells,
        body: place.into(),
    })
}

/// What the innermost of perfectly nested loops repeats, without braces.
fn innermost(code: &Code, tokens: Range<usize>) -> Option<Range<usize>> {
    let mut body = None;
    let mut at = tokens.start;
    while code.word(at) == "for" && code.opens(at + 1, "(") {
        let start = code.skip(at + 1);
        let end = csource::statement_end(code, start, tokens.end);
        let inner = match code.opens(start, "{") {
            true => start + 1..code.skip(start) - 1,
            false => start..end,
        };
        if inner.is_empty()
            || csource::statement_end(code, at, tokens.end) != tokens.end && body.is_none()
        {
            return None;
        }
        at = inner.start;
        let goes_on =
            code.word(at) == "for" && csource::statement_end(code, at, inner.end) == inner.end;
        body = Some(inner);
        if !goes_on {
            break;
        }
    }
    body
}

/// The type of a number by its name, through typedefs of the file.
fn number_type(texts: &[&str], words: &str) -> Option<CType> {
    CType::parse(words).or_else(|| match csource::typedefs(texts, words).as_slice() {
        [one] => CType::parse(one),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
