//! Where the reads of a statement happen: those in the arms of `?:` and behind `&&` and `||` only
//! where conditions hold.

use super::{Access, ArrayId, Expr, Statement, bounds, children};
use crate::diag::Result;
use hexcc_isl::{Ctx, MultiPwAff, PwAff, Set};
use hexcc_pet::data::PetExpr;

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
    let always = Guard::always(&stmt.domain);
    let mut found = vec![always.clone(); stmt.reads.len()];
    for expr in stmt.expressions() {
        for_each_guarded(expr, &always, &mut |part, guard| {
            if let Expr::Read(i, _) = part
                && let Some(read) = found.get_mut(*i)
            {
                *read = guard.clone();
            }
            Ok(())
        })?;
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

/// What conditions an expression has, and what runs under them.
pub(super) enum Parts<'e, E> {
    /// `cond ? yes : no`.
    Choice(&'e E, [&'e E; 2]),
    /// `lhs && rhs`.
    And(&'e E, &'e E),
    /// `lhs || rhs`.
    Or(&'e E, &'e E),
    /// `!arg`.
    Not(&'e E),
    /// Anything else, with operands that are always computed.
    Others(Vec<&'e E>),
}

/// An expression with conditions: one of ours, or one of pet's.
pub(super) trait Conditions: Sized {
    /// What it is made of.
    fn parts(&self) -> Parts<'_, Self>;

    /// Its value where that is an affine function.
    fn affine(&self, ctx: &Ctx) -> Result<Option<PwAff>>;
}

impl Conditions for Expr {
    fn parts(&self) -> Parts<'_, Expr> {
        match self {
            Expr::Read(..)
            | Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Affine { .. }
            | Expr::Local(..) => Parts::Others(Vec::new()),
            Expr::Unary { op: "!", arg } => Parts::Not(arg),
            Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => Parts::Others(vec![&**arg]),
            Expr::Cond { cond, yes, no } => Parts::Choice(cond, [yes, no]),
            Expr::Binary { op, lhs, rhs } => match *op {
                "&&" => Parts::And(lhs, rhs),
                "||" => Parts::Or(lhs, rhs),
                _ => Parts::Others(vec![&**lhs, &**rhs]),
            },
            Expr::Call { args, .. } | Expr::Cell { args, .. } => {
                Parts::Others(args.iter().collect())
            }
        }
    }

    fn affine(&self, _: &Ctx) -> Result<Option<PwAff>> {
        Ok(match self {
            Expr::Affine { value, .. } => Some(value.clone()),
            _ => None,
        })
    }
}

impl Conditions for PetExpr {
    fn parts(&self) -> Parts<'_, PetExpr> {
        let PetExpr::Op { op, args, .. } = self else {
            return Parts::Others(children(self));
        };
        match (op.as_str(), args.as_slice()) {
            ("cond", [cond, yes, no]) => Parts::Choice(cond, [yes, no]),
            ("land", [lhs, rhs]) => Parts::And(lhs, rhs),
            ("lor", [lhs, rhs]) => Parts::Or(lhs, rhs),
            ("lnot", [arg]) => Parts::Not(arg),
            _ => Parts::Others(children(self)),
        }
    }

    fn affine(&self, ctx: &Ctx) -> Result<Option<PwAff>> {
        Ok(match self {
            PetExpr::Access {
                array: None,
                index,
                args,
                ..
            } if args.is_empty() => Some(MultiPwAff::read(ctx, index)?.get(0)?),
            _ => None,
        })
    }
}

/// Calls `f` on an expression that is computed for some instances and on all in it, in textual order,
/// each with where it is computed.
///
/// # Errors
/// HX0401 where isl gives up.
pub(super) fn for_each_guarded<'e, E: Conditions>(
    expr: &'e E,
    guard: &Guard,
    f: &mut dyn FnMut(&'e E, &Guard) -> Result<()>,
) -> Result<()> {
    f(expr, guard)?;
    match expr.parts() {
        Parts::Choice(cond, [yes, no]) => {
            for_each_guarded(cond, guard, f)?;
            for_each_guarded(yes, &guard.where_it_is(true, cond)?, f)?;
            for_each_guarded(no, &guard.where_it_is(false, cond)?, f)
        }
        Parts::And(lhs, rhs) => {
            for_each_guarded(lhs, guard, f)?;
            for_each_guarded(rhs, &guard.where_it_is(true, lhs)?, f)
        }
        Parts::Or(lhs, rhs) => {
            for_each_guarded(lhs, guard, f)?;
            for_each_guarded(rhs, &guard.where_it_is(false, lhs)?, f)
        }
        Parts::Not(arg) => for_each_guarded(arg, guard, f),
        Parts::Others(all) => {
            for part in all {
                for_each_guarded(part, guard, f)?;
            }
            Ok(())
        }
    }
}

impl Guard {
    /// All instances of a statement.
    pub(super) fn always(domain: &Set) -> Guard {
        Guard {
            within: domain.clone(),
            certain: true,
        }
    }

    /// The part where a condition is true or false.
    fn where_it_is<E: Conditions>(&self, truth: bool, cond: &E) -> Result<Guard> {
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
fn truth_set<E: Conditions>(cond: &E, within: &Set) -> Result<Option<Set>> {
    if let Some(value) = cond.affine(within.ctx())? {
        let defined = value.domain()?;
        if !within.is_subset(&defined)? {
            return Ok(None);
        }
        let zero = Set::read(within.ctx(), "{ [0] }")?;
        let fails = value.to_map()?.intersect_range(&zero)?.domain()?;
        return Ok(Some(within.subtract(&fails)?));
    }
    Ok(match cond.parts() {
        Parts::Not(arg) => match truth_set(arg, within)? {
            Some(holds) => Some(within.subtract(&holds)?),
            None => None,
        },
        Parts::And(lhs, rhs) => match truth_set(lhs, within)? {
            Some(holds) => truth_set(rhs, &holds)?,
            None => None,
        },
        Parts::Or(lhs, rhs) => match truth_set(lhs, within)? {
            Some(holds) => {
                let others = truth_set(rhs, &within.subtract(&holds)?)?;
                others.map(|others| holds.union(&others)).transpose()?
            }
            None => None,
        },
        Parts::Choice(..) | Parts::Others(_) => None,
    })
}
