//! Variables that have a product of lengths, as that product.
//!
//! In: `int plane = ny * nz;` before a time loop or in its body, and `u[i * plane + j * nz + k]` in it. Out: `u[i * (ny * nz) + j * nz
//! + k]`, from which the lengths of rows can be told. None of the variables changes from there on.

use super::inline;
use super::numbers;
use super::scalars;
use super::tree;
use super::walk;
use hexcc_clang::ast::{DeclId, Expr, ExprKind, FunctionId, Stmt, Unit};
use std::collections::{HashMap, HashSet};

/// Writes such products out in the body of a loop; whether there are any.
pub(super) fn products(
    unit: &mut Unit,
    function: FunctionId,
    (head, body): (&Stmt, &mut [Stmt]),
) -> bool {
    let known = Known {
        unit,
        function,
        own: body.iter().flat_map(walk::all_declared).collect(),
        all: std::iter::once(head).chain(&*body).collect(),
    };
    let mut products: HashMap<DeclId, Expr> = HashMap::new();
    for id in known.subscripts() {
        products.extend(known.product(id, 4).map(|value| (id, value)));
    }
    if products.is_empty() {
        return false;
    }
    for stmt in body.iter_mut() {
        walk::change_all(unit, stmt, &mut |expr| {
            if let ExprKind::Var(id) = expr.kind
                && let Some(value) = products.get(&id)
            {
                *expr = value.clone();
                return false;
            }
            true
        });
    }
    true
}

/// What is known of variables in the body of a loop.
struct Known<'a> {
    unit: &'a Unit,
    function: FunctionId,
    /// Those that the body declares.
    own: HashSet<DeclId>,
    all: Vec<&'a Stmt>,
}

impl Known<'_> {
    /// The variables that subscripts of the body name.
    fn subscripts(&self) -> Vec<DeclId> {
        let mut found = HashSet::new();
        for stmt in &self.all {
            walk::all(self.unit, stmt, &mut |expr| {
                if let ExprKind::Index(_, subscript) = &expr.kind {
                    walk::variables(subscript, &mut found);
                }
                true
            });
        }
        let mut found: Vec<DeclId> = found.into_iter().collect();
        found.sort_by_key(|id| id.0);
        found
    }

    /// The product that a variable has in the whole body, in which variables that are such are written out, too.
    fn product(&self, id: DeclId, depth: u32) -> Option<Expr> {
        let (value, from) = self.value(id)?;
        let paths = numbers::paths(self.unit, value)?;
        let stays = |path: &tree::Path| {
            path.fields.is_empty() && self.stays(path.root, from) && self.is_called_alone(path.root)
        };
        if depth == 0 || !paths.iter().all(stays) {
            return None;
        }
        let mut value = value.clone();
        walk::change(&mut value, &mut |expr| {
            if let ExprKind::Var(id) = expr.kind
                && let Some(inner) = self.product(id, depth - 1)
            {
                *expr = inner;
                return false;
            }
            true
        });
        Some(value)
    }

    /// The only value that a whole number ever gets, where that is a product, and the place from which it has it.
    fn value(&self, id: DeclId) -> Option<(&Expr, u32)> {
        let is_whole = scalars::is_integer(self.unit, self.unit[id].ty);
        let found = if is_whole { self.only_value(id) } else { None };
        let is_it = |(value, _): &(&Expr, u32)| {
            numbers::multiplies(self.unit, value)
                && scalars::is_automatic(self.unit, id)
                && !scalars::is_pointed_to(self.unit, id)
        };
        found.filter(is_it)
    }

    fn only_value(&self, id: DeclId) -> Option<(&Expr, u32)> {
        let decl = &self.unit[id];
        if self.own.contains(&id) {
            let init = decl.init.as_ref()?;
            return (!self.changes(id)).then_some((init, u32::MAX));
        }
        let body = self.unit[self.function].body.as_ref()?;
        let is_declared = walk::all_declared(body).contains(&id);
        let from = self.all.first()?.span.start;
        let mut values: Vec<(&Expr, u32)> = Vec::new();
        values.extend(decl.init.as_ref().map(|init| (init, decl.span.start)));
        assigned(body, id, &mut values);
        let [(value, place)] = values[..] else {
            return None;
        };
        let is_only = place < from && numbers::is_settled(self.unit, self.function, id, place + 1);
        (is_declared && is_only).then_some((value, place))
    }

    /// Whether a variable that a value names is the same wherever that is read: from a place in the function on, or in the body,
    /// where there is none.
    fn stays(&self, id: DeclId, from: u32) -> bool {
        let is_own = || {
            let body = self.unit[self.function].body.as_ref();
            let params = &self.unit[self.function].params;
            params.contains(&id) || body.is_some_and(|b| walk::all_declared(b).contains(&id))
        };
        if self.changes(id) || scalars::is_pointed_to(self.unit, id) {
            return false;
        }
        match from {
            u32::MAX => self.own.contains(&id) || is_own(),
            from => numbers::is_settled(self.unit, self.function, id, from),
        }
    }

    /// Whether no other variable of the function hides one.
    fn is_called_alone(&self, id: DeclId) -> bool {
        let body = self.unit[self.function].body.as_ref();
        let of_function = body.into_iter().flat_map(walk::all_declared);
        let params = self.unit[self.function].params.iter().copied();
        let all = of_function.chain(params).chain(self.own.iter().copied());
        let is_other = |other: DeclId| other != id && self.unit[other].name == self.unit[id].name;
        !all.into_iter().any(is_other)
    }

    fn changes(&self, id: DeclId) -> bool {
        (self.all.iter()).any(|stmt| inline::changes(self.unit, stmt, id))
    }
}

/// Adds what statements in one assign to a variable, with their places.
fn assigned<'e>(stmt: &'e Stmt, id: DeclId, found: &mut Vec<(&'e Expr, u32)>) {
    if let Some((to, value)) = tree::assignment(stmt)
        && to == id
    {
        found.push((value, stmt.span.start));
    }
    for inner in walk::inner(stmt) {
        assigned(inner, id, found);
    }
}
