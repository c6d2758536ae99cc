//! What users read of a compilation beside the generated code.

pub(crate) mod as_read;
pub mod dumps;
mod explain;
pub(crate) mod header;
mod placement;
mod scaling;
mod segments;
mod steps;
mod svg;
mod tiles;

pub use explain::{explain, explain_stencil};
pub use placement::explain_placement;
pub use scaling::explain_gpus;
pub use svg::{TilingPicture, tiling_svg};
pub use tiles::explain_tiles;
