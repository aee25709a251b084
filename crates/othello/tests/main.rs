//! All tests of the crate, one binary.

mod choice;
mod notation;
mod perft;
mod rules;
mod support;
mod symmetry;
