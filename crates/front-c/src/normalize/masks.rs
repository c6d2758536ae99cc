//! Remainders by powers of two that are written with masks.
//!
//! In: `u[(i - 1) & (N - 1)][j]` in the code of a cell, where N is a constant power of two. Out: `u[(i + 63) % 64][j]`. The bounds
//! of the loops around tell how far below 0 the value is: what makes it positive is added to it.

use super::numbers;
use super::tree;
use super::values::{self, Bounds};
use super::walk;
use hexcc_clang::ast::{BinaryOp, Expr, ExprKind, Stmt, Unit};
use std::ops::RangeInclusive;

/// Makes remainders of masked numbers in the nests of a time loop; whether there are any.
pub(super) fn masks(unit: &mut Unit, body: &mut [Stmt]) -> bool {
    let is_masked = |expr: &Expr| by_more_than_two(unit, expr).is_some();
    if !(body.iter()).any(|stmt| walk::any(unit, stmt, is_masked)) {
        return false;
    }
    let asked = unit.clone();
    let mut loops = Loops {
        unit: &asked,
        around: Vec::new(),
    };
    let all = body.iter_mut();
    all.fold(false, |any, stmt| loops.in_statement(unit, stmt) | any)
}

/// The same of powers above two: of two, the cells have colours.
fn by_more_than_two<'e>(unit: &Unit, expr: &'e Expr) -> Option<(&'e Expr, &'e Expr, i128)> {
    masked(unit, expr).filter(|(_, _, power)| *power > 2)
}

/// A number, what it is masked with, and the power of two that this is one less than.
pub(super) fn masked<'e>(unit: &Unit, expr: &'e Expr) -> Option<(&'e Expr, &'e Expr, i128)> {
    let ExprKind::Binary(BinaryOp::BitAnd, number, mask) = &expr.kind else {
        return None;
    };
    let power = numbers::value(unit, mask)? + 1;
    let is_power = power > 1 && u128::try_from(power).is_ok_and(u128::is_power_of_two);
    is_power.then_some((&**number, &**mask, power))
}

/// The loops around a statement.
struct Loops<'a> {
    unit: &'a Unit,
    around: Vec<Bounds>,
}

impl Loops<'_> {
    fn in_statement(&mut self, unit: &mut Unit, stmt: &mut Stmt) -> bool {
        let mut found = false;
        for expr in walk::own_mut(stmt) {
            found |= self.in_expression(expr);
        }
        for id in walk::declared(stmt) {
            let init = unit[id].init.as_mut();
            found |= init.is_some_and(|init| self.in_expression(init));
        }
        let n_around = self.around.len();
        self.around.extend(values::bounds(self.unit, stmt));
        for inner in walk::inner_mut(stmt) {
            found |= self.in_statement(unit, inner);
        }
        self.around.truncate(n_around);
        found
    }

    fn in_expression(&self, expr: &mut Expr) -> bool {
        let mut found = false;
        walk::change(expr, &mut |expr| {
            if let Some(remainder) = self.remainder(expr) {
                *expr = remainder;
                found = true;
            }
            true
        });
        found
    }

    /// The remainder that a masked number is.
    fn remainder(&self, expr: &Expr) -> Option<Expr> {
        let (number, mask, power) = by_more_than_two(self.unit, expr)?;
        let range = self.range(number)?;
        // So many times the power make it positive.
        let more = (power - 1 - range.start()).div_euclid(power).max(0) * power;
        let (of, by) = numbers::parted_sum(number);
        let of = of?;
        let positive = match by + more {
            0 => of.clone(),
            by if by < 0 => tree::binary(BinaryOp::Sub, of.clone(), tree::int(of, -by)),
            by => tree::binary(BinaryOp::Add, of.clone(), tree::int(of, by)),
        };
        let fits = numbers::range(self.unit, of.ty)?.contains(&(range.end() + more));
        let remainder = tree::binary(BinaryOp::Rem, positive, tree::int(mask, power));
        let ty = expr.ty;
        fits.then_some(Expr { ty, ..remainder })
    }

    /// Numbers among which a sum of iterators and constants is. Without a sign it may be another one by a multiple of 2^32.
    fn range(&self, expr: &Expr) -> Option<RangeInclusive<i128>> {
        let is_wide = self.unit.canonical(expr.ty).size? >= 4;
        numbers::range(self.unit, expr.ty).filter(|_| is_wide)?;
        if let Some(number) = numbers::value(self.unit, expr) {
            return Some(number..=number);
        }
        match &expr.kind {
            ExprKind::Cast { value, .. } => self.range(value),
            ExprKind::Var(id) => {
                let found = self.around.iter().rfind(|(iterator, _)| iterator == id);
                let (_, range) = found.filter(|(_, range)| !range.is_empty())?;
                Some(range.start..=range.end - 1)
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (a, b) = (self.range(a)?, self.range(b)?);
                Some(match op {
                    BinaryOp::Add => a.start() + b.start()..=a.end() + b.end(),
                    _ => a.start() - b.end()..=a.end() - b.start(),
                })
            }
            _ => None,
        }
    }
}
