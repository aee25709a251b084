//! What can go wrong between machines.

use thiserror::Error;

/// Why machines can't work together.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The server can't be reached, or refuses.
    #[error("{server}: {problem}")]
    Server {
        /// Its address.
        server: String,
        /// What it says, or what became of it.
        problem: String,
    },
    /// This machine is not believed any more.
    #[error("the learner refuses this worker's answers: {0}")]
    Refused(String),
    /// The engine gives no answers.
    #[error("no answer to {count} questions one after the other; the last: {reason}")]
    NoAnswer {
        /// So many questions.
        count: u64,
        /// Why the last one has none.
        reason: String,
    },
}

impl From<Error> for obook_learn::Error {
    fn from(error: Error) -> obook_learn::Error {
        match error {
            Error::Server { server, problem } => obook_learn::Error::Workers {
                place: server,
                problem,
            },
            other => obook_learn::Error::Workers {
                place: String::from("this worker"),
                problem: other.to_string(),
            },
        }
    }
}
