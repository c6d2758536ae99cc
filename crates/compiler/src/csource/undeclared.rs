//! Functions that C89 lets a file call without a declaration, and C++ does not.

use super::cplusplus::DECLARED;
use super::{
    Code, Declared, Edit, apply_edits, define, directives, file_scope, has_type_before,
    insertion_point, rewrite_vla_parameters, start_with_comment, tokenize,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Whether a file may call a function before it declares it, as far as its words and those of its
/// own headers tell: of the headers of the system, only some names are known.
pub fn may_call_undeclared(text: &str, headers: &[String]) -> bool {
    let code = Code::new(text);
    let functions = file_scope(&code).functions;
    let mut known: BTreeSet<&str> = DECLARED.split_whitespace().collect();
    for text in std::iter::once(text).chain(headers.iter().map(String::as_str)) {
        known.extend(
            directives(text)
                .into_iter()
                .filter_map(define)
                .map(|d| d.name),
        );
    }
    for header in headers {
        let tokens = tokenize(header).into_iter();
        known.extend(tokens.filter_map(|t| header.get(t.span)));
    }
    calls(&code, &functions).any(|at| {
        let name = code.word(at);
        let mut named = functions.iter().filter(|f| code.word(f.name) == name);
        !known.contains(name) && !named.any(|f| f.start < at)
    })
}

/// Tokens of functions that are called in bodies of functions.
fn calls<'c>(code: &'c Code, functions: &'c [Declared]) -> impl Iterator<Item = usize> + 'c {
    let bodies = functions.iter().filter_map(|f| f.body);
    let inside = bodies.flat_map(|open| open + 1..code.skip(open) - 1);
    inside.filter(|&at| {
        let is_member = matches!(code.word(at - 1), "." | "->");
        code.is_plain_name(at) && !is_member && code.opens(at + 1, "(")
    })
}

/// The first call of a function.
pub fn first_call(text: &str, name: &str) -> Option<Range<usize>> {
    if !text.contains(name) {
        return None;
    }
    let code = Code::new(text);
    let functions = file_scope(&code).functions;
    let mut calls = calls(&code, &functions);
    let at = calls.find(|&at| code.word(at) == name)?;
    Some(code.bytes(at..code.skip(at + 1)))
}

/// Of functions that a file calls without a declaration, those that the headers of a generated file
/// do not declare and that the file does not define in a way that can be declared.
pub fn not_declarable(text: &str, undeclared: &[String]) -> Vec<String> {
    let code = Code::new(text);
    let functions = file_scope(&code).functions;
    let is_defined = |name: &&String| {
        let mut named = functions.iter().filter(|f| code.word(f.name) == *name);
        named.any(|f| prototype(&code, f).is_some())
    };
    let of_headers: BTreeSet<&str> = DECLARED.split_whitespace().collect();
    let is_known = |name: &&String| of_headers.contains(name.as_str());
    let rest = undeclared
        .iter()
        .filter(|name| !is_known(name) && !is_defined(name));
    rest.cloned().collect()
}

/// Declarations of functions of the file, each in front of the function that calls it first.
pub fn declare_functions(text: &str, undeclared: &[String]) -> Vec<Edit> {
    let code = Code::new(text);
    let functions = file_scope(&code).functions;
    let mut places: BTreeMap<usize, String> = BTreeMap::new();
    for name in undeclared {
        let defined = functions
            .iter()
            .find(|f| code.word(f.name) == name && f.body.is_some());
        let call = calls(&code, &functions).find(|&at| code.word(at) == name);
        let caller = call.and_then(|at| {
            let mut around = functions.iter().filter(|f| f.body.is_some_and(|b| b < at));
            around.rfind(|f| f.body.is_some_and(|b| at < code.skip(b)))
        });
        if let (Some(defined), Some(caller)) = (defined, caller)
            && let Some(prototype) = prototype(&code, defined)
        {
            let start = start_with_comment(&code, code.bytes(caller.start..caller.name).start);
            let lines = places.entry(insertion_point(text, start)).or_default();
            lines.push_str(&prototype);
        }
    }
    let edit = |(at, replacement): (usize, String)| Edit {
        range: at..at,
        replacement,
    };
    places.into_iter().map(edit).collect()
}

/// The header of a function as a declaration; `None` where directives are in it, or no type.
fn prototype(code: &Code, function: &Declared) -> Option<String> {
    let open = function.body?;
    let header = code.bytes(function.start..open);
    if code.has_directive(&header) || !has_type_before(code, function.start, function.name) {
        return None;
    }
    let text = format!("{};\n", code.render(function.start..open));
    apply_edits(&text, rewrite_vla_parameters(&text)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
#include <stdio.h>
#define CALL(x) later(x)
int known(void);
/* Runs. */
int main(void) { known(); p->f(1); printf(\"%d\", sum(3)); step(4, v); return 0; }
int sum(int n)
{ return n; }
void step(int n, double v[n]) { int (*g)(void); }
";

    #[test]
    fn calls_before_declarations_are_found() {
        assert!(may_call_undeclared(TEXT, &[]));
        let header = "int sum(int); void step(int, double *);".to_string();
        assert!(!may_call_undeclared(TEXT, &[header]));
        let place = first_call(TEXT, "sum").map(|r| &TEXT[r]);
        assert_eq!(place, Some("sum(3)"));
    }

    #[test]
    fn functions_of_the_file_are_declared_in_front_of_their_first_caller() {
        let names = ["sum", "step", "else_where"].map(String::from);
        assert_eq!(not_declarable(TEXT, &names), ["else_where"]);
        let new = apply_edits(TEXT, declare_functions(TEXT, &names)).expect("no overlaps");
        let expected = "int known(void);\nint sum(int n);\nvoid step(int n, double *v);\n/* Runs. */\nint main";
        assert!(new.contains(expected), "{new}");
    }
}
