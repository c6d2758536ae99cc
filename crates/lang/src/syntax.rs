//! What a text says, before names are looked up. Every part has its place.

use std::ops::Range;

/// Something and the bytes of the text that it stands at.
#[derive(Clone, Debug)]
pub struct Spanned<T> {
    /// The thing.
    pub node: T,
    /// Its place.
    pub span: Range<usize>,
}

impl<T> Spanned<T> {
    /// The same place with something else at it.
    pub fn with<U>(&self, node: U) -> Spanned<U> {
        Spanned {
            node,
            span: self.span.clone(),
        }
    }
}

/// A name and its place.
pub type Name = Spanned<String>;
/// An expression and its place.
pub type Value = Spanned<Expr>;

/// A whole text.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of the stencil; `None` where it could not be read.
    pub name: Option<Name>,
    /// Sizes, fields and scalars in their order.
    pub items: Vec<Item>,
    /// The time loop; `None` where it could not be read.
    pub steps: Option<Steps>,
}

/// A declaration.
#[derive(Clone, Debug)]
pub enum Item {
    /// `size n, m where n >= 4;`
    Sizes {
        /// The names.
        names: Vec<Name>,
        /// What holds for them.
        conditions: Vec<Value>,
    },
    /// `scalar a, b: float;`
    Scalars {
        /// The names.
        names: Vec<Name>,
        /// Their type.
        ty: Type,
    },
    /// `struct cell { u, v: float; w: int; }`
    Struct {
        /// Its name.
        name: Name,
        /// Its members, with their types.
        members: Vec<(Vec<Name>, Type)>,
    },
    /// `const field u[n][m]: float boundary periodic;`
    Field(Field),
    /// What could not be read.
    Broken,
}

/// Type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// 32 bits.
    Float,
    /// 64 bits.
    Double,
    /// An integer of 32 bits.
    Int,
}

/// Type of a cell.
#[derive(Clone, Debug)]
pub enum CellType {
    /// A number.
    Number(Type),
    /// A struct, or a vector such as `float2`.
    Named(Name),
}

/// The declaration of a field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Cells along each dimension.
    pub extents: Vec<Value>,
    /// The type of a cell.
    pub ty: CellType,
    /// What lies beyond the ends: for all dimensions, or for each.
    pub boundaries: Vec<Spanned<Boundary>>,
    /// Whether no statement may change it.
    pub is_const: bool,
}

/// What a read beyond the end of a dimension gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// There is none.
    Constant,
    /// The cell at the other end.
    Periodic,
    /// The last cell.
    Nearest,
    /// The cell as far inside of the last one.
    Mirrored,
}

/// The time loop.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The name of the time.
    pub time: Name,
    /// The first step.
    pub first: Value,
    /// The step behind the last one.
    pub end: Value,
    /// What a step does, in its order.
    pub body: Vec<Statement>,
}

/// `u[1:n-1] = VALUE;`
#[derive(Clone, Debug)]
pub struct Statement {
    /// The field.
    pub field: Name,
    /// The sub-grid.
    pub ranges: Vec<Spanned<Cells>>,
    /// Values with names, in their order.
    pub lets: Vec<(Name, Value)>,
    /// The value.
    pub value: Value,
    /// Which block `together { .. }` it is in, by where that begins.
    pub group: Option<usize>,
    /// All of it.
    pub span: Range<usize>,
}

/// The cells of a sub-grid along a dimension.
#[derive(Clone, Debug)]
pub enum Cells {
    /// `low:high`, from the first to before the last; without one of them, to the end of the grid.
    Range(Option<Value>, Option<Value>),
    /// One cell.
    One(Value),
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// `42`
    Int(String),
    /// `0.5`, `1e-3f`
    Real(String),
    /// `a`, `u`
    Name(String),
    /// `u[-1][0]`
    Read(Name, Vec<Value>),
    /// `sqrt(a)`
    Call(Name, Vec<Value>),
    /// `-a`, `!a`
    Unary(&'static str, Box<Value>),
    /// `a + b`
    Binary(&'static str, Box<Value>, Box<Value>),
    /// `int(a)`
    Cast(Type, Box<Value>),
    /// `a ? b : c`
    Cond(Box<Value>, Box<Value>, Box<Value>),
}
