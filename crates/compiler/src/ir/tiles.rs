//! What programs of tiles have beside single steps: names and tables for what is known where the program is
//! compiled, places in memory that are computed, boxes of elements that a block shares, and copies of them.

use super::{Expr, VarId};
use crate::ctype::CType;
use std::collections::BTreeMap;

/// What variables of programs of tiles may be, beside numbers and arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfTiles {
    /// Whether something holds.
    Truth,
    /// A table of constants, one of [`Layout::tables`].
    Table(CType),
    /// The box of [`Layout::boxes`] with a number.
    Box(u32),
    /// A function that gives the address of an element.
    Locator {
        /// Type of an element.
        elem: CType,
        /// Some kernel writes through it.
        written: bool,
    },
    /// A function that tells whether something holds.
    Condition,
}

/// A place in device memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Pointer {
    /// Where a variable points.
    Of(VarId),
    /// The row with a number.
    Row {
        /// The first row.
        first: Box<Pointer>,
        /// The number.
        number: Expr,
        /// The distance of rows, in bytes.
        pitch: Expr,
    },
    /// So many elements further on; as `&p[by]` where `element`, which means the same.
    Further {
        /// From where.
        from: Box<Pointer>,
        /// How many.
        by: Expr,
        /// It is said of the element.
        element: bool,
    },
    /// What a function gives.
    Located {
        /// A variable of [`OfTiles::Locator`].
        by: VarId,
        /// Its arguments.
        args: Vec<Expr>,
    },
}

/// The expressions in a place, to be read or to be changed.
macro_rules! expressions {
    ($expressions:ident, $iter:ident $(, $mutable:tt)?) => {
        /// The expressions in it.
        pub fn $expressions(&$($mutable)? self) -> Vec<&$($mutable)? Expr> {
            match self {
                Pointer::Of(_) => Vec::new(),
                Pointer::Row {
                    first,
                    number,
                    pitch,
                } => first.$expressions().into_iter().chain([number, pitch]).collect(),
                Pointer::Further { from, by, .. } => {
                    from.$expressions().into_iter().chain([by]).collect()
                }
                Pointer::Located { args, .. } => args.$iter().collect(),
            }
        }
    };
}

impl Pointer {
    /// The row with a number.
    pub fn row(self, number: Expr, pitch: Expr) -> Pointer {
        Pointer::Row {
            first: Box::new(self),
            number,
            pitch,
        }
    }

    /// So many elements further on.
    pub fn further(self, by: Expr) -> Pointer {
        Pointer::Further {
            from: Box::new(self),
            by,
            element: false,
        }
    }

    expressions!(expressions, iter);
    expressions!(expressions_mut, iter_mut, mut);

    /// The variable that it begins at.
    pub fn root(&self) -> VarId {
        match self {
            Pointer::Of(var) | Pointer::Located { by: var, .. } => *var,
            Pointer::Row { first: from, .. } | Pointer::Further { from, .. } => from.root(),
        }
    }
}

/// A definition of what is no number.
#[derive(Clone, Debug)]
pub enum Definition {
    /// Of a pointer.
    Pointer(Pointer),
    /// Of a function that gives an address.
    Locator {
        /// Its parameters.
        params: Vec<VarId>,
        /// What it gives.
        to: Pointer,
    },
    /// Of a function that tells whether something holds.
    Condition {
        /// Its parameters.
        params: Vec<VarId>,
        /// What has to hold.
        holds: Expr,
    },
}

impl Definition {
    /// The expressions in it.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Definition::Pointer(to) | Definition::Locator { to, .. } => to.expressions(),
            Definition::Condition { holds, .. } => vec![holds],
        }
    }

    /// Where it points.
    pub fn pointer(&self) -> Option<&Pointer> {
        match self {
            Definition::Pointer(to) | Definition::Locator { to, .. } => Some(to),
            Definition::Condition { .. } => None,
        }
    }
}

/// How the host's function ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There was nothing to do.
    Done,
    /// An array or its rows do not lie at multiples of [`super::WIDE`] bytes.
    Misaligned,
}

/// Which way a box of elements is copied.
#[derive(Clone, Debug)]
pub enum Way {
    /// Into the block's memory.
    In,
    /// The same for what exists of it: by axis its first row, or byte, and the number of them that there are.
    Inside(Box<[[Expr; 2]; 3]>),
    /// Into device memory.
    Out,
}

/// A copy between device memory and a box of the block, which its threads share and which is begun only: of rows of
/// rows of bytes.
#[derive(Clone, Debug)]
pub struct BoxCopy {
    /// Which way.
    pub way: Way,
    /// The box of the block.
    pub shared: VarId,
    /// The first element of it.
    pub at: Vec<Expr>,
    /// The first element in device memory.
    pub global: Pointer,
    /// Number of rows of rows, and of rows in each.
    pub rows: [i64; 2],
    /// Bytes of a row.
    pub bytes: i64,
    /// Bytes that are copied at once.
    pub width: i64,
    /// Bytes from one row of rows to the next and from row to row, in the block's memory.
    pub shared_steps: [i64; 2],
    /// The same in device memory.
    pub global_steps: [Expr; 2],
    /// One axis of the box is a ring.
    pub ring: Option<Ring>,
}

/// An axis of a box on which what begins anywhere goes on at the start.
#[derive(Clone, Debug)]
pub struct Ring {
    /// 0 for rows of rows, 1 for rows, 2 for bytes.
    pub axis: usize,
    /// How many there are.
    pub size: i64,
    /// Where the first one lies.
    pub first: Expr,
}

/// Lets the ends of equal pieces of a box take the place of their beginnings.
#[derive(Clone, Debug)]
pub struct MoveRows {
    /// The box.
    pub shared: VarId,
    /// How many pieces.
    pub count: i64,
    /// Bytes that are moved of each.
    pub bytes: i64,
    /// Bytes of a piece.
    pub stride: i64,
    /// Bytes that are moved at once.
    pub width: i64,
}

/// Names for numbers that are known where the program is compiled, on one line.
#[derive(Clone, Debug)]
pub struct Constants {
    /// Them and their values.
    pub values: Vec<(VarId, Expr)>,
    /// What they are, for readers.
    pub remark: String,
}

/// A table of numbers that are known where the program is compiled.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it is called.
    pub var: VarId,
    /// The numbers.
    pub values: Vec<i64>,
    /// What it holds, for readers; empty where the one before says so.
    pub remark: String,
}

/// An array of the block with any number of dimensions.
#[derive(Clone, Debug)]
pub struct SharedBox {
    /// Type of an element.
    pub elem: CType,
    /// Elements by dimension.
    pub sizes: Vec<i64>,
    /// Where it begins in the block's memory, in bytes.
    pub offset: i64,
}

impl SharedBox {
    /// Its bytes.
    pub fn bytes(&self) -> i64 {
        self.sizes.iter().product::<i64>() * self.elem.size() as i64
    }
}

/// How the memory of a program of tiles is laid out, and what has names there.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Named constants.
    pub constants: Vec<Constants>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Arrays of the block.
    pub boxes: Vec<SharedBox>,
    /// Elements of arrays by dimension, for readers.
    pub extents: BTreeMap<VarId, Vec<Expr>>,
    /// Of arrays whose rows are padded the argument with the bytes from row to row.
    pub pitches: BTreeMap<VarId, VarId>,
}

/// How a kernel of tiles is launched.
#[derive(Clone, Debug)]
pub struct Launching {
    /// The constants with the threads of a block along its rows, along its columns, and in all.
    pub threads: [VarId; 3],
    /// The constant with the bytes that a block shares.
    pub bytes: VarId,
    /// The name of the struct of the kernel's parameters.
    pub record: String,
    /// What the struct is, for readers.
    pub remark: String,
    /// How many parameters stand on each line of it, and what they are.
    pub lines: Vec<(usize, String)>,
}

/// How a function becomes part of its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inline {
    /// As text.
    Always,
    /// Not at all, so that it has registers of its own.
    Never,
    /// The same, and it gets the arguments of the program one by one.
    NeverByValue,
}
