//! Functions and tables in SQL, for any SQL engine: what they take, and what they return.

mod answer;
mod arguments;
mod table;

pub use answer::{Answer, ColumnType};
pub use arguments::{Arguments, Value, read_number, read_text};
pub use table::{Column, Rows, RowsOf, Table};

use std::fmt;

/// The fault of a call, in words for the author of the SQL.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    message: String,
    /// Whether the call was interrupted rather than wrong.
    pub(crate) interrupted: bool,
}

/// The result of a function.
pub type Result<T> = std::result::Result<T, Problem>;

impl Problem {
    /// A problem with this message.
    #[must_use]
    pub fn new(message: impl fmt::Display) -> Problem {
        Problem {
            message: message.to_string(),
            interrupted: false,
        }
    }

    /// The problem of a value in place of another one.
    #[must_use]
    pub fn expected(what: &str, found: Value<'_>) -> Problem {
        Problem::new(format!("expected {what}, found {found}"))
    }

    /// The problem of a table's first argument that is missing.
    pub(crate) fn missing(table: &str, arguments: &[&str]) -> Problem {
        let (name, usage) = (arguments[0], arguments.join(", "));
        Problem::new(format!("{name} is missing: {table}({usage})"))
    }

    /// Prefixes the message with the name of the function or table.
    #[must_use]
    pub fn within(self, name: &str) -> Problem {
        let message = format!("{name}: {self}");
        Problem { message, ..self }
    }
}
