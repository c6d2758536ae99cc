//! Statements for other instances than their own, and the order of instances.

use crate::diag::Result;
use crate::scop::{Access, Expr, Local, Scop, Statement};
use hexcc_isl::{Map, Set, UnionMap};

/// Puts new statements in the place of old ones, given by the index of the old one in the order
/// of these.
pub(crate) fn replace(scop: &mut Scop, new: Vec<(usize, Statement)>) {
    let mut successors = vec![Vec::new(); scop.stmts.len()];
    for (i, (old, _)) in new.iter().enumerate() {
        successors[*old].push(i);
    }
    for chunk in &mut scop.chunks {
        chunk.stmts = (chunk.stmts.iter())
            .flat_map(|&i| successors[i].iter().copied())
            .collect();
    }
    scop.stmts = new.into_iter().map(|(_, stmt)| stmt).collect();
}

/// A statement for some instances of another, given by the map from those of the new one.
pub(crate) fn through(stmt: &Statement, instances: &Map, name: &str) -> Result<Statement> {
    let access = |a: &Access| -> Result<Access> {
        Ok(Access {
            map: instances.apply_range(&a.map)?,
            ..a.clone()
        })
    };
    let mut locals = Vec::new();
    for local in &stmt.locals {
        locals.push(Local {
            value: moved(&local.value, Some(instances), &|_| None)?,
            ..local.clone()
        });
    }
    Ok(Statement {
        name: name.to_string(),
        span: stmt.span.clone(),
        lines: stmt.lines,
        domain: instances.domain()?,
        schedule: instances.apply_range(&stmt.schedule)?,
        write: access(&stmt.write)?,
        reads: stmt.reads.iter().map(access).collect::<Result<_>>()?,
        locals,
        value: moved(&stmt.value, Some(instances), &|_| None)?,
    })
}

/// A statement for some of its instances.
pub(crate) fn within(stmt: &Statement, domain: &Set) -> Result<Statement> {
    through(stmt, &domain.identity()?, &stmt.name)
}

/// Pairs of an instance of a statement and one of another that executes before the former, and behind a time; at that time,
/// too, for [`Start::Then`].
pub(crate) struct Between {
    after: UnionMap,
    before: UnionMap,
}

impl Between {
    /// `since` gives the time for an instance of `stmt`.
    pub fn of(
        (stmt, since): (&Statement, &Map),
        other: &Statement,
        start: Start,
    ) -> Result<Between> {
        let schedule = |s: &Statement| UnionMap::from_map(&s.schedule);
        let since = UnionMap::from_map(since)?;
        let after = match start {
            Start::Then => since.lex_le_union_map(&schedule(other)?)?,
            Start::Later => since.lex_lt_union_map(&schedule(other)?)?,
        };
        let before = (schedule(other)?.lex_lt_union_map(&schedule(stmt)?)?).reverse()?;
        Ok(Between { after, before })
    }

    /// Whether one of these pairs is one.
    pub fn has(&self, pairs: &Map) -> Result<bool> {
        let between = UnionMap::from_map(pairs)?
            .intersect(&self.after)?
            .intersect(&self.before)?;
        Ok(!between.is_empty()?)
    }
}

/// Where what is between two times starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// With the first one.
    Then,
    /// Behind it.
    Later,
}

/// An expression of one statement for the instances of another, where there is a map from these.
/// Sub-expressions for which `replacement` gives one are replaced by it.
pub(crate) fn moved(
    expr: &Expr,
    instances: Option<&Map>,
    replacement: &dyn Fn(&Expr) -> Option<Expr>,
) -> Result<Expr> {
    let mut failed = None;
    let result = expr.map_mut(&mut |e| match (e, instances) {
        (Expr::Affine { value, ty }, Some(instances)) => {
            let moved = (value.to_map())
                .and_then(|m| instances.apply_range(&m))
                .and_then(|m| m.to_pw_affs());
            match moved {
                Ok(parts) => {
                    (parts.into_iter().next()).map(|value| Expr::Affine { value, ty: *ty })
                }
                Err(error) => {
                    failed = Some(error);
                    None
                }
            }
        }
        _ => replacement(e),
    });
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(result),
    }
}
