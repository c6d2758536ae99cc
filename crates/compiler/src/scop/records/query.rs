//! Where members of structs lie: what clang is asked.
//!
//! pet names the members of arrays of structs and their types, and not their places in memory. So
//! the region is replaced by declarations of arrays whose sizes are those of elements and members,
//! and the distances between them; pet then gives the numbers back as extents.

use crate::csource::Edit;
use crate::front::c::{Region, StandIns};
use hexcc_pet::data::{PetArray, PetScop, Place, Record};
use std::fmt::Write;

/// The member of a struct that one of pet's arrays is, as its extent tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberOf {
    /// The array or variable.
    pub base: String,
    /// Its subscripts.
    pub n_dims: usize,
    /// Members on the way, each with its subscripts.
    pub path: Vec<(String, usize)>,
}

impl MemberOf {
    /// Reads the tuple of an extent, such as `u_v_x[u_v[u[i0] -> v[]] -> x[i1]]`.
    pub fn parse(extent: &str) -> Option<MemberOf> {
        let (_, tuple) = extent.split_once('{')?;
        Some(read_tuple(tuple.trim_start())?.0)
    }

    /// As C writes it behind the array, with the subscript 0 in the first `n` dimensions.
    fn text(&self, n: usize) -> String {
        let (mut text, mut left) = (String::new(), n);
        for (i, (name, dims)) in self.path.iter().enumerate() {
            let dot = if i == 0 { "" } else { "." };
            let zeros = (*dims).min(left);
            left -= zeros;
            let _ = write!(text, "{dot}{name}{}", "[0]".repeat(zeros));
        }
        text
    }

    /// As messages name it.
    pub fn name(&self) -> String {
        self.text(0)
    }

    fn n_inner(&self) -> usize {
        self.path.iter().map(|(_, dims)| dims).sum()
    }
}

/// A tuple and what follows it.
fn read_tuple(text: &str) -> Option<(MemberOf, &str)> {
    let (name, inside) = text.split_once('[')?;
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || "_$".contains(c))
    };
    if !is_name(name) {
        return None;
    }
    if let Some((mut of, rest)) = read_tuple(inside) {
        let (member, rest) = rest.strip_prefix(" -> ")?.split_once('[')?;
        let (dims, rest) = rest.split_once(']')?;
        of.path.push((member.to_string(), n_dims(dims)));
        return Some((of, rest.strip_prefix(']')?));
    }
    let (dims, rest) = inside.split_once(']')?;
    let of = MemberOf {
        base: name.to_string(),
        n_dims: n_dims(dims),
        path: Vec::new(),
    };
    Some((of, rest))
}

fn n_dims(dims: &str) -> usize {
    match dims.trim().is_empty() {
        true => 0,
        false => dims.split(',').count(),
    }
}

/// Whether a scop declares variables that are pointers.
pub fn declares_pointers(scop: &PetScop) -> bool {
    let is_array =
        |array: &PetArray| MemberOf::parse(&array.extent).is_some_and(|of| of.n_dims > 0);
    let mut declared = scop.arrays.iter().filter(|array| array.declared);
    declared.any(|array| is_array(array) && !array.extent.contains('<'))
}

/// A struct of a scop, and what is asked of it.
pub struct Query<'a> {
    array: &'a PetArray,
    base: MemberOf,
    /// Members that are no structs themselves.
    members: Vec<(MemberOf, &'a PetArray)>,
}

/// The structs of a scop, without members of members.
pub fn queries(scop: &PetScop) -> Vec<Query<'_>> {
    let all: Vec<(&PetArray, MemberOf)> = (scop.arrays.iter())
        .filter_map(|array| Some((array, MemberOf::parse(&array.extent)?)))
        .collect();
    let structs = (all.iter()).filter(|(array, of)| array.element_is_record && of.path.is_empty());
    let asked = structs.map(|(array, base)| {
        // pet lists what is used by name alone: the rest is listed of others of the type, or is not
        // used.
        let of_type = |(other, of): &&(&PetArray, MemberOf)| {
            let is_same = unqualified(&other.element_type) == unqualified(&array.element_type);
            is_named(array) && is_same && of.path.is_empty()
        };
        let mut members = leaves(&all, &base.base);
        for (_, of) in all.iter().filter(of_type) {
            for (member, array) in leaves(&all, &of.base) {
                if !members.iter().any(|(known, _)| known.path == member.path) {
                    members.push((member, array));
                }
            }
        }
        Query {
            array,
            base: base.clone(),
            members,
        }
    });
    asked.collect()
}

/// A type without qualifiers.
fn unqualified(element_type: &str) -> &str {
    element_type.trim_start_matches("const ")
}

/// Whether the type of a struct has a name.
fn is_named(array: &PetArray) -> bool {
    !array.element_type.contains(['<', '(', '{'])
}

/// The members of a struct that are no structs.
fn leaves<'a>(all: &[(&'a PetArray, MemberOf)], base: &str) -> Vec<(MemberOf, &'a PetArray)> {
    let own = (all.iter()).filter(|(_, of)| of.base == base && !of.path.is_empty());
    let leaves = own.filter(|(array, _)| !array.element_is_record);
    leaves.map(|(array, of)| (of.clone(), *array)).collect()
}

impl<'a> Query<'a> {
    /// The same for each member alone.
    pub fn of_each(&self) -> Vec<Query<'a>> {
        let alone = |member: &(MemberOf, &'a PetArray)| Query {
            array: self.array,
            base: self.base.clone(),
            members: vec![member.clone()],
        };
        self.members.iter().map(alone).collect()
    }

    /// The type of an element, as C where the region stands.
    fn element(&self) -> String {
        match self.array.declared {
            true => self.array.element_type.clone(),
            false => format!(
                "__typeof__({}{})",
                self.base.base,
                "[0]".repeat(self.base.n_dims)
            ),
        }
    }

    /// The sizes asked for, as C.
    fn sizes(&self) -> Vec<String> {
        let element = self.element();
        let mut sizes = vec![format!("sizeof({element})")];
        for (member, _) in &self.members {
            let n = member.n_inner();
            let first = member.text(n);
            sizes.push(format!("__builtin_offsetof({element}, {first})"));
            sizes.push(format!("sizeof((({element} *)0)->{first})"));
            // Of the arrays that subscripts select from, and of what each selects.
            let mut before = 0;
            for (depth, (_, dims)) in member.path.iter().enumerate() {
                let around = MemberOf {
                    path: member.path[..=depth].to_vec(),
                    ..member.clone()
                };
                for d in 0..=*dims {
                    let part = around.text(before + d);
                    sizes.push(format!("sizeof((({element} *)0)->{part})"));
                }
                before += dims;
            }
        }
        sizes
    }

    /// The places, of the sizes in the order of [`Query::sizes`].
    fn record(&self, sizes: &mut impl Iterator<Item = usize>) -> Option<Record> {
        let size = sizes.next()?;
        let mut places = Vec::new();
        for (member, array) in &self.members {
            let (offset, element_size) = (sizes.next()?, sizes.next()?);
            let mut dims = Vec::new();
            for (_, n) in &member.path {
                let mut whole = sizes.next()?;
                for _ in 0..*n {
                    let part = sizes.next()?;
                    dims.push((whole.checked_div(part)?, part));
                    whole = part;
                }
            }
            places.push(Place {
                path: member.name(),
                offset,
                dims,
                element_type: array.element_type.clone(),
                element_size,
            });
        }
        let same = places.iter().zip(&self.members);
        let is_same = same
            .clone()
            .all(|(place, (_, array))| place.element_size == array.element_size);
        (is_same && size == self.array.element_size).then(|| Record {
            array: self.array.name.clone(),
            size,
            places,
            unplaced: None,
        })
    }

    /// What is known of the struct where the places of its members are asked for one by one: each
    /// with its place, if it has one.
    pub fn joined(&self, each: Vec<Option<Record>>) -> Record {
        let found = self.members.iter().zip(&each);
        let mut unplaced = found.filter(|(_, record)| record.is_none());
        Record {
            array: self.array.name.clone(),
            size: self.array.element_size,
            unplaced: unplaced.next().map(|((member, _), _)| member.name()),
            places: each
                .into_iter()
                .flatten()
                .flat_map(|record| record.places)
                .collect(),
        }
    }
}

/// What is added to a size, for no array may be empty.
const MORE: usize = 1;

/// A text from which pet learns the sizes that some queries ask for. `stand_ins` are those of the
/// region.
pub fn question(queries: &[Query], region: &Region, stand_ins: &StandIns) -> StandIns {
    let mut declarations = stand_ins.declarations.clone();
    let mut body = String::new();
    for (i, size) in queries.iter().flat_map(Query::sizes).enumerate() {
        let _ = writeln!(declarations, "char hexcc_size{i}[{size} + {MORE}];");
        let _ = write!(body, " hexcc_size{i}[hexcc_i] = 0;");
    }
    let nest = format!("for (int hexcc_i = 0; hexcc_i < 1; hexcc_i++) {{{body} }}");
    // A region with pragmas keeps them, and everything stands between its braces.
    let (declarations, replacement) = match region.marked {
        false => (declarations, nest),
        true => {
            let text = format!("{{\n{declarations}\n#pragma scop\n{nest}\n#pragma endscop\n}}\n");
            (String::new(), text)
        }
    };
    StandIns {
        edits: vec![Edit {
            range: region.span.clone(),
            replacement,
        }],
        declarations,
        ..StandIns::default()
    }
}

/// What pet's answer to a question says of each of the queries; `None` where it says too little.
pub fn answers(queries: &[Query], answer: &PetScop) -> Option<Vec<Record>> {
    let n: usize = queries.iter().map(|query| query.sizes().len()).sum();
    let sizes: Option<Vec<usize>> = (0..n).map(|i| size_of(answer, i)).collect();
    let mut sizes = sizes?.into_iter();
    queries
        .iter()
        .map(|query| query.record(&mut sizes))
        .collect()
}

/// The size that an array of the answer has, less what was added to it.
fn size_of(answer: &PetScop, index: usize) -> Option<usize> {
    let name = format!("hexcc_size{index}");
    let array = answer.arrays.iter().find(|a| a.name == name)?;
    if array.extent.contains(&format!("{name}[0]")) {
        return Some(0);
    }
    let (_, last) = array.extent.rsplit_once("<= ")?;
    last.trim_end_matches([' ', '}']).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_name_the_members_that_they_are_of() {
        let of = MemberOf::parse(
            "[n] -> { u_v_x[u_v[u[i0, i1] -> v[i2]] -> x[]] : 0 <= i0 < n and i1 >= 0 }",
        );
        let of = of.expect("a member");
        assert_eq!((of.base.as_str(), of.n_dims), ("u", 2));
        assert_eq!(of.name(), "v.x");
        assert_eq!(of.text(of.n_inner()), "v[0].x");
        let plain = MemberOf::parse("{ u[i0] : i0 >= 0 }").expect("an array");
        assert_eq!((plain.n_dims, plain.path.len()), (1, 0));
        assert_eq!(MemberOf::parse("{ [i0] : i0 >= 0 }"), None);
    }
}
