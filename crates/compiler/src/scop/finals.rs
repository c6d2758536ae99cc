//! The values that loops leave in iterators declared outside of them.
//!
//! `int i; for (i = 0; i < n; i++) ..` leaves n in `i`, or 0 if n is negative. pet describes such
//! loops with statements that write the iterator; the last of them to run has the value.

use crate::diag::{Diagnostic, Result};
use hexcc_isl::{AstBuild, AstExpr, DimType, Map, MultiPwAff, PwAff, Set};
use hexcc_pet::data::{PetBody, PetExpr, PetStmt};
use std::collections::{BTreeMap, BTreeSet};

/// What a part of the region leaves in a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct FinalValue {
    /// The variable.
    pub name: String,
    /// The value, a function of the parameters.
    pub value: AstExpr,
    /// The parameters for which the variable is written at all.
    pub written: AstExpr,
    /// Names of the parameters that both use.
    pub params: Vec<String>,
}

/// The integer variable that a statement of a loop header writes and its value, if that is an
/// affine function of iterators and parameters.
pub(super) fn update(stmt: &PetStmt) -> Option<(&str, &PetExpr)> {
    let PetBody::Expr(PetExpr::Op { op, args, .. }) = &stmt.body else {
        return None;
    };
    match (op.as_str(), args.as_slice()) {
        (
            "assign",
            [
                PetExpr::Access {
                    array: Some(name),
                    write: true,
                    ..
                },
                value,
            ],
        ) if is_affine(value) => Some((name, value)),
        _ => None,
    }
}

fn is_affine(value: &PetExpr) -> bool {
    match value {
        PetExpr::Access {
            array: None, args, ..
        } => args.is_empty(),
        _ => integer(value).is_some(),
    }
}

/// The value of a literal with or without a sign.
fn integer(value: &PetExpr) -> Option<i64> {
    match value {
        PetExpr::Int { value, .. } => value.parse().ok(),
        PetExpr::Op { op, args, .. } if op == "minus" => match args.as_slice() {
            [PetExpr::Int { value, .. }] => value.parse().ok().map(|v: i64| -v),
            _ => None,
        },
        _ => None,
    }
}

impl FinalValue {
    /// The value of the last of some writes to a variable; `None` if there is no write.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub(super) fn new<'a>(
        name: &str,
        writes: impl Iterator<Item = &'a PetStmt>,
        schedules: &BTreeMap<String, Map>,
        context: &Set,
    ) -> Result<Option<FinalValue>> {
        // Points in time with the values written.
        let mut history: Option<Set> = None;
        for stmt in writes {
            let Some(written) = written_by(stmt, schedules, context)? else {
                continue;
            };
            history = Some(match history {
                Some(all) => all.union(&written)?,
                None => written,
            });
        }
        let Some(history) = history else {
            return Ok(None);
        };
        // isl prints no function without a piece.
        if history.is_empty()? {
            return Ok(None);
        }
        let last = history.lexmax()?;
        let n_time = last.dim(DimType::Set)? - 1;
        let last = last.project_out(DimType::Set, 0, n_time as u32)?;
        let known = context.params()?;
        let value = last.dim_max(0)?.coalesce()?.gist_params(&known)?;
        let written = last.params()?.coalesce()?.gist_params(&known)?;
        let build = AstBuild::from_context(context)?;
        Ok(Some(FinalValue {
            name: name.to_string(),
            params: params_of(&value, &written)?,
            value: build.expr_from_pw_aff(&value)?,
            written: build.expr_from_set(&written)?,
        }))
    }
}

/// `[time, value]` of all instances of a statement that writes a variable; `None` where it never
/// runs, which a schedule does not list.
fn written_by(
    stmt: &PetStmt,
    schedules: &BTreeMap<String, Map>,
    context: &Set,
) -> Result<Option<Set>> {
    let ctx = context.ctx();
    let domain = Set::read(ctx, &stmt.domain)?.intersect_params(&context.params()?)?;
    if domain.is_empty()? {
        return Ok(None);
    }
    let schedule = schedules
        .get(&stmt.name)
        .ok_or_else(|| Diagnostic::bug(format!("no schedule for {}", stmt.name)))?;
    let schedule = schedule.intersect_domain(&domain)?;
    let no_value = || Diagnostic::bug(format!("no value of {}", stmt.name));
    let (_, value) = update(stmt).ok_or_else(no_value)?;
    if let PetExpr::Access { index, .. } = value {
        let value = MultiPwAff::read(ctx, index)?.to_map()?;
        return Ok(Some(schedule.flat_range_product(&value)?.range()?));
    }
    let constant = integer(value).ok_or_else(no_value)?;
    let times = schedule.range()?;
    let n = times.dim(DimType::Set)? as u32;
    let times = times.add_dims(DimType::Set, 1)?;
    Ok(Some(times.fix(DimType::Set, n, constant)?))
}

fn params_of(value: &PwAff, written: &Set) -> Result<Vec<String>> {
    let mut names = BTreeSet::new();
    for set in [&value.to_set()?, written] {
        names.extend(set.drop_unused_params()?.param_names()?);
    }
    Ok(names.into_iter().collect())
}
