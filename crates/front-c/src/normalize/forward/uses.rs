//! Where expressions are: in subscripts and conditions, and what is between them and the subscript.

use super::Scene;
use super::functions::IndexFunction;
use crate::normalize::{scalars, tree, walk};
use hexcc_clang::ast::{
    BinaryOp, Builtin, Callee, DeclId, DeclKind, Expr, ExprKind, FieldId, FunctionId, Stmt,
    StmtKind, TypeId, TypeKind, UnaryOp, Unit,
};
use std::collections::{HashMap, HashSet};

/// Where an expression is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    /// In a subscript, a condition or the head of a loop, or it is given to a function of the file.
    pub decides: bool,
    /// In a subscript.
    pub in_subscript: bool,
    /// Its value makes a subscript by sums, products and choices alone: they are the same for numbers that wrap
    /// around at any power of 2.
    pub sums_up: bool,
}

/// Calls `f` with the expressions of a statement, as it is asked to go on in each; in the order of [`walk::all`].
pub(super) fn visit(
    unit: &Unit,
    takes: &HashSet<FunctionId>,
    (stmt, is_head): (&Stmt, bool),
    f: &mut dyn FnMut(&Expr, Context) -> bool,
) {
    use StmtKind as K;
    let decides = is_head
        || matches!(
            stmt.kind,
            K::If { .. } | K::For { .. } | K::While { .. } | K::Do { .. }
        );
    let context = Context {
        decides,
        ..Context::default()
    };
    walk::exprs(unit, stmt, &mut |expr| {
        in_expr(unit, takes, (expr, context), f)
    });
    let first = match &stmt.kind {
        K::For {
            init: Some(init), ..
        } => Some(&raw const **init),
        _ => None,
    };
    for inner in walk::inner(stmt) {
        let is_head = first == Some(&raw const *inner);
        visit(unit, takes, (inner, is_head), f);
    }
}

/// The same of an expression.
pub(super) fn in_expr(
    unit: &Unit,
    takes: &HashSet<FunctionId>,
    (expr, context): (&Expr, Context),
    f: &mut dyn FnMut(&Expr, Context) -> bool,
) {
    if !f(expr, context) {
        return;
    }
    let other = Context {
        sums_up: false,
        ..context
    };
    let subscript = Context {
        decides: true,
        in_subscript: true,
        sums_up: true,
    };
    let inside = match integer(unit, expr.ty) {
        Some(_) => context,
        None => other,
    };
    let of: Vec<Context> = match &expr.kind {
        ExprKind::Index(a, _) => match integer(unit, tree::plain(a).ty) {
            Some(_) => vec![subscript, other],
            None => vec![other, subscript],
        },
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) => vec![inside; 2],
        ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, _)
        | ExprKind::Cast { implicit: true, .. } => vec![inside],
        ExprKind::Cond(..) => vec![other, inside, inside],
        ExprKind::Call(callee, _) => {
            let takes = matches!(callee, Callee::Function(f) if takes.contains(f));
            let given = Context {
                decides: context.decides || takes,
                ..Context::default()
            };
            vec![given; walk::parts(expr).len()]
        }
        _ => Vec::new(),
    };
    let all = of.into_iter().chain(std::iter::repeat(other));
    for (part, context) in walk::parts(expr).into_iter().zip(all) {
        in_expr(unit, takes, (part, context), f);
    }
}

/// Has other expressions stand in statements, where there are some for them, and nothing is asked in these; how many.
pub(super) fn rewrite(
    unit: &mut Unit,
    takes: &HashSet<FunctionId>,
    all: &mut [Stmt],
    f: &mut dyn FnMut(&Unit, &Expr, Context) -> Option<Expr>,
) -> usize {
    let mut found: HashMap<usize, Expr> = HashMap::new();
    let mut n_seen = 0;
    for stmt in &*all {
        visit(unit, takes, (stmt, false), &mut |expr, context| {
            let other = f(unit, expr, context);
            let is_kept = other.is_none();
            found.extend(other.map(|other| (n_seen, other)));
            n_seen += 1;
            is_kept
        });
    }
    let n_found = found.len();
    let mut n_seen = 0;
    for stmt in all {
        walk::change_all(unit, stmt, &mut |expr| {
            let other = found.remove(&n_seen);
            n_seen += 1;
            let is_kept = other.is_none();
            if let Some(other) = other {
                let span = expr.span;
                *expr = Expr { span, ..other };
            }
            is_kept
        });
    }
    n_found
}

/// The size in bytes of a type of whole numbers that wrap around, or may be taken to.
pub(super) fn integer(unit: &Unit, ty: TypeId) -> Option<u64> {
    use Builtin as B;
    let found = unit.canonical(ty);
    let is_it = matches!(
        found.kind,
        TypeKind::Builtin(
            B::Char
                | B::SChar
                | B::UChar
                | B::Short
                | B::UShort
                | B::Int
                | B::UInt
                | B::Long
                | B::ULong
                | B::LongLong
                | B::ULongLong
        )
    );
    let is_volatile = tree::is_somewhere(unit, ty, |ty| ty.is_volatile);
    (is_it && !is_volatile).then_some(found.size).flatten()
}

/// Whether two types are the same type of whole numbers.
pub(super) fn are_same(unit: &Unit, a: TypeId, b: TypeId) -> bool {
    let of = |ty| &unit.canonical(ty).kind;
    of(a) == of(b)
}

/// Whether an expression is a number that every type of four bytes holds.
pub(super) fn is_number(unit: &Unit, expr: &Expr) -> bool {
    let expr = tree::plain(expr);
    let is_int = matches!(
        unit.canonical(expr.ty).kind,
        TypeKind::Builtin(Builtin::Int)
    );
    is_int && matches!(expr.kind, ExprKind::Int(n) if (0..1 << 31).contains(&n))
}

/// A number as one of a type; any other expression as it is.
pub(super) fn typed(unit: &Unit, expr: &Expr, ty: TypeId) -> Expr {
    match is_number(unit, expr) {
        true => Expr { ty, ..expr.clone() },
        false => expr.clone(),
    }
}

/// Whether an expression is made of integers without an effect: variables and members, no elements, with calls of
/// some functions.
pub(super) fn is_value(
    unit: &Unit,
    functions: &HashMap<FunctionId, IndexFunction>,
    expr: &Expr,
) -> bool {
    use ExprKind as K;
    if integer(unit, expr.ty).is_none() {
        return false;
    }
    let is_it = match &expr.kind {
        K::Int(_) | K::Char(_) | K::Var(_) | K::SizeOf(_) | K::Cond(..) => true,
        K::Field(..) => return tree::Path::of(unit, expr).is_some(),
        K::Unary(op, _) => matches!(
            op,
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot | UnaryOp::Not
        ),
        K::Binary(op, ..) => *op != BinaryOp::Comma,
        K::Cast { extents, .. } => extents.is_empty(),
        K::Call(Callee::Function(f), _) => functions.contains_key(f),
        _ => false,
    };
    let mut parts = walk::parts(expr).into_iter();
    is_it && parts.all(|part| is_value(unit, functions, part))
}

/// How many parts an expression has.
pub(super) fn size(expr: &Expr) -> usize {
    let mut found = 0;
    walk::visit(expr, &mut |_| {
        found += 1;
        true
    });
    found
}

/// What a value is made of.
#[derive(Default)]
pub(super) struct Reads {
    variables: HashSet<DeclId>,
    fields: HashSet<FieldId>,
}

impl Reads {
    /// The same without some variables.
    pub(super) fn without(mut self, ids: &[DeclId]) -> Reads {
        self.variables.retain(|id| !ids.contains(id));
        self
    }

    /// Whether a variable has the name of another one that is read.
    fn are_hidden_by(&self, unit: &Unit, id: DeclId) -> bool {
        let mut all = self.variables.iter();
        all.any(|read| *read != id && unit[*read].name == unit[id].name)
    }
}

impl Scene {
    /// What expressions are made of, with what functions in them read.
    pub(super) fn reads_of<'e>(&self, all: impl Iterator<Item = &'e Expr>) -> Reads {
        let mut found = Reads::default();
        for expr in all {
            self.add_reads(expr, &mut found);
        }
        found
    }

    fn add_reads(&self, expr: &Expr, found: &mut Reads) {
        walk::visit(expr, &mut |expr| {
            match &expr.kind {
                ExprKind::Var(id) => {
                    found.variables.insert(*id);
                }
                ExprKind::Field(_, field) => {
                    found.fields.insert(*field);
                }
                // They call none but those that were known before them.
                ExprKind::Call(Callee::Function(f), _) => {
                    if let Some(function) = self.functions.get(f) {
                        self.add_reads(&function.result, found);
                    }
                }
                _ => {}
            }
            true
        });
    }

    /// Whether what a value is made of keeps its value while some statements run.
    pub(super) fn stays(&self, part: &super::Part, reads: &Reads, runs: &[Stmt]) -> bool {
        let unit = &self.unit;
        let called = walk::called(unit, runs);
        let bodies: Vec<&Stmt> = (called.iter())
            .filter_map(|f| unit[*f].body.as_ref())
            .collect();
        let all = || runs.iter().chain(bodies.iter().copied());
        let changes = |stmt: &Stmt, is_it: &dyn Fn(&Expr) -> bool| {
            walk::any(unit, stmt, |expr| {
                tree::target(expr).is_some_and(|to| is_it(tree::plain(to)))
            })
        };
        let stays = |id: &DeclId| {
            if matches!(unit[*id].kind, DeclKind::Enumerator(_)) {
                return true;
            }
            let is_it = |to: &Expr| tree::is_var(to, *id);
            let is_own = self.is_own(part.function, *id);
            let elsewhere = !is_own
                && (bodies.iter().any(|stmt| changes(stmt, &is_it)) || self.is_pointed_to(*id));
            let is_stored = self.is_pointed_to(*id)
                && all().any(|stmt| scalars::is_stored_through(unit, stmt, *id));
            let changes_here = || runs.iter().any(|stmt| changes(stmt, &is_it));
            !(elsewhere || is_stored || changes_here())
        };
        let is_member = |to: &Expr| match &to.kind {
            ExprKind::Field(_, field) => reads.fields.contains(field),
            _ => match unit.canonical(to.ty).kind {
                TypeKind::Record(record) => {
                    (reads.fields.iter()).any(|field| unit[*field].record == record)
                }
                _ => false,
            },
        };
        // The address of a struct that a function gets is no change of a member.
        let stores = |stmt: &Stmt| {
            walk::any(unit, stmt, |expr| {
                let is_address = matches!(expr.kind, ExprKind::Unary(UnaryOp::AddressOf, _));
                let to = tree::target(expr).map(tree::plain);
                to.is_some_and(|to| {
                    is_member(to) && (matches!(to.kind, ExprKind::Field(..)) || !is_address)
                })
            })
        };
        reads.variables.iter().all(stays) && (reads.fields.is_empty() || !all().any(stores))
    }

    /// Whether nothing that some statements declare hides what a value is made of.
    pub(super) fn is_seen(&self, reads: &Reads, runs: &[Stmt]) -> bool {
        let mut all = runs.iter().flat_map(walk::all_declared);
        !all.any(|id| reads.are_hidden_by(&self.unit, id))
    }

    /// Whether the function that a part is in has no names of its own for what a value is made of from outside.
    pub(super) fn is_seen_in(&self, part: &super::Part, reads: &Reads) -> bool {
        let function = &self.unit[part.function];
        let locals = function.body.iter().flat_map(walk::all_declared);
        let mut own = function.params.iter().copied().chain(locals);
        !own.any(|id| reads.are_hidden_by(&self.unit, id))
    }
}
