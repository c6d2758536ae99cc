//! The text that a scop comes from.

use crate::csource::{self, Edit, EditError, apply_edits, moved};
use hexcc_pet::data::Span;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A C file as the user wrote it, and behind it what is read of other files of the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Path as given on the command line.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// Where the text is made of several files: its pieces in order, from its begin on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<OfOther>,
    /// What of the text is of other files, in its order; nothing follows it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OfOther>,
    /// The source before a loop of it was written again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<Before>>,
}

/// A source before a loop of it was written again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Before {
    /// The source.
    pub source: SourceFile,
    /// The loop in it.
    pub range: Range<usize>,
    /// The loop in the text that there is now.
    pub now: Range<usize>,
    /// Its statements: the bytes of the text that there is now, and those before.
    pub statements: Vec<(Range<usize>, Range<usize>)>,
    /// The place of the loop over the steps that are to be tiled, in the text that there is now, where [`FOLLOWING`] steps with
    /// the same body certainly follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed: Option<usize>,
    /// The time loop that the program takes some steps of and then looks at what they have recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub converging: Option<usize>,
    /// The arrays of what the steps of that one record, of which each number begins with zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from_zero: Vec<String>,
}

/// How many steps follow those of a loop that is followed by some of its own.
pub const FOLLOWING: u32 = 2;

/// A part of the text that is of another file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfOther {
    /// Where it begins in the text; it ends where the next one begins.
    pub start: usize,
    /// Path of its file.
    pub path: String,
    /// The text of that.
    pub text: String,
    /// Where the part begins in it.
    pub original: usize,
}

/// What places of a scop are, such as [`Statement::span`](super::Statement::span).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locations {
    /// Bytes of the text of a [`SourceFile`].
    Text,
    /// Numbers of statements, in textual order: a program has built the stencil, and there is no text; or bytes of one that is
    /// no C, which [`Stencil::located`](crate::stencil::Stencil::located) has given.
    Statements,
}

/// Lines of a statement, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The first.
    pub first: usize,
    /// The last.
    pub last: usize,
}

impl std::fmt::Display for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.first < self.last {
            true => write!(f, "lines {} to {}", self.first, self.last),
            false => write!(f, "line {}", self.first),
        }
    }
}

/// What is around a region.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// The file; one without path and text where there is none.
    pub source: &'a SourceFile,
    /// Arrays that are a function's own.
    pub own: &'a [OwnArray],
    /// Nests are translated, and the loop around them stays on the host.
    pub nests: bool,
    /// The name of a stencil that a program has built.
    pub name: Option<&'a str>,
}

/// An array of a function whose elements nothing but subscripts reaches, so that what is behind the last of them
/// does not see it: a variable, or memory of its own that one points to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnArray {
    /// Its name, which no other variable of the function has.
    pub name: String,
    /// From the first of its subscripts to the last.
    pub uses: Span,
}

impl OwnArray {
    /// Whether it is used in a region alone.
    pub fn is_of(&self, region: &Range<usize>) -> bool {
        region.start <= self.uses.start && self.uses.end <= region.end
    }
}

/// A part of a file that a program is made of.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Path of the file.
    pub path: String,
    /// The whole text of that.
    pub text: String,
    /// The bytes of it that are taken.
    pub range: std::ops::Range<usize>,
}

/// A file and an offset in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// Path as given on the command line.
    pub path: &'a str,
    /// The whole text.
    pub text: &'a str,
    /// Bytes before the place.
    pub offset: usize,
    /// The bytes of what is there, where its text was another one.
    pub len: Option<usize>,
}

impl SourceFile {
    /// A file that is all of a program.
    pub fn new(path: String, text: String) -> SourceFile {
        SourceFile {
            path,
            text,
            pieces: Vec::new(),
            others: Vec::new(),
            before: None,
        }
    }

    /// A file made of pieces of several ones; the first is its own.
    pub fn of_pieces(pieces: Vec<Piece>) -> SourceFile {
        let mut source = SourceFile::default();
        let is_one = pieces.len() == 1;
        for piece in pieces {
            if source.path.is_empty() {
                source.path.clone_from(&piece.path);
            }
            let part = &piece.text[piece.range.clone()];
            if !source.text.is_empty() && !source.text.ends_with('\n') && !part.starts_with('\n') {
                source.text.push('\n');
            }
            let start = source.text.len();
            source.text.push_str(part);
            if !is_one {
                source.pieces.push(OfOther {
                    start,
                    path: piece.path,
                    text: piece.text,
                    original: piece.range.start,
                });
            }
        }
        source
    }

    /// Puts a part of another file behind the text.
    pub fn push(&mut self, path: &str, text: &str, part: std::ops::Range<usize>) {
        self.text.push('\n');
        self.others.push(OfOther {
            start: self.text.len(),
            path: path.to_string(),
            text: text.to_string(),
            original: part.start,
        });
        self.text.push_str(&text[part]);
        self.text.push('\n');
    }

    /// The text of the file itself.
    pub fn own_text(&self) -> &str {
        let end = self.others.first().map_or(self.text.len(), |o| o.start - 1);
        self.text.get(..end).unwrap_or(&self.text)
    }

    /// Where an offset in the text is.
    pub fn place(&self, at: usize) -> Place<'_> {
        if let Some(before) = &self.before {
            return before.place(at);
        }
        let before = |other: &&OfOther| other.start <= at;
        let piece = self.pieces.iter().rfind(before);
        match self.others.iter().rfind(before).or(piece) {
            None => Place {
                path: &self.path,
                text: self.own_text(),
                offset: at,
                len: None,
            },
            Some(other) => Place {
                path: &other.path,
                text: &other.text,
                offset: (other.original + at - other.start).min(other.text.len()),
                len: None,
            },
        }
    }

    /// The line of an offset, in its file.
    pub fn line(&self, at: usize) -> usize {
        let place = self.place(at);
        csource::line_col(place.text, place.offset).0
    }

    /// The lines of a statement that begins at an offset, or in a line where that tells more, as the user wrote it.
    pub fn lines(&self, at: usize, (first, last): (usize, usize)) -> Lines {
        let Some(before) = &self.before else {
            return Lines { first, last };
        };
        let mut place = before.place(at);
        // What the front end has put together begins in no statement of its own.
        if place.len == Some(before.range.len()) {
            let above = self
                .text
                .split_inclusive('\n')
                .take(first.saturating_sub(1));
            let start: usize = above.map(str::len).sum();
            let text = &self.text[start..];
            place = before.place(start + text.len() - text.trim_start().len());
        }
        let line = |at: usize| csource::line_col(place.text, at).0;
        Lines {
            first: line(place.offset),
            last: line(place.offset + place.len.unwrap_or(1).max(1) - 1),
        }
    }

    /// The text with others in the place of some bytes.
    ///
    /// # Errors
    /// Places that collide.
    pub fn with(&self, texts: Vec<(Range<usize>, String)>) -> Result<SourceFile, EditError> {
        let edit = |(range, replacement)| Edit { range, replacement };
        self.edited(texts.into_iter().map(edit).collect())
    }

    /// The text after edits.
    ///
    /// # Errors
    /// Edits that collide.
    pub fn edited(&self, edits: Vec<Edit>) -> Result<SourceFile, EditError> {
        let mut edited = self.clone();
        for other in edited.others.iter_mut().chain(&mut edited.pieces) {
            other.start = moved(other.start, &edits);
        }
        edited.text = apply_edits(&self.text, edits)?;
        Ok(edited)
    }

    /// The source with a loop written again; of its statements, the bytes of the new text and those of this source.
    ///
    /// # Errors
    /// A place outside of the text.
    pub fn rewritten(
        &self,
        range: Range<usize>,
        text: &str,
        statements: &[(Range<usize>, Range<usize>)],
    ) -> Result<SourceFile, EditError> {
        let start = range.start;
        let moved = |r: &Range<usize>| start + r.start..start + r.end;
        let edited = self.edited(vec![Edit {
            range: range.clone(),
            replacement: text.to_string(),
        }])?;
        let before = Before {
            source: self.clone(),
            range,
            now: start..start + text.len(),
            statements: (statements.iter())
                .map(|(now, before)| (moved(now), before.clone()))
                .collect(),
            followed: None,
            converging: None,
            from_zero: Vec::new(),
        };
        Ok(SourceFile {
            before: Some(Box::new(before)),
            ..edited
        })
    }

    /// The same, where the program looks at what the steps of the time loop at a place record, if it does: in some arrays beginning with zero.
    pub fn converging(mut self, at: usize, from_zero: Option<&[String]>) -> SourceFile {
        if let (Some(before), Some(from_zero)) = (self.before.as_mut(), from_zero) {
            before.converging = Some(at);
            before.from_zero = from_zero.to_vec();
        }
        self
    }

    /// Whether what the steps of such a time loop record in an array, which no other variable is called like, begins with zero.
    pub(crate) fn begins_with_zero(&self, array: &str) -> bool {
        let is_it = |before: &Before| {
            let here = before.from_zero.iter().any(|name| name == array);
            here || before.source.begins_with_zero(array)
        };
        self.before.as_deref().is_some_and(is_it)
    }

    /// Whether the program looks at what the steps of a loop record, before it relies on them.
    pub(crate) fn is_converging(&self, place: &Range<usize>) -> bool {
        self.has(place, |before| before.converging)
    }

    /// The same, where so many steps follow the time loop at a place.
    pub fn followed(mut self, (at, steps): (usize, u32)) -> SourceFile {
        if let Some(before) = self.before.as_mut().filter(|_| steps >= FOLLOWING) {
            before.followed = Some(at);
        }
        self
    }

    /// Whether [`FOLLOWING`] steps with the same body follow the time loop at a place.
    pub(crate) fn is_followed(&self, place: &Range<usize>) -> bool {
        self.has(place, |before| before.followed)
    }

    /// Whether a place holds one that is known of a loop that was written again.
    fn has(&self, place: &Range<usize>, known: fn(&Before) -> Option<usize>) -> bool {
        let Some(before) = &self.before else {
            return false;
        };
        let earlier = || {
            let (start, end) = (
                before.outside(place.start)?,
                before.outside(place.end - 1)? + 1,
            );
            Some(before.source.has(&(start..end), known))
        };
        known(before).is_some_and(|at| place.contains(&at)) || earlier().unwrap_or(false)
    }

    /// The source that no loop of was written again.
    pub fn first(&self) -> &SourceFile {
        match &self.before {
            Some(before) => before.source.first(),
            None => self,
        }
    }

    /// The text of the file itself, as the user wrote it.
    pub fn written(&self) -> &str {
        self.first().own_text()
    }

    /// What a part of the text was in the [first](Self::first) one: all of a loop that was written again, for a part of it.
    pub fn range_at_first(&self, part: &Range<usize>) -> Range<usize> {
        let Some(before) = &self.before else {
            return part.clone();
        };
        let start = before.outside(part.start).unwrap_or(before.range.start);
        let last = before.outside(part.end.max(part.start + 1) - 1);
        let end = last.map_or(before.range.end, |last| last + 1);
        before.source.range_at_first(&(start..end))
    }
}

impl Before {
    /// An offset of the text that there is now in the source before; `None` within the loop.
    fn outside(&self, at: usize) -> Option<usize> {
        match at {
            _ if at < self.now.start => Some(at),
            _ if at < self.now.end => None,
            _ => Some(at - self.now.end + self.range.end),
        }
    }

    /// Whether an offset in the text that there is now is in a loop that was written again.
    pub fn has_written(&self, at: usize) -> bool {
        let earlier = |at| (self.source.before.as_ref()).is_some_and(|b| b.has_written(at));
        self.outside(at).is_none_or(earlier)
    }

    /// Where an offset in the text that there is now was.
    fn place(&self, at: usize) -> Place<'_> {
        if let Some(at) = self.outside(at) {
            return self.source.place(at);
        }
        let holds = |(now, _): &&(Range<usize>, Range<usize>)| now.contains(&at);
        let all = self.statements.iter().filter(holds);
        let innermost = all.min_by_key(|(now, _)| now.len());
        let place = innermost.map_or(&self.range, |(_, before)| before);
        Place {
            len: Some(place.len()),
            ..self.source.place(place.start)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_other_files_are_theirs() {
        let mut source = SourceFile::new("main.c".to_string(), "int x;\n".to_string());
        let other = "// head\n\nvoid step(void) {\n}\n";
        source.push("step.c", other, 9..27);
        assert_eq!(source.own_text(), "int x;\n");
        assert_eq!(source.place(4).path, "main.c");
        let at = source.text.find("step").unwrap_or_default();
        let place = source.place(at);
        assert_eq!(
            (place.path, &place.text[place.offset..place.offset + 4]),
            ("step.c", "step")
        );
        assert_eq!((source.line(4), source.line(at)), (1, 3));
    }

    #[test]
    fn places_of_a_loop_written_again_are_those_before() {
        let before = SourceFile::new(
            "a.c".to_string(),
            "int n;\nfor (;;) {\n  step();\n}\nint m;\n".to_string(),
        );
        let place = |source: &SourceFile, what: &str| {
            let place = source.place(source.text.find(what).unwrap_or_default());
            let end = place.offset + place.len.unwrap_or(what.len());
            (
                source.line(source.text.find(what).unwrap_or_default()),
                place.text[place.offset..end].to_string(),
            )
        };
        let text = "{ k = 0;\n\n\n for (;;) { a[i] = 0; } }";
        let statements = [(12..33, 7..31), (23..32, 20..27)];
        let Ok(source) = before.rewritten(7..31, text, &statements) else {
            unreachable!("the range is one of the text")
        };
        assert_eq!(place(&source, "n;"), (1, "n;".to_string()));
        assert_eq!(place(&source, "a[i]"), (3, "step();".to_string()));
        assert_eq!(place(&source, "k = 0").0, 2);
        assert_eq!(place(&source, "m;"), (5, "m;".to_string()));
        assert_eq!(source.written(), before.text);
    }

    #[test]
    fn pieces_of_included_files_have_their_places() {
        let main = "int n;\n#include \"step.c\"\nint m;\n";
        let step = "// head\nvoid step(void) {}\n";
        let of = |path: &str, text: &str, range| Piece {
            path: path.to_string(),
            text: text.to_string(),
            range,
        };
        let source = SourceFile::of_pieces(vec![
            of("main.c", main, 0..7),
            of("step.c", step, 0..step.len()),
            of("main.c", main, 25..main.len()),
        ]);
        let place = |what: &str| {
            let at = source.text.find(what).unwrap_or_default();
            (source.place(at).path, source.line(at))
        };
        assert_eq!(place("int n"), ("main.c", 1));
        assert_eq!(place("void"), ("step.c", 2));
        assert_eq!(place("int m"), ("main.c", 3));
        assert_eq!(source.own_text(), source.text);
    }
}
