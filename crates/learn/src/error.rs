//! Errors in growing a book. Each message is one sentence. Advice is up to the program, which can match the variant.

use crate::Learned;
use obook_othello::levels::MAX_LEVEL;

/// The result of growing a book.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error in growing a book: in the book itself, or in what answers its questions.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The book, or a file for it, could not be read or written.
    #[error(transparent)]
    Book(#[from] obook::Error),

    /// An engine could not be started, or failed.
    #[error(transparent)]
    Engine(#[from] obook_engine::SearchError),

    /// The system refuses a thread for one of the searches at once.
    #[error("can't start threads for {jobs} searches at once: {source}")]
    Thread {
        /// The number of searches at once.
        jobs: usize,
        /// Why.
        source: std::io::Error,
    },

    /// An engine that gives no answers.
    #[error(
        "engine {engine}: no answer to {count} positions in a row; the last one: {}",
        last(engine, board, reason)
    )]
    NoAnswer {
        /// Its name.
        engine: String,
        /// The number of positions.
        count: u64,
        /// The last of them.
        board: String,
        /// Why it had no answer.
        reason: String,
    },

    /// A run of a recipe can't continue: its book can't be read or written, or its engine gives no answers.
    #[error("{source}")]
    Broken {
        /// Why.
        source: Box<Error>,
        /// The result of the run up to then.
        learned: Box<Learned>,
    },

    /// Workers can't be reached or can't continue, or a line of a file can't be read.
    #[error("{place}: {problem}")]
    At {
        /// The address of a server, the name of an engine, or the line.
        place: String,
        /// The problem.
        problem: String,
    },

    /// Searches without a level.
    #[error(
        "the level of the searches is unknown: neither the book nor the caller names one from 0 to {MAX_LEVEL}"
    )]
    NoLevel,

    /// Searches that may last for ever.
    #[error("nothing says how long to search: no depth, nodes or time is given")]
    NoGo,

    /// A rule that chooses positions of games, without games.
    #[error("the rule {rule} chooses positions of games, and there are none")]
    NoGames {
        /// Its name.
        rule: &'static str,
    },

    /// Searches could not be given to the machine that asked for them.
    #[error("can't hand the searches out: {0}")]
    HandOut(#[source] std::io::Error),
}

/// A position and why it has no answer. An engine's own error names both.
fn last(engine: &str, board: &str, reason: &str) -> String {
    match reason.strip_prefix(&format!("engine {engine}: ")) {
        Some(own) => own.to_owned(),
        None => format!("{board}: {reason}"),
    }
}

impl From<obook::StoreError> for Error {
    fn from(error: obook::StoreError) -> Error {
        Error::Book(error.into())
    }
}
