//! A heat equation in two dimensions, built by hand: no C, no files, no arguments. Prints the kernels and
//! their launch function as CUDA.
//!
//! ```text
//! cargo run --release -p hexcc-compiler --example heat > heat.cuh
//! ```

use hexcc_compiler::ctype::CType;
use hexcc_compiler::options::{Options, Tiling};
use hexcc_compiler::output;
use hexcc_compiler::scop::Expr;
use hexcc_compiler::stencil::{BuildError, Stencil, StencilBuilder};
use hexcc_isl::Ctx;

/// Every cell becomes 0.11 times the sum of the 3 x 3 cells around it, in two buffers:
///
/// ```text
/// A[(t+1)%2][i][j] = 0.11f * (A[t%2][i-1][j-1] + A[t%2][i-1][j] + ..);
/// ```
pub fn heat2d(ctx: &Ctx) -> Result<Stencil, BuildError> {
    let mut heat = StencilBuilder::new(ctx, "heat2d", &["N", "T"], "N >= 0")?;
    let a = heat.array("A", CType::Float, &["2", "N", "N"])?;

    let inside = "0 <= t < T and 1 <= i < N - 1 and 1 <= j < N - 1";
    let mut step = heat.statement("step", &["t", "i", "j"], inside)?;
    let mut cells = Vec::new();
    for i in ["i - 1", "i", "i + 1"] {
        for j in ["j - 1", "j", "j + 1"] {
            cells.push(step.read(a, &["t mod 2", i, j])?);
        }
    }
    // In C's order: the first two, then each of the others.
    let sum = cells.into_iter().reduce(|sum, cell| sum + cell);
    let sum = sum.unwrap_or(Expr::from(0.0f32));
    step.write(a, &["(t + 1) mod 2", "i", "j"], Expr::from(0.11f32) * sum)?;
    heat.build()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stencil = heat2d(&Ctx::new()?)?;
    let options = Options {
        tiling: Tiling::Hybrid,
        tile: Some("h=2,w=3:32".parse()?),
        ..Options::default()
    };
    let compiled = stencil.compile(&options).map_err(|d| d.message)?;
    for warning in &compiled.warnings {
        eprintln!("warning: {}", warning.message);
    }
    let version = env!("CARGO_PKG_VERSION");
    let text = output::print_stencil(&stencil, &compiled, version).map_err(|d| d.message)?;
    print!("{text}");
    Ok(())
}
