//! Includes, macros and pragmas.

use std::ops::Range;

use clang_sys::{CXCursor_InclusionDirective, CXCursor_MacroDefinition, CXCursor_MacroExpansion};

use super::Importer;
use crate::ast::{Expansion, FileId, Include, Macro, Pragma, Span};
use crate::native::Cursor;

impl<'p> Importer<'p> {
    /// What clang recorded of its preprocessor; it must be known before there are spans.
    pub(super) fn preprocessed(&mut self, children: &[Cursor<'p>]) {
        for child in children {
            let kind = child.kind();
            let wanted = [
                CXCursor_InclusionDirective,
                CXCursor_MacroDefinition,
                CXCursor_MacroExpansion,
            ];
            let extent = child.extent();
            let Some(raw) = extent
                .file
                .filter(|_| wanted.contains(&kind) && !child.is_in_system())
            else {
                continue;
            };
            let file = self.file(raw);
            let range = extent.range;
            let span = Span {
                file,
                start: range.start,
                end: range.end,
                expansion: None,
            };
            let name = child.spelling();
            match kind {
                CXCursor_MacroExpansion => {
                    self.unit.expansions.push(Expansion { name, file, range })
                }
                CXCursor_MacroDefinition => self.unit.macros.push(Macro { name, span }),
                // One that is not there is an error, which clang tells.
                _ if child
                    .included()
                    .is_some_and(|header| self.parsed.is_system(header)) =>
                {
                    self.unit.includes.push(Include { name, span });
                }
                _ => {}
            }
        }
        self.outermost();
    }

    /// Keeps expansions that are in no other one, sorted.
    fn outermost(&mut self) {
        let all = &mut self.unit.expansions;
        all.sort_by_key(|e| (e.file, e.range.start, std::cmp::Reverse(e.range.end)));
        let mut end = (FileId(u32::MAX), 0);
        all.retain(|e| {
            let is_inner = e.file == end.0 && e.range.start < end.1;
            if !is_inner {
                end = (e.file, e.range.end);
            }
            !is_inner
        });
    }

    /// The words of an expression or a statement from its keyword on; where a macro gives it, those
    /// of the macro, if it has the keyword once.
    pub(super) fn words_from(&mut self, keyword: &str, cursor: Cursor<'p>) -> Vec<String> {
        let (extent, span) = (cursor.extent(), self.span(cursor));
        let Some(raw) = extent.file else {
            return Vec::new();
        };
        let words =
            |tokens: Vec<(String, _)>| tokens.into_iter().map(|token| token.0).collect::<Vec<_>>();
        let here = words(self.parsed.tokens(raw, extent.range));
        if here.first().is_some_and(|word| word == keyword) {
            return here;
        }
        let name = self
            .expansion_at(span)
            .map(|expansion| self.unit[expansion].name.as_str());
        let body = words(name.map(|name| self.macro_tokens(name)).unwrap_or_default());
        let mut places = (0..body.len()).filter(|at| body[*at] == keyword);
        match (places.next(), places.next()) {
            (Some(at), None) => body[at..].to_vec(),
            _ => Vec::new(),
        }
    }

    /// Name, parameters and body of a macro that is defined once.
    fn macro_tokens(&self, name: &str) -> Vec<(String, Range<u32>)> {
        let mut named = self.unit.macros.iter().filter(|m| m.name == name);
        let (Some(only), None) = (named.next(), named.next()) else {
            return Vec::new();
        };
        let raw = self
            .files
            .iter()
            .find(|(_, id)| **id == only.span.file)
            .map(|(raw, _)| *raw);
        raw.map(|raw| self.parsed.tokens(raw, only.span.start..only.span.end))
            .unwrap_or_default()
    }

    /// What a word stands for: itself, or the words of a macro without parameters.
    pub(super) fn expanded(&self, word: &str, depth: usize) -> Vec<String> {
        let tokens = self.macro_tokens(word);
        match tokens.as_slice() {
            [name, rest @ ..]
                if depth > 0
                    && rest
                        .first()
                        .is_none_or(|first| first.0 != "(" || first.1.start > name.1.end) =>
            {
                rest.iter()
                    .flat_map(|token| self.expanded(&token.0, depth - 1))
                    .collect()
            }
            _ => vec![word.to_owned()],
        }
    }

    /// The pragmas of the user's files, which have no cursors.
    pub(super) fn pragmas(&mut self) {
        let files: Vec<_> = self.files.iter().map(|(raw, id)| (*raw, *id)).collect();
        for (raw, file) in files {
            let text = self.unit[file].text.clone();
            if !text.contains("pragma") {
                continue;
            }
            let tokens = self.parsed.tokens(raw, 0..text.len() as u32);
            let mut at = 0;
            while let Some(pair) = tokens.get(at..at + 2) {
                let start = pair[0].1.start;
                let is_directive =
                    pair[0].0 == "#" && pair[1].0 == "pragma" && begins_line(&text, start);
                at += 1;
                if !is_directive {
                    continue;
                }
                let end = directive_end(&text, start as usize) as u32;
                let rest = tokens[at + 1..]
                    .iter()
                    .take_while(|token| token.1.start < end);
                let words: Vec<&str> = rest.map(|token| token.0.as_str()).collect();
                let span = Span {
                    file,
                    start,
                    end,
                    expansion: None,
                };
                self.unit.pragmas.push(Pragma {
                    text: words.join(" "),
                    span,
                });
            }
        }
        self.unit
            .pragmas
            .sort_by_key(|pragma| (pragma.span.file, pragma.span.start));
    }
}

fn begins_line(text: &str, at: u32) -> bool {
    let before = text.get(..at as usize).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.chars().all(char::is_whitespace)
}

/// The end of the last line of a directive: a backslash continues it.
fn directive_end(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let mut end = start;
    for line in rest.split_inclusive('\n') {
        end += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if !line.ends_with('\\') {
            return end - usize::from(text[..end].ends_with('\n'));
        }
    }
    end
}
