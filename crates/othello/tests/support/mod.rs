//! Boards for tests and benchmarks.

pub(crate) mod boards;
mod playout;
