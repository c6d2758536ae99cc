//! Functions that a C file defines, with the types of their parameters, for callers in other languages.
//!
//! A [`Signatures`] has all that a caller needs to pass numbers and arrays: sizes of elements, what is `const`, and
//! lengths of arrays as far as parameters give them. It knows nothing of loops.

pub mod body;
#[cfg(test)]
mod tests;

use hexcc_clang::ast::{
    self, BinaryOp, Builtin, DeclKind, Expr, ExprKind, FileId, Function, FunctionId, Length,
    RecordId, Severity, Storage, TypeId, TypeKind, UnaryOp, Unit,
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The functions that a file defines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signatures {
    /// In the order of the text.
    pub functions: Vec<Signature>,
    /// What clang says is an error, and where in the file; the types mean nothing then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<(String, Option<Range<usize>>)>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// Whether other files cannot call it.
    #[serde(rename = "static")]
    pub is_static: bool,
    /// Whether it takes further arguments.
    #[serde(rename = "variadic")]
    pub is_variadic: bool,
    /// What it returns.
    pub result: Type,
    /// What it takes.
    pub params: Vec<Param>,
    /// What it does.
    pub body: Vec<body::Step>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Its name; maybe none.
    pub name: String,
    /// Its type as it is written: arrays are no pointers.
    #[serde(rename = "type")]
    pub ty: Type,
}

/// A type, without names of types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Type {
    /// Whether it is `const`.
    #[serde(rename = "const")]
    pub is_const: bool,
    /// What it is.
    #[serde(flatten)]
    pub kind: Kind,
}

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Kind {
    /// `void`
    Void,
    /// An integer or an enumeration.
    Integer {
        /// As C spells it.
        name: String,
        /// In bytes.
        size: u64,
        /// Whether it may be negative.
        signed: bool,
    },
    /// A floating-point number.
    Float {
        /// As C spells it.
        name: String,
        /// In bytes.
        size: u64,
    },
    /// A pointer.
    Pointer {
        /// What it points to.
        to: Box<Type>,
    },
    /// An array.
    Array {
        /// Of what.
        element: Box<Type>,
        /// Of how many.
        length: Extent,
    },
    /// A struct.
    Struct {
        /// Its tag; maybe none.
        name: String,
        /// In bytes.
        size: u64,
        /// Its members in order.
        fields: Vec<Field>,
    },
    /// Something else.
    Other {
        /// What it is, in words of C.
        name: String,
    },
}

/// A member of a struct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Bytes before it.
    pub offset: u64,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
}

/// The length of an array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// A number.
    Int(i64),
    /// The value of a parameter.
    Param(String),
    /// An operator `+`, `-`, `*`, `/` or `%`, and its operands.
    Binary(String, Box<Extent>, Box<Extent>),
    /// Nobody knows, as of `[]`.
    Unknown,
}

impl Type {
    /// Makes it `const`, which an array is where its elements are.
    fn fix(&mut self) {
        self.is_const = true;
        if let Kind::Array { element, .. } = &mut self.kind {
            element.fix();
        }
    }
}

impl Signatures {
    /// Of a file.
    pub fn of(unit: &Unit) -> Signatures {
        let is_error = |m: &&ast::Message| m.severity >= Severity::Error;
        let errors = unit.messages.iter().filter(is_error).map(|message| {
            let here = message.span.filter(|span| span.file == FileId(0));
            let place = here.map(|span| span.start as usize..span.end as usize);
            (message.text.clone(), place)
        });
        let ids = (0..unit.functions.len()).map(|n| FunctionId(n as u32));
        let own = ids
            .map(|id| &unit[id])
            .filter(|function| function.body.is_some() && !unit[function.span.file].is_system);
        Signatures {
            functions: own.map(|function| signature(unit, function)).collect(),
            errors: errors.collect(),
        }
    }
}

fn signature(unit: &Unit, function: &Function) -> Signature {
    let first = &unit[function.first];
    let statics = [first.storage, function.storage];
    let result = match unit.canonical(function.ty).kind {
        TypeKind::Function { result, .. } => typed(unit, result, &mut [].iter()),
        _ => Type {
            is_const: false,
            kind: other("function"),
        },
    };
    let params = function.params.iter().map(|id| {
        let decl = &unit[*id];
        Param {
            name: decl.name.clone(),
            ty: typed(unit, decl.ty, &mut decl.extents.iter()),
        }
    });
    Signature {
        name: function.name.clone(),
        is_static: statics.contains(&Storage::Static),
        is_variadic: function.is_variadic,
        result,
        params: params.collect(),
        body: body::steps(unit, function),
    }
}

/// A type whose variable arrays have some lengths, the outermost first.
fn typed(unit: &Unit, ty: TypeId, extents: &mut std::slice::Iter<Expr>) -> Type {
    let plain = unit.canonical(ty);
    let kind = match &plain.kind {
        TypeKind::Builtin(builtin) => number(*builtin, plain.size),
        TypeKind::Enum(_) => integer("enum", plain.size, false),
        TypeKind::Pointer(to) => Kind::Pointer {
            to: Box::new(typed(unit, *to, extents)),
        },
        TypeKind::Array { element, length } => {
            let length = match length {
                Length::Constant(n) => int(i128::from(*n)),
                Length::Variable => extents.next().map_or(Extent::Unknown, |e| extent(unit, e)),
                Length::Unknown => Extent::Unknown,
            };
            Kind::Array {
                element: Box::new(typed(unit, *element, extents)),
                length,
            }
        }
        TypeKind::Record(id) => record(unit, *id),
        TypeKind::Function { .. } => other("function"),
        TypeKind::Other(name) => other(name),
        _ => other("type"),
    };
    let mut typed = Type {
        is_const: false,
        kind,
    };
    if plain.is_const || unit[ty].is_const {
        typed.fix();
    }
    typed
}

fn other(name: &str) -> Kind {
    Kind::Other {
        name: name.to_owned(),
    }
}

fn integer(name: &str, size: Option<u64>, signed: bool) -> Kind {
    let name = name.to_owned();
    match size {
        Some(size) => Kind::Integer { name, size, signed },
        None => Kind::Other { name },
    }
}

fn number(builtin: Builtin, size: Option<u64>) -> Kind {
    use Builtin::{Bool, Float, Float16, Float128, LongDouble};
    use Builtin::{Double, UChar, UInt, UInt128, ULong, ULongLong, UShort};
    let name = builtin.name();
    match (builtin, size) {
        (Builtin::Void, _) => Kind::Void,
        (Float | Double | LongDouble | Float16 | Float128, Some(size)) => Kind::Float {
            name: name.to_owned(),
            size,
        },
        (Bool | UChar | UShort | UInt | ULong | ULongLong | UInt128, size) => {
            integer(name, size, false)
        }
        (_, size) => integer(name, size, true),
    }
}

/// A struct whose members are numbers, arrays and structs; pointers in it would lead round in circles.
fn record(unit: &Unit, id: RecordId) -> Kind {
    let record = &unit[id];
    let keyword = if record.is_union { "union" } else { "struct" };
    let unknown = other(format!("{keyword} {}", record.tag).trim_end());
    if record.is_union || !record.is_complete {
        return unknown;
    }
    let field = |id: &ast::FieldId| {
        let field = &unit[*id];
        let is_plain = !field.name.is_empty() && field.bits.is_none();
        let offset = field.bit_offset.filter(|_| is_plain)? / 8;
        let ty = match unit.canonical(field.ty).kind {
            TypeKind::Pointer(_) => return None,
            _ => typed(unit, field.ty, &mut [].iter()),
        };
        let name = field.name.clone();
        Some(Field { name, offset, ty })
    };
    let fields: Option<Vec<Field>> = record.fields.iter().map(field).collect();
    fields.map_or(unknown, |fields| Kind::Struct {
        name: record.tag.clone(),
        size: record.size,
        fields,
    })
}

/// A number; JSON in [`Kind`] has none of 128 bits.
fn int(n: i128) -> Extent {
    i64::try_from(n).map_or(Extent::Unknown, Extent::Int)
}

/// What an expression says of parameters.
fn extent(unit: &Unit, expr: &Expr) -> Extent {
    match &expr.kind {
        ExprKind::Int(n) | ExprKind::Char(n) => int(*n),
        ExprKind::SizeOf(n) => int(i128::from(*n)),
        ExprKind::Cast { value, .. } | ExprKind::Unary(UnaryOp::Plus, value) => extent(unit, value),
        ExprKind::Var(id) => match unit[*id].kind {
            DeclKind::Parameter => Extent::Param(unit[*id].name.clone()),
            DeclKind::Enumerator(n) => int(n),
            _ => Extent::Unknown,
        },
        ExprKind::Binary(op, left, right) => {
            use BinaryOp::{Add, Div, Mul, Rem, Sub};
            let (left, right) = (extent(unit, left), extent(unit, right));
            let is_known = matches!(op, Add | Sub | Mul | Div | Rem);
            match is_known && left != Extent::Unknown && right != Extent::Unknown {
                true => Extent::Binary(op.text().to_owned(), Box::new(left), Box::new(right)),
                false => Extent::Unknown,
            }
        }
        _ => Extent::Unknown,
    }
}
