//! Statements and operators that pet does not read, in other words.
//!
//! | in | out |
//! |---|---|
//! | `a = b = e;` | `b = e; a = b;` |
//! | `l *= 2, r *= 2;` | `l *= 2; r *= 2;` |
//! | `v %= n;` | `v = v % n;` |
//! | `if (i > 0 && u[i - 1] > 0) n++;` | `if (i > 0) if (u[i - 1] > 0) n++;` |
//! | `int k = i * m + j, x = u[k];` | `int k = i * m + j; int x = u[k];` |
//! | `+x`, `'X'` | `x`, `88` |
//! | `x & 1` of what is computed from variables | `(x % 2 + 2) % 2`, or `x % 2` as a subscript, where that is not negative |

use super::{Part, Scene, elements};
use crate::normalize::{masks, peel, scalars, swaps, tree, values, walk};
use hexcc_clang::ast::{
    BinaryOp, Builtin, Expr, ExprKind, Item, Stmt, StmtKind, TypeKind, UnaryOp, Unit,
};

/// Masks are below this.
const MASKS: i128 = 1 << 30;

/// Has such statements and operators of a part in other words.
pub(super) fn words(scene: &mut Scene, part: &mut Part) -> bool {
    let unit = &mut scene.unit;
    let mut found = statement(unit, &mut part.root);
    if walk::any(unit, &part.root, |expr| expression(unit, expr).is_some()) {
        let asked = unit.clone();
        walk::change_all(unit, &mut part.root, &mut |expr| {
            if let Some(other) = expression(&asked, expr) {
                *expr = other;
            }
            true
        });
        found = true;
    }
    found
}

/// Changes what stands where a statement may be.
fn statement(unit: &Unit, stmt: &mut Stmt) -> bool {
    let mut found = false;
    while let Some(kind) = in_other_words(unit, stmt) {
        stmt.kind = kind;
        found = true;
    }
    if let StmtKind::Compound(all) = &mut stmt.kind {
        found |= apart(unit, all);
    }
    let n_heads = usize::from(matches!(stmt.kind, StmtKind::For { init: Some(_), .. }));
    for inner in walk::inner_mut(stmt).into_iter().skip(n_heads) {
        found |= statement(unit, inner);
    }
    found
}

/// Takes declarations apart whose variables begin with others of the same one.
fn apart(unit: &Unit, all: &mut Vec<Stmt>) -> bool {
    let begins_with_others = |stmt: &Stmt| {
        let ids = walk::declared(stmt);
        let needs = |at: &usize| {
            let init = unit[ids[*at]].init.as_ref();
            init.is_some_and(|init| ids[..*at].iter().any(|id| walk::mentions(init, *id)))
        };
        let has_types = matches!(&stmt.kind, StmtKind::Decl(items) if items.len() > ids.len());
        !has_types && (1..ids.len()).any(|at| needs(&at))
    };
    if !all.iter().any(begins_with_others) {
        return false;
    }
    for stmt in std::mem::take(all) {
        match &stmt.kind {
            StmtKind::Decl(items) if begins_with_others(&stmt) => {
                let one = |item: &Item| Stmt {
                    kind: StmtKind::Decl(vec![*item]),
                    ..stmt.clone()
                };
                all.extend(items.iter().map(one));
            }
            _ => all.push(stmt),
        }
    }
    true
}

fn in_other_words(unit: &Unit, stmt: &Stmt) -> Option<StmtKind> {
    if let Some((cond, then)) = tree::conditional(stmt) {
        return values::one_by_one(cond, then)
            .map(|(cond, then)| tree::when(cond, vec![then]).kind);
    }
    let StmtKind::Expr(expr) = &stmt.kind else {
        return None;
    };
    match &expr.kind {
        // Those that move pointers are known as they are.
        ExprKind::Binary(BinaryOp::Comma, ..) if swaps::assignments(unit, stmt).is_none() => {
            let mut all = Vec::new();
            listed(expr, &mut all).then_some(StmtKind::Compound(all))
        }
        ExprKind::Assign(Some(op), to, value) if is_place(unit, to) && !is_read(*op) => {
            let whole = tree::binary(*op, (**to).clone(), (**value).clone());
            Some(tree::assign((**to).clone(), whole).kind)
        }
        ExprKind::Assign(None, to, value) => chain(unit, to, value),
        _ => None,
    }
}

/// Whether an expression is a list of what may be statements, and these.
fn listed(expr: &Expr, all: &mut Vec<Stmt>) -> bool {
    use ExprKind as K;
    match &expr.kind {
        K::Binary(BinaryOp::Comma, a, b) => listed(a, all) && listed(b, all),
        K::Assign(..) | K::Call(..) => {
            all.push(tree::expr_stmt(expr));
            true
        }
        K::Unary(op, _) if op.counts() => {
            all.push(tree::expr_stmt(expr));
            true
        }
        _ => false,
    }
}

/// The statements of `a = b = value`.
fn chain(unit: &Unit, to: &Expr, value: &Expr) -> Option<StmtKind> {
    let mut places = vec![to];
    let mut value = value;
    while let ExprKind::Assign(None, to, inner) = &tree::plain(value).kind {
        places.push(to);
        value = inner;
    }
    if places.len() < 2 || !places.iter().all(|to| is_place(unit, to)) {
        return None;
    }
    let mut all: Vec<Stmt> = Vec::new();
    let mut from = value;
    for &to in places.iter().rev() {
        all.push(tree::assign(to.clone(), from.clone()));
        from = if in_all_types(value) { value } else { to };
    }
    Some(StmtKind::Compound(all))
}

/// Whether pet reads an assignment with an operator.
fn is_read(op: BinaryOp) -> bool {
    use BinaryOp as B;
    !matches!(op, B::Rem | B::ShiftLeft | B::ShiftRight)
}

/// Whether what an expression names can be named twice.
fn is_place(unit: &Unit, expr: &Expr) -> bool {
    let is_pointer = tree::element(unit, expr.ty).is_some();
    !is_pointer && peel::is_pure(unit, expr) && !elements::has_calls(expr)
}

/// Whether a number is one that each type of numbers has.
fn in_all_types(expr: &Expr) -> bool {
    let number = match &tree::unconverted(expr).kind {
        ExprKind::Int(n) | ExprKind::Char(n) => return (0..100).contains(n),
        ExprKind::Float(text) => text.trim_end_matches(['f', 'F']).parse::<f64>(),
        _ => return false,
    };
    number.is_ok_and(|x| x.fract() == 0.0 && (0.0..100.0).contains(&x))
}

/// What an expression is in other words.
fn expression(unit: &Unit, expr: &Expr) -> Option<Expr> {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Plus, of) => Some((**of).clone()),
        ExprKind::Char(n) => Some(tree::int(expr, *n)),
        ExprKind::Index(array, at) => remainder(unit, tree::plain(at), true).map(|at| Expr {
            kind: ExprKind::Index(array.clone(), Box::new(at)),
            ..expr.clone()
        }),
        _ => remainder(unit, expr, false),
    }
}

/// The remainder that a masked number is.
fn remainder(unit: &Unit, expr: &Expr, is_subscript: bool) -> Option<Expr> {
    let (number, mask, n) = masks::masked(unit, expr)?;
    if n >= MASKS || !scalars::is_integer(unit, expr.ty) || values::reads(number) {
        return None;
    }
    let mut n_varying = 0;
    walk::visit(number, &mut |e| {
        use ExprKind as K;
        let varies = matches!(
            e.kind,
            K::Var(_) | K::Binary(BinaryOp::Sub, ..) | K::Unary(..)
        );
        n_varying += usize::from(varies);
        true
    });
    let is_unsigned = matches!(
        unit.canonical(expr.ty).kind,
        TypeKind::Builtin(Builtin::UInt | Builtin::ULong | Builtin::ULongLong)
    );
    let by = || tree::int(tree::plain(mask), n);
    let once = tree::binary(BinaryOp::Rem, number.clone(), by());
    if is_unsigned || is_subscript && n_varying < 2 {
        return Some(once);
    }
    let above = tree::binary(BinaryOp::Add, once, by());
    Some(tree::binary(BinaryOp::Rem, above, by()))
}
