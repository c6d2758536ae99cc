//! Types, structs and enumerations.

use clang_sys::*;

use super::{Importer, Result};
use crate::ast::{
    Builtin, Decl, DeclKind, Enum, EnumId, Expr, Field, FieldId, Length, Record, RecordId, Span,
    Storage, Type, TypeId, TypeKind,
};
use crate::native::{Cursor, Ty};

impl<'p> Importer<'p> {
    /// The type, which is imported when it is seen first.
    pub(super) fn ty(&mut self, ty: Ty<'p>) -> Result<TypeId> {
        let key = ty.key();
        if let Some(id) = self.types.get(&key) {
            return Ok(*id);
        }
        // `struct s`, `(type)` and the like are what they name.
        let plain = plain(ty);
        if plain.key() != key {
            let id = self.deeper(|s| s.ty(plain))?;
            self.types.insert(key, id);
            return Ok(id);
        }
        let id = TypeId(self.unit.types.len() as u32);
        self.types.insert(key, id);
        let [is_const, is_volatile, is_restrict] = ty.qualifiers();
        self.unit.types.push(Type {
            kind: TypeKind::Builtin(Builtin::Void),
            is_const,
            is_volatile,
            is_restrict,
            canonical: id,
            size: None,
            align: None,
        });
        let kind = self.deeper(|s| s.type_kind(ty))?;
        // libclang ends the process where it is asked for the size of what has none.
        if !matches!(kind, TypeKind::Other(_) | TypeKind::Function { .. }) {
            (self.unit[id].size, self.unit[id].align) = (ty.size(), ty.align());
        }
        self.unit[id].kind = kind;
        let canonical = ty.canonical();
        if canonical.key() != key {
            self.unit[id].canonical = self.deeper(|s| s.ty(canonical))?;
        }
        Ok(id)
    }

    /// A type of the language without qualifiers.
    pub(super) fn builtin(&mut self, builtin: Builtin) -> TypeId {
        let kind = TypeKind::Builtin(builtin);
        let is_it = |ty: &Type| ty.kind == kind && !ty.is_const && !ty.is_volatile;
        let found = self.unit.types.iter().position(is_it);
        let id = TypeId(found.unwrap_or(self.unit.types.len()) as u32);
        if found.is_none() {
            let (size, align) = (builtin.size(), builtin.size());
            let [is_const, is_volatile, is_restrict] = [false; 3];
            self.unit.types.push(Type {
                kind,
                is_const,
                is_volatile,
                is_restrict,
                canonical: id,
                size,
                align,
            });
        }
        id
    }

    fn type_kind(&mut self, ty: Ty<'p>) -> Result<TypeKind> {
        if let Some(builtin) = builtin(ty.kind()) {
            return Ok(TypeKind::Builtin(builtin));
        }
        Ok(match ty.kind() {
            CXType_Pointer => TypeKind::Pointer(self.ty(ty.pointee())?),
            CXType_ConstantArray => self.array(ty, Length::Constant(ty.array_size()))?,
            CXType_IncompleteArray => self.array(ty, Length::Unknown)?,
            CXType_VariableArray => self.array(ty, Length::Variable)?,
            CXType_FunctionProto | CXType_FunctionNoProto => {
                let mut params = Vec::new();
                for param in ty.params() {
                    params.push(self.ty(param)?);
                }
                TypeKind::Function {
                    result: self.ty(ty.result())?,
                    params: (ty.kind() == CXType_FunctionProto).then_some(params),
                    is_variadic: ty.is_variadic() && ty.kind() == CXType_FunctionProto,
                }
            }
            CXType_Complex => TypeKind::Complex(self.ty(ty.element())?),
            CXType_Vector | CXType_ExtVector => TypeKind::Vector {
                element: self.ty(ty.element())?,
                lanes: ty.lanes(),
            },
            CXType_Atomic => TypeKind::Atomic(self.ty(ty.value())?),
            _ => self.declared_type(ty)?,
        })
    }

    fn array(&mut self, ty: Ty<'p>, length: Length) -> Result<TypeKind> {
        let element = self.ty(ty.array_element())?;
        Ok(TypeKind::Array { element, length })
    }

    fn declared_type(&mut self, ty: Ty<'p>) -> Result<TypeKind> {
        let declaration = ty.declaration();
        Ok(match (ty.kind(), declaration) {
            (CXType_Record, Some(cursor)) => TypeKind::Record(self.record(cursor)?),
            (CXType_Enum, Some(cursor)) => TypeKind::Enum(self.enumeration(cursor)?),
            (CXType_Typedef, Some(cursor)) => TypeKind::Typedef(self.decl(cursor)?),
            _ => TypeKind::Other(ty.spelling()),
        })
    }

    /// The struct or union that a cursor declares.
    pub(super) fn record(&mut self, cursor: Cursor<'p>) -> Result<RecordId> {
        let first = cursor.first();
        if let Some(id) = self.records.get(&first) {
            return Ok(*id);
        }
        let definition = cursor.definition();
        let shown = definition.unwrap_or(first);
        let id = RecordId(self.unit.records.len() as u32);
        self.records.insert(first, id);
        let span = self.span(shown);
        let attributes = shown.children();
        self.unit.records.push(Record {
            tag: self.tag(shown, span),
            is_union: shown.kind() == CXCursor_UnionDecl,
            is_complete: definition.is_some(),
            is_anonymous: shown.is_anonymous_member(),
            is_packed: attributes.iter().any(|a| a.kind() == CXCursor_PackedAttr),
            size: shown.ty().size().unwrap_or(0),
            align: shown.ty().align().unwrap_or(1),
            fields: Vec::new(),
            span,
        });
        if definition.is_some() {
            for field in shown.ty().fields() {
                self.deeper(|s| s.new_field(id, field))?;
            }
        }
        Ok(id)
    }

    /// The tag that is written: where there is none, clang gives the name of a `typedef`.
    fn tag(&self, cursor: Cursor<'p>, span: Span) -> String {
        let text = self.unit.text(span);
        let behind = text
            .trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .trim_start();
        match cursor.is_untagged() || span.expansion.is_none() && behind.starts_with('{') {
            true => String::new(),
            false => written(cursor),
        }
    }

    fn new_field(&mut self, record: RecordId, cursor: Cursor<'p>) -> Result<()> {
        let ty = self.ty(cursor.ty())?;
        let span = self.span(cursor);
        let name = match self.unit[ty].kind {
            TypeKind::Record(of) if self.unit[of].is_anonymous => String::new(),
            _ => written(cursor),
        };
        let id = FieldId(self.unit.fields.len() as u32);
        self.unit.fields.push(Field {
            name,
            ty,
            bit_offset: cursor.bit_offset(),
            bits: cursor.bits(),
            record,
            span,
        });
        self.fields.insert(cursor, id);
        self.unit[record].fields.push(id);
        Ok(())
    }

    /// The member that a cursor declares.
    pub(super) fn field(&mut self, cursor: Cursor<'p>) -> Option<FieldId> {
        self.fields.get(&cursor).copied()
    }

    /// The enumeration that a cursor declares.
    pub(super) fn enumeration(&mut self, cursor: Cursor<'p>) -> Result<EnumId> {
        let first = cursor.first();
        if let Some(id) = self.enums.get(&first) {
            return Ok(*id);
        }
        let shown = cursor.definition().unwrap_or(first);
        let id = EnumId(self.unit.enums.len() as u32);
        self.enums.insert(first, id);
        let span = self.span(shown);
        let tag = self.tag(shown, span);
        let stored = builtin(shown.enum_type().canonical().kind());
        self.unit.enums.push(Enum {
            tag,
            stored,
            enumerators: Vec::new(),
            span,
        });
        let is_unsigned = stored.is_some_and(|ty| ty.name().starts_with("unsigned"));
        for child in shown.children() {
            if child.kind() != CXCursor_EnumConstantDecl {
                continue;
            }
            let ty = self.ty(child.ty())?;
            let span = self.span(child);
            let decl = self.new_decl(child, |first| Decl {
                name: child.spelling(),
                kind: DeclKind::Enumerator(child.enum_value(is_unsigned)),
                ty,
                extents: Vec::new(),
                storage: Storage::None,
                is_thread_local: false,
                align: None,
                attributes: Vec::new(),
                init: None,
                first,
                span,
            });
            self.unit[id].enumerators.push(decl);
        }
        Ok(id)
    }

    /// The lengths of the variable arrays of a type that is written, the outermost first. `exprs` begins
    /// with all lengths that are written, the innermost first.
    pub(super) fn extents(&mut self, ty: Ty<'p>, exprs: &[Cursor<'p>]) -> Result<Vec<Expr>> {
        let is_variable = written_lengths(ty);
        let mut extents = Vec::new();
        if !is_variable.contains(&true) || exprs.len() < is_variable.len() {
            return Ok(extents);
        }
        for (cursor, is_variable) in exprs[..is_variable.len()].iter().rev().zip(&is_variable) {
            if *is_variable {
                extents.push(self.expr(*cursor)?);
            }
        }
        Ok(extents)
    }
}

/// A name that is written; clang makes up others, with blanks and brackets.
fn written(cursor: Cursor<'_>) -> String {
    let name = cursor.spelling();
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    if name.chars().all(is_name) {
        name
    } else {
        String::new()
    }
}

/// The arrays with lengths that a type's text has, the outermost first: which of them are variable.
pub(super) fn written_lengths(ty: Ty<'_>) -> Vec<bool> {
    let mut found = Vec::new();
    let mut ty = ty;
    loop {
        ty = match ty.kind() {
            CXType_Pointer => ty.pointee(),
            CXType_ConstantArray | CXType_VariableArray => {
                found.push(ty.kind() == CXType_VariableArray);
                ty.array_element()
            }
            CXType_IncompleteArray => ty.array_element(),
            CXType_FunctionProto | CXType_FunctionNoProto => ty.result(),
            CXType_Unexposed => {
                let inner = plain(ty);
                if inner.key() == ty.key() {
                    return found;
                }
                inner
            }
            _ => return found,
        };
    }
}

/// The type behind `struct`, parentheses, attributes and `typeof`.
fn plain(ty: Ty<'_>) -> Ty<'_> {
    match ty.kind() {
        CXType_Elaborated => ty.named(),
        CXType_Unexposed | CXType_Auto => ty.canonical(),
        _ => ty,
    }
}

fn builtin(kind: CXTypeKind) -> Option<Builtin> {
    Some(match kind {
        CXType_Void => Builtin::Void,
        CXType_Bool => Builtin::Bool,
        CXType_Char_S | CXType_Char_U => Builtin::Char,
        CXType_SChar => Builtin::SChar,
        CXType_UChar => Builtin::UChar,
        CXType_Short => Builtin::Short,
        CXType_UShort => Builtin::UShort,
        CXType_Int => Builtin::Int,
        CXType_UInt => Builtin::UInt,
        CXType_Long => Builtin::Long,
        CXType_ULong => Builtin::ULong,
        CXType_LongLong => Builtin::LongLong,
        CXType_ULongLong => Builtin::ULongLong,
        CXType_Int128 => Builtin::Int128,
        CXType_UInt128 => Builtin::UInt128,
        CXType_Float16 | CXType_Half => Builtin::Float16,
        CXType_Float => Builtin::Float,
        CXType_Double => Builtin::Double,
        CXType_LongDouble => Builtin::LongDouble,
        CXType_Float128 => Builtin::Float128,
        _ => return None,
    })
}
