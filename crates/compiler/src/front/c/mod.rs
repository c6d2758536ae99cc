//! C: which loop of the file is meant, and what of the file pet needs to read it.
//!
//! | module | answers |
//! |---|---|
//! | [`region`] | the marked regions, and without marks the loops that could be the time loop |
//! | [`calls`] | which functions a region calls, and whether these keep something |
//! | [`merge`] | whether the files of a program can be one text |
//! | [`units`] | which functions of other files can be read as its own |
//! | [`members`] | what stands for members of structs in that text |
//! | [`selects`] | `if` on data as values in that text |
//! | [`cells`] | what loops do with a cell as a function of it, where pet cannot read it |
//! | [`written`] | what subscripts are computed by, written out in the text |
//! | [`headers`] | declarations in that text in place of headers of the C library |
//! | [`pass`] | what these are called, for `--emit c` |
//! | [`reduce`](mod@reduce) | the text that pet gets, with a map back to the user's |
//!
//! Architecture invariant: pure functions over text, as in [`crate::csource`].

pub mod calls;
pub mod cells;
pub mod headers;
pub mod members;
pub mod merge;
pub mod pass;
pub mod reduce;
pub mod region;
pub mod selects;
pub mod units;
pub mod written;

pub use calls::{State, called_functions, first_early_return, first_state};
pub use cells::{Celled, with_cells};
pub use headers::{Light, includes_system, light};
pub use members::{StandIns, stand_ins};
pub use merge::can_be_one;
pub use pass::Pass;
pub use reduce::{Reduced, mark, reduce, whole};
pub use region::{Region, inner_loops, loop_at, marked_regions, time_loops};
pub use selects::{Known, Selected, with_selects};
pub use units::{Stays, Taken, Unit, functions_of_others};
pub use written::{Told, Written, written_out};
