//! Calls in a region, and in the functions of the file that it calls, of what the file does not define.

use super::{around, within};
use crate::facts::is_of_library;
use crate::normalize::{scalars, tree, walk};
use hexcc_clang::ast::{Callee, Expr, ExprKind, Span, Stmt, StmtKind, UnaryOp, Unit};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A call of a function whose body is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    /// The name of the function, or of the pointer.
    pub name: String,
    /// The bytes of the statement, or of the expression in the head of one.
    pub stmt: Range<usize>,
    /// The function that the call stands in, where that is not the region's own.
    pub within: Option<String>,
    /// What is called.
    pub what: What,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// A function of so many arguments.
    Function,
    /// One of the system that takes any number of arguments, as those for input and output do.
    Host,
    /// Another one that does.
    Variadic,
    /// What a pointer points to.
    Pointer,
}

/// The first of some calls that pet ends at the sight of; those through pointers are the last of them.
pub fn first_unreadable(calls: &[Called]) -> Option<&Called> {
    let is_direct = |call: &&Called| matches!(call.what, What::Host | What::Variadic);
    let direct = calls.iter().find(is_direct);
    direct.or_else(|| calls.iter().find(|call| call.what == What::Pointer))
}

/// The calls in a region, by its bytes, and then those in the functions that it calls, in the order of the text.
pub(super) fn calls(unit: &Unit, region: &Range<usize>) -> Vec<Called> {
    let Some((function, body)) = around(unit, region) else {
        return Vec::new();
    };
    let all = within(body, region);
    let mut found = Vec::new();
    for stmt in &all {
        in_statement(unit, stmt, None, &mut found);
    }
    let mut called = walk::called(unit, &all);
    called.retain(|f| *f != function && unit[*f].span.file.0 == 0);
    called.sort_by_key(|f| unit[*f].span.start);
    for callee in called {
        if let Some(body) = &unit[callee].body {
            in_statement(unit, body, Some(&unit[callee].name), &mut found);
        }
    }
    found
}

fn in_statement(unit: &Unit, stmt: &Stmt, within: Option<&String>, found: &mut Vec<Called>) {
    walk::exprs(unit, stmt, &mut |whole| {
        walk::visit(whole, &mut |expr| {
            if let Some((name, what)) = called(unit, expr) {
                found.push(Called {
                    name,
                    stmt: match stmt.kind {
                        StmtKind::Expr(_) | StmtKind::Decl(_) | StmtKind::Return(_) => {
                            to_semicolon(unit, stmt.span)
                        }
                        _ => whole.span.start as usize..whole.span.end as usize,
                    },
                    within: within.cloned(),
                    what,
                });
            }
            true
        });
    });
    for inner in walk::inner(stmt) {
        in_statement(unit, inner, within, found);
    }
}

/// What an expression calls, if it does.
fn called(unit: &Unit, expr: &Expr) -> Option<(String, What)> {
    match &expr.kind {
        ExprKind::Call(Callee::Function(f), _) => {
            let function = &unit[*f];
            // Some of clang's own are declared so, `isnan` among them.
            let is_own = function.name.starts_with("__builtin_");
            let what = match function.is_variadic && !is_own {
                true if scalars::is_of_system(unit, *f) || is_of_library(unit, function) => {
                    What::Host
                }
                true => What::Variadic,
                false => What::Function,
            };
            let is_known = what == What::Function && unit.body_of(*f).is_some();
            (!is_known).then(|| (function.name.clone(), what))
        }
        ExprKind::Call(Callee::Pointer(to), _) => Some((name(unit, to), What::Pointer)),
        _ => None,
    }
}

/// The name of a pointer to a function, or of the table that it is in.
fn name(unit: &Unit, pointer: &Expr) -> String {
    match &tree::plain(pointer).kind {
        ExprKind::Var(id) => unit[*id].name.clone(),
        ExprKind::Field(_, field) => unit[*field].name.clone(),
        ExprKind::Index(of, _) | ExprKind::Unary(UnaryOp::Deref, of) => name(unit, of),
        _ => String::from("this"),
    }
}

/// The bytes of a statement with its semicolon.
fn to_semicolon(unit: &Unit, span: Span) -> Range<usize> {
    let (start, end) = (span.start as usize, span.end as usize);
    let rest = unit.files.first().and_then(|file| file.text.get(end..));
    let rest = rest.unwrap_or_default();
    let blanks = rest.len() - rest.trim_start().len();
    match rest[blanks..].starts_with(';') {
        true => start..end + blanks + 1,
        false => start..end,
    }
}
