//! Full tiles (CGO'14 section 4.3.1): the exact condition on a tile's origin
//! under which no instance of the tile is missing.

use super::{Interval, Row};
use crate::diag::{Diagnostic, Result};
use hexcc_isl::{Constraint, Ctx, Map, PwAff, Set};

/// A box of instances of one statement relative to the tile's origin: time and
/// space.
pub struct RelativeBox {
    /// Time relative to t0.
    pub t_in: i64,
    /// Space relative to the origin.
    pub points: Vec<Interval>,
}

impl RelativeBox {
    /// The whole row.
    pub fn of_row(row: &Row) -> RelativeBox {
        RelativeBox {
            t_in: row.t_in,
            points: row.points.clone(),
        }
    }

    fn is_empty(&self) -> bool {
        self.points.iter().any(|p| p.is_empty())
    }
}

/// Origins for which all the boxes lie inside `set`, a set of `[t, s..]`;
/// exact for every basic set of it, their union otherwise.
///
/// Every constraint of a basic set is linear, so it holds on a box if it holds
/// at the corner where it is smallest. The result is checked with isl: the
/// boxes of the origins found lie inside `set` on `lattice`.
pub fn origins_inside(ctx: &Ctx, set: &Set, lattice: &Set, boxes: &[RelativeBox]) -> Result<Set> {
    let without_stride = set.remove_divs()?;
    let all = set.universe_like()?;
    let boxes: Vec<&RelativeBox> = boxes.iter().filter(|b| !b.is_empty()).collect();
    if boxes.is_empty() {
        return Ok(all);
    }
    if !without_stride.intersect(lattice)?.is_subset(set)? {
        return Ok(set.empty_like()?);
    }
    let mut origins = set.empty_like()?;
    for basic in without_stride.coalesce()?.basic_sets()? {
        origins = origins.union(&origins_inside_basic(ctx, &basic, &boxes)?)?;
    }
    let origins = origins.coalesce()?;
    let points = origins.apply(&origin_to_points(ctx, &boxes)?)?;
    if !points.intersect(lattice)?.is_subset(set)? {
        return Err(Box::new(Diagnostic::bug(
            "full-tile condition is not exact",
        )));
    }
    Ok(origins)
}

fn origins_inside_basic(ctx: &Ctx, basic: &Set, boxes: &[&RelativeBox]) -> Result<Set> {
    let mut origins = basic.universe_like()?;
    let n = basic.dim(hexcc_isl::DimType::Set)?;
    let params = basic.param_names()?;
    let dims: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    for constraint in basic.constraints()? {
        let mut worst: Option<(i64, i64)> = None;
        for b in boxes {
            let (lo, hi) = range_on_box(&constraint, b);
            worst = Some(worst.map_or((lo, hi), |(l, h)| (l.min(lo), h.max(hi))));
        }
        let Some((lo, hi)) = worst else { continue };
        if constraint.equality && lo != hi {
            return Ok(basic.empty_like()?);
        }
        let moved = Constraint {
            constant: constraint.constant + lo,
            ..constraint
        };
        origins = origins.intersect(&set_of(ctx, &moved, &params, &dims)?)?;
    }
    Ok(origins)
}

/// The points that keep a constraint without existential variables.
fn set_of(ctx: &Ctx, constraint: &Constraint, params: &[String], dims: &[String]) -> Result<Set> {
    let terms = (constraint.params.iter().zip(params)).chain(constraint.dims.iter().zip(dims));
    let text = format!(
        "[{}] -> {{ [{}] : {} {} 0 }}",
        params.join(", "),
        dims.join(", "),
        sum(terms, constraint.constant),
        if constraint.equality { "=" } else { ">=" },
    );
    Ok(Set::read(ctx, &text)?)
}

/// A weighted sum as isl reads it.
fn sum<'a>(terms: impl Iterator<Item = (&'a i64, &'a String)>, constant: i64) -> String {
    let mut parts: Vec<String> = terms
        .filter(|(c, _)| **c != 0)
        .map(|(c, name)| format!("{c} * {name}"))
        .collect();
    parts.push(constant.to_string());
    parts.join(" + ")
}

/// A set of `[t, s..]` taken apart: bounds of single space dimensions by the parameters, and
/// all other constraints.
pub struct Bounds {
    /// Lower and upper bounds per space dimension; all have to hold.
    pub space: Vec<[Vec<PwAff>; 2]>,
    /// The other constraints; `None` where there are none.
    pub rest: Option<Set>,
}

/// Takes a set apart; `None` where it is a union, or has strides.
pub fn bounds(ctx: &Ctx, set: &Set) -> Result<Option<Bounds>> {
    let [basic] = &set.basic_sets()?[..] else {
        return Ok(None);
    };
    let constraints = basic.constraints()?;
    if constraints.iter().any(|c| !c.divs.is_empty()) {
        return Ok(None);
    }
    let n = basic.dim(hexcc_isl::DimType::Set)?;
    let params = basic.param_names()?;
    let dims: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    let mut space = vec![[Vec::new(), Vec::new()]; n - 1];
    let mut rest: Option<Set> = None;
    for c in constraints {
        let mut used = (0..n).filter(|&d| c.dims[d] != 0);
        match (used.next(), used.next()) {
            (Some(d), None) if d > 0 && c.dims[d].abs() == 1 => {
                // x + f >= 0 or -x + f >= 0, or one of the two with =.
                let sign = -c.dims[d];
                let scaled: Vec<i64> = c.params.iter().map(|p| sign * p).collect();
                let value = sum(scaled.iter().zip(&params), sign * c.constant);
                let text = format!("[{}] -> {{ [({value})] }}", params.join(", "));
                let bound = PwAff::read(ctx, &text)?;
                if c.equality || sign < 0 {
                    space[d - 1][0].push(bound.clone());
                }
                if c.equality || sign > 0 {
                    space[d - 1][1].push(bound);
                }
            }
            _ => {
                let one = set_of(ctx, &c, &params, &dims)?;
                rest = Some(match rest {
                    Some(rest) => rest.intersect(&one)?,
                    None => one,
                });
            }
        }
    }
    Ok(Some(Bounds { space, rest }))
}

/// Smallest and largest value of the constraint's linear part over a box.
fn range_on_box(constraint: &Constraint, b: &RelativeBox) -> (i64, i64) {
    let mut range = (0, 0);
    let time = Interval {
        lo: b.t_in,
        hi: b.t_in,
    };
    for (c, p) in constraint.dims.iter().zip([time].iter().chain(&b.points)) {
        let (x, y) = (c * p.lo, c * p.hi);
        range = (range.0 + x.min(y), range.1 + x.max(y));
    }
    range
}

/// `{ origin -> instance }` for a list of boxes.
fn origin_to_points(ctx: &Ctx, boxes: &[&RelativeBox]) -> Result<Map> {
    let n = boxes.first().map_or(0, |b| b.points.len());
    let names = |prefix: &str| {
        (0..n)
            .map(|j| format!("{prefix}{j}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut disjuncts = Vec::new();
    for b in boxes {
        let mut parts = vec![format!("t = t0 + {}", b.t_in)];
        for (j, p) in b.points.iter().enumerate() {
            parts.push(format!("o{j} + {} <= s{j} <= o{j} + {}", p.lo, p.hi));
        }
        disjuncts.push(format!("({})", parts.join(" and ")));
    }
    Ok(Map::read(
        ctx,
        &format!(
            "{{ [t0, {}] -> [t, {}] : {} }}",
            names("o"),
            names("s"),
            disjuncts.join(" or ")
        ),
    )?)
}
