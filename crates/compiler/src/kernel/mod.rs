//! The kernel as data: what a tile loads, computes and stores, in terms of the
//! tile's origin. Target-neutral; [`crate::lower::hybrid`] makes a program of it.
//!
//! All tiles of a schedule have one shape, and both phases use it: a tile is
//! given by its origin `(t0, o_0, .., o_n)`, the canonical coordinates of local
//! row a = 0, column b = 0 (hexagonal dimension) and the first point of row 0
//! (classical dimensions). Row `a` runs at time `t0 + a / k` and executes the
//! statements of slot `a mod k`; its points are a box relative to the origin.
//!
//! Contract, established by [`lower`]:
//! * in a tile for which [`KernelIr::full`] holds, every row executes its whole
//!   box for every statement that is not [`KernelStmt::partial_only`] (up to the
//!   lattice of strided loops), and no instance of one that is;
//! * the element every access of a row touches lies inside the array's
//!   [`SharedBox`], if it has one;
//! * in a full tile, an instance inside [`StmtRow::keep`] writes a value that is
//!   read only inside the tile and overwritten later, so it needs no store.

pub mod blocks;
mod count;
mod footprint;
mod full;
mod lower;
pub mod plan;
pub mod stream;
pub mod stream_plan;
pub mod warps;

pub use count::{Moves, SECTOR, Work, operation_slots, operation_slots_of_many};
pub use lower::{LowerOptions, Prepared, TileCounts, lower, prepare};

use crate::ctype::CType;
use crate::interface::Interface;
use crate::quotient::{Divisions, Form};
use crate::rows::Rows;
use crate::sched::HybridSchedule;
use crate::scop::{Expr, Lines};
use hexcc_isl::AstExpr;
use std::ops::Deref;

/// How a kernel reaches array elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// Every access goes to global memory.
    Global,
    /// A tile's footprint is held in shared memory (CGO'14 section 4.2).
    Shared,
}

/// When the values that a full tile computes go to global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyOut {
    /// After the tile's last row, from shared memory; where a box of elements
    /// cannot say which those are, as they are computed.
    Separate,
    /// All, as they are computed (CGO'14 section 4.2.1).
    Interleaved,
    /// As they are computed, but only those that are live after the tile.
    Live,
}

/// What a full tile finds of the tile before it in its chain in shared memory
/// (CGO'14 section 4.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// Nothing.
    None,
    /// The columns in common, at the place that every tile has for them: columns
    /// along the chain lie modulo the size of the box.
    Static,
    /// The columns in common, moved to where this tile has them.
    Dynamic,
}

/// Optimizations that can be chosen one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// When values go to global memory.
    pub copy_out: CopyOut,
    /// Copies of 16 bytes where the tile sizes allow it.
    pub aligned_loads: bool,
    /// Inter-tile reuse.
    pub reuse: Reuse,
    /// Full tiles have code without tests of their own.
    pub full_tiles: bool,
    /// Rows and their points are unrolled.
    pub unroll: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Switches {
            copy_out: CopyOut::Live,
            aligned_loads: true,
            reuse: Reuse::Dynamic,
            full_tiles: true,
            unroll: true,
        }
    }
}

/// An inclusive range of integers relative to a tile's origin; empty where
/// `hi < lo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// First value.
    pub lo: i64,
    /// Last value.
    pub hi: i64,
}

impl Interval {
    /// The empty interval.
    pub const EMPTY: Interval = Interval { lo: 0, hi: -1 };

    /// Number of integers.
    pub fn len(self) -> i64 {
        (self.hi - self.lo + 1).max(0)
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.hi < self.lo
    }

    /// Moved by `by`.
    pub fn shift(self, by: i64) -> Interval {
        Interval {
            lo: self.lo + by,
            hi: self.hi + by,
        }
    }

    /// What lies in both.
    pub fn intersect(self, other: Interval) -> Interval {
        Interval {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        }
    }

    /// The smallest interval around both.
    pub fn hull(self, other: Interval) -> Interval {
        if self.is_empty() {
            other
        } else if other.is_empty() {
            self
        } else {
            Interval {
                lo: self.lo.min(other.lo),
                hi: self.hi.max(other.hi),
            }
        }
    }

    /// Whether `other` lies inside.
    pub fn contains(self, other: Interval) -> bool {
        other.is_empty() || (self.lo <= other.lo && other.hi <= self.hi)
    }
}

/// One subscript of an access, in canonical coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Sub {
    /// `t + offset`, modulo the number of time buffers where there is one.
    Time {
        /// Added to t; in `0..modulo` where there is a modulo.
        offset: i64,
        /// Number of buffers.
        modulo: Option<i64>,
    },
    /// A constant.
    Const(i64),
    /// `s_dim + offset`.
    Space {
        /// Space dimension.
        dim: usize,
        /// Added to the coordinate.
        offset: i64,
    },
    /// Any other function; near a space dimension where `near` is given.
    General {
        /// Over `t, s..` and the parameters.
        expr: AstExpr,
        /// `(dim, range)`: the value minus `s_dim` always lies in the range.
        near: Option<(usize, Interval)>,
    },
}

impl Sub {
    /// Whether it tells time buffers that are used in turns.
    pub fn is_in_turns(&self) -> bool {
        matches!(self, Sub::Time { modulo, .. } if modulo.is_some())
    }
}

/// An access of a statement in canonical coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelAccess {
    /// Index in [`Interface::arrays`](crate::interface::Interface::arrays).
    pub array: usize,
    /// One per array dimension.
    pub subs: Vec<Sub>,
}

/// Where a value that a statement reads comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Read {
    /// An index into [`Interface::scalars`](crate::interface::Interface::scalars).
    Scalar(usize),
    /// An array element.
    Element(KernelAccess),
}

/// A dimension of a shared-memory tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedDim {
    /// Time buffers: slot `q` holds the element with time subscript
    /// `(t0 + lo + q) mod modulo`, or `t0 + lo + q` without modulo.
    Time {
        /// Number of buffers in the source.
        modulo: Option<i64>,
        /// First relative time; 0 with a modulo.
        lo: i64,
        /// Slots.
        size: i64,
    },
    /// Constant subscripts `lo .. lo + size`.
    Plane {
        /// Smallest constant.
        lo: i64,
        /// Number of constants covered.
        size: i64,
    },
    /// Subscripts `o_dim + lo .. o_dim + lo + size`.
    Space {
        /// Space dimension.
        dim: usize,
        /// First subscript relative to the tile's origin.
        lo: i64,
        /// Number of elements.
        size: i64,
    },
}

impl SharedDim {
    /// Number of elements along the dimension.
    pub fn size(&self) -> i64 {
        match self {
            SharedDim::Time { size, .. }
            | SharedDim::Plane { size, .. }
            | SharedDim::Space { size, .. } => *size,
        }
    }
}

/// A box of elements that a full tile copies in, in one slice of a shared box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyBox {
    /// Which slice.
    pub slice: i64,
    /// Elements per space dimension of the shared box, relative to it.
    pub elements: Vec<Interval>,
}

impl CopyBox {
    /// Number of elements.
    pub fn len(&self) -> i64 {
        self.elements.iter().map(|e| e.len()).product()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.elements.iter().any(|e| e.is_empty())
    }
}

/// The part of an array a tile holds in shared memory: a box.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedBox {
    /// One per array dimension.
    pub dims: Vec<SharedDim>,
    /// Number of slices: combinations of the time and plane dimensions.
    pub n_slices: i64,
    /// Elements moved by one copy: the box starts at a multiple of it along the
    /// innermost dimension, in the array and in shared memory, and so do its
    /// rows and copies. 1 where the array cannot be aligned.
    pub vector: i64,
    /// What a full tile copies in; partial tiles copy the whole box.
    pub copy_in: Vec<CopyBox>,
    /// What a full tile copies in that reuses the columns of the tile before;
    /// empty without inter-tile reuse.
    pub copy_next: Vec<CopyBox>,
    /// What a full tile copies out after its last row; `None` where it stores
    /// values as they are computed.
    pub copy_out: Option<Vec<CopyBox>>,
    /// Offset in the block's shared memory, bytes.
    pub byte_offset: i64,
    /// Elements per innermost row.
    pub row_stride: i64,
}

impl SharedBox {
    /// Sizes of the space dimensions.
    pub fn space_sizes(&self) -> Vec<i64> {
        (self.dims.iter())
            .filter(|d| matches!(d, SharedDim::Space { .. }))
            .map(SharedDim::size)
            .collect()
    }

    /// Position among the space dimensions of the box of space dimension `dim`.
    pub fn space_position(&self, dim: usize) -> Option<usize> {
        (self.dims.iter())
            .filter_map(|d| match d {
                SharedDim::Space { dim, .. } => Some(*dim),
                _ => None,
            })
            .position(|d| d == dim)
    }
}

/// An array as the kernel sees it.
#[derive(Clone, Debug)]
pub struct KernelArray {
    /// Name in generated code.
    pub name: String,
    /// Element type.
    pub elem: CType,
    /// Number of elements per dimension, over the parameters.
    pub extents: Vec<AstExpr>,
    /// Some statement writes it.
    pub written: bool,
    /// Rows are padded: their distance in bytes is an argument of the kernel.
    pub pitched: bool,
    /// The program has it through a pointer, so that another array could share its memory.
    pub pointer: bool,
    /// The program has a variable, whose address is passed.
    pub variable: bool,
    /// It exists on the device only: the program declares it in what is replaced.
    pub local: bool,
    /// What the program calls its memory, which other arrays of the interface may be in, too: they
    /// are other members of the same structs.
    pub memory: String,
    /// Elements may not exist that conditions on data keep the kernels from touching: they run where
    /// the program's memory is one that they share, and nothing of it is copied.
    pub doubtful: bool,
    /// The program has a table of pointers to its rows, and these lie anywhere.
    pub rows: Option<Rows>,
    /// The pointers of the program to what are planes here, which the outermost subscript selects; none where it has the
    /// array itself.
    pub parts: Vec<String>,
    /// Shared-memory tile, `None` where accesses go to global memory.
    pub shared: Option<SharedBox>,
}

/// A statement in one row of the tile.
#[derive(Clone, Debug)]
pub struct StmtRow {
    /// Instances whose value needs no store in a full tile, per space
    /// dimension; any empty interval means that everything is stored.
    pub keep: Vec<Interval>,
    /// The same in a full tile after which another one follows in the block and
    /// reuses its columns.
    pub keep_reused: Vec<Interval>,
}

/// One row of the tile.
#[derive(Clone, Debug)]
pub struct Row {
    /// `a mod k`.
    pub slot: i64,
    /// `a / k`: the row's time is `t0 + t_in`.
    pub t_in: i64,
    /// Points per space dimension, relative to the origin.
    pub points: Vec<Interval>,
    /// Per statement of the kernel; unused for those of other slots.
    pub stmts: Vec<StmtRow>,
}

/// A guard as bounds of single space dimensions, which can be tested relative to a tile's
/// origin.
#[derive(Clone, Debug)]
pub struct GuardBounds {
    /// Lower and upper bounds per space dimension; all have to hold.
    pub space: Vec<[Vec<AstExpr>; 2]>,
    /// What else has to hold.
    pub rest: Option<AstExpr>,
}

/// A statement ready for printing.
#[derive(Clone, Debug)]
pub struct KernelStmt {
    /// isl name, for comments.
    pub name: String,
    /// Source line; none without a text.
    pub lines: Option<Lines>,
    /// Source text, for comments.
    pub text: String,
    /// Slot in the logical time step.
    pub slot: i64,
    /// Condition on `t, s..` that an instance exists.
    pub guard: AstExpr,
    /// The same condition as bounds of single dimensions; `None` where it has another form.
    pub bounds: Option<GuardBounds>,
    /// The part of the guard that full tiles must test too: strides.
    pub lattice: Option<AstExpr>,
    /// The statement covers less than the space (a boundary); full tiles have
    /// no instance of it.
    pub partial_only: bool,
    /// The element written.
    pub write: KernelAccess,
    /// The elements read.
    pub reads: Vec<Read>,
    /// Intermediate values.
    pub locals: Vec<(String, CType, Expr)>,
    /// The value; affine parts are in [`KernelStmt::affine`].
    pub value: Expr,
    /// Affine sub-expressions over `t, s..`, in the order in which a traversal
    /// of the locals and then the value meets them.
    pub affine: Vec<AstExpr>,
    /// How its values are divided by constants.
    pub divisions: Divisions,
}

/// Operations of a subscript that is computed for each point, such as a minimum or a maximum. From
/// the machine code of flatclamped2d.
const GENERAL_SUBSCRIPT: usize = 7;

impl KernelStmt {
    /// What messages call it.
    pub fn place(&self) -> String {
        match self.lines {
            Some(lines) => format!("line {}", lines.first),
            None => format!("statement `{}`", self.name),
        }
    }

    /// The same as the subject of a sentence.
    pub fn subject(&self) -> String {
        match self.lines {
            Some(lines) => format!("the statement on line {}", lines.first),
            None => self.place(),
        }
    }

    /// Two as the subject of a sentence.
    pub fn subjects([a, b]: [&KernelStmt; 2]) -> String {
        match (a.lines, b.lines) {
            (Some(a), Some(b)) => format!("the statements on lines {} and {}", a.first, b.first),
            _ => format!("{} and {}", a.place(), b.place()),
        }
    }

    /// What comments call it.
    pub fn title(&self) -> String {
        match self.lines {
            Some(lines) => format!("{}, {lines}", self.name),
            None => self.name.clone(),
        }
    }

    /// What comments say of it, with so much of its text.
    pub fn comment(&self, text: &str) -> String {
        match self.lines {
            Some(_) => format!("{}: {text}", self.title()),
            None => self.title(),
        }
    }

    /// Accesses and operations of an instance.
    pub fn work(&self) -> usize {
        let values = self.locals.iter().map(|l| &l.2).chain([&self.value]);
        let subs = self.elements().flat_map(|access| &access.subs);
        let general = subs
            .filter(|sub| matches!(sub, Sub::General { .. }))
            .count();
        let operations = values.map(Expr::n_operations).sum::<usize>();
        self.reads.len() + 1 + operations + general * GENERAL_SUBSCRIPT
    }

    /// What takes the place of divisions by constants.
    pub fn quotients(&self) -> Vec<Form> {
        let mut found = Vec::new();
        for value in self.locals.iter().map(|l| &l.2).chain([&self.value]) {
            (self.divisions).visit(value, &mut |form| found.push(form));
        }
        found
    }

    /// The array elements read.
    pub fn elements(&self) -> impl Iterator<Item = &KernelAccess> {
        self.reads.iter().filter_map(|r| match r {
            Read::Element(access) => Some(access),
            Read::Scalar(_) => None,
        })
    }
}

/// An inclusive range over the parameters.
#[derive(Clone, Debug)]
pub struct SymbolicRange {
    /// Smallest value.
    pub lo: AstExpr,
    /// Largest value.
    pub hi: AstExpr,
}

/// Registers that hold a row of a 2D hexagon of one statement and one array.
pub const FEW_REGISTERS: i64 = 80;

/// The same where several threads share a row; more leave too few blocks, as measured.
pub const SHARED_ROW_REGISTERS: i64 = 64;

/// Registers that hold a row with its neighbours in two more dimensions, or with the
/// addresses and tests of several arrays or statements.
pub const MANY_REGISTERS: i64 = 128;

/// Statements from which on their tests take more than [`FEW_REGISTERS`].
const MANY_STATEMENTS: usize = 8;

/// Registers to compile full tiles for, so that they do not spill.
pub fn registers_wanted(
    schedule: &HybridSchedule,
    stmts: &[KernelStmt],
    arrays: &[KernelArray],
) -> i64 {
    let boxes = arrays.iter().filter(|a| a.shared.is_some()).count();
    let is_general = |s: &KernelStmt| {
        let mut accesses = s.elements().chain([&s.write]);
        accesses.any(|a| a.subs.iter().any(|sub| matches!(sub, Sub::General { .. })))
    };
    // Members of structs have addresses of their own, as arrays have.
    let is_constant = |a: &KernelAccess| matches!(a.subs.last(), Some(Sub::Const(_)));
    let is_member = |s: &KernelStmt| s.elements().chain([&s.write]).all(is_constant);
    let special = |s: &KernelStmt| s.lattice.is_some() || is_general(s) || is_member(s);
    if schedule.n_space > 2
        || boxes > 1
        || schedule.k > 1
        || stmts.len() >= MANY_STATEMENTS
        || stmts.iter().any(special)
    {
        MANY_REGISTERS
    } else {
        FEW_REGISTERS
    }
}

/// Blocks of so many threads that fit on a multiprocessor with the registers
/// wanted.
pub fn min_blocks(registers: i64, threads: i64) -> i64 {
    (REGISTERS_PER_MULTIPROCESSOR / (registers * threads).max(1)).clamp(1, 16)
}

/// The same on all GPUs since 2014.
const REGISTERS_PER_MULTIPROCESSOR: i64 = 65536;

/// Accesses and operations of one thread in a tile above which unrolling all
/// rows would overflow the instruction cache.
pub const UNROLL_LIMIT: i64 = 2000;

/// Threads of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Space dimension and number of threads, innermost first; one or two.
    pub threads: Vec<(usize, i64)>,
    /// Registers per thread to compile for.
    pub registers: i64,
}

impl Block {
    /// Number of threads.
    pub fn size(&self) -> i64 {
        self.threads.iter().map(|t| t.1).product()
    }

    /// Blocks per multiprocessor to compile for: keeps the compiler from trading
    /// registers for blocks that do not fit anyway, and from taking so many that
    /// too few do.
    pub fn min_blocks(&self) -> i64 {
        min_blocks(self.registers, self.size())
    }

    /// Number of threads along x and y.
    pub fn shape(&self) -> [i64; 2] {
        [0, 1].map(|i| self.threads.get(i).map_or(1, |t| t.1))
    }

    /// Number of threads along a space dimension.
    pub fn along(&self, dim: usize) -> i64 {
        (self.threads.iter().find(|t| t.0 == dim)).map_or(1, |t| t.1)
    }
}

/// The stencil that a kernel computes, however it is tiled.
#[derive(Clone, Debug)]
pub struct Stencil {
    /// Its sizes, scalars and arrays.
    pub interface: Interface,
    /// Names of `t, s0, .., sn`.
    pub dims: Vec<String>,
    /// Statements in textual order.
    pub stmts: Vec<KernelStmt>,
    /// Logical time steps per time step.
    pub k: i64,
    /// Range of `t` and of every space coordinate over all statements.
    pub ranges: Vec<SymbolicRange>,
}

impl Deref for Stencil {
    type Target = Interface;

    /// What a stencil is to the program around it.
    fn deref(&self) -> &Interface {
        &self.interface
    }
}

/// A kernel for both phases of a hybrid schedule, with the host loop around it.
#[derive(Clone, Debug)]
pub struct KernelIr {
    /// Arrays and statements.
    pub stencil: Stencil,
    /// Global or shared memory.
    pub schema: Schema,
    /// The schedule.
    pub schedule: HybridSchedule,
    /// Rows a = 0 .. 2h + 1.
    pub rows: Vec<Row>,
    /// Condition on the origin (named like the dimensions with a `0` appended)
    /// under which a tile is full; `None` where no tile is.
    pub full: Option<AstExpr>,
    /// Which dimensions the threads of a block run along.
    pub block: Block,
    /// The classical dimension whose tiles a block takes innermost, one after
    /// the other.
    pub chain: Option<usize>,
    /// The user has said how many rows a thread computes.
    pub rows_wanted: bool,
    /// The optimizations in use; reuse only where it is possible.
    pub switches: Switches,
    /// Shared memory per block, bytes.
    pub shared_bytes: i64,
}

impl KernelIr {
    /// Name of the origin of dimension `d` (0 is time).
    pub fn origin_name(&self, d: usize) -> String {
        origin_name(&self.stencil.dims[d])
    }

    /// Whether a full tile finds the columns of the one before it in the chain
    /// in shared memory.
    pub fn reuses(&self) -> bool {
        self.switches.reuse != Reuse::None
    }

    /// Points along space dimension `j` that one thread computes in a row.
    pub fn points_per_thread(&self, j: usize) -> i64 {
        let widest = (self.rows.iter())
            .map(|row| row.points[j].len())
            .max()
            .unwrap_or(1);
        let threads = self.block.along(j);
        (widest + threads - 1) / threads
    }

    /// Whether all rows of a full tile are unrolled, or only their points.
    pub fn unrolls_rows(&self) -> bool {
        let hex = self.schedule.hex_dim;
        let columns: i64 = (0..self.schedule.n_space)
            .filter(|&j| j != hex)
            .map(|j| self.points_per_thread(j))
            .product();
        let hex_threads = self.block.along(hex);
        let work: usize = (self.rows.iter())
            .map(|row| {
                let stmts =
                    (self.stencil.stmts.iter()).filter(|s| s.slot == row.slot && !s.partial_only);
                let each: usize = stmts.map(KernelStmt::work).sum();
                let points = (row.points[hex].len() + hex_threads - 1) / hex_threads;
                each * usize::try_from(points * columns).unwrap_or(1)
            })
            .sum();
        // Schema global is the plain baseline.
        self.switches.unroll && work <= UNROLL_LIMIT as usize && self.shared_bytes > 0
    }

    /// Whether a barrier separates row `a` from the next.
    pub fn barrier_after(&self, a: usize) -> bool {
        self.schedule.barrier_after_row[a]
    }
}

/// Name of the tile origin along a dimension; no name of C, so that no variable has it.
pub fn origin_name(dim: &str) -> String {
    format!("{dim}0'")
}
