//! Pragmas of other compilers in the user's file, around what is replaced.
//!
//! A call that stands where a loop stood must neither follow a pragma that wants a loop nor be run by several threads,
//! whichever function began these. So `OpenACC` goes, and OpenMP but for loops and blocks that several threads can run as
//! before: nothing in them is replaced, all that they call is seen to run no kernels, and no order of threads decides what is
//! computed, as it does in sums. What the other pragmas say may run at once, runs in order then, as in C.

use crate::csource::{
    Code, Edit, Function, TokenKind, directive_words, functions, is_of_loop, pragma_words,
    statement_end, tokenize,
};
use crate::ctype::math_function;
use std::collections::BTreeMap;
use std::ops::Range;

/// What is written as a call and is none.
const NO_CALLS: [&str; 7] = [
    "for", "if", "while", "switch", "return", "sizeof", "_Alignof",
];

/// Directives of OpenMP that others mean something by, wherever they stand.
const OF_FILE: [&str; 3] = ["threadprivate", "declare", "requires"];

/// Edits that take pragmas away: those about a loop that is replaced, or in one that stays behind a condition; and of
/// OpenMP and `OpenACC` those that have to go.
pub(super) fn without(text: &str, replaced: &[Range<usize>]) -> Vec<Edit> {
    let code = Code::new(text);
    let kept = kept_parallel(&code, replaced);
    let is_kept = |at: usize| kept.iter().any(|range| range.contains(&at));
    let is_in = |at: usize| replaced.iter().any(|span| span.contains(&at));
    let directives = code.all.iter().enumerate().filter(|(at, token)| {
        let directive = &text[token.span.clone()];
        token.kind == TokenKind::Directive
            && (is_parallel(directive) && !is_kept(token.span.start)
                || is_of_loop(directive)
                    && (is_in(token.span.start) || is_before(&code, *at, replaced)))
    });
    directives
        .map(|(_, token)| token.span.clone())
        .chain(operators(&code).filter(|range| !is_kept(range.start)))
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

/// `#pragma omp parallel ..` with its loop or block, where several threads can run that as before.
fn kept_parallel(code: &Code, replaced: &[Range<usize>]) -> Vec<Range<usize>> {
    let directives: Vec<Range<usize>> = (code.all.iter())
        .filter(|token| token.kind == TokenKind::Directive)
        .map(|token| token.span.clone())
        .collect();
    let words = |span: &Range<usize>| pragma_words(&code.text[span.clone()]);
    let of_file = |span: &Range<usize>| {
        let words: Vec<&str> = words(span).take(2).collect();
        matches!(words[..], ["omp", word] if OF_FILE.contains(&word))
    };
    if directives.iter().any(of_file) {
        return Vec::new();
    }
    let calls = Calls::of(code, replaced, &directives);
    let kept = directives.iter().filter_map(|directive| {
        let words: Vec<&str> = words(directive).take(3).collect();
        let (["omp", "parallel"], rest) = words.split_at_checked(2)? else {
            return None;
        };
        let first = (code.tokens).partition_point(|t| t.span.start < directive.end);
        let is_one = match rest.first() {
            Some(&"for") => code.word(first) == "for",
            _ => code.opens(first, "{"),
        };
        let part = first..statement_end(code, first, code.tokens.len());
        let bytes = code.bytes(part.clone());
        let is_apart = !replaced
            .iter()
            .any(|r| r.start < bytes.end && bytes.start < r.end);
        let all = directive.start..bytes.end;
        let mut own = directives.iter().filter(|d| all.contains(&d.start));
        let is_next = !directives
            .iter()
            .any(|d| (directive.end..bytes.start).contains(&d.start));
        (is_one && is_next && is_apart)
            .then(|| own.all(|d| keeps_order(&code.text[d.clone()])))
            .filter(|keeps| *keeps && calls.are_harmless(&words_of(code, part)))
            .map(|_| all)
    });
    kept.collect()
}

/// Whether what threads compute under a directive does not depend on which of them is first.
fn keeps_order(directive: &str) -> bool {
    let mut words = pragma_words(directive);
    let shares = words.next() == Some("omp")
        && words
            .next()
            .is_some_and(|word| ["parallel", "for", "simd", "barrier"].contains(&word));
    let mut folds = directive.split("reduction").skip(1);
    shares
        && folds.all(|fold| {
            let fold = fold.trim_start_matches([' ', '(']);
            ["max", "min", "&", "|", "^"]
                .iter()
                .any(|op| fold.starts_with(op))
        })
}

/// The functions and macros of a file that run no kernels and hold no directive, nor does what they call.
struct Calls<'a> {
    functions: BTreeMap<&'a str, bool>,
    macros: BTreeMap<&'a str, bool>,
}

impl<'a> Calls<'a> {
    fn of(code: &Code<'a>, replaced: &[Range<usize>], directives: &[Range<usize>]) -> Calls<'a> {
        let all: Vec<(Function, Range<usize>)> = (functions(code.text).into_iter())
            .map(|function| {
                let at = |byte: usize| code.tokens.partition_point(|t| t.span.start < byte);
                let body = at(function.body.start)..at(function.body.end);
                (function, body)
            })
            .collect();
        let name = |function: &Function| &code.text[function.name_range.clone()];
        let is_plain = |body: &Range<usize>| {
            let holds = |span: &Range<usize>| body.contains(&span.start);
            !replaced.iter().chain(directives).any(holds)
        };
        let definitions: Vec<(&str, &str)> = (directives.iter())
            .filter_map(|span| definition(&code.text[span.clone()]))
            .collect();
        let mut calls = Calls {
            functions: (all.iter())
                .map(|(f, _)| (name(f), is_plain(&f.body)))
                .collect(),
            macros: definitions.iter().map(|(name, _)| (*name, true)).collect(),
        };
        // One that is no longer harmless makes those that call it so.
        loop {
            let mut found = Vec::new();
            for (function, body) in &all {
                if calls.functions[name(function)]
                    && !calls.are_harmless(&words_of(code, body.clone()))
                {
                    found.push(name(function));
                }
            }
            for (name, text) in &definitions {
                let words: Vec<&str> = (tokenize(text).iter())
                    .map(|token| &text[token.span.clone()])
                    .collect();
                if calls.macros[name] && !calls.are_harmless(&words) {
                    calls.macros.insert(name, false);
                    found.push(name);
                }
            }
            if found.is_empty() {
                return calls;
            }
            for name in found {
                if let Some(is) = calls.functions.get_mut(name) {
                    *is = false;
                }
            }
        }
    }

    /// Whether all that some code calls, or names, is harmless.
    fn are_harmless(&self, words: &[&str]) -> bool {
        let has = |pair: [&str; 2]| words.windows(2).any(|own| own == pair);
        // `(*f)(x)`
        if has(["(", "*"]) && has([")", "("]) {
            return false;
        }
        words.iter().enumerate().all(|(at, word)| {
            let is_call = words.get(at + 1) == Some(&"(");
            let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
            match (self.functions.get(word), self.macros.get(word)) {
                (None, None) if is_name && is_call => {
                    NO_CALLS.contains(word) || math_function(word).is_some()
                }
                (function, of_macro) => function != Some(&false) && of_macro != Some(&false),
            }
        })
    }
}

/// The words of code.
fn words_of<'a>(code: &Code<'a>, tokens: Range<usize>) -> Vec<&'a str> {
    tokens.map(|at| code.word(at)).collect()
}

/// The name and the rest of a `#define`.
fn definition(directive: &str) -> Option<(&str, &str)> {
    let mut words = directive_words(directive);
    if words.next() != Some("define") {
        return None;
    }
    let at = directive.find("define")? + "define".len();
    let rest = directive[at..].trim_start();
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    Some(rest.split_at(end.unwrap_or(rest.len())))
}

#[cfg(test)]
mod tests {
    use crate::csource::apply_edits;

    fn without(text: &str, replaced: &str) -> String {
        let start = text.find(replaced).expect("what is replaced");
        let span = start..start + replaced.len();
        let edits = super::without(text, std::slice::from_ref(&span));
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

    /// What of a text is about OpenMP, once a loop is replaced.
    fn kept(text: &str) -> Vec<String> {
        let text = without(text, "for (;;) kernels();");
        let lines = text.lines().filter(|l| l.contains("omp"));
        lines.map(|l| l.trim().to_string()).collect()
    }

    #[test]
    fn parallel_loops_that_run_no_kernels_stay() {
        let text = "\
#define AT(i) u[(i) * 2]
double f(double x) { return sin(x) + AT(1); }
void fill(double *u) {
#pragma omp parallel for simd
  for (int i = 0; i < 9; i++)
    AT(i) = f((double)i);
#pragma omp parallel
  {
#pragma omp for reduction(max : most)
    for (int i = 0; i < 9; i++) {
      u[i] += fmax(i, 2);
    }
  }
#pragma omp parallel for reduction (+ : sum)
  for (int i = 0; i < 9; i++) sum += u[i];
#pragma omp parallel for
  for (int i = 0; i < 9; i++) {
#pragma omp atomic
    sum += u[i];
  }
}
void run(double *u) {
#pragma omp parallel for
  for (;;) kernels();
#pragma omp for
  for (;;) u[0]++;
}
";
        let all = ["parallel for simd", "parallel", "for reduction(max : most)"];
        assert_eq!(kept(text), all.map(|words| format!("#pragma omp {words}")));
        let private = format!("double x;\n#pragma omp threadprivate(x)\n{text}");
        assert_eq!(kept(&private), Vec::<String>::new());
    }

    #[test]
    fn parallel_loops_that_may_run_kernels_go() {
        for what in [
            "run();",
            "also();",
            "RUN;",
            "other();",
            "omp();",
            "void (*f)(void) = run; (*f)();",
            "f();",
            "{\n#pragma acc loop\nfor (;;) run();\n}",
        ] {
            let text = format!(
                "void run(void) {{ for (;;) kernels(); }}\n\
                 #define RUN also()\n\
                 void also(void) {{ run(); }}\n\
                 void omp(void) {{\n#pragma omp for\n  for (int i = 0; i < 9; i++) x++;\n}}\n\
                 int main(void (*f)(void)) {{\n#pragma omp parallel for\n  for (int i = 0; i < 9; i++)\n    {what}\n}}\n"
            );
            let lines = kept(&text);
            assert!(
                lines.iter().all(|l| !l.contains("#pragma")),
                "{what}: {lines:?}"
            );
        }
    }
}
