//! The hybrid hexagonal/classical schedule of CGO'14 sections 3.3 to 3.6, and its proof.
//!
//! The canonical iteration space is [u, s0, .., sn] with u = k t + slot: k
//! logical time steps per step of the source's time loop, one for each loop
//! nest. Every dependence has du >= 1. One space dimension, together with u,
//! is tiled by hexagons in two phases; all others are tiled classically. The
//! schedule is
//!
//! ```text
//! [u, s0, .., sn] -> [T, p, S_hex, S_i.., a, b, c_i..]
//! ```
//!
//! (T, p) is sequential (a kernel launch each), S_hex parallel (blocks), S_i
//! sequential within a block with a block-wide barrier in between, a
//! sequential with a barrier after the rows marked in
//! [`HybridSchedule::barrier_after_row`], b and c_i parallel (threads).
//!
//! [`verify`] proves all of that for every compilation.
//!
//! Architecture invariant: nothing here knows statements, arrays, sizes of
//! the program or the target. Dimensions are in source order everywhere.

mod classical;
mod hexagon;
mod hybrid;
pub mod overlapped;
mod verify;

pub use classical::ClassicalDim;
pub use hexagon::Hexagon;
pub use hybrid::{HybridSchedule, Phase, ScheduleError, TileSizes, Wavefront};
pub use verify::{Instance, Proof, Property, VerifyError, Violation, verify, with_wavefront};
