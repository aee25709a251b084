//! Problems as errors of SQLite, and the other way round.

use crate::sql::Problem;
use rusqlite::{Error, ErrorCode};

/// The error of a table.
pub(super) fn of_table(problem: Problem) -> Error {
    interrupted(&problem).unwrap_or_else(|| Error::ModuleError(problem.to_string()))
}

/// The error of a function.
#[must_use]
pub fn of_function(problem: Problem) -> Error {
    interrupted(&problem).unwrap_or_else(|| Error::UserFunctionError(Box::new(problem)))
}

/// An interruption without a message of its own, which SQLite and other programs would take for another error.
fn interrupted(problem: &Problem) -> Option<Error> {
    let interrupt = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_INTERRUPT);
    (problem.interrupted).then_some(Error::SqliteFailure(interrupt, None))
}

/// The problem of a database that can't be read: for `map_err`.
#[must_use]
pub fn of_sqlite(error: Error) -> Problem {
    let interrupted = error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted);
    let mut problem = match error {
        // The SQL is obook's own.
        Error::SqlInputError { msg, .. } if !interrupted => {
            Problem::new(format!("the database has no book of this game: {msg}"))
        }
        error => Problem::new(error),
    };
    problem.interrupted = interrupted;
    problem
}
