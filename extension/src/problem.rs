//! What was wrong with a call, in words for whoever typed the SQL.

use std::fmt;

/// A message that becomes the error of the SQL statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem(String);

/// What functions and tables give.
pub(crate) type Result<T> = std::result::Result<T, Problem>;

impl Problem {
    pub(crate) fn new(message: impl fmt::Display) -> Problem {
        Problem(message.to_string())
    }

    /// Says first in which function it went wrong.
    pub(crate) fn within(self, function: &str) -> Problem {
        Problem(format!("{function}: {self}"))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Problem {}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Problem {
        Problem::new(error)
    }
}

impl From<obook_converters::Error> for Problem {
    fn from(error: obook_converters::Error) -> Problem {
        Problem::new(error)
    }
}
