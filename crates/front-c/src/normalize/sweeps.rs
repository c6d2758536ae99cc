//! Loops over all cells of flat arrays, as loops over their rows and columns.
//!
//! In: `for (k = 0; k < nx * ny; k++) u[k] = v[k];` in the body of a time loop in which subscripts `i * ny + j` tell the length of
//! a row, or `int i = k / ny, j = k % ny;` does. Out: `for (row = 0; row < nx; row++) for (column = 0; column < ny; column++)
//! u[row * ny + column] = ..`, where `ny` is positive; otherwise the time loop runs as it is. Where nothing tells a row: `k < cells`, with
//! `int cells = nx * ny;` before the time loop.

use super::copies::{Bytes, Copies, flat, nest};
use super::inline;
use super::located;
use super::numbers;
use super::promote::Around;
use super::scalars;
use super::strides::Strides;
use super::tree::{self, Namer, Path};
use super::unroll;
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, DeclId, Expr, ExprKind, FunctionId, Stmt, StmtKind, Storage, TypeKind, Unit,
};
use std::collections::{HashMap, HashSet};

/// What the loops over rows, columns and so on count with, by how many there are.
const NAMES: [&[&str]; 4] = [
    &[],
    &["cell"],
    &["row", "column"],
    &["plane", "row", "column"],
];

/// Parts the loops over all cells in a time loop, before which there are some statements already; `None` where there are none.
pub(super) fn sweeps(
    (unit, namer): (&mut Unit, &mut Namer),
    (function, globals, before): (FunctionId, &HashSet<DeclId>, &[Stmt]),
    (head, body): (&Stmt, &mut [Stmt]),
) -> Option<Around> {
    let mut sweeps = Sweeps {
        copies: Copies::new((unit, namer), function, (head, body)),
        globals,
        before: before.iter().flat_map(walk::declared).collect(),
        positive: Vec::new(),
        ends: Vec::new(),
    };
    let all = body.iter_mut();
    if !all.fold(false, |any, stmt| sweeps.in_statement(stmt) | any) {
        return None;
    }
    let ends = sweeps.ends.iter();
    let before: Vec<Stmt> = ends
        .map(|(_, id)| tree::declaration(sweeps.copies.unit, *id))
        .collect();
    let conditions = std::mem::take(&mut sweeps.positive).into_iter();
    let conditions = conditions.map(|length| {
        let zero = tree::int(&length, 0);
        tree::binary(BinaryOp::Greater, length, zero)
    });
    Some(Around {
        when: conditions.reduce(|a, b| tree::binary(BinaryOp::And, a, b)),
        before,
        after: Vec::new(),
    })
}

/// A time loop whose loops over all cells are parted.
struct Sweeps<'a> {
    copies: Copies<'a>,
    globals: &'a HashSet<DeclId>,
    /// Variables that are declared before the loop, where it does not run as it is.
    before: Vec<DeclId>,
    /// Lengths of rows that are positive.
    positive: Vec<Expr>,
    /// Ends of loops that are products, and the variables for them.
    ends: Vec<(Expr, DeclId)>,
}

/// A loop over all cells.
struct Sweep {
    iterator: DeclId,
    /// The numbers of its planes, rows and columns, from the outside, each as factors.
    extents: Vec<Vec<Expr>>,
    is_wide: bool,
    /// The length of a row is known by the iterator's remainder.
    divides: bool,
}

impl Sweeps<'_> {
    /// Parts the loops of a statement; whether there are any.
    fn in_statement(&mut self, stmt: &mut Stmt) -> bool {
        if let Some(parted) = self.sweep(stmt).and_then(|sweep| self.parted(stmt, sweep)) {
            *stmt = parted;
            return true;
        }
        let ends = self.ends_known(stmt);
        let inner = walk::inner_mut(stmt).into_iter();
        inner.fold(ends, |any, stmt| self.in_statement(stmt) | any)
    }

    /// Gives the end of a loop that is a product a variable of its own; whether it is one.
    fn ends_known(&mut self, stmt: &mut Stmt) -> bool {
        let StmtKind::For {
            cond: Some(cond), ..
        } = &mut stmt.kind
        else {
            return false;
        };
        let ExprKind::Binary(BinaryOp::Less | BinaryOp::LessEqual, _, end) = &mut cond.kind else {
            return false;
        };
        let unit = &*self.copies.unit;
        if !numbers::multiplies(unit, end) || !self.stays(end) {
            return false;
        }
        let known = self
            .ends
            .iter()
            .find(|(other, _)| numbers::same(unit, other, end));
        let id = match known {
            Some((_, id)) => *id,
            None => {
                let name = self.copies.namer.fresh("cells");
                let ty = tree::unqualified(self.copies.unit, end.ty);
                let init = Some((**end).clone());
                let id = tree::variable(self.copies.unit, name, ty, init, stmt.span);
                self.ends.push(((**end).clone(), id));
                id
            }
        };
        **end = tree::var(self.copies.unit, id, end.span);
        true
    }

    /// The loop over all cells that a statement is.
    fn sweep(&self, stmt: &Stmt) -> Option<Sweep> {
        let unit = &*self.copies.unit;
        let (init, [cond, step], body) = tree::counted(stmt)?;
        let (iterator, first, is_own) = unroll::start(unit, init)?;
        let (counter, end) = match &cond.kind {
            ExprKind::Binary(BinaryOp::Less, counter, end) => (counter, &**end),
            ExprKind::Binary(BinaryOp::LessEqual, counter, last) => {
                (counter, before_last(unit, last)?)
            }
            _ => return None,
        };
        let counts = tree::is_var(numbers::unwidened(unit, counter), iterator)
            && numbers::value(unit, first) == Some(0)
            && unroll::step_of(unit, step, iterator) == Some(1)
            && (is_own || !unroll::is_read_elsewhere(unit, &self.copies.all, iterator));
        if !counts || !self.is_cell_code(iterator, body) {
            return None;
        }
        let divisor = self.divisor(iterator, body);
        self.copies.sizes(end).find_map(|size| {
            let extents = self.extents((iterator, divisor.as_ref()), body, &size)?;
            Some(Sweep {
                iterator,
                extents,
                is_wide: size.is_wide,
                divides: divisor.is_some(),
            })
        })
    }

    /// Whether a body does nothing but to compute cells, and leaves its iterator as it is.
    fn is_cell_code(&self, iterator: DeclId, body: &Stmt) -> bool {
        let unit = &*self.copies.unit;
        let mut runs_through = true;
        walk::stmts(body, &mut |stmt| {
            runs_through &= matches!(
                stmt.kind,
                StmtKind::Null
                    | StmtKind::Compound(_)
                    | StmtKind::Decl(_)
                    | StmtKind::Expr(_)
                    | StmtKind::If { .. }
                    | StmtKind::For { .. }
                    | StmtKind::Continue
            );
        });
        let declared = walk::all_declared(body);
        let is_static = |id: &DeclId| unit[*id].storage == Storage::Static;
        runs_through
            && !declared.iter().any(is_static)
            && !inline::changes(unit, body, iterator)
            && !walk::any(unit, body, |expr| scalars::calls_out(unit, expr))
    }

    /// The numbers of planes, rows and columns, from the outside; `None` where nothing tells the length of a row.
    fn extents(
        &self,
        (iterator, divisor): (DeclId, Option<&Expr>),
        body: &Stmt,
        size: &Bytes,
    ) -> Option<Vec<Vec<Expr>>> {
        let unit = &*self.copies.unit;
        let constants = size.constants.iter().filter(|n| **n != 1);
        let constants = constants.map(|n| self.copies.number(*n));
        let factors: Vec<Expr> = size.factors.iter().cloned().chain(constants).collect();
        let is_known = |e: &Expr| self.is_kept(e, body) && self.is_seen(e);
        if factors.len() < 2 || !factors.iter().all(is_known) {
            return None;
        }
        let extents = match divisor {
            Some(row) => {
                let at = (factors.iter()).rposition(|e| numbers::same(unit, e, row))?;
                let mut rest = factors;
                let row = rest.remove(at);
                vec![rest, vec![row]]
            }
            None => {
                let roots: Vec<DeclId> = self.arrays(iterator, body).into_iter().collect();
                Strides::of(unit, &self.copies.all, &roots).extents(&factors)
            }
        };
        let are_single = extents.iter().all(|bound| {
            bound.len() == 1 || bound.iter().all(|e| numbers::value(unit, e).is_some())
        });
        let inner = extents.iter().skip(1).flatten();
        let known = inner.filter(|e| numbers::value(unit, e).is_none());
        let fits = (2..NAMES.len()).contains(&extents.len())
            && are_single
            && known.into_iter().all(|e| self.stays(e));
        fits.then_some(extents)
    }

    /// Whether a factor means the same wherever it stands in the function and in the time loop.
    fn is_seen(&self, factor: &Expr) -> bool {
        let (unit, function) = (&*self.copies.unit, &self.copies.unit[self.copies.function]);
        let mut used = HashSet::new();
        walk::variables(factor, &mut used);
        let all = function.body.iter().chain(&self.copies.all);
        let declared = all.flat_map(walk::all_declared);
        let hides = |own: DeclId| {
            let is_other = |id: &DeclId| *id != own && unit[*id].name == unit[own].name;
            used.iter().any(is_other)
        };
        !(declared.chain(function.params.iter().copied())).any(hides)
    }

    /// Whether a body leaves a factor as it is.
    fn is_kept(&self, factor: &Expr, body: &Stmt) -> bool {
        let unit = &*self.copies.unit;
        let mut cells = Vec::new();
        walk::all(unit, body, &mut |expr| {
            let to = tree::target(expr).map(|to| &unit.canonical(tree::plain(to).ty).kind);
            cells.extend(to.cloned());
            true
        });
        let keeps = |cell: &TypeKind| match cell {
            TypeKind::Builtin(cell) => self.copies.is_number(*cell, factor),
            _ => false,
        };
        let paths = numbers::paths(unit, factor);
        cells.iter().all(keeps)
            && paths.is_some_and(|all| {
                (all.iter()).all(|path| numbers::stays(unit, std::iter::once(body), path))
            })
    }

    /// Whether a length has one value from before the time loop on.
    fn stays(&self, length: &Expr) -> bool {
        let paths = numbers::paths(self.copies.unit, length);
        paths.is_some_and(|all| all.iter().all(|path| self.keeps(path)))
    }

    /// The same of a variable; members that stay are variables where that is known.
    fn keeps(&self, path: &Path) -> bool {
        let is_plain = path.fields.is_empty() && !path.through_pointer;
        is_plain && located::stays(self.copies.unit, self.globals, &self.copies.all, path.root)
    }

    /// What the iterator's remainder is taken by.
    fn divisor(&self, iterator: DeclId, body: &Stmt) -> Option<Expr> {
        let unit = &*self.copies.unit;
        let mut found = None;
        walk::all(unit, body, &mut |expr| {
            if let ExprKind::Binary(BinaryOp::Rem, a, by) = &expr.kind
                && tree::is_var(numbers::unwidened(unit, a), iterator)
            {
                found = Some((**by).clone());
            }
            found.is_none()
        });
        found
    }

    /// The arrays with elements of the iterator's number.
    fn arrays(&self, iterator: DeclId, body: &Stmt) -> HashSet<DeclId> {
        let unit = &*self.copies.unit;
        let mut found = HashSet::new();
        walk::all(unit, body, &mut |expr| {
            if let ExprKind::Index(base, at) = &expr.kind
                && tree::is_var(numbers::unwidened(unit, at), iterator)
            {
                found.extend(Path::of(unit, base).map(|path| path.root));
            }
            true
        });
        found
    }

    /// The loops over rows and columns in the place of a loop; `None` where it does otherwise with its iterator than to name
    /// cells.
    fn parted(&mut self, stmt: &Stmt, sweep: Sweep) -> Option<Stmt> {
        let (_, _, body) = tree::counted(stmt)?;
        let names = NAMES[sweep.extents.len()];
        let mut positive = sweep.extents[1..].concat();
        positive.retain(|e| !self.copies.is_value(e));
        let bounds: Vec<Expr> = (sweep.extents.into_iter())
            .map(|factors| self.copies.product(factors, sweep.is_wide))
            .collect::<Option<_>>()?;
        let iterators = self.copies.iterators(names, &bounds, stmt.span);
        let subscripts = self.copies.subscripts(&iterators, stmt.span);
        let number = flat(&subscripts, &bounds)?;
        let [.., row, column] = subscripts.as_slice() else {
            return None;
        };
        // What the body declares has other values where the loop runs as it is.
        let mut meant = HashMap::new();
        for id in walk::all_declared(body) {
            let copy = tree::copied(self.copies.unit, id);
            meant.insert(id, tree::var(self.copies.unit, copy, stmt.span));
        }
        let mut body = body.clone();
        inline::rename(self.copies.unit, &mut body, &meant);
        let before = self.copies.unit.clone();
        let unit = &before;
        let is_it = |e: &Expr| tree::is_var(numbers::unwidened(unit, e), sweep.iterator);
        let is_row = |e: &Expr| bounds.len() == 2 && numbers::same(unit, e, &bounds[1]);
        walk::change_all(self.copies.unit, &mut body, &mut |expr| {
            let becomes = match &mut expr.kind {
                ExprKind::Index(_, at) if is_it(at) => {
                    **at = number.clone();
                    return true;
                }
                ExprKind::Binary(BinaryOp::Div, a, by) if is_it(a) && is_row(by) => row,
                ExprKind::Binary(BinaryOp::Rem, a, by) if is_it(a) && is_row(by) => column,
                ExprKind::Var(id) if sweep.divides && *id == sweep.iterator => &number,
                _ => return true,
            };
            *expr = becomes.clone();
            false
        });
        if walk::uses(self.copies.unit, &body, sweep.iterator) {
            return None;
        }
        for mut length in positive {
            walk::change(&mut length, &mut |expr| {
                while let ExprKind::Var(id) = expr.kind
                    && self.before.contains(&id)
                    && let Some(init) = &self.copies.unit[id].init
                {
                    *expr = init.clone();
                }
                true
            });
            if !(self.positive.iter()).any(|e| numbers::same(self.copies.unit, e, &length)) {
                self.positive.push(length);
            }
        }
        Some(nest(
            self.copies.unit,
            iterators.into_iter().zip(bounds).collect(),
            body,
        ))
    }
}

/// What a number is one less than: `n` for `n - 1`.
fn before_last<'e>(unit: &Unit, last: &'e Expr) -> Option<&'e Expr> {
    let last = numbers::unwidened(unit, last);
    match numbers::parted_sum(last) {
        (Some(end), -1) => Some(end),
        _ => None,
    }
}
