//! What subscripts are computed by, written out: index variables, index functions, macros.
//!
//! pet follows a variable as long as its value is affine, and a call as long as what it returns is.
//! `int c = i*w + j;` and `u[idx(i, j)]` are neither, although [flat arrays](crate::scop) are read
//! where the subscript says it all. So subscripts and conditions get the expressions that variables
//! and calls stand for, in the text that pet gets.
//!
//! An expression takes the place of another one only if both have one type, or if nothing but sums
//! and products of it make a subscript: a number that is converted to another type is the same up
//! to a power of 2 there. Its variables have to be unchanged and visible where it stands.

mod addresses;
mod asserts;
mod counters;
mod derefs;
mod helpers;
mod plain;
mod pointers;
mod returns;
mod several;
#[cfg(test)]
mod tests;
mod types;
mod variables;

use super::calls::{called_functions, macros, needed_functions, tokens_in};
use super::pass::Pass;
use super::reduce::Reduced;
use super::region::Region;
use crate::csource::{self, Code, Edit, Function, Macros, Scope, TokenKind};
use std::collections::BTreeSet;
use std::ops::Range;
use types::Types;

pub use asserts::assertions;
pub(super) use helpers::has_directive;
pub(super) use returns::returned_type;

/// The user's text with subscripts written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The text, with its places in the user's.
    pub reduced: Reduced,
    /// The region in it.
    pub region: Region,
}

/// The changes of a pass in a part of the text.
type WriteOut = fn(&Code, Range<usize>, &[Function]) -> Vec<Edit>;

/// Rounds of changes, at most.
const MAX_ROUNDS: usize = 400;

/// Bytes that a text may grow by.
const MAX_GROWTH: usize = 200_000;

/// Macros in macros that are expanded, at most.
const DEEPEST: usize = 16;

/// The text with index variables and index functions written out in a region and in functions that
/// it calls; `None` where there are none. `headers` are texts that the file includes, `defines` the
/// macros of the command line, and `choices` what clang's tree has to stand in places of the text.
pub fn written_out(
    text: &str,
    (headers, defines): (&[String], &[String]),
    choices: &[(Range<usize>, String)],
    region: &Region,
) -> Option<Written> {
    let texts: Vec<&str> = (std::iter::once(text))
        .chain(headers.iter().map(String::as_str))
        .collect();
    let known = Macros::new(&texts, defines);
    let mut written = Written::unchanged(text, region);
    let sure = sure_macros(text);
    let chosen = within(&written.parts(), choices);
    let mut is_written = !chosen.is_empty();
    if is_written {
        written.apply(chosen, Pass::Choices)?;
    }
    for _ in 0..DEEPEST {
        let edits = expansions(&written, &known, &sure);
        if edits.is_empty() {
            break;
        }
        written.apply(edits, Pass::Macros)?;
    }
    let expanded = written.reduced.text.clone();
    written.make_plain()?;
    for _ in 0..MAX_ROUNDS {
        let Some((pass, edits)) = next_edits(&written) else {
            break;
        };
        written.apply(edits, pass)?;
    }
    is_written |= written.reduced.text != expanded;
    is_written.then_some(written)
}

/// Those of some changes that are in parts of the text.
fn within(parts: &[Range<usize>], texts: &[(Range<usize>, String)]) -> Vec<Edit> {
    let is_in = |range: &Range<usize>| {
        let mut parts = parts.iter();
        parts.any(|part| part.start <= range.start && range.end <= part.end)
    };
    let texts = texts.iter().filter(|(range, _)| is_in(range));
    let edit = |(range, text): &(Range<usize>, String)| Edit {
        range: range.clone(),
        replacement: text.clone(),
    };
    texts.map(edit).collect()
}

/// The functions of a file that stand for integer expressions, which change nothing.
pub(super) fn integer_functions(code: &Code) -> BTreeSet<String> {
    let helpers = helpers::helpers(code, &csource::functions(code.text));
    helpers.into_keys().collect()
}

impl Written {
    /// The user's text as it is.
    pub fn unchanged(text: &str, region: &Region) -> Written {
        Written {
            reduced: Reduced::unchanged(text),
            region: region.clone(),
        }
    }

    /// The user's text in words that pet reads.
    pub fn plain(text: &str, region: &Region) -> Written {
        let unchanged = Written::unchanged(text, region);
        let mut plain = unchanged.clone();
        match plain.make_plain() {
            Some(()) => plain,
            None => unchanged,
        }
    }

    /// Puts what is not plain enough for pet in other words.
    fn make_plain(&mut self) -> Option<()> {
        for _ in 0..MAX_ROUNDS {
            let code = Code::new(&self.reduced.text);
            let functions = csource::functions(&self.reduced.text);
            let parts: Vec<Range<usize>> = self.parts();
            let all = |write: WriteOut| -> Vec<Edit> {
                let parts = parts.iter();
                parts
                    .flat_map(|part| write(&code, tokens_in(&code, part), &functions))
                    .collect()
            };
            let passes: [(Pass, WriteOut); 2] = [
                (Pass::Plain, plain::write_out),
                (Pass::Returns, returns::write_out),
            ];
            let mut edits = passes.iter().map(|(pass, write)| (*pass, all(*write)));
            let Some((pass, edits)) = edits.find(|(_, edits)| !edits.is_empty()) else {
                break;
            };
            self.apply(edits, pass)?;
        }
        Some(())
    }

    /// Changes the text; `None` if it becomes too long.
    fn apply(&mut self, mut edits: Vec<Edit>, pass: Pass) -> Option<()> {
        edits.sort_by_key(|e| (e.range.start, e.range.end));
        let text = &self.reduced.text;
        let span = &self.region.span;
        let span = csource::moved(span.start, &edits)..csource::moved(span.end, &edits);
        let grown: usize = edits.iter().map(|e| e.replacement.len()).sum();
        if grown > MAX_GROWTH || text.len() > 2 * MAX_GROWTH + self.reduced.original(text.len()) {
            return None;
        }
        self.reduced = Reduced::edited(text, &edits)
            .by(pass)
            .made_of(&self.reduced);
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

/// A part of the text that pet gets: the region or the body of a function.
struct Part<'a> {
    types: Types<'a>,
    /// All of its tokens.
    tokens: Range<usize>,
    functions: &'a [Function],
    /// The region, if the part is it.
    region: Option<&'a Region>,
    /// Names that occur in macros that are not expanded.
    hidden: &'a BTreeSet<String>,
}

impl Part<'_> {
    /// Whether a token is in a subscript, a condition or the header of a loop, or is given to a
    /// function of the file.
    fn decides(&self, at: usize) -> bool {
        let code = self.types.code;
        let opens = (self.tokens.start..at).rev();
        for open in opens.filter(|&open| code.skip(open) > at && open + 1 < code.skip(open)) {
            let before = open.checked_sub(1).map_or("", |at| code.word(at));
            match code.word(open) {
                "[" => return true,
                "(" if matches!(before, "if" | "for" | "while") => return true,
                "(" => {
                    let is_function = self.functions.iter().any(|f| f.name == before);
                    if is_function && !self.types.helpers.contains_key(before) {
                        return true;
                    }
                }
                _ => return false,
            }
        }
        false
    }

    /// The bodies of functions of the file that a part of the tokens calls.
    fn called_in(&self, tokens: Range<usize>) -> Vec<Range<usize>> {
        let code = self.types.code;
        let region = Region {
            span: code.bytes(tokens),
            function: None,
            marked: false,
            closed: true,
            depth: 0,
        };
        let needed = needed_functions(code, self.functions, &macros(code), &region);
        needed.iter().map(|f| tokens_in(code, &f.body)).collect()
    }

    /// Whether nothing reads a variable but what is its `own`: all else are declarations and
    /// assignments by statements.
    fn is_dead(&self, name: &str, own: &dyn Fn(usize) -> bool) -> bool {
        let code = self.types.code;
        let scope = self.types.scope.moved_to(self.tokens.end);
        let Some(declarator) = scope.declarator(name) else {
            return false;
        };
        let ends = match self.region {
            Some(region) => csource::is_dead_outside(code.text, name, region.span.clone()),
            None => declarator.place == csource::Place::Call,
        };
        let is_written = |at: usize| {
            let declared = declarator.range.contains(&code.tokens[at].span.start);
            declared || is_assigned(code, at)
        };
        let is_name = |at: &usize| code.is_ident(*at) && code.word(*at) == name;
        ends && (self.tokens.clone().filter(is_name)).all(|at| own(at) || is_written(at))
    }

    /// The same of the variable that a name at a token is, which may be declared in a block.
    fn is_dead_from(&self, name: &str, at: usize, own: &dyn Fn(usize) -> bool) -> bool {
        let code = self.types.code;
        let bytes = code.bytes(self.tokens.clone());
        let declarator = self.types.scope.moved_to(at).declarator(name);
        let within = declarator
            .filter(|d| bytes.start <= d.range.start && d.range.end <= bytes.end)
            .map(|d| d.range);
        let Some(declared) = within else {
            return self.is_dead(name, own);
        };
        let mut names = (self.tokens.clone()).filter(|&at| variables::is_variable(code, at, name));
        names.all(|at| {
            own(at) || declared.contains(&code.tokens[at].span.start) || is_assigned(code, at)
        })
    }
}

/// Whether a statement that begins at a token assigns the variable there.
fn is_assigned(code: &Code, at: usize) -> bool {
    matches!(code.word(at.wrapping_sub(1)), ";" | "{" | "}") && code.word(at + 1) == "="
}

/// What is to be changed next, and which pass finds it.
fn next_edits(written: &Written) -> Option<(Pass, Vec<Edit>)> {
    let text = &written.reduced.text;
    let code = Code::new(text);
    let functions = csource::functions(text);
    let helpers = helpers::helpers(&code, &functions);
    let hidden = hidden(&code, &written.parts());
    let parts: Vec<Part> = (written.parts().into_iter().enumerate())
        .filter_map(|(index, bytes)| {
            Some(Part {
                types: Types {
                    code: &code,
                    scope: Scope::new(&code, bytes.start)?,
                    helpers: &helpers,
                },
                tokens: tokens_in(&code, &bytes),
                functions: &functions,
                region: (index == 0).then_some(&written.region),
                hidden: &hidden,
            })
        })
        .collect();
    let calls: Vec<Edit> = parts.iter().flat_map(helpers::write_out).collect();
    if !calls.is_empty() {
        return Some((Pass::Helpers, calls));
    }
    let pointers = (parts.iter()).map(|part| (Pass::Pointers, pointers::write_out(part)));
    let counters = (parts.iter()).map(|part| (Pass::Counters, counters::write_out(part)));
    let variables = (parts.iter()).map(|part| (Pass::Variables, variables::write_out(part)));
    pointers
        .chain(counters)
        .chain(variables)
        .find(|(_, edits)| !edits.is_empty())
}

fn edit(code: &Code, tokens: Range<usize>, replacement: String) -> Edit {
    Edit {
        range: code.bytes(tokens),
        replacement,
    }
}

/// Names that macros may stand for that are used in some parts.
fn hidden(code: &Code, parts: &[Range<usize>]) -> BTreeSet<String> {
    let macros = macros(code);
    let tokens = parts.iter().flat_map(|part| tokens_in(code, part));
    tokens
        .filter_map(|at| macros.get(code.word(at)))
        .flatten()
        .map(ToString::to_string)
        .collect()
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
