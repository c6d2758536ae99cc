//! Functions that C89 lets a file call without a declaration, and C++ does not.

use super::cplusplus::DECLARED;
use super::{
    Code, Declared, Edit, apply_edits, file_scope, has_type_before, insertion_point,
    rewrite_vla_parameters, start_with_comment,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

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
    let is_known = |name: &&String| of_headers.contains(name.as_str()) || header_of(name).is_some();
    let rest = undeclared
        .iter()
        .filter(|name| !is_known(name) && !is_defined(name));
    rest.cloned().collect()
}

/// Functions of the system that programs call without their headers, behind the names of these.
const OF_HEADERS: [(&str, &[&str]); 5] = [
    (
        "ctype.h",
        &["isalpha", "isdigit", "isspace", "tolower", "toupper"],
    ),
    ("strings.h", &["bzero", "strcasecmp"]),
    ("sys/stat.h", &["mkdir"]),
    ("sys/time.h", &["gettimeofday"]),
    ("unistd.h", &["getpid", "sleep", "usleep"]),
];

/// The header that declares a function of the system, which returns an integer.
fn header_of(name: &str) -> Option<&'static str> {
    let found = OF_HEADERS.iter().find(|(_, names)| names.contains(&name));
    found.map(|(header, _)| *header)
}

/// Declarations of functions, each in front of the function of the file that calls it first; of those
/// that neither the file nor the headers of a generated file have, their headers, or as C takes them: with any arguments,
/// and an `int` as their value.
pub fn declare_functions(text: &str, undeclared: &[String]) -> Vec<Edit> {
    let code = Code::new(text);
    let functions = file_scope(&code).functions;
    let mut places: BTreeMap<usize, String> = BTreeMap::new();
    for name in undeclared {
        let mut of_file = functions.iter().filter(|f| code.word(f.name) == name);
        let declaration = match of_file.find(|f| f.body.is_some()) {
            Some(defined) => prototype(&code, defined),
            None if DECLARED.split_whitespace().any(|known| known == name) => None,
            None => Some(match header_of(name) {
                Some(header) => format!("#include <{header}>\n"),
                None => format!("extern \"C\" int {name}(...);\n"),
            }),
        };
        if let (Some(declaration), Some(at)) = (declaration, before_call(&code, &functions, name)) {
            places.entry(at).or_default().push_str(&declaration);
        }
    }
    insertions(places)
}

/// The bytes before the function that calls another one first.
fn before_call(code: &Code, functions: &[Declared], name: &str) -> Option<usize> {
    let at = calls(code, functions).find(|&at| code.word(at) == name)?;
    let mut around = functions.iter().filter(|f| f.body.is_some_and(|b| b < at));
    let caller = around.rfind(|f| f.body.is_some_and(|b| at < code.skip(b)))?;
    let start = start_with_comment(code, code.bytes(caller.start..caller.name).start);
    Some(insertion_point(code.text, start))
}

fn insertions(places: BTreeMap<usize, String>) -> Vec<Edit> {
    let edit = |(at, replacement): (usize, String)| Edit {
        range: at..at,
        replacement,
    };
    places.into_iter().map(edit).collect()
}

/// Declarations of the functions that a file calls before it says what they return: without them, C
/// takes them for functions that return an `int`, and some compilers refuse what follows.
pub(crate) fn declare_later_functions(code: &Code) -> Vec<Edit> {
    let functions = file_scope(code).functions;
    let mut first_calls: BTreeMap<&str, usize> = BTreeMap::new();
    for at in calls(code, &functions) {
        first_calls.entry(code.word(at)).or_insert(at);
    }
    let mut places: BTreeMap<usize, String> = BTreeMap::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for f in &functions {
        let name = code.word(f.name);
        let returns_int = f.name == f.start + 1 && code.word(f.start) == "int";
        let is_later = first_calls.get(name).is_some_and(|at| *at < f.name);
        if !seen.insert(name) || returns_int || !is_later || name == "main" {
            continue;
        }
        if let (Some(header), Some(at)) = (header(code, f), before_call(code, &functions, name)) {
            places.entry(at).or_default().push_str(&header);
        }
    }
    insertions(places)
}

/// The header of a function as a declaration; `None` where directives are in it, or no type.
fn prototype(code: &Code, function: &Declared) -> Option<String> {
    let text = header(code, function)?;
    apply_edits(&text, rewrite_vla_parameters(&text)).ok()
}

/// The same as C has it.
fn header(code: &Code, function: &Declared) -> Option<String> {
    let open = function.body?;
    let header = code.bytes(function.start..open);
    if code.has_directive(&header) || !has_type_before(code, function.start, function.name) {
        return None;
    }
    Some(format!("{};\n", code.render(function.start..open)))
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
    fn the_first_call_of_a_function_is_found() {
        let place = first_call(TEXT, "sum").map(|r| &TEXT[r]);
        assert_eq!(place, Some("sum(3)"));
    }

    #[test]
    fn functions_that_are_called_too_early_are_declared() {
        let edits = declare_later_functions(&Code::new(TEXT));
        let new = apply_edits(TEXT, edits).expect("no overlaps");
        let expected = "int known(void);\nvoid step(int n, double v[n]);\n/* Runs. */\nint main";
        assert!(new.contains(expected), "{new}");
        assert_eq!(declare_later_functions(&Code::new(&new)), []);
    }

    #[test]
    fn functions_of_the_file_are_declared_in_front_of_their_first_caller() {
        let names = ["sum", "step", "else_where", "printf"].map(String::from);
        assert_eq!(not_declarable(TEXT, &names), ["else_where"]);
        let text = TEXT.replace("known();", "else_where(1); known();");
        let new = apply_edits(&text, declare_functions(&text, &names)).expect("no overlaps");
        let expected = "int known(void);\nint sum(int n);\nvoid step(int n, double *v);\nextern \"C\" int else_where(...);\n/* Runs. */\nint main";
        assert!(new.contains(expected), "{new}");
    }
}
