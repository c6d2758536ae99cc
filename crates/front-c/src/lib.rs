//! The C front end: what becomes of a C file between clang's tree and the compiler.
//!
//! It works on [`hexcc_clang::ast`] and knows neither isl nor kernels.

pub mod beside;
pub mod child;
pub mod conversions;
pub mod emit;
pub mod facts;
pub mod normalize;
