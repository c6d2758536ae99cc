//! The C front end: what becomes of a C file between clang's tree and the compiler.
//!
//! It works on [`hexcc_clang::ast`] and knows neither isl nor kernels.

pub mod beside;
pub mod branches;
pub mod child;
pub mod conversions;
pub mod emit;
pub mod facts;
pub mod normalize;
pub mod of_host;
pub mod overlaps;
pub mod own;
pub mod signature;

use branches::Branches;
use conversions::Conversion;
use hexcc_clang::ast::Unit;
use serde::{Deserialize, Serialize};

/// What the host's part of a C file needs to be CUDA C++.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForCplusplus {
    /// Conversions that have to be written.
    pub conversions: Vec<Conversion>,
    /// Arrays of structs at file scope that no pointer to a number points into; see [`of_host`].
    pub of_host: Vec<String>,
    /// Arrays that are a function's own.
    pub own: Vec<own::Own>,
    /// Functions that are called without a declaration, in the order of the text.
    pub undeclared: Vec<String>,
    /// Values of enumerations are counted up or down.
    pub counts_enumerations: bool,
    /// A function is given two pointers into one array; see [`overlaps`].
    pub overlaps: bool,
    /// What conditions of the preprocessor have chosen.
    pub branches: Vec<Branches>,
}

impl ForCplusplus {
    /// Of a file.
    pub fn of(unit: &Unit) -> ForCplusplus {
        let undeclared = unit.functions.iter().filter(|f| f.is_implicit);
        ForCplusplus {
            conversions: conversions::conversions(unit),
            of_host: of_host::of_host(unit),
            own: own::own(unit),
            undeclared: undeclared.map(|f| f.name.clone()).collect(),
            counts_enumerations: conversions::counts_enumerations(unit),
            overlaps: overlaps::overlaps(unit),
            branches: branches::branches(unit),
        }
    }
}
