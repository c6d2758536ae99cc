//! Pointers in structs and in variables of the file that a time loop moves, as variables of its function.
//!
//! In: `g->now = g->next;` in the body of a loop. Out: `g_now = g_next;`, with `float *g_now = g->now;` before the loop and
//! `g->now = g_now;` behind it. Calls that may see or change the members get them back before and are asked for them
//! afterwards.

use super::counter::Known;
use super::tree::{self, Namer, Path};
use super::{scalars, unreached, walk};
use hexcc_clang::ast::{
    BinaryOp, Builtin, Callee, DeclId, Expr, ExprKind, FieldId, FunctionId, Stmt, StmtKind, TypeId,
    TypeKind, UnaryOp, Unit,
};
use std::collections::{BTreeMap, HashSet};

/// A pointer that became a variable.
struct Moved {
    path: Path,
    /// How the program writes it.
    place: Expr,
    variable: DeclId,
}

/// The statements that go around a loop.
#[derive(Clone, Default)]
pub(super) struct Around {
    pub before: Vec<Stmt>,
    pub after: Vec<Stmt>,
    /// Where this does not hold, the loop runs as it is.
    pub when: Option<Expr>,
}

impl Around {
    /// Puts other statements between these and the loop.
    pub fn wrap(&mut self, inner: Around) {
        self.before.extend(inner.before);
        self.after.splice(0..0, inner.after);
        self.when = match (self.when.take(), inner.when) {
            (Some(own), Some(inner)) => Some(tree::binary(BinaryOp::And, own, inner)),
            (own, inner) => own.or(inner),
        };
    }

    /// These statements around a loop that is `original` as the program has it.
    pub fn around(&self, stmt: Stmt, original: &Stmt) -> Stmt {
        let Around {
            before,
            after,
            when,
        } = self.clone();
        let all = before.into_iter().chain([stmt]).chain(after).collect();
        let all = tree::stmt(original.span, StmtKind::Compound(all));
        let Some(cond) = when else {
            return all;
        };
        let (then, otherwise) = (Box::new(all), Some(Box::new(original.clone())));
        let kind = StmtKind::If {
            cond,
            then,
            otherwise,
        };
        tree::stmt(
            original.span,
            StmtKind::Compound(vec![tree::stmt(original.span, kind)]),
        )
    }
}

/// Makes variables of the pointers that the body of a loop assigns to; `None` where there are none, or where it is not known
/// who else sees them.
pub(super) fn promote(
    unit: &mut Unit,
    namer: &mut Namer,
    known: &Known,
    (head, body): (&Stmt, &mut Vec<Stmt>),
) -> Option<Around> {
    let globals = &known.globals;
    let found = assigned(unit, globals, body)?;
    let is_inner = |path: &Path| tree::is_declared_in(path, head, body);
    if found.is_empty()
        || found.keys().any(is_inner)
        || !is_known(unit, globals, (head, body), &found)
    {
        return None;
    }
    let mut all = Vec::new();
    for (path, place) in found {
        let in_union = |f: &FieldId| unit[unit[*f].record].is_union;
        if tree::is_variable(unit, place.ty)
            || unit[place.ty].is_volatile
            || path.fields.iter().any(in_union)
        {
            return None;
        }
        all.push(Moved::new(unit, namer, (path, place)));
    }
    let variables: Vec<(&Path, DeclId)> = all.iter().map(|m| (&m.path, m.variable)).collect();
    replace(unit, body.iter_mut(), &variables);
    for stmt in body {
        write_back(unit, stmt, &all)?;
    }
    Some(around(unit, &all))
}

/// Makes variables of the numbers in structs that the body of a loop changes, where nothing else leads to them; `None` where
/// there are none.
pub(super) fn numbers(
    unit: &mut Unit,
    namer: &mut Namer,
    globals: &HashSet<DeclId>,
    (head, body): (&mut Stmt, &mut [Stmt]),
) -> Option<Around> {
    let mut all = Vec::new();
    for (path, place) in changed_numbers(unit, body) {
        let found = BTreeMap::from([(path.clone(), place.clone())]);
        let is_known = is_known(unit, globals, (head, body), &found)
            && !tree::is_declared_in(&path, head, body)
            && path
                .fields
                .iter()
                .all(|f| is_alone(unit, (head, body), (*f, &path)));
        if is_known {
            all.push(Moved::new(unit, namer, (path, place)));
        }
    }
    let variables: Vec<(&Path, DeclId)> = all.iter().map(|m| (&m.path, m.variable)).collect();
    let stmts = std::iter::once(&mut *head).chain(body.iter_mut());
    replace(unit, stmts, &variables);
    for stmt in std::iter::once(head).chain(body) {
        write_back(unit, stmt, &all)?;
    }
    (!all.is_empty()).then(|| around(unit, &all))
}

/// The numbers in structs that statements change, by name.
fn changed_numbers(unit: &Unit, body: &[Stmt]) -> BTreeMap<Path, Expr> {
    let mut found = BTreeMap::new();
    for stmt in body {
        walk::all(unit, stmt, &mut |expr| {
            let to = tree::target(expr).map(tree::plain);
            if let Some(to) = to.filter(|to| scalars::is_arithmetic(unit, to.ty))
                && !unit[to.ty].is_volatile
                && let Some(path) = Path::of(unit, to).filter(|path| !path.fields.is_empty())
            {
                found.insert(path, to.clone());
            }
            true
        });
    }
    found
}

/// Whether a loop has no other way to a member of a path: no other struct of this kind, no address, and no pointer to numbers.
fn is_alone(unit: &Unit, (head, body): (&Stmt, &[Stmt]), (field, path): (FieldId, &Path)) -> bool {
    let is_last = path.fields.last() == Some(&field);
    let is_other = |expr: &Expr| match &expr.kind {
        ExprKind::Field(_, f) if *f == field && is_last => {
            Path::of(unit, expr).as_ref() != Some(path)
        }
        ExprKind::Unary(UnaryOp::AddressOf, of) => {
            matches!(tree::plain(of).kind, ExprKind::Field(_, f) if f == field)
        }
        _ => false,
    };
    let mut all = std::iter::once(head).chain(body);
    !unit[unit[field].record].is_union
        && unit[field].bits.is_none()
        && !all.any(|stmt| walk::any(unit, stmt, is_other))
        && unreached::is_unreached(unit, field)
}

/// What goes around a loop for the variables: their declarations, and the stores to their places.
fn around(unit: &Unit, all: &[Moved]) -> Around {
    let declared = all.iter().map(|m| tree::declaration(unit, m.variable));
    Around {
        before: declared.collect(),
        after: all.iter().map(|m| m.store(unit)).collect(),
        when: None,
    }
}

impl Moved {
    fn new(unit: &mut Unit, namer: &mut Namer, (path, place): (Path, Expr)) -> Moved {
        let ty = tree::unqualified(unit, place.ty);
        let name = namer.fresh(&name_of(unit, &path));
        let variable = tree::variable(unit, name, ty, Some(place.clone()), place.span);
        Moved {
            path,
            place,
            variable,
        }
    }

    fn store(&self, unit: &Unit) -> Stmt {
        tree::assign(
            self.place.clone(),
            tree::var(unit, self.variable, self.place.span),
        )
    }

    fn load(&self, unit: &Unit) -> Stmt {
        tree::assign(
            tree::var(unit, self.variable, self.place.span),
            self.place.clone(),
        )
    }
}

/// `g_now` for `g->now`.
pub(super) fn name_of(unit: &Unit, path: &Path) -> String {
    let fields = path.fields.iter().map(|f| unit[*f].name.as_str());
    let root = std::iter::once(unit[path.root].name.as_str());
    let words: Vec<&str> = root.chain(fields).collect();
    match words[..] {
        [alone] => format!("own_{alone}"),
        _ => words.join("_"),
    }
}

/// The pointers in structs and of the file that statements assign to; `None` where one is assigned to that is neither.
fn assigned(unit: &Unit, globals: &HashSet<DeclId>, body: &[Stmt]) -> Option<BTreeMap<Path, Expr>> {
    let mut found = BTreeMap::new();
    let mut is_known = true;
    for stmt in body {
        walk::all(unit, stmt, &mut |expr| {
            if let ExprKind::Assign(operator, to, _) = &expr.kind
                && tree::is_pointer(unit, to.ty)
            {
                match Path::of(unit, to) {
                    Some(path) if path.fields.is_empty() && !path.through_pointer => {
                        if globals.contains(&path.root) {
                            is_known &= operator.is_none();
                            found.insert(path, tree::plain(to).clone());
                        }
                    }
                    Some(path) if !path.fields.is_empty() => {
                        is_known &= operator.is_none();
                        found.insert(path, tree::plain(to).clone());
                    }
                    _ => is_known = false,
                }
            }
            true
        });
    }
    is_known.then_some(found)
}

/// Whether nothing else in the loop leads to the pointers: no other path ends in their members, and what they are reached
/// through stays.
fn is_known(
    unit: &Unit,
    globals: &HashSet<DeclId>,
    (head, body): (&Stmt, &[Stmt]),
    found: &BTreeMap<Path, Expr>,
) -> bool {
    let last: HashSet<FieldId> = found
        .keys()
        .filter_map(|p| p.fields.last().copied())
        .collect();
    let roots: HashSet<DeclId> = (found.keys().filter(|p| !p.fields.is_empty()))
        .map(|p| p.root)
        .collect();
    // Two pointers may lead to one struct.
    let may_be_one = |p: &Path| {
        let same = |q: &Path| q.root != p.root && q.fields.last() == p.fields.last();
        p.through_pointer && found.keys().any(same)
    };
    let mut known = !found.keys().any(may_be_one);
    let all = std::iter::once(head).chain(body);
    for stmt in all {
        // What is reached through a pointer is something else once that changes.
        let moves = |root: &DeclId| {
            tree::is_pointer(unit, unit[*root].ty) && super::inline::changes(unit, stmt, *root)
        };
        known &= !roots.iter().any(moves);
        walk::all(unit, stmt, &mut |expr| {
            let Some(path) = Path::of(unit, tree::plain(expr)) else {
                return true;
            };
            let ends_there = path.fields.last().is_some_and(|f| last.contains(f));
            known &= !ends_there || found.contains_key(&path);
            !ends_there
        });
    }
    // Another function may have a pointer to a variable of the file.
    let has_address = |id: DeclId| {
        let takes = |expr: &Expr| match &expr.kind {
            ExprKind::Unary(UnaryOp::AddressOf, of) => {
                Path::of(unit, of).is_some_and(|p| p.root == id && p.fields.is_empty())
            }
            _ => false,
        };
        let mut all = std::iter::once(head).chain(body);
        all.any(|stmt| walk::any(unit, stmt, takes))
    };
    let mut plain = found.keys().filter(|p| p.fields.is_empty());
    known && plain.all(|p| globals.contains(&p.root) && !has_address(p.root))
}

/// Puts variables in the place of paths.
pub(super) fn replace<'s>(
    unit: &mut Unit,
    stmts: impl Iterator<Item = &'s mut Stmt>,
    all: &[(&Path, DeclId)],
) {
    let paths = unit.clone();
    let mut replaced = |expr: &mut Expr| {
        if matches!(expr.kind, ExprKind::Cast { .. }) {
            return true;
        }
        let path = Path::of(&paths, expr);
        let found = path.and_then(|path| all.iter().find(|(of, _)| **of == path));
        if let Some((_, id)) = found {
            *expr = tree::var(&paths, *id, expr.span);
        }
        found.is_none()
    };
    for stmt in stmts {
        walk::change_all(unit, stmt, &mut replaced);
    }
}

/// Whether a call in a statement may see a member.
pub(super) fn is_seen(unit: &Unit, stmt: &Stmt, path: &Path) -> bool {
    walk::any(unit, stmt, |expr| match &expr.kind {
        ExprKind::Call(callee, given) => sees(unit, callee, given, &[path]),
        _ => false,
    })
}

/// Whether a function that a statement calls may change a variable or member, or what it is reached through.
pub(super) fn may_change(unit: &Unit, stmt: &Stmt, path: &Path) -> bool {
    let mut asked = HashSet::new();
    walk::any(unit, stmt, |expr| match &expr.kind {
        ExprKind::Call(Callee::Function(f), given) => {
            fills(unit, *f, given, path) || changed_by(unit, *f, (path, None), &mut asked)
        }
        ExprKind::Call(..) => true,
        _ => false,
    })
}

/// Whether a call in a statement may change a member of a type, directly or through a pointer.
pub(super) fn may_write(unit: &Unit, stmt: &Stmt, (path, ty): (&Path, TypeId)) -> bool {
    let mut asked = HashSet::new();
    walk::any(unit, stmt, |expr| match &expr.kind {
        ExprKind::Call(callee @ Callee::Function(f), given) => {
            match scalars::is_of_system(unit, *f) {
                true => sees(unit, callee, given, &[path]) || fills(unit, *f, given, path),
                false => changed_by(unit, *f, (path, Some(ty)), &mut asked),
            }
        }
        ExprKind::Call(..) => true,
        _ => false,
    })
}

fn changed_by(
    unit: &Unit,
    function: FunctionId,
    (path, ty): (&Path, Option<TypeId>),
    asked: &mut HashSet<FunctionId>,
) -> bool {
    if scalars::is_of_system(unit, function) || !asked.insert(function) {
        return false;
    }
    let Some(body) = unit.body_of(function) else {
        return true;
    };
    walk::any(unit, body, |expr| {
        match (tree::target(expr).map(tree::plain), &expr.kind) {
            (Some(to), _) => match &to.kind {
                ExprKind::Field(_, field) => path.fields.contains(field),
                ExprKind::Var(id) => *id == path.root,
                ExprKind::Index(..) => ty.is_some_and(|ty| tree::may_be_one(unit, to.ty, ty)),
                // Through a pointer, of which it is not known where it leads.
                _ => true,
            },
            (None, ExprKind::Call(Callee::Function(f), given)) => {
                fills(unit, *f, given, path) || changed_by(unit, *f, (path, ty), asked)
            }
            (None, ExprKind::Call(..)) => true,
            _ => false,
        }
    })
}

/// Whether a statement calls what is not a function of the system.
pub(super) fn calls_unknown(unit: &Unit, stmt: &Stmt) -> bool {
    walk::any(unit, stmt, |expr| match &expr.kind {
        ExprKind::Call(Callee::Function(f), _) => !scalars::is_of_system(unit, *f),
        ExprKind::Call(..) => true,
        _ => false,
    })
}

/// Puts stores and loads around the statements whose calls may see the members; `None` where that is not possible.
fn write_back(unit: &Unit, stmt: &mut Stmt, all: &[Moved]) -> Option<()> {
    for inner in walk::inner_mut(stmt) {
        write_back(unit, inner, all)?;
    }
    let paths: Vec<&Path> = all.iter().map(|m| &m.path).collect();
    let mut seen = false;
    let mut other = false;
    walk::exprs(unit, stmt, &mut |expr| {
        walk::visit(expr, &mut |expr| {
            if let ExprKind::Call(callee, given) = &expr.kind {
                seen |= sees(unit, callee, given, &paths);
            }
            other |= is_other_use(unit, expr, all);
            Path::of(unit, expr).is_none()
        });
    });
    if other && !seen {
        return None;
    }
    if !seen {
        return Some(());
    }
    if !matches!(stmt.kind, StmtKind::Expr(_)) {
        return None;
    }
    let (span, call) = (stmt.span, stmt.clone());
    let stores = all.iter().map(|m| m.store(unit));
    // Numbers are mostly for reports, which do not change them.
    let changes = |m: &&Moved| {
        tree::is_pointer(unit, m.place.ty) || may_write(unit, &call, (&m.path, m.place.ty))
    };
    let loads: Vec<Stmt> = (all.iter().filter(changes)).map(|m| m.load(unit)).collect();
    let around = stores.chain([call.clone()]).chain(loads).collect();
    *stmt = tree::stmt(span, StmtKind::Compound(around));
    Some(())
}

/// Whether an expression is a struct with moved members as a whole, or another one that may be it.
fn is_other_use(unit: &Unit, expr: &Expr, all: &[Moved]) -> bool {
    let last: HashSet<FieldId> = (all.iter())
        .filter_map(|m| m.path.fields.last().copied())
        .collect();
    has_member(unit, expr.ty, &last)
}

/// Whether a type is a struct with one of some members, also in structs in it.
pub(super) fn has_member(unit: &Unit, ty: TypeId, wanted: &HashSet<FieldId>) -> bool {
    match unit.canonical(ty).kind {
        TypeKind::Record(id) => (unit[id].fields.iter())
            .any(|f| wanted.contains(f) || has_member(unit, unit[*f].ty, wanted)),
        TypeKind::Array { element, .. } => has_member(unit, element, wanted),
        _ => false,
    }
}

/// Whether a call may read or write the places of the pointers.
fn sees(unit: &Unit, callee: &Callee, given: &[Expr], all: &[&Path]) -> bool {
    let mut is_given = false;
    for expr in given {
        walk::visit(expr, &mut |expr| {
            let Some(path) = Path::of(unit, expr) else {
                // What another call is given is asked of that, and a number tells nothing of the array that it is from.
                return match expr.kind {
                    ExprKind::Call(..) => false,
                    ExprKind::Index(..) => !scalars::is_arithmetic(unit, expr.ty),
                    _ => true,
                };
            };
            let is_struct = !matches!(unit.canonical(expr.ty).kind, TypeKind::Builtin(_));
            is_given |= is_struct
                && all.iter().any(|m| {
                    m.root == path.root
                        && !m.fields.is_empty()
                        && m.fields.starts_with(&path.fields)
                });
            path.fields.is_empty()
        });
    }
    let Callee::Function(function) = callee else {
        return true;
    };
    is_given
        || !scalars::is_of_system(unit, *function)
            && uses(unit, *function, all, &mut HashSet::new())
}

/// Whether a function of the program may use the places of the pointers, or what it calls.
fn uses(unit: &Unit, function: FunctionId, all: &[&Path], asked: &mut HashSet<FunctionId>) -> bool {
    if !asked.insert(function) {
        return false;
    }
    let Some(body) = unit.body_of(function) else {
        // What another file defines.
        return !scalars::is_of_system(unit, function);
    };
    walk::any(unit, body, |expr| match &expr.kind {
        ExprKind::Field(_, field) => all.iter().any(|m| m.fields.contains(field)),
        ExprKind::Var(id) => all.iter().any(|m| m.root == *id),
        ExprKind::Call(Callee::Function(f), given) => {
            let is_it = |expr| all.iter().any(|path| leads_to(unit, expr, path));
            let is_given = scalars::is_of_system(unit, *f) && given.iter().any(is_it);
            is_given || uses(unit, *f, all, asked)
        }
        ExprKind::Call(Callee::Pointer(_), _) => true,
        _ => false,
    })
}

/// Whether a function of the system may write a struct with a member: `memcpy(grid, &saved, sizeof *grid)`.
fn fills(unit: &Unit, function: FunctionId, given: &[Expr], path: &Path) -> bool {
    let params = match &unit.canonical(unit[function].ty).kind {
        TypeKind::Function { params, .. } => params.as_deref().unwrap_or_default(),
        _ => &[],
    };
    let reads = |param: Option<&TypeId>| {
        let to = param.and_then(|param| tree::element(unit, *param));
        to.is_some_and(|to| unit[to].is_const)
    };
    let mut given = given.iter().enumerate();
    scalars::is_of_system(unit, function)
        && given.any(|(n, expr)| !reads(params.get(n)) && leads_to(unit, expr, path))
}

/// Whether an argument leads to a struct with a member, or it is not known where.
fn leads_to(unit: &Unit, given: &Expr, path: &Path) -> bool {
    let last = path.fields.last().copied().into_iter().collect();
    let to = tree::element(unit, tree::unconverted(given).ty);
    let is_void = |to| matches!(unit.canonical(to).kind, TypeKind::Builtin(Builtin::Void));
    to.is_some_and(|to| has_member(unit, to, &last) || is_void(to))
}
