//! Positions in temporary files, and the rule by which several records of a board become one.
//!
//! [`Layers`] keep positions by number of empty squares. [`Gathered`](crate::slabs::Gathered) takes them in any order and sorts them
//! in bounded memory. Several records of a board are [`Combined`] into one.

mod combine;
pub(crate) mod spill;

pub use combine::{Combined, Ties, Verdict};
pub use spill::Layers;

/// The result of what writes or reads temporary files.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A temporary file can't be written or read.
#[derive(Debug, thiserror::Error)]
#[error("{}: can't {doing}: {source}", folder.display())]
pub struct Error {
    /// The folder of temporary files.
    pub folder: std::path::PathBuf,
    /// The failed action, as a verb phrase such as "write a temporary file there".
    pub doing: &'static str,
    /// The reason.
    pub source: std::io::Error,
}
