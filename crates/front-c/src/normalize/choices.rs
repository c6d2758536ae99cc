//! Variables of subscripts that branches choose, as values that pet follows.
//!
//! In: `if (i == 0) im = n - 1; else im = i - 1;` and `u[im]`. Out: what is to stand in the place of the `if`,
//! `im = ((i == 0) ? (n - 1) : (i - 1));`.
//!
//! Every branch has to assign the same variables once, and neither conditions nor values have one of them or an
//! effect: then the order in which they are assigned does not matter.

use super::{numbers, scalars, tree, walk};
use hexcc_clang::ast::{
    Callee, DeclId, DeclKind, Expr, ExprKind, FunctionId, Span, Stmt, StmtKind, TypeKind, UnaryOp,
    Unit,
};
use std::collections::BTreeSet;
use std::ops::Range;

/// Branches in each other, at most.
const DEEPEST: usize = 6;

/// What branches assign.
enum Choice<'s> {
    /// Variables with their values.
    Values(Vec<(DeclId, &'s Expr)>),
    /// A condition, and what is assigned where it holds and where not.
    Either(&'s Expr, Box<[Choice<'s>; 2]>),
}

/// Whether a text may have branches that choose.
pub fn may_choose(text: &str) -> bool {
    text.contains("else")
}

/// The statements of the file that choose variables of subscripts: their bytes, and what is to stand there.
pub fn choices(unit: &Unit) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    if unit.has_errors() {
        return found;
    }
    hexcc_clang::deeply(|| {
        for body in unit.functions.iter().filter_map(|f| f.body.as_ref()) {
            if body.span.file.0 == 0 {
                in_statement(unit, (body, body), false, &mut found);
            }
        }
    });
    found
}

/// The choices in a statement of the body of a function, which stands in a block or not.
fn in_statement(
    unit: &Unit,
    (function, stmt): (&Stmt, &Stmt),
    is_in_block: bool,
    found: &mut Vec<(Range<usize>, String)>,
) {
    let own = choice(stmt, DEEPEST).filter(|own| matches!(own, Choice::Either(..)));
    if let Some(written) = own.and_then(|own| written(unit, function, (stmt, &own))) {
        let (range, assigned) = written;
        let text = match is_in_block {
            true => assigned,
            false => format!("{{ {assigned} }}"),
        };
        found.push((range, text));
        return;
    }
    let is_block = matches!(stmt.kind, StmtKind::Compound(_));
    for inner in walk::inner(stmt) {
        in_statement(unit, (function, inner), is_block, found);
    }
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
                all.iter().map(assignment).collect::<Option<_>>()?,
            )),
        },
        _ => Some(Choice::Values(vec![assignment(stmt)?])),
    }
}

/// The variable that a statement assigns, and its value.
fn assignment(stmt: &Stmt) -> Option<(DeclId, &Expr)> {
    let StmtKind::Expr(expr) = &stmt.kind else {
        return None;
    };
    match &expr.kind {
        ExprKind::Assign(None, to, value) => match tree::plain(to).kind {
            ExprKind::Var(id) => Some((id, value)),
            _ => None,
        },
        _ => None,
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
    fn value(&self, unit: &Unit, id: DeclId) -> Option<String> {
        match self {
            Choice::Values(all) => {
                let (_, value) = all.iter().find(|(to, _)| *to == id)?;
                Some(format!("({})", source(unit, value.span)?))
            }
            Choice::Either(cond, both) => {
                let [yes, no] = &**both;
                let (yes, no) = (yes.value(unit, id)?, no.value(unit, id)?);
                Some(format!("(({}) ? {yes} : {no})", source(unit, cond.span)?))
            }
        }
    }
}

/// The text of a part of the file in which uses of macros are whole.
fn source(unit: &Unit, span: Span) -> Option<&str> {
    let range = span.start..span.end;
    let is_whole = unit.expansions.iter().all(|e| {
        let apart = e.range.end <= range.start || range.end <= e.range.start;
        let within = range.start <= e.range.start && e.range.end <= range.end;
        e.file.0 != 0 || apart || within
    });
    (span.file.0 == 0 && is_whole).then(|| unit.text(span))
}

/// The bytes of a choice, and the assignments that it stands for.
fn written(
    unit: &Unit,
    function: &Stmt,
    (stmt, choice): (&Stmt, &Choice),
) -> Option<(Range<usize>, String)> {
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
        || !all_ids.iter().any(|id| decides(unit, function, stmt, *id))
    {
        return None;
    }
    let range = whole(unit, stmt.span)?;
    if unit[stmt.span.file].text[range.clone()].contains('#') {
        return None;
    }
    let mut all_ids: Vec<DeclId> = all_ids.into_iter().collect();
    all_ids.sort_by_key(|id| &unit[*id].name);
    let assign = |id: &DeclId| {
        let value = choice.value(unit, *id)?;
        Some(format!("{} = {value};", unit[*id].name))
    };
    let all: Vec<String> = all_ids.iter().map(assign).collect::<Option<_>>()?;
    Some((range, all.join(" ")))
}

/// The bytes of a statement of the file with its semicolon.
fn whole(unit: &Unit, span: Span) -> Option<Range<usize>> {
    let range = super::place(unit, span)?;
    let text = &unit[span.file].text;
    if text[range.clone()].ends_with(['}', ';']) {
        return Some(range);
    }
    let rest = &text[range.end..];
    let blanks = rest.len() - rest.trim_start().len();
    rest[blanks..]
        .starts_with(';')
        .then_some(range.start..range.end + blanks + 1)
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
/// file, outside of a statement of the function.
fn decides(unit: &Unit, function: &Stmt, choice: &Stmt, id: DeclId) -> bool {
    let is_it = |expr: &Expr| match &expr.kind {
        ExprKind::Index(base, at) => walk::mentions(base, id) || walk::mentions(at, id),
        ExprKind::Call(Callee::Function(called), given) => {
            unit.body_of(*called).is_some() && given.iter().any(|e| walk::mentions(e, id))
        }
        _ => false,
    };
    let mut found = false;
    let mut open = vec![function];
    while let Some(stmt) = open.pop() {
        if std::ptr::eq(stmt, choice) {
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
