//! Variables of subscripts that branches choose, as values that pet follows.
//!
//! In: `if (i == 0) im = n - 1; else im = i - 1;` and `u[im]`. Out: `im = i == 0 ? n - 1 : i - 1;`.
//!
//! Every branch has to assign the same variables once, and neither conditions nor values have one of them or an
//! effect: then the order in which they are assigned does not matter.

use super::forward::{Part, Scene};
use super::{numbers, scalars, tree, walk};
use hexcc_clang::ast::{
    Callee, DeclId, DeclKind, Expr, ExprKind, FunctionId, Stmt, StmtKind, TypeKind, UnaryOp, Unit,
};
use std::collections::BTreeSet;

/// Branches in each other, at most.
const DEEPEST: usize = 6;

/// What branches assign.
enum Choice<'s> {
    /// Variables with their values.
    Values(Vec<(DeclId, &'s Expr)>),
    /// A condition, and what is assigned where it holds and where not.
    Either(&'s Expr, Box<[Choice<'s>; 2]>),
}

/// Has values stand for the branches of a part that choose.
pub(super) fn choices(scene: &mut Scene, part: &mut Part) -> bool {
    let before = part.root.clone();
    in_statement(&scene.unit, &before, &mut part.root)
}

/// The same in a statement, of a part that is as it was `before`.
fn in_statement(unit: &Unit, before: &Stmt, stmt: &mut Stmt) -> bool {
    let mut found = false;
    if let StmtKind::Compound(all) = &mut stmt.kind {
        let mut at = 0;
        while at < all.len() {
            let chosen = assignments(unit, before, &all[at]);
            let n_chosen = chosen.as_ref().map_or(1, Vec::len);
            if let Some(chosen) = chosen {
                all.splice(at..=at, chosen);
                found = true;
            }
            at += n_chosen;
        }
    }
    for inner in walk::inner_mut(stmt) {
        if let Some(chosen) = assignments(unit, before, inner) {
            inner.kind = StmtKind::Compound(chosen);
            found = true;
        }
        found |= in_statement(unit, before, inner);
    }
    found
}

/// The assignments that a statement of a part stands for, if it chooses.
fn assignments(unit: &Unit, part: &Stmt, stmt: &Stmt) -> Option<Vec<Stmt>> {
    let own = choice(stmt, DEEPEST).filter(|own| matches!(own, Choice::Either(..)))?;
    written(unit, part, (stmt, &own))
}

/// The choice that a statement is.
fn choice(stmt: &Stmt, deep: usize) -> Option<Choice<'_>> {
    match &stmt.kind {
        StmtKind::If {
            cond,
            then,
            otherwise: Some(otherwise),
        } if deep > 0 => {
            let both = [choice(then, deep - 1)?, choice(otherwise, deep - 1)?];
            Some(Choice::Either(cond, Box::new(both)))
        }
        StmtKind::Compound(all) => match &all[..] {
            [] => None,
            [one] if matches!(one.kind, StmtKind::If { .. }) => choice(one, deep),
            all => Some(Choice::Values(
                all.iter().map(tree::assignment).collect::<Option<_>>()?,
            )),
        },
        _ => Some(Choice::Values(vec![tree::assignment(stmt)?])),
    }
}

impl<'s> Choice<'s> {
    /// What the branches assign.
    fn branches(&self) -> Vec<&[(DeclId, &'s Expr)]> {
        match self {
            Choice::Values(all) => vec![all],
            Choice::Either(_, both) => both.iter().flat_map(Choice::branches).collect(),
        }
    }

    fn conditions(&self) -> Vec<&'s Expr> {
        match self {
            Choice::Values(_) => Vec::new(),
            Choice::Either(cond, both) => std::iter::once(*cond)
                .chain(both.iter().flat_map(Choice::conditions))
                .collect(),
        }
    }

    /// The value of a variable.
    fn value(&self, id: DeclId) -> Option<Expr> {
        match self {
            Choice::Values(all) => {
                let (_, value) = all.iter().find(|(to, _)| *to == id)?;
                Some(tree::plain(value).clone())
            }
            Choice::Either(cond, both) => {
                let [yes, no] = &**both;
                let (yes, no) = (Box::new(yes.value(id)?), Box::new(no.value(id)?));
                let (ty, span) = (yes.ty, yes.span);
                let kind = ExprKind::Cond(Box::new((*cond).clone()), yes, no);
                Some(Expr { ty, span, kind })
            }
        }
    }
}

/// The assignments that a choice stands for.
fn written(unit: &Unit, part: &Stmt, (stmt, choice): (&Stmt, &Choice)) -> Option<Vec<Stmt>> {
    let branches = choice.branches();
    let ids = |all: &&[(DeclId, &Expr)]| all.iter().map(|(id, _)| *id).collect::<BTreeSet<_>>();
    let all_ids = branches.first().map(ids)?;
    let alike = |all: &&[(DeclId, &Expr)]| ids(all) == all_ids && all.len() == all_ids.len();
    let may_be_value = |expr: &Expr| {
        is_of_integers(unit, expr, DEEPEST) && !all_ids.iter().any(|id| walk::mentions(expr, *id))
    };
    let values = || branches.iter().copied().flatten();
    if !branches.iter().all(alike)
        || !choice.conditions().into_iter().all(may_be_value)
        || !values().all(|(id, value)| may_be_value(value) && has_type_of(unit, *id, value))
        || !all_ids.iter().all(|id| is_index(unit, *id))
        || !all_ids.iter().any(|id| decides(unit, part, stmt, *id))
        || unit.text(stmt.span).contains('#')
    {
        return None;
    }
    let mut all_ids: Vec<DeclId> = all_ids.into_iter().collect();
    all_ids.sort_by_key(|id| &unit[*id].name);
    let assign = |id: &DeclId| {
        let to = tree::var(unit, *id, stmt.span);
        let assigned = tree::assign(to, choice.value(*id)?);
        Some(Stmt {
            id: stmt.id,
            span: stmt.span,
            kind: assigned.kind,
        })
    };
    all_ids.iter().map(assign).collect()
}

/// Whether an expression is made of integers that no operator changes, with calls of functions that are such expressions.
fn is_of_integers(unit: &Unit, expr: &Expr, deep: usize) -> bool {
    let is_integer = |expr: &Expr| {
        let is_volatile = tree::is_somewhere(unit, expr.ty, |ty| ty.is_volatile);
        numbers::range(unit, expr.ty).is_some() && !is_volatile
    };
    let is_it = match &expr.kind {
        ExprKind::Int(_) | ExprKind::Char(_) | ExprKind::Var(_) | ExprKind::SizeOf(_) => true,
        ExprKind::Field(..) => {
            return is_integer(expr) && tree::Path::of(unit, expr).is_some();
        }
        ExprKind::Unary(op, _) => matches!(
            op,
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot | UnaryOp::Not
        ),
        ExprKind::Binary(..) | ExprKind::Cast { .. } => true,
        ExprKind::Call(Callee::Function(called), _) if deep > 0 => {
            returned(unit, *called).is_some_and(|value| is_of_integers(unit, value, deep - 1))
        }
        _ => false,
    };
    let mut parts = walk::parts(expr).into_iter();
    is_it && is_integer(expr) && parts.all(|part| is_of_integers(unit, part, deep))
}

/// The value that a function returns, if that is all it does.
fn returned(unit: &Unit, function: FunctionId) -> Option<&Expr> {
    match &unit.body_of(function)?.kind {
        StmtKind::Compound(all) => match &all[..] {
            [one] => match &one.kind {
                StmtKind::Return(value) => value.as_ref(),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Whether a value is a number, or has the type of a variable, so that it keeps it next to other values.
fn has_type_of(unit: &Unit, id: DeclId, value: &Expr) -> bool {
    let (to, value) = (unit.canonical(unit[id].ty), tree::plain(value));
    let is_number = matches!(value.kind, ExprKind::Int(_));
    let from = unit.canonical(value.ty);
    is_number
        || matches!((&to.kind, &from.kind), (TypeKind::Builtin(a), TypeKind::Builtin(b)) if a == b)
}

/// Whether a variable is a whole number of the width of `int` at least, to which nothing points.
fn is_index(unit: &Unit, id: DeclId) -> bool {
    let decl = &unit[id];
    let ty = unit.canonical(decl.ty);
    matches!(decl.kind, DeclKind::Variable | DeclKind::Parameter)
        && matches!(ty.kind, TypeKind::Builtin(_))
        && numbers::range(unit, decl.ty).is_some()
        && ty.size.is_some_and(|size| size >= 4)
        && !tree::is_somewhere(unit, decl.ty, |ty| ty.is_volatile)
        && !scalars::is_pointed_to(unit, id)
}

/// Whether a variable is in a subscript, in a condition or the header of a loop, or is given to a function of the
/// file, outside of a statement of the part.
fn decides(unit: &Unit, part: &Stmt, choice: &Stmt, id: DeclId) -> bool {
    let is_it = |expr: &Expr| match &expr.kind {
        ExprKind::Index(base, at) => walk::mentions(base, id) || walk::mentions(at, id),
        ExprKind::Call(Callee::Function(called), given) => {
            unit.body_of(*called).is_some() && given.iter().any(|e| walk::mentions(e, id))
        }
        _ => false,
    };
    let mut found = false;
    let mut open = vec![part];
    while let Some(stmt) = open.pop() {
        if stmt.id == choice.id {
            continue;
        }
        found |= match &stmt.kind {
            StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => walk::mentions(cond, id),
            StmtKind::For { cond, step, .. } => {
                let mut head = cond.iter().chain(step);
                head.any(|e| walk::mentions(e, id))
            }
            _ => false,
        };
        walk::exprs(unit, stmt, &mut |expr| found |= walk::has(expr, is_it));
        open.extend(walk::inner(stmt));
    }
    found
}
