//! hexcc-isl
