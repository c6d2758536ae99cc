//! The members of one struct, and the arrays that they become elements of.

use super::Refused;
use super::query::MemberOf;
use crate::ctype::CType;
use hexcc_pet::data::{PetArray, PetExpr, PetScop, Place, Record};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of a struct whose bytes are compared with those of its other members, at most.
const MOST_NUMBERS: usize = 4096;

/// A struct, or an array of structs.
pub struct Layout<'a> {
    record: &'a Record,
    /// Subscripts before those of members.
    n_dims: usize,
    /// A variable that ends with the region.
    is_variable: bool,
    /// A variable or an array that the region declares.
    is_local: bool,
    /// By place, the array or variable that has its numbers, where the scop uses it.
    names: BTreeMap<usize, String>,
}

/// What an access is of.
pub enum Target {
    /// A number, by its place.
    Number(usize),
    /// A struct: the members on the way to it, and how many subscripts these have.
    Struct(String, usize),
    /// What has no place: the member.
    Unplaced(String),
}

/// A number of a struct.
pub struct Element {
    /// Index of the layout.
    pub layout: usize,
    /// Index of the place.
    pub place: usize,
    /// The last subscripts, behind those of the access.
    pub last: Vec<i64>,
}

/// What an access is of, with the index of the layout; `None` for what is no member of a struct.
pub fn target(pet: &PetScop, layouts: &[Layout], access: &PetExpr) -> Option<(usize, Target)> {
    let PetExpr::Access {
        array: Some(base),
        index,
        ..
    } = access
    else {
        return None;
    };
    let i = layouts.iter().position(|l| l.record.array == *base)?;
    let tuple = outermost(index)?;
    let of = (pet.arrays.iter())
        .filter(|a| a.name == tuple)
        .filter_map(|a| Some((a, MemberOf::parse(&a.extent)?)))
        .find(|(_, of)| of.base == *base);
    let Some((array, of)) = of else {
        return Some((i, Target::Unplaced(tuple.to_string())));
    };
    let path = of.name();
    if array.element_is_record {
        let n_inner = of.path.iter().map(|(_, n)| n).sum();
        return Some((i, Target::Struct(path, n_inner)));
    }
    let place = layouts[i].record.places.iter().position(|p| p.path == path);
    Some((i, place.map_or(Target::Unplaced(path), Target::Number)))
}

/// The name of the tuple that an access is of.
fn outermost(index: &str) -> Option<&str> {
    let (_, map) = index.split_once('{')?;
    let mut depth = 0;
    let mut range = None;
    for (at, c) in map.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            '>' if depth == 0 && map[..at].ends_with('-') => {
                range = Some(at + 1);
                break;
            }
            _ => {}
        }
    }
    let (name, _) = map[range?..].split_once('[')?;
    Some(name.trim())
}

impl<'a> Layout<'a> {
    /// Those of a scop. Structs that are variables of the program are none.
    pub fn all(pet: &'a PetScop) -> Vec<Layout<'a>> {
        let of = |record: &'a Record| {
            let array = pet.arrays.iter().find(|a| is_base(a, record))?;
            let n_dims = MemberOf::parse(&array.extent)?.n_dims;
            let is_variable = n_dims == 0;
            (!is_variable || array.declared).then(|| Layout {
                record,
                n_dims,
                is_variable,
                is_local: array.declared,
                names: BTreeMap::new(),
            })
        };
        pet.records.iter().filter_map(of).collect()
    }

    /// Name of the array or variable.
    pub fn array_name(&self) -> &str {
        &self.record.array
    }

    /// Whether it is a variable and no array.
    pub fn is_variable(&self) -> bool {
        self.is_variable
    }

    /// Whether the region declares it.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// Subscripts before those of members.
    pub fn n_dims(&self) -> usize {
        self.n_dims
    }

    /// Bytes of a struct.
    pub fn size(&self) -> usize {
        self.record.size
    }

    /// A member.
    pub fn place(&self, index: usize) -> &'a Place {
        &self.record.places[index]
    }

    /// The array or variable that has the numbers of a member.
    pub fn name_of(&self, place: usize) -> &str {
        self.names.get(&place).map_or("", String::as_str)
    }

    /// The arrays or variables, with the members that they have the numbers of.
    pub fn named(&self) -> impl Iterator<Item = (&str, &'a Place)> {
        (self.names.iter()).map(|(place, name)| (name.as_str(), &self.record.places[*place]))
    }

    /// Whether an access is of the array.
    pub fn is_of(&self, access: &PetExpr) -> bool {
        matches!(access, PetExpr::Access { array: Some(name), .. } if *name == self.record.array)
    }

    /// The places that an access uses.
    pub fn places_of(&self, target: &Target) -> Result<Vec<usize>, Refused> {
        match target {
            Target::Number(place) => Ok(vec![*place]),
            Target::Unplaced(member) => Err(Refused::Unplaced(member.clone())),
            Target::Struct(path, _) => {
                if let Some(member) = &self.record.unplaced {
                    return Err(Refused::Unplaced(member.clone()));
                }
                Ok(self.below(path).map(|(place, _)| place).collect())
            }
        }
    }

    /// The members of a struct in the struct, each with the rest of its path.
    pub fn below(&self, path: &str) -> impl Iterator<Item = (usize, &'a str)> {
        let path = path.to_string();
        let below = move |(i, place): (usize, &'a Place)| {
            let rest = place.path.strip_prefix(path.as_str())?;
            let rest = match path.is_empty() {
                true => rest,
                false => rest.strip_prefix('.')?,
            };
            Some((i, rest))
        };
        self.record.places.iter().enumerate().filter_map(below)
    }

    /// Names what becomes of the members in use.
    pub fn name_arrays(
        &mut self,
        used: &BTreeSet<usize>,
        is_taken: &dyn Fn(&str) -> bool,
    ) -> Result<(), Refused> {
        self.check(used)?;
        let free = |mut name: String| {
            while is_taken(&name) {
                name.push('_');
            }
            name
        };
        let base = &self.record.array;
        if self.is_variable {
            for &place in used {
                let path = self.record.places[place].path.replace('.', "_");
                self.names.insert(place, free(format!("{base}_{path}")));
            }
            return Ok(());
        }
        let types: BTreeMap<usize, CType> = (used.iter())
            .filter_map(|&place| Some((place, number_type(&self.record.places[place])?)))
            .collect();
        let is_one = types.values().all(|ty| Some(ty) == types.values().next());
        for (place, ty) in types {
            let name = match is_one {
                true => base.clone(),
                false => free(format!("{base}_{}", ty.to_string().replace(' ', "_"))),
            };
            self.names.insert(place, name);
        }
        Ok(())
    }

    /// Whether the members in use are numbers, where elements of arrays of their types are, and have
    /// no byte in common.
    fn check(&self, used: &BTreeSet<usize>) -> Result<(), Refused> {
        let mut bytes: BTreeMap<usize, usize> = BTreeMap::new();
        for &index in used {
            let place = &self.record.places[index];
            let member = || place.path.clone();
            if number_type(place).is_none() {
                return Err(Refused::NoNumber(member(), place.element_type.clone()));
            }
            let size = place.element_size;
            let distances = place.dims.iter().map(|(_, stride)| *stride);
            let mut all = distances.chain([place.offset, self.record.size]);
            if !self.is_variable && all.any(|distance| distance % size != 0) {
                return Err(Refused::Packed(member()));
            }
            let starts = starts(place).ok_or(Refused::TooLarge)?;
            for byte in starts.into_iter().flat_map(|start| start..start + size) {
                let other = bytes.insert(byte, index).filter(|other| *other != index);
                if let Some(other) = other {
                    let other = self.record.places[other].path.clone();
                    return Err(Refused::Overlap(other, member()));
                }
            }
        }
        Ok(())
    }

    /// The index of a number of a variable, in isl's notation, from that of the struct or member.
    pub fn index_of_variable(&self, index: &str, name: &str, last: &[i64]) -> String {
        let tuple = outermost(index).unwrap_or_default();
        let at = index.rfind(&format!("-> {tuple}[")).unwrap_or_default();
        let (statement, rest) = index.split_at(at);
        // The tuple ends where its brackets do.
        let mut depth = 0;
        let end = rest.char_indices().find_map(|(at, c)| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            (c == ']' && depth == 0).then_some(at + 1)
        });
        let subscripts: Vec<String> = last.iter().map(|s| format!("({s})")).collect();
        let rest = &rest[end.unwrap_or(rest.len())..];
        format!("{statement}-> {name}[{}]{rest}", subscripts.join(", "))
    }
}

/// The type of a member's numbers.
fn number_type(place: &Place) -> Option<CType> {
    CType::parse(&place.element_type).filter(|ty| ty.size() == place.element_size)
}

/// Where the numbers of a member begin; `None` for too many.
fn starts(place: &Place) -> Option<Vec<usize>> {
    let mut starts = vec![place.offset];
    for (n, stride) in &place.dims {
        if starts.len().saturating_mul(*n) > MOST_NUMBERS {
            return None;
        }
        let one = |start: usize| (0..*n).map(move |k| start + k * stride);
        starts = starts.into_iter().flat_map(one).collect();
    }
    Some(starts)
}

/// Whether an array is the one of a record, and no member.
fn is_base(array: &PetArray, record: &Record) -> bool {
    array.element_is_record && array.name == record.array
}
