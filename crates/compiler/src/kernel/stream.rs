//! The kernel of overlapped tiling as data: fields that stream through registers.
//!
//! A warp computes 32 V neighbouring columns, V in each lane, and streams along the
//! outer dimension (a stencil of one dimension has a single row). Rows of every level of
//! every field live in registers; a lane takes the columns beside its own from the lanes
//! beside it. In three space dimensions rows are patches: R rows in each lane, and a block of
//! warps one below the other, which hand rows to each other. See [`crate::sched::overlapped`]
//! for levels and lags.
//!
//! Contract, established by [`Prepared::stream`]:
//! * every array written is a field: one plane of it per time buffer, one value per point
//!   of the canonical space, the same elements at every time step;
//! * between rows for which [`StreamIr::full`] holds, the main statement of every field
//!   executes at every element of the warp's columns;
//! * an element that no statement writes keeps what its own time buffer holds; in three space
//!   dimensions what it held a level before, and the host finds out whether that is the same.

use super::count::{fixed_parts, is_cheap_call};
use super::lower::Prepared;
use super::warps::WarpsIr;
use super::{KernelAccess, KernelStmt, Read, Stencil, Sub, SymbolicRange};
use crate::ctype::CType;
use crate::deps::DepKind;
use crate::diag::{Diagnostic, Result};
use crate::quotient::Form;
use crate::sched::overlapped::{self, Flow, Pipeline, PipelineProof, Pull, Stage, Tile};
use crate::scop::Expr;
use hexcc_isl::{AstExpr, AstOp, DimType, Map, Set};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

mod record;

pub use record::Record;

/// Lanes of a warp.
pub const LANES: i64 = 32;

/// Bytes that a lane moves at least.
pub const WORD: i64 = 4;

/// Where a stage finds a value that its statement reads.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamRead {
    /// An index into [`Interface::scalars`](crate::interface::Interface::scalars).
    Scalar(usize),
    /// A row in registers.
    Field {
        /// The field.
        field: usize,
        /// Of level q + 1 - age for level q + 1.
        age: i64,
        /// Rows before the newest, planes in three space dimensions.
        back: i64,
        /// Row relative to the one computed, in three space dimensions.
        row: i64,
        /// Column relative to the one computed.
        column: i64,
    },
    /// An element of an array that is never written.
    Memory(KernelAccess),
    /// What a [`Record`] has of the time step so far.
    Recorded,
}

/// Where a statement executes.
#[derive(Clone, Debug)]
pub enum Domain {
    /// Between bounds, per space dimension.
    Box(Vec<SymbolicRange>),
    /// Where a condition on the coordinates holds.
    Any(AstExpr),
}

/// A statement of a field's stage.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Index in [`Stencil::stmts`].
    pub stmt: usize,
    /// At which elements.
    pub domain: Domain,
    /// Its reads, in source order.
    pub reads: Vec<StreamRead>,
}

/// An array that statements write, or a constant plane of one.
#[derive(Clone, Debug)]
pub struct Field {
    /// Index in [`Interface::arrays`](crate::interface::Interface::arrays).
    pub array: usize,
    /// Subscripts before those along space: constants, and the time buffer.
    pub plane: Vec<Sub>,
    /// Statements that write it, at disjoint elements; the first is the one that full
    /// tiles execute everywhere.
    pub pieces: Vec<Piece>,
    /// The others lie in the box of the first, which they overwrite.
    pub is_one_sweep: bool,
    /// Columns that a lane needs of the lanes before and after it.
    pub margin: (i64, i64),
    /// The row that gets its margins in each iteration, counted from the newest.
    pub exchanged: i64,
    /// In three space dimensions, rows that a warp needs of those before and after it. They are
    /// there one iteration after they were made.
    pub rows: (i64, i64),
    /// Columns beside these rows.
    pub corners: (i64, i64),
}

/// Planes of an array that no statement writes, which blocks hold in shared memory in three
/// space dimensions: the constant subscripts before those along space tell them apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficient {
    /// Index in [`Interface::arrays`](crate::interface::Interface::arrays).
    pub array: usize,
    /// Constant subscripts before those along space.
    pub plane: Vec<i64>,
    /// Least and largest distance of the plane read before the newest that enters the pipeline,
    /// for level 0; [`Pipeline::step_lag`] more for every level.
    pub before: (i64, i64),
}

impl Coefficient {
    /// Whether both are of the same planes.
    pub fn is_of(&self, other: &Coefficient) -> bool {
        (self.array, &self.plane) == (other.array, &other.plane)
    }

    /// Planes that a level reads before the newest one.
    pub fn depth(&self) -> i64 {
        self.before.1 - self.before.0
    }
}

/// Sizes of a streamed tile; 0 for what is to be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamTile {
    /// T: time steps of a launch.
    pub steps: i64,
    /// V: neighbouring columns of a lane.
    pub vector: i64,
    /// R: neighbouring rows of a lane, in three space dimensions.
    pub rows: i64,
    /// D: rows (planes in three space dimensions) that are loaded ahead.
    pub ahead: i64,
    /// Warps of a block.
    pub warps: i64,
    /// Blocks per multiprocessor to compile for.
    pub min_blocks: i64,
}

impl fmt::Display for StreamTile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "steps={},vector={},", self.steps, self.vector)?;
        if self.rows > 0 {
            write!(f, "rows={},", self.rows)?;
        }
        if self.ahead > 0 {
            write!(f, "ahead={},", self.ahead)?;
        }
        write!(f, "warps={},blocks={}", self.warps, self.min_blocks)
    }
}

impl StreamTile {
    /// What a warp that streams rows has where the user does not say.
    pub const OF_ROWS: StreamTile = StreamTile {
        steps: 8,
        vector: 4,
        rows: 0,
        ahead: 4,
        warps: 4,
        min_blocks: 3,
    };

    /// What a block of patches has where the user does not say.
    pub const OF_PATCHES: StreamTile = StreamTile {
        steps: 3,
        vector: 4,
        rows: 3,
        ahead: 1,
        warps: 12,
        min_blocks: 1,
    };

    /// With `other`'s sizes for those that are to be chosen.
    pub fn or(self, other: StreamTile) -> StreamTile {
        let or = |mine: i64, other: i64| if mine == 0 { other } else { mine };
        StreamTile {
            steps: or(self.steps, other.steps),
            vector: or(self.vector, other.vector),
            rows: or(self.rows, other.rows),
            ahead: or(self.ahead, other.ahead),
            warps: or(self.warps, other.warps),
            min_blocks: or(self.min_blocks, other.min_blocks),
        }
    }
}

impl FromStr for StreamTile {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<StreamTile, String> {
        let form = "expected `steps=T,vector=V[,rows=R][,ahead=D][,warps=W][,blocks=B]`";
        let mut tile = StreamTile::default();
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or(form)?;
            let value: i64 =
                (value.trim().parse()).map_err(|_| format!("`{part}` is no number; {form}"))?;
            let (field, most) = match name.trim() {
                "steps" => (&mut tile.steps, 128),
                "vector" => (&mut tile.vector, 64),
                "rows" => (&mut tile.rows, 16),
                "ahead" => (&mut tile.ahead, 16),
                "warps" => (&mut tile.warps, 32),
                "blocks" => (&mut tile.min_blocks, 16),
                _ => return Err(format!("unknown size `{name}`; {form}")),
            };
            if value < 1 || value > most {
                return Err(format!("{name} must lie between 1 and {most}"));
            }
            *field = value;
        }
        if tile.steps == 0 || tile.vector == 0 {
            return Err(form.to_string());
        }
        Ok(tile)
    }
}

/// A number that grows with the time steps of a launch: `constant + per_step * steps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Without any step.
    pub constant: i64,
    /// For every step.
    pub per_step: i64,
}

impl Growth {
    /// The smallest straight line that is nowhere below the values for 1, 2, .. steps.
    fn over(values: &[i64]) -> Growth {
        let per_step = values
            .windows(2)
            .map(|w| w[1] - w[0])
            .max()
            .unwrap_or(0)
            .max(0);
        let constant = (values.iter().zip(1..))
            .map(|(v, steps)| v - per_step * steps)
            .max()
            .unwrap_or(0);
        Growth { constant, per_step }
    }

    /// The value for so many steps.
    pub fn at(self, steps: i64) -> i64 {
        self.constant + self.per_step * steps
    }
}

/// How far a tile reaches, for any number of steps up to the tile's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growths {
    /// Columns before the results that they depend on.
    pub left: Growth,
    /// Columns after them.
    pub right: Growth,
    /// Rows before the results, in three space dimensions, and in two where nothing streams.
    pub above: Growth,
    /// Rows after them.
    pub below: Growth,
    /// Iterations before the one of the first row of results at level 0.
    pub before: Growth,
    /// Iterations in excess of the rows of results.
    pub extra: Growth,
}

impl Growths {
    /// Straight lines over the reach of 1 to `max_steps` steps.
    pub fn of(pipeline: &Pipeline, max_steps: i64) -> Growths {
        let all: Vec<_> = (1..=max_steps).map(|steps| pipeline.reach(steps)).collect();
        let inner = pipeline.n_space - 1;
        let over = |f: &dyn Fn(&overlapped::Reach) -> i64| {
            Growth::over(&all.iter().map(f).collect::<Vec<_>>())
        };
        let before = over(&|r| r.before);
        let middle = match (pipeline.n_space, pipeline.stream) {
            (3, _) => Some(1),
            (2, None) => Some(0),
            _ => None,
        };
        let rows = |side: &dyn Fn((i64, i64)) -> i64| {
            over(&|r| middle.map_or(0, |d: usize| side(r.halo[d])))
        };
        Growths {
            left: over(&|r| r.halo[inner].0),
            right: over(&|r| r.halo[inner].1),
            above: rows(&|halo| halo.0),
            below: rows(&|halo| halo.1),
            before,
            // What follows the first result does not depend on what goes before.
            extra: {
                let after = over(&|r| r.extra - r.before);
                Growth {
                    constant: before.constant + after.constant,
                    per_step: before.per_step + after.per_step,
                }
            },
        }
    }
}

/// A kernel of overlapped tiling, with the host loop around it.
#[derive(Clone, Debug)]
pub struct StreamIr {
    /// Arrays and statements.
    pub stencil: Stencil,
    /// The fields, in the order in which a time step computes them.
    pub fields: Vec<Field>,
    /// What tiles record of time steps; their stages come behind those of the fields.
    pub records: Vec<Record>,
    /// Their pipeline.
    pub pipeline: Pipeline,
    /// Its reach.
    pub growths: Growths,
    /// Tile sizes.
    pub tile: StreamTile,
    /// Condition on two rows (where there are rows) and a warp's first column under which the
    /// rows between are full: [`LOWEST_ROW`], [`HIGHEST_ROW`], [`FIRST_COLUMN`]. In three space
    /// dimensions all tiles run the same code, and it is 1.
    pub full: AstExpr,
    /// The kernel that takes most launches in its place, where there is one.
    pub warps: Option<Box<WarpsIr>>,
    /// The domain is a ring or torus, whose cells arrays have beside it once more.
    pub around: Option<Around>,
    /// It is a GPU's share of the rows.
    pub slab: Option<Slab>,
}

/// A GPU's share of the rows of a domain, with copies of its neighbours' beside it ([`crate::slabs`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slab {
    /// The parameter that is the row of the program that comes first.
    pub first: String,
    /// The parameter that is the number of rows.
    pub count: String,
    /// The parameter that is the first row that is written.
    pub begin: String,
    /// The parameter that is the first one behind these.
    pub end: String,
    /// How far a time step reaches.
    pub reach: i64,
    /// Rows on either side that a launch needs at most.
    pub launch: i64,
    /// Rows behind these that are never written.
    pub rim: i64,
}

/// What a plane has beside a domain that is a ring or torus ([`crate::periodic`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around {
    /// Cells on either side along each space dimension; 0 where it does not go around.
    pub beside: Vec<i64>,
    /// How many of them, the outermost ones, are never written.
    pub rim: i64,
}

/// Name of the lowest row in [`StreamIr::full`]; as the others no name of C, so that no variable
/// has it.
pub const LOWEST_ROW: &str = "i_low'";
/// Name of the highest row.
pub const HIGHEST_ROW: &str = "i_high'";
/// Name of the first column that a tile computes.
pub const FIRST_COLUMN: &str = "j_first'";

impl StreamIr {
    /// Names of the streamed dimension, if there is one, and the contiguous one.
    pub fn dims(&self) -> (Option<&str>, &str) {
        let dims = &self.stencil.dims;
        (
            self.pipeline.stream.map(|d| dims[d + 1].as_str()),
            &dims[self.pipeline.n_space],
        )
    }

    /// The arrays of numbers that tiles record and that may not be what C has: they are NaN then, or zero.
    pub fn unsure(&self) -> Vec<usize> {
        let unsure = self.records.iter().filter(|record| record.unsure.is_some());
        unsure.map(|record| record.array).collect()
    }

    /// The first statement whose terms are added in another order than C's.
    pub fn rounds(&self) -> Option<usize> {
        let rounding = self.records.iter().find(|record| record.rounds());
        rounding.map(|record| record.piece.stmt)
    }

    /// Whether a block streams planes: three space dimensions.
    pub fn has_planes(&self) -> bool {
        self.pipeline.n_space == 3
    }

    /// Rows of a block whose cells are results, for so many steps, in three space dimensions.
    pub fn result_rows(&self, steps: i64) -> i64 {
        let beside = self.growths.above.at(steps) + self.growths.below.at(steps);
        self.tile.rows * self.tile.warps - beside
    }

    /// Smallest and largest age of the reads of a field that lie so many rows and columns away.
    pub fn ages(&self, f: usize, beside: impl Fn(i64, i64) -> bool) -> Option<(i64, i64)> {
        let pieces = self.fields.iter().flat_map(|f| &f.pieces);
        let pieces = pieces.chain(self.records.iter().map(|record| &record.piece));
        let ages = pieces.flat_map(|p| &p.reads).filter_map(|read| match read {
            StreamRead::Field {
                field,
                age,
                row,
                column,
                ..
            } if *field == f && beside(*row, *column) => Some(*age),
            _ => None,
        });
        ages.fold(None, |found, age| {
            let (lo, hi) = found.unwrap_or((age, age));
            Some((lo.min(age), hi.max(age)))
        })
    }

    /// Levels of a field whose outer rows warps hand to each other, for so many steps.
    pub fn shared_levels(&self, f: usize, steps: i64) -> i64 {
        let ages = self.ages(f, |row, _| row != 0);
        ages.map_or(0, |(least, most)| steps + most - least)
    }

    /// What a main statement reads of an array that no statement writes, if blocks can hold its
    /// planes: the constant subscripts, and the distance along the three dimensions. Where the
    /// cell's value counts, so do the rows and columns at which it reads fields.
    pub fn coefficient_read(
        &self,
        piece: &Piece,
        read: &StreamRead,
    ) -> Option<(Coefficient, [i64; 3])> {
        let StreamRead::Memory(access) = read else {
            return None;
        };
        let array = &self.stencil.arrays[access.array];
        let (planes, space) = access.subs.split_at(access.subs.len().checked_sub(3)?);
        let &[
            Sub::Space { dim: 0, offset: i },
            Sub::Space { dim: 1, offset: j },
            Sub::Space { dim: 2, offset: k },
        ] = space
        else {
            return None;
        };
        let constant = |sub: &Sub| match sub {
            Sub::Const(c) => Some(*c),
            _ => None,
        };
        let plane: Vec<i64> = planes.iter().map(constant).collect::<Option<_>>()?;
        let (mut rows, mut columns) = ((0, 0), (0, 0));
        for read in &piece.reads {
            if let StreamRead::Field { row, column, .. } = *read {
                rows = (rows.0.min(row), rows.1.max(row));
                columns = (columns.0.min(column), columns.1.max(column));
            }
        }
        let near = rows.0 <= j && j <= rows.1 && columns.0 <= k && k <= columns.1;
        let width = self.tile.vector * array.elem.size() as i64;
        let found = Coefficient {
            array: access.array,
            plane,
            before: (0, 0),
        };
        (array.pitched && near && matches!(width, 4 | 8 | 16)).then_some((found, [i, j, k]))
    }

    /// The planes that blocks hold of arrays that no statement writes.
    pub fn coefficients(&self) -> Vec<Coefficient> {
        let mut all: Vec<Coefficient> = Vec::new();
        if !self.has_planes() {
            return all;
        }
        for (f, field) in self.fields.iter().enumerate() {
            let main = &field.pieces[0];
            for read in &main.reads {
                let Some((mut found, [i, ..])) = self.coefficient_read(main, read) else {
                    continue;
                };
                let before = self.pipeline.lag[f] - i;
                found.before = (before, before);
                match all.iter_mut().find(|c| c.is_of(&found)) {
                    Some(c) => c.before = (c.before.0.min(before), c.before.1.max(before)),
                    None => all.push(found),
                }
            }
        }
        all
    }

    /// Planes of a coefficient in shared memory: those that levels read, and the next.
    pub fn slots(&self, of: &Coefficient, steps: i64) -> i64 {
        self.pipeline.step_lag * (steps - 1) + of.depth() + 2
    }

    /// Bytes of shared memory: two pages of the outer rows of warps, of this and of the last
    /// iteration, and the planes of coefficients.
    pub fn shared_bytes(&self, steps: i64) -> i64 {
        let tile = &self.tile;
        let cells = tile.rows * tile.warps * LANES * tile.vector;
        let planes = self.coefficients().into_iter().map(|c| {
            let size = self.stencil.arrays[c.array].elem.size() as i64;
            self.slots(&c, steps) * cells * size
        });
        self.page_bytes(steps) * 2 + planes.sum::<i64>()
    }

    /// Bytes of the outer rows of all warps and levels.
    fn page_bytes(&self, steps: i64) -> i64 {
        let tile = &self.tile;
        (0..self.fields.len())
            .map(|f| {
                let (above, below) = self.fields[f].rows;
                let size = self.stencil.arrays[self.fields[f].array].elem.size() as i64;
                let row = LANES * tile.vector * size;
                self.shared_levels(f, steps) * tile.warps * (above + below) * row
            })
            .sum()
    }

    /// Planes before the newest at which level `-age` of a field enters: where no level needs
    /// a plane earlier, it is loaded later. What a launch of one step hands on enters no later
    /// than the step's results leave, with which the last iteration ends.
    pub fn enters(&self, f: usize, age: i64) -> i64 {
        let reads = self.fields.iter().flat_map(|f| &f.pieces);
        let reads = reads.flat_map(|p| &p.reads).filter_map(|read| match read {
            StreamRead::Field {
                field,
                age: a,
                back,
                row,
                ..
            } if *field == f && *a > age => Some(if *row != 0 { 0 } else { *back }),
            _ => None,
        });
        let handed_on = age + 1 < self.pipeline.stages[f].buffers;
        let leaves = (age + 1) * self.pipeline.step_lag;
        match reads.min() {
            Some(read) if handed_on || age == 0 => read.min(leaves),
            Some(read) => read,
            None if age == 0 => leaves,
            None => 0,
        }
    }

    /// Lanes whose columns are results, for so many steps.
    pub fn result_lanes(&self, steps: i64) -> i64 {
        let v = self.tile.vector;
        let skipped = |g: Growth| (g.at(steps) + v - 1) / v;
        LANES - skipped(self.growths.left) - skipped(self.growths.right)
    }

    /// The numbers of steps that launches advance: T, T / 2, .. 1, with all that the last launch may have.
    pub fn step_sizes(&self) -> Vec<i64> {
        let last = self.last_steps();
        let halves = std::iter::successors(Some(self.tile.steps), |s| (*s > 1).then_some(s / 2));
        halves
            .take_while(|s| *s > last)
            .chain((1..=last).rev())
            .collect()
    }

    /// How many steps the last launch has at most, which writes both planes of an array. Memory limits launches of so few:
    /// each takes about as long.
    pub fn last_steps(&self) -> i64 {
        let of_warps = self.warps.as_ref().map_or(i64::MAX, |w| w.tile.steps());
        let mut halves = std::iter::successors(Some(self.tile.steps), |s| Some(s / 2));
        match self.alternates() {
            true => halves
                .find(|s| *s <= 5 && *s < of_warps)
                .unwrap_or(1)
                .max(1),
            false => 1,
        }
    }

    /// The planes of a field that a launch hands on to the next.
    pub fn live(&self, field: usize) -> i64 {
        self.pipeline.live[field]
    }

    /// The levels 0, -1, .. of a field that tiles load in three space dimensions: those handed on,
    /// and what elements keep that no statement writes.
    pub fn loaded(&self, field: usize) -> i64 {
        self.live(field).max(self.pipeline.stages[field].kept)
    }

    /// Whether the last launch takes few steps, [`StreamIr::last_steps`], to write the planes that are older than what
    /// launches hand on.
    pub fn completes(&self) -> bool {
        (0..self.fields.len()).any(|f| self.live(f) < self.pipeline.stages[f].buffers)
    }

    /// Whether the program has the planes of an array apart, each as kernels can use it: they need no cells beside those
    /// of the program, and rows that lie anywhere are no planes.
    pub fn is_apart(&self, array: usize) -> bool {
        let array = &self.stencil.arrays[array];
        self.around.is_none() && !array.parts.is_empty() && array.rows.is_none()
    }

    /// Whether launches go from one plane of an array to the other: all fields have two, of which a step reads one, and
    /// elements that no statement writes come from the plane that they belong to.
    pub fn alternates(&self) -> bool {
        let has_two = |f| self.live(f) == 1 && self.pipeline.stages[f].buffers == 2;
        !self.has_planes() && (0..self.fields.len()).all(has_two)
    }

    /// Iterations after which the rows held are in the same registers again.
    pub fn unroll(&self) -> i64 {
        let held = self.pipeline.depth.iter().map(|d| d - 1).max().unwrap_or(1);
        let n = held.max(1);
        if self.has_planes() {
            // As short as the text of a step is long.
            n.min(2)
        } else if n < self.tile.ahead {
            n * ((self.tile.ahead + n - 1) / n)
        } else {
            n
        }
    }
}

/// What keeps a stencil from overlapped tiling, for people.
pub type Refusal = String;

/// A stencil that can stream, before tile sizes are known.
pub struct Stream {
    fields: Vec<Field>,
    records: Vec<Record>,
    pipeline: Pipeline,
    flows: Vec<Flow>,
    /// Where the main statement of every field executes.
    pub(super) main: Vec<Set>,
}

impl Stream {
    /// The pipeline.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// The fields.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The flow dependences.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }
}

impl Prepared<'_> {
    /// Finds the pipeline of the stencil, or what is in the way.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn stream(&self) -> Result<std::result::Result<Stream, Refusal>> {
        let n_space = self.c.n_space;
        if n_space > 3 {
            return Ok(Err(format!(
                "it streams stencils of up to three space dimensions, this one has {n_space}"
            )));
        }
        let mut fields = match self.fields() {
            Ok(fields) => fields,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let domains = match self.space_domains()? {
            Ok(domains) => domains,
            Err(refusal) => return Ok(Err(refusal)),
        };
        for field in &mut fields {
            if let Some(refusal) = self.sort_pieces(field, &domains)? {
                return Ok(Err(refusal));
            }
            for piece in &mut field.pieces {
                piece.domain = self.domain_of(&domains[piece.stmt])?;
            }
            self.as_sweep(field, &domains)?;
        }
        let mut records = match self.records(&domains)? {
            Ok(records) => records,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let stages = match self.stages(&fields, &records) {
            Ok(stages) => stages,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Some(refusal) = self.not_compared(&fields, &stages) {
            return Ok(Err(refusal));
        }
        let of_stages: Vec<&[Piece]> = (fields.iter().map(|f| f.pieces.as_slice()))
            .chain(records.iter().map(|r| std::slice::from_ref(&r.piece)))
            .collect();
        let flows = self.flow_distances(&of_stages)?;
        for flow in &flows {
            if let Some(refusal) = self.unpulled(flow, &of_stages, &stages)? {
                return Ok(Err(refusal));
            }
        }
        let stream = (n_space > 1).then_some(0);
        let shared = (n_space == 3).then_some(1);
        let Some(pipeline) = Pipeline::new(stages, n_space, stream, shared) else {
            return Ok(Err(
                "a time step needs rows of itself that come later".to_string()
            ));
        };
        for f in 0..fields.len() {
            for p in 0..fields[f].pieces.len() {
                let stmt = fields[f].pieces[p].stmt;
                fields[f].pieces[p].reads = self.stream_reads(&fields, &pipeline, f, stmt);
            }
        }
        for (r, record) in records.iter_mut().enumerate() {
            let stage = fields.len() + r;
            record.piece.reads = self.stream_reads(&fields, &pipeline, stage, record.piece.stmt);
        }
        margins(&mut fields, &records);
        let main = fields.iter().map(|f| f.pieces[0].stmt);
        let main = main
            .chain(records.iter().map(|r| r.piece.stmt))
            .map(|stmt| domains[stmt].clone())
            .collect();
        Ok(Ok(Stream {
            fields,
            records,
            pipeline,
            flows,
            main,
        }))
    }

    /// The fields, in the order of their last statements.
    fn fields(&self) -> std::result::Result<Vec<Field>, Refusal> {
        let mut fields: Vec<Field> = Vec::new();
        let mut found: Vec<FieldKey> = Vec::new();
        let all = self.stmts.iter().enumerate();
        for (s, stmt) in all.filter(|(s, _)| !self.is_recorded(*s)) {
            let key = self.field_key(stmt)?;
            let f = (found.iter()).position(|k| k == &key).unwrap_or_else(|| {
                found.push(key.clone());
                fields.push(Field {
                    array: key.array,
                    plane: key.plane.clone(),
                    pieces: Vec::new(),
                    is_one_sweep: false,
                    margin: (0, 0),
                    exchanged: 0,
                    rows: (0, 0),
                    corners: (0, 0),
                });
                found.len() - 1
            });
            fields[f].pieces.push(Piece {
                stmt: s,
                domain: Domain::Any(stmt.guard.clone()),
                reads: Vec::new(),
            });
        }
        fields.sort_by_key(|f| f.pieces.iter().map(|p| p.stmt).max());
        Ok(fields)
    }

    /// The field that a statement writes.
    fn field_key(&self, stmt: &KernelStmt) -> std::result::Result<FieldKey, Refusal> {
        let n_space = self.c.n_space;
        let refuse = |what: &str| Err(format!("{what} ({})", stmt.place()));
        let array = self.scop.array(self.array_index[stmt.write.array]);
        if !matches!(array.elem.size(), 1 | 2 | 4 | 8) {
            return refuse(&format!(
                "lanes exchange elements of at most 8 bytes, those of `{}` have {}",
                array.name,
                array.elem.size()
            ));
        }
        if stmt.lattice.is_some() {
            return refuse("a loop has a stride");
        }
        let subs = &stmt.write.subs;
        let (plane, space) = subs.split_at(subs.len().saturating_sub(n_space));
        let in_place =
            (space.iter().enumerate()).all(|(d, sub)| *sub == Sub::Space { dim: d, offset: 0 });
        if space.len() < n_space || !in_place {
            return refuse(&format!(
                "`{}` does not have one element for every point",
                array.name
            ));
        }
        let mut buffers = 1;
        for sub in plane {
            match sub {
                Sub::Const(_) => {}
                Sub::Time {
                    modulo: Some(m), ..
                } if buffers == 1 => buffers = *m,
                _ => {
                    return refuse(&format!("all time steps of `{}` are kept", array.name));
                }
            }
        }
        Ok(FieldKey {
            array: stmt.write.array,
            plane: plane.to_vec(),
        })
    }

    /// Where the statements execute at every time step.
    fn space_domains(&self) -> Result<std::result::Result<Vec<Set>, Refusal>> {
        let n = self.c.n_space as u32;
        let mut times: Vec<Set> = Vec::new();
        let mut domains = Vec::new();
        for (canonical, stmt) in self.c.stmts.iter().zip(&self.stmts) {
            let domain = &canonical.domain;
            let time = domain.eliminate(DimType::Set, 1, n)?;
            let space = domain.eliminate(DimType::Set, 0, 1)?;
            let constant = time.intersect(&space)?.is_subset(domain)?;
            let time = time.gist_params(&time.params()?)?;
            let same = match times.first() {
                Some(first) => first.is_equal(&time)?,
                None => true,
            };
            if !constant || !same {
                return Ok(Err(format!(
                    "{} does not execute at the same points at every time step",
                    stmt.subject()
                )));
            }
            times.push(time);
            domains.push(domain.project_out(DimType::Set, 0, 1)?.coalesce()?);
        }
        Ok(Ok(domains))
    }

    /// Puts the statement of a field that executes at the most points first.
    fn sort_pieces(&self, field: &mut Field, domains: &[Set]) -> Result<Option<Refusal>> {
        for (i, a) in field.pieces.iter().enumerate() {
            for b in &field.pieces[..i] {
                if !domains[a.stmt].is_disjoint(&domains[b.stmt])? {
                    let stmts = [&self.stmts[b.stmt], &self.stmts[a.stmt]];
                    return Ok(Some(format!(
                        "{} write the same elements",
                        KernelStmt::subjects(stmts)
                    )));
                }
            }
        }
        let mut sizes = BTreeMap::new();
        for piece in &field.pieces {
            sizes.insert(piece.stmt, self.typical_size(&domains[piece.stmt])?);
        }
        field
            .pieces
            .sort_by_key(|p| std::cmp::Reverse(sizes[&p.stmt]));
        if self.stmts[field.pieces[0].stmt].partial_only {
            return Ok(Some(format!(
                "{} writes a boundary only",
                self.stmts[field.pieces[0].stmt].place()
            )));
        }
        Ok(None)
    }

    /// Points of the box around a set for parameters of 1000.
    fn typical_size(&self, domain: &Set) -> Result<i64> {
        let mut set = domain.clone();
        for p in 0..self.scop.params.len() {
            set = set.fix(DimType::Param, p as u32, 1000)?;
        }
        let mut size = 1i64;
        for d in 0..self.c.n_space as u32 {
            let ends = if set.is_empty()? {
                None
            } else {
                let (lo, hi) = (set.dim_min_val(d)?, set.dim_max_val(d)?);
                lo.finite().zip(hi.finite())
            };
            let n = ends.map_or(0, |(lo, hi)| hi.floor() - lo.ceil() + 1);
            size = size.saturating_mul(n);
        }
        Ok(size)
    }

    /// Lets the main statement execute at the elements of other parts of its sweep, too, if that makes a box: these overwrite
    /// what it computes there, and a box is tested sooner.
    fn as_sweep(&self, field: &mut Field, domains: &[Set]) -> Result<()> {
        let sweep = |s: usize| {
            let part = self.scop.sweeps.get(&self.stmts[s].name)?;
            Some(&part.sweep.name)
        };
        let main = field.pieces[0].stmt;
        field.is_one_sweep = field.pieces.len() == 1;
        let Some(own) = sweep(main) else {
            return Ok(());
        };
        let mut all = domains[main].clone();
        let is_own = |p: &&Piece| sweep(p.stmt) == Some(own);
        for piece in field.pieces.iter().filter(is_own) {
            all = all.union(&domains[piece.stmt])?;
        }
        let hull = all.simple_hull()?;
        if let (true, whole @ Domain::Box(_)) = (hull.is_subset(&all)?, self.domain_of(&hull)?) {
            field.is_one_sweep = field.pieces.iter().all(|p| is_own(&p));
            field.pieces[0].domain = whole;
        }
        Ok(())
    }

    /// Bounds per dimension where every constraint is one on a single coordinate.
    fn domain_of(&self, domain: &Set) -> Result<Domain> {
        let reduced = domain.gist_params(&self.known()?)?.coalesce()?;
        let basics = reduced.basic_sets()?;
        let ranges = match basics.as_slice() {
            [basic] => self.box_bounds(basic)?,
            _ => None,
        };
        Ok(match ranges {
            Some(ranges) => Domain::Box(ranges),
            None => {
                let mut named = reduced;
                for d in 0..self.c.n_space {
                    named = named.set_dim_name(DimType::Set, d as u32, &self.c.names[d + 1])?;
                }
                Domain::Any(self.build.expr_from_set(&named)?)
            }
        })
    }

    /// What holds for the parameters when kernels run: the context, and that there is
    /// something to do.
    fn known(&self) -> Result<Set> {
        Ok((self.union_domain()?.params()?).intersect(&self.scop.context.params()?)?)
    }

    fn box_bounds(&self, basic: &Set) -> Result<Option<Vec<SymbolicRange>>> {
        let mut params = Vec::new();
        for i in 0..basic.dim(DimType::Param)? {
            params.push(
                basic
                    .dim_name(DimType::Param, i as u32)?
                    .unwrap_or_default(),
            );
        }
        let mut lower = vec![Vec::new(); self.c.n_space];
        let mut upper = lower.clone();
        for constraint in basic.constraints()? {
            let dims: Vec<(usize, i64)> = (constraint.dims.iter().copied().enumerate())
                .filter(|(_, c)| *c != 0)
                .collect();
            let [(d, factor @ (1 | -1))] = dims[..] else {
                return Ok(None);
            };
            if constraint.divs.iter().any(|&c| c != 0) {
                return Ok(None);
            }
            // factor x + rest >= 0: x >= -rest, or x <= rest.
            let signed = |sign: i64| {
                let terms = (constraint.params.iter().zip(&params))
                    .map(|(c, name)| (sign * c, name.as_str()));
                affine(terms, sign * constraint.constant)
            };
            if constraint.equality || factor == 1 {
                lower[d].push(signed(-factor));
            }
            if constraint.equality || factor == -1 {
                upper[d].push(signed(if constraint.equality { -factor } else { 1 }));
            }
        }
        let all = |op: AstOp, mut bounds: Vec<AstExpr>| match bounds.len() {
            0 => None,
            1 => bounds.pop(),
            _ => Some(AstExpr::Op(op, bounds)),
        };
        Ok((lower.into_iter().zip(upper))
            .map(|(lo, hi)| {
                Some(SymbolicRange {
                    lo: all(AstOp::Max, lo)?,
                    hi: all(AstOp::Min, hi)?,
                })
            })
            .collect())
    }

    /// The field that an access touches, if it is one, and the age of what it reads for a
    /// statement of a stage, `reader`: the numbers of both.
    fn source(
        &self,
        fields: &[Field],
        reader: (usize, usize),
        access: &KernelAccess,
    ) -> Option<(usize, i64)> {
        let n_plane = access.subs.len().checked_sub(self.c.n_space)?;
        let plane = &access.subs[..n_plane];
        (fields.iter().enumerate()).find_map(|(f, field)| {
            if field.array != access.array || field.plane.len() != n_plane {
                return None;
            }
            let mut age = 0;
            let mut buffers = 1;
            for (written, read) in field.plane.iter().zip(plane) {
                match (written, read) {
                    (
                        Sub::Time {
                            offset: w,
                            modulo: Some(m),
                        },
                        Sub::Time {
                            offset: r,
                            modulo: Some(n),
                        },
                    ) if m == n => {
                        buffers = *m;
                        age = (w - r).rem_euclid(*m);
                    }
                    (Sub::Const(w), Sub::Const(r)) if w == r => {}
                    _ => return None,
                }
            }
            // What this step writes later holds the step's before.
            let is_later = match fields.get(reader.0) {
                Some(_) => f >= reader.0,
                None => field.pieces.iter().any(|piece| piece.stmt > reader.1),
            };
            Some((f, if age == 0 && is_later { buffers } else { age }))
        })
    }

    /// What every field's statements read, and the records behind them.
    fn stages(
        &self,
        fields: &[Field],
        records: &[Record],
    ) -> std::result::Result<Vec<Stage>, Refusal> {
        let mut stages = Vec::new();
        for (f, field) in fields.iter().enumerate() {
            let pulls = self.pulls(fields, f, &field.pieces)?;
            let buffers = (field.plane.iter())
                .find_map(|sub| match sub {
                    Sub::Time { modulo, .. } => *modulo,
                    _ => None,
                })
                .unwrap_or(1);
            // In three space dimensions the host finds out whether all buffers hold the same there.
            let kept = if self.c.n_space == 3 { 1 } else { buffers };
            stages.push(Stage {
                pulls,
                buffers,
                kept,
                is_record: false,
            });
        }
        for (r, record) in records.iter().enumerate() {
            stages.push(self.stage_of_record(fields, (record, fields.len() + r))?);
        }
        Ok(stages)
    }

    /// What the statements of a stage read of fields.
    fn pulls(
        &self,
        fields: &[Field],
        stage: usize,
        pieces: &[Piece],
    ) -> std::result::Result<Vec<Pull>, Refusal> {
        let mut pulls: Vec<Pull> = Vec::new();
        for piece in pieces {
            let stmt = &self.stmts[piece.stmt];
            for access in stmt.elements() {
                if !fields.iter().any(|g| g.array == access.array) {
                    continue;
                }
                let name = &self.scop.array(self.array_index[access.array]).name;
                let n_plane = access.subs.len().saturating_sub(self.c.n_space);
                let offset: Option<Vec<i64>> = (access.subs[n_plane..].iter().enumerate())
                    .map(|(d, sub)| match sub {
                        Sub::Space { dim, offset } if *dim == d => Some(*offset),
                        _ => None,
                    })
                    .collect();
                let source = self.source(fields, (stage, piece.stmt), access);
                let (Some((field, age)), Some(offset)) = (source, offset) else {
                    return Err(format!(
                        "{} reads an element of `{name}` that is not at a fixed distance",
                        stmt.place()
                    ));
                };
                let pull = Pull { field, age, offset };
                if !pulls.contains(&pull) {
                    pulls.push(pull);
                }
            }
        }
        Ok(pulls)
    }

    /// In three space dimensions the host compares what time buffers hold outside of the main
    /// statement's box: there must be one.
    fn not_compared(&self, fields: &[Field], stages: &[Stage]) -> Option<Refusal> {
        let apart = |stage: &Stage| stage.buffers > stage.kept;
        let (field, _) = (fields.iter().zip(stages)).find(|(field, stage)| {
            apart(stage) && !matches!(field.pieces[0].domain, Domain::Box(_))
        })?;
        Some(format!(
            "in three space dimensions {} must execute in a box, since its array has several time buffers",
            self.stmts[field.pieces[0].stmt].subject()
        ))
    }

    /// The flow dependences as distances between stages, whose statements are given.
    fn flow_distances(&self, stages: &[&[Piece]]) -> Result<Vec<Flow>> {
        let field_of = |stmt: usize| {
            (stages.iter())
                .position(|pieces| pieces.iter().any(|p| p.stmt == stmt))
                .unwrap_or(0)
        };
        let mut flows: Vec<Flow> = Vec::new();
        for dep in self.c.deps.iter().filter(|d| d.kind == DepKind::Flow) {
            let (source, target) = (field_of(dep.source), field_of(dep.target));
            let distances = dep.map.deltas()?.project_out_all_params()?.coalesce()?;
            match (flows.iter_mut()).find(|f| (f.source, f.target) == (source, target)) {
                Some(flow) => flow.distances = flow.distances.union(&distances)?,
                None => flows.push(Flow {
                    source,
                    target,
                    distances,
                }),
            }
        }
        for flow in &mut flows {
            flow.distances = flow.distances.coalesce()?;
        }
        Ok(flows)
    }

    /// A flow that is none of the pulls: statements run in another order than their fields.
    fn unpulled(
        &self,
        flow: &Flow,
        pieces: &[&[Piece]],
        stages: &[Stage],
    ) -> Result<Option<Refusal>> {
        let stage = &stages[flow.target];
        Ok(if flow.is_pulled(&self.scop.ctx, stage)? {
            None
        } else {
            let place = |f: usize| self.stmts[pieces[f][0].stmt].place();
            Some(format!(
                "{} reads values of {} from two time steps at once",
                place(flow.target),
                place(flow.source)
            ))
        })
    }

    fn stream_reads(
        &self,
        fields: &[Field],
        pipeline: &Pipeline,
        f: usize,
        number: usize,
    ) -> Vec<StreamRead> {
        let stmt = &self.stmts[number];
        (stmt.reads.iter())
            .map(|read| match read {
                Read::Scalar(i) => StreamRead::Scalar(*i),
                Read::Element(access) if self.is_of_record(access) => StreamRead::Recorded,
                Read::Element(access) => match self.source(fields, (f, number), access) {
                    None => StreamRead::Memory(access.clone()),
                    Some((field, age)) => {
                        let n_plane = access.subs.len() - self.c.n_space;
                        let offset: Vec<i64> = (access.subs[n_plane..].iter())
                            .map(|sub| match sub {
                                Sub::Space { offset, .. } => *offset,
                                _ => 0,
                            })
                            .collect();
                        let column = offset.last().copied().unwrap_or(0);
                        let row = match offset[..] {
                            [_, row, _] => row,
                            _ => 0,
                        };
                        let pull = Pull { field, age, offset };
                        StreamRead::Field {
                            field,
                            age,
                            back: pipeline.back(f, &pull),
                            row,
                            column,
                        }
                    }
                },
            })
            .collect()
    }

    /// The kernel of patches without a proof, for questions about sizes.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn unproven_patches(&self, stream: &Stream, name: &str) -> Result<StreamIr> {
        Ok(StreamIr {
            stencil: self.stencil(name)?,
            fields: stream.fields.clone(),
            records: stream.records.clone(),
            pipeline: stream.pipeline.clone(),
            growths: Growths::of(&stream.pipeline, 1),
            tile: StreamTile::OF_PATCHES,
            full: AstExpr::Int(1),
            warps: None,
            around: None,
            slab: None,
        })
    }

    /// Proves the pipeline for the tile sizes and makes the kernel. `None` where no lane
    /// would have results, or no tile is full.
    ///
    /// # Errors
    /// HX0401 where isl gives up, HX9001 where the proof fails.
    pub fn stream_kernel(
        &self,
        stream: &Stream,
        name: &str,
        tile: StreamTile,
    ) -> Result<Option<(StreamIr, PipelineProof)>> {
        let growths = Growths::of(&stream.pipeline, tile.steps);
        let planes = stream.pipeline.n_space == 3;
        let full = if planes {
            Some(AstExpr::Int(1))
        } else {
            self.stream_full(stream, LANES * tile.vector)?
        };
        let Some(full) = full else {
            return Ok(None);
        };
        let ir = StreamIr {
            stencil: self.stencil(name)?,
            fields: stream.fields.clone(),
            records: stream.records.clone(),
            pipeline: stream.pipeline.clone(),
            growths,
            tile,
            full,
            warps: None,
            around: None,
            slab: None,
        };
        let mut proof = None;
        for steps in ir.step_sizes() {
            let lanes = ir.result_lanes(steps);
            if lanes < 1 {
                return Ok(None);
            }
            let v = tile.vector;
            let width = |f: &Field| v * ir.stencil.arrays[f.array].elem.size() as i64;
            if ir.fields.iter().any(|f| width(f) % WORD != 0) {
                return Ok(None);
            }
            let first = -(growths.left.at(steps) + v - 1) / v * v;
            let mut computed = vec![first..first + LANES * v; stream.pipeline.n_space];
            let mut results = vec![0..lanes * v; stream.pipeline.n_space];
            if planes {
                let rows = ir.result_rows(steps);
                let margin = |f: &Field| f.rows.0.max(f.rows.1);
                let beside = ir.fields.iter().map(margin).max().unwrap_or(0);
                let aligned = (ir.fields.iter()).all(|f| matches!(width(f), 4 | 8 | 16));
                if rows < 1 || tile.rows < beside || tile.rows * tile.vector > 32 || !aligned {
                    return Ok(None);
                }
                let above = growths.above.at(steps);
                computed[1] = -above..tile.rows * tile.warps - above;
                results[1] = 0..rows;
            }
            let columns = Tile {
                loaded: computed.clone(),
                computed,
                results,
            };
            let checked =
                overlapped::verify(&self.scop.ctx, &ir.pipeline, &stream.flows, steps, &columns)
                    .map_err(|e| {
                        Box::new(Diagnostic::bug(format!(
                            "the pipeline could not be proven right: {e}"
                        )))
                    })?;
            proof = proof.or(Some(checked));
        }
        Ok(proof.map(|proof| (ir, proof)))
    }

    /// The condition under which the main statement of every field executes at all elements
    /// of so many columns between two rows.
    pub(super) fn stream_full(&self, stream: &Stream, columns: i64) -> Result<Option<AstExpr>> {
        let p = &stream.pipeline;
        let (names, map): (Vec<&str>, String) = match p.stream {
            Some(_) => (
                vec![LOWEST_ROW, HIGHEST_ROW, FIRST_COLUMN],
                format!("{{ [i, j] -> [a, b, c] : a <= i <= b and c <= j < c + {columns} }}"),
            ),
            None => (
                vec![FIRST_COLUMN],
                format!("{{ [j] -> [c] : c <= j < c + {columns} }}"),
            ),
        };
        let map = Map::read(&self.scop.ctx, &map)?;
        let dims = if p.stream.is_some() { "a, b, c" } else { "c" };
        let mut full = Set::read(&self.scop.ctx, &format!("{{ [{dims}] }}"))?;
        for main in &stream.main {
            let partial = main.complement()?.apply(&map)?;
            full = full.subtract(&partial)?;
        }
        let known = self.known()?;
        let full = full.intersect_params(&known)?;
        if full.is_empty()? {
            return Ok(None);
        }
        let mut named = full.gist_params(&known)?;
        if p.stream.is_some() {
            named = named.gist(&Set::read(&self.scop.ctx, "{ [a, b, c] : a <= b }")?)?;
        }
        named = named.coalesce()?;
        for (d, name) in names.iter().enumerate() {
            named = named.set_dim_name(DimType::Set, d as u32, name)?;
        }
        Ok(Some(self.build.expr_from_set(&named)?))
    }
}

#[derive(Clone, PartialEq)]
struct FieldKey {
    array: usize,
    plane: Vec<Sub>,
}

/// How far the reads of all stages reach into the lanes beside, and when.
fn margins(fields: &mut [Field], records: &[Record]) {
    let mut newest: Vec<Option<i64>> = vec![None; fields.len()];
    let mut margin = vec![(0, 0); fields.len()];
    let mut rows = margin.clone();
    let mut corners = margin.clone();
    let widen = |m: &mut (i64, i64), by: i64| *m = (m.0.max(-by), m.1.max(by));
    let pieces = fields.iter().flat_map(|f| &f.pieces);
    for piece in pieces.chain(records.iter().map(|r| &r.piece)) {
        for read in &piece.reads {
            let StreamRead::Field {
                field,
                back,
                row,
                column,
                ..
            } = *read
            else {
                continue;
            };
            if column != 0 {
                widen(&mut margin[field], column);
                newest[field] = Some(newest[field].map_or(back, |b| b.min(back)));
            }
            if row != 0 {
                widen(&mut rows[field], row);
                widen(&mut corners[field], column);
            }
        }
    }
    for (f, field) in fields.iter_mut().enumerate() {
        field.margin = margin[f];
        field.exchanged = newest[f].unwrap_or(0);
        field.rows = rows[f];
        field.corners = corners[f];
    }
}

/// `c0 p0 + c1 p1 + .. + constant`.
fn affine<'a>(terms: impl Iterator<Item = (i64, &'a str)>, constant: i64) -> AstExpr {
    let mut sum: Option<AstExpr> = None;
    let mut add = |negative: bool, term: AstExpr| {
        sum = Some(match (sum.take(), negative) {
            (None, false) => term,
            (None, true) => AstExpr::Op(AstOp::Minus, vec![term]),
            (Some(sum), false) => AstExpr::Op(AstOp::Add, vec![sum, term]),
            (Some(sum), true) => AstExpr::Op(AstOp::Sub, vec![sum, term]),
        });
    };
    for (c, name) in terms.filter(|(c, _)| *c != 0) {
        let id = AstExpr::Id(name.to_string());
        add(
            c < 0,
            match c.abs() {
                1 => id,
                c => AstExpr::Op(AstOp::Mul, vec![AstExpr::Int(c), id]),
            },
        );
    }
    match (sum, constant) {
        (None, c) => AstExpr::Int(c),
        (Some(sum), 0) => sum,
        (Some(sum), c) if c < 0 => AstExpr::Op(AstOp::Sub, vec![sum, AstExpr::Int(-c)]),
        (Some(sum), c) => AstExpr::Op(AstOp::Add, vec![sum, AstExpr::Int(c)]),
    }
}

/// What the stage of a field does in full tiles, for the model.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldWork {
    /// Bytes of an element.
    pub bytes: i64,
    /// Arithmetic instructions per element, with multiplications fused into additions and
    /// `PRECISE_SLOTS` for precise divisions and functions.
    pub operations: f64,
    /// The same where no multiplication is fused.
    pub apart: f64,
    /// The same with one product that is an operand fused into each sum: `0.2f * (a + b + c)` has none.
    pub fused: f64,
    /// Divisions by values or functions are among them.
    pub calls: bool,
    /// Divisions and functions that are computed precisely, in many instructions each.
    pub precise: usize,
    /// What these take beyond one instruction each where a warp has all levels.
    pub precise_slots: f64,
    /// Quotients that are products in `double`.
    pub products: usize,
    /// Elements read from arrays that are not fields.
    pub memory_reads: usize,
    /// The statement that reads most of its rows reads them from the oldest to the newest.
    pub rows_in_order: bool,
    /// Rows of a level that are held from one iteration to the next.
    pub held: i64,
    /// Columns that a lane takes from the lanes before and after.
    pub margin: (i64, i64),
    /// They are taken when a row is made, and held with it.
    pub exchanged_when_new: bool,
    /// Planes handed on from launch to launch.
    pub live: i64,
}

/// Instructions that a precise division or square root takes beyond one: measured with
/// j2d5pt and gradient2d.
pub(crate) const PRECISE_SLOTS: f64 = 27.0;

/// The same of one in `float` where a warp has all levels: what columns of a lane do overlaps with the test for numbers out of the
/// ordinary. Fitted to gradient2d with 200 and 512 steps.
const ROOT_SLOTS: f64 = 13.0;

/// The same of an exponential in `float`, which has no test: peronamalik2d with 32 and 200 steps.
const EXP_SLOTS: f64 = 6.0;

/// Instructions of a division by two products, with its part in what a row of them costs: the test, and
/// the branch that the next row waits for. Measured with j2d5pt and j2d9pt in `double`.
const FUSED_SLOTS: f64 = 12.0;

/// What the stages of all fields do.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamWork {
    /// One per field.
    pub fields: Vec<FieldWork>,
}

impl Prepared<'_> {
    /// Counts what full tiles do, built with `--use_fast_math` or without.
    pub fn stream_work(&self, stream: &Stream, fast_math: bool) -> StreamWork {
        let n = stream.fields.len();
        let mut held = vec![0; n];
        let main = stream.fields.iter().map(|f| &f.pieces[0]);
        let main = main.chain(stream.records.iter().map(|r| &r.piece));
        for read in main.flat_map(|piece| &piece.reads) {
            if let StreamRead::Field {
                field, back, age, ..
            } = read
            {
                // Rows of older levels are read after their level has a new one.
                held[*field] = held[*field].max(back + i64::from(*age > 1));
            }
        }
        let fields = (stream.fields.iter().enumerate())
            .map(|(f, field)| {
                let piece = &field.pieces[0];
                let Operations {
                    slots,
                    apart,
                    fused,
                    calls,
                    divisions,
                    division_slots,
                    products,
                } = operations(&self.stmts[piece.stmt]);
                let elem = self.scop.array(self.array_index[field.array]).elem;
                // The option of nvcc is for float.
                let (precise, precise_slots) = match elem {
                    CType::Float if fast_math => (0, 0.0),
                    _ => (divisions, division_slots),
                };
                let in_memory = |r: &&StreamRead| matches!(r, StreamRead::Memory(_));
                FieldWork {
                    bytes: elem.size() as i64,
                    operations: slots + PRECISE_SLOTS * precise as f64,
                    apart,
                    fused: fused + PRECISE_SLOTS * precise as f64,
                    calls,
                    precise,
                    precise_slots,
                    products,
                    memory_reads: piece.reads.iter().filter(in_memory).count(),
                    rows_in_order: in_order(&piece.reads),
                    held: held[f],
                    margin: field.margin,
                    exchanged_when_new: field.exchanged == 0,
                    live: stream.pipeline.live[f],
                }
            })
            .collect();
        let mut work = StreamWork { fields };
        if let Some(last) = work.fields.last_mut() {
            for record in &stream.records {
                let of_record = operations(&self.stmts[record.piece.stmt]);
                last.operations += of_record.slots;
                last.apart += of_record.apart;
                last.fused += of_record.fused;
            }
        }
        work
    }
}

/// Whether rows of every field are read from the oldest to the newest.
fn in_order(reads: &[StreamRead]) -> bool {
    let mut last = BTreeMap::new();
    reads.iter().all(|read| match read {
        StreamRead::Field { field, back, .. } => {
            let before = last.insert(*field, *back).unwrap_or(i64::MAX);
            *back <= before
        }
        StreamRead::Scalar(_) | StreamRead::Memory(_) | StreamRead::Recorded => true,
    })
}

/// What a statement computes.
struct Operations {
    /// Arithmetic instructions; one for a division or function.
    slots: f64,
    /// The same where no product is fused with a sum.
    apart: f64,
    /// The same where each sum is fused with one product that is an operand of it.
    fused: f64,
    /// It divides by values or calls functions.
    calls: bool,
    /// Divisions and functions.
    divisions: usize,
    /// What these take beyond one instruction each where a warp has all levels.
    division_slots: f64,
    /// Quotients that are products in `double`: two conversions and a multiplication.
    products: usize,
}

/// Calls `f` on the parts of an expression that are not in `parts`, which has a number for each.
/// Gives the number of the expression. Of equal reads, `first` has the first.
fn for_new_parts(
    expr: &Expr,
    first: &[usize],
    parts: &mut HashMap<String, usize>,
    f: &mut dyn FnMut(&Expr),
) -> usize {
    let key = match expr {
        Expr::Read(i, _) => format!("read {}", first.get(*i).unwrap_or(i)),
        Expr::Int { .. } | Expr::Float { .. } | Expr::Local(..) | Expr::Affine { .. } => {
            format!("{expr:?}")
        }
        Expr::Unary { op, arg } => format!("{op} {}", for_new_parts(arg, first, parts, f)),
        Expr::Cast { ty, arg } => format!("{ty} {}", for_new_parts(arg, first, parts, f)),
        Expr::Binary { op, lhs, rhs } => {
            let lhs = for_new_parts(lhs, first, parts, f);
            format!("{lhs} {op} {}", for_new_parts(rhs, first, parts, f))
        }
        Expr::Cond { cond, yes, no } => {
            let parts = [cond, yes, no].map(|e| for_new_parts(e, first, parts, f));
            format!("cond {parts:?}")
        }
        Expr::Call { name, args } | Expr::Cell { name, args, .. } => {
            let args: Vec<usize> = (args.iter())
                .map(|e| for_new_parts(e, first, parts, f))
                .collect();
            format!("{name} {args:?}")
        }
    };
    let n = parts.len();
    *parts.entry(key).or_insert_with(|| {
        f(expr);
        n
    })
}

/// Instructions beyond one of a division or function of a type where a warp has all levels.
fn slots_of_division(e: &Expr, ty: Option<&CType>) -> f64 {
    match e {
        _ if ty != Some(&CType::Float) => PRECISE_SLOTS,
        Expr::Binary { op: "/", .. } => ROOT_SLOTS,
        Expr::Call { name, .. } if name == "sqrt" || name == "sqrtf" => ROOT_SLOTS,
        Expr::Call { name, .. } if name == "exp" || name == "expf" => EXP_SLOTS,
        _ => PRECISE_SLOTS,
    }
}

fn operations(stmt: &KernelStmt) -> Operations {
    let (mut sums, mut products, mut others) = (0.0f64, 0.0f64, 0.0f64);
    let mut fused = 0.0;
    let is_product = |e: &Expr| matches!(e, Expr::Binary { op: "*", .. });
    let (mut calls, mut divisions, mut n_products) = (false, 0, 0);
    let mut division_slots = 0.0;
    // The compiler computes equal parts once.
    let mut parts = HashMap::new();
    let first: Vec<usize> = (stmt.reads.iter())
        .map(|read| (stmt.reads.iter()).position(|r| r == read).unwrap_or(0))
        .collect();
    let fixed = fixed_parts(stmt);
    let values = stmt.locals.iter().map(|l| &l.2).chain([&stmt.value]);
    for value in values {
        let mut types = HashMap::new();
        value.visit_typed(&mut |e, ty| {
            types.insert(std::ptr::from_ref(e), ty);
        });
        let long = |e: &Expr| slots_of_division(e, types.get(&std::ptr::from_ref(e)));
        for_new_parts(value, &first, &mut parts, &mut |e| match e {
            e if fixed.contains(&std::ptr::from_ref(e)) => {}
            Expr::Binary {
                op: "+" | "-",
                lhs,
                rhs,
                ..
            } => {
                sums += 1.0;
                fused += f64::from(u8::from(is_product(lhs) || is_product(rhs)));
            }
            Expr::Binary { op: "*", .. } => products += 1.0,
            Expr::Binary {
                op: "/" | "%", rhs, ..
            } => {
                match stmt.divisions.form(e) {
                    Some(Form::Product) => {
                        others += 3.0;
                        n_products += 1;
                        return;
                    }
                    Some(Form::Fused(_)) => {
                        others += FUSED_SLOTS;
                        calls = true;
                        return;
                    }
                    None => {}
                }
                let constant = matches!(**rhs, Expr::Float { .. } | Expr::Int { .. });
                others += if constant { 1.0 } else { 2.0 };
                calls |= !constant;
                divisions += 1;
                division_slots += long(e);
            }
            Expr::Call { .. } if is_cheap_call(e) => others += 1.0,
            Expr::Call { .. } => {
                others += 2.0;
                calls = true;
                divisions += 1;
                division_slots += long(e);
            }
            Expr::Binary { .. } | Expr::Unary { .. } | Expr::Cond { .. } => others += 1.0,
            _ => {}
        });
    }
    Operations {
        // A copy takes no instruction.
        slots: sums.max(products) + others,
        apart: sums + products + others,
        fused: sums + products - fused + others,
        calls,
        divisions,
        division_slots,
        products: n_products,
    }
}
