//! Overlapped tiling, streamed (Holewinski et al., ICS 2012): from tile sizes to a proven kernel.

use super::{MAX_TILES, TimeLoop, refusals};
use crate::clock::Clock;
use crate::diag::Result;
use crate::kernel::Stencil;
use crate::kernel::blocks::BlocksIr;
use crate::kernel::plan::ArrayLayout;
use crate::kernel::stream::{Growths, Refusal, Stream, StreamIr, StreamTile, StreamWork, WORD};
use crate::kernel::stream_plan::{self, Instance, StreamRun};
use crate::kernel::warps::{self, Shared, WarpTile, WarpsIr};
use crate::lower;
use crate::model::Problem;
use crate::options::{Options, Tiling};
use crate::patch_size;
use crate::preference;
use crate::sched::overlapped::Pipeline;
use crate::stream_size::{self, StreamChoice};
use crate::target::Target;
use crate::warp_size;
use std::collections::HashSet;

/// Two warps per scheduler do not hide what these take.
const SLOW_IN_PLANES: &str =
    "in three space dimensions precise divisions and functions make it slow";

/// Most reads of a statement for which streamed planes were measured to be fast (j3d27pt). With 125
/// they run at 0.5 of naive speed, where hybrid tiles run at 1.2 (box3d2r, H200).
const MOST_READS_IN_PLANES: usize = 27;

const MANY_READS_IN_PLANES: &str =
    "in three space dimensions more than 27 reads a cell make it slow";

/// Cells on each side that a statement reads at most for which streamed planes were measured to be fast
/// (star3d2r). With four they keep planes in local memory and run at 0.46 of naive speed (filter25, H200).
const MOST_RADIUS_IN_PLANES: i64 = 2;

const FAR_READS_IN_PLANES: &str =
    "in three space dimensions reads more than two cells away make it slow";

const HYBRID_IS_FASTER: &str = "the hybrid tiling is predicted to be faster";

/// Tiles that are tried, at most, until one is no larger than the domain.
const MOST_TRIED: usize = 4;

/// Columns of a lane, at most, where a warp has all time levels.
const MOST_COLUMNS: i64 = 16;

const MANY_COLUMNS: &str = "a lane has at most 16 columns, but in warps that are a pipeline in time (`--kernel pipelined`)";

const NO_FULL_TILE: &str = "no tile has results or is full";

const NO_SUCH_WARPS: &str = "warps are a pipeline in time only with steps that are a multiple of them, and columns of a \
     lane that are whole words of 16 bytes and no less than a statement reads beside a cell";

const NO_SUCH_BLOCK: &str = "a patch needs columns of a lane that are whole words of 16 bytes, no fewer rows and columns than a \
     statement reads beside a cell, and steps that are a multiple of the planes that it holds";

const SMALL_DOMAIN: &str = "blocks would repeat too many rows";

/// Warps that are a pipeline in time are taken where they are expected to be so many times as fast as those that stream
/// alone: of stencils with four terms and less, 1.02 times were expected of `upwind2d` and 0.96 measured.
const AHEAD_OF_ROWS: f64 = 1.04;

/// Cells of a domain up to which patches were measured.
const MOST_CELLS_OF_PATCHES: f64 = (1u64 << 24) as f64;

const NOT_AHEAD: &str = "they are not expected to be faster";

const NO_SUCH_PATCH: &str = "a tile of these sizes has no results, rows of more than 16 bytes a lane, fewer rows a warp than \
     the stencil reads beside a cell, or patches of more than 32 cells";

/// A kernel of overlapped tiling.
pub enum StreamKernel {
    /// One or two space dimensions: a warp streams rows.
    Rows(Box<StreamIr>),
    /// Three: a block streams planes.
    Planes(Box<BlocksIr>),
}

impl StreamKernel {
    /// Sizes of its tiles: as for `--stream-tile`, those of the kernel that takes most launches.
    pub fn tile(&self) -> StreamTile {
        match self {
            StreamKernel::Rows(ir) => {
                (ir.warps.as_ref()).map_or(ir.tile, |warps| warps.tile.into())
            }
            StreamKernel::Planes(ir) => ir.tile,
        }
    }

    /// Its arrays and statements.
    pub fn stencil(&self) -> &Stencil {
        match self {
            StreamKernel::Rows(ir) => &ir.stencil,
            StreamKernel::Planes(ir) => &ir.stencil,
        }
    }

    pub(crate) fn stencil_mut(&mut self) -> &mut Stencil {
        match self {
            StreamKernel::Rows(ir) => &mut ir.stencil,
            StreamKernel::Planes(ir) => &mut ir.stencil,
        }
    }

    /// What the warps of its blocks share in most launches.
    pub fn shared(&self) -> Option<Shared> {
        match self {
            StreamKernel::Rows(ir) => ir.warps.as_ref().map(|warps| warps.tile.shared),
            StreamKernel::Planes(_) => None,
        }
    }

    /// The instances of the kernel's template that launches are made of.
    pub fn instances(&self) -> Vec<Instance> {
        match self {
            StreamKernel::Rows(ir) => stream_plan::instances_of_rows(ir),
            StreamKernel::Planes(ir) => stream_plan::instances_of_planes(ir),
        }
    }

    /// The launches for given parameters, in the order of [`Interface::params`](crate::interface::Interface::params), on
    /// arrays that lie as [`plan::layouts`](crate::kernel::plan::layouts) has it, or with other pitches that are multiples of
    /// 16 bytes; `None` where a number does not fit.
    pub fn plan(&self, params: &[i64], layouts: &[ArrayLayout]) -> Option<StreamRun> {
        match self {
            StreamKernel::Rows(ir) => StreamRun::of_rows(ir, params, layouts),
            StreamKernel::Planes(ir) => StreamRun::of_planes(ir, params, layouts),
        }
    }

    /// The time steps of a run of so many launches of T steps, or one more: results are in
    /// the arrays after an even number of launches, of which the last may take a single step.
    pub fn steps_of(&self, launches: i64) -> i64 {
        let steps = self.tile().steps;
        match self {
            StreamKernel::Rows(ir) if ir.completes() => (launches | 1) * steps + 1,
            StreamKernel::Rows(_) => (launches + launches % 2) * steps,
            StreamKernel::Planes(_) => (launches + launches % 2) * steps + 1,
        }
    }
}

/// What overlapped tiling makes of a time loop.
#[derive(Default)]
pub struct Overlapped {
    /// The kernel, where it is taken.
    pub kernel: Option<StreamKernel>,
    /// Sizes of tiles with their predictions, best first.
    pub sizes: Vec<StreamChoice>,
    /// Why it is not taken.
    pub refusal: Option<Refusal>,
}

impl Overlapped {
    fn refused(refusal: &str, sizes: Vec<StreamChoice>) -> Overlapped {
        Overlapped {
            kernel: None,
            sizes,
            refusal: Some(refusal.to_string()),
        }
    }

    fn taken(kernel: StreamKernel, sizes: Vec<StreamChoice>) -> Overlapped {
        Overlapped {
            kernel: Some(kernel),
            sizes,
            refusal: None,
        }
    }
}

/// What the kernels of overlapped tiling are chosen by.
struct Wish<'a> {
    stream: Stream,
    work: StreamWork,
    problem: Problem,
    name: &'a str,
    options: &'a Options,
    /// Expected speed of the other tiling, where this one is not asked for: it has to be faster.
    hybrid: Option<f64>,
    /// It is taken even where it is known to be slow.
    forced: bool,
}

impl Wish<'_> {
    /// What warps share in the kernel that is asked for.
    fn shared(&self) -> Option<Shared> {
        Shared::of(self.options.kernel)
    }

    /// The sizes that the user gives for tiles of warps that have all levels.
    fn given_tile(&self) -> Option<StreamTile> {
        self.options.stream_tile.filter(|_| self.shared().is_none())
    }

    /// Rows and columns of the domain.
    fn domain(&self) -> [f64; 2] {
        let extents = &self.problem.extents;
        let rows = extents.iter().rev().skip(1).product();
        [rows, extents.last().copied().unwrap_or(1.0)]
    }

    /// Whether patches may be taken though nobody asks for them: where they were measured, which is on one GPU, on domains of this
    /// size, and with statements like these. Quotients and functions that are computed precisely are predicted to be too fast in
    /// them.
    fn may_hold_patches(&self) -> bool {
        let (options, extents) = (self.options, &self.problem.extents);
        let is_asked = self.shared().is_some() || options.stream_tile.is_some();
        let is_small =
            extents.len() == 2 && extents.iter().product::<f64>() <= MOST_CELLS_OF_PATCHES;
        let fields = &self.work.fields;
        let are_plain = fields
            .iter()
            .all(|f| f.precise == 0 && f.products == 0 && !f.calls);
        !is_asked && is_small && options.gpus.is_none() && (are_plain || options.fast_math)
    }

    /// The speed that is expected of warps with some sizes.
    fn expected(&self, choice: &StreamChoice) -> f64 {
        preference::of_rows(choice, self.options.fast_math, &self.problem.extents)
    }

    /// The prediction for warps that work together.
    fn predicted(&self, ir: &StreamIr, tile: WarpTile) -> Option<StreamChoice> {
        let predict = match tile.shared {
            Shared::Columns => warp_size::predict,
            Shared::Steps => patch_size::predict,
        };
        predict(ir, tile, &self.work, &self.options.target, &self.problem)
    }

    /// The speed of one size with operations counted as they are for warps that stream alone: all that may be fused is,
    /// which is too few for factors of sums, of both kernels alike.
    fn predicted_as_rows(&self, ir: &StreamIr, tile: WarpTile) -> Option<f64> {
        let mut work = self.work.clone();
        for field in &mut work.fields {
            field.fused = field.operations;
        }
        let (target, problem) = (&self.options.target, &self.problem);
        warp_size::predict(ir, tile, &work, target, problem).map(|choice| choice.gcells)
    }

    /// Why a kernel in three space dimensions is better not taken.
    fn slow_in_3d(&self) -> Option<&'static str> {
        let is_slow = !self.forced && self.work.fields.iter().any(|f| f.precise > 0);
        is_slow.then_some(SLOW_IN_PLANES)
    }

    /// Whether the other tiling is better than what is expected of this one.
    fn slower(&self, expected: Option<f64>) -> Option<&'static str> {
        // Measured on an H100, Life in `unsigned char`, 8192^2: 101 us a step in hybrid tiles, 166 in rows.
        let is_small = self.work.fields.iter().any(|f| f.bytes < WORD);
        let is_slower =
            |hybrid: f64| !self.forced && (is_small || expected.is_none_or(|own| own < hybrid));
        (self.hybrid.is_some_and(is_slower)).then_some(HYBRID_IS_FASTER)
    }
}

/// What makes candidates for sizes of tiles of rows.
type Candidates = fn(&Pipeline, &StreamWork, &Target, &Problem) -> Vec<StreamChoice>;

impl TimeLoop<'_> {
    /// The kernel of overlapped tiling, if that is wanted and possible.
    ///
    /// # Errors
    /// HX0305 where it is asked for and does not apply.
    pub fn overlapped(
        &self,
        name: &str,
        options: &Options,
        hybrid: Option<f64>,
        clock: &mut Clock,
    ) -> Result<Overlapped> {
        let tiling = options.wanted_tiling();
        if tiling == Tiling::Hybrid {
            return Ok(Overlapped::default());
        }
        clock.begin("stream")?;
        let found = match self.prepared.stream()? {
            Ok(stream) => self.best_stream(&Wish {
                work: self.prepared.stream_work(&stream, options.fast_math),
                stream,
                problem: self.problem(options)?,
                name,
                options,
                hybrid,
                forced: tiling == Tiling::Overlapped,
            })?,
            Err(refusal) => Overlapped::refused(&refusal, Vec::new()),
        };
        match &found.refusal {
            Some(refusal) if tiling == Tiling::Overlapped => {
                let canonical = &self.analysis.canonical;
                Err(refusals::no_overlapped(canonical, self.scop, refusal))
            }
            _ => Ok(found),
        }
    }

    fn best_stream(&self, wish: &Wish) -> Result<Overlapped> {
        if let Some(shared) = wish
            .shared()
            .filter(|_| self.analysis.canonical.n_space != 2)
        {
            return Ok(Overlapped::refused(shared.only_2d(), Vec::new()));
        }
        if self.is_3d() {
            let (options, name) = (wish.options, wish.name);
            let (given, shared) = (options.stream_tile, options.shared_bytes());
            // What the kernel of a block cannot take one of patches can.
            if let Ok(ir) = self.prepared.blocks(&wish.stream, name, given, shared)? {
                return self.of_block(ir, wish);
            }
        }
        self.of_warps(wish)
    }

    fn is_3d(&self) -> bool {
        self.analysis.canonical.n_space > 2
    }

    /// A warp streams rows, or, in three space dimensions, planes of its patch.
    fn of_warps(&self, wish: &Wish) -> Result<Overlapped> {
        let is_3d = self.is_3d();
        let mut sizes = match is_3d {
            true => self.patch_sizes(wish)?,
            false => self.row_sizes(wish, stream_size::candidates),
        };
        // Of the same steps only the best patch.
        let mut seen = HashSet::new();
        sizes.retain(|choice| !is_3d || seen.insert(choice.tile.steps));
        sizes.truncate(MAX_TILES);
        let expected = sizes.first().map(|best| wish.expected(best));
        let slow = wish.slow_in_3d().filter(|_| is_3d);
        let objection = slow.or_else(|| wish.slower(expected));
        if let Some(objection) = objection.filter(|_| !wish.may_hold_patches()) {
            return Ok(Overlapped::refused(objection, sizes));
        }
        let usual = match is_3d {
            true => StreamTile::OF_PATCHES,
            false => StreamTile::OF_ROWS,
        };
        let given = wish.given_tile().map(|tile| tile.or(usual));
        if given.is_some_and(|tile| tile.vector > MOST_COLUMNS) {
            return Ok(Overlapped::refused(MANY_COLUMNS, sizes));
        }
        // A domain of a known size may be smaller than the tile that is best in large ones.
        let best = sizes.iter().map(|choice| (choice.tile, choice.gcells));
        let tiles = match given {
            Some(tile) => vec![(tile, sizes.first().map_or(0.0, |choice| choice.gcells))],
            None => best.take(MOST_TRIED).collect(),
        };
        let mut kernel = None;
        let mut gcells = 0.0;
        for (tile, predicted) in tiles {
            kernel = (self.prepared).stream_kernel(&wish.stream, wish.name, tile)?;
            if kernel.is_some() {
                gcells = predicted;
                break;
            }
        }
        let kernel = match kernel {
            Some((mut kernel, proof)) => {
                match self.together(&mut kernel, wish, gcells, expected)? {
                    Some(refusal) if wish.shared().is_some() => {
                        return Ok(Overlapped::refused(&refusal, sizes));
                    }
                    _ => Some((kernel, proof)),
                }
            }
            None => None,
        };
        let is_patch = |ir: &StreamIr| ir.warps.as_ref().is_some_and(|w| w.tile.is_patch());
        let kernel = kernel.filter(|(ir, _)| objection.is_none() || is_patch(ir));
        if let (None, Some(objection)) = (&kernel, objection) {
            return Ok(Overlapped::refused(objection, sizes));
        }
        if let Some((ir, _)) = &kernel {
            let of_warps = ir.warps.as_ref().map(|warps| warps.tile);
            sizes.splice(0..0, of_warps.and_then(|tile| wish.predicted(ir, tile)));
        }
        Ok(match kernel {
            Some((kernel, _)) => Overlapped::taken(StreamKernel::Rows(Box::new(kernel)), sizes),
            None if !is_3d => Overlapped::refused(NO_FULL_TILE, sizes),
            None if given.is_some() => Overlapped::refused(NO_SUCH_PATCH, sizes),
            None => Overlapped::refused("no tile fits into registers", sizes),
        })
    }

    /// Gives a stream the kernel whose warps work together, or says why it has none. `best` is the prediction for warps that
    /// stream alone, of which `expected` is expected.
    fn together(
        &self,
        ir: &mut StreamIr,
        wish: &Wish,
        best: f64,
        expected: Option<f64>,
    ) -> Result<Option<Refusal>> {
        let kinds = match wish.shared() {
            Some(shared) => vec![shared],
            None if wish.options.stream_tile.is_some() => Vec::new(),
            None if wish.may_hold_patches() => vec![Shared::Columns, Shared::Steps],
            None => vec![Shared::Columns],
        };
        let mut refusal = NOT_AHEAD.to_string();
        for shared in kinds {
            let mut kernel = match self.of_shared(ir, wish, shared)? {
                Ok(kernel) => kernel,
                Err(why) => {
                    refusal = why;
                    continue;
                }
            };
            let is_ahead = match shared {
                _ if wish.shared().is_some() => true,
                Shared::Columns => {
                    let own = wish.predicted_as_rows(ir, kernel.tile);
                    own.is_some_and(|gcells| gcells >= AHEAD_OF_ROWS * best)
                }
                Shared::Steps => wish.predicted(ir, kernel.tile).is_some_and(|choice| {
                    let own = wish.expected(&choice);
                    let is_slower = wish.slower(Some(own)).is_some();
                    !is_slower && expected.is_none_or(|rows| own >= AHEAD_OF_ROWS * rows)
                }),
            };
            if !is_ahead {
                refusal = NOT_AHEAD.to_string();
                continue;
            }
            let names: Vec<String> = (ir.fields.iter())
                .map(|f| ir.stencil.arrays[f.array].name.clone())
                .collect();
            kernel.kernel = Some(lower::overlapped::warps(ir, &kernel, &names)?);
            ir.warps = Some(Box::new(kernel));
            return Ok(None);
        }
        Ok(Some(refusal))
    }

    /// Such a kernel, proven, before its program is made.
    fn of_shared(
        &self,
        ir: &StreamIr,
        wish: &Wish,
        shared: Shared,
    ) -> Result<std::result::Result<WarpsIr, Refusal>> {
        if let Some(refusal) = warps::refusal(ir, shared) {
            return Ok(Err(refusal.to_string()));
        }
        let fused = wish.options.fast_math;
        let is_asked = wish.shared().is_some();
        let tiles: Vec<WarpTile> = match (wish.options.stream_tile, shared) {
            (Some(tile), shared) => WarpTile::of(tile, shared).into_iter().collect(),
            (None, Shared::Columns) if is_asked => warp_size::usual(ir).into(),
            (None, Shared::Columns) => {
                (warp_size::chosen(ir, &wish.work, fused).into_iter()).collect()
            }
            (None, Shared::Steps) => self.best_patch(ir, wish).into_iter().collect(),
        };
        let mut refusal = match shared {
            Shared::Columns => NO_SUCH_WARPS,
            Shared::Steps => NO_SUCH_BLOCK,
        };
        for tile in tiles.into_iter().filter(|tile| tile.fits(ir)) {
            let Some(mut kernel) = self.prepared.warps(&wish.stream, ir, tile)? else {
                refusal = NO_FULL_TILE;
                continue;
            };
            if kernel.shared_bytes(ir) > wish.options.shared_bytes() {
                refusal = "its rows do not fit into shared memory";
                continue;
            }
            if wish.options.stream_tile.is_none() && shared == Shared::Columns {
                kernel.worth_for(wish.options.target.sms);
            }
            let is_small = !is_asked && !tile.is_patch() && !kernel.is_worth(ir, wish.domain());
            return Ok(match is_small {
                true => Err(SMALL_DOMAIN.to_string()),
                false => Ok(kernel),
            });
        }
        Ok(Err(refusal.to_string()))
    }

    /// The patch that is predicted to be fastest.
    fn best_patch(&self, ir: &StreamIr, wish: &Wish) -> Option<WarpTile> {
        let limit = wish.options.shared_bytes();
        let target = &wish.options.target;
        let fits = |tile: &WarpTile| tile.blocks * tile.shared_bytes(ir) <= limit;
        let all = patch_size::candidates(ir, target).into_iter().filter(fits);
        let expected = |tile| Some(wish.expected(&wish.predicted(ir, tile)?));
        let predicted = all.filter_map(|tile| Some((tile, expected(tile)?)));
        predicted
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(tile, _)| tile)
    }

    /// In three space dimensions, a block streams planes.
    fn of_block(&self, ir: BlocksIr, wish: &Wish) -> Result<Overlapped> {
        let target = &wish.options.target;
        let prediction = stream_size::predict_planes(&ir, &wish.work, target, &wish.problem);
        let fuses = wish.options.fast_math;
        let many_reads = !wish.forced && ir.offsets.len() > MOST_READS_IN_PLANES;
        let far_reads = !wish.forced && ir.radius.iter().any(|&r| r > MOST_RADIUS_IN_PLANES);
        let objection = (wish.slow_in_3d())
            .or(many_reads.then_some(MANY_READS_IN_PLANES))
            .or(far_reads.then_some(FAR_READS_IN_PLANES))
            .or_else(|| wish.slower(Some(preference::of_planes(&prediction, fuses))));
        let sizes = vec![prediction];
        if let Some(objection) = objection {
            return Ok(Overlapped::refused(objection, sizes));
        }
        self.prepared.prove_blocks(&wish.stream, &ir)?;
        let kernel = StreamKernel::Planes(Box::new(ir));
        Ok(Overlapped::taken(kernel, sizes))
    }

    /// Sizes of tiles of rows, the best first: the given one, or those that the model knows.
    fn row_sizes(&self, wish: &Wish, candidates: Candidates) -> Vec<StreamChoice> {
        let (pipeline, target) = (wish.stream.pipeline(), &wish.options.target);
        let Some(tile) = wish.given_tile() else {
            return candidates(pipeline, &wish.work, target, &wish.problem);
        };
        let tile = tile.or(StreamTile::OF_ROWS);
        let growths = Growths::of(pipeline, tile.steps);
        stream_size::predict(pipeline, &wish.work, &growths, tile, target, &wish.problem)
            .into_iter()
            .collect()
    }

    /// Sizes of tiles of patches, the best first: the given one, or those that the model knows.
    fn patch_sizes(&self, wish: &Wish) -> Result<Vec<StreamChoice>> {
        let (pipeline, target) = (wish.stream.pipeline(), &wish.options.target);
        let (work, problem) = (&wish.work, &wish.problem);
        if let Some(tile) = wish.options.stream_tile {
            let tile = tile.or(StreamTile::OF_PATCHES);
            let growths = Growths::of(pipeline, tile.steps);
            let choice =
                stream_size::predict_patches(pipeline, work, &growths, tile, target, problem);
            return Ok(choice.into_iter().collect());
        }
        let limit = wish.options.shared_bytes();
        let mut ir = self.prepared.unproven_patches(&wish.stream, wish.name)?;
        let mut sizes = stream_size::patch_candidates(pipeline, work, target, problem);
        sizes.retain(|choice| {
            ir.tile = choice.tile;
            let bytes = ir.shared_bytes(choice.tile.steps);
            bytes <= limit && choice.tile.min_blocks * (bytes + 1024) <= target.shared_per_sm
        });
        Ok(sizes)
    }

    /// All sizes of overlapped tiles with their predictions, best first; only the given ones
    /// where there are some, and none where overlapped tiling does not apply.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn overlapped_sizes(&self, name: &str, options: &Options) -> Result<Vec<StreamChoice>> {
        let Ok(stream) = self.prepared.stream()? else {
            return Ok(Vec::new());
        };
        let wish = Wish {
            work: self.prepared.stream_work(&stream, options.fast_math),
            stream,
            problem: self.problem(options)?,
            name,
            options,
            hybrid: None,
            forced: true,
        };
        let mut all = match self.is_3d() {
            true => self.sizes_in_3d(&wish)?,
            false => self.row_sizes(&wish, stream_size::all_candidates),
        };
        all.extend(self.warp_sizes(&wish)?);
        if let Some(shared) = wish.shared() {
            all.retain(|choice| choice.shared == Some(shared));
        }
        all.sort_by(|a, b| b.gcells.total_cmp(&a.gcells));
        Ok(all)
    }

    /// Sizes of warps that work together; none where there is no such kernel.
    fn warp_sizes(&self, wish: &Wish) -> Result<Vec<StreamChoice>> {
        let given = wish.options.stream_tile;
        if self.analysis.canonical.n_space != 2 || given.is_some() && wish.shared().is_none() {
            return Ok(Vec::new());
        }
        let kernel = (self.prepared).stream_kernel(&wish.stream, wish.name, StreamTile::OF_ROWS)?;
        let Some((ir, _)) = kernel else {
            return Ok(Vec::new());
        };
        if warps::refusal(&ir, Shared::Columns).is_some() {
            return Ok(Vec::new());
        }
        let tiles = match (given, wish.shared()) {
            (Some(tile), Some(shared)) => WarpTile::of(tile, shared).into_iter().collect(),
            _ => [
                warp_size::candidates(&ir),
                patch_size::candidates(&ir, &wish.options.target),
            ]
            .concat(),
        };
        let limit = wish.options.shared_bytes();
        let usable = |tile: &WarpTile| tile.fits(&ir) && tile.shared_bytes(&ir) <= limit;
        let usable = tiles.into_iter().filter(usable);
        Ok(usable
            .filter_map(|tile| wish.predicted(&ir, tile))
            .collect())
    }

    fn sizes_in_3d(&self, wish: &Wish) -> Result<Vec<StreamChoice>> {
        let (options, target) = (wish.options, &wish.options.target);
        let (given, shared) = (options.stream_tile, options.shared_bytes());
        let blocks = (self.prepared).blocks(&wish.stream, wish.name, given, shared)?;
        let Ok(default) = blocks else {
            return self.patch_sizes(wish);
        };
        let predict =
            |ir: &BlocksIr| stream_size::predict_planes(ir, &wish.work, target, &wish.problem);
        // The default sizes first, then others like them.
        let mut all = vec![predict(&default)];
        let others = match given {
            Some(_) => Vec::new(),
            None => stream_size::tiles_of_planes(default.tile),
        };
        for tile in others {
            let usable = default.with_tile(tile, shared);
            all.extend(usable.and_then(|ir| {
                let choice = predict(&ir);
                stream_size::planes_fit(&ir, &choice, target).then_some(choice)
            }));
        }
        Ok(all)
    }
}
