//! Random tests of hexcc: programs nobody thought of.
//!
//! | module | holds |
//! |---|---|
//! | [`model`] | a stencil program as data |
//! | [`generate`] | random programs |
//! | [`print`] | their C text |
//! | [`brute`] | what they do, by enumeration: dependences, slots, slopes |
//! | [`replay`] | execution in the order of a schedule, from its numbers alone |
//! | [`case`] | a program and its options; translation and verdict |
//! | [`batch`] | many translated programs in one executable, compared with C |
//! | [`shrink`] | smaller programs that fail the same way |
//! | [`hostile`] | damaged C files and command lines |
//!
//! Not part of the product: nothing depends on this crate.

pub mod batch;
pub mod brute;
pub mod case;
pub mod form;
pub mod forms;
pub mod generate;
pub mod hostile;
pub mod model;
pub mod print;
pub mod replay;
pub mod rng;
pub mod shrink;
pub mod whole;
