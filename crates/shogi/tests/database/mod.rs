//! Tests of the whole crate.

mod games;
mod laws;
mod yaneuraou;
