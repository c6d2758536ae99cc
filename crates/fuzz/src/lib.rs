//! Random tests of hexcc: programs nobody thought of.
//!
//! | module | holds |
//! |---|---|
//! | [`model`] | a stencil program as data |
//! | [`generate`] | random programs |
//! | [`form`] | the form of a program: how the same stencil is written |
//! | [`print`](mod@print) | their C text |
//! | [`whole`] | a whole program around a stencil |
//! | [`brute`] | what they do, by enumeration: dependences, slots, slopes |
//! | [`replay`] | execution in the order of a schedule, from its numbers alone |
//! | [`case`] | a program and its options; translation and verdict |
//! | [`batch`] | many translated programs in one executable, compared with C |
//! | [`forms`] | whole programs through the command, the emulation and nvcc |
//! | [`shrink`] | smaller programs that fail the same way |
//! | [`hostile`] | damaged C files and command lines |
//! | [`mutate`] | changes of C files that leave most of them C |
//! | [`names`] | whole programs in which names collide |
//! | [`server`] | reading C from processes that have libpet loaded |
//! | [`findings`] | failures of the coverage-guided targets by class |
//!
//! Not part of the product: nothing depends on this crate.

pub mod batch;
pub mod brute;
pub mod case;
pub mod findings;
pub mod form;
pub mod forms;
pub mod generate;
pub mod hostile;
pub mod model;
pub mod mutate;
pub mod names;
pub mod planes;
pub mod print;
pub mod replay;
pub mod rng;
pub mod server;
pub mod shrink;
pub mod whole;
