//! Printers: an [`crate::ir::Program`] as text of a language.
//!
//! A printer spells; what runs where has been decided before. What languages share is in `c`.

pub(crate) mod c;
pub mod cuda;
mod fold;
pub mod host;
mod namer;
pub mod opencl;
pub mod openmp;
