//! Planes that a subscript selects from a table, as pointers that rotate at the end of a step.
//!
//! A table is an array of pointers, of arrays, or of structs with pointers. In: `u[k]` and `s[k].v`, where a pass knows which
//! plane `k` selects. Out: `u_now`, `u_next`, which get their values before the loop, so that a table stays the same in it.

use super::promote::Around;
use super::tree::{self, Namer, Path};
use super::walk;
use hexcc_clang::ast::{
    Callee, DeclId, Expr, ExprKind, FieldId, FunctionId, Span, Stmt, TypeId, TypeKind, UnaryOp,
    Unit,
};
use std::collections::{BTreeMap, HashSet};

/// An array, and the members of its elements that lead to pointers: `s[..].v`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Table {
    pub array: Path,
    pub members: Vec<FieldId>,
}

/// The planes of a table.
pub(super) struct Planes {
    /// One of them, as the program writes it.
    pub written: Expr,
    pub pointers: Vec<DeclId>,
}

/// Tells the number of the plane that a subscript selects.
pub(super) type Number<'a> = dyn Fn(&Unit, &Expr) -> Option<usize> + 'a;

/// The table and the number of the plane that an expression is.
pub(super) fn selected(unit: &Unit, expr: &Expr, number: &Number) -> Option<(Table, usize)> {
    let mut members = Vec::new();
    let mut at = expr;
    while let ExprKind::Field(base, field) = &at.kind {
        if tree::is_pointer(unit, tree::plain(base).ty) {
            return None;
        }
        members.push(*field);
        at = tree::plain(base);
    }
    let ExprKind::Index(base, subscript) = &at.kind else {
        return None;
    };
    members.reverse();
    let number = number(unit, subscript)?;
    let array = Path::of(unit, base)?;
    let is_plane = matches!(
        unit.canonical(expr.ty).kind,
        TypeKind::Pointer(_) | TypeKind::Array { .. }
    );
    is_plane.then_some((Table { array, members }, number))
}

/// The same plane of a table with another subscript.
pub(super) fn with_subscript(written: &Expr, subscript: &Expr) -> Expr {
    let mut expr = written.clone();
    let mut at = &mut expr;
    loop {
        match &mut at.kind {
            ExprKind::Index(_, old) => {
                **old = subscript.clone();
                return expr;
            }
            ExprKind::Field(inner, _)
            | ExprKind::Cast {
                implicit: true,
                value: inner,
                ..
            } => at = inner,
            _ => return expr,
        }
    }
}

/// The planes that some statements select, with one of them as it is written.
pub(super) fn tables(unit: &Unit, body: &[Stmt], number: &Number) -> BTreeMap<Table, Expr> {
    let mut found = BTreeMap::new();
    for stmt in body {
        walk::all(unit, stmt, &mut |expr| {
            if let Some((table, _)) = selected(unit, expr, number) {
                found.insert(table, expr.clone());
            }
            true
        });
    }
    found
}

/// Pointers to the planes of a table at some subscripts; `None` where these are not of a type that pointers can have.
pub(super) fn pointers(
    unit: &mut Unit,
    namer: &mut Namer,
    (table, written): (&Table, &Expr),
    subscripts: &[Expr],
    ends: &[&str],
) -> Option<Planes> {
    let ty = tree::value_type(unit, written.ty);
    if tree::is_variable(unit, ty) || !tree::is_pointer(unit, ty) {
        return None;
    }
    let root = unit[table.array.root].name.clone();
    let all = table.array.fields.last().into_iter().chain(&table.members);
    let fields: Vec<&str> = all.map(|f| unit[*f].name.as_str()).collect();
    let name = match (table.array.fields.is_empty(), fields.is_empty()) {
        (_, true) => root,
        (true, _) => format!("{root}_{}", fields.join("_")),
        (false, _) => fields.join("_"),
    };
    let mut all = Vec::new();
    for (subscript, end) in subscripts.iter().zip(ends) {
        let name = namer.fresh(&format!("{name}_{end}"));
        let plane = with_subscript(written, subscript);
        all.push(tree::variable(unit, name, ty, Some(plane), written.span));
    }
    Some(Planes {
        written: written.clone(),
        pointers: all,
    })
}

/// The statements after which each pointer is what the next one was.
pub(super) fn rotation(
    unit: &mut Unit,
    namer: &mut Namer,
    pointers: &[DeclId],
    span: Span,
) -> Vec<Stmt> {
    let Some(first) = pointers.first() else {
        return Vec::new();
    };
    let (ty, stem) = (unit[*first].ty, unit[*first].name.clone());
    let stem = stem
        .rsplit_once('_')
        .map_or(stem.as_str(), |(stem, _)| stem);
    let held = namer.fresh(&format!("{stem}_held"));
    let of = |unit: &Unit, id: DeclId| tree::var(unit, id, span);
    let held = tree::variable(unit, held, ty, Some(of(unit, *first)), span);
    let next = pointers[1..].iter().copied().chain([held]);
    let moves = pointers.iter().zip(next);
    std::iter::once(tree::declaration(unit, held))
        .chain(moves.map(|(to, from)| tree::assign(of(unit, *to), of(unit, from))))
        .collect()
}

/// Puts the pointers in the place of the planes.
pub(super) fn replace<'s>(
    unit: &mut Unit,
    stmts: impl Iterator<Item = &'s mut Stmt>,
    number: &Number,
    planes: &BTreeMap<Table, Planes>,
) {
    let asked = unit.clone();
    let mut replaced = |expr: &mut Expr| {
        if let Some((table, at)) = selected(&asked, expr, number)
            && let Some(id) = planes.get(&table).and_then(|p| p.pointers.get(at))
        {
            *expr = tree::var(&asked, *id, expr.span);
            return false;
        }
        true
    };
    for stmt in stmts {
        walk::change_all(unit, stmt, &mut replaced);
    }
}

/// The declarations of the pointers.
pub(super) fn declared(unit: &Unit, planes: &BTreeMap<Table, Planes>) -> Around {
    let all = planes.values().flat_map(|p| &p.pointers);
    Around {
        when: None,
        before: all.map(|id| tree::declaration(unit, *id)).collect(),
        after: Vec::new(),
    }
}

/// Whether nothing in a loop gives a table other planes, or what it is reached through another value.
pub(super) fn stay<'t>(
    unit: &Unit,
    (head, body): (&Stmt, &[Stmt]),
    tables: impl Iterator<Item = &'t Table>,
) -> bool {
    let roots: HashSet<DeclId> = tables.map(|t| t.array.root).collect();
    let mut all = std::iter::once(head).chain(body);
    let own: HashSet<DeclId> = all.clone().flat_map(walk::all_declared).collect();
    roots.is_disjoint(&own) && !all.any(|stmt| moves(unit, stmt, &own, &roots, &mut HashSet::new()))
}

/// Whether a statement assigns to pointers, or to structs with some, that are not plain variables.
fn moves(
    unit: &Unit,
    stmt: &Stmt,
    own: &HashSet<DeclId>,
    roots: &HashSet<DeclId>,
    asked: &mut HashSet<FunctionId>,
) -> bool {
    let is_plain =
        |id: &DeclId| !roots.contains(id) && (own.contains(id) || !is_record(unit, unit[*id].ty));
    walk::any(unit, stmt, |expr| match &expr.kind {
        ExprKind::Call(Callee::Function(f), given) => call_moves(unit, *f, given, roots, asked),
        ExprKind::Call(..) => true,
        // The place of a plane in a table; where other addresses are taken, what is done with them is asked.
        ExprKind::Unary(UnaryOp::AddressOf, of) => {
            let of = tree::plain(of);
            !matches!(of.kind, ExprKind::Var(_)) && tree::is_pointer(unit, of.ty)
        }
        _ => tree::target(expr)
            .map(tree::plain)
            .is_some_and(|to| match &to.kind {
                ExprKind::Var(id) => !is_plain(id),
                _ => tree::is_pointer(unit, to.ty) || is_record(unit, to.ty),
            }),
    })
}

fn call_moves(
    unit: &Unit,
    function: FunctionId,
    given: &[Expr],
    roots: &HashSet<DeclId>,
    asked: &mut HashSet<FunctionId>,
) -> bool {
    if super::scalars::is_of_system(unit, function) {
        return given.iter().any(|expr| leads_to_pointers(unit, expr));
    }
    if !asked.insert(function) {
        return false;
    }
    let Some(body) = unit.body_of(function) else {
        return true;
    };
    let params = unit[function].params.iter().copied();
    let own = params.chain(walk::all_declared(body)).collect();
    moves(unit, body, &own, roots, asked)
}

/// Whether an argument is the address of pointers or of a struct of the program.
fn leads_to_pointers(unit: &Unit, expr: &Expr) -> bool {
    tree::element(unit, tree::unconverted(expr).ty).is_some_and(|to| leads_to_pointers_of(unit, to))
}

fn leads_to_pointers_of(unit: &Unit, element: TypeId) -> bool {
    match unit.canonical(element).kind {
        TypeKind::Array { element, .. } => leads_to_pointers_of(unit, element),
        TypeKind::Pointer(_) => true,
        _ => is_record(unit, element),
    }
}

/// Whether a type is a struct of the program with pointers.
fn is_record(unit: &Unit, ty: TypeId) -> bool {
    let TypeKind::Record(id) = unit.canonical(ty).kind else {
        return false;
    };
    let has_pointers = |field: &FieldId| leads_to_pointers_of(unit, unit[*field].ty);
    !unit[unit[id].span.file].is_system
        && (!unit[id].is_complete || unit[id].fields.iter().any(has_pointers))
}

/// Takes out of the body of a loop the variables that nothing uses.
pub(super) fn drop_unused(unit: &mut Unit, body: &mut [Stmt], wanted: &HashSet<DeclId>) {
    use hexcc_clang::ast::{Item, StmtKind};
    loop {
        let uses = |id: DeclId| body.iter().any(|stmt| walk::uses(unit, stmt, id));
        let gone: HashSet<DeclId> = wanted.iter().copied().filter(|id| !uses(*id)).collect();
        let mut changed = false;
        for stmt in body.iter_mut() {
            if let StmtKind::Decl(items) = &mut stmt.kind {
                let before = items.len();
                items.retain(|item| !matches!(item, Item::Decl(id) if gone.contains(id)));
                changed |= items.len() != before;
                if items.is_empty() {
                    stmt.kind = StmtKind::Null;
                }
            }
        }
        if !changed {
            return;
        }
    }
}
