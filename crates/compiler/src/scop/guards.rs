//! Where the reads of a statement happen: those in the arms of `?:` and behind `&&` and `||` only
//! where conditions hold.

use super::{Access, ArrayId, Expr, Statement, bounds};
use crate::diag::Result;
use hexcc_isl::Set;

/// Where a read happens.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Instances of the statement outside of which it does not.
    pub within: Set,
    /// It happens for all of them: the conditions are none on data.
    pub certain: bool,
}

/// Where each read of a statement happens.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn guards(stmt: &Statement) -> Result<Vec<Guard>> {
    let always = Guard {
        within: stmt.domain.clone(),
        certain: true,
    };
    let mut found = vec![always.clone(); stmt.reads.len()];
    for expr in stmt.expressions() {
        collect(expr, &always, &mut found)?;
    }
    Ok(found)
}

/// What accesses of a statement touch of an array: what conditions that are none on data keep it from
/// does not have to exist.
///
/// # Errors
/// HX0401 where isl gives up.
pub(super) fn touched(stmt: &Statement, array: ArrayId) -> Result<Vec<Set>> {
    let certain = bounds::certain_reads(stmt);
    let is_of = |access: &Access| access.array == array;
    let chooses = |(i, read): (usize, &Access)| is_of(read) && !certain.contains(&i);
    let guards = match stmt.reads.iter().enumerate().any(chooses) {
        true => guards(stmt)?,
        false => Vec::new(),
    };
    let mut ranges = Vec::new();
    for (i, read) in stmt.reads.iter().enumerate().filter(|(_, r)| is_of(r)) {
        let map = match guards.get(i) {
            Some(guard) => read.map.intersect_domain(&guard.within)?,
            None => read.map.clone(),
        };
        ranges.push(map.range()?);
    }
    if is_of(&stmt.write) {
        ranges.push(stmt.write.map.range()?);
    }
    Ok(ranges)
}

fn collect(expr: &Expr, guard: &Guard, found: &mut [Guard]) -> Result<()> {
    match expr {
        Expr::Read(i, _) => {
            if let Some(read) = found.get_mut(*i) {
                *read = guard.clone();
            }
            Ok(())
        }
        Expr::Int { .. } | Expr::Float { .. } | Expr::Affine { .. } | Expr::Local(..) => Ok(()),
        Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => collect(arg, guard, found),
        Expr::Cond { cond, yes, no } => {
            collect(cond, guard, found)?;
            collect(yes, &guard.where_it_is(true, cond)?, found)?;
            collect(no, &guard.where_it_is(false, cond)?, found)
        }
        Expr::Binary { op, lhs, rhs } => {
            collect(lhs, guard, found)?;
            match *op {
                "&&" => collect(rhs, &guard.where_it_is(true, lhs)?, found),
                "||" => collect(rhs, &guard.where_it_is(false, lhs)?, found),
                _ => collect(rhs, guard, found),
            }
        }
        Expr::Call { args, .. } | Expr::Cell { args, .. } => {
            args.iter().try_for_each(|a| collect(a, guard, found))
        }
    }
}

impl Guard {
    /// The part where a condition is true or false.
    fn where_it_is(&self, truth: bool, cond: &Expr) -> Result<Guard> {
        Ok(match truth_set(cond, &self.within)? {
            Some(holds) if truth => Guard {
                within: holds,
                certain: self.certain,
            },
            Some(holds) => Guard {
                within: self.within.subtract(&holds)?,
                certain: self.certain,
            },
            None => Guard {
                within: self.within.clone(),
                certain: false,
            },
        })
    }
}

/// Where in a set a condition holds; `None` for one on data.
fn truth_set(cond: &Expr, within: &Set) -> Result<Option<Set>> {
    Ok(match cond {
        Expr::Affine { value, .. } => {
            let defined = value.domain()?;
            if !within.is_subset(&defined)? {
                return Ok(None);
            }
            let zero = Set::read(within.ctx(), "{ [0] }")?;
            let fails = value.to_map()?.intersect_range(&zero)?.domain()?;
            Some(within.subtract(&fails)?)
        }
        Expr::Unary { op: "!", arg } => match truth_set(arg, within)? {
            Some(holds) => Some(within.subtract(&holds)?),
            None => None,
        },
        Expr::Binary { op: "&&", lhs, rhs } => match truth_set(lhs, within)? {
            Some(holds) => truth_set(rhs, &holds)?,
            None => None,
        },
        Expr::Binary { op: "||", lhs, rhs } => match truth_set(lhs, within)? {
            Some(holds) => {
                let others = truth_set(rhs, &within.subtract(&holds)?)?;
                others.map(|others| holds.union(&others)).transpose()?
            }
            None => None,
        },
        _ => None,
    })
}
