//! The lengths of rows that subscripts of flat arrays tell: `m` for `i * m + j`.

use super::numbers;
use super::tree::Path;
use super::walk;
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, Unit};

/// Products that variables are multiplied with in whole numbers, each as its factors.
pub(super) struct Strides<'u> {
    unit: &'u Unit,
    /// In subscripts of the arrays that are asked for.
    own: Vec<Vec<Expr>>,
    /// Everywhere.
    all: Vec<Vec<Expr>>,
}

impl<'u> Strides<'u> {
    /// Those of the statements of a loop, with some arrays to be asked for.
    pub fn of(unit: &'u Unit, stmts: &[Stmt], arrays: &[DeclId]) -> Strides<'u> {
        let mut found = Strides {
            unit,
            own: Vec::new(),
            all: Vec::new(),
        };
        for stmt in stmts {
            walk::all(unit, stmt, &mut |expr| {
                found.collect(stmts, arrays, expr);
                false
            });
        }
        found
    }

    /// Those of an expression and all in it; the parts of a sum are not asked for themselves.
    fn collect(&mut self, stmts: &[Stmt], arrays: &[DeclId], expr: &Expr) {
        let unit = self.unit;
        if let ExprKind::Index(base, subscript) = &expr.kind
            && Path::of(unit, base).is_some_and(|path| arrays.contains(&path.root))
        {
            add(unit, stmts, subscript, &[], &mut self.own);
        }
        let is_whole = |e: &Expr| numbers::range(unit, e.ty).is_some();
        let is_sum = |e: &Expr| is_whole(e) && matches!(e.kind, ExprKind::Binary(..));
        if !is_sum(expr) {
            let parts = walk::parts(expr).into_iter();
            parts.for_each(|part| self.collect(stmts, arrays, part));
            return;
        }
        add(unit, stmts, expr, &[], &mut self.all);
        let mut parts = walk::parts(expr);
        while let Some(part) = parts.pop() {
            let part = numbers::unwidened(unit, part);
            match is_sum(part) {
                true => parts.extend(walk::parts(part)),
                false => self.collect(stmts, arrays, part),
            }
        }
    }

    /// The extents of an array with as many cells as the product of some factors, from the outside: those inside are the
    /// strides.
    pub fn extents(&self, factors: &[Expr]) -> Vec<Vec<Expr>> {
        let found = self.by(&self.own, factors);
        match found.len() {
            1 => self.by(&self.all, factors),
            _ => found,
        }
    }

    /// What subscripts multiply with, where that is one factor.
    pub fn lengths(&self) -> Vec<&Expr> {
        let strides = self.own.iter().map(Vec::as_slice);
        strides
            .filter_map(|stride| match stride {
                [one] => Some(one),
                _ => None,
            })
            .collect()
    }

    /// The lengths of rows in planes and so on that the strides are products of, the innermost first; `None` without any, and
    /// where they disagree.
    pub fn rows(&self) -> Option<Vec<Expr>> {
        let mut strides: Vec<&Vec<Expr>> = self.own.iter().collect();
        strides.sort_by_key(|stride| stride.len());
        let mut rows: Vec<Expr> = Vec::new();
        for stride in strides {
            let mut left: Vec<&Expr> = stride.iter().collect();
            for row in &rows {
                let mut all = left.iter();
                let at = all.position(|one| numbers::same(self.unit, one, row));
                left.remove(at?);
            }
            match left[..] {
                [] => {}
                [outer] => rows.push(outer.clone()),
                _ => return None,
            }
        }
        (!rows.is_empty()).then_some(rows)
    }

    fn by(&self, strides: &[Vec<Expr>], factors: &[Expr]) -> Vec<Vec<Expr>> {
        let mut left = factors.to_vec();
        let mut inner: Vec<Expr> = Vec::new();
        while left.len() > 1 {
            let is_next = |at: &usize| {
                let wanted: Vec<&Expr> = inner.iter().chain([&left[*at]]).collect();
                strides.iter().any(|stride| self.are_same(stride, &wanted))
            };
            let Some(at) = (0..left.len()).rev().find(is_next) else {
                break;
            };
            inner.push(left.remove(at));
        }
        let rows = inner.into_iter().rev().map(|one| vec![one]);
        std::iter::once(left).chain(rows).collect()
    }

    fn are_same(&self, stride: &[Expr], wanted: &[&Expr]) -> bool {
        let mut left: Vec<&Expr> = stride.iter().collect();
        let found = wanted.iter().all(|one| {
            let at = left.iter().position(|e| numbers::same(self.unit, e, one));
            at.map(|at| left.swap_remove(at)).is_some()
        });
        found && left.is_empty()
    }
}

/// Adds what the variables in a sum are multiplied with.
fn add(unit: &Unit, stmts: &[Stmt], expr: &Expr, stride: &[Expr], found: &mut Vec<Vec<Expr>>) {
    let expr = numbers::unwidened(unit, expr);
    let stays = |expr: &Expr| {
        let paths = numbers::paths(unit, expr);
        paths.is_some_and(|all| all.iter().all(|p| numbers::stays(unit, stmts.iter(), p)))
    };
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            add(unit, stmts, a, stride, found);
            add(unit, stmts, b, stride, found);
        }
        ExprKind::Binary(BinaryOp::Mul, a, b) => {
            let (inner, factor) = match (stays(a), stays(b)) {
                (false, true) => (a, b),
                (true, false) => (b, a),
                _ => return,
            };
            let mut stride = stride.to_vec();
            factors(unit, factor, &mut stride);
            add(unit, stmts, inner, &stride, found);
        }
        _ if !stride.is_empty() && !stays(expr) => found.push(stride.to_vec()),
        _ => {}
    }
}

fn factors(unit: &Unit, expr: &Expr, all: &mut Vec<Expr>) {
    let expr = numbers::unwidened(unit, expr);
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Mul, a, b) if numbers::value(unit, expr).is_none() => {
            factors(unit, a, all);
            factors(unit, b, all);
        }
        _ => all.push(expr.clone()),
    }
}
