//! From kernels to text.
//!
//! Architecture invariant: nothing here decides what to compute; a decision
//! that needs a set or a dependence belongs in [`crate::kernel`] or before.

mod arguments;
mod cuda;
mod explain;
mod expr;
mod naive;
mod names;
mod program;
mod svg;
mod tiles;

pub use arguments::{Precision, pack_arguments};
pub use cuda::print_kernel;
pub use explain::explain;
pub use expr::ast_to_c;
pub use naive::{Naive, NaivePlan, naive_is_narrow, naive_plan, print_naive};
pub use program::{Instrument, Replacement, dump_function, program, reference_program};
pub use svg::{TilingPicture, tiling_svg};
pub use tiles::explain_tiles;
