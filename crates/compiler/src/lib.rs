//! The hexcc compiler as a library: a stencil in C to CUDA under a hybrid
//! hexagonal/classical schedule (Grosser, Cohen, Holewinski, Sadayappan,
//! Verdoolaege, CGO 2014).
//!
//! Stencils come from C, by way of pet ([`scop::SavedScop`], which the `hexcc` command makes of a file and
//! [`pipeline::compile`] takes), or from a program ([`stencil`]):
//!
//! ```
//! use hexcc_compiler::ctype::CType;
//! use hexcc_compiler::options::Options;
//! use hexcc_compiler::output;
//! use hexcc_compiler::scop::Expr;
//! use hexcc_compiler::stencil::StencilBuilder;
//! use hexcc_isl::Ctx;
//!
//! let ctx = Ctx::new()?;
//! let mut mean = StencilBuilder::new(&ctx, "mean", &["N", "T"], "N >= 0")?;
//! let a = mean.array("A", CType::Float, &["2", "N"])?;
//! let mut next = mean.statement("next", &["t", "i"], "0 <= t < T and 1 <= i < N - 1")?;
//! let sum = next.read(a, &["t mod 2", "i - 1"])? + next.read(a, &["t mod 2", "i + 1"])?;
//! next.write(a, &["(t + 1) mod 2", "i"], Expr::from(0.5f32) * sum)?;
//!
//! let stencil = mean.build()?;
//! let compiled = stencil.compile(&Options::default()).map_err(|d| d.message)?;
//! let cuda = output::print_stencil(&stencil, &compiled, "0.1.0").map_err(|d| d.message)?;
//! assert!(cuda.contains("namespace hexcc_mean"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Data flows one way, each module using only those before it:
//!
//! | module | makes |
//! |---|---|
//! | [`diag`], [`ctype`], [`csource`] | diagnostics, C's types, C's text |
//! | [`front`] | which loop of a C file is meant, and what pet needs to read it |
//! | [`scop`] | arrays, statements and expressions from pet's data |
//! | [`temporaries`] | scalar temporaries moved into their readers |
//! | [`carried`] | scalars that stay, as arrays of one element |
//! | [`canonical`], [`deps`] | coordinates `[t, s..]`, dependences, the cone |
//! | [`sched`] | hexagon, classical tiles, the hybrid schedule, its proof |
//! | [`quotient`] | divisions by constants, as products |
//! | [`rows`] | which elements a part touches of rows behind pointers |
//! | [`interface`] | what a replaced part takes from the program and leaves there |
//! | [`kernel`] | what a tile loads, computes and stores |
//! | [`target`], [`model`] | what a GPU can do, predicted time of a kernel |
//! | [`tile_size`], [`stream_size`] | candidates and the choice of sizes |
//! | [`options`] | what the user may choose |
//! | [`tiling`], [`compiled`] | hybrid and overlapped tiling, from sizes to a proven kernel; the results |
//! | `region` | a region up to the dependences of its loops |
//! | [`ir`] | a generated program as data, its contract and its verifier |
//! | [`lower`] | programs from plans of single steps |
//! | [`stepwise`], `nests` | a region, or the nests in a loop that stays on the host, in single steps |
//! | [`pipeline`], [`explore`] | the list of passes, for one choice of sizes and for many |
//! | [`mod@stencil`] | stencils that a program builds, without C |
//! | [`mod@print`] | a program's text in CUDA, or in C with OpenMP |
//! | [`back`], [`report`] | CUDA text and the rewritten program; what is told of them |
//! | [`output`] | the texts of a compilation |
//!
//! Architecture invariant: no file, process or GPU access, and no panic on
//! anything a user can influence.

pub mod back;
pub mod canonical;
pub mod carried;
pub mod causes;
mod clock;
pub mod compiled;
pub mod cost;
pub mod csource;
pub mod ctype;
pub mod deps;
pub mod diag;
pub mod explore;
pub mod front;
mod instances;
pub mod interface;
pub mod ir;
pub mod kernel;
pub mod known;
pub mod lower;
pub mod model;
mod narrowing;
pub mod nests;
pub mod options;
pub mod output;
pub mod patch_size;
pub mod periodic;
pub mod pipeline;
pub mod precision;
pub mod preference;
pub mod print;
pub mod quotient;
pub mod reach;
mod region;
pub mod report;
pub mod rows;
pub mod sched;
pub mod scop;
pub mod slabs;
pub mod stencil;
pub mod step_time;
pub mod stepwise;
pub mod stream_size;
pub mod target;
pub mod temporaries;
pub mod tile_size;
pub mod tiling;
mod torus;
mod updates;
pub mod warp_size;
