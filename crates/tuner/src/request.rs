//! What is asked for, and what the compiler makes of it.

use crate::cache::{self, Lookup};
use crate::error::{Error, Result, check_tiles, refused};
use crate::problem::{Problem, header_sizes};
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::kernel::Stencil;
use hexcc_compiler::known::Known;
use hexcc_compiler::options::Options;
use hexcc_compiler::scop::SavedScop;
use hexcc_gpu::Flags;
use hexcc_isl::Ctx;
use std::time::{Duration, Instant};

/// A stencil to be measured, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// What results call it.
    pub name: String,
    /// What is measured.
    pub stencil: SavedScop,
    /// How it is compiled. Its sizes are those of the problem, as far as they are given; others are chosen
    /// to fit the GPU. Tiles are measured even where single steps are predicted to be faster.
    pub options: Options,
    /// Fused multiply-add is allowed, in the baseline, too; `fast_math` of the options allows it as well.
    pub fmad: bool,
    /// Where sizes are looked up that an earlier search has found; they are not where absent.
    pub lookup: Option<Lookup>,
    /// Time that a search has, from [`Prepared::new`] on.
    pub budget: Duration,
    /// Timed runs of a benchmark, of which the median counts.
    pub samples: usize,
    /// A benchmark measures all kinds of kernels that the stencil can have.
    pub all_kernels: bool,
    /// A benchmark lets a profiler see some launches of each kernel ([`crate::profile`]).
    pub profiled: bool,
}

impl Request {
    /// A stencil with the options of a translation: a search of a minute, benchmarks of five runs.
    pub fn new(name: impl Into<String>, stencil: SavedScop) -> Request {
        Request {
            name: name.into(),
            stencil,
            options: Options::default(),
            fmad: false,
            lookup: None,
            budget: Duration::from_secs(60),
            samples: 5,
            all_kernels: false,
            profiled: false,
        }
    }

    /// Forgets the sizes of parameters that the stencil does not have, as where several stencils are
    /// given the same sizes.
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub fn forget_unknown_sizes(&mut self, ctx: &Ctx) -> Result<()> {
        if self.options.sizes.is_empty() {
            return Ok(());
        }
        let without = Options {
            sizes: Vec::new(),
            keep_tiles: true,
            ..self.options.clone()
        };
        let compiled = cache::compile(ctx, &self.stencil, &without, None, &Known::default());
        let compiled = compiled.map_err(refused(&self.stencil))?;
        let params = compiled.units.first().map(|unit| &unit.stencil().params);
        (self.options.sizes).retain(|(name, _)| params.is_some_and(|p| p.contains(name)));
        Ok(())
    }

    /// How NVRTC compiles kernels.
    pub(crate) fn flags(&self) -> Flags {
        Flags {
            fmad: self.fmad || self.options.fast_math,
            fast_math: self.options.fast_math,
        }
    }
}

/// A request whose stencil has been compiled.
pub struct Prepared {
    pub(crate) request: Request,
    pub(crate) ctx: Ctx,
    pub(crate) compiled: Compiled,
    pub(crate) began: Instant,
}

impl Prepared {
    /// Compiles the stencil of a request, with the sizes that a translation would take.
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub fn new(ctx: &Ctx, request: Request) -> Result<Prepared> {
        let began = Instant::now();
        let options = Options {
            keep_tiles: true,
            ..request.options.clone()
        };
        let (lookup, known) = (request.lookup.as_ref(), Known::default());
        let compiled = cache::compile(ctx, &request.stencil, &options, lookup, &known);
        let compiled = compiled.map_err(refused(&request.stencil))?;
        Ok(Prepared {
            request,
            ctx: ctx.clone(),
            compiled,
            began,
        })
    }

    /// What was asked for.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// What a translation would be, in tiles; with warnings, and how long each pass has taken.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The sizes that are measured on a GPU with this much memory.
    ///
    /// # Errors
    /// [`Error::NoTiles`], [`Error::Sizes`].
    pub fn problem(&self, memory: u64) -> Result<Problem> {
        check_tiles(&self.compiled).map_err(Error::NoTiles)?;
        let kernels: Vec<&Stencil> = self.compiled.units.iter().map(|u| u.stencil()).collect();
        let defaults = header_sizes(&self.request.stencil.source.text);
        let given = self.request.options.sizes.iter().cloned().collect();
        Problem::choose(&kernels, &given, &defaults, memory / 4).map_err(Error::Sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::NoTiles;
    use hexcc_compiler::options::Tiling;

    fn request() -> Request {
        let text = include_str!("../../compiler/tests/data/jacobi2d.scop.json");
        let stencil = SavedScop::parse(text).expect("a saved scop");
        Request::new("jacobi2d", stencil)
    }

    fn ctx() -> Ctx {
        Ctx::new().expect("memory for a context")
    }

    #[test]
    fn sizes_are_those_given_and_others_fit() {
        let mut request = request();
        request.options.sizes = vec![("T".to_string(), 20)];
        let prepared = Prepared::new(&ctx(), request).expect("it compiles");
        let problem = prepared.problem(4 << 30).expect("sizes that fit");
        assert_eq!(problem.to_string(), "N=8192,T=20");
    }

    #[test]
    fn sizes_of_other_stencils_are_forgotten() {
        let mut request = request();
        let sizes = [("NX".to_string(), 100), ("T".to_string(), 20)];
        request.options.sizes = sizes.to_vec();
        let refused = Prepared::new(&ctx(), request.clone());
        assert!(matches!(refused, Err(Error::Refused { .. })));
        let forgotten = request.forget_unknown_sizes(&ctx());
        assert!(forgotten.is_ok());
        assert_eq!(request.options.sizes, sizes[1..]);
    }

    #[test]
    fn what_has_no_tiles_is_not_measured() {
        let mut request = request();
        request.options.tiling = Tiling::Stepwise;
        let prepared = Prepared::new(&ctx(), request).expect("it compiles");
        let problem = prepared.problem(1 << 30);
        assert!(matches!(problem, Err(Error::NoTiles(NoTiles::SingleSteps))));
    }
}
