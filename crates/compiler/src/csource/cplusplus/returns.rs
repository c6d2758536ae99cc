//! Functions that promise a value and end without one: C lets them do that where nobody uses the value, and
//! compilers of C++ take it that the end is never reached.

use crate::csource::{self, Code, Edit, is_label, is_number_type};
use std::ops::Range;

/// Functions that do not return.
const ENDS: [&str; 6] = [
    "exit",
    "abort",
    "_exit",
    "quick_exit",
    "longjmp",
    "__builtin_unreachable",
];

/// Values, zeros, at the ends of functions that promise one.
pub fn rewrite_missing_returns(text: &str) -> Vec<Edit> {
    let code = Code::new(text);
    let mut edits = Vec::new();
    for function in csource::functions(text) {
        let token = |at: usize| code.tokens.partition_point(|t| t.span.start < at);
        let specifiers = token(function.start)..token(function.name_range.start);
        let body = token(function.body.start)..token(function.body.end);
        if function.name == "main" || !promises_value(&code, specifiers) {
            continue;
        }
        if !sequence(&code, body).falls {
            continue;
        }
        let own_line = text[function.body.clone()].trim_end_matches([' ', '\t']);
        edits.push(Edit {
            range: function.body.end..function.body.end,
            replacement: match own_line.ends_with('\n') {
                true => "  return {}; // nobody uses it\n",
                false => "return {}; ",
            }
            .to_string(),
        });
    }
    edits
}

/// Whether what stands before a function's name is surely a type other than `void`.
fn promises_value(code: &Code, specifiers: Range<usize>) -> bool {
    let mut words = specifiers.map(|at| code.word(at));
    let all: Vec<&str> = words.by_ref().collect();
    let is_value = |word: &&str| {
        matches!(*word, "*" | "struct" | "union" | "enum")
            || is_number_type(word)
            || is_typedef(code, word)
    };
    let never = all
        .iter()
        .any(|w| w.contains("noreturn") || *w == "_Noreturn");
    let is_void = all.contains(&"void") && !all.contains(&"*");
    !never && !is_void && all.iter().any(is_value)
}

/// Whether the text gives a type a name.
fn is_typedef(code: &Code, name: &str) -> bool {
    let mut starts = (0..code.tokens.len()).filter(|&at| code.word(at) == "typedef");
    starts.any(|start| {
        let mut end = start;
        while end < code.tokens.len() && code.word(end) != ";" {
            end = code.skip(end).max(end + 1);
        }
        code.word(end - 1) == name
    })
}

/// How a statement ends.
#[derive(Clone, Copy)]
struct End {
    /// The first token behind it.
    next: usize,
    /// What follows it may run.
    falls: bool,
    /// It may leave the loop or the `switch` around.
    breaks: bool,
}

/// Statements, one after the other.
fn sequence(code: &Code, range: Range<usize>) -> End {
    let mut all = End {
        next: range.start,
        falls: true,
        breaks: false,
    };
    while all.next < range.end {
        let one = statement(code, all.next, range.end);
        all = End {
            next: one.next.max(all.next + 1),
            falls: one.falls,
            breaks: all.breaks || one.breaks,
        };
    }
    all
}

fn statement(code: &Code, at: usize, end: usize) -> End {
    match code.word(at) {
        "{" => {
            let next = code.skip(at);
            End {
                next,
                ..sequence(code, at + 1..next.saturating_sub(1))
            }
        }
        "if" => {
            let yes = statement(code, code.skip(at + 1), end);
            if code.word(yes.next) != "else" {
                return End { falls: true, ..yes };
            }
            let no = statement(code, yes.next + 1, end);
            End {
                next: no.next,
                falls: yes.falls || no.falls,
                breaks: yes.breaks || no.breaks,
            }
        }
        "while" | "for" => {
            let body = statement(code, code.skip(at + 1), end);
            End {
                next: body.next,
                falls: body.breaks || !is_endless(code, at),
                breaks: false,
            }
        }
        "do" => {
            let body = statement(code, at + 1, end);
            let next = code.skip(body.next + 1) + 1;
            End {
                next,
                falls: body.falls && !is_endless(code, body.next) || body.breaks,
                breaks: false,
            }
        }
        "switch" => {
            let body = statement(code, code.skip(at + 1), end);
            let mut inside = at..body.next;
            let is_whole = inside.any(|i| code.word(i) == "default");
            End {
                next: body.next,
                falls: body.falls || body.breaks || !is_whole,
                breaks: false,
            }
        }
        "case" | "default" => match (at..end).find(|&i| code.word(i) == ":") {
            Some(colon) if colon + 1 < end => statement(code, colon + 1, end),
            _ => simple(code, at, end),
        },
        _ if is_label(code, at) && at + 2 < end => statement(code, at + 2, end),
        _ => simple(code, at, end),
    }
}

/// A statement without others in it.
fn simple(code: &Code, at: usize, end: usize) -> End {
    let word = code.word(at);
    let mut next = at;
    while next < end && code.word(next) != ";" {
        if next > at && code.opens(next, "{") && code.closes(next - 1, ")") {
            // A macro that is a loop.
            return End {
                next: code.skip(next),
                falls: true,
                breaks: false,
            };
        }
        next = code.skip(next).max(next + 1);
    }
    End {
        next: next + 1,
        falls: !(matches!(word, "return" | "goto" | "continue" | "break")
            || ENDS.contains(&word) && code.opens(at + 1, "(")),
        breaks: word == "break",
    }
}

/// Whether the loop whose `while` or `for` is at a token has no end of its own.
fn is_endless(code: &Code, at: usize) -> bool {
    let inside = at + 2..code.skip(at + 1).saturating_sub(1);
    let words: Vec<&str> = inside.map(|i| code.word(i)).collect();
    match code.word(at) {
        "for" => words.windows(2).any(|pair| pair == [";", ";"]),
        _ => matches!(words.as_slice(), ["1"] | ["true"]),
    }
}

#[cfg(test)]
mod tests {
    use super::rewrite_missing_returns;
    use crate::csource::apply_edits;

    /// The bodies of functions of a type that get a value at their ends.
    fn ends(body: &str) -> bool {
        let text = format!("static int f(int n)\n{{\n  {body}\n}}\n");
        let edits = rewrite_missing_returns(&text);
        let is_end = apply_edits(&text, edits.clone()).is_ok_and(|t| t.ends_with("it\n}\n"));
        assert_eq!(is_end, !edits.is_empty(), "{text}");
        is_end
    }

    #[test]
    fn ends_that_are_reached_get_a_value() {
        for body in [
            "",
            "n++;",
            "if (n) return 1;",
            "for (int i = 0; i < n; i++) return i;",
            "while (1) { if (n) break; }",
            "switch (n) { case 1: return 2; }",
            "switch (n) { case 1: return 2; default: break; }",
            "do { if (n) return 1; } while (n--);",
            "EACH(i) { return 1; }",
            "if (n) return 1; else if (n > 2) return 3;",
        ] {
            assert!(ends(body), "{body}");
        }
        for body in [
            "return n;",
            "if (n) { return 1; } else return 2;",
            "for (;;) { if (n) return 1; }",
            "while (1) switch (n) { case 1: break; }",
            "switch (n) { case 1: return 2; default: return 3; }",
            "do { return 1; } while (0);",
            "exit(1);",
            "again: return 2;",
        ] {
            assert!(!ends(body), "{body}");
        }
        for text in [
            "void f(void) { }",
            "int main(void) { }",
            "PROC f(void) { }",
            "__attribute__((noreturn)) int f(void) { g(); }",
        ] {
            assert_eq!(rewrite_missing_returns(text), [], "{text}");
        }
        let text = "typedef struct { int a; } pair;\npair f(void) { }\nvoid *g(void) { }\n";
        assert_eq!(rewrite_missing_returns(text).len(), 2);
    }
}
