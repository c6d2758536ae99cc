//! Pointers that a loop of the host leaves with one array: `old = now; now = next;`, where nothing
//! gives `next` the third one.

use crate::csource::{self, Code, Function, Place};
use std::collections::BTreeMap;
use std::ops::Range;

/// Two pointers that are one from the second iteration of a loop on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Same {
    /// Their names.
    pub names: [String; 2],
    /// The last assignment of pointers in the loop.
    pub assignment: Range<usize>,
}

/// Functions that a nest is looked for in the calls of, from one to the next.
const CALLS: usize = 4;

/// The first two of some arrays, one of them written, that are one where a nest runs in a later iteration of
/// a loop around it, in its function or in one that calls this.
pub fn same_later(text: &str, nest: usize, arrays: &[(String, bool)]) -> Option<Same> {
    same_within(text, nest, arrays, CALLS)
}

fn same_within(text: &str, at: usize, arrays: &[(String, bool)], calls: usize) -> Option<Same> {
    let code = Code::new(text);
    let own = |(name, _): &&(String, bool)| is_own_pointer(text, name, at);
    let pointers: Vec<&(String, bool)> = arrays.iter().filter(own).collect();
    if pointers.len() < 2 || calls == 0 {
        return None;
    }
    in_loops_around(&code, at, &pointers).or_else(|| {
        let function = csource::enclosing_function(text, at)?;
        arguments(&code, &function)
            .into_iter()
            .find_map(|(call, arguments)| {
                let given = |(name, written): &&(String, bool)| {
                    let mut params = function.params.iter();
                    let index = params.position(|p| p.name.as_deref() == Some(name))?;
                    Some((arguments.get(index)?.clone()?, *written))
                };
                let given: Vec<(String, bool)> = pointers.iter().filter_map(given).collect();
                same_within(text, call, &given, calls - 1)
            })
    })
}

/// By call of a function, where it is and the arguments that are names.
fn arguments(code: &Code, function: &Function) -> Vec<(usize, Vec<Option<String>>)> {
    let is_call = |&i: &usize| {
        code.word(i) == function.name
            && code.opens(i + 1, "(")
            && code.tokens[i].span != function.name_range
    };
    let calls = (0..code.tokens.len()).filter(is_call);
    let of_call = |i: usize| {
        let given = code.split_commas(i + 2..code.skip(i + 1) - 1).into_iter();
        let name = |given: Range<usize>| {
            let is_name = given.len() == 1 && code.is_plain_name(given.start);
            is_name.then(|| code.word(given.start).to_string())
        };
        (code.tokens[i].span.start, given.map(name).collect())
    };
    calls.map(of_call).collect()
}

/// Two of some pointers that are one in a later iteration of a loop around an offset.
fn in_loops_around(code: &Code, offset: usize, pointers: &[&(String, bool)]) -> Option<Same> {
    let at = (code.tokens).partition_point(|token| token.span.start < offset);
    let mut inner = at;
    while let Some(open) = (0..inner)
        .rev()
        .find(|&open| code.opens(open, "{") && code.skip(open) > at)
    {
        inner = open;
        if is_loop(code, open) {
            let block = open + 1..code.skip(open) - 1;
            let same = in_loop(code, block, at, pointers);
            if same.is_some() {
                return same;
            }
        }
    }
    None
}

/// Whether a name is a pointer of the function alone that an offset is in.
fn is_own_pointer(text: &str, name: &str, offset: usize) -> bool {
    let declarator = csource::declarator(text, name, offset);
    declarator.is_some_and(|d| d.place == Place::Call && d.stars == 1 && d.n_bounds == 0)
}

/// Whether a brace opens the body of a loop.
fn is_loop(code: &Code, open: usize) -> bool {
    let Some(before) = open.checked_sub(1) else {
        return false;
    };
    let head = match code.closes(before, ")") {
        true => code.skip_back(before).checked_sub(1),
        false => Some(before),
    };
    head.is_some_and(|head| matches!(code.word(head), "for" | "while" | "do"))
}

/// Two of some pointers that are one at a token of a loop's body, once the loop has gone around.
fn in_loop(
    code: &Code,
    block: Range<usize>,
    at: usize,
    pointers: &[&(String, bool)],
) -> Option<Same> {
    let assignments = assignments(code, block.clone());
    let is_plain = |name: &str| {
        let mut changes = block
            .clone()
            .filter(|&i| code.word(i) == name && is_changed(code, i));
        changes.all(|i| assignments.iter().any(|stmt| stmt.start == i))
    };
    let names = assignments
        .iter()
        .flat_map(|stmt| [stmt.start, stmt.start + 2]);
    if !names.into_iter().all(|i| is_plain(code.word(i))) {
        return None;
    }
    let mut now: BTreeMap<&str, &str> = BTreeMap::new();
    let before = assignments.iter().filter(|stmt| stmt.start < at);
    for stmt in assignments.iter().chain(before) {
        let source = code.word(stmt.start + 2);
        let value = now.get(source).copied().unwrap_or(source);
        now.insert(code.word(stmt.start), value);
    }
    let value = |(name, _): &(String, bool)| {
        now.get(name.as_str())
            .map_or(name.clone(), |v| v.to_string())
    };
    let pairs = pointers.iter().enumerate();
    let ((a, _), (b, _)) = pairs
        .flat_map(|(i, a)| pointers[i + 1..].iter().map(move |b| (*a, *b)))
        .find(|(a, b)| (a.1 || b.1) && value(a) == value(b))?;
    Some(Same {
        names: [a.clone(), b.clone()],
        assignment: code.bytes(assignments.last()?.clone()),
    })
}

/// The statements `a = b;` directly in a block.
fn assignments(code: &Code, block: Range<usize>) -> Vec<Range<usize>> {
    let is_plain = |stmt: &Range<usize>| {
        let [a, equals, b, end] = [0, 1, 2, 3].map(|i| stmt.start + i);
        stmt.len() == 4
            && code.is_plain_name(a)
            && code.word(equals) == "="
            && code.is_plain_name(b)
            && code.word(end) == ";"
    };
    csource::statements(code, block).filter(is_plain).collect()
}

/// Whether a name is given another value at a token, or may be through its address.
fn is_changed(code: &Code, at: usize) -> bool {
    let next = code.word(at + 1);
    let assigns = next.ends_with('=') && !matches!(next, "==" | "!=" | "<=" | ">=");
    let steps = |word: &str| matches!(word, "++" | "--");
    let before = at.checked_sub(1).map_or("", |before| code.word(before));
    assigns || steps(next) || steps(before) || before == "&"
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn same(body: &str) -> Option<[String; 2]> {
        let text = format!(
            "int f(int n, double *p, double *q, double *r) {{ double *s; for (int t = 0; t < n; t++) {{ {body} }} }}"
        );
        let nest = text.find("for (i =").unwrap();
        let arrays = [("p", true), ("q", false), ("r", false)].map(|(a, w)| (a.to_string(), w));
        same_later(&text, nest, &arrays).map(|same| same.names)
    }

    #[test]
    fn pointers_are_followed_to_where_the_function_is_called() {
        let step = "void step(int n, double *to, const double *from) { for (int i = 0; i < n; i++) to[i] = from[i]; }";
        let found = |body: &str| {
            let text = format!(
                "{step}\nint main(void) {{ double *a, *b, *c; while (go()) {{ {body} }} }}"
            );
            let arrays = [("to".to_string(), true), ("from".to_string(), false)];
            same_later(&text, text.find("for").unwrap(), &arrays).map(|same| same.names)
        };
        let names = Some(["a".to_string(), "b".to_string()]);
        assert_eq!(found("step(8, a, b); b = a;"), names);
        assert_eq!(found("step(8, a, b); c = b; b = a; a = c;"), None);
        assert_eq!(found("step(8, a, b + 1); b = a;"), None);
        assert_eq!(found("step(8, a, b);"), None);
    }

    #[test]
    fn what_no_exchange_keeps_apart_is_found() {
        const NEST: &str = "for (i = 1; i < n; i++) p[i] = q[i] - r[i];";
        let after = |assignments: &str| same(&format!("{NEST} {assignments}"));
        let pair = |a: &str, b: &str| Some([a.to_string(), b.to_string()]);
        assert_eq!(after("r = q; q = p;"), pair("p", "q"));
        assert_eq!(after("q = p;"), pair("p", "q"));
        assert_eq!(after("s = r; r = q; q = p; p = s;"), None);
        assert_eq!(after("s = p; p = q; q = s;"), None);
        // The first two are exchanged, and the third is what the second was.
        assert_eq!(after("s = p; p = q; q = s; r = p;"), pair("p", "r"));
        assert_eq!(
            same(&format!("r = q; q = p; p = s; {NEST}")),
            pair("p", "q")
        );
        assert_eq!(after("r = q;"), None);
        assert_eq!(same(&format!("q = p; {NEST}")), pair("p", "q"));
        // What else may happen to a pointer is not followed.
        assert_eq!(after("q = p; q += n;"), None);
        assert_eq!(after("q = p; turn(&q);"), None);
        assert_eq!(after("if (t) { q = p; }"), None);
        assert_eq!(after(""), None);
    }
}
