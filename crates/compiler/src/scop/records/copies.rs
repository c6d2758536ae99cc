//! Copies of structs: as copies of all their numbers.

use super::Refused;
use super::layout::{self, Element, Layout, Target};
use crate::diag::Result;
use hexcc_isl::{Ctx, DimType, Map, UnionMap};
use hexcc_pet::data::{PetBody, PetExpr, PetScop, PetStmt, Place};

/// Numbers of a struct that is copied, at most.
pub const MOST: usize = 64;

/// A statement that copies a struct.
pub struct Copy<'a> {
    /// What is written.
    pub to: &'a PetExpr,
    /// What is read.
    pub from: &'a PetExpr,
    /// The structs: index of the layout, the path to it and the subscripts on it.
    structs: [(usize, String, usize); 2],
    is_declaration: bool,
    type_size: i32,
}

/// The copy that a statement is.
pub fn find<'a>(pet: &PetScop, layouts: &[Layout], stmt: &'a PetStmt) -> Option<Copy<'a>> {
    let (to, from, is_declaration, type_size) = match &stmt.body {
        PetBody::Decl { var, init } => (var, init, true, 0),
        PetBody::Expr(PetExpr::Op {
            op,
            args,
            type_size,
        }) if op == "assign" => match args.as_slice() {
            [to, from] => (to, from, false, *type_size),
            _ => return None,
        },
        _ => return None,
    };
    let of = |access| match layout::target(pet, layouts, access)? {
        (i, Target::Struct(path, n)) => Some((i, path, n)),
        _ => None,
    };
    Some(Copy {
        structs: [of(to)?, of(from)?],
        to,
        from,
        is_declaration,
        type_size,
    })
    .filter(|_| stmt.n_args == 0)
}

impl Copy<'_> {
    /// The numbers that are copied, each with where it is read from.
    pub fn elements(
        &self,
        layouts: &[Layout],
    ) -> std::result::Result<Vec<[Element; 2]>, (usize, Refused)> {
        let [(to, to_path, n_to), (from, from_path, n_from)] = &self.structs;
        let (own, other) = (&layouts[*to], &layouts[*from]);
        let theirs: Vec<(usize, &str)> = other.below(from_path).collect();
        let ours: Vec<(usize, &str)> = own.below(to_path).collect();
        if ours.is_empty() || ours.len() != theirs.len() {
            return Err((*to, Refused::Unlike));
        }
        let mut elements = Vec::new();
        for (place, rest) in ours {
            let same = theirs.iter().find(|(_, their)| *their == rest);
            let Some(&(read, _)) = same else {
                return Err((*to, Refused::Unlike));
            };
            let (a, b) = (own.place(place), other.place(read));
            let (dims, others) = (last_dims(a, *n_to), last_dims(b, *n_from));
            if a.element_type != b.element_type || dims != others {
                return Err((*to, Refused::Unlike));
            }
            for last in points(&dims).ok_or((*to, Refused::TooLarge))? {
                let element = |layout, place| Element {
                    layout,
                    place,
                    last: last.clone(),
                };
                elements.push([element(*to, place), element(*from, read)]);
            }
        }
        match elements.len() <= MOST {
            true => Ok(elements),
            false => Err((*to, Refused::TooLarge)),
        }
    }

    /// The copy of one number.
    pub fn body(&self, to: PetExpr, from: PetExpr) -> PetBody {
        match self.is_declaration {
            true => PetBody::Decl {
                var: to,
                init: from,
            },
            false => PetBody::Expr(PetExpr::Op {
                op: "assign".to_string(),
                args: vec![to, from],
                type_size: self.type_size,
            }),
        }
    }
}

/// Numbers of elements behind the first `n` subscripts.
fn last_dims(place: &Place, n: usize) -> Vec<usize> {
    place.dims.iter().skip(n).map(|(n, _)| *n).collect()
}

/// All subscripts of an array; `None` for too many.
fn points(dims: &[usize]) -> Option<Vec<Vec<i64>>> {
    let mut points = vec![Vec::new()];
    for n in dims {
        if points.len().saturating_mul(*n) > MOST {
            return None;
        }
        let longer = |point: Vec<i64>| {
            let with = move |k: usize| [point.clone(), vec![k as i64]].concat();
            (0..*n).map(with)
        };
        points = points.into_iter().flat_map(longer).collect();
    }
    Some(points)
}

/// A text in isl's notation with another name for a statement.
pub fn renamed(text: &str, from: &str, to: &str) -> String {
    let (mut result, mut rest) = (String::new(), text);
    let tuple = format!("{from}[");
    while let Some(at) = rest.find(&tuple) {
        let (before, found) = rest.split_at(at);
        let is_whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        result += before;
        result += if is_whole { to } else { from };
        rest = &found[from.len()..];
    }
    result + rest
}

/// An expression of a statement that has another name.
pub fn expr_renamed(mut expr: PetExpr, named: &dyn Fn(&str) -> String) -> PetExpr {
    if let PetExpr::Access { index, .. } = &mut expr {
        *index = named(index);
    }
    let again = |arg: &mut PetExpr| {
        let old = std::mem::replace(arg, PetExpr::Double(String::new()));
        *arg = expr_renamed(old, named);
    };
    match &mut expr {
        PetExpr::Access { args, .. } | PetExpr::Op { args, .. } | PetExpr::Call { args, .. } => {
            args.iter_mut().for_each(again);
        }
        PetExpr::Cast { arg, .. } => again(arg),
        PetExpr::Int { .. } | PetExpr::Double(_) => {}
    }
    expr
}

/// The order of the statements where some became several, which run one after the other.
pub fn schedule(ctx: &Ctx, text: &str, copied: &[(String, usize)]) -> Result<String> {
    let mut all = UnionMap::empty(ctx)?;
    for map in UnionMap::read(ctx, text)?.maps()? {
        let name = map.tuple_name(DimType::In)?.unwrap_or_default();
        let n = copied.iter().find(|(copied, _)| *copied == name);
        let parts = match n {
            Some((_, n)) => (0..*n).map(|k| (k, format!("{name}_{k}"))).collect(),
            None => vec![(0, name)],
        };
        for (k, part) in parts {
            let map = map.set_tuple_name(DimType::In, &part)?;
            let dims = map.dim(DimType::In)?;
            let dims: Vec<String> = (0..dims).map(|d| format!("i{d}")).collect();
            let order = format!("{{ {part}[{}] -> [{k}] }}", dims.join(", "));
            let map = map.flat_range_product(&Map::read(ctx, &order)?)?;
            all = all.union(&UnionMap::from_map(&map)?)?;
        }
    }
    Ok(all.to_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_get_other_names_as_a_whole_only() {
        assert_eq!(
            renamed("[n] -> { [S_1[i] -> [j]] -> xS_1[S_1[2]] }", "S_1", "S_1_0"),
            "[n] -> { [S_1_0[i] -> [j]] -> xS_1[S_1_0[2]] }"
        );
        assert_eq!(points(&[2, 2]).map(|p| p.len()), Some(4));
        assert_eq!(points(&[9, 9]), None);
    }
}
