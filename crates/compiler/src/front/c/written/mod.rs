//! The user's text in words that pet reads, and with what subscripts are computed by written out.
//!
//! pet follows a variable as long as its value is affine, and a call as long as what it returns is.
//! `int c = i*w + j;` and `u[idx(i, j)]` are neither, although [flat arrays](crate::scop) are read
//! where the subscript says it all. What is to stand in their place comes from clang's tree; here it is
//! put into the text, macros are expanded, and statements become plain.

mod plain;
mod returns;
mod several;
#[cfg(test)]
mod tests;

use super::calls::{called_functions, tokens_in};
use super::pass::Pass;
use super::reduce::Reduced;
use super::region::Region;
use crate::csource::{self, Code, Edit, Function, Macros, TokenKind};
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) use returns::returned_type;

/// The user's text with subscripts written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The text, with its places in the user's.
    pub reduced: Reduced,
    /// The region in it.
    pub region: Region,
}

/// Changes that passes have made from clang's tree, in some bytes each, and the names of these passes.
pub type Told<'a> = (&'a [(Range<usize>, String)], &'a [String]);

/// The changes of a pass in a part of the text.
type WriteOut = fn(&Code, Range<usize>, &[Function]) -> Vec<Edit>;

/// Rounds of changes, at most.
const MAX_ROUNDS: usize = 400;

/// Bytes that a text may grow by.
const MAX_GROWTH: usize = 200_000;

/// Macros in macros that are expanded, at most.
const DEEPEST: usize = 16;

/// The text with some changes in a region and in functions that it calls, which some passes have made from clang's
/// tree; `None` where nothing changes. `headers` are texts that the file includes, `defines` the macros of the command
/// line.
pub fn written_out(
    text: &str,
    (headers, defines): (&[String], &[String]),
    told: Told,
    region: &Region,
) -> Option<Written> {
    let texts: Vec<&str> = (std::iter::once(text))
        .chain(headers.iter().map(String::as_str))
        .collect();
    let known = Macros::new(&texts, defines);
    let mut written = Written::unchanged(text, region);
    let sure = sure_macros(text);
    let mut is_written = !told.0.is_empty();
    written.tell(told)?;
    for _ in 0..DEEPEST {
        let edits = expansions(&written, &known, &sure);
        if edits.is_empty() {
            break;
        }
        written.apply(edits, &[Pass::Macros])?;
    }
    let expanded = written.reduced.text.clone();
    written.make_plain()?;
    is_written |= written.reduced.text != expanded;
    is_written.then_some(written)
}

impl Written {
    /// The user's text as it is.
    pub fn unchanged(text: &str, region: &Region) -> Written {
        Written {
            reduced: Reduced::unchanged(text),
            region: region.clone(),
        }
    }

    /// The user's text in words that pet reads, with changes that come from clang's tree.
    pub fn plain(text: &str, told: Told, region: &Region) -> Written {
        let unchanged = Written::unchanged(text, region);
        let mut plain = unchanged.clone();
        match plain.tell(told).and_then(|()| plain.make_plain()) {
            Some(()) => plain,
            None => unchanged,
        }
    }

    /// Makes changes that come from clang's tree.
    fn tell(&mut self, (changes, passes): Told) -> Option<()> {
        if changes.is_empty() {
            return Some(());
        }
        let edit = |(range, text): &(Range<usize>, String)| Edit {
            range: range.clone(),
            replacement: text.clone(),
        };
        let passes: Vec<Pass> = passes
            .iter()
            .filter_map(|name| Pass::on_tree(name))
            .collect();
        self.apply(changes.iter().map(edit).collect(), &passes)
    }

    /// Puts what is not plain enough for pet in other words.
    fn make_plain(&mut self) -> Option<()> {
        for _ in 0..MAX_ROUNDS {
            let code = Code::new(&self.reduced.text);
            let functions = csource::functions(&self.reduced.text);
            let parts: Vec<Range<usize>> = self.parts();
            let all = |write: WriteOut| -> Vec<Edit> {
                let edits = |part| write(&code, tokens_in(&code, part), &functions);
                parts.iter().flat_map(edits).collect()
            };
            let passes: [(Pass, WriteOut); 2] = [
                (Pass::Plain, plain::write_out),
                (Pass::Returns, returns::write_out),
            ];
            let mut edits = passes.iter().map(|(pass, write)| (*pass, all(*write)));
            let Some((pass, edits)) = edits.find(|(_, edits)| !edits.is_empty()) else {
                break;
            };
            self.apply(edits, &[pass])?;
        }
        Some(())
    }

    /// Changes the text; `None` if it becomes too long.
    fn apply(&mut self, mut edits: Vec<Edit>, passes: &[Pass]) -> Option<()> {
        edits.sort_by_key(|e| (e.range.start, e.range.end));
        let text = &self.reduced.text;
        let span = &self.region.span;
        let span = csource::moved(span.start, &edits)..csource::moved(span.end, &edits);
        let grown: usize = edits.iter().map(|e| e.replacement.len()).sum();
        if grown > MAX_GROWTH || text.len() > 2 * MAX_GROWTH + self.reduced.original(text.len()) {
            return None;
        }
        let edited = Reduced::edited(text, &edits);
        let edited = passes.iter().fold(edited, |text, pass| text.by(*pass));
        self.reduced = edited.made_of(&self.reduced);
        let function = csource::enclosing_function(&self.reduced.text, span.start);
        self.region = Region {
            span,
            function,
            ..self.region.clone()
        };
        Some(())
    }

    /// The region, and the bodies of functions that it calls.
    fn parts(&self) -> Vec<Range<usize>> {
        let called = called_functions(&self.reduced.text, &self.region);
        std::iter::once(self.region.span.clone())
            .chain(called.into_iter().map(|f| f.body))
            .collect()
    }
}

fn edit(code: &Code, tokens: Range<usize>, replacement: String) -> Edit {
    Edit {
        range: code.bytes(tokens),
        replacement,
    }
}

/// Names of macros that the preprocessor defines in any case.
fn sure_macros(text: &str) -> BTreeSet<String> {
    let code = Code::new(text);
    (code.all.iter())
        .filter(|t| t.kind == TokenKind::Directive)
        .filter(|t| !csource::is_conditional(text, t.span.start))
        .filter_map(|t| csource::define(&text[t.span.clone()]))
        .map(|define| define.name.to_string())
        .collect()
}

/// Uses of macros that stand for expressions, expanded once.
fn expansions(written: &Written, known: &Macros, sure: &BTreeSet<String>) -> Vec<Edit> {
    let code = Code::new(&written.reduced.text);
    let mut edits = Vec::new();
    for part in written.parts() {
        let tokens = tokens_in(&code, &part);
        let mut at = tokens.start;
        while at < tokens.end {
            let name = code.word(at);
            let is_macro = code.is_ident(at) && sure.contains(name);
            let expanded = is_macro.then(|| known.expand(&code, at)).flatten();
            match expanded {
                Some((end, text))
                    if !text.contains([';', '{', '}', '"']) && !names(&text, name) =>
                {
                    edits.push(edit(&code, at..end, text));
                    at = end;
                }
                _ => at += 1,
            }
        }
    }
    edits
}

/// Whether a text has a name.
fn names(text: &str, name: &str) -> bool {
    let code = Code::new(text);
    (0..code.tokens.len()).any(|at| code.word(at) == name)
}
