//! What expressions say about whole numbers: constants, equal values, and variables that keep theirs.

use super::peel;
use super::tree::{self, Path};
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, Builtin, DeclId, DeclKind, Expr, ExprKind, FunctionId, Stmt, TypeId, TypeKind,
    UnaryOp, Unit,
};

/// The constant that an expression is.
pub(super) fn value(unit: &Unit, expr: &Expr) -> Option<i128> {
    let found = match &expr.kind {
        ExprKind::Int(n) | ExprKind::Char(n) => *n,
        ExprKind::SizeOf(n) => i128::from(*n),
        ExprKind::Var(id) => match &unit[*id] {
            decl if let DeclKind::Enumerator(n) = decl.kind => n,
            decl if is_constant(unit, decl.ty) => value(unit, decl.init.as_ref()?)?,
            _ => return None,
        },
        ExprKind::Cast { value: of, .. } => value(unit, of)?,
        ExprKind::Unary(op, of) => {
            let n = value(unit, of)?;
            match op {
                UnaryOp::Plus => n,
                UnaryOp::Minus => n.checked_neg()?,
                UnaryOp::BitNot => !n,
                UnaryOp::Not => i128::from(n == 0),
                _ => return None,
            }
        }
        ExprKind::Binary(op, a, b) => match (value(unit, a), value(unit, b)) {
            (Some(a), Some(b)) => of_two(*op, a, b)?,
            // `i + 1 == i` holds for no `i`, `0 && x` for no `x`.
            (a_value, b_value) => match op {
                BinaryOp::And
                    if a_value == Some(0) || b_value == Some(0) && peel::is_pure(unit, a) =>
                {
                    0
                }
                BinaryOp::Equal | BinaryOp::NotEqual => of_two(*op, 0, distance(unit, a, b)?)?,
                _ => return None,
            },
        },
        ExprKind::Cond(cond, then, otherwise) => {
            let chosen = if value(unit, cond)? != 0 {
                then
            } else {
                otherwise
            };
            value(unit, chosen)?
        }
        _ => return None,
    };
    range(unit, expr.ty)?.contains(&found).then_some(found)
}

/// Whether a variable of a type keeps its first value.
pub(super) fn is_constant(unit: &Unit, ty: TypeId) -> bool {
    let all = [&unit[ty], unit.canonical(ty)];
    all.iter().any(|ty| ty.is_const) && !all.iter().any(|ty| ty.is_volatile)
}

/// What an operator makes of two numbers, where C says so.
fn of_two(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
    use BinaryOp as B;
    Some(match op {
        B::Add => a.checked_add(b)?,
        B::Sub => a.checked_sub(b)?,
        B::Mul => a.checked_mul(b)?,
        B::Div => a.checked_div(b)?,
        B::Rem => a.checked_rem(b)?,
        B::ShiftLeft if a >= 0 && (0..64).contains(&b) => a.checked_mul(1 << b)?,
        B::ShiftRight if a >= 0 && (0..64).contains(&b) => a >> b,
        B::BitAnd => a & b,
        B::BitOr => a | b,
        B::BitXor => a ^ b,
        B::Less => i128::from(a < b),
        B::LessEqual => i128::from(a <= b),
        B::Greater => i128::from(a > b),
        B::GreaterEqual => i128::from(a >= b),
        B::Equal => i128::from(a == b),
        B::NotEqual => i128::from(a != b),
        B::And => i128::from(a != 0 && b != 0),
        B::Or => i128::from(a != 0 || b != 0),
        _ => return None,
    })
}

/// The numbers of a type of whole numbers.
pub(super) fn range(unit: &Unit, ty: TypeId) -> Option<std::ops::RangeInclusive<i128>> {
    use Builtin as B;
    let kind = match &unit.canonical(ty).kind {
        TypeKind::Builtin(kind) => *kind,
        TypeKind::Enum(_) => B::Int,
        _ => return None,
    };
    let bits = unit.canonical(ty).size? * 8;
    match kind {
        B::Bool => Some(0..=1),
        B::UChar | B::UShort | B::UInt | B::ULong | B::ULongLong => Some(0..=(1 << bits) - 1),
        B::Char | B::SChar | B::Short | B::Int | B::Long | B::LongLong => {
            Some(-(1 << (bits - 1))..=(1 << (bits - 1)) - 1)
        }
        _ => None,
    }
}

/// An expression without conversions between whole numbers that keep every number that is not negative.
pub(super) fn unwidened<'e>(unit: &Unit, expr: &'e Expr) -> &'e Expr {
    let ExprKind::Cast { value, .. } = &expr.kind else {
        return expr;
    };
    match (range(unit, expr.ty), range(unit, value.ty)) {
        (Some(to), Some(from)) if to.end() >= from.end() => unwidened(unit, value),
        _ => expr,
    }
}

/// Whether two expressions of variables and constants are the same.
pub(super) fn same(unit: &Unit, a: &Expr, b: &Expr) -> bool {
    let (a, b) = (unwidened(unit, a), unwidened(unit, b));
    if let (Some(a), Some(b)) = (value(unit, a), value(unit, b)) {
        return a == b;
    }
    match (&a.kind, &b.kind) {
        (ExprKind::Binary(p, a, b), ExprKind::Binary(q, c, d)) => {
            p == q && same(unit, a, c) && same(unit, b, d)
        }
        _ => Path::of(unit, a).is_some_and(|path| Some(path) == Path::of(unit, b)),
    }
}

/// The variables and members of an expression that has nothing else but constants, sums, differences and products.
pub(super) fn paths(unit: &Unit, expr: &Expr) -> Option<Vec<Path>> {
    let expr = unwidened(unit, expr);
    if value(unit, expr).is_some() {
        return Some(Vec::new());
    }
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
            let mut all = paths(unit, a)?;
            all.extend(paths(unit, b)?);
            Some(all)
        }
        _ if range(unit, expr.ty).is_some() => Some(vec![Path::of(unit, expr)?]),
        _ => None,
    }
}

/// Whether an expression has a product of what are no constants.
pub(super) fn multiplies(unit: &Unit, expr: &Expr) -> bool {
    let varies = |e: &Expr| value(unit, e).is_none();
    walk::has(
        expr,
        |e| matches!(&e.kind, ExprKind::Binary(BinaryOp::Mul, a, b) if varies(a) && varies(b)),
    )
}

/// Whether nothing in some statements changes a variable or member, as far as it has a name.
pub(super) fn stays<'s>(unit: &Unit, mut all: impl Iterator<Item = &'s Stmt>, path: &Path) -> bool {
    !all.any(|stmt| {
        walk::any(unit, stmt, |expr| {
            let Some(to) = tree::target(expr).map(tree::plain) else {
                return false;
            };
            match &to.kind {
                ExprKind::Var(id) => *id == path.root,
                ExprKind::Field(_, field) => path.fields.contains(field),
                _ => false,
            }
        })
    })
}

/// Whether a variable of a function has one value from a place of its text on: what assigns to it stands before.
pub(super) fn is_settled(unit: &Unit, function: FunctionId, id: DeclId, from: u32) -> bool {
    let Some(body) = &unit[function].body else {
        return false;
    };
    let is_own = unit[function].params.contains(&id) || walk::all_declared(body).contains(&id);
    let changes = |expr: &Expr| {
        let is_behind =
            expr.span.start >= from || matches!(expr.kind, ExprKind::Unary(UnaryOp::AddressOf, _));
        let to = tree::target(expr).map(|to| &tree::plain(to).kind);
        is_behind && matches!(to, Some(ExprKind::Var(v)) if *v == id)
    };
    is_own && !walk::any(unit, body, changes)
}

/// The constant that an expression is where some variables have numbers.
pub(super) fn value_where(
    unit: &Unit,
    expr: &Expr,
    number: &dyn Fn(DeclId) -> Option<i128>,
) -> Option<i128> {
    let mut known = expr.clone();
    walk::change(&mut known, &mut |expr| {
        if let ExprKind::Var(id) = expr.kind
            && let Some(number) = number(id)
        {
            *expr = tree::int(expr, number);
        }
        true
    });
    value(unit, &known)
}

/// A sum without its last number, `None` for a number alone, and that.
pub(super) fn parted_sum(expr: &Expr) -> (Option<&Expr>, i128) {
    let number = |e: &Expr| match tree::plain(e).kind {
        ExprKind::Int(number) => Some(number),
        _ => None,
    };
    let parted = match &tree::plain(expr).kind {
        ExprKind::Int(number) => Some((None, *number)),
        ExprKind::Binary(BinaryOp::Add, a, b) => number(b).map(|n| (Some(&**a), n)),
        ExprKind::Binary(BinaryOp::Sub, a, b) => number(b).map(|n| (Some(&**a), -n)),
        _ => None,
    };
    parted.unwrap_or((Some(expr), 0))
}

/// What the second of two sums of signed numbers is more than the first, where both are the same but for a number.
pub(super) fn distance(unit: &Unit, a: &Expr, b: &Expr) -> Option<i128> {
    let is_signed = |e: &Expr| range(unit, e.ty).is_some_and(|range| *range.start() < 0);
    let ((x, m), (y, n)) = (parted_sum(a), parted_sum(b));
    let is_same = match (x, y) {
        (Some(x), Some(y)) => same(unit, x, y),
        (x, y) => x.is_none() && y.is_none(),
    };
    (is_same && is_signed(a) && is_signed(b)).then(|| n - m)
}
