//! Loops that count in other words, as loops with a head.
//!
//! In: `while (n-- > 0) STEP`, `for (; n > 0; n--) STEP`, `while (t++ < n) STEP`, `do STEP while (++t < n);`, `while (1) { if (t >= n)
//! break; STEP t++; }`, `for (t = 0; t != n; t++) STEP`. Out: a `for` that counts up, with what the variable has in the end behind it.
//! A number that wraps around before it is what a condition waits for is none of C's programs, where its type has a sign.

use super::promote::Around;
use super::tree::{self, Namer};
use super::{inline, numbers, scalars, trips, walk};
use hexcc_clang::ast::{BinaryOp, DeclId, Expr, ExprKind, Span, Stmt, StmtKind, UnaryOp, Unit};

/// Gives such a loop a head, given what stands before it in its block; what goes around it then, or `None` where it is no such
/// loop.
pub(super) fn counts(
    unit: &mut Unit,
    namer: &mut Namer,
    before: &[Stmt],
    stmt: &mut Stmt,
) -> Option<Around> {
    let mut loop_ = Loop::of(stmt)?;
    let takes_breaks = loop_.take_breaks(unit);
    let span = stmt.span;
    let mut make = Make { unit, namer, span };
    let changed = match loop_.is_do {
        false => make.counted(before, &loop_),
        true => make.counted_behind(before, &loop_),
    };
    let (kind, around) = match changed {
        Some(changed) => changed,
        None if takes_breaks => (loop_.kind(span), Around::default()),
        None => return None,
    };
    stmt.kind = kind;
    Some(around)
}

/// A loop of any kind.
#[derive(Clone)]
struct Loop {
    init: Option<Stmt>,
    /// None of one that ends by a `break` alone.
    cond: Option<Expr>,
    step: Option<Expr>,
    body: Vec<Stmt>,
    is_do: bool,
}

impl Loop {
    fn of(stmt: &Stmt) -> Option<Loop> {
        let (init, cond, step, body, is_do) = match &stmt.kind {
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => (init.as_deref(), cond.as_ref(), step.as_ref(), body, false),
            StmtKind::While { cond, body } => (None, Some(cond), None, body, false),
            StmtKind::Do { cond, body } => (None, Some(cond), None, body, true),
            _ => return None,
        };
        let is_always = |cond: &&Expr| matches!(tree::plain(cond).kind, ExprKind::Int(n) if n != 0);
        Some(Loop {
            init: init.cloned(),
            cond: cond.filter(|cond| !is_always(cond)).cloned(),
            step: step.cloned(),
            body: tree::block((**body).clone()),
            is_do,
        })
    }

    /// The statement again, where it has a condition.
    fn kind(self, span: Span) -> StmtKind {
        let body = Box::new(tree::stmt(span, StmtKind::Compound(self.body)));
        match (self.cond, self.is_do) {
            (Some(cond), true) => StmtKind::Do { cond, body },
            (Some(cond), false) if self.init.is_none() && self.step.is_none() => {
                StmtKind::While { cond, body }
            }
            (cond, _) => StmtKind::For {
                init: self.init.map(Box::new),
                cond,
                step: self.step,
                body,
            },
        }
    }

    /// Makes a condition of the `break` that such a loop begins or ends with, where it compares a whole number; whether there was one.
    fn take_breaks(&mut self, unit: &Unit) -> bool {
        if self.cond.is_some() {
            return false;
        }
        let may_be_last = self.init.is_none() && self.step.is_none();
        let of = |stmt: Option<&Stmt>| stmt.and_then(|stmt| breaks_where(unit, stmt));
        let (first, last) = (of(self.body.first()), of(self.body.last()));
        let (cond, is_do) = match (first, last) {
            (Some(cond), _) => (cond, false),
            (None, Some(cond)) if may_be_last => (cond, true),
            _ => return false,
        };
        let rest = match is_do {
            false => &self.body[1..],
            true => &self.body[..self.body.len() - 1],
        };
        if is_do && rest.iter().any(walk::leaves) {
            return false;
        }
        self.body = rest.to_vec();
        (self.cond, self.is_do) = (Some(cond), is_do);
        true
    }

    /// Whether its body sees a variable, or leaves it with another value than the last one.
    fn sees(&self, unit: &Unit, id: DeclId) -> bool {
        let breaks = |stmt: &Stmt| walk::jumps(stmt, |kind| matches!(kind, StmtKind::Break));
        (self.body.iter()).any(|stmt| walk::uses(unit, stmt, id) || breaks(stmt))
    }
}

/// The condition under which `if (x >= n) break;` goes on.
fn breaks_where(unit: &Unit, stmt: &Stmt) -> Option<Expr> {
    let (cond, then) = tree::conditional(stmt)?;
    let is_break = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Break);
    let is_it = match &then.kind {
        StmtKind::Compound(all) => all.len() == 1 && all.iter().all(is_break),
        _ => is_break(then),
    };
    let cond = tree::plain(cond);
    let ExprKind::Binary(op, a, b) = &cond.kind else {
        return None;
    };
    let is_whole = |e: &Expr| scalars::is_integer(unit, e.ty);
    let not = negated(*op).filter(|_| is_it && is_whole(a) && is_whole(b))?;
    let kind = ExprKind::Binary(not, a.clone(), b.clone());
    Some(Expr {
        kind,
        ..cond.clone()
    })
}

/// The comparison that holds where one does not.
fn negated(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        _ => return None,
    })
}

/// How a condition counts, as `n-- > 0` does.
struct Counting {
    id: DeclId,
    op: UnaryOp,
    /// The comparison, and what the variable is compared with; with zero where there is none.
    compare: BinaryOp,
    with: Option<Expr>,
}

impl Counting {
    fn of(cond: &Expr) -> Option<Counting> {
        let cond = tree::plain(cond);
        let (counts, compare, with) = match &cond.kind {
            ExprKind::Binary(op, a, b) if negated(*op).is_some() => {
                (tree::plain(a), *op, Some(&**b))
            }
            _ => (cond, BinaryOp::NotEqual, None),
        };
        let ExprKind::Unary(op, of) = &counts.kind else {
            return None;
        };
        let id = tree::variable_of(of).filter(|_| op.counts())?;
        let with = with.filter(|with| !tree::is_number(with, 0)).cloned();
        let is_alone = with.as_ref().is_none_or(|with| !walk::mentions(with, id));
        is_alone.then_some(Counting {
            id,
            op: *op,
            compare,
            with,
        })
    }

    /// Whether it waits for zero from above.
    fn ends_at_zero(&self) -> bool {
        let above = matches!(self.compare, BinaryOp::Greater | BinaryOp::NotEqual);
        self.with.is_none() && above
    }
}

struct Make<'a> {
    unit: &'a mut Unit,
    namer: &'a mut Namer,
    span: Span,
}

type Changed = (StmtKind, Around);

impl Make<'_> {
    /// A loop whose condition comes first.
    fn counted(&mut self, before: &[Stmt], loop_: &Loop) -> Option<Changed> {
        let cond = loop_.cond.as_ref()?;
        if let Some(counting) = Counting::of(cond).filter(|c| self.is_own(c.id)) {
            let is_free = loop_.init.is_none() && loop_.step.is_none();
            return is_free.then(|| self.by_condition(before, loop_, &counting))?;
        }
        self.down(loop_).or_else(|| self.until_equal(loop_))
    }

    /// `while (n-- > 0) STEP`, `while (--n) STEP`, `while (t++ < n) STEP`, `while (++t < n) STEP`.
    fn by_condition(
        &mut self,
        before: &[Stmt],
        loop_: &Loop,
        counting: &Counting,
    ) -> Option<Changed> {
        let &Counting {
            id, op, compare, ..
        } = counting;
        let is_seen = loop_.sees(self.unit, id);
        let var = self.var(id);
        match (op, &counting.with) {
            (UnaryOp::PostDecrement | UnaryOp::PreDecrement, None)
                if counting.ends_at_zero() && !is_seen =>
            {
                let less = self.less_by_one(id);
                let (is_any, ends) = self.at_zero(id);
                let mut around = Around::default();
                let zero = tree::when(is_any, vec![ends]);
                match op {
                    UnaryOp::PostDecrement => around.after = vec![zero, less],
                    _ => (around.before, around.after) = (vec![less], vec![zero]),
                }
                Some((self.up_to(id, var, &loop_.body), around))
            }
            (UnaryOp::PostIncrement | UnaryOp::PreIncrement, Some(with)) => {
                let start = trips::start(self.unit, before, id)?;
                let ExprKind::Int(first) = start.kind else {
                    return None;
                };
                let compare = self.compare_of(compare, id)?;
                let is_post = op == UnaryOp::PostIncrement;
                let mut around = Around::default();
                if is_post {
                    let more = tree::incremented(self.unit, id, self.span);
                    around.after.push(tree::expr_stmt(&more));
                }
                let first = tree::int(&start, if is_post { first } else { first + 1 });
                let cond = tree::binary(compare, var.clone(), with.clone());
                let head = (tree::assign(var, first), cond);
                (!(is_post && is_seen)).then(|| (self.for_(id, head, &loop_.body), around))
            }
            _ => None,
        }
    }

    /// `for (; n > 0; n--) STEP`
    fn down(&mut self, loop_: &Loop) -> Option<Changed> {
        let (cond, step) = (tree::plain(loop_.cond.as_ref()?), loop_.step.as_ref()?);
        let of = match &step.kind {
            ExprKind::Unary(UnaryOp::PostDecrement | UnaryOp::PreDecrement, of) => of,
            ExprKind::Assign(Some(BinaryOp::Sub), of, by) if tree::is_number(by, 1) => of,
            _ => return None,
        };
        let id = tree::variable_of(of).filter(|id| self.is_own(*id))?;
        let is_last = match &cond.kind {
            ExprKind::Var(v) => *v == id,
            ExprKind::Binary(op, a, b) => {
                let first = match op {
                    BinaryOp::Greater | BinaryOp::NotEqual => Some(0),
                    BinaryOp::GreaterEqual => Some(1),
                    _ => None,
                };
                tree::is_var(a, id) && first.is_some_and(|first| tree::is_number(b, first))
            }
            _ => false,
        };
        if !is_last || loop_.sees(self.unit, id) {
            return None;
        }
        let (mut around, mut is_inner) = (Around::default(), false);
        if let Some(init) = &loop_.init {
            if tree::begins(self.unit, init)?.0 != id {
                return None;
            }
            is_inner = !walk::declared(init).is_empty();
            around.before.push(init.clone());
        }
        if is_inner {
            self.namer.name_alone(self.unit, id);
        } else {
            let (is_any, ends) = self.at_zero(id);
            around.after.push(tree::when(is_any, vec![ends]));
        }
        let var = self.var(id);
        Some((self.up_to(id, var, &loop_.body), around))
    }

    /// `for (t = 0; t != n; t++) STEP`
    fn until_equal(&mut self, loop_: &Loop) -> Option<Changed> {
        let ExprKind::Binary(BinaryOp::NotEqual, a, with) = &tree::plain(loop_.cond.as_ref()?).kind
        else {
            return None;
        };
        let (id, first) = tree::begins(self.unit, loop_.init.as_ref()?)?;
        let is_it = tree::is_var(a, id)
            && tree::is_number(first, 0)
            && tree::adds_one(loop_.step.as_ref()?, id)
            && self.is_own(id)
            && !loop_.body.iter().any(|s| inline::changes(self.unit, s, id));
        let cond = tree::binary(BinaryOp::Less, (**a).clone(), (**with).clone());
        let changed = Loop {
            cond: Some(cond),
            ..loop_.clone()
        };
        is_it.then(|| (changed.kind(self.span), Around::default()))
    }

    /// `do STEP while (++t < n);`, `do { STEP t++; } while (t < n);`, `do STEP while (--n);`
    fn counted_behind(&mut self, before: &[Stmt], loop_: &Loop) -> Option<Changed> {
        if loop_.body.iter().any(walk::leaves) {
            return None;
        }
        let cond = tree::plain(loop_.cond.as_ref()?);
        if let Some(counting) = Counting::of(cond).filter(|c| self.is_own(c.id)) {
            let &Counting {
                id, op, compare, ..
            } = &counting;
            return match (op, &counting.with) {
                (UnaryOp::PreIncrement, Some(with)) => {
                    self.at_least_once(before, (id, compare, with), &loop_.body)
                }
                (UnaryOp::PreDecrement, None) if counting.ends_at_zero() => {
                    self.down_to_zero(id, &loop_.body)
                }
                _ => None,
            };
        }
        let ExprKind::Binary(compare, a, with) = &cond.kind else {
            return None;
        };
        let id = tree::variable_of(a).filter(|id| self.is_own(*id))?;
        let (last, body) = loop_.body.split_last()?;
        let is_step = matches!(&last.kind, StmtKind::Expr(e) if tree::adds_one(e, id));
        is_step.then(|| self.at_least_once(before, (id, *compare, with), body))?
    }

    /// `do STEP while (++t < n);`
    fn at_least_once(
        &mut self,
        before: &[Stmt],
        (id, compare, with): (DeclId, BinaryOp, &Expr),
        body: &[Stmt],
    ) -> Option<Changed> {
        let start = trips::start(self.unit, before, id)?;
        let ExprKind::Int(first) = start.kind else {
            return None;
        };
        let compare = self.compare_of(compare, id)?;
        let least = match compare {
            BinaryOp::LessEqual => first,
            _ => first + 1,
        };
        let stays = match tree::plain(with).kind {
            ExprKind::Int(_) => true,
            ExprKind::Var(n) => {
                self.is_own(n) && !body.iter().any(|s| inline::changes(self.unit, s, n))
            }
            _ => false,
        };
        let changes = |s: &Stmt| inline::changes(self.unit, s, id);
        if !stays || body.iter().any(changes) {
            return None;
        }
        let mut around = Around::default();
        let bound = match numbers::value(self.unit, with) {
            Some(n) => tree::int(with, n.max(least)),
            None => {
                let ty = tree::unqualified(self.unit, with.ty);
                let name = self.namer.fresh("last");
                let most = self.larger(with, least);
                let last = tree::variable(self.unit, name, ty, Some(most), self.span);
                around.before.push(tree::declaration(self.unit, last));
                self.var(last)
            }
        };
        let var = self.var(id);
        let cond = tree::binary(compare, var.clone(), bound);
        Some((
            self.for_(id, (tree::assign(var, start), cond), body),
            around,
        ))
    }

    /// `do STEP while (--n);`, for a number that is not below one.
    fn down_to_zero(&mut self, id: DeclId, body: &[Stmt]) -> Option<Changed> {
        if !self.has_sign(id) || body.iter().any(|s| walk::uses(self.unit, s, id)) {
            return None;
        }
        let ty = tree::unqualified(self.unit, self.unit[id].ty);
        let name = self.namer.fresh("count");
        let most = self.larger(&self.var(id), 1);
        let count = tree::variable(self.unit, name, ty, Some(most), self.span);
        let less = ExprKind::Assign(
            Some(BinaryOp::Sub),
            Box::new(self.var(id)),
            Box::new(self.var(count)),
        );
        let less = Expr {
            kind: less,
            ..self.var(id)
        };
        let around = Around {
            before: vec![tree::declaration(self.unit, count)],
            after: vec![tree::expr_stmt(&less)],
            when: None,
        };
        let count = self.var(count);
        Some((self.up_to(id, count, body), around))
    }

    /// A loop that runs as often as a number says, counted in the type of a variable.
    fn up_to(&mut self, id: DeclId, number: Expr, body: &[Stmt]) -> StmtKind {
        let ty = tree::unqualified(self.unit, self.unit[id].ty);
        let name = self.namer.fresh("step");
        let zero = tree::int(&self.var(id), 0);
        let counter = tree::variable(self.unit, name, ty, Some(zero), self.span);
        let cond = tree::binary(BinaryOp::Less, self.var(counter), number);
        let init = tree::declaration(self.unit, counter);
        self.for_(counter, (init, cond), body)
    }

    fn for_(&self, id: DeclId, (init, cond): (Stmt, Expr), body: &[Stmt]) -> StmtKind {
        let body = tree::stmt(self.span, StmtKind::Compound(body.to_vec()));
        StmtKind::For {
            init: Some(Box::new(init)),
            cond: Some(cond),
            step: Some(tree::incremented(self.unit, id, self.span)),
            body: Box::new(body),
        }
    }

    fn is_own(&self, id: DeclId) -> bool {
        trips::is_own(self.unit, id)
    }

    /// Whether a variable has negative values: it never wraps around.
    fn has_sign(&self, id: DeclId) -> bool {
        numbers::range(self.unit, self.unit[id].ty).is_some_and(|range| *range.start() < 0)
    }

    /// How a number that counts up is compared with its last one.
    fn compare_of(&self, op: BinaryOp, id: DeclId) -> Option<BinaryOp> {
        match op {
            BinaryOp::Less => Some(op),
            BinaryOp::NotEqual if self.has_sign(id) => Some(BinaryOp::Less),
            BinaryOp::LessEqual => Some(op),
            _ => None,
        }
    }

    fn var(&self, id: DeclId) -> Expr {
        tree::var(self.unit, id, self.span)
    }

    /// `n > 0`, and `n = 0;`
    fn at_zero(&self, id: DeclId) -> (Expr, Stmt) {
        let (var, zero) = (self.var(id), tree::int(&self.var(id), 0));
        let is_any = tree::binary(BinaryOp::Greater, var.clone(), zero.clone());
        (is_any, tree::assign(var, zero))
    }

    /// `n--;`
    fn less_by_one(&self, id: DeclId) -> Stmt {
        let var = self.var(id);
        let kind = ExprKind::Unary(UnaryOp::PostDecrement, Box::new(var.clone()));
        tree::expr_stmt(&Expr { kind, ..var })
    }

    /// `n > number ? n : number`
    fn larger(&self, n: &Expr, number: i128) -> Expr {
        let number = tree::int(n, number);
        let is_larger = tree::binary(BinaryOp::Greater, n.clone(), number.clone());
        let kind = ExprKind::Cond(Box::new(is_larger), Box::new(n.clone()), Box::new(number));
        Expr { kind, ..n.clone() }
    }
}
