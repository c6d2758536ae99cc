//! The fuzzer's own description of a stencil program.
//!
//! Everything is derived from it: the C text that hexcc translates, and the
//! instances and cells that the brute force looks at. Invariant: every access
//! of every instance is inside its array for all sizes of at least
//! [`Program::min_size`].

/// Type of cells and scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// `float`
    Float,
    /// `double`
    Double,
    /// `int`
    Int,
    /// `unsigned char`
    Byte,
}

impl Elem {
    /// The type in C.
    pub fn c(self) -> &'static str {
        match self {
            Elem::Float => "float",
            Elem::Double => "double",
            Elem::Int => "int",
            Elem::Byte => "unsigned char",
        }
    }

    /// Bytes of a cell.
    pub fn size(self) -> i64 {
        match self {
            Elem::Float | Elem::Int => 4,
            Elem::Double => 8,
            Elem::Byte => 1,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_floating(self) -> bool {
        matches!(self, Elem::Float | Elem::Double)
    }
}

/// Extent of a space dimension or of the time loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A parameter of the function, an index into [`Program::params`].
    Param(usize),
    /// A number.
    Const(i64),
}

/// How an array holds time steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Not at all: updated in place.
    Plain,
    /// `A[(t+c)%m]`
    Buffer(i64),
    /// `A[t+c]`, with this many planes more than time steps.
    AllSteps(i64),
}

/// An array of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Name in C.
    pub name: String,
    /// Type of its cells.
    pub elem: Elem,
    /// Time dimension.
    pub storage: Storage,
    /// Space dimensions it has, in source order.
    pub dims: Vec<usize>,
    /// What each of them is longer than the size of the dimension.
    pub extra: Vec<i64>,
}

/// A subscript of a space dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sub {
    /// Iterator of a dimension plus a constant.
    Iter(usize, i64),
    /// A constant.
    First(i64),
    /// Size of a dimension - 1 - a constant.
    Last(usize, i64),
    /// Size of a dimension - 1 - its iterator.
    Mirror(usize),
    /// The iterator less a positive constant, 0 below it: `i < c ? 0 : i - c`.
    ClampLow(usize, i64),
    /// `i + c > N - 1 ? N - 1 : i + c`
    ClampHigh(usize, i64),
}

/// An access to an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Index into [`Program::arrays`].
    pub array: usize,
    /// c of `t + c`; 0 for [`Storage::Plain`].
    pub time: i64,
    /// One per dimension of the array.
    pub subs: Vec<Sub>,
}

/// An expression. Values stay below 1024 in magnitude, so that no conversion
/// or integer operation overflows.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// Text of a literal.
    Lit(String),
    /// An array element.
    Read(Access),
    /// A scalar parameter of the function.
    Scalar(usize),
    /// An iterator of the nest, as a number.
    Iter(usize),
    /// A local variable of the body, an index into [`Item::locals`].
    Local(usize),
    /// A binary operator.
    Bin(&'static str, Box<Expr>, Box<Expr>),
    /// `a op b ? c : d`
    Select(&'static str, Box<[Expr; 4]>),
    /// A function of `<math.h>`.
    Call(&'static str, Vec<Expr>),
    /// A cast.
    Cast(Elem, Box<Expr>),
}

impl Expr {
    /// Calls `f` with every access.
    pub fn reads<'a>(&'a self, f: &mut dyn FnMut(&'a Access)) {
        if let Expr::Read(access) = self {
            f(access);
        }
        for child in self.children() {
            child.reads(f);
        }
    }

    /// Operands.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            Expr::Bin(_, a, b) => vec![a, b],
            Expr::Select(_, all) => all.iter().collect(),
            Expr::Call(_, all) => all.iter().collect(),
            Expr::Cast(_, a) => vec![a],
            _ => Vec::new(),
        }
    }

    /// Operands, to be changed.
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Bin(_, a, b) => vec![a, b],
            Expr::Select(_, all) => all.iter_mut().collect(),
            Expr::Call(_, all) => all.iter_mut().collect(),
            Expr::Cast(_, a) => vec![a],
            _ => Vec::new(),
        }
    }
}

/// An assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// The element written.
    pub target: Access,
    /// `+=` instead of `=`.
    pub accumulate: bool,
    /// The value.
    pub value: Expr,
}

/// A condition on iterators.
#[derive(Clone, Debug, PartialEq)]
pub enum Cond {
    /// `(sum of iterators [+ t]) % m == r`
    Modulo(Vec<usize>, bool, i64, i64),
    /// `i >= c`
    AtLeast(usize, i64),
    /// `i < N - c`
    Below(usize, i64),
    /// `i + c < j`
    Ordered(usize, i64, usize),
}

/// Statements under one condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Local variables declared before; each may use those before it.
    pub locals: Vec<(Elem, Expr)>,
    /// The condition, if there is one.
    pub cond: Option<Cond>,
    /// Statements where it holds.
    pub then: Vec<Stmt>,
    /// Statements where it does not.
    pub els: Vec<Stmt>,
}

/// A loop of a nest: from `low` below `size - high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Space dimension.
    pub dim: usize,
    /// First value.
    pub low: i64,
    /// Distance of the end from the size.
    pub high: i64,
    /// Step.
    pub step: i64,
}

/// A loop nest inside the time loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Nest {
    /// Loops, outermost first; may be none.
    pub loops: Vec<Loop>,
    /// The body.
    pub items: Vec<Item>,
}

/// A whole program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Names of integer parameters; the last one is `T` where `steps` is one.
    pub params: Vec<String>,
    /// One per space dimension.
    pub sizes: Vec<Size>,
    /// End of the time loop.
    pub steps: Size,
    /// First value of t.
    pub first_step: i64,
    /// Step of the time loop.
    pub step_stride: i64,
    /// `t <= T - 1` instead of `t < T`.
    pub inclusive: bool,
    /// Types of scalar parameters.
    pub scalars: Vec<Elem>,
    /// Arrays in the order of the parameters.
    pub arrays: Vec<Array>,
    /// Loop nests.
    pub nests: Vec<Nest>,
    /// The least size of a dimension for which accesses stay in their arrays.
    pub min_size: i64,
}

/// Values of the parameters.
pub type Env = [i64];

/// Names of iterators by space dimension.
pub const ITERATORS: [&str; 4] = ["i", "j", "k", "l"];

impl Program {
    /// Number of space dimensions.
    pub fn n_dims(&self) -> usize {
        self.sizes.len()
    }

    /// The value of a size.
    pub fn size(&self, size: Size, env: &Env) -> i64 {
        match size {
            Size::Param(p) => env[p],
            Size::Const(n) => n,
        }
    }

    /// Size of a space dimension.
    pub fn extent(&self, dim: usize, env: &Env) -> i64 {
        self.size(self.sizes[dim], env)
    }

    /// Extents of an array, the time dimension first.
    pub fn extents(&self, array: &Array, env: &Env) -> Vec<i64> {
        let time = match array.storage {
            Storage::Plain => None,
            Storage::Buffer(m) => Some(m),
            Storage::AllSteps(extra) => Some(self.size(self.steps, env) + extra),
        };
        let space = (array.dims.iter().zip(&array.extra))
            .map(|(&dim, extra)| self.extent(dim, env) + extra);
        time.into_iter().chain(space).collect()
    }

    /// Bytes of an array.
    pub fn bytes(&self, array: &Array, env: &Env) -> i64 {
        self.extents(array, env).iter().product::<i64>() * array.elem.size()
    }

    /// All statements in textual order.
    pub fn stmts(&self) -> Vec<&Stmt> {
        let items = self.nests.iter().flat_map(|n| &n.items);
        items.flat_map(|i| i.then.iter().chain(&i.els)).collect()
    }

    /// Which parameters are sizes of space dimensions; the others count steps.
    pub fn is_space_param(&self, param: usize) -> bool {
        self.sizes.contains(&Size::Param(param))
    }
}
