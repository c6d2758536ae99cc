//! From a proven plan to a program ([`crate::ir`]).

pub(crate) mod affine;
pub mod hybrid;
pub mod overlapped;
pub mod stepwise;
