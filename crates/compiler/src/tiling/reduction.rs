//! Reductions: statements that fold a value into a variable, `sum += e`, `if (e > most) most = e` or `if (e > eps) done = 0`.
//!
//! Each iteration needs the variable from the one before, so that no loop around the statement is
//! parallel; but the values of parts of the loop can be combined afterwards. For maxima, minima, marks and
//! integers that gives C's result, bit for bit, where parts are combined in the order of the loops.
//! A sum of floating-point numbers in parts rounds in other places than C's.

use crate::ctype::CType;
use crate::diag::Result;
use crate::ir::{Compare, Fold, NotANumber};
use crate::options::Sums;
use crate::scop::{Access, ArrayId, Expr, Scop, Statement};
use std::collections::BTreeMap;

/// A statement `x = fold(x, term)`.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The array of `x`.
    pub array: ArrayId,
    /// What folds.
    pub fold: Fold,
    /// The type of what iterations have: that of `x`, but for sums of `float` `double`.
    pub ty: CType,
    /// The part of the statement's value that is folded.
    pub term: Expr,
    /// Affine expressions that come before it in the statement's value.
    pub affine_before: usize,
    /// What is folded is `-term`.
    pub negated: bool,
    /// Parts have to be in the order of the loops: which of two zeros is kept, or what follows a NaN,
    /// is a matter of order.
    pub ordered: bool,
    /// That is so because of some values alone: parts in any order are right where they are none.
    pub but_for: Option<ButFor>,
    /// How many conditions there are under which it folds: `x = c ? fold(x, term) : x`.
    pub conditions: usize,
}

/// Values for which the order of terms matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ButFor {
    /// NaN as a term.
    pub nan: bool,
    /// Zero as the result: terms have both.
    pub zero: bool,
}

impl ButFor {
    /// The values of either.
    pub fn or(self, other: ButFor) -> ButFor {
        ButFor {
            nan: self.nan || other.nan,
            zero: self.zero || other.zero,
        }
    }
}

impl Reduction {
    /// The same, where the variable begins with 0.0.
    pub fn from_zero(self) -> Reduction {
        let is_kept = self.fold.keeps_equals();
        let is_sure = is_kept && self.but_for.is_some_and(|values| !values.nan);
        Reduction {
            ordered: self.ordered && !is_sure,
            ..self
        }
    }

    /// Whether parts give another result than C: sums and products round.
    pub fn rounds(&self) -> bool {
        self.fold.rounds(self.ty)
    }

    /// Whether parts of both can be combined with each other.
    pub fn is_like(&self, other: &Reduction) -> bool {
        self.array == other.array && self.fold == other.fold && self.ty == other.ty
    }
}

/// The statements among some that are reductions, each taken by itself.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn reductions(scop: &Scop, stmts: &[usize], sums: Sums) -> Result<BTreeMap<usize, Reduction>> {
    let mut found = BTreeMap::new();
    for &s in stmts {
        let reduction = of(&scop.stmts[s])?;
        // The element is found by its number in one block.
        let reduction = reduction.filter(|r| scop.array(r.array).pointers == 0);
        if let Some(reduction) = reduction.filter(|r| !(r.rounds() && sums == Sums::Ordered)) {
            found.insert(s, reduction);
        }
    }
    // Of several marks of one variable the last one stays.
    let arrays: Vec<ArrayId> = found.values().map(|r| r.array).collect();
    for reduction in found.values_mut().filter(|r| r.fold.replaces()) {
        let of_array = arrays.iter().filter(|array| **array == reduction.array);
        reduction.ordered |= of_array.count() > 1;
    }
    Ok(found)
}

/// What a statement folds, where it is a reduction.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn of(stmt: &Statement) -> Result<Option<Reduction>> {
    Ok(Candidate::new(stmt)?.and_then(|c| c.reduction()))
}

/// A statement that reads what it writes, and nothing else of that array.
struct Candidate<'a> {
    stmt: &'a Statement,
    /// What the variable becomes, under the conditions that have been looked at.
    value: &'a Expr,
    /// The type of the variable.
    ty: CType,
}

impl<'a> Candidate<'a> {
    fn new(stmt: &'a Statement) -> Result<Option<Candidate<'a>>> {
        let own = |read: &&Access| read.array == stmt.write.array;
        for read in stmt.reads.iter().filter(own) {
            if !read.map.is_equal(&stmt.write.map)? {
                return Ok(None);
            }
        }
        let mut ty = None;
        for expr in stmt.expressions() {
            expr.visit(&mut |e| match e {
                Expr::Read(i, read) if stmt.reads.get(*i).is_some_and(|r| own(&r)) => {
                    ty = Some(*read);
                }
                _ => {}
            });
        }
        let value = &stmt.value;
        Ok(ty.map(|ty| Candidate { stmt, value, ty }))
    }

    fn is_own_read(&self, expr: &Expr) -> bool {
        let array = |i: &usize| self.stmt.reads.get(*i).map(|r| r.array);
        matches!(expr, Expr::Read(i, _) if array(i) == Some(self.stmt.write.array))
    }

    /// Whether an expression is the variable, perhaps in a type that has all its values.
    fn is_variable(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Cast { ty, arg } => holds(*ty, arg.ty()) && self.is_variable(arg),
            expr => self.is_own_read(expr),
        }
    }

    /// Whether the variable occurs nowhere in an expression.
    fn is_free(&self, expr: &Expr) -> bool {
        let mut free = true;
        expr.visit(&mut |e| free &= !self.is_own_read(e));
        free
    }

    fn reduction(&self) -> Option<Reduction> {
        let locals = &self.stmt.locals;
        if !locals.iter().all(|local| self.is_free(&local.value)) {
            return None;
        }
        let is_wide = self.ty.size() >= 4;
        (self.folds()).filter(|found| is_wide || found.fold.replaces())
    }

    fn folds(&self) -> Option<Reduction> {
        (self.sum())
            .or_else(|| self.sum_of_several())
            .or_else(|| self.call())
            .or_else(|| self.select())
            .or_else(|| self.under_condition())
    }

    /// `c ? e : x` or `c ? x : e`, where `e` folds and the condition is none on the variable.
    fn under_condition(&self) -> Option<Reduction> {
        let Expr::Cond { cond, yes, no } = self.value else {
            return None;
        };
        let value = match (self.is_own_read(yes), self.is_own_read(no)) {
            (false, true) => yes,
            (true, false) => no,
            _ => return None,
        };
        let inner = Candidate {
            stmt: self.stmt,
            value,
            ty: self.ty,
        };
        let folds = || {
            inner
                .folds()
                .or_else(|| inner.folded(Fold::Last, self.ty, value))
        };
        let found = self.is_free(cond).then(folds).flatten()?;
        Some(Reduction {
            conditions: found.conditions + 1,
            ..found
        })
    }

    fn folded(&self, fold: Fold, ty: CType, term: &Expr) -> Option<Reduction> {
        self.is_free(term).then(|| Reduction {
            array: self.stmt.write.array,
            fold,
            ty,
            term: term.clone(),
            affine_before: affine_before(self.value, term),
            negated: false,
            conditions: 0,
            ordered: match fold {
                Fold::Select { .. } => self.is_ordered(fold, ty, term),
                Fold::Last => !is_literal(term),
                _ => false,
            },
            but_for: matches!(fold, Fold::Select { .. }).then(|| ButFor {
                nan: fold.not_a_number(ty) == NotANumber::Replaces,
                zero: ty.is_floating() && !self.is_magnitude(term),
            }),
        })
    }

    /// Whether the order of terms matters to a selection of the largest or smallest.
    fn is_ordered(&self, fold: Fold, ty: CType, term: &Expr) -> bool {
        match fold.not_a_number(ty) {
            NotANumber::Plain => false,
            NotANumber::Ignored => !self.is_magnitude(term),
            NotANumber::Replaces => true,
        }
    }

    /// Whether a term has no sign.
    fn is_magnitude(&self, term: &Expr) -> bool {
        match term {
            Expr::Call { name, .. } => matches!(name.as_str(), "fabs" | "fabsf"),
            Expr::Local(i, _) => {
                let local = self.stmt.locals.get(*i);
                local.is_some_and(|local| self.is_magnitude(&local.value))
            }
            // A conversion keeps the sign, and no square has one.
            Expr::Cast { ty, arg } => ty.is_floating() && self.is_magnitude(arg),
            Expr::Binary { op: "*", lhs, rhs } => term.ty().is_floating() && self.is_same(lhs, rhs),
            _ => false,
        }
    }

    /// `x + a - b`: the term is what is left where `x` is zero.
    fn sum_of_several(&self) -> Option<Reduction> {
        let ty = self.ty;
        let zero = match ty.is_floating() {
            true => Expr::Float {
                text: "0.0".to_string(),
                ty: CType::Double,
            },
            false => Expr::Int {
                value: "0".to_string(),
                ty,
            },
        };
        let value = self.plain();
        let integers = !ty.is_floating() && !value.ty().is_floating();
        if !(self.is_added(value) && (ty.is_floating() || integers)) {
            return None;
        }
        let term = value.map(&|e| self.is_own_read(e).then(|| zero.clone()));
        Some(Reduction {
            affine_before: 0,
            ..self.folded(Fold::Sum, if integers { ty } else { CType::Double }, &term)?
        })
    }

    /// Whether the variable is one of the terms of a sum.
    fn is_added(&self, value: &Expr) -> bool {
        match value {
            Expr::Binary { op: "+", lhs, rhs } => {
                (self.is_added(lhs) && self.is_free(rhs))
                    || (self.is_free(lhs) && self.is_added(rhs))
            }
            Expr::Binary { op: "-", lhs, rhs } => self.is_added(lhs) && self.is_free(rhs),
            value => self.is_variable(value),
        }
    }

    /// `x + e`, `x - e` and the other operators for which the order does not matter.
    fn sum(&self) -> Option<Reduction> {
        let value = self.plain();
        let Expr::Binary { op, lhs, rhs } = value else {
            return None;
        };
        let (fold, negated) = match *op {
            "+" => (Fold::Sum, false),
            "-" => (Fold::Sum, true),
            "*" => (Fold::Product, false),
            "&" => (Fold::And, false),
            "|" => (Fold::Or, false),
            "^" => (Fold::Xor, false),
            _ => return None,
        };
        let term = match (self.is_variable(lhs), self.is_variable(rhs)) {
            (true, false) => rhs,
            (false, true) if !negated => lhs,
            _ => return None,
        };
        let ty = match (self.ty.is_floating(), term.ty().is_floating()) {
            (true, _) => CType::Double,
            (false, false) => self.ty,
            // Each sum is converted to an integer.
            (false, true) => return None,
        };
        let reduction = self.folded(fold, ty, term)?;
        Some(Reduction {
            negated,
            ..reduction
        })
    }

    /// `fmax(x, e)` and its like.
    fn call(&self) -> Option<Reduction> {
        let Expr::Call { name, args } = self.plain() else {
            return None;
        };
        let fold = match name.as_str() {
            "fmax" | "fmaxf" => Fold::Fmax,
            "fmin" | "fminf" => Fold::Fmin,
            _ => return None,
        };
        let [a, b] = args.as_slice() else {
            return None;
        };
        let term = match (self.is_variable(a), self.is_variable(b)) {
            (true, false) => b,
            (false, true) => a,
            _ => return None,
        };
        let fits = self.ty.is_floating() && (term.ty() != CType::Double || name.len() == 4);
        fits.then(|| self.folded(fold, self.ty, term)).flatten()
    }

    /// `x < e ? e : x` and its like.
    fn select(&self) -> Option<Reduction> {
        let Expr::Cond { cond, yes, no } = self.plain() else {
            return None;
        };
        let Expr::Binary { op, lhs, rhs } = &**cond else {
            return None;
        };
        let (term, holds_for_term) = match (self.is_variable(yes), self.is_variable(no)) {
            (false, true) => (yes, true),
            (true, false) => (no, false),
            _ => return None,
        };
        let is_term = |e: &Expr| self.is_same(widened(e), widened(term));
        let term_first = if self.is_variable(rhs) && is_term(lhs) {
            true
        } else if self.is_variable(lhs) && is_term(rhs) {
            false
        } else {
            return None;
        };
        let compare = Compare::parse(op)?;
        let fold = Fold::Select {
            compare,
            term_first,
            holds_for_term,
        };
        self.is_kept(term)
            .then(|| self.folded(fold, self.ty, term))
            .flatten()
    }

    /// Whether the type of the variable has all values of a term, or rounds them without another
    /// zero: then the largest of rounded terms is the rounded largest term.
    fn is_kept(&self, term: &Expr) -> bool {
        holds(self.ty, term.ty()) || (self.ty.is_floating() && self.is_magnitude(term))
    }

    /// The statement's value but for a conversion to the variable's type.
    fn plain(&self) -> &'a Expr {
        match self.value {
            Expr::Cast { ty, arg } if *ty == self.ty => arg,
            value => value,
        }
    }

    /// Whether two expressions have the same value.
    fn is_same(&self, a: &Expr, b: &Expr) -> bool {
        let same = |a: &[Expr], b: &[Expr]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.is_same(a, b))
        };
        match (a, b) {
            (Expr::Int { value: a, ty: s }, Expr::Int { value: b, ty: t }) => a == b && s == t,
            (Expr::Float { text: a, ty: s }, Expr::Float { text: b, ty: t }) => a == b && s == t,
            (Expr::Read(i, _), Expr::Read(j, _)) => match (self.read(*i), self.read(*j)) {
                (Some(a), Some(b)) => a.array == b.array && a.map.is_equal(&b.map).unwrap_or(false),
                _ => false,
            },
            (Expr::Local(i, _), Expr::Local(j, _)) => i == j,
            (Expr::Affine { value: a, ty: s }, Expr::Affine { value: b, ty: t }) => {
                s == t && a.is_equal(b).unwrap_or(false)
            }
            (Expr::Unary { op: p, arg: a }, Expr::Unary { op: q, arg: b }) => {
                p == q && self.is_same(a, b)
            }
            (
                Expr::Binary {
                    op: p,
                    lhs: a,
                    rhs: c,
                },
                Expr::Binary {
                    op: q,
                    lhs: b,
                    rhs: d,
                },
            ) => p == q && self.is_same(a, b) && self.is_same(c, d),
            (
                Expr::Cond {
                    cond: a,
                    yes: c,
                    no: e,
                },
                Expr::Cond {
                    cond: b,
                    yes: d,
                    no: f,
                },
            ) => self.is_same(a, b) && self.is_same(c, d) && self.is_same(e, f),
            (Expr::Call { name: p, args: a }, Expr::Call { name: q, args: b }) => {
                p == q && same(a, b)
            }
            (Expr::Cast { ty: s, arg: a }, Expr::Cast { ty: t, arg: b }) => {
                s == t && self.is_same(a, b)
            }
            _ => false,
        }
    }

    fn read(&self, i: usize) -> Option<&'a Access> {
        self.stmt.reads.get(i)
    }
}

/// Whether an expression is a number of the text.
fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Int { .. } | Expr::Float { .. } => true,
        Expr::Cast { arg, .. } | Expr::Unary { arg, .. } => is_literal(arg),
        _ => false,
    }
}

/// An expression but for conversions to floating types that have all its values.
fn widened(expr: &Expr) -> &Expr {
    match expr {
        Expr::Cast { ty, arg } if ty.is_floating() && holds(*ty, arg.ty()) => widened(arg),
        expr => expr,
    }
}

/// Whether a type has all values of another one.
fn holds(ty: CType, other: CType) -> bool {
    match (ty, other) {
        _ if ty == other => true,
        (CType::Double, CType::Float) => true,
        (CType::Double, CType::Int(n) | CType::UInt(n)) => n <= 4,
        (CType::Float, CType::Int(n) | CType::UInt(n)) => n <= 2,
        (CType::Int(a), CType::Int(b)) | (CType::UInt(a), CType::UInt(b)) => a >= b,
        (CType::Int(a), CType::UInt(b)) => a > b,
        _ => false,
    }
}

/// The affine expressions of `value` before its part `term`, in the order of a traversal.
fn affine_before(value: &Expr, term: &Expr) -> usize {
    let (mut n, mut found) = (0, false);
    value.visit(&mut |e| {
        found |= std::ptr::eq(e, term);
        n += usize::from(!found && matches!(e, Expr::Affine { .. }));
    });
    n
}
