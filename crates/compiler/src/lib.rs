//! hexcc-compiler
