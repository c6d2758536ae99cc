//! Pointers to cells and rows: `cell *c = &cells[i];` and `float *row = u + i * n;`.
//!
//! A pointer that keeps its value stands for the array that it points into: `c->v` becomes
//! `cells[i].v`, `row[j]` becomes `u[(i * n) + (j)]`, and `c` given to a function `&cells[i]`.

use super::variables::{Assigned, block_around, changes, is_seen, is_variable, member_changes};
use super::{Part, edit, types};
use crate::csource::{self, Code, Edit};
use crate::ctype::CType;
use std::ops::Range;

/// What a pointer points to, as tokens.
struct Target {
    /// The array or pointer, with its outer subscripts.
    array: Range<usize>,
    /// The innermost subscript, for the address of an element.
    subscript: Option<Range<usize>>,
}

/// Replaces the first pointer that stands for a place in an array, and takes its declaration out.
pub(super) fn write_out(part: &Part) -> Vec<Edit> {
    let code = part.types.code;
    for at in part.tokens.clone() {
        if !matches!(code.word(at.wrapping_sub(1)), ";" | "{" | "}") {
            continue;
        }
        let end = csource::statement_end(code, at, part.tokens.end);
        let Some(block) = block_around(code, at, &part.tokens).filter(|b| end <= b.end) else {
            continue;
        };
        let edits = declared(code, at..end).and_then(|pointer| {
            let target = target(code, pointer.value.clone())?;
            replaced(part, &pointer, &target, end..block.end)
        });
        if let Some(edits) = edits {
            return edits;
        }
    }
    Vec::new()
}

/// The one pointer that a statement declares, with its value.
fn declared(code: &Code, stmt: Range<usize>) -> Option<Assigned> {
    let equals = (stmt.clone()).find(|&at| !code.is_ident(at) && code.word(at) != "*")?;
    let head: Vec<&str> = (stmt.start..equals).map(|at| code.word(at)).collect();
    let stars = head.iter().filter(|word| **word == "*").count();
    let star = head.iter().position(|word| *word == "*")?;
    let qualifies =
        |word: &&str| matches!(*word, "const" | "restrict" | "__restrict" | "__restrict__");
    let (types, [rest @ .., _]) = (&head[..star], &head[star + 1..]) else {
        return None;
    };
    let is_type = !types.is_empty()
        && !types.iter().any(|w| {
            matches!(
                *w,
                "static" | "extern" | "volatile" | "return" | "else" | "typedef"
            )
        });
    let alone = code
        .split_commas(stmt.start..stmt.end.checked_sub(1)?)
        .len()
        == 1;
    let name = equals - 1;
    (code.word(equals) == "="
        && stars == 1
        && is_type
        && alone
        && rest.iter().all(qualifies)
        && code.is_plain_name(name))
    .then(|| Assigned {
        name,
        value: equals + 1..stmt.end - 1,
        stmt,
        declares: true,
    })
}

/// What a value points to: `&a[i]`, `a + i`, or what is an array or a pointer itself.
fn target(code: &Code, mut value: Range<usize>) -> Option<Target> {
    while code.opens(value.start, "(") && code.skip(value.start) == value.end {
        value = value.start + 1..value.end - 1;
    }
    if code.word(value.start) == "&" {
        let place = value.start + 1..value.end;
        let open = code.skip_back(value.end.checked_sub(1)?);
        let is_element = code.opens(open, "[") && open > place.start;
        let subscript = open + 1..value.end - 1;
        let target = Target {
            array: place.start..open,
            subscript: Some(subscript),
        };
        return (is_element && is_place(code, &target.array)).then_some(target);
    }
    let plus = value.clone().find(|&at| code.word(at) == "+");
    let array = value.start..plus.unwrap_or(value.end);
    let subscript = plus.map(|plus| plus + 1..value.end);
    let is_sum = |tokens: &Range<usize>| {
        let mut at = tokens.start;
        while at < tokens.end {
            let is_operand =
                code.is_ident(at) || code.word(at).starts_with(|c: char| c.is_ascii_digit());
            if !is_operand
                && !matches!(
                    code.word(at),
                    "+" | "-" | "*" | "/" | "%" | "(" | "[" | "." | "->"
                )
            {
                return false;
            }
            at = code.skip(at);
        }
        !tokens.is_empty()
    };
    (is_place(code, &array) && subscript.as_ref().is_none_or(is_sum))
        .then_some(Target { array, subscript })
}

/// Whether tokens are a variable with subscripts and members.
fn is_place(code: &Code, tokens: &Range<usize>) -> bool {
    if tokens.is_empty() || !code.is_plain_name(tokens.start) {
        return false;
    }
    let mut at = tokens.start + 1;
    while at < tokens.end {
        at = match code.word(at) {
            "[" if code.opens(at, "[") => code.skip(at),
            "." | "->" if code.is_ident(at + 1) => at + 2,
            _ => return false,
        };
    }
    at == tokens.end
}

/// The edits that replace all uses of a pointer and its declaration; `None` where it is used in
/// another way than for what it points to, or what it points to may change.
fn replaced(
    part: &Part,
    pointer: &Assigned,
    target: &Target,
    rest: Range<usize>,
) -> Option<Vec<Edit>> {
    let code = part.types.code;
    let name = code.word(pointer.name);
    if !is_seen(part, pointer)
        || !has_its_type(part, pointer, target)
        || !keeps_its_place(part, pointer, target, rest.clone())
    {
        return None;
    }
    let mut edits = vec![edit(code, pointer.stmt.clone(), String::new())];
    for at in rest.filter(|&at| is_variable(code, at, name)) {
        if !super::variables::means_the_same(part, pointer, at) {
            return None;
        }
        edits.push(used(code, at, target)?);
    }
    Some(edits)
}

/// Whether a pointer is of the type of what it points to: C converts others with a warning. Types
/// of other files are taken to be.
fn has_its_type(part: &Part, pointer: &Assigned, target: &Target) -> bool {
    let code = part.types.code;
    let scope = part.types.scope.moved_to(pointer.stmt.end);
    let own = scope.declared_type(code.word(pointer.name));
    let last = target.array.clone().rev().find(|&at| {
        code.is_ident(at) && matches!(code.word(at - 1), "." | "->") && depth(code, target, at) == 0
    });
    let other = match last {
        Some(member) => types::member_type(code, code.word(member)),
        None => scope.declared_type(code.word(target.array.start)),
    };
    let number = |words: &String| CType::parse(words);
    match (own, other) {
        (Some(own), Some(other)) => {
            own == other || number(&own).is_some_and(|ty| number(&other) == Some(ty))
        }
        (Some(own), None) => last.is_some() && number(&own).is_none(),
        (None, _) => false,
    }
}

/// How many brackets of a place are around a token.
fn depth(code: &Code, target: &Target, token: usize) -> usize {
    let opens = target.array.clone().filter(|&at| at < token);
    opens
        .filter(|&at| code.opens(at, "[") && code.skip(at) > token)
        .count()
}

/// Whether what decides where a pointer points stays as it is while the pointer is used.
fn keeps_its_place(part: &Part, pointer: &Assigned, target: &Target, rest: Range<usize>) -> bool {
    let code = part.types.code;
    let called: Vec<usize> = (part.called_in(rest.clone()).into_iter().flatten()).collect();
    let base = target.array.start;
    pointer
        .value
        .clone()
        .filter(|&at| code.is_ident(at))
        .all(|at| {
            let name = code.word(at);
            let all = || rest.clone().chain(called.iter().copied());
            if matches!(code.word(at - 1), "." | "->") {
                return !all().any(|at| member_changes(code, at, name));
            }
            // A call may give another value each time.
            if !code.is_plain_name(at) || code.opens(at + 1, "(") {
                return false;
            }
            let Some(declarator) = part.types.scope.moved_to(at).declarator(name) else {
                return false;
            };
            if at == base {
                // Its elements may change, and be pointed to.
                return !all().any(|at| is_variable(code, at, name) && is_moved(code, at));
            }
            // Of other arrays, elements are data.
            if code.opens(at + 1, "[") || matches!(code.word(at + 1), "." | "->") {
                return false;
            }
            let everywhere = 0..code.tokens.len();
            let elsewhere = declarator.place == csource::Place::Program
                && (called.iter().any(|&at| changes(code, at, name))
                    || everywhere
                        .into_iter()
                        .any(|at| is_variable(code, at, name) && csource::is_address(code, at)));
            !elsewhere && !rest.clone().any(|at| changes(code, at, name))
        })
}

/// Whether a pointer may point elsewhere after a token that is its name.
fn is_moved(code: &Code, at: usize) -> bool {
    let selects = matches!(code.word(at + 1), "[" | "." | "->");
    csource::is_assigned(code, at) || csource::is_address(code, at) && !selects
}

/// The edit of one use; `None` for one that has no such form.
fn used(code: &Code, at: usize, target: &Target) -> Option<Edit> {
    let array = &code.text[code.bytes(target.array.clone())];
    let subscript = (target.subscript.clone()).map(|tokens| &code.text[code.bytes(tokens)]);
    let element = |more: Option<&str>| match (subscript, more) {
        (None, None) => format!("{array}[0]"),
        (Some(own), None) => format!("{array}[{own}]"),
        (None, Some(more)) => format!("{array}[{more}]"),
        (Some(own), Some(more)) => format!("{array}[({own}) + ({more})]"),
    };
    let (before, next) = (code.word(at.wrapping_sub(1)), code.word(at + 1));
    // `(*p)`, not a product.
    let is_value = |star: usize| code.word(star) == "*" && is_prefix(code, star);
    match next {
        "->" => Some(edit(code, at..at + 2, format!("{}.", element(None)))),
        "[" if code.opens(at + 1, "[") => {
            let end = code.skip(at + 1);
            let more = &code.text[code.bytes(at + 2..end - 1)];
            Some(edit(code, at..end, element(Some(more))))
        }
        "." | "++" | "--" => None,
        _ if is_value(at - 1) && code.opens(at.wrapping_sub(2), "(") && next == ")" => {
            Some(edit(code, at - 2..at + 2, element(None)))
        }
        _ if is_value(at - 1) => Some(edit(code, at - 1..at + 1, element(None))),
        "," | ")" if matches!(before, "(" | ",") && is_argument(code, at) => {
            let text = match subscript {
                None => array.to_string(),
                Some(_) => format!("&{}", element(None)),
            };
            Some(edit(code, at..at + 1, text))
        }
        _ => None,
    }
}

/// Whether a `*` or `&` at a token has one operand.
fn is_prefix(code: &Code, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| code.word(before));
    let ends_value = matches!(before, ")" | "]")
        || at > 0
            && (code.is_plain_name(at - 1)
                || before.starts_with(|c: char| c.is_ascii_digit() || c == '.'));
    !ends_value
}

/// Whether a token is alone an argument of a call.
fn is_argument(code: &Code, at: usize) -> bool {
    let mut open = at;
    while open > 0 {
        open -= 1;
        match code.word(open) {
            ")" | "]" | "}" => open = code.skip_back(open),
            "(" => return open > 0 && code.is_plain_name(open - 1),
            ";" | "{" | "[" => return false,
            _ => {}
        }
    }
    false
}
