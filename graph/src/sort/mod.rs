//! Positions in any order, by key or by layer: in memory, or in temporary files where they are many.

mod combine;
mod kway;
mod layers;
mod record;
mod sorter;
mod spill;

pub use combine::{Combined, leaf_with_level, search_of, search_of_leaf};
pub use kway::KWay;
pub use layers::Layers;
pub use sorter::{Positions, Sorted, Sorter};

/// The result of sorting.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A temporary file couldn't be written or read.
#[derive(Debug, thiserror::Error)]
#[error("{}: can't {doing}: {source}", folder.display())]
pub struct Error {
    /// The folder of temporary files.
    pub folder: std::path::PathBuf,
    /// What failed, as a verb phrase: "write a temporary file in" …
    pub doing: &'static str,
    /// The reason.
    pub source: std::io::Error,
}
