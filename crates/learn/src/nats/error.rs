//! Errors of the learner and the worker.

use obook_engine::wire::Name;
use thiserror::Error;

/// An error of the learner or the worker.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The server can't be reached now.
    #[error("can't reach {server}: {problem}")]
    Unreachable {
        /// The address.
        server: String,
        /// The problem.
        problem: &'static str,
    },
    /// The server refuses a request.
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
    /// Another worker has the same name.
    #[error("another worker is called {0}: give each worker a name of its own")]
    NameTaken(Name),
    /// The engine has failed several times in a row.
    #[error("no answer to {count} questions in a row; last error: {reason}")]
    NoAnswer {
        /// The number of questions.
        count: u64,
        /// The last error.
        reason: String,
    },
}

impl From<Error> for crate::Error {
    fn from(error: Error) -> crate::Error {
        let (place, problem) = match error {
            Error::Unreachable { server, problem } => (server, problem.to_owned()),
            Error::Server { server, problem } => (server, problem),
            other => (String::from("this worker"), other.to_string()),
        };
        crate::Error::At { place, problem }
    }
}
