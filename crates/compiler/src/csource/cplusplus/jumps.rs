//! `goto` over declarations with values, which C++ refuses: `int x = 1;` becomes `int x ; x = 1;`.

use crate::csource::{
    self, Code, Edit, TokenKind, is_declaration, is_type_word, simple_statement_start,
};
use std::ops::Range;

/// Declarations that a `goto` jumps over, with their values assigned after them.
pub fn rewrite_jumped_over(text: &str) -> Vec<Edit> {
    let code = Code::new(text);
    let mut edits: Vec<Edit> = (jumped_over(&code).into_iter())
        .filter_map(|over| split(&code, over.stmt))
        .flatten()
        .collect();
    edits.sort_by_key(|e| e.range.start);
    edits.dedup();
    edits
}

/// Jumps over declarations that cannot be rewritten so.
pub fn refused_jumps(code: &Code) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = (jumped_over(code).into_iter())
        .filter(|over| split(code, over.stmt.clone()).is_none())
        .map(|over| over.jump)
        .collect();
    found.dedup();
    found
}

/// A declaration with a value between a jump and its label, in tokens.
struct JumpedOver {
    /// The first jump to the label, or the use of a macro that jumps.
    jump: Range<usize>,
    /// The declaration.
    stmt: Range<usize>,
}

fn jumped_over(code: &Code) -> Vec<JumpedOver> {
    let mut found = Vec::new();
    if !code.text.contains("goto") {
        return found;
    }
    for function in csource::functions(code.text) {
        let token = |at: usize| code.tokens.partition_point(|t| t.span.start < at);
        let body = token(function.body.start)..token(function.body.end);
        for label in body.clone().filter(|&at| is_label(code, at)) {
            let jump = (body.start..label).find_map(|at| jump_to(code, at, code.word(label)));
            let Some(jump) = jump else { continue };
            let stmts = declarations(code, jump.end..label).into_iter();
            found.extend(stmts.map(|stmt| JumpedOver {
                jump: jump.clone(),
                stmt,
            }));
        }
    }
    found
}

/// Whether a token is a label.
pub fn is_label(code: &Code, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |at| code.word(at));
    let begins = matches!(before, ";" | "{" | "}" | ":" | ")");
    code.is_plain_name(at) && code.word(at) != "default" && code.word(at + 1) == ":" && begins
}

/// The jump to a label that begins at a token: a `goto`, or a macro with one.
fn jump_to(code: &Code, at: usize, label: &str) -> Option<Range<usize>> {
    if code.word(at) == "goto" {
        return (code.word(at + 1) == label).then_some(at..at + 2);
    }
    let directives = || csource::directives(code.text).into_iter();
    if !code.is_ident(at) || code.word(at + 1) == ":" {
        return None;
    }
    let mut macros = directives().filter_map(csource::define);
    let define = macros.find(|define| define.name == code.word(at))?;
    let words = define.words();
    let end = match code.opens(at + 1, "(") {
        true => code.skip(at + 1),
        false => at + 1,
    };
    let given = (at + 1..end).any(|at| code.word(at) == label);
    (words.contains(&"goto") && (given || words.contains(&label))).then_some(at..end)
}

/// The declarations with values of some tokens that are in scope behind them.
fn declarations(code: &Code, tokens: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = tokens.start;
    while at < tokens.end {
        // What is declared in blocks that end before the label is not jumped into.
        let past = code.skip(at);
        if past > at + 1 && past <= tokens.end {
            at = past;
            continue;
        }
        let start = simple_statement_start(code, at);
        if code.word(at) == "=" && start >= tokens.start && is_declaration(code, start..at) {
            let end = csource::statement_end(code, start, tokens.end);
            let closes = (at..tokens.end).any(|j| code.word(j) == "}" && code.skip_back(j) < at);
            if !closes {
                found.push(start..end);
            }
            at = end.max(at);
        }
        at += 1;
    }
    found
}

/// Assigns the values of a declaration after it; `None` where they are not those of numbers or pointers
/// that may be assigned.
fn split(code: &Code, stmt: Range<usize>) -> Option<Vec<Edit>> {
    let fixed = [
        "const",
        "static",
        "extern",
        "register",
        "auto",
        "__auto_type",
        "typeof",
    ];
    let first = stmt
        .clone()
        .find(|&at| code.word(at + 1) == "=" || code.word(at + 1) == ",")?;
    let declarators = code.split_commas(stmt.start..stmt.end - 1);
    let mut name_of_type = stmt.start;
    while name_of_type < first && is_of_type(code, name_of_type, stmt.start) {
        name_of_type += 1;
    }
    let of_type = stmt.start..name_of_type;
    let ty = &code.text[code.bytes(of_type.clone())];
    if of_type.is_empty() || of_type.clone().any(|at| fixed.contains(&code.word(at))) {
        return None;
    }
    let mut edits = Vec::new();
    for (index, declarator) in declarators.iter().enumerate() {
        let start = if index == 0 {
            of_type.end
        } else {
            declarator.start
        };
        let is_const = (start..declarator.end).any(|at| fixed.contains(&code.word(at)));
        let equals = (start..declarator.end).find(|&at| code.word(at) == "=");
        let name = equals.unwrap_or(declarator.end).checked_sub(1)?;
        let stars = (start..name).all(|at| code.word(at) == "*");
        if is_const || !stars || !code.is_plain_name(name) {
            return None;
        }
        if index > 0 {
            let comma = code.bytes(declarator.start - 1..declarator.start);
            edits.push(Edit {
                range: comma,
                replacement: format!("; {ty} "),
            });
        }
        let Some(equals) = equals else { continue };
        if code.word(equals + 1) == "{" {
            return None;
        }
        let place = code.tokens[equals].span.start;
        edits.push(Edit {
            range: place..place,
            replacement: format!("; {} ", code.word(name)),
        });
    }
    Some(edits)
}

/// Whether a token of a declaration is one of its type, and no declarator.
fn is_of_type(code: &Code, at: usize, start: usize) -> bool {
    let tag = at > start && matches!(code.word(at - 1), "struct" | "union" | "enum");
    let is_name = code.tokens[at].kind == TokenKind::Ident && code.is_plain_name(at);
    is_type_word(code.word(at)) || tag || at == start && is_name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csource::apply_edits;

    #[test]
    fn values_that_are_jumped_over_are_assigned() {
        let of = |body: &str| {
            let text = format!(
                "#define FAIL(l) do {{ puts(\"\"); goto l; }} while (0)\nint f(int n) {{ {body} }}"
            );
            let edits = rewrite_jumped_over(&text);
            let changed = apply_edits(&text, edits).unwrap_or_default();
            let start = changed.find("int n) { ").map_or(0, |at| at + 9);
            changed[start..].trim_end_matches(" }").to_string()
        };
        for (body, expected) in [
            (
                "if (n) goto end; int x = 1; end: g(x);",
                "if (n) goto end; int x ; x = 1; end: g(x);",
            ),
            (
                "if (n) FAIL(end); double *p = q, y, z = 2.; end: return 1;",
                "if (n) FAIL(end); double *p ; p = q; double  y; double  z ; z = 2.; end: return 1;",
            ),
            (
                "if (n) goto end; struct s *t = h(n); for (int i = 0; i < n; i++) { int k = i; g(k); } end: g(0);",
                "if (n) goto end; struct s *t ; t = h(n); for (int i = 0; i < n; i++) { int k = i; g(k); } end: g(0);",
            ),
        ] {
            assert_eq!(of(body), expected);
        }
        for body in [
            "int x = 1; if (n) goto end; end: g(x);",
            "if (n) goto end; const int x = 1; end: g(x);",
            "if (n) goto end; int v[2] = { 1, 2 }; end: g(v);",
            "if (n) { goto end; int x = 1; g(x); } end: g(0);",
            "again: if (n) goto again; int x = 1; g(x);",
        ] {
            assert_eq!(of(body), body);
        }
    }
}
