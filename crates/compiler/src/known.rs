//! What was read and compiled to see whether it can be, and need not be once more.

use crate::back::{Files, Stays};
use crate::clock::Clock;
use crate::compiled::{Compiled, TiledNest};
use crate::diag::{Diagnostic, Result};
use crate::nests::{Tried, named, tiles_exactly};
use crate::options::Options;
use crate::pipeline;
use crate::region::{self, Asked, Region, unit_name};
use crate::scop::{self, SavedScop, Scop};
use crate::stepwise;
use hexcc_isl::Ctx;
use hexcc_pet::data::PetScop;
use std::cell::RefCell;
use std::time::Instant;

/// Regions of a program that have been judged, and nests that have been compiled in single steps, with the
/// options that they have been.
#[derive(Default)]
pub struct Known {
    options: Options,
    nests: RefCell<Vec<Nest>>,
    scops: RefCell<Vec<Built>>,
    regions: RefCell<Vec<Analyzed>>,
    whole: RefCell<Option<Whole>>,
    tiled: RefCell<Vec<Tiled>>,
}

/// A region as pet has read it, and the text that it is in.
struct Read {
    text: String,
    scop: PetScop,
}

impl Read {
    fn new(saved: &SavedScop) -> Read {
        Read {
            text: saved.source.text.clone(),
            scop: saved.scop.clone(),
        }
    }

    fn is_of(&self, saved: &SavedScop) -> bool {
        self.scop == saved.scop && self.text == saved.source.text
    }
}

/// The tiles of a nest with some options, apart from a name, or why it has none.
struct Tiled {
    read: Read,
    options: Options,
    nest: Tried<TiledNest>,
}

/// What has come of a region that is no nest with some options.
struct Whole {
    read: Read,
    options: Options,
    compiled: Compiled,
}

/// The context that a region is in, and what [`scop::build`] makes of it.
struct Built {
    ctx: Ctx,
    read: Read,
    built: Result<Scop>,
}

/// A region with its dependences, and what they have been asked for.
struct Analyzed {
    ctx: Ctx,
    read: Read,
    asked: Asked,
    region: Region,
}

/// What has come of a nest.
struct Nest {
    read: Read,
    compiled: Result<Compiled>,
}

/// Compiles a scop of which nothing is known.
///
/// # Errors
/// Those of [`pipeline::compile_with`].
pub fn compile(ctx: &Ctx, saved: &SavedScop, options: &Options) -> Result<Compiled> {
    pipeline::compile_with(ctx, saved, options, &Known::default())
}

/// Whether some top-level loop of a scop is a stencil's time loop, as far as dependences say; the scop is
/// known then.
///
/// # Errors
/// The refusal of the largest one.
pub fn judge(ctx: &Ctx, saved: &SavedScop, options: &Options, known: &Known) -> Result<()> {
    let began = Instant::now();
    let judged = Region::known(ctx, saved, options, &mut Clock::new(ctx), known);
    tracing::debug!(elapsed = ?began.elapsed(), "a region is judged");
    let judged = judged.and_then(|region| match region.analyses.is_empty() {
        true => Err(region.refusal()),
        false => Ok(ctx.check()?),
    });
    judged.map_err(|d| region::placed(ctx, saved, d))
}

/// What is known of the tiles of a time loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InTiles {
    /// There are none.
    Not,
    /// There are some, perhaps not for all sizes.
    ForSomeSizes,
    /// They are made for all sizes.
    ForAllSizes,
}

/// Whether a region has arrays that nothing outside sees, which was not known where it was compiled before.
fn has_own(saved: &SavedScop) -> bool {
    let region = saved.scop.span.start..saved.scop.span.end;
    !saved.is_nests() && saved.own.iter().any(|own| own.is_of(&region))
}

fn without_name(options: &Options) -> Options {
    Options {
        name: None,
        ..options.clone()
    }
}

impl Known {
    /// None yet.
    pub fn new(options: Options) -> Known {
        Known {
            options,
            ..Known::default()
        }
    }

    /// The context that a region has been judged in, with all of its operations before it.
    pub fn context(&self, saved: &SavedScop) -> Option<Ctx> {
        let scops = self.scops.borrow();
        let ctx = scops
            .iter()
            .find(|known| known.read.is_of(saved))?
            .ctx
            .clone();
        ctx.reset_operations();
        Some(ctx)
    }

    /// What [`scop::build`] makes of a region.
    pub(crate) fn built(&self, ctx: &Ctx, saved: &SavedScop) -> Result<Scop> {
        let mut scops = self.scops.borrow_mut();
        let is_it = |known: &&Built| known.ctx.is_same(ctx) && known.read.is_of(saved);
        if let Some(known) = scops.iter().find(is_it) {
            return known.built.clone();
        }
        let built = scop::build(ctx, &saved.source, &saved.scop);
        scops.push(Built {
            ctx: ctx.clone(),
            read: Read::new(saved),
            built: built.clone(),
        });
        built
    }

    /// A region that has been analyzed in the same context.
    pub(crate) fn region(&self, ctx: &Ctx, saved: &SavedScop, asked: Asked) -> Option<Region> {
        let regions = self.regions.borrow();
        let is_it = |known: &&Analyzed| {
            known.asked == asked && known.ctx.is_same(ctx) && known.read.is_of(saved)
        };
        Some(regions.iter().find(is_it)?.region.clone())
    }

    /// Remembers a region.
    pub(crate) fn keep_region(&self, ctx: &Ctx, saved: &SavedScop, asked: Asked, region: &Region) {
        self.regions.borrow_mut().push(Analyzed {
            ctx: ctx.clone(),
            read: Read::new(saved),
            asked,
            region: region.clone(),
        });
    }

    /// Whether a nest has few iterations, whatever the sizes are; `false` for one that is refused.
    pub fn has_few(&self, ctx: &Ctx, nest: &SavedScop) -> bool {
        let built = self.built(ctx, nest);
        built.is_ok_and(|scop| stepwise::has_few(&scop).unwrap_or(false))
    }

    /// Compiles a nest in a loop that stays on the host in single steps, and remembers it; gives what
    /// `of` says of it.
    ///
    /// # Errors
    /// Those of [`pipeline::compile`].
    pub fn compile<T>(
        &self,
        ctx: &Ctx,
        nest: &SavedScop,
        of: impl FnOnce(&Compiled) -> T,
    ) -> Result<T> {
        let is_it = |known: &&Nest| known.read.is_of(nest);
        if let Some(known) = self.nests.borrow().iter().find(is_it) {
            return known.compiled.as_ref().map(of).map_err(Clone::clone);
        }
        let options = stepwise::options(&self.options);
        let compiled = pipeline::compile_with(ctx, nest, &options, self);
        let said = compiled.as_ref().map(of).map_err(Clone::clone);
        self.nests.borrow_mut().push(Nest {
            read: Read::new(nest),
            compiled,
        });
        said
    }

    /// Compiles a region that is no nest, and remembers the last one; gives what `of` says of it.
    ///
    /// # Errors
    /// Those of [`pipeline::compile`].
    pub fn compile_whole<T>(
        &self,
        ctx: &Ctx,
        region: &SavedScop,
        options: &Options,
        of: impl FnOnce(&Compiled) -> T,
    ) -> Result<T> {
        let compiled = pipeline::compile_with(ctx, region, options, self)?;
        let said = of(&compiled);
        *self.whole.borrow_mut() = Some(Whole {
            read: Read::new(region),
            options: options.clone(),
            compiled,
        });
        Ok(said)
    }

    /// Whether all arrays of nests stay on a device of OpenCL during the loop of the host that runs them.
    ///
    /// # Errors
    /// Those of [`pipeline::compile`].
    pub fn stay(&self, ctx: &Ctx, saved: &SavedScop) -> Result<bool> {
        let mut parts = Vec::new();
        for scop in saved.regions() {
            let nest = SavedScop {
                scop: scop.clone(),
                nests: Vec::new(),
                ..saved.clone()
            };
            let of = |c: &Compiled| {
                let parts = c.stepwise.iter();
                parts
                    .map(|p| (p.span.clone(), p.interface.clone()))
                    .collect::<Vec<_>>()
            };
            parts.extend(self.compile(ctx, &nest, of)?);
        }
        let used: Vec<_> = parts.iter().map(|(span, i)| (span.clone(), i)).collect();
        let text = saved.source.own_text();
        let stays = Stays::new(text, &saved.defines, (&used, Files::One));
        Ok(parts.iter().all(|(span, _)| stays.holds(span)))
    }

    /// Whether the time loop at a place is tiled: as a region, or with the results of C as a nest beside what stays on the host.
    ///
    /// # Errors
    /// A broken invariant, and the end of the time that there is; of a region those of [`pipeline::compile`].
    pub fn in_tiles(
        &self,
        ctx: &Ctx,
        saved: &SavedScop,
        options: &Options,
        at: usize,
    ) -> Result<InTiles> {
        let Some((index, scop)) = saved.region_at(at) else {
            return Ok(InTiles::Not);
        };
        if !saved.is_nests() {
            return self.compile_whole(ctx, saved, options, |c| {
                let mut units = c.units.iter();
                let suit_all = units.all(|unit| unit.stencil().suits_all_sizes());
                match (c.units.is_empty(), suit_all) {
                    (true, _) => InTiles::Not,
                    (_, true) => InTiles::ForAllSizes,
                    (_, false) => InTiles::ForSomeSizes,
                }
            });
        }
        let nest = SavedScop {
            scop: scop.clone(),
            nests: Vec::new(),
            ..saved.clone()
        };
        Ok(match tiles_exactly(ctx, &nest, (index, self), options)? {
            Some(true) => InTiles::ForSomeSizes,
            _ => InTiles::Not,
        })
    }

    /// What has come of a region with these options, if that is known.
    pub(crate) fn take_whole(&self, region: &SavedScop, options: &Options) -> Option<Compiled> {
        let is_it = |known: &mut Whole| {
            known.options == *options && known.read.is_of(region) && !has_own(region)
        };
        Some(self.whole.borrow_mut().take_if(is_it)?.compiled)
    }

    /// The tiles of a nest, or that it has none, where that is known for these options.
    pub(crate) fn take_tiled(
        &self,
        saved: &SavedScop,
        options: &Options,
    ) -> Option<Option<TiledNest>> {
        let mut tiled = self.tiled.borrow_mut();
        let nameless = without_name(options);
        let is_called = |nest: &TiledNest| {
            let name = &nest.unit.stencil().name;
            options.name.as_ref().is_none_or(|wanted| wanted == name)
        };
        let is_it = |known: &Tiled| {
            known.options == nameless
                && known.read.is_of(saved)
                && known.nest.as_ref().ok().is_none_or(is_called)
        };
        let at = tiled.iter().position(is_it)?;
        match tiled[at].nest.is_ok() {
            true => Some(tiled.swap_remove(at).nest.ok()),
            false => Some(None),
        }
    }

    /// Why the time loop at a place, one that swaps pointers, has no tiles: of its text without the swap.
    pub fn why_planes_have_none(&self, at: usize) -> Option<Diagnostic> {
        let tiled = self.tiled.borrow();
        let mut there = (tiled.iter()).filter(|known| {
            let Read { text, scop } = &known.read;
            let before = text.get(scop.span.start..at);
            scop.rotation.is_some() && before.is_some_and(|indent| indent.trim().is_empty())
        });
        there.find_map(|known| known.nest.as_ref().err()?.as_deref().cloned())
    }

    /// Remembers the tiles of a nest, or that it has none.
    pub(crate) fn keep_tiled(&self, saved: &SavedScop, options: &Options, nest: Tried<TiledNest>) {
        self.tiled.borrow_mut().push(Tiled {
            read: Read::new(saved),
            options: without_name(options),
            nest,
        });
    }

    /// What has come of a nest, the one of this number; `None` where that is not known for these options.
    pub(crate) fn take(
        &self,
        nest: &SavedScop,
        index: usize,
        options: &Options,
    ) -> Option<Compiled> {
        let mut nests = self.nests.borrow_mut();
        let is_it = |known: &Nest| known.read.is_of(nest);
        let at = nests.iter().position(is_it)?;
        if !options.steps_like(&self.options) || has_own(nest) {
            return None;
        }
        let mut compiled = nests.swap_remove(at).compiled.ok()?;
        let options = named(nest, index, options);
        for (i, part) in compiled.stepwise.iter_mut().enumerate() {
            let name = unit_name(nest.around(), &compiled.scop, i, &options);
            part.program.name.clone_from(&name);
            part.interface.name = name;
        }
        Some(compiled)
    }
}
