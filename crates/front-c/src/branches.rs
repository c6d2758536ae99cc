//! Parts of a program that conditions of the preprocessor choose.
//!
//! The tree has what `-D` options of the translation chose. Where a compiler chooses otherwise, the translation is none of that
//! program, and its text has to say so.

use hexcc_clang::ast::{DeclKind, File, FileId, Item, Span, Unit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// The directives from `#if` to `#endif` where they choose by what a command line can define.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branches {
    /// Their bytes; `None` in a header.
    pub range: Option<Range<usize>>,
    /// The function that they stand in.
    pub function: Option<String>,
    /// What their parts declare or assign to.
    pub names: BTreeSet<String>,
    /// Those of the names that all functions may use.
    pub shared: BTreeSet<String>,
    /// The macros of their conditions whose meaning the text does not fix.
    pub macros: BTreeSet<String>,
    /// The directives, each before a part that was left out followed by `#error`.
    pub text: String,
}

/// All of a program, in the order of its files.
pub fn branches(unit: &Unit) -> Vec<Branches> {
    let of_file = |(n, file): (usize, &File)| {
        let file = (!file.is_system).then_some((FileId(n as u32), file))?;
        Some(of_file(unit, file))
    };
    let files = unit.files.iter().enumerate();
    files.filter_map(of_file).flatten().collect()
}

/// Whether a text may have conditions of the preprocessor, or headers that do.
pub fn may_have(text: &str) -> bool {
    let directives = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('#'));
    let mut words = directives.map(str::trim_start);
    words.any(|d| d.starts_with("if") || d.starts_with("include") && d.contains('"'))
}

/// What directives tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    If,
    Else,
    End,
    Other,
}

/// A line of the preprocessor, and those that continue it.
struct Directive<'a> {
    /// Without comments.
    text: &'a str,
    range: Range<usize>,
    kind: Kind,
}

/// The word behind `#`.
fn keyword(text: &str) -> &str {
    let rest = text.trim_start().trim_start_matches('#').trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphabetic());
    &rest[..end.unwrap_or(rest.len())]
}

/// The directives of a text without comments.
fn directives(text: &str) -> Vec<Directive<'_>> {
    let (mut found, mut at, mut open) = (Vec::new(), 0, None);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if open.is_none() && line.trim_start().starts_with('#') {
            open = Some(start + line.len() - line.trim_start().len());
        }
        let Some(start) = open.filter(|_| !line.trim_end().ends_with('\\')) else {
            continue;
        };
        open = None;
        let range = start..start + text[start..at].trim_end().len();
        let kind = match keyword(&text[range.clone()]) {
            "if" | "ifdef" | "ifndef" => Kind::If,
            "elif" | "else" | "elifdef" | "elifndef" => Kind::Else,
            "endif" => Kind::End,
            _ => Kind::Other,
        };
        let text = &text[range.clone()];
        found.push(Directive { text, range, kind });
    }
    found
}

fn of_file(unit: &Unit, (id, file): (FileId, &File)) -> Vec<Branches> {
    let text = without_comments(&file.text);
    let all = directives(&text);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut open: Vec<Vec<usize>> = Vec::new();
    for (at, directive) in all.iter().enumerate() {
        match (directive.kind, open.last_mut()) {
            (Kind::If, _) => open.push(vec![at]),
            (Kind::Else, Some(group)) => group.push(at),
            (Kind::End, Some(group)) => {
                group.push(at);
                groups.extend(open.pop());
            }
            _ => {}
        }
    }
    groups.sort();
    let ranges = groups.iter().filter_map(|group| {
        let (first, last) = group.first().zip(group.last())?;
        Some(all[*first].range.start..all[*last].range.end)
    });
    let source = Source {
        unit,
        id,
        text: &text,
        groups: ranges.collect(),
        all: &all,
    };
    let found = groups.iter().filter_map(|group| source.branches(group));
    found.collect()
}

/// A file.
struct Source<'a> {
    unit: &'a Unit,
    id: FileId,
    text: &'a str,
    all: &'a [Directive<'a>],
    /// From `#if` to `#endif`.
    groups: Vec<Range<usize>>,
}

impl Source<'_> {
    /// A group, by the numbers of its directives; `None` of one that no command line changes, and of one that is left out.
    fn branches(&self, group: &[usize]) -> Option<Branches> {
        let (first, last) = (group.first()?, group.last()?);
        let range = self.all[*first].range.start..self.all[*last].range.end;
        if self.is_left_out(range.start..self.all[*first].range.start + 1, true) {
            return None;
        }
        let parts = group.windows(2).map(|two| {
            let (head, next) = (&self.all[two[0]], &self.all[two[1]]);
            (head, head.range.end..next.range.start)
        });
        let parts: Vec<_> = parts.collect();
        let taken = |(head, _): &(&Directive, _)| !self.is_left_out(head.range.clone(), false);
        let taken = parts.iter().position(taken);
        let until = taken.map_or(parts.len(), |taken| taken + 1);
        let conditions = parts[..until].iter().map(|(head, _)| head.text);
        let macros = self.open_macros(conditions, &range)?;
        let mut names = Names::default();
        let function = self.function(&range);
        for (_, part) in &parts {
            names.read(&self.without_directives(part.clone()), function.is_none());
            for directive in self.all.iter().filter(|d| part.contains(&d.range.start)) {
                names.found.extend(defined(directive.text));
            }
        }
        let shared = match function {
            None => names.found.clone(),
            Some(_) => globals(self.unit)
                .intersection(&names.found)
                .cloned()
                .collect(),
        };
        (names.has_code || !names.found.is_empty()).then(|| Branches {
            range: (self.id.0 == 0).then_some(range),
            function: function.map(str::to_owned),
            names: names.found,
            shared,
            macros,
            text: skeleton(&parts, taken),
        })
    }

    /// Whether a directive stands before a part that is left out, or in one.
    fn is_left_out(&self, directive: Range<usize>, within: bool) -> bool {
        let holds = |span: &Span| {
            let (start, end) = (span.start as usize, span.end as usize);
            let begins = match within {
                true => start < directive.start,
                false => start <= directive.start,
            };
            span.file == self.id && begins && directive.end < end
        };
        self.unit.skipped.iter().any(holds)
    }

    /// The macros of conditions of a group that options of a compiler may define; `None` where there are none, or one of them means
    /// something else behind it.
    fn open_macros<'t>(
        &self,
        conditions: impl Iterator<Item = &'t str>,
        range: &Range<usize>,
    ) -> Option<BTreeSet<String>> {
        let words: BTreeSet<&str> = conditions.flat_map(|text| words(text).skip(1)).collect();
        let is_of_users = |word: &&str| {
            let is_reserved = word.starts_with("__")
                || word.starts_with('_') && word[1..].starts_with(|c: char| c.is_ascii_uppercase());
            *word != "defined" && !is_reserved
        };
        let mut open = BTreeSet::new();
        for word in words.into_iter().filter(is_of_users) {
            let macros = self.unit.macros.iter().filter(|m| m.name == word);
            let later = |at: usize| range.start <= at;
            let in_text = self
                .all
                .iter()
                .filter(|d| defined(d.text) == Some(word.to_owned()));
            if in_text.map(|d| d.range.start).any(later) {
                return None;
            }
            let is_fixed = |span: &Span| {
                let at = span.start as usize;
                span.file != self.id || !self.groups.iter().any(|group| group.contains(&at))
            };
            if !macros.map(|m| &m.span).any(is_fixed) {
                open.insert(word.to_owned());
            }
        }
        (!open.is_empty()).then_some(open)
    }

    /// The function that a part of the file is in.
    fn function(&self, range: &Range<usize>) -> Option<&str> {
        let mut functions = self.unit.functions.iter().filter(|f| f.body.is_some());
        let holds = |span: Span| {
            span.file == self.id
                && span.start as usize <= range.start
                && range.end <= span.end as usize
        };
        let function = functions.find(|f| holds(f.span))?;
        Some(function.name.as_str())
    }

    fn without_directives(&self, part: Range<usize>) -> String {
        let mut text = self.text[part.clone()].to_owned();
        for directive in self.all.iter().filter(|d| part.contains(&d.range.start)) {
            let range = directive.range.start - part.start..directive.range.end - part.start;
            text.replace_range(range.clone(), &" ".repeat(range.len()));
        }
        text
    }
}

/// What a directive defines as a macro.
fn defined(directive: &str) -> Option<String> {
    let mut words = words(directive);
    (words.next() == Some("define")).then(|| words.next().map(str::to_owned))?
}

/// The variables of a program that all functions may use.
fn globals(unit: &Unit) -> BTreeSet<String> {
    let variable = |item: &Item| match item {
        Item::Decl(id) if unit[*id].kind == DeclKind::Variable => Some(unit[*id].name.clone()),
        _ => None,
    };
    unit.items.iter().filter_map(variable).collect()
}

/// The directives of a group up to what they choose, with `#error` for all else.
fn skeleton(parts: &[(&Directive, Range<usize>)], taken: Option<usize>) -> String {
    let mut words = words(parts.first().map_or("", |(head, _)| head.text));
    let is_first = taken == Some(0);
    let error = match (words.next(), words.next()) {
        (Some(word @ ("ifdef" | "ifndef")), Some(name)) => match (word == "ifdef") == is_first {
            true => format!("#error \"translated with {name}; translate again without it\"\n"),
            false => {
                format!("#error \"translated without {name}; translate again with -D{name}\"\n")
            }
        },
        _ => "#error \"translated with other options -D; translate again with these\"\n".to_owned(),
    };
    let mut text = String::new();
    let until = taken.map_or(parts.len(), |taken| taken + 1);
    for (at, (head, _)) in parts[..until].iter().enumerate() {
        let is_else = keyword(head.text) == "else";
        let lines = match (Some(at) == taken, is_else) {
            (true, true) => String::new(),
            (true, false) => format!("{}\n#else\n{error}", head.text),
            (false, _) => format!("{}\n{error}", head.text),
        };
        text.push_str(&lines);
    }
    text + "#endif\n"
}

/// What a part of a program names.
#[derive(Default)]
struct Names {
    found: BTreeSet<String>,
    has_code: bool,
}

impl Names {
    /// Adds what a text declares or assigns to: at file scope outside of bodies, but what an enumeration has in its.
    fn read(&mut self, text: &str, is_file: bool) {
        let tokens: Vec<&str> = tokens(text).collect();
        let (mut braces, mut parens, mut in_enum) = (0_i32, 0_i32, false);
        for (at, token) in tokens.iter().enumerate() {
            self.has_code = true;
            let near = |n: usize| tokens.get(n).copied().unwrap_or_default();
            let before = at.checked_sub(1).map_or("", near);
            match *token {
                "{" => {
                    let earlier = at.checked_sub(2).map_or("", near);
                    in_enum |= before == "enum" || earlier == "enum";
                    braces += 1;
                }
                "}" => {
                    in_enum = false;
                    braces -= 1;
                }
                "(" | "[" => parens += 1,
                ")" | "]" => parens -= 1,
                _ => {}
            }
            let is_name = token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            let is_outside = parens == 0 && (!is_file || braces == 0 || in_enum);
            if !is_name || !is_outside {
                continue;
            }
            let (next, after) = (near(at + 1), near(at + 2));
            let is_word = before.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            let declares = is_word || before == "*" || before == ",";
            let is_it = match next {
                "=" => after != "=",
                "+" | "-" | "*" | "/" | "&" | "|" | "^" => after == "=" || after == next,
                ";" | "," | "[" => declares || in_enum,
                "(" => is_file,
                "{" => is_word,
                "}" => in_enum,
                _ => false,
            };
            if is_it {
                self.found.insert((*token).to_owned());
            }
        }
    }
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The words of a text that begin with no digit.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let all = text.split(|c| !is_of_word(c));
    all.filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()))
}

/// Words, numbers and single characters.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let len = match is_of_word(first) {
            true => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(len);
        rest = behind;
        Some(token)
    })
}

/// A text with blanks in the place of comments, and of what stands in quotes.
fn without_comments(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        let end = |n: Option<usize>| n.map_or(bytes.len(), |n| at + n);
        let find = |what: &[u8], from: usize| {
            let behind = rest.get(from..).unwrap_or_default();
            behind
                .windows(what.len())
                .position(|w| w == what)
                .map(|n| n + from)
        };
        let until = match rest {
            [b'/', b'/', ..] => end(find(b"\n", 2)),
            [b'/', b'*', ..] => end(find(b"*/", 2).map(|n| n + 2)),
            [quote @ (b'"' | b'\''), ..] => {
                let mut n = 1;
                while n < rest.len() && rest[n] != *quote && rest[n] != b'\n' {
                    n += 1 + usize::from(rest[n] == b'\\');
                }
                end((n < rest.len()).then_some(n + 1))
            }
            _ => {
                at += 1;
                continue;
            }
        };
        for byte in &mut plain[at..until] {
            if !matches!(byte, b'\n' | b'\\') {
                *byte = b' ';
            }
        }
        at = until;
    }
    // All bytes of a character are in the same comment, or outside.
    String::from_utf8(plain).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::tests::parsed;

    fn of(text: &str) -> Vec<Branches> {
        branches(&parsed(text))
    }

    fn skeleton_of(text: &str) -> String {
        let all = of(text);
        all.into_iter().map(|group| group.text).collect()
    }

    #[test]
    fn parts_that_were_left_out_are_guarded() {
        let without = "#error \"translated without A; translate again with -DA\"\n";
        let with = "#error \"translated with A; translate again without it\"\n";
        assert_eq!(
            skeleton_of("#ifdef A /* a */\nint a;\n#endif"),
            format!("#ifdef A\n{without}#endif\n")
        );
        assert_eq!(
            skeleton_of("#ifdef A\nint a;\n#else\nint b;\n#endif"),
            format!("#ifdef A\n{without}#endif\n")
        );
        assert_eq!(
            skeleton_of("# ifndef A\nint a;\n#else\nint b;\n#endif"),
            format!("# ifndef A\n#else\n{without}#endif\n")
        );
        let other = "#error \"translated with other options -D; translate again with these\"\n";
        let orders = "#if A == 4 && \\\n  !B\nint a;\n#elif A == 0\nint b;\n#elif A == 9\nint c;\n#else\nint d;\n#endif";
        assert_eq!(
            skeleton_of(orders),
            format!("#if A == 4 && \\\n  !B\n{other}#elif A == 0\n#else\n{other}#endif\n")
        );
        assert!(!skeleton_of(orders).contains(with));
    }

    #[test]
    fn what_no_option_changes_is_not_guarded() {
        for text in [
            "#define A 1\n#ifdef A\nint a;\n#endif",
            "#ifndef N\n#define N 40\n#endif\nint a[N];",
            "#ifdef __GNUC__\nint a;\n#endif\n#ifdef _OPENMP\nint b;\n#endif",
            "#if 0\nint a;\n#endif",
            "#ifdef A\n#pragma omp parallel for\n#endif\nint a;",
            "#ifdef A\n#include <stdlib.h>\n#endif\nint a;",
            "/*\n#ifdef A\n*/ int a; /*\n#endif */",
            "const char *a = \"#ifdef A\\n#endif\";",
            "#if 0\n#ifdef A\nint a;\n#endif\n#endif",
        ] {
            assert_eq!(of(text), [], "{text}");
        }
    }

    #[test]
    fn names_are_those_of_declarations_and_assignments() {
        let names = |text: &str| {
            let [group] = &of(text)[..] else {
                panic!("{text}")
            };
            let names: Vec<String> = group.names.iter().cloned().collect();
            (group.function.clone(), names.join(" "))
        };
        let file = "#ifdef A\ntypedef double real;\n#define K 3\n#else\nstatic int n = 4, m;\nenum e { X, Y = 3 };\nint f(int p) { return p; }\n\
            struct s { int q; };\n#endif";
        assert_eq!(names(file), (None, "K X Y e f m n real s".to_owned()));
        let body = "int g; void put(int *); void f(int *u, int n) { int t;\n#ifdef A\n int i = 3, *p; t += n; g = 4; n++;\n#else\n put(u); u[n] = 3; f(u, n - 1);\n#endif\n}";
        assert_eq!(names(body), (Some("f".to_owned()), "g i n p t".to_owned()));
        let shared = &of(body)[0].shared;
        assert_eq!(shared.iter().collect::<Vec<_>>(), ["g"]);
    }
}
