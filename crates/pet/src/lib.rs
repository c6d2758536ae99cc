//! hexcc-pet
pub mod data;
