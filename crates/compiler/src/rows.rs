//! Arrays whose rows are reached through pointers, `double **A`: which rows a part of a program
//! touches, and which elements of them.
//!
//! The program says where a row is when it runs, and nothing of what lies around it. So no more of a
//! row is looked at than what lies between two elements that C touches, and no pointer that C does
//! not follow. All proofs take rows for memory of their own: the program tests that before.

use crate::diag::Result;
use crate::scop::guards::guards;
use crate::scop::{ArrayId, Scop, Statement};
use hexcc_isl::{AstBuild, AstExpr, DimType, Map, Set};

/// What a part of a program touches of an array in rows; expressions are over sizes and
/// [`subscript`]s.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Whether anything is touched, for sizes at which some statement runs.
    pub any: AstExpr,
    /// By subscript that selects a pointer, the first and the last value.
    pub ranges: Vec<[AstExpr; 2]>,
    /// Whether a row in these ranges is touched.
    pub touched: AstExpr,
    /// The first and the last element of a row that are touched.
    pub accessed: [AstExpr; 2],
    /// Whether a row is written, or was by more steps that are undone, and the first and the last element there.
    pub written: Option<(AstExpr, [AstExpr; 2])>,
}

/// isl's name of the subscript that selects a pointer; no name of C.
pub fn subscript(d: usize) -> String {
    format!("r{d}'")
}

impl Rows {
    /// What statements touch of an array in rows; `None` for other arrays, and for one that none of
    /// them touches. Where the program may undo what they did for other values of some parameters, the numbers of
    /// `undone` steps, all that they may have written is.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn new(
        scop: &Scop,
        id: ArrayId,
        stmts: &[&Statement],
        undone: &[&str],
    ) -> Result<Option<Rows>> {
        if scop.array(id).pointers == 0 {
            return Ok(None);
        }
        let (mut accessed, mut written) = (Vec::new(), Vec::new());
        for stmt in stmts {
            for (read, guard) in stmt.reads.iter().zip(guards(stmt)?) {
                if read.array == id {
                    accessed.push(read.map.intersect_domain(&guard.within)?);
                }
            }
            if stmt.write.array == id {
                accessed.push(stmt.write.map.clone());
                written.push(stmt.write.map.clone());
            }
        }
        let elements = |maps: &[Map]| -> Result<Option<Set>> {
            let mut all: Option<Set> = None;
            for map in maps {
                let more = map.range()?.intersect_params(&scop.context.params()?)?;
                all = Some(match all {
                    Some(all) => all.union(&more)?,
                    None => more,
                });
            }
            Ok(all.map(|all| all.reset_tuple_name()).transpose()?)
        };
        let (Some(accessed), mut written) = (elements(&accessed)?, elements(&written)?) else {
            return Ok(None);
        };
        for param in undone {
            written = written.map(|set| for_any(&set, param)).transpose()?;
        }
        let mut runs = scop.context.params()?.empty_like()?;
        for stmt in stmts {
            runs = runs.union(&stmt.domain.params()?)?;
        }
        let any = accessed.params()?.gist_params(&runs)?;
        let any = any.gist_params(&scop.context.params()?)?.coalesce()?;
        let any = AstBuild::from_context(&scop.context.params()?)?.expr_from_set(&any)?;
        let accessed = InRows::new(scop, id, &accessed)?;
        let written = match written {
            Some(written) => {
                let written = InRows::new(scop, id, &written)?;
                let known = accessed.known.intersect(&accessed.rows)?;
                let rows = written.rows.gist_params(&known)?.coalesce()?;
                let rows = AstBuild::from_context(&known)?.expr_from_set(&rows)?;
                Some((rows, written.ends()?))
            }
            None => None,
        };
        let rows = accessed.rows.gist_params(&accessed.known)?.coalesce()?;
        Ok(Some(Rows {
            any,
            touched: AstBuild::from_context(&accessed.known)?.expr_from_set(&rows)?,
            accessed: accessed.ends()?,
            ranges: accessed.ranges,
            written,
        }))
    }
}

/// The elements of a set for all values of a parameter.
fn for_any(set: &Set, param: &str) -> Result<Set> {
    for p in 0..set.dim(DimType::Param)? as u32 {
        if set.dim_name(DimType::Param, p)?.as_deref() == Some(param) {
            return Ok(set.project_out(DimType::Param, p, 1)?);
        }
    }
    Ok(set.clone())
}

/// Elements by rows.
struct InRows {
    /// Elements of a row, for values of its subscripts.
    elements: Set,
    /// Conditions on these that the row has elements.
    rows: Set,
    /// By subscript its range.
    ranges: Vec<[AstExpr; 2]>,
    /// What is known of the subscripts: the context, and that they are in their ranges.
    known: Set,
}

impl InRows {
    fn new(scop: &Scop, id: ArrayId, elements: &Set) -> Result<InRows> {
        let array = scop.array(id);
        let mut linear = elements.apply(&in_one_dimension(scop, id)?)?;
        let mut known = scop.context.params()?;
        let mut ranges = Vec::new();
        let build = AstBuild::from_context(&known)?;
        for d in 0..array.pointers {
            let mut along = linear.clone();
            for e in (0..=array.pointers).rev().filter(|e| *e != d) {
                along = along.project_out(DimType::Set, e as u32, 1)?;
            }
            let along = along.coalesce()?;
            let [first, last] = [along.dim_min(0)?.coalesce()?, along.dim_max(0)?.coalesce()?];
            ranges.push([
                build.expr_from_pw_aff(&first)?,
                build.expr_from_pw_aff(&last)?,
            ]);
            let reach = |order: &str| -> Result<Set> {
                let text = format!("{{ [x] -> [y] : {order} }}");
                Ok(along.apply(&Map::read(&scop.ctx, &text)?)?)
            };
            let within = reach("x <= y")?.intersect(&reach("x >= y")?)?;
            known = known.intersect_params(&to_param(&within, 0, &subscript(d))?.params()?)?;
        }
        for d in (0..array.pointers).rev() {
            linear = to_param(&linear, d, &subscript(d))?;
        }
        Ok(InRows {
            rows: linear.params()?,
            elements: linear.coalesce()?,
            ranges,
            known: known.coalesce()?,
        })
    }

    /// The first and the last element of a row that has some.
    fn ends(&self) -> Result<[AstExpr; 2]> {
        let build = AstBuild::from_context(&self.known.intersect(&self.rows)?)?;
        let [first, last] = [self.elements.dim_min(0)?, self.elements.dim_max(0)?];
        Ok([
            build.expr_from_pw_aff(&first.coalesce()?)?,
            build.expr_from_pw_aff(&last.coalesce()?)?,
        ])
    }
}

/// From the subscripts of an array to those of the pointer to a row, and the number of the element
/// in it. What a row has beside its outermost extent are constants.
fn in_one_dimension(scop: &Scop, id: ArrayId) -> Result<Map> {
    let array = scop.array(id);
    let names: Vec<String> = (0..array.extents.len()).map(|d| format!("s{d}")).collect();
    let mut number = String::new();
    for (d, name) in names.iter().enumerate().skip(array.pointers) {
        number = match number.is_empty() {
            true => name.clone(),
            false => {
                let extent = array.extents[d].as_constant()?.map_or(1, |n| n.floor());
                format!("{extent} * ({number}) + {name}")
            }
        };
    }
    let pointers: String = (names[..array.pointers].iter())
        .map(|name| format!("{name}, "))
        .collect();
    let text = format!("{{ [{}] -> [{pointers}{number}] }}", names.join(", "));
    Ok(Map::read(&scop.ctx, &text)?)
}

/// A dimension of a set as a parameter of the given name.
fn to_param(set: &Set, d: usize, name: &str) -> Result<Set> {
    let n = set.dim(DimType::Param)?;
    let set = set.set_dim_name(DimType::Set, d as u32, name)?;
    Ok(set.move_dims(DimType::Param, n as u32, DimType::Set, d as u32, 1)?)
}

#[cfg(test)]
mod tests;
