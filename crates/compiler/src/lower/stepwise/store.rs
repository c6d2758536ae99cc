//! What a statement does with its value: it gives it to an element, or folds it into what the thread
//! has of a reduction. Where conditions decide whether it does, nothing happens where they do not
//! hold.

use crate::ctype::CType;
use crate::diag::Result;
use crate::ir::{Expr, Stmt, VarId};
use crate::lower::affine::Body;
use crate::scop::{self, Scop, Statement};
use crate::tiling::reduction::Reduction;
use std::collections::BTreeSet;

/// What becomes of a statement's value.
pub(super) enum Store<'a> {
    /// The element or variable has it.
    Assign {
        /// The element.
        target: Expr,
        /// Reads of it: what is assigned these is not touched.
        kept: BTreeSet<usize>,
    },
    /// It is folded into a part.
    Fold {
        /// The part.
        part: VarId,
        /// Reads of what is folded into: where the value is one, nothing is folded.
        kept: BTreeSet<usize>,
        /// How it folds.
        reduction: &'a Reduction,
    },
}

/// The reads of a statement that have the old value of what it writes, where a statement that keeps
/// this touches nothing.
///
/// # Errors
/// HX0401 where isl gives up.
pub(super) fn kept(scop: &Scop, stmt: &Statement) -> Result<BTreeSet<usize>> {
    match scop.guards.all {
        true => old(stmt),
        false => Ok(BTreeSet::new()),
    }
}

/// The reads of a statement that have the old value of what it writes.
///
/// # Errors
/// HX0401 where isl gives up.
pub(super) fn old(stmt: &Statement) -> Result<BTreeSet<usize>> {
    let mut kept = BTreeSet::new();
    for (i, read) in stmt.reads.iter().enumerate() {
        if read.array == stmt.write.array && read.map.is_equal(&stmt.write.map)? {
            kept.insert(i);
        }
    }
    Ok(kept)
}

impl Store<'_> {
    /// The statements that store a value.
    ///
    /// # Errors
    /// HX9001 where the expression does not fit the statement.
    pub fn of(&self, body: &mut Body, value: &scop::Expr) -> Result<Vec<Stmt>> {
        let Store::Fold { reduction, .. } = self else {
            return self.under(body, value, usize::MAX);
        };
        self.under(body, value, reduction.conditions)
    }

    /// The same of a value in which at most so many conditions decide whether anything is stored.
    fn under(&self, body: &mut Body, value: &scop::Expr, conditions: usize) -> Result<Vec<Stmt>> {
        match value {
            scop::Expr::Read(i, _) if self.keeps(*i) => Ok(Vec::new()),
            scop::Expr::Cond { cond, yes, no } if conditions > 0 && self.keeps_in(value) => {
                let cond = truth(body, cond)?;
                let yes = self.under(body, yes, conditions - 1)?;
                let no = self.under(body, no, conditions - 1)?;
                Ok(vec![match yes.is_empty() {
                    true => Stmt::If {
                        cond: not(cond),
                        yes: no,
                        no: yes,
                    },
                    false => Stmt::If { cond, yes, no },
                }])
            }
            value => Ok(vec![self.stored(body, value)?]),
        }
    }

    fn stored(&self, body: &mut Body, value: &scop::Expr) -> Result<Stmt> {
        Ok(match self {
            Store::Assign { target, .. } => Stmt::Assign {
                target: target.clone(),
                value: body.expr(value)?,
            },
            Store::Fold {
                part, reduction, ..
            } => Stmt::Fold {
                part: *part,
                term: body.term(reduction)?,
            },
        })
    }

    /// Whether a read has the old value.
    fn keeps(&self, read: usize) -> bool {
        let (Store::Assign { kept, .. } | Store::Fold { kept, .. }) = self;
        kept.contains(&read)
    }

    /// Whether some conditions of a value keep the old one.
    fn keeps_in(&self, value: &scop::Expr) -> bool {
        match value {
            scop::Expr::Read(i, _) => self.keeps(*i),
            scop::Expr::Cond { yes, no, .. } => self.keeps_in(yes) || self.keeps_in(no),
            _ => false,
        }
    }
}

/// A condition of C, as one of a statement: no number with a fraction is one.
fn truth(body: &mut Body, cond: &scop::Expr) -> Result<Expr> {
    let cond = body.expr(cond)?;
    let is_floating = (body.program.type_of(&cond)).is_some_and(CType::is_floating);
    Ok(match is_floating {
        true => Expr::binary("!=", cond, Expr::Int(0)),
        false => cond,
    })
}

/// What holds where a condition does not.
fn not(cond: Expr) -> Expr {
    match cond {
        Expr::Unary { op: "!", arg } => *arg,
        cond => Expr::Unary {
            op: "!",
            arg: Box::new(cond),
        },
    }
}
