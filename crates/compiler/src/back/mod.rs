//! From kernels to text.
//!
//! Architecture invariant: nothing here decides what to compute; a decision
//! that needs a set or a dependence belongs in [`crate::kernel`] or before.

mod ahead;
mod anywhere;
mod arguments;
mod beside;
mod blocks;
mod cells;
mod conversions;
mod devices;
mod existing;
mod expr;
mod fallback;
mod gate;
mod in_place;
mod known;
mod known_rows;
mod managed;
mod naive;
pub(crate) mod names;
mod parts;
mod pragmas;
mod program;
mod resident;
mod results;
pub(crate) mod rows;
mod share;
mod slabs;
mod staged;
mod stays;
mod stream;
pub(crate) mod text;
mod tiled_rows;

pub use anywhere::{ALIGNED, LAUNCH, anywhere};
pub use arguments::{Precision, pack_arguments};
pub use blocks::{blocks_names, print_blocks};
pub use expr::ast_to_c;
pub use fallback::{Files, Host, LOOPS_RUN, Otherwise, Placement};
pub(crate) use gate::is_possible;
pub use in_place::c_program;
pub use naive::{Naive, NaivePlan, naive_is_narrow, naive_plan, print_naive};
pub use program::{
    Instrument, Memory, Replacement, Workspace, dump_function, program, reference_program,
};
pub use slabs::for_programs;
pub(crate) use stays::Stays;
pub use stream::{print_stream, stream_names, workspaces};
