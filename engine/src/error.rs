//! What can go wrong in a search.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a search has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A limit ended the search before anything was found.
    #[error("stopped before anything was found")]
    Stopped,
    /// An engine outside could not be started.
    #[error("engine {engine}: can't start {}: {source}", .program.display())]
    NotStarted {
        /// What people call the engine.
        engine: String,
        /// The program that was to run.
        program: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}
