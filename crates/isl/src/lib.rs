//! Safe owned types over isl, the integer set library.
//!
//! Every method borrows its arguments, and gives a new object or an [`Error`]; isl's reference
//! counts make that cheap. An error leaves all objects usable. Nothing is ever printed.
//!
//! ```
//! use hexcc_isl::{Ctx, Set};
//! # fn main() -> hexcc_isl::Result<()> {
//! let ctx = Ctx::new()?;
//! let a = Set::read(&ctx, "[N] -> { S[i] : 0 <= i < N }")?;
//! let b = Set::read(&ctx, "[N] -> { S[i] : i >= 10 }")?;
//! assert_eq!(a.intersect(&b)?.to_string(), "[N] -> { S[i] : 10 <= i < N }");
//! # Ok(())
//! # }
//! ```
//!
//! # Architecture invariant
//!
//! There is no stencil knowledge here: no tiles, no cones, no schedules of a particular shape.
//! There are no files, processes or environment either. The crate is the only one that sees isl
//! pointers, and none of them leaves it. `ffi.rs` declares isl's functions, `ctx.rs` is the only
//! place that turns isl's outcomes into results, and `object.rs` the only one that owns pointers.
//!
//! # Limits
//!
//! Objects are neither `Send` nor `Sync`: isl's reference counts are not atomic.
//!
//! ```compile_fail
//! fn shareable<T: Send>() {}
//! shareable::<hexcc_isl::Set>();
//! ```
//!
//! Positions and counts of dimensions are `u32`.

mod ast;
mod ctx;
mod error;
mod ffi;
mod flow;
mod map;
mod notation;
mod object;
mod pw_aff;
mod set;
mod stop;
mod union;
mod value;

pub use ast::{AstBuild, AstExpr, AstNode, AstOp};
pub use ctx::Ctx;
pub use error::{Error, Result};
pub use flow::{Flow, compute_flow};
pub use map::Map;
pub use notation::{is_keyword, tuple_names};
pub use pw_aff::{MultiPwAff, PwAff};
pub use set::{Constraint, Set};
pub use stop::Stopper;
pub use union::{UnionMap, UnionSet};
pub use value::{Bound, DimType, Rational};
