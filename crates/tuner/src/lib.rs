//! Measurements on a GPU: the search for the best sizes of tiles, benchmarks beside one thread per cell,
//! the cache of what was found, and the comparison of the results of two programs. It is what
//! `hexcc tune`, `hexcc bench` and `hexcc run` do without a command line.
//!
//! A [`Request`] says what is measured: a stencil, options of the compiler, time and sizes. [`Prepared`] is
//! its stencil compiled, which needs no GPU. [`Prepared::search`] asks the model for points, [`Search::run`]
//! measures them on a [`Workbench`], and [`bench()`] measures what a translation would be. Results are
//! data ([`report`]), with their forms as JSON lines, tables and a page.
//!
//! | module | holds |
//! |---|---|
//! | [`problem`] | the sizes that are measured: given, of a header comment, or chosen to fit the GPU |
//! | [`variant`] | what a search varies, as options spell it |
//! | [`launch`] | kernels of a region on arrays that a program has |
//! | `measure` | kernels and arrays on a GPU: the baseline, tiled variants, times |
//! | `single` | single steps, launched as the host code of a translation does |
//! | `search` | candidates, compiled by all processors and measured one after the other |
//! | `bench` | rows of a benchmark |
//! | [`cache`] | what a search has found, kept per GPU, scop and options |
//! | [`compare`] | the arrays that two programs leave behind |
//! | [`report`] | results, and what is written of them |
//! | [`files`] | files that are there as a whole or not at all |
//!
//! ```no_run
//! use hexcc_compiler::scop::SavedScop;
//! use hexcc_isl::Ctx;
//! use hexcc_tuner::{Event, Outcome, Prepared, Request, Workbench};
//! use std::ops::ControlFlow;
//! use std::sync::atomic::AtomicBool;
//! use std::time::Duration;
//!
//! // What `hexcc --emit scop` has written.
//! let stencil = SavedScop::parse(&std::fs::read_to_string("heat.scop.json")?)?;
//! let mut request = Request::new("heat", stencil);
//! request.options.sizes = vec![("N".to_string(), 8192)];
//! request.budget = Duration::from_secs(30);
//!
//! let prepared = Prepared::new(&Ctx::new()?, request)?;
//! let bench = Workbench::open(None)?;
//! let search = prepared.search(&bench)?;
//! let tuning = search.run(&bench, &AtomicBool::new(false), &mut |event| {
//!     if let Event::Point(point) = event {
//!         println!("{}: {:?} GCell/s", point.variant, point.measured);
//!     }
//!     ControlFlow::Continue(())
//! })?;
//! if let Outcome::Best(best) = tuning.outcome() {
//!     println!("the best is {}", best.variant);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Architecture invariant: nothing is printed, no argument of a command line is known, and files are
//! those of the cache only. What goes on is told by callbacks.

mod bench;
pub mod cache;
pub mod compare;
mod error;
pub mod files;
pub mod hash;
pub mod launch;
mod measure;
pub mod problem;
pub mod profile;
pub mod report;
mod request;
mod search;
mod single;
pub mod variant;

pub use bench::{bench, predict};
pub use error::{Error, NoTiles, Result, check_tiles};
pub use measure::{Text, Workbench};
pub use request::{Prepared, Request};
pub use search::{Event, Kept, Outcome, Search, Tuning, Watch};

/// Version of hexcc, as it stands in results.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
