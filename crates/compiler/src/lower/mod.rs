//! From a proven plan to a program ([`crate::ir`]).

mod affine;
pub mod stepwise;
