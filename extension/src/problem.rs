//! Error messages for the author of the SQL.

use std::fmt;

/// A message that becomes the error of the SQL statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem(obook_functions::Problem);

/// The result of functions and tables.
pub type Result<T> = std::result::Result<T, Problem>;

impl Problem {
    /// A problem with this message.
    #[must_use]
    pub fn new(message: impl fmt::Display) -> Problem {
        Problem(obook_functions::Problem::new(message))
    }

    /// Prefixes the message with the name of the function.
    pub(crate) fn within(self, function: &str) -> Problem {
        Problem(self.0.within(function))
    }

    /// Converts it to an error of a table.
    pub(crate) fn of_table(self) -> rusqlite::Error {
        self.or_interrupted(|problem| rusqlite::Error::ModuleError(problem.to_string()))
    }

    /// Converts it to an error of a function.
    pub(crate) fn of_function(self) -> rusqlite::Error {
        self.or_interrupted(|problem| rusqlite::Error::UserFunctionError(Box::new(problem)))
    }

    /// An interruption without a message of its own, which SQLite and other programs would take for another error.
    fn or_interrupted(self, error: impl FnOnce(Problem) -> rusqlite::Error) -> rusqlite::Error {
        match self.0.is_interruption() {
            true => {
                let interrupt = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_INTERRUPT);
                rusqlite::Error::SqliteFailure(interrupt, None)
            }
            false => error(self),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Problem {}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Problem {
        Problem(match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::OperationInterrupted) => {
                obook_functions::Problem::interruption(error)
            }
            _ => obook_functions::Problem::new(error),
        })
    }
}

impl From<obook_functions::Problem> for Problem {
    fn from(problem: obook_functions::Problem) -> Problem {
        Problem(problem)
    }
}

impl From<Problem> for obook_functions::Problem {
    fn from(problem: Problem) -> obook_functions::Problem {
        problem.0
    }
}

impl From<obook_converters::Error> for Problem {
    fn from(error: obook_converters::Error) -> Problem {
        Problem::new(error)
    }
}

impl From<obook_rows::Error> for Problem {
    fn from(error: obook_rows::Error) -> Problem {
        match error {
            obook_rows::Error::Sqlite(error) => error.into(),
            obook_rows::Error::Fault(fault) => {
                let board = fault.key().map_or(String::from("?"), |key| {
                    format!("{:032X}", u128::from_be_bytes(key))
                });
                Problem::new(format!("board {board}: {fault}"))
            }
        }
    }
}
