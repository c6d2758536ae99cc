//! What libpet found in a C file, as plain Rust data.
//!
//! isl objects cross as strings in isl's own notation, so nothing here depends
//! on a particular isl build. This is also the body of a saved scop
//! (`hexcc --emit scop`).

use serde::{Deserialize, Serialize};

/// A half-open byte range of the input file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset one past the last byte.
    pub end: usize,
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Span {
        let std::ops::Range { start, end } = range;
        Span { start, end }
    }
}

/// One static control part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PetScop {
    /// The region replaced by generated code: from `#pragma scop` to the end of
    /// `#pragma endscop` where there are pragmas, else the detected statements.
    pub span: Span,
    /// Indentation of the region's first line.
    pub indent: String,
    /// `isl_set`: what is known about the parameters.
    pub context: String,
    /// `isl_union_map`: the original execution order (`isl_schedule_get_map`).
    pub schedule: String,
    /// Arrays and scalars the scop touches.
    pub arrays: Vec<PetArray>,
    /// Statements in textual order, kill statements left out.
    pub stmts: Vec<PetStmt>,
    /// A subscript depends on array contents (`A[B[i]]`).
    pub data_dependent_accesses: bool,
    /// A condition or loop bound depends on array contents.
    pub data_dependent_conditions: bool,
    /// Members of structs that have names of their own in what pet has read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
    /// Where the members of arrays of structs lie, as far as clang knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<Record>,
    /// Statements that keep old values where a condition on data does not hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selects: Vec<Select>,
    /// What C runs under a condition on data, and pet has read as running always.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditional: Vec<Span>,
    /// Functions that compute what a cell is given, which statements call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Cell>,
    /// Nothing under a condition on data touches memory where the condition does not hold.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guarded: bool,
    /// Pointers that the time loop swaps at the end of a step; what pet has read has no swap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Sizes that have one number whenever the region runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<(String, i64)>,
    /// An `if` on data that is no value, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_selected: Option<(Span, String)>,
    /// What pet has read; not saved.
    #[serde(skip)]
    pub as_read: AsRead,
}

/// Pointers that a time loop swaps at the end of each of its steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rotation {
    /// Their names, in circles: after a step, each is what the next one was, and the last one what the first was.
    pub cycles: Vec<Vec<String>>,
    /// The first value of the time loop's iterator, which counts up by one: a number or a parameter.
    pub start: String,
    /// The header of the time loop: `for (..)`.
    pub head: Span,
    /// The statements that swap them, with declarations of what they alone use.
    pub swaps: Vec<Span>,
}

/// The text that pet has read, and what has made it of the user's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AsRead {
    /// The text.
    pub text: String,
    /// Passes over it, in their order: their names and what they do.
    pub passes: Vec<&'static str>,
    /// Subscripts are written out in it that are data in the plain text.
    pub written_out: bool,
}

/// A statement `x = c ? e : x` that stands for `if (c) x = e;`, or for the same with further
/// conditions in the place of the last operand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Select {
    /// Where the statement begins.
    pub start: usize,
    /// How many conditions it has, each the last operand of the one before.
    pub arms: usize,
    /// C assigns one of the values whatever the conditions are.
    pub always: bool,
    /// Where the last of the statements ends that it stands for.
    #[serde(default)]
    pub end: usize,
}

/// A function that computes the new value of an element from numbers and from arrays of which it may
/// read any element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Its name.
    pub name: String,
    /// The type of its value.
    pub result: String,
    /// Declarations of its parameters: numbers, pointers to arrays, old values.
    pub params: Vec<String>,
    /// Definitions, of the functions that it calls and last its own, without specifiers.
    pub functions: Vec<String>,
    /// It may return the old value without a use of the element in C.
    pub keeps: bool,
    /// Functions of the C library that are called.
    pub calls: Vec<String>,
    /// The arrays that nobody has declared a size of. In statements their sizes are further
    /// arguments of the call.
    pub unsized_arrays: Vec<Unsized>,
}

/// An array of which the program knows how many elements there are when it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsized {
    /// The array.
    pub array: String,
    /// The name of the number of its elements.
    pub size: String,
    /// Arrays that the same loops write.
    pub written: Vec<String>,
}

/// A name that stands for the member of a struct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The name.
    pub name: String,
    /// What it stands for in the source, such as `g->nx`.
    pub value: String,
    /// It has elements: a pointer or an array, not a number.
    pub is_pointer: bool,
    /// It is a pointer, and the region stores bytes, which C lets be the memory of anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_change: bool,
}

impl Member {
    /// A member that nothing but stores to itself changes.
    pub fn new(name: &str, value: String, is_pointer: bool) -> Member {
        Member {
            name: name.to_string(),
            value,
            is_pointer,
            may_change: false,
        }
    }
}

/// A struct that is the element of an array, or a variable of the scop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the array or variable.
    pub array: String,
    /// Bytes of an element.
    pub size: usize,
    /// Members that are numbers or arrays of numbers, those of structs in it, too.
    pub places: Vec<Place>,
    /// A member that has no place, such as a bit-field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unplaced: Option<String>,
}

/// Where a member of a struct lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The member, such as `vel.x`.
    pub path: String,
    /// Bytes from the beginning of the struct to its first element.
    pub offset: usize,
    /// By subscript behind the struct, of structs around the member first: how many elements there
    /// are, and the bytes from one to the next.
    pub dims: Vec<(usize, usize)>,
    /// Type of its elements, as in [`PetArray::element_type`].
    pub element_type: String,
    /// Size of an element in bytes.
    pub element_size: usize,
}

/// An array (or a scalar: no dimensions) that the scop touches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PetArray {
    /// Name in the source. A member of an array of structs is listed on its own, as
    /// `ARRAY_MEMBER`, with a nested tuple in its extent.
    pub name: String,
    /// `isl_set`: parameter values for which the extent is not negative.
    pub context: String,
    /// `isl_set`: the index set; its outermost dimension is unbounded for pointers.
    pub extent: String,
    /// Element type as C spells it, typedefs resolved where pet does so.
    pub element_type: String,
    /// Size of an element in bytes.
    pub element_size: usize,
    /// The element is a struct.
    pub element_is_record: bool,
    /// Declared inside the scop.
    pub declared: bool,
    /// Declared inside the scop and visible after it.
    pub exposed: bool,
    /// How many subscripts after the first follow a pointer that lies in memory: 1 for `float **A`
    /// and `float *A[N]`. pet does not say; none where clang was not asked.
    #[serde(default, skip_serializing_if = "is_none")]
    pub pointers: usize,
}

fn is_none(pointers: &usize) -> bool {
    *pointers == 0
}

/// One statement of the scop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PetStmt {
    /// isl tuple name, such as `S_0`.
    pub name: String,
    /// Source range of the statement without blanks around it. For the assignments
    /// to an iterator that is declared outside its loop, the range of the loop.
    pub span: Span,
    /// Line of the statement, from 1.
    pub line: usize,
    /// `isl_set`: the iteration domain. For a statement whose execution depends
    /// on data the domain is a wrapped map and `n_args` is not zero.
    pub domain: String,
    /// Number of data-dependent arguments of the domain.
    pub n_args: usize,
    /// What the statement does.
    pub body: PetBody,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PetBody {
    /// An expression statement.
    Expr(PetExpr),
    /// `T x = init;` for a variable declared inside the scop.
    Decl {
        /// The variable, as a write access.
        var: PetExpr,
        /// The initial value.
        init: PetExpr,
    },
    /// Anything else (data-dependent `if`, `while`, `break`, a block, ...): the
    /// kind of pet tree, for the diagnostic.
    Unsupported(String),
}

/// A C expression with pet's operators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PetExpr {
    /// A read or write of an array element, or an affine expression.
    Access {
        /// The array; `None` where pet folded an affine expression of iterators
        /// and parameters into an access without a tuple name.
        array: Option<String>,
        /// `isl_multi_pw_aff`: statement instance to subscripts (or to the one
        /// value of the affine expression).
        index: String,
        /// The access reads.
        read: bool,
        /// The access writes.
        write: bool,
        /// Data-dependent arguments of the index; empty for affine subscripts.
        args: Vec<PetExpr>,
        /// Integer type size of the expression as pet reports it: negative for
        /// signed types, 0 where it is not an integer.
        type_size: i32,
    },
    /// An integer literal.
    Int {
        /// Decimal text; never negative, a sign is an operator. pet drops suffixes:
        /// the type shows in the `type_size` of the operator around it.
        value: String,
        /// As in [`PetExpr::Access`]; pet leaves it 0 for literals.
        type_size: i32,
    },
    /// A floating-point literal, as the source spells it; where it comes from a
    /// macro, the shortest literal with the same value and type (`0.2f`).
    Double(String),
    /// An operator.
    Op {
        /// pet's name of the operator without the `pet_op_` prefix: `add`,
        /// `sub`, `mul`, `div`, `mod`, `minus`, `assign`, `add_assign`, `cond`,
        /// `lt`, `land`, `shl`, ...
        op: String,
        /// Operands in source order.
        args: Vec<PetExpr>,
        /// As in [`PetExpr::Access`].
        type_size: i32,
    },
    /// A function call.
    Call {
        /// The function's name.
        name: String,
        /// Arguments in source order.
        args: Vec<PetExpr>,
    },
    /// An explicit cast.
    Cast {
        /// Target type as C spells it.
        ty: String,
        /// Operand.
        arg: Box<PetExpr>,
    },
}
