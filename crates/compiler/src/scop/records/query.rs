//! Where members of structs lie: what clang is asked.
//!
//! pet names the members of arrays of structs and their types, and not their places in memory.

use hexcc_pet::data::{PetArray, PetScop, Place, Record};

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

    /// As messages name it.
    pub fn name(&self) -> String {
        let names: Vec<&str> = self.path.iter().map(|(name, _)| name.as_str()).collect();
        names.join(".")
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
    /// The type of an element where the region declares the array: its name in C.
    pub fn declared_type(&self) -> Option<&str> {
        let declared = self.array.declared;
        declared.then(|| unqualified(&self.array.element_type))
    }

    /// The array or variable, and how many subscripts lead to a struct.
    pub fn base(&self) -> (&str, usize) {
        (&self.base.base, self.base.n_dims)
    }

    /// What is known of the struct: each member with its place, if it has one. `size` is that of an
    /// element, and `place` says where a path of members, each with its subscripts, leads.
    pub fn record(&self, size: Option<usize>, place: &dyn Fn(&Members) -> Option<Found>) -> Record {
        let is_known = size == Some(self.array.element_size);
        let (mut places, mut unplaced) = (Vec::new(), None);
        for (member, array) in &self.members {
            let found = is_known.then(|| place(&member.path)).flatten();
            match found.filter(|found| found.element_size == array.element_size) {
                Some(found) => places.push(Place {
                    path: member.name(),
                    offset: found.offset,
                    dims: found.dims,
                    element_type: array.element_type.clone(),
                    element_size: found.element_size,
                }),
                None => unplaced = unplaced.or_else(|| Some(member.name())),
            }
        }
        Record {
            array: self.array.name.clone(),
            size: self.array.element_size,
            places,
            unplaced,
        }
    }
}

/// Members on the way to one, each with its subscripts.
pub type Members = [(String, usize)];

/// Where a member lies.
pub struct Found {
    /// Bytes from the beginning of the struct.
    pub offset: usize,
    /// Bytes of an element.
    pub element_size: usize,
    /// By subscript, how many elements there are and the bytes from one to the next.
    pub dims: Vec<(usize, usize)>,
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
        assert_eq!(of.path, [("v".to_string(), 1), ("x".to_string(), 0)]);
        let plain = MemberOf::parse("{ u[i0] : i0 >= 0 }").expect("an array");
        assert_eq!((plain.n_dims, plain.path.len()), (1, 0));
        assert_eq!(MemberOf::parse("{ [i0] : i0 >= 0 }"), None);
    }
}
