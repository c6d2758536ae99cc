//! What tiles record of time steps: one number each, into which a statement folds a value of every cell, such as the
//! largest change, `if (d > most[t]) most[t] = d;`.
//!
//! Such a statement is a stage of the pipeline that no other reads. Tiles compute it at their results alone, where each cell is
//! one tile's in every level, and fold what they have into memory; the order does not matter
//! ([`crate::canonical::Canonical::recorded`]).

use super::{Field, Piece, Refusal, Stage};
use crate::ctype::CType;
use crate::ir::{Fold, NotANumber};
use crate::kernel::lower::Prepared;
use crate::kernel::{KernelAccess, KernelStmt, Read, Sub};
use crate::scop::Expr;
use crate::tiling::reduction::{ButFor, Reduction};
use hexcc_isl::Set;

/// A number of each time step.
#[derive(Clone, Debug)]
pub struct Record {
    /// The statement.
    pub piece: Piece,
    /// The same as one instruction folds, where one does.
    pub stmt: KernelStmt,
    /// Index in [`Interface::arrays`](crate::interface::Interface::arrays).
    pub array: usize,
    /// What is added to the time step gives the element.
    pub offset: i64,
    /// What folds.
    pub fold: Fold,
    /// The type of what tiles have of the numbers: theirs, but for sums of `float` `double`.
    pub ty: CType,
    /// The values for which a number may not be what C has: a NaN among the terms makes it NaN, and the program looks whether it
    /// is zero.
    pub unsure: Option<ButFor>,
}

impl Record {
    /// Whether a NaN among the terms makes it NaN.
    pub fn becomes_nan(&self) -> bool {
        self.unsure.is_some_and(|values| values.nan)
    }

    /// Whether its terms are folded in one order, which is the same in every run: others round otherwise.
    pub fn rounds(&self) -> bool {
        self.fold.rounds(self.ty)
    }
}

const NO_PLACE: &str = "what its time steps record has no place that the step alone tells";

impl Prepared<'_> {
    /// The records of the statements that are such, not yet with what they read; where statements execute is in `domains`.
    pub(super) fn records(
        &self,
        domains: &[Set],
    ) -> crate::diag::Result<std::result::Result<Vec<Record>, Refusal>> {
        let mut records = Vec::new();
        for (&s, reduction) in &self.c.recorded {
            let write = &self.stmts[s].write;
            let &[
                Sub::Time {
                    offset,
                    modulo: None,
                },
            ] = write.subs.as_slice()
            else {
                return Ok(Err(NO_PLACE.to_string()));
            };
            records.push(Record {
                piece: Piece {
                    stmt: s,
                    domain: self.domain_of(&domains[s])?,
                    reads: Vec::new(),
                },
                stmt: as_function(&self.stmts[s], reduction),
                array: write.array,
                offset,
                fold: reduction.fold,
                ty: reduction.ty,
                unsure: reduction.but_for.filter(|_| reduction.ordered),
            });
        }
        Ok(Ok(records))
    }

    /// Whether a statement records.
    pub(super) fn is_recorded(&self, stmt: usize) -> bool {
        self.c.recorded.contains_key(&stmt)
    }

    /// Whether an access is of a number that a time step records.
    pub(super) fn is_of_record(&self, access: &KernelAccess) -> bool {
        let mut recorded = self.c.recorded.keys();
        recorded.any(|&s| self.stmts[s].write.array == access.array)
    }

    /// The stage of a record, which is number `stage` of the pipeline.
    pub(super) fn stage_of_record(
        &self,
        fields: &[Field],
        (record, stage): (&Record, usize),
    ) -> std::result::Result<Stage, Refusal> {
        Ok(Stage {
            pulls: self.pulls(fields, stage, std::slice::from_ref(&record.piece))?,
            buffers: 1,
            kept: 0,
            is_record: true,
        })
    }
}

/// A statement that adds to a `double`, where its numbers are `float`.
fn widened(stmt: &KernelStmt, reduction: &Reduction) -> KernelStmt {
    let is_own = |read: usize| matches!(&stmt.reads[read], Read::Element(access) if access.array == stmt.write.array);
    let own = |e: &Expr| match e {
        Expr::Read(read, _) if is_own(*read) => Some(Expr::Read(*read, reduction.ty)),
        _ => None,
    };
    KernelStmt {
        value: sum_of(&stmt.value).map(&own),
        ..stmt.clone()
    }
}

/// A sum before it is converted to the type of what it is added to.
fn sum_of(value: &Expr) -> Expr {
    match value {
        Expr::Cast { arg, .. } => (**arg).clone(),
        Expr::Cond { cond, yes, no } => Expr::Cond {
            cond: cond.clone(),
            yes: Box::new(sum_of(yes)),
            no: Box::new(sum_of(no)),
        },
        value => value.clone(),
    }
}

/// A statement that calls `fmaxf`, say, where it compares. No part of a record is ever NaN, so that both ignore one; which of two
/// zeros it is does not matter, or the program looks whether it is one.
fn as_function(stmt: &KernelStmt, reduction: &Reduction) -> KernelStmt {
    if reduction.rounds() {
        return widened(stmt, reduction);
    }
    let own = stmt
        .reads
        .iter()
        .position(|read| matches!(read, Read::Element(access) if access.array == stmt.write.array));
    let name = match reduction.fold.takes_larger() {
        true => "fmaxf",
        false => "fminf",
    };
    // Of `double` a comparison and a choice are fewer instructions.
    let is_choice = matches!(reduction.fold, Fold::Select { .. })
        && reduction.ty == CType::Float
        && reduction.fold.not_a_number(reduction.ty) == NotANumber::Ignored
        && reduction.term.ty() == reduction.ty;
    let is_plain = reduction.conditions == 0 && !reduction.negated && stmt.affine.is_empty();
    let mut stmt = stmt.clone();
    if let Some(own) = own.filter(|_| is_choice && is_plain) {
        stmt.value = Expr::Call {
            name: name.to_string(),
            args: vec![Expr::Read(own, reduction.ty), reduction.term.clone()],
        };
    }
    stmt
}
