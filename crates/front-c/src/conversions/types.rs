//! What C++ converts by itself.

use hexcc_clang::ast::{Builtin, EnumId, Length, Type, TypeId, TypeKind, Unit};

/// What a pointer points to, or an array is of.
pub(super) fn pointee(unit: &Unit, ty: TypeId) -> Option<TypeId> {
    match unit.canonical(ty).kind {
        TypeKind::Pointer(to) => Some(to),
        TypeKind::Array { element, .. } => Some(element),
        _ => None,
    }
}

pub(super) fn is_pointer(unit: &Unit, ty: TypeId) -> bool {
    matches!(unit.canonical(ty).kind, TypeKind::Pointer(_))
}

pub(super) fn is_void(unit: &Unit, ty: TypeId) -> bool {
    unit.canonical(ty).kind == TypeKind::Builtin(Builtin::Void)
}

pub(super) fn is_function(unit: &Unit, ty: TypeId) -> bool {
    matches!(unit.canonical(ty).kind, TypeKind::Function { .. })
}

pub(super) fn enumeration(unit: &Unit, ty: TypeId) -> Option<EnumId> {
    match unit.canonical(ty).kind {
        TypeKind::Enum(id) => Some(id),
        _ => None,
    }
}

/// Whether a type is `const`, and whether it is `volatile`; an array is what its elements are.
fn qualifiers(unit: &Unit, ty: TypeId) -> (bool, bool) {
    let known = unit.canonical(ty);
    match known.kind {
        TypeKind::Array { element, .. } => qualifiers(unit, element),
        _ => (known.is_const, known.is_volatile),
    }
}

/// Whether C++ converts a pointer to one type to a pointer to the other.
pub(super) fn converts(unit: &Unit, from: TypeId, to: TypeId) -> bool {
    match is_void(unit, to) && !is_function(unit, from) {
        true => is_no_more(qualifiers(unit, from), qualifiers(unit, to)),
        false => qualifies(unit, (from, to), true),
    }
}

fn is_no_more(from: (bool, bool), to: (bool, bool)) -> bool {
    from.0 <= to.0 && from.1 <= to.1
}

/// Whether types differ in qualifiers that C++ adds; `free` where all pointers on the way are `const`.
fn qualifies(unit: &Unit, (from, to): (TypeId, TypeId), free: bool) -> bool {
    let (a, b) = (unit.canonical(from), unit.canonical(to));
    if let (
        TypeKind::Array {
            element: from,
            length,
        },
        TypeKind::Array {
            element: to,
            length: other,
        },
    ) = (&a.kind, &b.kind)
    {
        return length == other && qualifies(unit, (*from, *to), free);
    }
    let (before, after) = (qualifiers(unit, from), qualifiers(unit, to));
    let is_added = is_no_more(before, after) && (before == after || free);
    match (&a.kind, &b.kind) {
        (TypeKind::Pointer(from), TypeKind::Pointer(to)) => {
            is_added && qualifies(unit, (*from, *to), free && after.0)
        }
        _ => is_added && is_alike(unit, a, b),
    }
}

/// Whether types are the same but for their own qualifiers.
pub(super) fn is_alike(unit: &Unit, a: &Type, b: &Type) -> bool {
    let same = |a: TypeId, b: TypeId| {
        qualifiers(unit, a) == qualifiers(unit, b)
            && is_alike(unit, unit.canonical(a), unit.canonical(b))
    };
    match (&a.kind, &b.kind) {
        (TypeKind::Pointer(a), TypeKind::Pointer(b))
        | (TypeKind::Complex(a), TypeKind::Complex(b))
        | (TypeKind::Atomic(a), TypeKind::Atomic(b)) => same(*a, *b),
        (
            TypeKind::Array { element, length },
            TypeKind::Array {
                element: other,
                length: of_other,
            },
        ) => length == of_other && same(*element, *other),
        (
            TypeKind::Function {
                result,
                params,
                is_variadic,
            },
            TypeKind::Function {
                result: other,
                params: of_other,
                is_variadic: other_is,
            },
        ) => {
            let (params, others) = (
                params.as_deref().unwrap_or_default(),
                of_other.as_deref().unwrap_or_default(),
            );
            let alike =
                |(a, b): (&TypeId, &TypeId)| is_alike(unit, unit.canonical(*a), unit.canonical(*b));
            is_variadic == other_is
                && same(*result, *other)
                && params.len() == others.len()
                && params.iter().zip(others).all(alike)
        }
        (a, b) => a == b,
    }
}

/// Whether a type can be named anywhere where it is known: it has no lengths that vary, and its structs have tags.
pub(super) fn has_name(unit: &Unit, ty: TypeId) -> bool {
    match &unit[ty].kind {
        TypeKind::Pointer(to) | TypeKind::Complex(to) | TypeKind::Atomic(to) => has_name(unit, *to),
        TypeKind::Array { element, length } => {
            *length != Length::Variable && has_name(unit, *element)
        }
        TypeKind::Function { result, params, .. } => {
            let params = params.iter().flatten();
            has_name(unit, *result) && params.into_iter().all(|ty| has_name(unit, *ty))
        }
        TypeKind::Record(id) => !unit[*id].tag.is_empty(),
        TypeKind::Enum(id) => !unit[*id].tag.is_empty(),
        TypeKind::Other(_) | TypeKind::Vector { .. } => false,
        TypeKind::Builtin(_) | TypeKind::Typedef(_) => true,
    }
}

/// Whether the length of an array in a type varies.
pub(super) fn varies(unit: &Unit, ty: TypeId) -> bool {
    match unit.canonical(ty).kind {
        TypeKind::Array {
            length: Length::Variable,
            ..
        } => true,
        TypeKind::Pointer(to) | TypeKind::Array { element: to, .. } => varies(unit, to),
        _ => false,
    }
}
