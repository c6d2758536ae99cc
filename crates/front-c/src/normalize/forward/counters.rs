//! Counters of loops.
//!
//! In: `k = 0; for (..) for (..) out[k++] = u[i][j];`. Out: `out[k + (i - 0) * (m - 0) + (j - 0)] = u[i][j];`, where `k` is
//! what it is before the loops.
//!
//! What a counter has at a statement is a sum: for each loop around it, the iterations before this one times what one
//! adds, and what is added before the statement in the iteration. That is so for loops that count by 1 between bounds
//! that do not change: where a loop has no iteration, nothing in it is accessed. What counts beside a loop needs one
//! whose bounds are numbers, since others may have none, or be the wrong way round.

use super::uses::{self, Context};
use super::{Part, Place, Scene, reads};
use crate::normalize::{inline, numbers, tree, walk};
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, UnaryOp, Unit};

/// What one step may add, at most.
const MOST: i128 = 99_999;

/// A sum; without terms it is zero.
type Sum = Vec<Expr>;

/// Writes out the first counter of which something is left to be done.
pub(super) fn counters(scene: &mut Scene, part: &mut Part) -> bool {
    if !part.is_plain || has_jumps(&part.root) {
        return false;
    }
    let mut seen: Vec<DeclId> = Vec::new();
    walk::all(&scene.unit, &part.root, &mut |expr| {
        if let Some((id, _)) = step(expr)
            && !seen.contains(&id)
        {
            seen.push(id);
        }
        true
    });
    let may_count = |id: &DeclId| {
        let unit = &scene.unit;
        scene.is_own(part.function, *id)
            && uses::integer(unit, unit[*id].ty).is_some_and(|size| size >= 4)
            && !scene.is_pointed_to(*id)
    };
    seen.retain(may_count);
    seen.into_iter().any(|id| written(scene, part, id))
}

fn has_jumps(root: &Stmt) -> bool {
    let mut found = false;
    walk::stmts(root, &mut |stmt| {
        use StmtKind as K;
        found |= matches!(
            stmt.kind,
            K::Break | K::Continue | K::Return(_) | K::While { .. } | K::Do { .. }
        );
    });
    found
}

/// The variable that an expression counts, and what it adds: `k++`, `++k`, `k += 2`.
fn step(expr: &Expr) -> Option<(DeclId, i128)> {
    let (of, by) = match &expr.kind {
        ExprKind::Unary(UnaryOp::PostIncrement | UnaryOp::PreIncrement, of) => (of, 1),
        ExprKind::Assign(Some(BinaryOp::Add), to, by) => match tree::plain(by).kind {
            ExprKind::Int(by) if (0..=MOST).contains(&by) => (to, by),
            _ => return None,
        },
        _ => return None,
    };
    match tree::plain(of).kind {
        ExprKind::Var(id) => Some((id, by)),
        _ => None,
    }
}

/// Writes out a counter in all loops that count with it, or not at all.
fn written(scene: &mut Scene, part: &mut Part, id: DeclId) -> bool {
    let mut own: Vec<(Vec<usize>, Stmt)> = Vec::new();
    found(scene, part, (&part.root, &mut Vec::new()), id, &mut own);
    let own_reads: usize = (own.iter())
        .map(|(_, stmt)| reads(&scene.unit, stmt, id))
        .sum();
    if own.is_empty() || !scene.is_dead(part, id, own_reads) {
        return false;
    }
    let (decls, root) = (scene.unit.decls.clone(), part.root.clone());
    for (way, mut stmt) in own {
        let mut walk = Walk {
            scene,
            id,
            all: stmt.clone(),
        };
        if walk.statement(&mut stmt, &[], &Vec::new()).is_none() {
            scene.unit.decls = decls;
            part.root = root;
            return false;
        }
        let mut at = &mut part.root;
        for index in way {
            let Some(inner) = walk::inner_mut(at).into_iter().nth(index) else {
                return false;
            };
            at = inner;
        }
        *at = stmt;
    }
    true
}

/// The outermost loops of a statement that count with a variable and begin anew, with the way to each.
fn found(
    scene: &Scene,
    part: &Part,
    (stmt, way): (&Stmt, &mut Vec<usize>),
    id: DeclId,
    own: &mut Vec<(Vec<usize>, Stmt)>,
) {
    if matches!(stmt.kind, StmtKind::For { .. }) && changes(&scene.unit, stmt, id) {
        let walk = Walk {
            scene,
            id,
            all: stmt.clone(),
        };
        let adds = walk.adds(stmt).is_some_and(|adds| !adds.is_empty());
        if adds && starts_anew(scene, part, (id, way), own) {
            own.push((way.clone(), stmt.clone()));
            return;
        }
    }
    for (at, inner) in walk::inner(stmt).into_iter().enumerate() {
        way.push(at);
        found(scene, part, (inner, way), id, own);
        way.pop();
    }
}

/// Whether a statement changes a variable, or has it begin.
fn changes(unit: &Unit, stmt: &Stmt, id: DeclId) -> bool {
    walk::all_declared(stmt).contains(&id) || inline::changes(unit, stmt, id)
}

/// Whether what a counter has before loops is what C has there: it is assigned in their block behind other loops that
/// count with it, or the loops are all of the region.
fn starts_anew(
    scene: &Scene,
    part: &Part,
    (id, way): (DeclId, &[usize]),
    others: &[(Vec<usize>, Stmt)],
) -> bool {
    let unit = &scene.unit;
    if part.region.is_some() && way == [0] {
        return true;
    }
    let Some((at, block)) = way.split_last() else {
        return false;
    };
    if part.region.is_some() && block.is_empty() {
        return false;
    }
    let place = Place {
        block: block.to_vec(),
        at: *at,
    };
    let Some(before) = part.block(&place).get(..*at) else {
        return false;
    };
    let value = |stmt: &Stmt| match tree::assignment(stmt) {
        Some((to, value)) => (to == id).then(|| value.clone()),
        None => (walk::declared(stmt).contains(&id))
            .then(|| unit[id].init.clone())
            .flatten(),
    };
    let Some(last) = before.iter().rposition(|stmt| value(stmt).is_some()) else {
        return false;
    };
    let has_other = others.iter().any(|(other, _)| {
        let is_beside = other.len() > block.len() && other[..block.len()] == *block;
        is_beside && (last..*at).contains(&other[block.len()])
    });
    let reads_itself = value(&before[last]).is_some_and(|value| walk::mentions(&value, id));
    let mut between = before[last + 1..].iter();
    !reads_itself && !has_other && !between.any(|stmt| changes(unit, stmt, id))
}

/// Follows a counter through loops.
struct Walk<'a> {
    scene: &'a Scene,
    id: DeclId,
    /// The loops as a whole.
    all: Stmt,
}

/// A loop around a place: its iterations before the one at hand, and what each of them adds.
#[derive(Clone)]
struct Around {
    before: Expr,
    adds: Sum,
}

/// A loop that counts by 1.
struct Head {
    first: Expr,
    /// What the condition compares with.
    end: Expr,
    /// The last iteration is `end`.
    is_last: bool,
    iterator: Expr,
}

impl Walk<'_> {
    /// What a statement adds to the counter; `None` where that is no expression of the sizes.
    fn adds(&self, stmt: &Stmt) -> Option<Sum> {
        if !self.changes(stmt) {
            return Some(Sum::new());
        }
        match &stmt.kind {
            StmtKind::For { body, .. } => {
                let head = self.head(stmt)?;
                Some(times(&head.count(), &self.adds(body)?))
            }
            StmtKind::Compound(all) => {
                let counts = |stmt: &&Stmt| self.has_name(stmt);
                let is_alone = all.iter().filter(counts).count() == 1;
                if !is_alone && all.iter().any(|stmt| self.may_run_backwards(stmt)) {
                    return None;
                }
                let all: Option<Vec<Sum>> = all.iter().map(|stmt| self.adds(stmt)).collect();
                Some(all?.concat())
            }
            StmtKind::Expr(_) | StmtKind::Decl(_) => Some(vec![self.once(stmt)?]),
            _ => None,
        }
    }

    fn changes(&self, stmt: &Stmt) -> bool {
        changes(&self.scene.unit, stmt, self.id)
    }

    fn has_name(&self, stmt: &Stmt) -> bool {
        walk::uses(&self.scene.unit, stmt, self.id)
    }

    /// Whether a loop in a statement that counts may end before it begins.
    fn may_run_backwards(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        walk::stmts(stmt, &mut |stmt| {
            if matches!(stmt.kind, StmtKind::For { .. }) && self.has_name(stmt) {
                let head = self.head(stmt);
                found |= head.is_none_or(|head| !head.is_forwards(&self.scene.unit));
            }
        });
        found
    }

    /// What a simple statement adds that counts once: by itself, or as the subscript of what it assigns or reads, with
    /// no other use of the counter.
    fn once(&self, stmt: &Stmt) -> Option<Expr> {
        if let StmtKind::Expr(expr) = &stmt.kind
            && let Some((id, by)) = step(expr)
        {
            return (id == self.id).then(|| self.number(expr, by));
        }
        let (mut n_uses, mut n_steps, mut has_logic) = (0, 0, false);
        let mut added = None;
        let unit = &self.scene.unit;
        uses::visit(unit, &self.scene.takes, (stmt, false), &mut |expr, _| {
            n_uses += usize::from(matches!(expr.kind, ExprKind::Var(v) if v == self.id));
            has_logic |= matches!(
                expr.kind,
                ExprKind::Cond(..)
                    | ExprKind::Else(..)
                    | ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Comma, ..)
            );
            if let ExprKind::Index(_, at) = &expr.kind
                && let ExprKind::Unary(UnaryOp::PostIncrement, of) = &tree::plain(at).kind
                && tree::is_var(of, self.id)
            {
                n_steps += 1;
                added = Some(self.number(of, 1));
            }
            true
        });
        (n_uses == 1 && n_steps == 1 && !has_logic)
            .then_some(added)
            .flatten()
    }

    /// A number of the counter's type.
    fn number(&self, like: &Expr, number: i128) -> Expr {
        let of = tree::var(&self.scene.unit, self.id, like.span);
        tree::int(&of, number)
    }

    /// Replaces the counter in a statement; `offset` is what was added in the iterations at hand before it.
    fn statement(&mut self, stmt: &mut Stmt, around: &[Around], offset: &Sum) -> Option<()> {
        if !self.has_name(stmt) {
            return Some(());
        }
        match &mut stmt.kind {
            StmtKind::For { .. } => {
                let head = self.head(stmt)?;
                let StmtKind::For { body, .. } = &mut stmt.kind else {
                    return None;
                };
                let adds = self.adds(body)?;
                let before = head.before();
                let around = [around, &[Around { before, adds }]].concat();
                self.statement(body, &around, offset)
            }
            StmtKind::Compound(all) => {
                let mut offset = offset.clone();
                for stmt in all.iter_mut() {
                    let adds = self.adds(stmt)?;
                    self.statement(stmt, around, &offset)?;
                    offset.extend(adds);
                }
                Some(())
            }
            StmtKind::Expr(expr) if step(expr).is_some_and(|(id, _)| id == self.id) => {
                stmt.kind = StmtKind::Null;
                Some(())
            }
            // Values of declarations are no part of a statement.
            StmtKind::Expr(_) => self.uses(stmt, around, offset),
            _ => None,
        }
    }

    /// The same in a statement without loops.
    fn uses(&self, stmt: &mut Stmt, around: &[Around], offset: &Sum) -> Option<()> {
        let unit = &self.scene.unit;
        let own = tree::var(unit, self.id, stmt.span);
        let terms = around.iter().flat_map(|a| times(&a.before, &a.adds));
        let terms = offset.iter().cloned().chain(terms);
        let value = terms.fold(own, |sum, term| tree::binary(BinaryOp::Add, sum, term));
        let (mut n_uses, mut n_seen) = (0, 0);
        uses::visit(
            unit,
            &self.scene.takes,
            (&*stmt, false),
            &mut |expr, context: Context| {
                let is_it = matches!(expr.kind, ExprKind::Var(v) if v == self.id);
                n_uses += usize::from(is_it && context.in_subscript);
                n_seen += usize::from(is_it);
                true
            },
        );
        if n_uses != n_seen {
            return None;
        }
        let StmtKind::Expr(expr) = &mut stmt.kind else {
            return None;
        };
        walk::change(expr, &mut |expr| {
            let is_it = matches!(expr.kind, ExprKind::Var(v) if v == self.id)
                || step(expr).is_some_and(|(id, _)| id == self.id);
            if is_it {
                let span = expr.span;
                *expr = Expr {
                    span,
                    ..value.clone()
                };
            }
            !is_it
        });
        Some(())
    }

    /// The head of a loop, if its bounds do not change in all of the loops around it.
    fn head(&self, stmt: &Stmt) -> Option<Head> {
        let unit = &self.scene.unit;
        let (init, [cond, step], body) = tree::counted(stmt)?;
        let (iterator, first) = tree::begins(unit, init)?;
        let ExprKind::Binary(op @ (BinaryOp::Less | BinaryOp::LessEqual), it, end) = &cond.kind
        else {
            return None;
        };
        let is_counted = tree::is_var(it, iterator)
            && matches!(step.kind, ExprKind::Unary(..))
            && tree::adds_one(step, iterator)
            && !changes(unit, body, iterator)
            && !self.scene.is_pointed_to(iterator);
        (is_counted && self.is_fixed(first) && self.is_fixed(end)).then(|| Head {
            first: tree::plain(first).clone(),
            end: tree::plain(end).clone(),
            is_last: *op == BinaryOp::LessEqual,
            iterator: tree::plain(it).clone(),
        })
    }

    /// Whether a bound is made of numbers and variables that the loops do not change.
    fn is_fixed(&self, bound: &Expr) -> bool {
        let unit = &self.scene.unit;
        let bound = tree::plain(bound);
        uses::integer(unit, bound.ty).is_some()
            && match &bound.kind {
                ExprKind::Int(_) => true,
                ExprKind::Var(id) => {
                    !changes(unit, &self.all, *id) && !walk::all_declared(&self.all).contains(id)
                }
                ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
                    self.is_fixed(a) && self.is_fixed(b)
                }
                ExprKind::Unary(UnaryOp::Minus, of) => self.is_fixed(of),
                _ => false,
            }
    }
}

impl Head {
    /// How often the loop runs, where it runs.
    fn count(&self) -> Expr {
        let all = tree::binary(BinaryOp::Sub, self.end.clone(), self.first.clone());
        match self.is_last {
            true => {
                let one = tree::int(&all, 1);
                tree::binary(BinaryOp::Add, all, one)
            }
            false => all,
        }
    }

    /// Whether it certainly does not end before it begins.
    fn is_forwards(&self, unit: &Unit) -> bool {
        let of = |e: &Expr| numbers::value(unit, e);
        let both = of(&self.first).zip(of(&self.end));
        both.is_some_and(|(first, end)| first <= end)
    }

    /// The iterations before the one at hand.
    fn before(&self) -> Expr {
        tree::binary(BinaryOp::Sub, self.iterator.clone(), self.first.clone())
    }
}

/// A number of times a sum.
fn times(count: &Expr, sum: &Sum) -> Sum {
    let mut terms = sum.iter().cloned();
    let Some(first) = terms.next() else {
        return Sum::new();
    };
    let sum = terms.fold(first, |sum, term| tree::binary(BinaryOp::Add, sum, term));
    vec![match sum.kind {
        ExprKind::Int(1) => count.clone(),
        _ => tree::binary(BinaryOp::Mul, count.clone(), sum),
    }]
}
