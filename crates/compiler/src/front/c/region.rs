//! Regions of a file: those that the user has marked, and loops that could be the time loop.

use crate::csource::{self, Code, Function, TokenKind};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

/// A part of a function that may be translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Bytes of the region; of a marked one from `#pragma scop` to the end of `#pragma endscop`.
    pub span: Range<usize>,
    /// The function around it; absent where its definition is not understood.
    pub function: Option<Function>,
    /// Whether pragmas stand around it.
    pub marked: bool,
    /// A marked region has its `#pragma endscop`, before the end of the function.
    pub closed: bool,
    /// How deep loops nest in it, through the functions it calls.
    pub depth: usize,
}

/// The regions between `#pragma scop` and `#pragma endscop`, in textual order; one without an end lasts to that of its function.
/// Conditional compilation is not evaluated.
pub fn marked_regions(text: &str) -> Vec<Region> {
    let code = Code::new(text);
    let pragmas: Vec<(Range<usize>, bool)> = (code.all.iter())
        .filter(|token| token.kind == TokenKind::Directive)
        .filter_map(|token| {
            let begins = scop_pragma(&text[token.span.clone()])?;
            Some((token.span.clone(), begins))
        })
        .collect();
    let functions = csource::functions(text);
    let mut regions = Vec::new();
    for (index, (start, _)) in pragmas.iter().enumerate().filter(|(_, pragma)| pragma.1) {
        let function = enclosing(&functions, start.start);
        let last = function.as_ref().map_or(text.len(), |f| f.body.end);
        let end = match pragmas.get(index + 1) {
            Some((end, false)) if end.end <= last => Some(end.end),
            _ => None,
        };
        // No loop: a line that nobody has closed, as in text that the preprocessor leaves out.
        if end.is_none() && function.is_none() {
            continue;
        }
        regions.push(Region {
            span: start.start..end.unwrap_or(last),
            function,
            marked: true,
            closed: end.is_some(),
            depth: 0,
        });
    }
    regions
}

/// Whether a directive is `#pragma scop` (true) or `#pragma endscop` (false).
pub(super) fn scop_pragma(directive: &str) -> Option<bool> {
    let mut words = csource::directive_words(directive);
    match (words.next(), words.next()) {
        (Some("pragma"), Some("scop")) => Some(true),
        (Some("pragma"), Some("endscop")) => Some(false),
        _ => None,
    }
}

fn enclosing(functions: &[Function], offset: usize) -> Option<Function> {
    (functions.iter())
        .find(|f| f.body.start <= offset && offset <= f.body.end)
        .cloned()
}

/// A loop statement.
struct Loop {
    /// Bytes of the whole statement.
    span: Range<usize>,
    /// Index of the function it stands in.
    function: usize,
}

impl Loop {
    fn region(&self, functions: &[Function], depth: usize) -> Region {
        Region {
            span: self.span.clone(),
            function: functions.get(self.function).cloned(),
            marked: false,
            closed: true,
            depth,
        }
    }
}

/// Loops that could be the time loop: those with loops in them, their own or of functions that
/// they call, or all loops where none has. The likeliest is first: deeper nests before flatter
/// ones, longer text before shorter, then the order of the text.
pub fn time_loops(text: &str) -> Vec<Region> {
    let code = Code::new(text);
    let functions = csource::functions(text);
    let loops = all_loops(&code, &functions);
    let mut depths = Depths {
        code: &code,
        functions: &functions,
        loops: &loops,
        of_function: HashMap::new(),
    };
    let mut found: Vec<Region> = Vec::new();
    for candidate in &loops {
        let depth = depths.of_loop(candidate);
        if depth >= 1 {
            found.push(candidate.region(&functions, depth));
        }
    }
    if found.iter().any(|r| r.depth > 1) {
        found.retain(|r| r.depth > 1);
    }
    found.sort_by_key(|r| (Reverse(r.depth), Reverse(r.span.len()), r.span.start));
    found
}

/// The loop that is meant by a line: the outermost that begins in it, or the outermost around it.
pub fn loop_at(text: &str, line: usize) -> Option<Region> {
    let code = Code::new(text);
    let functions = csource::functions(text);
    let loops = all_loops(&code, &functions);
    let line_of = |at: usize| csource::line_col(text, at).0;
    let begins = loops.iter().find(|l| line_of(l.span.start) == line);
    let around = |l: &&Loop| line_of(l.span.start) <= line && line <= line_of(l.span.end);
    let meant = begins.or_else(|| loops.iter().find(around))?;
    let mut depths = Depths {
        code: &code,
        functions: &functions,
        loops: &loops,
        of_function: HashMap::new(),
    };
    Some(meant.region(&functions, depths.of_loop(meant)))
}

/// The outermost loops inside of a part of the file that is no loop itself, or is one and is left
/// out; and those of functions that it calls. In the order of the text.
pub fn inner_loops(text: &str, part: &Range<usize>) -> Vec<Region> {
    let code = Code::new(text);
    let functions = csource::functions(text);
    let loops = all_loops(&code, &functions);
    let inside = part.start + 1..part.end;
    let mut parts: Vec<Range<usize>> = std::iter::once(inside).collect();
    let mut looked_at = 0;
    while let Some(part) = parts.get(looked_at).cloned() {
        looked_at += 1;
        for index in 0..code.tokens.len() {
            let at = code.tokens[index].span.start;
            if part.contains(&at) && code.is_ident(index) && code.word(index + 1) == "(" {
                let called = functions.iter().find(|f| f.name == code.word(index));
                let body = called.map(|f| f.body.clone());
                let new = body.filter(|body| !parts.contains(body));
                parts.extend(new);
            }
        }
    }
    let inside =
        |l: &Loop, part: &Range<usize>| part.start <= l.span.start && l.span.end <= part.end;
    let mut found: Vec<Region> = Vec::new();
    for candidate in &loops {
        let of_part = parts.iter().any(|part| inside(candidate, part));
        let around =
            |r: &Region| r.span.start <= candidate.span.start && candidate.span.end <= r.span.end;
        if of_part && !found.iter().any(around) {
            found.push(candidate.region(&functions, 0));
        }
    }
    found
}

/// All loops of all functions, outer ones before those inside.
fn all_loops(code: &Code, functions: &[Function]) -> Vec<Loop> {
    let mut loops = Vec::new();
    let mut after_do: Vec<usize> = Vec::new();
    for (index, token) in code.tokens.iter().enumerate() {
        let word = code.word(index);
        if !matches!(word, "for" | "while" | "do") || after_do.contains(&index) {
            continue;
        }
        let here = |f: &Function| f.body.start <= token.span.start && token.span.end <= f.body.end;
        let Some(function) = functions.iter().position(here) else {
            continue;
        };
        let body_end = functions[function].body.end;
        let end = (code.tokens).partition_point(|t| t.span.end <= body_end);
        let stop = csource::statement_end(code, index, end);
        if word == "do" {
            // Its own `while` is no loop of its own.
            let tail = (index..stop).rev().find(|&at| code.word(at) == "while");
            after_do.extend(tail);
        }
        let mut span = code.bytes(index..stop);
        span.end = span.end.min(body_end);
        loops.push(Loop { span, function });
    }
    loops
}

/// Depths of nests of loops, through calls.
struct Depths<'a> {
    code: &'a Code<'a>,
    functions: &'a [Function],
    loops: &'a [Loop],
    /// `None` while a function's depth is being found, so that recursion ends.
    of_function: HashMap<usize, Option<usize>>,
}

impl Depths<'_> {
    fn of_loop(&mut self, outer: &Loop) -> usize {
        // The `for` itself lies in the range, too: what is deeper is strictly inside.
        let inside = outer.span.start + 1..outer.span.end;
        1 + self.within(&inside)
    }

    /// The deepest nest of a range, at most a depth that no program has.
    fn within(&mut self, range: &Range<usize>) -> usize {
        let inside = |span: &Range<usize>| range.start <= span.start && span.end <= range.end;
        let mut spans: Vec<Range<usize>> = (self.loops.iter())
            .filter(|l| inside(&l.span))
            .map(|l| l.span.clone())
            .collect();
        spans.sort_by_key(|s| (s.start, Reverse(s.end)));
        let calls = self.calls(range);
        let mut deepest = 0;
        let points = (spans.iter().map(|s| (s.start, 1))).chain(calls);
        for (at, own) in points {
            let around = (spans.iter()).filter(|s| s.start <= at && at < s.end);
            let outside = around.count().saturating_sub(usize::from(own == 1));
            deepest = deepest.max(outside + own);
        }
        deepest
    }

    /// Places of calls in a range, each with the depth of the function called.
    fn calls(&mut self, range: &Range<usize>) -> Vec<(usize, usize)> {
        let mut calls = Vec::new();
        for index in 0..self.code.tokens.len() {
            let at = self.code.tokens[index].span.start;
            if range.contains(&at) && self.code.is_ident(index) && self.code.word(index + 1) == "("
            {
                let name = self.code.word(index);
                if let Some(f) = self.functions.iter().position(|f| f.name == name) {
                    calls.push((at, self.of_function(f)));
                }
            }
        }
        calls
    }

    fn of_function(&mut self, f: usize) -> usize {
        if let Some(known) = self.of_function.get(&f) {
            return known.unwrap_or(0);
        }
        self.of_function.insert(f, None);
        let body = self.functions[f].body.clone();
        let depth = self.within(&body);
        self.of_function.insert(f, Some(depth));
        depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, regions: &[Region]) -> Vec<(usize, usize)> {
        (regions.iter())
            .map(|r| (csource::line_col(text, r.span.start).0, r.depth))
            .collect()
    }

    #[test]
    fn the_deepest_nest_is_first_and_flat_loops_are_none() {
        let text = "\
void init(int n, float *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i] = j;
}
int main(void) {
  do x++; while (x < 3);
  for (int i = 0; i < 3; i++) y += i;
  while (err > tol) {
    for (i = 0; i < n; i++) for (j = 0; j < n; j++) b[i] = a[i];
    step(n, a);
  }
}
";
        assert_eq!(
            lines(text, &time_loops(text)),
            [(8, 3), (2, 2), (9, 2)],
            "{:?}",
            time_loops(text)
        );
    }

    #[test]
    fn a_line_means_the_loop_that_begins_there_or_the_outermost_around() {
        let text = "\
int main(void) {
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < 3; i++) {
      a[i] = t;
    }
  x = 1;
}
";
        let at = |line: usize| loop_at(text, line).map(|r| lines(text, &[r])[0]);
        assert_eq!(at(2), Some((2, 2)));
        assert_eq!(
            (at(3), at(4), at(5)),
            (Some((3, 1)), Some((2, 2)), Some((2, 2)))
        );
        assert_eq!((at(1), at(6), at(99)), (None, None, None));
    }

    #[test]
    fn loops_of_called_functions_count() {
        let text = "\
static void step(int n, float *a) { for (int i = 0; i < n; i++) a[i] = i; }
static void both(int n, float *a) { step(n, a); both(n, a); }
int main(void) { for (int t = 0; t < 3; t++) both(n, a); }
";
        assert_eq!(lines(text, &time_loops(text)), [(3, 2)]);
    }

    #[test]
    fn marked_regions_have_ends() {
        let text = "\
// #pragma scop
void f(void) {
  # pragma scop
  a = 1;
#pragma endscop
#pragma scop
  b = 1;
}
";
        let regions = marked_regions(text);
        let texts: Vec<&str> = (regions.iter()).map(|r| &text[r.span.clone()]).collect();
        assert_eq!(
            texts,
            [
                "# pragma scop\n  a = 1;\n#pragma endscop",
                "#pragma scop\n  b = 1;\n"
            ]
        );
    }
}
