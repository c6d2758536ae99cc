//! The stencil language of hexcc: a text to a [`Stencil`], without C.
//!
//! The language follows that of Overtile (Holewinski, Pouchet and Sadayappan, ICS 2012): fields on grids, functions on
//! sub-grids in their order, reads at constant offsets. docs/site/language-st.md describes it.
//!
//! | module | makes |
//! |---|---|
//! | `lexer` | words, numbers and signs of a text |
//! | `parser` | [`syntax`] of these, with recovery behind the next `;` |
//! | `check` | `model`: names, bounds, offsets and types |
//! | `lower` | the stencil: planes of fields, and subscripts beyond boundaries |
//! | `c` | the same as plain C, for what takes C |
//!
//! ```
//! use hexcc_isl::Ctx;
//!
//! let text = "stencil mean;
//! size n, T;
//! field u[n]: float;
//! for t in 0..T {
//!   u[1:n-1] = 0.5 * (u[-1] + u[1]);
//! }";
//! let ctx = Ctx::new()?;
//! let stencil = hexcc_lang::read(&ctx, "mean.st", text).map_err(|all| all[0].message.clone())?;
//! let compiled = stencil.compile(&Default::default()).map_err(|d| d.message)?;
//! let cuda = hexcc_compiler::output::print_stencil(&stencil, &compiled, "0.1.0");
//! assert!(cuda.map_err(|d| d.message)?.contains("namespace hexcc_mean"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Architecture invariant: no file or process access, no kernels, and no panic on any text.

mod c;
mod check;
mod lexer;
mod lower;
mod model;
mod parser;
pub mod syntax;

use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::scop::SourceFile;
use hexcc_compiler::stencil::Stencil;
use hexcc_isl::Ctx;
use hexcc_pet::deep::deeply;

/// The stencil of a text; `path` is what messages and generated code call it.
///
/// # Errors
/// All that is wrong with the text, of the first of its passes that finds anything: what cannot be read, then names, bounds
/// and types, then what leaves the grids. The labels are places in the text.
pub fn read(ctx: &Ctx, path: &str, text: &str) -> Result<Stencil, Vec<Diagnostic>> {
    deeply(|| {
        let source = SourceFile::new(path.to_string(), text.to_string());
        lower::lower(ctx, &model(text)?, source)
    })
}

/// A text as a function in plain C, which does the same in the same order: sizes, scalars and fields are its parameters. A field
/// with two planes has `[2]` before its extents.
///
/// # Errors
/// Those of [`read`].
pub fn print_c(ctx: &Ctx, text: &str) -> Result<String, Vec<Diagnostic>> {
    deeply(|| {
        let model = model(text)?;
        let lowering = lower::planned(ctx, &model)?;
        c::print(&lowering).map_err(|d| vec![*d])
    })
}

/// The meaning of a text.
fn model(text: &str) -> Result<model::Model, Vec<Diagnostic>> {
    let (tokens, mut wrong) = lexer::tokens(text);
    if tokens.is_empty() && !wrong.is_empty() {
        return Err(wrong);
    }
    let (program, errors) = parser::parse(&tokens, text.len());
    wrong.extend(errors);
    match program.as_ref().map(check::check) {
        Some(checked) if wrong.is_empty() => checked,
        _ => Err(wrong),
    }
}
