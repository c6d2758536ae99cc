//! What a C file declares: types of variables, and where members of structs lie.
//!
//! [`Facts`] are a small part of a [`Unit`](hexcc_clang::ast::Unit) that crosses the border of a process: no
//! bodies, and names with the part of the text where they mean something.

mod gather;
#[cfg(test)]
mod tests;

pub(crate) use gather::is_of_library;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a C file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// All types, without names of types.
    types: Vec<Type>,
    records: Vec<Record>,
    /// Variables and parameters; what hides another one stands behind it.
    variables: Vec<Variable>,
    /// Names of types of the file, and structs as `struct tag`.
    names: Vec<(String, TypeId)>,
    /// What clang says is an error.
    pub errors: Vec<String>,
    /// Functions of C's library, which clang knows, that are called without a declaration.
    pub undeclared_of_library: Vec<String>,
    /// Functions of the file that stand for integer expressions and do nothing else.
    pub index_functions: Vec<String>,
    /// Where statements of functions begin.
    statements: Vec<usize>,
}

/// A type of some [`Facts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeId(u32);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Type {
    kind: Kind,
    /// In bytes, where it is constant.
    size: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    /// One of the language, as C spells it.
    Builtin(String),
    Pointer(TypeId),
    Array(TypeId),
    Record(u32),
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Field {
    /// Empty for a struct without a name, whose members are those of what it stands in.
    name: String,
    ty: TypeId,
    /// Where it begins, if that is known and no bit-field.
    offset: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Variable {
    name: String,
    ty: TypeId,
    /// Where its name means it; headers are before everything.
    visible: Range<usize>,
}

/// Where a member of a struct lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes before its first element.
    pub offset: usize,
    /// Bytes of an element.
    pub size: usize,
    /// By subscript, how many elements there are and the bytes from one to the next.
    pub dims: Vec<(usize, usize)>,
}

impl Facts {
    /// The type of the variable that a name means at an offset.
    pub fn variable(&self, name: &str, at: usize) -> Option<TypeId> {
        let mut visible = self.variables.iter().rev();
        Some(
            visible
                .find(|v| v.name == name && v.visible.contains(&at))?
                .ty,
        )
    }

    /// Whether a statement of a function begins in a part of the text, as the preprocessor leaves it.
    pub fn has_statement(&self, part: &Range<usize>) -> bool {
        self.statements.iter().any(|start| part.contains(start))
    }

    /// The type that a name such as `real` or `struct cell` stands for, where it is the only one.
    pub fn named(&self, name: &str) -> Option<TypeId> {
        let mut named = self.names.iter().filter(|(known, _)| known == name);
        let (_, ty) = named.next()?;
        let is_same = |other: &(String, TypeId)| self.ty(other.1) == self.ty(*ty);
        named.all(is_same).then_some(*ty)
    }

    /// What elements of an array, or what a pointer points to, are.
    fn element(&self, ty: TypeId) -> Option<TypeId> {
        match self.ty(ty)?.kind {
            Kind::Pointer(to) | Kind::Array(to) => Some(to),
            _ => None,
        }
    }

    /// What is behind some subscripts.
    pub fn behind(&self, ty: TypeId, subscripts: usize) -> Option<TypeId> {
        (0..subscripts).try_fold(ty, |ty, _| self.element(ty))
    }

    /// What is behind all subscripts that a type allows.
    pub fn innermost(&self, ty: TypeId) -> TypeId {
        // No type is made of itself but through a struct.
        std::iter::successors(Some(ty), |ty| self.element(*ty))
            .last()
            .unwrap_or(ty)
    }

    /// How many subscripts behind the first follow pointers, one after the other.
    pub fn pointers(&self, ty: TypeId) -> usize {
        let mut found = 0;
        let mut at = self.element(ty);
        while let Some(Kind::Pointer(to)) = at.and_then(|at| Some(&self.ty(at)?.kind)) {
            found += 1;
            at = Some(*to);
        }
        found
    }

    /// The name of a type of the language.
    pub fn builtin(&self, ty: TypeId) -> Option<&str> {
        match &self.ty(ty)?.kind {
            Kind::Builtin(name) => Some(name),
            _ => None,
        }
    }

    /// The size of a type, where it is constant.
    pub fn size(&self, ty: TypeId) -> Option<usize> {
        usize::try_from(self.ty(ty)?.size?).ok()
    }

    /// Where a member of a struct lies that a path of names leads to, each with as many subscripts;
    /// `None` for what has no place of its own in the struct.
    pub fn place(&self, record: TypeId, path: &[(String, usize)]) -> Option<Place> {
        let mut place = Place {
            offset: 0,
            size: self.size(record)?,
            dims: Vec::new(),
        };
        let mut at = record;
        for (name, subscripts) in path {
            let (ty, offset) = self.field(at, name)?;
            place.offset += usize::try_from(offset?).ok()?;
            at = ty;
            for _ in 0..*subscripts {
                let Kind::Array(element) = self.ty(at)?.kind else {
                    return None;
                };
                let (whole, part) = (self.size(at)?, self.size(element)?);
                place.dims.push((whole.checked_div(part)?, part));
                at = element;
            }
            place.size = self.size(at)?;
        }
        Some(place)
    }

    /// The type and the place of a member of a struct.
    fn field(&self, record: TypeId, name: &str) -> Option<(TypeId, Option<u64>)> {
        let Kind::Record(record) = self.ty(record)?.kind else {
            return None;
        };
        let fields = || self.records.get(record as usize).map(|r| r.fields.iter());
        if let Some(field) = fields()?.find(|f| f.name == name) {
            return Some((field.ty, field.offset));
        }
        let mut inner = fields()?.filter(|f| f.name.is_empty());
        inner.find_map(|inner| {
            let (ty, offset) = self.field(inner.ty, name)?;
            Some((ty, Some(inner.offset? + offset?)))
        })
    }

    fn ty(&self, ty: TypeId) -> Option<&Type> {
        self.types.get(ty.0 as usize)
    }
}
