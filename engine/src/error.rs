//! What can go wrong in a search.

use thiserror::Error;

/// Why a search has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A limit ended the search before anything was found.
    #[error("stopped before anything was found")]
    Stopped,
}
