//! Functions that a region calls.

use super::region::Region;
use crate::csource::{self, Code, Function};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

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
    let state = |range: &Range<usize>, within: Option<&Function>| {
        let at = tokens_in(&code, range).find(|&at| keeps_state(&code, at))?;
        Some(State {
            at: code.bytes(at..at + 1),
            within: within.map(|f| f.name.clone()),
        })
    };
    state(&region.span, None).or_else(|| {
        let functions = csource::functions(text);
        let mut needed = needed_functions(&code, &functions, &macros(&code), region).into_iter();
        needed.find_map(|f| state(&f.body, Some(f)))
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
