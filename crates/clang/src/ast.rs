//! A translation unit as plain data: types, declarations, statements and expressions with resolved names.
//!
//! The tree is that of the expanded text. Parentheses are gone, implicit conversions are there. Every
//! declaration of a thing has an entry of its own, and all uses refer to the first one.

use std::ops::Range;
use std::path::PathBuf;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident: $what:ident in $list:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl std::ops::Index<$name> for Unit {
            type Output = $what;
            fn index(&self, id: $name) -> &$what {
                &self.$list[id.0 as usize]
            }
        }

        impl std::ops::IndexMut<$name> for Unit {
            fn index_mut(&mut self, id: $name) -> &mut $what {
                &mut self.$list[id.0 as usize]
            }
        }
    )*};
}

ids! {
    /// A file of a unit.
    FileId: File in files;
    /// A type of a unit.
    TypeId: Type in types;
    /// A struct or union of a unit.
    RecordId: Record in records;
    /// A member of a struct or union.
    FieldId: Field in fields;
    /// An enumeration of a unit.
    EnumId: Enum in enums;
    /// A variable, parameter, enumerator or name of a type.
    DeclId: Decl in decls;
    /// A function of a unit.
    FunctionId: Function in functions;
    /// Where a macro was expanded.
    ExpansionId: Expansion in expansions;
}

/// Everything that one C file says.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// The files that something comes from; the first is the one that was asked for.
    pub files: Vec<File>,
    /// All types that occur.
    pub types: Vec<Type>,
    /// All structs and unions that occur.
    pub records: Vec<Record>,
    /// Their members.
    pub fields: Vec<Field>,
    /// All enumerations that occur.
    pub enums: Vec<Enum>,
    /// Variables, parameters, enumerators and names of types.
    pub decls: Vec<Decl>,
    /// Functions, with and without a body.
    pub functions: Vec<Function>,
    /// What the user's files declare, in the order of the text.
    pub items: Vec<Item>,
    /// The headers of the system that the user's files include, in the order of the text.
    pub includes: Vec<Include>,
    /// The macros that the user's files define.
    pub macros: Vec<Macro>,
    /// Where the user's files expand macros.
    pub expansions: Vec<Expansion>,
    /// The pragmas of the user's files.
    pub pragmas: Vec<Pragma>,
    /// What conditions of the preprocessor leave out of the user's files, with the directives around it.
    pub skipped: Vec<Span>,
    /// What clang remarked.
    pub messages: Vec<Message>,
    /// What the tree does not tell; attributes among it.
    pub unknown: Vec<Unknown>,
}

impl Unit {
    /// The text of a span; empty where its file is not the user's.
    pub fn text(&self, span: Span) -> &str {
        let range = span.start as usize..span.end as usize;
        self[span.file].text.get(range).unwrap_or_default()
    }

    /// Whether clang found an error.
    pub fn has_errors(&self) -> bool {
        self.messages.iter().any(|m| m.severity >= Severity::Error)
    }

    /// The declaration of a function that has its body.
    pub fn definition(&self, function: FunctionId) -> Option<FunctionId> {
        let first = self[function].first;
        let mut all = (0..self.functions.len()).map(|n| FunctionId(n as u32));
        all.find(|f| self[*f].first == first && self[*f].body.is_some())
    }

    /// The body of a function, where the unit defines it.
    pub fn body_of(&self, function: FunctionId) -> Option<&Stmt> {
        self[self.definition(function)?].body.as_ref()
    }

    /// The type without its names: what a chain of `typedef` stands for.
    pub fn canonical(&self, ty: TypeId) -> &Type {
        &self[self[ty].canonical]
    }
}

/// A file.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name as clang has found it.
    pub path: PathBuf,
    /// What stands in it; empty for headers of the system.
    pub text: String,
    /// Whether it is a header of the system.
    pub is_system: bool,
}

/// A place in a file. Text that a macro gives has the place of the macro's use; arguments have their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
    /// The use of a macro that it comes from or is an argument of.
    pub expansion: Option<ExpansionId>,
}

impl Span {
    /// The bytes that can be replaced to replace what the span stands for: none if it is a part of
    /// what a macro gives.
    pub fn editable(&self, unit: &Unit) -> Option<Range<usize>> {
        let range = self.start as usize..self.end as usize;
        let Some(expansion) = self.expansion else {
            return Some(range);
        };
        let whole = &unit[expansion].range;
        let is_whole = *whole == (self.start..self.end);
        let is_argument = self.start > whole.start && self.end < whole.end;
        (is_whole || is_argument).then_some(range)
    }
}

/// A use of a macro.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The macro.
    pub name: String,
    /// The file that uses it.
    pub file: FileId,
    /// Name and arguments.
    pub range: Range<u32>,
}

/// A directive that includes a header of the system.
#[derive(Clone, Debug)]
pub struct Include {
    /// The header, as it is written.
    pub name: String,
    /// The directive.
    pub span: Span,
}

/// The definition of a macro.
#[derive(Clone, Debug)]
pub struct Macro {
    /// Its name.
    pub name: String,
    /// Name, parameters and body.
    pub span: Span,
}

/// A pragma.
#[derive(Clone, Debug)]
pub struct Pragma {
    /// What stands behind `#pragma`, with one blank between tokens.
    pub text: String,
    /// The whole directive.
    pub span: Span,
}

/// How bad a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Belongs to another message.
    Note,
    /// May be as it should.
    Warning,
    /// No C.
    Error,
    /// No C, and nothing behind it was read.
    Fatal,
}

/// A remark of clang.
#[derive(Clone, Debug)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// The remark.
    pub text: String,
    /// The place, where there is one.
    pub span: Option<Span>,
}

/// Something that became `Other`, or an attribute that a macro gives, which is left out.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// What it is.
    pub name: &'static str,
    /// Where it is.
    pub span: Span,
}

/// A type with its qualifiers.
#[derive(Clone, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Whether it is `const`.
    pub is_const: bool,
    /// Whether it is `volatile`.
    pub is_volatile: bool,
    /// Whether it is `restrict`.
    pub is_restrict: bool,
    /// The same type without names of types.
    pub canonical: TypeId,
    /// Its size in bytes, where it is constant.
    pub size: Option<u64>,
    /// Its alignment in bytes.
    pub align: Option<u64>,
}

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// A type of the language.
    Builtin(Builtin),
    /// A pointer.
    Pointer(TypeId),
    /// An array.
    Array {
        /// Of what.
        element: TypeId,
        /// Of how many.
        length: Length,
    },
    /// A function.
    Function {
        /// What it returns.
        result: TypeId,
        /// The types of its parameters; none for `f()`.
        params: Option<Vec<TypeId>>,
        /// Whether it takes further arguments.
        is_variadic: bool,
    },
    /// A struct or union.
    Record(RecordId),
    /// An enumeration.
    Enum(EnumId),
    /// The name of a type.
    Typedef(DeclId),
    /// `_Complex`.
    Complex(TypeId),
    /// A vector of GNU C.
    Vector {
        /// Of what.
        element: TypeId,
        /// Of how many.
        lanes: u64,
    },
    /// `_Atomic`.
    Atomic(TypeId),
    /// Another one, as clang spells it.
    Other(String),
}

/// The length of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// A constant.
    Constant(u64),
    /// A variable array; the declaration or cast has the expression.
    Variable,
    /// `[]`.
    Unknown,
}

macro_rules! builtins {
    ($($name:ident $text:literal,)*) => {
        /// The types of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // Their names are those of C.
        pub enum Builtin { $($name,)* }

        impl Builtin {
            /// Its name in C.
            pub fn name(self) -> &'static str {
                match self { $(Builtin::$name => $text,)* }
            }
        }
    };
}

builtins! {
    Void "void",
    Bool "_Bool",
    Char "char",
    SChar "signed char",
    UChar "unsigned char",
    Short "short",
    UShort "unsigned short",
    Int "int",
    UInt "unsigned int",
    Long "long",
    ULong "unsigned long",
    LongLong "long long",
    ULongLong "unsigned long long",
    Int128 "__int128",
    UInt128 "unsigned __int128",
    Float16 "_Float16",
    Float "float",
    Double "double",
    LongDouble "long double",
    Float128 "__float128",
}

impl Builtin {
    /// The type that some words name in any order, with `int` or without it.
    pub(crate) fn named(words: &[&str]) -> Option<Builtin> {
        let count = |word| words.iter().filter(|w| **w == word).count();
        let n_known = [
            "char", "short", "int", "long", "float", "double", "signed", "unsigned",
        ]
        .map(count);
        let [char, short, int, long, float, double, signed, unsigned] = n_known;
        if n_known.iter().sum::<usize>() != words.len() || words.is_empty() {
            return None;
        }
        Some(match (char, short, long, float, double) {
            (0, 0, 0, 1, 0) => Builtin::Float,
            (0, 0, 0, 0, 1) => Builtin::Double,
            (0, 0, 1, 0, 1) => Builtin::LongDouble,
            (1, 0, 0, 0, 0) if int == 0 => match (signed, unsigned) {
                (0, 0) => Builtin::Char,
                (_, 0) => Builtin::SChar,
                _ => Builtin::UChar,
            },
            (0, 1, 0, 0, 0) if unsigned == 0 => Builtin::Short,
            (0, 1, 0, 0, 0) => Builtin::UShort,
            (0, 0, 0, 0, 0) if unsigned == 0 => Builtin::Int,
            (0, 0, 0, 0, 0) => Builtin::UInt,
            (0, 0, 1, 0, 0) if unsigned == 0 => Builtin::Long,
            (0, 0, 1, 0, 0) => Builtin::ULong,
            (0, 0, 2, 0, 0) if unsigned == 0 => Builtin::LongLong,
            (0, 0, 2, 0, 0) => Builtin::ULongLong,
            _ => return None,
        })
    }

    /// Its size in bytes, where [`Builtin::named`] knows it.
    pub(crate) fn size(self) -> Option<u64> {
        Some(match self {
            Builtin::Char | Builtin::SChar | Builtin::UChar => 1,
            Builtin::Short | Builtin::UShort => 2,
            Builtin::Int | Builtin::UInt | Builtin::Float => 4,
            Builtin::Long
            | Builtin::ULong
            | Builtin::LongLong
            | Builtin::ULongLong
            | Builtin::Double => 8,
            Builtin::LongDouble => 16,
            _ => return None,
        })
    }
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its tag; empty if it has none.
    pub tag: String,
    /// Whether it is a union.
    pub is_union: bool,
    /// Whether its members are known.
    pub is_complete: bool,
    /// Whether it is a member without a name, whose members are those of what it stands in.
    pub is_anonymous: bool,
    /// Whether its members have no gaps.
    pub is_packed: bool,
    /// Its size in bytes, where it is complete.
    pub size: u64,
    /// Its alignment in bytes, where it is complete.
    pub align: u64,
    /// Its members in the order of the text.
    pub fields: Vec<FieldId>,
    /// Its definition or first declaration.
    pub span: Span,
}

/// A member of a struct or union.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; empty for paddings and for structs without a name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Its first bit, where that is known.
    pub bit_offset: Option<u64>,
    /// The width of a bit-field.
    pub bits: Option<u32>,
    /// What it is a member of.
    pub record: RecordId,
    /// Its declaration.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its tag; empty if it has none.
    pub tag: String,
    /// The integer type that it is stored as, where that is known.
    pub stored: Option<Builtin>,
    /// Its constants.
    pub enumerators: Vec<DeclId>,
    /// Its definition or first declaration.
    pub span: Span,
}

/// Storage classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// None is written.
    None,
    /// `static`.
    Static,
    /// `extern`.
    Extern,
    /// `register`.
    Register,
}

/// What a declaration declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclKind {
    /// A variable.
    Variable,
    /// A parameter.
    Parameter,
    /// The name of a type.
    Typedef,
    /// A constant of an enumeration.
    Enumerator(i128),
}

/// A variable, parameter, enumerator or name of a type.
#[derive(Clone, Debug)]
pub struct Decl {
    /// Its name; parameters may have none.
    pub name: String,
    /// What it is.
    pub kind: DeclKind,
    /// Its type as it is written: parameters may be arrays.
    pub ty: TypeId,
    /// The lengths of the variable arrays in its type, the outermost first.
    pub extents: Vec<Expr>,
    /// Its storage class.
    pub storage: Storage,
    /// Whether each thread has its own.
    pub is_thread_local: bool,
    /// Its alignment in bytes, where an attribute asks for more than its type.
    pub align: Option<u64>,
    /// Other attributes as they are written.
    pub attributes: Vec<String>,
    /// Its value.
    pub init: Option<Expr>,
    /// The first declaration of the same variable, which uses refer to.
    pub first: DeclId,
    /// Its declaration.
    pub span: Span,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Its parameters.
    pub params: Vec<DeclId>,
    /// Its body, if this declaration defines it.
    pub body: Option<Stmt>,
    /// Whether clang declares it by itself.
    pub is_implicit: bool,
    /// Whether it takes further arguments.
    pub is_variadic: bool,
    /// Whether its parameters are declared behind their names, as before C89.
    pub is_old_style: bool,
    /// Whether it is `inline`.
    pub is_inline: bool,
    /// Its attributes as they are written.
    pub attributes: Vec<String>,
    /// Its storage class.
    pub storage: Storage,
    /// The first declaration of the same function, which calls refer to.
    pub first: FunctionId,
    /// Its declaration.
    pub span: Span,
}

/// A declaration of a file or a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A variable or the name of a type.
    Decl(DeclId),
    /// A function.
    Function(FunctionId),
    /// A struct or union, with its members or without them.
    Record(RecordId, bool),
    /// An enumeration.
    Enum(EnumId),
    /// Something else, which is copied.
    Other(Span),
}

/// A statement's number within its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StmtId(pub u32);

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its number.
    pub id: StmtId,
    /// Where it is.
    pub span: Span,
    /// What it is.
    pub kind: StmtKind,
}

/// What a statement is.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // The parts of C's statements have C's names.
pub enum StmtKind {
    /// `;`
    Null,
    /// `{ .. }`
    Compound(Vec<Stmt>),
    /// Declarations, as many as one statement makes.
    Decl(Vec<Item>),
    /// An expression.
    Expr(Expr),
    /// `if`
    If {
        cond: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    /// `for`
    For {
        init: Option<Box<Stmt>>,
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
    },
    /// `while`
    While { cond: Expr, body: Box<Stmt> },
    /// `do`
    Do { body: Box<Stmt>, cond: Expr },
    /// `switch`
    Switch { value: Expr, body: Box<Stmt> },
    /// `case`, with the end of a range of GNU C
    Case {
        value: Expr,
        last: Option<Expr>,
        body: Box<Stmt>,
    },
    /// `default`
    Default(Box<Stmt>),
    /// A label, whose name is the function's own.
    Label { name: String, body: Box<Stmt> },
    /// `goto`
    Goto(String),
    /// `goto *..`
    IndirectGoto(Expr),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return(Option<Expr>),
    /// Something else, by its name.
    Other(&'static str),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its type.
    pub ty: TypeId,
    /// Where it is.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// What is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function, by its first declaration.
    Function(FunctionId),
    /// What a pointer points to.
    Pointer(Box<Expr>),
}

/// A part of the path to what an initializer is for.
#[derive(Clone, Debug)]
pub enum Designator {
    /// `.name`
    Field(FieldId),
    /// `[n]`
    Index(Expr),
    /// `[first ... last]`
    Range(Expr, Expr),
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A whole number.
    Int(i128),
    /// A character.
    Char(i128),
    /// A floating-point number as it is written, or an equal one.
    Float(String),
    /// A number times the imaginary unit.
    Imaginary(Box<Expr>),
    /// A string in C's notation.
    Str(String),
    /// A variable, parameter or enumerator, by its first declaration.
    Var(DeclId),
    /// A function, by its first declaration.
    Function(FunctionId),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// An assignment, and the operator of a compound one.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `? :`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a ?: b` of GNU C
    Else(Box<Expr>, Box<Expr>),
    /// `a[i]`, in the order of the text.
    Index(Box<Expr>, Box<Expr>),
    /// `a.b` and `a->b`: the type of `a` tells which.
    Field(Box<Expr>, FieldId),
    /// A call.
    Call(Callee, Vec<Expr>),
    /// A conversion.
    Cast {
        /// Whether the text does not have it.
        implicit: bool,
        /// The lengths of the variable arrays in its type, the outermost first.
        extents: Vec<Expr>,
        /// What is converted.
        value: Box<Expr>,
    },
    /// A size or an alignment that is known.
    SizeOf(u64),
    /// The size of a type with variable arrays: `sizeof(element[length]..)`.
    SizeOfArray {
        /// What the arrays are of; without lengths, the name of such a type.
        element: TypeId,
        /// The lengths, the outermost first.
        lengths: Vec<Expr>,
    },
    /// The size of an expression that is known when the program runs.
    SizeOfExpr(Box<Expr>),
    /// `(type){ .. }`
    Compound(Box<Expr>),
    /// `{ .. }`
    List(Vec<Expr>),
    /// `path = value` in a list.
    Designated(Vec<Designator>, Box<Expr>),
    /// `({ .. })`
    Statements(Box<Stmt>),
    /// `va_arg(list, type)`
    VaArg(Box<Expr>),
    /// `&&label`
    LabelAddress(String),
    /// Something else, by its name.
    Other(&'static str),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Their names say it.
pub enum UnaryOp {
    PostIncrement,
    PostDecrement,
    PreIncrement,
    PreDecrement,
    AddressOf,
    Deref,
    Plus,
    Minus,
    BitNot,
    Not,
    Real,
    Imag,
}

impl UnaryOp {
    /// The operator in C.
    pub fn text(self) -> &'static str {
        match self {
            UnaryOp::PostIncrement | UnaryOp::PreIncrement => "++",
            UnaryOp::PostDecrement | UnaryOp::PreDecrement => "--",
            UnaryOp::AddressOf => "&",
            UnaryOp::Deref => "*",
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::BitNot => "~",
            UnaryOp::Not => "!",
            UnaryOp::Real => "__real__ ",
            UnaryOp::Imag => "__imag__ ",
        }
    }

    /// Whether it stands behind its operand.
    pub fn is_postfix(self) -> bool {
        matches!(self, UnaryOp::PostIncrement | UnaryOp::PostDecrement)
    }

    /// Whether it adds one to what its operand names, or takes one away.
    pub fn counts(self) -> bool {
        self.is_postfix() || matches!(self, UnaryOp::PreIncrement | UnaryOp::PreDecrement)
    }
}

macro_rules! binary {
    ($($name:ident $text:literal $level:literal,)*) => {
        /// Operators with two operands, without assignments.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // Their names say it.
        pub enum BinaryOp { $($name,)* }

        impl BinaryOp {
            /// The operator in C.
            pub fn text(self) -> &'static str {
                match self { $(BinaryOp::$name => $text,)* }
            }

            /// How strongly it binds: more is stronger; assignments have 2, `? :` has 3.
            pub fn level(self) -> u8 {
                match self { $(BinaryOp::$name => $level,)* }
            }
        }
    };
}

binary! {
    Comma "," 1,
    Or "||" 4,
    And "&&" 5,
    BitOr "|" 6,
    BitXor "^" 7,
    BitAnd "&" 8,
    Equal "==" 9,
    NotEqual "!=" 9,
    Less "<" 10,
    Greater ">" 10,
    LessEqual "<=" 10,
    GreaterEqual ">=" 10,
    ShiftLeft "<<" 11,
    ShiftRight ">>" 11,
    Add "+" 12,
    Sub "-" 12,
    Mul "*" 13,
    Div "/" 13,
    Rem "%" 13,
}
