//! Small loops over neighbours in the code of a cell, unrolled.
//!
//! In: `for (int r = 1; r <= 4; r++) lap += c[r] * (u[i - r] + u[i + r]);` in the loops over cells of a time loop. Out: its
//! body once for each number, in C's order, with the number in the place of the iterator. What follows from it is
//! done then: subscripts and conditions that are constants, and what [`small`](super::small) makes of arrays.
//!
//! In, for a form of its own: `for (int k = 0; k < 9; k++) g[k][i][j] = f[(k + 1) % 9][i][j];`, around a nest or in it, where planes
//! use each other. Out: the same for each plane.

use super::converge::begun;
use super::inline;
use super::numbers;
use super::scalars;
use super::small;
use super::tree::{self, Namer};
use super::values;
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, DeclId, DeclKind, Expr, ExprKind, Stmt, StmtKind, Storage, UnaryOp, Unit,
};
use std::collections::{HashMap, HashSet};

/// How often the body of a loop may be there, in all loops around it that are unrolled.
const MOST: usize = 32;

/// How many planes of cells there may be outside of the code of a cell.
const MOST_PLANES: usize = 9;

/// How many elements of arrays the copies of a body may name.
const ELEMENTS: usize = 400;

/// A loop with constant bounds, or with bounds around a number: `for (r = i - 1; r <= i + 1; r++)`.
struct Counted {
    iterator: DeclId,
    /// The number that its numbers are added to.
    around: Option<Expr>,
    /// The numbers that the iterator has in the body.
    numbers: Vec<i128>,
    /// The one that it has behind the loop.
    last: i128,
    /// Whether the loop declares it.
    is_own: bool,
}

/// Which loops are unrolled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// Those in the code of a cell that select neighbours.
    Neighbours,
    /// Those over planes of cells, `f[k][i][j] = ..`, too, wherever they are in a nest, if planes use each other.
    Planes,
    /// All of these.
    AllPlanes,
}

/// What decides whether a loop is unrolled.
#[derive(Clone, Copy)]
struct Context<'a> {
    /// The head of the time loop, and its body.
    all: &'a [Stmt],
    which: Which,
    /// The numbers of all cells in the nest.
    folds: &'a HashSet<DeclId>,
    /// How many planes there may be: as many as loops over neighbours have numbers.
    lengths: Option<&'a HashSet<usize>>,
}

/// Unrolls the small loops in the nests of a time loop; whether there were any.
pub(super) fn unroll(
    unit: &mut Unit,
    namer: &mut Namer,
    (head, body): (&Stmt, &mut [Stmt]),
    which: Which,
) -> bool {
    let before: Vec<Stmt> = std::iter::once(head).chain(&*body).cloned().collect();
    let mut found = false;
    let none = HashSet::new();
    let lengths = match which {
        Which::Planes => lengths(unit, &before),
        _ => HashSet::new(),
    };
    let mut context = Context {
        all: &before,
        which: Which::Neighbours,
        folds: &none,
        lengths: None,
    };
    if which != Which::Neighbours {
        // Cells that sums over planes are for use all of them.
        let mut all = body.iter_mut();
        let has_sums = all.any(|stmt| in_nest(unit, namer, context, stmt));
        context.which = which;
        if which == Which::Planes && has_sums {
            (context.which, context.lengths) = (Which::AllPlanes, Some(&lengths));
        }
    }
    for stmt in body {
        if context.which != Which::Neighbours {
            found |= cell_code(unit, context, stmt, MOST_PLANES);
        }
        found |= in_nest(unit, namer, context, stmt);
    }
    found
}

/// How many numbers the loops of nests over neighbours have.
fn lengths(unit: &Unit, all: &[Stmt]) -> HashSet<usize> {
    let mut found = HashSet::new();
    for stmt in all {
        walk::stmts(stmt, &mut |stmt| {
            if let StmtKind::For { body, .. } = &stmt.kind
                && let Some(counted) = counted(unit, stmt)
                && is_cell_code(unit, (counted.iterator, false), body)
            {
                found.insert(counted.numbers.len());
            }
        });
    }
    found
}

/// Unrolls the loops in the body of a time loop that do nothing but to move pointers.
pub(super) fn moves(unit: &mut Unit, head: &Stmt, body: &mut [Stmt]) {
    let before: Vec<Stmt> = std::iter::once(head).chain(&*body).cloned().collect();
    for stmt in body {
        if let StmtKind::For { body, .. } = &stmt.kind
            && only_moves(unit, body)
            && let Some(counted) = counted(unit, stmt)
            && counted.numbers.len() <= MOST
            && let Some(mut copies) = copies(unit, body, &counted)
        {
            copies.extend(counted.left(unit, &before, stmt));
            stmt.kind = StmtKind::Compound(copies);
        }
    }
}

/// Whether a body only assigns to pointers.
fn only_moves(unit: &Unit, body: &Stmt) -> bool {
    let (mut n_moves, mut n_others) = (0, usize::from(has_loops(body)));
    walk::all(unit, body, &mut |expr| {
        let is_call = matches!(expr.kind, ExprKind::Call(..));
        let to = tree::target(expr).map(|to| tree::is_pointer(unit, to.ty));
        n_moves += usize::from(to == Some(true));
        n_others += usize::from(to == Some(false) || is_call);
        true
    });
    n_moves > 0 && n_others == 0
}

/// Whether something in the body of a loop over planes is of more than the plane of its iterator: another plane, or a table.
fn is_coupled(unit: &Unit, iterator: DeclId, body: &Stmt) -> bool {
    let is_it =
        |e: &Expr| matches!(numbers::unwidened(unit, e).kind, ExprKind::Var(id) if id == iterator);
    let is_other = |expr: &Expr| match &expr.kind {
        ExprKind::Index(base, at) => {
            let of_one = matches!(tree::plain(base).kind, ExprKind::Var(_));
            let is_cell = scalars::is_arithmetic(unit, expr.ty);
            is_cell && (!walk::mentions(expr, iterator) || of_one && is_it(at))
        }
        ExprKind::Binary(BinaryOp::Mul, ..) => false,
        ExprKind::Binary(_, a, b) => is_it(a) || is_it(b),
        _ => false,
    };
    walk::any(unit, body, |expr| {
        is_other(expr)
            || matches!(&expr.kind, ExprKind::Binary(BinaryOp::Rem, a, _) if walk::mentions(a, iterator))
    })
}

/// Whether a loop has others in it.
fn has_loops(body: &Stmt) -> bool {
    let mut found = false;
    walk::stmts(body, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::For { .. })
    });
    found
}

/// Whether an assignment is to a cell of a plane that an iterator selects: `g[k][i]`, or `g[k * n + i]`.
fn is_of_plane(unit: &Unit, to: &Expr, iterator: DeclId) -> bool {
    let is_cell = |e: &Expr| {
        let is_number = numbers::range(unit, e.ty).is_some() && numbers::value(unit, e).is_none();
        is_number && matches!(e.kind, ExprKind::Var(id) if id != iterator)
    };
    let is_plane = |e: &Expr| match &e.kind {
        ExprKind::Index(_, at) => walk::mentions(at, iterator) && !walk::has(at, is_cell),
        ExprKind::Binary(BinaryOp::Mul, ..) => walk::mentions(e, iterator),
        _ => false,
    };
    walk::has(to, is_plane) && walk::has(to, is_cell)
}

/// Finds nests: what stands in their loops is the code of a cell.
fn in_nest(unit: &mut Unit, namer: &mut Namer, context: Context, stmt: &mut Stmt) -> bool {
    let StmtKind::For { body, .. } = &mut stmt.kind else {
        let inner = walk::inner_mut(stmt).into_iter();
        return inner.fold(false, |any, stmt| in_nest(unit, namer, context, stmt) | any);
    };
    let mut unrolled = false;
    let folds = &folds(unit, body);
    // What counts in one loop may bound another one.
    while cell_code(unit, Context { folds, ..context }, body, MOST) {
        unrolled = true;
        small::counters(unit, body);
        small::constants(unit, body);
    }
    let reduced = small::scalars(unit, namer, body);
    unrolled || reduced
}

/// The numbers that a nest which stores to no cells does not begin: those of all cells, or of all planes.
fn folds(unit: &Unit, body: &Stmt) -> HashSet<DeclId> {
    if scalars::stores(unit, body) {
        return HashSet::new();
    }
    let mut found = scalars::changed(unit, body);
    walk::stmts(body, &mut |stmt| match &stmt.kind {
        StmtKind::For {
            init: Some(init), ..
        } => found.retain(|id| tree::begins(unit, init).is_none_or(|(own, _)| own != *id)),
        _ => found.retain(|id| begun(unit, stmt, *id).is_none()),
    });
    let own = walk::all_declared(body);
    found.retain(|id| !own.contains(id));
    found
}

/// Unrolls loops in a statement of a cell's code.
fn cell_code(unit: &mut Unit, context: Context, stmt: &mut Stmt, most: usize) -> bool {
    if let StmtKind::For { body, .. } = &stmt.kind
        && let Some(counted) = counted(unit, stmt)
        && counted.numbers.len()
            <= if has_loops(body) || !scalars::changed(unit, body).is_disjoint(context.folds) {
                most.min(MOST_PLANES)
            } else {
                most
            }
        && counted.numbers.len() * elements(unit, body) <= ELEMENTS
        && is_cell_code(
            unit,
            (counted.iterator, context.has_planes(unit, &counted, body)),
            body,
        )
        && let Some(mut copies) = copies(unit, body, &counted)
    {
        let most = most / counted.numbers.len().max(1);
        for copy in &mut copies {
            cell_code(unit, context, copy, most);
        }
        copies.extend(counted.left(unit, context.all, stmt));
        let mut flat = Vec::new();
        copies.into_iter().for_each(|copy| flatten(copy, &mut flat));
        stmt.kind = StmtKind::Compound(flat);
        return true;
    }
    let mut found = false;
    for inner in walk::inner_mut(stmt) {
        found |= cell_code(unit, context, inner, most);
    }
    if let StmtKind::Compound(statements) = &mut stmt.kind {
        let mut flat = Vec::new();
        for stmt in std::mem::take(statements) {
            flatten(stmt, &mut flat);
        }
        *statements = flat;
    }
    found
}

/// How many elements of arrays a body names.
fn elements(unit: &Unit, body: &Stmt) -> usize {
    let mut found = 0;
    walk::all(unit, body, &mut |expr| {
        found += usize::from(matches!(expr.kind, ExprKind::Index(..)));
        true
    });
    found
}

/// Adds a statement, of a block that declares nothing its statements.
pub(super) fn flatten(stmt: Stmt, flat: &mut Vec<Stmt>) {
    match stmt.kind {
        StmtKind::Compound(all) if all.iter().all(|s| walk::declared(s).is_empty()) => {
            all.into_iter().for_each(|stmt| flatten(stmt, flat));
        }
        StmtKind::Null => {}
        _ => flat.push(stmt),
    }
}

/// The body of a loop for each number; `None` where something leaves it.
fn copies(unit: &mut Unit, body: &Stmt, counted: &Counted) -> Option<Vec<Stmt>> {
    let declared = walk::all_declared(body);
    if declared
        .iter()
        .any(|id| unit[*id].storage == Storage::Static)
    {
        return None;
    }
    let mut all = Vec::new();
    for number in &counted.numbers {
        let mut meant = HashMap::new();
        for id in &declared {
            let copy = tree::copied(unit, *id);
            meant.insert(*id, tree::var(unit, copy, body.span));
        }
        let iterator = tree::var(unit, counted.iterator, body.span);
        meant.insert(counted.iterator, counted.number(&iterator, *number));
        let mut copy = body.clone();
        inline::rename(unit, &mut copy, &meant);
        all.push(copy);
    }
    let mut block = tree::stmt(body.span, StmtKind::Compound(all));
    small::constants(unit, &mut block);
    let mut all = tree::block(block);
    for copy in &mut all {
        goes_on(copy);
        if let StmtKind::Compound(all) = &mut copy.kind {
            *all = values::going_on(std::mem::take(all), &|_| true);
        }
    }
    (!all.iter().any(walk::leaves)).then_some(all)
}

/// Takes a `continue` out with all that stands behind it; whether there was one on the way to the end.
fn goes_on(stmt: &mut Stmt) -> bool {
    match &mut stmt.kind {
        StmtKind::Continue => {
            stmt.kind = StmtKind::Null;
            true
        }
        StmtKind::Compound(all) => {
            let at = all.iter_mut().position(goes_on);
            if let Some(at) = at {
                all.truncate(at + 1);
            }
            at.is_some()
        }
        _ => false,
    }
}

impl Context<'_> {
    /// Whether what a loop counts may be planes of cells.
    fn has_planes(&self, unit: &Unit, counted: &Counted, body: &Stmt) -> bool {
        match self.which {
            Which::Neighbours => false,
            Which::Planes => is_coupled(unit, counted.iterator, body),
            Which::AllPlanes => {
                let n = counted.numbers.len();
                self.lengths.is_none_or(|lengths| lengths.contains(&n))
            }
        }
    }
}

/// Whether a body is a part of a cell's code: it updates numbers or small arrays, or cells that are the same for each number,
/// and selects elements of arrays by the number.
fn is_cell_code(unit: &Unit, (iterator, has_planes): (DeclId, bool), body: &Stmt) -> bool {
    let is_it = |expr: &Expr| matches!(expr.kind, ExprKind::Var(id) if id == iterator);
    let uses = |expr: &Expr| walk::mentions(expr, iterator);
    let selects = walk::any(
        unit,
        body,
        |expr| matches!(&expr.kind, ExprKind::Index(base, at) if uses(at) || uses(base)),
    );
    let changed = scalars::changed(unit, body);
    let moves = |to: &Expr| {
        walk::has(
            to,
            |e| matches!(e.kind, ExprKind::Var(id) if changed.contains(&id)),
        )
    };
    let (mut stores, mut is_known) = (false, true);
    walk::all(unit, body, &mut |expr| {
        if let Some(to) = tree::target(expr).map(tree::plain) {
            stores = true;
            let is_number = scalars::is_arithmetic(unit, to.ty) && !is_it(to);
            let of_small = matches!(&to.kind, ExprKind::Index(base, _) if is_small(unit, base));
            let is_cell = matches!(to.kind, ExprKind::Index(..)) && moves(to);
            let of_plane = has_planes && is_of_plane(unit, to, iterator);
            let is_own = of_small || of_plane || !uses(to) && !is_cell;
            is_known &= is_number && is_own;
            is_known &= !matches!(expr.kind, ExprKind::Unary(UnaryOp::AddressOf, _));
        }
        true
    });
    selects && stores && is_known
}

/// Whether an expression is a small array of the function.
fn is_small(unit: &Unit, base: &Expr) -> bool {
    match tree::plain(base).kind {
        ExprKind::Var(id) => small::length(unit, id).is_some(),
        _ => false,
    }
}

/// The numbers of a loop that counts between constants.
fn counted(unit: &Unit, stmt: &Stmt) -> Option<Counted> {
    let (init, [cond, step], body) = tree::counted(stmt)?;
    let (iterator, first, is_own) = start(unit, init)?;
    let (around, first) = match numbers::value(unit, first) {
        Some(first) => (None, first),
        None => around(unit, (iterator, first), body).map(|(around, by)| (Some(around), by))?,
    };
    let is_variable = matches!(unit[iterator].kind, DeclKind::Variable)
        && !tree::is_somewhere(unit, unit[iterator].ty, |ty| ty.is_volatile);
    let range = numbers::range(unit, unit[iterator].ty).filter(|_| is_variable)?;
    let by = step_of(unit, step, iterator).filter(|by| *by != 0)?;
    if inline::changes(unit, body, iterator) {
        return None;
    }
    let mut numbers = Vec::new();
    let mut number = first;
    while goes(unit, cond, (iterator, number), around.as_ref())? {
        numbers.push(number);
        number += by;
        if numbers.len() > MOST || !range.contains(&number) {
            return None;
        }
    }
    Some(Counted {
        iterator,
        around,
        numbers,
        last: number,
        is_own,
    })
}

/// The variable around which a loop counts, and what its first number is more; `None` where the body changes or hides that.
fn around(unit: &Unit, (iterator, first): (DeclId, &Expr), body: &Stmt) -> Option<(Expr, i128)> {
    let is_signed = |ty| numbers::range(unit, ty).is_some_and(|range| *range.start() < 0);
    let (around, by) = numbers::parted_sum(numbers::unwidened(unit, first));
    let around = tree::plain(around?);
    let ExprKind::Var(id) = around.kind else {
        return None;
    };
    let is_whole = is_signed(around.ty) && is_signed(unit[iterator].ty);
    let is_hidden =
        (walk::all_declared(body).into_iter()).any(|own| unit[own].name == unit[id].name);
    let stays = id != iterator && !is_hidden && !inline::changes(unit, body, id);
    (is_whole && stays).then(|| (around.clone(), by))
}

impl Counted {
    /// A number of the iterator.
    fn number(&self, iterator: &Expr, number: i128) -> Expr {
        let Some(around) = &self.around else {
            return tree::int(iterator, number);
        };
        let op = match number {
            0 => return around.clone(),
            n if n < 0 => BinaryOp::Sub,
            _ => BinaryOp::Add,
        };
        tree::binary(op, around.clone(), tree::int(around, number.abs()))
    }

    /// What gives the iterator its last number, where one of all statements reads that behind the loop, which is `stmt`.
    fn left(&self, unit: &Unit, all: &[Stmt], stmt: &Stmt) -> Option<Stmt> {
        let is_read = !self.is_own && is_read_elsewhere(unit, all, self.iterator);
        is_read.then(|| {
            let iterator = tree::var(unit, self.iterator, stmt.span);
            let last = self.number(&iterator, self.last);
            tree::assign(iterator, last)
        })
    }
}

/// What a loop counts with, what it begins with, and whether the loop declares it.
pub(super) fn start<'e>(unit: &'e Unit, init: &'e Stmt) -> Option<(DeclId, &'e Expr, bool)> {
    let (iterator, first) = tree::begins(unit, init)?;
    let is_own = match &init.kind {
        StmtKind::Decl(items) if items.len() > 1 => return None,
        kind => matches!(kind, StmtKind::Decl(_)),
    };
    Some((iterator, first, is_own))
}

/// What an expression adds to a variable.
pub(super) fn step_of(unit: &Unit, step: &Expr, iterator: DeclId) -> Option<i128> {
    use UnaryOp as U;
    let is_it = |e: &Expr| tree::is_var(e, iterator);
    match &step.kind {
        ExprKind::Unary(U::PostIncrement | U::PreIncrement, of) if is_it(of) => Some(1),
        ExprKind::Unary(U::PostDecrement | U::PreDecrement, of) if is_it(of) => Some(-1),
        ExprKind::Assign(Some(BinaryOp::Add), to, by) if is_it(to) => numbers::value(unit, by),
        ExprKind::Assign(Some(BinaryOp::Sub), to, by) if is_it(to) => {
            numbers::value(unit, by).map(|by| -by)
        }
        _ => None,
    }
}

/// Whether a loop goes on at a number, where its condition compares that with a constant, or both are around a variable.
fn goes(
    unit: &Unit,
    cond: &Expr,
    (iterator, number): (DeclId, i128),
    around: Option<&Expr>,
) -> Option<bool> {
    let ExprKind::Binary(op, a, b) = &tree::plain(cond).kind else {
        return None;
    };
    let of = |e: &Expr| match numbers::unwidened(unit, e).kind {
        ExprKind::Var(id) if id == iterator => Some(number),
        _ => match around {
            None => numbers::value(unit, e),
            Some(around) => numbers::distance(unit, around, numbers::unwidened(unit, e)),
        },
    };
    // Where an operand has no sign, negative numbers are great.
    if numbers::range(unit, a.ty)?.start() == &0 && number < 0 {
        return None;
    }
    let (a, b) = (of(a)?, of(b)?);
    match op {
        BinaryOp::Less => Some(a < b),
        BinaryOp::LessEqual => Some(a <= b),
        BinaryOp::Greater => Some(a > b),
        BinaryOp::GreaterEqual => Some(a >= b),
        BinaryOp::NotEqual => Some(a != b),
        _ => None,
    }
}

/// Whether a variable is used otherwise than in loops that give it its first number.
pub(super) fn is_read_elsewhere(unit: &Unit, all: &[Stmt], id: DeclId) -> bool {
    let count = |stmt: &Stmt| walk::n_uses(unit, stmt, id);
    let inside = |stmt: &Stmt| {
        let mut n = 0;
        in_loops(stmt, id, &mut |stmt| n += count(stmt));
        n
    };
    let function = (unit.functions.iter()).filter_map(|f| f.body.as_ref());
    let mut all = all.iter().chain(function);
    all.any(|stmt| count(stmt) != inside(stmt))
}

/// Calls `f` with the outermost loops that give a variable its first number.
fn in_loops(stmt: &Stmt, id: DeclId, f: &mut dyn FnMut(&Stmt)) {
    let assigns = |init: &Stmt| {
        matches!(&init.kind, StmtKind::Expr(expr)
        if matches!(&expr.kind, ExprKind::Assign(None, to, from)
            if tree::is_var(to, id) && !walk::mentions(from, id)))
    };
    match &stmt.kind {
        StmtKind::For {
            init: Some(init), ..
        } if assigns(init) => f(stmt),
        _ => {
            for inner in walk::inner(stmt) {
                in_loops(inner, id, f);
            }
        }
    }
}
