//! From a canonical stencil and its schedule to the kernel.

use super::count::{self, Moves, Work};
use super::footprint::SliceUse;
use super::full::{self, RelativeBox, origins_inside};
use super::{
    Block, CopyBox, CopyOut, GuardBounds, Interval, KernelAccess, KernelArray, KernelIr,
    KernelStmt, Read, Reuse, Row, Schema, SharedDim, Stencil, StmtRow, Sub, Switches,
    SymbolicRange, footprint, origin_name,
};
use super::{FEW_REGISTERS, SHARED_ROW_REGISTERS, min_blocks, registers_wanted};
use crate::canonical::{Canonical, DimRole};
use crate::cost;
use crate::deps::DepKind;
use crate::diag::{Diagnostic, Result};
use crate::interface::Interface;
use crate::quotient::Divisions;
use crate::sched::HybridSchedule;
use crate::scop::{Array, ArrayId, Scop, SourceFile, finite_range};
use hexcc_isl::{AstBuild, AstExpr, Ctx, DimType, Map, PwAff, Set};

/// Choices of the kernel that do not change the schedule.
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// Prefix of generated names.
    pub name: String,
    /// Global or shared memory.
    pub schema: Schema,
    /// Threads along the innermost dimension and the next classical one; where
    /// the hexagons lie along the innermost, only their product counts.
    pub block: [i64; 2],
    /// At most so many rows of contiguous points for a thread; as the block has it
    /// where absent.
    pub rows_per_thread: Option<i64>,
    /// Optimizations.
    pub switches: Switches,
}

/// A stencil with its accesses classified, before tile sizes are known.
pub struct Prepared<'a> {
    pub(super) scop: &'a Scop,
    source: &'a SourceFile,
    pub(super) c: &'a Canonical,
    pub(super) build: AstBuild,
    pub(super) array_index: Vec<ArrayId>,
    pub(super) stmts: Vec<KernelStmt>,
    /// Flow distances per source statement; `None` stands for distances too
    /// many to enumerate.
    flows: Vec<Vec<Option<Vec<i64>>>>,
    divisions: Divisions,
}

/// Classifies the accesses of a stencil, whose kernels divide by constants as `divisions` says.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn prepare<'a>(
    scop: &'a Scop,
    source: &'a SourceFile,
    c: &'a Canonical,
    divisions: Divisions,
) -> Result<Prepared<'a>> {
    let build = AstBuild::from_context(&scop.context)?;
    let mut prepared = Prepared {
        scop,
        source,
        c,
        build,
        array_index: array_index(scop, c),
        stmts: Vec::new(),
        flows: Vec::new(),
        divisions,
    };
    for i in 0..c.stmts.len() {
        let stmt = prepared.stmt(i)?;
        prepared.stmts.push(stmt);
        prepared.flows.push(footprint::flow_distances(c, i)?);
    }
    Ok(prepared)
}

/// Exact counts for one full tile (CGO'14 section 3.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileCounts {
    /// Statement instances.
    pub iterations: i64,
    /// Elements copied in.
    pub loads: i64,
    /// Bytes copied in.
    pub load_bytes: i64,
    /// Elements stored.
    pub stores: i64,
    /// Bytes stored.
    pub store_bytes: i64,
    /// Shared memory, bytes.
    pub shared_bytes: i64,
}

impl Prepared<'_> {
    /// Counts of a full tile of schema `shared`.
    pub fn count(&self, schedule: &HybridSchedule, switches: &Switches) -> TileCounts {
        let rows = tile_rows(schedule, self.stmts.len());
        let aligned = switches.aligned_loads;
        let mut arrays = self.boxes(Schema::Shared, aligned, schedule, &rows);
        let shared_bytes = place(&mut arrays);
        let mut counts = TileCounts {
            iterations: 0,
            loads: 0,
            load_bytes: 0,
            stores: 0,
            store_bytes: 0,
            shared_bytes,
        };
        let mut separate = Vec::new();
        for (index, array) in arrays.iter().enumerate() {
            let Some(shared) = &array.shared else {
                continue;
            };
            let uses = footprint::slice_uses(shared, index, &self.stmts, &rows);
            let n = footprint::n_needed(&uses);
            counts.loads += n;
            counts.load_bytes += n * array.elem.size() as i64;
            if switches.copy_out == CopyOut::Separate
                && let Some(copies) = footprint::copy_out(index, &self.stmts, &uses)
            {
                let n: i64 = copies.iter().map(CopyBox::len).sum();
                counts.stores += n;
                counts.store_bytes += n * array.elem.size() as i64;
                separate.push(index);
            }
        }
        for (i, stmt) in self
            .stmts
            .iter()
            .enumerate()
            .filter(|(_, s)| !s.partial_only)
        {
            let array = &arrays[stmt.write.array];
            let keep = footprint::keep_boxes(&self.flows[i], &rows, None);
            let volume = |boxes: &[Interval]| boxes.iter().map(|b| b.len()).product::<i64>();
            for (row, keep) in rows.iter().zip(&keep).filter(|(r, _)| r.slot == stmt.slot) {
                counts.iterations += volume(&row.points);
                if separate.contains(&stmt.write.array) {
                    continue;
                }
                let live = switches.copy_out == CopyOut::Live;
                let kept = if live && array.shared.is_some() && self.is_overwritten(i) {
                    volume(keep)
                } else {
                    0
                };
                counts.stores += volume(&row.points) - kept;
                counts.store_bytes += (volume(&row.points) - kept) * array.elem.size() as i64;
            }
        }
        counts
    }

    /// Bytes of shared memory of a tile of schema `shared`.
    pub fn shared_bytes(&self, schedule: &HybridSchedule) -> i64 {
        let rows = tile_rows(schedule, self.stmts.len());
        place(&mut self.boxes(Schema::Shared, true, schedule, &rows))
    }

    /// Everything a full tile does, counted for the tile-size model; the shared
    /// memory that it needs must be known to be reasonable. `rows_per_thread` as in
    /// [`LowerOptions`].
    pub fn work(
        &self,
        schedule: &HybridSchedule,
        moves: Moves,
        rows_per_thread: Option<i64>,
    ) -> Work {
        let rows = tile_rows(schedule, self.stmts.len());
        let mut arrays = self.boxes(Schema::Shared, moves.aligned, schedule, &rows);
        let shared_bytes = place(&mut arrays);
        let needed: Vec<_> = (arrays.iter().enumerate())
            .map(|(index, array)| {
                array.shared.as_ref().map_or_else(Vec::new, |shared| {
                    footprint::needed_rows(shared, index, &self.stmts, &rows)
                })
            })
            .collect();
        let reused = chain(schedule).filter(|_| moves.reuse);
        let keep: Vec<_> = (0..self.stmts.len())
            .map(|s| match self.is_overwritten(s) {
                true => footprint::keep_boxes(&self.flows[s], &rows, reused),
                false => Vec::new(),
            })
            .collect();
        let mut period = vec![schedule.hexagon.width(); schedule.n_space];
        for classical in &schedule.classical {
            period[classical.dim] = classical.w;
        }
        let work = count::count(&count::Tile {
            stmts: &self.stmts,
            rows: &rows,
            arrays: &arrays,
            needed: &needed,
            keep: &keep,
            schedule,
            period: &period,
            moves,
            hex_threads: match (schedule.row_dim(), rows_per_thread) {
                (Some(dim), Some(n)) if dim == schedule.hex_dim => schedule.thread_rows(n),
                _ => 1,
            },
        });
        Work {
            shared_bytes,
            registers_wanted: registers_wanted(schedule, &self.stmts, &arrays),
            ..work
        }
    }

    /// Number of values of `t` and of every space coordinate for given values of
    /// the parameters, `None` where one that is not given decides it.
    ///
    /// # Errors
    /// HX0406 for a name that is no parameter, HX0401 where isl gives up.
    pub fn extents(&self, values: &[(String, i64)]) -> Result<Vec<Option<i64>>> {
        let params = &self.scop.params;
        if let Some((name, _)) = values.iter().find(|(name, _)| !params.contains(name)) {
            return Err(Box::new(
                Diagnostic::error("HX0406", format!("`{name}` is no size parameter"))
                    .note(match params.as_slice() {
                        [] => "the region has none".to_string(),
                        names => format!("the region has {}", names.join(", ")),
                    })
                    .help("`--set N=4096,T=1000` gives sizes to the tile-size model"),
            ));
        }
        let mut domain = self.union_domain()?;
        if !values.is_empty() {
            let equal: Vec<String> = (values.iter())
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            let text = format!("[{}] -> {{ : {} }}", params.join(", "), equal.join(" and "));
            domain = domain.intersect_params(&Set::read(&self.scop.ctx, &text)?)?;
        }
        let constant = |f: PwAff| -> Result<Option<i64>> {
            Ok(finite_range(&f)?
                .filter(|(lo, hi)| lo == hi)
                .map(|(lo, _)| lo))
        };
        (0..=self.c.n_space as u32)
            .map(|d| {
                let (lo, hi) = (constant(domain.dim_min(d)?)?, constant(domain.dim_max(d)?)?);
                Ok(lo
                    .zip(hi)
                    .map(|(lo, hi)| hi.saturating_sub(lo).saturating_add(1)))
            })
            .collect()
    }

    /// Whether the statement's elements are ever written again; full time
    /// dimensions never are, and every value is stored.
    fn is_overwritten(&self, stmt: usize) -> bool {
        (self.c.deps.iter()).any(|d| d.kind == DepKind::Output && d.source == stmt)
    }

    /// Arrays with their shared boxes, not yet placed.
    fn boxes(
        &self,
        schema: Schema,
        aligned: bool,
        schedule: &HybridSchedule,
        rows: &[Row],
    ) -> Vec<KernelArray> {
        (self.array_index.iter().enumerate())
            .map(|(index, id)| {
                let array = self.scop.array(*id);
                let elem_bytes = array.elem.size() as i64;
                let grain = |dim: usize| match schedule.classical_dim(dim) {
                    Some(c) if aligned && array.extents.len() > 1 => (
                        elements_of(VECTOR_BYTES, elem_bytes, c.w),
                        elements_of(SECTOR_BYTES, elem_bytes, c.w),
                    ),
                    _ => (1, 1),
                };
                KernelArray {
                    shared: match schema {
                        Schema::Global => None,
                        Schema::Shared => footprint::shared_box(
                            array.extents.len(),
                            index,
                            &self.stmts,
                            rows,
                            &grain,
                        ),
                    },
                    ..self.plain_array(index, array)
                }
            })
            .collect()
    }
}

/// Builds the kernel.
///
/// # Errors
/// HX0401 where isl gives up, HX9001 where a check of the kernel's contract
/// fails. Too much shared memory is left to the caller to judge.
pub fn lower(
    prepared: &Prepared,
    schedule: &HybridSchedule,
    options: &LowerOptions,
) -> Result<KernelIr> {
    prepared.kernel(schedule, options)
}

/// The rows of a tile, every statement kept everywhere.
fn tile_rows(s: &HybridSchedule, n_stmts: usize) -> Vec<Row> {
    (0..s.hexagon.height())
        .map(|a| {
            let mut points = vec![Interval::EMPTY; s.n_space];
            let hex = s.hexagon.row(a);
            points[s.hex_dim] = Interval {
                lo: *hex.start(),
                hi: *hex.end(),
            };
            for classical in &s.classical {
                let skew = classical.skew(a);
                points[classical.dim] = Interval {
                    lo: -skew,
                    hi: classical.w - 1 - skew,
                };
            }
            let (keep, keep_reused) = (points.clone(), points.clone());
            Row {
                slot: a % s.k,
                t_in: a / s.k,
                points,
                stmts: vec![StmtRow { keep, keep_reused }; n_stmts],
            }
        })
        .collect()
}

/// Arrays (not scalars) the stencil touches, in the order of the scop.
fn array_index(scop: &Scop, c: &Canonical) -> Vec<ArrayId> {
    (c.roles.keys().copied())
        .filter(|id| !scop.array(*id).extents.is_empty())
        .collect()
}

impl Prepared<'_> {
    fn ctx(&self) -> &Ctx {
        &self.scop.ctx
    }

    fn kernel(&self, schedule: &HybridSchedule, options: &LowerOptions) -> Result<KernelIr> {
        let stmts = self.stmts.clone();
        let mut rows = tile_rows(schedule, stmts.len());
        let mut switches = options.switches;
        let mut arrays = self.boxes(options.schema, switches.aligned_loads, schedule, &rows);
        let shared_bytes = place(&mut arrays);
        let chain = chain(schedule);
        let registers = registers_wanted(schedule, &stmts, &arrays);
        let block = block_shape(&rows, schedule, options, registers);
        let reused = chain.filter(|_| switches.reuse != Reuse::None);
        let uses: Vec<Vec<SliceUse>> = (arrays.iter().enumerate())
            .map(|(index, array)| match &array.shared {
                Some(shared) => footprint::slice_uses(shared, index, &stmts, &rows),
                None => Vec::new(),
            })
            .collect();
        // The copies of strided statements are checked element by element.
        let reused = reused.filter(|_| stmts.iter().all(|s| s.lattice.is_none()));
        if !copies(&mut arrays, &uses, schedule, reused, block.size()) {
            switches.reuse = Reuse::None;
        }
        if switches.copy_out == CopyOut::Separate {
            for (index, array) in arrays.iter_mut().enumerate().filter(|(_, a)| a.written) {
                if let Some(shared) = &mut array.shared {
                    shared.copy_out = footprint::copy_out(index, &stmts, &uses[index]);
                }
            }
        }
        let reused = chain.filter(|_| switches.reuse != Reuse::None);
        let live = switches.copy_out == CopyOut::Live;
        let full = match self.full_origins(&stmts, &arrays, &mut rows, reused, live)? {
            Some(full) if switches.full_tiles => Some(full),
            _ => None,
        };
        Ok(KernelIr {
            stencil: self.stencil_with(&options.name, arrays)?,
            schema: options.schema,
            schedule: schedule.clone(),
            block,
            chain,
            rows_wanted: options.rows_per_thread.is_some(),
            switches,
            rows,
            full,
            shared_bytes,
        })
    }

    /// The stencil without tiles.
    pub(super) fn stencil(&self, name: &str) -> Result<Stencil> {
        let arrays = (self.array_index.iter().enumerate())
            .map(|(index, id)| self.plain_array(index, self.scop.array(*id)));
        self.stencil_with(name, arrays.collect())
    }

    /// The stencil with arrays that may be in shared memory.
    fn stencil_with(&self, name: &str, arrays: Vec<KernelArray>) -> Result<Stencil> {
        let domain = self.union_domain()?;
        let ranges = (0..=self.c.n_space)
            .map(|d| {
                let d = d as u32;
                Ok(SymbolicRange {
                    lo: self
                        .build
                        .expr_from_pw_aff(&domain.dim_min(d)?.coalesce()?)?,
                    hi: self
                        .build
                        .expr_from_pw_aff(&domain.dim_max(d)?.coalesce()?)?,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let source = self.c.stmts.iter().map(|s| &self.scop.stmts[s.stmt]);
        let source: Vec<_> = source.collect();
        let scalars = (self.c.roles.keys())
            .map(|id| self.scop.array(*id))
            .filter(|a| a.extents.is_empty())
            .map(|a| (a.name.clone(), a.elem));
        // Of loops that end by what their steps record, some may be too many.
        let undone: Vec<&str> = match self.c.recorded.is_empty() {
            true => Vec::new(),
            false => ranges[0].hi.names().into_iter().collect(),
        };
        let interface = Interface::new(
            self.scop,
            name,
            (&source, &undone),
            (&self.array_index, arrays),
            scalars.collect(),
        )?;
        Ok(Stencil {
            interface: Interface {
                planes: (0..self.array_index.len())
                    .map(|a| self.planes(a))
                    .collect(),
                work: cost::of_time_loop(self.scop, &source),
                ..interface
            },
            dims: self.c.names.clone(),
            stmts: self.stmts.clone(),
            k: self.c.k,
            ranges,
        })
    }

    /// How many planes an outermost subscript selects that is always a time buffer or a constant.
    fn planes(&self, array: usize) -> Option<i64> {
        let mut planes = None;
        for stmt in &self.stmts {
            for access in stmt.elements().chain([&stmt.write]) {
                if access.array == array {
                    let n = match access.subs.first()? {
                        Sub::Const(c) => c + 1,
                        Sub::Time { modulo, .. } => (*modulo)?,
                        _ => return None,
                    };
                    planes = planes.max(Some(n));
                }
            }
        }
        planes
    }

    /// An array of which no part is in shared memory; its extents are left out.
    fn plain_array(&self, index: usize, array: &Array) -> KernelArray {
        let local = self.scop.is_declared(self.array_index[index]);
        KernelArray {
            name: array.name.clone(),
            elem: array.elem,
            extents: Vec::new(),
            written: self.stmts.iter().any(|s| s.write.array == index),
            pitched: array.extents.len() > 1,
            pointer: array.pointer,
            variable: array.variable && !local,
            local,
            memory: String::new(),
            doubtful: false,
            rows: None,
            parts: array.parts.clone(),
            shared: None,
        }
    }

    fn stmt(&self, index: usize) -> Result<KernelStmt> {
        let canonical = &self.c.stmts[index];
        let stmt = &self.scop.stmts[canonical.stmt];
        let lattice = canonical.domain.affine_hull()?;
        let partial_only = is_lower_dimensional(&lattice)?;
        let named = |set: &Set| self.named(set);
        let domain = canonical.domain.coalesce()?;
        let guard = (self.build).expr_from_set(&named(&domain)?)?;
        let lattice = if partial_only || lattice.plain_is_universe()? {
            None
        } else {
            Some(self.build.expr_from_set(&named(&lattice)?)?)
        };
        let access = |map: &Map, array: ArrayId| -> Result<KernelAccess> {
            let roles = &self.c.roles[&array];
            let is_space = |role: &&DimRole| matches!(role, DimRole::Space);
            let own = |d: usize| roles[..d].iter().filter(is_space).count();
            let subs = (map.to_pw_affs()?.iter().enumerate())
                .map(|(d, f)| self.subscript(f, &domain, (roles[d], own(d))))
                .collect::<Result<_>>()?;
            let array = (self.array_index.iter().position(|id| *id == array))
                .ok_or_else(|| Box::new(Diagnostic::bug("scalar used as an array")))?;
            Ok(KernelAccess { array, subs })
        };
        let mut reads = Vec::new();
        for (read, map) in stmt.reads.iter().zip(&canonical.reads) {
            reads.push(if self.scop.array(read.array).extents.is_empty() {
                Read::Scalar(self.scalar_position(read.array))
            } else {
                Read::Element(access(map, read.array)?)
            });
        }
        let mut affine = Vec::new();
        for value in stmt.affine_values() {
            affine.push(self.affine(&value, canonical, &domain)?);
        }
        let text = self.source.text.get(stmt.span.clone()).unwrap_or("");
        Ok(KernelStmt {
            name: stmt.name.clone(),
            lines: stmt.lines,
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            slot: canonical.slot,
            guard,
            bounds: self.guard_bounds(&domain)?,
            lattice,
            partial_only,
            write: access(&canonical.write, stmt.write.array)?,
            reads,
            locals: (stmt.locals.iter())
                .map(|l| (l.name.clone(), l.ty, l.value.clone()))
                .collect(),
            value: stmt.value.clone(),
            affine,
            divisions: self.divisions,
        })
    }

    fn guard_bounds(&self, domain: &Set) -> Result<Option<GuardBounds>> {
        let Some(bounds) = full::bounds(self.ctx(), domain)? else {
            return Ok(None);
        };
        let expr = |bound: &PwAff| Ok(self.build.expr_from_pw_aff(bound)?);
        let all = |list: &Vec<PwAff>| list.iter().map(expr).collect::<Result<Vec<_>>>();
        let space = (bounds.space.iter())
            .map(|[lower, upper]| Ok([all(lower)?, all(upper)?]))
            .collect::<Result<_>>()?;
        let rest = match bounds.rest {
            Some(rest) => Some(self.build.expr_from_set(&self.named(&rest)?)?),
            None => None,
        };
        Ok(Some(GuardBounds { space, rest }))
    }

    fn scalar_position(&self, id: ArrayId) -> usize {
        (self.c.roles.keys())
            .filter(|i| self.scop.array(**i).extents.is_empty())
            .position(|i| *i == id)
            .unwrap_or(0)
    }

    fn affine(
        &self,
        value: &PwAff,
        canonical: &crate::canonical::CanonicalStmt,
        domain: &Set,
    ) -> Result<AstExpr> {
        let map = canonical
            .to_canonical
            .reverse()?
            .apply_range(&value.to_map()?)?;
        let value = &map.intersect_domain(domain)?.to_pw_affs()?[0];
        self.expr_of(&value.gist(domain)?)
    }

    /// The expression of a function of `[t, s..]`.
    fn expr_of(&self, f: &PwAff) -> Result<AstExpr> {
        // Outside of the domain that it was simplified for, the pieces of a function may overlap.
        let mut f = f.coalesce()?;
        for (d, name) in self.c.names.iter().enumerate() {
            f = f.set_input_name(d as u32, name)?;
        }
        Ok(self.build.expr_from_pw_aff(&f)?)
    }

    fn named(&self, set: &Set) -> Result<Set> {
        let mut set = set.clone();
        for (d, name) in self.c.names.iter().enumerate() {
            set = set.set_dim_name(DimType::Set, d as u32, name)?;
        }
        Ok(set)
    }

    /// A subscript; of single cells, several coordinates tell it, and `own` is the one that other statements have there.
    fn subscript(&self, f: &PwAff, domain: &Set, (role, own): (DimRole, usize)) -> Result<Sub> {
        let coordinates = domain.identity()?.to_pw_affs()?;
        let constant_over = |f: &PwAff| -> Result<Option<i64>> {
            let value = f.intersect_domain(domain)?.gist(domain)?.as_constant()?;
            Ok(value.filter(|v| v.den == 1).map(|v| v.num))
        };
        let f = f.intersect_domain(domain)?;
        match role {
            DimRole::Plane => {
                if let Some(value) = constant_over(&f)? {
                    return Ok(Sub::Const(value));
                }
            }
            DimRole::Time => {
                let t = &coordinates[0];
                if let Some(offset) = constant_over(&f.sub(t)?)? {
                    return Ok(Sub::Time {
                        offset,
                        modulo: None,
                    });
                }
                if let Some((0, max)) = finite_range(&f)? {
                    let m = max + 1;
                    for offset in 0..m.min(64) {
                        let shifted = t.add_constant(offset)?;
                        let remainder = shifted.sub(&shifted.floor_div(m)?.mul_val(m)?)?;
                        if constant_over(&f.sub(&remainder)?)? == Some(0) {
                            return Ok(Sub::Time {
                                offset,
                                modulo: Some(m),
                            });
                        }
                    }
                }
            }
            DimRole::Space => {
                let mut near = None;
                let mut dims: Vec<usize> = (0..self.c.n_space).collect();
                dims.sort_by_key(|dim| *dim != own);
                for dim in dims {
                    let difference = f.sub(&coordinates[dim + 1])?;
                    if let Some(offset) = constant_over(&difference)? {
                        return Ok(Sub::Space { dim, offset });
                    }
                    if near.is_none()
                        && let Some((lo, hi)) = finite_range(&difference.intersect_domain(domain)?)?
                    {
                        near = Some((dim, Interval { lo, hi }));
                    }
                }
                let expr = self.expr_of(&f.gist(domain)?)?;
                return Ok(Sub::General { expr, near });
            }
        }
        Ok(Sub::General {
            expr: self.expr_of(&f.gist(domain)?)?,
            near: None,
        })
    }

    pub(super) fn union_domain(&self) -> Result<Set> {
        let mut all: Option<Set> = None;
        for stmt in &self.c.stmts {
            all = Some(match all {
                Some(all) => all.union(&stmt.domain)?,
                None => stmt.domain.clone(),
            });
        }
        let all = all.ok_or_else(|| Box::new(Diagnostic::bug("no statements")))?;
        Ok(all
            .intersect_params(&self.scop.context.params()?)?
            .coalesce()?)
    }

    /// Where everything a statement may read near a coordinate exists, by
    /// dimension: full tiles copy in all that is near, of which the accesses
    /// themselves, such as `A[i < 1 ? 0 : i-1]`, need not reach the ends.
    fn near_inside(&self, stmt: &KernelStmt, arrays: &[KernelArray]) -> Result<Vec<Set>> {
        let mut all = Vec::new();
        let model = self.c.stmts[0].domain.universe_like()?;
        let coordinates = model.identity()?.to_pw_affs()?;
        for access in stmt.elements() {
            if arrays[access.array].shared.is_none() {
                continue;
            }
            let extents = &self.scop.array(self.array_index[access.array]).extents;
            for (sub, extent) in access.subs.iter().zip(extents) {
                let Sub::General {
                    near: Some((dim, range)),
                    ..
                } = sub
                else {
                    continue;
                };
                let x = &coordinates[dim + 1];
                let extent = extent.insert_domain(&model)?;
                let zero = x.sub(x)?;
                all.push(x.add_constant(range.lo)?.ge_set(&zero)?);
                all.push(x.add_constant(range.hi)?.lt_set(&extent)?);
            }
        }
        Ok(all)
    }

    /// The full-tile condition, and with it the instances that need no store.
    fn full_origins(
        &self,
        stmts: &[KernelStmt],
        arrays: &[KernelArray],
        rows: &mut [Row],
        chain: Option<usize>,
        live: bool,
    ) -> Result<Option<AstExpr>> {
        let mut origins = self.c.stmts[0].domain.universe_like()?;
        for (i, stmt) in stmts.iter().enumerate() {
            let canonical = &self.c.stmts[i];
            let in_slot = |rows: &[Row]| -> Vec<RelativeBox> {
                (rows.iter().filter(|r| r.slot == stmt.slot))
                    .map(RelativeBox::of_row)
                    .collect()
            };
            let boxes = in_slot(rows);
            if stmt.partial_only {
                // No instance at all: the boxes miss the domain. The domain is
                // thin, so being on either side of it along one dimension is
                // the only way worth testing.
                origins = origins.intersect(&self.origins_outside(&canonical.domain, &boxes)?)?;
                for row in rows.iter_mut() {
                    row.stmts[i].keep.fill(Interval::EMPTY);
                    row.stmts[i].keep_reused.fill(Interval::EMPTY);
                }
                continue;
            }
            for inside in self.near_inside(stmt, arrays)? {
                let all = inside.universe_like()?;
                let inside = origins_inside(self.ctx(), &inside, &all, &boxes)?;
                origins = origins.intersect(&inside)?;
            }
            let lattice = canonical.domain.affine_hull()?;
            origins = origins.intersect(&origins_inside(
                self.ctx(),
                &canonical.domain,
                &lattice,
                &boxes,
            )?)?;
            let nothing = vec![vec![Interval::EMPTY; self.c.n_space]; rows.len()];
            let (mut keep, mut keep_reused) = if live && arrays[stmt.write.array].shared.is_some() {
                (
                    footprint::keep_boxes(&self.flows[i], rows, None),
                    footprint::keep_boxes(&self.flows[i], rows, chain),
                )
            } else {
                (nothing.clone(), nothing.clone())
            };
            let overwritten = self.overwritten(i)?;
            // The boxes with reuse contain those without.
            let kept: Vec<RelativeBox> = (rows.iter().zip(&keep_reused))
                .filter(|(r, _)| r.slot == stmt.slot)
                .map(|(r, k)| RelativeBox {
                    t_in: r.t_in,
                    points: k.clone(),
                })
                .collect();
            let safe = origins_inside(self.ctx(), &overwritten, &lattice, &kept)?;
            let with_keep = origins.intersect(&safe)?;
            if with_keep.is_empty()? && !origins.is_empty()? {
                (keep, keep_reused) = (nothing.clone(), nothing);
            } else {
                origins = with_keep;
            }
            for (row, (keep, keep_reused)) in rows.iter_mut().zip(keep.into_iter().zip(keep_reused))
            {
                row.stmts[i] = StmtRow { keep, keep_reused };
            }
        }
        let origins = origins
            .intersect_params(&self.scop.context.params()?)?
            .coalesce()?;
        if origins.is_empty()? {
            return Ok(None);
        }
        let mut named = origins.gist_params(&self.scop.context.params()?)?;
        for (d, name) in self.c.names.iter().enumerate() {
            named = named.set_dim_name(DimType::Set, d as u32, &origin_name(name))?;
        }
        Ok(Some(self.build.expr_from_set(&named)?))
    }

    /// Instances of a statement whose element is written again later.
    fn overwritten(&self, stmt: usize) -> Result<Set> {
        let mut all = self.c.stmts[stmt].domain.empty_like()?;
        let output = |d: &&crate::deps::Dependence| d.kind == DepKind::Output && d.source == stmt;
        for dep in self.c.deps.iter().filter(output) {
            all = all.union(&dep.map.domain()?)?;
        }
        Ok(all.coalesce()?)
    }

    /// Origins whose boxes all lie strictly on one side of a thin domain.
    fn origins_outside(&self, domain: &Set, boxes: &[RelativeBox]) -> Result<Set> {
        let mut result = domain.empty_like()?;
        let universe = domain.universe_like()?;
        for d in 1..=self.c.n_space {
            let bounds = [
                (domain.dim_min(d as u32), "<"),
                (domain.dim_max(d as u32), ">"),
            ];
            for (bound, side) in bounds {
                let Ok(bound) = bound else { continue };
                // { x : x_d < min } over the whole space, the minimum being a
                // function of the parameters.
                let coordinate = universe.identity()?.to_pw_affs()?[d].clone();
                let bound = bound.insert_domain(&universe)?;
                let set = if side == "<" {
                    coordinate.lt_set(&bound)?
                } else {
                    coordinate.gt_set(&bound)?
                };
                result = result.union(&origins_inside(self.ctx(), &set, &universe, boxes)?)?;
            }
        }
        Ok(result.coalesce()?)
    }
}

/// Whether a set's affine hull fixes a combination of coordinates, as for a
/// boundary row; equalities with an existentially quantified variable are
/// strides and do not count.
fn is_lower_dimensional(hull: &Set) -> Result<bool> {
    if hull.is_empty()? {
        return Ok(true);
    }
    Ok((hull.constraints()?.iter())
        .any(|c| c.equality && c.dims.iter().any(|&x| x != 0) && c.divs.iter().all(|&x| x == 0)))
}

/// More than any GPU has.
const MAX_OFFSET: i64 = 1 << 40;

/// Lays the shared tiles out one after the other; returns the bytes used.
fn place(arrays: &mut [KernelArray]) -> i64 {
    let mut offset = 0;
    for array in arrays {
        if let Some(shared) = &mut array.shared {
            offset = (offset + SECTOR_BYTES - 1) / SECTOR_BYTES * SECTOR_BYTES;
            shared.byte_offset = offset;
            // Sizes given by the user may be absurd.
            let elements = (shared.dims.iter().rev().skip(1).map(SharedDim::size))
                .fold(shared.row_stride, i64::saturating_mul);
            let bytes = elements.saturating_mul(array.elem.size() as i64);
            offset = bytes.saturating_add(offset).min(MAX_OFFSET);
        }
    }
    offset
}

/// What a thread copies at most, and what the memory system moves at once: a sector of
/// the array that is not one in shared memory is moved in halves (docs/results.md).
const VECTOR_BYTES: i64 = 16;
const SECTOR_BYTES: i64 = 32;

/// Elements of at most so many bytes: the largest power of two that divides the tile
/// width, so that every tile starts at a multiple.
fn elements_of(bytes: i64, elem_bytes: i64, w: i64) -> i64 {
    let mut v = 1;
    while v * 2 * elem_bytes <= bytes && w % (v * 2) == 0 {
        v *= 2;
    }
    v
}

/// The classical dimension whose tiles follow each other directly in a block.
fn chain(schedule: &HybridSchedule) -> Option<usize> {
    let parallel = schedule.wavefront.as_ref().map(|w| w.dim);
    (schedule.classical.iter().rev())
        .map(|c| c.dim)
        .find(|dim| Some(*dim) != parallel)
}

/// Fills in the copies of all arrays; whether tiles of the chain reuse columns.
fn copies(
    arrays: &mut [KernelArray],
    uses: &[Vec<SliceUse>],
    schedule: &HybridSchedule,
    chain: Option<usize>,
    threads: i64,
) -> bool {
    let classical = chain.and_then(|dim| schedule.classical_dim(dim));
    let mut plain = Vec::new();
    let mut reusing = Vec::new();
    for (array, uses) in arrays.iter().zip(uses) {
        let Some(shared) = &array.shared else {
            plain.push(Vec::new());
            reusing.push(Some((Vec::new(), Vec::new())));
            continue;
        };
        let all = footprint::copy_in(shared, uses, threads);
        reusing.push(classical.and_then(|c| match shared.space_position(c.dim) {
            Some(at) => footprint::copy_in_chain(shared, uses, at, c.w, threads),
            // The same elements serve the whole chain.
            None => Some((all.clone(), Vec::new())),
        }));
        plain.push(all);
    }
    let reusing: Option<Vec<_>> = reusing.into_iter().collect();
    let reuse = reusing.is_some() && arrays.iter().any(|a| a.shared.is_some());
    let pairs = match reusing {
        Some(pairs) if reuse => pairs,
        _ => plain.into_iter().map(|all| (all, Vec::new())).collect(),
    };
    for (array, (first, next)) in arrays.iter_mut().zip(pairs) {
        if let Some(shared) = &mut array.shared {
            (shared.copy_in, shared.copy_next) = (first, next);
        }
    }
    reuse
}

/// Which dimensions the threads run along: the innermost and the next classical
/// one. The hexagonal dimension gets none unless it is the innermost, or rows per thread
/// divide it: a thread computes all its points, so that rows of hexagons unroll and
/// neighbours share what they load.
fn block_shape(
    rows: &[Row],
    schedule: &HybridSchedule,
    options: &LowerOptions,
    registers: i64,
) -> Block {
    let inner = schedule.n_space - 1;
    let widest = |d: usize| rows.iter().map(|r| r.points[d].len()).max().unwrap_or(1);
    let wanted = options.block;
    let [x, y] = if schedule.hex_dim == inner {
        let threads = (wanted[0] * wanted[1]).max(32);
        let y = (options.rows_per_thread).map_or(1, |n| schedule.thread_rows(n));
        let x = ((widest(inner) + 31) / 32 * 32).clamp(32, (threads / y).max(32));
        match options.rows_per_thread {
            Some(_) => [x, y],
            None => [x, threads / x],
        }
    } else {
        wanted
    };
    let mut threads = vec![(inner, x)];
    if let Some(second) = schedule.row_dim()
        && y > 1
    {
        threads.push((second, y.min(widest(second)).max(1)));
    }
    // A block that is alone on a multiprocessor waits at every barrier; two are faster
    // even with spills: by a fifth for fdtd2d with h = 5 and 384 threads.
    let size = threads.iter().map(|t| t.1).product();
    let alone = schedule.n_space == 2
        && min_blocks(registers, size) < 2
        && min_blocks(FEW_REGISTERS, size) >= 2;
    let shares_rows = threads.len() > 1 && threads[1].0 == schedule.hex_dim;
    let registers = match (shares_rows, alone) {
        (true, _) if registers == FEW_REGISTERS => SHARED_ROW_REGISTERS,
        (true, _) | (_, true) => FEW_REGISTERS,
        _ => registers,
    };
    Block { threads, registers }
}
