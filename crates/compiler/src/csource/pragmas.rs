//! Pragmas of other compilers around what is replaced.

use super::{Code, Edit, TokenKind, directive_words};
use std::ops::Range;

/// Pragmas about the loop that follows, by their first words.
const OF_LOOPS: [&[&str]; 14] = [
    &["ivdep"],
    &["simd"],
    &["vector"],
    &["novector"],
    &["unroll"],
    &["nounroll"],
    &["unroll_and_jam"],
    &["loop"],
    &["loop_count"],
    &["concurrent"],
    &["GCC", "ivdep"],
    &["GCC", "unroll"],
    &["GCC", "novector"],
    &["clang", "loop"],
];

/// Edits that take pragmas away: all of OpenMP and `OpenACC`, and those about a loop that is
/// replaced, or in one that stays behind a condition.
///
/// A call that stands where a loop stood must neither follow a pragma that wants a loop nor be run
/// by several threads, whichever function began these. What a pragma of OpenMP or `OpenACC` says may
/// run at once, runs in order then, as in C.
pub fn without_loop_pragmas(text: &str, replaced: &[Range<usize>]) -> Vec<Edit> {
    let code = Code::new(text);
    let is_in = |at: usize| replaced.iter().any(|span| span.contains(&at));
    let directives = code.all.iter().enumerate().filter(|(at, token)| {
        let directive = &text[token.span.clone()];
        token.kind == TokenKind::Directive
            && (is_parallel(directive)
                || is_of_loop(directive)
                    && (is_in(token.span.start) || is_before(&code, *at, replaced)))
    });
    directives
        .map(|(_, token)| token.span.clone())
        .chain(operators(&code))
        .map(|range| Edit {
            range,
            replacement: String::new(),
        })
        .collect()
}

fn is_parallel(directive: &str) -> bool {
    let mut words = pragma_words(directive);
    matches!(words.next(), Some("omp" | "acc"))
}

/// Whether a directive is a pragma about the loop that follows.
pub fn is_of_loop(directive: &str) -> bool {
    let words: Vec<&str> = pragma_words(directive).collect();
    OF_LOOPS.iter().any(|first| words.starts_with(first))
}

/// The words behind `#pragma`; none of another directive.
fn pragma_words(directive: &str) -> impl Iterator<Item = &str> {
    let mut words = directive_words(directive);
    let is_pragma = words.next() == Some("pragma");
    words
        .filter(move |_| is_pragma)
        .filter_map(|word| word.split('(').find(|part| !part.is_empty()))
}

/// Whether nothing but other directives and comments stands between a token and what is replaced.
fn is_before(code: &Code, at: usize, replaced: &[Range<usize>]) -> bool {
    let mut behind = code.all[at..].iter();
    let next = behind.find(|t| !matches!(t.kind, TokenKind::Directive | TokenKind::Comment));
    next.is_some_and(|next| replaced.iter().any(|span| span.contains(&next.span.start)))
}

/// `_Pragma("omp ..")` in code.
fn operators<'a>(code: &'a Code) -> impl Iterator<Item = Range<usize>> + 'a {
    let is_parallel = |at: usize| {
        let what = code.word(at + 2).trim_start_matches(['"', ' ']);
        let what = what.split([' ', '"']).next();
        code.word(at) == "_Pragma" && code.opens(at + 1, "(") && matches!(what, Some("omp" | "acc"))
    };
    (0..code.tokens.len())
        .filter(move |&at| is_parallel(at))
        .map(|at| code.bytes(at..code.skip(at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csource::apply_edits;

    fn without(text: &str, replaced: &str) -> String {
        let start = text.find(replaced).expect("what is replaced");
        let span = start..start + replaced.len();
        let edits = without_loop_pragmas(text, std::slice::from_ref(&span));
        apply_edits(text, edits).expect("edits do not collide")
    }

    #[test]
    fn those_of_openmp_go_and_others_before_a_replaced_loop() {
        let text = "\
#pragma once
# pragma omp parallel \\
    private(j)
{
#pragma ivdep
  other();
#pragma GCC unroll(4)
  /* c */
# pragma acc loop
  for (;;) x;
_Pragma(\"omp barrier\") _Pragma(\"once\")
#pragma unroll
  for (;;) y;
#pragma omp
}
";
        let expected = "\
#pragma once

{
#pragma ivdep
  other();

  /* c */

  for (;;) x;
 _Pragma(\"once\")
#pragma unroll
  for (;;) y;

}
";
        assert_eq!(without(text, "for (;;) x;"), expected);
    }

    #[test]
    fn what_is_no_pragma_of_loops_stays() {
        for text in [
            "#pragma STDC FP_CONTRACT OFF\nfor (;;) x;",
            "#pragma scop\nfor (;;) x;",
            "#define omp 3\nfor (;;) x;",
            "#pragma GCC diagnostic push\nfor (;;) x;",
            "#pragma\nfor (;;) x;",
        ] {
            assert_eq!(without(text, "for (;;) x;"), text);
        }
    }
}
