//! Why there is no engine of a name.

use std::path::PathBuf;

/// Why what was given for an engine names none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoEngine {
    #[error("no engine is given; expected inside, a name of engines.toml or a command")]
    Empty,
    #[error("{0}: a quotation mark is not closed")]
    Quotation(String),
    #[error(
        "{given}: there is no engine of this name{known}; nor does it look like a command: that begins with {protocols}"
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
