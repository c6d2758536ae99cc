//! Functions that a region calls.

use super::region::Region;
use crate::csource::{self, Code, Function};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A call that pet must not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// Name of the function.
    pub name: String,
    /// Bytes of the statement that calls it; in another function where that is called.
    pub stmt: Range<usize>,
    /// The function that the call stands in, where that is not the region's own.
    pub within: Option<String>,
    /// Which function runs is decided at run time.
    pub through_pointer: bool,
}

impl Called {
    /// The function is one of the C library for input or output.
    pub fn prints(&self) -> bool {
        VARIADIC.contains(&self.name.as_str())
    }
}

/// Functions of the C library that take any number of arguments.
const VARIADIC: [&str; 13] = [
    "printf", "fprintf", "sprintf", "snprintf", "dprintf", "asprintf", "scanf", "fscanf", "sscanf",
    "wprintf", "fwprintf", "swprintf", "syslog",
];

/// The first call of a function that takes any number of arguments, or through a pointer, in a
/// region or in a function of the file that it calls: libpet ends at its sight.
pub fn first_unreadable_call(text: &str, region: &Region) -> Option<Called> {
    let code = Code::new(text);
    let variadic = variadic_functions(&code);
    let pointers = function_pointers(&code);
    let unreadable = |name: &str| VARIADIC.contains(&name) || variadic.contains(name);
    let macros = macros(&code);
    let call = |range: &Range<usize>, wanted: &dyn Fn(&str) -> bool| {
        find_call((&code, &macros), range, wanted)
    };
    let direct = find_in_region((&code, &macros), region, &|range| call(range, &unreadable));
    let is_pointer = |name: &str| pointers.contains(name);
    direct.or_else(|| {
        let indirect = find_in_region((&code, &macros), region, &|range| {
            call(range, &is_pointer).or_else(|| indirect_call(&code, range))
        })?;
        Some(Called {
            through_pointer: true,
            ..indirect
        })
    })
}

/// The first call of a function that neither the file defines nor `is_known` knows.
pub fn first_unknown_call(
    text: &str,
    region: &Region,
    is_known: &dyn Fn(&str) -> bool,
) -> Option<Called> {
    let code = Code::new(text);
    let functions = csource::functions(text);
    let macros = macros(&code);
    let unknown = |index: usize| {
        let name = code.word(index);
        code.is_plain_name(index)
            && code.opens(index + 1, "(")
            && !macros.contains_key(name)
            && !is_known(name)
            && functions.iter().all(|f| f.name != name)
    };
    find_in_region((&code, &macros), region, &|range| {
        let index = tokens_in(&code, range).find(|&index| unknown(index))?;
        let stmt = csource::statement_around(&code, index, range);
        Some((code.word(index).to_string(), stmt))
    })
}

/// The name of a function and the statement that calls it.
type Found = (String, Range<usize>);

/// Looks for a call in a region, then in the functions that it calls.
fn find_in_region(
    (code, macros): (&Code, &Macros),
    region: &Region,
    find: &dyn Fn(&Range<usize>) -> Option<Found>,
) -> Option<Called> {
    let called = |range: &Range<usize>, within: Option<&Function>| {
        let (name, stmt) = find(range)?;
        Some(Called {
            name,
            stmt,
            within: within.map(|f| f.name.clone()),
            through_pointer: false,
        })
    };
    called(&region.span, None).or_else(|| {
        let functions = csource::functions(code.text);
        let mut needed = needed_functions(code, &functions, macros, region).into_iter();
        needed.find_map(|f| called(&f.body, Some(f)))
    })
}

/// The first `return;` in the middle of a function that a region calls: libpet ends at its sight.
pub fn first_early_return(text: &str, region: &Region) -> Option<Range<usize>> {
    let code = Code::new(text);
    let functions = csource::functions(text);
    let needed = needed_functions(&code, &functions, &macros(&code), region);
    needed.into_iter().find_map(|f| {
        let tokens = tokens_in(&code, &f.body);
        let end = tokens.end.saturating_sub(2);
        let early = |at: &usize| code.word(*at) == "return" && code.word(at + 1) == ";";
        let at = (tokens.start..end).find(early)?;
        Some(code.bytes(at..at + 2))
    })
}

/// Functions of the file that a region calls, themselves or through others.
pub fn called_functions(text: &str, region: &Region) -> Vec<Function> {
    let functions = csource::functions(text);
    let code = Code::new(text);
    let needed = needed_functions(&code, &functions, &macros(&code), region);
    needed.into_iter().cloned().collect()
}

/// Where a region, or a function that it calls, keeps a value from one execution to the next, or does what only
/// the machine knows: what it computes is then no function of its arguments and of what it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The word that says so.
    pub at: Range<usize>,
    /// The function, where it is not the region's own.
    pub within: Option<String>,
}

/// The first of these, in a region and the functions of the file that it calls.
pub fn first_state(text: &str, region: &Region) -> Option<State> {
    let code = Code::new(text);
    let found = find_in_region((&code, &macros(&code)), region, &|range| {
        let at = tokens_in(&code, range).find(|&at| keeps_state(&code, at))?;
        Some((String::new(), code.bytes(at..at + 1)))
    })?;
    Some(State {
        at: found.stmt,
        within: found.within,
    })
}

/// Whether a token in a function says that a variable lives longer than a call and may change, or that the
/// machine is asked.
pub(super) fn keeps_state(code: &Code, at: usize) -> bool {
    match code.word(at) {
        "static" => {
            let words = (at + 1..code.tokens.len()).map(|at| code.word(at));
            let mut before = words.take_while(|w| !matches!(*w, ";" | "=" | "[" | "," | "*"));
            let is_const = code.word(at - usize::from(at > 0)) == "const";
            !(is_const || before.any(|w| w == "const")) || has_moving_pointer(code, at + 1)
        }
        "volatile" | "__volatile__" | "asm" | "__asm__" | "__asm" => true,
        _ => false,
    }
}

/// Whether the declaration from a token on has a pointer that may change, whatever it points to.
fn has_moving_pointer(code: &Code, from: usize) -> bool {
    let (mut at, mut in_value) = (from, false);
    while at < code.tokens.len() && code.word(at) != ";" {
        match code.word(at) {
            "=" => in_value = true,
            "," => in_value = false,
            "*" if !in_value && code.word(at + 1) != "const" => return true,
            _ => {}
        }
        at = match code.word(at) {
            "{" | "[" => code.skip(at),
            "(" if in_value => code.skip(at),
            _ => at + 1,
        };
    }
    false
}

pub(super) fn tokens_in(code: &Code, range: &Range<usize>) -> Range<usize> {
    let first = (code.tokens).partition_point(|t| t.span.start < range.start);
    let end = (code.tokens).partition_point(|t| t.span.end <= range.end);
    first..end.max(first)
}

/// The first call through a member or an element: `p->f(x)`, `table[i](x)`, `(*f)(x)`.
fn indirect_call(code: &Code, range: &Range<usize>) -> Option<(String, Range<usize>)> {
    let index = tokens_in(code, range).find(|&index| {
        let through_member = matches!(code.word(index.wrapping_sub(1)), "." | "->")
            && code.is_plain_name(index)
            && code.opens(index + 1, "(");
        let through_element = code.word(index) == "]" && code.opens(index + 1, "(");
        let dereferenced = code.opens(index, "(")
            && code.word(index + 1) == "*"
            && code.is_plain_name(index + 2)
            && code.skip(index) == index + 4
            && code.opens(index + 4, "(");
        through_member || through_element || dereferenced
    })?;
    let stmt = csource::statement_around(code, index, range);
    let called = match code.word(index) {
        "(" => code.word(index + 2),
        "]" => code.word(code.skip_back(index).saturating_sub(1)),
        name => name,
    };
    Some((called.to_string(), stmt))
}

/// Names that the file declares as pointers to functions: `double (*f)(double)`.
fn function_pointers(code: &Code) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for index in 1..code.tokens.len() {
        let declared = code.opens(index, "(")
            && code.word(index + 1) == "*"
            && code.is_plain_name(index + 2)
            && code.skip(index) == index + 4
            && code.opens(index + 4, "(")
            && (code.is_ident(index - 1) || code.word(index - 1) == "*")
            && !matches!(code.word(index - 1), "return" | "else" | "do");
        if declared {
            names.insert(code.word(index + 2).to_string());
        }
    }
    names
}

/// The first call in a range of a function that is asked for: its name and its statement.
fn find_call(
    (code, macros): (&Code, &Macros),
    range: &Range<usize>,
    wanted: &dyn Fn(&str) -> bool,
) -> Option<Found> {
    // A macro counts as what it expands to.
    let calls = |name: &str| {
        if wanted(name) {
            return Some(name.to_string());
        }
        let inside = macros.get(name)?;
        (inside.iter().find(|n| wanted(n))).map(ToString::to_string)
    };
    for index in tokens_in(code, range).filter(|&index| code.is_ident(index)) {
        if let Some(name) = calls(code.word(index)) {
            return Some((name, csource::statement_around(code, index, range)));
        }
    }
    None
}

/// Functions declared in the file with `...`.
fn variadic_functions(code: &Code) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for index in 1..code.tokens.len() {
        if code.word(index) == "..." && code.word(index + 1) == ")" {
            let open = code.skip_back(index + 1);
            if open > 0 && code.is_plain_name(open - 1) {
                names.insert(code.word(open - 1).to_string());
            }
        }
    }
    names
}

/// Macros, each with all names in what it may expand to.
type Macros<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// The macros of the file.
pub(super) fn macros<'a>(code: &Code<'a>) -> Macros<'a> {
    let mut direct = Macros::new();
    for define in csource::directives(code.text)
        .into_iter()
        .filter_map(csource::define)
    {
        let names = direct.entry(define.name).or_default();
        names.extend(define.words());
    }
    let names: Vec<&str> = direct.keys().copied().collect();
    let mut all = BTreeMap::new();
    for name in names {
        let mut reached: BTreeSet<&str> = BTreeSet::new();
        let mut open = vec![name];
        while let Some(next) = open.pop() {
            for inner in direct.get(next).into_iter().flatten() {
                if reached.insert(inner) {
                    open.push(inner);
                }
            }
        }
        all.insert(name, reached);
    }
    all
}

/// Functions of the file that a region calls, themselves or through others or macros, in textual
/// order; without the region's own.
pub(super) fn needed_functions<'f>(
    code: &Code,
    functions: &'f [Function],
    macros: &Macros,
    region: &Region,
) -> Vec<&'f Function> {
    let own = region.function.as_ref().map(|f| f.body.clone());
    let mut needed: BTreeSet<usize> = BTreeSet::new();
    let mut open = vec![region.span.clone()];
    while let Some(range) = open.pop() {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for index in tokens_in(code, &range).filter(|&index| code.is_ident(index)) {
            let name = code.word(index);
            names.insert(name);
            names.extend(macros.get(name).into_iter().flatten());
        }
        for (index, f) in functions.iter().enumerate() {
            let is_own = own.as_ref() == Some(&f.body);
            if !is_own && names.contains(f.name.as_str()) && needed.insert(index) {
                open.push(f.body.clone());
            }
        }
    }
    (needed.into_iter())
        .map(|index| &functions[index])
        .collect()
}

/// The same functions, each behind those that it calls, and whether its place in the file has to change for
/// that: pet knows the parameters of a function by its definition, which a call before it does not name.
pub(super) fn callees_first<'f>(
    code: &Code,
    macros: &Macros,
    needed: &[&'f Function],
    region: &Region,
) -> Vec<(&'f Function, bool)> {
    let names_in = |f: &Function| -> BTreeSet<&str> {
        let words = tokens_in(code, &f.body).filter(|&index| code.is_ident(index));
        let words = words.map(|index| code.word(index));
        words
            .flat_map(|word| {
                macros
                    .get(word)
                    .into_iter()
                    .flatten()
                    .copied()
                    .chain([word])
            })
            .collect()
    };
    let mut ordered: Vec<(&Function, bool)> = Vec::new();
    let mut open: Vec<(&Function, bool)> = needed.iter().rev().map(|f| (*f, false)).collect();
    let mut begun: BTreeSet<usize> = BTreeSet::new();
    while let Some((f, called_are_there)) = open.pop() {
        if !called_are_there && !begun.insert(f.start) {
            continue;
        }
        let names = names_in(f);
        let called = || {
            (needed.iter())
                .filter(|other| other.start != f.start && names.contains(other.name.as_str()))
        };
        if !called_are_there {
            open.push((f, true));
            open.extend(called().rev().map(|other| (*other, false)));
            continue;
        }
        let stays = f.start < region.span.start
            && called().all(|other| {
                other.start < f.start
                    && ordered
                        .iter()
                        .any(|(o, moves)| o.start == other.start && !moves)
            });
        ordered.push((f, !stays));
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::super::region::time_loops;
    use super::*;

    fn found(body: &str) -> Option<(String, String, Option<String>)> {
        let text = format!(
            "#define SAY(x) say(x)\n#define say(x) log_it(\"%d\", x)\n\
             void log_it(const char *f, ...);\n\
             static void out(int i) {{ if (i) fprintf(stderr, \"%d\", i); }}\n\
             int main(void) {{ for (t = 0; t < 9; t++) {{ for (i = 0; i < 9; i++) a[i] = t; {body} }} }}\n"
        );
        let regions = time_loops(&text);
        let called = first_unreadable_call(&text, &regions[0])?;
        let stmt = text[called.stmt].to_string();
        Some((called.name, stmt, called.within))
    }

    #[test]
    fn calls_are_found_in_statements_macros_and_functions() {
        let call = |name: &str, stmt: &str, within: Option<&str>| {
            Some((name.to_string(), stmt.to_string(), within.map(String::from)))
        };
        assert_eq!(
            found("if (t % 10 == 0) printf(\"%d;\\n\", t);"),
            call("printf", "printf(\"%d;\\n\", t);", None)
        );
        assert_eq!(found("SAY(t);"), call("log_it", "SAY(t);", None));
        assert_eq!(
            found("out(t);"),
            call("fprintf", "fprintf(stderr, \"%d\", i);", Some("out"))
        );
        assert_eq!(
            found("n = sprintf(s, \"%d\", t) + 1;"),
            call("sprintf", "n = sprintf(s, \"%d\", t) + 1;", None)
        );
        assert_eq!(found("puts(\"printf\");"), None);
        assert_eq!(found("a[0] = p->f(t);"), call("f", "a[0] = p->f(t);", None));
        assert_eq!(found("table[2](t);"), call("table", "table[2](t);", None));
        assert_eq!(found("(*g)(t);"), call("g", "(*g)(t);", None));
        assert_eq!(found("x = a[2] * (t + 1);"), None);
    }
}
