//! Loops whose steps do one of several things, always the same.
//!
//! In: `for (t = 0; t < n; t++) { ..; if (scheme == UPWIND) .. else ..; .. }` where nothing in the loop changes `scheme`. Out: a
//! loop for each branch, and branches around them.

use super::inline;
use super::numbers;
use super::scalars;
use super::tree;
use super::walk;
use super::{Rewritten, Variant};
use crate::emit;
use hexcc_clang::ast::{
    DeclId, DeclKind, Expr, ExprKind, FunctionId, Stmt, StmtKind, UnaryOp, Unit,
};
use std::ops::Range;

/// Loops that one becomes, at most.
const MOST: usize = 4;

/// The loop that runs where a condition holds, and none of those before it.
struct Branch {
    /// `None` for the last one.
    cond: Option<Expr>,
    /// The loop.
    stmt: Stmt,
}

/// The forms of a loop as several, one of which is in another form: that which runs with what is known at first, before others.
pub(super) fn forms(
    unit: &Unit,
    function: FunctionId,
    (before, stmt): (&[Stmt], &Stmt),
    place: &(Range<usize>, &str),
) -> Vec<Rewritten> {
    let Some((branches, likely)) = unswitched(unit, function, stmt) else {
        return Vec::new();
    };
    let mut order: Vec<usize> = (0..branches.len()).collect();
    order.sort_by_key(|&at| at != likely);
    let mut found = Vec::new();
    for at in order {
        let own = &branches[at].stmt;
        let normal = super::normal(unit, function, (before, own), Variant::Plain);
        let forms = normal.map_or_else(Vec::new, |normal| normal.forms(place.clone()));
        found.extend(
            forms
                .into_iter()
                .filter_map(|form| among(unit, &branches, (at, form))),
        );
    }
    found
}

/// The form of a branch, by its number, with the other branches around it.
fn among(unit: &Unit, branches: &[Branch], (own, form): (usize, Rewritten)) -> Option<Rewritten> {
    let mut all = Rewritten {
        text: String::new(),
        statements: Vec::new(),
        ..form.clone()
    };
    for (at, branch) in branches.iter().enumerate() {
        if at > 0 {
            all.text.push_str(" else ");
        }
        if let Some(cond) = &branch.cond {
            all.text
                .push_str(&format!("if ({}) ", emit::expression(unit, cond)));
        }
        all.text.push_str("{\n");
        let start = all.text.len();
        let moved = |range: &Range<usize>| range.start + start..range.end + start;
        if at == own {
            all.text.push_str(form.text.trim_end());
            let statements = form.statements.iter();
            all.statements
                .extend(statements.map(|(now, from)| (moved(now), from.clone())));
            all.steps = moved(&form.steps);
            if let Some(segments) = &mut all.segments {
                for host in &mut segments.host {
                    *host = moved(host);
                }
                if let Some(converging) = &mut segments.converging {
                    converging.ahead = moved(&converging.ahead);
                    converging.again = moved(&converging.again);
                }
            }
        } else {
            let emit::Statement {
                text,
                statements,
                macros,
                ..
            } = emit::statement(unit, &branch.stmt, &[]);
            if super::uses_macro(unit, &text, &macros) {
                return None;
            }
            all.text.push_str(text.trim_end());
            let statements = statements.into_iter();
            all.statements.extend(
                statements.filter_map(|(now, span)| Some((moved(&now), super::place(unit, span)?))),
            );
        }
        all.text.push_str("\n}");
    }
    all.passes.insert(0, "unswitch".to_owned());
    Some(all)
}

/// The loops in the place of one, and which of them runs with the values that variables have at first.
fn unswitched(unit: &Unit, function: FunctionId, stmt: &Stmt) -> Option<(Vec<Branch>, usize)> {
    let (StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Do { body, .. }) =
        &stmt.kind
    else {
        return None;
    };
    let StmtKind::Compound(all) = &body.kind else {
        return None;
    };
    let function = unit[function].body.as_ref()?;
    let is_switch = |inner: &Stmt| match &inner.kind {
        StmtKind::If { cond, .. } => stays(unit, function, stmt, cond),
        _ => false,
    };
    let at = all.iter().position(is_switch)?;
    let mut found = Vec::new();
    let mut rest = Some(&all[at]);
    while let Some(inner) = rest {
        rest = match &inner.kind {
            StmtKind::If {
                cond,
                then,
                otherwise,
            } if stays(unit, function, stmt, cond) => {
                found.push((Some(cond.clone()), (**then).clone()));
                match otherwise.as_deref().map(|stmt| (stmt, &stmt.kind)) {
                    Some((_, StmtKind::Compound(all))) if is_one_switch(all) => all.first(),
                    Some((stmt, _)) => Some(stmt),
                    None => {
                        found.push((None, tree::stmt(inner.span, StmtKind::Null)));
                        None
                    }
                }
            }
            _ => {
                found.push((None, inner.clone()));
                None
            }
        };
    }
    if found.len() > MOST {
        return None;
    }
    let of = |(cond, branch): (Option<Expr>, Stmt)| {
        let mut stmt = stmt.clone();
        if let StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Do { body, .. } =
            &mut stmt.kind
            && let StmtKind::Compound(all) = &mut body.kind
        {
            all.splice(at..=at, in_place(branch));
        }
        Branch { cond, stmt }
    };
    let found: Vec<Branch> = found.into_iter().map(of).collect();
    let first = |cond: &Expr| numbers::value_where(unit, cond, &|id| at_first(unit, id)) == Some(1);
    let likely = found
        .iter()
        .position(|b| b.cond.as_ref().is_some_and(first));
    Some((found, likely.unwrap_or(0)))
}

fn is_one_switch(all: &[Stmt]) -> bool {
    matches!(all, [one] if matches!(one.kind, StmtKind::If { .. }))
}

/// The statements of a branch, in a block of their own where they declare something.
fn in_place(branch: Stmt) -> Vec<Stmt> {
    match &branch.kind {
        StmtKind::Compound(all) if all.iter().any(|stmt| !walk::declared(stmt).is_empty()) => {
            vec![branch]
        }
        _ => tree::block(branch),
    }
}

/// The number that a variable is declared with.
fn at_first(unit: &Unit, id: DeclId) -> Option<i128> {
    match unit[id].kind {
        DeclKind::Variable => numbers::value(unit, unit[id].init.as_ref()?),
        _ => None,
    }
}

/// Whether a condition is the same in all steps of a loop: it compares variables of the function that the loop does not
/// change, and numbers.
fn stays(unit: &Unit, function: &Stmt, stmt: &Stmt, cond: &Expr) -> bool {
    use hexcc_clang::ast::BinaryOp as B;
    let stays_variable = |id: DeclId| {
        let ty = unit[id].ty;
        let is_own = unit[id].kind == DeclKind::Parameter
            || walk::all_declared(function).contains(&id)
                && !walk::all_declared(stmt).contains(&id);
        is_own
            && numbers::range(unit, ty).is_some()
            && !tree::is_somewhere(unit, ty, |ty| ty.is_volatile)
            && !inline::changes(unit, stmt, id)
            && !scalars::is_pointed_to(unit, id)
    };
    let (mut is_it, mut has_variable) = (true, false);
    walk::visit(cond, &mut |expr| {
        is_it &= match &expr.kind {
            ExprKind::Int(_) | ExprKind::Char(_) | ExprKind::Cast { .. } => true,
            ExprKind::Var(id) => match unit[*id].kind {
                DeclKind::Enumerator(_) => true,
                _ => {
                    has_variable = true;
                    stays_variable(*id)
                }
            },
            ExprKind::Unary(op, _) => matches!(op, UnaryOp::Not),
            ExprKind::Binary(op, ..) => matches!(
                op,
                B::Less
                    | B::LessEqual
                    | B::Greater
                    | B::GreaterEqual
                    | B::Equal
                    | B::NotEqual
                    | B::And
                    | B::Or
                    | B::BitAnd
            ),
            _ => false,
        };
        is_it
    });
    is_it && has_variable
}
