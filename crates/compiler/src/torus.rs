//! Time loops on a ring or a torus in tiles: those of the program that [`crate::periodic`] makes of them.

use crate::clock::Clock;
use crate::compiled::{Periodic, Sides, TiledNest, Unit};
use crate::cost;
use crate::diag::Result;
use crate::interface::Interface;
use crate::kernel::stream;
use crate::nests::where_possible;
use crate::options::{Language, Options, Tiling};
use crate::periodic::{Ring, Torus};
use crate::region::{Region, tile, unit_name};
use crate::scop::{Around, ArrayId, Chunk, Scop, Statement};
use crate::tiling::overlapped::StreamKernel;
use crate::tiling::{Analysis, Kernel};
use crate::updates;
use hexcc_isl::AstBuild;
use std::borrow::Cow;

/// Arrays, and what the device has of each along the dimensions of space.
type OfArrays = (Vec<ArrayId>, Vec<Vec<Sides>>);

/// Time steps of a launch, at most, before it is known how many it has.
const MOST_STEPS: i64 = 32;

/// The time loop of a region on a torus, in overlapped tiles; `None` where it is on none, or where these do not apply.
///
/// # Errors
/// A broken invariant, and the end of the time that there is.
pub(crate) fn on_torus(
    region: &Region,
    around: Around,
    options: &Options,
) -> Result<Option<TiledNest>> {
    let wanted = matches!(options.tiling, Tiling::Auto | Tiling::Overlapped);
    let scop = &region.scop;
    let is_whole = scop.guards.doubts.is_empty() && scop.cells.is_empty();
    // Steps that are followed by ghost cells are apart from what fills these.
    let may_be = around.source.is_followed(&scop.region) || !region.has_no_time_loop();
    if options.language != Language::Cuda || !is_whole || !wanted || !may_be {
        return Ok(None);
    }
    // A region that is refused otherwise has its updates apart.
    let made = updates::fused(scop).and_then(|fused| match fused {
        Some(fused) => of_scop(&fused, around, options),
        None => Ok(None),
    });
    match where_possible(&scop.ctx, made)? {
        None => where_possible(&scop.ctx, of_scop(scop, around, options)),
        made => Ok(made),
    }
}

/// The time loop of a scop on a torus.
fn of_scop(scop: &Scop, around: Around, options: &Options) -> Result<Option<TiledNest>> {
    let mut chunks = scop.chunks.iter().filter(|c| !c.stmts.is_empty());
    let (Some(chunk), None) = (chunks.next(), chunks.next()) else {
        return Ok(None);
    };
    let Some(ring) = OnRing::of(scop, chunk, around)? else {
        return Ok(None);
    };
    as_few_beside(|steps| ring.in_tiles(around, options, steps))
}

/// What `made` makes with cells beside a domain for launches of so many steps, and how many steps its launches have: as few cells as
/// the launch of most steps needs, whose steps are chosen with too many.
pub(crate) fn as_few_beside(
    made: impl Fn(i64) -> Result<Option<(TiledNest, i64)>>,
) -> Result<Option<TiledNest>> {
    let Some((nest, steps)) = made(MOST_STEPS)? else {
        return Ok(None);
    };
    Ok(Some(match made(steps)? {
        Some((exact, again)) if again <= steps => exact,
        _ => nest,
    }))
}

/// A time loop on a torus.
pub(crate) struct OnRing<'a> {
    pub torus: Torus,
    /// Its arrays are the torus, perhaps without the ghost cells that the program has.
    scop: Cow<'a, Scop>,
    chunk: Cow<'a, Chunk>,
    /// What the program has: its arrays, and the statements that are tiled.
    program: Cow<'a, Scop>,
    stmts: Vec<Statement>,
    /// By array, the program's first cell along each dimension.
    first: Vec<Vec<i64>>,
}

impl<'a> OnRing<'a> {
    fn of(scop: &'a Scop, chunk: &'a Chunk, around: Around) -> Result<Option<OnRing<'a>>> {
        if !around.source.is_followed(&chunk.span) {
            let torus = Torus::find(scop, chunk)?;
            return Ok(torus.map(|torus| OnRing::on(torus, scop, chunk)));
        }
        let Some(ring) = Ring::of(scop, chunk)? else {
            return Ok(None);
        };
        let torus = Torus::find(&ring.scop, &ring.chunk)?;
        Ok(torus.map(|torus| OnRing {
            torus,
            scop: Cow::Owned(ring.scop),
            chunk: Cow::Owned(ring.chunk),
            program: Cow::Owned(ring.program),
            stmts: ring.own,
            first: ring.first,
        }))
    }

    /// A loop whose arrays are the torus.
    pub(crate) fn on(torus: Torus, scop: &'a Scop, chunk: &'a Chunk) -> OnRing<'a> {
        OnRing {
            torus,
            scop: Cow::Borrowed(scop),
            chunk: Cow::Borrowed(chunk),
            program: Cow::Borrowed(scop),
            stmts: (chunk.stmts.iter().map(|&s| scop.stmts[s].clone())).collect(),
            first: (scop.arrays.iter().map(|a| vec![0; a.extents.len()])).collect(),
        }
    }

    /// In tiles, with cells beside the domain for launches of so many steps; and how many steps launches have.
    fn in_tiles(
        &self,
        around: Around,
        options: &Options,
        steps: i64,
    ) -> Result<Option<(TiledNest, i64)>> {
        let (torus, scop, chunk) = (&self.torus, &*self.scop, &*self.chunk);
        let options = Options {
            tiling: Tiling::Overlapped,
            ..options.clone()
        };
        let halo = steps * torus.reach;
        let Some(lifted) = torus.lifted(scop, halo)? else {
            return Ok(None);
        };
        let mut clock = Clock::new(&scop.ctx);
        let analysis = Analysis::new(&lifted, around.source, (chunk, None), &options, &mut clock)?;
        let name = unit_name(around, scop, 0, &options);
        let tiled = tile(
            &lifted,
            around.source,
            &analysis,
            &name,
            &options,
            &mut clock,
        )?;
        clock.end()?;
        let mut unit = Unit { analysis, tiled };
        let beside = torus.beside(scop, halo);
        let Some(periodic) = self.periodic(&mut unit, &beside)? else {
            return Ok(None);
        };
        let instances = unit
            .stream()
            .map(StreamKernel::instances)
            .unwrap_or_default();
        let most = instances.iter().map(|instance| instance.steps).max();
        let nest = TiledNest {
            scop: lifted,
            unit,
            periodic: Some(periodic),
            slabs: None,
        };
        Ok(most.filter(|&most| most <= steps).map(|most| (nest, most)))
    }

    /// What the program has, and, for the kernel, what goes around; `None` where the kernel does not take it.
    fn periodic(&self, unit: &mut Unit, beside: &[Vec<i64>]) -> Result<Option<Periodic>> {
        let Some((found, sides)) = self.goes_around(unit, beside)? else {
            return Ok(None);
        };
        let Kernel::Overlapped(kernel, _) = &mut unit.tiled.kernel else {
            return Ok(None);
        };
        let (scop, stencil) = (&*self.program, kernel.stencil_mut());
        let stmts: Vec<_> = self.stmts.iter().collect();
        let arrays = (found.as_slice(), stencil.arrays.clone());
        let interface = Interface {
            planes: stencil.planes.clone(),
            work: cost::of_time_loop(scop, &stmts),
            ..Interface::new(
                scop,
                &stencil.name,
                (&stmts, &[]),
                arrays,
                stencil.scalars.clone(),
            )?
        };
        stencil.interface.nonempty = interface.nonempty.clone();
        Ok(Some(Periodic { interface, sides }))
    }

    /// Has the kernel go around. Its arrays in the program, and what the device has of each; `None` where it does not take that.
    pub(crate) fn goes_around(
        &self,
        unit: &mut Unit,
        beside: &[Vec<i64>],
    ) -> Result<Option<OfArrays>> {
        let scop = &*self.program;
        let Kernel::Overlapped(kernel, _) = &mut unit.tiled.kernel else {
            return Ok(None);
        };
        let (fields, pipeline, stencil, goes) = match kernel {
            StreamKernel::Rows(ir) => {
                let fields: Vec<usize> = ir.fields.iter().map(|f| f.array).collect();
                (fields, &ir.pipeline, &ir.stencil, &mut ir.around)
            }
            StreamKernel::Planes(ir) => (vec![ir.array], &ir.pipeline, &ir.stencil, &mut ir.around),
        };
        let n_space = pipeline.n_space;
        let by_name = |name: &str| scop.arrays.iter().position(|a| a.name == name);
        let found: Option<Vec<usize>> = stencil.arrays.iter().map(|a| by_name(&a.name)).collect();
        let Some(found) = found else {
            return Ok(None);
        };
        let beside: Vec<Vec<i64>> = found.iter().map(|&a| beside[a].clone()).collect();
        // The last dimensions of every array are those of space, and all go around alike.
        let mut spaces = beside
            .iter()
            .map(|b| b.split_at(b.len().saturating_sub(n_space)));
        let Some((_, first)) = spaces.clone().next() else {
            return Ok(None);
        };
        let is_alike = spaces.all(|(outer, space)| outer.iter().all(|&n| n == 0) && space == first);
        let is_flat = (0..beside.len()).all(|a| fields.contains(&a) || beside[a].len() == n_space);
        // Layers of the program are those of the domain: what copies them counts them so.
        let has_ghosts = |&a: &usize| self.first[a].iter().any(|&first| first != 0);
        let in_rows = stencil.arrays.iter().any(|a| a.rows.is_some());
        let is_deep = n_space > 2 && (in_rows || found.iter().any(has_ghosts));
        if !is_alike || !is_flat || is_deep {
            return Ok(None);
        }
        *goes = Some(stream::Around {
            beside: first.to_vec(),
            rim: self.torus.rim,
        });
        let sides = (found.iter())
            .map(|&array| self.sides(array, first))
            .collect::<Result<_>>()?;
        let ids = found.iter().map(|&a| ArrayId(a as u32)).collect();
        Ok(Some((ids, sides)))
    }

    /// What the device has of an array, with so many cells beside it along the dimensions of space.
    fn sides(&self, array: usize, beside: &[i64]) -> Result<Vec<Sides>> {
        let build = AstBuild::from_context(&self.scop.context)?;
        let extents = &self.scop.arrays[array].extents;
        let outer = extents.len() - beside.len();
        let all = extents
            .iter()
            .zip(&self.first[array])
            .skip(outer)
            .zip(beside);
        all.map(|((cells, &first), &beside)| {
            Ok(Sides {
                first,
                cells: build.expr_from_pw_aff(cells)?,
                beside,
            })
        })
        .collect()
    }
}
