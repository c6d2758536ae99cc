//! The text that pet gets: the region and what it needs, not the user's whole file.
//!
//! libpet reads C through clang, stops at what clang calls an error anywhere in the file, and ends
//! at the sight of some calls. So functions that the region does not need lose their bodies, those
//! that it calls are marked `inline` and stand before their callers, for pet reads no others, and
//! pragmas stand around the one region that is meant.

use super::calls::{callees_first, macros, needed_functions, tokens_in};
use super::members::StandIns;
use super::pass::Pass;
use super::region::{Region, scop_pragma};
use crate::csource::{self, Code, Function, TokenKind};
use std::collections::BTreeSet;
use std::ops::Range;

/// A text made of pieces of the user's, with a map back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduced {
    /// What pet reads.
    pub text: String,
    /// What has changed it.
    pub passes: BTreeSet<Pass>,
    pieces: Vec<Piece>,
}

/// Bytes of the reduced text and where they come from.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    start: usize,
    original: usize,
    /// Byte by byte from the user's text; otherwise inserted at `original`.
    copied: bool,
}

impl Reduced {
    /// The user's text as it is.
    pub fn unchanged(text: &str) -> Reduced {
        let mut writer = Writer::default();
        writer.copy(text, 0..text.len());
        writer.finish()
    }

    /// A text with edits, and where its parts come from.
    pub fn edited(text: &str, edits: &[csource::Edit]) -> Reduced {
        apply(text, edits.iter().map(replaced).collect())
    }

    /// Whether one pass has made it, and no other.
    pub fn is_made_by(&self, pass: Pass) -> bool {
        self.passes == BTreeSet::from([pass])
    }

    /// A text that was made of another one, which was made of the user's.
    #[must_use]
    pub fn made_of(self, first: &Reduced) -> Reduced {
        let mut writer = Writer::default();
        let ends = (self.pieces.iter().skip(1)).map(|p| p.start);
        for (piece, end) in self.pieces.iter().zip(ends.chain([self.text.len()])) {
            let what = &self.text[piece.start..end];
            if !piece.copied {
                writer.insert(first.original(piece.original), what);
                continue;
            }
            let from = piece.original..piece.original + what.len();
            let inside = first.pieces.iter().map(|p| p.start);
            let mut starts: Vec<usize> = inside.filter(|s| from.contains(s)).collect();
            starts.retain(|&start| start != from.start);
            starts.insert(0, from.start);
            for (index, &start) in starts.iter().enumerate() {
                let stop = starts.get(index + 1).copied().unwrap_or(from.end);
                writer.piece(first.original(start), first.is_copied(start));
                let part = start - from.start..stop - from.start;
                writer.text.push_str(&what[part]);
            }
        }
        let mut made = writer.finish();
        made.passes = &self.passes | &first.passes;
        made
    }

    /// The same text, to which a pass has been applied.
    #[must_use]
    pub fn by(mut self, pass: Pass) -> Reduced {
        self.passes.insert(pass);
        self
    }

    /// The place in the user's text of a place in the reduced one.
    pub fn original(&self, at: usize) -> usize {
        let index = self.pieces.partition_point(|p| p.start <= at);
        match index.checked_sub(1).and_then(|i| self.pieces.get(i)) {
            Some(piece) if piece.copied => piece.original + (at - piece.start),
            Some(piece) => piece.original,
            None => at,
        }
    }

    /// The place in the user's text of a range; its end is that of its last byte.
    pub fn original_range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.original(range.start);
        let end = match range.end > range.start {
            true => {
                let last = self.original(range.end - 1);
                last + usize::from(self.is_copied(range.end - 1))
            }
            false => start,
        };
        start..end.max(start)
    }

    /// Where the text goes on that is at a place of the user's.
    pub fn copied(&self, original: usize) -> Option<usize> {
        let ends = self.pieces.iter().skip(1).map(|next| next.start);
        let pieces = self.pieces.iter().zip(ends.chain([self.text.len()]));
        let of_piece = pieces.filter_map(|(piece, end)| {
            let offset = original.checked_sub(piece.original)?;
            (piece.copied && offset <= end - piece.start).then_some(piece.start + offset)
        });
        of_piece.last()
    }

    fn is_copied(&self, at: usize) -> bool {
        let index = self.pieces.partition_point(|p| p.start <= at);
        (index.checked_sub(1)).is_some_and(|i| self.pieces[i].copied)
    }
}

/// Writes a reduced text.
#[derive(Debug, Clone, Default)]
pub(super) struct Writer {
    text: String,
    pieces: Vec<Piece>,
}

impl Writer {
    fn piece(&mut self, original: usize, copied: bool) {
        self.pieces.push(Piece {
            start: self.text.len(),
            original,
            copied,
        });
    }

    pub(super) fn copy(&mut self, from: &str, range: Range<usize>) {
        if !range.is_empty() {
            self.piece(range.start, true);
            self.text.push_str(&from[range]);
        }
    }

    /// A blank in place of a part; texts that differ there alone become equal.
    fn blank(&mut self, from: &str, range: Range<usize>) {
        match &from[range.clone()] {
            "" => {}
            text if text.contains('\n') => self.insert(range.start, "\n"),
            _ => self.insert(range.start, " "),
        }
    }

    pub(super) fn insert(&mut self, at: usize, what: &str) {
        self.piece(at, false);
        self.text.push_str(what);
    }

    pub(super) fn finish(self) -> Reduced {
        Reduced {
            text: self.text,
            passes: BTreeSet::new(),
            pieces: self.pieces,
        }
    }
}

/// What happens at a place of the user's text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Change {
    Insert(String),
    /// A function's text, made inline, without the `return;` that ends it.
    Copy(Range<usize>, Option<usize>),
    Blank(usize),
    Replace(usize, String),
}

/// What clang warns of is no concern here, and what newer versions of C forbid is accepted as
/// compilers do by default.
const PRELUDE: &str = "#pragma clang diagnostic ignored \"-Weverything\"\n";

/// The region and what it needs. `include` gives the path of a file that the user's text includes
/// by a name in quotes, where it lies beside it; `stand_ins` is what stands for members of structs.
pub fn reduce(
    text: &str,
    region: &Region,
    include: &dyn Fn(&str) -> Option<String>,
    stand_ins: &StandIns,
) -> Reduced {
    let code = Code::new(text);
    let functions = csource::functions(text);
    let macros = macros(&code);
    let needed = needed_functions(&code, &functions, &macros, region);
    let needed = callees_first(&code, &macros, &needed, region);
    let mut changes = marks(&code, region, include, &stand_ins.declarations);
    if stand_ins.declares_later {
        changes.extend(later_functions(&code));
    }
    // pet does not compute all that it knows.
    changes.extend(csource::evaluate_constants(&code).iter().map(replaced));
    changes.extend(stand_ins.edits.iter().map(replaced));
    for function in &functions {
        if (region.function.as_ref()).is_some_and(|f| f.body == function.body) {
            changes.extend(without_rest(&code, function, region));
            continue;
        }
        if needed.iter().all(|(f, _)| f.body != function.body) {
            changes.extend(without_body(&code, function));
        }
    }
    for (function, moves) in &needed {
        changes.extend(made_inline(&code, function, *moves, region));
    }
    let mut passes = BTreeSet::new();
    if !needed.is_empty() {
        passes.insert(Pass::Calls);
    }
    if !stand_ins.edits.is_empty() {
        passes.insert(Pass::Members);
    }
    Reduced {
        passes,
        ..apply(text, changes)
    }
}

/// Declarations of functions that the text calls before them.
fn later_functions(code: &Code) -> impl Iterator<Item = (usize, Change)> + use<> {
    let edits = csource::declare_later_functions(code).into_iter();
    edits.map(|edit| (edit.range.start, Change::Insert(edit.replacement)))
}

/// An edit as a change.
fn replaced(edit: &csource::Edit) -> (usize, Change) {
    let change = Change::Replace(edit.range.end, edit.replacement.clone());
    (edit.range.start, change)
}

/// The whole text as it is.
pub fn whole(text: &str) -> Reduced {
    apply(text, vec![(0, Change::Insert(PRELUDE.to_string()))])
}

/// The whole text with pragmas around the region, for where [`reduce`] takes something away that
/// was needed.
pub fn mark(text: &str, region: &Region, include: &dyn Fn(&str) -> Option<String>) -> Reduced {
    apply(text, marks(&Code::new(text), region, include, ""))
}

fn marks(
    code: &Code,
    region: &Region,
    include: &dyn Fn(&str) -> Option<String>,
    declarations: &str,
) -> Vec<(usize, Change)> {
    let mut changes: Vec<(usize, Change)> = vec![(0, Change::Insert(PRELUDE.to_string()))];
    changes.extend(around(code.text, region, declarations));
    changes.extend(includes(code, include));
    let others = other_pragmas(code).into_iter();
    changes.extend(others.filter(|(at, _)| !region.span.contains(at)));
    changes.extend(pragmas_of_loops(code));
    changes
}

/// Pragmas where the user has none, and declarations before them, in a block of their own then.
fn around(text: &str, region: &Region, declarations: &str) -> Vec<(usize, Change)> {
    let line_start = text[..region.span.start].rfind('\n').map_or(0, |at| at + 1);
    match (region.marked, declarations) {
        (true, "") => return Vec::new(),
        (true, _) => return vec![(line_start, Change::Insert(declarations.to_string()))],
        (false, _) => {}
    }
    // All that a loop or a condition has is in no block either, where pet looks for pragmas.
    let before = text[..region.span.start].trim_end();
    let is_alone = before.ends_with(')') || before.ends_with("else") || before.ends_with("do");
    let (open, close) = match declarations.is_empty() && !is_alone {
        true => (String::new(), ""),
        false => (format!("{{\n{declarations}"), "}\n"),
    };
    // Inside of a line, the pragma needs one of its own.
    let (at, blank) = match text[line_start..region.span.start].trim().is_empty() {
        true => (line_start, ""),
        false => (region.span.start, "\n"),
    };
    vec![
        (at, Change::Insert(format!("{blank}{open}#pragma scop\n"))),
        (
            region.span.end,
            Change::Insert(format!("\n#pragma endscop\n{close}")),
        ),
    ]
}

/// What follows the region in its function goes: pet tells it from the region by places, and what
/// a macro expands to has none of its own.
fn without_rest(code: &Code, function: &Function, region: &Region) -> Vec<(usize, Change)> {
    let mut changes = vec![(function.body.end, kept_labels(code, function, region))];
    let mut block = function.body.clone();
    loop {
        let statements = csource::split_statements(code.text, block.clone());
        for rest in statements.iter().filter(|s| s.start >= region.span.end) {
            changes.extend(blank_but_directives(code, rest));
        }
        let around = (statements.into_iter())
            .find(|s| s.start < region.span.start && region.span.end < s.end);
        let inner = around.and_then(|s| block_around(code, &s, &region.span));
        match inner {
            Some(inner) if inner.len() < block.len() => block = inner,
            _ => return changes,
        }
    }
}

/// The labels behind a region, which jumps before it name.
fn kept_labels(code: &Code, function: &Function, region: &Region) -> Change {
    let labels = tokens_in(code, &(region.span.end..function.body.end))
        .filter(|&at| csource::is_label(code, at) && code.text.contains("goto"))
        .map(|at| format!(" {}: ;", code.word(at)));
    Change::Insert(labels.collect())
}

/// The inside of the outermost braces of a statement that hold a region.
fn block_around(code: &Code, stmt: &Range<usize>, region: &Range<usize>) -> Option<Range<usize>> {
    (0..code.tokens.len()).find_map(|index| {
        let open = &code.tokens[index].span;
        if open.start < stmt.start || open.end > region.start || !code.opens(index, "{") {
            return None;
        }
        let close = &code.tokens[code.skip(index) - 1].span;
        (region.end <= close.start && close.end <= stmt.end).then_some(open.end..close.start)
    })
}

/// Files included from beside the user's, by their whole path.
fn includes(code: &Code, include: &dyn Fn(&str) -> Option<String>) -> Vec<(usize, Change)> {
    (code.all.iter())
        .filter(|t| t.kind == TokenKind::Directive)
        .filter_map(|token| {
            let directive = &code.text[token.span.clone()];
            let name = csource::quoted_include(directive)?;
            let path = include(&directive[name.clone()])?;
            let (start, end) = (token.span.start + name.start, token.span.start + name.end);
            Some((start, Change::Replace(end, path)))
        })
        .collect()
}

/// A function that the region calls: inline, where it stands or before the region's own function.
fn made_inline(
    code: &Code,
    function: &Function,
    moves: bool,
    region: &Region,
) -> Vec<(usize, Change)> {
    let text = code.text;
    // libpet ends at the sight of one without a value.
    let mut changes: Vec<(usize, Change)> = (last_return(code, function).into_iter())
        .map(|last| (last.start, Change::Blank(last.end)))
        .collect();
    if !moves {
        changes.push((function.start, Change::Insert("inline ".to_string())));
        return changes;
    }
    let end = text[function.body.end..]
        .find('}')
        .map_or(text.len(), |at| function.body.end + at + 1);
    let before = (region.function.as_ref()).map_or(region.span.start, |f| {
        csource::insertion_point(text, f.start_with_comment)
    });
    let last = changes.pop().map(|(at, _)| at);
    vec![
        (before, Change::Copy(function.start..end, last)),
        (function.start, Change::Blank(end)),
    ]
}

/// `return;` at the end of a function.
fn last_return(code: &Code, function: &Function) -> Option<Range<usize>> {
    let end = (code.tokens).partition_point(|t| t.span.end <= function.body.end);
    let start = end.checked_sub(2)?;
    let is_last = code.word(start) == "return" && code.word(start + 1) == ";";
    (is_last && code.tokens[start].span.start >= function.body.start)
        .then(|| code.bytes(start..end))
}

/// A function with an empty body.
fn without_body(code: &Code, function: &Function) -> Vec<(usize, Change)> {
    blank_but_directives(code, &function.body)
}

/// Blanks for all but the directives in a range.
fn blank_but_directives(code: &Code, range: &Range<usize>) -> Vec<(usize, Change)> {
    let mut changes = Vec::new();
    let mut at = range.start;
    let directives = (code.all.iter()).filter(|t| {
        t.kind == TokenKind::Directive && range.start <= t.span.start && t.span.end <= range.end
    });
    for directive in directives {
        changes.push((at, Change::Blank(directive.span.start)));
        at = directive.span.end;
    }
    changes.push((at, Change::Blank(range.end)));
    changes
}

/// All pragmas of regions.
fn other_pragmas(code: &Code) -> Vec<(usize, Change)> {
    (code.all.iter())
        .filter(|t| t.kind == TokenKind::Directive)
        .filter(|t| scop_pragma(&code.text[t.span.clone()]).is_some())
        .map(|t| (t.span.start, Change::Blank(t.span.end)))
        .collect()
}

/// Pragmas that tell a compiler how to translate a loop, which pet does not read.
fn pragmas_of_loops(code: &Code) -> Vec<(usize, Change)> {
    (code.all.iter())
        .filter(|t| t.kind == TokenKind::Directive)
        .filter(|t| csource::is_of_loop(&code.text[t.span.clone()]))
        .map(|t| (t.span.start, Change::Blank(t.span.end)))
        .collect()
}

fn apply(text: &str, mut changes: Vec<(usize, Change)>) -> Reduced {
    changes.sort_by_key(|(at, _)| *at);
    let mut writer = Writer::default();
    let mut at = 0;
    for (start, change) in changes {
        // What lies in text that is gone already needs no change.
        if start < at {
            continue;
        }
        writer.copy(text, at..start);
        at = start;
        match change {
            Change::Insert(what) => writer.insert(start, &what),
            Change::Copy(range, last) => {
                writer.insert(range.start, "inline ");
                let last = last.unwrap_or(range.end);
                writer.copy(text, range.start..last);
                let rest = &text[last..range.end];
                let return_end = last + rest.find(';').map_or(rest.len(), |at| at + 1);
                writer.blank(text, last..return_end.min(range.end));
                writer.copy(text, return_end.min(range.end)..range.end);
                writer.insert(range.end, "\n");
            }
            Change::Blank(end) => {
                writer.blank(text, start..end.max(start));
                at = end.max(start);
            }
            Change::Replace(end, what) => {
                writer.insert(start, &what);
                at = end.max(start);
            }
        }
    }
    writer.copy(text, at..text.len());
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::super::region::{marked_regions, time_loops};
    use super::*;

    const TEXT: &str = "\
#include \"sizes.h\"
static int other(void) {
#define M 3
  return printf(\"ä}\"); }
void later(int n, float *a);
int main(void) {
  int n = 3; for (int t = 0; t < 9; t++)
    later(n, a);
}
void later(int n, float *a) { for (int i = 0; i < n; i++) a[i] = 1; }
";

    #[test]
    fn only_what_the_region_needs_is_left() {
        let regions = time_loops(TEXT);
        let reduced = reduce(
            TEXT,
            &regions[0],
            &|name| Some(format!("/p/{name}")),
            &StandIns::default(),
        );
        let expected = "\
#include \"/p/sizes.h\"
static int other(void) {
#define M 3
}
void later(int n, float *a);
inline void later(int n, float *a) { for (int i = 0; i < n; i++) a[i] = 1; }
int main(void) {
  int n = 3; 
#pragma scop
for (int t = 0; t < 9; t++)
    later(n, a);
#pragma endscop

}
";
        let got = reduced.text.strip_prefix(PRELUDE).expect("the prelude");
        assert_eq!(got.trim_end(), expected.trim_end());
    }

    #[test]
    fn places_lead_back() {
        let regions = time_loops(TEXT);
        let reduced = reduce(TEXT, &regions[0], &|_| None, &StandIns::default());
        for what in ["a[i] = 1;", "later(n, a);", "int main"] {
            let at = reduced.text.find(what).expect(what);
            let range = reduced.original_range(at..at + what.len());
            assert_eq!(&TEXT[range], what);
        }
        let unchanged = Reduced::unchanged(TEXT);
        assert_eq!(
            (unchanged.text.as_str(), unchanged.original(17)),
            (TEXT, 17)
        );
    }

    #[test]
    fn what_follows_the_region_goes() {
        let text = "\
void f(void) {
  if (x) {
    for (t = 0; t < 9; t++) for (i = 0; i < 9; i++) a[i] = t;
    REST(a);
#define M 3
    more();
  } else { other(); }
  do { y(); } while (z);
}
";
        let reduced = reduce(text, &time_loops(text)[0], &|_| None, &StandIns::default());
        for gone in ["REST", "more()", "y()"] {
            assert!(!reduced.text.contains(gone), "{}", reduced.text);
        }
        for kept in ["#define M 3", "other()", "for (i"] {
            assert!(reduced.text.contains(kept), "{}", reduced.text);
        }
    }

    #[test]
    fn labels_behind_the_region_stay() {
        let text = "void f(int n) {\nif (n) goto end;\nfor (int t = 0; t < 3; t++) for (int i = 0; i < 3; i++) a[i] = t;\nfree(a);\nend: free(b);\n}\n";
        let region = crate::front::c::region::time_loops(text).swap_remove(0);
        let reduced = reduce(text, &region, &|_| None, &StandIns::default());
        assert!(
            reduced.text.contains(" end: ;}") && !reduced.text.contains("free"),
            "{}",
            reduced.text
        );
    }

    #[test]
    fn pragmas_of_loops_go() {
        let text = "void f(void) {\nfor (int t = 0; t < 3; t++)\n#pragma unroll (4)\nfor (int i = 0; i < 3; i++) a[i] = t;\n}\n";
        let region = crate::front::c::region::time_loops(text).swap_remove(0);
        let reduced = reduce(text, &region, &|_| None, &StandIns::default());
        assert!(!reduced.text.contains("unroll"), "{}", reduced.text);
    }

    #[test]
    fn pragmas_of_other_regions_go() {
        let text = "void f(void) {\n#pragma scop\na;\n#pragma endscop\n#pragma scop\nb;\n#pragma endscop\n}\n";
        let regions = marked_regions(text);
        let reduced = reduce(text, &regions[1], &|_| None, &StandIns::default());
        assert_eq!(reduced.text.matches("#pragma scop").count(), 1);
        let at = reduced.text.find("#pragma scop").expect("one stays");
        assert_eq!(reduced.original(at), regions[1].span.start);
    }
}
