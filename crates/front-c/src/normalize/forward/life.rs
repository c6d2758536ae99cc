//! Whether a variable is read behind a region, before it gets another value.

use crate::normalize::{tree, walk};
use hexcc_clang::ast::{DeclId, Expr, FunctionId, Stmt, StmtKind, Unit};
use std::ops::Range;

/// What a statement does with the value that a variable has before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It may read it.
    Read,
    /// It writes another one, whatever happens, before it reads any.
    Gone,
    /// It does neither; the value may still be there.
    Kept,
}

/// Whether nothing in a function reads the value that a region, by its bytes, leaves in a variable of the function.
pub(super) fn ends(unit: &Unit, function: FunctionId, region: &Range<usize>, id: DeclId) -> bool {
    let Some(body) = &unit[function].body else {
        return false;
    };
    let life = Life { unit, region, id };
    !has_jumps(body) && life.behind(body) != Fate::Read
}

/// Whether a function may go on at other places than its statements say.
pub(super) fn has_jumps(body: &Stmt) -> bool {
    let mut found = false;
    walk::stmts(body, &mut |stmt| {
        use StmtKind as K;
        found |= matches!(
            stmt.kind,
            K::Goto(_) | K::IndirectGoto(_) | K::Label { .. } | K::Other(_)
        );
    });
    found
}

struct Life<'a> {
    unit: &'a Unit,
    region: &'a Range<usize>,
    id: DeclId,
}

impl Life<'_> {
    fn is_in_region(&self, stmt: &Stmt) -> bool {
        let (start, end) = (stmt.span.start as usize, stmt.span.end as usize);
        self.region.start <= start && end <= self.region.end
    }

    fn has_region(&self, stmt: &Stmt) -> bool {
        let (start, end) = (stmt.span.start as usize, stmt.span.end as usize);
        start <= self.region.start && self.region.end <= end
            || walk::inner(stmt)
                .into_iter()
                .any(|s| self.is_in_region(s) || self.has_region(s))
    }

    fn mentions(&self, expr: &Expr) -> bool {
        walk::mentions(expr, self.id)
    }

    /// What happens to the value from the end of the region to the end of a statement that has it.
    fn behind(&self, stmt: &Stmt) -> Fate {
        if self.is_in_region(stmt) {
            return Fate::Kept;
        }
        match &stmt.kind {
            StmtKind::Compound(all) => {
                let has = |s: &Stmt| self.is_in_region(s) || self.has_region(s);
                let Some(at) = all.iter().rposition(has) else {
                    return Fate::Read;
                };
                match self.behind(&all[at]) {
                    Fate::Kept => self.through(&all[at + 1..]),
                    // Where the statement can be left early, the value may still be there behind it.
                    Fate::Gone if leaves(&all[at]) => match self.through(&all[at + 1..]) {
                        Fate::Read => Fate::Read,
                        _ => Fate::Kept,
                    },
                    fate => fate,
                }
            }
            StmtKind::For {
                cond, step, body, ..
            } => self.again(self.behind(body), cond.iter().chain(step), body),
            StmtKind::While { cond, body } | StmtKind::Do { body, cond } => {
                self.again(self.behind(body), std::iter::once(cond), body)
            }
            StmtKind::If { .. } => {
                let has = |s: &&Stmt| self.is_in_region(s) || self.has_region(s);
                let inner = walk::inner(stmt).into_iter().find(has);
                inner.map_or(Fate::Read, |inner| self.behind(inner))
            }
            _ => Fate::Read,
        }
    }

    /// What the next iterations of a loop do with the value, after its fate in the first.
    fn again<'e>(
        &self,
        first: Fate,
        mut head: impl Iterator<Item = &'e Expr>,
        body: &Stmt,
    ) -> Fate {
        if first == Fate::Read || first == Fate::Gone && !leaves(body) {
            return first;
        }
        if head.any(|e| self.mentions(e)) || self.before(body) == Fate::Read {
            return Fate::Read;
        }
        // After the last iteration, it may be there.
        Fate::Kept
    }

    /// The fate in the body of a loop, up to the region.
    fn before(&self, body: &Stmt) -> Fate {
        match &body.kind {
            StmtKind::Compound(all) => self.through(all),
            _ => self.of(body),
        }
    }

    /// The fate in a list of statements, from its begin.
    fn through(&self, all: &[Stmt]) -> Fate {
        let mut left = false;
        for stmt in all {
            match self.of(stmt) {
                Fate::Read => return Fate::Read,
                Fate::Gone if !left => return Fate::Gone,
                // What follows is safe; where a jump leads, the value may be there.
                Fate::Gone => return Fate::Kept,
                Fate::Kept => {}
            }
            left |= leaves(stmt);
        }
        Fate::Kept
    }

    /// The fate in a statement; the region reads no value of the variable but its own.
    fn of(&self, stmt: &Stmt) -> Fate {
        if self.is_in_region(stmt) || !walk::uses(self.unit, stmt, self.id) {
            return Fate::Kept;
        }
        let unless = |is_read: bool| match is_read {
            true => Fate::Read,
            false => Fate::Kept,
        };
        match &stmt.kind {
            StmtKind::Compound(all) => self.through(all),
            StmtKind::Expr(_) => match tree::assignment(stmt) {
                Some((to, value)) if to == self.id && !self.mentions(value) => Fate::Gone,
                _ => Fate::Read,
            },
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let otherwise = otherwise.as_ref().map_or(Fate::Kept, |s| self.of(s));
                let both = [self.of(then), otherwise];
                match both {
                    _ if self.mentions(cond) || both.contains(&Fate::Read) => Fate::Read,
                    [Fate::Gone, Fate::Gone] => Fate::Gone,
                    _ => Fate::Kept,
                }
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                let first = init.as_ref().map_or(Fate::Kept, |s| self.of(s));
                let mut head = cond.iter().chain(step);
                match first {
                    Fate::Kept => {
                        unless(head.any(|e| self.mentions(e)) || self.of(body) == Fate::Read)
                    }
                    first => first,
                }
            }
            StmtKind::While { cond, body } => {
                unless(self.mentions(cond) || self.of(body) == Fate::Read)
            }
            _ => Fate::Read,
        }
    }
}

/// Whether a statement may leave a list of statements, or go on at another place of a loop.
fn leaves(stmt: &Stmt) -> bool {
    let mut found = false;
    walk::stmts(stmt, &mut |stmt| {
        use StmtKind as K;
        found |= matches!(
            stmt.kind,
            K::Break | K::Continue | K::Return(_) | K::Switch { .. }
        );
    });
    found
}
