//! Calls in a time loop, replaced by the functions' bodies.
//!
//! In: the statements of the body of a loop. Out: the same with the bodies of functions of the file in the place of calls
//! that stand alone, where these sweep over cells or move pointers. A parameter becomes what is given, where
//! that stays the same, and a variable otherwise; one with rows of variable length is given an array with the same lengths.
//! Locals get another name where theirs has another meaning.

use super::tree::{self, Namer, Path};
use super::values::converted;
use super::{hoist, numbers, scalars, walk};
use hexcc_clang::ast::{
    BinaryOp, Callee, DeclId, Expr, ExprKind, FunctionId, Item, Length, Stmt, StmtKind, Storage,
    TypeId, TypeKind, UnaryOp, Unit,
};
use std::collections::{HashMap, HashSet};

/// Calls that are replaced in a loop, at most.
const MOST: usize = 64;

/// Where calls are replaced.
pub(super) struct Caller<'a> {
    pub unit: &'a mut Unit,
    pub namer: &'a mut Namer,
    /// The variables of the file.
    pub globals: &'a HashSet<DeclId>,
    /// The function.
    pub function: FunctionId,
    /// The names that the function and what was put into it declare.
    pub taken: HashSet<String>,
}

impl Caller<'_> {
    /// Replaces calls until there are none that can be; whether there were any.
    pub fn inline(&mut self, body: &mut Vec<Stmt>) -> bool {
        let mut n_replaced = 0;
        let mut at = 0;
        while at < body.len() && n_replaced < MOST {
            match self.body_of_call(&body[at]) {
                Some(inlined) => {
                    body.splice(at..=at, inlined);
                    n_replaced += 1;
                }
                None => at += 1,
            }
        }
        n_replaced > 0
    }

    /// What a statement that calls a function does, and that perhaps gives a variable what it returns.
    fn body_of_call(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let (to, call) = called(self.unit, stmt)?;
        let ExprKind::Call(Callee::Function(function), given) = &tree::plain(&call).kind else {
            return None;
        };
        let function = self.unit.definition(*function)?;
        let body = self.unit[function].body.clone()?;
        let n_given = (given.len(), to.is_some());
        if !self.is_worth_it(&body) || !self.can_be_moved(function, &body, n_given) {
            return None;
        }
        let mut body = body;
        let mut before = Vec::new();
        if let StmtKind::Decl(_) = stmt.kind {
            for id in walk::declared(stmt) {
                tree::assigned_apart(self.unit, id, stmt.span);
            }
            before.push(stmt.clone());
        }
        let mut meant: HashMap<DeclId, Expr> = HashMap::new();
        let params = self.unit[function].params.clone();
        if !self.have_the_same_rows(&params, given, &body) {
            return None;
        }
        for (param, given) in params.iter().zip(given) {
            if self.stays(*param, given, &body) {
                meant.insert(*param, tree::plain(given).clone());
            } else if self.is_one_number(*param, given, &body) {
                let given = converted(self.unit, given.clone(), self.unit[*param].ty);
                meant.insert(*param, given);
            } else {
                let ty = tree::value_type(self.unit, self.unit[*param].ty);
                let name = self.name_of(*param);
                let id = tree::variable(self.unit, name, ty, Some(given.clone()), given.span);
                before.push(tree::declaration(self.unit, id));
                meant.insert(*param, tree::var(self.unit, id, given.span));
            }
        }
        for id in walk::all_declared(&body) {
            let name = self.name_of(id);
            let copy = tree::copied(self.unit, id);
            self.unit[copy].name = name;
            meant.insert(id, tree::var(self.unit, copy, self.unit[id].span));
        }
        rename(self.unit, &mut body, &meant);
        let mut inlined = tree::block(body);
        if let Some(StmtKind::Return(value)) = inlined.last().map(|s| s.kind.clone()) {
            inlined.pop();
            let given = to.zip(value).map(|(to, value)| {
                // The function converts it by itself to what it returns.
                let value = converted(self.unit, value, call.ty);
                tree::assign(tree::var(self.unit, to, stmt.span), value)
            });
            inlined.extend(given);
        }
        before.extend(inlined);
        Some(before)
    }

    /// Whether arrays of variable length are given for such parameters with rows of the same lengths, and stay what is given.
    fn have_the_same_rows(&self, params: &[DeclId], given: &[Expr], body: &Stmt) -> bool {
        let unit = &*self.unit;
        let is_same = |length: &Expr, own: &Expr| {
            let given = |id| {
                params
                    .iter()
                    .position(|p| *p == id)
                    .and_then(|n| given.get(n))
            };
            let meant = match numbers::unwidened(unit, length).kind {
                ExprKind::Var(id) => given(id).unwrap_or(length),
                _ => length,
            };
            numbers::same(unit, meant, own)
        };
        params.iter().zip(given).all(|(param, given)| {
            if !tree::is_variable(unit, unit[*param].ty) {
                return true;
            }
            let mut array = tree::plain(given);
            while let ExprKind::Index(planes, _) = &array.kind {
                array = tree::plain(planes);
            }
            let ExprKind::Var(array) = array.kind else {
                return false;
            };
            let from = unit[array].span.start;
            let is_settled = |length: &Expr| {
                numbers::paths(unit, length).is_some_and(|all| {
                    all.iter().all(|path| {
                        let settled = numbers::is_settled(unit, self.function, path.root, from);
                        path.fields.is_empty() && settled
                    })
                })
            };
            let (wanted, own) = (
                rows(unit, *param, unit[*param].ty),
                rows(unit, array, tree::plain(given).ty),
            );
            let mut pairs = wanted.iter().zip(own);
            self.stays(*param, given, body)
                && wanted.len() == own.len()
                && pairs.all(|(length, own)| is_same(length, own) && is_settled(own))
        })
    }

    /// A name for a variable of a function that is put into this one.
    fn name_of(&mut self, id: DeclId) -> String {
        let name = self.unit[id].name.clone();
        let is_global = |g: &DeclId| self.unit[*g].name == name;
        let name = match self.taken.contains(&name) || self.globals.iter().any(is_global) {
            true => self.namer.fresh(&name),
            false => name,
        };
        self.taken.insert(name.clone());
        name
    }

    /// Whether a body sweeps over cells, or changes what is not its own.
    fn is_worth_it(&self, body: &Stmt) -> bool {
        let mut found = false;
        walk::stmts(body, &mut |stmt| {
            found |= matches!(stmt.kind, StmtKind::For { .. });
        });
        let locals: HashSet<DeclId> = walk::all_declared(body).into_iter().collect();
        walk::all(self.unit, body, &mut |expr| {
            if let ExprKind::Assign(_, to, _) = &expr.kind {
                let path = Path::of(self.unit, to);
                found |= path.is_some_and(|path| !locals.contains(&path.root));
                // A pointer in a table.
                let is_element = matches!(tree::plain(to).kind, ExprKind::Index(..));
                found |= is_element && tree::is_pointer(self.unit, to.ty);
            }
            found |= matches!(&expr.kind, ExprKind::Call(Callee::Function(f), _) if self.unit.definition(*f).is_some());
            true
        });
        found
    }

    /// Whether a body means the same where it is called.
    fn can_be_moved(
        &self,
        function: FunctionId,
        body: &Stmt,
        (n_given, is_wanted): (usize, bool),
    ) -> bool {
        let (unit, function) = (&*self.unit, &self.unit[function]);
        let is_plain = !function.is_variadic
            && function.params.len() == n_given
            && function.span.expansion.is_none()
            && !super::has_directives(unit, function.span);
        let StmtKind::Compound(all) = &body.kind else {
            return false;
        };
        let (last, before) = match all.split_last() {
            Some((last, before)) if matches!(last.kind, StmtKind::Return(_)) => {
                (Some(last), before)
            }
            _ => (None, all.as_slice()),
        };
        let returns_nothing_new = match last.map(|s| &s.kind) {
            Some(StmtKind::Return(Some(value))) => {
                is_wanted && last.is_some_and(|last| is_told(unit, last))
                    || matches!(tree::plain(value).kind, ExprKind::Int(_) | ExprKind::Var(_))
            }
            _ => !is_wanted,
        };
        let params: HashSet<DeclId> = function.params.iter().copied().collect();
        let locals: HashSet<DeclId> = walk::all_declared(body).into_iter().collect();
        let is_own = |id: &DeclId| params.contains(id) || locals.contains(id);
        is_plain
            && returns_nothing_new
            && before.iter().all(|stmt| can_stand_elsewhere(unit, stmt))
            && self.names_mean_the_same(body, is_own)
    }

    /// Whether what a body uses from outside has names that nothing here hides.
    fn names_mean_the_same(&self, body: &Stmt, is_own: impl Fn(&DeclId) -> bool) -> bool {
        let mut same = true;
        walk::all(self.unit, body, &mut |expr| {
            let name = match &expr.kind {
                ExprKind::Var(id) if !is_own(id) => &self.unit[*id].name,
                ExprKind::Function(id) | ExprKind::Call(Callee::Function(id), _) => {
                    &self.unit[*id].name
                }
                _ => return true,
            };
            same &= !self.taken.contains(name);
            true
        });
        same
    }

    /// Whether a parameter is what is given for it, wherever the function uses it.
    fn stays(&self, param: DeclId, given: &Expr, body: &Stmt) -> bool {
        let unit = &*self.unit;
        if changes(unit, body, param) {
            return false;
        }
        let (to, from) = (unit[param].ty, tree::plain(given).ty);
        let is_same =
            points_to_the_same(unit, to, from) || unit[to].canonical == unit[from].canonical;
        match &tree::plain(given).kind {
            ExprKind::Unary(UnaryOp::AddressOf, inner) => Path::of(unit, inner).is_some(),
            _ => is_same && self.has_one_value(given, body),
        }
    }

    /// Whether a constant is given for a parameter of an enumeration, which stays it.
    fn is_one_number(&self, param: DeclId, given: &Expr, body: &Stmt) -> bool {
        let unit = &*self.unit;
        let is_enumeration = matches!(unit.canonical(unit[param].ty).kind, TypeKind::Enum(_));
        is_enumeration && !changes(unit, body, param) && numbers::value(unit, given).is_some()
    }

    /// Whether a number, a variable, or a sum of such has one value while a function runs, whose body this is.
    fn has_one_value(&self, given: &Expr, body: &Stmt) -> bool {
        let unit = &*self.unit;
        match &tree::plain(given).kind {
            ExprKind::Int(_) | ExprKind::Float(_) => true,
            // Only what the function calls may change the variable while it runs; an array stays where it is.
            ExprKind::Var(id) => {
                let is_array = matches!(unit.canonical(unit[*id].ty).kind, TypeKind::Array { .. });
                let is_shared = self.globals.contains(id) || scalars::is_pointed_to(unit, *id);
                let moves = is_shared && !is_array;
                !(changes(unit, body, *id)
                    || moves && calls_anything(unit, body)
                    || scalars::is_stored_through(unit, body, *id))
            }
            ExprKind::Binary(
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitXor,
                a,
                b,
            ) => {
                let parts = [a, b];
                scalars::is_integer(unit, given.ty)
                    && parts.iter().all(|part| self.has_one_value(part, body))
            }
            // A plane of an array of planes is a place, not what is there.
            ExprKind::Index(planes, at) => {
                let ty = tree::plain(given).ty;
                let is_plane = matches!(unit.canonical(ty).kind, TypeKind::Array { .. });
                is_plane && self.has_one_value(planes, body) && self.has_one_value(at, body)
            }
            ExprKind::Field(..) => {
                let given = tree::plain(given);
                let read = tree::expr_stmt(given);
                let nothing = tree::stmt(given.span, StmtKind::Null);
                let stay = hoist::members(unit, &nothing, &[read, body.clone()]);
                Path::of(unit, given).is_some_and(|path| stay.contains_key(&path))
            }
            _ => false,
        }
    }
}

/// Whether a body calls functions, which may change variables of the file.
fn calls_anything(unit: &Unit, body: &Stmt) -> bool {
    walk::any(unit, body, |expr| matches!(expr.kind, ExprKind::Call(..)))
}

/// Whether a variable is assigned to, or its address is taken.
pub(super) fn changes(unit: &Unit, stmt: &Stmt, id: DeclId) -> bool {
    let assigns = |expr: &Expr| tree::target(expr).is_some_and(|to| tree::is_var(to, id));
    walk::any(unit, stmt, assigns)
}

/// Whether two pointers point to the same type, but for the lengths of variable arrays.
pub(super) fn points_to_the_same(unit: &Unit, a: TypeId, b: TypeId) -> bool {
    let pointees = tree::element(unit, a).zip(tree::element(unit, b));
    pointees.is_some_and(|(a, b)| are_the_same(unit, a, b))
}

/// Whether two types are the same, but for the lengths of variable arrays.
fn are_the_same(unit: &Unit, a: TypeId, b: TypeId) -> bool {
    let kinds = (&unit.canonical(a).kind, &unit.canonical(b).kind);
    match kinds {
        (
            TypeKind::Array { element, length },
            TypeKind::Array {
                element: other,
                length: its,
            },
        ) => length == its && are_the_same(unit, *element, *other),
        (a, b) => a == b,
    }
}

/// The variable lengths behind the first dimension of an array, or of what a pointer is to: of a variable, or of what is of a
/// type in it.
fn rows(unit: &Unit, id: DeclId, ty: TypeId) -> &[Expr] {
    let mut ty = tree::element(unit, ty);
    let mut n_rows = 0;
    while let Some(of) = ty {
        let is_variable = |kind: &TypeKind| matches!(kind, TypeKind::Array { length, .. } if *length == Length::Variable);
        n_rows += usize::from(is_variable(&unit.canonical(of).kind));
        ty = tree::element(unit, of);
    }
    let extents = &unit[id].extents;
    &extents[extents.len().saturating_sub(n_rows)..]
}

/// Whether a statement has no labels, no jumps out of it, no variables that outlive it, and nothing that the tree does not
/// tell.
fn can_stand_elsewhere(unit: &Unit, stmt: &Stmt) -> bool {
    let mut can = true;
    walk::stmts(stmt, &mut |stmt| {
        can &= match &stmt.kind {
            StmtKind::Return(_)
            | StmtKind::Goto(_)
            | StmtKind::IndirectGoto(_)
            | StmtKind::Label { .. }
            | StmtKind::Other(_) => false,
            StmtKind::Decl(items) => items.iter().all(|item| match item {
                Item::Decl(id) => {
                    let decl = &unit[*id];
                    matches!(decl.storage, Storage::None | Storage::Register)
                        && matches!(decl.kind, hexcc_clang::ast::DeclKind::Variable)
                }
                _ => false,
            }),
            _ => true,
        };
    });
    can && is_told(unit, stmt)
}

/// Whether the tree tells all expressions of a statement.
fn is_told(unit: &Unit, stmt: &Stmt) -> bool {
    let is_untold = |expr: &Expr| {
        matches!(
            expr.kind,
            ExprKind::Other(_) | ExprKind::Statements(_) | ExprKind::LabelAddress(_)
        )
    };
    !walk::any(unit, stmt, is_untold)
}

/// The call that a statement is, and the variable that it gives what this returns.
fn called(unit: &Unit, stmt: &Stmt) -> Option<(Option<DeclId>, Expr)> {
    let is_call = |expr: &Expr| matches!(tree::plain(expr).kind, ExprKind::Call(..));
    let (to, call) = match &stmt.kind {
        StmtKind::Expr(expr) => match &expr.kind {
            ExprKind::Assign(None, to, value) => match tree::plain(to).kind {
                ExprKind::Var(id) => (Some(id), tree::plain(value)),
                _ => return None,
            },
            _ => (None, expr),
        },
        StmtKind::Decl(items) => match items.as_slice() {
            [Item::Decl(id)] => (Some(*id), tree::plain(unit[*id].init.as_ref()?)),
            _ => return None,
        },
        _ => return None,
    };
    let is_number = |id: DeclId| scalars::is_arithmetic(unit, unit[id].ty);
    (is_call(call) && to.is_none_or(is_number)).then(|| (to, call.clone()))
}

/// Puts expressions, and other variables, in the place of variables.
pub(super) fn rename(unit: &mut Unit, body: &mut Stmt, meant: &HashMap<DeclId, Expr>) {
    declare_others(body, meant);
    walk::change_all(unit, body, &mut |expr| is_other(expr, meant));
    walk::change_all(unit, body, &mut |expr| without_address(expr));
}

/// The same in an expression.
pub(super) fn substitute(expr: &mut Expr, meant: &HashMap<DeclId, Expr>) {
    walk::change(expr, &mut |expr| is_other(expr, meant));
    walk::change(expr, &mut |expr| without_address(expr));
}

/// Puts what a variable means in its place; whether it is none.
fn is_other(expr: &mut Expr, meant: &HashMap<DeclId, Expr>) -> bool {
    let ExprKind::Var(id) = expr.kind else {
        return true;
    };
    if let Some(other) = meant.get(&id) {
        *expr = Expr {
            span: expr.span,
            ..other.clone()
        };
    }
    false
}

/// Writes what macros make of addresses, `(&grid)->n`, without these in a body; whether there was any.
pub(super) fn addresses(unit: &mut Unit, body: &mut [Stmt]) -> bool {
    let mut found = false;
    for stmt in body {
        if walk::any(unit, stmt, has_address) {
            found = true;
            walk::change_all(unit, stmt, &mut |expr| without_address(expr));
        }
    }
    found
}

/// What an expression is the address of.
fn of_address(expr: &Expr) -> Option<&Expr> {
    match &tree::plain(expr).kind {
        ExprKind::Unary(UnaryOp::AddressOf, inner) => Some(inner),
        _ => None,
    }
}

fn has_address(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Field(base, _) | ExprKind::Unary(UnaryOp::Deref, base) => {
            of_address(base).is_some()
        }
        _ => false,
    }
}

/// `(&grid)->n` and `*&grid` without the address; there may be more inside.
fn without_address(expr: &mut Expr) -> bool {
    match &mut expr.kind {
        ExprKind::Field(base, _) => {
            if let Some(inner) = of_address(base).cloned() {
                **base = inner;
            }
        }
        ExprKind::Unary(UnaryOp::Deref, base) => {
            if let Some(inner) = of_address(base).cloned() {
                *expr = inner;
            }
        }
        _ => {}
    }
    true
}

fn declare_others(stmt: &mut Stmt, meant: &HashMap<DeclId, Expr>) {
    if let StmtKind::Decl(items) = &mut stmt.kind {
        for item in items {
            if let Item::Decl(id) = item
                && let Some(ExprKind::Var(other)) = meant.get(id).map(|e| &e.kind)
            {
                *id = *other;
            }
        }
    }
    for stmt in walk::inner_mut(stmt) {
        declare_others(stmt, meant);
    }
}
