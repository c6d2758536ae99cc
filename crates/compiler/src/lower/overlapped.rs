//! Kernels of overlapped tiling as programs.

mod warps;

pub use warps::warps;
