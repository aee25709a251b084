//! Positions in any order, by key: in memory, or in temporary files where they are many.

mod packed;
mod sorter;

pub(crate) use packed::{pack, packed_len, unpack};
pub use sorter::{Positions, Sorted, Sorter};
