//! Positions in any order, by key or by layer: in memory, or in temporary files where they are many.

mod combine;
mod kway;
mod layers;
mod record;
mod sorter;
mod spill;

pub(crate) use combine::{Combined, leaf_with_level, search_of, search_of_leaf};
pub(crate) use kway::KWay;
pub(crate) use layers::Layers;
pub use sorter::{Positions, Sorted, Sorter};
