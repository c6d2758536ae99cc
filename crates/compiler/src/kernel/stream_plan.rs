//! The launches of streamed kernels as data, for programs that run them without the
//! generated host code. Mirrors `launch` and `plan` in the generated text, for rows
//! ([`StreamIr`]) and for planes ([`BlocksIr`]); `tests/plan.rs` compares the two.
//!
//! A [`StreamRun`] is all that depends on the kernel and the sizes. What a launch looks like
//! depends on the GPU, too, and on how many blocks a multiprocessor takes: [`Gpu`].

use super::Sub;
use super::blocks::BlocksIr;
use super::plan::{self, ArrayLayout};
use super::stream::{Domain, StreamIr};
use super::warps::{self, COST_OF_ROW, Shared, WarpsIr};
use crate::ctype::CType;

/// What the GPU says about itself and about the kernels of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Multiprocessors.
    pub multiprocessors: i64,
    /// First number of the compute capability.
    pub major: i64,
    /// Blocks that a multiprocessor holds, of every one of [`StreamRun::kernels`].
    pub resident: Vec<i64>,
}

/// One instance of the kernel's template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Time steps of a launch: the template's argument.
    pub steps: i64,
    /// It is the kernel whose warps work together, which is no template.
    pub shared: Option<Shared>,
    /// Threads of a block.
    pub threads: u32,
    /// Dynamic shared memory, bytes.
    pub shared_bytes: u32,
}

impl Instance {
    /// Its name in C++.
    pub fn name(&self) -> String {
        match self.shared {
            Some(shared) => shared.kernel().name().to_string(),
            None => format!("kernel<{}>", self.steps),
        }
    }
}

/// What a place in device memory is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// An array of the stencil, by index.
    Array(usize),
    /// One of [`StreamRun::workspaces`], by index.
    Workspace(usize),
}

/// A place in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The memory.
    pub base: Base,
    /// Bytes from its start.
    pub offset: i64,
}

/// A box of an array in three dimensions, as TMA moves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Type of an element.
    pub elem: CType,
    /// The first element.
    pub place: Place,
    /// Elements, innermost dimension first.
    pub sizes: [u64; 3],
    /// Bytes from row to row and from plane to plane.
    pub strides: [u64; 2],
    /// Elements of a box.
    pub extent: [u32; 3],
}

/// A field of `Pass` in the generated text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// `int`.
    Int(i32),
    /// `long long`.
    Long(i64),
    /// A pointer.
    Pointer(Option<Place>),
    /// A descriptor for TMA of 128 bytes; zeros for GPUs without.
    Map(Option<TensorMap>),
}

/// What the host does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Copies so many bytes on the device.
    Copy {
        /// Where to.
        to: Place,
        /// Where from.
        from: Place,
        /// How many.
        bytes: i64,
    },
    /// Launches a kernel.
    Launch {
        /// Which of [`StreamRun::kernels`].
        kernel: usize,
        /// Blocks.
        grid: u32,
        /// The fields of `Pass`.
        pass: Vec<Word>,
    },
}

/// Two buffers that must be equal outside of the cells computed, or every launch takes one
/// step: what `compare` in the generated text finds out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compare {
    /// The array.
    pub array: usize,
    /// Bytes of an element, 4 or 8.
    pub element_bytes: i64,
    /// Bytes from the start of the array to the first buffer.
    pub first: i64,
    /// Bytes from the first buffer to the second.
    pub distance: i64,
    /// Elements from row to row.
    pub row: i64,
    /// Cells of a buffer, outermost dimension first.
    pub n: [i64; 3],
    /// The first cell computed.
    pub lo: [i64; 3],
    /// The first cell behind those.
    pub hi: [i64; 3],
}

/// A streamed kernel with the sizes it runs with.
#[derive(Clone, Debug)]
pub struct StreamRun {
    /// The instances of the kernel that launches are made of.
    pub kernels: Vec<Instance>,
    /// Bytes of the memory that the kernel needs beside the arrays, in the order of the
    /// fields of `Args`.
    pub workspaces: Vec<i64>,
    /// What to compare before the run.
    pub compare: Vec<Compare>,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// There is nothing to compute.
    Nothing,
    Rows(Rows),
    Planes(Planes),
}

/// The instances of a kernel that streams rows, the one of most time steps first.
pub fn instances_of_rows(ir: &StreamIr) -> Vec<Instance> {
    let mut all: Vec<Instance> = (ir.step_sizes().into_iter())
        .map(|steps| Instance {
            steps,
            shared: None,
            threads: threads(ir.tile.warps),
            shared_bytes: u32::try_from(ir.shared_bytes(steps)).unwrap_or(u32::MAX),
        })
        .collect();
    if let Some(warps) = &ir.warps {
        let of_warps = Instance {
            steps: warps.tile.steps(),
            shared: Some(warps.tile.shared),
            threads: threads(warps.tile.warps),
            shared_bytes: u32::try_from(warps.shared_bytes(ir)).unwrap_or(u32::MAX),
        };
        all.retain(|instance| instance.steps != of_warps.steps);
        all.insert(0, of_warps);
    }
    all
}

/// The instances of a kernel that streams planes, the one of all T time steps first.
pub fn instances_of_planes(ir: &BlocksIr) -> Vec<Instance> {
    let single = (ir.tile.steps > 1).then_some(1);
    ([ir.tile.steps].into_iter().chain(single))
        .map(|steps| Instance {
            steps,
            shared: None,
            threads: threads(ir.tile.warps),
            shared_bytes: u32::try_from(ir.shared_bytes(steps)).unwrap_or(u32::MAX),
        })
        .collect()
}

fn threads(warps: i64) -> u32 {
    u32::try_from(32 * warps).unwrap_or(u32::MAX)
}

impl StreamRun {
    /// The run of a kernel that streams rows, on arrays that lie so; `None` where a number does not fit, or sums are folded by
    /// a kernel of their own.
    pub fn of_rows(ir: &StreamIr, params: &[i64], layouts: &[ArrayLayout]) -> Option<StreamRun> {
        if ir.rounds().is_some() {
            return None;
        }
        let kernels = instances_of_rows(ir);
        let fields: Vec<RowField> = (0..ir.fields.len())
            .map(|f| RowField::new(ir, f, layouts))
            .collect::<Option<_>>()?;
        let workspaces = (fields.iter())
            .filter(|f| f.live > 0)
            .map(|f| f.plane_bytes.checked_mul(f.live))
            .collect::<Option<_>>()?;
        let ranges = plan::ranges(&ir.stencil, params)?;
        let (kind, compare) = match ranges.first() {
            None => (Kind::Nothing, Vec::new()),
            Some(&t) => {
                let compare = compared(ir, &fields, layouts, params, t.0)?;
                let mut rows = Rows::new(ir, fields, &kernels, t, &ranges)?;
                if let Some(warps) = &ir.warps {
                    rows.pipelined = Pipelined::new(ir, warps, layouts, params, &rows);
                }
                // Nothing is compared where it would change nothing.
                let needed = ir.has_planes() || rows.pipelined.is_some_and(|p| p.worth);
                let compare = if needed { compare } else { Vec::new() };
                (Kind::Rows(rows), compare)
            }
        };
        Some(StreamRun {
            kernels,
            workspaces,
            compare,
            kind,
        })
    }

    /// The run of a kernel that streams planes, on arrays that lie so; `None` where a number does not fit.
    pub fn of_planes(ir: &BlocksIr, params: &[i64], layouts: &[ArrayLayout]) -> Option<StreamRun> {
        let planes = match plan::ranges(&ir.stencil, params)?.first() {
            None => None,
            Some(&t) => Some(Planes::new(ir, t, params, layouts)?),
        };
        Some(StreamRun {
            kernels: instances_of_planes(ir),
            workspaces: Vec::new(),
            compare: (planes.iter().filter_map(Planes::compare)).collect(),
            kind: planes.map_or(Kind::Nothing, Kind::Planes),
        })
    }

    /// Everything the host does, in order; `same` says what comparing has found. `None` where
    /// a number does not fit, or a multiprocessor takes no block.
    pub fn actions(&self, gpu: &Gpu, same: bool) -> Option<Vec<Action>> {
        match &self.kind {
            Kind::Nothing => Some(Vec::new()),
            Kind::Rows(rows) => rows.actions(gpu, same),
            Kind::Planes(planes) => planes.actions(gpu, same),
        }
    }
}

/// The time buffers that a kernel of patches, in three space dimensions, or one of pipelined warps, does not tell
/// apart where no statement writes; `t` is the first time step.
fn compared(
    ir: &StreamIr,
    fields: &[RowField],
    layouts: &[ArrayLayout],
    params: &[i64],
    t: i64,
) -> Option<Vec<Compare>> {
    let mut all = Vec::new();
    if !ir.has_planes() && ir.warps.is_none() {
        return Some(all);
    }
    let value_of = |name: &str| plan::value_of(&ir.stencil, params, name);
    // Rows are a plane of one.
    let first_dim = 3 - ir.pipeline.n_space;
    for (field, of) in fields.iter().zip(&ir.fields) {
        if !ir.has_planes() && field.live == 0 {
            continue;
        }
        let Domain::Box(domain) = &of.pieces.first()?.domain else {
            continue;
        };
        let layout = layouts.get(field.array)?;
        let (mut lo, mut hi, mut n) = ([0; 3], [1; 3], [1; 3]);
        let extents = layout.extents.iter().rev().take(ir.pipeline.n_space).rev();
        for ((d, range), extent) in domain.iter().enumerate().take(3).zip(extents) {
            lo[first_dim + d] = plan::eval(&range.lo, &value_of)?;
            hi[first_dim + d] = plan::eval(&range.hi, &value_of)?.checked_add(1)?;
            n[first_dim + d] = *extent;
        }
        let first = field.of_step(t)?.offset;
        for b in 1..field.buffers {
            all.push(Compare {
                array: field.array,
                element_bytes: ir.stencil.arrays.get(field.array)?.elem.size() as i64,
                first,
                distance: field.of_step(t + b)?.offset - first,
                row: layout.pitch,
                n,
                lo,
                hi,
            });
        }
    }
    Some(all)
}

/// A field of a kernel that streams rows.
#[derive(Clone, Debug)]
struct RowField {
    array: usize,
    /// Among the workspaces, where there is one.
    workspace: usize,
    live: i64,
    buffers: i64,
    plane_bytes: i64,
    /// Subscripts before those along space, with the extents of these dimensions.
    plane: Vec<(Sub, i64)>,
}

impl RowField {
    fn new(ir: &StreamIr, f: usize, layouts: &[ArrayLayout]) -> Option<RowField> {
        let field = &ir.fields[f];
        let array = ir.stencil.arrays.get(field.array)?;
        let layout = layouts.get(field.array)?;
        let n = layout.extents.len().checked_sub(ir.pipeline.n_space)?;
        let rows = layout.extents[n..].split_last()?.1;
        let rows = rows.iter().try_fold(1i64, |all, &e| all.checked_mul(e))?;
        let size = i64::try_from(array.elem.size()).ok()?;
        let plane_bytes = layout.pitch.checked_mul(size)?.checked_mul(rows)?;
        Some(RowField {
            array: field.array,
            workspace: (0..f).filter(|&g| ir.live(g) > 0).count(),
            live: ir.live(f),
            buffers: ir.pipeline.stages.get(f)?.buffers,
            plane_bytes,
            plane: (field
                .plane
                .iter()
                .cloned()
                .zip(layout.extents.iter().copied()))
            .collect(),
        })
    }

    /// The plane of the array that holds what time step `t` wrote.
    fn of_step(&self, t: i64) -> Option<Place> {
        let index = self.plane.iter().try_fold(0i64, |index, (sub, extent)| {
            let sub = match sub {
                Sub::Time {
                    offset,
                    modulo: Some(m),
                } => t.checked_add(*offset)?.rem_euclid((*m).max(1)),
                Sub::Const(c) => *c,
                _ => 0,
            };
            index.checked_mul(*extent)?.checked_add(sub)
        })?;
        Some(Place {
            base: Base::Array(self.array),
            offset: index.checked_mul(self.plane_bytes)?,
        })
    }

    /// Plane number `age` of what is handed on.
    fn next(&self, age: i64) -> Place {
        Place {
            base: Base::Workspace(self.workspace),
            offset: age * self.plane_bytes,
        }
    }
}

/// How far tiles of so many steps reach; `Reach` in the generated text.
#[derive(Clone, Copy, Debug)]
struct RowReach {
    steps: i64,
    extra: i64,
    width: i64,
    /// Rows of results, in three space dimensions.
    height: i64,
}

#[derive(Clone, Debug)]
struct Rows {
    fields: Vec<RowField>,
    reach: Vec<RowReach>,
    t: (i64, i64),
    /// The rows of results, where there are rows; planes in three space dimensions.
    i: Option<(i64, i64)>,
    /// The rows of results in three space dimensions.
    middle: Option<(i64, i64)>,
    j: (i64, i64),
    vector: i64,
    warps: i64,
    unroll: i64,
    /// Whether the last launch takes one step.
    completes: bool,
    /// [`StreamIr::last_steps`], where launches go from one plane to the other ([`StreamIr::alternates`]).
    alternates: Option<i64>,
    /// The first kernel, where its warps are a pipeline in time.
    pipelined: Option<Pipelined>,
}

/// The tiles of warps that are a pipeline in time.
#[derive(Clone, Copy, Debug)]
struct Pipelined {
    /// Rows are long enough for its tiles, and there is enough to do.
    worth: bool,
    /// First columns of results: of the first tile, of others at most, of the last one.
    first: [i64; 3],
    /// Columns of results.
    results: i64,
    /// Rows in excess of those of results.
    extra: i64,
    /// Rows of results of a patch, where blocks hold patches: of `first` only the first is there then.
    patch: Option<i64>,
    /// See [`warps::at_once`].
    at_once: i64,
}

impl Pipelined {
    /// As host code has them.
    fn new(
        ir: &StreamIr,
        warps: &WarpsIr,
        layouts: &[ArrayLayout],
        params: &[i64],
        rows: &Rows,
    ) -> Option<Pipelined> {
        let value_of = |name: &str| plan::value_of(&ir.stencil, params, name);
        let (i, (j_lo, j_hi)) = (rows.i?, rows.j);
        let (lanes, left, results) = (WarpsIr::lanes(ir), warps.left(ir), warps.results(ir));
        let (mut largest_first, mut smallest_last) = (j_lo, j_hi);
        let mut numbered = true;
        for field in &ir.fields {
            let Domain::Box(domain) = &field.pieces.first()?.domain else {
                return None;
            };
            largest_first = largest_first.max(plan::eval(&domain[1].lo, &value_of)?);
            smallest_last = smallest_last.min(plan::eval(&domain[1].hi, &value_of)?);
            let layout = layouts.get(field.array)?;
            let height = layout.extents.iter().rev().nth(1)?;
            numbered &= height.checked_mul(layout.pitch)? <= i64::from(u32::MAX);
        }
        let down = |x: i64| x.div_euclid(lanes) * lanes;
        let first = down(j_lo);
        let last = down(j_hi + lanes) - results;
        let inner = down(smallest_last + 1 + left - warps.tile.width());
        let long = first + results - left >= largest_first
            && inner >= first + results
            && inner + results >= last;
        let work = (i.1 - i.0 + 1 + warps.extra()) * ((j_hi - j_lo) / results + 2);
        let is_patch = warps.tile.is_patch();
        let near = (i.1 - i.0).max(j_hi - j_lo) <= 1 << 26;
        let fits = match is_patch {
            true => near,
            false => long && work >= warps.least_rows && work <= 1 << 27,
        };
        Some(Pipelined {
            worth: fits && numbered,
            first: [first, inner, last],
            results,
            extra: warps.extra(),
            patch: is_patch.then(|| warps.patch_rows()[1]),
            at_once: warps::at_once(ir),
        })
    }

    /// Tiles beside each other, where the last column of results is `j_hi`.
    fn tiles(&self, j_hi: i64) -> i64 {
        let [first, _, last] = self.first;
        match self.patch {
            Some(_) => (j_hi - first) / self.results + 1,
            None => (last - first + self.results - 1) / self.results + 1,
        }
    }

    /// The fields of `Pass` that say where tiles begin.
    fn firsts(&self, tiles: i64) -> Vec<i64> {
        match self.patch {
            Some(_) => vec![self.first[0], tiles],
            None => self.first.to_vec(),
        }
    }

    /// Equal shares of the rows of all tiles, or patches: `plan_pipelined` and `plan_patches` in the generated text.
    fn shares(&self, (lo, hi): (i64, i64), tiles: i64, at_once: i64) -> RowTiles {
        if let Some(rows) = self.patch {
            let below = (hi - lo + rows) / rows;
            return RowTiles {
                rows: (hi - lo + below) / below,
                grid: tiles * below,
                ..RowTiles::default()
            };
        }
        let [end, inner] = COST_OF_ROW;
        let rows = hi - lo + 1 + self.extra;
        let work = rows * (end * 2 + inner * (tiles - 2));
        let share = (work + at_once - 1) / at_once;
        RowTiles {
            rows: share,
            grid: (work + share - 1) / share,
            ..RowTiles::default()
        }
    }
}

/// How many times higher tiles are than those at the ends of rows.
const END: i64 = 3;

/// A launch's tiles: `plan` in the generated text. In three space dimensions `rows` are planes.
#[derive(Clone, Copy, Debug, Default)]
struct RowTiles {
    rows: i64,
    chunks: i64,
    end_rows: i64,
    end_chunks: i64,
    grid: i64,
}

impl Rows {
    fn new(
        ir: &StreamIr,
        fields: Vec<RowField>,
        kernels: &[Instance],
        t: (i64, i64),
        ranges: &[(i64, i64)],
    ) -> Option<Rows> {
        let j = *ranges.get(ir.pipeline.n_space)?;
        let i = match ir.pipeline.stream {
            Some(_) => Some(*ranges.get(1)?),
            None => None,
        };
        let middle = match ir.has_planes() {
            true => Some(*ranges.get(2)?),
            false => None,
        };
        let near = |(lo, hi): (i64, i64)| lo >= -(1 << 30) && hi <= 1 << 30;
        if !near(j) || [i, middle].into_iter().flatten().any(|r| !near(r)) {
            return None;
        }
        let width = |k: &Instance| match &ir.warps {
            Some(warps) if k.shared.is_some() => warps.results(ir),
            _ => ir.tile.vector * ir.result_lanes(k.steps),
        };
        let reach: Vec<RowReach> = (kernels.iter())
            .map(|k| RowReach {
                steps: k.steps,
                extra: match i {
                    Some(_) => ir.growths.extra.at(k.steps),
                    None => 0,
                },
                width: width(k),
                height: if middle.is_some() {
                    ir.result_rows(k.steps)
                } else {
                    1
                },
            })
            .collect();
        if reach.iter().any(|r| r.width < 1 || r.height < 1) {
            return None;
        }
        Some(Rows {
            fields,
            reach,
            t,
            i,
            middle,
            j,
            vector: ir.tile.vector,
            warps: ir.tile.warps,
            unroll: ir.unroll(),
            completes: ir.completes(),
            alternates: ir.alternates().then(|| ir.last_steps()),
            pipelined: None,
        })
    }

    /// So many launches of each size, and all of them; an even number where one can be had.
    fn counts(&self, same: bool) -> (Vec<i64>, i64) {
        let completes = self.completes;
        let sizes: Vec<i64> = self.reach.iter().map(|r| r.steps).collect();
        if let Some(last) = self.alternates {
            return self.counts_alternating(&sizes, last, same);
        }
        let n = sizes.len();
        let mut left = self.t.1 - self.t.0 + i64::from(!completes);
        let mut launches = i64::from(completes);
        let mut counts = Vec::with_capacity(n);
        let patched = self.patched(same, left);
        if patched > 0 {
            let most = sizes[0];
            let mut n = (patched + most - 1) / most;
            n += i64::from((launches + n) % 2 != 0 && (n + 1) * self.at_once() <= patched);
            (launches, left) = (launches + n, left - patched);
            counts.push(n);
        }
        let first = counts.len();
        for (k, size) in sizes.iter().enumerate().skip(first) {
            // Where buffers differ every launch takes one step in three dimensions, and in two none is one of
            // pipelined warps.
            let taken = match self.pipelined {
                Some(_) => k > 0 || self.pipelines(same),
                None => same || k + 1 == n,
            };
            let count = if taken { left / size } else { 0 };
            counts.push(count);
            launches += count;
            left -= count * size;
        }
        if let (true, Some(last)) = (completes, counts.last_mut()) {
            *last += 1;
        }
        let of_patches = self.pipelined.is_some_and(|p| p.patch.is_some());
        for k in usize::from(of_patches)..n.saturating_sub(1) {
            if launches % 2 == 0 {
                break;
            }
            if counts[k] > 0 && sizes[k] == 2 * sizes[k + 1] {
                counts[k] -= 1;
                counts[k + 1] += 2;
                launches += 1;
            }
        }
        (counts, launches)
    }

    /// The same of launches that go from one plane to the other; the last one has at most `last` steps.
    fn counts_alternating(&self, sizes: &[i64], last: i64, same: bool) -> (Vec<i64>, i64) {
        let (mut left, mut counts) = (self.t.1 - self.t.0 + 1, vec![0; sizes.len()]);
        let patched = self.patched(same, left - 1);
        if patched > 0 {
            counts[0] = (patched + sizes[0] - 1) / sizes[0];
            left -= patched;
        }
        for (k, size) in sizes.iter().enumerate().skip(usize::from(patched > 0)) {
            let is_taken = k > 0 || self.pipelined.is_none() || self.pipelines(same);
            if is_taken && *size >= last {
                counts[k] = (left - 1) / size;
                left -= counts[k] * size;
            }
        }
        let mut one_of = |steps: i64| {
            let k = sizes.iter().position(|size| *size == steps);
            counts[k.unwrap_or(0)] += 1;
        };
        // Both planes are results: one launch alone cannot leave them.
        if self.t.1 - self.t.0 + 1 == left && left > 1 {
            one_of(left - 1);
            left = 1;
        }
        one_of(left);
        let launches = counts.iter().sum();
        (counts, launches)
    }

    /// Steps that launches of patches take, of so many.
    fn patched(&self, same: bool, steps: i64) -> i64 {
        match self.pipelined.is_some_and(|p| p.patch.is_some()) && self.pipelines(same) {
            true => steps - steps % self.at_once(),
            false => 0,
        }
    }

    /// Steps of patches after which registers have the same meaning again.
    fn at_once(&self) -> i64 {
        self.pipelined.map_or(1, |p| p.at_once)
    }

    /// Whether launches are those of pipelined warps.
    fn pipelines(&self, same: bool) -> bool {
        same && self.pipelined.is_some_and(|pipelined| pipelined.worth)
    }

    fn tiles(&self, reach: RowReach, tiles: i64, at_once: i64) -> Option<RowTiles> {
        let Some((lo, hi)) = self.i else {
            return Some(RowTiles {
                grid: (tiles + self.warps - 1) / self.warps,
                ..RowTiles::default()
            });
        };
        let up = |a: i64, b: i64| (a + b - 1) / b;
        let (height, ends, extra) = (hi - lo + 1, tiles.min(2), reach.extra);
        let mut best: Option<(i64, RowTiles)> = None;
        if self.middle.is_some() {
            let mut chunks = 1;
            while chunks <= height {
                let rows = up(height, chunks);
                let grid = up(height, rows) * tiles;
                let cost = up(grid, at_once) * (up(rows + extra, self.unroll) * self.unroll);
                if best.is_none_or(|(least, _)| cost < least) {
                    let chosen = RowTiles {
                        rows,
                        grid,
                        ..RowTiles::default()
                    };
                    best = Some((cost, chosen));
                }
                chunks += 1 + chunks / 64;
            }
            return best.map(|(_, tiles)| tiles);
        }
        let mut chunks = 1;
        while chunks <= height {
            // Whole iterations of the loop.
            let rows = up(up(height, chunks) + extra, self.unroll) * self.unroll - extra;
            let end_rows = (rows / END).max(self.unroll);
            let (n, end_n) = (up(height, rows), up(height, end_rows));
            let blocks = up((tiles - ends) * n + ends * end_n, self.warps);
            let part = blocks % at_once;
            let last = if part > 0 { 9 * at_once + 11 * part } else { 0 };
            let cost = (rows + extra) * (20 * (blocks - part) + last);
            if best.is_none_or(|(least, _)| cost < least) {
                let chosen = RowTiles {
                    rows,
                    chunks: n,
                    end_rows,
                    end_chunks: end_n,
                    grid: blocks,
                };
                best = Some((cost, chosen));
            }
            chunks += 1 + chunks / 64;
        }
        best.map(|(_, tiles)| tiles)
    }

    fn actions(&self, gpu: &Gpu, same: bool) -> Option<Vec<Action>> {
        let (counts, mut launches) = self.counts(same);
        let last = match self.alternates {
            Some(_) => 1,
            None => i64::from(self.completes),
        };
        let mut patched = self.patched(same, self.t.1 - self.t.0 + 1 - last);
        let mut in_next = launches % 2 != 0;
        let mut all = Vec::new();
        // Levels of planes find all elements where they start from.
        let copies = in_next || self.middle.is_some() || self.pipelines(same);
        let copies = copies && self.alternates.is_none();
        for field in self.fields.iter().filter(|_| copies) {
            for age in 0..field.live {
                all.push(Action::Copy {
                    to: field.next(age),
                    from: field.of_step(self.t.0 - age - 1)?,
                    bytes: field.plane_bytes,
                });
            }
        }
        let j_lo = self.j.0.div_euclid(self.vector) * self.vector;
        let (mut t0, mut last_steps) = (self.t.0, 0);
        let first = |field: &RowField| field.of_step(self.t.0 - 1);
        let mut now = (self.fields.iter().map(first)).collect::<Option<Vec<Place>>>()?;
        for (kernel, (&reach, count)) in self.reach.iter().zip(counts).enumerate() {
            if count == 0 {
                continue;
            }
            let of_warps = self.pipelined.filter(|_| kernel == 0);
            let tiles = match of_warps {
                Some(pipelined) => pipelined.tiles(self.j.1),
                None => (self.j.1 - j_lo) / reach.width + 1,
            };
            let below = self.middle.map(|(lo, hi)| (hi - lo) / reach.height + 1);
            let resident = gpu.resident.get(kernel)?;
            let at_once = (gpu.multiprocessors * resident).max(1);
            let shape = match of_warps.zip(self.i) {
                Some((pipelined, rows)) => pipelined.shares(rows, tiles, at_once),
                None => self.tiles(reach, tiles * below.unwrap_or(1), at_once)?,
            };
            let is_patch = of_warps.is_some_and(|p| p.patch.is_some());
            for number in 0..count {
                // Patches share all steps but those that are left at the end.
                let steps = match is_patch {
                    true => {
                        let share = (patched + count - number - 1) / (count - number);
                        let share = (share + self.at_once() - 1) / self.at_once() * self.at_once();
                        patched -= share;
                        share
                    }
                    false => reach.steps,
                };
                let mut pass = vec![Word::Long(t0)];
                for (field, now) in self.fields.iter().zip(&mut now) {
                    if self.alternates.is_some() {
                        *now = self.next_planes(field, (t0, steps), (*now, launches), &mut pass)?;
                        continue;
                    }
                    self.planes(field, (t0, steps), (in_next, launches == 1), &mut pass)?;
                }
                let mut ints = Vec::new();
                match (self.i, self.middle.zip(below)) {
                    (Some((lo, hi)), Some((middle, below))) => {
                        ints.extend([lo, hi, shape.rows, middle.0, middle.1, below]);
                    }
                    (Some((lo, hi)), None) => {
                        ints.extend([lo, hi, shape.rows, shape.chunks]);
                        ints.extend([shape.end_rows, shape.end_chunks]);
                    }
                    (None, _) => {}
                }
                ints.extend([j_lo, tiles]);
                let of_warps = self.pipelined.iter();
                ints.extend(of_warps.flat_map(|p| p.firsts(p.tiles(self.j.1))));
                if self.pipelined.is_some_and(|p| p.patch.is_some()) {
                    last_steps = if is_patch { steps } else { last_steps };
                    ints.push(last_steps);
                }
                pass.extend(words(&ints)?);
                all.push(Action::Launch {
                    kernel,
                    grid: u32::try_from(shape.grid).ok()?,
                    pass,
                });
                launches -= 1;
                in_next = !in_next;
                t0 += steps;
            }
        }
        Some(all)
    }

    /// The pointers of a field for a launch from one plane to the other, and where that leaves the field.
    fn next_planes(
        &self,
        field: &RowField,
        (t0, steps): (i64, i64),
        (now, launches): (Place, i64),
        pass: &mut Vec<Word>,
    ) -> Option<Place> {
        let [first, second] = [field.of_step(self.t.0 - 1)?, field.of_step(self.t.0)?];
        let kept = [field.of_step(t0 - 1)?, field.of_step(t0 - 2)?];
        let (own, next) = (field.of_step(t0 + steps - 1)?, field.next(0));
        let to = match launches {
            1 => own,
            2 if now == own || t0 + steps < self.t.1 => next,
            _ if now == first => second,
            _ => first,
        };
        let before = (launches == 1 && now == next).then_some(field.of_step(t0 + steps - 2)?);
        let all = [Some(now), Some(kept[0]), Some(kept[1]), Some(to), before];
        pass.extend(all.map(Word::Pointer));
        Some(to)
    }

    /// A field's pointers for a launch.
    fn planes(
        &self,
        field: &RowField,
        (t0, steps): (i64, i64),
        (in_next, last): (bool, bool),
        pass: &mut Vec<Word>,
    ) -> Option<()> {
        let (mut from, mut kept, mut to) = (Vec::new(), Vec::new(), Vec::new());
        for age in 0..field.buffers {
            let own = field.of_step(t0 - age - 1)?;
            kept.push(Word::Pointer(Some(own)));
            if age < field.live {
                let held = if in_next { field.next(age) } else { own };
                from.push(Word::Pointer(Some(held)));
            }
            let own = field.of_step(t0 + steps - age - 1)?;
            to.push(Word::Pointer(match age < field.live {
                true if in_next => Some(own),
                true => Some(field.next(age)),
                false => last.then_some(own),
            }));
        }
        pass.extend([from, kept, to].concat());
        Some(())
    }
}

/// Numbers as `int`.
fn words(values: &[i64]) -> Option<Vec<Word>> {
    let int = |v: &i64| Some(Word::Int(i32::try_from(*v).ok()?));
    values.iter().map(int).collect()
}

/// How tiles of so many steps overlap; `Shape` in the generated text.
#[derive(Clone, Copy, Debug)]
struct PlaneShape {
    steps: i64,
    hk: i64,
    hj: i64,
    behind: i64,
    vk: i64,
    vj: i64,
    lag: i64,
}

#[derive(Clone, Debug)]
struct Planes {
    array: usize,
    elem: CType,
    t: (i64, i64),
    /// Buffer that holds the present state at an even time.
    read: i64,
    n: [i64; 3],
    lo: [i64; 3],
    hi: [i64; 3],
    /// Elements from row to row, of 16 and of 32 bytes.
    row: i64,
    quad: i64,
    unit: i64,
    /// Per kernel.
    shapes: Vec<PlaneShape>,
    /// V, and the column of a lane at which the domain ends, where tiles choose.
    vector: i64,
    high: Option<i64>,
    rows: i64,
    warps: i64,
    radius: [i64; 3],
    held: i64,
}

/// A launch's tiles: `lay_out` and `plan` in the generated text.
#[derive(Clone, Copy, Debug)]
struct PlaneTiles {
    k_first: i64,
    k_step: i64,
    tiles_j: i64,
    tiles_k: i64,
    /// Whether the kernel covers all tiles that there are.
    good: bool,
}

impl Planes {
    fn new(
        ir: &BlocksIr,
        t: (i64, i64),
        params: &[i64],
        layouts: &[ArrayLayout],
    ) -> Option<Planes> {
        let layout = layouts.get(ir.array)?;
        let n = *layout.extents.last_chunk::<3>()?;
        let value_of = |name: &str| plan::value_of(&ir.stencil, params, name);
        let (mut lo, mut hi) = ([0; 3], [0; 3]);
        for (d, range) in ir.domain.iter().enumerate().take(3) {
            lo[d] = plan::eval(&range.lo, &value_of)?;
            hi[d] = plan::eval(&range.hi, &value_of)?.checked_add(1)?;
        }
        if n.iter().any(|&n| n > i64::from(i32::MAX / 2)) {
            return None;
        }
        let (quad, unit) = ir.quad_and_unit();
        let shapes = (instances_of_planes(ir).iter().map(|k| k.steps))
            .map(|steps| {
                let ((hk, hj), (vk, vj)) = (ir.before(steps), ir.results(steps));
                PlaneShape {
                    steps,
                    hk,
                    hj,
                    vk,
                    vj,
                    behind: ir.behind(steps),
                    lag: steps * ir.radius[0] + (steps - 1) * ir.order.late(),
                }
            })
            .collect();
        Some(Planes {
            array: ir.array,
            elem: ir.elem(),
            t,
            read: ir.write - 1,
            n,
            lo,
            hi,
            row: layout.pitch,
            quad,
            unit,
            shapes,
            vector: ir.tile.vector,
            high: ir.fixed_columns().1,
            rows: ir.tile.rows,
            warps: ir.tile.warps,
            radius: ir.radius,
            held: ir.held(),
        })
    }

    fn size(&self) -> i64 {
        self.elem.size() as i64
    }

    /// Elements of a plane.
    fn plane(&self) -> Option<i64> {
        self.row.checked_mul(self.n[1])
    }

    fn buffer_bytes(&self) -> Option<i64> {
        let elements = self.plane()?.checked_mul(self.n[0])?;
        elements.checked_mul(self.size())
    }

    fn buffer(&self, side: i64) -> Option<Place> {
        Some(Place {
            base: Base::Array(self.array),
            offset: side * self.buffer_bytes()?,
        })
    }

    /// Launches of all T time steps, if buffers are the same.
    fn times(&self) -> i64 {
        let steps = self.t.1 - self.t.0 + 1;
        match self.shapes.first() {
            Some(s) if s.steps > 1 && steps > s.steps && self.lay_out(*s).good => {
                (steps - 1) / s.steps
            }
            _ => 0,
        }
    }

    fn compare(&self) -> Option<Compare> {
        let distance = self.buffer(1)?.offset;
        (self.times() > 0).then_some(Compare {
            array: self.array,
            element_bytes: self.size(),
            first: 0,
            distance,
            row: self.row,
            n: self.n,
            lo: self.lo,
            hi: self.hi,
        })
    }

    fn align_high(&self, mut x: i64) -> i64 {
        if let Some(high) = self.high {
            while x % self.vector != high {
                x += self.quad;
            }
        }
        x
    }

    fn lay_out(&self, s: PlaneShape) -> PlaneTiles {
        let unit = self.unit;
        let (columns, rows) = (32 * self.vector, self.rows * self.warps);
        let [_, lo_j, lo_k] = self.lo;
        let [_, hi_j, hi_k] = self.hi;
        let many = s.steps > 1;
        let (high, low) = (hi_j - (self.warps - s.behind) * self.rows, lo_j - s.hj);
        let mut tiles = PlaneTiles {
            k_first: lo_k / unit * unit,
            k_step: s.vk + unit,
            tiles_j: 0,
            tiles_k: 0,
            good: false,
        };
        if many && (high < lo_j || low + rows > hi_j) {
            return tiles;
        }
        let more = if high > low {
            (high - low + s.vj - 1) / s.vj
        } else {
            0
        };
        tiles.tiles_j = 1 + more;
        while !tiles.good && tiles.k_step >= s.hk + 2 * unit {
            tiles.k_step -= unit;
            tiles.tiles_k = (hi_k - tiles.k_first + tiles.k_step - 1) / tiles.k_step;
            // A tile that moves must keep the one boundary, and stay clear of the other.
            tiles.good = !many
                || (0..tiles.tiles_k).all(|c| {
                    let x = hi_k - (tiles.k_first + c * tiles.k_step - s.hk);
                    let aligned = if x < columns { self.align_high(x) } else { x };
                    aligned == x || (aligned + self.radius[2] <= columns && hi_k - aligned >= lo_k)
                });
        }
        tiles
    }

    /// The number of chunks, and the planes of each.
    fn chunks(&self, s: PlaneShape, tiles: PlaneTiles, at_once: i64) -> Option<(i64, i64)> {
        let height = self.hi[0] - self.lo[0];
        let mut best: Option<(i64, (i64, i64))> = None;
        for chunks in 1..=height.max(0) {
            if at_once <= 0 {
                return None;
            }
            let length = (height + chunks - 1) / chunks;
            let n = (height + length - 1) / length;
            let waves = (tiles.tiles_j * tiles.tiles_k * n + at_once - 1) / at_once;
            let planes = length + s.steps * self.radius[0] + s.lag;
            let cost = waves * ((planes + self.held - 1) / self.held * self.held);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, (n, length)));
            }
        }
        best.map(|(_, chosen)| chosen)
    }

    fn actions(&self, gpu: &Gpu, same: bool) -> Option<Vec<Action>> {
        let steps = self.t.1 - self.t.0 + 1;
        let times = if same { self.times() } else { 0 };
        let mut side = (self.t.0 + self.read).rem_euclid(2);
        let mut all = Vec::new();
        let first = *self.shapes.first()?;
        // Both buffers are results in the end, so the last launch takes one step, and launches
        // alternate as steps do.
        if times % 2 != 0 && first.steps % 2 == 0 {
            all.push(Action::Copy {
                to: self.buffer(1 - side)?,
                from: self.buffer(side)?,
                bytes: self.buffer_bytes()?,
            });
            side = 1 - side;
        }
        if times > 0 {
            self.advance(gpu, 0, &mut side, times, &mut all)?;
        }
        let last = self.shapes.len() - 1;
        let left = steps - times * first.steps;
        if left > 0 {
            self.advance(gpu, last, &mut side, left, &mut all)?;
        }
        Some(all)
    }

    /// As many launches, each from one buffer to the other.
    fn advance(
        &self,
        gpu: &Gpu,
        kernel: usize,
        side: &mut i64,
        launches: i64,
        all: &mut Vec<Action>,
    ) -> Option<()> {
        let s = *self.shapes.get(kernel)?;
        let tiles = self.lay_out(s);
        let at_once = gpu
            .multiprocessors
            .checked_mul(*gpu.resident.get(kernel)?)?;
        let (chunks, length) = self.chunks(s, tiles, at_once)?;
        let grid = u32::try_from(tiles.tiles_j * tiles.tiles_k * chunks).ok()?;
        let quad = self.quad;
        let ([n_i, n_j, n_k], plane) = (self.n, self.plane()?);
        let ([lo_i, lo_j, lo_k], [hi_i, hi_j, hi_k]) = (self.lo, self.hi);
        let [_, rj, _] = self.radius;
        // Where TMA would cut them off anyway.
        let columns = (hi_k - tiles.k_first + quad - 1) / quad * quad;
        let first = lo_i * plane + lo_j * self.row + tiles.k_first;
        let map = |place: Place, sizes: [i64; 3], columns: i64, rows: i64| {
            let positive = |x: i64| u64::try_from(x).ok();
            let [a, b, c] = sizes;
            Some(TensorMap {
                elem: self.elem,
                place,
                sizes: [positive(a)?, positive(b)?, positive(c)?],
                strides: [
                    positive(self.row * self.size())?,
                    positive(plane * self.size())?,
                ],
                extent: [u32::try_from(columns).ok()?, u32::try_from(rows).ok()?, 1],
            })
        };
        for _ in 0..launches {
            let (from, to) = (self.buffer(*side)?, self.buffer(1 - *side)?);
            let stored = Place {
                offset: to.offset + first * self.size(),
                ..to
            };
            let maps = if gpu.major >= 9 {
                let rows = self.rows * self.warps + 2 * rj;
                [
                    Some(map(from, [n_k, n_j, n_i], 32 * self.vector, rows)?),
                    Some(map(
                        stored,
                        [columns, hi_j - lo_j, hi_i - lo_i],
                        s.vk,
                        s.vj,
                    )?),
                ]
            } else {
                [None, None]
            };
            let mut pass: Vec<Word> = maps.into_iter().map(Word::Map).collect();
            pass.extend([from, to].map(|place| Word::Pointer(Some(place))));
            pass.extend([Word::Long(self.row), Word::Long(plane)]);
            pass.extend(words(&[
                n_i,
                n_j,
                n_k,
                lo_i,
                hi_i,
                lo_j,
                hi_j,
                lo_k,
                hi_k,
                tiles.k_first,
                tiles.k_step,
                tiles.tiles_j,
                tiles.tiles_k,
                chunks,
                length,
                gpu.major,
            ])?);
            all.push(Action::Launch { kernel, grid, pass });
            *side = 1 - *side;
        }
        Some(())
    }
}
