//! All tests of the crate, one binary.

mod notation;
mod perft;
mod rules;
mod support;
mod symmetry;
