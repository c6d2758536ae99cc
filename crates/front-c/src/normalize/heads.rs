//! Loops that macros make, with their heads written out.
//!
//! In: `#define EACH for (i = 1; i < n; i++) for (j = 1; j < n; j++)` and `EACH v[i][j] = u[i][j];`. Out: what is to stand in
//! the place of `EACH` there, `for (i = 1; i < n; i++) for (j = 1; j < n; j++)`.

use super::{tree, uses_macro, walk};
use crate::emit;
use hexcc_clang::ast::{Expansion, Stmt, StmtKind, Unit};
use std::ops::Range;

/// Whether a macro that a text defines has the words of a loop.
pub fn may_make_loops(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let makes = |line: &str| {
        let directive = line.trim_start().strip_prefix('#');
        let mut words = directive.into_iter().flat_map(|d| d.split(|c| !is_word(c)));
        words.any(|word| word == "define") && words.any(|word| matches!(word, "for" | "while"))
    };
    text.contains("define") && text.replace("\\\n", " ").lines().any(makes)
}

/// Uses of macros in the file that are heads of loops and nothing else: their bytes, and the heads.
pub fn heads(unit: &Unit) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    if unit.has_errors() {
        return found;
    }
    hexcc_clang::deeply(|| {
        for body in unit.functions.iter().filter_map(|f| f.body.as_ref()) {
            let mut all = Vec::new();
            collect(body, &mut all);
            for stmt in &all {
                found.extend(head(unit, stmt, &all));
            }
        }
    });
    found.sort_by_key(|(range, _)| range.start);
    found.dedup();
    found
}

/// A statement and all in it.
fn collect<'s>(stmt: &'s Stmt, all: &mut Vec<&'s Stmt>) {
    all.push(stmt);
    for inner in walk::inner(stmt) {
        collect(inner, all);
    }
}

/// The heads that the use of a macro is with which a loop begins; `None` for one in the head of another one from there.
fn head(unit: &Unit, stmt: &Stmt, all: &[&Stmt]) -> Option<(Range<usize>, String)> {
    let (from, mut inner) = made(unit, stmt)?;
    let mut chain = vec![stmt];
    while let Some((_, body)) = made(unit, inner).filter(|(of, _)| of.range == from.range) {
        chain.push(inner);
        inner = body;
    }
    let is_own = |other: &Stmt| chain.iter().any(|own| std::ptr::eq(*own, other));
    let is_init = |other: &Stmt| {
        let init = |own: &Stmt| match &own.kind {
            StmtKind::For { init, .. } => init.as_deref().is_some_and(|i| std::ptr::eq(i, other)),
            _ => false,
        };
        chain.iter().any(|own| init(own))
    };
    let is_apart = |other: &Stmt| {
        let (start, end) = (other.span.start, other.span.end);
        let is_same = (start, end) == (from.range.start, stmt.span.end);
        let is_around = start <= from.range.start && end >= stmt.span.end && !is_same;
        is_around || end <= from.range.start || start >= from.range.end
    };
    let mut others = all.iter().filter(|other| other.span.file.0 == 0);
    let is_alone = others.all(|other| is_own(other) || is_init(other) || is_apart(other));
    if inner.span.start < from.range.end || stmt.span.end < from.range.end || !is_alone {
        return None;
    }
    let mut text = String::new();
    for own in chain {
        let mut alone = own.clone();
        let (StmtKind::For { body, .. } | StmtKind::While { body, .. }) = &mut alone.kind else {
            return None;
        };
        // Nothing of that has a parenthesis.
        **body = tree::stmt(own.span, StmtKind::Null);
        let printed = emit::statement(unit, &alone, &[]);
        let head = printed.text[..=printed.text.rfind(')')?].trim();
        if uses_macro(unit, head, &printed.macros) {
            return None;
        }
        text.push_str(head);
        text.push(' ');
    }
    let range = from.range.start as usize..from.range.end as usize;
    Some((range, text.trim_end().to_string()))
}

/// The use of a macro in the file with which a loop begins, and its body.
fn made<'u, 's>(unit: &'u Unit, stmt: &'s Stmt) -> Option<(&'u Expansion, &'s Stmt)> {
    let begins = |e: &Expansion| {
        let is_own = e.file.0 == 0 && stmt.span.file.0 == 0;
        is_own && e.range.start == stmt.span.start && e.range.end <= stmt.span.end
    };
    let (StmtKind::For { body, .. } | StmtKind::While { body, .. }) = &stmt.kind else {
        return None;
    };
    Some((unit.expansions.iter().find(|e| begins(e))?, body))
}
