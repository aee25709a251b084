//! Errors of the learner and the worker.

use thiserror::Error;

/// An error of the learner or the worker.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The server can't be reached or refuses a request.
    #[error("{server}: {problem}")]
    Server {
        /// The address.
        server: String,
        /// The problem.
        problem: String,
    },
    /// The learner no longer accepts answers of this worker.
    #[error("the learner refuses this worker's answers: {0}")]
    Refused(String),
    /// The engine has failed several times in a row.
    #[error("no answer to {count} questions in a row; last error: {reason}")]
    NoAnswer {
        /// The number of questions.
        count: u64,
        /// The last error.
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
