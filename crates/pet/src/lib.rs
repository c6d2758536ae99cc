//! Reads static control parts out of C files with libpet.
//!
//! Data flows one way: a [`Request`] goes in, an [`Extraction`] of plain data comes
//! out. libpet is found by [`find_library`] and loaded at run time; [`extract`] does
//! so in child processes, because LLVM and pet abort on some inputs.
//!
//! Architecture invariants: libpet, the isl inside it and their pointers never
//! leave this crate, and isl objects cross its boundary as text. Nothing here knows
//! what a stencil is, and nothing here is linked against isl or pet.

pub mod data;
pub mod deep;

mod capture;
mod child;
mod convert;
mod error;
mod extract;
mod ffi;
mod locate;
mod pragma;
mod server;

pub use child::{CHILD_ARGUMENT, extract, extract_within, processor_time};
pub use error::{ClangMessage, PetError, Severity, parse_messages};
pub use extract::{Extraction, Request, extract_in_process};
pub use locate::{INCLUDE_VARIABLE, LIBRARY_VARIABLE, PetPaths, find_library};
pub use server::run_child;
