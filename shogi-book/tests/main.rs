//! Tests of the whole crate.

mod laws;
