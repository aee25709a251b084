//! Problems as errors of SQLite, and the other way round.

use crate::sql::Problem;
use rusqlite::Error;

/// The error of a table.
pub(super) fn of_table(problem: Problem) -> Error {
    or_interrupted(problem, |problem| Error::ModuleError(problem.to_string()))
}

/// The error of a function.
#[must_use]
pub fn of_function(problem: Problem) -> Error {
    or_interrupted(problem, |problem| {
        Error::UserFunctionError(Box::new(problem))
    })
}

/// An interruption without a message of its own, which SQLite and other programs would take for another error.
fn or_interrupted(problem: Problem, error: impl FnOnce(Problem) -> Error) -> Error {
    match problem.is_interruption() {
        true => {
            let interrupt = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_INTERRUPT);
            Error::SqliteFailure(interrupt, None)
        }
        false => error(problem),
    }
}

/// The problem of a database that can't be read: for `map_err`.
#[must_use]
pub fn of_sqlite(error: Error) -> Problem {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::OperationInterrupted) => Problem::interruption(error),
        _ => match error {
            // The SQL is obook's own.
            Error::SqlInputError { msg, .. } => {
                Problem::new(format!("the database has no book of this game: {msg}"))
            }
            error => Problem::new(error),
        },
    }
}
