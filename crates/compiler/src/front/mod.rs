//! What stands between a user's file and a stencil.
//!
//! Architecture invariant: a front end knows its language and nothing of tilings; what it makes
//! keeps the places of the user's own text.

pub mod c;
