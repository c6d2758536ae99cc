//! Kernels of overlapped tiling whose warps work together in two space dimensions: as a pipeline in time, or on a patch.
//!
//! **Pipeline.** Blocks own 32 X columns. All warps
//! of a block own the same columns at consecutive times: warp w computes levels w L + 1 .. (w + 1) L of the
//! rows that stream through it, and hands rows on through a ring in shared memory. See
//! [`crate::sched::overlapped`] for levels and lags.
//!
//! Warp w is `w B` rows behind the first one: a barrier every B rows of all warps keeps what it reads
//! apart from what warp w - 1 writes. A slot of the ring holds, for every field, the newest rows of the levels
//! that a warp needs of the one before; each warp replaces them by those of its own last levels.
//!
//! **Patch.** A block holds R W rows of 32 X columns in registers for all time steps of a launch: warp w has rows w R to
//! (w + 1) R - 1. Nothing streams, so that there are no lags: small grids give every multiprocessor a few patches
//! and no block rows that enter and leave a pipeline. After each step warps hand their first and last rows to those above
//! and below through shared memory. The proof is that of a pipeline without a streamed dimension.

use hexcc_isl::{AstExpr, DimType, Map, Set};
use serde::{Deserialize, Serialize};

use super::Sub;
use super::lower::Prepared;
use super::stream::{
    Domain, Field, Growths, LANES, Piece, Stream, StreamIr, StreamRead, StreamTile,
};
use crate::diag::{Diagnostic, Result};
use crate::ir::{Program, VarId, WIDE};
use crate::options::StepKernel;
use crate::sched::overlapped::{self, Pipeline, Tile};

/// What the warps of a block share, where they do not work alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shared {
    /// The same columns, at consecutive times.
    Columns,
    /// The same time steps, of consecutive rows.
    Steps,
}

impl Shared {
    /// As for `--kernel`.
    pub fn kernel(self) -> StepKernel {
        match self {
            Shared::Columns => StepKernel::Pipelined,
            Shared::Steps => StepKernel::Patches,
        }
    }

    /// What `--kernel` asks for.
    pub fn of(kernel: StepKernel) -> Option<Shared> {
        let both = [Shared::Columns, Shared::Steps];
        both.into_iter().find(|shared| shared.kernel() == kernel)
    }

    /// Why a stencil of another number of space dimensions has no such kernel.
    pub fn only_2d(self) -> &'static str {
        match self {
            Shared::Columns => "warps are a pipeline in time in two space dimensions only",
            Shared::Steps => "blocks hold patches in two space dimensions only",
        }
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Shared::Columns => "warps as a pipeline in time",
            Shared::Steps => "a block holds a patch in registers",
        }
    }
}

/// Sizes of such a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpTile {
    /// What its warps share.
    pub shared: Shared,
    /// L: time levels of a warp.
    pub levels: i64,
    /// X: neighbouring columns of a lane.
    pub columns: i64,
    /// W: warps of a block.
    pub warps: i64,
    /// B: rows from barrier to barrier; R of a patch: those of a warp.
    pub rows: i64,
    /// D: groups of B rows that are loaded ahead; none of a patch.
    pub ahead: i64,
    /// Blocks that a multiprocessor holds at a time.
    pub blocks: i64,
}

/// Cost of a row in the tiles at both ends of all rows, where cells are tested, and in the others. With 10, 11
/// or 13 eighths in place of 12, star2d1r (16384^2, `float`) takes 6%, up to 4% (on slabs) and 1% longer on an H200.
pub const COST_OF_ROW: [i64; 2] = [3, 2];

/// Such a kernel: the fields and the pipeline are those of the stream that goes with it, which takes the
/// launches of less steps.
#[derive(Clone, Debug)]
pub struct WarpsIr {
    /// Its sizes.
    pub tile: WarpTile,
    /// Its reach, for its number of steps.
    pub growths: Growths,
    /// Condition on two rows and a block's first column under which the rows between are full.
    pub full: AstExpr,
    /// For each field, runs of a lane's columns, [first, end): only these may, in the first and in the last tile, be
    /// columns that a statement reads and the field's own does not write.
    pub tested: Vec<Vec<[i64; 2]>>,
    /// Rows of results of all tiles from which on it is worth its repeated rows.
    pub least_rows: i64,
    /// The kernel, and what its parameters stand for; nothing before it is made.
    pub kernel: Option<(Program, Vec<(VarId, Param)>)>,
}

/// What a parameter of the kernel stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Param {
    /// The scalar of this number.
    Scalar(usize),
    /// Level `-age` of a field, where the launch starts from.
    In(usize, i64),
    /// The plane of a field's array that holds level `-age`: elements that are never written. Of fields that no level is handed
    /// on of.
    Kept(usize, i64),
    /// The level of a field so many before the last.
    Out(usize, i64),
    /// Elements from row to row of a field's array.
    Pitch(usize),
    /// Rows or columns of a plane of a field.
    Extent(usize, usize),
    /// Of a field's statement, along a dimension: the first row or column that it writes, and how many.
    Domain(usize, usize, usize),
    /// The first and the last row of results.
    Rows(usize),
    /// The first column of results: of the first tile, at most of those that are not the last, of the last.
    Column(usize),
    /// Tiles beside each other.
    Tiles,
    /// The work of a block.
    Share,
    /// The size of this number.
    Size(usize),
    /// The array of this number, of one dimension, which no statement writes.
    Array(usize),
    /// The time step before the launch.
    Time,
    /// The time steps of a launch, of patches.
    Steps,
}

/// Statements of updates, at most: all levels have their text.
const MOST_UPDATES: usize = 4;

/// What such a kernel does not take, for people.
pub fn refusal(ir: &StreamIr, shared: Shared) -> Option<&'static str> {
    if ir.pipeline.n_space != 2 {
        return Some(shared.only_2d());
    }
    if !ir.records.is_empty() {
        return Some("numbers that time steps record");
    }
    let pieces = || ir.fields.iter().flat_map(|f| &f.pieces);
    let mut sweeps = ir.fields.iter().map(|f| &f.pieces[0]);
    if !ir.fields.iter().all(|f| f.is_one_sweep) || updates(ir).count() > MOST_UPDATES {
        return Some("an array that several statements write");
    }
    if sweeps.clone().any(|p| matches!(p.domain, Domain::Any(_))) {
        return Some("a domain that is no box");
    }
    let in_memory = |read: &StreamRead| matches!(read, StreamRead::Memory(_));
    let of_updates = || updates(ir).flat_map(|p| &p.reads);
    if sweeps.any(|p| p.reads.iter().any(in_memory)) || !of_updates().all(|r| is_number(ir, r)) {
        return Some("an array that is read only");
    }
    if pieces().any(|p| !ir.stencil.stmts[p.stmt].affine.is_empty()) {
        return Some("a value of an iterator");
    }
    let arrays = || ir.fields.iter().map(|f| &ir.stencil.arrays[f.array]);
    if arrays().any(|array| !array.pitched) {
        return Some("rows that lie apart");
    }
    if arrays().any(|array| array.elem.size() < 4) {
        return Some("elements of one or two bytes");
    }
    let elem = arrays().next().map(|array| array.elem);
    match arrays().any(|array| Some(array.elem) != elem) {
        true => Some("elements of several types"),
        false => None,
    }
}

/// The statements that overwrite cells of sweeps.
pub fn updates(ir: &StreamIr) -> impl Iterator<Item = &Piece> {
    ir.fields.iter().flat_map(|f| &f.pieces[1..])
}

/// Whether what an update reads is no more than a number of a step beside rows in registers: `source[t]`.
fn is_number(ir: &StreamIr, read: &StreamRead) -> bool {
    let StreamRead::Memory(access) = read else {
        return true;
    };
    let array = &ir.stencil.arrays[access.array];
    let is_plain = |sub: &Sub| match sub {
        Sub::Time { modulo, .. } => modulo.is_none_or(|m| m == 1),
        Sub::Const(_) | Sub::General { .. } => true,
        Sub::Space { .. } => false,
    };
    !array.pitched
        && array.rows.is_none()
        && access.subs.len() == 1
        && access.subs.iter().all(is_plain)
}

/// Blocks repeat rows where they begin: shares are this many times larger.
const SHARE: i64 = 4;

impl From<WarpTile> for StreamTile {
    fn from(tile: WarpTile) -> StreamTile {
        StreamTile {
            steps: tile.steps(),
            vector: tile.columns,
            rows: tile.rows,
            ahead: tile.ahead,
            warps: tile.warps,
            min_blocks: tile.blocks,
        }
    }
}

impl WarpTile {
    /// What the user gives as sizes of a streamed tile: steps, columns of a lane, warps; rows between barriers and
    /// groups ahead, or rows of a warp and blocks, where they are given.
    pub fn of(tile: StreamTile, shared: Shared) -> Option<WarpTile> {
        let or = |given: i64, usual: i64| if given > 0 { given } else { usual };
        let warps = or(tile.warps, 8);
        let of_patch = shared == Shared::Steps;
        let each = if of_patch { 1 } else { warps };
        (tile.steps % each == 0).then_some(WarpTile {
            shared,
            levels: tile.steps / each,
            columns: tile.vector,
            warps,
            rows: or(tile.rows, if of_patch { 8 } else { 1 }),
            ahead: if of_patch { 0 } else { or(tile.ahead, 4) },
            blocks: if of_patch { or(tile.min_blocks, 1) } else { 1 },
        })
    }

    /// Whether the warps of a block hold a patch.
    pub fn is_patch(&self) -> bool {
        self.shared == Shared::Steps
    }

    /// What the proof is of: of a patch a pipeline in which no dimension is streamed and nothing lags.
    pub fn pipeline(&self, pipeline: &Pipeline) -> Option<Pipeline> {
        match self.shared {
            Shared::Columns => Some(pipeline.clone()),
            Shared::Steps => Pipeline::new(pipeline.stages.clone(), pipeline.n_space, None, None),
        }
    }

    /// Rows of a patch that are results.
    pub fn result_rows(&self, growths: &Growths) -> i64 {
        let beside = growths.above.at(self.steps()) + growths.below.at(self.steps());
        self.rows * self.warps - beside
    }

    /// Whether lanes move whole words, rows have a lane's neighbours' columns, and the threads of a block exist.
    pub fn fits(&self, ir: &StreamIr) -> bool {
        let margin = |f: &Field| f.margin.0.max(f.margin.1);
        let beside = ir.fields.iter().map(margin).max().unwrap_or(0);
        let of_warps = |(above, below): (i64, i64)| above.max(below);
        let rows = (0..ir.fields.len()).map(|f| of_warps(rows_beside(ir, f)));
        self.columns > 0
            && self.columns % WarpsIr::lanes(ir) == 0
            && self.columns >= beside
            && (1..=16).contains(&self.warps)
            && (!self.is_patch() || rows.max().unwrap_or(0) <= self.rows)
            && (!self.is_patch() || self.steps() % at_once(ir) == 0)
            && self.levels >= 1
    }

    /// T: time steps of a launch.
    pub fn steps(&self) -> i64 {
        match self.shared {
            Shared::Columns => self.levels * self.warps,
            Shared::Steps => self.levels,
        }
    }

    /// Columns of a block.
    pub fn width(&self) -> i64 {
        LANES * self.columns
    }

    /// Columns before the results of a block, rounded up to what is stored at once.
    fn left(&self, growths: &Growths, ir: &StreamIr) -> i64 {
        up(growths.left.at(self.steps()), WarpsIr::lanes(ir))
    }

    /// Columns of results, a multiple of what is stored at once.
    pub fn results(&self, growths: &Growths, ir: &StreamIr) -> i64 {
        let right = growths.right.at(self.steps());
        let results = self.width() - self.left(growths, ir) - right;
        results.div_euclid(WarpsIr::lanes(ir)) * WarpsIr::lanes(ir)
    }

    /// Bytes of shared memory.
    pub fn shared_bytes(&self, ir: &StreamIr) -> i64 {
        let rows = match self.shared {
            Shared::Columns => {
                self.slots(self.unroll(WarpsIr::held(ir))) * WarpsIr::rows_of_slot(ir)
            }
            Shared::Steps => 2 * self.warps * handed_on(ir),
        };
        rows * self.width() * WarpsIr::bytes(ir)
    }

    /// Rows after which registers have the same meaning again: the rows of a level that are held. A
    /// multiple of B.
    pub fn unroll(&self, held: i64) -> i64 {
        up(held.max(self.rows), self.rows)
    }

    /// Slots of the ring, a multiple of `unroll`.
    pub fn slots(&self, unroll: i64) -> i64 {
        up((self.warps + self.ahead + 1) * self.rows, unroll)
    }
}

impl WarpsIr {
    /// Bytes of an element.
    fn bytes(ir: &StreamIr) -> i64 {
        let array = ir.fields.first().map(|f| &ir.stencil.arrays[f.array]);
        array.map_or(1, |array| array.elem.size() as i64)
    }

    /// Elements that are loaded and stored at once.
    pub fn lanes(ir: &StreamIr) -> i64 {
        i64::from(WIDE) / Self::bytes(ir)
    }

    /// Columns before the results of a block, rounded up to what is stored at once.
    pub fn left(&self, ir: &StreamIr) -> i64 {
        self.tile.left(&self.growths, ir)
    }

    /// Columns of results, a multiple of what is stored at once.
    pub fn results(&self, ir: &StreamIr) -> i64 {
        self.tile.results(&self.growths, ir)
    }

    /// Rows of a level that are held, with the newest.
    pub fn held(ir: &StreamIr) -> i64 {
        ir.pipeline.depth.iter().copied().max().unwrap_or(1)
    }

    /// Rows after which registers have the same meaning again.
    pub fn unroll(&self, ir: &StreamIr) -> i64 {
        self.tile.unroll(Self::held(ir))
    }

    /// Iterations in excess of the rows of results.
    pub fn extra(&self) -> i64 {
        let tile = &self.tile;
        self.growths.extra.at(tile.steps()) + tile.warps * tile.rows
    }

    /// Rows of a patch before its results, and of results.
    pub fn patch_rows(&self) -> [i64; 2] {
        let above = self.growths.above.at(self.tile.steps());
        [above, self.tile.result_rows(&self.growths)]
    }

    /// Rows that a slot of the ring holds.
    pub fn rows_of_slot(ir: &StreamIr) -> i64 {
        (0..ir.fields.len()).map(|f| ir.live(f)).sum()
    }

    /// Makes it worth where each of so many blocks has enough rows.
    pub fn worth_for(&mut self, multiprocessors: i64) {
        self.least_rows = SHARE * multiprocessors * self.extra();
    }

    /// Whether it is worth it for a domain of so many rows and columns.
    pub fn is_worth(&self, ir: &StreamIr, [rows, columns]: [f64; 2]) -> bool {
        let tiles = (columns / self.results(ir) as f64).floor() + 2.0;
        (rows + self.extra() as f64) * tiles >= self.least_rows as f64
    }

    /// Bytes of shared memory.
    pub fn shared_bytes(&self, ir: &StreamIr) -> i64 {
        self.tile.shared_bytes(ir)
    }
}

/// What a statement of a field reads of a field, as a patch holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRead {
    /// The field whose statement reads.
    pub reader: usize,
    /// The field that is read.
    pub field: usize,
    /// The plane that has it, counted from the newest one: fields before the reader have computed this step.
    pub plane: i64,
    /// Rows from the cell that is computed to the one that is read.
    pub row: i64,
    /// The same of columns.
    pub column: i64,
}

impl FieldRead {
    /// What a statement of a field reads of fields; `None` of other reads.
    pub fn of(ir: &StreamIr, reader: usize, read: &StreamRead) -> Option<FieldRead> {
        let StreamRead::Field {
            field,
            age,
            back,
            column,
            ..
        } = *read
        else {
            return None;
        };
        let p = &ir.pipeline;
        Some(FieldRead {
            reader,
            field,
            plane: age - i64::from(field >= reader),
            row: p.lag[reader] - p.lag[field] + age * p.step_lag - back,
            column,
        })
    }
}

/// What all statements read of fields.
pub fn field_reads(ir: &StreamIr) -> impl Iterator<Item = FieldRead> + '_ {
    let fields = ir.fields.iter().enumerate();
    fields.flat_map(move |(reader, f)| {
        let reads = f.pieces.iter().flat_map(|piece| &piece.reads);
        reads.filter_map(move |read| FieldRead::of(ir, reader, read))
    })
}

/// Rows of a field that a warp of a patch needs of the warps above and below.
pub fn rows_beside(ir: &StreamIr, field: usize) -> (i64, i64) {
    let of_field = field_reads(ir).filter(|read| read.field == field);
    of_field.fold((0, 0), |(above, below), read| {
        (above.max(-read.row), below.max(read.row))
    })
}

/// Planes of a field that a patch holds.
pub fn planes(ir: &StreamIr, field: usize) -> i64 {
    let of_field = field_reads(ir).filter(|read| read.field == field);
    let needed = of_field.map(|read| read.plane + 1);
    needed.max().unwrap_or(1).max(ir.live(field)).max(1)
}

/// Steps of a patch after which registers have the same meaning again.
pub fn at_once(ir: &StreamIr) -> i64 {
    let all = (0..ir.fields.len()).map(|f| planes(ir, f));
    all.max().unwrap_or(1)
}

/// Rows that a warp of a patch hands to its neighbours in a step.
pub fn handed_on(ir: &StreamIr) -> i64 {
    let both = (0..ir.fields.len()).map(|f| rows_beside(ir, f));
    both.map(|(above, below)| above + below).sum()
}

impl Prepared<'_> {
    /// Proves the pipeline for blocks whose warps work together, and makes their kernel without its
    /// program. `None` where no column would be a result, or no tile is full.
    ///
    /// # Errors
    /// HX0401 where isl gives up, HX9001 where the proof fails.
    pub fn warps(&self, stream: &Stream, ir: &StreamIr, tile: WarpTile) -> Result<Option<WarpsIr>> {
        let steps = tile.steps();
        let Some(full) = self.stream_full(stream, tile.width())? else {
            return Ok(None);
        };
        let Some(pipeline) = tile.pipeline(stream.pipeline()) else {
            return Ok(None);
        };
        let mut warps = WarpsIr {
            tile,
            growths: Growths::of(&pipeline, steps),
            full,
            tested: Vec::new(),
            least_rows: 0,
            kernel: None,
        };
        let (left, results) = (warps.left(ir), warps.results(ir));
        let [above, rows] = warps.patch_rows();
        if results < 1 || tile.is_patch() && rows < 1 {
            return Ok(None);
        }
        let columns = -left..tile.width() - left;
        let (rows, computed) = match tile.shared {
            Shared::Columns => (0..results, columns.clone()),
            Shared::Steps => (0..rows, -above..tile.rows * tile.warps - above),
        };
        let computed = vec![computed, columns];
        let proven = Tile {
            loaded: computed.clone(),
            computed,
            results: vec![rows, 0..results],
        };
        overlapped::verify(&self.scop.ctx, &pipeline, stream.flows(), steps, &proven)
            .map_err(|e| Diagnostic::bug(format!("the pipeline could not be proven right: {e}")))?;
        warps.tested = match tile.shared {
            Shared::Columns => self.tested_columns(stream, ir, &warps)?,
            Shared::Steps => vec![vec![[0, tile.columns]]; ir.fields.len()],
        };
        Ok(Some(warps))
    }

    /// See [`WarpsIr::tested`]: for all values of the parameters.
    fn tested_columns(
        &self,
        stream: &Stream,
        ir: &StreamIr,
        warps: &WarpsIr,
    ) -> Result<Vec<Vec<[i64; 2]>>> {
        let columns: Vec<Set> = (stream.main.iter())
            .map(|main| {
                let rows = main.dim(DimType::Set)? as u32 - 1;
                main.project_out(DimType::Set, 0, rows)?.reset_tuple_name()
            })
            .collect::<std::result::Result<_, _>>()?;
        let starts = self.ends_of_rows(&columns, ir, warps)?;
        let (width, lane) = (warps.tile.width(), warps.tile.columns);
        let of_lane = format!(
            "{{ [c] -> [x] : exists l : c = {lane} l + x and 0 <= x < {lane} and 0 <= c < {width} }}"
        );
        let of_lane = Map::read(&self.scop.ctx, &of_lane)?;
        let mut all = Vec::new();
        for (f, own) in columns.iter().enumerate() {
            let mut needed = own.empty_like()?;
            for (reader, cells) in ir.fields.iter().zip(&columns) {
                for read in &reader.pieces[0].reads {
                    if let StreamRead::Field { field, column, .. } = read
                        && *field == f
                    {
                        let shift = format!("{{ [j] -> [j + {column}] }}");
                        let shift = Map::read(&self.scop.ctx, &shift)?;
                        needed = needed.union(&cells.apply(&shift)?)?;
                    }
                }
            }
            let needed = needed.subtract(own)?;
            let in_tile = starts.to_all_of(&needed)?.deltas()?.apply(&of_lane)?;
            let mut tested = Vec::new();
            for x in 0..lane {
                if !in_tile.fix(DimType::Set, 0, x)?.is_empty()? {
                    tested.push(x);
                }
            }
            all.push(runs(&tested));
        }
        Ok(all)
    }

    /// The first columns that the first and the last tile compute, where rows are long enough for such tiles: host code
    /// tests the same.
    fn ends_of_rows(&self, columns: &[Set], ir: &StreamIr, warps: &WarpsIr) -> Result<Set> {
        let lanes = WarpsIr::lanes(ir);
        let (width, left, results) = (warps.tile.width(), warps.left(ir), warps.results(ir));
        let map = |text: &str| Map::read(&self.scop.ctx, text);
        let mut union = Set::read(&self.scop.ctx, "{ [j] : false }")?;
        for set in columns {
            union = union.union(set)?;
        }
        let (lowest, highest) = (union.lexmin()?, union.lexmax()?);
        let before = left + results;
        let first = map(&format!(
            "{{ [j] -> [s] : exists q : s = {lanes} q - {left} and {lanes} q <= j < {lanes} q + {lanes} }}"
        ))?;
        let last = map(&format!(
            "{{ [j] -> [s] : exists q : s = {lanes} q - {before} and {lanes} q - {lanes} <= j < {lanes} q }}"
        ))?;
        let mut starts = lowest.apply(&first)?.union(&highest.apply(&last)?)?;
        let enough = Set::read(
            &self.scop.ctx,
            &format!("{{ [d] : d >= {width} + {results} - {left} - {lanes} }}"),
        )?;
        let near = Set::read(
            &self.scop.ctx,
            &format!("{{ [d] : d <= {results} - {left} }}"),
        )?;
        for set in columns {
            let length = lowest.to_all_of(&set.lexmax()?)?.deltas()?;
            let begin = lowest.to_all_of(&set.lexmin()?)?.deltas()?;
            starts = starts.intersect_params(&length.intersect(&enough)?.params()?)?;
            starts = starts.intersect_params(&begin.intersect(&near)?.params()?)?;
        }
        Ok(starts)
    }
}

/// Ascending numbers as ranges.
fn runs(numbers: &[i64]) -> Vec<[i64; 2]> {
    let mut runs: Vec<[i64; 2]> = Vec::new();
    for &n in numbers {
        match runs.last_mut() {
            Some([_, end]) if *end == n => *end += 1,
            _ => runs.push([n, n + 1]),
        }
    }
    runs
}

/// The next multiple of `of`.
fn up(n: i64, of: i64) -> i64 {
    (n + of - 1).div_euclid(of) * of
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a block does with the slots of its ring, row by row: nothing is written while another one needs it.
    #[test]
    fn slots_of_the_ring_hold_what_is_needed() {
        for (warps, rows, ahead, held) in [(8, 5, 2, 5), (4, 1, 4, 3), (2, 3, 2, 2), (3, 2, 1, 7)] {
            let tile = WarpTile {
                shared: Shared::Columns,
                levels: 1,
                columns: 4,
                warps,
                rows,
                ahead,
                blocks: 1,
            };
            let unroll = tile.unroll(held);
            assert!(unroll % rows == 0 && unroll >= held);
            let slots = tile.slots(unroll);
            assert_eq!(slots % unroll, 0);
            // For each slot the row it holds and the warps that have had it.
            let mut ring = vec![(-1, 0); slots as usize];
            let at = |row: i64| row.rem_euclid(slots) as usize;
            for row in 0..ahead * rows {
                ring[at(row)] = (row, 0);
            }
            for group in 0..40 {
                let first = group * rows;
                let mut written = Vec::new();
                let mut read = Vec::new();
                for row in first..first + rows {
                    written.push(at(row + ahead * rows));
                    let done = row - warps * rows;
                    if done >= 0 {
                        assert_eq!(ring[at(done)], (done, warps), "results of row {done}");
                    }
                    read.push(at(done));
                }
                for warp in 0..warps {
                    for row in first - warp * rows..first - warp * rows + rows {
                        if row >= 0 {
                            assert_eq!(ring[at(row)], (row, warp), "row {row} of warp {warp}");
                            ring[at(row)].1 += 1;
                        }
                        read.push(at(row));
                    }
                }
                // No barrier lies between what is loaded and what is read.
                assert!(written.iter().all(|slot| !read.contains(slot)));
                for row in first..first + rows {
                    ring[at(row + ahead * rows)] = (row + ahead * rows, 0);
                }
            }
        }
    }
}
