//! What can be wrong with a line.

use super::MAX_LINE;
use crate::NothingToSearch;
use obook_othello::TextError;
use thiserror::Error;

/// Why a line is no question or reply.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WireError {
    /// It is too long.
    #[error("a line of {0} bytes, where {MAX_LINE} are the most")]
    Long(usize),
    /// It is not the JSON that is expected.
    #[error("no line of its kind: {0}")]
    Json(#[from] serde_json::Error),
    /// It is of another version of obook.
    #[error(
        "version {found} of the lines, where this obook reads version {known}: use the same obook on all machines"
    )]
    Version {
        /// The version of the line.
        found: u64,
        /// What this program reads.
        known: u64,
    },
    /// Its board is none.
    #[error("its board: {0}")]
    Board(#[from] TextError),
    /// It asks for nothing.
    #[error("nothing to search: {0}")]
    Nothing(#[from] NothingToSearch),
    /// A field is not what it should be.
    #[error("{field} is {found:?}, expected {expected}")]
    Field {
        /// The name of the field.
        field: &'static str,
        /// What it says.
        found: String,
        /// What it may say.
        expected: &'static str,
    },
    /// A field is missing.
    #[error("it says no {0}")]
    Missing(&'static str),
}
