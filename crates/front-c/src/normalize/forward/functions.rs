//! Functions whose calls stand for integer expressions.
//!
//! In: `static int wrap(int i, int n) { return (i + n) % n; }` and `v[wrap(i - 1, n)]`. Out: `v[(i - 1 + n) % n]`.

use super::uses::{self, Context};
use super::{MAX_GROWTH, Part, Scene, statements};
use crate::normalize::{tree, walk};
use hexcc_clang::ast::{
    Callee, DeclId, Expr, ExprKind, Function, FunctionId, Stmt, StmtKind, Storage, TypeId,
    TypeKind, Unit,
};
use std::collections::{HashMap, HashSet};

/// Parts of an expression that calls are replaced by, at most.
const MOST: usize = 500;

/// A function that returns an integer expression of its integer parameters.
#[derive(Clone, Debug)]
pub(super) struct IndexFunction {
    params: Vec<DeclId>,
    pub(super) result: Expr,
    /// The expression has the type of the function.
    is_typed: bool,
}

/// What the variables of a function stand for, as expressions of its parameters; nothing before they are assigned.
type Known = HashMap<DeclId, Option<Expr>>;

/// The functions of a unit that return integer expressions and do nothing else, by name.
pub fn names(unit: &Unit) -> Vec<String> {
    let found = hexcc_clang::deeply(|| found(unit));
    let mut names: Vec<String> = found.keys().map(|f| unit[*f].name.clone()).collect();
    names.sort();
    names
}

/// The same, by their first declaration.
pub(super) fn found(unit: &Unit) -> HashMap<FunctionId, IndexFunction> {
    let mut found: HashMap<FunctionId, IndexFunction> = HashMap::new();
    let is_users = |f: &&Function| f.body.is_some() && !unit[f.span.file].is_system;
    let all: Vec<&Function> = unit.functions.iter().filter(is_users).collect();
    // A function may call others.
    loop {
        let before = found.len();
        for function in &all {
            if !found.contains_key(&function.first)
                && let Some(own) = of(unit, function, &found)
            {
                found.insert(function.first, own);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn of(
    unit: &Unit,
    function: &Function,
    functions: &HashMap<FunctionId, IndexFunction>,
) -> Option<IndexFunction> {
    let TypeKind::Function { result: ty, .. } = unit[function.ty].kind else {
        return None;
    };
    let body = function.body.as_ref()?;
    let is_whole = |ty: TypeId| uses::integer(unit, ty).is_some_and(|size| size >= 4);
    let params = &function.params;
    let has_statics = (walk::all_declared(body).into_iter())
        .any(|id| !matches!(unit[id].storage, Storage::None | Storage::Register));
    let is_one = !function.is_variadic && !function.is_old_style && !params.is_empty();
    if !is_one || has_statics || !is_whole(ty) || !params.iter().all(|id| is_whole(unit[*id].ty)) {
        return None;
    }
    let mut values = Values {
        unit,
        functions,
        ty,
        is_typed: true,
        left: MOST,
    };
    let own = params.iter().map(|id| {
        let own = tree::var(unit, *id, unit[*id].span);
        (*id, Some(own))
    });
    let result = values.of(statements(body), own.collect())?;
    Some(IndexFunction {
        params: params.clone(),
        result,
        is_typed: values.is_typed,
    })
}

/// Follows the statements of a function.
struct Values<'u> {
    unit: &'u Unit,
    functions: &'u HashMap<FunctionId, IndexFunction>,
    ty: TypeId,
    /// All values returned have the type of the function.
    is_typed: bool,
    /// Parts that the result may still get.
    left: usize,
}

impl Values<'_> {
    /// The value that statements return; `None` if they may end without, or do more.
    fn of(&mut self, all: &[Stmt], mut known: Known) -> Option<Expr> {
        for (at, stmt) in all.iter().enumerate() {
            match &stmt.kind {
                StmtKind::Return(value) => {
                    let value = tree::plain(value.as_ref()?);
                    self.is_typed &= uses::are_same(self.unit, value.ty, self.ty)
                        || uses::is_number(self.unit, value);
                    let value = uses::typed(self.unit, value, self.ty);
                    return self.written(&value, &known);
                }
                StmtKind::If {
                    cond,
                    then,
                    otherwise,
                } => {
                    let cond = self.written(cond, &known)?;
                    let rest = otherwise
                        .as_ref()
                        .map_or(&all[at + 1..], |stmt| statements(stmt));
                    let then = self.of(statements(then), known.clone())?;
                    let rest = self.of(rest, known)?;
                    let (ty, span) = (self.ty, cond.span);
                    let kind = ExprKind::Cond(Box::new(cond), Box::new(then), Box::new(rest));
                    return Some(Expr { ty, span, kind });
                }
                StmtKind::Null => {}
                StmtKind::Decl(_) => {
                    for id in walk::declared(stmt) {
                        let init = self.unit[id].init.clone();
                        self.assign(id, init.as_ref(), &mut known)?;
                    }
                }
                _ => {
                    let (id, value) = tree::assignment(stmt)?;
                    known.contains_key(&id).then_some(())?;
                    self.assign(id, Some(value), &mut known)?;
                }
            }
        }
        None
    }

    fn assign(&mut self, id: DeclId, value: Option<&Expr>, known: &mut Known) -> Option<()> {
        let ty = self.unit[id].ty;
        uses::integer(self.unit, ty)?;
        let value = match value.map(tree::plain) {
            Some(value) => {
                let is_same = uses::are_same(self.unit, value.ty, ty)
                    || uses::is_number(self.unit, value)
                        && uses::integer(self.unit, ty).is_some_and(|size| size >= 4);
                is_same.then_some(())?;
                Some(self.written(&uses::typed(self.unit, value, ty), known)?)
            }
            None => None,
        };
        known.insert(id, value);
        Some(())
    }

    /// An expression, with what variables stand for.
    fn written(&mut self, expr: &Expr, known: &Known) -> Option<Expr> {
        if !uses::is_value(self.unit, self.functions, expr) {
            return None;
        }
        let mut written = expr.clone();
        let mut is_known = true;
        walk::change(&mut written, &mut |expr| {
            let ExprKind::Var(id) = expr.kind else {
                return true;
            };
            match known.get(&id) {
                Some(Some(value)) => *expr = value.clone(),
                Some(None) => is_known = false,
                None => {}
            }
            false
        });
        self.left = self.left.checked_sub(uses::size(&written))?;
        is_known.then_some(written)
    }
}

/// Writes out calls that subscripts and conditions have, the outer ones.
pub(super) fn functions(scene: &mut Scene, part: &mut Part) -> bool {
    let found = scene.functions.clone();
    let here = &*part;
    let reads: HashMap<FunctionId, bool> = (found.iter())
        .map(|(id, function)| {
            let others = scene.reads_of(std::iter::once(&function.result));
            let others = others.without(&function.params);
            (*id, scene.is_seen_in(here, &others))
        })
        .collect();
    let mut left = MAX_GROWTH;
    let takes = scene.takes.clone();
    let mut f = |unit: &Unit, expr: &Expr, context: Context| {
        let ExprKind::Call(Callee::Function(f), given) = &expr.kind else {
            return None;
        };
        let function = found
            .get(f)
            .filter(|_| context.decides && reads.get(f) == Some(&true))?;
        let written = written(unit, &found, (function, given), context)?;
        left = left.checked_sub(uses::size(&written))?;
        Some(written)
    };
    uses::rewrite(
        &mut scene.unit,
        &takes,
        std::slice::from_mut(&mut part.root),
        &mut f,
    ) > 0
}

/// What a call stands for, if it may be written there.
fn written(
    unit: &Unit,
    functions: &HashMap<FunctionId, IndexFunction>,
    (function, given): (&IndexFunction, &[Expr]),
    context: Context,
) -> Option<Expr> {
    if given.len() != function.params.len() {
        return None;
    }
    let mut is_exact = function.is_typed;
    let mut meant: HashMap<DeclId, Expr> = HashMap::new();
    // Numbers of other types are the same up to a power of 2.
    let mut others: HashSet<DeclId> = HashSet::new();
    for (param, given) in function.params.iter().zip(given) {
        let given = tree::plain(given);
        if !uses::is_value(unit, functions, given) {
            return None;
        }
        let is_same =
            uses::are_same(unit, given.ty, unit[*param].ty) || uses::is_number(unit, given);
        is_exact &= is_same;
        if !is_same {
            others.insert(*param);
        }
        let given = match context.sums_up {
            true => given.clone(),
            false => uses::typed(unit, given, unit[*param].ty),
        };
        meant.insert(*param, given);
    }
    let whole = Context {
        sums_up: true,
        ..Context::default()
    };
    let mut goes = true;
    uses::in_expr(
        unit,
        &HashSet::new(),
        (&function.result, whole),
        &mut |e, context| {
            goes &= !matches!(e.kind, ExprKind::Var(id) if others.contains(&id)) || context.sums_up;
            true
        },
    );
    if !goes || !is_exact && !context.sums_up {
        return None;
    }
    let mut result = function.result.clone();
    walk::change(&mut result, &mut |expr| {
        let ExprKind::Var(id) = expr.kind else {
            return true;
        };
        if let Some(given) = meant.get(&id) {
            *expr = given.clone();
        }
        false
    });
    Some(result)
}
