//! What an engine outside does wrong.

use obook_othello::Move;
use std::process::ExitStatus;
use std::time::Duration;
use thiserror::Error;

/// What an engine outside did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Trouble {
    /// It did not answer in time.
    #[error("no answer within {0:?}")]
    Silent(Duration),
    /// It ended, or closed its output.
    #[error("it ended{}", .0.map(|status| format!(", {status}")).unwrap_or_default())]
    Ended(Option<ExitStatus>),
    /// It talked without end.
    #[error("it says more than any answer needs")]
    Endless,
    /// What it said is no answer.
    #[error("expected {expected}, found “{found}”")]
    NoAnswer {
        /// What the protocol has here.
        expected: &'static str,
        /// What it said.
        found: String,
    },
    /// It answered out of its own opening book.
    #[error("it answers from a book of its own, which must be turned off: “{0}”")]
    FromBook(String),
    /// The answer is a move that the rules do not allow.
    #[error("it answers {0}, which is not legal")]
    Illegal(Move),
    /// The answer is a move that was left out.
    #[error("it answers {0}, which was left out")]
    LeftOut(Move),
    /// The answer's score is none that a game can have.
    #[error("it answers a score of {0}")]
    Score(i32),
    /// The answer's depth is none that a search can have.
    #[error("it answers a depth of {0}")]
    Depth(u32),
    /// A file that goes to it or comes from it can't be written or read.
    #[error("{0}")]
    File(String),
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Failed {
    /// A limit ended the search.
    Stopped,
    /// The engine did something wrong.
    Trouble(Trouble),
}

impl From<Trouble> for Failed {
    fn from(trouble: Trouble) -> Failed {
        Failed::Trouble(trouble)
    }
}
