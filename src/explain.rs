//! `hexcc explain`: report on a stencil.

use crate::render::Failure;
use clap::Parser;
use std::process::ExitCode;

/// report on a stencil
#[derive(Debug, Parser)]
#[command(name = "hexcc explain")]
pub struct Explain {}

impl Explain {
    /// Does it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        Ok(ExitCode::SUCCESS)
    }
}
