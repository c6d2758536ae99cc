//! `hexcc run`: translate, build, run and compare.

use crate::render::Failure;
use clap::Parser;
use std::process::ExitCode;

/// translate, build, run and compare
#[derive(Debug, Parser)]
#[command(name = "hexcc run")]
pub struct Run {}

impl Run {
    /// Does it.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        Ok(ExitCode::SUCCESS)
    }
}
