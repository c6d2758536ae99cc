//! A generated program as data: kernels and the host code that launches them.
//!
//! Nothing here belongs to one target. A printer ([`crate::print`]) spells a program in a language
//! and decides nothing else; [`verify`] holds every program to the contract below before it gets
//! there, and [`dump`] shows it to people.
//!
//! Contract:
//! * a variable is defined before it is used, in the same block or one around it, and once;
//! * a constant, a loop's variable and a parameter are never assigned;
//! * expressions have the types of C ([`Program::type_of`]); indices and sizes are 64-bit integers;
//! * elements are read and written through pointers of `Args` or of a kernel's parameters and places that
//!   are computed from these ([`Pointer`]), or are of an array of the thread itself or of its block;
//! * the iterations over a kernel's axes run in any order at the same time; launches stand in host
//!   code only, and run one after the other;
//! * the element that iterations fold values into is touched by nothing else;
//! * neighbouring elements are loaded and stored at once where their bytes are one word of
//!   [`WIDE`] bytes: who makes the program knows that they lie on such a boundary;
//! * an unrolled loop has constant ends;
//! * what a thread of a block ([`Kernel::block`]) does follows from its numbers, or from axes: then
//!   the last blocks have threads beyond the last iterations, which do not end before the others.
//!   All threads of a block reach a barrier, and all lanes of a warp an exchange, which is why the
//!   conditions around them are the same for all of these, and those under which iterations end before;
//! * boxes of a block lie one behind the other, and copies of boxes stay inside of them;
//! * a copy is done, for the thread that asked for it, once it has waited for it, and for others of the
//!   block at a barrier behind that.

pub mod build;
mod dump;
mod fold;
mod tiles;
mod uniform;
pub mod verify;
mod walk;

pub use dump::dump;
pub use fold::{Compare, Fold, NotANumber};
pub use tiles::{
    BoxCopy, Constants, Definition, Inline, Launching, Layout, MoveRows, OfTiles, Outcome, Pointer,
    Ring, SharedBox, Table, Way,
};
pub use walk::{expressions, expressions_in, used, used_in, visit, wide_in, written_in};

use crate::ctype::{CType, math_function};
use crate::quotient::{Divisions, Fused};
use std::collections::BTreeSet;

/// Index in [`Program::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

/// Index in [`Program::kernels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelId(pub u32);

/// Index in [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionId(pub u32);

/// Threads that exchange values without memory.
pub const LANES: u32 = 32;

/// The type of sizes, subscripts and iterators.
pub const INDEX: CType = CType::Int(8);

/// Bytes that one instruction loads or stores at most.
pub const WIDE: u32 = 16;

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// An integer of type [`INDEX`], or of 32 bits where [`Program::narrow`] allows that.
    Index,
    /// A number.
    Number(CType),
    /// A pointer to elements in device memory.
    Pointer {
        /// Type of an element.
        elem: CType,
        /// Some kernel writes through it.
        written: bool,
    },
    /// A table of pointers to the rows of an array, which lie anywhere and share no memory.
    Rows {
        /// Type of an element.
        elem: CType,
        /// Some kernel writes elements.
        written: bool,
    },
    /// What a thread has of a reduction of values of a type; nothing at first.
    Part(CType),
    /// Elements that a thread has for itself.
    Private {
        /// Type of an element.
        elem: CType,
        /// Rows of them; with one, elements have no row.
        rows: u32,
        /// How many a row.
        len: u32,
    },
    /// Rows of elements that the threads of a block share.
    Shared {
        /// Type of an element.
        elem: CType,
        /// Rows.
        rows: u32,
        /// Elements of a row.
        len: u32,
    },
    /// A condition that is known where the program is compiled, a parameter of functions.
    Flag,
    /// What only programs of tiles have.
    OfTiles(OfTiles),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name that it should have, one of the user's program where possible.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// It keeps its first value.
    pub constant: bool,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// An integer of type [`INDEX`].
    Int(i64),
    /// A number as the user's program spells it.
    Literal {
        /// Its text in C, without the suffix of an integer type.
        text: String,
        /// Its type.
        ty: CType,
    },
    /// The value of a variable.
    Var(VarId),
    /// `-x`, `~x`, `!x`.
    Unary {
        /// C's spelling.
        op: &'static str,
        /// Operand.
        arg: Box<Expr>,
    },
    /// A binary operator of C, with C's conversions.
    Binary {
        /// C's spelling.
        op: &'static str,
        /// Left operand.
        lhs: Box<Expr>,
        /// Right operand.
        rhs: Box<Expr>,
    },
    /// `cond ? yes : no`.
    Select {
        /// Condition.
        cond: Box<Expr>,
        /// Value where it holds.
        yes: Box<Expr>,
        /// Value where it does not.
        no: Box<Expr>,
    },
    /// A conversion.
    Cast {
        /// Target type.
        ty: CType,
        /// Operand.
        arg: Box<Expr>,
    },
    /// An element behind a pointer or of a private array.
    Element {
        /// The variable.
        base: VarId,
        /// Number of the row, where the variable is a table of rows.
        row: Option<Box<Expr>>,
        /// Number of the element.
        index: Box<Expr>,
    },
    /// A function of [`math_function`]; its arguments have the types that it takes.
    Math {
        /// Its name.
        name: String,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// A function that the text of the program defines, of numbers and pointers.
    Cell {
        /// Its name.
        name: String,
        /// The type of its value.
        ty: CType,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// A quotient by a constant, equal to that of a division.
    Quotient {
        /// The constant.
        by: Box<Fused>,
        /// What is divided.
        x: Box<Expr>,
    },
    /// A function of two indices.
    Helper(Helper, Box<[Expr; 2]>),
    /// Whether a pointer is a multiple of [`WIDE`] bytes, in host code.
    Aligned(VarId),
    /// A number of the thread, in kernels of blocks.
    Own(Own),
    /// The value that another lane of the warp has: of the lane so many further on, where there is one.
    Exchange {
        /// What every lane gives.
        value: Box<Expr>,
        /// How much further on; not 0.
        by: i32,
    },
    /// What lies at a place in device memory, or so many elements further on.
    Behind {
        /// The place.
        pointer: Box<Pointer>,
        /// How many elements.
        index: Option<Box<Expr>>,
    },
    /// An element of a box of the block.
    Item {
        /// Of type [`OfTiles::Box`].
        base: VarId,
        /// One subscript by dimension.
        subscripts: Vec<Expr>,
    },
    /// An index below twice the size of a ring, as one below its size.
    Wrapped {
        /// The size.
        size: i64,
        /// The index.
        index: Box<Expr>,
    },
    /// Whether something holds.
    Holds {
        /// Of type [`OfTiles::Condition`].
        condition: VarId,
        /// Its arguments.
        args: Vec<Expr>,
    },
}

/// A number of a thread in a kernel of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// Of its block in the grid.
    Block,
    /// Of its warp in the block.
    Warp,
    /// Of its lane in the warp.
    Lane,
    /// Of the thread in the block.
    Thread,
    /// Of its column in the block, where threads have columns and rows.
    Column,
    /// Of its row in the block.
    Row,
    /// Of its layer in the block, where threads have layers, too.
    Layer,
    /// How many blocks there are.
    Blocks,
}

impl Own {
    /// What dumps call it.
    pub fn name(self) -> &'static str {
        match self {
            Own::Block => "block",
            Own::Warp => "warp",
            Own::Lane => "lane",
            Own::Thread => "thread",
            Own::Column => "column",
            Own::Row => "row",
            Own::Layer => "layer",
            Own::Blocks => "blocks",
        }
    }
}

/// Functions of two indices that C does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Helper {
    /// Quotient rounded towards minus infinity, by a positive divisor.
    FloorDiv,
    /// The smaller one.
    Lowest,
    /// The larger one.
    Highest,
    /// Remainder with the sign of the divisor.
    Mod,
    /// The distance of a bound from an origin, or what 32 bits hold next to it.
    Relative,
}

impl Helper {
    /// Its name in every language.
    pub fn name(self) -> &'static str {
        match self {
            Helper::FloorDiv => "floor_div",
            Helper::Lowest => "lowest",
            Helper::Highest => "highest",
            Helper::Mod => "mod",
            Helper::Relative => "relative",
        }
    }
}

/// What is directly below an expression, to be read or to be changed.
macro_rules! children {
    ($children:ident, $expressions:ident, $iter:ident, $as_deref:ident $(, $mutable:tt)?) => {
        /// What is directly below.
        pub fn $children(&$($mutable)? self) -> Vec<&$($mutable)? Expr> {
            match self {
                Expr::Int(_)
                | Expr::Literal { .. }
                | Expr::Var(_)
                | Expr::Aligned(_)
                | Expr::Own(_) => Vec::new(),
                Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => vec![arg],
                Expr::Exchange { value, .. } => vec![value],
                Expr::Quotient { x, .. } => vec![x],
                Expr::Element { row, index, .. } => {
                    row.$iter().chain([index]).map(|e| &$($mutable)? **e).collect()
                }
                Expr::Binary { lhs, rhs, .. } => vec![lhs, rhs],
                Expr::Select { cond, yes, no } => vec![cond, yes, no],
                Expr::Math { args, .. } | Expr::Cell { args, .. } => args.$iter().collect(),
                Expr::Helper(_, args) => args.$iter().collect(),
                Expr::Behind { pointer, index } => {
                    let index = index.$as_deref().into_iter();
                    pointer.$expressions().into_iter().chain(index).collect()
                }
                Expr::Item {
                    subscripts: args, ..
                }
                | Expr::Holds { args, .. } => args.$iter().collect(),
                Expr::Wrapped { index, .. } => vec![index],
            }
        }
    };
}

impl Expr {
    /// An element; of a row where there are rows.
    pub fn element(base: VarId, row: Option<Expr>, index: Expr) -> Expr {
        Expr::Element {
            base,
            row: row.map(Box::new),
            index: Box::new(index),
        }
    }

    /// A function of two indices.
    pub fn helper(helper: Helper, a: Expr, b: Expr) -> Expr {
        Expr::Helper(helper, Box::new([a, b]))
    }

    /// A binary operator.
    pub fn binary(op: &'static str, lhs: Expr, rhs: Expr) -> Expr {
        Expr::Binary {
            op,
            lhs: Box::new(lhs),
            rhs: Box::new(rhs),
        }
    }

    /// `a + b`, without zeros.
    pub fn plus(self, other: Expr) -> Expr {
        match (self, other) {
            (Expr::Int(a), Expr::Int(b)) if a.checked_add(b).is_some() => Expr::Int(a + b),
            (Expr::Int(0), e) | (e, Expr::Int(0)) => e,
            (a, b) => Expr::binary("+", a, b),
        }
    }

    /// `a * b`, without zeros and ones.
    pub fn times(self, other: Expr) -> Expr {
        match (self, other) {
            (Expr::Int(a), Expr::Int(b)) if a.checked_mul(b).is_some() => Expr::Int(a * b),
            (Expr::Int(0), _) | (_, Expr::Int(0)) => Expr::Int(0),
            (Expr::Int(1), e) | (e, Expr::Int(1)) => e,
            (a, b) => Expr::binary("*", a, b),
        }
    }

    children!(children, expressions, iter, as_deref);
    children!(children_mut, expressions_mut, iter_mut, as_deref_mut, mut);

    /// Calls `f` on the expression and everything below it.
    pub fn visit(&self, f: &mut dyn FnMut(&Expr)) {
        f(self);
        for child in self.children() {
            child.visit(f);
        }
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// A remark for readers; an empty one separates what follows.
    Comment(String),
    /// Defines a variable, with a value if it is a number.
    Let {
        /// The variable.
        var: VarId,
        /// Its value; `None` for what is assigned before it is read.
        value: Option<Expr>,
    },
    /// Gives a variable or an element a value, converted to its type.
    Assign {
        /// [`Expr::Var`] or [`Expr::Element`].
        target: Expr,
        /// The value.
        value: Expr,
    },
    /// A condition.
    If {
        /// What is tested.
        cond: Expr,
        /// What runs where it holds.
        yes: Vec<Stmt>,
        /// What runs where it does not.
        no: Vec<Stmt>,
    },
    /// A loop, one iteration after the other; in any order where that is known to do.
    For {
        /// Its variable.
        var: VarId,
        /// The first value.
        first: Expr,
        /// It goes on while this holds.
        cond: Expr,
        /// Added after each iteration.
        step: Expr,
        /// No iteration touches an element that another one writes.
        any_order: bool,
        /// Whether it is written out.
        unroll: Unroll,
        /// What it repeats.
        body: Vec<Stmt>,
    },
    /// Folds a value into what a thread has of one of the kernel's reductions.
    Fold {
        /// [`Reduction::part`].
        part: VarId,
        /// The term, of the reduction's type.
        term: Expr,
    },
    /// Neighbouring elements into an array that a thread has for itself, at once.
    Load(Wide),
    /// The same from there, at once.
    Store(Wide),
    /// All threads of the block wait for each other.
    Barrier,
    /// All lanes of the warp do.
    BarrierOfWarp,
    /// Begins to copy neighbouring elements into an array of the block.
    Copy {
        /// The first element that is written, of a [`Type::Shared`].
        to: Expr,
        /// The first element that is read, behind a pointer.
        from: Expr,
        /// How many: one, two or four, which have 4, 8 or [`WIDE`] bytes.
        lanes: u32,
    },
    /// Ends a group of copies.
    EndOfGroup,
    /// Waits until all but the so many last groups of the thread's copies are there.
    Wait(u32),
    /// Runs a function.
    Call {
        /// Which.
        function: FunctionId,
        /// Values of its parameters; arrays and pointers are given as they are.
        args: Vec<Expr>,
    },
    /// Runs a kernel, in host code.
    Launch(Launch),
    /// A block whose variables end with it.
    Scope(Vec<Stmt>),
    /// Goes on with the next iteration of the loop around.
    Continue,
    /// Ends the host's function.
    Return(Outcome),
    /// Defines a pointer or a function of what is around.
    Define {
        /// What is defined.
        var: VarId,
        /// How.
        definition: Definition,
    },
    /// Begins to copy a box of elements.
    CopyBox(Box<BoxCopy>),
    /// Moves what tiles have in common.
    MoveRows(MoveRows),
    /// Asks for the shared memory of a kernel's blocks, in host code.
    Reserve(KernelId),
}

/// Whether a loop is written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// As the target likes.
    Free,
    /// As a whole, so that elements of a thread's own arrays can be registers.
    Whole,
    /// Not at all.
    Never,
    /// So many iterations where a flag holds, none otherwise.
    Where(VarId, u32),
}

/// Neighbouring elements in memory, and those of a thread that get their values or give them
/// theirs.
#[derive(Clone, Debug)]
pub struct Wide {
    /// The pointer, or an array of the block.
    pub memory: VarId,
    /// The row there, where it has rows.
    pub row: Option<Expr>,
    /// Number of the first element there.
    pub index: Expr,
    /// The thread's array.
    pub own: VarId,
    /// The row of it, where it has rows.
    pub own_row: Option<Expr>,
    /// Number of the first element of it.
    pub at: Expr,
    /// How many elements: two or four, of [`WIDE`] bytes at most.
    pub lanes: u32,
    /// No thread of the launch writes them.
    pub constant: bool,
}

impl Wide {
    /// The first element in memory.
    pub fn in_memory(&self) -> Expr {
        Expr::element(self.memory, self.row.clone(), self.index.clone())
    }

    /// The first element of the thread.
    pub fn of_thread(&self) -> Expr {
        Expr::element(self.own, self.own_row.clone(), self.at.clone())
    }
}

/// A launch.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel.
    pub kernel: KernelId,
    /// By axis, the first and the last iteration along it; never empty.
    pub ranges: Vec<[Expr; 2]>,
    /// Values of the kernel's parameters.
    pub args: Vec<Expr>,
    /// How many blocks, for a kernel of blocks.
    pub blocks: Option<Expr>,
}

/// Something that kernels do at several places, as a function without a value.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// What it does, for readers.
    pub remark: String,
    /// Parameters: numbers, flags, pointers and arrays.
    pub params: Vec<VarId>,
    /// Those that have the same value for all threads of a block.
    pub uniform: BTreeSet<VarId>,
    /// What it does. It calls functions before it only.
    pub body: Vec<Stmt>,
    /// How it becomes part of its callers.
    pub inline: Inline,
}

/// The blocks of a kernel whose threads work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Threads.
    pub threads: u32,
    /// Blocks that a multiprocessor should hold.
    pub resident: u32,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The lines of the source that it runs, for readers.
    pub lines: String,
    /// Parameters beside `Args`.
    pub params: Vec<VarId>,
    /// The loops whose iterations threads share; none for a kernel of one thread. Neighbouring
    /// threads lie along the first.
    pub axes: Vec<Axis>,
    /// Its blocks, where their threads work together.
    pub block: Option<Block>,
    /// How a kernel of tiles is launched, the threads of whose blocks have columns and rows.
    pub launching: Option<Launching>,
    /// What a thread does for one iteration of each.
    pub body: Vec<Stmt>,
    /// Elements into which all iterations fold values.
    pub reductions: Vec<Reduction>,
}

/// An element into which the iterations of a kernel fold values.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// What a thread has of it.
    pub part: VarId,
    /// The pointer.
    pub base: VarId,
    /// Number of the element, in terms of arguments and parameters.
    pub index: Expr,
    /// How.
    pub fold: Fold,
    /// The type of values before they reach the element.
    pub ty: CType,
    /// Values are folded in the order of the axes, the last one outermost, and of the thread; in any
    /// order that depends on nothing but the ranges otherwise.
    pub ordered: bool,
}

/// A loop whose iterations the threads of a kernel share.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its variable.
    pub var: VarId,
    /// The first and the last value.
    pub range: [Expr; 2],
    /// Threads of a block along it.
    pub threads: u32,
}

/// A generated program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Prefix or namespace of all that it defines.
    pub name: String,
    /// All variables.
    pub vars: Vec<Variable>,
    /// Sizes, scalars and device arrays: the fields of `Args`, in order.
    pub args: Vec<VarId>,
    /// How kernels divide by constants.
    pub divisions: Divisions,
    /// What tiles need beside these.
    pub layout: Layout,
    /// Functions that kernels and functions behind them call.
    pub functions: Vec<Function>,
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// The condition on the arguments under which all indices in kernels fit into 32 bits; `None`
    /// where that is not known.
    pub narrow: Option<Expr>,
    /// The function that launches them.
    pub host: Vec<Stmt>,
}

impl Program {
    /// A variable.
    pub fn var(&self, id: VarId) -> &Variable {
        &self.vars[id.0 as usize]
    }

    /// Adds a variable.
    pub fn add_var(&mut self, name: &str, ty: Type, constant: bool) -> VarId {
        self.vars.push(Variable {
            name: name.to_string(),
            ty,
            constant,
        });
        VarId(self.vars.len() as u32 - 1)
    }

    /// The type of elements at a place, and whether they are written through it.
    pub fn pointed(&self, pointer: &Pointer) -> Option<(CType, bool)> {
        match self.vars.get(pointer.root().0 as usize)?.ty {
            Type::Pointer { elem, written } | Type::OfTiles(OfTiles::Locator { elem, written }) => {
                Some((elem, written))
            }
            _ => None,
        }
    }

    /// The box that a variable is.
    pub fn shared_box(&self, base: VarId) -> Option<&SharedBox> {
        match self.vars.get(base.0 as usize)?.ty {
            Type::OfTiles(OfTiles::Box(number)) => self.layout.boxes.get(number as usize),
            _ => None,
        }
    }

    /// The constants of all [`Expr::Quotient`] in kernels, each once.
    pub fn quotients(&self) -> Vec<&Fused> {
        let mut found: Vec<&Fused> = Vec::new();
        let of_functions = self.functions.iter().flat_map(|f| expressions_in(&f.body));
        for expr in self
            .kernels
            .iter()
            .flat_map(Kernel::expressions)
            .chain(of_functions)
        {
            let mut below = vec![expr];
            while let Some(e) = below.pop() {
                if let Expr::Quotient { by, .. } = e
                    && !found.contains(&&**by)
                {
                    found.push(by);
                }
                below.extend(e.children());
            }
        }
        found
    }

    /// The C type of an expression; `None` for what is no number, such as a pointer by itself.
    pub fn type_of(&self, expr: &Expr) -> Option<CType> {
        Some(match expr {
            Expr::Helper(Helper::Relative, _) => CType::INT,
            Expr::Own(Own::Column | Own::Row | Own::Layer | Own::Blocks) => CType::UInt(4),
            Expr::Int(_) | Expr::Helper(..) | Expr::Own(_) => INDEX,
            Expr::Wrapped { index, .. } => self.type_of(index)?,
            Expr::Holds { .. } => CType::INT,
            Expr::Behind { pointer, .. } => self.pointed(pointer)?.0,
            Expr::Item { base, .. } => self.shared_box(*base)?.elem,
            Expr::Exchange { value, .. } => self.type_of(value)?,
            Expr::Literal { ty, .. } | Expr::Cast { ty, .. } | Expr::Cell { ty, .. } => *ty,
            Expr::Var(id) => match self.vars.get(id.0 as usize)?.ty {
                Type::Index => INDEX,
                Type::Number(ty) => ty,
                Type::Flag | Type::OfTiles(OfTiles::Truth) => CType::INT,
                Type::Pointer { .. }
                | Type::Rows { .. }
                | Type::Private { .. }
                | Type::Shared { .. }
                | Type::OfTiles(_)
                | Type::Part(_) => {
                    return None;
                }
            },
            Expr::Element { base, .. } => match self.vars.get(base.0 as usize)?.ty {
                Type::Pointer { elem, .. }
                | Type::Rows { elem, .. }
                | Type::Private { elem, .. }
                | Type::Shared { elem, .. }
                | Type::OfTiles(OfTiles::Table(elem)) => elem,
                Type::Index | Type::Number(_) | Type::Part(_) | Type::Flag | Type::OfTiles(_) => {
                    return None;
                }
            },
            Expr::Unary { op: "!", .. } | Expr::Aligned(_) => CType::INT,
            Expr::Unary { arg, .. } => self.type_of(arg)?.promoted(),
            Expr::Binary { op, lhs, rhs } => match *op {
                "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => CType::INT,
                "<<" | ">>" => self.type_of(lhs)?.promoted(),
                _ => self.type_of(lhs)?.usual(self.type_of(rhs)?),
            },
            Expr::Select { yes, no, .. } => self.type_of(yes)?.usual(self.type_of(no)?),
            Expr::Math { name, .. } => math_function(name)?.result,
            Expr::Quotient { by, .. } => by.ty,
        })
    }
}
