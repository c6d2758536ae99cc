//! The passes again, for one region and many tile sizes.

use crate::clock::Clock;
use crate::diag::{Diagnostic, Result};
use crate::options::{Options, Tiling};
use crate::region::{Region, unit_name};
use crate::scop::SavedScop;
use crate::stream_size::StreamChoice;
use crate::tile_size::Choice;
use crate::tiling::TimeLoop;
use crate::tiling::hybrid::HybridKernel;
use crate::tiling::overlapped::StreamKernel;
use hexcc_isl::Ctx;
use hexcc_pet::deep::deeply;

/// A region whose tile sizes are tried out one after the other. What does not
/// depend on them is computed once.
pub struct Exploration<'a> {
    /// Names and loops.
    loops: Vec<(String, TimeLoop<'a>)>,
    ctx: &'a Ctx,
}

impl<'a> Exploration<'a> {
    fn first(&self) -> Result<&(String, TimeLoop<'a>)> {
        self.ctx.reset_operations();
        (self.loops.first()).ok_or_else(|| Box::new(Diagnostic::bug("no chunks")))
    }

    /// All tile sizes the model knows for the first time loop, best first.
    ///
    /// # Errors
    /// Those of [`compile`](crate::pipeline::compile).
    pub fn choices(&self, options: &Options) -> Result<Vec<Choice>> {
        let (_, time_loop) = self.first()?;
        time_loop.hybrid_sizes(options)
    }

    /// All sizes of overlapped tiles for the first time loop, the best of the model first;
    /// none where it does not apply.
    ///
    /// # Errors
    /// Those of [`compile`](crate::pipeline::compile).
    pub fn stream_choices(&self, options: &Options) -> Result<Vec<StreamChoice>> {
        let (name, time_loop) = self.first()?;
        time_loop.overlapped_sizes(name, options)
    }

    /// The kernels of overlapped tiling of all time loops with the sizes that the options
    /// give.
    ///
    /// # Errors
    /// Those of [`compile`](crate::pipeline::compile); HX0305 where it does not apply.
    pub fn stream_kernels(&self, options: &Options) -> Result<Vec<StreamKernel>> {
        self.ctx.reset_operations();
        let options = Options {
            tiling: Tiling::Overlapped,
            ..options.clone()
        };
        let mut clock = Clock::new(self.ctx);
        (self.loops.iter())
            .map(|(name, time_loop)| {
                let overlapped = time_loop.overlapped(name, &options, None, &mut clock)?;
                let none = || Box::new(Diagnostic::bug("no overlapped tiles"));
                overlapped.kernel.ok_or_else(none)
            })
            .collect()
    }

    /// The kernels of all time loops with the given options.
    ///
    /// # Errors
    /// Those of [`compile`](crate::pipeline::compile).
    pub fn kernels(&self, options: &Options) -> Result<Vec<HybridKernel>> {
        self.ctx.reset_operations();
        let mut clock = Clock::new(self.ctx);
        (self.loops.iter())
            .map(|(name, time_loop)| Ok(time_loop.hybrid(name, options, &mut clock)?.kernel))
            .collect()
    }
}

/// Analyses a scop and hands it to `work`. Time loops that cannot be tiled are
/// left out, as [`compile`](crate::pipeline::compile) does.
///
/// # Errors
/// Those of [`compile`](crate::pipeline::compile).
pub fn explore<R>(
    ctx: &Ctx,
    saved: &SavedScop,
    options: &Options,
    work: impl FnOnce(&Exploration) -> R,
) -> Result<R> {
    deeply(|| {
        let mut region = Region::new(ctx, saved, options, &mut Clock::new(ctx))?;
        let analyses = std::mem::take(&mut region.analyses);
        let mut loops = Vec::new();
        for analysis in &analyses {
            match TimeLoop::new(&region.scop, &saved.source, analysis, options) {
                Ok(time_loop) => {
                    let name = unit_name(saved.around(), &region.scop, loops.len(), options);
                    loops.push((name, time_loop));
                }
                Err(d) if d.is_bug() => return Err(d),
                Err(_) => {}
            }
        }
        Ok(work(&Exploration { loops, ctx }))
    })
}
