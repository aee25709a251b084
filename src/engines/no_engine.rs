//! Errors of choosing an engine.

use std::path::PathBuf;

/// The reason why no engine could be chosen.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoEngine {
    #[error("no engine given; expected inside, a name from engines.toml or a command")]
    Empty,
    #[error("{0}: a quotation mark is not closed")]
    Quotation(String),
    #[error(
        "{given}: there is no engine of this name{known}, and it doesn't look like a command, which begins with {protocols}"
    )]
    Unknown {
        given: String,
        known: String,
        protocols: String,
    },
    #[error("{}: {problem}", .path.display())]
    Unreadable { path: PathBuf, problem: String },
    #[error("{}: line {line}: {problem}", .path.display())]
    File {
        path: PathBuf,
        line: usize,
        problem: String,
    },
}
