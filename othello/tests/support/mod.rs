//! Boards for tests and benches.

pub(crate) mod boards;
mod playout;
